// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <ullage/performance/constants.hpp>

namespace ullage::inline v0 {

/// What a time is spent on, by the largest share.
enum class bound : std::uint8_t {
  compute,
  memory,  ///< bytes of the device memory
  network,
  overhead  ///< launches, floors, the gap between steps
};
constexpr std::string_view name(bound b) noexcept {
  switch (b) {
    case bound::compute: return "compute";
    case bound::memory: return "memory";
    case bound::network: return "network";
    case bound::overhead: return "overhead";
  }
  return "overhead";
}

/// Why there is no time.
enum class time_problem : std::uint8_t {
  none,
  empty_model,
  layout,          ///< see check_layout
  bad_load,        ///< nothing to do, or negative
  no_room,         ///< the cache holds not one sequence of the load
  no_bandwidth,    ///< the part's memory bandwidth is not known
  no_peak,         ///< the part has no known peak for this arithmetic or a wider one
  no_fabric,       ///< a group of devices without a fabric
  beyond_domain,   ///< a group larger than the scale-up domain, and no scale-out fabric given
  unknown_format,  ///< a format without a size
  no_figures,      ///< an opaque model without FLOP and bytes of an item
  no_decode,       ///< an encoder has no decode step
  not_modelled     ///< attention whose time is not modelled: blocks that an indexer picks
};
constexpr std::string_view sentence(time_problem p) noexcept {
  switch (p) {
    case time_problem::none: return "no problem";
    case time_problem::empty_model: return "the model has no layers";
    case time_problem::layout: return "the layout cannot run this model";
    case time_problem::bad_load: return "the load is empty or negative";
    case time_problem::no_room: return "the cache does not hold one conversation of this length";
    case time_problem::no_bandwidth: return "the memory bandwidth of the accelerator is not known";
    case time_problem::no_peak: return "the accelerator has no known peak rate for this arithmetic";
    case time_problem::no_fabric: return "the accelerator has no known fabric for a group of devices";
    case time_problem::beyond_domain:
      return "the group is larger than the scale-up domain and no scale-out fabric is given";
    case time_problem::unknown_format: return "a number format has no size";
    case time_problem::no_figures: return "the opaque model says neither FLOP nor bytes of an item";
    case time_problem::no_decode: return "an encoder reads its whole input at once and has no decode step";
    case time_problem::not_modelled:
      return "how long attention over blocks of the cache that an indexer picks takes is not modelled";
  }
  return "no time";
}

/// The time of one operation with its parts in the middle of the band.
struct op_time {
  time_problem problem = time_problem::none;
  estimate<seconds> time{};
  bound limited_by = bound::overhead;
  math computes_as = math::bf16;  ///< the arithmetic that runs; wider than the format's own where the part lacks that
  bool fell_back = false;
  seconds compute{};  ///< shares of the middle: these four add up to it
  seconds memory{};
  seconds network{};
  seconds overhead{};
};

/// The arithmetic that runs products of `wanted` on a part: itself, else 16 bits (a weight-only kernel widens the
/// operands on the way; bytes stay those of the format), else 32.
constexpr math math_on(const accelerator& a, math wanted) noexcept {
  return a.runs_as(wanted);
}

// The door to raw numbers of the performance layer: below it times are doubles in seconds (`_s`), sizes doubles in bytes
// and FLOP. Public functions take and return quantities.
namespace detail {

/// Seconds of a piece of work: the corners of its constants, its scatter, and what the middle is spent on.
struct cost {
  double low_s = 0;
  double mid_s = 0;
  double high_s = 0;
  double scatter_s2 = 0;  ///< Σ of squared 80 % half-widths of kernels around the form, in s²
  double compute_s = 0;   ///< shares of mid_s
  double memory_s = 0;
  double network_s = 0;
  double overhead_s = 0;
  double least_s = 0;  ///< of one operation alone, at nominal rates with everything overlapped
  basis from = basis::exact;

