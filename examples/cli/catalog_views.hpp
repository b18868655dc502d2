// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <ullage/number_format.hpp>
#include <utility>
#include <vector>

#include "command.hpp"
#include "text.hpp"

// What the views of `ullage catalog` share: catalog_lists.cpp, catalog_full.cpp, catalog_compare.cpp, catalog_csv.cpp.
namespace cli {

void print_lists(const json& catalog, const catalog_options&);
void print_in_full(const json& catalog, const catalog_options&, bool sources);
void print_compared(const json& catalog);
void print_csv(const json& catalog, const catalog_options&);
void print_figures_csv(const json& catalog, const catalog_options&);  ///< with --sources

constexpr double gibi = 1073741824.0;
inline const std::string legend_of_doubt = "? = unverified: no document at hand confirms it.";

/// The names of the arithmetics, which are keys of a row's peaks.
inline const std::array<std::string, ullage::math_kinds> formats = [] {
  std::array<std::string, ullage::math_kinds> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = ullage::name(static_cast<ullage::math>(i));
  return names;
}();

inline std::string text_of(const json& v) {
  return v.is_string() ? v.get<std::string>() : v.is_null() ? "-" : v.dump();
}
inline std::string joined(const json& list, const char* between = ", ") {
  std::string text;
  for (const json& s : list) text += (text.empty() ? "" : between) + text_of(s);
  return text;
}
/// "pair_bridge" as people write it.
inline std::string spoken(std::string word) {
  std::replace(word.begin(), word.end(), '_', '-');
  return word;
}
inline double number_of(const json& v) {
  return v.is_number() ? v.get<double>() : 0.0;
}
/// A number over its unit with so many decimals, more where it would have less than two digits, none from a thousand
/// on; "-" where it is not known.
inline std::string scaled(const json& v, double unit, int decimals = 0) {
  if (!v.is_number()) return "-";
  const double x = v.get<double>() / unit;
  if (x >= 1000) decimals = 0;
  for (double shown = x * std::pow(10.0, decimals); decimals < 3 && x > 0 && shown < 9.95; shown *= 10) ++decimals;
  const std::string text = printed("%.*f", decimals, x);
  return x < 10000 ? text : grouped(std::llround(x));
}
/// The vendor's label: 80, 141, 0.23.
inline std::string label_of(const json& v) {
  return v.is_number() ? printed("%.4g", v.get<double>() / 1e9) : std::string("-");
}

/// A rate in GB/s as its source writes it: 12.5, 450.
inline std::string gigabytes_a_second(const json& v) {
  return v.is_number() ? printed("%.4g", v.get<double>() / 1e9) : std::string("-");
}

inline bool unverified(const json& row, const std::string& figure) {
  const json& bases = row["bases"];
  return bases.is_object() && bases.value(figure, std::string()) == "unverified";
}
inline bool unverified_memory(const json& row) {
  return row["visible_bytes"].is_object() && row["visible_bytes"]["basis"] == "unverified";
}
inline bool unverified_link(const json& row) {
  return row["scale_up"]["basis"] == "unverified" || unverified(row, "fabric");
}
inline std::string marked(std::string value, bool doubt) {
  return value == "-" || !doubt ? value : value + "?";
}
inline std::string marked_figure(const json& row, std::string value, const std::string& figure) {
  return marked(std::move(value), unverified(row, figure));
}

inline std::string peak_cell(const json& row, const std::string& format, double unit = 1e12) {
  return marked_figure(row, scaled(row["dense_flops_per_s"][format], unit), "peak_" + format);
}
inline std::string vendor_of(const json& row) {
  return row["vendor"].get<std::string>();
}

/// The rows of a side by side answer in the order asked for.
inline std::vector<const json*> rows_compared(const json& catalog) {
  std::vector<const json*> rows;
  for (const json& id : catalog["compared"])
    for (const char* kind : {"accelerators", "partitions"})
      for (const json& row : catalog[kind])
        if (row["id"] == id) rows.push_back(&row);
  return rows;
}

}  // namespace cli
