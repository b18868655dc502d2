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
#include <ullage/performance/constants.hpp>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

namespace ullage::inline v0::cuda {

struct options {
  int ordinal = 0;                   ///< as the runtime counts devices
  std::optional<accelerator> row{};  ///< what to hold the device against; none = the catalogue's row of its name
  bytes allocate{};                  ///< of a trial allocation: weights and cache of a plan; 0 = no trial
  device_expectations device{};
  bandwidth_options bandwidth{};
  gemm_options gemm{};                             ///< a large GEMM, bound by compute
  gemm_options decode_gemm{.m = 28'672, .n = 16};  ///< 16 tokens through 470 MB of weights, bound by memory
  std::optional<constants> model{};                ///< of the time model; none = constants_for(row)
};

/// Measures one device and hands each line to `sink(const validate::measurement&)` as soon as it is there; before
/// them, where there is a device, `header(const validate::report&)`. The answer is a report without lines of its own:
/// the device, and where it is not available the sentence why.
template <class Sink, class Header>
validate::report measure(const options& o, Sink&& sink, Header&& header) {
  validate::report r;
  r.backend = "cuda";
  device_facts d;
  if (const cuda_status s = describe_device(o.ordinal, d); !s.ok()) {
    r.reason = s.what;
    return r;
  }
  r.available = true;
  const accelerator* row = o.row ? &*o.row : d.row();
  r.device = validate::say(d.name.view(), ", sm_", d.compute_capability, ", CUDA driver ", d.driver_version / 1000, ".",
                           d.driver_version % 1000 / 10, ", runtime ", d.runtime_version / 1000, ".",
                           d.runtime_version % 1000 / 10)
                 .view();
  if (row == nullptr)
    r.reason = validate::say("no catalogue row is named \"", d.name.view(), "\": nothing is predicted");
  header(static_cast<const validate::report&>(r));

  compare_device(d, row, o.device, sink);
  measure_bandwidth(o.bandwidth, d, row != nullptr ? value_of(row->bandwidth) : 0.0, sink);
  const constants model = o.model ? *o.model : row != nullptr ? constants_for(*row) : constants{};
  sink(measure_gemm("gemm_bf16", validate::unit::flops_per_second, o.gemm, d, row, model));
  sink(measure_gemm("gemm_bf16_16_rows", validate::unit::seconds, o.decode_gemm, d, row, model));
  if (integer(o.allocate) != 0) sink(measure_allocation(o.allocate));
  return r;
}

/// The same with its lines.
inline validate::report measure(const options& o = {}) {
  ullage::detail::static_list<validate::measurement, 32> lines;
  validate::report r = measure(
      o, [&lines](const validate::measurement& m) { lines.push_back(m); }, [](const validate::report&) {});
  r.measurements = lines;
  return r;
}

}  // namespace ullage::inline v0::cuda
