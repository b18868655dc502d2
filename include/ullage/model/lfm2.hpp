// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// LFM2 and LFM2-MoE: gated short convolutions, grouped-query attention in some layers, a gated feed-forward or routed
/// experts. Members carry the Hugging Face config's words.
struct lfm2_shape {
  std::string_view name{};
  std::string_view model_type = "lfm2";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;  ///< after block_auto_adjust_ff_dim
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = true;
  std::int64_t conv_L_cache = 0;  ///< taps of the convolution
  bool conv_bias = false;
  std::int64_t num_experts = 0;  ///< 0 = dense everywhere
  std::int64_t num_experts_per_tok = 0;
  std::int64_t moe_intermediate_size = 0;
  std::int64_t num_dense_layers = 0;  ///< the first layers without experts
  bool use_expert_bias = false;
  std::array<std::uint8_t, transformer::most_layers> attends{};  ///< 1 = attention, 0 = convolution
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_lfm2(const lfm2_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  detail::add_named_ends(b, s.hidden_size, s.vocab_size, s.tie_word_embeddings, "model.embed_tokens.weight",
                         "model.embedding_norm.weight");
  const std::int64_t head_dim = s.num_attention_heads > 0 ? s.hidden_size / s.num_attention_heads : 0;
  const auto add_attention = [&] {
    b.add("self_attn.q_proj.weight", s.num_attention_heads * head_dim, s.hidden_size, part::attention, sharding::rows,
          precision::linear);
    for (std::string_view n : {"self_attn.k_proj.weight", "self_attn.v_proj.weight"})
      b.add(n, s.num_key_value_heads * head_dim, s.hidden_size, part::attention, sharding::kv_rows, precision::linear,
            1, head_dim);
    b.add("self_attn.out_proj.weight", s.hidden_size, s.num_attention_heads * head_dim, part::attention, sharding::cols,
          precision::linear);
    b.vector("self_attn.q_layernorm.weight", head_dim, part::norm);
    b.vector("self_attn.k_layernorm.weight", head_dim, part::norm);
    return attention{attention_kind::full, s.num_attention_heads, s.num_key_value_heads, head_dim, head_dim};
  };
  const auto make = [&](std::uint8_t code) {
    const family_range r = b.begin_range();
    b.vector("operator_norm.weight", s.hidden_size, part::norm);
    b.vector("ffn_norm.weight", s.hidden_size, part::norm);
    attention a;
    recurrent state;
    if ((code & 1) != 0)
      a = add_attention();
    else
      state = detail::add_short_conv(b, s.hidden_size, s.conv_L_cache, s.conv_bias);
    feed_forward f;
    if ((code & 2) != 0) {
      f = detail::add_experts(b, s.hidden_size, s.num_experts, s.num_experts_per_tok, s.moe_intermediate_size,
                              {"feed_forward.experts.{}.w1.weight", "feed_forward.experts.{}.w3.weight",
                               "feed_forward.experts.{}.w2.weight", "feed_forward.gate.weight", 0, false});
      if (s.use_expert_bias) b.vector("feed_forward.expert_bias", s.num_experts, part::router);
    } else {
      f = detail::add_named_mlp(b, s.hidden_size, s.intermediate_size,
                                {"feed_forward.w1.weight", "feed_forward.w3.weight", "feed_forward.w2.weight"});
    }
    return b.add_kind(a, f, b.end_range(r), state);
  };
  std::uint8_t codes[transformer::most_layers]{};
  for (std::size_t i = 0; i < transformer::most_layers; ++i)
    codes[i] = static_cast<std::uint8_t>(
        s.attends[i] | (s.num_experts > 0 && static_cast<std::int64_t>(i) >= s.num_dense_layers ? 2U : 0U));
  detail::add_pattern(b, codes, s.num_hidden_layers, make);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
