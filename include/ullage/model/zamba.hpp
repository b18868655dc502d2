// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// Zamba and Zamba2: Mamba layers, some of which first pass a block of attention and feed-forward that all of them
/// share. Its tensors stand in the first layer that uses them, as in the checkpoint; every use has a projection, low-rank
/// adapters (Zamba2) and a cache of its own. Members carry the Hugging Face config's words.
struct zamba_shape {
  std::string_view name{};
  std::string_view model_type = "zamba";
  bool second_generation = false;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t attention_hidden_size = 0;  ///< what the shared block reads: the layer's input beside the embedding
  std::int64_t attention_head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = true;
  std::int64_t num_mem_blocks = 1;  ///< shared blocks, taken in turn
  std::int64_t adapter_rank = 0;    ///< of the adapters of the feed-forward in every use; 0 = none
  bool use_shared_attention_adapter = false;
  bool add_bias_linear = false;  ///< on the feed-forward (Zamba2)
  mamba_sizes mixer{};
  std::array<std::uint8_t, transformer::most_layers> shares{};  ///< 1 = the layer uses a shared block
};

namespace detail {
inline constexpr mamba_names zamba_names{"mamba.in_proj.weight",
                                         "mamba.in_proj.bias",
                                         "mamba.conv1d.weight",
                                         "mamba.conv1d.bias",
                                         "mamba.x_proj_weight",
                                         "mamba.dt_proj_weight",
                                         "mamba.dt_proj_bias",
                                         "mamba.dt_bias",
                                         "mamba.A_log",
                                         "mamba.D",
                                         "mamba.norm.weight",
                                         "mamba.out_proj.weight",
                                         "mamba.out_proj.bias",
                                         {},
                                         {},
                                         {}};
inline constexpr mamba_names zamba_decoder_names{"mamba_decoder.mamba.in_proj.weight",
                                                 "mamba_decoder.mamba.in_proj.bias",
                                                 "mamba_decoder.mamba.conv1d.weight",
                                                 "mamba_decoder.mamba.conv1d.bias",
                                                 "mamba_decoder.mamba.x_proj_weight",
                                                 "mamba_decoder.mamba.dt_proj_weight",
                                                 "mamba_decoder.mamba.dt_proj_bias",
                                                 "mamba_decoder.mamba.dt_bias",
                                                 "mamba_decoder.mamba.A_log",
                                                 "mamba_decoder.mamba.D",
                                                 "mamba_decoder.mamba.norm.weight",
                                                 "mamba_decoder.mamba.out_proj.weight",
                                                 "mamba_decoder.mamba.out_proj.bias",
                                                 {},
                                                 {},
                                                 {}};

/// Names of the shared block; Zamba2 packs gate and up.
struct zamba_block_names {
  std::string_view q, k, v, o, norm_1, norm_2, gate, up, down;
};
inline constexpr zamba_block_names zamba1_block{
    "shared_transf.self_attn.q_proj.weight",       "shared_transf.self_attn.k_proj.weight",
    "shared_transf.self_attn.v_proj.weight",       "shared_transf.self_attn.o_proj.weight",
    "shared_transf.input_layernorm.weight",        "shared_transf.pre_ff_layernorm.weight",
    "shared_transf.feed_forward.gate_proj.weight", "shared_transf.feed_forward.up_proj.weight",
    "shared_transf.feed_forward.down_proj.weight"};
inline constexpr zamba_block_names zamba2_block{
    "shared_transformer.self_attn.q_proj.weight",          "shared_transformer.self_attn.k_proj.weight",
    "shared_transformer.self_attn.v_proj.weight",          "shared_transformer.self_attn.o_proj.weight",
    "shared_transformer.input_layernorm.weight",           "shared_transformer.pre_ff_layernorm.weight",
    "shared_transformer.feed_forward.gate_up_proj.weight", {},
    "shared_transformer.feed_forward.down_proj.weight"};

constexpr void add_zamba_block(model_builder& b, const zamba_shape& s) noexcept {
  const zamba_block_names& n = s.second_generation ? zamba2_block : zamba1_block;
  const std::int64_t queries = s.num_attention_heads * s.attention_head_dim;
  const std::int64_t keys = s.num_key_value_heads * s.attention_head_dim;
  b.add(n.q, queries, s.attention_hidden_size, part::attention, sharding::rows, precision::linear);
  for (std::string_view name : {n.k, n.v})
    b.add(name, keys, s.attention_hidden_size, part::attention, sharding::kv_rows, precision::linear, 1,
          s.attention_head_dim);
  b.add(n.o, s.hidden_size, queries, part::attention, sharding::cols, precision::linear);
  b.vector(n.norm_1, s.attention_hidden_size, part::norm);
  b.vector(n.norm_2, s.hidden_size, part::norm);
  const std::int64_t inner = s.intermediate_size;
  b.add(n.gate, s.second_generation ? 2 * inner : inner, s.hidden_size, part::mlp, sharding::rows, precision::linear);
  if (!s.second_generation) b.add(n.up, inner, s.hidden_size, part::mlp, sharding::rows, precision::linear);
  b.add(n.down, s.hidden_size, inner, part::mlp, sharding::cols, precision::linear);
  if (s.add_bias_linear) {
    b.vector("shared_transformer.feed_forward.gate_up_proj.bias", 2 * inner, part::mlp, sharding::rows);
    b.vector("shared_transformer.feed_forward.down_proj.bias", s.hidden_size, part::mlp);
  }
}

/// The low-rank adapters of one use; in the checkpoint they are lists of the shared block, one entry a use.
constexpr void add_zamba_adapters(model_builder& b, const zamba_shape& s) noexcept {
  if (s.adapter_rank <= 0) return;
  b.add("shared_transformer.feed_forward.gate_up_proj_adapter_list.0.weight", s.adapter_rank, s.hidden_size, part::mlp,
        sharding::replicated, precision::linear);
  b.add("shared_transformer.feed_forward.gate_up_proj_adapter_list.1.weight", 2 * s.intermediate_size, s.adapter_rank,
        part::mlp, sharding::rows, precision::linear);
  if (!s.use_shared_attention_adapter) return;
  const std::int64_t queries = s.num_attention_heads * s.attention_head_dim;
  const std::int64_t keys = s.num_key_value_heads * s.attention_head_dim;
  b.add("shared_transformer.self_attn.linear_q_adapter_list.0.weight", s.adapter_rank, s.attention_hidden_size,
        part::attention, sharding::replicated, precision::linear);
  b.add("shared_transformer.self_attn.linear_q_adapter_list.1.weight", queries, s.adapter_rank, part::attention,
        sharding::rows, precision::linear);
  for (std::string_view name : {"shared_transformer.self_attn.linear_k_adapter_list.0.weight",
                                "shared_transformer.self_attn.linear_v_adapter_list.0.weight"})
    b.add(name, s.adapter_rank, s.attention_hidden_size, part::attention, sharding::replicated, precision::linear);
  for (std::string_view name : {"shared_transformer.self_attn.linear_k_adapter_list.1.weight",
                                "shared_transformer.self_attn.linear_v_adapter_list.1.weight"})
    b.add(name, keys, s.adapter_rank, part::attention, sharding::kv_rows, precision::linear, 1, s.attention_head_dim);
}
}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_zamba(const zamba_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  detail::add_named_ends(b, s.hidden_size, s.vocab_size, s.tie_word_embeddings, "model.embed_tokens.weight",
                         "model.final_layernorm.weight");
  const auto make = [&](std::uint8_t code) {
    const family_range r = b.begin_range();
    attention a;
    feed_forward f;
    if (code != 0) {
      if (code == 2) detail::add_zamba_block(b, s);
      detail::add_zamba_adapters(b, s);
      b.add("linear.weight", s.hidden_size, s.hidden_size, part::recurrent, sharding::replicated, precision::linear);
      a = {attention_kind::full, s.num_attention_heads, s.num_key_value_heads, s.attention_head_dim,
           s.attention_head_dim};
      f.kind = feed_forward_kind::dense;
      f.inner = s.intermediate_size;
    }
    const detail::mamba_names& n = code != 0 ? detail::zamba_decoder_names : detail::zamba_names;
    b.vector(code != 0 ? "mamba_decoder.input_layernorm.weight" : "input_layernorm.weight", s.hidden_size, part::norm);
    const recurrent state = s.second_generation ? detail::add_mamba2(b, s.hidden_size, s.mixer, n)
                                                : detail::add_mamba1(b, s.hidden_size, s.mixer, n);
    return b.add_kind(a, f, b.end_range(r), state);
  };
  // 0 = Mamba alone, 2 = the first use of a shared block, 1 = a later one
  std::uint8_t codes[transformer::most_layers]{};
  std::int64_t uses = 0;
  for (std::size_t i = 0; i < transformer::most_layers; ++i)
    if (s.shares[i] != 0) codes[i] = uses++ < s.num_mem_blocks ? 2 : 1;
  detail::add_pattern(b, codes, s.num_hidden_layers, make);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
