// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <ullage/performance.hpp>
#include <ullage/plan/opaque.hpp>
#include <ullage/plan/solve.hpp>

namespace ullage::inline v0 {

/// What the hardware is for: a model in an engine, the conversations that must fit, and the traffic for its speed.
struct workload {
  const transformer* model = nullptr;  ///< must outlive the call
  ullage::engine engine{};
  ullage::load load{};
  ullage::traffic traffic{};  ///< input_tokens 0 = speed is not asked, and no latency can be limited
  /// Instead of `model`: its items at once are load.concurrency; 0 = as many as suit each part, up to `most_opaque_batch`
  /// a device. The engine is plain, the load has no context, the devices are replicas.
  const opaque_model* opaque = nullptr;
};
inline constexpr std::int64_t most_opaque_batch = 256;

/// What a choice is ranked by.
enum class objective : std::uint8_t { fewest_devices, latency, power };
constexpr std::string_view name(objective o) noexcept {
  switch (o) {
    case objective::fewest_devices: return "devices";
    case objective::latency: return "latency";
    case objective::power: return "power";
  }
  return "devices";
}

/// Limits that a choice must keep, and what the choices are ranked by; zero = no limit.
struct constraints {
  devices max_devices{};  ///< at most 8 are tried
  watts max_power{};      ///< thermal design power of all devices together
  bytes max_memory{};     ///< visible memory of all devices together
  seconds max_ttft{};     ///< held against the middle of the band
  seconds max_tpot{};
  seconds max_latency{};            ///< of a pass over the items at once of an opaque model, middle of the band
  double min_items_per_second = 0;  ///< of an opaque model, all devices together, middle of the band
  objective rank_by = objective::fewest_devices;
};

/// Something that can be had. Prices will stand here beside the part.
struct offer {
  accelerator part{};
  const constants* measured = nullptr;  ///< time constants of the asker's own; nullptr = constants_for(part, engine)
  const calibration* given = nullptr;   ///< terms measured on the part, under `given_layout` alone
  layout given_layout{};
};

/// What rejected a part, from the first hurdle to the last: a part is told by the farthest that any of its layouts got.
enum class limit_kind : std::uint8_t {
  layout,         ///< no tp up to 8 inside one node divides the model
  device_count,   ///< it would fit on more devices than allowed; `need` and `have` in devices
  memory,         ///< bytes missing on the worst device; `need` and `have` in bytes of that device
  power_unknown,  ///< a power limit is set and the part's power is not published
  power,          ///< watts
  memory_total,   ///< bytes of all devices
  no_speed,       ///< the time cannot be estimated (no peak, no bandwidth)
  ttft,           ///< seconds
  tpot,           ///< seconds
  request_rate,   ///< requests a second: more arrive than it serves
  latency,        ///< seconds of a pass of an opaque model
  items_rate      ///< items a second
};
constexpr std::string_view name(limit_kind k) noexcept {
  switch (k) {
    case limit_kind::layout: return "layout";
    case limit_kind::device_count: return "devices";
    case limit_kind::memory: return "memory";
    case limit_kind::power_unknown: return "power_unknown";
    case limit_kind::power: return "power";
    case limit_kind::memory_total: return "memory_total";
    case limit_kind::no_speed: return "no_speed";
    case limit_kind::ttft: return "ttft";
    case limit_kind::tpot: return "tpot";
    case limit_kind::request_rate: return "request_rate";
    case limit_kind::latency: return "latency";
    case limit_kind::items_rate: return "items_per_s";
  }
  return "layout";
}

/// A part that meets every limit, with the layout that does it best under the objective.
struct choice {
  accelerator part{};
  ullage::layout layout{};
  std::int64_t devices = 0;
  ullage::answer answer = ullage::answer::invalid;  ///< `may_fit` when only the middle of the band has room
  bytes left{};                                     ///< on the worst device
  watts power{};                                    ///< of all devices; 0 = not published
  bool speed_known = false;
  service speed{};         ///< when traffic is given
  opaque_service items{};  ///< of an opaque model
  sequences most_items{};  ///< that the devices hold, middle of the band
};

/// A part that no layout brings inside the limits: the limit that rejected it, and by how much.
struct rejection {
  accelerator part{};
  limit_kind limit = limit_kind::layout;
  std::int64_t devices = 0;  ///< of the layout that got farthest
  double need = 0;           ///< in the base unit of the limit (bytes, devices, watts, seconds)
  double have = 0;           ///< what the limit or the part allows
};

namespace detail {

struct attempt {
  bool meets = false;
  choice chosen{};
  rejection refused{};
};

/// One part under one layout against every limit.
inline attempt try_layout(const workload& w, const constraints& limits, const offer& what, const layout& l) noexcept {
  const accelerator& part = what.part;
  attempt a;
  const std::int64_t n = l.world().value();
  const auto refuse = [&](limit_kind k, double need, double have) {
    a.refused = {part, k, n, need, have};
    return a;
  };
  const verdict v = fits(*w.model, std::span<const accelerator>(&part, 1), l, w.engine, w.load,
                         what.given != nullptr && l == what.given_layout ? what.given : nullptr);
  if (v.answer == answer::invalid) return refuse(limit_kind::layout, 0, 0);
  const rank_memory& worst = v.worst();
  if (v.left() < bytes{}) return refuse(limit_kind::memory, real(worst.budget - v.left()), real(worst.budget));
  // Only now the number of devices: a layout that does not fit is refused for its memory.
  if (limits.max_devices > devices{} && of<devices>(n) > limits.max_devices)
    return refuse(limit_kind::device_count, static_cast<double>(n), real(limits.max_devices));
  const double power = value_of(part.power) * static_cast<double>(n);
  if (limits.max_power > watts{}) {
    if (!(power > 0)) return refuse(limit_kind::power_unknown, 0, value_of(limits.max_power));
    if (power > value_of(limits.max_power)) return refuse(limit_kind::power, power, value_of(limits.max_power));
  }
  const bytes memory = part.visible_memory() * count(n);
  if (limits.max_memory > bytes{} && memory > limits.max_memory)
    return refuse(limit_kind::memory_total, real(memory), real(limits.max_memory));
  a.chosen = {part, l, n, v.answer, v.left(), of<watts>(power), false, {}, {}, {}};
  if (w.traffic.input_tokens > tokens{}) {
    traffic t = w.traffic;
    t.kv_concurrency = detail::most_sequences(
        v, w.load.context > tokens{} ? w.load.context : t.input_tokens + t.output_tokens, band_end::mid);
    a.chosen.speed = perf({w.model, part, l, w.engine, part.host_fabric()}, t,
                          what.measured != nullptr ? *what.measured : constants_for(part, w.engine));
    a.chosen.speed_known = a.chosen.speed.problem == time_problem::none;
    const bool arrive = t.concurrency == sequences{};  // so many a second, which it has to serve
    const bool timed = arrive || limits.max_ttft > seconds{} || limits.max_tpot > seconds{};
    if (!a.chosen.speed_known && timed) return refuse(limit_kind::no_speed, 0, 0);
    if (a.chosen.speed_known && a.chosen.speed.limit == service_limit::saturated)
      return refuse(limit_kind::request_rate, t.request_rate,
                    value_of(a.chosen.speed.output.mid) / real(t.output_tokens));
    if (limits.max_ttft > seconds{} && !(a.chosen.speed.ttft.mid <= limits.max_ttft))
      return refuse(limit_kind::ttft, value_of(a.chosen.speed.ttft.mid), value_of(limits.max_ttft));
    if (limits.max_tpot > seconds{} && !(a.chosen.speed.tpot.mid <= limits.max_tpot))
      return refuse(limit_kind::tpot, value_of(a.chosen.speed.tpot.mid), value_of(limits.max_tpot));
  }
  a.meets = true;
  return a;
}

/// One part with so many replicas of an opaque model against every limit.
inline attempt try_replicas(const workload& w, const constraints& limits, const offer& what, std::int64_t n) noexcept {
  const accelerator& part = what.part;
  layout l;
  l.dp = n;
  attempt a;
  const auto refuse = [&](limit_kind k, double need, double have) {
    a.refused = {part, k, n, need, have};
    return a;
  };
  const bool free_batch = w.load.concurrency == sequences{};
  sequences items = free_batch ? of<sequences>(n) : w.load.concurrency;
  const opaque_verdict one = fits(*w.opaque, std::span<const accelerator>(&part, 1), l, w.engine, {{}, items});
  if (one.answer == answer::invalid) return refuse(limit_kind::layout, 0, 0);
  const bytes budget = one.worst().budget;
  if (one.left() < bytes{}) return refuse(limit_kind::memory, real(budget - one.left()), real(budget));
  if (limits.max_devices > devices{} && of<devices>(n) > limits.max_devices)
    return refuse(limit_kind::device_count, static_cast<double>(n), real(limits.max_devices));
  const double power = value_of(part.power) * static_cast<double>(n);
  if (limits.max_power > watts{}) {
    if (!(power > 0)) return refuse(limit_kind::power_unknown, 0, value_of(limits.max_power));
    if (power > value_of(limits.max_power)) return refuse(limit_kind::power, power, value_of(limits.max_power));
  }
  const bytes memory = part.visible_memory() * count(n);
  if (limits.max_memory > bytes{} && memory > limits.max_memory)
    return refuse(limit_kind::memory_total, real(memory), real(limits.max_memory));
  const constants c = what.measured != nullptr ? *what.measured : constants_for(part);
  opaque_service s = perf(*w.opaque, w.engine, l, items, part, c);
  const auto in_time = [&](const opaque_service& of) {
    return limits.max_latency <= seconds{} || of.batch.time.mid <= limits.max_latency;
  };
  // The largest power of two that surely fits and keeps the latency; one a device is known to fit.
  // Where latency is the objective it stays at one.
  const bool grows = free_batch && limits.rank_by != objective::latency;
  for (std::int64_t b = most_opaque_batch; grows && b > 1; b /= 2) {
    const sequences all = of<sequences>(count(b) * count(n));
    if (!overflowed(one.surely) && one.surely < all) continue;
    const opaque_service larger_batch = perf(*w.opaque, w.engine, l, all, part, c);
    if (larger_batch.problem == time_problem::none && !in_time(larger_batch)) continue;
    items = all;
    s = larger_batch;
    break;
  }
  const opaque_verdict v = fits(*w.opaque, std::span<const accelerator>(&part, 1), l, w.engine, {{}, items});
  a.chosen = {part, l, n, v.answer, v.left(), of<watts>(power), false, {}, s, v.most};
  a.chosen.speed_known = s.problem == time_problem::none;
  if (!a.chosen.speed_known) {
    if (limits.max_latency > seconds{} || limits.min_items_per_second > 0) return refuse(limit_kind::no_speed, 0, 0);
  } else if (!in_time(s)) {
    return refuse(limit_kind::latency, value_of(s.batch.time.mid), value_of(limits.max_latency));
  } else if (limits.min_items_per_second > s.items_per_second.mid) {
    return refuse(limit_kind::items_rate, limits.min_items_per_second, s.items_per_second.mid);
  }
  a.meets = true;
  return a;
}

/// What a choice is ordered by; lower is better in every member. Unknown latency or power ranks last.
struct choice_key {
  double rank = 0;
  bool unsure = false;  ///< may_fit
  double tpot_s = 0;
  double left = 0;
};
inline choice_key key_of(const choice& c, objective o) noexcept {
  constexpr double last = 1e300;
  choice_key k;
  const bool opaque = c.items.items > sequences{};
  // Of equals the one with more items a second goes first.
  const double tpot_s = !c.speed_known ? last : opaque ? 1 / c.items.items_per_second.mid : value_of(c.speed.tpot.mid);
  switch (o) {
    case objective::fewest_devices: k.rank = static_cast<double>(c.devices); break;
    case objective::latency: k.rank = opaque && c.speed_known ? value_of(c.items.batch.time.mid) : tpot_s; break;
    case objective::power: k.rank = value_of(c.power) > 0 ? value_of(c.power) : last; break;
  }
  k.unsure = c.answer != answer::fits;
  k.tpot_s = tpot_s;
  k.left = real(c.left);
  return k;
}
/// Equal in the objective: the sure one, then the faster one, then the one that wastes less.
inline bool better(const choice_key& a, const choice_key& b) noexcept {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.unsure != b.unsure) return b.unsure;
  if (a.tpot_s != b.tpot_s) return a.tpot_s < b.tpot_s;
  return a.left < b.left;
}

/// A part under every tensor-parallel size that its domain and the model allow, or as so many replicas of an opaque
/// model; best or farthest.
inline attempt best_of(const workload& w, const constraints& limits, const offer& what) noexcept {
  const accelerator& part = what.part;
  attempt best;
  best.refused = {part, limit_kind::layout, 0, 0, 0};
  bool any = false;
  for (std::int64_t tp = 1; tp <= 8; ++tp) {
    if (w.opaque == nullptr && tp > 1 && of<devices>(tp) > part.node_devices()) break;
    layout l;
    l.tp = tp;
    if (w.opaque == nullptr && check_layout(*w.model, l) != layout_problem::none) continue;
    const attempt a = w.opaque != nullptr ? try_replicas(w, limits, what, tp) : try_layout(w, limits, what, l);
    if (a.meets) {
      if (!best.meets || better(key_of(a.chosen, limits.rank_by), key_of(best.chosen, limits.rank_by))) best = a;
    } else if (!best.meets) {
      const bool farther = static_cast<std::uint8_t>(a.refused.limit) > static_cast<std::uint8_t>(best.refused.limit) ||
                           (a.refused.limit == best.refused.limit &&
                            a.refused.need * best.refused.have < best.refused.need * a.refused.have);
      if (!any || farther) best = a;
    }
    any = true;
  }
  return best;
}

}  // namespace detail

