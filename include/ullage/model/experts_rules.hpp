// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/experts.hpp>

// Names and shapes of the tensors of mixture-of-experts families, as their checkpoints have them.
namespace ullage::inline v0::detail::rules {

template <std::size_t... N>
constexpr std::array<tensor_rule, (N + ...)> join(const std::array<tensor_rule, N>&... lists) noexcept {
  std::array<tensor_rule, (N + ...)> all{};
  std::size_t at = 0;
  const auto append = [&](const auto& list) {
    for (const tensor_rule& t : list) all[at++] = t;
  };
  (append(lists), ...);
  return all;
}

// What most rules are: a projection of the hidden state, one back to it, a vector.
constexpr tensor_rule into(std::string_view name, extent rows, part p, sharding spread, std::uint32_t when = 0,
                           precision stored = precision::linear) noexcept {
  return {name, rows, extent::hidden, p, spread, stored, when};
}
constexpr tensor_rule back(std::string_view name, extent cols, part p, sharding spread,
                           std::uint32_t when = 0) noexcept {
  return {name, extent::hidden, cols, p, spread, precision::linear, when};
}
constexpr tensor_rule vector(std::string_view name, extent length, part p, std::uint32_t when = 0,
                             precision stored = precision::kept) noexcept {
  return {name, extent::one, length, p, sharding::replicated, stored, when};
}
constexpr tensor_rule divided(std::string_view name, extent length, part p, sharding spread,
                              std::uint32_t when = 0) noexcept {
  return {name, length, extent::one, p, spread, precision::kept, when};
}
constexpr tensor_rule expert_in(std::string_view name, extent rows = extent::expert_inner) noexcept {
  return {name,           rows,           extent::hidden, part::experts, sharding::expert_rows, precision::experts,
          having::routed, extent::experts};
}
constexpr tensor_rule expert_out(std::string_view name) noexcept {
  return {name,           extent::hidden,        extent::expert_inner,
          part::experts,  sharding::expert_cols, precision::experts,
          having::routed, extent::experts};
}
constexpr tensor_rule router(std::string_view name) noexcept {
  return into(name, extent::experts, part::router, sharding::replicated, having::routed, precision::kept);
}
/// The correction of the router's scores, which the files keep in 32 bits.
constexpr tensor_rule correction(std::string_view name) noexcept {
  return vector(name, extent::experts, part::router, having::routed | having::router_bias, precision::float32);
}
constexpr std::array<tensor_rule, 3> gated(std::string_view gate, std::string_view up, std::string_view down,
                                           extent inner, part p, std::uint32_t when) noexcept {
  return {{into(gate, inner, p, sharding::rows, when), into(up, inner, p, sharding::rows, when),
           back(down, inner, p, sharding::cols, when)}};
}
constexpr std::array<tensor_rule, 3> experts(std::string_view gate, std::string_view up,
                                             std::string_view down) noexcept {
  return {{expert_in(gate), expert_in(up), expert_out(down)}};
}

inline constexpr std::array<tensor_rule, 1> embed_tokens{
    {into("model.embed_tokens.weight", extent::vocabulary, part::embedding, sharding::vocab_rows, 0, precision::kept)}};
inline constexpr std::array<tensor_rule, 2> norm{
    {vector("model.norm.weight", extent::hidden, part::norm),
     vector("model.norm.bias", extent::hidden, part::norm, having::norm_bias)}};
inline constexpr std::array<tensor_rule, 2> lm_head{
    {into("lm_head.weight", extent::vocabulary, part::head, sharding::vocab_rows, 0, precision::head),
     divided("lm_head.bias", extent::vocabulary, part::head, sharding::vocab_rows, having::head_bias)}};

inline constexpr std::array<tensor_rule, 4> layer_norms{
    {vector("input_layernorm.weight", extent::hidden, part::norm),
     vector("input_layernorm.bias", extent::hidden, part::norm, having::norm_bias),
     vector("post_attention_layernorm.weight", extent::hidden, part::norm),
     vector("post_attention_layernorm.bias", extent::hidden, part::norm, having::norm_bias)}};
inline constexpr std::array<tensor_rule, 8> attention{
    {into("self_attn.q_proj.weight", extent::queries, part::attention, sharding::rows),
     into("self_attn.k_proj.weight", extent::keys, part::attention, sharding::kv_rows, having::own_cache),
     into("self_attn.v_proj.weight", extent::values, part::attention, sharding::kv_rows, having::own_cache),
     back("self_attn.o_proj.weight", extent::outputs, part::attention, sharding::cols),
     divided("self_attn.q_proj.bias", extent::queries, part::attention, sharding::rows, having::qkv_bias),
     divided("self_attn.k_proj.bias", extent::keys, part::attention, sharding::kv_rows, having::qkv_bias),
     divided("self_attn.v_proj.bias", extent::values, part::attention, sharding::kv_rows, having::qkv_bias),
     vector("self_attn.o_proj.bias", extent::hidden, part::attention, having::output_bias)}};
/// One norm over the elements of a head.
inline constexpr std::array<tensor_rule, 2> head_norms{
    {vector("self_attn.q_norm.weight", extent::head, part::norm, having::qk_norm),
     vector("self_attn.k_norm.weight", extent::head, part::norm, having::qk_norm)}};
/// One norm over all heads at once (OLMoE, MiniMax-M2).
inline constexpr std::array<tensor_rule, 2> whole_norms{
    {vector("self_attn.q_norm.weight", extent::queries, part::norm, having::qk_norm),
     vector("self_attn.k_norm.weight", extent::keys, part::norm, having::qk_norm)}};

inline constexpr std::array<tensor_rule, 3> dense_mlp = gated(
    "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", extent::inner, part::mlp, having::dense);
inline constexpr std::array<tensor_rule, 3> mlp_experts =
    experts("mlp.experts.{}.gate_proj.weight", "mlp.experts.{}.up_proj.weight", "mlp.experts.{}.down_proj.weight");
inline constexpr std::array<tensor_rule, 1> mlp_gate{{router("mlp.gate.weight")}};
inline constexpr std::array<tensor_rule, 1> mlp_correction{{correction("mlp.gate.e_score_correction_bias")}};
inline constexpr std::array<tensor_rule, 3> shared_experts = gated(
    "mlp.shared_experts.gate_proj.weight", "mlp.shared_experts.up_proj.weight", "mlp.shared_experts.down_proj.weight",
    extent::shared_inner, part::shared_experts, having::routed | having::shared);
/// Mixtral's words.
inline constexpr std::array<tensor_rule, 3> mixtral_experts =
    experts("block_sparse_moe.experts.{}.w1.weight", "block_sparse_moe.experts.{}.w3.weight",
            "block_sparse_moe.experts.{}.w2.weight");
inline constexpr std::array<tensor_rule, 1> mixtral_gate{{router("block_sparse_moe.gate.weight")}};

/// A module that predicts one token more: its layer, a projection of embedding and state, norms; some files repeat
/// embedding and head in it.
inline constexpr std::array<tensor_rule, 6> prediction{
    {into("embed_tokens.weight", extent::vocabulary, part::mtp, sharding::vocab_rows, having::mtp_embedding,
          precision::kept),
     into("shared_head.head.weight", extent::vocabulary, part::mtp, sharding::vocab_rows, having::mtp_head,
          precision::head),
     vector("shared_head.norm.weight", extent::hidden, part::mtp, having::mtp_final_norm),
     vector("enorm.weight", extent::hidden, part::mtp),
     vector("hnorm.weight", extent::hidden, part::mtp),
     {"eh_proj.weight", extent::hidden, extent::hidden_twice, part::mtp, sharding::replicated, precision::kept}}};

// One list a family.
inline constexpr auto qwen2_moe_layer =
    join(layer_norms, attention, dense_mlp, mlp_gate, mlp_experts,
         gated("mlp.shared_expert.gate_proj.weight", "mlp.shared_expert.up_proj.weight",
               "mlp.shared_expert.down_proj.weight", extent::shared_inner, part::shared_experts, having::routed),
         std::array<tensor_rule, 1>{{into("mlp.shared_expert_gate.weight", extent::one, part::router,
                                          sharding::replicated, having::routed, precision::kept)}});
inline constexpr auto phimoe_layer = join(layer_norms, attention, mixtral_gate, mixtral_experts);
inline constexpr auto olmoe_layer = join(layer_norms, attention, whole_norms, mlp_gate, mlp_experts);
inline constexpr auto granitemoe_layer =
    join(layer_norms, attention,
         std::array<tensor_rule, 3>{{router("block_sparse_moe.router.layer.weight"),
                                     expert_in("block_sparse_moe.input_linear.weight", extent::expert_pair),
                                     expert_out("block_sparse_moe.output_linear.weight")}});
inline constexpr std::array<tensor_rule, 8> dbrx_layer{
    {vector("norm_attn_norm.norm_1.weight", extent::hidden, part::norm),
     vector("norm_attn_norm.norm_2.weight", extent::hidden, part::norm),
     into("norm_attn_norm.attn.Wqkv.weight", extent::qkv, part::attention, sharding::rows),
     back("norm_attn_norm.attn.out_proj.weight", extent::outputs, part::attention, sharding::cols),
     router("ffn.router.layer.weight"), expert_in("ffn.experts.mlp.w1"), expert_in("ffn.experts.mlp.v1"),
     expert_out("ffn.experts.mlp.w2")}};
inline constexpr std::array<tensor_rule, 1> dbrx_embedding{
    {into("transformer.wte.weight", extent::vocabulary, part::embedding, sharding::vocab_rows, 0, precision::kept)}};
inline constexpr std::array<tensor_rule, 1> dbrx_norm{
    {vector("transformer.norm_f.weight", extent::hidden, part::norm)}};
inline constexpr auto arctic_layer = join(
    layer_norms, attention, mixtral_gate, mixtral_experts,
    gated("block_sparse_moe.mlp.w1.weight", "block_sparse_moe.mlp.w3.weight", "block_sparse_moe.mlp.w2.weight",
          extent::inner, part::mlp, having::dense),
    std::array<tensor_rule, 1>{{vector("residual_layernorm.weight", extent::hidden, part::norm, having::residual_mlp)}},
    gated("residual_mlp.w1.weight", "residual_mlp.w3.weight", "residual_mlp.w2.weight", extent::hidden, part::mlp,
          having::residual_mlp));
inline constexpr auto grok_layer =
    join(std::array<tensor_rule, 9>{{vector("pre_attn_norm.scale", extent::hidden, part::norm),
                                     vector("post_attn_norm.scale", extent::hidden, part::norm),
                                     vector("pre_moe_norm.scale", extent::hidden, part::norm),
                                     vector("post_moe_norm.scale", extent::hidden, part::norm),
                                     into("attn.q_proj.weight", extent::queries, part::attention, sharding::rows),
                                     into("attn.k_proj.weight", extent::keys, part::attention, sharding::kv_rows),
                                     into("attn.v_proj.weight", extent::values, part::attention, sharding::kv_rows),
                                     back("attn.o_proj.weight", extent::outputs, part::attention, sharding::cols),
                                     router("moe_block.gate.weight")}},
         experts("moe_block.experts.{}.linear.weight", "moe_block.experts.{}.linear_v.weight",
                 "moe_block.experts.{}.linear_1.weight"));
inline constexpr std::array<tensor_rule, 1> grok_norm{{vector("model.norm.scale", extent::hidden, part::norm)}};
inline constexpr auto hunyuan_layer = join(
    layer_norms, attention,
    std::array<tensor_rule, 3>{{vector("self_attn.query_layernorm.weight", extent::head, part::norm, having::qk_norm),
                                vector("self_attn.key_layernorm.weight", extent::head, part::norm, having::qk_norm),
                                router("mlp.gate.wg.weight")}},
    dense_mlp, mlp_experts,
    gated("mlp.shared_mlp.gate_proj.weight", "mlp.shared_mlp.up_proj.weight", "mlp.shared_mlp.down_proj.weight",
          extent::shared_inner, part::shared_experts, having::routed | having::shared));
inline constexpr auto bailing_layer =
    join(layer_norms,
         std::array<tensor_rule, 7>{
             {into("attention.query_key_value.weight", extent::qkv, part::attention, sharding::rows),
              divided("attention.query_key_value.bias", extent::qkv, part::attention, sharding::rows, having::qkv_bias),
              back("attention.dense.weight", extent::outputs, part::attention, sharding::cols),
              vector("attention.dense.bias", extent::hidden, part::attention, having::output_bias),
              vector("attention.query_layernorm.weight", extent::head, part::norm, having::qk_norm),
              vector("attention.key_layernorm.weight", extent::head, part::norm, having::qk_norm),
              correction("mlp.gate.expert_bias")}},
         dense_mlp, mlp_gate, mlp_experts, shared_experts);
inline constexpr std::array<tensor_rule, 1> bailing_embedding{{into(
    "model.word_embeddings.weight", extent::vocabulary, part::embedding, sharding::vocab_rows, 0, precision::kept)}};
inline constexpr auto glm4_moe_layer = join(layer_norms, attention, head_norms, dense_mlp, mlp_gate, mlp_correction,
                                            mlp_experts, shared_experts);  // dots1 too
inline constexpr auto ernie_layer = join(
    layer_norms, attention, dense_mlp, mlp_gate,
    std::array<tensor_rule, 1>{{correction("mlp.moe_statics.e_score_correction_bias")}}, mlp_experts, shared_experts);
inline constexpr auto minimax_m2_layer =
    join(layer_norms, attention, whole_norms, mixtral_gate,
         std::array<tensor_rule, 1>{{correction("block_sparse_moe.e_score_correction_bias")}}, mixtral_experts);
inline constexpr auto gpt_oss_layer =
    join(layer_norms, attention,
         std::array<tensor_rule, 7>{
             {divided("self_attn.sinks", extent::heads, part::attention, sharding::rows, having::sinks),
              router("mlp.router.weight"),
              vector("mlp.router.bias", extent::experts, part::router, having::routed),
              expert_in("mlp.experts.gate_up_proj", extent::expert_pair),
              expert_out("mlp.experts.down_proj"),
              {"mlp.experts.gate_up_proj_bias", extent::expert_pair, extent::one, part::experts, sharding::expert_rows,
               precision::kept, having::routed, extent::experts},
              {"mlp.experts.down_proj_bias", extent::one, extent::hidden, part::experts, sharding::replicated,
               precision::kept, having::routed, extent::experts}}});
inline constexpr auto llama4_layer = join(
    layer_norms, attention,
    gated("feed_forward.gate_proj.weight", "feed_forward.up_proj.weight", "feed_forward.down_proj.weight",
          extent::inner, part::mlp, having::dense),
    std::array<tensor_rule, 3>{{router("feed_forward.router.weight"),
                                expert_in("feed_forward.experts.gate_up_proj", extent::expert_pair),
                                expert_out("feed_forward.experts.down_proj")}},
    gated("feed_forward.shared_expert.gate_proj.weight", "feed_forward.shared_expert.up_proj.weight",
          "feed_forward.shared_expert.down_proj.weight", extent::shared_inner, part::shared_experts, having::routed));
inline constexpr std::array<tensor_rule, 1> inner_embed_tokens{
    {into("language_model.model.embed_tokens.weight", extent::vocabulary, part::embedding, sharding::vocab_rows, 0,
          precision::kept)}};
inline constexpr std::array<tensor_rule, 1> inner_norm{
    {vector("language_model.model.norm.weight", extent::hidden, part::norm)}};
inline constexpr std::array<tensor_rule, 1> inner_lm_head{
    {into("language_model.lm_head.weight", extent::vocabulary, part::head, sharding::vocab_rows, 0, precision::head)}};
inline constexpr auto step3p5_layer =
    join(layer_norms, attention, head_norms,
         std::array<tensor_rule, 6>{{into("self_attn.g_proj.weight", extent::heads, part::attention, sharding::rows,
                                          having::head_gate, precision::kept),
                                     router("moe.gate.weight"), correction("moe.router_bias"),
                                     expert_in("moe.gate_proj.weight"), expert_in("moe.up_proj.weight"),
                                     expert_out("moe.down_proj.weight")}},
         dense_mlp,
         gated("share_expert.gate_proj.weight", "share_expert.up_proj.weight", "share_expert.down_proj.weight",
               extent::shared_inner, part::shared_experts, having::routed | having::shared));
inline constexpr auto mimo_v2_layer =
    join(layer_norms, attention,
         std::array<tensor_rule, 1>{
             {divided("self_attn.attention_sink_bias", extent::heads, part::attention, sharding::rows, having::sinks)}},
         dense_mlp, mlp_gate, mlp_correction, mlp_experts, shared_experts);

}  // namespace ullage::inline v0::detail::rules

