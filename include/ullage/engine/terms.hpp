// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/engine.hpp>
#include <ullage/hardware.hpp>

// What an engine spends on one rank, term by term. Docs: docs/formulas.md.
namespace ullage::inline v0 {

/// Batched tokens of one step: the option, else the engine's default for this device class.
/// An engine that does not chunk prompts (vLLM before 0.8 up to 32,768 tokens) takes a whole one: `longest`.
constexpr tokens batched_tokens_in(const engine& e, const accelerator& a, tokens longest) noexcept {
  if (e.options.max_num_batched_tokens != tokens{}) return e.options.max_num_batched_tokens;
  if (e.rules.unchunked_prefill > 0 && longest <= of<tokens>(32768))
    return of<tokens>(larger(longest.value(), count(2048)));
  const double gib = real(a.visible_memory()) / detail::gib;
  const engine_rules& r = e.rules;
  // vLLM names the A100 as an exception to its memory classes.
  const bool ampere = a.family == architecture::ampere;
  return of<tokens>(truncate(gib >= 160             ? r.max_num_batched_tokens_large
                             : gib >= 70 && !ampere ? r.max_num_batched_tokens_datacenter
                                                    : r.max_num_batched_tokens_other));
}
/// Sequences of one step: the option, else the engine's default for this device class.
constexpr sequences max_sequences_in(const engine& e, const accelerator& a) noexcept {
  if (e.options.max_num_seqs != sequences{}) return e.options.max_num_seqs;
  const double gib = real(a.visible_memory()) / detail::gib;
  const bool large = gib >= 70 && a.family != architecture::ampere;
  const count standard = truncate(large ? e.rules.max_num_seqs_datacenter : e.rules.max_num_seqs_other);
  // A step of fewer tokens cannot hold more sequences; the default gives way.
  const count asked = e.options.max_num_batched_tokens.value();
  return of<sequences>(asked > count(0) ? smaller(standard, asked) : standard);
}
constexpr tokens block_tokens_in(const engine& e) noexcept {
  return e.options.block_size != tokens{} ? e.options.block_size : of<tokens>(truncate(e.rules.block_size_default));
}
constexpr double memory_utilization_in(const engine& e) noexcept {
  return e.options.gpu_memory_utilization == 0 ? e.rules.gpu_memory_utilization_default
                                               : e.options.gpu_memory_utilization;
}

/// Weights resident on one rank: the shards plus what the engine adds. vLLM keeps 16-bit copies of the latent
/// up-projections, heads/tp · (key_dim + value_dim) · latent_rank elements a layer, and one table of sines and cosines,
/// max_position · rotary elements, whole on every rank.
constexpr bytes resident_weights(const transformer& m, const engine& e, const layout& l, const stage& s) noexcept {
  bytes total = rank_weights(m, weights_in(e, m), l, s, truncate(e.rules.vocabulary_multiple));
  if (e.rules.rotary_table > 0) {
    const attention& a = m.layer(s.first).attention;
    const std::int64_t rotary = a.kind == attention_kind::latent ? a.rope_dim : a.key_dim;
    total += m.activation.storage(count(m.max_position), count(rotary));
  }
  if (e.rules.absorbed_latent_copies > 0) {
    const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
    for (std::size_t k = 0; k < m.kinds.size(); ++k) {
      const attention& a = m.kinds[k].attention;
      if (a.kind != attention_kind::latent || kinds.of[k] == 0) continue;
      const count elements =
          ceil_div(count(a.heads), count(l.tp)) * count(a.key_dim + a.value_dim) * count(a.latent_rank);
      total += formats::bf16.storage(elements) * count(kinds.of[k]);
    }
  }
  return total;
}

/// Peak of the profiling run above weights, per device. With T batched tokens, e bytes an activation element:
///   max(S, F) + X
///   S = (sampler_bytes_per_logit + e − 2)·max_num_seqs·vocabulary + sampler_hidden_factor·T·hidden·e   (sampler warm-up)
///   F = T·e·(layer_inner_factor·intermediate/tp + layer_hidden_factor·hidden)                          (one layer)
///   X = expert_buffers·T·dp·2·experts_per_token·(max(2n, hidden) + max(n, hidden)), n = expert_inner/(tp·dp), or whole
///       with expert parallelism; the tokens of all data-parallel replicas meet in the experts
/// A layer of experts has no intermediate part in F. An engine that chunks no prompts but is told to (T < longest)
/// runs no sampler in its profile. The band is the rules'; where they were fitted at one setting (fitted_batched_tokens and
/// fitted_num_seqs, on Hopper) it is [unfitted_low, unfitted_high] and `transferred` elsewhere.
constexpr estimate<bytes> activation_peak(const transformer& m, const engine& e, const accelerator& a, const layout& l,
                                          tokens longest) noexcept {
  const engine_rules& r = e.rules;
  const tokens batch = batched_tokens_in(e, a, longest);
  const sequences seqs = max_sequences_in(e, a);
  const double batched = real(batch);
  const double hidden = static_cast<double>(m.hidden);
  const double element = static_cast<double>(m.activation.element_bits) / 8.0;
  const double tp = static_cast<double>(l.tp);
  double inner = 0;
  double experts = 0;
  for (const layer_kind& k : m.kinds) {
    const feed_forward& f = k.feed_forward;
    if (f.kind == feed_forward_kind::dense && static_cast<double>(f.inner) > inner)
      inner = static_cast<double>(f.inner);
    if (f.kind == feed_forward_kind::experts) {
      const double dp = static_cast<double>(l.dp);
      const double n = static_cast<double>(f.expert_inner) / (l.ep > 1 ? 1.0 : tp * dp);
      const double up = 2 * n > hidden ? 2 * n : hidden;
      const double down = n > hidden ? n : hidden;
      const double buffers = batched * dp * 2 * static_cast<double>(f.experts_per_token) * (up + down);
      if (buffers > experts) experts = buffers;
    }
  }
  // The dense layers before the experts are narrower than the experts' buffers; they add nothing to the peak.
  if (experts > 0) inner = 0;
  const bool no_sampler = e.rules.unchunked_prefill > 0 && batch < longest;
  const double sampler =
      no_sampler || r.sampler_bytes_per_logit <= 0
          ? 0.0
          : (r.sampler_bytes_per_logit + element - 2) * real(seqs) * static_cast<double>(m.vocabulary) +
                r.sampler_hidden_factor * batched * hidden * element;
  const double layer = batched * element * (r.layer_inner_factor * inner / tp + r.layer_hidden_factor * hidden);
  const double mid = (sampler > layer ? sampler : layer) + r.expert_buffers * experts;
  double low_factor = r.activation_low;
  double high_factor = r.activation_high;
  bool fitted = r.terms_fitted > 0;
  const bool one_setting = r.fitted_batched_tokens > 0;
  const bool as_fitted = a.family == architecture::hopper && batched == r.fitted_batched_tokens &&
                         real(seqs) == r.fitted_num_seqs && l.ep == 1;
  if (one_setting && !as_fitted) {
    low_factor = r.unfitted_low;
    high_factor = r.unfitted_high;
    fitted = false;
  }
  // The terms were seen on NVIDIA devices, and the same allocator runs on AMD's; elsewhere the factor is anybody's guess.
  if (e.kind == engine_kind::vllm && a.made_by != vendor::nvidia && a.made_by != vendor::amd &&
      a.made_by != vendor::unknown) {
    low_factor = low_factor < 0.5 ? low_factor : 0.5;
    high_factor = high_factor > 2.0 ? high_factor : 2.0;
    fitted = false;
  }
  double high = mid * high_factor;
  if (r.expert_buffers_unknown > 0 && experts > 0) {
    high += experts;
    fitted = false;
  }
  return {of<bytes>(truncate(mid * low_factor)), of<bytes>(truncate(mid)), of<bytes>(truncate(high)),
          fitted ? basis::fitted : basis::transferred};
}

/// Memory outside the framework's allocator: device context and communication buffers.
constexpr estimate<bytes> runtime_memory(const engine& e, const layout& l) noexcept {
  const engine_rules& r = e.rules;
  const bool group = l.world() > count(1);
  return {of<bytes>(truncate(group ? r.runtime_group_low : r.runtime_single_low)),
          of<bytes>(truncate(group ? r.runtime_group_mid : r.runtime_single_mid)),
          of<bytes>(truncate(group ? r.runtime_group_high : r.runtime_single_high)),
          r.terms_fitted > 0 ? basis::fitted : basis::transferred};
}

/// CUDA graphs of one stage: (base + per_layer·layers + experts) × factor; nothing with enforce_eager.
constexpr estimate<bytes> graph_memory(const transformer& m, const engine& e, const stage& s) noexcept {
  if (e.options.enforce_eager) return {};
  const engine_rules& r = e.rules;
  bool costly = false;
  for (const layer_kind& k : m.kinds)
    costly = costly || k.feed_forward.kind == feed_forward_kind::experts || k.attention.kind == attention_kind::latent;
  const double whole = r.graph_base_bytes + r.graph_bytes_per_layer * static_cast<double>(s.size) +
                       (costly ? r.graph_expert_bytes : 0.0);
  return {of<bytes>(truncate(whole * r.graph_low)), of<bytes>(truncate(whole * r.graph_mid)),
          of<bytes>(truncate(whole * r.graph_high)), r.terms_fitted > 0 ? basis::fitted : basis::transferred};
}

/// Budget of one device: vLLM ⌈visible · gpu_memory_utilization⌉.
constexpr bytes memory_budget(const engine& e, bytes visible) noexcept {
  const double exact = real(visible) * memory_utilization_in(e);
  const count whole = truncate(exact);
  return of<bytes>(static_cast<double>(whole) < exact ? whole + count(1) : whole);
}
constexpr bytes memory_budget(const engine& e, const accelerator& a) noexcept {
  return memory_budget(e, a.visible_memory());
}

}  // namespace ullage::inline v0
