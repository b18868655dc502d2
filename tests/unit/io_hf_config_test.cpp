// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <random>
#include <ullage/catalog.hpp>
#include <ullage/catalog/find_record.hpp>
#include <ullage/engine.hpp>
#include <ullage/io/hf_config.hpp>
#include <ullage/memory.hpp>

#include "support/catch.hpp"
#include "support/readers.hpp"

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
    const io::result<io::config_model> read = compiled::read_hf_config(row["config"], row["model"].get<std::string>());
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
    const io::result<io::config_model> read = compiled::read_hf_config(row["config"]);
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
    const io::result<io::config_model> read = compiled::read_hf_config(row["config"]);
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
      {with(llama_config(), "quantization_config", {{"quant_method", "gptq"}, {"bits", 5}}), error_code::unknown_format,
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
            {{"quant_method", "gptq"}, {"bits", 4}, {"checkpoint_format", "bitblas"}}),
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
            {{"quant_method", "mxfp4"}}),
       error_code::unknown_format, "model.config.compression_config"},
      {with(llama_config(), "quantization_config", 4), error_code::bad_value, "model.config.quantization_config"},
      {json::array(), error_code::bad_value, "model.config"},
      {json("text"), error_code::bad_value, "model.config"},
  };
  for (const broken& b : cases) {
    INFO(b.config.dump());
    const io::result<io::config_model> read = compiled::read_hf_config(b.config);
    REQUIRE_FALSE(read);
    CHECK(io::name(read.problem().code) == io::name(b.code));
    CHECK(read.problem().field == b.field);
    CHECK(read.problem().message.find(b.field) != std::string::npos);
  }
}

TEST_CASE("windows of layers follow the config's words", "[io][config]") {
  const auto sliding_layers = [](const json& config) {
    const io::result<io::config_model> read = compiled::read_hf_config(config);
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
  CHECK_FALSE(compiled::read_hf_config(with(qwen, "layer_types", types)));  // switched off
  CHECK_FALSE(compiled::read_hf_config(with(qwen, "layer_types", json::array({"full_attention"}))));
  types[3] = "chunked_attention";
  CHECK_FALSE(compiled::read_hf_config(with(with(qwen, "use_sliding_window", true), "layer_types", types)));
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
      {{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 32}}, "gptq4_g32", "bf16"},
      {{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}, {"lm_head", true}}, "gptq4_g128", "gptq4_g128"},
      {{{"quant_method", "gptq"}, {"bits", 8}, {"group_size", -1}}, "gptq8_channel", "bf16"},
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
       "gptq4_g128",
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
        compiled::read_hf_config(with(llama_config(), "quantization_config", s.quantization));
    if (!read) FAIL(read.problem().message);
    CHECK(read->model.stored.linear.name == s.linear);
    CHECK(read->model.stored.head.name == s.head);
    CHECK(read->model.stored.kept.name == "bf16");
  }
}

