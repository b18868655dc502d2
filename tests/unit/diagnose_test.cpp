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

plan_point llama_70b(std::int64_t tp) {
  plan_point p;
  p.model = &catalog::llama_3_1_70b;
  p.part = catalog::h200_sxm;
  p.layout.tp = tp;
  p.engine = vllm();
  return p;
}
observation decoding(double tpot_s, std::int64_t batch, std::int64_t context) {
  observation o;
  o.time = of<seconds>(tpot_s);
  o.batch = of<sequences>(batch);
  o.context = of<tokens>(context);
  return o;
}
op gemm_of(std::int64_t m, std::int64_t n, std::int64_t k, const number_format& f) {
  op o;
  o.rows = m;
  o.outputs = n;
  o.inner = k;
  o.weights = f;
  return o;
}
const speedup* find(const detail::speedup_list& list, speed_change kind, std::int64_t number = -1) {
  for (const speedup& s : list)
    if (s.kind == kind && (number < 0 || s.number == count(number))) return &s;
  return nullptr;
}
double share_sum(const diagnosis& d) {
  return value_of(d.spent_compute + d.spent_memory + d.spent_network + d.lost);
}

}  // namespace

TEST_CASE("the work of an operation is that of its formula") {
  // 16 × 8192 × 8192: 2·16·8192² FLOP; 2 bytes a weight, and activations in and out.
  const work w = work_of(gemm_of(16, 8192, 8192, formats::bf16), catalog::h200_sxm);
  CHECK(value_of(w.all_flop()) == Approx(2.0 * 16 * 8192 * 8192));
  CHECK(value_of(w.flop[static_cast<std::size_t>(math::bf16)]) == Approx(value_of(w.all_flop())));
  CHECK(real(w.moved) == Approx(2.0 * 8192 * 8192 + 2 * (2.0 * 16 * 8192)));
  CHECK(value_of(w.wire) == 0);
  // fp8 on a part without it: products in 16 bits, one byte a weight.
  const work narrow = work_of(gemm_of(16, 8192, 8192, formats::fp8), catalog::a100_sxm_80gb);
  CHECK(value_of(narrow.flop[static_cast<std::size_t>(math::bf16)]) == Approx(2.0 * 16 * 8192 * 8192));
  CHECK(real(narrow.moved) == Approx(8192.0 * 8192).epsilon(.01));

  // 16 sequences of 4,096 cached tokens and the new one, 8 heads of 128 + 128 elements in 16 bits.
  op a;
  a.kind = op_kind::decode_attention;
  a.attention = catalog::llama_3_1_70b.kinds[0].attention;
  a.batch = of<sequences>(16);
  a.context = of<tokens>(4096);
  const work cached = work_of(a, catalog::h200_sxm);
  CHECK(real(cached.moved) == Approx(16.0 * 4097 * 8 * 256 * 2).epsilon(.01));
  CHECK(value_of(cached.all_flop()) == Approx(2.0 * 64 * 256 * 16 * 4097));

  // All-reduce: 2·(n−1)/n of the message at the one-way rate of a link.
  op r;
  r.kind = op_kind::collective;
  r.message = of<bytes>(1 << 26);
  r.group = of<devices>(8);
  const work sent = work_of(r, catalog::h200_sxm);
  CHECK(value_of(sent.wire) ==
        Approx(2.0 * 7 / 8 * (1 << 26) / value_of(catalog::h200_sxm.scale_up.per_device)).epsilon(1e-6));
  CHECK(sent.moved == bytes{});
  CHECK(work_of(op{}, catalog::h200_sxm).moved == bytes{});
}

