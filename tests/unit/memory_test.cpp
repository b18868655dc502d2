// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"

#include <limits>
#include <ullage/ullage.hpp>

using namespace ullage;

TEST_CASE("a count sticks once it overflows") {
  const count big(std::int64_t{1} << 62);
  CHECK((big + big).overflowed());
  CHECK((big * count(2)).overflowed());
  CHECK((-big - big - big).overflowed());
  CHECK((count::overflow() - count::overflow()).overflowed());
  CHECK((count::overflow() * count(0)).overflowed());
  CHECK(count(~0ULL).overflowed());
  CHECK_FALSE((big - big).overflowed());
  CHECK(count(-3) * count(5) == count(-15));
  CHECK(count(-(std::int64_t{1} << 40)) * count(1 << 20) == count(-(std::int64_t{1} << 60)));
}

TEST_CASE("division says what happens to the remainder") {
  CHECK(ceil_div(7, 2) == count(4));
  CHECK(ceil_div(-7, 2) == count(-3));
  CHECK(floor_div(-7, 2) == count(-4));
  CHECK(floor_div(7, 2) == count(3));
  CHECK(ceil_div(7, 0).overflowed());
  CHECK(round_up(128'256, 64) == count(128'256));
  CHECK(round_up(50'257, 64) == count(50'304));
}

TEST_CASE("formats are exact, scales and all") {
  CHECK(formats::bf16.storage(3, 5) == 30_B);
  CHECK(formats::fp8.storage(128, 128) == of<bytes>(128 * 128 + 4));
  CHECK(formats::fp8_block.storage(7168, 2048) == of<bytes>(7168 * 2048 + 56 * 16 * 4));
  CHECK(formats::fp8_block.storage(129, 1) == of<bytes>(129 + 2 * 4));
  CHECK(formats::int4.storage(256, 128) == of<bytes>(256 * 64 + 256 * 20 / 8));
  CHECK(formats::mxfp4.storage(1, 64) == of<bytes>(32 + 2));
  CHECK(formats::nvfp4.storage(16, 32) == of<bytes>(16 * 16 + 16 * 2 + 8));
  CHECK(formats::int8.storage(10, 100) == of<bytes>(1000 + 40));
  CHECK(formats::bf16.storage(0, 5) == 0_B);
  CHECK(overflowed(formats::bf16.storage(std::int64_t{1} << 40, std::int64_t{1} << 40)));
  CHECK(find_format("nvfp4") == formats::nvfp4);
  CHECK(find_format("nope").name.empty());
}

TEST_CASE("Llama-3.1-70B by hand") {
  // 80 layers of 2·8192·8192 + 2·8192·1024 + 3·8192·28672 + 2·8192, two matrices of 128256·8192 and a norm.
  const std::int64_t layer = 2LL * 8192 * 8192 + 2LL * 8192 * 1024 + 3LL * 8192 * 28672 + 2 * 8192;
  CHECK(parameters(catalog::llama_3_1_70b).total == count(80 * layer + 2LL * 128256 * 8192 + 8192));
  // fp8 on the linear layers, one scale each; the ends stay in 16 bits.
  const std::int64_t linear = 2LL * 8192 * 8192 + 2LL * 8192 * 1024 + 3LL * 8192 * 28672;
  const bytes stored = stored_weights(catalog::llama_3_1_70b, quantized_linears(formats::fp8, formats::bf16));
  CHECK(stored == of<bytes>(80 * (linear + 7 * 4 + 2 * 2 * 8192) + 2 * (2LL * 128256 * 8192 + 8192)));
}

TEST_CASE("active parameters leave out the experts that are not picked") {
  const parameter_counts p = parameters(catalog::mixtral_8x7b);
  CHECK(p.total - p.active == count(32LL * 6 * 3 * 4096 * 14336));
  CHECK(parameters(catalog::llama_3_1_8b).active == parameters(catalog::llama_3_1_8b).total);
  count sum = 0;
  for (count n : p.by_part) sum += n;
  CHECK(sum == p.total);
}

