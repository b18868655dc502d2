// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <ullage/io/hf/mamba_kin.hpp>
#include <ullage/model/zamba.hpp>

// Zamba and Zamba2. States take the type of the model, as the caches of the classes in transformers do.
namespace ullage::inline v0::io::hf {

namespace detail_zamba {

inline zamba_shape read_zamba_common(object_reader& r, const read_context& c) {
  zamba_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.hidden_size = r.required_whole("hidden_size", 1, most_elements);
  s.num_hidden_layers = read_layers(r);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", 4096, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", true);
  s.num_attention_heads = r.required_whole("num_attention_heads", 1, most_elements);
  s.num_key_value_heads = r.whole("num_key_value_heads", s.num_attention_heads, 1, most_elements);
  expect_divisor(r, "num_key_value_heads", s.num_key_value_heads, "num_attention_heads", s.num_attention_heads);
  const std::int64_t width = bounded_product(r, "hidden_size", s.hidden_size, 2);
  s.attention_hidden_size = r.whole("attention_hidden_size", width, 1, most_elements);
  expect_size(r, "attention_hidden_size", s.attention_hidden_size, width, "twice hidden_size");
  expect_divisor(r, "num_attention_heads", s.num_attention_heads, "twice hidden_size", width);
  s.attention_head_dim = r.ok() ? width / s.num_attention_heads : 1;
  expect_size(r, "attention_head_dim", r.whole("attention_head_dim", s.attention_head_dim, 1, most_elements),
              s.attention_head_dim, "twice hidden_size over num_attention_heads");
  s.mixer.state_bits = dtype_bits(r);
  pass_mamba_keys(r);
  pass_keys(r, {"hidden_mamba_act"});
  require_value(r, "sliding_window", r.has("sliding_window"), "null");
  return s;
}

}  // namespace detail_zamba

/// Zamba: the third layer uses the shared block, and of the layers behind it every attn_layer_period-th.
inline transformer read_zamba(object_reader& r, const read_context& c) {
  zamba_shape s = detail_zamba::read_zamba_common(r, c);
  s.intermediate_size = r.required_whole("intermediate_size", 1, most_elements);
  mamba_sizes& m = s.mixer;
  m.state = r.whole("mamba_d_state", 16, 1, most_elements);
  m.kernel = r.whole("mamba_d_conv", 4, 1, 4096);
  m.inner = bounded_product(r, "mamba_expand", r.whole("mamba_expand", 2, 1, most_elements), s.hidden_size);
  m.dt_rank = read_step_rank(r, "mamba_dt_rank", s.hidden_size);
  m.heads = r.whole("n_mamba_heads", 2, 1, most_elements);
  m.proj_bias = r.flag("mamba_proj_bias", false);
  m.conv_bias = r.flag("mamba_conv_bias", true);
  expect_divisor(r, "n_mamba_heads", m.heads, "the channels,", m.inner);
  layer_codes every{};
  read_every_nth(r, "attn_layer_period", "attn_layer_offset", 6, 4, s.num_hidden_layers, every);
  layer_codes listed{};
  const bool has_list = read_layer_words(r, "layers_block_type", s.num_hidden_layers,
                                         {{"mamba", 0}, {"hybrid", 1}, {"linear_attention", 0}}, listed);
  for (std::size_t i = 2; i < static_cast<std::size_t>(s.num_hidden_layers); ++i)
    s.shares[i] = i == 2 ? 1 : every[i - 3];
  if (has_list) s.shares = listed;
  if (!r.ok()) return {};
  return make_zamba(s);
}

/// Zamba2. The first releases say ffn_hidden_size, conv_dimension, expansion_factor, state_size, mamba_headdim, lora_rank
/// and "m" or "g" for layers.
inline transformer read_zamba2(object_reader& r, const read_context& c) {
  zamba_shape s = detail_zamba::read_zamba_common(r, c);
  s.second_generation = true;
  s.intermediate_size = whole_of_two(r, "intermediate_size", "ffn_hidden_size", 0, 1);
  mamba_sizes& m = s.mixer;
  m.state = whole_of_two(r, "mamba_d_state", "state_size", 64, 1);
  m.kernel = whole_of_two(r, "mamba_d_conv", "conv_dimension", 4, 1, 4096);
  const std::int64_t expand = whole_of_two(r, "mamba_expand", "expansion_factor", 2, 1);
  m.inner = bounded_product(r, "mamba_expand", expand, s.hidden_size);
  m.groups = r.whole("mamba_ngroups", 1, 1, most_elements);
  const std::int64_t head_dim = r.whole("mamba_headdim", 0, 1, most_elements);
  if (head_dim > 0) expect_divisor(r, "mamba_headdim", head_dim, "the channels,", m.inner);
  const std::int64_t heads = head_dim > 0 && r.ok() ? m.inner / head_dim : 8;
  m.heads = r.whole("n_mamba_heads", heads, 1, most_elements);
  expect_divisor(r, "n_mamba_heads", m.heads, "the channels,", m.inner);
  if (head_dim > 0) expect_size(r, "n_mamba_heads", m.heads, heads, "the channels over mamba_headdim");
  expect_divisor(r, "mamba_ngroups", m.groups, "n_mamba_heads", m.heads);
  bounded_product(r, "mamba_ngroups", m.groups, m.state);
  s.add_bias_linear = r.flag("add_bias_linear", false);
  m.proj_bias = s.add_bias_linear;
  m.conv_bias = r.flag("use_conv_bias", true);
  s.num_mem_blocks = r.whole("num_mem_blocks", 1, 1, transformer::most_layers);
  s.adapter_rank = whole_of_two(r, "adapter_rank", "lora_rank", 128, 1);
  s.use_shared_attention_adapter = r.flag("use_shared_attention_adapter", r.flag("use_shared_attention_lora", false));
  require_value(r, "use_shared_block_lora", !r.flag("use_shared_block_lora", true), "true");
  require_value(r, "use_shared_mlp_adapter", !r.flag("use_shared_mlp_adapter", true), "true");
  require_value(r, "ft_lora", r.flag("ft_lora", false), "false");
  require_value(r, "gated_linear_unit", !r.flag("gated_linear_unit", true), "true");
  if (!read_layer_words(r, "layers_block_type", s.num_hidden_layers,
                        {{"mamba", 0}, {"hybrid", 1}, {"m", 0}, {"g", 1}, {"linear_attention", 0}}, s.shares))
    r.missing("layers_block_type", "\"mamba\" or \"hybrid\" for every layer");
  expect_size(r, "num_query_groups", r.whole("num_query_groups", s.num_key_value_heads, 1, most_elements),
              s.num_key_value_heads, "num_key_value_heads");
  // kv_channels is hidden_size over the heads, half of what the shared block's heads have.
  pass_keys(r,
            {"kv_channels", "use_mem_rope", "use_long_context", "hybrid_layer_ids", "chunk_size", "mamba_chunk_size"});
  if (!r.ok()) return {};
  return make_zamba(s);
}

}  // namespace ullage::inline v0::io::hf
