// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <ullage/io/safetensors.hpp>
#include <ullage/memory/weights.hpp>
#include <utility>
#include <vector>

// A checkpoint against the inventory of its model: the stored bytes are the truth, the inventory says what they are.
namespace ullage::inline v0::io {

/// One tensor pattern of the inventory and what the files hold under it.
struct compared_family {
  enum class state : std::uint8_t {
    equal,
    packed,   ///< as many tensors, of a packed type: fewer words than numbers
    differs,  ///< other tensors or other numbers of elements
    missing   ///< nothing of that name
  };
  std::string pattern;
  part belongs_to = part::mlp;
  state is = state::missing;
  count tensors{};
  count elements{};
  count stored_tensors{};
  count stored_elements{};
};
constexpr std::string_view name(compared_family::state s) noexcept {
  switch (s) {
    case compared_family::state::equal: return "equal";
    case compared_family::state::packed: return "packed";
    case compared_family::state::differs: return "differs";
    case compared_family::state::missing: return "missing";
  }
  return "missing";
}

struct checkpoint_comparison {
  std::vector<compared_family> families{};                     ///< in the model's order
  std::vector<std::pair<std::string, stored_family>> extra{};  ///< stored, and not in the inventory: scales, buffers
  const compared_family* first_difference() const {
    for (const compared_family& f : families)
      if (f.is == compared_family::state::differs || f.is == compared_family::state::missing) return &f;
    return nullptr;
  }
};

namespace detail {

/// Without what multimodal classes put before the text model's names.
inline std::string_view below_wrappers(std::string_view pattern) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view wrapper : {"model.language_model.", "language_model.model.", "language_model.", "model."})
      if (pattern.substr(0, wrapper.size()) == wrapper) {
        pattern.remove_prefix(wrapper.size());
        again = true;
        break;
      }
  }
  return pattern;
}

}  // namespace detail

/// Every tensor pattern of a model beside the stored ones. Names are compared below the wrappers of multimodal classes
/// ("model.language_model."), numbers as '*'; a quantised matrix is looked for under its packed names too.
inline checkpoint_comparison compare_checkpoint(const transformer& m, const stored_checkpoint& c) {
  struct found_family {
    stored_family sum{};
    bool packed = false;
    bool used = false;
  };
  std::map<std::string, found_family> stored;  // by pattern below the wrappers, all types together
  for (const auto& [key, f] : c.families) {
    const std::size_t space = key.rfind(' ');
    const std::string_view type = std::string_view(key).substr(space + 1);
    found_family& s = stored[std::string(detail::below_wrappers(std::string_view(key).substr(0, space)))];
    s.sum.tensors += f.tensors;
    s.sum.elements += f.elements;
    s.sum.stored += f.stored;
    s.packed = s.packed || type == "I32" || type == "U8" || type == "I8" || type == "F4";
  }

  checkpoint_comparison result;
  std::map<std::string, std::size_t> place;
  const auto expect = [&](const std::string& full, const tensor_family& f, count times, bool first) {
    std::string pattern;
    detail::pattern_of(detail::below_wrappers(full), pattern);
    const auto [at, fresh] = place.emplace(pattern, result.families.size());
    if (fresh) {
      compared_family row;
      row.pattern = pattern;
      row.belongs_to = f.belongs_to;
      result.families.push_back(std::move(row));
    }
    compared_family& row = result.families[at->second];
    // {} in a name counts tensors; a family without it is one tensor that holds all copies.
    const bool apart = f.name.find("{}") != std::string_view::npos;
    // A packed tensor stands in slices of one name, so that each is divided by its own rule.
    if (apart || first) row.tensors += (apart ? count(f.copies) : count(1)) * times;
    row.elements += f.elements() * times;
  };
  const auto expect_range = [&](family_range r, std::string_view prefix, count times) {
    for (const tensor_family& f : families_of(m, r)) {
      bool first = true;
      for (const tensor_family& before : families_of(m, r)) {
        if (&before == &f) break;
        first = first && before.name != f.name;
      }
      std::string full(prefix);
      for (std::size_t i = 0; i < f.name.size(); ++i) {
        if (f.name.substr(i, 2) == "{}") {
          full += '0';
          ++i;
        } else {
          full += f.name[i];
        }
      }
      expect(full, f, times, first);
    }
  };
  expect_range(m.embedding, "", count(1));
  const ullage::detail::kind_counts kinds = ullage::detail::count_kinds(m, 0, m.layers);
  const std::string layer = std::string(m.layer_prefix) + "0.";
  for (std::size_t k = 0; k < m.kinds.size(); ++k)
    if (kinds.of[k] > 0) expect_range(m.kinds[k].tensors, layer, count(kinds.of[k]));
  if (m.mtp_layers > 0) {
    expect_range(m.kinds[m.mtp_kind].tensors, layer, count(m.mtp_layers));
    expect_range(m.mtp_extra, layer, count(m.mtp_layers));
  }
  for (family_range r : {m.final_norm, m.head, m.encoder, m.towers}) expect_range(r, "", count(1));

  for (compared_family& row : result.families) {
    auto it = stored.find(row.pattern);
    if (it == stored.end()) {
      // Packed names take the place of ".weight"; packed experts of gpt-oss have none to begin with.
      const std::string stem =
          row.pattern.ends_with(".weight") ? row.pattern.substr(0, row.pattern.size() - 7) : row.pattern;
      for (const char* packed : {".qweight", ".weight_packed", "_blocks"}) {
        it = stored.find(stem + packed);
        if (it != stored.end()) break;
      }
    }
    if (it == stored.end()) continue;
    it->second.used = true;
    row.stored_tensors = it->second.sum.tensors;
    row.stored_elements = it->second.sum.elements;
    const bool as_many = row.stored_tensors == row.tensors;
    row.is = as_many && row.stored_elements == row.elements ? compared_family::state::equal
             : as_many && it->second.packed                 ? compared_family::state::packed
                                                            : compared_family::state::differs;
  }
  for (auto& [pattern, f] : stored)
    if (!f.used) result.extra.emplace_back(pattern, f.sum);
  return result;
}

}  // namespace ullage::inline v0::io
