// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/plan/fit.hpp>

// How long, and how many, where all sequences are equally long. Docs: docs/formulas/memory_limits.md.
namespace ullage::inline v0 {

namespace detail {

/// Which end of the band an inverse question takes.
enum class band_end : std::uint8_t { low, mid };
constexpr bytes end_of(const estimate<bytes>& e, band_end end) noexcept {
  return end == band_end::low ? e.low : e.mid;
}
/// Whether a verdict leaves something at that end, on every rank.
constexpr bool holds(const verdict& v, band_end end) noexcept {
  return v.answer != answer::invalid && (end == band_end::mid ? v.left() >= bytes{} : v.answer == answer::fits);
}

/// Sequences of `context` tokens that a rank holds; 0 when the device itself is too small.
constexpr count sequences_of(const verdict& v, const rank_memory& r, tokens context, band_end end) noexcept {
  if (end_of(r.spare, end) < bytes{}) return count(0);
  if (!r.all_stages.groups.empty() && charged_at_start(r, context) > end_of(r.kv_available, end)) return count(0);
  return sequences_in(r.blocks, end_of(r.kv_available, end), context, truncate(v.engine.rules.null_blocks));
}
/// Whether the engine starts with a max_model_len that the asker fixed; free ones are lowered to what is needed.
constexpr bool starts(const verdict& v, band_end end) noexcept {
  for (const rank_memory& r : v.ranks)
    if (r.kv_of_states > end_of(r.kv_available, end)) return false;
  if (v.engine.kind != engine_kind::vllm || v.engine.options.max_model_len <= tokens{}) return true;
  for (const rank_memory& r : v.ranks)
    if (sequences_in(r.blocks, end_of(r.kv_available, end), v.max_model_len, count(0)) < count(1) ||
        (!r.all_stages.groups.empty() && charged_at_start(r, v.max_model_len) > end_of(r.kv_available, end)))
      return false;
  return true;
}
/// Least over the ranks; overflowed where none caches anything.
constexpr count most_cached(const verdict& v, tokens context, band_end end) noexcept {
  count most = count::overflow();
  for (const rank_memory& r : v.ranks) {
    const count here = sequences_of(v, r, context, end);
    if (here.overflowed()) continue;  // a stage without a cache
    if (most.overflowed() || here * count(v.layout.dp) < most) most = here * count(v.layout.dp);
  }
  return most;
}
/// Whether ranks without any cache have room for the engine alone.
constexpr bool engine_fits(const verdict& v, band_end end) noexcept {
  for (const rank_memory& r : v.ranks)
    if (end_of(r.spare, end) < bytes{} || (r.blocks.groups.empty() && end_of(r.left, end) < bytes{})) return false;
  return true;
}
constexpr sequences most_sequences(const verdict& v, tokens context, band_end end) noexcept {
  if (v.answer == answer::invalid || context <= tokens{} || !engine_fits(v, end)) return {};
  const count most = most_cached(v, context, end);
  // No rank caches anything (an encoder): as many as the engine runs at once.
  return most.overflowed() ? max_sequences_in(v.engine, v.worst().part) * count(v.layout.dp) : of<sequences>(most);
}
/// By bisection: what a sequence is charged never falls as the context grows, whatever the groups of the cache.
constexpr tokens longest_context(const verdict& v, sequences how_many, tokens longest, band_end end) noexcept {
  if (v.answer == answer::invalid || how_many <= sequences{} || !engine_fits(v, end)) return {};
  const auto has_room = [&](std::int64_t context) {
    const count most = most_cached(v, of<tokens>(context), end);
    return most.overflowed() || of<sequences>(most) >= how_many;
  };
  std::int64_t low = 0;
  std::int64_t high = integer(longest);
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (has_room(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return of<tokens>(low);
}

}  // namespace detail

/// Most sequences of `context` tokens that the cache of every rank holds, over all replicas; 0 when not even one.
constexpr sequences max_concurrency(const verdict& v, tokens context) noexcept {
  return detail::starts(v, detail::band_end::mid) ? detail::most_sequences(v, context, detail::band_end::mid)
                                                  : sequences{};
}

namespace detail {
constexpr tokens max_context_at(const verdict& v, sequences how_many, tokens longest, band_end end) noexcept {
  if (!starts(v, end)) return {};
  return longest_context(v, of<sequences>(round_up(how_many.value(), count(v.layout.dp))), longest, end);
}
}  // namespace detail

/// Longest context that `how_many` sequences over all replicas can have; at most `longest`.
constexpr tokens max_context(const verdict& v, sequences how_many, tokens longest) noexcept {
  return detail::max_context_at(v, how_many, longest, detail::band_end::mid);
}

namespace detail {

/// Longest context of a load by asking again, for engines whose own memory depends on it (prompts that are not chunked).
///
/// What is left falls with the context inside each of the ranges that the profile's size cuts out: up to and beyond the
/// batched tokens (beyond, the profile runs no sampler) and the 32,768 tokens from which prompts are chunked. The upper
/// ranges are tried first.
constexpr tokens longest_asked(const transformer& m, std::span<const accelerator> parts, const layout& l,
                               const engine& e, sequences how_many, tokens longest, const calibration* given,
                               band_end end) noexcept {
  const auto has_room = [&](std::int64_t context) {
    return holds(fits(m, parts, l, e, {of<tokens>(context), how_many}, given), end);
  };
  std::int64_t cuts[] = {integer(e.options.max_num_batched_tokens), 2048, 32768, integer(longest)};
  for (std::int64_t& c : cuts) c = c < 0 ? 0 : c > integer(longest) ? integer(longest) : c;
  for (std::size_t i = 1; i < 4; ++i)
    for (std::size_t j = i; j > 0 && cuts[j] < cuts[j - 1]; --j) {
      const std::int64_t swap = cuts[j];
      cuts[j] = cuts[j - 1];
      cuts[j - 1] = swap;
    }
  for (std::size_t range = 4; range-- > 0;) {
    std::int64_t low = range > 0 ? cuts[range - 1] + 1 : 1;
    std::int64_t high = cuts[range];
    if (low > high || !has_room(low)) continue;
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (has_room(middle))
        low = middle;
      else
        high = middle - 1;
    }
    return of<tokens>(low);
  }
  return {};
}

}  // namespace detail

}  // namespace ullage::inline v0
