"""Everything that the reference itself is checked against."""

import itertools

from .golden_models import base
from .model import Model
from .search import (Hypothesis, Margins, advance, best, ended, length_penalty, maximum_length,
                     never_produced, search)
from .selftest_mixtures import contexts_by_hand, dhicm_by_hand, gates_by_hand
from .selftest_models import (equality_with_torch, parameter_counts, positions_by_hand,
                              switched_off_heads, tiny_checkpoint)
from .selftest_numbers import energies_by_hand, entmax_by_hand, gains_by_hand, masks_by_hand, patterns_by_hand
from .text import Sentence, number_words

EOS = 2


def words_by_hand():
    cases = [
        # Prefix and end-of-sentence stand alone, and what follows one begins a word.
        ("sentencepiece", ["<de>", "a", "\u2581b", "c", "</s>"], [1, 0, 0, 0, 1], [0, 1, 2, 2, 3]),
        # unk has no word mark: in the target it goes with the word before it.
        ("sentencepiece", ["<s>", "\u2581a", "<unk>", "\u2581b"], [1, 0, 0, 0], [0, 1, 1, 2]),
        ("sentencepiece", ["\u2581", "x", "\u2581y"], [0, 0, 0], [0, 0, 1]),
        ("bpe", ["sci@@", "en@@", "ce", "fic@@", "</s>"], [0, 0, 0, 0, 1], [0, 0, 0, 1, 2]),
        ("bpe", ["<x>", "<y>", "a@@", "<unk>", "b"], [1, 1, 0, 0, 0], [0, 1, 2, 2, 3]),
        ("whitespace", ["\u2581a", "b@@", "c"], [0, 0, 0], [0, 1, 2]),
    ]
    for kind, pieces, alone, words in cases:
        actual = number_words(kind, pieces, alone)
        assert actual == words, f"{kind} {pieces}: words {actual}, expected {words}"


def one_step_by_hand():
    """Two live beams (-1, -1.5), beam 2, so the four best; ids 0 ... 4, id 0 never produced."""
    live = [Hypothesis((3,), (-1.0,), -1.0), Hypothesis((4,), (-1.5,), -1.5)]
    rows = [[-0.1, -9, -1.0, -0.5, -2.0], [-0.1, -9, -0.25, -0.5, -0.5]]
    # Totals: -1.5 (beam 0, id 3), -1.75 (beam 1, end), -2.0 (beam 0, end), and a three-way tie of
    # -2.0 with (beam 1, id 3), (beam 1, id 4): lower beam, then lower id. The second rank ends and
    # counts; the third ends and is dropped.
    living, finished = advance(live, rows, {0}, 2, EOS, Margins())
    assert [h.ids for h in living] == [(3, 3), (4, 3)], living
    assert [(h.ids, h.total) for h in finished] == [((4, EOS), -1.75)], finished
    # Of two ranks, one ends and one lives on; where none may end, three live.
    living, finished = advance(live, rows, {0}, 2, EOS, Margins(), 2)
    assert [h.ids for h in living] == [(3, 3)] and len(finished) == 1, (living, finished)
    living, finished = advance(live, rows, {0, EOS}, 3, EOS, Margins())
    assert [h.ids for h in living] == [(3, 3), (4, 3), (4, 4)] and not finished, living
    # In the last step all end, -2.0 and -1.75.
    assert [h.ids for h in ended(live, rows, EOS, Margins())] == [(4, EOS), (3, EOS)]


def results_by_hand():
    def ended(length, total):
        return Hypothesis((3,) * (length - 1) + (EOS,), (), total)

    # Sums -2 (2 tokens), -3 (4), -3.9 (4): as averages -1, -0.75, -0.975; two are the result.
    three = [ended(2, -2.0), ended(4, -3.0), ended(4, -3.9)]
    kept = best(three, 2, {"kind": "average", "alpha": 1.0}, Margins())
    assert [(len(h.ids), h.score) for h in kept] == [(4, -0.75), (4, -0.975)], kept
    # Equal scores stay in the order in which they finished: -2/2 and -4/4.
    kept = best([ended(2, -2.0), ended(4, -4.0)], 5, {"kind": "average", "alpha": 1.0}, Margins())
    assert [len(h.ids) for h in kept] == [2, 4], kept
    assert length_penalty({"kind": "none", "alpha": 3.0}, 7) == 1
    assert length_penalty({"kind": "wu", "alpha": 2.0}, 7) == 4  # (12 / 6)^2
    assert length_penalty({"kind": "average", "alpha": 0.5}, 9) == 3


def limits_by_hand():
    def limit(n, factor, plus, room=64, start=1, most=0):
        return maximum_length({"search": {"max_length": {"factor": factor, "plus": plus, "most": most}},
                               "max_positions": room, "target": {"start": [1] * start}}, n)

    assert limit(7, 1.2, 10) == 18  # floor(8.4) + 10
    assert limit(3, 0.0, 0) == 1
    assert limit(3, 0.0, -5) == 1
    assert limit(50, 2.0, 0, room=20) == 20  # 20 inputs: <s> and 19 tokens, then end-of-sentence
    assert limit(50, 2.0, 0, room=20, start=2) == 19
    assert limit(7, 1.2, 10, most=17) == 17
    assert limit(7, 1.2, 10, most=19) == 18


def search_finds_the_best():
    """With a beam wider than all hypotheses of up to three tokens, search is exhaustive."""
    config = base() | {"name": "test", "search": {
        "beam": 500, "length_penalty": {"kind": "wu", "alpha": 0.7},
        "max_length": {"factor": 0.0, "plus": 3}}}
    model = Model(tiny_checkpoint(config))
    source = Sentence("", [], [4, 9, 2], [0, 1, 2])
    ours, _ = search(model, source)
    tokens = [t for t in range(16) if t not in never_produced(model.checkpoint) and t != EOS]
    scores = []
    for length in range(3):
        for ids in itertools.product(tokens, repeat=length):
            _, logprobs = model.force(source, [*ids, EOS])
            penalty = length_penalty(config["search"]["length_penalty"], length + 1)
            scores.append((sum(logprobs) / penalty, (*ids, EOS)))
    scores.sort(reverse=True)
    for hypothesis, (score, ids) in zip(ours, scores, strict=True):
        assert hypothesis.ids == ids and abs(hypothesis.score - score) < 1e-12, (hypothesis, ids)


CHECKS = [patterns_by_hand, masks_by_hand, energies_by_hand, entmax_by_hand, gains_by_hand, contexts_by_hand,
          gates_by_hand, dhicm_by_hand, positions_by_hand, words_by_hand, equality_with_torch,
          switched_off_heads, parameter_counts, one_step_by_hand, results_by_hand, limits_by_hand,
          search_finds_the_best]


def run():
    for check in CHECKS:
        check()
        print("ok", check.__name__)
