"""Hand-worked three-token cases. Every expected number is worked out in the comment beside it; no
number here was produced by this code."""

import torch

from .attention import Dials, Grid, attend
from .checkpoint import Checkpoint, Module, number_heads
from .entmax import entmax
from .patterns import mask_matrix, pattern_matrix

F, L = 1 / 9, 1 / 36  # cubes: 1, 1+8 = 9, 1+8+27 = 36, 100, 225


def close(name, actual, expected, within=1e-12):
    expected = torch.as_tensor(expected, dtype=torch.float64)
    if actual.shape != expected.shape or not torch.allclose(actual, expected, rtol=0, atol=within):
        raise AssertionError(f"{name}: got\n{actual}\nexpected\n{expected}")


# Three tokens, each a word; the last is end-of-sentence.
TOKEN_PATTERNS = {
    "current": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "previous": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
    "next": [[0, 1, 0], [0, 0, 1], [0, 0, 0]],
    # Row 2 sees j = 0 alone; rows 0 and 1 have nothing two places to the left.
    "left_context": [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
    "right_context": [[0, 0, 1], [0, 0, 0], [0, 0, 0]],
    # (j+1)^3 = 1, 8, 27 over 36, and mirrored.
    "sentence_end": [[1 * L, 8 * L, 27 * L]] * 3,
    "sentence_start": [[27 * L, 8 * L, 1 * L]] * 3,
    "last": [[0, 0, 1]] * 3,
}

# The decoder's row i sees 0 ... i, so n = i+1.
CAUSAL_PATTERNS = {
    "current": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "previous": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
    "next": [[0, 0, 0]] * 3,
    "left_context": [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
    "right_context": [[0, 0, 0]] * 3,
    "sentence_end": [[1, 0, 0], [1 * F, 8 * F, 0], [1 * L, 8 * L, 27 * L]],
    "sentence_start": [[1, 0, 0], [8 * F, 1 * F, 0], [27 * L, 8 * L, 1 * L]],
    "last": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}

# Four target rows over a source of three: i may pass the end of the source.
CROSS_PATTERNS = {
    "current": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]],
    "previous": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "next": [[0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]],
    # Row 3: j = 0 and 1, (1, 8) / 9.
    "left_context": [[0, 0, 0], [0, 0, 0], [1, 0, 0], [1 * F, 8 * F, 0]],
    "right_context": [[0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
    "sentence_end": [[1 * L, 8 * L, 27 * L]] * 4,
    "sentence_start": [[27 * L, 8 * L, 1 * L]] * 4,
    "last": [[0, 0, 1]] * 4,
}

# Tokens "a  fic tion ." are words 0 1 1 2; word weights as above, word 1's halved between its two.
WORDS = [0, 1, 1, 2]
WORD_PATTERNS = {
    "current": [[1, 0, 0, 0], [0, .5, .5, 0], [0, .5, .5, 0], [0, 0, 0, 1]],
    "previous": [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, .5, .5, 0]],
    "next": [[0, .5, .5, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]],
    "left_context": [[0] * 4, [0] * 4, [0] * 4, [1, 0, 0, 0]],
    "right_context": [[0, 0, 0, 1], [0] * 4, [0] * 4, [0] * 4],
    "sentence_end": [[1 * L, 4 * L, 4 * L, 27 * L]] * 4,
    "sentence_start": [[27 * L, 4 * L, 4 * L, 1 * L]] * 4,
    "last": [[0, 0, 0, 1]] * 4,
}

# Causal: row 1 has seen only the first token of word 1, which therefore holds all its weight.
CAUSAL_WORD_PATTERNS = {
    "current": [[1, 0, 0, 0], [0, 1, 0, 0], [0, .5, .5, 0], [0, 0, 0, 1]],
    "previous": [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, .5, .5, 0]],
    "next": [[0] * 4] * 4,
    "left_context": [[0] * 4, [0] * 4, [0] * 4, [1, 0, 0, 0]],
    "right_context": [[0] * 4] * 4,
    "sentence_end": [[1, 0, 0, 0], [1 * F, 8 * F, 0, 0], [1 * F, 4 * F, 4 * F, 0],
                     [1 * L, 4 * L, 4 * L, 27 * L]],
    "sentence_start": [[1, 0, 0, 0], [8 * F, 1 * F, 0, 0], [8 * F, .5 * F, .5 * F, 0],
                       [27 * L, 4 * L, 4 * L, 1 * L]],
    "last": [[1, 0, 0, 0], [0, 1, 0, 0], [0, .5, .5, 0], [0, 0, 0, 1]],
}

