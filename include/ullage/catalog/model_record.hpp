// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <ullage/model/transformer.hpp>

namespace ullage::inline v0::catalog {

/// A model written down flat: what `expand` makes a transformer of. A table of many costs less than as many transformers.
struct model_record {
  std::string_view name{};     ///< "qwen3-14b"
  std::string_view aliases{};  ///< public names, parted by ' '
  std::string_view source{};   ///< of the config
  std::string_view model_type{};
  std::string_view layer_prefix{};
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_position = 0;
  bool tied_embeddings = false;
  const weight_scheme* stored = nullptr;
  const number_format* activation = nullptr;
  const number_format* cache = nullptr;  ///< null = the model asks for none
  std::span<const tensor_family> families{};
  std::span<const layer_kind> kinds{};
  std::string_view layers{};  ///< a letter a layer: 'A' + its kind
  family_range embedding{};
  family_range final_norm{};
  family_range head{};
  family_range encoder{};
  family_range towers{};
  family_range mtp_extra{};
  std::int64_t encoder_layers = 0;
  std::int64_t encoder_tokens = 0;
  std::int64_t mtp_layers = 0;
  std::uint8_t mtp_kind = 0;
  std::int64_t rotary_rows = 0;
};

/// The transformer of a record.
constexpr transformer expand(const model_record& r) noexcept {
  transformer m;
  m.name = r.name;
  m.model_type = r.model_type;
  m.layer_prefix = r.layer_prefix;
  m.hidden = r.hidden;
  m.vocabulary = r.vocabulary;
  m.max_position = r.max_position;
  m.tied_embeddings = r.tied_embeddings;
  m.stored = *r.stored;
  m.activation = *r.activation;
  if (r.cache != nullptr) m.cache = *r.cache;
  for (const tensor_family& f : r.families) m.families.push_back(f);
  for (const layer_kind& k : r.kinds) m.kinds.push_back(k);
  for (char c : r.layers) m.layer_kinds[m.layers++] = static_cast<std::uint8_t>(c - 'A');
  m.embedding = r.embedding;
  m.final_norm = r.final_norm;
  m.head = r.head;
  m.encoder = r.encoder;
  m.towers = r.towers;
  m.mtp_extra = r.mtp_extra;
  m.encoder_layers = r.encoder_layers;
  m.encoder_tokens = r.encoder_tokens;
  m.mtp_layers = r.mtp_layers;
  m.mtp_kind = r.mtp_kind;
  m.rotary_rows = r.rotary_rows;
  return m;
}

}  // namespace ullage::inline v0::catalog
