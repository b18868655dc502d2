// SPDX-License-Identifier: Apache-2.0
// Start-up logs of vLLM: what is read of them, the request they make, the comparison, and the calibration that comes of it.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <ullage/io/calibrate.hpp>
#include <ullage/io/calibration.hpp>
#include <ullage/io/vllm_log.hpp>

#include "support/catch.hpp"
#include "support/readers.hpp"

using namespace ullage;
using io::json;

namespace {

constexpr double gib = 1073741824.0;

std::string text_of(const std::string& name) {
  std::ifstream in(std::string(ULLAGE_TEST_DATA) + "/vllm_logs/" + name, std::ios::binary);
  REQUIRE(in);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}
io::vllm_log read(const std::string& text) {
  const io::result<io::vllm_log> log = compiled::read_vllm_log(text);
  REQUIRE(log.ok());
  return *log;
}
/// The middle of a printed size, to the two decimals of the log.
double shown(io::printed_bytes b) {
  REQUIRE(b.given());
  return std::round(static_cast<double>(b.mid()) / gib * 100) / 100;
}
json calibrated(const std::string& log, json asked = json::object()) {
  asked["ask"] = "calibrate";
  asked["log"] = {{"text", log}};
  const io::result<json> a = compiled::calibrate_answer(asked);
  INFO((a ? std::string() : a.problem().message));
  REQUIRE(a.ok());
  return *a;
}
io::error refused(const std::string& log, json asked = json::object()) {
  asked["log"] = {{"text", log}};
  const io::result<json> a = compiled::calibrate_answer(asked);
  REQUIRE(!a.ok());
  return a.problem();
}
const json& row(const json& a, const std::string& term) {
  static const json none;
  for (const json& r : a["terms"])
    if (r["term"] == term) return r;
  FAIL("no row " + term);
  return none;
}
bool has_row(const json& a, const std::string& term) {
  for (const json& r : a["terms"])
    if (r["term"] == term) return true;
  return false;
}
std::string why_of(const json& list, const std::string& key, const std::string& name) {
  std::string all;
  for (const json& x : list)
    if (x[key] == name) all += x["why"].get<std::string>() + "\n";
  return all;
}
verdict planned(const io::request& q) {
  return fits(q.model, q.parts, q.parallel, q.engine, q.load, &q.given);
}
io::request taken(const json& tree) {
  io::result<io::request> q = compiled::read_request(tree);
  INFO((q ? std::string() : q.problem().message));
  REQUIRE(q.ok());
  return *q;
}

const std::string h100 = "v0.19.0-llama-3.1-8b-h100.log";

}  // namespace

TEST_CASE("the oldest style: a line of key=value, blocks of GPU and CPU") {
  const io::vllm_start s = read(text_of("v0.6.4-llama-3.1-8b-rtx3090.log")).last;
  REQUIRE(s.ranks.size() == 1);
  const io::log_rank& r = s.ranks[0];
  CHECK(s.version == "0.6.4.post1");
  CHECK(s.generation == "V0");
  CHECK(shown(r.memory) == 23.58);
  CHECK(shown(r.weights) == 14.99);
  CHECK(r.weights.high - r.weights.low < 120000);  // four decimals
  CHECK(shown(r.peak_torch) == 17.06);
  CHECK(shown(r.runtime) == 0.35);
  CHECK(shown(r.kv_available) == 3.81);
  CHECK(s.kv_blocks == 1952);
  CHECK(s.cpu_blocks == 2048);
  CHECK(s.max_concurrency == 1.56);
  CHECK(s.concurrency_tokens == 20000);
  CHECK(s.gpu_memory_utilization == 0.9);
  CHECK(s.option({"max_seq_len"}) == "20000");
}

TEST_CASE("the V0 engine's sentence of terms, its ranks, its colours and its refusal") {
  const io::vllm_start s = read(text_of("v0.7.2-r1-distill-14b-2x4090-refused.log")).last;
  REQUIRE(s.ranks.size() == 2);
  const io::log_rank& r = s.ranks[0];
  CHECK(r.name == "VllmWorkerProcess");
  CHECK(shown(r.memory) == 23.55);
  CHECK(shown(r.budget) == 23.08);
  CHECK(shown(r.activation) == 0.19);
  CHECK(shown(r.runtime) == 0.25);
  CHECK(shown(r.kv_available) == 8.69);
  CHECK(s.outcome == io::start_outcome::kv_too_small);
  CHECK(s.max_model_len == 131072);
  CHECK(s.longest_possible == 81536);
  CHECK(s.option({"tensor_parallel_size"}) == "2");
}

