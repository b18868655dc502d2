// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <ullage/io.hpp>

#include "support/catch.hpp"
#include "support/readers.hpp"

using nlohmann::json;
using namespace ullage;

namespace {

json question() {
  return {{"id", "q"},
          {"schema", 1},
          {"ask", "fit"},
          {"model", {{"name", "llama-3.1-8b"}}},
          {"accelerator", "H100 SXM"},
          {"load", {{"context", 8192}, {"concurrency", 16}}}};
}
json with(json tree, const json& patch) {
  tree.merge_patch(patch);
  return tree;
}
std::string value_of_assumption(const json& a, const std::string& field) {
  for (const json& s : a["assumed"])
    if (s["field"] == field) return s["value"].is_string() ? s["value"].get<std::string>() : s["value"].dump();
  return {};
}

}  // namespace

TEST_CASE("terms of an answer add up", "[io][ask]") {
  for (const json& patch :
       {json::object(), json{{"model", {{"name", "deepseek-v3"}}}, {"accelerator", "H200 SXM"}, {"count", 8}},
        json{{"model", {{"name", "llama-3.1-70b"}}}, {"count", 4}, {"parallel", {{"tp", 2}, {"pp", 2}}}},
        json{{"engine", {{"name", "plain"}}}}}) {
    const json a = compiled::ask(with(question(), patch));
    INFO(a.dump(1));
    REQUIRE(a["status"] == "ok");
    CHECK(a["id"] == "q");
    for (const json& r : a["ranks"]) {
      for (const char* at : {"low", "mid", "high"}) {
        // The lowest sum leaves the most.
        const char* left_at = std::string(at) == "low" ? "high" : std::string(at) == "high" ? "low" : "mid";
        CHECK(r["terms_sum_bytes"][at].get<std::int64_t>() + r["left_bytes"][left_at].get<std::int64_t>() ==
              r["budget_bytes"].get<std::int64_t>());
      }
    }
    std::size_t devices = 0;
    for (const json& r : a["ranks"]) devices += r["devices"].size();
    CHECK(devices == a["parallel"]["devices"].get<std::size_t>());
    CHECK(a["kv"]["logical_bytes_per_sequence"].get<std::int64_t>() <=
          a["kv"]["charged_bytes_per_sequence"].get<std::int64_t>());
  }
}

TEST_CASE("a remedy's patch gives what the remedy says", "[io][ask]") {
  int tried = 0;
  for (const char* model : {"llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "mixtral-8x7b", "deepseek-v3"})
    for (const char* part : {"L4", "A100 SXM 80GB", "H200 SXM", "MI300X"})
      for (const json& patch :
           {json::object(), json{{"load", nullptr}},
            json{{"engine", {{"max_model_len", 16384}, {"version", "0.11.0"}}}}, json{{"engine", {{"name", "plain"}}}},
            json{{"accelerator", nullptr}, {"devices", json::array({{{"accelerator", part}, {"count", 2}}})}},
            json{{"visible_bytes", 30000000000}, {"given", {{"graph_bytes", 0}}}}}) {
        json q = question();
        q["model"]["name"] = model;
        q["accelerator"] = part;
        q.merge_patch(patch);
        const json a = compiled::ask(q);
        INFO(q.dump());
        INFO(a.dump());
        if (a["status"] != "ok") {
          CHECK(a["code"] == "unsupported_layout");
          continue;
        }
        const auto left = [](const json& of) {
          for (const json& r : of["ranks"])
            if (r["rank"] == of["binding"]["rank"]) return r["left_bytes"]["mid"].get<std::int64_t>();
          return std::int64_t{0};
        };
        for (const json& r : a["remedies"]) {
          json patched = q;
          patched.merge_patch(r["patch"]);
          const json then = compiled::ask(patched);
          INFO(r.dump());
          REQUIRE(then["status"] == "ok");
          CHECK(then["verdict"] == r["verdict_then"]);
          CHECK(left(then) - left(a) == r["gain_bytes"].get<std::int64_t>());
          ++tried;
        }
      }
  CHECK(tried > 150);
}

TEST_CASE("what is chosen for the asker is told", "[io][ask]") {
  const json a = compiled::ask(with(question(), {{"count", 4}}));
  CHECK(value_of_assumption(a, "engine.name") == "vllm");
  CHECK(value_of_assumption(a, "engine.version") == io::detail::version_text(vllm_history::newest));
  CHECK(value_of_assumption(a, "engine.max_model_len") == "8192");
  CHECK(value_of_assumption(a, "kv_cache") == "bf16");
  CHECK(value_of_assumption(a, "parallel.tp") == "4");
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"load", nullptr}})), "engine.max_model_len") == "131072");
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"weights", "fp8"}})), "weights") == "fp8");
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"engine", {{"version", "99.1.0"}}}})), "engine.rules") ==
        io::detail::version_text(vllm_history::newest));
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"engine", {{"date", "2025-10-20"}}}})),
                            "engine.version") == "0.11.0");
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"parallel", {{"tp", 2}}}})), "count") == "2");
}

