// SPDX-License-Identifier: Apache-2.0
// Parts of the catalogue side by side.
#include "catalog_views.hpp"

namespace cli {
namespace {

struct compared_line {
  std::string title;
  std::vector<std::string> cells;
  std::vector<double> numbers{};  ///< larger is better, NaN is not known; empty where no value is the best
};

double number_or_nan(const json& v) {
  return v.is_number() ? v.get<double>() : NAN;
}
std::vector<compared_line> compared_lines(const std::vector<const json*>& parts) {
  std::vector<compared_line> lines;
  const auto add = [&](const std::string& title, const auto& cell, const auto& number) {
    compared_line line{title, {}, {}};
    bool any = false;
    for (const json* p : parts) {
      line.cells.push_back(cell(*p));
      any = any || line.cells.back() != "-";
      line.numbers.push_back(number(*p));
    }
    if (any) lines.push_back(std::move(line));
  };
  const auto add_text = [&](const std::string& title, const auto& cell) {
    add(title, cell, [](const json&) { return 0.0; });
    if (!lines.empty() && lines.back().title == title) lines.back().numbers.clear();
  };
  const auto number_at = [](const char* pointer) {
    return [where = json::json_pointer(pointer)](const json& p) {
      return p.contains(where) ? number_of(p.at(where)) : 0.0;
    };
  };

  add_text("class", [](const json& p) { return text_of(p["class"]); });
  add_text("memory type", [](const json& p) { return marked_figure(p, text_of(p["memory_type"]), "memory_type"); });
  add(
      "memory as sold, GB",
      [](const json& p) { return marked_figure(p, label_of(p["memory_sold_bytes"]), "memory_sold"); },
      number_at("/memory_sold_bytes"));
  add(
      "visible, GiB",
      [](const json& p) {
        const json& band = p["visible_bytes"];
        if (!band.is_object()) return std::string("-");
        std::string text = scaled(band["mid"], gibi, 1);
        if (band["low"] != band["high"])
          text += " (" + scaled(band["low"], gibi, 1) + " to " + scaled(band["high"], gibi, 1) + ")";
        return marked(text, unverified_memory(p));
      },
      number_at("/visible_bytes/mid"));
  add(
      "bandwidth, TB/s",
      [](const json& p) { return marked_figure(p, scaled(p["bandwidth_bytes_per_s"], 1e12, 2), "bandwidth"); },
      number_at("/bandwidth_bytes_per_s"));
  for (const std::string& format : formats)
    add(
        format + ", dense TFLOP/s", [&format](const json& p) { return peak_cell(p, format); },
        [&format](const json& p) {
          return p["supports"][format] == "lacking" ? 0.0 : number_or_nan(p["dense_flops_per_s"][format]);
        });
  for (const std::string& format : formats) {
    const auto stands_in = [&format](const json& p) { return p["supports"][format] != "native"; };
    if (!std::any_of(parts.begin(), parts.end(), [&](const json* p) { return stands_in(*p); })) continue;
    add_text(format + " runs as", [&format](const json& p) { return text_of(p["runs_as"][format]); });
  }
  const auto halves = [](const json& p) { return p["halves_fp32_accumulate"] == true; };
  if (std::any_of(parts.begin(), parts.end(), [&](const json* p) { return halves(*p); }))
    add_text("with fp16 accumulate", [&](const json& p) { return std::string(halves(p) ? "fp16, fp8 twice" : "-"); });
  for (const std::string& format : formats)
    add_text("ridge " + format + ", FLOP/B", [&format](const json& p) {
      return marked(scaled(p["ridge_flop_per_byte"][format], 1),
                    unverified(p, "peak_" + format) || unverified(p, "bandwidth"));
    });
  add_text("links", [](const json& p) {
    const json& link = p["scale_up"];
    return link["per_device_bytes_per_s"].is_number() ? marked(link["name"].get<std::string>(), unverified_link(p))
                                                      : std::string("-");
  });
  add(
      "links, GB/s one way",
      [](const json& p) {
        return marked(gigabytes_a_second(p["scale_up"]["per_device_bytes_per_s"]), unverified_link(p));
      },
      number_at("/scale_up/per_device_bytes_per_s"));
  add(
      "devices joined",
      [](const json& p) { return marked(text_of(p["scale_up"]["domain_devices"]), unverified_link(p)); },
      number_at("/scale_up/domain_devices"));
  add(
      "host link, GB/s one way",
      [](const json& p) { return marked_figure(p, gigabytes_a_second(p["host_link_bytes_per_s"]), "host_link"); },
      number_at("/host_link_bytes_per_s"));
  add_text("power, W", [](const json& p) { return marked_figure(p, scaled(p["power_w"], 1), "power"); });
  add_text("year", [](const json& p) { return marked_figure(p, text_of(p["year"]), "year"); });
  const auto per_watt = [&](const std::string& title, const char* figure, const char* pointer, double unit) {
    const auto value = [pointer](const json& p) {
      const double power = number_of(p["power_w"]);
      const double x = number_of(p.at(json::json_pointer(pointer)));
      return power > 0 && x > 0 ? x / power : NAN;
    };
    add(
        title,
        [=](const json& p) {
          const double x = value(p);
          return x > 0 ? marked(scaled(json(x), unit, 2), unverified(p, figure) || unverified(p, "power"))
                       : std::string("-");
        },
        value);
  };
  per_watt("bandwidth, GB/s a watt", "bandwidth", "/bandwidth_bytes_per_s", 1e9);
  per_watt("bf16, TFLOP/s a watt", "peak_bf16", "/dense_flops_per_s/bf16", 1e12);
  return lines;
}

/// Marks the best of each line with "*"; of values that are all alike none is the best.
void mark_best(std::vector<compared_line>& lines) {
  for (compared_line& line : lines) {
    double best = 0;
    double least = HUGE_VAL;
    std::size_t known = 0;
    for (const double x : line.numbers) {
      if (std::isnan(x)) continue;
      best = std::max(best, x);
      least = std::min(least, x);
      ++known;
    }
    const bool has_best = known > 1 && best > least;
    bool doubt = false;
    for (const std::string& cell : line.cells) doubt = doubt || cell.ends_with('?');
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      std::string& cell = line.cells[i];
      if (doubt && !cell.ends_with('?')) cell += ' ';
      cell += has_best && line.numbers[i] >= best ? '*' : ' ';
    }
  }
}

}  // namespace

