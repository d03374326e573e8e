#!/usr/bin/env python3
"""Writes tests/golden/derivatives.json.gz: derivatives of log-probabilities by automatic differentiation in float64
(scripts/attnscope_reference/derivatives.py), for tests/model/net/test_gradient.c.

    pip install torch sentencepiece subword-nmt networkx
    python scripts/golden/make_gradient_golden.py

Of every golden model that differs from others in more than its search: a sentence of its golden data, with the gains,
masks and patterns that are changed there. Of the whole translation's log-probability all tensors, of the difference of
two tokens those by the embeddings. Of a tensor of rows: a weighted sum over its cells, the sum over its rows of the
greatest cell's size, and of embeddings one row whole; of a layer's matrices the two numbers of each head."""

import gzip
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from attnscope_reference.attribution import chosen_case, dials_of  # noqa: E402
from attnscope_reference.checkpoint import read_checkpoint  # noqa: E402
from attnscope_reference.derivatives import derivatives  # noqa: E402

OUT = ROOT / "tests" / "golden" / "derivatives.json.gz"
# Models that differ only in their search.
SEARCHES = ("attainable_endings ends_at_once excluded_tokens first_endings forced_ends narrow_endings top_endings "
            "renormalized specials_allowed specials_differ").split()


def rounded(number):
    return float(f"{number:.6g}")


def sums_of(x):
    """Returns [weighted sum, sum over rows of the greatest absolute value] of a matrix."""
    weights = [[((7 * r + 13 * c) % 32) / 32 for c in range(x.shape[1])] for r in range(x.shape[0])]
    return [rounded((x * x.new_tensor(weights)).sum().item()), rounded(x.abs().max(dim=1).values.sum().item())]


def described(name, x):
    if name.startswith("gains"):
        return {"row": [rounded(v) for v in x.tolist()]}
    if name.startswith("weights"):
        return {"heads": [sums_of(head) for head in x]}
    flat = x.flatten(1)
    number = len(flat) // 2
    record = {"sums": sums_of(flat)}
    if name.startswith("embeddings"):
        record |= {"number": number, "row": [rounded(v) for v in flat[number].tolist()]}
    return record


def other_token(case, position):
    """Returns a different token of the target, or the unknown token."""
    return next((t for t in case["target_ids"] if t != case["target_ids"][position]), 3)


def objectives(case):
    """Returns name -> terms, and the names of the tensors to record."""
    ids = case["target_ids"]
    middle = len(ids) // 2
    yield "translation", [(t, token, 1.0) for t, token in enumerate(ids)], ""
    yield "difference", [(middle, ids[middle], 1.0), (middle, other_token(case, middle), -1.0)], "embeddings"


def record_of(path):
    checkpoint = read_checkpoint(path)
    with open(path.with_suffix(".expected"), "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        cases = json.loads(json.loads(file.read(size))["__metadata__"]["cases"])
    k = chosen_case(cases)
    record = {"case": k}
    for name, terms, wanted in objectives(cases[k]):
        value, found = derivatives(checkpoint, dials_of(cases[k]), cases[k]["source"], cases[k]["target_ids"], terms)
        record[name] = {"terms": terms, "value": rounded(value),
                        "tensors": {key: described(key, x) for key, x in sorted(found.items()) if key.startswith(wanted)}}
    return record


def main():
    names = sorted(p for p in (ROOT / "tests" / "golden").glob("*.bin") if p.stem not in SEARCHES)
    lines = [f"{json.dumps(path.stem)}:{json.dumps(record_of(path), separators=(',', ':'))}" for path in names]
    OUT.write_bytes(gzip.compress(("{" + ",\n".join(lines) + "}\n").encode(), mtime=0))
    print(len(names), "models,", os.path.getsize(OUT), "bytes")


if __name__ == "__main__":
    main()
