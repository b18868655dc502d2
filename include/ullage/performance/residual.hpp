// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

// What a form with three constants leaves over, as a coarse grid over the shape: docs/formulas/performance.md.
namespace ullage::inline v0 {

/// An axis of a grid: how many nodes, and the places of the first and the last.
struct grid_axis {
  int size = 1;  ///< 1 = constant along it
  double low = 0;
  double high = 0;
};

/// Measured over modelled time on a grid in log coordinates, x the slowest axis of `nodes`. A pointer to bytes of static
/// storage, so that a struct of constants stays small and copies; null nodes = no residual. `grid_over` makes one.
struct residual_grid {
  static constexpr double unit = 1.0 / 64;  ///< of a natural logarithm, one step of a node

  const std::int8_t* nodes = nullptr;
  std::int32_t stride[3] = {0, 0, 0};  ///< from a node to the next along an axis; 0 on an axis of one node
  std::int32_t size[3] = {1, 1, 1};    ///< nodes an axis
  double origin[3] = {0, 0, 0};        ///< the first node's place
  double per_step[3] = {0, 0, 0};      ///< 1 ÷ distance of two nodes
  double most[3] = {0, 0, 0};          ///< the last place in steps, less a hair: its cell is the last one
  double hull_low[3] = {0, 0, 0};      ///< places between which rows were measured
  double hull_high[3] = {-1, -1, -1};  ///< below hull_low: nothing was measured
  double scatter = 0;                  ///< half-width of one kernel around form and grid, inside the hull
  /// How that differs by place, as logarithms in the same unit: one byte a node of each axis, the axes behind each other;
  /// their sum applies. Null = everywhere alike.
  const std::int8_t* spread = nullptr;
};

/// A grid over nodes in static storage, x the slowest axis; nothing is measured until a hull is set.
constexpr residual_grid grid_over(const grid_axis (&axes)[3], const std::int8_t* nodes) noexcept {
  residual_grid g;
  g.nodes = nodes;
  std::int32_t stride = 1;
  for (int i = 2; i >= 0; --i) {
    const grid_axis& a = axes[i];
    g.size[i] = a.size;
    g.origin[i] = a.low;
    if (a.size < 2) continue;
    g.stride[i] = stride;
    g.per_step[i] = (a.size - 1) / (a.high - a.low);
    g.most[i] = a.size - 1 - 1e-9;
    stride *= a.size;
  }
  return g;
}

/// What a grid says of a place, in steps of its nodes; zeros without a grid and far outside the measured hull.
struct residual_value {
  double factor_steps = 0;  ///< times residual_grid::unit: added to the logarithm of a modelled time
  double spread_steps = 0;  ///< times residual_grid::unit: added to the logarithm of the scatter
  bool inside = false;
};

namespace detail {

/// Natural logarithm to 1.1e-5, for places in a grid: no division, no branch that a new shape may miss, and continuous.
/// For positive, finite numbers.
inline double grid_log(double v) noexcept {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v);
  const double power = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  const double f = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL) - 1;
  // ln(1 + f), exact at 0 and 1.
  const double g = f * f;
  const double p = f * (0.9994607009636676 - 0.49150793436135126 * f +
                        g * (0.2880753995436658 - 0.1341755772067868 * f + g * 0.031294591620750004));
  return power * 0.6931471805599453 + p;
}
/// e^(x·unit) to 2e-7 of itself, x in steps of a node and up to 1,000: inline, where std::exp is a call.
inline double node_exp(double x) noexcept {
  constexpr double whole = 0x1.8p52;  // added: the nearest integer stands in the low bits
  const double twos = x * (1.4426950408889634 * residual_grid::unit);
  const double shifted = twos + whole;
  const double f = twos - (shifted - whole);
  const double g = f * f;
  // 2^f, |f| ≤ ½.
  const double e = 1 + 0.6931471805599453 * f +
                   g * (0.24022650695910072 + 0.055504108664821580 * f +
                        g * (0.0096181291076284772 + 0.0013333558146428443 * f + g * 0.00015403530393381609));
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(e) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}
/// The same to 3 %, continuous: for widths of bands.
inline double rough_node_exp(double x) noexcept {
  // The exponent and a mantissa linear between powers of two, both from one integer.
  constexpr double per_step = 1.4426950408889634 * residual_grid::unit * 0x1p52;
  return std::bit_cast<double>(static_cast<std::int64_t>(x * per_step + (1023 - .0430) * 0x1p52));
}

