// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>
#include <ullage/cuda/device.cuh>
#include <ullage/cuda/status.cuh>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

// Device memory: read, copy and STREAM's triad, 16 bytes a load. Bytes read and bytes written count alike.
namespace ullage::inline v0::cuda {

namespace detail {

inline constexpr int threads_a_block = 256;
inline constexpr int loads_in_flight = 4;  // of 16 bytes, a thread
inline constexpr std::size_t tile_vectors = static_cast<std::size_t>(threads_a_block) * loads_in_flight;

// Templates only so that a header may define them. All sizes are whole tiles of `Loads`·blockDim vectors.
template <int Loads>
__global__ void copy_kernel(const uint4* __restrict__ from, uint4* __restrict__ to, std::size_t vectors) {
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * Loads;
  for (std::size_t base = blockIdx.x * tile + threadIdx.x; base < vectors; base += gridDim.x * tile) {
    uint4 v[Loads];
#pragma unroll
    for (int i = 0; i < Loads; ++i) v[i] = from[base + static_cast<std::size_t>(i) * blockDim.x];
#pragma unroll
    for (int i = 0; i < Loads; ++i) to[base + static_cast<std::size_t>(i) * blockDim.x] = v[i];
  }
}

template <int Loads>
__global__ void triad_kernel(const float4* __restrict__ b, const float4* __restrict__ c, float4* __restrict__ a,
                             float s, std::size_t vectors) {
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * Loads;
  for (std::size_t base = blockIdx.x * tile + threadIdx.x; base < vectors; base += gridDim.x * tile) {
    float4 x[Loads];
    float4 y[Loads];
#pragma unroll
    for (int i = 0; i < Loads; ++i) {
      x[i] = b[base + static_cast<std::size_t>(i) * blockDim.x];
      y[i] = c[base + static_cast<std::size_t>(i) * blockDim.x];
    }
#pragma unroll
    for (int i = 0; i < Loads; ++i)
      a[base + static_cast<std::size_t>(i) * blockDim.x] =
          make_float4(x[i].x + s * y[i].x, x[i].y + s * y[i].y, x[i].z + s * y[i].z, x[i].w + s * y[i].w);
  }
}

/// Each thread leaves the sum of its words, modulo 2^32, so that no load can be left out.
template <int Loads>
__global__ void read_kernel(const uint4* __restrict__ from, std::uint32_t* __restrict__ sums, std::size_t vectors) {
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * Loads;
  std::uint32_t sum = 0;
  for (std::size_t base = blockIdx.x * tile + threadIdx.x; base < vectors; base += gridDim.x * tile) {
    uint4 v[Loads];
#pragma unroll
    for (int i = 0; i < Loads; ++i) v[i] = from[base + static_cast<std::size_t>(i) * blockDim.x];
#pragma unroll
    for (int i = 0; i < Loads; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
  }
  sums[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

/// Word i becomes i + seed, modulo 2^32.
template <int Unused>
__global__ void fill_words_kernel(std::uint32_t* to, std::size_t words, std::uint32_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += stride)
    to[i] = static_cast<std::uint32_t>(i) + seed;
}
template <int Unused>
__global__ void count_wrong_words_kernel(const std::uint32_t* from, std::size_t words, std::uint32_t seed,
                                         unsigned long long* wrong) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += stride)
    if (from[i] != static_cast<std::uint32_t>(i) + seed) ++mine;
  if (mine != 0) atomicAdd(wrong, mine);
}

// The triad's inputs: small whole numbers, exact with and without fused multiply-add.
__device__ __forceinline__ float triad_b(std::size_t i) {
  return static_cast<float>(i % 1021);
}
__device__ __forceinline__ float triad_c(std::size_t i) {
  return static_cast<float>(i % 509);
}
template <int Unused>
__global__ void fill_triad_kernel(float* b, float* c, std::size_t n) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    b[i] = triad_b(i);
    c[i] = triad_c(i);
  }
}
template <int Unused>
__global__ void count_wrong_triad_kernel(const float* a, std::size_t n, float s, unsigned long long* wrong) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    if (a[i] != triad_b(i) + s * triad_c(i)) ++mine;
  if (mine != 0) atomicAdd(wrong, mine);
}

