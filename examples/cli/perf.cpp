// SPDX-License-Identifier: Apache-2.0
// ullage perf and ullage step: how fast it then runs.
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"
#include "times.hpp"

namespace cli {
namespace {

void print_step(const json& s) {
  const double whole = number(s["time_s"]["mid"]);
  for (const char* item : {"linear", "attention", "experts", "collectives", "elementwise", "head", "overhead"})
    print_share(item, number(s[std::string(item) + "_s"]["mid"]), whole);
}

/// "all that are offered", for what keeps more from running.
std::string limit_text(const json& a) {
  const std::string limit = a["limit"];
  if (limit == "kv_cache") return "as many as the cache holds";
  if (limit == "max_num_seqs") return "as many as the engine takes (max_num_seqs)";
  if (limit == "saturated") return "and requests queue without end";
  return "all that is offered";
}

std::string perf_headline(const json& a) {
  const json& load = a["load"];
  const std::string tokens = band_text(a["output_tokens_per_s"], rate_text) + " output tokens/s";
  const std::string bound = "bound by " + a["bound"].get<std::string>() + ".";
  if (load["concurrency"].is_number())
    return subject(a) + ": " + tokens + " at " + counted(load["concurrency"].get<long long>(), "conversation") + ", " +
           bound;
  const std::string asked =
      printed("%g", number(load["request_rate"])) + (load["request_rate"] == 1 ? " request/s" : " requests/s");
  if (a["limit"] == "saturated")
    return subject(a) + " cannot serve " + asked + ": it saturates at " + band_text(a["requests_per_s"], rate_text) +
           " requests/s, " + tokens + ", " + bound;
  return subject(a) + ": " + tokens + " at " + asked + ", " + bound;
}

void print_perf(const json& a) {
  const std::string verdict = a["verdict"];
  const std::string layout = layout_text(a["parallel"]);
  if (a["ttft_s"].is_null()) {
    std::puts(coloured(wrapped(subject(a) +
                               ": no service, the cache does not hold one conversation of this load. Ask `ullage fit` "
                               "for what would change it."),
                       "1;31")
                  .c_str());
    if (!layout.empty()) say("layout " + layout);
    print_notes(a);
    print_assumed(a);
    return;
  }
  std::puts(coloured(wrapped(perf_headline(a)), a["limit"] == "saturated" ? "1;31" : "1").c_str());
  if (verdict != "fits")
    std::puts(coloured(wrapped(verdict == "may_fit" ? "It may not fit: the memory left lies around zero."
                                                    : "It does not fit: these are times without regard to memory."),
                       "1;31")
                  .c_str());
  if (!layout.empty()) say("layout " + layout);
  const long long replicas = a["parallel"]["dp"].get<long long>();
  if (replicas > 1)
    say("Of one of " + std::to_string(replicas) +
        " replicas: the decode step and the prompt. Of all together: tokens/s, requests/s and what runs at once.");
  print_notes(a);
  std::puts("");
  table t({{""}, {"", false, 0, true}});
  t.add({"time to first token", number(a["ttft_s"]["mid"]) > 0 ? band_text(a["ttft_s"], time_text)
                                                               : "unbounded: the queue grows without end"});
  t.add({"time per output token", band_text(a["tpot_s"], time_text)});
  t.add({"output tokens/s a device", band_text(a["output_tokens_per_device_per_s"], rate_text)});
  t.add({"all tokens/s a device", band_text(a["total_tokens_per_device_per_s"], rate_text)});
  t.add({"requests/s", band_text(a["requests_per_s"], rate_text)});
  t.add({"running at once",
         printed("%.0f", number(a["running"])) + ", " + limit_text(a) +
             (a["kv_concurrency"].is_number() ? "; the cache holds " + grouped(a["kv_concurrency"].get<long long>())
                                              : std::string())});
  t.print("  ");
  std::puts("");
  say("A token waits for one decode step and the prefills that interrupt it.", "  ", "  ");
  std::puts(("  one decode step, " + band_text(a["breakdown"]["decode"]["time_s"], time_text) + ":").c_str());
  print_step(a["breakdown"]["decode"]);
  std::puts(("  one prompt, " + band_text(a["breakdown"]["prefill"]["time_s"], time_text) + ":").c_str());
  print_step(a["breakdown"]["prefill"]);
  print_assumed(a);
}

}  // namespace

int run_perf(const perf_options& o) {
  const json a = answer_of(request_of(o.plan, "perf"));
  if (a.value("status", std::string()) == "error") return finish_with_error(a, "perf", o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
    return exit_code_of(a, false);
  }
  if (is_opaque(a))
    print_opaque_perf(a);
  else
    print_perf(a);
  return exit_code_of(a, false);
}

int run_step(const step_options& o) {
  json request = request_of(o.plan, "step");
  request["step"] = {{"phase", o.phase}};
  if (o.batch) request["step"]["batch"] = *o.batch;
  if (o.context) request["step"]["context"] = *o.context;
  if (o.tokens) request["step"]["tokens"] = *o.tokens;
  const json a = answer_of(request);
  if (a.value("status", std::string()) == "error") return finish_with_error(a, "step", o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
    return 0;
  }
  const std::string layout = layout_text(a["parallel"]);
  std::puts(coloured(wrapped(subject(a) + ": one " + a["step"]["phase"].get<std::string>() + " step takes " +
                             band_text(a["time_s"], time_text) + ", bound by " + a["bound"].get<std::string>() + "."),
                     "1")
                .c_str());
  if (!layout.empty()) say("layout " + layout);
  print_notes(a);
  std::puts("");
  print_step(a["breakdown"]);
  print_assumed(a);
  return 0;
}

}  // namespace cli
