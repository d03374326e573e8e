#!/usr/bin/env python3
"""Writes tests/golden/bleu.json.gz: pairs of texts and what the sacrebleu package makes of them, for
tests/model/score/test_bleu.c and tests/model/score/test_significance.c.

    pip install sacrebleu
    python scripts/golden/make_bleu_golden.py
"""

import gzip
import json
import pathlib
import random

import numpy
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

OUT = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "golden" / "bleu.json.gz"

GERMAN = """Der Bäcker öffnet seinen Laden jeden Morgen um halb sechs.
Am Samstag kamen 1.250 Besucher, am Sonntag waren es 3,5-mal so viele!
"Hast du den Schlüssel?", fragte sie leise.
Die Brücke (erbaut 1907) wird bis zum 12.10.2031 gesperrt.
Er sagte: „Das ist nicht mein Hut.“
Der Zug nach Köln-Deutz fährt heute von Gleis 7 – nicht von Gleis 9.
Wer zu spät kommt, muss stehen; so ist das hier.
Das Museum kostet 8,50 € für Erwachsene & 4 € für Kinder.
Meine Großmutter kennt das Lied noch auswendig.
Im Garten hinter dem Haus stehen drei alte Apfelbäume, zwei Birnbäume und ein Pflaumenbaum, der nie trägt.
Warum?
Schreib an info@beispiel.de oder ruf an: 030/123-456.""".split("\n")

ENGLISH = """The ferry leaves at 6.15 a.m., rain or shine.
Nobody's umbrella was left, so we ran.
"I can't," she said, "but my brother can."
The old map -- torn in two places -- showed a well-known path.
Prices rose by 2,000% (!) in the 1920s.
He asked for a cup of tea & a slice of bread.
Turn left at the mill; then go straight on for about 3 km.
It's 5 o'clock.
The committee will meet again on Tuesday, March 3, 2037, in room B-12.
Snow.
A dog, a cat and a goose live on the farm by the river.
She wrote R&amp;D on the label &quot;by mistake&quot; &lt;again&gt;.""".split("\n")

CHINESE = """今天的会议改到下午三点。
他买了2斤苹果，花了15.8元。
这本书我已经读了两遍，还想再读一遍。
“你要去哪里？”老人问。
ABC公司在上海有3家分店（都在浦东）。
下雨了，我们回家吧！
𠀀是一个很少见的字。""".split("\n")

JAPANESE = """駅前のパン屋は朝六時に開きます。
「傘を忘れました」と彼女は言った。
この電車は１０時２０分に京都へ出発します。
ﾊﾝｶｸの文字もあります。
雪だ。""".split("\n")

GREEK = """Ο ΓΕΡΟΣ ΚΑΙ Η ΘΑΛΑΣΣΑ ΤΟΥΣ.
Ένας ψαράς έχασε το δίχτυ του.
ΤΟ ΤΕΛΟΣ""".split("\n")

TURKISH = """İstanbul'da IŞIK söndü.
İYİ GÜNLER, Irmak!""".split("\n")

ODD = ["naïve na\u0308ive \u0646\u0635 \u05d0\u05d1", "a\u00a0b\u2009c\u3000d\u2028e\u0085f",
       "½ plus ¼ is ¾ … ² ³ Ⅷ ①", "👩\u200d👩\u200d👧 like 🍎🍏 + ♥ ©2030 €5 $5 5£",
       "-- ... ,,, .5 5. 5.5 5,5 .,. 1-2 a-b -1 1- '' `` ~ ^ _x_", "\ufb01ne \u1e9e\u00df \u01c5 \u0345\u03b1",
       "a\u200bb\u00adc \ufeffd", "<skipped> a <skipped>b &amp;lt; &quot; &apos;", "٣٫٥ १२।३",
       "\u3000全角　スペース\u3000", "x\u0301\u0302\u0303 \u093f\u0915"]


def spoil(random_, line, share):
    """A bad translation of a line: the line with words left out, doubled, swapped, cut or
    capitalised."""
    words = line.split(" ") if " " in line else list(line)
    out = []
    for word in words:
        if random_.random() >= share:
            out.append(word)
            continue
        change = random_.randrange(6)
        if change == 0:
            continue
        if change == 1:
            out += [word, word]
        elif change == 2 and out:
            out.insert(-1, word)
        elif change == 3:
            out.append(word[:-1] or word)
        elif change == 4:
            out.append(word.swapcase())
        else:
            out.append(random_.choice(words))
    return (" " if " " in line else "").join(out)


def variant(seed, lines, share):
    random_ = random.Random(seed)
    return [spoil(random_, line, share) for line in lines]


