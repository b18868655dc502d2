// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "text.hpp"

// Times, bands and shares of answers, for people.
namespace cli {

inline double number(const json& j) {
  return j.is_number() ? j.get<double>() : std::nan("");
}

/// 12.3 ms: three digits, with the unit that reads best.
inline std::string time_text(double s) {
  if (!std::isfinite(s)) return "unbounded";
  const double x = s >= 1 ? s : s >= 1e-3 ? s * 1e3 : s * 1e6;
  return printed(x < 9.995 ? "%.2f %s" : x < 99.95 ? "%.1f %s" : "%.0f %s", x, s >= 1 ? "s" : s >= 1e-3 ? "ms" : "us");
}
inline std::string band_text(const json& b, std::string (*text)(double)) {
  const std::string mid = text(number(b["mid"]));
  if (b["low"] == b["high"]) return mid;
  return mid + " (" + text(number(b["low"])) + " to " + text(number(b["high"])) + ")";
}
inline std::string rate_text(double x) {
  return std::isfinite(x) ? printed(x >= 100 ? "%.0f" : "%.2f", x) : std::string("unbounded");
}

inline std::string devices_text(const json& a) {
  const long long n = a["parallel"]["devices"].get<long long>();
  return (n == 1 ? std::string("one") : std::to_string(n)) + " " + a["accelerator"].get<std::string>();
}
inline std::string subject(const json& a) {
  return a["model"]["name"].get<std::string>() + " in " + a["model"]["weights"].get<std::string>() + " on " +
         devices_text(a);
}

/// One line of what a time is spent on; nothing where it is not.
inline void print_share(const std::string& what, double seconds, double whole) {
  if (!(seconds > 0) || !(whole > 0)) return;
  std::string line =
      printed("    %-12s %-12s %5.1f %%", what.c_str(), time_text(seconds).c_str(), 100 * seconds / whole);
  if (!narrow()) line += "  " + bar(seconds / whole, 30);
  std::puts(line.c_str());
}

}  // namespace cli
