// SPDX-License-Identifier: Apache-2.0
// Published facts; compiling is passing.
#include <ullage/ullage.hpp>

using namespace ullage;

// Parameters: the sums of the public checkpoints (docs/sources.md).
static_assert(parameters(catalog::llama_3_1_8b).total == count(8'030'261'248));
static_assert(parameters(catalog::llama_3_1_70b).total == count(70'553'706'496));
static_assert(parameters(catalog::llama_3_1_405b).total == count(405'853'388'800));
static_assert(parameters(catalog::llama_3_2_1b).total == count(1'235'814'400));
static_assert(parameters(catalog::mixtral_8x7b).total == count(46'702'792'704));
static_assert(parameters(catalog::qwen2_5_72b).total == count(72'706'203'648));
static_assert(parameters(catalog::qwen3_8b).total == count(8'190'735'360));
static_assert(parameters(catalog::qwen3_32b).total == count(32'762'123'264));
static_assert(parameters(catalog::qwen3_235b_a22b).total == count(235'093'634'560));
static_assert(parameters(catalog::deepseek_v3).total == count(671'026'419'200));
static_assert(parameters(catalog::deepseek_v3).total + parameters(catalog::deepseek_v3).mtp == count(684'489'845'504));

// KV cache of one token, bf16.
static_assert(kv_cache(catalog::llama_3_1_70b, 1_tok, 1_seq, formats::bf16).total == 327'680_B);
static_assert(kv_cache(catalog::llama_3_1_8b, 131072_tok, 1_seq, formats::bf16).total == 16_GiB);
static_assert(kv_cache(catalog::deepseek_v3, 1_tok, 1_seq, formats::bf16).total == 70'272_B);
static_assert(kv_cache(catalog::qwen3_32b, 32768_tok, 1_seq, formats::bf16).total == 8_GiB);

// The latent is whole on every rank; grouped heads divide until one head is left.
static_assert(kv_per_token(catalog::deepseek_v3.layer(5).attention, formats::bf16, 8) == 1152_B);
static_assert(kv_per_token(catalog::llama_3_1_70b.layer(0).attention, formats::bf16, 8) == 512_B);
static_assert(kv_per_token(catalog::llama_3_1_70b.layer(0).attention, formats::bf16, 16) == 512_B);

// The scales of DeepSeek-V3's 128×128 blocks, without the MTP module: 163,352,928 B.
constexpr bytes scales_of(const transformer& m) {
  bytes total{};
  for (std::int64_t i = 0; i < m.layers; ++i)
    for (const tensor_family& f : families_of(m, m.layer(i).tensors))
      if (f.stored_as == precision::linear || f.stored_as == precision::experts)
        total += (formats::fp8_block.storage(count(f.rows), count(f.cols)) - of<bytes>(count(f.rows) * count(f.cols))) *
                 count(f.copies);
  return total;
}
static_assert(scales_of(catalog::deepseek_v3) == 163'352'928_B);

// Layers of stages: the remainder goes to the stages before the last.
static_assert(stage_of(catalog::deepseek_v3, {.tp = 1, .pp = 4}, 0).size == 15);
static_assert(stage_of(catalog::deepseek_v3, {.tp = 1, .pp = 4}, 2).size == 16);
static_assert(stage_of(catalog::deepseek_v3, {.tp = 1, .pp = 4}, 3).size == 15);

// An overflow sticks and a literal is exact.
static_assert(overflowed(of<bytes>(count(1) * count(4'000'000'000'000'000'000) * count(4))));
static_assert(1.5_GiB + 512_MiB == 2_GiB);

// Does Llama-3.1-70B fit an H200? Not in bf16 under vLLM's default budget: the weights alone exceed it.
constexpr engine with(number_format weights, number_format kv_cache) {
  engine e = vllm();
  e.weights = weights;
  e.kv_cache = kv_cache;
  return e;
}
constexpr load chat{8192_tok, 32_seq};
using h200 = device<catalog::h200_sxm>;
static_assert(fits(catalog::llama_3_1_70b, h200{}, {}, vllm(), {}).answer == answer::does_not_fit);
static_assert(fits(catalog::llama_3_1_70b, h200{}, {}, vllm(), {}).term == memory_term::weights);
static_assert(fits(catalog::llama_3_1_70b, h200{}, {}, plain(), {}).answer == answer::fits);
static_assert(fits(catalog::llama_3_1_70b, h200{}, {}, with(formats::fp8, {}), chat).answer == answer::does_not_fit);
static_assert(fits(catalog::llama_3_1_70b, h200{}, {}, with(formats::fp8, {}), chat).term == memory_term::kv_cache);
static_assert(fits(catalog::llama_3_1_70b, h200{}, {}, with(formats::fp8, formats::fp8), chat).answer == answer::fits);
static_assert(solve(catalog::llama_3_1_70b, h200{}, {}, with(formats::fp8, {}), chat).max_concurrency_at_context ==
              22_seq);

// Rules by version.
static_assert(vllm("0.11.0").rules.gpu_memory_utilization_default == 0.90);
static_assert(vllm().rules.gpu_memory_utilization_default == 0.92);
static_assert(vllm("0.20.0").rules.tokens_from_concurrency == 0 && vllm("0.21.0").rules.tokens_from_concurrency == 1);
static_assert(vllm_version_at(parse_version("2025-11-01")) == engine_version{0, 11, 0});
static_assert(!parse_version("0.1.dev19754+g3a0914114").known());
static_assert(parse_version("v0.8.5.post1") == engine_version{0, 8, 5});
