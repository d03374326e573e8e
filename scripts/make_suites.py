#!/usr/bin/env python3
"""Writes samples/agreement-en-de.json: English sentences, their German translations, and the same with
the verb in the wrong number, over distances of 1 to 12 words between subject and verb.

The layout is LingEval97's (Sennrich 2017): a list of {source, reference, origin, errors: [{type,
contrastive, distance}]}, without its frequencies. `distance` counts words, as blanks separate them, from
the subject's noun to the verb (1: the verb follows it). Half of the subjects are singular; the nouns
between subject and verb have the other number where they can. Half of the verbs stand second in a main
clause, half at the end of a subordinate one.

    python3 scripts/make_suites.py [FILE]
    python3 scripts/make_suites.py --check [FILE]     fails where the file is not what this would write
"""

import argparse
import json
import pathlib
import random
import re
import sys

FILE = pathlib.Path(__file__).resolve().parent.parent / "samples" / "agreement-en-de.json"
SEED = 97
DISTANCES = range(1, 13)
PER_CELL = 9   # sentences of each distance, number and clause
NOUN_MOST = 1  # of them with the same subject
VERB_MOST = 2  # with the same predicate
DRAWS = 2_000_000

# English | German | gender | adjectives that go with it; a noun is singular/plural.
PERSONS = """man/men | Mann/Männer | m | old young tall
woman/women | Frau/Frauen | f | old young tall
child/children | Kind/Kinder | n | little
boy/boys | Junge/Jungen | m | little tall
girl/girls | Mädchen/Mädchen | n | little tall
teacher/teachers | Lehrer/Lehrer | m | old young
doctor/doctors | Arzt/Ärzte | m | old young
student/students | Student/Studenten | m | young tall
nurse/nurses | Krankenschwester/Krankenschwestern | f | old young
policeman/policemen | Polizist/Polizisten | m | young tall"""
KIN = """friend/friends | Freund/Freunde | m | old young
brother/brothers | Bruder/Brüder | m | little
sister/sisters | Schwester/Schwestern | f | little
son/sons | Sohn/Söhne | m | little
daughter/daughters | Tochter/Töchter | f | little
neighbor/neighbors | Nachbar/Nachbarn | m | old young"""
THINGS = """book/books | Buch/Bücher | n | old new
picture/pictures | Bild/Bilder | n | old new small
bag/bags | Tasche/Taschen | f | new small red
watch/watches | Uhr/Uhren | f | old new small
knife/knives | Messer/Messer | n | old new small
hat/hats | Hut/Hüte | m | old new red
jacket/jackets | Jacke/Jacken | f | old new red
shirt/shirts | Hemd/Hemden | n | new red
dress/dresses | Kleid/Kleider | n | new red
coat/coats | Mantel/Mäntel | m | old new
ring/rings | Ring/Ringe | m | old small
guitar/guitars | Gitarre/Gitarren | f | old new"""

