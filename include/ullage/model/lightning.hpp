// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// MiniMax-Text-01 and MiniMax-M1: lightning attention, in some layers grouped-query attention, routed experts in all.
/// Members carry the Hugging Face config's words.
struct lightning_shape {
  std::string_view name{};
  std::string_view model_type = "minimax_m1";
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;  ///< of one expert
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  std::int64_t num_local_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  bool router_float32 = false;  ///< as the checkpoint of M1 stores it
  int state_bits = 16;
  std::array<std::uint8_t, transformer::most_layers> attends{};  ///< 1 = grouped-query attention, 0 = lightning
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_lightning(const lightning_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.add_ends(s.hidden_size, s.vocab_size, s.tie_word_embeddings);
  const auto make = [&](std::uint8_t code) {
    const family_range r = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    attention a;
    recurrent state;
    if (code != 0)
      a = detail::add_gqa(b, s.hidden_size, s.num_attention_heads, s.num_key_value_heads, s.head_dim, {});
    else
      state = detail::add_lightning(b, s.hidden_size, s.num_attention_heads, s.head_dim, s.state_bits);
    b.add("block_sparse_moe.gate.weight", s.num_local_experts, s.hidden_size, part::router, sharding::replicated,
          s.router_float32 ? precision::float32 : precision::kept);
    const feed_forward f = detail::add_sparse_moe_experts(b, s.hidden_size, s.num_local_experts, s.num_experts_per_tok,
                                                          s.intermediate_size);
    return b.add_kind(a, f, b.end_range(r), state);
  };
  detail::add_pattern(b, s.attends.data(), s.num_hidden_layers, make);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
