// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/catalog/label_words.hpp>
#include <ullage/detail/static_list.hpp>
#include <ullage/hardware/words.hpp>

// What stands around a name in logs, tables and cloud lists: "8 x NVIDIA H100-SXM5-80GB (700 W)". What the names stand for
// is in find.hpp.
namespace ullage::inline v0::detail {

using std::literals::string_view_literals::operator""sv;

/// A size of memory in a label.
struct label_size {
  enum kind_of : std::uint8_t {
    label,     ///< "80GB", a whole number: what the part is sold as
    printed,   ///< "79.15 GiB": what a program shows
    mebibytes  ///< "81559 MiB": what the driver prints
  };
  double number = 0;  ///< in GB or GiB, else in MiB
  kind_of kind = label;
};
/// A number of cores in a label: of the GPU, of the CPU, or of either.
struct label_cores {
  enum kind_of : std::uint8_t { any, cpu, gpu };
  double number = 0;
  kind_of kind = any;
};

/// Words of labels that say nothing about which part is meant. No word of a variant may stand here.
// clang-format off
inline constexpr std::array label_noise = {
    // what it is
    "card"sv, "cards"sv, "accelerator"sv, "accelerators"sv, "chip"sv, "chips"sv, "device"sv, "devices"sv, "processor"sv,
    "adapter"sv, "board"sv, "graphics"sv, "generation"sv, "edition"sv, "fe"sv, "founders"sv, "class"sv, "desktop"sv,
    "node"sv, "server"sv, "system"sv, "systems"sv, "socket"sv, "sockets"sv, "single"sv,
    // of its memory, power and links
    "hbm"sv, "gb"sv, "memory"sv, "ram"sv, "vram"sv, "unified"sv, "free"sv, "power"sv, "cap"sv, "capped"sv, "limit"sv,
    "limited"sv, "maxn"sv, "dlc"sv, "fp16"sv, "bf16"sv, "fp8"sv, "int8"sv, "nvlink"sv,
    "nvswitch"sv,
    // where it is, and what lspci and Slurm write
    "custom"sv, "pc"sv, "hybrid"sv, "virtualized"sv, "corporation"sv, "corp"sv, "inc"sv, "vga"sv, "3d"sv, "display"sv,
    "compatible"sv, "controller"sv, "processing"sv, "gres"sv, "lovelace"sv, "aldebaran"sv, "arcturus"sv, "dg2"sv,
    // between words
    "+"sv, "&"sv, "and"sv, "each"sv, "form"sv, "of"sv, "on"sv, "one"sv, "page"sv, "per"sv, "printed"sv, "the"sv, "with"sv};
// clang-format on

/// Two words that say nothing together.
struct noise_pair {
  std::string_view first{};
  std::string_view second{};
};
inline constexpr std::array<noise_pair, 12> label_noise_pairs{{{"tensor", "core"},
                                                               {"ai", "accelerator"},
                                                               {"ai", "accelerators"},
                                                               {"dual", "slot"},
                                                               {"no", "nvlink"},
                                                               {"not", "stated"},
                                                               {"not", "named"},
                                                               {"not", "printed"},
                                                               {"aqua", "vanjaram"},
                                                               {"per", "die"},
                                                               {"per", "gpu"},
                                                               {"per", "chip"}}};

/// What the words around a name say about the part, and how many of them there are.
struct label_filter {
  std::uint32_t forms = 0;        ///< a bit a form_factor
  std::uint32_t generations = 0;  ///< of SXM: bit 5 is SXM5
  std::uint64_t families = 0;
  std::uint32_t memory = 0;
  bool cpu = false;  ///< the label speaks of the CPU
  bool gpu = false;
  bool tpu = false;
  bool npu = false;
  bool mig = false;
  bool integrated = false;                     ///< of a GPU inside a processor
  static_list<std::string_view, 2> targets{};  ///< "gfx1201", or the number of an sm target
  static_list<label_size, 4> sizes{};
  static_list<label_cores, 3> cores{};

  bool counted = false;          ///< "8x": of what is named
  bool devices_counted = false;  ///< "8 GPUs": of devices, also where a machine is named
  bool counts_differ = false;
  std::int64_t count = 0;
  std::int64_t devices = 0;
  std::int64_t slice_of_pod = 0;  ///< "v5p-128"

