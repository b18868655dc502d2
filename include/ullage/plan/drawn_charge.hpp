// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <ullage/engine/allocator.hpp>
#include <ullage/plan/context_distribution.hpp>

// What the allocator charges for sequences whose lengths are drawn. Docs: docs/formulas/memory_limits.md.
namespace ullage::inline v0 {

/// What one drawn sequence is charged on one rank: in blocks where the rank has a pool of them, else in bytes.
struct drawn_charge {
  struct atom {
    std::int64_t charge = 0;
    double share = 0;
  };
  /// Of a list, by charge, equal ones together; empty of a lognormal.
  detail::static_list<atom, context_distribution::most_values> atoms{};
  double mean = 0;
  double deviation = 0;
  double skewness = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t p95 = 0;  ///< the least charge that 95 % of the sequences do not pass
  bool overflowed = false;
};

namespace detail {

/// The charge of one sequence of so many tokens, in the unit of `drawn_charge`.
constexpr count charge_of(const cache_layout& b, std::int64_t context) noexcept {
  return b.pooled ? blocks_per_sequence(b, of<tokens>(context)) : charged_per_sequence(b, of<tokens>(context)).value();
}

/// Sums that become mean, deviation and skewness; about `middle`, so that little cancels.
struct charge_sums {
  double middle = 0;
  double first = 0;
  double second = 0;
  double third = 0;

