// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/detail/static_list.hpp>
#include <ullage/engine/terms.hpp>

namespace ullage::inline v0 {

/// Layers that an engine caches alike: one block of a group is one page in each of its layers.
struct cache_group {
  attention_kind kind = attention_kind::none;
  count layers{};
  bytes page{};  ///< of one layer: block_tokens · bytes of one token and layer

  // Written out: g++ 12 takes an array of this struct as an aggregate for no constant.
  constexpr cache_group() noexcept : kind(attention_kind::none), layers(0), page(bytes::from_value(count(0))) {}
  constexpr cache_group(attention_kind k, count n, bytes p) noexcept : kind(k), layers(n), page(p) {}
};

/// How an engine cuts the cache of one rank into blocks. A model whose layers cache alike has one group.
struct cache_layout {
  static constexpr std::size_t most_groups = 8;

  tokens block_tokens{};
  std::int64_t dcp = 1;  ///< decode context parallel: a rank's block holds block_tokens of dcp·block_tokens tokens
  detail::static_list<cache_group, most_groups> groups{};
  bytes block{};  ///< what one block costs on this rank: the pages of all groups

  /// The largest page of a layer.
  constexpr bytes page() const noexcept {
    count most(0);
    for (const cache_group& g : groups) most = larger(most, g.page.value());
    return of<bytes>(most);
  }
};

namespace detail {
/// Head width that attention kernels of old took: the next power of two.
constexpr std::int64_t padded_head(std::int64_t width) noexcept {
  std::int64_t p = 1;
  while (p < width) p *= 2;
  return p;
}
}  // namespace detail

/// The cache layout of one rank of a stage.
constexpr cache_layout cache_layout_of(const transformer& m, const engine& e, const layout& l,
                                       const stage& s) noexcept {
  cache_layout b;
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
      // Before latent caches K and V were expanded to the query heads, each padded to a width that the kernels take.
      token =
          cache_row(f, ceil_div(count(a.heads), count(l.tp)) * count(2 * detail::padded_head(a.key_dim + a.rope_dim)));
    }
    const bytes page = token * b.block_tokens.value();
    b.block += page * count(kinds.of[k]);
    // Kinds of layers that differ only in their feed-forward share a group.
    cache_group* same = nullptr;
    for (cache_group& g : b.groups)
      if (g.kind == a.kind && g.page == page) same = &g;
    if (same != nullptr)
      same->layers += count(kinds.of[k]);
    else
      b.groups.push_back({a.kind, count(kinds.of[k]), page});
  }
  return b;
}

/// Blocks that one sequence of `context` tokens takes: ⌈context / (block_tokens·dcp)⌉. It never falls as context grows.
constexpr count blocks_per_sequence(const cache_layout& b, tokens context) noexcept {
  return ceil_div(context.value(), b.block_tokens.value() * count(b.dcp));
}

/// Bytes that the allocator takes for `how_many` sequences of `context` tokens on this rank.
constexpr bytes charged_kv(const cache_layout& b, tokens context, sequences how_many, const engine_rules& r) noexcept {
  if (how_many == sequences{}) return bytes{};
  return b.block * (blocks_per_sequence(b, context) * how_many.value() + truncate(r.null_blocks));
}

/// What the engine makes of the bytes it has for the cache, and prints.
struct cache_report {
  count blocks{};              ///< KV available ÷ page ÷ layers, the least over the ranks
  tokens reported{};           ///< "GPU KV cache size"
  double max_concurrency = 0;  ///< blocks ÷ blocks of one sequence of max_model_len
};

/// Whole blocks in so many bytes; overflowed when either is.
constexpr count blocks_in(const cache_layout& b, bytes available) noexcept {
  if (overflowed(available) || overflowed(b.block)) return count::overflow();
  if (available <= bytes{} || b.block <= bytes{}) return count(0);
  return floor_div(available.value(), b.block.value());
}
constexpr cache_report report(const cache_layout& b, count blocks, tokens max_model_len,
                              const engine_rules& r) noexcept {
  cache_report c;
  c.blocks = blocks;
  const count each = blocks_per_sequence(b, max_model_len);
  c.max_concurrency = each > count(0) && !blocks.overflowed() ? ratio(blocks, each) : 0.0;
  c.reported = of<tokens>(r.tokens_from_concurrency > 0 ? truncate(c.max_concurrency * real(max_model_len))
                                                        : blocks * b.block_tokens.value() * count(b.dcp));
  return c;
}

}  // namespace ullage::inline v0
