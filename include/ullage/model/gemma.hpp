// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// Gemma 2, 3, 3n and 4: four norms a layer, windows in most layers, and from release to release norms of queries and
/// keys, heads of another size in full layers, caches that later layers share, embeddings of every layer, and experts
/// beside the feed-forward. Members carry the Hugging Face config's words.
struct gemma_shape {
  std::string_view name{};
  std::string_view model_type = "gemma2";
  std::int64_t hidden_size = 0;
  std::array<std::int64_t, transformer::most_layers> intermediate_size{};  ///< of each layer
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t global_head_dim = 0;             ///< head_dim of full layers
  std::int64_t num_global_key_value_heads = 0;  ///< KV heads of full layers
  bool attention_k_eq_v = false;                ///< full layers have no v_proj; V is kept in the cache all the same
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = true;
  bool attention_bias = false;
  bool qk_norm = false;
  std::int64_t sliding_window = 0;
  std::array<std::uint8_t, transformer::most_layers> sliding{};  ///< 1 = the layer has the window
  std::int64_t num_kv_shared_layers = 0;  ///< the last layers read an earlier one's cache; their unused
                                          ///< k_proj and v_proj stand in checkpoints all the same
  // embeddings of every layer; 0 = none
  std::int64_t hidden_size_per_layer_input = 0;
  std::int64_t vocab_size_per_layer_input = 0;
  // Gemma 3n; 0 = none
  std::int64_t altup_num_inputs = 0;
  std::int64_t laurel_rank = 0;
  // experts beside the feed-forward of every layer; 0 = none
  std::int64_t num_experts = 0;
  std::int64_t top_k_experts = 0;
  std::int64_t moe_intermediate_size = 0;
};

