// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <ullage/estimate.hpp>
#include <ullage/hardware/fabric.hpp>
#include <ullage/hardware/words.hpp>
#include <ullage/number_format.hpp>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

/// One accelerator as the planner sees it: a row of the catalogue, or what `describe` makes of a user's own type.
/// A zero quantity means "not known"; `memory()`, `peak()` and `supports()` say what then happens. All of it per device.
struct accelerator {
  std::string_view id{};      ///< stable and lower case: "h200-sxm"
  std::string_view name{};    ///< as people write it: "H200 SXM"
  std::string_view target{};  ///< what compilers call it: "sm_90", "gfx942"; empty = not known
  vendor made_by = vendor::unknown;
  architecture family = architecture::unknown;
  device_class kind = device_class::unknown;
  form_factor form = form_factor::unknown;
  availability status = availability::shipping;
  int year = 0;  ///< of release

  ullage::memory_type memory_type = ullage::memory_type::unknown;
  ullage::ecc ecc = ullage::ecc::unknown;
  bool memory_shared = false;   ///< with the operating system (unified memory)
  bool memory_largest = false;  ///< the buyer chooses; `memory_sold` is the largest option
  bytes memory_sold{};          ///< the vendor's label: "141 GB" is 141·10^9
  bytes memory_driver{};        ///< total as the driver reports it (nvidia-smi, rocm-smi)
  bytes memory_process{};  ///< total that a process is told (cudaMemGetInfo, torch): the driver's less its own reserve
  basis memory_basis = basis::unverified;  ///< of the figure that `memory()` starts from
  bytes_per_second bandwidth{};            ///< nominal peak of the device memory
  basis bandwidth_basis = basis::unverified;

  /// Dense peaks (no 2:4 sparsity, fp32 accumulate) by `math`; zero = no such units, or not known: see `supports`.
  std::array<flops_per_second, math_kinds> dense_peaks{};
  basis peaks_basis = basis::unverified;
  std::uint8_t lacks = 0;  ///< bit 1 << math: a document says that there are no units for it
  /// The peaks above are half of what the part does with fp16 accumulate (GeForce, L40, A10G).
  bool halves_fp32_accumulate = false;
  int compute_units = 0;  ///< SMs, CUs, cores

  fabric scale_up{};
  bytes_per_second host_link{};  ///< to the host, one way
  basis host_link_basis = basis::unverified;
  devices host_domain = of<devices>(8);  ///< that one host joins; eight, as servers are built, where no document says
  watts power{};        ///< as sold; 0 = not published
  watts power_least{};  ///< lowest limit that can be set; 0 = not known
  watts power_most{};   ///< highest; 0 = not known
  basis power_basis = basis::unverified;

  /// Bytes that a process sees, which is what engines budget on: the middle of `memory()`.
  constexpr bytes visible_memory() const noexcept { return memory().mid; }
  /// The same as a band. Exact where a process's total is known. Else the driver's total less what it keeps, else the
  /// label read in powers of two times the share of its kind of memory, which docs/formulas/hardware.md lists
  /// (`detail::memory_by_label`). A row without a maker is a user's own and taken at its word.
  constexpr estimate<bytes> memory() const noexcept;

