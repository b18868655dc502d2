// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ullage::inline v0::detail {

/// Goes over rows behind a table of pointers as if they lay side by side.
template <class Row>
struct row_iterator {
  using value_type = Row;
  using difference_type = std::ptrdiff_t;
  const Row* const* at = nullptr;

  constexpr const Row& operator*() const noexcept { return **at; }
  constexpr const Row* operator->() const noexcept { return *at; }
  constexpr row_iterator& operator++() noexcept {
    ++at;
    return *this;
  }
  constexpr row_iterator operator++(int) noexcept { return {at++}; }
  constexpr bool operator==(const row_iterator& other) const noexcept { return at == other.at; }
};

/// The rows of a table of the catalogue. It points to them: copies would be made by every compiler that includes it.
template <class Row, std::size_t N>
struct row_list {
  const Row* rows[N];

  static constexpr std::size_t size() noexcept { return N; }
  constexpr const Row& operator[](std::size_t i) const noexcept { return *rows[i]; }
  constexpr row_iterator<Row> begin() const noexcept { return {rows}; }
  constexpr row_iterator<Row> end() const noexcept { return {rows + N}; }
};

}  // namespace ullage::inline v0::detail
