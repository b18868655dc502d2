#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the constexpr headers of include/ullage/catalog/ from the .tsv files beside this script.

  generate.py           write the headers
  generate.py --check   write nothing; exit 1 and name the first header that differs from its data
"""
import pathlib
import re
import sys
from decimal import Decimal, InvalidOperation

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent.parent / "include" / "ullage" / "catalog"

VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "google": "Google", "aws": "AWS", "intel": "Intel"}
VENDOR_WORDS = {"nvidia": "nvidia", "amd": "amd", "google": "google", "amazon": "aws", "aws": "aws", "intel": "intel"}
FAMILIES = {"turing", "ampere", "ampere_rtx", "ada", "hopper", "blackwell", "blackwell_rtx", "cdna3", "cdna4", "tpu", "neuron",
            "gaudi"}
TOPOLOGIES = {"none", "switched", "mesh", "torus_2d", "torus_3d", "ring", "pair_bridge", "host_only"}
MATHS = ["fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"]
# From the strongest to the weakest, as in estimate.hpp.
CONFIDENCES = ["datasheet", "driver", "measured", "transferred", "unverified"]
UNITS = {
    "name": {"text"}, "vendor": {"text"}, "family": {"text"}, "year": {"year"},
    "memory_sold": {"GB", "GiB"}, "memory_driver": {"MiB", "B"},
    "memory_process": {"MiB", "B"}, "bandwidth": {"GB/s"},
    "fabric_name": {"text"}, "fabric_topology": {"text"}, "fabric_per_device": {"GB/s"}, "fabric_per_peer": {"GB/s"},
    "fabric_hop_latency": {"us"}, "fabric_domain": {"devices"}, "fabric_in_network_reduction": {"bool"},
    "host_link": {"GB/s"}, "power": {"W"}, "compute_units": {"units"},
    **{f"peak_{m}": {"TOP/s" if m == "int8" else "TFLOP/s"} for m in MATHS},
}
OPTIONAL = {"memory_driver", "memory_process", "fabric_hop_latency", "host_link", "power", "compute_units"} | {f"peak_{m}" for m in MATHS}
WHOLE = {"year", "memory_driver", "memory_process", "fabric_domain", "compute_units"}
LITERAL = {"GB": "GB", "GiB": "GiB", "MiB": "MiB", "B": "B", "GB/s": "GBps", "TFLOP/s": "TFLOPS", "TOP/s": "TFLOPS",
           "us": "us", "devices": "dev", "W": "W"}
SCALE = {"GB": 10**9, "GiB": 2**30, "MiB": 2**20, "B": 1}


def refuse(sentence):
    sys.exit(f"generate.py: {sentence}")


def rows(name, columns):
    for number, line in enumerate((HERE / name).read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != columns or any(not c or c != c.strip() for c in cells):
            refuse(f"{name}:{number}: expected {columns} non-empty cells separated by tabs.")
        yield f"{name}:{number}", cells


class Figure:
    def __init__(self, where, part, figure, value, unit, source, date, confidence):
        self.where, self.part, self.figure, self.value = where, part, figure, value
        self.unit, self.source, self.date, self.confidence = unit, source, date, confidence
        if figure not in UNITS:
            refuse(f"{where}: no such figure: {figure}.")
        if unit not in UNITS[figure]:
            refuse(f"{where}: {figure} is given in {' or '.join(sorted(UNITS[figure]))}, not in {unit}.")
        if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", date):
            refuse(f"{where}: a date is a year and a month, such as 2026-08; found {date}.")
        if confidence not in CONFIDENCES:
            refuse(f"{where}: no such confidence: {confidence}.")
        if confidence == "driver" and figure not in ("memory_driver", "memory_process"):
            refuse(f"{where}: only memory comes from a driver.")
        if not source.isascii() or not value.isascii():
            refuse(f"{where}: plain ASCII only.")
        self.number = None
        if unit == "bool" and value not in ("true", "false"):
            refuse(f"{where}: true or false; found {value}.")
        if unit not in ("text", "bool"):
            try:
                self.number = Decimal(value)
            except InvalidOperation:
                refuse(f"{where}: not a number: {value}.")
            if not self.number.is_finite() or self.number <= 0:
                refuse(f"{where}: {figure} must be positive; leave the line out where it is not known.")
            if figure in WHOLE and self.number != int(self.number):
                refuse(f"{where}: {figure} is a whole number; found {value}.")

    def bytes(self):
        return int(self.number * SCALE[self.unit])

    def literal(self):
        text = self.value
        if self.number == int(self.number):
            digits = str(int(self.number))
            text = f"{int(digits):,}".replace(",", "'") if len(digits) > 6 else digits
        return f"{text}_{LITERAL[self.unit]}"


class Part:
    def __init__(self, id):
        self.id, self.figures = id, {}
        self.symbol = id.replace("-", "_")

    def __getitem__(self, figure):
        return self.figures[figure]

    def get(self, figure, otherwise="{}"):
        return self.figures[figure].literal() if figure in self.figures else otherwise

    def basis(self, figures):
        return "basis::" + max((self[f].confidence for f in figures), key=CONFIDENCES.index)

    def check(self):
        for figure in UNITS:
            if figure not in OPTIONAL and figure not in self.figures:
                refuse(f"{self.id} lacks {figure}.")
        peaks = [f"peak_{m}" for m in MATHS if f"peak_{m}" in self.figures]
        if not peaks:
            refuse(f"{self.id} has no dense peak.")
        for figure, known in (("vendor", VENDORS), ("family", FAMILIES), ("fabric_topology", TOPOLOGIES)):
            if self[figure].value not in known:
                refuse(f"{self[figure].where}: no such {figure}: {self[figure].value}.")
        shape, sum_, peer = (self[f"fabric_{f}"] for f in ("topology", "per_device", "per_peer"))
        links = {"switched": 1, "host_only": 1, "pair_bridge": 1, "mesh": self["fabric_domain"].number - 1,
                 "ring": 2, "torus_2d": 4, "torus_3d": 6}.get(shape.value)
        if links and abs(sum_.number - peer.number * links) > sum_.number / 1000:
            refuse(f"{sum_.where}: {links} peers at {peer.value} GB/s on a {shape.value} give another sum.")
        if "memory_driver" in self.figures:
            # The label reads as GiB at most; figures rounded to three digits may lie a little above.
            most = self["memory_sold"].number * 2**30 * Decimal("1.01")
            if self["memory_driver"].bytes() > most:
                refuse(f"{self['memory_driver'].where}: more than the label, even read as GiB.")
        if "memory_process" in self.figures:
            # A process sees the driver's total less a reserve of a few per cent.
            share = self["memory_process"].bytes() / self["memory_driver"].bytes()
            if not Decimal("0.95") < share <= 1:
                refuse(f"{self['memory_process'].where}: not a little below the driver's total.")
        if {"peak_bf16", "peak_fp8"} <= self.figures.keys():
            factor = self["peak_fp8"].number / self["peak_bf16"].number
            if min(abs(factor - 1), abs(factor - 2)) > Decimal("0.06"):
                refuse(f"{self['peak_fp8'].where}: fp8 is neither once nor twice bf16: sparse figure?")


def read_parts():
    parts = {}
    for where, cells in rows("accelerators.tsv", 7):
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cells[0]):
            refuse(f"{where}: a part id is lower case letters, digits and single '-'; found {cells[0]}.")
        part = parts.setdefault(cells[0], Part(cells[0]))
        figure = Figure(where, *cells)
        if figure.figure in part.figures:
            refuse(f"{where}: {cells[0]} has {figure.figure} twice.")
        part.figures[figure.figure] = figure
    for part in parts.values():
        part.check()
    return parts


def key_of(name):
    return re.sub(r"[\s_-]", "", name).lower()


def without_vendor(key):
    for word in VENDOR_WORDS:
        if key.startswith(word) and len(key) > len(word):
            return key[len(word):]
    return key


def read_names(parts):
    ambiguous = {}
    for where, (name, ids, _) in rows("accelerator_ambiguous.tsv", 3):
        ids = ids.split(",")
        if len(ids) < 2 or len(ids) > 6 or any(i not in parts for i in ids):
            refuse(f"{where}: two to six known part ids, separated by commas.")
        ambiguous[key_of(name)] = (name, ids)
    aliases = {}

    def add(where, part, name):
        if not name.isascii() or len(key_of(name)) > 48:
            refuse(f"{where}: names are ASCII and at most 48 letters long.")
        key = without_vendor(key_of(name))
        if key in ambiguous:
            # Only the name with its vendor stands for one part.
            key = key_of(name)
        if key in ambiguous:
            refuse(f"{where}: {name} is listed as ambiguous.")
        if aliases.setdefault(key, (name, part))[1] != part:
            refuse(f"{where}: {name} already stands for {aliases[key][1]}.")

    for part in parts.values():
        add(part.id, part.id, part["name"].value)
        add(part.id, part.id, part.id)
    for where, (part, name, _) in rows("accelerator_aliases.tsv", 3):
        if part not in parts:
            refuse(f"{where}: no such part: {part}.")
        add(where, part, name)
    return aliases, ambiguous


def header(brief, includes, body, namespace="ullage::inline v0::catalog"):
    text = ["// SPDX-License-Identifier: Apache-2.0",
            "// Generated from cmake/catalog/*.tsv; edit there and run generate.py.", "#pragma once", "",
            *(f"#include <{i}>" for i in includes), ""]
    text += [f"// {line}" for line in brief]
    text += [f"namespace {namespace} {{", "", *body, f"}}  // namespace {namespace}", ""]
    long = [line for line in text if len(line) > 120]
    if long:
        refuse(f"a generated line is longer than 120 columns: {long[0]}")
    return "\n".join(text)


def wrap(prefix, items, suffix):
    lines, line = [], prefix
    for n, item in enumerate(items):
        piece = item + (suffix if n + 1 == len(items) else ", ")
        if len(line) + len(piece.rstrip()) > 120:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return lines + [line]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def row(p):
    memory = next([f] for f in ("memory_process", "memory_driver", "memory_sold") if f in p.figures)
    peaks = [f"peak_{m}" for m in MATHS]
    return [
        f"inline constexpr accelerator {p.symbol}{{",
        f"    .id = {quoted(p.id)},",
        f"    .name = {quoted(p['name'].value)},",
        f"    .made_by = vendor::{p['vendor'].value},",
        f"    .family = architecture::{p['family'].value},",
        f"    .year = {p['year'].value},",
        f"    .memory_sold = {p['memory_sold'].literal()},",
        f"    .memory_driver = {p.get('memory_driver')},",
        f"    .memory_process = {p.get('memory_process')},",
        f"    .memory_basis = {p.basis(memory)},",
        f"    .bandwidth = {p['bandwidth'].literal()},",
        f"    .bandwidth_basis = {p.basis(['bandwidth'])},",
        f"    .dense_peaks = {{{{{', '.join(p.get(f) for f in peaks)}}}}},",
        f"    .peaks_basis = {p.basis([f for f in peaks if f in p.figures])},",
        f"    .scale_up = {{.name = {quoted(p['fabric_name'].value)},",
        f"                 .shape = topology::{p['fabric_topology'].value},",
        f"                 .per_device = {p['fabric_per_device'].literal()},",
        f"                 .per_peer = {p['fabric_per_peer'].literal()},",
        f"                 .hop_latency = {p.get('fabric_hop_latency')},",
        f"                 .domain = {p['fabric_domain'].literal()},",
        f"                 .in_network_reduction = {p['fabric_in_network_reduction'].value}}},",
        f"    .host_link = {p.get('host_link')},",
        f"    .power = {p.get('power')},",
        f"    .compute_units = {p['compute_units'].value if 'compute_units' in p.figures else '0'}}};",
        "",
    ]


def generate():
    parts = read_parts()
    aliases, ambiguous = read_names(parts)
    files = {}
    for vendor, name in VENDORS.items():
        body = []
        for p in parts.values():
            if p["vendor"].value == vendor:
                body += row(p)
        files[f"{vendor}.hpp"] = header(
            [f"Accelerators of {name}. dense_peaks: {', '.join(MATHS)}; {{}} = no such units, or not known."],
            ["ullage/hardware/accelerator.hpp"], body)

    symbols = [p.symbol for p in parts.values()]
    files["accelerators.hpp"] = header(
        ["All rows, in the order of cmake/catalog/accelerators.tsv."],
        ["array", *(f"ullage/catalog/{v}.hpp" for v in sorted(VENDORS))],
        [*wrap(f"inline constexpr std::array<accelerator, {len(symbols)}> accelerators{{{{", symbols, "}};"), ""])

    body = ["/// A name of one part. `key` is the name as `find_accelerator` compares it: lower case,",
            "/// without separators and, unless the rest is ambiguous, without the vendor.",
            "struct accelerator_alias {", "  std::string_view text{};", "  std::string_view key{};",
            "  const accelerator* part = nullptr;", "};",
            "/// A name that several parts share; unused places are null.",
            "struct ambiguous_accelerator_name {", "  std::string_view text{};", "  std::string_view key{};",
            "  std::array<const accelerator*, 6> parts{};", "};", "",
            "/// Sorted by key.",
            f"inline constexpr std::array<accelerator_alias, {len(aliases)}> accelerator_aliases{{{{"]
    for key, (name, part) in sorted(aliases.items()):
        body.append(f"    {{{quoted(name)}, {quoted(key)}, &{parts[part].symbol}}},")
    body += ["}};", "", "/// Sorted by key.",
             "inline constexpr std::array<ambiguous_accelerator_name, "
             f"{len(ambiguous)}> ambiguous_accelerator_names{{{{"]
    for key, (name, ids) in sorted(ambiguous.items()):
        body.append(f"    {{{quoted(name)}, {quoted(key)}, {{{{{', '.join('&' + parts[i].symbol for i in ids)}}}}}}},")
    body += ["}};", "", "/// Vendor words that may stand before a name.",
             "struct vendor_word {", "  std::string_view key{};", "  vendor made_by = vendor::unknown;", "};",
             f"inline constexpr std::array<vendor_word, {len(VENDOR_WORDS)}> vendor_words{{{{",
             *(f"    {{{quoted(w)}, vendor::{v}}}," for w, v in sorted(VENDOR_WORDS.items())), "}};", ""]
    files["names.hpp"] = header(["What people and tools call the parts."],
                                ["array", "string_view", "ullage/catalog/accelerators.hpp"], body)

    figures = [f for p in parts.values() for f in p.figures.values()]
    body = ["/// One figure of one part: its value as written, where it comes from, and the month of that source.",
            "struct sourced_figure {", "  std::string_view part{};", "  std::string_view figure{};",
            "  std::string_view value{};", "  std::string_view unit{};", "  std::string_view source{};",
            "  std::string_view date{};", "  basis confidence = basis::unverified;", "};", "",
            f"inline constexpr std::array<sourced_figure, {len(figures)}> accelerator_figures{{{{"]
    for f in figures:
        cells = [quoted(c) for c in (f.part, f.figure, f.value, f.unit, f.source, f.date)] + [f"basis::{f.confidence}"]
        body += wrap("    {", cells, "},")
    body += ["}};", ""]
    files["sources.hpp"] = header(["Where each figure comes from. Opt-in: the umbrella headers do not include it."],
                                  ["array", "string_view", "ullage/estimate.hpp"], body)
    return files


def main(arguments):
    if arguments not in ([], ["--check"]):
        refuse("the only option is --check.")
    for name, text in generate().items():
        path = OUT / name
        old = path.read_text(encoding="utf-8") if path.exists() else None
        if arguments and old != text:
            refuse(f"include/ullage/catalog/{name} differs from cmake/catalog/*.tsv; run cmake/catalog/generate.py.")
        if old != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
