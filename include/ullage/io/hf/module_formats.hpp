// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <ullage/io/hf/modules.hpp>
#include <ullage/io/result.hpp>
#include <ullage/model/transformer.hpp>
#include <utility>
#include <vector>

// Formats of tensors by the names of their modules: what stays in the model's own type, and what takes which format.
namespace ullage::inline v0::io::hf {

/// What a quantisation says of a model's modules. Layers of one kind that it treats differently become kinds of their
/// own when it is applied.
class format_rules {
 public:
  static constexpr int unnamed = -2;  ///< no rule names the module
  static constexpr int kept = -1;     ///< in the model's own type

  /// The number of a format among those of the checkpoint.
  int number_of(const number_format& f) {
    for (std::size_t i = 0; i < formats_.size(); ++i)
      if (formats_[i].format == f) return static_cast<int>(i);
    formats_.push_back({f, {}});
    return static_cast<int>(formats_.size()) - 1;
  }
  module_list& left_out() { return left_out_; }
  module_list& in(int format) { return formats_[static_cast<std::size_t>(format)].named; }
  /// Modules that are said to take what the rest takes.
  module_list& as_the_rest() { return as_the_rest_; }
  /// Whether any module has a format by its name.
  bool by_name() const {
    return std::any_of(formats_.begin(), formats_.end(), [](const named_format& f) { return !f.named.empty(); });
  }
  /// What the matrices of layers take that no rule names.
  void take_rest(int format) { rest_ = format; }
  /// What the output projection takes that no rule names.
  void take_head(int format) { head_ = format; }
  /// Prediction modules stay in the model's own type.
  void keep_prediction() { keeps_prediction_ = true; }
  /// Two rules of one module contradict each other instead of one going before the other.
  void refuse_contradictions() { contradictions_ = true; }

  /// Gives the tensors of a model, stored in `own` otherwise, their formats. Returns what is wrong, or nothing.
  std::string apply(transformer& m, const number_format& own) {
    outside_layers(m);
    std::vector<std::vector<int>> layers;  // formats of the families of each layer; the prediction modules come last
    for (std::int64_t i = 0; i < m.layers && wrong_.empty(); ++i) layers.push_back(of_layer(m, m.layer_kinds[i], i));
    if (m.mtp_layers > 0 && wrong_.empty()) layers.push_back(of_layer(m, m.mtp_kind, m.layers));
    if (wrong_.empty() && gave_up()) wrong_ = "has wildcards or expressions that take too long to try";
    if (wrong_.empty()) check_entries();
    if (!wrong_.empty()) return wrong_;
    choose(m, layers);
    const std::size_t before = m.kinds.size();
    for (std::size_t kind = 0; kind < before && wrong_.empty(); ++kind)
      split(m, static_cast<std::uint8_t>(kind), layers);
    for (const auto& [family, format] : outside_)
      m.families[family].stored_as = precision_of(format, m.families[family].stored_as);
    if (wrong_.empty()) store(m, own);
    return wrong_;
  }
  /// An entry of the list of what is left out that names nothing and is no usual word; nullptr = none.
  const std::string* odd() const { return left_out_.odd(); }

 private:
  struct named_format {
    number_format format;
    module_list named;
  };
  static bool is_quantised(const tensor_family& f) {
    return f.stored_as == precision::linear || f.stored_as == precision::experts;
  }
  /// What a rule can quantise although no method does by itself: routers, small projections, embeddings.
  static bool is_matrix(const tensor_family& f) {
    return f.rows > 1 && f.cols > 1 && f.stored_as == precision::kept && f.name.ends_with(".weight") &&
           f.name.find("conv") == std::string_view::npos;
  }

