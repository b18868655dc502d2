// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <random>
#include <ullage/catalog.hpp>
#include <ullage/io/hf_config.hpp>
#include <ullage/memory.hpp>

#include "support/catch.hpp"

using namespace ullage;
using nlohmann::json;

namespace {

json llama_config() {
  return {{"model_type", "llama"},      {"hidden_size", 4096},
          {"intermediate_size", 14336}, {"num_hidden_layers", 32},
          {"num_attention_heads", 32},  {"num_key_value_heads", 8},
          {"vocab_size", 128256},       {"max_position_embeddings", 131072},
          {"torch_dtype", "bfloat16"}};
}
/// A config with one field set; a null removes it.
json with(json config, const char* key, json value) {
  config.merge_patch({{key, std::move(value)}});
  return config;
}
/// Number of scales of a block format in a whole checkpoint.
std::int64_t scales_in(const transformer& m) {
  weight_scheme bare = m.stored;
  bare.linear.block_cols = bare.experts.block_cols = bare.head.block_cols = 0;
  return (integer(stored_weights(m, m.stored)) - integer(stored_weights(m, bare))) / 4;
}

}  // namespace

TEST_CASE("published parameter counts are met to the last digit", "[io][config]") {
  std::ifstream file(ULLAGE_TEST_DATA "/model_parameters.jsonl");
  REQUIRE(file);
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    const json row = json::parse(line);
    INFO(row["model"].get<std::string>());
    ++rows;
    const io::result<io::config_model> read = io::read_hf_config(row["config"], row["model"].get<std::string>());
    if (!read) FAIL(read.problem().message);
    const parameter_counts p = parameters(read->model);
    CHECK(p.total.value() == row["parameters"].get<std::int64_t>());
    const json extra = row.value("stored_extra", json::object());
    if (extra.contains("mtp")) CHECK(p.mtp.value() == extra["mtp"].get<std::int64_t>());
    if (extra.contains("scales")) CHECK(scales_in(read->model) == extra["scales"].get<std::int64_t>());
    if (extra.contains("tied_head"))
      CHECK(read->model.vocabulary * read->model.hidden == extra["tied_head"].get<std::int64_t>());
  }
  CHECK(rows == 84);
}

TEST_CASE("built-in models agree with their configs", "[io][config]") {
  std::ifstream file(ULLAGE_TEST_DATA "/model_parameters.jsonl");
  int met = 0;
  for (std::string line; std::getline(file, line);) {
    const json row = json::parse(line);
    const std::string name = row["model"];
    const transformer* built_in = catalog::find_model(name);
    if (built_in == nullptr) continue;
    INFO(name);
    ++met;
    const io::result<io::config_model> read = io::read_hf_config(row["config"]);
    REQUIRE(read);
    CHECK(parameters(read->model).total == parameters(*built_in).total);
    CHECK(parameters(read->model).active == parameters(*built_in).active);
    CHECK(stored_weights(read->model, read->model.stored) == stored_weights(*built_in, built_in->stored));
    CHECK(kv_cache(read->model, of<tokens>(1000), of<sequences>(1), formats::bf16).total ==
          kv_cache(*built_in, of<tokens>(1000), of<sequences>(1), formats::bf16).total);
    CHECK(read->model.max_position == built_in->max_position);
  }
  CHECK(met >= 5);
}

TEST_CASE("DeepSeek-V3 is stored to the byte", "[io][config]") {
  std::ifstream file(ULLAGE_TEST_DATA "/model_parameters.jsonl");
  for (std::string line; std::getline(file, line);) {
    const json row = json::parse(line);
    if (row["model"] != "deepseek-ai/DeepSeek-V3") continue;
    const io::result<io::config_model> read = io::read_hf_config(row["config"]);
    REQUIRE(read);
    // total_size of its weight index
    CHECK(integer(stored_weights(read->model, read->model.stored)) == 688574839360);
    return;
  }
  FAIL("no row of DeepSeek-V3");
}

