// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <ullage/io/hf/quantization.hpp>
#include <ullage/io/hf/registry.hpp>
#include <ullage/io/hf/rotary.hpp>
#include <ullage/io/json.hpp>
#include <ullage/memory/weights.hpp>
#include <vector>

// A Hugging Face config.json → transformer. Fails closed: a model type, a field or a format that is not understood is
// an error that names it. A family is one row of a table in io/hf/.
namespace ullage::inline v0::io {

/// A model read from a config, and what had to be assumed for it.
struct config_model {
  transformer model{};
  std::vector<assumption> assumed{};
  bool names_quantization = false;
  std::string dtype_from{};  ///< the key that says the type of unquantised tensors; empty where none does
};

namespace hf {

/// The 16- or 32-bit type of the checkpoint: `dtype`, in older files `torch_dtype`; bf16 where neither says it.
inline number_format read_dtype(object_reader& r, std::string& from, std::vector<assumption>& assumed) {
  const std::string_view key = r.has("dtype") ? "dtype" : "torch_dtype";
  r.find("torch_dtype");
  std::string word = r.text(key);
  if (word.empty()) {
    for (const char* part : {"text_config", "llm_config", "language_config"})
      for (const char* said : {"dtype", "torch_dtype"}) {
        const auto nested = r.object().find(part);
        if (!word.empty() || nested == r.object().end() || !nested->is_object()) continue;
        if (const auto v = nested->find(said); v != nested->end() && v->is_string()) {
          word = v->get<std::string>();
          from = std::string(part) + "." + said;
        }
      }
  }
  if (word.starts_with("torch.")) word.erase(0, 6);
  if (word.empty() || word == "auto") {
    assumed.push_back(
        {r.path_of("torch_dtype"), "bfloat16", true, "absent in the config; the usual type of checkpoints"});
    return formats::bf16;
  }
  if (from.empty()) from = key;
  if (word == "bfloat16") return formats::bf16;
  if (word == "float16" || word == "half") return formats::fp16;
  if (word == "float32" || word == "float") return formats::fp32;
  r.fail_at(key, error_code::unknown_format,
            "is " + detail::in_quotes(word) + "; expected bfloat16, float16 or float32.");
  return formats::bf16;
}

/// The quantisation that the config names: beside model_type or, in models with towers, in the text part. Two of them must
/// say the same.
inline void read_quantization(object_reader& r, config_model& read, const number_format& kept) {
  const json* first = nullptr;
  std::string where;
  const auto take = [&](const json& q, const std::string& path) {
    if (first != nullptr) {
      if (q != *first)
        r.fail({error_code::unknown_format, path, path + " differs from " + where + "; expected one of the two."});
      return;
    }
    first = &q;
    where = path;
    read.names_quantization = true;
    object_reader quantization(q, path, {error_code::unknown_format, error_code::unknown_format});
    if (quantization.ok()) apply_quantization(quantization, read.model, kept);
    if (!quantization.ok()) r.fail(quantization.problem());
  };
  constexpr std::string_view keys[] = {"quantization_config", "compression_config", "quantization"};  // the last: MLX
  for (std::string_view key : keys)
    if (const json* q = r.find(key); q != nullptr) take(*q, r.path_of(key));
  for (const char* part : {"text_config", "llm_config", "language_config"}) {
    const auto text = r.object().find(part);
    if (text == r.object().end() || !text->is_object()) continue;
    for (std::string_view key : keys)
      if (const auto q = text->find(key); q != text->end() && !q->is_null())
        take(*q, r.path_of(part) + "." + std::string(key));
  }
}

}  // namespace hf

/// The model of a config tree. `name`: what answers call it; `path`: where the config stands in the request, for
/// errors.
inline result<config_model> read_hf_config(const json& config, std::string_view name = {},
                                           const std::string& path = "model.config") {
  object_reader r(config, path, {error_code::unknown_field, error_code::incomplete_config, error_code::overflow});
  config_model read;
  const std::string model_type = r.text("model_type");
  if (r.ok() && model_type.empty()) r.missing("model_type", "the name of a family");
  if (!r.ok()) return r.problem();
  const std::string called = detail::one_line(name.empty() ? std::string_view(model_type) : name);

  const hf::family* family = hf::find_family(model_type);
  if (family == nullptr) {
    const std::vector<std::string_view> known = hf::known_model_types();
    r.fail_at("model_type", error_code::unknown_architecture,
              "is " + detail::in_quotes(model_type) + ", which none of the " + std::to_string(known.size()) +
                  " known families is called; the nearest are " + detail::nearest(model_type, known) + ".");
    return r.problem();
  }
  hf::check_class(r, family->classes);
  read.model = family->read(r, {model_type, called, &read.assumed});
  const number_format kept = hf::read_dtype(r, read.dtype_from, read.assumed);
  read.model.activation = kept;
  read.model.rotary_rows = hf::rotary_rows(config, read.model.max_position);
  read.model.stored = uniform_weights(kept);
  hf::read_quantization(r, read, kept);
  hf::apply_expert_dtype(r, read.model);
  std::vector<std::string> passed;
  hf::refuse_unread(r, model_type, passed);
  for (const std::string& key : passed)
    read.assumed.push_back(
        {r.path_of(key), "ignored", true, "unknown field whose name and type say nothing of structure"});
  if (!r.ok()) return r.problem();
  if (read.model.layers <= 0)
    return error{error_code::too_many_layers, r.path_of("num_hidden_layers"),
                 r.path_of("num_hidden_layers") + " describes more layers or kinds of layers than a model can hold (" +
                     std::to_string(transformer::most_layers) + " and " + std::to_string(transformer::most_kinds) +
                     ")."};
  if (parameters(read.model).total.overflowed() || overflowed(stored_weights(read.model, read.model.stored)))
    return error{error_code::overflow, path,
                 path + " describes more parameters than 2^63; expected sizes of a real model."};
  return read;
}

/// The same from JSON text.
inline result<config_model> read_hf_config_text(std::string_view text, std::string_view name = {},
                                                const std::string& path = "model.config") {
  const result<json> tree = parse_python_json(text, path);
  if (!tree) return tree.problem();
  return read_hf_config(*tree, name, path);
}

/// The same from a config.json or from a folder that holds one. The model takes the folder's name.
inline result<config_model> read_hf_config_file(const std::string& file, const std::string& path = "model.path") {
  namespace fs = std::filesystem;
  std::error_code ec;
  fs::path place(file);
  if (file.empty()) return error{error_code::bad_file, path, path + " is empty; expected a folder or a config.json."};
  if (file.find('\0') != std::string::npos)
    return error{error_code::bad_file, path,
                 path + " is " + detail::in_quotes(file) + "; expected a name without NUL."};
  if (place.extension() == ".gguf")
    return error{error_code::bad_file, path,
                 path + " leads to " + detail::shown_path(file) +
                     "; GGUF files are not read yet, expected a config.json, its folder or a .safetensors file in it.",
                 true};
  // Headers say sizes and types; what the tensors mean, the config beside them says.
  if (place.extension() == ".safetensors") place = place.has_parent_path() ? place.parent_path() : fs::path(".");
  if (fs::is_directory(place, ec)) place /= "config.json";
  const result<std::string> text = read_text(place.string(), path);
  if (!text) return text.problem();
  std::string name = place.stem().string();
  if (name == "config") {
    fs::path folder = place.parent_path();
    if (folder.filename().empty()) folder = folder.parent_path();
    if (folder.empty() || folder == "." || folder == "..")
      folder = fs::absolute(place.parent_path(), ec).lexically_normal();
    if (folder.filename().empty()) folder = folder.parent_path();
    name = folder.filename().string();
  }
  result<json> tree = parse_python_json(*text, path, place.string());
  if (!tree) return tree.problem();
  const auto says = [&](const char* key) {
    return tree->is_object() && tree->contains(key) && !(*tree)[key].is_null();
  };
  // ModelOpt keeps its part in a file of its own. What cannot be read there is no reason to pass it over.
  const fs::path beside = place.parent_path() / "hf_quant_config.json";
  bool from_beside = false;
  if (tree->is_object() && !says("quantization_config") && !says("compression_config") &&
      fs::symlink_status(beside, ec).type() != fs::file_type::not_found) {
    const result<std::string> quantization = read_text(beside.string(), path);
    if (!quantization) return quantization.problem();
    result<json> part = parse_json(*quantization, path, beside.string());
    if (!part) return part.problem();
    if (!part->is_object())
      return error{error_code::bad_value, path,
                   path + " leads to " + detail::shown_path(beside.string()) + ", which holds " + detail::shown(*part) +
                       ", not an object."};
    (*tree)["quantization_config"] = std::move(*part);
    from_beside = true;
  }
  result<config_model> read = read_hf_config(*tree, name, path);
  if (read) return read;
  error e = read.problem();
  const bool part = from_beside && e.field.starts_with(path + ".quantization_config");
  e.message += " The file is " + detail::shown_path((part ? beside : place).string()) + ".";
  return e;
}

}  // namespace ullage::inline v0::io
