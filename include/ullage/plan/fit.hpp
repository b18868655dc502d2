// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <ullage/plan/drawn_charge.hpp>
#include <ullage/plan/verdict.hpp>

namespace ullage::inline v0 {
namespace detail {

constexpr void refuse(verdict& v, problem p) noexcept {
  v.answer = answer::invalid;
  v.problem = p;
}
constexpr bool same_stage_kind(const transformer& m, const stage& a, const stage& b) noexcept {
  if (a.size != b.size || a.is_first != b.is_first || a.is_last != b.is_last) return false;
  const kind_counts x = count_kinds(m, a.first, a.size);
  const kind_counts y = count_kinds(m, b.first, b.size);
  for (std::size_t k = 0; k < m.kinds.size(); ++k)
    if (x.of[k] != y.of[k]) return false;
  return true;
}
constexpr bool same_part(const accelerator& a, const accelerator& b) noexcept {
  return &a == &b || (a.id == b.id && a.name == b.name && a.visible_memory() == b.visible_memory());
}

/// The longest sequence the engine is told to accept: the option, else the load's context, else the model's longest.
constexpr tokens model_length(const transformer& m, const engine& e, const load& w) noexcept {
  if (e.options.max_model_len > tokens{}) return e.options.max_model_len;
  if (w.contexts != nullptr && largest_value(*w.contexts) > 0) return of<tokens>(largest_value(*w.contexts));
  if (w.context > tokens{}) return w.context;
  return of<tokens>(m.max_position);
}

/// What one sequence of `context` tokens is charged at the start: on the stage, or all of it.
constexpr bytes charged_at_start(const rank_memory& r, tokens context) noexcept {
  return charged_per_sequence(r.all_stages.groups.empty() ? r.blocks : r.all_stages, context);
}

constexpr rank_memory rank_of(const transformer& m, const accelerator& a, const layout& l, const engine& e,
                              const load& w, const calibration& given, const stage& s, tokens longest) noexcept {
  rank_memory r;
  r.stage = s;
  r.part = a;
  r.visible = a.memory();
  r.capacity = r.visible.mid;
  const estimate<bytes> budget{memory_budget(e, r.visible.low), memory_budget(e, r.visible.mid),
                               memory_budget(e, r.visible.high), r.visible.from};
  r.budget = budget.mid;
  // A measured figure is what loading took, drafts and slots with it.
  r.weights = calibration::given(given.weights) ? given.weights : resident_weights(m, e, l, s);
  if (!calibration::given(given.weights)) {
    r.draft = draft_weights(m, e, l, s);
    r.adapters = adapter_slots(m, l, s, e.options.max_loras, e.options.max_lora_rank);
  }
  const auto pinned = [](bytes b) { return estimate<bytes>::exactly(b, basis::measured); };
  r.activation = calibration::given(given.activation) ? pinned(given.activation) : activation_peak(m, e, a, l, longest);
  r.runtime = calibration::given(given.runtime) ? pinned(given.runtime) : runtime_memory(e, l);
  r.graphs = calibration::given(given.graphs) ? pinned(given.graphs) : graph_memory(m, e, s);
  r.graphs_in_budget = e.rules.graphs_inside_budget > 0;
  r.kv_fixed = calibration::given(given.kv_available) || e.options.kv_cache_memory_bytes != bytes{};
  if (calibration::given(given.kv_available)) {
    r.kv_available = pinned(given.kv_available);
  } else if (e.options.kv_cache_memory_bytes != bytes{}) {
    r.kv_available = estimate<bytes>::exactly(e.options.kv_cache_memory_bytes);
  } else {
    r.kv_available = budget - estimate<bytes>::exactly(r.loaded()) - r.activation - r.runtime;
    if (r.graphs_in_budget) r.kv_available = r.kv_available - r.graphs;
  }
  // What the device itself must hold. A measured cache was allocated beside the weights; the other terms came true.
  const estimate<bytes> rest = r.visible - estimate<bytes>::exactly(r.loaded());
  if (calibration::given(given.kv_available)) {
    r.spare = rest - r.kv_available;
  } else if (e.options.kv_cache_memory_bytes != bytes{}) {
    r.spare = rest - r.activation - r.runtime - r.graphs - r.kv_available;
  } else {
    // The cache takes what the budget leaves, so what is loaded, activation and runtime cancel.
    r.spare = {r.visible.low - budget.low, r.visible.mid - budget.mid, r.visible.high - budget.high, r.visible.from};
    if (!r.graphs_in_budget) r.spare = r.spare - r.graphs;
  }
  // Stages work on as many batches at once as there are.
  const count batches = larger(truncate(e.rules.in_flight_batches), count(l.pp > 1 && e.kind == engine_kind::vllm ? l.pp : 0));
  r.blocks = cache_layout_of(m, e, l, s, batched_tokens_in(e, a, longest) * batches);
  const sequences here = of<sequences>(ceil_div(w.concurrency.value(), count(l.dp)));
  const bytes for_load = w.contexts != nullptr ? charged_mix(r.blocks, *w.contexts, longest, here, e.rules)
                                               : charged_kv(r.blocks, w.context, here, e.rules);
  if (e.rules.start_counts_stages > 0 && l.pp > 1)
    r.all_stages = cache_layout_of(m, e, l, {0, 0, m.layers, true, true}, batched_tokens_in(e, a, longest) * batches);
  // vLLM refuses to start unless one sequence of max_model_len fits.
  const bytes for_start = e.kind == engine_kind::vllm ? charged_at_start(r, longest) : bytes{};
  if (e.kind == engine_kind::vllm && e.rules.state_a_sequence > 0 && !e.options.enforce_eager)
    for (const cache_group& g : r.blocks.groups)
      if (g.use == cache_use::state) r.kv_of_states = r.blocks.block * max_sequences_in(e, a).value();
  r.needed_for = for_start > for_load ? memory_term::max_model_len : memory_term::kv_cache;
  r.kv_needed = of<bytes>(larger(for_start.value(), for_load.value()));  // an overflow of either sticks
  if (overflowed(r.kv_of_states) || (!overflowed(r.kv_needed) && r.kv_of_states > r.kv_needed)) {
    r.needed_for = memory_term::max_num_seqs;
    r.kv_needed = r.kv_of_states;
  }
  r.left = r.kv_available - estimate<bytes>::exactly(r.kv_needed);
  return r;
}

/// The first term at which the running sum passes the budget; kv_cache when nothing does.
constexpr memory_term deciding_term(const rank_memory& r) noexcept {
  if (r.weights > r.capacity) return memory_term::weights;
  if (r.weights + r.draft > r.capacity) return memory_term::draft;
  if (r.loaded() > r.capacity) return memory_term::adapters;
  // The device is the tighter limit: graphs outside the budget, or a cache fixed in bytes.
  if (r.spare.mid < r.left.mid && r.spare.mid < bytes{})
    return r.graphs_in_budget || r.spare.mid + r.graphs.mid < bytes{} ? memory_term::kv_cache : memory_term::graphs;
  // A fixed or measured cache does not come out of the budget.
  if (r.kv_fixed) return r.needed_for;
  bytes sum = r.weights;
  if (sum > r.budget) return memory_term::weights;
  sum += r.draft;
  if (sum > r.budget) return memory_term::draft;
  sum += r.adapters;
  if (sum > r.budget) return memory_term::adapters;
  sum += r.runtime.mid;
  if (sum > r.budget) return memory_term::runtime;
  sum += r.activation.mid;
  if (sum > r.budget) return memory_term::activation;
  if (r.graphs_in_budget) sum += r.graphs.mid;
  if (sum > r.budget) return memory_term::graphs;
  return r.needed_for;
}

/// Fills a verdict; `fits` returns it. Apart, so that the early ends below do not cost a copy of it.
constexpr void answer_fit(verdict& v, const transformer& m, std::span<const accelerator> parts, const layout& l,
                          const engine& e, const load& w, const calibration* given) noexcept {
  v.model = &m;
  v.layout = l;
  v.engine = e;
  v.load = w;
  if (parts.size() > 1) v.parts = parts;
  if (given != nullptr) v.given = *given;
  if (m.layers <= 0) return refuse(v, problem::empty_model);
  v.layout_problem = check_layout(m, l);
  if (v.layout_problem != layout_problem::none) return refuse(v, problem::layout);
  v.draft_problem = check_draft(m, e, l);
  if (v.draft_problem != draft_problem::none) return refuse(v, problem::draft);
  if (parts.empty() || (parts.size() != 1 && count(parts.size()) != l.world())) return refuse(v, problem::device_count);
  const calibration& g = v.given;
  if (overflowed(e.options.max_model_len) || overflowed(e.options.max_num_batched_tokens) ||
      overflowed(e.options.max_num_seqs) || overflowed(e.options.block_size) ||
      overflowed(e.options.kv_cache_memory_bytes) || overflowed(w.context) || overflowed(w.concurrency) ||
      overflowed(g.kv_available) || overflowed(g.weights) || overflowed(g.activation) || overflowed(g.runtime) ||
      overflowed(g.graphs))
    return refuse(v, problem::overflow);
  if (e.kind == engine_kind::vllm && !e.version.known()) return refuse(v, problem::unknown_version);
  if (!consistent(e.rules)) return refuse(v, problem::bad_rule);
  const engine_options& o = e.options;
  if (o.max_model_len < tokens{} || o.max_num_batched_tokens < tokens{} || o.max_num_seqs < sequences{} ||
      o.kv_cache_memory_bytes < bytes{} || o.max_loras < 0 || o.max_lora_rank < 0 ||
      (o.max_loras > 0) != (o.max_lora_rank > 0) ||
      (o.max_num_seqs > sequences{} && o.max_num_batched_tokens > tokens{} &&
       o.max_num_batched_tokens.value() < o.max_num_seqs.value()))
    return refuse(v, problem::bad_option);
  if (!(memory_utilization_in(e) > 0.0 && memory_utilization_in(e) <= 1.0) || block_tokens_in(e) <= tokens{} ||
      w.context < tokens{} || w.concurrency < sequences{} ||
      (w.concurrency > sequences{} && w.contexts == nullptr && w.context <= tokens{}))
    return refuse(v, problem::bad_option);
  if (w.contexts != nullptr && (w.context > tokens{} || check(*w.contexts) != distribution_problem::none))
    return refuse(v, problem::bad_option);
  v.max_model_len = detail::model_length(m, e, w);
  if (w.context > v.max_model_len || v.max_model_len <= tokens{}) return refuse(v, problem::bad_option);

  for (std::int64_t index = 0; index < l.pp; ++index) {
    const stage s = stage_of(m, l, index);
    for (std::int64_t d = 0; d < (parts.size() == 1 ? 1 : l.dp); ++d) {
      for (std::int64_t t = 0; t < (parts.size() == 1 ? 1 : l.tp); ++t) {
        const std::int64_t rank = (d * l.pp + index) * l.tp + t;
        const accelerator& part = parts.size() == 1 ? parts[0] : parts[static_cast<std::size_t>(rank)];
        const count members = parts.size() == 1 ? count(l.tp) * count(l.dp) : count(1);
        rank_memory* known = nullptr;
        for (rank_memory& r : v.ranks)
          if (detail::same_part(r.part, part) && detail::same_stage_kind(m, r.stage, s)) known = &r;
        if (known != nullptr) {
          known->ranks += members;
          continue;
        }
        if (part.visible_memory() <= bytes{}) return refuse(v, problem::no_memory);
        rank_memory r = detail::rank_of(m, part, l, e, w, v.given, s, v.max_model_len);
        r.rank = rank;
        r.ranks = members;
        if (!v.ranks.push_back(r)) return refuse(v, problem::too_many_rank_kinds);
      }
    }
  }
  // The worst device decides; blocks are the least over the ranks.
  count blocks = count::overflow();
  for (std::size_t i = 0; i < v.ranks.size(); ++i) {
    const rank_memory& r = v.ranks[i];
    if (overflowed(r.left.low) || overflowed(r.left.high) || overflowed(r.spare.low) || overflowed(r.loaded()) ||
        overflowed(r.blocks.block) || r.blocks.too_many)
      return refuse(v, problem::overflow);
    if (r.margin() < v.ranks[v.binding].margin()) v.binding = i;
    if (r.blocks.block <= bytes{}) continue;
    const count here = blocks_in(r.blocks, r.kv_available.mid);
    if (blocks.overflowed() || here < blocks) blocks = here;
  }
  const rank_memory& worst = v.worst();
  bool all = true;
  bool none = false;
  for (const rank_memory& r : v.ranks) {
    all = all && r.left.low >= bytes{} && r.spare.low >= bytes{};
    none = none || r.left.high < bytes{} || r.spare.high < bytes{};
  }
  v.answer = all ? answer::fits : none ? answer::does_not_fit : answer::may_fit;
  v.term = detail::deciding_term(worst);

  const tokens context = w.contexts != nullptr  ? typical_context(*w.contexts, v.max_model_len)
                         : w.context > tokens{} ? w.context
                                                : v.max_model_len;
  const kv_bytes logical = kv_cache_of_rank(m, context, of<sequences>(1), kv_format_in(e, m), l, worst.stage);
  const cache_report printed = report(worst.blocks, blocks.overflowed() ? count(0) : blocks, worst.kv_available.mid,
                                      v.max_model_len, e.rules);
  v.kv = {logical.per_sequence,
          charged_per_sequence(worst.blocks, context),
          context,
          logical.per_token,
          logical.linear,
          logical.fixed_per_sequence,
          worst.blocks.block_tokens,
          worst.blocks.page(),
          worst.blocks.tables(),
          printed.blocks,
          printed.reported,
          printed.max_concurrency};
}

}  // namespace detail

/// Does a model fit: the memory of every distinct rank, the binding one, and the verdict.
///
/// `parts` holds one row (all devices alike) or tp·pp·dp·cp rows in rank order: rank = (dp·pp + stage)·tp + t.
/// With a load: it fits when the engine starts with its max_model_len, the load's cache is charged within what is
/// available on the worst device, and the device itself holds all that the engine takes. Bad input gives
/// answer::invalid with the reason in `problem`.
/// `given` replaces terms by measured values.
constexpr verdict fits(const transformer& m, std::span<const accelerator> parts, const layout& l, const engine& e,
                       const load& w, const calibration* given = nullptr) noexcept {
  verdict v;
  detail::answer_fit(v, m, parts, l, e, w, given);
  return v;
}

/// The same on tp·pp·dp·cp equal devices of any type that models `Accelerator`.
constexpr verdict fits(const transformer& m, const Accelerator auto& part, const layout& l, const engine& e,
                       const load& w) noexcept {
  const accelerator row = describe(part);
  return fits(m, std::span<const accelerator>(&row, 1), l, e, w);
}

}  // namespace ullage::inline v0
