// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/catalog/accelerators.hpp>  // IWYU pragma: export
#include <ullage/catalog/find.hpp>          // IWYU pragma: export
#include <ullage/catalog/models.hpp>        // IWYU pragma: export
#include <ullage/catalog/names.hpp>         // IWYU pragma: export
#include <ullage/catalog/opaque_models.hpp>  // IWYU pragma: export
