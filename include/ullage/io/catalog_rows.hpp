// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <ullage/catalog/fabrics.hpp>
#include <ullage/catalog/find_absent.hpp>
#include <ullage/catalog/find_record.hpp>
#include <ullage/catalog/find_system.hpp>
#include <ullage/catalog/sources.hpp>
#include <ullage/io/answer.hpp>
#include <unordered_map>

// Rows of the catalogue → the objects of `catalog --json`. Rates are one way, totals of a system are sums over its
// accelerators, and what is not known is null.
namespace ullage::inline v0::io::detail {

inline json known(double x) {
  return x > 0 ? json(x) : json(nullptr);
}
template <class Unit>
json known(const boost::units::quantity<Unit, double>& q) {
  return known(q.value());
}
inline json known(count n) {
  return n > count(0) ? number(n) : json(nullptr);
}
template <class Unit>
json known(const boost::units::quantity<Unit, count>& q) {
  return known(q.value());
}
inline json known(int n) {
  return n > 0 ? json(n) : json(nullptr);
}
inline json known(std::string_view text) {
  return text.empty() ? json(nullptr) : json(text);
}
/// The name of a word of a closed list, null for its "not known".
template <class Word>
json known_word(Word w) {
  return w == Word{} ? json(nullptr) : json(ullage::name(w));
}

/// An object with a member for every arithmetic.
template <class Function>
json by_math(const Function& f) {
  json j = json::object();
  for (std::size_t i = 0; i < math_kinds; ++i)
    j[std::string(ullage::name(static_cast<math>(i)))] = f(static_cast<math>(i));
  return j;
}

/// Calls `f` with every figure of that id; they stand together.
template <const auto& Figures, class Function>
void each_figure(std::string_view id, const Function& f) {
  static const std::unordered_map<std::string_view, std::size_t> begins = [] {
    std::unordered_map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < Figures.size(); ++i) first.emplace(Figures[i].of, i);
    return first;
  }();
  const auto begin = begins.find(id);
  if (begin == begins.end()) return;
  for (std::size_t i = begin->second; i < Figures.size() && id == Figures[i].of; ++i) f(Figures[i]);
}
/// What each recorded figure rests on, by the figure's name.
template <const auto& Figures>
json bases_of(std::string_view id) {
  json j = json::object();
  each_figure<Figures>(id, [&j](const catalog::sourced_figure& f) { j[f.figure] = ullage::name(f.confidence); });
  return j;
}
template <const auto& Figures>
json figures_of(std::string_view id) {
  json list = json::array();
  each_figure<Figures>(id, [&list](const catalog::sourced_figure& f) {
    list.push_back({{"figure", f.figure},
                    {"value", f.value},
                    {"unit", f.unit},
                    {"source", f.source},
                    {"date", f.date},
                    {"confidence", ullage::name(f.confidence)}});
  });
  return list;
}
inline json other_figures_of(std::string_view id) {
  json list = json::array();
  for (const catalog::other_figure& f : catalog::other_figures)
    if (id == f.of)
      list.push_back({{"figure", f.figure},
                      {"value", f.value},
                      {"unit", f.unit},
                      {"source", f.source},
                      {"date", f.date},
                      {"why", f.why}});
  return list;
}
/// A figure of a row as written; empty where it is not recorded.
template <const auto& Figures>
std::string_view figure_text(std::string_view id, std::string_view figure) {
  std::string_view text;
  each_figure<Figures>(id, [&](const catalog::sourced_figure& f) {
    if (figure == f.figure) text = f.value;
  });
  return text;
}

/// What an accelerator or a system is called.
inline json aliases_of(std::string_view id) {
  json list = json::array();
  for (const catalog::written_name& n : catalog::written_names)
    if (id == n.of) list.push_back(n.name);
  return list;
}
inline json names_of_row(std::string_view id) {
  json list = json::array();
  for (const catalog::written_name& n : catalog::written_names)
    if (id == n.of) list.push_back({{"name", n.name}, {"source", n.source}});
  return list;
}

