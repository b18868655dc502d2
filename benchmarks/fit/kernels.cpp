// SPDX-License-Identifier: Apache-2.0
// Fits the constants of matrix products to the public kernel tables of ai-dynamo/aiconfigurator (Apache-2.0).
//
//   kernels FOLDER [OUT]   FOLDER has gemm.csv.gz and moe.csv.gz (zlib unpacks them; plain .csv is taken too): the tables
//                          systems/data/<system>/<op>/<stack>/<version> as one file an operation, with the columns system,
//                          stack and version before theirs. OUT: folder for gemm.jsonl and experts.jsonl, which
//                          cmake/catalog/generate_kernels.py turns into headers.
//
// A fifth of the shapes is never fitted; what is printed is the miss on it. Method: docs/formulas/performance.md.
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include <ullage/performance.hpp>

#include "group.hpp"
#include "parts.hpp"
#include "split.hpp"
#include "table.hpp"

namespace {

using namespace fit;
using ullage::product;

constexpr const char* taken = "2026-12-02";

struct key {
  std::string part;
  std::size_t kernel;
  friend bool operator<(const key& a, const key& b) { return a.part != b.part ? a.part < b.part : a.kernel < b.kernel; }
};
struct rows_of_kernel {
  std::vector<sample> rows;
  std::map<int, std::set<std::string>> versions;  // by stack
  std::map<std::string, int> dropped;
  errors roofline;  // of held rows
  errors flat;
};
using kernels = std::map<key, rows_of_kernel>;

/// Above 1.05 of a nominal rate no measurement is right.
constexpr double most_utilisation = 1.05;

kernels read_gemm(const std::string& folder) {
  const table t = table::read(folder, "gemm");
  kernels out;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const ullage::accelerator* a = part_of(t.text(i, "system"));
    const ullage::number_format f = format_of(t.text(i, "gemm_dtype"));
    const int stack = stack_index(t.text(i, "stack"));
    if (a == nullptr || f.element_bits == 0 || stack < 0)
      throw std::runtime_error("gemm: a row of " + std::string(t.text(i, "system")) + ", " +
                               std::string(t.text(i, "gemm_dtype")) + ", " + std::string(t.text(i, "stack")));
    const double m = t.number(i, "m");
    const double n = t.number(i, "n");
    const double k = t.number(i, "k");
    // The library's own count of FLOP and bytes, at nominal rates.
    const ullage::detail::rates r = ullage::detail::rates_of(*a);
    const ullage::detail::cost c = ullage::detail::gemm_cost(m, n, k, f, r, ullage::constants{});
    const ullage::math runs = r.as(f.multiplies_as);
    sample s;
    s.compute = 2 * m * n * k / r.peak(runs);
    s.memory = std::sqrt(std::max(0.0, c.mid_s * c.mid_s - s.compute * s.compute));
    s.measured = t.number(i, "latency") * 1e-3;
    s.at = {std::log(m), std::log(n), std::log(k)};
    s.stack = stack;
    const std::string shape = shape_of(m, n, k);
    s.held = held_back(shape);
    s.fold = fold_of(shape, 4);
    rows_of_kernel& g =
        out[{std::string(fitted_id(*a)), static_cast<std::size_t>(ullage::detail::product_of(f, runs))}];
    if (std::max(s.compute, s.memory) > most_utilisation * s.measured) {
      ++g.dropped[std::string(t.text(i, "stack"))];
      continue;
    }
    g.versions[stack].insert(std::string(t.text(i, "version")));
    g.rows.push_back(s);
    if (s.held) {
      g.roofline.add(std::max(s.compute, s.memory), s.measured);
      g.flat.add(std::max(s.compute / .7, s.memory / .8), s.measured);
    }
  }
  return out;
}

/// How unevenly a table deals tokens out: "balanced", or "power_law_1.2" between 1 and 0.8·n tokens an expert; between
/// 0.01 and 2 where there are fewer pairs than experts.
double skew_of(std::string_view distribution, double tokens, double pairs, double experts) {
  constexpr std::string_view law = "power_law_";
  if (distribution == "balanced") return -1;
  if (distribution.substr(0, law.size()) != law)
    throw std::runtime_error("moe: distribution " + std::string(distribution));
  const double alpha = std::strtod(std::string(distribution.substr(law.size())).c_str(), nullptr);
  return ullage::power_law_skew(alpha, pairs > experts ? .8 * tokens : 200);
}

