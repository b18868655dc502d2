// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <ullage/catalog.hpp>
#include <ullage/catalog/find_system.hpp>
#include <ullage/catalog/models.hpp>
#include <ullage/catalog/residual_grids.hpp>
#include <ullage/performance.hpp>
#include <ullage/performance/constant_names.hpp>
#include <ullage/performance/measured_hull.hpp>

#include "support/catch.hpp"

using namespace ullage;
using Catch::Approx;

namespace {

const accelerator& h200 = catalog::h200_sxm;

op moving(op_kind kind, std::int64_t rows, std::int64_t inner) {
  op o;
  o.kind = kind;
  o.rows = rows;
  o.inner = inner;
  return o;
}
/// DeepSeek-V3's routed experts.
op deepseek_experts(std::int64_t tokens_all, std::int64_t tp, std::int64_t ep) {
  op o;
  o.kind = op_kind::experts;
  o.rows = tokens_all;
  o.inner = 7168;
  o.weights = formats::fp8_block;
  o.experts.kind = feed_forward_kind::experts;
  o.experts.experts = 256;
  o.experts.experts_per_token = 8;
  o.experts.expert_inner = 2048;
  o.tp = tp;
  o.ep = ep;
  return o;
}
/// Qwen3-Next's gated delta net: 32 value heads of 128 × 128, 8,192 channels of four taps.
op gated_delta(std::int64_t batch, std::int64_t new_tokens, std::int64_t tp = 1) {
  op o;
  o.kind = op_kind::recurrent;
  o.recurrent.kind = recurrent_kind::gated_delta;
  o.recurrent.heads = 32;
  o.recurrent.state = 32 * 128 * 128;
  o.recurrent.conv = 3 * 8192;
  o.batch = of<sequences>(batch);
  o.new_tokens = of<tokens>(new_tokens);
  o.tp = tp;
  return o;
}
op decode_of(const attention& a, std::int64_t batch, std::int64_t context, std::int64_t tp = 1) {
  op o;
  o.kind = op_kind::decode_attention;
  o.attention = a;
  o.batch = of<sequences>(batch);
  o.context = of<tokens>(context);
  o.tp = tp;
  return o;
}
double us(const op_time& t) {
  return 1e6 * value_of(t.time.mid);
}

}  // namespace

TEST_CASE("kernels that only move memory take their bytes at the rate that is left of the bandwidth") {
  const constants nominal;
  // At nominal rates of 4.8 TB/s and without a floor.
  CHECK(us(normalization(4096, 8192, h200, nominal)) == Approx(8.0 * 4096 * 8192 / 4.8e6));
  CHECK(us(quantization(4096, 8192, formats::fp8, h200, nominal)) == Approx(3.0 * 4096 * 8192 / 4.8e6));
  CHECK(us(quantization(4096, 8192, formats::nvfp4, h200, nominal)) == Approx(2.5625 * 4096 * 8192 / 4.8e6));
  CHECK(us(embedding(4096, 8192, h200, nominal)) == Approx(4.0 * 4096 * 8192 / 4.8e6));
  CHECK(us(sampling(of<sequences>(64), 128256, h200, nominal)) == Approx(12.0 * 64 * 128256 / 4.8e6));
  CHECK(us(elementwise(of<bytes>(4'800'000), h200, nominal)) == Approx(1));

  // With constants: 0.75 of the bandwidth and 2 us a kernel, three of which draw a token.
  const constants c = constants_for(h200);
  CHECK(us(normalization(4096, 8192, h200, c)) == Approx(8.0 * 4096 * 8192 / (.75 * 4.8e6) + 2));
  CHECK(us(sampling(of<sequences>(64), 128256, h200, c)) == Approx(12.0 * 64 * 128256 / (.75 * 4.8e6) + 6));
  const op_time t = normalization(4096, 8192, h200, c);
  CHECK(t.limited_by == bound::memory);
  CHECK(t.time.low < t.time.mid);
  CHECK(t.time.mid < t.time.high);
  CHECK(normalization(1, 64, h200, c).limited_by == bound::overhead);

  CHECK(normalization(0, 8192, h200, c).problem == time_problem::bad_load);
  CHECK(embedding(1, -1, h200, c).problem == time_problem::bad_load);
  CHECK(sampling(of<sequences>(0), 10, h200, c).problem == time_problem::bad_load);
  CHECK(elementwise(bytes{}, h200, c).problem == time_problem::bad_load);
  CHECK(quantization(1, 1, number_format{}, h200, c).problem == time_problem::unknown_format);
  CHECK(normalization(1, 1, accelerator{}, c).problem == time_problem::no_bandwidth);
}

