// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/cache_groups.hpp>
#include <ullage/engine/cache_streams.hpp>

namespace ullage::inline v0 {

/// The cache layout of one rank of a stage. `in_flight`: tokens of the steps under way at once.
///
/// Layers that cache alike share a block table (detail::pool_alike); unlike ones are brought to equal pages and dealt out to
/// tables (detail::pool_unlike); compressed streams are packed in a way of their own (detail::pool_streams). Without a pool
/// (the plain engine) each kind of layer is charged for itself.
constexpr cache_layout cache_layout_of(const transformer& m, const engine& e, const layout& l, const stage& s,
                                       tokens in_flight = {}) noexcept {
  cache_layout b;
  b.dcp = l.dcp;
  b.in_flight = in_flight.value();
  const bool vllm = e.kind == engine_kind::vllm;
  if (vllm && e.speculative.method == draft_method::mtp && m.mtp_layers > 1 && e.rules.retained_drafts > 0)
    b.retained = count(e.speculative.num_tokens - 1);
  b.state_blocks = count(1) + count(e.speculative.num_tokens);  // a state before each token that may be refused
  if (vllm && e.options.enable_prefix_caching) b.state_blocks += truncate(e.rules.state_snapshots);
  if (vllm && detail::has_streams(m)) {
    detail::layout_of_streams(b, m, e, s);
    return b;
  }
  detail::collect_caches(b, m, e, l, s);
  bool latent = false;
  for (const layer_kind& k : m.kinds) latent = latent || k.attention.kind == attention_kind::latent;
  count entries = block_tokens_in(e).value();
  if (vllm) entries = detail::block_beside_states(b, entries, count(latent ? 128 : 16));
  b.block_tokens = of<tokens>(entries);
  const bool alike = detail::cache_alike(b);
  detail::cut_pages(b, entries);
  if (b.groups.empty()) return b;
  if (alike)
    detail::pool_alike(b);
  else if (vllm)
    detail::pool_unlike(b, e.rules);
  else
    b.pooled = false;
  return b;
}

/// Blocks that one sequence of `context` tokens takes of one block table. Never falls as context grows.
///
/// Every token: ⌈context/(block·dcp)⌉. A window of w: ⌈min(w − 1 + retained + in flight, context)/block⌉ + 1; a chunk of c:
/// ⌈min(c + in flight, context)/block⌉. Without a pool the window alone.
constexpr count blocks_of_group(const cache_layout& b, const cache_group& g, tokens context) noexcept {
  const count n = context.value();
  if (n <= count(0)) return count(0);
  switch (g.use) {
    case cache_use::every_token: return ceil_div(n, g.block_tokens * count(b.dcp));
    case cache_use::window:
      return b.pooled && b.in_flight > count(0)
                 ? ceil_div(smaller(g.window - count(1) + b.retained + b.in_flight, n), g.block_tokens) + count(1)
                 : ceil_div(smaller(g.window, n), g.block_tokens);
    case cache_use::chunk:
      return ceil_div(smaller(b.pooled ? g.window + b.in_flight : g.window, n), g.block_tokens);
    case cache_use::state: return b.state_blocks;
    case cache_use::encoder: return ceil_div(g.window, g.block_tokens);
  }
  return count(0);
}

/// Blocks of the pool that one sequence of `context` tokens takes, over all its block tables.
constexpr count blocks_per_sequence(const cache_layout& b, tokens context) noexcept {
  count n(0);
  for (const cache_group& g : b.groups) n += g.groups * blocks_of_group(b, g, context);
  return n;
}

/// Bytes that one sequence of `context` tokens takes on this rank.
constexpr bytes charged_per_sequence(const cache_layout& b, tokens context) noexcept {
  if (b.pooled) return b.block * blocks_per_sequence(b, context);
  bytes sum{};
  for (const cache_group& g : b.groups) sum += g.page * (g.layers * blocks_of_group(b, g, context));
  return sum;
}

/// Bytes that the allocator takes for `how_many` sequences of `context` tokens on this rank.
constexpr bytes charged_kv(const cache_layout& b, tokens context, sequences how_many, const engine_rules& r) noexcept {
  if (how_many == sequences{}) return bytes{};
  const bytes all = charged_per_sequence(b, context) * how_many.value();
  return b.pooled ? all + b.block * truncate(r.null_blocks) : all;
}

/// Blocks of one sequence as the engine counts them for the concurrency that it prints: those of all its tables, or, where
/// it counts bytes, ⌈Σ blocks·bytes of a table ÷ bytes of the first⌉.
constexpr count printed_blocks(const cache_layout& b, tokens context) noexcept {
  if (!b.prints_bytes) return blocks_per_sequence(b, context);
  bytes all{};
  bytes first{};
  for (const cache_group& g : b.groups) {
    const bytes layers = g.page * g.layers;
    if (g.use == cache_use::every_token) first += layers;
    all += layers * blocks_of_group(b, g, context);
  }
  return first > bytes{} ? ceil_div(all.value(), first.value()) : blocks_per_sequence(b, context);
}

/// Whole blocks in so many bytes; overflowed when either is.
constexpr count blocks_in(const cache_layout& b, bytes available) noexcept {
  if (overflowed(available) || overflowed(b.block)) return count::overflow();
  if (available <= bytes{} || b.block <= bytes{}) return count(0);
  return floor_div(available.value(), b.block.value());
}

/// Whole sequences of `context` tokens in so many bytes, of which `null_blocks` serve none. A rank without any cache holds
/// as many as one likes: overflowed.
constexpr count sequences_in(const cache_layout& b, bytes available, tokens context, count null_blocks) noexcept {
  if (b.groups.empty()) return count::overflow();
  const bytes each = charged_per_sequence(b, context);
  if (each <= bytes{} || overflowed(each) || available <= bytes{}) return count(0);
  if (!b.pooled) return floor_div(available.value(), each.value());
  const count usable = blocks_in(b, available) - null_blocks;
  return usable > count(0) ? floor_div(usable, blocks_per_sequence(b, context)) : count(0);
}

/// What the engine makes of the bytes it has for the cache, and prints.
struct cache_report {
  count blocks{};              ///< KV available ÷ cost of a block, the least over the ranks; 0 without a pool
  tokens reported{};           ///< "GPU KV cache size"
  double max_concurrency = 0;  ///< blocks ÷ blocks of one sequence of max_model_len
};

/// With a pool from its blocks, else from the bytes available.
constexpr cache_report report(const cache_layout& b, count blocks, bytes available, tokens max_model_len,
                              const engine_rules& r) noexcept {
  cache_report c;
  if (b.pooled) {
    c.blocks = blocks;
    const count each = printed_blocks(b, max_model_len);
    c.max_concurrency = each > count(0) && !blocks.overflowed() ? ratio(blocks, each) : 0.0;
  } else {
    const bytes each = charged_per_sequence(b, max_model_len);
    c.max_concurrency = each > bytes{} && available > bytes{} ? ratio(available.value(), each.value()) : 0.0;
  }
  const count tables = b.tables();
  if (!b.pooled || r.tokens_from_concurrency > 0)
    c.reported = of<tokens>(truncate(c.max_concurrency * real(max_model_len)));
  else if (tables > count(0))
    c.reported = of<tokens>(floor_div(blocks, tables) * b.block_tokens.value() * count(b.dcp));
  return c;
}

}  // namespace ullage::inline v0
