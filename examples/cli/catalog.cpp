// SPDX-License-Identifier: Apache-2.0
// ullage catalog: what is built in.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr const char* formats[] = {"fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"};
constexpr const char* kinds[] = {"accelerators", "systems", "fabrics", "partitions", "models", "absent"};
constexpr double gibi = 1073741824.0;
const std::string legend_of_doubt = "? = unverified: no document at hand confirms it.";

std::string text_of(const json& v) {
  return v.is_string() ? v.get<std::string>() : v.is_null() ? "-" : v.dump();
}
std::string joined(const json& list, const char* between = ", ") {
  std::string text;
  for (const json& s : list) text += (text.empty() ? "" : between) + text_of(s);
  return text;
}
/// "pair_bridge" as people write it.
std::string spoken(std::string word) {
  std::replace(word.begin(), word.end(), '_', '-');
  return word;
}
double number_of(const json& v) {
  return v.is_number() ? v.get<double>() : 0.0;
}
/// A number over its unit with so many decimals, more where it would have less than two digits, none from a thousand
/// on; "-" where it is not known.
std::string scaled(const json& v, double unit, int decimals = 0) {
  if (!v.is_number()) return "-";
  const double x = v.get<double>() / unit;
  if (x >= 1000) decimals = 0;
  for (double shown = x * std::pow(10.0, decimals); decimals < 3 && x > 0 && shown < 9.95; shown *= 10) ++decimals;
  const std::string text = printed("%.*f", decimals, x);
  return x < 10000 ? text : grouped(std::llround(x));
}
/// The vendor's label: 80, 141, 0.23.
std::string label_of(const json& v) {
  return v.is_number() ? printed("%.4g", v.get<double>() / 1e9) : std::string("-");
}

/// Below this the lists break names and shorten words.
bool tight() {
  return width() < 120;
}

/// A rate in GB/s as its source writes it: 12.5, 450.
std::string gigabytes_a_second(const json& v) {
  return v.is_number() ? printed("%.4g", v.get<double>() / 1e9) : std::string("-");
}

bool unverified(const json& row, const std::string& figure) {
  const json& bases = row["bases"];
  return bases.is_object() && bases.value(figure, std::string()) == "unverified";
}
bool unverified_memory(const json& row) {
  return row["visible_bytes"].is_object() && row["visible_bytes"]["basis"] == "unverified";
}
bool unverified_link(const json& row) {
  return row["scale_up"]["basis"] == "unverified" || unverified(row, "fabric");
}
std::string marked(std::string value, bool doubt) {
  return value == "-" || !doubt ? value : value + "?";
}
std::string marked_figure(const json& row, std::string value, const std::string& figure) {
  return marked(std::move(value), unverified(row, figure));
}

/// A table in groups. Numbers with and without "?" end at the same place.
class sheet {
 public:
  explicit sheet(std::vector<table::column> columns) : columns_(std::move(columns)) {}
  void group(const std::string& title) { rows_.push_back({title}); }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool print() {
    bool doubt = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      bool here = false;
      for (const std::vector<std::string>& r : rows_) here = here || (r.size() > 1 && r[i].ends_with('?'));
      doubt = doubt || here;
      if (!here || !columns_[i].right) continue;
      for (std::vector<std::string>& r : rows_)
        if (r.size() > 1 && !r[i].ends_with('?')) r[i] += ' ';
      columns_[i].title += ' ';
    }
    table t(columns_);
    for (std::vector<std::string>& r : rows_)
      if (r.size() == 1)
        t.group(r[0]);
      else
        t.add(std::move(r));
    t.print("");
    return doubt;
  }

 private:
  std::vector<table::column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Calls `row` for every row: as the rows come or, `gathered`, group by group with `head` before the first of each.