TEST_CASE("arguments of a namespace come before the share that a sentence rounds") {
  const io::vllm_start s = read(text_of("v0.8.2-llama-3.2-3b-t4.log")).last;
  CHECK(s.option({"gpu_memory_utilization"}) == "0.894");
  CHECK(s.gpu_memory_utilization == 0.89);
  CHECK(s.option({"block_size"}).empty());  // None
  const io::result<io::log_request> q = compiled::request_of_log(s, json{{"accelerator", "T4"}});
  REQUIRE(q.ok());
  CHECK(q->tree["engine"]["gpu_memory_utilization"] == 0.894);
  CHECK(q->tree["engine"]["max_num_seqs"] == 192);
  CHECK(q->tree["engine"]["rules"]["unchunked_prefill"] == 1.0);  // V0 in a release that starts V1
}

TEST_CASE("where nothing but the sentence says the share, the budget over the memory does") {
  const std::string log =
      "INFO llm_engine.py:1] Initializing a V0 LLM engine (v0.8.2) with config: "
      "model='meta-llama/Llama-3.2-3B-Instruct', max_seq_len=2048\n"
      "INFO worker.py:267] the current vLLM instance can use total_gpu_memory (14.74GiB) x gpu_memory_utilization "
      "(0.89) = 13.18GiB\n";
  const io::result<io::log_request> q = compiled::request_of_log(read(log).last, json{{"accelerator", "T4"}});
  REQUIRE(q.ok());
  CHECK(q->tree["engine"]["gpu_memory_utilization"].get<double>() == Catch::Approx(0.8942).margin(0.0003));
}

TEST_CASE("the V1 engine: config, profile, graphs, tokens with commas, summary") {
  const io::vllm_start s = read(text_of(h100)).last;
  REQUIRE(s.ranks.size() == 1);
  const io::log_rank& r = s.ranks[0];
  CHECK(s.version == "0.19.0");
  CHECK(s.generation == "V1");
  CHECK(s.outcome == io::start_outcome::started);
  CHECK(shown(r.budget) == 75.23);
  CHECK(shown(r.memory) == 79.19);
  CHECK(shown(r.free_at_start) == 78.68);
  CHECK(shown(r.graphs_estimated) == 0.84);
  CHECK(shown(r.graphs_captured) == 0.91);
  CHECK(s.kv_tokens == 476016);
  CHECK(s.graphs_inside_budget == false);
  CHECK(s.option({"max_num_seqs"}) == "1024");
  CHECK(s.option({"enable_prefix_caching"}) == "False");
}

TEST_CASE("a log says the same with colours, prefixes, line ends of any kind, and its ranks in any order") {
  const std::string plain = text_of(h100);
  const io::vllm_start expected = read(plain).last;
  const auto same = [&](const std::string& log) {
    const io::vllm_start s = read(log).last;
    REQUIRE(s.ranks.size() == 1);
    for (io::printed_bytes io::log_rank::*m : io::log_rank::members()) CHECK(s.ranks[0].*m == expected.ranks[0].*m);
    CHECK(s.kv_tokens == expected.kv_tokens);
    CHECK(s.max_concurrency == expected.max_concurrency);
    CHECK(s.config == expected.config);
    CHECK(s.arguments == expected.arguments);
  };
  std::string colours;
  std::string prefixed;
  std::string carriage;
  std::istringstream lines(plain);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t close = line.find(')');
    colours += line[0] == '(' ? "\x1b[0;36m" + line.substr(0, close + 1) + "\x1b[0;0m" + line.substr(close + 1) + "\n"
                              : line + "\n";
    prefixed += "2026-04-22 22:45:52.944 | vllm-1  | " + line + "\n";
    carriage += line + "\r\n";
  }
  same(colours);
  same(prefixed);
  same(carriage);

  const io::vllm_start many = read(text_of("v0.19.0-llama-3.1-8b-4xh100-crlf.log")).last;
  REQUIRE(many.ranks.size() == 4);
  for (const io::log_rank& r : many.ranks) {
    CHECK(shown(r.weights) == 3.77);
    CHECK(shown(r.kv_available) == 67.44);
  }
  CHECK(many.ranks[2].number == 2);
}

