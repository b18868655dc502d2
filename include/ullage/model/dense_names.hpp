// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/dense.hpp>

// Names that checkpoints give to the tensors of a dense decoder, where they differ from Llama's.
namespace ullage::inline v0::names {

inline constexpr tensor_names none{};

inline constexpr dense_names llama{};

/// One norm before attention and feed-forward, which run side by side (Cohere).
inline constexpr dense_names cohere{.norms = {{{"input_layernorm.weight", "input_layernorm.bias"}, none, none, none}}};

/// Norms behind the blocks instead of before (OLMo-2, OLMo-3, EXAONE-4).
inline constexpr dense_names post_norms{
    .norms = {{{"post_attention_layernorm.weight", "post_attention_layernorm.bias"},
               {"post_feedforward_layernorm.weight", "post_feedforward_layernorm.bias"},
               none,
               none}}};

/// Query, key and value in one tensor (Baichuan).
inline constexpr dense_names baichuan{.query = {"self_attn.W_pack.weight", {}},
                                      .key = {"self_attn.W_pack.weight", {}},
                                      .value = {"self_attn.W_pack.weight", {}}};

/// Gate and up in one tensor (GLM-4 in transformers' own class).
inline constexpr dense_names glm{.gate = {"mlp.gate_up_proj.weight", {}}, .up = {"mlp.gate_up_proj.weight", {}}};

/// As GLM, with norms before and behind both blocks (GLM-4-0414).
inline constexpr dense_names glm4{.gate = {"mlp.gate_up_proj.weight", {}},
                                  .up = {"mlp.gate_up_proj.weight", {}},
                                  .norms = {{{"input_layernorm.weight", {}},
                                             {"post_self_attn_layernorm.weight", {}},
                                             {"post_attention_layernorm.weight", {}},
                                             {"post_mlp_layernorm.weight", {}}}}};

inline constexpr dense_names internlm2{.embedding = "model.tok_embeddings.weight",
                                       .head = "output.weight",
                                       .query = {"attention.wqkv.weight", "attention.wqkv.bias"},
                                       .key = {"attention.wqkv.weight", "attention.wqkv.bias"},
                                       .value = {"attention.wqkv.weight", "attention.wqkv.bias"},
                                       .output = {"attention.wo.weight", "attention.wo.bias"},
                                       .gate = {"feed_forward.w1.weight", {}},
                                       .up = {"feed_forward.w3.weight", {}},
                                       .down = {"feed_forward.w2.weight", {}},
                                       .norms = {{{"attention_norm.weight", {}}, {"ffn_norm.weight", {}}, none, none}}};

/// The first Qwen.
inline constexpr dense_names qwen{.layers = "transformer.h.",
                                  .embedding = "transformer.wte.weight",
                                  .final_norm = {"transformer.ln_f.weight", {}},
                                  .query = {"attn.c_attn.weight", "attn.c_attn.bias"},
                                  .key = {"attn.c_attn.weight", "attn.c_attn.bias"},
                                  .value = {"attn.c_attn.weight", "attn.c_attn.bias"},
                                  .output = {"attn.c_proj.weight", "attn.c_proj.bias"},
                                  .gate = {"mlp.w2.weight", "mlp.w2.bias"},
                                  .up = {"mlp.w1.weight", "mlp.w1.bias"},
                                  .down = {"mlp.c_proj.weight", "mlp.c_proj.bias"},
                                  .norms = {{{"ln_1.weight", {}}, {"ln_2.weight", {}}, none, none}}};

/// ChatGLM2, ChatGLM3 and GLM-4-9B in their own class.
inline constexpr dense_names chatglm{
    .layers = "transformer.encoder.layers.",
    .embedding = "transformer.embedding.word_embeddings.weight",
    .final_norm = {"transformer.encoder.final_layernorm.weight", {}},
    .head = "transformer.output_layer.weight",
    .query = {"self_attention.query_key_value.weight", "self_attention.query_key_value.bias"},
    .key = {"self_attention.query_key_value.weight", "self_attention.query_key_value.bias"},
    .value = {"self_attention.query_key_value.weight", "self_attention.query_key_value.bias"},
    .output = {"self_attention.dense.weight", "self_attention.dense.bias"},
    .gate = {"mlp.dense_h_to_4h.weight", "mlp.dense_h_to_4h.bias"},
    .up = {"mlp.dense_h_to_4h.weight", "mlp.dense_h_to_4h.bias"},
    .down = {"mlp.dense_4h_to_h.weight", "mlp.dense_4h_to_h.bias"}};

/// ChatGLM-6B, the first: no gate, biases and LayerNorms throughout.
inline constexpr dense_names chatglm_6b{
    .layers = "transformer.layers.",
    .embedding = "transformer.word_embeddings.weight",
    .final_norm = {"transformer.final_layernorm.weight", "transformer.final_layernorm.bias"},
    .query = {"attention.query_key_value.weight", "attention.query_key_value.bias"},
    .key = {"attention.query_key_value.weight", "attention.query_key_value.bias"},
    .value = {"attention.query_key_value.weight", "attention.query_key_value.bias"},
    .output = {"attention.dense.weight", "attention.dense.bias"},
    .gate = none,
    .up = {"mlp.dense_h_to_4h.weight", "mlp.dense_h_to_4h.bias"},
    .down = {"mlp.dense_4h_to_h.weight", "mlp.dense_4h_to_h.bias"}};

/// EXAONE-3 and 3.5.
inline constexpr dense_names exaone{.layers = "transformer.h.",
                                    .embedding = "transformer.wte.weight",
                                    .final_norm = {"transformer.ln_f.weight", {}},
                                    .query = {"attn.attention.q_proj.weight", {}},
                                    .key = {"attn.attention.k_proj.weight", {}},
                                    .value = {"attn.attention.v_proj.weight", {}},
                                    .output = {"attn.attention.out_proj.weight", {}},
                                    .gate = {"mlp.c_fc_0.weight", {}},
                                    .up = {"mlp.c_fc_1.weight", {}},
                                    .down = {"mlp.c_proj.weight", {}},
                                    .norms = {{{"ln_1.weight", {}}, {"ln_2.weight", {}}, none, none}}};

/// Feed-forwards without a gate (Arcee, Nemotron).
inline constexpr dense_names ungated{.gate = none};

/// As those, with an activation that learns two numbers a layer.
inline constexpr dense_names apertus{
    .gate = none,
    .norms = {{{"attention_layernorm.weight", {}}, {"feedforward_layernorm.weight", {}}, none, none}},
    .activation_first = "mlp.act_fn.alpha_n",
    .activation_second = "mlp.act_fn.alpha_p"};

}  // namespace ullage::inline v0::names
