// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_parameters() {
  using namespace ullage;
  const parameter_counts p = parameters(catalog::deepseek_v3);
  const bytes stored = stored_weights(catalog::llama_3_1_8b, uniform_weights(formats::bf16));
  const bytes resident =
      resident_weights(catalog::llama_3_1_8b, vllm(), {.tp = 2}, stage_of(catalog::llama_3_1_8b, {.tp = 2}, 0));
  return p.total == count(671'026'419'200) && p.active < p.total && stored == of<bytes>(2 * 8'030'261'248) &&
         resident < stored;
}
