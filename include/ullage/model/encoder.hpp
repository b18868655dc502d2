// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/builder.hpp>
#include <ullage/model/gpt.hpp>

namespace ullage::inline v0 {

/// What the tensors of one layout of BERT's kin are called, in the class without a head, which others write after
/// "bert." or "roberta."; whole at the ends, below `layer_prefix` + number in layers. No name = no such tensor.
struct encoder_names {
  std::string_view layer_prefix = "encoder.layer.";
  std::string_view token_types = "embeddings.token_type_embeddings.weight";
  weight_and_bias project{};    ///< between an embedding of another width and the layers
  std::string_view relative{};  ///< one table for all layers
  weight_and_bias relative_norm{};
  weight_and_bias pooler = {"pooler.dense.weight", "pooler.dense.bias"};
  weight_and_bias query = {"attention.self.query.weight", "attention.self.query.bias"};
  weight_and_bias key = {"attention.self.key.weight", "attention.self.key.bias"};
  weight_and_bias value = {"attention.self.value.weight", "attention.self.value.bias"};
  weight_and_bias out = {"attention.output.dense.weight", "attention.output.dense.bias"};
  weight_and_bias attention_norm = {"attention.output.LayerNorm.weight", "attention.output.LayerNorm.bias"};
  weight_and_bias up = {"intermediate.dense.weight", "intermediate.dense.bias"};
  weight_and_bias down = {"output.dense.weight", "output.dense.bias"};
  weight_and_bias norm = {"output.LayerNorm.weight", "output.LayerNorm.bias"};
};

namespace encoder_layouts {

inline constexpr encoder_names bert{};
inline constexpr encoder_names electra{.project = {"embeddings_project.weight", "embeddings_project.bias"},
                                       .pooler = {}};
inline constexpr encoder_names distilbert{.layer_prefix = "transformer.layer.",
                                          .token_types = {},
                                          .pooler = {},
                                          .query = {"attention.q_lin.weight", "attention.q_lin.bias"},
                                          .key = {"attention.k_lin.weight", "attention.k_lin.bias"},
                                          .value = {"attention.v_lin.weight", "attention.v_lin.bias"},
                                          .out = {"attention.out_lin.weight", "attention.out_lin.bias"},
                                          .attention_norm = {"sa_layer_norm.weight", "sa_layer_norm.bias"},
                                          .up = {"ffn.lin1.weight", "ffn.lin1.bias"},
                                          .down = {"ffn.lin2.weight", "ffn.lin2.bias"},
                                          .norm = {"output_layer_norm.weight", "output_layer_norm.bias"}};
inline constexpr encoder_names mpnet{.token_types = {},
                                     .relative = "encoder.relative_attention_bias.weight",
                                     .query = {"attention.attn.q.weight", "attention.attn.q.bias"},
                                     .key = {"attention.attn.k.weight", "attention.attn.k.bias"},
                                     .value = {"attention.attn.v.weight", "attention.attn.v.bias"},
                                     .out = {"attention.attn.o.weight", "attention.attn.o.bias"},
                                     .attention_norm = {"attention.LayerNorm.weight", "attention.LayerNorm.bias"}};

inline constexpr encoder_names deberta{.relative = "encoder.rel_embeddings.weight",
                                       .relative_norm = {"encoder.LayerNorm.weight", "encoder.LayerNorm.bias"},
                                       .pooler = {},
                                       .query = {"attention.self.query_proj.weight", "attention.self.query_proj.bias"},
                                       .key = {"attention.self.key_proj.weight", "attention.self.key_proj.bias"},
                                       .value = {"attention.self.value_proj.weight", "attention.self.value_proj.bias"}};

}  // namespace encoder_layouts

/// BERT and its kin: an encoder of whole inputs, norms after the blocks, and a pooler where the layout has one. Nothing
/// is cached. Members carry the Hugging Face config's words.
struct bert_shape {
  std::string_view name{};
  std::string_view model_type = "bert";
  const encoder_names* names = &encoder_layouts::bert;
  std::int64_t hidden_size = 0;
  std::int64_t embedding_size = 0;  ///< 0 = hidden_size
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;  ///< rows of the table of positions
  std::int64_t unused_positions = 0;         ///< rows in front that no token takes (RoBERTa: pad_token_id + 1)
  std::int64_t type_vocab_size = 0;
  std::int64_t relative_attention_num_buckets = 0;
  std::int64_t relative_width = 0;  ///< of that table; 0 = a number for each head
  bool relative_norm = false;
  bool position_table = true;
};

/// The encoder with its pooler, without the head of a task; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_bert(const bert_shape& s) noexcept {
  detail::model_builder b;
  transformer& m = b.model;
  const encoder_names& n = *s.names;
  const std::int64_t hidden = s.hidden_size;
  const std::int64_t embedded = s.embedding_size > 0 ? s.embedding_size : hidden;
  m.name = s.name;
  m.model_type = s.model_type;
  m.hidden = hidden;
  m.vocabulary = s.vocab_size;
  m.max_position = s.max_position_embeddings - s.unused_positions;
  m.layer_prefix = n.layer_prefix;
  family_range r = b.begin_range();
  b.add("embeddings.word_embeddings.weight", s.vocab_size, embedded, part::embedding, sharding::vocab_rows,
        precision::kept);
  if (s.position_table)
    b.add("embeddings.position_embeddings.weight", s.max_position_embeddings, embedded, part::embedding,
          sharding::replicated, precision::kept);
  if (!n.token_types.empty())
    b.add(n.token_types, s.type_vocab_size, embedded, part::embedding, sharding::replicated, precision::kept);
  detail::add_norm(b, {"embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias"}, embedded);
  if (embedded != hidden)
    detail::add_linear(b, n.project, hidden, embedded, part::embedding, sharding::replicated, true, precision::kept);
  if (!n.relative.empty())
    b.add(n.relative, s.relative_attention_num_buckets, s.relative_width > 0 ? s.relative_width : s.num_attention_heads,
          part::attention, sharding::replicated, precision::kept);
  if (s.relative_norm) detail::add_norm(b, n.relative_norm, hidden);
  m.embedding = b.end_range(r);
  r = b.begin_range();
  if (!n.pooler.weight.empty())
    detail::add_linear(b, n.pooler, hidden, hidden, part::head, sharding::replicated, true, precision::kept);
  m.head = b.end_range(r);

