#!/usr/bin/env python3
"""Writes tests/golden/text/added: tokenisers with added tokens, words cut at blanks, and pieces that end words.

    pip install tokenizers==0.23.3 sentencepiece subword-nmt
    python scripts/golden/make_added_tokens_golden.py

tokenizers 0.19 cuts around added tokens in another way.

NAME.json is a tokenizer.json, NAME.json.tsv has a text and its pieces, joined by blanks, a case a line. blanks.tsv has a text,
what separates its words, and the pieces that Python's str.split and subword-nmt cut it into, one a line. suffix.model is a
SentencePiece model whose marks end words, suffix.model.tsv has a text, its pieces and its words.
"""

import io
import json

import sentencepiece
from subword_nmt import apply_bpe
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from make_text_golden import OUT, TRAINING, table

ADDED = OUT / "added"

TOKENS = [
    AddedToken("<ent>", normalized=False), AddedToken("<entity>", normalized=False),
    AddedToken("<mask>", lstrip=True, normalized=False), AddedToken("<eat>", rstrip=True, normalized=False),
    AddedToken("<all>", lstrip=True, rstrip=True, normalized=False), AddedToken("word", single_word=True, normalized=False),
    AddedToken("<Low>", normalized=True), AddedToken("ｗide", normalized=True), AddedToken("</s>", normalized=False, special=True),
]

TEXTS = [
    "the <ent> sat", "the<ent>sat", "<ent>", "<ent><ent>", " <ent> ", "the <entity> sat", "the <entit> sat", "the  <mask>  sat",
    "the<mask>sat", "the <eat>  sat", "the <all>  sat", "the <all> <mask> <eat> <all> sat", "a word here", "a wordy word", "sword",
    "word", "_word word_ 9word", "wörd word", "éword", "(word)", "the <Low> <low> sat", "ｗide wide", "the</s>sat", "</s> the", "the </s>",
    "<en", "ent>", "< ent>", "the\u3000<mask>\u3000sat", "the\u00a0<eat>\u00a0sat", "wordword", "word word", "<<ent>>", "the sat  ", "  the",
]


def merges_of(texts):
    """A vocabulary of characters and a few merges."""
    letters = sorted({letter for text in texts for letter in text} | {"▁"} | set("abcdefghijklmnopqrstuvwxyz"))
    pieces = ["<unk>"] + letters + ["th", "▁th", "▁the", "at", "▁s", "▁sat"]
    merges = [("t", "h"), ("▁", "th"), ("▁th", "e"), ("a", "t"), ("▁", "s"), ("▁s", "at")]
    return {piece: i for i, piece in enumerate(pieces)}, merges


def tokenizer(steps, cutter):
    vocabulary, merges = merges_of(TEXTS)
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True))
    if steps:
        made.normalizer = steps
    made.pre_tokenizer = cutter
    made.decoder = decoders.Metaspace()
    made.add_tokens(TOKENS)
    return made


def write(name, made):
    made.save(str(ADDED / f"{name}.json"), pretty=False)
    # The name of the token itself, which the package has normalised.
    names = {token["id"]: token["content"] for token in json.loads(made.to_str())["added_tokens"]}
    table(f"added/{name}.json.tsv",
          ((text, " ".join(names.get(i, made.id_to_token(i)) for i in made.encode(text).ids)) for text in TEXTS))


def tokenizers():
    squeeze = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.Replace(Regex(" {2,}"), " ")])
    write("always", tokenizer(squeeze, pre_tokenizers.Metaspace(prepend_scheme="always")))
    write("first", tokenizer(None, pre_tokenizers.Metaspace(prepend_scheme="first")))
    write("words", tokenizer(None, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])))


def blanks():
    """A text with each kind of blank between "a" and "b"."""
    codes = apply_bpe.BPE(io.StringIO((OUT / "codes").read_text(encoding="utf-8")))
    separators = [" ", "  ", "\t", "\u00a0", "\u3000", "\u2028", "\u000b", "\u000c", "\u001c", "\u001f", "\u0085", "\u200b", " \t "]
    rows = []
    for separator in separators:
        text = f"the{separator}lamp ship"
        segmented = codes.process_line(text)
        rows += [(text, "whitespace space", "\n".join(part for part in text.split(" ") if part)),
                 (text, "whitespace unicode", "\n".join(text.split())),
                 (text, "whitespace pieces", "\n".join(text.split())),
                 (text, "bpe space", "\n".join(part for part in segmented.split(" ") if part)),
                 (text, "bpe unicode", "\n".join(part for word in text.split() for part in codes.process_line(word).split(" "))),
                 (text, "bpe pieces", "\n".join(segmented.split()))]
    table("added/blanks.tsv", rows)


def suffix():
    written = io.BytesIO()  # a file would contain its own path
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TRAINING), model_writer=written, vocab_size=170, model_type="bpe", treat_whitespace_as_suffix=True,
        normalization_rule_name="identity", hard_vocab_limit=False, minloglevel=2)
    (ADDED / "suffix.model").write_bytes(written.getvalue())
    model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    texts = ["the lamp", "The old dog sleeps here", "lighthouse  keeper ", "a"]
    table("added/suffix.model.tsv", ((text, " ".join(model.encode(text, out_type=str)), " ".join(text.split())) for text in texts))


def main():
    ADDED.mkdir(exist_ok=True)
    tokenizers()
    blanks()
    suffix()


if __name__ == "__main__":
    main()
