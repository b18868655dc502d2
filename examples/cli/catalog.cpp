// SPDX-License-Identifier: Apache-2.0
// ullage catalog: what is built in.
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string scaled(const json& v, double unit, const char* format) {
  return v.is_number() ? printed(format, v.get<double>() / unit) : std::string("-");
}
std::string joined(const json& list) {
  std::string text;
  for (const json& s : list) text += (text.empty() ? "" : ", ") + s.get<std::string>();
  return text;
}

/// How the figures of the sources are called here, and that of which they are.
std::string title_of(const std::string& figure) {
  static constexpr const char* titles[][2] = {{"memory_sold", "memory as sold"},
                                              {"memory_driver", "memory to the driver"},
                                              {"memory_process", "memory to a process"},
                                              {"fabric_name", "link"},
                                              {"fabric_topology", "link topology"},
                                              {"fabric_per_device", "link, one way, a device"},
                                              {"fabric_per_peer", "link, one way, a peer"},
                                              {"fabric_domain", "devices joined by it"},
                                              {"fabric_in_network_reduction", "reduces in the network"},
                                              {"fabric_hop_latency", "link hop latency"},
                                              {"host_link", "host link, one way"},
                                              {"compute_units", "compute units"}};
  for (const auto& row : titles)
    if (figure == row[0]) return row[1];
  if (figure.starts_with("peak_")) return "dense peak, " + figure.substr(5);
  return figure;
}
std::string value_of(const json& f) {
  const std::string unit = f["unit"];
  const std::string value = f["value"];
  if (unit == "bool") return value == "true" ? "yes" : "no";
  if (unit == "text" || unit == "year") return value;
  std::string text = value + " " + unit;
  if (f["figure"] == "memory_driver" || f["figure"] == "memory_process") {
    const double bytes = std::strtod(value.c_str(), nullptr) * (unit == "MiB" ? 1048576.0 : 1.0);
    text += printed(" (%.1f GiB, %.2f GB)", bytes / 1073741824.0, bytes / 1e9);
  }
  return text;
}

void print_accelerator(const json& a, bool sources) {
  std::puts(coloured(a["name"].get<std::string>(), "1").c_str());
  table t({{""}, {"", false, 0, !sources}, {""}, {"", false, 0, true}});
  const auto add = [&](const std::string& what, const std::string& value) { t.add({what, value, "", ""}); };
  add("id", a["id"].get<std::string>());
  if (!a["aliases"].empty() && !sources) add("also called", joined(a["aliases"]));
  for (const json& f : a["figures"]) {
    const std::string figure = f["figure"];
    if (figure == "name") continue;
    if (!sources) {
      add(title_of(figure), value_of(f));
      continue;
    }
    const std::string from = f["confidence"].get<std::string>() + " " + f["date"].get<std::string>();
    const std::string source = f["source"].get<std::string>();
    if (width() < 130)
      t.add({title_of(figure), value_of(f), "", ""}, wrapped(from + ": " + source, "", "        ", width() - 8));
    else
      t.add({title_of(figure), value_of(f), from, source});
  }
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
  t.add({"stored weights", scaled(m["stored_weight_bytes"], 1e9, "%.1f GB")});
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

void print_accelerators(const json& list) {
  table t({{"id", false, 1},
           {"name"},
           {"label GB", true, 4},
           {"seen GiB", true},
           {"TB/s", true},
           {"bf16 TFLOP/s", true},
           {"fp8 TFLOP/s", true, 2},
           {"W", true, 3},
           {"links, one way", false, 5}});
  for (const json& a : list) {
    const json& peaks = a["dense_flops_per_s"];
    t.add({a["id"].get<std::string>(), a["name"].get<std::string>(), scaled(a["memory_sold_bytes"], 1e9, "%.0f"),
           scaled(a["memory_driver_bytes"], 1073741824.0, "%.1f"), scaled(a["bandwidth_bytes_per_s"], 1e12, "%.2f"),
           scaled(peaks["bf16"], 1e12, "%.0f"), scaled(peaks["fp8"], 1e12, "%.0f"), scaled(a["power_w"], 1, "%.0f"),
           a["scale_up"]["name"].get<std::string>() + " " +
               scaled(a["scale_up"]["per_device_bytes_per_s"], 1e9, "%.0f GB/s")});
  }
  t.print("");
  say("Peaks are dense; GB = 10^9 bytes as sold, GiB = 2^30 bytes as the driver reports them; - = not known, or no "
      "such units. "
      "`ullage catalog NAME` has every figure of one.");
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
           m["weights"].get<std::string>(), scaled(m["stored_weight_bytes"], 1e9, "%.1f"),
           grouped(m["kv_bytes_per_token"].get<long long>())});
  t.print("");
}

}  // namespace

int run_catalog(const catalog_options& asked) {
  catalog_options o = asked;
  if (!o.what.empty() && o.what != "accelerators" && o.what != "models") {
    o.name = o.what + (o.name.empty() ? "" : " " + o.name);  // a name, perhaps in two words
    o.what.clear();
  }
  const bool json_sources = o.sources;
  const bool each = !o.name.empty() || o.sources;
  if (!o.json_output) o.sources = each;
  json c = catalog_of(o);
  if (c.value("status", std::string()) == "error") {
    if (o.what.empty()) {  // neither a part nor a model: name what is near of both
      o.what = "models";
      const std::string other = catalog_of(o).value("message", std::string());
      const std::size_t at = other.find("the nearest are ");
      std::string message = c["message"];
      if (at != std::string::npos && message.ends_with('.')) {
        message.pop_back();
        c["message"] = message + "; of models " + other.substr(at);
      }
    }
    return finish_with_error(c, "catalog", o.json_output);
  }
  if (o.json_output) {
    std::puts(line_of(c).c_str());
    return 0;
  }
  bool first = true;
  const auto gap = [&first] {
    if (!first) std::puts("");
    first = false;
  };
  if (each) {
    for (const json& a : c["accelerators"]) {
      gap();
      print_accelerator(a, json_sources);
    }
    for (const json& m : c["models"]) {
      gap();
      print_model(m, json_sources);
    }
    return 0;
  }
  if (!c["accelerators"].empty()) {
    gap();
    print_accelerators(c["accelerators"]);
  }
  if (!c["models"].empty()) {
    gap();
    print_models(c["models"]);
  }
  return 0;
}

}  // namespace cli
