// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/mamba_kin.hpp>
#include <ullage/model/nemotron.hpp>

namespace ullage::inline v0::io::hf {

namespace detail_nemotron {

/// The pattern of layers: letters (M, *, -, E), or a list of words. False = neither is there.
inline bool read_pattern(object_reader& r, std::string_view letters_key, std::string_view words_key, std::size_t most,
                         layer_codes& codes, std::int64_t& size) {
  constexpr std::string_view letters = "M*-E";
  if (const json* v = r.find(letters_key); v != nullptr) {
    const std::string pattern = r.text(letters_key);
    if (r.ok() && (pattern.empty() || pattern.size() > most)) {
      r.fail_at(letters_key, error_code::too_many_layers,
                "names " + std::to_string(pattern.size()) + " layers; expected 1 to " + std::to_string(most) + ".");
      return true;
    }
    for (std::size_t i = 0; i < pattern.size() && r.ok(); ++i) {
      const std::size_t code = letters.find(pattern[i]);
      if (code == std::string_view::npos)
        r.fail_at(letters_key, error_code::unknown_field,
                  "is " + detail::shown(*v) + "; expected letters M, *, - and E.");
      codes[i] = static_cast<std::uint8_t>(code == std::string_view::npos ? 0 : code);
    }
    size = static_cast<std::int64_t>(pattern.size());
    r.find(words_key);
    return true;
  }
  const json* list = r.find(words_key);
  if (list == nullptr) return false;
  if (!list->is_array() || list->empty() || list->size() > most) {
    r.fail_at(words_key, list->is_array() ? error_code::too_many_layers : error_code::bad_value,
              (list->is_array() ? "names " + std::to_string(list->size()) + " layers" : "is " + detail::shown(*list)) +
                  "; expected a list of 1 to " + std::to_string(most) + " layers.");
    return true;
  }
  size = static_cast<std::int64_t>(list->size());
  // transformers 5 calls the first two otherwise.
  return read_layer_words(
      r, words_key, size,
      {{"mamba", 0}, {"attention", 1}, {"mlp", 2}, {"moe", 3}, {"linear_attention", 0}, {"full_attention", 1}}, codes);
}

}  // namespace detail_nemotron

/// Nemotron-H and Nemotron-3. States take what mamba_ssm_cache_dtype says, else 32 bits: the default of the model's own
/// configuration class, and of vLLM for it.
inline transformer read_nemotron_h(object_reader& r, const read_context& c) {
  nemotron_h_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  layer_codes codes{};
  std::int64_t layers = 0;
  if (!detail_nemotron::read_pattern(r, "hybrid_override_pattern", "layers_block_type", transformer::most_layers, codes,
                                     layers))
    r.missing("hybrid_override_pattern", "letters M, *, - and E, or layers_block_type");
  s.num_hidden_layers = layers;
  expect_size(r, "num_hidden_layers", r.has("num_hidden_layers") ? read_layers(r) : layers, layers,
              "the length of the pattern");
  bool has_mlp = false;
  bool has_experts = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i) {
    s.pattern[i] = static_cast<nemotron_layer>(codes[i]);
    has_mlp = has_mlp || s.pattern[i] == nemotron_layer::mlp;
    has_experts = has_experts || s.pattern[i] == nemotron_layer::experts;
  }
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.num_key_value_heads = r.whole("num_key_value_heads", 8, 1, most_elements);
  s.head_dim = whole_of_two(r, "head_dim", "attention_head_dim", 128, 1);
  expect_divisor(r, "num_key_value_heads", s.num_key_value_heads, "num_attention_heads", s.num_attention_heads);
  bounded_product(r, "num_attention_heads", s.num_attention_heads, s.head_dim);
  s.max_position_embeddings = r.whole("max_position_embeddings", 4096, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  s.attention_bias = r.flag("attention_bias", false);
  s.mlp_bias = r.flag("mlp_bias", false);
  mamba_sizes& m = s.mixer;
  m.heads = r.required_whole("mamba_num_heads", 1, most_elements);
  m.inner = bounded_product(r, "mamba_num_heads", m.heads, r.required_whole("mamba_head_dim", 1, most_elements));
  m.state = r.required_whole("ssm_state_size", 1, most_elements);
  m.groups = r.whole("n_groups", 8, 1, most_elements);
  m.kernel = r.whole("conv_kernel", 4, 1, 4096);
  m.proj_bias = r.flag("use_bias", false);
  m.conv_bias = r.flag("use_conv_bias", true);
  m.state_bits = state_bits(r, "mamba_ssm_cache_dtype", 32);
  expect_divisor(r, "n_groups", m.groups, "mamba_num_heads", m.heads);
  bounded_product(r, "n_groups", m.groups, m.state);
  require_value(r, "mamba_proj_bias", r.flag("mamba_proj_bias", false), "false");

  layer_codes mtp{};
  s.num_nextn_predict_layers = r.whole("num_nextn_predict_layers", 0, 0, 1);
  const bool has_mtp = detail_nemotron::read_pattern(r, "mtp_hybrid_override_pattern", "mtp_layers_block_type",
                                                     s.mtp_pattern.size(), mtp, s.mtp_pattern_size);
  if (s.num_nextn_predict_layers > 0 && !has_mtp)
    r.missing("mtp_hybrid_override_pattern", "the layers of the prediction module");
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.mtp_pattern_size); ++i) {
    s.mtp_pattern[i] = static_cast<nemotron_layer>(mtp[i]);
    has_experts = has_experts || s.mtp_pattern[i] == nemotron_layer::experts;
  }
  s.intermediate_size = has_mlp ? r.required_whole("intermediate_size", 1, most_elements)
                                : r.whole("intermediate_size", 0, 0, most_elements);
  if (has_experts) {
    s.n_routed_experts = r.required_whole("n_routed_experts", 1, most_elements);
    s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, most_elements);
    s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
    s.moe_latent_size = r.whole("moe_latent_size", 0, 1, most_elements);
    const std::int64_t shared = r.whole("n_shared_experts", 1, 0, most_elements);
    s.shared_intermediate_size =
        shared == 0 ? 0
                    : bounded_product(r, "n_shared_experts", shared,
                                      r.required_whole("moe_shared_expert_intermediate_size", 1, most_elements));
    expect_experts_per_token(r, "num_experts_per_tok", s.num_experts_per_tok, s.n_routed_experts);
  } else {
    pass_keys(r, {"n_routed_experts", "num_experts_per_tok", "moe_intermediate_size", "moe_latent_size",
                  "n_shared_experts", "moe_shared_expert_intermediate_size"});
  }
  require_value(r, "sliding_window", r.has("sliding_window"), "null");
  // `expand` is not read by the mixer: its channels are heads times head_dim.
  pass_keys(r, {"expand", "time_step_rank", "mamba_hidden_act", "mlp_hidden_act", "moe_shared_expert_overlap",
                "num_logits_to_keep"});
  pass_mamba_keys(r);
  if (!r.ok()) return {};
  return make_nemotron_h(s);
}

