// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <ullage/io/speed.hpp>
#include <ullage/plan/select.hpp>
#include <vector>

namespace ullage::inline v0::io {

namespace detail {

inline std::string_view unit_of_limit(limit_kind k) {
  switch (k) {
    case limit_kind::memory:
    case limit_kind::memory_total: return "bytes";
    case limit_kind::power:
    case limit_kind::power_unknown: return "w";
    case limit_kind::ttft:
    case limit_kind::tpot:
    case limit_kind::latency: return "s";
    case limit_kind::items_rate: return "items_per_s";
    case limit_kind::request_rate: return "requests_per_s";
    case limit_kind::device_count: return "devices";
    case limit_kind::layout:
    case limit_kind::no_speed: return "";
  }
  return "";
}
inline std::string reason_of(const rejection& r) {
  const auto text = [](const char* format, auto... x) {
    char line[256];
    std::snprintf(line, sizeof line, format, x...);
    return std::string(line);
  };
  const long long n = static_cast<long long>(r.devices);
  const char* s = n == 1 ? "" : "s";     // devices
  const char* verb = n == 1 ? "s" : "";  // draws, draw
  switch (r.limit) {
    case limit_kind::layout: return "no tensor-parallel size up to 8 inside one node divides the model";
    case limit_kind::device_count:
      return text("it needs %.0f device%s, more than the %.0f allowed", r.need, r.need == 1 ? "" : "s", r.have);
    case limit_kind::memory:
      return text("on %lld device%s %.1f GB a device are needed and the engine's budget is %.1f GB", n, s, r.need / 1e9,
                  r.have / 1e9);
    case limit_kind::power_unknown: return "its power is not published, and power is limited";
    case limit_kind::power:
      return text("%lld device%s draw%s %.0f W, more than the %.0f W allowed", n, s, verb, r.need, r.have);
    case limit_kind::memory_total:
      return text("%lld device%s %s %.1f GB, more than the %.1f GB allowed", n, s, n == 1 ? "has" : "have",
                  r.need / 1e9, r.have / 1e9);
    case limit_kind::no_speed: return "its time cannot be estimated, and the load or a limit needs it";
    case limit_kind::ttft:
      return text("at best the first token takes %.3g s on %lld device%s, longer than the %.3g s allowed", r.need, n, s,
                  r.have);
    case limit_kind::tpot:
      return text("at best an output token takes %.3g s on %lld device%s, longer than the %.3g s allowed", r.need, n, s,
                  r.have);
    case limit_kind::request_rate:
      return text("%lld device%s serve%s %.3g requests/s, fewer than the %.6g that arrive", n, s, verb, r.have, r.need);
    case limit_kind::latency:
      return text("a pass takes %.3g s on %lld device%s, longer than the %.3g s allowed", r.need, n, s, r.have);
    case limit_kind::items_rate:
      return text("%lld device%s make%s %.4g items/s, fewer than the %.4g wanted", n, s, verb, r.have, r.need);
  }
  return "";
}

/// What the choices are ranked by. `timed`: latency can be estimated.
inline std::optional<error> read_objective(request& q, constraints& limits, bool timed) {
  if (!q.body.contains("objective")) {
    q.assumed.push_back({"objective", "devices", true, "absent; the fewest devices"});
    return std::nullopt;
  }
  const json& word = q.body["objective"];
  bool known = false;
  for (objective o : {objective::fewest_devices, objective::latency, objective::power})
    if (word.is_string() && word.get_ref<const std::string&>() == ullage::name(o)) {
      limits.rank_by = o;
      known = true;
    }
  if (!known)
    return error{error_code::bad_value, "objective",
                 "objective is " + shown(word) + "; expected devices, latency or power."};
  if (limits.rank_by == objective::latency && !timed)
    return error{
        error_code::bad_value, "objective",
        "objective is \"latency\" without traffic; expected load.input_tokens and load.output_tokens beside it."};
  return std::nullopt;
}

/// The parts to choose from; without a list all that ship and that the engine runs on.
inline std::optional<error> read_offers(request& q, std::vector<offer>& offers) {
  if (!q.body.contains("offers")) {
    for (const accelerator& a : catalog::accelerators)
      if (can_be_offered(q.engine.kind, a)) offers.push_back({a, nullptr});
    q.assumed.push_back({"offers", std::to_string(offers.size()), false,
                         "absent; every accelerator of the catalogue that ships and that the engine runs on"});
    return std::nullopt;
  }
  const json none = json::object();
  const json& list = q.body["offers"];
  if (!list.is_array() || list.empty() || list.size() > 1024)
    return error{error_code::bad_value, "offers",
                 "offers is " + shown(list) + "; expected a list of 1 to 1024 accelerators."};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string field = "offers[" + std::to_string(i) + "]";
    if (!list[i].is_string())
      return error{error_code::bad_value, field,
                   field + " is " + shown(list[i]) + "; expected the name of an accelerator."};
    object_reader named(none, "");
    const accelerator part = part_named(q, named, field, list[i].get<std::string>(), 0, false);
    if (!named.ok()) return named.problem();
    offers.push_back({part, nullptr});
  }
  return std::nullopt;
}

/// The limits that every model has.
inline void read_limits(object_reader& l, constraints& limits) {
  limits.max_devices = of<devices>(l.whole("max_devices", 0, 1, most_offered_devices));
  limits.max_memory = of<bytes>(l.whole("max_memory_bytes", 0, 1));
}
/// A limit of more than 0; 0 where it is absent.
inline double positive(object_reader& l, std::string_view key) {
  const double x = l.real(key, 0);
  if (l.has(key) && !(x > 0))
    l.fail_at(key, error_code::bad_value, "is " + shown(*l.find(key)) + "; expected more than 0.");
  return x;
}

/// `group`: devices that work together, whose fabric then counts.
inline json choice_json(const choice& c, count group) {
  return {{"accelerator", c.part.name},
          {"id", c.part.id},
          {"devices", c.devices},
          {"replicas", c.replicas},
          {"parallel", parallel_json(c.layout)},
          {"verdict", ullage::name(c.answer)},
          {"left_bytes", number(c.left)},
          {"power_w", value_of(c.power) > 0 ? json(value_of(c.power)) : json(nullptr)},
          {"unverified", unverified_figures(c.part, group)},
          {"ttft_s", nullptr},
          {"tpot_s", nullptr},
          {"output_tokens_per_s", nullptr},
          {"bound", nullptr},
          {"limit", nullptr}};
}
inline json rejection_json(const rejection& r, count group) {
  return {{"accelerator", r.part.name},
          {"id", r.part.id},
          {"devices", r.devices},
          {"replicas", r.replicas},
          {"limit", ullage::name(r.limit)},
          {"need", finite(r.need)},
          {"have", finite(r.have)},
          {"unit", unit_of_limit(r.limit)},
          {"unverified", unverified_figures(r.part, group)},
          {"why", reason_of(r)}};
}

}  // namespace detail