TEST_CASE("DeepSeek-V3 on eight devices: latent whole, experts spread") {
  const layout split{.tp = 8};
  const layout spread{.tp = 8, .ep = 8};
  const engine e = vllm();
  const stage s = stage_of(catalog::deepseek_v3, split, 0);
  // The experts are the same bytes either way but for the block scales of the smaller pieces (256 columns of 2048).
  const bytes a = resident_weights(catalog::deepseek_v3, e, split, s);
  const bytes b = resident_weights(catalog::deepseek_v3, e, spread, s);
  CHECK(real(a) / real(b) == Catch::Approx(1.0).epsilon(1e-4));
  const verdict v = fits(catalog::deepseek_v3, catalog::h200_sxm, split, e, {8192_tok, 64_seq});
  CHECK(v.kv.per_token == 70'272_B);
  CHECK(v.kv.page == of<bytes>(576 * 2 * 16));
  // dp·tp experts: 256 over 16 ranks.
  const layout wide{.tp = 8, .dp = 2, .ep = 16};
  CHECK(check_layout(catalog::deepseek_v3, wide) == layout_problem::none);
  CHECK(resident_weights(catalog::deepseek_v3, e, wide, s) < b);
}

TEST_CASE("layouts that cannot run say why") {
  const transformer& m = catalog::llama_3_1_70b;
  CHECK(check_layout(m, {.tp = 3}) == layout_problem::heads_not_divisible);
  CHECK(check_layout(m, {.tp = 0}) == layout_problem::not_positive);
  CHECK(check_layout(m, {.pp = 81}) == layout_problem::more_stages_than_layers);
  CHECK(check_layout(m, {.ep = 2}) == layout_problem::expert_parallel_without_experts);
  CHECK(check_layout(catalog::mixtral_8x7b, {.tp = 2, .ep = 4}) == layout_problem::expert_parallel_size);
  CHECK(check_layout(m, {.tp = 4, .dcp = 3}) == layout_problem::dcp_does_not_divide_tp);
  CHECK(check_layout(m, {.cp = 2}) == layout_problem::context_parallel_not_modelled);
  layout uneven{.pp = 2};
  uneven.layers_per_stage.push_back(30);
  CHECK(check_layout(m, uneven) == layout_problem::stages_do_not_sum);
  uneven.layers_per_stage.push_back(50);
  CHECK(check_layout(m, uneven) == layout_problem::none);
  CHECK(stage_of(m, uneven, 1).first == 30);
  CHECK(fits(m, catalog::h200_sxm, {.tp = 3}, vllm(), {}).problem == problem::layout);
}

TEST_CASE("tied embeddings stand on both ends of a pipeline") {
  const transformer& m = catalog::llama_3_2_1b;
  const weight_scheme w = uniform_weights(formats::bf16);
  const bytes one = rank_weights(m, w, {}, stage_of(m, {}, 0), 64);
  const layout two{.pp = 2};
  const bytes both =
      rank_weights(m, w, two, stage_of(m, two, 0), 64) + rank_weights(m, w, two, stage_of(m, two, 1), 64);
  CHECK(both - one == of<bytes>(128256LL * 2048 * 2));
}

TEST_CASE("KV heads are replicated when there are more ranks than heads") {
  const attention& a = catalog::qwen3_235b_a22b.layer(0).attention;
  CHECK(kv_per_token(a, formats::bf16, 4) == 512_B);
  CHECK(kv_per_token(a, formats::bf16, 8) == 512_B);
  CHECK(kv_per_token(a, formats::fp8, 8) == 256_B);
  CHECK(kv_per_token(a, formats::nvfp4, 8) == of<bytes>(128 + 16));
}

TEST_CASE("what vLLM prints depends on its version") {
  calibration given;
  given.kv_available = of<bytes>(10'000'000'000);
  const accelerator& a = catalog::h100_sxm;
  engine older = vllm("0.19.0");
  older.options.max_model_len = 5000_tok;
  engine newer = vllm("0.24.0");
  newer.options.max_model_len = 5000_tok;
  const verdict o = fits(catalog::llama_3_1_8b, std::span(&a, 1), {}, older, {}, &given);
  const verdict n = fits(catalog::llama_3_1_8b, std::span(&a, 1), {}, newer, {}, &given);
  const std::int64_t blocks = 10'000'000'000 / (131072 * 16);
  CHECK(o.kv.blocks == count(blocks));
  CHECK(o.kv.reported == of<tokens>(blocks * 16));
  CHECK(n.kv.max_concurrency == Catch::Approx(static_cast<double>(blocks) / 313));
  CHECK(n.kv.reported == of<tokens>(static_cast<std::int64_t>(static_cast<double>(blocks) / 313 * 5000)));
  CHECK(o.worst().kv_available.pinned());
}

TEST_CASE("options outside their range have no answer") {
  engine e = vllm();
  e.options.gpu_memory_utilization = 1.5;
  CHECK(fits(catalog::llama_3_1_8b, catalog::l4, {}, e, {}).problem == problem::bad_option);
  CHECK(fits(catalog::llama_3_1_8b, catalog::l4, {}, vllm(), {-1_tok, 1_seq}).problem == problem::bad_option);
  CHECK(fits(catalog::llama_3_1_8b, catalog::l4, {}, vllm(), {{}, 1_seq}).problem == problem::bad_option);
  engine shorter = vllm();
  shorter.options.max_model_len = 100_tok;
  CHECK(fits(catalog::llama_3_1_8b, catalog::l4, {}, shorter, {200_tok, 1_seq}).problem == problem::bad_option);
  CHECK(fits(catalog::llama_3_1_8b, std::span<const accelerator>{}, {}, vllm(), {}).problem == problem::device_count);
  CHECK(fits(catalog::llama_3_1_8b, accelerator{}, {}, vllm(), {}).problem == problem::no_memory);
  CHECK(fits(transformer{}, catalog::l4, {}, vllm(), {}).problem == problem::empty_model);
  CHECK(fits(catalog::llama_3_1_8b, catalog::l4, {}, vllm(), {of<tokens>(131072), of<sequences>(std::int64_t{1} << 60)})
            .problem == problem::overflow);
}

TEST_CASE("every rule can be overridden by name") {
  engine_rules r;
  CHECK(set_rule(r, "graphs_inside_budget", 0) == rule_result::set);
  CHECK(r.graphs_inside_budget == 0);
  CHECK(set_rule(r, "no_such_rule", 1) == rule_result::unknown_rule);
  CHECK(set_rule(r, "runtime_single_mid", -1e18) == rule_result::out_of_range);
  CHECK(set_rule(r, "graph_low", std::numeric_limits<double>::quiet_NaN()) == rule_result::out_of_range);
  for (const detail::named_rule& n : detail::rule_names) {
    CHECK(set_rule(r, n.name, n.least) == rule_result::set);
    CHECK(r.*n.member == n.least);
  }
}

TEST_CASE("weights that the device does not hold never fit, whatever is fixed or measured") {
  const accelerator& a = catalog::h100_sxm;
  engine e = vllm();
  e.options.kv_cache_memory_bytes = of<bytes>(60'000'000'000);
  const verdict fixed = fits(catalog::llama_3_1_70b, a, {}, e, {8192_tok, 2_seq});
  CHECK(fixed.answer == answer::does_not_fit);
  CHECK(fixed.term == memory_term::weights);
  CHECK(fixed.left() < bytes{});
  calibration given;
  given.kv_available = of<bytes>(60'000'000'000);
  CHECK(fits(catalog::llama_3_1_405b, std::span(&a, 1), {}, vllm(), {8192_tok, 2_seq}, &given).answer ==
        answer::does_not_fit);
  // Beside weights that it does hold, a fixed cache is taken as it is.
  e.options.kv_cache_memory_bytes = of<bytes>(20'000'000'000);
  const verdict small = fits(catalog::llama_3_1_8b, a, {}, e, {8192_tok, 2_seq});
  CHECK(small.answer == answer::fits);
  CHECK(small.worst().kv_available.pinned());
}

TEST_CASE("graphs outside the budget need what the budget leaves") {
  engine e = vllm("0.19.0");
  e.options.gpu_memory_utilization = 1.0;
  const verdict v = fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, e, {8192_tok, 2_seq});
  CHECK(v.answer == answer::does_not_fit);
  CHECK(v.term == memory_term::graphs);
  CHECK(v.left() == -v.worst().graphs.mid);
  e.options.enforce_eager = true;
  CHECK(fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, e, {8192_tok, 2_seq}).answer == answer::fits);
  // From 0.21 they are inside.
  engine newer = vllm("0.24.0");
  newer.options.gpu_memory_utilization = 1.0;
  CHECK(fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, newer, {8192_tok, 2_seq}).answer == answer::fits);
}

TEST_CASE("decode context parallel shares out replicated heads only") {
  CHECK(check_layout(catalog::llama_3_1_8b, {.tp = 2, .dcp = 2}) == layout_problem::dcp_needs_replicated_heads);
  CHECK(check_layout(catalog::llama_3_1_8b, {.tp = 16, .dcp = 2}) == layout_problem::none);
  CHECK(check_layout(catalog::qwen3_235b_a22b, {.tp = 8, .dcp = 2}) == layout_problem::none);
  CHECK(check_layout(catalog::qwen3_235b_a22b, {.tp = 8, .dcp = 4}) == layout_problem::dcp_needs_replicated_heads);
  CHECK(check_layout(catalog::deepseek_v3, {.tp = 8, .dcp = 8}) == layout_problem::none);
  const load w{65536_tok, 8_seq};
  const verdict one = fits(catalog::deepseek_v3, catalog::h200_sxm, {.tp = 8}, vllm(), w);
  const verdict spread = fits(catalog::deepseek_v3, catalog::h200_sxm, {.tp = 8, .dcp = 8}, vllm(), w);
  CHECK(one.kv.charged_per_sequence == spread.kv.charged_per_sequence * count(8));
  CHECK(spread.kv.reported >= one.kv.reported * count(7));
}

TEST_CASE("an overflow anywhere in the question is said, not read as absent") {
  const bytes b = of<bytes>(count::overflow());
  const tokens t = of<tokens>(count::overflow());
  const sequences s = of<sequences>(count::overflow());
  const auto problem_with = [](auto&& change) {
    engine e = vllm();
    load w{4096_tok, 4_seq};
    calibration g;
    change(e, w, g);
    return fits(catalog::llama_3_1_8b, std::span(&catalog::h100_sxm, 1), {}, e, w, &g).problem;
  };
  CHECK(problem_with([&](engine& e, load&, calibration&) { e.options.kv_cache_memory_bytes = b; }) ==
        problem::overflow);
  CHECK(problem_with([&](engine& e, load&, calibration&) { e.options.max_num_batched_tokens = t; }) ==
        problem::overflow);
  CHECK(problem_with([&](engine& e, load&, calibration&) { e.options.max_num_seqs = s; }) == problem::overflow);
  CHECK(problem_with([&](engine& e, load&, calibration&) { e.options.block_size = t; }) == problem::overflow);
  CHECK(problem_with([&](engine& e, load&, calibration&) { e.options.max_model_len = t; }) == problem::overflow);
  CHECK(problem_with([&](engine&, load& w, calibration&) { w.context = t; }) == problem::overflow);
  CHECK(problem_with([&](engine&, load& w, calibration&) { w.concurrency = s; }) == problem::overflow);
  CHECK(problem_with([&](engine&, load&, calibration& g) { g.weights = b; }) == problem::overflow);
  CHECK(problem_with([&](engine&, load&, calibration& g) { g.kv_available = b; }) == problem::overflow);
  CHECK(problem_with([&](engine& e, load&, calibration&) {
          e.options.block_size = of<tokens>(std::int64_t{1} << 62);
        }) == problem::overflow);
  CHECK(problem_with([](engine&, load&, calibration&) {}) == problem::none);
}

TEST_CASE("versions: releases, dates, and what is neither") {
  CHECK(vllm("2025-10-20").version == engine_version{0, 11, 0});
  CHECK(vllm("v0.8.5.post1").version == engine_version{0, 8, 5});
  for (const char* text : {"garbage", "0.5.0", "2023-01-01", "0.1.dev19754+g3a0914114"}) {
    CHECK_FALSE(vllm(text).version.known());
    CHECK(fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, vllm(text), {}).problem == problem::unknown_version);
  }
  CHECK(fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, vllm("0.99.0"), {}).answer == answer::fits);
}