namespace {

/// Bytes of llama_config's checkpoint when the matrices of its layers take what `of` says of them.
template <class Of>
std::int64_t by_hand(Of of, std::int64_t head_bytes = 2 * 128256LL * 4096) {
  struct matrix {
    const char* name;
    std::int64_t rows, cols;
  };
  const matrix layer[] = {{"q_proj", 4096, 4096},    {"k_proj", 1024, 4096},     {"v_proj", 1024, 4096},
                          {"o_proj", 4096, 4096},    {"gate_proj", 14336, 4096}, {"up_proj", 14336, 4096},
                          {"down_proj", 4096, 14336}};
  std::int64_t total = 2 * 128256LL * 4096 + head_bytes + 2 * 4096;
  for (int i = 0; i < 32; ++i) {
    total += 2 * 2 * 4096;
    for (const matrix& m : layer) total += of(i, std::string(m.name), m.rows, m.cols);
  }
  return total;
}
std::int64_t wide(std::int64_t rows, std::int64_t cols) {
  return 2 * rows * cols;
}
std::int64_t gptq(std::int64_t bits, std::int64_t group, std::int64_t rows, std::int64_t cols) {
  const std::int64_t groups = cols / group;
  return rows * cols * bits / 8 + groups * rows * 2 + groups * rows * bits / 8 + 4 * cols;
}
std::int64_t packed(std::int64_t bits, std::int64_t group, std::int64_t rows, std::int64_t cols) {
  return gptq(bits, group, rows, cols) - 4 * cols;
}
/// Groups of 64 with a scale and an offset of 16 bits.
std::int64_t mlx(std::int64_t bits, std::int64_t rows, std::int64_t cols) {
  return rows * cols * bits / 8 + cols / 64 * rows * 4;
}
std::int64_t fp8_tensor(std::int64_t rows, std::int64_t cols) {
  return rows * cols + 8;
}
std::int64_t nvfp4(std::int64_t rows, std::int64_t cols) {
  return rows * cols / 2 + rows * cols / 16 + 8;
}
std::int64_t mxfp4(std::int64_t rows, std::int64_t cols) {
  return rows * cols / 2 + rows * cols / 32;
}
bool in_attention(const std::string& name) {
  return name.size() == 6;
}

json quark_scheme(const char* dtype, const char* scheme, json group, json format, bool dynamic_input) {
  return {{"weight",
           {{"dtype", dtype},
            {"qscheme", scheme},
            {"group_size", group},
            {"scale_format", format},
            {"ch_axis", 0},
            {"is_dynamic", false},
            {"symmetric", true},
            {"observer_cls", "PerTensorMinMaxObserver"}}},
          {"input_tensors", {{"dtype", "fp8_e4m3"}, {"qscheme", "per_tensor"}, {"is_dynamic", dynamic_input}}},
          {"output_tensors", nullptr},
          {"bias", nullptr}};
}
json quark(json scheme, json exclude = {"lm_head"}) {
  return {
      {"quant_method", "quark"},
      {"global_quant_config", std::move(scheme)},
      {"exclude", std::move(exclude)},
      {"algo_config", nullptr},
      {"layer_quant_config", json::object()},
      {"layer_type_quant_config", json::object()},
      {"export", {{"kv_cache_group", json::array()}, {"pack_method", "reorder"}, {"weight_format", "real_quantized"}}}};
}
json modelopt_map(json entries) {
  return {{"quant_method", "modelopt"}, {"quant_algo", "MIXED_PRECISION"}, {"quantized_layers", std::move(entries)}};
}
json group_of(json targets, int bits, const char* type, const char* strategy, json size) {
  return {{"targets", std::move(targets)},
          {"weights",
           {{"num_bits", bits},
            {"type", type},
            {"strategy", strategy},
            {"group_size", std::move(size)},
            {"symmetric", true},
            {"dynamic", false}}}};
}

}  // namespace

