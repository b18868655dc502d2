// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <ullage/detail/edit_distance.hpp>
#include <ullage/io/result.hpp>
#include <utility>
#include <vector>

// JSON text to a tree, and typed access to its objects with errors that name the field.
namespace ullage::inline v0::io {

using nlohmann::json;

namespace detail {

/// Builds the tree and refuses what json::parse lets pass: keys that stand twice, and nesting beyond `deepest`.
class strict_tree {
 public:
  static constexpr std::size_t deepest = 64;
  json root;
  std::string complaint;

  bool null() { return put(json(nullptr)); }
  bool boolean(bool b) { return put(json(b)); }
  bool number_integer(json::number_integer_t n) { return put(json(n)); }
  bool number_unsigned(json::number_unsigned_t n) { return put(json(n)); }
  bool number_float(json::number_float_t n, const std::string&) { return put(json(n)); }
  bool string(std::string& s) { return put(json(std::move(s))); }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& k) {
    if (open_.back()->contains(k)) {
      complaint = "the key " + in_quotes(k) + " stands twice in one object";
      return false;
    }
    key_ = std::move(k);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) {
    std::string_view what = e.what();
    if (const auto bracket = what.find("] "); bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    complaint = "not valid JSON at byte " + std::to_string(position) + ": " + one_line(what, 300);
    return false;
  }

 private:
  json* place(json&& value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool put(json&& value) {
    place(std::move(value));
    return true;
  }
  bool open(json&& value) {
    if (open_.size() == deepest) {
      complaint = "nested deeper than " + std::to_string(deepest) + " levels";
      return false;
    }
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  std::vector<json*> open_;
  std::string key_;
};

/// The (at most three) known names nearest to `name`, nearest first, as "a, b, c".
template <class Names>
std::string nearest(std::string_view wanted, const Names& known) {
  const std::string_view cut = wanted.substr(0, 64);
  std::vector<std::pair<std::size_t, std::string_view>> all;
  for (std::string_view k : known) all.emplace_back(ullage::detail::edit_distance(cut, k), k);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < 3; ++i) text += (i > 0 ? ", " : "") + std::string(all[i].second);
  return text;
}

/// A value as a message shows it: short, on one line.
inline std::string shown(const json& v) {
  if (v.is_object()) return "an object";
  if (v.is_array()) return "a list of " + std::to_string(v.size());
  if (v.is_string()) return in_quotes(v.get_ref<const std::string&>());
  if (v.is_number_float() && !std::isfinite(v.get<double>())) return "not a finite number";
  return v.dump(-1, ' ', false, json::error_handler_t::replace);
}

inline std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() ? one_line(key) : path + "." + one_line(key);
}

/// What a message about a text starts with.
inline std::string text_of(const std::string& field, const std::string& file) {
  if (!file.empty()) return field + " leads to " + shown_path(file) + ", whose text";
  return field.empty() ? std::string("The text") : field;
}

}  // namespace detail

/// JSON text to a tree. `field` is what an error names, `file` where the text was read from.
inline result<json> parse_json(std::string_view text, const std::string& field = {}, const std::string& file = {}) {
  const auto refuse = [&](const std::string& what) {
    return error{error_code::bad_json, field, detail::text_of(field, file) + " " + what};
  };
  // The parser takes a NUL for the end and would pass over what follows it.
  if (const auto at = text.find('\0'); at != std::string_view::npos)
    return refuse("was refused: byte " + std::to_string(at + 1) + " is NUL; expected JSON text without one.");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return refuse("is empty where a JSON object was expected.");
  detail::strict_tree tree;
  if (!json::sax_parse(text.begin(), text.end(), &tree))
    return refuse("was refused: " + (tree.complaint.empty() ? std::string("not valid JSON") : tree.complaint) + ".");
  return std::move(tree.root);
}

namespace detail {

/// Text that Python's json wrote: the words Infinity and -Infinity, which JSON has not, as numbers that are too large
/// for every size. Released configs bound time steps so. NaN stays, and is refused.
inline std::string with_finite_numbers(std::string_view text) {
  constexpr std::string_view word = "Infinity";
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!quoted && text.substr(i, word.size()) == word) {
      out += "1e308";
      i += word.size() - 1;
      continue;
    }
    out += text[i];
    if (quoted && text[i] == '\\' && i + 1 < text.size())
      out += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
  }
  return out;
}

}  // namespace detail

