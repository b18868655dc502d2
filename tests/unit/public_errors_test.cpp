// SPDX-License-Identifier: Apache-2.0
// Errors that public tables of hardware make, one test each; the name of the test says where the wrong figure stands.
#include <initializer_list>
#include <string>
#include <string_view>
#include <ullage/catalog.hpp>
#include <ullage/catalog/find_system.hpp>
#include <ullage/catalog/sources.hpp>
#include <ullage/hardware.hpp>
#include <ullage/performance.hpp>

#include "support/catch.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)
using Catch::Approx;

namespace {

constexpr double gib = 1073741824.0;

double tflops(const accelerator& a, math m) {
  return value_of(a.peak(m)) / 1e12;
}
double gb_per_s(const bytes_per_second& rate) {
  return value_of(rate) / 1e9;
}
double mib(const bytes& b) {
  return real(b) / 1048576.0;
}
double gb(const bytes& b) {
  return real(b) / 1e9;
}

/// The figure is `right` within rounding, and none of those that are stated elsewhere.
void is(std::string_view what, double ours, double right, std::initializer_list<double> wrong) {
  INFO(what);
  CHECK(ours == Approx(right).epsilon(.001));
  for (double w : wrong) CHECK(ours != Approx(w).epsilon(.001));
}

/// The parts that a name may stand for.
accelerator_match several(std::string_view name) {
  const accelerator_match m = find_accelerator(name);
  INFO(name);
  REQUIRE(m.outcome == accelerator_match::ambiguous);
  return m;
}

/// A recorded figure that no row carries, as it is written.
std::string figure(std::string_view part, std::string_view name) {
  for (const catalog::sourced_figure& f : catalog::accelerator_figures)
    if (part == f.of && name == f.figure) return f.value;
  return {};
}

}  // namespace

TEST_CASE("inference-sim/inference-sim hardware_config.json: L40S fp8 1466 is the sparse rate", "[public_error]") {
  is("L40S fp8", tflops(catalog::l40s, math::fp8), 733, {1466});
  is("L40S int8", tflops(catalog::l40s, math::int8), 733, {1466});
}

TEST_CASE("abhibambhaniya/GenZ-LLM-Analyzer Systems/system_configs.py: sparse bf16 of GH200, B100 and GB200 as dense",
          "[public_error]") {
  for (const accelerator* a : several("GH200").candidates) is(a->name, tflops(*a, math::bf16), 989.4, {1979, 1978.9});
  is("B100", tflops(catalog::b100, math::bf16), 1750, {3500});
  is("GB200", tflops(catalog::gb200, math::bf16), 2500, {4500, 5000});
  is("B200", tflops(catalog::b200, math::bf16), 2250, {4500});
}

TEST_CASE("alibaba/InferSim hardware/gpu.py: 13400 as the GB/s of a GB200", "[public_error]") {
  is("GB200", gb_per_s(catalog::gb200.bandwidth), 8000, {13400, 16000});
  const hardware_system* rack = find_system("GB200 NVL72");
  REQUIRE(rack != nullptr);
  REQUIRE(rack->part == &catalog::gb200);
  // 13.4 TB are the memory of the whole rack.
  const double devices = static_cast<double>(rack->accelerators.value());
  CHECK(devices == 72);
  CHECK(gb(rack->part->memory_sold) * devices == Approx(13400).epsilon(.01));
  is("rack, TB/s", gb_per_s(rack->part->bandwidth) * devices / 1e3, 576, {13.4, 13.4 * 72});
}

TEST_CASE("huggingface/huggingface.js packages/tasks/src/hardware-nvidia.ts: H100 267.6 is not the tensor rate",
          "[public_error]") {
  is("H100 SXM", tflops(catalog::h100_sxm, math::bf16), 989.4, {267.6, 133.8, 1979});
  for (const accelerator* a : several("H100").candidates) {
    INFO(a->name);
    CHECK(tflops(*a, math::fp16) >= 756);
    CHECK(tflops(*a, math::fp16) < 990);
  }
}

