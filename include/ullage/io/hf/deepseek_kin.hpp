// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/model/deepseek.hpp>
#include <ullage/model/experts_towers.hpp>
#include <vector>

namespace ullage::inline v0::io::hf {

/// One model type with DeepSeek's experts.
struct deepseek_family {
  std::string_view model_type{};
  std::int64_t max_position = 0;
  std::int64_t dense_first = 0;  ///< first_k_dense_replace
  bool router_bias = false;      ///< e_score_correction_bias unless topk_method says otherwise
  bool latent = true;            ///< multi-head latent attention
  bool indexer = false;          ///< index_head_dim, index_n_heads
  bool mtp_repeats_ends = true;  ///< the prediction module's file holds embedding and head again
};

/// Defaults as in transformers 4.57 and in the checkpoints' own configuration_deepseek.py.
// clang-format off
inline constexpr std::array<deepseek_family, 8> deepseek_families{{
    {.model_type = "deepseek", .max_position = 2048, .latent = false},
    {.model_type = "deepseek_v2", .max_position = 2048},
    {.model_type = "deepseek_v3", .max_position = 4096, .dense_first = 3, .router_bias = true},
    {.model_type = "deepseek_v32", .max_position = 4096, .dense_first = 3, .router_bias = true, .indexer = true},
    {.model_type = "kimi_k2", .max_position = 4096, .dense_first = 3, .router_bias = true},
    {.model_type = "joyai_llm_flash", .max_position = 4096, .dense_first = 3, .router_bias = true},
    {.model_type = "glm_moe_dsa", .max_position = 202752, .dense_first = 3, .router_bias = true, .indexer = true,
     .mtp_repeats_ends = false},
    {.model_type = "glm4_moe_lite", .max_position = 202752, .dense_first = 1, .router_bias = true},
}};
// clang-format on

namespace detail_deepseek {

/// Latent attention, and the indexer beside it.
inline void read_latent(object_reader& r, const deepseek_family& f, deepseek_shape& s) {
  s.kv_lora_rank = r.required_whole("kv_lora_rank", 1, most_elements);
  s.qk_nope_head_dim = r.required_whole("qk_nope_head_dim", 1, most_elements);
  s.qk_rope_head_dim = r.required_whole("qk_rope_head_dim", 1, most_elements);
  s.v_head_dim = r.required_whole("v_head_dim", 1, most_elements);
  // null is a value here (the query of V2-Lite is not compressed), and the classes default to the big models' sizes.
  s.q_lora_rank = r.whole("q_lora_rank", 0, 1, most_elements);
  if (!r.object().contains("q_lora_rank")) r.missing("q_lora_rank", "a whole number, or null where the model has none");
  // Follow from the fields above, or mean nothing with a latent cache.
  r.find("num_key_value_heads");
  r.find("head_dim");
  r.find("qk_head_dim");
  if (!f.indexer) return;
  s.index_head_dim = r.required_whole("index_head_dim", 1, most_elements);
  s.index_n_heads = r.required_whole("index_n_heads", 1, most_elements);
  if (s.q_lora_rank == 0) r.missing("q_lora_rank", "a whole number: the indexer's queries come from it");
  s.index_topk = r.whole("index_topk", 2048, 1, most_elements);
  for (std::string_view key : {"indexer_rope_interleave", "index_share_for_mtp_iteration"}) r.find(key);
  // Layers that take an earlier layer's choice: `indexer_types` says which, the other fields how it was made.
  const json* types = r.find("indexer_types");
  const std::int64_t every = r.whole("index_topk_freq", 1, 1, most_elements);
  r.find("index_skip_topk_offset");
  require_value(r, "index_topk_pattern", r.has("index_topk_pattern"), "null");
  if (types == nullptr) {
    require_value(r, "index_topk_freq", every != 1, "1, or indexer_types beside it");
    return;
  }
  if (!types->is_array() || static_cast<std::int64_t>(types->size()) < s.num_hidden_layers) {
    r.fail_at("indexer_types", error_code::bad_value,
              "is " + detail::shown(*types) + "; expected a list with \"full\" or \"shared\" for every layer.");
    return;
  }
  for (std::int64_t i = 0; i < s.num_hidden_layers; ++i) {
    const json& word = (*types)[static_cast<std::size_t>(i)];
    s.shares_index[static_cast<std::size_t>(i)] = word == json("shared");
    if (word != json("shared") && word != json("full"))
      r.fail_at("indexer_types", error_code::unknown_field,
                "has " + detail::shown(word) + "; expected \"full\" or \"shared\".");
  }
  if (s.num_hidden_layers > 0 && s.shares_index[0])
    r.fail_at("indexer_types", error_code::bad_value, "begins with \"shared\"; expected \"full\" before it.");
}

/// Grouped-query attention of DeepSeek-MoE.
inline void read_plain_attention(object_reader& r, deepseek_shape& s) {
  s.num_key_value_heads = r.whole("num_key_value_heads", s.num_attention_heads, 1, most_elements);
  s.head_dim = r.whole("head_dim", 0, 1, most_elements);
  if (!r.ok()) return;
  if (s.head_dim == 0 && s.hidden_size % s.num_attention_heads != 0)
    r.fail_at("num_attention_heads", error_code::bad_value,
              "is " + std::to_string(s.num_attention_heads) + ", which does not divide hidden_size " +
                  std::to_string(s.hidden_size) + "; expected a divisor.");
  if (s.head_dim == 0) s.head_dim = s.hidden_size / s.num_attention_heads;
  if (s.num_attention_heads % s.num_key_value_heads != 0)
    r.fail_at("num_key_value_heads", error_code::bad_value,
              "is " + std::to_string(s.num_key_value_heads) + "; expected a divisor of num_attention_heads " +
                  std::to_string(s.num_attention_heads) + ".");
}

/// Lists that say once more, layer by layer, what the numbers say.
inline void check_lists(object_reader& r, const deepseek_shape& s) {
  const auto check = [&](std::string_view key, auto expected) {
    const json* list = r.find(key);
    if (list == nullptr) return;
    bool same = list->is_array() && static_cast<std::int64_t>(list->size()) >= s.num_hidden_layers;
    for (std::int64_t i = 0; same && i < s.num_hidden_layers; ++i)
      same = (*list)[static_cast<std::size_t>(i)] == json(std::string(expected(i)));
    require_value(r, key, !same, "a list that agrees with the other fields");
  };
  check("mlp_layer_types", [&](std::int64_t i) {
    return s.n_routed_experts > 0 && i >= s.first_k_dense_replace && i % s.moe_layer_freq == 0 ? "sparse" : "dense";
  });
  // transformers renamed the sparse ones.
  const json* types = r.find("layer_types");
  const bool renamed =
      types != nullptr && types->is_array() && !types->empty() && types->front() == json("indexed_attention");
  check("layer_types", [&](std::int64_t) {
    if (s.index_head_dim == 0) return "full_attention";
    return renamed ? "indexed_attention" : "deepseek_sparse_attention";
  });
}

}  // namespace detail_deepseek

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
  if (f.latent)
    detail_deepseek::read_latent(r, f, s);
  else
    detail_deepseek::read_plain_attention(r, s);
  for (std::string_view key : {"n_routed_experts", "n_shared_experts"})
    if (!r.object().contains(key)) r.missing(key, "a whole number, or null where the model has none");
  s.max_position_embeddings = r.whole("max_position_embeddings", f.max_position, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  require_value(r, "attention_bias", r.flag("attention_bias", false), "false");
  require_value(r, "mlp_bias", r.flag("mlp_bias", false), "false");

  s.n_routed_experts = r.whole("n_routed_experts", 0, 0, most_elements);
  require_value(r, "num_experts", r.whole("num_experts", s.n_routed_experts, 0) != s.n_routed_experts,
                "n_routed_experts");
  s.moe_layer_freq = r.whole("moe_layer_freq", 1, 1, most_elements);
  s.first_k_dense_replace = r.whole("first_k_dense_replace", f.dense_first, 0, most_elements);
  s.n_shared_experts = r.whole("n_shared_experts", 0, 0, most_elements);
  const std::string method = r.text("topk_method", f.router_bias ? "noaux_tc" : "greedy");
  s.router_bias = method == "noaux_tc";
  require_value(r, "topk_method", method != "noaux_tc" && method != "greedy" && method != "group_limited_greedy",
                "noaux_tc, greedy or group_limited_greedy");
  for (std::string_view key : {"moe_router_dtype", "moe_implementation"}) r.find(key);  // how it computes
  s.num_nextn_predict_layers = r.whole("num_nextn_predict_layers", 0, 0, 16);
  s.mtp_repeats_ends = f.mtp_repeats_ends;
  if (s.n_routed_experts > 0) {
    s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, s.n_routed_experts);
    s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
  } else {
    r.find("num_experts_per_tok");
    r.find("moe_intermediate_size");
  }
  detail_deepseek::check_lists(r, s);
  if (!r.ok()) return {};
  return make_deepseek(s);
}

