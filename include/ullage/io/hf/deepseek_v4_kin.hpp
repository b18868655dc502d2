// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/model/deepseek_v4.hpp>
#include <ullage/model/longcat_flash.hpp>
#include <vector>

// DeepSeek-V4, and LongCat-Flash, whose layers have latent attention twice.
namespace ullage::inline v0::io::hf {

namespace detail_deepseek_v4 {

/// compress_ratios: a number for every layer and prediction module.
inline void read_ratios(object_reader& r, deepseek_v4_shape& s) {
  const json* list = r.find("compress_ratios");
  const std::int64_t wanted = s.num_hidden_layers + s.num_nextn_predict_layers;
  if (list == nullptr) {
    r.missing("compress_ratios", "a list with a number for every layer");
    return;
  }
  if (!list->is_array() || static_cast<std::int64_t>(list->size()) < wanted || wanted > 512) {
    r.fail_at("compress_ratios", error_code::bad_value,
              "is " + detail::shown(*list) + "; expected a list with a number for each of " + std::to_string(wanted) +
                  " layers and prediction modules.");
    return;
  }
  for (std::int64_t i = 0; i < wanted; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    s.compress_ratios[at] = r.whole_of((*list)[at], "compress_ratios", 0, 0, 1 << 20);
    // Only groups of four overlap and have an indexer; other small groups may too.
    if (s.compress_ratios[at] > 0 && s.compress_ratios[at] != 4 && s.compress_ratios[at] != 128)
      r.fail_at("compress_ratios", error_code::unknown_field,
                "has " + std::to_string(s.compress_ratios[at]) + "; expected 0, 4 or 128.");
  }
  for (std::int64_t i = s.num_hidden_layers + 1; i < wanted; ++i)
    require_value(r, "compress_ratios",
                  s.compress_ratios[static_cast<std::size_t>(i)] !=
                      s.compress_ratios[static_cast<std::size_t>(s.num_hidden_layers)],
                  "one number for all prediction modules");
}

}  // namespace detail_deepseek_v4

/// deepseek_v4, and deepseek_ref in conversions to fp8.
inline transformer read_deepseek_v4(object_reader& r, const read_context& c) {
  deepseek_v4_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.head_dim = r.required_whole("head_dim", 1, most_elements);
  s.qk_rope_head_dim = r.required_whole("qk_rope_head_dim", 1, most_elements);
  s.q_lora_rank = r.required_whole("q_lora_rank", 1, most_elements);
  s.o_lora_rank = r.required_whole("o_lora_rank", 1, most_elements);
  s.o_groups = r.required_whole("o_groups", 1, most_elements);
  s.sliding_window = r.required_whole("sliding_window", 1, most_elements);
  s.index_n_heads = r.required_whole("index_n_heads", 1, most_elements);
  s.index_head_dim = r.required_whole("index_head_dim", 1, most_elements);
  s.index_topk = r.whole("index_topk", 512, 1, most_elements);
  s.n_routed_experts = r.required_whole("n_routed_experts", 1, most_elements);
  s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, s.n_routed_experts);
  s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
  s.n_shared_experts = r.required_whole("n_shared_experts", 0, 1 << 16);
  s.num_hash_layers = r.required_whole("num_hash_layers", 0, most_elements);
  s.hc_mult = r.required_whole("hc_mult", 1, 64);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.max_position_embeddings = r.required_whole("max_position_embeddings", 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  s.num_nextn_predict_layers = r.whole("num_nextn_predict_layers", 0, 0, 16);
  require_value(r, "num_key_value_heads", r.whole("num_key_value_heads", 1, 1) != 1, "1");
  require_value(r, "attention_bias", r.flag("attention_bias", false), "false");
  const std::string method = r.text("topk_method", "noaux_tc");
  require_value(r, "topk_method", method != "noaux_tc", "noaux_tc");
  if (r.ok() && s.head_dim <= s.qk_rope_head_dim)
    r.fail_at("qk_rope_head_dim", error_code::bad_value,
              "is " + std::to_string(s.qk_rope_head_dim) + "; expected less than head_dim " +
                  std::to_string(s.head_dim) + ".");
  if (r.ok() && s.num_attention_heads * s.head_dim % s.o_groups != 0)
    r.fail_at("o_groups", error_code::bad_value,
              "is " + std::to_string(s.o_groups) + "; expected a divisor of the heads' outputs.");
  for (std::string_view key :
       {"compress_rope_theta", "hc_eps", "hc_sinkhorn_iters", "expert_dtype", "swiglu_limit", "topk_group"})
    r.find(key);
  detail_deepseek_v4::read_ratios(r, s);
  if (!r.ok()) return {};
  return make_deepseek_v4(s);
}

/// Defaults as in transformers 4.57, LongcatFlashConfig.
inline transformer read_longcat_flash(object_reader& r, const read_context& c) {
  longcat_flash_shape s;
  s.name = c.name;
  s.hidden_size = r.whole("hidden_size", 6144, 1, most_elements);
  s.num_layers = r.whole("num_layers", 28, 1);
  if (s.num_layers > static_cast<std::int64_t>(transformer::most_layers) / 2)
    r.fail_at("num_layers", error_code::too_many_layers,
              "is " + std::to_string(s.num_layers) + "; expected at most " +
                  std::to_string(transformer::most_layers / 2) + ", since each has two attentions.");
  require_value(r, "num_hidden_layers", r.whole("num_hidden_layers", 2 * s.num_layers, 1) != 2 * s.num_layers,
                "twice num_layers");
  s.num_attention_heads = r.whole("num_attention_heads", 64, 1, most_elements);
  s.q_lora_rank = r.whole("q_lora_rank", r.object().contains("q_lora_rank") ? 0 : 1536, 1, most_elements);
  s.kv_lora_rank = r.whole("kv_lora_rank", 512, 1, most_elements);
  s.qk_nope_head_dim = r.whole("qk_nope_head_dim", 128, 1, most_elements);
  s.qk_rope_head_dim = r.whole("qk_rope_head_dim", 64, 1, most_elements);
  s.v_head_dim = r.whole("v_head_dim", 128, 1, most_elements);
  s.ffn_hidden_size = r.whole("ffn_hidden_size", 12288, 1, most_elements);
  s.expert_ffn_hidden_size = r.whole("expert_ffn_hidden_size", 2048, 1, most_elements);
  s.n_routed_experts = r.whole("n_routed_experts", 512, 1, most_elements);
  s.zero_expert_num = r.whole("zero_expert_num", 256, 0, most_elements);
  s.moe_topk = r.whole("moe_topk", 12, 1, most_elements);
  s.router_bias = r.flag("router_bias", false);
  s.vocab_size = r.whole("vocab_size", 131072, 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", 131072, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  require_value(r, "attention_bias", r.flag("attention_bias", false), "false");
  const std::string zero = r.text("zero_expert_type", "identity");
  require_value(r, "zero_expert_type", zero != "identity", "identity");
  const std::string method = r.text("attention_method", "MLA");
  require_value(r, "attention_method", method != "MLA", "MLA");
  if (r.ok() && s.moe_topk > s.n_routed_experts)
    r.fail_at("moe_topk", error_code::bad_value,
              "is " + std::to_string(s.moe_topk) + "; expected at most the " + std::to_string(s.n_routed_experts) +
                  " experts.");
  for (std::string_view key : {"num_key_value_heads", "head_dim", "qk_head_dim", "mla_scale_kv_lora",
                               "mla_scale_q_lora", "router_dtype", "hidden_act"})
    r.find(key);
  if (!r.has("num_nextn_predict_layers"))
    c.assume(r, "num_nextn_predict_layers", "1", "absent; the released LongCat-Flash holds one prediction module");
  s.mtp_modules = r.whole("num_nextn_predict_layers", 1, 0, 16);
  if (!r.ok()) return {};
  return make_longcat_flash(s);
}

inline constexpr std::array<family, 3> deepseek_v4_kin_families{{
    {"deepseek_v4", read_deepseek_v4},
    {"deepseek_ref", read_deepseek_v4},
    {"longcat_flash", read_longcat_flash},
}};

}  // namespace ullage::inline v0::io::hf
