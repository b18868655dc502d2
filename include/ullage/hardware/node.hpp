// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <ullage/hardware/accelerator.hpp>

namespace ullage::inline v0 {

/// N equal accelerators in one scale-up domain.
template <Accelerator A, std::size_t N>
struct node {
  A part{};
  static_assert(N > 0, "a node has at least one accelerator");

  static constexpr devices size() noexcept { return of<devices>(count(N)); }
  /// The rows of its devices, in device order, as `fits` takes them.
  constexpr std::array<accelerator, N> rows() const noexcept {
    std::array<accelerator, N> all{};
    const accelerator one = describe(part);
    for (accelerator& a : all) a = one;
    return all;
  }
};

/// Equal nodes joined by a scale-out fabric.
template <class Node>
struct cluster {
  Node unit{};
  count nodes = count(1);
  fabric scale_out{};

  constexpr devices size() const noexcept { return of<devices>(Node::size().value() * nodes); }
};

}  // namespace ullage::inline v0