TEST_CASE("the history is in order of time and names each rule") {
  engine_version before{};
  for (const dated_rule& d : vllm_history::rules) {
    CHECK(before <= d.since);
    before = d.since;
    CHECK_FALSE(std::string_view(d.source).empty());
  }
  engine_version last{};
  engine_version day{};
  for (const release& r : vllm_history::releases) {
    CHECK(last < r.version);
    CHECK(day <= r.date);
    last = r.version;
    day = r.date;
    CHECK(consistent(vllm_rules(r.version)));
  }
  CHECK(consistent(plain().rules));
  // The defaults of the struct are the newest rules.
  const engine_rules newest = vllm_rules(vllm_history::newest);
  const engine_rules defaults;
  for (const detail::named_rule& n : detail::rule_names) {
    INFO(n.name);
    CHECK(newest.*n.member == defaults.*n.member);
  }
}

TEST_CASE("rules out of range or out of order have no answer") {
  engine e = vllm();
  e.rules.runtime_single_mid = -1e18;
  CHECK(fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, e, {}).problem == problem::bad_rule);
  e = vllm();
  e.rules.graph_low = 5;
  CHECK(fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, e, {}).problem == problem::bad_rule);
}

TEST_CASE("before latent caches DeepSeek cached padded heads") {
  // 128 heads of 192 padded to 256, K and V, 2 bytes, 16 tokens, 8 ranks.
  CHECK(fits(catalog::deepseek_v3, catalog::h200_sxm, {.tp = 8}, vllm("0.7.0"), {}).kv.page ==
        of<bytes>(16LL * 2 * 256 * 2 * 16));
  CHECK(fits(catalog::deepseek_v3, catalog::h200_sxm, {.tp = 8}, vllm("0.7.1"), {}).kv.page ==
        of<bytes>(576LL * 2 * 16));
}

