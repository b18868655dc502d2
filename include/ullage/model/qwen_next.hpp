// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// Qwen3-Next and Qwen3.5: gated delta nets, and in every fourth layer grouped-query attention with an output gate; a
/// gated feed-forward or routed experts with one shared expert behind a gate. Members carry the Hugging Face config's
/// words.
struct qwen_next_shape {
  std::string_view name{};
  std::string_view model_type = "qwen3_next";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  bool attention_bias = false;
  bool attn_output_gate = true;  ///< the query projection makes a gate of the same size
  gated_delta_sizes linear{};
  std::int64_t num_experts = 0;  ///< 0 = dense everywhere
  std::int64_t num_experts_per_tok = 0;
  std::int64_t moe_intermediate_size = 0;
  std::int64_t shared_expert_intermediate_size = 0;
  bool packed_experts = false;                                   ///< mlp.experts.gate_up_proj of all experts (Qwen3.5)
  std::int64_t mtp_num_hidden_layers = 0;                        ///< 0 or 1; not counted as a layer
  std::array<std::uint8_t, transformer::most_layers> attends{};  ///< 1 = attention, 0 = gated delta net
  std::array<std::uint8_t, transformer::most_layers> experts{};  ///< 1 = routed experts
};

namespace detail {
constexpr attention add_gated_gqa(model_builder& b, const qwen_next_shape& s) noexcept {
  const std::int64_t queries = s.num_attention_heads * s.head_dim;
  const std::int64_t query_rows = s.attn_output_gate ? 2 * queries : queries;
  const std::int64_t keys = s.num_key_value_heads * s.head_dim;
  b.add("self_attn.q_proj.weight", query_rows, s.hidden_size, part::attention, sharding::rows, precision::linear);
  for (std::string_view n : {"self_attn.k_proj.weight", "self_attn.v_proj.weight"})
    b.add(n, keys, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, s.head_dim);
  b.add("self_attn.o_proj.weight", s.hidden_size, queries, part::attention, sharding::cols, precision::linear);
  if (s.attention_bias) {
    b.vector("self_attn.q_proj.bias", query_rows, part::attention, sharding::rows);
    b.vector("self_attn.k_proj.bias", keys, part::attention, sharding::kv_rows, s.head_dim);
    b.vector("self_attn.v_proj.bias", keys, part::attention, sharding::kv_rows, s.head_dim);
    b.vector("self_attn.o_proj.bias", s.hidden_size, part::attention);
  }
  b.vector("self_attn.q_norm.weight", s.head_dim, part::norm);
  b.vector("self_attn.k_norm.weight", s.head_dim, part::norm);
  return {attention_kind::full, s.num_attention_heads, s.num_key_value_heads, s.head_dim, s.head_dim};
}

constexpr feed_forward add_qwen_next_experts(model_builder& b, const qwen_next_shape& s) noexcept {
  b.add("mlp.gate.weight", s.num_experts, s.hidden_size, part::router, sharding::replicated, precision::kept);
  if (s.packed_experts) {
    b.add("mlp.experts.gate_up_proj", 2 * s.moe_intermediate_size, s.hidden_size, part::experts, sharding::expert_rows,
          precision::experts, s.num_experts);
    b.add("mlp.experts.down_proj", s.hidden_size, s.moe_intermediate_size, part::experts, sharding::expert_cols,
          precision::experts, s.num_experts);
  } else {
    b.add("mlp.experts.{}.gate_proj.weight", s.moe_intermediate_size, s.hidden_size, part::experts,
          sharding::expert_rows, precision::experts, s.num_experts);
    b.add("mlp.experts.{}.up_proj.weight", s.moe_intermediate_size, s.hidden_size, part::experts, sharding::expert_rows,
          precision::experts, s.num_experts);
    b.add("mlp.experts.{}.down_proj.weight", s.hidden_size, s.moe_intermediate_size, part::experts,
          sharding::expert_cols, precision::experts, s.num_experts);
  }
  const std::int64_t shared = s.shared_expert_intermediate_size;
  if (shared > 0) {
    b.add("mlp.shared_expert.gate_proj.weight", shared, s.hidden_size, part::shared_experts, sharding::rows,
          precision::linear);
    b.add("mlp.shared_expert.up_proj.weight", shared, s.hidden_size, part::shared_experts, sharding::rows,
          precision::linear);
    b.add("mlp.shared_expert.down_proj.weight", s.hidden_size, shared, part::shared_experts, sharding::cols,
          precision::linear);
    b.add("mlp.shared_expert_gate.weight", 1, s.hidden_size, part::shared_experts, sharding::replicated,
          precision::kept);
  }
  return {feed_forward_kind::experts, 0, s.num_experts, s.num_experts_per_tok, s.moe_intermediate_size, shared};
}
}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_qwen_next(const qwen_next_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);
  const auto make = [&](std::uint8_t code) {
    const family_range r = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    attention a;
    recurrent state;
    if ((code & 1) != 0)
      a = detail::add_gated_gqa(b, s);
    else
      state = detail::add_gated_delta(b, s.hidden_size, s.linear);
    const feed_forward f = (code & 2) != 0 ? detail::add_qwen_next_experts(b, s)
                                           : detail::add_gated_mlp(b, s.hidden_size, s.intermediate_size, false);
    return b.add_kind(a, f, b.end_range(r), state);
  };
  std::uint8_t codes[transformer::most_layers]{};
  for (std::size_t i = 0; i < transformer::most_layers; ++i)
    codes[i] = static_cast<std::uint8_t>((s.attends[i] != 0 ? 1U : 0U) | (s.experts[i] != 0 ? 2U : 0U));
  detail::add_pattern(b, codes, s.num_hidden_layers, make);
  if (s.mtp_num_hidden_layers > 0 && b.ok) {
    // A full-attention layer of its own, with the model's embedding and head.
    b.model.mtp_kind = make(s.num_experts > 0 ? 3 : 1);
    b.model.mtp_layers = s.mtp_num_hidden_layers;
    const family_range r = b.begin_range();
    b.add("mtp.fc.weight", s.hidden_size, 2 * s.hidden_size, part::mtp, sharding::replicated, precision::kept);
    b.vector("mtp.pre_fc_norm_embedding.weight", s.hidden_size, part::mtp);
    b.vector("mtp.pre_fc_norm_hidden.weight", s.hidden_size, part::mtp);
    b.vector("mtp.norm.weight", s.hidden_size, part::mtp);
    b.model.mtp_extra = b.end_range(r);
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
