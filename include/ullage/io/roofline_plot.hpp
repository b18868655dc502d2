// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <ullage/io/json.hpp>
#include <ullage/io/op.hpp>
#include <ullage/io/svg.hpp>
#include <vector>

// The roofline of an answer (op, diagnose) as a drawing.
namespace ullage::inline v0::io {

namespace detail {

/// Okabe and Ito's colours, told apart by colour-blind readers; every mark has a shape of its own as well.
inline constexpr std::array<std::string_view, 7> mark_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                              "#e69f00", "#56b4e9", "#000000"};

inline void draw_mark(svg& s, double x, double y, std::size_t which, double size) {
  const std::string_view colour = mark_colours[which % mark_colours.size()];
  const svg::stroke edge{"#ffffff", 1, {}};
  switch (which % mark_colours.size()) {
    case 0: s.circle(x, y, size, colour, edge); break;
    case 1: s.shape(x, y, {-1, -1, 1, -1, 1, 1, -1, 1}, size * .9, colour, edge); break;
    case 2: s.shape(x, y, {0, -1.2, 1.1, .9, -1.1, .9}, size, colour, edge); break;
    case 3: s.shape(x, y, {0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0}, size, colour, edge); break;
    case 4: s.shape(x, y, {0, 1.2, 1.1, -.9, -1.1, -.9}, size, colour, edge); break;
    case 5: s.shape(x, y, {-.6, -1.1, .6, -1.1, 1.2, 0, .6, 1.1, -.6, 1.1, -1.2, 0}, size, colour, edge); break;
    default:
      s.shape(x, y, {-.4, -1.2, .4,  -1.2, .4,  -.4, 1.2,  -.4, 1.2,  .4,  .4,  .4,
                     .4,  1.2,  -.4, 1.2,  -.4, .4,  -1.2, .4,  -1.2, -.4, -.4, -.4},
              size, colour, edge);
  }
}
/// What was measured: a ring, larger than any other mark and never hidden by one.
inline void draw_observed(svg& s, double x, double y) {
  s.circle(x, y, 10, "none", {"#000000", 2.5, {}});
  s.circle(x, y, 2.5, "#000000", {"#000000", 1, {}});
}

struct drawn_roof {
  std::string formats;
  double flop_per_s = 0;
  double ridge = 0;
};
/// Formats of one rate share a roof; the highest first.
inline std::vector<drawn_roof> drawn_roofs(const json& roofline) {
  std::vector<drawn_roof> roofs;
  for (const json& r : roofline["roofs"]) {
    const double rate = r["flop_per_s"].get<double>();
    const std::string format = r["format"].get<std::string>();
    const auto same = std::find_if(roofs.begin(), roofs.end(),
                                   [&](const drawn_roof& d) { return std::abs(d.flop_per_s / rate - 1) < .02; });
    if (same != roofs.end())
      same->formats += ", " + format;
    else
      roofs.push_back({format, rate, r["ridge_flop_per_byte"].get<double>()});
  }
  std::sort(roofs.begin(), roofs.end(),
            [](const drawn_roof& a, const drawn_roof& b) { return a.flop_per_s > b.flop_per_s; });
  return roofs;
}

inline std::string title_of(const json& answer) {
  std::string title;
  const auto model = answer.find("model");
  if (model != answer.end() && model->is_object()) {
    title = (*model)["name"].get<std::string>() + " in " + (*model)["weights"].get<std::string>() + " on ";
    const auto devices = answer["parallel"]["devices"].get<std::int64_t>();
    if (devices > 1) title += std::to_string(devices) + " x ";
    title += answer["accelerator"].get<std::string>();
    if (const auto o = answer.find("observed"); o != answer.end() && o->is_object())
      title += o->contains("ttft_s") ? ": a prompt of " + (*o)["input_tokens"].dump() + " tokens"
                                     : ": decoding " + (*o)["batch"].dump() + " sequences";
    return title;
  }
  const auto op = answer.find("op");
  if (op != answer.end() && op->is_object()) {
    const json& o = *op;
    title = o["kind"].get<std::string>();
    if (title == "gemm")
      title += " m " + o["m"].dump() + ", n " + o["n"].dump() + ", k " + o["k"].dump() + " in " +
               o["format"].get<std::string>();
    else if (title == "attention")
      title += ", " + o["phase"].get<std::string>() + ", batch " + o["batch"].dump() + ", " + o["heads"].dump() +
               " heads, " + o["context"].dump() + " cached tokens";
    else if (title == "experts")
      title += ", " + o["experts_per_token"].dump() + " of " + o["experts"].dump() + " for " + o["tokens"].dump() +
               " tokens, in " + o["format"].get<std::string>();
    else if (title == "recurrent")
      title = o["layer"].get<std::string>() + ", " + o["phase"].get<std::string>() + ", batch " + o["batch"].dump();
    title += " on ";
  }
  return title + answer["accelerator"].get<std::string>();
}

}  // namespace detail