TEST_CASE("weights on request", "[io][ask]") {
  const json base = {{"model", {{"name", "deepseek-v3"}}},
                     {"accelerator", "H200 SXM"},
                     {"count", 8},
                     {"engine", {{"max_model_len", 4096}}}};
  const json own = compiled::ask(base);
  const json fp8 = compiled::ask(with(base, {{"weights", "fp8"}}));
  CHECK(own["resident_weight_bytes"] == fp8["resident_weight_bytes"]);
  CHECK(fp8["model"]["weights"] == "fp8_block");
  const json wide = compiled::ask(with(base, {{"weights", "bf16"}}));
  CHECK(wide["model"]["weights"] == "bf16");
  CHECK(wide["resident_weight_bytes"].get<std::int64_t>() > 2 * (own["parameters"]["total"].get<std::int64_t>()));
  // A 32-bit checkpoint is read as 16 bits.
  const json shape = {{"model_type", "llama"},   {"hidden_size", 1024},      {"intermediate_size", 4096},
                      {"num_hidden_layers", 4},  {"num_attention_heads", 8}, {"vocab_size", 32000},
                      {"torch_dtype", "float32"}};
  const json single = compiled::ask({{"model", {{"config", shape}}}, {"accelerator", "L4"}});
  INFO(single.dump());
  CHECK(single["stored_weight_bytes"].get<std::int64_t>() == 4 * single["parameters"]["total"].get<std::int64_t>());
  CHECK(single["resident_weight_bytes"].get<std::int64_t>() < single["stored_weight_bytes"].get<std::int64_t>());
  CHECK(compiled::ask({{"model", {{"config", shape}, {"stored_bytes", 12345}}},
                       {"accelerator", "L4"}})["stored_weight_bytes"] == 12345);
}

TEST_CASE("speed and selection through the contract", "[io][ask]") {
  json q = question();
  q["ask"] = "perf";
  q["load"] = {{"input_tokens", 1000}, {"output_tokens", 200}, {"concurrency", 8}};
  const json a = compiled::ask(q);
  INFO(a.dump());
  REQUIRE(a["status"] == "ok");
  CHECK(a["tpot_s"]["low"] <= a["tpot_s"]["mid"]);
  CHECK(a["tpot_s"]["mid"] <= a["tpot_s"]["high"]);
  CHECK(a["kv_concurrency"].get<std::int64_t>() > 8);
  q["load"]["request_rate"] = 1e9;
  q["load"].erase("concurrency");
  const json flooded = compiled::ask(q);
  CHECK(flooded["limit"] == "saturated");
  CHECK(flooded["ttft_s"]["unbounded"] == true);

  json s = {{"ask", "select"},
            {"model", {{"name", "llama-3.1-8b"}}},
            {"load", {{"context", 4096}, {"concurrency", 4}}},
            {"offers", {"T4", "L4", "H100 SXM"}}};
  const json chosen = compiled::ask(s);
  INFO(chosen.dump());
  CHECK(chosen["chosen"].size() + chosen["rejected"].size() == 3);
  CHECK(io::exit_code(chosen) == 0);
  s["constraints"] = {{"max_power_w", 10}};
  CHECK(io::exit_code(compiled::ask(s)) == 1);
}

