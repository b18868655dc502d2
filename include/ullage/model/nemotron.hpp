// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// What one layer of Nemotron-H is: a mixer or a feed-forward alone, with one norm.
enum class nemotron_layer : std::uint8_t { mamba, attention, mlp, experts };

/// Nemotron-H and Nemotron-3: layers that are each a Mamba-2 mixer (M), grouped-query attention (*), a feed-forward
/// without gate (-) or routed experts (E), in Nemotron-3 Super and Ultra between projections to a smaller width. Members
/// carry the Hugging Face config's words.
struct nemotron_h_shape {
  std::string_view name{};
  std::string_view model_type = "nemotron_h";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  bool attention_bias = false;  ///< on Q, K, V and the output
  bool mlp_bias = false;
  std::int64_t n_routed_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  std::int64_t moe_intermediate_size = 0;
  std::int64_t moe_latent_size = 0;  ///< width the routed experts work in; 0 = hidden_size
  std::int64_t shared_intermediate_size = 0;
  std::int64_t num_nextn_predict_layers = 0;  ///< 0 or 1 prediction modules of `mtp_pattern`
  mamba_sizes mixer{};
  std::array<nemotron_layer, transformer::most_layers> pattern{};
  std::array<nemotron_layer, 8> mtp_pattern{};
  std::int64_t mtp_pattern_size = 0;
};

