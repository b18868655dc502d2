// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/io/hf/windows.hpp>
#include <ullage/model/deepseek.hpp>
#include <ullage/model/dense_names.hpp>

// Dense decoders that differ from Llama by names, norms, biases and words of their configs: a row of a table each.
namespace ullage::inline v0::io::hf {

/// The config's words for sizes.
struct dense_words {
  std::string_view hidden = "hidden_size";
  std::string_view heads = "num_attention_heads";
  std::string_view layers = "num_hidden_layers";
  std::string_view inner = "intermediate_size";
  std::string_view kv_heads = "num_key_value_heads";
  std::string_view head_dim = "head_dim";
  std::string_view vocabulary = "vocab_size";
  std::string_view position = "max_position_embeddings";
};
inline constexpr dense_words usual_words{};
inline constexpr dense_words exaone_words{.layers = "num_layers"};
inline constexpr dense_words qwen_words{.head_dim = "kv_channels"};
inline constexpr dense_words first_qwen_words{.hidden = "n_embd",
                                              .heads = "n_head",
                                              .layers = "n_layer",
                                              .inner = "ffn_hidden_size",
                                              .head_dim = "kv_channels",
                                              .vocabulary = "padded_vocab_size",
                                              .position = "n_positions"};
inline constexpr dense_words chatglm_6b_words{
    .layers = "num_layers", .inner = "inner_hidden_size", .position = "max_sequence_length"};
inline constexpr dense_words chatglm_words{.layers = "num_layers",
                                           .inner = "ffn_hidden_size",
                                           .kv_heads = "multi_query_group_num",
                                           .head_dim = "kv_channels",
                                           .vocabulary = "padded_vocab_size",
                                           .position = "seq_length"};

/// A bias that a field switches, or that is there always (`value` true) or never, without a field.
struct bias_switch {
  std::string_view key{};
  bool value = false;  ///< without the field
};

enum class alternation : std::uint8_t {
  never,
  by_pattern,  ///< layer_types, else every `pattern`-th layer is full; `window` where the file is silent
  by_switch    ///< use_sliding_window, false by default, and then layer_types
};

/// One model type: what its class adds to the shape, and defaults where the file is silent.
struct dense_family {
  std::string_view model_type{};
  const dense_names* names = &names::llama;
  const dense_words* words = &usual_words;
  bool tied = false;              ///< tie_word_embeddings
  std::int64_t head_dim = 0;      ///< 0 = hidden_size / num_attention_heads
  std::int64_t kv_heads = 0;      ///< 0 = num_attention_heads, -1 = the file must say it
  std::int64_t max_position = 0;  ///< 0 = the file must say it
  norm_parameters norm = norm_parameters::weight;
  qk_norm_kind qk_norm = qk_norm_kind::none;
  bool qk_norm_by_field = false;  ///< `use_qk_norm` switches it, false by default
  bias_switch qkv{};
  bias_switch output{};
  bias_switch mlp{};
  std::int64_t inner_divisor = 1;  ///< the file's width counts gate and up together
  std::string_view on{};           ///< switches that must be true where they stand, parted by ' '
  std::string_view off{};          ///< switches that must be false
  alternation windows = alternation::never;
  std::int64_t window = 0;
  std::int64_t pattern = 0;
  std::string_view same{};            ///< fields that repeat what another says, or say nothing of tensors or cache
  bool model_max_length = false;      ///< stands for max_position_embeddings, or above it
  bool experts = false;               ///< num_experts, num_experts_per_tok
  std::string_view mtp_projection{};  ///< of the modules that num_nextn_predict_layers counts
  std::array<std::string_view, 4> mtp_norms{};
};

/// Defaults as in transformers (4.57, Ministral-3 and later: 5.0) or in the checkpoints' own configuration files.
// clang-format off
inline constexpr dense_family dense_families[] = {
    {.model_type = "baichuan", .names = &names::baichuan, .same = "z_loss_weight", .model_max_length = true},
    {.model_type = "internlm", .max_position = 2048, .qkv = {"bias", true}, .output = {"bias", true},
     .same = "rotary"},
    {.model_type = "internlm2", .names = &names::internlm2, .max_position = 2048, .qkv = {"bias", true},
     .output = {"bias", true}, .same = "rotary"},
    {.model_type = "internlm3", .max_position = 32768, .qkv = {"qkv_bias", false}, .output = {"bias", false},
     .mlp = {"bias", false}, .off = "attention_bias mlp_bias"},
    {.model_type = "qwen", .names = &names::qwen, .words = &qwen_words, .max_position = 0, .qkv = {{}, true},
     .inner_divisor = 2, .on = "no_bias",
     .off = "use_cache_quantization use_cache_kernel",
     .same = "seq_length padded_vocab_size attn_dropout_prob emb_dropout_prob rotary_emb_base rotary_pct onnx_safe "
             "use_flash_attn use_logn_attn use_dynamic_ntk layer_norm_epsilon softmax_in_fp32 bf16 fp16 fp32 "
             "tokenizer_type num_key_value_heads"},
    {.model_type = "qwen-first", .names = &names::qwen, .words = &first_qwen_words, .max_position = 0,
     .qkv = {{}, true}, .inner_divisor = 2, .on = "no_bias",
     .off = "apply_residual_connection_post_layernorm",
     .same = "seq_length vocab_size n_inner activation attn_pdrop embd_pdrop resid_pdrop bias_dropout_fusion "
             "params_dtype pos_emb rotary_emb_base rotary_pct onnx_safe scale_attn_weights use_flash_attn "
             "use_logn_attn use_dynamic_ntk layer_norm_epsilon bf16 fp16 fp32 tokenizer_type"},
    {.model_type = "chatglm", .names = &names::chatglm, .words = &chatglm_words, .max_position = 0,
     .qkv = {"add_qkv_bias", false}, .output = {"add_bias_linear", true}, .mlp = {"add_bias_linear", true},
     .on = "multi_query_attention rmsnorm post_layer_norm",
     .off = "apply_residual_connection_post_layernorm interleaved_qkv",
     .same = "num_hidden_layers vocab_size apply_query_key_layer_scaling bias_dropout_fusion fp32_residual_connection "
             "layernorm_epsilon original_rope pre_seq_len prefix_projection classifier_dropout quantization_bit"},
    {.model_type = "chatglm-6b", .names = &names::chatglm_6b, .words = &chatglm_6b_words, .max_position = 2048,
     .norm = norm_parameters::weight_and_bias, .qkv = {{}, true}, .output = {{}, true}, .mlp = {{}, true},
     .same = "position_encoding_2d layernorm_epsilon pre_seq_len prefix_projection quantization_bit "
             "quantization_embeddings"},
    {.model_type = "glm", .names = &names::glm, .head_dim = 128, .kv_heads = 2, .max_position = 131072,
     .qkv = {"attention_bias", false}},
    {.model_type = "glm4", .names = &names::glm4, .head_dim = 128, .kv_heads = 2, .max_position = 131072,
     .qkv = {"attention_bias", false}},
    {.model_type = "orion", .max_position = 4096, .norm = norm_parameters::weight_and_bias,
     .off = "attention_bias mlp_bias", .same = "max_sequence_length"},
    {.model_type = "minicpm", .tied = true, .max_position = 2048, .qkv = {"attention_bias", false},
     .output = {"attention_bias", false}, .off = "mlp_bias",
     .same = "scale_emb scale_depth dim_model_base mup_denominator", .experts = true},
    {.model_type = "exaone", .names = &names::exaone, .words = &exaone_words, .max_position = 2048,
     .same = "activation_function layer_norm_epsilon embed_dropout num_hidden_layers"},
    {.model_type = "exaone4", .names = &names::post_norms, .max_position = 2048, .qk_norm = qk_norm_kind::one_head,
     .off = "attention_bias mlp_bias", .windows = alternation::by_pattern, .window = 4096, .pattern = 4},
    {.model_type = "exaone4_5_text", .names = &names::post_norms, .max_position = 2048,
     .qk_norm = qk_norm_kind::one_head, .off = "attention_bias mlp_bias", .windows = alternation::by_pattern,
     .window = 4096, .pattern = 4, .same = "_num_mtp_layers mtp_loss_scaling_factor mtp_share_layers",
     .mtp_projection = "mtp.fc.weight",
     .mtp_norms = {"mtp.norm.weight", "mtp.pre_fc_norm_embedding.weight", "mtp.pre_fc_norm_hidden.weight"}},
    {.model_type = "cohere", .names = &names::cohere, .tied = true, .max_position = 8192,
     .qk_norm = qk_norm_kind::each_head, .qk_norm_by_field = true, .qkv = {"attention_bias", false},
     .output = {"attention_bias", false}, .same = "logit_scale", .model_max_length = true},
    {.model_type = "cohere2", .names = &names::cohere, .tied = true, .max_position = 8192,
     .qkv = {"attention_bias", false}, .output = {"attention_bias", false},
     .on = "use_embedding_sharing use_gated_activation use_parallel_block use_parallel_embedding",
     .off = "use_qk_norm", .windows = alternation::by_pattern, .window = 4096, .pattern = 4,
     .same = "logit_scale layer_switch order_of_interleaved_layers position_embedding_type rotary_pct "
             "cache_implementation"},
    {.model_type = "olmo", .max_position = 2048, .norm = norm_parameters::none, .qkv = {"attention_bias", false},
     .output = {"attention_bias", false}, .same = "clip_qkv"},
    {.model_type = "olmo2", .names = &names::post_norms, .max_position = 2048, .qk_norm = qk_norm_kind::all_heads,
     .qkv = {"attention_bias", false}, .output = {"attention_bias", false}},
    {.model_type = "olmo3", .names = &names::post_norms, .max_position = 2048, .qk_norm = qk_norm_kind::all_heads,
     .qkv = {"attention_bias", false}, .output = {"attention_bias", false}, .windows = alternation::by_pattern,
     .window = 4096, .pattern = 4},
    {.model_type = "granite", .max_position = 2048, .qkv = {"attention_bias", false},
     .output = {"attention_bias", false}, .mlp = {"mlp_bias", false},
     .same = "attention_multiplier embedding_multiplier logits_scaling residual_multiplier"},
    {.model_type = "smollm3", .tied = true, .kv_heads = 4, .max_position = 32768, .qkv = {"attention_bias", false},
     .output = {"attention_bias", false}, .mlp = {"mlp_bias", false}, .windows = alternation::by_switch,
     .same = "no_rope_layers no_rope_layer_interval max_window_layers"},
    {.model_type = "mimo", .kv_heads = -1, .max_position = 32768, .qkv = {{}, true}, .on = "attention_bias",
     .off = "use_mrope",
     .windows = alternation::by_switch, .same = "max_window_layers",
     .mtp_projection = "input_proj.weight",
     .mtp_norms = {"token_layernorm.weight", "hidden_layernorm.weight", "final_layernorm.weight"}},
    {.model_type = "ministral3", .head_dim = 128, .kv_heads = 8, .max_position = 262144, .off = "attention_bias"},
    {.model_type = "PanguEmbedded", .max_position = 32768, .qkv = {"bias", true}, .output = {"bias", true}},
    {.model_type = "helium", .head_dim = 128, .kv_heads = -1, .max_position = 4096, .qkv = {"attention_bias", false},
     .mlp = {"mlp_bias", false}},
    {.model_type = "arcee", .names = &names::ungated, .max_position = 4096, .qkv = {"attention_bias", false},
     .output = {"attention_bias", false}, .mlp = {"mlp_bias", false}},
    {.model_type = "apertus", .names = &names::apertus, .max_position = 65536, .qk_norm = qk_norm_kind::one_head,
     .qkv = {"attention_bias", false}, .output = {"attention_bias", false}, .on = "qk_norm",
     .off = "mlp_bias post_norm"},
    {.model_type = "nemotron", .names = &names::ungated, .max_position = 4096,
     .norm = norm_parameters::weight_and_bias, .qkv = {"attention_bias", false}, .output = {"attention_bias", false},
     .mlp = {"mlp_bias", false}},
    {.model_type = "seed_oss", .head_dim = 128, .kv_heads = 8, .max_position = 524288,
     .qkv = {"attention_bias", true}, .output = {"attention_out_bias", false}, .mlp = {"mlp_bias", false},
     .same = "residual_dropout"},
    {.model_type = "ernie4_5", .tied = true, .head_dim = 128, .kv_heads = -1, .max_position = 131072,
     .qkv = {"use_bias", false}, .output = {"use_bias", false}, .mlp = {"use_bias", false},
     .same = "hidden_dropout_prob compression_ratio"},
};
// clang-format on

namespace detail_dense {

/// Calls `f` with each of the words parted by ' '.
template <class F>
void each_word(std::string_view words, F f) {
  while (!words.empty()) {
    const std::size_t end = (std::min)(words.find(' '), words.size());
    f(words.substr(0, end));
    words.remove_prefix((std::min)(end + 1, words.size()));
  }
}

inline bool read_bias(object_reader& r, const bias_switch& b) {
  return b.key.empty() ? b.value : r.flag(b.key, b.value);
}

inline std::int64_t read_layers(object_reader& r, std::string_view key) {
  if (key == "num_hidden_layers" || !r.has(key)) return hf::read_layers(r);
  const std::int64_t n = r.required_whole(key, 1);
  if (n <= static_cast<std::int64_t>(transformer::most_layers)) return n;
  r.fail_at(key, error_code::too_many_layers,
            "is " + std::to_string(n) + "; expected at most " + std::to_string(transformer::most_layers) + ".");
  return 1;
}

inline void read_sizes(object_reader& r, const dense_family& f, dense_shape& s) {
  const dense_words& w = *f.words;
  s.hidden_size = r.required_whole(w.hidden, 1, most_elements);
  s.num_hidden_layers = read_layers(r, w.layers);
  s.num_attention_heads = r.required_whole(w.heads, 1, most_elements);
  s.vocab_size = r.required_whole(w.vocabulary, 1, most_elements);
  s.intermediate_size = r.required_whole(w.inner, 1, most_elements);
  if (f.kv_heads < 0)
    s.num_key_value_heads = r.required_whole(w.kv_heads, 1, most_elements);
  else
    s.num_key_value_heads = r.whole(w.kv_heads, f.kv_heads > 0 ? f.kv_heads : s.num_attention_heads, 1, most_elements);
  s.head_dim = r.whole(w.head_dim, f.head_dim, 1, most_elements);
  const std::int64_t longest = f.model_max_length ? r.whole("model_max_length", 0, 1, most_elements) : 0;
  if (f.max_position > 0 || longest > 0)
    s.max_position_embeddings = r.whole(w.position, f.max_position > 0 ? f.max_position : longest, 1, most_elements);
  else
    s.max_position_embeddings = r.required_whole(w.position, 1, most_elements);
  s.max_position_embeddings = (std::max)(s.max_position_embeddings, longest);
  if (r.ok() && s.head_dim == 0 && s.hidden_size % s.num_attention_heads != 0)
    r.fail_at(w.heads, error_code::bad_value,
              "is " + std::to_string(s.num_attention_heads) + ", which does not divide " + std::string(w.hidden) + " " +
                  std::to_string(s.hidden_size) + "; expected a divisor, or " + std::string(w.head_dim) + ".");
  if (r.ok() && s.head_dim == 0) s.head_dim = s.hidden_size / s.num_attention_heads;
  if (r.ok() && s.num_attention_heads % s.num_key_value_heads != 0)
    r.fail_at(w.kv_heads, error_code::bad_value,
              "is " + std::to_string(s.num_key_value_heads) + "; expected a divisor of " + std::string(w.heads) + " " +
                  std::to_string(s.num_attention_heads) + ".");
  if (r.ok() && s.intermediate_size % f.inner_divisor != 0)
    r.fail_at(w.inner, error_code::bad_value,
              "is " + std::to_string(s.intermediate_size) + "; expected an even number, the widths of gate and up.");
  s.intermediate_size /= f.inner_divisor;
}

inline void read_windows(object_reader& r, const dense_family& f, dense_shape& s) {
  switch (f.windows) {
    case alternation::never:
      require_value(r, "sliding_window", r.whole("sliding_window", 0, 0) != 0, "null");
      if (read_layer_types(r, s.num_hidden_layers, s.sliding))
        require_value(r, "layer_types", any_sliding(s.sliding), "\"full_attention\" for every layer");
      break;
    case alternation::by_pattern:
      read_alternating(r, s.num_hidden_layers, f.window, f.pattern, s.sliding, s.sliding_window);
      break;
    case alternation::by_switch: {
      const bool used = r.flag("use_sliding_window", false);
      s.sliding_window = r.whole("sliding_window", 0, 0, most_elements);
      const bool listed = read_layer_types(r, s.num_hidden_layers, s.sliding);
      if (r.ok() && any_sliding(s.sliding) && (!used || s.sliding_window == 0))
        r.fail_at("layer_types", error_code::bad_value,
                  "gives layers a window that use_sliding_window or sliding_window switches off.");
      require_value(r, "use_sliding_window", used && s.sliding_window > 0 && !listed, "false, or layer_types");
      break;
    }
  }
}

inline void read_experts(object_reader& r, const dense_family& f, dense_shape& s) {
  if (!f.experts) return;
  s.num_experts = r.whole("num_experts", 0, 0, most_elements);
  s.num_experts_per_tok = r.whole("num_experts_per_tok", 0, 0, most_elements);
  if (r.ok() && s.num_experts > 0 && (s.num_experts_per_tok < 1 || s.num_experts_per_tok > s.num_experts))
    r.fail_at("num_experts_per_tok", error_code::bad_value,
              "is " + std::to_string(s.num_experts_per_tok) + "; expected 1 to the " + std::to_string(s.num_experts) +
                  " experts.");
}

}  // namespace detail_dense

/// The model that a config of a dense family describes; mistakes are left in the reader.
inline transformer read_dense_kin(object_reader& r, const dense_family& f, const read_context& c) {
  dense_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.names = f.names;
  detail_dense::read_sizes(r, f, s);
  if (!r.ok()) return {};
  s.tie_word_embeddings = r.flag("tie_word_embeddings", f.tied);
  s.norm = f.norm;
  s.qk_norm = !f.qk_norm_by_field || r.flag("use_qk_norm", false) ? f.qk_norm : qk_norm_kind::none;
  s.qkv_bias = detail_dense::read_bias(r, f.qkv);
  s.output_bias = detail_dense::read_bias(r, f.output);
  s.mlp_bias = detail_dense::read_bias(r, f.mlp);
  detail_dense::each_word(f.on, [&](std::string_view key) { require_value(r, key, !r.flag(key, true), "true"); });
  detail_dense::each_word(f.off, [&](std::string_view key) { require_value(r, key, r.flag(key, false), "false"); });
  detail_dense::each_word(f.same, [&](std::string_view key) { r.find(key); });
  detail_dense::read_windows(r, f, s);
  detail_dense::read_experts(r, f, s);
  if (f.model_type == "minicpm" && r.has("sparse_config"))
    c.assume(r, "sparse_config", "dense attention", "its shortened copies of the keys are not counted");
  if (!f.mtp_projection.empty()) {
    s.mtp_layers = r.whole("num_nextn_predict_layers", 0, 0, 16);
    s.mtp_projection = f.mtp_projection;
    s.mtp_norms = f.mtp_norms;
  }
  if (!r.ok()) return {};
  return make_dense(s);
}

inline transformer read_dense_family(object_reader& r, const read_context& c) {
  std::string_view type = c.model_type;
  // The first release of InternLM2 calls itself "internlm"; its class tells.
  const json* classes = r.find("architectures");
  if (type == "internlm" && classes != nullptr && classes->is_array() && !classes->empty() &&
      classes->front() == json("InternLM2ForCausalLM"))
    type = "internlm2";
  // The first ChatGLM shares its type's name with the later ones, which have other words for everything.
  if (type == "chatglm" && r.has("inner_hidden_size")) type = "chatglm-6b";
  // So does the first Qwen, which had GPT-2's words.
  if (type == "qwen" && r.has("n_embd")) type = "qwen-first";
  for (const dense_family& f : dense_families)
    if (f.model_type == type) return read_dense_kin(r, f, c);
  return {};
}

/// MiniCPM3: latent attention with a dense feed-forward, as DeepSeek's dense layers.
inline transformer read_minicpm3(object_reader& r, const read_context& c) {
  deepseek_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  s.q_lora_rank = r.required_whole("q_lora_rank", 1, most_elements);
  s.kv_lora_rank = r.required_whole("kv_lora_rank", 1, most_elements);
  s.qk_nope_head_dim = r.required_whole("qk_nope_head_dim", 1, most_elements);
  s.qk_rope_head_dim = r.required_whole("qk_rope_head_dim", 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", 32768, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", true);
  // Without a field of its own a value is as wide as a head of plain attention.
  if (r.ok() && !r.has("v_head_dim") && s.hidden_size % s.num_attention_heads != 0)
    r.fail_at("num_attention_heads", error_code::bad_value,
              "is " + std::to_string(s.num_attention_heads) + ", which does not divide hidden_size " +
                  std::to_string(s.hidden_size) + "; expected a divisor, or v_head_dim.");
  if (!r.ok()) return {};
  s.v_head_dim = r.whole("v_head_dim", s.hidden_size / s.num_attention_heads, 1, most_elements);
  require_value(r, "attention_bias", r.flag("attention_bias", false), "false");
  require_value(r, "mlp_bias", r.flag("mlp_bias", false), "false");
  for (std::string_view key :
       {"num_key_value_heads", "head_dim", "scale_emb", "scale_depth", "dim_model_base", "qk_head_dim"})
    r.find(key);
  if (!r.ok()) return {};
  return make_deepseek(s);
}

inline constexpr family dense_kin_families[] = {
    {"baichuan", read_dense_family},
    {"internlm", read_dense_family},
    {"internlm2", read_dense_family},
    {"internlm3", read_dense_family},
    {"qwen", read_dense_family, "QWenLMHeadModel"},
    {"chatglm", read_dense_family, "ChatGLMModel ChatGLMForConditionalGeneration"},
    {"glm", read_dense_family},
    {"glm4", read_dense_family},
    {"orion", read_dense_family},
    {"minicpm", read_dense_family},
    {"minicpm3", read_minicpm3},
    {"exaone", read_dense_family},
    {"exaone4", read_dense_family},
    {"exaone4_5_text", read_dense_family},
    {"cohere", read_dense_family},
    {"cohere2", read_dense_family},
    {"olmo", read_dense_family},
    {"olmo2", read_dense_family},
    {"olmo3", read_dense_family},
    {"granite", read_dense_family},
    {"smollm3", read_dense_family},
    {"mimo", read_dense_family},
    {"ministral3", read_dense_family},
    {"PanguEmbedded", read_dense_family},
    {"helium", read_dense_family},
    {"arcee", read_dense_family},
    {"apertus", read_dense_family},
    {"nemotron", read_dense_family},
    {"seed_oss", read_dense_family},
    {"ernie4_5", read_dense_family},
};

}  // namespace ullage::inline v0::io::hf
