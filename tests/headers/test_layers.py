#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the #include lines of every header against the layers of the library, and the inner layers against what they
promise: no allocation, no exception, no costly standard header, no macro without our prefix."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
INCLUDE = ROOT / "include" / "ullage"

# A group is a top-level header together with the folder of its name. Each group may include itself and:
LAYER_0 = {"version", "fwd", "detail"}
LAYER_1 = {"units", "number_format", "estimate"}
LAYER_2 = {"hardware", "model"}
UP_TO_1 = LAYER_0 | LAYER_1
UP_TO_2 = UP_TO_1 | LAYER_2
UP_TO_4 = UP_TO_2 | {"memory", "engine", "performance", "plan"}
INNER = {
    "version": set(),
    "fwd": LAYER_0,
    "detail": LAYER_0,
    "units": UP_TO_1,
    "number_format": UP_TO_1,
    "estimate": UP_TO_1,
    "hardware": UP_TO_1,  # never model
    "model": UP_TO_1,  # never hardware
    "catalog": UP_TO_2,  # data, no formulas
    "memory": UP_TO_2,  # logical bytes: never catalog, never engine
    "engine": UP_TO_2 | {"memory"},
    "performance": UP_TO_2 | {"memory", "engine"},
    "plan": UP_TO_2 | {"memory", "engine", "performance"},
    "residual_grids": UP_TO_2 | {"memory", "engine", "performance", "catalog"},  # data that constants point to
    "ullage": UP_TO_4 | {"catalog"},  # the umbrella
}
OUTER_BASE = UP_TO_4 | {"catalog", "ullage", "residual_grids"}
OUTER = {
    "sweep": OUTER_BASE,
    "io": OUTER_BASE,
    "validate": OUTER_BASE,
    "cuda": OUTER_BASE | {"validate"},
}
ALLOWED = {**INNER, **OUTER}

# Third-party headers by first path element: who may include them.
PACKAGES = {
    "boost": {"units"},  # every Boost name stays inside units/
    "nlohmann": {"io"},
    "Eigen": {"sweep", "validate"},
    "eigen3": set(),
    "CLI": set(),
    "catch2": set(),
    "benchmark": set(),
}
INNER_FORBIDDEN = {
    "iostream", "ostream", "istream", "fstream", "sstream", "iomanip", "ios", "cstdio", "print", "format",
    "vector", "string", "map", "set", "unordered_map", "unordered_set", "list", "deque", "queue", "regex",
    "memory", "functional", "stdexcept", "exception", "new", "any", "variant", "ranges", "filesystem", "thread",
    "mutex", "locale", "complex", "valarray",
}
BOOST_FORBIDDEN = re.compile(r"boost/units/(io|systems/|scale|make_scaled_unit|cmath)")
# Words that allocate or throw. Placement new has no use here either.
INNER_WORDS = re.compile(r"\b(throw|new|delete|try|catch|dynamic_cast|typeid|malloc)\b")
DELETED_FUNCTION = re.compile(r"=\s*delete\b")

TOKEN = re.compile(
    r'R"(?P<delim>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=delim)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|//[^\n]*|/\*(?:.|\n)*?\*/"
    r"|\b\d(?:[\w.]|'(?=\w))*"  # a number with digit separators
    r"|'(?:\\.|[^'\\\n])+'"
)


def code_only(text: str) -> str:
    """The text without comments and the contents of literals, lines kept."""

    def blank(match: "re.Match[str]") -> str:
        token = match.group(0)
        if token[0].isdigit():
            return token
        return ('""' if token[0] in "\"R'" else " ") + "\n" * token.count("\n")

    return TOKEN.sub(blank, text)


# A header that is a group of its own: opt-in, and above the folder that it lies in.
ALONE = {"catalog/residual_grids.hpp": "residual_grids"}


def group_of(path: pathlib.PurePosixPath) -> str:
    """ullage/units.hpp and ullage/units/count.hpp -> units"""
    alone = ALONE.get("/".join(path.parts[1:]))
    if alone:
        return alone
    return path.parts[1].split(".")[0] if len(path.parts) == 2 else path.parts[1]


def check(path: pathlib.Path, complain) -> None:
    name = pathlib.PurePosixPath("ullage") / path.relative_to(INCLUDE).as_posix()
    group = group_of(name)
    text = path.read_text(encoding="utf-8")
    if group not in ALLOWED:
        complain(name, 1, f"no layer is known for '{group}'; add it to the table in tests/headers/test_layers.py")
        return
    inner = group in INNER
    if "#pragma once" not in text:
        complain(name, 1, "lacks #pragma once")
    if "SPDX-License-Identifier: Apache-2.0" not in text:
        complain(name, 1, "lacks the SPDX line")

    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        quote, target = match.groups()
        if quote == '"':
            complain(name, number, f'include <ullage/…>, not "{target}"')
            continue
        first = target.split("/")[0]
        if first == "ullage":
            if not (INCLUDE.parent / target).is_file():
                complain(name, number, f"includes <{target}>, which does not exist")
            other = group_of(pathlib.PurePosixPath(target))
            if other != group and other not in ALLOWED[group]:
                complain(name, number, f"'{group}' may not include '{other}' (<{target}>)")
        elif first in PACKAGES:
            if group not in PACKAGES[first]:
                complain(name, number, f"'{group}' may not include <{target}>")
            if BOOST_FORBIDDEN.match(target):
                complain(name, number, f"<{target}> is costly or inexact; see CONTRIBUTING.md")
        elif inner and (target in INNER_FORBIDDEN or target.endswith(".h")):
            complain(name, number, f"layers 0-4 may not include <{target}>")

    code = code_only(text)
    undefined = set(re.findall(r"#\s*undef\s+(\w+)", code))
    for number, line in enumerate(code.splitlines(), 1):
        define = re.match(r"\s*#\s*define\s+(\w+)", line)
        if define and not define.group(1).startswith("ULLAGE_"):
            complain(name, number, f"macro {define.group(1)} lacks the prefix ULLAGE_")
        if define and "(" in line.split(define.group(1), 1)[1][:1] and inner:
            if define.group(1) not in undefined and define.group(1) != "ULLAGE_EXPECTS":
                complain(name, number, f"macro {define.group(1)} is not undefined at the end of its header")
        if inner and not re.match(r"\s*#", line):
            word = INNER_WORDS.search(DELETED_FUNCTION.sub("", line))
            if word:
                complain(name, number, f"layers 0-4 may not use '{word.group(1)}'")
        if re.search(r"\busing\s+namespace\s+(?!ullage\b|literals\b)", line) and not line.startswith("  "):
            complain(name, number, "a header opens no namespace for its includer")


def self_test() -> None:
    sample = 'int n = 143\'771; // new\nauto s = "throw"; /* new\n new */ char c = \'"\'; auto r = R"x(throw)x"; new int;'
    words = INNER_WORDS.findall(code_only(sample))
    assert words == ["new"], words
    assert group_of(pathlib.PurePosixPath("ullage/units.hpp")) == "units"
    assert group_of(pathlib.PurePosixPath("ullage/units/count.hpp")) == "units"
    assert "engine" not in ALLOWED["memory"] and "catalog" not in ALLOWED["plan"]


def main() -> int:
    self_test()
    problems = []
    headers = sorted(p for p in INCLUDE.rglob("*") if p.suffix in {".hpp", ".cuh"})
    for path in headers:
        check(path, lambda name, line, what: problems.append(f"include/{name}:{line}: {what}"))
    for problem in problems:
        print(problem)
    print(f"{len(headers)} headers, {len(problems)} problems")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
