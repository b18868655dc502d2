// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// Kimi-Linear and the text part of Kimi-K3: Kimi delta attention, latent attention in every fourth layer, the first
/// layers dense, then routed and shared experts. Members carry the Hugging Face config's words.
struct kimi_linear_shape {
  std::string_view name{};
  std::string_view model_type = "kimi_linear";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t q_lora_rank = 0;  ///< 0 = absent (null)
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  bool mla_use_output_gate = false;  ///< a gate beside the query projection
  std::int64_t attn_res_block_size =
      0;  ///< > 0: attention over the residuals of earlier blocks, two norms and vectors a layer
  std::int64_t num_experts = 0;
  std::int64_t num_experts_per_token = 0;
  std::int64_t moe_intermediate_size = 0;
  std::int64_t num_shared_experts = 0;
  std::int64_t routed_expert_hidden_size = 0;  ///< width the routed experts work in; 0 = hidden_size
  bool latent_moe_use_norm = false;
  kda_sizes linear{};
  std::array<std::uint8_t, transformer::most_layers> attends{};  ///< 1 = latent attention, 0 = Kimi delta attention
  std::array<std::uint8_t, transformer::most_layers> experts{};  ///< 1 = routed experts
};

namespace detail {
constexpr feed_forward add_kimi_experts(model_builder& b, const kimi_linear_shape& s) noexcept {
  const std::int64_t width = s.routed_expert_hidden_size > 0 ? s.routed_expert_hidden_size : s.hidden_size;
  const std::int64_t shared = s.num_shared_experts * s.moe_intermediate_size;
  b.add("block_sparse_moe.gate.weight", s.num_experts, s.hidden_size, part::router, sharding::replicated,
        precision::kept);
  b.add("block_sparse_moe.gate.e_score_correction_bias", 1, s.num_experts, part::router, sharding::replicated,
        precision::float32);
  feed_forward f = add_sparse_moe_experts(b, width, s.num_experts, s.num_experts_per_token, s.moe_intermediate_size);
  f.shared_inner = shared;
  if (s.routed_expert_hidden_size > 0) {
    b.add("block_sparse_moe.routed_expert_down_proj.weight", width, s.hidden_size, part::shared_experts,
          sharding::replicated, precision::linear);
    if (s.latent_moe_use_norm) b.vector("block_sparse_moe.routed_expert_norm.weight", width, part::norm);
    b.add("block_sparse_moe.routed_expert_up_proj.weight", s.hidden_size, width, part::shared_experts,
          sharding::replicated, precision::linear);
  }
  b.add("block_sparse_moe.shared_experts.gate_proj.weight", shared, s.hidden_size, part::shared_experts, sharding::rows,
        precision::linear);
  b.add("block_sparse_moe.shared_experts.up_proj.weight", shared, s.hidden_size, part::shared_experts, sharding::rows,
        precision::linear);
  b.add("block_sparse_moe.shared_experts.down_proj.weight", s.hidden_size, shared, part::shared_experts, sharding::cols,
        precision::linear);
  return f;
}
}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_kimi_linear(const kimi_linear_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);
  if (s.attn_res_block_size > 0) {  // stand beside the head, on the last stage
    b.vector("model.output_attn_res_norm.weight", s.hidden_size, part::norm);
    b.vector("model.output_attn_res_proj.weight", s.hidden_size, part::attention);
    b.model.head = b.end_range(b.model.head);
  }
  const auto make = [&](std::uint8_t code) {
    const family_range r = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    if (s.attn_res_block_size > 0) {
      b.vector("self_attention_res_norm.weight", s.hidden_size, part::norm);
      b.vector("self_attention_res_proj.weight", s.hidden_size, part::attention);
      b.vector("mlp_res_norm.weight", s.hidden_size, part::norm);
      b.vector("mlp_res_proj.weight", s.hidden_size, part::mlp);
    }
    attention a;
    recurrent state;
    if ((code & 1) != 0) {
      a = detail::add_latent(b, s.hidden_size, s.num_attention_heads, s.q_lora_rank, s.kv_lora_rank, s.qk_nope_head_dim,
                             s.qk_rope_head_dim, s.v_head_dim);
      if (s.mla_use_output_gate)
        b.add("self_attn.g_proj.weight", s.num_attention_heads * s.v_head_dim, s.hidden_size, part::attention,
              sharding::rows, precision::linear);
    } else {
      state = detail::add_kda(b, s.hidden_size, s.linear);
    }
    const feed_forward f = (code & 2) != 0 ? detail::add_kimi_experts(b, s)
                                           : detail::add_gated_mlp(b, s.hidden_size, s.intermediate_size, false);
    return b.add_kind(a, f, b.end_range(r), state);
  };
  std::uint8_t codes[transformer::most_layers]{};
  for (std::size_t i = 0; i < transformer::most_layers; ++i)
    codes[i] = static_cast<std::uint8_t>((s.attends[i] != 0 ? 1U : 0U) | (s.experts[i] != 0 ? 2U : 0U));
  detail::add_pattern(b, codes, s.num_hidden_layers, make);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
