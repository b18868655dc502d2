// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/detail/static_list.hpp>
#include <ullage/hardware/words.hpp>

// How hardware is written in logs, tables and cloud lists: "8 x NVIDIA H100-SXM5-80GB (700 W)". Taken apart here; what the
// names stand for is in find.hpp.
namespace ullage::inline v0::detail {

using std::literals::string_view_literals::operator""sv;

/// Reads a name letter by letter in the form that names are compared in: lower case, UTF-8 hyphens and no-break spaces as
/// '-' and ' ', without "(R)", "(TM)" and their signs.
class plain_letters {
 public:
  constexpr explicit plain_letters(std::string_view text) noexcept : rest_(text) {}
  /// The next letter; '\0' at the end.
  constexpr char next() noexcept {
    for (;;) {
      if (rest_.empty()) return '\0';
      if (drop("(R)") || drop("(r)") || drop("(TM)") || drop("(tm)") || drop("\xC2\xAE") || drop("\xE2\x84\xA2"))
        continue;
      if (drop("\xC2\xA0")) return ' ';
      if (drop("\xC3\x97")) return '*';  // multiplication sign
      if (rest_.size() >= 3 && rest_[0] == '\xE2' && rest_[1] == '\x80' && rest_[2] >= '\x90' && rest_[2] <= '\x95') {
        rest_.remove_prefix(3);
        return '-';
      }
      const char c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '\0') return '\x01';  // no name holds it
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '\t' ? ' ' : c;
    }
  }

 private:
  constexpr bool drop(std::string_view what) noexcept {
    if (rest_.substr(0, what.size()) != what) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  std::string_view rest_;
};

/// A name without separators and in lower case, as the table of names keeps it.
struct name_key {
  static constexpr std::size_t capacity = 48;
  char letters[capacity]{};
  std::size_t length = 0;
  bool cut = false;  ///< the name is longer than any that is known

  constexpr explicit name_key(std::string_view name) noexcept {
    plain_letters letter(name);
    for (char c = letter.next(); c != '\0'; c = letter.next()) {
      if (c == ' ' || c == '-' || c == '_') continue;
      if (length == capacity) {
        cut = true;
        return;
      }
      letters[length++] = c;
    }
  }
  constexpr std::string_view view() const noexcept { return {letters, length}; }
};

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr bool is_number(std::string_view w) noexcept {
  if (w.empty()) return false;
  bool point = false;
  for (char c : w) {
    if (c == '.' && !point)
      point = true;
    else if (!is_digit(c))
      return false;
  }
  return is_digit(w.front()) && is_digit(w.back());
}
constexpr double number_of(std::string_view w) noexcept {
  double n = 0;
  double unit = 0;
  for (char c : w) {
    if (c == '.') {
      unit = 1;
      continue;
    }
    n = n * 10 + (c - '0');
    unit *= 10;
  }
  return unit > 0 ? n / unit : n;
}
/// "10de:2330" as 0x10de2330; 0 when it is none.
constexpr std::uint32_t pci_number(std::string_view w) noexcept {
  if (w.size() != 9 || w[4] != ':') return 0;
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    if (i == 4) continue;
    const char c = w[i];
    if (!is_digit(c) && !(c >= 'a' && c <= 'f')) return 0;
    n = n << 4 | static_cast<std::uint32_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  return n;
}
/// "1g.10gb", "cpx": how slices of a part are called.
constexpr bool is_slice(std::string_view w) noexcept {
  for (std::string_view mode : {"dpx", "qpx", "cpx", "gcd", "tile", "die"})
    if (w == mode) return true;
  const std::size_t g = w.find("g.");
  return g != std::string_view::npos && g > 0 && is_number(w.substr(0, g)) && w.size() > g + 4;
}

/// The words of a label, in plain letters; ',', ';', brackets, '/', '-' and '_' part them, '*' is a word of its own.
class label_words {
 public:
  static constexpr std::size_t capacity = 128;
  static constexpr std::size_t most_words = 32;

  constexpr explicit label_words(std::string_view label) noexcept {
    plain_letters letter(label);
    std::size_t begin = 0;
    const auto end_word = [&] {
      std::size_t end = used_;
      while (end > begin && (letters_[end - 1] == '.' || letters_[end - 1] == ':')) --end;  // the end of a sentence
      if (end > begin) add(begin, end - begin);
      begin = used_;
    };
    for (char c = letter.next(); c != '\0'; c = letter.next()) {
      if (used_ + 1 >= capacity) {
        cut_ = true;
        return;
      }
      switch (c) {
        case '*':
          end_word();
          letters_[used_++] = 'x';
          add(begin, 1);
          begin = used_;
          break;
        case ' ':
        case ',':
        case ';':
        case '(':
        case ')':
        case '[':
        case ']':
        case '/':
        case '-':
        case '_':
        case '~':
        case '"': end_word(); break;
        default:
          // "16xH200": a count and a name.
          if (used_ > begin + 1 && letters_[used_ - 1] == 'x' && c >= 'a' && c <= 'z' &&
              is_number({letters_ + begin, used_ - 1 - begin}))
            end_word();
          letters_[used_++] = c;
      }
    }
    end_word();
  }
  constexpr std::size_t size() const noexcept { return count_; }
  constexpr bool cut() const noexcept { return cut_; }
  constexpr std::string_view operator[](std::size_t i) const noexcept { return {letters_ + first_[i], length_[i]}; }
  /// `n` words from `i` on without separators into `into`; the length, or 0 when it has no room.
  constexpr std::size_t joined(std::size_t i, std::size_t n, char* into, std::size_t room) const noexcept {
    std::size_t used = 0;
    for (std::size_t w = i; w < i + n; ++w)
      for (char c : (*this)[w]) {
        if (used == room) return 0;
        into[used++] = c;
      }
    return used;
  }