TEST_CASE("huggingface/huggingface.js packages/tasks/src/hardware.ts: MI300 383 is of MI250X", "[public_error]") {
  is("MI300X", tflops(catalog::mi300x, math::fp16), 1307.4, {383, 2614.9});
  is("MI250X", tflops(catalog::mi250x, math::fp16), 383, {1307.4});
  for (const accelerator* a : several("MI300").candidates) {
    INFO(a->name);
    CHECK(a->family == architecture::cdna3);
    CHECK(tflops(*a, math::fp16) > 980);
  }
}

TEST_CASE("huggingface/huggingface.js packages/tasks/src/hardware-nvidia.ts: compute capability of B300 and GB10",
          "[public_error]") {
  CHECK(catalog::b300.target == "sm_103");
  CHECK(catalog::gb300.target == "sm_103");
  CHECK(catalog::gb10.target == "sm_121");
  CHECK(catalog::b200.target == "sm_100");
  for (const accelerator& a : catalog::accelerators) {
    INFO(a.name);
    CHECK((a.target == "sm_103") == (a.family == architecture::blackwell_ultra));
    CHECK((a.target == "sm_121") == (a.id == "gb10"));
  }
}

TEST_CASE("huggingface/huggingface.js packages/tasks/src/hardware.ts: MI355X fp8 10.1 PFLOP/s is the sparse rate",
          "[public_error]") {
  is("MI355X fp8", tflops(catalog::mi355x, math::fp8), 5033.2, {10100, 10066.3});
}

TEST_CASE("stas00/ml-engineering compute/accelerator/README.md: A100 fp8 624", "[public_error]") {
  for (const accelerator* a : several("A100").candidates) {
    INFO(a->name);
    CHECK(a->supports(math::fp8) == support::lacking);
    CHECK(a->supports(math::fp4) == support::lacking);
    CHECK(a->peak(math::fp8) == flops_per_second{});
    CHECK(a->runs_as(math::fp8) == math::bf16);
  }
  is("A100 int8", tflops(catalog::a100_sxm_80gb, math::int8), 624, {1248});
}

TEST_CASE("stas00/ml-engineering compute/accelerator/README.md: int8 of B300 and GB300 copied from B200 and GB200",
          "[public_error]") {
  is("B300", tflops(catalog::b300, math::int8), 153.5, {4500, 9000});
  is("GB300", tflops(catalog::gb300, math::int8), 165, {5000, 10000});
  is("B200", tflops(catalog::b200, math::int8), 4500, {153.5});
  is("GB200", tflops(catalog::gb200, math::int8), 5000, {165});
}

TEST_CASE("cli99/llm-analysis llm_analysis/gpu_configs: sizes of A10 and V100, NVLink of A100 PCIe, bits as bytes",
          "[public_error]") {
  is("A10", gb(catalog::a10.memory_sold), 24, {28});
  CHECK(find_accelerator("A10 24GB").whole == &catalog::a10);
  CHECK(find_accelerator("A10 28GB").outcome == accelerator_match::unknown);
  const accelerator_match v100 = find_accelerator("V100-SXM2-16GB");
  REQUIRE(v100.whole == &catalog::v100_sxm_16gb);
  is("V100 16GB", gb(v100.whole->memory_sold), 16, {32});
  for (const accelerator* a : {&catalog::a100_pcie_80gb, &catalog::a100_pcie_40gb}) {
    INFO(a->name);
    CHECK(a->scale_up.shape == topology::pair_bridge);
    CHECK(gb_per_s(a->scale_up.usable(of<devices>(2))) == Approx(300));
    for (int n : {4, 8}) CHECK(a->scale_up.usable(of<devices>(n)) == bytes_per_second{});
  }
  CHECK(gb_per_s(catalog::a100_sxm_80gb.scale_up.usable(of<devices>(8))) == Approx(300));
  is("InfiniBand HDR, 200 Gb/s", gb_per_s(catalog::ib_hdr.per_device), 25, {200, 50});
  is("InfiniBand NDR, 400 Gb/s", gb_per_s(catalog::ib_ndr.per_device), 50, {400, 100});
}

