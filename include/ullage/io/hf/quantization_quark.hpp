// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <ullage/io/hf/quantization_read.hpp>

// AMD Quark: one scheme for all linear layers, schemes by wildcards of names, and a list of what is left out.
namespace ullage::inline v0::io::hf::detail_quantization {

/// Keys of a tensor's scheme that change no bytes: how it was observed and rounded.
// clang-format off
inline constexpr std::array<std::string_view, 12> irrelevant_of_quark{
    "block_size", "enable_buffer_reuse", "is_scale_quant", "max_input_numel", "mx_element_dtype", "observer_cls",
    "round_method", "scale_calculation_mode", "scale_type", "symmetric", "zero_point_type", "qat_spec"};
// clang-format on

/// The format of one scheme {weight, input_tensors, ...}, as quark/torch/export/nn/modules/realquantizer.py stores it:
/// fp8 with its scale a tensor or a row; MXFP4 with two numbers and one exponent a byte each; integers of 4 bits in
/// words with a scale of the model's type and packed zero points, which symmetric ones have too.
inline number_format quark_format(object_reader& s) {
  constexpr error_words words{error_code::unknown_format, error_code::unknown_format};
  const json* list = s.find("weight");
  if (list == nullptr || !list->is_object()) {
    refuse(s, "weight",
           (list == nullptr ? std::string("is missing") : "is " + detail::shown(*list)) +
               "; expected one scheme of the weights (two stages, as W4A8 has them, are not modelled).");
    return {};
  }
  object_reader w(*list, s.path_of("weight"), words);
  const std::string type = w.text("dtype");
  const std::string scheme = w.text("qscheme");
  const std::int64_t group = w.whole("group_size", 0, 0, most_elements);
  const std::string scale = w.text("scale_format");
  const std::int64_t axis = w.whole("ch_axis", 0, -8, 8);
  read_switch(w, "is_dynamic", false, "weights that are scaled on the fly are not stored so");
  for (std::string_view key : irrelevant_of_quark) w.find(key);
  bool scaled = false;  // the input by a number in the file
  if (s.has("input_tensors")) {
    object_reader in(s.nested("input_tensors"), s.path_of("input_tensors"), words);
    scaled = !in.flag("is_dynamic", false);
    const bool by_tensor = in.text("qscheme", "per_tensor") == "per_tensor";
    for (std::string_view key : {"dtype", "group_size", "scale_format", "ch_axis"}) in.find(key);
    for (std::string_view key : irrelevant_of_quark) in.find(key);
    refuse_unread(in, "Quark");
    if (in.ok() && scaled && !by_tensor)
      refuse(in, "is_dynamic", "is false with " + in.text("qscheme") + "; expected a scale of the whole tensor.");
    if (!in.ok()) s.fail(in.problem());
  }
  number_format f;
  if (type == "fp8_e4m3" && scheme == "per_tensor") f = scaled ? fp8_static : formats::fp8;
  if (type == "fp8_e4m3" && scheme == "per_channel" && axis == 0) f = formats::fp8_channel;
  if (type == "fp4" && scheme == "per_group" && group == 32 && scale == "e8m0") f = formats::mxfp4;
  if ((type == "int4" || type == "uint4") && (scheme == "per_group" || scheme == "per_channel"))
    f = format_of(integer_formats, 4, scheme == "per_channel" ? -1 : group, true);
  if (f.name.empty() && w.ok())
    s.fail(error_code::unknown_format, w.path(),
           w.path() + " is " + detail::in_quotes(type) + " by " + detail::in_quotes(scheme) +
               (group > 0 ? " of " + std::to_string(group) : std::string()) +
               "; expected fp8_e4m3 by tensor or channel, fp4 in groups of 32 with e8m0 scales, or int4 and uint4.");
  for (std::string_view key : {"output_tensors", "bias"})  // outputs: of K and V, for the cache
    if (const json* v = s.find(key);
        v != nullptr && (key == "bias" || !v->is_object() || v->value("dtype", json()) != json("fp8_e4m3")))
      refuse(s, key, "is " + detail::shown(*v) + ", which is not modelled; expected null.");
  s.find("target_device");
  refuse_unread(w, "weights");
  refuse_unread(s, "Quark");
  if (!w.ok()) s.fail(w.problem());
  return f;
}

inline void read_quark(object_reader& q, file_rules& rules, transformer& m) {
  constexpr error_words words{error_code::unknown_format, error_code::unknown_format};
  read_exclusions(q, rules);
  object_reader all(q.nested("global_quant_config"), q.path_of("global_quant_config"), words);
  if (!all.object().empty()) {
    const int rest = rules.formats.number_of(quark_format(all));
    rules.formats.take_rest(rest);
    rules.formats.take_head(rest);
    if (!all.ok()) return q.fail(all.problem());
  }
  // A module's own scheme goes before that of all (vLLM, quark/quark.py, _find_matched_config).
  const json& named = q.nested("layer_quant_config");
  if (all.object().empty() && named.empty()) return q.missing("global_quant_config", "the scheme of all linear layers");
  for (const auto& entry : named.items()) {
    object_reader s(entry.value(), q.path_of("layer_quant_config") + "." + detail::one_line(entry.key()), words);
    const number_format f = quark_format(s);
    if (!s.ok()) return q.fail(s.problem());
    rules.formats_key = "layer_quant_config";
    if (!take_entry(q, "layer_quant_config", rules.formats.in(rules.formats.number_of(f)), entry.key())) return;
  }
  if (const json* by_type = q.find("layer_type_quant_config"); by_type != nullptr && !by_type->empty())
    refuse(q, "layer_type_quant_config", "is " + detail::shown(*by_type) + "; expected no schemes by class.");
  if (q.has("softmax_quant_spec")) refuse(q, "softmax_quant_spec", "is given, which is not modelled; expected null.");
  object_reader e(q.nested("export"), q.path_of("export"), words);
  read_word(e, "weight_format", {"real_quantized"});
  read_word(e, "pack_method", {"reorder", "order"});
  for (std::string_view key : {"kv_cache_group", "min_kv_scale", "min_kv_cache", "weight_merge_groups"}) e.find(key);
  refuse_unread(e, "Quark");
  if (!e.ok()) return q.fail(e.problem());
  for (const auto& entry : q.nested("kv_cache_quant_config").items()) {
    const json outputs = entry.value().is_object() ? entry.value().value("output_tensors", json()) : json();
    if (!outputs.is_object() || outputs.value("dtype", json()) != json("fp8_e4m3"))
      return refuse(q, "kv_cache_quant_config",
                    "is " + detail::shown(entry.value()) + " for " + detail::in_quotes(entry.key()) +
                        "; expected output_tensors of fp8_e4m3.");
    m.cache = formats::fp8;
  }
  // Rotations keep matrices of their own; the others change values only.
  if (const json* steps = q.find("algo_config"); steps != nullptr)
    for (const json& step : steps->is_array() ? *steps : json::array({*steps})) {
      const json name = step.is_object() ? step.value("name", json()) : json();
      if (name != json("awq") && name != json("gptq") && name != json("smooth") && name != json("autosmoothquant"))
        return refuse(q, "algo_config", "has " + detail::shown(name) + "; expected awq, gptq or smooth.");
    }
  for (std::string_view key :
       {"kv_cache_post_rope", "quant_mode", "version", "packed_modules_mapping", "log_severity_level"})
    q.find(key);
}

}  // namespace ullage::inline v0::io::hf::detail_quantization
