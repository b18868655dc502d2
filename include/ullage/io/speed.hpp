// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <ullage/io/answer.hpp>
#include <ullage/io/constants.hpp>
#include <ullage/performance.hpp>

// The asks about time: perf (a service in its steady state) and step (one step of the engine).
namespace ullage::inline v0::io {

namespace detail {

/// A band of a real quantity; an unbounded end is null.
inline json real_band(double low, double mid, double high, basis from) {
  json j = {{"low", finite(low)}, {"mid", finite(mid)}, {"high", finite(high)}, {"basis", ullage::name(from)}};
  if (!std::isfinite(low) || !std::isfinite(mid) || !std::isfinite(high)) j["unbounded"] = true;
  return j;
}
template <class Unit>
json banded(const estimate<boost::units::quantity<Unit, double>>& e) {
  return real_band(e.low.value(), e.mid.value(), e.high.value(), e.from);
}
inline json banded(const estimate<double>& e) {
  return real_band(e.low, e.mid, e.high, e.from);
}

inline json step_json(const step_time& t) {
  return {{"time_s", banded(t.total)},
          {"bound", ullage::name(t.limited_by)},
          {"linear_s", banded(t.linear)},
          {"attention_s", banded(t.attention)},
          {"experts_s", banded(t.experts)},
          {"collectives_s", banded(t.collectives)},
          {"elementwise_s", banded(t.elementwise)},
          {"head_s", banded(t.head)},
          {"overhead_s", banded(t.overhead)},
          {"shares_s",
           {{"compute", finite(value_of(t.compute_share))},
            {"memory", finite(value_of(t.memory_share))},
            {"network", finite(value_of(t.network_share))},
            {"overhead", finite(value_of(t.overhead_share))}}},
          {"linear_as", ullage::name(t.linear_as)},
          {"experts_as", ullage::name(t.experts_as)},
          {"fell_back", t.fell_back}};
}

inline error problem_of(time_problem p) {
  const bool layout = p == time_problem::layout;
  const bool load = p == time_problem::bad_load;
  const std::string field = layout                              ? "parallel"
                            : load                              ? "load"
                            : p == time_problem::unknown_format ? "weights"
                            : p == time_problem::not_modelled   ? "model"
                            : p == time_problem::no_decode      ? "step.phase"
                                                                : "devices";
  return {layout                              ? error_code::unsupported_layout
          : p == time_problem::unknown_format ? error_code::unknown_format
                                              : error_code::bad_value,
          field, field + " gives no time: " + std::string(sentence(p)) + "."};
}

inline error problem_of(time_problem p, const request& q) {
  if (p != time_problem::beyond_domain && p != time_problem::no_fabric) return problem_of(p);
  const accelerator& a = q.parts[0];
  return {error_code::bad_value, "devices",
          "devices is " + number(q.parallel.world()).dump() + " " + std::string(a.name) + ", of which " +
              std::to_string(integer(a.node_devices())) +
              " can work as a group; expected at most so many, or an accelerator named by a machine with a network, "
              "such as \"DGX H200\"."};
}

/// The parts of an answer that say what was asked on.
inline json answer_head(const request& q) {
  json j = {{"id", q.id},
            {"schema", 1},
            {"status", "ok"},
            {"ask", q.ask},
            {"assumed", assumptions(q.assumed)},
            {"model",
             {{"name", q.model.name.view()},
              {"model_type", q.model.model_type.view()},
              {"layers", q.model.layers},
              {"weights", weights_in(q.engine, q.model).name},
              {"kv_cache", kv_format_in(q.engine, q.model).name}}}};
  return j;
}
inline json parallel_json(const layout& l) {
  return {{"tp", l.tp},
          {"pp", l.pp},
          {"dp", l.dp},
          {"ep", l.ep},
          {"cp", l.cp},
          {"dcp", l.dcp},
          {"devices", number(l.world())}};
}

inline result<plan_point> point_of(const request& q) {
  if (q.parts.size() != 1)
    return error{error_code::bad_value, "devices",
                 "devices has different parts; expected equal ones where time is asked."};
  // Beyond a machine its network, where one was named; inside it, and where none was, what the host's links carry.
  const bool leaves =
      q.machine != nullptr && q.machine->nics > count(0) && q.parallel.world() > q.machine->accelerators.value();
  const fabric out = leaves ? q.machine->scale_out() : q.parts[0].host_fabric();
  return plan_point{&q.model, q.parts[0], q.parallel, q.engine, out};
}

/// Figures that a time of a group rests on and nobody has a document for.
inline void note_unverified(request& q, const accelerator& a, count group) {
  std::string list;
  for (std::string_view figure : unverified_figures(a, group))
    if (figure != "memory" && figure != "power") list += (list.empty() ? "" : ", ") + std::string(figure);
  if (!list.empty())
    q.assumed.push_back({"accelerator", std::string(a.name), true, "unverified, no document at hand: its " + list});
}

/// What the times of a plan rest on, beside its constants.
inline void note_sources(request& q, const plan_point& p) {
  note_unverified(q, p.part, q.parallel.world());
  if (q.parallel.world() > p.part.scale_up.domain.value())
    q.assumed.push_back({"fabric", std::string(p.scale_out.name), true,
                         "between groups of " + std::to_string(integer(p.part.scale_up.domain)) + " joined devices"});
}

}  // namespace detail

/// perf: latency and throughput of a service in its steady state, and whether its conversations fit.
inline result<json> perf_answer(const json& tree) {
  result<request> read = read_request(tree, {.load = detail::load_words::traffic, .needs_load = true, .own_keys = {"constants"}});
  if (!read) return read.problem();
  request& q = *read;
  const result<plan_point> point = detail::point_of(q);
  if (!point) return point.problem();
  const result<constants> said = detail::constants_of(q, *point);
  if (!said) return said.problem();
  const constants& c = *said;
  detail::note_sources(q, *point);
  const verdict v = fits(q.model, q.parts, q.parallel, q.engine, q.load, &q.given);
  if (v.answer == answer::invalid) return detail::problem_of(v);
  traffic t = q.traffic;
  t.kv_concurrency = max_concurrency(v, q.load.context);
  const service s = perf(*point, t, c);
  // Not one conversation fits: a verdict, with no times to go with it.
  const bool room = s.problem != time_problem::no_room;
  if (room && s.problem != time_problem::none) return detail::problem_of(s.problem, q);
  json a = detail::answer_head(q);
  a["verdict"] = room ? ullage::name(v.answer) : ullage::name(answer::does_not_fit);
  a["left_bytes"] = detail::banded(v.worst().left);
  a["kv_concurrency"] = detail::number(t.kv_concurrency);
  a["accelerator"] = point->part.name;
  a["parallel"] = detail::parallel_json(q.parallel);
  a["engine"] = {
      {"name", ullage::name(q.engine.kind)},
      {"version", q.engine.kind == engine_kind::vllm ? json(detail::version_text(q.engine.version)) : json(nullptr)}};
  a["load"] = {{"input_tokens", detail::number(t.input_tokens)},
               {"output_tokens", detail::number(t.output_tokens)},
               {"prefix_hit", t.prefix_hit},
               {"concurrency", t.concurrency > sequences{} ? detail::number(t.concurrency) : json(nullptr)},
               {"request_rate", t.concurrency > sequences{} ? json(nullptr) : json(t.request_rate)}};
  if (!room) {
    for (const char* key : {"ttft_s", "tpot_s", "output_tokens_per_s", "output_tokens_per_device_per_s",
                            "total_tokens_per_device_per_s", "requests_per_s", "bound", "breakdown"})
      a[key] = nullptr;
    a["running"] = 0;
    a["limit"] = ullage::name(service_limit::kv_cache);
    return a;
  }
  a["ttft_s"] = detail::banded(s.ttft);
  a["tpot_s"] = detail::banded(s.tpot);
  a["output_tokens_per_s"] = detail::banded(s.output);
  a["output_tokens_per_device_per_s"] = detail::banded(s.output_per_device);
  a["total_tokens_per_device_per_s"] = detail::banded(s.total_per_device);
  a["requests_per_s"] = detail::banded(s.requests_per_second);
  a["running"] = detail::finite(s.running);
  a["limit"] = ullage::name(s.limit);
  a["bound"] = ullage::name(s.limited_by);
  a["breakdown"] = {{"decode", detail::step_json(s.decode)}, {"prefill", detail::step_json(s.prefill)}};
  return a;
}

/// step: the time of one step, and what it is spent on.
inline result<json> step_answer(const json& tree) {
  result<request> read = read_request(tree, {.load = detail::load_words::none, .own_keys = {"step", "constants"}});
  if (!read) return read.problem();
  request& q = *read;
  if (!q.body.contains("step"))
    return error{error_code::bad_value, "step",
                 "step is missing; expected an object with phase, batch, context and tokens."};
  object_reader s(q.body["step"], "step");
  const std::string phase_name = s.text("phase");
  if (s.ok() && phase_name.empty()) s.missing("phase", "prefill or decode");
  if (s.ok() && phase_name != "prefill" && phase_name != "decode")
    s.fail_at("phase", error_code::bad_value, "is " + detail::in_quotes(phase_name) + "; expected prefill or decode.");
  const phase ph = phase_name == "prefill" ? phase::prefill : phase::decode;
  const std::int64_t batch = s.required_whole("batch", 1, detail::most_tokens);
  const std::int64_t context = ph == phase::prefill ? s.whole("context", 0, 0, detail::most_tokens)
                                                    : s.required_whole("context", 0, detail::most_tokens);
  const std::int64_t fresh = ph == phase::prefill ? s.required_whole("tokens", 1, detail::most_tokens)
                                                  : s.whole("tokens", 1, 1, detail::most_tokens);
  if (s.ok() && ph == phase::decode && fresh != 1)
    s.fail_at("tokens", error_code::bad_value,
              "is " + std::to_string(fresh) + "; expected 1 or null for a decode step.");
  s.finish();
  if (!s.ok()) return s.problem();
  const result<plan_point> point = detail::point_of(q);
  if (!point) return point.problem();
  const result<constants> said = detail::constants_of(q, *point);
  if (!said) return said.problem();
  const constants& c = *said;
  detail::note_sources(q, *point);
  const step_time t = step(*point, ph, of<sequences>(batch), of<tokens>(context), of<tokens>(fresh), c);
  if (t.problem != time_problem::none) return detail::problem_of(t.problem, q);
  json a = detail::answer_head(q);
  a["accelerator"] = point->part.name;
  a["parallel"] = detail::parallel_json(q.parallel);
  a["step"] = {{"phase", phase_name}, {"batch", batch}, {"context", context}, {"tokens", fresh}};
  a["time_s"] = detail::banded(t.total);
  a["bound"] = ullage::name(t.limited_by);
  a["breakdown"] = detail::step_json(t);
  return a;
}

}  // namespace ullage::inline v0::io
