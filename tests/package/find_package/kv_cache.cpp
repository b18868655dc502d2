// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_kv_cache() {
  using namespace ullage;
  constexpr kv_bytes k = kv_cache(catalog::llama_3_1_70b, 8192_tok, 4_seq, formats::fp8);
  static_assert(k.total == of<bytes>(163'840LL * 8192 * 4));
  return k.per_token == 163'840_B;
}