TEST_CASE("stored bytes of quantised checkpoints by hand", "[io][config]") {
  struct stored {
    json quantization;
    std::int64_t bytes;
    std::string scheme;
  };
  const auto all = [](auto f) {
    return by_hand([=](int, const std::string&, std::int64_t r, std::int64_t c) { return f(r, c); });
  };
  const auto by_part = [](auto attention, auto rest) {
    return by_hand([=](int, const std::string& n, std::int64_t r, std::int64_t c) {
      return in_attention(n) ? attention(r, c) : rest(r, c);
    });
  };
  const auto gptq_of = [](std::int64_t bits, std::int64_t group) {
    return [=](std::int64_t r, std::int64_t c) { return gptq(bits, group < 0 ? c : group, r, c); };
  };
  const auto packed_of = [](std::int64_t bits, std::int64_t group) {
    return [=](std::int64_t r, std::int64_t c) { return packed(bits, group < 0 ? c : group, r, c); };
  };
  json mixed = json::object();
  for (int i = 0; i < 32; ++i) {
    const std::string layer = "model.language_model.layers." + std::to_string(i);
    for (const char* m : {"q_proj", "k_proj", "v_proj", "o_proj"})
      mixed[layer + ".self_attn." + m] = {{"quant_algo", "FP8"}};
    for (const char* m : {"gate_proj", "up_proj", "down_proj"})
      mixed[layer + ".mlp." + m] = {{"quant_algo", "NVFP4"}, {"group_size", 16}};
  }
  json with_head = mixed;
  with_head["lm_head"] = {{"quant_algo", "FP8"}};
  json quark_mixed = quark(quark_scheme("fp4", "per_group", 32, "e8m0", true));
  quark_mixed["layer_quant_config"] = {
      {"*self_attn*", quark_scheme("fp8_e4m3", "per_tensor", nullptr, nullptr, false)}};
  const json auto_round = {{"quant_method", "auto-round"},
                           {"bits", 4},
                           {"group_size", 128},
                           {"sym", true},
                           {"data_type", "int"},
                           {"iters", 200},
                           {"packing_format", "auto_round:auto_gptq"},
                           {"block_name_to_quantize", "model.layers"}};
  const std::vector<stored> cases{
      {{{"quant_method", "gptq"}, {"bits", 2}, {"group_size", 64}}, all(gptq_of(2, 64)), "gptq2_g64"},
      {{{"quant_method", "gptq"}, {"bits", 3}, {"group_size", 128}}, all(gptq_of(3, 128)), "gptq3_g128"},
      {{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}, {"checkpoint_format", "gptq_v2"}},
       all(gptq_of(4, 128)),
       "gptq4_g128"},
      {{{"quant_method", "gptq"}, {"bits", 8}, {"group_size", -1}}, all(gptq_of(8, -1)), "gptq8_channel"},
      {{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}, {"checkpoint_format", "marlin"}},
       all([](std::int64_t r, std::int64_t c) { return r * c / 2 + c / 128 * r * 2; }),
       "int4_g128_sym"},
      {{{"quant_method", "gptq"},
        {"bits", 4},
        {"group_size", 128},
        {"dynamic",
         {{"lm_head", json::object()},
          {"-:.*attn.*", json::object()},
          {"+:.*down_proj$", {{"bits", 8}, {"group_size", 64}}}}}},
       by_hand([](int, const std::string& n, std::int64_t r, std::int64_t c) {
         return in_attention(n) ? wide(r, c) : n == "down_proj" ? gptq(8, 64, r, c) : gptq(4, 128, r, c);
       }),
       "mixed"},
      {{{"quant_method", "gptq"},
        {"bits", 4},
        {"group_size", 128},
        {"modules_in_block_to_quantize",
         json::array({json::array({"mlp.gate_proj", "mlp.up_proj"}), {"mlp.down_proj"}})}},
       by_part(wide, gptq_of(4, 128)),
       "gptq4_g128"},
      {auto_round, all(packed_of(4, 128)), "int4"},
      {with(with(auto_round, "bits", 2), "group_size", 32), all(packed_of(2, 32)), "int2_g32"},
      {with(auto_round, "packing_format", "auto_round:gptqmodel"), all(gptq_of(4, 128)), "gptq4_g128"},
      {with(auto_round, "extra_config",
            {{".*self_attn.*", {{"bits", 16}, {"data_type", "float"}}},
             {"model.layers.0.mlp.down_proj", {{"bits", 8}}}}),
       by_hand([](int i, const std::string& n, std::int64_t r, std::int64_t c) {
         return in_attention(n) ? wide(r, c) : packed(i == 0 && n == "down_proj" ? 8 : 4, 128, r, c);
       }),
       "mixed"},
      {{{"bits", 4},
        {"group_size", 64},
        {"model.layers.0.mlp.down_proj", {{"bits", 8}, {"group_size", 64}}},
        {"model.layers.1.mlp.down_proj", false}},
       by_hand(
           [=](int i, const std::string& n, std::int64_t r, std::int64_t c) {
             if (n != "down_proj" || i > 1) return mlx(4, r, c);
             return i == 0 ? mlx(8, r, c) : wide(r, c);
           },
           2 * mlx(4, 128256, 4096) - wide(128256, 4096)),
       "mixed"},
      {quark(quark_scheme("fp4", "per_group", 32, "e8m0", true)), all(mxfp4), "mxfp4"},
      {quark(quark_scheme("fp8_e4m3", "per_tensor", nullptr, nullptr, false)), all(fp8_tensor), "fp8_static"},
      {quark(quark_scheme("fp8_e4m3", "per_channel", nullptr, nullptr, true)),
       all([](std::int64_t r, std::int64_t c) { return r * c + 4 * r; }), "fp8_channel"},
      {quark(quark_scheme("uint4", "per_group", 128, nullptr, true)), all(packed_of(4, 128)), "int4"},
      {quark_mixed, by_part(fp8_tensor, mxfp4), "mixed"},
      {modelopt_map(mixed), by_part(fp8_tensor, nvfp4), "mixed"},
      {modelopt_map(with_head),
       by_hand([](int, const std::string& n, std::int64_t r,
                  std::int64_t c) { return in_attention(n) ? fp8_tensor(r, c) : nvfp4(r, c); },
               128256LL * 4096 + 8),
       "mixed"},
      {{{"quant_algo", "MXFP8"}, {"ignore", {"lm_head"}}},
       all([](std::int64_t r, std::int64_t c) { return r * c + r * c / 32; }),
       "mxfp8"},
      {{{"quant_algo", "W4A16_NVFP4"}, {"ignore", {"lm_head"}}},
       all([](std::int64_t r, std::int64_t c) { return nvfp4(r, c) - 4; }),
       "nvfp4_a16"},
      {{{"quant_method", "compressed-tensors"},
        {"format", "mixed-precision"},
        {"ignore", json::array()},
        {"config_groups",
         {{"group_0", group_of({"re:.*self_attn\\.(qkv|o)_proj$"}, 8, "float", "channel", nullptr)},
          {"group_1", group_of({"re:.*mlp\\.(gate|up|down)_proj$"}, 4, "int", "group", 128)}}}},
       by_part([](std::int64_t r, std::int64_t c) { return r * c + 4 * r; },
               [](std::int64_t r, std::int64_t c) { return r * c / 2 + c / 128 * r * 2; }),
       "mixed"},
      {{{"quant_method", "compressed-tensors"},
        {"ignore", {"lm_head"}},
        {"config_groups",
         {{"group_0", group_of({"Linear"}, 4, "int", "group", 128)},
          {"group_1", group_of({"re:.*down_proj"}, 8, "int", "group", 128)}}}},
       by_hand([](int, const std::string& n, std::int64_t r, std::int64_t c) {
         return (n == "down_proj" ? r * c : r * c / 2) + c / 128 * r * 2;
       }),
       "mixed"},
  };
  for (const stored& s : cases) {
    INFO(s.quantization.dump());
    const io::result<io::config_model> read =
        compiled::read_hf_config(with(llama_config(), "quantization_config", s.quantization));
    if (!read) FAIL(read.problem().message);
    CHECK(integer(stored_weights(read->model, read->model.stored)) == s.bytes);
    CHECK(read->model.stored.name == s.scheme);
    CHECK(parameters(read->model).total.value() == 8030261248);
  }
}

