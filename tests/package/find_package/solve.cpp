// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_solve() {
  using namespace ullage;
  const limits most =
      solve(catalog::llama_3_1_70b, catalog::h100_sxm, {.tp = 4}, vllm(), {.context = 4096_tok, .concurrency = 16_seq});
  return most.max_concurrency_at_context > 16_seq && most.max_context_at_concurrency > 4096_tok &&
         most.min_devices > 1_dev;
}
