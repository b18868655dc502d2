#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as people meet it: widths, units of options, flags in errors, lost output, exit codes."""
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys

try:
    import fcntl
    import termios
except ImportError:  # no terminals here
    sys.exit(77)

PROGRAM = os.environ.get("ULLAGE_PROGRAM")
if not PROGRAM or not os.path.exists(PROGRAM):
    print("the program is not built")
    sys.exit(77)

PLAIN = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def run(*arguments, columns=None, **more):
    env = dict(PLAIN, **({"COLUMNS": str(columns)} if columns else {}))
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, env=env, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def terminals():
    """Whether this machine lends pseudo terminals; a bare container may not."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        print("no pseudo terminals here: what a terminal gets is not checked")
        return False
    return True


def on_terminal(columns, *arguments, env=None):
    """What a terminal of so many columns gets."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=side, stderr=subprocess.DEVNULL, env=env or PLAIN)
    os.close(side)
    seen = b""
    while select.select([main], [], [], 60)[0]:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    child.wait(timeout=60)
    os.close(main)
    return seen.decode("utf-8").replace("\r\n", "\n")


TERMINALS = terminals()
LLAMA = ("llama-3.1-70b", "--on", "H200 SXM")
FIT = ("fit", *LLAMA, "--weights", "fp8", "--context", 8192, "--concurrency", 32)
PERF = ("perf", "llama-3.1-8b", "--on", "H100 SXM", "--input-tokens", 2048, "--output-tokens", 512)
SELECT = ("select", "llama-3.1-8b", "--input-tokens", 2048, "--output-tokens", 256, "--concurrency", 8)
MIX = ("fit", "llama-3.1-8b", "--on", "L4")
STAGES = ("fit", "llama-3.1-70b", "--on", "L40S", "--dp", 2, "--pp", 2, "--context", 4096, "--concurrency", 64)

# ---------------------------------------------------------------------------------------------------------------------
# No line is longer than the terminal, the pipe's 120, or COLUMNS.
for words in (FIT, STAGES, (*PERF, "--concurrency", 64), (*PERF, "--request-rate", 1000), SELECT, ("catalog",), ("catalog", "--sources"),
              ("catalog", "deepseek-v3", "--sources"), ("validate", "--backend", "host", "--seconds", 0)):
    for columns in (72, 80, 140):
        code, out, err = run(*words, columns=columns)
        check(code in (0, 1), f"{words}: {code} {err}")
        for line in out.splitlines():
            # An address is not broken.
            check(len(line) <= columns or " " not in line.strip(), f"{words} at {columns}: {len(line)}: {line}")
    check(all(len(line) <= 120 or " " not in line.strip() for line in run(*words)[1].splitlines()), f"{words}: longer than a pipe's 120")
    if words[0] != "validate" and TERMINALS:
        colourless = dict(PLAIN, NO_COLOR="1", COLUMNS="300")
        for line in on_terminal(80, *words, env=colourless).splitlines():
            check(len(line) <= 80 or " " not in line.strip(), f"{words} on a terminal of 80: {len(line)}: {line}")
narrow, wide = run(*FIT, columns=80)[1], run(*FIT, columns=140)[1]
check("GiB (2^30)" in wide and "####" in wide, "wide: bars and GiB")
check("GiB (2^30)" not in narrow and "##" not in narrow, "narrow: neither")
check(re.search(r"^ +--kv-cache-dtype fp8$", narrow, re.M), "narrow: a flag on its own line")
check(re.search(r"fp8 KV cache .*--kv-cache-dtype fp8$", wide, re.M), "wide: the flag behind its row")
check("links, one way" in run("catalog", columns=140)[1] and "links, one way" not in run("catalog", columns=80)[1], "catalog's columns")
if TERMINALS:
    check("\033[" in on_terminal(140, *FIT) and "\u2588" in on_terminal(140, *FIT), "colour and blocks on a terminal")
    check("\033[" not in on_terminal(140, *FIT, env=dict(PLAIN, NO_COLOR="1")), "NO_COLOR")
check("\033[" not in wide, "no colour in a pipe")

