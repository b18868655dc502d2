// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ullage/engine/engine.hpp>
#include <ullage/hardware.hpp>

namespace ullage::inline v0 {

/// An architecture that an engine has a backend for, from the year of parts on; `source` says where that is stated.
struct backend_row {
  engine_kind engine = engine_kind::vllm;
  architecture family = architecture::unknown;
  int since_year = 0;
  const char* source = "";
};

namespace detail {
// clang-format off
inline constexpr std::array<backend_row, 22> backends{{
    {engine_kind::vllm, architecture::volta, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::turing, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::ampere, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::ampere_rtx, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::ada, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::hopper, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::blackwell, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::blackwell_ultra, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::blackwell_rtx, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::rubin, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::orin, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::thor, 0, "docs.vllm.ai installation: compute capability 7.0 and higher"},
    {engine_kind::vllm, architecture::cdna2, 0, "docs.vllm.ai installation, ROCm: MI200s (gfx90a)"},
    {engine_kind::vllm, architecture::cdna3, 0, "docs.vllm.ai installation, ROCm: MI300 (gfx942)"},
    {engine_kind::vllm, architecture::cdna4, 0, "docs.vllm.ai installation, ROCm: MI350 (gfx950)"},
    {engine_kind::vllm, architecture::rdna3, 0, "docs.vllm.ai installation, ROCm: Radeon RX 7900 series (gfx1100/1101)"},
    {engine_kind::vllm, architecture::rdna3_5, 0, "docs.vllm.ai installation, ROCm: Ryzen AI MAX (gfx1151/1150)"},
    {engine_kind::vllm, architecture::rdna4, 0, "docs.vllm.ai installation, ROCm: Radeon RX 9000 series (gfx1200/1201)"},
    {engine_kind::vllm, architecture::tpu, 2021, "docs.vllm.ai installation, Google TPU: v4, v5e, v5p, v6e"},
    {engine_kind::vllm, architecture::neuron, 2022, "docs.vllm.ai installation, AWS Neuron: Trainium and Inferentia2"},
    {engine_kind::vllm, architecture::gaudi, 2022, "docs.vllm.ai installation, Intel Gaudi: plug-in for Gaudi 2 and 3"},
    {engine_kind::vllm, architecture::ascend, 0, "vllm-project/vllm-ascend: plug-in for Atlas A2 and A3"},
}};
// clang-format on
}  // namespace detail

/// Whether a backend of the engine for the part is known. The plain engine is arithmetic and runs everywhere; of vLLM's
/// Intel GPUs only those of the data centre and the Arc B and A series are stated, without a list, so Xe counts by its units.
constexpr bool runs_on(engine_kind e, const accelerator& a) noexcept {
  if (e == engine_kind::plain) return true;
  if (a.family == architecture::xe_hpc || a.family == architecture::xe2) return a.kind != device_class::npu;
  for (const backend_row& b : detail::backends)
    if (b.engine == e && b.family == a.family) return a.year >= b.since_year;
  return false;
}

}  // namespace ullage::inline v0
