// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "collective_samples.hpp"
#include "evolve.hpp"
#include "robust.hpp"

// Three lines with limits to measured collectives: cut the sizes at two places, fit each piece by itself, then move all
// constants together; the best of many cuts.
namespace fit {

using ullage::collective_curve;
using ullage::collective_line;
using ullage::detail::ranks;
using ullage::detail::ranks_of;

struct collective_point {
  ranks at{};
  double bytes = 0;
  double link = 0;
  double seconds = 0;
  double log_seconds = 0;
  double weight = 1;
};
inline collective_point point_of(const measured_collective& m) {
  return {ranks_of(m.what, m.ranks), m.bytes, link_of(m.fabric), m.seconds, std::log(m.seconds), m.weight};
}
inline double seconds_of(const collective_curve& c, const collective_point& p) {
  return ullage::detail::fastest_line(c, p.at, p.bytes, p.link).seconds;
}

/// base, hop, wire and own of one line, none below 0, by least squares of relative errors (absolute ones by reweighting).
inline collective_line line_through(const std::vector<collective_point>& points, int crowd) {
  Eigen::Vector4d best = Eigen::Vector4d::Zero();
  const auto rows = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd a(rows, 4);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const collective_point& p = points[static_cast<std::size_t>(i)];
    const double s = p.bytes / p.link;
    a.row(i) << 1e-6, 1e-6 * p.at.hops, p.at.wire * s, std::pow(p.at.root, crowd) * s;
    a.row(i) /= p.seconds;
  }
  Eigen::VectorXd weight = Eigen::VectorXd::Ones(rows);
  for (int turn = 0; turn < 6; ++turn) {
    double least = 1e300;
    for (unsigned used = 1; used < 16; ++used) {
      Eigen::MatrixXd some(rows, 4);
      Eigen::Index cols = 0;
      for (unsigned j = 0; j < 4; ++j)
        if (used >> j & 1U) some.col(cols++) = a.col(static_cast<Eigen::Index>(j)).cwiseProduct(weight);
      const Eigen::MatrixXd part = some.leftCols(cols);
      Eigen::MatrixXd normal = part.transpose() * part;
      normal.diagonal() *= 1 + 1e-9;
      const Eigen::VectorXd x = normal.ldlt().solve(part.transpose() * weight);
      if (!(x.minCoeff() >= 0)) continue;
      const double loss = (part * x - weight).squaredNorm();
      if (loss >= least) continue;
      least = loss;
      best.setZero();
      Eigen::Index k = 0;
      for (unsigned j = 0; j < 4; ++j)
        if (used >> j & 1U) best(static_cast<Eigen::Index>(j)) = x(k++);
    }
    weight = ((a * best).array() - 1).abs().max(.02).rsqrt().matrix();
  }
  return {best(0) * 1e-6, best(1) * 1e-6, best(2), best(3), static_cast<std::uint8_t>(crowd), 0, 0, 0};
}

inline double loss_of(const collective_curve& c, const std::vector<collective_point>& points) {
  double sum = 0, weight = 0;
  for (const collective_point& p : points) {
    sum += p.weight * robust(std::log(seconds_of(c, p)) - p.log_seconds, .02);
    weight += p.weight;
  }
  return sum / weight;
}

/// All constants of a curve moved together.
inline collective_curve polished(const collective_curve& start, const std::vector<collective_point>& points,
                                 int evaluations, unsigned seed) {
  constexpr double least[4] = {1e-8, 1e-9, 1e-4, 1e-5};
  const auto to = [&](const Eigen::VectorXd& x) {
    collective_curve c = start;
    Eigen::Index j = 0;
    for (std::size_t i = 0; i < c.used; ++i) {
      collective_line& l = c.lines[i];
      double* member[4] = {&l.base_s, &l.hop_s, &l.wire, &l.own};
      for (int k = 0; k < 4; ++k) *member[k] = std::exp(x(j++));
      if (l.limit_bytes > 0) l.limit_bytes = std::exp(x(j++));
    }
    return c;
  };
  std::vector<double> x;
  for (std::size_t i = 0; i < start.used; ++i) {
    const collective_line& l = start.lines[i];
    const double member[4] = {l.base_s, l.hop_s, l.wire, l.own};
    for (int k = 0; k < 4; ++k) x.push_back(std::log(std::max(member[k], least[k])));
    if (l.limit_bytes > 0) x.push_back(std::log(l.limit_bytes));
  }
  const Eigen::VectorXd first = Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  return to(evolve([&](const Eigen::VectorXd& v) { return loss_of(to(v), points); }, first, .25, evaluations, seed));
}

