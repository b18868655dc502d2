// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace ullage::inline v0 {

/// Where a number comes from, from the strongest to the weakest.
enum class basis : std::uint8_t { exact, datasheet, driver, measured, fitted, transferred, unverified };

constexpr std::string_view name(basis b) noexcept {
  switch (b) {
    case basis::exact: return "exact";
    case basis::datasheet: return "datasheet";
    case basis::driver: return "driver";
    case basis::measured: return "measured";
    case basis::fitted: return "fitted";
    case basis::transferred: return "transferred";
    case basis::unverified: return "unverified";
  }
  return "unverified";
}
/// The weaker of two: what a sum of the two may claim.
constexpr basis weaker(basis a, basis b) noexcept {
  return static_cast<std::uint8_t>(a) < static_cast<std::uint8_t>(b) ? b : a;
}

/// A number that is not counted but estimated: a central 80 % interval with its middle, and what it rests on.
/// An exact or pinned number has low == mid == high.
template <class Quantity>
struct estimate {
  Quantity low{};
  Quantity mid{};
  Quantity high{};
  basis from = basis::exact;

  constexpr estimate() = default;
  constexpr estimate(Quantity l, Quantity m, Quantity h, basis b) noexcept : low(l), mid(m), high(h), from(b) {}
  /// A number without a band.
  static constexpr estimate exactly(Quantity q, basis b = basis::exact) noexcept { return {q, q, q, b}; }
  constexpr bool pinned() const noexcept { return low == high; }

  /// Systematic parts add end to end (design: no interval arithmetic on products).
  friend constexpr estimate operator+(const estimate& a, const estimate& b) noexcept {
    return {a.low + b.low, a.mid + b.mid, a.high + b.high, weaker(a.from, b.from)};
  }
  friend constexpr estimate operator-(const estimate& a, const estimate& b) noexcept {
    return {a.low - b.high, a.mid - b.mid, a.high - b.low, weaker(a.from, b.from)};
  }
};

}  // namespace ullage::inline v0
