// SPDX-License-Identifier: Apache-2.0
// Loads of unequal sequences against sums over all lengths and against simulation.
#include "support/catch.hpp"
#include "support/trials.hpp"

#include <cmath>
#include <ullage/catalog/find_record.hpp>
#include <ullage/ullage.hpp>
#include <vector>

using namespace ullage;

namespace {

struct dice {
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  std::int64_t operator()(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(last - first + 1));
  }
  double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(1 - share())) * std::cos(6.283185307179586 * share()); }
};

/// Of a list the drawn one, of a lognormal the next whole token; cut at `longest`.
std::int64_t draw(dice& roll, const context_distribution& d, std::int64_t longest) {
  std::int64_t n = 0;
  if (d.values.empty()) {
    const double x = std::ceil(std::exp(d.log_mean + d.log_deviation * roll.normal()));
    n = x < static_cast<double>(longest) ? static_cast<std::int64_t>(x) : longest;
  } else {
    double sum = 0;
    for (const auto& v : d.values) sum += v.weight;
    double at = roll.share() * sum;
    for (const auto& v : d.values) {
      n = v.tokens;
      at -= v.weight;
      if (at < 0) break;
    }
  }
  return (std::max)((std::min)(n, longest), std::int64_t{1});
}

context_distribution any_list(dice& roll, std::int64_t most_values) {
  context_distribution d;
  const std::int64_t n = roll(2, most_values);
  for (std::int64_t i = 0; i < n; ++i)
    d.values.push_back({roll(1, 1 << roll(6, 15)), static_cast<double>(roll(1, 100))});
  // Now and then one that is long and rare, which sums feel most.
  if (roll(1, 3) == 1) d.values.push_back({roll(20000, 100000), static_cast<double>(roll(1, 8))});
  return d;
}

std::int64_t charge(const cache_layout& b, std::int64_t tokens_of_it) {
  return b.pooled ? blocks_per_sequence(b, of<tokens>(tokens_of_it)).value()
                  : integer(charged_per_sequence(b, of<tokens>(tokens_of_it)));
}

/// How often the sum of n draws is at most `room`.
double share_inside(dice& roll, const context_distribution& d, const cache_layout& b, std::int64_t longest,
                    std::int64_t n, double room, int trials) {
  int inside = 0;
  for (int t = 0; t < trials; ++t) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(charge(b, draw(roll, d, longest)));
    inside += sum <= room ? 1 : 0;
  }
  return static_cast<double>(inside) / trials;
}

const char* const names[] = {"llama-3.1-8b",     "gemma-3-27b",   "qwen3-next-80b-a3b",
                             "deepseek-v2-lite", "llama-4-scout", "nemotron-3-nano-30b-a3b"};
transformer model_named(const char* name) {
  if (const transformer* m = catalog::find_model(name)) return *m;
  return catalog::expand(*catalog::find_record(name));
}

}  // namespace

TEST_CASE("a lognormal has the mean and the 95th percentile that it was asked for") {
  dice roll;
  for (int i = 0; i < trials(300); ++i) {
    context_distribution d;
    const double mean = static_cast<double>(roll(1, 100000));
    const double p95 = mean * (1.01 + 2.85 * roll.share());
    REQUIRE(set_lognormal(d, mean, p95) == distribution_problem::none);
    CHECK(std::exp(d.log_mean + d.log_deviation * d.log_deviation / 2) == Approx(mean));
    CHECK(std::exp(d.log_mean + 1.6448536269514722 * d.log_deviation) == Approx(p95));
  }
  context_distribution d;
  CHECK(set_lognormal(d, 2000, 9000) == distribution_problem::p95_out_of_reach);
  CHECK(set_lognormal(d, 2000, 2000) == distribution_problem::p95_at_mean);
  CHECK(set_lognormal(d, 0, 2000) == distribution_problem::bad_mean);
  CHECK(check(d) == distribution_problem::nothing);
}