def make_pairs():
    """Names, translations and lists of references."""
    texts = {"german": GERMAN, "english": ENGLISH, "chinese": CHINESE, "japanese": JAPANESE,
             "greek": GREEK, "turkish": TURKISH, "odd": ODD}
    for name, lines in texts.items():
        yield f"{name}, spoilt a little", variant(1, lines, 0.15), [lines]
        yield f"{name}, spoilt a lot", variant(2, lines, 0.6), [lines]
        yield f"{name}, two references", variant(3, lines, 0.3), [lines, variant(4, lines, 0.3)]
    yield "itself", GERMAN, [GERMAN]
    yield "nothing in common", ["xx yy zz"] * 12, [GERMAN]
    yield "empty translations", [""] * 12, [GERMAN]
    yield "empty references", ENGLISH, [[""] * 12]
    yield "all empty", [""] * 3, [[""] * 3]
    yield ("empty lines here and there", ["", *GERMAN[1:6], "", "  ", *GERMAN[8:]],
           [["", *GERMAN[1:7], "", "\t", *GERMAN[9:]]])
    yield "one empty reference of two", variant(5, ENGLISH, 0.3), [ENGLISH, [""] * 12]
    yield "one sentence", ["The ferry leaves at 6.15 , rain or shine."], [[ENGLISH[0]]]
    yield "one word", ["Snow"], [["Snow."]]
    yield "two words of three", ["it is"], [["it is so"]]
    yield "no 4-gram", ["the old map"], [["the old mill map"]]
    yield "longer than the references", [line + " and so on and on" for line in ENGLISH], [ENGLISH]
    yield "four references", variant(6, GERMAN, 0.4), [variant(seed, GERMAN, 0.2) for seed in (7, 8, 9, 10)]
    yield "two lengths as close", ["a b c d"], [["a b c d e f"], ["a b"]]
    yield ("the same word again and again", ["the the the the the the the"],
           [["the cat is on the mat"], ["there is a cat on the mat"]])
    yield "small letters", [line.lower() for line in GERMAN], [GERMAN]
    yield "blanks at the ends", ["  a b c d.  ", "\ta b c d 5.\t"], [["a b c d.", "a b c d 5."]]
    yield "tokenised", ["Wer spät kommt , muss stehen ."], [["Wer spät kommt , muss stehen ."]]


def make_options():
    """The default, every tokeniser, every smoothing, lowercase."""
    yield {}
    yield {"lowercase": True}
    for tokenize in ("intl", "char", "zh", "none"):
        yield {"tokenize": tokenize}
        yield {"tokenize": tokenize, "lowercase": True}
    for smooth in ("floor", "add-k", "none"):
        yield {"smooth_method": smooth}
    yield {"smooth_method": "floor", "smooth_value": 0.025}
    yield {"smooth_method": "add-k", "smooth_value": 0.5}
    yield {"smooth_method": "add-k", "smooth_value": 2, "tokenize": "char"}


def without_version(signature):
    return str(signature).rsplit("|version:", 1)[0]


def per_sentence(metric, texts, references):
    return [round(metric.sentence_score(text, list(refs)).score, 6)
            for text, *refs in zip(texts, *references)]


def score_bleu(options, texts, references):
    metric = BLEU(force=True, **options)
    score = metric.corpus_score(texts, references)
    by_sentence = options in ({}, {"smooth_method": "floor"}, {"smooth_method": "add-k"})
    sentence = BLEU(force=True, effective_order=True, **options)
    return {
        "tokenize": options.get("tokenize", "13a"), "lowercase": options.get("lowercase", False),
        "smooth": options.get("smooth_method", "exp"), "smooth_value": options.get("smooth_value", 0),
        "score": score.score, "printed": f"{score.score:.2f}", "verbose": score._verbose,
        "signature": without_version(metric.get_signature()),
        "sentences": per_sentence(sentence, texts, references) if by_sentence else [],
    }


def score_chrf(lowercase, texts, references):
    metric = CHRF(lowercase=lowercase)
    score = metric.corpus_score(texts, references)
    return {"lowercase": lowercase, "score": score.score, "printed": f"{score.score:.2f}",
            "signature": without_version(metric.get_signature()),
            "sentences": [] if lowercase else per_sentence(metric, texts, references)}


def make_pair(name, texts, references):
    return {"name": name, "texts": texts, "references": references,
            "bleu": [score_bleu(options, texts, references) for options in make_options()],
            "chrf": [score_chrf(lowercase, texts, references) for lowercase in (False, True)]}


def run_test(kind, samples, a, b, references):
    metrics = {"BLEU": BLEU(force=True), "chrF2": CHRF()}
    signatures, scores = PairedTest([("a", a), ("b", b)], metrics, references, test_type=kind,
                                    n_samples=samples)()
    return {name: {"p": float(scores[name][1].p_value),
                   "mean": [float(numpy.float64(one.mean or 0)) for one in scores[name]],
                   "half": [float(numpy.float64(one.ci or 0)) for one in scores[name]],
                   "signature": without_version(signatures[name])} for name in metrics}


def make_test(name, a, b, references, samples=5000):
    return {"name": name, "a": a, "b": b, "references": references, "samples": samples,
            "bootstrap": run_test("bs", samples, a, b, references),
            "randomisation": run_test("ar", samples, a, b, references)}


def make_tests():
    lines = GERMAN + ENGLISH
    yield make_test("alike", variant(20, lines, 0.3), variant(21, lines, 0.3), [lines])
    yield make_test("a little better", variant(22, lines, 0.38), variant(23, lines, 0.3), [lines])
    yield make_test("better", variant(24, lines, 0.45), variant(25, lines, 0.3), [lines])
    yield make_test("much better", variant(26, lines, 0.6), variant(27, lines, 0.1), [lines])
    yield make_test("two references", variant(28, lines, 0.4), variant(29, lines, 0.3),
                    [lines, variant(30, lines, 0.2)])
    yield make_test("the same", variant(31, lines, 0.3), variant(31, lines, 0.3), [lines])


def main():
    golden = {"pairs": [make_pair(*pair) for pair in make_pairs()], "tests": list(make_tests())}
    text = json.dumps(golden, ensure_ascii=True, indent=None, separators=(",", ":"))
    OUT.write_bytes(gzip.compress((text.replace('{"name"', '\n{"name"') + "\n").encode(), mtime=0))
    print(f"{len(golden['pairs'])} pairs, {len(golden['tests'])} tests, {len(text)} bytes")


main()