# [singular|plural] has the subject's number, <singular|plural> the other one. NOM and ACC are relative
# pronouns. What follows a noun:
HERE = """over there = dort
here = hier
upstairs = oben
downstairs = unten"""
GENITIVES = """of <my friend|my friends> = <meines Freundes|meiner Freunde>
of <my sister|my sisters> = <meiner Schwester|meiner Schwestern>
of <our neighbor|our neighbors> = <unseres Nachbarn|unserer Nachbarn>
of <the teacher|the teachers> = <des Lehrers|der Lehrer>
of <the old man|the old men> = <des alten Mannes|der alten Männer>
of <my best friend|my best friends> = <meines besten Freundes|meiner besten Freunde>
of <the young woman|the young women> = <der jungen Frau|der jungen Frauen>"""
WITH = """with <the dog|the dogs> = mit <dem Hund|den Hunden>
with <the child|the children> = mit <dem Kind|den Kindern>
with <the bag|the bags> = mit <der Tasche|den Taschen>
with <the flower|the flowers> = mit <der Blume|den Blumen>
with <the big dog|the big dogs> = mit <dem großen Hund|den großen Hunden>
with <the old suitcase|the old suitcases> = mit <dem alten Koffer|den alten Koffern>
with <the black horse|the black horses> = mit <dem schwarzen Pferd|den schwarzen Pferden>"""
PLACES = """in the garden = im Garten
next to <the car|the cars> = neben <dem Auto|den Autos>
behind <the tree|the trees> = hinter <dem Baum|den Bäumen>
in front of <the house|the houses> = vor <dem Haus|den Häusern>
next to <the white car|the white cars> = neben <dem weißen Auto|den weißen Autos>"""
THING_PLACES = """on the table = auf dem Tisch
in <the box|the boxes> = in <der Kiste|den Kisten>
next to <the bottle|the bottles> = neben <der Flasche|den Flaschen>
under <the chair|the chairs> = unter <dem Stuhl|den Stühlen>
in <the big box|the big boxes> = in <der großen Kiste|den großen Kisten>
next to <the empty glass|the empty glasses> = neben <dem leeren Glas|den leeren Gläsern>"""
PERSON_CLAUSES = """who [works|work] for us = NOM für uns [arbeitet|arbeiten]
whom <my brother knows|my brothers know> = ACC <mein Bruder kennt|meine Brüder kennen>
who [lives|live] with <my son|my sons> = NOM bei <meinem Sohn|meinen Söhnen> [wohnt|wohnen]
who helped <my friend|my friends> yesterday = NOM gestern <meinem Freund|meinen Freunden> geholfen [hat|haben]
who [was|were] at the cinema with <my uncle|my uncles> yesterday = \
NOM gestern mit <meinem Onkel|meinen Onkeln> im Kino [war|waren]
whom <our neighbor|our neighbors> met at the station yesterday = \
ACC <unser Nachbar|unsere Nachbarn> gestern am Bahnhof getroffen <hat|haben>
whom <our teacher|our teachers> invited to the party last week = \
ACC <unser Lehrer|unsere Lehrer> letzte Woche zur Party eingeladen <hat|haben>
who [was|were] sitting on the bench with <the dog|the dogs> this morning = \
NOM heute Morgen mit <dem Hund|den Hunden> auf der Bank [saß|saßen]
who showed <my friend|my friends> the way to the station this morning = \
NOM <meinem Freund|meinen Freunden> heute Morgen den Weg zum Bahnhof gezeigt [hat|haben]"""
THING_CLAUSES = """that I need = ACC ich brauche
that we found = ACC wir gefunden haben
that [belongs|belong] to <my uncle|my uncles> = NOM <meinem Onkel|meinen Onkeln> [gehört|gehören]
that <my son|my sons> wanted to buy = ACC <mein Sohn kaufen wollte|meine Söhne kaufen wollten>
that [is|are] lying next to <the glass|the glasses> = NOM neben <dem Glas|den Gläsern> [liegt|liegen]
that <my brother|my brothers> bought yesterday = \
ACC <mein Bruder|meine Brüder> gestern gekauft <hat|haben>
that <my uncle|my uncles> lost last week = ACC <mein Onkel|meine Onkel> letzte Woche verloren <hat|haben>
that <our friend|our friends> sent us from Japan = \
ACC uns <unser Freund|unsere Freunde> aus Japan geschickt <hat|haben>
that [is|are] lying on the table next to <the flower|the flowers> = \
NOM neben <der Blume|den Blumen> auf dem Tisch [liegt|liegen]
that <my friend|my friends> found in the park on Sunday = \
ACC <mein Freund|meine Freunde> am Sonntag im Park gefunden <hat|haben>
that [has|have] been lying on the table next to <the bottle|the bottles> since yesterday = \
NOM seit gestern neben <der Flasche|den Flaschen> auf dem Tisch [liegt|liegen]
that <my brother|my brothers> left on the bus after school yesterday = \
ACC <mein Bruder|meine Brüder> gestern nach der Schule im Bus vergessen <hat|haben>"""

# Predicates of main clauses: the verb comes first in German.
PERSON_MAIN = """[speaks|speak] French = [spricht|sprechen] Französisch
[lives|live] in Boston = [wohnt|wohnen] in Boston
[comes|come] from Japan = [kommt|kommen] aus Japan
[is|are] very tired = [ist|sind] sehr müde
[has|have] no time today = [hat|haben] heute keine Zeit
[wants|want] to help us = [will|wollen] uns helfen
can swim well = [kann|können] gut schwimmen
[has|have] to go home now = [muss|müssen] jetzt nach Hause gehen
knew the answer = [wusste|wussten] die Antwort
[needs|need] help = [braucht|brauchen] Hilfe
[drinks|drink] a lot of coffee = [trinkt|trinken] viel Kaffee
[knows|know] my father = [kennt|kennen] meinen Vater
[reads|read] a lot = [liest|lesen] viel
[plays|play] the piano = [spielt|spielen] Klavier
laughed loudly = [lachte|lachten] laut"""
THING_MAIN = """[was|were] too expensive = [war|waren] zu teuer
[belongs|belong] to my father = [gehört|gehören] meinem Vater
[costs|cost] a lot of money = [kostet|kosten] viel Geld
[looks|look] very old = [sieht|sehen] sehr alt aus
[is|are] very beautiful = [ist|sind] sehr schön
[was|were] very cheap = [war|waren] sehr billig
[was|were] a surprise = [war|waren] eine Überraschung
disappeared on Monday = [verschwand|verschwanden] am Montag
[was|were] stolen at night = [wurde|wurden] in der Nacht gestohlen
[has|have] to stay in the house = [muss|müssen] im Haus bleiben
[makes|make] me happy = [macht|machen] mich glücklich"""

