// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ullage/number_format.hpp>

// Formats that checkpoints hold beside those that engines make themselves. Each says whose code lays it out.
namespace ullage::inline v0::io::hf {

/// One group of inputs a row.
inline constexpr std::int64_t whole_row = std::int64_t{1} << 30;

/// Weight-only integers in groups of inputs with a 16-bit scale, with or without a zero point of the element's width.
/// With: `qweight`, `qzeros` and `scales` of AutoAWQ (awq/modules/linear/gemm.py) and of auto-round
/// (auto_round_extension/torch/qlinear_torch_zp.py: 32 values of 3 bits in three words). Without: `weight_packed` and
/// `weight_scale` of compressed-tensors; `B` and `s` of Marlin (AutoGPTQ, qlinear_marlin.py).
inline constexpr std::array<number_format, 27> integer_formats{{
    formats::int4,
    {"int2_g32", 2, 1, 32, 16, 2, 0, math::bf16},
    {"int2_g64", 2, 1, 64, 16, 2, 0, math::bf16},
    {"int2_g128", 2, 1, 128, 16, 2, 0, math::bf16},
    {"int2_channel", 2, 1, whole_row, 16, 2, 0, math::bf16},
    {"int3_g32", 3, 1, 32, 16, 3, 0, math::bf16},
    {"int3_g64", 3, 1, 64, 16, 3, 0, math::bf16},
    {"int3_g128", 3, 1, 128, 16, 3, 0, math::bf16},
    {"int3_channel", 3, 1, whole_row, 16, 3, 0, math::bf16},
    {"int4_g32", 4, 1, 32, 16, 4, 0, math::bf16},
    {"int4_g64", 4, 1, 64, 16, 4, 0, math::bf16},
    {"int4_g256", 4, 1, 256, 16, 4, 0, math::bf16},
    {"int4_channel", 4, 1, whole_row, 16, 4, 0, math::bf16},
    {"int4_g32_sym", 4, 1, 32, 16, 0, 0, math::bf16},
    {"int4_g64_sym", 4, 1, 64, 16, 0, 0, math::bf16},
    {"int4_g128_sym", 4, 1, 128, 16, 0, 0, math::bf16},
    {"int4_g256_sym", 4, 1, 256, 16, 0, 0, math::bf16},
    {"int4_channel_sym", 4, 1, whole_row, 16, 0, 0, math::bf16},
    {"int8_g32", 8, 1, 32, 16, 8, 0, math::bf16},
    {"int8_g64", 8, 1, 64, 16, 8, 0, math::bf16},
    {"int8_g128", 8, 1, 128, 16, 8, 0, math::bf16},
    {"int8_g256", 8, 1, 256, 16, 8, 0, math::bf16},
    {"int8_channel", 8, 1, whole_row, 16, 8, 0, math::bf16},
    {"int8_g32_sym", 8, 1, 32, 16, 0, 0, math::bf16},
    {"int8_g64_sym", 8, 1, 64, 16, 0, 0, math::bf16},
    {"int8_g128_sym", 8, 1, 128, 16, 0, 0, math::bf16},
    {"int8_channel_sym", 8, 1, whole_row, 16, 0, 0, math::bf16},
}};

/// GPTQ: the same and `g_idx`, a 32-bit number of the group of each input (GPTQModel,
/// gptqmodel/nn_modules/qlinear/__init__.py, _register_gptq_buffers: `qweight` in · bits / 32 × out words, `qzeros`
/// in / group × out · bits / 32 words, `scales` in / group × out of 16 bits). Symmetric ones hold zero points too.
inline constexpr std::array<number_format, 20> gptq_formats{{
    {"gptq2_g32", 2, 1, 32, 16, 2, 0, math::bf16, 32},
    {"gptq2_g64", 2, 1, 64, 16, 2, 0, math::bf16, 32},
    {"gptq2_g128", 2, 1, 128, 16, 2, 0, math::bf16, 32},
    {"gptq2_g256", 2, 1, 256, 16, 2, 0, math::bf16, 32},
    {"gptq2_channel", 2, 1, whole_row, 16, 2, 0, math::bf16, 32},
    {"gptq3_g32", 3, 1, 32, 16, 3, 0, math::bf16, 32},
    {"gptq3_g64", 3, 1, 64, 16, 3, 0, math::bf16, 32},
    {"gptq3_g128", 3, 1, 128, 16, 3, 0, math::bf16, 32},
    {"gptq3_g256", 3, 1, 256, 16, 3, 0, math::bf16, 32},
    {"gptq3_channel", 3, 1, whole_row, 16, 3, 0, math::bf16, 32},
    {"gptq4_g32", 4, 1, 32, 16, 4, 0, math::bf16, 32},
    {"gptq4_g64", 4, 1, 64, 16, 4, 0, math::bf16, 32},
    {"gptq4_g128", 4, 1, 128, 16, 4, 0, math::bf16, 32},
    {"gptq4_g256", 4, 1, 256, 16, 4, 0, math::bf16, 32},
    {"gptq4_channel", 4, 1, whole_row, 16, 4, 0, math::bf16, 32},
    {"gptq8_g32", 8, 1, 32, 16, 8, 0, math::bf16, 32},
    {"gptq8_g64", 8, 1, 64, 16, 8, 0, math::bf16, 32},
    {"gptq8_g128", 8, 1, 128, 16, 8, 0, math::bf16, 32},
    {"gptq8_g256", 8, 1, 256, 16, 8, 0, math::bf16, 32},
    {"gptq8_channel", 8, 1, whole_row, 16, 8, 0, math::bf16, 32},
}};

/// group −1 = one group a row. A format without name when the sizes are not in the table.
inline number_format format_of(const auto& table, std::int64_t bits, std::int64_t group, bool zero_point) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const number_format& f) {
    return f.element_bits == bits && f.block_cols == (group < 0 ? whole_row : group) && (f.zero_bits > 0) == zero_point;
  });
  return it == table.end() ? number_format{} : *it;
}

