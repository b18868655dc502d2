// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// MiniMax-M3: grouped-query attention with norms a head, in most layers over blocks that an indexer picks; the first
/// layers dense, then routed experts and a shared one. Members carry the Hugging Face config's words.
struct minimax_m3_shape {
  std::string_view name{};
  std::string_view model_type = "minimax_m3";
  std::int64_t hidden_size = 0;
  std::int64_t dense_intermediate_size = 0;
  std::int64_t intermediate_size = 0;  ///< of one expert
  std::int64_t shared_intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  std::int64_t num_local_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  bool use_routing_bias = true;
  std::int64_t sparse_index_dim = 0;
  std::int64_t sparse_num_index_heads = 0;
  std::array<std::uint8_t, transformer::most_layers> sparse{};   ///< 1 = attention over picked blocks
  std::array<std::uint8_t, transformer::most_layers> experts{};  ///< 1 = routed experts
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_minimax_m3(const minimax_m3_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);
  const auto make = [&](std::uint8_t code) {
    const family_range r = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    attention a = detail::add_gqa(b, s.hidden_size, s.num_attention_heads, s.num_key_value_heads, s.head_dim,
                                  {false, false, true});
    if ((code & 1) != 0) {
      b.add("self_attn.index_q_proj.weight", s.sparse_num_index_heads * s.sparse_index_dim, s.hidden_size,
            part::attention, sharding::replicated, precision::linear);
      b.add("self_attn.index_k_proj.weight", s.sparse_index_dim, s.hidden_size, part::attention, sharding::replicated,
            precision::linear);
      b.vector("self_attn.index_q_norm.weight", s.sparse_index_dim, part::norm);
      b.vector("self_attn.index_k_norm.weight", s.sparse_index_dim, part::norm);
      // One key a token in 16 bits: `index_dim` counts bytes beside a scale of 4, which this indexer does not have.
      a.index_dim = 2 * s.sparse_index_dim - 4;
    }
    feed_forward f;
    if ((code & 2) != 0) {
      b.add("block_sparse_moe.gate.weight", s.num_local_experts, s.hidden_size, part::router, sharding::replicated,
            precision::float32);
      if (s.use_routing_bias)
        b.add("block_sparse_moe.e_score_correction_bias", 1, s.num_local_experts, part::router, sharding::replicated,
              precision::float32);
      f = detail::add_sparse_moe_experts(b, s.hidden_size, s.num_local_experts, s.num_experts_per_tok,
                                         s.intermediate_size);
      f.shared_inner = s.shared_intermediate_size;
      b.add("block_sparse_moe.shared_experts.gate_proj.weight", f.shared_inner, s.hidden_size, part::shared_experts,
            sharding::rows, precision::linear);
      b.add("block_sparse_moe.shared_experts.up_proj.weight", f.shared_inner, s.hidden_size, part::shared_experts,
            sharding::rows, precision::linear);
      b.add("block_sparse_moe.shared_experts.down_proj.weight", s.hidden_size, f.shared_inner, part::shared_experts,
            sharding::cols, precision::linear);
    } else {
      f = detail::add_gated_mlp(b, s.hidden_size, s.dense_intermediate_size, false);
    }
    return b.add_kind(a, f, b.end_range(r));
  };
  std::uint8_t codes[transformer::most_layers]{};
  for (std::size_t i = 0; i < transformer::most_layers; ++i)
    codes[i] = static_cast<std::uint8_t>((s.sparse[i] != 0 ? 1U : 0U) | (s.experts[i] != 0 ? 2U : 0U));
  detail::add_pattern(b, codes, s.num_hidden_layers, make);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
