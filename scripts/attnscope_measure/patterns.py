"""Fixed patterns as section 3.2 of Raganato, Scherrer and Tiedemann 2020 defines them, for encoders.

Written from the formulas, apart from the program and from scripts/attnscope_reference."""

import numpy as np

BEGINNING = "▁"     # of a word, in SentencePiece's pieces


def one(j, n):
    """All weight on place j, if it exists."""
    return (np.arange(n) == j).astype(np.float64)


def cubic(rank, among):
    """rank^3 over its sum among the places that count; zeros if there are none."""
    weights = np.where(among, np.asarray(rank, np.float64) ** 3, 0)
    return weights / weights.sum() if weights.any() else weights


def gaussian(away, deviation):
    """The density of a normal distribution at a distance from its mean."""
    return np.exp(-(away / deviation) ** 2 / 2) / (deviation * np.sqrt(2 * np.pi))


def pattern_row(pattern, i, n):
    name, *shape = pattern if isinstance(pattern, tuple) else (pattern,)
    j = np.arange(n)
    return {"current": lambda: one(i, n),
            "previous": lambda: one(i - 1, n),
            "next": lambda: one(i + 1, n),
            "last": lambda: one(n - 1, n),
            "left_context": lambda: cubic(j + 1, j <= i - 2),
            "right_context": lambda: cubic(n - j, j >= i + 2),
            "sentence_end": lambda: cubic(j + 1, j >= 0),
            "sentence_start": lambda: cubic(n - j, j >= 0),
            "gaussian": lambda: gaussian(j - i - shape[0], shape[1])}[name]()


def pattern_matrix(pattern, words):
    """Weights [tokens, tokens]. words: the number of each token's word, from 0 without a gap; for the
    patterns over tokens each is a word. A word's weight is shared equally among its tokens."""
    words = np.asarray(words)
    count = int(words[-1]) + 1
    over_words = np.stack([pattern_row(pattern, i, count) for i in range(count)])
    return over_words[words][:, words] / np.bincount(words)[words]


def word_numbers(tokens):
    """Returns the word of each of a sentence's SentencePiece tokens; end-of-sentence, the last
    token, is a word."""
    numbers = [0]
    for i, token in enumerate(tokens[1:], start=1):
        begins = token.startswith(BEGINNING) or i == len(tokens) - 1
        numbers.append(numbers[-1] + begins)
    return numbers
