// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/io/hf/hybrid_read.hpp>
#include <ullage/io/hf/windows.hpp>
#include <ullage/model/llama.hpp>
#include <vector>

namespace ullage::inline v0::io::hf {

/// How a family's config says that layers look back over a window only.
enum class window_rule : std::uint8_t {
  never,      ///< the family has no windows: a window field is unknown
  by_length,  ///< `sliding_window` of every layer, unless null
  by_switch   ///< `use_sliding_window` (false by default) switches `sliding_window` on from `max_window_layers`
};
enum class bias_rule : std::uint8_t {
  never,    ///< `attention_bias` may be there and must be false
  qkv,      ///< always on Q, K and V, no field
  by_field  ///< `attention_bias`, on Q, K, V and the output
};
enum class expert_rule : std::uint8_t { none, mixtral, qwen };

/// One model type of the Llama kin: what its class in transformers adds to the shape and defaults where the file is
/// silent.
struct llama_family {
  std::string_view model_type{};
  bool tied = false;              ///< tie_word_embeddings
  std::int64_t head_dim = 0;      ///< 0 = hidden_size / num_attention_heads
  std::int64_t kv_heads = 0;      ///< num_key_value_heads; 0 = num_attention_heads, -1 = the file must say it
  std::int64_t max_position = 0;  ///< max_position_embeddings
  bias_rule bias = bias_rule::never;
  window_rule window = window_rule::never;
  expert_rule experts = expert_rule::none;
  bool qk_norm = false;
  bool mlp_bias_field = false;  ///< `mlp_bias` may be true
};

/// Defaults as in transformers 4.57, `configuration_<model_type>.py`.
inline constexpr std::array<llama_family, 8> llama_families{{
    {.model_type = "llama", .max_position = 2048, .bias = bias_rule::by_field, .mlp_bias_field = true},
    {.model_type = "mistral", .kv_heads = 8, .max_position = 131072, .window = window_rule::by_length},
    {.model_type = "qwen2",
     .kv_heads = -1,
     .max_position = 32768,
     .bias = bias_rule::qkv,
     .window = window_rule::by_switch},
    {.model_type = "qwen3",
     .head_dim = 128,
     .kv_heads = -1,
     .max_position = 32768,
     .bias = bias_rule::by_field,
     .window = window_rule::by_switch,
     .qk_norm = true},
    {.model_type = "phi3", .max_position = 4096, .window = window_rule::by_length},
    {.model_type = "gemma",
     .tied = true,
     .head_dim = 256,
     .kv_heads = -1,
     .max_position = 8192,
     .bias = bias_rule::by_field},
    {.model_type = "mixtral",
     .kv_heads = 8,
     .max_position = 131072,
     .window = window_rule::by_length,
     .experts = expert_rule::mixtral},
    {.model_type = "qwen3_moe",
     .kv_heads = -1,
     .max_position = 32768,
     .bias = bias_rule::by_field,
     .window = window_rule::by_switch,
     .experts = expert_rule::qwen,
     .qk_norm = true},
}};

namespace detail_llama {

/// Marks the layers that look back over a window only.
inline void read_windows(object_reader& r, const llama_family& f, llama_shape& s, std::vector<assumption>& assumed) {
  if (f.window == window_rule::never) {
    if (read_layer_types(r, s.num_hidden_layers, s.sliding))
      require_value(r, "layer_types", any_sliding(s.sliding), "\"full_attention\" for every layer");
    return;
  }
  std::int64_t first = 0;
  if (f.window == window_rule::by_length) {
    s.sliding_window = r.whole("sliding_window", 0, 0, most_elements);
    if (f.model_type == "mistral" && !r.object().contains("sliding_window"))
      assumed.push_back(
          {r.path_of("sliding_window"), "none", true,
           "absent; releases without a window write null, while the class in transformers would put 4096"});
  } else {
    const bool null = r.object().contains("sliding_window") && !r.has("sliding_window");
    const std::int64_t window = r.whole("sliding_window", null ? 0 : 4096, 0, most_elements);
    first = r.whole("max_window_layers", 28, 0, most_elements);
    s.sliding_window = r.flag("use_sliding_window", false) ? window : 0;
  }
  if (read_layer_types(r, s.num_hidden_layers, s.sliding)) {
    if (r.ok() && s.sliding_window == 0 && any_sliding(s.sliding))
      r.fail_at("layer_types", error_code::bad_value,
                "gives layers a window, and no window is switched on; expected \"full_attention\" for every layer.");
    return;
  }
  for (std::int64_t i = first; i < s.num_hidden_layers && s.sliding_window > 0; ++i)
    s.sliding[static_cast<std::size_t>(i)] = 1;
}

}  // namespace detail_llama

/// The model that a config of the Llama kin describes; mistakes are left in the reader.
inline transformer read_llama_kin(object_reader& r, const llama_family& f, std::string_view name,
                                  std::vector<assumption>& assumed) {
  llama_shape s;
  s.name = name;
  s.model_type = f.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  s.num_key_value_heads =
      f.kv_heads < 0
          ? r.required_whole("num_key_value_heads", 1, most_elements)
          : r.whole("num_key_value_heads", f.kv_heads > 0 ? f.kv_heads : s.num_attention_heads, 1, most_elements);
  s.head_dim = r.whole("head_dim", f.head_dim, 1, most_elements);
  const std::int64_t longest =
      r.whole("max_sequence_length", f.max_position, 1, most_elements);  // the first Llama's word
  s.max_position_embeddings = r.whole("max_position_embeddings", longest, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", f.tied);
  s.qk_norm = f.qk_norm;
  if (r.ok() && s.head_dim == 0 && s.hidden_size % s.num_attention_heads != 0)
    r.fail_at("num_attention_heads", error_code::bad_value,
              "is " + std::to_string(s.num_attention_heads) + ", which does not divide hidden_size " +
                  std::to_string(s.hidden_size) + "; expected a divisor, or head_dim.");
  if (r.ok() && s.num_attention_heads % s.num_key_value_heads != 0)
    r.fail_at("num_key_value_heads", error_code::bad_value,
              "is " + std::to_string(s.num_key_value_heads) + "; expected a divisor of num_attention_heads " +
                  std::to_string(s.num_attention_heads) + ".");

  const bool attention_bias = r.flag("attention_bias", false);
  s.attention_bias = f.bias == bias_rule::qkv || (f.bias == bias_rule::by_field && attention_bias);
  s.output_bias = f.bias == bias_rule::by_field && attention_bias;
  if (f.bias != bias_rule::by_field)
    require_value(r, "attention_bias", attention_bias && f.bias == bias_rule::never, "false");
  s.mlp_bias = r.flag("mlp_bias", false);
  if (!f.mlp_bias_field) require_value(r, "mlp_bias", s.mlp_bias, "false");
  // Written by some tools beside the family's own fields, always in the sense of the family.
  require_value(r, "lm_head_bias", r.flag("lm_head_bias", false), "false");
  if (f.bias == bias_rule::by_field) require_value(r, "bias", r.flag("bias", false), "false");
  if (f.qk_norm) require_value(r, "use_qk_norm", !r.flag("use_qk_norm", true), "true");
  if (f.model_type == "qwen3_moe") require_value(r, "qkv_bias", r.flag("qkv_bias", false), "false");
  if (f.model_type == "qwen2") require_value(r, "use_mrope", r.flag("use_mrope", false), "false");
  if (f.model_type == "phi3") {  // their long-context variants divide nothing at 1
    require_value(r, "full_attn_mod", r.whole("full_attn_mod", 1, 0) != 1, "1");
    require_value(r, "interpolate_factor", r.whole("interpolate_factor", 1, 0) != 1, "1");
  }
  s.packed_names = f.model_type == "phi3";
  detail_llama::read_windows(r, f, s, assumed);

  std::vector<std::int64_t> dense_layers;
  if (f.experts == expert_rule::mixtral) {
    s.num_experts = r.required_whole("num_local_experts", 1, most_elements);
    s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, most_elements);
    s.moe_intermediate_size = s.intermediate_size;
    s.mixtral_names = true;
  } else if (f.experts == expert_rule::qwen) {
    // transformers 5 writes num_local_experts.
    s.num_experts = whole_of_two(r, "num_experts", "num_local_experts", 0, 1);
    s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, most_elements);
    s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
    s.decoder_sparse_step = r.whole("decoder_sparse_step", 1, 1, most_elements);
    require_value(r, "shared_expert_intermediate_size", r.whole("shared_expert_intermediate_size", 0, 0) != 0, "0");
    if (const json* list = r.find("mlp_only_layers"); list != nullptr) {
      if (!list->is_array())
        r.fail_at("mlp_only_layers", error_code::bad_value,
                  "is " + detail::shown(*list) + "; expected a list of layers.");
      else
        for (const json& i : *list)
          dense_layers.push_back(r.whole_of(i, "mlp_only_layers", 0, 0, s.num_hidden_layers - 1));
    }
    s.mlp_only_layers = dense_layers.data();
    s.mlp_only_count = dense_layers.size();
  }
  if (r.ok() && s.num_experts > 0 && s.num_experts_per_tok > s.num_experts)
    r.fail_at("num_experts_per_tok", error_code::bad_value,
              "is " + std::to_string(s.num_experts_per_tok) + "; expected at most the " +
                  std::to_string(s.num_experts) + " experts.");
  if (!r.ok()) return {};
  return make_llama(s);
}

inline transformer read_llama_family(object_reader& r, const read_context& c) {
  for (const llama_family& f : llama_families)
    if (f.model_type == c.model_type) return read_llama_kin(r, f, c.name, *c.assumed);
  return {};
}

inline constexpr std::array<family, 8> llama_kin_families{{{"llama", read_llama_family},
                                                           {"mistral", read_llama_family},
                                                           {"qwen2", read_llama_family},
                                                           {"qwen3", read_llama_family},
                                                           {"phi3", read_llama_family},
                                                           {"gemma", read_llama_family},
                                                           {"mixtral", read_llama_family},
                                                           {"qwen3_moe", read_llama_family}}};

}  // namespace ullage::inline v0::io::hf
