// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/cache_groups.hpp>

// Compressed streams (DeepSeek-V4) as vLLM packs them: vllm/models/deepseek_v4, vllm/v1/core/kv_cache_utils.py.
namespace ullage::inline v0::detail {

/// Bytes of one entry of V4's own 8-bit layout: the part without position in 8 bits, the rotary part in 16, and a scale a 64
/// elements, one spare byte with them. DeepSeek-V4: 448 + 2·64 + 8 = 584.
constexpr count stream_entry(const attention& a, const number_format& f) noexcept {
  const count width = a.cache_elements(count(1));
  if (f != formats::fp8_ds_mla) return cache_row(f, width).value();
  const count rotary(64);  // a window's layer does not say; all of them share it
  const count rope = a.rope_dim > 0 ? count(a.rope_dim) : rotary;
  return width - rope + rope * count(2) + ceil_div(width - rope, count(64)) + count(1);
}

/// A stream's page: so many entries, up to a multiple that the kernels address.
constexpr bytes stream_page(count entries, count entry, const number_format& f) noexcept {
  return of<bytes>(round_up(entries * entry, count(f == formats::fp8_ds_mla ? 576 : 512)));
}


constexpr cache_group* add_stream(cache_layout& b, cache_use use, layer_numbers n, bytes page, count block,
                                  count window) noexcept {
  for (cache_group& g : b.groups)
    if (g.use == use && g.page == page && g.block_tokens == block && g.window == window) {
      g.layers += count(n.here);
      g.all_layers += count(n.all);
      return &g;
    }
  cache_group g;
  g.use = use;
  g.layers = count(n.here);
  g.all_layers = count(n.all);
  g.entry = of<bytes>(floor_div(page.value(), block));
  g.page = page;
  g.block_tokens = block;
  g.window = window;
  if (!b.groups.push_back(g)) {
    b.too_many = true;
    return nullptr;
  }
  return &b.groups.back();
}

/// The caches of one layer: the last tokens in blocks of 64; a stream of one entry in `stride` tokens and, where it has an
/// index, the index's; and the sums that the compressors keep of groups of tokens not yet closed, in 32 bits and windows of
/// their own (groups of four overlap, so twice the width and twice the window; blocks of 4, of longer groups 8).
constexpr void collect_streams(cache_layout& b, const attention& a, layer_numbers n, const number_format& f,
                               count block) noexcept {
  if (n.all == 0) return;
  const count width = a.cache_elements(count(1));
  const count entry = stream_entry(a, f);
  const count stride(a.stride);
  add_stream(b, cache_use::window, n, stream_page(count(64), entry, f), count(64), count(a.window));
  if (a.stride <= 1) return;
  add_stream(b, cache_use::every_token, n, stream_page(floor_div(block, stride), entry, f), block, count(0));
  const bool overlaps = a.stride == 4;
  const count wide(overlaps ? 2 : 1);
  const count state_block(overlaps ? 4 : 8);
  const auto state_page = [&](count dim) {  // values and their weights
    return stream_page(state_block, count(2) * wide * dim * count(4), f);
  };
  add_stream(b, cache_use::window, n, state_page(width), state_block, wide * stride);
  if (a.index_dim <= 0) return;
  add_stream(b, cache_use::every_token, n, stream_page(floor_div(block, stride), count(a.index_dim + 4), f), block,
             count(0));
  add_stream(b, cache_use::window, n, state_page(count(a.index_dim)), state_block, wide * stride);
}

/// How many layers a table holds so that the fewest slots stay empty: the number from `least` on that wastes least over the
/// tables' layers, the larger of equals.
constexpr count table_layers(const cache_layout& b, count least) noexcept {
  count most(0);
  for (const cache_group& g : b.groups) most = larger(most, g.all_layers);
  count best = least;
  count waste = count::overflow();
  for (count d = least; d <= most; d += count(1)) {
    count here = d - least;  // of the table of the streams
    for (const cache_group& g : b.groups)
      if (g.groups > count(0) && g.use == cache_use::window) here += ceil_div(g.all_layers, d) * d - g.all_layers;
    if (waste.overflowed() || here <= waste) {
      waste = here;
      best = d;
    }
  }
  return best;
}

/// Brings the streams into one pool. Rule `stream_blocks`:
///   1  a block has a slot of every page size in each of T layers, T the most of a table; windows are padded up to the
///      next page size of a stream
///   2  a block has of every page size as many slots as the fullest table needs, with the same padding
///   3  a block is as large as the fullest table, and tables overlay each other without padding
/// Up to 2 the engine prints concurrency by the bytes of a sequence, not by its blocks.
constexpr void pool_streams(cache_layout& b, const engine_rules& r) noexcept {
  // One table serves all streams; so do those of an index and of its compressor.
  bool streams = false;
  count tuples(0);
  for (std::size_t i = 0; i < b.groups.size(); ++i) {
    cache_group& g = b.groups[i];
    g.groups = count(1);
    if (g.use == cache_use::every_token) {
      if (streams) g.groups = count(0);
      streams = true;
      tuples = larger(tuples, g.all_layers);
      continue;
    }
    for (std::size_t j = 0; j < i; ++j) {
      const cache_group& h = b.groups[j];
      if (h.use == g.use && h.window == g.window && h.block_tokens == g.block_tokens) g.groups = count(0);
    }
  }
  const count slots = table_layers(b, tuples);
  for (cache_group& g : b.groups)
    if (g.use == cache_use::window && g.groups > count(0)) g.groups = ceil_div(g.all_layers, slots);
  const auto tables_of = [&](const cache_group& g) {
    for (const cache_group& h : b.groups)
      if (h.use == g.use && h.groups > count(0) &&
          (g.use == cache_use::every_token || (h.window == g.window && h.block_tokens == g.block_tokens)))
        return h.groups;
    return count(1);
  };
  b.prints_bytes = r.stream_blocks < 3;
  if (b.prints_bytes)
    for (cache_group& g : b.groups) {
      if (g.use != cache_use::window) continue;
      bytes next = of<bytes>(count::overflow());
      for (const cache_group& h : b.groups)
        if (h.use == cache_use::every_token && h.page >= g.page && (overflowed(next) || h.page < next)) next = h.page;
      if (!overflowed(next)) g.page = next;
    }
  for (const cache_group& g : b.groups) b.group_layers = larger(b.group_layers, ceil_div(g.layers, tables_of(g)));
  if (r.stream_blocks >= 3) {
    for (const cache_group& first : b.groups) {
      if (first.groups == count(0)) continue;
      bytes table{};
      for (const cache_group& g : b.groups) {
        const bool same = g.use == first.use && (g.use == cache_use::every_token ||
                                                 (g.window == first.window && g.block_tokens == first.block_tokens));
        if (same) table += g.page * ceil_div(g.layers, first.groups);
      }
      b.block = of<bytes>(larger(b.block.value(), table.value()));
    }
    return;
  }
  for (const cache_group& size : b.groups) {
    if (size.use != cache_use::every_token) continue;
    count most(0);
    for (const cache_group& g : b.groups)
      if (g.page == size.page) most = larger(most, ceil_div(g.layers, tables_of(g)));
    b.block += size.page * (r.stream_blocks >= 2 ? most : b.group_layers);
  }
}

/// Whether a model has compressed streams, which vLLM packs in a way of their own.
constexpr bool has_streams(const transformer& m) noexcept {
  for (const layer_kind& k : m.kinds)
    if (k.attention.stride > 1) return true;
  return false;
}

/// The cache layout of a model with compressed streams in vLLM; blocks of 256 tokens unless told otherwise.
constexpr void layout_of_streams(cache_layout& b, const transformer& m, const engine& e, const stage& s) noexcept {
  const number_format f = kv_format_in(e, m);
  const count block = e.options.block_size > tokens{} ? e.options.block_size.value() : count(256);
  const kind_counts all = count_kinds(m, 0, m.layers);
  const kind_counts here = s.size == m.layers ? all : count_kinds(m, s.first, s.size);
  for (std::size_t k = 0; k < m.kinds.size(); ++k)
    collect_streams(b, m.kinds[k].attention, {here.of[k], all.of[k]}, f, block);
  if (e.speculative.method == draft_method::mtp)
    collect_streams(b, m.kinds[m.mtp_kind].attention, {s.is_last ? m.mtp_layers : 0, m.mtp_layers}, f, block);
  b.block_tokens = of<tokens>(block);
  if (!b.groups.empty()) pool_streams(b, e.rules);
}

}  // namespace ullage::inline v0::detail