TEST_CASE("moments of the charge are those of the sum over all lengths") {
  dice roll;
  for (const char* name : names)
    for (int i = 0; i < 6; ++i) {
      const transformer m = model_named(name);
      layout l;
      l.tp = std::int64_t{1} << roll(0, 1);
      engine e = roll(1, 4) == 1 ? plain() : vllm();
      if (roll(1, 3) == 1) e.options.block_size = of<tokens>(roll(1, 200));
      const std::int64_t longest = roll(5000, 60000);
      const cache_layout b = cache_layout_of(m, e, l, stage_of(m, l, 0), 4096_tok);
      context_distribution d;
      const double mean = static_cast<double>(roll(20, 20000));
      REQUIRE(set_lognormal(d, mean, mean * (1.2 + 2.5 * roll.share())) == distribution_problem::none);
      double below = 0;
      double sums[3]{};
      double lengths = 0;
      for (int pass = 0; pass < 2; ++pass) {
        below = 0;
        for (std::int64_t c = 1; c <= longest; ++c) {
          const double up_to = c == longest ? 1
                                            : 0.5 * std::erfc(-(std::log(static_cast<double>(c)) - d.log_mean) /
                                                              d.log_deviation / std::sqrt(2.0));
          const double x = static_cast<double>(charge(b, c));
          if (pass == 0) {
            sums[0] += (up_to - below) * x;
            lengths += (up_to - below) * static_cast<double>(c);
          } else {
            sums[1] += (up_to - below) * std::pow(x - sums[0], 2);
            sums[2] += (up_to - below) * std::pow(x - sums[0], 3);
          }
          below = up_to;
        }
      }
      const drawn_charge c = charge_of_draw(d, b, of<tokens>(longest));
      INFO(name << ", mean " << mean << ", longest " << longest << ", block " << integer(b.block_tokens));
      CHECK(c.mean == Approx(sums[0]).epsilon(2e-4));
      CHECK(c.deviation == Approx(std::sqrt(sums[1])).epsilon(2e-3).margin(1e-3 * sums[0]));
      if (c.deviation > 1e-3 * c.mean)
        CHECK(c.skewness == Approx(sums[2] / std::pow(sums[1], 1.5)).epsilon(1e-2).margin(1e-2));
      CHECK(mean_context(d, of<tokens>(longest)) == Approx(lengths - 0.5).margin(0.51));
    }
}

TEST_CASE("mixes: n of the limit fit with 95 % probability by simulation, one more do not, and the verdict agrees") {
  dice roll;
  int lists = 0;
  int lognormals = 0;
  int few = 0;
  for (int i = 0; i < trials(150); ++i) {
    const char* name = names[static_cast<std::size_t>(roll(0, 5))];
    const transformer m = model_named(name);
    engine e = roll(1, 5) == 1 ? plain() : vllm();
    e.options.max_model_len = 131072_tok;
    e.options.kv_cache_memory_bytes = of<bytes>(roll(1, 20) * roll(1, 20) * 200'000'000);
    layout l;
    l.tp = 2;
    l.dp = roll(1, 2);
    if (check_layout(m, l) != layout_problem::none) l.dp = 1;
    context_distribution d;
    const bool list = roll(1, 2) == 1;
    const double mean = static_cast<double>(roll(1000, 40000));
    if (list)
      d = any_list(roll, roll(1, 2) == 1 ? 2 : 10);
    else
      REQUIRE(set_lognormal(d, mean, mean * (1.2 + 2.5 * roll.share())) == distribution_problem::none);
    const verdict start = fits(m, catalog::h200_sxm, l, e, {});
    REQUIRE(start.answer != answer::invalid);
    const mix_limits most = max_concurrency(start, d);
    const std::int64_t n = integer(most.at_p95) / l.dp;
    if (n == 0) continue;
    const auto left = [&](std::int64_t how_many) {
      return fits(m, catalog::h200_sxm, l, e, {{}, of<sequences>(how_many), &d}).left();
    };
    CHECK(left(n * l.dp) >= bytes{});
    CHECK(left(n * l.dp + 1) < bytes{});
    const rank_memory& r = start.worst();
    const double room = r.blocks.pooled
                            ? static_cast<double>(blocks_in(r.blocks, r.kv_available.mid).value()) - e.rules.null_blocks
                            : real(r.kv_available.mid);
    const drawn_charge c = charge_of_draw(d, r.blocks, 131072_tok);
    const double expected = real(most.expected) / static_cast<double>(l.dp);
    CHECK(expected * c.mean <= room * (1 + 1e-9));
    CHECK((expected + 1) * c.mean > room);
    if (n > 300) continue;
    INFO(name << (list ? ", list" : ", lognormal") << ", n " << n << ", skewness " << c.skewness);
    const double now = share_inside(roll, d, r.blocks, 131072, n, room, 2000);
    const double beyond = share_inside(roll, d, r.blocks, 131072, n + 1, room, 2000);
    CHECK(now >= 0.93);  // 2,000 trials of 0.95: two of 1,000 are below 0.935
    CHECK(beyond <= 0.97);
    ++(list ? lists : lognormals);
    few += n < 17 ? 1 : 0;
  }
  CHECK(lists > at_least(30));
  CHECK(lognormals > at_least(40));
  CHECK(few > at_least(20));
}

