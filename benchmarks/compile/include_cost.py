#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `#include <ullage/ullage.hpp>` costs, against its budget.

  include_cost.py [COMPILER] [--flag=FLAG]... [--report HEADER...]

Compiles a file that only includes the umbrella with `-std=c++20 -O2 -c` and takes the median of CPU seconds and of the
peak resident memory. The budget in seconds is for the machine on which the reference, Boost.Units alone, takes 0.34 s.
Where valgrind is found, the compiler's instructions are counted for both, and the budget is held by their ratio, which no
busy machine changes; elsewhere by the ratio of the seconds, measured in turn. With --report, further headers are measured
and printed, without a budget.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

BUDGET_SECONDS = 0.8
BUDGET_MIB = 200.0
REFERENCE_SECONDS = 0.34
REFERENCE = ("boost/units/quantity.hpp", "boost/units/base_unit.hpp", "boost/units/make_system.hpp")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def cost(command: "list[str]") -> "tuple[float, float]":
    """CPU seconds and peak MiB of a command and its children."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0


def instructions(command: "list[str]") -> int:
    """Instructions of a command and its children, without the assembler."""
    counted = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=yes",
         "--trace-children-skip=*/as", *command], capture_output=True, text=True, check=True).stderr
    return sum(int(n.replace(",", "")) for n in re.findall(r"I +refs: +([0-9,]+)", counted))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler", nargs="?", default="g++")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--report", nargs="*", default=[])
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:

        def command(name: str, headers: "tuple[str, ...]") -> "list[str]":
            source = pathlib.Path(folder) / f"{name}.cpp"
            source.write_text("".join(f"#include <{header}>\n" for header in headers))
            flags = args.flag or [f"-I{ROOT / 'include'}"]
            return [args.compiler, "-std=c++20", "-O2", *flags, "-c", "-o", str(source.with_suffix(".o")), str(source)]

        reference_command = command("reference", REFERENCE)
        umbrella_command = command("umbrella", ("ullage/ullage.hpp",))
        reference, umbrella = [], []
        for _ in range(args.runs):
            reference.append(cost(reference_command))
            umbrella.append(cost(umbrella_command))
        for header in args.report:
            seconds, mib = cost(command("report", (header,)))
            print(f"{header:40} {seconds:6.2f} s {mib:7.0f} MiB")

        ratio = 0.0
        if shutil.which("valgrind"):
            ratio = instructions(umbrella_command) / instructions(reference_command)

    reference_seconds = statistics.median(seconds for seconds, _ in reference)
    seconds = statistics.median(s for s, _ in umbrella)
    mib = statistics.median(m for _, m in umbrella)
    counted = "instructions" if ratio > 0 else "seconds"
    normal = REFERENCE_SECONDS * (ratio if ratio > 0 else seconds / reference_seconds)
    print(f"Boost.Units alone   {reference_seconds:6.2f} s          {REFERENCE_SECONDS:.2f} s on the machine of the budget")
    print(f"ullage/ullage.hpp   {seconds:6.2f} s {mib:7.0f} MiB   there {normal:.2f} s by the ratio of {counted}")
    print(f"budget              {BUDGET_SECONDS:6.2f} s {BUDGET_MIB:7.0f} MiB")
    if normal > BUDGET_SECONDS or mib > BUDGET_MIB:
        print("beyond the budget: including the umbrella costs too much")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
