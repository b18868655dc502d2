// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/op.hpp>
#include <ullage/performance/service.hpp>

namespace ullage::inline v0 {

/// What of a running deployment was measured.
enum class measured : std::uint8_t {
  tpot,        ///< seconds from one output token of a sequence to its next
  ttft,        ///< seconds from a request to its first token
  throughput,  ///< output tokens a second of all replicas
};
constexpr std::string_view name(measured m) noexcept {
  switch (m) {
    case measured::tpot: return "tpot";
    case measured::ttft: return "ttft";
    case measured::throughput: return "throughput";
  }
  return "tpot";
}

/// A measurement and the load it was taken under. Sequences are counted over all replicas.
///
/// tpot and throughput: `batch` sequences that decode behind `context` cached tokens; or, where `output_tokens` is given,
/// the steady state of a service with prompts of `new_tokens` and answers of `output_tokens`, whose prompts interrupt.
/// ttft: a prompt of `new_tokens` behind `context` cached ones, one of `batch` requests under way.
struct observation {
  measured what = measured::tpot;
  seconds time{};              ///< of tpot and ttft
  tokens_per_second output{};  ///< of throughput
  sequences batch = of<sequences>(1);
  tokens context{};
  tokens new_tokens{};
  tokens output_tokens{};

  constexpr bool steady() const noexcept { return what != measured::ttft && output_tokens > tokens{}; }
  /// The measurement as seconds that one sequence waits for a token (ttft: for its first); 0 where it is none.
  constexpr seconds waited() const noexcept {
    if (what != measured::throughput) return time;
    const double rate = value_of(output);
    return of<seconds>(rate > 0 ? real(batch) / rate : 0.0);
  }
};

/// What an observation should have been, of one token of one sequence: the steps it is made of, and how many of each.
struct prediction {
  time_problem problem = time_problem::none;
  estimate<seconds> time{};
  step_time decode{};
  step_time prefill{};
  double decodes = 0;   ///< decode steps in `time`
  double prefills = 0;  ///< prompts in `time`: those that interrupt, of ttft the own
  seconds compute{};    ///< shares of the middle; they add up to it
  seconds memory{};
  seconds network{};
  seconds overhead{};  ///< launches, gaps between steps, waiting in line
};

namespace detail {

constexpr bool workable(const observation& o) noexcept {
  if (o.batch < of<sequences>(1) || overflowed(o.batch) || o.context < tokens{} || overflowed(o.context) ||
      o.new_tokens < tokens{} || overflowed(o.new_tokens) || o.output_tokens < tokens{} || overflowed(o.output_tokens))
    return false;
  return o.what == measured::ttft || o.steady() ? o.new_tokens > tokens{} : true;
}

/// The steps of an observation under one part's rates.
struct both_steps {
  time_problem problem = time_problem::none;
  step_time decode{};
  step_time prefill{};
  service steady{};
};
inline both_steps steps_of(const observation& o, const plan_point& p, const constants& c) noexcept {
  both_steps s;
  if (o.what != measured::ttft && !o.steady()) {
    s.decode = step(p, phase::decode, o.batch, o.context, of<tokens>(1), c);
    s.problem = s.decode.problem;
    return s;
  }
  traffic t;
  t.input_tokens = o.new_tokens + o.context;
  t.output_tokens = o.steady() ? o.output_tokens : of<tokens>(1);
  t.concurrency = o.batch;
  // Half a token more, so that the share gives the cached tokens back whole.
  t.prefix_hit = o.context > tokens{} ? (real(o.context) + .5) / real(t.input_tokens) : 0.0;
  s.steady = perf(p, t, c);
  s.problem = s.steady.problem;
  s.decode = s.steady.decode;
  s.prefill = s.steady.prefill;
  return s;
}

/// Decode steps that a token waits for: a pipeline's batch comes round when the others have passed its slowest stage.
inline double rounds(const step_time& decode, const observation& o, const plan_point& p) noexcept {
  const double stages = static_cast<double>(p.layout.pp);
  if (!(stages > 1) || !o.steady() || real(o.batch) < stages) return 1;
  const double round = stages * value_of(decode.slowest_stage) / value_of(decode.total.mid);
  return round > 1 ? round : 1;
}

}  // namespace detail

/// What an observation should have been: `step` for a decoding batch, `perf` where prompts take part. The observed number
/// itself is not read. Bad loads and points give a `problem`.
inline prediction predict(const observation& o, const plan_point& p, const constants& c) noexcept {
  prediction out;
  if (!detail::workable(o)) {
    out.problem = time_problem::bad_load;
    return out;
  }
  const detail::both_steps s = detail::steps_of(o, p, c);
  out.problem = s.problem;
  if (s.problem != time_problem::none) return out;
  out.decode = s.decode;
  out.prefill = s.prefill;
  if (o.what == measured::ttft) {
    out.time = s.steady.ttft;
    out.prefills = 1;
  } else if (!o.steady()) {
    out.time = s.decode.total;
    out.decodes = 1;
  } else {
    out.decodes = detail::rounds(s.decode, o, p);
    const double between = value_of(s.steady.tpot.mid) - out.decodes * value_of(s.decode.total.mid);
    const double prompt = value_of(s.prefill.total.mid);
    out.prefills = between > 0 && prompt > 0 ? between / prompt : 0.0;
    out.time = s.steady.tpot;
    if (o.what == measured::throughput) {
      // All tokens of a slot share its own prompt.
      out.prefills += 1 / real(o.output_tokens);
      const double n = real(o.batch);
      const auto& rate = s.steady.output;
      out.time = {of<seconds>(n / value_of(rate.high)), of<seconds>(n / value_of(rate.mid)),
                  of<seconds>(n / value_of(rate.low)), rate.from};
    }
  }
  const auto share = [&](seconds step_time::*member) {
    return value_of(out.decode.*member) * out.decodes + value_of(out.prefill.*member) * out.prefills;
  };
  double compute = share(&step_time::compute_share);
  double memory = share(&step_time::memory_share);
  double network = share(&step_time::network_share);
  const double whole = value_of(out.time.mid);
  // Waiting for a slot can only add; where rounding takes a sum beyond the whole, the shares shrink to it.
  const double sum = compute + memory + network;
  if (sum > whole) {
    compute *= whole / sum;
    memory *= whole / sum;
    network *= whole / sum;
  }
  out.compute = of<seconds>(compute);
  out.memory = of<seconds>(memory);
  out.network = of<seconds>(network);
  out.overhead = of<seconds>(whole - (compute + memory + network));
  return out;
}

/// A kind of operation in a step: its work, its predicted seconds, all layers together.
struct step_item {
  std::string_view name{};
  ullage::work work{};
  seconds time{};
};
inline constexpr std::size_t step_items = 6;

/// The operations of the decode step of a prediction, or of its prompt, each with the work behind it on one device.
inline std::array<step_item, step_items> items_of(const observation& o, const prediction& predicted,
                                                  const plan_point& p, phase which) noexcept {
  struct row {
    std::string_view name;
    estimate<seconds> step_time::*member;
  };
  constexpr row rows[step_items] = {{"linear", &step_time::linear},   {"attention", &step_time::attention},
                                    {"experts", &step_time::experts}, {"elementwise", &step_time::elementwise},
                                    {"head", &step_time::head},       {"collectives", &step_time::collectives}};
  constants nominal;
  nominal.network.overlap = 1;
  std::array<step_item, step_items> items{};
  const step_time& real_step = which == phase::decode ? predicted.decode : predicted.prefill;
  for (std::size_t i = 0; i < step_items; ++i) {
    items[i].name = rows[i].name;
    items[i].time = (real_step.*rows[i].member).mid;
    if (!(items[i].time > seconds{})) continue;
    items[i].work = detail::work_behind(p.part, p.scale_out, [&](const accelerator& part, const fabric& out) {
      plan_point one = p;
      one.part = part;
      one.scale_out = out;
      const detail::both_steps s = detail::steps_of(o, one, nominal);
      return value_of(((which == phase::decode ? s.decode : s.prefill).*rows[i].member).mid);
    });
  }
  return items;
}

/// The work of one token of one sequence of an observation, on the busiest device. Pipelined stages count one after the
/// other, as a token meets them.
inline work work_of(const observation& o, const prediction& predicted, const plan_point& p) noexcept {
  constants nominal;
  nominal.network.overlap = 1;  // of messages the longest leg
  return detail::work_behind(p.part, p.scale_out, [&](const accelerator& part, const fabric& out) {
    plan_point one = p;
    one.part = part;
    one.scale_out = out;
    const detail::both_steps s = detail::steps_of(o, one, nominal);
    return predicted.decodes * value_of(s.decode.total.mid) + predicted.prefills * value_of(s.prefill.total.mid);
  });
}

}  // namespace ullage::inline v0