/// How devices reach each other, as the rows of accelerators and systems show it.
inline json link_json(const fabric& f) {
  return {{"id", known(f.id)},
          {"name", f.name},
          {"topology", ullage::name(f.shape)},
          {"per_device_bytes_per_s", known(f.per_device)},
          {"per_peer_bytes_per_s", known(f.per_peer)},
          {"hop_latency_s", known(f.hop_latency)},
          {"domain_devices", f.reach == fabric_reach::scale_out ? json(nullptr) : number(f.domain)},
          {"in_network_reduction", f.in_network_reduction},
          {"links", known(f.links)},
          {"basis", ullage::name(f.from)}};
}

/// What a row of a part and that of a slice have in common.
inline json part_json(const accelerator& a) {
  const estimate<bytes> visible = a.memory();
  const auto ridge = [&a](math m) { return known(a.ridge(m)); };
  const auto fallback = [&a](math m) {
    const math runs = a.runs_as(m);
    return a.peak(runs) > flops_per_second{} ? json(ullage::name(runs)) : json(nullptr);
  };
  return {{"id", a.id},
          {"name", a.name},
          {"vendor", ullage::name(a.made_by)},
          {"architecture", ullage::name(a.family)},
          {"target", known(a.target)},
          {"class", known_word(a.kind)},
          {"form", known_word(a.form)},
          {"status", ullage::name(a.status)},
          {"year", known(a.year)},
          {"memory_type", known_word(a.memory_type)},
          {"ecc", known_word(a.ecc)},
          {"memory_shared", a.memory_shared},
          {"memory_largest", a.memory_largest},
          {"memory_sold_bytes", known(a.memory_sold)},
          {"memory_driver_bytes", known(a.memory_driver)},
          {"memory_process_bytes", known(a.memory_process)},
          {"memory_basis", ullage::name(a.memory_basis)},
          {"visible_bytes", visible.mid > bytes{} ? banded(visible) : json(nullptr)},
          {"bandwidth_bytes_per_s", known(a.bandwidth)},
          {"bandwidth_basis", ullage::name(a.bandwidth_basis)},
          {"dense_flops_per_s", by_math([&a](math m) { return known(a.peak(m)); })},
          {"peaks_basis", ullage::name(a.peaks_basis)},
          {"supports", by_math([&a](math m) { return json(ullage::name(a.supports(m))); })},
          {"runs_as", by_math(fallback)},
          {"ridge_flop_per_byte", by_math(ridge)},
          {"halves_fp32_accumulate", a.halves_fp32_accumulate},
          {"scale_up", link_json(a.scale_up)},
          {"host_link_bytes_per_s", known(a.host_link)},
          {"host_link_basis", ullage::name(a.host_link_basis)},
          {"power_w", known(a.power)},
          {"power_least_w", known(a.power_least)},
          {"power_most_w", known(a.power_most)},
          {"power_basis", ullage::name(a.power_basis)},
          {"compute_units", known(a.compute_units)}};
}

inline json accelerator_json(const accelerator& a, bool sources) {
  json j = part_json(a);
  j["aliases"] = aliases_of(a.id);
  json pci = json::array();
  for (const catalog::pci_id& p : catalog::pci_ids)
    if (p.part->id == a.id) {
      char text[16];
      std::snprintf(text, sizeof text, "%04x:%04x", static_cast<unsigned>(p.number >> 16),
                    static_cast<unsigned>(p.number & 0xffffU));
      pci.push_back(text);
    }
  j["pci_ids"] = std::move(pci);
  json slices = json::array();
  for (const partition_profile& p : catalog::partitions)
    if (p.whole->id == a.id) slices.push_back(p.id);
  j["partitions"] = std::move(slices);
  json systems = json::array();
  for (const hardware_system& s : catalog::systems)
    if (s.part != nullptr && s.part->id == a.id) systems.push_back(s.id);
  j["systems"] = std::move(systems);
  j["bases"] = bases_of<catalog::accelerator_figures>(a.id);
  if (sources) {
    j["figures"] = figures_of<catalog::accelerator_figures>(a.id);
    j["other_figures"] = other_figures_of(a.id);
    j["names"] = names_of_row(a.id);
  }
  return j;
}

