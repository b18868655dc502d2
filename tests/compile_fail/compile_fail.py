#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a file of cases once per case with -fsyntax-only.

  compile_fail.py COMPILER FILE [--flag=FLAG]...

A case is `#if ULLAGE_CASE == n` with a line `// expect: <regex>` below it. Without a case (ULLAGE_CASE == 0) the file
must compile; each case must fail, with an error that the regex matches.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

CASE = re.compile(r"#\s*(?:el)?if\s+ULLAGE_CASE\s*==\s*(\d+)[^\n]*\n\s*//\s*expect:\s*([^\n]+)")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--flag", action="append", default=[])
    args = parser.parse_args()

    text = args.file.read_text(encoding="utf-8")
    cases = [(int(number), pattern.strip()) for number, pattern in CASE.findall(text)]
    numbers = [number for number, _ in cases]
    mentioned = sorted({int(n) for n in re.findall(r"ULLAGE_CASE\s*==\s*(\d+)", text)})
    if not cases or sorted(numbers) != mentioned or 0 in numbers:
        print(f"{args.file}: each case needs its own number from 1 and a line '// expect: <regex>' below it")
        return 1

    failures = 0
    for number, pattern in [(0, None), *cases]:
        command = [args.compiler, *args.flag, f"-DULLAGE_CASE={number}", "-fsyntax-only", str(args.file)]
        done = subprocess.run(command, text=True, capture_output=True, env={**os.environ, "LC_ALL": "C"})
        if pattern is None:
            wrong = "must compile and does not" if done.returncode != 0 else None
        elif done.returncode == 0:
            wrong = "must not compile and does"
        elif not re.search(pattern, done.stderr):
            wrong = f"fails, but not with /{pattern}/"
        else:
            wrong = None
        if wrong:
            failures += 1
            print(f"case {number}: {wrong}\n{done.stderr[:4000]}")
    print(f"{len(cases) + 1 - failures} of {len(cases) + 1} cases as promised with {args.compiler}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
