// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that needs Boost headers alone: layers 0 to 4. Files, sweeps and devices are opt-in:
// <ullage/io/...>, <ullage/validate/...>, <ullage/cuda/...>, <ullage/catalog/sources.hpp>.
#include <ullage/catalog.hpp>        // IWYU pragma: export
#include <ullage/engine.hpp>         // IWYU pragma: export
#include <ullage/estimate.hpp>       // IWYU pragma: export
#include <ullage/hardware.hpp>       // IWYU pragma: export
#include <ullage/memory.hpp>         // IWYU pragma: export
#include <ullage/model.hpp>          // IWYU pragma: export
#include <ullage/number_format.hpp>  // IWYU pragma: export
#include <ullage/performance.hpp>    // IWYU pragma: export
#include <ullage/plan.hpp>           // IWYU pragma: export
#include <ullage/units.hpp>          // IWYU pragma: export
#include <ullage/version.hpp>        // IWYU pragma: export
