// SPDX-License-Identifier: Apache-2.0
// Published facts of the catalogue, and how names are found.
#include <iterator>
#include <ullage/catalog.hpp>

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::string_view id_of(std::string_view name) {
  const accelerator_match m = find_accelerator(name);
  return m.outcome == accelerator_match::found ? m.whole->id : std::string_view("not found");
}
constexpr bool is(std::string_view name, accelerator_match::outcome_kind outcome, std::size_t candidates) {
  const accelerator_match m = find_accelerator(name);
  return m.outcome == outcome && m.whole == nullptr && m.candidates.size() == candidates;
}

template <class Predicate>
constexpr bool every_row(Predicate good) {
  for (const accelerator& a : catalog::accelerators)
    if (!good(a)) return false;
  return true;
}

// Devices that work as a group: the fabric's, or those behind one host.
static_assert(catalog::l40s.node_devices() == 8_dev && catalog::h100_nvl.node_devices() == 8_dev);
static_assert(catalog::gh200_96gb.node_devices() == 1_dev && catalog::gh200_144gb.node_devices() == 1_dev);
static_assert(catalog::gb10.node_devices() == 2_dev && catalog::gb200.node_devices() == 72_dev);
static_assert(catalog::gb10.host_fabric().shape == topology::none, "a superchip's host is its own");
static_assert(catalog::l40s.host_fabric().shape == topology::host_only);

