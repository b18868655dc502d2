// SPDX-License-Identifier: Apache-2.0
// Attention over chosen entries and compressed streams.
#include "support/catch.hpp"
#include "support/models.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <ullage/catalog.hpp>
#include <ullage/catalog/find_record.hpp>
#include <ullage/performance.hpp>

using namespace ullage;
using Catch::Approx;

namespace {

/// DeepSeek-V3.2's.
attention indexed() {
  attention a;
  a.kind = attention_kind::latent;
  a.heads = 128;
  a.key_dim = a.value_dim = 128;
  a.latent_rank = 512;
  a.rope_dim = 64;
  a.index_dim = 128;
  a.index_heads = 64;
  a.index_topk = 2048;
  return a;
}
/// DeepSeek-V4-Flash's finer streams; of 128 tokens and without an indexer the coarser ones.
attention stream(bool coarse = false) {
  attention a = indexed();
  a.heads = 64;
  a.key_dim = a.latent_rank = 448;
  a.value_dim = 512;
  a.window = 128;
  a.stride = coarse ? 128 : 4;
  a.index_topk = coarse ? 0 : 512;
  if (coarse) a.index_dim = a.index_heads = 0;
  return a;
}
attention with_topk(attention a, std::int64_t k) {
  a.index_topk = k;
  return a;
}
double us(const op_time& t) {
  REQUIRE(t.problem == time_problem::none);
  return value_of(t.time.mid) * 1e6;
}
double decode_us(const attention& a, std::int64_t n, std::int64_t context, const constants& c, std::int64_t tp = 1,
                 const number_format& f = formats::bf16) {
  return us(decode_attention(a, f, of<sequences>(count(n)), of<tokens>(count(context)), tp, catalog::h200_sxm, c));
}
double prefill_us(const attention& a, std::int64_t n, std::int64_t length, std::int64_t prefix, const constants& c,
                  std::int64_t tp = 1) {
  return us(prefill_attention(a, formats::bf16, of<sequences>(count(n)), of<tokens>(count(length)),
                              of<tokens>(count(prefix)), tp, catalog::h200_sxm, c));
}

}  // namespace

TEST_CASE("entries that queries read, one by one") {
  for (const attention& a : {indexed(), with_topk(indexed(), 5), stream(), with_topk(stream(), 3), stream(true)})
    for (int prefix : {0, 7, 300, 3000})
      for (int fresh : {1, 2, 40, 700}) {
        double read = 0;
        double scored = 0;
        for (int i = prefix; i < prefix + fresh; ++i) {
          const double entries = (i + 1.0) / static_cast<double>(a.stride);
          scored += a.index_dim > 0 ? entries : 0;
          const double most = a.index_topk > 0 ? static_cast<double>(a.index_topk) : 1e9;
          const double one =
              (std::min)(entries, most) + (a.stride > 1 ? (std::min)(i + 1.0, static_cast<double>(a.window)) : 0.0);
          CHECK(attended_tokens(a, i) == Approx(one));
          read += one;
        }
        INFO(a.stride << ' ' << a.index_topk << ' ' << prefix << ' ' << fresh);
        // The closed form bounds at index_topk · stride tokens, which the sum meets within an entry a query at the bend.
        CHECK(attention_pairs(a, fresh, prefix) == Approx(read));
        CHECK(scored_pairs(a, fresh, prefix) == Approx(scored));
      }
  CHECK(attends_densely(indexed(), 2048));
  CHECK_FALSE(attends_densely(indexed(), 2049));
  CHECK_FALSE(attends_densely(stream(), 10));
  attention plain = indexed();
  plain.index_dim = plain.index_heads = plain.index_topk = 0;
  CHECK_FALSE(gathers_entries(plain));
  CHECK(attention_pairs(plain, 10, 5) == causal_pairs(10, 5));
}

