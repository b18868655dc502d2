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

namespace detail {
inline constexpr double gib = 1073741824.0;
}

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
  double rotary_table = 1;                       ///< the table of max_position · rotary elements counts with the weights
  double latent_cache = 1;                       ///< MLA caches the latent; 0 = expanded to full heads
  // defaults by device class: visible memory of 160 GiB and more, of 70 GiB and more (A100 apart), the others
  double max_num_batched_tokens_large = 16384;
  double max_num_batched_tokens_datacenter = 8192;
  double max_num_batched_tokens_other = 2048;
  double max_num_seqs_datacenter = 1024;
  double max_num_seqs_other = 256;
  double unchunked_prefill = 0;                  ///< 1: a prompt is one step, so a step holds max_model_len tokens (V0)
  // activation peak, see activation_peak()
  double sampler_bytes_per_logit = 14.79;        ///< bytes × max_num_seqs × vocabulary
  double sampler_hidden_factor = 1.2;            ///< × batched tokens × hidden × element bytes
  double layer_inner_factor = 3.0;               ///< × batched tokens × intermediate/tp × element bytes
  double layer_hidden_factor = 4.2;              ///< × batched tokens × hidden × element bytes
  double expert_buffers = 1;                     ///< buffers of the fused expert kernels stay on top of the peak
  double activation_low = 0.9;                   ///< band, as factors of the middle
  double activation_high = 1.5;
  // memory outside the framework's allocator (context, communication buffers): a single device, and a group
  double runtime_single_low = 0.25 * detail::gib;
  double runtime_single_mid = 0.5 * detail::gib;
  double runtime_single_high = 1.25 * detail::gib;
  double runtime_group_low = 0.3 * detail::gib;
  double runtime_group_mid = 1.1 * detail::gib;
  double runtime_group_high = 2.2 * detail::gib;
  // CUDA graphs: (base + per_layer·layers + experts where the model has them or a latent) × factor
  double graph_base_bytes = 0.15 * detail::gib;
  double graph_bytes_per_layer = 0.0192 * detail::gib;
  double graph_expert_bytes = 0.35 * detail::gib;
  double graph_low = 0.15;
  double graph_mid = 1.0;
  double graph_high = 2.2;
  double terms_fitted = 0;                       ///< 1: the three banded terms were fitted on this version
};

namespace detail {
struct named_rule {
  std::string_view name;
  double engine_rules::*member;
};
#define ULLAGE_RULE(member) named_rule{#member, &engine_rules::member}
inline constexpr std::array<named_rule, 35> rule_names{
    ULLAGE_RULE(gpu_memory_utilization_default), ULLAGE_RULE(graphs_inside_budget), ULLAGE_RULE(tokens_from_concurrency),
    ULLAGE_RULE(block_size_default), ULLAGE_RULE(null_blocks), ULLAGE_RULE(vocabulary_multiple),
    ULLAGE_RULE(absorbed_latent_copies), ULLAGE_RULE(rotary_table), ULLAGE_RULE(latent_cache), ULLAGE_RULE(max_num_batched_tokens_large),
    ULLAGE_RULE(max_num_batched_tokens_datacenter), ULLAGE_RULE(max_num_batched_tokens_other),
    ULLAGE_RULE(max_num_seqs_datacenter), ULLAGE_RULE(max_num_seqs_other), ULLAGE_RULE(unchunked_prefill),
    ULLAGE_RULE(sampler_bytes_per_logit), ULLAGE_RULE(sampler_hidden_factor), ULLAGE_RULE(layer_inner_factor),
    ULLAGE_RULE(layer_hidden_factor), ULLAGE_RULE(expert_buffers), ULLAGE_RULE(activation_low),
    ULLAGE_RULE(activation_high), ULLAGE_RULE(runtime_single_low), ULLAGE_RULE(runtime_single_mid),
    ULLAGE_RULE(runtime_single_high), ULLAGE_RULE(runtime_group_low), ULLAGE_RULE(runtime_group_mid),
    ULLAGE_RULE(runtime_group_high), ULLAGE_RULE(graph_base_bytes), ULLAGE_RULE(graph_bytes_per_layer),
    ULLAGE_RULE(graph_expert_bytes), ULLAGE_RULE(graph_low), ULLAGE_RULE(graph_mid), ULLAGE_RULE(graph_high),
    ULLAGE_RULE(terms_fitted)};
#undef ULLAGE_RULE
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
  constexpr bool nothing() const noexcept {
    return !given(kv_available) && !given(weights) && !given(activation) && !given(runtime) && !given(graphs);
  }
};

/// The formats a model's weights have in an engine.
constexpr weight_scheme weights_in(const engine& e, const transformer& m) noexcept {
  return e.weights.name.empty() ? m.stored : quantized_linears(e.weights, m.stored.kept);
}
constexpr number_format kv_format_in(const engine& e, const transformer& m) noexcept {
  return e.kv_cache.name.empty() ? m.activation : e.kv_cache;
}

}  // namespace ullage::inline v0