  /// The names of a module that rules may use: engines fuse matrices, and files call the experts' by letters.
  static std::vector<std::string> with_aliases(std::vector<std::string> names) {
    constexpr std::array<std::array<std::string_view, 2>, 10> aliases{{{".q_proj", ".qkv_proj"},
                                                                       {".k_proj", ".qkv_proj"},
                                                                       {".v_proj", ".qkv_proj"},
                                                                       {".gate_proj", ".gate_up_proj"},
                                                                       {".up_proj", ".gate_up_proj"},
                                                                       {".attn.wq_a", ".attn.fused_wqa_wkv"},
                                                                       {".attn.wkv", ".attn.fused_wqa_wkv"},
                                                                       {".w1", ".gate_proj"},
                                                                       {".w3", ".up_proj"},
                                                                       {".w2", ".down_proj"}}};
    for (std::size_t i = names.size(); i-- > 0;)
      for (const auto& [own, other] : aliases)
        if (names[i].ends_with(own))
          names.push_back(names[i].substr(0, names[i].size() - own.size()) + std::string(other));
    return names;
  }
  /// What the rules say of a module under one of its names.
  int said_of(std::vector<std::string> own_names) {
    const std::vector<std::string> names = with_aliases(std::move(own_names));
    bool out = false;
    int format = unnamed;
    for (const std::string& name : names) out = left_out_.names(name) || out;
    for (std::size_t i = 0; i < formats_.size(); ++i) {
      bool hit = false;
      for (const std::string& name : names) hit = formats_[i].named.names(name) || hit;
      if (!hit) continue;
      if (format != unnamed || (out && contradictions_))
        fail("gives " + names.front() + " two formats whose order is not known");
      format = static_cast<int>(i);
    }
    if (contradictions_ && (out || format != unnamed) && !as_the_rest_.empty())
      for (const std::string& name : names)
        if (as_the_rest_.names(name)) fail("gives " + names.front() + " two formats whose order is not known");
    return out ? kept : format;
  }
  void fail(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }
  bool gave_up() const {
    return left_out_.gave_up() || as_the_rest_.gave_up() ||
           std::any_of(formats_.begin(), formats_.end(), [](const named_format& f) { return f.named.gave_up(); });
  }
  void check_entries() {
    for (const named_format& f : formats_)
      if (const std::string* unused = f.named.unused(); unused != nullptr)
        fail("gives " + detail::in_quotes(*unused) + " a format; expected modules of this model");
  }

  void outside_layers(transformer& m) {
    for (family_range r : {m.embedding, m.final_norm, m.encoder, m.towers, m.mtp_extra}) {
      for (std::size_t i = r.first; i < std::size_t{r.first} + r.size; ++i) {
        const tensor_family& f = m.families[i];
        const int said = said_of({std::string(detail_modules::without_weight(f.name))});
        const bool alone = f.belongs_to != part::tower && f.copies == 1;
        if (said >= 0 && !alone && f.rows > 1 && f.cols > 1)
          fail("gives " + std::string(f.name) + " a format; expected modules of the decoder's layers");
        if (is_quantised(f))
          outside_.emplace_back(i, said == unnamed || !alone ? rest_ : said);
        else if (said >= 0 && alone && is_matrix(f))
          outside_.emplace_back(i, said);
      }
    }
    std::vector<std::string> names{"lm_head"};
    if (m.head.size > 0) names.emplace_back(detail_modules::without_weight(m.families[m.head.first].name));
    const int said = said_of(names);
    if (said >= 0 && m.head.size == 0) fail("gives the output matrix a format, which this model ties to its embedding");
    if (said != unnamed) head_ = said;
    // Prediction modules that repeat the output matrix: a rule by name does not reach them.
    if (by_name())
      for (std::size_t i = m.mtp_extra.first; i < std::size_t{m.mtp_extra.first} + m.mtp_extra.size; ++i)
        if (m.families[i].stored_as == precision::head) m.families[i].stored_as = precision::kept;
  }