# A target of words 0 1 1 2 3 over a source whose tokens are words 0 0 1: n = 2 source words.
CROSS_ROWS, CROSS_COLUMNS = [0, 1, 1, 2, 3], [0, 0, 1]
CROSS_WORD_PATTERNS = {
    "current": [[.5, .5, 0], [0, 0, 1], [0, 0, 1], [0] * 3, [0] * 3],
    "previous": [[0] * 3, [.5, .5, 0], [.5, .5, 0], [0, 0, 1], [0] * 3],
    "next": [[0, 0, 1], [0] * 3, [0] * 3, [0] * 3, [0] * 3],
    # Word 2 sees word 0; word 3 sees words 0 and 1 as 1/9 and 8/9.
    "left_context": [[0] * 3, [0] * 3, [0] * 3, [.5, .5, 0], [.5 * F, .5 * F, 8 * F]],
    "right_context": [[0] * 3] * 5,
    "sentence_end": [[.5 * F, .5 * F, 8 * F]] * 5,
    "sentence_start": [[4 * F, 4 * F, 1 * F]] * 5,
    "last": [[0, 0, 1]] * 5,
}


def patterns_by_hand():
    tables = [("token", TOKEN_PATTERNS, [0, 1, 2], [0, 1, 2], False),
              ("causal token", CAUSAL_PATTERNS, [0, 1, 2], [0, 1, 2], True),
              ("cross token", CROSS_PATTERNS, [0, 1, 2, 3], [0, 1, 2], False),
              ("word", WORD_PATTERNS, WORDS, WORDS, False),
              ("causal word", CAUSAL_WORD_PATTERNS, WORDS, WORDS, True),
              ("cross word", CROSS_WORD_PATTERNS, CROSS_ROWS, CROSS_COLUMNS, False)]
    for name, table, rows, columns, causal in tables:
        for pattern, expected in table.items():
            actual = pattern_matrix(pattern, tuple(rows), tuple(columns), causal)
            close(f"{name} {pattern}", actual, expected)
    # Five tokens: contexts of more than one cube. Row 4: 1, 8, 27 of 36; row 0 mirrors it.
    five = tuple(range(5))
    close("left of five", pattern_matrix("left_context", five, five, False)[4],
          [1 * L, 8 * L, 27 * L, 0, 0])
    close("right of five", pattern_matrix("right_context", five, five, False)[0],
          [0, 0, 27 * L, 8 * L, 1 * L])
    # The mirrored row keeps its own sum: row 1 sees j = 3 and 4 as (5-3)^3, (5-4)^3.
    close("right of five", pattern_matrix("right_context", five, five, False)[1],
          [0, 0, 0, 8 * F, 1 * F])


def masks_by_hand():
    cases = {
        ("global", False): [[1, 1, 1, 1]] * 4,
        ("forward", False): [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]],
        ("backward", False): [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
        (1, False): [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]],
        (2, False): [[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1], [0, 1, 1, 1]],
        ("global", True): [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
        ("forward", True): [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        ("backward", True): [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
        (1, True): [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]],
        (2, True): [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1]],
    }
    for (mask, causal), expected in cases.items():
        mask = {"local": mask} if isinstance(mask, int) else mask
        close(f"mask {mask} causal={causal}", mask_matrix(mask, 4, 4, causal).double(), expected)


