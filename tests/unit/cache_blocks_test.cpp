// SPDX-License-Identifier: Apache-2.0
// How vLLM cuts unlike caches into one pool of blocks, by hand.
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/readers.hpp"

#include <ullage/catalog/find_record.hpp>
#include <ullage/io/hf_config.hpp>
#include <ullage/ullage.hpp>

using namespace ullage;

namespace {

transformer config(const char* file) {
  const auto read = compiled::read_hf_config_file(std::string(ULLAGE_TEST_DATA "/configs/") + file);
  REQUIRE(read);
  return read->model;
}
engine vllm_of(const char* version, const number_format& cache) {
  engine e = vllm(version);
  e.kv_cache = cache;
  return e;
}

}  // namespace

TEST_CASE("compressed streams: what a block costs and what a sequence takes", "[blocks]") {
  // DeepSeek-V4-Pro: 30 layers with a stream of every fourth token and an index, 31 of every 128th; all have a window of 128.
  // Pages in multiples of 576: 64 entries of 584 B, 37,440; of 132 B, 8,640; 2 of 584 B, 1,728. Compressors: 4 sums of
  // 2·2·512 numbers in 32 bits, 33,408, and of 2·2·128, 8,640; 8 of 2·512, 33,408.
  const transformer m = config("deepseek-ai__DeepSeek-V4-Pro.json");
  const stage all = stage_of(m, {}, 0);
  const auto blocks = [&](const char* version, std::int64_t in_flight) {
    return cache_layout_of(m, vllm_of(version, formats::fp8), {}, all, of<tokens>(count(in_flight)));
  };
  const std::int64_t streams = 30 * (37440 + 8640) + 31 * 1728;
  // A million tokens beside 8,192 under way: 3,907 blocks of streams, two tables of windows, compressors of 4 and of 128.
  const std::int64_t each = 3907 + 2 * (130 + 1) + (2050 + 1) + (1040 + 1);

  const cache_layout overlaid = blocks("0.28.0", 8192);
  CHECK(overlaid.block == of<bytes>(count(streams)));
  CHECK(blocks_per_sequence(overlaid, 1000000_tok) == count(each));
  CHECK(printed_blocks(overlaid, 1000000_tok) == count(each));

  const cache_layout slots = blocks("0.25.0", 8192);
  CHECK(slots.block == of<bytes>(count(31 * 37440 + 30 * 8640 + 31 * 1728)));
  const cache_layout tuples = blocks("0.21.0", 8192);
  CHECK(tuples.block == of<bytes>(count(31 * (37440 + 8640 + 1728))));
  CHECK(blocks_per_sequence(tuples, 1000000_tok) == count(each));
  // Its print counts bytes, compressors padded to the pages of the streams.
  const std::int64_t bytes_each =
      3907 * streams + 61 * 37440 * 131LL + 30 * (37440 + 8640) * 2051LL + 31 * 37440 * 1041LL;
  CHECK(printed_blocks(tuples, 1000000_tok) == count((bytes_each + streams - 1) / streams));

  // Two stages: the tables are those of the whole model, and the fuller stage's block is the larger.
  layout two;
  two.pp = 2;
  const cache_layout first =
      cache_layout_of(m, vllm_of("0.28.0", formats::fp8), two, stage_of(m, two, 0), of<tokens>(count(8192)));
  CHECK(blocks_per_sequence(first, 1000000_tok) == count(each));
  CHECK(first.block < overlaid.block);
}

TEST_CASE("groups are made of the whole model and dealt out to stages", "[blocks]") {
  // Gemma-3-27B: 62 layers, every sixth full: 10 full and 52 with a window. Ten make a group: one table and six.
  const transformer m = test::model("gemma-3-27b");
  const engine e = vllm("0.19.0");
  const cache_layout whole = cache_layout_of(m, e, {}, stage_of(m, {}, 0), 8192_tok);
  CHECK(whole.group_layers == count(10));
  CHECK(whole.tables() == count(1 + 6));
  layout two;
  two.pp = 2;
  for (std::int64_t i = 0; i < 2; ++i) {
    const stage s = stage_of(m, two, i);
    const cache_layout half = cache_layout_of(m, e, two, s, 8192_tok);
    // Not of 26 or 27 layers with a window on a stage of five full ones, but still six tables, five layers each at most.
    CHECK(half.tables() == whole.tables());
    CHECK(half.group_layers == count(5));
    CHECK(blocks_per_sequence(half, 100000_tok) == blocks_per_sequence(whole, 100000_tok));
  }
}

