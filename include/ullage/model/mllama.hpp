// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// The text part of Llama-3.2-Vision: Llama's layers, and between them gated layers that look at the image alone. Their
/// K and V are made once from the tower's states. Members carry the Hugging Face config's words.
struct mllama_shape {
  std::string_view name{};
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  std::array<std::uint8_t, transformer::most_layers> cross_attention{};  ///< 1 where a layer looks at the image
  std::int64_t image_tokens = 0;                                         ///< states of one image that are cached
};

/// Rows that the embedding has beyond the vocabulary, for the image's own tokens.
inline constexpr std::int64_t mllama_added_tokens = 8;

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_mllama(const mllama_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = "mllama";
  b.model.max_position = s.max_position_embeddings;
  b.model.layer_prefix = "language_model.model.layers.";
  b.model.encoder_tokens = s.image_tokens;
  b.model.hidden = s.hidden_size;
  b.model.vocabulary = s.vocab_size;
  b.model.tied_embeddings = s.tie_word_embeddings;
  family_range r = b.begin_range();
  b.add("language_model.model.embed_tokens.weight", s.vocab_size + mllama_added_tokens, s.hidden_size, part::embedding,
        sharding::vocab_rows, precision::kept);
  b.model.embedding = b.end_range(r);
  r = b.begin_range();
  b.vector("language_model.model.norm.weight", s.hidden_size, part::norm);
  b.model.final_norm = b.end_range(r);
  r = b.begin_range();
  // The head has no rows for the added tokens, so that a tied one would not be the embedding either.
  if (!s.tie_word_embeddings)
    b.add("language_model.lm_head.weight", s.vocab_size, s.hidden_size, part::head, sharding::vocab_rows,
          precision::head);
  b.model.head = b.end_range(r);

  const std::int64_t head_dim = s.hidden_size / s.num_attention_heads;
  const auto add_layer_of = [&](bool cross) {
    const family_range layer = b.begin_range();
    detail::add_layer_norms(b, s.hidden_size);
    attention a;
    if (cross) {
      const std::int64_t queries = s.num_attention_heads * head_dim;
      const std::int64_t keys = s.num_key_value_heads * head_dim;
      b.add("cross_attn.q_proj.weight", queries, s.hidden_size, part::attention, sharding::rows, precision::linear);
      b.add("cross_attn.k_proj.weight", keys, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1,
            head_dim);
      b.add("cross_attn.v_proj.weight", keys, s.hidden_size, part::attention, sharding::kv_rows, precision::linear, 1,
            head_dim);
      b.add("cross_attn.o_proj.weight", s.hidden_size, queries, part::attention, sharding::cols, precision::linear);
      b.vector("cross_attn.q_norm.weight", head_dim, part::norm);
      b.vector("cross_attn.k_norm.weight", head_dim, part::norm);
      b.vector("cross_attn_attn_gate", 1, part::attention);
      b.vector("cross_attn_mlp_gate", 1, part::mlp);
      a.kind = attention_kind::cross;
      a.heads = s.num_attention_heads;
      a.kv_heads = s.num_key_value_heads;
      a.key_dim = head_dim;
      a.value_dim = head_dim;
    } else {
      a = detail::add_gqa(b, s.hidden_size, s.num_attention_heads, s.num_key_value_heads, head_dim, {});
    }
    const feed_forward f = detail::add_gated_mlp(b, s.hidden_size, s.intermediate_size, false);
    return b.add_kind(a, f, b.end_range(layer));
  };
  constexpr int absent = 255;
  int kinds[2] = {absent, absent};
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    const bool cross = s.cross_attention[static_cast<std::size_t>(i)] != 0;
    int& kind = kinds[cross ? 1 : 0];
    if (kind == absent) kind = add_layer_of(cross);
    b.add_layer(static_cast<std::uint8_t>(kind));
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
