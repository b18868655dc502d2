// SPDX-License-Identifier: Apache-2.0
// What was chosen for the asker, and of that what should not be overlooked.
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Assumptions that an asker would not expect, by what they say.
bool surprising(const json& assumed) {
  if (assumed["field"] == "engine.max_num_seqs")
    return assumed["why"].get<std::string>().find("as the calibration") == std::string::npos;
  const std::string all = text_of(assumed["value"]) + " " + assumed["why"].get<std::string>();
  for (const char* sign :
       {"longer than the model", "unverified", "as sold", "transferred", "no relative", "not a part of the catalogue",
        "newer than the newest", "max_num_seqs", "does not heed", "announced;", "software shows", "no rate of",
        "no backend", "come on top", "not counted", "products: they run in", "products: held against"})
    if (all.find(sign) != std::string::npos) return true;
  return false;
}

void note(const std::string& text) {
  const std::string lines = wrapped(text, "Note: ", "      ");
  std::puts((coloured("Note:", "1;33") + lines.substr(5)).c_str());
}

}  // namespace

void print_notes(const json& a) {
  bool waits = false;
  for (const json& s : a["assumed"]) {
    if (!surprising(s)) continue;
    waits = waits || s["why"].get<std::string>().find("max_num_seqs") != std::string::npos ||
            s["field"] == "engine.max_num_seqs";
    note(s["field"].get<std::string>() + " = " + text_of(s["value"]) + ": " + s["why"].get<std::string>());
  }
  if (waits || !a.contains("engine") || !a.contains("load") || !a["load"].is_object()) return;
  const json& engine = a["engine"];
  const json& wanted = a["load"]["concurrency"];
  if (!engine.contains("max_num_seqs") || !engine["max_num_seqs"].is_number() || !wanted.is_number()) return;
  const long long at_once = engine["max_num_seqs"].get<long long>() * a["parallel"]["dp"].get<long long>();
  if (wanted.get<long long>() > at_once)
    note("the engine runs at most " + grouped(at_once) + " sequences at once (max_num_seqs); of the " +
         grouped(wanted.get<long long>()) + " the others wait");
}

void print_assumed(const json& a) {
  if (a["assumed"].empty()) return;
  std::puts("\nAssumed:");
  for (const json& s : a["assumed"])
    say(s["field"].get<std::string>() + " = " + text_of(s["value"]) + ": " + s["why"].get<std::string>(), "  ",
        "      ");
}

std::string layout_text(const json& p) {
  const long long n = p["devices"].get<long long>();
  if (n == 1) return {};
  std::string text;
  for (const char* way : {"tp", "pp", "dp", "ep", "cp", "dcp"})
    if (p[way].get<long long>() > 1)
      text += (text.empty() ? "" : ", ") + std::string(way) + " " + std::to_string(p[way].get<long long>());
  return text + " on " + counted(n, "device");
}

}  // namespace cli
