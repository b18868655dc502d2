// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <ullage/engine/version.hpp>
#include <ullage/estimate.hpp>
#include <ullage/memory.hpp>

namespace ullage::inline v0 {

enum class engine_kind : std::uint8_t {
  plain,  ///< weights, working set and a contiguous cache of context × sequences: the arithmetic of a minimal server
  vllm
};

constexpr std::string_view name(engine_kind k) noexcept { return k == engine_kind::plain ? "plain" : "vllm"; }

/// How an engine spends memory, resolved for one version. Every member is a number so that a user can override it by
/// name (`set_rule`); switches are 0 or 1. The values by version with their sources: engine/vllm.hpp.
struct engine_rules {
  double gpu_memory_utilization_default = 0.92;  ///< share of the visible memory that the engine budgets
  double graphs_inside_budget = 1;               ///< estimated CUDA-graph memory is deducted from the budget
  double tokens_from_concurrency = 1;            ///< printed tokens = concurrency × max_model_len, else blocks × block size
  double block_size_default = 16;                ///< tokens
  double null_blocks = 1;                        ///< blocks that no sequence can use
  double vocabulary_multiple = 64;               ///< the vocabulary is padded to it before it is divided
  double absorbed_latent_copies = 1;             ///< 16-bit copies of the latent up-projections stay resident (MLA)
  double latent_cache = 1;                       ///< MLA caches the latent; 0 = expanded to full heads
  // defaults by device class: visible memory of 160 GiB and more, of 70 GiB and more (A100 apart), the others
  double max_num_batched_tokens_large = 16384;
  double max_num_batched_tokens_datacenter = 8192;
  double max_num_batched_tokens_other = 2048;
  double max_num_seqs_datacenter = 1024;
  double max_num_seqs_other = 256;
  // activation peak: the larger of the sampler's warm-up and of one layer's working set, see activation_peak()
  double sampler_bytes_per_logit = 14.77;        ///< bytes × max_num_seqs × vocabulary
  double sampler_hidden_factor = 1.2;            ///< × batched tokens × hidden × 2 bytes
  double layer_inner_factor = 3.0;               ///< × batched tokens × intermediate/tp × 2 bytes
  double layer_hidden_factor = 4.2;              ///< × batched tokens × hidden × 2 bytes
  double activation_low = 0.8;                   ///< band, as a factor of the middle
  double activation_high = 1.25;
  // memory outside the framework's allocator: context, communication buffers
  double runtime_bytes_single = 0.13 * 1073741824.0;
  double runtime_bytes_group = 0.55 * 1073741824.0;
  double runtime_low = 0.6;
  double runtime_high = 2.5;
  // CUDA graphs
  double graph_bytes_mid = 0.9 * 1073741824.0;
  double graph_bytes_low = 0.1 * 1073741824.0;
  double graph_bytes_high = 2.0 * 1073741824.0;
  basis terms_from = basis::fitted;              ///< what the three banded terms rest on
};

namespace detail {
struct named_rule {
  std::string_view name;
  double engine_rules::*member;
};
inline constexpr std::array<named_rule, 26> rule_names{{
    {"gpu_memory_utilization_default", &engine_rules::gpu_memory_utilization_default},
    {"graphs_inside_budget", &engine_rules::graphs_inside_budget},
    {"tokens_from_concurrency", &engine_rules::tokens_from_concurrency},
    {"block_size_default", &engine_rules::block_size_default},
    {"null_blocks", &engine_rules::null_blocks},
    {"vocabulary_multiple", &engine_rules::vocabulary_multiple},
    {"absorbed_latent_copies", &engine_rules::absorbed_latent_copies},
    {"latent_cache", &engine_rules::latent_cache},
    {"max_num_batched_tokens_large", &engine_rules::max_num_batched_tokens_large},
    {"max_num_batched_tokens_datacenter", &engine_rules::max_num_batched_tokens_datacenter},
    {"max_num_batched_tokens_other", &engine_rules::max_num_batched_tokens_other},
    {"max_num_seqs_datacenter", &engine_rules::max_num_seqs_datacenter},
    {"max_num_seqs_other", &engine_rules::max_num_seqs_other},
    {"sampler_bytes_per_logit", &engine_rules::sampler_bytes_per_logit},
    {"sampler_hidden_factor", &engine_rules::sampler_hidden_factor},
    {"layer_inner_factor", &engine_rules::layer_inner_factor},
    {"layer_hidden_factor", &engine_rules::layer_hidden_factor},
    {"activation_low", &engine_rules::activation_low},
    {"activation_high", &engine_rules::activation_high},
    {"runtime_bytes_single", &engine_rules::runtime_bytes_single},
    {"runtime_bytes_group", &engine_rules::runtime_bytes_group},
    {"runtime_low", &engine_rules::runtime_low},
    {"runtime_high", &engine_rules::runtime_high},
    {"graph_bytes_low", &engine_rules::graph_bytes_low},
    {"graph_bytes_mid", &engine_rules::graph_bytes_mid},
    {"graph_bytes_high", &engine_rules::graph_bytes_high},
}};
}  // namespace detail

/// Overrides a rule by its name; false when no rule is called so.
constexpr bool set_rule(engine_rules& r, std::string_view rule, double value) noexcept {
  for (const detail::named_rule& n : detail::rule_names) {
    if (n.name != rule) continue;
    r.*n.member = value;
    return true;
  }
  return false;
}

/// Options under the engine's own names; zero = the engine's default.
struct engine_options {
  tokens max_model_len{};               ///< longest sequence the engine accepts; 0 = the load's context, else the model's longest
  double gpu_memory_utilization = 0;
  tokens max_num_batched_tokens{};      ///< tokens of one step
  sequences max_num_seqs{};             ///< sequences of one step
  tokens block_size{};
  bytes kv_cache_memory_bytes{};        ///< fixes the cache whatever the budget
  bool enforce_eager = false;           ///< no CUDA graphs
  bool enable_prefix_caching = true;
};

/// An engine: what it is, its rules, its options, and the formats it is told to use.
struct engine {
  engine_kind kind = engine_kind::plain;
  engine_version version{};
  engine_rules rules{};
  engine_options options{};
  number_format weights{};   ///< online quantisation of the linear layers; nameless = as the checkpoint stores them
  number_format kv_cache{};  ///< nameless = "auto", the model's own type
};

/// Measured values that replace a term of the prediction; below zero = not given.
struct calibration {
  static constexpr bytes not_given = of<bytes>(count(-1));
  bytes kv_available = not_given;  ///< per device
  bytes weights = not_given;       ///< per device
  bytes activation = not_given;
  bytes runtime = not_given;
  bytes graphs = not_given;
  static constexpr bool given(bytes b) noexcept { return b >= bytes{}; }
};

/// The formats a model's weights have in an engine.
constexpr weight_scheme weights_in(const engine& e, const transformer& m) noexcept {
  return e.weights.name.empty() ? m.stored : quantized_linears(e.weights, m.stored.kept);
}
constexpr number_format kv_format_in(const engine& e, const transformer& m) noexcept {
  return e.kv_cache.name.empty() ? m.activation : e.kv_cache;
}

}  // namespace ullage::inline v0
