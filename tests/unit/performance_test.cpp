// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <ullage/catalog.hpp>
#include <ullage/catalog/models.hpp>
#include <ullage/performance.hpp>

#include "support/catch.hpp"

using namespace ullage;
using Catch::Approx;

namespace {

/// Nominal rates and no fixed times: what is left is the arithmetic of the formulas.
constants nominal() {
  return constants{};
}

plan_point llama_70b(std::int64_t tp) {
  plan_point p;
  p.model = &catalog::llama_3_1_70b;
  p.part = catalog::h200_sxm;
  p.layout.tp = tp;
  p.engine = vllm();
  return p;
}
double ms(const seconds& s) {
  return value_of(s) * 1e3;
}

}  // namespace

TEST_CASE("a GEMM is the root of compute and memory") {
  // 16 tokens through 8192 × 8192 in bf16 on H200: 2.147 GFLOP / 989.4 TFLOP/s = 2.17 µs; 134.7 MB / 4.8 TB/s = 28.07 µs.
  const op_time t = gemm(16, 8192, 8192, formats::bf16, catalog::h200_sxm, nominal());
  REQUIRE(t.problem == time_problem::none);
  const double compute = 2.0 * 16 * 8192 * 8192 / 989.4e12;
  const double memory = (2.0 * 8192 * 8192 + 2.0 * 16 * 8192 + 2.0 * 16 * 8192) / 4.8e12;
  CHECK(value_of(t.time.mid) == Approx(std::sqrt(compute * compute + memory * memory)));
  CHECK(ms(t.time.mid) == Approx(0.02815).epsilon(1e-3));
  CHECK(t.limited_by == bound::memory);
  CHECK(gemm(8192, 8192, 8192, formats::bf16, catalog::h200_sxm, nominal()).limited_by == bound::compute);
  CHECK(value_of(t.compute + t.memory + t.network + t.overhead) == Approx(value_of(t.time.mid)));
}

TEST_CASE("a format that the part lacks runs wider with its own bytes") {
  const constants c = constants_for(catalog::a100_sxm_80gb);
  const op_time narrow = gemm(16, 8192, 8192, formats::fp8, catalog::a100_sxm_80gb, c);
  CHECK(narrow.computes_as == math::bf16);
  CHECK(narrow.fell_back);
  const op_time wide = gemm(16, 8192, 8192, formats::bf16, catalog::a100_sxm_80gb, c);
  CHECK_FALSE(wide.fell_back);
  CHECK(narrow.time.mid < wide.time.mid);
  CHECK_FALSE(gemm(16, 8192, 8192, formats::fp8, catalog::h200_sxm, c).fell_back);
  CHECK(math_on(catalog::h200_sxm, math::fp4) == math::bf16);
  CHECK(math_on(catalog::t4, math::bf16) == math::fp16);
}

TEST_CASE("bad operations have a problem and no time") {
  const constants c = nominal();
  CHECK(gemm(0, 8, 8, formats::bf16, catalog::h200_sxm, c).problem == time_problem::bad_load);
  CHECK(gemm(8, 8, 8, number_format{}, catalog::h200_sxm, c).problem == time_problem::unknown_format);
  accelerator unknown;
  CHECK(gemm(8, 8, 8, formats::bf16, unknown, c).problem == time_problem::no_bandwidth);
  unknown.bandwidth = catalog::h200_sxm.bandwidth;
  CHECK(gemm(8, 8, 8, formats::bf16, unknown, c).problem == time_problem::no_peak);
  CHECK(roofline(of<operations>(-1.0), bytes{}, math::bf16, catalog::h200_sxm, c).problem == time_problem::bad_load);
  CHECK(value_of(gemm(0, 8, 8, formats::bf16, catalog::h200_sxm, c).time.high) == 0.0);
}

TEST_CASE("attention counts pairs and cached bytes") {
  CHECK(causal_pairs(4, 0) == 10);
  CHECK(causal_pairs(4, 6) == 34);
  constants c = nominal();
  const attention a = catalog::llama_3_1_70b.kinds[0].attention;
  // 64 heads, 8,192 tokens: 2·64·(128 + 128)·8192·8193/2 FLOP.
  const double flop = 2.0 * 64 * 256 * 8192.0 * 8193 / 2;
  CHECK(value_of(prefill_attention(a, formats::bf16, of<sequences>(1), of<tokens>(8192), {}, 1, catalog::h200_sxm, c)
                     .compute) == Approx(flop / 989.4e12).epsilon(.01));

  // Decode streams max(1, kv_heads/tp)·(128 + 128)·2 bytes a token; beyond 8 ranks heads are repeated.
  const auto stream = [&](std::int64_t tp, const number_format& f) {
    return value_of(decode_attention(a, f, of<sequences>(32), of<tokens>(99999), tp, catalog::h200_sxm, c).memory) *
           4.8e12 / (32 * 100000.0);
  };
  CHECK(stream(1, formats::bf16) == Approx(4096).epsilon(.02));
  CHECK(stream(8, formats::bf16) == Approx(512).epsilon(.02));
  CHECK(stream(16, formats::bf16) == Approx(512).epsilon(.02));
  CHECK(stream(8, formats::fp8) == Approx(256).epsilon(.02));

  // A latent is whole on every rank: 576 elements, and 2·heads·(2·512 + 64) FLOP a cached token.
  const attention mla = catalog::deepseek_v3.kinds[0].attention;
  const detail::local_attention l = detail::attention_on_rank(mla, formats::bf16, 8, 1);
  CHECK(l.cache_bytes == 1152);
  CHECK(l.decode_flop == 2 * 16 * 1088);
  CHECK(l.score_dim == 192);
  CHECK(l.value_dim == 128);
}

