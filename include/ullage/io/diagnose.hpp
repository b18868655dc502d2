// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/io/observed.hpp>

// The ask diagnose: what a measured time of a deployment, an operation, or any kernel means.
namespace ullage::inline v0::io {

namespace detail {

/// A diagnosed deployment: the point, what it was read from, and what else could run it.
struct deployment {
  request& q;
  const json& tree;
  const plan_point& point;
  const observation& seen;
};

inline worded_change in_words(const speedup& s, const deployment& d, const std::vector<accelerator>& others) {
  const std::string n = std::to_string(s.number.value());
  const std::string format(s.format.name);
  const std::string devices = std::to_string(s.devices_then) + (s.devices_then == 1 ? " device" : " devices");
  const bool vllm = d.q.engine.kind == engine_kind::vllm;
  worded_change w;
  switch (s.kind) {
    case speed_change::weights:
      w = {format + " weights (linear layers and experts)",
           s.format == formats::fp8 ? "--quantization fp8" : "",
           {{"weights", format}}};
      break;
    case speed_change::kv_cache:
      w = {format + " KV cache", "--kv-cache-dtype " + format, {{"kv_cache", format}}};
      break;
    case speed_change::batch: w = {n + " sequences at once", "", {{"observed", {{"batch", s.number.value()}}}}}; break;
    case speed_change::tensor_parallel:
    case speed_change::pipeline_parallel: {
      const bool stages = s.kind == speed_change::pipeline_parallel;
      w = {stages ? "no pipeline, tensor parallel over " + n + " devices instead" : "tp " + n + " = " + devices,
           "--tensor-parallel-size " + n + (stages ? " --pipeline-parallel-size 1" : ""),
           device_patch(d.q, d.tree, {}, s.devices_then)};
      w.patch["parallel"] = {{"tp", s.number.value()}};
      if (stages) w.patch["parallel"]["pp"] = 1;
      if (d.q.parallel.ep > 1) w.patch["parallel"]["ep"] = s.number.value() * d.q.parallel.dp;
      if (d.q.parallel.dcp > s.number.value()) w.patch["parallel"]["dcp"] = s.number.value();
      if (!d.q.parallel.layers_per_stage.empty()) w.patch["parallel"]["layers_per_stage"] = nullptr;
      break;
    }
    case speed_change::cuda_graphs:
      w = {"CUDA graphs (without --enforce-eager)", "", {{"engine", {{"enforce_eager", false}}}}};
      break;
    case speed_change::step_gap:
      w = {"the next step scheduled while the device works", "--async-scheduling", nullptr};
      break;
    case speed_change::accelerator:
      w = {std::to_string(s.devices_then) + " x " + std::string(row_of(s.part, others).name) + " instead", "",
           device_patch(d.q, d.tree, s.part, s.devices_then)};
      w.patch["parallel"] = {{"tp", d.q.parallel.tp}};
      break;
  }
  if (!vllm) w.flag.clear();
  return w;
}

/// Whether the observed load fits a request's memory; `invalid` where that cannot be said.
inline ullage::answer fits_observed(const request& q, const observation& o) {
  load l;
  l.context = o.context + o.new_tokens + o.output_tokens + of<tokens>(1);
  l.concurrency = o.batch;
  return fits(q.model, q.parts, q.parallel, q.engine, l, &q.given).answer;
}

/// The patched request, and what it then predicts.
struct patched_plan {
  request q;
  prediction then{};
  observation seen{};
};
inline result<patched_plan> plan_again(const json& patched) {
  result<request> read = read_request(patched, {.load = load_words::none, .own_keys = {"observed"}});
  if (!read) return read.problem();
  patched_plan p;
  p.q = std::move(*read);
  object_reader o(p.q.body["observed"], "observed");
  std::string which;
  p.seen = read_observation(o, which);
  if (!o.ok()) return o.problem();
  const result<plan_point> point = point_of(p.q);
  if (!point) return point.problem();
  p.then = predict(p.seen, *point, constants_with_residuals(*point));
  if (p.then.problem != time_problem::none) return problem_of(p.then.problem);
  return p;
}

/// The three changes that gain most and fit, one of a kind; what a patch promises is what the patched request predicts.
inline json remedies_of(const deployment& d, const constants& c, const std::vector<accelerator>& others) {
  json list = json::array();
  const bool fits_now = fits_observed(d.q, d.seen) != answer::does_not_fit;
  const prediction now = predict(d.seen, d.point, c);
  std::vector<speed_change> told;
  for (const speedup& s : speedups(d.seen, d.point, c, others)) {
    if (list.size() == 3) break;
    if (std::find(told.begin(), told.end(), s.kind) != told.end()) continue;
    const worded_change w = in_words(s, d, others);
    if (w.patch.is_null()) {
      list.push_back(remedy_json(w.change, w.flag, nullptr, value_of(s.gain), s.then, s.then_limited_by, s.factor));
      told.push_back(s.kind);
      continue;
    }
    json patched = d.tree;
    patched.merge_patch(w.patch);
    const result<patched_plan> then = plan_again(patched);
    if (!then) continue;
    const answer verdict = fits_observed(then->q, then->seen);
    if (fits_now && verdict == answer::does_not_fit) continue;
    const double before = s.kind == speed_change::cuda_graphs ? value_of(d.seen.waited()) : value_of(now.time.mid);
    const double after = value_of(then->then.time.mid);
    const double times = real(then->seen.batch) / real(d.seen.batch);
    if (!(before - after / times > 0)) continue;
    json one = remedy_json(w.change, w.flag, w.patch, before - after / times, then->then.time,
                           ullage::detail::largest_share(then->then), before / after * times);
    if (verdict != answer::invalid) one["verdict_then"] = ullage::name(verdict);
    if (s.kind == speed_change::accelerator)
      one["unverified"] = unverified_figures(row_of(s.part, others), count(s.devices_then));
    list.push_back(std::move(one));
    told.push_back(s.kind);
  }
  return list;
}

inline void add_items(json& roofline, const observation& o, const prediction& p, const plan_point& point, phase which) {
  for (const step_item& i : items_of(o, p, point, which))
    if (i.time > seconds{}) add_point(roofline, i.name, i.work, i.time, point.part, false);
}

/// diagnose with a model.
inline result<json> diagnose_deployment(const json& tree) {
  if (const auto x = tree.find("op"); x != tree.end() && !x->is_null())
    return error{error_code::bad_value, "op", "op stands beside model; expected one of the two."};
  result<request> read = read_request(tree, {.load = load_words::none, .own_keys = {"observed"}});
  if (!read) return read.problem();
  request& q = *read;
  if (!q.body.contains("observed"))
    return error{
        error_code::bad_value, "observed",
        "observed is missing; expected an object with tpot_s, ttft_s or output_tokens_per_s, batch and context."};
  object_reader o(q.body["observed"], "observed");
  std::string which;
  const observation seen = read_observation(o, which);
  if (!o.ok()) return o.problem();
  const result<plan_point> point = point_of(q);
  if (!point) return point.problem();
  const constants c = constants_with_residuals(*point);
  note_sources(q, *point, c);
  if (q.engine.options.enforce_eager)
    q.assumed.push_back({"engine.enforce_eager", "false", false,
                         "what is usual is of captured graphs; what is lost without them counts as overhead"});
  const diagnosis d = diagnose(seen, *point, c);
  if (d.problem == time_problem::bad_load)
    return error{error_code::bad_value, "observed", "observed gives no time: the load is empty or too large."};
  if (d.problem != time_problem::none) {
    error e = problem_of(d.problem);
    if (e.field.starts_with("step"))  // a request without a step: what was measured asks for one
      e = {e.code, "observed." + which,
           "observed." + which + " gives no time: " + std::string(sentence(d.problem)) + "."};
    return e;
  }
  if (d.refused != refusal::none)
    return impossible(d, "observed." + which, shown(q.body["observed"][which]), point->part);
  json a = answer_head(q);
  a["accelerator"] = point->part.name;
  a["parallel"] = parallel_json(q.parallel);
  a["observed"] = q.body["observed"];
  a["observed"]["batch"] = number(seen.batch);
  a.update(diagnosis_json(d));
  const std::vector<accelerator> others = faster_parts(point->part, q.engine.kind, d.limited_by, d.arithmetic);
  a["remedies"] = remedies_of({q, tree, *point, seen}, c, others);
  a["roofline"] = roofs_json(point->part);
  const prediction p = predict(seen, *point, c);
  add_items(a["roofline"], seen, p, *point, p.decodes > 0 ? phase::decode : phase::prefill);
  add_point(a["roofline"], "observed", d.work, d.observed, point->part, true);
  return a;
}

/// diagnose of one operation, or of FLOP and bytes.
inline result<json> diagnose_kernel(const json& tree) {
  object_reader r(tree, "");
  op_place p = read_op_place(r, {"op", "observed"});
  if (!r.ok()) return r.problem();
  if (!r.has("observed"))
    return error{error_code::bad_value, "observed", "observed is missing; expected an object with time_s."};
  object_reader s(r.nested("observed"), "observed");
  if (!r.ok()) return r.problem();
  std::string which;
  const double seen = read_measurement(s, {"time_s"}, which);
  const bool is_op = r.has("op");
  double flop = 0;
  std::int64_t moved = 0;
  math m = math::bf16;
  op x;
  if (is_op) {
    s.finish();
    object_reader o(r.nested("op"), "op");
    if (!r.ok()) return r.problem();
    if (!s.ok()) return s.problem();
    x = read_op(o);
    if (!o.ok()) return o.problem();
    settle_fabric(p, x);
  } else {
    flop = s.real("flop", 0);
    moved = s.whole("moved_bytes", 0, 0);
    if (s.ok() && !(flop >= 0))
      s.fail_at("flop", error_code::bad_value, "is " + shown(*s.find("flop")) + "; expected 0 or more.");
    if (s.ok() && !(flop > 0) && moved == 0)
      s.missing("flop", "the operations, or moved_bytes, or both; a model or an op says them too");
    const std::string word = s.text("format", "bf16");
    bool known = false;
    std::string list;
    for (std::size_t i = 0; i < math_kinds; ++i) {
      const std::string_view name = ullage::name(static_cast<math>(i));
      list += (list.empty() ? "" : ", ") + std::string(name);
      if (word != name) continue;
      known = true;
      m = static_cast<math>(i);
    }
    if (s.ok() && !known)
      s.fail_at("format", error_code::unknown_format, "is " + in_quotes(word) + "; expected one of " + list + ".");
    if (s.ok() && !s.has("format") && flop > 0)
      p.q.assumed.push_back({"observed.format", "bf16", true, "absent; the arithmetic of the FLOP"});
    s.finish();
  }
  if (!s.ok()) return s.problem();
  const constants c = constants_of(p.q, p.part, is_op && x.kind == op_kind::collective ? x.group.value() : count(1));
  const seconds took = of<seconds>(seen);
  const auto ask = [&](std::span<const accelerator> others) {
    return is_op ? diagnose(x, took, p.part, p.scale_out, c, others)
                 : diagnose(of<operations>(flop), of<bytes>(moved), took, m, p.part, c, others);
  };
  diagnosis d = ask({});
  if (d.problem != time_problem::none) return problem_of(d.problem, p, x);
  if (d.refused != refusal::none) return impossible(d, "observed.time_s", shown(*s.find("time_s")), p.part);
  const std::vector<accelerator> others = faster_parts(p.part, engine_kind::plain, d.limited_by, d.arithmetic);
  d = ask(others);
  if (is_op && x.kind == op_kind::gemm)
    note_fallback(p.q, x, time(x, p.part, p.scale_out, c), p.part, p.scale_out, c);
  else if (!is_op && d.fell_back)
    p.q.assumed.push_back({"observed.format", std::string(ullage::name(d.arithmetic)), true,
                           std::string(p.part.name) + " has no known rate of " + std::string(ullage::name(m)) +
                               " products: held against its " + std::string(ullage::name(d.arithmetic)) + " peak"});
  json a = {{"id", p.q.id},
            {"schema", 1},
            {"status", "ok"},
            {"ask", "diagnose"},
            {"assumed", assumptions(p.q.assumed)},
            {"accelerator", p.part.name},
            {"op", is_op ? op_json(x) : json(nullptr)},
            {"observed", r.nested("observed")}};
  a.update(diagnosis_json(d));
  json list = json::array();
  for (const speedup& one : d.changes) {
    const std::string n = std::to_string(one.number.value());
    std::string change;
    json patch;
    switch (one.kind) {
      case speed_change::weights:
        change = std::string(one.format.name) + " weights";
        patch = {{"op", {{"format", one.format.name}}}};
        break;
      case speed_change::kv_cache:
        change = std::string(one.format.name) + " KV cache";
        patch = {{"op", {{"format", one.format.name}}}};
        break;
      case speed_change::batch:
        change = n + (x.kind == op_kind::gemm ? " rows at once" : " sequences at once");
        patch = {{"op", {{x.kind == op_kind::gemm ? "m" : "batch", one.number.value()}}}};
        break;
      default:
        change = std::string(row_of(one.part, others).name) + " instead";
        patch = {{"accelerator", one.part}};
        break;
    }
    list.push_back(
        remedy_json(change, "", std::move(patch), value_of(one.gain), one.then, one.then_limited_by, one.factor));
    if (one.kind == speed_change::accelerator)
      list.back()["unverified"] = unverified_figures(row_of(one.part, others), count(1));
  }
  a["remedies"] = std::move(list);
  a["roofline"] = roofs_json(p.part);
  add_point(a["roofline"], "expected", d.work, d.expected.mid, p.part, false);
  add_point(a["roofline"], "observed", d.work, d.observed, p.part, true);
  return a;
}

}  // namespace detail

/// diagnose: what a measured time means, of a deployment (`model`), of one operation (`op`), or of FLOP and bytes.
inline result<json> diagnose_answer(const json& tree) {
  const bool planned = tree.is_object() && tree.contains("model") && !tree["model"].is_null();
  return planned ? detail::diagnose_deployment(tree) : detail::diagnose_kernel(tree);
}

}  // namespace ullage::inline v0::io
