"""Beam search and BLEU, for validation and for testing a finished checkpoint.

Every step decodes the whole prefix again: slower than a cache, but nothing has to know how a
pattern or a context goes on from one step to the next."""

import math

import sacrebleu
import torch

from .config import uses_words
from .data import Side, make_side


def length_penalty(penalty, length):
    """Returns the divisor of a hypothesis' summed log-probability."""
    if penalty["kind"] == "none":
        return 1.0
    length += penalty.get("offset", 0)
    if penalty["kind"] == "average":
        return length ** penalty["alpha"]
    return ((5 + length) / 6) ** penalty["alpha"]


class Beams:
    """The live and finished hypotheses of a batch of sentences."""

    def __init__(self, sentences, beam, start, maximum, search, device):
        self.beam, self.start, self.maximum = beam, len(start), maximum
        self.penalty, self.endings = search["length_penalty"], search.get("endings", "best")
        self.min_length = search.get("min_length", 0)
        self.active = list(range(sentences))            # sentence of each row group
        self.ids = torch.tensor(start, device=device).expand(sentences, beam, -1).contiguous()
        self.scores = torch.full((sentences, beam), -math.inf, device=device)
        self.scores[:, 0] = 0                           # begins with one prefix
        self.words = [[list(range(len(start)))] * beam for _ in range(sentences)]
        self.finished = [[] for _ in range(sentences)]

    def finish(self, sentence, ids, score):
        if self.endings == "first" and len(self.finished[sentence]) >= self.beam:
            return
        length = len(ids) - self.start + 1
        end = score / length_penalty(self.penalty, length), ids[self.start:]
        if self.endings in ("attainable", "top") and len(self.finished[sentence]) >= self.beam:
            worst = self.worst(sentence)
            if end[0] > self.finished[sentence][worst][0]:
                self.finished[sentence][worst] = end
            return
        self.finished[sentence].append(end)

    def worst(self, sentence):
        """Returns the place of the worst finished hypothesis, the last if tied."""
        scores = [score for score, _ in self.finished[sentence]]
        return len(scores) - 1 - scores[::-1].index(min(scores))

    def is_done(self, sentence, live, first_ends):
        if self.endings == "top":
            return first_ends
        if len(self.finished[sentence]) < self.beam:
            return False
        if self.endings != "attainable" or self.beam == 1 or not live:
            return True
        best = live[0][0] / length_penalty(self.penalty, self.ids.shape[2] - self.start + 1)
        return best <= self.finished[sentence][self.worst(sentence)][0]

    def force(self, group, sentence, end_scores):
        """At the maximum length, every live beam ends, and the end's log-probability counts."""
        ends = sorted(enumerate(end_scores[group].tolist()), key=lambda end: -end[1])
        for beam, score in ends:
            if score > -math.inf:
                self.finish(sentence, self.ids[group, beam].tolist(), score)

    def advance_group(self, group, sentence, ranked, eos):
        """Chooses the next beams (score, parent, token) from the ranked continuations; keeps
        ends."""
        live, width = [], self.beam
        if self.endings == "narrow":
            width -= len(self.finished[sentence])
        if self.endings in ("narrow", "top"):
            ranked = ranked[:width]
        for rank, (score, parent, token) in enumerate(ranked):
            if score == -math.inf:
                continue
            if token != eos:
                live.append((score, parent, token))
            elif rank < width:
                self.finish(sentence, self.ids[group, parent].tolist(), score)
        is_done = self.is_done(sentence, live, ranked[0][2] == eos)
        return [] if is_done else live[:self.beam]

    def rows_before_the_end(self):
        """True for each row whose hypothesis is too short to end."""
        length = self.ids.shape[2] - self.start + 1
        barred = [length <= min(self.min_length, self.maximum[s] - 1) for s in self.active]
        return torch.tensor(barred, device=self.ids.device).repeat_interleave(self.beam)

    def advance(self, totals, eos):
        """totals: (groups, beam, V), summed log-probabilities of every continuation."""
        length = self.ids.shape[2] - self.start + 1     # of a hypothesis that ends now
        size = totals.shape[2]
        ends = totals[:, :, eos].clone()
        if length <= self.min_length:
            totals[:, :, eos] = -math.inf
        scores, flat = totals.flatten(1).topk(min(2 * self.beam, self.beam * size), dim=1)
        scores, flat = scores.tolist(), flat.tolist()
        groups, survivors = [], []
        for group, sentence in enumerate(self.active):
            if length >= self.maximum[sentence]:
                self.force(group, sentence, ends)
                continue
            ranked = [(s, f // size, f % size) for s, f in zip(scores[group], flat[group])]
            live = self.advance_group(group, sentence, ranked, eos)
            if live:
                groups.append(group)
                survivors.append(live + [(-math.inf, 0, eos)] * (self.beam - len(live)))
        return groups, survivors

    def keep(self, groups, survivors, begins_word):
        """Makes the survivors the live beams. begins_word: None if no pattern needs words."""
        device = self.ids.device
        table = torch.tensor([[s[1:] for s in live] for live in survivors], device=device)
        chosen = torch.tensor(groups, device=device)
        prefixes = self.ids[chosen[:, None], table[:, :, 0]]
        self.ids = torch.cat([prefixes, table[:, :, 1:]], dim=2)
        self.scores = torch.tensor([[s[0] for s in live] for live in survivors], device=device)
        if begins_word is not None:
            self.words = [[self.words[g][parent] + [self.words[g][parent][-1]
                                                    + begins_word(self.ids[i, b].tolist())]
                           for b, (_, parent, _) in enumerate(live)]
                          for i, (g, live) in enumerate(zip(groups, survivors))]
        self.active = [self.active[g] for g in groups]


class Translator:
    def __init__(self, model, texts, config, device, beam=None):
        self.model, self.texts, self.config, self.device = model, texts, config, device
        self.beam = beam or config["search"]["beam"]
        self.with_words = uses_words(config)
        start = config["target"]["start"]
        text = texts[1]
        rules = config["search"]
        specials = [] if rules.get("specials") == "allowed" else [text.pad, *start]
        self.barred = sorted({*specials, *rules.get("excluded", [])} - {text.eos})

    def maximum_length(self, source_length):
        limits, start = self.config["search"]["max_length"], len(self.config["target"]["start"])
        wanted = math.floor(limits["factor"] * source_length) + limits["plus"]
        most = limits.get("most") or wanted
        return max(1, min(wanted, most, self.config["max_positions"] - start + 1))

    def begins_word(self, ids):
        """True if the last token of a prefix begins a word."""
        if len(ids) - 1 <= len(self.config["target"]["start"]):
            return True
        pieces = self.texts[1].pieces
        return self.texts[1].begins_word(pieces[ids[-2]], pieces[ids[-1]])

    def inputs(self, beams):
        ids = beams.ids.flatten(0, 1)
        words = None
        if self.with_words:
            words = torch.tensor([row for group in beams.words for row in group],
                                 device=self.device)
        lengths = torch.full((len(ids),), ids.shape[1], device=self.device)
        return Side(ids, lengths, words)

    @torch.no_grad()
    def search(self, source):
        """source: Side of a batch. Returns (score, ids) for every sentence, best first."""
        search = self.config["search"]
        maximum = [self.maximum_length(n) for n in source.lengths.tolist()]
        beams = Beams(len(source.lengths), self.beam, self.config["target"]["start"], maximum,
                      search, self.device)
        states, eos = self.model.encode(source), self.texts[1].eos
        while beams.active:
            rows = torch.tensor(beams.active, device=self.device).repeat_interleave(self.beam)
            decoded = self.model.decode(self.inputs(beams), source.rows(rows), states[rows])
            logits = self.model.logits(decoded[:, -1]).float()
            if search.get("renormalize"):
                logits[beams.rows_before_the_end(), eos] = -math.inf
            logprobs = logits.log_softmax(-1)
            logprobs[:, self.barred] = -math.inf
            totals = beams.scores[:, :, None] + logprobs.view(len(beams.active), self.beam, -1)
            groups, survivors = beams.advance(totals, eos)
            if not groups:
                break
            beams.keep(groups, survivors, self.begins_word if self.with_words else None)
        # Sorting is stable: of equal scores, the one that finished first comes first.
        return [sorted(found, key=lambda h: -h[0])[:self.beam] for found in beams.finished]

    def translate(self, lines, tokens=4000, report=None):
        """Translates lines of text, in batches of about `tokens` source tokens over beams."""
        text = self.texts[0]
        ids = text.encode(lines)
        words = text.words(lines) if self.with_words else None
        limit = self.config["max_positions"]
        for i, sentence in enumerate(ids):
            if len(sentence) > limit:
                raise ValueError(f"line {i + 1}: {len(sentence)} tokens, expected at most {limit}")
        # Without tokens to attend to, there is nothing to say; only possible without a suffix.
        order = sorted((i for i in range(len(lines)) if ids[i]), key=lambda i: len(ids[i]))
        out, begin = [""] * len(lines), 0
        while begin < len(order):
            width = len(ids[order[begin]])
            end = begin + max(1, tokens // (width * self.beam))
            batch = order[begin:end]
            source = make_side([ids[i] for i in batch],
                               None if words is None else [words[i] for i in batch],
                               text.pad, self.device)
            for i, found in zip(batch, self.search(source)):
                out[i] = self.texts[1].decode(found[0][1])
            begin = end
            if report:
                report(min(begin, len(order)), len(order))
        return out


def bleu(translations, references, tokenize="13a", lowercase=False):
    """Returns score and signature."""
    metric = sacrebleu.BLEU(tokenize=tokenize, lowercase=lowercase)
    score = metric.corpus_score(translations, [references])
    return score, str(metric.get_signature())