/// fp8 with one scale for the weights and one for the input.
inline constexpr number_format fp8_static{"fp8_static", 8, 0, 0, 0, 0, 8, math::fp8};
/// Blocks of 32 fp8 numbers with an 8-bit exponent (OCP MX; ModelOpt, qtensor/mxfp8_tensor.py).
inline constexpr number_format mxfp8{"mxfp8", 8, 1, 32, 8, 0, 0, math::fp8};
/// NVFP4 weights for inputs of 16 bits: no scale of the input (ModelOpt W4A16_NVFP4, compressed-tensors NVFP4A16).
inline constexpr number_format nvfp4_a16{"nvfp4_a16", 4, 1, 16, 8, 0, 4, math::bf16};

/// bitsandbytes: blocks of 64 with a 32-bit scale, or an 8-bit one where the scales are quantised too; each tensor has
/// its table of 16 values and a description of about 80 bytes, and then the table of its scales. The scales of scales,
/// one for 256 blocks, are left out: 0.05 % of the tensor.
inline constexpr number_format bnb4{"bnb4", 4, 1, 64, 32, 0, 144, math::bf16};
inline constexpr number_format bnb4_double{"bnb4_double", 4, 1, 64, 8, 0, 1172, math::bf16};

/// MLX, "affine": groups of inputs with a scale and an offset of 16 bits each.
inline constexpr std::array<number_format, 18> mlx_formats{{
    {"mlx2_g32", 2, 1, 32, 16, 16, 0, math::bf16},
    {"mlx2_g64", 2, 1, 64, 16, 16, 0, math::bf16},
    {"mlx2_g128", 2, 1, 128, 16, 16, 0, math::bf16},
    {"mlx3_g32", 3, 1, 32, 16, 16, 0, math::bf16},
    {"mlx3_g64", 3, 1, 64, 16, 16, 0, math::bf16},
    {"mlx3_g128", 3, 1, 128, 16, 16, 0, math::bf16},
    {"mlx4_g32", 4, 1, 32, 16, 16, 0, math::bf16},
    {"mlx4_g64", 4, 1, 64, 16, 16, 0, math::bf16},
    {"mlx4_g128", 4, 1, 128, 16, 16, 0, math::bf16},
    {"mlx5_g32", 5, 1, 32, 16, 16, 0, math::bf16},
    {"mlx5_g64", 5, 1, 64, 16, 16, 0, math::bf16},
    {"mlx5_g128", 5, 1, 128, 16, 16, 0, math::bf16},
    {"mlx6_g32", 6, 1, 32, 16, 16, 0, math::bf16},
    {"mlx6_g64", 6, 1, 64, 16, 16, 0, math::bf16},
    {"mlx6_g128", 6, 1, 128, 16, 16, 0, math::bf16},
    {"mlx8_g32", 8, 1, 32, 16, 16, 0, math::bf16},
    {"mlx8_g64", 8, 1, 64, 16, 16, 0, math::bf16},
    {"mlx8_g128", 8, 1, 128, 16, 16, 0, math::bf16},
}};

}  // namespace ullage::inline v0::io::hf