TEST_CASE("the work of a decode step is the model's weights and cache") {
  const plan_point p = llama_70b(2);
  const observation o = decoding(.03, 8, 4096);
  const constants c = constants_for(p);
  const work w = work_of(o, predict(o, p, c), p);
  // Half of 80·855,638,016 + 8,192·128,256 elements on each rank; 2 FLOP a weight and sequence, and attention.
  const double weights = (80.0 * 855638016 + 8192.0 * 128256) / 2;
  const double cache = 8 * 4097.0 * 327680 / 2;
  CHECK(real(w.moved) == Approx(2 * weights + cache).epsilon(.01));
  CHECK(value_of(w.all_flop()) == Approx(2 * weights * 8 + 2 * 80 * 32 * 256.0 * 8 * 4097).epsilon(.01));
  CHECK(w.busiest(p.part) == math::bf16);
  CHECK(w.intensity() == Approx(value_of(w.all_flop()) / real(w.moved)));
  // The items add up to the whole.
  const prediction usual = predict(o, p, c);
  double flop = 0;
  double moved = 0;
  double s = 0;
  for (const step_item& i : items_of(o, usual, p, phase::decode)) {
    flop += value_of(i.work.all_flop());
    moved += real(i.work.moved);
    s += value_of(i.time);
  }
  CHECK(flop == Approx(value_of(w.all_flop())));
  CHECK(moved == Approx(real(w.moved)));
  CHECK(s == Approx(value_of(usual.decode.total.mid - usual.decode.overhead.mid)));
}

TEST_CASE("a prediction's shares add up, and it is what step and perf say") {
  const plan_point p = llama_70b(2);
  const constants c = constants_for(p);
  const observation one = decoding(.03, 8, 4096);
  const prediction a = predict(one, p, c);
  CHECK(a.time.mid == step(p, phase::decode, of<sequences>(8), of<tokens>(4096), of<tokens>(1), c).total.mid);

  observation steady = decoding(.03, 32, 0);
  steady.new_tokens = of<tokens>(2048);
  steady.output_tokens = of<tokens>(512);
  traffic t;
  t.input_tokens = of<tokens>(2048);
  t.output_tokens = of<tokens>(512);
  t.concurrency = of<sequences>(32);
  const service s = perf(p, t, c);
  const prediction b = predict(steady, p, c);
  CHECK(b.time.mid == s.tpot.mid);
  CHECK(b.prefills == Approx(31.0 / 512).epsilon(1e-6));
  observation rate = steady;
  rate.what = measured::throughput;
  const prediction d = predict(rate, p, c);
  CHECK(value_of(d.time.mid) == Approx(32 / value_of(s.output.mid)));
  CHECK(d.time.low < d.time.mid);
  observation first = steady;
  first.what = measured::ttft;
  first.context = of<tokens>(1000);
  t.output_tokens = of<tokens>(1);
  t.input_tokens = of<tokens>(3048);
  t.prefix_hit = 1000.5 / 3048;
  const prediction e = predict(first, p, c);
  CHECK(e.time.mid == perf(p, t, c).ttft.mid);
  for (const prediction* x : {&a, &b, &d, &e}) {
    CHECK(x->problem == time_problem::none);
    CHECK(value_of(x->compute + x->memory + x->network + x->overhead) == Approx(value_of(x->time.mid)));
    CHECK(x->overhead >= seconds{});
  }
}