kernels read_experts(const std::string& folder) {
  const table t = table::read(folder, "moe");
  kernels out;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const ullage::accelerator* a = part_of(t.text(i, "system"));
    const ullage::number_format f = format_of(t.text(i, "moe_dtype"));
    const int stack = stack_index(t.text(i, "stack"));
    if (a == nullptr || f.element_bits == 0 || stack < 0)
      throw std::runtime_error("moe: a row of " + std::string(t.text(i, "system")) + ", " +
                               std::string(t.text(i, "moe_dtype")) + ", " + std::string(t.text(i, "stack")));
    const double tokens = t.number(i, "num_tokens");
    const double hidden = t.number(i, "hidden_size");
    const double whole = t.number(i, "inter_size");
    const double inner = whole / t.number(i, "moe_tp_size");
    const double k = t.number(i, "topk");
    const double experts = t.number(i, "num_experts");
    const double ep = t.number(i, "moe_ep_size");
    // Nemotron's experts have no gate: two matrices, not three.
    const double matrices = k == 22 || (hidden == 2688 && whole == 1856) ? 2 : 3;
    const double skew = skew_of(t.text(i, "distribution"), tokens, tokens * k, experts);
    const ullage::detail::rates r = ullage::detail::rates_of(*a);
    const ullage::math runs = r.as(f.multiplies_as);
    ullage::feed_forward block;
    block.kind = ullage::feed_forward_kind::experts;
    block.experts = static_cast<std::int64_t>(experts);
    block.experts_per_token = static_cast<std::int64_t>(k);
    block.expert_inner = static_cast<std::int64_t>(inner);
    block.matrices = static_cast<int>(matrices);
    const ullage::detail::expert_work w = ullage::detail::expert_work_of(block, hidden, f, runs, tokens, 1, ep, skew);
    sample s;
    s.compute = w.flop / r.peak(runs);
    s.pad = w.pad_flop / r.peak(runs);
    s.memory = w.moved / r.bandwidth_bytes_per_s;
    s.measured = t.number(i, "latency") * 1e-3;
    s.at = w.place;
    s.stack = stack;
    const std::string shape = shape_of(tokens, hidden, inner, k, experts, ep);
    s.held = held_back(shape);
    s.fold = fold_of(shape, 4);
    rows_of_kernel& g =
        out[{std::string(fitted_id(*a)), static_cast<std::size_t>(ullage::detail::product_of(f, runs))}];
    if (std::max(s.compute, s.memory) > most_utilisation * s.measured) {
      ++g.dropped[std::string(t.text(i, "stack"))];
      continue;
    }
    g.versions[stack].insert(std::string(t.text(i, "version")));
    g.rows.push_back(s);
    if (s.held) {
      g.roofline.add(std::max(s.compute, s.memory), s.measured);
      g.flat.add(std::max(s.compute / .53, s.memory / .8), s.measured);
    }
  }
  return out;
}

template <class List>
std::string list_of(const List& values) {
  std::string s = "[";
  for (auto v : values) s += (s.size() > 1 ? "," : "") + std::to_string(static_cast<int>(v));
  return s + "]";
}
std::string rounded(double v, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, v);
  return text;
}
std::string triple(const std::array<double, 3>& v) {
  return "[" + rounded(v[0], 3) + "," + rounded(v[1], 3) + "," + rounded(v[2], 3) + "]";
}