TEST_CASE("sparse attention by hand, at nominal rates") {
  const constants nominal;
  const double bandwidth = 4.8e12;
  const double peak = 989.4e12;
  const double peak_8bit = 1978.9e12;
  const auto root = [](double x, double y) { return std::sqrt(x * x + y * y) * 1e6; };
  SECTION("decode of 64 sequences with 65,535 tokens cached") {
    // 64·65,536 index keys of 132 B, as many scores of 4 B written and read again, 64·2,048 latents of 1,152 B.
    const double keys = 64 * 65536.0;
    const double scores = root(2 * 64 * 128 * keys / peak_8bit, (keys * 136 + 64 * 64 * 128) / bandwidth);
    const double choice = keys * 4 / bandwidth * 1e6;
    const double read = 64 * 2048.0;
    const double attend = root(read * 2 * 128 * 1088 / peak, (read * 1152 + 64 * 2 * 128 * 1088) / bandwidth);
    CHECK(decode_us(indexed(), 64, 65535, nominal) == Approx(scores + choice + attend).epsilon(1e-3));
    CHECK(scores > 100);  // 119 µs of index keys beside 51 of attention, which over all latents would take 1.2 ms
    CHECK(attend < 60);
    attention dense = indexed();
    dense.index_dim = dense.index_heads = dense.index_topk = 0;
    CHECK(decode_us(dense, 64, 65535, nominal) > 6 * (scores + choice + attend));
  }
  SECTION("a prompt of 16,384") {
    const double pairs = 16384.0 * 16385 / 2;
    const double read = 2048.0 * 2049 / 2 + (16384 - 2048) * 2048.0;
    const double scores = root(2 * 64 * 128 * pairs / peak_8bit, (16384 * (132 + 8192.0) + 4 * pairs) / bandwidth);
    const double choice = pairs * 4 / bandwidth * 1e6;
    const double attend = root(read * 2 * 128 * 1088 / peak, 16384 * (2 * 128 * 1088.0 + 1152) / bandwidth);
    CHECK(prefill_us(indexed(), 1, 16384, 0, nominal) == Approx(scores + choice + attend).epsilon(1e-3));
  }
  SECTION("short prompts are attended to densely, as without an indexer") {
    attention dense = indexed();
    dense.index_dim = dense.index_heads = dense.index_topk = 0;
    CHECK(prefill_us(indexed(), 3, 1000, 1048, nominal) == prefill_us(dense, 3, 1000, 1048, nominal));
    CHECK(prefill_us(indexed(), 3, 1000, 1049, nominal) > prefill_us(dense, 3, 1000, 1049, nominal));
  }
  SECTION("compressed streams") {
    // 128 of the window and 16,384/128 entries: 256 of 512 numbers in 16 bits, keys and values at once.
    const double read = 32 * 256.0;
    CHECK(decode_us(stream(true), 32, 16383, nominal) ==
          Approx(root(read * 2 * 64 * 1024 / peak, (read * 1024 + 32 * 2 * 64 * 1024) / bandwidth)).epsilon(1e-3));
    const double keys = 32 * 4096.0;
    const double chosen = 32 * (128 + 512.0);
    CHECK(decode_us(stream(), 32, 16383, nominal) ==
          Approx(root(2 * 64 * 128 * keys / peak_8bit, (keys * 136 + 32 * 64 * 128) / bandwidth) +
                 keys * 4 / bandwidth * 1e6 +
                 root(chosen * 2 * 64 * 1024 / peak, (chosen * 1024 + 32 * 2 * 64 * 1024) / bandwidth))
              .epsilon(1e-3));
  }
  SECTION("layers that take an earlier layer's choice score nothing") {
    attention shared = indexed();
    shared.index_dim = shared.index_heads = 0;
    const double read = 64 * 2048.0;
    CHECK(decode_us(shared, 64, 65535, nominal) ==
          Approx(root(read * 2 * 128 * 1088 / peak, (read * 1152 + 64 * 2 * 128 * 1088) / bandwidth)).epsilon(1e-3));
  }
}

TEST_CASE("sparse attention: what the kernels of a part make of it") {
  const constants c = constants_for(catalog::h200_sxm, kernel_stack::vllm);
  // Tiles of 64 heads: 16 on a rank take as long as 64, but for their queries and results.
  CHECK(decode_us(indexed(), 128, 40000, c, 8) == Approx(decode_us(indexed(), 128, 40000, c, 2)).epsilon(.05));
  CHECK(decode_us(indexed(), 128, 3000, c, 1) > 1.3 * decode_us(indexed(), 128, 3000, c, 2));
  // The 8-bit kernel of Hopper walks empty places of a choice; that of 16 bits does not.
  CHECK(decode_us(indexed(), 256, 100, c, 1, formats::fp8_ds_mla) > 300);
  CHECK(decode_us(indexed(), 256, 100, c) < 100);
  for (const accelerator* a :
       {&catalog::h200_sxm, &catalog::b200, &catalog::b300, &catalog::a100_sxm_80gb, &catalog::mi300x}) {
    const sparse_constants s = sparse_constants_for(*a);
    for (const kernel_constants& k : s.of) {
      CHECK(k.compute.from == basis::transferred);
      CHECK(k.memory.low < k.memory.mid);
      CHECK(k.floor.low < k.floor.mid);
      CHECK(k.compute.high <= 1);
      CHECK(k.scatter > 0);
    }
  }
  CHECK(sparse_constants_for(catalog::a100_sxm_80gb).of[0].compute.low <
        sparse_constants_for(catalog::h200_sxm).of[0].compute.low);
}