# Predicates of subordinate clauses: the verb comes last in German. Before them, in German, comes a time
# (soon, always, past or none at all) and, where there is a "+", company.
PERSON_END = """soon+ | [is|are] going to Boston = nach Boston [fährt|fahren]
soon+ | [is|are] coming = [kommt|kommen]
soon+ | [wants|want] to eat in the restaurant = im Restaurant essen [will|wollen]
soon | [has|have] to work = arbeiten [muss|müssen]
always+ | [goes|go] to the park = in den Park [geht|gehen]
always | [plays|play] tennis = Tennis [spielt|spielen]
always | [helps|help] <my uncle|my uncles> = <meinem Onkel|meinen Onkeln> [hilft|helfen]
past | lost the money = das Geld verloren [hat|haben]
past+ | [was|were] in the museum = im Museum [war|waren]
past+ | went to the beach = an den Strand [ging|gingen]
past | waited for <the bus|the buses> in front of the school = \
vor der Schule auf <den Bus|die Busse> [wartete|warteten]
past | thanked <the doctor|the doctors> = <dem Arzt|den Ärzten> gedankt [hat|haben]
none | [is|are] lying = [lügt|lügen]
none | [is|are] sleeping = [schläft|schlafen]
none | [is|are] crying = [weint|weinen]
none | [is|are] waiting = [wartet|warten]
none | [speaks|speak] French = Französisch [spricht|sprechen]
none | [is|are] tired = müde [ist|sind]
none | [has|have] no money = kein Geld [hat|haben]"""
THING_END = """none | [is|are] missing = [fehlt|fehlen]
none | [is|are] very beautiful = sehr schön [ist|sind]
none | [belongs|belong] to <my brother|my brothers> = <meinem Bruder|meinen Brüdern> [gehört|gehören]
none | [is|are] lying on the table in the kitchen = auf dem Tisch in der Küche [liegt|liegen]
none | [is|are] lying next to <the bottle|the bottles> = neben <der Flasche|den Flaschen> [liegt|liegen]
past | [was|were] stolen = gestohlen [wurde|wurden]
past | [was|were] found in <the box|the boxes> = in <der Kiste|den Kisten> gefunden [wurde|wurden]
past | [was|were] sold at the market = auf dem Markt verkauft [wurde|wurden]
none | [was|were] too expensive = zu teuer [war|waren]"""
TIMES = {
    "soon": """today = heute
tomorrow = morgen
on Sunday = am Sonntag
this evening = heute Abend""",
    "always": """every day = jeden Tag
in summer = im Sommer
every morning = jeden Morgen""",
    "past": """yesterday = gestern
last week = letzte Woche
on Monday = am Montag""",
    "none": "="}
COMPANY = """with <my brother|my brothers> = mit <meinem Bruder|meinen Brüdern>
with <my friend|my friends> = mit <meinem Freund|meinen Freunden>
with <the little girl|the little girls> = mit <dem kleinen Mädchen|den kleinen Mädchen>"""
OPENERS = """I know that = Ich weiß, dass
I think that = Ich glaube, dass
We know that = Wir wissen, dass
Tom says that = Tom sagt, dass
It is true that = Es stimmt, dass
Everyone knows that = Jeder weiß, dass"""

ADJECTIVES = {"old": "alt", "young": "jung", "little": "klein", "tall": "groß", "new": "neu",
              "small": "klein", "red": "rot"}
