// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/hybrid_read.hpp>
#include <ullage/model/qwen_next.hpp>

namespace ullage::inline v0::io::hf {

/// One model type with gated delta nets. The text parts of Qwen3.5 stand in `text_config` of a file with vision, or alone.
struct qwen_next_family {
  std::string_view model_type{};
  bool experts = false;
  bool separate = false;  ///< in_proj_qkv, in_proj_z, in_proj_b, in_proj_a and packed experts (Qwen3.5)
  std::int64_t max_position = 32768;
};

/// Defaults as in transformers 4.57 and 5, `configuration_<model_type>.py`.
inline constexpr std::array<qwen_next_family, 3> qwen_next_families{{{"qwen3_next", true, false, 32768},
                                                                     {"qwen3_5_text", false, true, 32768},
                                                                     {"qwen3_5_moe_text", true, true, 32768}}};

/// The text model that a config describes; mistakes are left in the reader. `tied`: what the file around it says.
///
/// mamba_ssm_dtype says the type of the states. Where it is absent (Qwen3-Next), they take 32 bits: the recurrence of the
/// class in transformers returns them so.
inline transformer read_qwen_next_kin(object_reader& r, const qwen_next_family& f, std::string_view name, bool tied) {
  qwen_next_shape s;
  s.name = name;
  s.model_type = f.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  const head_counts h = read_heads(r, s.hidden_size, 256);
  s.num_attention_heads = h.heads;
  s.num_key_value_heads = h.kv_heads;
  s.head_dim = h.head_dim;
  if (!r.object().contains("num_key_value_heads")) r.missing("num_key_value_heads", "a whole number");
  s.max_position_embeddings = r.whole("max_position_embeddings", f.max_position, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", tied);
  s.attention_bias = r.flag("attention_bias", false);
  s.attn_output_gate = r.flag("attn_output_gate", true);
  gated_delta_sizes& d = s.linear;
  d.key_heads = r.whole("linear_num_key_heads", 16, 1, most_elements);
  d.value_heads = r.whole("linear_num_value_heads", 32, 1, most_elements);
  d.key_dim = r.whole("linear_key_head_dim", 128, 1, most_elements);
  d.value_dim = r.whole("linear_value_head_dim", 128, 1, most_elements);
  d.kernel = r.whole("linear_conv_kernel_dim", 4, 1, 4096);
  d.packed = !f.separate;
  d.state_bits = state_bits(r, "mamba_ssm_dtype", 32);
  expect_divisor(r, "linear_num_key_heads", d.key_heads, "linear_num_value_heads", d.value_heads);
  bounded_product(r, "linear_num_key_heads", d.key_heads, d.key_dim);
  bounded_product(r, "linear_num_value_heads", d.value_heads, d.value_dim);
  const std::int64_t interval = r.whole("full_attention_interval", 4, 1, most_elements);
  if (!read_layer_words(r, "layer_types", s.num_hidden_layers, {{"linear_attention", 0}, {"full_attention", 1}},
                        s.attends))
    for (std::int64_t i = 0; i < s.num_hidden_layers && r.ok(); ++i)
      s.attends[static_cast<std::size_t>(i)] = (i + 1) % interval == 0 ? 1 : 0;

  layer_codes dense{};
  read_layer_numbers(r, "mlp_only_layers", s.num_hidden_layers, 0, dense);
  const std::int64_t step = r.whole("decoder_sparse_step", 1, 1, most_elements);
  bool any_dense = !f.experts;
  for (std::int64_t i = 0; i < s.num_hidden_layers && f.experts && r.ok(); ++i) {
    const auto layer = static_cast<std::size_t>(i);
    s.experts[layer] = (i + 1) % step == 0 && dense[layer] == 0 ? 1 : 0;
    any_dense = any_dense || s.experts[layer] == 0;
  }
  s.intermediate_size = any_dense ? r.required_whole("intermediate_size", 1, most_elements)
                                  : r.whole("intermediate_size", 0, 0, most_elements);
  if (f.experts) {
    s.num_experts = r.required_whole("num_experts", 1, most_elements);
    s.num_experts_per_tok = r.required_whole("num_experts_per_tok", 1, most_elements);
    s.moe_intermediate_size = r.required_whole("moe_intermediate_size", 1, most_elements);
    s.shared_expert_intermediate_size = r.required_whole("shared_expert_intermediate_size", 0, most_elements);
    s.packed_experts = f.separate;
    expect_experts_per_token(r, "num_experts_per_tok", s.num_experts_per_tok, s.num_experts);
  }
  s.mtp_num_hidden_layers = r.whole("mtp_num_hidden_layers", 0, 0, 1);
  require_value(r, "mtp_use_dedicated_embeddings", r.flag("mtp_use_dedicated_embeddings", false), "false");
  require_value(r, "use_sliding_window", r.flag("use_sliding_window", false), "false");
  pass_keys(r, {"output_gate_type", "mlp_bias"});
  if (!r.ok()) return {};
  return make_qwen_next(s);
}

inline transformer read_qwen_next_family(object_reader& r, const read_context& c) {
  for (const qwen_next_family& f : qwen_next_families)
    if (f.model_type == c.model_type) return read_qwen_next_kin(r, f, c.name, false);
  return {};
}

inline constexpr std::array<family, 3> qwen_next_kin_families{{{"qwen3_next", read_qwen_next_family},
                                                               {"qwen3_5_text", read_qwen_next_family},
                                                               {"qwen3_5_moe_text", read_qwen_next_family}}};

}  // namespace ullage::inline v0::io::hf
