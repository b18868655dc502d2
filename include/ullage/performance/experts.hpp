// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/transformer.hpp>
#include <ullage/performance/roofline.hpp>

namespace ullage::inline v0 {

/// Expected distinct experts that n tokens reach when each picks k of E alike: E·(1 − (1 − k/E)ⁿ).
/// 0 for no tokens or experts; never more than E or n·k.
inline double distinct_experts(double experts, double per_token, double n) noexcept {
  if (!(experts > 0) || !(per_token > 0) || !(n > 0)) return 0;
  if (per_token >= experts) return experts;
  return -experts * std::expm1(n * std::log1p(-per_token / experts));
}

namespace detail {

/// Routed experts of one layer on one rank. `all_tokens`: of all data-parallel replicas; `ep` > 1: whole experts spread
/// over ep ranks, else each expert's inner size divided by `ways` = tp·dp.
///
/// FLOP: 2·tokens·k·matrices·hidden·inner ÷ ranks (times the busiest rank's surplus with ep); bytes: the weights of the
/// distinct experts reached on the rank, and activations in and out.
inline cost experts_cost(const feed_forward& f, double hidden, const number_format& weights, double all_tokens,
                         double ways, double ep, const rates& r, const constants& c) noexcept {
  const math runs = r.as(weights.multiplies_as);
  const double e = static_cast<double>(f.experts);
  const double k = static_cast<double>(f.experts_per_token);
  const double ranks = ep > 1 ? ep : ways;
  const double inner = static_cast<double>(f.expert_inner) / (ep > 1 ? 1.0 : ways);
  const double here = distinct_experts(e, k, all_tokens) / (ep > 1 ? ep : 1.0);
  const double routed = all_tokens * k / (ep > 1 ? ep : 1.0);  // token-expert pairs on the rank
  const double matrices = static_cast<double>(f.matrices);
  const double flop = 2 * all_tokens * k * matrices * hidden * static_cast<double>(f.expert_inner) / ranks;
  const double moved = here * bytes_per_element(weights) * matrices * hidden * inner +
                       routed * (activation_bytes(runs) * hidden + 2 * hidden + 2 * matrices * inner);
  kernel_constants kernel = of_math(c.experts, runs);
  if (widens(weights, runs)) slow_down(kernel.memory, c.widened);
  if (ep > 1) {
    // With many tokens the busiest rank's share of the work is above the mean; with few, weights dominate.
    const double full = routed / (routed + 128 * (here > 1 ? here : 1));
    const auto slower = [&](double imbalance) { return 1 / (1 + full * (1 / imbalance - 1)); };
    kernel.compute.low *= slower(c.expert_imbalance.low);
    kernel.compute.mid *= slower(c.expert_imbalance.mid);
    kernel.compute.high *= slower(c.expert_imbalance.high);
  }
  return roofline(flop, moved, r.peak(runs), r.bandwidth_bytes_per_s, kernel);
}

}  // namespace detail

/// Time of the routed experts of one layer on one rank: `n` tokens of all replicas, experts divided `ways` (tp·dp), or
/// spread whole over `ep` ranks where ep > 1. Bad input gives a `problem`.
inline op_time experts(const feed_forward& f, count hidden, const number_format& weights, tokens n, std::int64_t ways,
                       std::int64_t ep, const accelerator& a, const constants& c) noexcept {
  if (f.kind != feed_forward_kind::experts || f.experts < 1 || f.experts_per_token < 1 || hidden < count(1) ||
      n < of<tokens>(1) || ways < 1 || ep < 1)
    return detail::no_time(time_problem::bad_load);
  if (weights.element_bits <= 0) return detail::no_time(time_problem::unknown_format);
  if (a.bandwidth <= bytes_per_second{}) return detail::no_time(time_problem::no_bandwidth);
  const detail::rates r = detail::rates_of(a);
  const math runs = r.as(weights.multiplies_as);
  if (!(r.peak(runs) > 0)) return detail::no_time(time_problem::no_peak);
  detail::cost k = detail::experts_cost(f, static_cast<double>(hidden), weights, real(n), static_cast<double>(ways),
                                        static_cast<double>(ep), r, c);
  k.from = weaker(k.from, weaker(r.bandwidth_from, r.peaks_from));
  return detail::finish(k, weights.multiplies_as, runs);
}

}  // namespace ullage::inline v0
