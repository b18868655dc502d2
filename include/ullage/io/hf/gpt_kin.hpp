// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/model/gpt.hpp>

namespace ullage::inline v0::io::hf {

/// The words of a family's config for one size; the first that is there counts, and the others must agree with it.
struct gpt_words {
  std::array<std::string_view, 2> hidden{};
  std::array<std::string_view, 2> layers{};
  std::array<std::string_view, 2> heads{};
  std::array<std::string_view, 2> inner{};
  std::array<std::string_view, 2> positions{};
};

/// How many rows the learned table of positions has.
enum class position_table : std::uint8_t {
  none,       ///< rotary or ALiBi
  one_each,   ///< one row a position
  two_before  ///< two more at the front, for the padding (OPT)
};

/// One model type: its layout, its words, and what its class defaults to where the file is silent.
struct gpt_family {
  std::string_view model_type{};
  const gpt_names* names = nullptr;
  const gpt_words* words = nullptr;
  void (*rest)(object_reader&, const read_context&, gpt_shape&) = nullptr;  ///< what the config says beyond the sizes
  std::int64_t max_position = 2048;
  bool tied = false;             ///< tie_word_embeddings
  bool four_times_inner = true;  ///< the inner size is 4 times the hidden one unless the file says it
  bool second_norm = true;
  position_table positions = position_table::none;
};

namespace detail_gpt {

/// The first word of a list that the config has; all that it has must say the same.
inline std::int64_t whole_by(object_reader& r, std::span<const std::string_view> words, std::int64_t fallback,
                             std::int64_t most = most_elements) {
  std::int64_t value = fallback;
  std::string_view said;
  for (std::string_view key : words) {
    if (key.empty() || !r.has(key)) continue;
    const std::int64_t n = r.whole(key, fallback, 1, most);
    if (said.empty()) {
      value = n;
      said = key;
    } else if (n != value && r.ok()) {
      r.fail_at(key, error_code::bad_value,
                "is " + std::to_string(n) + ", but " + std::string(said) + " is " + std::to_string(value) +
                    "; expected the same of both.");
    }
  }
  return value;
}
inline std::int64_t required_by(object_reader& r, std::span<const std::string_view> words) {
  const std::int64_t n = whole_by(r, words, 0);
  if (n > 0 || !r.ok()) return n > 0 ? n : 1;
  r.missing(words.front(), "a whole number");
  return 1;
}
inline std::int64_t layers_by(object_reader& r, std::span<const std::string_view> words) {
  const std::int64_t n = required_by(r, words);
  if (n <= static_cast<std::int64_t>(transformer::most_layers)) return n;
  for (std::string_view key : words)
    if (!key.empty() && r.has(key))
      r.fail_at(key, error_code::too_many_layers,
                "is " + std::to_string(n) + "; expected at most " + std::to_string(transformer::most_layers) + ".");
  return 1;
}

/// Keys that say nothing of tensors or caches in any class of this kin: activations, scales, drop-out, settings of an
/// implementation.
// clang-format off
inline constexpr std::string_view silent[] = {
    "_num_labels", "activation", "activation_function", "attention_softmax_in_fp32", "bias_dropout_fusion",
    "classifier_dropout", "dropout", "emb_pdrop", "embd_pdrop", "embed_dropout", "embedding_dropout",
    "hidden_dropout_prob", "init_std", "layer_norm_epsilon", "layerdrop", "masked_softmax_fusion", "n_ctx",
    "n_special", "norm_epsilon", "offset_alibi", "output_past", "predict_special_tokens", "reorder_and_upcast_attn",
    "resid_dropout", "resid_pdrop", "residual_dropout", "rotary", "rotary_dim", "rotary_emb_base", "rotary_pct",
    "scale_attention_softmax_in_fp32", "scale_attn_by_inverse_layer_idx", "skip_bias_add", "skip_bias_add_qkv",
    "slow_but_exact", "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj"};
// clang-format on
inline void pass(object_reader& r, std::span<const std::string_view> keys) {
  for (std::string_view key : keys) r.find(key);
}
inline void pass(object_reader& r, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) r.find(key);
}

inline void read_kv_heads(object_reader& r, std::string_view key, std::int64_t fallback, gpt_shape& s) {
  s.num_key_value_heads = r.whole(key, fallback, 1, most_elements);
  if (r.ok() && s.num_attention_heads % s.num_key_value_heads != 0)
    r.fail_at(key, error_code::bad_value,
              "is " + std::to_string(s.num_key_value_heads) + "; expected a divisor of the " +
                  std::to_string(s.num_attention_heads) + " attention heads.");
}

inline void bloom_rest(object_reader& r, const read_context& c, gpt_shape& s) {
  // The class takes no inner size. Some files repeat what it is.
  require_value(r, "n_inner", r.whole("n_inner", s.intermediate_size, 1, most_elements) != s.intermediate_size,
                "null or 4 times the hidden size");
  pass(r, {"apply_residual_connection_post_layernorm"});
  if (!r.has("seq_length"))
    c.assume(r, "seq_length", "2048", "absent; ALiBi sets no bound, and the family was trained on 2,048 tokens");
}

inline void gpt_bigcode_rest(object_reader& r, const read_context&, gpt_shape& s) {
  if (r.flag("multi_query", true)) s.num_key_value_heads = 1;
  require_value(r, "num_key_value_heads",
                r.whole("num_key_value_heads", s.num_key_value_heads, 1) != s.num_key_value_heads,
                "1 with multi_query, else the attention heads");
  // Settings of the runner that the code once came with.
  pass(r, {"inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length", "pre_allocate_kv_cache",
           "runner_max_sequence_length", "validate_runner_input"});
}

/// Which layers look back over `window_size` tokens: attention_layers, or attention_types as [[[kinds…], times]…].
inline void gpt_neo_rest(object_reader& r, const read_context&, gpt_shape& s) {
  s.window = r.whole("window_size", 256, 1, most_elements);
  s.qkv_bias = false;
  std::vector<std::string> kinds;
  const auto bad = [&](std::string_view key, const json& v) {
    r.fail_at(key, error_code::bad_value,
              "is " + detail::shown(v) + "; expected \"global\" or \"local\" for each of the " +
                  std::to_string(s.num_hidden_layers) + " layers.");
  };
  const auto add_all = [&](std::string_view key, const json& list) {
    if (!list.is_array()) return bad(key, list);
    for (const json& k : list) {
      if (!k.is_string() || kinds.size() > transformer::most_layers) return bad(key, list);
      kinds.push_back(k.get<std::string>());
    }
  };
  const json* types = r.find("attention_types");
  if (const json* list = r.find("attention_layers"); list != nullptr) {
    add_all("attention_layers", *list);
  } else if (types != nullptr) {
    if (!types->is_array()) return bad("attention_types", *types);
    for (const json& part : *types) {
      if (!part.is_array() || part.size() != 2) return bad("attention_types", *types);
      const std::int64_t times =
          r.whole_of(part[1], "attention_types", 0, 0, static_cast<std::int64_t>(transformer::most_layers));
      for (std::int64_t i = 0; i < times && r.ok(); ++i) add_all("attention_types", part[0]);
    }
  } else {  // the class's default
    for (int i = 0; i < 12; ++i) kinds.insert(kinds.end(), {"global", "local"});
  }
  if (!r.ok()) return;
  const std::string_view key = r.has("attention_layers") ? "attention_layers" : "attention_types";
  if (kinds.size() != static_cast<std::size_t>(s.num_hidden_layers)) {
    r.fail_at(key, error_code::bad_value,
              "describes " + std::to_string(kinds.size()) + " layers; expected the " +
                  std::to_string(s.num_hidden_layers) + " of the model.");
    return;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != "global" && kinds[i] != "local") {
      r.fail_at(key, error_code::bad_value, "holds " + detail::in_quotes(kinds[i]) + "; expected global or local.");
      return;
    }
    s.windowed[i] = kinds[i] == "local" ? 1 : 0;
  }
}

