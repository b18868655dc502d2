// SPDX-License-Identifier: Apache-2.0
// Published facts of the catalogue, and how names are found.
#include <ullage/catalog.hpp>

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::string_view id_of(std::string_view name) {
  const accelerator_match m = find_accelerator(name);
  return m.outcome == accelerator_match::found ? m.row->id : std::string_view("not found");
}
constexpr bool is(std::string_view name, accelerator_match::outcome_kind outcome, std::size_t candidates) {
  const accelerator_match m = find_accelerator(name);
  return m.outcome == outcome && m.row == nullptr && m.candidates.size() == candidates;
}
constexpr double ridge(const accelerator& a, math m) {
  return value_of(a.peak(m)) / value_of(a.bandwidth);
}

template <class Predicate>
constexpr bool every_row(Predicate good) {
  for (const accelerator& a : catalog::accelerators)
    if (!good(a)) return false;
  return true;
}

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
static_assert(catalog::mi325x.memory_basis == basis::unverified, "no print of a driver is published");
static_assert(catalog::tpu_v5e.memory_sold == 16_GB && catalog::tpu_v5e.visible_memory() > 17_GB);
static_assert(catalog::trainium2.visible_memory() == 96_GiB && catalog::trainium2.memory_basis == basis::datasheet);
static_assert(catalog::gaudi3.visible_memory() == 128_GB);

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
static_assert(catalog::tpu_v5e.scale_up.usable(16_dev) == 200_GBps);
static_assert(catalog::tpu_v5p.scale_up.usable(64_dev) == 600_GBps);

// Every row.
static_assert(catalog::accelerators.size() >= 24);
static_assert(every_row([](const accelerator& a) {
  return !a.id.empty() && !a.name.empty() && a.made_by != vendor::unknown && a.family != architecture::unknown &&
         a.year >= 2018 && a.memory_sold > bytes{} && a.visible_memory() > bytes{} && a.bandwidth > 0_GBps &&
         a.peak(math::fp16) + a.peak(math::bf16) > 0_TFLOPS && a.scale_up.domain > 1_dev;
}));
// Labels are binary in all but name: no driver shows more than the label read as GiB, none less than 15/16 of it.
static_assert(every_row([](const accelerator& a) {
  const double label = real(a.memory_sold) / 1e9 * 1073741824.0;
  const double share = real(a.memory_driver) / label;
  return a.memory_basis != basis::driver || (share <= 1.0 && share >= 0.93);
}));
// FLOP per byte where compute takes over from memory: a sparse peak or a slipped unit leaves this range.
static_assert(every_row([](const accelerator& a) {
  return a.peak(math::bf16) == 0_TFLOPS || (ridge(a, math::bf16) > 50.0 && ridge(a, math::bf16) < 700.0);
}));
static_assert(every_row([](const accelerator& a) { return find_accelerator(a.id).row->id == a.id; }));
static_assert(every_row([](const accelerator& a) { return find_accelerator(a.name).row->id == a.id; }));

// Names.
static_assert(find_accelerator("NVIDIA H200").row == &catalog::h200_sxm);
static_assert(id_of("NVIDIA H200 NVL") == "h200-nvl" && id_of("H200-SXM-141GB") == "h200-sxm");
static_assert(id_of("NVIDIA H100 80GB HBM3") == "h100-sxm" && id_of("h100 80gb hbm3") == "h100-sxm");
static_assert(id_of("NVIDIA_A100-SXM4-80GB") == "a100-sxm-80gb" && id_of("NVIDIA A100 80GB PCIe") == "a100-pcie-80gb");
static_assert(id_of("Tesla T4") == "t4" && id_of("GeForce RTX 4090") == "rtx-4090" && id_of("nvidia l4") == "l4");
static_assert(id_of("AMD_Instinct_MI300X") == "mi300x" && id_of("mi300x") == "mi300x");
static_assert(id_of("v5litepod") == "tpu-v5e" && id_of("trn2") == "trainium2" && id_of("HL-325L") == "gaudi3");
static_assert(is("H100", accelerator_match::ambiguous, 3) && is("nvidia h100", accelerator_match::ambiguous, 3));
static_assert(is("H200", accelerator_match::ambiguous, 2) && is("A100", accelerator_match::ambiguous, 4));
static_assert(find_accelerator("A100 80GB").candidates[0] == &catalog::a100_sxm_80gb);
static_assert(is("MI350", accelerator_match::ambiguous, 2) && is("TPU v5", accelerator_match::ambiguous, 2));
static_assert(is("L40", accelerator_match::unknown, 3), "a part of its own, not an L40S");
static_assert(is("H2000", accelerator_match::unknown, 3));
static_assert(find_accelerator("H2000").candidates[0] == &catalog::h200_sxm);
static_assert(find_accelerator("H2000").candidates[1] == &catalog::h200_nvl);
static_assert(is("", accelerator_match::unknown, 0) && is("nvidia", accelerator_match::unknown, 3));
static_assert(is("AMD H100", accelerator_match::unknown, 3), "the vendor word has to be the part's");

}  // namespace
