// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "catalog_views.hpp"

// One row of the catalogue in full, line by line: what catalog_full.cpp fills for each kind.
namespace cli {

/// How the figures are called here, in the order that they are told in. "~" begins what follows from them.
inline constexpr const char* titles[][2] = {{"vendor", "vendor"},
                                            {"class", "class"},
                                            {"family", "architecture"},
                                            {"target", "compiler target"},
                                            {"form", "form"},
                                            {"reach", "reach"},
                                            {"topology", "topology"},
                                            {"status", "status"},
                                            {"year", "year"},
                                            {"accelerator", "accelerator"},
                                            {"accelerators", "accelerators"},
                                            {"memory_type", "memory type"},
                                            {"memory_sold", "memory as sold"},
                                            {"memory_also_sold", "also sold as"},
                                            {"memory_largest", "the largest of those sold"},
                                            {"memory_shared", "shared with the system"},
                                            {"memory_driver", "memory to the driver"},
                                            {"memory_process", "memory to a process"},
                                            {"~visible", "counted as visible"},
                                            {"ecc", "error correction"},
                                            {"memory_bus_width", "memory bus"},
                                            {"memory_rate", "memory rate, a pin"},
                                            {"memory_total", "memory, as printed"},
                                            {"bandwidth", "bandwidth"},
                                            {"~bandwidth", "bandwidth"},
                                            {"bandwidth_total", "bandwidth, as printed"},
                                            {"peak_fp64", "dense peak, fp64"},
                                            {"peak_fp32", "dense peak, fp32"},
                                            {"peak_tf32", "dense peak, tf32"},
                                            {"peak_fp16", "dense peak, fp16"},
                                            {"peak_bf16", "dense peak, bf16"},
                                            {"peak_fp8", "dense peak, fp8"},
                                            {"peak_fp6", "dense peak, fp6"},
                                            {"peak_fp4", "dense peak, fp4"},
                                            {"peak_int8", "dense peak, int8"},
                                            {"peak_int4", "dense peak, int4"},
                                            {"~peaks", ""},
                                            {"lacks", "no units for"},
                                            {"~lacks", ""},
                                            {"halves_fp32_accumulate", "fp32 accumulate halves"},
                                            {"sparse_tf32", "2:4 sparse, tf32"},
                                            {"sparse_fp16", "2:4 sparse, fp16"},
                                            {"sparse_bf16", "2:4 sparse, bf16"},
                                            {"sparse_fp8", "2:4 sparse, fp8"},
                                            {"sparse_fp4", "2:4 sparse, fp4"},
                                            {"sparse_int8", "2:4 sparse, int8"},
                                            {"sparse_factor_fp4", "sparse fp4 over dense"},
                                            {"compute_units", "compute units"},
                                            {"devices_per_package", "devices a package"},
                                            {"boost_clock", "boost clock"},
                                            {"l2", "L2 cache"},
                                            {"fabric", "links"},
                                            {"fabric_domain", "devices joined"},
                                            {"~fabric", ""},
                                            {"links", "links of a device"},
                                            {"per_link", "a link, one way"},
                                            {"per_device", "a device, one way"},
                                            {"per_peer", "a peer, one way"},
                                            {"port_rate", "port"},
                                            {"both_ways", "both ways, as printed"},
                                            {"hop_latency", "hop latency"},
                                            {"domain", "devices joined"},
                                            {"in_network_reduction", "reduces in the network"},
                                            {"host_link", "host link, one way"},
                                            {"hosts", "hosts"},
                                            {"cpu", "host CPU"},
                                            {"cpu_name", "host CPU, as printed"},
                                            {"cpus", "host CPUs"},
                                            {"host_memory", "host memory"},
                                            {"disks", "disks"},
                                            {"scale_out", "network"},
                                            {"nics", "network ports"},
                                            {"scale_out_total", "network, one way"},
                                            {"~scale_out", ""},
                                            {"power", "power"},
                                            {"power_least", "power limit, lowest"},
                                            {"power_most", "power limit, highest"}};

inline std::string title_of(const std::string& figure) {
  for (const auto& row : titles)
    if (figure == row[0]) return row[1];
  std::string text = figure.starts_with("headline_") ? "as printed, " + figure.substr(9) : figure;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}
/// A figure as its source writes it.
inline std::string value_of(const json& f) {
  const std::string unit = f["unit"];
  const std::string value = f["value"];
  if (unit == "bool") return value == "true" ? "yes" : "no";
  if (f["figure"] == "topology" || f["figure"] == "reach") return spoken(value);
  if (unit == "text" || unit == "year" || unit == "ratio" || unit == "units" || unit == "devices") return value;
  std::string text = value + " " + unit;
  if (f["figure"] == "memory_driver" || f["figure"] == "memory_process") {
    const double bytes = std::strtod(value.c_str(), nullptr) * (unit == "MiB" ? 1048576.0 : 1.0);
    text += printed(" (%.1f GiB, %.2f GB)", bytes / gibi, bytes / 1e9);
  }
  return text;
}
inline std::string band_text(const json& band) {
  const double low = number_of(band["low"]) / gibi;
  const double mid = number_of(band["mid"]) / gibi;
  const double high = number_of(band["high"]) / gibi;
  const int decimals = high < 1 ? 3 : 1;
  if (band["low"] == band["high"])
    return printed("%.*f GiB (%.*f GB)", decimals, mid, decimals + 1, number_of(band["mid"]) / 1e9);
  return printed("%.*f to %.*f GiB, middle %.*f (%.*f GB)", decimals, low, decimals, high, decimals, mid, decimals + 1,
                 number_of(band["mid"]) / 1e9);
}
inline std::string rate_text(const json& v) {
  const double gb = number_of(v) / 1e9;
  return printed("%.6g GB/s", gb);
}
/// The text with a blank behind a '/' wherever a word, such as an address, is longer than `most`.
inline std::string breakable(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t word = 0;  // letters of the word so far
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') word = 0;
    const std::size_t next = text.find_first_of("/ ", i + 1);
    if (c == '/' && word > 0 && word + (std::min(next, text.size()) - i) + 1 > most) {
      out += "/ ";
      word = 0;
      continue;
    }
    out += c;
    if (c != ' ') ++word;
  }
  return out;
}

