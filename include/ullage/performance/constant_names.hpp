// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/performance/constants.hpp>

// Constants by name, for those who have measured one.
namespace ullage::inline v0 {

enum class constant_problem : std::uint8_t {
  none,
  unknown_name,
  out_of_range  ///< a share outside [0.0001, 1], a time, a scatter or a number of rows below 0, a skew below −1, not a number
};
constexpr std::string_view sentence(constant_problem p) noexcept {
  switch (p) {
    case constant_problem::none: return "no problem";
    case constant_problem::unknown_name:
      return "no such constant: gemm.KERNEL or experts.KERNEL (bf16, fp8, fp8_block, ...) or attention.KERNEL "
             "(prefill, "
             "decode, latent_decode, ...) with .compute, .memory or .floor_us, experts.KERNEL.pad_rows, "
             "elementwise.memory, "
             "elementwise.floor_us, scale_out.link, scale_out.hop_us, expert_skew, step_share, step_scatter, "
             "step_gap_us, "
             "request_gap_us";
    case constant_problem::out_of_range:
      return "the constant is out of range: shares lie from 0.0001 to 1 (step_share: 2), times, scatters and rows at 0 "
             "and above, a skew at "
             "-1 "
             "(dealt out evenly) and above";
  }
  return "no such constant";
}

/// The kernel of attention or of a recurrent layer as a word of a constant's name: "decode_narrow".
constexpr std::string_view identifier(attention_op o) noexcept {
  constexpr std::string_view names[attention_ops] = {"prefill",
                                                     "prefill_narrow",
                                                     "prefill_8bit",
                                                     "decode",
                                                     "decode_narrow",
                                                     "latent_prefill",
                                                     "latent_prefill_narrow",
                                                     "latent_decode",
                                                     "latent_decode_narrow",
                                                     "delta_prefill",
                                                     "delta_decode",
                                                     "kda_prefill",
                                                     "kda_decode",
                                                     "conv_prefill",
                                                     "conv_decode"};
  return names[static_cast<std::size_t>(o)];
}

namespace detail {

/// A measured value in its place, or `out_of_range`.
struct constant_value {
  static constexpr double least_share = 1e-4;
  double value = 0;

  constexpr constant_problem as_share(attained& where, double most = 1) const noexcept {
    if (!(value >= least_share && value <= most)) return constant_problem::out_of_range;
    where = {value, value, value, basis::measured};
    return constant_problem::none;
  }
  constexpr constant_problem as_microseconds(estimate<seconds>& where) const noexcept {
    if (!(value >= 0 && value <= 1e9)) return constant_problem::out_of_range;
    where = microseconds(value, value, value, basis::measured);
    return constant_problem::none;
  }
  constexpr constant_problem of_kernel(kernel_constants& k, std::string_view member) const noexcept {
    if (member == "compute") return as_share(k.compute);
    if (member == "memory") return as_share(k.memory);
    if (member == "floor_us") return as_microseconds(k.floor);
    return constant_problem::unknown_name;
  }
};

inline constant_problem set_product(constants& c, bool grouped, std::string_view kernel, std::string_view member,
                                    constant_value v) noexcept {
  std::size_t i = 0;
  while (i < product_kinds && ullage::name(static_cast<product>(i)) != kernel) ++i;
  if (i == product_kinds) return constant_problem::unknown_name;
  kernel_constants& k = grouped ? c.experts[i] : c.gemm[i];
  if (grouped && member == "pad_rows") {
    if (!(v.value >= 0 && v.value < 1e12)) return constant_problem::out_of_range;
    k.pad_rows = v.value;
  } else if (const constant_problem p = v.of_kernel(k, member); p != constant_problem::none) {
    return p;
  }
  // A floor that was measured is that of the step, too.
  if (!grouped && member == "floor_us") c.gemm_alone[i] = {};
  k.residual = nullptr;
  k.row = -1;
  return constant_problem::none;
}
inline constant_problem set_attention(constants& c, std::string_view kernel, std::string_view member,
                                      constant_value v) noexcept {
  std::size_t i = 0;
  while (i < attention_ops && identifier(static_cast<attention_op>(i)) != kernel) ++i;
  if (i == attention_ops) return constant_problem::unknown_name;
  attention_fit& f = c.attention.of[i];
  const constant_problem p = v.of_kernel(f.kernel, member);
  if (p != constant_problem::none) return p;
  f.grids = nullptr;
  f.row = -1;
  return p;
}

}  // namespace detail

/// Sets one constant to a measured value without a band, by its name: "gemm.fp8.compute" (share of the peak),
/// "attention.decode.memory" (share of the bandwidth), "experts.bf16.floor_us", "experts.bf16.pad_rows", "elementwise.memory",
/// "scale_out.link" (share of the card's rate), "expert_skew", "step_share", "step_scatter" (half-width of a step), "step_gap_us", "request_gap_us". The kernel's
/// residual grid goes, since it was fitted around the old value. A name or value that does not fit changes nothing.
inline constant_problem set_constant(constants& c, std::string_view name, double value) noexcept {
  const detail::constant_value v{value};
  if (name == "step_gap_us") return v.as_microseconds(c.step_gap);
  if (name == "request_gap_us") return v.as_microseconds(c.request_gap);
  // Above 1: steps that take less than their kernels by these constants.
  if (name == "step_share") return v.as_share(c.step_share, 2);
  if (name == "scale_out.link") return v.as_share(c.network.scale_out_link);
  if (name == "scale_out.hop_us") return v.as_microseconds(c.network.scale_out_hop);
  if (name == "elementwise.memory") return v.as_share(c.elementwise.memory);
  if (name == "elementwise.floor_us") return v.as_microseconds(c.elementwise.floor);
  if (name == "step_scatter") {
    if (!(value >= 0 && value < 1)) return constant_problem::out_of_range;
    c.step_scatter = value;
    return constant_problem::none;
  }
  if (name == "expert_skew") {
    if (!(value >= -1 && value < 1e12)) return constant_problem::out_of_range;
    c.expert_skew = estimate<double>::exactly(value, basis::measured);
    return constant_problem::none;
  }
  const std::size_t first = name.find('.');
  const std::size_t last = name.rfind('.');
  if (first == std::string_view::npos || first == last) return constant_problem::unknown_name;
  const std::string_view group = name.substr(0, first);
  const std::string_view kernel = name.substr(first + 1, last - first - 1);
  const std::string_view member = name.substr(last + 1);
  if (group == "attention") return detail::set_attention(c, kernel, member, v);
  if (group != "gemm" && group != "experts") return constant_problem::unknown_name;
  return detail::set_product(c, group == "experts", kernel, member, v);
}

}  // namespace ullage::inline v0