# One attention module, d = 2, head_dim = 1. The input is three tokens; the second feature is
# ln 2 times 0, 1, 2, so that energies are logarithms of small numbers.

LN2 = torch.log(torch.tensor(2.0, dtype=torch.float64)).item()
X = torch.tensor([[1.0, 0.0], [1.0, LN2], [1.0, 2 * LN2]], dtype=torch.float64)


def run_module(heads, tensors, causal=False, inputs=None, name="encoder", dials=None, layer=0,
               rows=None, **changes):
    module = Module(name, layer, "m", 1, number_heads(heads, len(heads)),
                    changes.get("combine", {"kind": "concat"}), changes.get("context"))
    checkpoint = Checkpoint({}, {f"m.{key}": torch.tensor(value, dtype=torch.float64)
                                 for key, value in tensors.items()}, [], [])
    x = X if rows is None else rows
    words = list(range(x.shape[0]))
    grid, captured = Grid(words, [0, 1, 2], causal), {}
    output = attend(checkpoint, module, dials or Dials(), (inputs or []) + [x], X, grid, captured)
    return output, captured


def learned(mask="global"):
    return {"energy": "learned", "mask": mask}


# q = 1 for every row, k = 0, ln 2, 2 ln 2: exp(energies) = 1, 2, 4 for every row.
QK = {"q.weight": [[1.0, 0.0]], "k.weight": [[0.0, 1.0]]}
# v = 1, 1 + ln 2, ... is awkward; the value's bias and weight make it 0, ln 2, 2 ln 2 instead.
V = {"v.weight": [[0.0, 1.0]], "o.weight": [[1.0], [0.0]]}