void print_compared(const json& c) {
  const std::vector<const json*> parts = rows_compared(c);
  std::vector<compared_line> lines = compared_lines(parts);
  bool doubt = false;
  for (const compared_line& line : lines)
    for (const std::string& cell : line.cells) doubt = doubt || cell.ends_with('?');
  mark_best(lines);

  int cells = 0;
  for (const compared_line& line : lines) cells = std::max(cells, cells_of(line.title));
  std::vector<table::column> columns{{""}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = (*parts[i])["name"].get<std::string>();
    columns.push_back({name + " ", true});
    int wide = cells_of(name) + 1;
    for (const compared_line& line : lines) wide = std::max(wide, cells_of(line.cells[i]));
    cells += 2 + wide;
  }
  if (cells <= width() + 1) {  // the last blank is not printed
    table t(columns);
    for (const compared_line& line : lines) {
      std::vector<std::string> row{line.title};
      row.insert(row.end(), line.cells.begin(), line.cells.end());
      t.add(std::move(row));
    }
    t.print("");
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) std::puts("");
      std::puts(coloured((*parts[i])["name"].get<std::string>(), "1").c_str());
      table t({{""}, {"", false, 0, true}});
      for (const compared_line& line : lines) t.add({line.title, line.cells[i]});
      t.print("  ");
    }
  }
  say("\n* = the best of those compared; peaks are dense; - = not known, or no such units. " +
      (doubt ? legend_of_doubt : std::string()));
}

}  // namespace cli
