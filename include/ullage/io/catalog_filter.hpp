// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <ullage/io/catalog_rows.hpp>
#include <utility>
#include <vector>

// What is asked of the catalogue: the question, its filters and its order.
namespace ullage::inline v0::io {

/// Which part of the catalogue is asked for. An empty text and an absent number ask for nothing.
struct catalog_question {
  bool accelerators = true;
  bool models = true;
  bool sources = false;  ///< every row with the source of each figure
  std::string name;      ///< only what is called that
  bool systems = true;
  bool fabrics = true;
  bool partitions = true;
  bool absent = true;  ///< parts that are known but cannot be planned with

  /// Parts (or slices) in this order and nothing else; `name` comes first.
  std::vector<std::string> compare{};

  // Filters on accelerators, slices, and systems by their accelerator. Words as `name()` of hardware/words.hpp gives
  // them, in any case. A row without the figure does not pass; `left_out` of the answer counts those.
  std::string made_by{};              ///< a vendor; of a system its own or its accelerators'
  std::string kind{};                 ///< a device_class
  std::string form{};                 ///< a form_factor
  std::string format{};               ///< an arithmetic that it has units for: "fp8"
  std::string status{};               ///< an availability
  std::optional<bytes> min_memory{};  ///< what a process sees, the middle of `accelerator::memory()`
  std::optional<bytes> max_memory{};
  std::optional<bytes_per_second> min_bandwidth{};
  std::optional<watts> max_power{};
  std::optional<int> min_year{};
  std::optional<int> max_year{};

  /// "memory", "bandwidth", "power", "year" or an arithmetic, largest first; or "name". Of a system its totals count.
  std::string sort{};
};
namespace detail {

/// The value of a closed list that is called `word`; 0 is "not known" and not asked for.
template <class Word>
std::optional<Word> word_named(std::string_view word, std::size_t first, std::size_t kinds) {
  const ullage::detail::name_key wanted(word);
  for (std::size_t i = first; i < kinds; ++i)
    if (ullage::detail::name_key(ullage::name(static_cast<Word>(i))).view() == wanted.view() && !wanted.cut)
      return static_cast<Word>(i);
  return std::nullopt;
}
template <class Word>
std::string words_of(std::size_t first, std::size_t kinds) {
  std::string list;
  for (std::size_t i = first; i < kinds; ++i)
    list += (i == first ? "" : i + 1 == kinds ? " or " : ", ") + std::string(ullage::name(static_cast<Word>(i)));
  return list;
}

/// The filters of a question with their words read.
class catalog_filter {
 public:
  enum class outcome { passes, fails, not_known };

  explicit catalog_filter(const catalog_question& q) : q_(&q) {
    read(made_by_, "vendor", q.made_by, 1, vendor_kinds);
    read(kind_, "class", q.kind, 1, device_classes);
    read(form_, "form", q.form, 1, form_factors);
    read(format_, "format", q.format, 0, math_kinds);
    read(status_, "status", q.status, 0, 3);
    note("min_memory", q.min_memory.has_value());
    note("max_memory", q.max_memory.has_value());
    note("min_bandwidth", q.min_bandwidth.has_value());
    note("max_power", q.max_power.has_value());
    note("min_year", q.min_year.has_value());
    note("max_year", q.max_year.has_value());
    if (q.min_memory) positive("min_memory", real(*q.min_memory));
    if (q.max_memory) positive("max_memory", real(*q.max_memory));
    if (q.min_bandwidth) positive("min_bandwidth", value_of(*q.min_bandwidth));
    if (q.max_power) positive("max_power", value_of(*q.max_power));
    if (q.min_year) positive("min_year", *q.min_year);
    if (q.max_year) positive("max_year", *q.max_year);
  }
  const std::optional<error>& problem() const { return problem_; }
  bool any() const { return !first_.empty(); }
  const std::string& first() const { return first_; }          ///< the field of the first one
  const std::string& first_figure() const { return figure_; }  ///< and of the first but the vendor
  bool by_vendor_alone() const { return made_by_.has_value() && used_ == 1; }

  outcome of_part(const accelerator& a) const { return of_row(a, a.made_by, a.made_by, a.status, a.year); }
  outcome of_system(const hardware_system& s) const {
    if (s.part == nullptr) return any() ? outcome::not_known : outcome::passes;
    return of_row(*s.part, s.made_by, s.part->made_by, s.status, s.year > 0 ? s.year : s.part->year);
  }
  bool wants(vendor v) const { return !made_by_ || *made_by_ == v; }

