// SPDX-License-Identifier: Apache-2.0
// Mistakes with quantities, each refused by the compiler. See compile_fail.py for the form of a case.
#include <ullage/units.hpp>

using namespace ullage;
using namespace ullage::literals;

[[maybe_unused]] constexpr bytes left(bytes capacity, bytes needed) {
  return capacity - needed;
}

static_assert(left(80_GB, 16_GiB) == of<bytes>(80'000'000'000 - (std::int64_t{16} << 30)));

#if ULLAGE_CASE == 1
// expect: no match for .operator\+.|invalid operands to binary expression|no type named 'type'
constexpr auto mixed = 1_GB + 1_tok;
#endif

#if ULLAGE_CASE == 2
// expect: could not convert .80.|no matching function for call to 'left'|cannot convert
constexpr auto bare = left(80, 16_GB);
#endif

#if ULLAGE_CASE == 3
// expect: could not convert|no matching function for call to 'left'|cannot convert|no viable conversion
constexpr auto swapped = left(80_GB, 16_seq);
#endif

#if ULLAGE_CASE == 4
// expect: the_literal_is_not_a_whole_number_of_bytes_or_too_large
constexpr auto half_a_byte = 0.5_B;
#endif

#if ULLAGE_CASE == 5
// expect: the_literal_is_not_a_whole_number_of_bytes_or_too_large
constexpr auto beyond_int64 = 10'000'000_TB;
#endif

#if ULLAGE_CASE == 6
// expect: no match for .operator/.|invalid operands to binary expression
constexpr auto cut_silently = count(7) / count(2);
#endif