TEST_CASE("distinct experts") {
  CHECK(distinct_experts(256, 8, 1) == Approx(8));
  CHECK(distinct_experts(256, 8, 32) == Approx(256 * (1 - std::pow(1 - 8.0 / 256, 32))));
  CHECK(distinct_experts(256, 8, 1e6) == Approx(256));
  CHECK(distinct_experts(8, 8, 3) == 8);
  CHECK(distinct_experts(0, 8, 3) == 0);
  CHECK(distinct_experts(256, 8, 0) == 0);
}

TEST_CASE("routed experts stream the weights that tokens reach") {
  const feed_forward f = catalog::qwen3_235b_a22b.kinds[0].feed_forward;
  const constants c = nominal();
  const op_time one = experts(f, 4096, formats::bf16, of<tokens>(1), 1, 1, catalog::h200_sxm, c);
  CHECK(value_of(one.time.mid) * 4.8e12 == Approx(8.0 * 3 * 4096 * 1536 * 2).epsilon(.01));
  const op_time spread = experts(f, 4096, formats::bf16, of<tokens>(1), 1, 8, catalog::h200_sxm, c);
  CHECK(value_of(spread.time.mid) == Approx(value_of(one.time.mid) / 8).epsilon(.01));
  CHECK(experts(feed_forward{}, 4096, formats::bf16, of<tokens>(1), 1, 1, catalog::h200_sxm, c).problem ==
        time_problem::bad_load);
}

TEST_CASE("collectives") {
  CHECK(wire_bytes(collective::all_reduce, 8, 4) == 12);
  CHECK(wire_bytes(collective::all_gather, 8, 4) == 6);
  CHECK(wire_bytes(collective::all_reduce, 8, 1) == 0);
  const constants c = constants_for(catalog::h200_sxm);
  const fabric& nvlink = catalog::h200_sxm.scale_up;
  const auto time_us = [&](collective what, std::int64_t n, std::int64_t group) {
    return ms(collective_time(what, of<bytes>(n), of<devices>(group), nvlink, c).time.mid) * 1e3;
  };
  // A decode step's message is a floor: 3.5 to 5.3 µs by the engine. A big one runs at the link: 1 GiB over 8 is 2·7/8 GiB
  // at 450 GB/s = 4.2 ms, and a little more since the switch reduces (4.0 ms measured).
  CHECK(time_us(collective::all_reduce, 16384, 8) == Approx(4.4).margin(1));
  CHECK(time_us(collective::all_reduce, 1 << 30, 8) == Approx(4176).epsilon(.06));
  CHECK(time_us(collective::all_reduce, 1 << 20, 1) == 0.0);

  const bytes message = of<bytes>(1 << 20);
  CHECK(collective_time(collective::all_reduce, message, of<devices>(16), nvlink, c).problem ==
        time_problem::beyond_domain);
  CHECK(collective_time(collective::all_reduce, message, of<devices>(2), fabric{}, c).problem ==
        time_problem::no_fabric);
  fabric network;
  network.per_device = of<bytes_per_second>(50e9);
  const op_time two_nodes = collective_time(collective::all_reduce, message, of<devices>(16), nvlink, c, network);
  CHECK(two_nodes.problem == time_problem::none);
  CHECK(two_nodes.time.mid > collective_time(collective::all_reduce, message, of<devices>(8), nvlink, c).time.mid);
  // Two of eight on a mesh reach one link, not the sum.
  const constants amd = constants_for(catalog::mi300x);
  const bytes large = of<bytes>(1 << 28);
  CHECK(
      value_of(collective_time(collective::all_reduce, large, of<devices>(2), catalog::mi300x.scale_up, amd).time.mid) >
      2 * value_of(
              collective_time(collective::all_reduce, large, of<devices>(8), catalog::mi300x.scale_up, amd).time.mid));
}

