// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <ullage/hardware/accelerator.hpp>

// Accelerators of Intel. dense_peaks: fp32, tf32, fp16, bf16, fp8, int8, fp4; {} = no such units, or not known.
namespace ullage::inline v0::catalog {

inline constexpr accelerator gaudi3{
    .id = "gaudi3",
    .name = "Gaudi 3",
    .made_by = vendor::intel,
    .family = architecture::gaudi,
    .year = 2024,
    .memory_sold = 128_GB,
    .memory_driver = {},
    .memory_process = {},
    .memory_basis = basis::datasheet,
    .bandwidth = 3700_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{229_TFLOPS, 459_TFLOPS, 459_TFLOPS, 1677_TFLOPS, 1677_TFLOPS, {}, {}}},
    .peaks_basis = basis::unverified,
    .scale_up = {.name = "RoCE",
                 .shape = topology::mesh,
                 .per_device = 525_GBps,
                 .per_peer = 75_GBps,
                 .hop_latency = {},
                 .domain = 8_dev,
                 .in_network_reduction = false},
    .host_link = 63_GBps,
    .power = 900_W,
    .compute_units = 64};

}  // namespace ullage::inline v0::catalog
