// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/plan/limits_mix.hpp>
#include <ullage/plan/limits_split.hpp>
#include <ullage/plan/limits_uniform.hpp>

namespace ullage::inline v0 {

/// The inverse questions, on the middle of the band: at the limit `left()` is not negative, one more is too many.
///
/// Where max_model_len is not given, each limit is that of an engine told to accept no longer sequence than it needs.
/// Where it is given and one sequence of it does not fit, the engine does not start and both limits are 0.
struct limits {
  tokens max_context_at_concurrency{};     ///< at the load's concurrency (1 without a load)
  sequences max_concurrency_at_context{};  ///< at the load's context or, with 95 % probability, its distribution
                                           ///< (max_model_len without a load)
  tokens surely_context{};                 ///< the same on the low end of the band: the verdict is `fits`
  sequences surely_concurrency{};
  mix_limits mix{};       ///< of the load's distribution; zero without one
  devices min_devices{};  ///< 0 when even 64 devices do not do
  layout min_layout{};    ///< of those devices
};

namespace detail {

/// The layout that is told for the fewest devices: the asker's own where it is one of them; else one group a stage, as wide
/// as a node and the model's heads allow, with the dcp of `l` where that goes; else the best split.
constexpr layout plain_layout(const transformer& m, const accelerator& part, const layout& l, const engine& e,
                              const load& w, const split_choice& best) noexcept {
  const std::int64_t n = best.parallel.world().value();
  for (std::int64_t tp = n; tp >= 1; --tp) {
    if (n % tp != 0 || (tp > 1 && of<devices>(tp) > part.node_devices())) continue;
    layout candidate;
    candidate.tp = tp;
    candidate.pp = n / tp;
    candidate.dcp = l.dcp;
    if (l.ep > 1 && tp > 1) candidate.ep = tp;
    if (check_layout(m, candidate) != layout_problem::none) candidate.dcp = 1;
    if (check_layout(m, candidate) != layout_problem::none) continue;
    if (holds(fits(m, std::span<const accelerator>(&part, 1), candidate, e, w), band_end::mid)) return candidate;
  }
  return best.parallel;
}

}  // namespace detail

/// Limits of a model on given devices, and the fewest such devices that would do. Bad input: all zero.
///
/// `min_devices` tries every split of 1…64 devices of the first part, and `l` itself. Measured terms (`given`) hold for the
/// devices they were measured on: with them the search is left out and `min_devices` is 0.
constexpr limits solve(const transformer& m, std::span<const accelerator> parts, const layout& l, const engine& e,
                       const load& w, const calibration* given = nullptr) noexcept {
  limits out;
  if (parts.empty()) return out;
  const verdict v = fits(m, parts, l, e, w, given);
  constexpr detail::band_end low = detail::band_end::low;
  constexpr detail::band_end mid = detail::band_end::mid;
  if (v.answer != answer::invalid) {
    const sequences how_many = w.concurrency > sequences{} ? w.concurrency : of<sequences>(1);
    // A context longer than the model's own is the asker's business (scaled positions), and said as such by the program.
    const count trained = larger(count(m.max_position), w.context.value());
    const tokens longest = e.options.max_model_len > tokens{} ? e.options.max_model_len : of<tokens>(trained);
    const bool grows = e.rules.unchunked_prefill > 0 && e.options.max_model_len <= tokens{};
    const auto longest_at = [&](detail::band_end end) {
      return grows ? detail::longest_asked(m, parts, l, e, how_many, longest, given, end)
                   : detail::max_context_at(v, how_many, longest, end);
    };
    out.max_context_at_concurrency = longest_at(mid);
    out.surely_context = longest_at(low);
    if (w.contexts != nullptr) out.mix = max_concurrency(v, *w.contexts);
    out.max_concurrency_at_context = w.contexts != nullptr ? out.mix.at_p95 : detail::most_of_load(v, mid);
    out.surely_concurrency = detail::most_of_load(v, low);
  }
  if (given != nullptr && !given->nothing()) return out;
  const accelerator& part = parts[0];
  constexpr std::int64_t most = 64;
  const bool known = detail::holds(v, mid);
  const count own = l.world();
  const split_choice fewest = fewest_devices(m, part, e, w, known && own <= count(most) ? own.value() - 1 : most);
  if (fewest.room) {
    out.min_devices = of<devices>(fewest.parallel.world());
    out.min_layout = detail::plain_layout(m, part, l, e, w, fewest);
  } else if (known) {
    out.min_devices = of<devices>(own);
    out.min_layout = l;
  }
  return out;
}
constexpr limits solve(const transformer& m, const Accelerator auto& part, const layout& l, const engine& e,
                       const load& w) noexcept {
  const accelerator row = describe(part);
  return solve(m, std::span<const accelerator>(&row, 1), l, e, w);
}

}  // namespace ullage::inline v0