TEST_CASE("calculon-ai/calculon systems/h100_80g_nvl8.json, a100_80e.json: 3072 GB/s, and bytes where GiB are asked",
          "[public_error]") {
  is("H100 SXM", gb_per_s(catalog::h100_sxm.bandwidth), 3350, {3072});
  for (const accelerator* a : {&catalog::a100_sxm_80gb, &catalog::a100_pcie_80gb}) {
    is(a->name, gb(a->memory_sold), 80, {8e10, 8e10 * 1.073741824});
    CHECK(real(a->visible_memory()) / gib > 78);
    CHECK(real(a->visible_memory()) / gib < 80);
  }
}

TEST_CASE("AlexsJones/llmfit llmfit-core/src/hardware.rs: five slips", "[public_error]") {
  SECTION("compute capability of the RTX 50 series is 12.0, not 10.0") {
    int parts = 0;
    for (const accelerator& a : catalog::accelerators) {
      if (a.family != architecture::blackwell_rtx || a.form == form_factor::soc) continue;
      INFO(a.name);
      CHECK(a.target == "sm_120");
      ++parts;
    }
    CHECK(parts >= 10);
  }
  SECTION("RTX 5060 and RX 9070") {
    is("RTX 5060", gb_per_s(catalog::rtx_5060.bandwidth), 448, {256});
    is("RX 9070", gb_per_s(catalog::rx_9070.bandwidth), 640, {488});
  }
  SECTION("there is no M4 Ultra") {
    for (const char* name : {"M4 Ultra", "Apple M4 Ultra", "apple-m4-ultra"}) {
      INFO(name);
      CHECK(find_accelerator(name).outcome == accelerator_match::unknown);
      CHECK(find_accelerator(name).whole == nullptr);
    }
    CHECK(find_accelerator("M3 Ultra").outcome != accelerator_match::unknown);
  }
  SECTION("the driver's name of an H100 SXM does not say SXM") {
    const accelerator_match m = find_accelerator("NVIDIA H100 80GB HBM3");
    REQUIRE(m.outcome == accelerator_match::found);
    REQUIRE(m.whole == &catalog::h100_sxm);
    is("bandwidth", gb_per_s(m.whole->bandwidth), 3350, {2039, 2000});
    REQUIRE(find_accelerator("NVIDIA H100 PCIe").whole == &catalog::h100_pcie);
    is("PCIe", gb_per_s(catalog::h100_pcie.bandwidth), 2039, {3350});
  }
}

TEST_CASE("dstackai/gpuhunt src/gpuhunt/_internal/constraints.py: MI325X 288 GB, B300 compute capability 10.0",
          "[public_error]") {
  is("MI325X", gb(catalog::mi325x.memory_sold), 256, {288});
  CHECK(find_accelerator("MI325X 256GB").whole == &catalog::mi325x);
  CHECK(find_accelerator("MI325X 288GB").outcome == accelerator_match::unknown);
  CHECK(catalog::b300.target == "sm_103");
}

TEST_CASE("kaito-project/kaito pkg/sku: the GB of a label taken as GiB", "[public_error]") {
  // 80 "GB" are less than 80 GiB to a process, and more than 80·10^9 bytes.
  const bytes h100 = catalog::h100_sxm.visible_memory();
  CHECK(real(h100) < 80 * gib);
  CHECK(real(h100) > 80e9);
  is("H100, MiB of a process", mib(h100), 81090, {81920, 80e9 / 1048576});
  for (const accelerator& a : catalog::accelerators) {
    if (a.made_by != vendor::nvidia || a.memory_shared || a.memory_type == memory_type::sram) continue;
    INFO(a.name);
    CHECK(real(a.visible_memory()) < gb(a.memory_sold) * gib);
  }
}

TEST_CASE("EC2 DescribeInstanceTypes (aws/karpenter-provider-aws instance-types.md): labels counted as MiB",
          "[public_error]") {
  const accelerator_match g5 = find_accelerator("g5.xlarge");
  REQUIRE(g5.whole == &catalog::a10g);
  is("A10G", mib(g5.whole->memory_driver), 23028, {22888, 24576});
  is("L4", mib(catalog::l4.memory_driver), 23034, {22888, 24576});
  const hardware_system* p5e = find_system("p5e.48xlarge");
  REQUIRE(p5e != nullptr);
  REQUIRE(p5e->part == &catalog::h200_sxm);
  is("H200", mib(p5e->part->memory_driver), 143771, {144384});
}

