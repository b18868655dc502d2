// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <ullage/detail/row_list.hpp>
#include <ullage/hardware/accelerator.hpp>

namespace ullage::inline v0 {

/// Parts to choose from, which must stay alive: `catalog::accelerators`, or any contiguous range of a user's own.
class part_view {
 public:
  constexpr part_view() noexcept = default;
  template <std::size_t N>
  constexpr part_view(const detail::row_list<accelerator, N>& list) noexcept : rows_(list.rows),
                                                                               size_(N) {}
  template <class Range>
  requires std::convertible_to<const Range&, std::span<const accelerator>>
  constexpr part_view(const Range& parts) noexcept
      : parts_(std::span<const accelerator>(parts).data()),
        size_(std::span<const accelerator>(parts).size()) {}

  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr const accelerator& operator[](std::size_t i) const noexcept {
    return rows_ != nullptr ? *rows_[i] : parts_[i];
  }
  class iterator {
   public:
    constexpr iterator(const part_view& parts, std::size_t at) noexcept : parts_(&parts), at_(at) {}
    constexpr const accelerator& operator*() const noexcept { return (*parts_)[at_]; }
    constexpr iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    constexpr bool operator==(const iterator& other) const noexcept { return at_ == other.at_; }

   private:
    const part_view* parts_;
    std::size_t at_;
  };
  constexpr iterator begin() const noexcept { return {*this, 0}; }
  constexpr iterator end() const noexcept { return {*this, size_}; }

 private:
  const accelerator* const* rows_ = nullptr;
  const accelerator* parts_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ullage::inline v0
