// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_perf() {
  using namespace ullage;
  plan_point p;
  p.model = &catalog::llama_3_1_8b;
  p.part = catalog::h100_sxm;
  p.engine = vllm();
  traffic t;
  t.input_tokens = 1024_tok;
  t.output_tokens = 256_tok;
  t.concurrency = 16_seq;
  const service s = perf(p, t, constants_for(p.part));
  return s.problem == time_problem::none && s.ttft.mid > 0_s && s.output.mid > tokens_per_second{};
}