inline cuda_status launched(std::string_view what) noexcept {
  return check(cudaGetLastError(), what);
}

}  // namespace detail

struct bandwidth_options {
  std::size_t array_bytes =
      0;  ///< of each of three arrays; 0 = 1 GiB, at least 16 L2 caches, at most an eighth of what is free
  double budget_s = 1.0;  ///< of one kernel
  int most_repeats = 50;
  /// Of the nominal rate. Not a fit: large streaming kernels are published between these ends.
  validate::fraction reached{0.78, 0.88, 0.96, basis::transferred};
};

/// Bytes of each array, whole tiles; 0 when not even one tile is free.
inline std::size_t bandwidth_array_bytes(const bandwidth_options& o, const device_facts& d) noexcept {
  std::int64_t size =
      o.array_bytes > 0 ? static_cast<std::int64_t>(o.array_bytes) : (std::max)(std::int64_t{1} << 30, d.l2_bytes * 16);
  size = (std::min)(size, d.free_bytes / 8);
  const auto tile = static_cast<std::int64_t>(detail::tile_vectors * sizeof(uint4));
  return static_cast<std::size_t>(size / tile * tile);
}

/// Measures `read`, `copy` and `triad` on the selected device; `peak` = nominal bytes per second, 0 = no prediction.
template <class Sink>
void measure_bandwidth(const bandwidth_options& o, const device_facts& d, double peak, Sink&& sink) {
  const std::size_t size = bandwidth_array_bytes(o, d);
  const auto fresh = [&](std::string_view what) {
    validate::measurement m;
    m.name = what;
    m.in = validate::unit::bytes_per_second;
    if (peak > 0.0) m.predicted = o.reached(peak);
    return m;
  };
  const auto fail_all = [&](const validate::sentence& why) {
    for (const std::string_view what :
         {std::string_view("memory_read"), std::string_view("memory_copy"), std::string_view("memory_triad")}) {
      validate::measurement m = fresh(what);
      m.note = why;
      sink(m);
    }
  };
  if (size == 0) return fail_all(validate::say("too little device memory is free"));
  device_buffer first;
  device_buffer second;
  device_buffer third;
  device_buffer sums;
  device_buffer counter;
  const int blocks = (std::max)(d.multiprocessors, 1) * 8;
  const std::size_t adders = static_cast<std::size_t>(blocks) * detail::threads_a_block;
  for (device_buffer* b : {&first, &second, &third})
    if (const cuda_status s = b->allocate(size, "allocating the arrays"); !s.ok()) return fail_all(s.what);
  if (const cuda_status s = sums.allocate(adders * sizeof(std::uint32_t), "allocating the sums"); !s.ok())
    return fail_all(s.what);
  if (const cuda_status s = counter.allocate(sizeof(unsigned long long), "allocating a counter"); !s.ok())
    return fail_all(s.what);

  const std::size_t vectors = size / sizeof(uint4);
  const std::size_t words = size / sizeof(std::uint32_t);
  constexpr int threads = detail::threads_a_block;
  constexpr int loads = detail::loads_in_flight;
  const bool beyond_l2 = static_cast<std::int64_t>(size) >= d.l2_bytes * 4;
  const auto note = [&] {
    return validate::say("arrays of ", static_cast<double>(size) / 1048576.0, " MiB, L2 ",
                         static_cast<double>(d.l2_bytes) / 1048576.0, " MiB",
                         beyond_l2 ? "" : ": the L2 cache may help");
  };
  // How many elements the check finds wrong, or the sentence why it did not run.
  const auto wrong = [&](auto&& launch, unsigned long long& n) {
    if (const cuda_status s =
            check(cudaMemset(counter.as<void>(), 0, sizeof(unsigned long long)), "clearing a counter");
        !s.ok())
      return s;
    launch();
    if (const cuda_status s = detail::launched("starting the check"); !s.ok()) return s;
    return check(cudaMemcpy(&n, counter.as<void>(), sizeof n, cudaMemcpyDeviceToHost), "reading the check");
  };
  std::vector<double> seconds;
  const auto finish = [&](validate::measurement m, const cuda_status& timing, double work, const cuda_status& checking,
                          bool right) {
    if (!timing.ok() || !checking.ok()) {
      m.note = timing.ok() ? checking.what : timing.what;
      sink(m);
      return;
    }
    detail::rate(m, seconds, work);
    if (!right) {
      m.result = validate::agreement::wrong;
      m.note = validate::say("the result on the device is wrong");
      sink(m);
      return;
    }
    m.note = note();
    sink(validate::judged(m));
  };

  constexpr std::uint32_t seed = 0x9E37'79B9U;
  detail::fill_words_kernel<0><<<blocks, threads>>>(first.as<std::uint32_t>(), words, seed);
  if (const cuda_status s = detail::launched("starting a kernel"); !s.ok()) return fail_all(s.what);

  {
    const cuda_status timing = detail::time_launches(
        [&] {
          detail::read_kernel<loads><<<blocks, threads>>>(first.as<uint4>(), sums.as<std::uint32_t>(), vectors);
          return detail::launched("starting the read");
        },
        o.budget_s, o.most_repeats, seconds);
    std::vector<std::uint32_t> parts(adders);
    cuda_status checking;
    std::uint32_t sum = 0;
    if (timing.ok()) {
      checking =
          check(cudaMemcpy(parts.data(), sums.as<void>(), adders * sizeof(std::uint32_t), cudaMemcpyDeviceToHost),
                "reading the sums");
      for (const std::uint32_t p : parts) sum += p;
    }
    // Σ (i + seed) over i < words, modulo 2^32; words is even.
    const std::uint64_t n = words;
    const auto expected = static_cast<std::uint32_t>(n / 2 * (n - 1) + n * seed);
    finish(fresh("memory_read"), timing, static_cast<double>(size), checking, sum == expected);
  }
  {
    cuda_status timing = check(cudaMemset(second.as<void>(), 0, size), "clearing an array");
    if (timing.ok())
      timing = detail::time_launches(
          [&] {
            detail::copy_kernel<loads><<<blocks, threads>>>(first.as<uint4>(), second.as<uint4>(), vectors);
            return detail::launched("starting the copy");
          },
          o.budget_s, o.most_repeats, seconds);
    unsigned long long bad = 0;
    cuda_status checking;
    if (timing.ok())
      checking = wrong(
          [&] {
            detail::count_wrong_words_kernel<0>
                <<<blocks, threads>>>(second.as<std::uint32_t>(), words, seed, counter.as<unsigned long long>());
          },
          bad);
    finish(fresh("memory_copy"), timing, 2.0 * static_cast<double>(size), checking, bad == 0);
  }
  {
    detail::fill_triad_kernel<0><<<blocks, threads>>>(first.as<float>(), second.as<float>(), words);
    cuda_status timing = detail::launched("starting a kernel");
    float scalar = 3.0F;  // another one in each repetition: the check then shows that the last one ran
    if (timing.ok()) timing = check(cudaMemset(third.as<void>(), 0, size), "clearing an array");
    if (timing.ok())
      timing = detail::time_launches(
          [&] {
            scalar += 1.0F;
            detail::triad_kernel<loads>
                <<<blocks, threads>>>(first.as<float4>(), second.as<float4>(), third.as<float4>(), scalar, vectors);
            return detail::launched("starting the triad");
          },
          o.budget_s, o.most_repeats, seconds);
    unsigned long long bad = 0;
    cuda_status checking;
    if (timing.ok())
      checking = wrong(
          [&] {
            detail::count_wrong_triad_kernel<0>
                <<<blocks, threads>>>(third.as<float>(), words, scalar, counter.as<unsigned long long>());
          },
          bad);
    finish(fresh("memory_triad"), timing, 3.0 * static_cast<double>(size), checking, bad == 0);
  }
}

}  // namespace ullage::inline v0::cuda
