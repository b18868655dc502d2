// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/model/tower.hpp>
#include <vector>

// What readers of models with towers share: the text part, read by its own family, and the tower beside it.
namespace ullage::inline v0::io::hf {

inline const family* find_family(std::string_view model_type);

namespace detail_vision {

inline constexpr error_words config_words{error_code::unknown_field, error_code::incomplete_config,
                                          error_code::overflow};
/// Sizes of towers up to 2^20, and of patches and what merges them up to 2^10: products of four stay inside int64.
inline constexpr std::int64_t most_size = std::int64_t{1} << 20;
inline constexpr std::int64_t most_patch = std::int64_t{1} << 10;

/// Calls `f` with each of the words parted by ' '.
template <class F>
void each_word(std::string_view words, F f) {
  while (!words.empty()) {
    const std::size_t end = (std::min)(words.find(' '), words.size());
    f(words.substr(0, end));
    words.remove_prefix((std::min)(end + 1, words.size()));
  }
}

/// Model types of text parts that are another family under their own name.
struct text_alias {
  std::string_view model_type{};
  std::string_view family{};
};
inline constexpr std::array<text_alias, 7> text_aliases{{
    {"qwen2_vl_text", "qwen2"},
    {"qwen2_5_vl_text", "qwen2"},
    {"qwen3_vl_text", "qwen3"},
    {"qwen3_vl_moe_text", "qwen3_moe"},
    {"qwen3_5_text", "qwen3_5"},
    {"qwen3_5_moe_text", "qwen3_5_moe"},
    {"minimax_m3_text", "minimax_m3"},
}};
/// Where families are found: the registry, which holds this header's families too.
using family_finder = const family* (*)(std::string_view);
inline const family* find_text_family(family_finder find, std::string_view model_type) {
  if (const family* f = find(model_type); f != nullptr) return f;
  for (const text_alias& a : text_aliases)
    if (a.model_type == model_type) return find(a.family);
  return nullptr;
}

/// Sizes that files of models with towers leave to the class of their text part, as in transformers 4.57.
struct text_default {
  std::string_view family{};
  std::string_view key{};
  std::int64_t value = 0;
};
inline constexpr std::array<text_default, 22> text_defaults{{
    {"llama", "hidden_size", 4096},          {"llama", "intermediate_size", 11008},
    {"llama", "num_hidden_layers", 32},      {"llama", "num_attention_heads", 32},
    {"llama", "vocab_size", 32000},          {"mistral", "hidden_size", 4096},
    {"mistral", "intermediate_size", 14336}, {"mistral", "num_hidden_layers", 32},
    {"mistral", "num_attention_heads", 32},  {"mistral", "vocab_size", 32000},
    {"qwen2", "hidden_size", 4096},          {"qwen2", "intermediate_size", 22016},
    {"qwen2", "num_hidden_layers", 32},      {"qwen2", "num_attention_heads", 32},
    {"qwen2", "num_key_value_heads", 32},    {"qwen2", "vocab_size", 151936},
    {"gemma", "hidden_size", 3072},          {"gemma", "intermediate_size", 24576},
    {"gemma", "num_hidden_layers", 28},      {"gemma", "num_attention_heads", 16},
    {"gemma", "num_key_value_heads", 16},    {"gemma", "vocab_size", 256000},
}};

/// Where a checkpoint hangs its text part. Other names than the usual ones stay as their family gives them.
struct text_names {
  std::string_view layers = "model.layers.";
  std::string_view embedding = "model.embed_tokens.weight";
  std::string_view norm = "model.norm.weight";
  std::string_view head = "lm_head.weight";
};
inline constexpr text_names names_flat{};
inline constexpr text_names names_language_model{"language_model.model.layers.",
                                                 "language_model.model.embed_tokens.weight",
                                                 "language_model.model.norm.weight", "language_model.lm_head.weight"};
inline constexpr text_names names_in_model{"model.language_model.layers.", "model.language_model.embed_tokens.weight",
                                           "model.language_model.norm.weight", "lm_head.weight"};
inline constexpr text_names names_text_model{"model.text_model.layers.", "model.text_model.embed_tokens.weight",
                                             "model.text_model.norm.weight", "lm_head.weight"};
inline constexpr text_names names_language{"language.model.layers.", "language.model.embed_tokens.weight",
                                           "language.model.norm.weight", "language.lm_head.weight"};

inline void rename(transformer& m, const text_names& names) {
  if (m.layer_prefix == names_flat.layers) m.layer_prefix = names.layers;
  for (tensor_family& f : m.families) {
    if (f.name == names_flat.embedding) f.name = names.embedding;
    if (f.name == names_flat.norm) f.name = names.norm;
    if (f.name == names_flat.head) f.name = names.head;
  }
}

/// A copy of the text part's config while a family changes it.
struct text_edit {
  object_reader& top;
  const read_context& context;
  json& text;
  std::string path{};
  std::string type{};