TEST_CASE("the last of several starts is taken, and replicas are one start") {
  const io::vllm_log log = read(text_of("v0.22.0-gpt-oss-120b-h200-twice.log"));
  CHECK(log.starts == 2);
  CHECK(log.last.option({"max_seq_len"}) == "9472");
  CHECK(log.last.outcome == io::start_outcome::started);
  CHECK(log.last.device == "NVIDIA H200");
  CHECK(shown(log.last.ranks.at(0).kv_available) == 57.24);

  const std::string replicas =
      "(APIServer pid=1) INFO non-default args: {'model': 'm', 'data_parallel_size': 2}\n"
      "(EngineCore_DP0 pid=2) INFO Initializing a V1 LLM engine (v0.11.0) with config: model='m'\n"
      "(EngineCore_DP0 pid=2) INFO Model loading took 1.00 GiB\n"
      "(EngineCore_DP1 pid=3) INFO Initializing a V1 LLM engine (v0.11.0) with config: model='m'\n"
      "(EngineCore_DP1 pid=3) INFO Model loading took 1.00 GiB\n";
  CHECK(read(replicas).starts == 1);
  CHECK(read(replicas).last.ranks.size() == 2);
  CHECK(read(replicas + replicas).starts == 2);
  // Excerpts that begin with the weights.
  const std::string excerpt = "INFO Model loading took 1.00 GiB\nINFO GPU KV cache size: 100 tokens\n";
  CHECK(read(excerpt + excerpt).starts == 2);
}

TEST_CASE("refusals and failures of old and new releases") {
  const auto last = [](const std::string& line) { return read("(EngineCore pid=7) " + line).last; };
  const io::vllm_start a = last(
      "ValueError: To serve at least one request with the models's max seq len (32768), (4.00 GiB KV cache is needed, "
      "which is larger than "
      "the available KV cache memory (1.49 GiB). Based on the available memory, the estimated maximum model length is "
      "12192.");
  CHECK(a.outcome == io::start_outcome::kv_too_small);
  CHECK(a.max_model_len == 32768);
  CHECK(shown(a.kv_needed) == 4.0);
  CHECK(shown(a.ranks.at(0).kv_available) == 1.49);
  CHECK(a.longest_possible == 12192);
  // Without the stray bracket, and broken by a page.
  const io::vllm_start b = last(
      "To serve at least one request with the model's max seq len\n(262144), 24.0 GiB KV cache is needed, which is "
      "larger than the "
      "available KV cache memory (3.18 GiB). Estimated maximum model length is 34736.");
  CHECK(b.max_model_len == 262144);
  CHECK(shown(b.kv_needed) == 24.0);
  CHECK(b.longest_possible == 34736);
  CHECK(last("ValueError: No available memory for the cache blocks. Try").outcome == io::start_outcome::no_kv);
  const io::vllm_start o = last(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 79.15 "
      "GiB of which");
  CHECK(o.outcome == io::start_outcome::out_of_memory);
  CHECK(shown(o.tried) == 0.5);
  CHECK(shown(o.ranks.at(0).memory) == 79.15);
  const io::vllm_start busy = read(text_of("v0.19.0-kimi-dev-72b-h100-busy.log")).last;
  CHECK(busy.outcome == io::start_outcome::device_full);
  CHECK(shown(busy.ranks.at(0).free_at_start) == 60.85);
}

TEST_CASE("the newest summary names what was consumed, and a cache may be told in bytes") {
  const io::vllm_start s = read(
                               "(EngineCore pid=1) INFO Model loading took 10.21 GiB memory and 3 seconds\n"
                               "(EngineCore pid=1) INFO Free memory on device (15.28/15.51 GiB) on startup. Desired "
                               "GPU memory utilization is (0.92, "
                               "14.27 GiB). Actual usage is 10.47 GiB for consumed memory (weights + non-torch), 0.79 "
                               "GiB for peak activation, and 0.04 "
                               "GiB for CUDAGraph memory. Current kv cache memory in use is 3231561913 bytes.\n")
                               .last;
  const io::log_rank& r = s.ranks.at(0);
  CHECK(shown(r.consumed) == 10.47);
  CHECK(shown(r.activation) == 0.79);
  CHECK(shown(r.graphs_captured) == 0.04);
  CHECK(!r.runtime.given());
  CHECK(r.kv_available.low == 3231561913);
  CHECK(r.kv_available.high == 3231561913);
  const io::vllm_start f = read(
                               "INFO Initial free memory 31.17 GiB, reserved 1.62 GiB memory for KV Cache as specified "
                               "by kv_cache_memory_bytes")
                               .last;
  CHECK(shown(f.cache_fixed) == 1.62);
}

