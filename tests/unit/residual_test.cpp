// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ullage/catalog.hpp>
#include <ullage/catalog/residual_grids.hpp>
#include <ullage/performance.hpp>
#include <ullage/performance/constant_names.hpp>

using namespace ullage;
using Catch::Approx;

namespace {

residual_grid two_by_two(const std::int8_t* nodes) {
  residual_grid g = grid_over({{2, 0, 1}, {2, 0, 1}, {2, 0, 1}}, nodes);
  for (int i = 0; i < 3; ++i) {
    g.hull_low[i] = 0;
    g.hull_high[i] = 1;
  }
  return g;
}

}  // namespace

TEST_CASE("the logarithm of a place in a grid") {
  for (const double v : {1e-9, .3, 1.0, 1.4142, 1.4143, 2.0, 3.0, 4096.0, 1e12})
    CHECK(detail::grid_log(v) == Approx(std::log(v)).margin(1.2e-5));
}

TEST_CASE("the exponential of a node") {
  for (double x = -512; x <= 512; x += .37) {
    CHECK(detail::node_exp(x) == Approx(std::exp(x / 64)).epsilon(2e-7));
    CHECK(detail::rough_node_exp(x) == Approx(std::exp(x / 64)).epsilon(.035));
  }
  CHECK(detail::node_exp(0) == 1);
}

TEST_CASE("a residual grid is trilinear") {
  static constexpr std::int8_t nodes[] = {0, 8, 16, 24, 32, 40, 48, 64};
  const residual_grid g = two_by_two(nodes);
  const auto at = [&](double x, double y, double z) { return detail::residual_at(g, x, y, z).factor_steps; };
  CHECK(at(0, 0, 0) == Approx(0).margin(1e-12));
  CHECK(at(0, 0, 1) == Approx(8));
  CHECK(at(0, 1, 0) == Approx(16));
  CHECK(at(1, 0, 0) == Approx(32));
  CHECK(at(1, 1, 1) == Approx(64));
  CHECK(at(.5, .5, .5) == Approx((0 + 8 + 16 + 24 + 32 + 40 + 48 + 64) / 8.0));
  CHECK(detail::residual_at(g, 1, 1, 1).inside);
}

