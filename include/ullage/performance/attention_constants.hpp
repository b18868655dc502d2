// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/attention_boxes.hpp>
#include <ullage/performance/attention_rows.hpp>
#include <ullage/performance/kernel_constants.hpp>
#include <ullage/performance/sparse_constants.hpp>

// What attention and recurrent kernels attain. Docs: docs/formulas/performance.md.
namespace ullage::inline v0 {

/// What the form leaves over of one kernel, in two grids whose logarithms add, and how far single rows lie off them.
struct attention_grids {
  residual_grid shape{};   ///< over sequences × heads, length, heads that share keys
  residual_grid kind{};    ///< coarser, over head size and whether there is a window
  residual_grid spread{};  ///< half-width of the band as a share of the time, in steps of detail::spread_unit
};

/// Constants of one kernel: the roofline's, and a pointer to grids of static storage (null: none).
struct attention_fit {
  kernel_constants kernel{};
  const attention_grids* grids = nullptr;
  std::int16_t row = -1;  ///< of the fits, to find its grids (performance/attention_grids.hpp)
};

/// Attention and recurrent kernels of one part under one stack.
struct attention_constants {
  std::array<attention_fit, attention_ops> of{};
  sparse_constants sparse{};

  constexpr attention_fit& operator[](attention_op o) noexcept { return of[static_cast<std::size_t>(o)]; }
  constexpr const attention_fit& operator[](attention_op o) const noexcept { return of[static_cast<std::size_t>(o)]; }
};

namespace detail {

/// Half-widths by kind of kernel: what was measured between parts of one architecture, between kindred ones, and where one
/// stack's kernels stand for another's (docs/formulas/performance.md).
struct attention_loan {
  double same, across, stack;
};
constexpr attention_loan loan_of(attention_op o) noexcept {
  if (o <= attention_op::prefill_8bit) return {.22, .36, .25};
  if (o <= attention_op::decode_narrow) return {.20, .45, .27};
  if (is_latent(o)) return {.16, .55, .28};
  return {.24, .60, .40};
}
/// The kernel that is most like one without rows; itself where there is none.
constexpr attention_op like(attention_op o) noexcept {
  switch (o) {
    case attention_op::prefill_8bit: return attention_op::prefill_narrow;
    case attention_op::prefill_narrow: return attention_op::prefill;
    case attention_op::decode_narrow: return attention_op::decode;
    case attention_op::latent_prefill_narrow: return attention_op::latent_prefill;
    case attention_op::latent_decode_narrow: return attention_op::latent_decode;
    case attention_op::kda_prefill: return attention_op::delta_prefill;
    case attention_op::kda_decode: return attention_op::delta_decode;
    default: return o;
  }
}

/// The part's own rows, and its relative's: of the same architecture, else of the one that it borrows from; the memory that is
/// nearest in speed.
struct attention_lenders {
  const attention_part* own = nullptr;
  const attention_part* kin = nullptr;
  bool across = false;
};
constexpr attention_lenders lenders_of(const accelerator& a) noexcept {
  attention_lenders l;
  const double bandwidth = value_of(a.bandwidth);
  double best = 0;
  for (const attention_part& p : attention_parts) {
    if (is_row_of(a.id, p.id)) {
      l.own = &p;
      continue;
    }
    const bool same = a.family == p.family;
    if (a.family == architecture::unknown || (!same && lender(a.family) != lender(p.family))) continue;
    double ratio = bandwidth > 0 ? p.nominal_bytes_per_second / bandwidth : 1.0;
    if (ratio < 1) ratio = 1 / ratio;
    if (!same) ratio += 100;
    if (l.kin != nullptr && ratio >= best) continue;
    l.kin = &p;
    best = ratio;
    // Blackwell and its refresh run the same kernels.
    l.across = !same && a.family != architecture::blackwell_ultra && p.family != architecture::blackwell_ultra;
  }
  return l;
}

struct attention_choice {
  int row = -1;
  bool own_stack = false;
};
/// The row of a part: of the stack, else of all, else of the stack with the lowest floor.
constexpr attention_choice row_in(const attention_part* p, attention_op o, kernel_stack s) noexcept {
  attention_choice c;
  if (p == nullptr) return c;
  const std::size_t i = static_cast<std::size_t>(o);
  c.row = p->row[static_cast<std::size_t>(s)][i];
  c.own_stack = c.row >= 0;
  if (c.row < 0) c.row = p->row[0][i];
  if (c.row >= 0) return c;
  float floor = 0;
  for (std::size_t k = 1; k < 4; ++k) {
    const int r = p->row[k][i];
    if (r < 0 || (c.row >= 0 && attention_rows[static_cast<std::size_t>(r)].floor_us >= floor)) continue;
    c.row = r;
    floor = attention_rows[static_cast<std::size_t>(r)].floor_us;
  }
  return c;
}
inline attention_fit fit_of(const attention_row& r, int number, double half, basis from) noexcept {
  attention_fit f;
  f.kernel = {around(r.compute, half, from), around(r.memory, half, from), microseconds_around(r.floor_us, half, from),
              r.scatter};
  f.row = static_cast<std::int16_t>(number);
  return f;
}

}  // namespace detail

/// Attention constants of a part: of its own table and the stack's kernels, else of all stacks', else of its nearest
/// relative with the miss of such loans as band, else middle values with ±40 %. A stack without rows of a kernel takes the
/// others', wider.
inline attention_constants attention_constants_for(const accelerator& a,
                                                   kernel_stack stack = kernel_stack::pooled) noexcept {
  const detail::attention_lenders parts = detail::lenders_of(a);
  attention_constants c;
  c.sparse = sparse_constants_for(a);
  for (std::size_t i = 0; i < attention_ops; ++i) {
    const attention_op wanted = static_cast<attention_op>(i);
    const detail::attention_loan loan = detail::loan_of(wanted);
    bool found = false;
    for (attention_op o = wanted; !found; o = detail::like(o)) {
      const detail::attention_part* const from[] = {parts.own, parts.kin};
      for (int k = 0; k < 2 && !found; ++k) {
        const detail::attention_choice r = detail::row_in(from[k], o, stack);
        if (r.row < 0) continue;
        double half = k == 0 ? .02 : parts.across ? loan.across : loan.same;
        if (!r.own_stack && stack != kernel_stack::pooled && half < loan.stack) half = loan.stack;
        if (o != wanted && half < .35) half = .35;  // another kernel stands for this one, without its grids
        c.of[i] = detail::fit_of(detail::attention_rows[static_cast<std::size_t>(r.row)], o == wanted ? r.row : -1,
                                 half, half > .02 ? basis::transferred : basis::fitted);
        found = true;
      }
      if (detail::like(o) == o) break;
    }
    if (!found) c.of[i] = detail::fit_of(detail::attention_middle[i], -1, .40, basis::transferred);
  }
  return c;
}

}  // namespace ullage::inline v0
