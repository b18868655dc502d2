// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <array>
#include <string_view>
#include <ullage/catalog/accelerators.hpp>

// What people and tools call the parts.
namespace ullage::inline v0::catalog {

/// A name of one part. `key` is the name as `find_accelerator` compares it: lower case,
/// without separators and, unless the rest is ambiguous, without the vendor.
struct accelerator_alias {
  std::string_view text{};
  std::string_view key{};
  const accelerator* part = nullptr;
};
/// A name that several parts share; unused places are null.
struct ambiguous_accelerator_name {
  std::string_view text{};
  std::string_view key{};
  std::array<const accelerator*, 6> parts{};
};

/// Sorted by key.
inline constexpr std::array<accelerator_alias, 143> accelerator_aliases{{
    {"3090", "3090", &rtx_3090},
    {"4090", "4090", &rtx_4090},
    {"5090", "5090", &rtx_5090},
    {"A100 40GB PCIe", "a10040gbpcie", &a100_pcie_40gb},
    {"A100 40GB SXM", "a10040gbsxm", &a100_sxm_40gb},
    {"A100 40GB SXM4", "a10040gbsxm4", &a100_sxm_40gb},
    {"NVIDIA A100 80GB PCIe", "a10080gbpcie", &a100_pcie_80gb},
    {"A100 80GB SXM", "a10080gbsxm", &a100_sxm_80gb},
    {"A100 80GB SXM4", "a10080gbsxm4", &a100_sxm_80gb},
    {"A100 PCIe 40GB", "a100pcie40gb", &a100_pcie_40gb},
    {"A100 PCIe 80GB", "a100pcie80gb", &a100_pcie_80gb},
    {"A100 SXM 40GB", "a100sxm40gb", &a100_sxm_40gb},
    {"NVIDIA A100-SXM4-40GB", "a100sxm440gb", &a100_sxm_40gb},
    {"NVIDIA A100-SXM4-80GB", "a100sxm480gb", &a100_sxm_80gb},
    {"A100 SXM 80GB", "a100sxm80gb", &a100_sxm_80gb},
    {"a2-highgpu-1g", "a2highgpu1g", &a100_sxm_40gb},
    {"a2-highgpu-8g", "a2highgpu8g", &a100_sxm_40gb},
    {"a2-ultragpu-1g", "a2ultragpu1g", &a100_sxm_80gb},
    {"a2-ultragpu-8g", "a2ultragpu8g", &a100_sxm_80gb},
    {"a3-highgpu-8g", "a3highgpu8g", &h100_sxm},
    {"a3-megagpu-8g", "a3megagpu8g", &h100_sxm},
    {"a3-ultragpu-8g", "a3ultragpu8g", &h200_sxm},
    {"a4-highgpu-8g", "a4highgpu8g", &b200},
    {"a4x-highgpu-4g", "a4xhighgpu4g", &gb200},
    {"B200", "b200", &b200},
    {"B200 180GB", "b200180gb", &b200},
    {"B200 SXM", "b200sxm", &b200},
    {"B200 SXM 180GB", "b200sxm180gb", &b200},
    {"Cloud TPU v5e", "cloudtpuv5e", &tpu_v5e},
    {"Cloud TPU v5p", "cloudtpuv5p", &tpu_v5p},
    {"Cloud TPU v6e", "cloudtpuv6e", &tpu_v6e},
    {"ct5lp-hightpu-1t", "ct5lphightpu1t", &tpu_v5e},
    {"ct5lp-hightpu-4t", "ct5lphightpu4t", &tpu_v5e},
    {"ct5lp-hightpu-8t", "ct5lphightpu8t", &tpu_v5e},
    {"ct5p-hightpu-4t", "ct5phightpu4t", &tpu_v5p},
    {"ct6e-standard-1t", "ct6estandard1t", &tpu_v6e},
    {"ct6e-standard-4t", "ct6estandard4t", &tpu_v6e},
    {"ct6e-standard-8t", "ct6estandard8t", &tpu_v6e},
    {"g2-standard-4", "g2standard4", &l4},
    {"g4dn.12xlarge", "g4dn.12xlarge", &t4},
    {"g4dn.metal", "g4dn.metal", &t4},
    {"g4dn.xlarge", "g4dn.xlarge", &t4},
    {"g6.12xlarge", "g6.12xlarge", &l4},
    {"g6.48xlarge", "g6.48xlarge", &l4},
    {"g6.xlarge", "g6.xlarge", &l4},
    {"g6e.12xlarge", "g6e.12xlarge", &l40s},
    {"g6e.48xlarge", "g6e.48xlarge", &l40s},
    {"g6e.xlarge", "g6e.xlarge", &l40s},
    {"Gaudi 3", "gaudi3", &gaudi3},
    {"Gaudi 3 128GB", "gaudi3128gb", &gaudi3},
    {"GB200", "gb200", &gb200},
    {"GB200 NVL72", "gb200nvl72", &gb200},
    {"NVIDIA GeForce RTX 3090", "geforcertx3090", &rtx_3090},
    {"NVIDIA GeForce RTX 4090", "geforcertx4090", &rtx_4090},
    {"NVIDIA GeForce RTX 5090", "geforcertx5090", &rtx_5090},
    {"NVIDIA H100 80GB HBM3", "h10080gbhbm3", &h100_sxm},
    {"nvidia-h100-mega-80gb", "h100mega80gb", &h100_sxm},
    {"H100 NVL", "h100nvl", &h100_nvl},
    {"H100 NVL 94GB", "h100nvl94gb", &h100_nvl},
    {"H100 PCIe", "h100pcie", &h100_pcie},
    {"H100 PCIe 80GB", "h100pcie80gb", &h100_pcie},
    {"H100 SXM", "h100sxm", &h100_sxm},
    {"H100 SXM5", "h100sxm5", &h100_sxm},
    {"H100 SXM5 80GB", "h100sxm580gb", &h100_sxm},
    {"H100 SXM 80GB", "h100sxm80gb", &h100_sxm},
    {"H200 NVL", "h200nvl", &h200_nvl},
    {"H200 NVL 141GB", "h200nvl141gb", &h200_nvl},
    {"H200 SXM", "h200sxm", &h200_sxm},
    {"H200 SXM 141GB", "h200sxm141gb", &h200_sxm},
    {"H200 SXM5", "h200sxm5", &h200_sxm},
    {"H200 SXM5 141GB", "h200sxm5141gb", &h200_sxm},
    {"Habana Gaudi 3", "habanagaudi3", &gaudi3},
    {"HL-325L", "hl325l", &gaudi3},
    {"AMD Instinct MI300X", "instinctmi300x", &mi300x},
    {"AMD Instinct MI300X OAM", "instinctmi300xoam", &mi300x},
    {"AMD Instinct MI325 OAM", "instinctmi325oam", &mi325x},
    {"AMD Instinct MI325X", "instinctmi325x", &mi325x},
    {"AMD Instinct MI325X OAM", "instinctmi325xoam", &mi325x},
    {"AMD Instinct MI350 OAM", "instinctmi350oam", &mi350x},
    {"AMD Instinct MI350X", "instinctmi350x", &mi350x},
    {"AMD Instinct MI350X OAM", "instinctmi350xoam", &mi350x},
    {"AMD Instinct MI355 OAM", "instinctmi355oam", &mi355x},
    {"AMD Instinct MI355X", "instinctmi355x", &mi355x},
    {"AMD Instinct MI355X 288GB HBM3e", "instinctmi355x288gbhbm3e", &mi355x},
    {"AMD Instinct MI355X OAM", "instinctmi355xoam", &mi355x},
    {"L4", "l4", &l4},
    {"L40S", "l40s", &l40s},
    {"L40S 48GB", "l40s48gb", &l40s},
    {"L4 24GB", "l424gb", &l4},
    {"MI300X", "mi300x", &mi300x},
    {"MI300X 192GB", "mi300x192gb", &mi300x},
    {"MI325", "mi325", &mi325x},
    {"MI325X", "mi325x", &mi325x},
    {"MI325X 256GB", "mi325x256gb", &mi325x},
    {"MI350X", "mi350x", &mi350x},
    {"MI350X 288GB", "mi350x288gb", &mi350x},
    {"MI355", "mi355", &mi355x},
    {"MI355X", "mi355x", &mi355x},
    {"MI355X 288GB", "mi355x288gb", &mi355x},
    {"NVIDIA H200", "nvidiah200", &h200_sxm},
    {"p4d.24xlarge", "p4d.24xlarge", &a100_sxm_40gb},
    {"p4de.24xlarge", "p4de.24xlarge", &a100_sxm_80gb},
    {"p5.48xlarge", "p5.48xlarge", &h100_sxm},
    {"p5.4xlarge", "p5.4xlarge", &h100_sxm},
    {"p5e.48xlarge", "p5e.48xlarge", &h200_sxm},
    {"p5en.48xlarge", "p5en.48xlarge", &h200_sxm},
    {"p6-b200.48xlarge", "p6b200.48xlarge", &b200},
    {"p6e-gb200.36xlarge", "p6egb200.36xlarge", &gb200},
    {"RTX 3090", "rtx3090", &rtx_3090},
    {"RTX 3090 24GB", "rtx309024gb", &rtx_3090},
    {"RTX 4090", "rtx4090", &rtx_4090},
    {"RTX 4090 24GB", "rtx409024gb", &rtx_4090},
    {"RTX 5090", "rtx5090", &rtx_5090},
    {"RTX 5090 32GB", "rtx509032gb", &rtx_5090},
    {"Standard_NC24ads_A100_v4", "standardnc24adsa100v4", &a100_pcie_80gb},
    {"Standard_NC40ads_H100_v5", "standardnc40adsh100v5", &h100_nvl},
    {"Standard_NC80adis_H100_v5", "standardnc80adish100v5", &h100_nvl},
    {"Standard_ND96amsr_A100_v4", "standardnd96amsra100v4", &a100_sxm_80gb},
    {"Standard_ND96asr_v4", "standardnd96asrv4", &a100_sxm_40gb},
    {"Standard_ND96isr_H100_v5", "standardnd96isrh100v5", &h100_sxm},
    {"Standard_ND96isr_H200_v5", "standardnd96isrh200v5", &h200_sxm},
    {"Standard_ND96isr_MI300X_v5", "standardnd96isrmi300xv5", &mi300x},
    {"T4", "t4", &t4},
    {"Tesla T4", "teslat4", &t4},
    {"TPU Trillium", "tputrillium", &tpu_v6e},
    {"TPU v5e", "tpuv5e", &tpu_v5e},
    {"TPU v5 lite", "tpuv5lite", &tpu_v5e},
    {"tpu-v5-lite-device", "tpuv5litedevice", &tpu_v5e},
    {"tpu-v5-lite-podslice", "tpuv5litepodslice", &tpu_v5e},
    {"TPU v5p", "tpuv5p", &tpu_v5p},
    {"tpu-v5p-slice", "tpuv5pslice", &tpu_v5p},
    {"TPU v6e", "tpuv6e", &tpu_v6e},
    {"tpu-v6e-slice", "tpuv6eslice", &tpu_v6e},
    {"TPU v6 lite", "tpuv6lite", &tpu_v6e},
    {"Trainium2", "trainium2", &trainium2},
    {"Trillium", "trillium", &tpu_v6e},
    {"trn2", "trn2", &trainium2},
    {"trn2.48xlarge", "trn2.48xlarge", &trainium2},
    {"trn2u.48xlarge", "trn2u.48xlarge", &trainium2},
    {"v5e", "v5e", &tpu_v5e},
    {"v5litepod", "v5litepod", &tpu_v5e},
    {"v5p", "v5p", &tpu_v5p},
    {"v6e", "v6e", &tpu_v6e},
}};

/// Sorted by key.
inline constexpr std::array<ambiguous_accelerator_name, 17> ambiguous_accelerator_names{{
    {"A100", "a100", {{&a100_sxm_40gb, &a100_sxm_80gb, &a100_pcie_40gb, &a100_pcie_80gb}}},
    {"A100 40GB", "a10040gb", {{&a100_sxm_40gb, &a100_pcie_40gb}}},
    {"A100 80GB", "a10080gb", {{&a100_sxm_80gb, &a100_pcie_80gb}}},
    {"A100 PCIe", "a100pcie", {{&a100_pcie_40gb, &a100_pcie_80gb}}},
    {"A100 SXM", "a100sxm", {{&a100_sxm_40gb, &a100_sxm_80gb}}},
    {"A100 SXM4", "a100sxm4", {{&a100_sxm_40gb, &a100_sxm_80gb}}},
    {"H100", "h100", {{&h100_sxm, &h100_pcie, &h100_nvl}}},
    {"H100 80GB", "h10080gb", {{&h100_sxm, &h100_pcie}}},
    {"H200", "h200", {{&h200_sxm, &h200_nvl}}},
    {"H200 141GB", "h200141gb", {{&h200_sxm, &h200_nvl}}},
    {"Instinct MI300", "instinctmi300", {{&mi300x, &mi325x}}},
    {"Instinct MI350", "instinctmi350", {{&mi350x, &mi355x}}},
    {"MI300", "mi300", {{&mi300x, &mi325x}}},
    {"MI350", "mi350", {{&mi350x, &mi355x}}},
    {"TPU", "tpu", {{&tpu_v5e, &tpu_v5p, &tpu_v6e}}},
    {"TPU v5", "tpuv5", {{&tpu_v5e, &tpu_v5p}}},
    {"v5", "v5", {{&tpu_v5e, &tpu_v5p}}},
}};

/// Vendor words that may stand before a name.
struct vendor_word {
  std::string_view key{};
  vendor made_by = vendor::unknown;
};
inline constexpr std::array<vendor_word, 6> vendor_words{{
    {"amazon", vendor::aws},
    {"amd", vendor::amd},
    {"aws", vendor::aws},
    {"google", vendor::google},
    {"intel", vendor::intel},
    {"nvidia", vendor::nvidia},
}};

}  // namespace ullage::inline v0::catalog
