// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/catalog/label.hpp>
#include <ullage/catalog/names.hpp>
#include <ullage/detail/static_list.hpp>

// The names of the catalogue in the words of a label.
namespace ullage::inline v0::detail {

constexpr bool is_mark(char c) noexcept {
  return c == ' ' || c == '|';
}
/// The order of a key, whose marks do not count, and of letters.
constexpr int compare_letters(const char* key, std::string_view letters) noexcept {
  std::size_t i = 0;
  for (; *key != '\0'; ++key) {
    const char c = *key;
    if (is_mark(c)) continue;
    if (i == letters.size()) return 1;
    if (c != letters[i]) return c < letters[i] ? -1 : 1;
    ++i;
  }
  return i < letters.size() ? -1 : 0;
}
/// The place of those letters in a table sorted by them; its size when it has them not.
template <class Table>
constexpr std::size_t find_key(const Table& table, std::string_view letters) noexcept {
  std::size_t first = 0;
  std::size_t last = table.size();
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const int order = compare_letters(table[middle].key, letters);
    if (order == 0) return middle;
    if (order < 0) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return table.size();
}

constexpr std::uint32_t bit_of(vendor v) noexcept {
  return 1U << static_cast<unsigned>(v);
}
/// The vendor of a word that may stand before a name: its maker's, a product line's, a cloud's. "Ampere" is also a
/// generation of NVIDIA's and left to the words of families.
constexpr bool vendor_of(std::string_view word, std::uint32_t& said) noexcept {
  for (const catalog::vendor_word& w : catalog::vendor_words)
    if (w.key == word && w.made_by != vendor::ampere) {
      said |= bit_of(w.made_by);
      return true;
    }
  for (const catalog::vendor_word& w : catalog::line_words)
    if (w.key == word) {
      if (w.made_by != vendor::unknown) said |= bit_of(w.made_by);
      return true;
    }
  return false;
}
constexpr bool is_cloud(vendor v) noexcept {
  return v == vendor::aws || v == vendor::google || v == vendor::microsoft || v == vendor::oracle;
}
/// Whether vendors that are said fit a name of that owner (unknown: the maker of the part) for a part. A cloud may stand
/// beside the name of another's part only together with its maker: an "AWS P4" is no Tesla P4.
constexpr bool vendors_agree(std::uint32_t said, vendor owner, vendor maker) noexcept {
  for (std::size_t i = 1; i < vendor_kinds; ++i) {
    const vendor v = static_cast<vendor>(i);
    if ((said & bit_of(v)) == 0) continue;
    if (v == (owner == vendor::unknown ? maker : owner)) continue;
    if (owner != vendor::unknown && !is_cloud(owner) && v == maker) continue;
    if (owner == vendor::unknown && is_cloud(v) && !is_cloud(maker) && (said & bit_of(maker)) != 0) continue;
    return false;
  }
  return true;
}

using part_list = detail::static_list<const accelerator*, 16>;

constexpr bool holds(const part_list& list, const accelerator* part) noexcept {
  for (const accelerator* p : list)
    if (p->id == part->id) return true;
  return false;
}
constexpr void add_new(part_list& list, const accelerator* part) noexcept {
  if (!holds(list, part)) list.push_back(part);
}
constexpr bool is_part_of(const part_list& few, const part_list& many) noexcept {
  for (const accelerator* p : few)
    if (!holds(many, p)) return false;
  return true;
}

/// What words of a label name.
struct named_parts {
  part_list parts{};
  part_list of_others{};  ///< of that name, but not of the vendor that is said
  vendor owner = vendor::unknown;
  std::uint16_t machine = 0;
  std::uint16_t devices = 0;  ///< of the machine
  std::string_view key{};     ///< of the name
  std::size_t used = 0;       ///< how many words; 0 = they name nothing
  std::size_t explained = 0;  ///< how many the longest reading of them takes

  constexpr void set(const catalog::accelerator_alias& alias, std::uint32_t said) noexcept {
    owner = alias.owner;
    key = alias.key;
    machine = alias.machine;
    devices = alias.devices;
    add(alias.part, said);
  }
  constexpr void set(const catalog::ambiguous_accelerator_name& several, std::uint32_t said) noexcept {
    owner = several.owner;
    key = several.key;
    devices = several.devices;
    for (const accelerator* p : several.parts)
      if (p != nullptr) add(p, said);
  }

