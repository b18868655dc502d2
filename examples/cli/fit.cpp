// SPDX-License-Identifier: Apache-2.0
// ullage fit: does it fit, what is left, what to change.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

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
  return "vLLM " + e["version"].get<std::string>() + " (gpu_memory_utilization " +
         shortest(number(e["gpu_memory_utilization"])) + ")";
}

double capacity_of(const json& rank) {
  return number(rank["capacity_bytes"]);
}

std::string term_text(const std::string& term) {
  if (term == "kv_cache") return "the KV cache of the load";
  if (term == "max_num_seqs") return "a block for each of max_num_seqs states";
  if (term == "max_model_len") return "one sequence of max_model_len";
  if (term == "draft") return "the draft model";
  if (term == "adapters") return "the slots for adapters";
  if (term == "activation") return "the activation peak";
  if (term == "graphs") return "CUDA graphs";
  return term;
}

bool is_mix(const json& a) {
  return a["load"].is_object() && a["load"]["context"].is_null();
}

/// "tp 4, pp 2"; nothing on one device.
std::string split_text(const json& parallel) {
  std::string text;
  for (const char* key : {"tp", "pp", "dp", "ep", "dcp"})
    if (parallel[key] != 1) text += (text.empty() ? "" : ", ") + std::string(key) + " " + parallel[key].dump();
  return text;
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
  const long long replicas = a["parallel"]["dp"].get<long long>();
  const json& spare = r["spare_bytes"];
  if (verdict != "fits" && middle(spare) < middle(left) && number(spare["low"]) < 0)
    return s + "the engine would take " + gigabytes(capacity_of(r) - middle(spare)) + each + " and " +
           gigabytes(capacity_of(r)) + " are visible (" + gigabytes(number(spare["low"])) + " to " +
           gigabytes(number(spare["high"])) + " spare).";
  if (verdict == "does_not_fit" && weights > budget)
    return s + "weights alone are " + gigabytes(weights) + each + ", " + gigabytes(weights - budget) +
           " over the budget of " + gigabytes(budget) + ".";
  const auto one_of = [](const json& tokens) { return "one sequence of " + counted(tokens.get<long long>(), "token"); };
  std::string needed = "the start";
  bool several = false;
  if (r["kv_needed_for"] == "max_num_seqs") {
    needed = "a block for the state of each of " + counted(a["engine"]["max_num_seqs"].get<long long>(), "sequence");
  } else if (r["kv_needed_for"] == "max_model_len") {
    needed = one_of(a["engine"]["max_model_len"]);
  } else if (a["load"].is_object()) {
    const long long here = (a["load"]["concurrency"].get<long long>() + replicas - 1) / replicas;
    several = here > 1;
    needed = is_mix(a) ? (several ? grouped(here) + " sequences" : std::string("one sequence")) + " of this mix"
             : several ? grouped(here) + " x " + counted(a["load"]["context"].get<long long>(), "token")
                       : one_of(a["load"]["context"]);
    if (replicas > 1) needed += " a replica";
  }
  if (verdict == "does_not_fit")
    return s +
           (middle(r["kv_available_bytes"]) < 0
                ? term_text(a["binding"]["term"]) + " passes the budget of " + gigabytes(budget)
                : needed + (several ? " need " : " needs ") + gigabytes(number(r["kv_needed_bytes"])) +
                      " of KV cache and " + gigabytes(middle(r["kv_available_bytes"])) + " are available") +
           each + ", " + gigabytes(-middle(left)) + " are missing.";
  if (verdict == "may_fit")
    return s + "after " + needed + " between " + gigabytes(number(left["low"])) + " and " +
           gigabytes(number(left["high"])) + " are left" + each + "; zero lies inside the band.";
  return s + "after " + needed + " " + gigabytes(middle(left)) + " are left" + each +
         (left["low"] == left["high"]
              ? std::string(".")
              : " (" + gigabytes(number(left["low"])) + " to " + gigabytes(number(left["high"])) + ").");
}

