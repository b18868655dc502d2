// SPDX-License-Identifier: Apache-2.0
// ullage select: which accelerators carry a model and its traffic.
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {

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
  if (!limits.empty()) request["constraints"] = std::move(limits);
  if (!o.objective.empty()) request["objective"] = o.objective;
  if (!o.offers.empty()) request["offers"] = o.offers;
  const json a = answer_of(request);
  if (a.value("status", std::string()) == "error") return finish_with_error(a, o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
    return exit_code_of(a, false);
  }
  const auto middle = [](const json& band, double unit, const char* format) {
    return band.is_object() && band["mid"].is_number() ? printed(format, band["mid"].get<double>() * unit)
                                                       : std::string("-");
  };
  const std::string model = a["model"]["name"].get<std::string>() + " in " + a["model"]["weights"].get<std::string>();
  if (a["chosen"].empty()) {
    std::printf("No accelerator carries %s inside the limits.\n", model.c_str());
  } else {
    const json& best = a["chosen"][0];
    std::printf("%s: %lld x %s, the first of %zu under the objective \"%s\".\n\n", model.c_str(),
                best["devices"].get<long long>(), best["accelerator"].get<std::string>().c_str(), a["chosen"].size(),
                a["objective"].get<std::string>().c_str());
    std::printf("  %-4s %-18s %4s %-8s %10s %8s %10s %10s %14s\n", "n", "accelerator", "tp", "memory", "left GB", "W",
                "TTFT ms", "TPOT ms", "out tokens/s");
    for (const json& c : a["chosen"])
      std::printf("  %-4lld %-18s %4lld %-8s %10s %8s %10s %10s %14s\n", c["devices"].get<long long>(),
                  c["accelerator"].get<std::string>().c_str(), c["parallel"]["tp"].get<long long>(),
                  c["verdict"] == "fits" ? "fits" : "may fit",
                  c["left_bytes"].is_number() ? printed("%.1f", c["left_bytes"].get<double>() / 1e9).c_str() : "-",
                  c["power_w"].is_number() ? printed("%.0f", c["power_w"].get<double>()).c_str() : "-",
                  middle(c["ttft_s"], 1e3, "%.0f").c_str(), middle(c["tpot_s"], 1e3, "%.1f").c_str(),
                  middle(c["output_tokens_per_s"], 1, "%.0f").c_str());
  }
  if (!a["rejected"].empty()) std::puts("\nRejected:");
  for (const json& r : a["rejected"])
    std::printf("  %-18s %s\n", r["accelerator"].get<std::string>().c_str(), r["why"].get<std::string>().c_str());
  if (!a["assumed"].empty()) std::puts("\nAssumed:");
  for (const json& s : a["assumed"])
    std::printf("  %s = %s: %s\n", s["field"].get<std::string>().c_str(),
                (s["value"].is_string() ? s["value"].get<std::string>() : s["value"].dump()).c_str(),
                s["why"].get<std::string>().c_str());
  return exit_code_of(a, false);
}

}  // namespace cli
