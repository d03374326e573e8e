#!/usr/bin/env python3
"""Writes tests/golden/text/mecab: a small dictionary of MeCab and the words that MeCab cuts with it.

Needs mecab-dict-index (Debian: mecab-utils) and the packages mecab-python3 and mecab-ko. Expected are the words of MeCab
without the penalty after blanks, and of mecab-ko with it. The table of characters, which is large, is not kept: the test
makes it again from `KINDS` as the compiler does.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import MeCab
import mecab_ko

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/golden/text/mecab")
INDEX = os.environ.get("MECAB_DICT_INDEX", "/usr/lib/mecab/mecab-dict-index")
PENALTY = "left-space-penalty-factor = 2,6000,3,3000\n"

# name: invoke, group, length, ranges
KINDS = {
    "DEFAULT": (0, 1, 0, []),
    "SPACE": (0, 1, 0, [(0x20, 0x20), (0x09, 0x09)]),
    "KANJI": (0, 0, 2, [(0x4E00, 0x9FFF)]),
    "KANA": (1, 1, 2, [(0x3041, 0x30FF)]),
    "ALPHA": (1, 1, 0, [(0x41, 0x5A), (0x61, 0x7A)]),
    "HANGUL": (0, 1, 2, [(0xAC00, 0xD7A3)]),
}
WORDS = [
    ("すもも", 1, 1, 3000, "N"), ("もも", 1, 1, 4000, "N"), ("も", 2, 2, 500, "J"), ("の", 2, 2, 500, "J"),
    ("うち", 1, 1, 3500, "N"), ("東京", 1, 1, 2500, "N"), ("東", 1, 1, 5000, "N"), ("京都", 1, 1, 2600, "N"),
    ("都", 1, 1, 4500, "N"), ("に", 2, 2, 600, "J"), ("住ん", 3, 3, 3000, "V"), ("で", 2, 2, 700, "J"),
    ("います", 3, 3, 2000, "V"), ("い", 3, 3, 4000, "V"), ("ます", 3, 3, 900, "V"), ("。", 0, 0, 100, "S"),
    ("ABC", 1, 1, 2000, "N"), ("이", 2, 2, 900, "J"), ("이외", 1, 1, 4500, "N"), ("외", 1, 1, 1500, "N"),
    ("의", 2, 2, 700, "J"), ("것", 1, 1, 2500, "N"), ("화학", 1, 1, 3000, "N"), ("나", 1, 1, 3500, "N"),
    ("는", 2, 2, 400, "J"), ("학생", 1, 1, 3000, "N"), ("입니다", 3, 3, 1500, "V"), ("학", 1, 1, 5000, "N"),
    ("나는", 3, 3, 4500, "V"), (".", 0, 0, 100, "S"), ("a", 1, 1, 100, "N"), ("a", 2, 2, 100, "J"),
]
CONNECT = [[0, -300, 400, 200], [100, 300, -900, 250], [-50, 100, 800, -400], [-500, 500, 300, 600]]
TEXTS = [
    "すもももももももものうち", "東京都に住んでいます。", "ABC ABCDE abc東京", "화학 이외의 것", "나는 학생입니다.", "나 는 학생 입니다 .",
    "가나다라 마바사 학생", "コンピュータのうち", "漢字仮名交じり文", "漢", "🙂東京🙂🙂 x", "नमस्ते", "a a aa aaa  a", "１２３,456",
    "あ" * 26 + "東", "가" * 30 + "것", "", "è東京é",
]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_sources(folder):
    write(f"{folder}/lex.csv", "".join(f"{w},{l},{r},{c},{p}\n" for w, l, r, c, p in WORDS))
    write(f"{folder}/matrix.def", "4 4\n" + "".join(f"{i} {j} {c}\n" for i, row in enumerate(CONNECT) for j, c in enumerate(row)))
    write(f"{folder}/unk.def", "".join(f"{kind},1,1,{6000 + 500 * i},N\n{kind},3,3,{6400 + 500 * i},V\n" for i, kind in enumerate(KINDS)))
    write(f"{folder}/char.def", "".join(f"{n} {i} {g} {c}\n" for n, (i, g, c, _) in KINDS.items()) +
          "".join(f"0x{a:04X}..0x{b:04X} {n}\n" for n, (_, _, _, r) in KINDS.items() for a, b in r))
    write(f"{folder}/pos-id.def", "N 1\nJ 2\nV 3\nS 4\n")
    write(f"{folder}/feature.def", "UNIGRAM U00:%F[0]\nBIGRAM B00:%L[0]/%R[0]\n")
    write(f"{folder}/rewrite.def", "[unigram rewrite]\n*\t*\n[left rewrite]\n*\t*\n[right rewrite]\n*\t*\n")
    write(f"{folder}/left-id.def", "0 BOS/EOS\n1 N\n2 J\n3 V\n")
    write(f"{folder}/right-id.def", "0 BOS/EOS\n1 N\n2 J\n3 V\n")
    write(f"{folder}/dicrc", "cost-factor = 800\nbos-feature = BOS/EOS\neval-size = 1\nunk-eval-size = 1\nconfig-charset = UTF-8\n")


def words_of(tagger):
    return [tagger.parse(text).split() for text in TEXTS]


def main():
    os.makedirs(OUT, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        write_sources(folder)
        subprocess.run([INDEX, "-f", "utf-8", "-t", "utf-8", "-d", folder, "-o", folder], check=True, stdout=sys.stderr)
        write(f"{folder}/rc", "")
        plain = words_of(MeCab.Tagger(f"-r {folder}/rc -d {folder} -Owakati"))
        with open(f"{folder}/dicrc", "a", encoding="utf-8") as file:
            file.write(PENALTY)
        penalty = words_of(mecab_ko.Tagger(f"-r {folder}/rc -d {folder} -Owakati"))
        for name in ["sys.dic", "unk.dic", "matrix.bin", "dicrc"]:
            shutil.copy(f"{folder}/{name}", OUT)
    with open(f"{OUT}/expected.json", "w", encoding="utf-8") as file:
        kinds = [{"name": n, "invoke": i, "group": g, "length": c, "ranges": r} for n, (i, g, c, r) in KINDS.items()]
        json.dump({"kinds": kinds, "texts": TEXTS, "plain": plain, "penalty": penalty}, file, ensure_ascii=False, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