TEST_CASE("refusals of requests", "[io][ask]") {
  struct refusal {
    json patch;
    std::string code;
    std::string field;
  };
  const std::vector<refusal> cases{
      {{{"modell", 1}}, "unknown_key", "modell"},
      {{{"engine", {{"max_model_length", 1}}}}, "unknown_key", "engine.max_model_length"},
      {{{"engine", {{"mem_fraction_static", 0.9}}}}, "unknown_key", "engine.mem_fraction_static"},
      {{{"engine", {{"rules", {{"null_block", 1}}}}}}, "unknown_key", "engine.rules.null_block"},
      {{{"engine", {{"rules", {{"null_blocks", "1"}}}}}}, "bad_value", "engine.rules.null_blocks"},
      {{{"engine", {{"name", "sglang"}}}}, "unknown_engine", "engine.name"},
      {{{"engine", {{"version", "0.1.0"}}}}, "unsupported_version", "engine.version"},
      {{{"engine", {{"version", "nightly"}}}}, "unsupported_version", "engine.version"},
      {{{"engine", {{"version", 0.11}}}}, "bad_value", "engine.version"},
      {{{"engine", {{"date", "2019-01-01"}}}}, "unsupported_version", "engine.date"},
      {{{"engine", {{"date", "soon"}}}}, "bad_value", "engine.date"},
      {{{"engine", {{"gpu_memory_utilization", 1.5}}}}, "bad_value", "engine.gpu_memory_utilization"},
      {{{"engine", {{"block_size", 0}}}}, "bad_value", "engine.block_size"},
      {{{"engine", {{"max_model_len", 100}}}}, "bad_value", "load.context"},
      {{{"engine", json::array()}}, "bad_value", "engine"},
      {{{"accelerator", "H100"}}, "ambiguous_accelerator", "accelerator"},
      {{{"accelerator", "Z9000"}}, "unknown_accelerator", "accelerator"},
      {{{"accelerator", nullptr}}, "bad_value", "accelerator"},
      {{{"accelerator", 100}}, "bad_value", "accelerator"},
      {{{"count", 0}}, "bad_value", "count"},
      {{{"count", 2.5}}, "bad_value", "count"},
      {{{"count", 7}}, "unsupported_layout", "parallel"},
      {{{"count", 4}, {"parallel", {{"tp", 2}}}}, "unsupported_layout", "parallel"},
      {{{"parallel", {{"tp", 3}}}}, "unsupported_layout", "parallel"},
      {{{"parallel", {{"tp", 1e18}}}}, "bad_value", "parallel.tp"},
      {{{"parallel", {{"tp", 1e19}}}}, "overflow", "parallel.tp"},
      {{{"parallel", {{"tp", std::nan("")}}}}, "bad_value", "parallel.tp"},
      {{{"engine", {{"gpu_memory_utilization", HUGE_VAL}}}}, "bad_value", "engine.gpu_memory_utilization"},
      {{{"parallel", {{"tp", 65536}, {"pp", 65536}, {"dp", 65536}, {"cp", 65536}}}}, "unsupported_layout", "parallel"},
      {{{"parallel", {{"dp_attention", true}}}}, "bad_value", "parallel.dp_attention"},
      {{{"parallel", {{"layers_per_stage", 3}}}}, "bad_value", "parallel.layers_per_stage"},
      {{{"load", {{"context", -1}}}}, "bad_value", "load.context"},
      {{{"load", {{"context", nullptr}}}}, "bad_value", "load.context"},
      {{{"load", {{"contxt", 1}}}}, "unknown_key", "load.contxt"},
      {{{"weights", "q4_k"}}, "unknown_format", "weights"},
      {{{"weights", 8}}, "bad_value", "weights"},
      {{{"kv_cache", "int3"}}, "unknown_format", "kv_cache"},
      {{{"ask", "guess"}}, "bad_value", "ask"},
      {{{"schema", 2}}, "bad_value", "schema"},
      {{{"model", nullptr}}, "bad_value", "model"},
      {{{"model", "lama-3.1-8b"}}, "unknown_architecture", "model"},
      {{{"model", {{"name", "lama-3.1-8b"}}}}, "unknown_architecture", "model.name"},
      {{{"model", {{"name", nullptr}, {"opaque", json::object({{"parameters", 1}})}}}},
       "bad_value",
       "model.opaque.activation_bytes_per_item"},
      {{{"model", {{"path", "/nowhere"}, {"name", nullptr}}}}, "bad_file", "model.path"},
      {{{"model", {{"path", "/nowhere"}}}}, "bad_value", "model"},
      {{{"model", {{"nam", "x"}}}}, "unknown_key", "model.nam"},
      {{{"given", {{"weight_bytes", -1}}}}, "bad_value", "given.weight_bytes"},
      {{{"given", {{"weights", 1}}}}, "unknown_key", "given.weights"},
      {{{"speculative", {{"method", "mtp"}, {"num_tokens", 1}}}}, "bad_value", "speculative.method"},
      {{{"speculative", {{"method", "medusa"}, {"num_tokens", 1}}}}, "bad_value", "speculative.method"},
      {{{"speculative", {{"method", ""}, {"num_tokens", 1}}}}, "bad_value", "speculative.method"},
      {{{"speculative", {{"method", "ngram"}}}}, "bad_value", "speculative.num_tokens"},
      {{{"speculative", {{"method", "ngram"}, {"num_tokens", 1}, {"draft", "llama-3.2-1b"}}}},
       "bad_value",
       "speculative.draft"},
      {{{"speculative", {{"method", "eagle3"}, {"num_tokens", 1}}}}, "bad_value", "speculative.draft"},
      {{{"speculative", {{"method", "eagle3"}, {"num_tokens", 1}, {"draft", "llama-3.2-1b"}}}},
       "unknown_architecture",
       "speculative.draft"},
      {{{"speculative", {{"method", "draft_model"}, {"num_tokens", 1}, {"draft", "llama-9-1b"}}}},
       "unknown_architecture",
       "speculative.draft"},
      {{{"speculative", {{"method", "ngram"}, {"num_tokens", 65}}}}, "bad_value", "speculative.num_tokens"},
      {{{"adapters", {{"count", -1}}}}, "bad_value", "adapters.count"},
      {{{"adapters", {{"count", 1}, {"rank", 0}}}}, "bad_value", "adapters.rank"},
      {{{"multimodal", {{"images", 1}}}}, "bad_value", "multimodal.images"},
      {{{"fabric", "IB"}}, "bad_value", "fabric"},
      {{{"prefill", json::object({{"a", 1}})}}, "bad_value", "prefill"},
      {{{"devices", json::array({{{"accelerator", "L4"}}})}}, "bad_value", "accelerator"},
      {{{"accelerator", nullptr}, {"devices", json::array()}}, "bad_value", "devices"},
      {{{"accelerator", nullptr}, {"devices", json::array({1})}}, "bad_value", "devices[0]"},
      {{{"accelerator", nullptr}, {"devices", json::array({{{"accelerator", "L4"}, {"number", 1}}})}},
       "unknown_key",
       "devices[0].number"},
      {{{"accelerator", nullptr}, {"devices", json::array({{{"host", true}}})}}, "bad_value", "devices[0].host"},
  };
  for (const refusal& c : cases) {
    json q = question();
    // merge_patch would merge into "model"; a patch that is no object replaces it.
    q.merge_patch(c.patch);
    INFO(q.dump());
    const json a = compiled::ask(q);
    INFO(a.dump());
    REQUIRE(a["status"] == "error");
    CHECK(a["code"] == c.code);
    CHECK(a["field"] == c.field);
    CHECK(a["message"].get<std::string>().find(c.field) != std::string::npos);
    CHECK(a["id"] == "q");
    CHECK(io::exit_code(a) >= 2);
  }
  CHECK(compiled::ask(with(question(), {{"count", 7}}))["message"].get<std::string>().find("tp 1 x pp 7") !=
        std::string::npos);
  CHECK(compiled::ask_text("{\"id\": 3, \"id\": 4}")["code"] == "bad_json");
  CHECK(compiled::ask(json(3))["code"] == "bad_value");
}

