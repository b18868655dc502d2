// SPDX-License-Identifier: Apache-2.0
// ullage model: what a model is.
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string billions(const json& n) {
  const double x = n.get<double>();
  return x >= 1e9 ? printed("%.2f B", x / 1e9) : x >= 1e6 ? printed("%.2f M", x / 1e6) : printed("%.0f", x);
}
std::string sized(double bytes) {
  return bytes >= 1e9   ? printed("%.2f GB", bytes / 1e9)
         : bytes >= 1e6 ? printed("%.2f MB", bytes / 1e6)
         : bytes >= 1e3 ? printed("%.1f kB", bytes / 1e3)
                        : printed("%.0f B", bytes);
}

/// "full, 64 heads over 8" and the like.
std::string attention_of(const json& k) {
  const std::string kind = k["attention"];
  std::string text = kind == "none" ? "" : kind;
  if (k["window_tokens"].is_number()) text += " " + grouped(k["window_tokens"].get<long long>());
  if (kind != "none" && k["heads"].get<long long>() > 0) {
    text += ", " + counted(k["heads"].get<long long>(), "head");
    if (k["head_dim"].is_number()) text += " of " + std::to_string(k["head_dim"].get<long long>());
    if (k["kv_heads"].is_number() && k["kv_heads"] != k["heads"])
      text += " over " + std::to_string(k["kv_heads"].get<long long>());
  }
  if (k["shares_cache"].get<bool>()) text += ", shares an earlier layer's cache";
  if (k["recurrent"] != "none") text += (text.empty() ? "" : " beside ") + k["recurrent"].get<std::string>();
  return text.empty() ? "none" : text;
}
std::string feed_forward_of(const json& k) {
  if (!k["experts"].is_number()) return k["feed_forward"];
  return counted(k["experts"].get<long long>(), "expert") + " of " + grouped(k["expert_inner"].get<long long>()) +
         ", " + std::to_string(k["experts_per_token"].get<long long>()) + " a token";
}

void print_strip(const std::string& strip) {
  const std::size_t line = static_cast<std::size_t>(std::max(width() - 16, 20)) / 10 * 10;
  for (std::size_t at = 0; at < strip.size(); at += line)
    std::puts(printed("  %4zu  %s", at, strip.substr(at, line).c_str()).c_str());
}

}  // namespace

