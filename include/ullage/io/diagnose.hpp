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
      // What was measured on one part is no property of another.
      if (d.q.body.contains("constants")) w.patch["constants"] = nullptr;
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

inline constants constants_of_part(const accelerator& a, kernel_stack stack) noexcept {
  return constants_with_residuals(a, stack);
}

/// The patched request, and what it then predicts.
struct patched_plan {
  request q;
  prediction then{};
  observation seen{};
};
inline result<patched_plan> plan_again(const json& patched) {
  result<request> read = read_request(patched, {.load = load_words::none, .own_keys = {"observed", "constants"}});
  if (!read) return read.problem();
  patched_plan p;
  p.q = std::move(*read);
  object_reader o(p.q.body["observed"], "observed");
  std::string which;
  p.seen = read_observation(o, which);
  if (!o.ok()) return o.problem();
  const result<plan_point> point = point_of(p.q);
  if (!point) return point.problem();
  const result<constants> c = constants_of(p.q, *point);
  if (!c) return c.problem();
  p.then = predict(p.seen, *point, *c);
  if (p.then.problem != time_problem::none) return problem_of(p.then.problem);
  return p;
}

/// The three changes that gain most and fit, one of a kind; what a patch promises is what the patched request predicts.
inline json remedies_of(const deployment& d, const constants& c, const std::vector<accelerator>& others) {
  json list = json::array();
  const bool fits_now = fits_observed(d.q, d.seen) != answer::does_not_fit;
  const prediction now = predict(d.seen, d.point, c);
  std::vector<speed_change> told;
  for (const speedup& s : speedups(d.seen, d.point, c, others, &constants_of_part)) {
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
  result<request> read = read_request(tree, {.load = load_words::none, .own_keys = {"observed", "constants"}});
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
  const result<constants> known = constants_of(q, *point);
  if (!known) return known.problem();
  const constants& c = *known;
  note_sources(q, *point);
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

/// FLOP and bytes of a kernel that has no name.
struct asked_kernel {
  double flop = 0;
  std::int64_t moved = 0;
  math arithmetic = math::bf16;
};
inline asked_kernel read_kernel(object_reader& s, op_place& p) {
  asked_kernel k;
  k.flop = s.real("flop", 0);
  k.moved = s.whole("moved_bytes", 0, 0);
  if (s.ok() && !(k.flop >= 0))
    s.fail_at("flop", error_code::bad_value, "is " + shown(*s.find("flop")) + "; expected 0 or more.");
  if (s.ok() && !(k.flop > 0) && k.moved == 0)
    s.missing("flop", "the operations, or moved_bytes, or both; a model or an op says them too");
  const std::string word = s.text("format", "bf16");
  bool known = false;
  std::string list;
  for (std::size_t i = 0; i < math_kinds; ++i) {
    const std::string_view name = ullage::name(static_cast<math>(i));
    list += (list.empty() ? "" : ", ") + std::string(name);
    if (word != name) continue;
    known = true;
    k.arithmetic = static_cast<math>(i);
  }
  if (s.ok() && !known)
    s.fail_at("format", error_code::unknown_format, "is " + in_quotes(word) + "; expected one of " + list + ".");
  if (s.ok() && !s.has("format") && k.flop > 0)
    p.q.assumed.push_back({"observed.format", "bf16", true, "absent; the arithmetic of the FLOP"});
  s.finish();
  return k;
}

/// A change to one operation, or to a kernel's part, in words and as a patch.
inline worded_change in_words(const speedup& s, const asked_op& asked, const json& tree,
                              const std::vector<accelerator>& others) {
  const std::string n = std::to_string(s.number.value());
  const op& x = asked.x;
  worded_change w;
  switch (s.kind) {
    case speed_change::weights:
      w = {std::string(s.format.name) + " weights", "", {{"op", {{"format", s.format.name}}}}};
      break;
    case speed_change::kv_cache:
      w = {std::string(s.format.name) + " KV cache", "", {{"op", {{"format", s.format.name}}}}};
      break;
    case speed_change::batch: {
      const bool rows = ullage::detail::counts_rows(x.kind);
      const char* key = x.kind == op_kind::gemm ? "m" : rows ? "tokens" : "batch";
      w = {n +
               (x.kind == op_kind::gemm ? " rows"
                : rows                  ? " tokens"
                                        : " sequences") +
               " at once",
           "",
           {{"op", {{key, s.number.value()}}}}};
      break;
    }
    default:
      w = {std::string(row_of(s.part, others).name) + " instead", "", {{"accelerator", s.part}}};
      // What was measured on one part is no property of another.
      if (const auto said = tree.find("constants"); said != tree.end() && !said->is_null())
        w.patch["constants"] = nullptr;
      break;
  }
  return w;
}

/// What a patched request about one operation says that it takes.
inline result<op_time> time_again(const json& patched) {
  object_reader r(patched, "");
  op_place p = read_op_place(r, {"op", "observed"});
  if (!r.ok()) return r.problem();
  object_reader o(r.nested("op"), "op");
  const asked_op asked = read_op(o);
  if (!o.ok()) return o.problem();
  settle_fabric(p, asked.x);
  const constants c = constants_of(r, p, asked);
  if (!r.ok()) return r.problem();
  const op_time t = time(asked.x, p.part, p.scale_out, c);
  if (t.problem != time_problem::none) return problem_of(t.problem, p, asked.x);
  return t;
}

/// The three changes to an operation that gain most; what a patch promises is what the patched request predicts.
inline json remedies_of(const asked_op& asked, const json& tree, const op_place& p, const constants& c,
                        const std::vector<accelerator>& others) {
  json list = json::array();
  const double now = value_of(time(asked.x, p.part, p.scale_out, c).time.mid);
  std::vector<speed_change> told;
  for (const speedup& s : speedups(asked.x, p.part, p.scale_out, c, others, &constants_of_part)) {
    if (list.size() == 3) break;
    if (std::find(told.begin(), told.end(), s.kind) != told.end()) continue;
    worded_change w = in_words(s, asked, tree, others);
    json patched = tree;
    patched.merge_patch(w.patch);
    const result<op_time> then = time_again(patched);
    if (!then) continue;
    const double times = s.kind == speed_change::batch ? 2 : 1;
    const double after = value_of(then->time.mid);
    if (!(now - after / times > .02 * now)) continue;
    list.push_back(remedy_json(w.change, "", std::move(w.patch), now - after / times, then->time, then->limited_by,
                               now / after * times));
    if (s.kind == speed_change::accelerator)
      list.back()["unverified"] = unverified_figures(row_of(s.part, others), count(1));
    told.push_back(s.kind);
  }
  return list;
}
/// The same of FLOP and bytes, which another part alone can change.
inline json remedies_of(const diagnosis& d, const json& tree, const std::vector<accelerator>& others) {
  json list = json::array();
  for (const speedup& s : d.changes) {
    worded_change w = in_words(s, {}, tree, others);
    list.push_back(
        remedy_json(w.change, "", std::move(w.patch), value_of(s.gain), s.then, s.then_limited_by, s.factor));
    list.back()["unverified"] = unverified_figures(row_of(s.part, others), count(1));
  }
  return list;
}

inline json kernel_head(const op_place& p, json op, const json& observed) {
  return {{"id", p.q.id},
          {"schema", 1},
          {"status", "ok"},
          {"ask", "diagnose"},
          {"assumed", assumptions(p.q.assumed)},
          {"accelerator", p.part.name},
          {"op", std::move(op)},
          {"observed", observed}};
}
inline void add_kernel_roofline(json& a, const diagnosis& d, const accelerator& part) {
  a["roofline"] = roofs_json(part);
  add_point(a["roofline"], "expected", d.work, d.expected.mid, part, false);
  add_point(a["roofline"], "observed", d.work, d.observed, part, true);
}

/// diagnose of one operation.
inline result<json> diagnose_op(const json& tree, object_reader& r, op_place& p, double seen) {
  object_reader o(r.nested("op"), "op");
  if (!r.ok()) return r.problem();
  const asked_op asked = read_op(o);
  if (!o.ok()) return o.problem();
  const op& x = asked.x;
  settle_fabric(p, x);
  const constants c = constants_of(r, p, asked);
  if (!r.ok()) return r.problem();
  const diagnosis d = diagnose(x, of<seconds>(seen), p.part, p.scale_out, c);
  if (d.problem != time_problem::none) return problem_of(d.problem, p, x);
  if (d.refused != refusal::none)
    return impossible(d, "observed.time_s", shown(r.nested("observed")["time_s"]), p.part);
  const op_time usual = time(x, p.part, p.scale_out, c);
  note_stack(p.q, asked, usual, p.part);
  note_fallback(p.q, x, usual, p.part, p.scale_out, c);
  json a = kernel_head(p, op_json(asked), r.nested("observed"));
  a.update(diagnosis_json(d));
  a["fell_back"] = picks_arithmetic(x.kind) && d.fell_back;
  a["inside_measured_hull"] = hull_json(hull_of(x, p.part, c));
  a["remedies"] = remedies_of(asked, tree, p, c, faster_parts(p.part, engine_kind::plain, d.limited_by, d.arithmetic));
  add_kernel_roofline(a, d, p.part);
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
  if (r.has("op")) {
    s.finish();
    if (!s.ok()) return s.problem();
    return diagnose_op(tree, r, p, seen);
  }
  const asked_kernel k = read_kernel(s, p);
  if (!s.ok()) return s.problem();
  asked_op as_product;  // whose constants are those of its arithmetic
  as_product.x.weights = find_format(ullage::name(k.arithmetic));
  const constants c = constants_of(r, p, as_product);
  if (!r.ok()) return r.problem();
  const auto ask = [&](std::span<const accelerator> others) {
    return diagnose(of<operations>(k.flop), of<bytes>(k.moved), of<seconds>(seen), k.arithmetic, p.part, c, others);
  };
  diagnosis d = ask({});
  if (d.problem != time_problem::none) return problem_of(d.problem, p, op{});
  if (d.refused != refusal::none) return impossible(d, "observed.time_s", shown(*s.find("time_s")), p.part);
  const std::vector<accelerator> others = faster_parts(p.part, engine_kind::plain, d.limited_by, d.arithmetic);
  d = ask(others);
  if (d.fell_back)
    p.q.assumed.push_back({"observed.format", std::string(ullage::name(d.arithmetic)), true,
                           std::string(p.part.name) + " has no known rate of " +
                               std::string(ullage::name(k.arithmetic)) + " products: held against its " +
                               std::string(ullage::name(d.arithmetic)) + " peak"});
  json a = kernel_head(p, nullptr, r.nested("observed"));
  a.update(diagnosis_json(d));
  a["remedies"] = remedies_of(d, tree, others);
  add_kernel_roofline(a, d, p.part);
  return a;
}

}  // namespace detail

/// diagnose: what a measured time means, of a deployment (`model`), of one operation (`op`), or of FLOP and bytes.
inline result<json> diagnose_answer(const json& tree) {
  const bool planned = tree.is_object() && tree.contains("model") && !tree["model"].is_null();
  return planned ? detail::diagnose_deployment(tree) : detail::diagnose_kernel(tree);
}

}  // namespace ullage::inline v0::io
