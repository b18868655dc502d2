// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>

namespace ullage::inline v0 {

/// One line of an engine's history: from this version on the rule has this value.
struct dated_rule {
  std::string_view rule{};
  double value = 0;
  engine_version since{};
  std::string_view source{};
};

struct release {
  engine_version version{};
  engine_version date{};  ///< year, month, day
};

namespace vllm_history {
/// Releases by date, to turn a date into a version.
inline constexpr std::array<release, 24> releases{{
    {{0, 6, 0}, {2024, 9, 4}},   {{0, 7, 0}, {2025, 1, 27}},  {{0, 8, 0}, {2025, 3, 18}},  {{0, 9, 0}, {2025, 5, 15}},
    {{0, 10, 0}, {2025, 7, 24}}, {{0, 11, 0}, {2025, 10, 2}}, {{0, 12, 0}, {2025, 12, 3}}, {{0, 13, 0}, {2025, 12, 18}},
    {{0, 14, 0}, {2026, 1, 20}}, {{0, 15, 0}, {2026, 1, 29}}, {{0, 16, 0}, {2026, 2, 13}}, {{0, 17, 0}, {2026, 3, 7}},
    {{0, 18, 0}, {2026, 3, 20}}, {{0, 19, 0}, {2026, 4, 3}},  {{0, 20, 0}, {2026, 4, 27}}, {{0, 21, 0}, {2026, 5, 15}},
    {{0, 22, 0}, {2026, 5, 29}}, {{0, 23, 0}, {2026, 6, 15}}, {{0, 24, 0}, {2026, 7, 1}},  {{0, 25, 0}, {2026, 7, 20}},
    {{0, 26, 0}, {2026, 8, 10}}, {{0, 27, 0}, {2026, 8, 17}}, {{0, 28, 0}, {2026, 9, 15}}, {{0, 28, 1}, {2026, 9, 19}},
}};
inline constexpr engine_version oldest{0, 6, 0};
inline constexpr engine_version newest{0, 28, 1};

/// What changed and when; `engine_rules` holds the newest values, a line here the value of older ones.
inline constexpr std::array<dated_rule, 9> rules{{
    {"gpu_memory_utilization_default", 0.90, {0, 6, 0}, "vllm/config/cache.py"},
    {"gpu_memory_utilization_default", 0.92, {0, 22, 0}, "vllm/config/cache.py"},
    {"graphs_inside_budget", 0, {0, 6, 0}, "vllm/v1/worker/gpu_worker.py"},
    {"graphs_inside_budget", 1, {0, 21, 0}, "vllm/v1/worker/gpu_worker.py: VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS on by default"},
    {"tokens_from_concurrency", 0, {0, 6, 0}, "vllm/v1/core/kv_cache_utils.py"},
    {"tokens_from_concurrency", 1, {0, 21, 0}, "vllm/v1/core/kv_cache_utils.py"},
    {"null_blocks", 0, {0, 6, 0}, "vllm/core/block_manager.py"},
    {"null_blocks", 1, {0, 8, 0}, "vllm/v1/core/block_pool.py"},
    {"latent_cache", 0, {0, 6, 0}, "the latent cache came with 0.7.1"},
}};
}  // namespace vllm_history

/// The newest known version at a date; unknown when the date is before the oldest.
constexpr engine_version vllm_version_at(engine_version date) noexcept {
  engine_version v;
  for (const release& r : vllm_history::releases)
    if (r.date <= date) v = r.version;
  return v;
}

/// The rules of one vLLM version. A version newer than the newest known gets the newest rules (the answer must say so).
constexpr engine_rules vllm_rules(engine_version v) noexcept {
  engine_rules r;
  for (const dated_rule& d : vllm_history::rules)
    if (d.since <= v) set_rule(r, d.rule, d.value);
  if (v >= engine_version{0, 7, 1}) r.latent_cache = 1;
  return r;
}

/// vLLM at a version ("0.11.0"); the newest known without one.
constexpr engine vllm(std::string_view version = {}) noexcept {
  engine e;
  e.kind = engine_kind::vllm;
  e.version = version.empty() ? vllm_history::newest : parse_version(version);
  e.rules = vllm_rules(e.version);
  return e;
}

}  // namespace ullage::inline v0
