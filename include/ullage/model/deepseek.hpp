// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// DeepSeek-V2, V3, R1, V3.2, Kimi-K2, GLM-5 and their kin: latent attention, the first layers dense, then routed and
/// shared experts, a sparse indexer in the newest, and prediction modules. DeepSeek-MoE (V1) has grouped-query
/// attention instead. Members carry the Hugging Face config's words.
struct deepseek_shape {
  std::string_view name{};
  std::string_view model_type = "deepseek_v3";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t q_lora_rank = 0;   ///< 0 = absent (null)
  std::int64_t kv_lora_rank = 0;  ///< 0 = grouped-query attention
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
  std::int64_t num_key_value_heads = 0;  ///< without a latent
  std::int64_t head_dim = 0;             ///< without a latent
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
  bool mtp_repeats_ends = true;     ///< the modules' files hold embedding and head again
  std::int64_t index_n_heads = 0;   ///< of the sparse indexer
  std::int64_t index_head_dim = 0;  ///< 0 = no indexer
  std::int64_t index_topk = 0;
  /// Layers that take the choice of an earlier layer's indexer and have none.
  std::array<bool, transformer::most_layers> shares_index{};
};

namespace detail {

/// The indexer of DeepSeek-V3.2: heads of queries from the compressed query, one key and the heads' weights from the
/// hidden state, and a LayerNorm of the key.
constexpr void add_indexer(model_builder& b, attention& a, std::int64_t hidden, std::int64_t query_rank,
                           std::int64_t heads, std::int64_t head_dim) noexcept {
  b.add("self_attn.indexer.wq_b.weight", heads * head_dim, query_rank, part::attention, sharding::replicated,
        precision::linear);
  b.add("self_attn.indexer.wk.weight", head_dim, hidden, part::attention, sharding::replicated, precision::linear);
  b.vector("self_attn.indexer.k_norm.weight", head_dim, part::norm);
  b.vector("self_attn.indexer.k_norm.bias", head_dim, part::norm);
  b.add("self_attn.indexer.weights_proj.weight", heads, hidden, part::attention, sharding::replicated, precision::kept);
  a.index_dim = head_dim;
  a.index_heads = heads;
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_deepseek(const deepseek_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);

  const auto add_layer_of = [&](bool experts, bool indexer) {
    const family_range r = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    attention a = s.kv_lora_rank > 0
                      ? detail::add_latent(b, s.hidden_size, s.num_attention_heads, s.q_lora_rank, s.kv_lora_rank,
                                           s.qk_nope_head_dim, s.qk_rope_head_dim, s.v_head_dim)
                      : detail::add_gqa(b, s.hidden_size, s.num_attention_heads, s.num_key_value_heads, s.head_dim, {});
    if (indexer) detail::add_indexer(b, a, s.hidden_size, s.q_lora_rank, s.index_n_heads, s.index_head_dim);
    if (s.index_head_dim > 0) a.index_topk = s.index_topk;
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
  int kinds[2][2] = {{absent, absent}, {absent, absent}};  // by experts and indexer
  const auto kind_of = [&](bool experts, bool indexer) {
    int& kind = kinds[experts][indexer];
    if (kind == absent) kind = add_layer_of(experts, indexer);
    return static_cast<std::uint8_t>(kind);
  };
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    const bool experts =
        s.n_routed_experts > 0 && i >= s.first_k_dense_replace && s.moe_layer_freq > 0 && i % s.moe_layer_freq == 0;
    b.add_layer(kind_of(experts, s.index_head_dim > 0 && !s.shares_index[static_cast<std::size_t>(i)]));
  }
  if (s.num_nextn_predict_layers > 0 && b.ok) {
    b.model.mtp_layers = s.num_nextn_predict_layers;
    b.model.mtp_kind = kind_of(s.n_routed_experts > 0, s.index_head_dim > 0);
    const family_range r = b.begin_range();
    if (s.mtp_repeats_ends) {
      b.add("embed_tokens.weight", s.vocab_size, s.hidden_size, part::mtp, sharding::vocab_rows, precision::kept);
      b.add("shared_head.head.weight", s.vocab_size, s.hidden_size, part::mtp, sharding::vocab_rows, precision::head);
    }
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
