// SPDX-License-Identifier: Apache-2.0
// A consumer that has Boost's headers and nothing else.
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage::literals;

int main() {
  const ullage::bytes left = 80_GB - 16_GiB;
  std::printf("ullage %s, %lld bytes left\n", ULLAGE_VERSION_STRING, static_cast<long long>(ullage::integer(left)));
}
