// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <ullage/io/hf/vision.hpp>
#include <ullage/model/audio_towers.hpp>
#include <ullage/model/deepseek_towers.hpp>
#include <ullage/model/vision_towers.hpp>
#include <vector>

// From the config of a tower to its sizes: one function a tower.
namespace ullage::inline v0::io::hf {

namespace detail_vision {

// Defaults as in transformers 4.57, or in the checkpoints' own configuration_*.py where transformers has no class.

/// Merges `side` x `side` patches into one input of the projector.
inline void merge(tower_shape& s, std::int64_t side) {
  s.merged = s.hidden * side * side;
}

inline void qwen2_vl(tower_reader& t) {
  object_reader& v = t.config;
  const std::string_view channels = v.has("in_chans") ? "in_chans" : "in_channels";
  v.find("in_channels");
  const std::int64_t frames = v.whole("temporal_patch_size", 2, 1, most_patch);
  tower_shape s = read_vit(t, {"depth", "embed_dim", "", "num_heads", channels}, {32, 1280, 0, 16, 14}, frames);
  const double ratio = v.real("mlp_ratio", 4);
  if (v.ok() && (ratio <= 0 || ratio > 64)) v.fail_at("mlp_ratio", error_code::bad_value, "is out of 0 to 64.");
  if (!v.ok()) return;
  s.inner = static_cast<std::int64_t>(static_cast<double>(s.hidden) * ratio);
  s.text = v.whole("hidden_size", 3584, 1, most_size);
  expect_text_width(v, "hidden_size", s, t.model);
  merge(s, v.whole("spatial_merge_size", 2, 1, most_patch));
  add_tower(t.model, s, towers::qwen2_vl);
}

/// EXAONE-4.5 differs by fewer heads of K and V.
inline void qwen2_5_vl(tower_reader& t) {
  object_reader& v = t.config;
  const std::string_view channels = v.has("in_chans") ? "in_chans" : "in_channels";
  v.find("in_channels");
  const std::int64_t frames = v.whole("temporal_patch_size", 2, 1, most_patch);
  tower_shape s = read_vit(t, {"depth", "hidden_size", "intermediate_size", "num_heads", channels},
                           {32, 3584, 3420, 16, 14}, frames);
  const std::int64_t heads = s.head_dim > 0 ? s.hidden / s.head_dim : 1;
  s.kv = v.whole("num_key_value_heads", heads, 1, heads) * s.head_dim;
  s.qkv = s.attention + 2 * s.kv;
  s.text = v.whole("out_hidden_size", 3584, 1, most_size);
  expect_text_width(v, "out_hidden_size", s, t.model);
  merge(s, v.whole("spatial_merge_size", 2, 1, most_patch));
  add_tower(t.model, s, towers::qwen2_5_vl);
}

/// Qwen3.5 has the same tower, without mergers for the first text layers.
inline void qwen3_vl(tower_reader& t) {
  object_reader& v = t.config;
  const std::int64_t frames = v.whole("temporal_patch_size", 2, 1, most_patch);
  tower_shape s = read_vit(t, {"depth", "hidden_size", "intermediate_size", "num_heads", "in_channels"},
                           {27, 1152, 4304, 16, 16}, frames);
  s.positions = v.whole("num_position_embeddings", 2304, 1, most_size);
  const json* deep = v.find("deepstack_visual_indexes");
  s.mergers = t.context.model_type.starts_with("qwen3_vl") ? 3 : 0;
  if (deep != nullptr) {
    s.mergers = deep->is_array() ? static_cast<std::int64_t>(deep->size()) : 0;
    if (!deep->is_array() || s.mergers > s.layers)
      v.fail_at("deepstack_visual_indexes", error_code::bad_value,
                "is " + detail::shown(*deep) + "; expected a list of layers of the tower.");
  }
  s.text = v.whole("out_hidden_size", 3584, 1, most_size);
  expect_text_width(v, "out_hidden_size", s, t.model);
  merge(s, v.whole("spatial_merge_size", 2, 1, most_patch));
  add_tower(t.model, s, towers::qwen3_vl);
}

/// SigLIP; the class has a pooling head unless `vision_use_head` says no.
inline tower_shape read_siglip(tower_reader& t) {
  tower_shape s = read_vit(t, {}, {12, 768, 3072, 12, 16, 224});
  s.pooled = t.config.flag("vision_use_head", true) ? 1 : 0;
  return s;
}
inline tower_shape read_clip(tower_reader& t) {
  tower_shape s = read_vit(t, {}, {12, 768, 3072, 12, 32, 224});
  s.positions += 1;  // the class token
  return s;
}
/// Pixtral's head_dim follows from the heads; its weights are square whatever it says.
inline tower_shape read_pixtral(tower_reader& t) {
  t.config.find("head_dim");
  return read_vit(t, {}, {24, 1024, 4096, 16, 16});
}
inline constexpr towers::fixed_text vision_model_prefix{"vision_tower.vision_model."};
inline constexpr towers::fixed_text projector_prefix{"multi_modal_projector."};

inline void gemma3(tower_reader& t) {
  const tower_shape s = read_siglip(t);
  require_value(t.config, "model_type", t.config.text("model_type", "siglip_vision_model") != "siglip_vision_model",
                "siglip_vision_model");
  add_tower(t.model, s, towers::siglip<vision_model_prefix>);
  add_tower(t.model, s, towers::gemma3_projector);
}

inline void paligemma(tower_reader& t) {
  tower_shape s = read_siglip(t);
  require_value(t.config, "model_type", t.config.text("model_type", "siglip_vision_model") != "siglip_vision_model",
                "siglip_vision_model");
  t.top.find("projection_dim");
  t.top.find("hidden_size");
  s.text = t.config.whole("projection_dim", 2048, 1, most_size);
  expect_text_width(t.config, "projection_dim", s, t.model);
  add_tower(t.model, s, towers::siglip<vision_model_prefix>);
  add_tower(t.model, s, towers::paligemma_projector);
}

/// How many layers' states the projector takes side by side.
inline std::int64_t feature_layers(object_reader& r) {
  const json* list = r.find("vision_feature_layer");
  return list != nullptr && list->is_array() ? (std::max)(std::int64_t{1}, static_cast<std::int64_t>(list->size())) : 1;
}
/// The tower of LLaVA and its like, which the config names. False = not one that is modelled.
inline bool add_named_tower(tower_reader& t, tower_shape& s) {
  const std::string kind = t.config.text("model_type", "clip_vision_model");
  if (kind == "clip_vision_model") {
    s = read_clip(t);
    add_tower(t.model, s, towers::clip<vision_model_prefix>);
  } else if (kind == "siglip_vision_model") {
    s = read_siglip(t);
    add_tower(t.model, s, towers::siglip<vision_model_prefix>);
  } else if (kind == "pixtral") {
    s = read_pixtral(t);
    add_tower(t.model, s, towers::pixtral);
  } else {
    require_value(t.config, "model_type", true, "clip_vision_model, siglip_vision_model or pixtral");
    return false;
  }
  return true;
}
inline void llava(tower_reader& t) {
  const bool bias = t.top.flag("multimodal_projector_bias", true);
  const std::int64_t stacked = feature_layers(t.top);
  tower_shape s;
  if (!add_named_tower(t, s)) return;
  s.merged = s.hidden * stacked;
  s.projected = s.text;
  s.projector_bias = bias ? 1 : 0;
  s.newline = t.context.model_type == "llava" ? 0 : 1;
  add_tower(t.model, s, towers::two_linears<projector_prefix>);
  add_tower(t.model, s, towers::image_newline);
}
inline void mistral3(tower_reader& t) {
  const bool bias = t.top.flag("multimodal_projector_bias", false);
  const std::int64_t side = t.top.whole("spatial_merge_size", 2, 1, most_patch);
  const std::int64_t stacked = feature_layers(t.top);
  tower_shape s;
  if (!add_named_tower(t, s)) return;
  merge(s, side);
  add_tower(t.model, s, towers::mistral3_merger);
  s.merged = s.hidden * stacked;
  s.projected = s.text;
  s.projector_bias = bias ? 1 : 0;
  add_tower(t.model, s, towers::two_linears<projector_prefix>);
}

/// Idefics3 and SmolVLM; their class takes the patches of four (SmolVLM2: of other numbers) sides together.
inline void idefics3(tower_reader& t) {
  const std::int64_t side = t.top.whole("scale_factor", 2, 1, most_patch);
  t.config.find("use_base_siglip");
  tower_shape s = read_vit(t, {}, {12, 1152, 3072, 16, 32, 224});
  merge(s, side);
  add_tower(t.model, s, towers::siglip<"model.vision_model.">);
  add_tower(t.model, s, towers::idefics3_connector);
}

inline void lfm2_vl(tower_reader& t) {
  object_reader& v = t.config;
  const std::int64_t side = t.top.whole("downsample_factor", 2, 1, most_patch);
  const std::int64_t inner = t.top.whole("projector_hidden_size", 2560, 1, most_size);
  const bool bias = t.top.flag("projector_bias", true);
  const bool norm = t.top.flag("projector_use_layernorm", true);
  require_value(v, "model_type", v.text("model_type", "siglip2_vision_model") != "siglip2_vision_model",
                "siglip2_vision_model");
  tower_shape s = read_vit(t, {}, {12, 768, 3072, 12, 16});
  s.positions = v.whole("num_patches", 256, 1, most_size);
  s.pooled = v.flag("vision_use_head", true) ? 1 : 0;
  merge(s, side);
  s.projected = inner;
  s.projector_bias = bias ? 1 : 0;
  s.projector_norm = norm ? 1 : 0;
  add_tower(t.model, s, towers::siglip<"model.vision_tower.vision_model.">);
  add_tower(t.model, s, towers::merged_norm<"model.multi_modal_projector.">);
  add_tower(t.model, s, towers::two_linears<"model.multi_modal_projector.">);
}

inline void gemma4(tower_reader& t) {
  object_reader& v = t.config;
  tower_shape s = read_vit(t, {}, {16, 768, 3072, 12, 16});
  const std::int64_t heads = s.head_dim > 0 ? s.hidden / s.head_dim : 1;
  const std::int64_t kv_heads = v.whole("num_key_value_heads", heads, 1, heads);
  s.head_dim = v.whole("head_dim", 64, 1, most_patch);
  v.find("global_head_dim");  // of layers that towers do not have
  s.attention = heads * s.head_dim;
  s.kv = kv_heads * s.head_dim;
  s.positions = v.whole("position_embedding_size", 10240, 1, most_size);
  for (std::string_view key : {"standardize", "use_clipped_linears"}) v.flag(key, false);  // buffers, no parameters
  require_value(v, "attention_bias", v.flag("attention_bias", false), "false");
  add_tower(t.model, s, towers::gemma4);
  if (t.top.has("audio_config")) not_counted(t.top, t.context, "audio_config", "the audio tower is not modelled yet");
}

/// MoonViT.
inline void kimi_vl(tower_reader& t) {
  object_reader& v = t.config;
  tower_shape s = read_vit(t, {}, {27, 1152, 4304, 16, 14});
  s.positions = v.whole("init_pos_emb_height", 64, 1, most_patch) * v.whole("init_pos_emb_width", 64, 1, most_patch);
  require_value(v, "merge_kernel_size", v.has("merge_kernel_size") && *v.find("merge_kernel_size") != json({2, 2}),
                "[2, 2]");
  merge(s, 2);
  add_tower(t.model, s, towers::moonvit);
  add_tower(t.model, s, towers::moonvit_projector);
}

/// The projector of InternVL takes 1/downsample_ratio patches a side together.
inline std::int64_t shuffled_side(tower_reader& t) {
  const double ratio = t.top.real("downsample_ratio", 0.5);
  const double side = ratio > 0 ? std::round(1 / ratio) : 0;
  require_value(t.top, "downsample_ratio", !(side >= 1 && side <= 64 && side * ratio == 1), "1/n, such as 0.5");
  return t.top.ok() ? static_cast<std::int64_t>(side) : 1;
}
inline void read_intern_norm(object_reader& v, std::string_view fallback, tower_shape& s) {
  const std::string norm = v.text("norm_type", fallback);
  require_value(v, "norm_type", norm != "layer_norm" && norm != "rms_norm", "layer_norm or rms_norm");
  s.norm_bias = norm == "layer_norm" ? 1 : 0;
  s.positions += 1;  // the class token
}
/// InternVL in its own code; the defaults are those of the tower of 6 billion parameters.
inline void internvl_chat(tower_reader& t) {
  object_reader& v = t.config;
  const std::int64_t side = shuffled_side(t);
  tower_shape s = read_vit(t, {}, {48, 3200, 12800, 25, 14, 224});
  s.attention_bias = v.flag("qkv_bias", false) ? 1 : 0;
  s.qk_norm = v.flag("qk_normalization", true) ? 1 : 0;
  read_intern_norm(v, "rms_norm", s);
  merge(s, side);
  add_tower(t.model, s, towers::internvl_chat);
}
/// The same in transformers.
inline void internvl(tower_reader& t) {
  object_reader& v = t.config;
  const std::int64_t side = shuffled_side(t);
  tower_shape s = read_vit(t, {}, {24, 1024, 4096, 16, 14, 448});
  s.attention_bias = v.flag("attention_bias", false) ? 1 : 0;
  s.qk_norm = v.flag("use_qk_norm", false) ? 1 : 0;
  s.pooled = v.flag("use_mean_pooling", true) ? 0 : 1;  // then without the last norm
  require_value(v, "use_mask_token", v.flag("use_mask_token", false), "false");
  require_value(v, "use_absolute_position_embeddings", !v.flag("use_absolute_position_embeddings", true), "true");
  read_intern_norm(v, "layer_norm", s);
  merge(s, side);
  s.projected = s.text;
  s.projector_bias = 1;
  s.projector_norm = 1;
  add_tower(t.model, s, towers::internvl);
  add_tower(t.model, s, towers::merged_norm<projector_prefix>);
  add_tower(t.model, s, towers::two_linears<projector_prefix>);
}

/// Whisper's encoder beside Qwen2.
inline void qwen2_audio(tower_reader& t) {
  object_reader& v = t.config;
  require_value(v, "model_type", v.text("model_type", "qwen2_audio_encoder") != "qwen2_audio_encoder",
                "qwen2_audio_encoder");
  tower_shape s;
  s.layers = v.whole("encoder_layers", 32, 1, static_cast<std::int64_t>(transformer::most_layers));
  s.hidden = v.whole("d_model", 1280, 1, most_size);
  s.inner = v.whole("encoder_ffn_dim", 5120, 1, most_size);
  s.positions = v.whole("max_source_positions", 1500, 1, most_size);
  const std::int64_t heads = v.whole("encoder_attention_heads", 20, 1, most_size);
  if (v.ok() && s.hidden % heads != 0)
    v.fail_at("encoder_attention_heads", error_code::bad_value, "does not divide d_model; expected a divisor.");
  v.find("encoder_layerdrop");
  require_value(v, "num_hidden_layers", v.whole("num_hidden_layers", s.layers, 1) != s.layers, "encoder_layers");
  constexpr std::int64_t convolved = 3;  // frames of both convolutions
  s.patch = v.whole("num_mel_bins", 128, 1, most_size) * convolved;
  s.second_patch = s.hidden * convolved;
  s.text = t.model.hidden;
  add_tower(t.model, s, towers::whisper);
  add_tower(t.model, s, towers::qwen2_audio_projector);
}

/// Llama-3.2-Vision. Its cross-attention caches the states of one image, cut into the most tiles.
inline void mllama(tower_reader& t) {
  object_reader& v = t.config;
  tower_shape s =
      read_vit(t, {"num_hidden_layers", "hidden_size", "intermediate_size", "attention_heads", "num_channels"},
               {32, 1280, 5120, 16, 14, 448});
  s.positions += 1;  // the class token
  s.global_layers = v.whole("num_global_layers", 8, 1, static_cast<std::int64_t>(transformer::most_layers));
  const std::int64_t tiles = v.whole("max_num_tiles", 4, 1, most_patch);
  s.aspects = 9;
  if (const json* shapes = v.find("supported_aspect_ratios"); shapes != nullptr) {
    if (shapes->is_array() && shapes->size() < static_cast<std::size_t>(most_patch))
      s.aspects = static_cast<std::int64_t>(shapes->size()) + 1;
    else
      v.fail_at("supported_aspect_ratios", error_code::bad_value,
                "is " + detail::shown(*shapes) + "; expected a list.");
  }
  v.find("intermediate_layers_indices");
  if (!v.ok()) return;
  if (s.positions > most_size) {
    v.fail_at("image_size", error_code::overflow, "makes more than " + std::to_string(most_size) + " patches.");
    return;
  }
  s.tiles = tiles * s.hidden;
  s.positions_of_tiles = tiles * s.positions * s.hidden;
  s.merged = v.whole("vision_output_dim", 7680, 1, most_size);
  t.model.encoder_tokens = tiles * s.positions;
  t.context.assume(v, "max_num_tiles", std::to_string(t.model.encoder_tokens) + " image tokens",
                   "what cross-attention caches of one image cut into the most tiles; a sequence without an image "
                   "caches none of them");
  add_tower(t.model, s, towers::mllama);
}

/// DeepSeek-VL2 (SigLIP) and DeepSeek-OCR (SAM, then CLIP or a small Qwen2) under one model type.
inline void deepseek_vl2(tower_reader& t) {
  object_reader& v = t.config;
  object_reader p(t.top.nested("projector_config"), t.top.path_of("projector_config"), config_words);
  p.find("model_type");
  p.find("token_pooling");
  const std::string kind = p.text("projector_type", "downsample_mlp_gelu");
  v.find("model_name");
  v.find("cls");
  v.find("params");
  tower_shape s;
  s.text = t.model.hidden;
  require_value(p, "n_embed", p.whole("n_embed", s.text, 1) != s.text, "the text part's hidden_size");
  const json* width = v.find("width");
  const bool stacked = width != nullptr && width->is_object();
  const double ratio = v.real("mlp_ratio", 3.7362);
  if (v.ok() && (ratio <= 0 || ratio > 64)) v.fail_at("mlp_ratio", error_code::bad_value, "is out of 0 to 64.");
  if (!stacked) {
    s = read_vit(t, {"layers", "width", "", "heads", "num_channels"}, {27, 1152, 0, 16, 14, 384});
    if (v.ok()) s.inner = static_cast<std::int64_t>(static_cast<double>(s.hidden) * ratio);
    require_value(p, "projector_type", kind != "downsample_mlp_gelu", "downsample_mlp_gelu");
    require_value(p, "depth", p.whole("depth", 2, 1) != 2, "2");
    require_value(p, "mlp_ratio", p.whole("mlp_ratio", 1, 1) != 1, "1");
    require_value(p, "input_dim", p.whole("input_dim", s.hidden, 1) != s.hidden, "the tower's width");
    merge(s, p.whole("downsample_ratio", 2, 1, most_patch));
    add_tower(t.model, s, towers::deepseek_vl2);
  } else {
    require_value(p, "projector_type", kind != "linear", "linear");
    object_reader w(*width, v.path_of("width"), config_words);
    object_reader sam(w.nested("sam_vit_b"), w.path_of("sam_vit_b"), config_words);
    s.second_layers = sam.required_whole("layers", 1, static_cast<std::int64_t>(transformer::most_layers));
    s.second_hidden = sam.required_whole("width", 1, most_size);
    const std::int64_t heads = sam.required_whole("heads", 1, most_size);
    const json* views = sam.find("global_attn_indexes");
    s.global_layers = views != nullptr && views->is_array() ? static_cast<std::int64_t>(views->size()) : 0;
    const json* channels = sam.find("downsample_channels");
    if (sam.ok() && (s.second_hidden % heads != 0 || s.global_layers > s.second_layers || channels == nullptr ||
                     !channels->is_array() || channels->size() != 2))
      sam.fail_at("downsample_channels", error_code::unknown_field, "and heads are not those of a known encoder.");
    // The encoder's code fixes the rest: 1,024 pixels, patches of 16, windows of 14, a neck of 256 channels.
    constexpr std::int64_t across = 64;
    s.second_head_dim = s.second_hidden / heads;
    s.second_qkv = 3 * s.second_hidden;
    s.second_inner = 4 * s.second_hidden;
    s.second_positions = across * across;
    s.second_patch = 3 * 16 * 16;
    s.window_layers = s.second_layers - s.global_layers;
    s.span_global = 2 * across - 1;
    s.span_window = 2 * 14 - 1;
    s.neck = 256;
    s.neck_patch = 9 * s.neck;
    if (sam.ok()) s.wide = sam.whole_of(channels->front(), "downsample_channels", 1, 1, most_size);
    s.wide_patch = 9 * s.wide;
    if (w.has("clip-l-14-224")) {
      object_reader clip(w.nested("clip-l-14-224"), w.path_of("clip-l-14-224"), config_words);
      tower_reader inner{t.top, clip, t.model, t.context};
      const tower_shape c =
          read_vit(inner, {"layers", "width", "", "heads", "num_channels"}, {24, 1024, 0, 16, 14, 224});
      s.layers = c.layers;
      s.hidden = c.hidden;
      s.qkv = c.qkv;
      s.inner = 4 * c.hidden;
      s.patch = c.patch;
      s.positions = c.positions + 1;
      s.merged = 2 * s.hidden;
      s.newline = 1;
      if (!clip.ok()) v.fail(clip.problem());
      add_tower(t.model, s, towers::sam);
      add_tower(t.model, s, towers::deepseek_ocr_clip);
    } else {
      object_reader inner(w.nested("qwen2-0-5b"), w.path_of("qwen2-0-5b"), config_words);
      s.hidden = inner.required_whole("dim", 1, most_size);
      require_value(inner, "dim", s.hidden != 896, "896, the width of Qwen2-0.5B");
      s.layers = 24;
      s.attention = 896;
      s.kv = 128;
      s.inner = 4864;
      s.queries_768 = 144;
      s.queries_1024 = 256;
      s.merged = s.hidden;
      if (!inner.ok()) v.fail(inner.problem());
      add_tower(t.model, s, towers::sam);
      add_tower(t.model, s, towers::deepseek_ocr_qwen2);
    }
    require_value(p, "input_dim", p.whole("input_dim", s.merged, 1) != s.merged, "the towers' width");
    if (!sam.ok()) v.fail(sam.problem());
    add_tower(t.model, s, towers::deepseek_ocr_projector);
  }
  std::vector<std::string> passed;
  refuse_unread(p, "the projector", passed);
  if (!p.ok()) v.fail(p.problem());
}

}  // namespace detail_vision

}  // namespace ullage::inline v0::io::hf
