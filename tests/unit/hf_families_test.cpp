// SPDX-License-Identifier: Apache-2.0
// Every family of configs against public counts: parameters to the last one, caches to the byte.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <ullage/io/hf_config.hpp>
#include <ullage/memory/kv_cache.hpp>

#include "support/catch.hpp"
#include "support/readers.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)
using io::json;

TEST_CASE("configs of every family give the public parameters and caches", "[io][hf_config]") {
  namespace fs = std::filesystem;
  std::set<std::string> types;
  int models = 0;
  int exact = 0;
  int caches = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(ULLAGE_TEST_DATA "/families")) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (line.empty()) continue;
      const json row = json::parse(line);
      INFO(row["model"]);
      ++models;
      const std::string name = row["model"];
      const io::result<io::config_model> read = compiled::read_hf_config(row["config"], name);
      if (!read) UNSCOPED_INFO(read.problem().message);
      REQUIRE(read);
      const transformer& m = read->model;
      types.insert(std::string(m.model_type.view()));
      const parameter_counts p = parameters(m);
      CHECK_FALSE(row["source"].get<std::string>().empty());
      if (row.contains("total") && row["total"].is_number()) {
        ++exact;
        CHECK(p.total == count(row["total"].get<std::int64_t>()));
      }
      if (row.contains("mtp") && row["mtp"].is_number()) CHECK(p.mtp == count(row["mtp"].get<std::int64_t>()));
      if (row.contains("towers") && row["towers"].is_number())
        CHECK(p.towers == count(row["towers"].get<std::int64_t>()));
      if (row.contains("stored_bytes") && row["stored_bytes"].is_number()) {
        const double stored = real(stored_weights(m, m.stored));
        CHECK(stored == Catch::Approx(row["stored_bytes"].get<double>()).epsilon(row.value("stored_within", 0.001)));
      }
      if (row.contains("stored_exact"))
        CHECK(integer(stored_weights(m, m.stored)) == row["stored_exact"].get<std::int64_t>());
      if (row.contains("kv") && row["kv"].is_object()) {
        ++caches;
        const json& kv = row["kv"];
        const kv_bytes k = kv_cache(m, of<tokens>(kv["context"].get<std::int64_t>()), of<sequences>(1),
                                    find_format(kv["format"].get<std::string>()));
        CHECK(integer(k.per_sequence) == kv["bytes"].get<std::int64_t>());
      }
      // Whatever the family: the parts add up, and nothing of the cache shrinks with the context.
      count sum(0);
      for (std::size_t i = 0; i < part_kinds; ++i)
        if (static_cast<part>(i) != part::mtp && static_cast<part>(i) != part::tower) sum += p.by_part[i];
      CHECK(sum == p.total);
      CHECK(p.active <= p.total);
      bytes before{};
      for (std::int64_t context : {1, 100, 4096, 131072}) {
        const bytes now = kv_cache(m, of<tokens>(context), of<sequences>(1), m.activation).per_sequence;
        CHECK(now >= before);
        before = now;
      }
    }
  }
  std::cout << "families: " << models << " configs of " << types.size() << " model types, " << exact
            << " with an exact public count, " << caches << " caches by hand\n";
}

TEST_CASE("a config.json may say Infinity, as Python writes it", "[io][hf_config]") {
  const auto text = [](const char* hidden, const char* limit) {
    return std::string(R"({"model_type": "mamba2", "name": "\"Infinity", "hidden_size": )") + hidden +
           R"(, "num_hidden_layers": 2, "num_heads": 8, "head_dim": 16, "n_groups": 1, "state_size": 16,)" +
           R"( "vocab_size": 256, "time_step_limit": [0.0, )" + limit + "]}";
  };
  const auto code = [](const std::string& config) {
    const io::result<io::config_model> read = compiled::read_hf_config_text(config);
    return read ? std::string() : std::string(io::name(read.problem().code));
  };
  CHECK(code(text("64", "1.0")).empty());
  CHECK(code(text("64", "Infinity")).empty());
  CHECK(code(text("64", "-Infinity")).empty());
  CHECK(code(text("Infinity", "1.0")) == "overflow");
  CHECK(code(text("-Infinity", "1.0")) == "bad_value");
  CHECK(code(text("64", "NaN")) == "bad_json");
  CHECK(code(text("64", "InfinityInfinity")) == "bad_json");
}

TEST_CASE("words of two releases must agree", "[io][hf_config]") {
  const auto config_of = [](const char* file, const std::string& model) {
    std::ifstream in(std::string(ULLAGE_TEST_DATA "/families/") + file);
    for (std::string line; std::getline(in, line);)
      if (json row = json::parse(line); row["model"] == model) return row["config"];
    return json();
  };
  const auto problem = [](const json& config) {
    const io::result<io::config_model> read = compiled::read_hf_config(config, "m");
    return read ? std::string() : read.problem().field;
  };
  json qwen = config_of("llama.jsonl", "Qwen/Qwen3-30B-A3B saved by transformers 5");
  qwen["num_experts"] = 64;
  CHECK(problem(qwen) == "model.config.num_local_experts");
  json gemma = config_of("gemma.jsonl", "google/gemma-4-26B-A4B saved by transformers 5");
  json other = gemma;
  other["text_config"]["per_layer_config"].begin().value()["head_dim"] = 64;
  CHECK(problem(other) == "model.config.text_config.per_layer_config");
  other = gemma;
  other["text_config"]["per_layer_config"]["0"] = {{"head_dim", 64}};  // a layer with a window
  CHECK(problem(other) == "model.config.text_config.per_layer_config");
  other = gemma;
  other["text_config"]["per_layer_config"]["99"] = {{"head_dim", 512}};
  CHECK(problem(other) == "model.config.text_config.per_layer_config");
  other = gemma;
  other["text_config"]["per_layer_config"].begin().value()["num_experts"] = 1;
  CHECK(problem(other) == "model.config.text_config.per_layer_config.num_experts");
  json dbrx = config_of("experts.jsonl", "databricks/dbrx-base saved by transformers 5");
  dbrx["ffn_config"]["hidden_size"] = 1;
  CHECK(problem(dbrx) == "model.config.ffn_config.hidden_size");
  json starcoder = config_of("gpt.jsonl", "bigcode/starcoderbase-1b saved by transformers 4.57");
  starcoder["num_key_value_heads"] = 16;
  CHECK(problem(starcoder) == "model.config.num_key_value_heads");
}
