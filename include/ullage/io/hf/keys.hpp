// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <ullage/io/json.hpp>
#include <ullage/model/transformer.hpp>
#include <vector>

// Which keys of a config.json may be passed over. What no family reads and no table lists stops the reader: a key
// that changes memory unseen is worse than no answer.
namespace ullage::inline v0::io::hf {

/// Keys without influence on memory, whatever the family: tokens, training, generation, bookkeeping, positions.
// clang-format off
inline constexpr std::array<std::string_view, 109> irrelevant_keys{
    "add_bos_token", "add_eos_token", "attention_dropout", "attention_probs_dropout_prob",
    "attention_softmax_in_fp32", "attn_implementation", "attn_pdrop", "auto_map", "aux_loss_alpha", "bad_words_ids",
    "begin_suppress_tokens", "bos_token", "bos_token_id", "custom_pipelines", "dataset", "decoder_start_token_id",
    "diversity_penalty", "do_sample", "early_stopping", "embd_pdrop", "encoder_no_repeat_ngram_size", "eos_token",
    "eos_token_id", "ep_size", "exponential_decay_length_penalty", "finetuning_task", "flash_attention",
    "forced_bos_token_id", "forced_eos_token_id", "generation_config", "gradient_checkpointing", "hidden_act",
    "hidden_activation", "hidden_dropout", "id2label", "initializer_range", "is_decoder", "is_llama_config",
    "label2id", "language", "layer_norm_eps", "length_penalty", "license", "max_length", "max_new_tokens",
    "min_length", "min_new_tokens", "model_max_length", "n_group", "neftune_noise_alpha", "no_repeat_ngram_size",
    "norm_eps", "norm_topk_prob", "num_beam_groups", "num_beams", "num_labels", "num_logits_to_keep",
    "num_return_sequences", "original_max_position_embeddings", "output_attentions", "output_hidden_states",
    "output_router_logits", "output_scores", "pad_token", "pad_token_id", "partial_rotary_factor", "prefix",
    "pretraining_tp", "problem_type", "quantized_by", "remove_invalid_values", "repetition_penalty", "resid_pdrop",
    "return_dict", "return_dict_in_generate", "rms_norm_eps", "routed_scaling_factor", "router_aux_loss_coef",
    "router_jitter_noise", "router_z_loss_coef", "scale_attn_weights", "scoring_func", "sep_token_id", "seq_aux",
    "summary_activation", "suppress_tokens", "task_specific_params", "temperature", "tf_legacy_loss",
    "tokenizer_class", "top_k", "top_p", "topk_group", "torchscript", "training_args", "transformers.js_config",
    "transformers_version", "typical_p", "unk_token_id", "unsloth_fixed", "unsloth_version", "use_bfloat16",
    "use_cache", "use_flash_attention", "use_flash_attention_2", "use_flash_attn", "use_memory_efficient_attention",
    "vllm_version", "z_loss"};
// clang-format on

/// Keys of the general configuration class that say "none of it" in a plain decoder, and something else otherwise.
// clang-format off
inline constexpr std::array<std::string_view, 7> irrelevant_when_empty{
    "add_cross_attention", "chunk_size_feed_forward", "cross_attention_hidden_size", "is_encoder_decoder",
    "pruned_heads", "tie_encoder_decoder", "use_bidirectional_attention"};
// clang-format on

inline bool is_irrelevant(std::string_view key, const json& v) {
  if (std::find(irrelevant_when_empty.begin(), irrelevant_when_empty.end(), key) != irrelevant_when_empty.end())
    return (v.is_boolean() && !v.get<bool>()) || (v.is_number() && v.get<double>() == 0) ||
           ((v.is_object() || v.is_array()) && v.empty());
  if (key.starts_with("_") && !key.ends_with("_token_id"))
    return v.is_string() || v.is_boolean();  // written by tools about the file itself
  if ((key.starts_with("rope_") && !key.ends_with("_dim") && !key.ends_with("_size")) || key.ends_with("_token_id") ||
      key.ends_with("_dropout"))
    return true;
  return std::find(irrelevant_keys.begin(), irrelevant_keys.end(), key) != irrelevant_keys.end();
}

/// Parts of words that name structure: an unread key with one of them is never passed over.
// clang-format off
inline constexpr std::array<std::string_view, 50> structural_words{
    "window", "layer", "head", "expert", "size", "rank", "attn", "attention", "dim", "hidden", "kv", "mlp", "ffn",
    "moe", "proj", "embed", "vocab", "conv", "ssm", "state", "topk", "sparse", "sliding", "chunk", "bias", "norm",
    "lora", "mtp", "nextn", "block", "share", "cross", "vision", "audio", "text", "tie", "quant", "num", "width",
    "depth", "mamba", "recurrent", "memory", "compress", "latent", "router", "adapter", "tower", "config", "index"};
// clang-format on

inline bool looks_structural(std::string_view key) {
  std::string lower(key);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower.starts_with("n_") || lower.starts_with("d_")) return true;
  return std::any_of(structural_words.begin(), structural_words.end(),
                     [&](std::string_view w) { return lower.find(w) != std::string::npos; });
}