  /// Notes a count; several names have one each. A number of more than 18 digits is none.
  constexpr bool say_count(std::string_view number) noexcept { return say(number, counted, count); }
  constexpr bool say_devices(std::string_view number) noexcept { return say(number, devices_counted, devices); }

  /// How many words from `i` on are understood; 0 = none. `after_name`: a part has been named before them.
  constexpr std::size_t take(const label_words& w, std::size_t i, bool after_name) noexcept {
    const std::string_view word = w[i];
    const std::string_view next = w[i + 1];
    const std::string_view before = i > 0 ? w[i - 1] : std::string_view();
    if (is_number(word)) return take_number(w, i, after_name);
    if (is_digit(word.front()))
      if (const std::size_t n = take_measure(w, i); n > 0) return n;
    if (word == "x" || word == "*") {
      if (is_whole(next)) return say_count(next) ? 2 : 0;
      return word == "*" ? 1 : 0;  // a footnote; a lone x may be the end of a name
    }
    // "x8"; sixteen lanes of PCIe are no count.
    if (word.front() == 'x' && is_whole(word.substr(1)))
      return !(before == "pcie" && word == "x16") && say_count(word.substr(1)) ? 1 : 0;
    if (word == "dual" || word == "quad") {
      if (next == "slot") return 2;
      return (!after_name || is_count_noun(next)) && say_count(word == "dual" ? "2" : "4") ? 1 : 0;
    }
    if (word == "a" || word == "an")  // an article; behind a name it may be the end of one
      return !after_name || before == "on" || before == "of" || before == "with" || before == "per" ? 1 : 0;
    for (const noise_pair& p : label_noise_pairs)
      if (word == p.first && next == p.second) return 2;
    if (word == "advanced" && next == "micro" && w[i + 2] == "devices") return 3;
    if ((word == "rev" && is_hex(next, 2)) || (word == "navi" && is_whole(next))) return 2;
    if (word == "uuid") {  // up to the closing bracket
      std::size_t end = i + 1;
      while (end < w.size() && !w.has_before(end, closing)) ++end;
      return end - i;
    }
    if (word == "w" && w.has_before(i + 1, slash)) return 1;  // "w/"
    if (is_version(word)) return 1;
    if (take_form(word) || take_family(word, before) || take_memory(word) || take_kind(word)) return 1;
    if (word == "sm" && is_whole(next)) return targets.push_back(next) ? 2 : 0;
    if (word.substr(0, 2) == "sm" && is_whole(word.substr(2))) return targets.push_back(word.substr(2)) ? 1 : 0;
    if (word.substr(0, 3) == "gfx" && word.size() > 5) return targets.push_back(word) ? 1 : 0;
    if (word.substr(0, 2) == "tp" && is_whole(word.substr(2))) return 1;
    for (std::string_view noise : label_noise)
      if (word == noise) return 1;
    return 0;
  }

  static constexpr bool is_count_noun(std::string_view w) noexcept {
    return w == "gpu" || w == "chip" || w == "card" || w == "device" || w == "socket" || is_plural_noun(w);
  }
  static constexpr bool is_plural_noun(std::string_view w) noexcept {
    return w == "gpus" || w == "chips" || w == "cards" || w == "devices" || w == "sockets";
  }
  /// Notes the size in a word such as "80gb"; false when it is none.
  constexpr bool take_size(std::string_view word) noexcept {
    const std::size_t digits = digits_of(word);
    if (digits == 0 || !is_memory_unit(word.substr(digits)) || digits > 12) return false;
    const std::string_view unit = word.substr(digits);
    double n = number_of(word.substr(0, digits));
    if (unit.front() == 't') n *= 1024;
    if (!(n > 0)) return false;
    if (unit.front() == 'm') return sizes.push_back({n, label_size::mebibytes});
    // "95.0 GiB" is a print, "1.5TB" a label.
    const bool is_label = unit.front() == 't' ? n < 1e9 && n == static_cast<double>(static_cast<std::int64_t>(n))
                                              : is_whole(word.substr(0, digits));
    return sizes.push_back({n, is_label ? label_size::label : label_size::printed});
  }

