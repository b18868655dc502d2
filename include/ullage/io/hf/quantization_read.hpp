// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <ullage/io/hf/keys.hpp>
#include <ullage/io/hf/module_formats.hpp>
#include <ullage/io/hf/quantization_formats.hpp>
#include <ullage/model/transformer.hpp>

// What the methods of quantisation share: keys that change no bytes, lists of modules, caches.
namespace ullage::inline v0::io::hf::detail_quantization {

inline void refuse(object_reader& q, std::string_view key, const std::string& rest) {
  q.fail_at(key, error_code::unknown_format, rest);
}

/// Keys of published checkpoints that change no bytes: how a tool calibrated, which kernel it had in mind, who wrote
/// the file. Any other key that no method reads is refused.
// clang-format off
inline constexpr std::array<std::string_view, 51> irrelevant{
    "act_group_aware", "activation_scheme", "amp", "autoround_version", "backend", "batch_size",
    "block_name_to_quantize", "cache_block_outputs", "damp_auto_increment", "damp_percent", "dataset", "desc_act",
    "disable_exllama", "do_fuse", "enable_minmax_tuning", "enable_norm_bias_tuning", "enable_quanted_input",
    "exllama_config", "fuse_max_seq_len", "global_compression_ratio", "gradient_accumulate_steps", "iters",
    "low_cpu_mem_usage", "low_gpu_mem_usage", "lr", "lr_scheduler", "max_input_length", "meta", "minmax_lr",
    "model_file_base_name", "model_name_or_path", "model_seqlen", "module_name_preceding_first_block",
    "modules_to_fuse", "mse", "not_use_best_mse", "nsamples", "observer", "observer_kwargs", "pad_token_id",
    "producer", "quantization_status", "sampler", "seed", "seqlen", "static_groups", "sym",
    "tokenizer", "true_sequential", "use_cuda_fp16", "use_exllama"};
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

/// The rules of a file, and the keys that they come from.
struct file_rules {
  format_rules formats{};
  std::string left_out_key{};
  std::string formats_key{};
};

/// One entry of a list or a map of modules that have a format of their own. A text about entries that are missing is no
/// module.
inline bool take_entry(object_reader& q, std::string_view key, module_list& list, std::string_view entry) {
  if (entry.empty() || entry.find(' ') != std::string_view::npos || !list.add(entry)) {
    refuse(q, key,
           "names " + detail::in_quotes(entry) +
               ", which is no module: is it cut short? Expected names, wildcards or simple expressions, all of them.");
    return false;
  }
  return true;
}

/// Modules left out, under the names that the methods have for that list; they keep the model's own type.
inline void read_exclusions(object_reader& q, file_rules& rules) {
  for (std::string_view key :
       {"modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers", "llm_int8_skip_modules", "exclude"}) {
    const json* list = q.find(key);
    if (list == nullptr) continue;
    rules.left_out_key = key;
    if (!list->is_array()) return refuse(q, key, "is " + detail::shown(*list) + "; expected a list of modules.");
    for (const json& entry : *list)
      if (!entry.is_string() || !rules.formats.left_out().add(entry.get_ref<const std::string&>()))
        return refuse(q, key,
                      "leaves out " + detail::shown(entry) + "; expected names, wildcards or simple expressions.");
  }
}

/// Gives the tensors their formats; what is wrong is left in `q`.
inline void apply_rules(object_reader& q, file_rules& rules, transformer& m, const number_format& kept) {
  if (!q.ok()) return;
  const std::string_view key = !rules.formats_key.empty() ? rules.formats_key : rules.left_out_key;
  if (const std::string wrong = rules.formats.apply(m, kept); !wrong.empty())
    refuse(q, key.empty() ? "quant_method" : key, wrong + ".");
  else if (const std::string* odd = rules.formats.odd(); odd != nullptr)
    refuse(q, rules.left_out_key.empty() ? key : std::string_view(rules.left_out_key),
           "leaves out " + detail::in_quotes(*odd) + "; expected modules of this model.");
}

}  // namespace ullage::inline v0::io::hf::detail_quantization
