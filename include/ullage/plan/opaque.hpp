// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <ullage/performance/opaque.hpp>
#include <ullage/plan/verdict.hpp>

// The memory of opaque models. Docs: docs/formulas/opaque.md.
namespace ullage::inline v0 {

/// Memory of one class of equal replicas, each on one device.
struct opaque_rank {
  std::int64_t rank = 0;  ///< the first replica of the class
  count ranks{};          ///< how many are like it
  accelerator part{};
  sequences items{};  ///< at once on the fullest replica
  estimate<bytes> visible{};
  bytes capacity{};  ///< the middle of that
  bytes budget{};    ///< the share of it that may be used
  bytes weights{};
  estimate<bytes> runtime{};
  estimate<bytes> activation{};  ///< of all items
  bytes state{};                 ///< of all streams
  estimate<bytes> left{};        ///< budget less all of these; the ends take those of the visible memory in
  sequences most{};              ///< items that the middle of the band holds; overflowed where items take no memory
  sequences surely{};            ///< items that its low end holds

  /// Weights, runtime, activations and state, in the middle of the band.
  constexpr bytes needed() const noexcept { return weights + runtime.mid + activation.mid + state; }
};

/// The answer of `fits` for an opaque model: items that add up, the replica and the term that decide.
struct opaque_verdict {
  static constexpr std::size_t most_rank_kinds = verdict::most_rank_kinds;

  ullage::answer answer = ullage::answer::invalid;
  ullage::problem problem = ullage::problem::none;
  ullage::layout_problem layout_problem = ullage::layout_problem::none;
  detail::static_list<opaque_rank, most_rank_kinds> ranks{};
  std::size_t binding = 0;  ///< index into ranks: the one with the least left
  memory_term term = memory_term::none;
  sequences items{};   ///< asked for, over all replicas
  sequences most{};    ///< that all replicas hold when shared equally, in the middle of the band
  sequences surely{};  ///< likewise at its low end

