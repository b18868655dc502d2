// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/allocator.hpp>  // IWYU pragma: export
#include <ullage/engine/backend.hpp>  // IWYU pragma: export
#include <ullage/engine/draft.hpp>      // IWYU pragma: export
#include <ullage/engine/engine.hpp>     // IWYU pragma: export
#include <ullage/engine/plain.hpp>      // IWYU pragma: export
#include <ullage/engine/terms.hpp>      // IWYU pragma: export
#include <ullage/engine/vllm.hpp>       // IWYU pragma: export
