// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>

// Numbers and lines for people.
namespace cli {

inline bool on_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}
inline bool with_colour() {
  const char* no = std::getenv("NO_COLOR");
  return on_terminal() && (no == nullptr || *no == '\0');
}
inline std::string coloured(const std::string& text, const char* code) {
  return with_colour() ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
}

template <class... Arguments>
std::string printed(const char* format, Arguments... arguments) {
  char line[512];
  const int n = std::snprintf(line, sizeof line, format, arguments...);
  return n < 0 ? std::string() : std::string(line);
}

/// 141.1 GB: decimal, 10^9.
inline std::string gigabytes(double bytes) {
  const double gb = bytes / 1e9;
  return printed(gb > -0.995 && gb < 0.995 ? "%.2f GB" : "%.1f GB", gb);
}
/// 55,296
inline std::string grouped(long long n) {
  const std::string digits = std::to_string(n < 0 ? -n : n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return (n < 0 ? "-" : "") + text;
}
/// A bar of at most `width` cells; block characters on a terminal, '#' elsewhere.
inline std::string bar(double share, int width) {
  if (!(share > 0)) return {};
  const int cells = static_cast<int>((share > 1 ? 1.0 : share) * width + 0.5);
  std::string text;
  for (int i = 0; i < cells; ++i) text += on_terminal() ? "\u2588" : "#";
  if (cells == 0) text = on_terminal() ? "\u258f" : ".";
  return text;
}

}  // namespace cli
