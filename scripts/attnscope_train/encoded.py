"""Encoded text in files: written once, then mapped, so that a batch reads its own pairs from disk.

PART.SIDE.ids, PART.SIDE.lengths and, where patterns need them, PART.SIDE.words hold numbers one
after the other; PART.json, which is written last, says what they were made of. Only lengths stay in
memory, and where each sequence ends: 12 bytes for each side of a pair."""

import contextlib
import hashlib
import json
import os

import numpy as np

from .checkpoint import replacing
from .config import uses_words
from .data import Corpus
from .pairs import chunks
from .prepare import SIDES

VERSION = 1


class Ragged:
    """Sequences of numbers of any length, one after the other in a flat array."""

    def __init__(self, values, lengths):
        self.values, self.lengths = values, lengths
        self.ends = np.cumsum(lengths, dtype=np.int64)

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        end = self.ends[index]
        return self.values[end - self.lengths[index]:end]


def encode_pairs(folder, part, pairs, setup):
    """Writes the files of a part (train, valid) unless they exist and were made from the same."""
    made_of = describe(pairs, setup)
    if read_description(folder, part) == made_of:
        return
    os.makedirs(folder, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(description_path(folder, part))
    texts, words = setup.texts(), uses_words(setup.config)
    with contextlib.ExitStack() as stack:
        for side, text in enumerate(texts):
            names = ["ids", "lengths"] + ["words"] * words
            files = {name: stack.enter_context(replacing(data_path(folder, part, side, name)))
                     for name in names}
            for lines in chunks(pairs.side(side)):
                append(files, text, lines, id_type(setup, side))
    with replacing(description_path(folder, part)) as file:
        file.write(json.dumps(made_of, indent=1).encode())


def append(files, text, lines, kind):
    ids = text.encode(lines)
    write_numbers(files["lengths"], [len(s) for s in ids], np.int32)
    write_numbers(files["ids"], [i for s in ids for i in s], kind)
    if "words" in files:
        write_numbers(files["words"], [w for s in text.words(lines) for w in s], np.int32)


def write_numbers(file, numbers, kind):
    file.write(np.array(numbers, dtype=kind).tobytes())


def id_type(setup, side):
    return np.uint16 if setup.sizes()[side] <= 1 << 16 else np.int32


def data_path(folder, part, side, name):
    return os.path.join(folder, f"{part}.{SIDES[side]}.{name}")


def description_path(folder, part):
    return os.path.join(folder, f"{part}.json")


def describe(pairs, setup):
    """Returns everything that the files depend on."""
    config = {key: setup.config[key] for key in ("tokenizer", "special", "source", "target",
                                                 "source_language", "target_language")}
    digest = hashlib.sha256(json.dumps(config, sort_keys=True).encode())
    for content in (*setup.tokenizers, *("\n".join(v).encode() for v in setup.vocabularies)):
        digest.update(hashlib.sha256(content).digest())
    return {"version": VERSION, "pairs": len(pairs), "text": pairs.digest(),
            "tokenization": digest.hexdigest(), "words": uses_words(setup.config)}


def read_description(folder, part):
    try:
        with open(description_path(folder, part), encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def read_numbers(path, kind, count):
    """Maps numbers from a file, so that only those used are read."""
    size, expected = os.path.getsize(path), count * np.dtype(kind).itemsize
    if size != expected:
        raise ValueError(f"{path}: {size} bytes, expected {expected}; text is encoded again where "
                         "its folder has been removed")
    # An empty file cannot be mapped; slices of a memmap cost more than those of an array.
    return np.asarray(np.memmap(path, dtype=kind, mode="r")) if count else np.empty(0, dtype=kind)


def open_corpus(folder, part, setup):
    """Returns the Corpus that encode_pairs() has written."""
    description = read_description(folder, part)
    if description is None:
        raise ValueError(f"{description_path(folder, part)}: absent, expected a folder that all "
                         "processes see")
    sides, words = [], []
    for side in range(2):
        path = data_path(folder, part, side, "lengths")
        lengths = np.array(read_numbers(path, np.int32, description["pairs"]))
        total = int(lengths.sum(dtype=np.int64))
        path = data_path(folder, part, side, "ids")
        sides.append(Ragged(read_numbers(path, id_type(setup, side), total), lengths))
        if description["words"]:
            path = data_path(folder, part, side, "words")
            words.append(Ragged(read_numbers(path, np.int32, total), lengths))
    return Corpus(tuple(sides), tuple(words) or None, setup.texts())
