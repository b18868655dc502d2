// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <ullage/io/hf/quantization_read.hpp>

// compressed-tensors and ModelOpt: groups of modules, each with its format; ModelOpt also maps single modules.
namespace ullage::inline v0::io::hf::detail_quantization {

/// Whether a group's input activations are scaled by one number that the checkpoint holds.
inline bool static_activations(object_reader& g) {
  object_reader in(g.nested("input_activations"), g.path_of("input_activations"),
                   {error_code::unknown_format, error_code::unknown_format});
  const bool given = !in.object().empty();
  const json* dynamic = in.find("dynamic");  // true, false, or "local"
  for (std::string_view key : irrelevant_of_activations) in.find(key);
  refuse_unread(in, "activations");
  if (!in.ok()) g.fail(in.problem());
  return given && (dynamic == nullptr || *dynamic == json(false));
}

/// The format of the `weights` of one group. `stored`: the format of the whole file, where the group says none.
inline number_format group_format(object_reader& g, std::string_view stored) {
  constexpr error_words words{error_code::unknown_format, error_code::unknown_format};
  object_reader w(g.nested("weights"), g.path_of("weights"), words);
  const std::int64_t bits = w.required_whole("num_bits", 1, 32);
  const std::string type = w.text("type");
  const std::string strategy = w.text("strategy", "tensor");
  const std::int64_t size = w.whole("group_size", -1, -1);
  const bool symmetric = w.flag("symmetric", true);
  const bool any_input = g.has("input_activations");
  const bool scaled = static_activations(g);
  read_word(g, "format",
            {"dense", "naive-quantized", "float-quantized", "int-quantized", "pack-quantized", "nvfp4-pack-quantized",
             "mxfp4-pack-quantized", "mxfp8-quantized"});
  const std::string layout = g.text("format", stored);
  read_switch(w, "dynamic", false, "weights that are scaled on the fly are not stored so");
  read_word(w, "actorder", {"static", "weight"});  // "group" stores an index for every input
  number_format f;
  if (type == "float" && bits == 8) {
    if (size == 32)
      f = mxfp8;
    else if (strategy == "tensor")
      f = scaled ? fp8_static : formats::fp8;
    else if (strategy == "channel")
      f = formats::fp8_channel;
    else if (strategy == "block") {
      const json* block = w.find("block_structure");
      if (block != nullptr && *block == json::array({128, 128})) f = formats::fp8_block;
    }
  } else if (type == "float" && bits == 4) {
    if (size == 16) f = any_input ? formats::nvfp4 : nvfp4_a16;
    if (size == 32) f = formats::mxfp4;
  } else if (type == "int" && bits == 8 && strategy == "channel" && any_input) {
    f = formats::int8;
  } else if (type == "int") {
    f = format_of(integer_formats, bits, strategy == "channel" ? -1 : size, !symmetric);
    if (bits < 8 && (layout == "int-quantized" || layout == "naive-quantized"))
      refuse(g, "format",
             "is " + detail::in_quotes(layout) + ", which stores " + std::to_string(bits) +
                 " bits in whole bytes; expected pack-quantized.");
  }
  if (symmetric) w.find("zp_dtype");
  if (f == formats::mxfp4 || f == mxfp8) read_word(w, "scale_dtype", {"torch.uint8", "uint8"});
  if (f == formats::nvfp4 || f == nvfp4_a16) read_word(w, "scale_dtype", {"torch.float8_e4m3fn", "float8_e4m3fn"});
  if (g.has("output_activations")) refuse(g, "output_activations", "is given, which is not modelled; expected null.");
  if (f.name.empty() && w.ok() && g.ok())
    g.fail(error_code::unknown_format, w.path(),
           w.path() + " is " + detail::in_quotes(type) + " of " + std::to_string(bits) + " bits by " +
               detail::in_quotes(strategy) + (size > 0 ? " of " + std::to_string(size) : std::string()) +
               "; expected fp8 by tensor, channel or 128x128 block, int8 by channel, int4 in groups, nvfp4, mxfp4 or "
               "mxfp8.");
  w.find("block_structure");
  refuse_unread(w, "weights");
  if (!w.ok()) g.fail(w.problem());
  return f;
}

/// Groups of modules by name, by expression or all that are "Linear". The module's name goes before its class
/// (vLLM, compressed_tensors/utils.py, find_matched_target), and `ignore` before both.
inline void read_groups(object_reader& q, file_rules& rules, std::string_view stored) {
  constexpr error_words words{error_code::unknown_format, error_code::unknown_format};
  const json& groups = q.nested("config_groups");
  if (groups.empty()) q.missing("config_groups", "an object of groups");
  number_format all;
  for (const auto& group : groups.items()) {
    object_reader g(group.value(), q.path_of("config_groups") + "." + detail::one_line(group.key()), words);
    const number_format f = group_format(g, stored);
    const json* targets = g.find("targets");
    if (targets != nullptr && !targets->is_array())
      refuse(g, "targets", "is " + detail::shown(*targets) + "; expected a list.");
    bool linear = targets == nullptr;
    if (g.ok() && targets != nullptr)
      for (const json& t : *targets) {
        if (t == json("Linear"))
          linear = true;
        else if (!t.is_string() || !take_entry(g, "targets", rules.formats.in(rules.formats.number_of(f)),
                                               t.get_ref<const std::string&>()))
          break;
      }
    if (targets != nullptr && (targets->empty() || !std::all_of(targets->begin(), targets->end(),
                                                                [](const json& t) { return t.is_string(); })))
      refuse(g, "targets", "is " + detail::shown(*targets) + "; expected names, expressions or \"Linear\".");
    refuse_unread(g, "a group");
    if (!g.ok()) return q.fail(g.problem());
    rules.formats_key = "config_groups";
    if (!linear) continue;
    if (!all.name.empty() && !(all == f))
      return refuse(q, "config_groups", "has groups of different formats for all linear layers; expected one of them.");
    all = f;
    rules.formats.take_rest(rules.formats.number_of(f));
    rules.formats.take_head(rules.formats.number_of(f));
  }
}

/// The format of one of ModelOpt's algorithms; without name when its layout is not known. As modelopt/torch/export/
/// quant_utils.py writes it: `weight` with `weight_scale` of 32 bits a tensor, a 128x128 block or a row, `input_scale`;
/// NVFP4: a byte for two numbers, an fp8 `weight_scale` a block of 16, `weight_scale_2` and `input_scale` of 32 bits.
inline number_format modelopt_format(std::string_view algorithm) {
  if (algorithm == "FP8") return fp8_static;
  if (algorithm == "FP8_PER_CHANNEL_PER_TOKEN") return formats::fp8_channel;
  if (algorithm == "FP8_PB_WO" || algorithm == "FP8_BLOCK" || algorithm == "FP8_BLOCK_SCALES")
    return formats::fp8_block;
  if (algorithm == "NVFP4" || algorithm == "FP4") return formats::nvfp4;
  if (algorithm == "W4A16_NVFP4") return nvfp4_a16;
  if (algorithm == "MXFP8") return mxfp8;
  return {};
}
inline constexpr std::string_view modelopt_algorithms =
    "FP8, FP8_PB_WO, FP8_PER_CHANNEL_PER_TOKEN, MXFP8, NVFP4 or W4A16_NVFP4";

/// Refuses a group size that is not the format's; 0 stands for none.
inline void check_group_size(object_reader& q, const number_format& f) {
  const std::int64_t block = f.element_bits == 4 ? 16 : f == mxfp8 ? 32 : 128;
  if (const std::int64_t group = q.whole("group_size", block, 0); q.ok() && group != block && group != 0)
    refuse(q, "group_size",
           "is " + std::to_string(group) + "; expected " + std::to_string(block) + ", the blocks of " +
               std::string(f.name) + ".");
}

/// ModelOpt's groups repeat what quant_algo says; a group that says otherwise is refused.
inline void check_modelopt_groups(object_reader& q, const std::set<std::int64_t>& element_bits, bool all_linear) {
  for (const auto& group : q.nested("config_groups").items()) {
    constexpr error_words words{error_code::unknown_format, error_code::unknown_format};
    const std::string path = q.path_of("config_groups") + "." + detail::one_line(group.key());
    object_reader g(group.value(), path, words);
    object_reader w(g.nested("weights"), path + ".weights", words);
    const std::int64_t bits = w.required_whole("num_bits", 1, 32);
    if (w.ok() && element_bits.count(bits) == 0)
      refuse(
          w, "num_bits",
          "is " + std::to_string(bits) + "; expected the " + std::to_string(*element_bits.begin()) + " of quant_algo.");
    const std::int64_t block = bits == 4 ? 16 : 32;
    if (w.whole("group_size", block, 1) != block)
      refuse(w, "group_size",
             "is " + detail::shown(*w.find("group_size")) + "; expected " + std::to_string(block) + ".");
    read_word(w, "type", {"float"});
    read_word(w, "strategy", {"channel"});
    read_switch(w, "dynamic", false, "weights that are scaled on the fly are not stored so");
    static_activations(g);
    const json* targets = g.find("targets");
    if (all_linear && targets != nullptr && *targets != json::array({"Linear"}))
      refuse(g, "targets", "is not [\"Linear\"]; expected one format for all linear layers.");
    refuse_unread(w, "weights");
    refuse_unread(g, "a group");
    if (!w.ok()) q.fail(w.problem());
    if (!g.ok()) q.fail(g.problem());
  }
}

/// Mixed precision: a map of all quantised modules, or groups of them. Any module that neither names stays as it is.
inline void read_modelopt_mixed(object_reader& q, file_rules& rules) {
  const json* map = q.find("quantized_layers");
  if (map == nullptr && q.has("config_groups")) return read_groups(q, rules, {});
  if (map == nullptr)
    return refuse(q, "quant_algo",
                  "is \"MIXED_PRECISION\" without quantized_layers; expected the object of all quantised modules, as "
                  "hf_quant_config.json has it.");
  if (!map->is_object() || map->empty())
    return refuse(q, "quantized_layers",
                  "is " + detail::shown(*map) + "; expected the whole object of modules and their quant_algo.");
  rules.formats_key = "quantized_layers";
  std::set<std::int64_t> element_bits;
  for (const auto& entry : map->items()) {
    object_reader e(entry.value(), q.path_of("quantized_layers") + "." + detail::one_line(entry.key()),
                    {error_code::unknown_format, error_code::unknown_format});
    const std::string algorithm = e.text("quant_algo");
    const number_format f = modelopt_format(algorithm);
    if (e.ok() && f.name.empty())
      refuse(e, "quant_algo",
             "is " + detail::in_quotes(algorithm) + "; expected " + std::string(modelopt_algorithms) + ".");
    if (e.ok()) check_group_size(e, f);
    refuse_unread(e, "a module");
    if (!e.ok()) return q.fail(e.problem());
    if (!take_entry(q, "quantized_layers", rules.formats.in(rules.formats.number_of(f)), entry.key())) return;
    element_bits.insert(f.element_bits);
  }
  check_modelopt_groups(q, element_bits, false);
}

/// ModelOpt, whose part stands in `q` itself or, in older files, inside `quantization`.
inline void read_modelopt(object_reader& q, std::string algorithm, file_rules& rules, transformer& m) {
  read_exclusions(q, rules);
  if (algorithm == "MIXED_PRECISION") {
    read_modelopt_mixed(q, rules);
    // Of the file as a whole; each module says its own.
    if (const std::int64_t group = q.whole("group_size", 16, 0); q.ok() && group != 16 && group != 0)
      refuse(q, "group_size", "is " + std::to_string(group) + "; expected 16.");
  } else {
    const number_format f = modelopt_format(algorithm);
    if (f.name.empty())
      refuse(q, "quant_algo",
             "is " + detail::in_quotes(algorithm) + "; expected " + std::string(modelopt_algorithms) +
                 ", or MIXED_PRECISION with quantized_layers.");
    if (q.ok()) check_group_size(q, f);
    rules.formats.take_rest(rules.formats.number_of(f));
    if (q.ok()) check_modelopt_groups(q, {f.element_bits}, true);
  }
  const std::string cache = q.text("kv_cache_quant_algo");
  if (cache == "FP8")
    m.cache = formats::fp8;
  else if (cache == "NVFP4")
    m.cache = formats::nvfp4;
  else if (!cache.empty())
    refuse(q, "kv_cache_quant_algo", "is " + detail::in_quotes(cache) + "; expected FP8 or NVFP4.");
  if (cache.empty()) read_cache_scheme(q, m);
}

/// compressed-tensors.
inline void read_compressed_tensors(object_reader& q, file_rules& rules, transformer& m) {
  read_exclusions(q, rules);
  if (const json* sparsity = q.find("sparsity_config"); sparsity != nullptr && sparsity->is_object() &&
                                                        !sparsity->empty() &&
                                                        sparsity->value("format", json("dense")) != json("dense"))
    refuse(q, "sparsity_config", "stores sparse weights; expected dense ones.");
  read_word(q, "format",
            {"dense", "naive-quantized", "float-quantized", "int-quantized", "pack-quantized", "nvfp4-pack-quantized",
             "mxfp4-pack-quantized", "mxfp8-quantized", "mixed-precision"});
  if (q.ok()) read_groups(q, rules, q.text("format"));
  read_cache_scheme(q, m);
  for (std::string_view key : {"version", "provider"}) q.text(key);
}

/// Experts in a format of their own beside fp8, as ModelOpt writes it into a file of the method "fp8". Its `ignore`
/// says what stays in fp8. Returns whether the file has it.
inline bool read_expert_algorithm(object_reader& q, number_format& experts) {
  const std::string algorithm = q.text("moe_quant_algo");
  if (algorithm.empty()) return false;
  if (algorithm == "NVFP4")
    experts = formats::nvfp4;
  else
    refuse(q, "moe_quant_algo", "is " + detail::in_quotes(algorithm) + "; expected NVFP4.");
  read_word(q, "quant_algo", {"mixed_precision"});
  if (const std::int64_t group = q.whole("group_size", 16, 1); group != 16)
    refuse(q, "group_size", "is " + std::to_string(group) + "; expected 16.");
  if (!q.text("kv_cache_quant_algo").empty())
    refuse(q, "kv_cache_quant_algo", "is given beside moe_quant_algo; expected null.");
  check_modelopt_groups(q, {formats::nvfp4.element_bits}, true);
  for (std::string_view key : {"ignore", "quantized_layers"}) q.find(key);
  return true;
}

}  // namespace ullage::inline v0::io::hf::detail_quantization
