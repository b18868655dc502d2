// SPDX-License-Identifier: Apache-2.0
// Lists of the catalogue: a table a kind.
#include "catalog_views.hpp"

namespace cli {
namespace {

/// Below this the lists break names and shorten words.
bool tight() {
  return width() < 120;
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

/// The dense 16-bit peak: bf16, or fp16 where there is no other.
std::string sixteen_bits(const json& row) {
  return row["dense_flops_per_s"]["bf16"].is_number() ? "bf16" : "fp16";
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
      "fp16), fp8, int8, fp4: dense TFLOP/s; - = not known, or no such units. " +
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
           m["kv_bytes_per_token"].is_number() ? grouped(m["kv_bytes_per_token"].get<long long>()) : "-"});
  t.print("");
  say("\n-: the cache is not linear in the tokens; `ullage model NAME` says what it is.");
}

}  // namespace

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

}  // namespace cli
