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
  bool linked = false;         ///< they have the part's fabric (dies of a package); MIG slices have none
  basis from = basis::unverified;
};

/// The row of a slice: memory as the driver shows it, bandwidth by its share, peaks by its compute units. Dies of a package
/// have their part of its links, to the dies of all packages that the fabric joins, and of the host link; other slices work
/// alone. No slice has a power of its own.
constexpr accelerator partition(const partition_profile& p) noexcept {
  ULLAGE_EXPECTS(p.whole != nullptr);
  const accelerator& whole = *p.whole;
  accelerator a = whole;
  a.id = p.id;
  a.name = p.name;
  a.memory_sold = p.memory;
  a.memory_driver = p.memory;
  // A process on an A100's 1g.5gb is told the 4.75 GiB that nvidia-smi prints; rounded up, the largest profile would pass
  // the whole part.
  const bytes most = whole.memory().mid;
  a.memory_process = most > bytes{} && most < p.memory ? most : p.memory;
  a.memory_basis = p.from;
  a.bandwidth = whole.bandwidth * p.bandwidth_share;
  a.bandwidth_basis = weaker(whole.bandwidth_basis, basis::transferred);
  const double share =
      whole.compute_units > 0 ? static_cast<double>(p.compute_units) / static_cast<double>(whole.compute_units) : 0.0;
  for (flops_per_second& peak : a.dense_peaks) peak = peak * share;
  a.peaks_basis = weaker(whole.peaks_basis, basis::transferred);
  a.compute_units = p.compute_units;
  if (!p.linked) {
    a.scale_up = {};
    a.scale_up.name = "none";
    a.scale_up.domain = of<devices>(1);
    a.scale_up.from = basis::exact;
    a.host_link = {};  // shared with its siblings, and no way between them
  } else {
    // All dies of a package at once share its links; between siblings the package is faster than this.
    const double each = p.copies > 0 ? 1.0 / p.copies : 1.0;
    a.host_link = whole.host_link * each;
    a.scale_up.per_device = whole.scale_up.per_device * each;
    a.scale_up.per_peer = whole.scale_up.per_peer * each;
    a.scale_up.domain = whole.scale_up.domain * count(p.copies > 0 ? p.copies : 1);
    a.scale_up.from = weaker(whole.scale_up.from, basis::transferred);
  }
  a.power = {};
  a.power_least = {};
  a.power_most = {};
  return a;
}

}  // namespace ullage::inline v0