TEST_CASE("what a config must say, and how a refusal reads", "[io][config]") {
  struct broken {
    json config;
    io::error_code code;
    std::string field;
  };
  using io::error_code;
  json many = llama_config();
  many["num_hidden_layers"] = 513;
  const std::vector<broken> cases{
      {with(llama_config(), "model_type", "no_such_model"), error_code::unknown_architecture,
       "model.config.model_type"},
      {with(llama_config(), "model_type", nullptr), error_code::incomplete_config, "model.config.model_type"},
      {with(llama_config(), "vocab_size", nullptr), error_code::incomplete_config, "model.config.vocab_size"},
      {with(llama_config(), "num_hidden_layers", -3), error_code::bad_value, "model.config.num_hidden_layers"},
      {with(llama_config(), "num_hidden_layers", 31.5), error_code::bad_value, "model.config.num_hidden_layers"},
      {with(llama_config(), "num_hidden_layers", "32"), error_code::bad_value, "model.config.num_hidden_layers"},
      {with(llama_config(), "num_hidden_layers", json::array({32})), error_code::bad_value,
       "model.config.num_hidden_layers"},
      {many, error_code::too_many_layers, "model.config.num_hidden_layers"},
      {with(llama_config(), "hidden_size", std::int64_t{1} << 62), error_code::overflow, "model.config.hidden_size"},
      {with(llama_config(), "hidden_size", 1e300), error_code::overflow, "model.config.hidden_size"},
      {with(llama_config(), "hidden_size", 4097), error_code::bad_value, "model.config.num_attention_heads"},
      {with(llama_config(), "num_key_value_heads", 5), error_code::bad_value, "model.config.num_key_value_heads"},
      {with(llama_config(), "num_attention_heads", 0), error_code::bad_value, "model.config.num_attention_heads"},
      {with(llama_config(), "attention_window_size", 512), error_code::unknown_field,
       "model.config.attention_window_size"},
      {with(llama_config(), "sliding_window", 512), error_code::unknown_field, "model.config.sliding_window"},
      {with(llama_config(), "text_config", json::object()), error_code::unknown_field, "model.config.text_config"},
      {with(llama_config(), "add_cross_attention", true), error_code::unknown_field,
       "model.config.add_cross_attention"},
      {with(llama_config(), "architectures", json::array({"LlamaForSequenceClassification"})),
       error_code::unknown_architecture, "model.config.architectures"},
      {with(llama_config(), "something", 17), error_code::unknown_field, "model.config.something"},
      {with(llama_config(), "torch_dtype", "int3"), error_code::unknown_format, "model.config.torch_dtype"},
      {with(llama_config(), "quantization_config", {{"quant_method", "bitsandbytes"}}), error_code::unknown_format,
       "model.config.quantization_config.quant_method"},
      {with(llama_config(), "quantization_config", {{"bits", 4}}), error_code::unknown_format,
       "model.config.quantization_config.quant_method"},
      {with(llama_config(), "quantization_config", {{"quant_method", "gptq"}, {"bits", 3}}), error_code::unknown_format,
       "model.config.quantization_config.bits"},
      {with(llama_config(), "quantization_config", {{"quant_method", "awq"}}), error_code::unknown_format,
       "model.config.quantization_config.bits"},
      {with(llama_config(), "quantization_config",
            {{"quant_method", "fp8"}, {"modules_to_not_convert", {"model.layers.0.self_attn.q_proj"}}}),
       error_code::unknown_format, "model.config.quantization_config.modules_to_not_convert"},
      {with(llama_config(), "quantization_config", {{"quant_method", "fp8"}, {"zzz", 7}}), error_code::unknown_field,
       "model.config.quantization_config.zzz"},
      {with(llama_config(), "quantization_config", {{"quant_algo", "NVFP4"}, {"group_size", 32}}),
       error_code::unknown_format, "model.config.quantization_config.group_size"},
      {with(llama_config(), "quantization_config", {{"quant_algo", "NVFP4"}, {"quantized_layers", {{"a", 1}}}}),
       error_code::unknown_field, "model.config.quantization_config.quantized_layers"},
      {with(llama_config(), "quantization_config",
            {{"quantization", {{"quant_algo", "FP8"}, {"has_zero_point", true}}}}),
       error_code::unknown_field, "model.config.quantization_config.quantization.has_zero_point"},
      {with(llama_config(), "quantization_config", {{"quant_method", "awq"}, {"bits", 4}, {"zero_point", false}}),
       error_code::unknown_format, "model.config.quantization_config.zero_point"},
      {with(llama_config(), "quantization_config",
            {{"quant_method", "gptq"}, {"bits", 4}, {"checkpoint_format", "marlin"}}),
       error_code::unknown_format, "model.config.quantization_config.checkpoint_format"},
      {with(llama_config(), "quantization_config",
            {{"quant_algo", "NVFP4"}, {"config_groups", {{"g", {{"weights", {{"num_bits", 8}}}}}}}}),
       error_code::unknown_format, "model.config.quantization_config.config_groups.g.weights.num_bits"},
      {with(llama_config(), "quantization_config",
            {{"quant_method", "compressed-tensors"},
             {"config_groups", {{"g", {{"weights", {{"num_bits", 8}, {"type", "float"}, {"zzz", 1}}}}}}}}),
       error_code::unknown_field, "model.config.quantization_config.config_groups.g.weights.zzz"},
      {with(llama_config(), "quantization_config", {{"quant_method", "fp8"}, {"kv_cache_scheme", {{"num_bits", 4}}}}),
       error_code::unknown_format, "model.config.quantization_config.kv_cache_scheme"},
      {with(with(llama_config(), "quantization_config", {{"quant_method", "fp8"}}), "compression_config",
            {{"quant_method", "fp8"}}),
       error_code::unknown_format, "model.config.compression_config"},
      {with(llama_config(), "quantization_config", 4), error_code::bad_value, "model.config.quantization_config"},
      {json::array(), error_code::bad_value, "model.config"},
      {json("text"), error_code::bad_value, "model.config"},
  };
  for (const broken& b : cases) {
    INFO(b.config.dump());
    const io::result<io::config_model> read = io::read_hf_config(b.config);
    REQUIRE_FALSE(read);
    CHECK(io::name(read.problem().code) == io::name(b.code));
    CHECK(read.problem().field == b.field);
    CHECK(read.problem().message.find(b.field) != std::string::npos);
  }
}