  constexpr bool ok() const noexcept { return answer == ullage::answer::fits; }
  constexpr const opaque_rank& worst() const noexcept { return ranks[binding]; }
  /// Bytes left on the worst device, in the middle of the band; negative is the deficit.
  constexpr bytes left() const noexcept { return ranks.empty() ? bytes{} : worst().left.mid; }
};

namespace detail {

constexpr sequences items_within(bytes room, bytes each) noexcept {
  if (room < bytes{}) return {};
  return of<sequences>(each > bytes{} ? floor_div(room.value(), each.value()) : count::overflow());
}

constexpr opaque_rank opaque_rank_of(const opaque_model& m, const accelerator& a, const layout& l, const engine& e,
                                     sequences items, const calibration& given) noexcept {
  opaque_rank r;
  r.part = a;
  r.items = of<sequences>(ceil_div(items.value(), count(l.dp)));
  r.visible = a.memory();
  r.capacity = r.visible.mid;
  const estimate<bytes> budget{memory_budget(e, r.visible.low), memory_budget(e, r.visible.mid),
                               memory_budget(e, r.visible.high), r.visible.from};
  r.budget = budget.mid;
  const auto pinned = [](bytes b) { return estimate<bytes>::exactly(b, basis::measured); };
  r.weights = calibration::given(given.weights) ? given.weights : m.weights(e.weights);
  // Replicas do not talk to each other: each is a single device.
  r.runtime = calibration::given(given.runtime) ? pinned(given.runtime) : runtime_memory(e, {});
  const estimate<bytes> each = opaque_activation(m, e, a);
  r.activation = calibration::given(given.activation) ? pinned(given.activation) : each * r.items.value();
  r.state = m.state_per_stream * r.items.value();
  const estimate<bytes> room = budget - estimate<bytes>::exactly(r.weights) - r.runtime;
  r.left = room - r.activation - estimate<bytes>::exactly(r.state);
  const bool measured = calibration::given(given.activation);  // then one item's share is not known
  r.most =
      measured ? (r.left.mid < bytes{} ? sequences{} : r.items) : items_within(room.mid, each.mid + m.state_per_stream);
  r.surely = measured ? (r.left.low < bytes{} ? sequences{} : r.items)
                      : items_within(room.low, each.high + m.state_per_stream);
  return r;
}

/// The first term at which the running sum passes the budget; when none does, the one that grows with the items.
constexpr memory_term deciding_term(const opaque_rank& r) noexcept {
  bytes sum = r.weights;
  if (sum > r.budget) return memory_term::weights;
  sum += r.runtime.mid;
  if (sum > r.budget) return memory_term::runtime;
  sum += r.activation.mid;
  if (sum > r.budget) return memory_term::activation;
  return r.state > r.activation.mid ? memory_term::state : memory_term::activation;
}

}  // namespace detail

/// Does an opaque model fit: on every replica
///   weights + runtime + items · (activations + state) ≤ visible memory · gpu_memory_utilization.
///
/// `parts` holds one row (all alike) or dp rows; the load's concurrency (0 counts as 1) is shared equally and the worst
/// device decides. The load has no context. Of the engine, `plain()` with its weights' format, share of the memory and
/// runtime rules; vLLM serves no opaque model. Bad input gives answer::invalid with the reason in `problem`.
constexpr opaque_verdict fits(const opaque_model& m, std::span<const accelerator> parts, const layout& l,
                              const engine& e, const load& w, const calibration* given = nullptr) noexcept {
  opaque_verdict v;
  const auto refuse = [&v](problem p) {
    v.answer = answer::invalid;
    v.problem = p;
    return v;
  };
  if (m.parameters.overflowed() || overflowed(m.state_per_stream) || overflowed(w.concurrency))
    return refuse(problem::overflow);
  if (!m.consistent()) return refuse(problem::empty_model);
  v.layout_problem = check_layout(m, l);
  if (v.layout_problem != layout_problem::none) return refuse(problem::layout);
  if (parts.empty() || (parts.size() != 1 && count(parts.size()) != count(l.dp))) return refuse(problem::device_count);
  if (e.kind != engine_kind::plain || w.context != tokens{} || w.concurrency < sequences{} ||
      !(memory_utilization_in(e) > 0.0 && memory_utilization_in(e) <= 1.0))
    return refuse(problem::bad_option);
  if (!consistent(e.rules)) return refuse(problem::bad_rule);
  v.items = w.concurrency > sequences{} ? w.concurrency : of<sequences>(1);
  const calibration none{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const accelerator& part = parts[i];
    if (part.visible_memory() <= bytes{}) return refuse(problem::no_memory);
    opaque_rank* known = nullptr;
    for (opaque_rank& r : v.ranks)
      if (&r.part == &part ||
          (r.part.id == part.id && r.part.name == part.name && r.part.visible_memory() == part.visible_memory()))
        known = &r;
    const count members = parts.size() == 1 ? count(l.dp) : count(1);
    if (known != nullptr) {
      known->ranks += members;
      continue;
    }
    opaque_rank r = detail::opaque_rank_of(m, part, l, e, v.items, given != nullptr ? *given : none);
    r.rank = static_cast<std::int64_t>(i);
    r.ranks = members;
    if (overflowed(r.left.low) || overflowed(r.left.high) || overflowed(r.weights)) return refuse(problem::overflow);
    if (!v.ranks.push_back(r)) return refuse(problem::too_many_rank_kinds);
  }
  bool all = true;
  bool none_left = false;
  v.most = v.surely = of<sequences>(count::overflow());
  for (std::size_t i = 0; i < v.ranks.size(); ++i) {
    const opaque_rank& r = v.ranks[i];
    if (r.left.mid < v.worst().left.mid) v.binding = i;
    all = all && r.left.low >= bytes{};
    none_left = none_left || r.left.high < bytes{};
    const auto least = [&](sequences& of_all, sequences here) {
      const sequences total = here * count(l.dp);
      if (overflowed(of_all) || (!overflowed(total) && total < of_all)) of_all = total;
    };
    least(v.most, r.most);
    least(v.surely, r.surely);
  }
  v.answer = all ? answer::fits : none_left ? answer::does_not_fit : answer::may_fit;
  v.term = detail::deciding_term(v.worst());
  return v;
}
constexpr opaque_verdict fits(const opaque_model& m, const Accelerator auto& part, const layout& l, const engine& e,
                              const load& w) noexcept {
  const accelerator row = describe(part);
  return fits(m, std::span<const accelerator>(&row, 1), l, e, w);
}

}  // namespace ullage::inline v0