# ---------------------------------------------------------------------------------------------------------------------
# What an answer says.
one_line = lambda text: re.sub(r"\s+", " ", text)
out = one_line(run(*STAGES)[1])
check("layout pp 2, dp 2 on 4 devices" in out, "the layout")
check(re.search(r"tp 4 x pp 2 x dp 2 = 16 devices", out), "remedies with replicas say the whole number")
check("of one replica" in out and "all 2 replicas" in out, "what is of one replica, what of all")
check("32 x 8,192 tokens a replica need" in one_line(run(*FIT[:-1], 64, "--dp", 2)[1]), "a replica's share of the load")
check(re.search(r"at least \d+ of these devices \(tp \d+, pp \d+\)", out), "how few devices do")
check("central 80 %" in out and "low end of the band" in out and "middle of the band" in out, "what the bands are")
answer = json.loads(run(*FIT, "--json")[1])
out = run(*FIT)[1]
rows = re.findall(r"^ +\d+\. .*$", out, re.M)
worse = [m for m in answer["remedies"] if m["verdict_then"] == "does_not_fit"]
check(sum("does not fit" in r for r in rows) <= 4 and any("gpu_memory_utilization" in r for r in rows), f"few of those that do not fit: {rows}")
check(len(rows) == len(answer["remedies"]) or f"and {len(answer['remedies']) - len(rows)} smaller one" in out, "the rest is counted")
lines = run("fit", "deepseek-v3", "--on", "H200 SXM", "--tp", 8, "--ep", 8, "--context", 200000, "--concurrency", 2000)[1]
head = one_line(lines.split("\n\n")[0])
check("Note: engine.max_model_len = 200000" in head and "163840" in head, f"a context beyond the model's is noted on top: {head}")
check(head.count("max_num_seqs") == 1, f"concurrency beyond max_num_seqs is noted once: {head}")
out = one_line(run(*PERF, "--request-rate", 1000)[1])
check(re.search(r"cannot serve 1000 requests/s: it saturates at [\d.]+ ", out), f"saturation: {out[:200]}")
check("A token waits for one decode step and the prefills that interrupt it." in out, "what a token waits for")
out = run(*PERF)[1] + run("fit", "llama-3.1-8b", "--on", "L4", "--context", 8192)[1]
check(not re.search(r"\b1 (devices|conversations|sequences|tokens)\b", out), "one is singular")
check("one sequence of 131,072 tokens needs" in one_line(run("fit", "llama-3.1-8b", "--on", "L4")[1]), "one sequence needs")

# Conversations of unlike lengths: 95 % sure is fewer than on average, and more of the long ones leave room for fewer.
mixes = {}
for share in (0.1, 0.5):
    mix = (*MIX, "--context-values", f"1000:{1 - share},8000:{share}", "--concurrency", 8)
    out = one_line(run(*mix)[1])
    found = re.search(r"at 95 %: ([\d,]+) sequences of this mix; on average: ([\d,]+)", out)
    check(found, f"a mix tells both: {out[-600:]}")
    if found:
        mixes[share] = [int(n.replace(",", "")) for n in found.groups()]
        of_mix = json.loads(run(*mix, "--json")[1])["limits"]["mix"]
        check([of_mix["max_concurrency_p95"], of_mix["max_concurrency_expected"]] == mixes[share], f"printed as answered: {of_mix}")
        check(0 < mixes[share][0] < mixes[share][1], f"the sure number is the smaller: {mixes[share]}")
check(len(mixes) == 2 and mixes[0.5][1] < mixes[0.1][1], f"longer conversations, fewer of them: {mixes}")
answer = json.loads(run(*MIX, "--context-lognormal", "2000,6000", "--concurrency", 8, "--json")[1])
check(answer["load"]["context"] is None and abs(answer["load"]["mean_context"] / 2000 - 1) < 0.01, f"the mean of a lognormal: {answer['load']}")
check(abs(answer["load"]["p95_context"] / 6000 - 1) < 0.01, f"its 95th percentile: {answer['load']}")
split = json.loads(run("fit", "llama-3.1-70b", "--on", "H200 SXM", "--count", 8, "--best-split", "--context", 8192, "--concurrency", 32, "--json")[1])
check(split["status"] == "ok" and split["verdict"] == "fits", f"the best split fits: {split.get('message')}")
parallel = split["parallel"]
check(parallel["tp"] * parallel["pp"] * parallel["dp"] <= 8, f"the best split is of 8 devices: {parallel}")
# Replicas serve what one engine cannot; more requests than 1,024 devices serve are no plan.
many = json.loads(run("select", "llama-3.1-8b", "--input-tokens", 2048, "--output-tokens", 256, "--request-rate", 100, "--json")[1])
check(len(many["chosen"]) > 20 and any(c["replicas"] > 1 for c in many["chosen"]), f"replicas serve 100 requests a second: {len(many['chosen'])}")
for c in many["chosen"]:
    check(c["devices"] == c["replicas"] * c["parallel"]["devices"] and c["parallel"]["dp"] == 1, f"devices are replicas times tp: {c}")
    check(abs(c["output_tokens_per_s"]["mid"] / 25600 - 1) < 1e-9, f"the rates are of all replicas: {c['output_tokens_per_s']}")
