"""Tokenisers, vocabularies, word boundaries and detokenisation."""

import io
import re
from dataclasses import dataclass

import sentencepiece
from subword_nmt.apply_bpe import BPE

from word_scripts import scripts_part, spacing_of

WORD_START = "\u2581"
JOINER = "@@"


@dataclass(frozen=True)
class Sentence:
    """tokens are the pieces as cut, also where ids say unk; words number each position's word."""

    text: str
    tokens: list
    ids: list
    words: list


def moses(language):
    # Imported where needed: only checkpoints that ask for Moses need sacremoses.
    from sacremoses import MosesDetokenizer, MosesTokenizer
    return MosesTokenizer(language), MosesDetokenizer(language)


class Pieces:
    """One side's tokeniser: text -> pieces -> text."""

    def __init__(self, settings, language, data):
        self.kind = settings["kind"]
        self.lowercase = settings.get("lowercase", False)
        self.moses = moses(language) if settings.get("pretokenizer", "none") == "moses" else None
        if self.kind == "sentencepiece":
            self.model = sentencepiece.SentencePieceProcessor(model_proto=data)
        elif self.kind == "bpe":
            self.model = BPE(io.StringIO(data.decode("utf-8")))

    def cut(self, text):
        # Moses first, as in the usual preparation scripts: its abbreviations are case-sensitive.
        if self.moses:
            text = self.moses[0].tokenize(text, return_str=True)
        if self.lowercase:
            text = text.lower()
        if self.kind == "sentencepiece":
            return self.model.encode(text, out_type=str)
        if self.kind == "bpe":
            return [piece for piece in self.model.segment(text).split(" ") if piece]
        return [piece for piece in re.split("[ \t]+", text) if piece]

    def join(self, pieces, unknown):
        if self.kind == "sentencepiece":
            text = self.join_sentencepiece(pieces, unknown)
        else:
            text = " ".join(pieces)
        if self.kind == "bpe":
            text = re.sub(f"{JOINER} |{JOINER} ?$", "", text)
        return self.moses[1].detokenize(text.split(" ")) if self.moses else text

    def join_sentencepiece(self, pieces, unknown):
        # The library writes " \u2047 " for its unknown piece, but returns a piece it has never
        # heard of as it stands; the private character gets ours through.
        private = "\ue000"
        pieces = [private if piece == unknown else piece for piece in pieces]
        return self.model.decode_pieces(pieces).replace(private, unknown)


def begins_word(kind, previous, piece):
    """Whether `piece` begins a word after the piece `previous`."""
    if kind == "sentencepiece":
        return piece.startswith(WORD_START)
    if kind == "bpe":
        return not previous.endswith(JOINER)
    return True


def letters_of(kind, piece):
    """The piece without its marks."""
    if kind == "sentencepiece":
        return piece.removeprefix(WORD_START)
    return piece.removesuffix(JOINER) if kind == "bpe" and piece != JOINER else piece


def spacing(kind, vocabulary):
    """How words of texts of a vocabulary are told apart (word_scripts)."""
    if kind not in ("sentencepiece", "bpe"):
        return None
    return spacing_of([(letters_of(kind, piece), piece.startswith(WORD_START) if kind == "sentencepiece"
                        else not piece.endswith(JOINER)) for piece in vocabulary])


def number_words(kind, pieces, alone, spacing=None):
    """The word of every position. alone[i]: a word of its own (prefix, suffix, start,
    end-of-sentence), after which another begins."""
    words = [0]
    for i in range(1, len(pieces)):
        new = (alone[i] or alone[i - 1] or begins_word(kind, pieces[i - 1], pieces[i])
               or (spacing is not None and scripts_part(spacing, letters_of(kind, pieces[i - 1]), letters_of(kind, pieces[i]))))
        words.append(words[-1] + new)
    return words


class Text:
    """Both sides of a checkpoint's text processing."""

    def __init__(self, checkpoint):
        config = checkpoint.config
        self.checkpoint = checkpoint
        self.kind = config["tokenizer"]["kind"]
        self.source_pieces = Pieces(config["tokenizer"], config["source_language"],
                                    checkpoint.source_tokenizer)
        self.target_pieces = Pieces(config["tokenizer"], config["target_language"],
                                    checkpoint.target_tokenizer)
        self.source_ids, self.target_ids = (
            first_ids(vocab) for vocab in (checkpoint.source_vocab, checkpoint.target_vocab))
        self.spacing = [spacing(self.kind, vocab)
                        for vocab in (checkpoint.source_vocab, checkpoint.target_vocab)]

    def source(self, text):
        around = self.checkpoint.config["source"]
        vocab, eos = self.checkpoint.source_vocab, self.checkpoint.special("eos", "source")
        pieces = self.source_pieces.cut(text)
        unk = self.checkpoint.special("unk", "source")
        ids = around["prefix"] + [self.source_ids.get(p, unk) for p in pieces] + around["suffix"]
        tokens = [vocab[i] for i in around["prefix"]] + pieces
        tokens += [vocab[i] for i in around["suffix"]]
        first, last = len(around["prefix"]), len(ids) - len(around["suffix"])
        alone = [not first <= i < last or ids[i] == eos for i in range(len(ids))]
        return Sentence(text, tokens, ids, number_words(self.kind, tokens, alone, self.spacing[0]))

    def target(self, text):
        """Ids of a forced target, end-of-sentence included."""
        unk = self.checkpoint.special("unk", "target")
        ids = [self.target_ids.get(piece, unk) for piece in self.target_pieces.cut(text)]
        return self.checkpoint.config["target"].get("prefix", []) + ids + [self.checkpoint.special("eos", "target")]

    def target_tokens(self, ids):
        return [self.checkpoint.target_vocab[i] for i in ids]

    def target_words(self, ids):
        """The word of each decoder input, from the vocabulary's pieces: unk has forgotten what it
        stood for."""
        start, eos = len(self.checkpoint.config["target"]["start"]), \
            self.checkpoint.special("eos", "target")
        alone = [i < start or token == eos for i, token in enumerate(ids)]
        return number_words(self.kind, self.target_tokens(ids), alone, self.spacing[1])

    def target_text(self, ids):
        """Special tokens say nothing to a reader and are left out; unk is shown."""
        checkpoint = self.checkpoint
        hidden = {checkpoint.special(name, "target") for name in ("eos", "pad")} \
            | set(checkpoint.config["target"]["start"])
        unknown = checkpoint.target_vocab[checkpoint.special("unk", "target")]
        pieces = [checkpoint.target_vocab[i] for i in ids if i not in hidden]
        return self.target_pieces.join(pieces, unknown)


def first_ids(vocab):
    """piece -> id; of duplicates the lowest id wins."""
    ids = {}
    for i, piece in enumerate(vocab):
        ids.setdefault(piece, i)
    return ids