TEST_CASE("an operation as a value takes what its function says") {
  const constants c = constants_with_residuals(h200);
  CHECK(us(time(moving(op_kind::normalization, 512, 4096), h200, {}, c)) == us(normalization(512, 4096, h200, c)));
  CHECK(us(time(moving(op_kind::embedding, 512, 4096), h200, {}, c)) == us(embedding(512, 4096, h200, c)));
  op q = moving(op_kind::quantization, 512, 4096);
  q.weights = formats::fp8;
  CHECK(us(time(q, h200, {}, c)) == us(quantization(512, 4096, formats::fp8, h200, c)));
  op s;
  s.kind = op_kind::sampling;
  s.batch = of<sequences>(32);
  s.outputs = 128256;
  CHECK(us(time(s, h200, {}, c)) == us(sampling(of<sequences>(32), 128256, h200, c)));

  const op e = deepseek_experts(256, 1, 8);
  CHECK(us(time(e, h200, {}, c)) == us(experts(e.experts, 7168, e.weights, of<tokens>(256), 1, 8, h200, c)));
  const op divided = deepseek_experts(256, 8, 1);
  CHECK(us(time(divided, h200, {}, c)) == us(experts(e.experts, 7168, e.weights, of<tokens>(256), 8, 1, h200, c)));
  // Divided both ways, as TensorRT-LLM can: whole experts of half the size.
  feed_forward half = e.experts;
  half.expert_inner = 1024;
  CHECK(us(time(deepseek_experts(256, 2, 4), h200, {}, c)) ==
        us(experts(half, 7168, e.weights, of<tokens>(256), 1, 4, h200, c)));
  op odd = deepseek_experts(256, 3, 4);
  CHECK(time(odd, h200, {}, c).problem == time_problem::bad_load);
  odd.tp = 0;
  CHECK(time(odd, h200, {}, c).problem == time_problem::bad_load);

  const op step_of_state = gated_delta(32, 0, 2);
  CHECK(us(time(step_of_state, h200, {}, c)) ==
        us(recurrent_time(step_of_state.recurrent, of<sequences>(32), tokens{}, 2, h200, c.attention)));

  op prompt = decode_of(catalog::llama_3_1_70b.kinds[0].attention, 1, 0);
  prompt.kind = op_kind::prefill_attention;
  prompt.new_tokens = of<tokens>(8192);
  prompt.cache = formats::fp8;
  const double wide = us(time(prompt, h200, {}, c));
  op wide_cache = prompt;
  wide_cache.cache = formats::bf16;
  wide_cache.scores = math::fp8;
  CHECK(time(wide_cache, h200, {}, c).problem == time_problem::bad_load);
  op thirds = prompt;
  thirds.tp = 3;
  CHECK(time(thirds, h200, {}, c).problem == time_problem::bad_load);
  prompt.scores = math::fp8;
  CHECK(time(prompt, h200, {}, c).computes_as == math::fp8);
  CHECK(us(time(prompt, h200, {}, c)) < wide);
  CHECK(time(prompt, catalog::a100_sxm_80gb, {}, constants_for(catalog::a100_sxm_80gb)).fell_back);
  CHECK(name(op_kind::collective) == "collective");
  CHECK(name(op_kind::gemm) == "gemm");
}

