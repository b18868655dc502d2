// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>
#include <ullage/hardware.hpp>

// What an engine spends on one rank, term by term. Docs: docs/formulas.md.
namespace ullage::inline v0 {

/// Batched tokens and sequences of one step: the option, else the engine's default for this device class.
constexpr tokens batched_tokens_in(const engine& e, const accelerator& a) noexcept {
  if (e.options.max_num_batched_tokens > tokens{}) return e.options.max_num_batched_tokens;
  const double gib = real(a.visible_memory()) / 1073741824.0;
  const engine_rules& r = e.rules;
  // vLLM names the A100 as an exception to its memory classes.
  const bool ampere = a.family == architecture::ampere;
  return of<tokens>(truncate(gib >= 160 ? r.max_num_batched_tokens_large
                             : gib >= 70 && !ampere ? r.max_num_batched_tokens_datacenter
                                                    : r.max_num_batched_tokens_other));
}
constexpr sequences max_sequences_in(const engine& e, const accelerator& a) noexcept {
  if (e.options.max_num_seqs > sequences{}) return e.options.max_num_seqs;
  const double gib = real(a.visible_memory()) / 1073741824.0;
  const bool large = gib >= 70 && a.family != architecture::ampere;
  return of<sequences>(truncate(large ? e.rules.max_num_seqs_datacenter : e.rules.max_num_seqs_other));
}
constexpr tokens block_tokens_in(const engine& e) noexcept {
  return e.options.block_size > tokens{} ? e.options.block_size : of<tokens>(truncate(e.rules.block_size_default));
}
constexpr double memory_utilization_in(const engine& e) noexcept {
  return e.options.gpu_memory_utilization > 0 ? e.options.gpu_memory_utilization : e.rules.gpu_memory_utilization_default;
}

/// Weights resident on one rank: the shards plus what the engine adds. vLLM keeps 16-bit copies of the latent
/// up-projections, heads/tp · (key_dim + value_dim) · latent_rank elements a layer.
constexpr bytes resident_weights(const transformer& m, const engine& e, const layout& l, const stage& s) noexcept {
  bytes total = rank_weights(m, weights_in(e, m), l, s, truncate(e.rules.vocabulary_multiple));
  if (e.rules.absorbed_latent_copies > 0) {
    const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
    for (std::size_t k = 0; k < m.kinds.size(); ++k) {
      const attention& a = m.kinds[k].attention;
      if (a.kind != attention_kind::latent || kinds.of[k] == 0) continue;
      const count elements = ceil_div(count(a.heads), count(l.tp)) * count(a.key_dim + a.value_dim) * count(a.latent_rank);
      total += formats::bf16.storage(elements) * count(kinds.of[k]);
    }
  }
  return total;
}

/// Peak of the profiling run above weights: the larger of
///   sampler: sampler_bytes_per_logit·max_num_seqs·vocabulary + sampler_hidden_factor·T·hidden·2
///   layer:   T·2·(layer_inner_factor·inner/tp + layer_hidden_factor·hidden)
/// with T batched tokens and inner the widest feed-forward of one token (experts_per_token·expert_inner + shared).
constexpr estimate<bytes> activation_peak(const transformer& m, const engine& e, const accelerator& a, const layout& l) noexcept {
  const engine_rules& r = e.rules;
  const double batched = real(batched_tokens_in(e, a));
  const double hidden = static_cast<double>(m.hidden);
  double inner = 0;
  for (const layer_kind& k : m.kinds) {
    const feed_forward& f = k.feed_forward;
    const double width = f.kind == feed_forward_kind::experts
                             ? static_cast<double>(f.experts_per_token * f.expert_inner + f.shared_inner)
                             : static_cast<double>(f.inner);
    if (width > inner) inner = width;
  }
  const double sampler = r.sampler_bytes_per_logit * real(max_sequences_in(e, a)) * static_cast<double>(m.vocabulary) +
                         r.sampler_hidden_factor * batched * hidden * 2;
  const double layer = batched * 2 * (r.layer_inner_factor * inner / static_cast<double>(l.tp) + r.layer_hidden_factor * hidden);
  const double mid = sampler > layer ? sampler : layer;
  return {of<bytes>(truncate(mid * r.activation_low)), of<bytes>(truncate(mid)), of<bytes>(truncate(mid * r.activation_high)), r.terms_from};
}

/// Memory outside the framework's allocator: device context and communication buffers.
constexpr estimate<bytes> runtime_memory(const engine& e, const layout& l) noexcept {
  const engine_rules& r = e.rules;
  const double mid = l.world() > count(1) ? r.runtime_bytes_group : r.runtime_bytes_single;
  return {of<bytes>(truncate(mid * r.runtime_low)), of<bytes>(truncate(mid)), of<bytes>(truncate(mid * r.runtime_high)), r.terms_from};
}

/// CUDA graphs; nothing with enforce_eager.
constexpr estimate<bytes> graph_memory(const engine& e) noexcept {
  if (e.options.enforce_eager) return {};
  const engine_rules& r = e.rules;
  return {of<bytes>(truncate(r.graph_bytes_low)), of<bytes>(truncate(r.graph_bytes_mid)), of<bytes>(truncate(r.graph_bytes_high)), r.terms_from};
}

/// Budget of one device: vLLM ⌈visible · gpu_memory_utilization⌉.
constexpr bytes memory_budget(const engine& e, const accelerator& a) noexcept {
  const double exact = real(a.visible_memory()) * memory_utilization_in(e);
  const count whole = truncate(exact);
  return of<bytes>(static_cast<double>(whole) < exact ? whole + count(1) : whole);
}

}  // namespace ullage::inline v0
