// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/vision_towers.hpp>
#include <ullage/model/mllama.hpp>
#include <ullage/model/molmo.hpp>
#include <vector>

// Models that see or hear: a text part of any family and a tower. One row a model type; what a row cannot say is a
// small function over the config of the tower (vision_towers.hpp) or of the text part.
namespace ullage::inline v0::io::hf {

namespace detail_vision {

/// The first releases of Pixtral-12B leave out head_dim, and the class would take hidden_size / heads.
inline void llava_text(text_edit& e) {
  const auto is = [&](const char* key, std::int64_t value) {
    const auto v = e.text.find(key);
    return v != e.text.end() && *v == json(value);
  };
  if (e.type == "mistral" && e.lacks("head_dim") && is("hidden_size", 5120) && is("num_hidden_layers", 40) &&
      is("intermediate_size", 14336))
    e.put("head_dim", 128, "absent; the weights of Pixtral-12B have 128, the class would take 5120 / 32");
}
inline void paligemma_text(text_edit& e) {
  e.text.erase("num_image_tokens");
}
inline void idefics3_text(text_edit& e) {
  for (const char* key : {"use_resampler", "qk_layer_norms"}) {
    const auto v = e.text.find(key);
    if (v == e.text.end()) continue;
    if (*v != json(false) && !v->is_null()) {
      e.top.fail(
          error_code::unknown_field, detail::join_path(e.path, key),
          detail::join_path(e.path, key) + " is " + detail::shown(*v) + ", which is not modelled yet; expected false.");
      return;
    }
    e.text.erase(v);
  }
  for (const char* key : {"perceiver_config", "pixel_shuffle_factor"}) e.text.erase(key);
}
/// Plain attention in DeepSeek-V2's words: then the family is the one before it.
inline void deepseek_text(text_edit& e) {
  for (const char* key : {"lm_head", "rm_head"}) {
    const auto v = e.text.find(key);
    if (v != e.text.end() && *v != json(std::string_view(key) == "lm_head")) return;  // refused as unread
    if (v != e.text.end()) e.text.erase(v);
  }
  const auto latent = e.text.find("use_mla");
  if (latent == e.text.end()) return;
  const bool plain = *latent == json(false);
  if (!plain && *latent != json(true)) return;
  e.text.erase(latent);
  if (!plain) return;
  e.type = "deepseek";
  for (const char* key : {"kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"}) {
    const auto v = e.text.find(key);
    if (v != e.text.end() && (v->is_null() || *v == json(0))) e.text.erase(v);
  }
  if (const auto v = e.text.find("topk_method"); v != e.text.end() && *v == json("greedy")) e.text.erase(v);
}

/// One model type. Files of some families hold the text part's fields at the top.
enum class text_place : std::uint8_t { nested, flat, either };
struct vision_family {
  std::string_view model_type{};
  std::string_view text_type{};  ///< the text part's family where it does not name one
  const text_names* names = &names_language_model;
  void (*tower)(tower_reader&) = nullptr;  ///< nullptr = its tensors are not known
  void (*adapt)(text_edit&) = nullptr;
  text_place place = text_place::nested;
  std::string_view text_key = "text_config";
  std::string_view tower_key = "vision_config";
  std::string_view same{};  ///< further words at the top that say nothing of tensors or cache
};
// clang-format off
inline constexpr auto vision_rows = std::to_array<vision_family>({
    {.model_type = "qwen2_vl", .text_type = "qwen2", .names = &names_flat, .tower = qwen2_vl,
     .place = text_place::either},
    {.model_type = "qwen2_5_vl", .text_type = "qwen2", .names = &names_flat, .tower = qwen2_5_vl,
     .place = text_place::either},
    {.model_type = "qwen3_vl", .text_type = "qwen3_vl_text", .names = &names_in_model, .tower = qwen3_vl},
    {.model_type = "qwen3_vl_moe", .text_type = "qwen3_vl_moe_text", .names = &names_in_model, .tower = qwen3_vl},
    {.model_type = "qwen3_5", .text_type = "qwen3_5_text", .names = &names_in_model, .tower = qwen3_vl},
    {.model_type = "qwen3_5_moe", .text_type = "qwen3_5_moe_text", .names = &names_in_model, .tower = qwen3_vl},
    {.model_type = "gemma3", .text_type = "gemma3_text", .tower = gemma3},
    {.model_type = "gemma3n", .text_type = "gemma3n_text", .names = &names_in_model,
     .same = "audio_config audio_soft_tokens_per_image"},
    {.model_type = "gemma4", .text_type = "gemma4_text", .names = &names_in_model, .tower = gemma4},
    {.model_type = "paligemma", .text_type = "gemma", .tower = paligemma, .adapt = paligemma_text},
    {.model_type = "llava", .text_type = "llama", .tower = llava, .adapt = llava_text},
    {.model_type = "llava_next", .text_type = "llama", .tower = llava, .adapt = llava_text},
    {.model_type = "llava_onevision", .text_type = "qwen2", .tower = llava},
    {.model_type = "mistral3", .text_type = "mistral", .tower = mistral3},
    {.model_type = "mllama", .text_type = "mllama_text_model", .tower = mllama},
    {.model_type = "idefics3", .text_type = "llama", .names = &names_text_model, .tower = idefics3,
     .adapt = idefics3_text},
    {.model_type = "smolvlm", .text_type = "llama", .names = &names_text_model, .tower = idefics3,
     .adapt = idefics3_text},
    {.model_type = "internvl_chat", .text_type = "", .tower = internvl_chat, .text_key = "llm_config"},
    {.model_type = "internvl", .text_type = "qwen2", .tower = internvl},
    {.model_type = "lfm2_vl", .text_type = "lfm2", .names = &names_in_model, .tower = lfm2_vl},
    {.model_type = "exaone4_5", .text_type = "exaone4_5_text", .names = &names_in_model, .tower = qwen2_5_vl},
    {.model_type = "deepseek_vl_v2", .text_type = "deepseek_v2", .names = &names_flat, .tower = deepseek_vl2,
     .adapt = deepseek_text, .text_key = "language_config", .same = "projector_config"},
    {.model_type = "deepseek_ocr", .text_type = "deepseek_v2", .names = &names_flat, .tower = deepseek_vl2,
     .adapt = deepseek_text, .text_key = "language_config", .same = "projector_config"},
    {.model_type = "kimi_vl", .text_type = "deepseek_v3", .tower = kimi_vl},
    {.model_type = "qwen2_audio", .text_type = "qwen2", .tower = qwen2_audio, .tower_key = "audio_config"},
    {.model_type = "minimax_m3_vl", .text_type = "minimax_m3",
     .same = "img_token_compression_config multimodal_projector_bias num_reward_heads projector_hidden_size"},
    {.model_type = "phi4_multimodal", .text_type = "phi3", .names = &names_flat, .place = text_place::flat,
     .same = "audio_config"},
    {.model_type = "phi4mm", .text_type = "phi3", .names = &names_flat, .place = text_place::flat,
     .same = "audio_processor embd_layer img_processor speech_lora vision_lora"},
    {.model_type = "logics", .text_type = "qwen3", .names = &names_flat, .place = text_place::either},
    {.model_type = "llava_llama", .text_type = "llama", .names = &names_flat, .place = text_place::flat},
    {.model_type = "llava_mistral", .text_type = "mistral", .names = &names_flat, .place = text_place::flat},
    {.model_type = "llava_qwen", .text_type = "qwen2", .names = &names_flat, .place = text_place::flat},
});
// clang-format on

/// Words that LLaVA's own code puts beside a flat text part.
inline bool is_llava_word(std::string_view key) {
  for (std::string_view start :
       {"mm_", "image_", "vision_", "video_", "tune_mm_", "unfreeze_mm_", "freeze_mm_", "use_mm_", "tokenizer_",
        "add_faster_video", "faster_token_", "pos_skipping_", "delay_load"})
    if (key.starts_with(start)) return true;
  return false;
}

inline transformer read_flat_text(object_reader& r, const read_context& c, const vision_family& f) {
  const family* text = find_text_family(find_family, f.text_type);
  if (text == nullptr) {
    r.fail_at("model_type", error_code::unknown_architecture,
              "has a text part of " + std::string(f.text_type) + ", which is not modelled yet.");
    return {};
  }
  return text->read(r, {text->model_type, c.name, c.assumed});
}

inline transformer read_vision_row(object_reader& r, const read_context& c, const vision_family& f) {
  const bool flat = f.place == text_place::flat || (f.place == text_place::either && !r.has(f.text_key));
  transformer m = flat ? read_flat_text(r, c, f) : read_text_part(r, c, f.text_key, f.text_type, f.adapt);
  if (!r.ok()) return {};
  m.model_type = c.model_type;
  rename(m, *f.names);
  // An engine's switch that leaves the towers out.
  require_value(r, "language_model_only", r.flag("language_model_only", false), "false");
  // Left at the top from before the text part had a place of its own, and without effect where that says it.
  if (f.place == text_place::either && !flat)
    for (std::string_view word : {"max_window_layers", "sliding_window", "use_sliding_window"})
      if (r.nested(f.text_key).contains(word)) r.find(word);
  read_tower(r, c, f.tower_key, f.tower, m);
  for (std::string_view word : top_words) r.find(word);
  if (f.tower == nullptr)
    for (const auto& item : r.object().items())
      if (is_llava_word(item.key())) r.find(item.key());
  each_word(f.same, [&](std::string_view word) { r.find(word); });
  if (c.model_type == "gemma4") r.find("audio_config");
  for (std::int64_t i = 0; i < m.layers && m.encoder_tokens == 0; ++i)
    if (m.layer(i).attention.kind == attention_kind::cross) {
      r.missing(f.tower_key, "the tower whose states cross-attention caches");
      break;
    }
  if (!r.ok()) return {};
  return m;
}

}  // namespace detail_vision

inline transformer read_vision_family(object_reader& r, const read_context& c) {
  for (const detail_vision::vision_family& f : detail_vision::vision_rows)
    if (f.model_type == c.model_type) return detail_vision::read_vision_row(r, c, f);
  return {};
}

/// The text part of Llama-3.2-Vision; how many image tokens it caches is in the tower's config. Defaults as in
/// transformers 4.57.
inline transformer read_mllama_text(object_reader& r, const read_context& c) {
  mllama_shape s;
  s.name = c.name;
  s.hidden_size = r.whole("hidden_size", 4096, 1, most_elements);
  s.intermediate_size = r.whole("intermediate_size", 14336, 1, most_elements);
  s.num_hidden_layers = r.has("num_hidden_layers") ? read_layers(r) : 40;
  s.num_attention_heads = r.whole("num_attention_heads", 32, 1, most_elements);
  s.num_key_value_heads = r.whole("num_key_value_heads", 8, 1, most_elements);
  s.vocab_size = r.whole("vocab_size", 128256, 1, most_elements - mllama_added_tokens);
  s.max_position_embeddings = r.whole("max_position_embeddings", 131072, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  // The embedding has rows for the image's tokens that a head would not have.
  require_value(r, "tie_word_embeddings", s.tie_word_embeddings, "false");
  r.find("dropout");
  if (!r.path().ends_with("text_config"))
    c.assume(r, "cross_attention_layers", "no image", "without a tower's config nothing of an image is cached");
  if (r.ok() && s.hidden_size % s.num_attention_heads != 0)
    r.fail_at("num_attention_heads", error_code::bad_value,
              "is " + std::to_string(s.num_attention_heads) + ", which does not divide hidden_size " +
                  std::to_string(s.hidden_size) + "; expected a divisor.");
  if (r.ok() && s.num_attention_heads % s.num_key_value_heads != 0)
    r.fail_at("num_key_value_heads", error_code::bad_value,
              "is " + std::to_string(s.num_key_value_heads) + "; expected a divisor of num_attention_heads " +
                  std::to_string(s.num_attention_heads) + ".");
  const json usual{3, 8, 13, 18, 23, 28, 33, 38};
  const json* given = r.find("cross_attention_layers");
  const json& layers = given == nullptr ? usual : *given;
  if (!layers.is_array()) {
    r.fail_at("cross_attention_layers", error_code::bad_value,
              "is " + detail::shown(layers) + "; expected a list of layers.");
  } else {
    for (const json& i : layers) {
      const std::int64_t at = r.whole_of(i, "cross_attention_layers", 0, 0, s.num_hidden_layers - 1);
      s.cross_attention[static_cast<std::size_t>(at)] = 1;
    }
  }
  if (!r.ok()) return {};
  return make_mllama(s);
}

namespace detail_vision {

/// Phi-3-vision: Phi-3 with CLIP-L at 336 pixels, which its code fixes.
inline transformer read_phi3_v(object_reader& r, const read_context& c) {
  const vision_family row{.model_type = "phi3_v", .text_type = "phi3", .names = &names_flat};
  transformer m = read_flat_text(r, c, row);
  if (!r.ok()) return {};
  m.model_type = c.model_type;
  object_reader image(r.nested("img_processor"), r.path_of("img_processor"), config_words);
  object_reader embed(r.nested("embd_layer"), r.path_of("embd_layer"), config_words);
  require_value(image, "name", image.text("name") != "clip_vision_model", "clip_vision_model");
  require_value(image, "image_dim_out", image.whole("image_dim_out", 1024, 1) != 1024, "1024");
  require_value(embed, "embedding_cls", embed.text("embedding_cls", "image") != "image", "image");
  require_value(embed, "projection_cls", embed.text("projection_cls") != "mlp", "mlp");
  require_value(embed, "use_hd_transform", !embed.flag("use_hd_transform", false), "true");
  require_value(embed, "with_learnable_separator", !embed.flag("with_learnable_separator", false), "true");
  for (std::string_view key : {"model_name", "num_img_tokens", "layer_idx", "type_feature"}) image.find(key);
  embed.find("hd_transform_order");
  for (std::string_view word : top_words) r.find(word);
  std::vector<std::string> passed;
  refuse_unread(image, c.model_type, passed);
  refuse_unread(embed, c.model_type, passed);
  for (const object_reader* o : {&image, &embed})
    if (!o->ok()) {
      not_counted(r, c, o->path() == image.path() ? "img_processor" : "embd_layer", o->problem().message);
      return m;
    }
  tower_shape s;
  s.layers = 24;
  s.hidden = 1024;
  s.inner = 4096;
  s.patch = 3 * 14 * 14;
  s.positions = 24 * 24 + 1;
  s.text = m.hidden;
  merge(s, 2);
  add_tower(m, s, towers::clip<"model.vision_embed_tokens.img_processor.vision_model.">);
  add_tower(m, s, towers::phi3_v_projector);
  return m;
}

/// Molmo, whose code fixes the tower: CLIP-L at 336 pixels without its last layer.
inline transformer read_molmo(object_reader& r, const read_context& c) {
  molmo_shape s;
  s.name = c.name;
  s.hidden_size = r.required_whole("hidden_size", 1, most_size);
  s.intermediate_size = r.required_whole("intermediate_size", 2, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.num_key_value_heads = r.whole("num_key_value_heads", s.num_attention_heads, 1, most_elements);
  const std::int64_t vocabulary = r.required_whole("vocab_size", 1, most_elements);
  s.embedding_size = r.whole("embedding_size", vocabulary, 1, most_elements);
  s.max_position_embeddings = r.required_whole("max_position_embeddings", 1, most_elements);
  s.weight_tying = r.flag("weight_tying", r.flag("tie_word_embeddings", false));
  require_value(r, "tie_word_embeddings", r.flag("tie_word_embeddings", s.weight_tying) != s.weight_tying,
                "the same as weight_tying");
  s.qkv_bias = r.flag("qkv_bias", false);
  s.attention_layer_norm = r.flag("attention_layer_norm", false);
  require_value(r, "layer_norm_type", r.text("layer_norm_type", "rms") != "rms", "rms");
  require_value(r, "clip_qkv", r.has("clip_qkv"), "null");
  for (std::string_view key : {"norm_after", "use_position_ids"}) r.flag(key, false);
  if (r.ok() && s.hidden_size % s.num_attention_heads != 0)
    r.fail_at("num_attention_heads", error_code::bad_value,
              "is " + std::to_string(s.num_attention_heads) + ", which does not divide hidden_size " +
                  std::to_string(s.hidden_size) + "; expected a divisor.");
  if (r.ok() && s.num_attention_heads % s.num_key_value_heads != 0)
    r.fail_at("num_key_value_heads", error_code::bad_value,
              "is " + std::to_string(s.num_key_value_heads) + "; expected a divisor of num_attention_heads " +
                  std::to_string(s.num_attention_heads) + ".");
  if (r.ok() && s.intermediate_size % 2 != 0)
    r.fail_at("intermediate_size", error_code::bad_value,
              "is " + std::to_string(s.intermediate_size) + "; expected an even number, the widths of gate and up.");
  if (!r.ok()) return {};
  transformer m = make_molmo(s);
  tower_shape t;
  t.layers = 23;
  t.hidden = 1024;
  t.inner = 4096;
  t.patch = 3 * 14 * 14;
  t.positions = 24 * 24 + 1;
  t.merged = 2 * t.hidden;
  t.projected = s.intermediate_size / 2;
  t.text = s.hidden_size;
  t.added_tokens = 128;
  add_tower(m, t, towers::molmo);
  return m;
}

}  // namespace detail_vision

inline constexpr auto vision_kin_families = std::to_array<family>({
    {"qwen2_vl", read_vision_family, "ForConditionalGeneration"},
    {"qwen2_5_vl", read_vision_family, "ForConditionalGeneration"},
    {"qwen3_vl", read_vision_family, "ForConditionalGeneration"},
    {"qwen3_vl_moe", read_vision_family, "ForConditionalGeneration"},
    {"qwen3_5", read_vision_family, "ForConditionalGeneration"},
    {"qwen3_5_moe", read_vision_family, "ForConditionalGeneration"},
    {"gemma3", read_vision_family, "ForConditionalGeneration"},
    {"gemma3n", read_vision_family, "ForConditionalGeneration"},
    {"gemma4", read_vision_family, "ForConditionalGeneration"},
    {"paligemma", read_vision_family, "ForConditionalGeneration"},
    {"llava", read_vision_family, "ForConditionalGeneration"},
    {"llava_next", read_vision_family, "ForConditionalGeneration"},
    {"llava_onevision", read_vision_family, "ForConditionalGeneration"},
    {"mistral3", read_vision_family, "ForConditionalGeneration"},
    {"mllama", read_vision_family, "ForConditionalGeneration"},
    {"mllama_text_model", read_mllama_text},
    {"idefics3", read_vision_family, "ForConditionalGeneration"},
    {"smolvlm", read_vision_family, "ForConditionalGeneration"},
    {"internvl_chat", read_vision_family, "ChatModel"},
    {"internvl", read_vision_family, "ForConditionalGeneration"},
    {"lfm2_vl", read_vision_family, "ForConditionalGeneration"},
    {"exaone4_5", read_vision_family, "ForConditionalGeneration"},
    {"deepseek_vl_v2", read_vision_family, "ForCausalLM"},
    {"deepseek_ocr", read_vision_family, "ForCausalLM ForConditionalGeneration"},
    {"kimi_vl", read_vision_family, "ForConditionalGeneration"},
    {"qwen2_audio", read_vision_family, "ForConditionalGeneration"},
    {"minimax_m3_vl", read_vision_family, "ForConditionalGeneration"},
    {"phi3_v", detail_vision::read_phi3_v},
    {"phi4_multimodal", read_vision_family},
    {"phi4mm", read_vision_family},
    {"molmo", detail_vision::read_molmo},
    {"logics", read_vision_family, ""},
    {"llava_llama", read_vision_family},
    {"llava_mistral", read_vision_family},
    {"llava_qwen", read_vision_family},
});

}  // namespace ullage::inline v0::io::hf

// Text parts are found among all families; at the end, since that list holds this header's families too.
#include <ullage/io/hf/registry.hpp>
