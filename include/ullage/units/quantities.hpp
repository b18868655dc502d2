// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/units/count.hpp>
#include <ullage/units/dimensions.hpp>

// The vocabulary of public structs and functions. Counted things are exact (`count`), rates and seconds are real.
namespace ullage::inline v0 {

using bytes = boost::units::quantity<detail::unit_of<detail::data_dimension>, count>;
using operations = boost::units::quantity<detail::unit_of<detail::operation_dimension>, double>;  ///< FLOP (int8: OP)
using tokens = boost::units::quantity<detail::unit_of<detail::token_dimension>, count>;
using sequences = boost::units::quantity<detail::unit_of<detail::sequence_dimension>, count>;
using devices = boost::units::quantity<detail::unit_of<detail::device_dimension>, count>;
using seconds = boost::units::quantity<detail::unit_of<detail::duration_dimension>, double>;
using joules = boost::units::quantity<detail::unit_of<detail::energy_base_dimension>, double>;
using currency = boost::units::quantity<detail::unit_of<detail::money_dimension>, double>;

using bytes_per_second =
    boost::units::quantity<detail::derived_unit<detail::data_dimension, 1, detail::duration_dimension, -1>, double>;
using flops_per_second =
    boost::units::quantity<detail::derived_unit<detail::operation_dimension, 1, detail::duration_dimension, -1>,
                           double>;
using tokens_per_second =
    boost::units::quantity<detail::derived_unit<detail::token_dimension, 1, detail::duration_dimension, -1>, double>;
using watts =
    boost::units::quantity<detail::derived_unit<detail::energy_base_dimension, 1, detail::duration_dimension, -1>,
                           double>;

/// A quantity from a plain number in its base unit (byte, FLOP, token, sequence, device, second, joule, per second).
/// The one door from raw numbers; `of<bytes>(n)` says the unit where a bare n would not.
template <class Quantity, class Value>
constexpr Quantity of(Value value) noexcept {
  return Quantity::from_value(static_cast<typename Quantity::value_type>(value));
}
/// The plain number of a quantity, in its base unit: the one door to raw numbers.
template <class Unit, class Value>
constexpr Value value_of(const boost::units::quantity<Unit, Value>& q) noexcept {
  return q.value();
}
/// The plain number of a counted quantity as a double.
template <class Unit>
constexpr double real(const boost::units::quantity<Unit, count>& q) noexcept {
  return static_cast<double>(q.value());
}
/// The plain number of a counted quantity as an int64 (the lowest int64 when it overflowed).
template <class Unit>
constexpr std::int64_t integer(const boost::units::quantity<Unit, count>& q) noexcept {
  return q.value().value();
}
template <class Unit>
constexpr bool overflowed(const boost::units::quantity<Unit, count>& q) noexcept {
  return q.value().overflowed();
}
/// a / b of two quantities of one kind, as a real number.
template <class Unit>
constexpr double ratio(const boost::units::quantity<Unit, count>& a,
                       const boost::units::quantity<Unit, count>& b) noexcept {
  return ratio(a.value(), b.value());
}

}  // namespace ullage::inline v0
