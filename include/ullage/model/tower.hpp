// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <ullage/model/transformer.hpp>

// Vision and audio towers with their projectors. A tower is a table of tensors (model/vision_towers.hpp,
// model/audio_towers.hpp) over the sizes that a config gives; add_tower() hangs it on a model as part::tower.
namespace ullage::inline v0 {

/// Sizes of a tower. Only those that a tower's table names matter; a tensor with a size of 0 is not there, so that
/// switches are sizes of 0 or 1.
struct tower_shape {
  std::int64_t one = 1;
  std::int64_t two = 2;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t attention = 0;  ///< heads · head_dim
  std::int64_t kv = 0;         ///< heads of K or V · head_dim
  std::int64_t qkv = 0;        ///< attention + 2 · kv
  std::int64_t head_dim = 0;
  std::int64_t inner = 0;      ///< intermediate size
  std::int64_t patch = 0;      ///< inputs of the patch embedding: channels · frames · height · width
  std::int64_t positions = 0;  ///< rows of the learned table of positions
  std::int64_t merged = 0;     ///< inputs of the projector: hidden · neighbouring patches
  std::int64_t projected = 0;  ///< the projector's intermediate size
  std::int64_t text = 0;       ///< hidden size of the text part
  std::int64_t mergers = 0;    ///< further mergers (deepstack)
  // Switches: 1 where the tensors are there.
  std::int64_t attention_bias = 0;
  std::int64_t norm_bias = 0;  ///< LayerNorm; 0 = RMSNorm
  std::int64_t qk_norm = 0;
  std::int64_t pooled = 0;  ///< a head that pools by attention
  std::int64_t projector_bias = 0;
  std::int64_t projector_norm = 0;
  std::int64_t newline = 0;  ///< a learned end of line
  // Tiles of an image (Llama-3.2-Vision).
  std::int64_t aspects = 0;             ///< shapes of an image made of tiles, with "none"
  std::int64_t tiles = 0;               ///< elements of one shape's tiles
  std::int64_t positions_of_tiles = 0;  ///< the same with a table of positions each
  std::int64_t global_layers = 0;       ///< layers over all tiles, or with a view of the whole image
  // A stack before the tower (SAM), and convolutions between the two.
  std::int64_t second_layers = 0;
  std::int64_t second_hidden = 0;
  std::int64_t second_qkv = 0;
  std::int64_t second_head_dim = 0;
  std::int64_t second_inner = 0;
  std::int64_t second_positions = 0;
  std::int64_t second_patch = 0;
  std::int64_t window_layers = 0;
  std::int64_t span_global = 0;  ///< relative positions of a layer that sees the whole image
  std::int64_t span_window = 0;
  std::int64_t neck = 0;
  std::int64_t neck_patch = 0;  ///< inputs of a convolution of 3 x 3 over the neck
  std::int64_t wide = 0;
  std::int64_t wide_patch = 0;
  std::int64_t queries_768 = 0;  ///< learned queries, by the size of the image
  std::int64_t queries_1024 = 0;
  std::int64_t added_tokens = 0;  ///< token embeddings that images alone use
};

/// One line of a tower's table.
struct tower_tensor {
  std::string_view name{};  ///< of the checkpoint, with {} for the layer; points to static text
  std::int64_t tower_shape::*rows = &tower_shape::one;
  std::int64_t tower_shape::*cols = &tower_shape::one;
  std::int64_t tower_shape::*copies = &tower_shape::one;
};

/// Hangs a tower on a model, behind those it has; `layers` becomes 0 when a bound of `transformer` is passed.
/// Towers stand whole on every rank and stay in the model's own type, as quantised checkpoints leave them out.
constexpr void add_tower(transformer& m, const tower_shape& s, std::span<const tower_tensor> table) noexcept {
  if (m.towers.size == 0) m.towers.first = static_cast<std::uint16_t>(m.families.size());
  bool fits = m.towers.first + m.towers.size == static_cast<int>(m.families.size());
  for (const tower_tensor& t : table) {
    const std::int64_t rows = s.*t.rows;
    const std::int64_t cols = s.*t.cols;
    const std::int64_t copies = s.*t.copies;
    if (rows <= 0 || cols <= 0 || copies <= 0) continue;
    fits = m.families.push_back({t.name, rows, cols, copies, 1, part::tower, sharding::replicated, precision::kept}) &&
           fits;
  }
  m.towers.size = static_cast<std::uint16_t>(m.families.size() - m.towers.first);
  if (!fits) m.layers = 0;
}

namespace towers {

/// Text known when compiling, as a template argument.
template <std::size_t N>
struct fixed_text {
  char letters[N]{};
  constexpr fixed_text(const char (&t)[N]) noexcept {  // NOLINT: a literal stands for it
    for (std::size_t i = 0; i < N; ++i) letters[i] = t[i];
  }
};
template <fixed_text A, fixed_text B>
struct joined_text {
  static constexpr std::size_t first = sizeof(A.letters) - 1;
  static constexpr std::size_t second = sizeof(B.letters) - 1;
  struct storage {
    char letters[first + second + 1]{};
  };
  static constexpr storage make() noexcept {
    storage s;
    for (std::size_t i = 0; i < first; ++i) s.letters[i] = A.letters[i];
    for (std::size_t i = 0; i < second; ++i) s.letters[first + i] = B.letters[i];
    return s;
  }
  static constexpr storage text = make();
};
/// A prefix and a name as one static text: one table serves checkpoints that hang the same tower elsewhere.
template <fixed_text A, fixed_text B>
inline constexpr std::string_view joined{joined_text<A, B>::text.letters,
                                         joined_text<A, B>::first + joined_text<A, B>::second};

}  // namespace towers

}  // namespace ullage::inline v0