namespace detail {

constexpr attention add_gemma_attention(model_builder& b, const gemma_shape& s, bool sliding, bool shared) noexcept {
  const std::int64_t d = sliding ? s.head_dim : s.global_head_dim;
  const std::int64_t kv_heads = sliding ? s.num_key_value_heads : s.num_global_key_value_heads;
  const std::int64_t q = s.num_attention_heads * d;
  const std::int64_t kv = kv_heads * d;
  const bool has_value = !(s.attention_k_eq_v && !sliding);
  b.add("self_attn.q_proj.weight", q, s.hidden_size, part::attention, sharding::rows, precision::linear);
  b.add("self_attn.k_proj.weight", kv, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, d);
  if (has_value)
    b.add("self_attn.v_proj.weight", kv, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, d);
  b.add("self_attn.o_proj.weight", s.hidden_size, q, part::attention, sharding::cols, precision::linear);
  if (s.attention_bias) {
    b.vector("self_attn.q_proj.bias", q, part::attention, sharding::rows);
    b.vector("self_attn.k_proj.bias", kv, part::attention, sharding::kv_rows, d);
    if (has_value) b.vector("self_attn.v_proj.bias", kv, part::attention, sharding::kv_rows, d);
    b.vector("self_attn.o_proj.bias", s.hidden_size, part::attention);
  }
  if (s.qk_norm) {
    b.vector("self_attn.q_norm.weight", d, part::norm);
    b.vector("self_attn.k_norm.weight", d, part::norm);
  }
  attention a;
  a.kind = sliding ? attention_kind::sliding : attention_kind::full;
  a.window = sliding ? s.sliding_window : 0;
  a.heads = s.num_attention_heads;
  a.kv_heads = kv_heads;
  a.key_dim = d;
  a.value_dim = d;
  a.shares_cache = shared;
  return a;
}

/// Experts that run beside the feed-forward, with norms of their own around both.
constexpr feed_forward add_gemma_experts(model_builder& b, const gemma_shape& s, std::int64_t inner) noexcept {
  b.add("router.proj.weight", s.num_experts, s.hidden_size, part::router, sharding::replicated, precision::kept);
  b.vector("router.scale", s.hidden_size, part::router);
  b.vector("router.per_expert_scale", s.num_experts, part::router);
  b.add("experts.gate_up_proj", 2 * s.moe_intermediate_size, s.hidden_size, part::experts, sharding::expert_rows,
        precision::experts, s.num_experts);
  b.add("experts.down_proj", s.hidden_size, s.moe_intermediate_size, part::experts, sharding::expert_cols,
        precision::experts, s.num_experts);
  b.vector("pre_feedforward_layernorm_2.weight", s.hidden_size, part::norm);
  b.vector("post_feedforward_layernorm_1.weight", s.hidden_size, part::norm);
  b.vector("post_feedforward_layernorm_2.weight", s.hidden_size, part::norm);
  feed_forward f;
  f.kind = feed_forward_kind::experts;
  f.experts = s.num_experts;
  f.experts_per_token = s.top_k_experts;
  f.expert_inner = s.moe_intermediate_size;
  f.shared_inner = inner;  // every token passes it
  return f;
}

/// The gate through which the embedding of a layer enters it.
constexpr void add_per_layer_input(model_builder& b, const gemma_shape& s) noexcept {
  b.add("per_layer_input_gate.weight", s.hidden_size_per_layer_input, s.hidden_size, part::mlp, sharding::replicated,
        precision::linear);
  b.add("per_layer_projection.weight", s.hidden_size, s.hidden_size_per_layer_input, part::mlp, sharding::replicated,
        precision::linear);
  b.vector("post_per_layer_input_norm.weight", s.hidden_size, part::norm);
}

/// Alternating updates and the low-rank residual of Gemma 3n.
constexpr void add_altup(model_builder& b, const gemma_shape& s) noexcept {
  const std::int64_t n = s.altup_num_inputs;
  b.vector("altup.correct_output_scale", s.hidden_size, part::mlp);
  b.add("altup.correction_coefs.weight", n, n, part::mlp, sharding::replicated, precision::kept);
  b.add("altup.prediction_coefs.weight", n * n, n, part::mlp, sharding::replicated, precision::kept);
  b.add("altup.modality_router.weight", n, s.hidden_size, part::mlp, sharding::replicated, precision::kept);
  b.vector("altup.router_norm.weight", s.hidden_size, part::norm);
  b.add("laurel.linear_left.weight", s.laurel_rank, s.hidden_size, part::mlp, sharding::replicated, precision::linear);
  b.add("laurel.linear_right.weight", s.hidden_size, s.laurel_rank, part::mlp, sharding::replicated, precision::linear);
  b.vector("laurel.post_laurel_norm.weight", s.hidden_size, part::norm);
}

constexpr std::uint8_t add_gemma_layer(model_builder& b, const gemma_shape& s, bool sliding, bool shared,
                                       std::int64_t inner) noexcept {
  const family_range r = b.begin_range();
  for (std::string_view norm : {"input_layernorm.weight", "post_attention_layernorm.weight",
                                "pre_feedforward_layernorm.weight", "post_feedforward_layernorm.weight"})
    b.vector(norm, s.hidden_size, part::norm);
  const attention a = add_gemma_attention(b, s, sliding, shared);
  feed_forward f = add_gated_mlp(b, s.hidden_size, inner, false);
  if (s.num_experts > 0) f = add_gemma_experts(b, s, inner);
  if (s.hidden_size_per_layer_input > 0) add_per_layer_input(b, s);
  if (s.altup_num_inputs > 0) add_altup(b, s);
  return b.add_kind(a, f, b.end_range(r));
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_gemma(const gemma_shape& s) noexcept {
  detail::model_builder b;
  b.ok = s.num_hidden_layers <= static_cast<std::int64_t>(transformer::most_layers);
  transformer& m = b.model;
  m.name = s.name;
  m.model_type = s.model_type;
  m.max_position = s.max_position_embeddings;
  m.hidden = s.hidden_size;
  m.vocabulary = s.vocab_size;
  m.tied_embeddings = s.tie_word_embeddings;
  family_range r = b.begin_range();
  b.add("model.embed_tokens.weight", s.vocab_size, s.hidden_size, part::embedding, sharding::vocab_rows,
        precision::kept);
  if (s.hidden_size_per_layer_input > 0) {
    const std::int64_t all = s.num_hidden_layers * s.hidden_size_per_layer_input;
    b.add("model.embed_tokens_per_layer.weight", s.vocab_size_per_layer_input, all, part::embedding,
          sharding::vocab_rows, precision::kept);
    b.add("model.per_layer_model_projection.weight", all, s.hidden_size, part::embedding, sharding::replicated,
          precision::linear);
    b.vector("model.per_layer_projection_norm.weight", s.hidden_size_per_layer_input, part::norm);
  }
  if (s.altup_num_inputs > 1)
    b.add("model.altup_projections.{}.weight", s.hidden_size, s.hidden_size, part::embedding, sharding::replicated,
          precision::linear, s.altup_num_inputs - 1);
  m.embedding = b.end_range(r);
  r = b.begin_range();
  b.vector("model.norm.weight", s.hidden_size, part::norm);
  if (s.altup_num_inputs > 1)
    b.add("model.altup_unembed_projections.{}.weight", s.hidden_size, s.hidden_size, part::head, sharding::replicated,
          precision::linear, s.altup_num_inputs - 1);
  m.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!s.tie_word_embeddings)
    b.add("lm_head.weight", s.vocab_size, s.hidden_size, part::head, sharding::vocab_rows, precision::head);
  m.head = b.end_range(r);

  struct seen_kind {
    bool sliding = false;
    bool shared = false;
    std::int64_t inner = 0;
  };
  std::array<seen_kind, transformer::most_kinds> seen{};
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const seen_kind k{s.sliding[at] != 0, i >= s.num_hidden_layers - s.num_kv_shared_layers, s.intermediate_size[at]};
    std::size_t j = 0;
    while (j < m.kinds.size() &&
           !(seen[j].sliding == k.sliding && seen[j].shared == k.shared && seen[j].inner == k.inner))
      ++j;
    if (j == m.kinds.size()) {
      detail::add_gemma_layer(b, s, k.sliding, k.shared, k.inner);
      if (!b.ok) break;
      seen[j] = k;
    }
    b.add_layer(static_cast<std::uint8_t>(j));
  }
  if (!b.ok) m.layers = 0;
  return m;
}

}  // namespace ullage::inline v0
