// SPDX-License-Identifier: Apache-2.0
// Replicas that `select` chooses: enough, not one too many, and never fewer for more.
#include "support/catch.hpp"
#include "support/trials.hpp"

#include <random>
#include <ullage/ullage.hpp>

using namespace ullage;

namespace {

/// Whether `n` replicas serve, by asking `fits` and `perf` alone.
bool serves(const workload& w, const constraints& limits, const choice& c, std::int64_t n) {
  load here = w.load;
  traffic t = w.traffic;
  here.concurrency = of<sequences>(ceil_div(here.concurrency.value(), count(n)));
  t.concurrency = of<sequences>(ceil_div(t.concurrency.value(), count(n)));
  t.request_rate /= static_cast<double>(n);
  const verdict v = fits(*w.model, c.part, c.layout, w.engine, here);
  if (v.left() < bytes{}) return false;
  t.kv_concurrency = max_concurrency(v, w.load.context);
  const service s =
      perf({w.model, c.part, c.layout, w.engine, c.part.host_fabric()}, t, constants_for(c.part, w.engine));
  const bool timed = t.concurrency == sequences{} || limits.max_ttft > seconds{} || limits.max_tpot > seconds{};
  if (s.problem != time_problem::none) return !timed;
  return s.limit != service_limit::saturated && (limits.max_tpot <= seconds{} || s.tpot.mid <= limits.max_tpot) &&
         (limits.max_ttft <= seconds{} || s.ttft.mid <= limits.max_ttft);
}

}  // namespace

TEST_CASE("the fewest replicas serve and one fewer does not; more load never takes fewer devices") {
  std::mt19937 roll(7);
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(roll() % n); };
  const transformer* const models[] = {&catalog::llama_3_1_8b, &catalog::llama_3_1_70b, &catalog::qwen3_235b_a22b,
                                       &catalog::deepseek_v3};
  const auto parts = parts_to_try();
  int copied = 0;
  for (int trial = 0; trial < trials(160); ++trial) {
    workload w;
    w.model = models[below(4)];
    w.engine = vllm();
    if (below(2) == 0) w.engine.weights = formats::fp8;
    w.traffic.input_tokens = of<tokens>(1 + below(8000));
    w.traffic.output_tokens = of<tokens>(1 + below(1000));
    w.load = {w.traffic.input_tokens + w.traffic.output_tokens, of<sequences>(1)};
    constraints limits;
    if (below(2) == 0) limits.max_tpot = of<seconds>(.01 + .01 * static_cast<double>(below(10)));
    if (below(3) == 0) limits.max_ttft = of<seconds>(.2 * static_cast<double>(1 + below(20)));
    const offer one{parts[static_cast<std::size_t>(below(static_cast<unsigned>(parts.size())))], nullptr};
    const bool arrive = below(2) == 0;
    std::int64_t devices_before = 0;
    bool refused_before = false;
    for (double amount = 1; amount < 5000; amount *= 3.7) {
      if (arrive)
        w.traffic.request_rate = amount / 4;
      else
        w.load.concurrency = w.traffic.concurrency = of<sequences>(static_cast<std::int64_t>(amount));
      select(
          w, limits, std::span(&one, 1),
          [&](const choice& c) {
            INFO(w.model->name.view() << " on " << c.part.name << " tp " << c.layout.tp << " x " << c.replicas << ", "
                                      << amount);
            CHECK_FALSE(refused_before);
            CHECK(c.devices >= devices_before);
            CHECK(c.devices == c.replicas * c.layout.tp);
            CHECK(serves(w, limits, c, c.replicas));
            if (c.replicas > 1) {
              CHECK_FALSE(serves(w, limits, c, c.replicas - 1));
              ++copied;
            }
            devices_before = c.devices;
          },
          [&](const rejection&) { refused_before = true; });
    }
  }
  CHECK(copied > at_least(80));
}
