// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <ullage/estimate.hpp>
#include <ullage/io/result.hpp>
#include <ullage/units.hpp>

// Text of a log: colours and line ends taken off, a reading head for what stands behind a phrase, and the options that
// Python prints.
namespace ullage::inline v0::io {

/// A printed size: what the bytes may have been before they were rounded. Absent where low > high.
struct printed_bytes {
  std::int64_t low = 0;
  std::int64_t high = -1;
  constexpr bool given() const noexcept { return low <= high; }
  constexpr std::int64_t mid() const noexcept { return low + (high - low) / 2; }
  friend constexpr printed_bytes operator+(printed_bytes a, printed_bytes b) noexcept {
    return a.given() && b.given() ? printed_bytes{a.low + b.low, a.high + b.high} : printed_bytes{};
  }
  friend constexpr printed_bytes operator-(printed_bytes a, printed_bytes b) noexcept {
    return a.given() && b.given() ? printed_bytes{a.low - b.high, a.high - b.low} : printed_bytes{};
  }
  friend constexpr bool operator==(printed_bytes, printed_bytes) noexcept = default;
};

namespace detail {

/// The log as lines of letters: terminal colours gone ("ESC[36m", and "#033[36m" as system logs write it), every kind of
/// line end a line feed, other control characters a blank.
inline std::string plain_text(std::string_view log) {
  std::string out;
  out.reserve(log.size());
  const auto colour_end =
      [&](std::size_t at) {  // behind "[": the place of the letter that ends it; npos where none does
        for (std::size_t i = at; i < log.size() && i < at + 16; ++i) {
          const char c = log[i];
          if ((c >= '0' && c <= '9') || c == ';' || c == '?') continue;
          return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? i : std::string_view::npos;
        }
        return std::string_view::npos;
      };
  for (std::size_t i = 0; i < log.size(); ++i) {
    const char c = log[i];
    const bool escape = c == '\x1b' && i + 1 < log.size() && log[i + 1] == '[';
    if (escape || (c == '#' && log.substr(i, 5) == "#033[")) {
      const std::size_t end = colour_end(i + (escape ? 2 : 5));
      if (end != std::string_view::npos) {
        i = end;
        continue;
      }
    }
    if (c == '\r') {
      if (i + 1 < log.size() && log[i + 1] == '\n') continue;
      out += '\n';
    } else {
      out += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
    }
  }
  return out;
}

/// Reads on from a place in a text. What is not there leaves `ok` false, and every later read does nothing.
class text_cursor {
 public:
  constexpr text_cursor(std::string_view text, std::size_t at) noexcept : text_(text), at_(at) {}
  constexpr bool ok() const noexcept { return ok_; }
  constexpr std::size_t at() const noexcept { return at_; }
  constexpr explicit operator bool() const noexcept { return ok_; }
  /// The rest of the line.
  constexpr std::string_view line() const noexcept {
    const std::size_t end = text_.find('\n', at_);
    return text_.substr(at_, (end == std::string_view::npos ? text_.size() : end) - at_);
  }