TEST_CASE("constants say where they come from") {
  const constants own = constants_for(catalog::h200_sxm);
  CHECK(own.gemm[static_cast<std::size_t>(math::bf16)].compute.from == basis::fitted);
  CHECK(own.relative == "h200-sxm");
  const constants kin = constants_for(catalog::h100_pcie);
  CHECK(kin.gemm[static_cast<std::size_t>(math::bf16)].compute.from == basis::transferred);
  CHECK(kin.relative == "h100-sxm");
  const attained& k = kin.gemm[static_cast<std::size_t>(math::bf16)].compute;
  CHECK(k.high / k.mid == Approx(1.17));
  CHECK(constants_for(catalog::rtx_5090).relative == "rtx-pro-6000");
  CHECK(constants_for(catalog::a100_sxm_40gb).relative == "a100-sxm");
  const constants none = constants_for(catalog::tpu_v5e);
  CHECK(none.relative.empty());
  CHECK(none.gemm[static_cast<std::size_t>(math::bf16)].compute.high == Approx(.65 * 1.4));
  // All fractions are fractions, slow end first.
  for (const accelerator* a : {&catalog::h200_sxm, &catalog::b200, &catalog::l40s, &catalog::t4, &catalog::mi300x,
                               &catalog::gaudi3, &catalog::tpu_v6e}) {
    const constants c = constants_for(*a);
    for (std::size_t i = 0; i < math_kinds; ++i)
      for (const attained& x : {c.gemm[i].compute, c.gemm[i].memory, c.experts[i].compute, c.experts[i].memory,
                                c.attention[attention_op::decode].kernel.memory}) {
        CHECK(x.low > 0);
        CHECK(x.low <= x.mid);
        CHECK(x.mid <= x.high);
        CHECK(x.high <= 1);
      }
    CHECK_FALSE(c.source.empty());
  }
}

TEST_CASE("a decode step by hand") {
  // docs/formulas/performance.md works this example: Llama-3.1-70B in bf16 on one H200, nominal rates, one sequence at 8,191.
  const plan_point p = llama_70b(1);
  const step_time t = step(p, phase::decode, of<sequences>(1), of<tokens>(8191), {}, nominal());
  REQUIRE(t.problem == time_problem::none);
  // Weights without the embedding: 80 layers of 855,638,016 elements and the head, 8192 × 128256; cache 8192 · 327,680 B.
  const double weights = 2.0 * (80 * 855638016.0 + 8192.0 * 128256);
  CHECK(ms(t.linear.mid + t.head.mid) == Approx(weights / 4.8e12 * 1e3).epsilon(.005));
  CHECK(ms(t.attention.mid) == Approx(8192 * 327680.0 / 4.8e12 * 1e3).epsilon(.02));
  CHECK(ms(t.total.mid) == Approx(29.5).epsilon(.01));
  CHECK(t.limited_by == bound::memory);
}

TEST_CASE("a prefill by hand") {
  // The same model, 4,096 tokens: 2 FLOP a weight and token, attention 2·64·256·4096·4097/2 a layer, head for one position.
  const step_time t = step(llama_70b(1), phase::prefill, of<sequences>(1), {}, of<tokens>(4096), nominal());
  CHECK(ms(t.linear.mid) == Approx(2.0 * 80 * 855638016.0 * 4096 / 989.4e12 * 1e3).epsilon(.01));
  CHECK(ms(t.attention.mid) == Approx(80 * 2.0 * 64 * 256 * 4096 * 4097 / 2 / 989.4e12 * 1e3).epsilon(.02));
  CHECK(t.limited_by == bound::compute);
}

TEST_CASE("layouts") {
  const constants c = constants_for(catalog::h200_sxm);
  const auto at = [&](const plan_point& p) {
    return step(p, phase::decode, of<sequences>(32), of<tokens>(4096), {}, c);
  };
  CHECK(at(llama_70b(8)).total.mid < at(llama_70b(1)).total.mid);
  CHECK(value_of(at(llama_70b(1)).collectives.mid) == 0.0);

  plan_point pipeline = llama_70b(2);
  pipeline.layout.pp = 4;
  const step_time piped = at(pipeline);
  CHECK(piped.total.mid > at(llama_70b(2)).total.mid);  // the same work and three sends
  CHECK(value_of(piped.slowest_stage) < .35 * value_of(piped.total.mid));

  plan_point experts;
  experts.model = &catalog::deepseek_v3;
  experts.part = catalog::h200_sxm;
  experts.engine = vllm();
  experts.layout.tp = 8;
  const step_time divided = at(experts);
  CHECK(divided.problem == time_problem::none);
  CHECK(value_of(divided.experts.mid) > 0.0);
  experts.layout.tp = 1;
  experts.layout.dp = 8;
  experts.layout.ep = 8;
  const step_time spread = at(experts);
  CHECK(spread.problem == time_problem::none);
  CHECK(value_of(spread.collectives.mid) > 0.0);

  plan_point wide = llama_70b(16);
  CHECK(at(wide).problem == time_problem::beyond_domain);
  wide.scale_out.per_device = of<bytes_per_second>(50e9);
  CHECK(at(wide).problem == time_problem::none);
  wide.layout.tp = 3;
  CHECK(at(wide).problem == time_problem::layout);
  wide.model = nullptr;
  CHECK(at(wide).problem == time_problem::empty_model);
  CHECK(step(llama_70b(8), step_work{}, c).problem == time_problem::bad_load);
  CHECK(step(llama_70b(8), phase::prefill, of<sequences>(1), {}, {}, c).problem == time_problem::bad_load);
}

