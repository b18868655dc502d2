// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <ullage/detail/static_list.hpp>
#include <ullage/detail/text.hpp>
#include <ullage/estimate.hpp>

// What a validation run answers: predicted against measured, one line each. Plain structs; files and JSON are others'
// work.
namespace ullage::inline v0::validate {

/// The unit of a measured number, always the base unit: bytes, not GB.
enum class unit : std::uint8_t { bytes, bytes_per_second, flops_per_second, seconds, count, ratio };

/// The unit as the last part of a key: "bytes_per_s". A plain ratio has none.
constexpr std::string_view suffix(unit u) noexcept {
  switch (u) {
    case unit::bytes: return "bytes";
    case unit::bytes_per_second: return "bytes_per_s";
    case unit::flops_per_second: return "flops_per_s";
    case unit::seconds: return "s";
    case unit::count: return "count";
    case unit::ratio: return "ratio";
  }
  return "ratio";
}

enum class agreement : std::uint8_t {
  unpredicted,  ///< measured, but nothing was predicted
  within,       ///< measured lies inside [low, high] of the prediction
  outside,
  unmeasured,  ///< could not be measured here; the note says why
  wrong        ///< measured, but the result was numerically wrong, so that its speed means nothing
};

constexpr std::string_view name(agreement a) noexcept {
  switch (a) {
    case agreement::unpredicted: return "unpredicted";
    case agreement::within: return "within";
    case agreement::outside: return "outside";
    case agreement::unmeasured: return "unmeasured";
    case agreement::wrong: return "wrong";
  }
  return "unmeasured";
}

using sentence = ullage::detail::text<240>;

/// One predicted number beside the measured one.
struct measurement {
  std::string_view name{};  ///< stable, lower case, of static lifetime: "triad_all_cores"
  validate::unit in = unit::ratio;
  std::optional<estimate<double>> predicted{};
  double measured = 0.0;  ///< the median where repeated; 0 when unmeasured
  double best = 0.0;      ///< the best of the repetitions
  int repeats = 0;
  agreement result = agreement::unmeasured;
  sentence note{};  ///< what the number rests on, or why there is none

  /// measured / predicted; nothing without a prediction or a measurement.
  constexpr std::optional<double> ratio() const noexcept {
    if (!predicted || predicted->mid == 0.0 || result == agreement::unmeasured) return std::nullopt;
    return measured / predicted->mid;
  }
};

/// Fills `result` of a measurement that went well.
constexpr measurement judged(measurement m) noexcept {
  if (!m.predicted) {
    m.result = agreement::unpredicted;
  } else {
    m.result =
        m.measured >= m.predicted->low && m.measured <= m.predicted->high ? agreement::within : agreement::outside;
  }
  return m;
}

/// Fractions of a nominal peak that a kernel reaches, as the band of a prediction.
struct fraction {
  double low = 1.0;
  double mid = 1.0;
  double high = 1.0;
  basis from = basis::exact;

  constexpr estimate<double> operator()(double peak) const noexcept {
    return {low * peak, mid * peak, high * peak, from};
  }
};

/// All that one backend measured on one device. `available` false: nothing was, and `reason` is the sentence.
struct report {
  std::string_view backend{};  ///< "host", "cuda"
  ullage::detail::text<96> device{};
  bool available = false;
  sentence reason{};
  ullage::detail::static_list<measurement, 32> measurements{};

  constexpr std::size_t how_many(agreement a) const noexcept {
    std::size_t n = 0;
    for (const measurement& m : measurements)
      if (m.result == a) ++n;
    return n;
  }
  constexpr const measurement* find(std::string_view wanted) const noexcept {
    for (const measurement& m : measurements)
      if (m.name == wanted) return &m;
    return nullptr;
  }
};

}  // namespace ullage::inline v0::validate
