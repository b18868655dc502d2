#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program on good and broken requests: every answer is held against docs/contract.schema.json, every error
names its field, exit codes are as docs/errors.md says, and every remedy's patch gives the verdict it promises."""
import copy
import json
import os
import pathlib
import re
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
Draft202012Validator.check_schema(SCHEMA)
ANSWERS = Draft202012Validator(SCHEMA)
REQUESTS = Draft202012Validator({"$ref": "#/$defs/request", "$defs": SCHEMA["$defs"]})
EXIT = {"unknown_architecture": 3, "unknown_field": 3, "incomplete_config": 3, "unknown_format": 3, "unknown_engine": 3, "unsupported_version": 3,
        "too_many_layers": 3, "overflow": 3, "unknown_key": 2, "unknown_accelerator": 2, "ambiguous_accelerator": 2, "unsupported_layout": 2,
        "bad_value": 2, "bad_file": 4, "bad_json": 4}

failures = []
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        failures.append(what)


def run(*arguments, text=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, timeout=120)
    check(done.returncode in (0, 1, 2, 3, 4), f"{arguments}: ended with {done.returncode}: {done.stderr[-400:]!r}")
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def answers_to(lines):
    """One answer a line, in order; a line is text, bytes or an object."""
    raw = b"".join((line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else json.dumps(line).encode()) + b"\n" for line in lines)
    code, out, err = run("batch", text=raw)
    check(code == 0, f"batch ended with {code}: {err[-400:]}")
    answers = [json.loads(line) for line in out.splitlines()]
    for answer in answers:
        for problem in ANSWERS.iter_errors(answer):
            check(False, f"schema: {problem.json_path}: {problem.message[:200]} in {json.dumps(answer)[:300]}")
    return answers


