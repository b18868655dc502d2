// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <ullage/ullage.hpp>

using namespace ullage;

// To look at, not a timed test: `fits` is meant to take at most 2 µs, `remedies` at most 100 µs.
static void fits_one_device(benchmark::State& state) {
  engine e = vllm();
  e.weights = formats::fp8;
  std::int64_t context = 8192;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        fits(catalog::llama_3_1_70b, catalog::h200_sxm, {}, e, {of<tokens>(context++ % 16384 + 1), 32_seq}));
}
BENCHMARK(fits_one_device);

static void fits_experts_tp8_pp4(benchmark::State& state) {
  const engine e = vllm();
  std::int64_t context = 8192;
  for (auto _ : state)
    benchmark::DoNotOptimize(fits(catalog::deepseek_v3, catalog::h200_sxm, {.tp = 8, .pp = 4}, e,
                                  {of<tokens>(context++ % 16384 + 1), 64_seq}));
}
BENCHMARK(fits_experts_tp8_pp4);

static void remedies_of_a_deficit(benchmark::State& state) {
  const verdict v = fits(catalog::llama_3_1_70b, catalog::h200_sxm, {}, vllm(), {8192_tok, 32_seq});
  for (auto _ : state) remedies(v, catalog::accelerators, [](const remedy& r) { benchmark::DoNotOptimize(r.gain); });
}
BENCHMARK(remedies_of_a_deficit);

static void solve_limits(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(solve(catalog::llama_3_1_405b, catalog::h100_sxm, {.tp = 8}, vllm(), {8192_tok, 32_seq}));
}
BENCHMARK(solve_limits);
