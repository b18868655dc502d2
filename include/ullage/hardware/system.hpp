// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/hardware/accelerator.hpp>

namespace ullage::inline v0 {

/// A machine as it is sold or rented: so many accelerators of one kind with their fabric, hosts, network and power. All
/// figures of the whole system; zero = not known.
struct hardware_system {
  std::string_view id{};    ///< "dgx-h100"
  std::string_view name{};  ///< "DGX/HGX H100 (8)"
  vendor made_by = vendor::unknown;
  availability status = availability::shipping;
  int year = 0;
  const accelerator* part = nullptr;
  devices accelerators{};
  count hosts{};       ///< nodes or trays that it is made of
  fabric scale_up{};   ///< between its accelerators; `domain` is how many of them it joins
  fabric scale_out{};  ///< out of it, one port
  count nics{};        ///< ports in all
  const accelerator* cpu = nullptr;
  std::string_view cpu_name{};
  count cpus{};
  bytes host_memory{};
  bytes disks{};
  watts power{};
  basis from = basis::unverified;  ///< the weakest of count, fabric and network

  /// The row of one of its accelerators, with the fabric that it has in this system.
  constexpr accelerator device() const noexcept {
    if (part == nullptr) return {};
    accelerator a = *part;
    a.scale_up = scale_up;
    return a;
  }
  /// Device memory that processes see, all devices together; the middle of the band.
  constexpr bytes memory() const noexcept {
    return part == nullptr ? bytes{} : of<bytes>(part->visible_memory().value() * accelerators.value());
  }
  /// One way out of the system for each accelerator: ports · rate ÷ accelerators.
  constexpr bytes_per_second scale_out_per_device() const noexcept {
    const double n = static_cast<double>(accelerators.value());
    return n > 0 ? scale_out.per_device * (static_cast<double>(nics) / n) : bytes_per_second{};
  }
};

}  // namespace ullage::inline v0
