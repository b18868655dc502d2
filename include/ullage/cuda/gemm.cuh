// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>
#if __has_include(<cublasLt.h>) && __has_include(<dlfcn.h>)
#include <cublasLt.h>
#include <dlfcn.h>
#define ULLAGE_HAS_CUBLASLT 1
#else
#define ULLAGE_HAS_CUBLASLT 0
#endif
#include <ullage/cuda/device.cuh>
#include <ullage/cuda/status.cuh>
#include <ullage/hardware.hpp>
#include <ullage/performance/gemm.hpp>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

// bf16 GEMMs by cuBLASLt. The library is opened at run time and never linked: a program that is linked to it
// cannot say that it is missing, because the loader ends the program before its first line.
namespace ullage::inline v0::cuda {

struct gemm_options {
  int m = 8192;
  int n = 8192;
  int k = 8192;
  double budget_s = 1.0;
  int most_repeats = 50;
  std::size_t workspace_bytes = std::size_t{64} << 20;
  const char* library = nullptr;  ///< path of libcublasLt; null = the usual names and places
};

/// Seconds that the library's own time model gives D = Aᵀ·B in bf16: n tokens through a matrix of m outputs × k
/// inputs (performance/gemm.hpp). Nothing where the row lacks a rate.
inline std::optional<estimate<double>> predicted_gemm_seconds(const gemm_options& o, const accelerator& row,
                                                              const constants& c) noexcept {
  const op_time t = gemm(count(o.n), count(o.m), count(o.k), formats::bf16, row, c);
  if (t.problem != time_problem::none || t.computes_as != math::bf16) return std::nullopt;
  return estimate<double>{value_of(t.time.low), value_of(t.time.mid), value_of(t.time.high), t.time.from};
}

namespace detail {

/// A whole number in [-128, 127] from an index: the top byte of a mixed counter.
__host__ __device__ inline int small_integer(std::uint64_t i, std::uint32_t seed) noexcept {
  std::uint64_t x = i * 0x9E37'79B9'7F4A'7C15ULL + seed;
  x ^= x >> 29;
  x *= 0xBF58'476D'1CE4'E5B9ULL;
  x ^= x >> 32;
  return static_cast<int>(x >> 56) - 128;
}

/// Fills with multiples of 1/128 in [-1, 1): eight significant bits, exact in bf16, whose bits are the upper half of
/// a float's. Random and not constant, because power, and with it the clock, follows the data.
template <int Unused>
__global__ void fill_bf16_kernel(std::uint16_t* to, std::size_t n, std::uint32_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    to[i] = static_cast<std::uint16_t>(__float_as_uint(static_cast<float>(small_integer(i, seed)) / 128.0F) >> 16);
}

inline double of_bf16(std::uint16_t bits) noexcept {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

#if ULLAGE_HAS_CUBLASLT

/// The entry points of libcublasLt that are used, with the header's types.
struct cublaslt_library {
  void* handle = nullptr;
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetVersion) version = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;

  cublaslt_library() = default;
  cublaslt_library(const cublaslt_library&) = delete;
  cublaslt_library& operator=(const cublaslt_library&) = delete;
  ~cublaslt_library() {
    if (handle != nullptr) dlclose(handle);
  }

  /// Once open, the library stays loaded: it has registered its kernels with the runtime.
  cuda_status open(const char* path) noexcept {
    // The header's own version first. The functions below have had one binary interface through 12 and 13.
    constexpr const char* usual[] = {
#if CUBLAS_VER_MAJOR == 12
      "libcublasLt.so.12",
      "libcublasLt.so.13",
#else
      "libcublasLt.so.13",
      "libcublasLt.so.12",
#endif
      "/usr/local/cuda/lib64/libcublasLt.so.13",
      "/usr/local/cuda/lib64/libcublasLt.so.12",
      "/usr/local/cuda/lib/libcublasLt.so.13",
      "/usr/local/cuda/lib/libcublasLt.so.12"
    };
    if (path != nullptr) {
      handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    } else {
      for (const char* name : usual)
        if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (handle == nullptr)
      return failure(
          path != nullptr
              ? validate::say("libcublasLt does not open at ", path)
              : validate::say(
                    "libcublasLt.so.13 and .12 are not installed or the loader does not find them (LD_LIBRARY_PATH)"));
    const bool all =
        take(create, "cublasLtCreate") && take(destroy, "cublasLtDestroy") && take(version, "cublasLtGetVersion") &&
        take(desc_create, "cublasLtMatmulDescCreate") && take(desc_destroy, "cublasLtMatmulDescDestroy") &&
        take(desc_set, "cublasLtMatmulDescSetAttribute") && take(layout_create, "cublasLtMatrixLayoutCreate") &&
        take(layout_destroy, "cublasLtMatrixLayoutDestroy") &&
        take(preference_create, "cublasLtMatmulPreferenceCreate") &&
        take(preference_destroy, "cublasLtMatmulPreferenceDestroy") &&
        take(preference_set, "cublasLtMatmulPreferenceSetAttribute") &&
        take(heuristic, "cublasLtMatmulAlgoGetHeuristic") && take(matmul, "cublasLtMatmul");
    if (!all) return failure(validate::say("libcublasLt lacks a function that this program calls"));
    return {};
  }

 private:
  template <class Function>
  bool take(Function& f, const char* symbol) noexcept {
    f = reinterpret_cast<Function>(dlsym(handle, symbol));
    return f != nullptr;
  }
};

inline cuda_status check(cublasStatus_t status, std::string_view doing) noexcept {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return failure(validate::say(doing, ": cuBLASLt status ", static_cast<int>(status)), static_cast<int>(status));
}
using cuda::check;

/// D = Aᵀ·B in bf16 with sums in fp32, columns contiguous: A is k×m, B is k×n, D is m×n.
class gemm_plan {
 public:
  explicit gemm_plan(const cublaslt_library& library) noexcept : lt_(library) {}
  gemm_plan(const gemm_plan&) = delete;
  gemm_plan& operator=(const gemm_plan&) = delete;
  ~gemm_plan() {
    if (preference_ != nullptr) static_cast<void>(lt_.preference_destroy(preference_));
    for (cublasLtMatrixLayout_t l : {a_, b_, d_})
      if (l != nullptr) static_cast<void>(lt_.layout_destroy(l));
    if (operation_ != nullptr) static_cast<void>(lt_.desc_destroy(operation_));
    if (handle_ != nullptr) static_cast<void>(lt_.destroy(handle_));
  }

  cuda_status create(const gemm_options& o) noexcept {
    const auto rows = [](int x) { return static_cast<std::uint64_t>(x); };
    const cublasOperation_t transpose = CUBLAS_OP_T;
    const std::size_t workspace = o.workspace_bytes;
    if (cuda_status s = check(lt_.create(&handle_), "starting cuBLASLt"); !s.ok()) return s;
    if (cuda_status s = check(lt_.desc_create(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing the GEMM");
        !s.ok())
      return s;
    if (cuda_status s = check(lt_.desc_set(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose),
                              "describing the GEMM");
        !s.ok())
      return s;
    if (cuda_status s = check(lt_.layout_create(&a_, CUDA_R_16BF, rows(o.k), rows(o.m), o.k), "describing A"); !s.ok())
      return s;
    if (cuda_status s = check(lt_.layout_create(&b_, CUDA_R_16BF, rows(o.k), rows(o.n), o.k), "describing B"); !s.ok())
      return s;
    if (cuda_status s = check(lt_.layout_create(&d_, CUDA_R_16BF, rows(o.m), rows(o.n), o.m), "describing D"); !s.ok())
      return s;
    if (cuda_status s = check(lt_.preference_create(&preference_), "asking for algorithms"); !s.ok()) return s;
    if (cuda_status s = check(
            lt_.preference_set(preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace),
            "asking for algorithms");
        !s.ok())
      return s;
    int found = 0;
    if (cuda_status s =
            check(lt_.heuristic(handle_, operation_, a_, b_, d_, d_, preference_, most_algorithms, results_, &found),
                  "asking for algorithms");
        !s.ok())
      return s;
    for (int i = 0; i < found && i < most_algorithms; ++i)
      if (results_[i].state == CUBLAS_STATUS_SUCCESS) results_[usable_++] = results_[i];
    if (usable_ == 0) return failure(validate::say("cuBLASLt has no algorithm for this GEMM"));
    return {};
  }
  int algorithms() const noexcept { return usable_; }

  cuda_status run(int algorithm, const void* a, const void* b, void* d, void* workspace,
                  std::size_t workspace_bytes) const noexcept {
    const float one = 1.0F;
    const float zero = 0.0F;
    return check(lt_.matmul(handle_, operation_, &one, a, a_, b, b_, &zero, d, d_, d, d_, &results_[algorithm].algo,
                            workspace, workspace_bytes, nullptr),
                 "starting the GEMM");
  }

 private:
  static constexpr int most_algorithms = 8;
  const cublaslt_library& lt_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  cublasLtMatmulHeuristicResult_t results_[most_algorithms]{};
  int usable_ = 0;
};

#endif  // ULLAGE_HAS_CUBLASLT

/// Holds 32 entries of D against sums in double on the host. `right` is left false when one is off.
inline cuda_status sample_product(const gemm_options& o, const std::uint16_t* a, const std::uint16_t* b,
                                  const std::uint16_t* d, bool& right) {
  right = false;
  const auto k = static_cast<std::size_t>(o.k);
  std::vector<std::uint16_t> x(k);
  std::vector<std::uint16_t> y(k);
  for (std::size_t sample = 0; sample < 32; ++sample) {
    // The corners first, then entries spread over the matrix.
    const std::size_t last_row = static_cast<std::size_t>(o.m) - 1;
    const std::size_t last_column = static_cast<std::size_t>(o.n) - 1;
    const std::size_t row =
        sample < 4 ? (sample & 1 ? last_row : 0) : sample * 2'654'435'761U % static_cast<std::size_t>(o.m);
    const std::size_t column =
        sample < 4 ? (sample & 2 ? last_column : 0) : sample * 2'246'822'519U % static_cast<std::size_t>(o.n);
    std::uint16_t entry = 0;
    if (cuda_status s = cuda::check(
            cudaMemcpy(x.data(), a + row * k, k * sizeof(std::uint16_t), cudaMemcpyDeviceToHost), "reading A");
        !s.ok())
      return s;
    if (cuda_status s = cuda::check(
            cudaMemcpy(y.data(), b + column * k, k * sizeof(std::uint16_t), cudaMemcpyDeviceToHost), "reading B");
        !s.ok())
      return s;
    if (cuda_status s = cuda::check(
            cudaMemcpy(&entry, d + column * static_cast<std::size_t>(o.m) + row, sizeof entry, cudaMemcpyDeviceToHost),
            "reading D");
        !s.ok())
      return s;
    double sum = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < k; ++i) {
      const double product = of_bf16(x[i]) * of_bf16(y[i]);
      sum += product;
      size += std::abs(product);
    }
    // Half a unit in the last place of bf16 is at most 2⁻⁸ of the value; the fp32 sums add little beside it.
    if (!(std::abs(of_bf16(entry) - sum) <= std::abs(sum) * 0.004 + size * 1e-5)) return {};
  }
  right = true;
  return {};
}

}  // namespace detail

/// Measures D = Aᵀ·B in bf16 with the fastest of the algorithms that cuBLASLt proposes, as 2·m·n·k operations a
/// second (`in` = flops_per_second) or as the seconds of one product. `row` null = no prediction.
inline validate::measurement measure_gemm(std::string_view what, validate::unit in, const gemm_options& o,
                                          const device_facts& d, const accelerator* row, const constants& c) {
  validate::measurement m;
  m.name = what;
  m.in = in;
  const bool as_rate = in == validate::unit::flops_per_second;
  const double flop = 2.0 * o.m * o.n * static_cast<double>(o.k);
  if (row != nullptr) m.predicted = predicted_gemm_seconds(o, *row, c);
  if (m.predicted && as_rate)
    m.predicted =
        estimate<double>{flop / m.predicted->high, flop / m.predicted->mid, flop / m.predicted->low, m.predicted->from};
#if ULLAGE_HAS_CUBLASLT
  const auto stop = [&m](const cuda_status& s) {
    m.result = validate::agreement::unmeasured;
    m.measured = m.best = 0.0;
    m.note = s.what;
    return m;
  };
  if (o.m <= 0 || o.n <= 0 || o.k <= 0) return stop(failure(validate::say("a GEMM's sizes are positive")));
  if (d.compute_capability < 80)
    return stop(failure(validate::say("no bf16 matrix units before compute capability 8.0")));
  const auto elements = [](int x, int y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); };
  const std::size_t needed = 2 * (elements(o.k, o.m) + elements(o.k, o.n) + elements(o.m, o.n)) + o.workspace_bytes;
  if (static_cast<std::int64_t>(needed) > d.free_bytes)
    return stop(failure(validate::say("too little device memory is free")));

  detail::cublaslt_library library;
  if (const cuda_status s = library.open(o.library); !s.ok()) return stop(s);
  device_buffer a;
  device_buffer b;
  device_buffer result;
  device_buffer workspace;
  if (const cuda_status s = a.allocate(2 * elements(o.k, o.m), "allocating A"); !s.ok()) return stop(s);
  if (const cuda_status s = b.allocate(2 * elements(o.k, o.n), "allocating B"); !s.ok()) return stop(s);
  if (const cuda_status s = result.allocate(2 * elements(o.m, o.n), "allocating D"); !s.ok()) return stop(s);
  if (o.workspace_bytes > 0)
    if (const cuda_status s = workspace.allocate(o.workspace_bytes, "allocating the workspace"); !s.ok())
      return stop(s);
  const int blocks = (std::max)(d.multiprocessors, 1) * 8;
  detail::fill_bf16_kernel<0><<<blocks, 256>>>(a.as<std::uint16_t>(), elements(o.k, o.m), 1U);
  detail::fill_bf16_kernel<0><<<blocks, 256>>>(b.as<std::uint16_t>(), elements(o.k, o.n), 0xA5A5'A5A5U);
  if (const cuda_status s = check(cudaGetLastError(), "filling A and B"); !s.ok()) return stop(s);
  // All ones are a NaN in bf16: an entry that is never written fails the check.
  if (const cuda_status s = check(cudaMemset(result.as<void>(), 0xFF, 2 * elements(o.m, o.n)), "clearing D"); !s.ok())
    return stop(s);

  detail::gemm_plan plan(library);
  if (const cuda_status s = plan.create(o); !s.ok()) return stop(s);
  std::vector<double> seconds;
  const auto time = [&](int algorithm, double budget_s, int most) {
    return detail::time_launches(
        [&] {
          return plan.run(algorithm, a.as<void>(), b.as<void>(), result.as<void>(), workspace.as<void>(),
                          o.workspace_bytes);
        },
        budget_s, most, seconds);
  };
  int fastest = -1;
  double shortest = 0.0;
  for (int i = 0; i < plan.algorithms(); ++i) {
    if (!time(i, 0.0, 2).ok()) continue;
    const double t = detail::median(seconds);
    if (fastest < 0 || t < shortest) {
      fastest = i;
      shortest = t;
    }
  }
  if (fastest < 0) return stop(failure(validate::say("none of cuBLASLt's algorithms ran")));
  if (const cuda_status s = check(cudaMemset(result.as<void>(), 0xFF, 2 * elements(o.m, o.n)), "clearing D"); !s.ok())
    return stop(s);
  if (const cuda_status s = time(fastest, o.budget_s, o.most_repeats); !s.ok()) return stop(s);
  if (as_rate) {
    detail::rate(m, seconds, flop);
  } else {
    m.repeats = static_cast<int>(seconds.size());
    m.measured = detail::median(seconds);
    m.best = *std::min_element(seconds.begin(), seconds.end());
  }
  bool right = false;
  if (const cuda_status s =
          detail::sample_product(o, a.as<std::uint16_t>(), b.as<std::uint16_t>(), result.as<std::uint16_t>(), right);
      !s.ok())
    return stop(s);
  if (!right) {
    m.result = validate::agreement::wrong;
    m.note = validate::say("entries of the product are wrong");
    return m;
  }
  m.note = validate::say(o.m, " x ", o.n, " x ", o.k, ", cuBLASLt ", library.version(), ", fastest of ",
                         plan.algorithms(), " algorithms; dense, sums in fp32");
  return validate::judged(m);
#else
  static_cast<void>(o);
  static_cast<void>(d);
  m.note = validate::say("built without cublasLt.h");
  return m;
#endif
}

}  // namespace ullage::inline v0::cuda
#undef ULLAGE_HAS_CUBLASLT
