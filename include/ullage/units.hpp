// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/units/count.hpp>       // IWYU pragma: export
#include <ullage/units/dimensions.hpp>  // IWYU pragma: export
#include <ullage/units/literals.hpp>    // IWYU pragma: export
#include <ullage/units/quantities.hpp>  // IWYU pragma: export
