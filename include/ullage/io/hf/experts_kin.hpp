// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/model/experts_rules.hpp>
#include <ullage/model/experts_towers.hpp>

// Configs of mixture-of-experts models with grouped-query attention. A family is a row of `experts_families`: what its
// class defaults to, and a short reader for what only it has.
namespace ullage::inline v0::io::hf {

struct experts_reading;

/// One model type; defaults as in transformers 4.57 or in the configuration class beside the checkpoint.
struct experts_family {
  std::string_view model_type{};
  const experts_rules* rules = nullptr;
  void (*rest)(experts_reading&) = nullptr;
  std::int64_t kv_heads = 0;      ///< num_key_value_heads; 0 = num_attention_heads, -1 = the file must say it
  std::int64_t head_dim = 0;      ///< 0 = hidden_size / num_attention_heads
  std::int64_t max_position = 0;  ///< -1 = the file must say it
  bool tied = false;
  std::uint32_t has = having::own_cache;  ///< of every layer
};

/// What is being read: the reader's input, the shape, and what all layers share.
struct experts_reading {
  object_reader& r;
  const read_context& c;
  const experts_family& family;
  experts_shape s{};
  experts_layer base{};           ///< attention and switches of a layer without its feed-forward
  std::int64_t intermediate = 0;  ///< intermediate_size; 0 = absent
  std::array<bool, transformer::most_layers> routed{};
  feed_forward experts{};  ///< of a layer with experts

  bool bias(std::string_view key, std::uint32_t switches) {
    const bool on = r.flag(key, false);
    if (on) base.has |= switches;
    return on;
  }
  void pass(std::initializer_list<std::string_view> keys) {
    for (std::string_view k : keys) r.find(k);
  }
  void require(std::string_view key, bool expected) {
    require_value(r, key, r.flag(key, expected) != expected, expected ? "true" : "false");
  }
  void no_window(std::string_view key = "sliding_window") { require_value(r, key, r.has(key), "null"); }

