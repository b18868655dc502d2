// SPDX-License-Identifier: Apache-2.0
// Hybrids and state-space models as constants: public parameters, and what one sequence leaves.
#include <ullage/memory/kv_cache.hpp>
#include <ullage/model/hybrid.hpp>
#include <ullage/model/kimi_linear.hpp>
#include <ullage/model/lfm2.hpp>
#include <ullage/model/lightning.hpp>
#include <ullage/model/mamba.hpp>
#include <ullage/model/minimax_m3.hpp>
#include <ullage/model/nemotron.hpp>
#include <ullage/model/qwen_next.hpp>
#include <ullage/model/recurrent_gemma.hpp>
#include <ullage/model/zamba.hpp>

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::int64_t per_sequence(const transformer& m, std::int64_t context) {
  return integer(kv_cache(m, of<tokens>(context), of<sequences>(1), formats::bf16).per_sequence);
}

constexpr transformer make_falcon_mamba_7b() {
  mamba_shape s;
  s.hidden_size = 4096;
  s.num_hidden_layers = 64;
  s.vocab_size = 65024;
  s.tie_word_embeddings = false;
  s.mixer.inner = 8192;
  s.mixer.state = 16;
  s.mixer.kernel = 4;
  s.mixer.dt_rank = 256;
  s.mixer.state_bits = 16;
  return make_mamba(s);
}
constexpr transformer falcon_mamba_7b = make_falcon_mamba_7b();
static_assert(parameters(falcon_mamba_7b).total == count(7272665088));
static_assert(per_sequence(falcon_mamba_7b, 1) == 64 * (8192 * 16 + 8192 * 3) * 2);

constexpr transformer make_lfm2_700m() {
  lfm2_shape s;
  s.hidden_size = 1536;
  s.intermediate_size = 6912;
  s.num_hidden_layers = 16;
  s.num_attention_heads = 24;
  s.num_key_value_heads = 8;
  s.vocab_size = 65536;
  s.conv_L_cache = 3;
  for (std::size_t i : {2U, 5U, 8U, 10U, 12U, 14U}) s.attends[i] = 1;
  return make_lfm2(s);
}
constexpr transformer lfm2_700m = make_lfm2_700m();
static_assert(parameters(lfm2_700m).total == count(742489344));

constexpr transformer make_qwen3_next() {
  qwen_next_shape s;
  s.hidden_size = 2048;
  s.num_hidden_layers = 48;
  s.num_attention_heads = 16;
  s.num_key_value_heads = 2;
  s.head_dim = 256;
  s.vocab_size = 151936;
  s.linear.key_heads = 16;
  s.linear.value_heads = 32;
  s.linear.key_dim = 128;
  s.linear.value_dim = 128;
  s.linear.kernel = 4;
  s.num_experts = 512;
  s.num_experts_per_tok = 10;
  s.moe_intermediate_size = 512;
  s.shared_expert_intermediate_size = 512;
  for (std::size_t i = 0; i < 48; ++i) {
    s.attends[i] = i % 4 == 3 ? 1 : 0;
    s.experts[i] = 1;
  }
  return make_qwen_next(s);
}
constexpr transformer qwen3_next = make_qwen3_next();
static_assert(parameters(qwen3_next).total == count(79674391296));
static_assert(per_sequence(qwen3_next, 4096) == 12 * 2 * 512 * 2 * 4096 + 36 * (32 * 128 * 128 * 4 + 8192 * 3 * 2));

constexpr transformer make_kimi_linear_48b() {
  kimi_linear_shape s;
  s.hidden_size = 2304;
  s.intermediate_size = 9216;
  s.num_hidden_layers = 27;
  s.num_attention_heads = 32;
  s.kv_lora_rank = 512;
  s.qk_nope_head_dim = 128;
  s.qk_rope_head_dim = 64;
  s.v_head_dim = 128;
  s.vocab_size = 163840;
  s.num_experts = 256;
  s.num_experts_per_token = 8;
  s.moe_intermediate_size = 1024;
  s.num_shared_experts = 1;
  s.linear.heads = 32;
  s.linear.head_dim = 128;
  s.linear.kernel = 4;
  for (std::size_t i = 0; i < 27; ++i) {
    s.attends[i] = i % 4 == 3 || i == 26 ? 1 : 0;
    s.experts[i] = i > 0 ? 1 : 0;
  }
  return make_kimi_linear(s);
}
constexpr transformer kimi_linear_48b = make_kimi_linear_48b();
static_assert(parameters(kimi_linear_48b).total == count(49122681728));

/// A shared block counts once, and every use of it has a cache.
constexpr transformer make_zamba2_1b() {
  zamba_shape s;
  s.second_generation = true;
  s.hidden_size = 2048;
  s.intermediate_size = 8192;
  s.num_hidden_layers = 38;
  s.num_attention_heads = 32;
  s.num_key_value_heads = 32;
  s.attention_hidden_size = 4096;
  s.attention_head_dim = 128;
  s.vocab_size = 32000;
  s.adapter_rank = 128;
  s.use_shared_attention_adapter = true;
  s.mixer.inner = 4096;
  s.mixer.state = 128;
  s.mixer.kernel = 4;
  s.mixer.heads = 64;
  s.mixer.state_bits = 16;
  for (std::size_t i : {5U, 11U, 17U, 23U, 29U, 35U}) s.shares[i] = 1;
  return make_zamba(s);
}
constexpr transformer zamba2_1b = make_zamba2_1b();
static_assert(parameters(zamba2_1b).total == count(1215064704));
static_assert(kv_cache(zamba2_1b, of<tokens>(1), of<sequences>(1), formats::bf16).per_token ==
              of<bytes>(6 * 32 * 256 * 2));

/// What passes the bounds has no layers, and nothing else happens.
static_assert(make_hybrid({}).layers == 0 && make_lightning({}).layers == 0 && make_minimax_m3({}).layers == 0 &&
              make_nemotron_h({}).layers == 0 && make_nemotron_nas({}).layers == 0);

}  // namespace