inline double rounded(double x, int digits) {
  if (!(x > 0)) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - (digits - 1));
  return std::round(x / unit) * unit;
}
/// Without lines that no row takes and limits that bind nowhere, three digits each.
inline collective_curve tidied(collective_curve c, const std::vector<collective_point>& points) {
  const double before = loss_of(c, points);
  for (std::size_t i = 0; i + 1 < c.used;) {
    collective_curve without = c;
    for (std::size_t j = i; j + 1 < c.used; ++j) without.lines[j] = without.lines[j + 1];
    without.lines[--without.used] = {};
    if (loss_of(without, points) <= before * 1.01 + 1e-5)
      c = without;
    else
      ++i;
  }
  for (std::size_t i = 0; i < c.used; ++i) {
    collective_curve open = c;
    open.lines[i].limit_bytes = 0;
    if (loss_of(open, points) <= loss_of(c, points)) c = open;
    collective_line& l = c.lines[i];
    l.base_s = l.base_s < 1e-8 ? 0 : rounded(l.base_s, 3);
    l.hop_s = l.hop_s < 2e-9 ? 0 : rounded(l.hop_s, 3);
    l.wire = l.wire < 1e-3 ? 0 : rounded(l.wire, 3);
    l.own = l.own < 1e-4 ? 0 : rounded(l.own, 3);
    l.limit_bytes = rounded(l.limit_bytes, 3);
  }
  return c;
}

/// `lines` of them at most; `starts` random cuts. Where a switch reduces, one line more for groups of eight.
inline collective_curve fit_curve(const std::vector<collective_point>& points, int lines, int starts, unsigned seed,
                                  bool switch_reduces = false) {
  std::mt19937 random(seed);
  double low = 1e300, high = 0;
  for (const collective_point& p : points) low = std::min(low, p.bytes), high = std::max(high, p.bytes);
  std::uniform_real_distribution<double> cut(std::log(low * 4), std::log(high / 4));
  std::uniform_int_distribution<int> crowd(0, 4);
  collective_curve best;
  double best_loss = 1e300;
  for (int start = 0; start < starts; ++start) {
    std::vector<double> cuts{low / 2};
    for (int i = 1; i < lines; ++i) cuts.push_back(std::exp(cut(random)));
    std::sort(cuts.begin(), cuts.end());
    cuts.push_back(high * 2);
    collective_curve c;
    c.used = 0;
    for (int i = 0; i < lines; ++i) {
      std::vector<collective_point> piece;
      for (const collective_point& p : points)
        if (p.bytes > cuts[static_cast<std::size_t>(i)] && p.bytes <= cuts[static_cast<std::size_t>(i) + 1])
          piece.push_back(p);
      if (piece.size() < 6) continue;
      collective_line l = line_through(piece, crowd(random));
      if (i + 1 < lines) l.limit_bytes = cuts[static_cast<std::size_t>(i) + 1];
      c.lines[c.used++] = l;
    }
    if (c.used == 0) continue;
    c.lines[c.used - 1u].limit_bytes = 0;
    c = polished(c, points, 3000, seed + static_cast<unsigned>(start));
    if (const double loss = loss_of(c, points); loss < best_loss) best = c, best_loss = loss;
  }
  best = polished(best, points, 6000, seed);
  std::vector<collective_point> eight;
  for (const collective_point& p : points)
    if (p.at.n >= 8 && p.bytes >= 1 << 22) eight.push_back(p);
  if (switch_reduces && best.used < best.lines.size() && eight.size() >= 6) {
    collective_curve more = best;
    for (std::size_t i = more.used; i > 0; --i) more.lines[i] = more.lines[i - 1];
    more.lines[0] = line_through(eight, 0);
    more.lines[0].least_ranks = 8;
    ++more.used;
    more = polished(more, points, 9000, seed);
    if (loss_of(more, points) < .97 * loss_of(best, points)) best = more;
  }
  return tidied(best, points);
}

}  // namespace fit
