// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/speedups.hpp>

// What a measured time means. Docs: docs/formulas/performance.md, Diagnosis.
namespace ullage::inline v0 {

/// A time that the part cannot have taken for the work: which of its rates it would have had to exceed.
enum class refusal : std::uint8_t { none, beyond_compute, beyond_memory, beyond_network };
constexpr std::string_view name(refusal r) noexcept {
  switch (r) {
    case refusal::none: return "none";
    case refusal::beyond_compute: return "compute";
    case refusal::beyond_memory: return "memory";
    case refusal::beyond_network: return "network";
  }
  return "none";
}
/// What would have to be wrong.
constexpr std::string_view sentence(refusal r) noexcept {
  switch (r) {
    case refusal::none: return "the time is possible";
    case refusal::beyond_compute:
      return "either less was computed than said (shorter, fewer, cached or padded away, or the device had not "
             "finished "
             "when the clock was stopped), or in a narrower format or with 2:4 sparsity, or on another part";
    case refusal::beyond_memory:
      return "either fewer bytes were read than said (a narrower format, fewer or shorter sequences, heads divided "
             "over "
             "ranks, a copy that stayed in a cache of the chip), or several tokens came of one pass (speculative "
             "decoding), or it ran on another "
             "part";
    case refusal::beyond_network:
      return "either less was sent than said (a smaller message, fewer devices, or compressed), or the devices are "
             "joined "
             "by a faster fabric";
  }
  return "the time is possible";
}

/// Where an observation lies to what this stack usually attains.
enum class standing : std::uint8_t { inside, faster, slower };
constexpr std::string_view name(standing s) noexcept {
  switch (s) {
    case standing::inside: return "inside";
    case standing::faster: return "faster";
    case standing::slower: return "slower";
  }
  return "inside";
}

/// One roof: what the work takes at its nominal rate, and the share of that rate that was attained.
struct roof {
  seconds at_peak{};
  double attained = 0;
};

/// What a measured time means. All seconds are of one token of one sequence (ttft: of the first; an operation: of it).
struct diagnosis {
  time_problem problem = time_problem::none;  ///< why there is nothing to say
  refusal refused = refusal::none;            ///< the observation is faster than physics allows
  seconds observed{};
  seconds least{};  ///< at the nominal rates, everything else free and overlapped
  roof compute{};
  roof memory{};
  roof network{};
  ullage::work work{};
  math arithmetic = math::bf16;  ///< that takes longest
  double intensity = 0;          ///< FLOP a byte
  double ridge = 0;              ///< of the part in that arithmetic: below it memory limits, above it compute
  /// The largest of what the observation is spent on. The three shares are those usual on this stack, `lost` is what is
  /// left: launches, gaps, waiting, and whatever made it slower than usual. Where it is faster, all shares shrink.
  bound limited_by = bound::overhead;
  seconds spent_compute{};
  seconds spent_memory{};
  seconds spent_network{};
  seconds lost{};
  estimate<seconds> expected{};  ///< what this stack usually attains
  standing stands = standing::inside;
  seconds gap{};  ///< observed − expected.mid
  bool fell_back = false;
  detail::static_list<speedup, 3> changes{};  ///< that gain most
};

namespace detail {

/// How far a rate may seem to be exceeded: data sheets round, and parts boost above the clock that peaks are stated at
/// (H100 SXM: 1,830 of 1,980 MHz).
inline constexpr double beyond_peak = 1.10;
inline constexpr double beyond_bandwidth = beyond_rates;
/// A router that prefers some experts reaches fewer than evenly drawn ones; of those expected, half are certain.
inline constexpr double certain_experts = .5;

/// Share of a message's time on its links that no algorithm avoids. A reduction inside the network sends every byte once
/// instead of twice; rings and tori have more links than the usual algorithms take.
constexpr double certain_wire(const op& o, const fabric& f) noexcept {
  if (o.kind != op_kind::collective) return 1;
  // Two ranks exchange their buffers whatever the switch can do.
  const double n = real(o.group);
  double share = o.what == collective::all_reduce && f.in_network_reduction && n > 2 ? n / (2 * (n - 1)) : 1.0;
  const bool spare_links = f.shape == topology::ring || f.shape == topology::torus_2d || f.shape == topology::torus_3d;
  const double usable = value_of(f.usable(o.group));
  if (spare_links && usable > 0 && usable < value_of(f.per_device)) share *= usable / value_of(f.per_device);
  return share;
}
/// Share of an operation's bytes that nobody avoids: a few experts may be all that the tokens prefer, a norm may come without
/// the residual sum (read and write once), and the largest of the logits is found in one pass over them in 16 bits.
constexpr double certain_bytes(const op& o) noexcept {
  if (o.kind == op_kind::normalization) return .5;
  if (o.kind == op_kind::sampling) return 2.0 / 12;
  const bool may_miss = o.kind == op_kind::experts && o.experts.experts_per_token < o.experts.experts;
  return may_miss ? certain_experts : 1.0;
}

/// Fills what follows from the work, the expectation and its shares.
inline void weigh(diagnosis& d, const accelerator& a, double compute_s, double memory_s, double network_s) noexcept {
  const double seen = value_of(d.observed);
  const auto under = [&](seconds at_peak) { return roof{at_peak, value_of(at_peak) / seen}; };
  d.compute = under(d.work.at_peaks(a));
  d.memory = under(d.work.at_bandwidth(a));
  d.network = under(d.work.wire);
  d.arithmetic = d.work.busiest(a);
  d.intensity = d.work.intensity();
  d.ridge = a.ridge(d.arithmetic);
  d.gap = d.observed - d.expected.mid;
  d.stands = d.observed > d.expected.high  ? standing::slower
             : d.observed < d.expected.low ? standing::faster
                                           : standing::inside;
  const double usual = value_of(d.expected.mid);
  const double scale = seen < usual ? seen / usual : 1.0;
  d.spent_compute = of<seconds>(compute_s * scale);
  d.spent_memory = of<seconds>(memory_s * scale);
  d.spent_network = of<seconds>(network_s * scale);
  const double spent = (compute_s + memory_s + network_s) * scale;
  d.lost = of<seconds>(seen > spent ? seen - spent : 0.0);
  cost shares;
  shares.compute_s = value_of(d.spent_compute);
  shares.memory_s = value_of(d.spent_memory);
  shares.network_s = value_of(d.spent_network);
  shares.overhead_s = value_of(d.lost);
  d.limited_by = shares.largest();
}
inline void refuse_impossible(diagnosis& d, double compute_s, double memory_s, double network_s) noexcept {
  const double seen = value_of(d.observed);
  double least = compute_s;
  if (memory_s > least) least = memory_s;
  if (network_s > least) least = network_s;
  d.least = of<seconds>(least);
  // Of the roofs that are exceeded the one that takes longest is named.
  double longest = 0;
  const auto hold = [&](double s, double grace, refusal r) {
    if (!(s > seen * grace) || s < longest) return;
    longest = s;
    d.refused = r;
  };
  hold(memory_s, beyond_bandwidth, refusal::beyond_memory);
  hold(network_s, beyond_bandwidth, refusal::beyond_network);
  hold(compute_s, beyond_peak, refusal::beyond_compute);
}
constexpr bool positive(const seconds& s) noexcept {
  return value_of(s) > 0 && value_of(s) < 1e12;
}
inline diagnosis no_diagnosis(time_problem p) noexcept {
  diagnosis d;
  d.problem = p;
  return d;
}
/// The best of each kind, as many as there is room for.
inline void best_three(diagnosis& d, const speedup_list& all) noexcept {
  for (const speedup& s : all) {
    bool told = false;
    for (const speedup& earlier : d.changes) told = told || earlier.kind == s.kind;
    if (!told) d.changes.push_back(s);
  }
}

}  // namespace detail

/// What a measured time of a deployment means: attained share of each roof, the bound, the gap to what this stack usually
/// attains, and the three changes that gain most, each computed by asking again. `others`: parts to try instead, see `speedups`.
///
/// An observation that is not positive, or a load without sequences, gives `bad_load`; a time shorter than the nominal rates
/// allow is `refused` (5 % of grace on bandwidth, 10 % on peaks), and then nothing else is said but `least`.
inline diagnosis diagnose(const observation& o, const plan_point& p, const constants& c,
                          std::span<const accelerator> others = {}) noexcept {
  if (!detail::positive(o.waited())) return detail::no_diagnosis(time_problem::bad_load);
  const prediction usual = predict(o, p, c);
  if (usual.problem != time_problem::none) return detail::no_diagnosis(usual.problem);
  diagnosis d;
  d.observed = o.waited();
  d.work = work_of(o, usual, p);
  if (overflowed(d.work.moved)) return detail::no_diagnosis(time_problem::bad_load);
  d.expected = usual.time;
  d.fell_back = usual.decode.fell_back || usual.prefill.fell_back;
  // What must be read: no activations between kernels, and of routed experts what any routing reaches. Prompts of other
  // requests may be served elsewhere; of throughput each has its own.
  const double own_prompts = o.what == measured::ttft ? 1.0 : o.what == measured::throughput ? usual.prefills : 0.0;
  const double decodes = usual.decodes > 0 ? 1.0 : 0.0;
  const constants nominal;
  const work least = detail::work_behind(p.part, p.scale_out, [&](const accelerator& part, const fabric& out) {
    plan_point one = p;
    one.part = part;
    one.scale_out = out;
    const detail::both_steps s = detail::steps_of(o, one, nominal);
    const auto certain = [](const step_time& t) {
      return value_of(t.total.mid) - value_of(t.elementwise.mid) -
             (1 - detail::certain_experts) * value_of(t.experts.mid);
    };
    return decodes * certain(s.decode) + own_prompts * certain(s.prefill);
  });
  detail::refuse_impossible(d, value_of(least.at_peaks(p.part)), value_of(least.at_bandwidth(p.part)), 0);
  if (d.refused != refusal::none) return d;
  detail::weigh(d, p.part, value_of(usual.compute), value_of(usual.memory), value_of(usual.network));
  detail::best_three(d, speedups(o, p, c, others));
  return d;
}

/// What a measured time of one operation means.
inline diagnosis diagnose(const op& o, seconds observed, const accelerator& a, const fabric& scale_out,
                          const constants& c, std::span<const accelerator> others = {}) noexcept {
  if (!detail::positive(observed)) return detail::no_diagnosis(time_problem::bad_load);
  const op_time usual = time(o, a, scale_out, c);
  if (usual.problem != time_problem::none) return detail::no_diagnosis(usual.problem);
  diagnosis d;
  d.observed = observed;
  d.work = work_of(o, a, scale_out, c.expert_skew.mid);
  if (overflowed(d.work.moved)) return detail::no_diagnosis(time_problem::bad_load);
  d.expected = usual.time;
  d.fell_back = usual.fell_back;
  constants even;
  even.expert_skew =
      estimate<double>::exactly(-1, basis::exact);  // nobody computes less than when tokens are dealt out evenly
  const work least = o.kind == op_kind::experts ? detail::work_behind(o, a, scale_out, even) : d.work;
  detail::refuse_impossible(d, value_of(least.at_peaks(a)), value_of(least.at_bandwidth(a)) * detail::certain_bytes(o),
                            value_of(least.wire) * detail::certain_wire(o, a.scale_up));
  if (d.refused != refusal::none) return d;
  detail::weigh(d, a, value_of(usual.compute), value_of(usual.memory), value_of(usual.network));
  detail::best_three(d, speedups(o, a, scale_out, c, others));
  return d;
}

/// What a measured time of any kernel means, from its FLOP in the arithmetic `m`, and the bytes of the device memory that
/// it moves, without any model.
inline diagnosis diagnose(operations flop, bytes moved, seconds observed, math m, const accelerator& a,
                          const constants& c, std::span<const accelerator> others = {}) noexcept {
  if (!detail::positive(observed) || (!(flop > operations{}) && !(moved > bytes{})))
    return detail::no_diagnosis(time_problem::bad_load);
  const op_time usual = roofline(flop, moved, m, a, c);
  if (usual.problem != time_problem::none) return detail::no_diagnosis(usual.problem);
  diagnosis d;
  d.observed = observed;
  d.work.flop[static_cast<std::size_t>(usual.computes_as)] = flop;
  d.work.moved = moved;
  d.expected = usual.time;
  d.fell_back = usual.fell_back;
  detail::refuse_impossible(d, value_of(d.work.at_peaks(a)), value_of(d.work.at_bandwidth(a)), 0);
  if (d.refused != refusal::none) return d;
  detail::weigh(d, a, value_of(usual.compute), value_of(usual.memory), 0);
  d.arithmetic = usual.computes_as;
  d.ridge = a.ridge(d.arithmetic);
  detail::speedup_list found;
  for (const accelerator& other : others) {
    if (other.id == a.id) continue;
    const op_time then = roofline(flop, moved, m, other, constants_for(other));
    if (then.problem != time_problem::none) continue;
    speedup s;
    s.kind = speed_change::accelerator;
    s.part = other.id;
    s.then = then.time;
    s.then_limited_by = then.limited_by;
    if (!detail::keep(found, s, value_of(usual.time.mid), value_of(then.time.mid), 1)) continue;
    if (found.back().gain > usual.time.mid * .1) break;
    --found.used;
  }
  detail::best_three(d, found);
  return d;
}

}  // namespace ullage::inline v0
