// SPDX-License-Identifier: Apache-2.0
// How long does one decode step take, and what limits it?
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage;

int main() {
  plan_point p;
  p.model = &catalog::llama_3_1_8b;
  p.part = catalog::h100_sxm;
  p.engine = vllm("0.24.0");
  const constants c = constants_for(p);
  for (std::int64_t batch : {1, 16, 64}) {
    const step_time t = step(p, phase::decode, of<sequences>(batch), 2048_tok, 1_tok, c);
    // Seconds depend on the machine's mathematics library in the last digits only.
    std::printf("batch %3lld: %.1f ms (%.1f to %.1f, %s), limited by %s\n", static_cast<long long>(batch),
                1e3 * value_of(t.total.mid), 1e3 * value_of(t.total.low), 1e3 * value_of(t.total.high),
                name(t.total.from).data(), name(t.limited_by).data());
  }
  return 0;
}