TEST_CASE("empty parts of the contract mean absent", "[io][ask]") {
  const json full = json::parse(
      R"({"id": "a1", "schema": 1, "ask": "fit", "model": {"name": "llama-3.1-70b"}, "weights": "fp8", "kv_cache": "auto",
    "devices": [{"accelerator": "H200 SXM", "count": 8, "visible_bytes": null}], "nodes": 1, "fabric": null,
    "parallel": {"tp": 8, "pp": 1, "dp": 1, "ep": 1, "cp": 1, "dcp": 1, "dp_attention": false, "layers_per_stage": null},
    "engine": {"name": "vllm", "version": "0.11.0", "date": null, "rules": {}, "max_model_len": 32768, "gpu_memory_utilization": 0.9,
               "max_num_batched_tokens": 8192, "max_num_seqs": 256, "block_size": 16, "enforce_eager": false, "enable_prefix_caching": true},
    "speculative": null, "adapters": {"count": 0, "rank": 16}, "multimodal": {"images": 0, "image_tokens": null, "video_tokens": null},
    "load": {"context": 8192, "concurrency": 64},
    "given": {"kv_available_bytes": null, "weight_bytes": null, "activation_bytes": null, "graph_bytes": null}})");
  const json a = compiled::ask(full);
  INFO(a.dump());
  CHECK(a["verdict"] == "fits");
  CHECK(a["engine"]["version"] == "0.11.0");
}

