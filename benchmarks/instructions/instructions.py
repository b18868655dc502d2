#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of one hot call, counted by valgrind: the same on every day and under any load, unlike seconds.

instructions.py PROGRAM   each call is run 100 and 300 times and the difference divided; fails beyond the bounds below,
which are what was measured with g++ 12 -O2 and a quarter more. Exit code 77: no valgrind here.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BOUNDS = {"fits": 36_000, "fits_experts": 78_000, "remedies": 462_000, "step": 8_000, "perf": 16_300,
          "gemm": 680, "attention": 980, "all_reduce": 800}

if shutil.which("valgrind") is None:
    print("no valgrind here: instructions are not counted")
    sys.exit(77)


def instructions(call, times):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", sys.argv[1], call, str(times)],
                             capture_output=True, text=True, check=True)
        return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


worse = []
for call, bound in BOUNDS.items():
    each = (instructions(call, 300) - instructions(call, 100)) / 200
    print(f"{call:14s} {each:12,.0f} instructions, bound {bound:,}")
    if each > bound:
        worse.append(call)
if worse:
    print("more instructions than the bound: " + ", ".join(worse))
sys.exit(1 if worse else 0)
