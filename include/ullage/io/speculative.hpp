// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <ullage/catalog/find_record.hpp>
#include <ullage/catalog/models.hpp>
#include <ullage/io/hf/eagle.hpp>
#include <ullage/plan.hpp>

// `speculative` and `adapters` of a request.
namespace ullage::inline v0::io::detail {

/// The draft model of a request: a built-in name, a path, or a config.
inline result<config_model> read_draft(object_reader& s, draft_method method) {
  const json& said = *s.find("draft");
  const bool eagle = method == draft_method::eagle || method == draft_method::eagle3;
  const std::string field = "speculative.draft";
  config_model found;
  const auto named = [&](const std::string& name, const std::string& where) -> result<config_model> {
    if (eagle)
      return error{error_code::unknown_architecture, where,
                   where + " is " + in_quotes(name) + "; drafts of the EAGLE kind are not built in, expected path or config."};
    if (const transformer* row = catalog::find_model(name); row != nullptr) {
      found.model = *row;
      return found;
    }
    if (const catalog::model_record* row = catalog::find_record(name); row != nullptr) {
      found.model = expand(*row);
      return found;
    }
    return error{error_code::unknown_architecture, where,
                 where + " is " + in_quotes(name) + ", which is not built in; expected a built-in name, path or config."};
  };
  if (said.is_string()) return named(said.get<std::string>(), field);
  object_reader d(said, field);
  const json* config = d.find("config");
  const bool by_name = d.has("name");
  const bool by_path = d.has("path");
  const std::string name = d.text("name");
  const std::string path = d.text("path");
  d.finish();
  if (d.ok() && (config != nullptr ? 1 : 0) + (by_name ? 1 : 0) + (by_path ? 1 : 0) != 1)
    d.fail(error_code::bad_value, field, field + " must say exactly one of name, path and config.");
  if (!d.ok()) return d.problem();
  if (by_name) return named(name, field + ".name");
  if (config != nullptr)
    return eagle ? read_eagle_config(*config, method == draft_method::eagle3, field + ".config")
                 : read_hf_config(*config, {}, field + ".config");
  if (!eagle) return read_hf_config_file(path, field + ".path");
  namespace fs = std::filesystem;
  std::error_code ec;
  fs::path place(path);
  if (fs::is_directory(place, ec)) place /= "config.json";
  const result<std::string> text = read_text(place.string(), field + ".path");
  if (!text) return text.problem();
  const result<json> tree = parse_python_json(*text, field + ".path", place.string());
  if (!tree) return tree.problem();
  return read_eagle_config(*tree, method == draft_method::eagle3, field + ".path");
}

/// Reads `speculative` into the engine; the draft model is kept by the pointer.
inline void read_speculative(object_reader& r, const std::string& ask, const transformer& m, engine& e,
                             std::shared_ptr<const transformer>& draft, std::vector<assumption>& assumed) {
  object_reader s(r.nested("speculative"), "speculative");
  for (std::string_view key : {"method", "num_tokens", "draft", "acceptance"}) s.find(key);
  const std::string method = s.text("method");
  const std::int64_t n = s.whole("num_tokens", 0, 1, 64);
  s.finish();
  const auto fail = [&] { r.fail(s.problem()); };
  if (!s.ok()) return fail();
  if (method.empty()) {  // null: the rest says nothing
    const json* said = s.find("method");
    if (said != nullptr) s.fail_at("method", error_code::bad_value, "is empty; expected ngram, mtp, eagle, eagle3 or draft_model.");
    return said != nullptr ? fail() : void();
  }
  speculation p;
  for (std::size_t i = 1; i < draft_method_names.size(); ++i)
    if (draft_method_names[i] == method) p.method = static_cast<draft_method>(i);
  if (p.method == draft_method::none) {
    s.fail_at("method", error_code::bad_value,
              "is " + in_quotes(method) + "; expected ngram, mtp, eagle, eagle3 or draft_model.");
    return fail();
  }
  if (ask != "fit")
    return r.not_answered("speculative.method", "is given, but how fast a model drafts is not answered yet; expected null.");
  if (n == 0) {
    s.missing("num_tokens", "how many tokens are drafted a step");
    return fail();
  }
  p.num_tokens = n;
  if (s.has("acceptance"))
    assumed.push_back({"speculative.acceptance", "not read", true, "it changes times, not memory"});
  const bool reads = p.method >= draft_method::eagle;
  if (reads != s.has("draft")) {
    if (reads)
      s.missing("draft", "the draft model: a built-in name, or an object with name, path or config");
    else
      s.fail_at("draft", error_code::bad_value, "is given, but " + method + " reads no draft model; expected null.");
    return fail();
  }
  if (p.method == draft_method::mtp && m.mtp_layers < 1) {
    s.fail_at("method", error_code::bad_value, "is \"mtp\", but the model has no multi-token-prediction modules.");
    return fail();
  }
  if (reads) {
    result<config_model> read = read_draft(s, p.method);
    if (!read) return r.fail(read.problem());
    if (read->model.encoder_layers > 0) {
      s.fail_at("draft", error_code::unknown_architecture, "is a model with an encoder; expected a decoder.");
      return fail();
    }
    draft = std::make_shared<const transformer>(std::move(read->model));
    p.draft = draft.get();
  }
  e.speculative = p;
}

/// Reads `adapters`: how many at once, and the rank that each has room for.
inline void read_adapters(object_reader& r, const std::string& ask, engine& e, std::vector<assumption>& assumed) {
  object_reader a(r.nested("adapters"), "adapters");
  const std::int64_t n = a.whole("count", 0, 0, 4096);
  const std::int64_t rank = a.whole("rank", 0, 1, 4096);
  a.finish();
  if (!a.ok()) return r.fail(a.problem());
  if (n == 0) return;
  if (ask != "fit") return r.not_answered("adapters.count", "is given, but adapters are answered by fit alone; expected null.");
  e.options.max_loras = n;
  e.options.max_lora_rank = rank > 0 ? rank : 16;
  if (rank == 0) assumed.push_back({"adapters.rank", "16", false, "absent; the engine's default max_lora_rank"});
}

}  // namespace ullage::inline v0::io::detail
