// SPDX-License-Identifier: Apache-2.0
#pragma once

// Predicted against measured: the report and the host's backend. Needs Eigen.
#include <ullage/validate/host.hpp>    // IWYU pragma: export
#include <ullage/validate/report.hpp>  // IWYU pragma: export
#include <ullage/validate/say.hpp>     // IWYU pragma: export
