// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>

namespace ullage::inline v0 {

/// What an engine's profiling run holds and computes for images or sound, beside the text: vLLM encodes as many of the
/// largest items as its encoder budget has room for, and keeps their embeddings.
struct encoder_profile {
  double kept = 0;  ///< bytes that stay while the text's step runs: embeddings of the budget's tokens, and the inputs
  double forward = 0;  ///< bytes of one encoder layer under way
};

namespace detail {

/// Patches behind one token of the text, and the tokens of the largest item where it is larger than a step.
/// The tensors of a tower do not tell; other families: 4 (two by two patches make a token).
struct image_rule {
  std::string_view prefix{};  ///< of model_type
  double patches = 4;
  double largest_item = 0;
};
inline constexpr std::array<image_rule, 4> image_rules{{
    {"gemma3", 16, 0},  // mm_tokens_per_image 256 of 64 × 64 patches
    {"qwen2_", 4, 16384},
    {"qwen3_vl", 4, 16384},
    {"qwen3_5", 4, 16384},  // start-up logs: one image of 16,384 tokens
}};

}  // namespace detail

/// With T = max(batched tokens, tokens of the largest item), p patches a token, e bytes an element:
///   kept    = T·hidden·e + T·p·588·e                          (embeddings; patches of 3 × 14 × 14 inputs)
///   forward = T·p·e·(2·inner + layer_hidden_factor·hidden)    (of the tower, as a layer of text)
/// Nothing for a model without towers. With `kept` six logs of 0.19 are met within 2.1 %,
/// without a fitted constant; no log shows `forward` alone.
constexpr encoder_profile profile_of_encoder(const transformer& m, const engine_rules& r, double batched) noexcept {
  encoder_profile p;
  if (m.towers.size == 0) return p;
  detail::image_rule rule;
  for (const detail::image_rule& known : detail::image_rules)
    if (m.model_type.view().starts_with(known.prefix)) rule = known;
  double hidden = 0;
  double inner = 0;
  for (const tensor_family& f : families_of(m, m.towers)) {
    if (f.copies < 2 || f.rows < 2) continue;  // matrices of the layers
    const double narrow = static_cast<double>(f.rows < f.cols ? f.rows : f.cols);
    const double wide = static_cast<double>(f.rows < f.cols ? f.cols : f.rows);
    if (hidden == 0 || narrow < hidden) hidden = narrow;
    if (wide > inner) inner = wide;
  }
  const double tokens_in = batched > rule.largest_item ? batched : rule.largest_item;
  const double element = static_cast<double>(m.activation.element_bits) / 8.0;
  const double patches = tokens_in * rule.patches;
  p.kept = (tokens_in * static_cast<double>(m.hidden) + patches * 3 * 14 * 14) * element;
  p.forward = patches * element * (2 * inner + r.layer_hidden_factor * hidden);
  return p;
}

}  // namespace ullage::inline v0