TEST_CASE("windows of layers follow the config's words", "[io][config]") {
  const auto sliding_layers = [](const json& config) {
    const io::result<io::config_model> read = io::read_hf_config(config);
    if (!read) UNSCOPED_INFO(read.problem().message);
    REQUIRE(read);
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < read->model.layers; ++i) {
      const attention& a = read->model.layer(i).attention;
      n += a.kind == attention_kind::sliding ? 1 : 0;
      CHECK((a.kind == attention_kind::sliding) == (a.window > 0));
    }
    return n;
  };
  json mistral = llama_config();
  mistral["model_type"] = "mistral";
  CHECK(sliding_layers(mistral) == 0);
  CHECK(sliding_layers(with(mistral, "sliding_window", nullptr)) == 0);
  CHECK(sliding_layers(with(mistral, "sliding_window", 131072)) == 32);
  CHECK(sliding_layers(with(mistral, "sliding_window", 4096)) == 32);
  json qwen = llama_config();
  qwen["model_type"] = "qwen2";
  qwen["sliding_window"] = 4096;
  qwen["max_window_layers"] = 21;
  CHECK(sliding_layers(qwen) == 0);
  CHECK(sliding_layers(with(qwen, "use_sliding_window", false)) == 0);
  CHECK(sliding_layers(with(qwen, "use_sliding_window", true)) == 11);
  json types = json::array();
  for (int i = 0; i < 32; ++i) types.push_back("full_attention");
  CHECK(sliding_layers(with(qwen, "layer_types", types)) == 0);
  types[3] = "sliding_attention";
  CHECK(sliding_layers(with(with(qwen, "use_sliding_window", true), "layer_types", types)) == 1);
  CHECK_FALSE(io::read_hf_config(with(qwen, "layer_types", types)));  // switched off
  CHECK_FALSE(io::read_hf_config(with(qwen, "layer_types", json::array({"full_attention"}))));
  types[3] = "chunked_attention";
  CHECK_FALSE(io::read_hf_config(with(with(qwen, "use_sliding_window", true), "layer_types", types)));
}

