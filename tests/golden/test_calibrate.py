#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ullage calibrate: logs of old and new releases against the contract, the file it writes, and what takes that file."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
PROGRAM = os.environ.get("ULLAGE_PROGRAM")
if not PROGRAM or not os.path.exists(PROGRAM):
    print("the program is not built")
    sys.exit(77)

SCHEMA = json.loads((ROOT / "docs" / "contract.schema.json").read_text())
ANSWERS = Draft202012Validator(SCHEMA)
REQUESTS = Draft202012Validator({"$ref": "#/$defs/request", "$defs": SCHEMA["$defs"]})
LOGS = ROOT / "tests" / "data" / "vllm_logs"
failures = []
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        failures.append(what)


def run(*arguments, text=None, columns="120"):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120, check=False,
                          env=dict(os.environ, COLUMNS=columns, NO_COLOR="1"))
    return done.returncode, done.stdout, done.stderr


def answers(*requests):
    code, out, err = run("batch", text="".join(json.dumps(r) + "\n" for r in requests))
    check(code == 0, f"batch: {err}")
    found = [json.loads(line) for line in out.splitlines()]
    for asked, answer in zip(requests, found):
        for problem in ANSWERS.iter_errors(answer):
            check(False, f"schema: {problem.json_path}: {problem.message[:200]}")
        if answer["status"] == "ok":
            for problem in REQUESTS.iter_errors(asked):
                check(False, f"request: {problem.json_path}: {problem.message[:200]}")
    return found


