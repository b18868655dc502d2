// SPDX-License-Identifier: Apache-2.0
// Counts every allocation of this program: layers 0 to 4 make none, whatever they are asked.
#include "support/catch.hpp"

#include <cstdlib>
#include <new>
#include <ullage/catalog/find_record.hpp>
#include <ullage/ullage.hpp>
#include <vector>

// Sanitizers bring operators of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ULLAGE_TEST_SANITIZED 1
#endif
#endif
#if !defined(ULLAGE_TEST_SANITIZED) && !defined(__SANITIZE_ADDRESS__)

using namespace ullage;

namespace {
std::size_t allocations = 0;

void* counted(std::size_t n) noexcept {
  ++allocations;
  return std::malloc(n > 0 ? n : 1);
}
void* counted(std::size_t n, std::align_val_t align) noexcept {
  ++allocations;
  const std::size_t a = static_cast<std::size_t>(align);
  return std::aligned_alloc(a, (n + a - 1) / a * a);
}
}  // namespace

// g++ 12 sees the replaced operators inlined and calls them mismatched.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t n) {
  if (void* p = counted(n)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t n, std::align_val_t align) {
  if (void* p = counted(n, align)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return counted(n);
}
void* operator new(std::size_t n, std::align_val_t align, const std::nothrow_t&) noexcept {
  return counted(n, align);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(p);
}

namespace {

/// What a call allocates.
template <class Call>
std::size_t allocations_of(Call&& call) {
  const std::size_t before = allocations;
  call();
  return allocations - before;
}

struct wide_type {
  alignas(64) char bytes[64];
};

/// Models of all kinds: windows, states, latents, chunks, experts, an encoder.
const char* const names[] = {"llama-3.1-8b", "llama-3.1-405b",     "deepseek-v3",
                             "gemma-3-27b",  "qwen3-next-80b-a3b", "llama-4-scout",
                             "mixtral-8x7b", "recurrentgemma-9b",  "jamba-v0.1"};
transformer model_named(const char* name) {
  if (const transformer* m = catalog::find_model(name)) return *m;
  const catalog::model_record* r = catalog::find_record(name);
  return r != nullptr ? catalog::expand(*r) : transformer{};
}

}  // namespace

TEST_CASE("the counter counts") {
  CHECK(allocations_of([] { const std::vector<int> some(10); }) == 1);
  // Volatile, since a compiler may leave out an allocation that nobody sees.
  CHECK(allocations_of([] {
          wide_type* volatile one = new wide_type;
          delete one;
        }) == 1);
  CHECK(allocations_of([] {
          int* volatile three = new (std::nothrow) int[3];
          delete[] three;
        }) == 1);
}

TEST_CASE("layers 0 to 4 do not allocate") {
  double sum = 0;
  context_distribution list;
  list.values.push_back({1000, 0.9});
  list.values.push_back({8000, 0.1});
  context_distribution lognormal;
  REQUIRE(set_lognormal(lognormal, 2000, 7000) == distribution_problem::none);
  const accelerator some_parts[] = {catalog::l4, catalog::h100_sxm, catalog::b200};
  for (const char* name : names) {
    const transformer m = model_named(name);
    REQUIRE(m.layers > 0);
    INFO(name);
    for (const engine& e : {vllm(), vllm("0.7.3"), plain()}) {
      for (const load& w : {load{}, load{8192_tok, 64_seq}, load{{}, 64_seq, &list}, load{{}, 64_seq, &lognormal}}) {
        CHECK(allocations_of([&] { sum += real(fits(m, catalog::h200_sxm, {.tp = 2}, e, w).left()); }) == 0);
        CHECK(allocations_of(
                  [&] { sum += real(fits(m, catalog::h200_sxm, {.tp = 8, .pp = 2, .dp = 2}, e, w).left()); }) == 0);
        CHECK(allocations_of([&] { sum += real(solve(m, catalog::h100_sxm, {}, e, w).max_concurrency_at_context); }) ==
              0);
        CHECK(allocations_of([&] {
                const verdict v = fits(m, catalog::l4, {}, e, w);
                remedies(v, catalog::accelerators, [&](const remedy& r) { sum += real(r.gain); });
              }) == 0);
        CHECK(allocations_of([&] { sum += real(best_split(m, catalog::h200_sxm, 8, e, w).concurrency); }) == 0);
        CHECK(allocations_of([&] { sum += real(fewest_devices(m, catalog::l4, e, w, 16).left); }) == 0);
        CHECK(allocations_of(
                  [&] { sum += static_cast<double>(smallest_part(m, some_parts, e, w, 8).device_count()); }) == 0);
        CHECK(allocations_of([&] {
                const verdict v = fits(m, catalog::h200_sxm, {}, e, {});
                const mix_limits most = max_concurrency(v, list);
                sum += real(most.expected) + real(most.at_p95) + real(max_context(v, 8_seq, 65536_tok));
              }) == 0);
      }
    }
  }
  CHECK(sum != 0);
}

TEST_CASE("times, selection and look-ups do not allocate") {
  double sum = 0;
  plan_point point;
  point.model = &catalog::llama_3_1_70b;
  point.part = catalog::h200_sxm;
  point.layout.tp = 4;
  point.engine = vllm();
  const constants c = constants_for(point.part);
  CHECK(allocations_of([&] { sum += value_of(step(point, phase::decode, 32_seq, 8192_tok, 1_tok, c).total.mid); }) ==
        0);
  const traffic chat{.input_tokens = 2000_tok, .output_tokens = 500_tok, .concurrency = 16_seq};
  CHECK(allocations_of([&] { sum += value_of(perf(point, chat, c).tpot.mid); }) == 0);
  const workload work{&catalog::llama_3_1_70b, vllm(), {2500_tok, 16_seq}, chat, nullptr};
  static const offer offers[] = {{catalog::l4, nullptr}, {catalog::h100_sxm, nullptr}, {catalog::b200, nullptr}};
  CHECK(allocations_of([&] {
          select(
              work, constraints{}, offers, [&](const choice& got) { sum += static_cast<double>(got.devices); },
              [&](const rejection& r) { sum += r.need; });
        }) == 0);
  CHECK(allocations_of([&] { sum += static_cast<double>(find_accelerator("H2000").candidates.size()); }) == 0);
  CHECK(allocations_of([&] { sum += static_cast<double>(find_accelerator("8x H100 SXM").count); }) == 0);
  CHECK(sum != 0);
}
#endif