namespace detail_nemotron {

/// Reads one side of a block; keys of variants that no release uses must say "none".
inline void refuse_variants(object_reader& b, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    const json* v = b.find(key);
    require_value(b, key, v != nullptr && *v != json(false), "null or false");
  }
}

inline nas_block read_block(object_reader& r, const json& block, const std::string& path, const nemotron_nas_shape& s) {
  constexpr error_words words{error_code::unknown_field, error_code::incomplete_config, error_code::overflow};
  nas_block out;
  object_reader b(block, path, words);
  object_reader a(b.nested("attention"), path + ".attention", words);
  object_reader f(b.nested("ffn"), path + ".ffn", words);
  const bool no_attention = a.flag("no_op", false);
  out.attention_linear = !no_attention && a.flag("replace_with_linear", false);
  const std::int64_t group = a.whole("n_heads_in_group", 0, 1, most_elements);
  if (!no_attention && !out.attention_linear) {
    if (a.ok() && group == 0) a.missing("n_heads_in_group", "the query heads that share a KV head");
    expect_divisor(a, "n_heads_in_group", group, "num_attention_heads", s.num_attention_heads);
    if (a.ok()) out.num_key_value_heads = s.num_attention_heads / group;
  }
  a.find("replace_with_linear");
  refuse_variants(
      a, {"sparsify", "window_length", "num_sink_tokens", "unshifted_sink", "use_prefill_window_in_sink_attention"});
  const bool no_ffn = f.flag("no_op", false);
  out.mlp_linear = !no_ffn && f.flag("replace_with_linear", false);
  f.find("replace_with_linear");
  const double multiple = f.real("ffn_mult", 0);
  if (!no_ffn && !out.mlp_linear) {
    // 2/3 of the multiple of hidden_size, cut to a whole number and rounded up to 256.
    if (f.ok() && multiple == 0) f.missing("ffn_mult", "a number");
    if (f.ok() && !(multiple > 0 && multiple <= 1024))
      f.fail_at("ffn_mult", error_code::bad_value, "is out of range; expected 0 to 1024.");
    const std::int64_t width =
        f.ok() ? static_cast<std::int64_t>(2 * multiple * static_cast<double>(s.hidden_size) / 3) : 0;
    out.intermediate_size = (width + 255) / 256 * 256;
  }
  refuse_variants(f, {"sparsify"});
  refuse_variants(b, {"parallel_blocks"});
  std::vector<std::string> passed;
  for (object_reader* part : {&a, &f, &b}) {
    refuse_unread(*part, "nemotron-nas", passed);
    if (!part->ok()) r.fail(part->problem());
  }
  return out;
}

}  // namespace detail_nemotron

