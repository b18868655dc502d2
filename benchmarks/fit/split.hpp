// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Which rows a fit may not see: by shape, so that no measurement of a held shape (another stack's, a repetition) leaks.
namespace fit {

constexpr std::uint64_t hash_of(std::string_view shape) noexcept {
  std::uint64_t h = 14695981039346656037ULL;  // FNV-1a
  for (char c : shape) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  h ^= h >> 33;  // its low bits alone are weak
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 33);
}
/// A fifth of the shapes.
constexpr bool held_back(std::string_view shape) noexcept {
  return hash_of(shape) % 5 == 0;
}
/// Folds of the other shapes, to choose how stiff a fit is and how wide its band.
constexpr int fold_of(std::string_view shape, int folds) noexcept {
  return static_cast<int>(hash_of(shape) / 5 % static_cast<std::uint64_t>(folds));
}

/// "4096,1024,512"
template <class... Number>
std::string shape_of(Number... n) {
  std::string s;
  ((s += std::to_string(static_cast<long long>(n)) + ","), ...);
  return s;
}

}  // namespace fit
