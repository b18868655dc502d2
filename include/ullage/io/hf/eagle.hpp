// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <ullage/io/hf_config.hpp>
#include <ullage/model/eagle.hpp>

namespace ullage::inline v0::io {

/// The draft head of a config of the EAGLE kind. `third`: of the third generation. Its class says Eagle, its model_type is
/// mostly that of the model that it drafts for. Errors as of read_hf_config.
inline result<config_model> read_eagle_config(const json& config, bool third, const std::string& path) {
  object_reader r(config, path, {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
  const std::string model_type = r.text("model_type", "llama");
  const json* classes = r.find("architectures");
  const json* first = classes != nullptr && classes->is_array() && !classes->empty() ? &classes->front() : nullptr;
  const std::string named = first != nullptr && first->is_string() ? first->get<std::string>() : std::string();
  const bool says_third = named.ends_with("Eagle3") || named.starts_with("Eagle3");
  const bool says_first = !says_third && (named.ends_with("Eagle") || named.starts_with("Eagle"));
  // Drafts of the first generation are published under the class of their model.
  if (r.ok() && (third ? !says_third : says_third || (!says_first && !named.ends_with("ForCausalLM"))))
    r.fail_at("architectures", error_code::unknown_architecture,
              "starts with " + (first == nullptr ? std::string("nothing") : detail::shown(*first)) + "; expected a class of " +
                  (third ? "EAGLE-3, such as LlamaForCausalLMEagle3." : "EAGLE, such as EagleLlamaForCausalLM."));
  using hf::most_elements;
  eagle_shape s;
  s.third = third;
  s.name = third ? "eagle3 draft" : "eagle draft";
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.target_hidden_size = r.whole("target_hidden_size", 0, 1, most_elements);
  s.num_hidden_layers = hf::read_layers(r);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.num_key_value_heads = r.whole("num_key_value_heads", s.num_attention_heads, 1, most_elements);
  s.head_dim = r.whole("head_dim", 0, 1, most_elements);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.draft_vocab_size = r.whole("draft_vocab_size", s.vocab_size, 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", 0, 1, most_elements);
  s.attention_bias = r.flag("attention_bias", false);
  s.fc_bias = r.flag("fc_bias", false);
  // Its embedding is its model's, so whether it ties it says nothing; drafts run with full attention.
  for (std::string_view key :
       {"tie_word_embeddings", "sliding_window", "use_sliding_window", "max_window_layers", "eagle_config", "rope_scaling",
        "torch_dtype", "dtype", "target_model_type", "decoder_sparse_step", "norm_before_residual", "mlp_bias"})
    r.find(key);
  hf::require_value(r, "mlp_bias", r.flag("mlp_bias", false), "false");
  if (third) hf::require_value(r, "attention_bias", s.attention_bias, "false");
  if (r.ok() && s.head_dim == 0) {
    if (s.hidden_size % s.num_attention_heads != 0)
      r.fail_at("num_attention_heads", error_code::bad_value,
                "is " + std::to_string(s.num_attention_heads) + ", which does not divide hidden_size " +
                    std::to_string(s.hidden_size) + "; expected a divisor, or head_dim.");
    else
      s.head_dim = s.hidden_size / s.num_attention_heads;
  }
  if (r.ok() && s.num_attention_heads % s.num_key_value_heads != 0)
    r.fail_at("num_key_value_heads", error_code::bad_value,
              "is " + std::to_string(s.num_key_value_heads) + "; expected a divisor of num_attention_heads " +
                  std::to_string(s.num_attention_heads) + ".");
  config_model read;
  std::vector<std::string> passed;
  const number_format kept = hf::read_dtype(r, read.dtype_from, read.assumed);
  hf::refuse_unread(r, "an EAGLE draft", passed);
  if (!r.ok()) return r.problem();
  read.model = make_eagle(s);
  read.model.activation = kept;
  read.model.stored = uniform_weights(kept);
  if (parameters(read.model).total.overflowed())
    return error{error_code::overflow, path, path + " describes more parameters than 2^63; expected sizes of a real draft."};
  return read;
}

}  // namespace ullage::inline v0::io
