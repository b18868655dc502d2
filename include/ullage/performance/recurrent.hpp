// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/attention_work.hpp>

// Layers that carry a state: a chunked scan over a prompt, one update a token, and the causal convolution before either.
namespace ullage::inline v0 {

namespace detail {

/// A recurrent layer on one rank of a tensor-parallel group.
struct local_recurrent {
  double heads = 1;
  double state = 0;  ///< elements of one sequence
  double state_bytes = 0;
  double width = 0;       ///< elements of a token's values: √(state · heads), as with square states
  double channels = 0;    ///< of the convolution
  double conv_bytes = 0;  ///< what one sequence keeps of it
};
inline local_recurrent recurrent_on_rank(const recurrent& r, double tp) noexcept {
  local_recurrent l;
  l.state = std::ceil(static_cast<double>(r.state) / tp);
  // Without heads (Mamba-1, RG-LRU) the state is of channels: as many as make heads of 128 × 128.
  l.heads = r.heads > 0 ? static_cast<double>(r.heads) / tp : l.state / 16384;
  if (l.heads < 1) l.heads = 1;
  l.state_bytes = l.state * r.state_bits / 8;
  l.width = std::sqrt(l.state * l.heads);
  // Convolutions have four taps in all public models but LFM2's three.
  const double taps = r.kind == recurrent_kind::short_conv ? 2 : 3;
  l.channels = std::ceil(static_cast<double>(r.conv) / taps / tp);
  l.conv_bytes = 2 * taps * l.channels;
  return l;
}

/// Chunked scan of n prompts of `new_tokens`: a token reads, corrects and updates the state (6 FLOP an element) and meets
/// the 64 tokens of its chunk in three products; bytes: Q, K, V and the result, the state read and written once.
inline attention_work scan_work(const local_recurrent& l, double n, double new_tokens) noexcept {
  attention_work k;
  const double t = n * new_tokens;
  k.flop = t * (6 * l.state + 3 * 2 * 64 * l.width);
  k.moved_bytes = t * 8 * l.width + n * 2 * l.state_bytes;
  k.at[0] = rough_log2(n);
  k.at[1] = rough_log2(new_tokens);
  k.at[2] = rough_log2(l.heads);
  return k;
}
/// One token for each of n sequences: the state is read and written.
inline attention_work update_work(const local_recurrent& l, double n) noexcept {
  attention_work k;
  k.flop = n * 6 * l.state;
  k.moved_bytes = n * (2 * l.state_bytes + 8 * l.width);
  k.at[0] = rough_log2(n);
  k.at[2] = rough_log2(l.heads);
  return k;
}
/// Convolution: every channel read and written in 16 bits, the kept taps read and written.
inline attention_work conv_work(const local_recurrent& l, double n, double new_tokens) noexcept {
  attention_work k;
  k.moved_bytes = n * (new_tokens * 4 * l.channels + 2 * l.conv_bytes);
  k.at[0] = rough_log2(n);
  k.at[1] = rough_log2(new_tokens);
  k.at[2] = rough_log2(l.channels > 1 ? l.channels : 1);
  return k;
}

/// Scans without tables of their own (Mamba, lightning attention, RG-LRU) borrow those of the gated delta net.
constexpr attention_op scan_op(recurrent_kind k, bool prompt) noexcept {
  if (k == recurrent_kind::kda) return prompt ? attention_op::kda_prefill : attention_op::kda_decode;
  return prompt ? attention_op::delta_prefill : attention_op::delta_decode;
}
/// Measured between the two scans that have tables.
inline constexpr double borrowed_scan_half = .40;

/// State and convolution of n sequences that bring `new_tokens` each (`prompt`), or one.
inline cost recurrent_cost(const recurrent& r, double tp, double n, double new_tokens, bool prompt, double peak,
                           double bandwidth, const attention_constants& c) noexcept {
  const local_recurrent l = recurrent_on_rank(r, tp);
  cost t;
  if (l.state > 0) {
    t = attention_cost(prompt ? scan_work(l, n, new_tokens) : update_work(l, n), peak, bandwidth,
                       c[scan_op(r.kind, prompt)]);
    if (r.kind != recurrent_kind::gated_delta && r.kind != recurrent_kind::kda) {
      const double s = borrowed_scan_half * t.mid_s;
      if (t.scatter_s2 > 0 && t.scatter_s2 < s * s) t.scatter_s2 = s * s;
      t.from = weaker(t.from, basis::transferred);
    }
  }
  if (l.channels > 0)
    t.add(attention_cost(conv_work(l, n, prompt ? new_tokens : 1), peak, bandwidth,
                         c[prompt ? attention_op::conv_prefill : attention_op::conv_decode]));
  return t;
}

}  // namespace detail

/// Time of one recurrent layer's state and convolution in a prefill of `how_many` sequences of `new_tokens`, or, with
/// `new_tokens` 0, in a decode step, on one rank of `tp`. Its projections are matrices like others (`gemm`).
///
/// Bytes of a decode step: 2·(state + kept taps) a sequence. No state, no sequences or a negative length: `bad_load`.
inline op_time recurrent_time(const recurrent& r, sequences how_many, tokens new_tokens, std::int64_t tp,
                              const accelerator& part, const attention_constants& c) noexcept {
  if (r.kind == recurrent_kind::none || r.state < 0 || r.conv < 0 || r.state + r.conv < 1 || tp < 1 ||
      how_many < of<sequences>(1) || overflowed(how_many) || new_tokens < tokens{} || overflowed(new_tokens))
    return detail::no_time(time_problem::bad_load);
  if (part.bandwidth <= bytes_per_second{}) return detail::no_time(time_problem::no_bandwidth);
  const math runs = math_on(part, math::bf16);
  const double peak = value_of(part.peak(runs));
  if (!(peak > 0)) return detail::no_time(time_problem::no_peak);
  detail::cost k = detail::recurrent_cost(r, static_cast<double>(tp), real(how_many), real(new_tokens),
                                          new_tokens > tokens{}, peak, value_of(part.bandwidth), c);
  k.from = weaker(k.from, weaker(part.bandwidth_basis, part.peaks_basis));
  return detail::finish(k, math::bf16, runs);
}

}  // namespace ullage::inline v0