void add_line(table& t, const char* what, const json& value, double capacity, bool with_bar = true) {
  const bool band = value.is_object();
  const double mid = band ? middle(value) : number(value);
  std::string range;
  std::string from;
  if (band && value["low"] != value["high"])
    range = printed("%.2f .. %.2f", number(value["low"]) / 1e9, number(value["high"]) / 1e9);
  if (band && value["basis"] != "exact") from = value["basis"].get<std::string>();
  t.add({what, printed("%.2f", mid / 1e9), narrow() ? "" : printed("%.2f", mid / 1073741824.0), range, from,
         with_bar && !narrow() ? bar(mid / capacity, 30) : ""});
}

/// What the words beside the bands mean, of those that stand there.
void print_legend(const json& r) {
  std::string text;
  for (const char* key :
       {"visible_bytes", "runtime_bytes", "activation_bytes", "graph_bytes", "kv_available_bytes", "left_bytes"}) {
    const json& v = r[key];
    if (v["low"] == v["high"]) continue;
    if (text.empty()) text = "A band holds the central 80 % of what is expected.";
    const std::string from = v["basis"];
    const char* means = from == "fitted"        ? " fitted: to start-up logs of engines on such parts."
                        : from == "transferred" ? " transferred: taken from a relative of the part or model, and wider."
                        : from == "unverified"  ? " unverified: no measurement stands behind it."
                                                : "";
    if (text.find(means) == std::string::npos) text += means;
  }
  if (!text.empty()) say(text, "  ", "  ");
}

void print_memory(const json& r) {
  const double capacity = number(r["capacity_bytes"]);
  table t({{printed("device %lld", r["rank"].get<long long>())},
           {"GB (10^9)", true},
           {narrow() ? "" : "GiB (2^30)", true},
           {"band in GB"},
           {"basis"},
           {"", false, 1}});
  const json& visible = r["visible_bytes"];
  add_line(t, "memory visible", visible["low"] == visible["high"] ? r["capacity_bytes"] : visible, capacity);
  add_line(t, "budget of the engine", r["budget_bytes"], capacity);
  add_line(t, "- weights", r["weight_bytes"], capacity);
  if (number(r["draft_bytes"]) > 0) add_line(t, "- draft model", r["draft_bytes"], capacity);
  if (number(r["adapter_bytes"]) > 0) add_line(t, "- adapter slots", r["adapter_bytes"], capacity);
  add_line(t, "- runtime", r["runtime_bytes"], capacity);
  add_line(t, "- activation peak", r["activation_bytes"], capacity);
  if (number(r["graph_bytes"]["high"]) > 0)
    add_line(t, r["graphs_in_budget"].get<bool>() ? "- CUDA graphs" : "  CUDA graphs (outside)", r["graph_bytes"],
             capacity);
  add_line(t, "= KV cache available", r["kv_available_bytes"], capacity);
  add_line(t, "- KV cache needed", r["kv_needed_bytes"], capacity);
  add_line(t, "= left", r["left_bytes"], capacity);
  if (number(r["spare_bytes"]["low"]) < 0) add_line(t, "  visible memory to spare", r["spare_bytes"], capacity, false);
  t.print("  ");
  print_legend(r);
}

/// A load of unequal sequences, and how many of them there is room for.
void print_mix(const json& a, bool replicas) {
  const json& load = a["load"];
  std::string text = "mean " + counted(std::llround(number(load["mean_context"])), "token") +
                     ", 95 % of the sequences within " + grouped(load["p95_context"].get<long long>());
  if (number(load["cut_share"]) > 5e-7)
    text += printed(", %.3g %% cut at max_model_len", 100 * number(load["cut_share"]));
  say(text, "  mix of lengths: ", "    ");
  const json& mix = a["limits"]["mix"];
  if (mix.is_object())
    say("at 95 %: " + counted(mix["max_concurrency_p95"].get<long long>(), "sequence") + " of this mix; on average: " +
            grouped(mix["max_concurrency_expected"].get<long long>()) + (replicas ? "; on all replicas" : ""),
        "  limits of the mix (middle of the band): ", "    ");
}