 private:
  template <class Word>
  void read(std::optional<Word>& into, const char* field, const std::string& said, std::size_t first,
            std::size_t kinds) {
    note(field, !said.empty());
    if (said.empty()) return;
    into = word_named<Word>(said, first, kinds);
    if (!into && !problem_)
      problem_ =
          error{error_code::bad_value, field,
                std::string(field) + " is " + in_quotes(said) + "; expected " + words_of<Word>(first, kinds) + "."};
  }
  static std::string shown_number(double x) {
    const auto whole = static_cast<std::int64_t>(x);
    return static_cast<double>(whole) == x ? std::to_string(whole) : json(x).dump();
  }
  void positive(const char* field, double x) {
    if (!(x > 0) && !problem_)
      problem_ = error{error_code::bad_value, field,
                       std::string(field) + " is " + shown_number(x) + "; expected more than 0."};
  }
  void note(const char* field, bool used) {
    if (!used) return;
    if (first_.empty()) first_ = field;
    if (figure_.empty() && std::string_view(field) != "vendor") figure_ = field;
    ++used_;
  }

  outcome of_row(const accelerator& a, vendor seller, vendor maker, availability status, int year) const {
    bool known = true;
    bool passes = true;
    const auto hold = [&](bool asked, bool there, bool fulfilled) {
      if (!asked) return;
      if (there)
        passes = passes && fulfilled;
      else
        known = false;
    };
    const bytes memory = a.visible_memory();
    hold(made_by_.has_value(), true, made_by_ == seller || made_by_ == maker);
    hold(kind_.has_value(), a.kind != device_class::unknown, kind_ == a.kind);
    hold(form_.has_value(), a.form != form_factor::unknown, form_ == a.form);
    hold(status_.has_value(), true, status_ == status);
    if (format_) hold(true, a.supports(*format_) != support::not_known, a.supports(*format_) == support::native);
    if (q_->min_memory) hold(true, memory > bytes{}, memory >= *q_->min_memory);
    if (q_->max_memory) hold(true, memory > bytes{}, memory <= *q_->max_memory);
    if (q_->min_bandwidth) hold(true, a.bandwidth > bytes_per_second{}, a.bandwidth >= *q_->min_bandwidth);
    if (q_->max_power) hold(true, a.power > watts{}, a.power <= *q_->max_power);
    if (q_->min_year) hold(true, year > 0, year >= *q_->min_year);
    if (q_->max_year) hold(true, year > 0, year <= *q_->max_year);
    return !passes ? outcome::fails : known ? outcome::passes : outcome::not_known;
  }

  const catalog_question* q_;
  std::optional<vendor> made_by_{};
  std::optional<device_class> kind_{};
  std::optional<form_factor> form_{};
  std::optional<math> format_{};
  std::optional<availability> status_{};
  std::optional<error> problem_{};
  std::string first_{};
  std::string figure_{};
  int used_ = 0;
};

/// Where a sort word finds its number in a row of accelerators, systems or slices; empty for "name" and for none.
inline std::string sort_pointer(std::string_view word) {
  if (word == "memory") return "/visible_bytes/mid";
  if (word == "bandwidth") return "/bandwidth_bytes_per_s";
  if (word == "power") return "/power_w";
  if (word == "year") return "/year";
  for (std::size_t i = 0; i < math_kinds; ++i)
    if (word == ullage::name(static_cast<math>(i))) return "/dense_flops_per_s/" + std::string(word);
  return {};
}
/// Largest first; rows without the number come last, in the order that they have.
inline void sort_by(json& rows, const std::string& pointer) {
  const json::json_pointer where(pointer);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json value = rows[i].contains(where) ? rows[i].at(where) : json(nullptr);
    order.emplace_back(value.is_number() ? value.get<double>() : -1.0, i);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  json sorted = json::array();
  for (const auto& [value, i] : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}
inline void sort_by_name(json& rows) {
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string name = rows[i].value("name", std::string());
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    order.emplace_back(std::move(name), i);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  json sorted = json::array();
  for (const auto& [name, i] : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}
/// `sort` of a question as an error, where what is asked for cannot be sorted by it.
inline std::optional<error> sort_problem(const catalog_question& q) {
  if (q.sort.empty() || q.sort == "name") return std::nullopt;
  const bool hardware = q.accelerators || q.systems || q.partitions;
  if (hardware ? !sort_pointer(q.sort).empty()
               : (q.fabrics && q.sort == "bandwidth") || (q.models && q.sort == "memory"))
    return std::nullopt;
  std::string expected = "memory, bandwidth, power, year, name, " + words_of<math>(0, math_kinds);
  if (!hardware) expected = q.fabrics ? "bandwidth or name" : q.models ? "memory or name" : "name";
  return error{error_code::bad_value, "sort", "sort is " + in_quotes(q.sort) + "; expected " + expected + "."};
}
}  // namespace detail

}  // namespace ullage::inline v0::io
