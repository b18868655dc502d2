#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the README shows is what the program prints.

Every `console` block starts with "$ ullage ..." and goes on with its output; a line of "…" stands for any number of lines.
Every `cpp` block compiles against the headers, inside a function where it has no main of its own.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

source = pathlib.Path(os.environ["ULLAGE_SOURCE_DIR"])
program = os.environ.get("ULLAGE_PROGRAM", "")
environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
text = (source / "README.md").read_text(encoding="utf-8")
problems = []


def matches(shown, printed):
    """Whether `printed` lines are the `shown` ones, with "…" for any number of lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "…":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and shown[0].rstrip() == printed[0].rstrip() and matches(shown[1:], printed[1:])


blocks = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
if not blocks:
    problems.append("README.md has no console block")
if program:
    for block in blocks:
        for part in re.split(r"^(?=\$ )", block, flags=re.M):
            if not part.strip():
                continue
            command, _, shown = part.partition("\n")
            words = shlex.split(command[2:])
            if words[0] != "ullage":
                continue
            run = subprocess.run([program, *words[1:]], cwd=source, capture_output=True, text=True, check=False,
                                 env=environment)
            printed = (run.stdout + run.stderr).rstrip("\n").split("\n")
            if not matches(shown.rstrip("\n").split("\n"), printed):
                problems.append(f"{command}\nprints now:\n" + "\n".join(printed))

for code in re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "readme.cpp"
        file.write_text(code if "int main" in code else code + "\nint main() { return 0; }\n", encoding="utf-8")
        compiler = os.environ.get("CXX", "g++")
        run = subprocess.run([compiler, "-std=c++20", "-I", str(source / "include"), "-fsyntax-only", str(file)],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            problems.append("a cpp block of README.md does not compile:\n" + code + run.stderr[:2000])

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