TEST_CASE("nearly as many of one kind as of the other make one group each", "[blocks]") {
  // gpt-oss-20b: 12 layers full, 12 with a window; with a draft of one layer 13 of 12. Before 0.12 the fewest made a group
  // whatever the others were: two tables of twelve for thirteen layers.
  const transformer m = test::model("gpt-oss-20b");
  transformer draft = catalog::llama_3_1_8b;
  draft.layers = 1;
  draft.kinds[0].attention.heads = 64;
  draft.kinds[0].attention.kv_heads = 8;
  draft.kinds[0].attention.key_dim = 64;
  draft.kinds[0].attention.value_dim = 64;
  const auto layers = [&](const char* version) {
    engine e = vllm(version);
    e.speculative = {draft_method::eagle3, 3, &draft};
    return cache_layout_of(m, e, {}, stage_of(m, {}, 0), 8192_tok);
  };
  CHECK(layers("0.19.0").group_layers == count(13));
  CHECK(layers("0.19.0").tables() == count(2));
  CHECK(layers("0.12.0").group_layers == count(13));
  CHECK(layers("0.11.0").group_layers == count(12));
  CHECK(layers("0.11.0").tables() == count(3));
}

TEST_CASE("modules that draft in turn keep more of a window", "[blocks]") {
  const transformer m = test::model("mimo-v2-flash");
  REQUIRE(m.mtp_layers == 3);
  engine e = vllm("0.28.0");
  e.speculative = {draft_method::mtp, 3, nullptr};
  const cache_layout b = cache_layout_of(m, e, {}, stage_of(m, {}, 0), 0_tok);
  CHECK(b.retained == count(2));
  e = vllm("0.27.0");
  e.speculative = {draft_method::mtp, 3, nullptr};
  CHECK(cache_layout_of(m, e, {}, stage_of(m, {}, 0), 0_tok).retained == count(0));
}

TEST_CASE("blocks beside latents come in steps of 128", "[blocks]") {
  // Kimi-K3: 24 layers of a latent of 512 + 64, 69 of delta attention with 96 heads of 128 and convolutions of four taps.
  transformer m;
  m.layers = 93;
  m.max_position = 1 << 20;
  layer_kind latent;
  latent.attention.kind = attention_kind::latent;
  latent.attention.heads = 96;
  latent.attention.latent_rank = 512;
  latent.attention.rope_dim = 64;
  layer_kind delta;
  delta.attention.kind = attention_kind::none;
  delta.recurrent = {recurrent_kind::kda, 96, 96 * 128 * 128, 3 * 96 * 128 * 3, 32, 3};
  m.kinds.push_back(latent);
  m.kinds.push_back(delta);
  for (std::int64_t i = 0; i < 93; ++i) m.layer_kinds[i] = i % 4 == 3 || i == 92 ? 0 : 1;
  const cache_layout b = cache_layout_of(m, vllm("0.28.0"), {}, stage_of(m, {}, 0), 16384_tok);
  const std::int64_t state = 96 * 128 * 128 * 4 + 3 * 96 * 128 * 3 * 2;
  const std::int64_t block = 128 * ((state + 128 * 1152 - 1) / (128 * 1152));
  CHECK(block == 5760);
  CHECK(b.block_tokens == of<tokens>(count(block)));
  CHECK(b.tables() == count(1 + 3));
  // 23 blocks of tokens and two states in each of three tables, of 24 layers: 4.30 GiB for 131,072 tokens.
  CHECK(charged_per_sequence(b, 131072_tok) == of<bytes>(count((23 + 3 * 2) * 24 * block * 1152)));
}
