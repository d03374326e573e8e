"""Converts text to ids and back: pretokeniser, subword tokeniser, vocabulary and special tokens."""

import functools

import sacremoses

from word_scripts import scripts_part, spacing_of

from .tokenizer import open_tokenizer


class Text:
    """One side of a model: everything between a line and its ids."""

    def __init__(self, config, side, tokenizer_bytes, pieces):
        self.side, self.pieces = side, pieces
        options = config["tokenizer"]
        self.tokenizer = open_tokenizer(options["kind"], tokenizer_bytes)
        self.lowercase = options.get("lowercase", False)
        self.moses = options.get("pretokenizer", "none") == "moses"
        language = config[f"{side}_language"] or "en"
        self.moses_tokenizer = sacremoses.MosesTokenizer(lang=language) if self.moses else None
        self.moses_detokenizer = sacremoses.MosesDetokenizer(lang=language) if self.moses else None
        self.ids = {}
        for i, piece in enumerate(pieces):
            self.ids.setdefault(piece, i)   # of duplicates the lowest id wins
        self.pad, self.eos, self.unk = (special_id(config, name, side)
                                        for name in ("pad", "eos", "unk"))
        if side == "source":
            self.before, self.after = config["source"]["prefix"], config["source"]["suffix"]
        else:
            self.start = config["target"]["start"]
            self.before = self.start + config["target"].get("prefix", [])
            self.after = [self.eos]

    def prepare(self, line):
        """Returns the text that the subword tokeniser gets."""
        if self.moses:
            line = self.moses_tokenizer.tokenize(line, return_str=True)
        return line.lower() if self.lowercase else line

    def encode(self, lines):
        """Returns for every line its ids with special tokens around them."""
        return [self.before + self.look_up(pieces) + self.after for pieces in self.cut(lines)]

    def cut(self, lines):
        return self.tokenizer.cut([self.prepare(line) for line in lines])

    def look_up(self, pieces):
        return [self.ids.get(piece, self.unk) for piece in pieces]

    def words(self, lines):
        """Returns for every line the word that each of its tokens belongs to, counted from 0.

        Source words come from the pieces as they were split, target words from the vocabulary."""
        return [self.word_indices(pieces if self.side == "source"
                                  else [self.pieces[i] for i in self.look_up(pieces)])
                for pieces in self.cut(lines)]

    def word_indices(self, pieces):
        begins = [True] * len(self.before)
        begins += [i == 0 or self.begins_word(pieces[i - 1], piece) for i, piece in enumerate(pieces)]
        begins += [True] * len(self.after)
        return running_count(begins)

    def begins_word(self, previous, piece):
        """Without blanks, scripts tell words apart."""
        letters = self.tokenizer.letters
        return self.tokenizer.begins_word(previous, piece) or (
            self.spacing is not None and scripts_part(self.spacing, letters(previous), letters(piece)))

    @functools.cached_property
    def spacing(self):
        """Returns how words are told apart in texts of this vocabulary."""
        return spacing_of([(self.tokenizer.letters(piece), self.tokenizer.is_marked(piece))
                           for piece in self.pieces])

    def decode(self, ids):
        """Returns the plain text of produced ids, without end-of-sentence."""
        line = self.tokenizer.join([self.pieces[i] for i in ids if i != self.eos])
        return self.moses_detokenizer.detokenize(line.split(" ")) if self.moses else line


def running_count(begins):
    indices, count = [], -1
    for begin in begins:
        count += begin
        indices.append(count)
    return indices


def special_id(config, name, side):
    value = config["special"][name]
    return value[side] if isinstance(value, dict) else value
