// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/plan/fit.hpp>

namespace ullage::inline v0 {

/// The inverse questions, on the middle of the band: at the limit `left().mid` is not negative, one more is too many.
struct limits {
  tokens max_context_at_concurrency{};    ///< at the load's concurrency (1 without a load); at most the model's longest
  sequences max_concurrency_at_context{}; ///< at the load's context (max_model_len without a load)
  devices min_devices{};                  ///< 0 when even 64 devices do not do
  layout min_layout{};                    ///< of those devices
};

/// Most sequences of `context` tokens that the cache of every rank holds; 0 when not even one, or none is asked.
constexpr sequences max_concurrency(const verdict& v, tokens context) noexcept {
  if (v.answer == answer::invalid || context <= tokens{}) return {};
  count most = count::overflow();
  for (const rank_memory& r : v.ranks) {
    const count usable = blocks_in(r.blocks, r.kv_available.mid) - truncate(v.engine.rules.null_blocks);
    const count each = blocks_per_sequence(r.blocks, context);
    const count here = usable > count(0) && each > count(0) ? floor_div(usable, each) * count(v.layout.dp) : count(0);
    if (most.overflowed() || here < most) most = here;
  }
  return most.overflowed() ? sequences{} : of<sequences>(most);
}

/// Longest context that `how_many` sequences can have on every rank; capped by `longest`.
constexpr tokens max_context(const verdict& v, sequences how_many, tokens longest) noexcept {
  if (v.answer == answer::invalid || how_many <= sequences{}) return {};
  const count here = ceil_div(how_many.value(), count(v.layout.dp));
  count most = longest.value();
  for (const rank_memory& r : v.ranks) {
    const count usable = blocks_in(r.blocks, r.kv_available.mid) - truncate(v.engine.rules.null_blocks);
    const count context = usable > count(0) ? floor_div(usable, here) * r.blocks.block_tokens.value() * count(r.blocks.dcp) : count(0);
    if (context < most) most = context;
  }
  return of<tokens>(most);
}

/// Limits of a model on given devices, and the fewest such devices that would do. Bad input: all zero.
///
/// `min_devices` tries 1…64 devices of the first part, each as tp·pp with the largest tp that one node and
/// the model's heads allow. Measured terms (`given`) hold for the devices they were measured on: with them the search is
/// left out and `min_devices` is 0.
constexpr limits solve(const transformer& m, std::span<const accelerator> parts, const layout& l, const engine& e, const load& w,
                       const calibration* given = nullptr) noexcept {
  limits out;
  if (parts.empty()) return out;
  // A context that exceeds max_model_len is no question of memory: limits are asked with the engine told accordingly.
  const verdict v = fits(m, parts, l, e, w, given);
  if (v.answer != answer::invalid) {
    const sequences how_many = w.concurrency > sequences{} ? w.concurrency : of<sequences>(1);
    const tokens longest = e.options.max_model_len > tokens{} ? e.options.max_model_len : of<tokens>(m.max_position);
    out.max_context_at_concurrency = max_context(v, how_many, longest);
    out.max_concurrency_at_context = max_concurrency(v, w.context > tokens{} ? w.context : v.max_model_len);
  }
  if (given != nullptr && !given->nothing()) return out;
  const accelerator& part = parts[0];
  constexpr std::int64_t most = 64;
  for (std::int64_t n = 1; n <= most && out.min_devices == devices{}; ++n) {
    for (std::int64_t tp = n; tp >= 1; --tp) {
      if (n % tp != 0 || (tp > 1 && of<devices>(tp) > part.node_devices())) continue;
      layout candidate;
      candidate.tp = tp;
      candidate.pp = n / tp;
      if (l.ep > 1 && tp > 1) candidate.ep = tp;
      if (check_layout(m, candidate) != layout_problem::none) continue;
      const verdict c = fits(m, std::span<const accelerator>(&part, 1), candidate, e, w);
      if (c.answer == answer::invalid || c.left() < bytes{}) continue;
      out.min_devices = of<devices>(n);
      out.min_layout = candidate;
      break;
    }
  }
  return out;
}
constexpr limits solve(const transformer& m, const Accelerator auto& part, const layout& l, const engine& e, const load& w) noexcept {
  const accelerator row = describe(part);
  return solve(m, std::span<const accelerator>(&row, 1), l, e, w);
}

}  // namespace ullage::inline v0