TEST_CASE("a list of one length is that length, and a larger share of long ones never holds more") {
  dice roll;
  for (const char* name : names) {
    const transformer m = model_named(name);
    for (int i = 0; i < 20; ++i) {
      const std::int64_t n = roll(1, 60000);
      engine e = vllm();
      e.options.max_model_len = 65536_tok;
      context_distribution one;
      one.values.push_back({n, 0.1});
      const load same{of<tokens>(n), of<sequences>(roll(1, 100))};
      const load drawn{{}, same.concurrency, &one};
      const limits a = solve(m, catalog::b200, {.tp = 2}, e, same);
      const limits b = solve(m, catalog::b200, {.tp = 2}, e, drawn);
      CHECK(a.max_concurrency_at_context == b.max_concurrency_at_context);
      CHECK(b.mix.expected == b.mix.at_p95);
      CHECK(a.min_devices == b.min_devices);
      CHECK(fits(m, catalog::b200, {.tp = 2}, e, same).left() == fits(m, catalog::b200, {.tp = 2}, e, drawn).left());
      context_distribution mix;
      mix.values.push_back({n, 1});
      mix.values.push_back({65536, 0});
      mix_limits before = max_concurrency(fits(m, catalog::b200, {.tp = 2}, e, {}), mix);
      CHECK(before.at_p95 == b.mix.at_p95);
      for (double weight : {0.01, 0.05, 0.2, 1.0, 10.0}) {
        mix.values[1].weight = weight;
        const mix_limits now = max_concurrency(fits(m, catalog::b200, {.tp = 2}, e, {}), mix);
        CHECK(now.expected <= before.expected);
        CHECK(now.at_p95 <= before.at_p95);
        CHECK(now.at_p95 <= now.expected + 1_seq);
        before = now;
      }
    }
  }
}

TEST_CASE("what is no distribution is refused, not answered") {
  context_distribution d;
  const auto ask = [&](tokens context) {
    return fits(catalog::llama_3_1_8b, catalog::h200_sxm, {}, vllm(), {context, 1_seq, &d}).problem;
  };
  CHECK(ask({}) == problem::bad_option);
  d.values.push_back({0, 1});
  CHECK(ask({}) == problem::bad_option);
  d.values[0] = {1000, -1};
  CHECK(ask({}) == problem::bad_option);
  d.values[0] = {1000, 0};
  CHECK(ask({}) == problem::bad_option);
  d.values[0] = {1000, 1};
  CHECK(ask({}) == problem::none);
  CHECK(ask(1000_tok) == problem::bad_option);
}