/// A place along an axis: the node below and the share of the one above. Beyond the outermost node: that node.
struct grid_place {
  std::int32_t node = 0;
  double part = 0;
};
inline grid_place place_on(const residual_grid& g, int axis, double x) noexcept {
  double at = (x - g.origin[axis]) * g.per_step[axis];
  at = at < g.most[axis] ? at : g.most[axis];  // also NaN
  at = .5 * (at + std::fabs(at));              // at least 0; a second comparison would become a branch
  const std::int32_t node = static_cast<std::int32_t>(at);
  return {node, at - node};
}
inline std::int32_t nearest(const grid_place& p) noexcept {
  return p.node + static_cast<std::int32_t>(p.part >= .5);
}
/// How far a place lies beyond the measured hull; at most 0 inside.
inline double beyond_hull(const residual_grid& g, int axis, double x) noexcept {
  const double below = g.hull_low[axis] - x;
  const double above = x - g.hull_high[axis];
  return below > above ? below : above;
}
/// The same of the farthest axis.
inline double beyond_hull(const residual_grid& g, double x, double y, double z) noexcept {
  const double by_x = beyond_hull(g, 0, x);
  const double by_y = beyond_hull(g, 1, y);
  const double by_z = beyond_hull(g, 2, z);
  const double xy = by_x > by_y ? by_x : by_y;
  return xy > by_z ? xy : by_z;
}
/// Trilinear between the eight nodes, in units of a node.
inline double interpolated(const residual_grid& g, const grid_place& x, const grid_place& y,
                           const grid_place& z) noexcept {
  const std::int32_t dx = g.stride[0];
  const std::int32_t dy = g.stride[1];
  const std::int32_t dz = g.stride[2];
  const std::int8_t* low = g.nodes + (x.node * dx + y.node * dy + z.node * dz);
  const std::int8_t* high = low + dx;
  // Weighted sums: shorter chains than low + part·(high − low).
  const double up = z.part;
  const double down = 1 - up;
  const double a = down * low[0] + up * low[dz];
  const double b = down * low[dy] + up * low[dy + dz];
  const double c = down * high[0] + up * high[dz];
  const double d = down * high[dy] + up * high[dy + dz];
  const double right = y.part;
  const double left = 1 - right;
  return (1 - x.part) * (left * a + right * b) + x.part * (left * c + right * d);
}

/// The grid at (x, y, z) by trilinear interpolation; beyond the outermost node that node's value. Outside the measured
/// hull the factor fades to 0 over one unit of the logarithm (a factor e in shape), and the caller widens its band.
/// NaN: 0. About 15 ns; allocates nothing.
inline residual_value residual_at(const residual_grid& g, double x, double y, double z) noexcept {
  if (g.nodes == nullptr) return {};
  double outside = beyond_hull(g, x, y, z);
  const double sum = x + y + z;  // NaN where a place is; a maximum may lose it
  if (!((outside < 1) & (sum == sum))) return {};
  const bool inside = outside <= 0;
  outside = inside ? 0 : outside;
  const grid_place px = place_on(g, 0, x);
  const grid_place py = place_on(g, 1, y);
  const grid_place pz = place_on(g, 2, z);
  double spread = 0;
  if (g.spread != nullptr) {
    const std::int8_t* y_nodes = g.spread + g.size[0];
    const std::int8_t* z_nodes = y_nodes + g.size[1];
    spread = g.spread[nearest(px)] + y_nodes[nearest(py)] + z_nodes[nearest(pz)];
  }
  return {interpolated(g, px, py, pz) * (1 - outside), spread, inside};
}

}  // namespace detail

}  // namespace ullage::inline v0
