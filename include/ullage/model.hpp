// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/deepseek.hpp>     // IWYU pragma: export
#include <ullage/model/llama.hpp>        // IWYU pragma: export
#include <ullage/model/opaque.hpp>       // IWYU pragma: export
#include <ullage/model/transformer.hpp>  // IWYU pragma: export
