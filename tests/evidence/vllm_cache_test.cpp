// SPDX-License-Identifier: Apache-2.0
// Caches of models whose layers do not cache alike: start-up logs of vLLM (tests/data/vllm_cache.jsonl) with the printed KV
// memory put in, and what one sequence is charged.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <ullage/io/ask.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/evidence_page.hpp"

namespace {

using nlohmann::json;

constexpr double gib = 1073741824.0;
constexpr double half_print = 0.005;  // GiB; memory is printed with two decimals

json kv_of(json request, double kv_gib) {
  request["visible_bytes"] = 100'000'000'000'000;
  request["count"] = request["parallel"]["tp"];
  request["given"] = {{"kv_available_bytes", static_cast<std::int64_t>(kv_gib * gib)}};
  const json a = ullage::io::ask(request);
  INFO(a.dump());
  REQUIRE(a["status"] == "ok");
  return a["kv"];
}

std::string cell(const char* form, double x) {
  char text[64];
  std::snprintf(text, sizeof text, form, x);
  return text;
}

/// One sequence of `context` tokens under the rules of August 2026: two steps of 8,192 tokens under way, prefix caching on.
json one_sequence(const char* model, int context) {
  return ullage::io::ask({{"model", {{"name", model}}},
                          {"visible_bytes", 100'000'000'000'000},
                          {"kv_cache", "bf16"},
                          {"engine", {{"name", "vllm"}, {"version", "0.28.0"}, {"max_num_batched_tokens", 8192}}},
                          {"load", {{"context", context}, {"concurrency", 1}}}})["kv"];
}

}  // namespace

TEST_CASE("blocks, tokens and concurrency of windows, states and sparse caches", "[evidence][vllm]") {
  struct sums {
    int n = 0;
    int inside = 0;
    std::vector<double> error;
  };
  std::map<std::string, sums> classes;
  std::string rows;
  std::ifstream in(ULLAGE_TEST_DATA "/vllm_cache.jsonl");
  for (std::string line; std::getline(in, line);) {
    const json r = json::parse(line);
    INFO(r["id"]);
    const double kv = r["kv_available_gib"].get<double>();
    const json low = kv_of(r["request"], kv - half_print);
    const json mid = kv_of(r["request"], kv);
    const json high = kv_of(r["request"], kv + half_print);
    // Concurrency is printed with two decimals.
    const double x = r["max_concurrency"].get<double>();
    const double tokens = r["kv_tokens"].get<double>();
    bool inside = low["max_concurrency"].get<double>() <= x + .005 && x - .005 <= high["max_concurrency"].get<double>() &&
                  low["reported_tokens"].get<double>() <= tokens + 1 && tokens <= high["reported_tokens"].get<double>() + 1;
    if (r.contains("kv_blocks"))
      inside = inside && low["blocks"] <= r["kv_blocks"] && r["kv_blocks"] <= high["blocks"];
    sums& c = classes[r["class"]];
    ++c.n;
    c.inside += inside;
    c.error.push_back(std::abs(mid["reported_tokens"].get<double>() / tokens - 1) * 100);
    rows += "| " + r["id"].get<std::string>() + " | " + r["request"]["model"]["name"].get<std::string>() + " | " +
            cell("%.0f", tokens) + " | " + cell("%.0f", mid["reported_tokens"].get<double>()) + " | " + cell("%.2f", x) +
            " | " + cell("%.2f", mid["max_concurrency"].get<double>()) + " | " + (inside ? "yes" : "**no**") + " |\n";
  }
  std::string page =
      "## vLLM's blocks where layers do not cache alike\n\n"
      "Start-up logs with the printed KV memory put in (both ends of its rounding); blocks, tokens and concurrency are "
      "predicted. No row with\nspeculation: draft layers are not modelled yet. The miss is a run that failed later; its pool is three blocks "
      "smaller than the print allows.\n\n"
      "| class | n | inside the print's rounding | median error of tokens, % |\n|---|---|---|---|\n";
  int n = 0;
  int inside = 0;
  for (auto& [name, c] : classes) {
    std::sort(c.error.begin(), c.error.end());
    page += "| " + name + " | " + std::to_string(c.n) + " | " + std::to_string(c.inside) + " | " +
            cell("%.3f", c.error[c.error.size() / 2]) + " |\n";
    n += c.n;
    inside += c.inside;
  }
  page += "\n| row | model | tokens printed | predicted | concurrency printed | predicted | inside |\n|---|---|---|---|---|---|---|\n" + rows;
  page += "\n### One sequence, GiB\nRules of August 2026: two steps of 8,192 tokens under way, prefix caching on, bf16 cache, one device.\n\n"
          "| model | context | logical | charged |\n|---|---|---|---|\n";
  struct known {
    const char* model;
    int context;
    double logical;
    double charged;
  };
  // Logical: as the architecture needs it; charged: as derived from vLLM's rules apart from this code.
  for (const known& k :
       {known{"deepseek-v3", 131072, 8.578, 8.578}, known{"deepseek-v3.2", 131072, 9.561, 9.561},
        known{"qwen3.5-397b-a17b", 131072, 3.93, 4.14}, known{"gemma-4-26b-a4b", 131072, 2.695, 5.82},
        known{"gpt-oss-120b", 131072, 4.504, 5.067}, known{"llama-4-scout", 131072, 7.125, 9.375},
        known{"nemotron-h-56b", 8192, 1.16, 2.205}, known{"mimo-v2-flash", 131072, 2.836, 6.36},
        known{"llama-3.1-8b", 131072, 16.0, 16.0}}) {
    INFO(k.model);
    const json kv = one_sequence(k.model, k.context);
    const double logical = kv["logical_bytes_per_sequence"].get<double>() / gib;
    const double charged = kv["charged_bytes_per_sequence"].get<double>() / gib;
    CHECK(std::abs(logical - k.logical) < .006);
    CHECK(std::abs(charged - k.charged) < .006);
    page += std::string("| ") + k.model + " | " + std::to_string(k.context) + " | " + cell("%.3f", logical) + " | " +
            cell("%.3f", charged) + " |\n";
  }
  std::printf("%s", page.c_str());
  CHECK(n >= 15);
  CHECK(n - inside <= 1);  // glm5.2-94pct: 10,049 blocks of 64 where the printed memory holds 10,052; the run failed later
  evidence::compare_or_write("vllm cache", "tests/evidence/vllm_cache_test.cpp", page);
}
