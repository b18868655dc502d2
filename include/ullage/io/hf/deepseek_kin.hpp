// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/model/deepseek.hpp>

namespace ullage::inline v0::io::hf {

/// One model type with latent attention and DeepSeek's experts.
struct deepseek_family {
  std::string_view model_type{};
  std::int64_t max_position = 0;
  std::int64_t dense_first = 0;  ///< first_k_dense_replace
  bool router_bias = false;      ///< e_score_correction_bias unless topk_method says otherwise
};

/// Defaults as in transformers 4.57 and in the checkpoints' own configuration_deepseek.py.
inline constexpr std::array<deepseek_family, 3> deepseek_families{{
    {.model_type = "deepseek_v2", .max_position = 2048, .dense_first = 0, .router_bias = false},
    {.model_type = "deepseek_v3", .max_position = 4096, .dense_first = 3, .router_bias = true},
    {.model_type = "kimi_k2", .max_position = 4096, .dense_first = 3, .router_bias = true},
}};

/// The model that a config of the DeepSeek kin describes; mistakes are left in the reader.
inline transformer read_deepseek_kin(object_reader& r, const deepseek_family& f, std::string_view name) {
  deepseek_shape s;
  s.name = name;
  s.model_type = f.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  s.kv_lora_rank = r.required_whole("kv_lora_rank", 1, most_elements);
  s.qk_nope_head_dim = r.required_whole("qk_nope_head_dim", 1, most_elements);
  s.qk_rope_head_dim = r.required_whole("qk_rope_head_dim", 1, most_elements);
  s.v_head_dim = r.required_whole("v_head_dim", 1, most_elements);
  // null is a value here (the query of V2-Lite is not compressed), and the classes default to the big models' sizes.
  s.q_lora_rank = r.whole("q_lora_rank", 0, 1, most_elements);
  for (std::string_view key : {"q_lora_rank", "n_routed_experts", "n_shared_experts"})
    if (!r.object().contains(key)) r.missing(key, "a whole number, or null where the model has none");
  s.max_position_embeddings = r.whole("max_position_embeddings", f.max_position, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  require_value(r, "attention_bias", r.flag("attention_bias", false), "false");
  require_value(r, "mlp_bias", r.flag("mlp_bias", false), "false");
  // Follow from the fields above, or mean nothing with a latent cache.
  r.find("num_key_value_heads");
  r.find("head_dim");
  r.find("qk_head_dim");

  s.n_routed_experts = r.whole("n_routed_experts", 0, 0, most_elements);
  s.moe_layer_freq = r.whole("moe_layer_freq", 1, 1, most_elements);
  s.first_k_dense_replace = r.whole("first_k_dense_replace", f.dense_first, 0, most_elements);
  s.n_shared_experts = r.whole("n_shared_experts", 0, 0, most_elements);
  const std::string method = r.text("topk_method", f.router_bias ? "noaux_tc" : "greedy");
  s.router_bias = method == "noaux_tc";
  require_value(r, "topk_method", method != "noaux_tc" && method != "greedy" && method != "group_limited_greedy",
                "noaux_tc, greedy or group_limited_greedy");
  s.num_nextn_predict_layers = r.whole("num_nextn_predict_layers", 0, 0, 16);
  if (s.n_routed_experts > 0) {
    s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, s.n_routed_experts);
    s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
  } else {
    r.find("num_experts_per_tok");
    r.find("moe_intermediate_size");
  }
  if (!r.ok()) return {};
  return make_deepseek(s);
}

inline transformer read_deepseek_family(object_reader& r, const read_context& c) {
  for (const deepseek_family& f : deepseek_families)
    if (f.model_type == c.model_type) return read_deepseek_kin(r, f, c.name);
  return {};
}

inline constexpr std::array<family, 3> deepseek_kin_families{
    {{"deepseek_v2", read_deepseek_family}, {"deepseek_v3", read_deepseek_family}, {"kimi_k2", read_deepseek_family}}};

}  // namespace ullage::inline v0::io::hf
