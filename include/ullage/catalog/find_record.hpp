// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/catalog/recorded_models.hpp>

// Opt-in: the umbrella headers do not include it.
namespace ullage::inline v0::catalog {

/// The recorded model of a name or public alias, case-blind; null when there is none. `expand` makes a transformer of it.
constexpr const model_record* find_record(std::string_view name) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](std::string_view a) {
    if (a.size() != name.size() || a.empty()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (lower(a[i]) != lower(name[i])) return false;
    return true;
  };
  for (const model_record& r : recorded_models) {
    if (same(r.name)) return &r;
    for (std::string_view rest = r.aliases; !rest.empty();) {
      const std::size_t end = rest.find(' ') < rest.size() ? rest.find(' ') : rest.size();
      if (same(rest.substr(0, end))) return &r;
      rest.remove_prefix(end < rest.size() ? end + 1 : end);
    }
  }
  return nullptr;
}

}  // namespace ullage::inline v0::catalog
