// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <ullage/catalog/find_record.hpp>
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

// A fit of a hybrid with tp 8 and pp 4 is meant to take at most 5 µs: windows and whole layers, states and whole layers, and
// states and windows without any whole layer.
static void fits_hybrid_tp8_pp4(benchmark::State& state, const char* name) {
  const transformer m = catalog::expand(*catalog::find_record(name));
  const engine e = vllm();
  std::int64_t context = 8192;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        fits(m, catalog::h200_sxm, {.tp = 8, .pp = 4}, e, {of<tokens>(context++ % 16384 + 1), 64_seq}));
}
BENCHMARK_CAPTURE(fits_hybrid_tp8_pp4, windows, "gemma-3-27b");
BENCHMARK_CAPTURE(fits_hybrid_tp8_pp4, states, "qwen3.5-397b-a17b");
BENCHMARK_CAPTURE(fits_hybrid_tp8_pp4, states_and_windows, "recurrentgemma-9b");
BENCHMARK_CAPTURE(fits_hybrid_tp8_pp4, windows_of_experts, "mimo-v2-flash");

static context_distribution lengths(bool list) {
  context_distribution d;
  if (list) {
    d.values.push_back({1000, 0.9});
    d.values.push_back({8000, 0.1});
  } else {
    set_lognormal(d, 2000, 7000);
  }
  return d;
}
static void fits_mix(benchmark::State& state, bool list) {
  const context_distribution d = lengths(list);
  for (auto _ : state)
    benchmark::DoNotOptimize(fits(catalog::llama_3_1_8b, catalog::h200_sxm, {}, vllm(), {{}, 200_seq, &d}));
}
BENCHMARK_CAPTURE(fits_mix, list, true);
BENCHMARK_CAPTURE(fits_mix, lognormal, false);

static void solve_mix(benchmark::State& state, bool list) {
  const context_distribution d = lengths(list);
  for (auto _ : state)
    benchmark::DoNotOptimize(solve(catalog::llama_3_1_8b, catalog::h200_sxm, {}, vllm(), {{}, 200_seq, &d}));
}
BENCHMARK_CAPTURE(solve_mix, list, true);
BENCHMARK_CAPTURE(solve_mix, lognormal, false);

static void best_split_of_8(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(best_split(catalog::deepseek_v3, catalog::h200_sxm, 8, vllm(), {8192_tok, 32_seq}));
}
BENCHMARK(best_split_of_8);

static void fewest_devices_of_none(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(fewest_devices(catalog::deepseek_v3, catalog::l4, vllm(), {8192_tok, 4000_seq}));
}
BENCHMARK(fewest_devices_of_none);

static void smallest_part_of_all(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(smallest_part(catalog::llama_3_1_70b, catalog::accelerators, vllm(), {8192_tok, 32_seq}));
}
BENCHMARK(smallest_part_of_all);

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
