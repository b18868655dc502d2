// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/units/base_dimension.hpp>
#include <boost/units/base_unit.hpp>
#include <boost/units/make_system.hpp>
#include <boost/units/quantity.hpp>
#include <boost/units/unit.hpp>

#include <boost/units/derived_dimension.hpp>

// One coherent system: arithmetic never needs a conversion factor, so counts stay exact. Decimal and binary
// multiples exist only as literals (literals.hpp) and in formatting.
//
// Boost.Units orders dimensions and base units by ordinals that must be unique in a program.
// Ours are the blocks 48001…48008 (dimensions) and 48001…48008 (base units); never reuse one.
namespace ullage::inline v0::detail {

struct data_dimension : boost::units::base_dimension<data_dimension, 48001> {};
struct operation_dimension : boost::units::base_dimension<operation_dimension, 48002> {};
struct token_dimension : boost::units::base_dimension<token_dimension, 48003> {};
struct sequence_dimension : boost::units::base_dimension<sequence_dimension, 48004> {};
struct device_dimension : boost::units::base_dimension<device_dimension, 48005> {};
struct duration_dimension : boost::units::base_dimension<duration_dimension, 48006> {};
struct energy_base_dimension : boost::units::base_dimension<energy_base_dimension, 48007> {};
struct money_dimension : boost::units::base_dimension<money_dimension, 48008> {};

struct byte_base_unit : boost::units::base_unit<byte_base_unit, data_dimension::dimension_type, 48001> {};
struct operation_base_unit : boost::units::base_unit<operation_base_unit, operation_dimension::dimension_type, 48002> {
};
struct token_base_unit : boost::units::base_unit<token_base_unit, token_dimension::dimension_type, 48003> {};
struct sequence_base_unit : boost::units::base_unit<sequence_base_unit, sequence_dimension::dimension_type, 48004> {};
struct device_base_unit : boost::units::base_unit<device_base_unit, device_dimension::dimension_type, 48005> {};
struct second_base_unit : boost::units::base_unit<second_base_unit, duration_dimension::dimension_type, 48006> {};
struct joule_base_unit : boost::units::base_unit<joule_base_unit, energy_base_dimension::dimension_type, 48007> {};
struct currency_base_unit : boost::units::base_unit<currency_base_unit, money_dimension::dimension_type, 48008> {};

using planning_system =
    boost::units::make_system<byte_base_unit, operation_base_unit, token_base_unit, sequence_base_unit,
                              device_base_unit, second_base_unit, joule_base_unit, currency_base_unit>::type;

template <class Dimension>
using unit_of = boost::units::unit<typename Dimension::dimension_type, planning_system>;
template <class D1, int P1, class D2, int P2>
using derived_unit =
    boost::units::unit<typename boost::units::derived_dimension<D1, P1, D2, P2>::type, planning_system>;

}  // namespace ullage::inline v0::detail
