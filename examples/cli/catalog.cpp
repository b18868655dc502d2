// SPDX-License-Identifier: Apache-2.0
// ullage catalog: what is built in.
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string scaled(const json& v, double unit, const char* format) {
  return v.is_number() ? printed(format, v.get<double>() / unit) : std::string("-");
}

}  // namespace

int run_catalog(const catalog_options& o) {
  const json c = catalog_of(o);
  if (c.value("status", std::string()) == "error") return finish_with_error(c, o.json_output);
  if (o.json_output) {
    std::puts(line_of(c).c_str());
    return 0;
  }
  if (!c["accelerators"].empty()) {
    std::printf("%-16s %-18s %10s %10s %8s %14s %14s %7s  %s\n", "id", "name", "label GB", "seen GiB", "TB/s",
                "bf16 TFLOP/s", "fp8 TFLOP/s", "W", "links, one way");
    for (const json& a : c["accelerators"]) {
      const json& peaks = a["dense_flops_per_s"];
      std::printf("%-16s %-18s %10s %10s %8s %14s %14s %7s  %s\n", a["id"].get<std::string>().c_str(),
                  a["name"].get<std::string>().c_str(), scaled(a["memory_sold_bytes"], 1e9, "%.0f").c_str(),
                  scaled(a["memory_driver_bytes"], 1073741824.0, "%.1f").c_str(),
                  scaled(a["bandwidth_bytes_per_s"], 1e12, "%.2f").c_str(), scaled(peaks["bf16"], 1e12, "%.0f").c_str(),
                  scaled(peaks["fp8"], 1e12, "%.0f").c_str(), scaled(a["power_w"], 1, "%.0f").c_str(),
                  (a["scale_up"]["name"].get<std::string>() + " " +
                   scaled(a["scale_up"]["per_device_bytes_per_s"], 1e9, "%.0f GB/s"))
                      .c_str());
      if (a.contains("figures"))
        for (const json& f : a["figures"])
          std::printf("    %-22s %s %s [%s, %s] %s\n", f["figure"].get<std::string>().c_str(),
                      f["value"].get<std::string>().c_str(), f["unit"].get<std::string>().c_str(),
                      f["confidence"].get<std::string>().c_str(), f["date"].get<std::string>().c_str(),
                      f["source"].get<std::string>().c_str());
    }
    std::puts(
        "Peaks are dense; GB = 10^9 bytes as sold, GiB = 2^30 bytes as the driver reports them; - = not known, or no "
        "such units.");
  }
  if (!c["models"].empty()) {
    std::printf("%s%-20s %-12s %18s %18s %10s %12s %12s\n", c["accelerators"].empty() ? "" : "\n", "model", "type",
                "parameters", "active", "stored as", "stored GB", "KV B/token");
    for (const json& m : c["models"])
      std::printf("%-20s %-12s %18s %18s %10s %12s %12s\n", m["name"].get<std::string>().c_str(),
                  m["model_type"].get<std::string>().c_str(),
                  grouped(m["parameters"]["total"].get<long long>()).c_str(),
                  grouped(m["parameters"]["active"].get<long long>()).c_str(), m["weights"].get<std::string>().c_str(),
                  scaled(m["stored_weight_bytes"], 1e9, "%.1f").c_str(),
                  grouped(m["kv_bytes_per_token"].get<long long>()).c_str());
  }
  return 0;
}

}  // namespace cli
