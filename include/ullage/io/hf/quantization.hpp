// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <ullage/io/hf/keys.hpp>
#include <ullage/io/hf/modules.hpp>
#include <ullage/model/transformer.hpp>
#include <vector>

// `quantization_config` of a checkpoint → number formats of its tensors.
namespace ullage::inline v0::io::hf {

/// Weight-only integers: groups of inputs with a 16-bit scale, with or without a zero point of the element's width.
inline constexpr std::array<number_format, 14> integer_formats{{
    formats::int4,
    {"int4_g32", 4, 1, 32, 16, 4, 0, math::bf16},
    {"int4_g64", 4, 1, 64, 16, 4, 0, math::bf16},
    {"int4_g256", 4, 1, 256, 16, 4, 0, math::bf16},
    {"int4_channel", 4, 1, 1 << 30, 16, 4, 0, math::bf16},
    {"int4_g32_sym", 4, 1, 32, 16, 0, 0, math::bf16},
    {"int4_g64_sym", 4, 1, 64, 16, 0, 0, math::bf16},
    {"int4_g128_sym", 4, 1, 128, 16, 0, 0, math::bf16},
    {"int4_channel_sym", 4, 1, 1 << 30, 16, 0, 0, math::bf16},
    {"int8_g32", 8, 1, 32, 16, 8, 0, math::bf16},
    {"int8_g64", 8, 1, 64, 16, 8, 0, math::bf16},
    {"int8_g128", 8, 1, 128, 16, 8, 0, math::bf16},
    {"int8_g128_sym", 8, 1, 128, 16, 0, 0, math::bf16},
    {"int8_channel", 8, 1, 1 << 30, 16, 8, 0, math::bf16},
}};
/// fp8 with one scale for the weights and one for the input.
inline constexpr number_format fp8_static{"fp8_static", 8, 0, 0, 0, 0, 8, math::fp8};

/// bitsandbytes: blocks of 64 with a 32-bit scale, or an 8-bit one where the scales are quantised too; each tensor has
/// its table of 16 values and a description of about 80 bytes, and then the table of its scales. The scales of scales,
/// one for 256 blocks, are left out: 0.05 % of the tensor.
inline constexpr number_format bnb4{"bnb4", 4, 1, 64, 32, 0, 144, math::bf16};
inline constexpr number_format bnb4_double{"bnb4_double", 4, 1, 64, 8, 0, 1172, math::bf16};

/// MLX, "affine": groups of inputs with a scale and an offset of 16 bits each.
inline constexpr std::array<number_format, 18> mlx_formats{{
    {"mlx2_g32", 2, 1, 32, 16, 16, 0, math::bf16},
    {"mlx2_g64", 2, 1, 64, 16, 16, 0, math::bf16},
    {"mlx2_g128", 2, 1, 128, 16, 16, 0, math::bf16},
    {"mlx3_g32", 3, 1, 32, 16, 16, 0, math::bf16},
    {"mlx3_g64", 3, 1, 64, 16, 16, 0, math::bf16},
    {"mlx3_g128", 3, 1, 128, 16, 16, 0, math::bf16},
    {"mlx4_g32", 4, 1, 32, 16, 16, 0, math::bf16},
    {"mlx4_g64", 4, 1, 64, 16, 16, 0, math::bf16},
    {"mlx4_g128", 4, 1, 128, 16, 16, 0, math::bf16},
    {"mlx5_g32", 5, 1, 32, 16, 16, 0, math::bf16},
    {"mlx5_g64", 5, 1, 64, 16, 16, 0, math::bf16},
    {"mlx5_g128", 5, 1, 128, 16, 16, 0, math::bf16},
    {"mlx6_g32", 6, 1, 32, 16, 16, 0, math::bf16},
    {"mlx6_g64", 6, 1, 64, 16, 16, 0, math::bf16},
    {"mlx6_g128", 6, 1, 128, 16, 16, 0, math::bf16},
    {"mlx8_g32", 8, 1, 32, 16, 16, 0, math::bf16},
    {"mlx8_g64", 8, 1, 64, 16, 16, 0, math::bf16},
    {"mlx8_g128", 8, 1, 128, 16, 16, 0, math::bf16},
}};

/// group −1 = one group a row. A format without name when the sizes are not in the table.
inline number_format integer_format(std::int64_t bits, std::int64_t group, bool zero_point) {
  for (const number_format& f : integer_formats)
    if (f.element_bits == bits && f.block_cols == (group < 0 ? std::int64_t{1} << 30 : group) &&
        (f.zero_bits > 0) == zero_point)
      return f;
  return {};
}

namespace detail_quantization {

inline void refuse(object_reader& q, std::string_view key, const std::string& rest) {
  q.fail_at(key, error_code::unknown_format, rest);
}

/// Keys of published checkpoints that change no bytes: how a tool calibrated, which kernel it had in mind, who wrote
/// the file. Any other key that no method reads is refused.
// clang-format off
inline constexpr std::array<std::string_view, 33> irrelevant{
    "activation_scheme", "backend", "batch_size", "block_name_to_quantize", "cache_block_outputs",
    "damp_auto_increment", "damp_percent", "dataset", "desc_act", "disable_exllama", "do_fuse", "exllama_config",
    "fuse_max_seq_len", "global_compression_ratio", "max_input_length", "meta", "model_file_base_name",
    "model_name_or_path", "model_seqlen", "module_name_preceding_first_block", "modules_to_fuse", "mse", "observer",
    "observer_kwargs", "pad_token_id", "producer", "quantization_status", "static_groups", "sym", "tokenizer",
    "true_sequential", "use_cuda_fp16", "use_exllama"};
/// Of an activation's scheme, which holds no bytes of the checkpoint beyond its static scale.
inline constexpr std::array<std::string_view, 11> irrelevant_of_activations{
    "num_bits", "type", "symmetric", "strategy", "group_size", "block_structure", "actorder", "observer",
    "observer_kwargs", "scale_dtype", "zp_dtype"};
// clang-format on

/// Refuses the first key that nothing has read and no table lists.
inline void refuse_unread(object_reader& q, std::string_view what) {
  for (const auto& item : q.object().items()) {
    const json& v = item.value();
    if (q.was_read(item.key()) || v.is_null()) continue;
    if (std::find(irrelevant.begin(), irrelevant.end(), item.key()) != irrelevant.end()) continue;
    if ((v.is_object() || v.is_array()) && v.empty()) continue;
    q.fail_at(item.key(), error_code::unknown_field,
              "is " + detail::shown(v) + ", and no rule for " + std::string(what) +
                  " reads this key; expected known keys only, since it may change the bytes.");
    return;
  }
}

/// Refuses a text outside `known`, whatever its case; absent is fine.
inline void read_word(object_reader& q, std::string_view key, std::initializer_list<std::string_view> known) {
  std::string word = q.text(key);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (!q.ok() || word.empty() || std::find(known.begin(), known.end(), word) != known.end()) return;
  std::string list;
  for (std::string_view k : known) list += (list.empty() ? "" : ", ") + std::string(k);
  refuse(q, key, "is " + detail::in_quotes(word) + ", whose bytes are not known; expected " + list + ".");
}
/// Refuses a switch that is not as expected; absent is fine.
inline void read_switch(object_reader& q, std::string_view key, bool expected, std::string_view why) {
  if (q.flag(key, expected) != expected)
    refuse(q, key,
           std::string(expected ? "is false; expected true: " : "is true; expected false: ") + std::string(why) + ".");
}

/// What a checkpoint asks for its cache: 8-bit floats, or nothing.
inline void read_cache_scheme(object_reader& q, transformer& m) {
  const json* v = q.find("kv_cache_scheme");
  if (v == nullptr) return;
  bool fp8 = false;
  if (v->is_string()) {
    const std::string& word = v->get_ref<const std::string&>();
    fp8 = word == "static" || word == "dynamic" || word == "FP8" || word == "fp8";
  } else if (v->is_object()) {
    fp8 = v->value("num_bits", json(8)) == json(8) && v->value("type", json("float")) == json("float");
  }
  if (fp8)
    m.cache = formats::fp8;
  else
    refuse(q, "kv_cache_scheme", "is " + detail::shown(*v) + ", which is not 8-bit floats; expected FP8 or null.");
}

/// One format for all linear layers, or a refusal.
inline void check_targets(object_reader& g) {
  const json* targets = g.find("targets");
  if (targets != nullptr && *targets != json::array({"Linear"}))
    refuse(g, "targets", "is not [\"Linear\"]; expected one format for all linear layers.");
}

/// Modules left out, under the names that the methods have for that list; they keep the model's own type. Returns
/// whether the head is among them.
inline bool read_exclusions(object_reader& q, transformer& m) {
  bool head_kept = false;
  for (std::string_view key :
       {"modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers", "llm_int8_skip_modules"}) {
    const json* list = q.find(key);
    if (list == nullptr) continue;
    excluded_modules modules;
    if (!list->is_array()) refuse(q, key, "is " + detail::shown(*list) + "; expected a list of modules.");
    for (const json& entry : *list)
      if (!entry.is_string() || !modules.add(entry.get_ref<const std::string&>()))
        refuse(q, key, "leaves out " + detail::shown(entry) + "; expected names, wildcards or simple expressions.");
    if (!q.ok()) return head_kept;
    exclusion left_out(m, modules);
    if (const std::string wrong = left_out.apply(); !wrong.empty()) refuse(q, key, wrong + ".");
    if (const std::string* odd = modules.odd(); odd != nullptr)
      refuse(q, key, "leaves out " + detail::in_quotes(*odd) + "; expected modules of this model.");
    head_kept = head_kept || left_out.leaves_head_out();
  }
  return head_kept;
}

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

/// The format of the `weights` of one group of compressed-tensors.
inline number_format group_format(object_reader& q, const json& group, const std::string& path) {
  constexpr error_words words{error_code::unknown_format, error_code::unknown_format};
  object_reader g(group, path, words);
  object_reader w(g.nested("weights"), path + ".weights", words);
  const std::int64_t bits = w.required_whole("num_bits", 1, 32);
  const std::string type = w.text("type");
  const std::string strategy = w.text("strategy", "tensor");
  const std::int64_t size = w.whole("group_size", -1, -1);
  const bool symmetric = w.flag("symmetric", true);
  const bool scaled = static_activations(g);
  check_targets(g);
  read_word(g, "format",
            {"dense", "naive-quantized", "float-quantized", "int-quantized", "pack-quantized", "nvfp4-pack-quantized",
             "mxfp4-pack-quantized"});
  read_switch(w, "dynamic", false, "weights that are scaled on the fly are not stored so");
  read_word(w, "actorder", {"static", "weight"});  // "group" stores an index for every input
  number_format f;
  if (type == "float" && bits == 8) {
    if (strategy == "tensor") f = scaled ? fp8_static : formats::fp8;
    if (strategy == "channel") f = formats::fp8_channel;
    if (strategy == "block") {
      const json* block = w.find("block_structure");
      if (block != nullptr && *block == json::array({128, 128})) f = formats::fp8_block;
    }
  } else if (type == "float" && bits == 4) {
    if (size == 16) f = formats::nvfp4;
    if (size == 32) f = formats::mxfp4;
  } else if (type == "int" && bits == 8 && strategy == "channel" && g.has("input_activations")) {
    f = formats::int8;
  } else if (type == "int") {
    f = integer_format(bits, strategy == "channel" ? -1 : size, !symmetric);
  }
  if (symmetric) w.find("zp_dtype");
  if (f == formats::mxfp4) read_word(w, "scale_dtype", {"torch.uint8", "uint8"});
  if (f == formats::nvfp4) read_word(w, "scale_dtype", {"torch.float8_e4m3fn", "float8_e4m3fn"});
  if (g.has("output_activations")) refuse(g, "output_activations", "is given, which is not modelled; expected null.");
  if (f.name.empty() && w.ok() && g.ok())
    g.fail(error_code::unknown_format, path + ".weights",
           path + ".weights is " + detail::in_quotes(type) + " of " + std::to_string(bits) + " bits by " +
               detail::in_quotes(strategy) + (size > 0 ? " of " + std::to_string(size) : std::string()) +
               "; expected fp8 by tensor, channel or 128x128 block, int8 by channel, int4 in groups, nvfp4 or mxfp4.");
  w.find("block_structure");
  refuse_unread(w, "weights");
  refuse_unread(g, "a group");
  if (!w.ok()) q.fail(w.problem());
  if (!g.ok()) q.fail(g.problem());
  return f;
}

/// ModelOpt's groups repeat what quant_algo says; a group that says otherwise is refused.
inline void check_modelopt_groups(object_reader& q, const number_format& f) {
  for (const auto& group : q.nested("config_groups").items()) {
    constexpr error_words words{error_code::unknown_format, error_code::unknown_format};
    const std::string path = q.path_of("config_groups") + "." + detail::one_line(group.key());
    object_reader g(group.value(), path, words);
    object_reader w(g.nested("weights"), path + ".weights", words);
    const std::int64_t bits = w.required_whole("num_bits", 1, 32);
    if (bits != f.element_bits)
      refuse(w, "num_bits",
             "is " + std::to_string(bits) + "; expected the " + std::to_string(f.element_bits) + " of quant_algo.");
    if (f == formats::nvfp4 && w.whole("group_size", 16, 1) != 16)
      refuse(w, "group_size", "is " + detail::shown(*w.find("group_size")) + "; expected 16.");
    read_word(w, "type", {"float"});
    read_switch(w, "dynamic", false, "weights that are scaled on the fly are not stored so");
    static_activations(g);
    check_targets(g);
    refuse_unread(w, "weights");
    refuse_unread(g, "a group");
    if (!w.ok()) q.fail(w.problem());
    if (!g.ok()) q.fail(g.problem());
  }
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

/// MLX quantises every matrix, embedding, head and router too.
inline number_format read_mlx(object_reader& q, transformer& m) {
  const std::int64_t bits = q.required_whole("bits", 1, 64);
  const std::int64_t group = q.required_whole("group_size", 1, most_elements);
  read_word(q, "mode", {"affine"});
  for (tensor_family& f : m.families)
    if ((f.belongs_to == part::embedding || f.belongs_to == part::router) && f.rows > 1 && f.cols > 1)
      f.stored_as = precision::linear;
  for (const number_format& f : mlx_formats)
    if (f.element_bits == bits && f.block_cols == group) return f;
  refuse(q, "bits",
         "is " + std::to_string(bits) + " with group_size " + std::to_string(group) +
             "; expected 2, 3, 4, 5, 6 or 8 bits in groups of 32, 64 or 128.");
  return {};
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
  check_modelopt_groups(q, formats::nvfp4);
  for (std::string_view key : {"ignore", "quantized_layers"}) q.find(key);
  return true;
}

}  // namespace detail_quantization

/// Applies a `quantization_config` to the formats of a model stored in `kept` otherwise; mistakes are left in `q`.
inline void apply_quantization(object_reader& q, transformer& m, const number_format& kept) {
  using detail_quantization::refuse;
  number_format f;
  number_format experts;  // where they have a format of their own
  bool quantized_head = false;
  std::string method = q.text("quant_method");
  // ModelOpt writes its algorithm, in older files inside `quantization` and without a method.
  const json& inner = q.nested("quantization");
  object_reader modelopt(inner.empty() ? q.object() : inner, inner.empty() ? q.path() : q.path_of("quantization"));
  std::string algorithm = modelopt.text("quant_algo");
  if (method.empty() && algorithm.empty() && q.has("bits") && q.has("group_size")) method = "mlx";
  if (method.empty() && algorithm.empty()) {
    q.missing("quant_method", "the name of a method: fp8, compressed-tensors, modelopt, awq, gptq, mxfp4");
    return;
  }
  if (method.empty() || method == "modelopt" || method == "modelopt_fp4" || method == "nvfp4") {
    detail_quantization::read_exclusions(modelopt, m);
    if (algorithm.empty() && method != "modelopt") algorithm = "NVFP4";
    if (algorithm == "FP8")
      f = fp8_static;
    else if (algorithm == "FP8_PB_WO" || algorithm == "FP8_BLOCK")
      f = formats::fp8_block;
    else if (algorithm == "NVFP4" || algorithm == "FP4")
      f = formats::nvfp4;
    else
      refuse(modelopt, "quant_algo", "is " + detail::in_quotes(algorithm) + "; expected FP8, FP8_PB_WO or NVFP4.");
    const std::int64_t block = f == formats::nvfp4 ? 16 : 128;
    if (const std::int64_t group = modelopt.whole("group_size", block, 0);
        modelopt.ok() && group != block && group != 0)
      refuse(modelopt, "group_size",
             "is " + std::to_string(group) + "; expected " + std::to_string(block) + ", the blocks of " +
                 std::string(f.name) + ".");
    const std::string cache = modelopt.text("kv_cache_quant_algo");
    if (cache == "FP8")
      m.cache = formats::fp8;
    else if (cache == "NVFP4")
      m.cache = formats::nvfp4;
    else if (!cache.empty())
      refuse(modelopt, "kv_cache_quant_algo", "is " + detail::in_quotes(cache) + "; expected FP8 or NVFP4.");
    if (cache.empty()) detail_quantization::read_cache_scheme(modelopt, m);
    if (modelopt.ok()) detail_quantization::check_modelopt_groups(modelopt, f);
    // The two readers may stand on one object.
    for (std::string_view key : {"quant_method", "quantization"}) modelopt.find(key);
    for (std::string_view key :
         {"quant_algo", "group_size", "kv_cache_quant_algo", "kv_cache_scheme", "config_groups", "exclude_modules",
          "ignore", "modules_to_not_convert", "ignored_layers", "llm_int8_skip_modules"})
      if (inner.empty()) q.find(key);
    detail_quantization::refuse_unread(modelopt, "ModelOpt");
    if (!modelopt.ok()) q.fail(modelopt.problem());
  } else if (method == "fp8") {
    if (!detail_quantization::read_expert_algorithm(q, experts)) detail_quantization::read_exclusions(q, m);
    if (const json* block = q.find("weight_block_size"); block != nullptr) {
      if (*block == json::array({128, 128}))
        f = formats::fp8_block;
      else
        refuse(q, "weight_block_size",
               "is " + detail::one_line(block->dump(-1, ' ', true, json::error_handler_t::replace)) +
                   "; expected [128, 128].");
    } else {
      f = q.text("activation_scheme", "dynamic") == "static" ? fp8_static : formats::fp8;
    }
    detail_quantization::read_cache_scheme(q, m);
    detail_quantization::read_switch(q, "dequantize", false,
                                     "a checkpoint that is widened as it is loaded is not modelled");
    detail_quantization::read_word(q, "fmt", {"e4m3", "e5m2", "float8_e4m3fn", "float8_e5m2"});
    detail_quantization::read_word(q, "scale_fmt", {"ue8m0"});  // rounded so, stored as fp32
  } else if (method == "compressed-tensors") {
    const bool head_kept = detail_quantization::read_exclusions(q, m);
    if (const json* sparsity = q.find("sparsity_config"); sparsity != nullptr && sparsity->is_object() &&
                                                          !sparsity->empty() &&
                                                          sparsity->value("format", json("dense")) != json("dense"))
      refuse(q, "sparsity_config", "stores sparse weights; expected dense ones.");
    const json& groups = q.nested("config_groups");
    if (groups.empty()) q.missing("config_groups", "an object of groups");
    for (const auto& group : groups.items()) {
      const number_format g = detail_quantization::group_format(
          q, group.value(), q.path_of("config_groups") + "." + detail::one_line(group.key()));
      if (!f.name.empty() && !(f == g))
        refuse(q, "config_groups", "has groups of different formats; expected one format for all linear layers.");
      f = g;
    }
    quantized_head = !head_kept;
    detail_quantization::read_cache_scheme(q, m);
    detail_quantization::read_word(q, "format",
                                   {"dense", "naive-quantized", "float-quantized", "int-quantized", "pack-quantized",
                                    "nvfp4-pack-quantized", "mxfp4-pack-quantized", "mixed-precision"});
    q.text("version");
  } else if (method == "awq" || method == "gptq") {
    detail_quantization::read_exclusions(q, m);
    const std::int64_t bits = q.required_whole("bits", 1, 64);
    const std::int64_t group = q.whole("group_size", 128, -1, most_elements);
    quantized_head = q.flag("lm_head", false);
    for (std::string_view key : {"dynamic", "modules_in_block_to_quantize"})
      if (const json* v = q.find(key); v != nullptr && !v->empty())
        refuse(q, key, "gives some layers a format of their own; expected one format for all.");
    if (method == "awq") {
      detail_quantization::read_switch(q, "zero_point", true, "whether the file then holds zero points is not known");
      detail_quantization::read_word(q, "version", {"gemm", "gemv"});
    } else {
      detail_quantization::read_word(q, "checkpoint_format", {"gptq", "gptq_v2"});
      detail_quantization::read_switch(q, "is_marlin_format", false, "that layout holds no zero points");
    }
    f = integer_format(bits, group, true);
    if (f.name.empty())
      refuse(q, "bits",
             "is " + std::to_string(bits) + " with group_size " + std::to_string(group) +
                 "; expected 4 bits in groups of 32, 64, 128, 256 or -1, or 8 bits in groups of 32, 64, 128 or -1.");
  } else if (method == "mxfp4") {
    detail_quantization::read_exclusions(q, m);
    f = formats::mxfp4;
  } else if (method == "fbgemm_fp8") {
    detail_quantization::read_exclusions(q, m);
    q.find("activation_scale_ub");
    f = formats::fp8_channel;
  } else if (method == "bitsandbytes") {
    detail_quantization::read_exclusions(q, m);
    f = detail_quantization::read_bitsandbytes(q);
  } else if (method == "mlx") {
    f = detail_quantization::read_mlx(q, m);
    quantized_head = true;
  } else {
    refuse(q, "quant_method",
           "is " + detail::in_quotes(method) +
               ", whose sizes are not known; expected fp8, fbgemm_fp8, compressed-tensors, modelopt, awq, gptq, "
               "bitsandbytes or mxfp4.");
  }
  detail_quantization::refuse_unread(q, method.empty() ? "ModelOpt" : method);
  if (!q.ok()) return;
  m.stored = quantized_linears(f, kept);
  if (quantized_head) m.stored.head = f;
  if (!experts.name.empty()) m.stored.experts = experts;
}

/// `expert_dtype` at the top of a config: routed experts in a format of their own (DeepSeek-V4).
inline void apply_expert_dtype(object_reader& r, transformer& m) {
  const std::string word = r.text("expert_dtype");
  if (word.empty() || m.stored.experts == formats::nvfp4) return;
  if (word == "fp4")
    m.stored.experts = formats::mxfp4;
  else if (word != "fp8")
    r.fail_at("expert_dtype", error_code::unknown_format, "is " + detail::in_quotes(word) + "; expected fp4 or fp8.");
}

}  // namespace ullage::inline v0::io::hf
