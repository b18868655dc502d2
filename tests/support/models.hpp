// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/catalog/find_record.hpp>
#include <ullage/catalog/models.hpp>

#include "support/catch.hpp"

// Models of the catalogue by name, written out or recorded.
namespace ullage::test {

inline transformer model(const char* name) {
  if (const transformer* m = catalog::find_model(name); m != nullptr) return *m;
  const catalog::model_record* r = catalog::find_record(name);
  INFO(name);
  REQUIRE(r != nullptr);
  return catalog::expand(*r);
}

}  // namespace ullage::test
