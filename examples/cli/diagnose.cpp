// SPDX-License-Identifier: Apache-2.0
// ullage op and ullage diagnose: the time of one operation, and what a measured time means.
#include <fstream>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"
#include "times.hpp"
#include "values.hpp"

namespace cli {
namespace {

json refused(const char* code, const char* field, const std::string& message) {
  return {{"id", nullptr}, {"schema", 1}, {"status", "error"}, {"code", code}, {"field", field}, {"message", message}};
}

/// A word of --observed, and the key of the request that it is.
struct observed_word {
  std::string_view word;
  const char* key;
  enum : std::uint8_t { time, rate, whole } is;
};
constexpr observed_word observed_words[] = {
    {"tpot", "tpot_s", observed_word::time},         {"ttft", "ttft_s", observed_word::time},
    {"time", "time_s", observed_word::time},         {"throughput", "output_tokens_per_s", observed_word::rate},
    {"batch", "batch", observed_word::whole},        {"context", "context", observed_word::whole},
    {"input", "input_tokens", observed_word::whole}, {"output", "output_tokens", observed_word::whole}};

/// "tpot=31ms,batch=8" → an object; `problem` is an error object where the text is none.
json observed_of(const std::string& text, json& problem) {
  json observed = json::object();
  std::string words;
  for (const observed_word& w : observed_words) words += (words.empty() ? "" : ", ") + std::string(w.word);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string piece = text.substr(at, end - at);
    piece.erase(0, std::min(piece.find_first_not_of(' '), piece.size()));
    at = end + 1;
    const std::size_t equals = piece.find('=');
    const std::string word = piece.substr(0, equals);
    const observed_word* found = nullptr;
    for (const observed_word& w : observed_words)
      if (w.word == word) found = &w;
    if (equals == std::string::npos || found == nullptr) {
      problem =
          refused(found == nullptr && equals != std::string::npos ? "unknown_key" : "bad_value", "observed",
                  "--observed has \"" + piece.substr(0, 80) + "\"; expected word=value, with words of " + words + ".");
      return observed;
    }
    if (observed.contains(found->key)) {
      problem = refused("bad_value", "observed", "--observed says " + word + " twice; expected it once.");
      return observed;
    }
    const std::string value = piece.substr(equals + 1);
    std::string wrong;
    double real = 0;
    std::int64_t whole = 0;
    switch (found->is) {
      case observed_word::time: wrong = read_seconds(value, real); break;
      case observed_word::rate: wrong = read_rate(value, real); break;
      case observed_word::whole: wrong = read_whole(value, whole); break;
    }
    if (!wrong.empty()) {
      problem = refused("bad_value", "observed", "--observed says " + word + "=" + value.substr(0, 80) + "; " + wrong);
      return observed;
    }
    observed[found->key] = found->is == observed_word::whole ? json(whole) : json(real);
  }
  return observed;
}

/// Draws the answer's roofline to a file; an error object where that fails, else null.
json plotted(const json& a, const std::string& path) {
  if (a["roofline"]["points"].empty())
    return refused(
        "bad_value", "plot",
        "--plot draws arithmetic under the roofs of a part, and here is none; expected gemm, attention, experts or "
        "recurrent, or FLOP and bytes.");
  std::ofstream file(path, std::ios::binary);
  file << roofline_of(a);
  file.close();
  if (file) return nullptr;
  return refused("bad_file", "plot", "The file " + path.substr(0, 160) + " cannot be written.");
}

std::string scaled(double x, const char* unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  for (; i + 1 < std::size(prefixes) && x >= 1000; ++i) x /= 1000;
  return printed(x >= 100 ? "%.0f %s%s" : "%.3g %s%s", x, prefixes[i], unit);
}

void print_work(const json& a) {
  const json& w = a["work"];
  const double flop = number(w["flop"]);
  const double moved = number(w["moved_bytes"]);
  if (!(flop > 0) && !(moved > 0)) return;
  const bool several = a.contains("parallel") && a["parallel"]["devices"] != 1;
  std::string line = (several ? "on one device " : std::string()) + scaled(flop, "FLOP") + " and " + scaled(moved, "B");
  const json& as = a["computes_as"];
  if (w["flop_per_byte"].is_number() && flop > 0 && as.is_string()) {
    const double intensity = number(w["flop_per_byte"]);
    for (const json& roof : a["roofline"]["roofs"]) {
      if (roof["format"] != as) continue;
      const double ridge = number(roof["ridge_flop_per_byte"]);
      line += printed(": %.3g FLOP a byte, %s the ridge at %.3g in %s", intensity,
                      intensity < ridge ? "below" : "above", ridge, as.get<std::string>().c_str());
    }
  }
  say(line, "  ", "    ");
}

/// "a token of each of 8 sequences", "the first token", "it".
std::string measured_text(const json& a) {
  const json& o = a["observed"];
  if (o.contains("ttft_s")) return "to the first token of " + grouped(o["input_tokens"].get<long long>());
  if (o.contains("time_s")) return "";
  return "a token at " + counted(o["batch"].get<long long>(), "sequence");
}
std::string op_text(const json& op) {
  const std::string kind = op["kind"];
  const std::string format = op.contains("format") ? " in " + op["format"].get<std::string>() : std::string();
  const auto several = [&](const char* key, const char* what) { return counted(op[key].get<long long>(), what); };
  const auto rank_of = [&](const char* key) {
    return op[key] == 1 ? std::string() : ", a rank of " + std::string(key) + " " + op[key].dump();
  };
  if (kind == "gemm") return "gemm of " + op["m"].dump() + " x " + op["n"].dump() + " x " + op["k"].dump() + format;
  if (kind == "attention")
    return op["phase"].get<std::string>() + " attention of " + several("batch", "sequence") + ", " +
           op["heads"].dump() + " heads over " + op["kv_heads"].dump() +
           (op["window"].is_number() ? " in a window of " + op["window"].dump() : std::string()) + format +
           rank_of("tp");
  if (kind == "experts")
    return "experts, " + op["experts_per_token"].dump() + " of " + op["experts"].dump() + " for " +
           several("tokens", "token") + format + rank_of("tp") + rank_of("ep");
  if (kind == "recurrent")
    return op["layer"].get<std::string>() + ", " + op["phase"].get<std::string>() + " of " +
           several("batch", "sequence") + rank_of("tp");
  if (kind == "sampling") return "sampling of " + several("batch", "sequence");
  if (op.contains("hidden")) return kind + " of " + several("tokens", "token") + " of " + op["hidden"].dump() + format;
  return kind + " of " + scaled(number(op["message_bytes"]), "B") + " over " + several("group", "device");
}
/// Where the shape lies to what was measured.
void print_hull(const json& a) {
  const auto inside = a.find("inside_measured_hull");
  if (inside == a.end() || !a["op"].is_object()) return;
  const std::string kind = a["op"]["kind"];
  const bool multiplies = kind == "gemm" || kind == "attention" || kind == "experts" || kind == "recurrent";
  if (!inside->is_boolean()) {
    if (multiplies) say("No public rows of this kernel and part, or constants as given: the form alone.", "  ", "  ");
    return;
  }
  say(inside->get<bool>() ? "The shape lies among those of public tables."
                          : "The shape lies beyond those of public tables: the band is wider.",
      "  ", "  ");
}

std::string headline(const json& a) {
  const std::string stands = a["standing"];
  std::string text;
  if (a.contains("model"))
    text = subject(a);
  else
    text = (a["op"].is_object() ? op_text(a["op"]) + " on " : std::string()) + a["accelerator"].get<std::string>();
  const std::string what = measured_text(a);
  text += ": " + time_text(number(a["observed_s"])) + (what.empty() ? "" : " " + what);
  text += stands == "inside"
              ? " is what this stack usually attains, "
              : " is " + time_text(std::abs(number(a["gap_s"]))) + " " + stands + " than this stack usually attains, ";
  return text + band_text(a["expected_s"], time_text) + ". Bound by " + a["bound"].get<std::string>() + ".";
}

void print_remedies(const json& a) {
  if (a["remedies"].empty()) {
    std::puts("\nNone of the changes that are tried gains 2 % of what is usual.");
    return;
  }
  if (a["standing"] == "slower")
    say("Back to what is usual, " + time_text(number(a["expected_s"]["mid"])) + ", gains " +
            time_text(number(a["gap_s"])) + ": first find what takes it. Beyond that:",
        "\n", "");
  else
    std::puts("\nWhat would gain most, each computed by asking again:");
  table t(
      {{""}, {"", false, 0, true}, {"then", true}, {"gained", true}, {"work a second", true, 2}, {"bound", false, 1}});
  int n = 0;
  for (const json& r : a["remedies"])
    t.add({std::to_string(++n) + ".", r["change"].get<std::string>(), time_text(number(r["then_s"]["mid"])),
           time_text(number(r["gain_s"])), printed("x %.2f", number(r["throughput_factor"])),
           r["bound_then"].get<std::string>()},
          r["flag"].is_string() ? r["flag"].get<std::string>() : std::string());
  t.print("  ");
  bool more = false;
  for (const json& r : a["remedies"]) more = more || r["change"].get<std::string>().ends_with(" at once");
  say(more
          ? "gained: of what is usual, on the work that is done now; a larger batch gains although each sequence waits "
            "longer."
          : "gained: of what is usual, on the work that is done now.",
      "  ", "  ");
}

void print_diagnosis(const json& a) {
  std::puts(coloured(wrapped(headline(a)), "1").c_str());
  if (a.contains("parallel")) {
    const std::string layout = layout_text(a["parallel"]);
    if (!layout.empty()) say("layout " + layout);
  }
  print_notes(a);
  std::puts("\n  of the nominal rate   at it alone   attained");
  for (const json& r : a["roofs"]) {
    std::string line = printed("    %-17s %13s   %6.1f %%", r["roof"].get<std::string>().c_str(),
                               time_text(number(r["at_peak_s"])).c_str(), 100 * number(r["attained"]));
    if (!narrow()) line += "  " + bar(number(r["attained"]), 30);
    std::puts(line.c_str());
  }
  print_work(a);
  const double whole = number(a["observed_s"]);
  say("spent on, at what kernels usually attain; overhead is what they leave:", "\n  ", "  ");
  for (const char* share : {"compute", "memory", "network", "overhead"})
    print_share(share, number(a["spent_s"][share]), whole);
  print_remedies(a);
  print_assumed(a);
}

void print_op(const json& a) {
  std::puts(coloured(wrapped(op_text(a["op"]) + " on " + a["accelerator"].get<std::string>() + " takes " +
                             band_text(a["time_s"], time_text) + ", bound by " + a["bound"].get<std::string>() + "."),
                     "1")
                .c_str());
  print_notes(a);
  std::puts("");
  const double whole = number(a["time_s"]["mid"]);
  for (const char* share : {"compute", "memory", "network", "overhead"})
    print_share(share, number(a["shares_s"][share]), whole);
  if (number(a["shares_s"]["compute"]) > 0 && number(a["shares_s"]["memory"]) > 0)
    say("compute and memory overlap in part, and share the time that both together take.", "    ", "    ");
  print_work(a);
  print_hull(a);
  print_assumed(a);
}

int finish(const json& request, const std::string& command, const std::string& plot, bool json_output,
           void (*print)(const json&)) {
  const json a = answer_of(request);
  if (a.value("status", std::string()) == "error") return finish_with_error(a, command, json_output);
  if (!plot.empty())
    if (const json problem = plotted(a, plot); !problem.is_null())
      return finish_with_error(problem, command, json_output);
  if (json_output)
    std::puts(line_of(a).c_str());
  else
    print(a);
  return 0;
}

}  // namespace

