// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/attention_work.hpp>
#include <ullage/performance/recurrent.hpp>
#include <ullage/performance/sparse_attention.hpp>

namespace ullage::inline v0 {

namespace detail {

constexpr attention_op prefill_op(const attention& a, bool narrow_cache, bool in_8_bits) noexcept {
  if (a.kind == attention_kind::latent)
    return narrow_cache ? attention_op::latent_prefill_narrow : attention_op::latent_prefill;
  if (in_8_bits) return attention_op::prefill_8bit;
  return narrow_cache ? attention_op::prefill_narrow : attention_op::prefill;
}
constexpr attention_op decode_op(const attention& a, bool narrow_cache) noexcept {
  if (a.kind == attention_kind::latent)
    return narrow_cache ? attention_op::latent_decode_narrow : attention_op::latent_decode;
  return narrow_cache ? attention_op::decode_narrow : attention_op::decode;
}

/// Kernels of windows were timed at few head sizes and lengths, and what they leave over does not hold far from there: a window
/// takes at most a quarter longer than none.
constexpr attention without_window(attention a) noexcept {
  a.kind = attention_kind::full;
  return a;
}
inline void bound_by_whole(cost& windowed, cost whole) noexcept {
  if (!(whole.mid_s * 1.25 < windowed.mid_s)) return;
  const double least = windowed.least_s;
  windowed = {};
  windowed.add(whole, 1.25);
  windowed.least_s = least;
}

/// A prefix was never measured: what is known of a prompt of as many pairs stands for it, wider.
inline constexpr double prefix_widens = 1.5;

inline cost prefill_attention_cost(const attention& a, const local_attention& l, bool narrow_cache, double n,
                                   double new_tokens, double prefix, math runs, double peak, double bandwidth,
                                   const attention_constants& c) noexcept {
  const bool in_8_bits = runs == math::fp8 || runs == math::int8;
  const attention_fit& f = c[prefill_op(a, narrow_cache, in_8_bits)];
  cost t = attention_cost(prefill_work(a, l, n, new_tokens, prefix), peak, bandwidth, f);
  if (has_window(a))
    bound_by_whole(t, attention_cost(prefill_work(without_window(a), l, n, new_tokens, prefix), peak, bandwidth, f));
  if (prefix > 0 || a.kind == attention_kind::encoder) t.scatter_s2 *= prefix_widens * prefix_widens;
  return t;
}

inline cost decode_attention_cost(const attention& a, const local_attention& l, bool narrow_cache, double n,
                                  double context, double dcp, double peak, double bandwidth,
                                  const attention_constants& c) noexcept {
  const attention_fit& f = c[decode_op(a, narrow_cache)];
  cost t = attention_cost(decode_work(a, l, n, context, dcp), peak, bandwidth, f);
  if (has_window(a))
    bound_by_whole(t, attention_cost(decode_work(without_window(a), l, n, context, dcp), peak, bandwidth, f));
  return t;
}

/// Attention over blocks that an indexer picks (MiniMax-M3): what is left of sparse attention that has no time.
constexpr bool is_untimed(const attention& a) noexcept {
  return (a.index_dim > 0 && (a.index_topk < 1 || a.index_heads < 1)) || a.stride < 1 ||
         (a.kind != attention_kind::latent && (a.index_topk > 0 || a.stride > 1));
}

constexpr time_problem attention_problem(const attention& a, const number_format& cache, std::int64_t tp,
                                         const accelerator& part, sequences how_many) noexcept {
  if (is_untimed(a)) return time_problem::not_modelled;
  const bool sized = a.kind == attention_kind::latent ? a.latent_rank > 0 && a.rope_dim >= 0 : a.kv_heads > 0;
  const bool valued = a.value_dim > 0 || (a.value_dim == 0 && a.kind == attention_kind::sliding);
  if (a.kind == attention_kind::none || a.heads < 1 || a.key_dim < 1 || !valued || !sized || a.window < 0 || tp < 1 ||
      a.heads % tp != 0 || how_many < of<sequences>(1) || overflowed(how_many))
    return time_problem::bad_load;
  if (cache.element_bits <= 0) return time_problem::unknown_format;
  if (part.bandwidth <= bytes_per_second{}) return time_problem::no_bandwidth;
  if (part.peak(math_on(part, math::bf16)) <= flops_per_second{}) return time_problem::no_peak;
  return time_problem::none;
}
/// Peak of an indexer's scores.
constexpr double peak_8bit(const accelerator& part, double other) noexcept {
  const double peak = value_of(part.peak(math_on(part, math::fp8)));
  return peak > 0 ? peak : other;
}
inline op_time finish_attention(cost k, math wanted, math runs, const accelerator& part) noexcept {
  k.from = weaker(k.from, weaker(part.bandwidth_basis, part.peaks_basis));
  return finish(k, wanted, runs);
}

}  // namespace detail

/// Time of one layer's attention in a prefill, on one rank of a group of `tp`: `how_many` sequences of `new_tokens` behind
/// `prefix` cached ones (cross-attention: behind the encoder's tokens). FLOP: 2·heads/tp·(d_k + d_v) a pair of
/// `attention_pairs`. `scores` is the arithmetic of the products: 8 bits where an engine's kernels take an 8-bit cache so, and
/// then neither latents nor a wider cache (`bad_load`).
///
/// An indexer's scores and choice are part of it (`scored_pairs`, `attends_densely`), and its projections are not.
/// Nothing to do, a negative length or a layer without heads: `bad_load`; blocks that an indexer picks: `not_modelled`.
inline op_time prefill_attention(const attention& a, const number_format& cache, sequences how_many, tokens new_tokens,
                                 tokens prefix, std::int64_t tp, const accelerator& part, const constants& c,
                                 math scores = math::bf16) noexcept {
  const time_problem p = detail::attention_problem(a, cache, tp, part, how_many);
  if (p != time_problem::none) return detail::no_time(p);
  const bool needs_prefix = a.kind == attention_kind::cross;
  if (new_tokens < of<tokens>(1) || prefix < of<tokens>(needs_prefix ? 1 : 0) || overflowed(new_tokens) ||
      overflowed(prefix) || (a.kind == attention_kind::encoder && prefix > tokens{}))
    return detail::no_time(time_problem::bad_load);
  const bool narrow_scores = scores == math::fp8 || scores == math::int8;
  if (narrow_scores && (a.kind == attention_kind::latent || cache.element_bits > 8))
    return detail::no_time(time_problem::bad_load);
  const math runs = math_on(part, scores);
  const double peak = value_of(part.peak(runs));
  if (!(peak > 0)) return detail::no_time(time_problem::no_peak);
  if (gathers_entries(a) && !attends_densely(a, real(prefix) + real(new_tokens)))
    return detail::finish_attention(
        detail::sparse_prefill_cost(a, detail::gathered_on_rank(a, cache, static_cast<double>(tp)), real(how_many),
                                    real(new_tokens), real(prefix), peak, detail::peak_8bit(part, peak),
                                    value_of(part.bandwidth), c.attention.sparse),
        scores, runs, part);
  const detail::local_attention l = detail::attention_on_rank(a, cache, static_cast<double>(tp), 1);
  return detail::finish_attention(
      detail::prefill_attention_cost(a, l, cache.element_bits <= 8, real(how_many), real(new_tokens), real(prefix),
                                     runs, peak, value_of(part.bandwidth), c.attention),
      scores, runs, part);
}

/// Time of one layer's attention in a decode step, on one rank of a group of `tp`: `how_many` sequences of `context`
/// cached tokens (cross-attention: of the encoder's tokens). Bytes: `attended_tokens` · kv_per_token (full: max(1,
/// kv_heads/tp) heads; latent: whole on every rank), and an indexer's keys, index_dim + 4 B each.
///
/// Bad input as in `prefill_attention`; an encoder's layer has no decode step: `no_decode`.
inline op_time decode_attention(const attention& a, const number_format& cache, sequences how_many, tokens context,
                                std::int64_t tp, const accelerator& part, const constants& c) noexcept {
  const time_problem p = detail::attention_problem(a, cache, tp, part, how_many);
  if (p != time_problem::none) return detail::no_time(p);
  if (a.kind == attention_kind::encoder) return detail::no_time(time_problem::no_decode);
  if (context < of<tokens>(a.kind == attention_kind::cross ? 1 : 0) || overflowed(context))
    return detail::no_time(time_problem::bad_load);
  const math runs = math_on(part, math::bf16);
  if (gathers_entries(a)) {
    const double peak = value_of(part.peak(runs));
    return detail::finish_attention(
        detail::sparse_decode_cost(a, detail::gathered_on_rank(a, cache, static_cast<double>(tp)),
                                   cache.element_bits <= 8, real(how_many), real(context), 1, peak,
                                   detail::peak_8bit(part, peak), value_of(part.bandwidth), c.attention.sparse),
        math::bf16, runs, part);
  }
  const detail::local_attention l = detail::attention_on_rank(a, cache, static_cast<double>(tp), 1);
  return detail::finish_attention(
      detail::decode_attention_cost(a, l, cache.element_bits <= 8, real(how_many), real(context), 1,
                                    value_of(part.peak(runs)), value_of(part.bandwidth), c.attention),
      math::bf16, runs, part);
}

}  // namespace ullage::inline v0
