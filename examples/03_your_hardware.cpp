// SPDX-License-Identifier: Apache-2.0
// Planning for hardware that the catalogue does not know: any type that answers three questions will do.
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage;

struct half_card {
  static constexpr std::string_view name() { return "half of an H100"; }
  static constexpr bytes visible_memory() { return 40_GiB; }
  static constexpr bytes_per_second bandwidth() { return 1.6_TBps; }
  static constexpr flops_per_second peak(math m) { return m == math::bf16 ? 494_TFLOPS : 0_TFLOPS; }
};
static_assert(Accelerator<half_card>);

int main() {
  const verdict v =
      fits(catalog::llama_3_1_8b, half_card{}, {}, vllm("0.11.0"), {.context = 16384_tok, .concurrency = 8_seq});
  const limits most =
      solve(catalog::llama_3_1_8b, half_card{}, {}, vllm("0.11.0"), {.context = 16384_tok, .concurrency = 8_seq});
  std::printf("%.*s: %.*s\n", static_cast<int>(v.worst().part.name.size()), v.worst().part.name.data(),
              static_cast<int>(name(v.answer).size()), name(v.answer).data());
  std::printf("at 16,384 tokens up to %lld sequences, with 8 sequences up to %lld tokens\n",
              static_cast<long long>(integer(most.max_concurrency_at_context)),
              static_cast<long long>(integer(most.max_context_at_concurrency)));
  return 0;
}
