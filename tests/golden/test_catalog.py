#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ullage catalog`: rows against the schema and against each other, names, filters, order, side by side, CSV, sources,
and the mark of what no document confirms."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
PROGRAM = os.environ.get("ULLAGE_PROGRAM")
if not PROGRAM or not os.path.exists(PROGRAM):
    print("the program is not built")
    sys.exit(77)

SCHEMA = json.loads((ROOT / "docs" / "contract.schema.json").read_text())
CATALOG = Draft202012Validator({"$ref": "#/$defs/catalog", "$defs": SCHEMA["$defs"]})
FORMATS = ["fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"]
KINDS = ["accelerators", "systems", "fabrics", "partitions", "models", "absent"]
PLAIN = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def run(*arguments, columns=None):
    env = dict(PLAIN, **({"COLUMNS": str(columns)} if columns else {}))
    done = subprocess.run([PROGRAM, "catalog", *map(str, arguments)], capture_output=True, text=True, timeout=120, env=env, check=False)
    return done.returncode, done.stdout, done.stderr


def text(*arguments, columns=None):
    code, out, err = run(*arguments, columns=columns)
    check(code == 0 and not err, f"{arguments}: {code} {err}")
    return out


def answer(*arguments):
    code, out, err = run(*arguments, "--json")
    check(code == 0 and not err, f"{arguments}: {code} {err}")
    found = json.loads(out)
    for problem in list(CATALOG.iter_errors(found))[:3]:
        check(False, f"{arguments}: schema: {problem.json_path}: {problem.message[:200]}")
    return found


def ids(rows):
    return [row.get("id", row["name"]) for row in rows]


def one_line(out):
    return re.sub(r"\s+", " ", out)


ALL = answer()
PARTS = {row["id"]: row for row in ALL["accelerators"]}

# ---------------------------------------------------------------------------------------------------------------------
# Rows.
for kind in KINDS:
    check(ALL[kind], f"there are {kind}")
    alone = answer(kind)
    check(alone[kind] == ALL[kind] and not any(alone[k] for k in KINDS if k != kind), f"{kind} alone")
for row in ALL["accelerators"] + ALL["partitions"]:
    band, bandwidth = row["visible_bytes"], row["bandwidth_bytes_per_s"]
    if band:
        check(band["low"] <= band["mid"] <= band["high"], f"{row['id']}: {band}")
        if row["memory_process_bytes"]:
            check(band["low"] == band["high"] == row["memory_process_bytes"], f"{row['id']}: what a process is told is exact")
    for form in FORMATS:
        peak = row["dense_flops_per_s"][form]
        check((row["supports"][form] == "native") == (peak is not None), f"{row['id']} {form}: support and peak")
        check(peak is None or row["runs_as"][form] == form, f"{row['id']} {form}: runs as itself")
        stand_in = row["runs_as"][form]
        check(stand_in is None or row["dense_flops_per_s"][stand_in], f"{row['id']} {form}: runs as {stand_in}")
        ridge = row["ridge_flop_per_byte"][form]
        check((ridge is None) == (peak is None or bandwidth is None), f"{row['id']} {form}: ridge")
        check(ridge is None or abs(ridge * bandwidth / peak - 1) < 1e-9, f"{row['id']} {form}: ridge {ridge}")
for row in ALL["partitions"]:
    check(row["whole"] in PARTS and row["id"] in PARTS[row["whole"]]["partitions"], f"{row['id']}: a slice of {row['whole']}")
    check(row["power_w"] is None, f"{row['id']}: no power of its own")
    alone = row["scale_up"]["domain_devices"] == 1
    check(alone or row["scale_up"]["id"] == PARTS[row["whole"]]["scale_up"]["id"], f"{row['id']}: no links, or those of the package")
    check(not alone or not {"fabric", "host_link"} & set(row["bases"]), f"{row['id']}: no basis of links that it does not have")
    check(row["memory_process_bytes"] or "memory_process" not in row["bases"], f"{row['id']}: no basis without a figure")