TEST_CASE("what is said of engine, part and load without being asked", "[io][ask]") {
  const json shape = {{"model_type", "llama"},    {"hidden_size", 1024},      {"intermediate_size", 4096},
                      {"num_hidden_layers", 4},   {"num_attention_heads", 8}, {"vocab_size", 32000},
                      {"torch_dtype", "bfloat16"}};
  const json plain_config = {{"model", {{"config", shape}}}, {"accelerator", "T4"}};
  CHECK(value_of_assumption(compiled::ask(plain_config), "weights") == "bf16");
  CHECK(value_of_assumption(compiled::ask(plain_config), "dtype") == "float16");
  CHECK(value_of_assumption(compiled::ask(question()), "weights").empty());
  CHECK(value_of_assumption(compiled::ask(question()), "dtype").empty());
  json quantized = shape;
  quantized["quantization_config"] = {{"quant_method", "fp8"}};
  CHECK(value_of_assumption(compiled::ask({{"model", {{"config", quantized}}}, {"accelerator", "L4"}}), "weights")
            .empty());
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"accelerator", "Gaudi 3"}})), "engine terms") ==
        "Gaudi 3");
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"accelerator", "MI300X"}})), "engine terms").empty());
  const json crowd = with(question(), {{"load", {{"concurrency", 100}}}, {"engine", {{"max_num_seqs", 64}}}});
  CHECK(value_of_assumption(compiled::ask(crowd), "engine.max_num_seqs") == "64");
  CHECK(value_of_assumption(compiled::ask(with(crowd, {{"parallel", {{"dp", 2}}}})), "engine.max_num_seqs").empty());
  // Memory that no process has printed says what it rests on, and carries its band into what is left.
  const json h800 = compiled::ask(with(question(), {{"accelerator", "H800 PCIe"}}));
  CHECK_FALSE(value_of_assumption(h800, "devices.visible_bytes").empty());
  const json& seen = h800["ranks"][0]["visible_bytes"];
  CHECK(seen["low"] < seen["mid"]);
  CHECK(seen["mid"] == h800["ranks"][0]["capacity_bytes"]);
  CHECK(value_of_assumption(compiled::ask(with(question(), {{"accelerator", "H200 SXM"}})), "devices.visible_bytes")
            .empty());
  // A machine's name stands for all of its devices unless a count is said.
  const json hgx = compiled::ask(with(question(), {{"accelerator", "DGX H100"}}));
  CHECK(value_of_assumption(hgx, "count") == "8");
  CHECK(hgx["ranks"][0]["ranks"] == 8);
  CHECK(compiled::ask(with(question(), {{"accelerator", "DGX H100"}, {"count", 2}}))["ranks"][0]["ranks"] == 2);
  // A slice is a device.
  const json slice = compiled::ask(with(question(), {{"accelerator", "A100 SXM4 80GB MIG 3g.40gb"}}));
  CHECK(slice["ranks"][0]["capacity_bytes"] < 43'000'000'000);
  const json absent = compiled::ask(with(question(), {{"accelerator", "Gaudi 1"}}));
  CHECK(absent["code"] == "unknown_accelerator");
  CHECK(absent["message"].get<std::string>().find("not published: peaks") != std::string::npos);
}

