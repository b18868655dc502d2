// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Values of options: whole numbers, and quantities with a unit behind them. Each returns a sentence's end where the text
// is none ("expected ..."), and nothing where it was read.
namespace cli {

/// "143771", " MiB" of "143771 MiB"; false where no number begins the text.
inline bool split_quantity(const std::string& text, double& value, std::string& unit) {
  const char* begin = text.c_str();
  char* end = nullptr;
  // Decimal notation alone: strtod would take "inf", "nan" and "0x10" too.
  const std::size_t first = text.find_first_not_of("+-");
  if (text.empty() || first == std::string::npos || first > 1 || text.find_first_of("xX") != std::string::npos ||
      (std::isdigit(static_cast<unsigned char>(text[first])) == 0 && text[first] != '.'))
    return false;
  value = std::strtod(begin, &end);
  if (end == begin || !std::isfinite(value)) return false;
  unit = end;
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  return true;
}

inline std::string read_whole(const std::string& text, std::int64_t& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc() && end == text.data() + text.size()) return {};
  if (problem == std::errc::result_out_of_range) return "expected a whole number of at most 64 bits.";
  double number = 0;
  std::string unit;
  if (split_quantity(text, number, unit) && unit.size() == 1 &&
      std::string_view("kKmMgG").find(unit[0]) != std::string_view::npos) {
    const bool kilo = unit == "k" || unit == "K";
    const double ten = kilo ? 1e3 : unit == "m" || unit == "M" ? 1e6 : 1e9;
    const double two = kilo ? 1024.0 : unit == "m" || unit == "M" ? 1048576.0 : 1073741824.0;
    if (std::abs(number) < 1e6)
      return "expected digits alone: " + unit + " may mean " + std::to_string(std::llround(number * ten)) + " or " +
             std::to_string(std::llround(number * two)) + ".";
  }
  return "expected a whole number.";
}

inline std::string read_real(const std::string& text, double& value) {
  std::string unit;
  return split_quantity(text, value, unit) && unit.empty() ? std::string() : "expected a number.";
}

/// 1000:0.9,8000:0.1: lengths with weights; 1000,8000: equal ones.
inline std::string read_values(const std::string& text, std::vector<std::pair<std::int64_t, double>>& values) {
  constexpr std::string_view expected = "expected lengths with weights such as 1000:0.9,8000:0.1, or lengths alone.";
  const bool weighted = text.find(':') != std::string::npos;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t colon = item.find(':');
    std::int64_t length = 0;
    double weight = 1;
    if (!read_whole(item.substr(0, colon), length).empty() || (colon != std::string::npos) != weighted ||
        (weighted && !read_real(item.substr(colon + 1), weight).empty()))
      return std::string(expected);
    values.emplace_back(length, weight);
    begin = end + 1;
  }
  return {};
}

/// 2000,7000: a mean and a 95th percentile.
inline std::string read_mean_and_p95(const std::string& text, std::pair<double, double>& value) {
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos && read_real(text.substr(0, comma), value.first).empty() &&
      read_real(text.substr(comma + 1), value.second).empty())
    return {};
  return "expected a mean and a 95th percentile such as 2000,7000.";
}

/// gemm.bf16.compute=0.7: a name and a number.
inline std::string read_named(const std::string& text, std::pair<std::string, double>& value) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && read_real(text.substr(equals + 1), value.second).empty()) {
    value.first = text.substr(0, equals);
    return {};
  }
  return "expected a name and a number such as gemm.bf16.compute=0.7.";
}

/// 24GB, 24GiB, 143771MiB, 0.5TB or bytes.
inline std::string read_bytes(const std::string& text, std::int64_t& bytes) {
  if (read_whole(text, bytes).empty()) return {};
  constexpr std::string_view expected = "expected bytes, or a size such as 24GB (10^9) or 22.5GiB (2^30).";
  double value = 0;
  std::string unit;
  if (!split_quantity(text, value, unit)) return std::string(expected);
  if (unit.size() == 1 && std::string_view("kKmMgGtT").find(unit[0]) != std::string_view::npos) {
    const char big = static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
    return std::string("expected ") + big + "B (of 1000) or " + big + "iB (of 1024): " + unit +
           " alone may mean either.";
  }
  static constexpr struct {
    std::string_view name;
    double bytes;
  } units[] = {{"B", 1},
               {"kB", 1e3},
               {"KB", 1e3},
               {"MB", 1e6},
               {"GB", 1e9},
               {"TB", 1e12},
               {"KiB", 1024.0},
               {"kiB", 1024.0},
               {"MiB", 1048576.0},
               {"GiB", 1073741824.0},
               {"TiB", 1099511627776.0}};
  if (unit.empty()) return "expected whole bytes, or a size such as 24GB (10^9) or 22.5GiB (2^30).";
  for (const auto& u : units)
    if (unit == u.name) {
      const double all = value * u.bytes;
      if (!(std::abs(all) < 9e18)) return "expected a size of at most 64 bits.";
      bytes = std::llround(all);
      return {};
    }
  return std::string(expected);
}

/// 40ms, 0.04s, 800us or seconds.
inline std::string read_seconds(const std::string& text, double& seconds) {
  std::string unit;
  double value = 0;
  if (split_quantity(text, value, unit)) {
    const double parts = unit.empty() || unit == "s" ? 1.0
                         : unit == "ms"              ? 1e3
                         : unit == "us"              ? 1e6
                         : unit == "ns"              ? 1e9
                                                     : 0.0;
    if (parts > 0) {
      seconds = value / parts;  // divided: 40ms is then 0.04 to the last bit
      return {};
    }
  }
  return "expected a time such as 40ms or 0.04s, or seconds.";
}

/// 2e12, 2TFLOP, 350GFLOP.
inline std::string read_flop(const std::string& text, double& flop) {
  std::string unit;
  if (split_quantity(text, flop, unit)) {
    static constexpr struct {
      std::string_view name;
      double flop;
    } units[] = {{"", 1}, {"FLOP", 1}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}, {"PFLOP", 1e15}};
    for (const auto& u : units)
      if (unit == u.name) {
        flop *= u.flop;
        return {};
      }
  }
  return "expected operations such as 2e12 or 2TFLOP.";
}

/// 1500, 1500tok/s.
inline std::string read_rate(const std::string& text, double& per_s) {
  std::string unit;
  if (split_quantity(text, per_s, unit) && (unit.empty() || unit == "tok/s" || unit == "/s")) return {};
  return "expected output tokens a second such as 1500 or 1500tok/s.";
}

/// 3kW, 700W or watts.
inline std::string read_watts(const std::string& text, double& watts) {
  std::string unit;
  if (split_quantity(text, watts, unit)) {
    if (unit.empty() || unit == "W" || unit == "w") return {};
    if (unit == "kW" || unit == "kw") {
      watts *= 1e3;
      return {};
    }
  }
  return "expected a power such as 3kW or 700W, or watts.";
}

/// 3TB/s or 900GB/s; decimal, as bandwidths are sold.
inline std::string read_bandwidth(const std::string& text, double& bytes_per_s) {
  std::string unit;
  if (split_quantity(text, bytes_per_s, unit)) {
    const double scale = unit == "B/s" ? 1.0 : unit == "GB/s" ? 1e9 : unit == "TB/s" ? 1e12 : 0.0;
    if (scale > 0) {
      bytes_per_s *= scale;
      return {};
    }
  }
  return "expected a bandwidth such as 3TB/s or 900GB/s.";
}

}  // namespace cli