std::string line_of(const char* operation, const key& k, const rows_of_kernel& g, const fitted& f,
                    const grid_axes& axes) {
  std::string versions;
  for (const auto& [stack, names] : g.versions) {
    if (f.stack != ullage::kernel_stack::pooled && stack != static_cast<int>(f.stack) - 1) continue;
    for (const std::string& v : names)
      versions += (versions.empty() ? "" : ", ") +
                  std::string(ullage::name(static_cast<ullage::kernel_stack>(stack + 1))) + " " + v;
  }
  const auto judged = [](const errors& e) {
    return "{\"n\":" + std::to_string(e.n()) + ",\"mean\":" + rounded(e.mean_percent(), 1) +
           ",\"median\":" + rounded(e.median_percent(), 1) + ",\"half\":" + rounded(e.half_percent(), 1) +
           ",\"inside\":" + rounded(e.coverage_percent(), 0) + "}";
  };
  std::string sizes;
  std::array<double, 3> low{};
  std::array<double, 3> high{};
  for (std::size_t i = 0; i < 3; ++i) {
    sizes += (i > 0 ? "," : "") + std::to_string(axes.of[i].size);
    low[i] = axes.of[i].low;
    high[i] = axes.of[i].high;
  }
  return std::string("{\"operation\":\"") + operation + "\",\"part\":\"" + k.part + "\",\"kernel\":\"" +
         std::string(ullage::name(static_cast<product>(k.kernel))) + "\",\"stack\":\"" +
         std::string(ullage::name(f.stack)) + "\",\"stacks\":" + std::to_string(f.pooled_from) +
         (f.aside ? ",\"aside\":true" : "") + ",\"versions\":\"" + versions +
         "\",\"source\":\"ai-dynamo/aiconfigurator systems/data, Apache-2.0\",\"date\":\"" + taken +
         "\",\"rows\":" + std::to_string(f.rows) + ",\"compute\":" + rounded(f.constants.compute, 3) +
         ",\"memory\":" + rounded(f.constants.memory, 3) + ",\"floor_us\":" + rounded(f.constants.floor * 1e6, 2) +
         ",\"pad_rows\":" + rounded(f.constants.pad_rows, 1) + ",\"scatter\":" + rounded(f.form_scatter, 3) +
         ",\"grid\":{\"size\":[" + sizes + "],\"low\":" + triple(low) + ",\"high\":" + triple(high) +
         ",\"hull_low\":" + triple(f.hull_low) + ",\"hull_high\":" + triple(f.hull_high) +
         ",\"scatter\":" + rounded(f.grid_scatter, 3) + ",\"spread\":" + list_of(f.spread) +
         ",\"nodes\":" + list_of(f.nodes) + "},\"held\":{\"form\":" + judged(f.held_form) +
         ",\"grid\":" + judged(f.held_grid) + "}}\n";
}

void fit_all(const char* operation, const kernels& all, const group_options& options, const std::string& out) {
  std::ofstream file;
  if (!out.empty()) file.open(out + "/" + operation + ".jsonl");
  if (!out.empty() && !file) throw std::runtime_error("cannot write to " + out);
  std::printf("\n%s: held fifth of the shapes, errors mean (median) %%; band: median half-width %%, inside %%\n",
              operation);
  std::printf(
      "| part | kernel | stack | n | data sheet | flat | form | with grid | band | inside | ε_c ε_m t₀ µs pad |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [k, g] : all) {
    const group one(g.rows, ullage::detail::narrow(static_cast<product>(k.kernel)), options);
    for (const fitted& f : one.all()) {
      std::string note;
      if (f.stack == ullage::kernel_stack::pooled)
        for (int s = 0; s < stacks; ++s)
          if (one.count(s) > 0 && one.left_out(s))
            note += " without " + std::string(ullage::name(static_cast<ullage::kernel_stack>(s + 1)));
      std::printf(
          "| %s | %s | %s%s | %zu | %.0f (%.0f) | %.0f (%.0f) | %.1f (%.1f) | %.1f (%.1f) | %.0f | %.0f | %.2f %.2f "
          "%.1f %.0f |\n",
          k.part.c_str(), std::string(ullage::name(static_cast<product>(k.kernel))).c_str(),
          std::string(ullage::name(f.stack)).c_str(), note.c_str(), f.held_grid.n(), g.roofline.mean_percent(),
          g.roofline.median_percent(), g.flat.mean_percent(), g.flat.median_percent(), f.held_form.mean_percent(),
          f.held_form.median_percent(), f.held_grid.mean_percent(), f.held_grid.median_percent(),
          f.held_grid.half_percent(), f.held_grid.coverage_percent(), f.constants.compute, f.constants.memory,
          f.constants.floor * 1e6, f.constants.pad_rows);
      if (file.is_open()) file << line_of(operation, k, g, f, options.axes);
    }
    for (const auto& [stack, n] : g.dropped)
      std::printf("| %s | %s | %s | %d rows above 1.05 of a nominal rate dropped |\n", k.part.c_str(),
                  std::string(ullage::name(static_cast<product>(k.kernel))).c_str(), stack.c_str(), n);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: kernels FOLDER [OUT]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const std::string out = argc > 2 ? argv[2] : "";
  group_options o;
  o.axes.of = {axis{9, 0, std::log(32768.0)}, axis{6, std::log(64.0), std::log(65536.0)},
               axis{6, std::log(64.0), std::log(65536.0)}};
  fit_all("gemm", read_gemm(folder), o, out);
  // Tokens an expert, size of one expert's matrix, experts on the rank.
  o.axes.of = {axis{9, std::log(1.0 / 128), std::log(8192.0)}, axis{6, std::log(65536.0), std::log(134217728.0)},
               axis{6, 0, std::log(512.0)}};
  fit_all("experts", read_experts(folder), o, out);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