  /// How many devices of one node can work as a group: the scale-up domain, or those that the host joins.
  constexpr devices node_devices() const noexcept {
    const devices through_host = host_link > bytes_per_second{} ? host_domain : of<devices>(1);
    return scale_up.domain < through_host ? through_host : scale_up.domain;
  }
  /// The way through the host, for groups that no bridge joins; none where a host has one device.
  constexpr fabric host_fabric() const noexcept {
    fabric f;
    f.name = "host link";
    f.reach = fabric_reach::host;
    f.domain = node_devices();
    f.from = host_link_basis;
    if (host_link <= bytes_per_second{} || host_domain <= of<devices>(1)) return f;
    f.shape = topology::host_only;
    f.per_device = host_link;
    f.per_peer = host_link;
    return f;
  }
  /// Dense peak rate, zero when the part lacks that arithmetic or nobody published it.
  constexpr flops_per_second peak(math m) const noexcept { return dense_peaks[static_cast<std::size_t>(m)]; }
  constexpr support supports(math m) const noexcept {
    if (peak(m) > flops_per_second{}) return support::native;
    return (lacks >> static_cast<unsigned>(m) & 1U) != 0 ? support::lacking : support::not_known;
  }
  /// The arithmetic that runs products of `wanted`: itself, else 16 bits (a weight-only kernel widens the operands on the
  /// way; bytes stay those of the format), else 32.
  constexpr math runs_as(math wanted) const noexcept {
    if (peak(wanted) > flops_per_second{}) return wanted;
    for (math m : {math::bf16, math::fp16, math::tf32, math::fp32})
      if (peak(m) > flops_per_second{}) return m;
    return wanted;
  }
  /// FLOP a byte at which compute and memory take equally long: peak ÷ bandwidth; 0 when either is not known.
  constexpr double ridge(math m) const noexcept {
    return bandwidth > bytes_per_second{} ? value_of(peak(m)) / value_of(bandwidth) : 0.0;
  }
};

namespace detail {

inline constexpr double mebibyte = 1048576.0;
constexpr bytes share_of(bytes b, double share) noexcept {
  return of<bytes>(truncate(real(b) * share));
}

/// What the driver keeps of its own total from a process. NVIDIA parts since Turing: firmware heap, context and runtime,
/// 460 to 915 MiB with HBM and 260 to 560 MiB with GDDR (14 parts print both totals), older ones up to 250; AMD nothing;
/// others up to 2 %.
constexpr estimate<bytes> less_process_reserve(const accelerator& a, const estimate<bytes>& total) noexcept {
  const auto less = [&](double low, double mid, double high) {
    const auto take = [](bytes b, double mib) { return of<bytes>(truncate(real(b) - mib * mebibyte)); };
    return estimate<bytes>{take(total.low, high), take(total.mid, mid), take(total.high, low),
                           weaker(total.from, basis::transferred)};
  };
  if (a.memory_shared || a.memory_type == memory_type::sram) return total;
  switch (a.made_by) {
    case vendor::nvidia:
      if (a.family == architecture::pascal || a.family == architecture::volta) return less(0, 30, 250);
      return is_hbm(a.memory_type) ? less(460, 620, 915) : less(260, 440, 560);
    case vendor::unknown:  // a user's own figure is taken at its word
    case vendor::amd: return total;
    default:
      return {share_of(total.low, .98), share_of(total.mid, .99), total.high, weaker(total.from, basis::transferred)};
  }
}

/// The label read in powers of two: "80 GB" of memory chips are 80·2^30.
constexpr bytes in_binary(bytes sold) noexcept {
  const std::int64_t n = integer(sold);
  constexpr std::int64_t million = 1'000'000;
  // Decimal labels are whole millions (0.512 GB of SRAM); a label in GiB is not, below 15,625 GiB.
  if (n % million != 0) return sold;
  return of<bytes>(truncate(static_cast<double>(n) / 1e9 * 1073741824.0));
}

constexpr estimate<bytes> memory_by_label(const accelerator& a) noexcept {
  const bytes label = in_binary(a.memory_sold);
  const auto band = [&](double low, double mid, double high, basis rule) {
    return estimate<bytes>{share_of(label, low), share_of(label, mid), share_of(label, high),
                           weaker(a.memory_basis, rule)};
  };
  if (a.memory_shared) {
    if (a.kind == device_class::cpu) return band(.85, .93, .98, basis::unverified);
    if (a.made_by == vendor::nvidia) return band(.93, .955, .97, basis::transferred);
    if (a.made_by == vendor::apple)  // recommendedMaxWorkingSetSize: 2/3 up to 36 GB, 3/4 above
      return real(label) <= 36.5 * 1073741824.0 ? band(.66, 2.0 / 3, .75, basis::transferred)
                                                : band(2.0 / 3, .75, .75, basis::transferred);
    if (is_hbm(a.memory_type)) return band(.90, .97, 1, basis::unverified);
    return band(.50, .75, .97, basis::unverified);  // carve-out and mapped pages by the owner's choice
  }
  const basis rule = basis::transferred;
  if (is_hbm(a.memory_type)) {
    if (a.made_by == vendor::amd) return band(.998, .9999, 1, rule);
    if (a.family == architecture::ampere) return band(.994, 1, 1, rule);
    if (a.family == architecture::pascal || a.family == architecture::volta) return band(.986, .992, 1, rule);
    if (a.memory_type == memory_type::hbm4) return band(.97, .985, 1, rule);
    return band(.994, .9955, 1, rule);
  }
  if (is_gddr(a.memory_type)) {
    if (a.made_by == vendor::intel) return band(.94, .945, .95, rule);
    const double kept = a.ecc == ecc::inline_ ? 15.0 / 16 : 1.0;
    const double usual = a.memory_type == memory_type::gddr7 ? .9956 : .9997;
    return band(.994 * kept, usual * kept, kept, rule);
  }
  return band(.95, .98, 1, basis::unverified);
}

}  // namespace detail

