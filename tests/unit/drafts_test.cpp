// SPDX-License-Identifier: Apache-2.0
// Speculative decoding and adapters: what they take of a device.
#include "support/catch.hpp"
#include "support/readers.hpp"

#include <ullage/catalog.hpp>
#include <ullage/io/ask.hpp>
#include <ullage/io/hf/eagle.hpp>

using namespace ullage;
using io::json;

namespace {

json eagle3_config() {
  return {{"architectures", {"LlamaForCausalLMEagle3"}},
          {"model_type", "llama"},
          {"hidden_size", 2560},
          {"intermediate_size", 9728},
          {"num_attention_heads", 32},
          {"num_key_value_heads", 8},
          {"num_hidden_layers", 1},
          {"vocab_size", 151936},
          {"draft_vocab_size", 32000},
          {"torch_dtype", "bfloat16"}};
}
json question(const json& more) {
  json q = {{"model", "qwen3.5-35b-a3b"},
            {"accelerator", "B200"},
            {"kv_cache", "bf16"},
            {"engine", {{"version", "0.25.1"}, {"max_model_len", 262144}, {"enable_prefix_caching", false}}}};
  q.merge_patch(more);
  return q;
}

}  // namespace

TEST_CASE("parameters of an EAGLE-3 draft are those of a published one", "[drafts]") {
  // 202,700,416 published for these sizes, of which 32,000 + 151,936 are the two tables of words.
  const auto read = compiled::read_eagle_config(eagle3_config(), true, "draft");
  REQUIRE(read);
  CHECK(parameters(read->model).total == count(202'700'416 - 32'000 - 151'936));
  json wrong = eagle3_config();
  wrong["architectures"] = {"LlamaForCausalLM"};
  CHECK_FALSE(compiled::read_eagle_config(wrong, true, "draft"));
  json unread = eagle3_config();
  unread["n_experts"] = 8;
  CHECK(compiled::read_eagle_config(unread, true, "draft").problem().code == io::error_code::unknown_field);
  json target = eagle3_config();
  target["target_hidden_size"] = 4096;  // fc alone grows, by three times the difference
  const auto wider = compiled::read_eagle_config(target, true, "draft");
  REQUIRE(wider);
  CHECK(parameters(wider->model).total - parameters(read->model).total == count(2560) * count(3 * (4096 - 2560)));
}

