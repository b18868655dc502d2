// SPDX-License-Identifier: Apache-2.0
// Why it does not fit, and what would help: every remedy is computed by asking again.
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage;

int main() {
  engine e = vllm("0.24.0");
  e.weights = formats::fp8;
  const verdict v =
      fits(catalog::llama_3_1_70b, catalog::h200_sxm, {}, e, {.context = 8192_tok, .concurrency = 32_seq});
  std::printf("%s: %.1f GB missing, in %s\n", name(v.answer).data(), -real(v.left()) / 1e9, name(v.term).data());
  remedies(v, catalog::accelerators, [](const remedy& r) {
    for (const change& c : r.changes) {
      std::printf("%s", name(c.kind).data());
      if (c.number > count(0)) std::printf(" %lld", static_cast<long long>(c.number.value()));
      if (c.real > 0) std::printf(" %.2f", c.real);
      if (!c.format.name.empty()) std::printf(" %s", c.format.name.data());
      if (!c.part.empty()) std::printf(" %s", c.part.data());
      std::printf(" ");
    }
    std::printf("gains %.1f GB: %s\n", real(r.gain) / 1e9, name(r.then).data());
  });
  return 0;
}
