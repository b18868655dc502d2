// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

// Errors of files and requests as values; nothing in io/ throws. docs/errors.md has a line a code.
namespace ullage::inline v0::io {

/// Why a file or a request got no answer: a closed list.
enum class error_code : std::uint8_t {
  // the model or the engine is not understood
  unknown_architecture,
  unknown_field,
  incomplete_config,
  unknown_format,
  unknown_engine,
  unsupported_version,
  too_many_layers,
  overflow,
  // wrong usage
  unknown_key,
  unknown_accelerator,
  ambiguous_accelerator,
  unsupported_layout,
  bad_value,
  // unreadable input
  bad_file,
  bad_json
};

namespace detail {
struct error_row {
  error_code code;
  std::string_view name;
  int exit_code;
};
inline constexpr std::array<error_row, 15> error_rows{{
    {error_code::unknown_architecture, "unknown_architecture", 3},
    {error_code::unknown_field, "unknown_field", 3},
    {error_code::incomplete_config, "incomplete_config", 3},
    {error_code::unknown_format, "unknown_format", 3},
    {error_code::unknown_engine, "unknown_engine", 3},
    {error_code::unsupported_version, "unsupported_version", 3},
    {error_code::too_many_layers, "too_many_layers", 3},
    {error_code::overflow, "overflow", 3},
    {error_code::unknown_key, "unknown_key", 2},
    {error_code::unknown_accelerator, "unknown_accelerator", 2},
    {error_code::ambiguous_accelerator, "ambiguous_accelerator", 2},
    {error_code::unsupported_layout, "unsupported_layout", 2},
    {error_code::bad_value, "bad_value", 2},
    {error_code::bad_file, "bad_file", 4},
    {error_code::bad_json, "bad_json", 4},
}};
}  // namespace detail

constexpr std::string_view name(error_code c) noexcept {
  return detail::error_rows[static_cast<std::size_t>(c)].name;
}
/// What the program ends with: 2 wrong usage, 3 model or engine not understood, 4 file or JSON unreadable.
constexpr int exit_code(error_code c) noexcept {
  return detail::error_rows[static_cast<std::size_t>(c)].exit_code;
}
/// The exit code of a code's name; 2 for a name that is none.
constexpr int exit_code_of(std::string_view code) noexcept {
  for (const detail::error_row& r : detail::error_rows)
    if (r.name == code) return r.exit_code;
  return 2;
}

struct error {
  error_code code = error_code::bad_value;
  std::string field;          ///< path in the request: "model.config.num_key_value_heads"
  std::string message;        ///< one sentence: the field, what was found, what was expected
  bool not_answered = false;  ///< the contract has what was asked for, this release does not answer it yet
};

namespace detail {

inline constexpr std::size_t most_of_value = 80;     ///< bytes of any value in a message
inline constexpr std::size_t most_of_message = 600;  ///< bytes of a message

/// Bytes of the UTF-8 sequence that `s` starts with, and its code point; 0 where it is none.
inline std::size_t utf8_length(std::string_view s, std::uint32_t& point) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(s[i])); };
  const std::uint32_t first = byte(0);
  const std::size_t n = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (n == 0 || n > s.size()) return 0;
  point = n == 1 ? first : first & (0x7Fu >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  return point >= (n == 3   ? 0x800u
                   : n == 4 ? 0x10000u
                            : 0u) &&
                 point <= 0x10FFFFu && (point < 0xD800u || point > 0xDFFFu)
             ? n
             : 0;
}

/// Whether a terminal may take a character for something else than a letter: control, line ends, direction.
constexpr bool is_control(std::uint32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF;
}

/// Foreign text as a message shows it: on one line, control characters and what is no UTF-8 escaped, and at most
/// `most` bytes. Done twice it changes nothing more.
inline std::string one_line(std::string_view s, std::size_t most = most_of_value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  std::size_t room_for_dots = 0;
  for (std::size_t i = 0; i < s.size();) {
    std::uint32_t point = 0;
    const std::size_t n = utf8_length(s.substr(i), point);
    std::string piece;
    if (n == 0) {
      const auto byte = static_cast<unsigned char>(s[i]);
      piece = {'\\', 'x', digits[byte >> 4], digits[byte & 15u]};
    } else if (is_control(point)) {
      piece = {'\\',
               'u',
               digits[point >> 12 & 15u],
               digits[point >> 8 & 15u],
               digits[point >> 4 & 15u],
               digits[point & 15u]};
    } else {
      piece = s.substr(i, n);
    }
    i += n == 0 ? 1 : n;
    if (text.size() + piece.size() > most) {
      text.resize(room_for_dots);
      return text + "...";
    }
    text += piece;
    if (text.size() + 3 <= most) room_for_dots = text.size();
  }
  return text;
}

/// A file's name as a message shows it: of a long one the end.
inline std::string shown_path(std::string_view path) {
  constexpr std::size_t most = 160;
  if (path.size() <= most) return one_line(path, most);
  std::string_view end = path.substr(path.size() - (most - 3));
  while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0u) == 0x80u) end.remove_prefix(1);
  return one_line("..." + std::string(end), most);
}

inline std::string in_quotes(std::string_view s) {
  return "\"" + one_line(s) + "\"";
}

/// The error with a message that fits a line.
inline error bounded(error e) {
  e.message = one_line(e.message, most_of_message);
  return e;
}

}  // namespace detail

/// A value or the reason why there is none.
template <class T>
class result {
 public:
  result(T value) : held_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  result(error e)
      : held_(std::in_place_index<1>, detail::bounded(std::move(e))) {}  // NOLINT(google-explicit-constructor)

  bool ok() const noexcept { return held_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  T& operator*() noexcept { return *std::get_if<0>(&held_); }
  const T& operator*() const noexcept { return *std::get_if<0>(&held_); }
  T* operator->() noexcept { return std::get_if<0>(&held_); }
  const T* operator->() const noexcept { return std::get_if<0>(&held_); }
  const error& problem() const noexcept { return *std::get_if<1>(&held_); }

 private:
  std::variant<T, error> held_;
};

/// What was chosen for the asker: it stands in the answer.
struct assumption {
  std::string field;
  std::string value;
  bool quoted = true;  ///< the value is text; else it is a JSON number or word as it stands
  std::string why;
};

}  // namespace ullage::inline v0::io
