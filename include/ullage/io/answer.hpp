// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <ullage/io/request.hpp>
#include <ullage/plan.hpp>

// Verdicts → the answer objects of the contract.
namespace ullage::inline v0::io {

/// The error object. `id` null when the request's could not be read.
inline json error_answer(const error& e, json id = nullptr) {
  json j = {{"id", std::move(id)}, {"schema", 1},
            {"status", "error"},   {"code", name(e.code)},
            {"field", e.field},    {"message", detail::one_line(e.message, detail::most_of_message)}};
  if (e.not_answered) j["not_answered"] = true;
  return j;
}

namespace detail {

inline json number(count n) {
  return n.overflowed() ? json(nullptr) : json(n.value());
}
template <class Unit>
json number(const boost::units::quantity<Unit, count>& q) {
  return number(q.value());
}
inline json banded(const estimate<bytes>& e) {
  return {{"low", number(e.low)}, {"mid", number(e.mid)}, {"high", number(e.high)}, {"basis", ullage::name(e.from)}};
}
inline json finite(double x) {
  return std::isfinite(x) ? json(x) : json(nullptr);
}

inline json assumptions(const std::vector<assumption>& all) {
  json list = json::array();
  for (const assumption& a : all) {
    json value = a.quoted ? json(a.value) : json::parse(a.value, nullptr, false);
    if (value.is_discarded()) value = a.value;
    list.push_back({{"field", a.field}, {"value", std::move(value)}, {"why", a.why}});
  }
  return list;
}

/// Device numbers of every class of equal ranks, in the order of verdict::ranks.
inline std::vector<json> devices_of_classes(const request& q, const verdict& v) {
  std::vector<json> lists(v.ranks.size(), json::array());
  const bool alike = q.parts.size() == 1;
  const auto class_of = [&](std::int64_t stage_index, const accelerator& part) {
    const stage s = stage_of(q.model, v.layout, stage_index);
    for (std::size_t i = 0; i < v.ranks.size(); ++i)
      if (ullage::detail::same_part(v.ranks[i].part, part) &&
          ullage::detail::same_stage_kind(q.model, v.ranks[i].stage, s))
        return i;
    return std::size_t{0};
  };
  std::vector<std::size_t> of_stage;  // the same for every rank of a stage where all parts are alike
  for (std::int64_t i = 0; alike && i < v.layout.pp; ++i) of_stage.push_back(class_of(i, q.parts[0]));
  const std::int64_t world = v.layout.world().value();
  for (std::int64_t rank = 0; rank < world; ++rank) {
    const std::int64_t i = (rank / v.layout.tp) % v.layout.pp;
    lists[alike ? of_stage[static_cast<std::size_t>(i)] : class_of(i, q.parts[static_cast<std::size_t>(rank)])]
        .push_back(rank);
  }
  return lists;
}

inline json rank_json(const request& q, const verdict& v, const rank_memory& r, json devices) {
  bytes sum_low = r.loaded() + r.activation.low + r.runtime.low + r.kv_needed;
  bytes sum_mid = r.loaded() + r.activation.mid + r.runtime.mid + r.kv_needed;
  bytes sum_high = r.loaded() + r.activation.high + r.runtime.high + r.kv_needed;
  basis from = weaker(r.activation.from, r.runtime.from);
  if (r.graphs_in_budget) {
    sum_low += r.graphs.low;
    sum_mid += r.graphs.mid;
    sum_high += r.graphs.high;
    from = weaker(from, r.graphs.from);
  }
  json experts = nullptr;
  for (std::int64_t i = r.stage.first; i < r.stage.first + r.stage.size; ++i) {
    const feed_forward& f = q.model.layer(i).feed_forward;
    if (f.kind == feed_forward_kind::experts && v.layout.ep > 1)
      experts = number(ceil_div(count(f.experts), count(v.layout.ep)));
  }
  return {{"rank", r.rank},
          {"ranks", number(r.ranks)},
          {"devices", std::move(devices)},
          {"accelerator", r.part.name},
          {"host", false},
          {"stage", r.stage.index},
          {"layers", {r.stage.first, r.stage.first + r.stage.size - 1}},
          {"experts", std::move(experts)},
          {"visible_bytes", banded(r.visible)},
          {"capacity_bytes", number(r.capacity)},
          {"budget_bytes", number(r.budget)},
          {"weight_bytes", number(r.weights)},
          {"draft_bytes", number(r.draft)},
          {"adapter_bytes", number(r.adapters)},
          {"activation_bytes", banded(r.activation)},
          {"runtime_bytes", banded(r.runtime)},
          {"graph_bytes", banded(r.graphs)},
          {"graphs_in_budget", r.graphs_in_budget},
          {"kv_available_bytes", banded(r.kv_available)},
          {"kv_needed_bytes", number(r.kv_needed)},
          {"kv_needed_for", ullage::name(r.needed_for)},
          {"terms_sum_bytes", banded({sum_low, sum_mid, sum_high, from})},
          {"left_bytes", banded(r.left)},
          {"spare_bytes", banded(r.spare)}};
}

/// The request with `devices` changed as a patch: the list is replaced, the short form's keys are set.
inline json device_patch(const request& q, const json& tree, std::string_view part, std::int64_t devices) {
  json patch = json::object();
  const bool renamed = !part.empty();
  if (q.has_devices_list) {
    json one = json::object();
    for (const auto& item : tree["devices"][0].items())
      if (!item.value().is_null()) one[item.key()] = item.value();
    if (renamed) {
      one["accelerator"] = part;
      one.erase("visible_bytes");
    }
    one["count"] = devices;
    patch["devices"] = json::array({std::move(one)});
  } else {
    if (renamed) {
      patch["accelerator"] = part;
      if (tree.contains("visible_bytes")) patch["visible_bytes"] = nullptr;
    }
    patch["count"] = devices;
  }
  if (tree.contains("nodes")) patch["nodes"] = nullptr;
  return patch;
}

struct worded_change {
  std::string change;
  std::string flag;
  json patch = json::object();
};

inline worded_change in_words(const change& c, const remedy& r, const request& q, const json& tree,
                              std::span<const accelerator> rows) {
  worded_change w;
  const std::string n = std::to_string(c.number.value());
  switch (c.kind) {
    case change_kind::gpu_memory_utilization: {
      char text[32];
      std::snprintf(text, sizeof text, "%.2f", c.real);
      w = {std::string("gpu_memory_utilization ") + text,
           std::string("--gpu-memory-utilization ") + text,
           {{"engine", {{"gpu_memory_utilization", c.real}}}}};
      break;
    }
    case change_kind::enforce_eager:
      w = {"no CUDA graphs (slower decoding)", "--enforce-eager", {{"engine", {{"enforce_eager", true}}}}};
      break;
    case change_kind::max_num_seqs:
      w = {"at most " + n + " sequences a step",
           "--max-num-seqs " + n,
           {{"engine", {{"max_num_seqs", c.number.value()}}}}};
      break;
    case change_kind::max_num_batched_tokens:
      w = {"at most " + n + " tokens a step",
           "--max-num-batched-tokens " + n,
           {{"engine", {{"max_num_batched_tokens", c.number.value()}}}}};
      break;
    case change_kind::max_model_len:
      w = {"sequences of at most " + n + " tokens",
           "--max-model-len " + n,
           {{"engine", {{"max_model_len", c.number.value()}}}}};
      break;
    case change_kind::no_drafts:
      w = {"no speculative decoding (slower decoding)", "without --speculative-config", {{"speculative", nullptr}}};
      break;
    case change_kind::max_loras:
      w = {n + (n == "1" ? " adapter" : " adapters") + " resident at once",
           "--max-loras " + n,
           {{"adapters", {{"count", c.number.value()}}}}};
      break;
    case change_kind::kv_cache:
      w = {std::string(c.format.name) + " KV cache",
           "--kv-cache-dtype " + std::string(c.format.name),
           {{"kv_cache", c.format.name}}};
      break;
    case change_kind::weights:
      w = {std::string(c.format.name) + " weights (linear layers quantised at load)",
           "--quantization " + std::string(c.format.name),
           {{"weights", c.format.name}}};
      break;
    case change_kind::concurrency:
      w = {n + (n == "1" ? " sequence" : " sequences") + " at once",
           "",
           {{"load", {{"concurrency", c.number.value()}}}}};
      break;
    case change_kind::context:
      w = {"a context of " + n + " tokens", "", {{"load", {{"context", c.number.value()}}}}};
      break;
    case change_kind::tensor_parallel: {
      // Where replicas or stages multiply it, the whole is said.
      w.change = q.parallel.world() == count(q.parallel.tp)
                     ? "tensor parallel over " + n + " devices"
                     : "tp " + n + (q.parallel.pp > 1 ? " x pp " + std::to_string(q.parallel.pp) : "") +
                           (q.parallel.dp > 1 ? " x dp " + std::to_string(q.parallel.dp) : "") +
                           (q.parallel.cp > 1 ? " x cp " + std::to_string(q.parallel.cp) : "") + " = " +
                           std::to_string(r.devices_then) + " devices";
      w.flag = "--tensor-parallel-size " + n;
      w.patch = device_patch(q, tree, {}, r.devices_then);
      w.patch["parallel"] = {{"tp", c.number.value()}};
      if (q.parallel.ep > 1) w.patch["parallel"]["ep"] = c.number.value() * q.parallel.dp;
      break;
    }
    case change_kind::accelerator: {
      std::string_view called = c.part;
      for (const accelerator& a : rows)
        if (a.id == c.part) called = a.name;
      w.change = std::to_string(r.devices_then) + " x " + std::string(called) + " instead";
      w.patch = device_patch(q, tree, c.part, r.devices_then);
      w.patch["parallel"] = {{"tp", q.parallel.tp}};
      break;
    }
  }
  // What was measured on these devices does not hold on others.
  if ((c.kind == change_kind::tensor_parallel || c.kind == change_kind::accelerator) && tree.contains("calibration"))
    w.patch["calibration"] = nullptr;
  if (q.engine.kind == engine_kind::plain) w.flag.clear();
  return w;
}

/// The load as it was planned with.
inline json load_json(const request& q, const verdict& v) {
  if (!q.has_load) return nullptr;
  json j = {{"context", q.contexts != nullptr ? json(nullptr) : number(q.load.context)},
            {"concurrency", number(q.load.concurrency)}};
  if (q.mean_concurrency > 0) j["mean_concurrency"] = q.mean_concurrency;
  if (q.contexts == nullptr) return j;
  j["mean_context"] = mean_context(*q.contexts, v.max_model_len);
  j["p95_context"] = number(p95_context(*q.contexts, v.max_model_len));
  j["cut_share"] = cut_share(*q.contexts, v.max_model_len);
  return j;
}

/// The smallest part that can be had, runs the engine and carries the load: the fewest devices, of those the least memory.
inline json smallest_json(const request& q, std::span<const accelerator> rows) {
  const smallest_choice s = smallest_part(q.model, rows, q.engine, q.load);
  if (!s.found) return nullptr;
  const accelerator& a = rows[s.index];
  return {{"accelerator", a.name},
          {"devices", s.device_count()},
          {"parallel", numbers_of_split(s.split.parallel)},
          {"verdict", ullage::name(s.split.answer)},
          {"unverified", a.memory().from == basis::unverified ? json{"memory"} : json::array()}};
}

/// Limits on the middle of the band, and on its low end.
inline json limits_json(const request& q, const verdict& v, const limits& most, std::span<const accelerator> rows) {
  const bool fewest = most.min_devices > ullage::devices{};
  const bool searched = v.given.nothing() && q.parts.size() == 1;
  json j = {{"max_context_at_concurrency", number(most.max_context_at_concurrency)},
            {"max_concurrency_at_context", number(most.max_concurrency_at_context)},
            {"low",
             {{"max_context_at_concurrency", number(most.surely_context)},
              {"max_concurrency_at_context", number(most.surely_concurrency)}}},
            {"mix", q.contexts == nullptr ? json(nullptr)
                                          : json{{"max_concurrency_expected", number(most.mix.expected)},
                                                 {"max_concurrency_p95", number(most.mix.at_p95)}}},
            {"min_devices", fewest ? number(most.min_devices) : json(nullptr)},
            {"min_devices_parallel", fewest ? numbers_of_split(most.min_layout) : json(nullptr)}};
  split_bounds bounds;
  bounds.most_tp = q.split.bounds.most_tp;
  j["best_split"] = searched ? split_json(best_split(q.model, q.parts[0], v.layout.world().value(), q.engine, q.load, bounds))
                             : json(nullptr);
  j["smallest_part"] = v.given.nothing() ? smallest_json(q, rows) : json(nullptr);
  return j;
}

/// The same model and load under the plain engine.
inline json plain_answer(const request& q) {
  engine e = plain();
  e.weights = q.engine.weights;
  e.kv_cache = q.engine.kv_cache;
  e.options.max_model_len = q.engine.options.max_model_len;
  const verdict v = fits(q.model, q.parts, q.parallel, e, q.load);
  if (v.answer == answer::invalid) return nullptr;
  return {{"verdict", ullage::name(v.answer)},
          {"left_bytes", banded(v.worst().left)},
          {"binding", {{"rank", v.worst().rank}, {"term", ullage::name(v.term)}}}};
}

/// What a verdict that has no answer says.
inline error problem_of(const verdict& v) {
  switch (v.problem) {
    case problem::layout:
      return {error_code::unsupported_layout, "parallel",
              "parallel does not work: " + std::string(sentence(v.layout_problem)) + "."};
    case problem::draft:
      return {error_code::bad_value, "speculative",
              "speculative does not work: " + std::string(sentence(v.draft_problem)) + "."};
    case problem::device_count:
      return {error_code::unsupported_layout, "parallel", "The number of devices is not tp*pp*dp*cp."};
    case problem::no_memory:
      return {error_code::bad_value, "devices",
              "devices has a part whose memory is not known; expected visible_bytes."};
    case problem::empty_model:
      return {error_code::too_many_layers, "model", "model has no layers, or more than can be held."};
    case problem::too_many_rank_kinds:
      return {error_code::unsupported_layout, "devices",
              "devices makes more than " + std::to_string(verdict::most_rank_kinds) +
                  " kinds of ranks; expected fewer different parts or stages."};
    case problem::overflow:
      if (v.load.context > tokens{})
        return {error_code::overflow, "load",
                "load makes a count beyond 64 bits; expected a context and a concurrency of a real service."};
      return {error_code::overflow, "engine",
              "engine makes a count beyond 64 bits; expected options, and sizes of a model, that are real."};
    case problem::unknown_version:
      return {error_code::unsupported_version, "engine.version",
              "engine.version is not known; expected a release from 0.6.0 on."};
    case problem::bad_rule:
      return {error_code::bad_value, "engine.rules",
              "engine.rules has a rule out of its range or a band out of order."};
    case problem::none:
    case problem::bad_option: break;
  }
  return {error_code::bad_value, "engine",
          "engine has an option out of its range: gpu_memory_utilization in (0, 1], block_size of at least 1, "
          "max_model_len of at least load.context."};
}

}  // namespace detail

namespace detail {
/// What a patched request answers, as far as a remedy tells it.
struct asked_again {
  ullage::answer then = ullage::answer::invalid;
  bytes left{};  ///< of the worst device, middle of the band
  bytes spare{};
  tokens reported{};
  bool memory_unverified = false;  ///< of a device: no document confirms its size
};
}  // namespace detail

/// The answer object of `fit`. `tree`: the request as it came, for patches. `again(patched)` asks a patched request: what a
/// remedy promises is what its patch gives.
inline json fit_answer(const request& q, const verdict& v, const json& tree,
                       result<detail::asked_again> (*again)(const json& patched)) {
  const parameter_counts p = parameters(q.model);
  const std::int64_t world = v.layout.world().value();
  bytes resident{};
  json ranks = json::array();
  const std::vector<json> devices = detail::devices_of_classes(q, v);
  for (std::size_t i = 0; i < v.ranks.size(); ++i) {
    resident += v.ranks[i].weights * v.ranks[i].ranks;
    ranks.push_back(detail::rank_json(q, v, v.ranks[i], devices[i]));
  }
  json answer_json = {
      {"id", q.id},
      {"schema", 1},
      {"status", "ok"},
      {"ask", "fit"},
      {"verdict", ullage::name(v.answer)},
      {"assumed", detail::assumptions(q.assumed)},
      {"model",
       {{"name", q.model.name.view()},
        {"model_type", q.model.model_type.view()},
        {"layers", q.model.layers},
        {"weights", ullage::weights_in(v.engine, q.model).name},
        {"kv_cache", kv_format_in(v.engine, q.model).name}}},
      {"parallel",
       {{"tp", v.layout.tp},
        {"pp", v.layout.pp},
        {"dp", v.layout.dp},
        {"ep", v.layout.ep},
        {"cp", v.layout.cp},
        {"dcp", v.layout.dcp},
        {"devices", world}}},
      {"engine",
       {{"name", ullage::name(v.engine.kind)},
        {"version", v.engine.kind == engine_kind::vllm ? json(detail::version_text(v.engine.version)) : json(nullptr)},
        {"gpu_memory_utilization", memory_utilization_in(v.engine)},
        {"max_model_len", detail::number(v.max_model_len)},
        {"max_num_batched_tokens", detail::number(batched_tokens_in(v.engine, v.worst().part, v.max_model_len))},
        {"max_num_seqs", detail::number(max_sequences_in(v.engine, v.worst().part))},
        {"block_size", detail::number(block_tokens_in(v.engine))}}},
      {"load", detail::load_json(q, v)},
      {"parameters",
       {{"total", detail::number(p.total)},
        {"active", detail::number(p.active)},
        {"embedding", detail::number(p[part::embedding])},
        {"mtp", detail::number(p.mtp)},
        {"towers", detail::number(p.towers)}}},
      {"stored_weight_bytes", detail::number(q.stored)},
      {"resident_weight_bytes", detail::number(resident)},
      {"binding", {{"rank", v.worst().rank}, {"term", ullage::name(v.term)}}},
      {"ranks", std::move(ranks)},
      {"kv",
       {{"context", detail::number(v.kv.context)},
        {"logical_bytes_per_sequence", detail::number(v.kv.logical_per_sequence)},
        {"charged_bytes_per_sequence", detail::number(v.kv.charged_per_sequence)},
        {"block_tokens", detail::number(v.kv.block_tokens)},
        {"page_bytes", detail::number(v.kv.page)},
        {"groups", detail::number(v.kv.groups)},
        {"blocks", detail::number(v.kv.blocks)},
        {"reported_tokens", detail::number(v.kv.reported)},
        {"max_concurrency", detail::finite(v.kv.max_concurrency)},
        {"bytes_per_token", v.kv.linear ? detail::number(v.kv.per_token) : json(nullptr)},
        {"fixed_bytes_per_sequence", detail::number(v.kv.fixed_per_sequence)}}}};
  answer_json["plain_engine"] = v.engine.kind == engine_kind::plain ? json(nullptr) : detail::plain_answer(q);

  const limits most = solve(q.model, q.parts, q.parallel, q.engine, q.load, &v.given);
  json list = json::array();
  // What can be had and runs the engine; parts of the same maker first, smaller before larger.
  std::vector<accelerator> larger;
  for (const accelerator& a : catalog::accelerators)
    if (detail::can_be_offered(q.engine.kind, a)) larger.push_back(a);
  const vendor maker = v.worst().part.made_by;
  std::stable_sort(larger.begin(), larger.end(), [&](const accelerator& a, const accelerator& b) {
    if ((a.made_by == maker) != (b.made_by == maker)) return a.made_by == maker;
    return a.visible_memory() < b.visible_memory();
  });
  answer_json["limits"] = detail::limits_json(q, v, most, larger);
  remedies(v, larger, [&](const remedy& r) {
    std::string text;
    std::string flag;
    json patch = json::object();
    for (const change& c : r.changes) {
      const detail::worded_change w = detail::in_words(c, r, q, tree, larger);
      text += (text.empty() ? "" : " and ") + w.change;
      if (!w.flag.empty()) flag += (flag.empty() ? "" : " ") + w.flag;
      patch.update(w.patch, true);  // unlike merge_patch it keeps the nulls that remove keys
    }
    json patched = tree;
    patched.merge_patch(patch);
    const result<detail::asked_again> then = again(patched);
    if (!then) return;
    const rank_memory& worst = v.worst();
    const bytes gain = worst.device_decides() ? then->spare - worst.spare.mid : then->left - worst.left.mid;
    list.push_back({{"change", text},
                    {"flag", flag.empty() ? json(nullptr) : json(flag)},
                    {"patch", std::move(patch)},
                    {"gain_bytes", detail::number(gain)},
                    {"reported_tokens_then", detail::number(then->reported)},
                    {"unverified", then->memory_unverified ? json{"memory"} : json::array()},
                    {"verdict_then", ullage::name(then->then)}});
  });
  answer_json["remedies"] = std::move(list);
  return answer_json;
}

}  // namespace ullage::inline v0::io