TEST_CASE("an auto cache is what the checkpoint asks for, where the engine heeds it") {
  transformer m = catalog::llama_3_1_8b;
  m.cache = formats::fp8;
  CHECK(kv_format_in(vllm("0.11.0"), m) == formats::bf16);
  CHECK(kv_format_in(vllm("0.24.0"), m) == formats::fp8);
  engine e = vllm("0.24.0");
  e.kv_cache = formats::bf16;
  CHECK(kv_format_in(e, m) == formats::bf16);
}

TEST_CASE("limits under a fixed max_model_len that does not start are zero") {
  engine e = vllm();
  e.weights = formats::fp8;
  const limits open = solve(catalog::llama_3_1_70b, catalog::h100_sxm, {}, e, {4096_tok, 1_seq});
  CHECK(open.max_context_at_concurrency > tokens{});
  e.options.max_model_len = 131072_tok;
  CHECK(fits(catalog::llama_3_1_70b, catalog::h100_sxm, {}, e, {4096_tok, 1_seq}).term == memory_term::max_model_len);
  const limits fixed = solve(catalog::llama_3_1_70b, catalog::h100_sxm, {}, e, {4096_tok, 1_seq});
  CHECK(fixed.max_context_at_concurrency == tokens{});
  CHECK(fixed.max_concurrency_at_context == sequences{});
}

