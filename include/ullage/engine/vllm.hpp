// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>

namespace ullage::inline v0 {

/// One line of an engine's history: from this version on the rule has this value.
struct dated_rule {
  double engine_rules::*rule = nullptr;
  double value = 0;
  engine_version since{};
  const char* source = "";
};

struct release {
  engine_version version{};
  engine_version date{};  ///< year, month, day
};

namespace vllm_history {
/// Releases by date (upload to the Python package index), to turn a date into a version.
inline constexpr std::array<release, 57> releases{
    {{{0, 6, 0}, {2024, 9, 5}},    {{0, 6, 1}, {2024, 9, 11}},   {{0, 6, 2}, {2024, 9, 25}},
     {{0, 6, 3}, {2024, 10, 14}},  {{0, 6, 4}, {2024, 11, 15}},  {{0, 6, 5}, {2024, 12, 18}},
     {{0, 6, 6}, {2024, 12, 27}},  {{0, 7, 0}, {2025, 1, 27}},   {{0, 7, 1}, {2025, 2, 1}},
     {{0, 7, 2}, {2025, 2, 6}},    {{0, 7, 3}, {2025, 2, 20}},   {{0, 8, 0}, {2025, 3, 18}},
     {{0, 8, 1}, {2025, 3, 19}},   {{0, 8, 2}, {2025, 3, 25}},   {{0, 8, 3}, {2025, 4, 6}},
     {{0, 8, 4}, {2025, 4, 15}},   {{0, 8, 5}, {2025, 4, 28}},   {{0, 9, 0}, {2025, 5, 28}},
     {{0, 9, 1}, {2025, 6, 10}},   {{0, 9, 2}, {2025, 7, 8}},    {{0, 10, 0}, {2025, 7, 25}},
     {{0, 10, 1}, {2025, 8, 19}},  {{0, 10, 2}, {2025, 9, 13}},  {{0, 11, 0}, {2025, 10, 4}},
     {{0, 11, 1}, {2025, 11, 19}}, {{0, 11, 2}, {2025, 11, 20}}, {{0, 12, 0}, {2025, 12, 3}},
     {{0, 13, 0}, {2025, 12, 19}}, {{0, 14, 0}, {2026, 1, 20}},  {{0, 15, 0}, {2026, 1, 29}},
     {{0, 15, 1}, {2026, 2, 5}},   {{0, 16, 0}, {2026, 2, 26}},  {{0, 17, 0}, {2026, 3, 7}},
     {{0, 17, 1}, {2026, 3, 11}},  {{0, 18, 0}, {2026, 3, 20}},  {{0, 18, 1}, {2026, 3, 31}},
     {{0, 19, 0}, {2026, 4, 3}},   {{0, 19, 1}, {2026, 4, 18}},  {{0, 20, 0}, {2026, 4, 27}},
     {{0, 20, 1}, {2026, 5, 3}},   {{0, 20, 2}, {2026, 5, 10}},  {{0, 21, 0}, {2026, 5, 15}},
     {{0, 22, 0}, {2026, 5, 29}},  {{0, 22, 1}, {2026, 6, 5}},   {{0, 23, 0}, {2026, 6, 15}},
     {{0, 24, 0}, {2026, 6, 30}},  {{0, 25, 0}, {2026, 7, 11}},  {{0, 25, 1}, {2026, 7, 14}},
     {{0, 26, 0}, {2026, 7, 25}},  {{0, 27, 0}, {2026, 8, 10}},  {{0, 27, 1}, {2026, 8, 11}},
     {{0, 28, 0}, {2026, 8, 26}},  {{0, 29, 0}, {2026, 9, 9}},   {{0, 30, 0}, {2026, 9, 22}},
     {{0, 31, 0}, {2026, 10, 5}},  {{0, 32, 0}, {2026, 10, 18}}, {{0, 33, 0}, {2026, 11, 2}}}};
inline constexpr engine_version oldest{0, 6, 0};
inline constexpr engine_version newest = releases.back().version;

/// What changed and when, in order of time: a later line overrides an earlier one.
// clang-format off
inline constexpr std::array<dated_rule, 108> rules{{
    {&engine_rules::gpu_memory_utilization_default, 0.90, {0, 6, 0}, "vllm/config/cache.py; start-up logs to 0.15"},
    {&engine_rules::graphs_inside_budget, 0, {0, 6, 0}, "vllm/v1/worker/gpu_worker.py"},
    {&engine_rules::tokens_from_concurrency, 0, {0, 6, 0}, "vllm/v1/core/kv_cache_utils.py"},
    {&engine_rules::null_blocks, 0, {0, 6, 0}, "inferred: the null block came with the V1 engine"},
    {&engine_rules::window_blocks, 0, {0, 6, 0}, "vllm-project/vllm#17996 brought blocks of windows"},
    {&engine_rules::chunk_blocks, 0, {0, 6, 0}, "vllm-project/vllm#19351 brought blocks of chunks"},
    {&engine_rules::group_layers_ratio, 1, {0, 6, 0}, "vllm-project/vllm#17996: the fewest layers make a group"},
    {&engine_rules::stream_blocks, 1, {0, 6, 0}, "vllm-project/vllm#40860, the first release with DeepSeek-V4; two logs of 0.21"},
    {&engine_rules::retained_drafts, 0, {0, 6, 0}, "vllm-project/vllm#50062 brought it"},
    {&engine_rules::in_flight_batches, 1, {0, 6, 0}, "vllm/v1/core/kv_cache_utils.py; start-up logs of 0.19 to 0.25"},
    {&engine_rules::state_snapshots, 0, {0, 6, 0}, "inferred: prefix caching of states came later"},
    {&engine_rules::state_a_sequence, 0, {0, 6, 0}, "vllm-project/vllm#38270 brought the check"},
    {&engine_rules::latent_cache, 0, {0, 6, 0}, "DeepSeek models cached expanded heads"},
    {&engine_rules::unchunked_prefill, 1, {0, 6, 0}, "V0 chunks prompts only beyond 32,768 tokens; not read in its source"},
    {&engine_rules::max_num_batched_tokens_large, 512, {0, 6, 0}, "default of the V0 engine, not read in its source"},
    {&engine_rules::max_num_batched_tokens_datacenter, 512, {0, 6, 0}, "default of the V0 engine, not read in its source"},
    {&engine_rules::max_num_batched_tokens_other, 512, {0, 6, 0}, "default of the V0 engine, not read in its source"},
    {&engine_rules::max_num_seqs_datacenter, 256, {0, 6, 0}, "default of the V0 engine, not read in its source"},
    {&engine_rules::sampler_bytes_per_logit, 38.3, {0, 6, 0}, "fitted: 18 configurations, 0.6.4 to 0.15"},
    {&engine_rules::layer_hidden_factor, 3.0, {0, 6, 0}, "fitted: the same"},
    {&engine_rules::expert_buffers, 0, {0, 6, 0}, "no record before 0.17"},
    {&engine_rules::expert_buffers_unknown, 1, {0, 6, 0}, "no record before 0.17"},
    {&engine_rules::checkpoint_cache_format, 0, {0, 6, 0}, "an auto cache took the model's type"},
    {&engine_rules::activation_low, 0.988, {0, 6, 0}, "fitted: 16 of 18 unseen covered"},
    {&engine_rules::activation_high, 1.012, {0, 6, 0}, "fitted: 16 of 18 unseen covered"},
    {&engine_rules::runtime_single_low, 0.03 * detail::gib, {0, 6, 0}, "fitted: 13 records to 0.11"},
    {&engine_rules::runtime_single_mid, 0.13 * detail::gib, {0, 6, 0}, "fitted: 13 records to 0.11"},
    {&engine_rules::runtime_single_high, 0.32 * detail::gib, {0, 6, 0}, "fitted: 13 records to 0.11"},
    {&engine_rules::runtime_group_low, 0.25 * detail::gib, {0, 6, 0}, "fitted: 3 records to 0.11"},
    {&engine_rules::runtime_group_mid, 0.54 * detail::gib, {0, 6, 0}, "fitted: 3 records to 0.11"},
    {&engine_rules::runtime_group_high, 0.60 * detail::gib, {0, 6, 0}, "fitted: 3 records to 0.11"},
    {&engine_rules::mxfp4_inner_multiple, 1, {0, 6, 0}, "weights of gpt-oss-20b and 120b on 0.11 (Hopper): the hidden size alone is padded"},
    {&engine_rules::graph_sizes, 0, {0, 6, 0}, "graphs did not follow max_num_seqs"},
    {&engine_rules::graph_base_bytes, 0.31 * detail::gib, {0, 6, 0}, "measured graphs, fitted on 0.19"},
    {&engine_rules::graph_bytes_per_layer, 0.017 * detail::gib, {0, 6, 0}, "measured graphs, fitted on 0.19"},
    {&engine_rules::graph_low, 0.2, {0, 6, 0}, "transferred from 0.19"},
    {&engine_rules::graph_mid, 0.5, {0, 6, 0}, "transferred from 0.19"},
    {&engine_rules::graph_high, 1.6, {0, 6, 0}, "transferred from 0.19"},
    {&engine_rules::terms_fitted, 1, {0, 6, 0}, "the lines above"},
    {&engine_rules::max_num_batched_tokens_large, 2048, {0, 7, 0}, "default of the V0 engine, not read in its source"},
    {&engine_rules::max_num_batched_tokens_datacenter, 2048, {0, 7, 0}, "default of the V0 engine, not read in its source"},
    {&engine_rules::max_num_batched_tokens_other, 2048, {0, 7, 0}, "default of the V0 engine, not read in its source"},
    {&engine_rules::latent_cache, 1, {0, 7, 1}, "vllm/attention/backends/mla"},
    {&engine_rules::null_blocks, 1, {0, 8, 0}, "vllm/v1/core/block_pool.py of 2026-08; V1 is the default from 0.8"},
    {&engine_rules::unchunked_prefill, 0, {0, 8, 0}, "the V1 engine, default from 0.8, chunks"},
    {&engine_rules::max_num_batched_tokens_large, 16384, {0, 8, 0}, "vllm/engine/arg_utils.py of 2026-08; the first release with it is not known"},
    {&engine_rules::max_num_batched_tokens_datacenter, 8192, {0, 8, 0}, "vllm/engine/arg_utils.py as quoted in vllm-project/vllm#17046 (2025-04)"},
    {&engine_rules::max_num_seqs_datacenter, 1024, {0, 8, 0}, "vllm/engine/arg_utils.py as quoted in vllm-project/vllm#17046 (2025-04)"},
    {&engine_rules::window_blocks, 1, {0, 9, 1}, "vllm-project/vllm#17996 of 2025-06-05"},
    {&engine_rules::chunk_blocks, 1, {0, 10, 0}, "vllm-project/vllm#19351 of 2025-07-18"},
    {&engine_rules::group_layers_ratio, 1.25, {0, 12, 0}, "vllm-project/vllm#29303 of 2025-11-24"},
    {&engine_rules::runtime_single_low, 0.05 * detail::gib, {0, 12, 0}, "transferred"},
    {&engine_rules::runtime_single_mid, 0.20 * detail::gib, {0, 12, 0}, "transferred"},
    {&engine_rules::runtime_single_high, 0.40 * detail::gib, {0, 12, 0}, "transferred"},
    {&engine_rules::runtime_group_low, 0.3 * detail::gib, {0, 12, 0}, "transferred: 5 records of 0.15 on one part"},
    {&engine_rules::runtime_group_mid, 1.1 * detail::gib, {0, 12, 0}, "transferred: 5 records of 0.15 on one part"},
    {&engine_rules::runtime_group_high, 2.2 * detail::gib, {0, 12, 0}, "transferred: 5 records of 0.15 on one part"},
    {&engine_rules::graph_sizes, 51, {0, 12, 0}, "logs of 0.19 to 0.24 print captures up to min(2*max_num_seqs, 512) tokens; the first release is not known"},
    {&engine_rules::start_counts_stages, 1, {0, 14, 0}, "vllm-project/vllm#29431 of 2025-12-23"},
    {&engine_rules::checkpoint_cache_format, 1, {0, 14, 0}, "vllm-project/vllm#29980 (ModelOpt), #30141 (compressed-tensors); release by their dates"},
    {&engine_rules::start_counts_stages, 0, {0, 16, 0}, "vllm-project/vllm#33698 of 2026-02-10"},
    {&engine_rules::terms_fitted, 0, {0, 16, 0}, "no record of 0.16 to 0.18"},
    {&engine_rules::activation_high, 1.35, {0, 16, 0}, "no record of 0.16 to 0.18"},
    {&engine_rules::state_snapshots, 1, {0, 17, 0}, "vllm/v1/core/kv_cache_utils.py, mode align: a log of 0.19; the first release is not known"},
    {&engine_rules::sampler_bytes_per_logit, 14.79, {0, 17, 0}, "fitted: 19 configurations of 0.19"},
    {&engine_rules::layer_hidden_factor, 4.2, {0, 17, 0}, "fitted: 19 configurations of 0.19"},
    {&engine_rules::expert_buffers_unknown, 0, {0, 17, 0}, "see expert_buffers"},
    {&engine_rules::expert_buffers, 1, {0, 17, 0}, "fitted: three models on one device, two sizes by difference"},
    {&engine_rules::activation_low, 0.85, {0, 17, 0}, "no record of 0.16 to 0.18"},
    {&engine_rules::group_layers_ratio, 1.5, {0, 18, 0}, "vllm-project/vllm#36684 of 2026-03-12"},
    {&engine_rules::fitted_batched_tokens, 8192, {0, 19, 0}, "the one setting of the 19 configurations"},
    {&engine_rules::fitted_num_seqs, 1024, {0, 19, 0}, "the one setting of the 19 configurations"},
    {&engine_rules::mxfp4_inner_multiple, 128, {0, 19, 0}, "weights of gpt-oss-20b on 0.19 and 120b on 0.22 with tp 1, 2 and 8 (Hopper)"},
    {&engine_rules::activation_low, 0.994, {0, 19, 0}, "fitted: covers 14 of 19 unseen; beyond their settings see activation_peak()"},
    {&engine_rules::activation_high, 1.006, {0, 19, 0}, "fitted: covers 14 of 19 unseen"},
    {&engine_rules::runtime_single_low, 0.24 * detail::gib, {0, 19, 0}, "fitted: 16 records"},
    {&engine_rules::runtime_single_mid, 0.25 * detail::gib, {0, 19, 0}, "fitted: 16 records"},
    {&engine_rules::runtime_single_high, 0.26 * detail::gib, {0, 19, 0}, "fitted: 16 records"},
    {&engine_rules::runtime_group_low, 2.07 * detail::gib, {0, 19, 0}, "fitted: 16 records with NVLink"},
    {&engine_rules::runtime_group_mid, 2.13 * detail::gib, {0, 19, 0}, "fitted: 16 records with NVLink"},
    {&engine_rules::runtime_group_high, 2.22 * detail::gib, {0, 19, 0}, "fitted: 16 records with NVLink"},
    {&engine_rules::graph_low, 0.83, {0, 19, 0}, "fitted: 18 configurations, 11 of 15 unseen covered"},
    {&engine_rules::graph_mid, 1.0, {0, 19, 0}, "fitted: 18 configurations"},
    {&engine_rules::graph_high, 1.13, {0, 19, 0}, "fitted: 18 configurations"},
    {&engine_rules::terms_fitted, 1, {0, 19, 0}, "the lines above"},
    {&engine_rules::state_a_sequence, 1, {0, 20, 0}, "vllm-project/vllm#38270 of 2026-03-30"},
    {&engine_rules::graphs_inside_budget, 1, {0, 21, 0}, "vllm-project/vllm#38284 of 2026-04-21: the graph estimate is on by default"},
    {&engine_rules::gpu_memory_utilization_default, 0.92, {0, 21, 0}, "vllm/config/cache.py, vllm-project/vllm#38284 of 2026-04-21"},
    {&engine_rules::tokens_from_concurrency, 1, {0, 21, 0}, "vllm/v1/core/kv_cache_utils.py, vllm-project/vllm#41069 of 2026-04-28"},
    {&engine_rules::activation_low, 0.9, {0, 21, 0}, "transferred: records from 0.21 on do not print the terms apart"},
    {&engine_rules::activation_high, 1.5, {0, 21, 0}, "transferred"},
    {&engine_rules::runtime_single_low, 0.25 * detail::gib, {0, 21, 0}, "transferred"},
    {&engine_rules::runtime_single_mid, 0.5 * detail::gib, {0, 21, 0}, "transferred"},
    {&engine_rules::runtime_single_high, 1.25 * detail::gib, {0, 21, 0}, "transferred"},
    {&engine_rules::runtime_group_low, 0.3 * detail::gib, {0, 21, 0}, "transferred"},
    {&engine_rules::runtime_group_mid, 1.1 * detail::gib, {0, 21, 0}, "transferred"},
    {&engine_rules::runtime_group_high, 2.2 * detail::gib, {0, 21, 0}, "transferred"},
    {&engine_rules::graph_base_bytes, 0.15 * detail::gib, {0, 21, 0}, "the engine's own estimate, fitted on 0.19"},
    {&engine_rules::graph_bytes_per_layer, 0.0192 * detail::gib, {0, 21, 0}, "the engine's own estimate, fitted on 0.19"},
    {&engine_rules::graph_low, 0.15, {0, 21, 0}, "transferred"},
    {&engine_rules::graph_high, 2.2, {0, 21, 0}, "transferred"},
    {&engine_rules::fitted_batched_tokens, 0, {0, 21, 0}, "the band above is for all settings"},
    {&engine_rules::fitted_num_seqs, 0, {0, 21, 0}, "the band above is for all settings"},
    {&engine_rules::terms_fitted, 0, {0, 21, 0}, "no record of these terms alone"},
    {&engine_rules::stream_blocks, 2, {0, 24, 0}, "vllm-project/vllm#44577 of 2026-06-19"},
    {&engine_rules::in_flight_batches, 2, {0, 26, 0}, "vllm-project/vllm#47728 of 2026-07-08: two steps under way with async scheduling; logs of 0.25.1 charge one"},
    {&engine_rules::stream_blocks, 3, {0, 26, 0}, "vllm-project/vllm#48317 and #48993 of 2026-07-22"},
    {&engine_rules::retained_drafts, 1, {0, 28, 0}, "vllm-project/vllm#50062 of 2026-08-13"},
}};
// clang-format on
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
    if (d.since <= v) r.*d.rule = d.value;
  return r;
}

/// vLLM at a release ("0.11.0") or at a date ("2025-10-04"); the newest known without either. A text that is neither, and a
/// release before the oldest known, give an engine without a version: `fits` refuses it (`problem::unknown_version`).
constexpr engine vllm(std::string_view version_or_date = {}) noexcept {
  engine e;
  e.kind = engine_kind::vllm;
  e.version = version_or_date.empty() ? vllm_history::newest : parse_version(version_or_date);
  if (e.version.first >= 2000) e.version = vllm_version_at(e.version);
  if (e.version < vllm_history::oldest) e.version = {};
  e.rules = vllm_rules(e.version);
  return e;
}

}  // namespace ullage::inline v0