/// The roofline of an answer to `op` or `diagnose` as SVG of 900 × 600: one roof a format at its dense peak, the slope of the
/// memory, ridge points, and the operations on it. Both axes are logarithmic. Empty where the answer has none.
inline std::string roofline_svg(const json& answer) {
  const auto found = answer.find("roofline");
  if (found == answer.end() || !found->is_object()) return {};
  const json& roofline = *found;
  const double bandwidth = roofline["bandwidth_bytes_per_s"].get<double>();
  const std::vector<detail::drawn_roof> roofs = detail::drawn_roofs(roofline);
  if (roofs.empty() || !(bandwidth > 0)) return {};

  // Whole decades around the ridges and the points.
  double x_low = 1;
  double x_high = roofs.front().ridge * 4;
  double y_low = bandwidth * x_low;
  for (const json& p : roofline["points"]) {
    x_low = (std::min)(x_low, p["flop_per_byte"].get<double>() / 1.5);
    x_high = (std::max)(x_high, p["flop_per_byte"].get<double>() * 1.5);
    y_low = (std::min)(y_low, p["flop_per_s"].get<double>() / 1.5);
  }
  x_low = std::floor(std::log10(x_low));
  x_high = std::log10(x_high);
  y_low = std::floor(std::log10(y_low));
  const double y_high = std::log10(roofs.front().flop_per_s * 2.5);
  constexpr double left = 92;
  constexpr double right = 642;
  constexpr double top = 70;
  constexpr double bottom = 536;
  const auto at_x = [&](double intensity) {
    return left + (std::log10(intensity) - x_low) / (x_high - x_low) * (right - left);
  };
  const auto at_y = [&](double rate) {
    return bottom - (std::log10(rate) - y_low) / (y_high - y_low) * (bottom - top);
  };

  const std::string title = detail::title_of(answer);
  svg s(900, 600, "Roofline: " + title);
  // A long name in letters that still end inside the drawing.
  const double letters = static_cast<double>((std::max)(title.size(), std::size_t{70}));
  s.text(left, 30, title, {.size = 17 * 70 / letters, .bold = true});
  s.text(left, 52, "dense peaks and nominal bandwidth of one device", {.size = 12, .colour = "#555555"});
  for (double d = x_low; d <= x_high + 1e-9; ++d) {
    const double x = at_x(std::pow(10, d));
    s.line(x, top, x, bottom, {"#e2e2e2", 1, {}});
    s.text(x, bottom + 18, detail::scaled_text(std::pow(10, d), ""), {.size = 12, .anchor = "middle"});
  }
  for (double d = y_low; d <= y_high + 1e-9; ++d) {
    const double y = at_y(std::pow(10, d));
    s.line(left, y, right, y, {"#e2e2e2", 1, {}});
    s.text(left - 8, y + 4, detail::scaled_text(std::pow(10, d), ""), {.size = 12, .anchor = "end"});
  }
  s.line(left, bottom, right, bottom, {"#333333", 1, {}});
  s.line(left, top, left, bottom, {"#333333", 1, {}});
  s.text((left + right) / 2, bottom + 42, "arithmetic intensity, FLOP a byte of device memory",
         {.size = 13, .anchor = "middle"});
  s.text(24, (top + bottom) / 2, "FLOP/s", {.size = 13, .anchor = "middle", .turned = -90});

  // The slope up to the highest ridge, named along its lower part; roofs to the right of theirs.
  const double slope_from = (std::max)(std::pow(10, x_low), std::pow(10, y_low) / bandwidth);
  s.line(at_x(slope_from), at_y(bandwidth * slope_from), at_x(roofs.front().ridge), at_y(roofs.front().flop_per_s),
         {"#333333", 2, {}});
  {
    const double x1 = at_x(slope_from);
    const double y1 = at_y(bandwidth * slope_from);
    const double x2 = at_x(roofs.front().ridge);
    const double y2 = at_y(roofs.front().flop_per_s);
    const double turned = std::atan2(y2 - y1, x2 - x1);
    // Above the line, where it has left the lower corner.
    const double along = .06 * std::hypot(x2 - x1, y2 - y1);
    s.text(x1 + along * std::cos(turned) + 8 * std::sin(turned), y1 + along * std::sin(turned) - 8 * std::cos(turned),
           "memory " + detail::scaled_text(bandwidth, "B/s"), {.size = 12, .turned = turned * 180 / 3.14159265358979});
  }
  double above = -1e9;  // baseline of the label before, so that none is written over another
  for (const detail::drawn_roof& r : roofs) {
    const double x = at_x(r.ridge);
    const double y = at_y(r.flop_per_s);
    s.line(x, y, right, y, {"#333333", 2, {}});
    s.line(x, y, x, bottom, {"#bbbbbb", 1, "2 4"});
    s.circle(x, y, 3.5, "#333333", {"#333333", 1, {}});
    const double label = (std::max)(y + 4, above + 30);
    above = label;
    s.text(right + 10, label - 6, r.formats, {.size = 12, .bold = true});
    s.text(right + 10, label + 8,
           detail::scaled_text(r.flop_per_s, "FLOP/s") + ", ridge " + detail::scaled_text(r.ridge, "FLOP/B"),
           {.size = 11, .colour = "#555555"});
    if (label > y + 6) s.line(right, y, right + 8, label - 2, {"#999999", 1, {}});
  }

  // The points, and beside them what they are.
  const auto roof_of = [&](const json& p) {
    double peak = roofs.front().flop_per_s;
    for (const json& r : roofline["roofs"])
      if (r["format"] == p["format"]) peak = r["flop_per_s"].get<double>();
    return (std::min)(peak, p["flop_per_byte"].get<double>() * bandwidth);
  };
  double legend = (std::max)(above + 44, 300.0);
  const double room = (bottom - legend) / (std::max)(1.0, static_cast<double>(roofline["points"].size()));
  const double row = (std::min)(room, 36.0);
  std::size_t which = 0;
  for (int observed = 0; observed < 2; ++observed)  // what was measured on top
    for (const json& p : roofline["points"]) {
      const bool is_observed = p["observed"].get<bool>();
      if (is_observed != (observed == 1)) continue;
      const double x = at_x(p["flop_per_byte"].get<double>());
      const double y = at_y(p["flop_per_s"].get<double>());
      if (is_observed) {
        s.line(x, y - 10, x, at_y(roof_of(p)), {"#000000", 1, "4 3"});
        detail::draw_observed(s, x, y);
        detail::draw_observed(s, right + 20, legend);
      } else {
        detail::draw_mark(s, x, y, which, 6.5);
        detail::draw_mark(s, right + 20, legend, which++, 6.5);
      }
      char share[32];
      std::snprintf(share, sizeof share, "%.0f %% of its roof", 100 * p["flop_per_s"].get<double>() / roof_of(p));
      s.text(right + 38, legend, p["name"].get<std::string>() + ", " + p["format"].get<std::string>(),
             {.size = 12, .bold = is_observed});
      s.text(right + 38, legend + 14, detail::scaled_text(p["flop_per_s"].get<double>(), "FLOP/s") + ", " + share,
             {.size = 11, .colour = "#555555"});
      legend += row;
    }
  return s.finish();
}

}  // namespace ullage::inline v0::io