  /// Blanks, and the end of a line that a page or a terminal broke.
  constexpr text_cursor& blanks() noexcept {
    while (ok_ && at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return *this;
  }
  constexpr text_cursor& word(std::string_view expected) noexcept {
    blanks();
    ok_ = ok_ && text_.substr(at_, expected.size()) == expected;
    if (ok_) at_ += expected.size();
    return *this;
  }
  /// The same where it may be missing.
  constexpr bool maybe(std::string_view expected) noexcept {
    text_cursor tried = *this;
    if (!tried.word(expected).ok()) return false;
    *this = tried;
    return true;
  }
  /// Goes behind the next occurrence inside `reach` bytes.
  constexpr text_cursor& behind(std::string_view expected, std::size_t reach = 400) noexcept {
    if (!ok_) return *this;
    const std::size_t found = text_.substr(at_, reach).find(expected);
    ok_ = found != std::string_view::npos;
    if (ok_) at_ += found + expected.size();
    return *this;
  }
  /// 14.9888, -0.5, 20,992; `decimals` those that were printed.
  text_cursor& number(double& value, int* decimals = nullptr) noexcept {
    blanks();
    if (!ok_) return *this;
    const auto digit = [&](std::size_t i) { return i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; };
    std::size_t i = at_;
    const bool negative = i < text_.size() && text_[i] == '-';
    if (negative) ++i;
    double whole = 0;
    int digits = 0;
    for (; digits < 18; ++digits, ++i) {
      // A comma parts thousands only where three digits follow, and no fourth.
      if (digits > 0 && i < text_.size() && text_[i] == ',' && digit(i + 1) && digit(i + 2) && digit(i + 3) &&
          !digit(i + 4))
        ++i;
      if (!digit(i)) break;
      whole = whole * 10 + (text_[i] - '0');
    }
    ok_ = digits > 0 && !digit(i);
    if (!ok_) return *this;
    int places = 0;
    if (i + 1 < text_.size() && text_[i] == '.' && digit(i + 1)) {
      double scale = 1;
      for (++i; digit(i); ++i) {
        if (++places > 17 || whole > 4e15) continue;
        scale *= 10;
        whole = whole * 10 + (text_[i] - '0');
      }
      whole /= scale;  // one rounding: 0.95 is 0.95
    }
    at_ = i;
    value = negative ? -whole : whole;
    if (decimals != nullptr) *decimals = places;
    return *this;
  }
  text_cursor& whole(std::int64_t& value) noexcept {
    double x = 0;
    int places = 0;
    number(x, &places);
    ok_ = ok_ && places == 0 && x > -9e15 && x < 9e15;
    if (ok_) value = static_cast<std::int64_t>(x);
    return *this;
  }
  /// A number and its unit: "14.96 GiB", "0.31GiB", "4.2 GB" (of 2^30 in this engine), "512.00 MiB", "59212694937 bytes".
  /// vLLM rounds to two decimals and then drops zeros, so fewer decimals do not say less.
  text_cursor& size(printed_bytes& value) noexcept {
    double x = 0;
    int places = 0;
    number(x, &places);
    double unit = 0;
    if (maybe("GiB") || maybe("GB"))
      unit = 1073741824.0;
    else if (maybe("MiB") || maybe("MB"))
      unit = 1048576.0;
    else if (maybe("KiB") || maybe("KB"))
      unit = 1024.0;
    else if (maybe("bytes"))
      unit = 1;
    ok_ = ok_ && unit > 0;
    if (ok_) value = rounded(x, places, unit);
    return *this;
  }
  /// A number whose unit is known to be GiB: "(31.23/31.86 GiB)".
  text_cursor& gib(printed_bytes& value) noexcept {
    double x = 0;
    int places = 0;
    if (number(x, &places)) value = rounded(x, places, 1073741824.0);
    return *this;
  }

 private:
  static constexpr printed_bytes rounded(double x, int places, double unit) noexcept {
    double half = 0.005;
    for (int i = 2; i < places && i < 12; ++i) half /= 10;
    if (unit == 1) half = 0;
    constexpr double most = 9e15;
    const double low = (x - half) * unit;
    const double high = (x + half) * unit;
    if (!(low > -most && high < most)) return {};
    const auto down = static_cast<std::int64_t>(low);
    return {static_cast<double>(down) < low ? down + 1 : down, static_cast<std::int64_t>(high)};
  }
  std::string_view text_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

/// Options by name, as text.
using text_options = std::map<std::string, std::string, std::less<>>;

/// One value of Python's print: up to the comma or bracket that ends it at this depth; quotes are taken off.
inline std::string python_value(std::string_view text, std::size_t& at) {
  std::string value;
  std::string closers;
  constexpr std::size_t most = 4096;
  while (at < text.size() && text[at] == ' ') ++at;
  const std::size_t begin = at;
  for (; at < text.size() && at - begin < most; ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      const std::size_t first = at;
      for (++at; at < text.size() && text[at] != c; ++at)
        if (text[at] == '\\') ++at;
      if (at >= text.size()) at = text.size() - 1;
      if (first == begin) {  // the whole value is a string
        value = text.substr(first + 1, at > first ? at - first - 1 : 0);
        for (std::size_t i = 0; (i = value.find("\\\\", i)) != std::string::npos; ++i) value.erase(i, 1);
        ++at;
        return value;
      }
      continue;
    }
    if (c == '(' || c == '[' || c == '{') closers += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c == ')' || c == ']' || c == '}') {
      if (closers.empty()) break;
      if (closers.back() == c) closers.pop_back();
    }
    if (c == ',' && closers.empty()) break;
  }
  value = text.substr(begin, at - begin);
  while (!value.empty() && value.back() == ' ') value.pop_back();
  return value;
}

/// "{'a': 1, 'b': [2, 3]}" behind its bracket, or "a=1, b=[2, 3])": the options of the outermost level.
inline void read_options(std::string_view text, bool quoted_keys, text_options& into) {
  constexpr std::size_t most = 512;
  std::size_t at = 0;
  for (std::size_t n = 0; n < most && at < text.size(); ++n) {
    while (at < text.size() && (text[at] == ' ' || text[at] == ',')) ++at;
    std::string key;
    if (quoted_keys) {
      if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return;
      key = python_value(text, at);
    } else {
      while (at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= '0' && text[at] <= '9') ||
                                  (text[at] >= 'A' && text[at] <= 'Z') || text[at] == '_'))
        key += text[at++];
    }
    while (at < text.size() && text[at] == ' ') ++at;
    if (key.empty() || key.size() > 64 || at >= text.size() || text[at] != (quoted_keys ? ':' : '=')) return;
    ++at;
    into[key] = python_value(text, at);
    while (at < text.size() && text[at] == ' ') ++at;
    if (at < text.size() && text[at] != ',') return;
  }
}

}  // namespace detail

}  // namespace ullage::inline v0::io
