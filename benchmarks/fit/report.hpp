// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace fit {

inline double quantile(std::vector<double> v, double q) {
  if (v.empty()) return 0;
  const auto at =
      static_cast<std::ptrdiff_t>(std::min(q * static_cast<double>(v.size()), static_cast<double>(v.size() - 1)));
  std::nth_element(v.begin(), v.begin() + at, v.end());
  return v[static_cast<std::size_t>(at)];
}
inline double mean(const std::vector<double>& v) {
  double s = 0;
  for (double x : v) s += x;
  return v.empty() ? 0 : s / static_cast<double>(v.size());
}

/// Errors of one model on held rows, as shares.
struct errors {
  std::vector<double> of{};
  std::vector<double> half{};  ///< half-widths of the bands over the middle
  int inside = 0;
  void add(double modelled, double measured) { of.push_back(std::abs(modelled / measured - 1)); }
  void add(double low, double mid, double high, double measured) {
    add(mid, measured);
    half.push_back((high - low) / 2 / mid);
    if (low <= measured && measured <= high) ++inside;
  }
  std::size_t n() const { return of.size(); }
  double mean_percent() const { return 100 * mean(of); }
  double median_percent() const { return 100 * quantile(of, .5); }
  double half_percent() const { return 100 * quantile(half, .5); }
  double coverage_percent() const { return of.empty() ? 0 : 100.0 * inside / static_cast<double>(of.size()); }
};

}  // namespace fit
