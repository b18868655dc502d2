// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/memory/adapters.hpp>  // IWYU pragma: export
#include <ullage/memory/kv_cache.hpp>  // IWYU pragma: export
#include <ullage/memory/layout.hpp>    // IWYU pragma: export
#include <ullage/memory/weights.hpp>   // IWYU pragma: export
