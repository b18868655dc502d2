// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <ullage/io/hf/deepseek_kin.hpp>
#include <ullage/io/hf/deepseek_v4_kin.hpp>
#include <ullage/io/hf/dense_kin.hpp>
#include <ullage/io/hf/encoder_kin.hpp>
#include <ullage/io/hf/experts_kin.hpp>
#include <ullage/io/hf/family.hpp>
#include <ullage/io/hf/gemma_kin.hpp>
#include <ullage/io/hf/gpt_kin.hpp>
#include <ullage/io/hf/hybrid_kin.hpp>
#include <ullage/io/hf/kimi_linear_kin.hpp>
#include <ullage/io/hf/lightning_kin.hpp>
#include <ullage/io/hf/llama_kin.hpp>
#include <ullage/io/hf/mamba_kin.hpp>
#include <ullage/io/hf/nemotron_kin.hpp>
#include <ullage/io/hf/qwen_next_kin.hpp>
#include <ullage/io/hf/vision_kin.hpp>
#include <vector>

// Every family that is understood. A new one is a header beside this, and a line here.
namespace ullage::inline v0::io::hf {

inline constexpr std::span<const family> families[] = {
    llama_kin_families,
    dense_kin_families,
    gemma_kin_families,
    deepseek_kin_families,
    deepseek_v4_kin_families,
    experts_kin_families,
    gpt_kin_families,
    encoder_kin_families,
    mamba_kin_families,
    hybrid_kin_families,
    qwen_next_kin_families,
    nemotron_kin_families,
    lightning_kin_families,
    kimi_linear_kin_families,
    vision_kin_families,
};

inline const family* find_family(std::string_view model_type) {
  for (std::span<const family> kin : families)
    for (const family& f : kin)
      if (f.model_type == model_type) return &f;
  return nullptr;
}
inline std::vector<std::string_view> known_model_types() {
  std::vector<std::string_view> names;
  for (std::span<const family> kin : families)
    for (const family& f : kin) names.push_back(f.model_type);
  return names;
}

}  // namespace ullage::inline v0::io::hf
