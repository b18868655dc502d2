#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The catalogue's figures agree with each other and with what is known of the chips.

Every rule prints how many rows it held for. Rows that a rule does not hold for stand in a table with the reason; a row
that needs no exception any more has to leave its table.
"""
import collections
import importlib.util
import os
import pathlib
import re
import statistics
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE / "cmake" / "catalog"
INCLUDE = SOURCE / "include" / "ullage"

sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_file_location("generate", DATA / "generate.py")
generate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(generate)

FABRICS = generate.read_fabrics()
PARTS, GROUPS = generate.read_parts(FABRICS)
SYSTEMS = generate.read_systems(PARTS, FABRICS)
MIB = 2**20
GIB = 2**30

# FLOP of one unit (SM, CU, Xe core, Tensix) in one clock: fp32 by the vector units, and dense products of 16-bit
# operands summed in fp32. GeForce and its kin (halves_fp32_accumulate) do half of the latter.
RATES = {
    "pascal": (128, 256, "NVIDIA GP100 white paper: 64 lanes, fp16 in pairs"),
    "pascal sm_61": (256, None, "NVIDIA GP104 white paper: 128 lanes, fp16 at 1/64"),
    "volta": (128, 1024, "NVIDIA V100 white paper: 8 tensor cores of 64 FMA"),
    "turing": (128, 1024, "NVIDIA Turing white paper: 8 tensor cores of 64 FMA"),
    "ampere": (128, 2048, "NVIDIA A100 white paper: 4 tensor cores of 256 FMA"),
    "ampere_rtx": (256, 1024, "NVIDIA GA102 white paper: 4 tensor cores of 128 FMA"),
    "ada": (256, 1024, "NVIDIA Ada white paper: 4 tensor cores of 128 FMA"),
    "hopper": (256, 4096, "NVIDIA H100 white paper: 4 tensor cores of 512 FMA"),
    "blackwell": (256, 8192, "NVIDIA CUTLASS documentation: tcgen05.mma at twice the rate of Hopper's wgmma"),
    "blackwell_ultra": (256, 8192, "as Blackwell but for fp4 and int8"),
    "blackwell_rtx": (256, 1024, "NVIDIA RTX Blackwell white paper: 4 tensor cores of 128 FMA"),
    "orin": (256, 2048, "NVIDIA Jetson AGX Orin technical brief: 170 sparse int8 TOPS of 16 SMs at 1.3 GHz"),
    "thor": (256, 8192, "NVIDIA Jetson Thor technical brief TB-12572-001, table 2"),
    "cdna1": (128, 1024, "ROCm documentation, MI100: 1024 FLOP a CU and clock, bf16 half of it"),
    "cdna2": (128, 1024, "ROCm documentation, MI250: 1024 FLOP a CU and clock"),
    "cdna3": (256, 2048, "ROCm documentation, MI300: 2048 FLOP a CU and clock"),
    "cdna4": (256, 4096, "AMD CDNA 4 white paper: twice CDNA 3"),
    "gcn": (128, 256, "AMD Vega 20: 64 lanes, fp16 in pairs"),
    "rdna2": (128, 256, "AMD RDNA 2: 64 lanes, fp16 in pairs"),
    "rdna3": (256, 512, "GPUOpen, WMMA on RDNA 3: 512 FLOP a CU and clock"),
    "rdna3_5": (256, 512, "GPUOpen, WMMA on RDNA 3: 512 FLOP a CU and clock"),
    "rdna4": (256, 1024, "AMD RDNA 4: twice RDNA 3"),
    "xe_hpc": (256, 4096, "Intel Xe-HPC: 8 matrix engines of 512 FLOP"),
    "xe_hpg": (256, 2048, "Intel Xe-HPG: 16 matrix engines of 128 FLOP"),
    "xe2": (256, 2048, "Intel Xe2: 8 matrix engines of 256 FLOP"),
    "tenstorrent": (None, 1024, "docs.tenstorrent.com, Wormhole: 74 TFLOP/s of 72 cores at 1 GHz"),
}
# The vendor's 16-bit peak is at another clock than the boost clock that it prints, MHz.
SPEC_CLOCK = {
    **dict.fromkeys(("h100-sxm", "h100-sxm-96gb", "h100-sxm-94gb", "h200-sxm", "h800-sxm", "gh200-96gb", "gh200-144gb"),
                    (1830, "989.4 TFLOP/s are at 1830 MHz; the highest clock is 1980")),
    "h100-pcie": (1620, "756 TFLOP/s are at 1620 MHz; the highest clock is 1755"),
    **dict.fromkeys(("h100-nvl", "h200-nvl"), (1545, "835.5 TFLOP/s are at 1545 MHz; the highest clock is 1785")),
    "titan-v": (1343, "NVIDIA states 110 TFLOP/s; at the boost clock it would be 119"),
    "rtx-5090-laptop": (2716, "NVIDIA's AI TOPS imply a higher clock than the boost clock of the lowest power limit"),
}
# 16-bit peaks that are no multiple of the family's rate.
OWN_RATE = {
    "h20": "cut for export: 148 TFLOP/s, a quarter of the rate of Hopper",
    "rx-580": "Polaris (gfx803) does not pair fp16: the fp32 rate",
    "core-ultra-7-155h": "Meteor Lake has no matrix engines: packed fp16 of the vector units",
    **dict.fromkeys(("blackhole-p150", "blackhole-p100a"),
                    "counted as half of the 8-bit rate, at lower fidelity than the vendor's 16-bit figure of Wormhole"),
}
# fp32 peaks likewise.
OWN_RATE_FP32 = {
    "h20": "44 TFLOP/s are quoted everywhere; 78 SMs at 1980 MHz give 39.5",
    **dict.fromkeys(("arc-b580", "arc-b570"), "stated at the usual clock, the matrix rate at the highest"),
}

# fp8 over bf16 is once (same units) or twice; fp4 over fp8 once to four times.
FP8_OVER_BF16 = {
    "vr200": "NVIDIA states 17.5 PFLOP/s in fp8, half of the dense fp4 rate, and 4 in bf16",
    "trainium3": "AWS states 2517 in MXFP8 and 671 in bf16",
    "tpu-8t": "jax tpu_info.py: 5976.9 in fp8 and 996.1 in bf16, six times",
    "tpu-8i": "jax tpu_info.py: 8808 in fp8 and 1101 in bf16, eight times",
    "ascend-950dt": "Huawei's figures as published: 919 and 486",
}
FP4_OVER_FP8 = {
    **dict.fromkeys(("rtx-5090-d", "rtx-5090-d-v2"), "fp4 is cut for export to 2375 AI TOPS, fp8 is not"),
    "tpu-8t": "fp4 as announced (12.6 PFLOP/s), fp8 by jax tpu_info.py",
    "tpu-8i": "fp4 as announced (10.1 PFLOP/s), fp8 by jax tpu_info.py",
}
# FLOP a byte at which the best 16-bit peak and the memory take equally long.
RIDGE = {
    "groq-lpu-v1": "all memory is on the chip: 80 TB/s for 188 TFLOP/s",
    "jetson-agx-orin-cpu": "12 cores share the memory bus that is built for the GPU",
}
# fp16 over fp32: 4 (Turing: 8), and half of it where fp32 accumulate is halved.
HALVED = {
    "rtx-5090-laptop": "tensor peaks follow the AI TOPS, fp32 the boost clock",
}


def value(row, figure):
    return float(row.number(figure))


def has(row, *figures):
    return all(f in row for f in figures)


def is_cpu(part):
    return part.text("class") == "cpu"


def label_bytes(part):
    """The label read in powers of two, as memory_by_label does."""
    return value(part, "memory_sold") * GIB


def rates(part):
    """FLOP of one unit and clock, fp32 and 16-bit; None where not documented."""
    own = f"{part.text('family')} {part.text('target')}"
    return RATES.get(own, RATES.get(part.text("family"), (None, None)))[:2]


def best_16_bit(part):
    return max((value(part, f) for f in ("peak_fp16", "peak_bf16") if f in part), default=None)


class Rules(unittest.TestCase):
    def holds(self, rule, cases, exceptions=None, least=1):
        """`cases`: (row, whether it holds, what it says). Prints n; fails with the rows."""
        exceptions = exceptions or {}
        cases = list(cases)
        missed = [(who, said) for who, ok, said in cases if not ok]
        excepted = {who for who, _ in missed if who in exceptions}
        print(f"{rule}: n = {len(cases)}" + (f", exceptions: {', '.join(sorted(excepted))}" if excepted else ""))
        wrong = [f"{who}: {said}" for who, said in missed if who not in exceptions]
        wrong += [f"{who} needs no exception any more: {why}" for who, why in exceptions.items() if who not in excepted]
        self.assertEqual(wrong, [], rule)
        self.assertGreaterEqual(len(cases), least, f"{rule}: too few rows")

    def near(self, rule, cases, share, exceptions=None, least=1):
        """`cases`: (row, stated, expected)."""
        self.holds(rule, [(who, abs(said - expected) <= share * expected, f"states {said:g}, expected {expected:g}")
                          for who, said, expected in cases], exceptions, least)


class Size(Rules):
    def test_breadth(self):
        accelerators = [p for p in PARTS.values() if not is_cpu(p)]
        print(f"accelerators {len(accelerators)}, CPUs {len(PARTS) - len(accelerators)}, systems {len(SYSTEMS)}, "
              f"fabrics {len(FABRICS)}, slices {len(generate.read_slices(PARTS))}")
        self.assertGreaterEqual(len(PARTS), 140)
        self.assertGreaterEqual(len(SYSTEMS), 40)


class Sources(Rules):
    def figures(self):
        for table in (PARTS, FABRICS, SYSTEMS):
            for row in table.values():
                yield from row.figures.values()

    def test_every_figure_has_a_source_and_a_date(self):
        self.holds("source and date", ((f"{f.part} {f.figure}", len(f.source) > 2 and
                                        re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", f.date) and f.date <= "2026-12",
                                        f"{f.source!r}, {f.date}") for f in self.figures()), least=7000)

    def test_confidence(self):
        for group, rows in [*GROUPS.items(), ("fabrics", FABRICS.values()), ("systems", SYSTEMS.values())]:
            counts = collections.Counter(f.confidence for row in rows for f in row.figures.values())
            print(f"confidence, {group}: " + ", ".join(f"{c} {counts[c]}" for c in generate.CONFIDENCES if counts[c]))
            self.assertGreater(counts["datasheet"] + counts["driver"], 0, group)

    def test_sources_hpp_states_each_figure_once(self):
        text = (INCLUDE / "catalog" / "sources.hpp").read_text(encoding="utf-8")
        string = r'"((?:[^"\\]|\\.)*)",\s+'
        entry = re.compile(r"\{" + string * 6 + r"basis::(\w+)\}")
        for array, table in (("accelerator_figures", PARTS), ("fabric_figures", FABRICS), ("system_figures", SYSTEMS)):
            body = re.search(rf"> {array}\{{\{{\n(.*?)\n\}}\}};", text, re.DOTALL).group(1)
            stated = collections.Counter(tuple(re.sub(r"\\(.)", r"\1", c) for c in m.groups())
                                         for m in entry.finditer(body))
            figures = [f for row in table.values() for f in row.figures.values()]
            self.holds(array, ((f"{f.part} {f.figure}",
                                stated[(f.part, f.figure, f.value, f.unit, f.source, f.date, f.confidence)] == 1,
                                "not once in sources.hpp") for f in figures))
            self.assertEqual(sum(stated.values()), len(figures), array)


class Memory(Rules):
    def test_bandwidth_is_width_times_rate(self):
        self.near("bandwidth = bus width x rate / 8",
                  ((p.id, value(p, "bandwidth"), value(p, "memory_bus_width") * value(p, "memory_rate") / 8)
                   for p in PARTS.values() if has(p, "memory_bus_width", "memory_rate")), 0.02, least=60)

    def test_driver_total_is_the_label_less_a_little(self):
        def cases():
            for p in PARTS.values():
                if "memory_driver" in p and not p.flag("memory_shared"):
                    share = p["memory_driver"].bytes() / label_bytes(p)
                    yield p.id, 0.90 <= share <= 1.01, f"{share:.4f} of its label"
        self.holds("driver total in [0.90, 1.01] of the label", cases(), least=60)

    def test_process_total_is_the_drivers_less_a_little(self):
        def cases():
            for p in PARTS.values():
                if has(p, "memory_driver", "memory_process"):
                    share = p["memory_process"].bytes() / p["memory_driver"].bytes()
                    yield p.id, 0.93 < share <= 1, f"{share:.4f} of the driver's total"
        self.holds("process total in (0.93, 1] of the driver's", cases(), least=10)


class Peaks(Rules):
    def test_sparse_is_twice_dense(self):
        self.near("sparse = 2 x dense",
                  ((p.id, value(p, f"sparse_{m}"), value(p, f"peak_{m}") *
                    (float(p.number("sparse_factor_fp4", 2)) if m == "fp4" else 2))
                   for p in PARTS.values() for m in generate.MATHS if f"sparse_{m}" in p), 0.01, least=60)
        ultra = {p.id for p in PARTS.values() if "sparse_factor_fp4" in p}
        self.assertEqual({PARTS[id].text("family") for id in ultra}, {"blackwell_ultra"})

    def ratio(self, over, under, allowed, exceptions, share=0.03):
        def cases():
            for p in PARTS.values():
                if has(p, f"peak_{over}", f"peak_{under}"):
                    r = value(p, f"peak_{over}") / value(p, f"peak_{under}")
                    yield p.id, any(abs(r - a) <= share * a for a in allowed(p)), f"{over} is {r:.3f} times {under}"
        self.holds(f"{over} over {under}", cases(), exceptions, least=25)

    def test_fp8_over_bf16(self):
        self.ratio("fp8", "bf16", lambda p: (1, 2), FP8_OVER_BF16)

    def test_fp4_over_fp8(self):
        def allowed(p):
            if p.text("family") == "blackwell_ultra":
                return (3,)  # fp4 raised by half, fp8 not
            if p.flag("halves_fp32_accumulate"):
                return (4,)  # fp8 is halved by fp32 accumulate, fp4 is not
            return (1, 2) if p.text("family") == "neuron" else (2,)
        self.ratio("fp4", "fp8", allowed, FP4_OVER_FP8)

    def test_tf32_is_half_of_bf16_on_nvidia(self):
        self.near("tf32 = bf16 / 2, NVIDIA",
                  ((p.id, value(p, "peak_tf32"), value(p, "peak_bf16") / 2) for p in PARTS.values()
                   if p.text("vendor") == "nvidia" and has(p, "peak_tf32", "peak_bf16")), 0.03, least=60)

    def test_halved_accumulate(self):
        def cases():
            for p in PARTS.values():
                graphics = p.text("family") in ("turing", "ampere_rtx", "ada", "blackwell_rtx")
                if graphics and has(p, "peak_fp16", "peak_fp32"):
                    full = 8 if p.text("family") == "turing" else 4
                    yield (p.id, value(p, "peak_fp16") / value(p, "peak_fp32"),
                           full / 2 if p.flag("halves_fp32_accumulate") else full)
        self.near("fp16 over fp32, graphics chips of NVIDIA", cases(), 0.03, HALVED, least=60)

    def test_ridge(self):
        def cases():
            for p in PARTS.values():
                peak = best_16_bit(p)
                if peak is not None:
                    ridge = peak * 1000 / value(p, "bandwidth")
                    yield p.id, 5 <= ridge <= (1500 if is_cpu(p) else 1200), f"ridge at {ridge:.1f} FLOP a byte"
        self.holds("ridge of the best 16-bit peak", cases(), RIDGE, least=140)

    def test_peaks_follow_units_and_clock(self):
        def tflops(p, rate, mhz):
            return value(p, "compute_units") * rate * mhz * 1e-6

        def cases():
            for p in PARTS.values():
                rate = rates(p)[1]
                if rate and has(p, "compute_units", "boost_clock"):
                    rate /= 2 if p.flag("halves_fp32_accumulate") else 1
                    for m in ("fp16", "bf16"):
                        if f"peak_{m}" in p:
                            half = 0.5 if p.text("family") == "cdna1" and m == "bf16" else 1
                            yield p, value(p, f"peak_{m}"), rate * half
        cases = list(cases())
        self.near("16-bit peak = units x rate x boost clock",
                  ((p.id, said, tflops(p, rate, value(p, "boost_clock"))) for p, said, rate in cases), 0.06,
                  {**{id: why for id, (_, why) in SPEC_CLOCK.items()}, **OWN_RATE}, least=100)
        self.near("16-bit peak = units x rate x the clock that it is stated at",
                  ((p.id, said, tflops(p, rate, SPEC_CLOCK[p.id][0])) for p, said, rate in cases if p.id in SPEC_CLOCK),
                  0.005)

    def test_fp32_follows_units_and_clock(self):
        self.near("fp32 peak = units x rate x boost clock",
                  ((p.id, value(p, "peak_fp32"),
                    value(p, "compute_units") * rates(p)[0] * value(p, "boost_clock") * 1e-6)
                   for p in PARTS.values() if rates(p)[0] and has(p, "compute_units", "boost_clock", "peak_fp32")),
                  0.06, OWN_RATE_FP32, least=100)


class Fabrics(Rules):
    def test_sums(self):
        fabrics = FABRICS.values()
        self.near("both ways = 2 x one way", ((f.id, value(f, "both_ways"), 2 * value(f, "per_device"))
                                              for f in fabrics if "both_ways" in f), 0.001, least=90)
        self.near("one device = links x link", ((f.id, value(f, "per_device"), value(f, "links") * value(f, "per_link"))
                                                for f in fabrics if has(f, "links", "per_link")), 0.001, least=90)
        self.near("mesh: sum = peers x peer",
                  ((f.id, value(f, "per_device"), (value(f, "domain") - 1) * value(f, "per_peer"))
                   for f in fabrics if f.text("topology") == "mesh"), 0.001, least=10)
        self.near("switched: peer = sum", ((f.id, value(f, "per_peer"), value(f, "per_device"))
                                           for f in fabrics if f.text("topology") == "switched"), 0.001, least=30)
        self.near("port: bits / 8", ((f.id, value(f, "per_device"), value(f, "port_rate") / 8)
                                     for f in fabrics if f.text("reach") == "scale_out" and "port_rate" in f), 0.001,
                  least=20)


class Systems(Rules):
    def test_domain(self):
        def cases():
            for s in SYSTEMS.values():
                fabric = s.text("fabric", PARTS[s.text("accelerator")].text("fabric"))
                if fabric != "none":
                    n = value(s, "accelerators")
                    joins = value(FABRICS[fabric], "domain")
                    domain = float(s.number("fabric_domain", min(n, joins)))
                    yield (s.id, domain <= n and domain <= joins and n % domain == 0,
                           f"domain of {domain:g} in {n:g}, {fabric} joins {joins:g}")
        self.holds("fabric domain divides the system and fits the fabric", cases(), least=40)

    def test_memory_total(self):
        def cases():
            for s in SYSTEMS.values():
                if "memory_total" in s:
                    part, n = PARTS[s.text("accelerator")], value(s, "accelerators")
                    each = [part["memory_sold"].bytes(), label_bytes(part)]
                    each += [part["memory_driver"].bytes()] if "memory_driver" in part else []
                    said = s["memory_total"].bytes()
                    yield (s.id, min(abs(said - n * e) / said for e in each) <= 0.03,
                           f"states {said / 1e9:g} GB, {n:g} x {part.id} are {n * each[0] / 1e9:g}")
        self.holds("memory total = sum of the parts", cases(), least=40)

    def test_other_totals(self):
        systems = [(s, PARTS[s.text("accelerator")], value(s, "accelerators")) for s in SYSTEMS.values()]
        self.near("bandwidth total = sum of the parts",
                  ((s.id, value(s, "bandwidth_total"), n * value(p, "bandwidth"))
                   for s, p, n in systems if "bandwidth_total" in s), 0.03, least=15)

        def ports():
            for s, _, _ in systems:
                if has(s, "scale_out_total", "nics"):
                    port = value(FABRICS[s.text("scale_out")], "per_device")
                    yield s.id, value(s, "scale_out_total"), value(s, "nics") * port
        self.near("scale-out total = ports x rate", ports(), 0.001, least=40)

    def test_headlines(self):
        def cases():
            for s in SYSTEMS.values():
                part, n = PARTS[s.text("accelerator")], value(s, "accelerators")
                for figure in s.figures:
                    if figure.startswith("headline_"):
                        m, _, kind = figure.removeprefix("headline_").partition("_")
                        source = f"sparse_{m}" if kind == "sparse" and f"sparse_{m}" in part else f"peak_{m}"
                        twice = 2 if kind == "sparse" and source == f"peak_{m}" else 1
                        yield f"{s.id} {figure}", value(s, figure), n * twice * value(part, source)
        self.near("headline = sum of the parts", cases(), 0.03, least=30)


if __name__ == "__main__":
    unittest.main()
