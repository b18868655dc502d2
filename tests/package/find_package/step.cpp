// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_step() {
  using namespace ullage;
  plan_point p;
  p.model = &catalog::llama_3_1_8b;
  p.part = catalog::h100_sxm;
  p.engine = vllm();
  const step_time t = step(p, phase::decode, 8_seq, 2048_tok, 1_tok, constants_for(p.part));
  return t.problem == time_problem::none && t.total.low < t.total.mid && t.total.mid < t.total.high;
}
