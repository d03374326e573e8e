"""Parallel text in two files, read line by line, as it may be larger than memory."""

import hashlib
import itertools

import numpy as np


def read_lines(path):
    """Yields lines of UTF-8 text; only a newline ends a line."""
    with open(path, encoding="utf-8", newline="\n") as file:
        try:
            for line in file:
                yield line.rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: not UTF-8: {error.reason}") from error


def count_lines(path):
    count, last = 0, b"\n"
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (last != b"\n")


def file_digest(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.digest()


def chunks(items, size=5000):
    """Lists of at most `size` items."""
    iterator = iter(items)
    while chunk := list(itertools.islice(iterator, size)):
        yield chunk


class Pairs:
    """Pairs of lines, read again for every use."""

    def __init__(self, paths, chosen=None):
        """paths: (source, target); chosen: for each line, whether it is one of the pairs; None: all
        are."""
        self.paths, self.chosen = tuple(paths), chosen
        counts = [count_lines(path) for path in paths]
        if counts[0] != counts[1]:
            raise ValueError(f"{paths[1]}: {counts[1]} lines, expected {counts[0]} as in {paths[0]}")
        if not counts[0]:
            raise ValueError(f"{paths[0]}: no line")
        self.lines = counts[0]

    def __len__(self):
        return self.lines if self.chosen is None else int(self.chosen.sum())

    def sample(self, count, seed):
        """Returns `count` of the pairs in the files' order; the same seed gives the same pairs."""
        if not count:
            return self
        if count > len(self):
            raise ValueError(f"{self.paths[0]}: {len(self)} pairs, expected at least {count}")
        indices = np.arange(self.lines) if self.chosen is None else np.flatnonzero(self.chosen)
        chosen = np.zeros(self.lines, dtype=bool)
        chosen[np.random.default_rng(seed).choice(indices, count, replace=False)] = True
        return Pairs(self.paths, chosen)

    def side(self, side):
        """Lines of the source (0) or the target (1)."""
        lines = read_lines(self.paths[side])
        return lines if self.chosen is None else itertools.compress(lines, self.chosen)

    def __iter__(self):
        return zip(self.side(0), self.side(1))

    def digest(self):
        """Changes with any line of the pairs, and with the choice of lines."""
        digest = hashlib.sha256()
        for path in self.paths:
            digest.update(file_digest(path))
        if self.chosen is not None:
            digest.update(np.packbits(self.chosen).tobytes())
        return digest.hexdigest()