  r = b.begin_range();
  constexpr part at = part::attention;
  detail::add_linear(b, n.query, hidden, hidden, at, sharding::rows);
  detail::add_linear(b, n.key, hidden, hidden, at, sharding::rows);
  detail::add_linear(b, n.value, hidden, hidden, at, sharding::rows);
  detail::add_linear(b, n.out, hidden, hidden, at, sharding::cols);
  detail::add_norm(b, n.attention_norm, hidden);
  detail::add_linear(b, n.up, s.intermediate_size, hidden, part::mlp, sharding::rows);
  detail::add_linear(b, n.down, hidden, s.intermediate_size, part::mlp, sharding::cols);
  detail::add_norm(b, n.norm, hidden);
  attention a;
  a.kind = attention_kind::encoder;
  a.heads = a.kv_heads = s.num_attention_heads;
  a.key_dim = a.value_dim = hidden / s.num_attention_heads;
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.intermediate_size;
  f.matrices = 2;
  const std::uint8_t kind = b.add_kind(a, f, b.end_range(r));
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) b.add_layer(kind);
  if (!b.ok) m.layers = 0;
  return m;
}

namespace detail {

/// Two kinds of a decoder that also attends to an encoder: a layer of the checkpoint stands as two here, first its
/// attention to itself (a cache that grows), then its attention to the encoder (a cache of fixed size) with the
/// feed-forward. So `layers` is twice the config's number.
constexpr void add_decoder_layers(model_builder& b, std::uint8_t self, std::uint8_t cross, std::int64_t n) noexcept {
  for (std::int64_t i = 0; i < n && b.ok; ++i) {
    b.add_layer(self);
    b.add_layer(cross);
  }
}
constexpr attention decoder_attention(attention_kind kind, std::int64_t heads, std::int64_t head_dim) noexcept {
  attention a;
  a.kind = kind;
  a.heads = a.kv_heads = heads;
  a.key_dim = a.value_dim = head_dim;
  return a;
}

}  // namespace detail