/// Which split of the devices is best, and which part is the smallest that would do.
void print_choices(const json& a) {
  const json& best = a["limits"]["best_split"];
  const long long devices = a["parallel"]["devices"].get<long long>();
  if (best.is_object() && devices > 1) {
    bool same = true;
    for (const char* key : {"tp", "pp", "dp", "ep", "dcp"}) same = same && best["parallel"][key] == a["parallel"][key];
    const double left = number(best["left_bytes"]);
    say(split_text(best["parallel"]) + (same ? " (this one)" : "") +
            (left < 0 ? ", where " + gigabytes(-left) + " are missing"
                      : ", for " + counted(best["max_concurrency_at_context"].get<long long>(), "sequence") +
                            (is_mix(a) ? " of this mix at 95 %" : "")),
        printed("  best split of %lld devices: ", devices), "    ");
  }
  const json& part = a["limits"]["smallest_part"];
  if (!part.is_object()) return;
  const long long n = part["devices"].get<long long>();
  say((n == 1 ? std::string("one") : std::to_string(n)) + " " + part["accelerator"].get<std::string>() +
          (n == 1 ? std::string() : " (" + split_text(part["parallel"]) + ")") +
          (part["verdict"] == "fits" ? "" : std::string(", ") + verdict_text(part["verdict"])) +
          (part["unverified"].empty() ? "" : ", whose memory no document confirms"),
      "  smallest part that would do: ", "    ");
}

void print_cache(const json& a) {
  const json& kv = a["kv"];
  const bool replicas = a["parallel"]["dp"].get<long long>() > 1;
  say("KV cache on that device, one sequence of " + counted(kv["context"].get<long long>(), "token") +
          (is_mix(a) ? " (the mean)" : "") + ": logical " +
          gigabytes(number(kv["logical_bytes_per_sequence"])) + ", charged " +
          gigabytes(number(kv["charged_bytes_per_sequence"])) + " in blocks of " +
          counted(kv["block_tokens"].get<long long>(), "token") + " (" +
          (kv["bytes_per_token"].is_number() ? grouped(kv["bytes_per_token"].get<long long>()) + " B a token"
                                             : "not linear") +
          ")",
      "  ", "    ");
  if (a["engine"]["name"] == "vllm" && kv["reported_tokens"].is_number())
    say(std::string(replicas ? "each replica" : "the engine") + " would report " +
            counted(kv["reported_tokens"].get<long long>(), "token") + " in " +
            counted(kv["blocks"].is_number() ? kv["blocks"].get<long long>() : 0, "block") +
            printed(", %.2fx concurrency for ", number(kv["max_concurrency"])) +
            counted(a["engine"]["max_model_len"].get<long long>(), "token"),
        "  ", "    ");
  if (!a.contains("limits")) return;
  const json& l = a["limits"];
  std::string text;
  const auto add = [&text](const std::string& s) { text += (text.empty() ? "" : ", ") + s; };
  if (l["max_context_at_concurrency"].is_number())
    add("longest context " + counted(l["max_context_at_concurrency"].get<long long>(), "token") +
        " at this concurrency" + (is_mix(a) ? " if all were equally long" : ""));
  if (l["max_concurrency_at_context"].is_number() && !is_mix(a))
    add(counted(l["max_concurrency_at_context"].get<long long>(), "sequence") + " at this context" +
        (replicas ? " on all replicas" : ""));
  if (l["min_devices"].is_number()) {
    const json& how = l["min_devices_parallel"];
    const std::string layout = how.is_object() && l["min_devices"] != 1 ? split_text(how) : "";
    add("at least " + grouped(l["min_devices"].get<long long>()) + " of these devices" +
        (layout.empty() ? layout : " (" + layout + ")"));
  }
  if (is_mix(a)) print_mix(a, replicas);
  if (!text.empty()) say(text, "  limits (middle of the band): ", "    ");
  print_choices(a);
}

