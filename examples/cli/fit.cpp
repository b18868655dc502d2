// SPDX-License-Identifier: Apache-2.0
// ullage fit: does it fit, what is left, what to change.
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {

namespace {

double number(const json& j) {
  return j.is_number() ? j.get<double>() : std::nan("");
}
double middle(const json& band) {
  return number(band["mid"]);
}

const char* verdict_text(const std::string& verdict) {
  return verdict == "fits" ? "fits" : verdict == "may_fit" ? "may fit" : "does not fit";
}

const json& binding_rank(const json& a) {
  for (const json& r : a["ranks"])
    if (r["rank"] == a["binding"]["rank"]) return r;
  return a["ranks"][0];
}

std::string devices_text(const json& a) {
  const long long n = a["parallel"]["devices"].get<long long>();
  std::string part = binding_rank(a)["accelerator"].get<std::string>();
  for (const json& r : a["ranks"])
    if (r["accelerator"] != part) part = "different parts";
  return (n == 1 ? std::string("one") : std::to_string(n)) + " " + part;
}

std::string engine_text(const json& a) {
  const json& e = a["engine"];
  if (e["name"] == "plain") return "the plain engine";
  return "vLLM " + e["version"].get<std::string>() +
         printed(" (gpu_memory_utilization %.2f)", number(e["gpu_memory_utilization"]));
}

double capacity_of(const json& rank) { return number(rank["capacity_bytes"]); }

std::string term_text(const std::string& term) {
  if (term == "kv_cache") return "the KV cache of the load";
  if (term == "max_model_len") return "one sequence of max_model_len";
  if (term == "activation") return "the activation peak";
  if (term == "graphs") return "CUDA graphs";
  return term;
}

std::string headline(const json& a) {
  const std::string verdict = a["verdict"];
  const json& r = binding_rank(a);
  const double budget = number(r["budget_bytes"]);
  const double weights = number(r["weight_bytes"]);
  const json& left = r["left_bytes"];
  std::string s = a["model"]["name"].get<std::string>() + " in " + a["model"]["weights"].get<std::string>() + " " +
                  verdict_text(verdict) + " " + devices_text(a) + " under " + engine_text(a) + ": ";
  const std::string each = a["parallel"]["devices"] == 1 ? "" : " on the fullest device";
  const json& spare = r["spare_bytes"];
  if (verdict != "fits" && middle(spare) < middle(left) && number(spare["low"]) < 0)
    return s + "the engine would take " + gigabytes(capacity_of(r) - middle(spare)) + each + " and " + gigabytes(capacity_of(r)) +
           " are visible (" + gigabytes(number(spare["low"])) + " to " + gigabytes(number(spare["high"])) + " spare).";
  if (verdict == "does_not_fit" && weights > budget)
    return s + "weights alone are " + gigabytes(weights) + each + ", " + gigabytes(weights - budget) +
           " over the budget of " + gigabytes(budget) + ".";
  const std::string needed =
      r["kv_needed_for"] == "max_model_len"
          ? printed("one sequence of %s tokens", grouped(a["engine"]["max_model_len"].get<long long>()).c_str())
      : a["load"].is_object() ? printed("%s x %s tokens", grouped(a["load"]["concurrency"].get<long long>()).c_str(),
                                        grouped(a["load"]["context"].get<long long>()).c_str())
                              : std::string("the start");
  if (verdict == "does_not_fit")
    return s +
           (middle(r["kv_available_bytes"]) < 0
                ? term_text(a["binding"]["term"]) + " passes the budget of " + gigabytes(budget)
                : needed + " need " + gigabytes(number(r["kv_needed_bytes"])) + " of KV cache and " +
                      gigabytes(middle(r["kv_available_bytes"])) + " are available") +
           each + ", " + gigabytes(-middle(left)) + " are missing.";
  if (verdict == "may_fit")
    return s + "after " + needed + " between " + gigabytes(number(left["low"])) + " and " +
           gigabytes(number(left["high"])) + " are left" + each + "; zero lies inside the band.";
  return s + "after " + needed + " " + gigabytes(middle(left)) + " are left" + each +
         (left["low"] == left["high"]
              ? std::string(".")
              : " (" + gigabytes(number(left["low"])) + " to " + gigabytes(number(left["high"])) + ").");
}

void line(const char* what, const json& value, double capacity, bool with_bar) {
  const bool band = value.is_object();
  const double mid = band ? middle(value) : number(value);
  std::string text = printed("  %-26s %9.2f %10.2f", what, mid / 1e9, mid / 1073741824.0);
  std::string range;
  if (band && value["low"] != value["high"])
    range = printed("%.2f .. %.2f %s", number(value["low"]) / 1e9, number(value["high"]) / 1e9,
                    value["basis"].get<std::string>().c_str());
  else if (band && value["basis"] != "exact")
    range = value["basis"].get<std::string>();
  text += printed("  %-28s", range.c_str());
  if (with_bar) text += " " + bar(mid / capacity, 30);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::puts(text.c_str());
}

void print_fit(const json& a) {
  const std::string verdict = a["verdict"];
  std::puts(coloured(headline(a), verdict == "fits" ? "1;32" : verdict == "may_fit" ? "1;33" : "1;31").c_str());
  const json& r = binding_rank(a);
  const double capacity = number(r["capacity_bytes"]);
  std::printf("\n  %-26s %9s %10s  %s\n", printed("device %lld", r["rank"].get<long long>()).c_str(), "GB (10^9)",
              "GiB (2^30)", "band in GB, basis");
  line("memory visible", r["capacity_bytes"], capacity, true);
  line("budget of the engine", r["budget_bytes"], capacity, true);
  line("- weights", r["weight_bytes"], capacity, true);
  line("- runtime", r["runtime_bytes"], capacity, true);
  line("- activation peak", r["activation_bytes"], capacity, true);
  if (number(r["graph_bytes"]["high"]) > 0)
    line(r["graphs_in_budget"].get<bool>() ? "- CUDA graphs" : "  CUDA graphs (outside)", r["graph_bytes"], capacity,
         true);
  line("= KV cache available", r["kv_available_bytes"], capacity, true);
  line("- KV cache needed", r["kv_needed_bytes"], capacity, true);
  line("= left", r["left_bytes"], capacity, true);
  if (number(r["spare_bytes"]["low"]) < 0) line("  visible memory to spare", r["spare_bytes"], capacity, false);

  const json& kv = a["kv"];
  std::printf(
      "\n  KV cache on that device, one sequence of %s tokens: logical %s, charged %s in blocks of %s tokens (%s B a "
      "token)\n",
      grouped(kv["context"].get<long long>()).c_str(), gigabytes(number(kv["logical_bytes_per_sequence"])).c_str(),
      gigabytes(number(kv["charged_bytes_per_sequence"])).c_str(), grouped(kv["block_tokens"].get<long long>()).c_str(),
      kv["bytes_per_token"].is_number() ? grouped(kv["bytes_per_token"].get<long long>()).c_str() : "not linear");
  if (a["engine"]["name"] == "vllm" && kv["reported_tokens"].is_number())
    std::printf("  the engine would report %s tokens in %s blocks, %.2fx concurrency for %s tokens\n",
                grouped(kv["reported_tokens"].get<long long>()).c_str(),
                grouped(kv["blocks"].is_number() ? kv["blocks"].get<long long>() : 0).c_str(),
                number(kv["max_concurrency"]), grouped(a["engine"]["max_model_len"].get<long long>()).c_str());
  if (a.contains("limits")) {
    const json& l = a["limits"];
    std::string text;
    if (l["max_context_at_concurrency"].is_number())
      text += "longest context " + grouped(l["max_context_at_concurrency"].get<long long>()) +
              " tokens at this concurrency";
    if (l["max_concurrency_at_context"].is_number())
      text += ", " + grouped(l["max_concurrency_at_context"].get<long long>()) + " sequences at this context";
    if (l["min_devices"].is_number())
      text += ", at least " + grouped(l["min_devices"].get<long long>()) + " of these devices";
    std::printf("  limits (middle of the band): %s\n", text.c_str());
  }
  if (a.contains("remedies") && !a["remedies"].empty()) {
    std::puts("\nWhat would change it (verdict then, bytes gained, tokens the cache would then hold):");
    int i = 0;
    for (const json& m : a["remedies"]) {
      const std::string then = m["verdict_then"];
      const double gain = number(m["gain_bytes"]);
      std::printf("  %d. %-66s %s, %s%s, %s tokens%s\n", ++i, m["change"].get<std::string>().c_str(), verdict_text(then),
                  gain < 0 ? "" : "+", gigabytes(gain).c_str(), grouped(m["reported_tokens_then"].get<long long>()).c_str(),
                  m["flag"].is_string() ? ("   " + m["flag"].get<std::string>()).c_str() : "");
    }
  }
  if (a["plain_engine"].is_object()) {
    const std::string v = a["plain_engine"]["verdict"];
    std::printf("\nPlain arithmetic (all visible memory, no blocks, no graphs%s): %s, %s left.\n",
                a["load"].is_object() ? "" : ", no conversation yet", verdict_text(v),
                gigabytes(middle(a["plain_engine"]["left_bytes"])).c_str());
  }
  if (!a["assumed"].empty()) std::puts("\nAssumed:");
  for (const json& s : a["assumed"])
    std::printf("  %s = %s: %s\n", s["field"].get<std::string>().c_str(),
                (s["value"].is_string() ? s["value"].get<std::string>() : s["value"].dump()).c_str(),
                s["why"].get<std::string>().c_str());
}

}  // namespace

int run_fit(const fit_options& o) {
  const json a = answer_of(request_of(o.plan, "fit"));
  if (a.value("status", std::string()) == "error") return finish_with_error(a, o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
  } else {
    print_fit(a);
  }
  if (a["verdict"] == "may_fit") std::fprintf(stderr, "ullage: may fit: zero lies inside the band of what is left\n");
  return exit_code_of(a, o.strict);
}

}  // namespace cli
