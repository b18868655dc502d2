// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prelude_outer.hpp"

#include <Eigen/Dense>