TEST_CASE("a printed size holds all that rounds to it, and fewer decimals say no less") {
  const auto size = [](const std::string& text) {
    io::printed_bytes b;
    io::detail::text_cursor c(text, 0);
    c.size(b);
    return b;
  };
  const io::printed_bytes two = size("14.99 GiB");
  CHECK(two.low <= static_cast<std::int64_t>(14.985 * gib) + 1);
  CHECK(two.high >= static_cast<std::int64_t>(14.995 * gib) - 1);
  CHECK(size("15.2 GiB").high - size("15.2 GiB").low == Catch::Approx(0.01 * gib).margin(2));
  CHECK(size("14.9888 GB").high - size("14.9888 GB").low == Catch::Approx(0.0001 * gib).margin(2));
  CHECK(size("-0.12 GiB").high < 0);
  CHECK(size("512.00 MiB").mid() == Catch::Approx(536870912).margin(5300));
  CHECK(!size("14.99 apples").given());
  CHECK(!size("99999999999999999999999 GiB").given());
  double x = 0;
  CHECK(io::detail::text_cursor("20,992 tokens", 0).number(x).ok());
  CHECK(x == 20992);
  CHECK(io::detail::text_cursor("0.95, 30.9", 0).number(x).ok());
  CHECK(x == 0.95);
}

TEST_CASE("a text that is no such log is refused") {
  const io::result<io::vllm_log> r = compiled::read_vllm_log("hello\nworld", "log.path");
  REQUIRE(!r.ok());
  CHECK(r.problem().field == "log.path");
  CHECK(!compiled::read_vllm_log("").ok());
}

TEST_CASE("the largest captured step is taken from the arguments") {
  const io::vllm_start s = read(
                               "(APIServer pid=1) INFO non-default args: {'model': 'meta-llama/Llama-3.1-8B', "
                               "'max_cudagraph_capture_size': 2048}\n"
                               "(EngineCore pid=2) INFO Initializing a V1 LLM engine (v0.22.0) with config: "
                               "model='meta-llama/Llama-3.1-8B'\n"
                               "(EngineCore pid=2) INFO Model loading took 15.00 GiB\n")
                               .last;
  const io::result<io::log_request> q = compiled::request_of_log(s, json{{"accelerator", "H100 SXM"}});
  REQUIRE(q.ok());
  CHECK(q->tree["engine"]["max_cudagraph_capture_size"] == 2048);
}

TEST_CASE("a request is made of the log, what the asker says stands, and what nobody says is named") {
  const io::vllm_start s = read(text_of(h100)).last;
  const io::result<io::log_request> own =
      compiled::request_of_log(s, json{{"accelerator", "H100 SXM"}, {"engine", {{"max_num_seqs", 256}}}});
  REQUIRE(own.ok());
  CHECK(own->tree["model"] == "meta-llama/Llama-3.1-8B-Instruct");
  CHECK(own->tree["engine"]["version"] == "0.19.0");
  CHECK(own->tree["engine"]["max_num_seqs"] == 256);
  bool told = false;
  for (const io::assumption& a : own->assumed)
    told = told || (a.field == "engine.max_num_seqs" && a.why.find("1024") != std::string::npos);
  CHECK(told);
  // No part is named: the memory that is printed.
  const io::result<io::log_request> unnamed = compiled::request_of_log(s, json::object());
  REQUIRE(unnamed.ok());
  CHECK(unnamed->tree["visible_bytes"].get<double>() == Catch::Approx(79.19 * gib).epsilon(1e-4));

  const std::string line = "INFO Model loading took 1.00 GiB\n";
  CHECK(refused(line).field == "model");
  CHECK(refused(line, {{"model", "llama-3.1-8b"}}).field == "engine.version");
  CHECK(refused(line, {{"model", "llama-3.1-8b"}, {"engine", {{"version", "0.19.0"}}}}).field == "accelerator");
  CHECK(refused("(Worker_TP0 pid=1) " + line + "(Worker_TP1 pid=2) " + line,
                {{"model", "llama-3.1-8b"}, {"engine", {{"version", "0.19.0"}}}})
            .field == "parallel.tp");
  CHECK(refused(text_of("v0.24.0-qwen3.6-35b-a3b-rtx5090.log")).message.find("qwen3.6-35b-a3b-nvfp4") !=
        std::string::npos);
  CHECK(refused(text_of("v0.24.0-qwen3.6-35b-a3b-rtx5090.log"),
                {{"model", "qwen3.5-35b-a3b"}, {"accelerator", "RTX 5090"}})
            .field == "weights");
  CHECK(refused("INFO Using max model len 4096\n",
                {{"model", "llama-3.1-8b"}, {"accelerator", "L4"}, {"engine", {{"version", "0.19.0"}}}})
            .message.find("no memory") != std::string::npos);
  for (const char* key : {"given", "calibration", "load"}) CHECK(refused(line, {{key, json::object()}}).field == key);
}

