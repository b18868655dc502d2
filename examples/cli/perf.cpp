// SPDX-License-Identifier: Apache-2.0
// ullage perf and ullage step: how fast it then runs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {

double number(const json& j) {
  return j.is_number() ? j.get<double>() : std::nan("");
}

/// 12.3 ms, with the unit that reads best.
std::string time_text(double s) {
  if (!std::isfinite(s)) return "unbounded";
  if (s >= 1) return printed("%.2f s", s);
  if (s >= 1e-3) return printed("%.1f ms", s * 1e3);
  return printed("%.1f us", s * 1e6);
}
std::string band_text(const json& b, std::string (*text)(double)) {
  const std::string mid = text(number(b["mid"]));
  if (b["low"] == b["high"]) return mid;
  return mid + " (" + text(number(b["low"])) + " to " + text(number(b["high"])) + ")";
}
std::string rate_text(double x) {
  return std::isfinite(x) ? printed(x >= 100 ? "%.0f" : "%.2f", x) : std::string("unbounded");
}

std::string devices_text(const json& a) {
  const long long n = a["parallel"]["devices"].get<long long>();
  return (n == 1 ? std::string("one") : std::to_string(n)) + " " + a["accelerator"].get<std::string>();
}

void print_step(const json& s) {
  const double whole = number(s["time_s"]["mid"]);
  for (const char* item : {"linear", "attention", "experts", "collectives", "elementwise", "head", "overhead"}) {
    const json& b = s[std::string(item) + "_s"];
    const double mid = number(b["mid"]);
    if (!(mid > 0)) continue;
    std::printf("    %-12s %-12s %5.1f %%  %s\n", item, time_text(mid).c_str(), 100 * mid / whole,
                bar(mid / whole, 30).c_str());
  }
}
void print_assumed(const json& a) {
  if (!a["assumed"].empty()) std::puts("\nAssumed:");
  for (const json& s : a["assumed"])
    std::printf("  %s = %s: %s\n", s["field"].get<std::string>().c_str(),
                (s["value"].is_string() ? s["value"].get<std::string>() : s["value"].dump()).c_str(),
                s["why"].get<std::string>().c_str());
}

}  // namespace

int run_perf(const perf_options& o) {
  const json a = answer_of(request_of(o.plan, "perf"));
  if (a.value("status", std::string()) == "error") return finish_with_error(a, o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
    return exit_code_of(a, false);
  }
  const json& load = a["load"];
  const std::string verdict = a["verdict"];
  if (a["ttft_s"].is_null()) {
    std::printf("%s in %s on %s: no service, the cache does not hold one conversation of this load. Ask `ullage fit` for what would change it.\n",
                a["model"]["name"].get<std::string>().c_str(), a["model"]["weights"].get<std::string>().c_str(), devices_text(a).c_str());
    print_assumed(a);
    return exit_code_of(a, false);
  }
  std::printf("%s in %s on %s: %s output tokens/s at %s, bound by %s.\n", a["model"]["name"].get<std::string>().c_str(),
              a["model"]["weights"].get<std::string>().c_str(), devices_text(a).c_str(),
              band_text(a["output_tokens_per_s"], rate_text).c_str(),
              load["concurrency"].is_number()
                  ? (grouped(load["concurrency"].get<long long>()) + " conversations").c_str()
                  : (rate_text(number(load["request_rate"])) + " requests/s").c_str(),
              a["bound"].get<std::string>().c_str());
  if (verdict != "fits")
    std::printf("%s\n", coloured(verdict == "may_fit" ? "It may not fit: the memory left lies around zero."
                                                      : "It does not fit: these are times without regard to memory.",
                                 "1;31")
                            .c_str());
  std::printf("\n  time to first token        %s\n", band_text(a["ttft_s"], time_text).c_str());
  std::printf("  time per output token      %s\n", band_text(a["tpot_s"], time_text).c_str());
  std::printf("  output tokens/s a device   %s\n", band_text(a["output_tokens_per_device_per_s"], rate_text).c_str());
  std::printf("  all tokens/s a device      %s\n", band_text(a["total_tokens_per_device_per_s"], rate_text).c_str());
  std::printf("  requests/s                 %s\n", band_text(a["requests_per_s"], rate_text).c_str());
  std::printf("  running at once            %.0f, limited by %s; the cache holds %s\n", number(a["running"]),
              a["limit"].get<std::string>().c_str(),
              a["kv_concurrency"].is_number() ? grouped(a["kv_concurrency"].get<long long>()).c_str() : "-");
  std::printf("\n  one decode step, %s:\n", band_text(a["breakdown"]["decode"]["time_s"], time_text).c_str());
  print_step(a["breakdown"]["decode"]);
  std::printf("  one prompt, %s:\n", band_text(a["breakdown"]["prefill"]["time_s"], time_text).c_str());
  print_step(a["breakdown"]["prefill"]);
  print_assumed(a);
  return exit_code_of(a, false);
}

int run_step(const step_options& o) {
  json request = request_of(o.plan, "step");
  request["step"] = {{"phase", o.phase}};
  if (o.batch) request["step"]["batch"] = *o.batch;
  if (o.context) request["step"]["context"] = *o.context;
  if (o.tokens) request["step"]["tokens"] = *o.tokens;
  const json a = answer_of(request);
  if (a.value("status", std::string()) == "error") return finish_with_error(a, o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
    return 0;
  }
  std::printf("%s in %s on %s: one %s step takes %s, bound by %s.\n\n", a["model"]["name"].get<std::string>().c_str(),
              a["model"]["weights"].get<std::string>().c_str(), devices_text(a).c_str(),
              a["step"]["phase"].get<std::string>().c_str(), band_text(a["time_s"], time_text).c_str(),
              a["bound"].get<std::string>().c_str());
  print_step(a["breakdown"]);
  print_assumed(a);
  return 0;
}

}  // namespace cli
