// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

// What a form with three constants leaves over, as a coarse grid over the shape: docs/formulas/performance.md.
namespace ullage::inline v0 {

/// Measured over modelled time on a grid in log coordinates, x the slowest axis of `nodes`. A pointer to bytes of static
/// storage, so that a struct of constants stays small and copies; null nodes = no residual.
struct residual_grid {
  static constexpr double unit = 1.0 / 64;  ///< of a natural logarithm, one step of a node

  const std::int8_t* nodes = nullptr;
  std::int32_t size[3] = {1, 1, 1};    ///< nodes an axis; 1 = constant along it
  double origin[3] = {0, 0, 0};        ///< natural logarithm of the first node's place
  double per_step[3] = {1, 1, 1};      ///< 1 ÷ distance of two nodes
  double hull_low[3] = {0, 0, 0};      ///< logarithms between which rows were measured
  double hull_high[3] = {-1, -1, -1};  ///< below hull_low: nothing was measured
  double scatter = 0;                  ///< half-width of one kernel around form and grid, inside the hull
  /// How that differs by place, as logarithms in the same unit: one byte a node of each axis, the axes behind each other;
  /// their sum applies. Null = everywhere alike.
  const std::int8_t* spread = nullptr;
};

/// `log_factor` is added to the logarithm of a modelled time; 0 without a grid and far outside the measured hull.
struct residual_value {
  double log_factor = 0;
  double log_spread = 0;  ///< added to the logarithm of the scatter
  bool inside = false;
};

namespace detail {

/// Natural logarithm to 1e-7, for places in a grid: half the time of std::log. For positive, finite numbers.
inline double grid_log(double v) noexcept {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v);
  double power = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {
    m /= 2;
    power += 1;
  }
  const double s = (m - 1) / (m + 1);
  const double q = s * s;
  return power * 0.6931471805599453 + 2 * s * (1 + q * (1. / 3 + q * (.2 + q / 7)));
}

/// The grid at (x, y, z) by trilinear interpolation; beyond the outermost node that node's value. Outside the measured
/// hull the factor fades to 0 over one unit of the logarithm (a factor e in shape), and the caller widens its band. NaN: 0.
/// About 10 ns; allocates nothing.
inline residual_value residual_at(const residual_grid& g, double x, double y, double z) noexcept {
  if (g.nodes == nullptr) return {};
  const double at[3] = {x, y, z};
  double part[3];
  std::ptrdiff_t first[3];
  std::ptrdiff_t next[3];
  std::ptrdiff_t stride = 1;
  double outside = 0;  // the farthest axis
  double spread = 0;
  for (int i = 2; i >= 0; --i) {
    const double beyond = at[i] < g.hull_low[i] ? g.hull_low[i] - at[i] : at[i] - g.hull_high[i];
    if (!(beyond < 1)) return {};  // also NaN
    if (beyond > outside) outside = beyond;
    const std::int32_t last = g.size[i] - 1;
    double place = (at[i] - g.origin[i]) * g.per_step[i];
    if (place < 0) place = 0;
    if (place > last) place = last;
    std::int32_t cell = static_cast<std::int32_t>(place);
    if (cell >= last && last > 0) cell = last - 1;
    part[i] = place - cell;
    if (g.spread != nullptr) {
      const std::int8_t* table = g.spread + (i > 0 ? g.size[0] : 0) + (i > 1 ? g.size[1] : 0) + cell;
      spread += table[0] + (last > 0 ? part[i] * (table[1] - table[0]) : 0.0);
    }
    first[i] = cell * stride;
    next[i] = last > 0 ? stride : 0;
    stride *= g.size[i];
  }
  const std::int8_t* corner = g.nodes + first[0] + first[1] + first[2];
  const auto along_z = [&](std::ptrdiff_t offset) {
    const double low = corner[offset];
    return low + part[2] * (corner[offset + next[2]] - low);
  };
  const auto along_y = [&](std::ptrdiff_t offset) {
    const double low = along_z(offset);
    return low + part[1] * (along_z(offset + next[1]) - low);
  };
  const double low = along_y(0);
  const double units = low + part[0] * (along_y(next[0]) - low);
  return {units * residual_grid::unit * (1 - outside), spread * residual_grid::unit, outside <= 0};
}

}  // namespace detail

}  // namespace ullage::inline v0
