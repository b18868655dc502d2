// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// The closed lists that a row of hardware is described with. Each has `name(x)`.
namespace ullage::inline v0 {

enum class vendor : std::uint8_t {
  unknown,
  nvidia,
  amd,
  google,
  aws,
  intel,
  apple,
  huawei,
  qualcomm,
  cerebras,
  groq,
  sambanova,
  hailo,
  tenstorrent,
  graphcore,
  ampere,
  arm,
  raspberry_pi,
  microsoft,
  oracle,
  other
};
inline constexpr std::size_t vendor_kinds = static_cast<std::size_t>(vendor::other) + 1;
constexpr std::string_view name(vendor v) noexcept {
  constexpr std::array<std::string_view, vendor_kinds> names{
      "unknown",   "NVIDIA",   "AMD",      "Google",       "AWS",       "Intel",  "Apple",
      "Huawei",    "Qualcomm", "Cerebras", "Groq",         "SambaNova", "Hailo",  "Tenstorrent",
      "Graphcore", "Ampere",   "Arm",      "Raspberry Pi", "Microsoft", "Oracle", "other"};
  return names[static_cast<std::size_t>(v)];
}

/// The family whose measured constants a part can borrow (performance/constants.hpp).
enum class architecture : std::uint8_t {
  unknown,
  pascal,
  volta,
  turing,
  ampere,
  ampere_rtx,
  ada,
  hopper,
  blackwell,
  blackwell_ultra,
  blackwell_rtx,
  rubin,
  orin,
  thor,
  cdna1,
  cdna2,
  cdna3,
  cdna4,
  cdna5,
  gcn,
  rdna2,
  rdna3,
  rdna3_5,
  rdna4,
  tpu,
  neuron,
  gaudi,
  xe_hpc,
  xe_hpg,
  xe2,
  apple_gpu,
  ascend,
  ai100,
  wafer,
  lpu,
  rdu,
  hailo,
  tenstorrent,
  npu,
  cpu_amx,
  cpu_avx512,
  cpu_avx2,
  cpu_neon
};
inline constexpr std::size_t architecture_kinds = static_cast<std::size_t>(architecture::cpu_neon) + 1;
constexpr std::string_view name(architecture a) noexcept {
  constexpr std::array<std::string_view, architecture_kinds> names{"unknown",
                                                                   "Pascal",
                                                                   "Volta",
                                                                   "Turing",
                                                                   "Ampere",
                                                                   "Ampere (GA10x)",
                                                                   "Ada Lovelace",
                                                                   "Hopper",
                                                                   "Blackwell",
                                                                   "Blackwell Ultra",
                                                                   "Blackwell (GB20x)",
                                                                   "Rubin",
                                                                   "Ampere (Orin)",
                                                                   "Blackwell (Thor)",
                                                                   "CDNA",
                                                                   "CDNA2",
                                                                   "CDNA3",
                                                                   "CDNA4",
                                                                   "CDNA5",
                                                                   "GCN",
                                                                   "RDNA2",
                                                                   "RDNA3",
                                                                   "RDNA3.5",
                                                                   "RDNA4",
                                                                   "TPU",
                                                                   "Neuron",
                                                                   "Gaudi",
                                                                   "Xe-HPC",
                                                                   "Xe-HPG",
                                                                   "Xe2",
                                                                   "Apple GPU",
                                                                   "Ascend",
                                                                   "Cloud AI 100",
                                                                   "wafer scale",
                                                                   "LPU",
                                                                   "RDU",
                                                                   "Hailo",
                                                                   "Tensix",
                                                                   "NPU",
                                                                   "CPU with AMX",
                                                                   "CPU with AVX-512",
                                                                   "CPU with AVX2",
                                                                   "CPU with Neon"};
  return names[static_cast<std::size_t>(a)];
}

enum class device_class : std::uint8_t { unknown, datacenter, workstation, consumer, edge, soc, cpu, npu };
inline constexpr std::size_t device_classes = 8;
constexpr std::string_view name(device_class c) noexcept {
  constexpr std::array<std::string_view, device_classes> names{"unknown", "datacenter", "workstation", "consumer",
                                                               "edge",    "soc",        "cpu",         "npu"};
  return names[static_cast<std::size_t>(c)];
}

enum class form_factor : std::uint8_t {
  unknown,
  sxm,
  pcie,
  nvl,
  oam,
  superchip,
  som,  ///< module: a board that carries the chip and its memory
  soc,
  socket,
  mezzanine,
  laptop,
  rack
};
inline constexpr std::size_t form_factors = 12;
constexpr std::string_view name(form_factor f) noexcept {
  constexpr std::array<std::string_view, form_factors> names{
      "unknown", "SXM", "PCIe", "NVL", "OAM", "superchip", "module", "SoC", "socket", "mezzanine", "laptop", "rack"};
  return names[static_cast<std::size_t>(f)];
}

enum class memory_type : std::uint8_t {
  unknown,
  hbm2,
  hbm2e,
  hbm3,
  hbm3e,
  hbm4,
  gddr5,
  gddr5x,
  gddr6,
  gddr6x,
  gddr7,
  lpddr4x,
  lpddr5,
  lpddr5x,
  ddr4,
  ddr5,
  sram
};
inline constexpr std::size_t memory_types = 17;
constexpr std::string_view name(memory_type m) noexcept {
  constexpr std::array<std::string_view, memory_types> names{
      "unknown", "HBM2",  "HBM2e",   "HBM3",   "HBM3e",   "HBM4", "GDDR5", "GDDR5X", "GDDR6",
      "GDDR6X",  "GDDR7", "LPDDR4X", "LPDDR5", "LPDDR5X", "DDR4", "DDR5",  "SRAM"};
  return names[static_cast<std::size_t>(m)];
}
constexpr bool is_hbm(memory_type m) noexcept {
  return m >= memory_type::hbm2 && m <= memory_type::hbm4;
}
constexpr bool is_gddr(memory_type m) noexcept {
  return m >= memory_type::gddr5 && m <= memory_type::gddr7;
}

/// What error correction costs of the capacity.
enum class ecc : std::uint8_t {
  unknown,
  none,
  native,       ///< in the memory itself: nothing visible is lost
  inline_,      ///< in the data: 1/16 of the capacity is lost
  off_inline_,  ///< likewise once it is turned on; sold turned off
};
constexpr std::string_view name(ecc e) noexcept {
  constexpr std::array<std::string_view, 5> names{"unknown", "none", "native", "inline", "off"};
  return names[static_cast<std::size_t>(e)];
}

enum class availability : std::uint8_t { shipping, announced, withdrawn };
constexpr std::string_view name(availability a) noexcept {
  constexpr std::array<std::string_view, 3> names{"shipping", "announced", "withdrawn"};
  return names[static_cast<std::size_t>(a)];
}

/// Whether a part has units for an arithmetic.
enum class support : std::uint8_t {
  native,
  lacking,   ///< a document says that it has none
  not_known  ///< no figure, and nothing that says that there are no units
};
constexpr std::string_view name(support s) noexcept {
  constexpr std::array<std::string_view, 3> names{"native", "lacking", "not known"};
  return names[static_cast<std::size_t>(s)];
}

}  // namespace ullage::inline v0
