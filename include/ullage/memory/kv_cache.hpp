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
  bytes fixed_per_sequence{};  ///< recurrent states and the like; 0 for pure attention
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
constexpr bytes kv_per_token(const attention& a, const number_format& f, std::int64_t tp) noexcept {
  return cache_row(f, a.cache_elements(local_kv_heads(a, tp)));
}

/// What one rank of a stage holds of `how_many` sequences of `context` tokens, as the architecture needs it.
constexpr kv_bytes kv_cache_of_rank(const transformer& m, tokens context, sequences how_many, const number_format& f,
                                    const layout& l, const stage& s) noexcept {
  kv_bytes k;
  const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
  for (std::size_t i = 0; i < m.kinds.size(); ++i)
    if (kinds.of[i] > 0) k.per_token += kv_per_token(m.kinds[i].attention, f, l.tp) * count(kinds.of[i]);
  k.per_sequence = k.fixed_per_sequence + k.per_token * ceil_div(context.value(), count(l.dcp));
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
