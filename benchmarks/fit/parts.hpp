// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <ullage/catalog.hpp>
#include <ullage/number_format.hpp>

// The words of the public kernel tables in the words of the catalogue.
namespace fit {

/// A part by the name that the tables give its system; null for one that they do not have.
inline const ullage::accelerator* part_of(std::string_view system) {
  namespace c = ullage::catalog;
  if (system == "a100_sxm") return &c::a100_sxm_80gb;
  if (system == "h100_sxm") return &c::h100_sxm;
  if (system == "h200_sxm") return &c::h200_sxm;
  if (system == "b200_sxm") return &c::b200;
  if (system == "gb200") return &c::gb200;
  if (system == "b300_sxm") return &c::b300;
  if (system == "l40s") return &c::l40s;
  if (system == "rtx_pro_6000_server") return &c::rtx_pro_6000_server;
  if (system == "b60") return &c::arc_pro_b60;
  return nullptr;
}

/// The format of the weights by the tables' word; one without bits for a word that is not known. Weight-only words name the
/// weights, and products run in 16 bits.
inline ullage::number_format format_of(std::string_view word) {
  namespace f = ullage::formats;
  const auto weight_only = [](ullage::number_format w) {
    w.multiplies_as = ullage::math::bf16;
    return w;
  };
  if (word == "bfloat16") return f::bf16;
  if (word == "fp8") return f::fp8;
  if (word == "fp8_block") return f::fp8_block;
  if (word == "nvfp4") return f::nvfp4;
  if (word == "sq") return f::int8;  // SmoothQuant: 8-bit weights and activations
  if (word == "int8_wo") return weight_only(f::int8);
  if (word == "int4_wo") return f::int4;
  if (word == "w4a16_mxfp4") return weight_only(f::mxfp4);
  if (word == "w4a8_mxfp4_mxfp8") return f::mxfp4;
  return {};
}

/// The id under which constants of a part are kept: editions of one part share them.
inline std::string_view fitted_id(const ullage::accelerator& a) {
  if (a.id.substr(0, 8) == "a100-sxm") return "a100-sxm";
  if (a.id.substr(0, 12) == "rtx-pro-6000") return "rtx-pro-6000";
  return a.id;
}

}  // namespace fit
