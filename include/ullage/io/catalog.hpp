// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <ullage/io/catalog_rows.hpp>
#include <utility>
#include <vector>

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
  }
  const std::optional<error>& problem() const { return problem_; }
  bool any() const { return !first_.empty(); }
  const std::string& first() const { return first_; }  ///< the field of the first one
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
  void note(const char* field, bool used) {
    if (!used) return;
    if (first_.empty()) first_ = field;
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

/// The whole parts that a name stands for: one, or several that share it.
inline std::vector<const accelerator*> parts_of(const accelerator_match& m) {
  std::vector<const accelerator*> rows;
  if (m.outcome == accelerator_match::found && m.slice == nullptr) rows.push_back(m.whole);
  if (m.outcome == accelerator_match::ambiguous)
    for (const accelerator* c : m.candidates) rows.push_back(c);
  return rows;
}
inline std::string names_of(const accelerator_match& m) {
  std::string list;
  for (const accelerator* c : m.candidates) list += (list.empty() ? "" : ", ") + std::string(c->name);
  return list;
}
inline bool is_called(std::string_view name, std::string_view wanted) {
  return ullage::detail::name_key(name).view() == ullage::detail::name_key(wanted).view();
}

/// Names close_names to `wanted`, for kinds that are not accelerators: only those that a slip of the hand explains.
inline std::string near_names(std::string_view wanted, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> close;
  for (std::string_view n : names)
    if (edit_distance(wanted.substr(0, 64), n) <= (std::max)(std::size_t{2}, n.size() / 3)) close.push_back(n);
  return close.empty() ? std::string() : nearest(wanted, close);
}

inline error no_such_name(const catalog_question& q, const accelerator_match& match) {
  const std::string begin = "name is " + in_quotes(q.name) + ", which ";
  std::vector<std::string_view> fabrics;
  std::vector<std::string_view> absent;
  for (const fabric& f : catalog::fabrics) fabrics.push_back(f.id);
  for (const catalog::absent_part& a : catalog::absent_parts) absent.push_back(a.name);
  if (!q.accelerators && !q.systems && !q.partitions) {
    if (q.models)
      return {error_code::unknown_architecture, "name",
              begin + "is not built in; the nearest are " + nearest(q.name, model_names()) + "."};
    const std::vector<std::string_view>& names = q.fabrics ? fabrics : absent;
    return {error_code::bad_value, "name",
            begin + (q.fabrics ? "no fabric is called" : "no part without figures is called") +
                (names.empty() ? std::string(".") : "; the nearest are " + nearest(q.name, names) + ".")};
  }
  const bool all = q.accelerators && q.systems && q.partitions;
  std::string text = begin + (all              ? "nothing in the catalogue is called"
                              : q.accelerators ? "no known part is called"
                              : q.systems      ? "no known system is called"
                                               : "no known slice of a part is called");
  std::string list = q.accelerators ? names_of(match) : std::string();
  if (!q.accelerators && (q.systems || q.partitions)) {
    std::vector<std::string_view> names;
    for (const hardware_system& s : catalog::systems)
      if (q.systems) names.push_back(s.name);
    for (const partition_profile& p : catalog::partitions)
      if (q.partitions) names.push_back(p.name);
    list = nearest(q.name, names);
  }
  if (!list.empty()) text += "; the nearest are " + list;
  const auto also = [&text](const char* kind, const std::string& names) {
    if (!names.empty()) text += std::string("; of ") + kind + " " + names;
  };
  if (q.models) also("models", near_names(q.name, model_names()));
  if (q.fabrics) also("fabrics", near_names(q.name, fabrics));
  return {error_code::unknown_accelerator, "name", text + "."};
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

/// The parts of `name` and `compare` in their order, each once.
inline json compared_answer(const catalog_question& q, const catalog_filter& filter) {
  if (filter.any() || !q.sort.empty()) {
    const std::string field = filter.any() ? filter.first() : "sort";
    return error_answer(
        {error_code::bad_value, field,
         field + " is given together with compare; parts that are compared are neither filtered nor sorted."});
  }
  json parts = json::array();
  json slices = json::array();
  json order = json::array();
  std::vector<std::string> names = q.compare;
  if (!q.name.empty()) names.insert(names.begin(), q.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string field = i == 0 && !q.name.empty() ? "name" : "compare";
    const accelerator_match match = find_accelerator(names[i]);
    if (match.outcome == accelerator_match::unknown) {
      const std::string close_names = names_of(match);
      return error_answer({error_code::unknown_accelerator, field,
                           field + " is " + in_quotes(names[i]) + ", which no known part is called" +
                               (close_names.empty() ? "." : "; the nearest are " + close_names + ".")});
    }
    const auto is_new = [&order](std::string_view id) {
      const bool fresh = std::find(order.begin(), order.end(), json(id)) == order.end();
      if (fresh) order.push_back(id);
      return fresh;
    };
    if (match.slice != nullptr && is_new(match.slice->id)) slices.push_back(partition_json(*match.slice, q.sources));
    for (const accelerator* a : parts_of(match))
      if (is_new(a->id)) parts.push_back(accelerator_json(*a, q.sources));
  }
  return {{"schema", 1},
          {"accelerators", std::move(parts)},
          {"systems", json::array()},
          {"models", json::array()},
          {"partitions", std::move(slices)},
          {"compared", std::move(order)}};
}

}  // namespace detail

/// The catalogue as JSON, or an error object: `name` or one of `compare` is nothing of it, or a filter has a word that
/// is none. What was not asked for is an empty list. Where filters are given, `left_out` counts the rows that would
/// pass but for a figure that nobody knows; fabrics and models are then empty, of absent parts only the vendor counts.
inline json catalog_answer(const catalog_question& q) {
  const detail::catalog_filter filter(q);
  if (filter.problem()) return error_answer(*filter.problem());
  if (const std::optional<error> problem = detail::sort_problem(q)) return error_answer(*problem);
  if (!q.compare.empty()) return detail::compared_answer(q, filter);
  if (filter.any() && !q.accelerators && !q.systems && !q.partitions && !(q.absent && filter.by_vendor_alone()))
    return error_answer(
        {error_code::bad_value, filter.first(),
         filter.first() + " filters accelerators, systems and partitions, and of these none is asked for."});

  const bool named = !q.name.empty();
  const accelerator_match match = named ? find_accelerator(q.name) : accelerator_match{};
  const std::vector<const accelerator*> found = detail::parts_of(match);
  const auto is_found = [&found](std::string_view id) {
    return std::any_of(found.begin(), found.end(), [id](const accelerator* a) { return a->id == id; });
  };
  bool any = false;  // the name is that of something, whether or not it passes the filters
  json left_out = json::object();
  const auto passes = [&](detail::catalog_filter::outcome o, json& left) {
    any = true;
    if (o == detail::catalog_filter::outcome::not_known) left = left.get<int>() + 1;
    return o == detail::catalog_filter::outcome::passes;
  };

  json parts = json::array();
  if (q.accelerators) {
    json left = 0;
    for (const accelerator& a : catalog::accelerators)
      if ((!named || is_found(a.id)) && passes(filter.of_part(a), left))
        parts.push_back(detail::accelerator_json(a, q.sources));
    left_out["accelerators"] = std::move(left);
  }
  json systems = json::array();
  if (q.systems) {
    json left = 0;
    const hardware_system* one = named ? find_system(q.name) : nullptr;
    for (const hardware_system& s : catalog::systems)
      if ((!named || &s == one) && passes(filter.of_system(s), left))
        systems.push_back(detail::system_json(s, q.sources));
    left_out["systems"] = std::move(left);
  }
  json slices = json::array();
  if (q.partitions) {
    json left = 0;
    for (const partition_profile& p : catalog::partitions)
      if ((!named || (match.slice != nullptr && match.slice->id == p.id)) && passes(filter.of_part(partition(p)), left))
        slices.push_back(detail::partition_json(p, q.sources));
    left_out["partitions"] = std::move(left);
  }
  json fabrics = json::array();
  if (q.fabrics && !filter.any())
    for (const fabric& f : catalog::fabrics)
      if (!named || detail::is_called(f.id, q.name) || detail::is_called(f.name, q.name))
        fabrics.push_back(detail::fabric_json(f, q.sources));
  json models = json::array();
  if (q.models && !filter.any()) {
    const transformer* one = named ? catalog::find_model(q.name) : nullptr;
    for (const transformer* m : catalog::models)
      if (!named || m == one) models.push_back(detail::model_json(*m));
  }
  json absent = json::array();
  if (q.absent && (!filter.any() || filter.by_vendor_alone())) {
    // A name with words behind it ("Gaudi 1 HL-205") counts where it is that of nothing else.
    const bool nothing = named && !any && fabrics.empty() && models.empty();
    const catalog::absent_part* one = nothing ? find_absent(q.name) : nullptr;
    for (const catalog::absent_part& a : catalog::absent_parts)
      if ((!named || &a == one || detail::is_called(a.id, q.name) || detail::is_called(a.name, q.name)) &&
          filter.wants(detail::vendor_named(a.vendor)))
        absent.push_back(detail::absent_json(a));
  }
  if (named && !any && fabrics.empty() && models.empty() && absent.empty())
    return error_answer(detail::no_such_name(q, match));

  if (q.sort == "name") {
    for (json* rows : {&parts, &systems, &slices, &fabrics, &models, &absent}) detail::sort_by_name(*rows);
  } else if (!q.sort.empty()) {
    const std::string pointer = detail::sort_pointer(q.sort);
    for (json* rows : {&parts, &systems, &slices})
      if (!pointer.empty()) detail::sort_by(*rows, pointer);
    if (q.sort == "bandwidth") detail::sort_by(fabrics, "/per_device_bytes_per_s");
    if (q.sort == "memory") detail::sort_by(models, "/stored_weight_bytes");
  }
  json answer = {{"schema", 1},
                 {"accelerators", std::move(parts)},
                 {"systems", std::move(systems)},
                 {"models", std::move(models)},
                 {"fabrics", std::move(fabrics)},
                 {"partitions", std::move(slices)},
                 {"absent", std::move(absent)}};
  if (filter.any()) answer["left_out"] = std::move(left_out);
  return answer;
}

}  // namespace ullage::inline v0::io
