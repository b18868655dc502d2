// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>
#include <ullage/memory/layout.hpp>
#include <ullage/model/opaque.hpp>
#include <ullage/performance/roofline.hpp>

// Opaque models under the roofline. Docs: docs/formulas/opaque.md.
namespace ullage::inline v0 {

namespace detail {

/// How much further the slow end reaches than that of a GEMM, in compute and in the floor of a launch: a whole network
/// attains less than its best kernels. On 14 public figures the band then holds 12 (docs/formulas/opaque.md).
inline constexpr double opaque_slow = 1.5;

/// The format that a model's weights have in an engine: the engine's, else the model's own.
constexpr number_format opaque_format(const opaque_model& m, const engine& e) noexcept {
  return e.weights.name.empty() ? m.format : e.weights;
}
/// The arithmetic that runs on a part; a part without any known peak is taken to have what is asked for.
constexpr math opaque_math(const accelerator& a, math wanted) noexcept {
  return a.peak(math_on(a, wanted)) > flops_per_second{} ? math_on(a, wanted) : wanted;
}
/// Bytes of activations where the network runs in another arithmetic than its figures are for: by the width that
/// activations enter products with. A network in 8 bits keeps them in 8 bits between its kernels, too, in the middle of
/// the band; at the slow end it does not.
constexpr estimate<bytes> activations_as(const estimate<bytes>& stated, math figures, math runs) noexcept {
  const double wide = activation_bytes(runs);
  const double own = activation_bytes(figures);
  if (wide == own) return stated;
  const auto scaled = [&](bytes b) { return overflowed(b) ? b : of<bytes>(truncate(real(b) * (wide / own))); };
  return {scaled(stated.low), scaled(stated.mid), wide < own ? stated.high : scaled(stated.high),
          weaker(stated.from, basis::transferred)};
}

}  // namespace detail

/// Resident bytes of the activations of one item on a part, in the format of its weights there.
constexpr estimate<bytes> opaque_activation(const opaque_model& m, const engine& e, const accelerator& a) noexcept {
  return detail::activations_as(m.activation_per_item, m.format.multiplies_as,
                                detail::opaque_math(a, detail::opaque_format(m, e).multiplies_as));
}

/// Time of one pass over `items` at once on one device:
///   √((n·FLOP/(ε_c·P))² + ((weights + n·moved)/(ε_m·B))²) + kernels·t₀
/// with the constants of dense GEMM, evaluated at both ends of the bytes moved and of the constants. Weights in a format
/// whose products the part lacks are widened on the way. Whole networks attain less than their best kernels: the basis is
/// never better than `transferred`. Bad input gives a `problem` and no time.
inline op_time batch_time(const opaque_model& m, const engine& e, sequences items, const accelerator& a,
                          const constants& c) noexcept {
  const number_format f = detail::opaque_format(m, e);
  if (items <= sequences{} || overflowed(items) || !m.consistent()) return detail::no_time(time_problem::bad_load);
  if (!m.timed()) return detail::no_time(time_problem::no_figures);
  if (f.element_bits <= 0) return detail::no_time(time_problem::unknown_format);
  if (a.bandwidth <= bytes_per_second{}) return detail::no_time(time_problem::no_bandwidth);
  const math runs = math_on(a, f.multiplies_as);
  if (a.peak(runs) <= flops_per_second{}) return detail::no_time(time_problem::no_peak);
  const double n = real(items);
  const estimate<bytes> moved = detail::activations_as(m.moved_per_item, m.format.multiplies_as, runs);
  kernel_constants k = detail::in_step(c, runs);
  k.compute.low /= detail::opaque_slow;
  k.floor.high = k.floor.high * detail::opaque_slow;
  const bool widened = detail::widens(f, runs);
  const auto at = [&](bytes each, double share) {
    return detail::roofline(n * value_of(m.flop_per_item),
                            real(m.weights(f)) / (widened ? share : 1.0) + n * real(each), value_of(a.peak(runs)),
                            value_of(a.bandwidth), k, static_cast<double>(m.kernels));
  };
  detail::cost t = at(moved.mid, c.widened.mid);
  t.low_s = at(moved.low, c.widened.high).low_s;
  t.high_s = at(moved.high, c.widened.low).high_s;
  t.least_s = 0;  // its bytes are an estimate themselves
  t.from = weaker(weaker(weaker(t.from, moved.from), weaker(m.from, basis::transferred)),
                  weaker(a.bandwidth_basis, a.peaks_basis));
  return detail::finish(t, f.multiplies_as, runs);
}

/// Items a second of replicas that each take an equal share of the items at once.
struct opaque_service {
  time_problem problem = time_problem::none;
  op_time batch{};                      ///< of the fullest replica
  sequences items{};                    ///< of that replica
  estimate<double> items_per_second{};  ///< of all replicas
  estimate<double> items_per_device{};  ///< per second
};

/// Throughput of `concurrency` items at once over the layout's replicas: concurrency ÷ the time of the fullest one's
/// pass. Only `dp` may be more than 1. Bad input gives a `problem`.
inline opaque_service perf(const opaque_model& m, const engine& e, const layout& l, sequences concurrency,
                           const accelerator& a, const constants& c) noexcept {
  opaque_service s;
  if (check_layout(m, l) != layout_problem::none) {
    s.problem = time_problem::layout;
    return s;
  }
  s.items = of<sequences>(ceil_div(concurrency.value(), count(l.dp)));
  s.batch = batch_time(m, e, s.items, a, c);
  s.problem = s.batch.problem;
  if (s.problem != time_problem::none) return s;
  const double n = real(concurrency);
  const estimate<seconds>& t = s.batch.time;
  s.items_per_second = {n / value_of(t.high), n / value_of(t.mid), n / value_of(t.low), t.from};
  const double replicas = static_cast<double>(l.dp);
  s.items_per_device = {s.items_per_second.low / replicas, s.items_per_second.mid / replicas,
                        s.items_per_second.high / replicas, t.from};
  return s;
}

}  // namespace ullage::inline v0
