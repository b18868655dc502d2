// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <ullage/estimate.hpp>
#include <ullage/hardware.hpp>
#include <ullage/number_format.hpp>
#include <ullage/units.hpp>

// What kernels attain of the nominal rates of a part, and the fixed times around them. Docs: docs/formulas/performance.md.
namespace ullage::inline v0 {

/// Share of a nominal rate that kernels attain. {low, high} is the 80 % band of the constant, `low` its slow end.
struct attained {
  double low = 1;
  double mid = 1;
  double high = 1;
  basis from = basis::unverified;
  friend constexpr bool operator==(const attained&, const attained&) noexcept = default;
};

/// Constants of one sort of kernel under the roofline: time = √((FLOP/(compute·P))² + (bytes/(memory·B))²) + floor.
struct kernel_constants {
  attained compute{};
  attained memory{};
  estimate<seconds> floor{};  ///< launch, ramp and tail of one kernel inside a captured graph
  double scatter = 0;         ///< 80 % half-width of one kernel around the form, as a share of its time
};

/// Attention. A prefill attains compute·L/(L + prefill_half_tokens) at L keys a query row.
struct attention_constants {
  kernel_constants prefill{};
  double prefill_half_tokens = 0;
  kernel_constants decode{};  ///< memory: the stream of cached keys and values
  attained decode_narrow{};   ///< the same for a cache of 8 bits and less
};

enum class collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, send_receive };
inline constexpr std::size_t collective_kinds = 5;

constexpr std::string_view name(collective c) noexcept {
  switch (c) {
    case collective::all_reduce: return "all_reduce";
    case collective::all_gather: return "all_gather";
    case collective::reduce_scatter: return "reduce_scatter";
    case collective::all_to_all: return "all_to_all";
    case collective::send_receive: return "send_receive";
  }
  return "all_reduce";
}

/// Collectives: the faster of a communication library's line and, for all-reduce, an engine's own kernel in a graph.
struct collective_constants {
  std::array<attained, collective_kinds> link{};  ///< share of the fabric's usable rate, wire bytes as NCCL counts them
  std::array<estimate<seconds>, collective_kinds> base{};
  estimate<seconds> per_rank{};     ///< times the ranks, up to eight; then times log2
  attained crowd{};                 ///< share of that left when more than two devices go through the host
  estimate<seconds> graph_floor{};  ///< an engine's own all-reduce
  estimate<seconds> graph_per_rank{};
  attained graph_link{};
  estimate<seconds> scale_out_hop{};  ///< added once for each step between nodes
  attained scale_out_link{};
  double scatter = 0;
};

/// All constants of the time model for one part. A plain struct: change what you have measured.
struct constants {
  std::array<kernel_constants, math_kinds> gemm{};  ///< by the arithmetic that runs
  std::array<kernel_constants, math_kinds>
      experts{};       ///< grouped GEMM of routed experts; floor is that of the whole block
  attained widened{};  ///< share of the memory rate that weight-only kernels of narrow weights keep
  attention_constants attention{};
  collective_constants network{};
  kernel_constants elementwise{};   ///< norms, rotary, activation, cache writes: memory and floor count
  estimate<seconds> step_gap{};     ///< scheduler, input preparation and sampling between two steps
  estimate<seconds> request_gap{};  ///< from arrival to the first step: parsing, queue of the server, answer
  attained expert_imbalance{};      ///< busiest expert-parallel rank over the mean, at many tokens; low is the slow end
  attained step_share{};            ///< modelled over measured time of a whole step: what no kernel accounts for
  std::string_view source{};        ///< in words, for the answer
  std::string_view relative{};      ///< id of the part whose tables were taken; empty = none
};

