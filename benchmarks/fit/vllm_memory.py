#!/usr/bin/env python3
"""Fits the three banded terms of vLLM's start-up budget: activation peak, non-torch runtime, CUDA graphs.

Reads tests/data/vllm_memory_terms.jsonl only; prints forms, constants, bands and how well they hold on configurations that
the fit has not seen. Standard library only.  Usage: benchmarks/fit/vllm_memory.py [--rows]

A configuration is (shape of the model, tensor parallel size, release, batched tokens, sequences): repeated logs of one
configuration are one point (their median), and leave-one-out takes a whole configuration away. Bands are central 80 %.
"""
import collections, json, math, pathlib, statistics as st, sys

GIB = 2.0 ** 30
DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "vllm_memory_terms.jsonl"
ROWS = [json.loads(line) for line in DATA.open(encoding="utf-8")]
VERBOSE = "--rows" in sys.argv[1:]


def release(row):
    """Release as a tuple; rows whose release is not known sort as -1."""
    try:
        parts = (row.get("version") or "").split(".")
        return (int(parts[0]), int("".join(c for c in parts[1] if c.isdigit())))
    except (ValueError, IndexError):
        return (-1, -1)


def quantile(values, q):
    v = sorted(values)
    if len(v) == 1:
        return v[0]
    x = q * (len(v) - 1)
    i = int(math.floor(x))
    return v[i] + (v[min(i + 1, len(v) - 1)] - v[i]) * (x - i)


def shape(row):
    return (row["layers"], row["hidden"], row.get("intermediate"), row["vocab"], row.get("experts_per_token"), row["tp"], row["pp"], row["ep"],
            row.get("version"), row.get("max_num_batched_tokens"), row.get("max_num_seqs"), row.get("dtype") == "float32")


def points(rows, key):
    """One (row, median value) a configuration."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[shape(row)].append(row)
    return [(g[0], st.median(r[key] for r in g), len(g)) for g in groups.values()]


# ---------------------------------------------------------------------------------------------------------------- activation
def forward_bytes(row, residuals):
    """Layer under way: gate, up and their product (3 x intermediate / tp), and `residuals` copies of the hidden state."""
    e = 4 if row.get("dtype") == "float32" else 2
    inner = 0 if row.get("experts_per_token") else 3.0 * row["intermediate"] / row["tp"]
    return row["max_num_batched_tokens"] * e * (inner + residuals * row["hidden"])


def expert_bytes(row):
    """The two scratch areas of the fused expert kernel; they stay allocated, so they add to whichever peak is higher."""
    k = row.get("experts_per_token")
    if not k or release(row) < (0, 17) or row["model_type"] == "gpt_oss":  # mxfp4 kernels bring their own scratch
        return 0.0
    n, h = row["expert_intermediate"] / row["tp"], row["hidden"]
    return row["max_num_batched_tokens"] * 2.0 * k * (max(2 * n, h) + max(n, h))


def sampler_bytes(row, per_logit):
    e = 4 if row.get("dtype") == "float32" else 2
    return (per_logit + e - 2) * row["max_num_seqs"] * row["vocab"] + 1.2 * row["max_num_batched_tokens"] * row["hidden"] * e


def chunked_v0(row):
    return release(row) < (0, 8) and row["max_num_batched_tokens"] < (row.get("max_model_len") or 0)


def activation(row, per_logit, residuals):
    forward = forward_bytes(row, residuals)
    if chunked_v0(row):  # no sequence of the profiling batch ended, so nothing was sampled
        return forward / GIB
    return (max(sampler_bytes(row, per_logit), forward) + expert_bytes(row)) / GIB


def per_logit_of(pts):
    c = [((a * GIB) - expert_bytes(r) - sampler_bytes(r, 0)) / (r["max_num_seqs"] * r["vocab"]) for r, a, _ in pts]
    return st.median(c)


def report(name, errors, ratios, n_records, extra=""):
    err = [abs(e) for e in errors]
    print(f"  {name}: {len(errors)} configurations, {n_records} records; unseen: median |error| {st.median(err):.3f} GiB, worst {max(err):.3f}; "
          f"ratio measured/predicted q10 {quantile(ratios, .1):.3f} median {st.median(ratios):.3f} q90 {quantile(ratios, .9):.3f}{extra}")


def loo_coverage(pairs, widen):
    """pairs: (measured, predicted without it). Band from the other ratios' 10 % and 90 % quantiles, never narrower than `widen` in GiB."""
    hit, half = 0, []
    for i, (m, p) in enumerate(pairs):
        other = [a / b for j, (a, b) in enumerate(pairs) if j != i]
        lo, hi = p * quantile(other, .1) - widen, p * quantile(other, .9) + widen
        hit += lo - 1e-9 <= m <= hi + 1e-9
        half.append((hi - lo) / 2)
    return hit, len(pairs), st.median(half)


