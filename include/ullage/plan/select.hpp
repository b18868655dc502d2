// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <ullage/plan/offer.hpp>
#include <ullage/plan/solve.hpp>

namespace ullage::inline v0 {

namespace detail {

struct attempt {
  bool meets = false;
  choice chosen{};
  rejection refused{};
  bool serves() const noexcept { return meets || refused.limit >= limit_kind::device_count; }
};

/// Whether so many devices are allowed as were chosen; else the attempt is refused.
inline bool keeps_limits(attempt& a, const constraints& limits) noexcept {
  const accelerator& part = a.chosen.part;
  const std::int64_t n = a.chosen.devices;
  const auto refuse = [&](limit_kind k, double need, double have) {
    a.refused = {part, k, n, need, have, a.chosen.replicas};
    return false;
  };
  if (limits.max_devices > devices{} && of<devices>(n) > limits.max_devices)
    return refuse(limit_kind::device_count, static_cast<double>(n), real(limits.max_devices));
  const double power = value_of(a.chosen.power);
  if (limits.max_power > watts{}) {
    if (!(power > 0)) return refuse(limit_kind::power_unknown, 0, value_of(limits.max_power));
    if (power > value_of(limits.max_power)) return refuse(limit_kind::power, power, value_of(limits.max_power));
  }
  const bytes memory = part.visible_memory() * count(n);
  if (limits.max_memory > bytes{} && memory > limits.max_memory)
    return refuse(limit_kind::memory_total, real(memory), real(limits.max_memory));
  return true;
}

/// So many replicas of one part under one layout against every limit.
inline attempt try_layout(const workload& w, const constraints& limits, const offer& what, const layout& l,
                          std::int64_t replicas) noexcept {
  const accelerator& part = what.part;
  attempt a;
  const std::int64_t each = l.world().value();
  const auto refuse = [&](limit_kind k, double need, double have) {
    a.refused = {part, k, each, need, have};
    return a;
  };
  const auto share = [&](sequences all) { return of<sequences>(ceil_div(all.value(), count(replicas))); };
  load here = w.load;
  here.concurrency = share(here.concurrency);
  const verdict v = fits(*w.model, std::span<const accelerator>(&part, 1), l, w.engine, here,
                         what.given != nullptr && l == what.given_layout ? what.given : nullptr);
  if (v.answer == answer::invalid) return refuse(limit_kind::layout, 0, 0);
  const rank_memory& worst = v.worst();
  if (v.left() < bytes{}) return refuse(limit_kind::memory, real(worst.budget - v.left()), real(worst.budget));
  const std::int64_t n = replicas * each;
  a.chosen = {part, l, n, v.answer, v.left(), part.power * static_cast<double>(n), false, {}, {}, {}, replicas};
  if (w.traffic.input_tokens > tokens{}) {
    traffic t = w.traffic;
    const bool arrive = t.concurrency == sequences{};  // so many a second, which it has to serve
    t.concurrency = share(t.concurrency);
    t.request_rate /= static_cast<double>(replicas);
    t.kv_concurrency = detail::most_sequences(
        v, w.load.context > tokens{} ? w.load.context : t.input_tokens + t.output_tokens, band_end::mid);
    service& s = a.chosen.speed;
    s = perf({w.model, part, l, w.engine, part.host_fabric()}, t,
             what.measured != nullptr ? *what.measured : constants_for(part, w.engine));
    a.chosen.speed_known = s.problem == time_problem::none;
    const bool timed = arrive || limits.max_ttft > seconds{} || limits.max_tpot > seconds{};
    if (!a.chosen.speed_known && timed) return refuse(limit_kind::no_speed, 0, 0);
    if (a.chosen.speed_known && s.limit == service_limit::saturated) {
      refuse(limit_kind::request_rate, w.traffic.request_rate,
             value_of(s.output.mid) / real(t.output_tokens) * static_cast<double>(replicas));
      a.refused.devices = n;
      a.refused.replicas = replicas;
      return a;
    }
    if (limits.max_ttft > seconds{} && !(s.ttft.mid <= limits.max_ttft))
      return refuse(limit_kind::ttft, value_of(s.ttft.mid), value_of(limits.max_ttft));
    if (limits.max_tpot > seconds{} && !(s.tpot.mid <= limits.max_tpot))
      return refuse(limit_kind::tpot, value_of(s.tpot.mid), value_of(limits.max_tpot));
    // The fullest replica's share of a closed loop is rounded up.
    const double times = arrive ? static_cast<double>(replicas) : real(w.traffic.concurrency) / real(t.concurrency);
    const auto scale = [](auto& rate, double by) {
      rate.low *= by;
      rate.mid *= by;
      rate.high *= by;
    };
    scale(s.output, times);
    scale(s.requests_per_second, times);
    scale(s.output_per_device, times / static_cast<double>(replicas));
    scale(s.total_per_device, times / static_cast<double>(replicas));
    s.running *= times;
  }
  a.meets = keeps_limits(a, limits);
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
  a.chosen = {part, l, n, v.answer, v.left(), part.power * static_cast<double>(n), false, {}, s, v.most};
  a.chosen.speed_known = s.problem == time_problem::none;
  if (!a.chosen.speed_known) {
    if (limits.max_latency > seconds{} || limits.min_items_per_second > 0) return refuse(limit_kind::no_speed, 0, 0);
  } else if (!in_time(s)) {
    return refuse(limit_kind::latency, value_of(s.batch.time.mid), value_of(limits.max_latency));
  } else if (limits.min_items_per_second > s.items_per_second.mid) {
    return refuse(limit_kind::items_rate, limits.min_items_per_second, s.items_per_second.mid);
  }
  a.meets = keeps_limits(a, limits);
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

/// The fewest of 1…most replicas that serve, by doubling and halving; else what refuses the most that are tried. More
/// replicas never serve less.
inline attempt fewest_replicas(std::int64_t most, auto&& attempt_with) noexcept {
  attempt best = attempt_with(std::int64_t{1});
  const limit_kind k = best.refused.limit;
  if (best.serves() || k == limit_kind::layout || k == limit_kind::no_speed || most <= 1) return best;
  best = attempt_with(most);
  if (!best.serves()) return best;
  std::int64_t low = 1;  // serves not
  std::int64_t high = most;
  for (std::int64_t n = 2; low < high - 1;) {
    const attempt a = attempt_with(n);
    if (a.serves()) {
      best = a;
      high = n;
    } else {
      low = n;
    }
    n = high == most && 2 * low < most ? 2 * low : low + (high - low) / 2;
  }
  return best;
}

/// A part under every tensor-parallel size that its domain and the model allow, each with the fewest replicas that
/// serve, or as so many replicas of an opaque model; best or farthest.
inline attempt best_of(const workload& w, const constraints& limits, const offer& what) noexcept {
  const accelerator& part = what.part;
  attempt best;
  best.refused = {part, limit_kind::layout, 0, 0, 0};
  bool any = false;
  const auto consider = [&](const attempt& a) {
    if (a.meets) {
      if (!best.meets || better(key_of(a.chosen, limits.rank_by), key_of(best.chosen, limits.rank_by))) best = a;
    } else if (!best.meets) {
      const bool farther = static_cast<std::uint8_t>(a.refused.limit) > static_cast<std::uint8_t>(best.refused.limit) ||
                           (a.refused.limit == best.refused.limit &&
                            a.refused.need * best.refused.have < best.refused.need * a.refused.have);
      if (!any || farther) best = a;
    }
    any = true;
  };
  // No replica is left without a conversation; a rate can be divided at will.
  const bool arrive = w.traffic.input_tokens > tokens{} && w.traffic.concurrency == sequences{};
  const count at_once = larger(w.load.concurrency.value(), w.traffic.concurrency.value());
  const std::int64_t most = arrive || (w.opaque != nullptr && at_once < count(1)) ? most_offered_devices
                            : at_once < count(most_offered_devices)               ? at_once.value()
                                                                                  : most_offered_devices;
  if (w.opaque != nullptr) {
    for (std::int64_t n = 1; n <= 8; ++n) consider(try_replicas(w, limits, what, n));
    if (!best.meets) consider(fewest_replicas(most, [&](std::int64_t n) { return try_replicas(w, limits, what, n); }));
    return best;
  }
  for (std::int64_t tp = 1; tp <= 8; ++tp) {
    if (tp > 1 && of<devices>(tp) > part.node_devices()) break;
    layout l;
    l.tp = tp;
    if (check_layout(*w.model, l) != layout_problem::none) continue;
    const std::int64_t here = most < most_offered_devices / tp ? most : most_offered_devices / tp;
    consider(fewest_replicas(here, [&](std::int64_t n) { return try_layout(w, limits, what, l, n); }));
  }
  return best;
}

}  // namespace detail

/// Over every offer and tp 1…8, each with the fewest replicas that serve the whole load (at most
/// `most_offered_devices` in all): those that meet all limits go to `chosen(const choice&)`, the best under
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
    std::uint16_t tp = 1;
    std::uint16_t replicas = 1;
  };
  entry order[most]{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < offers.size() && i < most; ++i) {
    const detail::attempt a = detail::best_of(w, limits, offers[i]);
    if (!a.meets) {
      rejected(a.refused);
      continue;
    }
    const choice& c = a.chosen;
    const detail::choice_key key = detail::key_of(c, limits.rank_by);
    std::size_t place = found++;
    for (; place > 0 && detail::better(key, order[place - 1].key); --place) order[place] = order[place - 1];
    order[place] = {key, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(c.layout.tp),
                    static_cast<std::uint16_t>(c.replicas * c.layout.dp)};
  }
  for (std::size_t i = 0; i < found; ++i) {
    const offer& what = offers[order[i].index];
    layout l;
    l.tp = order[i].tp;
    chosen((w.opaque != nullptr ? detail::try_replicas(w, limits, what, order[i].replicas)
                                : detail::try_layout(w, limits, what, l, order[i].replicas))
               .chosen);
  }
}

}  // namespace ullage::inline v0
