// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <ullage/io/hf/quantization_groups.hpp>
#include <ullage/io/hf/quantization_integers.hpp>
#include <ullage/io/hf/quantization_quark.hpp>

// `quantization_config` of a checkpoint → number formats of its tensors.
namespace ullage::inline v0::io::hf {

namespace detail_quantization {

/// fp8 as transformers, vLLM and DeepSeek write it.
inline void read_fp8(object_reader& q, file_rules& rules, transformer& m) {
  number_format f;
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
  rules.formats.take_rest(rules.formats.number_of(f));
  read_cache_scheme(q, m);
  read_switch(q, "dequantize", false, "a checkpoint that is widened as it is loaded is not modelled");
  read_word(q, "fmt", {"e4m3", "e5m2", "float8_e4m3fn", "float8_e5m2"});
  read_word(q, "scale_fmt", {"ue8m0", "float"});  // rounded so, stored as fp32
  read_word(q, "expert_dtype", {"fp8"});
}

/// Refuses a method whose stored bytes do not follow from its keys, each with the reason.
inline void refuse_method(object_reader& q, const std::string& method) {
  std::string why = "whose sizes are not known";
  if (method == "exl2" || method == "exl3")
    why = "whose bits are an average over matrices, so that its bytes do not follow";
  for (std::string_view m : {"torchao", "hqq", "quanto", "eetq", "higgs"})
    if (method == m)
      why =
          "which often quantises 16-bit files as they are loaded and otherwise stores layouts of its own, and the "
          "config does not say which";
  refuse(q, "quant_method",
         "is " + detail::in_quotes(method) + ", " + why +
             "; expected fp8, fbgemm_fp8, compressed-tensors, modelopt, quark, awq, gptq, auto-round, bitsandbytes or "
             "mxfp4, or no quantization_config and the file's size as model.stored_bytes or its .safetensors.");
}

}  // namespace detail_quantization

/// Applies a `quantization_config` to the formats of a model stored in `kept` otherwise; mistakes are left in `q`.
inline void apply_quantization(object_reader& q, transformer& m, const number_format& kept) {
  using namespace detail_quantization;
  file_rules rules;
  number_format experts;  // where they have a format of their own
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
  const auto all = [&](const number_format& f) { rules.formats.take_rest(rules.formats.number_of(f)); };
  if (method.empty() || method == "modelopt" || method == "modelopt_fp4" || method == "nvfp4") {
    if (algorithm.empty() && method != "modelopt") algorithm = "NVFP4";
    for (std::string_view key : {"quant_method", "quantization"})
      modelopt.find(key);  // the two may stand on one object
    read_modelopt(modelopt, algorithm, rules, m);
    refuse_unread(modelopt, "ModelOpt");
    apply_rules(modelopt, rules, m, kept);
    if (!modelopt.ok()) return q.fail(modelopt.problem());
    if (!inner.empty()) refuse_unread(q, "ModelOpt");
    return;
  }
  if (method == "fp8") {
    if (!read_expert_algorithm(q, experts)) read_exclusions(q, rules);
    read_fp8(q, rules, m);
  } else if (method == "compressed-tensors") {
    read_compressed_tensors(q, rules, m);
  } else if (method == "quark") {
    read_quark(q, rules, m);
  } else if (method == "awq") {
    read_awq(q, rules);
  } else if (method == "gptq") {
    read_gptq(q, rules);
  } else if (method == "auto-round" || method == "intel/auto-round") {
    read_auto_round(q, rules, m);
  } else if (method == "mxfp4") {
    read_exclusions(q, rules);
    all(formats::mxfp4);
  } else if (method == "fbgemm_fp8") {
    read_exclusions(q, rules);
    q.find("activation_scale_ub");
    all(formats::fp8_channel);
  } else if (method == "bitsandbytes") {
    read_exclusions(q, rules);
    all(read_bitsandbytes(q));
  } else if (method == "mlx") {
    read_mlx(q, rules, m);
  } else {
    refuse_method(q, method);
  }
  refuse_unread(q, method);
  apply_rules(q, rules, m, kept);
  if (q.ok() && !experts.name.empty()) m.stored.experts = experts;
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
