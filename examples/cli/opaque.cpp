// SPDX-License-Identifier: Apache-2.0
// What the commands print about opaque models.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {

namespace {

double number(const json& j) {
  return j.is_number() ? j.get<double>() : std::nan("");
}
std::string sized(double bytes) {
  return std::abs(bytes) >= 1e9   ? printed("%.2f GB", bytes / 1e9)
         : std::abs(bytes) >= 1e6 ? printed("%.2f MB", bytes / 1e6)
                                  : printed("%.0f B", bytes);
}
std::string time_text(double s) {
  return s >= 1 ? printed("%.2f s", s) : s >= 1e-3 ? printed("%.2f ms", s * 1e3) : printed("%.1f us", s * 1e6);
}
std::string rate_text(double x) {
  return printed(x >= 100 ? "%.0f" : x >= 1 ? "%.1f" : "%.3f", x);
}
std::string band_text(const json& b, std::string (*text)(double)) {
  if (b["low"] == b["high"]) return text(number(b["mid"]));
  return text(number(b["mid"])) + " (" + text(number(b["low"])) + " to " + text(number(b["high"])) + ")";
}
const char* verdict_text(const json& verdict) {
  return verdict == "fits" ? "fits" : verdict == "may_fit" ? "may fit" : "does not fit";
}
std::string subject(const json& a) {
  return a["model"]["name"].get<std::string>() + " in " + a["model"]["weights"].get<std::string>();
}
std::string devices_text(const json& a, const std::string& part) {
  const long long n = a["parallel"]["devices"].get<long long>();
  return (n == 1 ? std::string("one") : std::to_string(n)) + " " + part;
}
std::string items_text(const json& n) {
  return n.is_number() ? counted(n.get<long long>(), "item") : std::string("any number of items");
}
const json& binding_rank(const json& a) {
  for (const json& r : a["ranks"])
    if (r["rank"] == a["binding"]["rank"]) return r;
  return a["ranks"][0];
}

void add_line(table& t, const char* what, const json& value, double capacity) {
  const bool band = value.is_object();
  const double mid = number(band ? value["mid"] : value);
  std::string range;
  if (band && value["low"] != value["high"])
    range = printed("%.2f .. %.2f", number(value["low"]) / 1e9, number(value["high"]) / 1e9);
  t.add({what, printed("%.2f", mid / 1e9), range,
         band && value["basis"] != "exact" ? value["basis"].get<std::string>() : "",
         narrow() ? "" : bar(mid / capacity, 30)});
}

}  // namespace

bool is_opaque(const json& a) {
  return a["model"].value("model_type", std::string()) == "opaque";
}

void print_opaque_fit(const json& a) {
  const json& r = binding_rank(a);
  std::string part = r["accelerator"];
  for (const json& other : a["ranks"])
    if (other["accelerator"] != part) part = "different parts";
  const std::string verdict = a["verdict"];
  const json& left = r["left_bytes"];
  std::string head = subject(a) + " " + verdict_text(a["verdict"]) + " " + devices_text(a, part) + " with " +
                     items_text(a["load"]["concurrency"]) + " at once: ";
  head += verdict == "does_not_fit" ? sized(-number(left["mid"])) + " are missing"
          : verdict == "may_fit"    ? "between " + sized(number(left["low"])) + " and " + sized(number(left["high"])) +
                                       " are left; zero lies inside the band"
                                 : sized(number(left["mid"])) + " are left";
  if (a["parallel"]["devices"] != 1) head += " on the fullest device";
  std::puts(coloured(wrapped(head + "."), verdict == "fits" ? "1;32" : verdict == "may_fit" ? "1;33" : "1;31").c_str());
  if (a["parallel"]["devices"] != 1) say("layout " + layout_text(a["parallel"]) + ", a replica on each");
  print_notes(a);
  std::puts("");
  const double capacity = number(r["capacity_bytes"]);
  table t({{printed("device %lld", r["rank"].get<long long>())},
           {"GB (10^9)", true},
           {"band in GB"},
           {"basis"},
           {"", false, 1}});
  const json& visible = r["visible_bytes"];
  add_line(t, "memory visible", visible["low"] == visible["high"] ? r["capacity_bytes"] : visible, capacity);
  if (r["budget_bytes"] != r["capacity_bytes"]) add_line(t, "budget", r["budget_bytes"], capacity);
  add_line(t, "- weights", r["weight_bytes"], capacity);
  add_line(t, "- runtime", r["runtime_bytes"], capacity);
  const std::string activations = "- activations of " + items_text(r["items"]);
  add_line(t, activations.c_str(), r["activation_bytes"], capacity);
  if (r["state_bytes"] != 0) add_line(t, "- state of the streams", r["state_bytes"], capacity);
  add_line(t, "= left", left, capacity);
  t.print("  ");
  const json& l = a["limits"];
  say("at most " + items_text(l["max_concurrency"]) + " at once in the middle of the band, " +
          items_text(l["sure_concurrency"]) + " at its low end" +
          (l["min_devices"].is_number() ? ", at least " + counted(l["min_devices"].get<long long>(), "device") +
                                              " like the first for what is asked"
                                        : std::string()),
      "  ", "    ");
  if (!a["remedies"].empty()) {
    std::puts("\nWhat would change it:");
    table m({{"", true}, {"", false, 0, true}, {"then"}, {"gained", true}});
    int i = 0;
    for (const json& remedy : a["remedies"])
      m.add({std::to_string(++i) + ".",
             remedy["change"].get<std::string>() + (remedy["unverified"].empty() ? "" : " ?"),
             verdict_text(remedy["verdict_then"]), "+" + sized(number(remedy["gain_bytes"]))});
    m.print("  ");
  }
  print_assumed(a);
}

