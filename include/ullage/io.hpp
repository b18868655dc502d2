// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files and the contract as JSON: configs of models, requests, answers, the catalogue. Needs nlohmann/json.
#include <ullage/io/answer.hpp>         // IWYU pragma: export
#include <ullage/io/ask.hpp>            // IWYU pragma: export
#include <ullage/io/calibrate.hpp>      // IWYU pragma: export
#include <ullage/io/calibration.hpp>    // IWYU pragma: export
#include <ullage/io/catalog.hpp>        // IWYU pragma: export
#include <ullage/io/diagnose.hpp>       // IWYU pragma: export
#include <ullage/io/hf_config.hpp>      // IWYU pragma: export
#include <ullage/io/json.hpp>           // IWYU pragma: export
#include <ullage/io/op.hpp>             // IWYU pragma: export
#include <ullage/io/opaque.hpp>         // IWYU pragma: export
#include <ullage/io/request.hpp>        // IWYU pragma: export
#include <ullage/io/result.hpp>         // IWYU pragma: export
#include <ullage/io/roofline_plot.hpp>  // IWYU pragma: export
#include <ullage/io/select.hpp>         // IWYU pragma: export
#include <ullage/io/speed.hpp>          // IWYU pragma: export
#include <ullage/io/svg.hpp>            // IWYU pragma: export
#include <ullage/io/version_text.hpp>   // IWYU pragma: export
#include <ullage/io/vllm_log.hpp>       // IWYU pragma: export
