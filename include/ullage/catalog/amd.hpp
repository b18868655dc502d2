// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <ullage/hardware/accelerator.hpp>

// Accelerators of AMD. dense_peaks: fp32, tf32, fp16, bf16, fp8, int8, fp4; {} = no such units, or not known.
namespace ullage::inline v0::catalog {

inline constexpr accelerator mi300x{
    .id = "mi300x",
    .name = "MI300X",
    .made_by = vendor::amd,
    .family = architecture::cdna3,
    .year = 2023,
    .memory_sold = 192_GB,
    .memory_driver = 206'141'652'992_B,
    .memory_process = {},
    .memory_basis = basis::driver,
    .bandwidth = 5300_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{163.4_TFLOPS, 653.7_TFLOPS, 1307.4_TFLOPS, 1307.4_TFLOPS, 2614.9_TFLOPS, 2614.9_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "xGMI",
                 .shape = topology::mesh,
                 .per_device = 448_GBps,
                 .per_peer = 64_GBps,
                 .hop_latency = {},
                 .domain = 8_dev,
                 .in_network_reduction = false},
    .host_link = 63_GBps,
    .power = 750_W,
    .compute_units = 304};

inline constexpr accelerator mi325x{
    .id = "mi325x",
    .name = "MI325X",
    .made_by = vendor::amd,
    .family = architecture::cdna3,
    .year = 2024,
    .memory_sold = 256_GB,
    .memory_driver = 274'861'129'728_B,
    .memory_process = {},
    .memory_basis = basis::unverified,
    .bandwidth = 6000_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{163.4_TFLOPS, 653.7_TFLOPS, 1307.4_TFLOPS, 1307.4_TFLOPS, 2614.9_TFLOPS, 2614.9_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "xGMI",
                 .shape = topology::mesh,
                 .per_device = 448_GBps,
                 .per_peer = 64_GBps,
                 .hop_latency = {},
                 .domain = 8_dev,
                 .in_network_reduction = false},
    .host_link = 63_GBps,
    .power = 1000_W,
    .compute_units = 304};

inline constexpr accelerator mi350x{
    .id = "mi350x",
    .name = "MI350X",
    .made_by = vendor::amd,
    .family = architecture::cdna4,
    .year = 2025,
    .memory_sold = 288_GB,
    .memory_driver = 309'220'868'096_B,
    .memory_process = {},
    .memory_basis = basis::driver,
    .bandwidth = 8000_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{144.2_TFLOPS, {}, 2306.9_TFLOPS, 2306.9_TFLOPS, 4613.7_TFLOPS, 4613.7_TFLOPS, 9227.5_TFLOPS}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "xGMI 4",
                 .shape = topology::mesh,
                 .per_device = 537.6_GBps,
                 .per_peer = 76.8_GBps,
                 .hop_latency = {},
                 .domain = 8_dev,
                 .in_network_reduction = false},
    .host_link = 63_GBps,
    .power = 1000_W,
    .compute_units = 256};

inline constexpr accelerator mi355x{
    .id = "mi355x",
    .name = "MI355X",
    .made_by = vendor::amd,
    .family = architecture::cdna4,
    .year = 2025,
    .memory_sold = 288_GB,
    .memory_driver = 309'220'868'096_B,
    .memory_process = {},
    .memory_basis = basis::driver,
    .bandwidth = 8000_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{157.3_TFLOPS, {}, 2516.6_TFLOPS, 2516.6_TFLOPS, 5033.2_TFLOPS, 5033.2_TFLOPS, 10066.3_TFLOPS}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "xGMI 4",
                 .shape = topology::mesh,
                 .per_device = 537.6_GBps,
                 .per_peer = 76.8_GBps,
                 .hop_latency = {},
                 .domain = 8_dev,
                 .in_network_reduction = false},
    .host_link = 63_GBps,
    .power = 1400_W,
    .compute_units = 256};

}  // namespace ullage::inline v0::catalog
