"""Subword tokenisers, opened from the bytes that a checkpoint carries, or learned from text."""

import collections
import io

import sentencepiece
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from .pairs import chunks

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")


class SentencePieceTokenizer:
    def __init__(self, model_bytes):
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model_bytes)

    def own_pieces(self):
        return [self.processor.id_to_piece(i) for i in range(self.processor.get_piece_size())]

    def cut(self, lines):
        return self.processor.encode(lines, out_type=str, num_threads=1)

    def join(self, pieces):
        return self.processor.decode(pieces)

    def begins_word(self, previous, piece):
        return self.is_marked(piece)

    def is_marked(self, piece):
        """True if its mark begins or ends a word."""
        return piece.startswith("\u2581")

    def letters(self, piece):
        return piece.removeprefix("\u2581")


class BpeTokenizer:
    """subword-nmt: `@@` at the end of a piece says that its word continues."""

    def __init__(self, codes):
        self.bpe = BPE(io.StringIO(codes.decode("utf-8")))

    def cut(self, lines):
        return [self.bpe.segment_tokens(blank_separated(line)) for line in lines]

    def join(self, pieces):
        line = " ".join(pieces).replace("@@ ", "")
        return line.removesuffix("@@")

    def begins_word(self, previous, piece):
        return self.is_marked(previous)

    def is_marked(self, piece):
        return not piece.endswith("@@")

    def letters(self, piece):
        return piece.removesuffix("@@")


class WhitespaceTokenizer:
    def __init__(self, _):
        pass

    def cut(self, lines):
        return [blank_separated(line) for line in lines]

    def join(self, pieces):
        return " ".join(pieces)

    def begins_word(self, previous, piece):
        return True

    def is_marked(self, piece):
        return True

    def letters(self, piece):
        return piece


def blank_separated(line):
    """Splits only at ASCII blanks and tabs: other spaces may be part of a piece."""
    return [piece for piece in line.replace("\t", " ").split(" ") if piece]


TOKENIZERS = {"sentencepiece": SentencePieceTokenizer, "bpe": BpeTokenizer,
              "whitespace": WhitespaceTokenizer}


def open_tokenizer(kind, content):
    return TOKENIZERS[kind](content)


def learn_sentencepiece(lines, size, model_type, coverage, seed):
    """Trains a model of `size` pieces, including special tokens; returns its bytes."""
    sentencepiece.set_random_generator_seed(seed)
    model = io.BytesIO()
    ids = {f"{name}_id": i for i, name in enumerate(("pad", "bos", "eos", "unk"))}
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=model, vocab_size=size,
            model_type=model_type, character_coverage=coverage, pad_piece=SPECIALS[0],
            bos_piece=SPECIALS[1], eos_piece=SPECIALS[2], unk_piece=SPECIALS[3], num_threads=1,
            minloglevel=1, **ids)
    except RuntimeError as error:
        raise ValueError(f"SentencePiece: {error}") from error
    return model.getvalue()


def learn_codes(lines, merges):
    """Learns subword-nmt's merge codes; returns their bytes."""
    codes = io.StringIO()
    learn_bpe((line + "\n" for line in lines), codes, merges)
    return codes.getvalue().encode("utf-8")


def count_pieces(tokenizer, lines, limit):
    """Returns a vocabulary: the special tokens, then pieces by frequency, ties in code point
    order."""
    counts = collections.Counter(piece for chunk in chunks(lines)
                                 for pieces in tokenizer.cut(chunk) for piece in pieces)
    for piece in SPECIALS:
        counts.pop(piece, None)
    ordered = sorted(counts, key=lambda piece: (-counts[piece], piece))
    if limit:
        ordered = ordered[:limit - len(SPECIALS)]
    return list(SPECIALS) + ordered
