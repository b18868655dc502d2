// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>
#include <ullage/model/tower.hpp>

namespace ullage::inline v0 {

/// The text part of Molmo: OLMo's code with Q, K, V in one matrix and gate and up in another. Members carry the Hugging
/// Face config's words.
struct molmo_shape {
  std::string_view name{};
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;  ///< of gate and up together
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t embedding_size = 0;  ///< rows of embedding and head
  std::int64_t max_position_embeddings = 0;
  bool weight_tying = false;
  bool qkv_bias = false;
  bool attention_layer_norm = false;  ///< norms over all of Q and all of K
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_molmo(const molmo_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = "molmo";
  b.model.max_position = s.max_position_embeddings;
  b.model.layer_prefix = "model.transformer.blocks.";
  b.model.hidden = s.hidden_size;
  b.model.vocabulary = s.embedding_size;
  b.model.tied_embeddings = s.weight_tying;
  family_range r = b.begin_range();
  b.add("model.transformer.wte.embedding", s.embedding_size, s.hidden_size, part::embedding, sharding::vocab_rows,
        precision::kept);
  b.model.embedding = b.end_range(r);
  r = b.begin_range();
  b.vector("model.transformer.ln_f.weight", s.hidden_size, part::norm);
  b.model.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!s.weight_tying)
    b.add("model.transformer.ff_out.weight", s.embedding_size, s.hidden_size, part::head, sharding::vocab_rows,
          precision::head);
  b.model.head = b.end_range(r);

  const std::int64_t head_dim = s.hidden_size / s.num_attention_heads;
  const std::int64_t keys = s.num_key_value_heads * head_dim;
  r = b.begin_range();
  b.vector("attn_norm.weight", s.hidden_size, part::norm);
  b.vector("ff_norm.weight", s.hidden_size, part::norm);
  b.add("att_proj.weight", s.hidden_size + 2 * keys, s.hidden_size, part::attention, sharding::rows, precision::linear);
  if (s.qkv_bias) b.vector("att_proj.bias", s.hidden_size + 2 * keys, part::attention, sharding::rows);
  if (s.attention_layer_norm) {
    b.vector("q_norm.weight", s.hidden_size, part::norm);
    b.vector("k_norm.weight", keys, part::norm);
  }
  b.add("attn_out.weight", s.hidden_size, s.hidden_size, part::attention, sharding::cols, precision::linear);
  b.add("ff_proj.weight", s.intermediate_size, s.hidden_size, part::mlp, sharding::rows, precision::linear);
  b.add("ff_out.weight", s.hidden_size, s.intermediate_size / 2, part::mlp, sharding::cols, precision::linear);
  attention a;
  a.kind = attention_kind::full;
  a.heads = s.num_attention_heads;
  a.kv_heads = s.num_key_value_heads;
  a.key_dim = head_dim;
  a.value_dim = head_dim;
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.intermediate_size / 2;
  const std::uint8_t kind = b.add_kind(a, f, b.end_range(r));
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) b.add_layer(kind);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

namespace towers {

/// CLIP in OLMo's code, pooling by attention over 2 x 2 patches of two layers' states, a gated projector, and the token
/// embeddings that only images use.
inline constexpr std::array<tower_tensor, 34> molmo{{
    {"model.vision_backbone.image_vit.class_embedding", &tower_shape::one, &tower_shape::hidden},
    {"model.vision_backbone.image_vit.patch_embedding.weight", &tower_shape::hidden, &tower_shape::patch},
    {"model.vision_backbone.image_vit.positional_embedding", &tower_shape::positions, &tower_shape::hidden},
    {"model.vision_backbone.image_vit.pre_ln.weight", &tower_shape::one, &tower_shape::hidden},
    {"model.vision_backbone.image_vit.pre_ln.bias", &tower_shape::one, &tower_shape::hidden},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention_norm.weight", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention_norm.bias", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.ffn_norm.weight", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.ffn_norm.bias", &tower_shape::one, &tower_shape::hidden,
     &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wq.weight", &tower_shape::hidden,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wq.bias", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wk.weight", &tower_shape::hidden,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wk.bias", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wv.weight", &tower_shape::hidden,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wv.bias", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wo.weight", &tower_shape::hidden,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.attention.wo.bias", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.feed_forward.w1.weight", &tower_shape::inner,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.feed_forward.w1.bias", &tower_shape::one,
     &tower_shape::inner, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.feed_forward.w2.weight", &tower_shape::hidden,
     &tower_shape::inner, &tower_shape::layers},
    {"model.vision_backbone.image_vit.transformer.resblocks.{}.feed_forward.w2.bias", &tower_shape::one,
     &tower_shape::hidden, &tower_shape::layers},
    {"model.vision_backbone.image_pooling_2d.wq.weight", &tower_shape::hidden, &tower_shape::merged},
    {"model.vision_backbone.image_pooling_2d.wq.bias", &tower_shape::one, &tower_shape::hidden},
    {"model.vision_backbone.image_pooling_2d.wk.weight", &tower_shape::hidden, &tower_shape::merged},
    {"model.vision_backbone.image_pooling_2d.wk.bias", &tower_shape::one, &tower_shape::hidden},
    {"model.vision_backbone.image_pooling_2d.wv.weight", &tower_shape::hidden, &tower_shape::merged},
    {"model.vision_backbone.image_pooling_2d.wv.bias", &tower_shape::one, &tower_shape::hidden},
    {"model.vision_backbone.image_pooling_2d.wo.weight", &tower_shape::hidden, &tower_shape::hidden},
    {"model.vision_backbone.image_pooling_2d.wo.bias", &tower_shape::one, &tower_shape::hidden},
    {"model.vision_backbone.image_projector.w1.weight", &tower_shape::projected, &tower_shape::hidden},
    {"model.vision_backbone.image_projector.w2.weight", &tower_shape::text, &tower_shape::projected},
    {"model.vision_backbone.image_projector.w3.weight", &tower_shape::projected, &tower_shape::hidden},
    {"model.vision_backbone.pad_embed", &tower_shape::two, &tower_shape::merged},
    {"model.transformer.wte.new_embedding", &tower_shape::added_tokens, &tower_shape::text},
}};

}  // namespace towers

}  // namespace ullage::inline v0
