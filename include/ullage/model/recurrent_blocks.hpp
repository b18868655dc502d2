// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/builder.hpp>

// Blocks of layers that carry a state of fixed size: tensors, and what one sequence leaves in each.
//
// Projections are divided by outputs on the way in and by inputs on the way out, and everything along the channels or
// heads with them. States take the bits that the reader passes: 32 where the config or the model's code says so.
namespace ullage::inline v0 {

/// Sizes of a Mamba mixer. `heads` and `groups` belong to the second generation; the first has `dt_rank` instead.
struct mamba_sizes {
  std::int64_t inner = 0;    ///< channels
  std::int64_t state = 0;    ///< elements of a channel's state
  std::int64_t kernel = 0;   ///< taps of the convolution
  std::int64_t dt_rank = 0;  ///< rank of the step-size projection (Mamba-1)
  std::int64_t heads = 0;    ///< (Mamba-2; Zamba splits the projections of a Mamba-1 over so many)
  std::int64_t groups = 1;   ///< that share B and C (Mamba-2)
  bool proj_bias = false;    ///< on the projections in and out
  bool conv_bias = true;
  bool gated_norm = true;   ///< norm before the projection out (Mamba-2)
  bool step_norms = false;  ///< norms with weights on dt, B and C (Jamba)
  int state_bits = 32;
};

/// Gated delta net: Q and K of `key_heads`, V and a gate of `value_heads`, one key_dim × value_dim state a value head.
struct gated_delta_sizes {
  std::int64_t key_heads = 0;
  std::int64_t value_heads = 0;
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t kernel = 0;
  bool packed = true;  ///< in_proj_qkvz and in_proj_ba (Qwen3-Next), or one tensor each (Qwen3.5)
  int state_bits = 32;
};

/// Kimi delta attention: Q, K and V with a convolution each, a decay a channel, a low-rank or a full output gate.
struct kda_sizes {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t kernel = 0;
  /// use_full_rank_gate (Kimi-K3): one gate projection, A_log padded to head_dim, convolutions and norm in 32 bits.
  bool full_rank_gate = false;
};

}  // namespace ullage::inline v0

namespace ullage::inline v0::detail {

/// Embedding, final norm and head under names of the family's own.
constexpr void add_named_ends(model_builder& b, std::int64_t hidden, std::int64_t vocabulary, bool tied,
                              std::string_view embedding, std::string_view final_norm,
                              std::string_view head = "lm_head.weight") noexcept {
  b.model.hidden = hidden;
  b.model.vocabulary = vocabulary;
  b.model.tied_embeddings = tied;
  family_range r = b.begin_range();
  b.add(embedding, vocabulary, hidden, part::embedding, sharding::vocab_rows, precision::kept);
  b.model.embedding = b.end_range(r);
  r = b.begin_range();
  b.vector(final_norm, hidden, part::norm);
  b.model.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!tied) b.add(head, vocabulary, hidden, part::head, sharding::vocab_rows, precision::head);
  b.model.head = b.end_range(r);
}

/// Lays out layers by codes, one kind a distinct code: `make(code)` adds the tensors of a kind and returns its number.
template <class Make>
constexpr void add_pattern(model_builder& b, const std::uint8_t* codes, std::int64_t layers,
                           const Make& make) noexcept {
  std::uint8_t kind_of[256]{};
  bool made[256]{};
  for (std::int64_t i = 0; i < layers && b.ok; ++i) {
    const std::uint8_t code = codes[i];
    if (!made[code]) {
      kind_of[code] = make(code);
      made[code] = true;
    }
    b.add_layer(kind_of[code]);
  }
}

/// A gated feed-forward (gate, up, down) under names of the family's own.
struct gated_names {
  std::string_view gate, up, down;
};
constexpr feed_forward add_named_mlp(model_builder& b, std::int64_t hidden, std::int64_t inner,
                                     const gated_names& n) noexcept {
  b.add(n.gate, inner, hidden, part::mlp, sharding::rows, precision::linear);
  b.add(n.up, inner, hidden, part::mlp, sharding::rows, precision::linear);
  b.add(n.down, hidden, inner, part::mlp, sharding::cols, precision::linear);
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = inner;
  return f;
}

