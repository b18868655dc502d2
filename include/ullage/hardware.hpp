// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/hardware/accelerator.hpp>  // IWYU pragma: export
#include <ullage/hardware/fabric.hpp>       // IWYU pragma: export
#include <ullage/hardware/node.hpp>         // IWYU pragma: export
#include <ullage/hardware/part_view.hpp>    // IWYU pragma: export
#include <ullage/hardware/partition.hpp>    // IWYU pragma: export
#include <ullage/hardware/system.hpp>       // IWYU pragma: export
#include <ullage/hardware/words.hpp>        // IWYU pragma: export