int run_op(const op_options& o) {
  json r = {{"schema", 1}, {"ask", o.observed.empty() ? "op" : "diagnose"}};
  if (!o.on.empty()) r["accelerator"] = o.on;
  for (const auto& [name, value] : o.constants) r["constants"][name] = value;
  json& op = r["op"] = {{"kind", o.kind}};
  const auto set = [&op](const char* key, const std::optional<std::int64_t>& value) {
    if (value) op[key] = *value;
  };
  set("m", o.m);
  set("n", o.n);
  set("k", o.k);
  set("batch", o.batch);
  set("context", o.context);
  set("tokens", o.tokens);
  set("heads", o.heads);
  set("kv_heads", o.kv_heads);
  set("head_dim", o.head_dim);
  set("value_dim", o.value_dim);
  set("latent_rank", o.latent_rank);
  set("rope_dim", o.rope_dim);
  const auto set_text = [&op](const char* key, const std::string& value) {
    if (!value.empty()) op[key] = value;
  };
  set_text("format", o.format);
  set_text("phase", o.phase);
  set_text("stack", o.stack);
  set_text("mask", o.mask);
  set_text("scores", o.scores);
  set_text("layer", o.layer);
  set("window", o.window);
  set("index_topk", o.index_topk);
  set("index_n_heads", o.index_n_heads);
  set("index_head_dim", o.index_head_dim);
  set("hidden", o.hidden);
  set("experts", o.experts);
  set("experts_per_token", o.experts_per_token);
  set("expert_inner", o.expert_inner);
  set("matrices", o.matrices);
  set("tp", o.tp);
  set("ep", o.ep);
  set("state", o.state);
  set("channels", o.channels);
  set("vocabulary", o.vocabulary);
  set("message_bytes", o.message_bytes);
  set("group", o.group);
  if (!o.observed.empty()) {
    json problem;
    r["observed"] = observed_of(o.observed, problem);
    if (!problem.is_null()) return finish_with_error(problem, "op", o.json_output);
  }
  return finish(r, "op", o.plot, o.json_output, o.observed.empty() ? &print_op : &print_diagnosis);
}

int run_diagnose(const diagnose_options& o) {
  json r = request_of(o.plan, "diagnose");
  json problem;
  json observed = observed_of(o.observed, problem);
  if (!problem.is_null()) return finish_with_error(problem, "diagnose", o.json_output);
  if (o.flop) observed["flop"] = *o.flop;
  if (o.moved_bytes) observed["moved_bytes"] = *o.moved_bytes;
  if (!o.format.empty()) observed["format"] = o.format;
  r["observed"] = std::move(observed);
  return finish(r, "diagnose", o.plot, o.json_output, &print_diagnosis);
}

}  // namespace cli
