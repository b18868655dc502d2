// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <ullage/cuda/allocate.cuh>   // IWYU pragma: export
#include <ullage/cuda/bandwidth.cuh>  // IWYU pragma: export
#include <ullage/cuda/device.cuh>     // IWYU pragma: export
#include <ullage/cuda/gemm.cuh>       // IWYU pragma: export
#include <ullage/cuda/status.cuh>     // IWYU pragma: export
#include <ullage/hardware.hpp>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

namespace ullage::inline v0::cuda {

struct options {
  int ordinal = 0;                   ///< as the runtime counts devices
  std::optional<accelerator> row{};  ///< what to hold the device against; none = the catalogue's row of its name
  bytes allocate{};                  ///< of a trial allocation: weights and cache of a plan; 0 = no trial
  device_expectations device{};
  bandwidth_options bandwidth{};
  gemm_options gemm{};
  std::optional<validate::fraction> gemm_reached{};  ///< none = gemm_fraction(family)
};

/// Measures one device and hands each line to `sink(const validate::measurement&)` as soon as it is there. The
/// answer is a report without lines of its own: device, and where it is not available the sentence why.
template <class Sink>
validate::report measure(const options& o, Sink&& sink) {
  validate::report r;
  r.backend = "cuda";
  device_facts d;
  if (const cuda_status s = describe_device(o.ordinal, d); !s.ok()) {
    r.reason = s.what;
    return r;
  }
  r.available = true;
  const accelerator* row = o.row ? &*o.row : d.row();
  r.device = validate::say(d.name.view(), ", sm_", d.compute_capability, ", CUDA driver ", d.driver_version / 1000, ".", d.driver_version % 1000 / 10,
                           ", runtime ", d.runtime_version / 1000, ".", d.runtime_version % 1000 / 10).view();
  if (row == nullptr) r.reason = validate::say("no catalogue row is named \"", d.name.view(), "\": nothing is predicted");

  compare_device(d, row, o.device, sink);
  measure_bandwidth(o.bandwidth, d, row != nullptr ? value_of(row->bandwidth) : 0.0, sink);
  const validate::fraction reached = o.gemm_reached ? *o.gemm_reached : gemm_fraction(row != nullptr ? row->family : architecture::unknown);
  sink(measure_gemm(o.gemm, d, row != nullptr ? value_of(row->peak(math::bf16)) : 0.0, reached));
  if (integer(o.allocate) != 0) sink(measure_allocation(o.allocate));
  return r;
}

/// The same with its lines.
inline validate::report measure(const options& o = {}) {
  ullage::detail::static_list<validate::measurement, 32> lines;
  validate::report r = measure(o, [&lines](const validate::measurement& m) { lines.push_back(m); });
  r.measurements = lines;
  return r;
}

}  // namespace ullage::inline v0::cuda
