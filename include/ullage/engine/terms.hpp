// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine/encoder_profile.hpp>
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

namespace detail {

/// Whether routed experts run in kernels of 4-bit floats, which pad their tensors and bring scratch of their own.
constexpr bool float4_experts(const engine& e, const transformer& m) noexcept {
  const number_format f = weights_in(e, m)[precision::experts];
  return f == formats::mxfp4 || f == formats::nvfp4;
}

/// What a kernel's padding adds to the MXFP4 experts of one layer on one rank.
constexpr bytes expert_padding(const transformer& m, const engine& e, const layout& l, const feed_forward& f) noexcept {
  if (e.kind != engine_kind::vllm || f.kind != feed_forward_kind::experts) return bytes{};
  const number_format format = weights_in(e, m)[precision::experts];
  if (!(format == formats::mxfp4)) return bytes{};
  const bool spread = l.ep > 1;  // whole experts, else each divided
  const count inner = spread ? count(f.expert_inner) : ceil_div(count(f.expert_inner), count(l.tp) * count(l.dp));
  const count experts = spread ? ceil_div(count(f.experts), count(l.ep)) : count(f.experts);
  const count padded = round_up(inner, truncate(e.rules.mxfp4_inner_multiple)) *
                       round_up(count(m.hidden), truncate(e.rules.mxfp4_hidden_multiple));
  return format.storage(padded - inner * count(m.hidden)) * (experts * count(f.matrices));
}

}  // namespace detail

/// Weights resident on one rank: the shards plus what the engine adds. vLLM keeps 16-bit copies of the latent
/// up-projections, heads/tp · (key_dim + value_dim) · latent_rank elements a layer, and the tables of sines and cosines,
/// max_position (or rotary_rows) · rotary elements, whole on every rank; its kernels of MXFP4 experts pad the hidden size and the experts'.
constexpr bytes resident_weights(const transformer& m, const engine& e, const layout& l, const stage& s) noexcept {
  bytes total = rank_weights(m, weights_in(e, m), l, s, truncate(e.rules.vocabulary_multiple));
  if (e.rules.rotary_table > 0) {
    const attention& a = m.layer(s.first).attention;
    const std::int64_t rotary = a.kind == attention_kind::latent ? a.rope_dim : a.key_dim;
    total += m.activation.storage(count(m.rotary_rows > 0 ? m.rotary_rows : m.max_position), count(rotary));
  }
  const detail::kind_counts kinds = detail::count_kinds(m, s.first, s.size);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    if (kinds.of[k] == 0) continue;
    total += detail::expert_padding(m, e, l, m.kinds[k].feed_forward) * count(kinds.of[k]);
    const attention& a = m.kinds[k].attention;
    if (e.rules.absorbed_latent_copies <= 0 || a.kind != attention_kind::latent) continue;
    const count elements =
        ceil_div(count(a.heads), count(l.tp)) * count(a.key_dim + a.value_dim) * count(a.latent_rank);
    total += formats::bf16.storage(elements) * count(kinds.of[k]);
  }
  return total;
}

namespace detail {

/// Bytes that logs leave beside weights, cache, the activation of the form and the usual runtime. Only that sum is known.
struct rest {
  double low = 0;
  double mid = 0;
  double high = 0;
};

/// AMD (MI355X, 0.21 to 0.24): 1.5 GiB on one device, 2.6 to 3.1 on two, 4.9 to 5.7 on four. Memory shared with the host
/// (GB10): 2.1 to 4.3 GiB, as the system's other use counts. An encoder beside the decoder: 2.3 of its outputs a sequence (Whisper, one log).
constexpr rest rest_of_part(const transformer& m, const accelerator& a, const layout& l, double seqs,
                            double element) noexcept {
  rest r;
  if (a.made_by == vendor::amd) {
    const bool group = l.world() > count(1);
    r = group ? rest{1.0 * gib, 3.5 * gib, 6.0 * gib} : rest{0.5 * gib, 1.5 * gib, 3.0 * gib};
  }
  if (a.memory_shared) r = {1.0 * gib, 2.5 * gib, 4.0 * gib};
  if (m.encoder_tokens > 0 && m.encoder_layers > 0) {
    const double outputs = seqs * static_cast<double>(m.encoder_tokens * m.hidden) * element;
    r = {r.low + 0.5 * outputs, r.mid + 2.3 * outputs, r.high + 4 * outputs};
  }
  return r;
}

}  // namespace detail

