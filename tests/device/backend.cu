// SPDX-License-Identifier: Apache-2.0
// The CUDA backend. What needs no device is checked first, everywhere; then, where a device is, all is measured on it.
// Exit code: 0 right, 1 wrong, 77 no device.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <ullage/catalog.hpp>
#include <ullage/cuda/validate.cuh>
#include <ullage/memory.hpp>

using namespace ullage;
using namespace ullage::literals;

namespace {

int failures = 0;
void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}
std::string text(std::string_view s) {
  return std::string(s);
}

void print(const validate::measurement& m) {
  std::printf("  %-20s %-11s measured %.6g", text(m.name).c_str(), text(name(m.result)).c_str(), m.measured);
  if (m.predicted) std::printf("  predicted %.6g [%.6g, %.6g]", m.predicted->mid, m.predicted->low, m.predicted->high);
  std::printf("  %s\n", text(m.note.view()).c_str());
}

cuda::device_facts an_h200() {
  cuda::device_facts d;
  d.name = "NVIDIA H200";
  d.compute_capability = 90;
  d.multiprocessors = 132;
  d.total_bytes = integer(143'155_MiB);
  d.free_bytes = integer(140'000_MiB);
  d.l2_bytes = integer(60_MiB);
  d.memory_clock_khz = 3'201'000;
  d.memory_bus_bits = 6144;
  return d;
}

void without_a_device() {
  const cuda::device_facts d = an_h200();
  expect(d.row() == &catalog::h200_sxm, "the driver's name finds the catalogue's row");
  expect(std::abs(*d.clock_bandwidth() - 4.916736e12) < 1.0, "2 x clock x bus width");
  cuda::device_facts slice = d;
  slice.name = "NVIDIA H200 MIG 1g.18gb";
  slice.memory_clock_khz = 0;
  expect(slice.row() == nullptr, "a MIG slice is no whole part");
  expect(!slice.clock_bandwidth(), "no clock, no rate");

  int lines = 0;
  cuda::compare_device(d, d.row(), {}, [&](const validate::measurement& m) {
    ++lines;
    expect(m.result == (m.name == "memory_free" ? validate::agreement::unpredicted : validate::agreement::within),
           "an H200's facts agree with its row");
  });
  expect(lines == 5, "five facts");
  cuda::compare_device(d, &catalog::a100_sxm_80gb, {}, [&](const validate::measurement& m) {
    if (m.name != "memory_free")
      expect(m.result == validate::agreement::outside, "an H200's facts do not agree with an A100's row");
  });
  cuda::compare_device(slice, nullptr, {}, [&](const validate::measurement& m) {
    expect(!m.predicted, "nothing is predicted without a row");
  });

  expect(cuda::bandwidth_array_bytes({}, d) == std::size_t{1} << 30, "1 GiB arrays");
  cuda::device_facts full = d;
  full.free_bytes = 1 << 20;
  expect(cuda::bandwidth_array_bytes({}, full) == 131'072, "an eighth of what is free");
  full.free_bytes = 100;
  expect(cuda::bandwidth_array_bytes({}, full) == 0, "no room for one tile");
  cuda::bandwidth_options odd;
  odd.array_bytes = 100'000;
  expect(cuda::bandwidth_array_bytes(odd, d) % (cuda::detail::tile_vectors * 16) == 0, "whole tiles");

  const constants c = constants_for(catalog::h200_sxm);
  const auto large = cuda::predicted_gemm_seconds({}, catalog::h200_sxm, c);
  expect(large && large->low < large->mid && large->mid < large->high, "a GEMM's time has a band");
  expect(large && 2.0 * 8192 * 8192 * 8192 / large->mid < 989.4e12, "no GEMM is predicted above the dense peak");
  cuda::gemm_options empty;
  empty.k = 0;
  expect(!cuda::predicted_gemm_seconds(empty, catalog::h200_sxm, c), "an empty GEMM has no time");
  expect(!cuda::predicted_gemm_seconds({}, catalog::t4, constants_for(catalog::t4)), "no bf16 on Turing");

  bool in_range = true;
  double sum = 0.0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const int x = cuda::detail::small_integer(i, 1U);
    in_range = in_range && x >= -128 && x <= 127;
    sum += x;
  }
  expect(in_range && std::abs(sum / 100'000) < 2.0, "matrix entries lie evenly in [-128, 127]");
  expect(cuda::detail::of_bf16(0x3F80) == 1.0 && cuda::detail::of_bf16(0xBF00) == -0.5,
         "bf16 is the upper half of a float");

  expect(cuda::try_allocation(of<bytes>(count(-1))).status.code == -1, "a negative allocation is refused");
  expect(cuda::try_allocation(of<bytes>(count::overflow())).status.code == -1, "an overflowed allocation is refused");
  expect(validate::measurement{}.result == validate::agreement::unmeasured, "nothing is measured before it is");
  std::printf("without a device: %s\n", failures == 0 ? "right" : "wrong");
}

/// Weights and one conversation of the largest of some models that the row's free memory holds; zero when none.
bytes plan_for(std::int64_t free_bytes, const char*& model) {
  bytes most{};
  for (const transformer* m : {&catalog::llama_3_2_1b, &catalog::llama_3_1_8b, &catalog::qwen3_32b}) {
    const bytes weights = stored_weights(*m, weight_scheme{});
    const bytes all = weights + kv_cache(*m, 8192_tok, 1_seq, formats::bf16).total;
    if (integer(all) > free_bytes - (std::int64_t{1} << 30)) continue;
    most = all;
    model = m->name.characters;
  }
  return most;
}

void on_a_device(const cuda::device_facts& d) {
  const char* model = "none";
  cuda::options o;
  o.ordinal = d.ordinal;
  o.allocate = plan_for(d.free_bytes, model);
  o.bandwidth.budget_s = 0.5;
  o.gemm.budget_s = 0.5;
  o.decode_gemm.budget_s = 0.5;
  const validate::report r = cuda::measure(o);
  std::printf("%s\n%s", text(r.device.view()).c_str(),
              r.reason.view().empty() ? "" : (text(r.reason.view()) + "\n").c_str());
  std::printf("trial allocation: weights and 8192 tokens of %s\n", model);
  for (const validate::measurement& m : r.measurements) {
    print(m);
    expect(m.result != validate::agreement::wrong, "a kernel's result is right");
    // A library or an attribute may be missing; the library's own kernels must run.
    const bool own = m.name.substr(0, 7) == "memory_" || m.name == "allocation";
    if (own) expect(m.result != validate::agreement::unmeasured, "own kernels run");
    if (m.result != validate::agreement::unmeasured && m.name != "allocation")
      expect(m.measured > 0.0, "measured numbers are positive");
  }
  if (integer(o.allocate) > 0) {
    const validate::measurement* trial = r.find("allocation");
    expect(trial != nullptr && trial->result == validate::agreement::within, "what is predicted to fit is allocated");
  }
  // More than there is: refused with what was possible, and freed again. On devices that share the host's memory
  // the same trial would take all of that.
  if (!d.integrated) {
    const cuda::allocation a = cuda::try_allocation(of<bytes>(count(d.total_bytes) + count(1'000'000'000)));
    std::printf("of %.2f GiB, %.2f were possible in %d pieces: %s\n",
                static_cast<double>(a.wanted_bytes) / 1073741824.0,
                static_cast<double>(a.obtained_bytes) / 1073741824.0, a.chunks, text(a.status.what.view()).c_str());
    expect(!a.complete() && a.obtained_bytes <= d.total_bytes, "more than the device holds is refused");
    expect(a.obtained_bytes > a.free_before_bytes / 2, "most of what was free is obtained");
    expect(cuda::try_allocation(of<bytes>(count(std::int64_t{64} << 20))).complete(), "all is freed again");
  }
  std::printf("within %d, outside %d, unpredicted %d, unmeasured %d\n",
              static_cast<int>(r.how_many(validate::agreement::within)),
              static_cast<int>(r.how_many(validate::agreement::outside)),
              static_cast<int>(r.how_many(validate::agreement::unpredicted)),
              static_cast<int>(r.how_many(validate::agreement::unmeasured)));
}

}  // namespace

int main() {
  without_a_device();
  cuda::device_facts d;
  const cuda::cuda_status s = cuda::describe_device(0, d);
  if (!s.ok()) {
    std::printf("%s\n", text(s.what.view()).c_str());
    const validate::report r = cuda::measure();
    expect(!r.available && r.reason.view() == s.what.view() && r.measurements.empty(),
           "without a device the report says why");
    return failures > 0 ? 1 : 77;
  }
  on_a_device(d);
  return failures > 0 ? 1 : 0;
}