 private:
  constexpr void add(std::size_t begin, std::size_t length) noexcept {
    if (count_ == most_words) {
      cut_ = true;
      return;
    }
    first_[count_] = static_cast<std::uint8_t>(begin);
    length_[count_++] = static_cast<std::uint8_t>(length);
  }
  char letters_[capacity]{};
  std::uint8_t first_[most_words]{};
  std::uint8_t length_[most_words]{};
  std::size_t used_ = 0;
  std::size_t count_ = 0;
  bool cut_ = false;
};

/// A size of memory in a label: 80 of "80GB", 95.0 of "95.0 GiB".
struct label_size {
  double number = 0;
  bool whole = true;  ///< written without a fraction, as labels are
};

/// Words of labels that say nothing about which part is meant. No word of a variant may stand here.
// clang-format off
inline constexpr std::array label_noise = {
    // what it is
    "gpu"sv, "gpus"sv, "card"sv, "cards"sv, "accelerator"sv, "accelerators"sv, "chip"sv, "chips"sv, "device"sv, "devices"sv,
    "tpu"sv, "npu"sv, "processor"sv, "core"sv, "die"sv, "adapter"sv,
    "graphics"sv, "generation"sv, "edition"sv, "class"sv, "desktop"sv, "mig"sv, "node"sv, "server"sv, "system"sv, "systems"sv, "socket"sv, "sockets"sv, "dual"sv, "single"sv,
    // of its memory, power and links
    "hbm"sv, "gb"sv, "memory"sv, "ram"sv, "vram"sv, "unified"sv, "free"sv, "power"sv, "cap"sv, "capped"sv, "limit"sv,
    "limited"sv, "maxn"sv, "dlc"sv, "fp16"sv, "bf16"sv, "fp8"sv, "int8"sv,
    // where it is
    "gcp"sv, "aws"sv, "custom"sv, "pc"sv, "hybrid"sv, "azure"sv, "virtualized"sv,
    // between words
    "x"sv, "+"sv, "&"sv, "a"sv, "an"sv, "and"sv, "each"sv, "form"sv, "of"sv, "on"sv, "one"sv, "page"sv, "per"sv, "printed"sv, "the"sv, "with"sv};
// clang-format on

/// What the words around a name say about the part.
struct label_filter {
  vendor made_by = vendor::unknown;
  form_factor form = form_factor::unknown;
  architecture family = architecture::unknown;
  memory_type memory = memory_type::unknown;
  bool cpu = false;           ///< the label speaks of the CPU
  bool integrated = false;    ///< of a GPU inside one
  std::string_view target{};  ///< "gfx1201", or the number of an sm target
  std::int64_t count = 0;     ///< how many the label says; 0 = it does not
  bool counts_differ = false;
  static_list<label_size, 4> sizes{};

  /// Notes a count; several names have one each.
  constexpr bool say_count(double n) noexcept {
    const std::int64_t said = static_cast<std::int64_t>(n);
    if (count != 0 && count != said) counts_differ = true;
    count = said;
    return true;
  }

