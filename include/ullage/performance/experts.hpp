// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/transformer.hpp>
#include <ullage/performance/roofline.hpp>

namespace ullage::inline v0 {

/// Expected distinct experts that n tokens reach when each picks k of E. Alike: E·(1 − (1 − k/E)ⁿ). With a coefficient of
/// variation `skew` of their popularity: E·(1 − (1 + v·n·k/E)^(−1/v)), v = min(skew², 1), the gamma mixture of Poisson picks;
/// what varies beyond that is a popular few, which leave the others within reach. A negative skew: dealt out evenly, as
/// synthetic tables have it, min(E, n·k). 0 for no tokens or experts; never more than E or n·k.
inline double distinct_experts(double experts, double per_token, double n, double skew = 0) noexcept {
  if (!(experts > 0) || !(per_token > 0) || !(n > 0)) return 0;
  if (per_token >= experts) return experts;
  if (skew < 0) return n * per_token < experts ? n * per_token : experts;
  const double alike = -experts * std::expm1(n * std::log1p(-per_token / experts));
  if (!(skew > 0)) return alike;
  const double v = skew < 1 ? skew * skew : 1.0;
  const double skewed = -experts * std::expm1(-std::log1p(v * n * per_token / experts) / v);
  return skewed < alike ? skewed : alike;
}

/// Expected largest of n normal variates, in standard deviations (Blom 1958: the quantile at (n − 0.375)/(n + 0.25), by
/// Hastings' approximation, Abramowitz and Stegun 26.2.23). 0 for one.
inline double largest_of_normals(double n) noexcept {
  if (!(n > 1)) return 0;
  const double beyond = .625 / (n + .25);
  const double t = std::sqrt(-2 * std::log(beyond));
  return t - (2.515517 + t * (.802853 + t * .010328)) / (1 + t * (1.432788 + t * (.189269 + t * .001308)));
}

/// Expected load of the busiest of `ranks` ranks over the mean, for `pairs` token-expert pairs and `experts` experts a rank
/// whose popularity varies by `skew`. A rank's load is taken as a gamma variate of variance skew²/experts + 1/pairs (of the
/// mean squared) and its largest by Wilson and Hilferty's cube. At least 1, at most `ranks`; 1 for one rank, no work, or a
/// negative skew (dealt out evenly).
inline double busiest_rank(double ranks, double experts, double pairs, double skew) noexcept {
  if (!(ranks > 1) || !(experts > 0) || !(pairs > 0) || !(skew >= 0)) return 1;
  const double v = skew * skew / experts + 1 / pairs;
  const double root = 1 - v / 9 + largest_of_normals(ranks) * std::sqrt(v) / 3;
  const double load = root * root * root;
  return load > ranks ? ranks : load > 1 ? load : 1;
}

/// Coefficient of variation of a power law x^(−alpha) between 1 and `most`: the skew of routing tables that draw experts'
/// loads so. 0 for most ≤ 1.
inline double power_law_skew(double alpha, double most) noexcept {
  if (!(most > 1)) return 0;
  const double l = std::log(most);
  const auto moment = [&](double power) {  // ∫ x^(power − alpha) dx
    const double e = power - alpha + 1;
    return e > -1e-6 && e < 1e-6 ? l : std::expm1(e * l) / e;
  };
  const double mean = moment(1) / moment(0);
  const double v = moment(2) / moment(0) / (mean * mean) - 1;
  return v > 0 ? std::sqrt(v) : 0;
}

namespace detail {

/// Work of the routed experts of one layer on the busiest rank.
struct expert_work {
  double flop = 0;
  double pad_flop = 0;  ///< of one row more for each expert reached
  double moved = 0;
  std::array<double, 3>
      place{};  ///< in the residual grid: logarithms of tokens an expert, elements of a matrix, experts here
};
/// `all_tokens`: of all data-parallel replicas; whole experts spread over `ep` ranks, each one's inner size divided by `ways`.
///
/// FLOP: 2·pairs·matrices·hidden·inner with the busiest rank's token-expert pairs; bytes: the weights of the distinct experts
/// reached on the rank, and activations in and out.
inline expert_work expert_work_of(const feed_forward& f, double hidden, const number_format& weights, math runs,
                                  double all_tokens, double ways, double ep, double skew) noexcept {
  const double ranks = ep > 1 ? ep : 1.0;
  const double inner = static_cast<double>(f.expert_inner) / ways;
  const double experts = static_cast<double>(f.experts);
  const double k = static_cast<double>(f.experts_per_token);
  const double matrices = static_cast<double>(f.matrices);
  const double local = experts / ranks;
  const double mean_pairs = all_tokens * k / ranks;
  const double reached = distinct_experts(experts, k, all_tokens, skew) / ranks;
  // The busiest rank works on one pair and one expert at least.
  const double here = reached > 1 ? reached : 1;
  // No token picks an expert twice.
  const double most = all_tokens * (k < local ? k : local);
  double pairs = mean_pairs * busiest_rank(ranks, local, mean_pairs, skew);
  pairs = pairs < 1 ? 1 : pairs < most ? pairs : most;
  const double pair_flop = 2 * matrices * hidden * inner;
  expert_work w;
  w.flop = pair_flop * pairs;
  w.pad_flop = pair_flop * here;
  w.moved = here * bytes_per_element(weights) * matrices * hidden * inner +
            pairs * (activation_bytes(runs) * hidden + 2 * hidden + 2 * matrices * inner);
  w.place = {grid_log(mean_pairs / local), grid_log(hidden * inner), grid_log(local)};
  return w;
}

/// Routed experts of one layer on one rank, each expert reached computing `pad_rows` rows for nothing (tiles).
inline cost experts_cost(const feed_forward& f, double hidden, const number_format& weights, double all_tokens,
                         double ways, double ep, const rates& r, const constants& c) noexcept {
  const math runs = r.as(weights.multiplies_as);
  const kernel_constants& k = of_product(c.experts, product_of(weights, runs));
  const auto at = [&](double skew) {
    const expert_work w = expert_work_of(f, hidden, weights, runs, all_tokens, ways, ep, skew);
    cost t = roofline(w.flop + k.pad_rows * w.pad_flop, w.moved, r.peak(runs), r.bandwidth_bytes_per_s, k);
    if (k.residual != nullptr) apply(t, correction_at(k, w.place[0], w.place[1], w.place[2]));
    return t;
  };
  cost t = at(c.expert_skew.mid);
  if (c.expert_skew.pinned()) return t;
  // Skew slows the busiest rank and spares weights: either end of it may be the faster one.
  for (const double skew : {c.expert_skew.low, c.expert_skew.high}) {
    const cost other = at(skew);
    if (other.low_s < t.low_s) t.low_s = other.low_s;
    if (other.high_s > t.high_s) t.high_s = other.high_s;
  }
  t.from = weaker(t.from, c.expert_skew.from);
  return t;
}

}  // namespace detail

/// Time of the routed experts of one layer on the busiest rank, for routing as uneven as `expert_skew` of the constants says:
/// `n` tokens of all replicas; whole experts spread over `ep` ranks, each one's inner size divided by `tp` (which must go into
/// it). Without the exchange of tokens between ranks: that is an all-to-all. Bad input gives a `problem`.
inline op_time experts(const feed_forward& f, count hidden, const number_format& weights, tokens n, std::int64_t tp,
                       std::int64_t ep, const accelerator& a, const constants& c) noexcept {
  if (f.kind != feed_forward_kind::experts || f.experts < 1 || f.experts_per_token < 1 ||
      f.experts_per_token > f.experts || f.expert_inner < 1 || f.matrices < 1 || hidden < count(1) ||
      n < of<tokens>(1) || tp < 1 || f.expert_inner % tp != 0 || ep < 1 || ep > f.experts || hidden.overflowed() ||
      overflowed(n))
    return detail::no_time(time_problem::bad_load);
  if (weights.element_bits <= 0) return detail::no_time(time_problem::unknown_format);
  if (a.bandwidth <= bytes_per_second{}) return detail::no_time(time_problem::no_bandwidth);
  const detail::rates r = detail::rates_of(a);
  const math runs = r.as(weights.multiplies_as);
  if (!(r.peak(runs) > 0)) return detail::no_time(time_problem::no_peak);
  detail::cost k = detail::experts_cost(f, static_cast<double>(hidden), weights, real(n), static_cast<double>(tp),
                                        static_cast<double>(ep), r, c);
  k.from = weaker(k.from, weaker(r.bandwidth_from, r.peaks_from));
  return detail::finish(k, weights.multiplies_as, runs);
}

}  // namespace ullage::inline v0
