// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdio>
#include <string_view>
#include <ullage/validate/report.hpp>

namespace ullage::inline v0::validate {

namespace detail {
inline void append(sentence& s, std::string_view part) noexcept {
  for (char c : part) {
    if (s.length == sizeof(s.characters)) return;
    s.characters[s.length++] = c;
  }
}
template <std::integral Integer>
void append(sentence& s, Integer value) noexcept {
  char digits[24];
  const int n = std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(value));
  append(s, std::string_view(digits, static_cast<std::size_t>(n)));
}
inline void append(sentence& s, double value) noexcept {
  char digits[32];
  const int n = std::snprintf(digits, sizeof digits, "%.4g", value);
  append(s, std::string_view(digits, static_cast<std::size_t>(n)));
}
}  // namespace detail

/// A sentence of text, whole numbers and real numbers (four digits); cut where it grows too long.
template <class... Parts>
sentence say(const Parts&... parts) noexcept {
  sentence s;
  (detail::append(s, parts), ...);
  return s;
}

}  // namespace ullage::inline v0::validate