int run_model(const model_options& o) {
  json request = request_of(o.plan, "model");
  const json a = answer_of(request);
  if (a.value("status", std::string()) == "error") return finish_with_error(a, "model", o.json_output);
  if (o.json_output) {
    std::puts(line_of(a).c_str());
    return 0;
  }
  if (is_opaque(a)) {
    print_opaque_model(a);
    return 0;
  }
  const json& m = a["model"];
  const json& p = a["parameters"];
  const double total = p["total"].get<double>();
  say(coloured(m["name"].get<std::string>(), "1") + " (" + m["model_type"].get<std::string>() +
      "): " + billions(p["total"]) + " parameters, " + grouped(p["total"].get<long long>()) + " of them counted" +
      (p["active"] != p["total"] ? ", " + billions(p["active"]) + " active for a token" : "") + "; " +
      counted(a["layers"].get<long long>(), "layer") +
      (a["encoder_layers"] != 0 ? " behind an encoder of " + std::to_string(a["encoder_layers"].get<long long>())
                                : "") +
      ", hidden size " + grouped(m["hidden"].get<long long>()) + ", vocabulary " +
      grouped(m["vocabulary"].get<long long>()) + (m["tied_embeddings"].get<bool>() ? " (tied)" : "") + ".");
  std::puts("");
  table parts({{"parameters"}, {"", true}, {"share", true}, {"", false, 1}});
  for (const auto& [name, n] : p["by_part"].items()) {
    if (name == "mtp" || name == "tower") continue;
    const double share = n.get<double>() / total;
    parts.add({name, grouped(n.get<long long>()), printed("%.1f %%", 100 * share), narrow() ? "" : bar(share, 30)});
  }
  if (p["mtp"] != 0) parts.add({"MTP, beside them", grouped(p["mtp"].get<long long>()), "", ""});
  if (p["towers"] != 0) parts.add({"towers, beside them", grouped(p["towers"].get<long long>()), "", ""});
  parts.print("  ");

  std::puts("\nLayers, in order:");
  print_strip(a["strip"]);
  std::puts("");
  table kinds({{""},
               {"layers", true},
               {"attention"},
               {"feed-forward", false, 1},
               {"parameters a layer", true, 2},
               {"cache, a token", true},
               {"state", true, 3}});
  for (const json& k : a["layer_kinds"])
    kinds.add({k["letter"].get<std::string>(), std::to_string(k["layers"].get<long long>()), attention_of(k),
               feed_forward_of(k), billions(k["parameters"]), sized(k["kv_bytes_per_entry"].get<double>()),
               k["state_bytes_per_sequence"] == 0 ? "" : sized(k["state_bytes_per_sequence"].get<double>())});
  kinds.print("  ");

  const json& kv = a["kv"];
  std::puts("");
  say("Cache of one sequence of " + counted(kv["context"].get<long long>(), "token") + " in " +
          kv["format"].get<std::string>() + ": " + sized(kv["bytes_per_sequence"].get<double>()) +
          (kv["bytes_per_token"].is_number() ? ", " + grouped(kv["bytes_per_token"].get<long long>()) + " B a token"
                                             : ", not linear: the last token adds " +
                                                   grouped(kv["marginal_bytes_per_token"].get<long long>()) + " B") +
          (kv["fixed_bytes_per_sequence"] != 0
               ? ", of it " + sized(kv["fixed_bytes_per_sequence"].get<double>()) + " whatever the length"
               : "") +
          ". What an engine charges for it is more: `ullage fit`.",
      "  ", "    ");
  std::string formats;
  for (const auto& [name, n] : a["stored_bytes_by_format"].items())
    formats += (formats.empty() ? "" : ", ") + name + " " + sized(n.get<double>());
  say("Stored as " + m["weights"].get<std::string>() + ": " + sized(a["stored_weight_bytes"].get<double>()) +
          ". By format (linear layers; the rest stays in 16 bits): " + formats + ".",
      "  ", "    ");
  if (const json& c = a["checkpoint"]; c.is_object()) {
    std::string types;
    for (const auto& [type, b] : c["bytes_by_type"].items())
      types += (types.empty() ? "" : ", ") + type + " " + sized(b.get<double>());
    say("The files hold " + counted(c["tensors"].get<long long>(), "tensor") + " in " +
            counted(c["files"].get<long long>(), "file") + ", " + sized(c["bytes"].get<double>()) + " (" + types +
            "); expected " + sized(c["expected_bytes"].get<double>()) + ".",
        "  ", "    ");
    for (const json& d : c["differences"])
      say(d["tensor"].get<std::string>() + " " + d["is"].get<std::string>() + ": expected " +
              counted(d["tensors"].get<long long>(), "tensor") + " with " + grouped(d["elements"].get<long long>()) +
              " elements, stored " + std::to_string(d["stored_tensors"].get<long long>()) + " with " +
              grouped(d["stored_elements"].get<long long>()) + ".",
          "    ", "      ");
    if (!c["extra"].empty())
      say("beside them: " + counted(static_cast<long long>(c["extra"].size()), "kind") +
              " of tensors that the model does not name, such as " + c["extra"][0]["tensor"].get<std::string>() + ".",
          "    ", "      ");
  }
  const json& f = a["flop_per_token"];
  say(printed("FLOP a token: %.3g in the matrices, and %.3g for every cached token that it looks at.",
              f["linear"].get<double>(), f["per_cached_token"].get<double>()),
      "  ", "    ");
  print_assumed(a);
  return 0;
}

}  // namespace cli
