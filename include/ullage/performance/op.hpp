// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/attention.hpp>
#include <ullage/performance/collectives.hpp>
#include <ullage/performance/elementwise.hpp>
#include <ullage/performance/experts.hpp>
#include <ullage/performance/gemm.hpp>

// One operation as a value: its time, and the work that it is whatever runs it.
namespace ullage::inline v0 {

enum class op_kind : std::uint8_t {
  gemm,
  prefill_attention,
  decode_attention,
  experts,
  recurrent,
  normalization,
  quantization,
  embedding,
  sampling,
  collective
};
inline constexpr std::size_t op_kinds = 10;
constexpr std::string_view name(op_kind k) noexcept {
  constexpr std::string_view names[op_kinds] = {"gemm",      "prefill_attention", "decode_attention", "experts",
                                                "recurrent", "normalization",     "quantization",     "embedding",
                                                "sampling",  "collective"};
  return names[static_cast<std::size_t>(k)];
}

/// One operation on one device (a collective: on each device of its group). Only the members of its kind are read.
struct op {
  op_kind kind = op_kind::gemm;

  // gemm: `rows` tokens through a matrix of `outputs` × `inner` in the format `weights`. experts: `rows` tokens of all
  // replicas, `inner` the hidden size. normalization, embedding: `rows` tokens of `inner` elements; quantization: into the
  // format `weights`. sampling: `outputs` the vocabulary, of each of `batch` sequences.
  count rows{};
  count outputs{};
  count inner{};
  number_format weights = formats::bf16;

  // Attention of one layer on one rank of `tp`. prefill: `batch` sequences of `new_tokens` behind `context` cached ones;
  // decode: one new token each behind `context` cached ones. `scores`: the arithmetic of a prefill's products.
  ullage::attention attention{.kind = attention_kind::full};
  number_format cache = formats::bf16;
  math scores = math::bf16;
  sequences batch{};
  tokens new_tokens{};
  tokens context{};
  std::int64_t tp = 1;

  // Routed experts of one layer on the busiest rank: whole ones spread over `ep` ranks, each one's inner size divided by `tp`.
  feed_forward experts{.kind = feed_forward_kind::experts};
  std::int64_t ep = 1;

  // State and convolution of one recurrent layer on one rank of `tp`: `batch` prompts of `new_tokens`, or, with none, one
  // decode step.
  ullage::recurrent recurrent{};

  // collective: see `collective_time` for what `message` is.
  collective what = collective::all_reduce;
  bytes message{};
  devices group{};
};

/// Time of one operation on `a`; `scale_out` joins the domains of a's own fabric and is needed only beyond one. Bad
/// input gives a `problem` and no time; so does a collective of fewer than two devices.
inline op_time time(const op& o, const accelerator& a, const fabric& scale_out, const constants& c) noexcept {
  switch (o.kind) {
    case op_kind::gemm: return gemm(o.rows, o.outputs, o.inner, o.weights, a, c);
    case op_kind::prefill_attention:
      return prefill_attention(o.attention, o.cache, o.batch, o.new_tokens, o.context, o.tp, a, c, o.scores);
    case op_kind::decode_attention: return decode_attention(o.attention, o.cache, o.batch, o.context, o.tp, a, c);
    case op_kind::experts:
      if (o.rows.overflowed()) return detail::no_time(time_problem::bad_load);
      return experts(o.experts, o.inner, o.weights, of<tokens>(o.rows.value()), o.tp, o.ep, a, c);
    case op_kind::recurrent: return recurrent_time(o.recurrent, o.batch, o.new_tokens, o.tp, a, c.attention);
    case op_kind::normalization: return normalization(o.rows, o.inner, a, c);
    case op_kind::quantization: return quantization(o.rows, o.inner, o.weights, a, c);
    case op_kind::embedding: return embedding(o.rows, o.inner, a, c);
    case op_kind::sampling: return sampling(o.batch, o.outputs, a, c);
    case op_kind::collective:
      if (o.group < of<devices>(2) || o.message < of<bytes>(1)) return detail::no_time(time_problem::bad_load);
      return collective_time(o.what, o.message, o.group, a.scale_up, c, scale_out);
  }
  return detail::no_time(time_problem::bad_load);
}

/// What a piece of work is, whoever runs it: FLOP by the arithmetic that runs them, bytes of the device memory, and the
/// seconds that its messages take at the full rate of their links.
struct work {
  std::array<operations, math_kinds> flop{};
  bytes moved{};
  seconds wire{};