 private:
  constexpr bool say(std::string_view number, bool& said, std::int64_t& value) noexcept {
    if (number.size() > 18 || !is_whole(number)) return false;
    std::int64_t n = 0;
    for (char c : number) n = n * 10 + (c - '0');
    if (said && value != n) counts_differ = true;
    said = true;
    value = n;
    return true;
  }
  constexpr std::size_t take_number(const label_words& w, std::size_t i, bool after_name) noexcept {
    const std::string_view word = w[i];
    const std::string_view next = w[i + 1];
    const std::string_view before = i > 0 ? w[i - 1] : std::string_view();
    if (!is_whole(word)) return 0;
    const bool one_digit = word.size() == 1 && word.front() <= '7';
    const bool ends = i + 1 == w.size() || w.has_before(i + 1, comma);
    // Numbers that name a device, not a part: "GPU 0:", "0, NVIDIA L4", "NVIDIA L4, 3", "L4 (0)", "[0302]" behind a class.
    if (before == "gpu" && w.has_before(i + 1, colon) && is_soft(w.before(i))) return 1;
    if (i == 0 && one_digit && w.has_before(1, comma)) return 1;
    if ((before == "controller" || before == "accelerators") && word.size() == 4 && w.has_before(i, opening)) return 1;
    if (after_name && one_digit && ends && w.has_before(i, comma)) return 1;
    if (after_name && word == "0" && (w.has_before(i, opening) || w.has_before(i, dash))) return 1;
    // "2 x", "H100:8", "4 GPUs", "10-core", or a number that opens the label.
    if (next == "x" || next == "*") return say_count(word) ? 2 : 0;
    if (after_name && w.has_before(i, colon)) return say_count(word) ? 1 : 0;
    if (next == "core" || next == "cores") {
      const bool of_cpu = w[i + 2] == "cpu" && is_soft(w.before(i + 2));
      const bool of_gpu = w[i + 2] == "gpu" && is_soft(w.before(i + 2));
      const label_cores::kind_of kind = of_cpu ? label_cores::cpu : of_gpu ? label_cores::gpu : label_cores::any;
      return cores.push_back({number_of(word), kind}) ? (of_cpu || of_gpu ? 3 : 2) : 0;
    }
    if ((next == "gpu" || next == "cpu") && (w[i + 2] == "core" || w[i + 2] == "cores"))
      return cores.push_back({number_of(word), next == "gpu" ? label_cores::gpu : label_cores::cpu}) ? 3 : 0;
    // "A100 80 GPU" may as well be a size.
    if (is_count_noun(next) && is_soft(w.before(i + 1)))
      return (!after_name || is_plural_noun(next) || word == "1" || w.before(i + 1) == dash) && say_devices(word) ? 1
                                                                                                                  : 0;
    if (i == 0 && word.size() <= 5 && is_soft(w.before(1))) return say_count(word) ? 1 : 0;
    // "v5p-128": slices of a TPU are named by their size. "TPU v5p 128" is taken for the same, as no other blank counts.
    if (after_name && slice_of_pod == 0 && word.size() <= 5 && is_soft(w.before(i)) && before.size() > 1 &&
        before.front() == 'v' && is_digit(before[1])) {
      slice_of_pod = static_cast<std::int64_t>(number_of(word));
      return slice_of_pod > 0 ? 1 : 0;
    }
    return 0;
  }
  /// "80gb", "350w", "2.0ghz", "8x".
  constexpr std::size_t take_measure(const label_words& w, std::size_t i) noexcept {
    const std::string_view word = w[i];
    const std::string_view next = w[i + 1];
    const std::size_t digits = digits_of(word);
    if (digits == 0) return 0;
    const std::string_view unit = word.substr(digits);
    if (unit == "w" || unit == "ghz") return 1;
    if (unit == "x") {
      if (w.before(i + 1) == 0 && next.size() < 3 && is_whole(next)) return 0;  // "2x2": whose count is it?
      return say_count(word.substr(0, digits)) ? 1 : 0;
    }
    // What is free, or taken of the whole, says less than what there is.
    if (is_memory_unit(unit) && next == "free") return 2;
    if (unit == "mib" && w.has_before(i + 1, slash) && next.size() > 3 && next.substr(next.size() - 3) == "mib")
      return 1;
    return take_size(word) ? 1 : 0;
  }
  /// How many letters of a word are the number that it begins with; 0 = none.
  static constexpr std::size_t digits_of(std::string_view w) noexcept {
    std::size_t n = 0;
    while (n < w.size() && (is_digit(w[n]) || w[n] == '.')) ++n;
    return n < w.size() && is_number(w.substr(0, n)) ? n : 0;
  }
  /// "535.104.05": a driver's version.
  static constexpr bool is_version(std::string_view w) noexcept {
    int points = 0;
    for (char c : w) {
      if (!is_digit(c) && c != '.') return false;
      points += c == '.' ? 1 : 0;
    }
    return points >= 2;
  }
  constexpr bool take_form(std::string_view w) noexcept {
    form_factor form = form_factor::unknown;
    if (w.substr(0, 3) == "sxm" && (w.size() == 3 || (w.size() == 4 && is_digit(w[3])))) {
      form = form_factor::sxm;
      if (w.size() == 4) generations |= 1U << static_cast<unsigned>(w[3] - '0');
    } else if (w == "pcie") {
      form = form_factor::pcie;
    } else if (w == "nvl") {
      form = form_factor::nvl;
    } else if (w == "laptop" || w == "mobile") {
      form = form_factor::laptop;
    } else if (w == "oam") {
      form = form_factor::oam;
    } else if (w == "superchip") {
      form = form_factor::superchip;
    } else if (w == "module") {
      form = form_factor::som;
    } else {
      return false;
    }
    forms |= 1U << static_cast<unsigned>(form);
    return true;
  }
  constexpr bool take_family(std::string_view w, std::string_view before) noexcept {
    const auto bit = [](architecture a) { return std::uint64_t{1} << static_cast<unsigned>(a); };
    for (architecture a : {architecture::pascal, architecture::volta, architecture::turing, architecture::ampere,
                           architecture::hopper, architecture::blackwell, architecture::rubin})
      if (same_word(w, name(a))) {
        families |= bit(a);
        return true;
      }
    if (w == "ada") {
      families |= bit(architecture::ada);
      return true;
    }
    if (w == "ultra" && before == "blackwell") {
      families |= bit(architecture::blackwell_ultra);
      return true;
    }
    // Chips as lspci names them: GH100, AD102GL.
    if (w.size() < 5 || w.size() > 8 || !is_whole(w.substr(2, 3)) || (w[2] != '1' && w.substr(2, 2) != "20"))
      return false;
    for (char c : w.substr(5))
      if (is_digit(c)) return false;
    struct chip {
      std::string_view letters;
      architecture family;
    };
    for (const chip& c :
         {chip{"gp", architecture::pascal}, chip{"gv", architecture::volta}, chip{"tu", architecture::turing},
          chip{"ga", architecture::ampere}, chip{"ad", architecture::ada}, chip{"gh", architecture::hopper},
          chip{"gb", architecture::blackwell}})
      if (w.substr(0, 2) == c.letters && (w[2] == '1' || (c.family == architecture::blackwell && w[4] != '0'))) {
        families |= bit(c.family);
        return true;
      }
    return false;
  }
  constexpr bool take_memory(std::string_view w) noexcept {
    for (std::size_t m = 1; m < memory_types; ++m)
      if (same_word(w, name(static_cast<memory_type>(m)))) {
        memory |= 1U << m;
        return true;
      }
    return false;
  }
  constexpr bool take_kind(std::string_view w) noexcept {
    if (w == "gpu" || w == "gpus")
      gpu = true;
    else if (w == "cpu" || w == "cpus")
      cpu = true;
    else if (w == "tpu" || w == "tpus")
      tpu = true;
    else if (w == "npu" || w == "npus")
      npu = true;
    else if (w == "igpu")
      integrated = true;
    else if (w == "mig")
      mig = true;
    else
      return false;
    return true;
  }
  static constexpr bool same_word(std::string_view lower, std::string_view any) noexcept {
    if (lower.size() != any.size()) return false;
    for (std::size_t i = 0; i < any.size(); ++i) {
      const char c = any[i] >= 'A' && any[i] <= 'Z' ? static_cast<char>(any[i] - 'A' + 'a') : any[i];
      if (c != lower[i]) return false;
    }
    return true;
  }
};

}  // namespace ullage::inline v0::detail
