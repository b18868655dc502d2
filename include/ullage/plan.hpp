// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/plan/fit.hpp>       // IWYU pragma: export
#include <ullage/plan/opaque.hpp>    // IWYU pragma: export
#include <ullage/plan/remedies.hpp>  // IWYU pragma: export
#include <ullage/plan/select.hpp>    // IWYU pragma: export
#include <ullage/plan/solve.hpp>     // IWYU pragma: export
#include <ullage/plan/verdict.hpp>   // IWYU pragma: export
