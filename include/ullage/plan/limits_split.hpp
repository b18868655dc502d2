// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/hardware/part_view.hpp>
#include <ullage/plan/limits_mix.hpp>

// Which split of so many devices, how few of them, and which part. All by trying every one: more devices a group do not
// always hold more (states make blocks larger as heads are divided, windows make room for every stage). On the middle of the
// band. Docs: docs/formulas/memory_limits.md.
namespace ullage::inline v0 {

/// What of a split is fixed; 0 = free.
struct split_bounds {
  std::int64_t tp = 0;
  std::int64_t pp = 0;
  std::int64_t dp = 0;
  std::int64_t ep = 0;
  std::int64_t dcp = 0;
  devices most_tp{};  ///< 0 = the devices of one node, `node_devices()`
};

/// A split, and what came of it.
struct split_choice {
  layout parallel{};
  ullage::answer answer = ullage::answer::invalid;  ///< invalid: no split of so many devices runs the model
  bool room = false;        ///< the middle of the band leaves something; else this is the split that lacks least
  sequences concurrency{};  ///< most at the load's context (or distribution, at 95 %), over all replicas
  bytes left{};             ///< of the load, on the worst device
};

namespace detail {

constexpr bool allowed(std::int64_t fixed, std::int64_t value) noexcept {
  return fixed <= 0 || fixed == value;
}

/// Calls `sink(const layout&)` for every split of n devices that runs the model.
constexpr void each_split(const transformer& m, const accelerator& part, std::int64_t n, const split_bounds& b,
                          auto&& sink) noexcept {
  const devices most_tp = b.most_tp > devices{} ? b.most_tp : part.node_devices();
  for (std::int64_t tp = 1; tp <= n; ++tp) {
    if (n % tp != 0 || !allowed(b.tp, tp) || (b.tp <= 0 && tp > 1 && of<devices>(tp) > most_tp)) continue;
    for (std::int64_t dp = 1; dp <= n / tp; ++dp) {
      if ((n / tp) % dp != 0 || !allowed(b.dp, dp)) continue;
      layout l;
      l.tp = tp;
      l.dp = dp;
      l.pp = n / tp / dp;
      if (!allowed(b.pp, l.pp) || l.pp > m.layers) continue;
      for (const std::int64_t ep : {std::int64_t{1}, tp * dp}) {
        if (!allowed(b.ep, ep) || (ep == 1 && l.ep > 1)) continue;
        l.ep = ep;
        for (l.dcp = 1; l.dcp <= tp; ++l.dcp)
          if (tp % l.dcp == 0 && allowed(b.dcp, l.dcp) && check_layout(m, l) == layout_problem::none) sink(l);
        if (tp * dp == 1) break;
      }
    }
  }
}

/// Most sequences of the load's context or distribution; of max_model_len without either.
constexpr sequences most_of_load(const verdict& v, band_end end) noexcept {
  if (!starts(v, end)) return {};
  if (v.load.contexts != nullptr) return most_of_mix(v, *v.load.contexts, end).at_p95;
  return most_sequences(v, v.load.context > tokens{} ? v.load.context : v.max_model_len, end);
}

/// Room first; with room more sequences, without less lacking; then more left, a smaller group, fewer stages, fewer
/// groups within groups.
constexpr bool better(const split_choice& a, const split_choice& b) noexcept {
  if (a.room != b.room) return a.room;
  if (a.room && a.concurrency != b.concurrency) return a.concurrency > b.concurrency;
  if (a.left != b.left) return a.left > b.left;
  if (a.parallel.tp != b.parallel.tp) return a.parallel.tp < b.parallel.tp;
  if (a.parallel.pp != b.parallel.pp) return a.parallel.pp < b.parallel.pp;
  if (a.parallel.ep != b.parallel.ep) return a.parallel.ep < b.parallel.ep;
  return a.parallel.dcp < b.parallel.dcp;
}

/// No fewer devices than this can hold the weights: whatever the split, the fullest device holds at least its share.
constexpr std::int64_t least_devices(const transformer& m, const accelerator& part, const engine& e) noexcept {
  if (m.layers <= 0 || part.visible_memory() <= bytes{}) return 1;
  const count needed = ceil_div(resident_weights(m, e, {}, stage_of(m, {}, 0)).value(), part.visible_memory().value());
  return needed.overflowed() ? 1 : larger(needed, count(1)).value();
}

}  // namespace detail

/// The best split of `n` devices of one part: it must leave something; then the one that holds most sequences of the load's
/// context over all replicas, of equals the one that leaves more of the load, then the smaller tp.
constexpr split_choice best_split(const transformer& m, const accelerator& part, std::int64_t n, const engine& e,
                                  const load& w, const split_bounds& bounds = {}) noexcept {
  split_choice best;
  detail::each_split(m, part, n, bounds, [&](const layout& l) {
    const verdict v = fits(m, std::span<const accelerator>(&part, 1), l, e, w);
    if (v.answer == answer::invalid) return;
    split_choice c;
    c.parallel = l;
    c.answer = v.answer;
    c.room = detail::holds(v, detail::band_end::mid);
    c.left = v.left();
    if (c.room) c.concurrency = detail::most_of_load(v, detail::band_end::mid);
    if (best.answer == answer::invalid || detail::better(c, best)) best = c;
  });
  return best;
}

namespace detail {

/// Whether any split of n devices leaves something.
constexpr bool any_room(const transformer& m, const accelerator& part, std::int64_t n, const engine& e, const load& w,
                        const split_bounds& bounds) noexcept {
  bool room = false;
  each_split(m, part, n, bounds, [&](const layout& l) {
    room = room || holds(fits(m, std::span<const accelerator>(&part, 1), l, e, w), band_end::mid);
  });
  return room;
}

}  // namespace detail

/// The fewest devices of one part that leave something under any split, with the best split of them; without room where more
/// than `most` are needed.
constexpr split_choice fewest_devices(const transformer& m, const accelerator& part, const engine& e, const load& w,
                                      std::int64_t most = 64, const split_bounds& bounds = {}) noexcept {
  for (std::int64_t n = detail::least_devices(m, part, e); n <= most; ++n)
    if (detail::any_room(m, part, n, e, w, bounds)) return best_split(m, part, n, e, w, bounds);
  return {};
}

/// The smallest of several parts that carries a load.
struct smallest_choice {
  bool found = false;
  std::size_t index = 0;  ///< into the parts
  split_choice split{};
  constexpr std::int64_t device_count() const noexcept { return found ? split.parallel.world().value() : 0; }
};

/// By the fewest devices, at most `most`; of equals the one with the least memory, of those the first.
constexpr smallest_choice smallest_part(const transformer& m, const part_view& parts, const engine& e, const load& w,
                                        std::int64_t most = 64) noexcept {
  smallest_choice best;
  for (std::int64_t n = 1; n <= most; ++n) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (best.found && parts[i].visible_memory() >= parts[best.index].visible_memory()) continue;
      if (n < detail::least_devices(m, parts[i], e) || !detail::any_room(m, parts[i], n, e, w, {})) continue;
      best.found = true;
      best.index = i;
    }
    if (!best.found) continue;
    best.split = best_split(m, parts[best.index], n, e, w);
    break;
  }
  return best;
}

}  // namespace ullage::inline v0
