// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

/// The arithmetic a tensor core runs: which dense peak of an accelerator applies.
enum class math : std::uint8_t { fp32, tf32, fp16, bf16, fp8, int8, fp4 };
inline constexpr std::size_t math_kinds = 7;

constexpr std::string_view name(math m) noexcept {
  constexpr std::array<std::string_view, math_kinds> names{"fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"};
  return names[static_cast<std::size_t>(m)];
}

/// How numbers are stored: element bits plus the scales and zero points of blocks.
///
/// `storage(rows, cols)` is exact to the byte for a tensor of `rows` outputs and `cols` inputs:
///   rows·⌈cols·bits/8⌉ + ⌈rows/block_rows⌉·⌈cols/block_cols⌉·(scale_bits+zero_bits)/8 + cols·column_bits/8
///   + tensor_bytes.
/// DeepSeek-V3's 128×128 blocks need it: a plain ratio of bytes to elements misses their scales by 6,832 B.
struct number_format {
  std::string_view name{};
  int element_bits = 0;
  int block_rows = 0;               ///< rows that share a scale; 0 = no blocks
  int block_cols = 0;               ///< columns that share a scale
  int scale_bits = 0;               ///< of one block
  int zero_bits = 0;                ///< zero point of one block
  int tensor_bytes = 0;             ///< scales of a whole tensor
  math multiplies_as = math::bf16;  ///< the arithmetic of its products (weight-only formats: that of the activation)
  int column_bits = 0;              ///< of every column, once a tensor: GPTQ's index of the group of each input

  /// Bytes of one tensor; overflow sticks. A tensor without rows takes no bytes.
  constexpr bytes storage(count rows, count cols) const noexcept {
    if (rows == count(0) || cols == count(0)) return of<bytes>(count(0));
    count total = rows * ceil_div(cols * count(element_bits), count(8));
    if (block_cols > 0) {
      const count blocks = ceil_div(rows, count(block_rows)) * ceil_div(cols, count(block_cols));
      total += ceil_div(blocks * count(scale_bits + zero_bits), count(8));
    }
    if (column_bits > 0) total += ceil_div(cols * count(column_bits), count(8));
    return of<bytes>(total + count(tensor_bytes));
  }
  /// Bytes of a run of `elements` numbers without a shape (a cache row).
  constexpr bytes storage(count elements) const noexcept { return storage(count(1), elements); }
  friend constexpr bool operator==(const number_format& a, const number_format& b) noexcept { return a.name == b.name; }
};

namespace formats {
inline constexpr number_format fp32{"fp32", 32, 0, 0, 0, 0, 0, math::fp32};
inline constexpr number_format tf32{"tf32", 32, 0, 0, 0, 0, 0, math::tf32};  ///< computes as tf32, stored as fp32
inline constexpr number_format bf16{"bf16", 16, 0, 0, 0, 0, 0, math::bf16};
inline constexpr number_format fp16{"fp16", 16, 0, 0, 0, 0, 0, math::fp16};
/// One fp32 scale a tensor.
inline constexpr number_format fp8{"fp8", 8, 0, 0, 0, 0, 4, math::fp8};
/// One fp32 scale a 128×128 block (DeepSeek-V3, Qwen3-FP8).
inline constexpr number_format fp8_block{"fp8_block", 8, 128, 128, 32, 0, 0, math::fp8};
/// One fp32 scale a row of the output (compressed-tensors "channel", FP8-dynamic).
inline constexpr number_format fp8_channel{"fp8_channel", 8, 1, 1 << 30, 32, 0, 0, math::fp8};
/// One scale (fp32) a row of the output.
inline constexpr number_format int8{"int8", 8, 1, 1 << 30, 32, 0, 0, math::int8};
/// Groups of 128 inputs with an fp16 scale and a 4-bit zero point (AWQ, GPTQ); products in 16 bits.
inline constexpr number_format int4{"int4", 4, 1, 128, 16, 4, 0, math::bf16};
/// Blocks of 32 with an 8-bit exponent (OCP MX).
inline constexpr number_format mxfp4{"mxfp4", 4, 1, 32, 8, 0, 0, math::fp4};
/// Blocks of 16 with an fp8 scale, and fp32 scales for the tensor and its input.
inline constexpr number_format nvfp4{"nvfp4", 4, 1, 16, 8, 0, 8, math::fp4};
/// vLLM's layout of a latent cache for sparse attention: the latent in fp8 with an fp32 scale a 128 numbers, the rotary part
/// in 16 bits. Of other caches plain fp8. See kv_per_token().
inline constexpr number_format fp8_ds_mla{"fp8_ds_mla", 8, 0, 0, 0, 0, 4, math::fp8};

inline constexpr std::array<number_format, 11> all{fp32,        tf32, bf16, fp16,  fp8,  fp8_block,
                                                   fp8_channel, int8, int4, mxfp4, nvfp4};
}  // namespace formats

/// The format of that name, or a format without name and bits when there is none.
constexpr number_format find_format(std::string_view name) noexcept {
  for (const number_format& f : formats::all)
    if (f.name == name) return f;
  return {};
}

}  // namespace ullage::inline v0
