"""Attention that depends on positions alone: fixed patterns and masks.

Patterns: Raganato, Scherrer and Tiedemann 2020, section 3.2. Masks: Cui et al. 2019, eq. 8-11.
"""

import torch


def cubic(ranks):
    """j -> rank(j)^3 over their sum, for a dict j -> rank."""
    total = sum(rank**3 for rank in ranks.values())
    return {j: rank**3 / total for j, rank in ranks.items()}


def pattern_row(pattern, i, n):
    """Row i over n positions as {j: weight}; empty where no position is left.

    i may be n or more: in cross-attention a target may be longer than its source."""
    if pattern in ("current", "previous", "next", "last"):
        j = {"current": i, "previous": i - 1, "next": i + 1, "last": n - 1}[pattern]
        return {j: 1.0} if 0 <= j < n else {}
    begin, end = {"left_context": (0, i - 1), "right_context": (i + 2, n),
                  "sentence_end": (0, n), "sentence_start": (0, n)}[pattern]
    rising = pattern in ("left_context", "sentence_end")
    return cubic({j: j + 1 if rising else n - j for j in range(max(begin, 0), min(end, n))})


def pattern_matrix(pattern, query_words, key_words, causal):
    """weights[rows, columns] of a pattern over words; tokens are words of one token each.

    A row sees all keys, or when causal those up to its own; n is the number of words it sees, and
    each word's weight is shared equally among the tokens of it that the row sees."""
    weights = torch.zeros(len(query_words), len(key_words), dtype=torch.float64)
    for row, i in enumerate(query_words):
        seen = key_words[: row + 1] if causal else key_words
        share = pattern_row(pattern, i, seen[-1] + 1)
        for column, word in enumerate(seen):
            weights[row, column] = share.get(word, 0.0) / seen.count(word)
    return weights


def mask_allows(mask, i, j):
    """Of one pair or, element by element, of matrices of row and column numbers."""
    if mask == "global":
        return i == i
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
