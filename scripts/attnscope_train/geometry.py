"""Which positions a row may see, and the weights of heads that follow a fixed pattern.

Fixed patterns: Raganato, Scherrer and Tiedemann 2020, section 3.2; Gaussian ones: You, Sun and Iyyer
2020, section 3. Masks: Cui et al. 2019, equations 8 to 11."""

import math

import torch


class Geometry:
    """The relation of queries to keys in one kind of attention module, for one batch.

    queries: lengths (B,) and padded width T; keys likewise, S. Words: word index of every
    position, (B, T) and (B, S), or None if no head needs words. Masks and patterns are
    built when first needed and shared by all layers."""

    def __init__(self, queries, keys, causal=False, query_words=None, key_words=None):
        self.query_lengths, width = queries
        self.key_lengths, key_width = keys
        device = self.query_lengths.device
        self.causal = causal
        self.i = torch.arange(width, device=device)[:, None]            # (T, 1)
        self.j = torch.arange(key_width, device=device)[None, :]        # (1, S)
        self.words = query_words, key_words
        self.padded = bool((self.key_lengths < key_width).any())
        self.bias = None    # (H, T, S), added to energies
        self.built = {}

    def cached(self, key, build):
        if key not in self.built:
            self.built[key] = build()
        return self.built[key]

    def query_valid(self):
        """(B, T): positions that are not padding."""
        return self.cached("valid", lambda: self.i[:, 0] < self.query_lengths[:, None])

    def key_valid(self):
        return self.cached("key valid", lambda: self.j < self.key_lengths[:, None])

    def visible(self):
        """(B or 1, T, S): what any head may see: no padding, and no future in the decoder.

        Padding is on the right, so the causal rows that count never reach it."""
        return self.cached("visible", lambda: (self.j <= self.i)[None] if self.causal
                           else self.key_valid()[:, None, :].expand(-1, len(self.i), -1))

    def key_mask(self):
        """(B, 1, 1, S), True for tokens; None without padding."""
        return self.key_valid()[:, None, None, :] if self.padded and not self.causal else None

    def visible_floats(self):
        """(B or 1, 1, T or 1, S) of 0 and 1; None if everything is visible."""
        def build():
            if self.causal:
                return self.visible()[:, None].float()
            return self.key_valid()[:, None, None, :].float() if self.padded else None
        return self.cached("visible floats", build)

    def allowed(self, mask):
        """(B or 1, T, S) for one mask of the configuration."""
        if mask == "global":
            return self.visible()
        if mask == "forward":
            return self.visible() & (self.j >= self.i)
        if mask == "backward":
            return self.visible() & (self.j <= self.i)
        return self.visible() & ((self.i - self.j).abs() <= mask["local"])

    def masks(self, masks):
        """(B or 1, heads, T, S) for the masks of several heads."""
        return self.cached(("masks", repr(masks)),
                           lambda: torch.stack([self.allowed(m) for m in masks], dim=1))

    def pattern(self, name, unit):
        """(B or 1, T, S): weights of one pattern; a row without any position left is all zeros."""
        return self.cached(("pattern", name, unit),
                           lambda: self.token_pattern(name) if unit == "token"
                           else self.word_pattern(name))

    def token_pattern(self, name):
        i = self.i[None]                                                # (1, T, 1)
        n = i + 1 if self.causal else self.key_lengths[:, None, None]
        return pattern_weights(name, i, self.j[None], n)

    def word_pattern(self, name):
        query_words, key_words = self.words
        i, w = query_words[:, :, None], key_words[:, None, :]           # (B, T, 1), (B, 1, S)
        last = torch.where(self.key_valid(), key_words, -1).amax(dim=1)
        n = i + 1 if self.causal else (last + 1)[:, None, None]
        words = torch.arange(int(last.max()) + 1, device=w.device)[None, None, :]
        weights = pattern_weights(name, i, words, n)                    # (B, T, words)
        columns = w.expand(-1, weights.shape[1], -1)
        weights = weights.gather(2, columns)
        # Divided equally among the word's tokens; in the decoder, among those seen so far.
        seen = self.visible() & self.key_valid()[:, None, :]
        same = (key_words[:, :, None] == w) & self.key_valid()[:, :, None]
        tokens = seen.float() @ same.float()
        return weights * seen / tokens.clamp(min=1)


def pattern_weights(name, i, j, n):
    """Weights of row i over 0 <= j < n; the arguments broadcast to (B, T, J)."""
    exists = j < n
    if isinstance(name, tuple):  # ("gaussian", offset, deviation), which is not renormalised
        _, offset, deviation = name
        away = (j - i - offset).double() / deviation
        return (torch.exp(-away**2 / 2) / (deviation * math.sqrt(2 * math.pi)) * exists).float()
    rising, falling = (j + 1).double() ** 3, (n - j).double() ** 3
    ones = torch.ones_like(rising)
    raw, chosen = {
        "current": lambda: (ones, j == i),
        "previous": lambda: (ones, j == i - 1),
        "next": lambda: (ones, j == i + 1),
        "left_context": lambda: (rising, j <= i - 2),
        "right_context": lambda: (falling, j >= i + 2),
        "sentence_end": lambda: (rising, j >= 0),
        "sentence_start": lambda: (falling, j >= 0),
        "last": lambda: (ones, j == n - 1),
    }[name]()
    raw = raw * (chosen & exists)
    return (raw / raw.sum(dim=-1, keepdim=True).clamp(min=1)).float()
