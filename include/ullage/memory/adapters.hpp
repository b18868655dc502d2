// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/memory/weights.hpp>

namespace ullage::inline v0 {

/// Bytes of the slots for low-rank adapters on one rank of a stage: `slots` adapters of `rank` beside every matrix.
///
/// A matrix of rows × cols has A, rank × cols, and B, rows × rank, in the model's own type. What tensor parallelism divides
/// of the matrix it divides of the side that has it, and the other side is whole on every rank (vllm/lora/layers, slots that
/// are not fully sharded). Embedding and head have theirs whole; towers and prediction modules none.
constexpr bytes adapter_slots(const transformer& m, const layout& l, const stage& s, std::int64_t slots,
                              std::int64_t rank) noexcept {
  if (slots <= 0 || rank <= 0) return bytes{};
  count elements(0);
  const auto add = [&](family_range r, count times, bool whole) {
    for (const tensor_family& f : families_of(m, r)) {
      if (f.rows <= 1 || f.cols <= 1 || f.stored_as == precision::float32) continue;
      const local_shape piece = whole ? local_shape{count(f.rows), count(f.cols), count(f.copies)} : shard(f, l, count(1));
      elements += (piece.rows + piece.cols) * piece.copies * count(rank) * times;
    }
  };
  const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
  for (std::size_t k = 0; k < m.kinds.size(); ++k)
    if (kinds.of[k] > 0) add(m.kinds[k].tensors, count(kinds.of[k]), false);
  if (s.is_first) add(m.embedding, count(1), true);
  if (s.is_last) add(m.tied_embeddings ? m.embedding : m.head, count(1), true);
  return m.activation.storage(elements * count(slots));
}

}  // namespace ullage::inline v0
