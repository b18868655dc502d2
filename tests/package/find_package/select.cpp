// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_select() {
  using namespace ullage;
  workload w;
  w.model = &catalog::llama_3_1_70b;
  w.engine = vllm();
  w.load = {.context = 4096_tok, .concurrency = 8_seq};
  const offer offers[] = {{.part = catalog::h200_sxm}, {.part = catalog::t4}};
  constraints limits;
  limits.max_devices = 4_dev;
  int chosen = 0;
  int rejected = 0;
  select(
      w, limits, offers, [&](const choice&) { ++chosen; }, [&](const rejection&) { ++rejected; });
  return chosen == 1 && rejected == 1;
}
