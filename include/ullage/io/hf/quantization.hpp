// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/keys.hpp>
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

/// group −1 = one group a row. A format without name when the sizes are not in the table.
inline number_format integer_format(std::int64_t bits, std::int64_t group, bool zero_point) {
  for (const number_format& f : integer_formats)
    if (f.element_bits == bits && f.block_cols == (group < 0 ? std::int64_t{1} << 30 : group) &&
        (f.zero_bits > 0) == zero_point)
      return f;
  return {};
}

/// Whether a list of modules left out of quantisation names only what no scheme of ours quantises (embeddings, norms,
/// router, head). `head_kept` becomes true where it names the head. Returns the first other entry, or null.
inline const json* odd_exclusion(const json& list, bool& head_kept) {
  if (!list.is_array()) return &list;
  for (const json& entry : list) {
    if (!entry.is_string()) return &entry;
    std::string_view s = entry.get_ref<const std::string&>();
    if (s.find(' ') != std::string_view::npos) continue;  // no module has such a name: it leaves nothing out
    while (!s.empty() && (s.back() == '*' || s.back() == '$' || s.back() == '.')) s.remove_suffix(1);
    if (s.ends_with(".weight")) s.remove_suffix(7);
    if (s.ends_with("lm_head")) {
      head_kept = true;
      continue;
    }
    constexpr std::array<std::string_view, 8> harmless{
        "norm", "layernorm", "mlp.gate", "block_sparse_moe.gate", "mlp\\.gate", "embed_tokens", "router", "eh_proj"};
    if (std::none_of(harmless.begin(), harmless.end(), [&](std::string_view h) { return s.ends_with(h); }))
      return &entry;
  }
  return nullptr;
}