  /// How many words from `i` on are understood; 0 = none. `after_name`: a part has been named before them.
  constexpr std::size_t take(const label_words& w, std::size_t i, bool after_name) noexcept {
    const std::string_view word = w[i];
    const std::string_view next = i + 1 < w.size() ? w[i + 1] : std::string_view();
    const std::string_view before = i > 0 ? w[i - 1] : std::string_view();
    if (is_number(word)) {
      // What is free says less than what there is.
      if (is_size_unit(next)) return (i + 2 < w.size() && w[i + 2] == "free") || add_size(word, next) ? 2 : 0;
      if (next == "w") return 2;
      // A count: "2 x", "x 2", "4 GPUs", or a whole number that opens or ends the label.
      const bool whole = word.find('.') == std::string_view::npos;
      if (whole && (next == "x" || before == "x" || is_count_noun(next))) return say_count(number_of(word)) ? 1 : 0;
      if (whole && word.size() <= 5 && i == 0) return say_count(number_of(word)) ? 1 : 0;
      if (whole && word.size() <= 5 && after_name && before != "x" && is_slice_count(w, i))
        return say_count(number_of(word)) ? 1 : 0;
      return 0;
    }
    if (const std::size_t unit = size_unit_at(word); unit > 0)
      return add_size(word.substr(0, unit), word.substr(unit)) ? 1 : 0;
    if (word.size() > 1 && word.back() == 'w' && is_number(word.substr(0, word.size() - 1))) return 1;
    if (word.size() > 1 && word.back() == 'x' && is_number(word.substr(0, word.size() - 1)))  // "8x"
      return say_count(number_of(word.substr(0, word.size() - 1))) ? 1 : 0;
    if (word.size() > 1 && word.front() == 'x' && is_number(word.substr(1)))  // "x8"
      return say_count(number_of(word.substr(1))) ? 1 : 0;
    if (take_vendor(word) || take_form(word) || take_family(word) || take_memory(word)) return 1;
    if (word == "sm" && is_number(next)) {
      target = next;
      return 2;
    }
    if ((word.substr(0, 2) == "sm" && is_number(word.substr(2))) || (word.substr(0, 3) == "gfx" && word.size() > 5)) {
      target = word.front() == 's' ? word.substr(2) : word;
      return 1;
    }
    if (word.substr(0, 2) == "tp" && word.size() > 2 && is_number(word.substr(2))) return 1;
    if (word == "cpu" || word == "cpus") {
      cpu = true;
      return 1;
    }
    // A negation is understood with the word that it negates, and only where that says nothing about the part.
    if (word == "no" && next == "nvlink") return 2;
    if (word == "not" && (next == "stated" || next == "named" || next == "printed")) return 2;
    if (word == "igpu") {
      integrated = true;
      return 1;
    }
    for (std::string_view noise : label_noise)
      if (word == noise) return 1;
    return 0;
  }

 private:
  static constexpr bool is_size_unit(std::string_view w) noexcept {
    return w == "gb" || w == "gib" || w == "g" || w == "tb" || w == "tib";
  }
  static constexpr bool is_count_noun(std::string_view w) noexcept {
    return w == "gpu" || w == "gpus" || w == "chip" || w == "chips" || w == "card" || w == "cards" || w == "device" ||
           w == "devices" || w == "socket" || w == "sockets";
  }
  /// "v5e-8": a slice of a TPU is named by its chips.
  static constexpr bool is_slice_count(const label_words& w, std::size_t i) noexcept {
    const std::string_view before = w[i - 1];
    return !before.empty() && before.front() == 'v' && before.size() > 1 && is_digit(before[1]);
  }
  /// The number's length in "80gb", "80g", "180gib"; 0 = no size.
  static constexpr std::size_t size_unit_at(std::string_view w) noexcept {
    std::size_t n = 0;
    while (n < w.size() && (is_digit(w[n]) || w[n] == '.')) ++n;
    return n > 0 && n < w.size() && is_number(w.substr(0, n)) && is_size_unit(w.substr(n)) ? n : 0;
  }
  constexpr bool add_size(std::string_view number, std::string_view unit) noexcept {
    const double gigabytes = number_of(number) * (unit == "tb" || unit == "tib" ? 1000.0 : 1.0);
    return gigabytes > 0 && sizes.push_back({gigabytes, number.find('.') == std::string_view::npos});
  }
  constexpr bool take_vendor(std::string_view w) noexcept {
    for (vendor v : {vendor::nvidia, vendor::amd, vendor::google, vendor::intel, vendor::apple, vendor::huawei,
                     vendor::qualcomm, vendor::tenstorrent})
      if (same_word(w, name(v))) {
        made_by = v;
        return true;
      }
    if (w == "geforce" || w == "tesla" || w == "quadro")
      made_by = vendor::nvidia;
    else if (w == "instinct" || w == "radeon")
      made_by = vendor::amd;
    else
      return false;
    return true;
  }
  constexpr bool take_form(std::string_view w) noexcept {
    if (w.substr(0, 3) == "sxm" && w.size() <= 4)
      form = form_factor::sxm;
    else if (w == "pcie")
      form = form_factor::pcie;
    else if (w == "nvl")
      form = form_factor::nvl;
    else if (w == "laptop" || w == "mobile")
      form = form_factor::laptop;
    else if (w == "oam")
      form = form_factor::oam;
    else if (w == "superchip")
      form = form_factor::superchip;
    else if (w == "module")
      form = form_factor::som;
    else
      return false;
    return true;
  }
  constexpr bool take_family(std::string_view w) noexcept {
    for (architecture a : {architecture::pascal, architecture::volta, architecture::turing, architecture::ampere,
                           architecture::hopper, architecture::blackwell, architecture::rubin})
      if (same_word(w, name(a))) {
        family = a;
        return true;
      }
    if (w == "ultra" && family == architecture::blackwell) {
      family = architecture::blackwell_ultra;
      return true;
    }
    return false;
  }
  constexpr bool take_memory(std::string_view w) noexcept {
    for (std::size_t m = 1; m < memory_types; ++m)
      if (same_word(w, name(static_cast<memory_type>(m)))) {
        memory = static_cast<memory_type>(m);
        return true;
      }
    return false;
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
