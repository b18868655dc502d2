// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <ullage/performance/step.hpp>

namespace ullage::inline v0 {

/// What is asked of a deployment. Give `concurrency` (a closed loop: so many requests are always under way) or
/// `request_rate` (an open loop: arrivals at random). All figures are of the whole plan point, replicas together.
struct traffic {
  tokens input_tokens{};
  tokens output_tokens{};
  sequences concurrency{};
  double request_rate = 0;  ///< requests per second; used when concurrency is 0
  double prefix_hit = 0;    ///< share of the input found in the prefix cache, 0…1
  static constexpr sequences not_asked = of<sequences>(count(-1));
  sequences kv_concurrency = not_asked;  ///< sequences of this length that the cache holds (from `fits`)
};

/// What keeps more requests from running at once.
enum class service_limit : std::uint8_t {
  offered,       ///< nothing: all that is offered runs
  kv_cache,      ///< the cache holds no more sequences
  max_num_seqs,  ///< the engine takes no more sequences
  saturated      ///< requests arrive faster than they can be served: waiting grows without bound
};
constexpr std::string_view name(service_limit l) noexcept {
  switch (l) {
    case service_limit::offered: return "offered";
    case service_limit::kv_cache: return "kv_cache";
    case service_limit::max_num_seqs: return "max_num_seqs";
    case service_limit::saturated: return "saturated";
  }
  return "offered";
}

/// Steady state of a serving engine. Infinite where requests arrive faster than they are served.
struct service {
  time_problem problem = time_problem::none;
  estimate<seconds> ttft{};              ///< time to first token, waiting included
  estimate<seconds> tpot{};              ///< time per output token after the first
  estimate<tokens_per_second> output{};  ///< output tokens a second, all devices
  estimate<tokens_per_second> output_per_device{};
  estimate<tokens_per_second> total_per_device{};  ///< input and output tokens
  estimate<double> requests_per_second{};
  double running = 0;  ///< sequences at once, in the middle of the band
  service_limit limit = service_limit::offered;
  bound limited_by = bound::overhead;  ///< of an output token: decode and the prefills that interrupt it
  step_time decode{};                  ///< one decode step of the running sequences at the mean context
  step_time prefill{};                 ///< the whole prompt alone, chunk after chunk
};

namespace detail {

/// A prompt of `fresh` tokens behind `cached` ones, in chunks of at most `chunk` tokens.
inline step_cost prompt_cost(step_context& s, double fresh, double cached, double chunk) noexcept {
  const double whole = std::floor(fresh / chunk);
  const double rest = fresh - whole * chunk;
  step_cost out;
  if (whole > 0) {
    // Attention is nearly linear in the prefix, so that equal chunks cost what one at the mean prefix costs, times their
    // number; layers with windows less so, but they cost little.
    set_work(s, {1, chunk, cached + (whole - 1) * chunk / 2, 0, 0});
    out = step_of(s);
    if (whole > 1) {
      for (cost* item : {&out.linear, &out.attention, &out.experts, &out.collectives, &out.elementwise, &out.head,
                         &out.overhead, &out.total}) {
        const cost one = *item;
        item->add(one, whole - 1);
        item->scatter_s2 = one.scatter_s2 * whole * whole;
      }
      out.slowest_stage_s *= whole;
    }
  }
  if (rest >= 1 || whole < 1) {
    set_work(s, {1, rest < 1 ? 1.0 : rest, cached + whole * chunk, 0, 0});
    const step_cost last = step_of(s);
    if (whole < 1) return last;
    out.linear.add(last.linear);
    out.attention.add(last.attention);
    out.experts.add(last.experts);
    out.collectives.add(last.collectives);
    out.elementwise.add(last.elementwise);
    out.head.add(last.head);
    out.overhead.add(last.overhead);
    out.total.add(last.total);
    out.slowest_stage_s += last.slowest_stage_s;
  }
  return out;
}

/// Steady state at `running` sequences over all replicas.
struct steady {
  step_cost decode{};
  double low_s = 0;  ///< TPOT
  double mid_s = 0;
  double high_s = 0;
  bound limited_by = bound::overhead;
};
inline steady steady_at(step_context& s, const step_cost& prompt, const estimate<seconds>& prompt_band, double running,
                        double context, double output) noexcept {
  const double stages = static_cast<double>(s.point.layout.pp);
  // A pipeline is filled by as many batches as it has stages.
  const double batch = std::ceil(running / stages);
  set_work(s, {0, 0, 0, batch, context});
  steady t;
  t.decode = step_of(s);
  const estimate<seconds> d = t.decode.total.band();
  double round = stages * t.decode.slowest_stage_s / t.decode.total.mid_s;
  if (!(round > 1) || running < stages) round = 1;
  const double here = running / s.dp;
  const double stage_part = stages > 1 ? prompt.slowest_stage_s / prompt.total.mid_s : 1.0;
  const double interruptions = here > 1 ? (here - 1) / output * stage_part : 0.0;
  t.low_s = seconds_of(d.low) * round + interruptions * seconds_of(prompt_band.low);
  t.mid_s = seconds_of(d.mid) * round + interruptions * seconds_of(prompt_band.mid);
  t.high_s = seconds_of(d.high) * round + interruptions * seconds_of(prompt_band.high);
  cost both = t.decode.total;
  both.add(prompt.total, interruptions);
  t.limited_by = both.largest();
  return t;
}

}  // namespace detail

/// Steady state of continuous batching with chunked prefill.
///
/// TPOT = t_decode(b) + (b − 1)/O · t_prefill(S): while one request makes its O tokens, each of its b − 1 neighbours
/// brings one prompt. Running b is the offered concurrency, capped by kv_concurrency and max_num_seqs. Rates by
/// Little's law: b = rate · (TTFT + (O − 1) · TPOT).
/// TTFT, closed loop: t_prefill · (0.95 + b/20) (a run of ten rounds that starts all at once), low end the prompt
/// alone, high end 2.5 times as long; open loop: prompt, half a step and the wait of an M/D/1 queue. Both and request_gap.
inline service perf(const plan_point& p, const traffic& w, const constants& c) noexcept {
  service out;
  detail::step_context s{p, c};
  out.problem = detail::check_point(p, s);
  if (out.problem == time_problem::none && s.is_encoder) out.problem = time_problem::no_decode;
  if (out.problem != time_problem::none) return out;
  const bool closed = w.concurrency > sequences{};
  if (w.input_tokens < of<tokens>(1) || w.output_tokens < of<tokens>(1) || overflowed(w.input_tokens) ||
      overflowed(w.output_tokens) || w.concurrency < sequences{} || !(w.prefix_hit >= 0 && w.prefix_hit <= 1) ||
      overflowed(w.kv_concurrency) || (!closed && !(w.request_rate > 0))) {
    out.problem = time_problem::bad_load;
    return out;
  }
  if (w.kv_concurrency == sequences{}) {
    out.problem = time_problem::no_room;
    return out;
  }
  const double input = real(w.input_tokens);
  const double output = real(w.output_tokens);
  const double cached = std::floor(input * w.prefix_hit) < input ? std::floor(input * w.prefix_hit) : input - 1;
  const double chunk = real(batched_tokens_in(p.engine, p.part, w.input_tokens + w.output_tokens));
  const detail::step_cost prompt = detail::prompt_cost(s, input - cached, cached, chunk > 1 ? chunk : 1);
  if (prompt.problem != time_problem::none) {
    out.problem = prompt.problem;
    return out;
  }
  const estimate<seconds> pre = prompt.total.band();
  const double pre_s = value_of(pre.mid);

  double cap = real(max_sequences_in(p.engine, p.part)) * s.dp;
  service_limit cap_by = service_limit::max_num_seqs;
  if (w.kv_concurrency > sequences{} && real(w.kv_concurrency) < cap) {
    cap = real(w.kv_concurrency);
    cap_by = service_limit::kv_cache;
  }
  const double context = input + output / 2;
  const auto at = [&](double running) { return detail::steady_at(s, prompt, pre, running, context, output); };
  const auto busy = [&](double tpot_s, double first_s) {
    return first_s + (output - 1) * tpot_s;
  };  // a slot is held so long

  double running = real(w.concurrency);
  detail::steady t;
  if (closed) {
    if (running > cap) {
      running = cap;
      out.limit = cap_by;
    }
    t = at(running);
  } else {
    // The least number of sequences whose throughput reaches the rate; throughput grows with their number.
    double low = 1;
    double high = cap;
    const auto reaches = [&](double b) {
      const detail::steady here = at(b);
      return b >= w.request_rate * busy(here.mid_s, pre_s + here.decode.total.mid_s / 2);
    };
    if (!reaches(high)) {
      out.limit = service_limit::saturated;
      running = high;
    } else {
      while (high - low > .5) {
        const double middle = std::floor((low + high) / 2);
        if (reaches(middle))
          high = middle;
        else
          low = middle + 1;
      }
      running = high;
    }
    t = at(running);
  }

  // First token.
  const double here = std::ceil(running / s.dp);
  const double half_step = t.decode.total.mid_s / 2;
  const double alone_low = value_of(pre.low);
  const double alone_high = value_of(pre.high);
  double first_low = alone_low;
  double first_mid = pre_s;
  double first_high = alone_high;
  if (closed) {
    first_mid = pre_s * (.95 + here / 20 > 1 ? .95 + here / 20 : 1.0) + half_step;
    first_high = 2.5 * alone_high * (.95 + here / 20 > 1 ? .95 + here / 20 : 1.0) + 2 * half_step;
  } else {
    const auto wait = [&](double service_s) {
      const double load = w.request_rate / s.dp * service_s;
      return load < 1 ? load * service_s / (2 * (1 - load)) : std::numeric_limits<double>::infinity();
    };
    first_low += wait(alone_low);
    first_mid += half_step + wait(pre_s);
    first_high += 2 * half_step + wait(alone_high);
  }
  first_low += detail::seconds_of(c.request_gap.low);
  first_mid += detail::seconds_of(c.request_gap.mid);
  first_high += detail::seconds_of(c.request_gap.high);
  // Slots and waiting for one.
  const double slot_low = busy(t.low_s, alone_low);
  const double slot_mid = busy(t.mid_s, pre_s + half_step);
  const double slot_high = busy(t.high_s, alone_high + 2 * half_step);
  const double waiting = real(w.concurrency) - running;
  if (closed && waiting > 0) {
    first_low += waiting / running * slot_low;
    first_mid += waiting / running * slot_mid;
    first_high += waiting / running * slot_high;
  }
  if (out.limit == service_limit::saturated)
    first_low = first_mid = first_high = std::numeric_limits<double>::infinity();

  const basis from = t.decode.total.from;
  const basis from_first = weaker(basis::transferred, from);
  out.ttft = {of<seconds>(first_low), of<seconds>(first_mid), of<seconds>(first_high), from_first};
  out.tpot = {of<seconds>(t.low_s), of<seconds>(t.mid_s), of<seconds>(t.high_s), from};
  const bool open = !closed && out.limit != service_limit::saturated;
  const double rate_low = open ? w.request_rate : running / slot_high;
  const double rate_mid = open ? w.request_rate : running / slot_mid;
  const double rate_high = open ? w.request_rate : running / slot_low;
  if (open) running = w.request_rate * slot_mid;
  const basis from_rate = open ? basis::exact : from;
  const auto rates_times = [&](double each) -> estimate<tokens_per_second> {
    return {of<tokens_per_second>(rate_low * each), of<tokens_per_second>(rate_mid * each),
            of<tokens_per_second>(rate_high * each), from_rate};
  };
  const double world = static_cast<double>(p.layout.world());
  out.requests_per_second = {rate_low, rate_mid, rate_high, from_rate};
  out.output = rates_times(output);
  out.output_per_device = rates_times(output / world);
  out.total_per_device = rates_times((input + output) / world);
  out.running = running;
  out.limited_by = t.limited_by;
  out.decode = detail::finish(t.decode);
  out.prefill = detail::finish(prompt);
  return out;
}

}  // namespace ullage::inline v0
