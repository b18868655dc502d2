// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/detail/static_list.hpp>
#include <ullage/engine/terms.hpp>

namespace ullage::inline v0 {

/// What a layer keeps of a sequence.
enum class cache_use : std::uint8_t {
  every_token,
  window,   ///< the last tokens
  chunk,    ///< the tokens of the chunk at hand
  state,    ///< a state of fixed size
  encoder,  ///< the encoder's tokens
};

/// Layers that an engine caches alike: the same use, window and bytes a token.
struct cache_group {
  cache_use use = cache_use::every_token;
  count layers{};
  bytes entry{};         ///< of one token in one layer; of a state the whole
  bytes page{};          ///< of one block in one layer, as the engine pads it
  count block_tokens{};  ///< tokens of the sequence that one block holds
  count window{};        ///< tokens of a window, a chunk or an encoder
  count groups{};        ///< how many block tables a sequence has for them; 0 where those of another entry serve

  // Written out: g++ 12 takes an array of this struct as an aggregate for no constant.
  constexpr cache_group() noexcept
      : use(cache_use::every_token),
        layers(0),
        entry(bytes::from_value(count(0))),
        page(bytes::from_value(count(0))),
        block_tokens(0),
        window(0),
        groups(0) {}
};

/// How an engine cuts the cache of one rank into blocks.
///
/// One pool of equal blocks serves all layers: a block is one page in each of `group_layers` layers. Where all layers cache
/// alike that is all of them. The plain engine has no pool: where its layers differ each is charged for itself.
struct cache_layout {
  static constexpr std::size_t most_groups = 8;

  tokens block_tokens{};  ///< the smallest block of a layer that keeps every token or a window
  std::int64_t dcp = 1;   ///< decode context parallel: a rank's block holds block_tokens of dcp·block_tokens tokens
  detail::static_list<cache_group, most_groups> groups{};
  bytes block{};           ///< what one block costs on this rank, in all its layers; 0 without a pool
  count group_layers{};    ///< layers that a block serves
  count in_flight{};       ///< tokens of steps under way, for which every window makes room
  count state_blocks{};    ///< blocks of a sequence in a layer with a state
  bool pooled = true;
  bool too_many = false;  ///< more kinds of layers than groups

  /// The largest page of a layer.
  constexpr bytes page() const noexcept {
    count most(0);
    for (const cache_group& g : groups) most = larger(most, g.page.value());
    return of<bytes>(most);
  }
  /// Block tables of one sequence.
  constexpr count tables() const noexcept {
    count n(0);
    for (const cache_group& g : groups) n += g.groups;
    return n;
  }
};

namespace detail {

/// Head width that attention kernels of old took: the next power of two.
constexpr std::int64_t padded_head(std::int64_t width) noexcept {
  std::int64_t p = 1;
  while (p < width) p *= 2;
  return p;
}

constexpr void add_cache(cache_layout& b, cache_use use, count layers, bytes entry, count window, count stride) noexcept {
  if (entry == bytes{}) return;
  for (cache_group& g : b.groups)
    if (g.use == use && g.entry == entry && g.window == window && g.block_tokens == stride) {
      g.layers += layers;
      return;
    }
  cache_group g;
  g.use = use;
  g.layers = layers;
  g.entry = entry;
  g.window = window;
  g.block_tokens = stride;  // for now; times the entries of a block below
  if (!b.groups.push_back(g)) b.too_many = true;
}

/// The layers of a stage by how they cache.
constexpr void collect_caches(cache_layout& b, const transformer& m, const engine& e, const layout& l,
                              const stage& s) noexcept {
  const number_format f = kv_format_in(e, m);
  const kind_counts kinds = count_kinds(m, s.first, s.size);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    if (kinds.of[k] == 0) continue;
    const count layers(kinds.of[k]);
    const attention& a = m.kinds[k].attention;
    add_cache(b, cache_use::state, layers, recurrent_state(m.kinds[k].recurrent, m.activation, l.tp), count(0), count(1));
    bytes token = kv_per_token(a, f, l.tp);
    if (a.kind == attention_kind::latent && e.rules.latent_cache == 0) {
      // Before latent caches K and V were expanded to the query heads, each padded to a width that the kernels take.
      token =
          cache_row(f, ceil_div(count(a.heads), count(l.tp)) * count(2 * padded_head(a.key_dim + a.rope_dim)));
    }
    switch (a.kind) {
      case attention_kind::none:
      case attention_kind::encoder: break;
      case attention_kind::full:
      case attention_kind::latent:
        add_cache(b, cache_use::every_token, layers, token, count(0), count(a.stride));
        if (a.stride > 1 && a.window > 0)  // beside a compressed stream the last tokens, without an index
          add_cache(b, cache_use::window, layers, cache_row(f, a.cache_elements(local_kv_heads(a, l.tp))),
                    count(a.window), count(1));
        break;
      case attention_kind::sliding:
      case attention_kind::chunked:
        if (e.kind == engine_kind::vllm && e.rules.window_blocks == 0)
          add_cache(b, cache_use::every_token, layers, token, count(0), count(1));
        else
          add_cache(b, a.kind == attention_kind::sliding ? cache_use::window : cache_use::chunk, layers, token,
                    count(a.window), count(1));
        break;
      case attention_kind::cross:
        add_cache(b, cache_use::encoder, layers, token, count(m.encoder_tokens), count(1));
        break;
    }
  }
}

/// The size of a block where states and tokens share a pool: the least multiple of the kernels' block whose page of tokens
/// is no smaller than a state.
constexpr count block_beside_states(const cache_layout& b, count asked, count kernel_block) noexcept {
  count state(0);
  count token(0);
  for (const cache_group& g : b.groups) {
    if (g.use == cache_use::state) state = larger(state, g.entry.value());
    if (g.use == cache_use::every_token) token = larger(token, g.entry.value());
  }
  if (state == count(0) || token == count(0)) return asked;
  return larger(asked, kernel_block * ceil_div(state, kernel_block * token));
}

}  // namespace detail

