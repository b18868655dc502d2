#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ullage validate`: its answers, its table and its refusals, with the smallest budgets. Asserts no speed."""
import json
import os
import subprocess
import sys

PROGRAM = os.environ.get("ULLAGE_PROGRAM")
UNITS = {"bytes", "bytes_per_s", "flops_per_s", "s", "count", "ratio"}
RESULTS = {"unpredicted", "within", "outside", "unmeasured", "wrong"}
HOST = ["memory_total", "memory_available", "triad_one_core", "triad_all_cores", "triad_scaling", "gemm_fp32_one_core"]
problems = []


def expect(condition, what):
    if not condition:
        problems.append(what)


def run(*arguments):
    done = subprocess.run([PROGRAM, "validate", "--seconds", "0", *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def check_measurement(m):
    units = [u for u in UNITS if f"measured_{u}" in m]
    expect(len(units) == 1, f"{m}: one unit, as the end of its keys")
    unit = units[0]
    expect(f"predicted_{unit}" in m and f"best_{unit}" in m, f"{m}: predicted, measured and best in one unit")
    expect(m["result"] in RESULTS, f"{m}: a known result")
    predicted, measured = m[f"predicted_{unit}"], m[f"measured_{unit}"]
    if predicted is not None:
        expect(predicted["low"] <= predicted["mid"] <= predicted["high"], f"{m}: a band in order")
    expect((m["ratio"] is None) == (predicted is None or measured is None), f"{m}: a ratio where both are there")
    expect((measured is None) == (m["result"] == "unmeasured"), f"{m}: null where unmeasured")
    expect(m["result"] != "wrong", f"{m}: a right result")


def main() -> int:
    if not PROGRAM:
        print("skipped: no program was built")
        return 77
    if subprocess.run([PROGRAM, "validate", "--help"], capture_output=True, timeout=60).returncode != 0:
        print("skipped: this program has no command validate")
        return 77
    code, out, err = run("--backend", "host", "--json")
    expect(code == 0, f"host ends with {code}: {err}")
    answer = json.loads(out)
    expect(answer["schema"] == 1 and answer["status"] == "ok" and answer["ask"] == "validate", f"{answer}: an answer")
    expect([b["backend"] for b in answer["backends"]] == ["host"], "one backend")
    host = answer["backends"][0]
    expect(host["available"] is True and host["device"], f"{host}: a device with a name")
    expect([m["name"] for m in host["measurements"]] == HOST, f"{host}: the host's lines in order")
    for m in host["measurements"]:
        check_measurement(m)
        if m["result"] != "unmeasured":
            expect(m["ratio"] is None, f"{m}: nothing is predicted of a host without a row")

    code, out, err = run("--backend", "cuda", "--json")
    answer = json.loads(out)
    if answer["status"] == "error":
        expect(code == 2 and answer["code"] == "bad_value" and answer["field"] == "backend", f"{code} {answer}: no device")
        expect("CUDA" in answer["message"] and "CUDA" in err, f"{err}: a sentence that names what is missing")
    else:
        expect(code == 0, f"cuda ends with {code}: {err}")
        for m in answer["backends"][0]["measurements"]:
            check_measurement(m)

    code, out, err = run("--backend", "cuda", "--accelerator", "H100", "--json")
    expect(code == 2 and json.loads(out)["code"] == "ambiguous_accelerator", f"{code} {out}: H100 is several parts")
    code, out, err = run("--backend", "cuda", "--accelerator", "H2000", "--json")
    expect(code == 2 and json.loads(out)["code"] == "unknown_accelerator", f"{code} {out}: no such part")
    code, out, err = run("--backend", "rocm")
    expect(code == 2 and not out and err, f"{code} {out} {err}: no such backend")

    for problem in problems:
        print("problem:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