inline json partition_json(const partition_profile& p, bool sources) {
  json j = part_json(partition(p));
  j["whole"] = p.whole->id;
  j["whole_name"] = p.whole->name;
  j["slice"] = p.slice;
  j["copies"] = known(p.copies);
  j["bandwidth_share"] = known(p.bandwidth_share);
  // The memory is the profile's; what is a share of the whole part's figure is not better known than that.
  json bases = bases_of<catalog::accelerator_figures>(p.whole->id);
  for (auto& item : bases.items()) {
    const std::string& figure = item.key();
    if (figure == "bandwidth" || figure.starts_with("peak_"))
      item.value() =
          item.value() == ullage::name(basis::unverified) ? item.value() : json(ullage::name(basis::transferred));
  }
  for (const char* not_its_own : {"name", "memory_also_sold", "memory_bus_width", "memory_rate", "memory_process",
                                  "power", "power_least", "power_most", "l2", "devices_per_package"})
    bases.erase(not_its_own);
  if (!p.linked)
    for (const char* of_the_package : {"fabric", "fabric_domain", "host_link"}) bases.erase(of_the_package);
  for (const char* memory : {"memory_sold", "memory_driver"}) bases[memory] = ullage::name(p.from);
  bases["compute_units"] = ullage::name(p.from);
  j["bases"] = std::move(bases);
  if (sources) j["figures"] = figures_of<catalog::partition_figures>(p.id);
  return j;
}

inline json system_json(const hardware_system& s, bool sources) {
  const accelerator row = s.device();
  const double n = real(s.accelerators);
  const estimate<bytes> all = s.memory();
  const bool networked = s.port.per_device > bytes_per_second{};
  json j = {{"id", s.id},
            {"name", s.name},
            {"vendor", ullage::name(s.made_by)},
            {"status", ullage::name(s.status)},
            {"year", known(s.year)},
            {"accelerator", known(row.id)},
            {"accelerator_name", known(row.name)},
            {"accelerators", number(s.accelerators)},
            {"hosts", known(s.hosts)},
            {"memory_sold_bytes", known(row.memory_sold * s.accelerators.value())},
            {"visible_bytes", all.mid > bytes{} ? banded(all) : json(nullptr)},
            {"bandwidth_bytes_per_s", known(row.bandwidth * n)},
            {"dense_flops_per_s", by_math([&](math m) { return known(row.peak(m) * n); })},
            {"scale_up", link_json(s.scale_up)},
            {"scale_out", networked ? link_json(s.port) : json(nullptr)},
            {"nics", known(s.nics)},
            {"scale_out_bytes_per_s", known(s.port.per_device * static_cast<double>(s.nics))},
            {"scale_out_per_device_bytes_per_s", known(s.scale_out().per_device)},
            {"cpu", s.cpu != nullptr ? json(s.cpu->id) : json(nullptr)},
            {"cpu_name", s.cpu != nullptr ? json(s.cpu->name) : known(s.cpu_name)},
            {"cpus", known(s.cpus)},
            {"host_memory_bytes", known(s.host_memory)},
            {"disks_bytes", known(s.disks)},
            {"power_w", known(s.power)},
            {"basis", ullage::name(s.from)},
            {"aliases", aliases_of(s.id)},
            {"bases", bases_of<catalog::system_figures>(s.id)}};
  // What the sums rest on: the part's own figures.
  json& bases = j["bases"];
  each_figure<catalog::accelerator_figures>(row.id, [&bases](const catalog::sourced_figure& f) {
    const std::string_view figure = f.figure;
    if (figure == "memory_sold" || figure == "bandwidth" || figure.starts_with("peak_"))
      bases[f.figure] = ullage::name(f.confidence);
  });
  if (sources) {
    j["figures"] = figures_of<catalog::system_figures>(s.id);
    j["names"] = names_of_row(s.id);
  }
  return j;
}