inline transformer read_deepseek_family(object_reader& r, const read_context& c) {
  for (const deepseek_family& f : deepseek_families)
    if (f.model_type == c.model_type) return read_deepseek_kin(r, f, c.name);
  return {};
}

namespace detail_deepseek {

inline kimi_tower_shape read_kimi_tower(object_reader& r, std::int64_t text_hidden) {
  object_reader v(r.nested("vision_config"), r.path_of("vision_config"),
                  {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
  kimi_tower_shape s;
  s.vt_hidden_size = v.required_whole("vt_hidden_size", 1, most_elements);
  s.vt_intermediate_size = v.required_whole("vt_intermediate_size", 1, most_elements);
  s.vt_num_hidden_layers = v.required_whole("vt_num_hidden_layers", 1, 512);
  const std::int64_t patch = v.required_whole("patch_size", 1, 1 << 14);
  s.patch_inputs = 3 * patch * patch;
  s.positions =
      v.required_whole("init_pos_emb_height", 1, 1 << 14) * v.required_whole("init_pos_emb_width", 1, 1 << 14);
  std::int64_t merge = 4;
  if (const json* kernel = v.find("merge_kernel_size"); kernel != nullptr) {
    merge = 1;
    if (kernel->is_array() && kernel->size() == 2)
      for (const json& side : *kernel) merge *= v.whole_of(side, "merge_kernel_size", 1, 1, 64);
    else
      v.fail_at("merge_kernel_size", error_code::bad_value,
                "is " + detail::shown(*kernel) + "; expected two whole numbers.");
  }
  s.merged = s.vt_hidden_size * merge;
  s.text_hidden_size = text_hidden;
  require_value(v, "mm_hidden_size", v.whole("mm_hidden_size", s.vt_hidden_size, 1) != s.vt_hidden_size,
                "vt_hidden_size");
  require_value(v, "text_hidden_size", v.whole("text_hidden_size", text_hidden, 1) != text_hidden,
                "the hidden_size of text_config");
  const std::string projector = v.text("mm_projector_type", "patchmerger");
  require_value(v, "mm_projector_type", projector != "patchmerger", "patchmerger");
  for (std::string_view key :
       {"model_type", "vt_num_attention_heads", "init_pos_emb_time", "merge_type", "pos_emb_type",
        "projector_hidden_act", "projector_ln_eps", "video_attn_type", "dtype", "torch_dtype"})
    v.find(key);
  std::vector<std::string> passed;
  refuse_unread(v, "kimi_k25", passed);
  if (!v.ok()) r.fail(v.problem());
  return s;
}

}  // namespace detail_deepseek

/// Kimi-K2.5: the text part is Kimi-K2, before it stands MoonViT.
inline transformer read_kimi_k25(object_reader& r, const read_context& c) {
  object_reader t(r.nested("text_config"), r.path_of("text_config"),
                  {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
  if (!r.has("text_config")) r.missing("text_config", "an object");
  const std::string type = t.text("model_type", "kimi_k2");
  require_value(t, "model_type", type != "kimi_k2" && type != "deepseek_v3", "kimi_k2 or deepseek_v3");
  for (std::string_view key : {"architectures", "torch_dtype", "dtype", "quantization_config"}) t.find(key);
  transformer m = read_deepseek_family(t, {type, c.name, c.assumed});
  std::vector<std::string> passed;
  if (t.ok()) refuse_unread(t, type, passed);
  if (!t.ok()) r.fail(t.problem());
  require_value(r, "tie_word_embeddings", r.flag("tie_word_embeddings", m.tied_embeddings) != m.tied_embeddings,
                "what text_config says");
  for (std::string_view key :
       {"ignore_index", "media_placeholder_token_id", "use_unified_vision_chunk", "video_placeholder"})
    r.find(key);
  if (!r.has("vision_config"))
    c.assume(r, "vision_config", "none", "absent; no vision tower is counted");
  else if (r.ok())
    add_kimi_tower(m, detail_deepseek::read_kimi_tower(r, m.hidden));
  if (!r.ok()) return {};
  m.model_type = c.model_type;
  m.layer_prefix = "language_model.model.layers.";
  const auto rename = [&](family_range range, std::string_view name) {
    if (range.size > 0) m.families[range.first].name = name;
  };
  rename(m.embedding, "language_model.model.embed_tokens.weight");
  rename(m.final_norm, "language_model.model.norm.weight");
  rename(m.head, "language_model.lm_head.weight");
  return m;
}

inline constexpr std::array<family, 9> deepseek_kin_families{{
    {"deepseek", read_deepseek_family},
    {"deepseek_v2", read_deepseek_family},
    {"deepseek_v3", read_deepseek_family},
    {"deepseek_v32", read_deepseek_family},
    {"kimi_k2", read_deepseek_family},
    {"joyai_llm_flash", read_deepseek_family},
    {"glm_moe_dsa", read_deepseek_family},
    {"glm4_moe_lite", read_deepseek_family},
    {"kimi_k25", read_kimi_k25, "ForConditionalGeneration ForCausalLM"},
}};

}  // namespace ullage::inline v0::io::hf
