// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/performance/constants.hpp>

// Constants by name, for those who have measured one.
namespace ullage::inline v0 {

enum class constant_problem : std::uint8_t {
  none,
  unknown_name,
  out_of_range  ///< a share outside (0, 1], a time or a number of rows below 0, not a number
};
constexpr std::string_view sentence(constant_problem p) noexcept {
  switch (p) {
    case constant_problem::none: return "no problem";
    case constant_problem::unknown_name:
      return "no such constant: gemm.KERNEL or experts.KERNEL with .compute, .memory, .floor_us or .pad_rows (KERNEL "
             "as "
             "bf16, fp8, fp8_block), expert_skew, step_share, step_gap_us, request_gap_us";
    case constant_problem::out_of_range:
      return "the constant is out of range: shares lie above 0 and up to 1, times, rows and skew at 0 and above";
  }
  return "no such constant";
}

/// Sets one constant to a measured value without a band, by its name: "gemm.fp8.compute" (share of the peak),
/// "gemm.bf16.memory" (share of the bandwidth), "experts.bf16.floor_us", "experts.bf16.pad_rows", "expert_skew",
/// "step_share", "step_gap_us", "request_gap_us". The kernel's residual grid goes, since it was fitted around the old value.
/// A name or value that does not fit changes nothing.
inline constant_problem set_constant(constants& c, std::string_view name, double value) noexcept {
  const bool share = value > 0 && value <= 1;
  const bool positive = value >= 0 && value < 1e12;
  const auto microseconds = [&](estimate<seconds>& e) {
    if (!positive) return constant_problem::out_of_range;
    e = detail::microseconds(value, value, value, basis::measured);
    return constant_problem::none;
  };
  if (name == "step_gap_us") return microseconds(c.step_gap);
  if (name == "request_gap_us") return microseconds(c.request_gap);
  if (name == "step_share") {
    if (!share) return constant_problem::out_of_range;
    c.step_share = {value, value, value, basis::measured};
    return constant_problem::none;
  }
  if (name == "expert_skew") {
    if (!positive) return constant_problem::out_of_range;
    c.expert_skew = estimate<double>::exactly(value, basis::measured);
    return constant_problem::none;
  }
  const std::size_t first = name.find('.');
  const std::size_t last = name.rfind('.');
  if (first == std::string_view::npos || first == last) return constant_problem::unknown_name;
  const std::string_view group = name.substr(0, first);
  const std::string_view kernel = name.substr(first + 1, last - first - 1);
  const std::string_view member = name.substr(last + 1);
  if (group != "gemm" && group != "experts") return constant_problem::unknown_name;
  std::size_t i = 0;
  while (i < product_kinds && ullage::name(static_cast<product>(i)) != kernel) ++i;
  if (i == product_kinds) return constant_problem::unknown_name;
  kernel_constants& k = group == "gemm" ? c.gemm[i] : c.experts[i];
  if (member == "compute" || member == "memory") {
    if (!share) return constant_problem::out_of_range;
    (member == "compute" ? k.compute : k.memory) = {value, value, value, basis::measured};
  } else if (member == "floor_us") {
    if (!positive) return constant_problem::out_of_range;
    k.floor = detail::microseconds(value, value, value, basis::measured);
    // A floor that was measured is that of the step, too.
    if (group == "gemm") c.gemm_alone[i] = {};
  } else if (member == "pad_rows" && group == "experts") {
    if (!positive) return constant_problem::out_of_range;
    k.pad_rows = value;
  } else {
    return constant_problem::unknown_name;
  }
  k.residual = nullptr;
  k.row = -1;
  return constant_problem::none;
}

}  // namespace ullage::inline v0
