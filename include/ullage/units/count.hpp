// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>

namespace ullage::inline v0 {

/// A whole number of things (bytes, tokens, devices): an int64 whose overflow sticks.
///
/// Once an operation leaves [-(2^63-1), 2^63-1] the value is `overflowed()` and stays so through every later
/// operation, like a NaN; a plain int64 would wrap silently. Deficits are sayable: the type is signed.
/// There is no division: `ceil_div` and `floor_div` say what happens to the remainder, `ratio` gives a double.
class count {
 public:
  constexpr count() noexcept = default;
  template <std::integral Integer>
  constexpr count(Integer value) noexcept
      : value_(narrow(value)) {}  // NOLINT(google-explicit-constructor): an integer is a count

  static constexpr count overflow() noexcept {
    count c;
    c.value_ = poison;
    return c;
  }
  constexpr bool overflowed() const noexcept { return value_ == poison; }
  /// The number itself; the lowest int64 when overflowed.
  constexpr std::int64_t value() const noexcept { return value_; }
  constexpr explicit operator double() const noexcept {
    return overflowed() ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value_);
  }

  friend constexpr count operator+(count a, count b) noexcept {
    if (a.overflowed() || b.overflowed()) return overflow();
    if (b.value_ > 0 ? a.value_ > highest - b.value_ : a.value_ < -highest - b.value_) return overflow();
    return raw(a.value_ + b.value_);
  }
  friend constexpr count operator-(count a, count b) noexcept { return a + (-b); }
  friend constexpr count operator*(count a, count b) noexcept {
    if (a.overflowed() || b.overflowed()) return overflow();
    // Both below 2^31 in magnitude: cannot overflow, and this is the common case of tensor shapes.
    constexpr std::int64_t half = std::int64_t{1} << 31;
    if (a.value_ < half && a.value_ > -half && b.value_ < half && b.value_ > -half) return raw(a.value_ * b.value_);
    if (a.value_ == 0 || b.value_ == 0) return raw(0);
    const std::int64_t x = a.value_ < 0 ? -a.value_ : a.value_;
    const std::int64_t y = b.value_ < 0 ? -b.value_ : b.value_;
    if (x > highest / y) return overflow();
    return raw(a.value_ * b.value_);
  }
  friend constexpr count operator-(count a) noexcept { return a.overflowed() ? a : raw(-a.value_); }
  friend constexpr count operator+(count a) noexcept { return a; }
  constexpr count& operator+=(count b) noexcept { return *this = *this + b; }
  constexpr count& operator-=(count b) noexcept { return *this = *this - b; }
  constexpr count& operator*=(count b) noexcept { return *this = *this * b; }
  friend constexpr bool operator==(count a, count b) noexcept = default;
  friend constexpr std::strong_ordering operator<=>(count a, count b) noexcept = default;

 private:
  static constexpr std::int64_t poison = (std::numeric_limits<std::int64_t>::min)();
  static constexpr std::int64_t highest = (std::numeric_limits<std::int64_t>::max)();
  static constexpr count raw(std::int64_t v) noexcept {
    count c;
    c.value_ = v;
    return c;
  }
  template <std::integral Integer>
  static constexpr std::int64_t narrow(Integer v) noexcept {
    if constexpr (std::unsigned_integral<Integer> && sizeof(Integer) >= sizeof(std::int64_t)) {
      return v > static_cast<Integer>(highest) ? poison : static_cast<std::int64_t>(v);
    } else {
      return static_cast<std::int64_t>(v);
    }
  }
  std::int64_t value_ = 0;
};

/// a / b rounded towards +infinity; overflowed when b is not positive or either is overflowed.
constexpr count ceil_div(count a, count b) noexcept {
  if (a.overflowed() || b.overflowed() || b.value() <= 0) return count::overflow();
  const std::int64_t q = a.value() / b.value();
  return count(a.value() % b.value() > 0 ? q + 1 : q);
}
/// a / b rounded towards -infinity; overflowed when b is not positive or either is overflowed.
constexpr count floor_div(count a, count b) noexcept {
  if (a.overflowed() || b.overflowed() || b.value() <= 0) return count::overflow();
  const std::int64_t q = a.value() / b.value();
  return count(a.value() % b.value() < 0 ? q - 1 : q);
}
/// a / b as a real number.
constexpr double ratio(count a, count b) noexcept {
  return static_cast<double>(a) / static_cast<double>(b);
}
constexpr count smaller(count a, count b) noexcept {
  return a.overflowed() || b.overflowed() ? count::overflow() : (b < a ? b : a);
}
constexpr count larger(count a, count b) noexcept {
  return a.overflowed() || b.overflowed() ? count::overflow() : (a < b ? b : a);
}
/// The next multiple of `step` at or above a.
constexpr count round_up(count a, count step) noexcept {
  return ceil_div(a, step) * step;
}
/// A real number cut towards zero; overflowed when it does not fit or is not a number.
constexpr count truncate(double x) noexcept {
  return x > -9.2e18 && x < 9.2e18 ? count(static_cast<std::int64_t>(x)) : count::overflow();
}

}  // namespace ullage::inline v0
