// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <ullage/detail/static_list.hpp>
#include <ullage/performance/observation.hpp>

// What would make it faster: every change is computed by asking the time model again.
namespace ullage::inline v0 {

/// One thing to change in a plan point, an operation, or its load.
enum class speed_change : std::uint8_t {
  weights,            ///< `format`
  kv_cache,           ///< `format`
  batch,              ///< `number` of sequences (gemm, experts, norms: of rows)
  tensor_parallel,    ///< `number`
  pipeline_parallel,  ///< 1 stage, and `number` ways of tensor parallel instead
  cuda_graphs,        ///< enforce_eager off
  step_gap,           ///< the next step prepared while the device works
  accelerator         ///< `part`
};
inline constexpr std::size_t speed_changes = 8;
constexpr std::string_view name(speed_change k) noexcept {
  constexpr std::array<std::string_view, speed_changes> names{
      "weights", "kv_cache", "batch", "tensor_parallel", "pipeline_parallel", "cuda_graphs", "step_gap", "accelerator"};
  return names[static_cast<std::size_t>(k)];
}

/// A change and what it gains.
struct speedup {
  speed_change kind = speed_change::weights;
  count number{};
  number_format format{};
  std::string_view part{};   ///< id of an accelerator row
  estimate<seconds> then{};  ///< what one sequence then waits
  bound then_limited_by = bound::overhead;
  /// Seconds saved on the work that is done now: now − then · (sequences now ÷ sequences then). A larger batch gains by this
  /// although each sequence waits longer.
  seconds gain{};
  double factor = 1;  ///< of throughput
  std::int64_t devices_then = 1;
};

namespace detail {

using speedup_list = static_list<speedup, 16>;

/// Keeps a speedup that is worth telling: at least a fiftieth of what it takes now.
inline bool keep(speedup_list& list, speedup s, double now_s, double then_s, double times_work) noexcept {
  const double gain = now_s - then_s / times_work;
  if (!(gain > .02 * now_s) || !(then_s > 0)) return false;
  s.gain = of<seconds>(gain);
  s.factor = now_s / then_s * times_work;
  return list.push_back(s);
}
/// The largest gain first; stable.
inline void rank(speedup_list& list) noexcept {
  for (std::size_t i = 1; i < list.size(); ++i)
    for (std::size_t j = i; j > 0 && list[j].gain > list[j - 1].gain; --j) {
      const speedup swap = list[j];
      list[j] = list[j - 1];
      list[j - 1] = swap;
    }
}
inline bound largest_share(const prediction& p) noexcept {
  cost c;
  c.compute_s = value_of(p.compute);
  c.memory_s = value_of(p.memory);
  c.network_s = value_of(p.network);
  c.overhead_s = value_of(p.overhead);
  return c.largest();
}

/// Whether an operation is made larger by its `rows`, and not by its `batch`.
constexpr bool counts_rows(op_kind k) noexcept {
  switch (k) {
    case op_kind::gemm:
    case op_kind::experts:
    case op_kind::normalization:
    case op_kind::quantization:
    case op_kind::embedding: return true;
    case op_kind::prefill_attention:
    case op_kind::decode_attention:
    case op_kind::recurrent:
    case op_kind::sampling:
    case op_kind::collective: return false;
  }
  return false;
}

/// The next narrower format of weights: 8 bits from more, then 4 by the part's own arithmetic or unpacked on the way; without
/// bits below that.
constexpr number_format narrower(const number_format& f, const accelerator& a) noexcept {
  if (f.element_bits > 8) return formats::fp8;
  if (f.element_bits == 8) return a.supports(math::fp4) == support::native ? formats::nvfp4 : formats::int4;
  return {};
}

}  // namespace detail

/// Where the constants of another part come from: `constants_for`, or `constants_with_residuals` of catalog/residual_grids.hpp.
using constants_source = constants (*)(const accelerator&, kernel_stack) noexcept;

/// Every change that gains at least 2 % of what an observation takes now (its prediction's middle), the largest gain
/// first, each computed by asking for the prediction again. `others`: parts to try instead, in the order of preference; the
/// first that gains a tenth is told. Memory is not asked here: what no longer fits, `fits` says.
inline detail::speedup_list speedups(const observation& o, const plan_point& p, const constants& c,
                                     std::span<const accelerator> others = {},
                                     constants_source of_other = &constants_for) noexcept {
  detail::speedup_list found;
  const prediction now = predict(o, p, c);
  if (now.problem != time_problem::none) return found;
  const double now_s = value_of(now.time.mid);
  const auto attempt = [&](speedup s, const plan_point& point, const observation& seen, const constants& with) {
    const prediction then = predict(seen, point, with);
    if (then.problem != time_problem::none) return false;
    s.then = then.time;
    s.then_limited_by = detail::largest_share(then);
    s.devices_then = point.layout.world().value();
    return detail::keep(found, s, now_s, value_of(then.time.mid), real(seen.batch) / real(o.batch));
  };
  const auto kind_of = [](speed_change k) {
    speedup s;
    s.kind = k;
    return s;
  };

  if (p.engine.options.enforce_eager && o.waited() > now.time.mid) {
    // Times are those of captured graphs: what is lost without them is what the observation is longer.
    speedup s = kind_of(speed_change::cuda_graphs);
    s.then = now.time;
    s.then_limited_by = detail::largest_share(now);
    s.devices_then = p.layout.world().value();
    detail::keep(found, s, value_of(o.waited()), now_s, 1);
  }
  {
    constants without = c;
    without.step_gap = {};
    attempt(kind_of(speed_change::step_gap), p, o, without);
  }
  const number_format weights = weights_in(p.engine, *p.model).linear;
  if (const number_format f = detail::narrower(weights, p.part); f.element_bits > 0) {
    speedup s = kind_of(speed_change::weights);
    s.format = f;
    plan_point q = p;
    q.engine.weights = f;
    attempt(s, q, o, c);
  }
  if (kv_format_in(p.engine, *p.model).element_bits > 8) {
    speedup s = kind_of(speed_change::kv_cache);
    s.format = formats::fp8;
    plan_point q = p;
    q.engine.kv_cache = formats::fp8;
    attempt(s, q, o, c);
  }
  if (o.what != measured::ttft)
    for (std::int64_t times : {4, 2}) {
      observation more = o;
      more.batch = o.batch * count(times);
      if (overflowed(more.batch) || more.batch > max_sequences_in(p.engine, p.part) * count(p.layout.dp)) continue;
      speedup s = kind_of(speed_change::batch);
      s.number = more.batch.value();
      attempt(s, p, more, c);
    }
  const auto relaid = [&](speed_change kind, std::int64_t tp, std::int64_t pp) {
    speedup s = kind_of(kind);
    s.number = count(tp);
    plan_point q = p;
    q.layout.tp = tp;
    q.layout.pp = pp;
    q.layout.layers_per_stage = {};
    if (q.layout.ep > 1) q.layout.ep = tp * q.layout.dp;
    if (q.layout.dcp > tp) q.layout.dcp = tp;
    if (check_layout(*p.model, q.layout) == layout_problem::none) attempt(s, q, o, c);
  };
  const std::int64_t tp = p.layout.tp;
  if (tp <= 64 && of<devices>(tp * 2) <= p.part.node_devices())
    relaid(speed_change::tensor_parallel, tp * 2, p.layout.pp);
  if (tp > 1 && tp % 2 == 0) relaid(speed_change::tensor_parallel, tp / 2, p.layout.pp);
  if (p.layout.pp > 1 && p.layout.pp <= 64 && tp <= 1024) relaid(speed_change::pipeline_parallel, tp * p.layout.pp, 1);
  for (const accelerator& a : others) {
    if (a.id == p.part.id) continue;
    speedup s = kind_of(speed_change::accelerator);
    s.part = a.id;
    plan_point q = p;
    q.part = a;
    if (p.scale_out.reach == fabric_reach::host) q.scale_out = a.host_fabric();
    if (!attempt(s, q, o, of_other(a, stack_of(name(p.engine.kind))))) continue;
    if (found.back().gain > now.time.mid * .1) break;
    --found.used;
  }
  detail::rank(found);
  return found;
}

/// The same for one operation: a narrower format, a larger batch, another part.
inline detail::speedup_list speedups(const op& o, const accelerator& a, const fabric& scale_out, const constants& c,
                                     std::span<const accelerator> others = {},
                                     constants_source of_other = &constants_for) noexcept {
  detail::speedup_list found;
  const op_time now = time(o, a, scale_out, c);
  if (now.problem != time_problem::none) return found;
  const double now_s = value_of(now.time.mid);
  const auto attempt = [&](speedup s, const op& q, const accelerator& part, const constants& with, double times_work) {
    const bool by_host = scale_out.reach == fabric_reach::host && part.id != a.id;
    const op_time then = time(q, part, by_host ? part.host_fabric() : scale_out, with);
    if (then.problem != time_problem::none) return false;
    s.then = then.time;
    s.then_limited_by = then.limited_by;
    return detail::keep(found, s, now_s, value_of(then.time.mid), times_work);
  };
  speedup s;
  if (o.kind == op_kind::gemm || o.kind == op_kind::experts) {
    if (const number_format f = detail::narrower(o.weights, a); f.element_bits > 0) {
      op q = o;
      s.format = q.weights = f;
      attempt(s, q, a, c, 1);
    }
  } else if ((o.kind == op_kind::prefill_attention || o.kind == op_kind::decode_attention) &&
             o.cache.element_bits > 8) {
    op q = o;
    s.kind = speed_change::kv_cache;
    s.format = q.cache = formats::fp8;
    attempt(s, q, a, c, 1);
  }
  if (o.kind != op_kind::collective) {
    op q = o;
    s = {};
    s.kind = speed_change::batch;
    if (detail::counts_rows(o.kind))
      s.number = q.rows = o.rows * count(2);
    else
      s.number = (q.batch = o.batch * count(2)).value();
    if (!s.number.overflowed()) attempt(s, q, a, c, 2);
  }
  for (const accelerator& other : others) {
    if (other.id == a.id) continue;
    s = {};
    s.kind = speed_change::accelerator;
    s.part = other.id;
    if (!attempt(s, o, other, of_other(other, kernel_stack::pooled), 1)) continue;
    if (found.back().gain > now.time.mid * .1) break;
    --found.used;
  }
  detail::rank(found);
  return found;
}

}  // namespace ullage::inline v0
