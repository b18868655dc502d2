// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace ullage::inline v0 {

/// A release number, or a date as year, month, day.
struct engine_version {
  int first = 0;
  int second = 0;
  int third = 0;
  friend constexpr bool operator==(const engine_version&, const engine_version&) noexcept = default;
  friend constexpr std::strong_ordering operator<=>(const engine_version&, const engine_version&) noexcept = default;
  constexpr bool known() const noexcept { return first != 0 || second != 0 || third != 0; }
};

/// "0.11.0", "v0.8.5.post1", "0.14.0rc2.dev160" → the numbers before the first letter; "2025-10-02" → the date.
/// All zero when the text does not start with two numbers, or when it is a development build without a release number
/// ("0.1.dev19754+g3a0914114"): such a build is known by its date alone.
constexpr engine_version parse_version(std::string_view text) noexcept {
  engine_version v;
  if (!text.empty() && (text.front() == 'v' || text.front() == 'V')) text.remove_prefix(1);
  int part = 0;
  int* const slots[] = {&v.first, &v.second, &v.third};
  std::size_t i = 0;
  while (part < 3) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') break;
    std::int64_t n = 0;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9' && n < 100000) n = n * 10 + (text[i++] - '0');
    if (n >= 100000) return {};
    *slots[part++] = static_cast<int>(n);
    if (i >= text.size() || (text[i] != '.' && text[i] != '-')) break;
    ++i;
  }
  if (part < 2) return {};
  if (part == 2 && text.substr(i).starts_with("dev")) return {};
  return v;
}

}  // namespace ullage::inline v0