def fit_activation():
    print("activation peak = max(c1 x seqs x vocab + 1.2 x batched x hidden x e, batched x e x (3 x intermediate / tp + c2 x hidden)) + experts")
    print("  experts = batched x 2 B x top_k x (max(2n, hidden) + max(n, hidden)), n = expert intermediate / tp; from 0.17, not for mxfp4 experts; e = 2 B")
    usable = [r for r in ROWS if "activation_gib" in r and r.get("max_num_batched_tokens") and r.get("max_num_seqs")]
    text = [r for r in usable if not r["multimodal"]]
    for label, old in (("releases to 0.16", True), ("releases from 0.17", False)):
        pts = points([r for r in text if (release(r) < (0, 17)) == old], "activation_gib")
        residuals = 3.0 if old else 4.2
        sampled = [p for p in pts if not chunked_v0(p[0]) and sampler_bytes(p[0], 38.25 if old else 14.77) > forward_bytes(p[0], residuals)]
        c1 = per_logit_of(sampled)
        pairs, rows = [], []
        for p in pts:
            rest = [q for q in sampled if q is not p]
            pred = activation(p[0], per_logit_of(rest), residuals)
            pairs.append((p[1], pred))
            rows.append((p[0]["id"], p[1], round(pred, 3)))
        hit, n, half = loo_coverage(pairs, 0.005)
        report(f"{label}: c1 = {c1:.2f} B, c2 = {residuals} (c1 fitted on {len(sampled)})", [m - p for m, p in pairs], [m / p for m, p in pairs], sum(p[2] for p in pts),
               f"; leave-one-out band covers {hit}/{n}, half-width {half:.3f} GiB")
        if VERBOSE:
            for row in rows:
                print("     ", *row)
        big = [abs(m / p - 1) for m, p in pairs]
        print(f"    relative error: median {100 * st.median(big):.2f} %, q80 {100 * quantile(big, .8):.2f} %, q90 {100 * quantile(big, .9):.2f} %")
        off = [abs(m - p) for m, p in pairs]
        for band in (0.004, 0.006, 0.0065, 0.008, 0.012):
            inside = sum(o <= band * p for o, (_, p) in zip(off, pairs))
            half = st.median(band * p for _, p in pairs)
            print(f"    band x (1 +- {band}): covers {inside}/{len(pairs)}, median half-width {half:.4f} GiB = {half / max(st.median(off), 1e-9):.1f} x median error")
    # two logs that differ only in the number of sequences
    same = {r["max_num_seqs"]: r for r in ROWS if r["id"].startswith("vllm-b200-llama3.3") and r["tp"] == 8}
    if 128 in same and 256 in same:
        d = (same[256]["activation_plus_non_torch_gib"] - same[128]["activation_plus_non_torch_gib"]) * GIB / (128 * same[128]["vocab"])
        print(f"  cross-check, release 0.15, 128 to 256 sequences, nothing else changed: {d:.1f} B a sequence and vocabulary entry")
    for r in ROWS:
        if r["id"].startswith("vllm-h200-gptoss") and "activation_plus_non_torch_gib" in r:
            print(f"  cross-check, release {r['version']}, {r['max_num_seqs']} sequences, tp {r['tp']}: activation + non-torch {r['activation_plus_non_torch_gib']} GiB, "
                  f"activation by the form {activation(r, 14.77, 4.2):.2f} (total memory assumed)")


# ----------------------------------------------------------------------------------------------------------------- non-torch
def era(row):
    v = release(row)
    return "to 0.11" if v < (0, 12) else "0.12-0.18" if v < (0, 19) else "0.19-0.20" if v < (0, 21) else "from 0.21"


