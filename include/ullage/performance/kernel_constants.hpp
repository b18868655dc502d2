// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/estimate.hpp>
#include <ullage/hardware.hpp>
#include <ullage/performance/products.hpp>
#include <ullage/performance/residual.hpp>
#include <ullage/units.hpp>

// What constants of all sorts of kernels share: a share with a band, three constants, and whose tables a part takes.
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
  estimate<seconds> floor{};                ///< launch, ramp and tail of one kernel inside a captured graph
  double scatter = 0;                       ///< 80 % half-width of one kernel around the form, as a share of its time
  double pad_rows = 0;                      ///< rows that a grouped product computes for nothing, an expert
  const residual_grid* residual = nullptr;  ///< what the form leaves over; catalog/residual_grids.hpp has some
  std::int16_t row = -1;                    ///< of the fits, to find its grid
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

/// A constant, the half-width of its band as a share, and where it comes from.
struct pick {
  double value = 0;
  double half = 0;
  basis from = basis::unverified;
};
constexpr attained share_of(const pick& p) noexcept {
  return around(p.value, p.half, p.from);
}

/// Which rows of a table a part takes. A row has `id`, `family`, `nominal_bytes_per_second`, `complete` (others may
/// borrow from it), and figures of which 0 means that there are none.
template <class Row>
struct relatives {
  const Row* own = nullptr;
  const Row* kin = nullptr;  ///< of the same architecture or its lender's, whose memory is nearest in speed
  bool across = false;       ///< the lender is another architecture

  /// The part's own figure, else its relative's with the miss of such transfers, else a middle value with ±40 %.
  constexpr pick choose(double Row::*member, double own_half, double transfer_half, double middle) const noexcept {
    if (own != nullptr && own->*member > 0) return {own->*member, own_half, basis::fitted};
    if (kin != nullptr && kin->*member > 0) return {kin->*member, transfer_half, basis::transferred};
    return {middle, .40, basis::transferred};
  }
  /// Measured miss of bf16 figures that a relative lends: 17 % within an architecture, 22 % across (docs/formulas).
  constexpr double wide() const noexcept { return across ? .22 : .17; }
  constexpr bool alone() const noexcept { return own == nullptr && kin == nullptr; }
};
template <class Row, std::size_t N>
constexpr relatives<Row> relatives_of(const accelerator& a, const std::array<Row, N>& rows) noexcept {
  relatives<Row> found;
  const architecture wanted = lender(a.family);
  found.across = wanted != a.family && a.family != architecture::blackwell_ultra;
  const double bandwidth = value_of(a.bandwidth);
  double best = 0;
  for (const Row& r : rows) {
    if (is_row_of(a.id, r.id)) found.own = &r;
    if (r.family != wanted || !r.complete) continue;
    double ratio = bandwidth > 0 ? r.nominal_bytes_per_second / bandwidth : 1.0;
    if (ratio < 1) ratio = 1 / ratio;
    if (found.kin == nullptr || ratio < best) {
      found.kin = &r;
      best = ratio;
    }
  }
  return found;
}

}  // namespace detail

}  // namespace ullage::inline v0
