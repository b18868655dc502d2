// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/tower.hpp>

// Tables of vision towers and projectors, by the tensors of their checkpoints.
namespace ullage::inline v0::towers {

using shape = tower_shape;

/// Qwen2-VL: LayerNorm, biases everywhere but on the patch embedding, a merger of four patches.
inline constexpr std::array<tower_tensor, 19> qwen2_vl{{
    {"visual.patch_embed.proj.weight", &shape::hidden, &shape::patch},
    {"visual.blocks.{}.norm1.weight", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.norm1.bias", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.norm2.weight", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.norm2.bias", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.attn.qkv.weight", &shape::qkv, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.attn.qkv.bias", &shape::one, &shape::qkv, &shape::layers},
    {"visual.blocks.{}.attn.proj.weight", &shape::hidden, &shape::attention, &shape::layers},
    {"visual.blocks.{}.attn.proj.bias", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.mlp.fc1.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.mlp.fc1.bias", &shape::one, &shape::inner, &shape::layers},
    {"visual.blocks.{}.mlp.fc2.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"visual.blocks.{}.mlp.fc2.bias", &shape::one, &shape::hidden, &shape::layers},
    {"visual.merger.ln_q.weight", &shape::one, &shape::hidden},
    {"visual.merger.ln_q.bias", &shape::one, &shape::hidden},
    {"visual.merger.mlp.0.weight", &shape::merged, &shape::merged},
    {"visual.merger.mlp.0.bias", &shape::one, &shape::merged},
    {"visual.merger.mlp.2.weight", &shape::text, &shape::merged},
    {"visual.merger.mlp.2.bias", &shape::one, &shape::text},
}};

/// Qwen2.5-VL, and EXAONE-4.5 with fewer heads of K and V: RMSNorm and a gated feed-forward with biases.
inline constexpr std::array<tower_tensor, 18> qwen2_5_vl{{
    {"visual.patch_embed.proj.weight", &shape::hidden, &shape::patch},
    {"visual.blocks.{}.norm1.weight", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.norm2.weight", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.attn.qkv.weight", &shape::qkv, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.attn.qkv.bias", &shape::one, &shape::qkv, &shape::layers},
    {"visual.blocks.{}.attn.proj.weight", &shape::hidden, &shape::attention, &shape::layers},
    {"visual.blocks.{}.attn.proj.bias", &shape::one, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.mlp.gate_proj.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.mlp.gate_proj.bias", &shape::one, &shape::inner, &shape::layers},
    {"visual.blocks.{}.mlp.up_proj.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"visual.blocks.{}.mlp.up_proj.bias", &shape::one, &shape::inner, &shape::layers},
    {"visual.blocks.{}.mlp.down_proj.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"visual.blocks.{}.mlp.down_proj.bias", &shape::one, &shape::hidden, &shape::layers},
    {"visual.merger.ln_q.weight", &shape::one, &shape::hidden},
    {"visual.merger.mlp.0.weight", &shape::merged, &shape::merged},
    {"visual.merger.mlp.0.bias", &shape::one, &shape::merged},
    {"visual.merger.mlp.2.weight", &shape::text, &shape::merged},
    {"visual.merger.mlp.2.bias", &shape::one, &shape::text},
}};

/// Qwen3-VL and Qwen3.5: a learned table of positions, and one merger more for each layer that feeds the text layers.
inline constexpr std::array<tower_tensor, 27> qwen3_vl{{
    {"model.visual.patch_embed.proj.weight", &shape::hidden, &shape::patch},
    {"model.visual.patch_embed.proj.bias", &shape::one, &shape::hidden},
    {"model.visual.pos_embed.weight", &shape::positions, &shape::hidden},
    {"model.visual.blocks.{}.norm1.weight", &shape::one, &shape::hidden, &shape::layers},
    {"model.visual.blocks.{}.norm1.bias", &shape::one, &shape::hidden, &shape::layers},
    {"model.visual.blocks.{}.norm2.weight", &shape::one, &shape::hidden, &shape::layers},
    {"model.visual.blocks.{}.norm2.bias", &shape::one, &shape::hidden, &shape::layers},
    {"model.visual.blocks.{}.attn.qkv.weight", &shape::qkv, &shape::hidden, &shape::layers},
    {"model.visual.blocks.{}.attn.qkv.bias", &shape::one, &shape::qkv, &shape::layers},
    {"model.visual.blocks.{}.attn.proj.weight", &shape::hidden, &shape::attention, &shape::layers},
    {"model.visual.blocks.{}.attn.proj.bias", &shape::one, &shape::hidden, &shape::layers},
    {"model.visual.blocks.{}.mlp.linear_fc1.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"model.visual.blocks.{}.mlp.linear_fc1.bias", &shape::one, &shape::inner, &shape::layers},
    {"model.visual.blocks.{}.mlp.linear_fc2.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"model.visual.blocks.{}.mlp.linear_fc2.bias", &shape::one, &shape::hidden, &shape::layers},
    {"model.visual.merger.norm.weight", &shape::one, &shape::hidden},
    {"model.visual.merger.norm.bias", &shape::one, &shape::hidden},
    {"model.visual.merger.linear_fc1.weight", &shape::merged, &shape::merged},
    {"model.visual.merger.linear_fc1.bias", &shape::one, &shape::merged},
    {"model.visual.merger.linear_fc2.weight", &shape::text, &shape::merged},
    {"model.visual.merger.linear_fc2.bias", &shape::one, &shape::text},
    {"model.visual.deepstack_merger_list.{}.norm.weight", &shape::one, &shape::merged, &shape::mergers},
    {"model.visual.deepstack_merger_list.{}.norm.bias", &shape::one, &shape::merged, &shape::mergers},
    {"model.visual.deepstack_merger_list.{}.linear_fc1.weight", &shape::merged, &shape::merged, &shape::mergers},
    {"model.visual.deepstack_merger_list.{}.linear_fc1.bias", &shape::one, &shape::merged, &shape::mergers},
    {"model.visual.deepstack_merger_list.{}.linear_fc2.weight", &shape::text, &shape::merged, &shape::mergers},
    {"model.visual.deepstack_merger_list.{}.linear_fc2.bias", &shape::one, &shape::text, &shape::mergers},
}};

/// SigLIP below a prefix; `pooled` is the head that most language models leave out.
template <fixed_text P>
inline constexpr std::array<tower_tensor, 32> siglip{{
    {joined<P, "embeddings.patch_embedding.weight">, &shape::hidden, &shape::patch},
    {joined<P, "embeddings.patch_embedding.bias">, &shape::one, &shape::hidden},
    {joined<P, "embeddings.position_embedding.weight">, &shape::positions, &shape::hidden},
    {joined<P, "encoder.layers.{}.layer_norm1.weight">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.layer_norm1.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.layer_norm2.weight">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.layer_norm2.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.q_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.q_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.k_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.k_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.v_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.v_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.out_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.out_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc1.weight">, &shape::inner, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc1.bias">, &shape::one, &shape::inner, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc2.weight">, &shape::hidden, &shape::inner, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc2.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "post_layernorm.weight">, &shape::one, &shape::hidden},
    {joined<P, "post_layernorm.bias">, &shape::one, &shape::hidden},
    {joined<P, "head.probe">, &shape::pooled, &shape::hidden},
    {joined<P, "head.attention.in_proj_weight">, &shape::qkv, &shape::hidden, &shape::pooled},
    {joined<P, "head.attention.in_proj_bias">, &shape::pooled, &shape::qkv},
    {joined<P, "head.attention.out_proj.weight">, &shape::hidden, &shape::hidden, &shape::pooled},
    {joined<P, "head.attention.out_proj.bias">, &shape::pooled, &shape::hidden},
    {joined<P, "head.layernorm.weight">, &shape::pooled, &shape::hidden},
    {joined<P, "head.layernorm.bias">, &shape::pooled, &shape::hidden},
    {joined<P, "head.mlp.fc1.weight">, &shape::inner, &shape::hidden, &shape::pooled},
    {joined<P, "head.mlp.fc1.bias">, &shape::pooled, &shape::inner},
    {joined<P, "head.mlp.fc2.weight">, &shape::hidden, &shape::inner, &shape::pooled},
    {joined<P, "head.mlp.fc2.bias">, &shape::pooled, &shape::hidden},
}};

/// CLIP below a prefix: a class token, no bias on the patches, a norm before the layers.
template <fixed_text P>
inline constexpr std::array<tower_tensor, 23> clip{{
    {joined<P, "embeddings.class_embedding">, &shape::one, &shape::hidden},
    {joined<P, "embeddings.patch_embedding.weight">, &shape::hidden, &shape::patch},
    {joined<P, "embeddings.position_embedding.weight">, &shape::positions, &shape::hidden},
    {joined<P, "pre_layrnorm.weight">, &shape::one, &shape::hidden},
    {joined<P, "pre_layrnorm.bias">, &shape::one, &shape::hidden},
    {joined<P, "encoder.layers.{}.layer_norm1.weight">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.layer_norm1.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.layer_norm2.weight">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.layer_norm2.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.q_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.q_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.k_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.k_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.v_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.v_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.out_proj.weight">, &shape::hidden, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.self_attn.out_proj.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc1.weight">, &shape::inner, &shape::hidden, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc1.bias">, &shape::one, &shape::inner, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc2.weight">, &shape::hidden, &shape::inner, &shape::layers},
    {joined<P, "encoder.layers.{}.mlp.fc2.bias">, &shape::one, &shape::hidden, &shape::layers},
    {joined<P, "post_layernorm.weight">, &shape::one, &shape::hidden},
    {joined<P, "post_layernorm.bias">, &shape::one, &shape::hidden},
}};

/// Pixtral: no biases, a gated feed-forward, rotary positions.
inline constexpr std::array<tower_tensor, 11> pixtral{{
    {"vision_tower.patch_conv.weight", &shape::hidden, &shape::patch},
    {"vision_tower.ln_pre.weight", &shape::one, &shape::hidden},
    {"vision_tower.transformer.layers.{}.attention_norm.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.attention.q_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.attention.k_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.attention.v_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.attention.o_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.ffn_norm.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.feed_forward.gate_proj.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.feed_forward.up_proj.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"vision_tower.transformer.layers.{}.feed_forward.down_proj.weight", &shape::hidden, &shape::inner, &shape::layers},
}};

/// Two linear layers into the text part (LLaVA and most after it), and what some put before them: a norm over the
/// merged patches (LFM2-VL, InternVL), or a norm and a merging layer (Mistral-3).
template <fixed_text P>
inline constexpr std::array<tower_tensor, 4> two_linears{{
    {joined<P, "linear_1.weight">, &shape::projected, &shape::merged},
    {joined<P, "linear_1.bias">, &shape::projector_bias, &shape::projected},
    {joined<P, "linear_2.weight">, &shape::text, &shape::projected},
    {joined<P, "linear_2.bias">, &shape::projector_bias, &shape::text},
}};
template <fixed_text P>
inline constexpr std::array<tower_tensor, 2> merged_norm{{
    {joined<P, "layer_norm.weight">, &shape::projector_norm, &shape::merged},
    {joined<P, "layer_norm.bias">, &shape::projector_norm, &shape::merged},
}};
inline constexpr std::array<tower_tensor, 1> image_newline{{{"image_newline", &shape::newline, &shape::text}}};
inline constexpr std::array<tower_tensor, 2> mistral3_merger{{
    {"multi_modal_projector.norm.weight", &shape::one, &shape::hidden},
    {"multi_modal_projector.patch_merger.merging_layer.weight", &shape::hidden, &shape::merged},
}};
inline constexpr std::array<tower_tensor, 2> gemma3_projector{{
    {"multi_modal_projector.mm_input_projection_weight", &shape::hidden, &shape::text},
    {"multi_modal_projector.mm_soft_emb_norm.weight", &shape::one, &shape::hidden},
}};
inline constexpr std::array<tower_tensor, 2> paligemma_projector{{
    {"multi_modal_projector.linear.weight", &shape::text, &shape::hidden},
    {"multi_modal_projector.linear.bias", &shape::one, &shape::text},
}};
inline constexpr std::array<tower_tensor, 1> idefics3_connector{{
    {"model.connector.modality_projection.proj.weight", &shape::text, &shape::merged},
}};
/// Phi-3-vision puts CLIP's patches together in fours, with learned separators of rows and of the two views.
inline constexpr std::array<tower_tensor, 6> phi3_v_projector{{
    {"model.vision_embed_tokens.img_projection.0.weight", &shape::text, &shape::merged},
    {"model.vision_embed_tokens.img_projection.0.bias", &shape::one, &shape::text},
    {"model.vision_embed_tokens.img_projection.2.weight", &shape::text, &shape::text},
    {"model.vision_embed_tokens.img_projection.2.bias", &shape::one, &shape::text},
    {"model.vision_embed_tokens.glb_GN", &shape::one, &shape::merged},
    {"model.vision_embed_tokens.sub_GN", &shape::one, &shape::merged},
}};

/// Gemma-4: gated, without biases, norms over the heads of Q and K, two tables of positions (rows and columns).
/// std_bias and std_scale are buffers.
inline constexpr std::array<tower_tensor, 16> gemma4{{
    {"model.vision_tower.patch_embedder.input_proj.weight", &shape::hidden, &shape::patch},
    {"model.vision_tower.patch_embedder.position_embedding_table", &shape::positions, &shape::hidden, &shape::two},
    {"model.vision_tower.encoder.layers.{}.input_layernorm.weight", &shape::one, &shape::hidden, &shape::layers},
    {"model.vision_tower.encoder.layers.{}.post_attention_layernorm.weight", &shape::one, &shape::hidden,
     &shape::layers},
    {"model.vision_tower.encoder.layers.{}.pre_feedforward_layernorm.weight", &shape::one, &shape::hidden,
     &shape::layers},
    {"model.vision_tower.encoder.layers.{}.post_feedforward_layernorm.weight", &shape::one, &shape::hidden,
     &shape::layers},
    {"model.vision_tower.encoder.layers.{}.self_attn.q_norm.weight", &shape::one, &shape::head_dim, &shape::layers},
    {"model.vision_tower.encoder.layers.{}.self_attn.k_norm.weight", &shape::one, &shape::head_dim, &shape::layers},
    {"model.vision_tower.encoder.layers.{}.self_attn.q_proj.linear.weight", &shape::attention, &shape::hidden,
     &shape::layers},
    {"model.vision_tower.encoder.layers.{}.self_attn.k_proj.linear.weight", &shape::kv, &shape::hidden, &shape::layers},
    {"model.vision_tower.encoder.layers.{}.self_attn.v_proj.linear.weight", &shape::kv, &shape::hidden, &shape::layers},
    {"model.vision_tower.encoder.layers.{}.self_attn.o_proj.linear.weight", &shape::hidden, &shape::attention,
     &shape::layers},
    {"model.vision_tower.encoder.layers.{}.mlp.gate_proj.linear.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"model.vision_tower.encoder.layers.{}.mlp.up_proj.linear.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"model.vision_tower.encoder.layers.{}.mlp.down_proj.linear.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"model.embed_vision.embedding_projection.weight", &shape::text, &shape::hidden},
}};

/// MoonViT (Kimi-VL).
inline constexpr std::array<tower_tensor, 17> moonvit{{
    {"vision_tower.patch_embed.proj.weight", &shape::hidden, &shape::patch},
    {"vision_tower.patch_embed.proj.bias", &shape::one, &shape::hidden},
    {"vision_tower.patch_embed.pos_emb.weight", &shape::positions, &shape::hidden},
    {"vision_tower.encoder.blocks.{}.norm0.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.norm0.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.norm1.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.norm1.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.wqkv.weight", &shape::qkv, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.wqkv.bias", &shape::one, &shape::qkv, &shape::layers},
    {"vision_tower.encoder.blocks.{}.wo.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.wo.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.mlp.fc0.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.blocks.{}.mlp.fc0.bias", &shape::one, &shape::inner, &shape::layers},
    {"vision_tower.encoder.blocks.{}.mlp.fc1.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"vision_tower.encoder.blocks.{}.mlp.fc1.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.final_layernorm.weight", &shape::one, &shape::hidden},
    {"vision_tower.encoder.final_layernorm.bias", &shape::one, &shape::hidden},
}};
/// Its projector: a norm over single patches, then two layers over four of them.
inline constexpr std::array<tower_tensor, 6> moonvit_projector{{
    {"multi_modal_projector.pre_norm.weight", &shape::one, &shape::hidden},
    {"multi_modal_projector.pre_norm.bias", &shape::one, &shape::hidden},
    {"multi_modal_projector.linear_1.weight", &shape::merged, &shape::merged},
    {"multi_modal_projector.linear_1.bias", &shape::one, &shape::merged},
    {"multi_modal_projector.linear_2.weight", &shape::text, &shape::merged},
    {"multi_modal_projector.linear_2.bias", &shape::one, &shape::text},
}};

/// InternViT as InternVL's own code stores it (Q, K and V in one matrix), with its projector.
inline constexpr std::array<tower_tensor, 26> internvl_chat{{
    {"vision_model.embeddings.class_embedding", &shape::one, &shape::hidden},
    {"vision_model.embeddings.patch_embedding.weight", &shape::hidden, &shape::patch},
    {"vision_model.embeddings.patch_embedding.bias", &shape::one, &shape::hidden},
    {"vision_model.embeddings.position_embedding", &shape::positions, &shape::hidden},
    {"vision_model.encoder.layers.{}.ls1", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.ls2", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.norm1.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.norm1.bias", &shape::norm_bias, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.norm2.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.norm2.bias", &shape::norm_bias, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.attn.qkv.weight", &shape::qkv, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.attn.qkv.bias", &shape::attention_bias, &shape::qkv, &shape::layers},
    {"vision_model.encoder.layers.{}.attn.q_norm.weight", &shape::qk_norm, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.attn.k_norm.weight", &shape::qk_norm, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.attn.proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.attn.proj.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.mlp.fc1.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"vision_model.encoder.layers.{}.mlp.fc1.bias", &shape::one, &shape::inner, &shape::layers},
    {"vision_model.encoder.layers.{}.mlp.fc2.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"vision_model.encoder.layers.{}.mlp.fc2.bias", &shape::one, &shape::hidden, &shape::layers},
    {"mlp1.0.weight", &shape::one, &shape::merged},
    {"mlp1.0.bias", &shape::one, &shape::merged},
    {"mlp1.1.weight", &shape::text, &shape::merged},
    {"mlp1.1.bias", &shape::one, &shape::text},
    {"mlp1.3.weight", &shape::text, &shape::text},
    {"mlp1.3.bias", &shape::one, &shape::text},
}};
/// The same tower in transformers' layout.
inline constexpr std::array<tower_tensor, 26> internvl{{
    {"vision_tower.embeddings.cls_token", &shape::one, &shape::hidden},
    {"vision_tower.embeddings.patch_embeddings.projection.weight", &shape::hidden, &shape::patch},
    {"vision_tower.embeddings.patch_embeddings.projection.bias", &shape::one, &shape::hidden},
    {"vision_tower.embeddings.position_embeddings", &shape::positions, &shape::hidden},
    {"vision_tower.encoder.layer.{}.lambda_1", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.lambda_2", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.layernorm_before.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.layernorm_before.bias", &shape::norm_bias, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.layernorm_after.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.layernorm_after.bias", &shape::norm_bias, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.q_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.k_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.v_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.q_proj.bias", &shape::attention_bias, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.k_proj.bias", &shape::attention_bias, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.v_proj.bias", &shape::attention_bias, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.q_norm.weight", &shape::qk_norm, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.k_norm.weight", &shape::qk_norm, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.projection_layer.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.attention.projection_layer.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.mlp.fc1.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"vision_tower.encoder.layer.{}.mlp.fc1.bias", &shape::one, &shape::inner, &shape::layers},
    {"vision_tower.encoder.layer.{}.mlp.fc2.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"vision_tower.encoder.layer.{}.mlp.fc2.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_tower.layernorm.weight", &shape::pooled, &shape::hidden},
    {"vision_tower.layernorm.bias", &shape::pooled, &shape::hidden},
}};

/// Llama-3.2-Vision: local layers, then gated global ones, over tiles of an image; the states of some layers go to the
/// text part side by side.
inline constexpr std::array<tower_tensor, 41> mllama{{
    {"vision_model.class_embedding", &shape::one, &shape::hidden},
    {"vision_model.patch_embedding.weight", &shape::hidden, &shape::patch},
    {"vision_model.gated_positional_embedding.gate", &shape::one, &shape::one},
    {"vision_model.gated_positional_embedding.embedding", &shape::positions, &shape::hidden},
    {"vision_model.gated_positional_embedding.tile_embedding.weight", &shape::aspects, &shape::positions_of_tiles},
    {"vision_model.pre_tile_positional_embedding.gate", &shape::one, &shape::one},
    {"vision_model.pre_tile_positional_embedding.embedding.weight", &shape::aspects, &shape::tiles},
    {"vision_model.post_tile_positional_embedding.gate", &shape::one, &shape::one},
    {"vision_model.post_tile_positional_embedding.embedding.weight", &shape::aspects, &shape::tiles},
    {"vision_model.layernorm_pre.weight", &shape::one, &shape::hidden},
    {"vision_model.layernorm_pre.bias", &shape::one, &shape::hidden},
    {"vision_model.layernorm_post.weight", &shape::one, &shape::hidden},
    {"vision_model.layernorm_post.bias", &shape::one, &shape::hidden},
    {"vision_model.transformer.layers.{}.input_layernorm.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.input_layernorm.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.post_attention_layernorm.weight", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.post_attention_layernorm.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.self_attn.q_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.self_attn.k_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.self_attn.v_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.self_attn.o_proj.weight", &shape::hidden, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.mlp.fc1.weight", &shape::inner, &shape::hidden, &shape::layers},
    {"vision_model.transformer.layers.{}.mlp.fc1.bias", &shape::one, &shape::inner, &shape::layers},
    {"vision_model.transformer.layers.{}.mlp.fc2.weight", &shape::hidden, &shape::inner, &shape::layers},
    {"vision_model.transformer.layers.{}.mlp.fc2.bias", &shape::one, &shape::hidden, &shape::layers},
    {"vision_model.global_transformer.layers.{}.gate_attn", &shape::one, &shape::one, &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.gate_ffn", &shape::one, &shape::one, &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.input_layernorm.weight", &shape::one, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.input_layernorm.bias", &shape::one, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.post_attention_layernorm.weight", &shape::one, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.post_attention_layernorm.bias", &shape::one, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.self_attn.q_proj.weight", &shape::hidden, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.self_attn.k_proj.weight", &shape::hidden, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.self_attn.v_proj.weight", &shape::hidden, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.self_attn.o_proj.weight", &shape::hidden, &shape::hidden,
     &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.mlp.fc1.weight", &shape::inner, &shape::hidden, &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.mlp.fc1.bias", &shape::one, &shape::inner, &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.mlp.fc2.weight", &shape::hidden, &shape::inner, &shape::global_layers},
    {"vision_model.global_transformer.layers.{}.mlp.fc2.bias", &shape::one, &shape::hidden, &shape::global_layers},
    {"multi_modal_projector.weight", &shape::text, &shape::merged},
    {"multi_modal_projector.bias", &shape::one, &shape::text},
}};

}  // namespace ullage::inline v0::towers
