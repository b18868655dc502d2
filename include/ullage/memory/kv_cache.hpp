// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/memory/layout.hpp>
#include <ullage/memory/weights.hpp>

namespace ullage::inline v0 {

/// Logical bytes of a KV cache: what the architecture needs, before any allocator.
struct kv_bytes {
  bytes total{};
  bytes per_sequence{};
  bytes per_token{};           ///< marginal rate of one more token of one sequence
  bytes fixed_per_sequence{};  ///< recurrent states and the encoder's keys; 0 for pure attention
  bool linear = true;          ///< grows by `per_token` with every token; windows and strides do not
};

/// Bytes of `elements` cached numbers: element bits and block scales, without the scale of a whole tensor.
constexpr bytes cache_row(const number_format& f, count elements) noexcept {
  number_format row = f;
  row.tensor_bytes = 0;
  if (row.block_rows > 1) row.block_cols = 0;  // two-dimensional blocks belong to weights
  return row.storage(elements);
}

/// KV heads of one layer on one rank: kv_heads / tp, at least one (replicated when tp is larger).
constexpr count local_kv_heads(const attention& a, std::int64_t tp) noexcept {
  if (a.kind == attention_kind::none) return count(0);
  return count(a.kv_heads >= tp ? a.kv_heads / tp : 1);
}

/// Bytes of one token in one layer on one rank of a tensor-parallel group.
///
/// full: max(1, kv_heads/tp)·(key_dim + value_dim)·e. latent: (latent_rank + rope_dim)·e, whole on every rank.
/// A sparse indexer adds index_dim + 4 B, whole on every rank. fp8_ds_mla: latent_rank + 4·latent_rank/128 + 2·rope_dim.
constexpr bytes kv_per_token(const attention& a, const number_format& f, std::int64_t tp) noexcept {
  const bytes row = f == formats::fp8_ds_mla && a.kind == attention_kind::latent
                        ? of<bytes>(count(a.latent_rank) + ceil_div(count(a.latent_rank), count(128)) * count(4) +
                                    count(a.rope_dim) * count(2))
                        : cache_row(f, a.cache_elements(local_kv_heads(a, tp)));
  return a.index_dim > 0 ? row + of<bytes>(a.index_dim + 4) : row;
}

/// Entries that one layer keeps of a sequence of `context` tokens: all of them, ⌈context/stride⌉, at most the window, or the
/// encoder's tokens.
constexpr count cached_entries(const attention& a, tokens context, std::int64_t encoder_tokens) noexcept {
  const count all = ceil_div(context.value(), count(a.stride));
  switch (a.kind) {
    case attention_kind::none:
    case attention_kind::encoder: return count(0);
    case attention_kind::full:
    case attention_kind::latent: return all;
    case attention_kind::sliding:
    case attention_kind::chunked: return smaller(all, count(a.window));
    case attention_kind::cross: return count(encoder_tokens);
  }
  return all;
}

/// What one sequence leaves in a recurrent layer on one rank: ⌈state/tp⌉ · state_bits/8 + ⌈conv/tp⌉ · bytes of an activation.
/// With `drafted` tokens that may be taken back the convolution keeps as many inputs more.
constexpr bytes recurrent_state(const recurrent& r, const number_format& activation, std::int64_t tp,
                                std::int64_t drafted = 0) noexcept {
  if (r.kind == recurrent_kind::none) return bytes{};
  const count state = ceil_div(ceil_div(count(r.state), count(tp)) * count(r.state_bits), count(8));
  count conv(r.conv);
  if (drafted > 0 && r.taps > 0) conv = floor_div(conv, count(r.taps)) * (count(r.taps) + count(drafted));
  return of<bytes>(state) + activation.storage(ceil_div(conv, count(tp)));
}

/// Whether every layer caches every token alike, as engines with one pool of blocks do.
constexpr bool caches_alike(const transformer& m) noexcept {
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const layer_kind& k = m.layer(i);
    const attention& a = k.attention;
    const bool plain = (a.kind == attention_kind::full || a.kind == attention_kind::latent) && !a.shares_cache &&
                       a.index_dim == 0 && a.stride == 1;
    if (!plain || k.recurrent.kind != recurrent_kind::none) return false;
  }
  return m.encoder_layers == 0;
}

/// What one rank of a stage holds of `how_many` sequences of `context` tokens, as the architecture needs it.
constexpr kv_bytes kv_cache_of_rank(const transformer& m, tokens context, sequences how_many, const number_format& f,
                                    const layout& l, const stage& s) noexcept {
  kv_bytes k;
  const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
  for (std::size_t i = 0; i < m.kinds.size(); ++i) {
    if (kinds.of[i] == 0) continue;
    const count layers(kinds.of[i]);
    const attention& a = m.kinds[i].attention;
    const bytes entry = kv_per_token(a, f, l.tp);
    const count kept = cached_entries(a, context, m.encoder_tokens);
    k.fixed_per_sequence += recurrent_state(m.kinds[i].recurrent, m.activation, l.tp) * layers;
    if (a.kind == attention_kind::cross) {
      k.fixed_per_sequence += entry * kept * layers;
      continue;
    }
    k.per_sequence += entry * ceil_div(kept, count(l.dcp)) * layers;
    // Beside a compressed stream stand the last tokens, each with an entry of its own but without an index (DeepSeek-V4).
    if (a.stride > 1 && a.window > 0)
      k.per_sequence += cache_row(f, a.cache_elements(local_kv_heads(a, l.tp))) *
                        smaller(context.value(), count(a.window)) * layers;
    if (entry > bytes{} && (a.stride > 1 || a.window > 0)) k.linear = false;
    // One more token adds an entry unless the window is full.
    if (a.stride == 1 && (a.window == 0 || context.value() < count(a.window))) k.per_token += entry * layers;
  }
  k.per_sequence += k.fixed_per_sequence;
  k.total = k.per_sequence * how_many.value();
  return k;
}

/// Logical KV cache of `how_many` sequences of `context` tokens, on one device that holds the whole model.
///
/// Llama-3.1-70B in bf16: 2·80·8·128·2 = 327,680 B a token. DeepSeek-V3: 61·(512+64)·2 = 70,272 B a token.
constexpr kv_bytes kv_cache(const transformer& m, tokens context, sequences how_many, const number_format& f) noexcept {
  return kv_cache_of_rank(m, context, how_many, f, layout{}, stage_of(m, layout{}, 0));
}

}  // namespace ullage::inline v0
