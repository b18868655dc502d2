// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/catalog/accelerators.hpp>
#include <ullage/catalog/find.hpp>
#include <ullage/catalog/names.hpp>