/// Peak of the profiling run above weights, per device. With T batched tokens, e bytes an activation element:
///   max(S, F, E) + K + X
///   S = (sampler_bytes_per_logit + e − 2)·max_num_seqs·vocabulary + sampler_hidden_factor·T·hidden·e   (sampler warm-up)
///   F = T·e·(layer_inner_factor·intermediate/tp + layer_hidden_factor·hidden)                          (one layer)
///   E, K = the layer of a tower, and what its run leaves (encoder_profile.hpp); 0 without towers
///   X = expert_buffers·T·dp·2·experts_per_token·(max(2n, hidden) + max(n, hidden)), n = expert_inner/(tp·dp), or whole
///       with expert parallelism; the tokens of all data-parallel replicas meet in the experts
/// A layer of experts has no intermediate part in F; experts in 4-bit floats have no X (gpt-oss-20b on 0.19). An engine that
/// chunks no prompts but is told to (T < longest) runs no sampler in its profile. The band is the rules'; where they were
/// fitted at one setting (fitted_batched_tokens and fitted_num_seqs, on Hopper) it is [unfitted_low, unfitted_high] and
/// `transferred` elsewhere. What only logs of certain parts leave beside weights and cache comes on top (`rest_of_part`).
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
  bool any_experts = false;
  for (const layer_kind& k : m.kinds) {
    const feed_forward& f = k.feed_forward;
    if (f.kind == feed_forward_kind::dense && static_cast<double>(f.inner) > inner)
      inner = static_cast<double>(f.inner);
    if (f.kind == feed_forward_kind::experts) {
      any_experts = true;
      const double dp = static_cast<double>(l.dp);
      const double n = static_cast<double>(f.expert_inner) / (l.ep > 1 ? 1.0 : tp * dp);
      const double up = 2 * n > hidden ? 2 * n : hidden;
      const double down = n > hidden ? n : hidden;
      const double buffers = batched * dp * 2 * static_cast<double>(f.experts_per_token) * (up + down);
      if (buffers > experts) experts = buffers;
    }
  }
  // The dense layers before the experts are narrower than the experts' buffers; they add nothing to the peak.
  if (any_experts) inner = 0;
  if (detail::float4_experts(e, m)) experts = 0;
  const bool no_sampler = e.rules.unchunked_prefill > 0 && batch < longest;
  const double sampler =
      no_sampler || r.sampler_bytes_per_logit <= 0
          ? 0.0
          : (r.sampler_bytes_per_logit + element - 2) * real(seqs) * static_cast<double>(m.vocabulary) +
                r.sampler_hidden_factor * batched * hidden * element;
  const double layer = batched * element * (r.layer_inner_factor * inner / tp + r.layer_hidden_factor * hidden);
  double peak = sampler > layer ? sampler : layer;
  const bool vllm = e.kind == engine_kind::vllm;
  const encoder_profile encoder = vllm ? profile_of_encoder(m, r, batched) : encoder_profile{};
  const bool encoder_leads = encoder.forward > peak;
  if (encoder_leads) peak = encoder.forward;
  const double mid = peak + encoder.kept + r.expert_buffers * experts;
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
  } else if (m.towers.size > 0 && vllm) {  // six logs of towers, five within 2 %
    low_factor = low_factor < 0.98 ? low_factor : 0.98;
    high_factor = high_factor > 1.02 ? high_factor : 1.02;
  }
  // No log shows a tower's own layer as the peak; an encoder beside the decoder is profiled with every sequence.
  if (encoder_leads) {
    low_factor = low_factor < 0.6 ? low_factor : 0.6;
    high_factor = high_factor > 1.8 ? high_factor : 1.8;
    fitted = false;
  }
  // The terms were seen on NVIDIA devices, and the same allocator runs on AMD's; elsewhere the factor is anybody's guess.
  if (vllm && a.made_by != vendor::nvidia && a.made_by != vendor::amd && a.made_by != vendor::unknown) {
    low_factor = low_factor < 0.5 ? low_factor : 0.5;
    high_factor = high_factor > 2.0 ? high_factor : 2.0;
    fitted = false;
  }
  double low = mid * low_factor;
  double high = mid * high_factor;
  if (r.expert_buffers_unknown > 0 && experts > 0) {
    high += experts;
    fitted = false;
  }
  const detail::rest rest = vllm ? detail::rest_of_part(m, a, l, real(seqs), element) : detail::rest{};
  if (rest.high > 0) fitted = false;
  return {of<bytes>(truncate(low + rest.low)), of<bytes>(truncate(mid + rest.mid)),
          of<bytes>(truncate(high + rest.high)), fitted ? basis::fitted : basis::transferred};
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

namespace detail {

/// Steps that vLLM captures: of 1, 2, 4 tokens, every 8 up to 256, every 16 up to `most`.
constexpr double capture_sizes(double most) noexcept {
  double n = 0;
  for (double size : {1.0, 2.0, 4.0})
    if (size <= most) n += 1;
  for (double size = 8; size <= most; size += size < 256 ? 8 : 16) n += 1;
  return n;
}

}  // namespace detail

/// CUDA graphs of one stage: (base + per_layer·layers + experts) × factor; nothing with enforce_eager. Steps are captured up to
/// max_cudagraph_capture_size tokens, by default min(2·max_num_seqs·(1 + drafted tokens), 512). With fewer the middle shrinks
/// and the upper end keeps 1 GiB, as first captures may take workspaces; with more that is added to the upper end alone, as graphs
/// share one pool (gpt-oss-120b on H200, captured up to 2,048 tokens: 0.97 GiB).
constexpr estimate<bytes> graph_memory(const transformer& m, const engine& e, const stage& s) noexcept {
  if (e.options.enforce_eager) return {};
  const engine_rules& r = e.rules;
  bool costly = false;
  for (const layer_kind& k : m.kinds)
    costly = costly || k.feed_forward.kind == feed_forward_kind::experts || k.attention.kind == attention_kind::latent;
  double whole = r.graph_base_bytes + r.graph_bytes_per_layer * static_cast<double>(s.size) +
                 (costly ? r.graph_expert_bytes : 0.0);
  bool unusual = false;
  const bool said = e.options.max_cudagraph_capture_size > tokens{};
  if (whole > 0 && r.graph_sizes > 0 && (said || e.options.max_num_seqs > sequences{})) {
    const double most = 2 * real(e.options.max_num_seqs) * static_cast<double>(1 + e.speculative.num_tokens);
    const double captured = detail::capture_sizes(said         ? real(e.options.max_cudagraph_capture_size)
                                                  : most < 512 ? most
                                                               : 512.0);
    if (captured < r.graph_sizes) whole *= captured / r.graph_sizes;
    unusual = captured < r.graph_sizes || captured > r.graph_sizes;
  }
  return {of<bytes>(truncate(whole * r.graph_low)), of<bytes>(truncate(whole * r.graph_mid)),
          of<bytes>(truncate(whole * r.graph_high + (unusual ? detail::gib : 0.0))),
          r.terms_fitted > 0 && !unusual ? basis::fitted : basis::transferred};
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
