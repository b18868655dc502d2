// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/catalog/find.hpp>
#include <ullage/catalog/systems.hpp>

// Opt-in: the umbrella headers do not include it.
namespace ullage::inline v0 {

/// The machine of that name ("DGX H100", "p5.48xlarge", "Google a3-highgpu-8g"), or null. Compared as `find_accelerator`
/// does, without counts or other words around it; the same name finds the part that the machine is made of there.
constexpr const hardware_system* find_system(std::string_view name) noexcept {
  const detail::name_key whole(name);
  if (whole.cut) return nullptr;
  vendor said = vendor::unknown;
  const std::string_view full = whole.view();
  const std::string_view rest =
      detail::without_word(detail::without_word(full, catalog::vendor_words, said), catalog::line_words, said);
  for (std::string_view key : {full, rest})
    if (const catalog::system_alias* a = detail::find_key(catalog::system_aliases, key); a != nullptr) return a->system;
  return nullptr;
}

}  // namespace ullage::inline v0
