// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <ullage/hardware/accelerator.hpp>

// Accelerators of Google. dense_peaks: fp32, tf32, fp16, bf16, fp8, int8, fp4; {} = no such units, or not known.
namespace ullage::inline v0::catalog {

inline constexpr accelerator tpu_v5e{
    .id = "tpu-v5e",
    .name = "TPU v5e",
    .made_by = vendor::google,
    .family = architecture::tpu,
    .year = 2023,
    .memory_sold = 16_GB,
    .memory_driver = 17'200'000'000_B,
    .memory_process = {},
    .memory_basis = basis::datasheet,
    .bandwidth = 819_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{{}, {}, {}, 197_TFLOPS, {}, 394_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "ICI",
                 .shape = topology::torus_2d,
                 .per_device = 200_GBps,
                 .per_peer = 50_GBps,
                 .hop_latency = 1_us,
                 .domain = 256_dev,
                 .in_network_reduction = false},
    .host_link = {},
    .power = {},
    .compute_units = 1};

inline constexpr accelerator tpu_v5p{
    .id = "tpu-v5p",
    .name = "TPU v5p",
    .made_by = vendor::google,
    .family = architecture::tpu,
    .year = 2023,
    .memory_sold = 95_GB,
    .memory_driver = 103'000'000'000_B,
    .memory_process = {},
    .memory_basis = basis::datasheet,
    .bandwidth = 2765_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{{}, {}, {}, 459_TFLOPS, {}, 918_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "ICI",
                 .shape = topology::torus_3d,
                 .per_device = 600_GBps,
                 .per_peer = 100_GBps,
                 .hop_latency = 1_us,
                 .domain = 8960_dev,
                 .in_network_reduction = false},
    .host_link = {},
    .power = {},
    .compute_units = 2};

inline constexpr accelerator tpu_v6e{
    .id = "tpu-v6e",
    .name = "TPU v6e",
    .made_by = vendor::google,
    .family = architecture::tpu,
    .year = 2024,
    .memory_sold = 32_GB,
    .memory_driver = 34'400'000'000_B,
    .memory_process = {},
    .memory_basis = basis::datasheet,
    .bandwidth = 1640_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{{}, {}, {}, 918_TFLOPS, 918_TFLOPS, 1836_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "ICI",
                 .shape = topology::torus_2d,
                 .per_device = 400_GBps,
                 .per_peer = 100_GBps,
                 .hop_latency = 1_us,
                 .domain = 256_dev,
                 .in_network_reduction = false},
    .host_link = {},
    .power = {},
    .compute_units = 1};

}  // namespace ullage::inline v0::catalog