TEST_CASE("prediction modules join the group of attention layers, and states multiply", "[drafts]") {
  // Qwen3.5-35B-A3B: 10 attention layers of 2 heads of 256, 30 gated delta nets. Three drafted tokens: the convolution of
  // 8,192 channels keeps 3 + 3 inputs in 16 bits, the state is 32 x 128 x 128 in 32 bits; 2,048 B a token make blocks of
  // 16 x 67 tokens.
  const json q = question(
      {{"speculative", {{"method", "mtp"}, {"num_tokens", 3}}}, {"given", {{"kv_available_bytes", 79'700'000'000}}}});
  const json a = compiled::ask(q);
  REQUIRE(a["status"] == "ok");
  const std::int64_t state = 8192 * 6 * 2 + 32 * 128 * 128 * 4;
  const std::int64_t block = 16 * ((state + 16 * 2048 - 1) / (16 * 2048));
  CHECK(a["kv"]["block_tokens"] == block);
  CHECK(block == 1072);
  const std::int64_t page = block * 2048;
  const std::int64_t blocks = 79'700'000'000 / (page * 11);  // eleven attention layers now
  CHECK(a["kv"]["blocks"] == blocks);
  // 262,144 tokens take 245 blocks of the attention's table and four states in each of three tables.
  CHECK(a["kv"]["max_concurrency"].get<double>() == Approx(static_cast<double>(blocks) / (245 + 3 * 4)));
  CHECK(a["ranks"][0]["draft_bytes"].get<std::int64_t>() > 0);
  // Prefix caching keeps one state more.
  json cached = q;
  cached["engine"]["enable_prefix_caching"] = true;
  CHECK(compiled::ask(cached)["kv"]["max_concurrency"].get<double>() ==
        Approx(static_cast<double>(blocks) / (245 + 3 * 5)));
  // Drafts from the prompt bring neither weights nor layers, and need the same states.
  json ngram = q;
  ngram["speculative"]["method"] = "ngram";
  const json n = compiled::ask(ngram);
  CHECK(n["ranks"][0]["draft_bytes"] == 0);
  CHECK(n["kv"]["blocks"] == 79'700'000'000 / (page * 10));
}

TEST_CASE("a draft stands on the last stage, and its remedy takes it off", "[drafts]") {
  const transformer& big = catalog::llama_3_1_70b;
  const transformer& small = catalog::llama_3_1_8b;
  engine e = vllm("0.25.1");
  e.speculative = {draft_method::draft_model, 4, &small};
  e.options.max_model_len = 8192_tok;
  layout l;
  l.tp = 2;
  l.pp = 2;
  const std::span<const accelerator> one(&catalog::h200_sxm, 1);
  const verdict v = fits(big, one, l, e, {});
  REQUIRE(v.ranks.size() == 2);
  CHECK(v.ranks[0].draft == bytes{});
  layout alone;
  alone.tp = 2;
  CHECK(v.ranks[1].draft == rank_weights(small, small.stored, alone, stage_of(small, alone, 0), count(64)));
  CHECK(v.ranks[1].kv_available.mid < v.ranks[0].kv_available.mid);
  // One block is a page in each of the stage's 40 layers, and on the last in the draft's 32: both have four of eight heads.
  const bytes page = v.ranks[0].blocks.page();
  CHECK(v.ranks[0].blocks.block == page * count(40));
  CHECK(v.ranks[1].blocks.block == page * count(72));

  e.speculative.num_tokens = 0;
  CHECK(fits(big, one, l, e, {}).draft_problem == draft_problem::no_tokens);
  e.speculative = {draft_method::mtp, 1, nullptr};
  CHECK(fits(big, one, l, e, {}).draft_problem == draft_problem::no_mtp_layers);
  e.speculative = {draft_method::eagle, 1, nullptr};
  CHECK(fits(big, one, l, e, {}).draft_problem == draft_problem::draft_not_given);
  e.speculative = {draft_method::ngram, 1, &small};
  CHECK(fits(big, one, l, e, {}).draft_problem == draft_problem::draft_not_read);

  const json tight =
      compiled::ask({{"model", "llama-3.1-70b"},
                     {"weights", "fp8"},
                     {"accelerator", "H100 SXM"},
                     {"load", {{"context", 8192}, {"concurrency", 1}}},
                     {"speculative", {{"method", "draft_model"}, {"num_tokens", 4}, {"draft", "llama-3.1-8b"}}}});
  REQUIRE(tight["verdict"] == "does_not_fit");
  bool told = false;
  for (const json& r : tight["remedies"]) told = told || r["patch"] == json{{"speculative", nullptr}};
  CHECK(told);
}

TEST_CASE("slots for adapters, by hand", "[drafts]") {
  const transformer& m = catalog::llama_3_1_8b;
  const layout l;
  // A layer: Q 4096, K and V 1024 each, O 4096, gate and up 14336, down; (rows + cols) of each, and both ends.
  const std::int64_t layer = (4096 + 4096) + 2 * (1024 + 4096) + (4096 + 4096) + 3 * (14336 + 4096);
  const std::int64_t ends = 2 * (128256 + 4096);
  CHECK(adapter_slots(m, l, stage_of(m, l, 0), 4, 16) == of<bytes>(count((32 * layer + ends) * 4 * 16 * 2)));
  CHECK(adapter_slots(m, l, stage_of(m, l, 0), 0, 16) == bytes{});
  // What tp divides it divides on the side that has it: less than the whole, more than its share.
  layout two;
  two.tp = 2;
  const bytes half = adapter_slots(m, two, stage_of(m, two, 0), 4, 16);
  CHECK(half < adapter_slots(m, l, stage_of(m, l, 0), 4, 16));
  CHECK(half * count(2) > adapter_slots(m, l, stage_of(m, l, 0), 4, 16));
  const json a = compiled::ask({{"model", "llama-3.1-8b"}, {"accelerator", "L40S"}, {"adapters", {{"count", 4}}}});
  CHECK(a["ranks"][0]["adapter_bytes"] == (32 * layer + ends) * 4 * 16 * 2);
  CHECK(a["ranks"][0]["weight_bytes"] ==
        compiled::ask({{"model", "llama-3.1-8b"}, {"accelerator", "L40S"}})["ranks"][0]["weight_bytes"]);
}