for row in ALL["systems"]:
    part = PARTS[row["accelerator"]]
    check(row["id"] in part["systems"], f"{row['id']}: of {row['accelerator']}")
    if row["visible_bytes"]:
        check(row["visible_bytes"]["mid"] == row["accelerators"] * part["visible_bytes"]["mid"], f"{row['id']}: memory is a sum")
    if row["scale_out_per_device_bytes_per_s"]:
        total = row["scale_out_per_device_bytes_per_s"] * row["accelerators"]
        check(abs(total / (row["nics"] * row["scale_out"]["per_device_bytes_per_s"]) - 1) < 1e-9, f"{row['id']}: network")
for row in answer("systems", "--sources")["systems"]:
    said = [int(f["value"]) for f in row["figures"] if f["figure"] == "hosts"]
    check(row["hosts"] == (said[0] if said else None), f"{row['id']}: {row['hosts']} hosts, of which the sources say {said}")
for row in ALL["fabrics"]:
    check((row["domain_devices"] is None) == (row["reach"] == "scale_out"), f"{row['id']}: only scale-out has no limit")

# ---------------------------------------------------------------------------------------------------------------------
# Names: of anything, in full.
for kind in KINDS:
    rows = ALL[kind]
    for row in rows[:: max(1, len(rows) // 12)]:
        found = answer(row.get("id", row["name"]))
        check(row.get("id", row["name"]) in ids(found[kind]), f"{kind}: {row.get('id', row['name'])}: {({k: ids(found[k]) for k in KINDS})}")
        check(row["name"] in one_line(text(row.get("id", row["name"]))), f"{kind}: {row['name']} in full")
for row in [r for r in ALL["accelerators"] if r["pci_ids"]][:5]:
    check(row["id"] in ids(answer(row["pci_ids"][0])["accelerators"]), f"PCI id {row['pci_ids'][0]}")
    check(row["id"] in ids(answer(row["pci_ids"][0].upper())["accelerators"]), f"PCI id {row['pci_ids'][0]} in capitals")
found = answer("DGX H100")
check(ids(found["systems"]) == ["dgx-h100"] and "h100-sxm" in ids(found["accelerators"]), "a system, and the part in it")
out = text("DGX H100")
check(out.startswith("DGX H100 (dgx-h100)") and "H100 SXM (h100-sxm)" in out, "a system in full")
for name in ("2x DGX H100", "DGX H100 80GB", "NVIDIA DGX H100 server"):
    check(ids(answer(name)["systems"]) == ["dgx-h100"], f"{name}: a machine with words around it")
check(len(answer("H100")["accelerators"]) > 1, "a name of several parts")
check(ids(answer("H200", "NVL")["accelerators"]) == ["h200-nvl"], "a name in two words")

# ---------------------------------------------------------------------------------------------------------------------
# Filters: as the rows say, and rows without the figure are counted.
GIB = 2**30
visible = lambda r: r["visible_bytes"] and r["visible_bytes"]["mid"]
known = {"not known": None, "native": True, "lacking": False}
cases = [
    (("--vendor", "amd"), lambda r: r["vendor"] == "AMD"),
    (("--vendor", "raspberry_pi"), lambda r: r["vendor"] == "Raspberry Pi"),
    (("--class", "Datacenter"), lambda r: r["class"] and r["class"] == "datacenter"),
    (("--form", "sxm"), lambda r: r["form"] and r["form"] == "SXM"),
    (("--format", "fp8"), lambda r: known[r["supports"]["fp8"]]),
    (("--min-memory", "80GB"), lambda r: visible(r) and visible(r) >= 80e9),
    (("--min-memory", "80GiB"), lambda r: visible(r) and visible(r) >= 80 * GIB),
    (("--max-memory", "24GB"), lambda r: visible(r) and visible(r) <= 24e9),
    (("--min-bandwidth", "3TB/s"), lambda r: r["bandwidth_bytes_per_s"] and r["bandwidth_bytes_per_s"] >= 3e12),
    (("--min-bandwidth", "900GB/s"), lambda r: r["bandwidth_bytes_per_s"] and r["bandwidth_bytes_per_s"] >= 9e11),
    (("--max-power", "75W"), lambda r: r["power_w"] and r["power_w"] <= 75),
    (("--min-year", "2024"), lambda r: r["year"] and r["year"] >= 2024),
    (("--max-year", "2018"), lambda r: r["year"] and r["year"] <= 2018),
    (("--status", "announced"), lambda r: r["status"] == "announced"),
]
for words, passes in cases + [(cases[0][0] + cases[4][0], lambda r: None if (r["vendor"] == "AMD" and known[r["supports"]["fp8"]] is None) else r["vendor"] == "AMD" and known[r["supports"]["fp8"]])]:
    found = answer(*words)
    for kind in ("accelerators", "partitions"):
        expected = [r["id"] for r in ALL[kind] if passes(r)]
        check(ids(found[kind]) == expected, f"{words}: {kind}: {set(ids(found[kind])) ^ set(expected)}")
        unknown = sum(passes(r) is None for r in ALL[kind])
        check(found["left_out"][kind] == unknown, f"{words}: {kind}: {found['left_out']} and {unknown}")
    if words[0] in ("--format", "--min-memory", "--max-memory", "--min-bandwidth", "--max-power", "--class", "--form") and len(words) == 2:
        expected = [r["id"] for r in ALL["systems"] if passes(PARTS[r["accelerator"]])]
        check(ids(found["systems"]) == expected, f"{words}: systems by their part")
    check(not found["models"] and not found["fabrics"], f"{words}: neither models nor fabrics")
sellers = {"aws": lambda r: r["vendor"] == "AWS" or PARTS[r["accelerator"]]["vendor"] == "AWS"}
for word, passes in sellers.items():
    check(ids(answer("systems", "--vendor", word)["systems"]) == [r["id"] for r in ALL["systems"] if passes(r)], f"systems of {word}")
left = answer("accelerators", "--max-power", "75W")["left_out"]["accelerators"]
check(left > 0 and f"{left} more rows were left out" in one_line(text("accelerators", "--max-power", "75W")), "the table counts them too")
check("Nothing of the catalogue passes" in text("--min-memory", "900TB"), "nothing passes")

# ---------------------------------------------------------------------------------------------------------------------
# Order.
for word, number in (("memory", visible), ("bandwidth", lambda r: r["bandwidth_bytes_per_s"]), ("power", lambda r: r["power_w"]),
                     ("year", lambda r: r["year"]), ("fp8", lambda r: r["dense_flops_per_s"]["fp8"])):
    for kind in ("accelerators", "systems"):
        numbers = [number(r) for r in answer(kind, "--sort", word)[kind]]
        there = [n for n in numbers if n is not None]
        check(there == sorted(there, reverse=True) and numbers[: len(there)] == there and len(numbers) == len(ALL[kind]), f"{kind} by {word}")
names = [r["name"].lower() for r in answer("accelerators", "--sort", "name")["accelerators"]]
check(names == sorted(names), "by name")
rates = [r["per_device_bytes_per_s"] for r in answer("fabrics", "--sort", "bandwidth")["fabrics"]]
check(rates == sorted(rates, reverse=True), "fabrics by bandwidth")

# ---------------------------------------------------------------------------------------------------------------------
# Bad values: one sentence with what was found and expected.
for words, parts in (
        (("--vendor", "nvdia"), ["--vendor", "nvdia", "NVIDIA"]),
        (("--class", "gpu"), ["--class", "gpu", "datacenter"]),
        (("--form", "sxmm"), ["--form", "SXM"]),
        (("--format", "fp7"), ["--format", "fp7", "fp8"]),
        (("--status", "old"), ["--status", "shipping"]),
        (("--sort", "price"), ["--sort", "price", "bandwidth"]),
        (("fabrics", "--sort", "power"), ["--sort", "bandwidth or name"]),
        (("models", "--vendor", "amd"), ["--vendor", "accelerators"]),
        (("--min-memory", "80G"), ["--min-memory", "GB", "GiB"]),
        (("--min-memory", "much"), ["--min-memory", "24GB"]),
        (("--min-bandwidth", "3"), ["--min-bandwidth", "3TB/s"]),
        (("--min-bandwidth", "3Tbit/s"), ["--min-bandwidth", "3TB/s"]),
        (("--max-power", "low"), ["--max-power", "700W"]),
        (("--min-year", "-5"), ["--min-year", "-5", "more than 0"]),
        (("--max-power", "0W"), ["--max-power", "more than 0"]),
        (("--min-year", "soon"), ["--min-year", "whole number"]),
        (("--json", "--csv"), ["--json", "--csv"]),
        (("h200-sxm", "--compare", "Cray-1"), ["--compare", "Cray-1", "nearest"]),
        (("h200-sxm", "--compare", "l4", "--vendor", "amd"), ["--vendor", "compare"]),
        (("h200-sxm", "--compare", "DGX H100"), ["--compare is", '"DGX H100"', "a system", '"H100 SXM"']),
        (("h200-sxm", "--compare", "l4", "--compare", "p5.48xlarge", "--csv"), ["--compare is", "p5.48xlarge", "a system"]),
        (("DGX H100", "--compare", "h200-sxm", "--json"), ["name is", "a system", '"H100 SXM"']),
        (("h200-sxm", "--compare", "DGX H100 80GB"), ["--compare is", "a system", '"H100 SXM"']),
        (("h200-sxm", "--compare", "Gaudi 1"), ["--compare is", "known as Gaudi 1", "peaks"]),
        (("accelerators", "H100 SXM 1g.10gb"), ["a slice of H100 SXM", "partitions"]),
        (("accelerators", "Gaudi 1"), ["known as Gaudi 1", "absent"]),
        (("absent", "--min-memory", "80GB"), ["--min-memory", "absent parts", "no figure is recorded"]),
        (("absent", "--vendor", "nvidia", "--max-power", "80W"), ["--max-power", "absent parts", "expected vendor alone"]),
        (("fabrics", "--vendor", "nvidia"), ["--vendor filters accelerators"]),
        (("systems", "AMD DGX H100"), ["nearest", "DGX H100"]),
        (("no such thing at all",), ["nearest"]),
        (("systems", "dgx-h10"), ["nearest", "DGX H100"]),
        (("fabrics", "nvlink-4-hgxx"), ["nearest", "nvlink-4-hgx"])):
    code, out, err = run(*words)
    check(code == 2, f"{words}: exit {code}")
    check(err.startswith("ullage: ") and err.count("\n") == 1, f"{words}: one line: {err!r}")
    check(out == "" or "--json" in words, f"{words}: {out[:80]!r}")
    for part in parts:
        check(part in err, f"{words}: {part} is not in {err!r}")

# ---------------------------------------------------------------------------------------------------------------------
# Side by side.
words = ("H200 SXM", "--compare", "MI300X", "--compare", "B200")
found = answer(*words)
check(found["compared"] == ["h200-sxm", "mi300x", "b200"] and set(ids(found["accelerators"])) == set(found["compared"]), "what was compared")
wide = text(*words, columns=160)
head = wide.splitlines()[0]
check(head.split() == ["H200", "SXM", "MI300X", "B200"], f"a column a part: {head}")
rows = {line[:26].strip(): line[26:].split() for line in wide.splitlines()[1:] if line.strip()}
sold = [PARTS[i]["memory_sold_bytes"] for i in found["compared"]]
cells = re.findall(r"[\d.]+ ?\*?", " ".join(rows["memory as sold, GB"]))
check([float(c.strip(" *")) * 1e9 for c in cells] == sold, f"memory as sold: {cells}")
check([c.endswith("*") for c in cells] == [s == max(sold) for s in sold], f"the best is marked: {cells}")
for title in ("visible, GiB", "bandwidth, TB/s", "bf16, dense TFLOP/s", "ridge bf16, FLOP/B", "links, GB/s one way", "devices joined",
              "host link, GB/s one way", "power, W", "year", "bandwidth, GB/s a watt", "bf16, TFLOP/s a watt"):
    check(any(line.startswith(title) for line in wide.splitlines()), f"side by side: {title}")
check("*" not in next(line for line in wide.splitlines() if line.startswith("year")), "no year is the best")
narrow = text(*words, columns=60)
check(re.search(r"^H200 SXM\n  ", narrow) and re.search(r"^MI300X\n  ", narrow, re.M) and "* = the best" in narrow, "narrow: one after the other")
check(set(ALL) < set(found) and not any(found[k] for k in KINDS if k not in ("accelerators", "partitions")), f"every list: {sorted(found)}")
check(answer("H200 SXM", "--compare", "h200-sxm")["compared"] == ["h200-sxm"], "each once")
check(len(answer("H100", "--compare", "l4")["compared"]) > 2, "a name of several parts brings them all")
slice_id = ALL["partitions"][0]["id"]
check(answer("l4", "--compare", slice_id)["compared"] == ["l4", slice_id], "a slice beside a part")

# ---------------------------------------------------------------------------------------------------------------------
# Comma separated values.
UNITS = ("_bytes", "_bytes_per_s", "_flops_per_s", "_flop_per_byte", "_w", "_s", "_devices", "_tokens", "_per_token")
COUNTS = {"year", "compute_units", "copies", "accelerators", "hosts", "nics", "cpus", "links", "layers", "hidden", "vocabulary", "parameters",
          "active_parameters", "embedding_parameters", "mtp_parameters"}
for kind in KINDS:
    rows = list(csv.DictReader(io.StringIO(text(kind, "--csv")), strict=True))
    check([r.get("id", r["name"]) for r in rows] == ids(ALL[kind]), f"{kind}: a line a row")
    for row in rows:
        check(None not in row and None not in row.values(), f"{kind}: {row.get('id')}: as many cells as columns")
        for column, value in row.items():
            if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", value or "") and column not in COUNTS and column not in ("id", "name"):
                check(column.endswith(UNITS), f"{kind}: {column} = {value} has no unit")
rows = {r["id"]: r for r in csv.DictReader(io.StringIO(text("--csv")), strict=True)}
check(list(rows) == list(PARTS), "without a kind: accelerators")
for row in ALL["accelerators"]:
    line = rows[row["id"]]
    check(line["bandwidth_bytes_per_s"] == "" if row["bandwidth_bytes_per_s"] is None else float(line["bandwidth_bytes_per_s"]) == row["bandwidth_bytes_per_s"], f"{row['id']}: bandwidth")
    check(line["visible_mid_bytes"] == str(visible(row) or ""), f"{row['id']}: visible")
    check(line["fp8_basis"] == row["bases"].get("peak_fp8", ""), f"{row['id']}: basis of fp8")
    check(line["bandwidth_basis"] == row["bandwidth_basis"] and line["visible_basis"] == (row["visible_bytes"] or {}).get("basis", ""), f"{row['id']}: bases")
check("?" not in text("--csv"), "no mark: there are columns of bases")
check(any("," in r["why"] for r in csv.DictReader(io.StringIO(text("absent", "--csv")), strict=True)), "commas in quotes")
check([r["id"] for r in csv.DictReader(io.StringIO(text("dgx-h100", "--csv")))] == ["dgx-h100"], "CSV of a system by name")
check([r["id"] for r in csv.DictReader(io.StringIO(text(*words, "--csv")))] == found["compared"], "CSV of what is compared")
figures = list(csv.DictReader(io.StringIO(text("mi300x", "--sources", "--csv")), strict=True))
check(any(f["why_not_taken"] for f in figures) and all(f["source"] and f["date"] for f in figures), "CSV of figures")

# ---------------------------------------------------------------------------------------------------------------------
# What no document confirms is marked wherever it stands.
legend = "? = unverified"
for row in ALL["accelerators"]:
    if row["bandwidth_basis"] == "unverified" and row["bases"]["memory_sold"] != "unverified":
        doubtful = row
        break
sure = PARTS["h200-sxm"]
check(not any(b == "unverified" for b in sure["bases"].values()) or sure, "a part that documents confirm")
out = text(doubtful["id"])
check(re.search(r"^  bandwidth +\S+ GB/s\?$", out, re.M) and one_line(out).count(legend) == 1, f"in full: {doubtful['id']}")
check(re.search(r"^  memory as sold +[^?\n]+$", out, re.M), "and only that")
if all(b != "unverified" for b in sure["bases"].values()):
    check("?" not in text("h200-sxm"), "no mark and no legend where all is confirmed")
out = text("accelerators", columns=160)
line = next(line for line in out.splitlines() if line.startswith(doubtful["name"] + "  "))
tbps = doubtful["bandwidth_bytes_per_s"] / 1e12
check(re.search(rf"\b{tbps:.2f}\?", line) or re.search(rf"\b{tbps:.3f}\?", line), f"in the list: {line}")
check(one_line(out).count(legend) == 1, "one legend")
out = text("h200-sxm", "--compare", doubtful["id"], columns=160)
check(re.search(r"^bandwidth, TB/s.*\?", out, re.M) and one_line(out).count(legend) == 1, "side by side")
for kind, name in (("systems", "host_memory"), ("fabrics", "per_device")):
    if any(r["bases"].get(name) == "unverified" for r in ALL[kind]):
        check("?" in text(kind, columns=200) and one_line(text(kind, columns=200)).count(legend) == 1, f"in the list of {kind}")

# ---------------------------------------------------------------------------------------------------------------------
# What a part lacks, and what its peaks mean.
for row in ALL["accelerators"]:
    if row["supports"]["fp8"] == "lacking" and row["runs_as"]["fp8"] == "bf16":
        check(re.search(r"^  fp8 +no units, runs as bf16$", text(row["id"]), re.M), f"{row['id']}: fp8 runs as bf16")
        break
for row in ALL["accelerators"]:
    if row["supports"]["fp4"] == "not known":
        check(re.search(r"^  fp4 +no figure", text(row["id"]), re.M), f"{row['id']}: fp4 is not known")
        break
halved = next(r for r in ALL["accelerators"] if r["halves_fp32_accumulate"])
check("with fp16 accumulate twice that" in text(halved["id"]), f"{halved['id']}: fp16 accumulate")
check(re.search(r"dense peak, bf16 .*ridge \d+ FLOP/B", text("h200-sxm")), "ridge points in full")

# ---------------------------------------------------------------------------------------------------------------------
# Sources, of every kind, and what others state.
for kind in ("accelerators", "systems", "fabrics", "partitions"):
    for row in answer(kind, "--sources")[kind]:
        check(row["figures"] and all(f["source"] and f["date"] for f in row["figures"]), f"{row['id']}: sources")
for name in ("dgx-h100", "nvlink-4-hgx", slice_id, "h200-sxm"):
    check(re.search(r"(datasheet|driver|transferred) 20\d\d-\d\d", text(name, "--sources")), f"{name} --sources")
others = next(r for r in answer("accelerators", "--sources")["accelerators"] if r["other_figures"])
out = one_line(text(others["id"], "--sources"))
check("not taken" in out and one_line(others["other_figures"][0]["why"])[:40] in out, f"{others['id']}: what others state")

# ---------------------------------------------------------------------------------------------------------------------
# Widths.
for words in ((), *((k,) for k in KINDS), ("--sort", "memory"), ("h200-sxm",), ("rtx-4090", "--sources"), ("dgx-h100",), ("nvlink-4-hgx",),
              ("H200 SXM", "--compare", "MI300X", "--compare", "B200", "--compare", "RTX 4090")):
    for columns in (72, 80, 100, 160):
        for line in text(*words, columns=columns).splitlines():
            check(len(line) <= columns, f"{words} at {columns}: {len(line)}: {line}")
list80 = text("accelerators", columns=80).splitlines()
check(re.match(r"NVIDIA \(\d+\) +GiB +TB/s +16-bit +fp8", list80[0]), f"what stays at 80 columns: {list80[0]}")

for failure in failures[:40]:
    print("failed:", failure)
print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
