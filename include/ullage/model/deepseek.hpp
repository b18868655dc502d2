// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// DeepSeek-V2, V3, R1 and Kimi-K2: latent attention, the first layers dense, then routed and shared experts, and in V3
/// a multi-token-prediction module. Members carry the Hugging Face config's words.
struct deepseek_shape {
  std::string_view name{};
  std::string_view model_type = "deepseek_v3";
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
  std::int64_t n_routed_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  std::int64_t moe_intermediate_size = 0;
  std::int64_t n_shared_experts = 0;
  std::int64_t first_k_dense_replace = 0;
  std::int64_t moe_layer_freq = 1;
  bool router_bias = true;  ///< topk_method "noaux_tc"
  std::int64_t num_nextn_predict_layers = 0;
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_deepseek(const deepseek_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);

  const auto add_layer_of = [&](bool experts) {
    const family_range r = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    const attention a = detail::add_latent(b, s.hidden_size, s.num_attention_heads, s.q_lora_rank, s.kv_lora_rank,
                                           s.qk_nope_head_dim, s.qk_rope_head_dim, s.v_head_dim);
    feed_forward f;
    if (experts) {
      detail::experts_options o;
      o.shared_inner = s.n_shared_experts * s.moe_intermediate_size;
      o.router_bias = s.router_bias;
      f = detail::add_experts(b, s.hidden_size, s.n_routed_experts, s.num_experts_per_tok, s.moe_intermediate_size, o);
    } else {
      f = detail::add_gated_mlp(b, s.hidden_size, s.intermediate_size, false);
    }
    return b.add_kind(a, f, b.end_range(r));
  };
  constexpr int absent = 255;
  int dense_kind = absent;
  int expert_kind = absent;
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    const bool experts =
        s.n_routed_experts > 0 && i >= s.first_k_dense_replace && s.moe_layer_freq > 0 && i % s.moe_layer_freq == 0;
    int& kind = experts ? expert_kind : dense_kind;
    if (kind == absent) kind = add_layer_of(experts);
    b.add_layer(static_cast<std::uint8_t>(kind));
  }
  if (s.num_nextn_predict_layers > 0 && b.ok) {
    if (expert_kind == absent) expert_kind = add_layer_of(s.n_routed_experts > 0);
    b.model.mtp_layers = s.num_nextn_predict_layers;
    b.model.mtp_kind = static_cast<std::uint8_t>(expert_kind);
    const family_range r = b.begin_range();
    // The checkpoint repeats embedding and head in the module.
    b.add("embed_tokens.weight", s.vocab_size, s.hidden_size, part::mtp, sharding::vocab_rows, precision::kept);
    b.add("shared_head.head.weight", s.vocab_size, s.hidden_size, part::mtp, sharding::vocab_rows, precision::head);
    b.vector("shared_head.norm.weight", s.hidden_size, part::mtp);
    b.vector("enorm.weight", s.hidden_size, part::mtp);
    b.vector("hnorm.weight", s.hidden_size, part::mtp);
    b.add("eh_proj.weight", s.hidden_size, 2 * s.hidden_size, part::mtp, sharding::replicated, precision::kept);
    b.model.mtp_extra = b.end_range(r);
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
