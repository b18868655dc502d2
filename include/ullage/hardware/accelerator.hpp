// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <ullage/estimate.hpp>
#include <ullage/hardware/fabric.hpp>
#include <ullage/number_format.hpp>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

enum class vendor : std::uint8_t { unknown, nvidia, amd, google, aws, intel, apple, huawei, qualcomm, other };

constexpr std::string_view name(vendor v) noexcept {
  switch (v) {
    case vendor::unknown: return "unknown";
    case vendor::nvidia: return "NVIDIA";
    case vendor::amd: return "AMD";
    case vendor::google: return "Google";
    case vendor::aws: return "AWS";
    case vendor::intel: return "Intel";
    case vendor::apple: return "Apple";
    case vendor::huawei: return "Huawei";
    case vendor::qualcomm: return "Qualcomm";
    case vendor::other: return "other";
  }
  return "unknown";
}

/// The family whose measured constants a part can borrow (performance/constants.hpp).
enum class architecture : std::uint8_t {
  unknown,
  turing,
  ampere,
  ampere_rtx,
  ada,
  hopper,
  blackwell,
  blackwell_rtx,
  cdna3,
  cdna4,
  tpu,
  neuron,
  gaudi
};

constexpr std::string_view name(architecture a) noexcept {
  switch (a) {
    case architecture::unknown: return "unknown";
    case architecture::turing: return "Turing";
    case architecture::ampere: return "Ampere";
    case architecture::ampere_rtx: return "Ampere (GA10x)";
    case architecture::blackwell_rtx: return "Blackwell (GB20x)";
    case architecture::ada: return "Ada Lovelace";
    case architecture::hopper: return "Hopper";
    case architecture::blackwell: return "Blackwell";
    case architecture::cdna3: return "CDNA3";
    case architecture::cdna4: return "CDNA4";
    case architecture::tpu: return "TPU";
    case architecture::neuron: return "Neuron";
    case architecture::gaudi: return "Gaudi";
  }
  return "unknown";
}

/// One accelerator as the planner sees it: a row of the catalogue, or what `describe` makes of a user's own type.
/// A zero quantity means "not known"; `visible_memory()` and `peak()` say what then happens.
struct accelerator {
  std::string_view id{};    ///< stable and lower case: "h200-sxm"
  std::string_view name{};  ///< as people write it: "H200 SXM"
  vendor made_by = vendor::unknown;
  architecture family = architecture::unknown;
  int year = 0;            ///< of release
  bytes memory_sold{};     ///< the vendor's label as decimal bytes: "141 GB" is 141·10^9
  bytes memory_driver{};   ///< total as the driver reports it (nvidia-smi, rocm-smi)
  bytes memory_process{};  ///< total that a process is told (cudaMemGetInfo, torch): the driver's less its own reserve
  basis memory_basis = basis::unverified;  ///< of `visible_memory()`
  bytes_per_second bandwidth{};            ///< nominal peak of the device memory
  basis bandwidth_basis = basis::unverified;
  /// Dense peaks (no 2:4 sparsity, fp32 accumulate) by `math`; zero = the part has no such units.
  std::array<flops_per_second, math_kinds> dense_peaks{};
  basis peaks_basis = basis::unverified;
  fabric scale_up{};
  bytes_per_second host_link{};  ///< to the host, one way
  watts power{};                 ///< sold thermal design power of the device; 0 = not published
  int compute_units = 0;         ///< SMs, CUs, cores

  /// Bytes that a process sees, which is what engines budget on: what it is told where that is known, else the driver's
  /// total (up to 4 % more), else the label (then `memory_basis` is not `driver`).
  constexpr bytes visible_memory() const noexcept {
    return memory_process > bytes{} ? memory_process : memory_driver > bytes{} ? memory_driver : memory_sold;
  }
  /// How many devices of one node can work as a group: the scale-up domain, or through the host's links up to eight,
  /// which is what servers are built with.
  constexpr devices node_devices() const noexcept {
    const devices through_host = of<devices>(host_link > bytes_per_second{} ? 8 : 1);
    return scale_up.domain < through_host ? through_host : scale_up.domain;
  }
  /// The way through the host, for groups that no bridge joins.
  constexpr fabric host_fabric() const noexcept {
    fabric f;
    f.name = "host link";
    f.shape = host_link > bytes_per_second{} ? topology::host_only : topology::none;
    f.per_device = host_link;
    f.per_peer = host_link;
    f.domain = node_devices();
    return f;
  }
  /// Dense peak rate, zero when the part lacks that arithmetic.
  constexpr flops_per_second peak(math m) const noexcept { return dense_peaks[static_cast<std::size_t>(m)]; }
};

/// What a user's own hardware type must offer to be planned for. The three functions are the minimum; the optional
/// members `name()`, `scale_up()`, `power()` and `family()` are taken where they exist.
template <class A>
concept Accelerator = requires(const A& a, math m) {
  { a.visible_memory() } -> std::convertible_to<bytes>;
  { a.bandwidth() } -> std::convertible_to<bytes_per_second>;
  { a.peak(m) } -> std::convertible_to<flops_per_second>;
}
|| std::same_as<A, accelerator>;

/// Gives a catalogue row a type of its own: `device<catalog::h200_sxm>`.
template <const accelerator& Row>
struct device {
  static constexpr std::string_view name() noexcept { return Row.name; }
  static constexpr bytes visible_memory() noexcept { return Row.visible_memory(); }
  static constexpr bytes_per_second bandwidth() noexcept { return Row.bandwidth; }
  static constexpr flops_per_second peak(math m) noexcept { return Row.peak(m); }
  static constexpr const accelerator& row() noexcept { return Row; }
};

/// Turns any accelerator into the one row type; nothing below this door is a template of hardware.
template <Accelerator A>
constexpr accelerator describe(const A& a) noexcept {
  if constexpr (std::same_as<A, accelerator>) {
    return a;
  } else if constexpr (requires {
                         { a.row() } -> std::convertible_to<accelerator>;
                       }) {
    return a.row();
  } else {
    accelerator row;
    row.id = "user";
    row.name = "user-defined accelerator";
    if constexpr (requires {
                    { a.name() } -> std::convertible_to<std::string_view>;
                  })
      row.name = a.name();
    row.memory_process = a.visible_memory();
    row.memory_driver = row.memory_process;
    row.memory_sold = row.memory_process;
    row.memory_basis = basis::exact;
    row.bandwidth = a.bandwidth();
    row.bandwidth_basis = basis::exact;
    for (std::size_t i = 0; i < math_kinds; ++i) row.dense_peaks[i] = a.peak(static_cast<math>(i));
    row.peaks_basis = basis::exact;
    if constexpr (requires {
                    { a.scale_up() } -> std::convertible_to<fabric>;
                  })
      row.scale_up = a.scale_up();
    if constexpr (requires {
                    { a.power() } -> std::convertible_to<watts>;
                  })
      row.power = a.power();
    if constexpr (requires {
                    { a.family() } -> std::convertible_to<architecture>;
                  })
      row.family = a.family();
    return row;
  }
}

}  // namespace ullage::inline v0
