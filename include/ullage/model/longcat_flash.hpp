// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// LongCat-Flash: every layer has latent attention and a dense block twice, and routed experts beside the first pair.
/// Here each pair is a layer, as its class counts them for the cache. Members carry the config's words.
struct longcat_flash_shape {
  std::string_view name{};
  std::int64_t hidden_size = 0;
  std::int64_t num_layers = 0;  ///< of two pairs each
  std::int64_t num_attention_heads = 0;
  std::int64_t q_lora_rank = 0;
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
  std::int64_t ffn_hidden_size = 0;
  std::int64_t expert_ffn_hidden_size = 0;
  std::int64_t n_routed_experts = 0;
  std::int64_t zero_expert_num = 0;  ///< experts that compute nothing, but are routed to
  std::int64_t moe_topk = 0;
  bool router_bias = false;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  std::int64_t mtp_modules = 0;
};

namespace detail {

/// The names of one pair.
struct longcat_names {
  std::string_view norm;
  std::string_view second_norm;
  std::string_view q_a, q_a_norm, q_b, q, kv_a, kv_a_norm, kv_b, o;
  std::string_view gate, up, down;
};
inline constexpr longcat_names longcat_pairs[2] = {
    {"input_layernorm.0.weight", "post_attention_layernorm.0.weight", "self_attn.0.q_a_proj.weight",
     "self_attn.0.q_a_layernorm.weight", "self_attn.0.q_b_proj.weight", "self_attn.0.q_proj.weight",
     "self_attn.0.kv_a_proj_with_mqa.weight", "self_attn.0.kv_a_layernorm.weight", "self_attn.0.kv_b_proj.weight",
     "self_attn.0.o_proj.weight", "mlps.0.gate_proj.weight", "mlps.0.up_proj.weight", "mlps.0.down_proj.weight"},
    {"input_layernorm.1.weight", "post_attention_layernorm.1.weight", "self_attn.1.q_a_proj.weight",
     "self_attn.1.q_a_layernorm.weight", "self_attn.1.q_b_proj.weight", "self_attn.1.q_proj.weight",
     "self_attn.1.kv_a_proj_with_mqa.weight", "self_attn.1.kv_a_layernorm.weight", "self_attn.1.kv_b_proj.weight",
     "self_attn.1.o_proj.weight", "mlps.1.gate_proj.weight", "mlps.1.up_proj.weight", "mlps.1.down_proj.weight"}};

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_longcat_flash(const longcat_flash_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = "longcat_flash";
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);
  const std::int64_t h = s.hidden_size;
  std::uint8_t kinds[2]{};
  for (std::size_t half = 0; half < 2; ++half) {
    const detail::longcat_names& n = detail::longcat_pairs[half];
    const family_range r = b.begin_range();
    b.vector(n.norm, h, part::norm);
    b.vector(n.second_norm, h, part::norm);
    attention a = detail::add_latent(b, h, s.num_attention_heads, s.q_lora_rank, s.kv_lora_rank, s.qk_nope_head_dim,
                                     s.qk_rope_head_dim, s.v_head_dim);
    // The same tensors, under the names of the pair.
    std::size_t at = std::size_t{r.first} + 2;
    const auto rename = [&](std::string_view name) {
      if (at < b.model.families.size()) b.model.families[at].name = name;
      ++at;
    };
    if (s.q_lora_rank > 0)
      for (std::string_view name : {n.q_a, n.q_a_norm, n.q_b}) rename(name);
    else
      rename(n.q);
    for (std::string_view name : {n.kv_a, n.kv_a_norm, n.kv_b, n.o}) rename(name);
    b.add(n.gate, s.ffn_hidden_size, h, part::mlp, sharding::rows, precision::linear);
    b.add(n.up, s.ffn_hidden_size, h, part::mlp, sharding::rows, precision::linear);
    b.add(n.down, h, s.ffn_hidden_size, part::mlp, sharding::cols, precision::linear);
    feed_forward f;
    f.kind = feed_forward_kind::dense;
    f.inner = s.ffn_hidden_size;
    if (half == 0) {
      const std::int64_t routed = s.n_routed_experts + s.zero_expert_num;
      detail::experts_options o;
      o.router = {};
      f = detail::add_experts(b, h, s.n_routed_experts, s.moe_topk, s.expert_ffn_hidden_size, o);
      for (std::size_t i = r.first; i < b.model.families.size(); ++i) {
        tensor_family& t = b.model.families[i];
        if (t.belongs_to != part::router) continue;
        t.name = "mlp.router.classifier.weight";
        t.rows = routed;
      }
      if (s.router_bias) b.vector("mlp.router.classifier.bias", routed, part::router);
      b.add("mlp.router.e_score_correction_bias", 1, routed, part::router, sharding::replicated, precision::float32);
      f.inner = s.ffn_hidden_size;
    }
    kinds[half] = b.add_kind(a, f, b.end_range(r));
  }
  for (std::int64_t i = 0; i < 2 * s.num_layers && b.ok; ++i) b.add_layer(kinds[i % 2]);
  if (s.mtp_modules > 0 && b.ok) {
    b.model.mtp_layers = s.mtp_modules;
    b.model.mtp_kind = kinds[1];
    const family_range r = b.begin_range();
    b.add("embed_tokens.weight", s.vocab_size, h, part::mtp, sharding::vocab_rows, precision::kept);
    b.vector("enorm.m.weight", h, part::mtp);
    b.vector("hnorm.m.weight", h, part::mtp);
    b.vector("norm.weight", h, part::mtp);
    b.add("eh_proj.weight", h, 2 * h, part::mtp, sharding::replicated, precision::kept);
    b.model.mtp_extra = b.end_range(r);
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
