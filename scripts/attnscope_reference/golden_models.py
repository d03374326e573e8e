"""What the table of golden models is written with."""

from dataclasses import dataclass, field

PATTERNS = ("current", "previous", "next", "left_context", "right_context", "sentence_end",
            "sentence_start", "last")


@dataclass(frozen=True)
class Case:
    """words: length of the source sentence. target: `best` (the best hypothesis) or `random`.
    gains, masks: {(module, layer, head): value}; patterns: {...: (pattern, unit)}."""

    words: int
    target: str = "best"
    beam: int | None = None
    unknown: bool = False
    text: tuple | None = None  # (source, target) to take instead of random ones
    gains: dict = field(default_factory=dict)
    masks: dict = field(default_factory=dict)
    patterns: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Tiny:
    """A model: its configuration's differences from `base`, how its file is made, its cases.

    subword: {kind: whitespace, sentencepiece (size, model, normalization) or bpe (size, merges)}
    shared: one vocabulary and one tokeniser for both sides
    absent: names of optional tensors to leave out (shell patterns)"""

    name: str
    config: dict
    cases: list
    subword: dict = field(default_factory=lambda: {"kind": "whitespace"})
    shared: bool = False
    specials: dict = field(default_factory=lambda: {0: "<pad>", 1: "<s>", 2: "</s>", 3: "<unk>"})
    target_specials: dict | None = None  # where they differ
    dtype: str = "float32"
    absent: tuple = ()
    end_share: float = 0.2  # of decoder states in which end-of-sentence wins; 0: as it comes
    untidy: bool = False  # unaligned tensors, no end of the vocabularies' last lines
    drop_pieces: int = 0  # last pieces of the subword model that the vocabulary lacks


def base():
    sinusoidal = {"kind": "sinusoidal", "layout": "halves", "offset": 0}
    return {
        "source_language": "en", "target_language": "de", "d_model": 16, "d_ff": 32,
        "activation": "relu", "norm": "post", "norm_eps": 1e-5, "embedding_scale": 4.0,
        "positions": {"encoder": sinusoidal, "decoder": sinusoidal},
        "encoder": {"layers": 2, "heads": 4, "head_dim": 4},
        "decoder": {"layers": 2, "heads": 4, "head_dim": 4},
        "attention": [], "tied": {"target_embedding": None, "output": None},
        "special": {"pad": 0, "eos": 2, "unk": 3},
        "source": {"prefix": [], "suffix": [2]}, "target": {"start": [1]},
        "tokenizer": {"kind": "whitespace", "pretokenizer": "none", "lowercase": False},
        "max_positions": 64,
        "search": {"beam": 5, "length_penalty": {"kind": "average", "alpha": 1.0},
                   "max_length": {"factor": 1.2, "plus": 4}}}


def learned(mask="global", alpha=None):
    return {"energy": "learned", "mask": mask} | ({} if alpha is None else {"alpha": alpha})


def fixed(*patterns, unit="token"):
    return [{"energy": "fixed", "pattern": pattern, "unit": unit} for pattern in patterns]


def rule(stack, kind, layers=None, **dials):
    where = {"stack": stack, "kind": kind}
    return where | ({} if layers is None else {"layers": layers}) | dials


def size(layers, heads, head_dim):
    return {"layers": layers, "heads": heads, "head_dim": head_dim}


def positions(kind, layout="halves", offset=0):
    # Not every kind has a layout, but none may leave it out here.
    return {"kind": kind, "layout": layout, "offset": offset}


def search(beam, kind, alpha, factor=1.2, plus=4, offset=0):
    return {"beam": beam, "length_penalty": {"kind": kind, "alpha": alpha} | ({"offset": offset} if offset else {}),
            "max_length": {"factor": factor, "plus": plus}}


def context(*vectors, gate="token", sides="qk"):
    return {"vectors": list(vectors), "gate": gate, "sides": sides}


def dhicm(d_m):
    return {"kind": "dhicm", "d_m": d_m}