TEST_CASE("formats of quantised checkpoints", "[io][config]") {
  struct stored {
    json quantization;
    std::string linear;
    std::string head;
  };
  const json group = {{"targets", {"Linear"}},
                      {"weights", {{"num_bits", 8}, {"type", "float"}, {"strategy", "channel"}, {"symmetric", true}}},
                      {"input_activations", {{"dynamic", true}}}};
  json tensor = group;
  tensor["weights"]["strategy"] = "tensor";
  tensor["input_activations"]["dynamic"] = false;
  json w4 = group;
  w4["weights"] = {{"num_bits", 4}, {"type", "int"}, {"strategy", "group"}, {"group_size", 128}, {"symmetric", true}};
  const std::vector<stored> cases{
      {{{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}}, "fp8_block", "bf16"},
      {{{"quant_method", "fp8"}, {"activation_scheme", "dynamic"}}, "fp8", "bf16"},
      {{{"quant_method", "fp8"}, {"activation_scheme", "static"}}, "fp8_static", "bf16"},
      {{{"quant_method", "compressed-tensors"}, {"ignore", {"lm_head"}}, {"config_groups", {{"group_0", group}}}},
       "fp8_channel",
       "bf16"},
      {{{"quant_method", "compressed-tensors"}, {"ignore", json::array()}, {"config_groups", {{"group_0", group}}}},
       "fp8_channel",
       "fp8_channel"},
      {{{"quant_method", "compressed-tensors"},
        {"ignore", {"re:.*lm_head", "re:.*mlp.gate$"}},
        {"config_groups", {{"group_0", tensor}}}},
       "fp8_static",
       "bf16"},
      {{{"quant_method", "compressed-tensors"}, {"ignore", {"lm_head"}}, {"config_groups", {{"group_0", w4}}}},
       "int4_g128_sym",
       "bf16"},
      {{{"quant_method", "modelopt"}, {"quant_algo", "FP8"}, {"exclude_modules", {"lm_head"}}}, "fp8_static", "bf16"},
      {{{"quant_algo", "NVFP4"}, {"ignore", {"lm_head", "model.layers.0.mlp.gate"}}}, "nvfp4", "bf16"},
      {{{"quantization", {{"quant_algo", "FP8"}, {"kv_cache_quant_algo", "FP8"}}}}, "fp8_static", "bf16"},
      {{{"quant_method", "awq"}, {"bits", 4}, {"group_size", 128}}, "int4", "bf16"},
      {{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 32}}, "int4_g32", "bf16"},
      {{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}, {"lm_head", true}}, "int4", "int4"},
      {{{"quant_method", "gptq"}, {"bits", 8}, {"group_size", -1}}, "int8_channel", "bf16"},
      {{{"quant_method", "mxfp4"}}, "mxfp4", "bf16"},
      // As published: what tools write beside the sizes changes no byte.
      {{{"quant_method", "gptq"},
        {"bits", 4},
        {"group_size", 128},
        {"checkpoint_format", "gptq"},
        {"damp_percent", 0.0025},
        {"desc_act", true},
        {"meta", {{"quantizer", "gptqmodel:0.9.10-dev0"}}},
        {"static_groups", false},
        {"sym", true},
        {"true_sequential", true},
        {"dataset", "c4"},
        {"use_exllama", true},
        {"exllama_config", {{"version", 1}}}},
       "int4",
       "bf16"},
      {{{"quant_method", "awq"}, {"bits", 4}, {"group_size", 128}, {"version", "GEMM"}, {"zero_point", true}},
       "int4",
       "bf16"},
      {{{"quant_method", "fp8"},
        {"activation_scheme", "dynamic"},
        {"fmt", "e4m3"},
        {"scale_fmt", "ue8m0"},
        {"weight_block_size", {128, 128}},
        {"dequantize", false}},
       "fp8_block",
       "bf16"},
      {{{"quant_algo", "FP8"},
        {"kv_cache_scheme", "FP8"},
        {"ignore", {"lm_head"}},
        {"producer", {{"name", "modelopt"}, {"version", "0.31.0"}}},
        {"config_groups",
         {{"group_0",
           {{"input_activations", {{"dynamic", false}, {"num_bits", 8}, {"type", "float"}}},
            {"weights", {{"dynamic", false}, {"num_bits", 8}, {"type", "float"}}}}}}}},
       "fp8_static",
       "bf16"},
  };
  for (const stored& s : cases) {
    INFO(s.quantization.dump());
    const io::result<io::config_model> read =
        io::read_hf_config(with(llama_config(), "quantization_config", s.quantization));
    if (!read) FAIL(read.problem().message);
    CHECK(read->model.stored.linear.name == s.linear);
    CHECK(read->model.stored.head.name == s.head);
    CHECK(read->model.stored.kept.name == "bf16");
  }
}

