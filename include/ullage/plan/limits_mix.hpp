// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/plan/limits_uniform.hpp>

namespace ullage::inline v0 {

/// How many sequences of a distribution of lengths there is room for, over all replicas.
///
/// Every sequence draws its length for itself, is cut at max_model_len, and is charged whole blocks. `expected`: so many
/// whose mean charge is no more than there is. `at_p95`: so many that they fit with 95 % probability, in each replica
/// for itself; what the verdict of a load rests on. Of the rest of the time the engine preempts: it throws blocks away and
/// computes them again.
struct mix_limits {
  sequences expected{};
  sequences at_p95{};
};

namespace detail {

inline constexpr std::int64_t most_draws = std::int64_t{1} << 60;

/// What a rank has for sequences, in the unit of `drawn_charge`.
constexpr count room_of(const verdict& v, const rank_memory& r, band_end end) noexcept {
  const bytes available = end_of(r.kv_available, end);
  if (!r.blocks.pooled) return available.value();
  return blocks_in(r.blocks, available) - truncate(v.engine.rules.null_blocks);
}

/// Most draws whose 95th percentile is no more than `room`. From where the normal distribution would have it, in steps that
/// double until they pass the limit, then by halving; the percentile grows with every draw.
inline count most_at_p95(const drawn_charge& c, count room) noexcept {
  if (c.overflowed || c.most <= 0 || room < count(c.p95)) return count(0);
  const auto inside = [&](std::int64_t n) {
    const count need = charge_at_p95(c, count(n));
    return !need.overflowed() && need <= room;
  };
  const double spread = normal_p95 * c.deviation;
  const double root = (std::sqrt(spread * spread + 4 * c.mean * static_cast<double>(room)) - spread) / (2 * c.mean);
  const count guess = truncate(root * root);
  std::int64_t low = 1;  // one is inside
  std::int64_t high = 0;
  std::int64_t at = !guess.overflowed() && guess > count(1) ? guess.value() : 1;
  for (std::int64_t stride = 1; high == 0; stride *= 2) {
    if (inside(at)) {
      low = at;
      if (at > most_draws) return count(at);
      at += stride;
    } else {
      high = at;
    }
  }
  for (std::int64_t stride = 1; low + stride < high; stride *= 2) {
    if (!inside(high - stride)) {
      high -= stride;
      continue;
    }
    low = high - stride;
    break;
  }
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (inside(middle) ? low : high) = middle;
  }
  return count(low);
}

inline mix_limits most_of_mix(const verdict& v, const context_distribution& d, band_end end) noexcept {
  if (v.answer == answer::invalid || check(d) != distribution_problem::none || !starts(v, end)) return {};
  count expected = count::overflow();
  count at_p95 = count::overflow();
  for (const rank_memory& r : v.ranks) {
    if (end_of(r.spare, end) < bytes{}) return {};
    if (r.blocks.groups.empty()) {
      if (end_of(r.left, end) < bytes{}) return {};
      continue;
    }
    const count room = room_of(v, r, end);
    const drawn_charge c = charge_of_draw(d, r.blocks, v.max_model_len);
    if (c.overflowed || room.overflowed() || room <= count(0)) return {};
    const count mean_fits =
        c.least == c.most ? floor_div(room, count(c.most)) : truncate(static_cast<double>(room) / c.mean * (1 + 1e-12));
    const count p95_fits = most_at_p95(c, room);
    if (expected.overflowed() || mean_fits < expected) expected = mean_fits;
    if (at_p95.overflowed() || p95_fits < at_p95) at_p95 = p95_fits;
  }
  const count replicas(v.layout.dp);
  if (expected.overflowed()) {  // nothing is cached anywhere
    const sequences seats = max_sequences_in(v.engine, v.worst().part) * replicas;
    return {seats, seats};
  }
  return {of<sequences>(expected * replicas), of<sequences>(at_p95 * replicas)};
}

}  // namespace detail

/// Most sequences of a distribution that the cache of every rank holds, on the middle of the band.
inline mix_limits max_concurrency(const verdict& v, const context_distribution& d) noexcept {
  return detail::most_of_mix(v, d, detail::band_end::mid);
}

}  // namespace ullage::inline v0
