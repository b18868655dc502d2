// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/attention_constants.hpp>
#include <ullage/performance/attention_nodes.hpp>

// Residual grids of attention and recurrent kernels: opt-in, since they take a seventh of a second to include.
namespace ullage::inline v0 {

namespace detail {

constexpr std::array<attention_grids, attention_rows.size()> make_attention_grids() noexcept {
  std::array<attention_grids, attention_rows.size()> out{};
  const std::int8_t* at = attention_nodes;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const attention_boxes boxes = boxes_of(static_cast<attention_op>(attention_rows[i].op));
    out[i].shape = grid_over(boxes.shape, at);
    at += boxes.shape.nodes();
    if (boxes.kind.nodes() > 1) {
      out[i].kind = grid_over(boxes.kind, at);
      at += boxes.kind.nodes();
    }
    out[i].spread = grid_over(boxes.spread, at);
    at += boxes.spread.nodes();
  }
  return out;
}
inline constexpr std::array<attention_grids, attention_rows.size()> attention_grid_table = make_attention_grids();

}  // namespace detail

/// Gives constants of `attention_constants_for` the residual grids of the rows that they came from; those that were changed by
/// hand have none.
inline void add_attention_grids(attention_constants& c) noexcept {
  for (attention_fit& f : c.of) {
    if (f.row < 0) continue;
    const detail::attention_row& r = detail::attention_rows[static_cast<std::size_t>(f.row)];
    const bool as_fitted = f.kernel.compute.mid == r.compute && f.kernel.memory.mid == r.memory &&
                           value_of(f.kernel.floor.mid) == r.floor_us * 1e-6;
    f.grids = as_fitted ? &detail::attention_grid_table[static_cast<std::size_t>(f.row)] : nullptr;
  }
}

}  // namespace ullage::inline v0
