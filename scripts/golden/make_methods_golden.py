#!/usr/bin/env python3
"""Writes tests/golden/methods.json.gz: what methods of attribution give over many sentences, computed in float64 by
scripts/attnscope_reference as their papers define them, for tests/model/attribution/test_method_sums.c and
tests/tui/command/study/test_align_methods.c.

    pip install torch numpy scipy networkx sentencepiece
    python scripts/golden/make_methods_golden.py

Of the samples: over the sentences of samples/aligned.*, alignments by every method against those made by hand, and the
share of the source by ALTI+. Of some golden models, whose kinds the samples lack: over sentences of random words, which
are written, too. Of all: of every matrix one number, a weighted sum over all of its cells and sentences.

Flow is computed by scipy on integer capacities, a check against networkx included."""

import gzip
import json
import random
import sys

import networkx
import numpy
import scipy.sparse
import torch
from scipy.sparse.csgraph import maximum_flow

from make_alignment_golden import GOLD, ROOT, links_of, merged, read_gold, scores, words_of

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from attnscope_reference import attribution as published  # noqa: E402
from attnscope_reference.checkpoint import MODULES, read_checkpoint  # noqa: E402

OUT = ROOT / "tests" / "golden" / "methods.json.gz"
SAMPLES = ("en-de en-de-mma en-de-fixed en-de-fixed-word en-de-fixed8 en-de-dhicm en-de-context "
           "en-de-context-both").split()
TINY = ("relative_bias rms_norm_post vanilla_pre learned_positions_tied dhicm_cross_fixed "
        "mma_cross_empty_rows").split()
SENTENCES = 20  # of a golden model
JOINT = ("rollout", "flow", "alti")
SCALE = 10**9


# Flow -----------------------------------------------------------------------------------------------


def capacities_of(graph):
    places = {node: i for i, node in enumerate(graph)}
    edges = [(places[a], places[b], round(e["capacity"] * SCALE)) for a, b, e in graph.edges(data=True)]
    rows, columns, values = zip(*edges)
    size = len(places)
    return places, scipy.sparse.csr_array((numpy.array(values, numpy.int32), (rows, columns)), (size, size))


def flows(graph, rows, bottom, top):
    """Like attribution.flows, whose solver takes minutes for these sentences."""
    places, capacities = capacities_of(graph)
    values = torch.zeros(rows, len(bottom))
    for i in range(rows):
        for j, node in enumerate(bottom):
            if (*top, i) in places and node in places:
                flow = maximum_flow(capacities, places[*top, i], places[node])
                values[i, j] = flow.flow_value / SCALE
    if not flows.checked:
        flows.checked = True
        wanted = networkx.maximum_flow_value(graph, (*top, 0), bottom[-1])
        assert abs(values[0, -1] - wanted) < 1e-6, (values[0, -1], wanted)
    return values / values.sum(dim=1, keepdim=True)


flows.checked = False
published.flows = flows


# Matrices -------------------------------------------------------------------------------------------


def matrices_of(given, module, layer):
    """(method, head) -> [rows, columns] for one layer of a module."""
    columns = given.captured[f"{module}.{layer}.weights"].shape[-1]
    heads = len(given.model.checkpoint.modules[module, layer].heads)
    found = {("norms", h + 1): given.norms(module, layer, h) for h in range(heads)}
    found["norms", "all"] = given.norms(module, layer)
    found["block-norms", "all"] = given.block_norms(module, layer)[:, :columns]
    found["contributions", "all"] = given.contributions(module, layer)[:, :columns]
    for kind in JOINT if given.layers("decoder") or module == "encoder" else ():
        joint = given.joint(kind, module, layer)
        first = joint.shape[1] - columns if module == "decoder" else 0
        found[kind, "all"] = joint[:, first:first + columns]
    return found


def all_matrices(checkpoint, source, target):
    """(method, module, layer, head) -> matrix, and what the reference says of both texts."""
    model = published.Traced(checkpoint)
    words, ids = model.text.source(source), model.text.target(target)
    given = published.Attribution(model, words, ids)
    found = {(kind, module, layer + 1, head): matrix.numpy()
             for module in MODULES for layer in range(given.layers(module))
             for (kind, head), matrix in matrices_of(given, module, layer).items()}
    return found, words.tokens, model.text.target_tokens(ids)


