// SPDX-License-Identifier: Apache-2.0
// A consumer of the installed package.
#include <cstdio>
#include <ullage/ullage.hpp>

int main() { std::printf("ullage %s\n", ULLAGE_VERSION_STRING); }
