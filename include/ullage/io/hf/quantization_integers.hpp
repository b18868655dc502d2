// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <ullage/io/hf/quantization_read.hpp>

// Weight-only integers: GPTQ, AWQ, auto-round, bitsandbytes, MLX.
namespace ullage::inline v0::io::hf::detail_quantization {

/// bits and group_size of one format in a table, or a refusal at bits.
inline number_format read_sizes(object_reader& q, const auto& table, std::int64_t bits, std::int64_t group,
                                bool zeros) {
  const number_format f = format_of(table, bits, group, zeros);
  if (f.name.empty() && q.ok())
    refuse(q, "bits",
           "is " + std::to_string(bits) + " with group_size " + std::to_string(group) +
               "; expected 2, 3, 4 or 8 bits in groups of 32, 64, 128, 256 or -1 that are published.");
  return f;
}

/// GPTQModel's rules for modules, as it applies them (gptqmodel/quantization/config.py, _resolve_dynamic_override):
/// expressions from the beginning of the name; "-:" skips, "+:" or nothing overrides bits and group_size; the first
/// match counts, and since the order of keys is not kept here, rules that disagree are refused.
inline void read_dynamic(object_reader& q, file_rules& rules, const auto& table, std::int64_t bits, std::int64_t group,
                         bool zeros) {
  const json& dynamic = q.nested("dynamic");
  if (dynamic.empty()) return;
  rules.formats.refuse_contradictions();
  rules.formats_key = "dynamic";
  for (const auto& rule : dynamic.items()) {
    std::string_view expression = rule.key();
    const bool skips = expression.starts_with("-:");
    if (skips || expression.starts_with("+:")) expression.remove_prefix(2);
    object_reader o(rule.value(), q.path_of("dynamic") + "." + detail::one_line(rule.key()),
                    {error_code::unknown_format, error_code::unknown_format});
    const bool changes = o.has("bits") || o.has("group_size");
    const std::int64_t own_bits = o.whole("bits", bits, 1, 64);
    const std::int64_t own_group = o.whole("group_size", group, -1, most_elements);
    for (std::string_view key : {"damp_auto_increment", "damp_percent", "desc_act", "mse", "static_groups", "sym"})
      o.find(key);
    number_format f;
    if (!skips && changes && own_bits < 16) f = read_sizes(o, table, own_bits, own_group, zeros);
    refuse_unread(o, "a rule");
    if (!o.ok()) return q.fail(o.problem());
    module_list& list = skips || own_bits >= 16 ? rules.formats.left_out()
                        : changes               ? rules.formats.in(rules.formats.number_of(f))
                                                : rules.formats.as_the_rest();
    if (!take_entry(q, "dynamic", list, "re:" + std::string(expression))) return;
  }
}

/// optimum's list of lists of modules of a layer that are quantised; the others stay as they are.
inline void read_inside_blocks(object_reader& q, file_rules& rules, int format) {
  const json* lists = q.find("modules_in_block_to_quantize");
  if (lists == nullptr || lists->empty()) return;
  rules.formats_key = "modules_in_block_to_quantize";
  rules.formats.take_rest(format_rules::kept);
  for (const json& list : *lists)
    for (const json& entry : list.is_array() ? list : json::array({list})) {
      if (!entry.is_string())
        return refuse(q, "modules_in_block_to_quantize",
                      "names " + detail::shown(entry) + "; expected lists of modules.");
      if (!take_entry(q, "modules_in_block_to_quantize", rules.formats.in(format), entry.get_ref<const std::string&>()))
        return;
    }
}

inline void read_gptq(object_reader& q, file_rules& rules) {
  read_exclusions(q, rules);
  const std::int64_t bits = q.required_whole("bits", 1, 64);
  const std::int64_t group = q.whole("group_size", 128, -1, most_elements);
  read_word(q, "checkpoint_format", {"gptq", "gptq_v2", "marlin"});
  read_word(q, "format", {"gptq", "gptq_v2", "marlin"});
  read_word(q, "method", {"gptq"});
  read_word(q, "pack_dtype", {"int32", "torch.int32"});
  read_word(q, "data_type", {"int"});  // auto-round's exports
  const bool marlin =
      q.flag("is_marlin_format", false) || q.text("checkpoint_format") == "marlin" || q.text("format") == "marlin";
  if (marlin && bits != 4)
    refuse(q, "bits", "is " + std::to_string(bits) + "; expected 4, which is what Marlin's layout holds.");
  // Marlin keeps neither zero points nor indices.
  const number_format f =
      marlin ? read_sizes(q, integer_formats, bits, group, false) : read_sizes(q, gptq_formats, bits, group, true);
  const int rest = rules.formats.number_of(f);
  rules.formats.take_rest(rest);
  if (q.flag("lm_head", false)) rules.formats.take_head(rest);
  if (marlin && q.has("dynamic")) refuse(q, "dynamic", "is given beside Marlin's layout; expected one format for all.");
  if (q.ok()) read_dynamic(q, rules, gptq_formats, bits, group, true);
  if (q.ok()) read_inside_blocks(q, rules, rest);
}

inline void read_awq(object_reader& q, file_rules& rules) {
  read_exclusions(q, rules);
  const std::int64_t bits = q.required_whole("bits", 1, 64);
  const std::int64_t group = q.whole("group_size", 128, -1, most_elements);
  for (std::string_view key : {"dynamic", "modules_in_block_to_quantize"})
    if (const json* v = q.find(key); v != nullptr && !v->empty())
      refuse(q, key, "gives some layers a format of their own, which AWQ does not; expected one format for all.");
  read_switch(q, "zero_point", true, "whether the file then holds zero points is not known");
  for (std::string_view key : {"version", "format"}) read_word(q, key, {"gemm", "gemv"});
  if (q.ok() && bits != 4 && bits != 8)
    refuse(q, "bits", "is " + std::to_string(bits) + "; expected 4 or 8, of which whole numbers fill a word.");
  const int rest = rules.formats.number_of(read_sizes(q, integer_formats, bits, group, true));
  rules.formats.take_rest(rest);
  if (q.flag("lm_head", false)) rules.formats.take_head(rest);
}

/// auto-round: the layers' blocks, and `extra_config` by name or expression, searched for anywhere in a name. Without
/// "model_free" the tool knows the model's classes, which have no prediction modules: those are copied as they are.
inline void read_auto_round(object_reader& q, file_rules& rules, const transformer& m) {
  const std::int64_t bits = q.required_whole("bits", 1, 64);
  const std::int64_t group = q.required_whole("group_size", -1, most_elements);
  const std::string type = q.text("data_type", "int");
  std::string packing = q.text("packing_format", q.text("backend", "auto_round:auto_gptq"));
  if (packing.starts_with("autoround")) packing.replace(0, 9, "auto_round");
  const bool indexed = packing == "auto_round:gptqmodel";
  read_word(q, "scale_dtype", {"torch.float16", "float16"});
  const auto format_for = [&](object_reader& r, std::int64_t b, std::int64_t g, const std::string& t) {
    if (t == "int")
      return indexed ? read_sizes(r, gptq_formats, b, g, true) : read_sizes(r, integer_formats, b, g, true);
    if (t.starts_with("mx_fp") && g == 32 && b == 4) return formats::mxfp4;
    if (t.starts_with("mx_fp") && g == 32 && b == 8) return mxfp8;
    refuse(r, "data_type",
           "is " + detail::in_quotes(t) + " of " + std::to_string(b) +
               " bits; expected int, or mx_fp of 4 or 8 bits in "
               "groups of 32.");
    return number_format{};
  };
  if (type == "int" && packing != "auto_round:auto_gptq" && packing != "auto_round:gptqmodel" &&
      packing != "auto_round:auto_awq" && packing != "auto_round:awq" && packing != "auto_round" &&
      packing != "auto_round:gptq" && packing != "auto_round:exllamav2")
    refuse(q, "packing_format",
           "is " + detail::in_quotes(packing) +
               "; expected auto_round, auto_round:auto_gptq, auto_round:gptqmodel or auto_round:auto_awq.");
  if (type != "int")  // the inputs', scaled as the step runs
    for (std::string_view key : {"act_bits", "act_data_type", "act_group_size", "act_sym"}) q.find(key);
  if (type != "int") read_switch(q, "act_dynamic", true, "scales of inputs in the file are not modelled");
  const int rest = rules.formats.number_of(format_for(q, bits, group, type));
  rules.formats.take_rest(rest);
  const bool model_free = q.flag("model_free", false);
  if (!model_free) rules.formats.keep_prediction();
  rules.formats.refuse_contradictions();

  for (std::string_view key : {"block_name_to_quantize", "to_quant_block_names"}) {
    const json* blocks = q.find(key);
    if (blocks == nullptr) continue;
    const std::string_view prefix = m.layer_prefix;
    const std::string_view layers = detail_modules::below_model(prefix.substr(0, prefix.size() - 1));
    for (const json& block : blocks->is_array() ? *blocks : json::array({*blocks}))
      if (!block.is_string() || detail_modules::below_model(block.get_ref<const std::string&>()) != layers)
        return refuse(q, key,
                      "is " + detail::shown(block) + "; expected the decoder's layers, " +
                          detail::in_quotes(prefix.substr(0, prefix.size() - 1)) + ".");
  }
  const json& extra = q.nested("extra_config");
  bool names_head = false;
  for (const auto& entry : extra.items()) {
    object_reader e(entry.value(), q.path_of("extra_config") + "." + detail::one_line(entry.key()),
                    {error_code::unknown_format, error_code::unknown_format});
    const std::int64_t own_bits = e.whole("bits", bits, 1, 64);
    const std::int64_t own_group = e.whole("group_size", group, -1, most_elements);
    const std::string own_type = e.text("data_type", type);
    for (std::string_view key : {"act_data_type", "act_group_size", "act_sym", "act_dynamic", "sym", "scale_dtype"})
      e.find(key);
    if (own_type == "int" && e.whole("act_bits", 16, 1) < 16)
      refuse(e, "act_bits", "is " + detail::shown(*e.find("act_bits")) + "; expected 16.");
    e.find("act_bits");
    number_format f;
    if (own_bits < 16) f = format_for(e, own_bits, own_group, own_type);
    refuse_unread(e, "a module");
    if (!e.ok()) return q.fail(e.problem());
    rules.formats_key = "extra_config";
    rules.left_out_key = "extra_config";
    names_head = names_head || entry.key().find("lm_head") != std::string::npos;
    std::string name = entry.key();
    if (name.find_first_of("*+?[](){}|^$\\") != std::string::npos)
      name = (name.starts_with("^") || name.starts_with(".*") ? "re:" : "re:.*") + name;
    if (!take_entry(q, "extra_config",
                    own_bits < 16 ? rules.formats.in(rules.formats.number_of(f)) : rules.formats.left_out(), name))
      return;
  }
  if (model_free && m.head.size > 0 && !names_head)
    refuse(q, "extra_config", "does not say what lm_head takes; expected it, since model_free is true.");
}

/// bitsandbytes; a format without name when the file does not say which.
inline number_format read_bitsandbytes(object_reader& q) {
  const bool four = q.flag("load_in_4bit", q.flag("_load_in_4bit", false));
  const bool eight = q.flag("load_in_8bit", q.flag("_load_in_8bit", false));
  q.find("_load_in_4bit");
  q.find("_load_in_8bit");
  read_word(q, "bnb_4bit_quant_type", {"nf4", "fp4"});
  read_word(q, "bnb_4bit_quant_storage", {"uint8", "float16", "bfloat16", "float32"});
  const bool twice = q.flag("bnb_4bit_use_double_quant", false);
  read_switch(q, "llm_int8_has_fp16_weight", false, "those weights stay as they were");
  for (std::string_view key :
       {"bnb_4bit_compute_dtype", "llm_int8_enable_fp32_cpu_offload", "llm_int8_threshold", "target_modules"})
    q.find(key);
  if (four == eight) {
    refuse(q, "quant_method", "is \"bitsandbytes\"; expected one of load_in_4bit and load_in_8bit beside it.");
    return {};
  }
  if (eight) return formats::int8;
  return twice ? bnb4_double : bnb4;
}

/// MLX quantises every matrix, embedding, head and router too. A key that is a module's name says that module's own
/// sizes, or false.
inline void read_mlx(object_reader& q, file_rules& rules, transformer& m) {
  const std::int64_t bits = q.required_whole("bits", 1, 64);
  const std::int64_t group = q.required_whole("group_size", 1, most_elements);
  read_word(q, "mode", {"affine"});
  for (tensor_family& f : m.families)
    if ((f.belongs_to == part::embedding || f.belongs_to == part::router) && f.rows > 1 && f.cols > 1)
      f.stored_as = precision::linear;
  const auto format_for = [](object_reader& r, std::int64_t b, std::int64_t g) {
    for (const number_format& f : mlx_formats)
      if (f.element_bits == b && f.block_cols == g) return f;
    refuse(r, "bits",
           "is " + std::to_string(b) + " with group_size " + std::to_string(g) +
               "; expected 2, 3, 4, 5, 6 or 8 bits in groups of 32, 64 or 128.");
    return number_format{};
  };
  const int rest = rules.formats.number_of(format_for(q, bits, group));
  rules.formats.take_rest(rest);
  rules.formats.take_head(rest);
  for (const auto& item : q.object().items()) {
    const json& v = item.value();
    if (q.was_read(item.key()) || item.key().find('.') == std::string::npos || (!v.is_object() && v != json(false)))
      continue;
    q.find(item.key());
    rules.formats_key = item.key();
    if (v.is_boolean()) {
      rules.left_out_key = item.key();
      if (!take_entry(q, item.key(), rules.formats.left_out(), item.key())) return;
      continue;
    }
    object_reader o(v, q.path_of(item.key()), {error_code::unknown_format, error_code::unknown_format});
    const std::int64_t own_bits = o.whole("bits", bits, 1, 64);
    const std::int64_t own_group = o.whole("group_size", group, 1, most_elements);
    read_word(o, "mode", {"affine"});
    const number_format f = format_for(o, own_bits, own_group);
    refuse_unread(o, "a module");
    if (!o.ok()) return q.fail(o.problem());
    if (!take_entry(q, item.key(), rules.formats.in(rules.formats.number_of(f)), item.key())) return;
  }
}

}  // namespace ullage::inline v0::io::hf::detail_quantization
