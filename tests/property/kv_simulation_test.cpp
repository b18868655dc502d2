// SPDX-License-Identifier: Apache-2.0
// A second, deliberately different derivation of the logical cache: a sequence is played token by token, every layer keeps
// what its rule keeps, and the bytes of what lies there are added up. The most that ever lay there is what is needed.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <ullage/io/hf_config.hpp>
#include <ullage/memory/kv_cache.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/readers.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)
using io::json;

namespace {

/// What one layer holds while a sequence grows. Entries are positions; their bytes are counted number by number.
class simulated_layer {
 public:
  simulated_layer(const layer_kind& k, const transformer& m, int element_bits) : kind_(k), bits_(element_bits) {
    for (std::int64_t i = 0; i < k.recurrent.state; i += 4096)
      fixed_bits_ += std::min<std::int64_t>(4096, k.recurrent.state - i) * k.recurrent.state_bits;
    if (k.recurrent.kind == recurrent_kind::none) fixed_bits_ = 0;
    if (k.recurrent.kind != recurrent_kind::none) fixed_bits_ += k.recurrent.conv * m.activation.element_bits;
    if (k.attention.kind == attention_kind::cross && !k.attention.shares_cache)
      for (std::int64_t t = 0; t < m.encoder_tokens; ++t) entries_.push_back(t);
  }
  void step(std::int64_t position) {
    const attention& a = kind_.attention;
    switch (a.kind) {
      case attention_kind::none:
      case attention_kind::encoder:
      case attention_kind::cross: break;
      case attention_kind::full:
      case attention_kind::latent:
        if (position % a.stride == 0) entries_.push_back(position);
        if (a.stride > 1 && a.window > 0) {  // the last tokens, each for itself
          recent_.push_back(position);
          if (static_cast<std::int64_t>(recent_.size()) > a.window) recent_.pop_front();
        }
        break;
      case attention_kind::sliding:
        if (position % a.stride == 0) entries_.push_back(position);
        while (!entries_.empty() && entries_.front() <= position - a.window * a.stride) entries_.pop_front();
        break;
      case attention_kind::chunked:
        if (position % a.window == 0) entries_.clear();
        entries_.push_back(position);
        break;
    }
    most_ = std::max(most_, entries_.size());
  }
  std::int64_t bits() const {
    const attention& a = kind_.attention;
    std::int64_t one = 0;  // numbers of an entry
    if (a.kind == attention_kind::latent) {
      one = a.latent_rank + a.rope_dim;
    } else if (!a.shares_cache) {
      for (std::int64_t h = 0; h < a.kv_heads; ++h) one += a.key_dim + a.value_dim;
    }
    std::int64_t entry = one * bits_;
    const std::int64_t recent = static_cast<std::int64_t>(recent_.size()) * entry;
    if (a.index_dim > 0) entry += a.index_dim * 8 + 32;
    const std::int64_t held = static_cast<std::int64_t>(std::max(most_, entries_.size()));
    return held * entry + recent + fixed_bits_;
  }

 private:
  layer_kind kind_;
  int bits_;
  std::int64_t fixed_bits_ = 0;
  std::deque<std::int64_t> entries_;
  std::deque<std::int64_t> recent_;
  std::size_t most_ = 0;
};

std::int64_t simulated_bytes(const transformer& m, std::int64_t context, int element_bits) {
  std::int64_t bits = 0;
  std::vector<std::int64_t> of_kind(m.kinds.size(), -1);
  for (std::int64_t i = 0; i < m.layers; ++i) {
    std::int64_t& known = of_kind[m.layer_kinds[i]];
    if (known < 0) {
      simulated_layer layer(m.layer(i), m, element_bits);
      for (std::int64_t t = 0; t < context; ++t) layer.step(t);
      known = layer.bits();
    }
    bits += known;
  }
  return bits / 8;
}

}  // namespace

TEST_CASE("a cache played token by token agrees with the formulas, for every family", "[kv]") {
  namespace fs = std::filesystem;
  std::mt19937 random(20261202);
  int models = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(ULLAGE_TEST_DATA "/families")) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (line.empty()) continue;
      const json row = json::parse(line);
      const io::result<io::config_model> read =
          compiled::read_hf_config(row["config"], row["model"].get<std::string>());
      if (!read) continue;  // tests/unit/hf_families_test.cpp tells
      const transformer& m = read->model;
      ++models;
      std::vector<std::int64_t> contexts{1, 2, 129};
      for (const layer_kind& k : m.kinds)
        if (k.attention.window > 0 && k.attention.window <= 8192) {
          contexts.push_back(k.attention.window);
          contexts.push_back(k.attention.window + 1);
        }
      contexts.push_back(std::uniform_int_distribution<std::int64_t>(1, 9000)(random));
      for (std::int64_t context : contexts)
        for (const number_format& f : {formats::bf16, formats::fp8}) {
          INFO(row["model"] << " " << context << " " << f.name);
          CHECK(integer(kv_cache(m, of<tokens>(context), of<sequences>(1), f).per_sequence) ==
                simulated_bytes(m, context, f.element_bits));
        }
    }
  }
  std::cout << "caches played token by token: " << models << " models\n";
  CHECK(models > 0);
}
