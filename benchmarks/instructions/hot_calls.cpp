// SPDX-License-Identifier: Apache-2.0
// Runs one hot call n times, so that a tool that counts instructions can tell what one costs. Usage: hot_calls CALL N
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <ullage/catalog/residual_grids.hpp>
#include <ullage/ullage.hpp>

using namespace ullage;

int main(int argc, char** argv) {
  const std::string_view call = argc > 1 ? argv[1] : "";
  const long n = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 0;
  engine fp8 = vllm();
  fp8.weights = formats::fp8;
  plan_point point;
  point.model = &catalog::llama_3_1_70b;
  point.part = catalog::h200_sxm;
  point.layout.tp = 4;
  point.engine = vllm();
  const constants c = constants_for(point.part);
  const constants with_grids = constants_with_residuals(point.part, kernel_stack::vllm);
  const attention& layer = catalog::llama_3_1_70b.kinds[0].attention;
  const verdict deficit = fits(catalog::llama_3_1_70b, catalog::h200_sxm, {}, vllm(), {8192_tok, 32_seq});
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    const load w{of<tokens>(4096 + i % 64), 32_seq};
    if (call == "fits")
      sum += real(fits(catalog::llama_3_1_70b, catalog::h200_sxm, {}, fp8, w).left());
    else if (call == "fits_experts")
      sum += real(fits(catalog::deepseek_v3, catalog::h200_sxm, {.tp = 8, .pp = 4}, vllm(), w).left());
    else if (call == "remedies")
      remedies(deficit, catalog::accelerators, [&](const remedy& r) { sum += real(r.gain); });
    else if (call == "step")
      sum += value_of(step(point, phase::decode, w.concurrency, w.context, 1_tok, c).total.mid);
    else if (call == "perf")
      sum += value_of(
          perf(point, {.input_tokens = w.context, .output_tokens = 512_tok, .concurrency = 32_seq}, c).tpot.mid);
    else if (call == "gemm")
      sum += value_of(gemm(count(1 + i % 4096), count(4096 + 64 * (i % 97)), count(8192), formats::bf16,
                           catalog::h200_sxm, with_grids)
                          .time.mid);
    else if (call == "attention")
      sum += value_of(
          decode_attention(layer, formats::bf16, w.concurrency, w.context, 4, catalog::h200_sxm, with_grids).time.mid);
    else if (call == "all_reduce")
      sum += value_of(collective_time(collective::all_reduce, of<bytes>(4096 + 16384 * (i % 999)), 8_dev,
                                      catalog::h200_sxm.scale_up, with_grids)
                          .time.mid);
    else
      return 2;
  }
  std::printf("%g\n", sum);
  return 0;
}