TEST_CASE("a window, and one that no sequence leaves", "[io][ask]") {
  const json mistral = {{"model_type", "mistral"},         {"hidden_size", 1024},      {"intermediate_size", 4096},
                        {"num_hidden_layers", 4},          {"num_attention_heads", 8}, {"vocab_size", 32000},
                        {"max_position_embeddings", 8192}, {"sliding_window", 1024},   {"torch_dtype", "bfloat16"}};
  const json base = {{"model", {{"config", mistral}}}, {"accelerator", "L4"}};
  // Memory: a token is 4 layers · 2 · 8 · 128 · 2 B, and a window of 1,024 keeps room for two steps of 2,048 tokens.
  const json fits = compiled::ask(base);
  INFO(fits.dump());
  REQUIRE(fits["status"] == "ok");
  CHECK(fits["kv"]["logical_bytes_per_sequence"] == 1024 * 16384);
  CHECK(fits["kv"]["charged_bytes_per_sequence"] == (320 + 1) * 16 * 16384);
  CHECK(fits["kv"]["bytes_per_token"].is_null());
  const json old = compiled::ask(with(base, {{"engine", {{"version", "0.9.0"}}}}));  // windows cached every token
  CHECK(old["kv"]["charged_bytes_per_sequence"] == 8192 * 16384);
  const json plain =
      compiled::ask(with(base, {{"engine", {{"name", "plain"}}}, {"load", {{"context", 4000}, {"concurrency", 3}}}}));
  CHECK(plain["ranks"][0]["kv_needed_bytes"] == 3 * 1024 * 16384);
  // Time: the same for sequences that stay inside and for those that leave it, and then no longer for a longer context.
  const auto decode = [&](int context) {
    const json a = compiled::ask(
        with(base, {{"ask", "step"}, {"step", {{"phase", "decode"}, {"batch", 8}, {"context", context}}}}));
    INFO(a.dump());
    REQUIRE(a["status"] == "ok");
    return a["breakdown"]["attention_s"]["mid"].get<double>();
  };
  CHECK(decode(500) < decode(1023));
  CHECK(decode(1023) == decode(4000));
  const json beyond =
      compiled::ask(with(base, {{"ask", "perf"}, {"load", {{"input_tokens", 1024}, {"output_tokens", 512}}}}));
  CHECK(beyond["status"] == "ok");
}

TEST_CASE("times of unlike layers", "[io][ask]") {
  for (const char* model : {"gemma-3-27b", "gpt-oss-120b", "qwen3-next-80b-a3b", "nemotron-h-56b", "llama-4-scout",
                            "deepseek-v3.2", "glm-5.2", "deepseek-v4-flash"}) {
    const json base = {{"model", model}, {"accelerator", "B200"}, {"count", 8}};
    const json step =
        compiled::ask(with(base, {{"ask", "step"}, {"step", {{"phase", "decode"}, {"batch", 8}, {"context", 20000}}}}));
    INFO(step.dump());
    CHECK(step["status"] == "ok");
    const json perf =
        compiled::ask(with(base, {{"ask", "perf"}, {"load", {{"input_tokens", 4000}, {"output_tokens", 500}}}}));
    INFO(perf.dump());
    CHECK(perf["status"] == "ok");
  }
  // Blocks that an indexer picks have none.
  json blocks;
  std::ifstream file(ULLAGE_TEST_DATA "/families/hybrid.jsonl");
  for (std::string line; std::getline(file, line);)
    if (const json j = json::parse(line); j["model"] == "MiniMaxAI/MiniMax-M3") blocks = j["config"];
  REQUIRE(blocks.is_object());
  const json refused = compiled::ask({{"model", {{"config", blocks}}},
                                      {"accelerator", "B200"},
                                      {"count", 8},
                                      {"ask", "perf"},
                                      {"load", {{"input_tokens", 4000}, {"output_tokens", 500}}}});
  INFO(refused.dump());
  CHECK(refused["not_answered"] == true);
  CHECK(refused["message"].get<std::string>().find("picks blocks") != std::string::npos);
}

