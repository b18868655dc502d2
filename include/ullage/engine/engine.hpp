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

constexpr std::string_view name(engine_kind k) noexcept {
  return k == engine_kind::plain ? "plain" : "vllm";
}

namespace detail {
inline constexpr double gib = 1073741824.0;
}

/// How an engine spends memory, resolved for one version. Every member is a number so that a user can override it by
/// name (`set_rule`); switches are 0 or 1. The values by version with their sources: engine/vllm.hpp.
struct engine_rules {
  double gpu_memory_utilization_default = 0.92;  ///< share of the visible memory that the engine budgets
  double graphs_inside_budget = 1;               ///< estimated CUDA-graph memory is deducted from the budget
  double tokens_from_concurrency = 1;  ///< printed tokens = concurrency × max_model_len, else blocks × block size
  double block_size_default = 16;      ///< tokens
  double null_blocks = 1;              ///< blocks that no sequence can use
  double window_blocks = 1;            ///< layers with a window cache that only; 0 = every token
  double chunk_blocks = 1;             ///< layers with a chunk likewise
  double group_layers_ratio = 1.5;     ///< unlike layers: most over fewest of a kind below which the most make a group
  double stream_blocks = 3;            ///< how compressed streams are packed, see detail::pool_streams
  double retained_drafts = 1;          ///< windows keep more tokens where several prediction modules draft
  double in_flight_batches = 2;        ///< steps under way at once, for whose tokens every window makes room
  double state_a_sequence = 1;         ///< with graphs the pool must have a block for each of max_num_seqs states
  double start_counts_stages = 0;      ///< at the start a stage is held against the cache of all stages
  double state_snapshots = 1;          ///< states kept beside the running one where prefix caching is on
  double vocabulary_multiple = 64;     ///< the vocabulary is padded to it before it is divided
  double absorbed_latent_copies = 1;   ///< 16-bit copies of the latent up-projections stay resident (MLA)
  double rotary_table = 1;             ///< the table of max_position · rotary elements counts with the weights
  double mxfp4_hidden_multiple = 256;  ///< kernels of MXFP4 experts pad the hidden size to it
  double mxfp4_inner_multiple = 128;   ///< and the experts' own size on a rank
  double latent_cache = 1;             ///< MLA caches the latent; 0 = expanded to full heads
  double checkpoint_cache_format = 1;  ///< an "auto" cache takes the format that the checkpoint asks for
  // defaults by device class: visible memory of 160 GiB and more, of 70 GiB and more (A100 apart), the others
  double max_num_batched_tokens_large = 16384;
  double max_num_batched_tokens_datacenter = 8192;
  double max_num_batched_tokens_other = 2048;
  double max_num_seqs_datacenter = 1024;
  double max_num_seqs_other = 256;
  double unchunked_prefill = 0;  ///< 1: a prompt is one step, so a step holds max_model_len tokens (V0)
  // activation peak, see activation_peak()
  double sampler_bytes_per_logit = 14.79;  ///< bytes × max_num_seqs × vocabulary
  double sampler_hidden_factor = 1.2;      ///< × batched tokens × hidden × element bytes
  double layer_inner_factor = 3.0;         ///< × batched tokens × intermediate/tp × element bytes
  double layer_hidden_factor = 4.2;        ///< × batched tokens × hidden × element bytes
  double expert_buffers = 1;               ///< buffers of the fused expert kernels stay on top of the peak
  double expert_buffers_unknown = 0;       ///< 1: nobody has seen whether they stay; the upper end counts them
  double activation_low = 0.9;             ///< band, as factors of the middle
  double activation_high = 1.5;
  double fitted_batched_tokens = 0;  ///< the fit holds at this many batched tokens on Hopper; 0 = anywhere
  double fitted_num_seqs = 0;        ///< and at this many sequences
  double unfitted_low = 0.85;        ///< the band elsewhere
  double unfitted_high = 1.35;
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
  double graph_sizes = 51;  ///< steps captured where enough sequences are allowed; fewer where not. 0 = always as many
  double terms_fitted = 0;  ///< 1: the three banded terms were fitted on this version
};

