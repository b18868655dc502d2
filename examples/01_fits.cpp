// SPDX-License-Identifier: Apache-2.0
// Does Llama-3.1-70B fit an H200? Asked and answered by the compiler, then printed.
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage;

constexpr engine with(number_format weights, number_format kv_cache) {
  engine e = vllm();
  e.weights = weights;    // --quantization: the linear layers; embeddings, head, norms and router keep their type
  e.kv_cache = kv_cache;  // --kv-cache-dtype
  return e;
}

using h200 = device<catalog::h200_sxm>;
constexpr load chat{.context = 8192_tok, .concurrency = 32_seq};
constexpr layout one_device{};

// In bf16 the weights alone exceed vLLM's default budget, though a minimal server would hold them.
constexpr verdict bf16 = fits(catalog::llama_3_1_70b, h200{}, one_device, vllm(), {});
static_assert(bf16.answer == answer::does_not_fit && bf16.term == memory_term::weights);
static_assert(fits(catalog::llama_3_1_70b, h200{}, one_device, plain(), {}).answer == answer::fits);

// With fp8 weights it starts, but 32 conversations of 8,192 tokens are too many for a bf16 cache.
constexpr verdict fp8_weights =
    fits(catalog::llama_3_1_70b, h200{}, one_device, with(formats::fp8, formats::bf16), chat);
static_assert(fp8_weights.answer == answer::does_not_fit && fp8_weights.term == memory_term::kv_cache);

// With an fp8 cache they fit.
constexpr verdict fp8_both = fits(catalog::llama_3_1_70b, h200{}, one_device, with(formats::fp8, formats::fp8), chat);
static_assert(fp8_both.answer == answer::fits && fp8_both.left() > 10_GB);

int main() {
  for (const verdict* v : {&bf16, &fp8_weights, &fp8_both}) {
    std::printf("%-12s weights %12lld B of a budget of %12lld B, %13lld B left\n", name(v->answer).data(),
                static_cast<long long>(integer(v->worst().weights)), static_cast<long long>(integer(v->worst().budget)),
                static_cast<long long>(integer(v->left())));
  }
  return 0;
}