/// Routed experts under block_sparse_moe (MiniMax, Kimi-Linear) that work in `width`; router and shared experts are the
/// family's own.
constexpr feed_forward add_sparse_moe_experts(model_builder& b, std::int64_t width, std::int64_t experts,
                                              std::int64_t per_token, std::int64_t inner) noexcept {
  b.add("block_sparse_moe.experts.{}.w1.weight", inner, width, part::experts, sharding::expert_rows, precision::experts,
        experts);
  b.add("block_sparse_moe.experts.{}.w3.weight", inner, width, part::experts, sharding::expert_rows, precision::experts,
        experts);
  b.add("block_sparse_moe.experts.{}.w2.weight", width, inner, part::experts, sharding::expert_cols, precision::experts,
        experts);
  return {feed_forward_kind::experts, 0, experts, per_token, inner};
}

/// Names of a Mamba mixer's tensors under one prefix.
struct mamba_names {
  std::string_view in, in_bias, conv, conv_bias, x, dt, dt_weight_bias, dt_bias, a, d, norm, out, out_bias;
  std::string_view dt_norm, b_norm, c_norm;
};
inline constexpr mamba_names mixer_names{"mixer.in_proj.weight",
                                         "mixer.in_proj.bias",
                                         "mixer.conv1d.weight",
                                         "mixer.conv1d.bias",
                                         "mixer.x_proj.weight",
                                         "mixer.dt_proj.weight",
                                         "mixer.dt_proj.bias",
                                         "mixer.dt_bias",
                                         "mixer.A_log",
                                         "mixer.D",
                                         "mixer.norm.weight",
                                         "mixer.out_proj.weight",
                                         "mixer.out_proj.bias",
                                         "mixer.dt_layernorm.weight",
                                         "mixer.b_layernorm.weight",
                                         "mixer.c_layernorm.weight"};
inline constexpr mamba_names mamba_block_names{"mamba.in_proj.weight",
                                               "mamba.in_proj.bias",
                                               "mamba.conv1d.weight",
                                               "mamba.conv1d.bias",
                                               "mamba.x_proj.weight",
                                               "mamba.dt_proj.weight",
                                               "mamba.dt_proj.bias",
                                               "mamba.dt_bias",
                                               "mamba.A_log",
                                               "mamba.D",
                                               "mamba.norm.weight",
                                               "mamba.out_proj.weight",
                                               "mamba.out_proj.bias",
                                               "mamba.dt_layernorm.weight",
                                               "mamba.b_layernorm.weight",
                                               "mamba.c_layernorm.weight"};

constexpr void add_mamba_ends(model_builder& b, std::int64_t hidden, std::int64_t in_rows, std::int64_t channels,
                              const mamba_sizes& s, const mamba_names& n) noexcept {
  b.add(n.in, in_rows, hidden, part::recurrent, sharding::rows, precision::linear);
  if (s.proj_bias) b.vector(n.in_bias, in_rows, part::recurrent, sharding::rows);
  b.add(n.conv, channels, s.kernel, part::recurrent, sharding::rows, precision::kept);
  if (s.conv_bias) b.vector(n.conv_bias, channels, part::recurrent, sharding::rows);
  b.add(n.out, hidden, s.inner, part::recurrent, sharding::cols, precision::linear);
  if (s.proj_bias) b.vector(n.out_bias, hidden, part::recurrent);
}

/// Mamba-1: a selective state of inner · state elements, B, C and the step size projected from the input.
/// Zamba's heads split the channels, each with projections of its own.
constexpr recurrent add_mamba1(model_builder& b, std::int64_t hidden, const mamba_sizes& s,
                               const mamba_names& n) noexcept {
  add_mamba_ends(b, hidden, 2 * s.inner, s.inner, s, n);
  const std::int64_t heads = s.heads > 0 ? s.heads : 1;
  b.add(n.x, s.dt_rank + 2 * s.state, s.inner / heads, part::recurrent, sharding::cols, precision::linear, heads);
  b.add(n.dt, s.inner / heads, s.dt_rank, part::recurrent, sharding::rows, precision::linear, heads);
  b.vector(n.dt_weight_bias, s.inner, part::recurrent, sharding::rows);
  b.add(n.a, s.inner, s.state, part::recurrent, sharding::rows, precision::kept);
  b.vector(n.d, s.inner, part::recurrent, sharding::rows);
  if (s.step_norms) {
    b.vector(n.dt_norm, s.dt_rank, part::norm);
    b.vector(n.b_norm, s.state, part::norm);
    b.vector(n.c_norm, s.state, part::norm);
  }
  return {recurrent_kind::mamba1, 0, s.inner * s.state, s.inner * (s.kernel - 1), s.state_bits, s.kernel - 1};
}

