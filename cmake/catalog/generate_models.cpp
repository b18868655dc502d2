// SPDX-License-Identifier: Apache-2.0
// Writes include/ullage/catalog/recorded_models.hpp from models.jsonl, by the readers of configs themselves.
//
//   generate_models MODELS.jsonl HEADER          write the header
//   generate_models MODELS.jsonl HEADER --check  write nothing; exit 1 when the header is another one
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <ullage/io/hf_config.hpp>
#include <vector>

namespace {

using namespace ullage;  // NOLINT(google-build-using-namespace)
using io::json;

std::string in_quotes(std::string_view s) {
  std::string text = "\"";
  for (char c : s) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return text + "\"sv";
}
std::string number(std::int64_t n) {
  return std::to_string(n);
}
std::string range(family_range r) {
  return "{" + number(r.first) + ", " + number(r.size) + "}";
}

std::string text_of(math m) {
  return "math::" + std::string(name(m));
}
std::string text_of(part p) {
  return "part::" + std::string(name(p));
}
std::string text_of(sharding s) {
  constexpr const char* names[] = {"replicated", "rows", "cols", "kv_rows", "vocab_rows", "expert_rows", "expert_cols"};
  return std::string("sharding::") + names[static_cast<std::size_t>(s)];
}
std::string text_of(precision p) {
  constexpr const char* names[precision_kinds] = {"kept",    "linear", "experts", "head",
                                                  "float32", "second", "third",   "fourth"};
  return std::string("precision::") + names[static_cast<std::size_t>(p)];
}
std::string text_of(const number_format& f) {
  return "{" + in_quotes(f.name) + ", " + number(f.element_bits) + ", " + number(f.block_rows) + ", " +
         number(f.block_cols) + ", " + number(f.scale_bits) + ", " + number(f.zero_bits) + ", " +
         number(f.tensor_bytes) + ", " + text_of(f.multiplies_as) +
         (f.column_bits > 0 ? ", " + number(f.column_bits) : std::string()) + "}";
}
std::string text_of(const attention& a) {
  return "{attention_kind::" + std::string(name(a.kind)) + ", " + number(a.heads) + ", " + number(a.kv_heads) + ", " +
         number(a.key_dim) + ", " + number(a.value_dim) + ", " + number(a.latent_rank) + ", " + number(a.rope_dim) +
         ", " + number(a.query_rank) + ", " + number(a.window) + ", " + number(a.index_dim) + ", " +
         number(a.index_heads) + ", " + number(a.index_topk) + ", " + number(a.stride) + ", " +
         (a.shares_cache ? "true" : "false") + "}";
}
std::string text_of(const recurrent& r) {
  return "{recurrent_kind::" + std::string(name(r.kind)) + ", " + number(r.heads) + ", " + number(r.state) + ", " +
         number(r.conv) + ", " + number(r.state_bits) + (r.taps > 0 ? ", " + number(r.taps) : std::string()) + "}";
}
std::string text_of(const feed_forward& f) {
  constexpr const char* names[] = {"none", "dense", "experts"};
  return std::string("{feed_forward_kind::") + names[static_cast<std::size_t>(f.kind)] + ", " + number(f.inner) + ", " +
         number(f.experts) + ", " + number(f.experts_per_token) + ", " + number(f.expert_inner) + ", " +
         number(f.shared_inner) + ", " + number(f.matrices) + "}";
}

/// Formats and schemes are few: each stands once.
class table {
 public:
  table(std::string type, std::string prefix) : type_(std::move(type)), prefix_(std::move(prefix)) {}
  std::string symbol(const std::string& value) {
    const auto [at, fresh] = symbols_.emplace(value, prefix_ + number(static_cast<std::int64_t>(symbols_.size())));
    if (fresh) text_ += "inline constexpr " + type_ + " " + at->second + value + ";\n";
    return at->second;
  }
  const std::string& text() const { return text_; }

 private:
  std::string type_, prefix_, text_;
  std::map<std::string, std::string> symbols_;
};

std::string scheme_text(const weight_scheme& w) {
  const bool mixed = w.name == "mixed";
  return "{" + in_quotes(w.name) + ", " + text_of(w.kept) + ", " + text_of(w.linear) + ", " + text_of(w.experts) + ", " +
         text_of(w.head) +
         (mixed ? ", " + text_of(w.second) + ", " + text_of(w.third) + ", " + text_of(w.fourth) : std::string()) + "}";
}

}  // namespace

