// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catch2 2.13 and 3 behind one include. Tests write TEST_CASE, CHECK, SECTION, GENERATE and Catch::Approx.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch {
using Catch::Detail::Approx;
}  // namespace Catch
#endif

// Prints a quantity or a count of a failed assertion by its number in base units; neither has stream output.
namespace boost::units {
template <class Unit, class Value>
class quantity;
}  // namespace boost::units
namespace ullage::inline v0 {
class count;
}  // namespace ullage::inline v0

namespace Catch {
template <>
struct StringMaker<ullage::count> {
  template <class Count>
  static std::string convert(const Count& n) {
    return n.overflowed() ? "overflowed" : std::to_string(n.value());
  }
};
template <class Unit, class Value>
struct StringMaker<boost::units::quantity<Unit, Value>> {
  template <class Quantity>
  static std::string convert(const Quantity& q) {
    return Catch::Detail::stringify(q.value());
  }
};
}  // namespace Catch
