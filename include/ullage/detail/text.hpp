// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ullage::inline v0::detail {

/// A short name held by value, so that a model read from a file owns its name without allocation.
/// Longer text is cut at N characters.
template <std::size_t N>
struct text {
  char characters[N]{};
  unsigned char length = 0;

  constexpr text() = default;
  constexpr text(std::string_view s) noexcept {  // NOLINT(google-explicit-constructor): a name is a name
    static_assert(N < 256);
    for (char c : s) {
      if (length == N) break;
      characters[length++] = c;
    }
  }
  constexpr text(const char* s) noexcept : text(std::string_view(s)) {}  // NOLINT(google-explicit-constructor)
  constexpr std::string_view view() const noexcept { return {characters, length}; }
  constexpr operator std::string_view() const noexcept { return view(); }  // NOLINT(google-explicit-constructor)
  friend constexpr bool operator==(const text& a, const text& b) noexcept { return a.view() == b.view(); }
};

}  // namespace ullage::inline v0::detail