ARTICLE = {"m": "der", "f": "die", "n": "das", "pl": "die"}
ACCUSATIVE = {"m": "den", "f": "die", "n": "das", "pl": "die"}
ENDINGS = {"m": "er", "f": "e", "n": "es", "pl": "e"}      # of dieser
POSSESSIVE = {"m": "", "f": "e", "n": "", "pl": "e"}       # of mein, unser
SMALL_WORDS = set("""the that was were who whom are has have been
der die das den dem dass hat haben ist sind war waren wurde wurden
our mein meine meinen meinem meines meiner unser unsere unseres unserer""".split())
# What nobody says of one and the same subject: that a thing on the table was stolen, and so on.
UNLIKELY = [(r"lying|next to|over there|here|upstairs|downstairs|on the table|in the (big )?box|under",
             r"stolen|disappeared|sold|found in the box|missing|lost|left on the bus"),
            (r"lost last week|left on the bus", r"stolen|disappeared|to stay|missing|lying|sold"),
            (r"in the (big )?box|under the", r"that (is|are|has been|have been) lying"),
            (r"of (my|our|the)\b", r"belong"),
            (r"\b(little|child|children|boys?|girls?)\b", r"works? for us|coffee|(has|have) to work"),
            (r"\bnew\b", r"very old")]


def pairs(table):
    """Returns the lines of a table: fields separated by "|" or "=" with blanks around them."""
    return [[field.strip() for field in re.split(r"(?<!\S)[|=](?!\S)", line)] for line in table.split("\n")]


def inflect(text, plural):
    """Returns text with the alternatives in brackets chosen by the subject's number."""
    def chosen(match, number):
        return match.group(1).split("|")[number]
    text = re.sub(r"\[([^]]*)\]", lambda match: chosen(match, plural), text)
    return re.sub(r"<([^>]*)>", lambda match: chosen(match, not plural), text)


class Draws(random.Random):
    """Only random() draws the same in every version of Python."""

    def choice(self, things):
        return things[int(self.random() * len(things))]


class Subject:
    """A noun and what precedes it; `gender` is "pl" in the plural."""

    def __init__(self, rng, thing, plural):
        kin = not thing and rng.random() < 0.4
        english, german, gender, adjectives = rng.choice(pairs(THINGS if thing else KIN if kin else PERSONS))
        self.english, self.noun = english.split("/")[plural], german.split("/")[plural]
        self.thing, self.kin, self.plural = thing, kin, plural
        self.gender = "pl" if plural else gender
        self.adjective = rng.choice(adjectives.split()) if rng.random() < 0.3 else None
        self.owned = kin and rng.random() < 0.5
        self.near = not kin and rng.random() < 0.2
        self.possessor = rng.choice([("my", "mein"), ("our", "unser")])

    def both(self):
        """Returns English and German, without what follows the noun."""
        if self.owned:
            english, german = self.possessor
            return f"{english} {self.english}", f"{german}{POSSESSIVE[self.gender]} {self.noun}"
        english = ["this", "these"][self.plural] if self.near else "the"
        german = "dies" + ENDINGS[self.gender] if self.near else ARTICLE[self.gender]
        if self.adjective:
            ending = "en" if self.plural else "e"
            return (f"{english} {self.adjective} {self.english}",
                    f"{german} {ADJECTIVES[self.adjective]}{ending} {self.noun}")
        return f"{english} {self.english}", f"{german} {self.noun}"


def attribute(rng, subject, place):
    """Returns what follows the subject's noun: a genitive, a preposition with its noun, an
    adverb."""
    if subject.thing:
        return rng.choice(pairs(GENITIVES) + place * pairs(THING_PLACES + "\n" + HERE))
    if subject.kin:
        return rng.choice(pairs(GENITIVES))
    return rng.choice(pairs(WITH) + place * pairs(PLACES + "\n" + HERE))


def clause(rng, subject, alone):
    """Returns a relative clause. If something else follows the noun, the pronoun is its subject:
    after "the books of my friends" its verb must show what it is about."""
    table = pairs(THING_CLAUSES if subject.thing else PERSON_CLAUSES)
    english, german = rng.choice([pair for pair in table if alone or pair[1].startswith("NOM")])
    return english, german.replace("NOM", ARTICLE[subject.gender]).replace("ACC", ACCUSATIVE[subject.gender])


def subject_phrase(rng, subject, place):
    """Returns the subject with all that belongs to it. "The brother" alone would leave open
    whose."""
    english, german = subject.both()
    with_attribute = not subject.owned and (subject.kin or rng.random() < 0.5)
    with_clause = not subject.owned and not subject.near and rng.random() < 0.5
    if with_attribute:
        more = attribute(rng, subject, place)
        english, german = f"{english} {more[0]}", f"{german} {more[1]}"
    if with_clause:
        more = clause(rng, subject, alone=not with_attribute)
        english, german = f"{english} {more[0]}", f"{german}, {more[1]},"
    return english, german


def capital(text):
    return text[0].upper() + text[1:]