  constexpr operations all_flop() const noexcept {
    operations sum{};
    for (const operations& f : flop) sum += f;
    return sum;
  }
  /// FLOP a byte; 0 where nothing is moved.
  constexpr double intensity() const noexcept { return moved > bytes{} ? value_of(all_flop()) / real(moved) : 0.0; }
  /// The arithmetic that takes longest on a part; bf16 where there is none.
  constexpr math busiest(const accelerator& a) const noexcept {
    math best = math::bf16;
    double most = 0;
    for (std::size_t i = 0; i < math_kinds; ++i) {
      const double peak = value_of(a.dense_peaks[i]);
      const double s = peak > 0 ? value_of(flop[i]) / peak : 0.0;
      if (s > most) {
        most = s;
        best = static_cast<math>(i);
      }
    }
    return best;
  }
  /// Seconds at the dense peaks of a part; 0 for arithmetic without a known peak.
  constexpr seconds at_peaks(const accelerator& a) const noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < math_kinds; ++i) {
      const double peak = value_of(a.dense_peaks[i]);
      if (peak > 0) sum += value_of(flop[i]) / peak;
    }
    return of<seconds>(sum);
  }
  /// Seconds at the nominal bandwidth of a part; 0 where that is not known.
  constexpr seconds at_bandwidth(const accelerator& a) const noexcept {
    const double rate = value_of(a.bandwidth);
    return of<seconds>(rate > 0 ? real(moved) / rate : 0.0);
  }
};

namespace detail {

/// Which rates of a part stay as they are; the others grow until they cost nothing.
enum class kept_rate : std::uint8_t { compute, memory, network };
inline constexpr double boundless = 1e18;

/// A part that only one of its rates limits: at nominal constants a time on it is that rate's share of the work.
constexpr accelerator limited_by_one(accelerator a, kept_rate kept, math m = math::bf16) noexcept {
  for (std::size_t i = 0; i < math_kinds; ++i)
    if (kept != kept_rate::compute || static_cast<math>(i) != m) a.dense_peaks[i] = a.dense_peaks[i] * boundless;
  if (kept != kept_rate::memory) a.bandwidth = a.bandwidth * boundless;
  return a;
}
constexpr fabric limited_by_one(fabric f, kept_rate kept) noexcept {
  f.hop_latency = seconds{};
  if (kept == kept_rate::network) return f;
  f.per_device = f.per_device * boundless;
  f.per_peer = f.per_peer * boundless;
  return f;
}

/// The work behind any time: `ask(part, scale_out)` gives seconds at nominal constants, and is asked on parts that one rate
/// limits. So it counts what the time model counts, by the model's own public functions.
template <class Ask>
constexpr work work_behind(const accelerator& a, const fabric& scale_out, Ask&& ask) noexcept {
  work w;
  const auto at = [&](kept_rate kept, math m) -> double {
    accelerator one = limited_by_one(a, kept, m);
    one.scale_up = limited_by_one(a.scale_up, kept);
    return ask(one, limited_by_one(scale_out, kept));
  };
  for (std::size_t i = 0; i < math_kinds; ++i) {
    const double peak = value_of(a.dense_peaks[i]);
    if (!(peak > 0)) continue;
    // What is left of the boundless rates, a 1e-18th, is no work.
    const double flop = at(kept_rate::compute, static_cast<math>(i)) * peak;
    w.flop[i] = of<operations>(flop > 1 ? flop : 0.0);
  }
  w.moved = of<bytes>(truncate(at(kept_rate::memory, math::bf16) * value_of(a.bandwidth) + .5));
  const double wire = at(kept_rate::network, math::bf16);
  w.wire = of<seconds>(wire > 1e-15 ? wire : 0.0);
  return w;
}

inline work work_behind(const op& o, const accelerator& a, const fabric& scale_out, const constants& c) noexcept {
  work w = work_behind(a, scale_out, [&](const accelerator& part, const fabric& out) {
    return value_of(time(o, part, out, c).time.mid);
  });
  // What is left of boundless rates is no work of a kind that has none.
  const bool collects = o.kind == op_kind::collective;
  const bool multiplies = o.kind == op_kind::gemm || o.kind == op_kind::prefill_attention ||
                          o.kind == op_kind::decode_attention || o.kind == op_kind::experts ||
                          o.kind == op_kind::recurrent;
  if (collects) w.moved = bytes{};
  if (!collects) w.wire = seconds{};
  if (!multiplies) w.flop = {};
  return w;
}

}  // namespace detail

/// The work of one operation on `a`: FLOP and bytes as in docs/formulas/performance.md, seconds of wire of the longest leg. Of
/// experts it is the busiest rank's where their popularity varies by `expert_skew`. None where `time` has a problem.
inline work work_of(const op& o, const accelerator& a, const fabric& scale_out = {}, double expert_skew = 0) noexcept {
  constants nominal;
  nominal.expert_skew = estimate<double>::exactly(expert_skew, basis::exact);
  nominal.network.overlap = 1;
  if (time(o, a, scale_out, nominal).problem != time_problem::none) return {};
  return detail::work_behind(o, a, scale_out, nominal);
}

}  // namespace ullage::inline v0
