#!/usr/bin/env python3
"""Writes tests/golden/silver.json: how near each head of cross-attention is to alignments that are not made by hand, of
the sentences of samples/aligned.*, for tests/tui/command/study/test_align_silver.c. Weights, contributions and ALTI+
are those of scripts/attnscope_reference, in float64.

    pip install torch numpy scipy networkx sentencepiece
    python scripts/golden/make_silver_golden.py

Also prints how well silver ranks the heads: the rank correlation of error rates against silver with those against the
alignments made by hand, and the error rate of the head that silver ranks first."""

import json
import sys

import numpy
import torch

from make_alignment_golden import ROOT, links_of, read_gold, scores, words_of

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from attnscope_reference import attribution as published  # noqa: E402
from attnscope_reference.checkpoint import read_checkpoint  # noqa: E402

OUT = ROOT / "tests" / "golden" / "silver.json"
WRITTEN = "en-de-dhicm"
PRINTED = "en-de en-de-mma en-de-fixed en-de-fixed-word en-de-fixed8 en-de-dhicm en-de-context en-de-context-both".split()


def links_by(checkpoint, source, target):
    """(layer, head, shift), or the name of a silver alignment, -> links of one sentence."""
    model = published.Traced(checkpoint)
    words, ids = model.text.source(source), model.text.target(target)
    given = published.Attribution(model, words, ids)
    rows, _ = words_of(model.text.target_tokens(ids), False)
    columns, _ = words_of(words.tokens, False)
    last, found = given.layers("cross") - 1, {}
    for layer in range(last + 1):
        for head, weights in enumerate(given.captured[f"cross.{layer}.weights"].numpy()):
            for shift in (False, True):
                found[layer + 1, head + 1, shift] = links_of(weights, rows, columns, shift)
    matrices = {"contributions": given.contributions("cross", last), "alti": given.joint("alti", "cross", last)}
    for name, matrix in matrices.items():
        found[name] = links_of(matrix.numpy()[:, :len(columns)], rows, columns, False)
    return found


def consensus(sentence, head):
    """The link of each word that most heads without shift choose, leaving this head out; of equal
    ones the first."""
    votes = {}
    for key, links in sentence.items():
        if isinstance(key, str) or key[2] or key[:2] == head[:2]:
            continue
        for source, target in links:
            counts = votes.setdefault(target, {})
            counts[source] = counts.get(source, 0) + 1
    return {(min(s for s in counts if counts[s] == max(counts.values())), target)
            for target, counts in votes.items()}


def silver_of(sentences, name, head):
    return [consensus(one, head) if name == "consensus" else one[name] for one in sentences]


def measure(sentences, name):
    """[layer, head, shift, words linked alike, words linked by either, links of both] for every
    head."""
    found = []
    for key in [key for key in sentences[0] if not isinstance(key, str)]:
        pairs = [(one[key], silver) for one, silver in zip(sentences, silver_of(sentences, name, key))]
        found.append([*key[:2], int(key[2]), sum(len(a & s) for a, s in pairs),
                      sum(len({t for _, t in a | s}) for a, s in pairs),
                      sum(len(a) + len(s) for a, s in pairs)])
    return found


def ranks(numbers):
    """Equal numbers share the mean of their ranks."""
    numbers = numpy.array(numbers)
    return numpy.array([(numbers < x).sum() + ((numbers == x).sum() - 1) / 2 for x in numbers])


def tell(name, sentences, kind, heads):
    gold = [scores(read_gold(), [one[head[0], head[1], bool(head[2])] for one in sentences])["aer"] for head in heads]
    silver = [1 - 2 * head[3] / head[5] for head in heads]
    plain = [i for i, head in enumerate(heads) if not head[2]]
    rho, rho_plain = (numpy.corrcoef(ranks([gold[i] for i in some]), ranks([silver[i] for i in some]))[0, 1]
                      for some in (range(len(heads)), plain))
    picked = int(numpy.argmin(silver))
    print(f"{name} {kind}: rank correlation {rho:.3f}, without the shift {rho_plain:.3f}; picks {heads[picked][:3]}, AER {gold[picked]:.4f}, "
          f"number {1 + sum(g < gold[picked] for g in gold)} of {len(gold)} by gold; the best has {min(gold):.4f}",
          flush=True)


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    texts = [(ROOT / "samples" / f"aligned.{side}").read_text("utf-8").splitlines() for side in ("en", "de")]
    for name in PRINTED:
        checkpoint = read_checkpoint(str(ROOT / "samples" / f"{name}.bin"))
        sentences = [links_by(checkpoint, *pair) for pair in zip(*texts, strict=True)]
        measured = {kind: measure(sentences, kind) for kind in ("contributions", "alti", "consensus")}
        for kind, heads in measured.items():
            tell(name, sentences, kind, heads)
        if name == WRITTEN:
            OUT.write_text(json.dumps({"model": f"samples/{name}.bin", **measured}, separators=(",", ":")) + "\n",
                           encoding="utf-8")


if __name__ == "__main__":
    main()