inline json fabric_json(const fabric& f, bool sources) {
  json j = link_json(f);
  j["reach"] = ullage::name(f.reach);
  json parts = json::array();
  for (const accelerator& a : catalog::accelerators)
    if (a.scale_up.id == f.id ||
        (f.reach == fabric_reach::host && figure_text<catalog::accelerator_figures>(a.id, "host_link") == f.id))
      parts.push_back(a.id);
  json systems = json::array();
  for (const hardware_system& s : catalog::systems)
    if (s.scale_up.id == f.id || s.port.id == f.id) systems.push_back(s.id);
  j["accelerators"] = std::move(parts);
  j["systems"] = std::move(systems);
  j["bases"] = bases_of<catalog::fabric_figures>(f.id);
  if (sources) j["figures"] = figures_of<catalog::fabric_figures>(f.id);
  return j;
}

inline json model_json(const transformer& m, json aliases, json source) {
  const parameter_counts p = parameters(m);
  const kv_bytes kv = kv_cache(m, of<tokens>(1), of<sequences>(1), m.activation);
  return {{"name", m.name.view()},
          {"model_type", m.model_type.view()},
          {"aliases", std::move(aliases)},
          {"parameters",
           {{"total", number(p.total)},
            {"active", number(p.active)},
            {"embedding", number(p[part::embedding])},
            {"mtp", number(p.mtp)},
            {"towers", number(p.towers)}}},
          {"layers", m.layers},
          {"hidden", m.hidden},
          {"vocabulary", m.vocabulary},
          {"max_position", m.max_position},
          {"weights", m.stored.name},
          {"stored_weight_bytes", number(stored_weights(m, m.stored))},
          {"kv_bytes_per_token", kv.linear ? number(kv.per_token) : json(nullptr)},
          {"source", std::move(source)}};
}

/// The built-in models of a name, or all of them.
inline json models_json(std::string_view name) {
  json rows = json::array();
  const transformer* one = catalog::find_model(name);
  for (const transformer* m : catalog::models) {
    if (!name.empty() && m != one) continue;
    json aliases = json::array();
    for (const catalog::model_alias& a : catalog::model_aliases)
      if (a.model == m) aliases.push_back(a.alias);
    rows.push_back(model_json(*m, std::move(aliases), nullptr));
  }
  const catalog::model_record* record = name.empty() || one != nullptr ? nullptr : catalog::find_record(name);
  for (const catalog::model_record& m : catalog::recorded_models) {
    if (!name.empty() && &m != record) continue;
    json aliases = json::array();
    for (std::string_view rest = m.aliases; !rest.empty();) {
      const std::size_t end = (std::min)(rest.find(' '), rest.size());
      aliases.push_back(rest.substr(0, end));
      rest.remove_prefix((std::min)(end + 1, rest.size()));
    }
    rows.push_back(model_json(expand(m), std::move(aliases), m.source));
  }
  return rows;
}

/// The vendor that the data's word for it ("raspberry_pi") means.
inline vendor vendor_named(std::string_view word) {
  const ullage::detail::name_key key(word);
  for (std::size_t i = 1; i < vendor_kinds; ++i)
    if (ullage::detail::name_key(ullage::name(static_cast<vendor>(i))).view() == key.view())
      return static_cast<vendor>(i);
  return vendor::unknown;
}

inline json absent_json(const catalog::absent_part& a) {
  json missing = json::array();
  std::string_view rest = a.missing;
  while (!rest.empty()) {
    const std::size_t end = (std::min)(rest.find(','), rest.size());
    missing.push_back(rest.substr(0, end));
    rest.remove_prefix((std::min)(end + 1, rest.size()));
  }
  return {{"id", a.id},
          {"name", a.name},
          {"vendor", ullage::name(vendor_named(a.vendor))},
          {"missing", std::move(missing)},
          {"why", a.why},
          {"source", a.source},
          {"date", a.date}};
}

}  // namespace ullage::inline v0::io::detail
