// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// Llama and its kin (Mistral, Qwen2, Qwen3, Phi-3, Gemma-1, Mixtral, Qwen3-MoE): grouped-query attention and a gated
/// feed-forward or routed experts. Members carry the Hugging Face config's words.
struct llama_shape {
  std::string_view name{};
  std::string_view model_type = "llama";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;  ///< 0 = hidden_size / num_attention_heads
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  bool attention_bias = false;  ///< on Q, K and V
  bool output_bias = false;     ///< on the attention output
  bool mlp_bias = false;
  bool qk_norm = false;  ///< Qwen3
  // routed experts; 0 experts = dense everywhere
  std::int64_t num_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  std::int64_t moe_intermediate_size = 0;
  std::int64_t decoder_sparse_step = 1;           ///< every n-th layer has experts
  const std::int64_t* mlp_only_layers = nullptr;  ///< layers that stay dense
  std::size_t mlp_only_count = 0;
  bool mixtral_names = false;  ///< block_sparse_moe.experts.N.w1/w3/w2 instead of mlp.experts.N.gate/up/down_proj
  bool packed_names = false;   ///< Phi-3: slices of self_attn.qkv_proj and of mlp.gate_up_proj
  std::int64_t sliding_window = 0;
  std::array<std::uint8_t, transformer::most_layers> sliding{};  ///< 1 = the layer looks back over the window only
};

namespace detail {
/// Attention and feed-forward of Phi-3, whose checkpoints keep Q, K and V in one tensor, and gate and up in another.
constexpr attention add_packed_gqa(model_builder& b, const llama_shape& s, std::int64_t head_dim) noexcept {
  constexpr std::string_view packed = "self_attn.qkv_proj.weight";
  const std::int64_t q = s.num_attention_heads * head_dim;
  const std::int64_t kv = s.num_key_value_heads * head_dim;
  b.add(packed, q, s.hidden_size, part::attention, sharding::rows, precision::linear);
  for (int i = 0; i < 2; ++i)
    b.add(packed, kv, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, head_dim);
  b.add("self_attn.o_proj.weight", s.hidden_size, q, part::attention, sharding::cols, precision::linear);
  attention a;
  a.kind = attention_kind::full;
  a.heads = s.num_attention_heads;
  a.kv_heads = s.num_key_value_heads;
  a.key_dim = head_dim;
  a.value_dim = head_dim;
  return a;
}
constexpr feed_forward add_packed_mlp(model_builder& b, const llama_shape& s) noexcept {
  b.add("mlp.gate_up_proj.weight", 2 * s.intermediate_size, s.hidden_size, part::mlp, sharding::rows,
        precision::linear);
  b.add("mlp.down_proj.weight", s.hidden_size, s.intermediate_size, part::mlp, sharding::cols, precision::linear);
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.intermediate_size;
  return f;
}
}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_llama(const llama_shape& s) noexcept {
  detail::model_builder b;
  b.ok = s.num_hidden_layers <= static_cast<std::int64_t>(transformer::most_layers);
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);
  const std::int64_t head_dim = s.head_dim > 0 ? s.head_dim : s.hidden_size / s.num_attention_heads;

  const auto add_layer_of = [&](bool experts, bool sliding) {
    const family_range r = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    attention a = s.packed_names ? detail::add_packed_gqa(b, s, head_dim)
                                 : detail::add_gqa(b, s.hidden_size, s.num_attention_heads, s.num_key_value_heads,
                                                   head_dim, {s.attention_bias, s.output_bias, s.qk_norm});
    if (sliding) {
      a.kind = attention_kind::sliding;
      a.window = s.sliding_window;
    }
    feed_forward f;
    if (experts) {
      detail::experts_options o;
      if (s.mixtral_names) {
        o.gate = "block_sparse_moe.experts.{}.w1.weight";
        o.up = "block_sparse_moe.experts.{}.w3.weight";
        o.down = "block_sparse_moe.experts.{}.w2.weight";
        o.router = "block_sparse_moe.gate.weight";
      }
      f = detail::add_experts(b, s.hidden_size, s.num_experts, s.num_experts_per_tok, s.moe_intermediate_size, o);
    } else if (s.packed_names) {
      f = detail::add_packed_mlp(b, s);
    } else {
      f = detail::add_gated_mlp(b, s.hidden_size, s.intermediate_size, s.mlp_bias);
    }
    return b.add_kind(a, f, b.end_range(r));
  };
  constexpr int absent = 255;
  std::array<int, 4> kinds{absent, absent, absent, absent};
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    bool experts = s.num_experts > 0 && s.decoder_sparse_step > 0 && (i + 1) % s.decoder_sparse_step == 0;
    for (std::size_t j = 0; j < s.mlp_only_count; ++j) experts = experts && s.mlp_only_layers[j] != i;
    const bool sliding = s.sliding[static_cast<std::size_t>(i)] != 0;
    int& kind = kinds[(experts ? 2U : 0U) + (sliding ? 1U : 0U)];
    if (kind == absent) kind = add_layer_of(experts, sliding);
    b.add_layer(static_cast<std::uint8_t>(kind));
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
