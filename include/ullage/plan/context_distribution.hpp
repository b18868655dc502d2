// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <ullage/detail/static_list.hpp>
#include <ullage/units.hpp>

// Loads whose sequences are not all equally long. Docs: docs/formulas/memory_limits.md.
namespace ullage::inline v0 {

/// How long the sequences of a load are: a list of lengths with weights, or a lognormal distribution. Every sequence
/// draws its length for itself; one that would be longer than max_model_len ends there.
struct context_distribution {
  static constexpr std::size_t most_values = 64;
  struct value {
    std::int64_t tokens = 0;
    double weight = 0;  ///< relative to those of the others
  };
  detail::static_list<value, most_values> values{};  ///< empty = lognormal
  double log_mean = 0;                               ///< mean of the logarithm of the tokens
  double log_deviation = 0;                          ///< its standard deviation; 0 = no lognormal
};

enum class distribution_problem : std::uint8_t {
  none,
  nothing,          ///< neither values nor a lognormal
  bad_value,        ///< a length below 1
  bad_weight,       ///< a weight that is negative or not finite, or all are 0
  bad_mean,         ///< a mean that is not finite or below 1 token
  p95_at_mean,      ///< the 95th percentile is not above the mean
  p95_out_of_reach  ///< no lognormal has a 95th percentile so far above its mean
};
constexpr std::string_view sentence(distribution_problem p) noexcept {
  switch (p) {
    case distribution_problem::none: return "the distribution is one";
    case distribution_problem::nothing: return "a distribution needs values or a lognormal";
    case distribution_problem::bad_value: return "the values must be at least 1";
    case distribution_problem::bad_weight: return "the weights must be 0 or more, and one of them more than 0";
    case distribution_problem::bad_mean: return "the mean must be at least 1";
    case distribution_problem::p95_at_mean: return "p95 must be more than the mean";
    case distribution_problem::p95_out_of_reach:
      return "p95 must be at most 3.868 times the mean: no lognormal has it farther";
  }
  return "the distribution is none";
}

namespace detail {
inline constexpr double normal_p95 = 1.6448536269514722;  ///< 95th percentile of the standard normal distribution

inline bool finite(double x) noexcept {
  return x - x == 0;
}
/// Share of the standard normal distribution at or below z.
inline double normal_share(double z) noexcept {
  return 0.5 * std::erfc(-z * 0.70710678118654752);
}
}  // namespace detail

/// Whether the members of a distribution make one.
inline distribution_problem check(const context_distribution& d) noexcept {
  if (d.values.empty()) {
    const bool lognormal = d.log_deviation > 0 && detail::finite(d.log_mean) && detail::finite(d.log_deviation);
    return lognormal ? distribution_problem::none : distribution_problem::nothing;
  }
  double sum = 0;
  for (const context_distribution::value& v : d.values) {
    if (v.tokens < 1) return distribution_problem::bad_value;
    if (!(v.weight >= 0)) return distribution_problem::bad_weight;
    sum += v.weight;
  }
  return sum > 0 && detail::finite(sum) ? distribution_problem::none : distribution_problem::bad_weight;
}

/// Makes `d` the lognormal of this mean and 95th percentile, in tokens before max_model_len cuts it. With
/// z = 1.645: ln p95 = μ + z·σ and ln mean = μ + σ²/2, so σ = z − √(z² − 2·ln(p95/mean)), the narrower of the two that
/// do; beyond p95 = mean·exp(z²/2) = 3.868·mean there is none. `d` is left as it was where there is a problem.
inline distribution_problem set_lognormal(context_distribution& d, double mean, double p95) noexcept {
  constexpr double z = detail::normal_p95;
  if (!(mean >= 1) || !detail::finite(mean)) return distribution_problem::bad_mean;
  if (!(p95 > mean)) return distribution_problem::p95_at_mean;
  const double under_root = z * z - 2 * std::log(p95 / mean);
  if (!(under_root >= 0)) return distribution_problem::p95_out_of_reach;
  d.values.clear();
  d.log_deviation = z - std::sqrt(under_root);
  d.log_mean = std::log(mean) - d.log_deviation * d.log_deviation / 2;
  return d.log_deviation > 0 ? distribution_problem::none : distribution_problem::p95_at_mean;
}

/// The longest sequence that the distribution speaks of: the largest value with a weight; 0 of a lognormal, which has none.
constexpr std::int64_t largest_value(const context_distribution& d) noexcept {
  std::int64_t most = 0;
  for (const context_distribution::value& v : d.values)
    if (v.weight > 0 && v.tokens > most) most = v.tokens;
  return most;
}

namespace detail {
inline double total_weight(const context_distribution& d) noexcept {
  double sum = 0;
  for (const context_distribution::value& v : d.values) sum += v.weight;
  return sum;
}
/// Share of the sequences of at most so many tokens, before any cut.
inline double share_up_to(const context_distribution& d, std::int64_t n) noexcept {
  if (n < 1) return 0;
  if (d.values.empty()) return normal_share((std::log(static_cast<double>(n)) - d.log_mean) / d.log_deviation);
  double sum = 0;
  for (const context_distribution::value& v : d.values) sum += v.tokens <= n ? v.weight : 0;
  return sum / total_weight(d);
}
}  // namespace detail

/// Share of the sequences that max_model_len cuts.
inline double cut_share(const context_distribution& d, tokens longest) noexcept {
  const double rest = 1 - detail::share_up_to(d, integer(longest));
  return rest > 0 ? rest : 0;
}

/// Mean length after the cut at `longest`, in tokens. Lognormal: e^(μ + σ²/2)·Φ((ln T − μ)/σ − σ) + T·(1 − Φ((ln T − μ)/σ)).
inline double mean_context(const context_distribution& d, tokens longest) noexcept {
  const double most = real(longest);
  if (d.values.empty()) {
    const double z = (std::log(most) - d.log_mean) / d.log_deviation;
    const double mean = std::exp(d.log_mean + d.log_deviation * d.log_deviation / 2);
    return mean * detail::normal_share(z - d.log_deviation) + most * detail::normal_share(-z);
  }
  double sum = 0;
  for (const context_distribution::value& v : d.values) {
    const double n = static_cast<double>(v.tokens);
    sum += v.weight * (n < most ? n : most);
  }
  return sum / detail::total_weight(d);
}

/// The mean length in whole tokens, for what speaks of one sequence.
inline tokens typical_context(const context_distribution& d, tokens longest) noexcept {
  return of<tokens>(truncate(std::ceil(mean_context(d, longest) - 1e-9)));
}

/// The least length, after the cut, that 95 % of the sequences do not pass; in tokens.
inline tokens p95_context(const context_distribution& d, tokens longest) noexcept {
  std::int64_t found = 0;
  if (d.values.empty()) {
    const double n = std::ceil(std::exp(d.log_mean + detail::normal_p95 * d.log_deviation));
    found = n < real(longest) ? static_cast<std::int64_t>(n) : integer(longest);
  } else {
    for (const context_distribution::value& v : d.values)
      if (v.weight > 0 && (found == 0 || v.tokens < found) && detail::share_up_to(d, v.tokens) >= 0.95 - 1e-12)
        found = v.tokens;
  }
  return of<tokens>(smaller(count(found), longest.value()));
}

}  // namespace ullage::inline v0