TEST_CASE("a mixed step costs less than its two halves") {
  const plan_point p = llama_70b(8);
  const constants c = constants_for(p.part);
  step_work both;
  both.prefill = of<sequences>(1);
  both.new_tokens = of<tokens>(1024);
  both.decode = of<sequences>(32);
  both.context = of<tokens>(4096);
  const seconds mixed = step(p, both, c).total.mid;
  const seconds pre = step(p, phase::prefill, of<sequences>(1), {}, of<tokens>(1024), c).total.mid;
  const seconds dec = step(p, phase::decode, of<sequences>(32), of<tokens>(4096), {}, c).total.mid;
  CHECK(mixed < pre + dec);
  CHECK(mixed > pre);
}

TEST_CASE("steady state") {
  const plan_point p = llama_70b(8);
  const constants c = constants_for(p.part);
  traffic w;
  w.input_tokens = of<tokens>(1024);
  w.output_tokens = of<tokens>(1024);
  w.concurrency = of<sequences>(1);
  const service alone = perf(p, w, c);
  REQUIRE(alone.problem == time_problem::none);
  CHECK(value_of(alone.tpot.mid) == Approx(value_of(alone.decode.total.mid)));  // nobody interrupts

  w.concurrency = of<sequences>(64);
  const service busy = perf(p, w, c);
  CHECK(value_of(busy.tpot.mid) ==
        Approx(value_of(busy.decode.total.mid) + 63.0 / 1024 * value_of(busy.prefill.total.mid)));
  CHECK(value_of(busy.output_per_device.mid) == Approx(value_of(busy.output.mid) / 8));
  CHECK(value_of(busy.total_per_device.mid) == Approx(2 * value_of(busy.output_per_device.mid)));
  CHECK(busy.limit == service_limit::offered);

  SECTION("a cache that holds less makes the rest wait") {
    w.kv_concurrency = of<sequences>(16);
    const service capped = perf(p, w, c);
    CHECK(capped.limit == service_limit::kv_cache);
    CHECK(capped.running == 16);
    CHECK(value_of(capped.ttft.mid) > 3 * value_of(busy.ttft.mid));
    CHECK(value_of(capped.output.mid) < value_of(busy.output.mid));
  }
  SECTION("a hit in the prefix cache shortens the first token") {
    w.prefix_hit = .9;
    CHECK(perf(p, w, c).ttft.mid < busy.ttft.mid);
  }
  SECTION("an open loop follows Little's law") {
    w.concurrency = {};
    w.request_rate = value_of(busy.output.mid) / 1024 / 2;
    const service open = perf(p, w, c);
    CHECK(open.limit == service_limit::offered);
    CHECK(value_of(open.output.mid) == Approx(w.request_rate * 1024));
    CHECK(open.running < 64);
    CHECK(open.running ==
          Approx(w.request_rate * (1023 * value_of(open.tpot.mid) + value_of(open.prefill.total.mid))).epsilon(.02));
    w.request_rate = 1e6;
    const service flooded = perf(p, w, c);
    CHECK(flooded.limit == service_limit::saturated);
    CHECK(value_of(flooded.ttft.mid) == std::numeric_limits<double>::infinity());
    CHECK(std::isfinite(value_of(flooded.output.high)));
  }
  SECTION("a pipeline is filled by as many batches as stages") {
    plan_point q = llama_70b(2);
    q.layout.pp = 4;
    const service piped = perf(q, w, c);
    CHECK(piped.problem == time_problem::none);
    CHECK(value_of(piped.tpot.mid) >= .99 * value_of(piped.decode.total.mid));
  }
  SECTION("bad traffic") {
    w.output_tokens = {};
    CHECK(perf(p, w, c).problem == time_problem::bad_load);
    w.output_tokens = of<tokens>(1);
    w.concurrency = {};
    CHECK(perf(p, w, c).problem == time_problem::bad_load);
    w.request_rate = std::numeric_limits<double>::quiet_NaN();
    CHECK(perf(p, w, c).problem == time_problem::bad_load);
  }
}
