// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <ullage/catalog/opaque_models.hpp>
#include <ullage/io/answer.hpp>
#include <ullage/io/select.hpp>
#include <ullage/io/speed.hpp>
#include <utility>
#include <vector>

// Requests and answers about opaque models: a built-in name, or {"opaque": {…}} with its figures. What needs layers or
// tokens refuses them by name. Docs: docs/formulas/opaque.md.
namespace ullage::inline v0::io {

/// A question about an opaque model. Of the request, model, traffic and what is said of tokens stay empty.
struct opaque_request : request {
  opaque_model figures{};
};

namespace detail {

/// Whether a request speaks of an opaque model: its figures, or the name of a built-in one.
inline bool says_opaque(const json& tree) {
  if (!tree.is_object()) return false;
  const auto m = tree.find("model");
  if (m == tree.end()) return false;
  const auto built_in = [](const json& name) {
    return name.is_string() && catalog::find_opaque(name.get_ref<const std::string&>()) != nullptr;
  };
  if (!m->is_object()) return built_in(*m);
  const auto said = [&](const char* key) -> const json* {
    const auto it = m->find(key);
    return it == m->end() || it->is_null() ? nullptr : &*it;
  };
  if (said("opaque") != nullptr) return true;
  return said("path") == nullptr && said("config") == nullptr && said("name") != nullptr && built_in(*said("name"));
}

/// Bytes as a whole number, or as {low, mid, high}.
inline estimate<bytes> read_bytes_band(object_reader& o, std::string_view key, basis from, bool& given) {
  const json* v = o.find(key);
  given = v != nullptr;
  if (v == nullptr) return {};
  if (!v->is_object()) return estimate<bytes>::exactly(of<bytes>(o.whole(key, 0, 0)), from);
  object_reader b(*v, o.path_of(key));
  const std::int64_t low = b.required_whole("low", 0);
  const std::int64_t mid = b.required_whole("mid", 0);
  const std::int64_t high = b.required_whole("high", 0);
  b.finish();
  if (!b.ok())
    o.fail(b.problem());
  else if (low > mid || mid > high)
    o.fail_at(key, error_code::bad_value, "has its band out of order; expected low <= mid <= high.");
  return {of<bytes>(low), of<bytes>(mid), of<bytes>(high), from};
}

/// The figures of {"opaque": {…}}. Without FLOP and bytes moved there is memory and no time.
inline void read_opaque_figures(opaque_request& q, object_reader& r, const json& said) {
  object_reader o(said, "model.opaque");
  // A misspelt key explains more than the one that is missing for it.
  for (std::string_view key :
       {"name", "item", "source", "basis", "format", "parameters", "flop_per_item", "moved_bytes_per_item",
        "activation_bytes_per_item", "state_bytes_per_stream", "kernels"})
    o.find(key);
  o.finish();
  opaque_model& m = q.figures;
  const std::string name = one_line(o.text("name", "opaque model"), 64);
  const std::string item = one_line(o.text("item", "item"), 64);
  m.name = std::string_view(name);
  m.item = std::string_view(item);
  const std::string source = o.text("source");
  if (o.ok() && !source.empty()) {
    q.names.push_back(source);
    m.source = q.names.back();
  }
  const std::string rests_on = o.text("basis", "exact");
  bool known = false;
  for (basis b : {basis::exact, basis::datasheet, basis::driver, basis::measured, basis::fitted, basis::transferred,
                  basis::unverified})
    if (ullage::name(b) == rests_on) {
      m.from = b;
      known = true;
    }
  if (o.ok() && !known)
    o.fail_at("basis", error_code::bad_value,
              "is " + in_quotes(rests_on) +
                  "; expected exact, datasheet, driver, measured, fitted, transferred or unverified.");
  const std::string format = o.text("format", "fp16");
  m.format = format_named(format);
  if (o.ok() && m.format != formats::fp32 && m.format != formats::fp16 && m.format != formats::bf16 &&
      m.format != formats::fp8 && m.format != formats::int8)
    o.fail_at("format", error_code::unknown_format,
              "is " + in_quotes(format) + "; expected fp32, fp16, bf16, fp8 or int8.");
  m.parameters = count(o.required_whole("parameters", 1));
  m.flop_per_item = of<operations>(o.real("flop_per_item", 0));
  if (o.has("flop_per_item") && o.ok() && m.flop_per_item < operations{})
    o.fail_at("flop_per_item", error_code::bad_value,
              "is " + shown(*o.find("flop_per_item")) + "; expected at least 0.");
  bool moved = false;
  bool resident = false;
  m.moved_per_item = read_bytes_band(o, "moved_bytes_per_item", m.from, moved);
  m.activation_per_item = read_bytes_band(o, "activation_bytes_per_item", m.from, resident);
  m.state_per_stream = of<bytes>(o.whole("state_bytes_per_stream", 0, 0));
  m.kernels = count(o.whole("kernels", 1, 1, std::int64_t{1} << 30));
  if (o.ok() && !resident)
    o.missing("activation_bytes_per_item", "the bytes of one item that are alive at once, or {low, mid, high}");
  if (o.ok() && moved != o.has("flop_per_item"))
    o.missing(moved ? "flop_per_item" : "moved_bytes_per_item",
              moved ? "FLOP of one item beside moved_bytes_per_item, two a multiply-add"
                    : "bytes of one item that are read and written beside flop_per_item, without the weights");
  if (!o.ok()) return r.fail(o.problem());
  if (!o.has("kernels") && moved)
    q.assumed.push_back({"model.opaque.kernels", "1", false, "absent; launches are then not counted"});
}

inline void read_opaque_model(opaque_request& q, object_reader& r) {
  const json* said = r.find("model");
  if (said->is_string()) {
    q.figures = *catalog::find_opaque(said->get_ref<const std::string&>());
  } else {
    object_reader m(*said, "model");
    const json* figures = m.find("opaque");
    const json* name = m.find("name");
    const bool others = m.has("path") || m.has("config") || m.has("stored_bytes");
    m.finish();
    if (!m.ok()) return r.fail(m.problem());
    if (others || (figures != nullptr && name != nullptr))
      return r.fail(error_code::bad_value, "model", "model must say exactly one of name, path, config and opaque.");
    if (figures != nullptr)
      read_opaque_figures(q, r, *figures);
    else
      q.figures = *catalog::find_opaque(name->get_ref<const std::string&>());
  }
  if (!r.ok()) return;
  q.stored = q.figures.weights();
  if (overflowed(q.stored))
    return r.fail(error_code::overflow, "model.opaque.parameters",
                  "model.opaque.parameters makes weights of more than 2^63 bytes.");
  std::string list;
  if (q.figures.from == basis::unverified) list = "its parameters and FLOP";
  if (q.figures.activation_per_item.from == basis::unverified)
    list += (list.empty() ? "" : ", ") + std::string("the bytes of its activations");
  if (!list.empty())
    q.assumed.push_back({"model", std::string(q.figures.name.view()), true,
                         "unverified, no measurement at hand: " + list + " (from layer shapes where built in)"});
}

inline void read_opaque_engine(opaque_request& q, object_reader& r, const json& tree) {
  const json* said = r.find("engine");
  if (said != nullptr && said->is_object()) {
    const auto given = [&](const char* key) { return said->contains(key) && !(*said)[key].is_null(); };
    if (given("name") && (*said)["name"] == "vllm")
      return r.fail(error_code::bad_value, "engine.name",
                    "engine.name is \"vllm\", which serves no opaque model; expected plain or null.");
    for (const char* key :
         {"max_model_len", "max_num_batched_tokens", "max_num_seqs", "block_size", "kv_cache_memory_bytes",
          "enforce_eager", "enable_prefix_caching", "max_cudagraph_capture_size"})
      if (given(key))
        return r.fail(error_code::bad_value, std::string("engine.") + key,
                      std::string("engine.") + key +
                          " is given, but an opaque model has no tokens, cache or graphs; expected null.");
  }
  json with = tree;
  bool named = false;
  if (said == nullptr) {
    with["engine"] = {{"name", "plain"}};
  } else if (said->is_object()) {
    named = said->contains("name") && !(*said)["name"].is_null();
    if (!named) with["engine"]["name"] = "plain";
  }
  if (!named) q.assumed.push_back({"engine.name", "plain", true, "absent; no other engine serves an opaque model"});
  object_reader engine(with, "");
  read_engine(q, engine);
  if (!engine.ok()) r.fail(engine.problem());
}

inline void read_opaque_formats(opaque_request& q, object_reader& r) {
  const std::string cache = r.text("kv_cache", "auto");
  if (r.ok() && cache != "auto")
    return r.fail_at("kv_cache", error_code::bad_value,
                     "is " + in_quotes(cache) + ", but an opaque model has no cache; expected null or auto.");
  const std::string weights = r.text("weights", "auto");
  if (!r.ok() || weights == "auto") return;
  const number_format f = format_named(weights);
  const bool taken =
      f == formats::fp32 || f == formats::fp16 || f == formats::bf16 || f == formats::fp8 || f == formats::int8;
  if (!taken)
    return r.fail_at("weights", error_code::unknown_format,
                     "is " + in_quotes(weights) + "; of an opaque model expected auto, fp32, bf16, fp16, fp8 or int8.");
  q.engine.weights = f;
  if (f.element_bits != q.figures.format.element_bits)
    q.assumed.push_back({"weights", std::string(f.name), true,
                         "the whole network runs in it, activations between kernels too; the figures are for " +
                             std::string(q.figures.format.name)});
}

/// Replicas: as many as there are devices.
inline void read_replicas(opaque_request& q, object_reader& r, std::vector<accelerator>& all, bool counted) {
  object_reader p(r.nested("parallel"), "parallel");
  layout& l = q.parallel;
  for (std::string_view key : {"tp", "pp", "ep", "cp", "dcp"})
    if (p.whole(key, 1, 1, most_devices) > 1 && p.ok())
      p.fail_at(key, error_code::unsupported_layout,
                "is " + shown(*p.find(key)) +
                    ", but an opaque model runs whole on a device; expected 1, and dp for replicas.");
  if (p.flag("dp_attention", false) || p.has("layers_per_stage"))
    p.fail_at(p.has("layers_per_stage") ? "layers_per_stage" : "dp_attention", error_code::unsupported_layout,
              "is given, but an opaque model has no layers or attention; expected null.");
  const bool has_dp = p.has("dp");
  l.dp = p.whole("dp", 1, 1, most_devices);
  p.finish();
  if (!p.ok()) r.fail(p.problem());
  if (!r.ok()) return;
  const std::int64_t now = static_cast<std::int64_t>(all.size());
  if (!has_dp && counted) {
    l.dp = now;
    if (l.dp > 1) q.assumed.push_back({"parallel.dp", std::to_string(l.dp), false, "absent; a replica on each device"});
  } else if (has_dp && !counted && now == 1) {
    if (l.dp > 1)
      q.assumed.push_back(
          {q.has_devices_list ? "devices[0].count" : "count", std::to_string(l.dp), false, "absent; dp"});
  } else if (now != l.dp) {
    return r.fail(error_code::unsupported_layout, "parallel.dp",
                  "parallel.dp is " + std::to_string(l.dp) + ", but there are " + std::to_string(now) +
                      " devices; expected a replica on each.");
  }
  const bool alike = std::all_of(all.begin(), all.end(), [&](const accelerator& a) {
    return a.id == all[0].id && a.visible_memory() == all[0].visible_memory();
  });
  if (alike) all.resize(1, accelerator(all[0]));
  q.parts = all;
}

inline void read_opaque_load(opaque_request& q, object_reader& r, bool chosen_by_part) {
  object_reader l(r.nested("load"), "load");
  for (std::string_view key : {"context", "input_tokens", "output_tokens", "prefix_hit"})
    if (l.has(key))
      l.fail_at(key, error_code::bad_value, "is given, but an opaque model has no tokens; expected null.");
  if (l.has("request_rate"))
    l.not_answered("load.request_rate", "is given, which is not answered for opaque models yet; expected concurrency.");
  if (const json* x = l.find("concurrency"); x != nullptr && x->is_object())
    l.not_answered("load.concurrency", "is a distribution, which is not answered yet; expected a number.");
  const std::int64_t n = l.whole("concurrency", 0, 1, most_tokens);
  l.finish();
  if (!l.ok()) return r.fail(l.problem());
  q.load.concurrency = of<sequences>(n);
  q.has_load = n > 0;
  if (n > 0) return;
  if (chosen_by_part) {
    q.assumed.push_back({"load.concurrency", std::to_string(most_opaque_batch), false,
                         "absent; on each part the largest power of two up to this a device that surely fits and "
                         "keeps the latency"});
  } else {
    q.load.concurrency = of<sequences>(1);
    q.assumed.push_back({"load.concurrency", "1", false, "absent; one item at once"});
  }
}

inline void read_opaque_given(opaque_request& q, object_reader& r) {
  object_reader g(r.nested("given"), "given");
  for (std::string_view key : {"kv_available_bytes", "graph_bytes"})
    if (g.has(key))
      g.fail_at(key, error_code::bad_value, "is given, but an opaque model has no cache or graphs; expected null.");
  if (!g.ok()) return r.fail(g.problem());
  read_given(q, r);
}

/// What an ask takes of a request about an opaque model.
struct opaque_shape {
  bool devices = true;
  std::vector<std::string_view> own_keys{};
};

inline result<opaque_request> read_opaque_request(const json& tree, const opaque_shape& shape = {}) {
  object_reader r(tree, "");
  opaque_request q;
  if (const json* id = r.find("id"); id != nullptr) q.id = *id;
  const std::int64_t schema = r.whole("schema", 1, 0);
  if (r.ok() && schema != 1)
    r.fail_at("schema", error_code::bad_value, "is " + std::to_string(schema) + "; expected 1.");
  q.ask = r.text("ask", "fit");
  pass_null_of_contract(r);
  for (std::string_view key : shape.own_keys)
    if (const json* v = r.find(key); v != nullptr) q.body[std::string(key)] = *v;
  for (std::string_view key : {"model", "weights", "kv_cache", "devices", "accelerator", "count",    "visible_bytes",
                               "nodes", "fabric",  "parallel", "engine",  "speculative", "adapters", "multimodal",
                               "load",  "given",   "prefill",  "decode",  "transfer",    "train"})
    r.find(key);
  r.finish();
  refuse_unmodelled(r);
  if (r.ok()) read_opaque_model(q, r);
  if (!shape.devices)
    for (std::string_view key : {"devices", "accelerator", "count", "visible_bytes", "nodes", "parallel", "given"})
      if (r.has(key))
        r.fail_at(key, error_code::bad_value, "is given, but " + q.ask + " chooses the devices; expected null.");
  bool counted = false;
  std::vector<accelerator> all;
  if (r.ok() && shape.devices) all = read_devices(q, r, counted);
  const std::int64_t nodes = r.whole("nodes", 1, 1, most_devices);
  if (r.ok() && nodes > 1) {
    if (static_cast<std::int64_t>(all.size()) * nodes > most_devices)
      r.fail_at("nodes", error_code::bad_value, "makes more than " + std::to_string(most_devices) + " devices.");
    const std::vector<accelerator> one = all;
    for (std::int64_t i = 1; i < nodes && r.ok(); ++i) all.insert(all.end(), one.begin(), one.end());
    counted = true;
  }
  if (r.ok()) read_opaque_engine(q, r, tree);
  if (r.ok()) read_opaque_formats(q, r);
  if (r.ok() && shape.devices) read_replicas(q, r, all, counted);
  if (r.ok()) read_opaque_load(q, r, !shape.devices);
  if (r.ok()) read_opaque_given(q, r);
  if (!r.ok()) return r.problem();
  return q;
}

inline json opaque_model_json(const opaque_request& q) {
  return {{"name", q.figures.name.view()},
          {"model_type", "opaque"},
          {"item", q.figures.item.view()},
          {"weights", ullage::detail::opaque_format(q.figures, q.engine).name}};
}
inline json opaque_head(const opaque_request& q) {
  return {{"id", q.id},
          {"schema", 1},
          {"status", "ok"},
          {"ask", q.ask},
          {"assumed", assumptions(q.assumed)},
          {"model", opaque_model_json(q)}};
}
inline json opaque_engine_json(const opaque_request& q) {
  return {{"name", ullage::name(q.engine.kind)},
          {"version", nullptr},
          {"gpu_memory_utilization", memory_utilization_in(q.engine)}};
}
inline json opaque_parameters_json(const opaque_request& q) {
  const json n = number(q.figures.parameters);
  return {{"total", n}, {"active", n}, {"embedding", 0}, {"mtp", 0}, {"towers", 0}};
}

inline error problem_of(const opaque_verdict& v) {
  switch (v.problem) {
    case problem::layout:
      return {error_code::unsupported_layout, "parallel",
              "parallel does not work: " + std::string(sentence(v.layout_problem)) + "."};
    case problem::no_memory:
      return {error_code::bad_value, "devices",
              "devices has a part whose memory is not known; expected visible_bytes."};
    case problem::too_many_rank_kinds:
      return {error_code::unsupported_layout, "devices",
              "devices has more than " + std::to_string(opaque_verdict::most_rank_kinds) + " different parts."};
    case problem::overflow:
      return {error_code::overflow, "load.concurrency",
              "load.concurrency makes a count beyond 64 bits; expected items at once of a real service."};
    case problem::bad_rule:
      return {error_code::bad_value, "engine.rules",
              "engine.rules has a rule out of its range or a band out of order."};
    default: break;
  }
  return {error_code::bad_value, "model", "model has a figure out of its range."};
}

inline result<opaque_verdict> opaque_memory(const opaque_request& q) {
  const opaque_verdict v = fits(q.figures, q.parts, q.parallel, q.engine, {{}, q.load.concurrency}, &q.given);
  if (v.answer == answer::invalid) return problem_of(v);
  return v;
}

/// Numbers of the replicas of every class, in the order of the verdict's ranks.
inline std::vector<json> replicas_of_classes(const opaque_request& q, const opaque_verdict& v) {
  std::vector<json> lists(v.ranks.size(), json::array());
  for (std::int64_t i = 0; i < q.parallel.dp; ++i) {
    std::size_t at = 0;
    for (std::size_t k = 0; q.parts.size() > 1 && k < v.ranks.size(); ++k)
      if (v.ranks[k].part.id == q.parts[static_cast<std::size_t>(i)].id &&
          v.ranks[k].part.visible_memory() == q.parts[static_cast<std::size_t>(i)].visible_memory())
        at = k;
    lists[at].push_back(i);
  }
  return lists;
}

inline json opaque_rank_json(const opaque_rank& r, json members) {
  const estimate<bytes> sum = estimate<bytes>::exactly(r.weights + r.state) + r.runtime + r.activation;
  return {{"rank", r.rank},
          {"ranks", number(r.ranks)},
          {"devices", std::move(members)},
          {"accelerator", r.part.name},
          {"host", false},
          {"items", number(r.items)},
          {"visible_bytes", banded(r.visible)},
          {"capacity_bytes", number(r.capacity)},
          {"budget_bytes", number(r.budget)},
          {"weight_bytes", number(r.weights)},
          {"runtime_bytes", banded(r.runtime)},
          {"activation_bytes", banded(r.activation)},
          {"state_bytes", number(r.state)},
          {"terms_sum_bytes", banded(sum)},
          {"left_bytes", banded(r.left)}};
}

/// The fewest devices like the first that hold the items when shared equally; 0 where even 64 do not.
inline std::int64_t fewest_replicas(const opaque_request& q, const opaque_verdict& v) {
  const opaque_rank& first = v.ranks[0];
  if (first.left.mid >= bytes{} && q.parallel.dp == 1) return 1;
  if (overflowed(first.most)) return 1;
  if (first.most <= sequences{}) return 0;
  const count n = ceil_div(v.items.value(), first.most.value());
  return n.overflowed() || n > count(64) ? 0 : n.value();
}

/// What would make it fit, each asked again.
inline json opaque_remedies(const opaque_request& q, const opaque_verdict& v, const json& tree) {
  json list = json::array();
  if (v.ok()) return list;
  const opaque_rank& worst = v.worst();
  const auto offer_change = [&](const std::string& text, json patch) {
    json patched = tree;
    patched.merge_patch(patch);
    const result<opaque_request> read = read_opaque_request(patched);
    if (!read) return false;
    const opaque_verdict then =
        fits(read->figures, read->parts, read->parallel, read->engine, {{}, read->load.concurrency}, &read->given);
    if (then.answer == answer::invalid || then.left() <= v.left()) return false;
    const bool doubtful = then.worst().part.memory().from == basis::unverified;
    list.push_back({{"change", text},
                    {"flag", nullptr},
                    {"patch", std::move(patch)},
                    {"gain_bytes", number(then.left() - v.left())},
                    {"unverified", doubtful ? json{"memory"} : json::array()},
                    {"verdict_then", ullage::name(then.answer)}});
    return then.answer == answer::fits;
  };
  if (v.surely > sequences{} && v.surely < v.items)
    offer_change(std::to_string(integer(v.surely)) + " item" + (v.surely == of<sequences>(1) ? "" : "s") + " at once",
                 {{"load", {{"concurrency", integer(v.surely)}}}});
  if (memory_utilization_in(q.engine) < 1)
    offer_change("all of the visible memory", {{"engine", {{"gpu_memory_utilization", 1.0}}}});
  if (ullage::detail::opaque_format(q.figures, q.engine).element_bits > 8)
    for (const number_format& f : {formats::fp8, formats::int8})
      if (worst.part.supports(f.multiplies_as) == support::native) {
        offer_change("the network in " + std::string(f.name), {{"weights", f.name}});
        break;
      }
  if (q.parts.size() == 1 && worst.surely > sequences{}) {
    const count n = ceil_div(v.items.value(), worst.surely.value());
    if (!n.overflowed() && n > count(q.parallel.dp) && n <= count(64)) {
      json patch = device_patch(q, tree, {}, n.value());
      patch["parallel"] = {{"dp", n.value()}};
      offer_change(std::to_string(n.value()) + " replicas", std::move(patch));
    }
  }
  if (q.parts.size() == 1) {
    std::vector<accelerator> larger;
    for (const accelerator& a : catalog::accelerators)
      if (can_be_offered(q.engine.kind, a) && a.visible_memory() > worst.capacity) larger.push_back(a);
    const vendor maker = worst.part.made_by;
    std::stable_sort(larger.begin(), larger.end(), [&](const accelerator& a, const accelerator& b) {
      if ((a.made_by == maker) != (b.made_by == maker)) return a.made_by == maker;
      return a.visible_memory() < b.visible_memory();
    });
    for (const accelerator& a : larger) {
      const layout& l = q.parallel;
      if (!fits(q.figures, std::span<const accelerator>(&a, 1), l, q.engine, {{}, q.load.concurrency}).ok()) continue;
      json patch = device_patch(q, tree, a.id, l.dp);
      patch["parallel"] = {{"dp", l.dp}};
      if (offer_change(std::to_string(l.dp) + " x " + std::string(a.name) + " instead", std::move(patch))) break;
    }
  }
  std::stable_sort(list.begin(), list.end(), [](const json& a, const json& b) {
    const auto rank = [](const json& m) {
      return m["verdict_then"] == "fits" ? 0 : m["verdict_then"] == "may_fit" ? 1 : 2;
    };
    return rank(a) < rank(b);
  });
  return list;
}

inline result<json> opaque_fit_answer(const json& tree) {
  result<opaque_request> read = read_opaque_request(tree);
  if (!read) return read.problem();
  const opaque_request& q = *read;
  const result<opaque_verdict> memory = opaque_memory(q);
  if (!memory) return memory.problem();
  const opaque_verdict& v = *memory;
  json ranks = json::array();
  bytes resident{};
  const std::vector<json> members = replicas_of_classes(q, v);
  for (std::size_t i = 0; i < v.ranks.size(); ++i) {
    resident += v.ranks[i].weights * v.ranks[i].ranks;
    ranks.push_back(opaque_rank_json(v.ranks[i], members[i]));
  }
  const std::int64_t fewest = fewest_replicas(q, v);
  json a = opaque_head(q);
  a["verdict"] = ullage::name(v.answer);
  a["parallel"] = parallel_json(q.parallel);
  a["engine"] = opaque_engine_json(q);
  a["load"] = {{"concurrency", number(v.items)}};
  a["parameters"] = opaque_parameters_json(q);
  a["stored_weight_bytes"] = number(q.stored);
  a["resident_weight_bytes"] = number(resident);
  a["binding"] = {{"rank", v.worst().rank}, {"term", ullage::name(v.term)}};
  a["ranks"] = std::move(ranks);
  a["kv"] = nullptr;
  a["limits"] = {{"max_context_at_concurrency", nullptr},
                 {"max_concurrency_at_context", number(v.most)},
                 {"max_concurrency", number(v.most)},
                 {"sure_concurrency", number(v.surely)},
                 {"min_devices", fewest > 0 ? json(fewest) : json(nullptr)}};
  a["remedies"] = opaque_remedies(q, v, tree);
  a["plain_engine"] = nullptr;
  return a;
}

inline json op_shares(const op_time& t) {
  return {{"compute_s", finite(value_of(t.compute))},
          {"memory_s", finite(value_of(t.memory))},
          {"overhead_s", finite(value_of(t.overhead))},
          {"computes_as", ullage::name(t.computes_as)},
          {"fell_back", t.fell_back}};
}

inline result<json> opaque_perf_answer(const json& tree) {
  result<opaque_request> read = read_opaque_request(tree);
  if (!read) return read.problem();
  opaque_request& q = *read;
  if (q.parts.size() != 1)
    return error{error_code::bad_value, "devices",
                 "devices has different parts; expected equal ones where time is asked."};
  if (!q.figures.timed())
    return error{error_code::bad_value, "model.opaque.flop_per_item",
                 "model.opaque.flop_per_item is missing; time needs it and moved_bytes_per_item."};
  const accelerator& part = q.parts[0];
  const constants c = constants_for(part);
  q.assumed.push_back({"constants", std::string(c.source.empty() ? std::string_view("built in") : c.source), true,
                       "what GEMM kernels attain of this part's nominal rates; taken over for the network"});
  std::string doubtful;
  for (std::string_view figure : unverified_figures(part, count(1)))  // replicas use no fabric
    if (figure != "memory") doubtful += (doubtful.empty() ? "" : ", ") + std::string(figure);
  if (!doubtful.empty())
    q.assumed.push_back(
        {"accelerator", std::string(part.name), true, "unverified, no document at hand: its " + doubtful});
  const result<opaque_verdict> memory = opaque_memory(q);
  if (!memory) return memory.problem();
  const opaque_verdict& v = *memory;
  const opaque_service s = perf(q.figures, q.engine, q.parallel, q.load.concurrency, part, c);
  if (s.problem != time_problem::none) return problem_of(s.problem);
  const bool room = v.most > sequences{} || overflowed(v.most);
  json a = opaque_head(q);
  a["verdict"] = ullage::name(v.answer);
  a["left_bytes"] = banded(v.worst().left);
  a["max_concurrency"] = number(v.most);
  a["accelerator"] = part.name;
  a["parallel"] = parallel_json(q.parallel);
  a["engine"] = opaque_engine_json(q);
  a["load"] = {{"concurrency", number(q.load.concurrency)}};
  a["items_per_replica"] = number(s.items);
  a["limit"] = room ? "offered" : "memory";
  const auto or_null = [&](json value) { return room ? std::move(value) : json(nullptr); };
  a["pass_s"] = or_null(banded(s.batch.time));
  a["items_per_s"] = or_null(banded(s.items_per_second));
  a["items_per_device_per_s"] = or_null(banded(s.items_per_device));
  a["requests_per_s"] = a["items_per_s"];
  a["running"] = room ? number(q.load.concurrency) : json(0);
  a["bound"] = or_null(ullage::name(s.batch.limited_by));
  a["breakdown"] = or_null(op_shares(s.batch));
  return a;
}

inline result<json> opaque_select_answer(const json& tree) {
  result<opaque_request> read =
      read_opaque_request(tree, {.devices = false, .own_keys = {"constraints", "objective", "offers"}});
  if (!read) return read.problem();
  opaque_request& q = *read;
  constraints limits;
  const json said = q.body.contains("constraints") ? q.body["constraints"] : json::object();
  object_reader l(said, "constraints");
  read_limits(l, limits);
  limits.max_power = of<watts>(positive(l, "max_power_w"));
  limits.max_latency = of<seconds>(positive(l, "max_latency_s"));
  limits.min_items_per_second = positive(l, "min_items_per_s");
  for (std::string_view key : {"max_ttft_s", "max_tpot_s"})
    if (l.has(key))
      l.fail_at(key, error_code::bad_value,
                "is given, but an opaque model has no tokens; expected max_latency_s or min_items_per_s.");
  if (l.ok() && !q.figures.timed())
    for (std::string_view key : {"max_latency_s", "min_items_per_s"})
      if (l.has(key))
        l.fail_at(key, error_code::bad_value,
                  "is given, but model.opaque says neither flop_per_item nor moved_bytes_per_item.");
  l.finish();
  if (!l.ok()) return l.problem();
  if (const auto problem = read_objective(q, limits, true)) return *problem;
  std::vector<offer> offers;
  if (const auto problem = read_offers(q, offers)) return *problem;
  workload w;
  w.opaque = &q.figures;
  w.engine = q.engine;
  w.load = {{}, q.load.concurrency};
  json chosen = json::array();
  json rejected = json::array();
  select(
      w, limits, offers,
      [&](const choice& c) {
        json j = choice_json(c, count(1));  // replicas use no fabric
        j["items_per_replica"] = number(c.items.items);
        j["max_concurrency"] = number(c.most_items);
        j["pass_s"] = nullptr;
        j["items_per_s"] = nullptr;
        j["items_per_device_per_s"] = nullptr;
        if (c.speed_known) {
          j["pass_s"] = banded(c.items.batch.time);
          j["items_per_s"] = banded(c.items.items_per_second);
          j["items_per_device_per_s"] = banded(c.items.items_per_device);
          j["bound"] = ullage::name(c.items.batch.limited_by);
          j["limit"] = "offered";
        }
        chosen.push_back(std::move(j));
      },
      [&](const rejection& r) { rejected.push_back(rejection_json(r, count(1))); });
  json a = opaque_head(q);
  a["objective"] = ullage::name(limits.rank_by);
  a["chosen"] = std::move(chosen);
  a["rejected"] = std::move(rejected);
  return a;
}

/// model: the figures, and the bytes by format.
inline result<json> opaque_model_report(const json& tree) {
  object_reader r(tree, "");
  opaque_request q;
  if (const json* id = r.find("id"); id != nullptr) q.id = *id;
  const std::int64_t schema = r.whole("schema", 1, 0);
  if (r.ok() && schema != 1)
    r.fail_at("schema", error_code::bad_value, "is " + std::to_string(schema) + "; expected 1.");
  q.ask = r.text("ask", "model");
  for (std::string_view key : {"model", "kv_cache", "load"}) r.find(key);
  r.finish();
  for (std::string_view key : {"kv_cache", "load"})
    if (r.has(key))
      r.fail_at(key, error_code::bad_value, "is given, but an opaque model has no cache or tokens; expected null.");
  if (r.ok()) read_opaque_model(q, r);
  if (!r.ok()) return r.problem();
  const opaque_model& m = q.figures;
  json by_format = json::object();
  for (const number_format& f : {m.format, formats::fp32, formats::fp16, formats::bf16, formats::fp8, formats::int8})
    by_format[std::string(f.name)] = number(m.weights(f));
  json a = opaque_head(q);
  a["parameters"] = opaque_parameters_json(q);
  a["stored_weight_bytes"] = number(q.stored);
  a["stored_bytes_by_format"] = std::move(by_format);
  const bool timed = m.timed();
  a["flop_per_item"] = timed ? json(value_of(m.flop_per_item)) : json(nullptr);
  a["moved_bytes_per_item"] = timed ? banded(m.moved_per_item) : json(nullptr);
  a["activation_bytes_per_item"] = banded(m.activation_per_item);
  a["state_bytes_per_stream"] = number(m.state_per_stream);
  a["kernels"] = number(m.kernels);
  a["basis"] = ullage::name(m.from);
  a["source"] = m.source.empty() ? json(nullptr) : json(one_line(m.source, 400));
  return a;
}

/// The asks that take opaque models; step needs layers and says so.
inline result<json> opaque_answer(std::string_view ask, const json& tree) {
  if (ask == "fit") return opaque_fit_answer(tree);
  if (ask == "perf") return opaque_perf_answer(tree);
  if (ask == "select") return opaque_select_answer(tree);
  if (ask == "model") return opaque_model_report(tree);
  return error{error_code::bad_value, "model",
               "model is opaque, and " + std::string(ask) +
                   " needs layers, which it has none of; fit, perf, select and model answer it."};
}

}  // namespace detail

}  // namespace ullage::inline v0::io
