#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each header alone, or each source, with -fsyntax-only, and prints what failed.

  compile_each.py COMPILER [--flag=FLAG]... (--headers NAME... | --sources PATH...)

A header is named as it is included (ullage/units.hpp).
"""
import argparse
import subprocess
import sys
import time


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--headers", nargs="*", default=[])
    parser.add_argument("--sources", nargs="*", default=[])
    args = parser.parse_args()

    jobs = [(h, f"#include <{h}>\n") for h in args.headers] + [(s, None) for s in args.sources]
    if not jobs:
        print("nothing to compile")
        return 1
    failed = []
    start = time.monotonic()
    for name, text in jobs:
        command = [args.compiler, *args.flag, "-fsyntax-only", "-x", "c++", name if text is None else "-"]
        done = subprocess.run(command, input=text, text=True, capture_output=True)
        if done.returncode != 0:
            failed.append(name)
            print(f"--- {name}\n{done.stderr[:6000]}")
    print(f"{len(jobs) - len(failed)} of {len(jobs)} compile with {args.compiler}; {time.monotonic() - start:.1f} s")
    for name in failed:
        print(f"failed: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
