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
  count hosts{};       ///< nodes or trays that it is made of; 0 = not stated
  fabric scale_up{};   ///< between its accelerators; `domain` is how many of them it joins
  fabric port{};       ///< of its network, one port of one card
  count nics{};        ///< ports in all
  const accelerator* cpu = nullptr;
  std::string_view cpu_name{};
  count cpus{};
  bytes host_memory{};
  bytes disks{};  ///< local storage
  watts power{};
  basis from = basis::unverified;  ///< the weakest of count, fabric and network

  /// The row of one of its accelerators, with the fabric that it has in this system.
  constexpr accelerator device() const noexcept {
    if (part == nullptr) return {};
    accelerator a = *part;
    a.scale_up = scale_up;
    return a;
  }
  /// Device memory that processes see, all devices together.
  constexpr estimate<bytes> memory() const noexcept {
    if (part == nullptr) return {};
    const estimate<bytes> one = part->memory();
    const count n = accelerators.value();
    return {one.low * n, one.mid * n, one.high * n, one.from};
  }
  /// Between systems: what one accelerator has of the network, one way, that is ports · rate ÷ accelerators. Takes the place
  /// of `plan_point::scale_out`. No rate where the network is not known.
  constexpr fabric scale_out() const noexcept {
    fabric f = port;
    const double n = static_cast<double>(accelerators.value());
    f.per_device = n > 0 ? port.per_device * (static_cast<double>(nics) / n) : bytes_per_second{};
    f.per_peer = f.per_device;
    return f;
  }
};

}  // namespace ullage::inline v0
