// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <ullage/catalog/find.hpp>
#include <ullage/catalog/systems.hpp>

// Opt-in: the umbrella headers do not include it.
namespace ullage::inline v0 {

/// The machine that a label names, or null. `match.count` is how many devices it says.
constexpr const hardware_system* machine_of(const accelerator_match& match) noexcept {
  return match.outcome == accelerator_match::found && match.slice == nullptr && match.machine > 0
             ? &catalog::systems[match.machine - std::size_t{1}]
             : nullptr;
}

/// The machine of that name ("DGX H100", "p5.48xlarge", "2x Google a3-highgpu-8g"), or null. Read as `find_accelerator`
/// does; the same name finds the part that the machine is made of there.
constexpr const hardware_system* find_system(std::string_view name) noexcept {
  return machine_of(find_accelerator(name));
}

}  // namespace ullage::inline v0
