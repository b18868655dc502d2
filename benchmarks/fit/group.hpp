// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <ullage/performance/product_constants.hpp>
#include <ullage/performance/roofline.hpp>

#include "grid.hpp"
#include "report.hpp"
#include "robust.hpp"

// One kernel on one part, all stacks: the form, the grid, how far single kernels scatter around both.
namespace fit {

constexpr int stacks = 3;
inline int stack_index(std::string_view word) {
  return static_cast<int>(ullage::stack_of(word)) - 1;  // -1: none of the three
}

/// Form, grid and scatter of a pool (`stack` 0) or of one stack.
struct fitted {
  ullage::kernel_stack stack = ullage::kernel_stack::pooled;
  int pooled_from = 1;  ///< stacks
  bool aside = false;   ///< left out of the pool
  form constants{};
  double form_scatter = 0;
  std::vector<std::int8_t> nodes{};
  std::vector<std::int8_t> spread{};
  double grid_scatter = 0;
  std::array<double, 3> hull_low{};
  std::array<double, 3> hull_high{};
  int rows = 0;
  errors held_form{};  ///< on the held fifth
  errors held_grid{};
};

struct group_options {
  grid_axes axes{};
  double ridge = .1;         ///< first differences of a grid of all stacks, and of a lone one
  double stack_ridge = .15;  ///< of one stack's difference from it
  double level = .01;
  double cover = .75;  ///< of held folds by the band; above, half-widths pass twice the median error
  int folds = 4;
};

inline double value_at(const grid_axes& g, const Eigen::VectorXd& nodes, const std::array<double, 3>& at) {
  const corners c = corners_of(g, at);
  double v = 0;
  for (std::size_t k = 0; k < 8; ++k) v += c.share[k] * nodes[c.node[k]];
  return v;
}

/// The kernel constants that the library makes of a fitted form, at the part itself.
inline ullage::kernel_constants as_library(const fitted& f, bool narrow_product) {
  ullage::detail::fitted_kernel row;
  row.kernel = narrow_product ? ullage::product::fp8 : ullage::product::bf16;
  row.stack = f.stack;
  row.stacks = static_cast<std::uint8_t>(f.pooled_from);
  row.compute = f.constants.compute;
  row.memory = f.constants.memory;
  row.floor_us = f.constants.floor * 1e6;
  row.pad_rows = f.constants.pad_rows;
  row.scatter = f.form_scatter;
  return ullage::detail::constants_of({&row, 0, -1});
}
inline ullage::detail::cost cost_of(const sample& s, const ullage::kernel_constants& k) {
  return ullage::detail::roofline(s.compute + k.pad_rows * s.pad, s.memory, 1, 1, k);
}

/// One held-out miss: the corners of the constants, what a row's scatter is worth there, and the miss itself.
struct miss {
  double below = 0;  ///< as shares of the middle
  double above = 0;
  double unit = 1;   ///< scatter here over the grid's own
  double ratio = 1;  ///< measured over modelled
};
/// The scatter at which `cover` of the misses lie inside their bands.
inline double scatter_covering(const std::vector<miss>& misses, double cover) {
  double low = 0;
  double high = 5;
  for (int i = 0; i < 40; ++i) {
    const double s = (low + high) / 2;
    std::size_t inside = 0;
    for (const miss& m : misses) {
      const double u = s * m.unit;
      if (m.ratio >= 1 - std::sqrt(m.below * m.below + u * u) && m.ratio <= 1 + std::sqrt(m.above * m.above + u * u))
        ++inside;
    }
    (static_cast<double>(inside) < cover * static_cast<double>(misses.size()) ? low : high) = s;
  }
  return (low + high) / 2;
}
inline miss miss_of(const sample& s, const ullage::kernel_constants& k, double factor, double unit) {
  const ullage::detail::cost c = cost_of(s, k);
  return {1 - c.low_s / c.mid_s, c.high_s / c.mid_s - 1, unit, s.measured / (c.mid_s * factor)};
}

/// How the size of misses differs by place: log|miss| ≈ a(x) + b(y) + c(z), each piecewise linear over the axis' nodes.
inline std::vector<std::int8_t> fit_spread(const grid_axes& g, const std::vector<grid_point>& misses) {
  const int n = g.of[0].size + g.of[1].size + g.of[2].size;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  double middle = 0;
  for (const grid_point& p : misses) middle += std::log(std::max(std::abs(p.residual), .005));
  middle /= static_cast<double>(std::max<std::size_t>(misses.size(), 1));
  for (const grid_point& p : misses) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
    int offset = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const axis& ax = g.of[i];
      const double place = std::clamp((p.at[i] - ax.low) * ax.per_step(), 0.0, static_cast<double>(ax.size - 1));
      const int cell = std::min(static_cast<int>(place), std::max(ax.size - 2, 0));
      x[offset + cell] += 1 - (place - cell);
      if (ax.size > 1) x[offset + cell + 1] += place - cell;
      offset += ax.size;
    }
    a += x * x.transpose();
    b += x * (std::log(std::max(std::abs(p.residual), .005)) - middle);
  }
  constexpr double ridge = 5;
  int offset = 0;
  for (const axis& ax : g.of) {
    for (int i = 0; i < ax.size; ++i) {
      a(offset + i, offset + i) += .1 * ridge;
      if (i + 1 == ax.size) continue;
      a(offset + i, offset + i) += ridge;
      a(offset + i + 1, offset + i + 1) += ridge;
      a(offset + i, offset + i + 1) -= ridge;
      a(offset + i + 1, offset + i) -= ridge;
    }
    offset += ax.size;
  }
  return bytes_of(a.ldlt().solve(b));
}