TEST_CASE("paths of models by what lies there") {
  CHECK(io::detail::built_in_of("/data/models/Qwen3-Next-80B-A3B-Instruct/") == "qwen3-next-80b-a3b");
  CHECK(io::detail::built_in_of("/hub/models--meta-llama--Llama-3.1-8B-Instruct/snapshots/0e9e") ==
        "meta-llama/Llama-3.1-8B-Instruct");
  CHECK(io::detail::built_in_of("/model").empty());
  CHECK(io::detail::built_in_of("").empty());
}

TEST_CASE("a log inside the prediction: every term, and the allocator from the printed bytes") {
  const json a = calibrated(text_of(h100), {{"accelerator", "H100 SXM"}});
  CHECK(a["inside"] == true);
  for (const char* term :
       {"device_memory", "budget", "weights", "activation", "runtime", "graphs", "kv_available", "kv_tokens",
        "max_concurrency", "kv_tokens_of_printed_memory", "concurrency_of_printed_memory"})
    CHECK(row(a, term)["inside"] == true);
  CHECK(a["explanations"].empty());
  CHECK(a["calibration"]["rules"].empty());
}

TEST_CASE("terms that differ are named with what may explain them") {
  const json a = calibrated(text_of("v0.6.4-llama-3.1-8b-rtx3090.log"), {{"accelerator", "RTX 3090"}});
  CHECK(a["inside"] == false);
  CHECK(row(a, "activation")["inside"] == true);  // peak less weights
  CHECK(row(a, "runtime")["inside"] == false);
  CHECK(row(a, "kv_blocks_of_printed_memory")["inside"] == true);
  CHECK(why_of(a["explanations"], "term", "kv_available").find("runtime") != std::string::npos);
  // Weights in another format.
  json wrong = calibrated(text_of(h100), {{"accelerator", "H100 SXM"}, {"weights", "fp8"}});
  CHECK(row(wrong, "weights")["inside"] == false);
  CHECK(why_of(wrong["explanations"], "term", "weights").find("bf16") != std::string::npos);
  // Another part.
  wrong = calibrated(text_of(h100), {{"accelerator", "A100 SXM 80GB"}});
  CHECK(row(wrong, "device_memory")["inside"] == false);
  // A device that was not empty.
  const json busy = calibrated(text_of("v0.19.0-kimi-dev-72b-h100-busy.log"),
                               {{"model", "qwen2.5-72b"}, {"accelerator", "H100 SXM"}});
  CHECK(busy["log"]["outcome"] == "device_full");
  CHECK(why_of(busy["explanations"], "term", "device_memory").find("18.34 GiB") != std::string::npos);
  CHECK(busy["calibration"]["given"].empty());
}

TEST_CASE("terms that the log does not print apart are compared as their sum") {
  const json a = calibrated(text_of("v0.22.0-gpt-oss-120b-h200-twice.log"));
  CHECK(!has_row(a, "activation"));
  CHECK(row(a, "activation_and_runtime")["log"]["mid"].get<double>() / gib == Catch::Approx(1.40).margin(0.02));
  CHECK(a["log"]["starts"] == 2);
  CHECK(why_of(a["assumed"], "field", "log").find("last start") != std::string::npos);
  CHECK(a["calibration"]["given"]["runtime_bytes"]["basis"] == "transferred");
}

