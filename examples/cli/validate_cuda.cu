// SPDX-License-Identifier: Apache-2.0
#include "validate_cuda.hpp"

#include <ullage/cuda/validate.cuh>

namespace cli {

ullage::validate::report validate_on_cuda(const cuda_request& request) {
  ullage::cuda::options o;
  o.ordinal = request.device;
  o.row = request.row;
  o.allocate = ullage::of<ullage::bytes>(ullage::count(request.allocate_bytes));
  o.bandwidth.budget_s = request.seconds;
  o.gemm.budget_s = request.seconds;
  o.decode_gemm.budget_s = request.seconds;
  return ullage::cuda::measure(
      o, [&request](const ullage::validate::measurement& m) { request.line(m, request.context); },
      [&request](const ullage::validate::report& r) { request.header(r, request.context); });
}

}  // namespace cli
