// SPDX-License-Identifier: Apache-2.0
// Headers of safetensors: what is read, what is refused, and what a checkpoint is held against.
#include <unistd.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <ullage/io/ask.hpp>
#include <ullage/io/checkpoint.hpp>

#include "support/catch.hpp"
#include "support/readers.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)
using io::json;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone at the end of a test.
struct scratch {
  fs::path path = fs::temp_directory_path() / ("ullage-safetensors-" + std::to_string(::getpid()));
  scratch() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~scratch() { fs::remove_all(path); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
};

std::string eight(std::uint64_t n) {
  std::string s(8, '\0');
  for (char& c : s) {
    c = static_cast<char>(n & 0xff);
    n >>= 8;
  }
  return s;
}
void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}
void write_tensors(const fs::path& file, const std::string& header, std::uint64_t data) {
  write(file, eight(header.size()) + header + std::string(static_cast<std::size_t>(data), '\0'));
}

/// Tensors one after the other, with their data.
class writer {
 public:
  void add(const std::string& name, const std::string& type, int bits, const std::vector<std::int64_t>& shape) {
    std::uint64_t elements = 1;
    for (std::int64_t d : shape) elements *= static_cast<std::uint64_t>(d);
    const std::uint64_t size = (elements * static_cast<std::uint64_t>(bits) + 7) / 8;
    tree_[name] = {{"dtype", type}, {"shape", shape}, {"data_offsets", {end_, end_ + size}}};
    end_ += size;
  }
  void save(const fs::path& file) const { write_tensors(file, tree_.dump(), end_); }

 private:
  json tree_ = {{"__metadata__", {{"format", "pt"}}}};
  std::uint64_t end_ = 0;
};

json small_llama() {
  return {{"model_type", "llama"},    {"hidden_size", 64},
          {"intermediate_size", 96},  {"num_hidden_layers", 2},
          {"num_attention_heads", 4}, {"num_key_value_heads", 2},
          {"vocab_size", 128},        {"max_position_embeddings", 512},
          {"torch_dtype", "bfloat16"}};
}
writer small_llama_tensors(std::int64_t inner = 96, bool with_norm = true) {
  writer w;
  w.add("model.embed_tokens.weight", "BF16", 16, {128, 64});
  for (int i = 0; i < 2; ++i) {
    const std::string p = "model.layers." + std::to_string(i) + ".";
    if (with_norm) w.add(p + "input_layernorm.weight", "BF16", 16, {64});
    w.add(p + "post_attention_layernorm.weight", "BF16", 16, {64});
    w.add(p + "self_attn.q_proj.weight", "BF16", 16, {64, 64});
    w.add(p + "self_attn.k_proj.weight", "BF16", 16, {32, 64});
    w.add(p + "self_attn.v_proj.weight", "BF16", 16, {32, 64});
    w.add(p + "self_attn.o_proj.weight", "BF16", 16, {64, 64});
    w.add(p + "mlp.gate_proj.weight", "BF16", 16, {inner, 64});
    w.add(p + "mlp.up_proj.weight", "BF16", 16, {inner, 64});
    w.add(p + "mlp.down_proj.weight", "BF16", 16, {64, inner});
  }
  w.add("model.norm.weight", "BF16", 16, {64});
  w.add("lm_head.weight", "BF16", 16, {128, 64});
  return w;
}

}  // namespace

TEST_CASE("a checkpoint is read from its headers and agrees with its model", "[io][safetensors]") {
  const scratch folder;
  small_llama_tensors().save(folder.path / "model.safetensors");
  write(folder.path / "config.json", small_llama().dump());
  const io::result<io::stored_checkpoint> c = compiled::read_safetensors(folder.path.string());
  REQUIRE(c);
  CHECK(c->files == 1);
  CHECK(c->tensors == 21);
  CHECK(c->by_type.at("BF16") == c->stored);
  CHECK(c->families.at("model.layers.*.mlp.up_proj.weight BF16").tensors == count(2));

  const json a = compiled::ask({{"ask", "model"}, {"model", {{"path", folder.path.string()}}}});
  REQUIRE(a["status"] == "ok");
  CHECK(a["checkpoint"]["matches"] == true);
  CHECK(a["checkpoint"]["bytes"] == a["stored_weight_bytes"]);
  CHECK(a["checkpoint"]["extra"].empty());
  // The file itself is a name of its model too.
  const json b = compiled::ask({{"ask", "model"}, {"model", {{"path", (folder.path / "model.safetensors").string()}}}});
  CHECK(b["checkpoint"] == a["checkpoint"]);
}

TEST_CASE("a checkpoint that is another model is told by its first differing tensor", "[io][safetensors]") {
  const scratch folder;
  write(folder.path / "config.json", small_llama().dump());
  small_llama_tensors(80, false).save(folder.path / "model.safetensors");
  const json a = compiled::ask({{"ask", "model"}, {"model", {{"path", folder.path.string()}}}});
  REQUIRE(a["status"] == "ok");
  const json& c = a["checkpoint"];
  CHECK(c["matches"] == false);
  REQUIRE(c["differences"].size() == 4);
  CHECK(c["differences"][0]["tensor"] == "layers.*.input_layernorm.weight");
  CHECK(c["differences"][0]["is"] == "missing");
  CHECK(c["differences"][1]["tensor"] == "layers.*.mlp.gate_proj.weight");
  CHECK(c["differences"][1]["is"] == "differs");
  CHECK(c["differences"][1]["elements"] == 2 * 96 * 64);
  CHECK(c["differences"][1]["stored_elements"] == 2 * 80 * 64);
}