def main_clause(rng, subject):
    """Returns English, German before the verb, the verb in both numbers, German after it, the
    predicate."""
    english, german = subject_phrase(rng, subject, place=True)
    predicate = rng.choice(pairs(THING_MAIN if subject.thing else PERSON_MAIN))
    verb, _, rest = predicate[1].partition("] ")
    return (f"{capital(english)} {predicate[0]}.", capital(german), verb[1:].split("|"), f" {rest}.",
            predicate[1])


def subordinate_clause(rng, subject):
    """Does the same for a sentence whose subordinate clause ends in the verb."""
    english, german = subject_phrase(rng, subject, place=False)
    kind, tail, predicate = rng.choice(pairs(THING_END if subject.thing else PERSON_END))
    middle, _, verb = predicate.rpartition("[")
    time = rng.choice(pairs(TIMES[kind.rstrip("+")])) if rng.random() < 0.7 else ["", ""]
    company = rng.choice(pairs(COMPANY)) if kind.endswith("+") and rng.random() < 0.5 else ["", ""]
    opener = rng.choice(pairs(OPENERS))
    source = f"{opener[0]} {english} {tail} {company[0]} {time[0]}"
    before = f"{opener[1]} {german} {time[1]} {company[1]} {middle}"
    return " ".join(source.split()) + ".", " ".join(before.split()), verb[:-1].split("|"), ".", predicate


def repeats(text):
    """True if a word, or its plural or dative, occurs there twice."""
    plain = text.lower().translate(str.maketrans("äöü", "aou"))
    words = sorted(word for word in re.findall(r"\w{3,}", plain) if word not in SMALL_WORDS)
    return any(after.startswith(word) and len(after) - len(word) <= 3
               for word, after in zip(words, words[1:]))


def natural(item):
    source = item["source"]
    return not (repeats(source) or repeats(item["reference"]) or
                any(re.search(one, source) and re.search(other, source) for one, other in UNLIKELY))


def draw(rng):
    """Returns a random item and what its kind is determined by."""
    plural, thing, main = rng.random() < 0.5, rng.random() < 0.4, rng.random() < 0.5
    subject = Subject(rng, thing, plural)
    source, before, verb, after, predicate = (main_clause if main else subordinate_clause)(rng, subject)
    source, before, after = (inflect(text, plural) for text in (source, before, after))
    words = [word.strip(",") for word in before.split()]
    return {"cell": (len(words) - words.index(subject.noun), plural, main), "noun": subject.noun,
            "predicate": predicate, "source": source, "reference": f"{before} {verb[plural]}{after}",
            "contrastive": f"{before} {verb[not plural]}{after}"}


def make_items():
    """Returns equally many of each distance, number and clause, in this order; subjects and
    predicates vary."""
    rng = Draws(SEED)
    cells = {(distance, plural, main): [] for distance in DISTANCES
             for plural in (False, True) for main in (True, False)}
    for _ in range(DRAWS):
        item = draw(rng)
        cell = cells.get(item["cell"])
        if cell is None or len(cell) == PER_CELL or not natural(item):
            continue
        if (sum(item["noun"] == other["noun"] for other in cell) < NOUN_MOST and
                sum(item["predicate"] == other["predicate"] for other in cell) < VERB_MOST):
            cell.append(item)
        if all(len(cell) == PER_CELL for cell in cells.values()):
            return [item for cell in cells.values() for item in cell]
    missing = {cell: PER_CELL - len(items) for cell, items in cells.items() if len(items) < PER_CELL}
    sys.exit(f"make_suites.py: too few sentences of (distance, plural, main): {missing}")


def lingeval(items):
    """Returns the items in LingEval97's format, one a line."""
    items = [{"source": item["source"], "reference": item["reference"], "origin": f"make_suites.{number}",
              "errors": [{"type": "subj_verb_agreement", "contrastive": item["contrastive"],
                          "distance": item["cell"][0]}]}
             for number, item in enumerate(items, 1)]
    return "[\n" + ",\n".join(json.dumps(item, ensure_ascii=False) for item in items) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description="Writes the agreement suite of the samples.")
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=FILE)
    parser.add_argument("--check", action="store_true", help="fail where the file has other content")
    arguments = parser.parse_args()
    text = lingeval(make_items())
    if not arguments.check:
        arguments.file.write_text(text, encoding="utf-8")
    elif arguments.file.read_text(encoding="utf-8") != text:
        sys.exit(f"{arguments.file}: not what scripts/make_suites.py writes; run it")


if __name__ == "__main__":
    main()
