"""Words, sentences and tiny subword models for the golden data; all of it written for this."""

import collections
import contextlib
import io

import sentencepiece
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

ENGLISH_WORDS = """the a dog cat man woman child house tree river sees eats runs sleeps likes gives
opens closes big small red blue old new and or not in on under with his her , . ? today often
never""".split()

GERMAN_WORDS = """der die das ein eine Hund Katze Mann Frau Kind Haus Baum Fluss sieht isst läuft
schläft mag gibt öffnet schließt groß klein rot blau alt neu und oder nicht in auf unter mit sein
ihr , . ? heute oft nie""".split()

ENGLISH = """The old man sees a small dog in the house .
The woman gives the child a red apple .
A cat sleeps under the big tree .
The children are running to the river .
Our neighbours never open the windows in winter .
The dog likes to sleep on the blue sofa .
She reads a new book every evening .
He closes the door and opens the window .
The river flows under the old bridge .
Today the weather is not good .
Two young women are walking through the garden .
The teacher explains the lesson again and again .
My brother sees the lights of the town .
Is the house new or old ?
The gardener waters the flowers , the roses and the trees .
He often gives his daughter a small present .
They were waiting under the red umbrella .
The sleeping child dreams of a flying elephant .""".split("\n")

GERMAN = """Der alte Mann sieht einen kleinen Hund im Haus .
Die Frau gibt dem Kind einen roten Apfel .
Eine Katze schläft unter dem großen Baum .
Die Kinder laufen zum Fluss .
Unsere Nachbarn öffnen im Winter nie die Fenster .
Der Hund schläft gern auf dem blauen Sofa .
Sie liest jeden Abend ein neues Buch .
Er schließt die Tür und öffnet das Fenster .
Der Fluss fließt unter der alten Brücke .
Heute ist das Wetter nicht gut .
Zwei junge Frauen gehen durch den Garten .
Der Lehrer erklärt die Aufgabe immer wieder .
Mein Bruder sieht die Lichter der Stadt .
Ist das Haus neu oder alt ?
Der Gärtner gießt die Blumen , die Rosen und die Bäume .
Er gibt seiner Tochter oft ein kleines Geschenk .
Sie warteten unter dem roten Regenschirm .
Das schlafende Kind träumt von einem fliegenden Elefanten .""".split("\n")


def raw(sentences):
    """As people type: without blanks before punctuation."""
    return [s.replace(" .", ".").replace(" ,", ",").replace(" ?", "?") for s in sentences]


def train_sentencepiece(sentences, size, normalization="identity", kind="unigram"):
    """Returns the model's bytes, without file names, so that every run gives the same.
    Normalisation is identity by default, because the tables of the others take 240 kB."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, vocab_size=size, model_type=kind,
        normalization_rule_name=normalization, hard_vocab_limit=False, num_threads=1,
        character_coverage=1.0, minloglevel=2)
    return model.getvalue()


def sentencepiece_pieces(data):
    """Returns the ordinary pieces, without the control pieces and unk at the beginning of the model
    file."""
    model = sentencepiece.SentencePieceProcessor(model_proto=data)
    return [model.id_to_piece(i) for i in range(model.get_piece_size())
            if not model.is_control(i) and not model.is_unknown(i)]


def train_bpe(sentences, merges):
    codes = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):  # it draws a progress bar
        learn_bpe(io.StringIO("\n".join(sentences) + "\n"), codes, merges)
    return codes.getvalue().encode()


def bpe_pieces(data, sentences, size):
    """The most frequent pieces of the sentences; the rest become unk."""
    model = BPE(io.StringIO(data.decode()))
    counts = collections.Counter(p for s in sentences for p in model.segment(s).split())
    return [piece for piece, _ in sorted(counts.items(), key=lambda c: (-c[1], c[0]))][:size]


def vocabulary(pieces, specials):
    """Returns all pieces in order, with the special ones ({id: piece}) at their ids."""
    rest = iter(pieces)
    count = len(pieces) + len(specials)
    return [specials[i] if i in specials else next(rest) for i in range(count)]
