// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"

#include <ullage/ullage.hpp>
#include <vector>

using namespace ullage;

namespace {

std::vector<offer> all_offers() {
  std::vector<offer> all;
  for (const accelerator& a : catalog::accelerators) all.push_back({a, nullptr});
  return all;
}
workload chat() {
  workload w;
  w.model = &catalog::llama_3_1_70b;
  w.engine = vllm();
  w.engine.weights = formats::fp8;
  w.load = {8192_tok, 32_seq};
  w.traffic = {.input_tokens = 6144_tok, .output_tokens = 1024_tok, .concurrency = 32_seq};
  return w;
}

}  // namespace

TEST_CASE("every offer is either chosen or rejected, and the order is that of the objective") {
  const auto offers = all_offers();
  for (objective o : {objective::fewest_devices, objective::latency, objective::power}) {
    std::vector<choice> chosen;
    std::vector<rejection> rejected;
    constraints limits;
    limits.max_tpot = 50_ms;
    limits.rank_by = o;
    select(
        chat(), limits, offers, [&](const choice& c) { chosen.push_back(c); },
        [&](const rejection& r) { rejected.push_back(r); });
    CHECK(chosen.size() + rejected.size() == offers.size());
    REQUIRE(!chosen.empty());
    REQUIRE(!rejected.empty());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const choice& c = chosen[i];
      CHECK(c.left >= bytes{});
      CHECK(c.speed.tpot.mid <= limits.max_tpot);
      CHECK(c.devices == c.layout.tp * c.replicas);
      if (i == 0) continue;
      if (o == objective::fewest_devices) CHECK(chosen[i - 1].devices <= c.devices);
      if (o == objective::latency) CHECK(chosen[i - 1].speed.tpot.mid <= c.speed.tpot.mid);
      if (o == objective::power && value_of(c.power) > 0) CHECK(chosen[i - 1].power <= c.power);
    }
  }
}

TEST_CASE("a rejection names the limit and by how much, and loosening it by that much accepts") {
  const auto offers = all_offers();
  constraints limits;
  limits.max_tpot = 40_ms;
  limits.max_power = of<watts>(3000.0);
  limits.max_devices = 4_dev;
  int relaxed = 0;
  select(
      chat(), limits, offers, [](const choice&) {},
      [&](const rejection& r) {
        constraints loose = limits;
        switch (r.limit) {
          case limit_kind::tpot:
            CHECK(r.need > r.have);
            loose.max_tpot = of<seconds>(r.need);
            break;
          case limit_kind::power: loose.max_power = of<watts>(r.need); break;
          case limit_kind::device_count: loose.max_devices = of<devices>(static_cast<std::int64_t>(r.need)); break;
          default: return;
        }
        const offer one{r.part, nullptr};
        bool passed = false;
        bool further = false;
        select(
            chat(), loose, std::span(&one, 1), [&](const choice&) { passed = true; },
            [&](const rejection& again) { further = static_cast<int>(again.limit) > static_cast<int>(r.limit); });
        CHECK((passed || further));
        ++relaxed;
      });
  CHECK(relaxed >= 3);
}

TEST_CASE("memory rejects with the bytes that are missing") {
  const offer one{catalog::t4, nullptr};
  int seen = 0;
  workload w = chat();
  w.model = &catalog::deepseek_v3;
  select(
      w, {}, std::span(&one, 1), [](const choice&) { FAIL("a T4 cannot"); },
      [&](const rejection& r) {
        ++seen;
        CHECK(r.limit == limit_kind::memory);
        CHECK(r.devices == 8);
        CHECK(r.replicas == 1);
        // No number of replicas mends it: the bytes are those of a single conversation.
        const verdict v = fits(catalog::deepseek_v3, catalog::t4, {.tp = 8}, w.engine, {w.load.context, 1_seq});
        CHECK(r.need - r.have == Catch::Approx(-real(v.left())));
      });
  CHECK(seen == 1);
}

TEST_CASE("a limit on power refuses a part whose power is not published, by name") {
  const offer one{catalog::tpu_v6e, nullptr};
  constraints limits;
  limits.max_power = of<watts>(10000.0);
  select(
      chat(), limits, std::span(&one, 1), [](const choice&) { FAIL("power is unknown"); },
      [](const rejection& r) { CHECK(r.limit == limit_kind::power_unknown); });
}

TEST_CASE("without traffic memory alone decides") {
  workload w = chat();
  w.traffic = {};
  std::size_t chosen = 0;
  const auto offers = all_offers();
  select(
      w, {}, offers,
      [&](const choice& c) {
        ++chosen;
        CHECK_FALSE(c.speed_known);
      },
      [](const rejection&) {});
  CHECK(chosen > 10);
}

TEST_CASE("what one engine cannot hold or serve, replicas do: the fewest, each with its share") {
  const offer one{catalog::h100_sxm, nullptr};
  workload w = chat();
  const auto chosen = [&](const constraints& limits) {
    choice found;
    select(
        w, limits, std::span(&one, 1), [&](const choice& c) { found = c; }, [](const rejection&) {});
    return found;
  };
  w.traffic = {};
  w.load.concurrency = 500_seq;
  const choice held = chosen({});
  REQUIRE(held.replicas > 1);
  CHECK(held.devices == held.replicas * held.layout.tp);
  const auto holds = [&](std::int64_t n) {
    const sequences share = of<sequences>(ceil_div(count(500), count(n)));
    return fits(*w.model, catalog::h100_sxm, held.layout, w.engine, {w.load.context, share}).left() >= bytes{};
  };
  CHECK(holds(held.replicas));
  CHECK_FALSE(holds(held.replicas - 1));
  CHECK(held.left == fits(*w.model, catalog::h100_sxm, held.layout, w.engine,
                          {w.load.context, of<sequences>(ceil_div(count(500), count(held.replicas)))})
                         .left());

  // A limit below that names the devices that would do.
  constraints few;
  few.max_devices = of<devices>(held.devices - 1);
  select(
      w, few, std::span(&one, 1), [](const choice&) { FAIL("too many devices"); },
      [&](const rejection& r) {
        CHECK(r.limit == limit_kind::device_count);
        CHECK(r.need == Catch::Approx(static_cast<double>(held.devices)));
        CHECK(r.devices == held.devices);
      });

  w.load = {8192_tok, 1_seq};
  w.traffic = {.input_tokens = 6144_tok, .output_tokens = 1024_tok, .request_rate = 20};
  const choice served = chosen({});
  REQUIRE(served.replicas > 1);
  CHECK(value_of(served.speed.output.mid) == Catch::Approx(20 * 1024));
  CHECK(served.speed.requests_per_second.mid == Catch::Approx(20));
  CHECK(value_of(served.speed.output_per_device.mid) ==
        Catch::Approx(20.0 * 1024 / static_cast<double>(served.devices)));

  // What no share of the load mends is told of one replica alone.
  constraints fast;
  fast.max_tpot = 1_ms;
  select(
      w, fast, std::span(&one, 1), [](const choice&) { FAIL("not so fast"); },
      [](const rejection& r) {
        CHECK(r.limit == limit_kind::tpot);
        CHECK(r.replicas == 1);
        CHECK(r.devices == 8);
      });
}
