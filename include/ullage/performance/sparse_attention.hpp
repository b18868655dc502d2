// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/attention_work.hpp>

// Attention over chosen entries (DeepSeek-V3.2, GLM-5) and over compressed streams (DeepSeek-V4): an indexer scores all cached
// entries in 8 bits, the best are chosen, and attention reads those alone.
namespace ullage::inline v0 {

/// Query-key pairs that a layer's own indexer scores for `new_tokens` behind `prefix`: causal pairs over the tokens that share
/// an entry; 0 without an indexer.
constexpr double scored_pairs(const attention& a, double new_tokens, double prefix) noexcept {
  return a.index_dim > 0 ? causal_pairs(new_tokens, prefix) / static_cast<double>(a.stride) : 0.0;
}

/// Whether a prompt that ends at token `end` is attended to densely, heads expanded, without scores: no query has more
/// entries than it may choose (vLLM and SGLang do so for latents; compressed streams have no other way).
constexpr bool attends_densely(const attention& a, double end) noexcept {
  return a.index_topk > 0 && a.stride == 1 && end <= static_cast<double>(a.index_topk);
}

namespace detail {

/// One gathered cache entry, which all heads read.
struct gathered {
  double heads = 0;
  double dims = 0;  ///< elements of a product with the query, and of the value: FLOP are 2·heads·dims
  double entry_bytes = 0;
};
/// Latents: rank + rope, and rank; entries of streams and of a window beside them are key and value at once.
constexpr gathered gathered_on_rank(const attention& a, const number_format& cache, double tp) noexcept {
  gathered g;
  g.heads = static_cast<double>(a.heads) / tp;
  g.entry_bytes = real(kv_per_token(a, cache, 1)) - static_cast<double>(a.index_dim > 0 ? a.index_dim + 4 : 0);
  if (a.kind != attention_kind::latent)
    g.dims = static_cast<double>(2 * a.key_dim);
  else if (a.stride > 1)
    g.dims = static_cast<double>(2 * (a.latent_rank + a.rope_dim));
  else
    g.dims = static_cast<double>(2 * a.latent_rank + a.rope_dim);
  return g;
}
inline double tiled(double heads, double tile) noexcept {
  return std::ceil(heads / tile) * tile;
}

/// An indexer's scores of prompts: 2·index_heads·index_dim FLOP a pair; keys and queries read, scores written.
inline cost score_prefill_cost(const attention& a, double n, double new_tokens, double prefix, double peak_8bit,
                               double bandwidth, const sparse_constants& c) noexcept {
  const double keys = (prefix + new_tokens) / static_cast<double>(a.stride);
  const double pairs = n * scored_pairs(a, new_tokens, prefix);
  const double query = static_cast<double>(a.index_heads * a.index_dim);
  return roofline(2 * query * pairs, n * (keys * static_cast<double>(a.index_dim + 4) + new_tokens * query) + 4 * pairs,
                  peak_8bit, bandwidth, c[sparse_op::score_prefill]);
}
/// The same of one token a sequence, over `keys` cached ones of each.
inline cost score_decode_cost(const attention& a, double n, double keys, double peak_8bit, double bandwidth,
                              const sparse_constants& c) noexcept {
  const double query = static_cast<double>(a.index_heads * a.index_dim);
  return roofline(2 * query * n * keys, n * (keys * static_cast<double>(a.index_dim + 4 + 4) + query), peak_8bit,
                  bandwidth, c[sparse_op::score_decode]);
}
/// Of `rows` queries with `scores` between them the best: every score read once in 32 bits.
inline cost choose_cost(double rows, double scores, double bandwidth, const sparse_constants& c) noexcept {
  return roofline(0, 4 * (scores + rows * c.scores_per_row), 1, bandwidth, c[sparse_op::choose]);
}
/// Attention of prompts: 2·heads·dims FLOP an entry read; queries and results, and every entry once.
inline cost attend_prefill_cost(const attention& a, const gathered& g, double n, double new_tokens, double prefix,
                                double peak, double bandwidth, const sparse_constants& c) noexcept {
  const double kept = (prefix + new_tokens) / static_cast<double>(a.stride);
  return roofline(n * attention_pairs(a, new_tokens, prefix) * 2 * tiled(g.heads, c.prefill_head_tile) * g.dims,
                  n * (new_tokens * 2 * g.heads * g.dims + kept * g.entry_bytes), peak, bandwidth,
                  c[sparse_op::attend_prefill]);
}
/// Attention of one token a sequence, which reads `each` entries, with so many heads of a rank.
inline cost attend_decode_cost(const gathered& g, double heads, double n, double each, double peak, double bandwidth,
                               const sparse_constants& c) noexcept {
  return roofline(n * each * 2 * tiled(heads, c.decode_head_tile) * g.dims,
                  n * (each * g.entry_bytes + 2 * heads * g.dims), peak, bandwidth, c[sparse_op::attend_decode]);
}

/// Prompts of n sequences that are not attended to densely. Nothing is chosen while all entries may be read.
inline cost sparse_prefill_cost(const attention& a, const gathered& g, double n, double new_tokens, double prefix,
                                double peak, double peak_8bit, double bandwidth, const sparse_constants& c) noexcept {
  cost t = attend_prefill_cost(a, g, n, new_tokens, prefix, peak, bandwidth, c);
  if (a.index_dim <= 0) return t;
  t.add(score_prefill_cost(a, n, new_tokens, prefix, peak_8bit, bandwidth, c));
  if (prefix + new_tokens > static_cast<double>(a.index_topk * a.stride))
    t.add(choose_cost(n * new_tokens, n * scored_pairs(a, new_tokens, prefix), bandwidth, c));
  return t;
}

/// One new token for each of n sequences with `context` cached. What is cached is divided by dcp, for which ranks share their
/// heads; scores are made of short contexts too.
inline cost sparse_decode_cost(const attention& a, const gathered& g, bool narrow_cache, double n, double context,
                               double dcp, double peak, double peak_8bit, double bandwidth,
                               const sparse_constants& c) noexcept {
  const double most = static_cast<double>(a.index_topk);
  double each = attended_tokens(a, context);
  if (c.walks_empty_places && narrow_cache && a.stride == 1 && each < most) each = most;
  cost t = attend_decode_cost(g, g.heads * dcp, n, each / dcp, peak, bandwidth, c);
  if (a.index_dim <= 0) return t;
  const double entries = (context + 1) / static_cast<double>(a.stride);
  t.add(score_decode_cost(a, n, entries / dcp, peak_8bit, bandwidth, c));
  if (entries > most) t.add(choose_cost(n, n * entries / dcp, bandwidth, c));
  return t;
}

}  // namespace detail

}  // namespace ullage::inline v0
