// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include "attention_fit.hpp"

// The headers that hold what was fitted.
namespace fit {

inline std::string family_of(attention_op op) {
  if (op <= attention_op::prefill_8bit) return "prefill";
  if (op <= attention_op::decode_narrow) return "decode";
  if (op <= attention_op::latent_decode_narrow) return "latent";
  return "recurrent";
}

struct fitted_tables {
  std::map<std::tuple<int, int, int>, kernel_fit> of;  ///< part, stack, op

  void add(const measured_part& part, kernel_stack stack, attention_op op, const kernel_fit& k) {
    of[{static_cast<int>(&part - systems), static_cast<int>(stack), static_cast<int>(op)}] = k;
  }
  const kernel_fit* find(std::string_view part, kernel_stack stack, attention_op op) const {
    for (const auto& [key, k] : of)
      if (part == systems[std::get<0>(key)].part && std::get<1>(key) == static_cast<int>(stack) &&
          std::get<2>(key) == static_cast<int>(op))
        return &k;
    return nullptr;
  }
  /// A stack whose floor is over four times the least of the part's stacks was timed outside a captured graph.
  bool outside_graph(const measured_part& part, int stack, attention_op op) const {
    double own = 0, least = 1;
    for (const auto& [key, k] : of) {
      if (std::get<0>(key) != static_cast<int>(&part - systems) || std::get<1>(key) == 0 ||
          std::get<2>(key) != static_cast<int>(op))
        continue;
      if (std::get<1>(key) == stack) own = k.base.floor;
      least = std::min(least, k.base.floor);
    }
    return own > 4 * least;
  }
  /// Places a row in the order of `of`.
  int number(int part, int stack, int op) const {
    int n = 0;
    for (const auto& [key, k] : of) {
      if (key == std::tuple{part, stack, op}) return n;
      ++n;
    }
    return -1;
  }

  void write(const std::string& folder) const {
    const std::string head =
        "// SPDX-License-Identifier: Apache-2.0\n"
        "// Written by benchmarks/fit/attention.cpp from the kernel tables of ai-dynamo/aiconfigurator (Apache-2.0).\n"
        "#pragma once\n\n";
    std::ofstream rows(folder + "/attention_rows.hpp");
    rows << head
         << "#include <array>\n#include <cstdint>\n#include <string_view>\n#include <ullage/hardware.hpp>\n\n"
            "// clang-format off\nnamespace ullage::inline v0::detail {\n\n"
            "/// Shares of the nominal rates, the floor, and the 80 % half-width around the form alone.\n"
            "struct attention_row {\n  std::uint8_t op = 0;  ///< attention_op\n  float compute = 0;\n  float memory = "
            "0;\n  float floor_us = 0;\n  float scatter = 0;\n};\n"
            "inline constexpr std::array<attention_row, "
         << of.size() << "> attention_rows{{\n";
    char line[160];
    for (const auto& [key, k] : of) {
      std::snprintf(line, sizeof line, "    {%d, %.3ff, %.3ff, %.2ff, %.3ff},\n", std::get<2>(key), k.base.compute,
                    k.base.memory, k.base.floor * 1e6, k.base_half);
      rows << line;
    }
    rows << "}};\n\n/// The rows of a part by stack (pooled, vllm, sglang, trtllm) and op; −1: not measured.\n"
            "struct attention_part {\n  std::string_view id{};\n  architecture family = architecture::unknown;\n"
            "  double nominal_bytes_per_second = 0;\n  bool complete = true;\n  std::int16_t row[4][15]{};\n};\n"
            "inline constexpr std::array<attention_part, "
         << std::size(systems) << "> attention_parts{{\n";
    for (std::size_t p = 0; p < std::size(systems); ++p) {
      const measured_part& s = systems[p];
      std::snprintf(line, sizeof line, "    {\"%s\", architecture::%s, %.4g, true, {\n", s.part, s.family,
                    bandwidth_of(s));
      rows << line;
      for (int stack = 0; stack < 4; ++stack) {
        rows << "        {";
        for (int op = 0; op < static_cast<int>(ullage::attention_ops); ++op)
          rows << (op > 0 ? ", " : "") << number(static_cast<int>(p), stack, op);
        rows << "},\n";
      }
      rows << "    }},\n";
    }
    rows << "}};\n\n/// Geometric means over the parts, for those without relatives.\n"
            "inline constexpr std::array<attention_row, 15> attention_middle{{\n";
    for (int op = 0; op < static_cast<int>(ullage::attention_ops); ++op) {
      double c = 0, m = 0, f = 0, h = 0, n = 0;
      for (const auto& [key, k] : of) {
        if (std::get<2>(key) != op) continue;
        c += std::log(k.base.compute);
        m += std::log(k.base.memory);
        f += std::log(k.base.floor);
        h += std::log(k.base_half);
        n += 1;
      }
      std::snprintf(line, sizeof line, "    {%d, %.3ff, %.3ff, %.2ff, %.3ff},\n", op, std::exp(c / n), std::exp(m / n),
                    std::exp(f / n) * 1e6, std::exp(h / n));
      rows << line;
    }
    rows << "}};\n\n}  // namespace ullage::inline v0::detail\n// clang-format on\n";

    std::ofstream grids(folder + "/attention_nodes.hpp");
    grids << head << "#include <cstdint>\n\n// clang-format off\nnamespace ullage::inline v0::detail {\n\n"
          << "/// Nodes of every row's grids, one row of the table a line: shape and kind in steps of "
             "residual_grid::unit,\n/// spread in steps of spread_unit.\n"
             "inline constexpr std::int8_t attention_nodes[] = {\n";
    int at = 0;
    for (const auto& [key, k] : of) {
      const auto put = [&](double v, double unit = ullage::residual_grid::unit) {
        grids << std::lround(v / unit) << ',';
        ++at;
      };
      for (int i = 0; i < k.axes.shape.nodes(); ++i) put(k.nodes[i]);
      if (k.axes.kind.nodes() > 1)
        for (int i = 0; i < k.axes.kind.nodes(); ++i) put(k.nodes[k.axes.shape.nodes() + i]);
      for (int i = 0; i < k.axes.spread.nodes(); ++i) put(k.spread[i], ullage::detail::spread_unit);
      grids << '\n';
    }
    grids << "};\n\n}  // namespace ullage::inline v0::detail\n// clang-format on\n";
    if (!rows || !grids) throw std::runtime_error("cannot write to " + folder);
    std::printf("\n%zu rows, %d nodes\n", of.size(), at);
  }
};

}  // namespace fit
