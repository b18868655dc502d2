// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <array>
#include <ullage/catalog/amd.hpp>
#include <ullage/catalog/aws.hpp>
#include <ullage/catalog/google.hpp>
#include <ullage/catalog/intel.hpp>
#include <ullage/catalog/nvidia.hpp>

// All rows, in the order of cmake/catalog/accelerators.tsv.
namespace ullage::inline v0::catalog {

inline constexpr std::array<accelerator, 26> accelerators{{h100_sxm, h100_pcie, h100_nvl, h200_sxm, h200_nvl,
    a100_sxm_40gb, a100_sxm_80gb, a100_pcie_40gb, a100_pcie_80gb, b200, gb200, l4, l40s, t4, rtx_4090, rtx_3090,
    rtx_5090, mi300x, mi325x, mi350x, mi355x, tpu_v5e, tpu_v5p, tpu_v6e, trainium2, gaudi3}};

}  // namespace ullage::inline v0::catalog
