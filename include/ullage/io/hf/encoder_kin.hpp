// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/io/hf/llama_kin.hpp>
#include <ullage/model/encoder.hpp>
#include <vector>

namespace ullage::inline v0::io::hf {

/// The config's words for sizes.
struct bert_words {
  std::string_view hidden = "hidden_size";
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view inner = "intermediate_size";
  std::string_view embedding{};  ///< of the embedding, where that may have a width of its own
  std::string_view buckets{};    ///< of relative positions
};
inline constexpr bert_words usual_bert_words{};
inline constexpr bert_words electra_words{.embedding = "embedding_size"};
inline constexpr bert_words mpnet_words{.buckets = "relative_attention_num_buckets"};
inline constexpr bert_words distilbert_words{
    .hidden = "dim", .layers = "n_layers", .heads = "n_heads", .inner = "hidden_dim"};

/// One model type of BERT's kin, with what its class defaults to where the file is silent.
struct bert_family {
  std::string_view model_type{};
  const encoder_names* names = &encoder_layouts::bert;
  const bert_words* words = &usual_bert_words;
  std::int64_t max_position = 512;
  std::int64_t token_types = 2;      ///< type_vocab_size
  bool counts_from_padding = false;  ///< positions start behind pad_token_id
};

/// Defaults as in transformers 4.57, `configuration_<model_type>.py`.
inline constexpr std::array<bert_family, 8> bert_families{{
    {.model_type = "bert"},
    {.model_type = "roberta", .counts_from_padding = true},
    {.model_type = "xlm-roberta", .counts_from_padding = true},
    {.model_type = "camembert", .counts_from_padding = true},
    {.model_type = "electra", .names = &encoder_layouts::electra, .words = &electra_words},
    {.model_type = "distilbert", .names = &encoder_layouts::distilbert, .words = &distilbert_words},
    {.model_type = "deberta-v2", .names = &encoder_layouts::deberta, .token_types = 0},
    {.model_type = "mpnet", .names = &encoder_layouts::mpnet, .words = &mpnet_words, .counts_from_padding = true},
}};

namespace detail_encoder {

inline void heads_divide(object_reader& r, std::string_view key, std::int64_t heads, std::int64_t hidden) {
  if (r.ok() && hidden % heads != 0)
    r.fail_at(key, error_code::bad_value,
              "is " + std::to_string(heads) + ", which does not divide the hidden size " + std::to_string(hidden) +
                  "; expected a divisor.");
}
/// Layers of a decoder that also attends to an encoder: each stands as two.
inline std::int64_t decoder_layers(object_reader& r, std::string_view key, std::int64_t fallback) {
  constexpr std::int64_t most = static_cast<std::int64_t>(transformer::most_layers) / 2;
  const std::int64_t n = fallback > 0 ? r.whole(key, fallback, 1) : r.required_whole(key, 1);
  if (n <= most) return n;
  r.fail_at(key, error_code::too_many_layers,
            "is " + std::to_string(n) + "; expected at most " + std::to_string(most) + ".");
  return 1;
}
inline void expect_encoder_decoder(object_reader& r) {
  require_value(r, "is_encoder_decoder", !r.flag("is_encoder_decoder", true), "true");
}

/// DeBERTa v2 and v3: one table of relative positions, which keys and queries of every layer read through their own
/// matrices.
inline void read_deberta(object_reader& r, bert_shape& s) {
  require_value(r, "embedding_size", r.whole("embedding_size", s.hidden_size, 1) != s.hidden_size, "hidden_size");
  s.position_table = r.flag("position_biased_input", true);
  require_value(r, "conv_kernel_size", r.whole("conv_kernel_size", 0, 0) != 0, "0");
  const bool relative = r.flag("relative_attention", false);
  const bool shared = r.flag("share_att_key", false);
  const std::int64_t buckets = r.whole("position_buckets", -1, -1, most_elements);
  const std::int64_t longest = r.whole("max_relative_positions", -1, -1, most_elements);
  const std::string norm = r.text("norm_rel_ebd", "none");
  require_value(r, "norm_rel_ebd", norm != "none" && norm != "layer_norm", "none or layer_norm");
  for (std::string_view key : {"pos_att_type", "pooler_dropout", "pooler_hidden_act", "pooler_hidden_size", "legacy"})
    r.find(key);
  if (!relative) return;
  require_value(r, "share_att_key", !shared, "true: matrices for positions alone are not modelled");
  s.relative_attention_num_buckets = 2 * (buckets > 0 ? buckets : longest > 0 ? longest : s.max_position_embeddings);
  s.relative_width = s.hidden_size;
  s.relative_norm = norm == "layer_norm";
}

}  // namespace detail_encoder

/// The encoder and pooler that a config of BERT's kin describes; mistakes are left in the reader.
inline transformer read_bert_kin(object_reader& r, const bert_family& f, const read_context& c) {
  bert_shape s;
  s.name = c.name;
  s.model_type = f.model_type;
  const bert_words& w = *f.words;
  s.names = f.names;
  s.hidden_size = r.required_whole(w.hidden, 1, most_elements);
  s.num_hidden_layers = r.required_whole(w.layers, 1);
  if (s.num_hidden_layers > static_cast<std::int64_t>(transformer::most_layers))
    r.fail_at(w.layers, error_code::too_many_layers,
              "is " + std::to_string(s.num_hidden_layers) + "; expected at most " +
                  std::to_string(transformer::most_layers) + ".");
  s.num_attention_heads = r.required_whole(w.heads, 1, most_elements);
  s.intermediate_size = r.required_whole(w.inner, 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.max_position_embeddings = r.whole("max_position_embeddings", f.max_position, 1, most_elements);
  if (!f.names->token_types.empty())
    s.type_vocab_size = r.whole("type_vocab_size", f.token_types, f.token_types > 0 ? 1 : 0, most_elements);
  if (!w.embedding.empty()) s.embedding_size = r.required_whole(w.embedding, 1, most_elements);
  if (!w.buckets.empty()) s.relative_attention_num_buckets = r.whole(w.buckets, 32, 1, most_elements);
  if (f.counts_from_padding) {
    s.unused_positions = 1 + r.whole("pad_token_id", 1, 0, most_elements);
    if (r.ok() && s.unused_positions >= s.max_position_embeddings)
      r.fail_at("max_position_embeddings", error_code::bad_value,
                "is " + std::to_string(s.max_position_embeddings) +
                    "; expected more than pad_token_id + 1, where the first token stands.");
  }
  detail_encoder::heads_divide(r, w.heads, s.num_attention_heads, s.hidden_size);
  require_value(r, "position_embedding_type", r.text("position_embedding_type", "absolute") != "absolute", "absolute");
  require_value(r, "is_decoder", r.flag("is_decoder", false), "false");
  // The pooler of the first program is not the one of these classes.
  for (std::string_view key : {"_num_labels", "classifier_dropout", "directionality", "hidden_dropout_prob",
                               "output_past", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                               "pooler_size_per_head", "pooler_type", "sentence_transformers", "tie_word_embeddings"})
    r.find(key);
  // The two tables of positions have one shape; heads of tasks are not counted.
  if (f.model_type == "distilbert")
    for (std::string_view key :
         {"activation", "dropout", "qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds", "tie_weights_"})
      r.find(key);
  if (f.model_type == "deberta-v2" && r.ok()) detail_encoder::read_deberta(r, s);
  if (f.model_type == "electra")
    for (std::string_view key : {"summary_last_dropout", "summary_type", "summary_use_proj"}) r.find(key);
  const json* classes = r.find("architectures");
  const bool bare = classes == nullptr || !classes->is_array() || classes->empty() ||
                    (classes->front().is_string() && classes->front().get_ref<const std::string&>().ends_with("Model"));
  if (!bare)
    c.assume(r, "architectures", f.names->pooler.weight.empty() ? "the encoder" : "the encoder with its pooler",
             f.names->pooler.weight.empty() ? "the head of the task is not counted"
                                            : "the head of the task is not counted, a pooler is");
  if (!r.ok()) return {};
  return make_bert(s);
}

inline transformer read_bert_family(object_reader& r, const read_context& c) {
  for (const bert_family& f : bert_families)
    if (f.model_type == c.model_type) return read_bert_kin(r, f, c);
  return {};
}

/// T5; class defaults as in transformers 4.57, `configuration_t5.py`.
inline transformer read_t5_family(object_reader& r, const read_context& c) {
  t5_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.d_model = r.required_whole("d_model", 1, most_elements);
  s.d_kv = r.whole("d_kv", 64, 1, most_elements);
  s.d_ff = r.required_whole("d_ff", 1, most_elements);
  s.num_heads = r.required_whole("num_heads", 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.num_layers = detail_encoder::decoder_layers(r, "num_layers", 0);
  s.num_decoder_layers = detail_encoder::decoder_layers(r, "num_decoder_layers", s.num_layers);
  s.relative_attention_num_buckets = r.whole("relative_attention_num_buckets", 32, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", true);
  // transformers 5 always writes a tie. What it scales tells whether the file that it read had one.
  if (!r.flag("scale_decoder_outputs", true) && s.tie_word_embeddings) {
    s.tie_word_embeddings = false;
    c.assume(r, "tie_word_embeddings", "false",
             "scale_decoder_outputs is false, as of checkpoints with a head of their own");
  }
  const std::string act = r.text("feed_forward_proj", "relu");
  s.gated = act.starts_with("gated-");
  if (r.has("is_gated_act"))
    require_value(r, "is_gated_act", r.flag("is_gated_act", s.gated) != s.gated,
                  s.gated ? "true, as feed_forward_proj has it" : "false, as feed_forward_proj has it");
  s.n_positions = r.whole("n_positions", 512, 1, most_elements);
  if (!r.has("n_positions"))
    c.assume(r, "n_positions", "512",
             "absent; relative positions set no bound, and the family was trained on 512 tokens");
  detail_encoder::expect_encoder_decoder(r);
  // The width of all heads is bounded like every other size.
  if (r.ok() && s.num_heads > most_elements / s.d_kv)
    r.fail_at("num_heads", error_code::overflow, "times d_kv is more than " + std::to_string(most_elements) + ".");
  for (std::string_view key : {"classifier_dropout", "dense_act_fn", "dropout_rate", "initializer_factor",
                               "layer_norm_epsilon", "output_past", "relative_attention_max_distance"})
    r.find(key);
  if (!r.ok()) return {};
  return make_t5(s);
}

/// Whisper; class defaults as in transformers 4.57, `configuration_whisper.py`.
inline transformer read_whisper_family(object_reader& r, const read_context& c) {
  whisper_shape s;
  s.name = c.name;
  s.model_type = c.model_type;
  s.encoder.d_model = r.required_whole("d_model", 1, most_elements);
  s.encoder.encoder_layers = detail_encoder::decoder_layers(r, "encoder_layers", 0);
  s.encoder.encoder_ffn_dim = r.required_whole("encoder_ffn_dim", 1, most_elements);
  s.encoder.num_mel_bins = r.whole("num_mel_bins", 80, 1, most_elements);
  s.encoder.max_source_positions = r.whole("max_source_positions", 1500, 1, most_elements);
  s.decoder_layers = detail_encoder::decoder_layers(r, "decoder_layers", 0);
  s.decoder_ffn_dim = r.required_whole("decoder_ffn_dim", 1, most_elements);
  s.decoder_attention_heads = r.required_whole("decoder_attention_heads", 1, most_elements);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.max_target_positions = r.whole("max_target_positions", 448, 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", true);
  detail_encoder::heads_divide(r, "decoder_attention_heads", s.decoder_attention_heads, s.encoder.d_model);
  detail_encoder::heads_divide(r, "encoder_attention_heads",
                               r.whole("encoder_attention_heads", s.decoder_attention_heads, 1, most_elements),
                               s.encoder.d_model);
  // Written beside it, the number of the encoder's layers once more.
  require_value(r, "num_hidden_layers",
                r.whole("num_hidden_layers", s.encoder.encoder_layers, 1) != s.encoder.encoder_layers,
                "the number of encoder_layers");
  detail_encoder::expect_encoder_decoder(r);
  // Training, masks of augmentation, alignment, and a classifier that this class does not have.
  for (std::string_view key : {"activation_dropout",
                               "activation_function",
                               "alignment_heads",
                               "apply_spec_augment",
                               "classifier_proj_size",
                               "decoder_layerdrop",
                               "dropout",
                               "encoder_layerdrop",
                               "forced_decoder_ids",
                               "init_std",
                               "lang_ids",
                               "mask_feature_length",
                               "mask_feature_min_masks",
                               "mask_feature_prob",
                               "mask_time_length",
                               "mask_time_min_masks",
                               "mask_time_prob",
                               "max_initial_timestamp_index",
                               "median_filter_width",
                               "scale_embedding",
                               "use_weighted_layer_sum"})
    r.find(key);
  if (!r.ok()) return {};
  return make_whisper(s);
}

/// Voxtral: a Llama with Whisper's encoder as its audio tower; class defaults as in transformers 4.57,
/// `configuration_voxtral.py`.
inline transformer read_voxtral_family(object_reader& r, const read_context& c) {
  constexpr error_words words{error_code::unknown_field, error_code::incomplete_config, error_code::overflow};
  std::vector<std::string> passed;
  for (std::string_view key : {"text_config", "audio_config"})
    if (!r.has(key)) r.missing(key, "an object");
  object_reader a(r.nested("audio_config"), r.path_of("audio_config"), words);
  require_value(a, "model_type", a.text("model_type", "voxtral_encoder") != "voxtral_encoder", "voxtral_encoder");
  whisper_encoder_shape tower;
  tower.d_model = a.whole("hidden_size", 1280, 1, most_elements);
  tower.encoder_ffn_dim = a.whole("intermediate_size", 5120, 1, most_elements);
  tower.encoder_layers = a.whole("num_hidden_layers", 32, 1, static_cast<std::int64_t>(transformer::most_layers));
  tower.num_mel_bins = a.whole("num_mel_bins", 128, 1, most_elements);
  tower.max_source_positions = a.whole("max_source_positions", 1500, 1, most_elements);
  const std::int64_t heads = a.whole("num_attention_heads", 20, 1, most_elements);
  detail_encoder::heads_divide(a, "num_attention_heads", heads, tower.d_model);
  if (a.ok()) {
    require_value(a, "num_key_value_heads", a.whole("num_key_value_heads", heads, 1) != heads,
                  "the number of attention heads");
    require_value(a, "head_dim", a.whole("head_dim", tower.d_model / heads, 1) != tower.d_model / heads,
                  "hidden_size / num_attention_heads");
  }
  for (std::string_view key : {"activation_dropout", "activation_function", "dropout", "dtype", "layerdrop",
                               "scale_embedding", "tie_word_embeddings", "torch_dtype", "vocab_size"})
    a.find(key);
  refuse_unread(a, "voxtral_encoder", passed);
  if (!a.ok()) r.fail(a.problem());

  object_reader t(r.nested("text_config"), r.path_of("text_config"), words);
  require_value(t, "model_type", t.text("model_type", "llama") != "llama", "llama");
  transformer m{};
  if (t.ok()) m = read_llama_family(t, {"llama", c.name, c.assumed});
  for (std::string_view key : {"dtype", "torch_dtype"}) t.find(key);
  refuse_unread(t, "llama", passed);
  if (!t.ok()) r.fail(t.problem());
  for (std::string_view key : {"hidden_size", "projector_hidden_act", "tie_word_embeddings", "vocab_size"}) r.find(key);
  if (!r.ok()) return {};
  if (!add_voxtral_tower(m, tower)) m.layers = 0;
  m.model_type = c.model_type;
  return m;
}

inline constexpr std::string_view bert_classes =
    "Model ForMaskedLM ForPreTraining ForSequenceClassification ForTokenClassification ForQuestionAnswering "
    "ForMultipleChoice ForNextSentencePrediction";
inline constexpr std::array<family, 11> encoder_kin_families{
    {{"bert", read_bert_family, bert_classes},
     {"camembert", read_bert_family, bert_classes},
     {"electra", read_bert_family, bert_classes},
     {"distilbert", read_bert_family, bert_classes},
     {"mpnet", read_bert_family, bert_classes},
     {"deberta-v2", read_bert_family, bert_classes},
     {"roberta", read_bert_family, bert_classes},
     {"xlm-roberta", read_bert_family, bert_classes},
     {"t5", read_t5_family, "ForConditionalGeneration WithLMHeadModel"},
     {"whisper", read_whisper_family, "ForConditionalGeneration"},
     {"voxtral", read_voxtral_family, "ForConditionalGeneration"}}};

}  // namespace ullage::inline v0::io::hf