TEST_CASE("quantisations that are refused name the key", "[io][config]") {
  struct refused {
    json quantization;
    std::string key;
    std::string said;
  };
  const json auto_round = {{"quant_method", "auto-round"}, {"bits", 4}, {"group_size", 128}};
  const auto gptq_with = [](const char* key, json value) {
    return json{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}, {key, std::move(value)}};
  };
  const auto groups = [](json g) {
    return json{{"quant_method", "compressed-tensors"}, {"ignore", {"lm_head"}}, {"config_groups", std::move(g)}};
  };
  const json fp8 = {{"quant_algo", "FP8"}};
  json rotated = quark(quark_scheme("fp4", "per_group", 32, "e8m0", true));
  rotated["algo_config"] = {{{"name", "rotation"}}};
  json by_class = quark(quark_scheme("fp4", "per_group", 32, "e8m0", true));
  by_class["layer_type_quant_config"] = {{"Linear", json::object()}};
  json staged = quark(quark_scheme("fp8_e4m3", "per_tensor", nullptr, nullptr, true));
  staged["global_quant_config"]["weight"] = json::array({1, 2});
  const std::vector<refused> cases{
      {{{"quant_method", "exl2"}, {"bits", 4.0}, {"head_bits", 8}}, "quant_method", "average"},
      {{{"quant_method", "torchao"}, {"quant_type", "int4_weight_only"}}, "quant_method", "as they are loaded"},
      {{{"quant_method", "hqq"}, {"quant_config", json::object()}}, "quant_method", "as they are loaded"},
      {{{"quant_method", "aqlm"}}, "quant_method", "model.stored_bytes"},
      {modelopt_map("22422 entries, dropped"), "quantized_layers", "whole object"},
      {modelopt_map(json::array({"model.layers.0"})), "quantized_layers", "whole object"},
      {modelopt_map({{"model.layers.0.mlp", fp8}, {"... 400 entries, truncated", fp8}}), "quantized_layers",
       "cut short"},
      {modelopt_map({{"model.layers.0.mlp", {{"quant_algo", "NVFP4"}, {"weight_scale_encoding", "csf"}}}}),
       "quantized_layers.model.layers.0.mlp.weight_scale_encoding", "csf"},
      {modelopt_map({{"model.layers.0.mlp", {{"quant_algo", "W4A16_AWQ"}}}}),
       "quantized_layers.model.layers.0.mlp.quant_algo", "W4A16_AWQ"},
      {modelopt_map({{"model.layers.0.mlp", {{"quant_algo", "NVFP4"}, {"group_size", 32}}}}),
       "quantized_layers.model.layers.0.mlp.group_size", "expected 16"},
      {modelopt_map({{"model.layers.99.mlp", fp8}}), "quantized_layers", "modules of this model"},
      {modelopt_map({{"model.layers.0.self_attn.q_proj", fp8}}), "quantized_layers", "engines hold in one matrix"},
      {modelopt_map(
           {{"model.layers.0.self_attn", fp8}, {"model.layers.0.self_attn.q_proj", {{"quant_algo", "MXFP8"}}}}),
       "quantized_layers", "two formats"},
      {{{"quant_algo", "MIXED_PRECISION"}}, "quant_algo", "without quantized_layers"},
      {gptq_with("dynamic", {{"-:.*attn.*", json::object()}, {"+:.*o_proj.*", {{"bits", 8}}}}), "dynamic",
       "two formats"},
      {gptq_with("dynamic", {{"-:.*attn.*", json::object()}, {".*o_proj.*", json::object()}}), "dynamic",
       "two formats"},
      {gptq_with("dynamic", {{"-:(?!lm_head).*", json::object()}}), "dynamic", "simple expressions"},
      {gptq_with("dynamic", {{"+:.*mlp.*", {{"bits", 8}, {"adapter", 1}}}}), "dynamic.+:.*mlp.*.adapter", "adapter"},
      {gptq_with("dynamic", {{"+:.*mlp.*", {{"bits", 5}}}}), "dynamic.+:.*mlp.*.bits", "is 5"},
      {gptq_with("dynamic", {{"-:.*no_such.*", json::object()}}), "dynamic", "modules of this model"},
      {gptq_with("pack_dtype", "int8"), "pack_dtype", "int32"},
      {{{"quant_method", "awq"}, {"bits", 3}, {"group_size", 128}}, "bits", "4 or 8"},
      {{{"quant_method", "awq"}, {"bits", 4}, {"version", "marlin"}}, "version", "gemv"},
      {with(auto_round, "block_name_to_quantize", "model.visual.blocks"), "block_name_to_quantize", "decoder's layers"},
      {with(auto_round, "packing_format", "auto_round:llm_compressor"), "packing_format", "auto_awq"},
      {with(auto_round, "data_type", "nv_fp"), "data_type", "mx_fp"},
      {with(auto_round, "super_bits", 6), "super_bits", "is 6"},
      {with(auto_round, "model_free", true), "extra_config", "lm_head"},
      {with(auto_round, "extra_config", {{"model.layers.0.mlp", {{"bits", 7}}}}),
       "extra_config.model.layers.0.mlp.bits", "is 7"},
      {with(auto_round, "extra_config", {{"model.layers.0.mlp", {{"bits", 8}, {"super_bits", 4}}}}),
       "extra_config.model.layers.0.mlp.super_bits", "is 4"},
      {rotated, "algo_config", "rotation"},
      {by_class, "layer_type_quant_config", "by class"},
      {staged, "global_quant_config.weight", "two stages"},
      {quark(quark_scheme("fp6_e2m3", "per_group", 32, "e8m0", true)), "global_quant_config.weight", "fp6_e2m3"},
      {quark(quark_scheme("fp4", "per_group", 16, "e8m0", true)), "global_quant_config.weight", "of 16"},
      {quark(quark_scheme("fp4", "per_group", 32, "e8m0", true), {"no_such_module"}), "exclude",
       "modules of this model"},
      {groups({{"a", group_of({"Linear"}, 8, "float", "channel", nullptr)},
               {"b", group_of({"Linear"}, 4, "int", "group", 128)}}),
       "config_groups", "different formats"},
      {groups({{"a", group_of({"re:.*no_such$"}, 8, "float", "channel", nullptr)}}), "config_groups",
       "modules of this model"},
      {groups({{"a", group_of({"... 20 more"}, 8, "float", "channel", nullptr)}}), "config_groups.a.targets",
       "cut short"},
      {groups({{"a", group_of(json::array(), 8, "float", "channel", nullptr)}}), "config_groups.a.targets", "Linear"},
      {groups({{"a", with(group_of({"Linear"}, 4, "int", "channel", nullptr), "format", "int-quantized")}}),
       "config_groups.a.format", "whole bytes"},
  };
  for (const refused& r : cases) {
    INFO(r.quantization.dump());
    const io::result<io::config_model> read =
        compiled::read_hf_config(with(llama_config(), "quantization_config", r.quantization));
    REQUIRE_FALSE(read);
    INFO(read.problem().message);
    CHECK(read.problem().field == "model.config.quantization_config." + r.key);
    CHECK(read.problem().message.starts_with(read.problem().field));
    CHECK(read.problem().message.find(r.said) != std::string::npos);
    const std::string code(io::name(read.problem().code));
    CHECK((code == "unknown_format" || code == "unknown_field"));
  }
}

