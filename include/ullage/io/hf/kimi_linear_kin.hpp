// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/hybrid_read.hpp>
#include <ullage/io/hf/vision.hpp>
#include <ullage/model/kimi_linear.hpp>

namespace ullage::inline v0::io::hf {

/// The text model that a config of Kimi-Linear describes; mistakes are left in the reader. Layers are counted from 1 in
/// linear_attn_config.
inline transformer read_kimi_linear(object_reader& r, const read_context& c) {
  constexpr error_words words{error_code::unknown_field, error_code::incomplete_config, error_code::overflow};
  kimi_linear_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.kv_lora_rank = r.required_whole("kv_lora_rank", 1, most_elements);
  s.qk_nope_head_dim = r.required_whole("qk_nope_head_dim", 1, most_elements);
  s.qk_rope_head_dim = r.required_whole("qk_rope_head_dim", 1, most_elements);
  s.v_head_dim = r.required_whole("v_head_dim", 1, most_elements);
  s.q_lora_rank = r.whole("q_lora_rank", 0, 1, most_elements);
  if (!r.object().contains("q_lora_rank")) r.missing("q_lora_rank", "a whole number, or null");
  s.max_position_embeddings = whole_of_two(r, "max_position_embeddings", "model_max_length", 1048576, 1);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  s.mla_use_output_gate = r.flag("mla_use_output_gate", false);
  s.attn_res_block_size = r.whole("attn_res_block_size", 0, 1, most_elements);
  bounded_product(r, "num_attention_heads", s.num_attention_heads,
                  s.qk_nope_head_dim + s.qk_rope_head_dim + s.v_head_dim);

  object_reader a(r.nested("linear_attn_config"), r.path_of("linear_attn_config"), words);
  s.linear.heads = a.required_whole("num_heads", 1, most_elements);
  s.linear.head_dim = a.required_whole("head_dim", 1, most_elements);
  s.linear.kernel = a.whole("short_conv_kernel_size", 4, 1, 4096);
  s.linear.full_rank_gate = a.flag("use_full_rank_gate", false);
  require_value(a, "head_dim", bounded_product(a, "num_heads", s.linear.heads, s.linear.head_dim) == 0, "a size");
  if (!read_layer_numbers(a, "full_attn_layers", s.num_hidden_layers, 1, s.attends))
    a.missing("full_attn_layers", "the layers with attention, counted from 1");
  layer_codes delta{};
  if (read_layer_numbers(a, "kda_layers", s.num_hidden_layers, 1, delta))
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.num_hidden_layers); ++i)
      require_value(a, "kda_layers", a.ok() && delta[i] == s.attends[i], "the layers that full_attn_layers leaves");
  pass_keys(a, {"gate_lower_bound"});
  std::vector<std::string> passed;
  refuse_unread(a, c.model_type, passed);
  if (!a.ok()) r.fail(a.problem());

  const std::int64_t dense = r.whole("first_k_dense_replace", 0, 0, most_elements);
  const std::int64_t step = r.whole("moe_layer_freq", 1, 1, most_elements);
  s.num_experts = r.whole("num_experts", 0, 0, most_elements);
  for (std::int64_t i = 0; i < s.num_hidden_layers && r.ok(); ++i)
    s.experts[static_cast<std::size_t>(i)] = s.num_experts > 0 && i >= dense && i % step == 0 ? 1 : 0;
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  if (s.num_experts > 0) {
    s.num_experts_per_token = whole_of_two(r, "num_experts_per_token", "num_experts_per_tok", 0, 1);
    s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
    s.num_shared_experts = r.whole("num_shared_experts", 0, 0, most_elements);
    bounded_product(r, "num_shared_experts", s.num_shared_experts, s.moe_intermediate_size);
    s.routed_expert_hidden_size = r.whole("routed_expert_hidden_size", 0, 1, most_elements);
    s.latent_moe_use_norm = r.flag("latent_moe_use_norm", false);
    expect_experts_per_token(r, "num_experts_per_token", s.num_experts_per_token, s.num_experts);
  }
  require_value(r, "num_nextn_predict_layers", r.whole("num_nextn_predict_layers", 0, 0, 16) != 0, "0");
  require_value(r, "topk_method", r.text("topk_method", "noaux_tc") != "noaux_tc", "noaux_tc");
  // Follow from the fields above, or mean nothing with a latent cache.
  pass_keys(r, {"num_key_value_heads", "head_dim", "mla_use_nope", "moe_renormalize", "moe_router_activation_func",
                "num_expert_group", "use_grouped_topk", "activation_situ_beta", "activation_situ_linear_beta"});
  if (!r.ok()) return {};
  return make_kimi_linear(s);
}

