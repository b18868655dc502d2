// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>

namespace ullage::inline v0 {

/// Why an engine cannot draft tokens for a model that way; `none` when it can.
enum class draft_problem : std::uint8_t {
  none,
  no_tokens,          ///< a method without a number of tokens, or tokens without a method
  no_mtp_layers,      ///< mtp for a model without prediction modules
  draft_not_given,    ///< eagle, eagle3 and draft_model read a draft model
  draft_not_read,     ///< mtp and ngram read none
  draft_not_divisible ///< the draft model does not divide by tp
};
constexpr std::string_view sentence(draft_problem p) noexcept {
  switch (p) {
    case draft_problem::none: return "the tokens can be drafted";
    case draft_problem::no_tokens: return "speculative decoding needs a method and at least one token";
    case draft_problem::no_mtp_layers: return "the model has no multi-token-prediction modules";
    case draft_problem::draft_not_given: return "this method needs a draft model";
    case draft_problem::draft_not_read: return "this method takes no draft model";
    case draft_problem::draft_not_divisible: return "the draft model does not divide by tp";
  }
  return "the tokens cannot be drafted";
}

constexpr draft_problem check_draft(const transformer& m, const engine& e, const layout& l) noexcept {
  const speculation& s = e.speculative;
  if (s.method == draft_method::none)
    return s.num_tokens == 0 && s.draft == nullptr ? draft_problem::none : draft_problem::no_tokens;
  if (s.num_tokens < 1) return draft_problem::no_tokens;
  const bool reads = s.method >= draft_method::eagle;
  if (reads != (s.draft != nullptr)) return reads ? draft_problem::draft_not_given : draft_problem::draft_not_read;
  if (s.method == draft_method::mtp && m.mtp_layers < 1) return draft_problem::no_mtp_layers;
  if (reads) {
    layout alone;
    alone.tp = l.tp;
    if (s.draft->layers < 1 || check_layout(*s.draft, alone) != layout_problem::none)
      return draft_problem::draft_not_divisible;
  }
  return draft_problem::none;
}

/// Weights on one rank of what drafts tokens: it stands on the last stage, divided by tp like the model.
///
/// Prediction modules share the model's embedding and head, which their files repeat; on a last stage that is not the
/// first the embedding is one more. Other draft models bring what their checkpoint holds.
constexpr bytes draft_weights(const transformer& m, const engine& e, const layout& l, const stage& s) noexcept {
  if (!s.is_last) return bytes{};
  const count multiple = truncate(e.rules.vocabulary_multiple);
  if (e.speculative.draft != nullptr) {
    layout alone;
    alone.tp = l.tp;
    const transformer& d = *e.speculative.draft;
    return rank_weights(d, d.stored, alone, stage_of(d, alone, 0), multiple);
  }
  if (e.speculative.method != draft_method::mtp) return bytes{};
  const weight_scheme w = weights_in(e, m);
  bytes total{};
  const auto add = [&](family_range r, count times) {
    for (const tensor_family& f : families_of(m, r)) {
      if (f.belongs_to == part::mtp && f.spread == sharding::vocab_rows) continue;
      const local_shape piece = shard(f, l, multiple);
      total += w[f.stored_as].storage(piece.rows, piece.cols) * (piece.copies * times);
    }
  };
  add(m.kinds[m.mtp_kind].tensors, count(m.mtp_layers));
  add(m.mtp_extra, count(m.mtp_layers));
  if (!s.is_first && !m.tied_embeddings)
    for (const tensor_family& f : families_of(m, m.embedding)) {
      const local_shape piece = shard(f, l, multiple);
      total += w[f.stored_as].storage(piece.rows, piece.cols) * piece.copies;
    }
  return total;
}

}  // namespace ullage::inline v0
