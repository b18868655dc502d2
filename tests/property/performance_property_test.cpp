// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>
#include <ullage/catalog.hpp>
#include <ullage/catalog/models.hpp>
#include <ullage/performance.hpp>

#include "support/catch.hpp"
#include "support/trials.hpp"

using namespace ullage;
using Catch::Approx;

namespace {

struct sample {
  plan_point point;
  step_work work;
};

class sampler {
 public:
  sample next() {
    sample s;
    const transformer* const models[] = {&catalog::llama_3_1_8b, &catalog::llama_3_1_70b, &catalog::qwen3_235b_a22b,
                                         &catalog::deepseek_v3};
    const accelerator* const parts[] = {&catalog::h100_sxm, &catalog::h200_sxm, &catalog::a100_sxm_80gb, &catalog::b200,
                                        &catalog::l40s,     &catalog::mi300x,   &catalog::gaudi3};
    s.point.model = models[below(4)];
    s.point.part = *parts[below(7)];
    s.point.engine = vllm();
    s.point.layout.tp = std::int64_t{1} << below(4);
    if (below(3) == 0) s.point.layout.pp = 2;
    if (s.point.layout.tp <= 4 && s.point.layout.pp == 1 && below(3) == 0) {
      s.point.layout.dp = 2;
      if (s.point.model == models[2] || s.point.model == models[3]) s.point.layout.ep = s.point.layout.tp * 2;
    }
    const number_format formats_tried[] = {number_format{}, formats::fp8, formats::int4, formats::nvfp4};
    s.point.engine.weights = formats_tried[below(4)];
    if (below(2) == 0) s.point.engine.kv_cache = formats::fp8;
    if (below(2) == 0) {
      s.work.prefill = of<sequences>(1 + below(3));
      s.work.new_tokens = of<tokens>(1 + below(8192));
      s.work.prefix = of<tokens>(below(16384));
    }
    if (below(2) == 0 || s.work.prefill == sequences{}) {
      s.work.decode = of<sequences>(1 + below(256));
      s.work.context = of<tokens>(below(32768));
    }
    return s;
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  std::mt19937 random_{20240601};
};

seconds middle(const plan_point& p, const step_work& w, const constants& c) {
  return step(p, w, c).total.mid;
}
// Equal but for rounding counts as not slower.
bool not_slower(const seconds& faster, const seconds& slower) {
  return value_of(faster) <= value_of(slower) * (1 + 1e-12);
}

}  // namespace

TEST_CASE("steps: order, sums and monotony") {
  sampler draw;
  int failed = 0;
  for (int i = 0; i < trials(1500); ++i) {
    const sample s = draw.next();
    const constants c = constants_for(s.point.part);
    const step_time t = step(s.point, s.work, c);
    if (t.problem != time_problem::none) {
      INFO(sentence(t.problem));
      CHECK(t.problem == time_problem::layout);
      ++failed;
      continue;
    }
    INFO(s.point.model->name.view() << " on " << s.point.part.id << " tp " << s.point.layout.tp << " pp "
                                    << s.point.layout.pp << " dp " << s.point.layout.dp << " ep " << s.point.layout.ep);
    for (const estimate<seconds>& e :
         {t.total, t.linear, t.attention, t.experts, t.collectives, t.elementwise, t.head}) {
      CHECK(value_of(e.low) >= 0);
      CHECK(e.low <= e.mid);
      CHECK(e.mid <= e.high);
      CHECK(std::isfinite(value_of(e.high)));
    }
    const seconds items = t.linear.mid + t.attention.mid + t.experts.mid + t.collectives.mid + t.elementwise.mid +
                          t.head.mid + t.overhead.mid;
    CHECK(value_of(items) == Approx(value_of(t.total.mid)));
    const seconds shares = t.compute_share + t.memory_share + t.network_share + t.overhead_share;
    CHECK(value_of(shares) == Approx(value_of(t.total.mid)));

    step_work more = s.work;
    if (more.prefill > sequences{}) {
      more.prefill += of<sequences>(1 + draw.below(4));
      CHECK(not_slower(t.total.mid, middle(s.point, more, c)));
      more = s.work;
      more.new_tokens += of<tokens>(1 + draw.below(500));
      CHECK(not_slower(t.total.mid, middle(s.point, more, c)));
      more = s.work;
      more.prefix += of<tokens>(1 + draw.below(5000));
      CHECK(not_slower(t.total.mid, middle(s.point, more, c)));
    }
    if (s.work.decode > sequences{}) {
      more = s.work;
      more.decode += of<sequences>(1 + draw.below(100));
      CHECK(not_slower(t.total.mid, middle(s.point, more, c)));
      more = s.work;
      more.context += of<tokens>(1 + draw.below(5000));
      CHECK(not_slower(t.total.mid, middle(s.point, more, c)));
    }

    plan_point better = s.point;
    better.part.bandwidth = better.part.bandwidth * 1.5;
    CHECK(not_slower(middle(better, s.work, c), t.total.mid));
    better = s.point;
    for (flops_per_second& peak : better.part.dense_peaks) peak = peak * 1.5;
    CHECK(not_slower(middle(better, s.work, c), t.total.mid));
    better = s.point;
    better.part.scale_up.per_device = better.part.scale_up.per_device * 1.5;
    better.part.scale_up.per_peer = better.part.scale_up.per_peer * 1.5;
    CHECK(not_slower(middle(better, s.work, c), t.total.mid));
  }
  CHECK(failed < 300);
}

TEST_CASE("every constant is monotone") {
  sampler draw;
  const auto higher_share = [](attained& a) { a.low *= 1.1, a.mid *= 1.1, a.high *= 1.1; };
  const auto faster_links = [](collective_curve& c) {
    for (collective_line& l : c.lines) l.wire /= 1.1, l.own /= 1.1;
  };
  const auto shorter_hops = [](collective_curve& c) {
    for (collective_line& l : c.lines) l.base_s /= 1.1, l.hop_s /= 1.1;
  };
  const auto longer = [](estimate<seconds>& e) { e.low = e.low * 1.1, e.mid = e.mid * 1.1, e.high = e.high * 1.1; };
  for (int i = 0; i < trials(300); ++i) {
    sample s = draw.next();
    const constants c = constants_for(s.point.part);
    const step_time t = step(s.point, s.work, c);
    if (t.problem != time_problem::none) continue;
    for (int k = 0; k < 10; ++k) {
      constants d = c;
      switch (k) {
        case 0:
          for (kernel_constants& g : d.gemm) higher_share(g.compute);
          break;
        case 1:
          for (kernel_constants& g : d.gemm) higher_share(g.memory);
          break;
        case 2:
          for (kernel_constants& g : d.experts) higher_share(g.memory);
          break;
        case 3:
          for (attention_fit& f : d.attention.of) higher_share(f.kernel.compute);
          break;
        case 4:
          for (attention_fit& f : d.attention.of) higher_share(f.kernel.memory);
          break;
        case 5:
          for (collective_curve& l : d.network.library) faster_links(l);
          for (collective_curve& l : d.network.all_reduce) faster_links(l);
          break;
        case 6:
          for (collective_curve& l : d.network.library) shorter_hops(l);
          for (collective_curve& l : d.network.all_reduce) shorter_hops(l);
          break;
        case 7: higher_share(d.step_share); break;
        case 8: longer(d.step_gap); break;
        default:
          for (kernel_constants& g : d.gemm) longer(g.floor);
          break;
      }
      const seconds changed = step(s.point, s.work, d).total.mid;
      INFO("constant " << k);
      if (k < 8)
        CHECK(not_slower(changed, t.total.mid));
      else
        CHECK(not_slower(t.total.mid, changed));
    }
  }
}

TEST_CASE("services: order and monotony in the load") {
  sampler draw;
  for (int i = 0; i < trials(300); ++i) {
    const sample s = draw.next();
    const constants c = constants_for(s.point.part);
    traffic w;
    w.input_tokens = of<tokens>(1 + draw.below(16384));
    w.output_tokens = of<tokens>(1 + draw.below(2048));
    w.concurrency = of<sequences>(1 + draw.below(200));
    w.prefix_hit = draw.below(10) / 10.0;
    const service one = perf(s.point, w, c);
    if (one.problem != time_problem::none) continue;
    for (const estimate<seconds>& e : {one.ttft, one.tpot}) {
      CHECK(e.low <= e.mid);
      CHECK(e.mid <= e.high);
    }
    CHECK(one.output.low <= one.output.mid);
    CHECK(one.output.mid <= one.output.high);
    CHECK(one.running <= real(w.concurrency));
    w.concurrency += of<sequences>(s.point.layout.dp * s.point.layout.pp);
    const service two = perf(s.point, w, c);
    CHECK(not_slower(one.tpot.mid, two.tpot.mid));
    CHECK(value_of(two.output.mid) >= value_of(one.output.mid) * (1 - 1e-9));
    CHECK(not_slower(one.ttft.mid, two.ttft.mid));
  }
}
