// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <ullage/io/catalog_filter.hpp>
#include <utility>
#include <vector>

namespace ullage::inline v0::io {

namespace detail {

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

/// Those of `names` that are `wanted` but for a slip of the hand, for kinds that are not accelerators; else empty.
inline std::string near_names(std::string_view wanted, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> close;
  for (std::string_view n : names)
    if (ullage::detail::edit_distance(wanted.substr(0, 64), n) <= (std::max)(std::size_t{2}, n.size() / 3))
      close.push_back(n);
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
  // What it is, where that was not asked for.
  if (match.slice != nullptr)
    return {error_code::unknown_accelerator, "name",
            begin + "is a slice of " + std::string(match.whole->name) + "; expected it among partitions."};
  if (const catalog::absent_part* part = find_absent(q.name); part != nullptr && q.accelerators)
    return {error_code::unknown_accelerator, "name",
            begin + "is known as " + part->name + " but lacks figures; expected it among absent."};
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

/// What every answer has: a list of each kind, here without rows.
inline json no_rows() {
  json answer = {{"schema", 1}};
  for (const char* kind : {"accelerators", "systems", "models", "fabrics", "partitions", "absent"})
    answer[kind] = json::array();
  return answer;
}

/// The parts of `name` and `compare` in their order, each once. Systems are refused: their names are also those of one of
/// their parts, which is not what was asked for.
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
    if (const hardware_system* machine = machine_of(match); machine != nullptr)
      return error_answer(
          {error_code::bad_value, field,
           field + " is " + in_quotes(names[i]) +
               ", which is a system; only parts and slices of them are compared: expected one such as " +
               in_quotes(machine->device().name) + ", of which it is made."});
    if (match.outcome == accelerator_match::unknown) {
      if (const catalog::absent_part* absent = find_absent(names[i]); absent != nullptr)
        return error_answer({error_code::unknown_accelerator, field,
                             field + " is " + in_quotes(names[i]) + ", which is known as " + absent->name +
                                 " but cannot be compared; not published: " + absent->missing + "."});
      const std::string closest = names_of(match);
      return error_answer({error_code::unknown_accelerator, field,
                           field + " is " + in_quotes(names[i]) + ", which no known part is called" +
                               (closest.empty() ? "." : "; the nearest are " + closest + ".")});
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
  json answer = no_rows();
  answer["accelerators"] = std::move(parts);
  answer["partitions"] = std::move(slices);
  answer["compared"] = std::move(order);
  return answer;
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
  const bool filtered_kind = q.accelerators || q.systems || q.partitions;
  if (!filtered_kind && q.absent && !filter.first_figure().empty())
    return error_answer(
        {error_code::bad_value, filter.first_figure(),
         filter.first_figure() +
             " is asked of absent parts, of which no figure is recorded: each lacks its memory, bandwidth or peaks, "
             "which nobody has published; expected vendor alone, or accelerators, systems or partitions."});
  if (filter.any() && !filtered_kind && !q.absent)
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
    const hardware_system* one = machine_of(match);
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
  if (q.models && !filter.any()) models = detail::models_json(q.name);
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
  json answer = detail::no_rows();
  answer["accelerators"] = std::move(parts);
  answer["systems"] = std::move(systems);
  answer["models"] = std::move(models);
  answer["fabrics"] = std::move(fabrics);
  answer["partitions"] = std::move(slices);
  answer["absent"] = std::move(absent);
  if (filter.any()) answer["left_out"] = std::move(left_out);
  return answer;
}

}  // namespace ullage::inline v0::io