TEST_CASE("outside the hull a residual fades, and nothing else") {
  static constexpr std::int8_t nodes[] = {64, 64, 64, 64, 64, 64, 64, 64};
  const residual_grid g = two_by_two(nodes);
  CHECK(detail::residual_at(g, .5, .5, .5).factor_steps == Approx(64));
  const residual_value half = detail::residual_at(g, 1.5, .5, .5);
  CHECK_FALSE(half.inside);
  CHECK(half.factor_steps == Approx(32));
  CHECK(detail::residual_at(g, .5, -2, .5).factor_steps == 0.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(detail::residual_at(g, nan, 0, 0).factor_steps == 0.0);
  CHECK(detail::residual_at(g, 0, nan, 0).factor_steps == 0.0);
  CHECK(detail::residual_at(g, 0, 0, nan).factor_steps == 0.0);
  CHECK(detail::residual_at(g, std::numeric_limits<double>::infinity(), 0, 0).factor_steps == 0.0);
  CHECK_FALSE(detail::residual_at(residual_grid{}, 0, 0, 0).inside);
}

TEST_CASE("a band follows its grid, and widens where nothing was measured") {
  const accelerator& a = catalog::h200_sxm;
  const constants plain = constants_for(a);
  const constants with = constants_with_residuals(a);
  const auto half = [&](std::int64_t m, const constants& c) {
    const op_time t = gemm(count(m), count(4096), count(4096), formats::bf16, a, c);
    return (value_of(t.time.high) - value_of(t.time.low)) / 2 / value_of(t.time.mid);
  };
  CHECK(half(64, with) < half(64, plain));
  CHECK(half(1 << 20, with) > half(1 << 20, plain));  // rows to 32,768 were measured
  const op_time far = gemm(count(1 << 24), count(4096), count(4096), formats::bf16, a, with);
  CHECK(value_of(far.time.mid) ==
        Approx(value_of(gemm(count(1 << 24), count(4096), count(4096), formats::bf16, a, plain).time.mid)));
}

TEST_CASE("constants changed by hand lose their grid") {
  constants c = constants_for(catalog::h200_sxm);
  c.gemm[static_cast<std::size_t>(math::bf16)].compute = {.5, .5, .5, basis::measured};
  add_residuals(c);
  CHECK(c.gemm[static_cast<std::size_t>(math::bf16)].residual == nullptr);
  CHECK(c.gemm[static_cast<std::size_t>(math::fp8)].residual != nullptr);
}

TEST_CASE("stacks") {
  const auto fp8_block = static_cast<std::size_t>(product::fp8_block);
  const auto floor_us = [&](const constants& c) { return 1e6 * value_of(c.gemm[fp8_block].floor.mid); };
  CHECK(floor_us(constants_as_timed(catalog::h200_sxm, kernel_stack::vllm)) > 50);
  CHECK(floor_us(constants_for(catalog::h200_sxm, kernel_stack::vllm)) < 15);  // steps do not pay that
  CHECK(floor_us(constants_for(catalog::h200_sxm)) < 15);
  CHECK(stack_of("tensorrt_llm") == kernel_stack::trtllm);
  CHECK(stack_of("llama.cpp") == kernel_stack::pooled);
}

TEST_CASE("a part without data takes the nearest relative's, and says so") {
  const auto bf16 = static_cast<std::size_t>(math::bf16);
  const constants refresh = constants_for(catalog::gb300);
  CHECK(refresh.relative == "b300");
  CHECK(refresh.gemm[bf16].compute.from == basis::transferred);
  CHECK(refresh.gemm[bf16].compute.mid / refresh.gemm[bf16].compute.low == Approx(1.17));
  const constants across = constants_for(catalog::v100_sxm_32gb);
  CHECK(across.relative == "a100-sxm");
  CHECK(across.gemm[bf16].compute.mid / across.gemm[bf16].compute.low == Approx(1.22));
  const auto fp8 = static_cast<std::size_t>(math::fp8);
  CHECK(refresh.gemm[fp8].compute.mid / refresh.gemm[fp8].compute.low == Approx(1.35));
}

TEST_CASE("distinct experts and the busiest rank against a simulation") {
  std::mt19937 random(7);
  for (const double skew : {0.0, .5, 1.0})
    for (const int experts : {32, 256})
      for (const int ranks : {4, 16})
        for (const int tokens_here : {16, 256}) {
          constexpr int top = 4;
          constexpr int rounds = 300;
          double reached = 0;
          double busiest = 0;
          for (int round = 0; round < rounds; ++round) {
            // Popularity of the experts: gamma of that variation; a token picks `top` different ones.
            std::vector<double> weight(static_cast<std::size_t>(experts), 1.0);
            if (skew > 0) {
              std::gamma_distribution<double> popularity(1 / (skew * skew), skew * skew);
              for (double& w : weight) w = popularity(random) + 1e-9;
            }
            std::vector<int> load(weight.size(), 0);
            std::discrete_distribution<std::size_t> pick(weight.begin(), weight.end());
            for (int t = 0; t < tokens_here; ++t) {
              std::vector<std::size_t> own;
              while (own.size() < top) {
                const std::size_t e = pick(random);
                bool again = false;
                for (std::size_t o : own) again = again || o == e;
                if (!again) own.push_back(e);
              }
              for (std::size_t e : own) ++load[e];
            }
            const std::size_t each = weight.size() / static_cast<std::size_t>(ranks);
            int most = 0;
            for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
              int sum = 0;
              for (std::size_t i = 0; i < each; ++i) sum += load[r * each + i];
              most = most > sum ? most : sum;
            }
            for (int l : load) reached += l > 0 ? 1 : 0;
            busiest += static_cast<double>(most) * ranks / (tokens_here * top);
          }
          INFO("skew " << skew << ", " << experts << " experts, " << ranks << " ranks, " << tokens_here << " tokens");
          CHECK(distinct_experts(experts, top, tokens_here, skew) == Approx(reached / rounds).epsilon(.06));
          CHECK(busiest_rank(ranks, experts / ranks, tokens_here * top / ranks, skew) ==
                Approx(busiest / rounds).epsilon(.12));
        }
}