namespace detail {
using std::literals::string_view_literals::operator""sv;
struct named_rule {
  std::string_view name{};
  double engine_rules::*member = nullptr;
  double least = 0;
  double most = 0;
};
// clang-format off
inline constexpr std::array<named_rule, 53> rule_names{{
    {"gpu_memory_utilization_default"sv, &engine_rules::gpu_memory_utilization_default, 0.01, 1},
    {"graphs_inside_budget"sv, &engine_rules::graphs_inside_budget, 0, 1},
    {"tokens_from_concurrency"sv, &engine_rules::tokens_from_concurrency, 0, 1},
    {"block_size_default"sv, &engine_rules::block_size_default, 1, 1e6},
    {"null_blocks"sv, &engine_rules::null_blocks, 0, 1e6},
    {"window_blocks"sv, &engine_rules::window_blocks, 0, 1},
    {"chunk_blocks"sv, &engine_rules::chunk_blocks, 0, 1},
    {"group_layers_ratio"sv, &engine_rules::group_layers_ratio, 1, 1e3},
    {"stream_blocks"sv, &engine_rules::stream_blocks, 1, 3},
    {"retained_drafts"sv, &engine_rules::retained_drafts, 0, 1},
    {"in_flight_batches"sv, &engine_rules::in_flight_batches, 0, 1e3},
    {"state_a_sequence"sv, &engine_rules::state_a_sequence, 0, 1},
    {"start_counts_stages"sv, &engine_rules::start_counts_stages, 0, 1},
    {"state_snapshots"sv, &engine_rules::state_snapshots, 0, 1e3},
    {"vocabulary_multiple"sv, &engine_rules::vocabulary_multiple, 1, 1e6},
    {"absorbed_latent_copies"sv, &engine_rules::absorbed_latent_copies, 0, 1},
    {"rotary_table"sv, &engine_rules::rotary_table, 0, 1},
    {"mxfp4_hidden_multiple"sv, &engine_rules::mxfp4_hidden_multiple, 1, 1e6},
    {"mxfp4_inner_multiple"sv, &engine_rules::mxfp4_inner_multiple, 1, 1e6},
    {"latent_cache"sv, &engine_rules::latent_cache, 0, 1},
    {"checkpoint_cache_format"sv, &engine_rules::checkpoint_cache_format, 0, 1},
    {"max_num_batched_tokens_large"sv, &engine_rules::max_num_batched_tokens_large, 1, 1e9},
    {"max_num_batched_tokens_datacenter"sv, &engine_rules::max_num_batched_tokens_datacenter, 1, 1e9},
    {"max_num_batched_tokens_other"sv, &engine_rules::max_num_batched_tokens_other, 1, 1e9},
    {"max_num_seqs_datacenter"sv, &engine_rules::max_num_seqs_datacenter, 1, 1e9},
    {"max_num_seqs_other"sv, &engine_rules::max_num_seqs_other, 1, 1e9},
    {"unchunked_prefill"sv, &engine_rules::unchunked_prefill, 0, 1},
    {"sampler_bytes_per_logit"sv, &engine_rules::sampler_bytes_per_logit, 0, 1e6},
    {"sampler_hidden_factor"sv, &engine_rules::sampler_hidden_factor, 0, 1e6},
    {"layer_inner_factor"sv, &engine_rules::layer_inner_factor, 0, 1e6},
    {"layer_hidden_factor"sv, &engine_rules::layer_hidden_factor, 0, 1e6},
    {"expert_buffers"sv, &engine_rules::expert_buffers, 0, 1},
    {"expert_buffers_unknown"sv, &engine_rules::expert_buffers_unknown, 0, 1},
    {"activation_low"sv, &engine_rules::activation_low, 0, 1e6},
    {"activation_high"sv, &engine_rules::activation_high, 0, 1e6},
    {"fitted_batched_tokens"sv, &engine_rules::fitted_batched_tokens, 0, 1e9},
    {"fitted_num_seqs"sv, &engine_rules::fitted_num_seqs, 0, 1e9},
    {"unfitted_low"sv, &engine_rules::unfitted_low, 0, 1e6},
    {"unfitted_high"sv, &engine_rules::unfitted_high, 0, 1e6},
    {"runtime_single_low"sv, &engine_rules::runtime_single_low, 0, 1e13},
    {"runtime_single_mid"sv, &engine_rules::runtime_single_mid, 0, 1e13},
    {"runtime_single_high"sv, &engine_rules::runtime_single_high, 0, 1e13},
    {"runtime_group_low"sv, &engine_rules::runtime_group_low, 0, 1e13},
    {"runtime_group_mid"sv, &engine_rules::runtime_group_mid, 0, 1e13},
    {"runtime_group_high"sv, &engine_rules::runtime_group_high, 0, 1e13},
    {"graph_base_bytes"sv, &engine_rules::graph_base_bytes, 0, 1e13},
    {"graph_bytes_per_layer"sv, &engine_rules::graph_bytes_per_layer, 0, 1e13},
    {"graph_expert_bytes"sv, &engine_rules::graph_expert_bytes, 0, 1e13},
    {"graph_low"sv, &engine_rules::graph_low, 0, 1e6},
    {"graph_mid"sv, &engine_rules::graph_mid, 0, 1e6},
    {"graph_high"sv, &engine_rules::graph_high, 0, 1e6},
    {"graph_sizes"sv, &engine_rules::graph_sizes, 0, 1e6},
    {"terms_fitted"sv, &engine_rules::terms_fitted, 0, 1},
}};
// clang-format on
}  // namespace detail

enum class rule_result : std::uint8_t { set, unknown_rule, out_of_range };

/// Overrides a rule by its name, inside the range that the rule can have.
constexpr rule_result set_rule(engine_rules& r, std::string_view rule, double value) noexcept {
  for (const detail::named_rule& n : detail::rule_names) {
    if (n.name != rule) continue;
    if (!(value >= n.least && value <= n.most)) return rule_result::out_of_range;
    r.*n.member = value;
    return rule_result::set;
  }
  return rule_result::unknown_rule;
}

