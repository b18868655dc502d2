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
  std::string field;    ///< path in the request: "model.config.num_key_value_heads"
  std::string message;  ///< one sentence: the field, what was found, what was expected
};

/// A value or the reason why there is none.
template <class T>
class result {
 public:
  result(T value) : held_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  result(error e) : held_(std::in_place_index<1>, std::move(e)) {}      // NOLINT(google-explicit-constructor)

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
