"""Makes a configuration, vocabularies and subword models from options and text files."""

import dataclasses
import itertools

from .config import ConfigError, check_config, complete, merge, read_config
from .options import config_of_options
from .pairs import read_lines
from .text import Text
from .tokenizer import SPECIALS, SentencePieceTokenizer, count_pieces, learn_codes, \
    learn_sentencepiece, open_tokenizer

SIDES = ("source", "target")


@dataclasses.dataclass
class Setup:
    """All that is in a checkpoint besides the weights; sides are (source, target)."""
    config: dict
    vocabularies: tuple
    tokenizers: tuple       # bytes of the subword models

    def texts(self):
        return tuple(Text(self.config, *side)
                     for side in zip(SIDES, self.tokenizers, self.vocabularies))

    def sizes(self):
        return tuple(len(v) for v in self.vocabularies)


def prepare(options, pairs):
    """pairs: pairs.Pairs to learn subwords and vocabularies from."""
    asked = merge(read_config(options.config) if options.config else {},
                  config_of_options(options))
    config = complete(asked)
    kind = config["tokenizer"]["kind"]
    prepared = prepared_lines(config, pairs)
    shared = shares_vocabulary(options, config)
    tokenizers = subword_models(options, kind, prepared, shared)
    vocabularies = find_vocabularies(options, kind, tokenizers, prepared, shared)
    config = with_special_ids(config, vocabularies)
    setup = Setup(config, vocabularies, tokenizers)
    check_config(config, setup.sizes())
    if tied_across(config) and vocabularies[0] != vocabularies[1]:
        raise ConfigError("tied: source and target embeddings are one, but the vocabularies differ")
    return setup


def tied_across(config):
    return "source_embedding" in config.get("tied", {}).values()


def shares_vocabulary(options, config):
    if options.separate_vocabularies and tied_across(config):
        raise ConfigError("--separate-vocabularies: one embedding for source and target needs one "
                          "vocabulary; use --tied output or none")
    return not options.separate_vocabularies


class PreparedLines:
    """One side of the training text as the subword tokeniser will see it, read for every use."""

    def __init__(self, text, pairs, side):
        self.text, self.pairs, self.side = text, pairs, side

    def __iter__(self):
        return map(self.text.prepare, self.pairs.side(self.side))


def prepared_lines(config, pairs):
    bare = merge(config, {"tokenizer": {"kind": "whitespace"},
                          "special": {"pad": 0, "eos": 0, "unk": 0},
                          "source": {"prefix": [], "suffix": []}, "target": {"start": []}})
    return tuple(PreparedLines(Text(bare, side, b"", []), pairs, i)
                 for i, side in enumerate(SIDES))


def both(make, groups):
    """Returns make(lines) for the two sides together, or for each."""
    made = [make(group) for group in groups]
    return (made[0], made[0]) if len(made) == 1 else tuple(made)


def side_groups(lines, shared):
    return [itertools.chain(*lines)] if shared else list(lines)


def read_sides(paths, read):
    """Reads one file for both sides, or two."""
    return both(read, paths)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def read_vocabulary(path):
    pieces = list(read_lines(path))
    if "" in pieces:
        raise ValueError(f"{path}: line {pieces.index('') + 1}: empty, expected a piece")
    return pieces


def subword_models(options, kind, lines, shared):
    if kind == "whitespace":
        return b"", b""
    if options.subwords:
        return read_sides(options.subwords, read_bytes)
    groups = side_groups(lines, shared)
    if kind == "bpe":
        return both(lambda ls: learn_codes(ls, options.merges), groups)
    return both(lambda ls: learn_sentencepiece(ls, options.vocabulary_size, options.subword_model,
                                               options.character_coverage, options.seed), groups)


def find_vocabularies(options, kind, tokenizers, lines, shared):
    if options.vocab:
        return read_sides(options.vocab, read_vocabulary)
    if kind == "sentencepiece":
        return tuple(SentencePieceTokenizer(content).own_pieces() for content in tokenizers)
    # If each side has its own codes, they are applied only to that side's text.
    if shared and tokenizers[0] == tokenizers[1]:
        tokenizer = open_tokenizer(kind, tokenizers[0])
        pieces = count_pieces(tokenizer, itertools.chain(*lines), options.vocabulary_size)
        return pieces, pieces
    return tuple(count_pieces(open_tokenizer(kind, content), side, options.vocabulary_size)
                 for content, side in zip(tokenizers, lines))


def with_special_ids(config, vocabularies):
    """If the configuration names no special ids, they are the pieces spelled <pad> and so on."""
    names = dict(zip(("pad", "bos", "eos", "unk"), SPECIALS))

    def find(name, side):
        given = config.get("special", {}).get(name)
        if given is not None:
            return given[side] if isinstance(given, dict) else given
        if names[name] not in vocabularies[SIDES.index(side)]:
            raise ConfigError(f"special.{name}: absent, and the {side} vocabulary has no piece "
                              f"{names[name]}")
        return vocabularies[SIDES.index(side)].index(names[name])

    special = {}
    for name in ("pad", "eos", "unk"):
        ids = {side: find(name, side) for side in SIDES}
        special[name] = ids["source"] if ids["source"] == ids["target"] else ids
    config = dict(config, special=special)
    if "source" not in config:
        config["source"] = {"prefix": [], "suffix": [find("eos", "source")]}
    if "target" not in config:
        config["target"] = {"start": [find("bos", "target")]}
    return config
