"""Parallel text as token ids, in batches of similar length."""

import dataclasses

import numpy as np
import torch


@dataclasses.dataclass
class Side:
    """One side of a batch, padded on the right."""
    ids: torch.Tensor                   # (B, T)
    lengths: torch.Tensor               # (B,)
    words: torch.Tensor | None = None   # (B, T), word of each token; where patterns need it

    def rows(self, chosen):
        return Side(self.ids[chosen], self.lengths[chosen],
                    None if self.words is None else self.words[chosen])


@dataclasses.dataclass
class Batch:
    source: Side
    inputs: Side            # of the decoder: start tokens, then the target
    labels: torch.Tensor    # (B, T), what follows each input
    scored: torch.Tensor    # (B, T), labels that are neither padding nor start tokens


def padded(sequences, pad, device):
    width = max(len(s) for s in sequences)
    out = np.full((len(sequences), width), pad, dtype=np.int64)
    for row, s in zip(out, sequences):
        row[:len(s)] = s
    return torch.from_numpy(out).to(device)


def make_side(sequences, words, pad, device):
    lengths = torch.tensor([len(s) for s in sequences], device=device)
    return Side(padded(sequences, pad, device), lengths,
                None if words is None else padded(words, 0, device))


class Corpus:
    """Encoded pairs. A source has its prefix and suffix, a target its start tokens and end."""

    def __init__(self, sides, words, texts):
        """sides: (source, target), each an encoded.Ragged; words: the same of words, or None;
        texts: the two sides' text.Text."""
        self.source, self.target = sides
        self.words = words
        self.pads = tuple(t.pad for t in texts)
        self.bare = tuple(len(t.before) + len(t.after) for t in texts)
        self.start = len(texts[1].start)

    def __len__(self):
        return len(self.target)

    def keep(self, longest):
        """Returns the indices of the pairs to train on: neither side empty or longer than
        `longest`."""
        s, t = self.source.lengths, self.target.lengths
        return np.flatnonzero((s > self.bare[0]) & (t > self.bare[1])
                              & (s <= longest) & (t - 1 <= longest))

    def batches(self, indices, tokens, rng=None):
        """Returns lists of indices; in each, rows times longest target is at most `tokens`.

        Pairs of equal length are combined at random, and batches have random order (rng None:
        neither, for validation)."""
        order = indices if rng is None else rng.permutation(indices)
        order = order[np.lexsort((self.source.lengths[order], self.target.lengths[order]))]
        cuts, rows, longest = [], 0, 0
        # A source much longer than its target costs as much as its length.
        costs = np.maximum(self.target.lengths[order] - 1, self.source.lengths[order] // 2)
        for i, cost in enumerate(costs.tolist()):
            if rows and (rows + 1) * max(longest, cost) > tokens:
                cuts.append(i)
                rows, longest = 0, 0
            rows, longest = rows + 1, max(longest, cost)
        batches = np.split(order, cuts)
        if rng is not None:
            rng.shuffle(batches)
        return batches

    def batch(self, indices, device):
        words = (None, None)
        if self.words is not None:
            words = ([self.words[0][i] for i in indices], [self.words[1][i][:-1] for i in indices])
        targets = [self.target[i] for i in indices]
        source = make_side([self.source[i] for i in indices], words[0], self.pads[0], device)
        inputs = make_side([t[:-1] for t in targets], words[1], self.pads[1], device)
        labels = padded([t[1:] for t in targets], self.pads[1], device)
        column = torch.arange(labels.shape[1], device=device)
        # If there are several start tokens, only the last one predicts.
        scored = (column >= self.start - 1) & (column < inputs.lengths[:, None])
        return Batch(source, inputs, labels, scored)
