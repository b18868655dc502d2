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
  kernel_constants decode{};    ///< memory: the stream of cached keys and values
  attained decode_narrow{};     ///< the same for a cache of 8 bits and less
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
  std::array<attained, collective_kinds> link{};      ///< share of the fabric's usable rate, wire bytes as NCCL counts them
  std::array<estimate<seconds>, collective_kinds> base{};
  estimate<seconds> per_rank{};                       ///< times the ranks, up to eight; then times log2
  estimate<seconds> graph_floor{};                    ///< an engine's own all-reduce
  attained graph_link{};
  estimate<seconds> scale_out_hop{};                  ///< added once for each step between nodes
  attained scale_out_link{};
  double scatter = 0;
};

/// All constants of the time model for one part. A plain struct: change what you have measured.
struct constants {
  std::array<kernel_constants, math_kinds> gemm{};     ///< by the arithmetic that runs
  std::array<kernel_constants, math_kinds> experts{};  ///< grouped GEMM of routed experts; floor is that of the whole block
  attention_constants attention{};
  collective_constants network{};
  kernel_constants elementwise{};           ///< norms, rotary, activation, cache writes: memory and floor count
  estimate<seconds> step_gap{};             ///< scheduler, input preparation and sampling between two steps
  attained expert_imbalance{};              ///< busiest expert-parallel rank over the mean, at many tokens; low is the slow end
  attained step_share{};                    ///< modelled over measured time of a whole step: what no kernel accounts for
  std::string_view source{};                ///< in words, for the answer
  std::string_view relative{};              ///< id of the part whose tables were taken; empty = none
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

/// Medians of public kernel tables (docs/formulas/performance.md names them); 0 = no rows for that part.
struct kernel_row {
  std::string_view id{};
  architecture family = architecture::unknown;
  double nominal_bytes_per_second = 0;
  double bf16 = 0;           // compute, of the dense peak
  double fp8 = 0;
  double fp4 = 0;
  double gemm_memory = 0;
  double decode = 0;         // 16-bit cache stream
  double decode_narrow = 0;  // 8-bit cache stream
  double prefill = 0;        // prefill attention, of the bf16 peak
  double gemm_floor_us = 0;
  double link = 0;           // all-reduce bus rate of eight devices, of the one-way link
};
inline constexpr std::array<kernel_row, 9> kernel_rows{{
    {"a100-sxm", architecture::ampere, 2.039e12, .74, 0, 0, .74, .69, 0, .55, 4.0, .74},
    {"h100-sxm", architecture::hopper, 3.35e12, .76, .56, 0, .81, .81, 0, 0, 3.0, 1.0},
    {"h200-sxm", architecture::hopper, 4.8e12, .76, .57, 0, .80, .75, .55, .54, 3.2, 1.0},
    {"b200", architecture::blackwell, 8.0e12, .66, .51, .41, .75, .79, .73, .43, 2.6, .78},
    {"gb200", architecture::blackwell, 8.0e12, .61, 0, .38, 0, 0, 0, 0, 0, 0},
    {"b300", architecture::blackwell, 8.0e12, .66, 0, .30, 0, 0, 0, 0, 0, 0},
    {"gb300", architecture::blackwell, 8.0e12, .74, 0, .31, 0, .76, 0, .53, 0, 0},
    {"l40s", architecture::ada, .864e12, .56, .47, 0, .85, .78, 0, 0, 2.0, .15},
    {"rtx-pro-6000", architecture::blackwell, 1.792e12, .80, .74, .67, .82, .79, 0, 0, 2.7, .39},
}};
/// Best square GEMM of public runs, where no table exists; medians of mixed shapes lie about a tenth below.
struct best_gemm_row {
  std::string_view id{};
  double bf16 = 0;
};
inline constexpr std::array<best_gemm_row, 5> best_gemm_rows{
    {{"mi300x", .514}, {"mi325x", .604}, {"mi355x", .680}, {"gaudi2", .969}, {"gaudi3", .741}}};

constexpr bool is_row_of(std::string_view part, std::string_view row) noexcept {
  return part == row || (part.size() > row.size() && part.substr(0, row.size()) == row && part[row.size()] == '-' &&
                         row == "a100-sxm") || (part.size() > row.size() && part.substr(0, row.size()) == row &&
                         part[row.size()] == '-' && row == "rtx-pro-6000");
}
/// The row of the same architecture whose memory is nearest in speed; Turing borrows from Ampere.
constexpr const kernel_row* nearest_row(architecture family, double bytes_per_s, bool complete) noexcept {
  const architecture wanted = family == architecture::turing ? architecture::ampere : family;
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
constexpr constants constants_for(const accelerator& a) noexcept {
  using detail::around;
  using detail::microseconds;
  using detail::microseconds_around;
  constants c;

  const double bandwidth = value_of(a.bandwidth);
  const detail::kernel_row* own = nullptr;
  for (const detail::kernel_row& r : detail::kernel_rows)
    if (detail::is_row_of(a.id, r.id)) own = &r;
  const detail::kernel_row* kin = detail::nearest_row(a.family, bandwidth, true);
  const bool across = a.family == architecture::turing;
  double best_bf16 = 0;
  for (const detail::best_gemm_row& r : detail::best_gemm_rows)
    if (r.id == a.id) best_bf16 = .9 * r.bf16;

  // A figure of the part's own table, else of the relative's, else a middle value.
  struct pick {
    double value = 0;
    double half = 0;
    basis from = basis::unverified;
  };
  const auto choose = [&](double detail::kernel_row::*member, double own_half, double transfer_half, double middle) -> pick {
    if (own != nullptr && own->*member > 0) return {own->*member, own_half, basis::fitted};
    if (kin != nullptr && kin->*member > 0) return {kin->*member, transfer_half, basis::transferred};
    return {middle, .40, basis::transferred};
  };
  const double wide = across ? .22 : .17;
  pick bf16 = choose(&detail::kernel_row::bf16, .08, wide, .65);
  if (kin == nullptr && best_bf16 > 0) bf16 = {best_bf16, .20, basis::transferred};
  const pick fp8 = choose(&detail::kernel_row::fp8, .25, .35, .52);
  const pick fp4 = choose(&detail::kernel_row::fp4, .25, .35, .38);
  const pick memory = choose(&detail::kernel_row::gemm_memory, .08, wide, .78);
  const pick decode = choose(&detail::kernel_row::decode, .10, wide, .75);
  const pick narrow = choose(&detail::kernel_row::decode_narrow, .20, .35, .62);
  const pick prefill = choose(&detail::kernel_row::prefill, .12, wide, .50);
  const pick launch = choose(&detail::kernel_row::gemm_floor_us, .25, .35, 4.0);
  const pick link = choose(&detail::kernel_row::link, .10, .25, .70);
  const auto share = [](const pick& p) { return around(p.value, p.half, p.from); };

  const auto gemm_of = [&](const pick& compute, double extra_floor_us, double scatter) -> kernel_constants {
    return {share(compute), share(memory),
            microseconds_around(launch.value + extra_floor_us, launch.half, launch.from), scatter};
  };
  const auto set = [&](math m, const kernel_constants& k) { c.gemm[static_cast<std::size_t>(m)] = k; };
  const auto borrowed = [](pick p, double half) -> pick {
    if (p.half < half) p.half = half;
    p.from = basis::transferred;
    return p;
  };
  set(math::bf16, gemm_of(bf16, 0, .16));
  set(math::fp16, gemm_of(bf16, 0, .16));
  set(math::tf32, gemm_of(borrowed(bf16, .22), 0, .20));
  set(math::fp32, gemm_of(borrowed(bf16, .22), 0, .20));
  // 8 bits and fewer: about a microsecond more, for the activations are quantised on the way.
  set(math::fp8, gemm_of(fp8, 1.0, .26));
  set(math::int8, gemm_of(borrowed(fp8, .35), 1.0, .30));
  set(math::fp4, gemm_of(fp4, 1.5, .30));

  // Grouped GEMM: about 0.43 of what a dense GEMM attains in 16 bits and 0.68 in 8, weights stream at 0.70 of nominal
  // (measured on H200; elsewhere transferred).
  const bool experts_fitted = own != nullptr && own->id == "h200-sxm";
  for (std::size_t i = 0; i < math_kinds; ++i) {
    const math m = static_cast<math>(i);
    const bool narrow_math = m == math::fp8 || m == math::int8 || m == math::fp4;
    const basis from = experts_fitted && (m == math::bf16 || m == math::fp8) ? basis::fitted : basis::transferred;
    const double half = from == basis::fitted ? .20 : narrow_math ? .35 : .25;
    c.experts[i] = {around(c.gemm[i].compute.mid * (narrow_math ? .68 : .43), half, from),
                    around(.70 * memory.value / .80, from == basis::fitted ? .12 : .20, from),
                    microseconds(10, 18, 35, from), .25};
  }

  c.attention.prefill = {share(prefill), around(.75, .2, prefill.from), microseconds(6, 9, 14, prefill.from), .20};
  c.attention.prefill_half_tokens = 800;
  c.attention.decode = {share(prefill), share(decode), microseconds(6, 9, 12, basis::fitted), .22};
  c.attention.decode_narrow = share(narrow);

  // Eight devices of a switched fabric: all-gather 0.75, all-to-all 0.70 of the link. Floors: base + 1.65 µs a rank
  // (6, 9.4 and 16 µs for 2, 4 and 8 Hopper devices).
  const bool through_host = a.scale_up.shape == topology::host_only;
  const auto index = [](collective k) { return static_cast<std::size_t>(k); };
  collective_constants& n = c.network;
  for (std::size_t i = 0; i < collective_kinds; ++i) n.base[i] = microseconds(2, 2.8, 6, link.from);
  n.link[index(collective::all_reduce)] = through_host ? attained{.07, .39, .63, basis::transferred} : share(link);
  n.link[index(collective::all_gather)] = through_host ? attained{.07, .39, .63, basis::transferred} : around(.75, .15, link.from);
  n.link[index(collective::reduce_scatter)] = n.link[index(collective::all_gather)];
  n.link[index(collective::all_to_all)] = through_host ? attained{.07, .35, .6, basis::transferred} : around(.67, .15, link.from);
  n.link[index(collective::send_receive)] = through_host ? attained{.3, .6, .8, basis::transferred} : around(.80, .15, link.from);
  n.base[index(collective::send_receive)] = microseconds(5, 10, 20, basis::transferred);
  n.per_rank = microseconds(1.3, 1.65, 2.6, link.from);
  n.graph_floor = through_host ? microseconds(4, 6, 12, basis::transferred) : microseconds(3.0, 4.6, 6.5, link.from);
  n.graph_link = through_host ? attained{.2, .5, .65, basis::transferred} : around(.55, .2, link.from);
  n.scale_out_hop = microseconds(8, 15, 30, basis::transferred);
  n.scale_out_link = {.5, .8, .95, basis::transferred};
  n.scatter = .15;

  c.elementwise = {around(1, 0, basis::fitted), around(.75, .15, memory.from), microseconds(1.3, 2.0, 3.2, basis::transferred), .20};
  c.step_gap = microseconds(100, 300, 1000, basis::transferred);
  c.expert_imbalance = {1 / 2.0, 1 / 1.2, 1, basis::fitted};
  c.step_share = {.75, .95, 1.05, basis::transferred};

  if (own != nullptr) {
    c.relative = own->id;
    c.source = own->gemm_memory > 0 ? "fitted to public kernel tables of this part"
                                    : "compute fitted to public kernel tables of this part, the rest transferred from its relative";
  } else if (kin != nullptr) {
    c.relative = kin->id;
    c.source = across ? "transferred from an older architecture's nearest relative" : "transferred from the nearest part of the same architecture";
  } else if (best_bf16 > 0) {
    c.source = "compute from public best-case GEMM runs; no relative for the rest: middle values with 40 %";
  } else {
    c.source = "no relative with public tables: middle values with 40 %";
  }
  return c;
}

}  // namespace ullage::inline v0