TEST_CASE("the work of experts, states and norms is that of their formulas") {
  // 4,096 tokens reach all 256 experts: 32 on a rank, three matrices of 7,168 × 2,048 at a byte and a scale a block.
  const work w = work_of(deepseek_experts(4096, 1, 8), h200);
  const double weights = 32 * 3 * 7168.0 * 2048 * (1 + 4.0 / (128 * 128));
  const double pairs = 4096.0 * 8 / 8;
  CHECK(value_of(w.flop[static_cast<std::size_t>(math::fp8)]) == Approx(2 * 3 * 7168.0 * 2048 * pairs).epsilon(.03));
  CHECK(real(w.moved) == Approx(weights + pairs * (7168 + 2 * 7168 + 2 * 3 * 2048)).epsilon(.03));
  // Of one update the state twice, in 32 bits, and the taps.
  const work u = work_of(gated_delta(32, 0), h200);
  CHECK(real(u.moved) > 32 * 2 * 4.0 * 32 * 128 * 128);
  CHECK(real(u.moved) == Approx(32 * 2 * 4.0 * 32 * 128 * 128).epsilon(.05));
  CHECK(value_of(u.all_flop()) == Approx(32 * 6.0 * 32 * 128 * 128));
  const work n = work_of(moving(op_kind::normalization, 4096, 8192), h200);
  CHECK(n.moved == of<bytes>(8LL * 4096 * 8192));
  CHECK(value_of(n.all_flop()) == 0);
}

TEST_CASE("the hull says which shapes were measured") {
  const constants c = constants_with_residuals(h200);
  const constants plain = constants_for(h200);
  op g;
  g.rows = 16;
  g.outputs = 8192;
  g.inner = 8192;
  CHECK(hull_of(g, h200, c) == hull::inside);
  CHECK(hull_of(g, h200, plain) == hull::unknown);
  g.rows = 10'000'000;
  CHECK(hull_of(g, h200, c) == hull::outside);
  g.weights = formats::fp8;
  g.rows = 16;
  CHECK(hull_of(g, h200, c) == hull::inside);
  constants by_hand = c;
  CHECK(set_constant(by_hand, "gemm.bf16.compute", .7) == constant_problem::none);
  g.weights = formats::bf16;
  CHECK(hull_of(g, h200, by_hand) == hull::unknown);

  CHECK(hull_of(deepseek_experts(256, 1, 8), h200, c) == hull::inside);
  CHECK(hull_of(deepseek_experts(256, 2, 8), h200, c) == hull::inside);
  op one = deepseek_experts(256, 1, 8);
  one.inner = 16;
  CHECK(hull_of(one, h200, c) == hull::outside);

  const attention& a = catalog::llama_3_1_70b.kinds[0].attention;
  CHECK(hull_of(decode_of(a, 16, 4096), h200, c) == hull::inside);
  CHECK(hull_of(decode_of(a, 16, 4096), h200, plain) == hull::unknown);
  CHECK(hull_of(decode_of(a, 16, 10'000'000), h200, c) == hull::outside);
  op prompt = decode_of(a, 1, 0);
  prompt.kind = op_kind::prefill_attention;
  prompt.new_tokens = of<tokens>(4096);
  CHECK(hull_of(prompt, h200, c) == hull::inside);
  prompt.new_tokens = of<tokens>(4'000'000);
  CHECK(hull_of(prompt, h200, c) == hull::outside);
  prompt.new_tokens = of<tokens>(4096);
  op other = prompt;
  other.context = of<tokens>(4096);  // no row has a prefix
  CHECK(hull_of(other, h200, c) == hull::outside);
  other = prompt;
  other.attention.key_dim = 8;
  CHECK(hull_of(other, h200, c) == hull::outside);
  other = prompt;
  other.attention.kind = attention_kind::encoder;
  CHECK(hull_of(other, h200, c) == hull::outside);
  other = prompt;
  other.cache = formats::nvfp4;
  CHECK(hull_of(other, h200, c) == hull::unknown);
  attention sparse = catalog::deepseek_v3.kinds[0].attention;
  sparse.index_topk = 2048;
  sparse.index_heads = 64;
  sparse.index_dim = 128;
  CHECK(hull_of(decode_of(sparse, 16, 4096), h200, c) == hull::unknown);

  CHECK(hull_of(gated_delta(32, 0), h200, c) == hull::inside);
  CHECK(hull_of(gated_delta(1, 8192), h200, c) == hull::inside);
  CHECK(hull_of(gated_delta(1'000'000, 0), h200, c) == hull::outside);
  op borrowed = gated_delta(32, 0);
  borrowed.recurrent.kind = recurrent_kind::mamba2;
  CHECK(hull_of(borrowed, h200, c) == hull::unknown);
  CHECK(hull_of(moving(op_kind::normalization, 512, 4096), h200, c) == hull::unknown);
  // An accelerator without tables.
  CHECK(hull_of(g, catalog::mi300x, constants_with_residuals(catalog::mi300x)) == hull::unknown);
  // One that borrows a relative's.
  CHECK(hull_of(g, catalog::rtx_4090, constants_with_residuals(catalog::rtx_4090)) == hull::unknown);
  CHECK(hull_of(decode_of(a, 16, 4096), catalog::rtx_4090, constants_with_residuals(catalog::rtx_4090)) ==
        hull::unknown);
  CHECK(name(hull::outside) == "outside");
}

