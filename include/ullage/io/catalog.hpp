// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <ullage/catalog/sources.hpp>
#include <ullage/io/answer.hpp>

namespace ullage::inline v0::io {

/// Which part of the catalogue is asked for.
struct catalog_question {
  bool accelerators = true;
  bool models = true;
  bool sources = false;  ///< every accelerator with the source of each figure
  std::string name;      ///< only that one
};

namespace detail {

inline json known(double x) {
  return x > 0 ? json(x) : json(nullptr);
}
template <class Unit>
json known(const boost::units::quantity<Unit, double>& q) {
  return known(q.value());
}
inline json known(bytes b) {
  return b > bytes{} ? number(b) : json(nullptr);
}

inline json accelerator_json(const accelerator& a, bool sources) {
  json peaks = json::object();
  for (std::size_t i = 0; i < math_kinds; ++i)
    peaks[std::string(ullage::name(static_cast<math>(i)))] = known(a.dense_peaks[i]);
  json j = {{"id", a.id},
            {"name", a.name},
            {"vendor", ullage::name(a.made_by)},
            {"architecture", ullage::name(a.family)},
            {"year", a.year > 0 ? json(a.year) : json(nullptr)},
            {"memory_sold_bytes", known(a.memory_sold)},
            {"memory_driver_bytes", known(a.memory_driver)},
            {"memory_process_bytes", known(a.memory_process)},
            {"memory_basis", ullage::name(a.memory_basis)},
            {"bandwidth_bytes_per_s", known(a.bandwidth)},
            {"bandwidth_basis", ullage::name(a.bandwidth_basis)},
            {"dense_flops_per_s", std::move(peaks)},
            {"peaks_basis", ullage::name(a.peaks_basis)},
            {"scale_up",
             {{"name", a.scale_up.name},
              {"topology", ullage::name(a.scale_up.shape)},
              {"per_device_bytes_per_s", known(a.scale_up.per_device)},
              {"per_peer_bytes_per_s", known(a.scale_up.per_peer)},
              {"domain_devices", number(a.scale_up.domain)}}},
            {"host_link_bytes_per_s", known(a.host_link)},
            {"power_w", known(a.power)},
            {"compute_units", a.compute_units > 0 ? json(a.compute_units) : json(nullptr)}};
  json aliases = json::array();
  for (const catalog::accelerator_alias& alias : catalog::accelerator_aliases)
    if (alias.part != nullptr && alias.part->id == a.id) aliases.push_back(alias.text);
  j["aliases"] = std::move(aliases);
  if (sources) {
    json figures = json::array();
    for (const catalog::sourced_figure& f : catalog::accelerator_figures)
      if (f.part == a.id)
        figures.push_back({{"figure", f.figure},
                           {"value", f.value},
                           {"unit", f.unit},
                           {"source", f.source},
                           {"date", f.date},
                           {"confidence", ullage::name(f.confidence)}});
    j["figures"] = std::move(figures);
  }
  return j;
}

inline json model_json(const transformer& m) {
  const parameter_counts p = parameters(m);
  json aliases = json::array();
  for (const catalog::model_alias& a : catalog::model_aliases)
    if (a.model == &m) aliases.push_back(a.alias);
  return {{"name", m.name.view()},
          {"model_type", m.model_type.view()},
          {"aliases", std::move(aliases)},
          {"parameters",
           {{"total", number(p.total)},
            {"active", number(p.active)},
            {"embedding", number(p[part::embedding])},
            {"mtp", number(p.mtp)},
            {"towers", 0}}},
          {"layers", m.layers},
          {"hidden", m.hidden},
          {"vocabulary", m.vocabulary},
          {"max_position", m.max_position},
          {"weights", m.stored.name},
          {"stored_weight_bytes", number(stored_weights(m, m.stored))},
          {"kv_bytes_per_token", number(kv_cache(m, of<tokens>(1), of<sequences>(1), m.activation).per_token)}};
}

}  // namespace detail

/// The catalogue as JSON, or an error object when `name` is nothing of it.
inline json catalog_answer(const catalog_question& q) {
  json parts = json::array();
  json models = json::array();
  std::string nearest_parts;
  if (q.accelerators) {
    const accelerator_match match = find_accelerator(q.name);
    for (const accelerator& a : catalog::accelerators) {
      bool wanted = q.name.empty() || (match.outcome == accelerator_match::found && match.row->id == a.id);
      if (match.outcome == accelerator_match::ambiguous)
        for (const accelerator* c : match.candidates) wanted = wanted || c->id == a.id;
      if (wanted) parts.push_back(detail::accelerator_json(a, q.sources));
    }
    if (match.outcome == accelerator_match::unknown)
      for (const accelerator* c : match.candidates)
        nearest_parts += (nearest_parts.empty() ? "" : ", ") + std::string(c->name);
  }
  if (q.models) {
    const transformer* one = q.name.empty() ? nullptr : catalog::find_model(q.name);
    for (const transformer* m : catalog::models)
      if (q.name.empty() || m == one) models.push_back(detail::model_json(*m));
  }
  if (!q.name.empty() && parts.empty() && models.empty()) {
    if (q.accelerators)
      return error_answer({error_code::unknown_accelerator, "name",
                           "name is " + detail::in_quotes(q.name) +
                               ", which no known part is called; the nearest are " + nearest_parts + "."});
    return error_answer({error_code::unknown_architecture, "name",
                         "name is " + detail::in_quotes(q.name) + ", which is not built in; the nearest are " +
                             detail::nearest(q.name, detail::model_names()) + "."});
  }
  return {{"schema", 1}, {"accelerators", std::move(parts)}, {"systems", json::array()}, {"models", std::move(models)}};
}

}  // namespace ullage::inline v0::io
