#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the headers of fitted kernels from kernel_fits/*.jsonl, which benchmarks/fit/kernels.cpp writes.

  generate_kernels.py           write the headers
  generate_kernels.py --check   write nothing; exit 1 and name the first header that differs from its data

performance/fitted_kernels.hpp has the constants of every row, catalog/residual_nodes.hpp the residual grids in the same
order, as signed bytes. A line that no measurement could give is refused here.
"""
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include" / "ullage"
OPERATIONS = ["gemm", "experts"]
KERNELS = ["fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4", "fp8_block", "mxfp4", "w8a16", "w4a16", "mxfp4_a16"]
STACKS = ["pooled", "vllm", "sglang", "trtllm"]
# Ids that stand for several editions: whose catalogue row says architecture and bandwidth.
EDITIONS = {"a100-sxm": "a100-sxm-80gb", "rtx-pro-6000": "rtx-pro-6000-server"}


def refuse(sentence):
    raise SystemExit(f"generate_kernels.py: {sentence}")


def catalogue():
    """id -> {figure: value} of every accelerator of the catalogue."""
    parts = {}
    for path in sorted(HERE.glob("*/accelerators.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            cells = line.split("\t")
            if not line.startswith("#") and len(cells) > 2 and cells[1] in ("family", "bandwidth"):
                parts.setdefault(cells[0], {})[cells[1]] = cells[2]
    return parts


def share(where, row, name, least, most):
    value = row.get(name)
    if not isinstance(value, (int, float)) or not math.isfinite(value) or not least <= value <= most:
        refuse(f"{where}: {name} is {value!r}, expected a number between {least} and {most}")
    return value


def read_rows():
    rows = []
    seen = set()
    for operation in OPERATIONS:
        path = HERE / "kernel_fits" / f"{operation}.jsonl"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            where = f"{path.name}:{number}"
            try:
                row = json.loads(line)
            except ValueError as e:
                refuse(f"{where}: {e}")
            if row.get("operation") != operation:
                refuse(f"{where}: operation is {row.get('operation')!r}, expected {operation!r}")
            for name, words in (("kernel", KERNELS), ("stack", STACKS)):
                if row.get(name) not in words:
                    refuse(f"{where}: no such {name}: {row.get(name)!r}")
            for name in ("part", "source", "date", "versions"):
                if not row.get(name):
                    refuse(f"{where}: no {name}")
            share(where, row, "compute", 0.01, 1)
            share(where, row, "memory", 0.01, 1)
            share(where, row, "floor_us", 0.1, 1000)
            share(where, row, "pad_rows", 0, 1024)
            share(where, row, "scatter", 0, 5)
            share(where, row, "stacks", 1, 3)
            if row.get("aside", False) not in (True, False) or (row.get("aside") and row["stack"] == "pooled"):
                refuse(f"{where}: aside is {row['aside']!r}; only one stack's row can be, true or absent")
            grid = row.get("grid") or refuse(f"{where}: no grid")
            share(where, grid, "scatter", 0, 5)
            size = grid["size"]
            if len(size) != 3 or len(grid["nodes"]) != math.prod(size) or len(grid["spread"]) != sum(size):
                refuse(f"{where}: {len(grid['nodes'])} nodes and {len(grid['spread'])} of spread for a grid of {size}")
            if any(not isinstance(v, int) or not -127 <= v <= 127 for v in grid["nodes"] + grid["spread"]):
                refuse(f"{where}: a node is no signed byte")
            key = (operation, row["part"], row["kernel"], row["stack"])
            if key in seen:
                refuse(f"{where}: {' '.join(key)} stands twice")
            seen.add(key)
            rows.append(row)
    return rows


def number(value):
    return f"{value:.4f}".rstrip("0").rstrip(".")


def head(data, includes, brief, namespace):
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// Generated from cmake/catalog/{data}; run generate_kernels.py.",
             "#pragma once", ""]
    lines += [f"#include <{i}>" for i in includes]
    return lines + ["", f"// {brief}", f"namespace {namespace} {{", ""]


def fitted_kernels(rows):
    parts = []
    for row in rows:
        if row["part"] not in parts:
            parts.append(row["part"])
    known = catalogue()
    lines = head("kernel_fits/*.jsonl", ["array", "cstdint", "string_view", "ullage/hardware/words.hpp",
                                         "ullage/performance/products.hpp"],
                 "Constants of matrix products fitted to the public kernel tables of ai-dynamo/aiconfigurator (Apache-2.0).",
                 "ullage::inline v0::detail")
    lines += ["/// A part whose kernels were measured.", "struct fitted_part {", "  std::string_view id{};",
              "  architecture family = architecture::unknown;", "  double nominal_bytes_per_second = 0;", "};",
              "/// One kernel of a part: shares of the nominal rates, the floor, rows of padding an expert, and the scatter around the",
              "/// form. `grouped`: of routed experts. `stacks`: how many the pool has. `aside`: left out of the pool, since timed outside",
              "/// a captured graph or of a kernel that nobody chooses.",
              "struct fitted_kernel {", "  std::uint8_t part = 0;", "  bool grouped = false;",
              "  product kernel = product::bf16;", "  kernel_stack stack = kernel_stack::pooled;",
              "  std::uint8_t stacks = 1;", "  bool aside = false;", "  double compute = 0;", "  double memory = 0;", "  double floor_us = 0;",
              "  double pad_rows = 0;", "  double scatter = 0;", "};", "", "// clang-format off",
              f"inline constexpr std::array<fitted_part, {len(parts)}> fitted_parts{{{{"]
    for part in parts:
        row = known.get(EDITIONS.get(part, part))
        if not row or "family" not in row or "bandwidth" not in row:
            refuse(f"{part}: the catalogue has no such part with an architecture and a bandwidth")
        lines.append(f"    {{\"{part}\", architecture::{row['family']}, {float(row['bandwidth']) * 1e9:.4g}}},")
    lines += ["}};", f"inline constexpr std::array<fitted_kernel, {len(rows)}> fitted_kernels{{{{"]
    for row in rows:
        cells = [str(parts.index(row["part"])), "true" if row["operation"] == "experts" else "false",
                 f"product::{row['kernel']}", f"kernel_stack::{row['stack']}", str(row["stacks"]), "true" if row.get("aside") else "false",
                 number(row["compute"]),
                 number(row["memory"]), number(row["floor_us"]), number(row["pad_rows"]), number(row["scatter"])]
        lines.append(f"    {{{', '.join(cells)}}},")
    return "\n".join(lines + ["}};", "// clang-format on", "", "}  // namespace ullage::inline v0::detail", ""])


def residual_nodes(rows):
    lines = head("kernel_fits/*.jsonl", ["array", "cstdint"],
                 "Residual grids of the rows of performance/fitted_kernels.hpp, in their order; of tables of "
                 "ai-dynamo/aiconfigurator (Apache-2.0).", "ullage::inline v0::catalog::detail")
    lines += ["/// Where a grid was measured, and what scatters around it.", "struct residual_row {", "  float scatter = 0;",
              "  float hull_low[3] = {};", "  float hull_high[3] = {};", "};",
              "/// Axes of the grids of one operation: nodes, and the logarithms of the first and the last place.",
              "struct residual_axes {", "  int size[3] = {};", "  double low[3] = {};", "  double high[3] = {};", "};", "",
              "// clang-format off"]

    def braces(values):
        return "{" + ", ".join(values) + "}"

    for operation in OPERATIONS:
        grids = [r["grid"] for r in rows if r["operation"] == operation]
        first = grids[0]
        for g in grids:
            if any(g[k] != first[k] for k in ("size", "low", "high")):
                refuse(f"{operation}: grids on different axes")
        lines.append(f"inline constexpr residual_axes {operation}_axes{{{braces(map(str, first['size']))}, "
                     f"{braces(map(number, first['low']))}, {braces(map(number, first['high']))}}};")
    lines.append(f"inline constexpr std::array<residual_row, {len(rows)}> residual_rows{{{{")
    for row in rows:
        g = row["grid"]

        def floats(values):
            return braces(f"{number(v)}{'' if '.' in number(v) else '.0'}F" for v in values)

        lines.append(f"    {{{floats([g['scatter']])[1:-1]}, {floats(g['hull_low'])}, {floats(g['hull_high'])}}},")
    lines.append("}};")
    # All bytes behind each other: of each row the nodes, then the spread.
    values = [v for r in rows for v in r["grid"]["nodes"] + r["grid"]["spread"]]
    lines.append(f"inline constexpr std::int8_t residual_bytes[{len(values)}] = {{")
    for i in range(0, len(values), 45):
        lines.append(",".join(map(str, values[i:i + 45])) + ",")
    return "\n".join(lines + ["};", "// clang-format on", "", "}  // namespace ullage::inline v0::catalog::detail", ""])


def main(arguments):
    if arguments not in ([], ["--check"]):
        refuse("usage: generate_kernels.py [--check]")
    rows = read_rows()
    for name, text in (("performance/fitted_kernels.hpp", fitted_kernels(rows)),
                       ("catalog/residual_nodes.hpp", residual_nodes(rows))):
        path = INCLUDE / name
        if not arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"{name} is not what its data gives: run cmake/catalog/generate_kernels.py", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
