// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// RecurrentGemma: gated linear recurrences and attention over a window, two to one. Members carry the Hugging Face
/// config's words.
struct recurrent_gemma_shape {
  std::string_view name{};
  std::string_view model_type = "recurrent_gemma";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;  ///< as the config says it: gate and up together
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  bool tie_word_embeddings = true;
  bool attention_bias = false;  ///< on Q, K and V; the output always has one
  std::int64_t lru_width = 0;
  std::int64_t conv1d_width = 0;
  std::int64_t attention_window_size = 0;
  std::array<std::uint8_t, transformer::most_layers> attends{};  ///< 1 = attention, 0 = recurrence
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_recurrent_gemma(const recurrent_gemma_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  detail::add_named_ends(b, s.hidden_size, s.vocab_size, s.tie_word_embeddings, "model.embed_tokens.weight",
                         "model.final_norm.weight");
  const std::int64_t inner = s.intermediate_size / 2;
  const std::int64_t queries = s.num_attention_heads * s.head_dim;
  const std::int64_t keys = s.num_key_value_heads * s.head_dim;
  const auto add_attention = [&] {
    b.add("temporal_block.q_proj.weight", queries, s.hidden_size, part::attention, sharding::rows, precision::linear);
    for (std::string_view n : {"temporal_block.k_proj.weight", "temporal_block.v_proj.weight"})
      b.add(n, keys, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1, s.head_dim);
    b.add("temporal_block.o_proj.weight", s.hidden_size, queries, part::attention, sharding::cols, precision::linear);
    if (s.attention_bias) {
      b.vector("temporal_block.q_proj.bias", queries, part::attention, sharding::rows);
      b.vector("temporal_block.k_proj.bias", keys, part::attention, sharding::kv_rows, s.head_dim);
      b.vector("temporal_block.v_proj.bias", keys, part::attention, sharding::kv_rows, s.head_dim);
    }
    b.vector("temporal_block.o_proj.bias", s.hidden_size, part::attention);
    attention a{attention_kind::sliding, s.num_attention_heads, s.num_key_value_heads, s.head_dim, s.head_dim};
    a.window = s.attention_window_size;
    return a;
  };
  const auto make = [&](std::uint8_t code) {
    const family_range r = b.begin_range();
    b.vector("temporal_pre_norm.weight", s.hidden_size, part::norm);
    b.vector("channel_pre_norm.weight", s.hidden_size, part::norm);
    attention a;
    recurrent state;
    if (code != 0)
      a = add_attention();
    else
      state = detail::add_rg_lru(b, s.hidden_size, s.lru_width, s.num_attention_heads, s.conv1d_width);
    const feed_forward f =
        detail::add_named_mlp(b, s.hidden_size, inner,
                              {"mlp_block.gate_proj.weight", "mlp_block.up_proj.weight", "mlp_block.down_proj.weight"});
    b.vector("mlp_block.gate_proj.bias", inner, part::mlp, sharding::rows);
    b.vector("mlp_block.up_proj.bias", inner, part::mlp, sharding::rows);
    b.vector("mlp_block.down_proj.bias", s.hidden_size, part::mlp);
    return b.add_kind(a, f, b.end_range(r), state);
  };
  detail::add_pattern(b, s.attends.data(), s.num_hidden_layers, make);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
