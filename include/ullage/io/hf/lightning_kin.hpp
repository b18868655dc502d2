// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/hybrid_read.hpp>
#include <ullage/model/lightning.hpp>
#include <ullage/model/minimax_m3.hpp>

// MiniMax's models with a mixture of attentions: lightning attention (Text-01, M1), attention over picked blocks (M3).
namespace ullage::inline v0::io::hf {

/// MiniMax-Text-01 and M1: attn_type_list says 0 for lightning attention and 1 for grouped-query attention; files
/// converted for transformers (`minimax`) say it by layer_types. States take the type of the model: its code casts what
/// the cache keeps to the type of the values. Routers of M1 are stored in 32 bits (its index adds up only so).
inline transformer read_lightning(object_reader& r, const read_context& c) {
  lightning_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  const head_counts h = read_heads(r, s.hidden_size, 0);
  s.num_attention_heads = h.heads;
  s.num_key_value_heads = h.kv_heads;
  s.head_dim = h.head_dim;
  s.max_position_embeddings = r.required_whole("max_position_embeddings", 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  s.num_local_experts = r.required_whole("num_local_experts", 1, most_elements);
  s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, most_elements);
  expect_experts_per_token(r, "num_experts_per_tok", s.num_experts_per_tok, s.num_local_experts);
  s.router_float32 = c.model_type == "minimax_m1";
  s.state_bits = dtype_bits(r);
  const bool listed = read_layer_bits(r, "attn_type_list", s.num_hidden_layers, s.attends);
  if (!listed && !read_layer_words(r, "layer_types", s.num_hidden_layers,
                                   {{"linear_attention", 0}, {"full_attention", 1}}, s.attends))
    r.missing("attn_type_list", "0 or 1 for every layer");
  const json* shared = r.find("shared_intermediate_size");
  require_value(r, "shared_intermediate_size", shared != nullptr && *shared != json(0) && *shared != json::array({0}),
                "0");
  require_value(r, "sliding_window", r.has("sliding_window"), "null");
  require_value(r, "use_qk_norm", r.flag("use_qk_norm", false), "false");
  pass_keys(r, {"layernorm_full_attention_alpha", "layernorm_full_attention_beta", "layernorm_linear_attention_alpha",
                "layernorm_linear_attention_beta", "layernorm_mlp_alpha", "layernorm_mlp_beta", "postnorm",
                "rotary_dim", "shared_moe_mode", "block_size", "full_attn_alpha_factor", "full_attn_beta_factor",
                "linear_attn_alpha_factor", "linear_attn_beta_factor", "mlp_alpha_factor", "mlp_beta_factor",
                "router_jitter_noise"});
  if (!r.ok()) return {};
  return make_lightning(s);
}

/// MiniMax-M3. One index key of sparse_index_dim numbers a token is cached beside K and V, in the type of the model
/// (bf16 in vLLM's side cache), in the layers that sparse_attention_freq marks. The release holds none of the prediction
/// modules that its config counts.
inline transformer read_minimax_m3(object_reader& r, const read_context& c) {
  minimax_m3_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  const head_counts h = read_heads(r, s.hidden_size, 0);
  s.num_attention_heads = h.heads;
  s.num_key_value_heads = h.kv_heads;
  s.head_dim = h.head_dim;
  s.max_position_embeddings = r.required_whole("max_position_embeddings", 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  s.dense_intermediate_size = r.required_whole("dense_intermediate_size", 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  expect_size(r, "moe_intermediate_size", r.whole("moe_intermediate_size", s.intermediate_size, 1, most_elements),
              s.intermediate_size, "intermediate_size");
  s.num_local_experts = r.required_whole("num_local_experts", 1, most_elements);
  s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, most_elements);
  expect_experts_per_token(r, "num_experts_per_tok", s.num_experts_per_tok, s.num_local_experts);
  const std::int64_t shared = r.required_whole("n_shared_experts", 0, most_elements);
  s.shared_intermediate_size = bounded_product(
      r, "n_shared_experts", shared, r.whole("shared_intermediate_size", s.intermediate_size, 1, most_elements));
  s.use_routing_bias = r.flag("use_routing_bias", true);
  if (!read_layer_bits(r, "moe_layer_freq", s.num_hidden_layers, s.experts))
    r.missing("moe_layer_freq", "0 or 1 for every layer");
  const std::int64_t first = r.whole("first_k_dense_replace", -1, 0, most_elements);
  for (std::int64_t i = 0; i < s.num_hidden_layers && first >= 0 && r.ok(); ++i)
    require_value(r, "first_k_dense_replace", (s.experts[static_cast<std::size_t>(i)] != 0) != (i >= first),
                  "the dense layers of moe_layer_freq");
  constexpr error_words words{error_code::unknown_field, error_code::incomplete_config, error_code::overflow};
  object_reader a(r.nested("sparse_attention_config"), r.path_of("sparse_attention_config"), words);
  if (a.flag("use_sparse_attention", false)) {
    s.sparse_index_dim = a.required_whole("sparse_index_dim", 4, most_elements);
    s.sparse_num_index_heads = a.required_whole("sparse_num_index_heads", 1, most_elements);
    bounded_product(a, "sparse_num_index_heads", s.sparse_num_index_heads, s.sparse_index_dim);
    if (!read_layer_bits(a, "sparse_attention_freq", s.num_hidden_layers, s.sparse))
      a.missing("sparse_attention_freq", "0 or 1 for every layer");
    // 1 = the indexer has no values of its own, the only kind released.
    layer_codes no_values{};
    read_layer_bits(a, "sparse_disable_index_value", s.num_hidden_layers, no_values);
    for (std::size_t i = 0; i < s.sparse.size(); ++i)
      require_value(a, "sparse_disable_index_value", s.sparse[i] > no_values[i], "1 in every sparse layer");
  }
  pass_keys(
      a, {"sparse_topk_blocks", "sparse_block_size", "sparse_score_type", "sparse_init_block", "sparse_local_block"});
  std::vector<std::string> passed;
  refuse_unread(a, c.model_type, passed);
  if (!a.ok()) r.fail(a.problem());
  require_value(r, "use_qk_norm", !r.flag("use_qk_norm", true), "true");
  require_value(r, "qk_norm_type", r.text("qk_norm_type", "per_head") != "per_head", "per_head");
  require_value(r, "attention_output_gate", r.flag("attention_output_gate", false), "false");
  pass_keys(r, {"use_gemma_norm", "rotary_dim", "swiglu_alpha", "swiglu_limit"});
  for (std::string_view key : {"num_mtp_modules", "num_nextn_predict_layers"})
    if (r.whole(key, 0, 0, most_elements) > 0)
      c.assume(r, key, "0", "the released checkpoints hold none of these prediction modules");
  if (!r.ok()) return {};
  return make_minimax_m3(s);
}

inline constexpr std::array<family, 4> lightning_kin_families{{{"minimax_text_01", read_lightning},
                                                               {"minimax_m1", read_lightning},
                                                               {"minimax", read_lightning},
                                                               {"minimax_m3", read_minimax_m3}}};

}  // namespace ullage::inline v0::io::hf
