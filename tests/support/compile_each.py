#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each header alone, or each source, with -fsyntax-only, and prints what failed.

  compile_each.py COMPILER [--flag=FLAG]... [--ahead NAME...] (--headers NAME... | --sources PATH...)

A header is named as it is included (ullage/units.hpp). With clang++ those of --ahead are precompiled, and a header that
includes one of them, itself or through others, starts from the first such: it would read it anyway before its own text.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"


def included_by(header: str, known: "dict[str, set[str]]") -> "set[str]":
    """The headers that a header of ours includes, at any depth."""
    if header not in known:
        known[header] = set()
        path = INCLUDE / header
        if path.exists():
            for name in re.findall(r"^#include <([^>]+)>", path.read_text(encoding="utf-8"), re.M):
                known[header] |= {name} | included_by(name, known)
    return known[header]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--headers", nargs="*", default=[])
    parser.add_argument("--sources", nargs="*", default=[])
    parser.add_argument("--ahead", nargs="*", default=[])
    args = parser.parse_args()

    jobs = [(h, f"#include <{h}>\n") for h in args.headers] + [(s, None) for s in args.sources]
    if not jobs:
        print("nothing to compile")
        return 1
    failed = []
    known: "dict[str, set[str]]" = {}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        ahead = {}
        for place, name in enumerate(args.ahead if "clang" in args.compiler else []):
            ahead[name] = f"{folder}/{place}.pch"
            command = [args.compiler, *args.flag, "-x", "c++-header", "-fpch-instantiate-templates", "-o", ahead[name], "-"]
            done = subprocess.run(command, input=f"#include <{name}>\n", text=True, capture_output=True)
            if done.returncode != 0:
                print(f"--- {name}\n{done.stderr[:6000]}")
                return 1
        for name, text in jobs:
            command = [args.compiler, *args.flag, "-fsyntax-only", "-x", "c++", name if text is None else "-"]
            if text is not None:
                for first in [a for a in ahead if a in included_by(name, known)][:1]:
                    command += ["-include-pch", ahead[first]]
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