/// Mamba-2: a scalar decay a head; x, B and C pass the convolution together.
constexpr recurrent add_mamba2(model_builder& b, std::int64_t hidden, const mamba_sizes& s,
                               const mamba_names& n) noexcept {
  const std::int64_t channels = s.inner + 2 * s.groups * s.state;
  add_mamba_ends(b, hidden, s.inner + channels + s.heads, channels, s, n);
  b.vector(n.dt_bias, s.heads, part::recurrent, sharding::rows);
  b.vector(n.a, s.heads, part::recurrent, sharding::rows);
  b.vector(n.d, s.heads, part::recurrent, sharding::rows);
  if (s.gated_norm) b.vector(n.norm, s.inner, part::norm, sharding::rows);
  return {recurrent_kind::mamba2, s.heads, s.inner * s.state, channels * (s.kernel - 1), s.state_bits, s.kernel - 1};
}

constexpr recurrent add_gated_delta(model_builder& b, std::int64_t hidden, const gated_delta_sizes& s) noexcept {
  const std::int64_t keys = s.key_heads * s.key_dim;
  const std::int64_t values = s.value_heads * s.value_dim;
  const std::int64_t channels = 2 * keys + values;
  if (s.packed) {
    b.add("linear_attn.in_proj_qkvz.weight", channels + values, hidden, part::recurrent, sharding::rows,
          precision::linear);
    b.add("linear_attn.in_proj_ba.weight", 2 * s.value_heads, hidden, part::recurrent, sharding::rows, precision::kept);
  } else {
    b.add("linear_attn.in_proj_qkv.weight", channels, hidden, part::recurrent, sharding::rows, precision::linear);
    b.add("linear_attn.in_proj_z.weight", values, hidden, part::recurrent, sharding::rows, precision::linear);
    b.add("linear_attn.in_proj_b.weight", s.value_heads, hidden, part::recurrent, sharding::rows, precision::kept);
    b.add("linear_attn.in_proj_a.weight", s.value_heads, hidden, part::recurrent, sharding::rows, precision::kept);
  }
  b.add("linear_attn.conv1d.weight", channels, s.kernel, part::recurrent, sharding::rows, precision::kept);
  b.vector("linear_attn.dt_bias", s.value_heads, part::recurrent, sharding::rows);
  b.vector("linear_attn.A_log", s.value_heads, part::recurrent, sharding::rows);
  b.vector("linear_attn.norm.weight", s.value_dim, part::norm);
  b.add("linear_attn.out_proj.weight", hidden, values, part::recurrent, sharding::cols, precision::linear);
  return {recurrent_kind::gated_delta, s.value_heads, s.value_heads * s.key_dim * s.value_dim,
          channels * (s.kernel - 1), s.state_bits, s.kernel - 1};
}

constexpr recurrent add_kda(model_builder& b, std::int64_t hidden, const kda_sizes& s) noexcept {
  const std::int64_t width = s.heads * s.head_dim;
  const precision wide = s.full_rank_gate ? precision::float32 : precision::kept;
  b.add("self_attn.q_proj.weight", width, hidden, part::recurrent, sharding::rows, precision::linear);
  b.add("self_attn.k_proj.weight", width, hidden, part::recurrent, sharding::rows, precision::linear);
  b.add("self_attn.v_proj.weight", width, hidden, part::recurrent, sharding::rows, precision::linear);
  b.add("self_attn.q_conv1d.weight", width, s.kernel, part::recurrent, sharding::rows, wide);
  b.add("self_attn.k_conv1d.weight", width, s.kernel, part::recurrent, sharding::rows, wide);
  b.add("self_attn.v_conv1d.weight", width, s.kernel, part::recurrent, sharding::rows, wide);
  b.add("self_attn.f_a_proj.weight", s.head_dim, hidden, part::recurrent, sharding::replicated, precision::linear);
  b.add("self_attn.f_b_proj.weight", width, s.head_dim, part::recurrent, sharding::rows, precision::linear);
  b.add("self_attn.A_log", s.full_rank_gate ? s.head_dim : s.heads, 1, part::recurrent, sharding::rows,
        precision::float32);
  b.add("self_attn.dt_bias", width, 1, part::recurrent, sharding::rows, precision::float32);
  b.add("self_attn.b_proj.weight", s.heads, hidden, part::recurrent, sharding::rows, precision::linear);
  if (s.full_rank_gate) {
    b.add("self_attn.g_proj.weight", width, hidden, part::recurrent, sharding::rows, precision::linear);
  } else {
    b.add("self_attn.g_a_proj.weight", s.head_dim, hidden, part::recurrent, sharding::replicated, precision::linear);
    b.add("self_attn.g_b_proj.weight", width, s.head_dim, part::recurrent, sharding::rows, precision::linear);
  }
  b.add("self_attn.o_norm.weight", 1, s.head_dim, part::norm, sharding::replicated, wide);
  b.add("self_attn.o_proj.weight", hidden, width, part::recurrent, sharding::cols, precision::linear);
  // The kernels of the model's code accumulate and return the state in 32 bits.
  return {recurrent_kind::kda, s.heads, width * s.head_dim, 3 * width * (s.kernel - 1), 32, s.kernel - 1};
}

