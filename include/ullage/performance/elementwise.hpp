// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/roofline.hpp>

// What lies between the matrices of a step: kernels that only move memory.
namespace ullage::inline v0 {

namespace detail {

inline cost elementwise_cost(double moved_bytes, double launches, const rates& r, const constants& c) noexcept {
  return roofline(0, moved_bytes, 1, r.bandwidth_bytes_per_s, c.elementwise, launches);
}

/// Bytes that a kernel moves. A norm with the residual sum: two operands read, two results written, in 16 bits.
constexpr double normalization_bytes(double rows, double hidden) noexcept {
  return 8 * rows * hidden;
}
/// 16 bits read, the narrow format with its scales written.
constexpr double quantization_bytes(double rows, double columns, const number_format& to) noexcept {
  return rows * columns * (2 + bytes_per_element(to));
}
/// A row of the table read and written, 16 bits.
constexpr double embedding_bytes(double rows, double hidden) noexcept {
  return 4 * rows * hidden;
}
/// Logits read in 16 bits and written in 32, then read in 32 and written as 16-bit probabilities.
constexpr double sampling_bytes(double sequences, double vocabulary) noexcept {
  return 12 * sequences * vocabulary;
}
inline constexpr double sampling_kernels = 3;

constexpr bool has_size(const count& n) noexcept {
  return n >= count(1) && !n.overflowed();
}
inline op_time moving_time(double moved_bytes, double launches, const accelerator& a, const constants& c) noexcept {
  if (a.bandwidth <= bytes_per_second{}) return no_time(time_problem::no_bandwidth);
  cost k = roofline(0, moved_bytes, 1, value_of(a.bandwidth), c.elementwise, launches);
  k.from = weaker(k.from, a.bandwidth_basis);
  return finish(k, math::bf16, math::bf16);
}

}  // namespace detail

/// Time of one kernel that moves so many bytes of the device memory, reads and writes together, and computes nothing worth
/// counting: bytes/(ε_m·B) + t₀ with the constants `elementwise`. Nothing to move: `bad_load`.
inline op_time elementwise(bytes moved, const accelerator& a, const constants& c) noexcept {
  if (moved < of<bytes>(1) || overflowed(moved)) return detail::no_time(time_problem::bad_load);
  return detail::moving_time(real(moved), 1, a, c);
}

/// Time of a norm with the residual sum before it (RMSNorm, LayerNorm): 8·rows·hidden bytes.
inline op_time normalization(count rows, count hidden, const accelerator& a, const constants& c) noexcept {
  if (!detail::has_size(rows) || !detail::has_size(hidden)) return detail::no_time(time_problem::bad_load);
  return detail::moving_time(detail::normalization_bytes(static_cast<double>(rows), static_cast<double>(hidden)), 1, a,
                             c);
}

/// Time of turning 16-bit activations into a narrower format with its scales: rows·columns·(2 + bytes of an element) bytes.
/// A format without a size: `unknown_format`.
inline op_time quantization(count rows, count columns, const number_format& to, const accelerator& a,
                            const constants& c) noexcept {
  if (!detail::has_size(rows) || !detail::has_size(columns)) return detail::no_time(time_problem::bad_load);
  if (to.element_bits <= 0) return detail::no_time(time_problem::unknown_format);
  return detail::moving_time(detail::quantization_bytes(static_cast<double>(rows), static_cast<double>(columns), to), 1,
                             a, c);
}

/// Time of looking tokens up in the embedding: 4·rows·hidden bytes.
inline op_time embedding(count rows, count hidden, const accelerator& a, const constants& c) noexcept {
  if (!detail::has_size(rows) || !detail::has_size(hidden)) return detail::no_time(time_problem::bad_load);
  return detail::moving_time(detail::embedding_bytes(static_cast<double>(rows), static_cast<double>(hidden)), 1, a, c);
}

/// Time of drawing one token for each of `how_many` sequences from their logits: 12·sequences·vocabulary bytes in three
/// kernels. The projection before it is a `gemm` of `vocabulary` outputs.
inline op_time sampling(sequences how_many, count vocabulary, const accelerator& a, const constants& c) noexcept {
  if (how_many < of<sequences>(1) || overflowed(how_many) || !detail::has_size(vocabulary))
    return detail::no_time(time_problem::bad_load);
  return detail::moving_time(detail::sampling_bytes(real(how_many), static_cast<double>(vocabulary)),
                             detail::sampling_kernels, a, c);
}

}  // namespace ullage::inline v0
