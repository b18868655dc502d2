// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only place that states the version; CMakeLists.txt reads it from here.
// The inline namespace `v0` changes with breaking changes only, so that two versions can live in one program.
#define ULLAGE_VERSION_MAJOR 0
#define ULLAGE_VERSION_MINOR 1
#define ULLAGE_VERSION_PATCH 0
#define ULLAGE_VERSION_STRING "0.1.0"