/// Stops at the first key that nobody read and that may change memory. A switch, a text or a fraction under a name that
/// says nothing of structure is passed over and listed in `passed`.
inline void refuse_unread(object_reader& r, std::string_view model_type, std::vector<std::string>& passed) {
  for (const auto& item : r.object().items()) {
    const std::string& key = item.key();
    const json& v = item.value();
    if (r.was_read(key) || v.is_null() || is_irrelevant(key, v)) continue;
    const bool scalar = v.is_boolean() || v.is_string() || v.is_number_float();
    if (scalar && !looks_structural(key)) {
      passed.push_back(key);
      continue;
    }
    r.fail_at(key, error_code::unknown_field,
              "is " + detail::shown(v) + ", and no rule for " + std::string(model_type) +
                  " reads this field; expected fields of that family only, since it may change memory.");
    return;
  }
}

/// Refuses a class that holds other tensors than the family describes: a classifier has no language head. `endings`: of
/// class names, parted by ' '; empty = any.
inline void check_class(object_reader& r, std::string_view endings) {
  const json* classes = r.find("architectures");
  if (endings.empty() || classes == nullptr || (classes->is_array() && classes->empty())) return;
  const json* first = classes->is_array() ? &classes->front() : classes;
  std::string list;
  for (std::string_view rest = endings; !rest.empty();) {
    const std::size_t end = (std::min)(rest.find(' '), rest.size());
    const std::string_view ending = rest.substr(0, end);
    if (first->is_string() && first->get_ref<const std::string&>().ends_with(ending)) return;
    list += (list.empty() ? "" : " or ") + std::string(ending);
    rest.remove_prefix((std::min)(end + 1, rest.size()));
  }
  r.fail_at("architectures", error_code::unknown_architecture,
            "starts with " + detail::shown(*first) + "; expected a class that ends with " + list + ".");
}

/// Refuses a field unless it has the one value that is modelled.
inline void require_value(object_reader& r, std::string_view key, bool found_other, std::string_view expected) {
  if (!found_other) return;
  const json* v = r.find(key);
  r.fail_at(key, error_code::unknown_field,
            "is " + (v == nullptr ? std::string("absent") : detail::shown(*v)) +
                ", which is not modelled yet; expected " + std::string(expected) + ".");
}

/// Sizes up to 2^30: products of two stay inside int64, and no model is near.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 30;

/// num_hidden_layers within the bound of `transformer`.
inline std::int64_t read_layers(object_reader& r) {
  const std::int64_t n = r.required_whole("num_hidden_layers", 1);
  if (n > static_cast<std::int64_t>(transformer::most_layers)) {
    r.fail_at("num_hidden_layers", error_code::too_many_layers,
              "is " + std::to_string(n) + "; expected at most " + std::to_string(transformer::most_layers) + ".");
    return 1;
  }
  return n;
}

}  // namespace ullage::inline v0::io::hf
