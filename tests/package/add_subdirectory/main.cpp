// SPDX-License-Identifier: Apache-2.0
// A project that has ullage in its own tree.
#include <cstdio>
#include <ullage/ullage.hpp>

int main() {
  std::printf("ullage %s\n", ULLAGE_VERSION_STRING);
}