/// Over every offer and tp 1…8: those that meet all limits go to `chosen(const choice&)`, the best under
/// `limits.rank_by` first; the others to `rejected(const rejection&)`, in the order of the offers, with the limit that
/// rejected them. No allocation: the order is kept as keys and indices, and each choice is evaluated once more when it
/// is told. At most 1,024 offers.
inline void select(const workload& w, const constraints& limits, std::span<const offer> offers, auto&& chosen,
                   auto&& rejected) noexcept {
  constexpr std::size_t most = 1024;
  ULLAGE_EXPECTS((w.model != nullptr) != (w.opaque != nullptr));
  ULLAGE_EXPECTS(offers.size() <= most);
  struct entry {
    detail::choice_key key{};
    std::uint16_t index = 0;
  };
  entry order[most]{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < offers.size() && i < most; ++i) {
    const detail::attempt a = detail::best_of(w, limits, offers[i]);
    if (!a.meets) {
      rejected(a.refused);
      continue;
    }
    const detail::choice_key key = detail::key_of(a.chosen, limits.rank_by);
    std::size_t place = found++;
    for (; place > 0 && detail::better(key, order[place - 1].key); --place) order[place] = order[place - 1];
    order[place] = {key, static_cast<std::uint16_t>(i)};
  }
  for (std::size_t i = 0; i < found; ++i) chosen(detail::best_of(w, limits, offers[order[i].index]).chosen);
}

}  // namespace ullage::inline v0
