// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/catalog/find_name.hpp>
#include <ullage/catalog/partitions.hpp>
#include <ullage/detail/static_list.hpp>

// A whole label: its names, and whether all that stands around them fits.
namespace ullage::inline v0 {

/// What a name stands for. A name is never guessed: it is found, or the caller gets parts to choose from.
struct accelerator_match {
  enum outcome_kind : std::uint8_t { found, ambiguous, unknown };
  outcome_kind outcome = unknown;
  const accelerator* whole = nullptr;        ///< the part, whole even where a slice of it is meant; null unless found
  const partition_profile* slice = nullptr;  ///< when the name is that of a slice of it
  /// ambiguous: the parts of that name. unknown: up to three parts with the nearest names, nearest first.
  detail::static_list<const accelerator*, 16> candidates{};

  /// How many devices the label says, whether or not it is understood: 8 of "8x H100" and of "DGX H100", 16 of "2x DGX
  /// H100"; 0 = it says nothing, or none.
  std::int64_t count = 0;
  bool counted = false;       ///< it has a number of its own, beside that of a machine
  std::uint16_t machine = 0;  ///< for machine_of (find_system.hpp): the machine that is named; 0 = none
  bytes memory_said{};        ///< the size that the label says, for parts that are sold in several

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

constexpr bool target_agrees(const accelerator& a, std::string_view said) noexcept {
  return a.target == said || (a.target.substr(0, 3) == "sm_" && a.target.substr(3) == said);
}

/// Whether a size in a label is that of the part: its label or another size it is sold under, exactly; or what programs
/// show of it, nearly.
constexpr bool memory_agrees(const accelerator& a, const label_size& s) noexcept {
  const auto about = [](double x, double y, double share) { return x > y * (1 - share) && x < y * (1 + share); };
  constexpr double one_gib = 1073741824.0;
  const double sold = real(a.memory_sold);
  if (a.memory_largest && a.kind == device_class::cpu) {  // takes any memory up to the largest
    const double said = s.kind == label_size::mebibytes ? s.number / 1024 : s.number;
    return said * one_gib <= sold * 1.0001 || (s.kind == label_size::label && said * 1e9 <= sold);
  }
  if (s.kind == label_size::mebibytes) {
    const double said = s.number * 1048576.0;
    if (a.memory_driver > bytes{} && about(said, real(a.memory_driver), .012)) return true;
    // Drivers of other releases, and with error correction on or off, print a few per cent less than the label in GiB.
    const auto shows = [&](double label) { return said > label * one_gib * .92 && said < label * one_gib * 1.002; };
    if (shows(sold / (integer(a.memory_sold) % 1'000'000 == 0 ? 1e9 : one_gib))) return true;
    for (const catalog::memory_label& l : catalog::memory_labels)
      if (l.part->id == a.id && shows(l.gigabytes)) return true;
    return false;
  }
  // "80GB" is the label whatever the unit means.
  const double share = s.kind == label_size::label ? 1e-9 : .018;
  for (double unit : {1e9, one_gib})
    if (about(s.number, sold / unit, share)) return true;
  for (const catalog::memory_label& l : catalog::memory_labels)
    if (l.part->id == a.id && about(s.number, l.gigabytes, share)) return true;
  return s.kind == label_size::printed && (about(s.number * one_gib, real(a.visible_memory()), .02) ||
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

/// Which boards of SXM a generation has; 0 = any.
constexpr std::uint32_t generations_of(architecture a) noexcept {
  switch (a) {
    case architecture::pascal: return 1U << 2;
    case architecture::volta: return 1U << 2 | 1U << 3;
    case architecture::ampere: return 1U << 4;
    case architecture::hopper: return 1U << 5;
    case architecture::blackwell:
    case architecture::blackwell_ultra: return 1U << 6;
    default: return 0;
  }
}
constexpr bool is_npu(const accelerator& a) noexcept {
  return a.kind == device_class::npu || a.family == architecture::npu || a.family == architecture::ascend ||
         a.family == architecture::hailo || a.family == architecture::ai100;
}
/// Whether all that stands around a name fits a part.
constexpr bool agrees(const label_filter& said, const accelerator& a) noexcept {
  for (std::size_t f = 1; f < form_factors; ++f)
    if ((said.forms >> f & 1) != 0 && !form_agrees(a, static_cast<form_factor>(f))) return false;
  if (said.generations != 0 && (said.generations & ~generations_of(a.family)) != 0) return false;
  for (std::size_t f = 1; f < architecture_kinds; ++f)
    if ((said.families >> f & 1) != 0 && !family_agrees(static_cast<architecture>(f), a.family) &&
        !(static_cast<architecture>(f) == architecture::ampere && a.made_by == vendor::ampere))
      return false;
  if ((said.memory & ~(1U << static_cast<unsigned>(a.memory_type))) != 0) return false;
  const bool is_cpu = a.kind == device_class::cpu;
  if ((said.cpu && !is_cpu) || (said.gpu && is_cpu) || (said.integrated && a.form != form_factor::soc) ||
      (said.tpu && a.family != architecture::tpu) || (said.npu && !is_npu(a)))
    return false;
  for (std::string_view target : said.targets)
    if (!target_agrees(a, target)) return false;
  for (const label_cores& c : said.cores) {
    // The cores of the CPU beside a GPU are not in its row.
    if (c.kind == label_cores::cpu && !is_cpu && a.form == form_factor::soc) continue;
    if (is_cpu != (c.kind != label_cores::gpu) || c.number != static_cast<double>(a.compute_units)) return false;
  }
  for (const label_size& s : said.sizes)
    if (!memory_agrees(a, s)) return false;
  return true;
}

/// Whether letters are a slice's own name; points and separators do not count.
constexpr bool is_slice_name(std::string_view slice, std::string_view letters) noexcept {
  const auto skip = [](std::string_view t, std::size_t& i) {
    while (i < t.size() && (t[i] == '.' || t[i] == '/' || t[i] == '-' || t[i] == '=')) ++i;
  };
  std::size_t i = 0;
  std::size_t k = 0;
  for (;;) {
    skip(slice, i);
    skip(letters, k);
    if (i == slice.size() || k == letters.size()) return i == slice.size() && k == letters.size();
    if (slice[i++] != letters[k++]) return false;
  }
}
constexpr bool is_slice_of(const partition_profile& p, std::string_view letters) noexcept {
  if (is_slice_name(p.slice, letters) || is_slice_name(p.id.substr(p.whole->id.size()), letters)) return true;
  // A die goes by several words.
  return (letters == "die" || letters == "tile") && p.linked && p.slice != "tensorcore" && p.slice != "neuroncore" &&
         p.slice.find("lnc") == std::string_view::npos;
}

/// Whether a machine's address in the bus begins at a word ("0000:01:00.0", "01:00.0"): how many words it has.
constexpr std::size_t bus_address(const label_words& w, std::size_t i) noexcept {
  const auto function = [](std::string_view t) { return t.size() == 4 && is_hex(t.substr(0, 2), 2) && t[2] == '.'; };
  const auto is = [&](std::size_t k) { return w.before(k) == colon; };
  if ((is_hex(w[i], 4) || is_hex(w[i], 8)) && is(i + 1) && is_hex(w[i + 1], 2) && is(i + 2) && function(w[i + 2]))
    return 3;
  return is_hex(w[i], 2) && is(i + 1) && function(w[i + 1]) ? 2 : 0;
}
/// The PCI id that begins at a word ("10de:2330", "0x10de:0x2330", or "0x233010DE" as NVML has it): how many words.
constexpr std::size_t pci_words(const label_words& w, std::size_t i, std::uint32_t& number) noexcept {
  std::uint32_t maker = 0;
  std::uint32_t device = 0;
  if (w.before(i + 1) == colon && hex_number(w[i], 4, maker) && hex_number(w[i + 1], 4, device)) {
    number = maker << 16 | device;
    return 2;
  }
  if (w[i].size() == 10 && w[i].substr(0, 2) == "0x" && hex_number(w[i], 8, device) && (device & 0xffffU) == 0x10deU) {
    number = device << 16 | device >> 16;
    return 1;
  }
  return 0;
}

/// A label, word by word.
class label_reader {
 public:
  constexpr explicit label_reader(const label_words& words) noexcept : words_(words) {}
  /// Counts, sizes and form factors around names are understood. Words that nothing explains make a label unknown, with
  /// the parts that were named as candidates; names without a part in common are ambiguous.
  constexpr accelerator_match read() noexcept {
    std::size_t i = 0;
    while (i < words_.size()) i += step(i);
    return answer();
  }
  bool any = false;            ///< something is named
  bool is_unknown_id = false;  ///< a PCI id without a row

 private:
  constexpr std::size_t step(std::size_t i) noexcept {
    if (const std::size_t n = bus_address(words_, i); n > 0) return n;
    std::uint32_t number = 0;
    if (const std::size_t n = pci_words(words_, i, number); n > 0) {
      named_parts here;
      for (const catalog::pci_id& p : catalog::pci_ids)
        if (p.number == number) here.parts.push_back(p.part);
      if (here.parts.empty()) is_unknown_id = true;
      meet(here);
      return n;
    }
    const named_parts here = longest_name(words_, i, pending_);
    if (here.used > 0) {
      for (std::size_t w = i; w < i + here.used; ++w) {
        std::uint32_t ignored = 0;
        vendor_of(words_[w], ignored);
        said_ |= ignored;
        // A size inside a name is that of the part, where it comes in several.
        label_filter size;
        if (size.take_size(words_[w])) in_names_.push_back(size.sizes[0]);
      }
      pending_ = 0;
      explained_ = i + here.explained;
      meet(here);
      return here.used;
    }
    for (const accelerator* p : here.parts) add_new(near_, p);
    std::uint32_t vendors = 0;
    if (vendor_of(words_[i], vendors)) {
      pending_ |= vendors;
      said_ |= vendors;
      return 1;
    }
    if (const std::size_t n = slice_words(i); n > 0) return n;
    if (words_[i] == "+" || words_[i] == "&" || words_[i] == "and") added_ = any;
    if (const std::size_t n = filter_.take(words_, i, any); n > 0) return n;
    if (i < explained_) return 1;
    if (is_whole(words_[i]) && words_[i].size() <= 5 && is_soft(words_.before(i + 1)) &&
        longest_name(words_, i + 1, pending_).used > 0 && filter_.say_count(words_[i]))
      return 1;
    understood_ = false;
    return 1;
  }
  /// Takes one more name: what it has in common with those before, or all of them.
  constexpr void meet(const named_parts& here) noexcept {
    if (!here.of_others.empty() && here.parts.empty()) {
      understood_ = false;
      for (const accelerator* p : here.of_others) add_new(near_, p);
      return;
    }
    if (here.parts.empty()) {
      understood_ = false;
      return;
    }
    if (here.owner != vendor::unknown) owners_ |= bit_of(here.owner);
    if (here.devices != 0) {
      // Two names of one machine, or two machines: then it is not clear how many devices are meant.
      if (devices_ != 0 && devices_ != here.devices) understood_ = false;
      if (machine_ == 0) machine_ = here.machine;
      devices_ = here.devices;
    } else if (here.owner == vendor::unknown) {
      part_named_ = true;
    }
    const bool added = added_;
    added_ = false;
    if (!any) {
      named_ = here.parts;
      last_name_ = here.key;
      any = true;
      return;
    }
    part_list both;
    for (const accelerator* p : here.parts)
      if (holds(named_, p)) both.push_back(p);
    // "RTX 4090, RTX 4090", "DGX H100 + HGX H100": more than one, but not how many.
    if (!both.empty() && !apart_ && (added || (!here.key.empty() && here.key == last_name_))) understood_ = false;
    last_name_ = here.key;
    if (apart_ || both.empty()) {
      apart_ = true;
      for (const accelerator* p : here.parts) add_new(named_, p);
    } else {
      named_ = both;
    }
  }
  /// How many words from `i` on are the name of a slice, of a part that is named or is still to be.
  constexpr std::size_t slice_words(std::size_t i) noexcept {
    char letters[name_key::capacity]{};
    for (std::size_t n = 3; n > 0; --n) {
      if (i + n > words_.size()) continue;
      const std::size_t size = words_.joined(i, n, letters, name_key::capacity);
      if (size == 0 || (n > 1 && is_memory_unit(words_[i]))) continue;
      for (const partition_profile& p : catalog::partitions) {
        if (any ? !holds(named_, p.whole) : p.linked) continue;
        if (!is_slice_of(p, {letters, size})) continue;
        if (slice_size_ > 0 && slice_first_ != i) understood_ = false;  // two slices
        slice_first_ = i;
        slice_size_ = n;
        return n;
      }
    }
    return 0;
  }
  constexpr accelerator_match answer() noexcept {
    accelerator_match m;
    m.counted = filter_.counted || filter_.devices_counted;
    m.machine = apart_ ? std::uint16_t{0} : machine_;
    count_devices(m);
    if (!any) {
      m.candidates = near_;
      return m;
    }
    for (const accelerator* p : named_) {
      bool fits = agrees(filter_, *p);
      for (std::size_t v = 1; v < vendor_kinds && fits; ++v)
        if ((pending_ >> v & 1) != 0 && (owners_ >> v & 1) == 0)
          fits = vendors_agree(pending_ | (said_ & bit_of(p->made_by)), vendor::unknown, p->made_by);
      if (fits || apart_) m.candidates.push_back(p);
    }
    if (filter_.counts_differ && !apart_) understood_ = false;
    if (filter_.mig && slice_size_ == 0) understood_ = false;
    if (!understood_ || m.candidates.empty()) {
      if (m.candidates.empty()) m.candidates = named_;
      for (const accelerator* p : near_) add_new(m.candidates, p);
      return m;
    }
    if (m.candidates.size() > 1) {
      m.outcome = accelerator_match::ambiguous;
      return m;
    }
    if (apart_) return m;
    const accelerator* whole = m.candidates[0];
    if (slice_size_ > 0) {
      char letters[name_key::capacity]{};
      const std::size_t size = words_.joined(slice_first_, slice_size_, letters, name_key::capacity);
      for (const partition_profile& p : catalog::partitions)
        if (p.whole->id == whole->id && is_slice_of(p, {letters, size})) m.slice = &p;
      if (m.slice == nullptr) return m;  // one that this part does not have
    }
    if (!say_memory(*whole, m) || !count_pod(*whole, m)) {
      m.slice = nullptr;
      return m;
    }
    m.whole = whole;
    m.candidates.clear();
    m.outcome = accelerator_match::found;
    return m;
  }
  /// What an option of a part is called is its size, in powers of two as memory chips are. False when two are said.
  constexpr bool say_memory(const accelerator& whole, accelerator_match& m) noexcept {
    if (!whole.memory_largest) return true;
    const bool decimal = integer(whole.memory_sold) % 1'000'000 == 0;
    for (const auto* list : {&filter_.sizes, &in_names_})
      for (const label_size& s : *list) {
        const double unit = s.kind == label_size::mebibytes          ? 1048576.0
                            : decimal && s.kind == label_size::label ? 1e9
                                                                     : 1073741824.0;
        const bytes said = of<bytes>(truncate(s.number * unit));
        if (m.memory_said > bytes{} && m.memory_said != said) return false;
        m.memory_said = said;
      }
    return true;
  }
  constexpr void count_devices(accelerator_match& m) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    std::int64_t n = filter_.counted ? filter_.count : 0;
    if (devices_ != 0 && !apart_) {
      const std::int64_t machines = filter_.counted ? n : 1;
      // "trn2.48xlarge (16 Trainium2)": beside the name of the part the number is one of parts.
      n = part_named_ && filter_.counted ? n : machines > most / devices_ ? most : machines * devices_;
      if (filter_.devices_counted && filter_.devices != n && filter_.devices != devices_) {
        if (filter_.counted) understood_ = false;
        n = filter_.devices;
      }
    } else if (filter_.devices_counted) {
      if (filter_.counted && filter_.devices != n) understood_ = false;
      n = filter_.devices;
    }
    m.count = n;
  }
  /// "v5p-128": of TPU v2 to v5p the number is one of TensorCores, two a chip; of v5e and v6e of chips.
  constexpr bool count_pod(const accelerator& whole, accelerator_match& m) noexcept {
    if (filter_.slice_of_pod == 0) return true;
    if (whole.family != architecture::tpu || whole.id.substr(0, 5) != "tpu-v" || m.counted || devices_ != 0)
      return false;
    const std::int64_t cores = whole.compute_units;
    if (cores <= 0 || filter_.slice_of_pod % cores != 0) return false;
    m.count = filter_.slice_of_pod / cores;
    m.counted = true;
    return true;
  }

  const label_words& words_;
  label_filter filter_{};
  part_list named_{};  // what the names so far have in common, or all of them
  part_list near_{};   // whose names are not quite there
  static_list<label_size, 4> in_names_{};
  std::uint32_t pending_ = 0;  // vendors since the last name
  std::uint32_t said_ = 0;     // all vendors
  std::uint32_t owners_ = 0;   // of the machines that are named
  std::uint16_t machine_ = 0;
  std::uint16_t devices_ = 0;
  std::size_t explained_ = 0;
  std::size_t slice_first_ = 0;
  std::size_t slice_size_ = 0;
  std::string_view last_name_{};
  bool added_ = false;  // "+" since the last name
  bool part_named_ = false;
  bool apart_ = false;
  bool understood_ = true;
};

}  // namespace detail

}  // namespace ullage::inline v0