def fit_non_torch():
    print("non-torch runtime: one constant by release and by whether ranks talk to each other (tp > 1)")
    groups = collections.defaultdict(list)
    for r, v, n in points([r for r in ROWS if "non_torch_gib" in r], "non_torch_gib"):
        groups[(era(r), "tp 1" if r["tp"] == 1 else "tp > 1")].append((r, v, n))
    # what the budget leaves when only the sum is known and the activation form is trusted
    for r in ROWS:
        if "activation_plus_non_torch_gib" in r and "part" not in r and not r["multimodal"] and r.get("max_num_seqs") and r.get("max_num_batched_tokens"):
            c = 38.25 if release(r) < (0, 17) else 14.77
            rest = r["activation_plus_non_torch_gib"] - activation(r, c, 4.2)
            groups[(era(r), "tp 1" if r["tp"] == 1 else "tp > 1", "by difference")].append((r, round(rest, 2), 1))
    for key in sorted(groups):
        vals = [v for _, v, _ in groups[key]]
        err = [abs(v - st.median([w for j, w in enumerate(vals) if j != i])) for i, v in enumerate(vals)] if len(vals) > 1 else [0.0]
        print(f"  {key}: n {len(vals)}, median {st.median(vals):.2f}, q10 {quantile(vals, .1):.2f}, q90 {quantile(vals, .9):.2f}, min {min(vals):.2f}, max {max(vals):.2f}, "
              f"unseen median |error| {st.median(err):.3f} GiB")
        if VERBOSE:
            for r, v, _ in groups[key]:
                print("     ", r["id"], v, r["hardware"], "tp", r["tp"])


# -------------------------------------------------------------------------------------------------------------------- towers
def kept_by_encoder(row):
    """Embeddings of the encoder's budget, and its inputs: patches of 3 x 14 x 14. No constant is fitted."""
    t = row["encoder_tokens"]
    return (t * row["hidden"] + t * row["patches_per_token"] * 588) * 2 / GIB


def fit_towers():
    print("towers: activation peak = that of the text + encoder tokens x (hidden + patches a token x 588) x 2 B; nothing fitted, so every row is unseen")
    pts = points([r for r in ROWS if r["multimodal"] and "activation_gib" in r and r.get("max_num_seqs")], "activation_gib")
    with_form = [(m, activation(r, 14.79, 4.2) + kept_by_encoder(r)) for r, m, _ in pts]
    without = [(m, activation(r, 14.79, 4.2)) for r, m, _ in pts]
    report("0.19", [m - p for m, p in with_form], [m / p for m, p in with_form], sum(n for *_, n in pts))
    print(f"    text alone: median |error| {st.median(abs(m - p) for m, p in without):.3f} GiB; band x (1 +- 0.02) covers "
          f"{sum(abs(m - p) <= 0.02 * p for m, p in with_form)}/{len(with_form)}")
    if VERBOSE:
        for (r, m, _), (_, p) in zip(pts, with_form):
            print("     ", r["id"], m, round(p, 3))


def fit_rest():
    print("parts of which only activation + runtime is known: what is left above the form, and above the runtime of the release (0.5 / 1.1 GiB; 0.25 before 0.21)")
    groups = collections.defaultdict(list)
    for r, v, n in points([r for r in ROWS if "part" in r and "activation_plus_non_torch_gib" in r], "activation_plus_non_torch_gib"):
        row = dict(r, max_num_batched_tokens=r.get("max_num_batched_tokens") or 8192, max_num_seqs=r.get("max_num_seqs") or 1024)
        four_bits = "fp4" in r["id"]
        form = max(sampler_bytes(row, 14.79), forward_bytes(row, 4.2)) / GIB + (0 if four_bits else expert_bytes(row) / GIB)
        form += kept_by_encoder(row) if r["multimodal"] else 0
        runtime = (0.25 if r["tp"] == 1 else 2.13) if release(r) < (0, 21) else (0.5 if r["tp"] == 1 else 1.1)
        groups[(r["part"], "tp 1" if r["tp"] == 1 else f"tp {r['tp']}")].append((v - form - runtime, r["id"], n))
    for key in sorted(groups):
        vals = [x for x, *_ in groups[key]]
        print(f"  {key}: {len(vals)} configurations, {min(vals):.2f} to {max(vals):.2f}, median {st.median(vals):.2f} GiB")
        if VERBOSE:
            for x, name, _ in groups[key]:
                print("     ", name, round(x, 2))


# -------------------------------------------------------------------------------------------------------------------- graphs
def sizes(row):
    """Capture sizes 1, 2, 4, then every 8 to 256, then every 16."""
    m = row.get("max_cudagraph_capture_size") or 512
    return sum(1 for s in [1, 2, 4, *range(8, 256, 8), *range(256, 8193, 16)] if s <= m)


