#!/usr/bin/env python3
"""Writes tests/golden/entmax.json.gz: weights of entmax and derivatives through them, by the package of its authors
(Peters et al. 2019, Correia et al. 2019) in float64, for tests/gpu/cpu/test_entmax.c.

    pip install torch entmax==1.3
    python scripts/golden/make_entmax_golden.py

Of rows of energies: one key, ties, far apart, many. With slopes s_j = cos(j + 1) of the weights, derivatives are those
of sum s p."""

import gzip
import json
import math
import random
from pathlib import Path

import torch
from entmax import entmax15, entmax_bisect, sparsemax

OUT = Path(__file__).resolve().parents[2] / "tests" / "golden" / "entmax.json.gz"
ALPHAS = [1.001, 1.25, 1.5, 1.9, 2.0]


def rows():
    dice = random.Random(0)

    def normal(count, width):
        return [round(dice.gauss(0, width) * 64) / 64 for _ in range(count)]

    yield [3.25]
    yield [0.5, 0.5]
    yield [1.0, 1.0, 1.0, 0.0, -1.0, -1.0]
    yield [-20000.0, 30000.0, 29999.5, -1e30, 0.0]
    yield [0.0] * 17
    yield normal(7, 1)
    yield normal(16, 0.1)
    yield normal(33, 4)
    yield normal(50, 1)


def weights(x, alpha):
    named = {1.5: lambda: entmax15(x, dim=-1), 2.0: lambda: sparsemax(x, dim=-1)}
    return named.get(alpha, lambda: entmax_bisect(x, alpha, dim=-1, n_iter=100))()


def rounded(tensor):
    return [float(f"{value:.8g}") for value in tensor.tolist()]


def record(row, alpha):
    x = torch.tensor(row, dtype=torch.float64, requires_grad=True)
    p = weights(x, alpha)
    slopes = torch.tensor([math.cos(j + 1) for j in range(len(row))], dtype=torch.float64)
    (p * slopes).sum().backward()
    return {"alpha": alpha, "weights": rounded(p.detach()), "derivatives": rounded(x.grad)}


def main():
    cases = [{"energies": row, "by": [record(row, alpha) for alpha in ALPHAS]} for row in rows()]
    text = "[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n"
    OUT.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
