// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <ullage/io/request.hpp>
#include <ullage/io/vllm_log.hpp>
#include <utility>
#include <vector>

// What the engine makes of the cache's memory: the rules that turn printed bytes into the printed tokens.
namespace ullage::inline v0::io {

/// What a start printed of its cache; absent where it did not.
struct printed_cache {
  std::optional<std::int64_t> tokens, blocks;
  std::optional<double> concurrency;
  bool nothing() const noexcept { return !tokens && !blocks && !concurrency; }
};

/// A change of rules that reproduces a print.
struct rule_change {
  std::vector<std::pair<std::string_view, double>> rules{};
  std::string version{};  ///< a release that counts so, where one does
};

namespace detail {

/// The cache's report for a band of bytes on every rank; empty where the request has no answer.
struct cache_band {
  cache_report low{};
  cache_report high{};
  count block_tokens{};
  count longest_low{};  ///< longest single sequence
  count longest_high{};
};

inline count longest_sequence(const cache_layout& b, bytes kv, tokens most) {
  const auto holds = [&](std::int64_t n) { return sequences_in(b, kv, of<tokens>(n), count(0)) >= count(1); };
  std::int64_t low = 0;
  std::int64_t high = integer(most);
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (holds(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return count(low);
}

/// `kv`: of one rank of each class of `v`, or of all alike.
inline cache_report report_at(const verdict& v, bytes kv) {
  count blocks = count::overflow();
  for (const rank_memory& r : v.ranks) {
    if (r.blocks.block <= bytes{}) continue;
    const count here = blocks_in(r.blocks, kv);
    if (blocks.overflowed() || here < blocks) blocks = here;
  }
  return report(v.worst().blocks, blocks.overflowed() ? count(0) : blocks, kv, v.max_model_len, v.engine.rules);
}

inline std::optional<cache_band> cache_at(const request& q, const engine& e, printed_bytes kv) {
  calibration given;
  given.kv_available = of<bytes>((std::max<std::int64_t>)(kv.mid(), 0));
  const verdict v = fits(q.model, q.parts, q.parallel, e, q.load, &given);
  if (v.answer == answer::invalid) return std::nullopt;
  cache_band b;
  const bytes low = of<bytes>((std::max<std::int64_t>)(kv.low, 0));
  const bytes high = of<bytes>((std::max<std::int64_t>)(kv.high, 0));
  b.low = report_at(v, low);
  b.high = report_at(v, high);
  b.block_tokens = v.kv.block_tokens.value();
  b.longest_low = longest_sequence(v.worst().blocks, low, v.max_model_len);
  b.longest_high = longest_sequence(v.worst().blocks, high, v.max_model_len);
  return b;
}

inline bool says(const cache_band& b, const printed_cache& p) {
  const auto within = [](std::int64_t n, count low, count high) { return count(n) >= low && count(n) <= high; };
  constexpr double half = 0.0051;  // two decimals
  return (!p.tokens || within(*p.tokens, b.low.reported.value(), b.high.reported.value())) &&
         (!p.blocks || within(*p.blocks, b.low.blocks, b.high.blocks)) &&
         (!p.concurrency ||
          (*p.concurrency >= b.low.max_concurrency - half && *p.concurrency <= b.high.max_concurrency + half));
}

struct tried_rule {
  std::string_view name;
  std::initializer_list<double> values;
};
inline constexpr std::array<std::string_view, 6> cache_rule_names{
    "tokens_from_concurrency", "window_blocks", "in_flight_batches",
    "state_snapshots",         "latent_cache",  "checkpoint_cache_format"};

inline std::vector<std::pair<std::string_view, double>> rule_trials(const engine_rules& now) {
  std::vector<std::pair<std::string_view, double>> all;
  for (std::string_view rule : cache_rule_names)
    for (double value : {0.0, 1.0, 2.0, 3.0}) {
      const bool counts = rule == "in_flight_batches" || rule == "state_snapshots";
      if (value > 1 && !counts) continue;
      for (const ullage::detail::named_rule& n : ullage::detail::rule_names)
        if (n.name == rule && now.*n.member != value) all.emplace_back(rule, value);
    }
  for (double block : {16.0, 32.0, 64.0, 128.0})
    if (now.block_size_default != block) all.emplace_back("block_size_default", block);
  return all;
}

/// The fewest rules that, changed, make the printed cache of the printed bytes: one, else two together.
inline std::optional<rule_change> rules_that_say(const request& q, printed_bytes kv, const printed_cache& p) {
  const auto with = [&](std::initializer_list<std::pair<std::string_view, double>> changes) {
    engine e = q.engine;
    for (const auto& [rule, value] : changes) set_rule(e.rules, rule, value);
    const std::optional<cache_band> b = cache_at(q, e, kv);
    return b && says(*b, p);
  };
  const std::vector<std::pair<std::string_view, double>> trials = rule_trials(q.engine.rules);
  for (const auto& t : trials)
    if (with({t})) return rule_change{{t}, {}};
  for (std::size_t i = 0; i < trials.size(); ++i)
    for (std::size_t j = i + 1; j < trials.size(); ++j)
      if (trials[i].first != trials[j].first && with({trials[i], trials[j]}))
        return rule_change{{trials[i], trials[j]}, {}};
  return std::nullopt;
}

/// The release nearest to the engine's whose rules make the printed cache of the printed bytes; unknown where none does.
inline engine_version release_that_says(const request& q, printed_bytes kv, const printed_cache& p) {
  engine_version best;
  std::size_t distance = 0;
  std::size_t here = 0;
  for (std::size_t i = 0; i < vllm_history::releases.size(); ++i)
    if (vllm_history::releases[i].version <= q.engine.version) here = i;
  for (std::size_t i = 0; i < vllm_history::releases.size(); ++i) {
    const std::size_t away = i > here ? i - here : here - i;
    if (best.known() && away >= distance) continue;
    engine e = q.engine;
    e.version = vllm_history::releases[i].version;
    e.rules = vllm_rules(e.version);
    const std::optional<cache_band> b = cache_at(q, e, kv);
    if (!b || !says(*b, p)) continue;
    best = e.version;
    distance = away;
  }
  return best;
}

/// The part of a printed band of bytes that makes just the printed tokens or blocks; the band itself where none does.
inline printed_bytes narrowed(const request& q, const engine& e, printed_bytes kv, const printed_cache& p) {
  calibration given;
  given.kv_available = of<bytes>((std::max<std::int64_t>)(kv.mid(), 0));
  const verdict v = fits(q.model, q.parts, q.parallel, e, q.load, &given);
  if (v.answer == answer::invalid || kv.low < 0 || p.nothing()) return kv;
  // How a report at so many bytes compares with the print: below, at, above.
  const auto compared = [&](std::int64_t n) {
    const cache_report r = report_at(v, of<bytes>(n));
    if (p.blocks) return r.blocks < count(*p.blocks) ? -1 : r.blocks > count(*p.blocks) ? 1 : 0;
    if (p.tokens) return r.reported.value() < count(*p.tokens) ? -1 : r.reported.value() > count(*p.tokens) ? 1 : 0;
    return 0;
  };
  const auto first_where = [&](int least) {  // the fewest bytes whose report is at least so
    std::int64_t low = kv.low;
    std::int64_t high = kv.high;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (compared(middle) >= least)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  const std::int64_t begin = first_where(0);
  if (compared(begin) != 0) return kv;
  const std::int64_t end = first_where(1);
  return {begin, compared(end) == 1 ? end - 1 : end};
}

}  // namespace detail

}  // namespace ullage::inline v0::io