TEST_CASE("sparse attention is monotone in context, choice, sequences and heads") {
  std::mt19937_64 random(5);
  const auto below = [&](std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random); };
  const constants measured = constants_for(catalog::h200_sxm, kernel_stack::vllm);
  const constants nominal;
  const auto grows = [](double less, double more) { CHECK(less <= more * (1 + 1e-9)); };
  for (int i = 0; i < 400; ++i) {
    const constants& c = i % 2 == 0 ? measured : nominal;
    const attention a = i % 3 == 0 ? indexed() : stream(i % 3 == 2);
    const std::int64_t n = 1 + below(300);
    const std::int64_t tp = std::int64_t{1} << below(4);
    const std::int64_t context = below(i % 5 == 0 ? 3000 : 200000);
    const std::int64_t fresh = 1 + below(8192);
    const std::int64_t more = 1 + below(5000);
    const number_format& f = i % 7 == 0 ? formats::fp8_ds_mla : formats::bf16;
    const double d = decode_us(a, n, context, c, tp, f);
    grows(d, decode_us(a, n, context + more, c, tp, f));
    grows(d, decode_us(a, n + 1, context, c, tp, f));
    grows(decode_us(a, n, context, c, tp * 2, f), d);
    const double p = prefill_us(a, 1 + n / 50, fresh, context, c, tp);
    grows(p, prefill_us(a, 1 + n / 50, fresh, context + more, c, tp));
    grows(p, prefill_us(a, 1 + n / 50, fresh + more, context, c, tp));
    if (a.index_topk > 0) {
      // More entries to choose are never quicker, until all are read and nothing has to be chosen any more.
      const attention wide = with_topk(a, a.index_topk + more);
      const std::int64_t far = (a.index_topk + more) * a.stride + context;
      grows(decode_us(a, n, far, c, tp, f), decode_us(wide, n, far, c, tp, f));
      grows(prefill_us(a, 1, fresh, far, c, tp), prefill_us(wide, 1, fresh, far, c, tp));
    }
  }
}

TEST_CASE("sparse attention: bad input") {
  const constants c;
  const auto decode = [&](const attention& a) {
    return decode_attention(a, formats::bf16, of<sequences>(1), of<tokens>(9), 1, catalog::h200_sxm, c).problem;
  };
  CHECK(decode(indexed()) == time_problem::none);
  CHECK(decode(stream(true)) == time_problem::none);
  attention a = indexed();
  a.index_topk = 0;  // nobody says how many
  CHECK(decode(a) == time_problem::not_modelled);
  a = indexed();
  a.kind = attention_kind::full;  // blocks of keys with heads of their own
  a.kv_heads = 8;
  CHECK(decode(a) == time_problem::not_modelled);
  a = stream();
  a.stride = 0;
  CHECK(decode(a) == time_problem::not_modelled);
  attention window;  // one head of keys that are the values
  window.kind = attention_kind::sliding;
  window.heads = 64;
  window.kv_heads = 1;
  window.key_dim = 512;
  window.window = 128;
  CHECK(decode(window) == time_problem::none);
  window.kind = attention_kind::full;
  CHECK(decode(window) == time_problem::bad_load);
}

TEST_CASE("steps of models with indexers and compressed streams") {
  const constants c = constants_for(catalog::h200_sxm, kernel_stack::vllm);
  const auto step_of = [&](const transformer& m, phase ph, std::int64_t n, std::int64_t context,
                           std::int64_t fresh = 0) {
    plan_point p;
    p.model = &m;
    p.part = catalog::h200_sxm;
    p.engine = vllm();
    p.layout.tp = 8;
    const step_time t = step(p, ph, of<sequences>(count(n)), of<tokens>(count(context)), of<tokens>(count(fresh)), c);
    INFO(sentence(t.problem));
    REQUIRE(t.problem == time_problem::none);
    return t;
  };
  const transformer v3 = test::model("deepseek-v3");
  const transformer v32 = test::model("deepseek-v3.2");
  // The indexer costs at short contexts and gains at long ones.
  CHECK(step_of(v32, phase::decode, 32, 1000).total.mid > step_of(v3, phase::decode, 32, 1000).total.mid);
  CHECK(step_of(v32, phase::decode, 32, 100000).total.mid < step_of(v3, phase::decode, 32, 100000).total.mid);
  CHECK(step_of(v32, phase::prefill, 1, 100000, 8192).total.mid <
        step_of(v3, phase::prefill, 1, 100000, 8192).total.mid);
  // Its projections are linear layers of the inventory and counted there alone: 61 · (8,192·1,536 + 128·7,168) in 8 bits
  // and 61 · 64 · 7,168 in 16 are 0.88 GB, 0.2 ms of the memory.
  const double more =
      value_of(step_of(v32, phase::decode, 1, 1000).linear.mid - step_of(v3, phase::decode, 1, 1000).linear.mid);
  CHECK(more > .2e-3);
  CHECK(more < 1.2e-3);
  // GLM-5.2 scores in one layer of four.
  const transformer own = test::model("glm-5.1");
  const transformer shared = test::model("glm-5.2");
  CHECK(step_of(shared, phase::decode, 64, 100000).attention.mid <
        .6 * step_of(own, phase::decode, 64, 100000).attention.mid);
  // Streams of 4 and of 128 tokens a layer: a context of a million costs little more than none.
  const transformer v4 = test::model("deepseek-v4-flash");
  const step_time near = step_of(v4, phase::decode, 8, 1000);
  const step_time far = step_of(v4, phase::decode, 8, 1000000);
  CHECK(near.attention.mid < far.attention.mid);
  CHECK(far.attention.mid < 8. * near.attention.mid);
  step_of(v4, phase::prefill, 2, 0, 4096);
  step_of(test::model("deepseek-v4-pro"), phase::prefill, 2, 100000, 4096);
}
