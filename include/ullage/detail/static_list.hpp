// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ullage/detail/contract.hpp>

namespace ullage::inline v0::detail {

/// A vector with room for at most N elements, usable in constant expressions and without allocation.
/// push_back beyond the capacity does nothing and returns false, so that readers of files can refuse.
template <class T, std::size_t N>
struct static_list {
  T items[N]{};
  std::size_t used = 0;

  static constexpr std::size_t capacity() noexcept { return N; }
  constexpr std::size_t size() const noexcept { return used; }
  constexpr bool empty() const noexcept { return used == 0; }
  constexpr bool push_back(const T& value) noexcept {
    if (used == N) return false;
    items[used++] = value;
    return true;
  }
  constexpr void clear() noexcept { used = 0; }
  constexpr T& operator[](std::size_t i) noexcept {
    ULLAGE_EXPECTS(i < used);
    return items[i];
  }
  constexpr const T& operator[](std::size_t i) const noexcept {
    ULLAGE_EXPECTS(i < used);
    return items[i];
  }
  constexpr T& back() noexcept { return (*this)[used - 1]; }
  constexpr const T& back() const noexcept { return (*this)[used - 1]; }
  constexpr const T* data() const noexcept { return items; }
  constexpr T* begin() noexcept { return items; }
  constexpr T* end() noexcept { return items + used; }
  constexpr const T* begin() const noexcept { return items; }
  constexpr const T* end() const noexcept { return items + used; }
};

}  // namespace ullage::inline v0::detail
