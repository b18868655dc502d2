// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <ullage/catalog/residual_grids.hpp>
#include <ullage/ullage.hpp>

using namespace ullage;

// One estimate of a kernel is meant to take at most 50 ns. Shapes change from call to call: nothing can be lifted out.
static constants of_h200(bool grids) {
  return grids ? constants_with_residuals(catalog::h200_sxm, kernel_stack::vllm)
               : constants_for(catalog::h200_sxm, kernel_stack::vllm);
}
static void gemm_of(benchmark::State& state, bool grids, const number_format& f) {
  const constants c = of_h200(grids);
  std::int64_t i = 0;
  for (auto _ : state) {
    ++i;
    benchmark::DoNotOptimize(
        gemm(count(1 + i % 4096), count(4096 + 64 * (i % 97)), count(8192), f, catalog::h200_sxm, c));
  }
}
BENCHMARK_CAPTURE(gemm_of, form, false, formats::bf16);
BENCHMARK_CAPTURE(gemm_of, grid, true, formats::bf16);
BENCHMARK_CAPTURE(gemm_of, grid_fp8, true, formats::fp8);

static void attention_of(benchmark::State& state, phase ph, bool grids) {
  const constants c = of_h200(grids);
  const attention a = catalog::llama_3_1_70b.kinds[0].attention;
  std::int64_t i = 0;
  for (auto _ : state) {
    ++i;
    const tokens length = of<tokens>(100 + 17 * (i % 1999));
    if (ph == phase::decode)
      benchmark::DoNotOptimize(
          decode_attention(a, formats::bf16, of<sequences>(1 + i % 256), length, 4, catalog::h200_sxm, c));
    else
      benchmark::DoNotOptimize(prefill_attention(a, formats::bf16, of<sequences>(1 + i % 8), length, of<tokens>(i % 3),
                                                 4, catalog::h200_sxm, c));
  }
}
BENCHMARK_CAPTURE(attention_of, decode_form, phase::decode, false);
BENCHMARK_CAPTURE(attention_of, decode_grid, phase::decode, true);
BENCHMARK_CAPTURE(attention_of, prefill_form, phase::prefill, false);
BENCHMARK_CAPTURE(attention_of, prefill_grid, phase::prefill, true);

static void all_reduce_of(benchmark::State& state) {
  const constants c = of_h200(false);
  std::int64_t i = 0;
  for (auto _ : state) {
    ++i;
    benchmark::DoNotOptimize(collective_time(collective::all_reduce, of<bytes>(4096 + 16384 * (i % 999)), 8_dev,
                                             catalog::h200_sxm.scale_up, c));
  }
}
BENCHMARK(all_reduce_of);
