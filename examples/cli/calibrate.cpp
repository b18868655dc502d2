// SPDX-License-Identifier: Apache-2.0
// ullage calibrate: a start-up log held against the prediction, and a calibration made of it.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {

double number(const json& j) {
  return j.is_number() ? j.get<double>() : std::nan("");
}
/// The unit of logs: 2^30 bytes, two decimals.
std::string gib(double bytes) {
  return std::isfinite(bytes) ? printed("%.2f", bytes / 1073741824.0) : std::string("-");
}
std::string value_text(const json& v, const std::string& unit) {
  const double x = number(v);
  if (!std::isfinite(x)) return "-";
  if (std::abs(x) < (unit == "bytes" ? 0.005 * 1073741824.0 : unit == "ratio" ? 0.005 : 0.5))
    return unit == "count" ? "0" : "0.00";
  if (unit == "bytes") return gib(x);
  if (unit == "ratio") return printed("%.2f", x);
  return grouped(static_cast<long long>(x));
}

const char* term_words(const std::string& term) {
  static constexpr struct {
    const char* term;
    const char* words;
  } rows[] = {{"device_memory", "memory of the device"},
              {"budget", "budget of the engine"},
              {"weights", "weights"},
              {"activation", "activation peak"},
              {"runtime", "runtime (non-torch)"},
              {"activation_and_runtime", "activation + runtime"},
              {"graphs", "CUDA graphs"},
              {"kv_available", "KV cache available"},
              {"kv_needed", "one max_model_len"},
              {"block_tokens", "tokens of a block"},
              {"kv_blocks", "blocks"},
              {"kv_tokens", "tokens in the cache"},
              {"max_concurrency", "max concurrency"},
              {"kv_blocks_of_printed_memory", "blocks"},
              {"kv_tokens_of_printed_memory", "tokens in the cache"},
              {"concurrency_of_printed_memory", "max concurrency"},
              {"longest_sequence_of_printed_memory", "longest sequence"}};
  for (const auto& r : rows)
    if (term == r.term) return r.words;
  return "";
}

void add_row(table& t, const json& row) {
  const std::string unit = row["unit"];
  const json& p = row["predicted"];
  std::string band;
  if (p["low"] != p["high"]) band = value_text(p["low"], unit) + " .. " + value_text(p["high"], unit);
  std::string off = value_text(row["difference"], unit);
  if (number(row["difference"]) > 0 && off != "-") off = "+" + off;
  const double middle = number(p["mid"]);
  const std::string share = middle != 0 && std::isfinite(number(row["difference"]))
                                ? printed("%+.1f %%", 100 * number(row["difference"]) / std::abs(middle))
                                : "";
  t.add({term_words(row["term"]), value_text(row["log"]["mid"], unit), value_text(p["mid"], unit), band, off, share,
         row["inside"].get<bool>() ? "yes" : "NO"});
}

void print_terms(const json& a) {
  table t({{"", false},
           {"log", true},
           {"predicted", true},
           {"band", true, 1},
           {"difference", true, 2},
           {"", true, 3},
           {"inside?"}});
  const auto of_kind = [&](bool bytes, bool printed_memory) {
    bool any = false;
    for (const json& row : a["terms"]) {
      const bool allocator = row["term"].get<std::string>().find("_of_printed_memory") != std::string::npos;
      if ((row["unit"] == "bytes") != bytes || allocator != printed_memory) continue;
      if (!any)
        t.group(bytes            ? "one device, GiB (2^30)"
                : printed_memory ? "from the printed KV memory"
                                 : "from the predicted one");
      any = true;
      add_row(t, row);
    }
  };
  of_kind(true, false);
  of_kind(false, true);
  of_kind(false, false);
  t.print("  ");
}

