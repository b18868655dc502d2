// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

namespace other {
ullage::bytes twice(ullage::bytes n);
const void* address_of_truncate();
}  // namespace other

namespace {
ullage::count (*const here)(double) noexcept = &ullage::truncate;
}

// One inline function has one address, and quantities pass between the two files.
int main() {
  using namespace ullage::literals;
  const bool same = reinterpret_cast<const void*>(here) == other::address_of_truncate();
  return same && other::twice(40_GB) == 80_GB ? 0 : 1;
}
