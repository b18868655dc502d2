// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <ullage/io/json.hpp>
#include <ullage/plan/context_distribution.hpp>

// {"values": […], "weights": […]} and {"lognormal": {"mean": …, "p95": …}} → a distribution.
namespace ullage::inline v0::io::detail {

inline constexpr std::int64_t most_drawn = std::int64_t{1} << 40;

/// A real number as a sentence shows it: whole ones without a point.
inline std::string plain_number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, x == std::floor(x) && std::fabs(x) < 1e15 ? "%.0f" : "%.6g", x);
  return text;
}

inline void read_values(object_reader& d, context_distribution& out) {
  const json& values = *d.find("values");
  constexpr std::size_t most = context_distribution::most_values;
  if (!values.is_array() || values.empty() || values.size() > most)
    return d.fail_at("values", error_code::bad_value,
                     "is " + shown(values) + "; expected a list of 1 to " + std::to_string(most) + " whole numbers.");
  const json* weights = d.find("weights");
  if (weights != nullptr && (!weights->is_array() || weights->size() != values.size()))
    return d.fail_at("weights", error_code::bad_value,
                     "is " + shown(*weights) + "; expected a list of " + std::to_string(values.size()) +
                         ", a weight for each of the values.");
  double sum = 0;
  for (std::size_t i = 0; i < values.size() && d.ok(); ++i) {
    const std::string at = "[" + std::to_string(i) + "]";
    context_distribution::value v;
    v.tokens = d.whole_of(values[i], "values" + at, 1, 1, most_drawn);
    v.weight = 1;
    if (weights != nullptr) {
      const json& w = (*weights)[i];
      v.weight = w.is_number() ? w.get<double>() : -1;
      if (!(v.weight >= 0) || !std::isfinite(v.weight))
        return d.fail_at("weights" + at, error_code::bad_value, "is " + shown(w) + "; expected a number of 0 or more.");
    }
    sum += v.weight;
    out.values.push_back(v);
  }
  if (d.ok() && !(sum > 0 && std::isfinite(sum)))
    d.fail_at("weights", error_code::bad_value, "add up to " + plain_number(sum) + "; expected one of them above 0.");
}

inline void read_lognormal(object_reader& d, context_distribution& out) {
  object_reader n(d.nested("lognormal"), d.path_of("lognormal"));
  for (std::string_view key : {"mean", "p95"})
    if (d.ok() && n.ok() && !n.has(key)) n.missing(key, "a number of at least 1");
  const double mean = n.real("mean", 1);
  const double p95 = n.real("p95", 2);
  n.finish();
  if (!n.ok()) return d.fail(n.problem());
  if (!d.ok()) return;
  if (mean > static_cast<double>(most_drawn))
    return d.fail(
        error_code::bad_value, n.path_of("mean"),
        n.path_of("mean") + " is " + plain_number(mean) + "; expected 1 to " + std::to_string(most_drawn) + ".");
  const distribution_problem problem = set_lognormal(out, mean, p95);
  switch (problem) {
    case distribution_problem::none: return;
    case distribution_problem::bad_mean:
      return d.fail(error_code::bad_value, n.path_of("mean"),
                    n.path_of("mean") + " is " + plain_number(mean) + "; expected at least 1.");
    case distribution_problem::p95_out_of_reach:
      return d.fail(error_code::bad_value, n.path_of("p95"),
                    n.path_of("p95") + " is " + plain_number(p95) + ", more than 3.868 times the mean of " +
                        plain_number(mean) + ", which no lognormal has; expected at most " +
                        plain_number(std::floor(3.868 * mean)) + ", or values with weights.");
    default:
      return d.fail(
          error_code::bad_value, n.path_of("p95"),
          n.path_of("p95") + " is " + plain_number(p95) + "; expected more than the mean, " + plain_number(mean) + ".");
  }
}

/// Whether `key` of a load says a distribution and not a number; then it is read into `out`, or `l` fails.
inline bool read_distribution(object_reader& l, std::string_view key, context_distribution& out) {
  const json* said = l.find(key);
  if (said == nullptr || !said->is_object()) return false;
  object_reader d(*said, l.path_of(key));
  const bool list = d.has("values");
  const bool lognormal = d.has("lognormal");
  d.find("weights");
  d.finish();
  if (d.ok() && list == lognormal)
    d.fail(error_code::bad_value, d.path(),
           d.path() + (list ? " has both values and lognormal; expected one of the two."
                            : " has neither values nor lognormal; expected one of the two."));
  if (d.ok() && lognormal && d.has("weights"))
    d.fail_at("weights", error_code::bad_value, "stands beside lognormal; expected them beside values.");
  if (d.ok() && list) read_values(d, out);
  if (d.ok() && lognormal) read_lognormal(d, out);
  if (!d.ok()) l.fail(d.problem());
  return true;
}

/// Most of a quantity at one time, in whole numbers: the largest value with a weight; of a lognormal, which has none, the
/// 95th percentile.
inline std::int64_t peak_of(const context_distribution& d) {
  return d.values.empty() ? integer(p95_context(d, of<tokens>(most_drawn))) : largest_value(d);
}

}  // namespace ullage::inline v0::io::detail
