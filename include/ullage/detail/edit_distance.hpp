// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ullage::inline v0::detail {

/// So many letters of a text are compared; no name that is known has more.
inline constexpr std::size_t most_compared = 128;

/// Levenshtein distance: insertions, deletions and substitutions; `limit` when it is not below that.
constexpr std::size_t edit_distance(std::string_view a, std::string_view b,
                                    std::size_t limit = std::string_view::npos) noexcept {
  a = a.substr(0, most_compared);
  b = b.substr(0, most_compared);
  if ((a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) >= limit) return limit;
  std::size_t row[most_compared + 1]{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    std::size_t lowest = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t best = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
      if (best < lowest) lowest = best;
    }
    if (lowest >= limit) return limit;
  }
  return row[b.size()] < limit ? row[b.size()] : limit;
}

}  // namespace ullage::inline v0::detail