TEST_CASE("what is wrong with a config's text names field and file", "[io][config]") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("ullage_io_config_" + std::to_string(std::random_device{}()));
  fs::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const auto refused = [&](const char* in_message) {
    const io::result<io::config_model> read = io::read_hf_config_file(folder.string());
    REQUIRE_FALSE(read);
    INFO(read.problem().message);
    CHECK(read.problem().field.starts_with("model.path"));
    CHECK(read.problem().message.starts_with("model.path"));
    CHECK(read.problem().message.find(in_message) != std::string::npos);
    return std::string(io::name(read.problem().code));
  };
  write("config.json", "{ x");
  CHECK(refused("/config.json") == "bad_json");
  write("config.json", llama_config().dump() + std::string(1, '\0') + "x");
  CHECK(refused("NUL") == "bad_json");
  write("config.json", llama_config().dump());
  CHECK(io::read_hf_config_file(folder.string()));
  write("hf_quant_config.json", "{");
  CHECK(refused("hf_quant_config.json") == "bad_json");
  write("hf_quant_config.json", "3");
  CHECK(refused("hf_quant_config.json") == "bad_value");
  write("hf_quant_config.json", R"({"quantization": {"quant_algo": "FP3"}})");
  CHECK(refused("hf_quant_config.json") == "unknown_format");
  write("hf_quant_config.json", R"({"quantization": {"quant_algo": "FP8", "group_size": null}})");
  CHECK(io::read_hf_config_file(folder.string())->model.stored.linear.name == "fp8_static");
  // null is absent: the file beside counts.
  json silent = llama_config();
  silent["quantization_config"] = nullptr;
  write("config.json", silent.dump());
  CHECK(io::read_hf_config_file(folder.string())->model.stored.linear.name == "fp8_static");
  fs::remove(folder / "hf_quant_config.json");
  fs::create_directory(folder / "hf_quant_config.json");
  CHECK(refused("hf_quant_config.json") == "bad_file");
  fs::remove_all(folder);
}

TEST_CASE("text of a config", "[io][config]") {
  CHECK(io::read_hf_config_text(llama_config().dump()));
  const auto code = [](std::string_view text) {
    return std::string(io::name(io::read_hf_config_text(text).problem().code));
  };
  CHECK(code("") == "bad_json");
  CHECK(code(" \n") == "bad_json");
  CHECK(code("{") == "bad_json");
  CHECK(code("{\"a\": 1, \"a\": 2}") == "bad_json");
  CHECK(code("{\"a\": NaN}") == "bad_json");
  CHECK(code("{\"a\": 1e999}") == "bad_json");
  CHECK(code(std::string(100000, '[')) == "bad_json");
  CHECK(code("\xff\xfe{}") == "bad_json");
  CHECK(std::string(io::name(io::read_hf_config_file("/nowhere/at/all").problem().code)) == "bad_file");
  CHECK(std::string(io::name(io::read_hf_config_file("").problem().code)) == "bad_file");
  CHECK(std::string(io::name(io::read_hf_config_file("a.safetensors").problem().code)) == "bad_file");
}