  std::vector<int> of_layer(const transformer& m, std::uint8_t kind, std::int64_t layer) {
    const family_range r = m.kinds[kind].tensors;
    std::vector<int> which(r.size, unnamed);
    for (std::size_t i = 0; i < r.size; ++i) {
      const tensor_family& f = m.families[r.first + i];
      int said = of_family(m, f, layer);
      if (layer >= m.layers && keeps_prediction_) said = kept;
      if (is_quantised(f))
        which[i] = said == unnamed ? rest_ : said;
      else if (said >= 0 && is_matrix(f))
        which[i] = said;
    }
    check_fused(m, r, which);
    return which;
  }
  int of_family(const transformer& m, const tensor_family& f, std::int64_t layer) {
    const std::size_t place = f.name.find("{}");
    const bool numbered = place != std::string_view::npos;
    const std::int64_t last = numbered && is_quantised(f) ? f.copies - 1 : 0;
    bool all = false;
    if (numbered) {
      all = left_out_.names_single_experts();
      for (const named_format& n : formats_) all = all || n.named.names_single_experts();
    }
    int first = unnamed;
    for (std::int64_t copy = 0; copy <= last; copy = all ? copy + 1 : (copy == last ? last + 1 : last)) {
      std::string name(f.name);
      if (numbered) name.replace(place, 2, std::to_string(copy));
      const std::string module(detail_modules::without_weight(name));
      std::vector<std::string> names{std::string(m.layer_prefix) + std::to_string(layer) + "." + module};
      if (layer >= m.layers)  // prediction modules stand behind the layers, or apart
        names.insert(names.end(), {"mtp.0." + module, "model.mtp.layers.0." + module});
      const int said = said_of(names);
      if (copy == 0) first = said;
      if (said == first) continue;
      const bool out = (said == kept || first == kept) && (said < 0 && first < 0);
      fail(out ? "leaves out some experts only" : "gives the experts of one layer different formats");
    }
    return first;
  }
  /// Engines hold Q, K and V in one matrix, and gate and up: they have one format.
  void check_fused(const transformer& m, family_range r, const std::vector<int>& which) {
    constexpr std::array<std::array<std::string_view, 3>, 3> fused{
        {{"q_proj", "k_proj", "v_proj"}, {"gate_proj", "up_proj", ""}, {"w1", "w3", ""}}};
    for (std::size_t i = 0; i < r.size; ++i)
      for (std::size_t j = i + 1; j < r.size; ++j) {
        if (which[i] == which[j] || !wrong_.empty()) continue;
        const tensor_family& a = m.families[r.first + i];
        const tensor_family& b = m.families[r.first + j];
        if (!is_quantised(a) || !is_quantised(b)) continue;
        const auto parts = [](std::string_view name) {
          name = detail_modules::without_weight(name);
          const std::size_t dot = name.rfind('.');
          return dot == std::string_view::npos ? std::pair(std::string_view(), name)
                                               : std::pair(name.substr(0, dot), name.substr(dot + 1));
        };
        const auto [above_a, last_a] = parts(a.name);
        const auto [above_b, last_b] = parts(b.name);
        if (above_a != above_b) continue;
        for (const auto& group : fused) {
          if (std::find(group.begin(), group.end(), last_a) == group.end() ||
              std::find(group.begin(), group.end(), last_b) == group.end())
            continue;
          const std::string one(which[i] == kept ? last_a : last_b);
          const std::string other(which[i] == kept ? last_b : last_a);
          fail((which[i] == kept || which[j] == kept ? "leaves out " + one + " and not " + other
                                                     : "gives " + one + " and " + other + " different formats") +
               ", which engines hold in one matrix");
        }
      }
  }

