// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <ullage/catalog/residual_grids.hpp>
#include <ullage/io/request.hpp>
#include <ullage/performance/constant_names.hpp>

// The key `constants` of a request: what the asker has measured, by name, in place of what is built in.
namespace ullage::inline v0::io::detail {

/// Sets what a request's `constants` say; a wrong one fails in `r`. Gives what was set, for the answer.
inline std::string override_constants(object_reader& r, constants& c) {
  object_reader o(r.nested("constants"), "constants");
  std::string set;
  for (const auto& item : o.object().items()) {
    if (!r.ok() || !o.has(item.key())) continue;
    const double value = o.real(item.key(), 0);
    if (!o.ok()) break;
    const constant_problem p = set_constant(c, item.key(), value);
    if (p == constant_problem::unknown_name)
      o.fail_at(item.key(), error_code::unknown_key, "is " + std::string(sentence(p)) + ".");
    else if (p != constant_problem::none)
      o.fail_at(item.key(), error_code::bad_value,
                "is " + shown(item.value()) + ", but " + std::string(sentence(p)) + ".");
    else
      set += (set.empty() ? "" : ", ") + item.key() + " " + json(value).dump();
  }
  if (!o.ok()) r.fail(o.problem());
  return set;
}

/// What the constants of an answer rest on, as it says it.
inline assumption constants_note(std::string_view source, const std::string& set) {
  std::string value(source.empty() ? std::string_view("built in") : source);
  std::string why = "what kernels attain of this part's nominal rates";
  if (!set.empty()) {
    value += "; as given: " + (set.size() > 200 ? set.substr(0, 200) + "..." : set);
    why += "; a kernel with constants as given goes without the grid of shapes that was fitted around the old ones";
  }
  return {"constants", value, true, why};
}

/// The constants of a plan's part under its engine, with what the request overrides; noted in `assumed`.
inline result<constants> constants_of(request& q, const plan_point& p) {
  constants c = constants_with_residuals(p);
  object_reader r(q.body, "");
  const std::string set = override_constants(r, c);
  if (!r.ok()) return r.problem();
  q.assumed.push_back(constants_note(c.source, set));
  return c;
}

}  // namespace ullage::inline v0::io::detail
