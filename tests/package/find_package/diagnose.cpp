// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_diagnose() {
  using namespace ullage;
  plan_point p;
  p.model = &catalog::llama_3_1_70b;
  p.part = catalog::h200_sxm;
  p.layout.tp = 2;
  observation seen;
  seen.what = measured::tpot;
  seen.time = of<seconds>(.031);
  seen.batch = 8_seq;
  seen.context = 4096_tok;
  const diagnosis d = diagnose(seen, p, constants_for(p));
  const diagnosis kernel =
      diagnose(of<operations>(2e12), 3_GB, of<seconds>(.0027), math::bf16, p.part, constants_for(p.part));
  return d.limited_by == bound::memory && !d.changes.empty() && kernel.limited_by == bound::compute;
}
