// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <ullage/io/answer.hpp>
#include <ullage/io/calibrate.hpp>
#include <ullage/io/diagnose.hpp>
#include <ullage/io/model.hpp>
#include <ullage/io/op.hpp>
#include <ullage/io/opaque.hpp>
#include <ullage/io/select.hpp>
#include <ullage/io/speed.hpp>
#include <utility>

// The contract as one function: request object in, answer object out.
namespace ullage::inline v0::io {

namespace detail {

/// A patched request asked again, for what a remedy promises.
inline result<asked_again> ask_again(const json& patched) {
  result<request> read = read_request(patched);
  if (!read) return read.problem();
  const verdict v = fits(read->model, read->parts, read->parallel, read->engine, read->load, &read->given);
  if (v.answer == answer::invalid) return problem_of(v);
  const bool doubtful = std::any_of(read->parts.begin(), read->parts.end(),
                                    [](const accelerator& a) { return a.memory().from == basis::unverified; });
  return asked_again{v.answer, v.worst().left.mid, v.worst().spare.mid, v.kv.reported, doubtful};
}

inline result<json> ask_fit(const json& tree) {
  result<request> read = read_request(tree);
  if (!read) return read.problem();
  const request& q = *read;
  const verdict v = fits(q.model, q.parts, q.parallel, q.engine, q.load, &q.given);
  if (v.answer == answer::invalid) return problem_of(v);
  return fit_answer(q, v, tree, &ask_again);
}
/// The asks by name: one line each.
struct ask_row {
  std::string_view name;
  result<json> (*answer)(const json&);
};
inline constexpr ask_row asks[] = {{"fit", &ask_fit},       {"perf", &perf_answer},         {"step", &step_answer},
                                   {"op", &op_answer},      {"diagnose", &diagnose_answer}, {"select", &select_answer},
                                   {"model", &model_answer}, {"calibrate", &calibrate_answer}};

inline result<json> ask_any(const json& tree) {
  std::string wanted = "fit";
  if (tree.is_object())
    if (const auto it = tree.find("ask"); it != tree.end() && !it->is_null())
      wanted = it->is_string() ? it->get<std::string>() : shown(*it);
  std::string list;
  for (const ask_row& row : asks) {
    if (row.name == wanted) return says_opaque(tree) && wanted != "calibrate" ? opaque_answer(wanted, tree) : row.answer(tree);
    list += (list.empty() ? "" : ", ") + std::string(row.name);
  }
  for (std::string_view later : {"size", "cost", "train"})
    if (later == wanted)
      return error{error_code::bad_value, "ask",
                   "ask is " + in_quotes(wanted) + ", which is not answered yet; expected one of " + list + ".", true};
  return error{error_code::bad_value, "ask", "ask is " + in_quotes(wanted) + "; expected one of " + list + "."};
}

inline json id_of(const json& tree) {
  if (tree.is_object())
    if (const auto it = tree.find("id"); it != tree.end()) return *it;
  return nullptr;
}

}  // namespace detail

/// Answers one request object: the answer, or the error object. Never throws.
inline json ask(const json& tree) {
  try {
    result<json> answered = detail::ask_any(tree);
    return answered ? std::move(*answered) : error_answer(answered.problem(), detail::id_of(tree));
  } catch (const std::exception& e) {
    return error_answer({error_code::bad_value, "", std::string("The request was given up: ") + e.what() + "."},
                        detail::id_of(tree));
  }
}

/// The same from JSON text.
inline json ask_text(std::string_view text) {
  try {
    const result<json> tree = parse_json(text);
    return tree ? ask(*tree) : error_answer(tree.problem());
  } catch (const std::exception& e) {
    return error_answer({error_code::bad_json, "", std::string("The request was given up: ") + e.what() + "."});
  }
}

/// One line of JSON in ASCII, so that no reader takes a letter for the end of a line; text that is no UTF-8 is
/// replaced.
inline std::string to_line(const json& answered) {
  return answered.dump(-1, ' ', true, json::error_handler_t::replace);
}

/// What the program ends with after an answer: 0 fits or may fit, 1 does not fit (`strict`: may fit too), else the
/// error's code. An answer without a verdict (step) ends with 0.
inline int exit_code(const json& answered, bool strict = false) {
  if (!answered.is_object()) return 2;
  if (answered.value("status", std::string()) == "error") return exit_code_of(answered.value("code", std::string()));
  // select: nothing that carries the model is the same as not fitting.
  if (const auto chosen = answered.find("chosen"); chosen != answered.end() && chosen->empty()) return 1;
  const std::string verdict_word = answered.value("verdict", std::string("fits"));
  if (verdict_word == "does_not_fit") return 1;
  return verdict_word == "may_fit" && strict ? 1 : 0;
}

}  // namespace ullage::inline v0::io
