// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// What mixes the tokens of one layer.
enum class hybrid_mixer : std::uint8_t { mamba, attention, both };

/// How a family of hybrids arranges and names its layers; a line of this table each.
struct hybrid_layout {
  std::string_view final_norm{};
  std::string_view second_norm{};
  bool second_generation = true;  ///< Mamba-2
  bool packed_mlp = false;        ///< shared_mlp and packed experts (Granite-4) instead of feed_forward.*
};
namespace hybrid_layouts {
inline constexpr hybrid_layout jamba{"model.final_layernorm.weight", "pre_ff_layernorm.weight", false, false};
inline constexpr hybrid_layout bamba{"model.final_layernorm.weight", "pre_ff_layernorm.weight", true, false};
inline constexpr hybrid_layout granite{"model.norm.weight", "post_attention_layernorm.weight", true, true};
inline constexpr hybrid_layout falcon_h1{"model.final_layernorm.weight", "pre_ff_layernorm.weight", true, false};
}  // namespace hybrid_layouts

/// Jamba, Bamba, Granite-4 and Falcon-H1: a Mamba mixer, grouped-query attention or both side by side in each layer,
/// then a feed-forward or routed experts. Members carry the Hugging Face config's words.
struct hybrid_shape {
  std::string_view name{};
  std::string_view model_type = "jamba";
  hybrid_layout layout = hybrid_layouts::jamba;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;  ///< of the dense block, and of one expert
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  bool attention_bias = false;  ///< on Q, K, V and the output
  std::int64_t num_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  std::int64_t shared_intermediate_size = 0;  ///< of the block beside the experts (Granite-4)
  mamba_sizes mixer{};
  std::array<hybrid_mixer, transformer::most_layers> mixers{};
  std::array<std::uint8_t, transformer::most_layers> experts{};  ///< 1 = the layer has routed experts
};

namespace detail {
/// Granite-4: experts packed into two tensors, beside a block that every token passes.
constexpr feed_forward add_granite_mlp(model_builder& b, const hybrid_shape& s) noexcept {
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.shared_intermediate_size;
  const part shared = s.num_experts > 0 ? part::shared_experts : part::mlp;
  if (s.num_experts > 0) {
    b.add("block_sparse_moe.router.layer.weight", s.num_experts, s.hidden_size, part::router, sharding::replicated,
          precision::kept);
    b.add("block_sparse_moe.input_linear.weight", 2 * s.intermediate_size, s.hidden_size, part::experts,
          sharding::expert_rows, precision::experts, s.num_experts);
    b.add("block_sparse_moe.output_linear.weight", s.hidden_size, s.intermediate_size, part::experts,
          sharding::expert_cols, precision::experts, s.num_experts);
    f = {feed_forward_kind::experts, 0, s.num_experts, s.num_experts_per_tok, s.intermediate_size,
         s.shared_intermediate_size};
  }
  b.add("shared_mlp.input_linear.weight", 2 * s.shared_intermediate_size, s.hidden_size, shared, sharding::rows,
        precision::linear);
  b.add("shared_mlp.output_linear.weight", s.hidden_size, s.shared_intermediate_size, shared, sharding::cols,
        precision::linear);
  return f;
}
}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_hybrid(const hybrid_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  detail::add_named_ends(b, s.hidden_size, s.vocab_size, s.tie_word_embeddings, "model.embed_tokens.weight",
                         s.layout.final_norm);
  constexpr detail::gated_names mlp{"feed_forward.gate_proj.weight", "feed_forward.up_proj.weight",
                                    "feed_forward.down_proj.weight"};
  const auto make = [&](std::uint8_t code) {
    const auto mixer = static_cast<hybrid_mixer>(code >> 1);
    const family_range r = b.begin_range();
    b.vector("input_layernorm.weight", s.hidden_size, part::norm);
    b.vector(s.layout.second_norm, s.hidden_size, part::norm);
    recurrent state;
    attention a;
    if (mixer != hybrid_mixer::attention)
      state = s.layout.second_generation ? detail::add_mamba2(b, s.hidden_size, s.mixer, detail::mamba_block_names)
                                         : detail::add_mamba1(b, s.hidden_size, s.mixer, detail::mamba_block_names);
    if (mixer != hybrid_mixer::mamba)
      a = detail::add_gqa(b, s.hidden_size, s.num_attention_heads, s.num_key_value_heads, s.head_dim,
                          {s.attention_bias, s.attention_bias, false});
    feed_forward f;
    if (s.layout.packed_mlp)
      f = detail::add_granite_mlp(b, s);
    else if ((code & 1) != 0)
      f = detail::add_experts(b, s.hidden_size, s.num_experts, s.num_experts_per_tok, s.intermediate_size,
                              {"feed_forward.experts.{}.gate_proj.weight", "feed_forward.experts.{}.up_proj.weight",
                               "feed_forward.experts.{}.down_proj.weight", "feed_forward.router.weight", 0, false});
    else
      f = detail::add_named_mlp(b, s.hidden_size, s.intermediate_size, mlp);
    return b.add_kind(a, f, b.end_range(r), state);
  };
  std::uint8_t codes[transformer::most_layers]{};
  for (std::size_t i = 0; i < transformer::most_layers; ++i)
    codes[i] = static_cast<std::uint8_t>((static_cast<unsigned>(s.mixers[i]) << 1U) | (s.experts[i] != 0 ? 1U : 0U));
  detail::add_pattern(b, codes, s.num_hidden_layers, make);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
