// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/number_format.hpp>

// Kernels of matrix products that have constants of their own, and whose software they come from.
namespace ullage::inline v0 {

/// Kernels of products: the first seven are `math`, operands of one width; the others widen or scale on the way.
enum class product : std::uint8_t {
  fp32,
  tf32,
  fp16,
  bf16,
  fp8,
  int8,
  fp4,
  fp8_block,  ///< fp8 with a scale a square block of weights
  mxfp4,      ///< 4-bit weights with an exponent a block of 32, activations in 8 bits
  w8a16,      ///< 8-bit weights, activations and products in 16
  w4a16,      ///< 4-bit weights in groups with a scale, as AWQ and GPTQ store them
  mxfp4_a16   ///< 4-bit weights with an exponent a block of 32
};
inline constexpr std::size_t product_kinds = 12;

constexpr std::string_view name(product p) noexcept {
  constexpr std::string_view names[] = {"fp32", "tf32",      "fp16",  "bf16",  "fp8",   "int8",
                                        "fp4",  "fp8_block", "mxfp4", "w8a16", "w4a16", "mxfp4_a16"};
  return names[static_cast<std::size_t>(p)];
}

/// Whose kernels: engines pick different ones for the same product. `pooled` = no matter whose, the middle of all.
enum class kernel_stack : std::uint8_t { pooled, vllm, sglang, trtllm };
constexpr std::string_view name(kernel_stack s) noexcept {
  constexpr std::string_view names[] = {"pooled", "vllm", "sglang", "trtllm"};
  return names[static_cast<std::size_t>(s)];
}
/// By the engine's name as people write it; anything else is `pooled`.
constexpr kernel_stack stack_of(std::string_view engine) noexcept {
  if (engine == "vllm") return kernel_stack::vllm;
  if (engine == "sglang") return kernel_stack::sglang;
  if (engine == "trtllm" || engine == "tensorrt_llm" || engine == "tensorrt-llm") return kernel_stack::trtllm;
  return kernel_stack::pooled;
}

namespace detail {

/// A kernel that unpacks narrow weights on the way to wider products (4-bit weights in 16-bit arithmetic).
constexpr bool widens(const number_format& weights, math runs) noexcept {
  return weights.element_bits < 16 && runs != math::fp8 && runs != math::int8 && runs != math::fp4;
}
/// The kernel for weights of a format whose products run as `runs`.
constexpr product product_of(const number_format& weights, math runs) noexcept {
  if (widens(weights, runs)) {
    if (weights.element_bits > 4) return product::w8a16;
    return weights.block_cols == 32 && weights.scale_bits == 8 ? product::mxfp4_a16 : product::w4a16;
  }
  if (runs == math::fp8 && weights.block_rows > 1) return product::fp8_block;
  if (runs == math::fp4 && weights.block_cols == 32) return product::mxfp4;
  return static_cast<product>(runs);
}
constexpr std::size_t index_of(product p) noexcept {
  return static_cast<std::size_t>(p);
}

}  // namespace detail

}  // namespace ullage::inline v0