/// Lightning attention (MiniMax): linear attention with a fixed decay a head and an output gate; no convolution.
constexpr recurrent add_lightning(model_builder& b, std::int64_t hidden, std::int64_t heads, std::int64_t head_dim,
                                  int state_bits) noexcept {
  const std::int64_t width = heads * head_dim;
  b.add("self_attn.qkv_proj.weight", 3 * width, hidden, part::recurrent, sharding::rows, precision::linear);
  b.add("self_attn.output_gate.weight", width, hidden, part::recurrent, sharding::rows, precision::linear);
  b.add("self_attn.out_proj.weight", hidden, width, part::recurrent, sharding::cols, precision::linear);
  b.vector("self_attn.norm.weight", width, part::norm, sharding::rows);
  return {recurrent_kind::lightning, heads, width * head_dim, 0, state_bits};
}

/// Real-gated linear recurrent unit with its convolution and two branches (RecurrentGemma); every projection has a bias.
/// The model's code keeps the state in 32 bits.
constexpr recurrent add_rg_lru(model_builder& b, std::int64_t hidden, std::int64_t width, std::int64_t heads,
                               std::int64_t kernel) noexcept {
  const std::int64_t block = width / heads;
  b.add("temporal_block.linear_x.weight", width, hidden, part::recurrent, sharding::rows, precision::linear);
  b.vector("temporal_block.linear_x.bias", width, part::recurrent, sharding::rows);
  b.add("temporal_block.linear_y.weight", width, hidden, part::recurrent, sharding::rows, precision::linear);
  b.vector("temporal_block.linear_y.bias", width, part::recurrent, sharding::rows);
  b.add("temporal_block.linear_out.weight", hidden, width, part::recurrent, sharding::cols, precision::linear);
  b.vector("temporal_block.linear_out.bias", hidden, part::recurrent);
  b.add("temporal_block.conv_1d.weight", width, kernel, part::recurrent, sharding::rows, precision::kept);
  b.vector("temporal_block.conv_1d.bias", width, part::recurrent, sharding::rows);
  b.vector("temporal_block.rg_lru.recurrent_param", width, part::recurrent, sharding::rows);
  b.add("temporal_block.rg_lru.input_gate_weight", width, block, part::recurrent, sharding::rows, precision::kept);
  b.vector("temporal_block.rg_lru.input_gate_bias", width, part::recurrent, sharding::rows);
  b.add("temporal_block.rg_lru.recurrent_gate_weight", width, block, part::recurrent, sharding::rows, precision::kept);
  b.vector("temporal_block.rg_lru.recurrent_gate_bias", width, part::recurrent, sharding::rows);
  return {recurrent_kind::rg_lru, 0, width, width * (kernel - 1), 32, kernel - 1};
}

/// A gated short convolution in place of attention (LFM2): no state beside the last taps.
constexpr recurrent add_short_conv(model_builder& b, std::int64_t hidden, std::int64_t kernel, bool bias) noexcept {
  b.add("conv.in_proj.weight", 3 * hidden, hidden, part::recurrent, sharding::rows, precision::linear);
  b.add("conv.conv.weight", hidden, kernel, part::recurrent, sharding::rows, precision::kept);
  b.add("conv.out_proj.weight", hidden, hidden, part::recurrent, sharding::cols, precision::linear);
  if (bias) {
    b.vector("conv.in_proj.bias", 3 * hidden, part::recurrent, sharding::rows);
    b.vector("conv.conv.bias", hidden, part::recurrent, sharding::rows);
    b.vector("conv.out_proj.bias", hidden, part::recurrent);
  }
  return {recurrent_kind::short_conv, 0, 0, hidden * (kernel - 1), 32, kernel - 1};
}

}  // namespace ullage::inline v0::detail