  /// Routed experts; `number` and `per_token` are the family's words for how many there are and how many a token takes.
  void set_experts(std::string_view number, std::int64_t n, std::string_view per_token, std::int64_t top,
                   std::int64_t inner) {
    experts.kind = feed_forward_kind::experts;
    experts.experts = n;
    experts.experts_per_token = top;
    experts.expert_inner = inner;
    if (r.ok() && n < 1) r.missing(number, "a whole number");
    if (r.ok() && top > n)
      r.fail_at(per_token, error_code::bad_value,
                "is " + std::to_string(top) + "; expected at most the " + std::to_string(n) + " experts.");
  }
  void read_experts(std::string_view number, std::string_view per_token, std::int64_t inner) {
    const std::int64_t n = r.required_whole(number, 1, most_elements);
    set_experts(number, n, per_token, r.required_whole(per_token, 1, most_elements), inner);
  }
  void route_from(std::int64_t first, std::int64_t step = 1) {
    for (std::int64_t i = 0; i < s.num_hidden_layers; ++i)
      routed[static_cast<std::size_t>(i)] = i >= first && i % step == 0;
  }
  void share(std::int64_t inner) {
    experts.shared_inner = inner;
    if (inner > 0) base.has |= having::shared;
  }
  std::int64_t required_intermediate() {
    if (intermediate == 0) r.missing("intermediate_size", "a whole number");
    return intermediate;
  }
  experts_layer layer(bool with_experts, const attention& a) {
    experts_layer l = base;
    l.attention = a;
    l.has |= with_experts ? having::routed : having::dense;
    if (with_experts) {
      l.feed_forward = experts;
    } else {
      l.feed_forward.kind = feed_forward_kind::dense;
      l.feed_forward.inner = required_intermediate();
    }
    return l;
  }
  /// All layers, each with the attention that `of` gives it.
  template <class F>
  void add_layers(F of) {
    for (std::int64_t i = 0; i < s.num_hidden_layers && r.ok(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      experts_layer l = layer(routed[at], base.attention);
      of(i, l);
      s.layers[at] = s.kind_of(l);
    }
  }
  void add_layers() {
    add_layers([](std::int64_t, experts_layer&) {});
  }
};

namespace detail_experts {

/// `key` as one whole number: a list must repeat it.
inline std::int64_t whole_or_list(object_reader& r, std::string_view key, std::int64_t fallback, std::int64_t least,
                                  std::int64_t layers) {
  const json* v = r.find(key);
  if (v == nullptr) return fallback;
  if (!v->is_array()) return r.whole_of(*v, key, fallback, least, most_elements);
  if (v->empty() || static_cast<std::int64_t>(v->size()) < layers) {
    r.fail_at(key, error_code::bad_value, "is a list shorter than the layers; expected a number a layer.");
    return fallback;
  }
  for (const json& item : *v)
    if (item != v->front()) {
      r.fail_at(key, error_code::unknown_field, "differs from layer to layer, which is not modelled yet.");
      return fallback;
    }
  return r.whole_of(v->front(), key, fallback, least, most_elements);
}

/// For each layer whether the list of `key` says `first` (false) or `second` (true); false without a list.
inline bool two_words(object_reader& r, std::string_view key, std::string_view first, std::string_view second,
                      std::int64_t layers, std::array<bool, transformer::most_layers>& is_second) {
  const json* v = r.find(key);
  if (v == nullptr) return false;
  if (!v->is_array() || static_cast<std::int64_t>(v->size()) < layers) {
    r.fail_at(key, error_code::bad_value, "is " + detail::shown(*v) + "; expected a list with a word for every layer.");
    return true;
  }
  for (std::int64_t i = 0; i < layers; ++i) {
    const json& word = (*v)[static_cast<std::size_t>(i)];
    const bool other = word == json(std::string(second));
    if (!other && word != json(std::string(first)))
      r.fail_at(key, error_code::unknown_field,
                "has " + detail::shown(word) + "; expected " + std::string(first) + " or " + std::string(second) + ".");
    is_second[static_cast<std::size_t>(i)] = other;
  }
  return true;
}

/// The same of a list of 0 and 1, or of false and true.
inline bool switches(object_reader& r, std::string_view key, std::int64_t layers,
                     std::array<bool, transformer::most_layers>& on) {
  const json* v = r.find(key);
  if (v == nullptr || (v->is_array() && v->empty())) return false;
  if (!v->is_array() || static_cast<std::int64_t>(v->size()) < layers) {
    r.fail_at(key, error_code::bad_value, "is " + detail::shown(*v) + "; expected a list with 0 or 1 for every layer.");
    return true;
  }
  for (std::int64_t i = 0; i < layers; ++i) {
    const json& item = (*v)[static_cast<std::size_t>(i)];
    if (item != json(0) && item != json(1) && !item.is_boolean())
      r.fail_at(key, error_code::bad_value, "has " + detail::shown(item) + "; expected 0 or 1.");
    on[static_cast<std::size_t>(i)] = item == json(1) || item == json(true);
  }
  return true;
}

inline attention windowed(attention a, std::int64_t window, attention_kind kind = attention_kind::sliding) {
  a.kind = kind;
  a.window = window;
  return a;
}

/// A window over all layers where the field is given; null is none.
inline void window_of_all(experts_reading& e) {
  const std::int64_t window = e.r.whole("sliding_window", 0, 1, most_elements);
  if (window > 0) e.base.attention = windowed(e.base.attention, window);
}

/// Windows that only a switch, which is off, would turn on.
inline void windows_off(experts_reading& e) {
  e.require("use_sliding_window", false);
  e.pass({"sliding_window", "max_window_layers"});
  std::array<bool, transformer::most_layers> sliding{};
  two_words(e.r, "layer_types", "full_attention", "full_attention", e.s.num_hidden_layers, sliding);
}

/// A prediction module that is a copy of the last kind of layer with experts.
inline void add_mtp(experts_reading& e, std::int64_t modules, const experts_layer& kind, std::uint32_t has) {
  if (modules == 0 || !e.r.ok()) return;
  e.s.mtp_layers = modules;
  e.s.mtp_kind = e.s.kind_of(kind);
  e.s.ends_have |= has;
}

inline void qwen2_moe(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t inner = r.required_whole("moe_intermediate_size", 1, most_elements);
  e.read_experts("num_experts", "num_experts_per_tok", inner);
  const std::int64_t step = r.whole("decoder_sparse_step", 1, 1, most_elements);
  for (std::int64_t i = 0; i < e.s.num_hidden_layers; ++i) e.routed[static_cast<std::size_t>(i)] = (i + 1) % step == 0;
  if (const json* list = r.find("mlp_only_layers"); list != nullptr) {
    if (!list->is_array())
      r.fail_at("mlp_only_layers", error_code::bad_value,
                "is " + detail::shown(*list) + "; expected a list of layers.");
    else
      for (const json& i : *list)
        e.routed[static_cast<std::size_t>(r.whole_of(i, "mlp_only_layers", 0, 0, e.s.num_hidden_layers - 1))] = false;
  }
  e.share(r.required_whole("shared_expert_intermediate_size", 1, most_elements));
  e.require("qkv_bias", true);
  windows_off(e);
  e.add_layers();
}

inline void phimoe(experts_reading& e) {
  e.read_experts("num_local_experts", "num_experts_per_tok", e.required_intermediate());
  e.bias("attention_bias", having::qkv_bias | having::output_bias);
  if (e.r.flag("lm_head_bias", false)) e.s.ends_have |= having::head_bias;
  e.s.ends_have |= having::norm_bias;
  e.base.has |= having::norm_bias;
  window_of_all(e);
  e.pass({"input_jitter_noise"});
  e.route_from(0);
  e.add_layers();
}

inline void olmoe(experts_reading& e) {
  e.read_experts("num_experts", "num_experts_per_tok", e.required_intermediate());
  e.bias("attention_bias", having::qkv_bias | having::output_bias);
  e.pass({"clip_qkv"});
  e.route_from(0);
  e.add_layers();
}

inline void granitemoe(experts_reading& e) {
  e.read_experts("num_local_experts", "num_experts_per_tok", e.required_intermediate());
  e.bias("attention_bias", having::qkv_bias | having::output_bias);
  e.pass({"attention_multiplier", "embedding_multiplier", "logits_scaling", "residual_multiplier"});
  require_value(e.r, "position_embedding_type", e.r.text("position_embedding_type", "rope") != "rope", "rope");
  e.route_from(0);
  e.add_layers();
}

inline void arctic(experts_reading& e) {
  object_reader& r = e.r;
  e.read_experts("num_local_experts", "num_experts_per_tok", e.required_intermediate());
  const std::int64_t step = r.whole("moe_layer_frequency", 2, 1, most_elements);
  for (std::int64_t i = 0; i < e.s.num_hidden_layers; ++i) e.routed[static_cast<std::size_t>(i)] = (i + 1) % step == 0;
  const bool beside = r.flag("use_residual", true);
  e.pass({"parallel_attn_mlp_res"});  // where the block stands, not whether it is there
  window_of_all(e);
  require_value(r, "quantization", r.has("quantization"), "null");
  e.pass({"enable_expert_tensor_parallelism", "enc_index", "moe_eval_capacity_factor", "moe_train_capacity_factor",
          "moe_min_capacity", "moe_token_dropping", "max_sequence_length"});
  e.add_layers([&](std::int64_t, experts_layer& l) {
    if (beside && (l.has & having::routed) != 0) l.has |= having::residual_mlp;
  });
}

inline void grok(experts_reading& e) {
  const bool local = e.r.has("num_local_experts");
  e.read_experts(local ? "num_local_experts" : "num_experts", "num_experts_per_tok", e.required_intermediate());
  e.pass({"attn_output_multiplier", "embedding_multiplier_scale", "output_multiplier_scale", "max_attn_value"});
  window_of_all(e);
  e.route_from(0);
  e.add_layers();
}

inline void hunyuan(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t layers = e.s.num_hidden_layers;
  e.set_experts("num_experts", whole_or_list(r, "num_experts", 0, 1, layers), "moe_topk",
                whole_or_list(r, "moe_topk", 1, 1, layers),
                whole_or_list(r, "moe_intermediate_size", e.required_intermediate(), 1, layers));
  const std::int64_t shared = whole_or_list(r, "num_shared_expert", 1, 0, layers);
  e.share(r.flag("use_mixed_mlp_moe", true) ? shared * e.required_intermediate() : 0);
  e.route_from(r.whole("moe_layer_num_skipped", 0, 0, most_elements));
  e.bias("attention_bias", having::qkv_bias | having::output_bias);
  require_value(r, "mlp_bias", r.flag("mlp_bias", false), "false");
  if (r.flag("use_qk_norm", false)) e.base.has |= having::qk_norm;
  require_value(r, "use_mla", r.flag("use_mla", false), "false");
  e.require("add_classification_head", false);
  const bool shares = r.flag("use_cla", false);
  const std::int64_t factor = r.whole("cla_share_factor", 1, 1, most_elements);
  e.pass({"anyres_pooling_size",
          "anyres_vit_max_image_size",
          "anyres_vit_two_views",
          "capacity_factor",
          "class_num",
          "dense_list",
          "eod_token_id",
          "group_limited_greedy",
          "im_end_id",
          "im_newline_id",
          "im_start_id",
          "mask_init_id",
          "moe_drop_tokens",
          "moe_random_routing_dropped_token",
          "norm_type",
          "num_media_embeds",
          "org_vocab_size",
          "pad_id",
          "pool_type",
          "position_embedding_xdrope",
          "skip_cls_token",
          "text_end_id",
          "text_start_id",
          "use_rotary_pos_emb",
          "video_end_id",
          "video_start_id",
          "vit_add_patchemb_bias",
          "vit_input_resolution",
          "vit_mapping_type",
          "vit_norm_type",
          "vit_patch",
          "vit_remove_prenorm",
          "vit_token",
          "vit_used_rms_norm",
          "xdrope_section",
          "routed_scaling_factor",
          "quantization"});
  // These say that there is a tower.
  for (std::string_view key : {"vit_path", "vit_type"}) require_value(r, key, r.has(key), "null");
  e.add_layers([&](std::int64_t i, experts_layer& l) {
    if (!shares || i % factor == 0) return;
    l.attention.shares_cache = true;
    l.has &= ~having::own_cache;
  });
}

inline void bailing_moe(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t inner = r.required_whole("moe_intermediate_size", 1, most_elements);
  e.read_experts("num_experts", "num_experts_per_tok", inner);
  const std::int64_t shared = r.whole("num_shared_experts", 0, 0, most_elements);
  e.share(shared * r.whole("moe_shared_expert_intermediate_size", inner, 1, most_elements));
  const std::int64_t dense = r.whole("first_k_dense_replace", 0, 0, most_elements);
  e.route_from(dense);
  e.bias("use_qkv_bias", having::qkv_bias);
  e.bias("use_bias", having::output_bias);
  if (r.flag("use_qk_norm", false)) e.base.has |= having::qk_norm;
  if (r.flag("moe_router_enable_expert_bias", false)) e.base.has |= having::router_bias;
  e.require("use_rmsnorm", true);
  e.pass({"norm_head", "norm_softmax", "router_dtype", "score_function", "embedding_dropout", "output_dropout",
          "rotary_dim", "mtp_loss_scaling_factor"});
  e.no_window();
  e.add_layers();
  if (r.ok())
    add_mtp(e, r.whole("num_nextn_predict_layers", 0, 0, 16), e.layer(true, e.base.attention), having::mtp_final_norm);
}

inline void dots1(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t inner = r.required_whole("moe_intermediate_size", 1, most_elements);
  e.read_experts("n_routed_experts", "num_experts_per_tok", inner);
  e.share(r.whole("n_shared_experts", 0, 0, most_elements) * inner);
  e.route_from(r.whole("first_k_dense_replace", 0, 0, most_elements), r.whole("moe_layer_freq", 1, 1, most_elements));
  e.bias("attention_bias", having::qkv_bias | having::output_bias);
  e.base.has |= having::router_bias;
  windows_off(e);
  e.pass({"routed_scaling_factor"});
  e.add_layers();
}

inline void ernie4_5_moe(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t inner = r.required_whole("moe_intermediate_size", 1, most_elements);
  e.read_experts("moe_num_experts", "moe_k", inner);
  e.share(r.whole("moe_num_shared_experts", 0, 0, most_elements) * inner);
  // Biases of the attention, of the dense blocks and of the experts at once.
  require_value(r, "use_bias", r.flag("use_bias", false), "false");
  const std::int64_t first = r.whole("moe_layer_start_index", 1, 0, most_elements);
  const std::int64_t end = r.whole("moe_layer_end_index", -1, -1, most_elements);
  const std::int64_t step = r.whole("moe_layer_interval", 1, 1, most_elements);
  for (std::int64_t i = 0; i < e.s.num_hidden_layers; ++i)
    e.routed[static_cast<std::size_t>(i)] = (i + 1) % step == 0 && i >= first && (end < 0 || i <= end);
  if (r.flag("moe_use_aux_free", true)) e.base.has |= having::router_bias;
  e.require("use_rmsnorm", true);
  e.pass({"moe_capacity", "moe_gate", "moe_norm_min", "compression_ratio", "fuse_rope"});
  e.add_layers();
  // Its prediction module is dense, and shares embedding, norm and head.
  if (r.ok())
    add_mtp(e, r.whole("num_nextn_predict_layers", 0, 0, 16), e.layer(false, e.base.attention), having::always);
}

inline void glm4_moe(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t inner = r.required_whole("moe_intermediate_size", 1, most_elements);
  e.read_experts("n_routed_experts", "num_experts_per_tok", inner);
  e.share(r.whole("n_shared_experts", 1, 0, most_elements) * inner);
  e.route_from(r.whole("first_k_dense_replace", 1, 0, most_elements));
  e.bias("attention_bias", having::qkv_bias);
  if (r.flag("use_qk_norm", false)) e.base.has |= having::qk_norm;
  e.base.has |= having::router_bias;
  e.add_layers();
  // As GLM-4.5 and 4.7 store it; the file of GLM-4.6 does not repeat embedding and head, and its config is the same.
  if (r.ok())
    add_mtp(e, r.whole("num_nextn_predict_layers", 0, 0, 16), e.layer(true, e.base.attention),
            having::mtp_embedding | having::mtp_head | having::mtp_final_norm);
}

inline void minimax_m2(experts_reading& e) {
  object_reader& r = e.r;
  e.read_experts("num_local_experts", "num_experts_per_tok", e.required_intermediate());
  require_value(r, "shared_intermediate_size", r.whole("shared_intermediate_size", 0, 0) != 0, "0");
  if (r.flag("use_routing_bias", true)) e.base.has |= having::router_bias;
  if (r.flag("use_qk_norm", true)) e.base.has |= having::qk_norm;
  const std::string norm = r.text("qk_norm_type", "per_layer");
  require_value(r, "qk_norm_type", norm != "per_layer", "per_layer");
  std::array<bool, transformer::most_layers> softmax{};
  if (switches(r, "attn_type_list", e.s.num_hidden_layers, softmax))
    for (std::int64_t i = 0; i < e.s.num_hidden_layers; ++i)
      require_value(r, "attn_type_list", !softmax[static_cast<std::size_t>(i)], "1 for every layer");
  // The modules of these switches are in no released file.
  e.pass({"use_mtp", "num_mtp_modules", "mtp_transformer_layers", "rotary_dim", "layernorm_full_attention_beta",
          "layernorm_linear_attention_beta", "layernorm_mlp_beta"});
  e.no_window();
  e.route_from(0);
  e.add_layers();
}

inline void gpt_oss(experts_reading& e) {
  object_reader& r = e.r;
  e.read_experts("num_local_experts", "num_experts_per_tok", e.required_intermediate());
  if (r.flag("attention_bias", true)) e.base.has |= having::qkv_bias | having::output_bias;
  e.base.has |= having::sinks;
  const std::int64_t window = r.whole("sliding_window", 128, 1, most_elements);
  std::array<bool, transformer::most_layers> sliding{};
  for (std::size_t i = 0; i < sliding.size(); i += 2) sliding[i] = true;
  two_words(r, "layer_types", "full_attention", "sliding_attention", e.s.num_hidden_layers, sliding);
  e.pass({"experts_per_token", "initial_context_length", "swiglu_limit"});
  e.route_from(0);
  e.add_layers([&](std::int64_t i, experts_layer& l) {
    if (sliding[static_cast<std::size_t>(i)]) l.attention = windowed(l.attention, window);
  });
}

inline void llama4_text(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t layers = e.s.num_hidden_layers;
  const std::int64_t inner = e.required_intermediate();
  e.read_experts("num_local_experts", "num_experts_per_tok", inner);
  e.share(inner);
  e.intermediate = r.required_whole("intermediate_size_mlp", 1, most_elements);
  e.bias("attention_bias", having::qkv_bias | having::output_bias);
  e.pass({"use_qk_norm", "attn_temperature_tuning", "attn_scale", "floor_scale", "for_llm_compressor"});
  const std::int64_t step = r.whole("interleave_moe_layer_step", 1, 1, most_elements);
  for (std::int64_t i = step - 1; i < layers; i += step) e.routed[static_cast<std::size_t>(i)] = true;
  if (const json* list = r.find("moe_layers"); list != nullptr && list->is_array()) {
    e.routed = {};
    for (const json& i : *list)
      e.routed[static_cast<std::size_t>(r.whole_of(i, "moe_layers", 0, 0, layers - 1))] = true;
  }
  // Layers with positions look at their chunk only; every fourth has none and sees everything.
  std::array<bool, transformer::most_layers> chunked{};
  const std::int64_t interval = r.whole("no_rope_layer_interval", 4, 1, most_elements);
  for (std::int64_t i = 0; i < layers; ++i) chunked[static_cast<std::size_t>(i)] = (i + 1) % interval != 0;
  switches(r, "no_rope_layers", layers, chunked);
  two_words(r, "layer_types", "full_attention", "chunked_attention", layers, chunked);
  const json* said = r.find("attention_chunk_size");
  const std::int64_t chunk = r.object().contains("attention_chunk_size") && said == nullptr
                                 ? 0
                                 : r.whole("attention_chunk_size", 8192, 1, most_elements);
  e.add_layers([&](std::int64_t i, experts_layer& l) {
    if (chunk > 0 && chunked[static_cast<std::size_t>(i)])
      l.attention = windowed(l.attention, chunk, attention_kind::chunked);
  });
}

/// Step-3.5: more query heads in layers with a window, a gate a head. The published words, or the plain ones of copies.
inline void step3p5(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t layers = e.s.num_hidden_layers;
  const std::int64_t inner = r.required_whole("moe_intermediate_size", 1, most_elements);
  const bool published = r.has("moe_num_experts");
  e.read_experts(published ? "moe_num_experts" : "num_experts", published ? "moe_top_k" : "num_experts_per_tok", inner);
  e.share(r.required_whole("share_expert_dim", 1, most_elements));
  require_value(r, "n_shared_experts", r.whole("n_shared_experts", 1, 0) != 1, "1");
  e.route_from(r.whole("first_k_dense_replace", 0, 0, most_elements));
  if (const json* list = r.find("moe_layers_enum"); list != nullptr) {  // "3,4,5"
    e.routed = {};
    std::string text = r.text("moe_layers_enum");
    for (std::size_t at = 0; at < text.size() && r.ok();) {
      const std::size_t end = (std::min)(text.find(',', at), text.size());
      const std::string word = text.substr(at, end - at);
      std::int64_t n = -1;
      for (char d : word) n = d >= '0' && d <= '9' && n < layers ? (n < 0 ? 0 : n * 10) + (d - '0') : layers;
      if (n < 0 || n >= layers)
        r.fail_at("moe_layers_enum", error_code::bad_value,
                  "names layer " + detail::in_quotes(word) + "; expected numbers of layers, parted by commas.");
      else
        e.routed[static_cast<std::size_t>(n)] = true;
      at = end + 1;
    }
  }
  if (r.flag("use_moe_router_bias", false)) e.base.has |= having::router_bias;
  e.bias("attention_bias", having::qkv_bias | having::output_bias);
  e.base.has |= having::qk_norm;
  if (r.flag("use_head_wise_attn_gate", false)) e.base.has |= having::head_gate;
  std::array<bool, transformer::most_layers> sliding{};
  two_words(r, "layer_types", "full_attention", "sliding_attention", layers, sliding);
  const std::int64_t window = r.required_whole("sliding_window", 1, most_elements);
  attention local = windowed(e.base.attention, window);
  if (r.has("attention_other_setting")) {
    object_reader o(r.nested("attention_other_setting"), r.path_of("attention_other_setting"),
                    {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
    local.heads = o.required_whole("num_attention_heads", 1, most_elements);
    local.kv_heads = o.whole("num_attention_groups", local.kv_heads, 1, most_elements);
    local.key_dim = local.value_dim = o.whole("head_dim", local.key_dim, 1, most_elements);
    const std::string type = o.text("attention_type", "sliding_attention");
    require_value(o, "attention_type", type != "sliding_attention", "sliding_attention");
    for (std::string_view key : {"true_head_dim"}) o.find(key);
    std::vector<std::string> passed;
    refuse_unread(o, e.family.model_type, passed);
    if (o.ok() && local.heads % local.kv_heads != 0)
      o.fail_at("num_attention_groups", error_code::bad_value,
                "is " + std::to_string(local.kv_heads) + "; expected a divisor of num_attention_heads " +
                    std::to_string(local.heads) + ".");
    if (!o.ok()) r.fail(o.problem());
  } else {
    e.c.assume(r, "attention_other_setting", "none",
               "absent; layers with a window then have the query heads of the others, while the released Step-3.5 "
               "gives them 96, and a gate a head");
  }
  e.pass({"att_impl_type", "max_seq_len", "moe_every_n_layer", "moe_router_activation", "moe_router_scaling_factor",
          "need_fp32_gate", "norm_expert_weight", "partial_rotary_factors", "swiglu_limits", "swiglu_limits_shared",
          "use_moe", "use_qk_norm", "use_rope_layers", "yarn_only_types", "zero_centered"});
  e.add_layers([&](std::int64_t i, experts_layer& l) {
    if (sliding[static_cast<std::size_t>(i)]) l.attention = local;
  });
  // Dense layers with a window, each with a head of its own.
  if (r.ok())
    add_mtp(e, r.whole("num_nextn_predict_layers", 0, 0, 16), e.layer(false, local),
            having::mtp_head | having::mtp_final_norm);
}

inline void mimo_v2_flash(experts_reading& e) {
  object_reader& r = e.r;
  const std::int64_t layers = e.s.num_hidden_layers;
  const std::int64_t inner = r.required_whole("moe_intermediate_size", 1, most_elements);
  e.read_experts("n_routed_experts", "num_experts_per_tok", inner);
  e.share(r.whole("n_shared_experts", 0, 0, most_elements) * inner);
  if (!switches(r, "moe_layer_freq", layers, e.routed))
    r.missing("moe_layer_freq", "a list with 0 or 1 for every layer");
  const std::string method = r.text("topk_method", "noaux_tc");
  if (method == "noaux_tc") e.base.has |= having::router_bias;
  e.bias("attention_bias", having::qkv_bias);
  attention& full = e.base.attention;
  full.value_dim = r.whole("v_head_dim", full.key_dim, 1, most_elements);
  attention local = full;
  local.heads = r.whole("swa_num_attention_heads", full.heads, 1, most_elements);
  local.kv_heads = r.whole("swa_num_key_value_heads", full.kv_heads, 1, most_elements);
  local.key_dim = r.whole("swa_head_dim", full.key_dim, 1, most_elements);
  local.value_dim = r.whole("swa_v_head_dim", full.value_dim, 1, most_elements);
  if (r.ok() && local.heads % local.kv_heads != 0)
    r.fail_at("swa_num_key_value_heads", error_code::bad_value,
              "is " + std::to_string(local.kv_heads) + "; expected a divisor of swa_num_attention_heads.");
  const std::int64_t window = r.required_whole("sliding_window", 1, most_elements);
  require_value(r, "sliding_window_size", r.whole("sliding_window_size", window, 1) != window, "sliding_window");
  local = windowed(local, window);
  std::array<bool, transformer::most_layers> sliding{};
  if (!switches(r, "hybrid_layer_pattern", layers, sliding))
    r.missing("hybrid_layer_pattern", "a list with 0 or 1 for every layer");
  const bool sinks = r.flag("add_swa_attention_sink_bias", false);
  const bool full_sinks = r.flag("add_full_attention_sink_bias", false);
  e.pass({"attention_chunk_size", "attention_value_scale", "layernorm_epsilon", "swa_rope_theta",
          "routed_scaling_factor"});
  e.add_layers([&](std::int64_t i, experts_layer& l) {
    const bool window_only = sliding[static_cast<std::size_t>(i)];
    if (window_only) l.attention = local;
    if (window_only ? sinks : full_sinks) l.has |= having::sinks;
  });
  if (!r.ok()) return;
  // Dense layers with a window. No field counts them.
  experts_layer module = e.layer(false, local);
  if (sinks) module.has |= having::sinks;
  if (!r.has("num_nextn_predict_layers"))
    e.c.assume(r, "num_nextn_predict_layers", "3", "absent; the released MiMo-V2-Flash holds three prediction modules");
  add_mtp(e, r.whole("num_nextn_predict_layers", 3, 0, 16), module, having::mtp_final_norm);
}

/// What most configs of the kin share.
inline void read_common(experts_reading& e) {
  object_reader& r = e.r;
  const experts_family& f = e.family;
  experts_shape& s = e.s;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  attention& a = e.base.attention;
  a.kind = attention_kind::full;
  a.heads = r.required_whole("num_attention_heads", 1, most_elements);
  const std::string_view groups = r.has("num_attention_groups") ? "num_attention_groups" : "num_key_value_heads";
  a.kv_heads = f.kv_heads < 0 ? r.required_whole(groups, 1, most_elements)
                              : r.whole(groups, f.kv_heads > 0 ? f.kv_heads : a.heads, 1, most_elements);
  if (f.model_type == "hunyuan" && r.has("attention_head_dim"))
    a.key_dim = r.whole("attention_head_dim", 0, 1, most_elements);
  else
    a.key_dim = f.head_dim < 0 ? r.required_whole("head_dim", 1, most_elements)
                               : r.whole("head_dim", f.head_dim, 1, most_elements);
  if (r.ok() && a.key_dim == 0) {
    if (s.hidden_size % a.heads != 0)
      r.fail_at("num_attention_heads", error_code::bad_value,
                "is " + std::to_string(a.heads) + ", which does not divide hidden_size " +
                    std::to_string(s.hidden_size) + "; expected a divisor, or head_dim.");
    a.key_dim = s.hidden_size / a.heads;
  }
  a.value_dim = a.key_dim;
  if (r.ok() && a.heads % a.kv_heads != 0)
    r.fail_at(groups, error_code::bad_value,
              "is " + std::to_string(a.kv_heads) + "; expected a divisor of num_attention_heads " +
                  std::to_string(a.heads) + ".");
  e.intermediate = r.whole("intermediate_size", 0, 1, most_elements);
  s.max_position_embeddings = f.max_position < 0 ? r.required_whole("max_position_embeddings", 1, most_elements)
                                                 : r.whole("max_position_embeddings", f.max_position, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", f.tied);
}

}  // namespace detail_experts

// clang-format off
inline constexpr std::array<experts_family, 20> experts_families{{
    {.model_type = "qwen2_moe", .rules = &qwen2_moe_rules, .rest = detail_experts::qwen2_moe, .kv_heads = 16,
     .max_position = 32768, .has = having::own_cache | having::qkv_bias},
    {.model_type = "phimoe", .rules = &phimoe_rules, .rest = detail_experts::phimoe, .kv_heads = 8,
     .max_position = 131072},
    {.model_type = "olmoe", .rules = &olmoe_rules, .rest = detail_experts::olmoe, .max_position = 4096,
     .has = having::own_cache | having::qk_norm},
    {.model_type = "granitemoe", .rules = &granitemoe_rules, .rest = detail_experts::granitemoe,
     .max_position = 2048},
    {.model_type = "arctic", .rules = &arctic_rules, .rest = detail_experts::arctic, .max_position = 4096},
    // Both ports leave the tie to the general class, which ties; the JAX original has one matrix.
    {.model_type = "grok-1", .rules = &grok_rules, .rest = detail_experts::grok, .kv_heads = -1, .max_position = -1,
     .tied = true},
    {.model_type = "grok", .rules = &grok_rules, .rest = detail_experts::grok, .kv_heads = -1, .max_position = -1,
     .tied = true},
    {.model_type = "hunyuan", .rules = &hunyuan_rules, .rest = detail_experts::hunyuan, .max_position = 2048},
    {.model_type = "hunyuan_v1_moe", .rules = &hunyuan_rules, .rest = detail_experts::hunyuan, .max_position = 2048},
    {.model_type = "bailing_moe", .rules = &bailing_rules, .rest = detail_experts::bailing_moe, .kv_heads = -1,
     .max_position = -1},
    {.model_type = "bailing_moe_v2", .rules = &bailing_rules, .rest = detail_experts::bailing_moe, .kv_heads = -1,
     .max_position = -1},
    {.model_type = "dots1", .rules = &glm4_moe_rules, .rest = detail_experts::dots1, .kv_heads = -1,
     .max_position = 2048, .has = having::own_cache | having::qk_norm},
    {.model_type = "ernie4_5_moe", .rules = &ernie_rules, .rest = detail_experts::ernie4_5_moe, .kv_heads = -1,
     .max_position = 131072, .tied = true},
    {.model_type = "glm4_moe", .rules = &glm4_moe_rules, .rest = detail_experts::glm4_moe, .kv_heads = 8,
     .max_position = 131072},
    {.model_type = "minimax_m2", .rules = &minimax_m2_rules, .rest = detail_experts::minimax_m2, .kv_heads = -1,
     .max_position = -1},
    {.model_type = "gpt_oss", .rules = &gpt_oss_rules, .rest = detail_experts::gpt_oss, .kv_heads = 8,
     .head_dim = 64, .max_position = 131072},
    {.model_type = "llama4_text", .rules = &llama4_rules, .rest = detail_experts::llama4_text, .kv_heads = 8,
     .head_dim = 128, .max_position = 131072},
    {.model_type = "step3p5", .rules = &step3p5_rules, .rest = detail_experts::step3p5, .kv_heads = -1,
     .max_position = -1},
    {.model_type = "step3p7", .rules = &step3p5_rules, .rest = detail_experts::step3p5, .kv_heads = -1,
     .max_position = -1},
    {.model_type = "mimo_v2_flash", .rules = &mimo_v2_rules, .rest = detail_experts::mimo_v2_flash, .kv_heads = -1,
     .head_dim = -1, .max_position = -1},
}};
// clang-format on

namespace detail_experts {

inline transformer read_family(object_reader& r, const read_context& c, const experts_family& f,
                               const experts_rules& rules) {
  experts_reading e{r, c, f};
  e.s.name = c.name;
  e.s.model_type = f.model_type;
  e.s.rules = &rules;
  e.base.has = f.has;
  read_common(e);
  if (r.ok()) f.rest(e);
  if (!r.ok()) return {};
  return make_experts(e.s);
}

}  // namespace detail_experts

inline transformer read_experts_family(object_reader& r, const read_context& c) {
  for (const experts_family& f : experts_families)
    if (f.model_type == c.model_type) return detail_experts::read_family(r, c, f, *f.rules);
  return {};
}

/// DBRX, whose config has words of its own.
inline transformer read_dbrx(object_reader& r, const read_context& c) {
  static constexpr experts_family dbrx{.model_type = "dbrx", .rules = &dbrx_rules};
  constexpr error_words words{error_code::unknown_field, error_code::incomplete_config, error_code::overflow};
  experts_reading e{r, c, dbrx};
  experts_shape& s = e.s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.rules = &dbrx_rules;
  s.hidden_size = r.whole("d_model", 2048, 1, most_elements);
  s.num_hidden_layers = r.whole("n_layers", 24, 1);
  if (s.num_hidden_layers > static_cast<std::int64_t>(transformer::most_layers))
    r.fail_at("n_layers", error_code::too_many_layers,
              "is " + std::to_string(s.num_hidden_layers) + "; expected at most " +
                  std::to_string(transformer::most_layers) + ".");
  s.vocab_size = r.whole("vocab_size", 32000, 1, most_elements);
  s.max_position_embeddings = r.whole("max_seq_len", 2048, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", false);
  attention& a = e.base.attention;
  a.kind = attention_kind::full;
  a.heads = r.whole("n_heads", 16, 1, most_elements);
  object_reader at(r.nested("attn_config"), r.path_of("attn_config"), words);
  a.kv_heads = at.whole("kv_n_heads", 1, 1, most_elements);
  require_value(r, "num_key_value_heads", r.whole("num_key_value_heads", a.kv_heads, 1) != a.kv_heads,
                "kv_n_heads of attn_config");
  for (std::string_view key : {"clip_qkv", "model_type", "tie_word_embeddings"}) at.find(key);
  object_reader ff(r.nested("ffn_config"), r.path_of("ffn_config"), words);
  feed_forward& f = e.experts;
  f.kind = feed_forward_kind::experts;
  f.expert_inner = ff.whole("ffn_hidden_size", 3584, 1, most_elements);
  f.experts = ff.whole("moe_num_experts", 4, 1, most_elements);
  f.experts_per_token = ff.whole("moe_top_k", 1, 1, f.experts);
  require_value(ff, "hidden_size", ff.whole("hidden_size", s.hidden_size, 1) != s.hidden_size, "d_model");
  for (std::string_view key : {"ffn_act_fn", "model_type", "moe_jitter_eps", "moe_loss_weight",
                               "moe_normalize_expert_weights", "tie_word_embeddings", "uniform_expert_assignment"})
    ff.find(key);
  std::vector<std::string> passed;
  refuse_unread(at, c.model_type, passed);
  refuse_unread(ff, c.model_type, passed);
  e.pass({"move_model_to_device"});  // of a training script
  if (!at.ok()) r.fail(at.problem());
  if (!ff.ok()) r.fail(ff.problem());
  if (r.ok() && s.hidden_size % a.heads != 0)
    r.fail_at("n_heads", error_code::bad_value,
              "is " + std::to_string(a.heads) + ", which does not divide d_model " + std::to_string(s.hidden_size) +
                  "; expected a divisor.");
  if (r.ok() && a.heads % a.kv_heads != 0)
    r.fail_at("attn_config", error_code::bad_value,
              "has kv_n_heads " + std::to_string(a.kv_heads) + "; expected a divisor of n_heads " +
                  std::to_string(a.heads) + ".");
  if (!r.ok()) return {};
  a.key_dim = a.value_dim = s.hidden_size / a.heads;
  e.route_from(0);
  e.add_layers();
  return make_experts(s);
}

namespace detail_experts {

/// The tower of Llama-4; class defaults as in transformers 4.57.
inline llama4_tower_shape read_llama4_tower(object_reader& r, std::int64_t text_hidden) {
  object_reader v(r.nested("vision_config"), r.path_of("vision_config"),
                  {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
  llama4_tower_shape s;
  s.hidden_size = v.required_whole("hidden_size", 1, most_elements);
  s.intermediate_size = v.required_whole("intermediate_size", 1, most_elements);
  s.num_hidden_layers = v.required_whole("num_hidden_layers", 1, 512);
  s.projector_input_dim = v.required_whole("projector_input_dim", 1, most_elements);
  s.projector_output_dim = v.required_whole("projector_output_dim", 1, most_elements);
  s.vision_output_dim = v.required_whole("vision_output_dim", 1, most_elements);
  s.text_hidden_size = text_hidden;
  const std::int64_t image = v.required_whole("image_size", 1, 1 << 15);
  const std::int64_t patch = v.required_whole("patch_size", 1, 1 << 15);
  s.patch_inputs = v.whole("num_channels", 3, 1, 64) * patch * patch;
  const std::int64_t side = image / patch;
  s.positions = side * side + 1;
  require_value(v, "multi_modal_projector_bias", v.flag("multi_modal_projector_bias", false), "false");
  for (std::string_view key :
       {"model_type", "num_attention_heads", "pixel_shuffle_ratio", "vision_feature_layer", "_vision_feature_layer",
        "vision_feature_select_strategy", "projector_dropout", "tie_word_embeddings", "torch_dtype", "dtype"})
    v.find(key);
  std::vector<std::string> passed;
  refuse_unread(v, "llama4_vision_model", passed);
  if (!v.ok()) r.fail(v.problem());
  return s;
}

}  // namespace detail_experts

inline transformer read_llama4(object_reader& r, const read_context& c) {
  object_reader t(r.nested("text_config"), r.path_of("text_config"),
                  {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
  if (!r.has("text_config")) r.missing("text_config", "an object");
  const std::string type = t.text("model_type", "llama4_text");
  require_value(t, "model_type", type != "llama4_text", "llama4_text");
  for (std::string_view key : {"architectures", "torch_dtype", "dtype"}) t.find(key);
  transformer m;
  for (const experts_family& f : experts_families)
    if (f.model_type == "llama4_text")
      m = detail_experts::read_family(t, {"llama4_text", c.name, c.assumed}, f, llama4_inner_rules);
  if (t.flag("tie_word_embeddings", false) != r.flag("tie_word_embeddings", m.tied_embeddings))
    require_value(r, "tie_word_embeddings", true, "what text_config says");
  std::vector<std::string> passed;
  if (t.ok()) refuse_unread(t, type, passed);
  if (!t.ok()) r.fail(t.problem());
  for (std::string_view key : {"boi_token_index", "eoi_token_index", "image_token_index"}) r.find(key);
  if (!r.has("vision_config"))
    c.assume(r, "vision_config", "none", "absent; no vision tower is counted");
  else if (r.ok())
    add_llama4_tower(m, detail_experts::read_llama4_tower(r, m.hidden));
  if (!r.ok()) return {};
  m.model_type = c.model_type;
  return m;
}

inline constexpr std::array<family, 22> experts_kin_families{{
    {"qwen2_moe", read_experts_family},
    {"phimoe", read_experts_family},
    {"olmoe", read_experts_family},
    {"granitemoe", read_experts_family},
    {"dbrx", read_dbrx},
    {"arctic", read_experts_family},
    {"grok-1", read_experts_family},
    {"grok", read_experts_family},
    {"hunyuan", read_experts_family},
    {"hunyuan_v1_moe", read_experts_family},
    {"bailing_moe", read_experts_family},
    {"bailing_moe_v2", read_experts_family},
    {"dots1", read_experts_family},
    {"ernie4_5_moe", read_experts_family},
    {"glm4_moe", read_experts_family},
    {"minimax_m2", read_experts_family},
    {"gpt_oss", read_experts_family},
    {"llama4", read_llama4, "ForConditionalGeneration ForCausalLM"},
    {"llama4_text", read_experts_family},
    {"step3p5", read_experts_family},
    {"step3p7", read_experts_family},
    {"mimo_v2_flash", read_experts_family},
}};

}  // namespace ullage::inline v0::io::hf