TEST_CASE("a measured time of experts is refused only where no routing explains it") {
  const constants c = constants_with_residuals(h200);
  op e = deepseek_experts(256, 1, 8);
  e.weights = formats::bf16;
  const double bytes_s = real(work_of(e, h200).moved) / 4.8e12;
  CHECK(diagnose(e, of<seconds>(.6 * bytes_s), h200, {}, c).refused == refusal::none);
  CHECK(diagnose(e, of<seconds>(.4 * bytes_s), h200, {}, c).refused == refusal::beyond_memory);
  const diagnosis d = diagnose(e, of<seconds>(4 * bytes_s), h200, {}, c);
  CHECK(d.expected.mid == time(e, h200, {}, c).time.mid);
  bool narrower = false;
  bool more = false;
  for (const speedup& s : d.changes) {
    narrower = narrower || s.kind == speed_change::weights;
    if (s.kind == speed_change::batch) more = s.number == count(512);
  }
  CHECK(narrower);
  CHECK(more);
  // A norm without the residual sum, the largest of logits: half and a sixth of the bytes.
  CHECK(diagnose(moving(op_kind::normalization, 4096, 8192), of<seconds>(35e-6), h200, {}, c).refused == refusal::none);
  op greedy;
  greedy.kind = op_kind::sampling;
  greedy.batch = of<sequences>(256);
  greedy.outputs = 128256;
  CHECK(diagnose(greedy, of<seconds>(20e-6), h200, {}, c).refused == refusal::none);
  CHECK(diagnose(greedy, of<seconds>(10e-6), h200, {}, c).refused == refusal::beyond_memory);
  // Bytes that 64 bits do not count are no work.
  op huge;
  huge.rows = std::int64_t{1} << 40;
  huge.outputs = std::int64_t{1} << 40;
  huge.inner = 1024;
  CHECK(diagnose(huge, of<seconds>(1), h200, {}, c).problem == time_problem::bad_load);
  // A state has no format to narrow; more sequences share its floor.
  for (const speedup& s : speedups(gated_delta(1, 0), h200, {}, c)) CHECK(s.kind == speed_change::batch);
  CHECK_FALSE(speedups(gated_delta(1, 0), h200, {}, c).empty());
}