namespace detail_kimi_k3 {

using shape = tower_shape;
/// MoonViT without biases, RMSNorms, attention wider than the stream; a projector with one norm behind it.
inline constexpr std::array<tower_tensor, 12> tower{{
    {"vision_tower.patch_embed.proj.weight", &shape::hidden, &shape::patch},
    {"vision_tower.patch_embed.pos_emb.weight", &shape::positions, &shape::hidden},
    {"vision_tower.encoder.blocks.{}.norm0.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.norm1.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.wqkv.weight", &shape::qkv, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.wo.weight", &shape::hidden, &shape::attention, &shape::layers},
    {"vision_tower.encoder.blocks.{}.mlp.fc0.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.mlp.fc1.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"vision_tower.encoder.final_layernorm.weight", &shape::one, &shape::hidden},
    {"mm_projector.proj.0.weight", &shape::merged, &shape::merged},
    {"mm_projector.proj.2.weight", &shape::text, &shape::merged},
    {"mm_projector.post_norm.weight", &shape::one, &shape::text},
}};

inline void describe(detail_vision::tower_reader& t) {
  using detail_vision::most_patch;
  using detail_vision::most_size;
  object_reader& v = t.config;
  tower_shape s;
  s.layers = v.required_whole("vt_num_hidden_layers", 1, static_cast<std::int64_t>(transformer::most_layers));
  s.hidden = v.required_whole("vt_hidden_size", 1, most_size);
  s.inner = v.required_whole("vt_intermediate_size", 1, most_size);
  s.attention = v.required_whole("qkv_hidden_size", 1, most_size);
  s.qkv = 3 * s.attention;
  const std::int64_t heads = v.required_whole("vt_num_attention_heads", 1, most_size);
  expect_divisor(v, "vt_num_attention_heads", heads, "qkv_hidden_size", s.attention);
  const std::int64_t side = v.required_whole("patch_size", 1, most_patch);
  s.patch = 3 * side * side;
  s.positions =
      v.required_whole("init_pos_emb_height", 1, most_patch) * v.required_whole("init_pos_emb_width", 1, most_patch);
  v.find("init_pos_emb_time");  // sines, not learned
  const json* merge = v.find("merge_kernel_size");
  require_value(v, "merge_kernel_size", merge == nullptr || *merge != json({2, 2}), "[2, 2]");
  s.merged = 4 * s.hidden;
  s.text = t.model.hidden;
  expect_size(v, "text_hidden_size", v.whole("text_hidden_size", s.text, 1, most_size), s.text, "hidden_size");
  for (std::string_view key : {"attn_bias", "linear_bias", "patch_embed_proj_bias"})
    require_value(v, key, v.flag(key, false), "false");
  const auto expect_word = [&](std::string_view key, std::string_view word) {
    require_value(v, key, v.text(key, word) != word, word);
  };
  expect_word("merge_type", "sd2_tpool");
  expect_word("mlp_type", "mlp2");
  expect_word("mm_projector_type", "patchmergerv2");
  expect_word("norm_type", "rmsnorm");
  expect_word("pos_emb_type", "divided_fixed");
  if (v.ok()) add_tower(t.model, s, tower);
}

}  // namespace detail_kimi_k3

/// The only family that the text part of Kimi-K3 can be of.
inline const family* find_kimi_linear(std::string_view model_type) {
  static constexpr family text{"kimi_linear", read_kimi_linear};
  return model_type == text.model_type ? &text : nullptr;
}

/// Kimi-K3: a text part of Kimi-Linear's kin under language_model, and a tower.
inline transformer read_kimi_k3(object_reader& r, const read_context& c) {
  transformer m = detail_vision::read_text_part(r, c, find_kimi_linear, "text_config", "kimi_linear", nullptr);
  if (!r.ok()) return {};
  m.model_type = c.model_type;
  detail_vision::rename(m, detail_vision::names_language_model);
  for (tensor_family& f : m.families) {
    if (f.name == "model.output_attn_res_norm.weight") f.name = "language_model.model.output_attn_res_norm.weight";
    if (f.name == "model.output_attn_res_proj.weight") f.name = "language_model.model.output_attn_res_proj.weight";
  }
  detail_vision::read_tower(r, c, "vision_config", detail_kimi_k3::describe, m);
  pass_keys(r, {"image_placeholder", "video_placeholder", "ignore_index", "use_unified_vision_chunk"});
  if (!r.ok()) return {};
  return m;
}

inline constexpr std::array<family, 2> kimi_linear_kin_families{
    {{"kimi_linear", read_kimi_linear}, {"kimi_k3", read_kimi_k3, "ForConditionalGeneration"}}};

}  // namespace ullage::inline v0::io::hf