def energies_by_hand():
    expected = {
        ("global", False): [[1 / 7, 2 / 7, 4 / 7]] * 3,
        ("forward", False): [[1 / 7, 2 / 7, 4 / 7], [0, 1 / 3, 2 / 3], [0, 0, 1]],
        ("backward", False): [[1, 0, 0], [1 / 3, 2 / 3, 0], [1 / 7, 2 / 7, 4 / 7]],
        (1, False): [[1 / 3, 2 / 3, 0], [1 / 7, 2 / 7, 4 / 7], [0, 1 / 3, 2 / 3]],
        ("global", True): [[1, 0, 0], [1 / 3, 2 / 3, 0], [1 / 7, 2 / 7, 4 / 7]],
        ("forward", True): [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        (1, True): [[1, 0, 0], [1 / 3, 2 / 3, 0], [0, 1 / 3, 2 / 3]],
    }
    for (mask, causal), weights in expected.items():
        mask = {"local": mask} if isinstance(mask, int) else mask
        output, captured = run_module([learned(mask)], QK | V, causal)
        close(f"energies {mask} {causal}", captured["encoder.0.weights"], [weights])
        # O = sum of weights * (0, ln 2, 2 ln 2); W_O puts it into the first feature.
        close(f"output {mask} {causal}", output,
              [[LN2 * (row[1] + 2 * row[2]), 0] for row in weights])
    # Cross-attention of four rows over three columns: row 3 looking forward sees nothing.
    four = torch.cat([X, X[:1]])
    output, captured = run_module([learned("forward")], QK | V | {"o.bias": [0.5, 0.25]},
                                  rows=four, name="cross")
    close("empty row", captured["cross.0.weights"][0, 3], [0, 0, 0])
    close("empty row keeps the bias", output[3], [0.5, 0.25])
    # head_dim 4: the same energies are halved. q = (ln 4, 0, 0, 0) . k = (0|1|2, ...) / 2.
    scaled_by_root_of_head_dim()


def entmax_by_hand():
    """Sparsemax of (1, 1/2, -1) is (3/4, 1/4, 0). With alpha 1.5 energies 0.4 apart have (h + 0.1)^2 and (h - 0.1)^2,
    whose sum is 1 for h = 0.7; and whoever is 2 above all others has all the weight."""
    close("sparsemax", entmax(torch.tensor([1, 0.5, -1.0]).double(), 2.0), [0.75, 0.25, 0])
    close("entmax of two", entmax(torch.tensor([0.4, 0.0], dtype=torch.float64), 1.5),
          [0.64, 0.36])
    close("entmax of one far above", entmax(torch.tensor([7.0, 5.0, -1e9]).double(), 1.5), [1, 0, 0])
    row = torch.tensor([0.3, -0.2, 0.9, 0.9, -2.0, -float("inf")]).double()
    for alpha in (1.0001, 1.2, 1.5, 2.0):
        close(f"entmax {alpha} sums to 1", entmax(row, alpha).sum(), 1)
        close(f"entmax {alpha} of equal energies", entmax(torch.zeros(5).double(), alpha), [0.2] * 5)
    close("entmax near softmax", entmax(row, 1 + 1e-9), torch.softmax(row, 0), 1e-6)
    for alpha in (1.5, 2.0):
        close(f"entmax {alpha} halved", entmax(row, alpha), entmax(row, alpha + 1e-12), 1e-9)
    for alpha in (1.2, 1.5, 2.0):
        assert torch.autograd.gradcheck(lambda x, alpha=alpha: entmax(x, alpha), row[:5].requires_grad_())


def scaled_by_root_of_head_dim():
    zeros = [0.0, 0.0]
    module = Module("encoder", 0, "m", 4, number_heads([learned()], 1), {"kind": "concat"}, None)
    tensors = {"m.q.weight": [[2.0, 0.0], zeros, zeros, zeros],
               "m.k.weight": [[0.0, 1.0], zeros, zeros, zeros],
               "m.v.weight": [zeros] * 4, "m.o.weight": [[0.0] * 4] * 2}
    checkpoint = Checkpoint({}, {k: torch.tensor(v, dtype=torch.float64)
                                 for k, v in tensors.items()}, [], [])
    captured = {}
    attend(checkpoint, module, Dials(), [X], X, Grid([0, 1, 2], [0, 1, 2], False), captured)
    # 2 * (0, ln 2, 2 ln 2) / sqrt(4): exp = 1, 2, 4 again.
    close("sqrt(head_dim)", captured["encoder.0.weights"], [[[1 / 7, 2 / 7, 4 / 7]] * 3])


def gains_by_hand():
    """Two heads: `current` and `last`, values 0, ln 2, 2 ln 2, side by side in the output."""
    heads = [{"energy": "fixed", "pattern": "current", "unit": "token"},
             {"energy": "fixed", "pattern": "last", "unit": "token"}]
    tensors = {"v.weight": [[0.0, 1.0], [0.0, 1.0]], "o.weight": [[1.0, 0.0], [0.0, 1.0]],
               "o.bias": [10.0, 20.0]}
    output, _ = run_module(heads, tensors)
    close("no gain", output, [[10, 20 + 2 * LN2], [10 + LN2, 20 + 2 * LN2],
                              [10 + 2 * LN2, 20 + 2 * LN2]])
    gains = {("encoder", 0, 0): 0.0, ("encoder", 0, 1): 0.5}
    output, captured = run_module(heads, tensors, dials=Dials(gains))
    close("gains", output, [[10, 20 + LN2]] * 3)
    close("weights stay", captured["encoder.0.weights"],
          [TOKEN_PATTERNS["current"], TOKEN_PATTERNS["last"]])
    lent = Dials(patterns={("encoder", 0, 0): ("next", "token")})
    output, captured = run_module([learned(), heads[1]],
                                  tensors | {"q.weight": [[9.0, 9.0]], "k.weight": [[9.0, 9.0]]},
                                  dials=lent)
    close("a pattern at run time", captured["encoder.0.weights"][0], TOKEN_PATTERNS["next"])
    # `next` gives values ln 2, 2 ln 2 and nothing.
    close("a pattern at run time", output[:, 0], [10 + LN2, 10 + 2 * LN2, 10])
