// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/catalog/absent.hpp>
#include <ullage/catalog/find.hpp>

// Opt-in: the umbrella headers do not include it.
namespace ullage::inline v0 {

/// The part that a name begins with, word by word, among those that are known but cannot be planned with ("Gaudi 1",
/// "Snapdragon 8 Elite QRD"), or null; the longest name wins, also over those of parts with a row: "Vera Rubin Ultra" is no
/// Vera.
constexpr const catalog::absent_part* find_absent(std::string_view name) noexcept {
  const detail::label_words words(name);
  // Vendors and product lines count on neither side, but "Hailo-8" is more than an 8.
  const auto begin = [](const detail::label_words& w) {
    std::size_t i = 0;
    std::uint32_t ignored = 0;
    while (i + 1 < w.size() && detail::vendor_of(w[i], ignored) && !detail::is_number(w[i + 1])) ++i;
    return i;
  };
  const std::size_t first = begin(words);
  const catalog::absent_part* best = nullptr;
  std::size_t longest = detail::longest_name(words, first, 0).used;
  char asked[detail::name_key::capacity]{};
  char known[detail::name_key::capacity]{};
  for (const catalog::absent_part& p : catalog::absent_parts)
    for (std::string_view text : {std::string_view(p.name), std::string_view(p.id)}) {
      const detail::label_words all(text);
      std::size_t from = begin(all);
      // What stands in brackets ("(Hexagon NPU)") may be left out.
      std::size_t end = from;
      while (end < all.size() && (end == from || !all.has_before(end, detail::opening))) ++end;
      const std::size_t size = all.joined(from, end - from, known, detail::name_key::capacity);
      for (std::size_t n = 1; size > 0 && first + n <= words.size(); ++n) {
        const std::size_t length = words.joined(first, n, asked, detail::name_key::capacity);
        if (length == 0 || length > size) break;
        if (std::string_view{asked, length} != std::string_view{known, size} || n <= longest) continue;
        best = &p;
        longest = n;
      }
    }
  return best;
}

}  // namespace ullage::inline v0
