// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/catalog/accelerators.hpp>
#include <ullage/catalog/names.hpp>
#include <ullage/detail/static_list.hpp>

namespace ullage::inline v0 {

/// What a name stands for. A name is never guessed: it is found, or the caller gets parts to choose from.
struct accelerator_match {
  enum outcome_kind : std::uint8_t { found, ambiguous, unknown };
  outcome_kind outcome = unknown;
  const accelerator* row = nullptr;  ///< null unless found
  /// ambiguous: the parts of that name. unknown: up to three parts with the nearest names, nearest first.
  detail::static_list<const accelerator*, 6> candidates{};
};

namespace detail {

/// A name without separators and in lower case, as the table of names keeps it.
struct name_key {
  static constexpr std::size_t capacity = 48;
  char letters[capacity]{};
  std::size_t length = 0;
  bool cut = false;  ///< the name is longer than any that is known

  constexpr explicit name_key(std::string_view name) noexcept {
    for (char c : name) {
      if (c == ' ' || c == '\t' || c == '-' || c == '_') continue;
      if (length == capacity) {
        cut = true;
        return;
      }
      letters[length++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  constexpr std::string_view view() const noexcept { return {letters, length}; }
};

/// The entry with that key of a table sorted by key, or null.
template <class Entry, std::size_t N>
constexpr const Entry* find_key(const std::array<Entry, N>& table, std::string_view key) noexcept {
  std::size_t first = 0;
  std::size_t last = N;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const int order = table[middle].key.compare(key);
    if (order == 0) return &table[middle];
    if (order < 0) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return nullptr;
}

/// Levenshtein distance of two keys: insertions, deletions and substitutions; `limit` when it is not below that.
constexpr std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) noexcept {
  if ((a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) >= limit) return limit;
  std::size_t row[name_key::capacity + 1]{};
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

/// The three parts whose nearest name is nearest; earlier names win ties.
struct nearest_parts {
  static constexpr std::size_t wanted = 3;
  const accelerator* part[wanted]{};
  std::size_t distance[wanted]{};
  std::size_t used = 0;

  constexpr std::size_t limit() const noexcept { return used < wanted ? name_key::capacity + 1 : distance[wanted - 1]; }
  constexpr void offer(const accelerator* p, std::size_t d) noexcept {
    if (d >= limit()) return;
    std::size_t place = 0;  // where p stands already, or the end
    while (place < used && part[place] != p) ++place;
    if (place < used && distance[place] <= d) return;
    if (place == used && used < wanted) ++used;
    if (place == wanted) place = wanted - 1;
    for (; place > 0 && distance[place - 1] > d; --place) {
      part[place] = part[place - 1];
      distance[place] = distance[place - 1];
    }
    part[place] = p;
    distance[place] = d;
  }
};

}  // namespace detail

/// The part of that name: id, display name, what nvidia-smi, rocm-smi and engine logs print, cloud machine types.
///
/// Case, spaces, '-' and '_' do not count, and a leading vendor word may be left out or added; otherwise the whole
/// name has to match ("L40" is not an L40S). "NVIDIA H200" is the SXM part, as nvidia-smi prints it; "H200" and
/// "H100" are ambiguous. An empty name is unknown and has no candidates.
constexpr accelerator_match find_accelerator(std::string_view name) noexcept {
  accelerator_match answer;
  const detail::name_key whole(name);
  const std::string_view full = whole.view();
  if (full.empty()) return answer;
  std::string_view rest = full;
  vendor said = vendor::unknown;
  for (const catalog::vendor_word& word : catalog::vendor_words) {
    if (full.size() > word.key.size() && full.substr(0, word.key.size()) == word.key) {
      rest = full.substr(word.key.size());
      said = word.made_by;
      break;
    }
  }
  if (!whole.cut) {
    const catalog::accelerator_alias* alias = detail::find_key(catalog::accelerator_aliases, full);
    if (alias == nullptr) alias = detail::find_key(catalog::accelerator_aliases, rest);
    if (alias != nullptr && (said == vendor::unknown || said == alias->part->made_by)) {
      answer.outcome = accelerator_match::found;
      answer.row = alias->part;
      return answer;
    }
    const catalog::ambiguous_accelerator_name* several = detail::find_key(catalog::ambiguous_accelerator_names, rest);
    if (several != nullptr && (said == vendor::unknown || said == several->parts[0]->made_by)) {
      answer.outcome = accelerator_match::ambiguous;
      for (const accelerator* part : several->parts)
        if (part != nullptr) answer.candidates.push_back(part);
      return answer;
    }
  }
  detail::nearest_parts nearest;
  for (const catalog::ambiguous_accelerator_name& several : catalog::ambiguous_accelerator_names) {
    const std::size_t d = detail::edit_distance(rest, several.key, nearest.limit());
    for (const accelerator* part : several.parts)
      if (part != nullptr) nearest.offer(part, d);
  }
  for (const catalog::accelerator_alias& alias : catalog::accelerator_aliases)
    nearest.offer(alias.part, detail::edit_distance(rest, alias.key, nearest.limit()));
  for (std::size_t i = 0; i < nearest.used; ++i) answer.candidates.push_back(nearest.part[i]);
  return answer;
}

}  // namespace ullage::inline v0
