// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// Names of a matrix or norm and of its bias; empty = the family has none.
struct tensor_names {
  std::string_view weight{};
  std::string_view bias{};
};

/// How the checkpoints of a family call the tensors of a dense decoder. Query, key and value of one name are slices of
/// one stored tensor, gate and up of one name likewise; without `gate` the feed-forward has two matrices.
struct dense_names {
  std::string_view layers = "model.layers.";
  std::string_view embedding = "model.embed_tokens.weight";
  tensor_names final_norm{"model.norm.weight", "model.norm.bias"};
  std::string_view head = "lm_head.weight";
  tensor_names query{"self_attn.q_proj.weight", "self_attn.q_proj.bias"};
  tensor_names key{"self_attn.k_proj.weight", "self_attn.k_proj.bias"};
  tensor_names value{"self_attn.v_proj.weight", "self_attn.v_proj.bias"};
  tensor_names output{"self_attn.o_proj.weight", "self_attn.o_proj.bias"};
  tensor_names gate{"mlp.gate_proj.weight", "mlp.gate_proj.bias"};
  tensor_names up{"mlp.up_proj.weight", "mlp.up_proj.bias"};
  tensor_names down{"mlp.down_proj.weight", "mlp.down_proj.bias"};
  std::array<tensor_names, 4> norms{{{"input_layernorm.weight", "input_layernorm.bias"},
                                     {"post_attention_layernorm.weight", "post_attention_layernorm.bias"},
                                     {},
                                     {}}};
  std::string_view query_norm = "self_attn.q_norm.weight";
  std::string_view key_norm = "self_attn.k_norm.weight";
  std::string_view activation_first{};  ///< learned numbers of the activation function, one element each
  std::string_view activation_second{};
};

enum class norm_parameters : std::uint8_t { none, weight, weight_and_bias };

/// What normalises queries and keys before they meet.
enum class qk_norm_kind : std::uint8_t {
  none,
  one_head,   ///< one norm over head_dim for all heads (Qwen3, EXAONE-4, Apertus)
  each_head,  ///< a norm over head_dim for every head (Command-R+)
  all_heads   ///< one norm over all heads at once (OLMo-2, OLMo-3)
};

/// A decoder of equal layers with grouped-query attention and one feed-forward, some of them with a window.
struct dense_shape {
  std::string_view name{};
  std::string_view model_type{};
  const dense_names* names = nullptr;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  norm_parameters norm = norm_parameters::weight;
  qk_norm_kind qk_norm = qk_norm_kind::none;
  bool qkv_bias = false;
  bool output_bias = false;
  bool mlp_bias = false;
  std::int64_t sliding_window = 0;
  std::array<std::uint8_t, transformer::most_layers> sliding{};  ///< 1 = the layer has the window
  // routed experts in place of the feed-forward (MiniCPM-MoE); 0 = dense
  std::int64_t num_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  // multi-token prediction: a layer of its own and norms around a projection of two hidden states
  std::int64_t mtp_layers = 0;
  std::array<std::string_view, 4> mtp_norms{};
  std::string_view mtp_projection{};
};

