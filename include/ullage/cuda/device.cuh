// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <ullage/catalog/find.hpp>
#include <ullage/cuda/status.cuh>
#include <ullage/hardware.hpp>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

namespace ullage::inline v0::cuda {

/// What the driver and the runtime say of one device.
struct device_facts {
  int ordinal = 0;
  ullage::detail::text<96> name{};  ///< as nvidia-smi prints it
  ullage::detail::text<20> pci{};   ///< bus address
  int compute_capability = 0;       ///< 10·major + minor: 90, 103
  int multiprocessors = 0;
  std::int64_t total_bytes = 0;  ///< as cudaMemGetInfo gives it: below nvidia-smi's total
  std::int64_t free_bytes = 0;   ///< with this process' context already taken
  std::int64_t l2_bytes = 0;
  int memory_clock_khz = 0;  ///< 0 where the runtime does not say
  int memory_bus_bits = 0;
  bool ecc = false;
  bool integrated = false;  ///< shares its memory with the host
  int driver_version = 0;   ///< newest CUDA that the driver supports, 13000 = 13.0
  int runtime_version = 0;

  /// Both edges of the memory clock on every wire of the bus: 2·clock·bits/8. Nothing where the runtime is silent.
  std::optional<double> clock_bandwidth() const noexcept {
    if (memory_clock_khz <= 0 || memory_bus_bits <= 0) return std::nullopt;
    return 2.0 * memory_clock_khz * 1e3 * memory_bus_bits / 8.0;
  }
  /// The catalogue's row of that name; null when it has none. A MIG slice is no whole part.
  const accelerator* row() const noexcept {
    const accelerator_match m = find_accelerator(name.view());
    return m.outcome == accelerator_match::found && m.slice == nullptr ? m.whole : nullptr;
  }
};

/// Selects the device and asks for its facts. Creates its context, which takes memory.
inline cuda_status describe_device(int ordinal, device_facts& facts) noexcept {
  facts = {};
  int devices_seen = 0;
  if (cuda_status s = count_devices(devices_seen); !s.ok()) return s;
  if (ordinal < 0 || ordinal >= devices_seen)
    return failure(validate::say("no CUDA device ", ordinal, ": this process sees ", devices_seen),
                   static_cast<int>(cudaErrorInvalidDevice));
  if (cuda_status s = check(cudaSetDevice(ordinal), "selecting the device"); !s.ok()) return s;
  cudaDeviceProp p{};
  if (cuda_status s = check(cudaGetDeviceProperties(&p, ordinal), "asking for the device's properties"); !s.ok())
    return s;
  facts.ordinal = ordinal;
  facts.name = std::string_view(p.name);
  facts.compute_capability = 10 * p.major + p.minor;
  facts.multiprocessors = p.multiProcessorCount;
  facts.l2_bytes = p.l2CacheSize;
  facts.ecc = p.ECCEnabled != 0;
  facts.integrated = p.integrated != 0;
  std::size_t free_now = 0;
  std::size_t total = 0;
  if (cuda_status s = check(cudaMemGetInfo(&free_now, &total), "asking for the device's memory"); !s.ok()) return s;
  facts.free_bytes = static_cast<std::int64_t>(free_now);
  facts.total_bytes = static_cast<std::int64_t>(total);
  // The rest is nice to know: what fails stays zero.
  char address[20]{};
  if (cudaDeviceGetPCIBusId(address, static_cast<int>(sizeof address), ordinal) == cudaSuccess)
    facts.pci = std::string_view(address);
  if (cudaDeviceGetAttribute(&facts.memory_clock_khz, cudaDevAttrMemoryClockRate, ordinal) != cudaSuccess)
    facts.memory_clock_khz = 0;
  if (cudaDeviceGetAttribute(&facts.memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth, ordinal) != cudaSuccess)
    facts.memory_bus_bits = 0;
  static_cast<void>(cudaDriverGetVersion(&facts.driver_version));
  static_cast<void>(cudaRuntimeGetVersion(&facts.runtime_version));
  static_cast<void>(cudaGetLastError());
  return {};
}

/// What a row and a device are expected to agree in.
struct device_expectations {
  /// cudaMemGetInfo's total lies this far below what nvidia-smi prints: 30 MiB (V100) to 911 MiB (GH200) on ten parts.
  std::int64_t least_reserve_bytes = 0;
  std::int64_t usual_reserve_bytes = std::int64_t{600} << 20;
  std::int64_t most_reserve_bytes = std::int64_t{1} << 30;
  /// The clock's rate over the sold one: H200 is sold as 4.8 TB/s and clocks 4.92.
  validate::fraction clock{0.97, 1.0, 1.04, basis::datasheet};
};

/// The compute capabilities, lowest and highest, of an architecture; nothing for what is not NVIDIA's.
constexpr std::optional<estimate<double>> compute_capabilities(architecture a) noexcept {
  switch (a) {
    case architecture::pascal: return estimate<double>{60.0, 61.0, 61.0, basis::datasheet};
    case architecture::volta: return estimate<double>{70.0, 70.0, 72.0, basis::datasheet};
    case architecture::turing: return estimate<double>::exactly(75.0, basis::datasheet);
    case architecture::ampere: return estimate<double>::exactly(80.0, basis::datasheet);
    case architecture::ampere_rtx: return estimate<double>::exactly(86.0, basis::datasheet);
    case architecture::orin: return estimate<double>::exactly(87.0, basis::datasheet);
    case architecture::ada: return estimate<double>::exactly(89.0, basis::datasheet);
    case architecture::hopper: return estimate<double>::exactly(90.0, basis::datasheet);
    case architecture::blackwell: return estimate<double>::exactly(100.0, basis::datasheet);
    case architecture::blackwell_ultra: return estimate<double>::exactly(103.0, basis::datasheet);
    case architecture::rubin: return estimate<double>::exactly(107.0, basis::datasheet);
    case architecture::thor: return estimate<double>::exactly(110.0, basis::datasheet);
    case architecture::blackwell_rtx: return estimate<double>{120.0, 120.0, 121.0, basis::datasheet};
    default: return std::nullopt;
  }
}

/// Memory, multiprocessors, compute capability and the memory clock's rate against a row; `row` null = no predictions.
template <class Sink>
void compare_device(const device_facts& d, const accelerator* row, const device_expectations& e, Sink&& sink) {
  const auto send = [&sink](std::string_view what, validate::unit in, double value,
                            const std::optional<estimate<double>>& predicted, const validate::sentence& note) {
    validate::measurement m;
    m.name = what;
    m.in = in;
    m.predicted = predicted;
    m.measured = m.best = value;
    m.repeats = 1;
    m.note = note;
    sink(validate::judged(m));
  };
  std::optional<estimate<double>> memory;
  if (row != nullptr && real(row->memory_driver) > 0.0) {
    const double total = real(row->memory_driver);
    memory = estimate<double>{total - static_cast<double>(e.most_reserve_bytes),
                              total - static_cast<double>(e.usual_reserve_bytes),
                              total - static_cast<double>(e.least_reserve_bytes), basis::transferred};
  }
  send("memory_total", validate::unit::bytes, static_cast<double>(d.total_bytes), memory,
       validate::say("cudaMemGetInfo; nvidia-smi's total less what the driver keeps; ECC ", d.ecc ? "on" : "off"));
  send("memory_free", validate::unit::bytes, static_cast<double>(d.free_bytes), std::nullopt,
       validate::say("cudaMemGetInfo, this process' context taken"));

  std::optional<estimate<double>> units;
  if (row != nullptr && row->compute_units > 0) units = estimate<double>::exactly(row->compute_units, basis::datasheet);
  send("multiprocessors", validate::unit::count, d.multiprocessors, units, validate::say("streaming multiprocessors"));
  send("compute_capability", validate::unit::count, d.compute_capability,
       row != nullptr ? compute_capabilities(row->family) : std::optional<estimate<double>>{},
       validate::say("10 x major + minor"));

  std::optional<estimate<double>> nominal;
  if (row != nullptr && value_of(row->bandwidth) > 0.0) nominal = e.clock(value_of(row->bandwidth));
  if (const std::optional<double> rate = d.clock_bandwidth()) {
    send("bandwidth_of_clock", validate::unit::bytes_per_second, *rate, nominal,
         validate::say("2 x ", d.memory_clock_khz / 1000, " MHz x ", d.memory_bus_bits, " bit"));
  } else {
    validate::measurement m;
    m.name = "bandwidth_of_clock";
    m.in = validate::unit::bytes_per_second;
    m.predicted = nominal;
    m.note = validate::say("the runtime gives no memory clock or bus width");
    sink(m);
  }
}

}  // namespace ullage::inline v0::cuda
