// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <ullage/performance/collective_curve.hpp>
#include <ullage/performance/collective_rows.hpp>
#include <ullage/performance/kernel_constants.hpp>

// Which lines the collectives of a part take. Docs: docs/formulas/performance.md.
namespace ullage::inline v0 {

/// All constants of the network of one part. Defaults are the nominal link and nothing else.
struct collective_constants {
  std::array<collective_curve, collective_kinds> library{};       ///< NCCL, RCCL, oneCCL
  std::array<collective_curve, collective_kernels> all_reduce{};  ///< by kernel; that of `library` is not read
  std::array<collective_curve, collective_kinds> host{};          ///< between groups that meet through the host
  collective_kernel all_reduce_by = collective_kernel::sglang;    ///< the middle one of the engines in a graph
  estimate<seconds> scale_out_hop{};                              ///< once for each step between nodes
  attained scale_out_link{};                                      ///< share of the network card's one-way rate
  double scale_out_scatter = 0;  ///< 80 % half-width of one collective between nodes, as a share of its time
  double overlap = 0;            ///< share of the shorter leg that runs under the longer, inside and between nodes
  std::string_view source{};     ///< in words
};

namespace detail {

/// Rows of which fabric a part takes for the library's and for the engines' kernels, and how far such a loan misses.
struct network_loan {
  std::string_view library{};  ///< empty = no rows: the lines of its topology
  std::string_view engine{};
  double half = 0;
  basis from = basis::fitted;
  std::string_view source{};
};
constexpr network_loan network_loan_of(const accelerator& a) noexcept {
  struct measured_part {
    std::string_view id{};
    std::string_view library{};
    std::string_view engine{};
  };
  constexpr std::array<measured_part, 9> measured{{{"a100-sxm", "nvlink-3", "nvlink-3"},
                                                   {"h100-sxm", "nvlink-4", "nvlink-4"},
                                                   {"h200-sxm", "nvlink-4", "nvlink-4"},
                                                   {"b200", "nvlink-5", "nvlink-5"},
                                                   {"b300", "nvlink-5", "nvlink-5"},
                                                   {"gb200", "nvlink-5", "nvlink-5-nvl72"},
                                                   {"l40s", "l40s", "l40s"},
                                                   {"rtx-pro-6000", "rtx-pro-6000", "rtx-pro-6000"},
                                                   {"arc-pro-b60", "arc-pro-b60", "arc-pro-b60"}}};
  for (const measured_part& m : measured)
    if (is_row_of(a.id, m.id)) return {m.library, m.engine, 0, basis::fitted, "fitted to public tables of this part"};

  // Parts on one fabric miss each other by 9 to 11 % (80 % of rows), which the scatter of the lines covers but for 5 %;
  // a generation of NVLink misses the next by 37 to 75 %.
  constexpr std::string_view nvlink = "nvlink-";
  const std::string_view id = a.scale_up.id;
  if (id.substr(0, nvlink.size()) == nvlink && id.size() > nvlink.size()) {
    const char generation = id[nvlink.size()];
    const bool rack = id == "nvlink-5-nvl72" || id == "nvlink-6-nvl72";
    const bool own = generation >= '3' && generation <= '5';
    const double half = own ? .05 : .45;
    const std::string_view text = own ? "transferred from parts on the same generation of NVLink"
                                      : "transferred from parts on another generation of NVLink";
    if (generation <= '3') return {"nvlink-3", "nvlink-3", half, basis::transferred, text};
    if (generation == '4') return {"nvlink-4", "nvlink-4", half, basis::transferred, text};
    return {"nvlink-5", rack ? "nvlink-5-nvl72" : "nvlink-5", half, basis::transferred, text};
  }
  return {{}, {}, .4, basis::transferred, "no tables of this fabric: lines of its topology with 40 %"};
}

/// One line for a topology that nobody tabulated.
constexpr collective_curve topology_curve(topology shape, collective what) noexcept {
  collective_curve c;
  c.half = .4;
  c.from = basis::transferred;
  collective_line& l = c.lines[0];
  const bool reduces = what == collective::all_reduce;
  // Launch and hops as on NVSwitch (6, 9 and 16 µs of 2, 4 and 8 ranks).
  l.base_s = 5e-6;
  l.hop_s = reduces ? 1.6e-6 : .9e-6;
  l.scatter = .1;
  switch (shape) {
    case topology::mesh:
      // MI300X: 47.7 of 64 GB/s between two, 312.9 to 316.8 of 448 among eight.
      l.wire = 1.4;
      break;
    case topology::torus_2d:
    case topology::torus_3d:
      // About 1 µs a hop, most of the link (jax-ml/scaling-book).
      l.hop_s = 1e-6;
      l.wire = 1.2;
      break;
    case topology::ring:
      // V100 without NVSwitch: 59.7 GB/s at 256 MiB, with 75 to each neighbour.
      l.wire = 1.25;
      break;
    case topology::pair_bridge: l.wire = 1.4; break;
    case topology::host_only:
      // Two cards: 0.63 of the link (L40S 20, RTX PRO 6000 39.6 GB/s). Eight: 0.07 (L40S) to 0.39 (RTX PRO 6000), by
      // whether they share a root port: own·7^1.5, within a factor of 2.5.
      l.hop_s = reduces ? 2.6e-6 : 1.3e-6;
      l.wire = reduces ? 1.2 : 1.0;
      l.own = reduces ? .39 : .3;
      l.crowd = 3;
      c.half = .3;
      c.crowd_half = 1.5;
      break;
    case topology::switched:
    case topology::none: l.wire = 1.35; break;
  }
  return c;
}
/// An engine's own kernel on such a topology: it reads every other rank at once while the message is small.
constexpr collective_curve topology_engine_curve(topology shape, bool eager) noexcept {
  collective_curve c = topology_curve(shape, collective::all_reduce);
  collective_line& l = c.lines[0];
  if (eager) {
    // The host's launches: 20 to 70 µs.
    l.base_s = 35e-6;
    l.hop_s = .2e-6;
  } else if (shape != topology::host_only) {
    l.base_s = 5e-6;
    l.hop_s = .2e-6;
  }
  return c;
}

}  // namespace detail

/// The constants of collectives of a part: its own rows, else those of its fabric or of the nearest generation with the
/// miss of such loans as a band, else the lines of its topology with ±40 %. `source` says which.
inline collective_constants network_constants_for(const accelerator& a) noexcept {
  using detail::microseconds;
  const detail::network_loan loan = detail::network_loan_of(a);
  collective_constants n;
  n.source = loan.source;
  const topology shape = a.scale_up.shape;
  // Gaudi 2 sends 258.2 GB/s of 262.5 from 32 MiB on (HabanaAI/hccl_demo, as printed in
  // intel/intel-technology-enabling-for-openshift).
  const bool gaudi = a.scale_up.id.substr(0, 5) == "gaudi";
  for (std::size_t i = 0; i < collective_kinds; ++i) {
    n.library[i] = detail::topology_curve(shape, static_cast<collective>(i));
    if (gaudi) n.library[i].lines[0].wire = 1.02;
    n.host[i] = detail::topology_curve(topology::host_only, static_cast<collective>(i));
  }
  for (std::size_t i = 0; i < collective_kernels; ++i) {
    const collective_kernel k = static_cast<collective_kernel>(i);
    n.all_reduce[i] = detail::topology_engine_curve(
        shape, k == collective_kernel::vllm_eager || k == collective_kernel::sglang_eager);
    if (gaudi) n.all_reduce[i].lines[0].wire = 1.02;
  }
  for (const detail::collective_row& r : detail::collective_rows) {
    const bool library = r.kernel == collective_kernel::library;
    if (r.fabric != (library ? loan.library : loan.engine)) continue;
    collective_curve& c =
        library ? n.library[static_cast<std::size_t>(r.what)] : n.all_reduce[static_cast<std::size_t>(r.kernel)];
    c = r.curve;
    c.half = loan.half;
    c.from = loan.from;
  }
  // A message to one peer is half of what two ranks exchange in an all-to-all; its copy to itself is left in.
  collective_curve& send = n.library[static_cast<std::size_t>(collective::send_receive)];
  send = n.library[static_cast<std::size_t>(collective::all_to_all)];
  send.half = send.half > .25 ? send.half : .25;
  send.from = weaker(send.from, basis::transferred);

  // Network cards: 0.87 of their rate by DeepEP's exchange over 2, 4 and 8 nodes (87, 58 and 50 GB/s, of which 1/2, 3/4
  // and 7/8 go out at 50). A step: NCCL's constants for networks are 5 to 14 µs; clouds without InfiniBand take 40.
  n.scale_out_hop = microseconds(8, 15, 40, basis::transferred);
  n.scale_out_link = {.75, .87, .95, basis::transferred};
  n.scale_out_scatter = .1;
  n.overlap = .9;
  return n;
}

}  // namespace ullage::inline v0