template <class Group, class Head, class Row>
void in_groups(const json& list, bool gathered, const Group& group, const Head& head, const Row& row) {
  if (!gathered) {
    for (const json& r : list) row(r);
    return;
  }
  std::vector<std::pair<std::string, std::vector<const json*>>> groups;
  for (const json& r : list) {
    const std::string name = group(r);
    auto at = std::find_if(groups.begin(), groups.end(), [&name](const auto& g) { return g.first == name; });
    if (at == groups.end()) at = groups.insert(groups.end(), {name, {}});
    at->second.push_back(&r);
  }
  for (const auto& [name, rows] : groups) {
    head(name + " (" + std::to_string(rows.size()) + ")");
    for (const json* r : rows) row(*r);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Lists.

/// The dense 16-bit peak: bf16, or fp16 where there is no other.
const char* sixteen_bits(const json& row) {
  return row["dense_flops_per_s"]["bf16"].is_number() ? "bf16" : "fp16";
}
std::string peak_cell(const json& row, const char* format, double unit = 1e12) {
  return marked_figure(row, scaled(row["dense_flops_per_s"][format], unit), std::string("peak_") + format);
}
/// What cannot be bought is said; on a narrow line by its first letter.
std::string status_cell(const json& row) {
  const std::string status = row["status"];
  return status == "shipping" ? "" : tight() ? status.substr(0, 1) : status;
}
std::string status_title() {
  return tight() ? "" : "status";
}
std::string status_legend() {
  return tight() ? "a = announced, w = withdrawn. " : "";
}
/// On a narrow line a long name takes several lines, broken at blanks and behind '_', not the columns behind it.
std::string in_lines(std::string_view name, std::size_t most) {
  std::string lines;
  while (tight() && name.size() > most) {
    const std::size_t room = lines.empty() ? most : most - 2;
    std::size_t end = name.find_last_of(" _", room - 1);
    if (end == std::string_view::npos || end == 0) end = name.find_first_of(" _");
    if (end == std::string_view::npos || end + 1 == name.size()) break;
    lines += std::string(name.substr(0, name[end] == '_' ? end + 1 : end)) + "\n  ";
    name.remove_prefix(end + 1);
  }
  return lines + std::string(name);
}
std::string name_cell(const json& row) {
  return in_lines(row["name"].get_ref<const std::string&>(), 28);
}
/// "8 at 450 GB/s": devices that reach each other, and the rate of each; "host" where that is the way through it.
std::string links_cell(const json& row) {
  const json& link = row["scale_up"];
  if (!link["per_device_bytes_per_s"].is_number()) return "-";
  return marked(grouped(link["domain_devices"].get<long long>()) + " at " +
                    gigabytes_a_second(link["per_device_bytes_per_s"]) + " GB/s" +
                    (link["topology"] == "host_only" ? ", host" : ""),
                unverified_link(row));
}
std::string vendor_of(const json& row) {
  return row["vendor"].get<std::string>();
}

void print_left_out(const json& answer, const char* kind) {
  const long long n = answer.contains("left_out") ? answer["left_out"].value(kind, 0LL) : 0LL;
  if (n > 0)
    say(counted(n, "more row") + (n == 1 ? " was" : " were") +
        " left out: the figure that a filter asks for is not known.");
}

void print_accelerators(const json& list, bool sorted) {
  sheet s({{"name"},
           {"id", false, 8},
           {"class", false, 10},
           {"year", true, 9},
           {"GB", true, 7},
           {"GiB", true},
           {"TB/s", true},
           {"16-bit", true},
           {"fp8", true, 2},
           {"int8", true, 5},
           {"fp4", true, 4},
           {"W", true, 3},
           {"links, one way", false, 6},
           {status_title(), false, 1}});
  in_groups(
      list, !sorted, vendor_of, [&s](const std::string& title) { s.group(in_lines(title, 28)); },
      [&s](const json& a) {
        s.add({name_cell(a), a["id"].get<std::string>(), text_of(a["class"]),
               marked_figure(a, text_of(a["year"]), "year"),
               marked_figure(a, label_of(a["memory_sold_bytes"]), "memory_sold"),
               marked(a["visible_bytes"].is_object() ? scaled(a["visible_bytes"]["mid"], gibi, 1) : "-",
                      unverified_memory(a)),
               marked_figure(a, scaled(a["bandwidth_bytes_per_s"], 1e12, 2), "bandwidth"),
               peak_cell(a, sixteen_bits(a)), peak_cell(a, "fp8"), peak_cell(a, "int8"), peak_cell(a, "fp4"),
               marked_figure(a, scaled(a["power_w"], 1), "power"), links_cell(a), status_cell(a)});
      });
  const bool doubt = s.print();
  say("\nGB: 10^9 bytes as sold; GiB: 2^30 bytes as a process sees them; TB/s: of the memory; 16-bit (bf16, else "
      "fp16), "
      "fp8, int8, fp4: dense TFLOP/s; - = not known, or no such units. " +
      status_legend() + (doubt ? legend_of_doubt + " " : std::string()) +
      "`ullage catalog NAME` has every figure of one.");
}

void print_systems(const json& list, bool sorted) {
  sheet s({{"name"},
           {"accelerators"},
           {"GiB", true},
           {"TB/s", true, 4},
           {"links, one way", false, 3},
           {"out GB/s", true, 2},
           {"host GB", true, 6},
           {"kW", true, 1},
           {"year", true, 8},
           {"id", false, 9},
           {status_title(), false, 1}});
  in_groups(
      list, !sorted, vendor_of, [&s](const std::string& title) { s.group(in_lines(title, 28)); },
      [&s](const json& y) {
        const bool counted_doubt = unverified(y, "accelerators") || unverified(y, "accelerator");
        s.add({name_cell(y),
               in_lines(marked(grouped(y["accelerators"].get<long long>()) + " x " + text_of(y["accelerator_name"]),
                               counted_doubt),
                        26),
               marked(y["visible_bytes"].is_object() ? scaled(y["visible_bytes"]["mid"], gibi) : "-",
                      unverified_memory(y)),
               marked_figure(y, scaled(y["bandwidth_bytes_per_s"], 1e12, 1), "bandwidth"), links_cell(y),
               marked(scaled(y["scale_out_per_device_bytes_per_s"], 1e9, 1),
                      unverified(y, "scale_out") || unverified(y, "nics")),
               marked_figure(y, scaled(y["host_memory_bytes"], 1e9), "host_memory"),
               marked_figure(y, scaled(y["power_w"], 1e3, 1), "power"), marked_figure(y, text_of(y["year"]), "year"),
               y["id"].get<std::string>(), status_cell(y)});
      });
  const bool doubt = s.print();
  say("\nGiB, TB/s: device memory of the whole system; links: how many of them reach each other; "
      "out GB/s: one way to the network for each accelerator; kW: of the whole system; - = not known, or none. " +
      status_legend() + (doubt ? legend_of_doubt : std::string()));
}

void print_fabrics(const json& list, bool sorted) {
  sheet s({{"name"},
           {"id"},
           {"topology", false, 4},
           {"GB/s", true},
           {"a peer", true, 1},
           {"joins", true},
           {"links", true, 3},
           {"reduces", false, 2},
           {"parts", true, 5}});
  const auto reach_of = [](const json& f) { return spoken(f["reach"]); };
  in_groups(
      list, !sorted, reach_of, [&s](const std::string& title) { s.group(in_lines(title, 28)); },
      [&s](const json& f) {
        s.add({name_cell(f), f["id"].get<std::string>(), marked_figure(f, spoken(f["topology"]), "topology"),
               marked_figure(f, gigabytes_a_second(f["per_device_bytes_per_s"]), "per_device"),
               marked_figure(f, gigabytes_a_second(f["per_peer_bytes_per_s"]), "per_peer"),
               marked_figure(f, text_of(f["domain_devices"]), "domain"), marked_figure(f, text_of(f["links"]), "links"),
               f["in_network_reduction"] == true ? "yes" : "-", std::to_string(f["accelerators"].size())});
      });
  const bool doubt = s.print();
  say("\nGB/s: one way, of one device over all its links (scale-out: of one port); joins: devices that reach each "
      "other; "
      "reduces: the network adds up; parts: how many rows have it. " +
      (doubt ? legend_of_doubt : std::string()));
}

void print_partitions(const json& list, bool sorted) {
  sheet s({{"name"},
           {"id", false, 3},
           {"copies", true},
           {"GiB", true},
           {"units", true, 2},
           {"TB/s", true},
           {"16-bit", true},
           {"fp8", true, 1}});
  in_groups(
      list, !sorted, [](const json& p) { return p["whole_name"].get<std::string>(); },
      [&s](const std::string& title) { s.group(in_lines(title, 28)); },
      [&s](const json& p) {
        s.add({name_cell(p), p["id"].get<std::string>(), text_of(p["copies"]),
               marked(p["visible_bytes"].is_object() ? scaled(p["visible_bytes"]["mid"], gibi, 1) : "-",
                      unverified_memory(p)),
               marked_figure(p, text_of(p["compute_units"]), "compute_units"),
               marked_figure(p, scaled(p["bandwidth_bytes_per_s"], 1e12, 2), "bandwidth"),
               peak_cell(p, sixteen_bits(p)), peak_cell(p, "fp8")});
      });
  const bool doubt = s.print();
  say("\ncopies: slices that one part makes; units: SMs, CUs or cores; bandwidth and peaks (dense TFLOP/s) are shares "
      "of "
      "the whole part's. " +
      (doubt ? legend_of_doubt : std::string()));
}

void print_absent(const json& list, bool sorted) {
  sheet s({{"name"}, {"missing"}, {"why", false, 0, true}});
  in_groups(
      list, !sorted, vendor_of, [&s](const std::string& title) { s.group(in_lines(title, 28)); },
      [&s](const json& a) {
        s.add({name_cell(a), in_lines(joined(a["missing"]), 20), a["why"].get<std::string>()});
      });
  s.print();
  say("\nThese are known but cannot be planned with: what is missing is not published.");
}

void print_models(const json& list) {
  table t({{"model"},
           {"type", false, 3},
           {"parameters", true},
           {"active", true, 2},
           {"stored as", false, 1},
           {"stored GB", true},
           {"KV B/token", true}});
  for (const json& m : list)
    t.add({m["name"].get<std::string>(), m["model_type"].get<std::string>(),
           grouped(m["parameters"]["total"].get<long long>()), grouped(m["parameters"]["active"].get<long long>()),
           m["weights"].get<std::string>(), printed("%.1f", m["stored_weight_bytes"].get<double>() / 1e9),
           grouped(m["kv_bytes_per_token"].get<long long>())});
  t.print("");
}

// ---------------------------------------------------------------------------------------------------------------------
// One in full.

/// How the figures are called here, in the order that they are told in. "~" begins what follows from them.
constexpr const char* titles[][2] = {{"vendor", "vendor"},
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

std::string title_of(const std::string& figure) {
  for (const auto& row : titles)
    if (figure == row[0]) return row[1];
  std::string text = figure.starts_with("headline_") ? "as printed, " + figure.substr(9) : figure;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}
/// A figure as its source writes it.
std::string value_of(const json& f) {
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
std::string band_text(const json& band) {
  const double low = number_of(band["low"]) / gibi;
  const double mid = number_of(band["mid"]) / gibi;
  const double high = number_of(band["high"]) / gibi;
  const int decimals = high < 1 ? 3 : 1;
  if (band["low"] == band["high"])
    return printed("%.*f GiB (%.*f GB)", decimals, mid, decimals + 1, number_of(band["mid"]) / 1e9);
  return printed("%.*f to %.*f GiB, middle %.*f (%.*f GB)", decimals, low, decimals, high, decimals, mid, decimals + 1,
                 number_of(band["mid"]) / 1e9);
}
std::string rate_text(const json& v) {
  const double gb = number_of(v) / 1e9;
  return printed("%.6g GB/s", gb);
}
std::string link_text(const json& link) {
  if (!link["per_device_bytes_per_s"].is_number()) return "none";
  return link["name"].get<std::string>() + " (" + text_of(link["id"]) + "), " + spoken(link["topology"]);
}

/// The text with a blank behind a '/' wherever a word, such as an address, is longer than `most`.
std::string breakable(std::string_view text, std::size_t most) {
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

std::string other_names(const json& row) {
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

const json* figure_of(const json& row, const std::string& figure) {
  for (const json& f : row["figures"])
    if (f["figure"] == figure) return &f;
  return nullptr;
}

std::string ridge_note(const json& a, const std::string& format) {
  const json& ridges = a["ridge_flop_per_byte"];
  std::string note;
  if (ridges.contains(format) && ridges[format].is_number()) note = "ridge " + scaled(ridges[format], 1) + " FLOP/B";
  if (a["halves_fp32_accumulate"] == true && (format == "fp16" || format == "fp8"))
    note += (note.empty() ? "" : "; ") + std::string("with fp16 accumulate twice that");
  return note;
}
/// What a part does with the formats that it has no figure for.
void add_lacking(full_view& v, const json& a) {
  for (const char* format : formats) {
    const json& how = a["supports"][format];
    if (how == "native") continue;
    const json& runs_as = a["runs_as"][format];
    v.add(format, std::string(how == "lacking" ? "no units" : "no figure") +
                      (runs_as.is_null() ? ", and none that could stand in" : ", runs as " + text_of(runs_as)));
  }
}
void add_link(full_view& v, const json& row) {
  const json& link = row["scale_up"];
  if (!link["per_device_bytes_per_s"].is_number()) return;
  const bool doubt = unverified_link(row);
  v.add("  a device, one way", rate_text(link["per_device_bytes_per_s"]), "", doubt);
  v.add("  a peer, one way", rate_text(link["per_peer_bytes_per_s"]), "", doubt);
  v.add("  devices joined", text_of(link["domain_devices"]), "", doubt);
}
void add_visible(full_view& v, const json& row, const char* what = "counted as visible") {
  const json& band = row["visible_bytes"];
  if (!band.is_object()) return;
  v.add(what, band_text(band), "basis: " + band["basis"].get<std::string>(), band["basis"] == "unverified");
}

/// The figures of a row in the order of `titles`; `special` says what it does itself.
template <class Special>
void add_figures(full_view& v, const json& row, const Special& special) {
  for (const auto& t : titles) {
    const std::string figure = t[0];
    const json* f = figure.starts_with('~') ? nullptr : figure_of(row, figure);
    if (special(figure, f)) continue;
    if (f != nullptr)
      v.figure(*f, value_of(*f));
    else if (!figure.starts_with('~'))
      v.others(figure);
  }
  for (const json& f : row["figures"]) {
    const std::string figure = f["figure"];
    const bool told = std::any_of(std::begin(titles), std::end(titles), [&](const auto& t) { return figure == t[0]; });
    if (!told && figure != "name") v.figure(f, value_of(f));
  }
}

void print_accelerator(const json& a, bool sources) {
  full_view v(a, sources);
  v.names(a);
  if (!sources) v.add("PCI ids", joined(a["pci_ids"]));
  add_figures(v, a, [&](const std::string& figure, const json* f) {
    if (figure == "~visible") {
      add_visible(v, a);
      return true;
    }
    if (figure == "~lacks") {
      add_lacking(v, a);
      return true;
    }
    if (figure == "~fabric") {
      add_link(v, a);
      return true;
    }
    if (figure == "~peaks" && sources) {
      for (const char* format : formats)
        if (const std::string note = ridge_note(a, format); !note.empty()) v.add(format, note);
      return true;
    }
    if (f == nullptr) return false;
    const json* named = figure == "vendor"   ? &a["vendor"]
                        : figure == "family" ? &a["architecture"]
                        : figure == "form"   ? &a["form"]
                                             : nullptr;
    if (named != nullptr) {
      v.figure(*f, text_of(*named));
    } else if (figure.starts_with("peak_")) {
      v.figure(*f, value_of(*f), sources ? std::string() : ridge_note(a, figure.substr(5)));
    } else if (figure == "fabric") {
      v.figure(*f, link_text(a["scale_up"]));
    } else if (figure == "host_link") {
      const json& rate = a["host_link_bytes_per_s"];
      v.figure(*f, value_of(*f) + (rate.is_number() ? ", " + rate_text(rate) : ""));
    } else if (!sources && (figure == "lacks" || figure == "halves_fp32_accumulate")) {
      return true;  // said with the peaks
    } else {
      return false;
    }
    return true;
  });
  v.add("slices", joined(a["partitions"]));
  v.add("systems", joined(a["systems"]));
  v.print();
}

void print_partition(const json& p, bool sources) {
  full_view v(p, sources);
  v.add("slice of", text_of(p["whole_name"]) + " (" + text_of(p["whole"]) + ")");
  for (const json& f : p["figures"])
    if (sources) v.figure(f, value_of(f));
  v.add("copies", p["copies"].is_null() ? "" : text_of(p["copies"]));
  add_visible(v, p);
  v.add("compute units", text_of(p["compute_units"]), "", unverified(p, "compute_units"));
  v.add("bandwidth", rate_text(p["bandwidth_bytes_per_s"]), "", unverified(p, "bandwidth"));
  for (const char* format : formats)
    if (p["dense_flops_per_s"][format].is_number())
      v.add(std::string("dense peak, ") + format,
            printed("%.4g TFLOP/s", number_of(p["dense_flops_per_s"][format]) / 1e12), ridge_note(p, format),
            unverified(p, std::string("peak_") + format));
  add_lacking(v, p);
  if (p["host_link_bytes_per_s"].is_number())
    v.add("host link, shared", rate_text(p["host_link_bytes_per_s"]), "", unverified(p, "host_link"));
  v.print();
}

void print_system(const json& s, bool sources) {
  full_view v(s, sources);
  v.names(s);
  add_figures(v, s, [&](const std::string& figure, const json* f) {
    if (figure == "~visible") {
      add_visible(v, s, "device memory, visible");
      return true;
    }
    if (figure == "~bandwidth") {
      v.add("device bandwidth, sum", rate_text(s["bandwidth_bytes_per_s"]), "", unverified(s, "bandwidth"));
      return true;
    }
    if (figure == "~peaks") {
      for (const char* format : formats)
        if (const json& peak = s["dense_flops_per_s"][format]; peak.is_number())
          v.add(std::string("dense peak, ") + format, printed("%.4g PFLOP/s", number_of(peak) / 1e15), "",
                unverified(s, std::string("peak_") + format));
      return true;
    }
    if (figure == "~fabric") {
      if (figure_of(s, "fabric") == nullptr) v.add("links", link_text(s["scale_up"]), "", unverified_link(s));
      add_link(v, s);
      return true;
    }
    if (figure == "~scale_out") {
      if (s["scale_out_per_device_bytes_per_s"].is_number())
        v.add("network, an accelerator", rate_text(s["scale_out_per_device_bytes_per_s"]), "one way",
              unverified(s, "scale_out") || unverified(s, "nics"));
      return true;
    }
    if (f == nullptr) return false;
    if (figure == "vendor")
      v.figure(*f, text_of(s["vendor"]));
    else if (figure == "accelerator")
      v.figure(*f, text_of(s["accelerator_name"]) + " (" + text_of(s["accelerator"]) + ")");
    else if (figure == "fabric")
      v.figure(*f, link_text(s["scale_up"]));
    else if (figure == "scale_out" && s["scale_out"].is_object())
      v.figure(*f, text_of(s["scale_out"]["name"]) + " (" + text_of(s["scale_out"]["id"]) + "), " +
                       rate_text(s["scale_out"]["per_device_bytes_per_s"]) + " a port, one way");
    else if (figure == "cpu" && (*f)["value"] != "none")
      v.figure(*f, text_of(s["cpu_name"]) + " (" + text_of(s["cpu"]) + ")");
    else if (figure == "cpu" ||
             (!sources && (figure == "fabric_domain" || (figure == "cpu_name" && !s["cpu"].is_null()))))
      return true;  // said by another line
    else
      return false;
    return true;
  });
  v.print();
}

void print_fabric(const json& f, bool sources) {
  full_view v(f, sources);
  add_figures(v, f, [](const std::string&, const json*) { return false; });
  v.add("parts with it", joined(f["accelerators"]));
  v.add("systems with it", joined(f["systems"]));
  v.print();
}

void print_absent_part(const json& a) {
  std::puts(coloured(a["name"].get<std::string>(), "1").c_str());
  table t({{""}, {"", false, 0, true}});
  t.add({"id", a["id"].get<std::string>()});
  t.add({"vendor", vendor_of(a)});
  t.add({"missing", joined(a["missing"]) + ": it is known but cannot be planned with"});
  t.add({"why", a["why"].get<std::string>()});
  t.add({"source", breakable(a["source"].get<std::string>(), 40) + ", " + a["date"].get<std::string>()});
  t.print("  ");
}

void print_model(const json& m, bool sources) {
  std::puts(coloured(m["name"].get<std::string>(), "1").c_str());
  table t({{""}, {"", false, 0, true}});
  const auto count = [](const json& n) { return n.is_number() ? grouped(n.get<long long>()) : std::string("-"); };
  const json& p = m["parameters"];
  if (!m["aliases"].empty()) t.add({"also called", joined(m["aliases"])});
  t.add({"model_type", m["model_type"].get<std::string>()});
  t.add({"layers", count(m["layers"])});
  t.add({"hidden size", count(m["hidden"])});
  t.add({"vocabulary", count(m["vocabulary"])});
  t.add({"positions", count(m["max_position"]) + " tokens"});
  t.add({"parameters", count(p["total"])});
  t.add({"active for a token", count(p["active"])});
  t.add({"of embeddings", count(p["embedding"])});
  if (p["mtp"] != 0) t.add({"MTP, beside them", count(p["mtp"])});
  t.add({"stored as", m["weights"].get<std::string>()});
  t.add({"stored weights", printed("%.1f GB", m["stored_weight_bytes"].get<double>() / 1e9)});
  t.add({"KV cache", count(m["kv_bytes_per_token"]) + " B a token in the model's own type"});
  t.print("  ");
  if (!sources) return;
  std::string repositories;
  for (const json& s : m["aliases"])
    if (s.get<std::string>().find('/') != std::string::npos)
      repositories += (repositories.empty() ? "" : ", ") + s.get<std::string>();
  say("Sources: the sizes are those of the public config.json of " +
          (repositories.empty() ? m["name"].get<std::string>() : repositories) +
          ", which share it; parameters and bytes are computed from them (docs/formulas.md).",
      "  ", "  ");
}

// ---------------------------------------------------------------------------------------------------------------------
// Side by side.

struct compared_line {
  std::string title;
  std::vector<std::string> cells;
  std::vector<double> numbers{};  ///< larger is better, NaN is not known; empty where no value is the best
};

double number_or_nan(const json& v) {
  return v.is_number() ? v.get<double>() : NAN;
}
std::vector<compared_line> compared_lines(const std::vector<const json*>& parts) {
  std::vector<compared_line> lines;
  const auto add = [&](const std::string& title, const auto& cell, const auto& number) {
    compared_line line{title, {}, {}};
    bool any = false;
    for (const json* p : parts) {
      line.cells.push_back(cell(*p));
      any = any || line.cells.back() != "-";
      line.numbers.push_back(number(*p));
    }
    if (any) lines.push_back(std::move(line));
  };
  const auto add_text = [&](const std::string& title, const auto& cell) {
    add(title, cell, [](const json&) { return 0.0; });
    if (!lines.empty() && lines.back().title == title) lines.back().numbers.clear();
  };
  const auto number_at = [](const char* pointer) {
    return [where = json::json_pointer(pointer)](const json& p) {
      return p.contains(where) ? number_of(p.at(where)) : 0.0;
    };
  };

  add_text("class", [](const json& p) { return text_of(p["class"]); });
  add_text("memory type", [](const json& p) { return marked_figure(p, text_of(p["memory_type"]), "memory_type"); });
  add(
      "memory as sold, GB",
      [](const json& p) { return marked_figure(p, label_of(p["memory_sold_bytes"]), "memory_sold"); },
      number_at("/memory_sold_bytes"));
  add(
      "visible, GiB",
      [](const json& p) {
        const json& band = p["visible_bytes"];
        if (!band.is_object()) return std::string("-");
        std::string text = scaled(band["mid"], gibi, 1);
        if (band["low"] != band["high"])
          text += " (" + scaled(band["low"], gibi, 1) + " to " + scaled(band["high"], gibi, 1) + ")";
        return marked(text, unverified_memory(p));
      },
      number_at("/visible_bytes/mid"));
  add(
      "bandwidth, TB/s",
      [](const json& p) { return marked_figure(p, scaled(p["bandwidth_bytes_per_s"], 1e12, 2), "bandwidth"); },
      number_at("/bandwidth_bytes_per_s"));
  for (const char* format : formats)
    add(
        std::string(format) + ", dense TFLOP/s", [format](const json& p) { return peak_cell(p, format); },
        [format](const json& p) {
          return p["supports"][format] == "lacking" ? 0.0 : number_or_nan(p["dense_flops_per_s"][format]);
        });
  for (const char* format : formats) {
    const auto stands_in = [format](const json& p) { return p["supports"][format] != "native"; };
    if (!std::any_of(parts.begin(), parts.end(), [&](const json* p) { return stands_in(*p); })) continue;
    add_text(std::string(format) + " runs as", [format](const json& p) { return text_of(p["runs_as"][format]); });
  }
  const auto halves = [](const json& p) { return p["halves_fp32_accumulate"] == true; };
  if (std::any_of(parts.begin(), parts.end(), [&](const json* p) { return halves(*p); }))
    add_text("with fp16 accumulate", [&](const json& p) { return std::string(halves(p) ? "fp16, fp8 twice" : "-"); });
  for (const char* format : formats)
    add_text("ridge " + std::string(format) + ", FLOP/B", [format](const json& p) {
      return marked(scaled(p["ridge_flop_per_byte"][format], 1),
                    unverified(p, std::string("peak_") + format) || unverified(p, "bandwidth"));
    });
  add_text("links", [](const json& p) {
    const json& link = p["scale_up"];
    return link["per_device_bytes_per_s"].is_number() ? marked(link["name"].get<std::string>(), unverified_link(p))
                                                      : std::string("-");
  });
  add(
      "links, GB/s one way",
      [](const json& p) {
        return marked(gigabytes_a_second(p["scale_up"]["per_device_bytes_per_s"]), unverified_link(p));
      },
      number_at("/scale_up/per_device_bytes_per_s"));
  add(
      "devices joined",
      [](const json& p) { return marked(text_of(p["scale_up"]["domain_devices"]), unverified_link(p)); },
      number_at("/scale_up/domain_devices"));
  add(
      "host link, GB/s one way",
      [](const json& p) { return marked_figure(p, gigabytes_a_second(p["host_link_bytes_per_s"]), "host_link"); },
      number_at("/host_link_bytes_per_s"));
  add_text("power, W", [](const json& p) { return marked_figure(p, scaled(p["power_w"], 1), "power"); });
  add_text("year", [](const json& p) { return marked_figure(p, text_of(p["year"]), "year"); });
  const auto per_watt = [&](const std::string& title, const char* figure, const char* pointer, double unit) {
    const auto value = [pointer](const json& p) {
      const double power = number_of(p["power_w"]);
      const double x = number_of(p.at(json::json_pointer(pointer)));
      return power > 0 && x > 0 ? x / power : NAN;
    };
    add(
        title,
        [=](const json& p) {
          const double x = value(p);
          return x > 0 ? marked(scaled(json(x), unit, 2), unverified(p, figure) || unverified(p, "power"))
                       : std::string("-");
        },
        value);
  };
  per_watt("bandwidth, GB/s a watt", "bandwidth", "/bandwidth_bytes_per_s", 1e9);
  per_watt("bf16, TFLOP/s a watt", "peak_bf16", "/dense_flops_per_s/bf16", 1e12);
  return lines;
}

/// Marks the best of each line with "*"; of values that are all alike none is the best.
void mark_best(std::vector<compared_line>& lines) {
  for (compared_line& line : lines) {
    double best = 0;
    double least = HUGE_VAL;
    std::size_t known = 0;
    for (const double x : line.numbers) {
      if (std::isnan(x)) continue;
      best = std::max(best, x);
      least = std::min(least, x);
      ++known;
    }
    const bool has_best = known > 1 && best > least;
    bool doubt = false;
    for (const std::string& cell : line.cells) doubt = doubt || cell.ends_with('?');
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      std::string& cell = line.cells[i];
      if (doubt && !cell.ends_with('?')) cell += ' ';
      cell += has_best && line.numbers[i] >= best ? '*' : ' ';
    }
  }
}

void print_compared(const json& c) {
  std::vector<const json*> parts;
  for (const json& id : c["compared"])
    for (const char* kind : {"accelerators", "partitions"})
      for (const json& row : c[kind])
        if (row["id"] == id) parts.push_back(&row);
  std::vector<compared_line> lines = compared_lines(parts);
  bool doubt = false;
  for (const compared_line& line : lines)
    for (const std::string& cell : line.cells) doubt = doubt || cell.ends_with('?');
  mark_best(lines);

  int cells = 0;
  for (const compared_line& line : lines) cells = std::max(cells, cells_of(line.title));
  std::vector<table::column> columns{{""}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = (*parts[i])["name"].get<std::string>();
    columns.push_back({name + " ", true});
    int wide = cells_of(name) + 1;
    for (const compared_line& line : lines) wide = std::max(wide, cells_of(line.cells[i]));
    cells += 2 + wide;
  }
  if (cells <= width() + 1) {  // the last blank is not printed
    table t(columns);
    for (const compared_line& line : lines) {
      std::vector<std::string> row{line.title};
      row.insert(row.end(), line.cells.begin(), line.cells.end());
      t.add(std::move(row));
    }
    t.print("");
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) std::puts("");
      std::puts(coloured((*parts[i])["name"].get<std::string>(), "1").c_str());
      table t({{""}, {"", false, 0, true}});
      for (const compared_line& line : lines) t.add({line.title, line.cells[i]});
      t.print("  ");
    }
  }
  say("\n* = the best of those compared; peaks are dense; - = not known, or no such units. " +
      (doubt ? legend_of_doubt : std::string()));
}

// ---------------------------------------------------------------------------------------------------------------------
// Comma separated values.

struct csv_column {
  std::string title;
  std::string pointer;
};

std::vector<csv_column> csv_columns(const std::string& kind) {
  std::vector<csv_column> c;
  const auto peaks = [&c](bool part) {
    for (const std::string format : formats) {
      c.push_back({format + "_dense_flops_per_s", "/dense_flops_per_s/" + format});
      c.push_back({format + "_basis", "/bases/peak_" + format});
      if (!part) continue;
      c.push_back({format + "_support", "/supports/" + format});
      c.push_back({format + "_runs_as", "/runs_as/" + format});
      c.push_back({format + "_ridge_flop_per_byte", "/ridge_flop_per_byte/" + format});
    }
  };
  const auto link = [&c](const std::string& title, const std::string& at) {
    c.insert(c.end(), {{title, at + "/id"},
                       {title + "_topology", at + "/topology"},
                       {title + "_per_device_bytes_per_s", at + "/per_device_bytes_per_s"},
                       {title + "_per_peer_bytes_per_s", at + "/per_peer_bytes_per_s"},
                       {title + "_domain_devices", at + "/domain_devices"},
                       {title + "_basis", at + "/basis"}});
  };
  const auto visible = [&c] {
    c.insert(c.end(), {{"visible_low_bytes", "/visible_bytes/low"},
                       {"visible_mid_bytes", "/visible_bytes/mid"},
                       {"visible_high_bytes", "/visible_bytes/high"},
                       {"visible_basis", "/visible_bytes/basis"}});
  };
  if (kind == "accelerators" || kind == "partitions") {
    c = {{"id", "/id"}, {"name", "/name"}};
    if (kind == "partitions") c.insert(c.end(), {{"whole", "/whole"}, {"copies", "/copies"}});
    c.insert(c.end(), {{"vendor", "/vendor"},
                       {"architecture", "/architecture"},
                       {"target", "/target"},
                       {"class", "/class"},
                       {"form", "/form"},
                       {"status", "/status"},
                       {"year", "/year"},
                       {"year_basis", "/bases/year"},
                       {"memory_type", "/memory_type"},
                       {"ecc", "/ecc"},
                       {"memory_shared", "/memory_shared"},
                       {"memory_largest", "/memory_largest"},
                       {"memory_sold_bytes", "/memory_sold_bytes"},
                       {"memory_sold_basis", "/bases/memory_sold"},
                       {"memory_driver_bytes", "/memory_driver_bytes"},
                       {"memory_driver_basis", "/bases/memory_driver"},
                       {"memory_process_bytes", "/memory_process_bytes"},
                       {"memory_process_basis", "/bases/memory_process"}});
    visible();
    c.insert(c.end(), {{"bandwidth_bytes_per_s", "/bandwidth_bytes_per_s"}, {"bandwidth_basis", "/bandwidth_basis"}});
    peaks(true);
    c.insert(c.end(), {{"halves_fp32_accumulate", "/halves_fp32_accumulate"},
                       {"compute_units", "/compute_units"},
                       {"compute_units_basis", "/bases/compute_units"}});
    link("fabric", "/scale_up");
    c.insert(c.end(), {{"host_link_bytes_per_s", "/host_link_bytes_per_s"},
                       {"host_link_basis", "/host_link_basis"},
                       {"power_w", "/power_w"},
                       {"power_least_w", "/power_least_w"},
                       {"power_most_w", "/power_most_w"},
                       {"power_basis", "/power_basis"}});
    if (kind == "accelerators")
      c.insert(
          c.end(),
          {{"aliases", "/aliases"}, {"pci_ids", "/pci_ids"}, {"partitions", "/partitions"}, {"systems", "/systems"}});
  } else if (kind == "systems") {
    c = {{"id", "/id"},
         {"name", "/name"},
         {"vendor", "/vendor"},
         {"status", "/status"},
         {"year", "/year"},
         {"year_basis", "/bases/year"},
         {"accelerator", "/accelerator"},
         {"accelerator_name", "/accelerator_name"},
         {"accelerators", "/accelerators"},
         {"accelerators_basis", "/bases/accelerators"},
         {"hosts", "/hosts"},
         {"memory_sold_bytes", "/memory_sold_bytes"},
         {"memory_sold_basis", "/bases/memory_sold"}};
    visible();
    c.insert(c.end(), {{"bandwidth_bytes_per_s", "/bandwidth_bytes_per_s"}, {"bandwidth_basis", "/bases/bandwidth"}});
    peaks(false);
    link("fabric", "/scale_up");
    link("scale_out", "/scale_out");
    c.insert(c.end(), {{"nics", "/nics"},
                       {"nics_basis", "/bases/nics"},
                       {"scale_out_bytes_per_s", "/scale_out_bytes_per_s"},
                       {"scale_out_per_accelerator_bytes_per_s", "/scale_out_per_device_bytes_per_s"},
                       {"cpu", "/cpu"},
                       {"cpu_name", "/cpu_name"},
                       {"cpus", "/cpus"},
                       {"host_memory_bytes", "/host_memory_bytes"},
                       {"host_memory_basis", "/bases/host_memory"},
                       {"disks_bytes", "/disks_bytes"},
                       {"disks_basis", "/bases/disks"},
                       {"power_w", "/power_w"},
                       {"power_basis", "/bases/power"},
                       {"aliases", "/aliases"}});
  } else if (kind == "fabrics") {
    c = {{"id", "/id"},
         {"name", "/name"},
         {"reach", "/reach"},
         {"topology", "/topology"},
         {"topology_basis", "/bases/topology"},
         {"per_device_bytes_per_s", "/per_device_bytes_per_s"},
         {"per_device_basis", "/bases/per_device"},
         {"per_peer_bytes_per_s", "/per_peer_bytes_per_s"},
         {"per_peer_basis", "/bases/per_peer"},
         {"hop_latency_s", "/hop_latency_s"},
         {"hop_latency_basis", "/bases/hop_latency"},
         {"domain_devices", "/domain_devices"},
         {"domain_basis", "/bases/domain"},
         {"in_network_reduction", "/in_network_reduction"},
         {"links", "/links"},
         {"links_basis", "/bases/links"},
         {"accelerators", "/accelerators"},
         {"systems", "/systems"}};
  } else if (kind == "models") {
    c = {{"name", "/name"},
         {"model_type", "/model_type"},
         {"parameters", "/parameters/total"},
         {"active_parameters", "/parameters/active"},
         {"embedding_parameters", "/parameters/embedding"},
         {"mtp_parameters", "/parameters/mtp"},
         {"layers", "/layers"},
         {"hidden", "/hidden"},
         {"vocabulary", "/vocabulary"},
         {"max_position_tokens", "/max_position"},
         {"weights", "/weights"},
         {"stored_weight_bytes", "/stored_weight_bytes"},
         {"kv_bytes_per_token", "/kv_bytes_per_token"},
         {"aliases", "/aliases"}};
  } else {
    c = {{"id", "/id"},   {"name", "/name"},     {"vendor", "/vendor"}, {"missing", "/missing"},
         {"why", "/why"}, {"source", "/source"}, {"date", "/date"}};
  }
  return c;
}

std::string csv_cell(const json& value) {
  if (value.is_null()) return {};
  std::string text = value.is_array() ? joined(value, "; ") : text_of(value);
  if (value.is_number_float() && value.get<double>() < 1e18 && value.get<double>() == std::floor(value.get<double>()))
    text = printed("%.0f", value.get<double>());
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}
void put_csv(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + cells[i];
  std::puts(line.c_str());
}

void print_csv(const json& c, const std::string& kind) {
  std::vector<const json*> rows;
  if (c.contains("compared")) {
    for (const json& id : c["compared"])
      for (const char* from : {"accelerators", "partitions"})
        for (const json& row : c[from])
          if (row["id"] == id) rows.push_back(&row);
  } else {
    for (const json& row : c[kind]) rows.push_back(&row);
  }
  const std::vector<csv_column> columns = csv_columns(kind);
  std::vector<std::string> cells;
  for (const csv_column& column : columns) cells.push_back(column.title);
  put_csv(cells);
  for (const json* row : rows) {
    cells.clear();
    for (const csv_column& column : columns) {
      const json::json_pointer where(column.pointer);
      cells.push_back(csv_cell(row->contains(where) ? row->at(where) : json(nullptr)));
    }
    put_csv(cells);
  }
}
/// One line a figure: what is taken, and what others state with why it is not.
void print_figures_csv(const json& c, const std::string& kind) {
  put_csv({"id", "figure", "value", "unit", "confidence", "date", "source", "why_not_taken"});
  for (const json& row : c[kind]) {
    if (!row.contains("figures")) continue;
    for (const json& f : row["figures"])
      put_csv({csv_cell(row["id"]), csv_cell(f["figure"]), csv_cell(f["value"]), csv_cell(f["unit"]),
               csv_cell(f["confidence"]), csv_cell(f["date"]), csv_cell(f["source"]), ""});
    if (!row.contains("other_figures")) continue;
    for (const json& f : row["other_figures"])
      put_csv({csv_cell(row["id"]), csv_cell(f["figure"]), csv_cell(f["value"]), csv_cell(f["unit"]), "",
               csv_cell(f["date"]), csv_cell(f["source"]), csv_cell(f["why"])});
  }
}

/// The kind that --csv writes: the one asked for, else the first that a name is of, else accelerators.
std::string csv_kind(const json& c, const catalog_options& o) {
  if (!o.what.empty()) return o.what;
  if (!o.name.empty() && o.compare.empty())
    for (const char* kind : {"systems", "accelerators", "partitions", "fabrics", "models", "absent"})
      if (!c[kind].empty()) return kind;
  return "accelerators";
}

void print_in_full(const json& c, const catalog_options& o, bool sources) {
  bool first = true;
  const auto each = [&first](const json& rows, const auto& print) {
    for (const json& row : rows) {
      if (!first) std::puts("");
      first = false;
      print(row);
    }
  };
  // The name of a machine is also one of its parts, which has a view of its own.
  const bool machine = !o.name.empty() && o.what.empty() && !c["systems"].empty();
  if (!machine) each(c["accelerators"], [sources](const json& a) { print_accelerator(a, sources); });
  each(c["systems"], [sources](const json& s) { print_system(s, sources); });
  each(c["partitions"], [sources](const json& p) { print_partition(p, sources); });
  each(c["fabrics"], [sources](const json& f) { print_fabric(f, sources); });
  each(c["models"], [sources](const json& m) { print_model(m, sources); });
  each(c["absent"], print_absent_part);
}

void print_lists(const json& c, const catalog_options& o) {
  const bool sorted = !o.sort.empty();
  const bool all = o.what.empty();
  bool first = true;
  const auto begin = [&](const char* kind, const char* title) {
    if (c[kind].empty()) return false;
    if (!first) std::puts("");
    first = false;
    if (all) std::puts((coloured(title, "1;4") + "\n").c_str());
    return true;
  };
  if (begin("accelerators", "Accelerators")) print_accelerators(c["accelerators"], sorted);
  print_left_out(c, "accelerators");
  if (begin("systems", "Systems")) print_systems(c["systems"], sorted);
  print_left_out(c, "systems");
  // Without a kind only what is most asked for; with filters slices are among it.
  if (!all && begin("fabrics", "Fabrics")) print_fabrics(c["fabrics"], sorted);
  if (!all && begin("partitions", "Partitions")) print_partitions(c["partitions"], sorted);
  if (!all) print_left_out(c, "partitions");
  if (begin("models", "Models")) print_models(c["models"]);
  if (!all && begin("absent", "Absent")) print_absent(c["absent"], sorted);
  if (first) say("Nothing of the catalogue passes the filters.");
  std::string more;
  for (const char* kind : {"fabrics", "partitions", "absent"})
    if (const std::size_t n = c[kind].size(); all && n > 0)
      more += (more.empty() ? "" : ", ") + grouped(static_cast<long long>(n)) + " of `ullage catalog " + kind + "`";
  if (!more.empty()) say("\nNot listed here: " + more + ".");
}

}  // namespace

int run_catalog(const catalog_options& asked) {
  catalog_options o = asked;
  for (const std::string& word : o.words) {
    const bool kind = &word == &o.words.front() &&
                      std::any_of(std::begin(kinds), std::end(kinds), [&word](const char* k) { return word == k; });
    if (kind)
      o.what = word;
    else
      o.name += (o.name.empty() ? "" : " ") + word;
  }
  const bool sources = o.sources;
  const bool in_full = !o.name.empty() || o.sources;
  if (!o.json_output && !o.csv_output && o.compare.empty()) o.sources = in_full;
  json c = catalog_of(o);
  if (c.value("status", std::string()) == "error") {
    // A word of an option is called by its flag: "vendor is ..." is "--vendor is ...".
    const std::string field = c.value("field", std::string());
    std::string flag = "--" + field;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (const std::string said = c.value("message", std::string()); field != "name" && said.starts_with(field))
      c["message"] = flag + said.substr(field.size());
    return finish_with_error(c, "catalog", o.json_output);
  }
  if (o.json_output)
    std::puts(line_of(c).c_str());
  else if (o.csv_output && sources)
    print_figures_csv(c, csv_kind(c, o));
  else if (o.csv_output)
    print_csv(c, csv_kind(c, o));
  else if (!o.compare.empty())
    print_compared(c);
  else if (in_full)
    print_in_full(c, o, sources);
  else
    print_lists(c, o);
  return 0;
}

}  // namespace cli
