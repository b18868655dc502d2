// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ullage/catalog/accelerators.hpp>
#include <vector>

// How much of a property test is run. With sanitizers, which look for broken memory and not for wrong sums, an eighth.
#if defined(__SANITIZE_ADDRESS__)
#define ULLAGE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ULLAGE_SANITIZED 1
#endif
#endif

inline constexpr int trials(int all) {
#ifdef ULLAGE_SANITIZED
  return (all + 7) / 8;
#else
  return all;
#endif
}

/// How many of them have to have met something: with sanitizers a few by chance.
inline constexpr int at_least(int all) {
#ifdef ULLAGE_SANITIZED
  return all / 32;
#else
  return all;
#endif
}

/// The catalogue's parts, or the eighth of them.
inline std::vector<ullage::accelerator> parts_to_try() {
  std::vector<ullage::accelerator> some;
  const auto step = static_cast<std::size_t>(8 / trials(8));
  for (std::size_t i = 0; i < ullage::catalog::accelerators.size(); i += step)
    some.push_back(ullage::catalog::accelerators[i]);
  return some;
}
