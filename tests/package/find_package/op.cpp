// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_op() {
  using namespace ullage;
  op o;
  o.kind = op_kind::experts;
  o.rows = 256;
  o.inner = 7168;
  o.weights = formats::fp8_block;
  o.experts.kind = feed_forward_kind::experts;
  o.experts.experts = 256;
  o.experts.experts_per_token = 8;
  o.experts.expert_inner = 2048;
  o.ep = 8;
  const constants c = constants_for(catalog::h200_sxm, kernel_stack::sglang);
  const op_time t = time(o, catalog::h200_sxm, {}, c);
  return t.problem == time_problem::none && t.limited_by == bound::memory && work_of(o, catalog::h200_sxm).moved > 1_GB &&
         time(op{}, catalog::h200_sxm, {}, c).problem == time_problem::bad_load;
}
