// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/attention.hpp>    // IWYU pragma: export
#include <ullage/performance/collectives.hpp>  // IWYU pragma: export
#include <ullage/performance/constants.hpp>    // IWYU pragma: export
#include <ullage/performance/diagnose.hpp>     // IWYU pragma: export
#include <ullage/performance/elementwise.hpp>  // IWYU pragma: export
#include <ullage/performance/experts.hpp>      // IWYU pragma: export
#include <ullage/performance/gemm.hpp>         // IWYU pragma: export
#include <ullage/performance/observation.hpp>  // IWYU pragma: export
#include <ullage/performance/op.hpp>           // IWYU pragma: export
#include <ullage/performance/opaque.hpp>       // IWYU pragma: export
#include <ullage/performance/roofline.hpp>     // IWYU pragma: export
#include <ullage/performance/service.hpp>      // IWYU pragma: export
#include <ullage/performance/speedups.hpp>     // IWYU pragma: export
#include <ullage/performance/step.hpp>         // IWYU pragma: export
