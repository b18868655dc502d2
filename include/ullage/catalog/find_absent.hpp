// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/catalog/absent.hpp>
#include <ullage/catalog/find.hpp>

// Opt-in: the umbrella headers do not include it.
namespace ullage::inline v0 {

/// The part that a name begins with among those that are known but cannot be planned with ("Gaudi 1", "Snapdragon 8
/// Elite QRD"), or null; the longest name wins.
constexpr const catalog::absent_part* find_absent(std::string_view name) noexcept {
  // Without brackets: "Apple M2 Max (CPU)" is the "Apple M2 Max CPU".
  char letters[96]{};
  std::size_t used = 0;
  detail::plain_letters letter(name);
  for (char c = letter.next(); c != '\0' && used < sizeof letters; c = letter.next())
    if (c != ' ' && c != '-' && c != '_' && c != '(' && c != ')') letters[used++] = c;
  const auto product = [](std::string_view key) {
    vendor said = vendor::unknown;
    const std::string_view rest =
        detail::without_word(detail::without_word(key, catalog::vendor_words, said), catalog::line_words, said);
    return rest.size() >= 4 ? rest : key;  // "Hailo-8" is more than an 8
  };
  const std::string_view asked = product({letters, used});
  const catalog::absent_part* best = nullptr;
  std::size_t longest = 0;
  for (const catalog::absent_part& p : catalog::absent_parts)
    for (std::string_view text : {std::string_view(p.name), std::string_view(p.id)}) {
      const detail::name_key known(text.substr(0, text.find('(')));
      const std::string_view key = product(known.view());
      if (key.size() <= longest || asked.substr(0, key.size()) != key) continue;
      const bool ends = asked.size() == key.size() || !detail::is_digit(asked[key.size()]);
      if (!ends) continue;
      best = &p;
      longest = key.size();
    }
  return best;
}

}  // namespace ullage::inline v0