TEST_CASE("layers that cache in different ways", "[io][ask]") {
  const auto kv = [](const char* model, json more) {
    more["model"] = model;
    more["accelerator"] = "B300";
    const json a = compiled::ask(more);
    INFO(a.dump());
    REQUIRE(a["status"] == "ok");
    return a["kv"];
  };
  // 12 windows and 12 full layers: two block tables over a pool of 12 layers.
  const json oss = kv("gpt-oss-20b", {{"kv_cache", "bf16"}});
  CHECK(oss["groups"] == 2);
  CHECK(oss["bytes_per_token"].is_null());
  // The plain engine has no pool: windows of 128, all tokens elsewhere.
  const json plain =
      kv("gpt-oss-20b", {{"engine", {{"name", "plain"}}}, {"load", {{"context", 1000}, {"concurrency", 1}}}});
  CHECK(plain["charged_bytes_per_sequence"] == 12 * (128 + 1000) * 2048);
  CHECK(plain["charged_bytes_per_sequence"] == plain["logical_bytes_per_sequence"]);
  // States take no more where the context grows, and a block holds as many tokens as are as large as a state.
  const json states =
      kv("qwen3.5-397b-a17b", {{"accelerator", "B300"}, {"count", 8}, {"load", {{"context", 1}, {"concurrency", 1}}}});
  CHECK(states["fixed_bytes_per_sequence"] > 0);
  CHECK(states["block_tokens"].get<int>() % 16 == 0);
  CHECK(states["block_tokens"] > 16);
  // Nothing is cached: as many as run at once.
  const json bert = {{"model_type", "bert"},           {"hidden_size", 768},
                     {"intermediate_size", 3072},      {"num_hidden_layers", 12},
                     {"num_attention_heads", 12},      {"vocab_size", 30522},
                     {"type_vocab_size", 2},           {"max_position_embeddings", 512},
                     {"architectures", {"BertModel"}}, {"torch_dtype", "float16"}};
  const json none =
      compiled::ask({{"model", {{"config", bert}}}, {"accelerator", "L4"}, {"engine", {{"max_num_seqs", 48}}}});
  INFO(none.dump());
  CHECK(none["verdict"] == "fits");
  CHECK(none["kv"]["charged_bytes_per_sequence"] == 0);
  CHECK(none["limits"]["max_concurrency_at_context"] == 48);
}

TEST_CASE("one name is a model", "[io][ask]") {
  json named = question();
  named["model"] = "meta-llama/Llama-3.1-8B";
  const json a = compiled::ask(named);
  const json b = compiled::ask(question());
  CHECK(a == b);
}

TEST_CASE("what the contract has and this release does not answer", "[io][ask]") {
  for (const json& patch :
       {json{{"fabric", "IB"}}, json{{"ask", "size"}}, json{{"parallel", {{"dp_attention", true}}}}}) {
    const json a = compiled::ask(with(question(), patch));
    INFO(a.dump());
    CHECK(a["not_answered"] == true);
  }
  CHECK_FALSE(compiled::ask(with(question(), {{"count", 0}})).contains("not_answered"));
  CHECK_FALSE(compiled::ask(with(question(), {{"ask", "guess"}})).contains("not_answered"));
  CHECK(compiled::ask(with(question(), {{"speculative", {{"num_tokens", 2}}}}))["status"] == "ok");
}

