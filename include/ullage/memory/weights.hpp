// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/memory/layout.hpp>

namespace ullage::inline v0 {

/// Exact parameter counts. `total` leaves out MTP modules, draft models and towers; a tied head counts once.
struct parameter_counts {
  count total{};
  count active{};  ///< used for one token: total less the experts that the router does not pick
  count by_part[part_kinds]{};
  count mtp{};     ///< of the multi-token-prediction modules, with the embedding and head that their checkpoint repeats
  count towers{};  ///< of vision and audio towers with their projectors

  constexpr count operator[](part p) const noexcept { return by_part[static_cast<std::size_t>(p)]; }
};

namespace detail {
/// How many layers have each kind; the sums below then cost one step a kind, not one a layer.
struct kind_counts {
  std::int64_t of[transformer::most_kinds]{};
};
constexpr kind_counts count_kinds(const transformer& m, std::int64_t first, std::int64_t size) noexcept {
  kind_counts n;
  for (std::int64_t i = first; i < first + size; ++i) ++n.of[m.layer_kinds[i]];
  return n;
}
}  // namespace detail

constexpr parameter_counts parameters(const transformer& m) noexcept {
  parameter_counts p;
  const auto add = [&](const tensor_family& f, count times, const feed_forward* ff) {
    const count n = f.elements() * times;
    p.by_part[static_cast<std::size_t>(f.belongs_to)] += n;
    p.total += n;
    if (ff != nullptr && f.belongs_to == part::experts && ff->experts > 0) {
      p.active += count(f.rows) * count(f.cols) * count(ff->experts_per_token) * times;
    } else {
      p.active += n;
    }
  };
  for (family_range r : {m.embedding, m.final_norm, m.head, m.encoder})
    for (const tensor_family& f : families_of(m, r)) add(f, count(1), nullptr);
  for (const tensor_family& f : families_of(m, m.towers)) p.towers += f.elements();
  p.by_part[static_cast<std::size_t>(part::tower)] = p.towers;
  const detail::kind_counts kinds = detail::count_kinds(m, 0, m.layers);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    if (kinds.of[k] == 0) continue;
    for (const tensor_family& f : families_of(m, m.kinds[k].tensors))
      add(f, count(kinds.of[k]), &m.kinds[k].feed_forward);
  }
  if (m.mtp_layers > 0) {
    for (family_range r : {m.kinds[m.mtp_kind].tensors, m.mtp_extra})
      for (const tensor_family& f : families_of(m, r)) p.mtp += f.elements() * count(m.mtp_layers);
    p.by_part[static_cast<std::size_t>(part::mtp)] = p.mtp;
  }
  return p;
}

/// Bytes of a checkpoint in a scheme, MTP modules included where the model has them.
constexpr bytes stored_weights(const transformer& m, const weight_scheme& w) noexcept {
  bytes total{};
  const auto add = [&](family_range r, count times) {
    for (const tensor_family& f : families_of(m, r))
      total += w[f.stored_as].storage(count(f.rows), count(f.cols)) * (count(f.copies) * times);
  };
  for (family_range r : {m.embedding, m.final_norm, m.head, m.encoder, m.towers}) add(r, count(1));
  const detail::kind_counts kinds = detail::count_kinds(m, 0, m.layers);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) add(m.kinds[k].tensors, count(kinds.of[k]));
  if (m.mtp_layers > 0) {
    add(m.kinds[m.mtp_kind].tensors, count(m.mtp_layers));
    add(m.mtp_extra, count(m.mtp_layers));
  }
  return total;
}

/// What one rank holds of a tensor family.
struct local_shape {
  count rows{};
  count cols{};
  count copies{};
};

/// The piece of a family on one rank of a layout; where pieces are unequal, the largest.
/// `vocabulary_multiple`: what the engine pads the vocabulary to (vLLM: 64).
constexpr local_shape shard(const tensor_family& f, const layout& l, count vocabulary_multiple) noexcept {
  local_shape s{count(f.rows), count(f.cols), count(f.copies)};
  const count tp(l.tp);
  switch (f.spread) {
    case sharding::replicated: break;
    case sharding::rows: s.rows = ceil_div(s.rows, tp); break;
    case sharding::cols: s.cols = ceil_div(s.cols, tp); break;
    case sharding::kv_rows: {
      const std::int64_t heads = f.rows / f.unit;
      s.rows = count(heads >= l.tp ? heads / l.tp : 1) * count(f.unit);
      break;
    }
    case sharding::vocab_rows: s.rows = ceil_div(round_up(s.rows, vocabulary_multiple), tp); break;
    case sharding::expert_rows:
      if (l.ep > 1)
        s.copies = ceil_div(s.copies, count(l.ep));
      else
        s.rows = ceil_div(s.rows, tp * count(l.dp));
      break;
    case sharding::expert_cols:
      if (l.ep > 1)
        s.copies = ceil_div(s.copies, count(l.ep));
      else
        s.cols = ceil_div(s.cols, tp * count(l.dp));
      break;
  }
  return s;
}

/// Bytes of the weights on one rank of a stage, as the checkpoint's formats give them (engine extras not included).
constexpr bytes rank_weights(const transformer& m, const weight_scheme& w, const layout& l, const stage& s,
                             count vocabulary_multiple) noexcept {
  bytes total{};
  const auto add = [&](family_range r, count times) {
    for (const tensor_family& f : families_of(m, r)) {
      const local_shape piece = shard(f, l, vocabulary_multiple);
      total += w[f.stored_as].storage(piece.rows, piece.cols) * (piece.copies * times);
    }
  };
  if (s.is_first) {
    add(m.embedding, count(1));
    add(m.encoder, count(1));
    add(m.towers, count(1));
  }
  if (s.is_last) {
    add(m.final_norm, count(1));
    add(m.head, count(1));
    if (m.tied_embeddings && !s.is_first) add(m.embedding, count(1));
  }
  const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
  for (std::size_t k = 0; k < m.kinds.size(); ++k)
    if (kinds.of[k] > 0) add(m.kinds[k].tensors, count(kinds.of[k]));
  return total;
}

}  // namespace ullage::inline v0
