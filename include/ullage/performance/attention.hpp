// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/memory/kv_cache.hpp>
#include <ullage/performance/roofline.hpp>

namespace ullage::inline v0 {

/// Query-key pairs of a causal prefill of `new_tokens` behind `prefix` cached ones: new·prefix + new·(new + 1)/2.
constexpr double causal_pairs(double new_tokens, double prefix) noexcept {
  return new_tokens * prefix + new_tokens * (new_tokens + 1) / 2;
}

namespace detail {

/// What a layer's attention is on one rank of a tensor-parallel group.
struct local_attention {
  double heads = 0;
  double score_dim = 0;  ///< elements of a query-key product in a prefill (latent: with the rotary part)
  double value_dim = 0;
  double decode_flop = 0;  ///< of one query token and one cached token, all local heads
  double cache_bytes = 0;  ///< of one token
};

/// full: 2·heads·(key_dim + value_dim) FLOP a pair, cache of max(1, kv_heads/tp) heads.
/// latent, absorbed: 2·heads·((latent_rank + rope_dim) + latent_rank) FLOP a pair, (latent_rank + rope_dim)·e bytes,
/// whole on every rank.
constexpr local_attention attention_on_rank(const attention& a, const number_format& cache, double tp,
                                            double dcp) noexcept {
  local_attention l;
  // Decode context parallelism gathers the queries of its ranks and divides the context among them.
  l.heads = static_cast<double>(a.heads) / tp;
  l.value_dim = static_cast<double>(a.value_dim);
  const double element = bytes_per_element(cache);
  switch (a.kind) {
    case attention_kind::none: return {};
    case attention_kind::latent:
      l.score_dim = static_cast<double>(a.key_dim + a.rope_dim);
      l.decode_flop = 2 * l.heads * dcp * static_cast<double>(2 * a.latent_rank + a.rope_dim);
      l.cache_bytes = element * static_cast<double>(a.latent_rank + a.rope_dim);
      break;
    case attention_kind::encoder:
    case attention_kind::sliding:
    case attention_kind::chunked:
    case attention_kind::cross:
    case attention_kind::full: {
      const double kv_heads = static_cast<double>(local_kv_heads(a, static_cast<std::int64_t>(tp)));
      l.score_dim = static_cast<double>(a.key_dim);
      l.decode_flop = 2 * l.heads * dcp * static_cast<double>(a.key_dim + a.value_dim);
      l.cache_bytes = element * kv_heads * static_cast<double>(a.key_dim + a.value_dim);
      break;
    }
  }
  return l;
}

/// Prefill of `sequences_n` sequences, `new_tokens` each behind `prefix`: 2·heads·(score_dim + value_dim) FLOP a pair;
/// bytes: queries and results of the new tokens, and the cache once.
inline cost prefill_attention_cost(const local_attention& l, double sequences_n, double new_tokens, double prefix,
                                   const rates& r, const constants& c) noexcept {
  const math runs = r.as(math::bf16);
  const double keys = new_tokens + prefix;
  const double flop = sequences_n * 2 * l.heads * (l.score_dim + l.value_dim) * causal_pairs(new_tokens, prefix);
  const double moved = sequences_n * (2 * new_tokens * l.heads * (l.score_dim + l.value_dim) + keys * l.cache_bytes);
  // Softmax and the ends of tiles cost what prefill_half_tokens more keys would.
  const double roll_off = 1 + c.attention.prefill_half_tokens / (keys > 1 ? keys : 1);
  return roofline(flop * roll_off, moved, r.peak(runs), r.bandwidth_bytes_per_s, c.attention.prefill);
}

/// One new token for each of `sequences_n` sequences of `context` cached tokens: the cache is streamed once.
inline cost decode_attention_cost(const local_attention& l, bool narrow_cache, double sequences_n, double context,
                                  const rates& r, const constants& c, double dcp) noexcept {
  const math runs = r.as(math::bf16);
  const double cached = sequences_n * (context + 1) / dcp;
  kernel_constants k = c.attention.decode;
  if (narrow_cache) k.memory = c.attention.decode_narrow;
  const double moved = cached * l.cache_bytes + 2 * sequences_n * l.heads * dcp * (l.score_dim + l.value_dim);
  return roofline(cached * l.decode_flop, moved, r.peak(runs), r.bandwidth_bytes_per_s, k);
}

constexpr time_problem attention_problem(const attention& a, const number_format& cache, std::int64_t tp,
                                         const accelerator& part, double how_many) noexcept {
  if (a.kind == attention_kind::none || a.heads < 1 || tp < 1 || !(how_many > 0)) return time_problem::bad_load;
  if (cache.element_bits <= 0) return time_problem::unknown_format;
  if (part.bandwidth <= bytes_per_second{}) return time_problem::no_bandwidth;
  if (part.peak(math_on(part, math::bf16)) <= flops_per_second{}) return time_problem::no_peak;
  return time_problem::none;
}

}  // namespace detail

/// Time of one layer's causal attention in a prefill, on one rank of a group of `tp`: `how_many` sequences of
/// `new_tokens` behind `prefix` cached ones. FLOP: 2·heads/tp·(d_k + d_v)·(new·prefix + new·(new+1)/2).
inline op_time prefill_attention(const attention& a, const number_format& cache, sequences how_many, tokens new_tokens,
                                 tokens prefix, std::int64_t tp, const accelerator& part, const constants& c) noexcept {
  const time_problem p = detail::attention_problem(a, cache, tp, part, real(how_many));
  if (p != time_problem::none) return detail::no_time(p);
  if (new_tokens < of<tokens>(1) || prefix < tokens{}) return detail::no_time(time_problem::bad_load);
  const detail::rates r = detail::rates_of(part);
  const detail::local_attention l = detail::attention_on_rank(a, cache, static_cast<double>(tp), 1);
  detail::cost k = detail::prefill_attention_cost(l, real(how_many), real(new_tokens), real(prefix), r, c);
  k.from = weaker(k.from, weaker(r.bandwidth_from, r.peaks_from));
  return detail::finish(k, math::bf16, r.as(math::bf16));
}

/// Time of one layer's attention in a decode step, on one rank of a group of `tp`: `how_many` sequences of `context`
/// cached tokens. Bytes: context · kv_per_token (full: max(1, kv_heads/tp) heads; latent: whole on every rank).
inline op_time decode_attention(const attention& a, const number_format& cache, sequences how_many, tokens context,
                                std::int64_t tp, const accelerator& part, const constants& c) noexcept {
  const time_problem p = detail::attention_problem(a, cache, tp, part, real(how_many));
  if (p != time_problem::none) return detail::no_time(p);
  if (context < tokens{}) return detail::no_time(time_problem::bad_load);
  const detail::rates r = detail::rates_of(part);
  const detail::local_attention l = detail::attention_on_rank(a, cache, static_cast<double>(tp), 1);
  detail::cost k = detail::decode_attention_cost(l, cache.element_bits <= 8, real(how_many), real(context), r, c, 1);
  k.from = weaker(k.from, weaker(r.bandwidth_from, r.peaks_from));
  return detail::finish(k, math::bf16, r.as(math::bf16));
}

}  // namespace ullage::inline v0
