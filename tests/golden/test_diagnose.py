#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The asks op and diagnose, as requests and as commands: answers against the contract, remedies that keep what they
promise, refusals that name the field, and the drawing of a roofline."""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
PROGRAM = os.environ.get("ULLAGE_PROGRAM")
if not PROGRAM or not os.path.exists(PROGRAM):
    print("the program is not built")
    sys.exit(77)

SCHEMA = json.loads((ROOT / "docs" / "contract.schema.json").read_text())
ANSWERS = Draft202012Validator(SCHEMA)
REQUESTS = Draft202012Validator({"$ref": "#/$defs/request", "$defs": SCHEMA["$defs"]})
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def run(*arguments, text=None, columns=None):
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | ({"COLUMNS": str(columns)} if columns else {})
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120, check=False, env=env)
    check(done.returncode in (0, 1, 2, 3, 4), f"{arguments}: ended with {done.returncode}: {done.stderr[-300:]}")
    return done.returncode, done.stdout, done.stderr


def answers_to(requests):
    code, out, err = run("batch", text="".join(json.dumps(r) + "\n" for r in requests))
    answers = [json.loads(line) for line in out.splitlines()]
    check(code == 0 and len(answers) == len(requests), f"batch: {code}, {len(answers)} of {len(requests)}: {err[-300:]}")
    for answer in answers:
        for problem in ANSWERS.iter_errors(answer):
            check(False, f"schema: {problem.json_path}: {problem.message[:200]} in {json.dumps(answer)[:300]}")
    return answers


def patched(target, patch):
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            target[key] = patched(target.get(key) if isinstance(target.get(key), dict) else {}, value)
        else:
            target[key] = value
    return target


def clean(r, changes):
    r = {**r, **changes}
    return {k: v for k, v in r.items() if v != "absent"}


DECODE = {"tpot_s": 0.031, "batch": 8, "context": 4096}


def plan(**changes):
    return clean({"id": "x", "ask": "diagnose", "model": "llama-3.1-70b", "accelerator": "H200 SXM", "parallel": {"tp": 2}, "observed": DECODE}, changes)


def kernel(**changes):
    return clean({"id": "x", "ask": "diagnose", "accelerator": "H200 SXM", "observed": {"time_s": 0.0027, "flop": 2e12, "moved_bytes": 3 * 10**9}}, changes)


GEMM = {"kind": "gemm", "m": 16, "n": 8192, "k": 8192}
ATTENTION = {"kind": "attention", "batch": 16, "heads": 64, "kv_heads": 8, "head_dim": 128, "context": 4096}
SUM = {"kind": "all_reduce", "message_bytes": 1 << 20, "group": 8}
PROMPT = {**ATTENTION, "phase": "prefill", "context": None, "tokens": 4096, "batch": 1}
LATENT = {"kind": "attention", "batch": 4, "heads": 128, "head_dim": 128, "latent_rank": 512, "rope_dim": 64, "context": 8000}
SPARSE = {**LATENT, "index_topk": 2048, "index_n_heads": 64, "index_head_dim": 128}
EXPERTS = {"kind": "experts", "tokens": 256, "hidden": 7168, "experts": 256, "experts_per_token": 8, "expert_inner": 2048, "format": "fp8_block", "ep": 8}
STATE = {"kind": "recurrent", "layer": "gated_delta", "heads": 32, "state": 32 * 128 * 128, "channels": 8192, "batch": 32}
NORM = {"kind": "normalization", "tokens": 4096, "hidden": 8192}
SAMPLING = {"kind": "sampling", "batch": 64, "vocabulary": 128256}
MULTIPLY = ("gemm", "attention", "experts", "recurrent")


def op(of=None, **changes):
    return clean({"id": "x", "ask": "op", "accelerator": "H200 SXM", "op": of or GEMM}, changes)


# ---------------------------------------------------------------------------------------------------------------------
# op
asked = [op(), op({**GEMM, "format": "fp8"}), op({**GEMM, "format": "int4", "m": 1}), op(ATTENTION), op({**ATTENTION, "format": "fp8"}),
         op({**ATTENTION, "phase": "prefill", "context": None, "tokens": 4096, "batch": 1}),
         op({"kind": "attention", "batch": 4, "heads": 16, "head_dim": 128, "latent_rank": 512, "rope_dim": 64, "context": 1000}), op(SUM),
         op(PROMPT), op({**PROMPT, "scores": "fp8", "format": "fp8", "tp": 8}), op({**PROMPT, "window": 1024}), op({**PROMPT, "mask": "chunked", "window": 512}),
         op({**PROMPT, "mask": "encoder"}), op({**PROMPT, "mask": "cross", "context": 1500}), op({**ATTENTION, "mask": "cross", "context": 1500}), op({**ATTENTION, "window": 128}),
         op({**ATTENTION, "mask": "sliding", "window": 128, "tp": 8}), op(LATENT), op(SPARSE), op({**SPARSE, "index_n_heads": None, "index_head_dim": None}),
         op({**SPARSE, "phase": "prefill", "tokens": 8192, "context": 0, "batch": 1}), op(EXPERTS), op({**EXPERTS, "ep": None, "tp": 8}), op({**EXPERTS, "tp": 2, "matrices": 2}),
         op(STATE), op({**STATE, "phase": "prefill", "tokens": 8192, "batch": 1, "tp": 4}), op({**STATE, "format": "bf16"}), op({"kind": "recurrent", "layer": "short_conv", "channels": 2048, "batch": 8}),
         op({"kind": "recurrent", "layer": "mamba1", "state": 8192 * 16, "channels": 8192, "batch": 8}), op(NORM), op({**NORM, "kind": "embedding"}), op({**NORM, "kind": "quantization", "format": "nvfp4"}), op(SAMPLING),
         *(op({**kind, "stack": stack}) for kind in (GEMM, PROMPT, LATENT, EXPERTS, STATE, SUM) for stack in ("vllm", "SGLang", "trtllm", "tensorrt_llm", "TensorRT-LLM")),
         *(op({**SUM, "stack": stack}) for stack in ("library", "nccl", "vllm_eager", "sglang_eager")), op({**NORM, "stack": None}), op(constants={"gemm.bf16.memory": 0.9, "step_share": None}),
         op({**SUM, "kind": "all_to_all"}), op({**SUM, "kind": "send_receive", "group": 2}), op({**SUM, "group": 16}, accelerator="DGX H200"),
         op({**SUM, "group": 4}, accelerator="L40S"), op({**GEMM, "heads": None, "group": None}), op(weights=None, load=None)]
for r in asked:
    for problem in REQUESTS.iter_errors(r):
        check(False, f"request schema: {problem.json_path}: {problem.message[:200]}")
for r, a in zip(asked, answers_to(asked)):
    check(a["status"] == "ok" and a["ask"] == "op" and a["id"] == "x", f"{json.dumps(r)}: {a.get('message')}")
    check(a["time_s"]["low"] <= a["time_s"]["mid"] <= a["time_s"]["high"], "a band in order")
    check(abs(sum(a["shares_s"].values()) / a["time_s"]["mid"] - 1) < 1e-6, f"shares add up: {json.dumps(r)}")
    points = a["roofline"]["points"]
    # An update of a convolution, a norm and a collective do no arithmetic that counts.
    draws = r["op"]["kind"] in MULTIPLY and r["op"].get("layer") != "short_conv"
    check(len(points) == draws and (a["computes_as"] is not None) == (r["op"]["kind"] in MULTIPLY), f"points: {json.dumps(r)}")
gemm, narrow = answers_to(asked[:2])
check(gemm["work"]["flop"] == 2 * 16 * 8192**2 and gemm["bound"] == "memory", f"the work of a GEMM: {gemm['work']}")
check(narrow["computes_as"] == "fp8" and not narrow["fell_back"] and narrow["work"]["moved_bytes"] < gemm["work"]["moved_bytes"], "fp8 on Hopper")
# What an answer says of its operation is a request for it.
again = [{**op(a["op"]), "accelerator": r["accelerator"], "constants": r.get("constants")} for r, a in zip(asked, answers_to(asked))]
for r, one, two in zip(again, answers_to(asked), answers_to(again)):
    check(two["status"] == "ok" and two["time_s"] == one["time_s"] and two["op"] == one["op"], f"asked again: {json.dumps(r)}: {two.get('message')}")


def time_of(of, **changes):
    a = answers_to([op(of, **changes)])[0]
    return a["time_s"]["mid"] if a["status"] == "ok" else float("nan")


def note_of(a, field):
    return next((n for n in a["assumed"] if n["field"] == field), {"value": "", "why": ""})


# The forms that cost less, and more.
check(time_of({**PROMPT, "window": 512}) < time_of(PROMPT) < time_of({**PROMPT, "mask": "encoder"}), "a mask")
check(time_of({**PROMPT, "window": 1 << 20}) <= 1.2501 * time_of(PROMPT) and time_of({**ATTENTION, "window": 128}) < time_of(ATTENTION), "a window")
check(time_of({**PROMPT, "tp": 8}) < time_of(PROMPT) / 3 and time_of({**EXPERTS, "tp": 2}) < time_of(EXPERTS), "ranks divide")
check(time_of({**SPARSE, "context": 100000}) < time_of({**LATENT, "context": 100000}), "chosen entries")
check(time_of({**EXPERTS, "tokens": 1}) < time_of(EXPERTS) < time_of({**EXPERTS, "tokens": 8192}), "experts reached")
skewed = [answers_to([op({**EXPERTS, "tokens": 4096}, constants={"expert_skew": s})])[0] for s in (-1, 2)]
check(skewed[0]["work"]["flop"] < .8 * skewed[1]["work"]["flop"] and skewed[0]["shares_s"]["compute"] < skewed[1]["shares_s"]["compute"], "skew by name: what is timed is counted")
host = answers_to([op({**SUM, "group": 4}, accelerator="A100 PCIe 80GB"), op({**SUM, "group": 4}, accelerator="H100 NVL"), op({**SUM, "group": 16, "message_bytes": 1 << 30, "kind": "all_gather"}, accelerator="DGX H200")])
for a in host:
    check(a["status"] == "ok" and a["work"]["flop"] == 0 and a["work"]["moved_bytes"] == 0 and not a["roofline"]["points"] and note_of(a, "fabric")["value"], f"a collective is no arithmetic: {json.dumps(a)[:300]}")
    again = answers_to([kernel(op=a["op"], accelerator=a["accelerator"] if a is not host[2] else "DGX H200", observed={"time_s": a["time_s"]["mid"]})])[0]
    check(again["status"] == "ok" and again["standing"] == "inside", f"what is usual is possible: {again.get('message')}")
alone = answers_to([op({**stack_of, "format": "fp8", "stack": "trtllm"}) for stack_of in ({"kind": "gemm", "m": 8, "n": 4096, "k": 4096},)])[0]
check("inside a step" in note_of(alone, "op.stack")["why"], "what only a call of its own pays")
quiet = answers_to([op({**GEMM, "stack": "trtllm"}, accelerator="MI300X"), op({**NORM, "stack": "vllm"})])
check(all("makes no difference" in note_of(a, "op.stack")["why"] for a in quiet), "a stack without rows")
machine = answers_to([op({**SUM, "group": 4}, accelerator="Standard_NC96ads_A100_v4"), op({**SUM, "group": 4}, accelerator="A100 PCIe 80GB")])
check(machine[0]["status"] != "ok" or machine[0]["time_s"] == machine[1]["time_s"], "inside a machine the host's links, as in a step")
check(abs(time_of(GEMM, constants={"gemm.bf16.memory": 1, "gemm.bf16.compute": 1, "gemm.bf16.floor_us": 0}) / (134742016 / 4.8e12) - 1) < .01, "nominal constants: bytes over the bandwidth")
check(time_of(NORM, constants={"elementwise.memory": 1, "elementwise.floor_us": 0}) == 8 * 4096 * 8192 / 4.8e12, "a norm by hand")
stacks = {s: time_of({**PROMPT, "format": "fp8", "stack": s}) for s in ("vllm", "sglang", "trtllm")}
check(len(set(stacks.values())) == 3 and stacks["trtllm"] == time_of({**PROMPT, "format": "fp8", "stack": "tensorrt_llm"}), f"stacks differ: {stacks}")
small = {**SUM, "message_bytes": 16384}
sums = {s: time_of({**small, "stack": s}) for s in (None, "vllm", "sglang", "trtllm", "library", "vllm_eager")}
check(sums[None] == sums["sglang"] and sums["vllm"] != sums["sglang"] and sums["library"] > 2 * sums["vllm"] and sums["vllm_eager"] > 2 * sums["vllm"], f"an all-reduce by kernel: {sums}")
inside, outside, unknown, pooled, timed, left, kinds = answers_to([
    op(), op({**GEMM, "m": 10**8}), op(accelerator="MI300X"), op(stack := {**GEMM, "format": "fp8_block"}), op({**stack, "stack": "vllm"}), op({**SUM, "kind": "all_gather", "stack": "vllm"}), op(EXPERTS)])
check((inside["inside_measured_hull"], outside["inside_measured_hull"], unknown["inside_measured_hull"]) == (True, False, None), "the hull")
wide = lambda a: a["time_s"]["high"] / a["time_s"]["mid"]
check(wide(outside) > wide(inside) and "no relative" in note_of(unknown, "constants")["value"], "a wider band beyond it")
check(note_of(pooled, "op.stack")["value"] is None and pooled["op"]["stack"] is None, f"no stack: {note_of(pooled, 'op.stack')}")
check("inside a step" in note_of(timed, "op.stack")["why"] and timed["op"]["stack"] == "vllm", "a table outside a graph is told")
check(note_of(left, "op.stack") == {"field": "op.stack", "value": "library", "why": "vllm leaves this one to the library"}, "an all-gather is the library's")
check(note_of(kinds, "constants.expert_skew")["value"] == 0.8, "the skew assumed")
given = answers_to([op(constants={"gemm.bf16.memory": 0.9})])[0]
check("as given: gemm.bf16.memory" in note_of(given, "constants")["value"] and given["inside_measured_hull"] is None, "constants as given are told")
for fallen, field, words in ((op({**EXPERTS, "format": "fp8"}, accelerator="A100 SXM 80GB"), "op.format", "with bf16 weights it would take"), (op({**PROMPT, "scores": "fp8", "format": "fp8"}, accelerator="A100 SXM 80GB"), "op.scores", "they run in bf16")):
    a = answers_to([fallen])[0]
    check(a["fell_back"] and a["computes_as"] == "bf16" and words in note_of(a, field)["why"], f"a lacking format: {json.dumps(a)[:400]}")
lacking = answers_to([op({**GEMM, "format": "fp8"}, accelerator="A100 SXM 80GB"), op({**GEMM, "format": "nvfp4"})])
for a in lacking:
    said = [s for s in a["assumed"] if s["field"] == "op.format"]
    check(a["fell_back"] and a["computes_as"] == "bf16" and said and said[0]["value"] == "bf16", f"a lacking format: {json.dumps(a)[:300]}")
    check(said and re.search(r"they run in bf16.* it would take .* instead of ", said[0]["why"]), f"the fallback's cost: {said}")

# ---------------------------------------------------------------------------------------------------------------------
# diagnose
steady = {"batch": 64, "input_tokens": 2048, "output_tokens": 512}
asked = [plan(), plan(observed={**DECODE, "tpot_s": 0.1}), plan(observed={**DECODE, "tpot_s": 0.02}),
         plan(observed={"ttft_s": 0.5, "input_tokens": 4096}), plan(observed={"ttft_s": 0.5, "input_tokens": 8192, "context": 4096, "batch": 4}),
         plan(observed={"output_tokens_per_s": 300, "batch": 8, "context": 4096}), plan(observed={"output_tokens_per_s": 1200, **steady}),
         plan(observed={"tpot_s": 0.06, **steady}), plan(accelerator="absent", parallel=None, devices=[{"accelerator": "H200 SXM", "count": 2}]),
         plan(parallel={"tp": 2, "pp": 2}), plan(parallel={"tp": 2, "dp": 2}, observed={**DECODE, "batch": 16}), plan(engine={"enforce_eager": True}, observed={**DECODE, "tpot_s": 0.05}),
         plan(weights="fp8", kv_cache="fp8"), plan(model="deepseek-v3", parallel={"tp": 8, "ep": 8}, observed={**DECODE, "tpot_s": 0.05}),
         plan(model="llama-3.1-8b", accelerator="MI300X", parallel={"tp": 1}), plan(model="llama-3.1-8b", accelerator="L4", parallel={"tp": 1}, observed={**DECODE, "tpot_s": 0.09}),
         plan(engine={"name": "plain"}), kernel(), kernel(observed={"time_s": 0.0009, "flop": 1e9, "moved_bytes": 3 * 10**9, "format": "fp8"}),
         kernel(observed={"time_s": 0.001, "moved_bytes": 3 * 10**9}), kernel(op=GEMM, observed={"time_s": 4e-5}), kernel(op=ATTENTION, observed={"time_s": 1e-4}),
         kernel(op=SUM, observed={"time_s": 3e-5}), kernel(observed={"time_s": 1, "flop": 1e12, "format": "fp4"}),
         kernel(op=EXPERTS, observed={"time_s": 1e-3}), kernel(op={**EXPERTS, "format": "bf16"}, observed={"time_s": 1e-3}), kernel(op=STATE, observed={"time_s": 1e-4}), kernel(op=NORM, observed={"time_s": 1e-4}),
         kernel(op=SAMPLING, observed={"time_s": 1e-4}), kernel(op={**GEMM, "stack": "trtllm"}, observed={"time_s": 4e-5}), kernel(op={**PROMPT, "stack": "vllm"}, observed={"time_s": 2e-3}),
         kernel(op=GEMM, observed={"time_s": 4e-5}, constants={"gemm.bf16.memory": 0.95, "gemm.bf16.compute": 0.9, "gemm.bf16.floor_us": 2}), kernel(constants={"gemm.bf16.compute": 0.75}),
         plan(constants={"step_share": 1, "step_gap_us": 50}), plan(model="llama-3.1-8b", accelerator="L4", parallel={"tp": 1}, observed={**DECODE, "tpot_s": 0.09}, constants={"gemm.bf16.memory": 0.99})]
for r in asked:
    for problem in REQUESTS.iter_errors(r):
        check(False, f"request schema: {problem.json_path}: {problem.message[:200]}")
again, promised = [], []
for r, a in zip(asked, answers_to(asked)):
    check(a["status"] == "ok" and a["ask"] == "diagnose", f"{json.dumps(r)}: {a.get('message')}")
    if a["status"] != "ok":
        continue
    check(abs(sum(a["spent_s"].values()) / a["observed_s"] - 1) < 1e-6, f"what it is spent on adds up: {json.dumps(r)}")
    check(a["bound"] == max(a["spent_s"], key=a["spent_s"].get), f"the bound is the largest share: {json.dumps(r)}")
    band = a["expected_s"]
    stands = "slower" if a["observed_s"] > band["high"] else "faster" if a["observed_s"] < band["low"] else "inside"
    check(a["standing"] == stands and abs(a["gap_s"] - (a["observed_s"] - band["mid"])) < 1e-9, f"standing: {json.dumps(r)}")
    check(a["least_s"] <= 1.1 * a["observed_s"] and all(k["attained"] <= {"compute": 1.1, "memory": 1.6 if "experts" in json.dumps(r) or "deepseek" in json.dumps(r) else 1.06, "network": 1.05}[k["roof"]] for k in a["roofs"]), "nothing beyond physics")
    for k in a["roofs"]:
        check(abs(k["attained"] - k["at_peak_s"] / a["observed_s"]) < 1e-9, "attained")
    check(any(p["observed"] for p in a["roofline"]["points"]) or a["work"]["moved_bytes"] == 0 or a["work"]["flop"] == 0, f"the observed point: {json.dumps(r)}")
    gains = [m["gain_s"] for m in a["remedies"]]
    check(all(g > 0 for g in gains) and len({m["change"].split()[-1] + str(m["flag"]) for m in a["remedies"]}) == len(gains), "remedies gain, one of a kind")
    for m in a["remedies"]:
        if m["patch"] is not None:
            again.append(patched(copy.deepcopy(r), m["patch"]))
            promised.append((m, r))
for (m, r), a in zip(promised, answers_to(again)):
    # A change may make the old observation impossible, and then only that is said.
    if a["status"] == "error":
        check("faster than is possible" in a["message"], f"{m['change']}: {a['message']}")
        continue
    check(a["expected_s"] == m["then_s"], f"{m['change']} promised {m['then_s']}, gave {a['expected_s']}: {json.dumps(r)}")
check(len(promised) > 35, f"remedies were tried: {len(promised)}")
first = answers_to([plan()])[0]
check(first["bound"] == "memory" and first["ridge_flop_per_byte"] == 206.125, "a decode step on H200 is bound by memory")
check([round(k["at_peak_s"] * 4.8e12) for k in first["roofs"] if k["roof"] == "memory"] == [first["work"]["moved_bytes"]], "the memory roof is bytes over bandwidth")
check(answers_to([plan(observed={**DECODE, "tpot_s": 0.1})])[0]["bound"] == "overhead", "what no kernel takes is overhead")
eager = answers_to([plan(engine={"enforce_eager": True}, observed={**DECODE, "tpot_s": 0.05})])[0]
check("CUDA graphs" in eager["remedies"][0]["change"] and eager["remedies"][0]["patch"] == {"engine": {"enforce_eager": False}}, "graphs first where they are off")

# ---------------------------------------------------------------------------------------------------------------------
# What is refused, and why.
broken = [
    (plan(observed={**DECODE, "tpot_s": 0.003}), "bad_value", "observed.tpot_s", "speculative decoding"),
    (plan(observed={"ttft_s": 0.01, "input_tokens": 4096}), "bad_value", "observed.ttft_s", "cached"),
    (plan(observed={"output_tokens_per_s": 1e6, **steady}), "bad_value", "observed.output_tokens_per_s", "faster than is possible"),
    (kernel(observed={"time_s": 0.0012, "flop": 2e12, "moved_bytes": 1}), "bad_value", "observed.time_s", "989"),
    (kernel(op=SUM, observed={"time_s": 1e-9}), "bad_value", "observed.time_s", "links"),
    (plan(observed="absent"), "bad_value", "observed", "tpot_s"),
    (plan(observed=5), "bad_value", "observed", "object"),
    (plan(observed={"batch": 8, "context": 1}), "bad_value", "observed.tpot_s", "ttft_s"),
    (plan(observed={**DECODE, "ttft_s": 1}), "bad_value", "observed.ttft_s", "tpot_s"),
    (plan(observed={**DECODE, "tpot_s": -1}), "bad_value", "observed.tpot_s", "more than 0"),
    (plan(observed={"tpot_s": 0.03, "context": 1}), "bad_value", "observed.batch", "missing"),
    (plan(observed={"tpot_s": 0.03, "batch": 1}), "bad_value", "observed.context", "input_tokens"),
    (plan(observed={"ttft_s": 0.5}), "bad_value", "observed.input_tokens", "prompt"),
    (plan(observed={"ttft_s": 0.5, "input_tokens": 10, "context": 10}), "bad_value", "observed.context", "fewer"),
    (plan(observed={**DECODE, "contxt": 1}), "unknown_key", "observed.contxt", "context"),
    (plan(observed={**DECODE, "time_s": 1}), "unknown_key", "observed.time_s", "nearest"),
    (plan(op=GEMM), "bad_value", "op", "model"),
    (plan(load={"context": 5}), "bad_value", "load", "null"),
    (plan(accelerator="H100"), "ambiguous_accelerator", "accelerator", "H100 SXM"),
    (plan(model="resnet-50"), "bad_value", "model", "layers"),
    (kernel(observed={"time_s": 1}), "bad_value", "observed.flop", "moved_bytes"),
    (kernel(observed={"flop": 1}), "bad_value", "observed.time_s", "seconds"),
    (kernel(observed={"time_s": 1, "flop": -1}), "bad_value", "observed.flop", "0 or more"),
    (kernel(observed={"time_s": 1, "flop": 1, "format": "fp3"}), "unknown_format", "observed.format", "bf16"),
    (kernel(accelerator="absent"), "bad_value", "accelerator", "missing"),
    (kernel(accelerator="Cray-1"), "unknown_accelerator", "accelerator", "nearest"),
    (kernel(parallel={"tp": 2}), "bad_value", "parallel", "null"),
    (op(op="absent"), "bad_value", "op", "kind"),
    (op({"m": 1}), "bad_value", "op.kind", "gemm"),
    (op({**GEMM, "kind": "conv"}), "bad_value", "op.kind", "all_reduce"),
    (op({**GEMM, "m": 0}), "bad_value", "op.m", "expected 1 to"),
    (op({"kind": "gemm", "m": 1, "n": 1}), "bad_value", "op.k", "missing"),
    (op({**GEMM, "format": "fp3"}), "unknown_format", "op.format", "int4"),
    (op({**GEMM, "n": 1 << 40, "k": 1 << 40}), "overflow", "op.n", "64 bits"),
    (op({**GEMM, "heads": 4}), "unknown_key", "op.heads", "is no size of gemm"),
    (op({**GEMM, "hads": 4}), "unknown_key", "op.hads", "nearest"),
    (op({**LATENT, "kv_heads": 8}), "bad_value", "op.kv_heads", "expected 1"),
    (op({**NORM, "kind": "quantization", "format": "fp32"}), "bad_value", "op.format", "at most 8 bits"),
    (op({"kind": "recurrent", "layer": "short_conv", "channels": 64, "batch": 1, "heads": 4}), "unknown_key", "op.heads", "is no size of recurrent"),
    (op({**PROMPT, "scores": "fp8"}), "bad_value", "op.scores", "expected format fp8"),
    (op({**LATENT, "phase": "prefill", "tokens": 64, "context": None, "format": "fp8", "scores": "fp8"}), "bad_value", "op.scores", "latents"),
    (op({**GEMM, "stack": "exllama"}), "bad_value", "op.stack", "sglang or trtllm"),
    (op({**GEMM, "stack": "nccl"}), "bad_value", "op.stack", "sglang or trtllm"),
    (op({**SUM, "stack": "mpi"}), "bad_value", "op.stack", "library"),
    (op({**ATTENTION, "mask": "sliding"}), "bad_value", "op.window", "missing"),
    (op({**ATTENTION, "mask": "causal", "window": 5}), "bad_value", "op.window", "causal"),
    (op({**ATTENTION, "mask": "round"}), "bad_value", "op.mask", "chunked, encoder or cross"),
    (op({**ATTENTION, "mask": "encoder"}), "bad_value", "op.phase", "prefill"),
    (op({**PROMPT, "mask": "encoder", "context": 5}), "bad_value", "op.context", "encoder"),
    (op({**PROMPT, "mask": "cross"}), "bad_value", "op.context", "missing"),
    (op({**ATTENTION, "mask": "cross", "context": 0}), "bad_value", "op.context", "expected 1 to"),
    (op({**LATENT, "window": 5}), "bad_value", "op.window", "latent_rank"),
    (op({**LATENT, "index_topk": 2048, "index_n_heads": 64}), "bad_value", "op.index_head_dim", "missing"),
    (op({**LATENT, "index_n_heads": 64}), "bad_value", "op.index_n_heads", "index_topk"),
    (op({**ATTENTION, "index_topk": 64}), "bad_value", "op.index_topk", "latent_rank"),
    (op({**ATTENTION, "tp": 3}), "bad_value", "op.tp", "divisor of the 64 heads"),
    (op({**ATTENTION, "scores": "fp8"}), "bad_value", "op.scores", "decode"),
    (op({**PROMPT, "scores": "fp4"}), "bad_value", "op.scores", "fp8 or int8"),
    (op({**EXPERTS, "experts_per_token": 300}), "bad_value", "op.experts_per_token", "256 experts"),
    (op({**EXPERTS, "ep": 512}), "bad_value", "op.ep", "256 experts"),
    (op({**EXPERTS, "tp": 3}), "bad_value", "op.tp", "divisor of the expert_inner 2048"),
    (op({**EXPERTS, "matrices": 4}), "bad_value", "op.matrices", "2 to 3"),
    (op({**EXPERTS, "hidden": 1 << 40, "expert_inner": 1 << 40}), "overflow", "op.expert_inner", "64 bits"),
    (op({k: v for k, v in EXPERTS.items() if k != "hidden"}), "bad_value", "op.hidden", "missing"),
    (op({**EXPERTS, "format": "fp3"}), "unknown_format", "op.format", "int4"),
    (op({k: v for k, v in STATE.items() if k != "layer"}), "bad_value", "op.layer", "gated_delta"),
    (op({**STATE, "layer": "gru"}), "bad_value", "op.layer", "mamba2"),
    (op({**STATE, "layer": "short_conv"}), "unknown_key", "op.heads", "no size of recurrent"),
    (op({"kind": "recurrent", "layer": "short_conv", "batch": 1}), "bad_value", "op.channels", "missing"),
    (op({k: v for k, v in STATE.items() if k != "state"}), "bad_value", "op.state", "missing"),
    (op({**STATE, "tp": 5}), "bad_value", "op.tp", "32 heads"),
    (op({**STATE, "tokens": 7}), "bad_value", "op.tokens", "decode"),
    (op({**STATE, "phase": "prefill"}), "bad_value", "op.tokens", "missing"),
    (op({**NORM, "tokens": 0}), "bad_value", "op.tokens", "expected 1 to"),
    (op({**SAMPLING, "vocabulary": None}), "bad_value", "op.vocabulary", "missing"),
    (op({**NORM, "kind": "quantization", "format": "x"}), "unknown_format", "op.format", "fp8"),
    (op(constants={"gemm.bf16.memry": 1}), "unknown_key", "constants.gemm.bf16.memry", "gemm.KERNEL"),
    (op(constants={"gemm.bf16.memory": 2}), "bad_value", "constants.gemm.bf16.memory", "0.0001 to 1"),
    (op(constants={"gemm.bf16.memory": "fast"}), "bad_value", "constants.gemm.bf16.memory", "number"),
    (op(constants=[1]), "bad_value", "constants", "object"),
    (plan(constants={"step_share": 0}), "bad_value", "constants.step_share", "step_share: 2"),
    (kernel(constants={"nope": 1}), "unknown_key", "constants.nope", "step_gap_us"),
    (kernel(op={**EXPERTS, "stack": "x"}, observed={"time_s": 1}), "bad_value", "op.stack", "vllm"),
    (kernel(op=EXPERTS, observed={"time_s": 1e-5}), "bad_value", "observed.time_s", "faster than is possible"),
    (op({**ATTENTION, "kv_heads": 7}), "bad_value", "op.kv_heads", "divisor"),
    (op({**ATTENTION, "rope_dim": 64}), "bad_value", "op.rope_dim", "latent_rank"),
    (op({**ATTENTION, "phase": "think"}), "bad_value", "op.phase", "prefill"),
    (op({**SUM, "group": 1}), "bad_value", "op.group", "expected 2 to"),
    (op({**SUM, "group": 16}), "bad_value", "op.group", "DGX"),
    (op({**SUM, "kind": "send_receive", "group": 3}), "bad_value", "op.group", "two ends"),
    (op(accelerator="what", visible_bytes=1 << 36), "bad_value", "visible_bytes", "null"),
    (op(zzz=1), "unknown_key", "zzz", "nearest")]
for (r, code, field, part), a in zip(broken, answers_to([b[0] for b in broken])):
    check(a["status"] == "error" and a["code"] == code and a["field"] == field, f"{field}: expected {code}, got {json.dumps(a)[:300]}")
    check(field in a.get("message", "") and part in a.get("message", ""), f"{field}: {part} is not in {a.get('message')}")
    check(a["id"] == "x" and len(a.get("message", "").encode()) <= 600, f"{field}: the id, and at most 600 bytes")

# Every field under every wrong type: an answer or an error, never a crash.
WRONG = [None, True, -1, 0, 1, 1.5, 1e300, -1e300, 1e-300, 1 << 62, 1 << 64, "", "x", "\u0000\u2028", [], [1], {}, {"x": 1}]
mangled = []
for base in (plan(), plan(observed={"output_tokens_per_s": 1200, **steady}), kernel(), kernel(op=GEMM, observed={"time_s": 4e-5}), op(ATTENTION), op(SUM),
             op({**SPARSE, "tp": 2, "stack": "vllm"}), op({**PROMPT, "mask": "sliding", "window": 64, "scores": "fp8", "format": "fp8"}), op({**EXPERTS, "matrices": 3, "tp": 1}), op({**STATE, "tp": 2, "phase": "prefill", "tokens": 5}),
             op(NORM), op(SAMPLING), op(constants={"gemm.bf16.memory": 0.9})):
    for key, value in base.items():
        if key in ("ask", "id"):
            continue
        for wrong in WRONG:
            mangled.append({**base, key: wrong})
            if isinstance(value, dict):
                mangled.extend({**base, key: {**value, inner: wrong}} for inner in value)
for r, a in zip(mangled, answers_to(mangled)):
    check(a["status"] in ("ok", "error"), f"{json.dumps(r)}: {json.dumps(a)[:200]}")

# ---------------------------------------------------------------------------------------------------------------------
# As commands.
LLAMA = ("diagnose", "llama-3.1-70b", "--on", "H200 SXM", "--tp", 2)
one_line = lambda text: re.sub(r"\s+", " ", text)
code, out, err = run(*LLAMA, "--observed", "tpot=31ms,batch=8,context=4096", "--json")
check(code == 0 and json.loads(out)["observed_s"] == 0.031, f"diagnose --json: {code} {err}")
same = [run(*LLAMA, "--observed", f"tpot={t},batch=8,context=4096", "--json")[1] for t in ("31ms", "0.031s", "31000us", "0.031")]
check(len(set(same)) == 1, "a time in any unit")
code, out, err = run(*LLAMA, "--observed", "tpot=31ms,batch=8,context=4096")
for part in ("31.0 ms a token at 8 sequences", "Bound by memory", "memory", "below the ridge at 206 in bf16", "Back to what is usual, 24.0 ms, gains 7.01 ms"):
    check(part in one_line(out), f"diagnose says {part}: {out[:300]}")
code, out, err = run("diagnose", "--on", "H200 SXM", "--flop", "2TFLOP", "--bytes", "3GB", "--observed", "time=2.7ms")
check(code == 0 and "Bound by compute" in one_line(out) and "74.9 %" in out, f"diagnose of a kernel: {out[:200]} {err}")
check(run("diagnose", "--on", "H200 SXM", "--flop", 2e12, "--bytes", 3 * 10**9, "--observed", "time=2.7ms")[1] == out, "FLOP and bytes in any unit")
code, out, err = run("op", "gemm", "--m", 16, "--n", 8192, "--k", 8192, "--format", "fp8", "--on", "A100 SXM 80GB")
check(code == 0 and "bound by memory" in one_line(out) and "Note: op.format = bf16" in out, f"op gemm: {out[:300]} {err}")
code, out, err = run("op", "all_reduce", "--message", "1MiB", "--group", 8, "--on", "H200 SXM", "--json")
check(code == 0 and json.loads(out)["op"] == {"kind": "all_reduce", "message_bytes": 1 << 20, "group": 8, "stack": None}, f"op all_reduce: {out[:200]} {err}")
check(run("op", "attention", "--batch", 16, "--heads", 64, "--kv-heads", 8, "--head-dim", 128, "--context", 4096, "--on", "H200 SXM")[0] == 0, "op attention")
code, out, err = run("op", "gemm", "--m", 16, "--n", 8192, "--k", 8192, "--on", "H200 SXM", "--observed", "time=40us", "--json")
check(code == 0 and json.loads(out)["ask"] == "diagnose", f"an operation diagnosed: {err}")
commands = {"experts": ("--tokens", 256, "--hidden", 7168, "--experts", 256, "--experts-per-token", 8, "--expert-inner", 2048, "--format", "fp8_block", "--ep", 8, "--stack", "sglang"),
            "recurrent": ("--layer", "gated_delta", "--heads", 32, "--state", 524288, "--channels", 8192, "--batch", 32),
            "attention": ("--batch", 4, "--heads", 128, "--head-dim", 128, "--latent-rank", 512, "--rope-dim", 64, "--context", 8000, "--index-topk", 2048, "--index-n-heads", 64, "--index-head-dim", 128, "--tp", 8),
            "normalization": ("--tokens", 4096, "--hidden", 8192), "quantization": ("--tokens", 4096, "--hidden", 8192), "embedding": ("--tokens", 4096, "--hidden", 8192),
            "sampling": ("--batch", 64, "--vocabulary", 128256), "gemm": ("--m", 1, "--n", 64, "--k", 64, "--constant", "gemm.bf16.memory=0.9", "--constant", "gemm.bf16.floor_us=1")}
for kind, words in commands.items():
    code, out, err = run("op", kind, *words, "--on", "H200 SXM")
    check(code == 0 and out.startswith((kind, "decode attention", "gated_delta")), f"op {kind}: {code} {out[:200]} {err}")
code, out, err = run("op", "attention", "--phase", "prefill", "--mask", "chunked", "--window", 512, "--scores", "fp8", "--format", "fp8", "--batch", 1, "--heads", 64, "--head-dim", 128, "--tokens", 4096, "--on", "H200 SXM", "--json")
check(code == 0 and json.loads(out)["op"]["mask"] == "chunked" and json.loads(out)["computes_as"] == "fp8", f"a chunked prompt: {err}")
code, out, err = run("op", "gemm", "--m", 16, "--n", 8192, "--k", 8192, "--on", "H200 SXM", "--constant", "gemm.bf16.memory=0.9", "--constant", "step_share=1", "--json")
check(code == 0 and "as given: gemm.bf16.memory 0.9, step_share 1.0" in out, f"--constant: {out[:300]} {err}")
check("as given: step_share" in one_line(run("step", "llama-3.1-8b", "--on", "H200 SXM", "--phase", "decode", "--batch", 1, "--context", 10, "--constant", "step_share=0.9")[1]), "step --constant")
check("as given: step_share" in one_line(run("perf", "llama-3.1-8b", "--on", "H200 SXM", "--input-tokens", 1000, "--output-tokens", 10, "--concurrency", 1, "--constant", "step_share=0.9")[1]), "perf --constant")
for words in ((*LLAMA, "--observed", "tpot=31ms,batch=8,context=4096"), ("op", "gemm", "--m", 16, "--n", 8192, "--k", 8192, "--format", "fp8", "--on", "A100 SXM 80GB")):
    for columns in (72, 80, 120, 140):
        for line in run(*words, columns=columns)[1].splitlines():
            check(len(line) <= columns or " " not in line.strip(), f"{words[0]} at {columns}: {len(line)}: {line}")
for words, code, parts in (
        ((*LLAMA, "--observed", "tpot=3ms,batch=8,context=4096"), 2, ["faster than is possible", "--observed"]),
        ((*LLAMA, "--observed", "tpot=31parsecs,batch=8"), 2, ["tpot=31parsecs", "40ms"]),
        ((*LLAMA, "--observed", "speed=3"), 2, ["speed=3", "tpot, ttft"]),
        ((*LLAMA, "--observed", "tpot"), 2, ["word=value"]),
        ((*LLAMA, "--observed", "batch=8,batch=9"), 2, ["batch twice"]),
        (LLAMA, 2, ["--observed"]),
        (("diagnose", "--on", "H200 SXM", "--observed", "time=1ms"), 2, ["--flop"]),
        (("diagnose", "--on", "H200 SXM", "--observed", "time=1ms", "--flop", "2parsec"), 2, ["--flop", "2TFLOP"]),
        (("diagnose", "no-such-model", "--on", "L4", "--observed", "tpot=1s,batch=1,context=1"), 3, ["MODEL", "unknown_architecture"]),
        (("diagnose", "/no/such/config.json", "--on", "L4", "--observed", "tpot=1s,batch=1,context=1"), 4, ["bad_file"]),
        (("op", "conv", "--on", "L4"), 2, ["KIND", "gemm"]),
        (("op", "gemm", "--m", 1, "--n", 1, "--on", "L4"), 2, ["--k"]),
        (("op", "gemm", "--m", 1, "--n", 1, "--k", 1), 2, ["--on"]),
        (("op", "gemm", "--m", 1, "--n", 1, "--k", 1, "--format", "fp3", "--on", "L4"), 3, ["--format"]),
        (("op", "gemm", "--m", 1, "--n", 1, "--k", 1, "--on", "L4", "--constant", "x"), 2, ["--constant", "gemm.bf16.compute=0.7"]),
        (("op", "gemm", "--m", 1, "--n", 1, "--k", 1, "--on", "L4", "--constant", "x=1"), 2, ["--constant", "no such constant"]),
        (("op", "gemm", "--m", 1, "--n", 1, "--k", 1, "--on", "L4", "--stack", "x"), 2, ["--stack", "sglang"]),
        (("op", "all_reduce", "--message", "1M", "--group", 8, "--on", "L4"), 2, ["MB", "MiB"]),
        (("op", "all_reduce", "--message", "1MB", "--group", 16, "--on", "H200 SXM"), 2, ["--group", "joins 8"]),
        (("op", "all_reduce", "--message", "1MB", "--group", 8, "--on", "H200 SXM", "--plot", "x.svg"), 2, ["--plot"]),
        (("op", "gemm", "--m", 1, "--n", 1, "--k", 1, "--on", "L4", "--plot", "/no/such/folder/x.svg"), 4, ["bad_file"])):
    got, out, err = run(*words)
    check(got == code and out == "", f"{words}: exit {got}, {out[:100]!r}")
    check(err.startswith("ullage: ") and err.count("\n") == 1, f"{words}: one line: {err!r}")
    for part in parts:
        check(part in err, f"{words}: {part} is not in {err!r}")

# ---------------------------------------------------------------------------------------------------------------------
# The drawing: well-formed, foreign text escaped, every roof and point there, nothing outside, no label over another.
SVG = "{http://www.w3.org/2000/svg}"


def drawn(path):
    tree = ET.parse(path).getroot()
    check(tree.get("width") == "900" and tree.get("height") == "600", "900 x 600")
    texts = []
    for t in tree.iter(SVG + "text"):
        if t.get("transform"):
            continue
        size, x, y = (float(t.get(k)) for k in ("font-size", "x", "y"))
        width = .62 * size * len(t.text)
        left = x - (width if t.get("text-anchor") == "end" else width / 2 if t.get("text-anchor") == "middle" else 0)
        texts.append((left, y - .75 * size, left + width, y + .2 * size, t.text))
    for i, (l, t, r, b, words) in enumerate(texts):
        check(l >= 0 and t >= 0 and r <= 900 and b <= 600, f"outside: {words}")
        for l2, t2, r2, b2, others in texts[:i]:
            check(r <= l2 or r2 <= l or b <= t2 or b2 <= t, f"{words!r} lies over {others!r}")
    return " ".join(t.text for t in tree.iter(SVG + "text"))


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "roofline.svg")
    for words, parts in (((*LLAMA, "--observed", "tpot=31ms,batch=8,context=4096"), ["llama-3.1-70b", "bf16", "ridge 206 FLOP/B", "4.8 TB/s", "linear", "attention", "observed"]),
                         (("diagnose", "deepseek-v3", "--on", "B200", "--tp", 8, "--observed", "tpot=31ms,batch=64,context=4096"), ["fp4", "experts", "observed"]),
                         (("diagnose", "--on", "H200 SXM", "--flop", "2e12", "--bytes", "3GB", "--observed", "time=2.7ms"), ["expected", "observed"]),
                         (("op", "attention", "--phase", "prefill", "--tokens", 4096, "--batch", 1, "--heads", 64, "--head-dim", 128, "--on", "MI300X"), ["attention", "prefill"]),
                         (("op", "experts", *commands["experts"], "--on", "B200"), ["experts, 8 of 256 for 256 tokens", "fp4"]),
                         (("op", "recurrent", *commands["recurrent"], "--on", "H200 SXM", "--observed", "time=50us"), ["gated_delta, decode, batch 32", "observed"]),
                         (("op", "gemm", "--m", 1, "--n", 8192, "--k", 8192, "--on", "RTX 4090"), ["gemm", "int8"])):
        code, out, err = run(*words, "--plot", path)
        check(code == 0, f"{words} --plot: {code} {err}")
        if code == 0:
            seen = drawn(path)
            for part in parts:
                check(part in seen, f"{words}: {part} is not drawn: {seen}")
            os.remove(path)
    # A name from a file is text, whatever it holds.
    name = "<script>&\"'x"
    config = {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
              "num_key_value_heads": 8, "vocab_size": 128256, "torch_dtype": "bfloat16"}
    place = os.path.join(folder, name)
    os.mkdir(place)
    pathlib.Path(place, "config.json").write_text(json.dumps(config))
    code, out, err = run("diagnose", place, "--on", "H200 SXM", "--observed", "tpot=31ms,batch=8,context=4096", "--plot", path)
    check(code == 0 and "<script" not in pathlib.Path(path).read_text(), f"escaped: {code} {err}")
    drawn(path)

for failure in failures[:40]:
    print("failed:", failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