std::string headline(const json& a) {
  const long long n = a["parallel"]["devices"].get<long long>();
  std::size_t inside = 0;
  for (const json& row : a["terms"])
    if (row["inside"].get<bool>()) ++inside;
  const std::string outcome = a["log"]["outcome"];
  const char* ended =
      outcome == "started"         ? "The engine started."
      : outcome == "kv_too_small"  ? "The engine refused: one sequence of max_model_len does not fit the cache."
      : outcome == "no_kv"         ? "The engine refused: nothing is left for the cache."
      : outcome == "device_full"   ? "The engine refused: less is free on the device than it is told to take."
      : outcome == "out_of_memory" ? "The engine ran out of memory."
                                   : "How the start ended is not in the log.";
  return a["model"]["name"].get<std::string>() + " in " + a["model"]["weights"].get<std::string>() + " on " +
         (n == 1 ? std::string("one") : std::to_string(n)) + " " + a["accelerator"].get<std::string>() +
         " under vLLM " + a["engine"]["version"].get<std::string>() + ": " + std::to_string(inside) + " of " +
         counted(static_cast<long long>(a["terms"].size()), "printed figure") + " lie inside the prediction. " + ended;
}

void print_calibration(const json& a, const std::string& written) {
  const json& c = a["calibration"];
  std::string what;
  for (const auto& [key, words] : {std::pair{"kv_available_bytes", "KV memory"}, std::pair{"weight_bytes", "weights"},
                                   std::pair{"activation_bytes", "activation"}, std::pair{"runtime_bytes", "runtime"},
                                   std::pair{"graph_bytes", "graphs"}})
    if (c["given"].contains(key)) what += (what.empty() ? "" : ", ") + std::string(words);
  for (const auto& rule : c["rules"].items()) what += (what.empty() ? "" : ", ") + std::string("rule ") + rule.key();
  std::puts("");
  if (what.empty())
    say("The log prints nothing that a calibration could hold.");
  else if (written.empty())
    say("A calibration would hold " + what +
        ": --write FILE writes it, and --calibration FILE of fit, perf and select takes it.");
  else
    say("Written to " + written + ": " + what + ". Take it with --calibration " + written + ".");
}

}  // namespace

int run_calibrate(const calibrate_options& o) {
  json request = request_of(o.plan, "calibrate");
  request["log"] = {{"path", o.log}};
  const json a = answer_of(request);
  if (a.value("status", std::string()) == "error") return finish_with_error(a, "calibrate", o.json_output);
  const json& c = a["calibration"];
  if (!o.write.empty()) {
    if (c["given"].empty() && c["rules"].empty()) {
      std::fprintf(stderr, "%s\n",
                   sentence_of("log prints nothing that a calibration could hold; nothing was written.", "log",
                               "bad_value", "calibrate")
                       .c_str());
      return 2;
    }
    std::ofstream out(o.write, std::ios::binary | std::ios::trunc);
    out << c.dump(2, ' ', true, json::error_handler_t::replace) << '\n';
    out.close();
    if (!out) {
      std::fprintf(stderr,
                   "ullage: %s cannot be written; expected a place for a file. The flag is --write. (bad_file)\n",
                   o.write.c_str());
      return 4;
    }
  }
  if (o.json_output) {
    std::puts(line_of(a).c_str());
  } else {
    const bool inside = a["inside"].get<bool>();
    std::puts(coloured(wrapped(headline(a)), inside ? "1;32" : "1;33").c_str());
    const std::string layout = layout_text(a["parallel"]);
    if (!layout.empty())
      say("layout " + layout +
          (a["log"]["rank"].is_string() ? ", as " + a["log"]["rank"].get<std::string>() + " prints it"
                                        : std::string()));
    for (const json& s : a["assumed"])
      if (s["field"] == "log") say("Note: " + s["value"].get<std::string>() + ", " + s["why"].get<std::string>() + ".");
    if (!a["terms"].empty()) {
      std::puts("");
      print_terms(a);
    }
    if (!a["explanations"].empty()) {
      std::puts("\nWhat differs, and what may explain it:");
      for (const json& x : a["explanations"]) {
        const char* words = term_words(x["term"]);
        say(std::string(*words == '\0' ? "cache" : words) + ": " + x["why"].get<std::string>(), "  ", "      ");
      }
    }
    print_calibration(a, o.write);
    print_assumed(a);
  }
  return o.strict && !a["inside"].get<bool>() ? 1 : 0;
}

}  // namespace cli