def fit_graphs():
    print("CUDA graphs = g0 + g1 x layers (GiB); eager: exactly 0")
    def form(rows, key):
        pts = points([r for r in rows if key in r], key)
        def solve(p):
            n = len(p)
            mx = sum(r["layers"] for r, _, _ in p) / n
            my = sum(v for _, v, _ in p) / n
            sxx = sum((r["layers"] - mx) ** 2 for r, _, _ in p)
            g1 = sum((r["layers"] - mx) * (v - my) for r, v, _ in p) / sxx
            return my - g1 * mx, g1
        g0, g1 = solve(pts)
        pairs = []
        for p in pts:
            a, b = solve([q for q in pts if q is not p])
            pairs.append((p[1], a + b * p[0]["layers"]))
        return pts, g0, g1, pairs
    sweep = [r for r in ROWS if release(r) == (0, 19) and r.get("max_num_seqs") == 1024 and not r["multimodal"]]
    for label, rows in (("0.19 dense", [r for r in sweep if not r.get("experts_per_token")]), ("0.19 dense and experts", sweep)):
        for key in ("graph_gib", "graph_estimate_gib"):
            pts, g0, g1, pairs = form(rows, key)
            hit, n, half = loo_coverage(pairs, 0.005)
            report(f"{label} {key}: g0 {g0:.3f}, g1 {g1:.4f}", [m - p for m, p in pairs], [m / p for m, p in pairs], sum(p[2] for p in pts),
                   f"; leave-one-out band covers {hit}/{n}, half-width {half:.2f}")
    moe = [r for r in sweep if r.get("experts_per_token") and "graph_gib" in r]
    print("  experts above the dense line (GiB):", [round(r["graph_gib"] - (0.37 + 0.0165 * r["layers"]), 2) for r in moe])
    print("  other releases, measured or estimated against 0.37 + 0.0165 x layers:")
    ratios = collections.defaultdict(list)
    for r in ROWS:
        if release(r) == (0, 19) and r.get("max_num_seqs") == 1024:
            continue
        for key in ("graph_gib", "graph_estimate_gib"):
            if r.get(key, 0) > 0:
                ratio = r[key] / (0.37 + 0.0165 * r["layers"])
                group = "to 0.18" if (0, 0) < release(r) < (0, 19) else "from 0.20" if release(r) > (0, 19) else "0.19, other settings"
                ratios[(group, key)].append(ratio)
                if VERBOSE:
                    print("     ", r["id"], r["version"], key, r[key], "sizes", sizes(r), f"ratio {ratio:.2f}")
    for k, v in sorted(ratios.items()):
        print(f"    {k}: n {len(v)}, q10 {quantile(v, .1):.2f}, median {st.median(v):.2f}, q90 {quantile(v, .9):.2f}")
    print("  few sequences: captured sizes / 51 of the estimate's form (0.15 + 0.0192 x layers + 0.35 for experts or latents), from 0.12")
    small = [(r, r.get("graph_estimate_gib") or r.get("graph_gib")) for r in ROWS
             if release(r) >= (0, 20) and r.get("max_cudagraph_capture_size", 512) < 512 and (r.get("graph_estimate_gib") or r.get("graph_gib") or 0) > 0]
    for vendor, mine in (("NVIDIA", [x for x in small if "MI355" not in (x[0]["hardware"] or "")]), ("AMD, measured", [x for x in small if "MI355" in (x[0]["hardware"] or "")])):
        pred = [(v, (0.15 + 0.0192 * r["layers"] + (0.35 if r.get("experts_per_token") else 0)) * sizes(r) / 51) for r, v in mine]
        if pred:
            inside = sum(0.15 * q <= v <= 2.2 * q + 1 for v, q in pred)
            print(f"    {vendor}: n {len(pred)}, median |error| {st.median(abs(v - q) for v, q in pred):.2f} GiB, in [0.15 x, 2.2 x + 1 GiB] {inside}")
    both = [r["graph_gib"] / r["graph_estimate_gib"] for r in ROWS if r.get("graph_gib") and r.get("graph_estimate_gib")]
    print(f"  measured / engine's own estimate: n {len(both)}, q10 {quantile(both, .1):.2f}, median {st.median(both):.2f}, q90 {quantile(both, .9):.2f}")


if __name__ == "__main__":
    fit_activation()
    fit_towers()
    fit_non_torch()
    fit_rest()
    fit_graphs()
