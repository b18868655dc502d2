// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/kernel_constants.hpp>

// What the kernels of sparse attention attain. Docs: docs/formulas/performance.md.
namespace ullage::inline v0 {

/// Kernels of attention over entries that an indexer chose, or over compressed streams.
enum class sparse_op : std::uint8_t {
  score_prefill,  ///< the indexer's scores of all pairs of a prompt, in 8 bits
  score_decode,   ///< the same of one token a sequence: a stream of cached index keys
  choose,         ///< the best of every query's scores
  attend_prefill,
  attend_decode
};
inline constexpr std::size_t sparse_ops = 5;

/// Constants of these kernels. The defaults are nominal rates, and no work but what the architecture asks for.
struct sparse_constants {
  std::array<kernel_constants, sparse_ops> of{};
  /// Query heads that the kernels compute together: fewer on a rank take as long. 1 = any number.
  double prefill_head_tile = 1;
  double decode_head_tile = 1;
  /// Decode kernels over an 8-bit cache that walk all places of a choice, filled or not.
  bool walks_empty_places = false;
  double scores_per_row = 0;  ///< what choosing costs a query beside its scores, in scores

  constexpr kernel_constants& operator[](sparse_op o) noexcept { return of[static_cast<std::size_t>(o)]; }
  constexpr const kernel_constants& operator[](sparse_op o) const noexcept { return of[static_cast<std::size_t>(o)]; }
};

namespace detail {

/// Shares of the peak and of the bandwidth, the floor in microseconds, and the half-widths of the band and of the scatter: of
/// Hopper, of Blackwell, and of parts without public rows. Set in December 2026 from ai-dynamo/aiconfigurator (SGLang 0.5.14,
/// vLLM 0.24) and alibaba/InferSim; docs/formulas/performance.md says how.
inline constexpr double sparse_rows[3][sparse_ops][5] = {
    {{.57, .27, 5.0, .20, .25},
     {.68, .85, 4.0, .20, .25},
     {1, .33, 6.0, .35, .30},
     {.63, .90, 45, .12, .15},
     {.50, .68, 13, .25, .20}},
    {{.53, .23, 5.0, .20, .25},
     {.66, .80, 4.0, .25, .25},
     {1, .23, 6.7, .35, .30},
     {.58, .90, 27, .40, .20},
     {.50, .60, 14, .50, .25}},
    {{.50, .23, 5.0, .60, .30},
     {.60, .78, 4.0, .45, .30},
     {1, .28, 6.4, .60, .40},
     {.50, .80, 35, .60, .30},
     {.40, .60, 13, .60, .35}},
};

}  // namespace detail

/// Sparse-attention constants of a part: those of Hopper or Blackwell, pooled over parts and stacks of public kernel rows;
/// for others between the two, with ±60 %. The basis is `transferred` throughout.
inline sparse_constants sparse_constants_for(const accelerator& a) noexcept {
  const bool hopper = a.family == architecture::hopper;
  const bool blackwell = a.family == architecture::blackwell || a.family == architecture::blackwell_ultra;
  sparse_constants c;
  for (std::size_t i = 0; i < sparse_ops; ++i) {
    const double* const r = detail::sparse_rows[hopper ? 0 : blackwell ? 1 : 2][i];
    c.of[i] = {detail::around(r[0], r[3], basis::transferred), detail::around(r[1], r[3], basis::transferred),
               detail::microseconds_around(r[2], r[3], basis::transferred), r[4]};
  }
  c.prefill_head_tile = hopper ? 64 : blackwell ? 128 : 1;
  c.decode_head_tile = hopper ? 64 : 1;
  c.walks_empty_places = hopper;
  c.scores_per_row = 8192;
  return c;
}

}  // namespace ullage::inline v0
