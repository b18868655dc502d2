// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ullage/io/ask.hpp>
#include <ullage/io/catalog.hpp>
#include <ullage/io/roofline_plot.hpp>

#include "command.hpp"

namespace cli {

json answer_of(const json& request) {
  return ullage::io::ask(request);
}
std::string answer_line_of(const std::string& request_text) {
  return ullage::io::to_line(ullage::io::ask_text(request_text));
}
std::string line_of(const json& j) {
  return ullage::io::to_line(j);
}
int exit_code_of(const json& answered, bool strict) {
  return ullage::io::exit_code(answered, strict);
}
bool is_built_in_model(const std::string& name) {
  return ullage::catalog::find_model(name) != nullptr || ullage::catalog::find_record(name) != nullptr ||
         ullage::catalog::find_opaque(name) != nullptr;
}
std::string roofline_of(const json& answered) {
  return ullage::io::roofline_svg(answered);
}
json catalog_of(const catalog_options& o) {
  using namespace ullage;
  const auto wants = [&o](std::string_view kind) { return o.what.empty() || o.what == kind; };
  io::catalog_question q;
  q.accelerators = wants("accelerators");
  q.systems = wants("systems");
  q.fabrics = wants("fabrics");
  q.partitions = wants("partitions");
  q.models = wants("models");
  q.absent = wants("absent");
  q.sources = o.sources;
  q.name = o.name;
  q.compare = o.compare;
  q.made_by = o.vendor;
  q.kind = o.device_class;
  q.form = o.form;
  q.format = o.format;
  q.status = o.status;
  q.sort = o.sort;
  if (o.min_memory_bytes) q.min_memory = of<bytes>(*o.min_memory_bytes);
  if (o.max_memory_bytes) q.max_memory = of<bytes>(*o.max_memory_bytes);
  if (o.min_bandwidth_bytes_per_s) q.min_bandwidth = of<bytes_per_second>(*o.min_bandwidth_bytes_per_s);
  if (o.max_power_w) q.max_power = of<watts>(*o.max_power_w);
  const auto year = [](std::int64_t y) { return static_cast<int>(std::clamp<std::int64_t>(y, -(1 << 20), 1 << 20)); };
  if (o.min_year) q.min_year = year(*o.min_year);
  if (o.max_year) q.max_year = year(*o.max_year);
  return io::catalog_answer(q);
}

}  // namespace cli
