#!/usr/bin/env python3
"""Writes tests/golden/text: small subword models trained on the sentences below, and what the
published packages (sentencepiece, subword-nmt, sacremoses) make of texts. tests/model/text/test_text.c,
test_bpe.c and moses/test_moses.c read it.

Tables are TSV: a case a line; backslash, tab, line break and carriage return in a field are written
as \\\\, \\t, \\n, \\r. Lists are joined by single blanks.

    pip install sentencepiece subword-nmt sacremoses transformers
    python scripts/golden/make_text_golden.py
"""

import contextlib
import io
import pathlib
import random
import re
import tempfile

import sentencepiece
from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
from transformers.models.fsmt import tokenization_fsmt
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

OUT = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "golden" / "text"

TRAINING = """The lighthouse keeper lights the lamp every evening before the ships come home.
Every ship that passes the lighthouse sounds its horn once.
She has kept the letters of her grandmother in a wooden box.
Nobody knew whose umbrella was standing behind the kitchen door.
The children were counting the steps of the tower, and lost count at ninety.
Underneath the bridge the water runs slowly and without a sound.
He translated the longest letter word by word, then sentence by sentence.
A thousand little lamps were shining along the harbour.
Can you translate this sentence without looking at the others?
The keeper's daughter couldn't remember the name of the captain.
Der Leuchtturmwärter zündet jeden Abend die Lampe an, bevor die Schiffe heimkommen.
Jedes Schiff, das am Leuchtturm vorbeifährt, lässt einmal das Horn ertönen.
Sie hat die Briefe ihrer Großmutter in einer hölzernen Kiste aufbewahrt.
Niemand wusste, wessen Regenschirm hinter der Küchentür stand.
Die Kinder zählten die Stufen des Turmes und verzählten sich bei neunzig.
Unter der Brücke fließt das Wasser langsam und ohne ein Geräusch.
Er übersetzte den längsten Brief Wort für Wort, dann Satz für Satz.
Tausend kleine Lampen leuchteten entlang des Hafens.
Kannst du diesen Satz übersetzen, ohne die anderen anzusehen?
Die Tochter des Wärters konnte sich nicht an den Namen des Kapitäns erinnern.
灯台守は毎晩、船が帰ってくる前に灯りをともします。
灯台のそばを通る船は、みんな一度だけ汽笛を鳴らします。
彼女は祖母の手紙を木の箱にしまっています。
台所のドアの後ろにある傘が誰のものか、誰も知りませんでした。
子どもたちは塔の階段を数えていましたが、途中でわからなくなりました。
橋の下では、水がゆっくりと静かに流れています。
彼は一番長い手紙を一語ずつ訳しました。
この文を訳してください。""".split("\n")

TEXTS = TRAINING[::5] + [
    "", " ", "   The  lamp   is   lit.  ", "lamp", "L", "ä", "The lamp\tand the box",
    "The captain's daughter translated 1,234.5 letters (in 1987)!",
    "Überraschung: fünfzehn Straßenlaternen",
    "U\u0308berraschung: fu\u0308nfzehn Kapita\u0308ne",
    "灯台の船", "手紙とlamp", "中文句子没有空格", "안녕하세요 세계",
    "Ship 🚢 and 👩‍🚀 astronaut", "naïve café façade", "ﬁve ½ cups ① of ｆｕｌｌ width",
    "no\u00a0break\u3000space", "▁already ▁ marked", "<unk> <s> </s> <0x41>",
    "Ω≈ç√∫˜µ≤≥÷", "عربي нет ελληνικά", "a" * 70, "x y z", "@@ a@@ @@b", "</w> a</w>",
    "LIGHTHOUSE İstanbul ΑΣ", "zero\u200bwidth", "\u0301alone", "\U0001F1E9\U0001F1EA",
]

MORE_PIECES = [["▁The", "▁lamp"], ["▁The", "<unk>", "▁lamp"], ["<unk>"], ["<unk>", "<unk>"],
               ["lamp", "▁", "lamp"], ["strange", "▁The"], ["▁", "▁The"], [],
               ["<s>", "▁The", "</s>"], ["▁lamp", "ß", "unheard-of"]]