LLAMA = {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
         "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072, "torch_dtype": "bfloat16"}


def request(**changes):
    r = {"id": "x", "schema": 1, "ask": "fit", "model": {"name": "llama-3.1-8b"}, "accelerator": "H100 SXM", "load": {"context": 8192, "concurrency": 16}}
    r.update(changes)
    return {k: v for k, v in r.items() if v != "absent"}


def config(**changes):
    c = dict(LLAMA)
    c.update(changes)
    return request(model={"config": {k: v for k, v in c.items() if v != "absent"}})


def good_requests():
    for model in ("llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "mixtral-8x7b", "deepseek-v3", "meta-llama/Llama-3.1-8B-Instruct"):
        for part, count in (("L4", 1), ("A100 SXM 80GB", 2), ("H200 SXM", 8), ("MI300X", 4)):
            yield request(model={"name": model}, accelerator=part, count=count)
            yield request(model={"name": model}, accelerator=part, count=count, load=None, kv_cache="fp8")
    yield config()
    yield config(quantization_config={"quant_method": "fp8", "weight_block_size": [128, 128]})
    yield request(engine={"name": "plain"})
    yield request(engine={"version": "0.8.5", "enforce_eager": True, "rules": {"null_blocks": 0}})
    yield request(engine={"date": "2025-11-30"})
    yield request(engine={"version": "99.0.0"})
    yield request(accelerator="absent", devices=[{"accelerator": "L4"}, {"accelerator": "A100 PCIe 40GB"}])
    yield request(accelerator="absent", devices=[{"accelerator": "H100 SXM", "count": 4}], nodes=2)
    yield request(accelerator="something else", visible_bytes=48_000_000_000)
    yield request(accelerator="absent", visible_bytes=48_000_000_000)
    yield request(given={"weight_bytes": 9_000_000_000, "kv_available_bytes": 1_000_000_000})
    yield request(id={"any": [1, None]}, parallel={"tp": 4, "pp": 2})
    yield request(model="meta-llama/Llama-3.1-8B")
    yield request(step=None, constraints=None, objective=None, offers=None, speculative={"method": None, "num_tokens": 2})
    yield request(load={"context": 8192, "concurrency": 2, "input_tokens": None, "request_rate": None})
    yield request(engine={"version": "0.1.dev19754+g3a0914114", "date": "2025-10-20"})
    yield request(engine={"version": "v0.11.1rc2.dev160+g1234.cu128"})
    yield request(model={"config": {**LLAMA, "model_type": "mistral", "sliding_window": 4096}}, load={"context": 4096, "concurrency": 2})
    yield request(accelerator="Gaudi 3")
    for lengths in ({"values": [1000, 8000], "weights": [0.9, 0.1]}, {"values": [4096]}, {"lognormal": {"mean": 2000, "p95": 7000}}):
        yield request(load={"context": lengths, "concurrency": 400})
        yield request(load={"context": lengths, "concurrency": {"values": [10, 300], "weights": [9, 1]}}, engine={"max_model_len": 4096})
        yield request(load={"context": lengths})
    yield request(count=8, parallel={"split": "best"}, model={"name": "llama-3.1-70b"})
    yield request(count=4, nodes=2, parallel={"split": "best", "dp": 2}, load={"context": 65536, "concurrency": 4000})
    yield request(accelerator="MI325X")
    yield request(count=8.0)
    yield {"model": {"name": "llama-3.2-1b"}, "accelerator": "T4"}


def timed_requests():
    traffic = {"input_tokens": 1024, "output_tokens": 256, "concurrency": 64}
    for model, part, count in (("llama-3.1-8b", "H100 SXM", 1), ("llama-3.1-70b", "H200 SXM", 4), ("deepseek-v3", "H200 SXM", 8), ("qwen3-32b", "MI300X", 1)):
        base = request(model={"name": model}, accelerator=part, count=count, load="absent")
        yield {**base, "ask": "perf", "load": traffic}
        yield {**base, "ask": "perf", "load": {**traffic, "prefix_hit": 0.5, "concurrency": None, "request_rate": 0.5}}
        yield {**base, "ask": "perf", "load": {**traffic, "concurrency": None, "request_rate": 1e6}}
        yield {**base, "ask": "step", "step": {"phase": "decode", "batch": 32, "context": 4096}}
        yield {**base, "ask": "step", "step": {"phase": "prefill", "batch": 1, "tokens": 2048}}
        select = request(ask="select", model={"name": model}, accelerator="absent")
        yield select
        yield {**select, "objective": "power", "constraints": {"max_devices": 4, "max_power_w": 3000}}
        yield {**select, "load": traffic, "objective": "latency", "constraints": {"max_ttft_s": 2, "max_tpot_s": 0.05, "max_memory_bytes": 10**12}}
        yield {**select, "load": traffic, "offers": ["H100 SXM", "l4"]}
    yield request(ask="perf", load={"input_tokens": 1, "output_tokens": 1})


OPAQUE = {"name": "net", "item": "image", "parameters": 10**7, "flop_per_item": 4e9, "moved_bytes_per_item": {"low": 10**7, "mid": 2 * 10**7, "high": 5 * 10**7},
          "activation_bytes_per_item": 3 * 10**6, "state_bytes_per_stream": 1000, "kernels": 50, "basis": "measured", "source": "own", "format": "bf16"}


def opaque(ask="fit", **changes):
    r = {"id": "x", "schema": 1, "ask": ask, "model": {"opaque": OPAQUE}, "accelerator": "L4", "load": {"concurrency": 32}}
    r.update(changes)
    return {k: v for k, v in r.items() if v != "absent"}


def own(**changes):
    return {"opaque": {k: v for k, v in {**OPAQUE, **changes}.items() if v != "absent"}}


def opaque_requests():
    for model in ({"opaque": OPAQUE}, "resnet-50", {"name": "yolov8n"}, {"name": "YOLOv8x"}, "whisper-large-v3-encoder", "bert-base-512", "sdxl-unet"):
        for part, count in (("L4", 1), ("T4", 2), ("H200 SXM", 8), ("MI300X", 1)):
            yield opaque(model=model, accelerator=part, count=count)
            yield opaque(model=model, accelerator=part, count=count, load={"concurrency": 10**6}, engine={"name": "plain", "gpu_memory_utilization": 0.5})
            yield opaque("perf", model=model, accelerator=part, count=count, weights="int8")
        select = opaque("select", model=model, accelerator="absent")
        yield select
        yield {**select, "load": None, "objective": "latency"}
        yield {**select, "load": None, "constraints": {"max_latency_s": 0.1, "min_items_per_s": 100, "max_devices": 4, "max_power_w": 2000}}
        yield {"id": "x", "ask": "model", "model": model}
    memory_alone = own(flop_per_item="absent", moved_bytes_per_item=None, kernels=None)
    yield opaque(model=memory_alone)
    yield opaque("select", model=memory_alone, accelerator="absent")
    yield opaque(parallel={"tp": 1, "dp": 4}, kv_cache="auto")
    yield opaque(accelerator="absent", devices=[{"accelerator": "L4"}, {"accelerator": "T4", "count": 2}], load={"concurrency": 10**7})
    yield opaque(accelerator="absent", visible_bytes=10**9, given={"weight_bytes": 1, "activation_bytes": 5, "runtime_bytes": 7})
    yield opaque("perf", accelerator="H100 SXM", weights="fp8", load=None)
    yield opaque("perf", accelerator="A100 SXM 80GB", weights="fp8", nodes=2)
    yield opaque(model=own(activation_bytes_per_item=0, state_bytes_per_stream=0), load={"concurrency": 10**12})


def opaque_broken():
    yield opaque(model=own(paramters=1, parameters="absent")), "unknown_key", "model.opaque.paramters"
    yield opaque(model=own(parameters="absent")), "bad_value", "model.opaque.parameters"
    yield opaque(model=own(parameters=0)), "bad_value", "model.opaque.parameters"
    yield opaque(model=own(parameters=1.5)), "bad_value", "model.opaque.parameters"
    yield opaque(model=own(parameters=1 << 64)), "overflow", "model.opaque.parameters"
    yield opaque(model=own(flop_per_item=-1)), "bad_value", "model.opaque.flop_per_item"
    yield opaque(model=own(flop_per_item="many")), "bad_value", "model.opaque.flop_per_item"
    yield opaque(model=own(flop_per_item="absent")), "bad_value", "model.opaque.flop_per_item"
    yield opaque(model=own(moved_bytes_per_item="absent")), "bad_value", "model.opaque.moved_bytes_per_item"
    yield opaque(model=own(moved_bytes_per_item={"low": 3, "mid": 2, "high": 4})), "bad_value", "model.opaque.moved_bytes_per_item"
    yield opaque(model=own(moved_bytes_per_item={"low": 3, "mid": 4})), "bad_value", "model.opaque.moved_bytes_per_item.high"
    yield opaque(model=own(moved_bytes_per_item={"low": 3, "mid": 4, "high": 5, "top": 6})), "unknown_key", "model.opaque.moved_bytes_per_item.top"
    yield opaque(model=own(activation_bytes_per_item=-1)), "bad_value", "model.opaque.activation_bytes_per_item"
    yield opaque(model=own(activation_bytes_per_item="absent")), "bad_value", "model.opaque.activation_bytes_per_item"
    yield opaque(model=own(activation_bytes_per_item=1 << 70)), "overflow", "model.opaque.activation_bytes_per_item"
    yield opaque(model=own(state_bytes_per_stream=-1)), "bad_value", "model.opaque.state_bytes_per_stream"
    yield opaque(model=own(kernels=0)), "bad_value", "model.opaque.kernels"
    yield opaque(model=own(format="int3")), "unknown_format", "model.opaque.format"
    yield opaque(model=own(basis="hearsay")), "bad_value", "model.opaque.basis"
    yield opaque(model={"opaque": OPAQUE, "name": "resnet-50"}), "bad_value", "model"
    yield opaque(model={"opaque": 5}), "bad_value", "model.opaque"
    yield opaque(model="resnet-51"), "unknown_architecture", "model"
    yield opaque(engine={"name": "vllm"}), "bad_value", "engine.name"
    yield opaque(engine={"name": "other"}), "unknown_engine", "engine.name"
    yield opaque(engine={"max_model_len": 5}), "bad_value", "engine.max_model_len"
    yield opaque(engine={"rules": {"none_such": 1}}), "unknown_key", "engine.rules.none_such"
    yield opaque(weights="int4"), "unknown_format", "weights"
    yield opaque(kv_cache="fp8"), "bad_value", "kv_cache"
    yield opaque(parallel={"tp": 2}), "unsupported_layout", "parallel.tp"
    yield opaque(parallel={"pp": 2}), "unsupported_layout", "parallel.pp"
    yield opaque(parallel={"ep": 2}), "unsupported_layout", "parallel.ep"
    yield opaque(parallel={"dp": 3}, count=2), "unsupported_layout", "parallel.dp"
    yield opaque(load={"context": 8, "concurrency": 1}), "bad_value", "load.context"
    yield opaque("perf", load={"input_tokens": 8, "output_tokens": 1}), "bad_value", "load.input_tokens"
    yield opaque(load={"concurrency": 0}), "bad_value", "load.concurrency"
    yield opaque(load={"concurrency": 1 << 40}, model=own(activation_bytes_per_item=1 << 40)), "overflow", "load.concurrency"
    yield opaque(given={"kv_available_bytes": 1}), "bad_value", "given.kv_available_bytes"
    yield opaque("perf", model=own(flop_per_item="absent", moved_bytes_per_item="absent")), "bad_value", "model.opaque.flop_per_item"
    yield opaque("perf", accelerator="absent", devices=[{"accelerator": "L4"}, {"accelerator": "T4"}]), "bad_value", "devices"
    yield opaque("step", load="absent", step={"phase": "decode", "batch": 1, "context": 1}), "bad_value", "model"
    yield opaque("select"), "bad_value", "accelerator"
    yield opaque("select", accelerator="absent", constraints={"max_tpot_s": 1}), "bad_value", "constraints.max_tpot_s"
    yield opaque("select", accelerator="absent", constraints={"max_latency_s": -1}), "bad_value", "constraints.max_latency_s"
    yield request(ask="select", accelerator="absent", constraints={"max_latency_s": 1}), "unknown_key", "constraints.max_latency_s"
    yield {"id": "x", "ask": "model", "model": "resnet-50", "load": {"context": 5}}, "bad_value", "load"


def broken_requests():
    """(request, code, part of the field's path)."""
    big = 1 << 62
    yield config(model_type="rwkv9"), "unknown_architecture", "model.config.model_type"
    yield config(model_type="absent"), "incomplete_config", "model.config.model_type"
    yield config(vocab_size="absent"), "incomplete_config", "model.config.vocab_size"
    yield config(num_hidden_layers=-1), "bad_value", "model.config.num_hidden_layers"
    yield config(num_hidden_layers=31.5), "bad_value", "model.config.num_hidden_layers"
    yield config(num_hidden_layers=100000), "too_many_layers", "model.config.num_hidden_layers"
    yield config(hidden_size=big), "overflow", "model.config.hidden_size"
    yield config(hidden_size=1 << 70), "overflow", "model.config.hidden_size"
    yield config(quantization_config={"quant_method": "fp8", "zzz": 7}), "unknown_field", "model.config.quantization_config.zzz"
    yield config(quantization_config={"quant_algo": "NVFP4", "group_size": 32}), "unknown_format", "model.config.quantization_config.group_size"
    yield config(quantization_config={"quant_method": "awq", "bits": 4, "zero_point": False}), "unknown_format", "model.config.quantization_config.zero_point"
    yield request(count=1 << 31), "bad_value", "count"
    yield request(count=1 << 64), "overflow", "count"
    yield request(parallel={"tp": 1 << 31}), "bad_value", "parallel.tp"
    yield request(load={"context": 1, "concurrency": 1 << 60}), "bad_value", "load.concurrency"
    yield request(load={"context": 1 << 40, "concurrency": 1 << 40}), "overflow", "load"
    yield request(model="llama-9"), "unknown_architecture", "model"
    yield config(sliding_window=512), "unknown_field", "model.config.sliding_window"
    yield config(text_config={}), "unknown_field", "model.config.text_config"
    yield config(quantization_config={"quant_method": "bitsandbytes"}), "unknown_format", "model.config.quantization_config.quant_method"
    yield request(parallel={"tp": 3}), "unsupported_layout", "parallel"
    yield request(count=7), "unsupported_layout", "parallel"
    yield request(wieghts="fp8"), "unknown_key", "wieghts"
    yield request(engine={"name": "vllm", "block_sizes": 16}), "unknown_key", "engine.block_sizes"
    yield request(engine={"name": "other"}), "unknown_engine", "engine.name"
    yield request(engine={"version": "0.1.0"}), "unsupported_version", "engine.version"
    for version in ("main", "0.8.5junk", "0.11.0 garbage", "0.1.dev19754+g3a0914114", "nightly"):
        yield request(engine={"version": version}), "unsupported_version", "engine.version"
    yield request(engine={"version": "abc", "date": "2025-10-20"}), "unsupported_version", "engine.version"
    for date in ("2025-10-02junk", "2025-02-31", "soon", "2025-1-2"):
        yield request(engine={"version": "0.11.0", "date": date}), "bad_value", "engine.date"
    yield request(engine={"max_model_len": big}), "bad_value", "engine.max_model_len"
    yield request(ask="perf", load={"input_tokens": 100, "output_tokens": 100}, engine={"max_model_len": 199}), "bad_value", "engine.max_model_len"
    yield request(speculative={"method": "mtp", "num_tokens": 1}), "bad_value", "speculative.method"
    yield request(zzz=None), "unknown_key", "zzz"
    yield request(load={"context": 1, "contxt": None}), "unknown_key", "load.contxt"
    yield request(accelerator="H100"), "ambiguous_accelerator", "accelerator"
    yield request(accelerator="Cray-1"), "unknown_accelerator", "accelerator"
    yield request(weights="fp3"), "unknown_format", "weights"
    yield request(model={"path": "/nowhere/config.json"}), "bad_file", "model.path"
    yield request(model={"name": "gpt-9"}), "unknown_architecture", "model.name"
    drawn = lambda **d: request(load={"context": d, "concurrency": 1})
    yield drawn(), "bad_value", "load.context"
    yield drawn(values=[1], lognormal={"mean": 1, "p95": 2}), "bad_value", "load.context"
    yield drawn(values=[1, 0]), "bad_value", "load.context.values[1]"
    yield drawn(values=list(range(1, 66))), "bad_value", "load.context.values"
    yield drawn(values=[1, 2], weights=[1]), "bad_value", "load.context.weights"
    yield drawn(values=[1, 2], weights=[1, -1]), "bad_value", "load.context.weights[1]"
    yield drawn(values=[1, 2], weights=[0, 0]), "bad_value", "load.context.weights"
    yield drawn(lognormal={"mean": 2000}), "bad_value", "load.context.lognormal.p95"
    yield drawn(lognormal={"mean": 2000, "p95": 2000}), "bad_value", "load.context.lognormal.p95"
    yield drawn(lognormal={"mean": 2000, "p95": 9000}), "bad_value", "load.context.lognormal.p95"
    yield drawn(value=[1]), "unknown_key", "load.context.value"
    yield request(load={"concurrency": {"values": [0]}, "context": 1}), "bad_value", "load.concurrency.values[0]"
    yield request(count=8, parallel={"split": "worst"}), "bad_value", "parallel.split"
    yield request(parallel={"split": "best"}), "bad_value", "count"
    yield request(count=7, parallel={"split": "best", "tp": 2}), "unsupported_layout", "parallel"
    yield request(count=8, parallel={"split": "best"}, given={"weight_bytes": 1}), "bad_value", "parallel.split"
    yield request(load={"context": 1, "input_tokens": 1}), "unknown_key", "load.input_tokens"
    yield request(ask="perf", load="absent"), "bad_value", "load"
    yield request(ask="perf"), "bad_value", "load.input_tokens"
    yield request(ask="perf", load={"input_tokens": 1}), "bad_value", "load.output_tokens"
    yield request(ask="perf", load={"input_tokens": 1, "output_tokens": 1, "context": 1}), "unknown_key", "load.context"
    yield request(ask="perf", load={"input_tokens": 1, "output_tokens": 1, "request_rate": -1}), "bad_value", "load.request_rate"
    yield request(ask="perf", load={"input_tokens": 1, "output_tokens": 1, "request_rate": 1, "concurrency": 1}), "bad_value", "load.request_rate"
    yield request(ask="perf", load={"input_tokens": 1, "output_tokens": 1, "prefix_hit": 1.5}), "bad_value", "load.prefix_hit"
    yield request(ask="perf", load={"input_tokens": {"lognormal": {"mean": 1, "p95": 2}}, "output_tokens": 1}), "bad_value", "load.input_tokens"
    yield request(ask="perf", accelerator="what", visible_bytes=1 << 36, load={"input_tokens": 1, "output_tokens": 1}), "bad_value", "devices"
    yield request(ask="step", load="absent"), "bad_value", "step"
    yield request(ask="step", step={"phase": "decode", "batch": 1, "context": 1}), "bad_value", "load"
    yield request(ask="step", load="absent", step={"phase": "think", "batch": 1, "context": 1}), "bad_value", "step.phase"
    yield request(ask="step", load="absent", step={"phase": "decode", "context": 1}), "bad_value", "step.batch"
    yield request(ask="step", load="absent", step={"phase": "prefill", "batch": 1}), "bad_value", "step.tokens"
    yield request(ask="step", load="absent", step={"phase": "prefill", "batch": 1, "tokens": 1, "toknes": 1}), "unknown_key", "step.toknes"
    yield request(ask="select"), "bad_value", "accelerator"
    yield request(ask="select", accelerator="absent", offers=[]), "bad_value", "offers"
    yield request(ask="select", accelerator="absent", offers=["H100"]), "ambiguous_accelerator", "offers[0]"
    yield request(ask="select", accelerator="absent", offers=["L4", "Cray-1"]), "unknown_accelerator", "offers[1]"
    yield request(ask="select", accelerator="absent", objective="beauty"), "bad_value", "objective"
    yield request(ask="select", accelerator="absent", objective="latency"), "bad_value", "objective"
    yield request(ask="select", accelerator="absent", constraints={"max_tpot_s": 1}), "bad_value", "constraints.max_tpot_s"
    yield request(ask="select", accelerator="absent", constraints={"max_watts": 1}), "unknown_key", "constraints.max_watts"
    yield request(offers=["L4"]), "unknown_key", "offers"
    select = request(ask="select", accelerator="absent")
    yield {**select, "constraints": {"max_devices": 1025}}, "bad_value", "constraints.max_devices"
    yield {**select, "load": {"context": 199, "input_tokens": 100, "output_tokens": 100}}, "bad_value", "load.context"
    yield {**select, "load": {"context": 199, "request_rate": 1}}, "bad_value", "load.input_tokens"
    yield {**select, "load": {"context": 199, "prefix_hit": 0.5}}, "bad_value", "load.input_tokens"
    yield request(ask="size"), "bad_value", "ask"


# ---------------------------------------------------------------------------------------------------------------------
good = list(good_requests())
for r in good:
    for problem in REQUESTS.iter_errors(r):
        check(False, f"request schema: {problem.json_path}: {problem.message[:200]}")
answers = answers_to(good)
check(len(answers) == len(good), "as many answers as requests")
patched, promised = [], []
for r, a in zip(good, answers):
    check(a.get("id") == r.get("id"), "the id comes back")
    if a["status"] != "ok":
        check(a["code"] == "unsupported_layout", f"{json.dumps(r)} was refused: {a['message']}")
        continue
    for rank in a["ranks"]:
        if "given" in r:
            continue
        check(rank["terms_sum_bytes"]["mid"] + rank["left_bytes"]["mid"] == rank["budget_bytes"], "terms add up")
        check(rank["visible_bytes"]["mid"] == rank["capacity_bytes"], "the capacity is the middle of what is visible")
        known = rank["visible_bytes"]["low"] == rank["visible_bytes"]["high"]
        for end, other in (("low", "high"), ("high", "low")):
            sum_ = rank["terms_sum_bytes"][end] + rank["left_bytes"][other]
            # Memory that is only estimated widens what is left and nothing else.
            check(sum_ == rank["budget_bytes"] if known else (sum_ > rank["budget_bytes"]) == (other == "high"), "terms add up")
    low, high = a["ranks"][0]["left_bytes"]["low"], a["ranks"][0]["left_bytes"]["high"]
    if len(a["ranks"]) == 1:
        check(a["verdict"] == ("fits" if low >= 0 else "does_not_fit" if high < 0 else "may_fit"), "the verdict is what the band says")


def merge_patch(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merge_patch(target.get(key), value)
    return target


for r, a in zip(good, answers):
    for remedy in a.get("remedies", []):
        patched.append(merge_patch(copy.deepcopy(r), remedy["patch"]))
        promised.append((remedy["verdict_then"], remedy["change"]))
for (verdict, change), then in zip(promised, answers_to(patched)):
    check(then.get("verdict") == verdict, f"remedy {change}: promised {verdict}, got {then.get('verdict') or then.get('message')}")
check(len(promised) > 50, "remedies were tried")

# Time: bands are in order, items add up.
timed = list(timed_requests())
for r in timed:
    for problem in REQUESTS.iter_errors(r):
        check(False, f"request schema: {problem.json_path}: {problem.message[:200]}")


def bands_in(tree):
    if isinstance(tree, dict):
        if {"low", "mid", "high"} <= tree.keys():
            yield tree
        for value in tree.values():
            yield from bands_in(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from bands_in(value)


for r, a in zip(timed, answers_to(timed)):
    check(a["status"] == "ok" and a["ask"] == r["ask"], f"{json.dumps(r)}: {a.get('message')}")
    for b in bands_in(a):
        known = [b[k] for k in ("low", "mid", "high") if b[k] is not None]
        check(known == sorted(known) and (len(known) == 3 or b.get("unbounded")), f"a band out of order: {b}")
    for step in [a["breakdown"]] if r["ask"] == "step" else a.get("breakdown", {}).values():
        items = sum(step[k]["mid"] for k in step if k.endswith("_s") and k not in ("time_s", "shares_s"))
        check(abs(items - step["time_s"]["mid"]) < 1e-9 + 1e-6 * items, "the items of a step add up")
    if r["ask"] == "select":
        names = [c["id"] for c in a["chosen"] + a["rejected"]]
        check(len(names) == len(set(names)) == len(r.get("offers") or [None] * len(names)), "every offer is chosen or rejected")

# ---------------------------------------------------------------------------------------------------------------------
# Opaque models: terms add up, bands are in order, remedies keep what they promise.
unlike = list(opaque_requests())
for r in unlike:
    for problem in REQUESTS.iter_errors(r):
        check(False, f"request schema: {problem.json_path}: {problem.message[:200]}")
patched, promised = [], []
for r, a in zip(unlike, answers_to(unlike)):
    check(a["status"] == "ok" and a["model"]["model_type"] == "opaque", f"{json.dumps(r)}: {a.get('message')}")
    for b in bands_in(a):
        check(b["low"] <= b["mid"] <= b["high"], f"a band out of order: {b}")
    if a["ask"] == "perf":
        parts = sum(a["breakdown"][k] for k in ("compute_s", "memory_s", "overhead_s"))
        check(abs(parts - a["pass_s"]["mid"]) < 1e-9 + 1e-6 * parts, "the parts of a pass add up")
    if a["ask"] != "fit":
        continue
    for rank in a["ranks"]:
        check(rank["terms_sum_bytes"]["mid"] + rank["left_bytes"]["mid"] == rank["budget_bytes"], "terms add up")
    most = a["limits"]["max_concurrency"]
    check(most is None or "given" in r or (a["load"]["concurrency"] <= most) == (min(k["left_bytes"]["mid"] for k in a["ranks"]) >= 0), f"the limit is where nothing is left: {json.dumps(r)}")
    for remedy in a["remedies"]:
        patched.append(merge_patch(copy.deepcopy(r), remedy["patch"]))
        promised.append((remedy["verdict_then"], remedy["change"]))
for (verdict, change), then in zip(promised, answers_to(patched)):
    check(then.get("verdict") == verdict, f"remedy {change}: promised {verdict}, got {then.get('verdict') or then.get('message')}")
check(len(promised) > 50, "remedies of opaque models were tried")

broken = [*broken_requests(), *opaque_broken()]
for (r, code, field), a in zip(broken, answers_to([b[0] for b in broken])):
    check(a["status"] == "error" and a["code"] == code, f"{field}: expected {code}, got {json.dumps(a)[:300]}")
    check(a.get("field") == field and field in a.get("message", ""), f"{field}: not named in {json.dumps(a)[:300]}")
    check(a["id"] == "x", "the id comes back with an error")
    later = field == "ask" or "distribution" in a["message"]
    check(a.get("not_answered", False) == later, f"{field}: not_answered is {a.get('not_answered')}")

# Long and hostile values come back short and on one line.
hostile = [request(model={"path": "x" * 100000}), request(model={"name": "\u001b[31m" * 1000}), request(**{"k\n" * 1000: 1}), request(accelerator="\u202eH100\u0007"),
           request(weights="é" * 1000), request(engine={"version": "9" * 5000}), request(id="x" * 2000, ask="\u0085" * 500),
           config(model_type="m" * 10000), config(**{"window_" + "y" * 10000: 1}), config(quantization_config={"quant_method": "q" * 10000})]
for r, a in zip(hostile, answers_to(hostile)):
    check(a["status"] == "error" and len(a["message"].encode()) <= 600 and len(a["field"]) <= 300, f"a long message: {json.dumps(a)[:300]}")
    check(all(c.isprintable() for c in a["message"] + a["field"]), f"control characters in {json.dumps(a)[:300]}")
    check(a["field"] in a["message"], f"{a['field']} is not named in {a['message']}")
unwise = answers_to([request(ask="select", accelerator="absent", offers=["zzz"]), request(accelerator="zzz")])
check("visible_bytes" not in unwise[0]["message"] and "visible_bytes" in unwise[1]["message"], "advice that the ask can take")

# Every field of a full request under every wrong type: an answer or an error, never a crash; unknown keys everywhere.
full = request(weights="fp8", kv_cache="auto", accelerator="absent", devices=[{"accelerator": "H200 SXM", "count": 8, "visible_bytes": None}], nodes=1,
               parallel={"tp": 8, "pp": 1, "dp": 1, "ep": 1, "cp": 1, "dcp": 1, "dp_attention": False, "layers_per_stage": [32]},
               engine={"name": "vllm", "version": "0.11.0", "date": "2025-10-10", "rules": {"null_blocks": 1}, "max_model_len": 32768, "gpu_memory_utilization": 0.9,
                       "max_num_batched_tokens": 8192, "max_num_seqs": 256, "block_size": 16, "max_cudagraph_capture_size": 256, "kv_cache_memory_bytes": 1 << 30, "enforce_eager": False,
                       "enable_prefix_caching": True},
               speculative={"method": None}, adapters={"count": 0, "rank": 16}, multimodal={"images": 0},
               given={"kv_available_bytes": None, "weight_bytes": 1, "activation_bytes": 1, "runtime_bytes": 1, "graph_bytes": 1}, model={"config": LLAMA, "stored_bytes": 1})
WRONG = [None, True, -1, 0, 1, 1.5, 1e300, -1e300, 1 << 62, 1 << 64, "", "x", "\u0000\u2028\U0001f600", [], [1], [[]], {}, {"x": 1}]


def paths_in(tree, path=()):
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield path + (key,)
        yield from paths_in(value, path + (key,))


def changed(tree, path, value):
    tree = copy.deepcopy(tree)
    at = tree
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return tree


mangled = [full]
for path in paths_in(full):
    mangled += [changed(full, path, value) for value in WRONG]
    at = full
    for step in path:
        at = at[step]
    if isinstance(at, dict) and path != ("model", "config") and path != ("id",):
        mangled.append(changed(full, path + ("no_such_key",), None))
answers = answers_to(mangled)
check(len(answers) == len(mangled), f"{len(answers)} answers to {len(mangled)} mangled requests")
check(answers[0]["status"] == "ok", f"the full request is answered: {answers[0].get('message')}")
for r, a in zip(mangled, answers):
    if a["status"] == "error" and a["field"]:
        check(a["field"] in a["message"], f"{a['field']} is not named in: {a['message']}")
for a in answers:
    if a["status"] == "error" and a["code"] == "unknown_key":
        check("nearest" in a["message"], a["message"])

# ---------------------------------------------------------------------------------------------------------------------
# Text that is no JSON, between good lines: order is kept, nothing stops.
bad_lines = ["{", "nothing", "[1,2", '{"id": 1, "id": 2}', '{"model": {"name": "a", "name": "b"}}', '{"count": NaN}', '{"count": Infinity}', '{"count": 1e999}',
             json.dumps(request()) + "\0garbage", json.dumps(request()) + "\0", "\0",
             "[" * 100000, '{"a":' * 5000 + "1" + "}" * 5000, b"\xff\xfe\x00", b'{"id": "\xc3\x28"}', '"text"', "[]", "3", "null", "{} {}", "\ufeff"]
lines, expected = [], []
for i, bad in enumerate(bad_lines):
    lines += [request(id=i), bad, "", "   "]
    expected += [i, None]
answers = answers_to(lines)
check([a["id"] for a in answers] == expected, "batch keeps the order, and blank lines have no answer")
for bad, a in zip(bad_lines, answers[1::2]):
    check(a["status"] == "error" and a["code"] in ("bad_json", "bad_value"), f"{bad[:40]!r}: {json.dumps(a)[:200]}")

check(all("NUL" in a["message"] and "byte" in a["message"] for a in answers[1::2] if "NUL" in a["message"]) and sum("NUL" in a["message"] for a in answers[1::2]) == 4, "NUL is named with its byte")
# A line has at most 64 MiB; the next one is answered.
answers = answers_to([request(id=1), b" " * ((64 << 20) + 1), request(id=2), b"x" * (70 << 20), request(id=3)])
check([a["id"] for a in answers] == [1, None, 2, None, 3] and all(a["code"] == "bad_json" and "64 MiB" in a["message"] for a in answers[1::2]), "lines beyond 64 MiB")

# ---------------------------------------------------------------------------------------------------------------------
# The command line: exit codes, streams, tables.
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    files = {"good": json.dumps(LLAMA), "empty": "", "text": "hello", "truncated": json.dumps(LLAMA)[:60], "twice": '{"model_type": "llama", "model_type": "llama"}',
             "unknown": json.dumps({**LLAMA, "model_type": "rwkv9"}), "hidden": json.dumps({**LLAMA, "hidden_size": 1 << 62}),
             "incomplete": json.dumps({k: v for k, v in LLAMA.items() if k != "vocab_size"}), "list": "[]", "deep": "[" * 100000,
             "nan": '{"model_type": "llama", "hidden_size": NaN}'}
    for name, text in files.items():
        (folder / f"{name}.json").write_text(text)
    (folder / "nothing").mkdir()
    (folder / "model").mkdir()
    (folder / "model" / "config.json").write_text(json.dumps(LLAMA))
    for name, text in (("beside", '{"quantization": {"quant_algo": "FP8"}}'), ("beside_broken", "{"), ("beside_odd", '{"quantization": {"quant_algo": "FP3"}}'), ("beside_list", "[]")):
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(LLAMA))
        (folder / name / "hf_quant_config.json").write_text(text)
    for name in ("beside_folder", "beside_pipe", "beside_lost"):
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(LLAMA))
    (folder / "beside_folder" / "hf_quant_config.json").mkdir()
    os.mkfifo(folder / "beside_pipe" / "hf_quant_config.json")
    (folder / "beside_lost" / "hf_quant_config.json").symlink_to("nowhere")
    (folder / "nul.json").write_bytes(json.dumps(LLAMA).encode() + b"\0junk")
    on = ("--on", "H100 SXM")
    cases = [
        (("fit", "llama-3.1-8b", *on, "--context", 8192, "--concurrency", 4), 0, ""),
        (("fit", "llama-3.1-70b", *on), 1, ""),
        (("fit", "llama-3.1-70b", "--on", "H200 SXM"), 1, ""),
        (("fit", folder / "good.json", *on, "--context", 1024), 0, ""),
        (("fit", folder / "model", *on, "--context", 1024), 0, ""),
        (("fit", folder / "missing.json", *on), 4, "model.path"),
        (("fit", folder / "nothing", *on), 4, "model.path"),
        (("fit", folder / "empty.json", *on), 4, "empty"),
        (("fit", folder / "text.json", *on), 4, "JSON"),
        (("fit", folder / "truncated.json", *on), 4, "JSON"),
        (("fit", folder / "twice.json", *on), 4, "twice"),
        (("fit", folder / "deep.json", *on), 4, "nested"),
        (("fit", folder / "nan.json", *on), 4, "JSON"),
        (("fit", folder / "list.json", *on), 2, "not an object"),
        (("fit", folder / "nul.json", *on), 4, "NUL"),
        (("fit", folder / "beside", *on, "--context", 1024), 0, ""),
        (("fit", folder / "beside_broken", *on), 4, "beside_broken/hf_quant_config.json"),
        (("fit", folder / "beside_odd", *on), 3, "beside_odd/hf_quant_config.json"),
        (("fit", folder / "beside_list", *on), 2, "beside_list/hf_quant_config.json"),
        (("fit", folder / "beside_folder", *on), 4, "beside_folder/hf_quant_config.json"),
        (("fit", folder / "beside_pipe", *on), 4, "beside_pipe/hf_quant_config.json"),
        (("fit", folder / "beside_lost", *on), 4, "beside_lost/hf_quant_config.json"),
        (("fit", folder / "unknown.json", *on), 3, "model_type"),
        (("fit", folder / "incomplete.json", *on), 3, "vocab_size"),
        (("fit", folder / "hidden.json", *on), 3, "hidden_size"),
        (("fit", "no-such-model", *on), 3, "model.name"),
        (("fit", "weights.gguf", *on), 4, "model.path"),
        (("fit", "llama-3.1-8b", "--on", "H100"), 2, "H100 PCIe"),
        (("fit", "llama-3.1-8b", "--on", "nothing"), 2, "accelerator"),
        (("fit", "llama-3.1-8b"), 2, "accelerator"),
        (("fit", "llama-3.1-8b", *on, "--tp", 3), 2, "tp"),
        (("fit", "llama-3.1-8b", *on, "--engine", "other"), 3, "engine.name"),
        (("fit", "llama-3.1-8b", *on, "--engine-version", "0.1"), 3, "engine.version"),
        (("fit", "llama-3.1-8b", *on, "--context", "many"), 2, ""),
        (("fit", "llama-3.1-8b", *on, "--context", 1 << 62), 2, "load.context"),
        (("fit", "llama-3.1-8b", *on, "--context", -5), 2, "load.context"),
        (("fit", "llama-3.1-8b", *on, "--no-such-option"), 2, ""),
        (("perf", "llama-3.1-8b", *on, "--input-tokens", 100, "--output-tokens", 100, "--concurrency", 4), 0, ""),
        (("perf", "llama-3.1-70b", *on, "--input-tokens", 100, "--output-tokens", 100), 1, ""),
        (("perf", "llama-3.1-8b", *on), 2, "load"),
        (("step", "llama-3.1-8b", *on, "--phase", "decode", "--batch", 8, "--context", 100), 0, ""),
        (("step", "llama-3.1-8b", *on, "--phase", "sleep", "--batch", 8), 2, "step.phase"),
        (("select", "llama-3.1-8b", "--context", 8192, "--concurrency", 4), 0, ""),
        (("select", "deepseek-v3", "--offer", "T4"), 1, ""),
        (("validate", "--backend", "host", "--seconds", 0.01), 0, ""),
        (("select", "llama-3.1-8b", "--offer", "Cray-1"), 2, "offers"),
        (("validate", "--backend", "guess"), 2, "backend"),
        (("fit",), 2, ""),
        ((), 2, ""),
        (("guess",), 2, ""),
        (("--help",), 0, ""),
        (("--version",), 0, ""),
        (("catalog",), 0, ""),
        (("catalog", "models"), 0, ""),
        (("catalog", "accelerators", "H200"), 0, ""),
        (("catalog", "accelerators", "nothing at all"), 2, "nearest"),
        (("batch", folder / "missing.jsonl"), 4, "missing.jsonl"),
        (("batch", folder), 4, ""),
    ]
    for arguments, expected_code, in_message in cases:
        code, out, err = run(*arguments)
        check(code == expected_code, f"{arguments}: exit {code}, expected {expected_code}: {err[-300:]}")
        check(in_message in err, f"{arguments}: {in_message!r} is not in {err[-300:]!r}")
        check("\033" not in out, f"{arguments}: colour without a terminal")
        if expected_code >= 2:
            check(err.strip() != "" and "Traceback" not in err, f"{arguments}: no message")
        if len(arguments) > 1 and isinstance(arguments[1], pathlib.Path) and arguments[0] == "fit" and expected_code >= 2:
            check("model.path" in err and arguments[1].name in err, f"{arguments}: field and file are not in {err[-300:]!r}")
        if arguments and arguments[0] == "fit" and expected_code > 0 and expected_code != 1:
            check(out == "", f"{arguments}: an error wrote to standard output")
        if arguments and arguments[0] in ("fit", "perf", "step", "select", "validate") and not in_message and expected_code in (0, 1):
            code_json, out_json, _ = run(*arguments, "--json")
            answer = json.loads(out_json)
            check(code_json == expected_code, f"{arguments} --json: exit {code_json}")
            for problem in ANSWERS.iter_errors(answer):
                check(False, f"schema: {problem.json_path}: {problem.message[:200]}")
            if arguments[0] == "fit":
                first = out.splitlines()[0]
                check(answer["verdict"].replace("_", " ") in first, f"the verdict comes first: {first}")
                check("GB" in out and "GiB" in out, "units are written out")
    # The same error as an object, with the exit code of its code.
    for arguments in ((folder / "unknown.json", *on), ("llama-3.1-8b", "--on", "H100")):
        code, out, err = run("fit", *arguments, "--json")
        answer = json.loads(out)
        check(answer["status"] == "error" and code == EXIT[answer["code"]] and answer["message"] in err, f"{arguments}: {out}")

    # May fit: exit 0 with a warning, exit 1 with --strict.
    spread = answers_to([request(load={"context": 8192, "concurrency": n}, accelerator="A100 SXM 40GB") for n in range(1, 400)])
    found = next((n for n, a in enumerate(spread, 1) if a.get("verdict") == "may_fit"), None)
    check(found is not None, "some load may fit")
    if found is not None:
        arguments = ("fit", "llama-3.1-8b", "--on", "A100 SXM 40GB", "--context", 8192, "--concurrency", found)
        code, out, err = run(*arguments)
        check(code == 0 and "may fit" in err, f"may fit warns: {code} {err}")
        code, out, err = run(*arguments, "--strict")
        check(code == 1, f"--strict: {code}")

    # Batch from a file is batch from standard input.
    (folder / "lines.jsonl").write_text(json.dumps(request()) + "\nbad\n")
    code, out, err = run("batch", folder / "lines.jsonl")
    check(code == 0 and len(out.splitlines()) == 2 and out == run("batch", text=(folder / "lines.jsonl").read_bytes())[1], "batch of a file")

code, out, err = run("catalog", "--json", "--sources")
catalog = json.loads(out)
for problem in ANSWERS.iter_errors(catalog):
    check(False, f"schema: {problem.json_path}: {problem.message[:200]}")
check(len(catalog["accelerators"]) >= 20 and len(catalog["models"]) >= 10, "the catalogue is there")
for part in catalog["accelerators"]:
    check(part["figures"], f"{part['id']} has no sources")
answers = answers_to([{"model": {"name": "llama-3.2-1b"}, "accelerator": name, "engine": {"max_model_len": 256}} for part in catalog["accelerators"] for name in (part["id"], part["name"], *part["aliases"])])
check(all(a["status"] == "ok" for a in answers), f"every alias is taken: {[a['message'] for a in answers if a['status'] != 'ok'][:3]}")
answers = answers_to([{"model": {"name": name}, "accelerator": "B300", "visible_bytes": 10**13, "engine": {"name": "plain", "max_model_len": 256}} for model in catalog["models"] for name in (model["name"], *model["aliases"])])
check(all(a["status"] == "ok" for a in answers), f"every model is taken: {[a['message'] for a in answers if a['status'] != 'ok'][:3]}")

# docs/errors.md and the schema list the same codes.
documented = set(re.findall(r"^\| `([a-z_]+)` \| \d \|", (ROOT / "docs" / "errors.md").read_text(), re.M))
check(documented == set(EXIT) == set(SCHEMA["$defs"]["error"]["properties"]["code"]["enum"]), f"codes differ: {documented ^ set(EXIT)}")

print(f"{checks} checks, {len(failures)} failed")
for f in failures[:40]:
    print("FAILED:", f)
sys.exit(1 if failures else 0)
