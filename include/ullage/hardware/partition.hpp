// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/hardware/accelerator.hpp>

namespace ullage::inline v0 {

/// A slice of a part that works as a device of its own: a MIG profile, a compute or memory partition, one die of a package.
struct partition_profile {
  std::string_view id{};    ///< of the derived row: "h100-sxm-1g-10gb"
  std::string_view name{};  ///< "H100 SXM 1g.10gb"
  const accelerator* whole = nullptr;
  std::string_view key{};  ///< of the id and of the slice's own name, as find_accelerator compares them
  std::string_view slice{};
  bytes memory{};  ///< that the slice shows
  int compute_units = 0;
  double bandwidth_share = 0;  ///< of the whole part's memory bandwidth
  int copies = 0;              ///< how many of them one part makes
  basis from = basis::unverified;
};

/// The row of a slice: memory as given, bandwidth by its share, peaks by its compute units. Slices have no fabric between
/// them, and no power of their own is known; the host link is shared by all.
constexpr accelerator partition(const partition_profile& p) noexcept {
  ULLAGE_EXPECTS(p.whole != nullptr);
  const accelerator& whole = *p.whole;
  accelerator a = whole;
  a.id = p.id;
  a.name = p.name;
  a.memory_sold = p.memory;
  a.memory_driver = p.memory;
  a.memory_process = p.memory;
  a.memory_basis = p.from;
  a.bandwidth = whole.bandwidth * p.bandwidth_share;
  a.bandwidth_basis = weaker(whole.bandwidth_basis, basis::transferred);
  const double share =
      whole.compute_units > 0 ? static_cast<double>(p.compute_units) / static_cast<double>(whole.compute_units) : 0.0;
  for (flops_per_second& peak : a.dense_peaks) peak = peak * share;
  a.peaks_basis = weaker(whole.peaks_basis, basis::transferred);
  a.compute_units = p.compute_units;
  a.scale_up = {};
  a.scale_up.name = "none";
  a.scale_up.domain = of<devices>(1);
  a.scale_up.from = basis::exact;
  a.power = {};
  a.power_least = {};
  a.power_most = {};
  return a;
}

}  // namespace ullage::inline v0
