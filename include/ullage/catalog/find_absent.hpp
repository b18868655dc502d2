// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/catalog/absent.hpp>
#include <ullage/catalog/find.hpp>

// Opt-in: the umbrella headers do not include it.
namespace ullage::inline v0 {

/// The part that a name begins with, word by word, among those that are known but cannot be planned with ("Gaudi 1",
/// "Snapdragon 8 Elite QRD"), or null; the longest name wins.
constexpr const catalog::absent_part* find_absent(std::string_view name) noexcept {
  const auto product = [](std::string_view key) {
    vendor said = vendor::unknown;
    const std::string_view rest =
        detail::without_word(detail::without_word(key, catalog::vendor_words, said), catalog::line_words, said);
    return rest.size() >= 4 ? rest : key;  // "Hailo-8" is more than an 8
  };
  const detail::label_words words(name);
  const catalog::absent_part* best = nullptr;
  std::size_t longest = 0;
  char key[detail::name_key::capacity]{};
  for (std::size_t n = 1; n <= words.size(); ++n) {
    const std::size_t length = words.joined(0, n, key, detail::name_key::capacity);
    if (length == 0) break;
    const std::string_view asked = product({key, length});
    for (const catalog::absent_part& p : catalog::absent_parts)
      for (std::string_view text : {std::string_view(p.name), std::string_view(p.id)}) {
        const detail::label_words known(text.substr(0, text.find('(')));
        char letters[detail::name_key::capacity]{};
        const std::size_t size = known.joined(0, known.size(), letters, detail::name_key::capacity);
        if (size <= longest || product({letters, size}) != asked) continue;
        best = &p;
        longest = size;
      }
  }
  return best;
}

}  // namespace ullage::inline v0
