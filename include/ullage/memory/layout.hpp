// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <ullage/detail/static_list.hpp>
#include <ullage/model/opaque.hpp>
#include <ullage/model/transformer.hpp>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

/// How one model instance spreads over devices. World size = tp·pp·dp·cp; ep and dcp add no device.
struct layout {
  std::int64_t tp = 1;                                       ///< tensor parallel
  std::int64_t pp = 1;                                       ///< pipeline stages
  std::int64_t dp = 1;                                       ///< data-parallel replicas of attention
  std::int64_t ep = 1;                                       ///< expert parallel: 1 = off, else tp·dp
  std::int64_t cp = 1;                                       ///< context parallel in prefill
  std::int64_t dcp = 1;                                      ///< decode context parallel: divides tp
  detail::static_list<std::int16_t, 64> layers_per_stage{};  ///< empty = the engine's own division

  constexpr count world() const noexcept { return count(tp) * count(pp) * count(dp) * count(cp); }
  friend constexpr bool operator==(const layout& a, const layout& b) noexcept {
    if (a.tp != b.tp || a.pp != b.pp || a.dp != b.dp || a.ep != b.ep || a.cp != b.cp || a.dcp != b.dcp) return false;
    if (a.layers_per_stage.size() != b.layers_per_stage.size()) return false;
    for (std::size_t i = 0; i < a.layers_per_stage.size(); ++i)
      if (a.layers_per_stage[i] != b.layers_per_stage[i]) return false;
    return true;
  }
};

/// Why a layout cannot run a model; `none` when it can.
enum class layout_problem : std::uint8_t {
  none,
  not_positive,
  heads_not_divisible,     ///< query heads % tp
  kv_heads_not_divisible,  ///< neither kv_heads % tp nor tp % kv_heads is zero
  inner_not_divisible,     ///< feed-forward or expert inner size % tp
  more_stages_than_layers,
  stages_do_not_sum,     ///< layers_per_stage does not add up to the layers, or has another length than pp
  expert_parallel_size,  ///< ep is neither 1 nor tp·dp
  expert_parallel_without_experts,
  more_ranks_than_experts,
  dcp_does_not_divide_tp,
  dcp_needs_replicated_heads,  ///< dcp spreads what tp replicates: at most tp / kv_heads (a latent counts as one head)
  context_parallel_not_modelled,
  opaque_is_not_divided  ///< an opaque model runs whole on a device
};

constexpr std::string_view sentence(layout_problem p) noexcept {
  switch (p) {
    case layout_problem::none: return "the layout works";
    case layout_problem::not_positive: return "tp, pp, dp, ep, cp and dcp must be at least 1";
    case layout_problem::heads_not_divisible: return "the attention heads do not divide by tp";
    case layout_problem::kv_heads_not_divisible: return "the KV heads neither divide by tp nor divide it";
    case layout_problem::inner_not_divisible: return "the feed-forward's intermediate size does not divide by tp";
    case layout_problem::more_stages_than_layers: return "there are more pipeline stages than layers";
    case layout_problem::stages_do_not_sum: return "layers_per_stage must have pp entries that add up to the layers";
    case layout_problem::expert_parallel_size: return "ep must be 1 or tp*dp";
    case layout_problem::expert_parallel_without_experts: return "ep needs a model with routed experts";
    case layout_problem::more_ranks_than_experts: return "there are more expert-parallel ranks than experts";
    case layout_problem::dcp_does_not_divide_tp: return "dcp must divide tp";
    case layout_problem::dcp_needs_replicated_heads:
      return "dcp can be at most tp divided by the KV heads, the number of ranks that hold the same head";
    case layout_problem::context_parallel_not_modelled: return "cp greater than 1 is not modelled yet";
    case layout_problem::opaque_is_not_divided:
      return "an opaque model is not divided: tp, pp, ep, cp and dcp must be 1, and dp makes replicas";
  }
  return "the layout does not work";
}

