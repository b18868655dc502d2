// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

// Bounded fits of a few constants. Errors are logarithms of modelled over measured time.
namespace fit {

/// Between |r| and r²: quadratic below `knee`, so that the mean relative error decides and outliers do not.
inline double robust(double r, double knee = .05) {
  return std::sqrt(r * r + knee * knee) - knee;
}

/// Least of `loss` over a box by the simplex of Nelder and Mead, from `start`, restarted until nothing improves.
/// Constants are searched in the coordinates given: pass logarithms of scales.
template <std::size_t N, class Loss>
std::array<double, N> minimise(const Loss& loss, std::array<double, N> start, const std::array<double, N>& low,
                               const std::array<double, N>& high, double spread = .3) {
  using point = std::array<double, N>;
  const auto clamped = [&](point p) {
    for (std::size_t i = 0; i < N; ++i) p[i] = std::clamp(p[i], low[i], high[i]);
    return p;
  };
  struct vertex {
    point at;
    double value;
  };
  point best = clamped(start);
  double best_value = loss(best);
  for (int restart = 0; restart < 6; ++restart) {
    std::vector<vertex> s;
    s.push_back({best, best_value});
    for (std::size_t i = 0; i < N; ++i) {
      point p = best;
      p[i] += p[i] + spread <= high[i] ? spread : -spread;
      p = clamped(p);
      s.push_back({p, loss(p)});
    }
    for (int step = 0; step < 400; ++step) {
      std::sort(s.begin(), s.end(), [](const vertex& a, const vertex& b) { return a.value < b.value; });
      if (s.back().value - s.front().value < 1e-9 * (1 + std::abs(s.front().value))) break;
      point centre{};
      for (std::size_t v = 0; v < N; ++v)
        for (std::size_t i = 0; i < N; ++i) centre[i] += s[v].at[i] / static_cast<double>(N);
      const auto moved = [&](double by) {
        point p;
        for (std::size_t i = 0; i < N; ++i) p[i] = centre[i] + by * (s.back().at[i] - centre[i]);
        p = clamped(p);
        return vertex{p, loss(p)};
      };
      vertex next = moved(-1);
      if (next.value < s.front().value) {
        const vertex further = moved(-2);
        if (further.value < next.value) next = further;
      } else if (next.value >= s[N - 1].value) {
        next = moved(next.value < s.back().value ? -.5 : .5);
        if (next.value >= s.back().value) {
          for (std::size_t v = 1; v <= N; ++v) {
            for (std::size_t i = 0; i < N; ++i) s[v].at[i] = (s[v].at[i] + s[0].at[i]) / 2;
            s[v].value = loss(s[v].at);
          }
          continue;
        }
      }
      s.back() = next;
    }
    std::sort(s.begin(), s.end(), [](const vertex& a, const vertex& b) { return a.value < b.value; });
    const double gain = best_value - s.front().value;
    best = s.front().at;
    best_value = s.front().value;
    spread /= 2;
    if (restart > 1 && gain < 1e-6 * best_value) break;
  }
  return best;
}

/// One measurement under the roofline; seconds at nominal rates, and measured.
struct sample {
  double compute = 0;
  double pad = 0;  ///< of one padding row a group of a grouped product
  double memory = 0;
  double measured = 0;
  std::array<double, 3> at{};  ///< logarithms of the shape, for the residual grid
  int stack = 0;
  int fold = 0;
  bool held = false;
};

/// √(((compute + rows·pad)/ε_c)² + (memory/ε_m)²) + t₀
struct form {
  double compute = .7;  ///< shares of the nominal rates
  double memory = .8;
  double floor = 3e-6;  ///< seconds
  double pad_rows = 0;
  double time(const sample& s) const {
    const double x = (s.compute + pad_rows * s.pad) / compute;
    const double y = s.memory / memory;
    return std::sqrt(x * x + y * y) + floor;
  }
};

struct form_bounds {
  form low{.02, .10, .3e-6, .1};
  form high{1.0, 1.0, 500e-6, 256};
};

/// The form fitted to the samples that `use` takes. Padding is fitted where samples have any.
template <class Use>
form fit_form(const std::vector<sample>& rows, const Use& use, const form_bounds& bounds = {}) {
  bool padded = false;
  for (const sample& s : rows) padded = padded || s.pad > 0;
  const auto of = [](const form& t) {
    return std::array<double, 4>{std::log(t.compute), std::log(t.memory), std::log(t.floor),
                                 std::log(std::max(t.pad_rows, .01))};
  };
  const auto to = [padded](const std::array<double, 4>& p) {
    return form{std::exp(p[0]), std::exp(p[1]), std::exp(p[2]), padded ? std::exp(p[3]) : 0};
  };
  const auto loss = [&](const std::array<double, 4>& p) {
    const form t = to(p);
    double sum = 0;
    for (const sample& s : rows)
      if (use(s)) sum += robust(std::log(t.time(s) / s.measured));
    return sum;
  };
  form best;
  double least = 1e300;
  // Two starts: a short floor and a long one.
  for (const double floor : {4e-6, 40e-6}) {
    form start{.5, .8, floor, padded ? 16.0 : 0};
    std::array<double, 4> low = of(bounds.low);
    std::array<double, 4> high = of(bounds.high);
    if (!padded) low[3] = high[3] = std::log(.01);
    const std::array<double, 4> p = minimise(loss, of(start), low, high);
    if (const double l = loss(p); l < least) {
      least = l;
      best = to(p);
    }
  }
  return best;
}

}  // namespace fit
