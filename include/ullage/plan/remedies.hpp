// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <ullage/hardware/part_view.hpp>
#include <ullage/plan/solve.hpp>

namespace ullage::inline v0 {

/// One thing to change in the question. The engine's flag is in docs and in the program's answers.
enum class change_kind : std::uint8_t {
  gpu_memory_utilization,  ///< `real`
  enforce_eager,
  max_num_seqs,            ///< `number`
  max_num_batched_tokens,  ///< `number`
  max_model_len,           ///< `number`
  no_drafts,               ///< without speculative decoding
  max_loras,               ///< `number` of adapters resident at once
  kv_cache,                ///< `format`
  weights,                 ///< `format`, online quantisation of the linear layers
  concurrency,             ///< `number`
  context,                 ///< `number`
  tensor_parallel,         ///< `number`: that many devices instead of tp now
  accelerator              ///< `part`
};
constexpr std::string_view name(change_kind k) noexcept {
  switch (k) {
    case change_kind::gpu_memory_utilization: return "gpu_memory_utilization";
    case change_kind::enforce_eager: return "enforce_eager";
    case change_kind::max_num_seqs: return "max_num_seqs";
    case change_kind::max_num_batched_tokens: return "max_num_batched_tokens";
    case change_kind::max_model_len: return "max_model_len";
    case change_kind::no_drafts: return "no_drafts";
    case change_kind::max_loras: return "max_loras";
    case change_kind::kv_cache: return "kv_cache";
    case change_kind::weights: return "weights";
    case change_kind::concurrency: return "concurrency";
    case change_kind::context: return "context";
    case change_kind::tensor_parallel: return "tensor_parallel";
    case change_kind::accelerator: return "accelerator";
  }
  return "accelerator";
}

struct change {
  change_kind kind = change_kind::enforce_eager;
  double real = 0;
  count number{};
  number_format format{};
  std::string_view part{};  ///< id of an accelerator row
};

/// Changes that were tried together, and what came of them.
struct remedy {
  detail::static_list<change, 3> changes{};
  bytes gain{};  ///< more left on the worst device than now
  answer then = answer::invalid;
  bytes left_then{};       ///< middle of the band
  tokens reported_then{};  ///< what the engine would print
  std::int64_t devices_then = 0;
};

namespace detail {

/// The question a verdict answered, in a form that changes apply to.
struct question {
  ullage::layout layout{};
  ullage::engine engine{};
  ullage::load load{};
  ullage::accelerator part{};
  std::span<const ullage::accelerator> parts{};
};

constexpr question question_of(const verdict& v) noexcept {
  return {v.layout, v.engine, v.load, v.ranks[0].part, v.parts};
}

constexpr void apply(question& q, const change& c, const part_view& rows) noexcept {
  switch (c.kind) {
    case change_kind::gpu_memory_utilization: q.engine.options.gpu_memory_utilization = c.real; break;
    case change_kind::enforce_eager: q.engine.options.enforce_eager = true; break;
    case change_kind::max_num_seqs: q.engine.options.max_num_seqs = of<sequences>(c.number); break;
    case change_kind::max_num_batched_tokens: q.engine.options.max_num_batched_tokens = of<tokens>(c.number); break;
    case change_kind::max_model_len: q.engine.options.max_model_len = of<tokens>(c.number); break;
    case change_kind::no_drafts: q.engine.speculative = {}; break;
    case change_kind::max_loras: q.engine.options.max_loras = c.number.value(); break;
    case change_kind::kv_cache: q.engine.kv_cache = c.format; break;
    case change_kind::weights: q.engine.weights = c.format; break;
    case change_kind::concurrency: q.load.concurrency = of<sequences>(c.number); break;
    case change_kind::context: q.load.context = of<tokens>(c.number); break;
    case change_kind::tensor_parallel:
      if (q.layout.ep > 1) q.layout.ep = c.number.value() * q.layout.dp;
      q.layout.tp = c.number.value();
      q.parts = {};
      break;
    case change_kind::accelerator:
      for (const accelerator& a : rows)
        if (a.id == c.part) q.part = a;
      q.parts = {};
      break;
  }
}

constexpr verdict ask(const verdict& v, const question& q) noexcept {
  const std::span<const accelerator> parts = q.parts.empty() ? std::span<const accelerator>(&q.part, 1) : q.parts;
  return fits(*v.model, parts, q.layout, q.engine, q.load, &v.given);
}

constexpr remedy evaluate(const verdict& v, const static_list<change, 3>& changes, const part_view& rows) noexcept {
  question q = question_of(v);
  for (const change& c : changes) apply(q, c, rows);
  const verdict then = ask(v, q);
  remedy r;
  r.changes = changes;
  r.then = then.answer;
  if (then.answer != answer::invalid) {
    r.left_then = then.left();
    // Of what is lacking now: the cache, or the device itself.
    r.gain = v.worst().device_decides() ? then.worst().spare.mid - v.worst().spare.mid
                                        : then.worst().left.mid - v.worst().left.mid;
    r.reported_then = then.kv.reported;
    r.devices_then = then.layout.world().value();
  }
  return r;
}

/// How much a change costs the asker, for the ranking: a flag < a smaller ask < precision < hardware.
constexpr int price(change_kind k) noexcept {
  switch (k) {
    case change_kind::gpu_memory_utilization: return 1;
    case change_kind::max_num_seqs: return 2;
    case change_kind::max_num_batched_tokens: return 2;
    case change_kind::enforce_eager: return 3;
    case change_kind::max_model_len: return 4;
    case change_kind::no_drafts: return 5;
    case change_kind::max_loras: return 5;
    case change_kind::kv_cache: return 5;
    case change_kind::weights: return 8;
    case change_kind::concurrency: return 6;
    case change_kind::context: return 7;
    case change_kind::tensor_parallel: return 20;
    case change_kind::accelerator: return 20;
  }
  return 20;
}
constexpr int price(const remedy& r) noexcept {
  int sum = 0;
  for (const change& c : r.changes) sum += price(c.kind);
  return sum;
}
constexpr bool ranks_before(const remedy& a, const remedy& b) noexcept {
  if (a.then != b.then) return static_cast<std::uint8_t>(a.then) < static_cast<std::uint8_t>(b.then);
  if (a.then != answer::does_not_fit && price(a) != price(b)) return price(a) < price(b);
  return a.gain > b.gain;
}

}  // namespace detail

/// What would make it fit: every change is computed by asking again, and the sink gets them ranked.
///
/// Those that fit come first, the cheapest for the asker before the others (a flag, then a smaller load, then fewer bits,
/// then hardware); those that only gain follow, the largest gain first. Changes without gain are left out.
/// `larger`: parts to try instead, in the order of preference; of those that do, the first is told.
/// Nothing is told when the verdict already fits or is invalid. The model (and unequal parts) must still be alive.
constexpr void remedies(const verdict& v, const part_view& larger, auto&& sink) noexcept {
  if (v.answer == answer::fits || v.answer == answer::invalid || v.model == nullptr) return;
  detail::static_list<remedy, 24> found;
  const auto attempt = [&](std::initializer_list<change> list) {
    detail::static_list<change, 3> changes;
    for (const change& c : list) changes.push_back(c);
    const remedy r = detail::evaluate(v, changes, larger);
    const bool better = r.then != answer::invalid &&
                        (r.gain > bytes{} || static_cast<std::uint8_t>(r.then) < static_cast<std::uint8_t>(v.answer));
    if (better) found.push_back(r);
    return better && r.then == answer::fits;
  };
  const auto real_change = [](change_kind k, double x) {
    change c;
    c.kind = k;
    c.real = x;
    return c;
  };
  const auto number_change = [](change_kind k, count n) {
    change c;
    c.kind = k;
    c.number = n;
    return c;
  };
  const auto format_change = [](change_kind k, const number_format& f) {
    change c;
    c.kind = k;
    c.format = f;
    return c;
  };
  const auto plain_change = [](change_kind k) {
    change c;
    c.kind = k;
    return c;
  };

  const rank_memory& worst = v.worst();
  const bool vllm = v.engine.kind == engine_kind::vllm;
  const bool free_budget =
      vllm && v.engine.options.kv_cache_memory_bytes <= bytes{} && !calibration::given(v.given.kv_available);
  const bool wide_cache = kv_format_in(v.engine, *v.model).element_bits > 8;
  const bool wide_weights =
      weights_in(v.engine, *v.model).linear.element_bits > 8 && !calibration::given(v.given.weights);
  // Beyond 0.98 the start check finds less free than is requested; graphs outside the budget need what it leaves.
  double highest_utilization = 0.98;
  if (!worst.graphs_in_budget) {
    const double room = 1.0 - real(worst.graphs.high) / real(worst.capacity);
    if (room < highest_utilization) highest_utilization = static_cast<double>(truncate(room * 100.0).value()) / 100.0;
  }
  const bool can_raise = free_budget && memory_utilization_in(v.engine) < highest_utilization;

  // Alone.
  if (can_raise) {
    // The lowest hundredth that makes room for the whole band, at most the highest that starts.
    const double need = real(worst.budget - worst.left.low) / real(worst.capacity);
    double u = static_cast<double>(truncate(need * 100.0).value() + 1) / 100.0;
    if (!(u < highest_utilization)) u = highest_utilization;
    if (u > memory_utilization_in(v.engine)) attempt({real_change(change_kind::gpu_memory_utilization, u)});
  }
  if (free_budget && worst.graphs_in_budget && !v.engine.options.enforce_eager)
    attempt({plain_change(change_kind::enforce_eager)});
  if (free_budget && !calibration::given(v.given.activation)) {
    // The profiling run is sized by these two, whatever the load.
    if (max_sequences_in(v.engine, worst.part) > of<sequences>(256) && v.load.concurrency <= of<sequences>(256))
      attempt({number_change(change_kind::max_num_seqs, count(256))});
    if (batched_tokens_in(v.engine, worst.part, v.max_model_len) > of<tokens>(2048))
      attempt({number_change(change_kind::max_num_batched_tokens, count(2048))});
  }
  if (worst.needed_for == memory_term::max_num_seqs) {
    count most = count::overflow();
    for (const rank_memory& r : v.ranks)
      if (r.kv_of_states > bytes{})
        if (const count n = blocks_in(r.blocks, r.kv_available.low); most.overflowed() || n < most) most = n;
    if (!most.overflowed() && most > count(0)) attempt({number_change(change_kind::max_num_seqs, most)});
  }
  // Shorter or fewer, as far as the low end of the band allows, so that the answer is `fits`.
  constexpr detail::band_end low = detail::band_end::low;
  // One sequence of max_model_len needs its blocks; the null block counts only for a load.
  const tokens startable = detail::longest_context(v, of<sequences>(v.layout.dp), v.max_model_len, low);
  const bool shorter_start = vllm && startable >= of<tokens>(256) && startable < v.max_model_len &&
                             (v.load.context <= startable) &&
                             (v.load.concurrency == sequences{} || v.load.contexts != nullptr ||
                              v.engine.options.max_model_len > v.load.context);
  if (shorter_start) attempt({number_change(change_kind::max_model_len, startable.value())});
  if (v.load.concurrency > of<sequences>(1)) {
    const sequences n = detail::most_of_load(v, low);
    if (n > sequences{} && n < v.load.concurrency) attempt({number_change(change_kind::concurrency, n.value())});
  }
  if (v.load.concurrency > sequences{}) {
    const tokens c = detail::longest_context(v, of<sequences>(round_up(v.load.concurrency.value(), count(v.layout.dp))),
                                             v.load.context, low);
    if (c >= of<tokens>(256) && c < v.load.context) attempt({number_change(change_kind::context, c.value())});
  }
  if (v.engine.speculative.method != draft_method::none && !calibration::given(v.given.weights))
    attempt({plain_change(change_kind::no_drafts)});
  if (v.engine.options.max_loras > 1 && !calibration::given(v.given.weights))
    attempt({number_change(change_kind::max_loras, count(1))});
  const change narrow_cache = format_change(change_kind::kv_cache, formats::fp8);
  const change narrow_weights = format_change(change_kind::weights, formats::fp8);
  bool cache_alone = false;
  bool weights_alone = false;
  if (wide_cache && v.kv.page > bytes{}) cache_alone = attempt({narrow_cache});
  if (wide_weights) weights_alone = attempt({narrow_weights});
  if (wide_cache && wide_weights && !cache_alone && !weights_alone) attempt({narrow_weights, narrow_cache});
  // The highest utilisation with what then starts.
  if (can_raise && vllm && v.load.concurrency == sequences{}) {
    detail::question q = detail::question_of(v);
    detail::apply(q, real_change(change_kind::gpu_memory_utilization, highest_utilization), larger);
    const verdict raised = detail::ask(v, q);
    const auto startable_then = [&](detail::band_end end) {
      return detail::longest_context(raised, of<sequences>(v.layout.dp), v.max_model_len, end);
    };
    // The low end of the band where it leaves something to work with, else its middle (the answer is then `may_fit`).
    const tokens safe = startable_then(low);
    const tokens then = safe >= of<tokens>(1024) ? safe : startable_then(detail::band_end::mid);
    if (then >= of<tokens>(256) && then < v.max_model_len)
      attempt({real_change(change_kind::gpu_memory_utilization, highest_utilization),
               number_change(change_kind::max_model_len, then.value())});
  }
  // More or other hardware; of that only what fits, or may fit, is told.
  const auto attempt_hardware = [&](std::initializer_list<change> list) {
    const std::size_t before = found.size();
    const bool then = attempt(list);
    if (found.size() > before && found.back().then == answer::does_not_fit) --found.used;
    return then;
  };
  if (v.parts.empty() && !calibration::given(v.given.kv_available) && !calibration::given(v.given.weights)) {
    // The fewest devices of one node that do, and with fewer bits where that saves devices.
    bool narrow = weights_alone || !wide_weights;
    for (std::int64_t tp = v.layout.tp * 2; tp <= 64 && of<devices>(tp) <= worst.part.node_devices(); tp *= 2) {
      ullage::layout l = v.layout;
      l.tp = tp;
      if (l.ep > 1) l.ep = tp * l.dp;
      if (check_layout(*v.model, l) != layout_problem::none) continue;
      const change more = number_change(change_kind::tensor_parallel, count(tp));
      if (attempt_hardware({more})) break;
      if (!narrow) narrow = attempt_hardware({narrow_weights, more});
    }
    for (const accelerator& a : larger) {
      if (a.visible_memory() <= worst.capacity) continue;
      change other;
      other.kind = change_kind::accelerator;
      other.part = a.id;
      if (attempt_hardware({other})) break;
    }
  }
  // Few entries: a plain insertion sort, stable so that equal ones keep the order above.
  for (std::size_t i = 1; i < found.size(); ++i)
    for (std::size_t j = i; j > 0 && detail::ranks_before(found[j], found[j - 1]); --j) {
      const remedy swap = found[j];
      found[j] = found[j - 1];
      found[j - 1] = swap;
    }
  for (const remedy& r : found) sink(r);
}

}  // namespace ullage::inline v0
