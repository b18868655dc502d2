// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/roofline.hpp>

namespace ullage::inline v0 {

namespace detail {
/// rows × inner times inner × outputs on one device: 2·rows·outputs·inner FLOP;
/// bytes: weights w·inner·outputs + activations a·rows·inner + result 2·rows·outputs.
inline cost gemm_cost(double rows, double outputs, double inner, const number_format& weights, const rates& r,
                      const constants& c, double launches = 1) noexcept {
  const math runs = r.as(weights.multiplies_as);
  const double moved =
      bytes_per_element(weights) * inner * outputs + activation_bytes(runs) * rows * inner + 2 * rows * outputs;
  kernel_constants k = of_math(c.gemm, runs);
  if (widens(weights, runs)) slow_down(k.memory, c.widened);
  return roofline(2 * rows * outputs * inner, moved, r.peak(runs), r.bandwidth_bytes_per_s, k, launches);
}
}  // namespace detail

/// Time of a dense layer on one device: `rows` tokens through a matrix of `outputs` × `inner` in the format `weights`.
///
/// Bad input (a size below 1, a format without bits, unknown rates) gives a `problem` and no time.
inline op_time gemm(count rows, count outputs, count inner, const number_format& weights, const accelerator& a,
                    const constants& c) noexcept {
  using detail::no_time;
  if (rows < count(1) || outputs < count(1) || inner < count(1) || rows.overflowed() || outputs.overflowed() ||
      inner.overflowed())
    return no_time(time_problem::bad_load);
  if (weights.element_bits <= 0) return no_time(time_problem::unknown_format);
  if (a.bandwidth <= bytes_per_second{}) return no_time(time_problem::no_bandwidth);
  const detail::rates r = detail::rates_of(a);
  const math runs = r.as(weights.multiplies_as);
  if (!(r.peak(runs) > 0)) return no_time(time_problem::no_peak);
  detail::cost k = detail::gemm_cost(static_cast<double>(rows), static_cast<double>(outputs),
                                     static_cast<double>(inner), weights, r, c);
  k.from = weaker(k.from, weaker(r.bandwidth_from, r.peaks_from));
  return detail::finish(k, weights.multiplies_as, runs);
}

}  // namespace ullage::inline v0
