// SPDX-License-Identifier: Apache-2.0
// ullage select: which accelerators carry a model and its traffic.
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {
// What a screen holds; the catalogue has ten times as many.
constexpr std::size_t most_chosen = 20;
constexpr std::size_t most_rejected = 12;
}  // namespace

int run_select(const select_options& o) {
  json request = request_of(o.plan, "select");
  json limits = json::object();
  const auto set = [&](const char* key, const auto& value) {
    if (value) limits[key] = *value;
  };
  set("max_devices", o.max_devices);
  set("max_memory_bytes", o.max_memory_bytes);
  set("max_power_w", o.max_power_w);
  set("max_ttft_s", o.max_ttft_s);
  set("max_tpot_s", o.max_tpot_s);
  set("max_latency_s", o.max_latency_s);
  set("min_items_per_s", o.min_items_per_s);
  if (!limits.empty()) request["constraints"] = std::move(limits);
  if (!o.objective.empty()) request["objective"] = o.objective;
  if (!o.offers.empty()) request["offers"] = o.offers;
  const json a = answer_of(request);
  if (a.value("status", std::string()) == "error") return finish_with_error(a, "select", o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
    return exit_code_of(a, false);
  }
  const auto middle = [](const json& band, double unit, const char* format) {
    return band.is_object() && band["mid"].is_number() ? printed(format, band["mid"].get<double>() * unit)
                                                       : std::string(band.is_object() ? "-" : "");
  };
  const std::string model = a["model"]["name"].get<std::string>() + " in " + a["model"]["weights"].get<std::string>();
  if (a["chosen"].empty()) {
    say("No accelerator carries " + model + " inside the limits.");
    print_notes(a);
  } else {
    const json& best = a["chosen"][0];
    const std::size_t n = a["chosen"].size();
    say(model + ": " + std::to_string(best["devices"].get<long long>()) + " x " +
        best["accelerator"].get<std::string>() + (best["unverified"].empty() ? "" : " (?)") +
        (best["replicas"] == 1 ? "" : " in " + std::to_string(best["replicas"].get<long long>()) + " replicas") +
        (n == 1 ? ", the only one inside the limits."
                : ", the first of " + std::to_string(n) + " under the objective \"" +
                      a["objective"].get<std::string>() + "\"."));
    print_notes(a);
    std::puts("");
    bool doubtful = false;
    bool copied = false;  // some choice has replicas
    for (const json& c : a["chosen"]) {
      doubtful = doubtful || (is_opaque(a) && !c["unverified"].empty());
      copied = copied || c["replicas"] != 1;
    }
    if (is_opaque(a)) print_opaque_choices(a, o.all, most_chosen);
    table t({{"n", true},
             {"accelerator"},
             {"replicas", true, 1},
             {"tp", true, 1},
             {"memory", false, 3},
             {"left GB", true, 2},
             {"W", true, 4},
             {"TTFT ms", true},
             {"TPOT ms", true},
             {"out tokens/s", true}});
    std::size_t shown = 0;
    for (const json& c : a["chosen"]) {
      if (is_opaque(a) || (shown++ == most_chosen && !o.all)) break;
      doubtful = doubtful || !c["unverified"].empty();
      t.add({std::to_string(c["devices"].get<long long>()),
             c["accelerator"].get<std::string>() + (c["unverified"].empty() ? "" : " ?"),
             copied ? std::to_string(c["replicas"].get<long long>()) : std::string(),
             std::to_string(c["parallel"]["tp"].get<long long>()), c["verdict"] == "fits" ? "fits" : "may fit",
             c["left_bytes"].is_number() ? printed("%.1f", c["left_bytes"].get<double>() / 1e9) : "-",
             c["power_w"].is_number() ? printed("%.0f", c["power_w"].get<double>()) : "-",
             middle(c["ttft_s"], 1e3, "%.0f"), middle(c["tpot_s"], 1e3, "%.1f"),
             middle(c["output_tokens_per_s"], 1, "%.0f")});
    }
    if (!is_opaque(a)) t.print("  ");
    if (n > most_chosen && !o.all) say(printed("and %zu more; --all shows them.", n - most_chosen), "  ");
    if (doubtful) say("? = rests on figures that no document at hand confirms; --json names them.", "  ", "    ");
  }
  if (!a["rejected"].empty()) {
    std::puts("\nRejected:");
    table t({{""}, {"", false, 0, true}});
    const std::size_t rejected = a["rejected"].size();
    for (std::size_t i = 0; i < rejected && (o.all || i < most_rejected); ++i) {
      const json& r = a["rejected"][i];
      t.add({r["accelerator"].get<std::string>() + (r["unverified"].empty() ? "" : " ?"), r["why"].get<std::string>()});
    }
    t.print("  ");
    if (rejected > most_rejected && !o.all)
      say(printed("and %zu more; --all shows them.", rejected - most_rejected), "  ");
  }
  print_assumed(a);
  return exit_code_of(a, false);
}

}  // namespace cli