inline std::string other_names(const json& row) {
  json names = json::array();
  for (const json& alias : row["aliases"])
    if (alias != row["name"] && alias != row["id"]) names.push_back(alias);
  return joined(names);
}
/// One row in full: a title, then lines of what and value and, with --sources, where the value comes from.
class full_view {
 public:
  full_view(const json& row, bool sources) : row_(&row), sources_(sources) {}

  /// What follows from the figures or stands beside them.
  void add(const std::string& what, const std::string& value, const std::string& note = {}, bool doubt = false) {
    if (value.empty()) return;
    doubt_ = doubt_ || doubt;
    (sources_ ? later_ : lines_).push_back({what, noted(marked(value, doubt), note), "", ""});
  }
  /// A recorded figure, with what others state for it.
  void figure(const json& f, const std::string& value, const std::string& note = {}) {
    const bool doubt = f["confidence"] == "unverified";
    doubt_ = doubt_ || doubt;
    const std::string figure = f["figure"];
    lines_.push_back({title_of(figure), noted(marked(value, doubt), note), "", ""});
    if (!sources_) return;
    lines_.back().from = f["confidence"].get<std::string>() + " " + f["date"].get<std::string>();
    lines_.back().source = f["source"];
    others(figure);
  }
  /// What others state for that figure, and why it is not taken.
  void others(const std::string& figure) {
    if (!row_->contains("other_figures")) return;
    for (const json& o : (*row_)["other_figures"])
      if (o["figure"] == figure)
        lines_.push_back({"  not taken", value_of(o), o["date"],
                          o["source"].get<std::string>() + ": " + o["why"].get<std::string>()});
  }
  /// Its other names, with where they are written so.
  void names(const json& row) {
    if (!sources_) return add("also called", other_names(row));
    for (const json& n : row["names"])
      if (n["name"] != row["name"] && n["name"] != row["id"])
        lines_.push_back({"also called", n["name"], "", n["source"]});
  }
  void print() const {
    const std::string id = " (" + text_of((*row_)["id"]) + ")";
    const std::string name = (*row_)["name"];
    const bool fits = cells_of(name + id) <= width();
    std::puts((coloured(name, "1") + (fits ? id : "\n " + id)).c_str());
    int cells = 0;
    int from = 0;
    int what = 0;
    for (const line& l : lines_) {
      what = std::max(what, cells_of(l.what));
      cells = std::max(cells, cells_of(l.value));
      from = std::max(from, cells_of(l.from));
    }
    const int room = width() - (what + cells + from + 8);  // of a source beside its figure
    if (room >= 50) {
      table t({{""}, {""}, {""}, {"", false, 0, true}});
      for (const line& l : lines_)
        t.add({l.what, l.value, l.from, breakable(l.source, static_cast<std::size_t>(room))});
      t.print("  ");
    } else {
      table t({{""}, {"", false, 0, true}});
      for (const line& l : lines_) {
        const std::string behind =
            breakable(l.from + (l.from.empty() ? "" : ": ") + l.source, static_cast<std::size_t>(width() - 16));
        t.add({l.what, l.value}, l.source.empty() ? "" : wrapped(behind, "", "        ", width() - 8));
      }
      t.print("  ");
    }
    if (!later_.empty()) {
      std::puts("  which gives");
      table t({{""}, {"", false, 0, true}});
      for (const line& l : later_) t.add({l.what, l.value});
      t.print("    ");
    }
    if (doubt_) say(legend_of_doubt, "  ", "  ");
  }

 private:
  struct line {
    std::string what, value, from, source;
  };
  /// Notes of lines below each other begin at one place.
  static std::string noted(const std::string& value, const std::string& note) {
    return note.empty() ? value : printed("%-16s  %s", value.c_str(), note.c_str());
  }
  const json* row_;
  bool sources_;
  bool doubt_ = false;
  std::vector<line> lines_;
  std::vector<line> later_;
};

}  // namespace cli