flood = json.loads(run("select", "llama-3.1-8b", "--input-tokens", 2048, "--output-tokens", 256, "--request-rate", 1000000, "--json")[1])
check(flood["chosen"] == [], "nothing serves 1,000,000 requests a second on 1,024 devices")
served = [r for r in flood["rejected"] if r["limit"] == "request_rate"]
check(served and all(0 < r["have"] < r["need"] == 1000000 and r["unit"] == "requests_per_s" for r in served), f"by the rate: {served[:2]}")
check(not re.search(r"\binf\b|Infinity", json.dumps(flood)) and all("requests/s" in r["why"] for r in served), "and no time without end")

# ---------------------------------------------------------------------------------------------------------------------
# Errors: one line, the flag, the exit code.
for words, code, parts in (
        (("fit", "llama-3.1-8b", "--on", "H200"), 2, ["--on", "H200 NVL", "ambiguous_accelerator"]),
        (("fit", "no-such-model", "--on", "L4"), 3, ["MODEL", "unknown_architecture"]),
        (("fit", "/no/such/config.json", "--on", "L4"), 4, ["MODEL", "bad_file"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--count", 0), 2, ["--count"]),
        (("perf", "llama-3.1-8b", "--on", "GH200 96GB", "--count", 2, "--input-tokens", 100, "--output-tokens", 100), 2, ["--on", "of which 1 can"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--tp", 0), 2, ["--tp."]),
        (("fit", "llama-3.1-8b", "--on", "GB200 NVL72"), 2, ["on 72 devices: tp 4 x pp 18, tp 8 x pp 9; on fewer", "tp 1, 2, 4, 8, 16 or 32 with pp up to 32"]),
        (("fit", "llama-3.1-70b", "--on", "L4", "--count", 3), 2, ["tp 1 x pp 3; on fewer", "tp 1 or 2 with pp up to 2"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--kv-cache", "int3"), 3, ["--kv-cache"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--max-num-seqs", 0), 2, ["--max-num-seqs"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--concurrency", 4), 2, ["--context"]),
        (("perf", "llama-3.1-8b", "--on", "L4"), 2, ["--input-tokens", "--output-tokens", "--concurrency"]),
        ((*SELECT, "--max-tpot", -1), 2, ["--max-tpot"]),
        ((*MIX, "--context-values", "1000:0.9,8000"), 2, ["--context-values"]),
        ((*MIX, "--context-values", "0:1"), 2, ["--context-values"]),
        ((*MIX, "--context-lognormal", "2000,9000"), 2, ["--context-lognormal", "3.868"]),
        ((*MIX, "--context-values", "1000:1", "--context", 1000), 2, ["--context"]),
        ((*MIX, "--best-split"), 2, ["--count"]),
        (("fit",), 2, ["MODEL"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--cont", 3), 2, ["--cont ", "nearest is --context"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--kvcache=fp8"), 2, ["nearest is --kv-cache"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--context"), 2, ["--context needs a value"]),
        (("fit", "llama-3.1-8b", "--on", "H200", "SXM"), 2, ["SXM", "quotes"]),
        (("ftt",), 2, ["nearest is fit"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--context", "8k"), 2, ["--context is 8k", "8000", "8192"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--visible-bytes", "24G"), 2, ["GB", "GiB", "either"]),
        (("fit", "llama-3.1-8b", "--on", "L4", "--gpu-memory-utilization", "nan"), 2, ["--gpu-memory-utilization", "number"]),
        ((*SELECT, "--max-tpot", "40 parsecs"), 2, ["40ms"]),
        ((*SELECT, "--max-power", "3hp"), 2, ["3kW"]),
        (("validate", "--backend", "rocm"), 2, ["--backend"]),
        (("validate", "--seconds", "-1"), 2, ["--seconds"]),
        (("catalog", "llama-3.1-7b"), 2, ["llama-3.1-8b"])):
    got, out, err = run(*words)
    check(got == code and out == "", f"{words}: exit {got}, {out[:100]!r}")
    check(err.startswith("ullage: ") and err.count("\n") == 1, f"{words}: one line: {err!r}")
    for part in parts:
        check(part in err, f"{words}: {part} is not in {err!r}")
got, out, err = run("fit", "llama-3.1-8b", "--cont", 3, "--json")
check(got == 2 and json.loads(out)["code"] == "unknown_key" and json.loads(out)["message"] in err, f"usage as an object: {out}")
code, out, err = run()
check(code == 2 and "fit" in err and "catalog" in err and not out, "without a command: the help, as wrong usage")
check(run("--help")[0] == 0 and "Example:" in run("--help")[1], "the help when asked for")

# ---------------------------------------------------------------------------------------------------------------------
# Units.
def fit_json(*words):
    code, out, err = run("fit", *words, "--json")
    check(code in (0, 1), f"{words}: {err}")
    return json.loads(out)


def capacity(size):
    return fit_json("llama-3.1-8b", "--on", "Some Card", "--visible-bytes", size)["ranks"][0]["capacity_bytes"]


for size, number in (("24GB", 24 * 10**9), ("24GiB", 24 * 2**30), ("143771MiB", 143771 * 2**20), ("24 GB", 24 * 10**9), ("22.5GiB", 45 * 2**29),
                     (str(24 * 10**9), 24 * 10**9)):
    check(capacity(size) == number, f"--visible-bytes {size}")
share = fit_json("llama-3.1-8b", "--on", "L4", "--gpu-memory-utilization", "0.796653")["engine"]["gpu_memory_utilization"]
check(share == 0.796653, f"a share keeps its decimals: {share!r}")
check("0.796653)" in one_line(run("fit", "llama-3.1-8b", "--on", "L4", "--gpu-memory-utilization", "0.796653")[1]), "and is shown with them")
limited = [run(*SELECT, *words, "--json")[1] for words in (("--max-tpot", "40ms"), ("--max-tpot", "0.04s"), ("--max-tpot", 0.04), ("--max-tpot-s", 0.04))]
check(len(set(limited)) == 1 and limited[0] != run(*SELECT, "--json")[1], "a time in any unit")
limited = [run(*SELECT, *words, "--json")[1] for words in (("--max-ttft", "100ms"), ("--max-ttft-s", 0.1), ("--max-ttft", "100000us"))]
check(len(set(limited)) == 1, "a first token's time in any unit")
limited = [run(*SELECT, *words, "--json")[1] for words in (("--max-power", "0.3kW"), ("--max-power", "300W"), ("--max-power-w", 300))]
check(len(set(limited)) == 1 and limited[0] != run(*SELECT, "--json")[1], "a power in any unit")

# ---------------------------------------------------------------------------------------------------------------------
# The catalogue by name.
for words, parts in ((("h200-sxm",), ["143771 MiB", "4800 GB/s", "700 W", "TFLOP/s"]), (("H200", "NVL"), ["h200-nvl"]),
                     (("llama-3.1-8b",), ["8,030,261,248", "meta-llama/Llama-3.1-8B"]), (("models", "llama-3.1-8b"), ["131,072"]),
                     (("deepseek-v3", "--sources"), ["public config.json of deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-R1"]),
                     (("accelerators", "L4", "--sources"), ["datasheet"])):
    code, out, err = run("catalog", *words)
    check(code == 0, f"catalog {words}: {code} {err}")
    for part in parts:
        check(part in one_line(out), f"catalog {words}: {part}")
check(json.loads(run("catalog", "h200-sxm", "--json")[1])["accelerators"][0]["id"] == "h200-sxm", "a name alone, as JSON")

# ---------------------------------------------------------------------------------------------------------------------
# An answer that cannot be written is no answer.
if os.path.exists("/dev/full"):
    for words in (FIT, (*FIT, "--json"), ("catalog",), (*PERF, "--concurrency", 4), SELECT, ("--help",), ("--version",), ("batch",),
                  ("step", "llama-3.1-8b", "--on", "L4", "--phase", "decode", "--batch", 1, "--context", 100),
                  ("validate", "--backend", "host", "--seconds", 0)):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, *map(str, words)], input='{"model": {"name": "llama-3.1-8b"}, "accelerator": "L4"}\n', stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=120, env=PLAIN, check=False)
        check(done.returncode == 4 and "could not be written" in done.stderr, f"{words} to a full disk: {done.returncode} {done.stderr!r}")

for failure in failures:
    print("failed:", failure)
sys.exit(1 if failures else 0)
