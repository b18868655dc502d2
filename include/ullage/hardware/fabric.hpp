// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/estimate.hpp>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

enum class topology : std::uint8_t {
  none,      ///< a single device: no fabric
  switched,  ///< every device reaches the full rate to any set of peers (NVSwitch)
  mesh,      ///< all-to-all point-to-point links: a group of n of N sees (n−1)/(N−1) of the sum (xGMI, Gaudi)
  torus_2d,  ///< TPU v5e/v6e, Trainium2
  torus_3d,  ///< TPU v4/v5p
  ring,
  pair_bridge,  ///< a bridge between two (or four) cards
  host_only     ///< through PCIe and the host
};

constexpr std::string_view name(topology t) noexcept {
  switch (t) {
    case topology::none: return "none";
    case topology::switched: return "switched";
    case topology::mesh: return "mesh";
    case topology::torus_2d: return "torus_2d";
    case topology::torus_3d: return "torus_3d";
    case topology::ring: return "ring";
    case topology::pair_bridge: return "pair_bridge";
    case topology::host_only: return "host_only";
  }
  return "none";
}

/// What a fabric joins.
enum class fabric_reach : std::uint8_t {
  scale_up,   ///< devices of one domain, by load and store or nearly so
  scale_out,  ///< nodes, through network cards; no limit of devices
  host        ///< a device and its host
};
constexpr std::string_view name(fabric_reach r) noexcept {
  switch (r) {
    case fabric_reach::scale_up: return "scale_up";
    case fabric_reach::scale_out: return "scale_out";
    case fabric_reach::host: return "host";
  }
  return "scale_up";
}

/// How devices reach each other. All rates are ONE WAY and of one device; of scale-out, of one port.
struct fabric {
  std::string_view id{};  ///< "nvlink-4-hgx"; empty for a user's own
  std::string_view name{};
  fabric_reach reach = fabric_reach::scale_up;
  topology shape = topology::none;
  bytes_per_second per_device{};  ///< sum over all links of one device, one way
  bytes_per_second per_peer{};    ///< to a single peer, one way; equals per_device on a switch
  seconds hop_latency{};
  devices domain{};  ///< how many devices reach each other by it; 0 on scale-out, which has no limit
  bool in_network_reduction = false;
  int links = 0;  ///< of one device; 0 = not known
  basis from = basis::unverified;

  /// Links that every device of a group of n on a torus has inside the group. The group is a box of powers of two, as
  /// square as can be: a side of 1 has none, of 2 one, a longer one two where it wraps around and else one, that of its
  /// ends. A side wraps when it spans the torus; on TPUs when it is 16 long in 2-D, and a multiple of 4 in 3-D, which is
  /// built of cubes of 4 joined by optical switches (cloud.google.com/tpu/docs).
  constexpr int torus_links(devices group, int axes) const noexcept {
    const auto doublings_of = [](devices n) {
      int d = 0;
      for (std::int64_t reached = 1; d < 40 && of<devices>(count(reached)) < n; reached *= 2) ++d;
      return d;
    };
    const int doublings = doublings_of(group);
    const int whole = doublings_of(domain);
    const bool tpu = id.substr(0, 4) == "ici-";
    int links_inside = 0;
    for (int axis = 0; axis < axes; ++axis) {
      const int side = doublings / axes + (axis < doublings % axes ? 1 : 0);
      const bool wraps = tpu ? side >= (axes == 3 ? 2 : 4) : side * axes >= whole;
      links_inside += side == 0 ? 0 : side == 1 || !wraps ? 1 : 2;
    }
    return links_inside;
  }

  /// One-way bytes per second that one device of a group of `group` devices can use inside the group.
  ///
  /// switched: per_device. mesh: per_peer·(n−1), that is (n−1)/(N−1) of the sum. ring: per_peer, since a ring sends on
  /// one of its two links. torus: per_peer · `torus_links`. pair_bridge, host_only: per_peer.
  /// 0 when the group is a single device or larger than the domain.
  constexpr bytes_per_second usable(devices group) const noexcept {
    const count n = group.value();
    if (n <= count(1) || (reach != fabric_reach::scale_out && n > domain.value())) return bytes_per_second{};
    const bytes_per_second all = per_device;
    bytes_per_second some{};
    switch (shape) {
      case topology::none: return bytes_per_second{};
      case topology::switched: return all;
      case topology::mesh: some = per_peer * (static_cast<double>(n) - 1.0); break;
      case topology::torus_2d: some = per_peer * static_cast<double>(torus_links(group, 2)); break;
      case topology::torus_3d: some = per_peer * static_cast<double>(torus_links(group, 3)); break;
      case topology::ring:
      case topology::pair_bridge:
      case topology::host_only: some = per_peer; break;
    }
    return some < all ? some : all;
  }
};

}  // namespace ullage::inline v0
