// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/roofline.hpp>

namespace ullage::inline v0 {

namespace detail {
/// rows × inner times inner × outputs on one device: 2·rows·outputs·inner FLOP;
/// bytes: weights w·inner·outputs + activations a·rows·inner + result 2·rows·outputs.
inline cost gemm_cost(double rows, double outputs, double inner, const number_format& weights, math runs,
                      double peak_flop_per_s, double bandwidth_bytes_per_s, const constants& c,
                      double launches = 1) noexcept {
  const double moved =
      bytes_per_element(weights) * inner * outputs + activation_bytes(runs) * rows * inner + 2 * rows * outputs;
  const kernel_constants& k = of_product(c.gemm, product_of(weights, runs));
  const double flop = 2 * rows * outputs * inner;
  if (k.residual == nullptr) return roofline(flop, moved, peak_flop_per_s, bandwidth_bytes_per_s, k, launches);
  const correction by = correction_at(k, grid_log(rows), grid_log(outputs), grid_log(inner));
  cost t = roofline(flop, moved, peak_flop_per_s, bandwidth_bytes_per_s, k, launches);
  apply(t, by);
  return t;
}
/// The same inside a step, without what only a call of its own pays; never below the streams themselves.
inline cost gemm_cost_in_step(double rows, double outputs, double inner, const number_format& weights, const rates& r,
                              const constants& c, double launches = 1) noexcept {
  const math runs = r.as(weights.multiplies_as);
  cost t = gemm_cost(rows, outputs, inner, weights, runs, r.peak(runs), r.bandwidth_bytes_per_s, c, launches);
  const double alone = seconds_of(c.gemm_alone[index_of(product_of(weights, runs))].mid) * launches;
  if (!(alone > 0)) return t;
  const double stream = t.mid_s - t.overhead_s;
  const double least = .1 * t.overhead_s;
  const double overhead = t.overhead_s > alone + least ? t.overhead_s - alone : least;
  const double less = t.overhead_s - overhead;
  const double scale = (stream + overhead) / t.mid_s;
  t.scatter_s2 *= scale * scale;
  t.low_s = t.low_s - less > stream / 2 ? t.low_s - less : stream / 2;
  t.mid_s -= less;
  t.high_s -= less;
  t.overhead_s = overhead;
  return t;
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
  const math runs = a.runs_as(weights.multiplies_as);
  const double peak = value_of(a.peak(runs));
  if (!(peak > 0)) return no_time(time_problem::no_peak);
  detail::cost k = detail::gemm_cost(static_cast<double>(rows), static_cast<double>(outputs),
                                     static_cast<double>(inner), weights, runs, peak, value_of(a.bandwidth), c);
  k.from = weaker(k.from, weaker(a.bandwidth_basis, a.peaks_basis));
  return detail::finish(k, weights.multiplies_as, runs);
}

/// The same as it runs inside an engine's step: without what only a call of its own pays (`gemm_alone`: quantising the
/// activations, which engines fuse with what comes before).
inline op_time gemm_in_step(count rows, count outputs, count inner, const number_format& weights, const accelerator& a,
                            const constants& c) noexcept {
  const op_time alone = gemm(rows, outputs, inner, weights, a, c);
  if (alone.problem != time_problem::none) return alone;
  const detail::rates r = detail::rates_of(a);
  detail::cost k = detail::gemm_cost_in_step(static_cast<double>(rows), static_cast<double>(outputs),
                                             static_cast<double>(inner), weights, r, c);
  k.from = weaker(k.from, weaker(a.bandwidth_basis, a.peaks_basis));
  return detail::finish(k, weights.multiplies_as, alone.computes_as);
}

}  // namespace ullage::inline v0
