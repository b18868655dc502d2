// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/detail/text.hpp>
#include <ullage/estimate.hpp>
#include <ullage/number_format.hpp>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

/// A model that is no transformer, or is not to be looked into: what it stores, and what one item costs.
///
/// An item is one pass of the model over one input: an image, 30 s of audio, a sequence of fixed length, a step of a
/// diffusion. Items that run at once are counted as `sequences`, as those of a load are. All figures are for `format`;
/// a multiply-add is two FLOP (many tables state multiply-adds and call them FLOP).
struct opaque_model {
  detail::text<64> name{};
  detail::text<64> item{};  ///< "image 224x224", "30 s of audio"
  count parameters{};
  number_format format = formats::fp16;  ///< what the figures are for, and what the weights are stored in
  operations flop_per_item{};
  /// Read and written in one pass beside the weights.
  estimate<bytes> moved_per_item{};
  /// Of one item, at once, where most is alive.
  estimate<bytes> activation_per_item{};
  bytes state_per_stream{};   ///< kept between two items of one stream; 0 for most
  count kernels = count(1);   ///< launches of one pass, whatever the items
  basis from = basis::exact;  ///< what parameters and FLOP rest on; the bands have their own
  std::string_view source{};  ///< must outlive the model

  /// Whether FLOP or bytes of an item are known; without them there is memory and no time.
  constexpr bool timed() const noexcept { return flop_per_item > operations{} || moved_per_item.high > bytes{}; }
  /// Whether every figure can be one: parameters, no negative one, bands in order, nothing beyond 64 bits.
  constexpr bool consistent() const noexcept {
    const auto band = [](const estimate<bytes>& e) {
      return !overflowed(e.high) && e.low >= bytes{} && e.low <= e.mid && e.mid <= e.high;
    };
    return parameters > count(0) && format.element_bits > 0 && flop_per_item >= operations{} && band(moved_per_item) &&
           band(activation_per_item) && state_per_stream >= bytes{} && kernels > count(0);
  }
  /// Bytes of the weights in a format; without a name in the model's own. One run of numbers: scales of a row are not
  /// counted, since rows are not known.
  constexpr bytes weights(const number_format& f = {}) const noexcept {
    return (f.name.empty() ? format : f).storage(parameters);
  }
};

/// The band of n equal things: they share one figure, so its ends add.
constexpr estimate<bytes> operator*(const estimate<bytes>& e, count n) noexcept {
  return {e.low * n, e.mid * n, e.high * n, e.from};
}

}  // namespace ullage::inline v0
