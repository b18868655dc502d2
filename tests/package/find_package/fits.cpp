// SPDX-License-Identifier: Apache-2.0
#include <ullage/ullage.hpp>

bool uses_fits() {
  using namespace ullage;
  constexpr verdict one = fits(catalog::llama_3_1_8b, device<catalog::l4>{}, {}, vllm("0.24.0"),
                               {.context = 8192_tok, .concurrency = 2_seq});
  const node<device<catalog::h200_sxm>, 8> box;
  const auto parts = box.rows();
  const verdict eight =
      fits(catalog::deepseek_v3, parts, {.tp = 8}, vllm(), {.context = 8192_tok, .concurrency = 64_seq});
  return one.answer != answer::invalid && eight.answer == answer::fits && eight.left() > bytes{};
}