TEST_CASE("what is wrong with a config's text names field and file", "[io][config]") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("ullage_io_config_" + std::to_string(std::random_device{}()));
  fs::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const auto refused = [&](const char* in_message) {
    const io::result<io::config_model> read = compiled::read_hf_config_file(folder.string());
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
  CHECK(compiled::read_hf_config_file(folder.string()));
  write("hf_quant_config.json", "{");
  CHECK(refused("hf_quant_config.json") == "bad_json");
  write("hf_quant_config.json", "3");
  CHECK(refused("hf_quant_config.json") == "bad_value");
  write("hf_quant_config.json", R"({"quantization": {"quant_algo": "FP3"}})");
  CHECK(refused("hf_quant_config.json") == "unknown_format");
  write("hf_quant_config.json", R"({"quantization": {"quant_algo": "FP8", "group_size": null}})");
  CHECK(compiled::read_hf_config_file(folder.string())->model.stored.linear.name == "fp8_static");
  // null is absent: the file beside counts.
  json silent = llama_config();
  silent["quantization_config"] = nullptr;
  write("config.json", silent.dump());
  CHECK(compiled::read_hf_config_file(folder.string())->model.stored.linear.name == "fp8_static");
  fs::remove(folder / "hf_quant_config.json");
  fs::create_directory(folder / "hf_quant_config.json");
  CHECK(refused("hf_quant_config.json") == "bad_file");
  fs::remove_all(folder);
}

