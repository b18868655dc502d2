// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/tower.hpp>

// Tables of audio towers, by the tensors of their checkpoints.
namespace ullage::inline v0::towers {

/// Whisper's encoder as a tower (Qwen2-Audio, Voxtral): two convolutions over three frames, no bias on K.
inline constexpr std::array<tower_tensor, 22> whisper{{
    {"audio_tower.conv1.weight", &tower_shape::hidden, &tower_shape::patch},
    {"audio_tower.conv1.bias", &tower_shape::one, &tower_shape::hidden},
    {"audio_tower.conv2.weight", &tower_shape::hidden, &tower_shape::second_patch},
    {"audio_tower.conv2.bias", &tower_shape::one, &tower_shape::hidden},
    {"audio_tower.embed_positions.weight", &tower_shape::positions, &tower_shape::hidden},
    {"audio_tower.layers.{}.self_attn_layer_norm.weight", &tower_shape::one, &tower_shape::hidden,
     &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn_layer_norm.bias", &tower_shape::one, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn.q_proj.weight", &tower_shape::hidden, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn.q_proj.bias", &tower_shape::one, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn.k_proj.weight", &tower_shape::hidden, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn.v_proj.weight", &tower_shape::hidden, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn.v_proj.bias", &tower_shape::one, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn.out_proj.weight", &tower_shape::hidden, &tower_shape::hidden,
     &tower_shape::layers},
    {"audio_tower.layers.{}.self_attn.out_proj.bias", &tower_shape::one, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.final_layer_norm.weight", &tower_shape::one, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.final_layer_norm.bias", &tower_shape::one, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.fc1.weight", &tower_shape::inner, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layers.{}.fc1.bias", &tower_shape::one, &tower_shape::inner, &tower_shape::layers},
    {"audio_tower.layers.{}.fc2.weight", &tower_shape::hidden, &tower_shape::inner, &tower_shape::layers},
    {"audio_tower.layers.{}.fc2.bias", &tower_shape::one, &tower_shape::hidden, &tower_shape::layers},
    {"audio_tower.layer_norm.weight", &tower_shape::one, &tower_shape::hidden},
    {"audio_tower.layer_norm.bias", &tower_shape::one, &tower_shape::hidden},
}};
inline constexpr std::array<tower_tensor, 2> qwen2_audio_projector{{
    {"multi_modal_projector.linear.weight", &tower_shape::text, &tower_shape::hidden},
    {"multi_modal_projector.linear.bias", &tower_shape::one, &tower_shape::text},
}};

}  // namespace ullage::inline v0::towers
