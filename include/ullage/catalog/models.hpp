// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <ullage/model.hpp>

// Built-in models, from the figures of their public config.json files.
namespace ullage::inline v0 {
namespace catalog {

namespace detail {
constexpr transformer stored_as(transformer m, const weight_scheme& w) noexcept {
  m.stored = w;
  return m;
}
constexpr llama_shape llama3(std::string_view name, std::int64_t hidden, std::int64_t inner, std::int64_t layers,
                             std::int64_t heads, std::int64_t head_dim, bool tied) noexcept {
  llama_shape s;
  s.name = name;
  s.hidden_size = hidden;
  s.intermediate_size = inner;
  s.num_hidden_layers = layers;
  s.num_attention_heads = heads;
  s.num_key_value_heads = 8;
  s.head_dim = head_dim;
  s.vocab_size = 128256;
  s.max_position_embeddings = 131072;
  s.tie_word_embeddings = tied;
  return s;
}
constexpr llama_shape qwen3(std::string_view name, std::int64_t hidden, std::int64_t inner, std::int64_t layers,
                            std::int64_t heads, std::int64_t kv_heads, std::int64_t max_position) noexcept {
  llama_shape s;
  s.name = name;
  s.model_type = "qwen3";
  s.hidden_size = hidden;
  s.intermediate_size = inner;
  s.num_hidden_layers = layers;
  s.num_attention_heads = heads;
  s.num_key_value_heads = kv_heads;
  s.head_dim = 128;
  s.vocab_size = 151936;
  s.max_position_embeddings = max_position;
  s.qk_norm = true;
  return s;
}
constexpr llama_shape with_experts(llama_shape s, std::string_view model_type, std::int64_t experts,
                                   std::int64_t per_token, std::int64_t inner) noexcept {
  s.model_type = model_type;
  s.num_experts = experts;
  s.num_experts_per_tok = per_token;
  s.moe_intermediate_size = inner;
  return s;
}
constexpr llama_shape mixtral_shape() noexcept {
  llama_shape s;
  s.name = "mixtral-8x7b";
  s.hidden_size = 4096;
  s.num_hidden_layers = 32;
  s.num_attention_heads = 32;
  s.num_key_value_heads = 8;
  s.vocab_size = 32000;
  s.max_position_embeddings = 32768;
  s.mixtral_names = true;
  return with_experts(s, "mixtral", 8, 2, 14336);
}
constexpr llama_shape qwen2_5_72b_shape() noexcept {
  llama_shape s = llama3("qwen2.5-72b", 8192, 29568, 80, 64, 128, false);
  s.model_type = "qwen2";
  s.vocab_size = 152064;
  s.max_position_embeddings = 32768;
  s.attention_bias = true;
  return s;
}
constexpr deepseek_shape deepseek_v3_shape() noexcept {
  deepseek_shape s;
  s.name = "deepseek-v3";
  s.hidden_size = 7168;
  s.intermediate_size = 18432;
  s.num_hidden_layers = 61;
  s.num_attention_heads = 128;
  s.q_lora_rank = 1536;
  s.kv_lora_rank = 512;
  s.qk_nope_head_dim = 128;
  s.qk_rope_head_dim = 64;
  s.v_head_dim = 128;
  s.vocab_size = 129280;
  s.max_position_embeddings = 163840;
  s.n_routed_experts = 256;
  s.num_experts_per_tok = 8;
  s.moe_intermediate_size = 2048;
  s.n_shared_experts = 1;
  s.first_k_dense_replace = 3;
  s.num_nextn_predict_layers = 1;
  return s;
}
}  // namespace detail

inline constexpr transformer llama_3_1_8b = make_llama(detail::llama3("llama-3.1-8b", 4096, 14336, 32, 32, 128, false));
inline constexpr transformer llama_3_1_70b =
    make_llama(detail::llama3("llama-3.1-70b", 8192, 28672, 80, 64, 128, false));
inline constexpr transformer llama_3_1_405b =
    make_llama(detail::llama3("llama-3.1-405b", 16384, 53248, 126, 128, 128, false));
inline constexpr transformer llama_3_2_1b = make_llama(detail::llama3("llama-3.2-1b", 2048, 8192, 16, 32, 64, true));
inline constexpr transformer qwen2_5_72b = make_llama(detail::qwen2_5_72b_shape());
inline constexpr transformer qwen3_8b = make_llama(detail::qwen3("qwen3-8b", 4096, 12288, 36, 32, 8, 40960));
inline constexpr transformer qwen3_32b = make_llama(detail::qwen3("qwen3-32b", 5120, 25600, 64, 64, 8, 40960));
inline constexpr transformer qwen3_235b_a22b = make_llama(
    detail::with_experts(detail::qwen3("qwen3-235b-a22b", 4096, 12288, 94, 64, 4, 40960), "qwen3_moe", 128, 8, 1536));
inline constexpr transformer mixtral_8x7b = make_llama(detail::mixtral_shape());
inline constexpr transformer deepseek_v3 =
    detail::stored_as(make_deepseek(detail::deepseek_v3_shape()), quantized_linears(formats::fp8_block, formats::bf16));

inline constexpr std::array<const transformer*, 10> models{
    &llama_3_1_8b, &llama_3_1_70b, &llama_3_1_405b,  &llama_3_2_1b, &qwen2_5_72b,
    &qwen3_8b,     &qwen3_32b,     &qwen3_235b_a22b, &mixtral_8x7b, &deepseek_v3};

using std::literals::string_view_literals::operator""sv;

struct model_alias {
  std::string_view alias{};
  const transformer* model = nullptr;
};
/// Public names of the same shapes: instruct variants share their base's config.
inline constexpr std::array<model_alias, 24> model_aliases{{
    {"meta-llama/Llama-3.1-8B"sv, &llama_3_1_8b},
    {"meta-llama/Llama-3.1-8B-Instruct"sv, &llama_3_1_8b},
    {"meta-llama/Meta-Llama-3.1-8B"sv, &llama_3_1_8b},
    {"meta-llama/Meta-Llama-3.1-8B-Instruct"sv, &llama_3_1_8b},
    {"meta-llama/Llama-3.1-70B"sv, &llama_3_1_70b},
    {"meta-llama/Llama-3.1-70B-Instruct"sv, &llama_3_1_70b},
    {"meta-llama/Meta-Llama-3.1-70B"sv, &llama_3_1_70b},
    {"meta-llama/Meta-Llama-3.1-70B-Instruct"sv, &llama_3_1_70b},
    {"meta-llama/Llama-3.3-70B-Instruct"sv, &llama_3_1_70b},
    {"llama-3.3-70b"sv, &llama_3_1_70b},
    {"meta-llama/Llama-3.1-405B"sv, &llama_3_1_405b},
    {"meta-llama/Llama-3.1-405B-Instruct"sv, &llama_3_1_405b},
    {"meta-llama/Llama-3.2-1B"sv, &llama_3_2_1b},
    {"meta-llama/Llama-3.2-1B-Instruct"sv, &llama_3_2_1b},
    {"Qwen/Qwen2.5-72B-Instruct"sv, &qwen2_5_72b},
    {"Qwen/Qwen3-8B"sv, &qwen3_8b},
    {"Qwen/Qwen3-32B"sv, &qwen3_32b},
    {"Qwen/Qwen3-235B-A22B"sv, &qwen3_235b_a22b},
    {"mistralai/Mixtral-8x7B-v0.1"sv, &mixtral_8x7b},
    {"mistralai/Mixtral-8x7B-Instruct-v0.1"sv, &mixtral_8x7b},
    {"deepseek-ai/DeepSeek-V3"sv, &deepseek_v3},
    {"deepseek-ai/DeepSeek-V3-0324"sv, &deepseek_v3},
    {"deepseek-ai/DeepSeek-R1"sv, &deepseek_v3},
    {"deepseek-r1"sv, &deepseek_v3},
}};

/// The built-in model of a name or a public alias, case-blind; nullptr when there is none.
constexpr const transformer* find_model(std::string_view name) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](std::string_view a) {
    if (a.size() != name.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (lower(a[i]) != lower(name[i])) return false;
    return true;
  };
  for (const transformer* m : models)
    if (same(m->name.view())) return m;
  for (const model_alias& a : model_aliases)
    if (same(a.alias)) return a.model;
  return nullptr;
}

}  // namespace catalog
}  // namespace ullage::inline v0
