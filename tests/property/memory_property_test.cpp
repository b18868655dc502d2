// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/trials.hpp"

#include <ullage/ullage.hpp>
#include <vector>

using namespace ullage;

namespace {

/// A small deterministic generator: the same cases on every machine.
struct dice {
  std::uint64_t state = 88172645463325252ULL;
  std::int64_t operator()(std::int64_t first, std::int64_t last) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return first + static_cast<std::int64_t>(state % static_cast<std::uint64_t>(last - first + 1));
  }
};

std::vector<layout> layouts_of(const transformer& m) {
  std::vector<layout> all;
  for (std::int64_t tp : {1, 2, 4, 8, 16})
    for (std::int64_t pp : {1, 2, 3, 4})
      for (std::int64_t dp : {1, 2})
        for (bool spread : {false, true}) {
          layout l;
          l.tp = tp;
          l.pp = pp;
          l.dp = dp;
          if (spread) l.ep = tp * dp;
          if ((!spread || l.ep > 1) && check_layout(m, l) == layout_problem::none) all.push_back(l);
        }
  return all;
}

}  // namespace

TEST_CASE("the items of every rank add up to what is left") {
  for (const transformer* m : catalog::models)
    for (const layout& l : layouts_of(*m))
      for (const accelerator& a : parts_to_try())
        for (const engine& e : {vllm("0.11.0"), vllm(), plain()}) {
          const verdict v = fits(*m, std::span(&a, 1), l, e, {4096_tok, 8_seq});
          REQUIRE(v.answer != answer::invalid);
          count ranks = 0;
          for (const rank_memory& r : v.ranks) {
            bytes sum = r.weights + r.runtime.mid + r.activation.mid + r.kv_needed + r.left.mid;
            if (r.graphs_in_budget) sum += r.graphs.mid;
            REQUIRE(sum == r.budget);
            REQUIRE(r.left.low <= r.left.mid);
            REQUIRE(r.left.mid <= r.left.high);
            REQUIRE(v.left() <= r.left.mid);
            ranks += r.ranks;
          }
          REQUIRE(ranks == l.world());
        }
}

TEST_CASE("sharding by tensors loses nothing but padding, and stages add up to the model") {
  for (const transformer* m : catalog::models) {
    const weight_scheme w = uniform_weights(formats::bf16);
    for (const layout& l : layouts_of(*m)) {
      bytes all{};
      std::int64_t layers = 0;
      for (std::int64_t i = 0; i < l.pp; ++i) {
        const stage s = stage_of(*m, l, i);
        CHECK(s.first == layers);
        layers += s.size;
        all += rank_weights(*m, w, l, s, count(1)) * count(l.tp) * count(l.dp);
      }
      CHECK(layers == m->layers);
      CHECK(all >= of<bytes>(parameters(*m).total * count(2)));  // replicated parts make it more, never less
      // and at most what one rank replicates: everything but the divided tensors, on every rank, and one expert more each.
      count replicated(0);
      count one_expert(0);
      for (std::int64_t i = 0; i < m->layers; ++i)
        for (const tensor_family& f : families_of(*m, m->layer(i).tensors)) {
          if (f.spread == sharding::replicated || f.spread == sharding::kv_rows) replicated += f.elements();
          if (f.spread == sharding::expert_rows || f.spread == sharding::expert_cols)
            one_expert += count(f.rows * f.cols);
        }
      const count ends = count(2) * count(m->vocabulary * m->hidden) + count(m->hidden);
      const bool experts = l.ep > 1;
      const bytes most =
          of<bytes>((parameters(*m).total * count(l.dp) + (replicated + ends) * count(l.tp * l.dp * 2)) * count(2)) +
          of<bytes>(experts ? one_expert * count(2 * l.ep) : count(0)) + 1_MiB;
      CHECK(all <= most);
      if (l.tp == 1 && l.dp == 1) {
        bytes tied{};
        if (m->tied_embeddings && l.pp > 1) tied = of<bytes>(count(m->vocabulary * m->hidden * 2));
        bytes wide{};  // tensors that stay in 32 bits
        for (std::int64_t i = 0; i < m->layers; ++i)
          for (const tensor_family& f : families_of(*m, m->layer(i).tensors))
            if (f.stored_as == precision::float32) wide += of<bytes>(f.elements() * count(2));
        CHECK(all == of<bytes>(parameters(*m).total * count(2)) + tied + wide);
      }
    }
  }
}

