// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/zamba_kin.hpp>
#include <ullage/model/hybrid.hpp>
#include <ullage/model/lfm2.hpp>
#include <ullage/model/recurrent_gemma.hpp>

// Hybrids of attention with Mamba mixers or convolutions: Jamba, Bamba, Granite-4, Falcon-H1, LFM2, RecurrentGemma,
// Zamba. States of Mamba mixers take the type of the model, as the caches of the classes in transformers and of vLLM
// ("auto") do.
namespace ullage::inline v0::io::hf {

namespace detail_hybrid {

/// What the four share; heads of `head_dim` 0 = hidden_size / num_attention_heads.
inline hybrid_shape read_common(object_reader& r, const read_context& c, const hybrid_layout& layout,
                                std::int64_t longest) {
  hybrid_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.layout = layout;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", longest, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  const head_counts h = read_heads(r, s.hidden_size, 0);
  s.num_attention_heads = h.heads;
  s.num_key_value_heads = h.kv_heads;
  s.head_dim = h.head_dim;
  s.mixer.state_bits = dtype_bits(r);
  s.mixer.proj_bias = r.flag("mamba_proj_bias", false);
  s.mixer.conv_bias = r.flag("mamba_conv_bias", true);
  s.mixer.kernel = r.whole("mamba_d_conv", 4, 1, 4096);
  pass_mamba_keys(r);
  require_value(r, "sliding_window", r.has("sliding_window"), "null");
  return s;
}

/// Heads, groups and width of a Mamba-2 mixer. `inner` 0 = mamba_expand · hidden_size.
inline void read_mamba2(object_reader& r, std::int64_t hidden, std::int64_t inner, mamba_sizes& m) {
  const std::int64_t expand = r.whole("mamba_expand", 2, 1, most_elements);
  m.inner = inner > 0 ? inner : bounded_product(r, "mamba_expand", expand, hidden);
  m.state = r.whole("mamba_d_state", 256, 1, most_elements);
  m.heads = r.whole("mamba_n_heads", 128, 1, most_elements);
  m.groups = r.whole("mamba_n_groups", 1, 1, most_elements);
  expect_divisor(r, "mamba_n_heads", m.heads, "the channels,", m.inner);
  expect_divisor(r, "mamba_n_groups", m.groups, "mamba_n_heads", m.heads);
  bounded_product(r, "mamba_n_groups", m.groups, m.state);
  const json* head = r.find("mamba_d_head");
  if (r.ok() && head != nullptr && !(head->is_string() && head->get_ref<const std::string&>() == "auto"))
    expect_size(r, "mamba_d_head", r.whole("mamba_d_head", 0, 1, most_elements), m.inner / m.heads,
                "the channels over mamba_n_heads");
  pass_keys(r, {"mamba_chunk_size", "mamba_dt_rank"});
}

inline void set_mixers(hybrid_shape& s, const layer_codes& attends) {
  for (std::size_t i = 0; i < attends.size(); ++i)
    s.mixers[i] = attends[i] != 0 ? hybrid_mixer::attention : hybrid_mixer::mamba;
}

}  // namespace detail_hybrid

/// Jamba. Class defaults of transformers 4.57: attention in layer 4 of every 8, experts in layer 1 of every 2.
inline transformer read_jamba(object_reader& r, const read_context& c) {
  hybrid_shape s = detail_hybrid::read_common(r, c, hybrid_layouts::jamba, 262144);
  s.mixer.state = r.whole("mamba_d_state", 16, 1, most_elements);
  s.mixer.inner = bounded_product(r, "mamba_expand", r.whole("mamba_expand", 2, 1, most_elements), s.hidden_size);
  s.mixer.dt_rank = read_step_rank(r, "mamba_dt_rank", s.hidden_size);
  s.mixer.step_norms = true;
  layer_codes attends{};
  read_every_nth(r, "attn_layer_period", "attn_layer_offset", 8, 4, s.num_hidden_layers, attends);
  detail_hybrid::set_mixers(s, attends);
  s.num_experts = r.whole("num_experts", 16, 1, most_elements);
  s.num_experts_per_tok = r.whole("num_experts_per_tok", 2, 1, most_elements);
  read_every_nth(r, "expert_layer_period", "expert_layer_offset", 2, 1, s.num_hidden_layers, s.experts);
  if (s.num_experts == 1)
    s.experts = {};  // the class puts a plain feed-forward there
  else
    expect_experts_per_token(r, "num_experts_per_tok", s.num_experts_per_tok, s.num_experts);
  require_value(r, "mamba_inner_layernorms", !r.flag("mamba_inner_layernorms", true), "true");
  if (!r.ok()) return {};
  return make_hybrid(s);
}

/// Bamba: attention in the layers that attn_layer_indices lists.
inline transformer read_bamba(object_reader& r, const read_context& c) {
  hybrid_shape s = detail_hybrid::read_common(r, c, hybrid_layouts::bamba, 262144);
  detail_hybrid::read_mamba2(r, s.hidden_size, 0, s.mixer);
  layer_codes attends{};
  read_layer_numbers(r, "attn_layer_indices", s.num_hidden_layers, 0, attends);
  detail_hybrid::set_mixers(s, attends);
  s.attention_bias = r.flag("attention_bias", false);
  require_value(r, "mlp_bias", r.flag("mlp_bias", false), "false");
  pass_keys(r, {"attn_rotary_emb", "z_loss_coefficient"});
  if (!r.ok()) return {};
  return make_hybrid(s);
}

/// Granite-4: layer_types says "mamba" or "attention"; without it the class makes every layer a mixer.
inline transformer read_granite_hybrid(object_reader& r, const read_context& c) {
  hybrid_shape s = detail_hybrid::read_common(r, c, hybrid_layouts::granite, 2048);
  detail_hybrid::read_mamba2(r, s.hidden_size, 0, s.mixer);
  layer_codes attends{};
  const std::string_view key = r.has("layer_types") ? "layer_types" : "layers_block_type";
  if (!read_layer_words(r, key, s.num_hidden_layers,
                        {{"mamba", 0}, {"attention", 1}, {"linear_attention", 0}, {"full_attention", 1}}, attends))
    r.missing("layer_types", "\"mamba\" or \"attention\" for every layer");
  detail_hybrid::set_mixers(s, attends);
  s.attention_bias = r.flag("attention_bias", false);
  s.shared_intermediate_size = r.whole("shared_intermediate_size", 1024, 1, most_elements);
  s.num_experts = r.whole("num_local_experts", 8, 0, most_elements);
  s.num_experts_per_tok = r.whole("num_experts_per_tok", 2, 0, most_elements);
  if (s.num_experts > 0) {
    s.experts.fill(1);
    expect_experts_per_token(r, "num_experts_per_tok", s.num_experts_per_tok, s.num_experts);
  }
  require_value(r, "normalization_function", r.text("normalization_function", "rmsnorm") != "rmsnorm", "rmsnorm");
  pass_keys(r, {"attention_multiplier", "embedding_multiplier", "residual_multiplier", "logits_scaling", "init_method",
                "position_embedding_type"});
  if (!r.ok()) return {};
  return make_hybrid(s);
}

/// Falcon-H1: a Mamba-2 mixer beside attention in every layer.
inline transformer read_falcon_h1(object_reader& r, const read_context& c) {
  hybrid_shape s = detail_hybrid::read_common(r, c, hybrid_layouts::falcon_h1, 8192);
  detail_hybrid::read_mamba2(r, s.hidden_size, r.whole("mamba_d_ssm", 0, 1, most_elements), s.mixer);
  s.mixer.gated_norm = r.flag("mamba_rms_norm", false);
  s.mixers.fill(hybrid_mixer::both);
  s.attention_bias = r.flag("attention_bias", false);
  require_value(r, "mlp_bias", r.flag("mlp_bias", false), "false");
  require_value(r, "projectors_bias", r.flag("projectors_bias", false), "false");
  require_value(r, "mamba_use_mlp", !r.flag("mamba_use_mlp", true), "true");
  require_value(r, "attn_layer_indices", r.has("attn_layer_indices"), "null");
  pass_keys(r, {"attention_in_multiplier", "attention_out_multiplier", "embedding_multiplier", "key_multiplier",
                "lm_head_multiplier", "mlp_multipliers", "mlp_expansion_factor", "ssm_in_multiplier",
                "ssm_out_multiplier", "ssm_multipliers", "mamba_norm_before_gate"});
  if (!r.ok()) return {};
  return make_hybrid(s);
}

/// LFM2 and LFM2-MoE. The feed-forward's width is block_ff_dim where the file has it; block_auto_adjust_ff_dim (true by
/// default) makes 2/3 of it, times a factor, rounded up to block_multiple_of. LFM2-MoE's dense layers are as they say.
inline transformer read_lfm2(object_reader& r, const read_context& c) {
  const bool moe = c.model_type == "lfm2_moe";
  lfm2_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", 128000, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", r.flag("tie_embedding", true));
  const head_counts h = read_heads(r, s.hidden_size, 0);
  s.num_attention_heads = h.heads;
  s.num_key_value_heads = h.kv_heads;
  expect_size(r, "head_dim", h.head_dim, h.heads > 0 ? s.hidden_size / h.heads : 0,
              "hidden_size over num_attention_heads");
  s.conv_L_cache = r.whole("conv_L_cache", 3, 1, 4096);
  s.conv_bias = r.flag("conv_bias", false);
  const bool listed = read_layer_words(r, "layer_types", s.num_hidden_layers,
                                       {{"conv", 0}, {"full_attention", 1}, {"short_conv", 0}}, s.attends);
  layer_codes numbered{};
  if (read_layer_numbers(r, "full_attn_idxs", s.num_hidden_layers, 0, numbered) && !listed)
    s.attends = numbered;
  else if (!listed)
    r.missing("layer_types", "\"conv\" or \"full_attention\" for every layer");