namespace detail {

constexpr void add_norm(model_builder& b, const tensor_names& n, norm_parameters p, std::int64_t length) noexcept {
  if (n.weight.empty() || p == norm_parameters::none) return;
  b.vector(n.weight, length, part::norm);
  if (p == norm_parameters::weight_and_bias) b.vector(n.bias, length, part::norm);
}

constexpr attention add_dense_attention(model_builder& b, const dense_shape& s, bool sliding) noexcept {
  const dense_names& n = *s.names;
  const std::int64_t d = s.head_dim;
  const std::int64_t q = s.num_attention_heads * d;
  const std::int64_t kv = s.num_key_value_heads * d;
  b.add(n.query.weight, q, s.hidden_size, part::attention, sharding::rows, precision::linear);
  b.add(n.key.weight, kv, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, d);
  b.add(n.value.weight, kv, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, d);
  b.add(n.output.weight, s.hidden_size, q, part::attention, sharding::cols, precision::linear);
  if (s.qkv_bias) {
    b.vector(n.query.bias, q, part::attention, sharding::rows);
    b.vector(n.key.bias, kv, part::attention, sharding::kv_rows, d);
    b.vector(n.value.bias, kv, part::attention, sharding::kv_rows, d);
  }
  if (s.output_bias) b.vector(n.output.bias, s.hidden_size, part::attention);
  switch (s.qk_norm) {
    case qk_norm_kind::none: break;
    case qk_norm_kind::one_head:
      b.vector(n.query_norm, d, part::norm);
      b.vector(n.key_norm, d, part::norm);
      break;
    case qk_norm_kind::each_head:
    case qk_norm_kind::all_heads:
      b.vector(n.query_norm, q, part::norm, sharding::rows);
      b.vector(n.key_norm, kv, part::norm, sharding::kv_rows, d);
      break;
  }
  attention a;
  a.kind = sliding ? attention_kind::sliding : attention_kind::full;
  a.window = sliding ? s.sliding_window : 0;
  a.heads = s.num_attention_heads;
  a.kv_heads = s.num_key_value_heads;
  a.key_dim = d;
  a.value_dim = d;
  return a;
}

constexpr feed_forward add_dense_mlp(model_builder& b, const dense_shape& s) noexcept {
  const dense_names& n = *s.names;
  const bool gated = !n.gate.weight.empty();
  const bool packed = gated && n.gate.weight == n.up.weight;
  const std::int64_t up = packed ? 2 * s.intermediate_size : s.intermediate_size;
  if (gated && !packed)
    b.add(n.gate.weight, s.intermediate_size, s.hidden_size, part::mlp, sharding::rows, precision::linear);
  b.add(n.up.weight, up, s.hidden_size, part::mlp, sharding::rows, precision::linear);
  b.add(n.down.weight, s.hidden_size, s.intermediate_size, part::mlp, sharding::cols, precision::linear);
  if (s.mlp_bias) {
    if (gated && !packed) b.vector(n.gate.bias, s.intermediate_size, part::mlp, sharding::rows);
    b.vector(n.up.bias, up, part::mlp, sharding::rows);
    b.vector(n.down.bias, s.hidden_size, part::mlp);
  }
  for (std::string_view number : {n.activation_first, n.activation_second})
    if (!number.empty()) b.vector(number, 1, part::mlp);
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.intermediate_size;
  f.matrices = gated ? 3 : 2;
  return f;
}

constexpr std::uint8_t add_dense_layer(model_builder& b, const dense_shape& s, bool sliding) noexcept {
  const family_range r = b.begin_range();
  for (const tensor_names& norm : s.names->norms) add_norm(b, norm, s.norm, s.hidden_size);
  const attention a = add_dense_attention(b, s, sliding);
  feed_forward f;
  if (s.num_experts > 0) {
    experts_options o;
    o.gate = "mlp.experts.{}.w1.weight";
    o.up = "mlp.experts.{}.w3.weight";
    o.down = "mlp.experts.{}.w2.weight";
    f = add_experts(b, s.hidden_size, s.num_experts, s.num_experts_per_tok, s.intermediate_size, o);
  } else {
    f = add_dense_mlp(b, s);
  }
  return b.add_kind(a, f, b.end_range(r));
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_dense(const dense_shape& s) noexcept {
  detail::model_builder b;
  b.ok = s.num_hidden_layers <= static_cast<std::int64_t>(transformer::most_layers);
  transformer& m = b.model;
  const dense_names& n = *s.names;
  m.name = s.name;
  m.model_type = s.model_type;
  m.max_position = s.max_position_embeddings;
  m.layer_prefix = n.layers;
  m.hidden = s.hidden_size;
  m.vocabulary = s.vocab_size;
  m.tied_embeddings = s.tie_word_embeddings;
  family_range r = b.begin_range();
  b.add(n.embedding, s.vocab_size, s.hidden_size, part::embedding, sharding::vocab_rows, precision::kept);
  m.embedding = b.end_range(r);
  r = b.begin_range();
  detail::add_norm(b, n.final_norm, s.norm, s.hidden_size);
  m.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!s.tie_word_embeddings)
    b.add(n.head, s.vocab_size, s.hidden_size, part::head, sharding::vocab_rows, precision::head);
  m.head = b.end_range(r);

  constexpr int absent = 255;
  std::array<int, 2> kinds{absent, absent};
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    const bool sliding = s.sliding[static_cast<std::size_t>(i)] != 0;
    int& kind = kinds[sliding ? 1 : 0];
    if (kind == absent) kind = detail::add_dense_layer(b, s, sliding);
    b.add_layer(static_cast<std::uint8_t>(kind));
  }
  if (s.mtp_layers > 0 && b.ok) {
    if (kinds[0] == absent) kinds[0] = detail::add_dense_layer(b, s, false);
    m.mtp_layers = s.mtp_layers;
    m.mtp_kind = static_cast<std::uint8_t>(kinds[0]);
    r = b.begin_range();
    for (std::string_view norm : s.mtp_norms)
      if (!norm.empty()) b.vector(norm, s.hidden_size, part::mtp);
    b.add(s.mtp_projection, s.hidden_size, 2 * s.hidden_size, part::mtp, sharding::replicated, precision::kept);
    m.mtp_extra = b.end_range(r);
  }
  if (!b.ok) m.layers = 0;
  return m;
}

}  // namespace ullage::inline v0
