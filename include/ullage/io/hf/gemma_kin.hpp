// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/io/hf/windows.hpp>
#include <ullage/model/gemma.hpp>

namespace ullage::inline v0::io::hf {

/// One model type of Gemma's text models: what its class in transformers defaults to where the file is silent. Released
/// Gemma-3 files leave out heads, head_dim and vocab_size.
struct gemma_family {
  std::string_view model_type{};
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_position = 0;
  std::int64_t window = 0;
  std::int64_t pattern = 0;  ///< every n-th layer is full
  bool qk_norm = true;
  std::int64_t global_head_dim = 0;  ///< of full layers; 0 = head_dim (Gemma 4 has its own)
  bool per_layer_inputs = false;     ///< hidden_size_per_layer_input, 256 where the file is silent
  bool altup = false;                ///< Gemma 3n
  std::int64_t kv_shared_layers = 0;
};

/// Defaults as in transformers 4.57, Gemma 4: 5.x.
inline constexpr std::array<gemma_family, 4> gemma_families{{
    {.model_type = "gemma2",
     .heads = 8,
     .kv_heads = 4,
     .head_dim = 256,
     .vocabulary = 256000,
     .max_position = 8192,
     .window = 4096,
     .pattern = 2,
     .qk_norm = false},
    {.model_type = "gemma3_text",
     .heads = 8,
     .kv_heads = 4,
     .head_dim = 256,
     .vocabulary = 262208,
     .max_position = 131072,
     .window = 4096,
     .pattern = 6},
    {.model_type = "gemma3n_text",
     .heads = 8,
     .kv_heads = 2,
     .head_dim = 256,
     .vocabulary = 262400,
     .max_position = 32768,
     .window = 512,
     .pattern = 5,
     .per_layer_inputs = true,
     .altup = true,
     .kv_shared_layers = 15},
    {.model_type = "gemma4_text",
     .heads = 8,
     .kv_heads = 4,
     .head_dim = 256,
     .vocabulary = 262144,
     .max_position = 131072,
     .window = 512,
     .pattern = 6,
     .global_head_dim = 512,
     .per_layer_inputs = true},
}};

namespace detail_gemma {

/// `intermediate_size`: one number for all layers, or one for each (Gemma 3n).
inline void read_widths(object_reader& r, gemma_shape& s) {
  const json* v = r.find("intermediate_size");
  if (v == nullptr || !v->is_array()) {
    s.intermediate_size.fill(r.required_whole("intermediate_size", 1, most_elements));
    return;
  }
  if (v->size() != static_cast<std::size_t>(s.num_hidden_layers)) {
    r.fail_at("intermediate_size", error_code::bad_value,
              "names " + std::to_string(v->size()) + " layers; expected one width for each of the " +
                  std::to_string(s.num_hidden_layers) + ".");
    return;
  }
  for (std::size_t i = 0; i < v->size(); ++i)
    s.intermediate_size[i] = r.whole_of((*v)[i], "intermediate_size", 1, 1, most_elements);
}

inline void check_heads(object_reader& r, std::string_view key, std::int64_t heads, std::int64_t kv_heads) {
  if (r.ok() && heads % kv_heads != 0)
    r.fail_at(key, error_code::bad_value,
              "is " + std::to_string(kv_heads) + "; expected a divisor of num_attention_heads " +
                  std::to_string(heads) + ".");
}

/// Full layers of Gemma 4 have heads of their own.
inline void read_global_heads(object_reader& r, const gemma_family& f, gemma_shape& s) {
  s.global_head_dim = s.head_dim;
  s.num_global_key_value_heads = s.num_key_value_heads;
  if (f.global_head_dim == 0) return;
  // null is a value here: no other size.
  const bool null = r.object().contains("global_head_dim") && !r.has("global_head_dim");
  s.global_head_dim = r.whole("global_head_dim", null ? s.head_dim : f.global_head_dim, 1, most_elements);
  s.attention_k_eq_v = r.flag("attention_k_eq_v", false);
  const std::int64_t kv = r.whole("num_global_key_value_heads", s.num_key_value_heads, 1, most_elements);
  if (s.attention_k_eq_v) s.num_global_key_value_heads = kv;
  check_heads(r, "num_global_key_value_heads", s.num_attention_heads, s.num_global_key_value_heads);
}

/// What transformers 5 writes in place of the global sizes: the sizes in which a layer differs, by its number.
inline void read_layer_overrides(object_reader& r, const gemma_family& f, gemma_shape& s) {
  if (f.global_head_dim == 0 || !r.has("per_layer_config")) return;
  const json& all = r.nested("per_layer_config");
  std::array<const json*, transformer::most_layers> of{};
  for (const auto& item : all.items()) {
    std::int64_t n = item.key().empty() ? -1 : 0;
    for (char d : item.key()) n = d >= '0' && d <= '9' && n >= 0 && n < s.num_hidden_layers ? n * 10 + (d - '0') : -1;
    if (n < 0 || n >= s.num_hidden_layers || of[static_cast<std::size_t>(n)] != nullptr)
      return r.fail_at("per_layer_config", error_code::bad_value,
                       "names " + detail::in_quotes(item.key()) + "; expected each layer once, 0 to " +
                           std::to_string(s.num_hidden_layers - 1) + ".");
    of[static_cast<std::size_t>(n)] = &item.value();
  }
  static const json none = json::object();
  bool first = true;
  for (std::int64_t i = 0; i < s.num_hidden_layers && r.ok(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    object_reader one(of[at] == nullptr ? none : *of[at], r.path_of("per_layer_config"),
                      {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
    const std::int64_t head_dim = one.whole("head_dim", s.head_dim, 1, most_elements);
    const std::int64_t kv = one.whole("num_key_value_heads", s.num_key_value_heads, 1, most_elements);
    one.finish();
    if (!one.ok()) return r.fail(one.problem());
    const bool window = s.sliding[at] != 0;
    const bool differs = window ? head_dim != s.head_dim || kv != s.num_key_value_heads
                                : !first && (head_dim != s.global_head_dim || kv != s.num_global_key_value_heads);
    require_value(r, "per_layer_config", differs,
                  "the same sizes in all full layers, and none in layers with a window");
    if (window || !first) continue;
    first = false;
    s.global_head_dim = head_dim;
    s.num_global_key_value_heads = kv;
  }
  for (std::string_view key : {"global_head_dim", "num_global_key_value_heads"})
    require_value(r, key, r.has(key), "null beside per_layer_config");
  check_heads(r, "per_layer_config", s.num_attention_heads, s.num_global_key_value_heads);
}

/// The last layers read the cache of the last layer of their kind before them.
inline void read_shared_layers(object_reader& r, const gemma_family& f, gemma_shape& s) {
  if (!f.per_layer_inputs) return;
  s.num_kv_shared_layers = r.whole("num_kv_shared_layers", f.kv_shared_layers, 0, s.num_hidden_layers);
  const std::int64_t own = s.num_hidden_layers - s.num_kv_shared_layers;
  if (!r.ok()) return;
  std::array<bool, 2> kept{};
  bool orphan = false;
  for (std::int64_t i = 0; i < s.num_hidden_layers; ++i) {
    const std::size_t kind = s.sliding[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
    if (i < own)
      kept[kind] = true;
    else
      orphan = orphan || !kept[kind];
  }
  if (orphan)
    r.fail_at("num_kv_shared_layers", error_code::bad_value,
              "is " + std::to_string(s.num_kv_shared_layers) +
                  "; expected that a layer of each kind before those keeps the cache that they share.");
  const bool wide = f.global_head_dim > 0 && r.flag("use_double_wide_mlp", false);
  if (r.ok() && wide)
    for (std::int64_t i = own; i < s.num_hidden_layers; ++i) s.intermediate_size[static_cast<std::size_t>(i)] *= 2;
}

inline void read_experts(object_reader& r, const gemma_family& f, gemma_shape& s) {
  if (f.global_head_dim == 0) return;
  const bool on = r.flag("enable_moe_block", false);
  const std::int64_t experts = r.whole("num_experts", 0, 0, most_elements);
  const std::int64_t top = r.whole("top_k_experts", 0, 0, most_elements);
  // The first files call the width of an expert so.
  const std::string_view key = r.has("moe_intermediate_size") ? "moe_intermediate_size" : "expert_intermediate_size";
  const std::int64_t width = r.whole(key, 0, 0, most_elements);
  r.find("expert_intermediate_size");
  if (!on) return;
  if (experts < 1) r.missing("num_experts", "a whole number");
  if (width < 1) r.missing("moe_intermediate_size", "a whole number");
  if (r.ok() && (top < 1 || top > experts))
    r.fail_at("top_k_experts", error_code::bad_value,
              "is " + std::to_string(top) + "; expected 1 to the " + std::to_string(experts) + " experts.");
  s.num_experts = experts;
  s.top_k_experts = top;
  s.moe_intermediate_size = width;
}

inline void read_altup(object_reader& r, const gemma_family& f, gemma_shape& s) {
  if (!f.altup) return;
  s.altup_num_inputs = r.whole("altup_num_inputs", 4, 1, 64);
  s.laurel_rank = r.whole("laurel_rank", 64, 1, most_elements);
  for (std::string_view key : {"altup_active_idx", "altup_coef_clip", "altup_correct_scale",
                               "activation_sparsity_pattern", "altup_lr_multiplier"})
    r.find(key);
}

}  // namespace detail_gemma

/// The model that a config of a Gemma text model describes; mistakes are left in the reader.
inline transformer read_gemma_kin(object_reader& r, const gemma_family& f, std::string_view name) {
  gemma_shape s;
  s.name = name;
  s.model_type = f.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  detail_gemma::read_widths(r, s);
  s.num_attention_heads = r.whole("num_attention_heads", f.heads, 1, most_elements);
  s.num_key_value_heads = r.whole("num_key_value_heads", f.kv_heads, 1, most_elements);
  s.head_dim = r.whole("head_dim", f.head_dim, 1, most_elements);
  s.vocab_size = r.whole("vocab_size", f.vocabulary, 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", f.max_position, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", true);
  s.attention_bias = r.flag("attention_bias", false);
  s.qk_norm = f.qk_norm;
  detail_gemma::check_heads(r, "num_key_value_heads", s.num_attention_heads, s.num_key_value_heads);
  detail_gemma::read_global_heads(r, f, s);
  read_alternating(r, s.num_hidden_layers, f.window, f.pattern, s.sliding, s.sliding_window);
  // Gemma 4 makes the last layer full whatever the list says.
  if (f.global_head_dim > 0 && r.ok()) s.sliding[static_cast<std::size_t>(s.num_hidden_layers - 1)] = 0;
  detail_gemma::read_layer_overrides(r, f, s);
  require_value(r, "sliding_window_size",
                r.has("sliding_window_size") && r.whole("sliding_window_size", 0, 0) != s.sliding_window,
                "the " + std::to_string(s.sliding_window) + " of sliding_window");
  if (f.per_layer_inputs) {
    s.hidden_size_per_layer_input = r.whole("hidden_size_per_layer_input", 256, 0, most_elements);
    s.vocab_size_per_layer_input = r.whole("vocab_size_per_layer_input", 262144, 1, most_elements);
  }
  detail_gemma::read_shared_layers(r, f, s);
  detail_gemma::read_experts(r, f, s);
  detail_gemma::read_altup(r, f, s);
  // "vision": tokens of one image see each other, which keeps nothing more.
  if (const json* v = r.find("use_bidirectional_attention"); v != nullptr)
    require_value(r, "use_bidirectional_attention", *v != json(false) && *v != json("vision"), "false or \"vision\"");
  for (std::string_view key :
       {"attn_logit_softcapping", "final_logit_softcapping", "query_pre_attn_scalar", "cache_implementation"})
    r.find(key);
  if (!r.ok()) return {};
  return make_gemma(s);
}

inline transformer read_gemma_family(object_reader& r, const read_context& c) {
  for (const gemma_family& f : gemma_families)
    if (f.model_type == c.model_type) return read_gemma_kin(r, f, c.name);
  return {};
}

inline constexpr std::array<family, 4> gemma_kin_families{{{"gemma2", read_gemma_family},
                                                           {"gemma3_text", read_gemma_family},
                                                           {"gemma3n_text", read_gemma_family},
                                                           {"gemma4_text", read_gemma_family}}};

}  // namespace ullage::inline v0::io::hf
