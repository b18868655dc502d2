// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/plan/context_distribution.hpp>  // IWYU pragma: export
#include <ullage/plan/drawn_charge.hpp>          // IWYU pragma: export
#include <ullage/plan/fit.hpp>                   // IWYU pragma: export
#include <ullage/plan/limits_mix.hpp>            // IWYU pragma: export
#include <ullage/plan/limits_split.hpp>          // IWYU pragma: export
#include <ullage/plan/limits_uniform.hpp>        // IWYU pragma: export
#include <ullage/plan/offer.hpp>                 // IWYU pragma: export
#include <ullage/plan/opaque.hpp>                // IWYU pragma: export
#include <ullage/plan/remedies.hpp>              // IWYU pragma: export
#include <ullage/plan/select.hpp>                // IWYU pragma: export
#include <ullage/plan/solve.hpp>                 // IWYU pragma: export
#include <ullage/plan/verdict.hpp>               // IWYU pragma: export