TEST_CASE("no band reaches below what a diagnosis calls impossible") {
  // Shapes of all sizes on parts with tables, with a relative's, and with none.
  std::uint64_t state = 7;
  const auto draw = [&](double most) {  // log-uniform from 1
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>(std::exp(static_cast<double>(state >> 40) / 16777216.0 * std::log(most)));
  };
  const number_format formats_of[] = {formats::bf16, formats::fp8, formats::int8, formats::int4, formats::nvfp4};
  int tried = 0;
  for (const accelerator* a : {&catalog::h200_sxm, &catalog::b200, &catalog::l40s, &catalog::a100_sxm_80gb,
                               &catalog::mi300x, &catalog::rtx_4090})
    for (const kernel_stack stack : {kernel_stack::pooled, kernel_stack::vllm, kernel_stack::trtllm}) {
      const constants c = constants_with_residuals(*a, stack);
      for (int i = 0; i < 150; ++i) {
        op o;
        o.rows = draw(65536);
        o.outputs = draw(65536);
        o.inner = draw(65536);
        o.weights = formats_of[i % 5];
        op d = decode_of(catalog::llama_3_1_70b.kinds[0].attention, draw(512), draw(131072), i % 2 == 0 ? 1 : 8);
        op p = d;
        p.kind = op_kind::prefill_attention;
        p.new_tokens = of<tokens>(draw(32768));
        op latent = decode_of(catalog::deepseek_v3.kinds[0].attention, draw(512), draw(131072));
        for (const op& one : {o, d, p, latent, gated_delta(draw(512), 0), gated_delta(draw(16), draw(32768)),
                              deepseek_experts(draw(8192), 1, i % 3 == 0 ? 1 : 8),
                              moving(op_kind::normalization, draw(8192), draw(16384))}) {
          const op_time t = time(one, *a, {}, c);
          if (t.problem != time_problem::none) continue;
          ++tried;
          INFO(a->id << " " << name(stack) << " " << name(one.kind) << " " << us(t) << " us");
          REQUIRE(t.time.low <= t.time.mid);
          REQUIRE(t.time.mid <= t.time.high);
          REQUIRE(value_of(t.compute + t.memory + t.network + t.overhead) == Approx(value_of(t.time.mid)));
          REQUIRE(t.compute >= seconds{});
          REQUIRE(t.memory >= seconds{});
          REQUIRE(diagnose(one, t.time.low, *a, {}, c).refused == refusal::none);
          REQUIRE(diagnose(one, t.time.mid, *a, {}, c).stands == standing::inside);
        }
      }
    }
  CHECK(tried > 15000);
}

TEST_CASE("a collective through the host is no arithmetic, and two ranks send all") {
  // Bridged pairs: a group of four meets through the host.
  op r;
  r.kind = op_kind::collective;
  r.message = of<bytes>(8192);
  r.group = 4_dev;
  const accelerator& nvl = catalog::h100_nvl;
  const fabric host = nvl.host_fabric();
  const constants c = constants_for(nvl);
  const op_time t = time(r, nvl, host, c);
  REQUIRE(t.problem == time_problem::none);
  const work w = work_of(r, nvl, host);
  CHECK(value_of(w.all_flop()) == 0);
  CHECK(w.moved == bytes{});
  CHECK(w.wire > seconds{});
  CHECK(diagnose(r, t.time.mid, nvl, host, c).refused == refusal::none);
  // Nor is it in a step: as many FLOP a device as where all are joined.
  plan_point p;
  p.model = &catalog::llama_3_1_70b;
  p.part = nvl;
  p.layout.tp = 4;
  p.scale_out = host;
  observation o;
  o.time = of<seconds>(.02);
  o.batch = 8_seq;
  o.context = 1024_tok;
  plan_point joined = p;
  joined.part = catalog::h100_sxm;
  const work here = work_of(o, predict(o, p, c), p);
  const work there = work_of(o, predict(o, joined, constants_for(joined)), joined);
  CHECK(value_of(here.all_flop()) == Approx(value_of(there.all_flop())));
  CHECK(real(here.moved) == Approx(real(there.moved)).epsilon(.001));

  // A switch that reduces halves what eight send, not what two exchange.
  r.message = of<bytes>(1 << 28);
  r.group = 2_dev;
  const constants h = constants_for(h200);
  const double two = real(r.message) / value_of(h200.scale_up.per_device);
  CHECK(diagnose(r, of<seconds>(.9 * two), h200, {}, h).refused == refusal::beyond_network);
  r.group = 8_dev;
  CHECK(diagnose(r, of<seconds>(.9 * two), h200, {}, h).refused == refusal::beyond_network);
  CHECK(diagnose(r, of<seconds>(1.1 * two), h200, {}, h).refused == refusal::none);
  // Between machines legs overlap: what a message takes at least is the longest of them.
  r.group = 16_dev;
  const hardware_system* dgx = find_system("DGX H200");
  REQUIRE(dgx != nullptr);
  const fabric nics = dgx->scale_out();
  const diagnosis far = diagnose(r, time(r, h200, nics, h).time.mid, h200, nics, h);
  CHECK(far.refused == refusal::none);
  CHECK(far.network.attained < 1);
}