TEST_CASE("mlcommons/inference_results, training_results **/systems/*.json: memory of H200 NVL and B200, L40S NVLink",
          "[public_error]") {
  is("H200 NVL", mib(catalog::h200_nvl.memory_driver), 143771, {96000});
  is("B200", mib(catalog::b200.memory_driver), 183359, {143771});
  CHECK(catalog::l40s.scale_up.reach == fabric_reach::host);
  CHECK(catalog::l40s.scale_up.shape == topology::host_only);
  is("L40S", gb_per_s(catalog::l40s.scale_up.per_device), 31.5, {900, 450});
}

TEST_CASE("NVIDIA Mission Control manual: NVLink 5 with 900 GB/s both ways a link", "[public_error]") {
  for (const fabric* f : {&catalog::nvlink_5_hgx, &catalog::nvlink_5_nvl72}) {
    INFO(f->name);
    REQUIRE(f->links == 18);
    const double link = gb_per_s(f->per_device) / f->links;
    is("a link, one way", link, 50, {450, 900});
    is("a link, both ways", 2 * link, 100, {900});
    is("a device, one way", gb_per_s(f->per_device), 900, {1800, 8100});
    is("a device, both ways", 2 * gb_per_s(f->per_device), 1800, {900, 16200});
  }
  CHECK(find_system("GB200 NVL72")->scale_up.domain == of<devices>(72));
  CHECK(catalog::b200.scale_up.domain == of<devices>(8));
}

TEST_CASE("ai-dynamo/aiconfigurator systems/*.yaml: labels of H200, H100 and B200 as GiB", "[public_error]") {
  is("H200", mib(catalog::h200_sxm.memory_driver), 143771, {141.0 * 1024});
  is("H100", mib(catalog::h100_sxm.memory_driver), 81559, {80.0 * 1024});
  is("B200", mib(catalog::b200.memory_driver), 183359, {180.0 * 1024, 192.0 * 1024});
}

TEST_CASE("ai-dynamo/aiconfigurator systems/b200_sxm.yaml: PCIe of the sixth generation", "[public_error]") {
  is("B200 to its host", gb_per_s(catalog::b200.host_link), 63, {121, 128});
  CHECK(catalog::b200.host_link == catalog::pcie_5_x16.per_device);
  CHECK(catalog::b200.host_link < catalog::pcie_6_x16.per_device);
}

TEST_CASE("ai-dynamo/aiconfigurator systems/data/**/nccl: message_size counts elements, not bytes", "[public_error]") {
  // All-reduce over eight H100: 268,435,456 elements of two bytes take 2.111 ms there; 1,048,576 of two bytes and
  // 2,097,152 of one take equally long, 0.038 ms.
  const double elements = 268435456;
  const double stated_ms = 2.1111;
  const accelerator& h100 = catalog::h100_sxm;
  const auto ms = [&](double message) {
    const op_time t = collective_time(collective::all_reduce, of<bytes>(truncate(message)), of<devices>(8),
                                      h100.scale_up, constants_for(h100));
    REQUIRE(t.problem == time_problem::none);
    return value_of(t.time.mid) * 1e3;
  };
  CHECK(ms(2 * elements) == Approx(stated_ms).epsilon(.1));
  CHECK(ms(elements) < .6 * stated_ms);
  // 512 MiB: bus bandwidth in GB/s one way, near the 450 of the links; not half and not twice.
  const double message = 512.0 * 1048576;
  const double bus = wire_bytes(collective::all_reduce, message, 8) / (ms(message) * 1e-3) / 1e9;
  CHECK(bus > 430);
  CHECK(bus < 490);
}

TEST_CASE("NVIDIA/k8s-test-infra mock profiles: placeholders of B200, GB300 and L40S", "[public_error]") {
  is("B200", mib(catalog::b200.memory_driver), 183359, {192.0 * 1024});
  is("GB300", mib(catalog::gb300.memory_driver), 284208, {288.0 * 1024});
  CHECK(catalog::gb300.target == "sm_103");
  CHECK(figure("l40s", "memory_bus_width") == "384");
  is("L40S", gb_per_s(catalog::l40s.bandwidth), 384 * 18.0 / 8, {256 * 18.0 / 8});
}

