// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/plan/fit.hpp>

namespace ullage::inline v0 {

/// The inverse questions, on the middle of the band: at the limit `left()` is not negative, one more is too many.
///
/// Where max_model_len is not given, each limit is that of an engine told to accept no longer sequence than it needs.
/// Where it is given and one sequence of it does not fit, the engine does not start and both limits are 0.
struct limits {
  tokens max_context_at_concurrency{};     ///< at the load's concurrency (1 without a load)
  sequences max_concurrency_at_context{};  ///< at the load's context (max_model_len without a load)
  devices min_devices{};                   ///< 0 when even 64 devices do not do
  layout min_layout{};                     ///< of those devices
};

namespace detail {

/// Which end of the band an inverse question takes.
enum class band_end : std::uint8_t { low, mid };
constexpr bytes end_of(const estimate<bytes>& e, band_end end) noexcept {
  return end == band_end::low ? e.low : e.mid;
}

/// Sequences of `context` tokens that a rank holds; 0 when the device itself is too small.
constexpr count sequences_of(const verdict& v, const rank_memory& r, tokens context, band_end end) noexcept {
  if (end_of(r.spare, end) < bytes{}) return count(0);
  return sequences_in(r.blocks, end_of(r.kv_available, end), context, truncate(v.engine.rules.null_blocks));
}
/// Whether the engine starts with a max_model_len that the asker fixed; free ones are lowered to what is needed.
constexpr bool starts(const verdict& v, band_end end) noexcept {
  if (v.engine.kind != engine_kind::vllm || v.engine.options.max_model_len <= tokens{}) return true;
  for (const rank_memory& r : v.ranks)
    if (sequences_in(r.blocks, end_of(r.kv_available, end), v.max_model_len, count(0)) < count(1)) return false;
  return true;
}
constexpr sequences most_sequences(const verdict& v, tokens context, band_end end) noexcept {
  if (v.answer == answer::invalid || context <= tokens{}) return {};
  count most = count::overflow();
  for (const rank_memory& r : v.ranks) {
    const count here = sequences_of(v, r, context, end);
    if (here.overflowed()) continue;  // a stage without a cache
    if (most.overflowed() || here * count(v.layout.dp) < most) most = here * count(v.layout.dp);
  }
  if (!most.overflowed()) return of<sequences>(most);
  // No rank caches anything (an encoder): as many as the engine runs at once.
  for (const rank_memory& r : v.ranks)
    if (end_of(r.spare, end) < bytes{} || end_of(r.left, end) < bytes{}) return {};
  return max_sequences_in(v.engine, v.worst().part) * count(v.layout.dp);
}
/// By bisection: what a sequence is charged never falls as the context grows, whatever the groups of the cache.
constexpr tokens longest_context(const verdict& v, sequences how_many, tokens longest, band_end end) noexcept {
  if (v.answer == answer::invalid || how_many <= sequences{}) return {};
  std::int64_t low = 0;
  std::int64_t high = integer(longest);
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (most_sequences(v, of<tokens>(middle), end) >= how_many)
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

/// Longest context that `how_many` sequences over all replicas can have; at most `longest`.
constexpr tokens max_context(const verdict& v, sequences how_many, tokens longest) noexcept {
  if (!detail::starts(v, detail::band_end::mid)) return {};
  return detail::longest_context(v, of<sequences>(round_up(how_many.value(), count(v.layout.dp))), longest,
                                 detail::band_end::mid);
}

namespace detail {

/// Longest context of a load by asking again, for engines whose own memory depends on it (prompts that are not chunked).
///
/// What is left falls with the context inside each of the ranges that the profile's size cuts out: up to and beyond the
/// batched tokens (beyond, the profile runs no sampler) and the 32,768 tokens from which prompts are chunked. The upper
/// ranges are tried first.
constexpr tokens longest_asked(const transformer& m, std::span<const accelerator> parts, const layout& l,
                               const engine& e, const load& w, tokens longest, const calibration* given) noexcept {
  const auto holds = [&](std::int64_t context) {
    const verdict v = fits(m, parts, l, e, {of<tokens>(context), w.concurrency}, given);
    return v.answer != answer::invalid && v.left() >= bytes{};
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
    if (low > high || !holds(low)) continue;
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (holds(middle))
        low = middle;
      else
        high = middle - 1;
    }
    return of<tokens>(low);
  }
  return {};
}

}  // namespace detail

/// Limits of a model on given devices, and the fewest such devices that would do. Bad input: all zero.
///
/// `min_devices` tries 1…64 devices of the first part, each as tp·pp with the largest tp that one node and the model's
/// heads allow, with the dcp of `l` where that goes, and `l` itself. Measured terms (`given`) hold for the devices they
/// were measured on: with them the search is left out and `min_devices` is 0.
constexpr limits solve(const transformer& m, std::span<const accelerator> parts, const layout& l, const engine& e,
                       const load& w, const calibration* given = nullptr) noexcept {
  limits out;
  if (parts.empty()) return out;
  const verdict v = fits(m, parts, l, e, w, given);
  if (v.answer != answer::invalid) {
    const sequences how_many = w.concurrency > sequences{} ? w.concurrency : of<sequences>(1);
    // A context longer than the model's own is the asker's business (scaled positions), and said as such by the program.
    const count trained = larger(count(m.max_position), w.context.value());
    const tokens longest = e.options.max_model_len > tokens{} ? e.options.max_model_len : of<tokens>(trained);
    const bool grows = e.rules.unchunked_prefill > 0 && e.options.max_model_len <= tokens{};
    out.max_context_at_concurrency = grows ? detail::longest_asked(m, parts, l, e, {{}, how_many}, longest, given)
                                           : max_context(v, how_many, longest);
    out.max_concurrency_at_context = max_concurrency(v, w.context > tokens{} ? w.context : v.max_model_len);
  }
  if (given != nullptr && !given->nothing()) return out;
  const accelerator& part = parts[0];
  constexpr std::int64_t most = 64;
  if (v.answer != answer::invalid && v.left() >= bytes{}) {
    out.min_devices = of<devices>(l.world());
    out.min_layout = l;
  }
  const auto fewer_than_known = [&](std::int64_t n) {
    return out.min_devices == devices{} || of<devices>(n) < out.min_devices;
  };
  for (std::int64_t n = 1; n <= most && fewer_than_known(n); ++n) {
    for (std::int64_t tp = n; tp >= 1; --tp) {
      if (n % tp != 0 || (tp > 1 && of<devices>(tp) > part.node_devices())) continue;
      layout candidate;
      candidate.tp = tp;
      candidate.pp = n / tp;
      candidate.dcp = l.dcp;
      if (l.ep > 1 && tp > 1) candidate.ep = tp;
      if (check_layout(m, candidate) != layout_problem::none) candidate.dcp = 1;
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
constexpr limits solve(const transformer& m, const Accelerator auto& part, const layout& l, const engine& e,
                       const load& w) noexcept {
  const accelerator row = describe(part);
  return solve(m, std::span<const accelerator>(&row, 1), l, e, w);
}

}  // namespace ullage::inline v0