/// Fits the pool and, where there are several, each stack.
class group {
 public:
  group(std::vector<sample> rows, bool narrow_product, const group_options& o)
      : rows_(std::move(rows)),
        narrow_(narrow_product),
        o_(o) {
    for (const sample& s : rows_) ++count_[static_cast<std::size_t>(s.stack)];
    for (int k = 0; k < stacks; ++k)
      if (count_[static_cast<std::size_t>(k)] > 0)
        own_[static_cast<std::size_t>(k)] = fit_form(rows_, [k](const sample& s) { return !s.held && s.stack == k; });
    choose_pool();
    pool_ = fit_form(rows_, [this](const sample& s) { return !s.held && in_pool(s); });
  }

  std::vector<fitted> all() const {
    std::vector<fitted> out;
    out.push_back(make(-1));
    int present = 0;
    for (int c : count_) present += c > 0 ? 1 : 0;
    for (int k = 0; k < stacks; ++k)
      if (present > 1 && count_[static_cast<std::size_t>(k)] > 0) out.push_back(make(k));
    return out;
  }
  bool left_out(int stack) const { return set_aside_[static_cast<std::size_t>(stack)]; }
  int count(int stack) const { return count_[static_cast<std::size_t>(stack)]; }
  const std::vector<sample>& rows() const { return rows_; }

 private:
  /// A stack whose floor is more than four times another's, and above 40 µs, or which streams at less than a third of
  /// another's rate, was timed outside a captured graph or runs a kernel that nobody chooses: it keeps constants of its own
  /// and stays out of the pool.
  void choose_pool() {
    double least = 1e9;
    double most = 0;
    for (std::size_t k = 0; k < stacks; ++k)
      if (count_[k] > 0) {
        least = std::min(least, own_[k].floor);
        most = std::max(most, own_[k].memory);
      }
    for (std::size_t k = 0; k < stacks; ++k)
      set_aside_[k] =
          count_[k] > 0 && ((own_[k].floor > 4 * least && own_[k].floor > 40e-6) || 3 * own_[k].memory < most);
  }
  bool in_pool(const sample& s) const { return !set_aside_[static_cast<std::size_t>(s.stack)]; }
  bool of(const sample& s, int stack) const { return stack < 0 ? in_pool(s) : s.stack == stack; }
  const form& form_of(int stack) const { return stack < 0 ? pool_ : own_[static_cast<std::size_t>(stack)]; }

  /// The grid of a stack (or the pool) without the fold `without` (−1: with all), and never with held rows.
  Eigen::VectorXd grid(int stack, int without) const {
    const auto points = [&](const auto& use, const auto& form_for) {
      std::vector<grid_point> out;
      for (const sample& s : rows_)
        if (!s.held && s.fold != without && use(s))
          out.push_back({s.at, std::log(s.measured / form_for(s).time(s)), 1});
      return out;
    };
    if (stack < 0)
      return fit_grid(o_.axes,
                      points([this](const sample& s) { return in_pool(s); }, [this](const sample&) { return pool_; }),
                      o_.ridge, o_.level);
    // All stacks, each around its own form, then this one's difference.
    const Eigen::VectorXd common =
        fit_grid(o_.axes,
                 points([](const sample&) { return true; },
                        [this](const sample& s) { return own_[static_cast<std::size_t>(s.stack)]; }),
                 o_.ridge, o_.level);
    return fit_grid(o_.axes,
                    points([stack](const sample& s) { return s.stack == stack; },
                           [this, stack](const sample&) { return own_[static_cast<std::size_t>(stack)]; }),
                    o_.stack_ridge, .1 * o_.stack_ridge, common);
  }