TEST_CASE("Lightning-AI/pytorch-lightning src/lightning/fabric/utilities/throughput.py: A10G 125 is the rate of A10",
          "[public_error]") {
  REQUIRE(find_accelerator("NVIDIA A10G").whole == &catalog::a10g);
  REQUIRE(find_accelerator("NVIDIA A10").whole == &catalog::a10);
  is("A10G", tflops(catalog::a10g, math::bf16), 70, {125, 140});
  is("A10", tflops(catalog::a10, math::bf16), 125, {70});
}

TEST_CASE("NVIDIA launch sheet and press: H100 NVL with the memory, bandwidth and sparse rate of a pair",
          "[public_error]") {
  REQUIRE(find_accelerator("NVIDIA H100 NVL").whole == &catalog::h100_nvl);
  is("memory", gb(catalog::h100_nvl.memory_sold), 94, {188});
  is("bandwidth", gb_per_s(catalog::h100_nvl.bandwidth), 3938, {7800, 7876});
  is("fp16", tflops(catalog::h100_nvl, math::fp16), 835.5, {3958, 1979, 1671});
  is("fp8", tflops(catalog::h100_nvl, math::fp8), 1671, {3958, 7916, 3342});
  CHECK(find_accelerator("H100 NVL 188GB").outcome == accelerator_match::unknown);
}

TEST_CASE("press: fp4 of MI350X and MI355X doubled", "[public_error]") {
  is("MI350X", tflops(catalog::mi350x, math::fp4), 9227.5, {18450});
  is("MI355X", tflops(catalog::mi355x, math::fp4), 10066.3, {20100, 20133});
}

TEST_CASE("press: one figure for all bins of Ascend 910B", "[public_error]") {
  const accelerator* bins[] = {&catalog::ascend_910b1, &catalog::ascend_910b, &catalog::ascend_910b3,
                               &catalog::ascend_910b4};
  double above = 401;
  for (const accelerator* a : bins) {
    INFO(a->name);
    CHECK(tflops(*a, math::fp16) >= 280);  // 256 is the Ascend 910 of 2019
    CHECK(tflops(*a, math::fp16) < above);
    CHECK(a->peaks_basis == basis::unverified);  // no data sheet is public
    above = tflops(*a, math::fp16);
    // Bins of 64 GB; the smallest has half of the memory and of its channels.
    const double share = gb(a->memory_sold) / gb(catalog::ascend_910b.memory_sold);
    is(a->name, gb_per_s(a->bandwidth), 1600 * share, {400, 1200, 3200});
  }
  CHECK(find_accelerator("Ascend910B2").whole == &catalog::ascend_910b);
  CHECK(find_accelerator("Ascend910B4").whole == &catalog::ascend_910b4);
}

TEST_CASE("jax-ml/jax jax/_src/tpu_info.py: TPU v3 140 TFLOP/s, v5p 2460 GB/s; the documentation is taken",
          "[public_error]") {
  is("TPU v3", tflops(catalog::tpu_v3, math::bf16), 123, {140});
  is("TPU v5p", gb_per_s(catalog::tpu_v5p.bandwidth), 2765, {2460});
}

TEST_CASE("listings of devices: H20 400 W where the driver prints a cap of 500", "[public_error]") {
  REQUIRE(find_accelerator("NVIDIA H20").whole == &catalog::h20);
  is("H20", value_of(catalog::h20.power), 500, {400});
}

TEST_CASE("fate-oracle.com and *.meltdown.zone: pages with altered figures are no source", "[public_error]") {
  const auto clean = [](std::string_view text) {
    for (std::string_view trap : {"fate-oracle", "meltdown.zone"})
      if (text.find(trap) != std::string_view::npos) return false;
    return true;
  };
  std::size_t read = 0;
  const auto all = [&](const auto& rows) {
    for (const auto& row : rows) {
      INFO(row.source);
      REQUIRE(clean(row.source));
      ++read;
    }
  };
  all(catalog::accelerator_figures);
  all(catalog::fabric_figures);
  all(catalog::system_figures);
  all(catalog::partition_figures);
  all(catalog::written_names);
  all(catalog::other_figures);
  all(catalog::absent_parts);
  CHECK(read > 10000);
}