MOSES = {
    "en": """Hello, world!
This is Mr. Smith's house; isn't it?  Yes, it's his.
He said: "I can't believe it." She replied, 'Neither can I.'
The Joneses' garden costs $1,234.56 (or 1.000,50 €).
Dr. Brown, Prof. White and St. John met at 5 p.m. on Jan. 3.
No. 5 is alive. No. That is wrong.
See fig. 3, pp. 4-5, vol. 2, etc. and so on.
The U.S.A. and the E.U. agreed. The U.S. did, too.
Wait... what? Really?!  Well....
"Quoted" text, ``old quotes'' and “curly quotes” with ‘single ones’.
He's got 10% of A&B <tags> [brackets] {braces} | pipes
well-known state-of-the-art re-entry -- dashes — and – others
1,000,000 people; 3,14; a,b,c,d; 5,x; x,5; ,start; end,
I'd've thought they'll 've gone, y'all. 'Tis the season of the '90s and the 1990's.
http://example.com/path?x=1&y=2 user@example.com @handle #hashtag
C++ and C# cost 50$ + tax = 60$ * 2 / 3 ~ 40^2 \\ backslash _under_score_
tab\tseparated and  double  blanks and trailing 
naïve café U.K. e.g. this i.e. that. Mr. and Mrs. X.
a.b.c.d 1.2.3.4 v1.2. end.
He said 'go.'
'
''
.
...
A.
Emoji 😀 and 👩‍🚀, symbols ©®™ §5 ¶ † • ° ± × ÷
Half ½ and x² and H₂O, Roman Ⅳ and circled ①
Russian: Привет, мир! Greek: Γειά σου, Κόσμε; Arabic: مرحبا بالعالم. Hebrew: שלום עולם.
Japanese 日本語の文 and Chinese 中文, Korean 한국어 문장.
Hindi: नमस्ते दुनिया। Thai: สวัสดีชาวโลก
Cafe\u0301 in NFD, zero\u200bwidth, soft\u00adhyphen, no\u00a0break, ideographic\u3000space
Sen. Smith vs. Gov. Jones. Col. Mustard. Rev. Green.
Inc. Ltd. Corp. companies. Art. 5 says. Nr. 7 too. Art. Deco.
The end is near .
Don't stop" he said "ever".
(He left.) [She stayed.] "They did.\"""".split("\n"),
    "de": """Hallo, Welt!
Das ist z.B. ein Haus, d.h. kein Baum, usw. und so weiter.
Dr. Müller und Prof. Dr. Schmidt trafen sich am 3. Oktober 1990 um 5 Uhr.
Der 1. Platz ging an Hrn. Meier; Nr. 5 blieb leer. Nr. Das war falsch.
„Das ist wahr“, sagte er, »wirklich« wahr.
Er sagte: "Ich glaub's nicht." Wie geht's?
Die Straße kostet 1.234,56 € bzw. 50 % mehr als z. B. 2019.
Das sind ca. 3,5 Mio. Euro, vgl. Abs. 2 und Art. 5.
Schwarz-weiß-Film, E-Mail-Adresse, U-Bahn -- und – Strich
Übermäßig große Füße, ÄÖÜ äöü ß.
Das ist das Ende...
A. B. Schmidt wohnt in der Hauptstr. 12.
Am 24. Dezember, dem 2. Tag.
Wir treffen uns um 10.30 Uhr. Das war's.
St. Pauli u.a. Vereine, GmbH & Co. KG""".split("\n"),
    "fr": """L'homme qu'il a vu n'est pas d'ici, aujourd'hui.
« Bonjour ! » dit-elle ; comment ça va ?
C'est 50 % moins cher : 1 234,56 €.
J'ai vu l'été, l'île et l'œuvre d'Hugo.
M. Dupont et Mme Durand.""".split("\n"),
    "it": """L'uomo dell'isola c'è, un po' stanco.
Dov'è l'acqua? È lì, all'angolo.""".split("\n"),
    "ja": """灯台守は毎晩、船が帰ってくる前に灯りをともします。
これは「テスト」です！ABC と 123。""".split("\n"),
    "zh": """这是一个测试句子，没有空格。
我有 3 本书 (books)!""".split("\n"),
    "ru": """Привет, мир! Это г. Москва, т.е. столица.
Он сказал: «Да». О'Генри.""".split("\n"),
    "xx": """Nobody's rules follow English... or do they? Mr. X isn't sure.""".split("\n"),
}

