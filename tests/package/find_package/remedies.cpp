// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_remedies() {
  using namespace ullage;
  const verdict v = fits(catalog::llama_3_1_70b, catalog::h200_sxm, {}, vllm(), {});
  int that_fit = 0;
  remedies(v, catalog::accelerators, [&](const remedy& r) { that_fit += r.then == answer::fits ? 1 : 0; });
  return that_fit > 0;
}