TEST_CASE("numbers, values and text in messages", "[io][ask]") {
  const auto message = [](const json& patch) {
    const json a = compiled::ask(with(question(), patch));
    return a.value("message", std::string());
  };
  CHECK(message({{"count", 70000}}) == "count is 70000; expected 1 to 65536.");
  CHECK(message({{"engine", {{"gpu_memory_utilization", std::nan("")}}}}).find("is not a finite number") !=
        std::string::npos);
  CHECK(message({{"weights", std::string(100000, 'x')}}).size() <= 600);
  using io::detail::one_line;
  CHECK(one_line("a\tb\x7f") == "a\\u0009b\\u007f");
  CHECK(one_line("\xc3\xa9\xff\xe2\x82") == "\xc3\xa9\\xff\\xe2\\x82");
  CHECK(one_line("\xe2\x80\xae") == "\\u202e");
  CHECK(one_line("0123456789", 10) == "0123456789");
  CHECK(one_line("0123456789a", 10) == "0123456...");
  CHECK(one_line("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 10) == "\xe2\x82\xac\xe2\x82\xac...");
  const std::string once = one_line(std::string(1000, '\0'), 50);
  CHECK(once.size() <= 50);
  CHECK(one_line(once, 50) == once);
  CHECK(compiled::ask_text(question().dump() + std::string(1, '\0') + "garbage")["code"] == "bad_json");
  CHECK(compiled::ask(with(question(), {{"step", nullptr}}))["status"] == "ok");
}

TEST_CASE("versions and dates as text", "[io][ask]") {
  using kind = io::version_text_result::kind;
  for (const char* good : {"0.11.0", "v0.8.5", "0.8.5.post1", "0.11.1rc2", "0.14.0rc2.dev160+g12ab.cu128", "0.11",
                           "0.11.0-rc1", "0.10.2+cu128", "0.6.0a1", "1.2.3.4"})
    CHECK((io::read_version_text(good).is == kind::release));
  for (const char* build : {"0.1.dev19754+g3a0914114", "nightly", "Nightly-abc", "nightly 2025-10-02"})
    CHECK((io::read_version_text(build).is == kind::development));
  for (const char* bad : {"", "abc", "main", "0.8.5junk", "0.11.0 garbage", "0.11.0.", "0.11.0+", "0.11.x", "11",
                          "2025-10-02", "2025.10.2", "0.11.0-a b", "0.11.0\n", "nightlyx"})
    CHECK((io::read_version_text(bad).is == kind::unreadable));
  CHECK(io::read_date_text("2024-02-29").known());
  for (const char* bad :
       {"", "2025-02-29", "2025-02-31", "2025-13-01", "2025-10-02junk", "2025-1-2", "1999-01-01", "2025/10/02"})
    CHECK((!io::read_date_text(bad).known()));
}

TEST_CASE("visible bytes, pins, rules, unequal devices", "[io][ask]") {
  const json seen = compiled::ask(with(question(), {{"accelerator", "my card"}, {"visible_bytes", 50000000000}}));
  INFO(seen.dump());
  CHECK(seen["ranks"][0]["capacity_bytes"] == 50000000000);
  CHECK(value_of_assumption(seen, "accelerator") == "my card");
  CHECK(compiled::ask(with(question(), {{"accelerator", nullptr}, {"visible_bytes", 50000000000}}))["status"] == "ok");

  const json pinned = compiled::ask(
      with(question(),
           {{"given", {{"weight_bytes", 12345}, {"activation_bytes", 0}, {"runtime_bytes", 0}, {"graph_bytes", 0}}}}));
  CHECK(pinned["ranks"][0]["weight_bytes"] == 12345);
  CHECK(pinned["ranks"][0]["kv_available_bytes"]["low"] == pinned["ranks"][0]["kv_available_bytes"]["high"]);

  const json ruled = compiled::ask(with(question(), {{"engine", {{"rules", {{"block_size_default", 64}}}}}}));
  CHECK(ruled["kv"]["block_tokens"] == 64);

  const json unequal =
      compiled::ask({{"model", {{"name", "llama-3.1-8b"}}},
                     {"devices", json::array({{{"accelerator", "L4"}}, {{"accelerator", "A100 PCIe 40GB"}}})},
                     {"engine", {{"max_model_len", 4096}}}});
  INFO(unequal.dump());
  REQUIRE(unequal["status"] == "ok");
  CHECK(unequal["ranks"].size() == 2);
  CHECK(unequal["binding"]["rank"] == 0);
}
