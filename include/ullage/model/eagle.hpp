// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// A draft head of the EAGLE kind: layers of the Llama form that read hidden states of the model they draft for.
/// Members carry the config's words. Source: SafeAILab/EAGLE, checkpoints of both generations.
struct eagle_shape {
  std::string_view name{};
  std::string_view model_type = "eagle";
  bool third = false;  ///< EAGLE-3: states of three layers, products over [embedding, state], a head of its own
  std::int64_t hidden_size = 0;
  std::int64_t target_hidden_size = 0;  ///< of the model drafted for; 0 = hidden_size
  std::int64_t num_hidden_layers = 1;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t vocab_size = 0;
  std::int64_t draft_vocab_size = 0;  ///< words that the head of an EAGLE-3 draft knows
  std::int64_t max_position_embeddings = 0;
  bool attention_bias = false;
  bool fc_bias = false;
};

namespace detail {
/// The same attention with twice as wide an input: the embedding beside the hidden state.
constexpr attention add_wide_gqa(model_builder& b, const eagle_shape& s) noexcept {
  const std::int64_t in = 2 * s.hidden_size;
  const std::int64_t q = s.num_attention_heads * s.head_dim;
  const std::int64_t kv = s.num_key_value_heads * s.head_dim;
  b.add("self_attn.q_proj.weight", q, in, part::attention, sharding::rows, precision::linear);
  b.add("self_attn.k_proj.weight", kv, in, part::attention, sharding::kv_rows, precision::linear, 1, s.head_dim);
  b.add("self_attn.v_proj.weight", kv, in, part::attention, sharding::kv_rows, precision::linear, 1, s.head_dim);
  b.add("self_attn.o_proj.weight", s.hidden_size, q, part::attention, sharding::cols, precision::linear);
  attention a;
  a.kind = attention_kind::full;
  a.heads = s.num_attention_heads;
  a.kv_heads = s.num_key_value_heads;
  a.key_dim = s.head_dim;
  a.value_dim = s.head_dim;
  return a;
}
}  // namespace detail

/// The draft of a shape, without what it shares with its model: the embedding, and in the first generation the head.
constexpr transformer make_eagle(const eagle_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.model.hidden = s.hidden_size;
  b.model.vocabulary = s.vocab_size;
  b.model.layer_prefix = "layers.";
  const std::int64_t target = s.target_hidden_size > 0 ? s.target_hidden_size : s.hidden_size;
  family_range r = b.begin_range();
  b.add("fc.weight", s.hidden_size, s.third ? 3 * target : 2 * s.hidden_size, part::mlp, sharding::replicated,
        precision::kept);
  if (s.fc_bias) b.vector("fc.bias", s.hidden_size, part::mlp);
  b.model.embedding = b.end_range(r);
  if (s.third) {
    r = b.begin_range();
    b.vector("norm.weight", s.hidden_size, part::norm);
    b.model.final_norm = b.end_range(r);
    r = b.begin_range();
    b.add("lm_head.weight", s.draft_vocab_size, s.hidden_size, part::head, sharding::vocab_rows, precision::head);
    b.model.head = b.end_range(r);
  }
  const auto add_layer_of = [&](bool first) {
    r = b.begin_range();
    if (s.third || !first) b.vector("input_layernorm.weight", s.hidden_size, part::norm);
    if (s.third && first) b.vector("hidden_norm.weight", s.hidden_size, part::norm);
    b.vector("post_attention_layernorm.weight", s.hidden_size, part::norm);
    const attention a = s.third && first ? detail::add_wide_gqa(b, s)
                                         : detail::add_gqa(b, s.hidden_size, s.num_attention_heads,
                                                           s.num_key_value_heads, s.head_dim, {s.attention_bias});
    const feed_forward f = detail::add_gated_mlp(b, s.hidden_size, s.intermediate_size, false);
    return b.add_kind(a, f, b.end_range(r));
  };
  const std::uint8_t first = add_layer_of(true);
  std::uint8_t later = first;
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    if (i == 1) later = add_layer_of(false);
    b.add_layer(i == 0 ? first : later);
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