TEST_CASE("logical bytes never exceed charged bytes") {
  dice roll;
  for (int i = 0; i < trials(2000); ++i) {
    const transformer& m = *catalog::models[static_cast<std::size_t>(roll(0, 9))];
    const auto all = layouts_of(m);
    const layout l = all[static_cast<std::size_t>(roll(0, static_cast<std::int64_t>(all.size()) - 1))];
    engine e = vllm();
    e.options.block_size = of<tokens>(roll(1, 64));
    const tokens context = of<tokens>(roll(1, 40000));
    const verdict v = fits(m, catalog::b200, l, e, {context, 1_seq});
    REQUIRE(v.answer != answer::invalid);
    CHECK(v.kv.logical_per_sequence <= v.kv.charged_per_sequence);
    const bytes slack = v.worst().blocks.block;
    CHECK(v.kv.charged_per_sequence < v.kv.logical_per_sequence + slack);
  }
}

TEST_CASE("more context, more sequences and less memory never leave more") {
  dice roll;
  for (int i = 0; i < trials(2000); ++i) {
    const transformer& m = *catalog::models[static_cast<std::size_t>(roll(0, 9))];
    const tokens context = of<tokens>(roll(1, 30000));
    const sequences n = of<sequences>(roll(1, 200));
    engine e = vllm();
    e.options.max_model_len = of<tokens>(count(m.max_position));
    const bytes now = fits(m, catalog::mi300x, {}, e, {context, n}).left();
    CHECK(fits(m, catalog::mi300x, {}, e, {context + 100_tok, n}).left() <= now);
    CHECK(fits(m, catalog::mi300x, {}, e, {context, n + 1_seq}).left() <= now);
    accelerator small_part = catalog::mi300x;
    small_part.memory_driver = small_part.memory_driver - of<bytes>(roll(1, 1'000'000'000));
    CHECK(fits(m, small_part, {}, e, {context, n}).left() <= now);
  }
}

TEST_CASE("limits are exact: the limit fits the middle of the band and one more does not") {
  dice roll;
  int asked = 0;
  for (int i = 0; i < trials(3000); ++i) {
    const transformer& m = *catalog::models[static_cast<std::size_t>(roll(0, 9))];
    const accelerator& a = catalog::accelerators[static_cast<std::size_t>(
        roll(0, static_cast<std::int64_t>(catalog::accelerators.size()) - 1))];
    const auto all = layouts_of(m);
    const layout l = all[static_cast<std::size_t>(roll(0, static_cast<std::int64_t>(all.size()) - 1))];
    const tokens context = of<tokens>(roll(1, 30000));
    const sequences n = of<sequences>(roll(1, 300));
    engine e = vllm();
    e.options.max_model_len = of<tokens>(count(m.max_position));
    const limits s = solve(m, std::span(&a, 1), l, e, {context, n});
    // The start condition (one sequence of max_model_len) is another matter: tell the engine no more than is asked.
    if (s.max_concurrency_at_context > sequences{}) {
      ++asked;
      engine tight = e;
      tight.options.max_model_len = context;
      CHECK(fits(m, std::span(&a, 1), l, tight, {context, s.max_concurrency_at_context}).left() >= bytes{});
      CHECK(fits(m, std::span(&a, 1), l, tight, {context, s.max_concurrency_at_context + 1_seq}).left() < bytes{});
    }
    if (s.max_context_at_concurrency > tokens{} && s.max_context_at_concurrency < of<tokens>(m.max_position)) {
      engine tight = e;
      tight.options.max_model_len = s.max_context_at_concurrency + 1_tok;
      CHECK(fits(m, std::span(&a, 1), l, tight, {s.max_context_at_concurrency, n}).left() >= bytes{});
      CHECK(fits(m, std::span(&a, 1), l, tight, {s.max_context_at_concurrency + 1_tok, n}).left() < bytes{});
    }
  }
  CHECK(asked > at_least(300));
}

TEST_CASE("the fewest devices do, and fewer do not") {
  for (const transformer* m : catalog::models)
    for (const accelerator* a : {&catalog::h200_sxm, &catalog::l4, &catalog::mi355x}) {
      const load w{4096_tok, 16_seq};
      const limits s = solve(*m, *a, {}, vllm(), w);
      if (s.min_devices == devices{}) continue;
      CHECK(of<devices>(s.min_layout.world()) == s.min_devices);
      CHECK(fits(*m, *a, s.min_layout, vllm(), w).left() >= bytes{});
      for (const layout& l : layouts_of(*m))
        if (l.dp == 1 && l.ep == 1 && of<devices>(l.world()) < s.min_devices && of<devices>(l.tp) <= a->node_devices())
          CHECK(fits(*m, *a, l, vllm(), w).left() < bytes{});
    }
}

TEST_CASE("a remedy that is told does what it says, in rank order") {
  int told = 0;
  for (const transformer* m : catalog::models)
    for (const accelerator& a : parts_to_try())
      for (const load& w : {load{}, load{8192_tok, 32_seq}, load{1000_tok, 400_seq}}) {
        const verdict v = fits(*m, std::span(&a, 1), {}, vllm(), w);
        if (v.answer == answer::invalid) continue;
        remedy before;
        bool first = true;
        remedies(v, catalog::accelerators, [&](const remedy& r) {
          ++told;
          CHECK(v.answer != answer::fits);
          if (!first) CHECK(static_cast<int>(before.then) <= static_cast<int>(r.then));
          first = false;
          before = r;
          detail::question q = detail::question_of(v);
          for (const change& c : r.changes) detail::apply(q, c, catalog::accelerators);
          const verdict then = fits(*m, std::span<const accelerator>(&q.part, 1), q.layout, q.engine, q.load);
          CHECK(then.answer == r.then);
          CHECK(then.left() == r.left_then);
        });
      }
  CHECK(told > at_least(500));
}

TEST_CASE("unequal devices: the smallest decides, in any order") {
  std::vector<accelerator> parts(4, catalog::h100_sxm);
  const bytes equal = fits(catalog::llama_3_1_70b, parts, {.tp = 4}, vllm(), {8192_tok, 16_seq}).left();
  CHECK(equal == fits(catalog::llama_3_1_70b, catalog::h100_sxm, {.tp = 4}, vllm(), {8192_tok, 16_seq}).left());
  for (std::size_t weak = 0; weak < 4; ++weak) {
    parts.assign(4, catalog::h100_sxm);
    parts[weak] = catalog::l40s;
    const verdict v = fits(catalog::llama_3_1_70b, parts, {.tp = 4}, vllm(), {8192_tok, 16_seq});
    CHECK(v.worst().part.id == "l40s");
    CHECK(v.worst().rank == static_cast<std::int64_t>(weak));
    CHECK(v.left() < equal);
    CHECK(v.ranks.size() == 2);
  }
}

TEST_CASE("limits by asking again: engines whose own memory grows with the context") {
  dice roll;
  int asked = 0;
  for (int i = 0; i < trials(400); ++i) {
    const transformer& m = *catalog::models[static_cast<std::size_t>(roll(0, 9))];
    const accelerator& a = catalog::accelerators[static_cast<std::size_t>(
        roll(0, static_cast<std::int64_t>(catalog::accelerators.size()) - 1))];
    engine e = vllm(roll(0, 1) == 0 ? "0.6.0" : "0.7.3");
    if (roll(0, 2) == 0) e.options.max_num_batched_tokens = of<tokens>(roll(512, 20000));
    const load w{of<tokens>(roll(1, 30000)), of<sequences>(roll(1, 100))};
    const limits s = solve(m, a, {}, e, w);
    if (s.max_context_at_concurrency == tokens{}) continue;
    const count longest = larger(count(m.max_position), w.context.value());
    if (s.max_context_at_concurrency.value() >= longest) continue;
    ++asked;
    CHECK(fits(m, a, {}, e, {s.max_context_at_concurrency, w.concurrency}).left() >= bytes{});
    CHECK(fits(m, a, {}, e, {s.max_context_at_concurrency + 1_tok, w.concurrency}).left() < bytes{});
  }
  CHECK(asked > at_least(20));
}

TEST_CASE("a layout that fits is never said to need more devices than it has") {
  dice roll;
  for (int i = 0; i < trials(500); ++i) {
    const transformer& m = *catalog::models[static_cast<std::size_t>(roll(0, 9))];
    const accelerator& a = catalog::accelerators[static_cast<std::size_t>(
        roll(0, static_cast<std::int64_t>(catalog::accelerators.size()) - 1))];
    auto all = layouts_of(m);
    layout l = all[static_cast<std::size_t>(roll(0, static_cast<std::int64_t>(all.size()) - 1))];
    l.dcp = l.tp;
    if (check_layout(m, l) != layout_problem::none) l.dcp = 1;
    const load w{of<tokens>(roll(1, 60000)), of<sequences>(roll(1, 300))};
    const verdict v = fits(m, a, l, vllm(), w);
    if (v.answer == answer::invalid || v.left() < bytes{}) continue;
    const limits s = solve(m, a, l, vllm(), w);
    CHECK(s.min_devices > devices{});
    CHECK(s.min_devices <= of<devices>(l.world()));
  }
}

TEST_CASE("fewer bits are told with more devices where that saves some") {
  bool told = false;
  const verdict v = fits(catalog::qwen3_235b_a22b, catalog::mi300x, {}, vllm(), {8192_tok, 16_seq});
  REQUIRE(v.answer == answer::does_not_fit);
  remedies(v, catalog::accelerators, [&](const remedy& r) {
    const bool both = r.changes.size() == 2 && r.changes[0].kind == change_kind::weights &&
                      r.changes[1].kind == change_kind::tensor_parallel;
    if (both) {
      told = true;
      CHECK(r.then == answer::fits);
      CHECK(r.devices_then == 2);
    }
  });
  CHECK(told);
}