TEST_CASE("shards come with their index or as a numbered set", "[io][safetensors]") {
  const scratch folder;
  json map = json::object();
  for (int i = 1; i <= 3; ++i) {
    const std::string file = "model-0000" + std::to_string(i) + "-of-00003.safetensors";
    const std::string tensor = "model.layers." + std::to_string(i) + ".w.weight";
    writer w;
    w.add(tensor, "F8_E4M3", 8, {16, 16});
    w.save(folder.path / file);
    map[tensor] = file;
  }
  const fs::path index = folder.path / "model.safetensors.index.json";
  write(index, json{{"metadata", {{"total_size", 768}}}, {"weight_map", map}}.dump());
  for (const fs::path& p : {folder.path, index}) {
    const io::result<io::stored_checkpoint> c = compiled::read_safetensors(p.string());
    REQUIRE(c);
    CHECK(c->files == 3);
    CHECK(integer(c->stored) == 768);
    CHECK(integer(c->stated) == 768);
  }
  // A name that no file holds, and a tensor that the index does not name.
  map["model.layers.9.w.weight"] = "model-00001-of-00003.safetensors";
  map.erase("model.layers.3.w.weight");
  map["lm_head.weight"] = "model-00003-of-00003.safetensors";
  write(index, json{{"weight_map", map}}.dump());
  const io::result<io::stored_checkpoint> c = compiled::read_safetensors(index.string());
  REQUIRE(c);
  CHECK(c->not_in_files == 2);
  CHECK(c->not_in_index == 1);
  // A shard that is not there.
  fs::remove(folder.path / "model-00002-of-00003.safetensors");
  CHECK_FALSE(compiled::read_safetensors(index.string()));
  CHECK_FALSE(compiled::read_safetensors(folder.path.string()));
  // A file above the folder.
  write(index, R"({"weight_map": {"a": "../a.safetensors"}})");
  CHECK_FALSE(compiled::read_safetensors(index.string()));
}

TEST_CASE("broken headers are refused in one sentence", "[io][safetensors]") {
  const scratch folder;
  const fs::path file = folder.path / "m.safetensors";
  const std::string good = R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})";
  write_tensors(file, good, 16);
  REQUIRE(compiled::read_safetensors(file.string()));
  const auto refused = [&](const std::string& says) {
    const io::result<io::stored_checkpoint> c = compiled::read_safetensors(file.string());
    REQUIRE_FALSE(c);
    INFO(c.problem().message);
    CHECK(c.problem().code == io::error_code::bad_file);
    CHECK(c.problem().message.find(says) != std::string::npos);
  };
  write(file, "");
  refused("8");
  write(file, eight(1000) + good);
  refused("header of 1000 bytes");
  write(file, eight(~0ULL) + good);
  refused("header of");
  write_tensors(file, "[1,2]", 0);
  refused("begin with an object");
  write_tensors(file, "{\"a\":", 0);
  refused("not valid JSON");
  struct bad {
    const char* header;
    std::uint64_t data;
    const char* says;
  };
  for (
      const bad& b : std::initializer_list<bad>{
          {R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,12]}})", 12, "shape and type make 16"},
          {R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", 12, "outside"},
          {R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[16,0]}})", 16, "outside"},
          {R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", 20, "cover 16"},
          {R"({"a":{"dtype":"F33","shape":[2,2],"data_offsets":[0,16]}})", 16, "not known"},
          {R"({"a":{"dtype":"F32","shape":[2,2]}})", 0, "lacks"},
          {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4, "lacks"},
          {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "negative"},
          {R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4, "fraction"},
          {R"({"a":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}})", 4, "a list"},
          {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4, "not known"},
          {R"({"a":{"dtype":"F32","shape":[9007199254740993],"data_offsets":[0,4]}})", 4, "2^53"},
          {R"({"a":{"dtype":"F32","shape":[4503599627370496,4503599627370496],"data_offsets":[0,4]}})", 4, "too many"},
          {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           8, "two tensors of one name"},
          {R"({"a":1})", 0, "a number"},
          {R"({"a":"b"})", 0, "a text"},
          {R"({"a":null})", 0, "null"}}) {
    INFO(b.header);
    write_tensors(file, b.header, b.data);
    refused(b.says);
  }
  CHECK_FALSE(compiled::read_safetensors((folder.path / "absent.safetensors").string()));
  CHECK_FALSE(compiled::read_safetensors((folder.path / "empty").string()));
}

TEST_CASE("a checkpoint of a hundred thousand tensors is read in a moment and little memory", "[io][safetensors]") {
  const scratch folder;
  constexpr int files = 61;
  constexpr int each = 2320;
  std::uint64_t headers = 0;
  for (int f = 1; f <= files; ++f) {
    std::string header = "{";
    std::uint64_t end = 0;
    for (int t = 0; t < each; ++t) {
      const int n = (f - 1) * each + t;
      header += std::string(t > 0 ? "," : "") + "\"model.layers." + std::to_string(n % files) + ".mlp.experts." +
                std::to_string(n / files) + ".gate_proj.weight" + (t % 2 == 0 ? "" : "_scale_inv") +
                R"(":{"dtype":"F8_E4M3","shape":[2,1],"data_offsets":[)" + std::to_string(end) + "," +
                std::to_string(end + 2) + "]}";
      end += 2;
    }
    header += "}";
    headers += header.size();
    char name[64];
    std::snprintf(name, sizeof name, "model-%05d-of-%06d.safetensors", f, files);
    write_tensors(folder.path / name, header, end);
  }
  const auto start = std::chrono::steady_clock::now();
  const io::result<io::stored_checkpoint> c = compiled::read_safetensors(folder.path.string());
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  REQUIRE(c);
  CHECK(c->tensors == files * each);
  CHECK(c->families.size() == 2);
  std::cout << "safetensors: " << files * each << " tensors, " << static_cast<double>(headers) / 1e6
            << " MB of headers in " << ms << " ms\n";
}
