// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/keys.hpp>
#include <ullage/io/json.hpp>
#include <ullage/model/transformer.hpp>

// Which layers look back over a window only, as configs say it: `layer_types`, or a pattern that repeats.
namespace ullage::inline v0::io::hf {

/// One byte a layer: 1 = the layer has a window.
using layer_bits = std::array<std::uint8_t, transformer::most_layers>;

/// Marks `layers` by `layer_types` where the config has that list. False = there is none.
inline bool read_layer_types(object_reader& r, std::int64_t layers, layer_bits& sliding) {
  const json* types = r.find("layer_types");
  if (types == nullptr) return false;
  if (!types->is_array() || types->size() != static_cast<std::size_t>(layers)) {
    r.fail_at(
        "layer_types", error_code::bad_value,
        (types->is_array() ? "names " + std::to_string(types->size()) + " layers" : "is " + detail::shown(*types)) +
            "; expected one word for each of the " + std::to_string(layers) + " layers.");
    return true;
  }
  for (std::size_t i = 0; i < types->size(); ++i) {
    const json& word = (*types)[i];
    const bool window = word.is_string() && word.get_ref<const std::string&>() == "sliding_attention";
    if (!window && !(word.is_string() && word.get_ref<const std::string&>() == "full_attention")) {
      r.fail_at("layer_types", error_code::unknown_field,
                "holds " + detail::shown(word) + "; expected \"full_attention\" or \"sliding_attention\".");
      return true;
    }
    sliding[i] = window ? 1 : 0;
  }
  return true;
}

/// Every `pattern`-th layer is full and the others have the window; 0 = all are full.
inline layer_bits every_nth_full(std::int64_t layers, std::int64_t pattern) {
  layer_bits sliding{};
  for (std::int64_t i = 0; i < layers && pattern > 0; ++i)
    sliding[static_cast<std::size_t>(i)] = (i + 1) % pattern != 0 ? 1 : 0;
  return sliding;
}

inline bool any_sliding(const layer_bits& sliding) {
  for (std::uint8_t s : sliding)
    if (s != 0) return true;
  return false;
}

/// `sliding_window_pattern` (older files: with '_' in front): a number, or letters L (window) and G (full) that repeat.
/// True = read.
inline bool read_window_pattern(object_reader& r, std::int64_t layers, std::int64_t fallback, layer_bits& sliding) {
  std::string_view key = "sliding_window_pattern";
  const json* old = r.find("_sliding_window_pattern");
  if (!r.has(key) && old != nullptr) key = "_sliding_window_pattern";
  const json* v = r.find(key);
  if (old != nullptr && *old != *v)
    r.fail_at("_sliding_window_pattern", error_code::bad_value,
              "is " + detail::shown(*old) + "; expected what sliding_window_pattern says.");
  if (v != nullptr && v->is_string()) {
    const std::string letters = v->get<std::string>();
    if (letters.empty() || letters.find_first_not_of("LG") != std::string::npos) {
      r.fail_at(key, error_code::bad_value, "is " + detail::shown(*v) + "; expected letters L and G, or a number.");
      return false;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i)
      sliding[i] = letters[i % letters.size()] == 'L' && i + 1 < static_cast<std::size_t>(layers) ? 1 : 0;
    return true;
  }
  const std::int64_t pattern = r.whole(key, fallback, 0, most_elements);
  sliding = every_nth_full(layers, pattern);
  return v != nullptr;
}

/// Windows of a family whose layers alternate: `layer_types`, else the pattern, over `sliding_window` tokens. A window
/// of null or 0 switches all of them off; an absent one is `window`, the class's own.
inline void read_alternating(object_reader& r, std::int64_t layers, std::int64_t window, std::int64_t pattern,
                             layer_bits& sliding, std::int64_t& size) {
  const bool off = r.object().contains("sliding_window") && !r.has("sliding_window");
  size = r.whole("sliding_window", off ? 0 : window, 0, most_elements);
  layer_bits by_pattern{};
  read_window_pattern(r, layers, pattern, by_pattern);
  const bool listed = read_layer_types(r, layers, sliding);
  if (!listed) sliding = size > 0 ? by_pattern : layer_bits{};
  if (r.ok() && size == 0 && any_sliding(sliding))
    r.missing("sliding_window", "the window of the layers that layer_types calls \"sliding_attention\"");
}

}  // namespace ullage::inline v0::io::hf
