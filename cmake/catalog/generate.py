#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the constexpr headers of include/ullage/catalog/ from the .tsv files beside this script.

  generate.py           write the headers
  generate.py --check   write nothing; exit 1 and name the first header that differs from its data

fabrics.tsv, systems.tsv and system_aliases.tsv stand beside it; accelerators stand in one folder a group. Every line of
data is one figure with its unit, source, date and confidence; a line that contradicts another one is refused here.
"""
import pathlib
import re
import sys
from decimal import Decimal, InvalidOperation
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent.parent / "include" / "ullage" / "catalog"

# Header -> (what it holds, folders).
GROUPS = {
    "nvidia": ("Accelerators of NVIDIA", ["nvidia_datacenter", "nvidia_graphics"]),
    "amd": ("Accelerators of AMD", ["amd"]),
    "google": ("Accelerators of Google", ["google"]),
    "aws": ("Accelerators of AWS", ["aws"]),
    "intel": ("Accelerators of Intel", ["intel"]),
    "apple": ("Chips of Apple", ["apple"]),
    "others": ("Accelerators of other makers", ["others"]),
    "cpus": ("CPUs, as accelerators and as hosts", ["cpu"]),
}
VENDORS = ["nvidia", "amd", "google", "aws", "intel", "apple", "huawei", "qualcomm", "cerebras", "groq", "sambanova", "hailo",
           "tenstorrent", "graphcore", "ampere", "arm", "raspberry_pi", "microsoft", "oracle", "other"]
# Words that may stand before a name, and the vendor that they name.
VENDOR_WORDS = {"nvidia": "nvidia", "amd": "amd", "google": "google", "amazon": "aws", "aws": "aws", "intel": "intel",
                "apple": "apple", "huawei": "huawei", "qualcomm": "qualcomm", "cerebras": "cerebras", "groq": "groq",
                "sambanova": "sambanova", "hailo": "hailo", "tenstorrent": "tenstorrent", "graphcore": "graphcore",
                "ampere": "ampere", "ati": "amd", "ec2": "aws", "gcp": "google", "microsoft": "microsoft",
                "azure": "microsoft", "oracle": "oracle", "oci": "oracle"}
# Those that a name is not told from other things without: a "10H", an "LPU".
PART_OF_NAME = {"groq", "hailo"}
# Who rents out machines with the parts of others: "AWS g5.xlarge" is a name of AWS's, of a part of NVIDIA's.
CLOUDS = {"aws", "google", "microsoft", "oracle"}
# Names of several makers' parts, of which not all have a row: known with their vendor alone.
NOT_ALONE = {"n150"}
# What no name may be alone, since it stands in sentences.
PLAIN_WORDS = {"card", "one", "chip", "chip1", "board", "server", "node", "x", "a", "max", "pro", "ultra", "super", "gpu", "npu"}
# Names of product lines that may be left out or added before a name.
LINE_WORDS = {"geforce": "nvidia", "tesla": "nvidia", "quadro": "nvidia", "instinct": "amd", "radeon": "amd",
              "graphics": "unknown"}
FAMILIES = ["pascal", "volta", "turing", "ampere", "ampere_rtx", "ada", "hopper", "blackwell", "blackwell_ultra",
            "blackwell_rtx", "rubin", "orin", "thor", "cdna1", "cdna2", "cdna3", "cdna4", "cdna5", "gcn", "rdna2", "rdna3",
            "rdna3_5", "rdna4", "tpu", "neuron", "gaudi", "xe_hpc", "xe_hpg", "xe2", "apple_gpu", "ascend", "ai100", "wafer",
            "lpu", "rdu", "hailo", "tenstorrent", "npu", "cpu_amx", "cpu_avx512", "cpu_avx2", "cpu_neon"]
CLASSES = ["datacenter", "workstation", "consumer", "edge", "soc", "cpu", "npu"]
FORMS = {f: f for f in ("sxm", "pcie", "nvl", "oam", "superchip", "module", "soc", "socket", "mezzanine", "laptop", "rack")}
FORMS["module"] = "som"  # the word opens a directive in C++20
MEMORY_TYPES = ["HBM2", "HBM2e", "HBM3", "HBM3e", "HBM4", "GDDR5", "GDDR5X", "GDDR6", "GDDR6X", "GDDR7", "LPDDR4X", "LPDDR5",
                "LPDDR5X", "DDR4", "DDR5", "SRAM"]
ECC = {"none": "none", "native": "native", "inline": "inline_", "off": "off_inline_"}
STATUS = ["shipping", "announced", "withdrawn"]
TOPOLOGIES = ["none", "switched", "mesh", "torus_2d", "torus_3d", "ring", "pair_bridge", "host_only"]
REACHES = ["scale_up", "scale_out", "host"]
MATHS = ["fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"]
# From the strongest to the weakest, as in estimate.hpp.
CONFIDENCES = ["datasheet", "driver", "measured", "transferred", "unverified"]
# fp8 and fp4 rates that are not once or twice bf16 by design, with what the vendor states.
ODD_RATIOS = {"vr200", "trainium3", "mi455x", "tpu-8t", "tpu-8i", "ascend-950dt"}

# Devices behind one host where its link says no other domain: accelerator::host_domain's default.
CUSTOMARY_NODE = 8

# Slices that are dies of a package and keep its fabric.
LINKED = {"gcd", "tile", "die", "asic", "soc", "stack", "tensorcore", "neuroncore", "lnc1", "lnc2"}


def rate(m):
    return {"TOP/s" if m.startswith("int") else "TFLOP/s"}


ACCELERATOR = {
    "name": {"text"}, "vendor": {"text"}, "class": {"text"}, "family": {"text"}, "target": {"text"}, "form": {"text"},
    "year": {"year"}, "status": {"text"},
    "memory_type": {"text"}, "memory_sold": {"GB", "GiB"}, "memory_also_sold": {"GB"}, "memory_largest": {"bool"},
    "memory_shared": {"bool"}, "memory_driver": {"MiB", "B"}, "memory_process": {"MiB", "B"}, "memory_bus_width": {"bit"},
    "memory_rate": {"Gbit/s"}, "ecc": {"text"}, "bandwidth": {"GB/s"},
    **{f"peak_{m}": rate(m) for m in [*MATHS, "fp64", "fp6", "int4"]},
    **{f"sparse_{m}": rate(m) for m in MATHS if m != "fp32"},
    "sparse_factor_fp4": {"ratio"}, "lacks": {"text"}, "halves_fp32_accumulate": {"bool"},
    "compute_units": {"units"}, "boost_clock": {"MHz"}, "l2": {"MiB"}, "devices_per_package": {"units"},
    "fabric": {"text"}, "host_link": {"text"}, "power": {"W"}, "power_least": {"W"}, "power_most": {"W"},
}
ACCELERATOR_NEEDS = ["name", "vendor", "class", "family", "form", "year", "memory_type", "memory_sold", "bandwidth", "fabric",
                     "host_link"]
FABRIC = {
    "name": {"text"}, "reach": {"text"}, "topology": {"text"}, "links": {"units"}, "per_link": {"GB/s"},
    "per_device": {"GB/s"}, "per_peer": {"GB/s"}, "both_ways": {"GB/s"}, "hop_latency": {"us"}, "domain": {"devices"},
    "in_network_reduction": {"bool"}, "port_rate": {"Gbit/s"}, "year": {"year"},
}
FABRIC_NEEDS = ["name", "reach", "topology", "per_device", "per_peer", "in_network_reduction"]
HEADLINES = [f"headline_{m}{s}" for m in MATHS for s in ("", "_dense", "_sparse")]
SYSTEM = {
    "name": {"text"}, "vendor": {"text"}, "year": {"year"}, "status": {"text"}, "accelerator": {"text"},
    "accelerators": {"devices"}, "hosts": {"units"}, "fabric": {"text"}, "fabric_domain": {"devices"}, "scale_out": {"text"},
    "nics": {"units"}, "scale_out_total": {"GB/s"}, "cpu": {"text"}, "cpu_name": {"text"}, "cpus": {"units"},
    "host_memory": {"GB", "GiB"}, "disks": {"GB"}, "power": {"W"}, "memory_total": {"GB"}, "bandwidth_total": {"GB/s"},
    **{h: {"TFLOP/s", "TOP/s"} for h in HEADLINES},
}
SYSTEM_NEEDS = ["name", "vendor", "accelerator", "accelerators"]
WHOLE = {"year", "memory_driver", "memory_process", "memory_bus_width", "domain", "compute_units", "devices_per_package",
         "accelerators", "hosts", "fabric_domain", "nics", "cpus", "links"}
LITERAL = {"GB": "GB", "GiB": "GiB", "MiB": "MiB", "B": "B", "GB/s": "GBps", "TFLOP/s": "TFLOPS", "TOP/s": "TFLOPS",
           "us": "us", "devices": "dev", "W": "W"}
SCALE = {"GB": 10**9, "GiB": 2**30, "MiB": 2**20, "B": 1}
CLOSED_LISTS = {"vendor": VENDORS, "class": CLASSES, "family": FAMILIES, "form": list(FORMS), "memory_type": MEMORY_TYPES,
                   "ecc": list(ECC), "status": STATUS, "topology": TOPOLOGIES, "reach": REACHES}


def refuse(sentence):
    sys.exit(f"generate.py: {sentence}")


def rows(path, columns):
    name = path.relative_to(HERE).as_posix()
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != columns or any(not c or c != c.strip() for c in cells):
            refuse(f"{name}:{number}: expected {columns} non-empty cells separated by tabs.")
        if not line.isascii():
            refuse(f"{name}:{number}: plain ASCII only.")
        yield f"{name}:{number}", cells


def id_of(where, text):
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text):
        refuse(f"{where}: an id is lower case letters, digits and single '-'; found {text}.")
    return text


def check_date(where, date, confidence):
    if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", date):
        refuse(f"{where}: a date is a year and a month, such as 2026-08; found {date}.")
    if confidence not in CONFIDENCES:
        refuse(f"{where}: no such confidence: {confidence}.")


class Figure:
    def __init__(self, units, where, part, figure, value, unit, source, date, confidence):
        self.where, self.part, self.figure, self.value = where, part, figure, value
        self.unit, self.source, self.date, self.confidence = unit, source, date, confidence
        if figure not in units:
            refuse(f"{where}: no such figure: {figure}.")
        if unit not in units[figure]:
            refuse(f"{where}: {figure} is given in {' or '.join(sorted(units[figure]))}, not in {unit}.")
        check_date(where, date, confidence)
        if confidence == "driver" and figure not in ("memory_driver", "memory_process"):
            refuse(f"{where}: only memory comes from a driver.")
        if figure in CLOSED_LISTS and value not in CLOSED_LISTS[figure]:
            refuse(f"{where}: no such {figure}: {value}.")
        self.number = None
        if unit == "bool" and value not in ("true", "false"):
            refuse(f"{where}: true or false; found {value}.")
        if unit not in ("text", "bool") and figure != "memory_also_sold":
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


class Row:
    """All figures of one id."""

    def __init__(self, id):
        self.id, self.figures = id, {}
        self.symbol = id.replace("-", "_")
        if self.symbol[0].isdigit():
            self.symbol = "n_" + self.symbol

    def __getitem__(self, figure):
        return self.figures[figure]

    def __contains__(self, figure):
        return figure in self.figures

    def text(self, figure, otherwise=None):
        return self[figure].value if figure in self else otherwise

    def number(self, figure, otherwise=None):
        return self[figure].number if figure in self else otherwise

    def literal(self, figure):
        return self[figure].literal() if figure in self else None

    def flag(self, figure):
        return self.text(figure) == "true"

    def basis(self, figures):
        known = [self[f].confidence for f in figures if f in self]
        return "basis::" + (max(known, key=CONFIDENCES.index) if known else "unverified")

    def near(self, figure, expected, share, why):
        if abs(self.number(figure) - Decimal(expected)) > Decimal(expected) * Decimal(str(share)):
            refuse(f"{self[figure].where}: {self.id} states {self.text(figure)}, but {why} give {Decimal(expected):.6g}.")


def read_rows(path, units, needs, into):
    for where, cells in rows(path, 7):
        row = into.setdefault(id_of(where, cells[0]), Row(cells[0]))
        figure = Figure(units, where, *cells)
        if figure.figure in row.figures:
            refuse(f"{where}: {cells[0]} has {figure.figure} twice.")
        row.figures[figure.figure] = figure
    for row in into.values():
        for figure in needs:
            if figure not in row:
                refuse(f"{path.name}: {row.id} lacks {figure}.")


def check_fabric(f):
    links = {"switched": 1, "host_only": 1, "pair_bridge": 1, "ring": 2, "torus_2d": 4, "torus_3d": 6}.get(f.text("topology"))
    if f.text("reach") != "scale_out" and "domain" not in f:
        refuse(f"fabrics.tsv: {f.id} lacks domain.")
    if f.text("topology") == "mesh":
        links = f.number("domain") - 1
    if links:
        f.near("per_device", f.number("per_peer") * links, 0.001, f"{links} peers at {f.text('per_peer')} GB/s")
    if "both_ways" in f:
        f.near("both_ways", f.number("per_device") * 2, 0.001, "two directions")
    if "links" in f and "per_link" in f:
        f.near("per_device", f.number("links") * f.number("per_link"), 0.001, "its links")
    if "port_rate" in f and f.text("reach") == "scale_out":
        f.near("per_device", f.number("port_rate") / 8, 0.001, "eight bits a byte")


def check_part(p, fabrics):
    peaks = [f"peak_{m}" for m in MATHS if f"peak_{m}" in p]
    if not peaks:
        refuse(f"{p.id} has no dense peak.")
    for figure in ("fabric", "host_link"):
        if p.text(figure) != "none" and p.text(figure) not in fabrics:
            refuse(f"{p[figure].where}: fabrics.tsv has no {p.text(figure)}.")
    for m in p.text("lacks", "").replace(" ", "").split(","):
        if m and m not in MATHS:
            refuse(f"{p['lacks'].where}: no such arithmetic: {m}.")
        if m and f"peak_{m}" in p:
            refuse(f"{p['lacks'].where}: {p.id} has a peak in {m} and lacks it.")
    if "memory_driver" in p:
        # The label reads as GiB at most; figures rounded to three digits may lie a little above.
        most = p.number("memory_sold") * 2**30 * Decimal("1.01")
        if p["memory_driver"].bytes() > most:
            refuse(f"{p['memory_driver'].where}: more than the label, even read as GiB.")
    if "memory_process" in p and "memory_driver" in p:
        # A process sees the driver's total less a reserve of a few per cent.
        share = p["memory_process"].bytes() / p["memory_driver"].bytes()
        if not 0.93 < share <= 1:
            refuse(f"{p['memory_process'].where}: not a little below the driver's total.")
    if {"memory_bus_width", "memory_rate"} <= p.figures.keys():
        p.near("bandwidth", p.number("memory_bus_width") * p.number("memory_rate") / 8, 0.02, "bus width and rate")
    for m in MATHS:
        if f"sparse_{m}" in p:
            if f"peak_{m}" not in p:
                refuse(f"{p[f'sparse_{m}'].where}: a sparse figure without a dense one.")
            factor = p.number("sparse_factor_fp4", Decimal(2)) if m == "fp4" else Decimal(2)
            p.near(f"sparse_{m}", p.number(f"peak_{m}") * factor, 0.01, f"{factor} times its dense peak")
    if p.id not in ODD_RATIOS and {"peak_bf16", "peak_fp8"} <= p.figures.keys():
        factor = p.number("peak_fp8") / p.number("peak_bf16")
        if min(abs(factor - 1), abs(factor - 2)) > Decimal("0.06"):
            refuse(f"{p['peak_fp8'].where}: fp8 is neither once nor twice bf16: a sparse figure?")
    if {"power_least", "power_most"} <= p.figures.keys() and p.number("power_least") > p.number("power_most"):
        refuse(f"{p['power_least'].where}: above power_most.")


def check_system(s, parts, fabrics):
    part = parts.get(s.text("accelerator"))
    if part is None:
        refuse(f"{s['accelerator'].where}: no such part: {s.text('accelerator')}.")
    if s.text("cpu", "none") != "none" and s.text("cpu") not in parts:
        refuse(f"{s['cpu'].where}: no such part: {s.text('cpu')}.")
    for figure in ("fabric", "scale_out"):
        if s.text(figure, "none") != "none" and s.text(figure) not in fabrics:
            refuse(f"{s[figure].where}: fabrics.tsv has no {s.text(figure)}.")
    n = s.number("accelerators")
    if "fabric_domain" in s and s.number("fabric_domain") > n:
        refuse(f"{s['fabric_domain'].where}: more than its {n} accelerators.")
    if {"scale_out_total", "nics", "scale_out"} <= s.figures.keys() and s.text("scale_out") != "none":
        port = fabrics[s.text("scale_out")].number("per_device")
        s.near("scale_out_total", s.number("nics") * port, 0.01, "its ports")
    if "memory_total" in s:
        each = [Decimal(part["memory_sold"].bytes())]
        each.append(Decimal(part.number("memory_sold") * 2**30))  # the label in powers of two
        if "memory_driver" in part:
            each.append(Decimal(part["memory_driver"].bytes()))
        said = Decimal(s["memory_total"].bytes())
        if min(abs(said - e * n) / said for e in each) > Decimal("0.03"):
            refuse(f"{s['memory_total'].where}: {n} x {part.id} is another sum.")
    if "bandwidth_total" in s:
        s.near("bandwidth_total", n * part.number("bandwidth"), 0.03, f"{n} x {part.id}")


def read_fabrics():
    fabrics = {}
    read_rows(HERE / "fabrics.tsv", FABRIC, FABRIC_NEEDS, fabrics)
    for f in fabrics.values():
        check_fabric(f)
    return fabrics


def read_parts(fabrics):
    parts, groups = {}, {}
    for header, (_, folders) in GROUPS.items():
        for folder in folders:
            here = {}
            read_rows(HERE / folder / "accelerators.tsv", ACCELERATOR, ACCELERATOR_NEEDS, here)
            for row in here.values():
                if row.id in parts:
                    refuse(f"{folder}/accelerators.tsv: {row.id} stands in two groups.")
                check_part(row, fabrics)
                parts[row.id] = row
                groups.setdefault(header, []).append(row)
    names = {}
    for p in parts.values():
        if names.setdefault(p.text("name"), p.id) != p.id:
            refuse(f"{p['name'].where}: {p.text('name')} is also the name of {names[p.text('name')]}.")
    return parts, groups


def folders():
    return [folder for _, fs in GROUPS.values() for folder in fs]


def read_systems(parts, fabrics):
    systems = {}
    read_rows(HERE / "systems.tsv", SYSTEM, SYSTEM_NEEDS, systems)
    for s in systems.values():
        check_system(s, parts, fabrics)
    return systems


class Slice:
    """A partition of a part."""

    def __init__(self, where, part, cells, parts):
        if part not in parts:
            refuse(f"{where}: no such part: {part}.")
        self.part, self.slice, self.name, memory, unit, units, share, copies, self.source, self.date, self.confidence = [part, *cells]
        check_date(where, self.date, self.confidence)
        if unit not in ("MiB", "B", "GiB"):
            refuse(f"{where}: memory is given in MiB, B or GiB, not in {unit}.")
        try:
            self.memory = int(Decimal(memory) * SCALE[unit])
            self.units, self.share, self.copies = int(units), Fraction(share), int(copies)
        except (ValueError, InvalidOperation, ZeroDivisionError):
            refuse(f"{where}: memory, units, share and copies are numbers; found {', '.join(cells)}.")
        whole = parts[part]
        self.id = f"{part}-{id_of(where, self.slice)}"
        self.full = f"{whole.text('name')} {self.name}"
        if not 0 < self.share <= 1 or self.copies < 1 or self.units < 1:
            refuse(f"{where}: a share of the bandwidth up to 1, at least one copy and one unit.")
        if self.memory * self.copies > whole.number("memory_sold") * 2**30 * Decimal("1.01"):
            refuse(f"{where}: {self.copies} copies hold more than {part}.")
        if "compute_units" in whole and self.units * self.copies > whole.number("compute_units"):
            refuse(f"{where}: {self.copies} copies have more units than {part}.")


def read_slices(parts):
    slices, seen = [], set()
    for folder in folders():
        for where, (part, *cells) in rows(HERE / folder / "partitions.tsv", 11):
            s = Slice(where, part, cells, parts)
            if s.id in seen or s.id in parts:
                refuse(f"{where}: {s.id} stands twice.")
            seen.add(s.id)
            slices.append(s)
    return slices


def key_of(name):
    return re.sub(r"\((r|tm)\)|[\s_-]", "", name.lower())


def written(name):
    """The words of a name as find_accelerator takes them apart, and what stands before each: ' ' or '|', which is any
    separator behind which another name may begin."""
    text = re.sub(r"\((r|tm)\)", "", name.lower())
    text = re.sub(r"(\d)[ _-]+(gb|gib|g|tb|tib|mb|mib|w|ghz)(?![a-z0-9/])", r"\1\2", text)
    words = []
    for between, word in re.findall(r"([ _,;()\[\]/:@~\"|-]*)([^ _,;()\[\]/:@~\"|-]+)", text):
        between = "|" if set(between) - set(" -_") else " "
        # "MI 300X" is written too, "L 4" is not.
        match = re.fullmatch(r"([a-z]{2,})([0-9]{3}.*)", word)
        words += [(between, match[1]), (" ", match[2])] if match else [(between, word.rstrip("."))]
    return words


def letters_of(words):
    return "".join(word for _, word in words)


def bare(words):
    """A name without its vendor and its product line, as find_accelerator compares it."""
    if len(words) > 1 and words[0][1] in VENDOR_WORDS and words[0][1] not in PART_OF_NAME:
        words = words[1:]
    while len(words) > 1 and words[0][1] in LINE_WORDS:
        words = words[1:]
    return words


class Separators:
    """Names by their letters, and between which letters any of their spellings has a separator."""

    def __init__(self):
        self.places = {}  # letters -> {place: ' ' or '|'}

    def add(self, words):
        places, place = self.places.setdefault(letters_of(words), {}), 0
        for n, (between, word) in enumerate(words):
            if n and places.get(place) != "|":
                places[place] = between
            place += len(word)

    def key(self, letters):
        places = self.places[letters]
        return "".join(places.get(n, "") + c for n, c in enumerate(letters))


class Names:
    """What parts and systems are called: letters of names, and every name as written."""

    def __init__(self):
        self.ambiguous = {}  # letters -> (part ids, vendor whose name it is, or None, devices of the machine, or "")
        self.parts = {}      # letters -> (part id, vendor whose name it is, or None)
        self.systems = {}    # letters -> system id
        self.separators = Separators()
        self.written = []    # (id, name, source)


def owner_of(words, makers):
    """Whose name it is, where it begins with the word of a cloud that did not make the part."""
    vendor = VENDOR_WORDS.get(words[0][1]) if len(words) > 1 else None
    return vendor if vendor in CLOUDS and vendor not in makers else None


def read_names(parts, systems):
    n = Names()
    own = {letters_of(bare(written(p.text("name")))) for p in parts.values()}
    for folder in folders():
        for where, (name, ids, why) in rows(HERE / folder / "ambiguous.tsv", 3):
            ids, _, devices = ids.partition(" x")  # of a machine with so many of either
            ids = ids.split(",")
            if devices and not re.fullmatch(r"[1-9][0-9]{0,3}", devices):
                refuse(f"{where}: a number of devices; found {devices}.")
            if len(ids) < 2 or len(ids) > 12 or len(set(ids)) != len(ids) or any(i not in parts for i in ids):
                refuse(f"{where}: two to twelve known part ids, separated by commas; found {','.join(ids)}.")
            words = written(name)
            owner = owner_of(words, {parts[i].text("vendor") for i in ids})
            if not (owner and letters_of(bare(words)) in own):  # "AWS P4", beside a P4 of NVIDIA's
                words = bare(words)
            else:
                owner = None
            n.separators.add(words)
            if n.ambiguous.setdefault(letters_of(words), (ids, owner, devices)) != (ids, owner, devices):
                refuse(f"{where}: {name} is listed twice.")

    def add(where, part, name, source, system=None):
        of = system or part
        if (of, name) not in seen:
            seen.add((of, name))
            n.written.append((of, name, source))
        full = written(name)
        if len(letters_of(full)) > 48 or len(full) > 12:
            refuse(f"{where}: names are at most 48 letters and 12 words long.")
        maker = parts[part].text("vendor")
        vendor = systems[system].text("vendor") if system else owner_of(full, {maker})
        words = bare(full)
        if VENDOR_WORDS.get(full[0][1], maker) not in (maker, vendor) or letters_of(words) in NOT_ALONE:
            words = full  # the word belongs to the name
        if letters_of(words) in n.ambiguous:
            if part == name:
                return  # ids are compared by themselves
            # Only the name with its vendor or product line stands for one part.
            words = full
        key = letters_of(words)
        if key in n.ambiguous:
            refuse(f"{where}: {name} is listed as ambiguous.")
        if key in PLAIN_WORDS or len(key) < 2:
            refuse(f"{where}: {name} without its vendor, {key}, stands for anything.")
        n.separators.add(words)
        entry = n.parts.setdefault(key, (part, vendor))
        if entry[0] != part:
            refuse(f"{where}: {name} already stands for {entry[0]}.")
        if system and n.systems.setdefault(key, system) != system:
            refuse(f"{where}: {name} is both {n.systems[key]} and {system}.")

    seen = set()
    for part in parts.values():
        add(part.id, part.id, part.text("name"), part["name"].source)
        add(part.id, part.id, part.id, "its id")
    for folder in folders():
        for where, (part, name, source) in rows(HERE / folder / "aliases.tsv", 3):
            if part not in parts:
                refuse(f"{where}: no such part: {part}.")
            add(where, part, name, source)
    for s in systems.values():
        add(s.id, s.text("accelerator"), s.text("name"), s["name"].source, s.id)
        add(s.id, s.text("accelerator"), s.id, "its id", s.id)
    for where, (system, name, source) in rows(HERE / "system_aliases.tsv", 3):
        if system not in systems:
            refuse(f"{where}: no such system: {system}.")
        add(where, systems[system].text("accelerator"), name, source, system)
    return n


def read_pci(parts):
    ids = {}
    for folder in folders():
        for where, (part, text, _) in rows(HERE / folder / "pci.tsv", 3):
            if part not in parts:
                refuse(f"{where}: no such part: {part}.")
            if not re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", text):
                refuse(f"{where}: a PCI id is vendor:device in lower case hexadecimal; found {text}.")
            number = int(text[:4], 16) << 16 | int(text[5:], 16)
            if part not in ids.setdefault(number, []):
                ids[number].append(part)
    return sorted((n, p) for n, ps in ids.items() for p in ps)


def header(brief, includes, body, namespace="ullage::inline v0::catalog"):
    text = ["// SPDX-License-Identifier: Apache-2.0",
            "// Generated from cmake/catalog/*.tsv; edit there and run generate.py.", "#pragma once", "",
            *(f"#include <{i}>" for i in includes), ""]
    text += [f"// {line}" for line in brief]
    text += [f"namespace {namespace} {{", ""]
    if any('"sv' in line for line in body):
        text += ['using std::literals::string_view_literals::operator""sv;', ""]
    text += [*body, f"}}  // namespace {namespace}", ""]
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
    """A literal that knows its length: counting letters in constant expressions is what including would cost most."""
    return chars(text) + "sv"


def chars(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def initializer(symbol, type, members):
    """`inline constexpr type symbol{.a = x, ...};` with the members that are known."""
    known = [f"    .{name} = {value}" for name, value in members if value is not None]
    return [f"inline constexpr {type} {symbol}{{", *(k + "," for k in known[:-1]), known[-1] + "};", ""]


def element(members):
    """`{.a = x, ...},` as an element of an array."""
    known = [f".{name} = {value}" for name, value in members if value is not None]
    return wrap("    {", known, "},")


FABRIC_FIGURES = ["topology", "per_device", "per_peer"]


def fabric_row(f):
    return initializer(f.symbol, "fabric", [
        ("id", quoted(f.id)), ("name", quoted(f.text("name"))), ("reach", f"fabric_reach::{f.text('reach')}"),
        ("shape", f"topology::{f.text('topology')}"), ("per_device", f.literal("per_device")),
        ("per_peer", f.literal("per_peer")), ("hop_latency", f.literal("hop_latency")),
        ("domain", f.literal("domain")), ("in_network_reduction", "true" if f.flag("in_network_reduction") else None),
        ("links", f.text("links")), ("from", f.basis(FABRIC_FIGURES))])


def enumerator(text):
    return text.lower()


def part_row(p, fabrics):
    memory = next(f for f in ("memory_process", "memory_driver", "memory_sold") if f in p)
    peaks = [f"peak_{m}" for m in MATHS]
    lacks = sum(1 << MATHS.index(m) for m in p.text("lacks", "").replace(" ", "").split(",") if m)
    link = fabrics.get(p.text("host_link"))
    scale_up = "no_fabric"
    if p.text("fabric") != "none":
        scale_up = fabrics[p.text("fabric")].symbol
        # Which fabric a part has may be known less surely than the fabric.
        weaker = max(p["fabric"].confidence, fabrics[p.text("fabric")].basis(FABRIC_FIGURES)[7:], key=CONFIDENCES.index)
        if "basis::" + weaker != fabrics[p.text("fabric")].basis(FABRIC_FIGURES):
            scale_up = f"with_basis({scale_up}, basis::{weaker})"
    return initializer(p.symbol, "accelerator", [
        ("id", quoted(p.id)), ("name", quoted(p.text("name"))),
        ("target", quoted(p.text("target")) if "target" in p else None),
        ("made_by", f"vendor::{p.text('vendor')}"), ("family", f"architecture::{p.text('family')}"),
        ("kind", f"device_class::{p.text('class')}"), ("form", f"form_factor::{FORMS[p.text('form')]}"),
        ("status", f"availability::{p.text('status')}" if p.text("status", "shipping") != "shipping" else None),
        ("year", p.text("year")), ("memory_type", f"memory_type::{enumerator(p.text('memory_type'))}"),
        ("ecc", f"ecc::{ECC[p.text('ecc')]}" if "ecc" in p else None),
        ("memory_shared", "true" if p.flag("memory_shared") else None),
        ("memory_largest", "true" if p.flag("memory_largest") else None),
        ("memory_sold", p.literal("memory_sold")), ("memory_driver", p.literal("memory_driver")),
        ("memory_process", p.literal("memory_process")), ("memory_basis", p.basis([memory])),
        ("bandwidth", p.literal("bandwidth")), ("bandwidth_basis", p.basis(["bandwidth"])),
        ("dense_peaks", "{{" + ", ".join(p.literal(f) or "{}" for f in peaks) + "}}"), ("peaks_basis", p.basis(peaks)),
        ("lacks", str(lacks) if lacks else None),
        ("halves_fp32_accumulate", "true" if p.flag("halves_fp32_accumulate") else None),
        ("compute_units", p.text("compute_units")), ("scale_up", scale_up),
        ("host_link", link.literal("per_device") if link else None),
        ("host_link_basis", p.basis(["host_link"]) if link else None),
        ("host_domain", link.literal("domain") if link and link.number("domain") != CUSTOMARY_NODE else None),
        ("power", p.literal("power")), ("power_least", p.literal("power_least")), ("power_most", p.literal("power_most")),
        ("power_basis", p.basis(["power"]) if "power" in p else None)])


def slice_row(s, parts):
    share = f"{s.share.numerator} / {s.share.denominator}.0" if s.share != 1 else "1"
    memory = f"{s.memory:,}".replace(",", "'")
    return wrap("    {", [quoted(s.id), quoted(s.full), f"&{parts[s.part].symbol}", quoted(key_of(s.id)), quoted(key_of(s.name)),
                          f"{memory}_B", str(s.units), share, str(s.copies), "true" if s.slice in LINKED else "false",
                          f"basis::{s.confidence}"], "},")


def system_row(s, parts, fabrics):
    n = s.number("accelerators")
    part = parts[s.text("accelerator")]
    own = s.text("fabric", part.text("fabric"))
    if own == "none":
        scale_up = "no_fabric"
    else:
        domain = s.number("fabric_domain", min(n, fabrics[own].number("domain")))
        scale_up = fabrics[own].symbol
        if domain != fabrics[own].number("domain"):
            scale_up = f"with_domain({scale_up}, {domain}_dev)"
    out = s.text("scale_out", "none")
    return element([
        ("id", quoted(s.id)), ("name", quoted(s.text("name"))), ("made_by", f"vendor::{s.text('vendor')}"),
        ("status", f"availability::{s.text('status')}" if s.text("status", "shipping") != "shipping" else None),
        ("year", s.text("year")), ("part", f"&{part.symbol}"), ("accelerators", s.literal("accelerators")),
        ("hosts", f"count({s.text('hosts')})" if "hosts" in s else None), ("scale_up", scale_up),
        ("port", fabrics[out].symbol if out != "none" else None),
        ("nics", f"count({s.text('nics')})" if "nics" in s else None),
        ("cpu", f"&{parts[s.text('cpu')].symbol}" if s.text("cpu", "none") != "none" else None),
        ("cpu_name", quoted(s.text("cpu_name")) if "cpu_name" in s else None),
        ("cpus", f"count({s.text('cpus')})" if "cpus" in s else None),
        ("host_memory", s.literal("host_memory")), ("disks", s.literal("disks")), ("power", s.literal("power")),
        ("from", "basis::" + max(
            [s.basis(["accelerator", "accelerators", "fabric", "scale_out", "nics"])[7:]]
            + [fabrics[f].basis(FABRIC_FIGURES)[7:] for f in (own, out) if f in fabrics], key=CONFIDENCES.index))])


def figure_lines(figures):
    lines = []
    for f in figures:
        cells = [chars(c) for c in (f.part, f.figure, f.value, f.unit, f.source, f.date)] + [f"basis::{f.confidence}"]
        lines += wrap("    {", cells, "},")
    return lines


def sources(parts, fabrics, systems, slices, named):
    def array(name, brief, figures):
        return [f"/// {brief}", f"inline constexpr std::array<sourced_figure, {len(figures)}> {name}{{{{",
                *figure_lines(figures), "}};", ""]

    def all_of(table):
        return [f for row in table.values() for f in row.figures.values()]

    others = []
    for folder in folders():
        for where, cells in rows(HERE / folder / "alternatives.tsv", 7):
            part, figure, value, unit, source, date, why = cells
            if part not in parts:
                refuse(f"{where}: no such part: {part}.")
            if figure not in ACCELERATOR:
                refuse(f"{where}: no such figure: {figure}.")
            check_date(where, date, "unverified")
            others.append([part, figure, value, unit, source, date, why])
    body = ["/// One figure of one row: its value as written, where it comes from, and the month of that source.",
            "struct sourced_figure {", "  const char* of = nullptr;  ///< id of the accelerator, fabric or system",
            "  const char* figure = nullptr;", "  const char* value = nullptr;", "  const char* unit = nullptr;",
            "  const char* source = nullptr;", "  const char* date = nullptr;", "  basis confidence = basis::unverified;", "};",
            "/// What another source states for a figure, and why it is not the one taken.",
            "struct other_figure {", "  const char* of = nullptr;", "  const char* figure = nullptr;", "  const char* value = nullptr;",
            "  const char* unit = nullptr;", "  const char* source = nullptr;", "  const char* date = nullptr;",
            "  const char* why = nullptr;", "};",
            "",
            *array("accelerator_figures", "Of accelerators.", all_of(parts)),
            *array("fabric_figures", "Of fabrics.", all_of(fabrics)),
            *array("system_figures", "Of systems.", all_of(systems)),
            "/// Of slices: what the profile says; the rest follows from the whole part.",
            f"inline constexpr std::array<sourced_figure, {len(slices)}> partition_figures{{{{",
            *(line for s in slices for line in wrap("    {", [chars(c) for c in (
                s.id, "partition", f"{s.memory} B, {s.units} units, {s.share} of the bandwidth, {s.copies} copies", "text",
                s.source, s.date)] + [f"basis::{s.confidence}"], "},")), "}};", "",
            "/// Every name as it is written, with where it is written so.",
            "struct written_name {", "  const char* of = nullptr;  ///< id of the accelerator or system",
            "  const char* name = nullptr;", "  const char* source = nullptr;", "};",
            f"inline constexpr std::array<written_name, {len(named.written)}> written_names{{{{",
            *(line for c in named.written for line in wrap("    {", map_quoted(c), "},")), "}};", "",
            f"inline constexpr std::array<other_figure, {len(others)}> other_figures{{{{",
            *(line for c in others for line in wrap("    {", map_quoted(c), "},")), "}};", ""]
    return header(["Where each figure comes from. Opt-in: the umbrella headers do not include it."],
                  ["array", "ullage/catalog/absent.hpp", "ullage/estimate.hpp"], body)


def absent(parts):
    cells = []
    for folder in folders():
        for where, row in rows(HERE / folder / "not_plannable.tsv", 7):
            if row[0] in parts:
                refuse(f"{where}: {row[0]} has a row.")
            check_date(where, row[6], "unverified")
            if not set(row[3].split(",")) <= {"memory", "bandwidth", "peaks"}:
                refuse(f"{where}: missing is a list of memory, bandwidth and peaks; found {row[3]}.")
            cells.append(row)
    return header(
        ["Parts that are known but lack a figure that a plan needs. Opt-in: the umbrella headers do not include it."],
        ["array"],
        ["struct absent_part {", "  const char* id = nullptr;", "  const char* name = nullptr;", "  const char* vendor = nullptr;",
         "  const char* missing = nullptr;  ///< memory, bandwidth, peaks", "  const char* why = nullptr;",
         "  const char* source = nullptr;", "  const char* date = nullptr;", "};",
         f"inline constexpr std::array<absent_part, {len(cells)}> absent_parts{{{{",
         *(line for c in cells for line in wrap("    {", map_quoted(c), "},")), "}};", ""])


def map_quoted(cells):
    return [chars(c) for c in cells]


def names(parts, systems, named, pci):
    body = ["/// A name of one part, or of a machine of such parts. `key`: lower case, without vendor and product line unless",
            "/// the rest is ambiguous. ' ' and '|' are where its spellings have separators, '|' such as a bracket.",
            "struct accelerator_alias {", "  const char* key;", "  const accelerator* part = nullptr;",
            "  vendor owner = vendor::unknown;  ///< who makes or rents the machine, when it is the name of one",
            "  std::uint16_t machine = 0;       ///< 1 + the machine's place in catalog::systems; 0 = the name of none",
            "  std::uint16_t devices = 0;       ///< that the machine has", "};",
            "/// A name that several parts share; unused places are null.",
            "struct ambiguous_accelerator_name {", "  const char* key;",
            "  std::array<const accelerator*, 12> parts{};",
            "  vendor owner = vendor::unknown;  ///< who rents it, when it is the name of a family of machines",
            "  std::uint16_t devices = 0;       ///< that each of the machines of that name has", "};", "",
            "namespace packed {", "/// The keys of the aliases in the order of their letters, each with its end.",
            "inline constexpr char alias_keys[] ="]
    order, places = list(systems), {part: place for place, part in enumerate(parts)}
    keys, numbers, begin = [], [], 0
    for key, (part, vendor) in sorted(named.parts.items()):
        system = named.systems.get(key)
        machine = devices = 0
        if system:
            vendor = systems[system].text("vendor")
            machine, devices = order.index(system) + 1, int(systems[system].text("accelerators"))
        text = named.separators.key(key)
        keys.append(f'    "{text}\\0"')
        owner = VENDORS.index(vendor) + 1 if vendor else 0
        numbers.append(f"{begin | places[part] << 16 | owner << 28 | machine << 36 | devices << 48:#x}")
        begin += len(text) + 1
    if begin >= 1 << 16 or len(places) >= 1 << 12 or len(order) >= 1 << 12:
        refuse("the packed aliases have no room for so many names, parts or systems.")
    body += [*keys[:-1], keys[-1] + ";",
             "/// What they say: where the key begins | the part's place in accelerators << 16 | owner << 28 | machine << 36 |",
             "/// devices << 48. As structs they would be what including the catalogue costs most.",
             *wrap(f"inline constexpr std::array<std::uint64_t, {len(numbers)}> aliases{{{{", numbers, "}};"),
             "}  // namespace packed", "",
             "/// Sorted by the letters of the key.",
             "class alias_table {", " public:",
             "  static constexpr std::size_t size() noexcept { return packed::aliases.size(); }",
             "  constexpr accelerator_alias operator[](std::size_t i) const noexcept {",
             "    const std::uint64_t n = packed::aliases[i];",
             "    return {packed::alias_keys + (n & 0xffff), &accelerators[static_cast<std::size_t>(n >> 16 & 0xfff)],",
             "            static_cast<vendor>(n >> 28 & 0xff), static_cast<std::uint16_t>(n >> 36 & 0xfff),",
             "            static_cast<std::uint16_t>(n >> 48)};",
             "  }", "};", "inline constexpr alias_table accelerator_aliases{};", ""]
    body += ["/// Sorted by the letters of the key.",
             "inline constexpr std::array<ambiguous_accelerator_name, "
             f"{len(named.ambiguous)}> ambiguous_accelerator_names{{{{"]
    for key, (ids, owner, devices) in sorted(named.ambiguous.items()):
        cells = [chars(named.separators.key(key)), "{{" + ", ".join("&" + parts[i].symbol for i in ids) + "}}"]
        if owner or devices:
            cells.append(f"vendor::{owner or 'unknown'}")
        body += wrap("    {", cells + ([devices] if devices else []), "},")
    labels = [(p, g) for p in parts.values() for g in p.text("memory_also_sold", "").replace(" ", "").split(",") if g]
    body += ["}};", "", "/// Sizes under which a part is also sold or known, in GB of its label.",
             "struct memory_label {", "  const accelerator* part = nullptr;", "  double gigabytes = 0;", "};",
             f"inline constexpr std::array<memory_label, {len(labels)}> memory_labels{{{{",
             *(f"    {{&{p.symbol}, {g}}}," for p, g in labels), "}};", "",
             "/// Words that may stand before a name or be left out.",
             "struct vendor_word {", "  std::string_view key{};", "  vendor made_by = vendor::unknown;", "};",
             f"inline constexpr std::array<vendor_word, {len(VENDOR_WORDS)}> vendor_words{{{{",
             *(f"    {{{quoted(w)}, vendor::{v}}}," for w, v in sorted(VENDOR_WORDS.items())), "}};",
             f"inline constexpr std::array<vendor_word, {len(LINE_WORDS)}> line_words{{{{",
             *(f"    {{{quoted(w)}, vendor::{v}}}," for w, v in sorted(LINE_WORDS.items())), "}};", "",
             "/// PCI vendor << 16 | device. Sorted by it.",
             "struct pci_id {", "  std::uint32_t number = 0;", "  const accelerator* part = nullptr;", "};",
             f"inline constexpr std::array<pci_id, {len(pci)}> pci_ids{{{{",
             *(f"    {{{n:#010x}, &{parts[p].symbol}}}," for n, p in pci), "}};", ""]
    return header(["What people and tools call the parts."],
                  ["array", "cstddef", "cstdint", "string_view", "ullage/catalog/accelerators.hpp"], body)


def generate():
    fabrics = read_fabrics()
    parts, groups = read_parts(fabrics)
    systems = read_systems(parts, fabrics)
    slices = read_slices(parts)
    named = read_names(parts, systems)
    files = {"fabrics.hpp": header(
        ["Fabrics: one way, of one device (scale-out: of one port)."], ["ullage/hardware/fabric.hpp"],
        ["/// A device that reaches no other.",
         "inline constexpr fabric no_fabric{.id = \"none\", .name = \"none\", .domain = 1_dev, .from = basis::exact};", "",
         *(line for f in fabrics.values() for line in fabric_row(f)),
         *wrap(f"inline constexpr ullage::detail::row_list<fabric, {len(fabrics)}> fabrics{{{{", ["&" + f.symbol for f in fabrics.values()], "}};"),
         "", "/// The same fabric, joining so many devices.",
         "constexpr fabric with_domain(fabric f, devices domain) noexcept {", "  f.domain = domain;", "  return f;", "}",
         "/// The same fabric, known less surely.",
         "constexpr fabric with_basis(fabric f, basis from) noexcept {", "  f.from = from;", "  return f;", "}", ""])}
    files["fabrics.hpp"] = files["fabrics.hpp"].replace("#include <ullage/hardware/fabric.hpp>",
                                                        "#include <string_view>\n#include <ullage/detail/row_list.hpp>\n#include <ullage/hardware/fabric.hpp>")
    for name, (title, _) in GROUPS.items():
        files[f"{name}.hpp"] = header(
            [f"{title}. dense_peaks: {', '.join(MATHS)}; {{}} = no such units, or not known."],
            ["string_view", "ullage/catalog/fabrics.hpp", "ullage/hardware/accelerator.hpp"],
            [line for p in groups.get(name, []) for line in part_row(p, fabrics)])
    symbols = ["&" + p.symbol for p in parts.values()]
    files["accelerators.hpp"] = header(
        ["All rows, group by group."],
        [*(f"ullage/catalog/{g}.hpp" for g in sorted(GROUPS)), "ullage/detail/row_list.hpp"],
        [*wrap(f"inline constexpr ullage::detail::row_list<accelerator, {len(symbols)}> accelerators{{{{", symbols, "}};"), ""])
    files["partitions.hpp"] = header(
        ["Slices of parts that work as devices: MIG profiles, partition modes, dies of a package."],
        ["array", "string_view", "ullage/catalog/accelerators.hpp", "ullage/hardware/partition.hpp"],
        ["/// Sorted by the part, as accelerators are.",
         f"inline constexpr std::array<partition_profile, {len(slices)}> partitions{{{{",
         *(line for s in slices for line in slice_row(s, parts)), "}};", ""])
    files["systems.hpp"] = header(
        ["Machines as they are sold or rented. Opt-in: the umbrella headers do not include it."],
        ["array", "string_view", "ullage/catalog/accelerators.hpp", "ullage/catalog/fabrics.hpp", "ullage/hardware/system.hpp"],
        [f"inline constexpr std::array<hardware_system, {len(systems)}> systems{{{{",
         *(line for s in systems.values() for line in system_row(s, parts, fabrics)), "}};", ""])
    files["names.hpp"] = names(parts, systems, named, read_pci(parts))
    files["absent.hpp"] = absent(parts)
    files["sources.hpp"] = sources(parts, fabrics, systems, slices, named)
    return files


def main(arguments):
    if arguments not in ([], ["--check"]):
        refuse("the only option is --check.")
    files = generate()
    for name, text in files.items():
        path = OUT / name
        old = path.read_text(encoding="utf-8") if path.exists() else None
        if arguments and old != text:
            refuse(f"include/ullage/catalog/{name} differs from cmake/catalog/*.tsv; run cmake/catalog/generate.py.")
        if old != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