# What MosesPunctNormalizer replaces.
COMMON = r"""well-known a-b-c-1 -x y- é-ü 1-2-3 --- a--b
（a）,「b」；《c》！１２３．４ ５６７８９０％ ～ ∶ 【x】 〈y〉 。 next。　wide．  x、y，z？：
a(b)c ( d ) .(e) , (f) :g ;h 5 % 5 %5 50 %, a % ) ! ( (x)) . (y) ?
`a` ``b'' ''c'' „d“ ”e” –f—g—— ´h´ i‘j k’l ‘m‘ n’o’p ‚q‚ ´´r´´ s… ' ' '''' x
\xa0«\xa0a\xa0»\xa0 «b» «\xa0c d\xa0» e\xa0% nº\xa05 f\xa0: g\xa0ºC h\xa0cm i\xa0? j\xa0! k\xa0; l,\xa0m
1\xa0234\xa0567 1\xa02\xa03\xa04 a\xa01 ٣\xa0٤ ½\xa05
"a", "b." "c.." "d,", "e"., "f",x ","."
He said "go." And "stop..." <x "y."<z "."."." a."  b ."" .." c
zero\u200bwidth soft\xadhyphen bell\x07 tab\x09end \ufeffmark \ue000 \u0378
  blanks   and\u3000more  """
NORMALIZE = {lang: re.sub(r"\\(?:x(..)|u(....))", lambda code: chr(int(code[1] or code[2], 16)), COMMON).split("\n")
             for lang in ("en", "de", "cs", "ru")}

DETOKENIZE = {
    "en": """Hello , world !
This is Mr. Smith &apos;s house ; isn &apos;t it ?
He said : &quot; I can &apos;t believe it . &quot;
&quot; A &quot; and &quot; B &quot; and &apos; C &apos;
the Jones &apos; house
( parens ) [ brackets ] { braces } &#91; escaped &#93; &#124; &lt; &gt; &amp;
&amp;lt; &bar; &bra; &ket;
it costs $ 5 and £ 3 and 5 € now
¿ Que ? ¡ No !
well @-@ known and / or
50 % of it : yes ; no
日 本 語 の 文 and ABC 日 本
`` old '' ` quotes `
“ curly ” „ low “
'll 's 'm x
a  double   blank
.
, start
\\ back \\ slash
end .""".split("\n"),
    "de": """Hallo , Welt !
„ Das ist wahr “ , sagte er .
&quot; Wie geht &apos; s ? &quot;
1.234,56 € bzw. 50 %
ein @-@ zwei ( drei )""".split("\n"),
    "fr": """L&apos; homme qu&apos; il a vu n&apos; est pas d&apos; ici .
Comment ça va ? Bien ! 50 % : oui ; non
« Bonjour »
C&apos; est l&apos; 8 mai""".split("\n"),
    "it": """L&apos; uomo dell&apos; isola c&apos; è , un po &apos; stanco .""".split("\n"),
    "cs": """„ Ano “ , řekl .
&quot; A &quot; B""".split("\n"),
    "ja": """これ は 「 テスト 」 です ！ ABC と 123 。""".split("\n"),
    "ko": """안녕 하세요 세계 .""".split("\n"),
    "xx": """I &apos;m not &quot; sure &quot; .""".split("\n"),
}


def escape(text):
    for plain, written in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, written)
    return text


def table(name, rows):
    lines = ("\t".join(escape(field) for field in row) + "\n" for row in rows)
    (OUT / name).write_bytes("".join(lines).encode())


# A small table instead of NFKC's, which takes 240 kB: code points before and after.
RULES = "".join(f"{' '.join(f'{ord(c):X}' for c in before)}\t"
                f"{' '.join(f'{ord(c):X}' for c in after)}\n"
                for before, after in (("ﬁ", "fi"), ("½", "1/2"), ("u\u0308", "ü"), ("a\u0308", "ä"),
                                      ("①", "1"), ("\u00a0", " "), ("\u3000", " "), ("\t", " "),
                                      ("\u200b", ""), ("Ω", "o"), ("👩‍🚀", "(astronaut)")))


def train_sentencepiece(name, kind, size, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TRAINING), model_writer=model, model_type=kind, vocab_size=size,
        hard_vocab_limit=False, num_threads=1, minloglevel=2, **options)
    (OUT / f"{name}.model").write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def sentencepiece_rows(model):
    for text in TEXTS:
        pieces = model.encode(text, out_type=str)
        yield text, " ".join(pieces), decode(model, pieces)


def decode(model, pieces):
    """As the library does it, but that the unknown piece stays as it is spelt."""
    return model.decode_pieces([p if p != "<unk>" else "\ue000" for p in pieces]) \
        .replace("\ue000", "<unk>")