/// select: which parts, and how many, carry a model and its traffic inside the limits; every other part with the limit
/// that rejected it.
inline result<json> select_answer(const json& tree) {
  result<request> read = read_request(
      tree, {.load = detail::load_words::both, .devices = false, .own_keys = {"constraints", "objective", "offers"}});
  if (!read) return read.problem();
  request& q = *read;
  const auto own = [&](const char* key) -> json { return q.body.contains(key) ? q.body[key] : json::object(); };

  constraints limits;
  const json said = own("constraints");
  object_reader l(said, "constraints");
  detail::read_limits(l, limits);
  limits.max_power = of<watts>(detail::positive(l, "max_power_w"));
  limits.max_ttft = of<seconds>(detail::positive(l, "max_ttft_s"));
  limits.max_tpot = of<seconds>(detail::positive(l, "max_tpot_s"));
  if (l.ok() && !q.asks_speed())
    for (std::string_view key : {"max_ttft_s", "max_tpot_s"})
      if (l.has(key))
        l.fail_at(key, error_code::bad_value,
                  "is given without traffic; expected load.input_tokens and load.output_tokens beside it.");
  l.finish();
  if (!l.ok()) return l.problem();

  if (const auto problem = detail::read_objective(q, limits, q.asks_speed())) return *problem;
  std::vector<offer> offers;
  if (const auto problem = detail::read_offers(q, offers)) return *problem;

  // Measured terms hold on their part and layout.
  std::vector<calibration> holds;
  holds.reserve(offers.size());
  bool offered = false;
  if (q.measured)
    for (offer& o : offers) {
      if (!detail::same_measured_part(*q.measured, o.part)) continue;
      const tokens longest = ullage::detail::model_length(q.model, q.engine, q.load);
      holds.push_back(detail::terms_that_hold(*q.measured, q.model, q.engine, o.part, longest, tree, q.assumed));
      o.given = &holds.back();
      o.given_layout = q.measured->parallel;
      offered = true;
    }
  if (q.measured)
    q.assumed.push_back({"calibration", q.measured->accelerator, true,
                         offered ? "its measured terms are taken for this part at " +
                                       detail::layout_words(q.measured->parallel) + "; its rules for every part"
                                 : "this part is not among the offers; the rules alone are taken"});
  // Times as `perf` has them: with residual grids, which are data of the catalogue.
  std::vector<constants> times;
  times.reserve(q.asks_speed() ? offers.size() : 0);
  if (q.asks_speed())
    for (offer& o : offers) {
      times.push_back(constants_with_residuals(o.part, stack_of(name(q.engine.kind))));
      o.measured = &times.back();
    }
  workload w;
  w.model = &q.model;
  w.engine = q.engine;
  w.load = q.load;
  w.traffic = q.traffic;
  json chosen = json::array();
  json rejected = json::array();
  select(
      w, limits, offers,
      [&](const choice& c) {
        json j = detail::choice_json(c, c.layout.world());
        if (c.speed_known) {
          j["ttft_s"] = detail::banded(c.speed.ttft);
          j["tpot_s"] = detail::banded(c.speed.tpot);
          j["output_tokens_per_s"] = detail::banded(c.speed.output);
          j["bound"] = ullage::name(c.speed.limited_by);
          j["limit"] = ullage::name(c.speed.limit);
        }
        chosen.push_back(std::move(j));
      },
      [&](const rejection& r) { rejected.push_back(detail::rejection_json(r, count(r.devices / r.replicas))); });
  json a = detail::answer_head(q);
  a["objective"] = ullage::name(limits.rank_by);
  a["chosen"] = std::move(chosen);
  a["rejected"] = std::move(rejected);
  return a;
}

}  // namespace ullage::inline v0::io
