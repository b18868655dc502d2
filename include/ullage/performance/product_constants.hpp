// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <ullage/performance/fitted_kernels.hpp>
#include <ullage/performance/kernel_constants.hpp>

// Constants of matrix products: which row of the fits a part, a kernel and a stack take, and how wide its band is.
namespace ullage::inline v0 {

/// Dense products, and grouped products of routed experts with all that runs around them.
struct product_constants {
  std::array<kernel_constants, product_kinds> gemm{};
  std::array<kernel_constants, product_kinds> experts{};
  /// What a GEMM called alone takes on top of one inside an engine's step, which fuses the quantisation of activations
  /// into the kernel before and launches from a captured graph.
  std::array<estimate<seconds>, product_kinds> gemm_alone{};
  std::string_view source{};    ///< in words
  std::string_view relative{};  ///< id of the part whose tables were taken; empty = none
};

namespace detail {

/// How near another part's kernels are: 0 the same part, below 100 the same architecture, below 1000 a lender's; the memory
/// whose speed is nearest first.
inline double distance_of(const accelerator& a, const fitted_part& p) noexcept {
  if (is_row_of(a.id, p.id)) return 0;
  const bool same = a.family == p.family && a.family != architecture::unknown;
  const architecture kin = lender(a.family);
  if (!same && kin != p.family && kin != lender(p.family)) return 1000;
  const double rate = value_of(a.bandwidth);
  const double apart = rate > 0 ? std::abs(std::log(p.nominal_bytes_per_second / rate)) : 1.0;
  // Blackwell and its refresh run the same kernels; the refresh is still a step further than the part itself.
  const bool refresh = a.family == architecture::blackwell_ultra || p.family == architecture::blackwell_ultra;
  return apart + (same ? 1 : refresh && kin == lender(p.family) ? 10 : 100);
}

/// The row that a part takes for a kernel, and how far it came.
struct found_kernel {
  const fitted_kernel* row = nullptr;
  double distance = 1000;
  std::int16_t number = -1;  ///< of the row
};
using found_kernels = std::array<std::array<found_kernel, product_kinds>, 2>;

inline found_kernels find_kernels(const accelerator& a, kernel_stack stack, bool as_timed) noexcept {
  std::array<double, fitted_parts.size()> distance{};
  for (std::size_t i = 0; i < fitted_parts.size(); ++i) distance[i] = distance_of(a, fitted_parts[i]);
  found_kernels found{};
  for (std::size_t i = 0; i < fitted_kernels.size(); ++i) {
    const fitted_kernel& r = fitted_kernels[i];
    if ((r.stack != stack && r.stack != kernel_stack::pooled) || (r.aside && !as_timed)) continue;
    const double d = distance[r.part];
    found_kernel& best = found[r.grouped ? 1 : 0][index_of(r.kernel)];
    // The nearest part first, its own stack before the pool.
    if (d < best.distance || (d == best.distance && d < 1000 && r.stack == stack))
      best = {&r, d, static_cast<std::int16_t>(i)};
  }
  return found;
}

constexpr bool narrow(product p) noexcept {
  return p == product::fp8 || p == product::int8 || p == product::fp4 || p == product::fp8_block || p == product::mxfp4;
}
/// The miss that was measured when one part's constants were used for another: docs/formulas/performance.md.
constexpr double transfer_half(product p, double distance) noexcept {
  return narrow(p) ? .35 : distance < 100 ? .17 : .22;
}

/// Constants of a fitted row, with the band of its distance. Of its own stack the constants differ by release and
/// machine by a few percent; of a pool also between stacks.
inline kernel_constants constants_of(const found_kernel& f) noexcept {
  const fitted_kernel& r = *f.row;
  kernel_constants k;
  if (f.distance > 0) {
    const double half = transfer_half(r.kernel, f.distance);
    k.compute = around(r.compute, half, basis::transferred);
    k.memory = around(r.memory, half, basis::transferred);
    k.floor = microseconds_around(r.floor_us, .35, basis::transferred);
  } else {
    const bool one = r.stack != kernel_stack::pooled || r.stacks == 1;
    k.compute = around(r.compute, one ? .06 : narrow(r.kernel) ? .18 : .07, basis::fitted);
    k.memory = around(r.memory, .05, basis::fitted);
    k.floor = microseconds_around(r.floor_us, one ? .10 : .15, basis::fitted);
  }
  k.pad_rows = r.pad_rows;
  k.scatter = r.scatter;
  k.row = f.number;
  return k;
}

/// Constants of one kernel made from another's: shares times `factor`, a band of at least `half`.
inline kernel_constants borrowed(kernel_constants k, double compute_factor, double memory_factor,
                                 double half) noexcept {
  const auto widen = [half](const attained& a, double factor) {
    const double own = a.mid > 0 && a.low > 0 ? a.mid / a.low - 1 : 0;
    return around(a.mid * factor, own > half ? own : half, basis::transferred);
  };
  k.compute = widen(k.compute, compute_factor);
  k.memory = widen(k.memory, memory_factor);
  k.floor.from = basis::transferred;
  k.row = -1;
  return k;
}

}  // namespace detail

/// Constants of matrix products on a part, as `constants_for` takes them. `as_timed`: also what a stack's tables have but
/// no engine runs, so that single calls come out as those tables time them.
inline product_constants product_constants_for(const accelerator& a, kernel_stack stack = kernel_stack::pooled,
                                               bool as_timed = false) noexcept {
  using detail::around;
  using detail::borrowed;
  using detail::index_of;
  using detail::microseconds_around;
  const detail::found_kernels found = detail::find_kernels(a, stack, as_timed);
  product_constants c;

  // Dense: what was fitted, of this part or its relative; the others from the kernel that is most like them.
  const auto fill = [&](product p, const kernel_constants& otherwise) -> kernel_constants& {
    const detail::found_kernel& f = found[0][index_of(p)];
    return c.gemm[index_of(p)] = f.row != nullptr ? detail::constants_of(f) : otherwise;
  };
  const kernel_constants middle{around(.65, .40, basis::transferred), around(.78, .40, basis::transferred),
                                microseconds_around(4, .40, basis::transferred), .20};
  const kernel_constants bf16 = fill(product::bf16, middle);
  fill(product::fp16, bf16);
  for (product p : {product::tf32, product::fp32}) fill(p, borrowed(bf16, 1, 1, .22)).scatter = .20;
  // In 8 bits weights stream at 0.94 of the 16-bit rate and in 4 bits at 0.78; kernels that unpack weights on the way keep
  // 0.60 (0.42 to 0.80).
  const double wide = bf16.compute.from == basis::fitted ? .35 : .40;
  kernel_constants like8 = borrowed(bf16, .70, .94, wide);
  kernel_constants like4 = borrowed(bf16, .52, .78, wide);
  like8.scatter = .35;
  like4.scatter = .38;
  const kernel_constants fp8 = fill(product::fp8, like8);
  fill(product::int8, borrowed(fp8, 1, 1, .35));
  fill(product::fp8_block, borrowed(fp8, 1, 1, .35));
  const kernel_constants fp4 = fill(product::fp4, like4);
  fill(product::mxfp4, borrowed(fp4, 1, 1, .35));
  kernel_constants unpacks = borrowed(bf16, 1, .60, .40);
  unpacks.scatter = .30;
  fill(product::w8a16, unpacks);
  fill(product::mxfp4_a16, fill(product::w4a16, unpacks));

  // Engines fuse the quantisation of activations: one to two microseconds stay on top of the 16-bit floor.
  for (std::size_t i = 0; i < product_kinds; ++i) {
    const product p = static_cast<product>(i);
    const double extra = p == product::fp4 || p == product::mxfp4 ? 2e-6 : detail::narrow(p) ? 1e-6 : 0;
    const double surplus = value_of(c.gemm[i].floor.mid) - value_of(bf16.floor.mid) - extra;
    if (surplus > 0) c.gemm_alone[i] = estimate<seconds>::exactly(of<seconds>(surplus), basis::transferred);
  }

  // Grouped: 0.43 of what a dense kernel attains in 16 bits and 0.68 in fewer (H200) where nothing was fitted.
  const bool blackwell = a.family == architecture::blackwell || a.family == architecture::blackwell_ultra;
  const auto grouped = [&](product p, const kernel_constants& otherwise) -> kernel_constants& {
    const detail::found_kernel& f = found[1][index_of(p)];
    return c.experts[index_of(p)] = f.row != nullptr ? detail::constants_of(f) : otherwise;
  };
  const auto from_dense = [&](product p) {
    kernel_constants k = borrowed(c.gemm[index_of(p)], detail::narrow(p) ? .68 : .43, 1, .40);
    k.floor = microseconds_around(blackwell ? 28 : 45, .40, basis::transferred);
    k.scatter = .30;
    return k;
  };
  const kernel_constants e16 = grouped(product::bf16, from_dense(product::bf16));
  grouped(product::fp16, e16);
  for (product p : {product::tf32, product::fp32}) grouped(p, borrowed(e16, 1, 1, .22));
  const detail::found_kernel* blocks = &found[1][index_of(product::fp8_block)];
  const kernel_constants e8 =
      grouped(product::fp8,
              blocks->row != nullptr ? borrowed(detail::constants_of(*blocks), 1, 1, .35) : from_dense(product::fp8));
  grouped(product::fp8_block, borrowed(e8, 1, 1, .35));
  grouped(product::int8, borrowed(e8, 1, 1, .35));
  const kernel_constants e4 = grouped(product::fp4, from_dense(product::fp4));
  grouped(product::mxfp4, borrowed(e4, 1, 1, .35));
  const kernel_constants ew4 = grouped(product::w4a16, borrowed(e16, 1, .60, .40));
  grouped(product::w8a16, borrowed(ew4, 1, 1, .40));
  grouped(product::mxfp4_a16, borrowed(ew4, 1, 1, .40));

  const detail::found_kernel& f = found[0][index_of(product::bf16)];
  if (f.row == nullptr) {
    c.source = "no relative with public tables: middle values with 40 %";
    return c;
  }
  c.relative = detail::fitted_parts[f.row->part].id;
  c.source = f.distance <= 0   ? "fitted to public kernel tables of this part"
             : f.distance < 10 ? "transferred from the nearest part of the same architecture"
                               : "transferred from the nearest part of a kindred architecture";
  return c;
}

}  // namespace ullage::inline v0