  s.intermediate_size =
      moe ? r.required_whole("intermediate_size", 1, most_elements) : r.whole("block_ff_dim", 0, 1, most_elements);
  if (!moe) {
    const std::int64_t written = r.whole("intermediate_size", s.intermediate_size, 0, most_elements);
    if (s.intermediate_size == 0) s.intermediate_size = written;
    if (r.ok() && s.intermediate_size == 0) r.missing("block_ff_dim", "the width of the feed-forward");
    const std::int64_t multiple = r.whole("block_multiple_of", 256, 1, most_elements);
    const double factor = r.real("block_ffn_dim_multiplier", 1.0);
    if (r.ok() && !(factor > 0 && factor <= 1024))
      r.fail_at("block_ffn_dim_multiplier", error_code::bad_value, "is out of range; expected 0 to 1024.");
    if (r.flag("block_auto_adjust_ff_dim", true) && r.ok()) {
      const double width = factor * static_cast<double>(2 * s.intermediate_size / 3);
      s.intermediate_size = (static_cast<std::int64_t>(width) + multiple - 1) / multiple * multiple;
    }
  } else {
    s.num_experts = r.required_whole("num_experts", 1, most_elements);
    s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, most_elements);
    s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
    s.num_dense_layers = r.required_whole("num_dense_layers", 0, most_elements);
    s.use_expert_bias = r.flag("use_expert_bias", true);
    expect_experts_per_token(r, "num_experts_per_tok", s.num_experts_per_tok, s.num_experts);
  }
  for (std::string_view key : {"block_dim", "conv_dim", "conv_dim_out"})
    expect_size(r, key, r.whole(key, s.hidden_size, 1, most_elements), s.hidden_size, "hidden_size");
  expect_size(r, "num_heads", r.whole("num_heads", h.heads, 1, most_elements), h.heads, "num_attention_heads");
  require_value(r, "block_use_swiglu", !r.flag("block_use_swiglu", true), "true");
  pass_keys(r, {"block_mlp_init_scale", "block_norm_eps", "block_out_init_scale", "block_use_xavier_init",
                "conv_use_xavier_init", "use_pos_enc", "theta", "addr_l_begin_mha", "addr_l_end_mha", "flm_version"});
  if (!r.ok()) return {};
  return make_lfm2(s);
}