int main(int arguments, char** argument) {
  const bool check = arguments == 4 && std::string_view(argument[3]) == "--check";
  if (arguments != 3 && !check) {
    std::cerr << "usage: generate_models MODELS.jsonl HEADER [--check]\n";
    return 2;
  }
  std::ifstream in(argument[1]);
  table formats("number_format", "format_");
  table schemes("weight_scheme", "scheme_");
  std::string bodies, rows;
  std::size_t models = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const json row = json::parse(line);
    const std::string called = row["name"];
    const io::result<io::config_model> read = io::read_hf_config(row["config"], called);
    if (!read) {
      std::cerr << called << ": " << read.problem().message << '\n';
      return 1;
    }
    const transformer& m = read->model;
    const std::string n = "model_" + number(static_cast<std::int64_t>(models++));
    bodies += "inline constexpr tensor_family " + n + "_families[] = {\n";
    for (const tensor_family& f : m.families)
      bodies += "    {" + in_quotes(f.name) + ", " + number(f.rows) + ", " + number(f.cols) + ", " + number(f.copies) +
                ", " + number(f.unit) + ", " + text_of(f.belongs_to) + ", " + text_of(f.spread) + ", " +
                text_of(f.stored_as) + "},\n";
    bodies += "};\ninline constexpr layer_kind " + n + "_kinds[] = {\n";
    for (const layer_kind& k : m.kinds)
      bodies += "    {" + text_of(k.attention) + ", " + text_of(k.recurrent) + ", " + text_of(k.feed_forward) + ", " +
                range(k.tensors) + "},\n";
    bodies += "};\n";
    std::string layers;
    for (std::int64_t i = 0; i < m.layers; ++i) layers += static_cast<char>('A' + m.layer_kinds[i]);
    std::string aliases;
    for (const json& a : row["aliases"]) aliases += (aliases.empty() ? "" : " ") + a.get<std::string>();
    rows += "    {" + in_quotes(called) + ", " + in_quotes(aliases) + ",\n     " + in_quotes(row["source"].get<std::string>()) +
            ", " + in_quotes(m.model_type) + ", " + in_quotes(m.layer_prefix) + ", " + number(m.hidden) + ", " +
            number(m.vocabulary) + ", " + number(m.max_position) + ", " + (m.tied_embeddings ? "true" : "false") +
            ",\n     &" + schemes.symbol(scheme_text(m.stored)) + ", &" + formats.symbol(text_of(m.activation)) + ", " +
            (m.cache.name.empty() ? std::string("nullptr") : "&" + formats.symbol(text_of(m.cache))) + ", " + n +
            "_families, " + n + "_kinds,\n     " + in_quotes(layers) + ",\n     " + range(m.embedding) + ", " +
            range(m.final_norm) + ", " + range(m.head) + ", " + range(m.encoder) + ", " + range(m.towers) + ", " +
            range(m.mtp_extra) + ", " + number(m.encoder_layers) + ", " + number(m.encoder_tokens) + ", " +
            number(m.mtp_layers) + ", " + number(m.mtp_kind) +
            (m.rotary_rows > 0 ? ", " + number(m.rotary_rows) : std::string()) + "},\n";
  }
  const std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated from cmake/catalog/models.jsonl by generate_models.cpp; edit there.\n"
      "#pragma once\n\n#include <array>\n#include <string_view>\n#include <ullage/catalog/model_record.hpp>\n\n"
      "// Popular models, each from its public config. Opt-in: the umbrella headers do not include it.\n"
      "// clang-format off\n"
      "namespace ullage::inline v0::catalog {\nnamespace recorded {\n"
      "using std::literals::string_view_literals::operator\"\"sv;\n" +
      formats.text() + schemes.text() + bodies +
      "}  // namespace recorded\n\n"
      "inline constexpr std::array<model_record, " +
      number(static_cast<std::int64_t>(models)) +
      "> recorded_models = [] {\n  using namespace recorded;  // NOLINT(google-build-using-namespace)\n"
      "  return std::array<model_record, " +
      number(static_cast<std::int64_t>(models)) + ">{{\n" + rows +
      "  }};\n}();\n\n}  // namespace ullage::inline v0::catalog\n// clang-format on\n";
  std::ifstream old(argument[2]);
  const std::string before((std::istreambuf_iterator<char>(old)), {});
  if (before == text) return 0;
  if (check) {
    std::cerr << "recorded_models.hpp differs from models.jsonl; build and run generate_models.\n";
    return 1;
  }
  std::ofstream(argument[2]) << text;
  return 0;
}
