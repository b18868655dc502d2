// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <ullage/performance/residual.hpp>

// Residual grids: what a form leaves over, at nodes over logarithms of the shape.
namespace fit {

struct axis {
  int size = 1;
  double low = 0;  ///< logarithm of the first node's place
  double high = 0;
  double per_step() const { return size > 1 ? (size - 1) / (high - low) : 1; }
};
struct grid_axes {
  std::array<axis, 3> of{};
  int nodes() const { return of[0].size * of[1].size * of[2].size; }
};

struct grid_point {
  std::array<double, 3> at{};
  double residual = 0;  ///< logarithm of measured over modelled
  double weight = 1;
};

/// The eight nodes around a place and their shares.
struct corners {
  std::array<int, 8> node{};
  std::array<double, 8> share{};
};
inline corners corners_of(const grid_axes& g, const std::array<double, 3>& at) {
  int cell[3];
  double part[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const int last = g.of[i].size - 1;
    const double place = std::clamp((at[i] - g.of[i].low) * g.of[i].per_step(), 0.0, static_cast<double>(last));
    cell[i] = std::min(static_cast<int>(place), std::max(last - 1, 0));
    part[i] = last > 0 ? place - cell[i] : 0;
  }
  corners c;
  for (int k = 0; k < 8; ++k) {
    int at_node[3];
    double share = 1;
    for (int i = 0; i < 3; ++i) {
      const int up = k >> i & 1;
      at_node[i] = std::min(cell[i] + up, g.of[static_cast<std::size_t>(i)].size - 1);
      share *= up != 0 ? part[i] : 1 - part[i];
    }
    c.node[static_cast<std::size_t>(k)] = (at_node[0] * g.of[1].size + at_node[1]) * g.of[2].size + at_node[2];
    c.share[static_cast<std::size_t>(k)] = share;
  }
  return c;
}

/// Nodes g that minimise Σ w·|residual − g(at)| (by reweighting, quadratic below 0.1) + ridge·Σ (g_i − g_j − prior
/// difference)² over neighbours + level·Σ (g − prior)². An empty prior is zero.
inline Eigen::VectorXd fit_grid(const grid_axes& g, const std::vector<grid_point>& points, double ridge, double level,
                                const Eigen::VectorXd& prior = {}) {
  const int n = g.nodes();
  Eigen::MatrixXd smooth = Eigen::MatrixXd::Identity(n, n) * level;
  const auto index = [&](int i, int j, int k) { return (i * g.of[1].size + j) * g.of[2].size + k; };
  const auto tie = [&](int a, int b) {
    smooth(a, a) += ridge;
    smooth(b, b) += ridge;
    smooth(a, b) -= ridge;
    smooth(b, a) -= ridge;
  };
  for (int i = 0; i < g.of[0].size; ++i)
    for (int j = 0; j < g.of[1].size; ++j)
      for (int k = 0; k < g.of[2].size; ++k) {
        if (i + 1 < g.of[0].size) tie(index(i, j, k), index(i + 1, j, k));
        if (j + 1 < g.of[1].size) tie(index(i, j, k), index(i, j + 1, k));
        if (k + 1 < g.of[2].size) tie(index(i, j, k), index(i, j, k + 1));
      }
  const Eigen::VectorXd base = prior.size() == n ? prior : Eigen::VectorXd::Zero(n);
  std::vector<corners> around;
  around.reserve(points.size());
  for (const grid_point& p : points) around.push_back(corners_of(g, p.at));

  Eigen::VectorXd nodes = base;
  for (int round = 0; round < 5; ++round) {
    Eigen::MatrixXd a = smooth;
    Eigen::VectorXd b = smooth * base;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const corners& c = around[i];
      double now = 0;
      for (std::size_t k = 0; k < 8; ++k) now += c.share[k] * nodes[c.node[k]];
      // Scaled so that an error of 0.1 weighs one.
      const double w = points[i].weight * .1 / std::max(std::abs(points[i].residual - now), .1);
      for (std::size_t k = 0; k < 8; ++k) {
        if (c.share[k] <= 0) continue;
        b[c.node[k]] += w * c.share[k] * points[i].residual;
        for (std::size_t l = 0; l < 8; ++l)
          if (c.share[l] > 0) a(c.node[k], c.node[l]) += w * c.share[k] * c.share[l];
      }
    }
    nodes = a.ldlt().solve(b);
  }
  return nodes;
}

/// Signed bytes, one step ullage::residual_grid::unit.
inline std::vector<std::int8_t> bytes_of(const Eigen::VectorXd& nodes) {
  std::vector<std::int8_t> out;
  for (double v : nodes)
    out.push_back(static_cast<std::int8_t>(std::clamp(std::lround(v / ullage::residual_grid::unit), -127L, 127L)));
  return out;
}

/// The library's own grid over those bytes, which must outlive it.
inline ullage::residual_grid grid_of(const grid_axes& g, const std::vector<std::int8_t>& bytes,
                                     const std::array<double, 3>& hull_low, const std::array<double, 3>& hull_high) {
  ullage::grid_axis axes[3];
  for (std::size_t i = 0; i < 3; ++i) axes[i] = {g.of[i].size, g.of[i].low, g.of[i].high};
  ullage::residual_grid r = ullage::grid_over(axes, bytes.data());
  for (std::size_t i = 0; i < 3; ++i) {
    r.hull_low[i] = hull_low[i];
    r.hull_high[i] = hull_high[i];
  }
  return r;
}

}  // namespace fit
