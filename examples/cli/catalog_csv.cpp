// SPDX-License-Identifier: Apache-2.0
// Rows of the catalogue as comma separated values.
#include <span>

#include "catalog_views.hpp"

namespace cli {
namespace {

/// A column and where its value stands in a row. Neighbours with a '*' are repeated for every format, which stands for it.
struct csv_column {
  const char* title;
  const char* pointer;
};

constexpr csv_column named_columns[] = {
    {"id", "/id"},
    {"name", "/name"},
};
constexpr csv_column slice_columns[] = {
    {"whole", "/whole"},
    {"copies", "/copies"},
};
constexpr csv_column part_columns[] = {
    {"vendor", "/vendor"},
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
    {"memory_process_basis", "/bases/memory_process"},
    {"visible_low_bytes", "/visible_bytes/low"},
    {"visible_mid_bytes", "/visible_bytes/mid"},
    {"visible_high_bytes", "/visible_bytes/high"},
    {"visible_basis", "/visible_bytes/basis"},
    {"bandwidth_bytes_per_s", "/bandwidth_bytes_per_s"},
    {"bandwidth_basis", "/bandwidth_basis"},
    {"*_dense_flops_per_s", "/dense_flops_per_s/*"},
    {"*_basis", "/bases/peak_*"},
    {"*_support", "/supports/*"},
    {"*_runs_as", "/runs_as/*"},
    {"*_ridge_flop_per_byte", "/ridge_flop_per_byte/*"},
    {"halves_fp32_accumulate", "/halves_fp32_accumulate"},
    {"compute_units", "/compute_units"},
    {"compute_units_basis", "/bases/compute_units"},
    {"fabric", "/scale_up/id"},
    {"fabric_topology", "/scale_up/topology"},
    {"fabric_per_device_bytes_per_s", "/scale_up/per_device_bytes_per_s"},
    {"fabric_per_peer_bytes_per_s", "/scale_up/per_peer_bytes_per_s"},
    {"fabric_domain_devices", "/scale_up/domain_devices"},
    {"fabric_basis", "/scale_up/basis"},
    {"host_link_bytes_per_s", "/host_link_bytes_per_s"},
    {"host_link_basis", "/host_link_basis"},
    {"power_w", "/power_w"},
    {"power_least_w", "/power_least_w"},
    {"power_most_w", "/power_most_w"},
    {"power_basis", "/power_basis"},
};
constexpr csv_column whole_part_columns[] = {
    {"aliases", "/aliases"},
    {"pci_ids", "/pci_ids"},
    {"partitions", "/partitions"},
    {"systems", "/systems"},
};
constexpr csv_column system_columns[] = {
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
    {"memory_sold_basis", "/bases/memory_sold"},
    {"visible_low_bytes", "/visible_bytes/low"},
    {"visible_mid_bytes", "/visible_bytes/mid"},
    {"visible_high_bytes", "/visible_bytes/high"},
    {"visible_basis", "/visible_bytes/basis"},
    {"bandwidth_bytes_per_s", "/bandwidth_bytes_per_s"},
    {"bandwidth_basis", "/bases/bandwidth"},
    {"*_dense_flops_per_s", "/dense_flops_per_s/*"},
    {"*_basis", "/bases/peak_*"},
    {"fabric", "/scale_up/id"},
    {"fabric_topology", "/scale_up/topology"},
    {"fabric_per_device_bytes_per_s", "/scale_up/per_device_bytes_per_s"},
    {"fabric_per_peer_bytes_per_s", "/scale_up/per_peer_bytes_per_s"},
    {"fabric_domain_devices", "/scale_up/domain_devices"},
    {"fabric_basis", "/scale_up/basis"},
    {"scale_out", "/scale_out/id"},
    {"scale_out_topology", "/scale_out/topology"},
    {"scale_out_per_device_bytes_per_s", "/scale_out/per_device_bytes_per_s"},
    {"scale_out_per_peer_bytes_per_s", "/scale_out/per_peer_bytes_per_s"},
    {"scale_out_domain_devices", "/scale_out/domain_devices"},
    {"scale_out_basis", "/scale_out/basis"},
    {"nics", "/nics"},
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
    {"aliases", "/aliases"},
};
constexpr csv_column fabric_columns[] = {
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
    {"systems", "/systems"},
};
constexpr csv_column model_columns[] = {
    {"name", "/name"},
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
    {"aliases", "/aliases"},
};
constexpr csv_column absent_columns[] = {
    {"vendor", "/vendor"}, {"missing", "/missing"}, {"why", "/why"}, {"source", "/source"}, {"date", "/date"},
};
/// The columns of each kind: these tables, one behind the other.
struct csv_table {
  std::string_view kind;
  std::array<std::span<const csv_column>, 4> columns;
};
constexpr csv_table csv_tables[] = {
    {"accelerators", {named_columns, part_columns, whole_part_columns}},
    {"partitions", {named_columns, slice_columns, part_columns}},
    {"systems", {named_columns, system_columns}},
    {"fabrics", {named_columns, fabric_columns}},
    {"models", {model_columns}},
    {"absent", {named_columns, absent_columns}},
};

/// A column as it is written: with its title and, in a row, its place.
struct written_column {
  std::string title;
  json::json_pointer where;
};
std::string with_format(std::string text, const std::string& format) {
  if (const std::size_t star = text.find('*'); star != std::string::npos) text.replace(star, 1, format);
  return text;
}
std::vector<written_column> columns_of(const std::string& kind) {
  std::vector<written_column> all;
  const auto add = [&all](std::span<const csv_column> columns, const std::string& format) {
    for (const csv_column& c : columns)
      all.push_back({with_format(c.title, format), json::json_pointer(with_format(c.pointer, format))});
  };
  const auto repeated = [](const csv_column& c) {
    return std::string_view(c.title).find('*') != std::string_view::npos;
  };
  for (const csv_table& table : csv_tables) {
    if (table.kind != kind) continue;
    for (const std::span<const csv_column> columns : table.columns) {
      const auto first = std::find_if(columns.begin(), columns.end(), repeated);
      const auto last = std::find_if_not(first, columns.end(), repeated);
      add({columns.begin(), first}, "");
      for (const std::string& format : formats) add({first, last}, format);
      add({last, columns.end()}, "");
    }
  }
  return all;
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

void print_csv(const json& c, const catalog_options& o) {
  const std::string kind = csv_kind(c, o);
  std::vector<const json*> rows;
  if (c.contains("compared"))
    rows = rows_compared(c);
  else
    for (const json& row : c[kind]) rows.push_back(&row);
  const std::vector<written_column> columns = columns_of(kind);
  std::vector<std::string> cells;
  for (const written_column& column : columns) cells.push_back(column.title);
  put_csv(cells);
  for (const json* row : rows) {
    cells.clear();
    for (const written_column& column : columns)
      cells.push_back(csv_cell(row->contains(column.where) ? row->at(column.where) : json(nullptr)));
    put_csv(cells);
  }
}

/// One line a figure: what is taken, and what others state with why it is not.
void print_figures_csv(const json& c, const catalog_options& o) {
  put_csv({"id", "figure", "value", "unit", "confidence", "date", "source", "why_not_taken"});
  for (const json& row : c[csv_kind(c, o)]) {
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
