// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <ullage/io/hf/keys.hpp>
#include <ullage/io/json.hpp>
#include <ullage/model/transformer.hpp>
#include <vector>

namespace ullage::inline v0::io::hf {

/// What a reader of a family is told beside the config.
struct read_context {
  std::string_view model_type{};  ///< the config's own word
  std::string_view name{};        ///< what answers call the model; outlives the call
  std::vector<assumption>* assumed = nullptr;

  void assume(object_reader& r, std::string_view key, std::string value, std::string why) const {
    assumed->push_back({r.path_of(key), std::move(value), true, std::move(why)});
  }
};

/// One model type: how its config becomes a model, and which classes of `architectures` hold just these tensors.
/// A reader leaves mistakes in the object_reader and then returns an empty model.
struct family {
  std::string_view model_type{};
  transformer (*read)(object_reader&, const read_context&) = nullptr;
  /// Endings of class names, parted by ' '; the first of `architectures` must have one of them. Empty = not checked.
  std::string_view classes = "ForCausalLM";
};

}  // namespace ullage::inline v0::io::hf