/// Llama-Nemotron: block_configs says for every layer how many query heads share a KV head, how wide the feed-forward is,
/// and what is left out.
inline transformer read_nemotron_nas(object_reader& r, const read_context& c) {
  nemotron_nas_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.head_dim = r.whole("head_dim", 0, 1, most_elements);
  if (s.head_dim == 0) {
    expect_divisor(r, "num_attention_heads", s.num_attention_heads, "hidden_size", s.hidden_size);
    s.head_dim = r.ok() ? s.hidden_size / s.num_attention_heads : 1;
  }
  bounded_product(r, "num_attention_heads", s.num_attention_heads, s.head_dim);
  s.max_position_embeddings = r.whole("max_position_embeddings", 2048, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  s.attention_bias = r.flag("attention_bias", false);
  s.mlp_bias = r.flag("mlp_bias", false);
  // The blocks say both; where a size is given beside them it must not be.
  for (std::string_view key : {"intermediate_size", "num_key_value_heads"})
    require_value(r, key, r.has(key), "null, since block_configs says it for every layer");
  const json* blocks = r.find("block_configs");
  if (blocks == nullptr)
    r.missing("block_configs", "one entry for every layer");
  else if (!blocks->is_array() || blocks->size() != static_cast<std::size_t>(s.num_hidden_layers))
    r.fail_at("block_configs", error_code::bad_value,
              "does not have one entry for each of the " + std::to_string(s.num_hidden_layers) + " layers.");
  else
    for (std::size_t i = 0; i < blocks->size() && r.ok(); ++i)
      s.blocks[i] =
          detail_nemotron::read_block(r, (*blocks)[i], r.path_of("block_configs") + "[" + std::to_string(i) + "]", s);
  if (!r.ok()) return {};
  return make_nemotron_nas(s);
}

inline constexpr std::array<family, 2> nemotron_kin_families{
    {{"nemotron_h", read_nemotron_h}, {"nemotron-nas", read_nemotron_nas}}};

}  // namespace ullage::inline v0::io::hf