void print_opaque_perf(const json& a) {
  const std::string on = subject(a) + " on " + devices_text(a, a["accelerator"].get<std::string>());
  if (a["pass_s"].is_null()) {
    std::puts(
        coloured(wrapped(on + ": no service, not one item fits. Ask `ullage fit` for what would change it."), "1;31")
            .c_str());
    print_notes(a);
    print_assumed(a);
    return;
  }
  std::puts(coloured(wrapped(on + ": " + band_text(a["items_per_s"], rate_text) + " items/s with " +
                             items_text(a["load"]["concurrency"]) + " at once, bound by " +
                             a["bound"].get<std::string>() + "."),
                     "1")
                .c_str());
  if (a["verdict"] != "fits")
    std::puts(
        coloured(wrapped(a["verdict"] == "may_fit" ? "It may not fit: the memory left lies around zero."
                                                   : "It does not fit: these are times without regard to memory."),
                 "1;31")
            .c_str());
  print_notes(a);
  std::puts("");
  table t({{""}, {"", false, 0, true}});
  t.add({"an item is", a["model"]["item"].get<std::string>()});
  t.add({"one pass over " + items_text(a["items_per_replica"]), band_text(a["pass_s"], time_text)});
  t.add({"items/s a device", band_text(a["items_per_device_per_s"], rate_text)});
  t.add({"held at once", "at most " + items_text(a["max_concurrency"]) + " on all devices"});
  const json& b = a["breakdown"];
  const double whole = number(b["compute_s"]) + number(b["memory_s"]) + number(b["overhead_s"]);
  for (const char* share : {"compute", "memory", "overhead"}) {
    const double s = number(b[std::string(share) + "_s"]);
    t.add({std::string("  ") + share, printed("%-10s %5.1f %%", time_text(s).c_str(), 100 * s / whole) +
                                          (narrow() ? "" : "  " + bar(s / whole, 30))});
  }
  t.print("  ");
  if (b["fell_back"].get<bool>())
    say("The part lacks products in " + a["model"]["weights"].get<std::string>() + ": they run in " +
            b["computes_as"].get<std::string>() + ".",
        "  ", "    ");
  print_assumed(a);
}

void print_opaque_choices(const json& a, bool all, std::size_t most) {
  table t({{"n", true},
           {"accelerator"},
           {"memory", false, 3},
           {"left GB", true, 2},
           {"W", true, 4},
           {"items each", true, 1},
           {"pass ms", true},
           {"items/s", true},
           {"bound", false, 5}});
  const auto middle = [](const json& band, double unit, const char* format) {
    return band.is_object() ? printed(format, number(band["mid"]) * unit) : std::string("-");
  };
  std::size_t shown = 0;
  for (const json& c : a["chosen"]) {
    if (shown++ == most && !all) break;
    t.add({std::to_string(c["devices"].get<long long>()),
           c["accelerator"].get<std::string>() + (c["unverified"].empty() ? "" : " ?"), verdict_text(c["verdict"]),
           printed("%.1f", number(c["left_bytes"]) / 1e9),
           c["power_w"].is_number() ? printed("%.0f", number(c["power_w"])) : "-",
           grouped(c["items_per_replica"].get<long long>()), middle(c["pass_s"], 1e3, "%.2f"),
           c["items_per_s"].is_object() ? rate_text(number(c["items_per_s"]["mid"])) : "-",
           c["bound"].is_string() ? c["bound"].get<std::string>() : "-"});
  }
  t.print("  ");
}

void print_opaque_model(const json& a) {
  const json& m = a["model"];
  say(coloured(m["name"].get<std::string>(), "1") + " (opaque): " + grouped(a["parameters"]["total"].get<long long>()) +
      " parameters; an item is: " + m["item"].get<std::string>() + ".");
  print_notes(a);
  std::puts("");
  table t({{"one item"}, {""}, {"band"}, {"basis"}});
  const auto row = [&](const char* what, const json& b) {
    if (b.is_object())
      t.add({what, sized(number(b["mid"])),
             b["low"] == b["high"] ? "" : sized(number(b["low"])) + " to " + sized(number(b["high"])), b["basis"]});
    else
      t.add({what, "not said", "", ""});
  };
  t.add({"FLOP, two a multiply-add",
         a["flop_per_item"].is_number() ? printed("%.4g", number(a["flop_per_item"])) : "not said", "", a["basis"]});
  row("moved beside the weights", a["moved_bytes_per_item"]);
  row("activations at once", a["activation_bytes_per_item"]);
  if (a["state_bytes_per_stream"] != 0)
    t.add({"state of a stream", sized(number(a["state_bytes_per_stream"])), "", a["basis"]});
  t.add({"kernels of a pass", grouped(a["kernels"].get<long long>()), "", ""});
  t.print("  ");
  std::string formats;
  for (const auto& [name, n] : a["stored_bytes_by_format"].items())
    formats += (formats.empty() ? "" : ", ") + name + " " + sized(number(n));
  say("Stored as " + m["weights"].get<std::string>() + ": " + sized(number(a["stored_weight_bytes"])) +
          ". By format: " + formats + ".",
      "  ", "    ");
  if (a["source"].is_string()) say("Source: " + a["source"].get<std::string>() + ".", "  ", "    ");
  print_assumed(a);
}

}  // namespace cli
