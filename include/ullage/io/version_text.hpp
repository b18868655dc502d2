// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <ullage/engine/version.hpp>

// Engine versions and dates as people and packages write them.
namespace ullage::inline v0::io {

/// What a version text says.
struct version_text_result {
  enum class kind : std::uint8_t {
    release,      ///< a release number, whatever follows it: "0.11.0", "v0.8.5.post1", "0.14.0rc2.dev160+cu128"
    development,  ///< a build without a release number: "0.1.dev19754+g3a0914114", "nightly-abc"
    unreadable
  };
  kind is = kind::unreadable;
  engine_version version{};
};

namespace detail {

/// "0.28.1".
inline std::string version_text(engine_version v) {
  return std::to_string(v.first) + "." + std::to_string(v.second) + "." + std::to_string(v.third);
}

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr bool is_word(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-' ||
         c == '+';
}
constexpr void skip_digits(std::string_view& s) noexcept {
  while (!s.empty() && is_digit(s.front())) s.remove_prefix(1);
}

/// Whether a text is what may stand after the numbers of a Python version: aN, bN, rcN, .postN, .devN in this order,
/// then +local or -suffix of letters, digits and signs.
constexpr bool is_version_suffix(std::string_view s) noexcept {
  for (std::string_view tag : {"a", "b", "rc", "post", "dev"}) {
    std::string_view rest = s;
    if (!rest.empty() && rest.front() == '.')
      rest.remove_prefix(1);
    else if (tag == "post" || tag == "dev")
      continue;
    if (!rest.starts_with(tag)) continue;
    rest.remove_prefix(tag.size());
    skip_digits(rest);
    s = rest;
  }
  if (s.empty()) return true;
  if ((s.front() != '+' && s.front() != '-') || s.size() == 1) return false;
  for (char c : s.substr(1))
    if (!is_word(c)) return false;
  return true;
}

}  // namespace detail

/// Reads a version; what is none of an engine's is `unreadable`.
constexpr version_text_result read_version_text(std::string_view text) noexcept {
  using kind = version_text_result::kind;
  constexpr std::string_view nightly = "nightly";
  bool starts_nightly = text.size() >= nightly.size();
  for (std::size_t i = 0; starts_nightly && i < nightly.size(); ++i)
    starts_nightly = text[i] == nightly[i] || text[i] == nightly[i] - 'a' + 'A';
  if (starts_nightly && (text.size() == nightly.size() || !(text[7] >= 'a' && text[7] <= 'z')))
    return {kind::development, {}};
  std::string_view rest = text;
  if (!rest.empty() && (rest.front() == 'v' || rest.front() == 'V')) rest.remove_prefix(1);
  int numbers = 0;
  for (;;) {
    if (rest.empty() || !detail::is_digit(rest.front())) return {};
    detail::skip_digits(rest);
    ++numbers;
    if (rest.size() < 2 || rest.front() != '.' || !detail::is_digit(rest[1])) break;
    rest.remove_prefix(1);
  }
  if (numbers < 2 || !detail::is_version_suffix(rest)) return {};
  if (numbers == 2 && rest.starts_with(".dev")) return {kind::development, {}};
  const engine_version v = parse_version(text);
  if (!v.known() || v.first >= 2000) return {};
  return {kind::release, v};
}

/// "2025-10-02" → year, month, day; all zero for any other text and for a day that no calendar has.
constexpr engine_version read_date_text(std::string_view text) noexcept {
  if (text.size() != 10) return {};
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((i == 4 || i == 7) ? text[i] != '-' : !detail::is_digit(text[i])) return {};
  const engine_version d = parse_version(text);
  const std::chrono::year_month_day day{std::chrono::year(d.first), std::chrono::month(static_cast<unsigned>(d.second)),
                                        std::chrono::day(static_cast<unsigned>(d.third))};
  return day.ok() && d.first >= 2000 ? d : engine_version{};
}

}  // namespace ullage::inline v0::io
