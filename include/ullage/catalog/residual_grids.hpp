// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/catalog/residual_nodes.hpp>
#include <ullage/performance/attention_grids.hpp>
#include <ullage/performance/step.hpp>

// Residual grids of fitted kernels, opt-in: they take longer to include than the whole of the rest.
namespace ullage::inline v0 {

namespace catalog::detail {

constexpr residual_grid grid_of(std::size_t row, const residual_axes& axes, const std::int8_t* bytes) noexcept {
  const residual_row& r = residual_rows[row];
  const grid_axis of[3] = {{axes.size[0], axes.low[0], axes.high[0]},
                           {axes.size[1], axes.low[1], axes.high[1]},
                           {axes.size[2], axes.low[2], axes.high[2]}};
  residual_grid g = grid_over(of, bytes);
  int nodes = 1;
  for (int i = 0; i < 3; ++i) {
    g.hull_low[i] = static_cast<double>(r.hull_low[i]) - .001;  // printed with three digits
    g.hull_high[i] = static_cast<double>(r.hull_high[i]) + .001;
    nodes *= axes.size[i];
  }
  g.scatter = static_cast<double>(r.scatter);
  g.spread = bytes + nodes;
  return g;
}
constexpr auto make_grids() noexcept {
  std::array<residual_grid, residual_rows.size()> grids{};
  const std::int8_t* at = residual_bytes;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const residual_axes& axes = ullage::detail::fitted_kernels[i].grouped ? experts_axes : gemm_axes;
    grids[i] = grid_of(i, axes, at);
    at += axes.size[0] * axes.size[1] * axes.size[2] + axes.size[0] + axes.size[1] + axes.size[2];
  }
  return grids;
}
static_assert(residual_rows.size() == ullage::detail::fitted_kernels.size());
inline constexpr std::array<residual_grid, residual_rows.size()> residual_grids = make_grids();

}  // namespace catalog::detail

/// Gives constants of `constants_for` the residual grids of the rows that they came from: of matrix products, routed
/// experts and attention. Kernels whose constants were changed by hand, or that have no row of their own, stay as they
/// are. The grids are static: the constants may be copied and kept.
inline void add_residuals(constants& c) noexcept {
  for (auto* kernels : {&c.gemm, &c.experts})
    for (kernel_constants& k : *kernels)
      if (k.row >= 0) {
        const ullage::detail::fitted_kernel& r = ullage::detail::fitted_kernels[static_cast<std::size_t>(k.row)];
        const bool as_fitted = k.compute.mid == r.compute && k.memory.mid == r.memory && k.pad_rows == r.pad_rows &&
                               value_of(k.floor.mid) == r.floor_us * 1e-6;
        k.residual = as_fitted ? &catalog::detail::residual_grids[static_cast<std::size_t>(k.row)] : nullptr;
      }
  add_attention_grids(c.attention);
}
/// The constants of a part with their grids.
inline constants constants_with_residuals(const accelerator& a, kernel_stack stack = kernel_stack::pooled) noexcept {
  constants c = constants_for(a, stack);
  add_residuals(c);
  return c;
}
/// Of a part under the kernels of an engine, where tables of them were public.
inline constants constants_with_residuals(const plan_point& p) noexcept {
  return constants_with_residuals(p.part, stack_of(name(p.engine.kind)));
}

}  // namespace ullage::inline v0
