// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/detail/contract.hpp>
#include <ullage/units/quantities.hpp>

// `using namespace ullage::literals;` brings 80_GB, 141_GiB, 4.8_TBps, 989_TFLOPS, 8192_tok, 32_seq, 8_dev.
// GB is 10^9 bytes and GiB is 2^30 bytes; there is no third meaning.
namespace ullage::inline v0 {
inline namespace literals {

// clang before 15 leaves immediate functions unresolved inside generic lambdas and templates (undefined references when
// linking). There the literals are constexpr: still checked wherever a constant is made of them.
#if defined(__clang__) && __clang_major__ < 15
#define ULLAGE_CONSTEVAL constexpr
#else
#define ULLAGE_CONSTEVAL consteval
#endif

namespace literal_detail {
// Not constexpr on purpose: reaching it in a literal is a compile error whose text is this name.
inline void the_literal_is_not_a_whole_number_of_bytes_or_too_large() {
  ULLAGE_EXPECTS(false);
}

ULLAGE_CONSTEVAL count whole(long double value, long double scale) {
  const long double scaled = value * scale;
  if (!(scaled >= 0.0L && scaled < 9.2e18L)) the_literal_is_not_a_whole_number_of_bytes_or_too_large();
  const auto n = static_cast<std::int64_t>(scaled);
  if (static_cast<long double>(n) != scaled) the_literal_is_not_a_whole_number_of_bytes_or_too_large();
  return count(n);
}
ULLAGE_CONSTEVAL count whole(unsigned long long value, unsigned long long scale) {
  if (value > 9'200'000'000'000'000'000ULL / scale) the_literal_is_not_a_whole_number_of_bytes_or_too_large();
  return count(value * scale);
}
}  // namespace literal_detail

#define ULLAGE_BYTE_LITERAL(suffix, scale)                                               \
  ULLAGE_CONSTEVAL bytes operator""_##suffix(unsigned long long n) {                     \
    return bytes::from_value(literal_detail::whole(n, scale));                           \
  }                                                                                      \
  ULLAGE_CONSTEVAL bytes operator""_##suffix(long double x) {                            \
    return bytes::from_value(literal_detail::whole(x, static_cast<long double>(scale))); \
  }
ULLAGE_BYTE_LITERAL(B, 1ULL)
ULLAGE_BYTE_LITERAL(kB, 1'000ULL)
ULLAGE_BYTE_LITERAL(MB, 1'000'000ULL)
ULLAGE_BYTE_LITERAL(GB, 1'000'000'000ULL)
ULLAGE_BYTE_LITERAL(TB, 1'000'000'000'000ULL)
ULLAGE_BYTE_LITERAL(KiB, 1ULL << 10)
ULLAGE_BYTE_LITERAL(MiB, 1ULL << 20)
ULLAGE_BYTE_LITERAL(GiB, 1ULL << 30)
ULLAGE_BYTE_LITERAL(TiB, 1ULL << 40)
#undef ULLAGE_BYTE_LITERAL

#define ULLAGE_COUNT_LITERAL(suffix, type)                          \
  ULLAGE_CONSTEVAL type operator""_##suffix(unsigned long long n) { \
    return type::from_value(literal_detail::whole(n, 1ULL));        \
  }
ULLAGE_COUNT_LITERAL(tok, tokens)
ULLAGE_COUNT_LITERAL(seq, sequences)
ULLAGE_COUNT_LITERAL(dev, devices)
#undef ULLAGE_COUNT_LITERAL

#define ULLAGE_REAL_LITERAL(suffix, type, scale)                    \
  ULLAGE_CONSTEVAL type operator""_##suffix(unsigned long long n) { \
    return type::from_value(static_cast<double>(n) * (scale));      \
  }                                                                 \
  ULLAGE_CONSTEVAL type operator""_##suffix(long double x) {        \
    return type::from_value(static_cast<double>(x) * (scale));      \
  }
ULLAGE_REAL_LITERAL(GBps, bytes_per_second, 1e9)
ULLAGE_REAL_LITERAL(TBps, bytes_per_second, 1e12)
ULLAGE_REAL_LITERAL(GFLOPS, flops_per_second, 1e9)
ULLAGE_REAL_LITERAL(TFLOPS, flops_per_second, 1e12)
ULLAGE_REAL_LITERAL(PFLOPS, flops_per_second, 1e15)
ULLAGE_REAL_LITERAL(s, seconds, 1.0)
ULLAGE_REAL_LITERAL(ms, seconds, 1e-3)
ULLAGE_REAL_LITERAL(us, seconds, 1e-6)
ULLAGE_REAL_LITERAL(W, watts, 1.0)
ULLAGE_REAL_LITERAL(USD, currency, 1.0)
#undef ULLAGE_REAL_LITERAL

}  // namespace literals

#undef ULLAGE_CONSTEVAL
}  // namespace ullage::inline v0