namespace ullage::inline v0 {

namespace detail::rules {
constexpr experts_rules standard(std::span<const tensor_rule> layer) noexcept {
  return {.embedding = embed_tokens, .final_norm = norm, .head = lm_head, .layer = layer, .mtp = prediction};
}
}  // namespace detail::rules

inline constexpr experts_rules qwen2_moe_rules = detail::rules::standard(detail::rules::qwen2_moe_layer);
inline constexpr experts_rules phimoe_rules = detail::rules::standard(detail::rules::phimoe_layer);
inline constexpr experts_rules olmoe_rules = detail::rules::standard(detail::rules::olmoe_layer);
inline constexpr experts_rules granitemoe_rules = detail::rules::standard(detail::rules::granitemoe_layer);
inline constexpr experts_rules dbrx_rules{.layer_prefix = "transformer.blocks.",
                                          .embedding = detail::rules::dbrx_embedding,
                                          .final_norm = detail::rules::dbrx_norm,
                                          .head = detail::rules::lm_head,
                                          .layer = detail::rules::dbrx_layer};
inline constexpr experts_rules arctic_rules = detail::rules::standard(detail::rules::arctic_layer);
inline constexpr experts_rules grok_rules{.embedding = detail::rules::embed_tokens,
                                          .final_norm = detail::rules::grok_norm,
                                          .head = detail::rules::lm_head,
                                          .layer = detail::rules::grok_layer};
inline constexpr experts_rules hunyuan_rules = detail::rules::standard(detail::rules::hunyuan_layer);
inline constexpr experts_rules bailing_rules{.embedding = detail::rules::bailing_embedding,
                                             .final_norm = detail::rules::norm,
                                             .head = detail::rules::lm_head,
                                             .layer = detail::rules::bailing_layer,
                                             .mtp = detail::rules::prediction};
inline constexpr experts_rules glm4_moe_rules = detail::rules::standard(detail::rules::glm4_moe_layer);
inline constexpr experts_rules ernie_rules = detail::rules::standard(detail::rules::ernie_layer);
inline constexpr experts_rules minimax_m2_rules = detail::rules::standard(detail::rules::minimax_m2_layer);
inline constexpr experts_rules gpt_oss_rules = detail::rules::standard(detail::rules::gpt_oss_layer);
inline constexpr experts_rules llama4_rules = detail::rules::standard(detail::rules::llama4_layer);
/// Below a model with a vision tower.
inline constexpr experts_rules llama4_inner_rules{.layer_prefix = "language_model.model.layers.",
                                                  .embedding = detail::rules::inner_embed_tokens,
                                                  .final_norm = detail::rules::inner_norm,
                                                  .head = detail::rules::inner_lm_head,
                                                  .layer = detail::rules::llama4_layer};
inline constexpr experts_rules step3p5_rules = detail::rules::standard(detail::rules::step3p5_layer);
inline constexpr experts_rules mimo_v2_rules = detail::rules::standard(detail::rules::mimo_v2_layer);

}  // namespace ullage::inline v0
