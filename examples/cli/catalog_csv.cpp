// SPDX-License-Identifier: Apache-2.0
// Rows of the catalogue as comma separated values.
#include "catalog_views.hpp"

namespace cli {
namespace {

struct csv_column {
  std::string title;
  std::string pointer;
};

std::vector<csv_column> csv_columns(const std::string& kind) {
  std::vector<csv_column> c;
  const auto peaks = [&c](bool part) {
    for (const std::string format : formats) {
      c.push_back({format + "_dense_flops_per_s", "/dense_flops_per_s/" + format});
      c.push_back({format + "_basis", "/bases/peak_" + format});
      if (!part) continue;
      c.push_back({format + "_support", "/supports/" + format});
      c.push_back({format + "_runs_as", "/runs_as/" + format});
      c.push_back({format + "_ridge_flop_per_byte", "/ridge_flop_per_byte/" + format});
    }
  };
  const auto link = [&c](const std::string& title, const std::string& at) {
    c.insert(c.end(), {{title, at + "/id"},
                       {title + "_topology", at + "/topology"},
                       {title + "_per_device_bytes_per_s", at + "/per_device_bytes_per_s"},
                       {title + "_per_peer_bytes_per_s", at + "/per_peer_bytes_per_s"},
                       {title + "_domain_devices", at + "/domain_devices"},
                       {title + "_basis", at + "/basis"}});
  };
  const auto visible = [&c] {
    c.insert(c.end(), {{"visible_low_bytes", "/visible_bytes/low"},
                       {"visible_mid_bytes", "/visible_bytes/mid"},
                       {"visible_high_bytes", "/visible_bytes/high"},
                       {"visible_basis", "/visible_bytes/basis"}});
  };
  if (kind == "accelerators" || kind == "partitions") {
    c = {{"id", "/id"}, {"name", "/name"}};
    if (kind == "partitions") c.insert(c.end(), {{"whole", "/whole"}, {"copies", "/copies"}});
    c.insert(c.end(), {{"vendor", "/vendor"},
                       {"architecture", "/architecture"},
                       {"target", "/target"},
                       {"class", "/class"},
                       {"form", "/form"},
                       {"status", "/status"},
                       {"year", "/year"},
                       {"year_basis", "/bases/year"},
                       {"memory_type", "/memory_type"},
                       {"ecc", "/ecc"},
                       {"memory_shared", "/memory_shared"},
                       {"memory_largest", "/memory_largest"},
                       {"memory_sold_bytes", "/memory_sold_bytes"},
                       {"memory_sold_basis", "/bases/memory_sold"},
                       {"memory_driver_bytes", "/memory_driver_bytes"},
                       {"memory_driver_basis", "/bases/memory_driver"},
                       {"memory_process_bytes", "/memory_process_bytes"},
                       {"memory_process_basis", "/bases/memory_process"}});
    visible();
    c.insert(c.end(), {{"bandwidth_bytes_per_s", "/bandwidth_bytes_per_s"}, {"bandwidth_basis", "/bandwidth_basis"}});
    peaks(true);
    c.insert(c.end(), {{"halves_fp32_accumulate", "/halves_fp32_accumulate"},
                       {"compute_units", "/compute_units"},
                       {"compute_units_basis", "/bases/compute_units"}});
    link("fabric", "/scale_up");
    c.insert(c.end(), {{"host_link_bytes_per_s", "/host_link_bytes_per_s"},
                       {"host_link_basis", "/host_link_basis"},
                       {"power_w", "/power_w"},
                       {"power_least_w", "/power_least_w"},
                       {"power_most_w", "/power_most_w"},
                       {"power_basis", "/power_basis"}});
    if (kind == "accelerators")
      c.insert(
          c.end(),
          {{"aliases", "/aliases"}, {"pci_ids", "/pci_ids"}, {"partitions", "/partitions"}, {"systems", "/systems"}});
  } else if (kind == "systems") {
    c = {{"id", "/id"},
         {"name", "/name"},
         {"vendor", "/vendor"},
         {"status", "/status"},
         {"year", "/year"},
         {"year_basis", "/bases/year"},
         {"accelerator", "/accelerator"},
         {"accelerator_name", "/accelerator_name"},
         {"accelerators", "/accelerators"},
         {"accelerators_basis", "/bases/accelerators"},
         {"hosts", "/hosts"},
         {"memory_sold_bytes", "/memory_sold_bytes"},
         {"memory_sold_basis", "/bases/memory_sold"}};
    visible();
    c.insert(c.end(), {{"bandwidth_bytes_per_s", "/bandwidth_bytes_per_s"}, {"bandwidth_basis", "/bases/bandwidth"}});
    peaks(false);
    link("fabric", "/scale_up");
    link("scale_out", "/scale_out");
    c.insert(c.end(), {{"nics", "/nics"},
                       {"nics_basis", "/bases/nics"},
                       {"scale_out_bytes_per_s", "/scale_out_bytes_per_s"},
                       {"scale_out_per_accelerator_bytes_per_s", "/scale_out_per_device_bytes_per_s"},
                       {"cpu", "/cpu"},
                       {"cpu_name", "/cpu_name"},
                       {"cpus", "/cpus"},
                       {"host_memory_bytes", "/host_memory_bytes"},
                       {"host_memory_basis", "/bases/host_memory"},
                       {"disks_bytes", "/disks_bytes"},
                       {"disks_basis", "/bases/disks"},
                       {"power_w", "/power_w"},
                       {"power_basis", "/bases/power"},
                       {"aliases", "/aliases"}});
  } else if (kind == "fabrics") {
    c = {{"id", "/id"},
         {"name", "/name"},
         {"reach", "/reach"},
         {"topology", "/topology"},
         {"topology_basis", "/bases/topology"},
         {"per_device_bytes_per_s", "/per_device_bytes_per_s"},
         {"per_device_basis", "/bases/per_device"},
         {"per_peer_bytes_per_s", "/per_peer_bytes_per_s"},
         {"per_peer_basis", "/bases/per_peer"},
         {"hop_latency_s", "/hop_latency_s"},
         {"hop_latency_basis", "/bases/hop_latency"},
         {"domain_devices", "/domain_devices"},
         {"domain_basis", "/bases/domain"},
         {"in_network_reduction", "/in_network_reduction"},
         {"links", "/links"},
         {"links_basis", "/bases/links"},
         {"accelerators", "/accelerators"},
         {"systems", "/systems"}};
  } else if (kind == "models") {
    c = {{"name", "/name"},
         {"model_type", "/model_type"},
         {"parameters", "/parameters/total"},
         {"active_parameters", "/parameters/active"},
         {"embedding_parameters", "/parameters/embedding"},
         {"mtp_parameters", "/parameters/mtp"},
         {"layers", "/layers"},
         {"hidden", "/hidden"},
         {"vocabulary", "/vocabulary"},
         {"max_position_tokens", "/max_position"},
         {"weights", "/weights"},
         {"stored_weight_bytes", "/stored_weight_bytes"},
         {"kv_bytes_per_token", "/kv_bytes_per_token"},
         {"aliases", "/aliases"}};
  } else {
    c = {{"id", "/id"},   {"name", "/name"},     {"vendor", "/vendor"}, {"missing", "/missing"},
         {"why", "/why"}, {"source", "/source"}, {"date", "/date"}};
  }
  return c;
}

std::string csv_cell(const json& value) {
  if (value.is_null()) return {};
  std::string text = value.is_array() ? joined(value, "; ") : text_of(value);
  if (value.is_number_float() && value.get<double>() < 1e18 && value.get<double>() == std::floor(value.get<double>()))
    text = printed("%.0f", value.get<double>());
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}
void put_csv(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + cells[i];
  std::puts(line.c_str());
}

/// The kind that --csv writes: the one asked for, else the first that a name is of, else accelerators.
std::string csv_kind(const json& c, const catalog_options& o) {
  if (!o.what.empty()) return o.what;
  if (!o.name.empty() && o.compare.empty())
    for (const char* kind : {"systems", "accelerators", "partitions", "fabrics", "models", "absent"})
      if (!c[kind].empty()) return kind;
  return "accelerators";
}

}  // namespace

void print_csv(const json& c, const std::string& kind) {
  std::vector<const json*> rows;
  if (c.contains("compared")) {
    for (const json& id : c["compared"])
      for (const char* from : {"accelerators", "partitions"})
        for (const json& row : c[from])
          if (row["id"] == id) rows.push_back(&row);
  } else {
    for (const json& row : c[kind]) rows.push_back(&row);
  }
  const std::vector<csv_column> columns = csv_columns(kind);
  std::vector<std::string> cells;
  for (const csv_column& column : columns) cells.push_back(column.title);
  put_csv(cells);
  for (const json* row : rows) {
    cells.clear();
    for (const csv_column& column : columns) {
      const json::json_pointer where(column.pointer);
      cells.push_back(csv_cell(row->contains(where) ? row->at(where) : json(nullptr)));
    }
    put_csv(cells);
  }
}
/// One line a figure: what is taken, and what others state with why it is not.
void print_figures_csv(const json& c, const std::string& kind) {
  put_csv({"id", "figure", "value", "unit", "confidence", "date", "source", "why_not_taken"});
  for (const json& row : c[kind]) {
    if (!row.contains("figures")) continue;
    for (const json& f : row["figures"])
      put_csv({csv_cell(row["id"]), csv_cell(f["figure"]), csv_cell(f["value"]), csv_cell(f["unit"]),
               csv_cell(f["confidence"]), csv_cell(f["date"]), csv_cell(f["source"]), ""});
    if (!row.contains("other_figures")) continue;
    for (const json& f : row["other_figures"])
      put_csv({csv_cell(row["id"]), csv_cell(f["figure"]), csv_cell(f["value"]), csv_cell(f["unit"]), "",
               csv_cell(f["date"]), csv_cell(f["source"]), csv_cell(f["why"])});
  }
}
}  // namespace cli