TEST_CASE("few tokens on many ranks of experts") {
  const constants c = constants_with_residuals(h200);
  for (const std::int64_t ep : {8, 32, 64, 256}) {
    double before = 0;
    for (std::int64_t n : {1, 2, 4, 8, 16, 32, 64, 256, 1024, 4096}) {
      const double t = us(time(deepseek_experts(n, 1, ep), h200, {}, c));
      INFO(ep << " ranks, " << n << " tokens");
      CHECK(t >= before * .97);
      before = t;
    }
  }
  // One token picks eight experts: at most one of a rank that has one.
  const work w = work_of(deepseek_experts(1, 1, 256), h200);
  CHECK(value_of(w.all_flop()) == Approx(2 * 3 * 7168.0 * 2048));
}

TEST_CASE("a window takes at most a quarter longer than none") {
  const constants c = constants_with_residuals(catalog::gb200, kernel_stack::sglang);
  attention a;
  a.kind = attention_kind::full;
  a.heads = 32;
  a.kv_heads = 8;
  a.key_dim = 128;
  a.value_dim = 128;
  op open;
  open.kind = op_kind::prefill_attention;
  open.attention = a;
  open.cache = formats::fp8;
  open.batch = 4_seq;
  open.new_tokens = 16384_tok;
  for (std::int64_t window : {512, 4096, 131072}) {
    op o = open;
    o.attention.kind = attention_kind::sliding;
    o.attention.window = window;
    CHECK(us(time(o, catalog::gb200, {}, c)) <= 1.2501 * us(time(open, catalog::gb200, {}, c)));
  }
}

TEST_CASE("a call alone pays more than the same product in a step") {
  const constants c = constants_with_residuals(h200, kernel_stack::trtllm);
  const double alone = us(gemm(8, 4096, 4096, formats::fp8, h200, c));
  const double in_step = us(gemm_in_step(8, 4096, 4096, formats::fp8, h200, c));
  CHECK(in_step < .7 * alone);
  CHECK(us(gemm_in_step(8, 4096, 4096, formats::bf16, h200, c)) ==
        Approx(us(gemm(8, 4096, 4096, formats::bf16, h200, c))));
  CHECK(gemm_in_step(0, 1, 1, formats::bf16, h200, c).problem == time_problem::bad_load);
}

TEST_CASE("grids are of constants as they were fitted") {
  constants c = constants_for(h200);
  c.gemm[static_cast<std::size_t>(product::bf16)].floor.mid = of<seconds>(1e-6);
  c.attention[attention_op::decode].kernel.memory.mid = .5;
  add_residuals(c);
  CHECK(c.gemm[static_cast<std::size_t>(product::bf16)].residual == nullptr);
  CHECK(c.gemm[static_cast<std::size_t>(product::fp8)].residual != nullptr);
  CHECK(c.attention[attention_op::decode].grids == nullptr);
  CHECK(c.attention[attention_op::prefill].grids != nullptr);
}