TEST_CASE("bad shapes of products and experts") {
  const constants c = constants_for(catalog::h200_sxm);
  const auto problem = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return gemm(count(m), count(n), count(k), formats::bf16, catalog::h200_sxm, c).problem;
  };
  CHECK(problem(0, 1, 1) == time_problem::bad_load);
  CHECK(problem(1, -4, 1) == time_problem::bad_load);
  CHECK(problem(1, 1, 0) == time_problem::bad_load);
  feed_forward f;
  f.kind = feed_forward_kind::experts;
  f.experts = 8;
  f.experts_per_token = 9;  // more than there are
  f.expert_inner = 1024;
  const auto experts_problem = [&](std::int64_t ep) {
    return experts(f, count(4096), formats::bf16, of<tokens>(16), 1, ep, catalog::h200_sxm, c).problem;
  };
  CHECK(experts_problem(1) == time_problem::bad_load);
  f.experts_per_token = 2;
  CHECK(experts_problem(1) == time_problem::none);
  CHECK(experts_problem(16) == time_problem::bad_load);  // more ranks than experts
  CHECK(experts_problem(0) == time_problem::bad_load);
  // A format that the part lacks runs wider, is said to, and costs more than where it is native.
  const op_time widened = gemm(count(4096), count(4096), count(4096), formats::nvfp4, catalog::h200_sxm, c);
  CHECK(widened.fell_back);
  CHECK(widened.computes_as == math::bf16);
}

TEST_CASE("constants by name") {
  constants c = constants_with_residuals(catalog::h200_sxm);
  CHECK(set_constant(c, "gemm.fp8.compute", .6) == constant_problem::none);
  const kernel_constants& fp8 = c.gemm[static_cast<std::size_t>(math::fp8)];
  CHECK(fp8.compute.mid == .6);
  CHECK(fp8.compute.from == basis::measured);
  CHECK(fp8.residual == nullptr);
  add_residuals(c);
  CHECK(fp8.residual == nullptr);
  CHECK(set_constant(c, "experts.mxfp4_a16.floor_us", 50) == constant_problem::none);
  CHECK(value_of(c.experts[static_cast<std::size_t>(product::mxfp4_a16)].floor.high) == Approx(50e-6));
  CHECK(set_constant(c, "expert_skew", 0) == constant_problem::none);
  CHECK(set_constant(c, "step_gap_us", 120) == constant_problem::none);
  CHECK(value_of(c.step_gap.mid) == Approx(120e-6));
  for (const char* name :
       {"", "gemm", "gemm.fp8", "gemm.fp9.compute", "gemm.fp8.speed", "gemm.fp8.pad_rows", "gem.fp8.memory"})
    CHECK(set_constant(c, name, .5) == constant_problem::unknown_name);
  CHECK(set_constant(c, "gemm.fp8.compute", 1.1) == constant_problem::out_of_range);
  CHECK(set_constant(c, "gemm.fp8.memory", 0) == constant_problem::out_of_range);
  CHECK(set_constant(c, "step_gap_us", -1) == constant_problem::out_of_range);
  CHECK(set_constant(c, "step_share", std::numeric_limits<double>::quiet_NaN()) == constant_problem::out_of_range);
  CHECK(fp8.compute.mid == .6);
}
