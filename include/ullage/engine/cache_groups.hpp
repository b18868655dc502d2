// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/cache_layout.hpp>
#include <ullage/engine/terms.hpp>

// Layers that cache in different ways, brought into one pool of blocks (vllm/v1/core/kv_cache_utils.py).
namespace ullage::inline v0::detail {

/// Head width that attention kernels of old took: the next power of two.
constexpr std::int64_t padded_head(std::int64_t width) noexcept {
  std::int64_t p = 1;
  while (p < width) p *= 2;
  return p;
}

/// `here` of `all` layers stand on the stage.
struct layer_numbers {
  std::int64_t here = 0;
  std::int64_t all = 0;
};

constexpr void add_cache(cache_layout& b, cache_use use, layer_numbers n, bytes entry, count window,
                         count stride) noexcept {
  if (entry == bytes{}) return;
  for (cache_group& g : b.groups)
    if (g.use == use && g.entry == entry && g.window == window && g.block_tokens == stride) {
      g.layers += count(n.here);
      g.all_layers += count(n.all);
      return;
    }
  cache_group g;
  g.use = use;
  g.layers = count(n.here);
  g.all_layers = count(n.all);
  g.entry = entry;
  g.window = window;
  g.block_tokens = stride;  // for now; times the entries of a block below
  if (!b.groups.push_back(g)) b.too_many = true;
}

/// What the layers of a kind cache.
constexpr void collect_kind(cache_layout& b, const transformer& m, const layer_kind& kind, layer_numbers n,
                            const engine& e, const number_format& f, std::int64_t tp) noexcept {
  if (n.all == 0) return;
  const attention& a = kind.attention;
  const bool vllm = e.kind == engine_kind::vllm;
  add_cache(b, cache_use::state, n, recurrent_state(kind.recurrent, m.activation, tp, e.speculative.num_tokens),
            count(0), count(1));
  bytes token = kv_per_token(a, f, tp);
  if (a.kind == attention_kind::latent && e.rules.latent_cache == 0) {
    // Before latent caches K and V were expanded to the query heads, each padded to a width that the kernels take.
    token = cache_row(f, ceil_div(count(a.heads), count(tp)) * count(2 * padded_head(a.key_dim + a.rope_dim)));
  }
  switch (a.kind) {
    case attention_kind::none:
    case attention_kind::encoder: break;
    case attention_kind::full:
    case attention_kind::latent:
      add_cache(b, cache_use::every_token, n, token, count(0), count(a.stride));
      if (a.stride > 1 && a.window > 0)  // beside a compressed stream the last tokens, without an index
        add_cache(b, cache_use::window, n, cache_row(f, a.cache_elements(local_kv_heads(a, tp))), count(a.window),
                  count(1));
      break;
    case attention_kind::sliding:
      if (vllm && e.rules.window_blocks == 0)
        add_cache(b, cache_use::every_token, n, token, count(0), count(1));
      else
        add_cache(b, cache_use::window, n, token, count(a.window), count(1));
      break;
    case attention_kind::chunked:
      if (vllm && e.rules.chunk_blocks == 0)
        add_cache(b, cache_use::every_token, n, token, count(0), count(1));
      else
        add_cache(b, cache_use::chunk, n, token, count(a.window), count(1));
      break;
    case attention_kind::cross:
      add_cache(b, cache_use::encoder, n, token, count(m.encoder_tokens), count(1));
      break;
  }
}

/// All layers by how they cache, those of the stage counted apart; what drafts tokens stands on the last stage.
constexpr void collect_caches(cache_layout& b, const transformer& m, const engine& e, const layout& l,
                              const stage& s) noexcept {
  const kind_counts all = count_kinds(m, 0, m.layers);
  const kind_counts here = s.size == m.layers ? all : count_kinds(m, s.first, s.size);
  const number_format f = kv_format_in(e, m);
  for (std::size_t k = 0; k < m.kinds.size(); ++k)
    collect_kind(b, m, m.kinds[k], {here.of[k], all.of[k]}, e, f, l.tp);
  const auto last = [&](std::int64_t n) -> layer_numbers { return {s.is_last ? n : 0, n}; };
  if (e.speculative.method == draft_method::mtp)
    collect_kind(b, m, m.kinds[m.mtp_kind], last(m.mtp_layers), e, f, l.tp);
  if (e.speculative.draft == nullptr) return;
  const transformer& d = *e.speculative.draft;
  const kind_counts drafts = count_kinds(d, 0, d.layers);
  for (std::size_t k = 0; k < d.kinds.size(); ++k)
    collect_kind(b, d, d.kinds[k], last(drafts.of[k]), e, kv_format_in(e, d), l.tp);
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

constexpr bool cache_alike(const cache_layout& b) noexcept {
  for (const cache_group& g : b.groups)
    if (g.use != b.groups[0].use || g.window != b.groups[0].window || g.block_tokens != b.groups[0].block_tokens)
      return false;
  return true;
}

/// Pages of `entries` tokens, and for now one block table a group.
constexpr void cut_pages(cache_layout& b, count entries) noexcept {
  for (cache_group& g : b.groups) {
    g.block_tokens = g.use == cache_use::state ? count(0) : g.block_tokens * entries;
    g.page = g.use == cache_use::state ? g.entry : g.entry * entries;
    g.groups = count(1);
  }
}

/// Layers that cache alike: a block is a page in each, and one block table serves them.
constexpr void pool_alike(cache_layout& b) noexcept {
  for (std::size_t i = 0; i < b.groups.size(); ++i) {
    cache_group& g = b.groups[i];
    b.block += g.page * g.layers;
    b.group_layers += g.layers;
    if (i > 0) g.groups = count(0);
  }
}

/// Layers that do not: the pages are made equal, by growing the blocks of narrower layers an integer number of times and
/// padding what is left; g is the fewest layers of a kind in the whole model, or the most where that is less than
/// `group_layers_ratio` times as many; a kind of n layers has ⌈n/g⌉ block tables, dealt out to its layers in turn, so that
/// a stage with k of them serves ⌈k/tables⌉ of a table. A block is a page in as many layers as the fullest table has.
constexpr void pool_unlike(cache_layout& b, const engine_rules& r) noexcept {
  const bytes page = b.page();
  count fewest = b.groups[0].all_layers;
  count most = b.groups[0].all_layers;
  for (cache_group& g : b.groups) {
    const count times = floor_div(page.value(), g.page.value());
    if (g.use != cache_use::state && g.page * times == page) g.block_tokens = g.block_tokens * times;
    g.page = page;
    fewest = smaller(fewest, g.all_layers);
    most = larger(most, g.all_layers);
  }
  const count group = static_cast<double>(most) < static_cast<double>(fewest) * r.group_layers_ratio ? most : fewest;
  for (cache_group& g : b.groups) {
    g.groups = ceil_div(g.all_layers, group);
    b.group_layers = larger(b.group_layers, ceil_div(g.layers, g.groups));
  }
  b.block = page * b.group_layers;
}

}  // namespace ullage::inline v0::detail