 private:
  constexpr void add(const accelerator* p, std::uint32_t said) noexcept {
    if (vendors_agree(said, owner, p->made_by))
      parts.push_back(p);
    else
      of_others.push_back(p);
  }
};

/// How words stand to a key of the same letters.
enum class spelling : std::uint8_t {
  same,   ///< parted where it may be
  apart,  ///< parted elsewhere as well, or by a bracket or comma: "MI250/X", "L40 (S)"
  other   ///< as `apart`, before a number: "L4, 0", "910B 4"
};
constexpr spelling spelled(std::string_view key, const label_words& words, std::size_t i, std::size_t n) noexcept {
  spelling answer = spelling::same;
  std::size_t k = 0;
  for (std::size_t w = i; w < i + n; ++w) {
    char mark = '\0';
    if (k < key.size() && is_mark(key[k])) mark = key[k++];
    const std::uint8_t between = words.before(w);
    if (w > i && between != 0 && mark != '|' && !(mark == ' ' && is_soft(between))) {
      if (is_digit(words[w].front()) && is_whole(words[w])) return spelling::other;
      answer = spelling::apart;
    }
    for (std::size_t c = 0; c < words[w].size(); ++c) {
      while (k < key.size() && is_mark(key[k])) ++k;
      ++k;
    }
  }
  return answer;
}

/// The longest name that begins with the word `i`, where `said` vendors stand before it. Vendors and product lines at its
/// beginning may be part of it or not. Where the words after it make another name, parted as that never is, both are meant.
constexpr named_parts longest_name(const label_words& words, std::size_t i, std::uint32_t said) noexcept {
  constexpr std::size_t most = 12;
  std::size_t length = 0;  // up to a word that no name holds
  while (length < most && i + length < words.size()) {
    const std::string_view w = words[i + length];
    if (w == "*" || w == "+" || w == "&") break;
    if (length > 0 && w == "x" && (is_whole(words[i + length + 1]) || is_whole(words[i + length - 1])))
      break;  // a count
    ++length;
  }
  std::size_t lead = 0;
  std::uint32_t ignored = 0;
  while (lead < 4 && lead + 1 < length && vendor_of(words[i + lead], ignored)) ++lead;

  named_parts found;
  named_parts longer;    // parted as it never is
  named_parts numbered;  // "Gaudi 2", before "cards"
  char letters[name_key::capacity]{};
  for (std::size_t n = length; n > 0; --n) {
    std::uint32_t before = said;
    for (std::size_t skip = 0; skip <= lead && skip < n; ++skip) {
      if (skip > 0) vendor_of(words[i + skip - 1], before);
      const std::size_t size = words.joined(i + skip, n - skip, letters, name_key::capacity);
      if (size == 0) continue;
      const std::string_view key{letters, size};
      named_parts here;
      if (const std::size_t one = find_key(catalog::accelerator_aliases, key);
          one < catalog::accelerator_aliases.size())
        here.set(catalog::accelerator_aliases[one], before);
      else if (const std::size_t many = find_key(catalog::ambiguous_accelerator_names, key);
               many < catalog::ambiguous_accelerator_names.size())
        here.set(catalog::ambiguous_accelerator_names[many], before);
      else
        continue;
      const spelling as = spelled(here.key, words, i + skip, n - skip);
      if (as == spelling::other || (as == spelling::apart && longer.used > 0)) continue;
      here.used = here.explained = n;
      if (as == spelling::apart) {
        longer = here;
        continue;
      }
      const std::string_view next = words[i + n];
      const bool counts =
          n - skip > 1 && is_whole(words[i + n - 1]) && is_soft(words.before(i + n)) &&
          (label_filter::is_plural_noun(next) || (words.before(i + n) == dash && label_filter::is_count_noun(next)));
      if (counts && numbered.used == 0) {
        numbered = here;
        break;  // the same words with fewer of them left out are the same name
      }
      found = here;
      break;
    }
    if (found.used > 0) break;
  }
  // "Gaudi 2 cards" are two of a Gaudi, but "RTX 4090 GPUs" no 4090 of an RTX.
  if (numbered.used > 0 && found.used + 1 != numbered.used) found = numbered;
  if (longer.used > found.used && found.used > 0) {
    if (is_part_of(longer.parts, found.parts) && !longer.parts.empty()) return longer;
    for (const accelerator* p : longer.parts) add_new(found.parts, p);
    found.explained = longer.used;
  } else if (found.used == 0) {
    found = longer;
    found.used = 0;
  }
  // "H20x8" is eight H20 or an H20X with an 8.
  const std::size_t end = i + found.used;
  if (found.used > 0 && end < words.size() && words.before(end) == 0 && words[end].front() == 'x')
    for (std::size_t skip = 0; skip <= lead && skip < found.used; ++skip) {
      const std::size_t size = words.joined(i + skip, found.used - skip, letters, name_key::capacity - 1);
      if (size == 0) continue;
      letters[size] = 'x';
      if (const std::size_t one = find_key(catalog::accelerator_aliases, {letters, size + 1});
          one < catalog::accelerator_aliases.size())
        add_new(found.parts, catalog::accelerator_aliases[one].part);
    }
  return found;
}

}  // namespace ullage::inline v0::detail