TEST_CASE("an observation is held against physics and against what is usual") {
  const plan_point p = llama_70b(2);
  const constants c = constants_for(p);
  const prediction usual = predict(decoding(1, 8, 4096), p, c);
  const double mid = value_of(usual.time.mid);
  const auto at = [&](double s) { return diagnose(decoding(s, 8, 4096), p, c); };

  const diagnosis inside = at(mid);
  CHECK(inside.refused == refusal::none);
  CHECK(inside.stands == standing::inside);
  CHECK(inside.limited_by == bound::memory);
  CHECK(value_of(inside.gap) == Approx(0).margin(1e-12));
  CHECK(inside.ridge == Approx(989.4e12 / 4.8e12).epsilon(.01));
  CHECK(inside.intensity < inside.ridge);
  // Weights and cache at 4.8 TB/s, over what was seen.
  CHECK(inside.memory.attained == Approx(real(inside.work.moved) / 4.8e12 / mid).epsilon(.001));
  CHECK(inside.compute.attained < .1);

  const diagnosis slower = at(value_of(usual.time.high) * 1.001);
  CHECK(slower.stands == standing::slower);
  CHECK(slower.limited_by == bound::memory);
  const diagnosis lost = at(mid * 4);
  CHECK(lost.limited_by == bound::overhead);  // three quarters are in no kernel
  CHECK(value_of(lost.spent_memory) == Approx(value_of(usual.memory)));
  const diagnosis faster = at(value_of(usual.time.low) * .999);
  CHECK(faster.stands == standing::faster);
  CHECK(faster.limited_by == bound::memory);
  for (const diagnosis* d : {&inside, &slower, &lost, &faster}) {
    CHECK(share_sum(*d) == Approx(value_of(d->observed)));
    CHECK(d->changes.size() == 3);
  }

  // The least time is that of weights and cache; the last 5 % below are grace.
  const double least = value_of(inside.least);
  CHECK(least == Approx(real(inside.work.moved) / 4.8e12).epsilon(.02));
  CHECK(at(least / 1.04).refused == refusal::none);
  const diagnosis impossible = at(least / 1.06);
  CHECK(impossible.refused == refusal::beyond_memory);
  CHECK(impossible.changes.empty());
  CHECK_FALSE(sentence(impossible.refused).empty());

  observation prompt = decoding(.01, 1, 0);
  prompt.what = measured::ttft;
  prompt.new_tokens = of<tokens>(4096);
  CHECK(diagnose(prompt, p, c).refused == refusal::beyond_compute);
}

TEST_CASE("routing may reach fewer experts than drawn evenly") {
  plan_point p;
  p.model = &catalog::deepseek_v3;
  p.part = catalog::h200_sxm;
  p.layout.tp = 8;
  p.engine = vllm();
  const diagnosis d = diagnose(decoding(.05, 8, 1000), p, constants_for(p));
  REQUIRE(d.refused == refusal::none);
  CHECK(value_of(d.least) < .8 * value_of(d.memory.at_peak));
}

TEST_CASE("bad observations have a problem and nothing else") {
  const plan_point p = llama_70b(2);
  const constants c = constants_for(p);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double s : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    CHECK(diagnose(decoding(s, 8, 4096), p, c).problem == time_problem::bad_load);
  CHECK(diagnose(decoding(.03, 0, 4096), p, c).problem == time_problem::bad_load);
  CHECK(diagnose(decoding(.03, 1, -1), p, c).problem == time_problem::bad_load);
  observation o = decoding(.03, 1, 0);
  o.what = measured::ttft;
  CHECK(diagnose(o, p, c).problem == time_problem::bad_load);  // no prompt
  o.what = measured::throughput;
  CHECK(diagnose(o, p, c).problem == time_problem::bad_load);  // no rate
  CHECK(diagnose(decoding(.03, 1, 1), plan_point{}, c).problem == time_problem::empty_model);
  const accelerator& h200 = catalog::h200_sxm;
  CHECK(diagnose(operations{}, bytes{}, of<seconds>(1.0), math::bf16, h200, c).problem == time_problem::bad_load);
  CHECK(diagnose(gemm_of(0, 1, 1, formats::bf16), of<seconds>(1.0), h200, {}, c).problem == time_problem::bad_load);
  op r;
  r.kind = op_kind::collective;
  r.message = of<bytes>(1 << 20);
  r.group = of<devices>(1);
  CHECK(time(r, h200, {}, c).problem == time_problem::bad_load);
  r.group = of<devices>(16);
  CHECK(diagnose(r, of<seconds>(1.0), h200, {}, c).problem == time_problem::beyond_domain);
  CHECK(speedups(decoding(.03, 0, 1), p, c).empty());
}

