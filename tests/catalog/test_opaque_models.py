#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the built-in opaque models against their layer shapes (opaque_shapes.py): parameters and the bytes of activations
to the byte, published FLOP within 2 %."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import opaque_shapes

PROGRAM = os.environ.get("ULLAGE_PROGRAM")
if not PROGRAM or not os.path.exists(PROGRAM):
    print("the program is not built")
    sys.exit(77)

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def band(b):
    return b["low"], b["mid"], b["high"]


requests = [{"ask": "model", "model": name} for name in opaque_shapes.MODELS]
done = subprocess.run([PROGRAM, "batch"], input="".join(json.dumps(r) + "\n" for r in requests).encode(), capture_output=True, timeout=60)
for name, line in zip(opaque_shapes.MODELS, done.stdout.decode().splitlines()):
    row, derived = json.loads(line), opaque_shapes.figures(name)
    check(row["status"] == "ok", f"{name}: {row.get('message')}")
    if row["status"] != "ok":
        continue
    check(row["parameters"]["total"] == derived["parameters"], f"{name}: {row['parameters']['total']} parameters, shapes give {derived['parameters']}")
    check(abs(row["flop_per_item"] / derived["flop"] - 1) < 0.02, f"{name}: {row['flop_per_item']} FLOP, shapes give {derived['flop']}")
    check(row["kernels"] == derived["kernels"], f"{name}: {row['kernels']} kernels, shapes give {derived['kernels']}")
    check(band(row["moved_bytes_per_item"]) == derived["moved"], f"{name}: moved bytes, shapes give {derived['moved']}")
    check(band(row["activation_bytes_per_item"]) == derived["activation"], f"{name}: activations, shapes give {derived['activation']}")
    # What nothing but shapes stands behind says so.
    check(row["moved_bytes_per_item"]["basis"] == row["activation_bytes_per_item"]["basis"] == "unverified", f"{name}: basis")
# Ultralytics prints the parameters of the folded network as well.
check(opaque_shapes.figures("yolov8n")["folded_parameters"] == 3_151_904 and opaque_shapes.figures("yolov8x")["folded_parameters"] == 68_200_608,
      "parameters with norms folded")

for failure in failures:
    print("FAILED:", failure)
print(f"{len(opaque_shapes.MODELS)} opaque models, {len(failures)} failed")
sys.exit(1 if failures else 0)
