// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <array>

// Parts that are known but lack a figure that a plan needs. Opt-in: the umbrella headers do not include it.
namespace ullage::inline v0::catalog {

struct absent_part {
  const char* id = nullptr;
  const char* name = nullptr;
  const char* vendor = nullptr;
  const char* missing = nullptr;  ///< memory, bandwidth, peaks
  const char* why = nullptr;
  const char* source = nullptr;
  const char* date = nullptr;
};
inline constexpr std::array<absent_part, 37> absent_parts{{
    {"rubin-cpx", "Rubin CPX", "nvidia", "bandwidth,peaks",
    "128 GB of GDDR7 and 30 PFLOP/s of NVFP4 without a dense label were announced, no bandwidth; left the roadmap at GTC 2026",
    "NVIDIA announcement of 2025-09, as cited by stas00/ml-engineering", "2026-08"},
    {"h100-sxm-64gb", "H100 SXM 64GB", "nvidia", "bandwidth",
    "board of MareNostrum 5 with 64 GB of HBM2e; nvidia-smi prints 65247 MiB; no document with its bandwidth",
    "docs.nvidia.com AI Enterprise vGPU pages: NVIDIA H100 SXM5 64GB", "2026-09"},
    {"h800-nvl", "H800 NVL", "nvidia", "bandwidth,peaks", "94 GB PCIe card; no document with its bandwidth and rates",
    "docs.nvidia.com AI Enterprise vGPU pages: NVIDIA H800 PCIe 94GB", "2026-09"},
    {"gb300-ws", "GB300-WS", "nvidia", "peaks",
    "GPU of DGX Station: 252 GB of HBM3e, 7100 GB/s, 256703 MiB by the driver, 152 SMs; no dense rates of this board",
    "NVIDIA DGX Station datasheet, as cited in midudev/canirun.ai#20", "2026-08"},
    {"mi430x", "MI430X", "amd", "peaks",
    "HPC sibling of MI455X with 432 GB of HBM4 at 19.6 TB/s; peak rates not published",
    "vendor page as cited by stas00/ml-engineering", "2026-08"},
    {"mi440x", "MI440X", "amd", "memory,bandwidth,peaks",
    "announced at CES 2026 for 8-device servers; no figures at hand", "trade press", "2026-01"},
    {"gaudi1", "Gaudi 1", "intel", "peaks",
    "HL-205: 32 GB of HBM2 at 1 TB/s, 8 TPCs, 10 ports of 100 Gb/s, PCIe 4.0 x16, 350 W; Habana published no peak rate, and the 160 TFLOP/s of hmc-tech.com has no document",
    "Habana Gaudi product pages; huggingface.co/docs/optimum for the memory", "2026-08"},
    {"flex-140", "Data Center GPU Flex 140", "intel", "peaks",
    "two small GPUs on a card of 12 GB for video and graphics; rates not at hand", "pci.ids", "2026-08"},
    {"apple-m4-ane", "M4 Neural Engine", "apple", "memory,peaks",
    "uses system memory at 120 GB/s; Apple states 38 TOPS without precision or sparsity, and language-model runtimes do not use it",
    "apple.com newsroom (M4)", "2024-05"},
    {"apple-m2-max-cpu", "Apple M2 Max CPU", "apple", "peaks",
    "Apple publishes no CPU clock and no rate of the matrix coprocessor; memory as of the GPU parts",
    "no document at hand", "2023-01"},
    {"apple-m2-ultra-cpu", "Apple M2 Ultra CPU", "apple", "peaks",
    "Apple publishes no CPU clock and no rate of the matrix coprocessor; memory as of the GPU parts",
    "no document at hand", "2023-06"},
    {"hailo-8", "Hailo-8", "hailo", "memory,bandwidth",
    "SRAM only, size not published: weights stream from the host; 26 TOPS int8", "hailo.ai product page", "2025-07"},
    {"hailo-8l", "Hailo-8L", "hailo", "memory,bandwidth", "as Hailo-8 with half of the compute elements; 13 TOPS int8",
    "community.hailo.ai", "2024-06"},
    {"coral-edge-tpu", "Coral Edge TPU", "google", "bandwidth",
    "8 MB of SRAM, larger models stream from the host; 4 TOPS int8", "coral.ai data sheet", "2020-01"},
    {"ai200", "AI200", "qualcomm", "bandwidth,peaks", "768 GB of LPDDR announced, no rate published",
    "qualcomm.com announcement of 2025-10", "2025-10"},
    {"ai250", "AI250", "qualcomm", "memory,bandwidth,peaks", "announced for 2027, no figures published",
    "qualcomm.com announcement of 2025-10", "2025-10"},
    {"snapdragon-x-elite-npu", "Snapdragon X Elite (Hexagon NPU)", "qualcomm", "memory,peaks",
    "shares LPDDR5X at 135 GB/s; 45 TOPS int8, whether dense is not stated", "no document at hand; commonly quoted",
    "2024-06"},
    {"snapdragon-x2-elite-npu", "Snapdragon X2 Elite (Hexagon NPU)", "qualcomm", "memory,peaks",
    "shares LPDDR5X at 152 to 228 GB/s; 80 TOPS int8, whether dense is not stated",
    "no document at hand; commonly quoted", "2025-09"},
    {"snapdragon-8-elite-npu", "Snapdragon 8 Elite (Hexagon NPU)", "qualcomm", "memory,bandwidth,peaks",
    "shares the telephone's LPDDR5X; Qualcomm publishes no TOPS of it", "quic/ai-hub-models names the device only",
    "2025-10"},
    {"snapdragon-8-elite-gen-5-npu", "Snapdragon 8 Elite Gen 5 (Hexagon NPU)", "qualcomm", "memory,bandwidth,peaks",
    "shares the telephone's LPDDR5X; Qualcomm publishes no TOPS of it", "quic/ai-hub-models names the device only",
    "2025-10"},
    {"snapdragon-8-gen-3-npu", "Snapdragon 8 Gen 3 (Hexagon NPU)", "qualcomm", "memory,bandwidth,peaks",
    "Samsung Galaxy S24; shares the telephone's LPDDR5X; no TOPS published", "quic/ai-hub-models names the device only",
    "2025-10"},
    {"sa8295p-npu", "SA8295P (Hexagon NPU)", "qualcomm", "memory,bandwidth,peaks",
    "automotive SoC; 30 TOPS in the press, precision not stated", "quic/ai-hub-models names the device only",
    "2025-10"},
    {"lunar-lake-npu", "Core Ultra 200V (Lunar Lake) NPU4", "intel", "memory,peaks",
    "shares LPDDR5X at 136.5 GB/s; 48 TOPS int8, usable through vendor compilers",
    "no document at hand; commonly quoted", "2024-09"},
    {"panther-lake-npu", "Core Ultra 300 (Panther Lake) NPU5", "intel", "memory,peaks",
    "shares LPDDR5X at 153.6 GB/s; 50 TOPS int8", "no document at hand; commonly quoted", "2026-01"},
    {"arrow-lake-npu", "Core Ultra 200S (Arrow Lake) NPU3", "intel", "memory,peaks",
    "shares DDR5 at 102.4 GB/s; 13 TOPS int8", "no document at hand; commonly quoted", "2024-10"},
    {"meteor-lake-npu", "Core Ultra 100 (Meteor Lake) NPU3", "intel", "memory,peaks",
    "shares LPDDR5X at 120 GB/s; 11 TOPS int8", "no document at hand; commonly quoted", "2023-12"},
    {"xdna2-npu", "Ryzen AI 300 (XDNA2 NPU)", "amd", "memory,peaks",
    "shares LPDDR5X at 136.5 GB/s; 50 TOPS int8 or block fp16", "no document at hand; commonly quoted", "2024-07"},
    {"wse-2", "WSE-2", "cerebras", "peaks", "40 GB of SRAM at 20 PB/s; Cerebras states no dense rate",
    "no document at hand; commonly quoted", "2021-04"},
    {"bow-ipu", "Bow IPU", "graphcore", "memory,bandwidth,peaks", "no figures at hand; about 0.9 GB of SRAM a chip",
    "docs.graphcore.ai names the part", "2023-01"},
    {"colossus-gc200", "Colossus GC200", "graphcore", "memory,bandwidth,peaks",
    "no figures at hand; about 0.9 GB of SRAM a chip", "docs.graphcore.ai names the part", "2023-01"},
    {"blackhole-p300", "Blackhole p300", "tenstorrent", "bandwidth,peaks",
    "two chips of 32 GB (TT-QuietBox 2); board figures not at hand", "docs.tenstorrent.com tt-quietbox2-guide",
    "2026-08"},
    {"vera", "Vera", "nvidia", "peaks",
    "88 Olympus cores, 176 threads, up to 1.5 TB of LPDDR5X at 1200 GB/s; no core clock is published and the operations a clock were not read",
    "docs.nvidia.com/dccpu/vera-perf-tuning-guide", "2026-11"},
    {"epyc-venice", "EPYC Venice", "amd", "memory,bandwidth,peaks",
    "announced for 2026 with up to 256 cores; no product figures at hand", "AMD announcement", "2026-01"},
    {"kunpeng-920", "Kunpeng 920", "huawei", "peaks",
    "8 channels of DDR4-2933; operations a clock of its cores are not published", "no document at hand", "2019-01"},
    {"graviton5", "Graviton5", "aws", "memory,bandwidth,peaks", "192 cores in preview; no memory figures published",
    "nextplatform.com", "2025-12"},
    {"intel-n150-cpu", "Intel N150", "intel", "peaks", "four Gracemont cores, one channel; no base clock published",
    "no document at hand", "2025-01"},
    {"cix-p1", "CIX P1 (Minisforum MS-R1)", "other", "memory,bandwidth,peaks", "no document at hand",
    "geerlingguy/ai-benchmarks names the machine only", "2025-10"},
}};

}  // namespace ullage::inline v0::catalog