TEST_CASE("text of a config", "[io][config]") {
  CHECK(compiled::read_hf_config_text(llama_config().dump()));
  const auto code = [](std::string_view text) {
    return std::string(io::name(compiled::read_hf_config_text(text).problem().code));
  };
  CHECK(code("") == "bad_json");
  CHECK(code(" \n") == "bad_json");
  CHECK(code("{") == "bad_json");
  CHECK(code("{\"a\": 1, \"a\": 2}") == "bad_json");
  CHECK(code("{\"a\": NaN}") == "bad_json");
  CHECK(code("{\"a\": 1e999}") == "bad_json");
  CHECK(code(std::string(100000, '[')) == "bad_json");
  CHECK(code("\xff\xfe{}") == "bad_json");
  CHECK(std::string(io::name(compiled::read_hf_config_file("/nowhere/at/all").problem().code)) == "bad_file");
  CHECK(std::string(io::name(compiled::read_hf_config_file("").problem().code)) == "bad_file");
  CHECK(std::string(io::name(compiled::read_hf_config_file("a.safetensors").problem().code)) == "bad_file");
}

TEST_CASE("tables of sines and cosines are as long as their scaling makes them", "[hf]") {
  json c = {{"model_type", "llama"},      {"hidden_size", 4096},
            {"intermediate_size", 11008}, {"num_hidden_layers", 32},
            {"num_attention_heads", 32},  {"vocab_size", 32000},
            {"num_key_value_heads", 32},  {"max_position_embeddings", 4096},
            {"torch_dtype", "bfloat16"}};
  const auto rows = [&](const char* key, json scaling) {
    json asked = c;
    if (key != nullptr) asked[key] = std::move(scaling);
    const io::result<io::config_model> read = compiled::read_hf_config(asked);
    if (!read) UNSCOPED_INFO(read.problem().message);
    REQUIRE(read);
    return read->model.rotary_rows;
  };
  CHECK(rows(nullptr, {}) == 0);
  CHECK(rows("rope_scaling", {{"type", "linear"}, {"factor", 4.0}}) == 16384);
  CHECK(rows("rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2}}) == 8192);
  CHECK(rows("rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 1024}}) ==
        0);
  CHECK(rows("rope_parameters", {{"rope_type", "linear"}, {"factor", 8.0}, {"rope_theta", 10000.0}}) == 32768);
  const transformer gemma = expand(*catalog::find_record("gemma-3-12b"));
  CHECK(gemma.rotary_rows == 131072 * 8 + 131072);
  engine e = vllm();
  const stage all = stage_of(gemma, {}, 0);
  const bytes tables = resident_weights(gemma, e, {}, all);
  e.rules.rotary_table = 0;
  CHECK(tables - resident_weights(gemma, e, {}, all) == of<bytes>(std::int64_t{131072} * 9 * 256 * 2));
}
