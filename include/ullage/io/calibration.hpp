// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <ullage/engine.hpp>
#include <ullage/io/json.hpp>
#include <ullage/io/version_text.hpp>
#include <utility>
#include <vector>

// Calibrations: what one start of an engine measured, as an object that a request takes. Docs: docs/calibration.md.
namespace ullage::inline v0::io {

/// A calibration as it was read. What it was made from says where it holds: on the same model, part, layout and engine
/// (its minor release); each measured term beside that for the options that drive it.
struct calibration_file {
  // made from
  std::string model{};
  std::int64_t parameters = 0;
  std::int64_t layers = 0;
  std::string weights{};   ///< format of the linear layers
  std::string kv_cache{};  ///< format of the cache
  std::string accelerator_id{};
  std::string accelerator{};
  bytes visible{};
  engine_kind engine = engine_kind::vllm;
  std::string version{};
  layout parallel{};
  json options = json::object();  ///< of the engine, under its own names; null = not set there
  // measured
  calibration given{};
  json rules = json::object();
};

namespace detail {

/// A measured size: bytes, or a band of them whose middle is taken.
inline void read_measured(object_reader& g, std::string_view key, bytes& where) {
  const json* v = g.find(key);
  if (v == nullptr) return;
  if (!v->is_object()) {
    where = of<bytes>(g.whole(key, 0, 0));
    return;
  }
  object_reader b(*v, g.path_of(key));
  const std::int64_t low = b.required_whole("low", 0);
  const std::int64_t mid = b.required_whole("mid", 0);
  const std::int64_t high = b.required_whole("high", 0);
  b.text("basis");
  b.finish();
  if (b.ok() && !(low <= mid && mid <= high))
    b.fail_at("mid", error_code::bad_value, "is " + std::to_string(mid) + "; expected low <= mid <= high.");
  if (!b.ok()) return g.fail(b.problem());
  where = of<bytes>(mid);
}

inline constexpr std::string_view calibration_options[] = {"weights",
                                                           "kv_cache",
                                                           "max_model_len",
                                                           "gpu_memory_utilization",
                                                           "max_num_batched_tokens",
                                                           "max_num_seqs",
                                                           "block_size",
                                                           "kv_cache_memory_bytes",
                                                           "enforce_eager",
                                                           "enable_prefix_caching",
                                                           "speculative",
                                                           "adapters",
                                                           "max_cudagraph_capture_size"};

}  // namespace detail

/// Reads a calibration object. `field`: what errors name.
inline result<calibration_file> read_calibration(const json& tree, const std::string& field = "calibration") {
  object_reader r(tree, field);
  calibration_file c;
  if (r.ok() && r.required_whole("schema", 0) != 1 && r.ok())
    r.fail_at("schema", error_code::bad_value, "is " + detail::shown(*r.find("schema")) + "; expected 1.");
  const std::string kind = r.text("kind");
  if (r.ok() && kind != "calibration")
    r.fail_at("kind", error_code::bad_value,
              "is " + detail::in_quotes(kind) + "; expected calibration, as ullage calibrate writes it.");
  object_reader from(r.nested("made_from"), r.path_of("made_from"));
  {
    object_reader m(from.nested("model"), from.path_of("model"));
    c.model = m.text("name");
    c.parameters = m.required_whole("parameters", 1);
    c.layers = m.required_whole("layers", 1);
    c.weights = m.text("weights");
    c.kv_cache = m.text("kv_cache");
    object_reader a(from.nested("accelerator"), from.path_of("accelerator"));
    c.accelerator_id = a.text("id");
    c.accelerator = a.text("name", c.accelerator_id);
    c.visible = of<bytes>(a.required_whole("visible_bytes", 1));
    object_reader e(from.nested("engine"), from.path_of("engine"));
    const std::string name = e.text("name");
    c.version = e.text("version");
    if (e.ok() && name != "vllm")
      e.fail_at("name", error_code::unknown_engine, "is " + detail::in_quotes(name) + "; expected vllm.");
    if (e.ok() && read_version_text(c.version).is != version_text_result::kind::release)
      e.fail_at("version", error_code::unsupported_version,
                "is " + detail::in_quotes(c.version) + "; expected a release number.");
    object_reader p(from.nested("parallel"), from.path_of("parallel"));
    c.parallel.tp = p.required_whole("tp", 1, 65536);
    c.parallel.pp = p.whole("pp", 1, 1, 65536);
    c.parallel.dp = p.whole("dp", 1, 1, 65536);
    c.parallel.ep = p.whole("ep", 1, 1, 65536);
    c.parallel.cp = p.whole("cp", 1, 1, 65536);
    c.parallel.dcp = p.whole("dcp", 1, 1, 65536);
    object_reader o(from.nested("options"), from.path_of("options"));
    for (std::string_view key : detail::calibration_options)
      if (const json* v = o.find(key); v != nullptr) c.options[std::string(key)] = *v;
    from.find("log");  // which one, for its reader
    for (object_reader* part : {&m, &a, &e, &p, &o}) {
      part->finish();
      if (!part->ok()) from.fail(part->problem());
    }
  }
  from.finish();
  if (!from.ok()) r.fail(from.problem());
  object_reader g(r.nested("given"), r.path_of("given"));
  detail::read_measured(g, "kv_available_bytes", c.given.kv_available);
  detail::read_measured(g, "weight_bytes", c.given.weights);
  detail::read_measured(g, "activation_bytes", c.given.activation);
  detail::read_measured(g, "runtime_bytes", c.given.runtime);
  detail::read_measured(g, "graph_bytes", c.given.graphs);
  g.finish();
  if (!g.ok()) r.fail(g.problem());
  object_reader rules(r.nested("rules"), r.path_of("rules"));
  for (const auto& item : rules.object().items()) {
    const double value = rules.real(item.key(), 0);
    engine_rules scratch;
    if (rules.ok() && rules.has(item.key()) && set_rule(scratch, item.key(), value) != rule_result::set)
      rules.fail_at(item.key(), error_code::bad_value,
                    "is " + detail::shown(item.value()) + "; expected a rule of the engine in its range.");
    c.rules[item.key()] = value;
  }
  if (!rules.ok()) r.fail(rules.problem());
  r.finish();
  if (!r.ok()) return r.problem();
  return c;
}

namespace detail {

/// The calibration that a request names, inline or by the path of its file.
inline result<calibration_file> calibration_of(const json& said) {
  if (said.is_object() && said.contains("path")) {
    object_reader r(said, "calibration");
    const std::string path = r.text("path");
    r.finish();
    if (!r.ok()) return r.problem();
    const result<std::string> text = read_text(path, "calibration.path");
    if (!text) return text.problem();
    const result<json> tree = parse_json(*text, "calibration.path", path);
    if (!tree) return tree.problem();
    return read_calibration(*tree);
  }
  return read_calibration(said);
}

/// The request with what it leaves open set as the calibration has it: its engine and options, and where devices are
/// asked its part and layout. max_model_len gives way to a longer load.
inline json with_calibration(json tree, const calibration_file& c, bool devices, std::vector<assumption>& assumed) {
  const auto open = [&](const char* object, const char* key) {
    const json* at = &tree;
    if (*object != '\0') {
      const auto o = tree.find(object);
      if (o == tree.end() || o->is_null()) return true;
      at = &*o;
    }
    if (!at->is_object()) return false;
    const auto it = at->find(key);
    return it == at->end() || it->is_null();
  };
  const auto set = [&](const char* object, const char* key, const json& value) {
    if (value.is_null() || !open(object, key)) return;
    if (*object == '\0') {
      tree[key] = value;
    } else {
      if (!tree.contains(object) || tree[object].is_null()) tree[object] = json::object();
      tree[object][key] = value;
    }
    const std::string field = *object == '\0' ? std::string(key) : std::string(object) + "." + key;
    assumed.push_back({field, value.is_string() ? value.get<std::string>() : value.dump(), value.is_string(),
                       "absent; as the calibration was made"});
  };
  const auto option = [&](const char* key) { return c.options.contains(key) ? c.options[key] : json(nullptr); };
  set("engine", "name", name(c.engine));
  // Of another engine nothing is filled: it is refused.
  if (!tree["engine"].is_object() || tree["engine"]["name"] != name(c.engine)) return tree;
  if (open("engine", "date")) set("engine", "version", c.version);
  const auto whole_of = [&](const char* object, const char* key) {
    return open(object, key) || !tree[object][key].is_number() ? 0.0 : tree[object][key].get<double>();
  };
  const double context =
      (std::max)(whole_of("load", "context"), whole_of("load", "input_tokens") + whole_of("load", "output_tokens"));
  for (const char* key :
       {"gpu_memory_utilization", "max_num_batched_tokens", "max_num_seqs", "block_size", "kv_cache_memory_bytes",
        "enforce_eager", "enable_prefix_caching", "max_model_len", "max_cudagraph_capture_size"}) {
    const json value = option(key);
    if (!value.is_null() && !value.is_number() && !value.is_boolean()) continue;
    // A step of fewer tokens cannot hold as many sequences.
    if (std::string_view(key) == "max_num_seqs" && !value.is_null() && !open("engine", "max_num_batched_tokens") &&
        value.get<double>() > whole_of("engine", "max_num_batched_tokens"))
      continue;
    if (std::string_view(key) == "max_num_batched_tokens" && !value.is_null() && !open("engine", "max_num_seqs") &&
        value.get<double>() < whole_of("engine", "max_num_seqs"))
      continue;
    if (std::string_view(key) == "max_model_len" && !value.is_null() && value.get<double>() < context) continue;
    set("engine", key, value);
  }
  for (const auto& rule : c.rules.items()) {
    if (!open("engine", "rules") && !tree["engine"]["rules"].is_object()) break;
    if (!open("engine", "rules") && tree["engine"]["rules"].contains(rule.key())) continue;
    if (!tree.contains("engine") || !tree["engine"].is_object()) break;
    json& rules = tree["engine"]["rules"];
    if (rules.is_null()) rules = json::object();
    rules[rule.key()] = rule.value();
    assumed.push_back({"engine.rules." + rule.key(), rule.value().dump(), false, "as the calibration found it"});
  }
  set("", "weights", option("weights"));
  set("", "kv_cache", option("kv_cache"));
  if (open("", "ask") || tree["ask"] == "fit") {  // other asks take neither
    set("", "speculative", option("speculative"));
    set("", "adapters", option("adapters"));
  }
  if (!devices) return tree;
  if (open("", "accelerator") && open("", "devices") && open("", "visible_bytes")) {
    if (c.accelerator_id == "unnamed accelerator" || c.accelerator_id.empty())
      set("", "visible_bytes", integer(c.visible));
    else
      set("", "accelerator", c.accelerator_id);
  }
  if (open("", "parallel") && open("", "count") && open("", "devices")) {
    set("parallel", "tp", c.parallel.tp);
    for (const auto& [key, value] : {std::pair{"pp", c.parallel.pp}, std::pair{"dp", c.parallel.dp},
                                     std::pair{"ep", c.parallel.ep}, std::pair{"dcp", c.parallel.dcp}})
      if (value > 1) set("parallel", key, value);
  }
  return tree;
}

inline std::string layout_words(const layout& l) {
  std::string text = "tp " + std::to_string(l.tp);
  for (const auto& [key, value] : {std::pair{"pp", l.pp}, std::pair{"dp", l.dp}, std::pair{"ep", l.ep},
                                   std::pair{"cp", l.cp}, std::pair{"dcp", l.dcp}})
    if (value > 1) text += std::string(", ") + key + " " + std::to_string(value);
  return text;
}

/// Whether a part is the one that was measured: the same of the catalogue, or where none is named the same memory.
inline bool same_measured_part(const calibration_file& c, const accelerator& a) {
  if (a.id != c.accelerator_id) return false;
  const double mine = real(a.visible_memory());
  const double theirs = real(c.visible);
  return mine > theirs * 0.98 && mine < theirs * 1.02;
}

inline error other(const std::string& field, const std::string& found, const std::string& expected) {
  return {error_code::bad_value, field,
          field + " is " + expected + ", but " + found +
              " is asked; a calibration holds for what it was measured on. Expected that, or no calibration."};
}

/// Refuses a calibration of another model or engine.
inline std::optional<error> check_calibration(const calibration_file& c, const transformer& m, const engine& e) {
  const count total = parameters(m).total;
  if (total != count(c.parameters) || m.layers != c.layers)
    return other("calibration.made_from.model",
                 in_quotes(m.name.view()) + " (" +
                     (total.overflowed() ? std::string("too many") : std::to_string(total.value())) + " parameters)",
                 in_quotes(c.model) + " (" + std::to_string(c.parameters) + " parameters)");
  const engine_version measured = read_version_text(c.version).version;
  if (e.kind != c.engine || e.version.first != measured.first || e.version.second != measured.second)
    return other("calibration.made_from.engine",
                 std::string(name(e.kind)) + (e.kind == engine_kind::vllm ? " " + std::to_string(e.version.first) +
                                                                                "." + std::to_string(e.version.second) +
                                                                                "." + std::to_string(e.version.third)
                                                                          : ""),
                 std::string(name(c.engine)) + " " + one_line(c.version));
  return std::nullopt;
}

/// The measured terms that hold under the options asked; what was left out stands in `assumed`.
///
/// Weights hold for their format, drafts and adapters; the activation peak for tokens and sequences of a step; graphs for
/// enforce_eager and the sequences; the cache's memory for all of these and the share of memory.
inline calibration terms_that_hold(const calibration_file& c, const transformer& m, const engine& e,
                                   const accelerator& part, tokens longest, const json& tree,
                                   std::vector<assumption>& assumed) {
  calibration g = c.given;
  const auto leave_out = [&](bytes& term, const char* name_of, const std::string& why) {
    if (!calibration::given(term)) return;
    term = calibration::not_given;
    assumed.push_back({std::string("calibration.given.") + name_of, "not used", true, why});
  };
  const auto option = [&](const char* key) { return c.options.contains(key) ? c.options[key] : json(nullptr); };
  const auto differs = [&](const char* key, double now, double absent) {
    const json v = option(key);
    const double then = v.is_number() ? v.get<double>() : v.is_boolean() ? (v.get<bool>() ? 1.0 : 0.0) : absent;
    return then != now;
  };
  const auto now_then = [&](const char* key, const std::string& now) {
    const json v = option(key);
    return std::string(key) + " is " + now + ", measured at " + (v.is_null() ? std::string("its default") : v.dump());
  };
  std::string kv;  // why the cache's memory does not hold
  const auto also = [&](const std::string& why) { kv = kv.empty() ? why : kv; };
  const std::string format(weights_in(e, m).name);
  const auto said = [&](const char* key) {
    return tree.contains(key) && tree[key].is_object() ? tree[key] : json(nullptr);
  };
  if (format != c.weights) {
    const std::string why = "weights are in " + format + ", measured in " + one_line(c.weights);
    leave_out(g.weights, "weight_bytes", why);
    also(why);
  }
  for (const char* key : {"speculative", "adapters"})
    if (said(key) != option(key)) {
      const std::string why = std::string(key) + " is not as it was measured";
      leave_out(g.weights, "weight_bytes", why);
      leave_out(g.activation, "activation_bytes", why);
      also(why);
    }
  const count batched = batched_tokens_in(e, part, longest).value();
  const count seqs = max_sequences_in(e, part).value();
  const auto text = [](count n) { return n.overflowed() ? std::string("too many") : std::to_string(n.value()); };
  const bool by_length = option("max_num_batched_tokens").is_null();  // an engine that takes a prompt in one step
  if (by_length ? differs("max_model_len", real(longest), real(longest))
                : differs("max_num_batched_tokens", static_cast<double>(batched), static_cast<double>(batched))) {
    const std::string why = by_length ? now_then("max_model_len", text(longest.value()))
                                      : now_then("max_num_batched_tokens", text(batched));
    leave_out(g.activation, "activation_bytes", why);
    also(why);
  }
  if (differs("max_num_seqs", static_cast<double>(seqs), static_cast<double>(seqs))) {
    const std::string why = now_then("max_num_seqs", text(seqs));
    leave_out(g.activation, "activation_bytes", why);
    leave_out(g.graphs, "graph_bytes", why);
    also(why);
  }
  if (differs("enforce_eager", e.options.enforce_eager ? 1 : 0, 0)) {
    const std::string why = now_then("enforce_eager", e.options.enforce_eager ? "true" : "false");
    leave_out(g.graphs, "graph_bytes", why);
    also(why);
  }
  if (differs("max_cudagraph_capture_size", real(e.options.max_cudagraph_capture_size), 0)) {
    const std::string why =
        now_then("max_cudagraph_capture_size", e.options.max_cudagraph_capture_size > tokens{}
                                                   ? text(e.options.max_cudagraph_capture_size.value())
                                                   : "its default");
    leave_out(g.graphs, "graph_bytes", why);
    also(why);
  }
  if (differs("gpu_memory_utilization", memory_utilization_in(e), memory_utilization_in(e)))
    also(now_then("gpu_memory_utilization", json(memory_utilization_in(e)).dump()));
  if (differs("kv_cache_memory_bytes", real(e.options.kv_cache_memory_bytes), 0))
    also(now_then("kv_cache_memory_bytes", text(e.options.kv_cache_memory_bytes.value())));
  if (!kv.empty()) leave_out(g.kv_available, "kv_available_bytes", kv);
  return g;
}

/// Terms that a request gives itself stay.
inline void take_measured(calibration& given, const calibration& measured) {
  const auto take = [](bytes& mine, bytes theirs) {
    if (!calibration::given(mine)) mine = theirs;
  };
  take(given.kv_available, measured.kv_available);
  take(given.weights, measured.weights);
  take(given.activation, measured.activation);
  take(given.runtime, measured.runtime);
  take(given.graphs, measured.graphs);
}

/// A calibration on a request with devices: refused for others than it was measured on, else its terms are taken.
inline std::optional<error> apply_calibration(const calibration_file& c, const transformer& m, const engine& e,
                                              const std::vector<accelerator>& parts, const layout& l, tokens longest,
                                              const json& tree, calibration& given, std::vector<assumption>& assumed) {
  if (std::optional<error> wrong = check_calibration(c, m, e)) return wrong;
  for (const accelerator& a : parts)
    if (!same_measured_part(c, a))
      return other("calibration.made_from.accelerator",
                   std::string(a.name) + " with " + std::to_string(integer(a.visible_memory())) + " bytes",
                   one_line(c.accelerator) + " with " + std::to_string(integer(c.visible)) + " bytes");
  if (!(l == c.parallel)) return other("calibration.made_from.parallel", layout_words(l), layout_words(c.parallel));
  if (parts.empty()) return std::nullopt;
  const calibration holds = terms_that_hold(c, m, e, parts[0], longest, tree, assumed);
  take_measured(given, holds);
  std::string used;
  const auto tell = [&](bytes term, const char* what) {
    if (calibration::given(term)) used += (used.empty() ? "" : ", ") + std::string(what);
  };
  tell(holds.kv_available, "KV memory");
  tell(holds.weights, "weights");
  tell(holds.activation, "activation");
  tell(holds.runtime, "runtime");
  tell(holds.graphs, "graphs");
  assumed.push_back({"calibration", used.empty() ? "no term" : used, true,
                     "measured on " + one_line(c.accelerator) + " with vllm " + one_line(c.version)});
  return std::nullopt;
}

}  // namespace detail

}  // namespace ullage::inline v0::io
