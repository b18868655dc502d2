// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ullage/io/json.hpp>
#include <ullage/model/transformer.hpp>

// The tables of sines and cosines that an engine keeps.
namespace ullage::inline v0::io::hf {

/// Rows of one table: max_position, and of linear and dynamic scaling as many times that as its factor says (vLLM
/// model_executor/layers/rotary_embedding). YaRN and its kin are written with the scaled max_position.
inline std::int64_t rotary_rows_of(const json& scaling, std::int64_t max_position) {
  if (!scaling.is_object()) return max_position;
  json type;
  for (const char* key : {"rope_type", "type"})
    if (type.is_null() && scaling.contains(key)) type = scaling[key];
  const json factor = scaling.contains("factor") ? scaling["factor"] : json();
  if ((type != "linear" && type != "dynamic") || !factor.is_number()) return max_position;
  const double rows = static_cast<double>(max_position) * factor.get<double>();
  return rows > static_cast<double>(max_position) && rows < 9e15 ? static_cast<std::int64_t>(rows) : max_position;
}

/// Rows of all tables of a model; 0 = one of max_position. Layers of windows have a table of their own where the config gives
/// them a base or a scaling of their own (`rope_local_base_freq`, which Gemma 3 has by default; `rope_parameters` by the type of
/// layer).
inline std::int64_t rotary_rows(const json& config, std::int64_t max_position) {
  const json& text =
      config.contains("text_config") && config["text_config"].is_object() ? config["text_config"] : config;
  const auto member = [&](const char* key) { return text.contains(key) ? text[key] : json(); };
  std::int64_t rows = 0;
  const json by_type = member("rope_parameters");
  if (by_type.is_object() && by_type.contains("full_attention") && by_type.contains("sliding_attention")) {
    for (const char* type : {"full_attention", "sliding_attention"})
      rows += rotary_rows_of(by_type[type], max_position);
    return rows;
  }
  rows = rotary_rows_of(by_type.is_object() ? by_type : member("rope_scaling"), max_position);
  const json type = member("model_type");
  if (member("rope_local_base_freq").is_number() || type == "gemma3_text" || type == "gemma3") rows += max_position;
  return rows == max_position ? 0 : rows;
}

}  // namespace ullage::inline v0::io::hf