TEST_CASE("a rule that reproduces the print is found, written and taken") {
  // The same bytes, counted as a release of later does: concurrency times max_model_len.
  std::string log = text_of("v0.19.0-gemma-3-27b-h100.log");
  const std::string now = "GPU KV cache size: 36,560 tokens";
  const std::size_t at = log.find(now);
  REQUIRE(at != std::string::npos);
  log.replace(at, now.size(), "GPU KV cache size: 36,510 tokens");
  const json a = calibrated(log, {{"accelerator", "H100 SXM"}});
  CHECK(row(a, "kv_tokens_of_printed_memory")["inside"] == false);
  CHECK(a["calibration"]["rules"]["tokens_from_concurrency"] == 1.0);
  CHECK(why_of(a["explanations"], "term", "kv_tokens").find("tokens_from_concurrency 1") != std::string::npos);
  const io::request q = taken({{"model", "gemma-3-27b"}, {"calibration", a["calibration"]}});
  CHECK(q.engine.rules.tokens_from_concurrency == 1);
  CHECK(integer(planned(q).kv.reported) == 36510);
  // Tokens that no rule makes.
  const std::string stray = "GPU KV cache size: 36,510 tokens";
  log.replace(log.find(stray), stray.size(), "GPU KV cache size: 11,111 tokens");
  CHECK(why_of(calibrated(log, {{"accelerator", "H100 SXM"}})["explanations"], "term", "kv_tokens").find("no rule") !=
        std::string::npos);
}

TEST_CASE("whether graphs are inside the budget is as the engine states it, else as its figures add up") {
  std::string log = text_of(h100);
  // 0.84 GiB less for the cache: the figures add up with the graphs inside.
  const auto swap = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = log.find(from); at != std::string::npos; at = log.find(from, at + to.size()))
      log.replace(at, from.size(), to);
  };
  swap("58.11", "57.27");
  swap("In v0.19, CUDA graph memory profiling will be enabled by default", "CUDA graph memory profiling is enabled");
  const json a = calibrated(log, {{"accelerator", "H100 SXM"}});
  CHECK(a["calibration"]["rules"]["graphs_inside_budget"] == 1.0);
  CHECK(a["calibration"]["given"]["graph_bytes"]["mid"].get<double>() / gib == Catch::Approx(0.84).margin(0.001));
}

TEST_CASE("a calibration makes the prediction what was measured") {
  const json c = calibrated(text_of(h100), {{"accelerator", "H100 SXM"}})["calibration"];
  const io::request q = taken({{"model", "llama-3.1-8b"}, {"calibration", c}});
  const verdict v = planned(q);
  REQUIRE(v.answer == answer::fits);
  CHECK(integer(v.kv.reported) == 476016);
  CHECK(v.worst().activation.pinned());
  CHECK(v.worst().activation.from == basis::measured);
  CHECK(integer(v.max_model_len) == 8192);
  CHECK(memory_utilization_in(q.engine) == 0.95);
  CHECK(q.parts[0].id == "h100-sxm");
  const io::request four = taken({{"model", "llama-3.1-8b"},
                                  {"calibration", calibrated(text_of("v0.19.0-llama-3.1-8b-4xh100-crlf.log"),
                                                             {{"accelerator", "H100 SXM"}})["calibration"]}});
  CHECK(four.parallel.tp == 4);
  CHECK(integer(planned(four).kv.reported) == 2209792);
}