/// The first rule of the engines that the layout breaks for this model.
constexpr layout_problem check_layout(const transformer& m, const layout& l) noexcept {
  if (l.tp < 1 || l.pp < 1 || l.dp < 1 || l.ep < 1 || l.cp < 1 || l.dcp < 1) return layout_problem::not_positive;
  if (l.cp > 1) return layout_problem::context_parallel_not_modelled;
  if (l.tp % l.dcp != 0) return layout_problem::dcp_does_not_divide_tp;
  if (l.pp > m.layers) return layout_problem::more_stages_than_layers;
  if (!l.layers_per_stage.empty()) {
    if (static_cast<std::int64_t>(l.layers_per_stage.size()) != l.pp) return layout_problem::stages_do_not_sum;
    std::int64_t sum = 0;
    for (std::int16_t n : l.layers_per_stage) {
      if (n < 1) return layout_problem::stages_do_not_sum;
      sum += n;
    }
    if (sum != m.layers) return layout_problem::stages_do_not_sum;
  }
  bool any_experts = false;
  for (const layer_kind& k : m.kinds) {
    const attention& a = k.attention;
    if (a.heads > 0 && a.heads % l.tp != 0) return layout_problem::heads_not_divisible;
    if (a.has_kv_heads() && a.kv_heads > 0 && a.kv_heads % l.tp != 0 && l.tp % a.kv_heads != 0)
      return layout_problem::kv_heads_not_divisible;
    // vLLM: dcp shares out the ranks that hold the same KV heads.
    if (a.has_kv_heads() && l.dcp > 1 && l.dcp * a.kv_heads > l.tp)
      return layout_problem::dcp_needs_replicated_heads;
    const feed_forward& f = k.feed_forward;
    if (f.kind == feed_forward_kind::dense && f.inner % l.tp != 0) return layout_problem::inner_not_divisible;
    if (f.kind == feed_forward_kind::experts) {
      any_experts = true;
      if (f.shared_inner % l.tp != 0) return layout_problem::inner_not_divisible;
      if (l.ep == 1 && f.expert_inner % (l.tp * l.dp) != 0) return layout_problem::inner_not_divisible;
      if (l.ep > 1 && l.ep > f.experts) return layout_problem::more_ranks_than_experts;
    }
  }
  if (l.ep > 1) {
    if (!any_experts) return layout_problem::expert_parallel_without_experts;
    if (l.ep != l.tp * l.dp) return layout_problem::expert_parallel_size;
  }
  return layout_problem::none;
}

/// The same for an opaque model: it has no layers to divide, only replicas.
constexpr layout_problem check_layout(const opaque_model&, const layout& l) noexcept {
  if (l.tp < 1 || l.pp < 1 || l.dp < 1 || l.ep < 1 || l.cp < 1 || l.dcp < 1) return layout_problem::not_positive;
  const bool whole = l.tp == 1 && l.pp == 1 && l.ep == 1 && l.cp == 1 && l.dcp == 1 && l.layers_per_stage.empty();
  return whole ? layout_problem::none : layout_problem::opaque_is_not_divided;
}

/// Layers [first, first + size) of one pipeline stage.
struct stage {
  std::int64_t index = 0;
  std::int64_t first = 0;
  std::int64_t size = 0;
  bool is_first = true;
  bool is_last = true;
};

/// Stage `index` of a layout. Without `layers_per_stage`: layers / pp each, the remainder to the stages before the last,
/// one each, from the last but one backwards (vLLM `distributed/utils.py`).
constexpr stage stage_of(const transformer& m, const layout& l, std::int64_t index) noexcept {
  const auto size_of = [&](std::int64_t i) -> std::int64_t {
    if (!l.layers_per_stage.empty()) return l.layers_per_stage[static_cast<std::size_t>(i)];
    const std::int64_t remainder = m.layers % l.pp;
    const bool extra = i >= l.pp - 1 - remainder && i < l.pp - 1;
    return m.layers / l.pp + (extra ? 1 : 0);
  };
  stage s;
  s.index = index;
  for (std::int64_t i = 0; i < index; ++i) s.first += size_of(i);
  s.size = size_of(index);
  s.is_first = index == 0;
  s.is_last = index == l.pp - 1;
  return s;
}

}  // namespace ullage::inline v0