  void add(double share, double charge) noexcept {
    const double x = charge - middle;
    first += share * x;
    second += share * x * x;
    third += share * x * x * x;
  }
  void finish(drawn_charge& c) const noexcept {
    c.mean = middle + first;
    const double variance = second - first * first;
    c.deviation = variance > 0 ? std::sqrt(variance) : 0;
    if (c.deviation > 0)
      c.skewness = (third - 3 * first * second + 2 * first * first * first) / (variance * c.deviation);
  }
};

inline void draw_list(drawn_charge& c, const context_distribution& d, const cache_layout& b, tokens longest) noexcept {
  const double total = total_weight(d);
  for (const context_distribution::value& v : d.values) {
    if (!(v.weight > 0)) continue;
    const count charge = charge_of(b, smaller(count(v.tokens), longest.value()).value());
    if (charge.overflowed()) {
      c.overflowed = true;
      return;
    }
    std::size_t place = 0;
    while (place < c.atoms.size() && c.atoms[place].charge < charge.value()) ++place;
    if (place < c.atoms.size() && c.atoms[place].charge == charge.value()) {
      c.atoms[place].share += v.weight / total;
      continue;
    }
    c.atoms.push_back({});
    for (std::size_t i = c.atoms.size() - 1; i > place; --i) c.atoms[i] = c.atoms[i - 1];
    c.atoms[place] = {charge.value(), v.weight / total};
  }
  charge_sums sums;
  sums.middle = static_cast<double>(c.atoms[0].charge);
  double below = 0;
  for (const drawn_charge::atom& a : c.atoms) {
    sums.add(a.share, static_cast<double>(a.charge));
    if (below < 0.95 - 1e-12) c.p95 = a.charge;
    below += a.share;
  }
  sums.finish(c);
  c.least = c.atoms[0].charge;
  c.most = c.atoms.back().charge;
}

/// A lognormal: the charge is a staircase of the length, so intervals of lengths are halved until one lies on a stair, or
/// its share times its rise is too little to matter; within such a one the charge is taken as spread evenly.
inline void draw_lognormal(drawn_charge& c, const context_distribution& d, const cache_layout& b,
                           tokens longest) noexcept {
  struct interval {
    std::int64_t first, last;  // lengths above first, up to last
    double below, up_to;       // shares up to these
    double charge_first, charge_last;
  };
  const std::int64_t end = integer(longest);
  const count top = charge_of(b, end);
  if (top.overflowed()) {
    c.overflowed = true;
    return;
  }
  const double median = std::exp(d.log_mean);
  const std::int64_t beside_median = median < 1 ? 1 : median < real(longest) ? static_cast<std::int64_t>(median) : end;
  charge_sums sums;
  sums.middle = static_cast<double>(charge_of(b, beside_median));
  const double enough = 1e-5 * (sums.middle > 1 ? sums.middle : 1.0);
  static_list<interval, 48> rest;
  rest.push_back({0, end, 0, share_up_to(d, end), static_cast<double>(charge_of(b, 1)), static_cast<double>(top)});
  sums.add(1 - rest[0].up_to, rest[0].charge_last);  // what is cut
  while (!rest.empty()) {
    const interval i = rest.back();
    --rest.used;
    const double share = i.up_to - i.below;
    const double rise = i.charge_last - i.charge_first;
    const bool even = rise <= 0 || share * rise <= enough;
    if (!even && i.last - i.first > 1 && rest.size() + 2 <= rest.capacity()) {
      // In the middle of the logarithms, where the lognormal is even.
      const double half = std::sqrt(static_cast<double>(i.first > 0 ? i.first : 1) * static_cast<double>(i.last));
      std::int64_t m = static_cast<std::int64_t>(half);
      if (m <= i.first) m = i.first + 1;
      if (m >= i.last) m = i.last - 1;
      const double below = share_up_to(d, m);
      rest.push_back({m, i.last, below, i.up_to, static_cast<double>(charge_of(b, m + 1)), i.charge_last});
      rest.push_back({i.first, m, i.below, below, i.charge_first, static_cast<double>(charge_of(b, m))});
      continue;
    }
    // Simpson's rule takes even cubes exactly.
    sums.add(share / 6, i.charge_first);
    sums.add(share * 4 / 6, (i.charge_first + i.charge_last) / 2);
    sums.add(share / 6, i.charge_last);
  }
  sums.finish(c);
  c.least = charge_of(b, 1).value();
  c.most = top.value();
  c.p95 = charge_of(b, integer(p95_context(d, longest))).value();
}

/// 95th percentile of a sum with this mean, deviation and skewness: the normal distribution's with the correction of
/// Wilson and Hilferty (1931) for a skew sum, mean + deviation·(2/γ)·((1 + γ·z/6 − γ²/36)³ − 1). Beyond a skewness of 2
/// that falls again while sums do not, so it ends there.
inline double skew_p95(double mean, double deviation, double skewness) noexcept {
  const double g = skewness > 2 ? 2 : skewness < -2 ? -2 : skewness;
  double k = normal_p95;
  if (g > 1e-4 || g < -1e-4) {
    const double w = 1 + g * normal_p95 / 6 - g * g / 36;
    k = 2 / g * (w * w * w - 1);
  }
  return mean + deviation * k;
}

inline constexpr std::size_t lattice_cells = 512;

/// 95th percentile of the sum of n draws of a list, draw by draw on a lattice of the excess over n of the least. Exact
/// where the lattice is the one that the charges have in common; where that is finer than the cells, each charge is shared by
/// the two cells beside it, which keeps its mean. Below 0: too much work, the caller approximates.
inline double lattice_p95(const drawn_charge& c, std::int64_t n) noexcept {
  const double draws = static_cast<double>(n);
  std::int64_t step = 0;
  for (const drawn_charge::atom& a : c.atoms) step = std::gcd(step, a.charge - c.least);
  const double unit = static_cast<double>(step);
  // Cantelli: at most 5 % lies √19 deviations and more above the mean.
  const double tail = draws * (c.mean - static_cast<double>(c.least)) + 4.3589 * c.deviation * std::sqrt(draws);
  const double all = draws * static_cast<double>(c.most - c.least);
  const double reach = (tail < all ? tail : all) / unit;
  constexpr double last = static_cast<double>(lattice_cells - 3);
  const double width = reach > last ? reach / last : 1.0;
  const auto cells = static_cast<std::size_t>(std::ceil(reach / width)) + 2;
  const double work = draws * static_cast<double>(cells * c.atoms.size() * (width > 1 ? 2 : 1));
  if (work > 200'000 || cells > lattice_cells) return -1;
  double now[lattice_cells]{};
  double next[lattice_cells]{};
  now[0] = 1;
  std::size_t used = 1;  // cells that the draws so far can reach
  for (std::int64_t i = 0; i < n; ++i) {
    std::size_t reached = 0;
    for (const drawn_charge::atom& a : c.atoms) {
      const double place = static_cast<double>(a.charge - c.least) / unit / width;
      if (place >= static_cast<double>(cells)) continue;
      const auto at = static_cast<std::size_t>(place);
      const double upper = width > 1 ? place - static_cast<double>(at) : 0;
      const std::size_t end = used + at < cells ? used : cells - at;
      for (std::size_t s = 0; s < end; ++s) next[s + at] += now[s] * (a.share * (1 - upper));
      if (upper > 0)
        for (std::size_t s = 0; s < end && s + at + 1 < cells; ++s) next[s + at + 1] += now[s] * (a.share * upper);
      if (reached < end + at + 1) reached = end + at + 1;
    }
    used = reached < cells ? reached : cells;
    for (std::size_t s = 0; s < used; ++s) {
      now[s] = next[s];
      next[s] = 0;
    }
  }
  double below = 0;
  for (std::size_t s = 0; s < cells; ++s) {
    below += now[s];
    if (below >= 0.95 - 1e-9) return draws * static_cast<double>(c.least) + static_cast<double>(s) * width * unit;
  }
  return -1;
}

}  // namespace detail

/// What a sequence of the distribution, cut at `longest`, is charged on a rank.
inline drawn_charge charge_of_draw(const context_distribution& d, const cache_layout& b, tokens longest) noexcept {
  drawn_charge c;
  if (check(d) != distribution_problem::none || longest <= tokens{}) {
    c.overflowed = true;
    return c;
  }
  if (d.values.empty())
    detail::draw_lognormal(c, d, b, longest);
  else
    detail::draw_list(c, d, b, longest);
  return c;
}

/// The charge that `n` sequences, drawn apart, do not pass with 95 % probability: of one sequence, and of a list while that
/// is little work, from the distribution of the sum; else by its mean, deviation and skewness. Never more than n of the
/// largest. Overflowed where the charge of one is.
inline count charge_at_p95(const drawn_charge& c, count n) noexcept {
  if (c.overflowed || n.overflowed()) return count::overflow();
  if (n <= count(0)) return count(0);
  const count worst = n * count(c.most);
  if (c.least == c.most || !(c.deviation > 0)) return worst;
  if (n == count(1)) return count(c.p95);
  double found = c.atoms.empty() ? -1 : detail::lattice_p95(c, n.value());
  if (found < 0) {
    const double draws = static_cast<double>(n);
    const double root = std::sqrt(draws);
    found = detail::skew_p95(draws * c.mean, root * c.deviation, c.skewness / root);
  }
  const count whole = truncate(std::ceil(found - 1e-6));
  return !worst.overflowed() && worst < whole ? worst : whole;
}

/// Bytes that the allocator takes on a rank for `how_many` drawn sequences with 95 % probability; see `charged_kv`.
inline bytes charged_mix(const cache_layout& b, const context_distribution& d, tokens longest, sequences how_many,
                         const engine_rules& r) noexcept {
  if (how_many == sequences{} || b.groups.empty()) return bytes{};
  const count charge = charge_at_p95(charge_of_draw(d, b, longest), how_many.value());
  return b.pooled ? b.block * (charge + truncate(r.null_blocks)) : of<bytes>(charge);
}

}  // namespace ullage::inline v0