/// Whether every rule is inside its range and every band in order.
constexpr bool consistent(const engine_rules& r) noexcept {
  for (const detail::named_rule& n : detail::rule_names)
    if (!(r.*n.member >= n.least && r.*n.member <= n.most)) return false;
  return r.activation_low <= 1 && r.activation_high >= 1 && r.unfitted_low <= 1 && r.unfitted_high >= 1 &&
         r.runtime_single_low <= r.runtime_single_mid && r.runtime_single_mid <= r.runtime_single_high &&
         r.runtime_group_low <= r.runtime_group_mid && r.runtime_group_mid <= r.runtime_group_high &&
         r.graph_low <= r.graph_mid && r.graph_mid <= r.graph_high;
}

/// Options under the engine's own names; zero = the engine's default.
struct engine_options {
  tokens max_model_len{};  ///< longest sequence the engine accepts; 0 = the load's context, else the model's longest
  double gpu_memory_utilization = 0;
  tokens max_num_batched_tokens{};  ///< tokens of one step
  sequences max_num_seqs{};         ///< sequences of one step
  tokens block_size{};
  bytes kv_cache_memory_bytes{};  ///< fixes the cache whatever the budget
  bool enforce_eager = false;     ///< no CUDA graphs
  bool enable_prefix_caching = true;
  std::int64_t max_loras = 0;           ///< adapters resident at once; each has a slot beside every linear layer
  std::int64_t max_lora_rank = 0;       ///< rank that a slot has room for
  tokens max_cudagraph_capture_size{};  ///< tokens of the largest step that is captured as a graph
};

/// Where the tokens come from that an engine proposes and the model confirms.
enum class draft_method : std::uint8_t {
  none,
  ngram,       ///< from the prompt itself: no weights and no cache
  mtp,         ///< the checkpoint's own multi-token-prediction modules
  eagle,       ///< a layer that reads the model's last hidden states
  eagle3,      ///< the same from three layers of the model
  draft_model  ///< a small model of its own
};
inline constexpr std::array<std::string_view, 6> draft_method_names{"none",  "ngram",  "mtp",
                                                                    "eagle", "eagle3", "draft_model"};
constexpr std::string_view name(draft_method m) noexcept {
  return draft_method_names[static_cast<std::size_t>(m)];
}

/// Speculative decoding: the method and how many tokens it proposes a step.
struct speculation {
  draft_method method = draft_method::none;
  std::int64_t num_tokens = 0;
  const transformer* draft = nullptr;  ///< eagle, eagle3 and draft_model; must outlive what is asked with it
};

/// An engine: what it is, its rules, its options, and the formats it is told to use.
struct engine {
  engine_kind kind = engine_kind::plain;
  engine_version version{};
  engine_rules rules{};
  engine_options options{};
  number_format weights{};   ///< online quantisation of the linear layers; nameless = as the checkpoint stores them
  number_format kv_cache{};  ///< nameless = "auto", the model's own type
  speculation speculative{};
};

/// Measured values that replace a term of the prediction; below zero = not given.
struct calibration {
  static constexpr bytes not_given = of<bytes>(count(-1));
  bytes kv_available = not_given;  ///< per device
  bytes weights = not_given;       ///< per device
  bytes activation = not_given;
  bytes runtime = not_given;
  bytes graphs = not_given;
  static constexpr bool given(bytes b) noexcept { return b >= bytes{} || overflowed(b); }
  constexpr bool nothing() const noexcept {
    return !given(kv_available) && !given(weights) && !given(activation) && !given(runtime) && !given(graphs);
  }
};

/// The formats a model's weights have in an engine.
constexpr weight_scheme weights_in(const engine& e, const transformer& m) noexcept {
  return e.weights.name.empty() ? m.stored : quantized_linears(e.weights, m.stored.kept);
}
/// The cache's format: the engine's option, else ("auto") what the checkpoint asks for where the engine heeds it, else the
/// model's own type.
constexpr number_format kv_format_in(const engine& e, const transformer& m) noexcept {
  const number_format f = !e.kv_cache.name.empty()                                       ? e.kv_cache
                          : e.rules.checkpoint_cache_format > 0 && !m.cache.name.empty() ? m.cache
                                                                                         : m.activation;
  // vLLM keeps an fp8 cache of sparse latent attention in a layout of its own (vllm/v1/attention/backends/mla), and takes
  // it for compressed streams unasked (vllm/models/deepseek_v4).
  if (e.kind == engine_kind::vllm)
    for (const layer_kind& k : m.kinds)
      if (k.attention.kind == attention_kind::latent && k.attention.index_dim > 0 &&
          (f == formats::fp8 || (k.attention.stride > 1 && e.kv_cache.name.empty())))
        return formats::fp8_ds_mla;
  return f;
}

}  // namespace ullage::inline v0