# Every log: (words beside it, how it ended, rows, of them inside).
EXPECTED = {
    "v0.6.4-llama-3.1-8b-rtx3090.log": (("--on", "RTX 3090"), "unknown", 9, 5),
    "v0.7.2-r1-distill-14b-2x4090-refused.log": (("qwen2.5-14b", "--on", "RTX 4090"), "kv_too_small", None, None),
    "v0.8.2-llama-3.2-3b-t4.log": (("--on", "T4"), "unknown", 11, 11),
    "v0.19.0-llama-3.1-8b-h100.log": (("--on", "H100 SXM"), "started", 11, 11),
    "v0.19.0-llama-3.1-8b-4xh100-crlf.log": (("--on", "H100 SXM"), "unknown", 10, None),
    "v0.19.0-gemma-3-27b-h100.log": (("--on", "H100 SXM"), "unknown", 11, None),
    "v0.19.0-kimi-dev-72b-h100-busy.log": (("--model", "qwen2.5-72b", "--on", "H100 SXM"), "device_full", 2, 2),
    "v0.22.0-gpt-oss-120b-h200-twice.log": ((), "started", None, None),
    "v0.24.0-qwen3.6-35b-a3b-rtx5090.log": (("--model", "qwen3.5-35b-a3b", "--weights", "nvfp4", "--on", "RTX 5090"), "unknown", None, None),
}
check(set(EXPECTED) == {p.name for p in LOGS.glob("*.log")}, "every log is expected, and every expected log is there")
with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    written = {}
    for name, (words, outcome, rows, inside) in EXPECTED.items():
        code, out, err = run("calibrate", "--log", LOGS / name, *words, "--json")
        check(code == 0, f"{name}: {code} {err}")
        if code != 0:
            continue
        answer = json.loads(out)
        for problem in ANSWERS.iter_errors(answer):
            check(False, f"{name}: schema: {problem.json_path}: {problem.message[:200]}")
        check(answer["log"]["outcome"] == outcome, f"{name}: ended {answer['log']['outcome']}")
        check(rows is None or len(answer["terms"]) == rows, f"{name}: {len(answer['terms'])} rows")
        met = sum(t["inside"] for t in answer["terms"])
        check(inside is None or met == inside, f"{name}: {met} inside")
        check(answer["inside"] == (met == len(answer["terms"])), f"{name}: inside")
        for row in answer["terms"]:
            check(not row["term"].endswith("_of_printed_memory") or row["inside"], f"{name}: {row['term']}: the allocator's rules make the print")
        code, _, _ = run("calibrate", "--log", LOGS / name, *words, "--strict")
        check(code == (0 if answer["inside"] else 1), f"{name} --strict: {code}")
        for columns in ("60", "80", "120"):
            code, out, err = run("calibrate", "--log", LOGS / name, *words, columns=columns)
            check(code == 0 and "GiB" in out if answer["terms"] else code == 0, f"{name}: {err}")
            check(all(len(line) <= int(columns) for line in out.splitlines()), f"{name}: a line is longer than {columns}")
        target = folder / (name + ".json")
        code, out, err = run("calibrate", "--log", LOGS / name, *words, "--write", target)
        if answer["calibration"]["given"] or answer["calibration"]["rules"]:
            check(code == 0 and json.loads(target.read_text()) == answer["calibration"], f"{name} --write: {code} {err}")
            written[name] = (target, answer)
        else:
            check(code == 2 and not target.exists() and "--log" in err, f"{name}: nothing to write: {code} {err}")

    # What was written makes the plan what was printed.
    for name, model, tokens in (("v0.19.0-llama-3.1-8b-h100.log", "llama-3.1-8b", 476016), ("v0.19.0-llama-3.1-8b-4xh100-crlf.log", "llama-3.1-8b", 2209792),
                                ("v0.19.0-gemma-3-27b-h100.log", "gemma-3-27b", 36560), ("v0.22.0-gpt-oss-120b-h200-twice.log", "gpt-oss-120b", 886768),
                                ("v0.24.0-qwen3.6-35b-a3b-rtx5090.log", "qwen3.5-35b-a3b", 567978)):
        target, answer = written[name]
        code, out, err = run("fit", model, "--calibration", target, "--json")
        fit = json.loads(out)
        check(code == 0 and fit["kv"]["reported_tokens"] == tokens, f"{name}: fit {code} {err} {fit.get('kv', {}).get('reported_tokens')}")
        for problem in ANSWERS.iter_errors(fit):
            check(False, f"{name}: schema: {problem.json_path}: {problem.message[:200]}")
        inline, = answers({"model": model, "calibration": answer["calibration"]})
        check(inline == fit, f"{name}: by path and inline are one")
    target, answer = written["v0.19.0-llama-3.1-8b-h100.log"]
    for words in (("perf", "llama-3.1-8b", "--input-tokens", 1024, "--output-tokens", 128, "--concurrency", 8),
                  ("select", "llama-3.1-8b", "--context", 8192, "--concurrency", 8, "--offer", "H100 SXM", "--offer", "L40S")):
        code, out, err = run(*words, "--calibration", target, "--json")
        check(code == 0 and any(a["field"] == "calibration" for a in json.loads(out)["assumed"]), f"{words}: {code} {err}")
        for problem in ANSWERS.iter_errors(json.loads(out)):
            check(False, f"{words}: schema: {problem.json_path}: {problem.message[:200]}")
    # A remedy keeps its promise: its patch drops what it leaves behind.
    asked = {"model": "llama-3.1-8b", "calibration": answer["calibration"], "load": {"context": 8192, "concurrency": 600}, "accelerator": "H100 SXM"}
    first, = answers(asked)
    check(first["verdict"] == "does_not_fit", first["verdict"])
    for remedy in first["remedies"]:
        patched = json.loads(json.dumps(asked))

        def merge(into, patch):
            for key, value in patch.items():
                if value is None:
                    into.pop(key, None)
                elif isinstance(value, dict) and isinstance(into.get(key), dict):
                    merge(into[key], value)
                else:
                    into[key] = value

        merge(patched, remedy["patch"])
        then, = answers(patched)
        check(then.get("verdict") == remedy["verdict_then"], f"{remedy['change']}: {then.get('verdict') or then.get('message')}")

    nulls = answers({"model": "llama-3.1-8b", "accelerator": "L4", "calibration": None, "log": None})
    check(nulls[0]["status"] == "ok", f"null is absent: {nulls[0].get('message')}")

    # Errors name the field, the flag and the code.
    for words, code_expected, signs in (
            (("calibrate",), 2, ("--log",)),
            (("calibrate", "--log", folder / "no"), 4, ("bad_file", "--log")),
            (("calibrate", "--log", ROOT / "LICENSE"), 2, ("no sentence", "--log")),
            (("calibrate", "--log", LOGS / "v0.24.0-qwen3.6-35b-a3b-rtx5090.log"), 2, ("qwen3.6-35b-a3b-nvfp4", "MODEL")),
            (("calibrate", "--log", LOGS / "v0.24.0-qwen3.6-35b-a3b-rtx5090.log", "qwen3.5-35b-a3b"), 2, ("--on",)),
            (("calibrate", "--log", LOGS / "v0.19.0-llama-3.1-8b-h100.log", "--on", "H100"), 2, ("ambiguous_accelerator", "--on")),
            (("calibrate", "--log", LOGS / "v0.19.0-llama-3.1-8b-h100.log", "--on", "H100 SXM", "--write", folder / "no" / "where"), 4, ("--write",)),
            (("fit", "llama-3.1-8b", "--on", "L4", "--calibration", target), 2, ("calibration.made_from.accelerator", "--calibration")),
            (("fit", "llama-3.1-8b", "--on", "L4", "--calibration", ROOT / "LICENSE"), 4, ("bad_json", "--calibration")),
            (("fit", "qwen3-8b", "--calibration", target), 2, ("calibration.made_from.model",))):
        code, out, err = run(*words)
        check(code == code_expected and all(sign in err for sign in signs), f"{words}: {code} {err}")
    codes = [a.get("code") for a in answers({"ask": "calibrate"}, {"ask": "calibrate", "log": {}}, {"ask": "calibrate", "log": {"text": "x", "path": "y"}},
                                            {"ask": "calibrate", "log": {"text": ""}}, {"ask": "calibrate", "log": {"text": "Model loading took 1 GiB", "more": 1}},
                                            {"model": "llama-3.1-8b", "accelerator": "L4", "log": {"text": "x"}},
                                            {"ask": "model", "model": "llama-3.1-8b", "calibration": answer["calibration"]})]
    check(codes == ["bad_value", "bad_value", "bad_value", "bad_value", "unknown_key", "unknown_key", "unknown_key"], f"codes {codes}")

print(f"{checks} checks, {len(failures)} failed")
for f in failures[:40]:
    print("FAILED:", f)
sys.exit(1 if failures else 0)
