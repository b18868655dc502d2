// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/terms.hpp>

namespace ullage::inline v0 {

/// How an engine cuts the cache of one rank into blocks. Uniform models (every layer caches alike, full or latent):
/// page = block_tokens · bytes of one token and layer; a block is one page in each layer of the stage.
struct block_shape {
  tokens block_tokens{};
  bytes page{};            ///< of one layer
  count layers{};          ///< caching layers of the stage
  bytes block{};           ///< page · layers: what one block costs on this rank
  std::int64_t dcp = 1;    ///< decode context parallel: a block of each rank holds block_tokens of dcp·block_tokens
};

constexpr block_shape blocks_of(const transformer& m, const engine& e, const layout& l, const stage& s) noexcept {
  block_shape b;
  b.block_tokens = block_tokens_in(e);
  b.dcp = l.dcp;
  const number_format f = kv_format_in(e, m);
  const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    if (kinds.of[k] == 0) continue;
    const attention& a = m.kinds[k].attention;
    if (a.kind == attention_kind::none) continue;
    bytes token = kv_per_token(a, f, l.tp);
    if (a.kind == attention_kind::latent && e.rules.latent_cache == 0) {
      // Before latent caches K and V were expanded to the padded width of the query heads.
      token = cache_row(f, ceil_div(count(a.heads), count(l.tp)) * count(2 * (a.key_dim + a.rope_dim)));
    }
    const bytes page = token * b.block_tokens.value();
    b.page = b.page < page ? page : b.page;
    b.layers += count(kinds.of[k]);
    b.block += page * count(kinds.of[k]);
  }
  return b;
}

/// Blocks of one sequence of `context` tokens: ⌈context / (block_tokens·dcp)⌉.
constexpr count blocks_per_sequence(const block_shape& b, tokens context) noexcept {
  return ceil_div(context.value(), b.block_tokens.value() * count(b.dcp));
}

/// Bytes that the allocator takes for `how_many` sequences of `context` tokens on this rank.
constexpr bytes charged_kv(const block_shape& b, tokens context, sequences how_many, const engine_rules& r) noexcept {
  if (how_many == sequences{}) return bytes{};
  return b.block * (blocks_per_sequence(b, context) * how_many.value() + truncate(r.null_blocks));
}

/// What the engine makes of the bytes it has for the cache, and prints.
struct cache_report {
  count blocks{};           ///< KV available ÷ page ÷ layers, the least over the ranks
  tokens reported{};        ///< "GPU KV cache size"
  double max_concurrency = 0;  ///< blocks ÷ blocks of one sequence of max_model_len
};

constexpr count blocks_in(const block_shape& b, bytes available) noexcept {
  if (available <= bytes{} || b.block <= bytes{}) return count(0);
  return floor_div(available.value(), b.block.value());
}
constexpr cache_report report(const block_shape& b, count blocks, tokens max_model_len, const engine_rules& r) noexcept {
  cache_report c;
  c.blocks = blocks;
  const count each = blocks_per_sequence(b, max_model_len);
  c.max_concurrency = each > count(0) ? ratio(blocks, each) : 0.0;
  c.reported = of<tokens>(r.tokens_from_concurrency > 0 ? truncate(c.max_concurrency * real(max_model_len))
                                                        : blocks * b.block_tokens.value() * count(b.dcp));
  return c;
}

}  // namespace ullage::inline v0
