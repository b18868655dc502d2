// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/builder.hpp>

// Vision towers that stand before mixture-of-experts models: Llama-4 and Kimi-K2.5.
namespace ullage::inline v0 {

namespace detail {

/// Adds the tensors of a tower to a finished model; all in the model's own 16-bit type.
struct tower_builder {
  transformer& model;
  bool ok = true;

  constexpr void matrix(std::string_view name, std::int64_t rows, std::int64_t cols, std::int64_t copies) noexcept {
    ok = model.families.push_back({name, rows, cols, copies, 1, part::tower, sharding::replicated, precision::kept}) &&
         ok;
  }
  constexpr void vector(std::string_view name, std::int64_t length, std::int64_t copies) noexcept {
    matrix(name, 1, length, copies);
  }
};

}  // namespace detail

/// Members carry the config's words where it has them.
struct llama4_tower_shape {
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t projector_input_dim = 0;
  std::int64_t projector_output_dim = 0;
  std::int64_t vision_output_dim = 0;
  std::int64_t text_hidden_size = 0;
  std::int64_t patch_inputs = 0;  ///< channels · patch²
  std::int64_t positions = 0;     ///< patches and the class token
};

/// Adds the tower and its projector; `layers` becomes 0 when a bound of `transformer` is passed.
constexpr void add_llama4_tower(transformer& m, const llama4_tower_shape& s) noexcept {
  detail::tower_builder b{m};
  const std::size_t first = m.families.size();
  const std::int64_t h = s.hidden_size;
  const std::int64_t n = s.num_hidden_layers;
  b.matrix("vision_model.patch_embedding.linear.weight", h, s.patch_inputs, 1);
  b.vector("vision_model.class_embedding", h, 1);
  b.matrix("vision_model.positional_embedding_vlm", s.positions, h, 1);
  for (std::string_view name : {"vision_model.layernorm_pre.weight", "vision_model.layernorm_pre.bias",
                                "vision_model.layernorm_post.weight", "vision_model.layernorm_post.bias"})
    b.vector(name, h, 1);
  for (std::string_view name :
       {"vision_model.model.layers.{}.self_attn.q_proj.weight", "vision_model.model.layers.{}.self_attn.k_proj.weight",
        "vision_model.model.layers.{}.self_attn.v_proj.weight", "vision_model.model.layers.{}.self_attn.o_proj.weight"})
    b.matrix(name, h, h, n);
  for (std::string_view name :
       {"vision_model.model.layers.{}.self_attn.q_proj.bias", "vision_model.model.layers.{}.self_attn.k_proj.bias",
        "vision_model.model.layers.{}.self_attn.v_proj.bias", "vision_model.model.layers.{}.self_attn.o_proj.bias",
        "vision_model.model.layers.{}.mlp.fc2.bias", "vision_model.model.layers.{}.input_layernorm.weight",
        "vision_model.model.layers.{}.input_layernorm.bias",
        "vision_model.model.layers.{}.post_attention_layernorm.weight",
        "vision_model.model.layers.{}.post_attention_layernorm.bias"})
    b.vector(name, h, n);
  b.matrix("vision_model.model.layers.{}.mlp.fc1.weight", s.intermediate_size, h, n);
  b.vector("vision_model.model.layers.{}.mlp.fc1.bias", s.intermediate_size, n);
  b.matrix("vision_model.model.layers.{}.mlp.fc2.weight", h, s.intermediate_size, n);
  b.matrix("vision_model.vision_adapter.mlp.fc1.weight", s.projector_input_dim, s.intermediate_size, 1);
  b.matrix("vision_model.vision_adapter.mlp.fc2.weight", s.projector_output_dim, s.projector_input_dim, 1);
  b.matrix("multi_modal_projector.linear_1.weight", s.text_hidden_size, s.vision_output_dim, 1);
  m.towers = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(m.families.size() - first)};
  if (!b.ok) m.layers = 0;
}

/// MoonViT with the merger of Kimi-K2.5.
struct kimi_tower_shape {
  std::int64_t vt_hidden_size = 0;
  std::int64_t vt_intermediate_size = 0;
  std::int64_t vt_num_hidden_layers = 0;
  std::int64_t patch_inputs = 0;  ///< channels · patch²
  std::int64_t positions = 0;     ///< init_pos_emb_height · init_pos_emb_width
  std::int64_t merged = 0;        ///< vt_hidden_size · merge_kernel_size
  std::int64_t text_hidden_size = 0;
};

constexpr void add_kimi_tower(transformer& m, const kimi_tower_shape& s) noexcept {
  detail::tower_builder b{m};
  const std::size_t first = m.families.size();
  const std::int64_t h = s.vt_hidden_size;
  const std::int64_t n = s.vt_num_hidden_layers;
  b.matrix("vision_tower.patch_embed.proj.weight", h, s.patch_inputs, 1);
  b.vector("vision_tower.patch_embed.proj.bias", h, 1);
  b.matrix("vision_tower.patch_embed.pos_emb.weight", s.positions, h, 1);
  b.matrix("vision_tower.encoder.blocks.{}.wqkv.weight", 3 * h, h, n);
  b.vector("vision_tower.encoder.blocks.{}.wqkv.bias", 3 * h, n);
  b.matrix("vision_tower.encoder.blocks.{}.wo.weight", h, h, n);
  b.matrix("vision_tower.encoder.blocks.{}.mlp.fc0.weight", s.vt_intermediate_size, h, n);
  b.vector("vision_tower.encoder.blocks.{}.mlp.fc0.bias", s.vt_intermediate_size, n);
  b.matrix("vision_tower.encoder.blocks.{}.mlp.fc1.weight", h, s.vt_intermediate_size, n);
  for (std::string_view name :
       {"vision_tower.encoder.blocks.{}.wo.bias", "vision_tower.encoder.blocks.{}.mlp.fc1.bias",
        "vision_tower.encoder.blocks.{}.norm0.weight", "vision_tower.encoder.blocks.{}.norm0.bias",
        "vision_tower.encoder.blocks.{}.norm1.weight", "vision_tower.encoder.blocks.{}.norm1.bias"})
    b.vector(name, h, n);
  for (std::string_view name :
       {"vision_tower.encoder.final_layernorm.weight", "vision_tower.encoder.final_layernorm.bias",
        "mm_projector.pre_norm.weight", "mm_projector.pre_norm.bias"})
    b.vector(name, h, 1);
  b.matrix("mm_projector.proj.0.weight", s.merged, s.merged, 1);
  b.vector("mm_projector.proj.0.bias", s.merged, 1);
  b.matrix("mm_projector.proj.2.weight", s.text_hidden_size, s.merged, 1);
  b.vector("mm_projector.proj.2.bias", s.text_hidden_size, 1);
  m.towers = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(m.families.size() - first)};
  if (!b.ok) m.layers = 0;
}

}  // namespace ullage::inline v0