  /// Systematic parts add end to end. The scatter of one kernel repeated is one and the same miss, of different
  /// kernels independent: the squares add.
  void add(const cost& c, double times = 1) noexcept {
    low_s += c.low_s * times;
    mid_s += c.mid_s * times;
    high_s += c.high_s * times;
    scatter_s2 += c.scatter_s2 * times * times;
    compute_s += c.compute_s * times;
    memory_s += c.memory_s * times;
    network_s += c.network_s * times;
    overhead_s += c.overhead_s * times;
    least_s += c.least_s * times;
    from = weaker(from, c.from);
  }
  estimate<seconds> band() const noexcept {
    const double below = mid_s - low_s;
    const double above = high_s - mid_s;
    const double low = mid_s - std::sqrt(below * below + scatter_s2);
    // A band cannot reach zero work: a tenth of the middle is the floor.
    return {of<seconds>(low > .1 * mid_s ? low : .1 * mid_s), of<seconds>(mid_s),
            of<seconds>(mid_s + std::sqrt(above * above + scatter_s2)), from};
  }
  bound largest() const noexcept {
    bound b = bound::overhead;
    double most = overhead_s;
    if (network_s > most) b = bound::network, most = network_s;
    if (memory_s > most) b = bound::memory, most = memory_s;
    if (compute_s > most) b = bound::compute;
    return b;
  }
};

constexpr double seconds_of(const seconds& s) noexcept {
  return value_of(s);
}

/// √((FLOP/(compute·P))² + (bytes/(memory·B))²) + floor at the three corners.
///
/// The root, not the maximum: near the ridge both streams contend, and on public GEMM tables it misses less (13 %
/// against 16 % on A100, 13.2 against 13.8 on H200 in fp8) at no more constants.
inline cost roofline(double flop, double memory_bytes, double peak_flop_per_s, double bandwidth_bytes_per_s,
                     const kernel_constants& k, double launches = 1) noexcept {
  const double c = flop > 0 ? flop / peak_flop_per_s : 0.0;
  const double m = memory_bytes / bandwidth_bytes_per_s;
  const auto at = [&](double compute, double memory) {  // one division less than of each alone
    const double x = c * memory;
    const double y = m * compute;
    return std::sqrt(x * x + y * y) / (compute * memory);
  };
  const double stream = at(k.compute.mid, k.memory.mid);
  cost t;
  t.overhead_s = seconds_of(k.floor.mid) * launches;
  t.low_s = at(k.compute.high, k.memory.high) + seconds_of(k.floor.low) * launches;
  t.mid_s = stream + t.overhead_s;
  t.high_s = at(k.compute.low, k.memory.low) + seconds_of(k.floor.high) * launches;
  const double s = k.scatter * t.mid_s;
  t.scatter_s2 = s * s;
  if (stream > 0) {
    const double x = c / k.compute.mid;
    t.compute_s = x * x / stream;
    t.compute_s = t.compute_s < stream ? t.compute_s : stream;
    t.memory_s = stream - t.compute_s;
  }
  t.least_s = c > m ? c : m;
  t.from = weaker(weaker(k.compute.from, k.memory.from), k.floor.from);
  return t;
}

/// What a grid makes of a kernel's cost.
struct correction {
  double factor = 1;
  double scatter = 0;  ///< 80 % half-width as a share of the time
};
inline void apply(cost& t, const correction& by) noexcept {
  t.low_s *= by.factor;
  t.mid_s *= by.factor;
  t.high_s *= by.factor;
  t.compute_s *= by.factor;
  t.memory_s *= by.factor;
  t.network_s *= by.factor;
  t.overhead_s *= by.factor;
  const double s = by.scatter * t.mid_s;
  t.scatter_s2 = s * s;
}
/// At a place of the grid of `k`, which has one (logarithms). Inside the measured hull the grid's scatter replaces the
/// form's; outside it the form's is doubled. Asked before the roofline: its chain of operations is the longer one.
inline correction correction_at(const kernel_constants& k, double x, double y, double z) noexcept {
  const residual_value v = residual_at(*k.residual, x, y, z);
  return {node_exp(v.factor_steps), v.inside ? k.residual->scatter * rough_node_exp(v.spread_steps) : 2 * k.scatter};
}

/// Bytes of an element of a format, its scales spread over a block.
constexpr double bytes_per_element(const number_format& f) noexcept {
  double bits = f.element_bits;
  if (f.block_cols > 0)
    bits += static_cast<double>(f.scale_bits + f.zero_bits) /
            (static_cast<double>(f.block_rows > 0 ? f.block_rows : 1) * static_cast<double>(f.block_cols));
  return bits / 8;
}
/// Activations enter a product in 8 bits where the arithmetic is 8 bits wide or narrower, else in 16 (32 for fp32).
constexpr double activation_bytes(math m) noexcept {
  switch (m) {
    case math::fp8:
    case math::int8: return 1;
    case math::fp4: return .5625;  // 4 bits and an 8-bit scale a block of 16
    case math::fp32:
    case math::tf32: return 4;
    case math::fp16:
    case math::bf16: return 2;
  }
  return 2;
}

constexpr void slow_down(attained& rate, const attained& by) noexcept {
  rate.low *= by.low;
  rate.mid *= by.mid;
  rate.high *= by.high;
  rate.from = weaker(rate.from, by.from);
}

/// A part's rates as raw numbers, read once a step.
struct rates {
  double bandwidth_bytes_per_s = 0;
  std::array<double, math_kinds> peak_flop_per_s{};
  math runs_as[math_kinds]{};
  basis bandwidth_from = basis::unverified;
  basis peaks_from = basis::unverified;