  fitted make(int stack) const {
    fitted f;
    f.stack = static_cast<ullage::kernel_stack>(stack + 1);
    f.constants = form_of(stack);
    f.aside = stack >= 0 && left_out(stack);
    f.hull_low.fill(1e9);
    f.hull_high.fill(-1e9);
    std::array<bool, stacks> seen{};
    for (const sample& s : rows_) {
      if (!of(s, stack)) continue;
      seen[static_cast<std::size_t>(s.stack)] = true;
      if (s.held) continue;
      ++f.rows;
      for (std::size_t i = 0; i < 3; ++i) {
        f.hull_low[i] = std::min(f.hull_low[i], s.at[i]);
        f.hull_high[i] = std::max(f.hull_high[i], s.at[i]);
      }
    }
    f.pooled_from = stack < 0 ? static_cast<int>(std::count(seen.begin(), seen.end(), true)) : 1;

    const ullage::kernel_constants k = as_library(f, narrow_);
    std::vector<miss> around_form;
    for (const sample& s : rows_)
      if (!s.held && of(s, stack)) around_form.push_back(miss_of(s, k, 1, 1));
    f.form_scatter = scatter_covering(around_form, o_.cover);

    f.nodes = bytes_of(grid(stack, -1));
    std::vector<grid_point> left;
    for (int fold = 0; fold < o_.folds; ++fold) {
      const Eigen::VectorXd g = grid(stack, fold);
      for (const sample& s : rows_)
        if (!s.held && s.fold == fold && of(s, stack))
          left.push_back({s.at, std::log(s.measured / f.constants.time(s)) - value_at(o_.axes, g, s.at), 1});
    }
    f.spread = fit_spread(o_.axes, left);
    ullage::residual_grid spread = grid_of(o_.axes, f.nodes, f.hull_low, f.hull_high);
    spread.spread = f.spread.data();
    std::vector<miss> around_grid;
    std::size_t i = 0;
    for (int fold = 0; fold < o_.folds; ++fold)
      for (const sample& s : rows_)
        if (!s.held && s.fold == fold && of(s, stack)) {
          const ullage::residual_value v = ullage::detail::residual_at(spread, s.at[0], s.at[1], s.at[2]);
          miss m = miss_of(s, k, 1, ullage::detail::rough_node_exp(v.spread_steps));
          m.ratio = std::exp(left[i++].residual);
          around_grid.push_back(m);
        }
    f.grid_scatter = scatter_covering(around_grid, o_.cover);
    judge(f, stack);
    return f;
  }

  void judge(fitted& f, int stack) const {
    ullage::kernel_constants plain = as_library(f, narrow_);
    ullage::residual_grid g = grid_of(o_.axes, f.nodes, f.hull_low, f.hull_high);
    g.spread = f.spread.data();
    g.scatter = f.grid_scatter;
    ullage::kernel_constants with = plain;
    with.residual = &g;
    for (const sample& s : rows_) {
      if (!s.held || !of(s, stack)) continue;
      const auto add = [&](errors& e, const ullage::kernel_constants& k) {
        ullage::detail::cost c = cost_of(s, k);
        if (k.residual != nullptr)
          ullage::detail::apply(c, ullage::detail::correction_at(k, s.at[0], s.at[1], s.at[2]));
        const ullage::estimate<ullage::seconds> t = c.band();
        e.add(ullage::value_of(t.low), ullage::value_of(t.mid), ullage::value_of(t.high), s.measured);
      };
      add(f.held_form, plain);
      add(f.held_grid, with);
    }
  }

  std::vector<sample> rows_;
  bool narrow_;
  group_options o_;
  std::array<int, stacks> count_{};
  std::array<bool, stacks> set_aside_{};
  std::array<form, stacks> own_{};
  form pool_{};
};

}  // namespace fit
