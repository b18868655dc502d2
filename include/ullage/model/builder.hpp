// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/transformer.hpp>

// The blocks that model families are made of. Each function adds the tensors of one block to the layer kind being
// described; a family (model/llama.hpp, model/deepseek.hpp) is a short list of such blocks.
namespace ullage::inline v0::detail {

/// Collects tensor families and layers. `ok` turns false when a bound of `transformer` is passed.
struct model_builder {
  transformer model{};
  bool ok = true;

  constexpr void add(std::string_view family_name, std::int64_t rows, std::int64_t cols, part belongs, sharding spread,
                     precision stored, std::int64_t copies = 1, std::int64_t unit = 1) noexcept {
    if (rows <= 0 || cols <= 0 || copies <= 0) return;
    ok = model.families.push_back({family_name, rows, cols, copies, unit, belongs, spread, stored}) && ok;
  }
  constexpr void vector(std::string_view family_name, std::int64_t length, part belongs,
                        sharding spread = sharding::replicated, std::int64_t unit = 1) noexcept {
    // A divided vector is a column of `length` rows of one element.
    if (spread == sharding::replicated)
      add(family_name, 1, length, belongs, spread, precision::kept);
    else
      add(family_name, length, 1, belongs, spread, precision::kept, 1, unit);
  }
  constexpr family_range begin_range() const noexcept { return {static_cast<std::uint16_t>(model.families.size()), 0}; }
  constexpr family_range end_range(family_range r) const noexcept {
    return {r.first, static_cast<std::uint16_t>(model.families.size() - r.first)};
  }
  constexpr std::uint8_t add_kind(const attention& a, const feed_forward& f, family_range r,
                                  const recurrent& state = {}) noexcept {
    ok = model.kinds.push_back({a, state, f, r}) && ok;
    return static_cast<std::uint8_t>(model.kinds.size() - 1);
  }
  constexpr void add_layer(std::uint8_t kind) noexcept {
    if (model.layers >= static_cast<std::int64_t>(transformer::most_layers)) {
      ok = false;
      return;
    }
    model.layer_kinds[model.layers++] = kind;
  }
  /// Embedding, final norm and head around the layers.
  constexpr void add_ends(std::int64_t hidden, std::int64_t vocabulary, bool tied) noexcept {
    model.hidden = hidden;
    model.vocabulary = vocabulary;
    model.tied_embeddings = tied;
    family_range r = begin_range();
    add("model.embed_tokens.weight", vocabulary, hidden, part::embedding, sharding::vocab_rows, precision::kept);
    model.embedding = end_range(r);
    r = begin_range();
    vector("model.norm.weight", hidden, part::norm);
    model.final_norm = end_range(r);
    r = begin_range();
    if (!tied) add("lm_head.weight", vocabulary, hidden, part::head, sharding::vocab_rows, precision::head);
    model.head = end_range(r);
  }
};

/// Grouped-query attention (MHA when kv_heads == heads, MQA when 1).
struct gqa_options {
  bool qkv_bias = false;
  bool output_bias = false;
  bool qk_norm = false;  ///< one norm over head_dim for Q and one for K (Qwen3)
};
constexpr attention add_gqa(model_builder& b, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads,
                            std::int64_t head_dim, gqa_options o) noexcept {
  b.add("self_attn.q_proj.weight", heads * head_dim, hidden, part::attention, sharding::rows, precision::linear);
  b.add("self_attn.k_proj.weight", kv_heads * head_dim, hidden, part::attention, sharding::kv_rows, precision::linear,
        1, head_dim);
  b.add("self_attn.v_proj.weight", kv_heads * head_dim, hidden, part::attention, sharding::kv_rows, precision::linear,
        1, head_dim);
  b.add("self_attn.o_proj.weight", hidden, heads * head_dim, part::attention, sharding::cols, precision::linear);
  if (o.qkv_bias) {
    b.vector("self_attn.q_proj.bias", heads * head_dim, part::attention, sharding::rows);
    b.vector("self_attn.k_proj.bias", kv_heads * head_dim, part::attention, sharding::kv_rows, head_dim);
    b.vector("self_attn.v_proj.bias", kv_heads * head_dim, part::attention, sharding::kv_rows, head_dim);
  }
  if (o.output_bias) b.vector("self_attn.o_proj.bias", hidden, part::attention);
  if (o.qk_norm) {
    b.vector("self_attn.q_norm.weight", head_dim, part::norm);
    b.vector("self_attn.k_norm.weight", head_dim, part::norm);
  }
  attention a;
  a.kind = attention_kind::full;
  a.heads = heads;
  a.kv_heads = kv_heads;
  a.key_dim = head_dim;
  a.value_dim = head_dim;
  return a;
}

/// Multi-head latent attention (DeepSeek-V2/V3). `query_rank` 0: the query is projected directly.
constexpr attention add_latent(model_builder& b, std::int64_t hidden, std::int64_t heads, std::int64_t query_rank,
                               std::int64_t latent_rank, std::int64_t nope_dim, std::int64_t rope_dim,
                               std::int64_t value_dim) noexcept {
  const std::int64_t query_dim = nope_dim + rope_dim;
  if (query_rank > 0) {
    b.add("self_attn.q_a_proj.weight", query_rank, hidden, part::attention, sharding::replicated, precision::linear);
    b.vector("self_attn.q_a_layernorm.weight", query_rank, part::norm);
    b.add("self_attn.q_b_proj.weight", heads * query_dim, query_rank, part::attention, sharding::rows,
          precision::linear);
  } else {
    b.add("self_attn.q_proj.weight", heads * query_dim, hidden, part::attention, sharding::rows, precision::linear);
  }
  b.add("self_attn.kv_a_proj_with_mqa.weight", latent_rank + rope_dim, hidden, part::attention, sharding::replicated,
        precision::linear);
  b.vector("self_attn.kv_a_layernorm.weight", latent_rank, part::norm);
  b.add("self_attn.kv_b_proj.weight", heads * (nope_dim + value_dim), latent_rank, part::attention, sharding::rows,
        precision::linear);
  b.add("self_attn.o_proj.weight", hidden, heads * value_dim, part::attention, sharding::cols, precision::linear);
  attention a;
  a.kind = attention_kind::latent;
  a.heads = heads;
  a.kv_heads = 1;
  a.key_dim = nope_dim;
  a.value_dim = value_dim;
  a.latent_rank = latent_rank;
  a.rope_dim = rope_dim;
  a.query_rank = query_rank;
  return a;
}

/// Gated feed-forward (SwiGLU, GeGLU): gate, up, down.
constexpr feed_forward add_gated_mlp(model_builder& b, std::int64_t hidden, std::int64_t inner, bool bias) noexcept {
  b.add("mlp.gate_proj.weight", inner, hidden, part::mlp, sharding::rows, precision::linear);
  b.add("mlp.up_proj.weight", inner, hidden, part::mlp, sharding::rows, precision::linear);
  b.add("mlp.down_proj.weight", hidden, inner, part::mlp, sharding::cols, precision::linear);
  if (bias) {
    b.vector("mlp.gate_proj.bias", inner, part::mlp, sharding::rows);
    b.vector("mlp.up_proj.bias", inner, part::mlp, sharding::rows);
    b.vector("mlp.down_proj.bias", hidden, part::mlp);
  }
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = inner;
  return f;
}

/// Routed experts with an optional block of shared experts (`shared_inner` of all of them together).
struct experts_options {
  std::string_view gate = "mlp.experts.{}.gate_proj.weight";
  std::string_view up = "mlp.experts.{}.up_proj.weight";
  std::string_view down = "mlp.experts.{}.down_proj.weight";
  std::string_view router = "mlp.gate.weight";
  std::int64_t shared_inner = 0;
  bool router_bias = false;  ///< e_score_correction_bias, kept in 32 bits (DeepSeek-V3 "noaux_tc")
};
constexpr feed_forward add_experts(model_builder& b, std::int64_t hidden, std::int64_t experts, std::int64_t per_token,
                                   std::int64_t inner, const experts_options& o) noexcept {
  b.add(o.router, experts, hidden, part::router, sharding::replicated, precision::kept);
  if (o.router_bias)
    b.add("mlp.gate.e_score_correction_bias", 1, experts, part::router, sharding::replicated, precision::float32);
  b.add(o.gate, inner, hidden, part::experts, sharding::expert_rows, precision::experts, experts);
  b.add(o.up, inner, hidden, part::experts, sharding::expert_rows, precision::experts, experts);
  b.add(o.down, hidden, inner, part::experts, sharding::expert_cols, precision::experts, experts);
  if (o.shared_inner > 0) {
    b.add("mlp.shared_experts.gate_proj.weight", o.shared_inner, hidden, part::shared_experts, sharding::rows,
          precision::linear);
    b.add("mlp.shared_experts.up_proj.weight", o.shared_inner, hidden, part::shared_experts, sharding::rows,
          precision::linear);
    b.add("mlp.shared_experts.down_proj.weight", hidden, o.shared_inner, part::shared_experts, sharding::cols,
          precision::linear);
  }
  feed_forward f;
  f.kind = feed_forward_kind::experts;
  f.experts = experts;
  f.experts_per_token = per_token;
  f.expert_inner = inner;
  f.shared_inner = o.shared_inner;
  return f;
}

/// The two norms around attention and feed-forward of a pre-norm layer.
constexpr void add_layer_norms(model_builder& b, std::int64_t hidden) noexcept {
  b.vector("input_layernorm.weight", hidden, part::norm);
  b.vector("post_attention_layernorm.weight", hidden, part::norm);
}

}  // namespace ullage::inline v0::detail
