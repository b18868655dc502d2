// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/catalog/label.hpp>
#include <ullage/catalog/names.hpp>
#include <ullage/catalog/partitions.hpp>
#include <ullage/detail/static_list.hpp>

namespace ullage::inline v0 {

/// What a name stands for. A name is never guessed: it is found, or the caller gets parts to choose from.
struct accelerator_match {
  enum outcome_kind : std::uint8_t { found, ambiguous, unknown };
  outcome_kind outcome = unknown;
  const accelerator* whole = nullptr;        ///< the part, whole even where a slice of it is meant; null unless found
  const partition_profile* slice = nullptr;  ///< when the name is that of a slice of it
  /// ambiguous: the parts of that name. unknown: up to three parts with the nearest names, nearest first.
  detail::static_list<const accelerator*, 8> candidates{};

  std::int64_t count = 0;  ///< how many of them the label says ("8x"); 0 = it says nothing
  bytes memory_said{};     ///< the size that the label says, for parts that are sold in several

  /// The row to plan with: of the slice where the name is that of one, else of the part, in the size that was said. Found
  /// only.
  constexpr accelerator row() const noexcept {
    ULLAGE_EXPECTS(whole != nullptr);
    if (slice != nullptr) return partition(*slice);
    accelerator a = *whole;
    if (a.memory_largest && memory_said > bytes{}) {
      a.memory_sold = memory_said;
      a.memory_largest = false;
      a.memory_driver = {};
      a.memory_process = {};
    }
    return a;
  }
  /// Id of what was found: of the slice, else of the part; empty unless found.
  constexpr std::string_view id() const noexcept {
    return slice != nullptr ? slice->id : whole != nullptr ? whole->id : std::string_view();
  }
  /// Whether a part is among the candidates; rows are compared by their ids, since tables hold copies.
  constexpr bool has(const accelerator* part) const noexcept {
    for (const accelerator* c : candidates)
      if (c->id == part->id) return true;
    return false;
  }
};

namespace detail {

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

/// A key without a leading word of that list; `said` becomes what the word stands for.
template <std::size_t N>
constexpr std::string_view without_word(std::string_view key, const std::array<catalog::vendor_word, N>& words,
                                        vendor& said) noexcept {
  const catalog::vendor_word* longest = nullptr;
  for (const catalog::vendor_word& w : words)
    if (key.size() > w.key.size() && key.substr(0, w.key.size()) == w.key &&
        (longest == nullptr || w.key.size() > longest->key.size()))
      longest = &w;
  if (longest == nullptr) return key;
  if (longest->made_by != vendor::unknown) said = longest->made_by;
  return key.substr(longest->key.size());
}

/// A whole name, whose key is `full`: found, ambiguous, or unknown without candidates.
constexpr accelerator_match match_key(std::string_view full) noexcept {
  accelerator_match answer;
  vendor said = vendor::unknown;
  const std::string_view product = without_word(full, catalog::vendor_words, said);
  const std::string_view rest = without_word(product, catalog::line_words, said);
  // "NVIDIA H200" and "Quadro RTX 6000" are one part each; the bare words are not.
  for (std::string_view key : {full, product, rest}) {
    if (const catalog::accelerator_alias* alias = find_key(catalog::accelerator_aliases, key);
        alias != nullptr &&
        (key == full || said == vendor::unknown || said == alias->part->made_by || said == alias->of_machine)) {
      answer.outcome = accelerator_match::found;
      answer.whole = alias->part;
      return answer;
    }
    const catalog::ambiguous_accelerator_name* several = find_key(catalog::ambiguous_accelerator_names, key);
    if (several == nullptr) continue;
    for (const accelerator* part : several->parts)
      if (part != nullptr && (said == vendor::unknown || said == part->made_by)) answer.candidates.push_back(part);
    if (answer.candidates.empty()) continue;
    answer.outcome = accelerator_match::ambiguous;
    return answer;
  }
  return answer;
}

constexpr bool target_agrees(const accelerator& a, std::string_view said) noexcept {
  return a.target == said || (a.target.substr(0, 3) == "sm_" && a.target.substr(3) == said);
}

/// Whether a size in a label is that of the part: its label, another size it is sold under, or what it shows.
constexpr bool memory_agrees(const accelerator& a, const label_size& s) noexcept {
  const auto about = [](double x, double y, double share) { return x > y * (1 - share) && x < y * (1 + share); };
  const double sold = real(a.memory_sold);
  // "80GB" is the label whatever the unit means.
  for (double unit : {1e9, 1073741824.0})
    if (about(s.number, sold / unit, .018)) return true;
  bool options = false;
  for (const catalog::memory_label& l : catalog::memory_labels)
    if (l.part->id == a.id) {
      options = true;
      if (about(s.number, l.gigabytes, .018)) return true;
    }
  // CPUs take any memory up to the largest; other parts come in the sizes that are listed.
  if (a.memory_largest && !options && s.number > 0 && s.number * 1e9 <= sold) return true;
  return !s.whole && (about(s.number * 1073741824.0, real(a.visible_memory()), .02) ||
                      about(s.number * 1e9, real(a.visible_memory()), .02));
}

constexpr bool form_agrees(const accelerator& a, form_factor f) noexcept {
  return a.form == f || (f == form_factor::pcie && a.form == form_factor::nvl);
}
constexpr bool family_agrees(architecture said, architecture is) noexcept {
  switch (said) {
    case architecture::ampere: return is == architecture::ampere || is == architecture::ampere_rtx;
    case architecture::blackwell:
      return is == architecture::blackwell || is == architecture::blackwell_ultra || is == architecture::blackwell_rtx;
    default: return said == is;
  }
}

/// A name of up to eight words from `i` on; `used` becomes how many.
constexpr accelerator_match longest_name(const label_words& words, std::size_t i, std::size_t& used) noexcept {
  char key[name_key::capacity]{};
  for (std::size_t n = words.size() - i < 8 ? words.size() - i : 8; n > 0; --n) {
    const std::size_t length = words.joined(i, n, key, name_key::capacity);
    if (length == 0) continue;
    const accelerator_match here = match_key({key, length});
    if (here.outcome == accelerator_match::unknown) continue;
    used = n;
    return here;
  }
  used = 0;
  return {};
}
constexpr bool is_count_before_name(const label_words& words, std::size_t i) noexcept {
  std::size_t used = 0;
  if (words[i].size() > 5 || !is_number(words[i]) || i + 1 == words.size()) return false;
  longest_name(words, i + 1, used);
  return used > 0;
}

/// A label in which other words stand around a name: counts, sizes, form factors. Words that nothing explains make it
/// unknown, with the parts that were named as candidates; two names without a part in common are ambiguous.
constexpr accelerator_match match_label(const label_words& words) noexcept {
  accelerator_match answer;
  accelerator_match named;  // what the names so far have in common, or all of them
  bool any = false;
  bool apart = false;
  bool understood = true;
  label_filter filter;
  std::string_view slice;
  std::size_t i = 0;
  while (i < words.size()) {
    std::size_t used = 0;
    accelerator_match here = longest_name(words, i, used);
    if (used == 0) {
      const std::size_t taken = filter.take(words, i, any);
      if (taken == 0) {
        if (slice.empty() && is_slice(words[i]))
          slice = words[i];
        else if (is_count_before_name(words, i))
          filter.say_count(number_of(words[i]));
        else
          understood = false;
      }
      i += taken > 0 ? taken : 1;
      continue;
    }
    i += used;
    if (here.whole != nullptr) here.candidates.push_back(here.whole);
    if (!any) {
      named = here;
      any = true;
      continue;
    }
    accelerator_match both;
    for (const accelerator* p : here.candidates)
      if (named.has(p)) both.candidates.push_back(p);
    if (both.candidates.empty()) {
      apart = true;
      for (const accelerator* p : here.candidates)
        if (!named.has(p)) named.candidates.push_back(p);
    } else {
      named.candidates = both.candidates;
    }
  }
  if (!any) return answer;
  for (const accelerator* p : named.candidates) {
    bool fits = (filter.made_by == vendor::unknown || filter.made_by == p->made_by) &&
                (filter.form == form_factor::unknown || form_agrees(*p, filter.form)) &&
                (filter.family == architecture::unknown || family_agrees(filter.family, p->family)) &&
                (filter.memory == memory_type::unknown || filter.memory == p->memory_type) &&
                (!filter.cpu || p->kind == device_class::cpu) && (!filter.integrated || p->form == form_factor::soc) &&
                (filter.target.empty() || target_agrees(*p, filter.target));
    for (const label_size& s : filter.sizes) fits = fits && memory_agrees(*p, s);
    if (fits || apart) answer.candidates.push_back(p);
  }
  if (filter.counts_differ && !apart) understood = false;
  if (!understood || answer.candidates.empty()) {
    if (answer.candidates.empty()) answer.candidates = named.candidates;
    return answer;
  }
  if (apart || answer.candidates.size() > 1) {
    answer.outcome = accelerator_match::ambiguous;
    return answer;
  }
  answer.whole = answer.candidates[0];
  answer.count = filter.count;
  // What an option of a part is called is its size, in powers of two as memory chips are.
  if (answer.whole->memory_largest && filter.sizes.size() == 1)
    answer.memory_said = of<bytes>(truncate(filter.sizes[0].number * 1073741824.0));
  if (!slice.empty()) {
    for (const partition_profile& p : catalog::partitions)
      if (p.whole->id == answer.whole->id && p.slice == slice) answer.slice = &p;
    if (answer.slice == nullptr) {  // a slice that this part does not have
      answer.whole = nullptr;
      return answer;
    }
  }
  answer.candidates.clear();
  answer.outcome = accelerator_match::found;
  return answer;
}

}  // namespace detail

/// The part of a PCI id, such as 0x10de and 0x2330. Several editions of a part may share one.
constexpr accelerator_match find_accelerator_by_pci(std::uint16_t vendor_id, std::uint16_t device_id) noexcept {
  accelerator_match answer;
  const std::uint32_t number = static_cast<std::uint32_t>(vendor_id) << 16 | device_id;
  for (const catalog::pci_id& p : catalog::pci_ids)
    if (p.number == number) answer.candidates.push_back(p.part);
  if (answer.candidates.empty()) return answer;
  if (answer.candidates.size() > 1) {
    answer.outcome = accelerator_match::ambiguous;
    return answer;
  }
  answer.whole = answer.candidates[0];
  answer.candidates.clear();
  answer.outcome = accelerator_match::found;
  return answer;
}

/// The part of that name: id, display name, what nvidia-smi, rocm-smi and engine logs print, machines ("DGX H100",
/// "p5.48xlarge"), slices ("A100 SXM4 80GB MIG 1g.10gb"), a PCI id ("10de:2330").
///
/// Case, spaces, '-' and '_' do not count; a vendor ("NVIDIA") and a product line ("GeForce") may be left out or added.
/// Around a name counts ("8x", "(4x)"), sizes ("80GB"), form factors ("SXM5") and words such as "GPU" are understood, and
/// a size or form factor decides between parts that share a name. Everything else has to match whole: "L40" is not an
/// L40S, "RTX 5090 Laptop" no RTX 5090, "H100 SXM 40GB" nothing that was ever sold. "NVIDIA H200" is the SXM part, as
/// nvidia-smi prints it; "H200" and "H100" are ambiguous. An empty name is unknown and has no candidates.
constexpr accelerator_match find_accelerator(std::string_view name) noexcept {
  const detail::name_key whole(name);
  const std::string_view full = whole.view();
  if (full.empty()) return {};
  if (const std::uint32_t pci = detail::pci_number(full); pci != 0)
    return find_accelerator_by_pci(static_cast<std::uint16_t>(pci >> 16), static_cast<std::uint16_t>(pci & 0xffffU));
  if (!whole.cut) {
    accelerator_match exact = detail::match_key(full);
    if (exact.outcome != accelerator_match::unknown) return exact;
    for (const partition_profile& p : catalog::partitions)
      if (p.key == full) {
        exact.outcome = accelerator_match::found;
        exact.whole = p.whole;
        exact.slice = &p;
        return exact;
      }
  }
  const detail::label_words words(name);
  accelerator_match answer;
  if (!words.cut()) answer = detail::match_label(words);
  if (answer.outcome != accelerator_match::unknown || !answer.candidates.empty()) return answer;
  detail::nearest_parts nearest;
  vendor said = vendor::unknown;
  const std::string_view rest =
      detail::without_word(detail::without_word(full, catalog::vendor_words, said), catalog::line_words, said);
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