  /// Which formats are those of the linear layers and of the experts: those of most of their elements.
  void choose(const transformer& m, const std::vector<std::vector<int>>& layers) {
    std::vector<double> linear(formats_.size(), 0);
    std::vector<double> experts(formats_.size(), 0);
    std::vector<bool> taken(formats_.size(), false);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      const family_range r = m.kinds[kind_of(m, layer)].tensors;
      for (std::size_t i = 0; i < r.size; ++i) {
        if (layers[layer][i] < 0) continue;
        const auto format = static_cast<std::size_t>(layers[layer][i]);
        const tensor_family& f = m.families[r.first + i];
        taken[format] = true;
        (f.stored_as == precision::experts ? experts : linear)[format] += approximate(f.elements());
      }
    }
    for (const auto& [family, format] : outside_) {
      if (format < 0) continue;
      taken[static_cast<std::size_t>(format)] = true;
      linear[static_cast<std::size_t>(format)] += approximate(m.families[family].elements());
    }
    const auto most = [](const std::vector<double>& of) {
      const auto it = std::max_element(of.begin(), of.end());
      return it != of.end() && *it > 0 ? static_cast<int>(it - of.begin()) : unnamed;
    };
    linear_ = most(linear);
    experts_ = most(experts);
    if (linear_ < 0) linear_ = rest_ >= 0 ? rest_ : experts_ >= 0 ? experts_ : 0;
    if (experts_ < 0) experts_ = linear_;
    for (std::size_t i = 0; i < formats_.size(); ++i) {
      const int format = static_cast<int>(i);
      if (taken[i] && format != linear_ && format != experts_) others_.push_back(format);
    }
    if (others_.size() > 3) fail("has more than five formats, which is more than a model can hold");
  }
  static double approximate(count n) { return n.overflowed() ? 0 : static_cast<double>(n.value()); }
  static std::uint8_t kind_of(const transformer& m, std::size_t layer) {
    return static_cast<std::int64_t>(layer) < m.layers ? m.layer_kinds[layer] : m.mtp_kind;
  }
  precision precision_of(int format, precision original) const {
    if (format == unnamed) return original;
    if (format == kept) return precision::kept;
    if (format == experts_ && original == precision::experts) return precision::experts;
    if (format == linear_) return precision::linear;
    if (format == experts_) return precision::experts;
    constexpr std::array<precision, 3> more{precision::second, precision::third, precision::fourth};
    const auto at = static_cast<std::size_t>(std::find(others_.begin(), others_.end(), format) - others_.begin());
    return more[(std::min)(at, more.size() - 1)];
  }

  /// Groups the layers of a kind by the formats in them.
  void split(transformer& m, std::uint8_t kind, const std::vector<std::vector<int>>& all) {
    const family_range original = m.kinds[kind].tensors;
    std::map<std::vector<precision>, std::vector<std::size_t>> groups;
    for (std::size_t layer = 0; layer < all.size(); ++layer) {
      if (kind_of(m, layer) != kind) continue;
      std::vector<precision> which(original.size);
      for (std::size_t i = 0; i < original.size; ++i)
        which[i] = precision_of(all[layer][i], m.families[original.first + i].stored_as);
      groups[std::move(which)].push_back(layer);
    }
    bool first = true;
    std::vector<precision> in_place;
    for (const auto& [which, layers] : groups) {
      if (first) {
        in_place = which;
        first = false;
        continue;
      }
      layer_kind copy = m.kinds[kind];
      copy.tensors = {static_cast<std::uint16_t>(m.families.size()), original.size};
      bool fits = m.kinds.size() < transformer::most_kinds;
      for (std::size_t i = 0; i < original.size && fits; ++i) {
        tensor_family f = m.families[original.first + i];
        f.stored_as = which[i];
        fits = m.families.push_back(f);
      }
      if (!fits || !m.kinds.push_back(copy)) return fail("gives layers more different formats than a model can hold");
      const auto added = static_cast<std::uint8_t>(m.kinds.size() - 1);
      for (std::size_t layer : layers)
        (static_cast<std::int64_t>(layer) < m.layers ? m.layer_kinds[layer] : m.mtp_kind) = added;
    }
    for (std::size_t i = 0; i < in_place.size(); ++i) m.families[original.first + i].stored_as = in_place[i];
  }

  void store(transformer& m, const number_format& own) const {
    const auto format = [&](int i) { return i < 0 ? own : formats_[static_cast<std::size_t>(i)].format; };
    weight_scheme w = quantized_linears(format(linear_), own);
    w.experts = format(experts_);
    w.head = format(head_);
    const std::array<number_format*, 3> more{&w.second, &w.third, &w.fourth};
    for (std::size_t i = 0; i < others_.size(); ++i) *more[i] = format(others_[i]);
    if (!(w.experts == w.linear) || !others_.empty() || (head_ >= 0 && !(w.head == w.linear))) w.name = "mixed";
    m.stored = w;
  }

  module_list left_out_;
  module_list as_the_rest_;
  std::vector<named_format> formats_;
  int rest_ = kept;
  int head_ = kept;
  bool keeps_prediction_ = false;
  bool contradictions_ = false;

  std::string wrong_;
  std::vector<std::pair<std::size_t, int>> outside_;  ///< families outside layers that have a format by name
  int linear_ = 0;
  int experts_ = 0;
  std::vector<int> others_;
};

}  // namespace ullage::inline v0::io::hf