def weighted(matrix):
    """Reduces a matrix to one number that depends on every cell, with a different weight for each
    row and column."""
    rows, columns = numpy.indices(matrix.shape)
    return float((matrix * (((7 * rows + 13 * columns) % 32) / 32)).sum())


# Results --------------------------------------------------------------------------------------------


def rounded(number):
    return float(f"{number:.7g}")


def sums_of(sentences):
    """method -> module -> layers of heads, followed by all heads together; each divided by the
    number of rows."""
    totals, rows = {}, {}
    for found in sentences:
        for key, matrix in found.items():
            totals[key] = totals.get(key, 0) + weighted(matrix)
            rows[key] = rows.get(key, 0) + len(matrix)
    nested = {}
    for (kind, module, layer, head), total in totals.items():
        layers = nested.setdefault(kind, {}).setdefault(module, {})
        layers.setdefault(layer, []).append(rounded(total / rows[kind, module, layer, head]))
    return {kind: {module: list(layers.values()) for module, layers in modules.items()}
            for kind, modules in nested.items()}


def check_margin(matrix, rows, columns, where):
    """Rounding must not decide between two words: their values must be equal, or clearly apart."""
    for row in merged(matrix, rows, columns):
        apart = 1 - row / row.max()
        for close in apart[(apart > 1e-7) & (apart < 1e-5)]:
            print("close:", where, close)


def alignments_of(captured):
    """[method, layer, head, shift, error rate, precision, recall] for every matrix of
    cross-attention."""
    links = {}
    for number, (found, source, target) in enumerate(captured):
        rows, _ = words_of(target, False)
        columns, _ = words_of(source, False)
        for (kind, module, layer, head), matrix in found.items():
            if module != "cross":
                continue
            check_margin(matrix, rows, columns, (number, kind, layer, head))
            for shift in (False, True):
                links.setdefault((kind, layer, head, shift), []).append(
                    links_of(matrix, rows, columns, shift))
    gold = read_gold()
    return [[*key, *map(rounded, scores(gold, found).values())] for key, found in links.items()]


def share_of(found):
    """The source's share in ALTI+ above the last layer, over the rows that predict a token."""
    last = max(layer for kind, module, layer, _ in found if (kind, module) == ("alti", "cross"))
    return float(found["alti", "cross", last, "all"].sum(axis=1).mean())


def sample(name):
    checkpoint = read_checkpoint(str(ROOT / "samples" / f"{name}.bin"))
    texts = [(ROOT / "samples" / f"aligned.{side}").read_text("utf-8").splitlines() for side in ("en", "de")]
    captured = [all_matrices(checkpoint, *pair) for pair in zip(*texts, strict=True)]
    return {"model": f"samples/{name}.bin", "sums": sums_of([found for found, *_ in captured]),
            "shares": [rounded(share_of(found)) for found, *_ in captured],
            "alignments": alignments_of(captured)}


def draw(words, dice):
    """The whole words of a vocabulary, without special tokens."""
    plain = [word for word in words if word.isalpha()]
    return " ".join(dice.choices(plain, k=dice.randint(2, 8)))


def tiny(name):
    path = f"tests/golden/{name}.bin"
    checkpoint = read_checkpoint(str(ROOT / path))
    dice = random.Random(name)
    pairs = [[draw(checkpoint.source_vocab, dice), draw(checkpoint.target_vocab, dice)] for _ in range(SENTENCES)]
    return {"model": path, "pairs": pairs,
            "sums": sums_of([all_matrices(checkpoint, *pair)[0] for pair in pairs])}


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    assert GOLD.exists()
    models = []
    for name in SAMPLES + TINY:
        models.append(sample(name) if name in SAMPLES else tiny(name))
        print(name, min((a[4], a[:4]) for a in models[-1].get("alignments", [[0] * 7])), flush=True)
    lines = [json.dumps(model, ensure_ascii=False, separators=(",", ":")) for model in models]
    OUT.write_bytes(gzip.compress(("[\n" + ",\n".join(lines) + "\n]\n").encode(), mtime=0))


if __name__ == "__main__":
    main()
