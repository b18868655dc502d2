// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/memory/kv_cache.hpp>
#include <ullage/performance/attention_constants.hpp>
#include <ullage/performance/roofline.hpp>

// What attention is as work: pairs, FLOP, bytes, and the place of a shape in the residual grids.
namespace ullage::inline v0 {

/// Query-key pairs of a causal prefill of `new_tokens` behind `prefix` cached ones: new·prefix + new·(new + 1)/2.
constexpr double causal_pairs(double new_tokens, double prefix) noexcept {
  return new_tokens * prefix + new_tokens * (new_tokens + 1) / 2;
}

/// Whether a layer reads single cache entries: chosen ones, those of a compressed stream, or a window whose one head of keys
/// is the values too.
constexpr bool gathers_entries(const attention& a) noexcept {
  return a.index_topk > 0 || a.stride > 1 || (a.kind == attention_kind::sliding && a.value_dim == 0);
}

namespace detail {

/// Σ min(i, most) over i = 1 … n; most 0: no bound.
constexpr double bounded_sum(double n, double most) noexcept {
  return most > 0 && n > most ? most * (most + 1) / 2 + (n - most) * most : n * (n + 1) / 2;
}
/// Entries that the first n queries of a sequence read: ⅟stride of the tokens each, at most index_topk, and beside a stream
/// the window.
constexpr double entries_until(const attention& a, double n) noexcept {
  const double s = static_cast<double>(a.stride);
  const double chosen = bounded_sum(n, static_cast<double>(a.index_topk) * s) / s;
  return a.stride > 1 && a.window > 0 ? chosen + bounded_sum(n, static_cast<double>(a.window)) : chosen;
}

}  // namespace detail

/// Query-key pairs of `new_tokens` behind `prefix` cached ones under the layer's mask. sliding: query i sees min(i + 1, window)
/// keys; chunked: i mod window + 1; encoder: all new tokens see each other; cross: `prefix` is what the encoder left; an
/// indexer: min((i + 1)/stride, index_topk) entries; a compressed stream: and its window's.
constexpr double attention_pairs(const attention& a, double new_tokens, double prefix) noexcept {
  const double w = static_cast<double>(a.window);
  const auto triangle = [](double n) { return n * (n + 1) / 2; };
  const double end = prefix + new_tokens;
  switch (a.kind) {
    case attention_kind::none: return 0;
    case attention_kind::encoder: return new_tokens * new_tokens;
    case attention_kind::cross: return new_tokens * prefix;
    case attention_kind::full: break;
    case attention_kind::latent:
      if (!gathers_entries(a)) break;
      return detail::entries_until(a, end) - detail::entries_until(a, prefix);
    case attention_kind::sliding: {
      if (!(w > 0)) break;
      const auto until = [&](double n) { return n <= w ? triangle(n) : triangle(w) + (n - w) * w; };
      return until(end) - until(prefix);
    }
    case attention_kind::chunked: {
      if (!(w > 0)) break;
      const auto until = [&](double n) {
        const double chunks = static_cast<double>(static_cast<std::int64_t>(n / w));
        return chunks * triangle(w) + triangle(n - chunks * w);
      };
      return until(end) - until(prefix);
    }
  }
  return causal_pairs(new_tokens, prefix);
}

/// Cached tokens that a decode step of a layer reads for a sequence with `context` of them, its own new one among them:
/// context + 1, at most the window or chunk; cross: the encoder's tokens, `context` of them; an indexer or a compressed stream:
/// min((context + 1)/stride, index_topk) entries and those of the window beside the stream.
constexpr double attended_tokens(const attention& a, double context) noexcept {
  if (a.kind == attention_kind::none || a.kind == attention_kind::encoder) return 0;
  if (a.kind == attention_kind::cross) return context;
  const double all = context + 1;
  if (a.kind == attention_kind::latent && gathers_entries(a)) {
    const double most = static_cast<double>(a.index_topk);
    const double entries = all / static_cast<double>(a.stride);
    const double beside = a.stride > 1 ? static_cast<double>(a.window) : 0.0;
    return (most > 0 && most < entries ? most : entries) + (beside < all ? beside : all);
  }
  const bool bounded = a.kind == attention_kind::sliding || a.kind == attention_kind::chunked;
  const double w = static_cast<double>(a.window);
  return bounded && w > 0 && w < all ? w : all;
}

/// One prompt of as much causal work as a ragged batch of them: √(Σ S²) tokens. Kernels take about a tenth longer for a
/// ragged batch than for it.
template <class Lengths>
double equivalent_length(const Lengths& lengths) noexcept {
  double squares = 0;
  for (const auto& s : lengths) {
    const double n = real(s);
    squares += n * n;
  }
  return std::sqrt(squares);
}

namespace detail {

/// What a layer's attention is on one rank of a tensor-parallel group.
struct local_attention {
  double heads = 0;
  double kv_heads = 0;   ///< latent: 1, which every head reads
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
  if (a.kind == attention_kind::none) return l;
  // Decode context parallelism gathers the queries of its ranks and divides the context among them.
  l.heads = static_cast<double>(a.heads) / tp;
  l.value_dim = static_cast<double>(a.value_dim);
  const double element = bytes_per_element(cache);
  if (a.kind == attention_kind::latent) {
    l.kv_heads = 1;
    l.score_dim = static_cast<double>(a.key_dim + a.rope_dim);
    l.decode_flop = 2 * l.heads * dcp * static_cast<double>(2 * a.latent_rank + a.rope_dim);
    l.cache_bytes = element * static_cast<double>(a.latent_rank + a.rope_dim);
    return l;
  }
  l.kv_heads = static_cast<double>(local_kv_heads(a, static_cast<std::int64_t>(tp)));
  l.score_dim = static_cast<double>(a.key_dim);
  l.decode_flop = 2 * l.heads * dcp * static_cast<double>(a.key_dim + a.value_dim);
  l.cache_bytes = element * l.kv_heads * static_cast<double>(a.key_dim + a.value_dim);
  return l;
}

/// A kernel's work, and where its shape lies in the grids.
struct attention_work {
  double flop = 0;
  double moved_bytes = 0;
  double at[3]{};   ///< rough_log2 of sequences × heads, length, heads that share keys
  double kind = 0;  ///< head size as a place among 64, 128, 192, 256 and 512; windows five further
};

/// Kernels are made for few head sizes: 64, 128, 192, 256 and 512 at 0 to 4.
constexpr double kind_place(double head_dim, bool windowed) noexcept {
  double place = head_dim <= 256 ? head_dim * (1.0 / 64) - 1 : 2 + head_dim * (1.0 / 256);
  place = place > 0 ? place : 0;
  return (place < 4 ? place : 4) + (windowed ? 5 : 0);
}
constexpr bool has_window(const attention& a) noexcept {
  return (a.kind == attention_kind::sliding || a.kind == attention_kind::chunked) && a.window > 0;
}

/// Length of one causal prompt without a prefix that has so many pairs: where a prefill is looked up.
inline double prompt_of_pairs(double pairs, double window) noexcept {
  const double inside = window * (window + 1) / 2;
  if (window > 0 && pairs > inside) return window + (pairs - inside) / window;
  return (std::sqrt(8 * pairs + 1) - 1) / 2;
}

/// Prefill of n sequences, `new_tokens` each behind `prefix`: 2·heads·(score_dim + value_dim) FLOP a pair; bytes: queries
/// and results of the new tokens, and every key and value that they may see once (latent: expanded to all heads).
inline attention_work prefill_work(const attention& a, const local_attention& l, double n, double new_tokens,
                                   double prefix) noexcept {
  const double pairs = attention_pairs(a, new_tokens, prefix);
  const double w = has_window(a) ? static_cast<double>(a.window) : 0.0;
  const double dims = l.heads * (l.score_dim + l.value_dim);
  double before = prefix;  // cached tokens that some query sees
  if (w > 0 && before > w - 1) before = w - 1;
  attention_work k;
  k.flop = n * 2 * dims * pairs;
  if (a.kind == attention_kind::latent)
    k.moved_bytes = n * 2 * dims * (new_tokens + before + new_tokens);
  else if (a.kind == attention_kind::cross)
    k.moved_bytes = n * (2 * dims * new_tokens + l.cache_bytes * prefix);
  else
    k.moved_bytes = n * (2 * dims * new_tokens + l.cache_bytes * (before + new_tokens));
  k.at[0] = rough_log2(a.kind == attention_kind::latent ? n : n * l.heads);
  k.at[1] = rough_log2(prompt_of_pairs(pairs, w));
  k.at[2] = rough_log2(a.kind == attention_kind::latent ? l.heads : l.heads / l.kv_heads);
  k.kind = kind_place((l.score_dim + l.value_dim) / 2, w > 0);
  return k;
}

/// One new token for each of n sequences with `context` cached: the cache is streamed once, and divided by dcp.
inline attention_work decode_work(const attention& a, const local_attention& l, double n, double context,
                                  double dcp) noexcept {
  const double each = attended_tokens(a, context) / dcp;
  attention_work k;
  k.flop = n * each * l.decode_flop;
  // Queries and results in 16 bits: as many bytes as a pair has FLOP, 2·heads·(elements of both).
  k.moved_bytes = n * (each * l.cache_bytes + l.decode_flop);
  k.at[0] = rough_log2(n * l.kv_heads);
  k.at[1] = rough_log2(each > 1 ? each : 1);
  k.at[2] = rough_log2(l.heads * dcp / l.kv_heads);
  k.kind = kind_place((l.score_dim + l.value_dim) / 2, has_window(a));
  return k;
}

/// Half-width of the band at the nearest node.
inline double spread_at(const residual_grid& g, const grid_place& x, const grid_place& y,
                        const grid_place& z) noexcept {
  return g.nodes[nearest(x) * g.stride[0] + nearest(y) * g.stride[1] + nearest(z) * g.stride[2]] * spread_unit;
}

/// The roofline with what it leaves over. Beyond what was measured the edge's residual holds and the band doubles: a
/// residual that ended there would make longer contexts quicker.
inline cost attention_cost(const attention_work& w, double peak_flop_per_s, double bandwidth_bytes_per_s,
                           const attention_fit& f) noexcept {
  cost t = roofline(w.flop, w.moved_bytes, peak_flop_per_s, bandwidth_bytes_per_s, f.kernel);
  if (f.grids == nullptr) return t;
  const residual_grid& g = f.grids->shape;
  double left = interpolated(g, place_on(g, 0, w.at[0]), place_on(g, 1, w.at[1]), place_on(g, 2, w.at[2]));
  const residual_grid& spread = f.grids->spread;  // over the same box as the kinds, where there are any
  const grid_place x = place_on(spread, 0, w.at[0]);
  const grid_place y = place_on(spread, 1, w.at[1]);
  const grid_place z = place_on(spread, 2, w.kind);
  if (f.grids->kind.nodes != nullptr) left += interpolated(f.grids->kind, x, y, z);
  const double half = spread_at(spread, x, y, z);
  const double outside = beyond_hull(g, w.at[0], w.at[1], w.at[2]);
  apply(t, {node_exp(left), (half > 0 ? half : f.kernel.scatter) * (outside <= 0 ? 1 : 2)});
  return t;
}

}  // namespace detail

}  // namespace ullage::inline v0