/// A config.json, which Python wrote, to a tree.
inline result<json> parse_python_json(std::string_view text, const std::string& field = {},
                                      const std::string& file = {}) {
  if (text.find("Infinity") == std::string_view::npos) return parse_json(text, field, file);
  return parse_json(detail::with_finite_numbers(text), field, file);
}

/// The text of a regular file of at most 64 MiB.
inline result<std::string> read_text(const std::string& path, const std::string& field) {
  constexpr std::uintmax_t most = std::uintmax_t{64} << 20;
  const auto refuse = [&](const std::string& why) {
    return error{error_code::bad_file, field,
                 field + " leads to " + detail::shown_path(path) + ", which " + why + "; expected a readable file."};
  };
  std::error_code ec;
  const std::filesystem::path place(path);
  const auto status = std::filesystem::status(place, ec);
  if (ec || !std::filesystem::exists(status)) return refuse("does not exist");
  if (!std::filesystem::is_regular_file(status)) return refuse("is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(place, ec);
  if (ec) return refuse("cannot be read");
  if (size > most) return refuse("has " + std::to_string(size) + " bytes, more than the 64 MiB that are read");
  std::ifstream in(place, std::ios::binary);
  if (!in) return refuse("cannot be opened");
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (in.bad()) return refuse("cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// What a reader of one kind of object calls its mistakes.
struct error_words {
  error_code unknown = error_code::unknown_key;
  error_code missing = error_code::bad_value;
  error_code too_large = error_code::bad_value;  ///< a size beyond `least_size` that is more than is taken
};
inline constexpr std::int64_t least_size = std::int64_t{1} << 30;

/// Typed access to one JSON object. The first mistake is kept and every later read returns the fallback, so that a
/// caller reads all fields in a row and asks once. Keys that are read are remembered; `null` counts as absent.
class object_reader {
 public:
  static constexpr std::int64_t unbounded = std::int64_t{1} << 53;  ///< what a JSON number holds exactly everywhere

  object_reader(const json& object, std::string path, error_words words = {})
      : object_(&object),
        path_(std::move(path)),
        words_(words) {
    if (object.is_object()) return;
    object_ = &empty();
    fail(error_code::bad_value, path_,
         (path_.empty() ? std::string("The request") : path_) + " is " + detail::shown(object) + ", not an object.");
  }

  bool ok() const noexcept { return !failed_; }
  const error& problem() const noexcept { return error_; }
  const std::string& path() const noexcept { return path_; }
  std::string path_of(std::string_view key) const { return detail::join_path(path_, key); }
  const json& object() const noexcept { return *object_; }

  void fail(error_code code, std::string field, std::string message) {
    if (failed_) return;
    failed_ = true;
    error_ = {code, std::move(field), std::move(message)};
  }
  void fail_at(std::string_view key, error_code code, const std::string& rest) {
    fail(code, path_of(key), path_of(key) + " " + rest);
  }
  void fail(const error& e) {
    if (failed_) return;
    failed_ = true;
    error_ = e;
  }
  /// Refuses what the contract has and this release does not answer.
  void not_answered(const std::string& field, const std::string& rest) {
    fail({error_code::bad_value, field, field + " " + rest, true});
  }

  /// The value of a key, or null when absent or JSON null.
  const json* find(std::string_view key) {
    read_.insert(std::string(key));
    const auto it = object_->find(key);
    return it == object_->end() || it->is_null() ? nullptr : &*it;
  }
  bool has(std::string_view key) { return find(key) != nullptr; }
  void missing(std::string_view key, std::string_view expected) {
    fail_at(key, words_.missing, "is missing; expected " + std::string(expected) + ".");
  }

  /// A whole number in [least, most]; `fallback` when absent.
  std::int64_t whole(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most = unbounded) {
    const json* v = find(key);
    return v == nullptr ? fallback : whole_of(*v, key, fallback, least, most);
  }
  std::int64_t required_whole(std::string_view key, std::int64_t least, std::int64_t most = unbounded) {
    const json* v = find(key);
    if (v == nullptr) {
      missing(key, "a whole number");
      return least;
    }
    return whole_of(*v, key, least, least, most);
  }
  std::int64_t whole_of(const json& v, std::string_view key, std::int64_t fallback, std::int64_t least,
                        std::int64_t most) {
    const auto refuse = [&](error_code code, const std::string& rest) {
      fail_at(key, code, "is " + detail::shown(v) + rest);
      return fallback;
    };
    const std::string range = most == unbounded && least >= 0 && words_.too_large == error_code::bad_value
                                  ? "at least " + std::to_string(least)
                                  : std::to_string(least) + " to " + std::to_string(most);
    constexpr auto largest = (std::numeric_limits<std::int64_t>::max)();
    std::int64_t n = fallback;
    if (v.is_number_unsigned()) {
      const std::uint64_t u = v.get<std::uint64_t>();
      if (u > static_cast<std::uint64_t>(largest))
        return refuse(error_code::overflow, ", beyond what 64 bits count; expected " + range + ".");
      n = static_cast<std::int64_t>(u);
    } else if (v.is_number_integer()) {
      n = v.get<std::int64_t>();
    } else if (v.is_number_float() && v.get<double>() == std::floor(v.get<double>()) &&
               std::isfinite(v.get<double>())) {
      const double d = v.get<double>();
      if (d >= 9223372036854775808.0)
        return refuse(error_code::overflow, ", beyond what 64 bits count; expected " + range + ".");
      n = d < -9223372036854775808.0 ? (std::numeric_limits<std::int64_t>::min)() : static_cast<std::int64_t>(d);
    } else {
      return refuse(error_code::bad_value, "; expected a whole number.");
    }
    if (n < least) return refuse(error_code::bad_value, "; expected " + range + ".");
    if (n > most)
      return refuse(most >= least_size ? words_.too_large : error_code::bad_value,
                    "; expected " + std::to_string(least) + " to " + std::to_string(most) + ".");
    return n;
  }
  bool flag(std::string_view key, bool fallback) {
    const json* v = find(key);
    if (v == nullptr) return fallback;
    if (v->is_boolean()) return v->get<bool>();
    fail_at(key, error_code::bad_value, "is " + detail::shown(*v) + "; expected true or false.");
    return fallback;
  }
  double real(std::string_view key, double fallback) {
    const json* v = find(key);
    if (v == nullptr) return fallback;
    if (v->is_number() && std::isfinite(v->get<double>())) return v->get<double>();
    fail_at(key, error_code::bad_value, "is " + detail::shown(*v) + "; expected a number.");
    return fallback;
  }
  std::string text(std::string_view key, std::string_view fallback = {}) {
    const json* v = find(key);
    if (v == nullptr) return std::string(fallback);
    if (v->is_string()) return v->get<std::string>();
    fail_at(key, error_code::bad_value, "is " + detail::shown(*v) + "; expected text.");
    return std::string(fallback);
  }
  /// A nested object; an empty one when absent.
  const json& nested(std::string_view key) {
    const json* v = find(key);
    if (v == nullptr) return empty();
    if (v->is_object()) return *v;
    fail_at(key, error_code::bad_value, "is " + detail::shown(*v) + "; expected an object.");
    return empty();
  }
  /// Takes keys as known where they are null: null is absent, whatever the ask.
  void pass_null(std::initializer_list<std::string_view> keys) {
    for (std::string_view key : keys)
      if (const auto it = object_->find(key); it != object_->end() && it->is_null()) find(key);
  }
  bool was_read(const std::string& key) const { return read_.count(key) != 0; }

  /// Refuses keys that nothing has read; `null` ones too, a misspelt key is one whatever its value.
  void finish() {
    for (const auto& item : object_->items()) {
      if (was_read(item.key())) continue;
      std::vector<std::string_view> known(read_.begin(), read_.end());
      fail_at(item.key(), words_.unknown,
              "is not a known key; the nearest are " + detail::nearest(item.key(), known) + ".");
      return;
    }
  }

 private:
  static const json& empty() {
    static const json none = json::object();
    return none;
  }
  const json* object_;
  std::string path_;
  error_words words_;
  std::set<std::string> read_;
  bool failed_ = false;
  error error_;
};

}  // namespace ullage::inline v0::io
