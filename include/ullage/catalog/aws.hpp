// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <ullage/hardware/accelerator.hpp>

// Accelerators of AWS. dense_peaks: fp32, tf32, fp16, bf16, fp8, int8, fp4; {} = no such units, or not known.
namespace ullage::inline v0::catalog {

inline constexpr accelerator trainium2{
    .id = "trainium2",
    .name = "Trainium2",
    .made_by = vendor::aws,
    .family = architecture::neuron,
    .year = 2024,
    .memory_sold = 96_GiB,
    .memory_driver = {},
    .memory_process = {},
    .memory_basis = basis::datasheet,
    .bandwidth = 2900_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{181_TFLOPS, 667_TFLOPS, 667_TFLOPS, 667_TFLOPS, 1299_TFLOPS, {}, {}}},
    .peaks_basis = basis::datasheet,
    .scale_up = {.name = "NeuronLink-v3",
                 .shape = topology::torus_2d,
                 .per_device = 512_GBps,
                 .per_peer = 128_GBps,
                 .hop_latency = {},
                 .domain = 16_dev,
                 .in_network_reduction = false},
    .host_link = 63_GBps,
    .power = 500_W,
    .compute_units = 8};

}  // namespace ullage::inline v0::catalog