TEST_CASE("fewer batched tokens than sequences: the default gives way, the asked is refused") {
  engine e = vllm();
  e.options.max_num_batched_tokens = 512_tok;
  CHECK(max_sequences_in(e, catalog::h100_sxm) == 512_seq);
  e.options.max_num_seqs = 1024_seq;
  CHECK(fits(catalog::llama_3_1_8b, catalog::h100_sxm, {}, e, {}).problem == problem::bad_option);
}

TEST_CASE("graphs follow the largest step that is captured") {
  const auto graphs = [](tokens largest, bool eager = false) {
    engine e = vllm("0.22.0");
    e.options.max_cudagraph_capture_size = largest;
    e.options.enforce_eager = eager;
    return graph_memory(catalog::llama_3_1_8b, e, stage_of(catalog::llama_3_1_8b, {}, 0));
  };
  const estimate<bytes> usual = graphs({});
  CHECK(graphs(512_tok).mid == usual.mid);
  CHECK(graphs(512_tok).high == usual.high);
  CHECK(graphs(64_tok).mid < usual.mid);
  CHECK(graphs(64_tok).from == basis::transferred);
  CHECK(graphs(2048_tok).mid == usual.mid);
  CHECK(graphs(2048_tok).high > usual.high);
  CHECK(graphs(2048_tok, true).high == bytes{});
}

TEST_CASE("a remedy's gain is of what is lacking now") {
  // The cache is fixed in bytes: what is lacking is memory of the device, whatever is left of the cache.
  engine e = vllm();
  e.options.kv_cache_memory_bytes = of<bytes>(33'040'522'200);
  const verdict v = fits(catalog::qwen3_8b, catalog::l4, {.tp = 4}, e, {});
  REQUIRE(v.worst().device_decides());
  int told = 0;
  remedies(v, catalog::accelerators, [&](const remedy& r) {
    ++told;
    CHECK(r.gain < 400_GB);
    if (r.changes[0].kind != change_kind::accelerator) return;
    const accelerator_match m = find_accelerator(r.changes[0].part);
    REQUIRE(m.whole != nullptr);
    const verdict then = fits(catalog::qwen3_8b, *m.whole, {.tp = 4}, e, {});
    CHECK(r.gain == then.worst().spare.mid - v.worst().spare.mid);
  });
  CHECK(told > 0);
}