  bool lacks(const char* key) const {
    const auto v = text.find(key);
    return v == text.end() || v->is_null();
  }
  void put(const char* key, json value, std::string why) {
    context.assumed->push_back({detail::join_path(path, key), value.dump(), false, std::move(why)});
    text[key] = std::move(value);
  }
};

/// The text part inside `key`, by its own family. `type`: what it is where the file does not say.
inline transformer read_text_part(object_reader& r, const read_context& c, family_finder find, std::string_view key,
                                  std::string_view type, void (*adapt)(text_edit&)) {
  json text = r.nested(key);
  if (!r.ok()) return {};
  if (text.empty()) {
    r.missing(key, "an object that describes the text part");
    return {};
  }
  text_edit e{r, c, text, r.path_of(key), std::string(type)};
  if (const auto word = text.find("model_type"); word != text.end() && word->is_string() && *word != json(""))
    e.type = word->get<std::string>();
  // Files say these two beside the text part, within it, or both; within it counts. From transformers 5 on, which leaves
  // classes' defaults in either place and checks the weights, both must tie.
  const auto version = r.object().find("transformers_version");
  const bool both_tie =
      version != r.object().end() && version->is_string() && version->get_ref<const std::string&>().starts_with("5.");
  for (const char* outer : {"tie_word_embeddings", "vocab_size"})
    if (const json* v = r.find(outer); v != nullptr) {
      if (e.lacks(outer)) text[outer] = *v;
      if (both_tie && text[outer] != *v && std::string_view(outer) == "tie_word_embeddings") text[outer] = false;
      if (text[outer] != *v)
        c.assume(r, outer, detail::shown(text[outer]), "the text part says so, and this field otherwise");
    }
  // What a file repeats at its top.
  for (const auto& item : r.object().items())
    if (const auto v = text.find(item.key()); v != text.end() && *v == item.value() && item.key() != "dtype" &&
                                              item.key() != "torch_dtype" && item.key() != "quantization_config")
      r.find(item.key());
  if (adapt != nullptr) adapt(e);
  if (!r.ok()) return {};

  object_reader t(text, e.path, config_words);
  t.text("model_type");
  const family* f = find_text_family(find, e.type);
  if (f == nullptr) {
    t.fail_at("model_type", error_code::unknown_architecture,
              "is " + detail::in_quotes(e.type) + ", a text part that is not modelled yet.");
    r.fail(t.problem());
    return {};
  }
  for (const text_default& d : text_defaults)
    if (d.family == f->model_type && e.lacks(std::string(d.key).c_str()))
      e.put(std::string(d.key).c_str(), d.value, "absent; the default of the class of the text part");
  transformer m = f->read(t, {f->model_type, c.name, c.assumed});
  // What the quantisation says is applied once the model stands, wherever it is written.
  for (const char* known :
       {"architectures", "dtype", "torch_dtype", "is_composition", "quantization_config", "compression_config"})
    t.find(known);
  std::vector<std::string> passed;
  refuse_unread(t, e.type, passed);
  for (const std::string& k : passed)
    c.assumed->push_back({t.path_of(k), "ignored", true, "unknown field whose name and type say nothing of structure"});
  if (!t.ok()) r.fail(t.problem());
  return m;
}

/// The same with the registry, which the caller includes at its end. A template, so that this header needs no registry.
template <class Adapt>
transformer read_text_part(object_reader& r, const read_context& c, std::string_view key, std::string_view type,
                           Adapt adapt) {
  return read_text_part(r, c, find_family, key, type, adapt);
}

/// What a reader of a tower has at hand. Mistakes in `config` that are no bad values leave the tower uncounted, said as
/// an assumption; what it reads of `top` is known in any case.
struct tower_reader {
  object_reader& top;
  object_reader& config;
  transformer& model;
  const read_context& context;
};

/// Words of towers' configs that say nothing of their tensors.
// clang-format off
inline constexpr auto tower_words = std::to_array<std::string_view>(
    {"activation_dropout", "activation_function", "architectures", "auto_map", "default_output_length",
     "drop_path_rate", "dropout", "dtype", "fullatt_block_indexes", "hidden_dropout_prob", "image_seq_length",
     "image_size", "image_token_id", "initializer_factor", "is_composition", "layer_scale_init_value", "layerdrop",
     "max_image_size", "max_num_patches", "max_position_embeddings", "mm_hidden_size", "model_type",
     "num_image_tokens", "pooling_kernel_size", "pos_emb_type", "position_embedding_type", "projection_dim",
     "projection_dropout", "projector_hidden_act", "projector_ln_eps", "qk_normalization_eps", "rms_norm_eps",
     "rope_mode", "scale_embedding", "size", "spatial_patch_size", "text_hidden_size", "tie_word_embeddings",
     "tokens_per_second", "torch_dtype", "use_flash_attn", "video_attn_type", "video_seq_length",
     "vision_segment_max_frames", "vocab_size", "window_size"});
/// Words at the top of such configs that say nothing of tensors or cache.
inline constexpr auto top_words = std::to_array<std::string_view>(
    {"audio_token_index", "boa_token_index", "boi_token_index", "candidate_resolutions", "do_image_splitting",
     "dynamic_image_size", "encoder_patch_size", "eoa_token_index", "eoi_token_index", "force_image_size",
     "global_view_pos", "ignore_index", "image_aspect_ratio", "image_grid_pinpoints", "image_seq_length",
     "image_token_index", "max_dynamic_patch", "max_image_size", "max_image_tokens", "max_num_patches",
     "max_pixels_tolerance", "max_tiles", "min_dynamic_patch", "min_image_tokens", "min_tiles", "mm_tokens_per_image",
     "num_image_tokens", "pad2square", "process_image_mode", "projector_hidden_act", "ps_version", "select_layer",
     "system_message", "template", "tile_size", "tile_tag", "use_backbone_lora", "use_image_newline_parameter",
     "use_image_special_tokens", "use_llm_lora", "use_thumbnail", "use_unified_vision_chunk", "video_placeholder",
     "video_seq_length", "video_token_index", "vision_aspect_ratio", "vision_feature_layer",
     "vision_feature_select_strategy", "vision_soft_tokens_per_image"});
// clang-format on

inline void not_counted(object_reader& r, const read_context& c, std::string_view key, const std::string& why) {
  c.assume(r, key, "towers not counted", why);
}

/// Reads the tower that `key` describes and hangs it on the model.
inline void read_tower(object_reader& r, const read_context& c, std::string_view key, void (*describe)(tower_reader&),
                       transformer& m) {
  const json& given = r.nested(key);
  if (!r.ok()) return;
  object_reader v(given, r.path_of(key), config_words);
  if (describe == nullptr || given.empty()) {
    not_counted(r, c, key, describe == nullptr ? "the tensors of this tower are not known" : "absent or null");
    return;
  }
  transformer with = m;
  tower_reader t{r, v, with, c};
  describe(t);
  for (std::string_view word : tower_words) v.find(word);
  std::vector<std::string> passed;
  refuse_unread(v, c.model_type, passed);
  if (v.ok()) {
    if (r.ok()) m = with;
    return;
  }
  const error_code code = v.problem().code;
  if (code == error_code::unknown_field || code == error_code::incomplete_config)
    not_counted(r, c, key, v.problem().message);
  else
    r.fail(v.problem());
}

/// A number, or a list of two equal ones.
inline std::int64_t read_square(object_reader& v, std::string_view key, std::int64_t fallback, std::int64_t most) {
  const json* given = v.find(key);
  if (given == nullptr && fallback == 0) v.missing(key, "a number");
  if (given == nullptr || !given->is_array()) return v.whole(key, fallback, 1, most);
  if (given->size() != 2 || given->front() != given->back()) {
    v.fail_at(key, error_code::unknown_field, "is " + detail::shown(*given) + "; expected a number or two equal ones.");
    return fallback;
  }
  return v.whole_of(given->front(), key, fallback, 1, most);
}

/// The words of a vision transformer's config and the defaults of its class; 0 = the file must say it.
struct vit_words {
  std::string_view layers = "num_hidden_layers";
  std::string_view hidden = "hidden_size";
  std::string_view inner = "intermediate_size";
  std::string_view heads = "num_attention_heads";
  std::string_view channels = "num_channels";
};
struct vit_defaults {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t inner = 0;
  std::int64_t heads = 0;
  std::int64_t patch = 0;
  std::int64_t image = 0;  ///< side of the image in pixels
};
inline std::int64_t read_size(object_reader& v, std::string_view key, std::int64_t fallback, std::int64_t most) {
  return fallback > 0 ? v.whole(key, fallback, 1, most) : v.required_whole(key, 1, most);
}
/// What most towers have: layers, widths, heads, and patches of `frames` images.
inline tower_shape read_vit(tower_reader& t, const vit_words& w, const vit_defaults& d, std::int64_t frames = 1) {
  object_reader& v = t.config;
  tower_shape s;
  s.layers = read_size(v, w.layers, d.layers, static_cast<std::int64_t>(transformer::most_layers));
  s.hidden = read_size(v, w.hidden, d.hidden, most_size);
  if (!w.inner.empty()) s.inner = read_size(v, w.inner, d.inner, most_size);
  const std::int64_t heads = read_size(v, w.heads, d.heads, most_size);
  const std::int64_t channels = v.whole(w.channels, 3, 1, most_patch);
  const std::int64_t side = read_square(v, "patch_size", d.patch, most_patch);
  if (v.ok() && s.hidden % heads != 0)
    v.fail_at(w.heads, error_code::bad_value,
              "is " + std::to_string(heads) + ", which does not divide " + std::string(w.hidden) + " " +
                  std::to_string(s.hidden) + "; expected a divisor.");
  s.attention = s.hidden;
  s.kv = s.hidden;
  s.qkv = 3 * s.hidden;
  s.head_dim = s.hidden / heads;
  s.patch = channels * frames * side * side;
  s.text = t.model.hidden;
  if (d.image > 0) {
    const std::int64_t across = read_square(v, "image_size", d.image, most_size) / (side > 0 ? side : 1);
    s.positions = across * across;
  }
  return s;
}

/// Refuses a tower that ends in another width than the text part has.
inline void expect_text_width(object_reader& v, std::string_view key, const tower_shape& s, const transformer& m) {
  require_value(v, key, s.text != m.hidden, "the text part's hidden_size, " + std::to_string(m.hidden));
}

}  // namespace detail_vision

}  // namespace ullage::inline v0::io::hf
