// SPDX-License-Identifier: Apache-2.0
// A decode step was measured at 31 ms. Is that compute, memory, network or overhead, is it usual, and what would gain most?
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage;

int main() {
  plan_point p;
  p.model = &catalog::llama_3_1_70b;
  p.part = catalog::h200_sxm;
  p.layout.tp = 2;
  p.engine = vllm("0.24.0");
  const constants c = constants_for(p);

  observation seen;
  seen.what = measured::tpot;
  seen.batch = 8_seq;
  seen.context = 4096_tok;
  for (double ms : {24.0, 31.0, 95.0, 12.0}) {
    seen.time = of<seconds>(ms / 1e3);
    const diagnosis d = diagnose(seen, p, c);
    if (d.refused != refusal::none) {
      std::printf("%.0f ms cannot be: %s alone takes %.0f ms\n", ms, name(d.refused).data(), 1e3 * value_of(d.least));
      continue;
    }
    std::printf("%.0f ms: %s, bound by %s, %.0f %% of the memory's rate\n", ms, name(d.stands).data(),
                name(d.limited_by).data(), 100 * d.memory.attained);
  }

  // What would gain most is asked of the time model again; the first of each kind.
  seen.time = of<seconds>(.031);
  for (const speedup& s : diagnose(seen, p, c).changes) {
    std::printf("%s", name(s.kind).data());
    if (s.number > count(0)) std::printf(" %lld", static_cast<long long>(s.number.value()));
    if (!s.format.name.empty()) std::printf(" %s", s.format.name.data());
    std::printf(": then bound by %s\n", name(s.then_limited_by).data());
  }

  // Any kernel, from its FLOP and bytes: 2 TFLOP and 3 GB in 2.7 ms.
  const diagnosis k = diagnose(of<operations>(2e12), 3_GB, of<seconds>(2.7e-3), math::bf16, p.part, c);
  std::printf("%.0f FLOP a byte, ridge %.0f: bound by %s, %.0f %% of the peak\n", k.intensity, k.ridge,
              name(k.limited_by).data(), 100 * k.compute.attained);
  return 0;
}