  constexpr double peak(math m) const noexcept { return peak_flop_per_s[static_cast<std::size_t>(m)]; }
  constexpr math as(math m) const noexcept { return runs_as[static_cast<std::size_t>(m)]; }
};
constexpr rates rates_of(const accelerator& a) noexcept {
  rates r;
  r.bandwidth_bytes_per_s = value_of(a.bandwidth);
  r.bandwidth_from = a.bandwidth_basis;
  r.peaks_from = a.peaks_basis;
  for (std::size_t i = 0; i < math_kinds; ++i) {
    r.runs_as[i] = math_on(a, static_cast<math>(i));
    r.peak_flop_per_s[i] = value_of(a.peak(static_cast<math>(i)));
  }
  return r;
}
constexpr const kernel_constants& of_product(const std::array<kernel_constants, product_kinds>& k, product p) noexcept {
  return k[index_of(p)];
}
constexpr const kernel_constants& of_math(const std::array<kernel_constants, product_kinds>& k, math m) noexcept {
  return k[static_cast<std::size_t>(m)];
}

/// Constants of a dense product as it runs inside a step: without what only a call of its own pays.
inline kernel_constants in_step(const constants& c, math m) noexcept {
  kernel_constants k = of_math(c.gemm, m);
  const double alone = seconds_of(c.gemm_alone[static_cast<std::size_t>(m)].mid);
  const double floor = seconds_of(k.floor.mid);
  if (!(alone > 0) || !(floor > alone)) return k;
  const double left = (floor - alone) / floor;
  k.floor.low = k.floor.low * left;
  k.floor.mid = k.floor.mid * left;
  k.floor.high = k.floor.high * left;
  return k;
}

/// No operation is quicker than its nominal rates by more than data sheets round, whatever scatters around its form; its
/// shares still add up to the middle. Tables hold rows up to as much beyond a rate, and `diagnose` forgives it.
inline constexpr double beyond_rates = 1.05;
constexpr double least_of(const cost& c) noexcept {
  return c.least_s / beyond_rates * 1.001;  // so that no rounding to whole bytes refuses it
}
inline void hold_to_least(cost& c) noexcept {
  const double least = least_of(c);
  if (c.mid_s >= least || !(c.mid_s > 0)) return;
  const double more = least / c.mid_s;
  c.mid_s *= more;
  c.compute_s *= more;
  c.memory_s *= more;
  c.network_s *= more;
  c.overhead_s *= more;
  c.high_s = c.high_s > c.mid_s ? c.high_s : c.mid_s;
}
inline op_time finish(cost c, math wanted, math runs) noexcept {
  op_time t;
  hold_to_least(c);
  t.time = c.band();
  const seconds least = of<seconds>(least_of(c));
  if (t.time.low < least) t.time.low = least < t.time.mid ? least : t.time.mid;
  t.limited_by = c.largest();
  t.computes_as = runs;
  t.fell_back = runs != wanted;
  t.compute = of<seconds>(c.compute_s);
  t.memory = of<seconds>(c.memory_s);
  t.network = of<seconds>(c.network_s);
  t.overhead = of<seconds>(c.overhead_s);
  return t;
}
constexpr op_time no_time(time_problem p) noexcept {
  op_time t;
  t.problem = p;
  return t;
}

}  // namespace detail

/// Any kernel by its FLOP and bytes: √((FLOP/(ε_c·P))² + (bytes/(ε_m·B))²) + t₀ with the constants of a dense GEMM.
inline op_time roofline(operations flop, bytes moved, math m, const accelerator& a, const constants& c) noexcept {
  if (flop < operations{} || moved < bytes{} || overflowed(moved)) return detail::no_time(time_problem::bad_load);
  if (a.bandwidth <= bytes_per_second{}) return detail::no_time(time_problem::no_bandwidth);
  const math runs = math_on(a, m);
  if (a.peak(runs) <= flops_per_second{}) return detail::no_time(time_problem::no_peak);
  detail::cost k = detail::roofline(value_of(flop), real(moved), value_of(a.peak(runs)), value_of(a.bandwidth),
                                    detail::in_step(c, runs));
  k.from = weaker(k.from, weaker(a.bandwidth_basis, a.peaks_basis));
  return detail::finish(k, m, runs);
}

}  // namespace ullage::inline v0
