// SPDX-License-Identifier: Apache-2.0
// How long single operations take: what a simulator of an engine asks a million times. Grids of what kernels attain by shape
// are opt-in (catalog/residual_grids.hpp), as is where a shape lies to what was measured (performance/measured_hull.hpp).
#include <cstdio>
#include <ullage/catalog/residual_grids.hpp>
#include <ullage/performance/constant_names.hpp>
#include <ullage/performance/measured_hull.hpp>
#include <ullage/ullage.hpp>

using namespace ullage;

namespace {

void tell(const char* what, const op& o, const constants& c) {
  const op_time t = time(o, catalog::h200_sxm, {}, c);
  std::printf("%-44s %8.1f us, bound by %-8s %s\n", what, 1e6 * value_of(t.time.mid), name(t.limited_by).data(),
              name(hull_of(o, catalog::h200_sxm, c)).data());
}

}  // namespace

int main() {
  const constants c = constants_with_residuals(catalog::h200_sxm, kernel_stack::sglang);

  // DeepSeek-V3 on eight devices, 256 sequences of 4,096 tokens: one layer's largest pieces.
  const transformer& m = catalog::deepseek_v3;
  const layer_kind& layer = m.kinds[m.layer_kinds[m.layers - 1]];
  op experts;
  experts.kind = op_kind::experts;
  experts.rows = 256;
  experts.inner = m.hidden;
  experts.weights = formats::fp8_block;
  experts.experts = layer.feed_forward;
  experts.ep = 8;
  tell("256 tokens through 8 of 256 experts, ep 8", experts, c);

  op attention;
  attention.kind = op_kind::decode_attention;
  attention.attention = layer.attention;
  attention.batch = 256_seq;
  attention.context = 4096_tok;
  attention.tp = 8;
  tell("their latent attention, tp 8", attention, c);

  op sum;
  sum.kind = op_kind::collective;
  sum.message = of<bytes>(2 * 256 * m.hidden);
  sum.group = 8_dev;
  tell("the all-reduce behind it", sum, c);

  op norm;
  norm.kind = op_kind::normalization;
  norm.rows = 256;
  norm.inner = m.hidden;
  tell("a norm with the residual sum", norm, c);

  // A matrix far beyond what anybody timed: the band widens.
  op gemm;
  gemm.rows = 4'000'000;
  gemm.outputs = 8192;
  gemm.inner = 8192;
  tell("4,000,000 tokens through 8,192 x 8,192", gemm, c);

  // The same on your machine, where the kernel was seen to stream at 0.9 of the bandwidth.
  constants mine = c;
  set_constant(mine, "gemm.bf16.memory", .9);
  gemm.rows = 16;
  tell("16 tokens through it, as the tables say", gemm, c);
  tell("16 tokens through it, as you measured", gemm, mine);
  return 0;
}
