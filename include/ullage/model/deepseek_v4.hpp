// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// DeepSeek-V4: one shared head of keys that are values too, kept for a window and, in most layers, for compressed
/// groups of tokens; a sparse indexer over the finer groups; experts in every layer, the first ones chosen by a table;
/// several streams of the hidden state (hyper-connections). Members carry the config's words.
struct deepseek_v4_shape {
  std::string_view name{};
  std::string_view model_type = "deepseek_v4";
  std::int64_t hidden_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t q_lora_rank = 0;
  std::int64_t o_lora_rank = 0;
  std::int64_t o_groups = 0;
  std::int64_t sliding_window = 0;
  std::int64_t index_n_heads = 0;
  std::int64_t index_head_dim = 0;
  std::int64_t index_topk = 0;
  std::int64_t n_routed_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  std::int64_t moe_intermediate_size = 0;
  std::int64_t n_shared_experts = 0;
  std::int64_t num_hash_layers = 0;
  std::int64_t hc_mult = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  std::int64_t num_nextn_predict_layers = 0;
  /// Tokens of a compressed group, 0 = the window alone; layers, then prediction modules.
  std::array<std::int64_t, transformer::most_layers> compress_ratios{};
};

namespace detail {

/// A stream that joins groups of `ratio` tokens into one entry: groups of four overlap and so have twice the width.
constexpr std::int64_t compressor_width(std::int64_t ratio, std::int64_t dim) noexcept {
  return ratio == 4 ? 2 * dim : dim;
}

constexpr attention add_v4_attention(model_builder& b, const deepseek_v4_shape& s, std::int64_t ratio) noexcept {
  constexpr sharding whole = sharding::replicated;
  const std::int64_t h = s.hidden_size;
  const std::int64_t d = s.head_dim;
  const std::int64_t outputs = s.num_attention_heads * d;
  b.add("attn.wq_a.weight", s.q_lora_rank, h, part::attention, whole, precision::linear);
  b.vector("attn.q_norm.weight", s.q_lora_rank, part::norm);
  b.add("attn.wq_b.weight", outputs, s.q_lora_rank, part::attention, sharding::rows, precision::linear);
  b.add("attn.wkv.weight", d, h, part::attention, whole, precision::linear);
  b.vector("attn.kv_norm.weight", d, part::norm);
  b.add("attn.wo_a.weight", s.o_groups * s.o_lora_rank, outputs / s.o_groups, part::attention, sharding::rows,
        precision::linear);
  b.add("attn.wo_b.weight", h, s.o_groups * s.o_lora_rank, part::attention, sharding::cols, precision::linear);
  b.add("attn.attn_sink", s.num_attention_heads, 1, part::attention, sharding::rows, precision::float32);
  attention a;
  a.heads = s.num_attention_heads;
  a.kv_heads = 1;
  a.query_rank = s.q_lora_rank;
  a.window = s.sliding_window;
  if (ratio == 0) {
    a.kind = attention_kind::sliding;  // its one head of keys is the value too
    a.key_dim = d;
    return a;
  }
  a.kind = attention_kind::latent;
  a.key_dim = d - s.qk_rope_head_dim;
  a.value_dim = d;
  a.latent_rank = d - s.qk_rope_head_dim;
  a.rope_dim = s.qk_rope_head_dim;
  a.stride = ratio;
  const std::int64_t width = compressor_width(ratio, d);
  b.add("attn.compressor.wkv.weight", width, h, part::attention, whole, precision::kept);
  b.add("attn.compressor.wgate.weight", width, h, part::attention, whole, precision::kept);
  b.add("attn.compressor.ape", ratio, width, part::attention, whole, precision::float32);
  b.vector("attn.compressor.norm.weight", d, part::norm);
  if (ratio != 4) return a;
  const std::int64_t index_width = compressor_width(ratio, s.index_head_dim);
  b.add("attn.indexer.wq_b.weight", s.index_n_heads * s.index_head_dim, s.q_lora_rank, part::attention, whole,
        precision::linear);
  b.add("attn.indexer.weights_proj.weight", s.index_n_heads, h, part::attention, whole, precision::kept);
  b.add("attn.indexer.compressor.wkv.weight", index_width, h, part::attention, whole, precision::kept);
  b.add("attn.indexer.compressor.wgate.weight", index_width, h, part::attention, whole, precision::kept);
  b.add("attn.indexer.compressor.ape", ratio, index_width, part::attention, whole, precision::float32);
  b.vector("attn.indexer.compressor.norm.weight", s.index_head_dim, part::norm);
  a.index_dim = s.index_head_dim;
  a.index_heads = s.index_n_heads;
  a.index_topk = s.index_topk;
  return a;
}

/// The mixing of the streams before one block, for which `mult` streams take (2 + mult) · mult numbers.
constexpr void add_streams(model_builder& b, std::string_view fn, std::string_view base, std::string_view scale,
                           std::int64_t mult, std::int64_t hidden) noexcept {
  const std::int64_t mixes = (2 + mult) * mult;
  b.add(fn, mixes, mult * hidden, part::mlp, sharding::replicated, precision::float32);
  b.add(base, 1, mixes, part::mlp, sharding::replicated, precision::float32);
  b.add(scale, 1, 3, part::mlp, sharding::replicated, precision::float32);
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_deepseek_v4(const deepseek_v4_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.model.layer_prefix = "layers.";
  b.model.hidden = s.hidden_size;
  b.model.vocabulary = s.vocab_size;
  b.model.tied_embeddings = s.tie_word_embeddings;
  family_range r = b.begin_range();
  b.add("embed.weight", s.vocab_size, s.hidden_size, part::embedding, sharding::vocab_rows, precision::kept);
  b.model.embedding = b.end_range(r);
  r = b.begin_range();
  b.vector("norm.weight", s.hidden_size, part::norm);
  b.add("hc_head_fn", s.hc_mult, s.hc_mult * s.hidden_size, part::mlp, sharding::replicated, precision::float32);
  b.add("hc_head_base", 1, s.hc_mult, part::mlp, sharding::replicated, precision::float32);
  b.add("hc_head_scale", 1, 1, part::mlp, sharding::replicated, precision::float32);
  b.model.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!s.tie_word_embeddings)
    b.add("head.weight", s.vocab_size, s.hidden_size, part::head, sharding::vocab_rows, precision::head);
  b.model.head = b.end_range(r);

  struct known_kind {
    std::int64_t ratio = -1;
    bool hashed = false;
  };
  std::array<known_kind, transformer::most_kinds> known{};
  const auto kind_of = [&](std::int64_t ratio, bool hashed) {
    const std::size_t n = b.model.kinds.size();
    for (std::size_t i = 0; i < n; ++i)
      if (known[i].ratio == ratio && known[i].hashed == hashed) return static_cast<std::uint8_t>(i);
    const family_range tensors = b.begin_range();
    b.vector("attn_norm.weight", s.hidden_size, part::norm);
    b.vector("ffn_norm.weight", s.hidden_size, part::norm);
    const attention a = detail::add_v4_attention(b, s, ratio);
    detail::add_streams(b, "hc_attn_fn", "hc_attn_base", "hc_attn_scale", s.hc_mult, s.hidden_size);
    detail::add_streams(b, "hc_ffn_fn", "hc_ffn_base", "hc_ffn_scale", s.hc_mult, s.hidden_size);
    detail::experts_options o;
    o.gate = "ffn.experts.{}.w1.weight";
    o.up = "ffn.experts.{}.w3.weight";
    o.down = "ffn.experts.{}.w2.weight";
    o.router = "ffn.gate.weight";
    feed_forward f =
        detail::add_experts(b, s.hidden_size, s.n_routed_experts, s.num_experts_per_tok, s.moe_intermediate_size, o);
    // A table from tokens to experts, or a correction of the scores. The table's numbers take eight bytes in the file.
    if (hashed)
      b.add("ffn.gate.tid2eid", s.vocab_size, s.num_experts_per_tok, part::router, sharding::replicated,
            precision::float32);
    else
      b.add("ffn.gate.bias", 1, s.n_routed_experts, part::router, sharding::replicated, precision::float32);
    f.shared_inner = s.n_shared_experts * s.moe_intermediate_size;
    b.add("ffn.shared_experts.w1.weight", f.shared_inner, s.hidden_size, part::shared_experts, sharding::rows,
          precision::linear);
    b.add("ffn.shared_experts.w3.weight", f.shared_inner, s.hidden_size, part::shared_experts, sharding::rows,
          precision::linear);
    b.add("ffn.shared_experts.w2.weight", s.hidden_size, f.shared_inner, part::shared_experts, sharding::cols,
          precision::linear);
    if (n < known.size()) known[n] = {ratio, hashed};
    return b.add_kind(a, f, b.end_range(tensors));
  };
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i)
    b.add_layer(kind_of(s.compress_ratios[static_cast<std::size_t>(i)], i < s.num_hash_layers));
  if (s.num_nextn_predict_layers > 0 && b.ok) {
    b.model.mtp_layers = s.num_nextn_predict_layers;
    b.model.mtp_kind = kind_of(s.compress_ratios[static_cast<std::size_t>(s.num_hidden_layers)], false);
    r = b.begin_range();
    b.add("e_proj.weight", s.hidden_size, s.hidden_size, part::mtp, sharding::replicated, precision::linear);
    b.add("h_proj.weight", s.hidden_size, s.hidden_size, part::mtp, sharding::replicated, precision::linear);
    b.vector("enorm.weight", s.hidden_size, part::mtp);
    b.vector("hnorm.weight", s.hidden_size, part::mtp);
    b.vector("norm.weight", s.hidden_size, part::mtp);
    b.add("hc_head_fn", s.hc_mult, s.hc_mult * s.hidden_size, part::mtp, sharding::replicated, precision::float32);
    b.add("hc_head_base", 1, s.hc_mult, part::mtp, sharding::replicated, precision::float32);
    b.add("hc_head_scale", 1, 1, part::mtp, sharding::replicated, precision::float32);
    b.model.mtp_extra = b.end_range(r);
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
