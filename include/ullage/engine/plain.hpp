// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>

namespace ullage::inline v0 {

/// A minimal server: it may use all visible memory, keeps one contiguous cache of context × sequences, captures no
/// graphs and has no sampler warm-up. What remains after weights, context and one layer's working set is the cache's.
constexpr engine plain() noexcept {
  engine e;
  e.kind = engine_kind::plain;
  e.rules.gpu_memory_utilization_default = 1.0;
  e.rules.graphs_inside_budget = 0;
  e.rules.tokens_from_concurrency = 0;
  e.rules.block_size_default = 1;
  e.rules.null_blocks = 0;
  e.rules.in_flight_batches = 0;
  e.rules.state_snapshots = 0;
  e.rules.vocabulary_multiple = 1;
  e.rules.absorbed_latent_copies = 0;
  e.rules.rotary_table = 0;
  e.rules.max_num_batched_tokens_large = 2048;
  e.rules.max_num_batched_tokens_datacenter = 2048;
  e.rules.max_num_seqs_datacenter = 256;
  e.rules.sampler_bytes_per_logit = 0;
  e.rules.sampler_hidden_factor = 0;
  e.rules.activation_low = 0.5;
  e.rules.activation_high = 2.0;
  e.rules.graph_mid = 0;
  e.rules.graph_low = 0;
  e.rules.graph_high = 0;
  return e;
}

}  // namespace ullage::inline v0