/// The cache layout of one rank of a stage. `in_flight`: tokens of the steps under way at once.
///
/// Layers that cache alike: a block is a page in each. Else (vllm/v1/core/kv_cache_utils.py): the pages are made equal, by
/// growing the blocks of narrower layers an integer number of times and padding what is left; g is the fewest layers of a
/// kind, or the most where that is less than one and a half times as many; a kind of n layers has ⌈n/g⌉ block tables, and a
/// block of the pool is a page in g layers.
constexpr cache_layout cache_layout_of(const transformer& m, const engine& e, const layout& l, const stage& s,
                                       tokens in_flight = {}) noexcept {
  cache_layout b;
  b.dcp = l.dcp;
  b.in_flight = in_flight.value();
  detail::collect_caches(b, m, e, l, s);
  bool latent = false;
  for (const layer_kind& k : m.kinds) latent = latent || k.attention.kind == attention_kind::latent;
  const bool vllm = e.kind == engine_kind::vllm;
  b.state_blocks = count(1);
  if (vllm && e.options.enable_prefix_caching) b.state_blocks += truncate(e.rules.state_snapshots);
  count entries = block_tokens_in(e).value();
  if (vllm) entries = detail::block_beside_states(b, entries, count(latent ? 128 : 16));
  b.block_tokens = of<tokens>(entries);
  bool alike = true;
  for (const cache_group& g : b.groups)
    alike = alike && g.use == b.groups[0].use && g.window == b.groups[0].window &&
            g.block_tokens == b.groups[0].block_tokens;
  bytes page{};
  for (cache_group& g : b.groups) {
    g.block_tokens = g.use == cache_use::state ? count(0) : g.block_tokens * entries;
    g.page = g.use == cache_use::state ? g.entry : g.entry * entries;
    g.groups = count(1);
    page = of<bytes>(larger(page.value(), g.page.value()));
  }
  if (b.groups.empty()) return b;
  if (alike) {
    for (std::size_t i = 0; i < b.groups.size(); ++i) {
      cache_group& g = b.groups[i];
      b.block += g.page * g.layers;
      b.group_layers += g.layers;
      if (i > 0) g.groups = count(0);
    }
    return b;
  }
  if (!vllm) {
    b.pooled = false;
    return b;
  }
  count fewest = b.groups[0].layers;
  count most = b.groups[0].layers;
  for (cache_group& g : b.groups) {
    const count times = floor_div(page.value(), g.page.value());
    if (g.use != cache_use::state && g.page * times == page) g.block_tokens = g.block_tokens * times;
    g.page = page;
    fewest = smaller(fewest, g.layers);
    most = larger(most, g.layers);
  }
  b.group_layers = most * count(2) < fewest * count(3) ? most : fewest;
  for (cache_group& g : b.groups) g.groups = ceil_div(g.layers, b.group_layers);
  b.block = page * b.group_layers;
  return b;
}

/// Blocks that one sequence of `context` tokens takes of one block table. Never falls as context grows.
///
/// Every token: ⌈context/(block·dcp)⌉. A window of w: ⌈min(w − 1 + in flight, context)/block⌉ + 1; a chunk of c:
/// ⌈min(c + in flight, context)/block⌉. Without a pool the window alone.
constexpr count blocks_of_group(const cache_layout& b, const cache_group& g, tokens context) noexcept {
  const count n = context.value();
  if (n <= count(0)) return count(0);
  switch (g.use) {
    case cache_use::every_token: return ceil_div(n, g.block_tokens * count(b.dcp));
    case cache_use::window:
      return b.pooled && b.in_flight > count(0)
                 ? ceil_div(smaller(g.window - count(1) + b.in_flight, n), g.block_tokens) + count(1)
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
    const count each = blocks_per_sequence(b, max_model_len);
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