def unheard_word(model, piece):
    """A piece that attnscope joins differently: as a word, where the library shows the ▁ itself."""
    return piece.startswith("▁") and model.piece_to_id(piece) == model.unk_id()


def learn_codes(name, merges):
    codes = io.StringIO()
    learn_bpe(io.StringIO("\n".join(TRAINING) + "\n"), codes, merges)
    (OUT / name).write_bytes(codes.getvalue().encode())
    return codes.getvalue()


def older(codes):
    """The same merges as a version 0.1 file would have them: the word end is a symbol."""
    lines = codes.split("\n")[1:-1]
    symbols = [line.replace("</w>", "") for line in lines if line != "</w>"]
    merges = []
    for line, plain in zip(lines, symbols):
        merges.append(plain)
        if line.endswith("</w>"):
            merges.append("".join(plain.split(" ")) + " </w>")
    return "\n".join(merges) + "\n"


def bpe_rows(codes):
    model = BPE(io.StringIO(codes))
    for text in TEXTS:
        text = text.replace("\t", " ")
        pieces = model.segment(text).split(" ")
        yield text, " ".join(pieces), re.sub("@@ |@@ ?$", "", " ".join(pieces))


def normalized(lang, text):
    """What FSMTTokenizer._tokenize cuts into subwords."""
    text = tokenization_fsmt.replace_unicode_punct(text)
    text = tokenization_fsmt.remove_non_printing_char(MosesPunctNormalizer(lang=lang).normalize(text))
    return " ".join(MosesTokenizer(lang=lang).tokenize(text, aggressive_dash_splits=True, escape=True))


def tangled_codes():
    """Merges over few letters in random order: they overlap and make one another possible."""
    choose = random.Random(7)
    letters = ["a", "b", "c", "a</w>", "b</w>", "c</w>"]
    symbols, merges = list(letters), []
    while len(merges) < 60:
        left, right = choose.choice([s for s in symbols if "<" not in s]), choose.choice(symbols)
        if len(left + right) < 10:
            merges.append(f"{left} {right}")
            symbols.append(left + right)
    choose.shuffle(merges)
    return "#version: 0.2\n" + "\n".join(merges) + "\n"


def tangled_rows(codes):
    choose = random.Random(11)
    model = BPE(io.StringIO(codes))
    for _ in range(200):
        word = "".join(choose.choice("aabc") for _ in range(choose.randint(1, 24)))
        yield word, model.segment(word)


def write_sentencepiece(settings):
    for name, (kind, size, options) in settings.items():
        model = train_sentencepiece(name, kind, size, **options)
        table(f"{name}.tsv", sentencepiece_rows(model))
        table(f"{name}.join.tsv", ((" ".join(p), decode(model, p)) for p in MORE_PIECES
                                   if not any(unheard_word(model, piece) for piece in p)))


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    identity = {"normalization_rule_name": "identity"}
    settings = {"unigram": ("unigram", 400, identity),
                "bpe": ("bpe", 400, identity),
                "bytes": ("unigram", 600, {**identity, "byte_fallback": True,
                                           "user_defined_symbols": ["lamp", "灯台"]}),
                "char": ("char", 200, {**identity, "add_dummy_prefix": False})}
    # The file's name goes into the model: a relative one is the same every time.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        pathlib.Path("rules.tsv").write_text(RULES, encoding="utf-8")
        settings["rules"] = ("bpe", 300, {"normalization_rule_tsv": "rules.tsv"})
        write_sentencepiece(settings)
    codes = learn_codes("codes", 300)
    table("codes.tsv", bpe_rows(codes))
    (OUT / "codes01").write_bytes(older(codes).encode())
    table("codes01.tsv", bpe_rows(older(codes)))
    tangled = tangled_codes()
    (OUT / "tangled").write_bytes(tangled.encode())
    table("tangled.tsv", tangled_rows(tangled))
    table("moses.tsv", ((lang, text, " ".join(MosesTokenizer(lang).tokenize(text)))
                        for lang, texts in MOSES.items() for text in texts))
    table("moses_normalized.tsv", ((lang, text, normalized(lang, text))
                                   for lang, texts in NORMALIZE.items() for text in texts))
    table("demoses.tsv", ((lang, text, MosesDetokenizer(lang).detokenize(text.split(" ")))
                          for lang, texts in DETOKENIZE.items() for text in texts))


if __name__ == "__main__":
    main()