TEST_CASE("a kernel is diagnosed from FLOP, bytes and seconds") {
  const accelerator& h200 = catalog::h200_sxm;
  const constants c = constants_for(h200);
  const auto at = [&](double flop, std::int64_t moved, double s, math m = math::bf16) {
    return diagnose(of<operations>(flop), of<bytes>(moved), of<seconds>(s), m, h200, c);
  };
  // 2 TFLOP at 989.4 TFLOP/s: 2.02 ms; 3 GB at 4.8 TB/s: 0.625 ms.
  const diagnosis d = at(2e12, 3'000'000'000, 2.7e-3);
  CHECK(d.compute.attained == Approx(2e12 / 989.4e12 / 2.7e-3).epsilon(.001));
  CHECK(d.memory.attained == Approx(.625 / 2.7).epsilon(.001));
  CHECK(d.limited_by == bound::compute);
  CHECK(d.intensity == Approx(2e12 / 3e9));
  CHECK(at(2e12, 3'000'000'000, 1.2e-3).refused == refusal::beyond_compute);
  CHECK(at(2e12, 3'000'000'000, 1.2e-3, math::fp8).refused == refusal::none);
  CHECK(at(1e9, 3'000'000'000, .5e-3).refused == refusal::beyond_memory);
  CHECK(at(1e9, 3'000'000'000, .8e-3).limited_by == bound::memory);
  CHECK(at(1e9, 1'000'000, 1e-3).limited_by == bound::overhead);
  CHECK(at(0, 3'000'000'000, .8e-3).limited_by == bound::memory);
  // fp4 is not on this part: held against 16 bits.
  const diagnosis wide = at(2e12, 3'000'000'000, 2.7e-3, math::fp4);
  CHECK(wide.fell_back);
  CHECK(wide.arithmetic == math::bf16);
}

TEST_CASE("an all-reduce is refused beyond its links, and a reduction inside the network counts") {
  accelerator part = catalog::h200_sxm;
  const constants c = constants_for(part);
  op r;
  r.kind = op_kind::collective;
  r.message = of<bytes>(std::int64_t{1} << 30);
  r.group = of<devices>(8);
  part.scale_up.in_network_reduction = false;
  const double wire = 2.0 * 7 / 8 * std::pow(2, 30) / value_of(part.scale_up.per_device);
  CHECK(diagnose(r, of<seconds>(wire * .8), part, {}, c).refused == refusal::beyond_network);
  CHECK(diagnose(r, of<seconds>(wire), part, {}, c).refused == refusal::none);
  part.scale_up.in_network_reduction = true;
  CHECK(diagnose(r, of<seconds>(wire * .8), part, {}, c).refused == refusal::none);
  CHECK(diagnose(r, of<seconds>(wire * .4), part, {}, c).refused == refusal::beyond_network);
}

TEST_CASE("every speedup is what asking again gives") {
  plan_point p = llama_70b(4);
  p.layout.pp = 2;
  const constants c = constants_for(p);
  const observation o = decoding(.03, 16, 4096);
  const double now = value_of(predict(o, p, c).time.mid);
  const accelerator others[] = {catalog::h200_sxm, catalog::b200};
  const detail::speedup_list all = speedups(o, p, c, others);
  CHECK(all.size() >= 5);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].gain >= all[i].gain);
  for (const speedup& s : all) {
    plan_point q = p;
    observation then = o;
    constants with = c;
    switch (s.kind) {
      case speed_change::weights: q.engine.weights = s.format; break;
      case speed_change::kv_cache: q.engine.kv_cache = s.format; break;
      case speed_change::batch: then.batch = of<sequences>(s.number); break;
      case speed_change::tensor_parallel: q.layout.tp = s.number.value(); break;
      case speed_change::pipeline_parallel:
        q.layout.tp = s.number.value();
        q.layout.pp = 1;
        break;
      case speed_change::step_gap: with.step_gap = {}; break;
      case speed_change::accelerator:
        CHECK(s.part == "b200");
        q.part = catalog::b200;
        with = constants_for(q);
        break;
      case speed_change::cuda_graphs: FAIL("graphs are not off");
    }
    const double again = value_of(predict(then, q, with).time.mid);
    CHECK(value_of(s.then.mid) == again);
    CHECK(value_of(s.gain) == Approx(now - again * 16 / real(then.batch)));
    CHECK(value_of(s.gain) > .02 * now);
    CHECK(s.factor == Approx(now / again * real(then.batch) / 16));
    CHECK(s.devices_then == q.layout.world().value());
  }
  CHECK(find(all, speed_change::pipeline_parallel, 8) != nullptr);
  CHECK(find(all, speed_change::tensor_parallel, 16) == nullptr);  // beyond the node
  // The best of each kind, one of a kind.
  const diagnosis d = diagnose(o, p, c, others);
  REQUIRE(d.changes.size() == 3);
  CHECK(d.changes[0].gain == all[0].gain);
  CHECK(d.changes[0].kind != d.changes[1].kind);
  CHECK(d.changes[1].kind != d.changes[2].kind);
}

TEST_CASE("what is not there to gain is not told") {
  plan_point p = llama_70b(8);
  const constants c = constants_for(p);
  observation prompt = decoding(1, 1, 0);
  prompt.what = measured::ttft;
  prompt.new_tokens = of<tokens>(8192);
  const detail::speedup_list first = speedups(prompt, p, c);
  CHECK(find(first, speed_change::batch) == nullptr);     // makes nobody's first token earlier
  CHECK(find(first, speed_change::kv_cache) == nullptr);  // a prompt hardly reads it
  CHECK(find(first, speed_change::weights) != nullptr);
  p.engine.kv_cache = formats::fp8;
  p.engine.weights = formats::fp8;
  const detail::speedup_list narrow = speedups(decoding(1, 1, 4096), p, c);
  CHECK(find(narrow, speed_change::kv_cache) == nullptr);
  const speedup* w = find(narrow, speed_change::weights);
  REQUIRE(w != nullptr);
  CHECK(w->format == formats::int4);  // Hopper has no 4-bit products
  p.engine.weights = formats::int4;
  CHECK(find(speedups(decoding(1, 1, 4096), p, c), speed_change::weights) == nullptr);

  // Without graphs, what is longer than with them is their gain.
  p = llama_70b(2);
  const double usual = value_of(predict(decoding(1, 8, 4096), p, c).time.mid);
  p.engine.options.enforce_eager = true;
  const detail::speedup_list eager = speedups(decoding(usual * 1.5, 8, 4096), p, c);
  REQUIRE(find(eager, speed_change::cuda_graphs) != nullptr);
  CHECK(value_of(find(eager, speed_change::cuda_graphs)->gain) == Approx(usual * .5));
  CHECK(find(speedups(decoding(usual * .9, 8, 4096), p, c), speed_change::cuda_graphs) == nullptr);
  p.engine.options.enforce_eager = false;
  CHECK(find(speedups(decoding(usual * 1.5, 8, 4096), p, c), speed_change::cuda_graphs) == nullptr);
}

TEST_CASE("operations are told a narrower format, a larger batch, a faster part") {
  const accelerator& h200 = catalog::h200_sxm;
  const constants c = constants_for(h200);
  const accelerator others[] = {catalog::b200};
  const op g = gemm_of(16, 8192, 8192, formats::bf16);
  const detail::speedup_list all = speedups(g, h200, {}, c, others);
  REQUIRE(find(all, speed_change::batch, 32) != nullptr);
  const double now = value_of(time(g, h200, {}, c).time.mid);
  const double twice = value_of(time(gemm_of(32, 8192, 8192, formats::bf16), h200, {}, c).time.mid);
  CHECK(value_of(find(all, speed_change::batch)->gain) == Approx(now - twice / 2));
  REQUIRE(find(all, speed_change::weights) != nullptr);
  CHECK(find(all, speed_change::weights)->format == formats::fp8);
  REQUIRE(find(all, speed_change::accelerator) != nullptr);
  CHECK(find(all, speed_change::accelerator)->then.mid ==
        time(g, catalog::b200, {}, constants_for(catalog::b200)).time.mid);
}
