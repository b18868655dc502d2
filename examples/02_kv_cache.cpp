// SPDX-License-Identifier: Apache-2.0
// What one conversation costs: logical bytes, what an allocator charges, and why tensor parallelism does not always divide.
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage;

int main() {
  for (const transformer* m : {&catalog::llama_3_1_8b, &catalog::qwen3_32b, &catalog::deepseek_v3}) {
    const kv_bytes k = kv_cache(*m, 32768_tok, 1_seq, formats::bf16);
    std::printf("%-13s %8lld B a token, %6.2f GiB for 32,768 tokens\n", std::string_view(m->name).data(),
                static_cast<long long>(integer(k.per_token)), real(k.total) / 1073741824.0);
    for (std::int64_t tp : {1, 4, 16}) {
      const verdict v = fits(*m, catalog::b200, {.tp = tp}, vllm(), {.context = 32768_tok, .concurrency = 1_seq});
      std::printf("  tp %2lld: %6.2f GiB on each rank\n", static_cast<long long>(tp),
                  real(v.kv.charged_per_sequence) / 1073741824.0);
    }
  }
  return 0;
}
