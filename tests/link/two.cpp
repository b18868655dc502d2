// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

namespace other {
ullage::bytes twice(ullage::bytes n) {
  return n + n;
}
const void* address_of_truncate() {
  ullage::count (*const here)(double) noexcept = &ullage::truncate;
  return reinterpret_cast<const void*>(here);
}
}  // namespace other