namespace detail {

constexpr attained around(double mid, double half, basis from) noexcept {
  const double high = mid * (1 + half);
  return {mid / (1 + half), mid, high < 1 ? high : (mid < 1 ? 1.0 : mid), from};
}
constexpr estimate<seconds> microseconds(double low, double mid, double high, basis from) noexcept {
  return {of<seconds>(low * 1e-6), of<seconds>(mid * 1e-6), of<seconds>(high * 1e-6), from};
}
constexpr estimate<seconds> microseconds_around(double mid, double half, basis from) noexcept {
  return microseconds(mid / (1 + half), mid, mid * (1 + half), from);
}

/// Fits and medians of public kernel tables (docs/formulas/performance.md names them); 0 = no rows for that part.
struct kernel_row {
  std::string_view id{};
  architecture family = architecture::unknown;
  double nominal_bytes_per_second = 0;
  double bf16 = 0;  // GEMM compute, of the dense peak
  double fp8 = 0;
  double fp4 = 0;
  double gemm_memory = 0;  // GEMM stream in 16 bits
  double gemm_floor_us = 0;
  double decode = 0;         // stream of a 16-bit cache
  double decode_narrow = 0;  // of an 8-bit cache
  double prefill = 0;        // prefill attention, of the bf16 peak
  double link = 0;           // all-reduce bus rate of eight devices, of the one-way link
};
// clang-format off
inline constexpr std::array<kernel_row, 9> kernel_rows{{
    {"a100-sxm", architecture::ampere, 2.039e12, .78, 0, 0, .75, 5.0, .68, 0, .55, .74},
    {"h100-sxm", architecture::hopper, 3.35e12, .78, .50, 0, .85, 3.0, .79, .62, 0, 1.0},
    {"h200-sxm", architecture::hopper, 4.8e12, .78, .54, 0, .85, 3.4, .74, .53, .54, 1.0},
    {"b200", architecture::blackwell, 8.0e12, .70, .50, .38, .75, 3.0, .80, .76, .43, .78},
    {"gb200", architecture::blackwell, 8.0e12, .70, .42, .38, .75, 3.0, .84, .78, 0, .78},
    {"b300", architecture::blackwell, 8.0e12, .78, .54, .30, .75, 2.5, .80, .75, 0, .78},
    {"gb300", architecture::blackwell, 8.0e12, .74, 0, .31, 0, 0, .76, 0, .53, 0},
    {"l40s", architecture::ada, .864e12, .58, .46, 0, .80, 1.5, .79, .78, 0, .60},
    {"rtx-pro-6000", architecture::blackwell_rtx, 1.792e12, .78, .66, .62, .85, 3.0, .81, .79, 0, .60},
}};
// clang-format on
constexpr bool is_row_of(std::string_view part, std::string_view row) noexcept {
  // Sizes and editions of one part share its kernels: "a100-sxm-80gb", "rtx-pro-6000-server".
  if (row != "a100-sxm" && row != "rtx-pro-6000") return part == row;
  return part.substr(0, row.size()) == row && (part.size() == row.size() || part[row.size()] == '-');
}
/// Architectures without a table of their own borrow from a kindred one.
constexpr architecture lender(architecture a) noexcept {
  switch (a) {
    case architecture::blackwell_ultra: return architecture::blackwell;
    case architecture::volta:
    case architecture::turing:
    case architecture::orin: return architecture::ampere;
    case architecture::ampere_rtx: return architecture::ada;
    case architecture::rubin: return architecture::blackwell;
    case architecture::thor: return architecture::blackwell_rtx;
    default: return a;
  }
}
/// The row of the same architecture whose memory is nearest in speed.
constexpr const kernel_row* nearest_row(architecture family, double bytes_per_s, bool complete) noexcept {
  const architecture wanted = lender(family);
  const kernel_row* best = nullptr;
  double best_ratio = 0;
  for (const kernel_row& r : kernel_rows) {
    if (r.family != wanted || (complete && r.gemm_memory <= 0)) continue;
    double ratio = bytes_per_s > 0 ? r.nominal_bytes_per_second / bytes_per_s : 1.0;
    if (ratio < 1) ratio = 1 / ratio;
    if (best == nullptr || ratio < best_ratio) {
      best = &r;
      best_ratio = ratio;
    }
  }
  return best;
}

}  // namespace detail

