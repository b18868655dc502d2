// SPDX-License-Identifier: Apache-2.0
// Every recorded model is what its config gives.
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <ullage/catalog/find_record.hpp>
#include <ullage/catalog/models.hpp>
#include <ullage/io/hf_config.hpp>
#include <ullage/memory/kv_cache.hpp>

#include "support/catch.hpp"
#include "support/readers.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)
using io::json;

TEST_CASE("recorded models are what their configs give", "[catalog][models]") {
  std::ifstream in(ULLAGE_SOURCE_DIR "/cmake/catalog/models.jsonl");
  std::set<std::string> names;
  std::size_t n = 0;
  for (std::string line; std::getline(in, line); ++n) {
    const json row = json::parse(line);
    const std::string name = row["name"];
    INFO(name);
    CHECK(names.insert(name).second);
    CHECK(catalog::find_model(name) == nullptr);  // one name, one model
    const catalog::model_record* r = catalog::find_record(name);
    REQUIRE(r != nullptr);
    for (const json& alias : row["aliases"]) {
      INFO(alias);
      CHECK(catalog::find_record(alias.get<std::string>()) == r);
      CHECK(catalog::find_model(alias.get<std::string>()) == nullptr);
    }
    CHECK(r->source == row["source"].get<std::string>());
    const io::result<io::config_model> read = compiled::read_hf_config(row["config"], name);
    if (!read) UNSCOPED_INFO(read.problem().message);
    REQUIRE(read);
    const transformer& a = read->model;
    const transformer b = expand(*r);
    CHECK(a.name == b.name);
    CHECK(a.model_type == b.model_type);
    CHECK(a.layer_prefix == b.layer_prefix);
    CHECK(a.layers == b.layers);
    CHECK(a.max_position == b.max_position);
    CHECK(a.rotary_rows == b.rotary_rows);
    CHECK(a.stored.name == b.stored.name);
    CHECK(a.activation == b.activation);
    const parameter_counts p = parameters(a);
    const parameter_counts q = parameters(b);
    CHECK(p.total == q.total);
    CHECK(p.active == q.active);
    CHECK(p.mtp == q.mtp);
    CHECK(p.towers == q.towers);
    CHECK(stored_weights(a, a.stored) == stored_weights(b, b.stored));
    for (std::int64_t context : {1, 5000, 131072})
      CHECK(kv_cache(a, of<tokens>(context), of<sequences>(1), a.activation).per_sequence ==
            kv_cache(b, of<tokens>(context), of<sequences>(1), b.activation).per_sequence);
    for (std::int64_t i = 0; i < a.layers && i < b.layers; ++i) {
      CHECK(a.layer(i).attention == b.layer(i).attention);
      CHECK(a.layer(i).recurrent == b.layer(i).recurrent);
      CHECK(a.layer(i).feed_forward == b.layer(i).feed_forward);
    }
  }
  CHECK(n == catalog::recorded_models.size());
  CHECK(n + catalog::models.size() >= 60);
  std::cout << "built-in models: " << n + catalog::models.size() << '\n';
}
