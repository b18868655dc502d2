// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/catch.hpp"
#include "support/readers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <ullage/io/ask.hpp>
#include <utility>
#include <vector>

// The rows of tests/data/vllm_startup.jsonl: start-up logs of vLLM as requests of the contract and what was printed.
namespace vllm_rows {

using nlohmann::json;
namespace u = ullage;

inline constexpr double gib = 1073741824.0;
inline constexpr double half_print = 0.005;  // GiB; memory and concurrency are printed with two decimals

/// The quantization_config that checkpoints of a stored format carry; configs/ has the model as it is trained.
inline json quantization(const std::string& stored) {
  const auto channel = [](const char* type) {
    return json{{"quant_method", "compressed-tensors"},
                {"ignore", {"lm_head"}},
                {"config_groups",
                 {{"group_0",
                   {{"targets", {"Linear"}},
                    {"weights", {{"num_bits", 8}, {"type", type}, {"strategy", "channel"}, {"symmetric", true}}},
                    {"input_activations", {{"num_bits", 8}, {"strategy", "token"}, {"dynamic", true}}}}}}}};
  };
  if (stored == "fp8_dynamic") return channel("float");
  if (stored == "int8_w8a8") return channel("int");
  if (stored == "gptq_int4_g128") return {{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}};
  if (stored == "fp8_block128") return {{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}};
  if (stored == "modelopt_nvfp4") return {{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}};
  if (stored == "quark_mxfp4_experts") {
    const json weight{{"dtype", "fp4"},
                      {"qscheme", "per_group"},
                      {"group_size", 32},
                      {"is_dynamic", false},
                      {"scale_format", "e8m0"}};
    return {{"quant_method", "quark"},
            {"global_quant_config", {{"weight", weight}}},
            {"exclude", {"lm_head", "re:.*self_attn.*", "re:.*gate$"}},
            {"export", {{"weight_format", "real_quantized"}}}};
  }
  return nullptr;  // a format of rows whose weights are not compared
}

struct row {
  json j;
  json request;
  std::string id;
  std::string group;          ///< class of the model's cache
  std::string configuration;  ///< rows of one configuration count as one in the tables

  bool checks(const char* what) const {
    for (const json& c : j.at("checks"))
      if (c == what) return true;
    return false;
  }
  bool has(const char* what) const { return j.at("observed").contains(what); }
  double observed(const char* what) const { return j.at("observed").at(what).get<double>(); }
};

inline json config_of(const json& j) {
  std::ifstream in(std::string(ULLAGE_TEST_DATA "/configs/") + j.at("config").get<std::string>());
  json config = json::parse(in);
  for (const char* key : {"_source", "_note", "_kind"}) config.erase(key);
  // The run's own type; a re-saved config may state another.
  if (j.at("dtype").is_string()) {
    config.erase("dtype");
    config["torch_dtype"] = j.at("dtype") == "half" ? json("float16") : j.at("dtype");
  }
  if (j.at("stored").is_string()) {
    config.erase("quantization_config");
    if (json q = quantization(j.at("stored").get<std::string>()); !q.is_null()) config["quantization_config"] = q;
  }
  return config;
}

inline std::vector<row> load() {
  std::vector<row> all;
  std::ifstream in(ULLAGE_TEST_DATA "/vllm_startup.jsonl");
  for (std::string line; std::getline(in, line);) {
    row r;
    r.j = json::parse(line);
    r.id = r.j.at("id");
    r.group = r.j.at("class");
    r.request = r.j.at("request");
    r.request["model"] = {{"config", config_of(r.j)}};
    const json& p = r.request["parallel"];
    const auto of = [&](const char* key) { return p.contains(key) ? p[key].get<std::int64_t>() : 1; };
    r.request["count"] = of("tp") * of("pp") * of("dp");
    const json& e = r.request["engine"];
    // What differs between runs of one configuration: the length, the utilisation, the number of sequences.
    std::string version = e.value("version", e.value("date", std::string()));
    r.configuration = r.j["config"].dump() + r.j["stored"].dump() + r.j["dtype"].dump() + p.dump() +
                      r.request.value("kv_cache", json()).dump() + r.request.value("speculative", json()).dump() +
                      r.request.value("accelerator", json()).dump() + version.substr(0, 4);
    all.push_back(std::move(r));
  }
  return all;
}

/// A row asked: its request as read, and the verdict.
struct answer {
  u::io::request asked;
  u::verdict verdict;
  std::string problem;  ///< the error's text, empty when it was answered
};

/// `given` pins terms; without a printed memory or a named part the device is ample.
inline answer ask(const row& r, json given = nullptr) {
  json q = r.request;
  if (!q.contains("visible_bytes") && !q.contains("accelerator")) q["visible_bytes"] = std::int64_t{1} << 40;
  if (!given.is_null()) q["given"] = std::move(given);
  u::io::result<u::io::request> read = compiled::read_request(q);
  answer a;
  if (!read) {
    a.problem = read.problem().message;
    return a;
  }
  a.asked = std::move(*read);
  u::transformer& m = a.asked.model;
  if (r.j.at("dtype") == "float32") {  // a request has no word for it: engines load 32 bits as 16 unless told
    m.activation = u::formats::fp32;
    m.stored = u::uniform_weights(u::formats::fp32);
  }
  a.verdict = u::fits(m, a.asked.parts, a.asked.parallel, a.asked.engine, a.asked.load, &a.asked.given);
  if (a.verdict.problem != u::problem::none)
    a.problem = "refused: problem " + std::to_string(static_cast<int>(a.verdict.problem));
  return a;
}
inline std::int64_t bytes_of(double g) {
  return static_cast<std::int64_t>(std::floor(g * gib));
}
/// With the printed memory of the cache, and the printed weights beside it, whose format is not always one that is modelled; not
/// printed they are left out, so that the cache alone is tested.
inline answer ask_pinned(const row& r, double kv_gib) {
  const double weights = r.has("weights_gib") ? r.observed("weights_gib") : 0.0;
  json given{{"kv_available_bytes", bytes_of(kv_gib)}, {"weight_bytes", bytes_of(weights)}};
  return ask(r, std::move(given));
}

/// What a calculator without an engine's rules answers: parameters × bytes ÷ tp; K and V of every head and layer ÷ tp.
struct naive {
  static double weights_gib(const answer& a) {
    const u::transformer& m = a.asked.model;
    const u::parameter_counts p = u::parameters(m);
    const double bits = u::weights_in(a.asked.engine, m).linear.element_bits;
    const double n = static_cast<double>((p.total + p.towers).value());
    return n * bits / 8 / static_cast<double>(a.asked.parallel.tp * a.asked.parallel.pp) / gib;
  }
  static double token_bytes(const answer& a) {
    const u::transformer& m = a.asked.model;
    double total = 0;
    const double element = u::kv_format_in(a.asked.engine, m).element_bits / 8.0;
    for (std::int64_t i = 0; i < m.layers; ++i) {
      const u::attention& at = m.layer(i).attention;
      const double heads = static_cast<double>(at.kind == u::attention_kind::latent ? at.heads : at.kv_heads);
      total += heads * static_cast<double>(at.key_dim + at.rope_dim + at.value_dim) * element;
    }
    return total / static_cast<double>(a.asked.parallel.tp);
  }
};

inline double quantile(std::vector<double> v, double q) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  const double x = q * static_cast<double>(v.size() - 1);
  const auto i = static_cast<std::size_t>(x);
  return v[i] + (v[(std::min)(i + 1, v.size() - 1)] - v[i]) * (x - static_cast<double>(i));
}
inline double mean(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return v.empty() ? 0 : sum / static_cast<double>(v.size());
}
inline std::string number(double x, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, x);
  return buffer;
}
inline double relative(double predicted, double printed) {
  return 100 * std::abs(predicted - printed) / std::abs(printed);
}