/// The constants of a part: fitted where public kernel tables hold it, else transferred from the nearest relative with
/// a band as wide as such a transfer was measured to miss (16 bits: 17 % within an architecture and 22 % across, 8 bits
/// and fewer: 35 %), else, without a relative, middle values with ±40 %. `source` says which.
///
/// Not constexpr: once g++ 14 has evaluated it as a constant, a default `constants` of the same file starts with zeros.
inline constants constants_for(const accelerator& a) noexcept {
  using detail::around;
  using detail::microseconds;
  using detail::microseconds_around;
  constants c;

  const double bandwidth = value_of(a.bandwidth);
  const detail::kernel_row* own = nullptr;
  for (const detail::kernel_row& r : detail::kernel_rows)
    if (detail::is_row_of(a.id, r.id)) own = &r;
  const detail::kernel_row* kin = detail::nearest_row(a.family, bandwidth, true);
  const bool across = detail::lender(a.family) != a.family && a.family != architecture::blackwell_ultra;
  // A figure of the part's own table, else of the relative's, else a middle value.
  struct pick {
    double value = 0;
    double half = 0;
    basis from = basis::unverified;
  };
  const auto choose = [&](double detail::kernel_row::*member, double own_half, double transfer_half,
                          double middle) -> pick {
    if (own != nullptr && own->*member > 0) return {own->*member, own_half, basis::fitted};
    if (kin != nullptr && kin->*member > 0) return {kin->*member, transfer_half, basis::transferred};
    return {middle, .40, basis::transferred};
  };
  const double wide = across ? .22 : .17;
  const pick bf16 = choose(&detail::kernel_row::bf16, .07, wide, .65);
  const pick fp8 = choose(&detail::kernel_row::fp8, .18, .35, .50);
  const pick fp4 = choose(&detail::kernel_row::fp4, .18, .35, .38);
  const pick memory = choose(&detail::kernel_row::gemm_memory, .05, wide, .78);
  const pick launch = choose(&detail::kernel_row::gemm_floor_us, .15, .35, 4.0);
  const pick decode = choose(&detail::kernel_row::decode, .08, wide, .75);
  const pick narrow = choose(&detail::kernel_row::decode_narrow, .12, .35, .62);
  const pick prefill = choose(&detail::kernel_row::prefill, .12, wide, .50);
  const pick link = choose(&detail::kernel_row::link, .10, .25, .70);
  const auto share = [](const pick& p) { return around(p.value, p.half, p.from); };
  const auto scaled = [](pick p, double factor) -> pick {
    p.value *= factor;
    return p;
  };
  const auto borrowed = [](pick p, double half) -> pick {
    if (p.half < half) p.half = half;
    p.from = basis::transferred;
    return p;
  };

  // Dense GEMM. In 8 bits the weights stream at 0.94 of the 16-bit rate, in 4 bits at 0.78. Tables of narrow formats
  // have floors of 8 to 13 µs because they quantise the activations in the call; engines fuse most of that: one to two
  // microseconds are added, and the scatter is that of the tables.
  const auto set = [&](math m, const pick& compute, double memory_factor, double extra_us, double scatter) {
    c.gemm[static_cast<std::size_t>(m)] = {share(compute), share(scaled(memory, memory_factor)),
                                           microseconds_around(launch.value + extra_us, launch.half, launch.from),
                                           scatter};
  };
  set(math::bf16, bf16, 1, 0, .16);
  set(math::fp16, bf16, 1, 0, .16);
  set(math::tf32, borrowed(bf16, .22), 1, 0, .20);
  set(math::fp32, borrowed(bf16, .22), 1, 0, .20);
  set(math::fp8, fp8, .94, 1, .35);
  set(math::int8, borrowed(fp8, .35), .94, 1, .35);
  set(math::fp4, fp4, .78, 2, .38);
  c.widened = {.42, .60, .80, basis::fitted};

  // Grouped GEMM: 0.43 of what a dense one attains in 16 bits and 0.68 in fewer (H200); weights stream at 0.90; the floor is
  // that of routing, two products and the sum: about 45 µs on Hopper and older, 28 on Blackwell.
  const bool blackwell = a.family == architecture::blackwell || a.family == architecture::blackwell_ultra;
  const bool alone = own == nullptr && kin == nullptr;  // nothing to borrow from
  const auto half_of = [&](double half) { return alone ? .40 : half; };
  const basis experts_from = own != nullptr && own->gemm_memory > 0 ? basis::fitted : basis::transferred;
  for (std::size_t i = 0; i < math_kinds; ++i) {
    const math m = static_cast<math>(i);
    const bool narrow_math = m == math::fp8 || m == math::int8 || m == math::fp4;
    c.experts[i] = {around(c.gemm[i].compute.mid * (narrow_math ? .68 : .43), half_of(.20), basis::transferred),
                    around(.90, experts_from == basis::fitted ? .07 : half_of(.20), experts_from),
                    blackwell ? microseconds(24, 28, 33, experts_from) : microseconds(38, 45, 53, experts_from), .30};
  }

  // The prefill's roll-off and memory share are common to all parts.
  c.attention.prefill = {share(prefill), around(.75, half_of(.20), prefill.from), microseconds(6, 9, 14, prefill.from),
                         .25};
  c.attention.prefill_half_tokens = 800;
  c.attention.decode = {share(prefill), share(decode), microseconds(9, 11, 13, basis::fitted), .25};
  c.attention.decode_narrow = share(narrow);

  // Library line: 6, 9.4 and 16 µs for 2, 4 and 8 Hopper devices; all-gather 0.75, all-to-all 0.70 of the link.
  // Through the host an engine's own all-reduce takes 5, 13 and 25 µs, and more than two devices share what one had.
  const bool through_host = a.scale_up.shape == topology::host_only;
  const auto index = [](collective k) { return static_cast<std::size_t>(k); };
  collective_constants& n = c.network;
  for (std::size_t i = 0; i < collective_kinds; ++i) {
    n.base[i] = microseconds(2, 2.8, 5, link.from);
    n.link[i] = through_host ? attained{.5, .6, .65, link.from} : around(.72, half_of(.12), link.from);
  }
  if (!through_host) n.link[index(collective::all_reduce)] = share(link);
  n.base[index(collective::send_receive)] = microseconds(5, 10, 20, basis::transferred);
  n.per_rank = through_host ? microseconds(2.5, 3.3, 4.5, link.from) : microseconds(1.4, 1.65, 2.5, link.from);
  n.crowd = {.1, .45, .65, link.from};
  n.graph_floor = through_host ? microseconds(-2, -1.6, -1, link.from)
                  : blackwell  ? microseconds(4, 5.4, 7.2, link.from)
                               : microseconds(2.8, 3.9, 5.2, link.from);
  n.graph_per_rank = through_host ? microseconds(2.8, 3.3, 4, link.from) : microseconds(0, .1, .2, link.from);
  n.graph_link = through_host ? attained{.5, .6, .65, link.from} : around(.42, half_of(.20), link.from);
  n.scale_out_hop = microseconds(8, 15, 30, basis::transferred);
  n.scale_out_link = {.5, .8, .95, basis::transferred};
  n.scatter = .15;

  c.elementwise = {around(1, 0, basis::fitted), around(.75, half_of(.12), memory.from),
                   microseconds(1.6, 2.0, 2.5, basis::transferred), .20};
  c.step_gap = microseconds(220, 300, 410, basis::transferred);
  c.request_gap = microseconds(5e3, 16e3, 60e3, basis::transferred);
  c.expert_imbalance = {1 / 2.0, 1 / 1.2, 1, basis::fitted};
  c.step_share = {.91, .95, .99, basis::transferred};

  if (own != nullptr) {
    c.relative = own->id;
    c.source = own->gemm_memory > 0
                   ? "fitted to public kernel tables of this part"
                   : "compute fitted to public kernel tables of this part, the rest transferred from its relative";
  } else if (kin != nullptr) {
    c.relative = kin->id;
    c.source = across ? "transferred from the nearest part of a kindred architecture"
                      : "transferred from the nearest part of the same architecture";
  } else {
    c.source = "no relative with public tables: middle values with 40 %";
  }
  return c;
}

}  // namespace ullage::inline v0
