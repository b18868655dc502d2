// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The letters and words of hardware labels, and what stands between the words: "H20, 0" is no H200 and "MI250 x 4" no MI250X.
namespace ullage::inline v0::detail {

/// Reads a name letter by letter in the form that names are compared in: lower case, UTF-8 hyphens and blanks as '-' and
/// ' ', without "(R)", "(TM)" and their signs, footnote marks and byte order marks.
class plain_letters {
 public:
  constexpr explicit plain_letters(std::string_view text) noexcept : rest_(text) {}
  /// The next letter; '\0' at the end.
  constexpr char next() noexcept {
    for (;;) {
      if (rest_.empty()) return '\0';
      if (drop("(R)") || drop("(r)") || drop("(TM)") || drop("(tm)")) continue;
      const char c = rest_[0];
      if (static_cast<unsigned char>(c) >= 0x80) {
        char plain = '\0';
        if (sign(plain)) {
          if (plain == '\0') continue;
          return plain;
        }
      }
      rest_.remove_prefix(1);
      if (c == '\0') return '\x01';  // no name holds it
      if (c >= '\t' && c <= '\r') return ' ';
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }

 private:
  constexpr bool drop(std::string_view what) noexcept {
    if (rest_.substr(0, what.size()) != what) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  /// A sign beyond ASCII as the letter that it stands for; '\0' for one that says nothing.
  constexpr bool sign(char& plain) noexcept {
    // Registered and trade mark, footnotes (1, 2, 3 raised; daggers), byte order mark.
    if (drop("\xC2\xAE") || drop("\xE2\x84\xA2") || drop("\xC2\xB9") || drop("\xC2\xB2") || drop("\xC2\xB3") ||
        drop("\xE2\x80\xA0") || drop("\xE2\x80\xA1") || drop("\xEF\xBB\xBF"))
      return true;
    plain = ' ';
    if (drop("\xC2\xA0") || drop("\xE3\x80\x80") || drop("\xE2\x80\xAF") || drop("\xE2\x80\xA6")) return true;
    plain = '*';
    if (drop("\xC3\x97")) return true;  // multiplication sign
    plain = '-';
    if (drop("\xE2\x88\x92")) return true;  // minus
    if (rest_.size() < 3 || rest_[0] != '\xE2' || rest_[1] != '\x80') return false;
    if (rest_[2] <= '\x8A')
      plain = ' ';
    else if (rest_[2] < '\x90' || rest_[2] > '\x95')
      return false;
    rest_.remove_prefix(3);
    return true;
  }
  std::string_view rest_;
};

/// A name without separators and in lower case.
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
constexpr bool is_whole(std::string_view w) noexcept {
  return is_number(w) && w.find('.') == std::string_view::npos;
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
/// The value of 1 to 8 hexadecimal digits, with "0x" before them or without; false when it is none.
constexpr bool hex_number(std::string_view w, std::size_t digits, std::uint32_t& value) noexcept {
  if (w.substr(0, 2) == "0x") w.remove_prefix(2);
  if (w.size() != digits) return false;
  value = 0;
  for (char c : w) {
    if (!is_digit(c) && !(c >= 'a' && c <= 'f')) return false;
    value = value << 4 | static_cast<std::uint32_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  return true;
}
constexpr bool is_hex(std::string_view w, std::size_t digits) noexcept {
  std::uint32_t value = 0;
  return w.size() == digits && hex_number(w, digits, value);
}
constexpr bool is_memory_unit(std::string_view w) noexcept {
  return w == "gb" || w == "gib" || w == "g" || w == "tb" || w == "tib" || w == "mb" || w == "mib";
}

/// What stands before a word, of these any number. None: the words are written as one ("RTX4090x2").
enum separator : std::uint8_t {
  blank = 1,
  dash = 2,     ///< '-' and '_'
  comma = 4,    ///< ',' ';' '|'
  opening = 8,  ///< '(' '['
  closing = 16,
  slash = 32,
  colon = 64,
  mark = 128  ///< '@' '~' '"'
};
constexpr std::uint8_t separator_of(char c) noexcept {
  switch (c) {
    case ' ': return blank;
    case '-':
    case '_': return dash;
    case ',':
    case ';':
    case '|': return comma;
    case '(':
    case '[': return opening;
    case ')':
    case ']': return closing;
    case '/': return slash;
    case ':': return colon;
    case '@':
    case '~':
    case '"': return mark;
    default: return 0;
  }
}
/// Whether words so separated can be one name; behind a comma, a bracket or a slash something else begins.
constexpr bool is_soft(std::uint8_t separators) noexcept {
  return (separators & ~(blank | dash)) == 0;
}

/// The words of a label in plain letters. '*' is a word of its own; a count written to a name ("16xH200", "H100x8") and a
/// unit that stands apart from its number ("80 GB") are set right.
class label_words {
 public:
  static constexpr std::size_t capacity = 224;
  static constexpr std::size_t most_words = 40;

  constexpr explicit label_words(std::string_view label) noexcept {
    plain_letters letter(label);
    for (char c = letter.next(); c != '\0'; c = letter.next()) {
      if (used_ + 1 >= capacity) {
        cut_ = true;
        return;
      }
      if (const std::uint8_t s = separator_of(c); s != 0) {
        end_word(c);
        before_ |= s;
      } else if (c == '*') {
        end_word();
        letters_[used_++] = c;
        end_word();
      } else {
        // "16xH200", "2x4090": a count and a name; "3090x2" is the other way round, "0x10de" neither.
        const std::string_view word{letters_ + begin_, used_ - begin_};
        if (word.size() > 1 && word.back() == 'x' && word != "0x" && is_whole(word.substr(0, word.size() - 1)) &&
            !(is_digit(c) && word.size() > 4))
          end_word();
        letters_[used_++] = c;
      }
    }
    end_word();
    after_ = before_;
  }
  constexpr std::size_t size() const noexcept { return count_; }
  constexpr bool cut() const noexcept { return cut_; }
  /// The word at a place; an empty one behind the last.
  constexpr std::string_view operator[](std::size_t i) const noexcept {
    return i < count_ ? std::string_view{letters_ + first_[i], length_[i]} : std::string_view{};
  }
  /// What stands before a word; for the place behind the last, after all of them.
  constexpr std::uint8_t before(std::size_t i) const noexcept { return i < count_ ? before_word_[i] : after_; }
  constexpr bool has_before(std::size_t i, separator s) const noexcept { return (before(i) & s) != 0; }
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
  constexpr void end_word(char next = ' ') noexcept {
    std::size_t end = used_;
    while (end > begin_ && letters_[end - 1] == '.') --end;  // the end of a sentence
    const std::string_view word{letters_ + begin_, end - begin_};
    if (!word.empty()) {
      // "80 GB", "350 W", "2.0 GHz": one word, but not "4090 w/".
      if ((is_memory_unit(word) || word == "w" || word == "ghz") && next != '/' && count_ > 0 &&
          is_number((*this)[count_ - 1]) && is_soft(before_) && first_[count_ - 1] + length_[count_ - 1] == begin_) {
        length_[count_ - 1] = static_cast<std::uint8_t>(length_[count_ - 1] + word.size());
      } else if (const std::size_t x = count_behind(word); x > 0) {
        add(begin_, x);
        before_ = 0;
        add(begin_ + x, word.size() - x);
      } else if (word.size() > 3 && word.substr(0, 3) == "ml.") {  // a machine under another service's name
        add(begin_ + 3, word.size() - 3);
      } else {
        add(begin_, word.size());
      }
      before_ = 0;
    }
    begin_ = used_;
  }
  /// Where the count begins in "h100x8"; 0 = there is none. Before it stands a name, which has a digit.
  static constexpr std::size_t count_behind(std::string_view w) noexcept {
    std::size_t x = w.size();
    while (x > 0 && is_digit(w[x - 1])) --x;
    if (x < 2 || x == w.size() || w[--x] != 'x') return 0;
    const std::string_view name = w.substr(0, x);
    if (is_number(name) && name.size() < 4) return 0;
    for (char c : name)
      if (is_digit(c)) return x;
    return 0;
  }
  constexpr void add(std::size_t begin, std::size_t length) noexcept {
    if (count_ == most_words) {
      cut_ = true;
      return;
    }
    before_word_[count_] = before_;
    first_[count_] = static_cast<std::uint8_t>(begin);
    length_[count_++] = static_cast<std::uint8_t>(length);
  }
  char letters_[capacity]{};
  std::uint8_t first_[most_words]{};
  std::uint8_t length_[most_words]{};
  std::uint8_t before_word_[most_words]{};
  std::size_t begin_ = 0;
  std::size_t used_ = 0;
  std::size_t count_ = 0;
  std::uint8_t before_ = 0;
  std::uint8_t after_ = 0;
  bool cut_ = false;
};

}  // namespace ullage::inline v0::detail
