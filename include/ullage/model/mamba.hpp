// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/model/recurrent_blocks.hpp>

namespace ullage::inline v0 {

/// Models of Mamba mixers alone: mamba, falcon_mamba (whose norms on B, C and dt have no weights) and mamba2. Members
/// carry the Hugging Face config's words where the sizes of the mixer do not say them.
struct mamba_shape {
  std::string_view name{};
  std::string_view model_type = "mamba";
  std::int64_t hidden_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t vocab_size = 0;
  bool tie_word_embeddings = true;
  bool second_generation = false;
  mamba_sizes mixer{};
};

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed. A recurrent model has no longest context.
constexpr transformer make_mamba(const mamba_shape& s) noexcept {
  detail::model_builder b;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.layer_prefix = "backbone.layers.";
  detail::add_named_ends(b, s.hidden_size, s.vocab_size, s.tie_word_embeddings, "backbone.embeddings.weight",
                         "backbone.norm_f.weight");
  const family_range r = b.begin_range();
  b.vector("norm.weight", s.hidden_size, part::norm);
  const recurrent state = s.second_generation ? detail::add_mamba2(b, s.hidden_size, s.mixer, detail::mixer_names)
                                              : detail::add_mamba1(b, s.hidden_size, s.mixer, detail::mixer_names);
  const std::uint8_t kind = b.add_kind({}, {}, b.end_range(r), state);
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) b.add_layer(kind);
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