/// Errors of one class by configuration: the median over the rows of each counts.
struct by_configuration {
  std::map<std::string, std::vector<double>> library;
  std::map<std::string, std::vector<double>> baseline;
  int rows = 0;
  int inside = 0;

  void add(const row& r, double error, double naive_error, bool within) {
    library[r.configuration].push_back(error);
    baseline[r.configuration].push_back(naive_error);
    ++rows;
    inside += within ? 1 : 0;
  }
  static std::vector<double> medians(const std::map<std::string, std::vector<double>>& of) {
    std::vector<double> all;
    for (const auto& [key, v] : of) all.push_back(quantile(v, 0.5));
    return all;
  }
  void merge(const by_configuration& o) {
    for (const auto& [k, v] : o.library) library[k].insert(library[k].end(), v.begin(), v.end());
    for (const auto& [k, v] : o.baseline) baseline[k].insert(baseline[k].end(), v.begin(), v.end());
    rows += o.rows;
    inside += o.inside;
  }
  std::string line(const std::string& name, int decimals) const {
    const std::vector<double> a = medians(library);
    const std::vector<double> b = medians(baseline);
    return "| " + name + " | " + std::to_string(a.size()) + " | " + std::to_string(rows) + " | " +
           number(quantile(a, .5), decimals) + " | " + number(quantile(a, .9), decimals) + " | " +
           number(mean(a), decimals) + " | " + std::to_string(inside) + " | " + number(quantile(b, .5), decimals) +
           " | " + number(quantile(b, .9), decimals) + " |\n";
  }
};

using table = std::map<std::string, by_configuration>;
inline by_configuration whole(const table& t) {
  by_configuration all;
  for (const auto& [name, c] : t) all.merge(c);
  return all;
}
inline std::string print(const table& t, const std::string& title, const std::string& inside, int decimals) {
  std::string s = "\n### " + title + "\n| class | configurations | rows | median | p90 | mean | rows " + inside +
                  " | baseline median | baseline p90 |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [name, c] : t) s += c.line(name, decimals);
  return s + whole(t).line("**all**", decimals);
}

/// Rows that miss, each with the reason that was found. One without a reason fails the test.
struct misses {
  const std::map<std::string, std::string>& reasons;
  std::string lines{};
  std::vector<std::string> unexplained{};
  int count = 0;

  void add(const row& r, const std::string& check, const std::string& what) {
    const auto reason = reasons.find(r.id + "/" + check);
    if (reason == reasons.end()) unexplained.push_back(r.id + "/" + check + ": " + what);
    lines += "| " + r.id + " | " + check + " | " + what + " | " +
             (reason == reasons.end() ? "not explained" : reason->second) + " |\n";
    ++count;
  }
  std::string print() const {
    return "\n### Misses\n" +
           (lines.empty() ? std::string("None.\n") : "| row | check | what | why |\n|---|---|---|---|\n" + lines);
  }
  void fail_unexplained() const {
    for (const std::string& m : unexplained) {
      INFO(m);
      CHECK(false);
    }
  }
};

}  // namespace vllm_rows
