// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prelude_outer.hpp"

#include <barrier>

#include <Eigen/Dense>