TEST_CASE("a term whose options differ is left out, and said so") {
  const json c = calibrated(text_of(h100), {{"accelerator", "H100 SXM"}})["calibration"];
  const auto with = [&](json more) {
    more["model"] = "llama-3.1-8b";
    more["calibration"] = c;
    return taken(more);
  };
  const auto says = [](const io::request& q, const std::string& term) {
    for (const io::assumption& a : q.assumed)
      if (a.field == "calibration.given." + term && a.value == "not used") return true;
    return false;
  };
  const auto given = [](bytes b) { return calibration::given(b); };
  io::request q = with({{"engine", {{"gpu_memory_utilization", 0.9}}}});
  CHECK(!given(q.given.kv_available));
  CHECK(given(q.given.activation));
  CHECK(says(q, "kv_available_bytes"));
  // The budget less what was measured: five percent of the device less than before.
  const bytes less = memory_budget(taken({{"model", "llama-3.1-8b"}, {"calibration", c}}).engine, q.parts[0]) -
                     memory_budget(q.engine, q.parts[0]);
  const double before = c["given"]["kv_available_bytes"]["mid"].get<double>();
  CHECK(real(planned(q).worst().kv_available.mid) == Catch::Approx(before - real(less)).margin(2e7));
  q = with({{"engine", {{"max_num_batched_tokens", 2048}}}});
  CHECK(!given(q.given.activation));
  CHECK(!given(q.given.kv_available));
  CHECK(given(q.given.weights));
  CHECK(says(q, "activation_bytes"));
  q = with({{"engine", {{"enforce_eager", true}}}});
  CHECK(!given(q.given.graphs));
  q = with({{"weights", "fp8"}});
  CHECK(!given(q.given.weights));
  CHECK(given(q.given.runtime));
  q = with({{"kv_cache", "fp8"}});
  CHECK(given(q.given.kv_available));
  // What the request gives itself stays.
  q = with({{"given", {{"weight_bytes", 1000}}}});
  CHECK(integer(q.given.weights) == 1000);
  // A longer load than max_model_len.
  q = with({{"load", {{"context", 20000}, {"concurrency", 2}}}});
  CHECK(q.engine.options.max_model_len == tokens{});
  CHECK(given(q.given.kv_available));
  // An engine that takes a prompt in one step profiles by its length.
  const json old = calibrated(text_of("v0.6.4-llama-3.1-8b-rtx3090.log"), {{"accelerator", "RTX 3090"}})["calibration"];
  CHECK(old["made_from"]["options"]["max_num_batched_tokens"].is_null());
  q = taken({{"model", "llama-3.1-8b"}, {"calibration", old}, {"engine", {{"max_model_len", 4096}}}});
  CHECK(!given(q.given.activation));
  CHECK(given(q.given.runtime));
}

TEST_CASE("a calibration is refused for what it was not measured on") {
  const json c = calibrated(text_of(h100), {{"accelerator", "H100 SXM"}})["calibration"];
  const auto problem = [&](json more) {
    if (!more.contains("model")) more["model"] = "llama-3.1-8b";
    if (!more.contains("calibration")) more["calibration"] = c;
    const io::result<io::request> q = compiled::read_request(more);
    REQUIRE(!q.ok());
    return q.problem();
  };
  CHECK(problem({{"model", "qwen3-8b"}}).field == "calibration.made_from.model");
  CHECK(problem({{"accelerator", "H200 SXM"}}).field == "calibration.made_from.accelerator");
  CHECK(problem({{"count", 2}}).field == "calibration.made_from.parallel");
  CHECK(problem({{"engine", {{"version", "0.20.0"}}}}).field == "calibration.made_from.engine");
  CHECK(problem({{"engine", {{"name", "plain"}}}, {"accelerator", "H100 SXM"}}).field ==
        "calibration.made_from.engine");
  CHECK(compiled::read_request(json{{"model", "llama-3.1-8b"}, {"calibration", c}, {"engine", {{"version", "0.19.1"}}}})
            .ok());
  const auto broken = [&](auto&& change) {
    json d = c;
    change(d);
    return problem({{"calibration", d}}).field;
  };
  CHECK(broken([](json& d) { d = 5; }) == "calibration");
  CHECK(broken([](json& d) { d["kind"] = "x"; }) == "calibration.kind");
  CHECK(broken([](json& d) { d["schema"] = 2; }) == "calibration.schema");
  CHECK(broken([](json& d) { d["more"] = 1; }) == "calibration.more");
  CHECK(broken([](json& d) { d["given"]["weights"] = 1; }) == "calibration.given.weights");
  CHECK(broken([](json& d) { d["given"]["weight_bytes"]["mid"] = 1; }) == "calibration.given.weight_bytes.mid");
  CHECK(broken([](json& d) { d["given"]["weight_bytes"] = -1; }) == "calibration.given.weight_bytes");
  CHECK(broken([](json& d) { d["rules"]["nothing"] = 1; }) == "calibration.rules.nothing");
  CHECK(broken([](json& d) { d["made_from"]["engine"]["version"] = "new"; }) == "calibration.made_from.engine.version");
  CHECK(broken([](json& d) { d["made_from"]["parallel"].erase("tp"); }) == "calibration.made_from.parallel.tp");
  CHECK(problem({{"calibration", {{"path", "/nowhere/at/all"}}}}).code == io::error_code::bad_file);
}
