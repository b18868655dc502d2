// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <ullage/io/json.hpp>
#include <ullage/plan/limits_split.hpp>

// Splits as the contract has them.
namespace ullage::inline v0::io::detail {

inline json numbers_of_split(const layout& l) {
  return {{"tp", l.tp}, {"pp", l.pp}, {"dp", l.dp}, {"ep", l.ep}, {"dcp", l.dcp}};
}
/// "tp 4, pp 2"; "tp 1" of one device.
inline std::string parallel_text(const layout& l) {
  std::string text = "tp " + std::to_string(l.tp);
  const auto add = [&](const char* name, std::int64_t n) {
    if (n > 1) text += std::string(", ") + name + " " + std::to_string(n);
  };
  add("pp", l.pp);
  add("dp", l.dp);
  add("ep", l.ep);
  add("dcp", l.dcp);
  return text;
}
inline json split_json(const split_choice& c) {
  if (c.answer == answer::invalid) return nullptr;
  const auto whole = [](auto q) { return overflowed(q) ? json(nullptr) : json(integer(q)); };
  return {{"parallel", numbers_of_split(c.parallel)},
          {"verdict", ullage::name(c.answer)},
          {"max_concurrency_at_context", whole(c.concurrency)},
          {"left_bytes", whole(c.left)}};
}

/// What `parallel.split` asks for: "best" leaves the numbers that are not given to the planner.
struct split_request {
  bool best = false;
  std::int64_t devices = 0;
  split_bounds bounds{};
};
inline split_request read_split(object_reader& p) {
  split_request s;
  const std::string word = p.text("split");
  if (word.empty()) return s;
  if (word != "best") p.fail_at("split", error_code::bad_value, "is " + in_quotes(word) + "; expected best.");
  for (std::string_view key : {"layers_per_stage", "cp"})
    if (p.has(key))
      p.fail_at(key, error_code::bad_value, "stands beside split, which chooses the stages; expected null.");
  s.best = true;
  const auto given = [&](std::string_view key, std::int64_t& where) {
    if (p.has(key)) where = p.whole(key, 0, 1);
  };
  given("tp", s.bounds.tp);
  given("pp", s.bounds.pp);
  given("dp", s.bounds.dp);
  given("ep", s.bounds.ep);
  given("dcp", s.bounds.dcp);
  return s;
}

}  // namespace ullage::inline v0::io::detail
