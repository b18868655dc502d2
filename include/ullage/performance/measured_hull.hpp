// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/op.hpp>

// Whether a shape lies among those that the constants were fitted to.
namespace ullage::inline v0 {

/// Where a shape lies to the rows of a public table.
enum class hull : std::uint8_t {
  unknown,  ///< no rows of this kernel and part, constants changed by hand, or no residual grids in them
  inside,
  outside  ///< the band is wider: twice the scatter of the form
};
constexpr std::string_view name(hull h) noexcept {
  constexpr std::string_view names[] = {"unknown", "inside", "outside"};
  return names[static_cast<std::size_t>(h)];
}

namespace detail {

constexpr hull hull_if(bool inside) noexcept {
  return inside ? hull::inside : hull::outside;
}
/// Of two kernels, both.
constexpr hull both(hull a, hull b) noexcept {
  if (a == hull::unknown || b == hull::unknown) return hull::unknown;
  return a == hull::outside ? a : b;
}
/// Of all kernels public rows have caches of 16 and 8 bits, and states of 32 and 16.
constexpr bool is_tabulated(const number_format& cache) noexcept {
  return cache.block_cols == 0 && (cache.element_bits == 16 || cache.element_bits == 8);
}
inline hull hull_of(const attention_work& w, const attention_fit& f) noexcept {
  if (f.grids == nullptr || f.kernel.memory.from != basis::fitted) return hull::unknown;
  return hull_if(beyond_hull(f.grids->shape, w.at[0], w.at[1], w.at[2]) <= 0);
}
inline hull hull_at(const kernel_constants& k, double x, double y, double z) noexcept {
  return k.residual == nullptr || k.memory.from != basis::fitted ? hull::unknown
                                                                 : hull_if(residual_at(*k.residual, x, y, z).inside);
}

inline hull hull_of_attention(const op& o, const accelerator& a, const constants& c) noexcept {
  const bool prefill = o.kind == op_kind::prefill_attention;
  const double prefix = real(o.context);
  const double fresh = real(o.new_tokens);
  const attention& layer = o.attention;
  if (gathers_entries(layer) && !(prefill && attends_densely(layer, prefix + fresh))) return hull::unknown;
  if (!is_tabulated(o.cache)) return hull::unknown;
  // Head sizes that kernels are made for; no row has a prefix, an encoder's mask, or another's tokens.
  const bool usual_head = layer.key_dim >= 64 && layer.key_dim <= 512;
  if (!usual_head || (prefill && prefix > 0) || layer.kind == attention_kind::encoder ||
      layer.kind == attention_kind::cross)
    return hull::outside;
  const bool narrow_cache = o.cache.element_bits <= 8;
  const local_attention l = attention_on_rank(o.attention, o.cache, static_cast<double>(o.tp), 1);
  if (!prefill)
    return hull_of(decode_work(o.attention, l, real(o.batch), prefix, 1),
                   c.attention[decode_op(o.attention, narrow_cache)]);
  const math runs = math_on(a, o.scores);
  return hull_of(prefill_work(o.attention, l, real(o.batch), fresh, prefix),
                 c.attention[prefill_op(o.attention, narrow_cache, runs == math::fp8 || runs == math::int8)]);
}

inline hull hull_of_recurrent(const op& o, const constants& c) noexcept {
  const recurrent_kind k = o.recurrent.kind;
  const bool prompt = o.new_tokens > tokens{};
  const double n = real(o.batch);
  const local_recurrent l = recurrent_on_rank(o.recurrent, static_cast<double>(o.tp));
  hull h = hull::inside;
  if (l.state > 0) {
    if (o.recurrent.state_bits != 32 && o.recurrent.state_bits != 16) return hull::outside;
    if (k != recurrent_kind::gated_delta && k != recurrent_kind::kda) return hull::unknown;  // they borrow its scan
    h = hull_of(prompt ? scan_work(l, n, real(o.new_tokens)) : update_work(l, n), c.attention[scan_op(k, prompt)]);
  }
  if (!(l.channels > 0)) return h;
  return both(h, hull_of(conv_work(l, n, prompt ? real(o.new_tokens) : 1),
                         c.attention[prompt ? attention_op::conv_prefill : attention_op::conv_decode]));
}

}  // namespace detail

/// Whether public rows surround the shape of an operation that has a time: what its residual grids know. Elementwise kernels
/// and collectives have none.
inline hull hull_of(const op& o, const accelerator& a, const constants& c) noexcept {
  switch (o.kind) {
    case op_kind::gemm: {
      const math runs = a.runs_as(o.weights.multiplies_as);
      return detail::hull_at(detail::of_product(c.gemm, detail::product_of(o.weights, runs)),
                             detail::grid_log(static_cast<double>(o.rows)),
                             detail::grid_log(static_cast<double>(o.outputs)),
                             detail::grid_log(static_cast<double>(o.inner)));
    }
    case op_kind::experts: {
      const math runs = a.runs_as(o.weights.multiplies_as);
      const double divided = static_cast<double>(o.tp);
      const detail::expert_work w =
          detail::expert_work_of(o.experts, static_cast<double>(o.inner), o.weights, runs, static_cast<double>(o.rows),
                                 divided, static_cast<double>(o.ep), c.expert_skew.mid);
      return detail::hull_at(detail::of_product(c.experts, detail::product_of(o.weights, runs)), w.place[0], w.place[1],
                             w.place[2]);
    }
    case op_kind::prefill_attention:
    case op_kind::decode_attention: return detail::hull_of_attention(o, a, c);
    case op_kind::recurrent: return detail::hull_of_recurrent(o, c);
    case op_kind::normalization:
    case op_kind::quantization:
    case op_kind::embedding:
    case op_kind::sampling:
    case op_kind::collective: break;
  }
  return hull::unknown;
}

}  // namespace ullage::inline v0
