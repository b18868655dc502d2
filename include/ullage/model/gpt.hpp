// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/model/builder.hpp>

namespace ullage::inline v0 {

/// Names of a weight and of its bias; no name = no such tensor.
struct weight_and_bias {
  std::string_view weight{};
  std::string_view bias{};
};

/// What the tensors of one checkpoint layout are called: whole at the ends, below `layer_prefix` + number in layers.
struct gpt_names {
  std::string_view layer_prefix{};
  std::string_view embedding{};
  std::string_view positions{};
  weight_and_bias embedding_norm{};
  weight_and_bias final_norm{};
  weight_and_bias head{};
  weight_and_bias norm_1{};
  weight_and_bias norm_2{};
  weight_and_bias qkv{};  ///< packed; without a name Q, K and V stand alone
  weight_and_bias q{};
  weight_and_bias k{};
  weight_and_bias v{};
  weight_and_bias out{};
  std::string_view gate{};
  weight_and_bias up{};
  weight_and_bias down{};
  weight_and_bias q_norm{};  ///< over the head size; `{}` where every head has its own
  weight_and_bias k_norm{};
  std::string_view project_in{};  ///< between an embedding of another width and the layers
  std::string_view project_out{};
};

namespace gpt_layouts {

/// As OpenAI released it. Files saved by the class with a head write "transformer." before every name.
inline constexpr gpt_names gpt2{.layer_prefix = "h.",
                                .embedding = "wte.weight",
                                .positions = "wpe.weight",
                                .final_norm = {"ln_f.weight", "ln_f.bias"},
                                .head = {"lm_head.weight", {}},
                                .norm_1 = {"ln_1.weight", "ln_1.bias"},
                                .norm_2 = {"ln_2.weight", "ln_2.bias"},
                                .qkv = {"attn.c_attn.weight", "attn.c_attn.bias"},
                                .out = {"attn.c_proj.weight", "attn.c_proj.bias"},
                                .up = {"mlp.c_fc.weight", "mlp.c_fc.bias"},
                                .down = {"mlp.c_proj.weight", "mlp.c_proj.bias"}};

inline constexpr gpt_names gpt_bigcode{.layer_prefix = "transformer.h.",
                                       .embedding = "transformer.wte.weight",
                                       .positions = "transformer.wpe.weight",
                                       .final_norm = {"transformer.ln_f.weight", "transformer.ln_f.bias"},
                                       .head = {"lm_head.weight", {}},
                                       .norm_1 = {"ln_1.weight", "ln_1.bias"},
                                       .norm_2 = {"ln_2.weight", "ln_2.bias"},
                                       .qkv = {"attn.c_attn.weight", "attn.c_attn.bias"},
                                       .out = {"attn.c_proj.weight", "attn.c_proj.bias"},
                                       .up = {"mlp.c_fc.weight", "mlp.c_fc.bias"},
                                       .down = {"mlp.c_proj.weight", "mlp.c_proj.bias"}};

inline constexpr gpt_names gpt_neo{.layer_prefix = "transformer.h.",
                                   .embedding = "transformer.wte.weight",
                                   .positions = "transformer.wpe.weight",
                                   .final_norm = {"transformer.ln_f.weight", "transformer.ln_f.bias"},
                                   .head = {"lm_head.weight", {}},
                                   .norm_1 = {"ln_1.weight", "ln_1.bias"},
                                   .norm_2 = {"ln_2.weight", "ln_2.bias"},
                                   .q = {"attn.attention.q_proj.weight", {}},
                                   .k = {"attn.attention.k_proj.weight", {}},
                                   .v = {"attn.attention.v_proj.weight", {}},
                                   .out = {"attn.attention.out_proj.weight", "attn.attention.out_proj.bias"},
                                   .up = {"mlp.c_fc.weight", "mlp.c_fc.bias"},
                                   .down = {"mlp.c_proj.weight", "mlp.c_proj.bias"}};

inline constexpr gpt_names gptj{.layer_prefix = "transformer.h.",
                                .embedding = "transformer.wte.weight",
                                .final_norm = {"transformer.ln_f.weight", "transformer.ln_f.bias"},
                                .head = {"lm_head.weight", "lm_head.bias"},
                                .norm_1 = {"ln_1.weight", "ln_1.bias"},
                                .q = {"attn.q_proj.weight", {}},
                                .k = {"attn.k_proj.weight", {}},
                                .v = {"attn.v_proj.weight", {}},
                                .out = {"attn.out_proj.weight", {}},
                                .up = {"mlp.fc_in.weight", "mlp.fc_in.bias"},
                                .down = {"mlp.fc_out.weight", "mlp.fc_out.bias"}};

inline constexpr gpt_names codegen{.layer_prefix = "transformer.h.",
                                   .embedding = "transformer.wte.weight",
                                   .final_norm = {"transformer.ln_f.weight", "transformer.ln_f.bias"},
                                   .head = {"lm_head.weight", "lm_head.bias"},
                                   .norm_1 = {"ln_1.weight", "ln_1.bias"},
                                   .qkv = {"attn.qkv_proj.weight", {}},
                                   .out = {"attn.out_proj.weight", {}},
                                   .up = {"mlp.fc_in.weight", "mlp.fc_in.bias"},
                                   .down = {"mlp.fc_out.weight", "mlp.fc_out.bias"}};

inline constexpr gpt_names gpt_neox{
    .layer_prefix = "gpt_neox.layers.",
    .embedding = "gpt_neox.embed_in.weight",
    .final_norm = {"gpt_neox.final_layer_norm.weight", "gpt_neox.final_layer_norm.bias"},
    .head = {"embed_out.weight", {}},
    .norm_1 = {"input_layernorm.weight", "input_layernorm.bias"},
    .norm_2 = {"post_attention_layernorm.weight", "post_attention_layernorm.bias"},
    .qkv = {"attention.query_key_value.weight", "attention.query_key_value.bias"},
    .out = {"attention.dense.weight", "attention.dense.bias"},
    .up = {"mlp.dense_h_to_4h.weight", "mlp.dense_h_to_4h.bias"},
    .down = {"mlp.dense_4h_to_h.weight", "mlp.dense_4h_to_h.bias"}};

/// As BigScience released it. Files saved by the class with a head write "transformer." before every name.
inline constexpr gpt_names bloom{
    .layer_prefix = "h.",
    .embedding = "word_embeddings.weight",
    .embedding_norm = {"word_embeddings_layernorm.weight", "word_embeddings_layernorm.bias"},
    .final_norm = {"ln_f.weight", "ln_f.bias"},
    .head = {"lm_head.weight", {}},
    .norm_1 = {"input_layernorm.weight", "input_layernorm.bias"},
    .norm_2 = {"post_attention_layernorm.weight", "post_attention_layernorm.bias"},
    .qkv = {"self_attention.query_key_value.weight", "self_attention.query_key_value.bias"},
    .out = {"self_attention.dense.weight", "self_attention.dense.bias"},
    .up = {"mlp.dense_h_to_4h.weight", "mlp.dense_h_to_4h.bias"},
    .down = {"mlp.dense_4h_to_h.weight", "mlp.dense_4h_to_h.bias"}};

inline constexpr gpt_names falcon{
    .layer_prefix = "transformer.h.",
    .embedding = "transformer.word_embeddings.weight",
    .final_norm = {"transformer.ln_f.weight", "transformer.ln_f.bias"},
    .head = {"lm_head.weight", {}},
    .norm_1 = {"input_layernorm.weight", "input_layernorm.bias"},
    .norm_2 = {"post_attention_layernorm.weight", "post_attention_layernorm.bias"},
    .qkv = {"self_attention.query_key_value.weight", "self_attention.query_key_value.bias"},
    .out = {"self_attention.dense.weight", "self_attention.dense.bias"},
    .up = {"mlp.dense_h_to_4h.weight", "mlp.dense_h_to_4h.bias"},
    .down = {"mlp.dense_4h_to_h.weight", "mlp.dense_4h_to_h.bias"}};

/// Falcon with a norm before attention and one before the feed-forward, both of the layer's input.
inline constexpr gpt_names falcon_parallel = [] {
  gpt_names n = falcon;
  n.norm_1 = {"ln_attn.weight", "ln_attn.bias"};
  n.norm_2 = {"ln_mlp.weight", "ln_mlp.bias"};
  return n;
}();

inline constexpr gpt_names opt{
    .layer_prefix = "model.decoder.layers.",
    .embedding = "model.decoder.embed_tokens.weight",
    .positions = "model.decoder.embed_positions.weight",
    .final_norm = {"model.decoder.final_layer_norm.weight", "model.decoder.final_layer_norm.bias"},
    .head = {"lm_head.weight", {}},
    .norm_1 = {"self_attn_layer_norm.weight", "self_attn_layer_norm.bias"},
    .norm_2 = {"final_layer_norm.weight", "final_layer_norm.bias"},
    .q = {"self_attn.q_proj.weight", "self_attn.q_proj.bias"},
    .k = {"self_attn.k_proj.weight", "self_attn.k_proj.bias"},
    .v = {"self_attn.v_proj.weight", "self_attn.v_proj.bias"},
    .out = {"self_attn.out_proj.weight", "self_attn.out_proj.bias"},
    .up = {"fc1.weight", "fc1.bias"},
    .down = {"fc2.weight", "fc2.bias"},
    .project_in = "model.decoder.project_in.weight",
    .project_out = "model.decoder.project_out.weight"};

inline constexpr gpt_names mpt{.layer_prefix = "transformer.blocks.",
                               .embedding = "transformer.wte.weight",
                               .positions = "transformer.wpe.weight",
                               .final_norm = {"transformer.norm_f.weight", {}},
                               .head = {"lm_head.weight", {}},
                               .norm_1 = {"norm_1.weight", {}},
                               .norm_2 = {"norm_2.weight", {}},
                               .qkv = {"attn.Wqkv.weight", {}},
                               .out = {"attn.out_proj.weight", {}},
                               .up = {"ffn.up_proj.weight", {}},
                               .down = {"ffn.down_proj.weight", {}}};

inline constexpr gpt_names starcoder2{.layer_prefix = "model.layers.",
                                      .embedding = "model.embed_tokens.weight",
                                      .final_norm = {"model.norm.weight", "model.norm.bias"},
                                      .head = {"lm_head.weight", {}},
                                      .norm_1 = {"input_layernorm.weight", "input_layernorm.bias"},
                                      .norm_2 = {"post_attention_layernorm.weight", "post_attention_layernorm.bias"},
                                      .q = {"self_attn.q_proj.weight", "self_attn.q_proj.bias"},
                                      .k = {"self_attn.k_proj.weight", "self_attn.k_proj.bias"},
                                      .v = {"self_attn.v_proj.weight", "self_attn.v_proj.bias"},
                                      .out = {"self_attn.o_proj.weight", "self_attn.o_proj.bias"},
                                      .up = {"mlp.c_fc.weight", "mlp.c_fc.bias"},
                                      .down = {"mlp.c_proj.weight", "mlp.c_proj.bias"}};

inline constexpr gpt_names stablelm{.layer_prefix = "model.layers.",
                                    .embedding = "model.embed_tokens.weight",
                                    .final_norm = {"model.norm.weight", "model.norm.bias"},
                                    .head = {"lm_head.weight", {}},
                                    .norm_1 = {"input_layernorm.weight", "input_layernorm.bias"},
                                    .norm_2 = {"post_attention_layernorm.weight", "post_attention_layernorm.bias"},
                                    .q = {"self_attn.q_proj.weight", "self_attn.q_proj.bias"},
                                    .k = {"self_attn.k_proj.weight", "self_attn.k_proj.bias"},
                                    .v = {"self_attn.v_proj.weight", "self_attn.v_proj.bias"},
                                    .out = {"self_attn.o_proj.weight", {}},
                                    .gate = "mlp.gate_proj.weight",
                                    .up = {"mlp.up_proj.weight", {}},
                                    .down = {"mlp.down_proj.weight", {}},
                                    .q_norm = {"self_attn.q_layernorm.norms.{}.weight", {}},
                                    .k_norm = {"self_attn.k_layernorm.norms.{}.weight", {}}};

inline constexpr gpt_names phi{.layer_prefix = "model.layers.",
                               .embedding = "model.embed_tokens.weight",
                               .final_norm = {"model.final_layernorm.weight", "model.final_layernorm.bias"},
                               .head = {"lm_head.weight", "lm_head.bias"},
                               .norm_1 = {"input_layernorm.weight", "input_layernorm.bias"},
                               .q = {"self_attn.q_proj.weight", "self_attn.q_proj.bias"},
                               .k = {"self_attn.k_proj.weight", "self_attn.k_proj.bias"},
                               .v = {"self_attn.v_proj.weight", "self_attn.v_proj.bias"},
                               .out = {"self_attn.dense.weight", "self_attn.dense.bias"},
                               .up = {"mlp.fc1.weight", "mlp.fc1.bias"},
                               .down = {"mlp.fc2.weight", "mlp.fc2.bias"},
                               .q_norm = {"self_attn.q_layernorm.weight", "self_attn.q_layernorm.bias"},
                               .k_norm = {"self_attn.k_layernorm.weight", "self_attn.k_layernorm.bias"}};

/// Phi's second release.
inline constexpr gpt_names phi_msft{.layer_prefix = "transformer.h.",
                                    .embedding = "transformer.embd.wte.weight",
                                    .final_norm = {"lm_head.ln.weight", "lm_head.ln.bias"},
                                    .head = {"lm_head.linear.weight", "lm_head.linear.bias"},
                                    .norm_1 = {"ln.weight", "ln.bias"},
                                    .qkv = {"mixer.Wqkv.weight", "mixer.Wqkv.bias"},
                                    .out = {"mixer.out_proj.weight", "mixer.out_proj.bias"},
                                    .up = {"mlp.fc1.weight", "mlp.fc1.bias"},
                                    .down = {"mlp.fc2.weight", "mlp.fc2.bias"}};

/// Phi's first release numbers everything in one row: the embedding is layer 0, the first block 1, the head the last.
/// So the numbers in the checkpoint are one more than those of the model's layers.
inline constexpr gpt_names mixformer{.layer_prefix = "layers.",
                                     .embedding = "layers.0.wte.weight",
                                     .final_norm = {"layers.{}.ln.weight", "layers.{}.ln.bias"},
                                     .head = {"layers.{}.linear.weight", "layers.{}.linear.bias"},
                                     .norm_1 = {"ln.weight", "ln.bias"},
                                     .qkv = {"mixer.Wqkv.weight", "mixer.Wqkv.bias"},
                                     .out = {"mixer.out_proj.weight", "mixer.out_proj.bias"},
                                     .up = {"mlp.fc1.weight", "mlp.fc1.bias"},
                                     .down = {"mlp.fc2.weight", "mlp.fc2.bias"}};

}  // namespace gpt_layouts

/// GPT-2 and what came of it (GPT-Neo, GPT-J, GPT-NeoX, BLOOM, OPT, MPT, Falcon, StarCoder, StableLM, Phi, CodeGen):
/// layer norms, two-matrix feed-forward, MHA or MQA, learned positions, ALiBi or rotary. Which biases there are follows
/// from the names and the switches below.
struct gpt_shape {
  std::string_view name{};
  std::string_view model_type = "gpt2";
  const gpt_names* names = &gpt_layouts::gpt2;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  std::int64_t position_rows = 0;        ///< of a learned table; 0 = rotary or ALiBi
  std::int64_t word_embed_proj_dim = 0;  ///< width of the embedding; 0 = hidden_size
  bool tie_word_embeddings = false;
  bool final_norm = true;
  bool norm_weights = true;  ///< false = norms without any parameter
  bool second_norm = true;   ///< false = attention and feed-forward read one norm
  bool qkv_bias = true;
  bool output_bias = true;
  bool mlp_bias = true;
  bool qk_norm = false;
  std::int64_t window = 0;                                        ///< tokens of the layers in `windowed`
  std::array<std::uint8_t, transformer::most_layers> windowed{};  ///< 1 = that layer looks back over `window` only
};

namespace detail {

constexpr void add_vector(model_builder& b, std::string_view family_name, std::int64_t length, part belongs,
                          std::int64_t copies = 1) noexcept {
  if (!family_name.empty()) b.add(family_name, 1, length, belongs, sharding::replicated, precision::kept, copies);
}
/// A norm with its bias where the layout has one.
constexpr void add_norm(model_builder& b, const weight_and_bias& n, std::int64_t length, part belongs = part::norm,
                        std::int64_t copies = 1) noexcept {
  add_vector(b, n.weight, length, belongs, copies);
  add_vector(b, n.bias, length, belongs, copies);
}
/// A matrix with its bias where the layout has one and `bias` is on. Whoever divides a matrix by its outputs divides
/// the bias too; one divided by its inputs has its bias whole on every rank.
constexpr void add_linear(model_builder& b, const weight_and_bias& n, std::int64_t rows, std::int64_t cols,
                          part belongs, sharding spread, bool bias = true, precision stored = precision::linear,
                          std::int64_t copies = 1, std::int64_t unit = 1) noexcept {
  b.add(n.weight, rows, cols, belongs, spread, stored, copies, unit);
  if (!bias || n.bias.empty()) return;
  if (spread == sharding::cols || spread == sharding::replicated)
    add_vector(b, n.bias, rows, belongs, copies);
  else
    b.add(n.bias, rows, 1, belongs, spread, precision::kept, copies, unit);
}

/// Q, K, V and output. A packed matrix with fewer KV heads than heads is told in two parts of one name, since ranks
/// divide its Q and repeat its K and V.
constexpr attention add_gpt_attention(model_builder& b, const gpt_shape& s) noexcept {
  const gpt_names& n = *s.names;
  const std::int64_t heads = s.num_attention_heads;
  const std::int64_t kv_heads = s.num_key_value_heads;
  const std::int64_t dim = s.hidden_size / heads;
  const std::int64_t hidden = s.hidden_size;
  constexpr precision linear = precision::linear;
  const bool packed = !n.qkv.weight.empty();
  if (packed && kv_heads == heads) {
    add_linear(b, n.qkv, 3 * heads * dim, hidden, part::attention, sharding::rows, s.qkv_bias);
  } else if (packed) {
    add_linear(b, n.qkv, heads * dim, hidden, part::attention, sharding::rows, s.qkv_bias);
    add_linear(b, n.qkv, kv_heads * dim, hidden, part::attention, sharding::kv_rows, s.qkv_bias, linear, 2, dim);
  } else {
    add_linear(b, n.q, heads * dim, hidden, part::attention, sharding::rows, s.qkv_bias);
    add_linear(b, n.k, kv_heads * dim, hidden, part::attention, sharding::kv_rows, s.qkv_bias, linear, 1, dim);
    add_linear(b, n.v, kv_heads * dim, hidden, part::attention, sharding::kv_rows, s.qkv_bias, linear, 1, dim);
  }
  add_linear(b, n.out, hidden, heads * dim, part::attention, sharding::cols, s.output_bias);
  if (s.qk_norm) {
    const bool each = n.q_norm.weight.find('{') != std::string_view::npos;
    add_norm(b, n.q_norm, dim, part::norm, each ? heads : 1);
    add_norm(b, n.k_norm, dim, part::norm, each ? kv_heads : 1);
  }
  attention a;
  a.kind = attention_kind::full;
  a.heads = heads;
  a.kv_heads = kv_heads;
  a.key_dim = dim;
  a.value_dim = dim;
  return a;
}

constexpr feed_forward add_gpt_mlp(model_builder& b, const gpt_shape& s) noexcept {
  const gpt_names& n = *s.names;
  const bool gated = !n.gate.empty();
  if (gated) add_linear(b, {n.gate, {}}, s.intermediate_size, s.hidden_size, part::mlp, sharding::rows);
  add_linear(b, n.up, s.intermediate_size, s.hidden_size, part::mlp, sharding::rows, s.mlp_bias);
  add_linear(b, n.down, s.hidden_size, s.intermediate_size, part::mlp, sharding::cols, s.mlp_bias);
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.intermediate_size;
  f.matrices = gated ? 3 : 2;
  return f;
}

constexpr void add_gpt_ends(model_builder& b, const gpt_shape& s) noexcept {
  const gpt_names& n = *s.names;
  const std::int64_t hidden = s.hidden_size;
  const std::int64_t width = s.word_embed_proj_dim > 0 ? s.word_embed_proj_dim : hidden;
  b.model.hidden = hidden;
  b.model.vocabulary = s.vocab_size;
  b.model.tied_embeddings = s.tie_word_embeddings;
  family_range r = b.begin_range();
  b.add(n.embedding, s.vocab_size, width, part::embedding, sharding::vocab_rows, precision::kept);
  if (s.position_rows > 0)
    b.add(n.positions, s.position_rows, hidden, part::embedding, sharding::replicated, precision::kept);
  if (width != hidden) b.add(n.project_in, hidden, width, part::embedding, sharding::replicated, precision::kept);
  add_norm(b, n.embedding_norm, hidden);
  b.model.embedding = b.end_range(r);
  r = b.begin_range();
  if (s.final_norm && s.norm_weights) add_norm(b, n.final_norm, hidden);
  if (width != hidden) b.add(n.project_out, width, hidden, part::head, sharding::replicated, precision::kept);
  // A bias stays when the matrix above it is the embedding.
  if (s.tie_word_embeddings && !n.head.bias.empty())
    b.add(n.head.bias, s.vocab_size, 1, part::head, sharding::vocab_rows, precision::kept);
  b.model.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!s.tie_word_embeddings)
    add_linear(b, n.head, s.vocab_size, width, part::head, sharding::vocab_rows, true, precision::head);
  b.model.head = b.end_range(r);
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_gpt(const gpt_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.model.layer_prefix = s.names->layer_prefix;
  detail::add_gpt_ends(b, s);
  const auto add_layer_of = [&](bool windowed) {
    const family_range r = b.begin_range();
    if (s.norm_weights) {
      detail::add_norm(b, s.names->norm_1, s.hidden_size);
      if (s.second_norm) detail::add_norm(b, s.names->norm_2, s.hidden_size);
    }
    attention a = detail::add_gpt_attention(b, s);
    if (windowed) {
      a.kind = attention_kind::sliding;
      a.window = s.window;
    }
    const feed_forward f = detail::add_gpt_mlp(b, s);
    return b.add_kind(a, f, b.end_range(r));
  };
  constexpr int absent = 255;
  int whole_kind = absent;
  int window_kind = absent;
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) {
    if (i >= static_cast<std::int64_t>(transformer::most_layers)) {
      b.ok = false;
      break;
    }
    const bool windowed = s.windowed[static_cast<std::size_t>(i)] != 0;
    int& kind = windowed ? window_kind : whole_kind;
    if (kind == absent) kind = add_layer_of(windowed);
    b.add_layer(static_cast<std::uint8_t>(kind));
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