TEST_CASE("other parts are asked with the constants that the asker takes") {
  const constants c = constants_with_residuals(catalog::h100_sxm);
  const op o = decode_of(catalog::llama_3_1_70b.kinds[0].attention, 16, 4096);
  const accelerator others[] = {catalog::h200_sxm};
  constexpr constants_source with_grids = [](const accelerator& a, kernel_stack s) noexcept {
    return constants_with_residuals(a, s);
  };
  for (const speedup& s : speedups(o, catalog::h100_sxm, {}, c, others, with_grids))
    if (s.kind == speed_change::accelerator)
      CHECK(s.then.mid == time(o, h200, {}, constants_with_residuals(h200)).time.mid);
}

TEST_CASE("constants of attention, memory and networks are set by name") {
  constants c = constants_with_residuals(h200);
  const attention& a = catalog::llama_3_1_70b.kinds[0].attention;
  const op o = decode_of(a, 16, 4096);
  CHECK(set_constant(c, "attention.decode.memory", 1) == constant_problem::none);
  CHECK(set_constant(c, "attention.decode.compute", 1) == constant_problem::none);
  CHECK(set_constant(c, "attention.decode.floor_us", 0) == constant_problem::none);
  const op_time t = time(o, h200, {}, c);
  const work w = work_of(o, h200);
  const double memory_s = real(w.moved) / 4.8e12;
  const double compute_s = value_of(w.all_flop()) / 989.4e12;
  CHECK(value_of(t.time.mid) == Approx(std::hypot(memory_s, compute_s)));
  CHECK(c.attention[attention_op::decode].grids == nullptr);
  CHECK(c.attention[attention_op::prefill].grids != nullptr);
  for (std::size_t i = 0; i < attention_ops; ++i) {
    const std::string word = "attention." + std::string(identifier(static_cast<attention_op>(i))) + ".memory";
    CHECK(set_constant(c, word, .5) == constant_problem::none);
    CHECK(c.attention.of[i].kernel.memory.mid == .5);
  }
  CHECK(set_constant(c, "elementwise.memory", .9) == constant_problem::none);
  CHECK(set_constant(c, "elementwise.floor_us", 3) == constant_problem::none);
  CHECK(us(normalization(4096, 8192, h200, c)) == Approx(8.0 * 4096 * 8192 / (.9 * 4.8e6) + 3));
  CHECK(set_constant(c, "scale_out.link", .8) == constant_problem::none);
  CHECK(set_constant(c, "scale_out.hop_us", 20) == constant_problem::none);
  CHECK(c.network.scale_out_link.mid == .8);
  CHECK(value_of(c.network.scale_out_hop.mid) == Approx(20e-6));
  CHECK(set_constant(c, "step_scatter", 0) == constant_problem::none);
  CHECK(set_constant(c, "step_scatter", 1) == constant_problem::out_of_range);
  CHECK(c.step_scatter == 0);
  CHECK(set_constant(c, "step_share", 1.08) == constant_problem::none);
  CHECK(set_constant(c, "step_share", 2.5) == constant_problem::out_of_range);
  CHECK(set_constant(c, "expert_skew", -1) == constant_problem::none);
  CHECK(set_constant(c, "expert_skew", -1.5) == constant_problem::out_of_range);
  for (const char* word : {"attention.decode", "attention.think.memory", "attention.decode.pad_rows",
                           "elementwise.compute", "scale_out.memory", "attention"})
    CHECK(set_constant(c, word, .5) == constant_problem::unknown_name);
  CHECK(set_constant(c, "attention.decode.memory", 1e-9) == constant_problem::out_of_range);
  CHECK(set_constant(c, "elementwise.floor_us", 1e10) == constant_problem::out_of_range);
  CHECK(set_constant(c, "attention.decode.memory", 1.5) == constant_problem::out_of_range);
  CHECK(c.attention[attention_op::decode].kernel.memory.mid == .5);
}
