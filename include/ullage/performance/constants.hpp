// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <ullage/performance/attention_constants.hpp>
#include <ullage/performance/kernel_constants.hpp>
#include <ullage/performance/network_constants.hpp>
#include <ullage/performance/product_constants.hpp>

// What kernels attain of the nominal rates of a part, and the fixed times around them. Docs: docs/formulas/performance.md.
namespace ullage::inline v0 {

/// All constants of the time model for one part. A plain struct: change what you have measured.
struct constants {
  std::array<kernel_constants, product_kinds> gemm{};  ///< by the kernel that runs; the first seven are `math`
  std::array<kernel_constants, product_kinds>
      experts{};  ///< grouped products of routed experts; floor is that of the whole block
  /// What a GEMM called alone takes on top of one in an engine's step (`gemm` has it, `step` leaves it out).
  std::array<estimate<seconds>, product_kinds> gemm_alone{};
  attained widened{};  ///< share of the memory rate that weight-only kernels of narrow weights keep
  attention_constants attention{};
  collective_constants network{};
  kernel_constants elementwise{};   ///< norms, rotary, activation, cache writes: memory and floor count
  estimate<seconds> step_gap{};     ///< scheduler, input preparation and sampling between two steps
  estimate<seconds> request_gap{};  ///< from arrival to the first step: parsing, queue of the server, answer
  /// Coefficient of variation of experts' popularity: 0 = all alike, below 0 = tokens are dealt out evenly. See `busiest_rank` and `distinct_experts`.
  estimate<double> expert_skew{0, 0, 0, basis::unverified};
  attained step_share{};        ///< modelled over measured time of a whole step: what no kernel accounts for
  double step_scatter = 0;      ///< 80 % half-width of a whole step around the form, as a share of its time
  std::string_view source{};    ///< in words, for the answer
  std::string_view relative{};  ///< id of the part whose tables were taken; empty = none
};

/// The constants of a part: fitted where public kernel tables hold it, else transferred from the nearest relative with
/// a band as wide as such a transfer was measured to miss (16 bits: 17 % within an architecture and 22 % across, 8 bits
/// and fewer: 35 %), else, without a relative, middle values with ±40 %. `source` says which. `stack` takes the kernels of one
/// engine where its tables were public, else the middle of all.
///
/// Not constexpr: once g++ 14 has evaluated it as a constant, a default `constants` of the same file starts with zeros.
inline constants constants_for(const accelerator& a, kernel_stack stack = kernel_stack::pooled) noexcept {
  using detail::around;
  using detail::microseconds;
  constants c;
  const product_constants products = product_constants_for(a, stack);
  c.gemm = products.gemm;
  c.experts = products.experts;
  c.gemm_alone = products.gemm_alone;
  c.widened = {.42, .60, .80, basis::fitted};
  c.attention = attention_constants_for(a, stack);
  c.network = network_constants_for(a);

  const bool alone = products.relative.empty();  // nothing to borrow from
  const basis memory_from = c.gemm[detail::index_of(product::bf16)].memory.from;
  c.elementwise = {around(1, 0, basis::fitted), around(.75, alone ? .40 : .12, memory_from),
                   microseconds(1.6, 2.0, 2.5, basis::transferred), .20};
  c.step_gap = microseconds(220, 300, 410, basis::transferred);
  c.request_gap = microseconds(5e3, 16e3, 60e3, basis::transferred);
  c.expert_skew = {0, .8, 2, basis::transferred};
  // Between the middle row (.94) and the middle group (.89) of 585 public rows of served models in 25 groups (part, engine,
  // model, formats), December 2026: docs/evidence.md, "What a step has beside its kernels", has them by engine.
  c.step_share = {.86, .93, 1, basis::transferred};
  // So that of 1,243 public rows of served models four of five lie inside the band (set on them, December
  // 2026; docs/formulas/performance.md).
  c.step_scatter = .15;
  c.relative = products.relative;
  c.source = products.source;
  return c;
}

/// The same for single calls as a stack's tables time them. They differ where a stack's table was timed outside a captured
/// graph, or of a kernel that no engine chooses (block-scaled fp8 GEMM of vLLM 0.24, its fp8 experts on Hopper): steps made of
/// those would be too slow, so `constants_for` takes the pool there.
inline constants constants_as_timed(const accelerator& a, kernel_stack stack) noexcept {
  constants c = constants_for(a, stack);
  const product_constants products = product_constants_for(a, stack, true);
  c.gemm = products.gemm;
  c.experts = products.experts;
  c.gemm_alone = products.gemm_alone;
  return c;
}

}  // namespace ullage::inline v0