namespace detail {
constexpr attention add_nemotron_attention(model_builder& b, const nemotron_h_shape& s) noexcept {
  const std::int64_t queries = s.num_attention_heads * s.head_dim;
  const std::int64_t keys = s.num_key_value_heads * s.head_dim;
  b.add("mixer.q_proj.weight", queries, s.hidden_size, part::attention, sharding::rows, precision::linear);
  for (std::string_view n : {"mixer.k_proj.weight", "mixer.v_proj.weight"})
    b.add(n, keys, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, s.head_dim);
  b.add("mixer.o_proj.weight", s.hidden_size, queries, part::attention, sharding::cols, precision::linear);
  if (s.attention_bias) {
    b.vector("mixer.q_proj.bias", queries, part::attention, sharding::rows);
    b.vector("mixer.k_proj.bias", keys, part::attention, sharding::kv_rows, s.head_dim);
    b.vector("mixer.v_proj.bias", keys, part::attention, sharding::kv_rows, s.head_dim);
    b.vector("mixer.o_proj.bias", s.hidden_size, part::attention);
  }
  return {attention_kind::full, s.num_attention_heads, s.num_key_value_heads, s.head_dim, s.head_dim};
}

constexpr feed_forward add_nemotron_mlp(model_builder& b, const nemotron_h_shape& s) noexcept {
  b.add("mixer.up_proj.weight", s.intermediate_size, s.hidden_size, part::mlp, sharding::rows, precision::linear);
  b.add("mixer.down_proj.weight", s.hidden_size, s.intermediate_size, part::mlp, sharding::cols, precision::linear);
  if (s.mlp_bias) {
    b.vector("mixer.up_proj.bias", s.intermediate_size, part::mlp, sharding::rows);
    b.vector("mixer.down_proj.bias", s.hidden_size, part::mlp);
  }
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.intermediate_size;
  f.matrices = 2;
  return f;
}

constexpr feed_forward add_nemotron_experts(model_builder& b, const nemotron_h_shape& s) noexcept {
  const std::int64_t width = s.moe_latent_size > 0 ? s.moe_latent_size : s.hidden_size;
  b.add("mixer.gate.weight", s.n_routed_experts, s.hidden_size, part::router, sharding::replicated, precision::kept);
  b.add("mixer.gate.e_score_correction_bias", 1, s.n_routed_experts, part::router, sharding::replicated,
        precision::float32);
  b.add("mixer.experts.{}.up_proj.weight", s.moe_intermediate_size, width, part::experts, sharding::expert_rows,
        precision::experts, s.n_routed_experts);
  b.add("mixer.experts.{}.down_proj.weight", width, s.moe_intermediate_size, part::experts, sharding::expert_cols,
        precision::experts, s.n_routed_experts);
  if (s.moe_latent_size > 0) {
    b.add("mixer.fc1_latent_proj.weight", width, s.hidden_size, part::shared_experts, sharding::replicated,
          precision::linear);
    b.add("mixer.fc2_latent_proj.weight", s.hidden_size, width, part::shared_experts, sharding::replicated,
          precision::linear);
  }
  b.add("mixer.shared_experts.up_proj.weight", s.shared_intermediate_size, s.hidden_size, part::shared_experts,
        sharding::rows, precision::linear);
  b.add("mixer.shared_experts.down_proj.weight", s.hidden_size, s.shared_intermediate_size, part::shared_experts,
        sharding::cols, precision::linear);
  return {feed_forward_kind::experts, 0, s.n_routed_experts, s.num_experts_per_tok, s.moe_intermediate_size,
          s.shared_intermediate_size, 2};
}
}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_nemotron_h(const nemotron_h_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.model.layer_prefix = "backbone.layers.";
  detail::add_named_ends(b, s.hidden_size, s.vocab_size, s.tie_word_embeddings, "backbone.embeddings.weight",
                         "backbone.norm_f.weight");
  attention a;
  recurrent state;
  feed_forward f;
  const auto add_layer_of = [&](nemotron_layer kind) {
    b.vector("norm.weight", s.hidden_size, part::norm);
    switch (kind) {
      case nemotron_layer::mamba: state = detail::add_mamba2(b, s.hidden_size, s.mixer, detail::mixer_names); break;
      case nemotron_layer::attention: a = detail::add_nemotron_attention(b, s); break;
      case nemotron_layer::mlp: f = detail::add_nemotron_mlp(b, s); break;
      case nemotron_layer::experts: f = detail::add_nemotron_experts(b, s); break;
    }
  };
  const auto make = [&](std::uint8_t code) {
    a = {};
    state = {};
    f = {};
    const family_range r = b.begin_range();
    add_layer_of(static_cast<nemotron_layer>(code));
    return b.add_kind(a, f, b.end_range(r), state);
  };
  std::uint8_t codes[transformer::most_layers]{};
  for (std::size_t i = 0; i < transformer::most_layers; ++i) codes[i] = static_cast<std::uint8_t>(s.pattern[i]);
  detail::add_pattern(b, codes, s.num_hidden_layers, make);
  if (s.num_nextn_predict_layers > 0 && b.ok) {
    // One module of several sub-layers (mtp.layers.0, mtp.layers.1), with the model's embedding and head.
    a = {};
    state = {};
    f = {};
    family_range r = b.begin_range();
    for (std::int64_t i = 0; i < s.mtp_pattern_size; ++i) add_layer_of(s.mtp_pattern[static_cast<std::size_t>(i)]);
    b.model.mtp_kind = b.add_kind(a, f, b.end_range(r), state);
    b.model.mtp_layers = s.num_nextn_predict_layers;
    r = b.begin_range();
    b.add("mtp.layers.0.eh_proj.weight", s.hidden_size, 2 * s.hidden_size, part::mtp, sharding::replicated,
          precision::kept);
    b.vector("mtp.layers.0.enorm.weight", s.hidden_size, part::mtp);
    b.vector("mtp.layers.0.hnorm.weight", s.hidden_size, part::mtp);
    b.vector("mtp.layers.1.final_layernorm.weight", s.hidden_size, part::mtp);
    b.model.mtp_extra = b.end_range(r);
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

/// One block of a searched architecture (Llama-Nemotron): what stands in the place of attention and of the feed-forward.
struct nas_block {
  std::int64_t num_key_value_heads = 0;  ///< 0 = no attention
  std::int64_t intermediate_size = 0;    ///< 0 = no gated feed-forward
  bool attention_linear = false;         ///< one matrix instead of attention
  bool mlp_linear = false;               ///< one matrix instead of the feed-forward
  friend constexpr bool operator==(const nas_block&, const nas_block&) noexcept = default;
};

/// Llama-Nemotron (nemotron-nas, DeciLM): Llama whose layers differ by block_configs. A block that is left out has no
/// norm either.
struct nemotron_nas_shape {
  std::string_view name{};
  std::string_view model_type = "nemotron-nas";
  std::int64_t hidden_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  bool attention_bias = false;
  bool mlp_bias = false;
  std::array<nas_block, transformer::most_layers> blocks{};
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_nemotron_nas(const nemotron_nas_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);
  const auto make = [&](const nas_block& block) {
    const family_range r = b.begin_range();
    attention a;
    feed_forward f;
    if (block.num_key_value_heads > 0 || block.attention_linear)
      b.vector("input_layernorm.weight", s.hidden_size, part::norm);
    if (block.num_key_value_heads > 0)
      a = detail::add_gqa(b, s.hidden_size, s.num_attention_heads, block.num_key_value_heads, s.head_dim,
                          {s.attention_bias, s.attention_bias, false});
    if (block.attention_linear)
      b.add("self_attn.linear_attn.weight", s.hidden_size, s.hidden_size, part::attention, sharding::replicated,
            precision::linear);
    if (block.intermediate_size > 0 || block.mlp_linear)
      b.vector("post_attention_layernorm.weight", s.hidden_size, part::norm);
    if (block.intermediate_size > 0) f = detail::add_gated_mlp(b, s.hidden_size, block.intermediate_size, s.mlp_bias);
    if (block.mlp_linear)
      b.add("mlp.linear_mlp.weight", s.hidden_size, s.hidden_size, part::mlp, sharding::replicated, precision::linear);
    return b.add_kind(a, f, b.end_range(r));
  };
  std::array<nas_block, transformer::most_kinds> made{};
  std::size_t size = 0;
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    const nas_block& block = s.blocks[static_cast<std::size_t>(i)];
    std::size_t kind = 0;
    while (kind < size && !(made[kind] == block)) ++kind;
    if (kind == size) {
      if (size == transformer::most_kinds) {
        b.ok = false;
        break;
      }
      made[size++] = block;
      make(block);
    }
    b.add_layer(static_cast<std::uint8_t>(kind));
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
