// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

// The CUDA backend throws nothing: every call that can fail answers with a status. Link with the static runtime
// (nvcc's default, or -cudart static): such a program starts, and says what it lacks, on a machine without a driver.
namespace ullage::inline v0::cuda {

/// Success, or the sentence that says what failed.
struct cuda_status {
  int code = 0;  ///< 0 = success, else a cudaError_t, or -1 for what is no runtime error
  validate::sentence what{};

  constexpr bool ok() const noexcept { return code == 0; }
};

inline cuda_status failure(const validate::sentence& what, int code = -1) noexcept {
  return {code, what};
}

/// Turns a runtime error into a status; `doing` names what was tried. Clears errors that do not stick.
inline cuda_status check(cudaError_t error, std::string_view doing) noexcept {
  if (error == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return failure(validate::say(doing, ": ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")"),
                 static_cast<int>(error));
}

/// How many devices this process sees. Without a driver, or with one that is too old, the sentence says so.
inline cuda_status count_devices(int& how_many) noexcept {
  how_many = 0;
  const cudaError_t error = cudaGetDeviceCount(&how_many);
  if (error == cudaSuccess && how_many > 0) return {};
  static_cast<void>(cudaGetLastError());
  how_many = 0;
  if (error == cudaErrorInsufficientDriver || error == cudaErrorStubLibrary) {
    int driver = 0;
    int runtime = 0;
    static_cast<void>(cudaDriverGetVersion(&driver));
    static_cast<void>(cudaRuntimeGetVersion(&runtime));
    static_cast<void>(cudaGetLastError());
    if (driver == 0)
      return failure(validate::say("no CUDA driver: libcuda.so.1 is not installed or the loader does not find it"),
                     static_cast<int>(error));
    return failure(
        validate::say("the CUDA driver is too old: it supports CUDA ", driver / 1000, ".", driver % 1000 / 10,
                      ", this program was built with CUDA ", runtime / 1000, ".", runtime % 1000 / 10),
        static_cast<int>(error));
  }
  if (error == cudaErrorNoDevice || error == cudaSuccess)
    return failure(validate::say("no CUDA device: a driver is installed, but it shows none to this process"
                                 " (CUDA_VISIBLE_DEVICES, or a container without devices?)"),
                   static_cast<int>(cudaErrorNoDevice));
  return check(error, "no usable CUDA device");
}

/// Device memory that is freed at the end of its scope.
class device_buffer {
 public:
  device_buffer() = default;
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  ~device_buffer() {
    if (memory_ != nullptr) static_cast<void>(cudaFree(memory_));
  }
  cuda_status allocate(std::size_t size, std::string_view doing) noexcept {
    return check(cudaMalloc(&memory_, size), doing);
  }
  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

namespace detail {

class event {
 public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() {
    if (handle_ != nullptr) static_cast<void>(cudaEventDestroy(handle_));
  }
  cuda_status create() noexcept { return check(cudaEventCreate(&handle_), "creating an event"); }
  cudaEvent_t handle() const noexcept { return handle_; }

 private:
  cudaEvent_t handle_ = nullptr;
};

inline double now_s() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double>& v) noexcept {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  if (v.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(v.begin(), middle)) / 2.0;
}

/// Times `launch()` (which answers a cuda_status) by events on the default stream. One warm-up is not counted; then
/// at least two repetitions, and more until the budget or `most` is used up.
template <class Launch>
cuda_status time_launches(Launch&& launch, double budget_s, int most, std::vector<double>& seconds) {
  event start;
  event stop;
  seconds.clear();
  if (cuda_status s = start.create(); !s.ok()) return s;
  if (cuda_status s = stop.create(); !s.ok()) return s;
  const double began = now_s();
  for (int repeat = 0; repeat <= (std::max)(most, 2); ++repeat) {
    if (cuda_status s = check(cudaEventRecord(start.handle(), nullptr), "recording an event"); !s.ok()) return s;
    if (cuda_status s = launch(); !s.ok()) return s;
    if (cuda_status s = check(cudaEventRecord(stop.handle(), nullptr), "recording an event"); !s.ok()) return s;
    if (cuda_status s = check(cudaEventSynchronize(stop.handle()), "running a kernel"); !s.ok()) return s;
    float ms = 0.0F;
    if (cuda_status s = check(cudaEventElapsedTime(&ms, start.handle(), stop.handle()), "reading an event"); !s.ok())
      return s;
    if (repeat > 0) seconds.push_back((std::max)(static_cast<double>(ms) * 1e-3, 1e-9));
    if (repeat >= 2 && now_s() - began >= budget_s) break;
  }
  return {};
}

/// Turns seconds into a rate: median and best of the repetitions.
inline void rate(validate::measurement& m, std::vector<double>& seconds, double work) noexcept {
  m.repeats = static_cast<int>(seconds.size());
  m.measured = work / median(seconds);
  m.best = work / *std::min_element(seconds.begin(), seconds.end());
}

}  // namespace detail
}  // namespace ullage::inline v0::cuda
