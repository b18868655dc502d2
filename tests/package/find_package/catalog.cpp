// SPDX-License-Identifier: Apache-2.0
#include <ullage/catalog.hpp>
#include <ullage/catalog/sources.hpp>

bool uses_catalog() {
  using namespace ullage;
  const accelerator_match m = find_accelerator("NVIDIA H100 80GB HBM3");
  const transformer* t = catalog::find_model("meta-llama/Llama-3.1-8B-Instruct");
  return m.outcome == accelerator_match::found && m.whole->id == "h100-sxm" && t == &catalog::llama_3_1_8b &&
         !catalog::accelerator_figures.empty();
}
