// SPDX-License-Identifier: Apache-2.0
// The only file that compiles Catch2 2.13's main, which is the dearest file of all: once, at -O0, not sanitized.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