namespace detail_quantization {

inline void refuse(object_reader& q, std::string_view key, const std::string& rest) {
  q.fail_at(key, error_code::unknown_format, rest);
}

/// Modules left out: `keys` are the names under which the methods keep that list.
inline bool read_exclusions(object_reader& q) {
  bool head_kept = false;
  for (std::string_view key : {"modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers"}) {
    const json* list = q.find(key);
    if (list == nullptr) continue;
    if (const json* odd = odd_exclusion(*list, head_kept); odd != nullptr)
      refuse(q, key,
             "leaves out " + detail::shown(*odd) +
                 "; expected only embeddings, norms, router and head: a format a layer is not modelled yet.");
  }
  return head_kept;
}

/// The format of the `weights` of one group of compressed-tensors.
inline number_format group_format(object_reader& q, const json& group, const std::string& path) {
  object_reader g(group, path, {error_code::unknown_format, error_code::unknown_format});
  object_reader w(g.nested("weights"), path + ".weights", {error_code::unknown_format, error_code::unknown_format});
  const std::int64_t bits = w.required_whole("num_bits", 1, 32);
  const std::string type = w.text("type");
  const std::string strategy = w.text("strategy", "tensor");
  const std::int64_t size = w.whole("group_size", -1, -1);
  const bool symmetric = w.flag("symmetric", true);
  number_format f;
  if (type == "float" && bits == 8) {
    if (strategy == "tensor") {
      object_reader in(g.nested("input_activations"), path + ".input_activations");
      f = in.object().empty() || in.flag("dynamic", false) ? formats::fp8 : fp8_static;
    }
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
  if (!w.ok()) q.fail(w.problem());
  if (!g.ok()) q.fail(g.problem());
  if (f.name.empty())
    q.fail(error_code::unknown_format, path + ".weights",
           path + ".weights is " + type + " of " + std::to_string(bits) + " bits by " + strategy +
               (size > 0 ? " of " + std::to_string(size) : std::string()) +
               "; expected fp8 by tensor, channel or 128x128 block, int8 by channel, int4 in groups, nvfp4 or mxfp4.");
  return f;
}

}  // namespace detail_quantization

/// Applies a `quantization_config` to the formats of a model stored in `kept` otherwise; mistakes are left in `q`.
inline void apply_quantization(object_reader& q, transformer& m, const number_format& kept) {
  using detail_quantization::refuse;
  number_format f;
  bool quantized_head = false;
  std::string method = q.text("quant_method");
  // ModelOpt writes its algorithm, in older files inside `quantization` and without a method.
  const json& inner = q.nested("quantization");
  object_reader modelopt(inner.empty() ? q.object() : inner, inner.empty() ? q.path() : q.path_of("quantization"));
  std::string algorithm = modelopt.text("quant_algo");
  if (method.empty() && algorithm.empty()) {
    q.missing("quant_method", "the name of a method: fp8, compressed-tensors, modelopt, awq, gptq, mxfp4");
    return;
  }
  if (method.empty() || method == "modelopt" || method == "modelopt_fp4" || method == "nvfp4") {
    bool head_kept = false;
    for (std::string_view key : {"exclude_modules", "ignore"})
      if (const json* list = modelopt.find(key); list != nullptr)
        if (const json* odd = odd_exclusion(*list, head_kept); odd != nullptr)
          refuse(modelopt, key,
                 "leaves out " + detail::shown(*odd) +
                     "; expected only embeddings, norms, router and head: a format a layer is not modelled yet.");
    if (algorithm.empty() && method != "modelopt") algorithm = "NVFP4";
    if (algorithm == "FP8")
      f = fp8_static;
    else if (algorithm == "FP8_PB_WO" || algorithm == "FP8_BLOCK")
      f = formats::fp8_block;
    else if (algorithm == "NVFP4" || algorithm == "FP4")
      f = formats::nvfp4;
    else
      refuse(modelopt, "quant_algo", "is \"" + algorithm.substr(0, 40) + "\"; expected FP8, FP8_PB_WO or NVFP4.");
    const std::string cache = modelopt.text("kv_cache_quant_algo");
    if (cache == "FP8" || modelopt.has("kv_cache_scheme"))
      m.cache = formats::fp8;
    else if (cache == "NVFP4")
      m.cache = formats::nvfp4;
    else if (!cache.empty())
      refuse(modelopt, "kv_cache_quant_algo", "is \"" + cache.substr(0, 40) + "\"; expected FP8 or NVFP4.");
    if (!modelopt.ok()) q.fail(modelopt.problem());
  } else if (method == "fp8") {
    detail_quantization::read_exclusions(q);
    if (const json* block = q.find("weight_block_size"); block != nullptr) {
      if (*block == json::array({128, 128}))
        f = formats::fp8_block;
      else
        refuse(q, "weight_block_size", "is " + block->dump().substr(0, 60) + "; expected [128, 128].");
    } else {
      f = q.text("activation_scheme", "dynamic") == "static" ? fp8_static : formats::fp8;
    }
    if (q.has("kv_cache_scheme")) m.cache = formats::fp8;
  } else if (method == "compressed-tensors") {
    const bool head_kept = detail_quantization::read_exclusions(q);
    if (const json* sparsity = q.find("sparsity_config"); sparsity != nullptr && sparsity->is_object() &&
                                                          !sparsity->empty() &&
                                                          sparsity->value("format", json("dense")) != json("dense"))
      refuse(q, "sparsity_config", "stores sparse weights; expected dense ones.");
    const json& groups = q.nested("config_groups");
    if (groups.empty()) q.missing("config_groups", "an object of groups");
    for (const auto& group : groups.items()) {
      const number_format g =
          detail_quantization::group_format(q, group.value(), q.path_of("config_groups." + group.key().substr(0, 40)));
      const json* targets =
          group.value().is_object() && group.value().contains("targets") ? &group.value()["targets"] : nullptr;
      if (targets != nullptr && *targets != json::array({"Linear"}))
        refuse(q, "config_groups." + group.key().substr(0, 40) + ".targets",
               "is not [\"Linear\"]; expected one format for all linear layers.");
      if (!f.name.empty() && !(f == g))
        refuse(q, "config_groups", "has groups of different formats; expected one format for all linear layers.");
      f = g;
    }
    quantized_head = !head_kept;
    if (q.has("kv_cache_scheme")) m.cache = formats::fp8;
  } else if (method == "awq" || method == "gptq") {
    detail_quantization::read_exclusions(q);
    const std::int64_t bits = q.required_whole("bits", 1, 64);
    const std::int64_t group = q.whole("group_size", 128, -1, most_elements);
    quantized_head = q.flag("lm_head", false);
    for (std::string_view key : {"dynamic", "modules_in_block_to_quantize"})
      if (const json* v = q.find(key); v != nullptr && !v->empty())
        refuse(q, key, "gives some layers a format of their own; expected one format for all.");
    f = integer_format(bits, group, true);
    if (f.name.empty())
      refuse(q, "bits",
             "is " + std::to_string(bits) + " with group_size " + std::to_string(group) +
                 "; expected 4 bits in groups of 32, 64, 128, 256 or -1, or 8 bits in groups of 32, 64, 128 or -1.");
  } else if (method == "mxfp4") {
    detail_quantization::read_exclusions(q);
    f = formats::mxfp4;
  } else {
    refuse(q, "quant_method",
           "is \"" + method.substr(0, 40) +
               "\", whose sizes are not known; expected fp8, compressed-tensors, modelopt, awq, gptq or mxfp4.");
  }
  if (!q.ok()) return;
  m.stored = quantized_linears(f, kept);
  if (quantized_head) m.stored.head = f;
}

}  // namespace ullage::inline v0::io::hf
