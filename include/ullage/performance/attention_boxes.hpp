// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <ullage/performance/residual.hpp>

// Kernels of attention that are timed apart, and the places of the nodes of their residual grids.
namespace ullage::inline v0 {

/// Kernels of attention and of recurrent layers that are timed apart.
enum class attention_op : std::uint8_t {
  prefill,         ///< 16-bit arithmetic, 16-bit cache
  prefill_narrow,  ///< 16-bit arithmetic, a cache of 8 bits and less
  prefill_8bit,    ///< 8-bit arithmetic and cache
  decode,          ///< 16-bit cache
  decode_narrow,   ///< a cache of 8 bits and less
  latent_prefill,  ///< expanded heads
  latent_prefill_narrow,
  latent_decode,  ///< absorbed: every head reads the one latent
  latent_decode_narrow,
  delta_prefill,  ///< chunked scan of a gated delta net; other recurrent layers borrow it
  delta_decode,   ///< one update of its state
  kda_prefill,    ///< the same of Kimi delta attention, whose decay is one a channel
  kda_decode,
  conv_prefill,  ///< causal convolution of a few taps
  conv_decode
};
inline constexpr std::size_t attention_ops = 15;

constexpr std::string_view name(attention_op o) noexcept {
  constexpr std::string_view names[] = {"prefill",
                                        "prefill, 8-bit cache",
                                        "prefill in 8 bits",
                                        "decode",
                                        "decode, 8-bit cache",
                                        "latent prefill",
                                        "latent prefill, 8-bit cache",
                                        "latent decode",
                                        "latent decode, 8-bit cache",
                                        "gated delta scan",
                                        "gated delta update",
                                        "KDA scan",
                                        "KDA update",
                                        "convolution of a prompt",
                                        "convolution of a token"};
  return names[static_cast<std::size_t>(o)];
}
constexpr bool is_latent(attention_op o) noexcept {
  return o >= attention_op::latent_prefill && o <= attention_op::latent_decode_narrow;
}

namespace detail {

/// Nodes of one axis: `size` of them, evenly between 2^low and 2^high (the axis of kinds: between low and high).
/// Places are `rough_log2` of the shape.
struct grid_box {
  grid_axis of[3]{};
  constexpr int nodes() const noexcept { return of[0].size * of[1].size * of[2].size; }
};
/// The exponent and the mantissa's fraction of x > 0: log2 at powers of two and linear between them, off by 0.086 at most.
/// Continuous and monotone, and a tenth of log2's time, which is what the places of a grid need.
inline double rough_log2(double x) noexcept {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const double fraction = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL) - 1;
  return static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023) + fraction;
}

/// A grid over nodes in static storage. Rows were measured up to half as far again as the last node.
constexpr residual_grid grid_over(const grid_box& b, const std::int8_t* nodes) noexcept {
  residual_grid g = ullage::grid_over(b.of, nodes);
  for (int i = 0; i < 3; ++i) {
    const bool flat = b.of[i].size < 2;
    const grid_axis& x = b.of[i];
    g.hull_low[i] = flat ? -1e9 : x.low;
    g.hull_high[i] = flat ? 1e9 : x.high + .6;
  }
  return g;
}

/// One step of a node of the band, as a share of the time.
inline constexpr double spread_unit = 1.0 / 128;

/// Grids of an op: over its shape; coarser over head size and window (none: one node); of the band.
struct attention_boxes {
  grid_box shape{};
  grid_box kind{};
  grid_box spread{};
};
constexpr attention_boxes boxes_of(attention_op op) noexcept {
  using enum attention_op;
  constexpr grid_axis kinds{10, 0, 9};
  attention_boxes b;
  switch (op) {
    case prefill:
    case prefill_narrow:
    case prefill_8bit:
      b.shape = {{{7, 0, 13}, {7, 0, 14}, {4, 0, 6}}};
      b.kind = {{{4, 0, 13}, {5, 0, 14}, kinds}};
      b.spread = b.kind;
      break;
    case decode:
    case decode_narrow:
      b.shape = {{{7, 0, 14}, {8, 1, 17}, {4, 0, 6}}};
      b.kind = {{{4, 0, 14}, {5, 1, 17}, kinds}};
      b.spread = b.kind;
      break;
    case latent_prefill:
    case latent_prefill_narrow:
      b.shape = {{{5, 0, 8}, {7, 0, 15}, {4, 0, 7}}};
      b.spread = {{{3, 0, 8}, {4, 0, 15}, {}}};
      break;
    case latent_decode:
    case latent_decode_narrow:
      b.shape = {{{5, 0, 10}, {7, 1, 17}, {4, 0, 7}}};
      b.spread = {{{3, 0, 10}, {4, 1, 17}, {}}};
      break;
    case delta_prefill:
    case kda_prefill:
      b.shape = {{{4, 0, 6}, {6, 0, 15}, {3, 1, 7}}};
      b.spread = {{{3, 0, 6}, {3, 0, 15}, {}}};
      break;
    case conv_prefill:
      b.shape = {{{4, 0, 6}, {6, 0, 15}, {3, 9, 14}}};
      b.spread = {{{3, 0, 6}, {3, 0, 15}, {}}};
      break;
    case delta_decode:
    case kda_decode:
      b.shape = {{{6, 0, 10}, {}, {3, 1, 7}}};
      b.spread = {{{3, 0, 10}, {}, {}}};
      break;
    case conv_decode:
      b.shape = {{{6, 0, 10}, {}, {3, 9, 14}}};
      b.spread = {{{3, 0, 10}, {}, {}}};
      break;
  }
  return b;
}

}  // namespace detail

}  // namespace ullage::inline v0