// Figures that their vendors print.
static_assert(catalog::h200_sxm.memory_driver == 143771_MiB && catalog::h200_sxm.memory_sold == 141_GB);
static_assert(catalog::h200_sxm.memory_basis == basis::driver);
static_assert(catalog::h200_sxm.bandwidth == 4.8_TBps);
static_assert(catalog::h200_sxm.peak(math::bf16) == 989.4_TFLOPS);
static_assert(catalog::h100_sxm.peak(math::bf16) == catalog::h200_sxm.peak(math::bf16));
static_assert(catalog::h100_sxm.memory_driver == of<bytes>(count(85'520'809'984)));
static_assert(catalog::a100_sxm_80gb.bandwidth == 2039_GBps);
static_assert(catalog::a100_sxm_80gb.peak(math::bf16) == 312_TFLOPS);
static_assert(catalog::a100_sxm_80gb.peak(math::fp8) == 0_TFLOPS, "an A100 has no fp8 units");
static_assert(catalog::t4.peak(math::bf16) == 0_TFLOPS && catalog::t4.peak(math::fp16) == 65_TFLOPS);
static_assert(catalog::b200.peak(math::fp4) == 9_PFLOPS, "dense: the 18 PFLOP/s of the brochure are sparse");
static_assert(catalog::l4.memory_driver != catalog::l40s.memory_driver);
static_assert(catalog::l4.bandwidth < catalog::l40s.bandwidth);
static_assert(catalog::mi300x.visible_memory() == of<bytes>(count(206'141'652'992)));
static_assert(catalog::mi325x.visible_memory() == 262'128_MiB, "as amd-smi prints it");
static_assert(catalog::tpu_v5e.memory_sold == 16_GB && catalog::tpu_v5e.visible_memory() == 16'128_MiB);
static_assert(catalog::trainium2.memory().high == 96_GiB && catalog::trainium2.memory().low < 96_GiB);
static_assert(catalog::gaudi3.memory_sold == 128_GB);
static_assert(catalog::b300.target == "sm_103" && catalog::rtx_5090.target == "sm_120");
static_assert(catalog::a100_sxm_80gb.supports(math::fp8) == support::lacking);

// Fabrics: one way, of one device.
static_assert(catalog::h200_sxm.scale_up.usable(2_dev) == 450_GBps);
static_assert(catalog::h200_sxm.scale_up.usable(8_dev) == 450_GBps);
static_assert(catalog::h200_sxm.scale_up.in_network_reduction && !catalog::a100_sxm_80gb.scale_up.in_network_reduction);
static_assert(catalog::gb200.scale_up.domain == 72_dev);
static_assert(catalog::mi300x.scale_up.shape == topology::mesh);
static_assert(catalog::mi300x.scale_up.per_peer == 64_GBps && catalog::mi300x.scale_up.per_device == 448_GBps);
static_assert(catalog::mi300x.scale_up.usable(2_dev) == 64_GBps && catalog::mi300x.scale_up.usable(8_dev) == 448_GBps);
static_assert(catalog::h100_pcie.scale_up.usable(2_dev) == 300_GBps);
static_assert(catalog::h100_pcie.scale_up.usable(4_dev) == 0_GBps, "a bridge joins two cards");
static_assert(catalog::h200_nvl.scale_up.usable(2_dev) == 150_GBps);
static_assert(catalog::h200_nvl.scale_up.usable(4_dev) == 450_GBps);
static_assert(catalog::tpu_v5e.scale_up.usable(256_dev) == 200_GBps);
static_assert(catalog::tpu_v5e.scale_up.usable(16_dev) == 100_GBps, "4 x 4 of 16 x 16 has no way around");
static_assert(catalog::tpu_v5e.scale_up.usable(2_dev) == 50_GBps);
static_assert(catalog::tpu_v5p.scale_up.usable(64_dev) == 600_GBps);

// Every row.
static_assert(std::forward_iterator<decltype(catalog::accelerators.begin())>);
static_assert(catalog::accelerators.size() >= 140);
static_assert(every_row([](const accelerator& a) {
  bool any = false;
  for (flops_per_second peak : a.dense_peaks) any = any || peak > 0_TFLOPS;
  return !a.id.empty() && !a.name.empty() && a.made_by != vendor::unknown && a.family != architecture::unknown &&
         a.kind != device_class::unknown && a.form != form_factor::unknown && a.memory_type != memory_type::unknown &&
         a.year >= 2016 && a.memory_sold > bytes{} && a.bandwidth > 0_GBps && any && a.scale_up.domain >= 1_dev;
}));
// A part does not lack what it has a rate for.
static_assert(every_row([](const accelerator& a) {
  for (std::size_t m = 0; m < math_kinds; ++m)
    if (a.dense_peaks[m] > 0_TFLOPS && (a.lacks >> m & 1) != 0) return false;
  return true;
}));

// Names.
static_assert(find_accelerator("NVIDIA H200").whole == &catalog::h200_sxm);
static_assert(id_of("NVIDIA H200 NVL") == "h200-nvl" && id_of("H200-SXM-141GB") == "h200-sxm");
static_assert(id_of("NVIDIA H100 80GB HBM3") == "h100-sxm" && id_of("h100 80gb hbm3") == "h100-sxm");
static_assert(id_of("NVIDIA_A100-SXM4-80GB") == "a100-sxm-80gb" && id_of("NVIDIA A100 80GB PCIe") == "a100-pcie-80gb");
static_assert(id_of("Tesla T4") == "t4" && id_of("GeForce RTX 4090") == "rtx-4090" && id_of("nvidia l4") == "l4");
static_assert(id_of("AMD_Instinct_MI300X") == "mi300x" && id_of("mi300x") == "mi300x");
static_assert(id_of("v5litepod") == "tpu-v5e" && id_of("trn2") == "trainium2" && id_of("HL-325L") == "gaudi3");
static_assert(id_of("8 x NVIDIA H100-SXM5-80GB GPUs (700 W)") == "h100-sxm" &&
              id_of("A100 40GB PCIe") == "a100-pcie-40gb");
static_assert(id_of("L40") == "l40" && id_of("L4") == "l4" && id_of("GH200 480GB") == "gh200-96gb");
static_assert(id_of("10de:2330") == "h100-sxm" && id_of("DGX H100") == "h100-sxm");
static_assert(find_accelerator("A100 SXM4 80GB MIG 1g.10gb").row().compute_units == 14);
static_assert(is("H100", accelerator_match::ambiguous, 5) && is("nvidia h100", accelerator_match::ambiguous, 5));
static_assert(is("H200", accelerator_match::ambiguous, 2) && is("A100", accelerator_match::ambiguous, 5));
static_assert(find_accelerator("A100 80GB").candidates[0] == &catalog::a100_sxm_80gb);
static_assert(is("MI350", accelerator_match::ambiguous, 2) && is("TPU v5", accelerator_match::ambiguous, 2));
static_assert(is("", accelerator_match::unknown, 0));

}  // namespace
