#!/usr/bin/env python3
"""Writes tests/golden/text/toolkits: tokenisers as toolkits keep them, and what the packages make of texts.

    pip install tokenizers==0.23.3 sentencepiece protobuf pyonmttok sacremoses subword-nmt
    python scripts/golden/make_tokenizer_golden.py

As make_text_golden.py: NAME is the tokeniser's file, NAME.tsv has a text, its pieces joined by a line break, and the text
that they are decoded to, a case a line. An unknown piece is "<unk>". Of the joiner NAME.tsv has pieces and their text alone.
"""

import json
import random

import pyonmttok
import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from make_text_golden import OUT, TEXTS, TRAINING, table

TOOLKITS = OUT / "toolkits"
LONGEST, SHORT = 10000, 300  # characters of a text; only some of the tables have long ones

HARD = TEXTS + [
    "  leading blanks", "trailing blanks  ", "   both   and  between   ", "a  b   c    d", "\u3000wide\u3000blanks\u3000",
    "It's we've I'm you'll they'd don't DON'T 'tis ''s", "x123y 45.67 ²³ Ⅻ ½", "!!??...--", " !a !b", "a\u00a0b\u2003c",
    "bell\x07 escape\x1b[31m delete\x7f next\x85line", "e\u0301 vs é, \u1e69 s\u0323\u0307", "각 vs 각",
    "👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ☕️", "がぎぐげご ガギグゲゴ ｶﾞｷﾞ", "ｆｕｌｌ　ｗｉｄｔｈ", "𝒻𝒶𝓃𝒸𝓎 𠮷野家", "\ufeffmark and\u200dzwj",
    "ﷺ ﬀ ㎏ ™", "קָמַץ नमस्ते สวัสดี", "lamp" * 300, "灯" * 500, "a b " * 400, "￭ joiner ￭s", "Ġ Ċ ▁ Ã¼",
]


def escape_pieces(pieces):
    return "\n".join(pieces)


def rows_of(tokenizer, longest):
    """A text that spells the unknown piece is another here: it is text."""
    for text in HARD:
        if len(text) > longest or ("<unk>" in text and tokenizer.token_to_id("<unk>") is not None):
            continue
        encoded = tokenizer.encode(text, add_special_tokens=False)
        yield text, escape_pieces(tokenizer.id_to_token(i) for i in encoded.ids), tokenizer.decode(encoded.ids, skip_special_tokens=False)


def write_json(name, tokenizer, longest=LONGEST):
    tokenizer.save(str(TOOLKITS / f"{name}.json"), pretty=False)
    table(f"toolkits/{name}.json.tsv", rows_of(tokenizer, longest))


def byte_level():
    """BART's: vocab.json and merges.txt."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    lines = [merge if isinstance(merge, str) else " ".join(merge) for merge in merges]
    (TOOLKITS / "merges.txt").write_bytes(("#version: 0.2\n" + "\n".join(lines) + "\n").encode())
    table("toolkits/merges.txt.tsv", rows_of(tokenizer, LONGEST))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    write_json("bytes", tokenizer)


def charsmap():
    """Of the small table of rules that a SentencePiece model has here."""
    from sentencepiece import sentencepiece_model_pb2 as schema
    model = schema.ModelProto()
    model.ParseFromString((OUT / "rules.model").read_bytes())
    return model.normalizer_spec.precompiled_charsmap


def unigram(name, normalizer, cutter, fallback=False, longest=SHORT):
    """The pieces of a SentencePiece model, as transformers exports them."""
    model = sentencepiece.SentencePieceProcessor(model_file=str(OUT / ("bytes.model" if fallback else "unigram.model")))
    vocab = [(model.id_to_piece(i), model.get_score(i)) for i in range(model.get_piece_size())]
    tokenizer = Tokenizer(models.Unigram(vocab, model.unk_id(), byte_fallback=fallback))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, cutter
    metaspace = decoders.Metaspace()
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), metaspace]) if fallback else metaspace
    write_json(name, tokenizer, longest)


def merged(name, scheme, fallback, longest):
    """BPE after Metaspace, as NLLB has it."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=fallback))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    bytes_ = [f"<0x{i:02X}>" for i in range(256)] if fallback else []
    tokenizer.train_from_iterator([line for line in TRAINING if line.isascii()], trainers.BpeTrainer(
        vocab_size=200 + len(bytes_), special_tokens=["<unk>"] + bytes_, show_progress=False))
    saved = json.loads(tokenizer.to_str())
    saved["added_tokens"] = saved["added_tokens"][:1]
    tokenizer = Tokenizer.from_str(json.dumps(saved))
    metaspace = decoders.Metaspace(prepend_scheme=scheme)
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), metaspace]) if fallback else metaspace
    write_json(name, tokenizer, longest)


def prepended():
    """BPE of a SentencePiece model, as Llama's converter writes it: the normalizer makes the marks. Older files do not
    name the kind of the model."""
    tokenizer = Tokenizer.from_file(str(TOOLKITS / "merges-fallback.json"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = None
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    write_json("prepended", tokenizer, SHORT)
    path = TOOLKITS / "prepended.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    del saved["model"]["type"]
    path.write_text(json.dumps(saved, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def ended():
    """BPE of words, the last piece of which has the end of the word, as CharBPETokenizer has it."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.BPEDecoder()
    tokenizer.train_from_iterator([line for line in TRAINING if line.isascii()], trainers.BpeTrainer(
        vocab_size=220, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False))
    write_json("ended", tokenizer, SHORT)


def fastbpe():
    """The codes of subword-nmt with fastBPE's third column, which says the same."""
    lines = (OUT / "codes").read_text(encoding="utf-8").split("\n")[1:-1]
    choose = random.Random(3)
    codes = "".join(f"{line} {choose.randint(1, 999)}\n" for line in lines)
    (TOOLKITS / "fastbpe.codes").write_bytes(codes.encode())


def joiner():
    """Pieces of the Tokenizer of OpenNMT, which this program is given, and their text."""
    rows = []
    for options in ({"mode": "aggressive"}, {"mode": "conservative", "bpe_model_path": str(OUT / "codes")}):
        tokenizer = pyonmttok.Tokenizer(joiner_annotate=True, **options)
        for text in HARD:
            pieces = tokenizer(text)
            rows.append((escape_pieces(pieces), tokenizer.detokenize(pieces)))
    table("toolkits/joiner.tsv", (row for row in rows if row[0] and " " not in row[0]))


def main():
    TOOLKITS.mkdir(parents=True, exist_ok=True)
    byte_level()
    table_of_rules = charsmap()
    metaspace = pre_tokenizers.Metaspace()
    unigram("plain", None, metaspace, longest=LONGEST)
    unigram("precompiled", normalizers.Sequence([
        normalizers.Precompiled(table_of_rules), normalizers.Strip(left=False, right=True),
        normalizers.Replace(Regex(" {2,}"), "▁")]), metaspace)
    unigram("words", normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]),
            pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace]))
    unigram("fallback", normalizers.Replace(Regex(" {2,}"), " "), pre_tokenizers.Metaspace(prepend_scheme="first"), True)
    merged("merges", "always", False, SHORT)
    merged("merges-fallback", "never", True, LONGEST)
    prepended()
    ended()
    fastbpe()
    joiner()


if __name__ == "__main__":
    main()