inline void gpt_neox_rest(object_reader& r, const read_context&, gpt_shape& s) {
  s.qkv_bias = s.output_bias = r.flag("attention_bias", true);
  // Both norms are there, whether attention and feed-forward read the same input or not.
  r.flag("use_parallel_residual", true);
}

inline void opt_rest(object_reader& r, const read_context&, gpt_shape& s) {
  s.word_embed_proj_dim = r.whole("word_embed_proj_dim", s.hidden_size, 1, most_elements);
  s.qkv_bias = s.output_bias = s.mlp_bias = r.flag("enable_bias", true);
  s.norm_weights = r.flag("layer_norm_elementwise_affine", true);
  const bool before = r.flag("do_layer_norm_before", true);
  s.final_norm = before && !r.flag("_remove_final_layer_norm", false);
  pass(r, {"output_projection"});  // a trace of the program that it was converted from
}

inline void mpt_attention(object_reader& r, gpt_shape& s) {
  object_reader a(r.nested("attn_config"), r.path_of("attn_config"),
                  {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
  const std::string type = a.text("attn_type", "multihead_attention");
  if (type == "multiquery_attention")
    read_kv_heads(a, "kv_n_heads", 1, s);
  else if (type == "grouped_query_attention" && a.has("kv_n_heads"))
    read_kv_heads(a, "kv_n_heads", 1, s);
  else
    require_value(a, "attn_type", type != "multihead_attention",
                  "multihead_attention, multiquery_attention, or grouped_query_attention with kv_n_heads");
  const bool rotary = a.flag("rope", false);
  require_value(a, "alibi", !a.flag("alibi", true) && !rotary, "true: learned positions are not modelled");
  require_value(a, "qk_ln", a.flag("qk_ln", false), "false");
  require_value(a, "qk_gn", a.flag("qk_gn", false), "false");
  require_value(a, "sliding_window_size", a.whole("sliding_window_size", -1, -1) != -1, "-1");
  pass(a, {"alibi_bias_max", "attn_impl", "attn_pdrop", "attn_uses_sequence_id", "clip_qkv", "fused_qkv", "kv_n_heads",
           "model_type", "prefix_lm", "rope_dail_config", "rope_hf_config", "rope_impl", "rope_theta", "softmax_scale",
           "tie_word_embeddings"});
  std::vector<std::string> passed;
  refuse_unread(a, "mpt", passed);
  if (!a.ok()) r.fail(a.problem());
}

inline void mpt_rest(object_reader& r, const read_context&, gpt_shape& s) {
  s.intermediate_size = 4 * s.hidden_size;
  if (const double times = r.real("expansion_ratio", 4); times != 4) {
    const double inner = times * static_cast<double>(s.hidden_size);
    if (!(inner >= 1) || inner > static_cast<double>(most_elements) ||
        inner != static_cast<double>(static_cast<std::int64_t>(inner)))
      r.fail_at("expansion_ratio", error_code::bad_value, "gives no whole inner size from d_model.");
    else
      s.intermediate_size = static_cast<std::int64_t>(inner);
  }
  mpt_attention(r, s);
  require_value(r, "no_bias", !r.flag("no_bias", true), "true");
  const std::string norm = r.text("norm_type", "low_precision_layernorm");
  require_value(
      r, "norm_type",
      norm != "low_precision_layernorm" && norm != "layernorm" && norm != "rmsnorm" && norm != "low_precision_rmsnorm",
      "a layernorm or an rmsnorm");
  if (r.has("ffn_config")) {
    object_reader f(r.nested("ffn_config"), r.path_of("ffn_config"));
    const std::string type = f.text("ffn_type", "mptmlp");
    require_value(f, "ffn_type", type != "mptmlp", "mptmlp");
    pass(f, {"fc_type", "ffn_act_fn"});
    require_value(f, "ffn_hidden_size", f.has("ffn_hidden_size"), "null");
    if (!f.ok()) r.fail(f.problem());
  }
  pass(r, {"embedding_fraction", "fc_type", "init_config", "init_device", "learned_pos_emb", "logit_scale",
           "tokenizer_name", "use_pad_tok_in_ffn", "verbose"});
}

inline void falcon_norms(gpt_shape& s, bool parallel, std::int64_t norms) {
  s.second_norm = !parallel || norms == 2;
  if (parallel && norms == 2) s.names = &gpt_layouts::falcon_parallel;
}
/// Unless the new architecture is on, multi_query means one KV head whatever num_kv_heads says.
inline void falcon_rest(object_reader& r, const read_context&, gpt_shape& s) {
  const bool grouped = r.flag("new_decoder_architecture", false);
  const bool one_head = r.flag("multi_query", true);
  const bool parallel = r.flag("parallel_attn", true);
  s.qkv_bias = s.output_bias = s.mlp_bias = r.flag("bias", false);
  read_kv_heads(r, "num_kv_heads", s.num_attention_heads, s);
  if (!grouped)
    require_value(r, "num_kv_heads", !one_head && s.num_key_value_heads != s.num_attention_heads,
                  "the attention heads, or new_decoder_architecture or multi_query");
  if (!grouped && one_head) s.num_key_value_heads = 1;
  falcon_norms(s, parallel, r.whole("num_ln_in_parallel_attn", grouped ? 2 : 1, 1, 2));
  // Falcon-2 writes it beside ffn_hidden_size.
  const std::int64_t factor = r.whole("ff_factor", 0, 1, most_elements);
  require_value(r, "ff_factor", factor > 0 && s.intermediate_size != factor * s.hidden_size,
                "ffn_hidden_size / hidden_size");
  pass(r, {"alibi", "apply_residual_connection_post_layernorm"});  // ALiBi or rotary: neither has a table
}
/// The first release of Falcon-7B and the Falcon-RW models.
inline void refined_web_model_rest(object_reader& r, const read_context&, gpt_shape& s) {
  s.qkv_bias = s.output_bias = s.mlp_bias = r.flag("bias", false);
  if (r.flag("multi_query", false)) s.num_key_value_heads = 1;
  falcon_norms(s, r.flag("parallel_attn", false), 1);
  pass(r, {"alibi", "apply_residual_connection_post_layernorm"});
}
/// The first release of Falcon-40B.
inline void refined_web_rest(object_reader& r, const read_context&, gpt_shape& s) {
  s.qkv_bias = s.output_bias = s.mlp_bias = r.flag("bias", false);
  if (!r.has("n_head_kv")) r.missing("n_head_kv", "a whole number");
  read_kv_heads(r, "n_head_kv", s.num_attention_heads, s);
  require_value(r, "parallel_attn", !r.flag("parallel_attn", false), "true");
  falcon_norms(s, true, 2);
  pass(r, {"alibi", "apply_residual_connection_post_layernorm", "multi_query"});
}

inline void starcoder2_rest(object_reader& r, const read_context&, gpt_shape& s) {
  read_kv_heads(r, "num_key_value_heads", 2, s);
  s.qkv_bias = s.output_bias = s.mlp_bias = r.flag("use_bias", true);
  require_value(r, "mlp_type", r.text("mlp_type", "default") != "default", "default");
  require_value(r, "norm_type", r.text("norm_type", "layer_norm") != "layer_norm", "layer_norm");
  s.window = r.whole("sliding_window", 0, 1, most_elements);
  if (s.window > 0) s.windowed.fill(1);
}

inline void stablelm_rest(object_reader& r, const read_context&, gpt_shape& s) {
  read_kv_heads(r, "num_key_value_heads", 32, s);
  s.qkv_bias = r.flag("use_qkv_bias", false);
  s.qk_norm = r.flag("qk_layernorm", false);
  s.second_norm = !r.flag("use_parallel_residual", false);
}

inline void phi_rest(object_reader& r, const read_context&, gpt_shape& s) {
  read_kv_heads(r, "num_key_value_heads", s.num_attention_heads, s);
  s.qk_norm = r.flag("qk_layernorm", false);
}
inline void phi_msft_rest(object_reader& r, const read_context&, gpt_shape& s) {
  read_kv_heads(r, "n_head_kv", s.num_attention_heads, s);
  require_value(r, "img_processor", r.has("img_processor"), "null");
  pass(r, {"flash_attn", "flash_rotary", "fused_dense"});
}
inline void mixformer_rest(object_reader& r, const read_context& c, gpt_shape& s) {
  phi_msft_rest(r, c, s);
  object_reader a(r.nested("architecture"), r.path_of("architecture"));
  require_value(a, "block_cls", a.text("block_cls", "parallel") != "parallel", "parallel");
  require_value(a, "mixer", a.has("mixer") && !a.nested("mixer").empty(), "absent or empty");
  object_reader m(a.nested("mlp"), a.path_of("mlp"));
  const std::string kind = m.text("mlp_cls", "mlp");
  require_value(m, "mlp_cls", kind != "mlp" && kind != "fused_mlp", "mlp or fused_mlp");
  m.finish();
  if (!m.ok()) a.fail(m.problem());
  a.finish();
  if (!a.ok()) r.fail(a.problem());
}

inline constexpr gpt_words gpt2_words{.hidden = {"n_embd", "hidden_size"},
                                      .layers = {"n_layer", "num_hidden_layers"},
                                      .heads = {"n_head", "num_attention_heads"},
                                      .inner = {"n_inner", {}},
                                      .positions = {"n_positions", "max_position_embeddings"}};
inline constexpr gpt_words gpt_neo_words{.hidden = {"hidden_size", {}},
                                         .layers = {"num_layers", "num_hidden_layers"},
                                         .heads = {"num_heads", "num_attention_heads"},
                                         .inner = {"intermediate_size", {}},
                                         .positions = {"max_position_embeddings", {}}};
inline constexpr gpt_words plain_words{.hidden = {"hidden_size", {}},
                                       .layers = {"num_hidden_layers", {}},
                                       .heads = {"num_attention_heads", {}},
                                       .inner = {"intermediate_size", {}},
                                       .positions = {"max_position_embeddings", {}}};
inline constexpr gpt_words bloom_words{.hidden = {"hidden_size", "n_embed"},
                                       .layers = {"n_layer", "num_hidden_layers"},
                                       .heads = {"n_head", "num_attention_heads"},
                                       .positions = {"seq_length", {}}};
inline constexpr gpt_words falcon_words{.hidden = {"hidden_size", {}},
                                        .layers = {"num_hidden_layers", "n_layer"},
                                        .heads = {"num_attention_heads", "n_head"},
                                        .inner = {"ffn_hidden_size", {}},
                                        .positions = {"max_position_embeddings", {}}};
inline constexpr gpt_words opt_words{.hidden = {"hidden_size", {}},
                                     .layers = {"num_hidden_layers", {}},
                                     .heads = {"num_attention_heads", {}},
                                     .inner = {"ffn_dim", {}},
                                     .positions = {"max_position_embeddings", {}}};
inline constexpr gpt_words mpt_words{.hidden = {"d_model", "hidden_size"},
                                     .layers = {"n_layers", "num_hidden_layers"},
                                     .heads = {"n_heads", "num_attention_heads"},
                                     .positions = {"max_seq_len", {}}};

}  // namespace detail_gpt

/// Defaults as in transformers 4.57, `configuration_<model_type>.py`, and for types that are not in it as in the
/// checkpoints' own configuration files.
inline constexpr std::array<gpt_family, 17> gpt_families{{
    {.model_type = "gpt2",
     .names = &gpt_layouts::gpt2,
     .words = &detail_gpt::gpt2_words,
     .max_position = 1024,
     .tied = true,
     .positions = position_table::one_each},
    {.model_type = "gpt_neo",
     .names = &gpt_layouts::gpt_neo,
     .words = &detail_gpt::gpt_neo_words,
     .rest = detail_gpt::gpt_neo_rest,
     .tied = true,
     .positions = position_table::one_each},
    {.model_type = "gpt_neox",
     .names = &gpt_layouts::gpt_neox,
     .words = &detail_gpt::plain_words,
     .rest = detail_gpt::gpt_neox_rest,
     .four_times_inner = false},
    {.model_type = "gptj", .names = &gpt_layouts::gptj, .words = &detail_gpt::gpt2_words, .second_norm = false},
    {.model_type = "codegen", .names = &gpt_layouts::codegen, .words = &detail_gpt::gpt2_words, .second_norm = false},
    {.model_type = "bloom",
     .names = &gpt_layouts::bloom,
     .words = &detail_gpt::bloom_words,
     .rest = detail_gpt::bloom_rest,
     .tied = true},
    {.model_type = "opt",
     .names = &gpt_layouts::opt,
     .words = &detail_gpt::opt_words,
     .rest = detail_gpt::opt_rest,
     .tied = true,
     .four_times_inner = false,
     .positions = position_table::two_before},
    {.model_type = "mpt",
     .names = &gpt_layouts::mpt,
     .words = &detail_gpt::mpt_words,
     .rest = detail_gpt::mpt_rest,
     .tied = true},
    {.model_type = "falcon",
     .names = &gpt_layouts::falcon,
     .words = &detail_gpt::falcon_words,
     .rest = detail_gpt::falcon_rest,
     .tied = true},
    {.model_type = "RefinedWeb",
     .names = &gpt_layouts::falcon,
     .words = &detail_gpt::falcon_words,
     .rest = detail_gpt::refined_web_rest,
     .tied = true},
    {.model_type = "RefinedWebModel",
     .names = &gpt_layouts::falcon,
     .words = &detail_gpt::falcon_words,
     .rest = detail_gpt::refined_web_model_rest,
     .tied = true},
    {.model_type = "gpt_bigcode",
     .names = &gpt_layouts::gpt_bigcode,
     .words = &detail_gpt::gpt2_words,
     .rest = detail_gpt::gpt_bigcode_rest,
     .max_position = 1024,
     .tied = true,
     .positions = position_table::one_each},
    {.model_type = "starcoder2",
     .names = &gpt_layouts::starcoder2,
     .words = &detail_gpt::plain_words,
     .rest = detail_gpt::starcoder2_rest,
     .max_position = 4096,
     .tied = true,
     .four_times_inner = false},
    {.model_type = "stablelm",
     .names = &gpt_layouts::stablelm,
     .words = &detail_gpt::plain_words,
     .rest = detail_gpt::stablelm_rest,
     .max_position = 4096,
     .four_times_inner = false},
    {.model_type = "phi",
     .names = &gpt_layouts::phi,
     .words = &detail_gpt::plain_words,
     .rest = detail_gpt::phi_rest,
     .four_times_inner = false,
     .second_norm = false},
    {.model_type = "phi-msft",
     .names = &gpt_layouts::phi_msft,
     .words = &detail_gpt::gpt2_words,
     .rest = detail_gpt::phi_msft_rest,
     .second_norm = false},
    {.model_type = "mixformer-sequential",
     .names = &gpt_layouts::mixformer,
     .words = &detail_gpt::gpt2_words,
     .rest = detail_gpt::mixformer_rest,
     .second_norm = false},
}};

/// The model that a config of the GPT kin describes; mistakes are left in the reader.
inline transformer read_gpt_kin(object_reader& r, const gpt_family& f, const read_context& c) {
  const gpt_words& w = *f.words;
  gpt_shape s;
  s.name = c.name;
  s.model_type = f.model_type;
  s.names = f.names;
  s.hidden_size = detail_gpt::required_by(r, w.hidden);
  s.num_hidden_layers = detail_gpt::layers_by(r, w.layers);
  s.num_attention_heads = detail_gpt::required_by(r, w.heads);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.intermediate_size =
      f.four_times_inner ? detail_gpt::whole_by(r, w.inner, 4 * s.hidden_size) : detail_gpt::required_by(r, w.inner);
  s.max_position_embeddings = detail_gpt::whole_by(r, w.positions, f.max_position);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", f.tied);
  s.num_key_value_heads = s.num_attention_heads;
  s.second_norm = f.second_norm;
  if (f.positions != position_table::none)
    s.position_rows = s.max_position_embeddings + (f.positions == position_table::two_before ? 2 : 0);
  if (r.ok() && s.hidden_size % s.num_attention_heads != 0) {
    for (std::string_view key : w.heads)
      if (!key.empty() && r.has(key))
        r.fail_at(key, error_code::bad_value,
                  "is " + std::to_string(s.num_attention_heads) + ", which does not divide the hidden size " +
                      std::to_string(s.hidden_size) + "; expected a divisor.");
  }
  detail_gpt::pass(r, detail_gpt::silent);
  if (r.ok() && f.rest != nullptr) f.rest(r, c, s);
  if (!r.ok()) return {};
  return make_gpt(s);
}

inline transformer read_gpt_family(object_reader& r, const read_context& c) {
  for (const gpt_family& f : gpt_families)
    if (f.model_type == c.model_type) return read_gpt_kin(r, f, c);
  return {};
}

inline constexpr std::array<family, 17> gpt_kin_families{{{"gpt2", read_gpt_family, "LMHeadModel"},
                                                          {"gpt_neo", read_gpt_family},
                                                          {"gpt_neox", read_gpt_family},
                                                          {"gptj", read_gpt_family},
                                                          {"codegen", read_gpt_family},
                                                          {"bloom", read_gpt_family},
                                                          {"opt", read_gpt_family},
                                                          {"mpt", read_gpt_family},
                                                          {"falcon", read_gpt_family},
                                                          {"RefinedWeb", read_gpt_family},
                                                          {"RefinedWebModel", read_gpt_family},
                                                          {"gpt_bigcode", read_gpt_family},
                                                          {"starcoder2", read_gpt_family},
                                                          {"stablelm", read_gpt_family},
                                                          {"phi", read_gpt_family},
                                                          {"phi-msft", read_gpt_family},
                                                          {"mixformer-sequential", read_gpt_family}}};

}  // namespace ullage::inline v0::io::hf