constexpr estimate<bytes> accelerator::memory() const noexcept {
  if (memory_process > bytes{}) return estimate<bytes>::exactly(memory_process, memory_basis);
  if (memory_driver > bytes{})
    return detail::less_process_reserve(*this, estimate<bytes>::exactly(memory_driver, memory_basis));
  if (memory_sold <= bytes{}) return {};
  if (made_by == vendor::unknown) return estimate<bytes>::exactly(memory_sold, memory_basis);  // a user's own figure
  return detail::less_process_reserve(*this, detail::memory_by_label(*this));
}

/// What a user's own hardware type must offer to be planned for. The three functions are the minimum; the optional
/// members `name()`, `scale_up()`, `power()` and `family()` are taken where they exist.
template <class A>
concept Accelerator = requires(const A& a, math m) {
  { a.visible_memory() } -> std::convertible_to<bytes>;
  { a.bandwidth() } -> std::convertible_to<bytes_per_second>;
  { a.peak(m) } -> std::convertible_to<flops_per_second>;
}
|| std::same_as<A, accelerator>;

/// Gives a catalogue row a type of its own: `device<catalog::h200_sxm>`.
template <const accelerator& Row>
struct device {
  static constexpr std::string_view name() noexcept { return Row.name; }
  static constexpr bytes visible_memory() noexcept { return Row.visible_memory(); }
  static constexpr bytes_per_second bandwidth() noexcept { return Row.bandwidth; }
  static constexpr flops_per_second peak(math m) noexcept { return Row.peak(m); }
  static constexpr const accelerator& row() noexcept { return Row; }
};

/// Turns any accelerator into the one row type; nothing below this door is a template of hardware.
template <Accelerator A>
constexpr accelerator describe(const A& a) noexcept {
  if constexpr (std::same_as<A, accelerator>) {
    return a;
  } else if constexpr (requires {
                         { a.row() } -> std::convertible_to<accelerator>;
                       }) {
    return a.row();
  } else {
    accelerator row;
    row.id = "user";
    row.name = "user-defined accelerator";
    if constexpr (requires {
                    { a.name() } -> std::convertible_to<std::string_view>;
                  })
      row.name = a.name();
    row.memory_process = a.visible_memory();
    row.memory_driver = row.memory_process;
    row.memory_sold = row.memory_process;
    row.memory_basis = basis::exact;
    row.bandwidth = a.bandwidth();
    row.bandwidth_basis = basis::exact;
    for (std::size_t i = 0; i < math_kinds; ++i) row.dense_peaks[i] = a.peak(static_cast<math>(i));
    row.peaks_basis = basis::exact;
    if constexpr (requires {
                    { a.scale_up() } -> std::convertible_to<fabric>;
                  })
      row.scale_up = a.scale_up();
    if constexpr (requires {
                    { a.power() } -> std::convertible_to<watts>;
                  })
      row.power = a.power();
    if constexpr (requires {
                    { a.family() } -> std::convertible_to<architecture>;
                  })
      row.family = a.family();
    return row;
  }
}

}  // namespace ullage::inline v0
