// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/catalog/find_label.hpp>
#include <ullage/detail/edit_distance.hpp>

namespace ullage::inline v0 {

namespace detail {

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

/// Letters of a name without those of a vendor and a product line, for the nearest names.
constexpr std::string_view without_vendor(std::string_view letters) noexcept {
  for (int times = 0; times < 2; ++times) {
    const std::string_view before = letters;
    for (const catalog::vendor_word& w : catalog::vendor_words)
      if (letters.size() > w.key.size() + 1 && letters.substr(0, w.key.size()) == w.key)
        letters.remove_prefix(w.key.size());
    for (const catalog::vendor_word& w : catalog::line_words)
      if (letters.size() > w.key.size() + 1 && letters.substr(0, w.key.size()) == w.key)
        letters.remove_prefix(w.key.size());
    if (letters == before) break;
  }
  return letters;
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

/// The part of that name: id, display name, what nvidia-smi, rocm-smi, lspci and engine logs print, machines ("DGX H100",
/// "2x p5.48xlarge"), slices ("A100 SXM4 80GB MIG 1g.10gb"), a PCI id ("10de:2330").
///
/// Case, spaces, '-' and '_' do not count, except that a letter or number which stands apart is not joined to a name that is
/// never written so: "L4, 0" is the L4 of index 0, and "MI250 X" or "L40(S)" may be either part. A vendor ("NVIDIA") and a
/// product line ("GeForce") may be left out or added. Around a name counts ("8x", "(4x)", "H100:8"), sizes ("80GB", "81559
/// MiB"), form factors ("SXM5") and words such as "GPU" are understood, and decide between parts that share a name.
/// Everything else has to match whole: "L40" is not an L40S, "RTX 5090 Laptop" no RTX 5090, "H100 SXM 40GB" nothing that was
/// ever sold. "NVIDIA H200" is the SXM part, as nvidia-smi prints it; "H200" and "H100" are ambiguous. An empty name is
/// unknown and has no candidates.
constexpr accelerator_match find_accelerator(std::string_view name) noexcept {
  accelerator_match answer;
  const detail::name_key whole(name);
  if (whole.view().empty()) return answer;
  const detail::label_words words(name);
  if (!words.cut()) {
    detail::label_reader reader(words);
    answer = reader.read();
    // An id means its row, also where people call several parts so.
    if (answer.outcome == accelerator_match::ambiguous)
      for (const accelerator* p : answer.candidates)
        if (p->id == name) {
          answer.outcome = accelerator_match::found;
          answer.whole = p;
          answer.candidates.clear();
          return answer;
        }
    if (reader.any || reader.is_unknown_id || !answer.candidates.empty()) return answer;
  }
  detail::nearest_parts nearest;
  const std::string_view rest = detail::without_vendor(whole.view());
  const auto distance = [&](std::string_view key) {
    char letters[detail::name_key::capacity]{};
    std::size_t size = 0;
    for (char c : key)
      if (!detail::is_mark(c) && size < detail::name_key::capacity) letters[size++] = c;
    return detail::edit_distance(rest, {letters, size}, nearest.limit());
  };
  for (const catalog::ambiguous_accelerator_name& several : catalog::ambiguous_accelerator_names) {
    const std::size_t d = distance(several.key);
    for (const accelerator* part : several.parts)
      if (part != nullptr) nearest.offer(part, d);
  }
  for (std::size_t i = 0; i < catalog::accelerator_aliases.size(); ++i) {
    const catalog::accelerator_alias alias = catalog::accelerator_aliases[i];
    nearest.offer(alias.part, distance(alias.key));
  }
  for (std::size_t i = 0; i < nearest.used; ++i) answer.candidates.push_back(nearest.part[i]);
  return answer;
}

}  // namespace ullage::inline v0