/// RecurrentGemma: block_types repeats over the layers; intermediate_size counts gate and up together.
inline transformer read_recurrent_gemma(object_reader& r, const read_context& c) {
  recurrent_gemma_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 2, most_elements);
  if (r.ok() && s.intermediate_size % 2 != 0)
    r.fail_at("intermediate_size", error_code::bad_value,
              "is " + std::to_string(s.intermediate_size) + "; expected an even number, gate and up together.");
  const head_counts h = read_heads(r, s.hidden_size, 0);
  s.num_attention_heads = h.heads;
  s.num_key_value_heads = h.kv_heads;
  s.head_dim = h.head_dim;
  s.tie_word_embeddings = r.flag("tie_word_embeddings", true);
  s.attention_bias = r.flag("attention_bias", false);
  s.lru_width = r.whole("lru_width", s.hidden_size, 1, most_elements);
  expect_divisor(r, "num_attention_heads", h.heads, "lru_width", s.lru_width);
  s.conv1d_width = r.whole("conv1d_width", 4, 1, 4096);
  s.attention_window_size = r.whole("attention_window_size", 2048, 1, most_elements);
  const std::string_view key = r.has("block_types") ? "block_types" : "_block_types";
  const json* types = r.find(key);
  if (types == nullptr)
    r.missing("block_types", "a pattern of \"recurrent\" and \"attention\"");
  else if (!types->is_array() || types->empty() || types->size() > transformer::most_layers)
    r.fail_at(key, error_code::bad_value, "is " + detail::shown(*types) + "; expected a pattern of layer types.");
  else {
    layer_codes pattern{};
    read_layer_words(r, key, static_cast<std::int64_t>(types->size()), {{"recurrent", 0}, {"attention", 1}}, pattern);
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.num_hidden_layers) && r.ok(); ++i)
      s.attends[i] = pattern[i % types->size()];
  }
  const std::int64_t longest = r.whole("max_position_embeddings", 0, 1, most_elements);
  if (longest == 0) c.assume(r, "max_position_embeddings", "8192", "absent; the length it was trained on");
  pass_keys(r, {"embeddings_scale_by_sqrt_dim", "final_w_init_variance_scale", "w_init_variance_scale",
                "logits_soft_cap", "block_types", "_block_types"});
  if (!r.ok()) return {};
  transformer m = make_recurrent_gemma(s);
  m.max_position = longest > 0 ? longest : 8192;
  return m;
}

inline constexpr std::array<family, 9> hybrid_kin_families{{{"jamba", read_jamba},
                                                            {"bamba", read_bamba},
                                                            {"granitemoehybrid", read_granite_hybrid},
                                                            {"falcon_h1", read_falcon_h1},
                                                            {"lfm2", read_lfm2},
                                                            {"lfm2_moe", read_lfm2},
                                                            {"recurrent_gemma", read_recurrent_gemma},
                                                            {"zamba", read_zamba},
                                                            {"zamba2", read_zamba2}}};

}  // namespace ullage::inline v0::io::hf
