// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/detail/static_list.hpp>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

/// What a layer keeps of a sequence.
enum class cache_use : std::uint8_t {
  every_token,
  window,   ///< the last tokens
  chunk,    ///< the tokens of the chunk at hand
  state,    ///< a state of fixed size
  encoder,  ///< the encoder's tokens
};

/// Layers that an engine caches alike: the same use, window and bytes a token.
struct cache_group {
  cache_use use = cache_use::every_token;
  count layers{};        ///< on this stage
  count all_layers{};    ///< of the whole model, of which the block tables are made
  bytes entry{};         ///< of one token in one layer; of a state the whole
  bytes page{};          ///< of one block in one layer, as the engine pads it
  count block_tokens{};  ///< tokens of the sequence that one block holds
  count window{};        ///< tokens of a window, a chunk or an encoder
  count groups{};        ///< how many block tables a sequence has for them; 0 where those of another entry serve

  // Written out: g++ 12 takes an array of this struct as an aggregate for no constant.
  constexpr cache_group() noexcept
      : use(cache_use::every_token),
        layers(0),
        all_layers(0),
        entry(bytes::from_value(count(0))),
        page(bytes::from_value(count(0))),
        block_tokens(0),
        window(0),
        groups(0) {}
};

/// How an engine cuts the cache of one rank into blocks.
///
/// One pool of equal blocks serves all layers: a block is one page in each of `group_layers` layers. Where all layers cache
/// alike that is all of them. The plain engine has no pool: where its layers differ each is charged for itself.
struct cache_layout {
  static constexpr std::size_t most_groups = 8;

  tokens block_tokens{};  ///< the smallest block of a layer that keeps every token or a window
  std::int64_t dcp = 1;   ///< decode context parallel: a rank's block holds block_tokens of dcp·block_tokens tokens
  detail::static_list<cache_group, most_groups> groups{};
  bytes block{};         ///< what one block costs on this rank, in all its layers; 0 without a pool
  count group_layers{};  ///< layers that a block serves
  count in_flight{};     ///< tokens of steps under way, for which every window makes room
  count retained{};      ///< tokens kept below every window for prediction modules that run again
  count state_blocks{};  ///< blocks of a sequence in a layer with a state
  bool pooled = true;
  bool prints_bytes = false;  ///< printed concurrency counts bytes of a sequence, not its blocks
  bool too_many = false;      ///< more kinds of layers than groups

  /// The largest page of a layer.
  constexpr bytes page() const noexcept {
    count most(0);
    for (const cache_group& g : groups) most = larger(most, g.page.value());
    return of<bytes>(most);
  }
  /// Block tables of one sequence.
  constexpr count tables() const noexcept {
    count n(0);
    for (const cache_group& g : groups) n += g.groups;
    return n;
  }
};

}  // namespace ullage::inline v0
