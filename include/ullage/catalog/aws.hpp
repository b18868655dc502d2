// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <string_view>
#include <ullage/catalog/fabrics.hpp>
#include <ullage/hardware/accelerator.hpp>

// Accelerators of AWS. dense_peaks: fp32, tf32, fp16, bf16, fp8, int8, fp4; {} = no such units, or not known.
namespace ullage::inline v0::catalog {

using std::literals::string_view_literals::operator""sv;

inline constexpr accelerator trainium3{
    .id = "trainium3"sv,
    .name = "Trainium3"sv,
    .made_by = vendor::aws,
    .family = architecture::neuron,
    .kind = device_class::datacenter,
    .form = form_factor::som,
    .year = 2025,
    .memory_type = memory_type::hbm3e,
    .memory_sold = 144_GiB,
    .memory_basis = basis::datasheet,
    .bandwidth = 4900_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{183_TFLOPS, 671_TFLOPS, 671_TFLOPS, 671_TFLOPS, 2517_TFLOPS, {}, 2517_TFLOPS}},
    .peaks_basis = basis::datasheet,
    .compute_units = 8,
    .scale_up = neuronlink_v4_trn3,
    .host_link = 121_GBps,
    .host_link_basis = basis::unverified};

inline constexpr accelerator trainium2{
    .id = "trainium2"sv,
    .name = "Trainium2"sv,
    .made_by = vendor::aws,
    .family = architecture::neuron,
    .kind = device_class::datacenter,
    .form = form_factor::som,
    .year = 2024,
    .memory_type = memory_type::hbm3,
    .memory_sold = 96_GiB,
    .memory_basis = basis::datasheet,
    .bandwidth = 2900_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{181_TFLOPS, 667_TFLOPS, 667_TFLOPS, 667_TFLOPS, 1299_TFLOPS, {}, {}}},
    .peaks_basis = basis::datasheet,
    .compute_units = 8,
    .scale_up = neuronlink_v3_trn2,
    .host_link = 63_GBps,
    .host_link_basis = basis::unverified,
    .power = 500_W,
    .power_basis = basis::unverified};

inline constexpr accelerator trainium1{
    .id = "trainium1"sv,
    .name = "Trainium1"sv,
    .made_by = vendor::aws,
    .family = architecture::neuron,
    .kind = device_class::datacenter,
    .form = form_factor::som,
    .year = 2022,
    .memory_type = memory_type::hbm2e,
    .memory_sold = 32_GiB,
    .memory_basis = basis::datasheet,
    .bandwidth = 880_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{47.5_TFLOPS, 190_TFLOPS, 190_TFLOPS, 190_TFLOPS, 190_TFLOPS, 380_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .lacks = 64,
    .compute_units = 2,
    .scale_up = neuronlink_v2_trn1,
    .host_link = 31.5_GBps,
    .host_link_basis = basis::unverified};

inline constexpr accelerator inferentia2{
    .id = "inferentia2"sv,
    .name = "Inferentia2"sv,
    .made_by = vendor::aws,
    .family = architecture::neuron,
    .kind = device_class::datacenter,
    .form = form_factor::som,
    .year = 2023,
    .memory_type = memory_type::hbm2e,
    .memory_sold = 32_GiB,
    .memory_basis = basis::datasheet,
    .bandwidth = 880_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{47.5_TFLOPS, 190_TFLOPS, 190_TFLOPS, 190_TFLOPS, 190_TFLOPS, 380_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .lacks = 64,
    .compute_units = 2,
    .scale_up = neuronlink_v2_inf2,
    .host_link = 31.5_GBps,
    .host_link_basis = basis::unverified};

inline constexpr accelerator inferentia1{
    .id = "inferentia1"sv,
    .name = "Inferentia1"sv,
    .made_by = vendor::aws,
    .family = architecture::neuron,
    .kind = device_class::datacenter,
    .form = form_factor::som,
    .year = 2019,
    .memory_type = memory_type::ddr4,
    .memory_sold = 8_GiB,
    .memory_basis = basis::datasheet,
    .bandwidth = 53.7_GBps,
    .bandwidth_basis = basis::datasheet,
    .dense_peaks = {{{}, {}, 64_TFLOPS, 64_TFLOPS, {}, 128_TFLOPS, {}}},
    .peaks_basis = basis::datasheet,
    .lacks = 82,
    .compute_units = 4,
    .scale_up = neuronlink_v1_inf1,
    .host_link = 15.75_GBps,
    .host_link_basis = basis::unverified};

}  // namespace ullage::inline v0::catalog