/// T5 (v1.0, v1.1, FLAN): encoder and decoder with one relative position table each, norms without bias, no biases.
/// Members carry the Hugging Face config's words.
struct t5_shape {
  std::string_view name{};
  std::string_view model_type = "t5";
  std::int64_t d_model = 0;
  std::int64_t d_kv = 0;  ///< of a head; heads · d_kv need not be d_model
  std::int64_t d_ff = 0;
  std::int64_t num_layers = 0;          ///< of the encoder
  std::int64_t num_decoder_layers = 0;  ///< of the decoder
  std::int64_t num_heads = 0;
  std::int64_t vocab_size = 0;
  std::int64_t relative_attention_num_buckets = 0;
  std::int64_t n_positions = 0;  ///< tokens of an input; relative positions set no bound
  bool tie_word_embeddings = true;
  bool gated = false;  ///< feed_forward_proj "gated-…"
};

namespace detail {

struct t5_attention_names {
  std::string_view q{}, k{}, v{}, o{}, norm{};
};
struct t5_mlp_names {
  std::string_view wi{}, wi_0{}, wi_1{}, wo{}, norm{};
};
constexpr void add_t5_attention(model_builder& b, const t5_shape& s, const t5_attention_names& n,
                                std::int64_t copies) noexcept {
  const std::int64_t inner = s.num_heads * s.d_kv;
  for (std::string_view matrix : {n.q, n.k, n.v})
    b.add(matrix, inner, s.d_model, part::attention, sharding::rows, precision::linear, copies);
  b.add(n.o, s.d_model, inner, part::attention, sharding::cols, precision::linear, copies);
  add_vector(b, n.norm, s.d_model, part::norm, copies);
}
constexpr feed_forward add_t5_mlp(model_builder& b, const t5_shape& s, const t5_mlp_names& n,
                                  std::int64_t copies) noexcept {
  if (s.gated) {
    b.add(n.wi_0, s.d_ff, s.d_model, part::mlp, sharding::rows, precision::linear, copies);
    b.add(n.wi_1, s.d_ff, s.d_model, part::mlp, sharding::rows, precision::linear, copies);
  } else {
    b.add(n.wi, s.d_ff, s.d_model, part::mlp, sharding::rows, precision::linear, copies);
  }
  b.add(n.wo, s.d_model, s.d_ff, part::mlp, sharding::cols, precision::linear, copies);
  add_vector(b, n.norm, s.d_model, part::norm, copies);
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.d_ff;
  f.matrices = s.gated ? 3 : 2;
  return f;
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_t5(const t5_shape& s) noexcept {
  detail::model_builder b;
  transformer& m = b.model;
  m.name = s.name;
  m.model_type = s.model_type;
  m.hidden = s.d_model;
  m.vocabulary = s.vocab_size;
  m.max_position = s.n_positions;
  m.tied_embeddings = s.tie_word_embeddings;
  m.encoder_layers = s.num_layers;
  m.encoder_tokens = s.n_positions;
  m.layer_prefix = "decoder.block.";
  constexpr part at = part::attention;
  family_range r = b.begin_range();
  b.add("shared.weight", s.vocab_size, s.d_model, part::embedding, sharding::vocab_rows, precision::kept);
  // In the checkpoint this one is a tensor of the first layer, which all layers read.
  b.add("decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", s.relative_attention_num_buckets,
        s.num_heads, at, sharding::replicated, precision::kept);
  m.embedding = b.end_range(r);
  r = b.begin_range();
  b.vector("decoder.final_layer_norm.weight", s.d_model, part::norm);
  m.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!s.tie_word_embeddings)
    b.add("lm_head.weight", s.vocab_size, s.d_model, part::head, sharding::vocab_rows, precision::head);
  m.head = b.end_range(r);

  r = b.begin_range();
  detail::add_t5_attention(
      b, s,
      {"encoder.block.{}.layer.0.SelfAttention.q.weight", "encoder.block.{}.layer.0.SelfAttention.k.weight",
       "encoder.block.{}.layer.0.SelfAttention.v.weight", "encoder.block.{}.layer.0.SelfAttention.o.weight",
       "encoder.block.{}.layer.0.layer_norm.weight"},
      s.num_layers);
  b.add("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", s.relative_attention_num_buckets,
        s.num_heads, at, sharding::replicated, precision::kept);
  detail::add_t5_mlp(
      b, s,
      {"encoder.block.{}.layer.1.DenseReluDense.wi.weight", "encoder.block.{}.layer.1.DenseReluDense.wi_0.weight",
       "encoder.block.{}.layer.1.DenseReluDense.wi_1.weight", "encoder.block.{}.layer.1.DenseReluDense.wo.weight",
       "encoder.block.{}.layer.1.layer_norm.weight"},
      s.num_layers);
  b.vector("encoder.final_layer_norm.weight", s.d_model, part::norm);
  m.encoder = b.end_range(r);

  r = b.begin_range();
  detail::add_t5_attention(
      b, s,
      {"layer.0.SelfAttention.q.weight", "layer.0.SelfAttention.k.weight", "layer.0.SelfAttention.v.weight",
       "layer.0.SelfAttention.o.weight", "layer.0.layer_norm.weight"},
      1);
  const std::uint8_t self =
      b.add_kind(detail::decoder_attention(attention_kind::full, s.num_heads, s.d_kv), {}, b.end_range(r));
  r = b.begin_range();
  detail::add_t5_attention(
      b, s,
      {"layer.1.EncDecAttention.q.weight", "layer.1.EncDecAttention.k.weight", "layer.1.EncDecAttention.v.weight",
       "layer.1.EncDecAttention.o.weight", "layer.1.layer_norm.weight"},
      1);
  const feed_forward f = detail::add_t5_mlp(
      b, s,
      {"layer.2.DenseReluDense.wi.weight", "layer.2.DenseReluDense.wi_0.weight", "layer.2.DenseReluDense.wi_1.weight",
       "layer.2.DenseReluDense.wo.weight", "layer.2.layer_norm.weight"},
      1);
  const std::uint8_t cross =
      b.add_kind(detail::decoder_attention(attention_kind::cross, s.num_heads, s.d_kv), f, b.end_range(r));
  detail::add_decoder_layers(b, self, cross, s.num_decoder_layers);
  if (!b.ok) m.layers = 0;
  return m;
}

/// The encoder of Whisper, alone or as the audio tower of Voxtral.
struct whisper_encoder_shape {
  std::int64_t d_model = 0;
  std::int64_t encoder_ffn_dim = 0;
  std::int64_t encoder_layers = 0;
  std::int64_t num_mel_bins = 0;
  std::int64_t max_source_positions = 0;  ///< tokens after the convolutions: 1,500 for 30 s
};

/// Whisper: two convolutions over the spectrogram and an encoder; a decoder with attention to it. Members carry the
/// Hugging Face config's words.
struct whisper_shape {
  std::string_view name{};
  std::string_view model_type = "whisper";
  whisper_encoder_shape encoder{};
  std::int64_t decoder_ffn_dim = 0;
  std::int64_t decoder_layers = 0;
  std::int64_t decoder_attention_heads = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_target_positions = 0;
  bool tie_word_embeddings = true;
};

namespace detail {

struct whisper_encoder_names {
  weight_and_bias conv1{};
  weight_and_bias conv2{};
  std::string_view positions{};
  weight_and_bias q{};
  std::string_view k{};  ///< keys have no bias
  weight_and_bias v{};
  weight_and_bias out{};
  weight_and_bias attention_norm{};
  weight_and_bias fc1{};
  weight_and_bias fc2{};
  weight_and_bias mlp_norm{};
  weight_and_bias final_norm{};
};
inline constexpr whisper_encoder_names whisper_encoder{
    .conv1 = {"model.encoder.conv1.weight", "model.encoder.conv1.bias"},
    .conv2 = {"model.encoder.conv2.weight", "model.encoder.conv2.bias"},
    .positions = "model.encoder.embed_positions.weight",
    .q = {"model.encoder.layers.{}.self_attn.q_proj.weight", "model.encoder.layers.{}.self_attn.q_proj.bias"},
    .k = "model.encoder.layers.{}.self_attn.k_proj.weight",
    .v = {"model.encoder.layers.{}.self_attn.v_proj.weight", "model.encoder.layers.{}.self_attn.v_proj.bias"},
    .out = {"model.encoder.layers.{}.self_attn.out_proj.weight", "model.encoder.layers.{}.self_attn.out_proj.bias"},
    .attention_norm = {"model.encoder.layers.{}.self_attn_layer_norm.weight",
                       "model.encoder.layers.{}.self_attn_layer_norm.bias"},
    .fc1 = {"model.encoder.layers.{}.fc1.weight", "model.encoder.layers.{}.fc1.bias"},
    .fc2 = {"model.encoder.layers.{}.fc2.weight", "model.encoder.layers.{}.fc2.bias"},
    .mlp_norm = {"model.encoder.layers.{}.final_layer_norm.weight", "model.encoder.layers.{}.final_layer_norm.bias"},
    .final_norm = {"model.encoder.layer_norm.weight", "model.encoder.layer_norm.bias"}};
inline constexpr whisper_encoder_names voxtral_tower{
    .conv1 = {"audio_tower.conv1.weight", "audio_tower.conv1.bias"},
    .conv2 = {"audio_tower.conv2.weight", "audio_tower.conv2.bias"},
    .positions = "audio_tower.embed_positions.weight",
    .q = {"audio_tower.layers.{}.self_attn.q_proj.weight", "audio_tower.layers.{}.self_attn.q_proj.bias"},
    .k = "audio_tower.layers.{}.self_attn.k_proj.weight",
    .v = {"audio_tower.layers.{}.self_attn.v_proj.weight", "audio_tower.layers.{}.self_attn.v_proj.bias"},
    .out = {"audio_tower.layers.{}.self_attn.out_proj.weight", "audio_tower.layers.{}.self_attn.out_proj.bias"},
    .attention_norm = {"audio_tower.layers.{}.self_attn_layer_norm.weight",
                       "audio_tower.layers.{}.self_attn_layer_norm.bias"},
    .fc1 = {"audio_tower.layers.{}.fc1.weight", "audio_tower.layers.{}.fc1.bias"},
    .fc2 = {"audio_tower.layers.{}.fc2.weight", "audio_tower.layers.{}.fc2.bias"},
    .mlp_norm = {"audio_tower.layers.{}.final_layer_norm.weight", "audio_tower.layers.{}.final_layer_norm.bias"},
    .final_norm = {"audio_tower.layer_norm.weight", "audio_tower.layer_norm.bias"}};

/// `tower`: the encoder belongs to part::tower and stays in 16 bits, and is no encoder of an encoder-decoder.
constexpr void add_whisper_encoder(model_builder& b, const whisper_encoder_shape& s, const whisper_encoder_names& n,
                                   bool tower) noexcept {
  const std::int64_t d = s.d_model;
  const std::int64_t layers = s.encoder_layers;
  const part at = tower ? part::tower : part::attention;
  const part mlp = tower ? part::tower : part::mlp;
  const part norm = tower ? part::tower : part::norm;
  const part in = tower ? part::tower : part::embedding;
  const precision stored = tower ? precision::kept : precision::linear;
  // Kernels of three frames.
  add_linear(b, n.conv1, d, 3 * s.num_mel_bins, in, sharding::replicated, true, precision::kept);
  add_linear(b, n.conv2, d, 3 * d, in, sharding::replicated, true, precision::kept);
  b.add(n.positions, s.max_source_positions, d, in, sharding::replicated, precision::kept);
  add_linear(b, n.q, d, d, at, sharding::rows, true, stored, layers);
  add_linear(b, {n.k, {}}, d, d, at, sharding::rows, false, stored, layers);
  add_linear(b, n.v, d, d, at, sharding::rows, true, stored, layers);
  add_linear(b, n.out, d, d, at, sharding::cols, true, stored, layers);
  add_norm(b, n.attention_norm, d, norm, layers);
  add_linear(b, n.fc1, s.encoder_ffn_dim, d, mlp, sharding::rows, true, stored, layers);
  add_linear(b, n.fc2, d, s.encoder_ffn_dim, mlp, sharding::cols, true, stored, layers);
  add_norm(b, n.mlp_norm, d, norm, layers);
  add_norm(b, n.final_norm, d, norm);
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_whisper(const whisper_shape& s) noexcept {
  detail::model_builder b;
  transformer& m = b.model;
  const std::int64_t d = s.encoder.d_model;
  m.name = s.name;
  m.model_type = s.model_type;
  m.hidden = d;
  m.vocabulary = s.vocab_size;
  m.max_position = s.max_target_positions;
  m.tied_embeddings = s.tie_word_embeddings;
  m.encoder_layers = s.encoder.encoder_layers;
  m.encoder_tokens = s.encoder.max_source_positions;
  m.layer_prefix = "model.decoder.layers.";
  family_range r = b.begin_range();
  b.add("model.decoder.embed_tokens.weight", s.vocab_size, d, part::embedding, sharding::vocab_rows, precision::kept);
  b.add("model.decoder.embed_positions.weight", s.max_target_positions, d, part::embedding, sharding::replicated,
        precision::kept);
  m.embedding = b.end_range(r);
  r = b.begin_range();
  detail::add_norm(b, {"model.decoder.layer_norm.weight", "model.decoder.layer_norm.bias"}, d);
  m.final_norm = b.end_range(r);
  r = b.begin_range();
  if (!s.tie_word_embeddings)
    b.add("proj_out.weight", s.vocab_size, d, part::head, sharding::vocab_rows, precision::head);
  m.head = b.end_range(r);
  r = b.begin_range();
  detail::add_whisper_encoder(b, s.encoder, detail::whisper_encoder, false);
  m.encoder = b.end_range(r);

  constexpr part at = part::attention;
  const std::int64_t head_dim = d / s.decoder_attention_heads;
  r = b.begin_range();
  detail::add_linear(b, {"self_attn.q_proj.weight", "self_attn.q_proj.bias"}, d, d, at, sharding::rows);
  detail::add_linear(b, {"self_attn.k_proj.weight", {}}, d, d, at, sharding::rows);
  detail::add_linear(b, {"self_attn.v_proj.weight", "self_attn.v_proj.bias"}, d, d, at, sharding::rows);
  detail::add_linear(b, {"self_attn.out_proj.weight", "self_attn.out_proj.bias"}, d, d, at, sharding::cols);
  detail::add_norm(b, {"self_attn_layer_norm.weight", "self_attn_layer_norm.bias"}, d);
  const std::uint8_t self = b.add_kind(
      detail::decoder_attention(attention_kind::full, s.decoder_attention_heads, head_dim), {}, b.end_range(r));
  r = b.begin_range();
  detail::add_linear(b, {"encoder_attn.q_proj.weight", "encoder_attn.q_proj.bias"}, d, d, at, sharding::rows);
  detail::add_linear(b, {"encoder_attn.k_proj.weight", {}}, d, d, at, sharding::rows);
  detail::add_linear(b, {"encoder_attn.v_proj.weight", "encoder_attn.v_proj.bias"}, d, d, at, sharding::rows);
  detail::add_linear(b, {"encoder_attn.out_proj.weight", "encoder_attn.out_proj.bias"}, d, d, at, sharding::cols);
  detail::add_norm(b, {"encoder_attn_layer_norm.weight", "encoder_attn_layer_norm.bias"}, d);
  detail::add_linear(b, {"fc1.weight", "fc1.bias"}, s.decoder_ffn_dim, d, part::mlp, sharding::rows);
  detail::add_linear(b, {"fc2.weight", "fc2.bias"}, d, s.decoder_ffn_dim, part::mlp, sharding::cols);
  detail::add_norm(b, {"final_layer_norm.weight", "final_layer_norm.bias"}, d);
  feed_forward f;
  f.kind = feed_forward_kind::dense;
  f.inner = s.decoder_ffn_dim;
  f.matrices = 2;
  const std::uint8_t cross = b.add_kind(
      detail::decoder_attention(attention_kind::cross, s.decoder_attention_heads, head_dim), f, b.end_range(r));
  detail::add_decoder_layers(b, self, cross, s.decoder_layers);
  if (!b.ok) m.layers = 0;
  return m;
}

/// Puts Voxtral's audio tower and projector beside a text model. The projector reads as many frames at once as make up
/// the tower's inner size. False when a bound of `transformer` is passed.
constexpr bool add_voxtral_tower(transformer& text, const whisper_encoder_shape& s) noexcept {
  detail::model_builder b;
  b.model = text;
  const family_range r = b.begin_range();
  detail::add_whisper_encoder(b, s, detail::voxtral_tower, true);
  b.add("multi_modal_projector.linear_1.weight", text.hidden, s.encoder_ffn_dim, part::tower, sharding::replicated,
        precision::kept);
  b.add("multi_modal_projector.linear_2.weight", text.hidden, text.hidden, part::tower, sharding::replicated,
        precision::kept);
  b.model.towers = b.end_range(r);
  if (!b.ok) return false;
  text = b.model;
  return true;
}

}  // namespace ullage::inline v0