/// Remedies after which it fits or may fit; of the others the three that gain most, and that of the engine's share.
std::vector<const json*> shown_of(const json& remedies) {
  std::vector<const json*> shown;
  std::vector<const json*> others;
  for (const json& m : remedies) (m["verdict_then"] == "does_not_fit" ? others : shown).push_back(&m);
  std::stable_sort(others.begin(), others.end(), [](const json* a, const json* b) {
    return number((*a)["gain_bytes"]) > number((*b)["gain_bytes"]);
  });
  for (std::size_t i = 0; i < others.size(); ++i) {
    const json& patch = (*others[i])["patch"];
    const bool share = patch.size() == 1 && patch.contains("engine") && patch["engine"].size() == 1 &&
                       patch["engine"].contains("gpu_memory_utilization");
    if (i < 3 || share) shown.push_back(others[i]);
  }
  return shown;
}

void print_remedies(const json& a) {
  if (!a.contains("remedies") || a["remedies"].empty()) return;
  const std::vector<const json*> shown = shown_of(a["remedies"]);
  std::puts("");
  say("What would change it (sized for the low end of the band):");
  table t({{"", true}, {"", false, 0, true}, {"then"}, {"gained", true}, {"tokens in the cache", true, 1}});
  int i = 0;
  bool doubtful = false;
  for (const json* m : shown) {
    const bool doubt = !(*m)["unverified"].empty();
    doubtful = doubtful || doubt;
    const double gain = number((*m)["gain_bytes"]);
    t.add({std::to_string(++i) + ".", (*m)["change"].get<std::string>() + (doubt ? " ?" : ""), verdict_text((*m)["verdict_then"]),
           (gain < 0 ? "" : "+") + gigabytes(gain),
           (*m)["reported_tokens_then"].is_number() ? grouped((*m)["reported_tokens_then"].get<long long>()) : "-"},
          (*m)["flag"].is_string() ? (*m)["flag"].get<std::string>() : "");
  }
  t.print("  ");
  if (doubtful) say("  ?: no document confirms the memory of this part.");
  const long long rest = static_cast<long long>(a["remedies"].size() - shown.size());
  if (rest > 0) std::puts(("  and " + counted(rest, "smaller one") + " (--json)").c_str());
}

void print_fit(const json& a) {
  const std::string verdict = a["verdict"];
  std::puts(coloured(wrapped(headline(a)), verdict == "fits"      ? "1;32"
                                           : verdict == "may_fit" ? "1;33"
                                                                  : "1;31")
                .c_str());
  const std::string layout = layout_text(a["parallel"]);
  if (!layout.empty()) say("layout " + layout);
  const long long replicas = a["parallel"]["dp"].get<long long>();
  if (replicas > 1)
    say("Of one device of one replica: the terms, tokens and blocks below. Of all " + std::to_string(replicas) +
        " replicas: the concurrency asked for and the limits.");
  print_notes(a);
  std::puts("");
  print_memory(binding_rank(a));
  std::puts("");
  print_cache(a);
  print_remedies(a);
  if (a["plain_engine"].is_object()) {
    const double left = middle(a["plain_engine"]["left_bytes"]);
    std::puts("");
    say(std::string("Plain arithmetic (all visible memory, no blocks, no graphs") +
        (a["load"].is_object() ? "" : ", no conversation yet") + "): " + verdict_text(a["plain_engine"]["verdict"]) +
        ", " + gigabytes(std::abs(left)) + (left < 0 ? " are missing." : " are left."));
  }
  print_assumed(a);
}

}  // namespace

int run_fit(const fit_options& o) {
  const json a = answer_of(request_of(o.plan, "fit"));
  if (a.value("status", std::string()) == "error") return finish_with_error(a, "fit", o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
  } else if (is_opaque(a)) {
    print_opaque_fit(a);
  } else {
    print_fit(a);
  }
  if (a["verdict"] == "may_fit") std::fprintf(stderr, "ullage: may fit: zero lies inside the band of what is left\n");
  return exit_code_of(a, o.strict);
}

}  // namespace cli
