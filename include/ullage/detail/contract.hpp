// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>

// A broken precondition is a mistake of the caller's code, not of its input: input errors are values
// (`verdict`, `result`). A program may define ULLAGE_EXPECTS before the first include to hook its own handler.
#ifndef ULLAGE_EXPECTS
#define ULLAGE_EXPECTS(condition) assert(condition)
#endif
