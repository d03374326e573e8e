"""Attention that depends on positions alone: fixed patterns and masks.

Patterns: Raganato, Scherrer and Tiedemann 2020, section 3.2; Gaussian ones, whose name is
("gaussian", offset, deviation): You, Sun and Iyyer 2020, section 3. Masks: Cui et al. 2019, eq. 8-11.
"""

import functools
import math
from collections import Counter

import torch


def cubic(ranks):
    """j -> rank(j)^3 over their sum, for a dict j -> rank."""
    total = sum(rank**3 for rank in ranks.values())
    return {j: rank**3 / total for j, rank in ranks.items()}


def pattern_row(pattern, i, n):
    """Row i over n positions as {j: weight}; empty where no position is left.

    i may be n or more: in cross-attention a target may be longer than its source."""
    if isinstance(pattern, tuple):
        _, offset, deviation = pattern
        return {j: math.exp(-(j - i - offset)**2 / (2 * deviation**2)) / (deviation * math.sqrt(2 * math.pi))
                for j in range(n)}
    if pattern in ("current", "previous", "next", "last"):
        j = {"current": i, "previous": i - 1, "next": i + 1, "last": n - 1}[pattern]
        return {j: 1.0} if 0 <= j < n else {}
    begin, end = {"left_context": (0, i - 1), "right_context": (i + 2, n),
                  "sentence_end": (0, n), "sentence_start": (0, n)}[pattern]
    rising = pattern in ("left_context", "sentence_end")
    return cubic({j: j + 1 if rising else n - j for j in range(max(begin, 0), min(end, n))})


@functools.lru_cache(maxsize=4096)
def pattern_matrix(pattern, query_words, key_words, causal):
    """weights[rows, columns] of a pattern over words (tuples); tokens are words of one token each.

    A row sees all keys, or when causal those up to its own; n is the number of words it sees, and
    each word's weight is shared equally among the tokens of it that the row sees."""
    rows = []
    for row, i in enumerate(query_words):
        seen = key_words[: row + 1] if causal else key_words
        share, tokens = pattern_row(pattern, i, seen[-1] + 1), Counter(seen)
        rows.append([share.get(word, 0.0) / tokens[word] for word in seen]
                    + [0.0] * (len(key_words) - len(seen)))
    return torch.tensor(rows, dtype=torch.float64)


def mask_allows(mask, i, j):
    """Whether row i may see column j; i and j are matrices of such numbers."""
    if mask == "global":
        return torch.ones_like(i, dtype=torch.bool)
    if mask == "forward":
        return j >= i
    if mask == "backward":
        return j <= i
    return abs(i - j) <= mask["local"]


def mask_matrix(mask, rows, columns, causal):
    """allowed[rows, columns]. Causality and the mask intersect; j = i is in every mask."""
    i = torch.arange(rows)[:, None].expand(rows, columns)
    j = torch.arange(columns)[None, :].expand(rows, columns)
    allowed = mask_allows(mask, i, j)
    return allowed & (j <= i) if causal else allowed
