"""Beam search, one sentence at a time and with nothing remembered from step to step: every live
beam is decoded anew from its first token."""

import math
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Hypothesis:
    ids: tuple  # end-of-sentence included once finished, start tokens never
    logprobs: tuple
    total: float = 0.0
    score: float = 0.0

    def extended(self, token, logprob):
        return Hypothesis(self.ids + (token,), self.logprobs + (logprob,), self.total + logprob)


class Margins:
    """The narrowest decision: golden data must not hang on a difference that rounding can turn."""

    def __init__(self):
        self.least = math.inf

    def ordered(self, values):
        """Notes the gaps of values that were put in falling order."""
        for a, b in zip(values, values[1:]):
            self.least = min(self.least, a - b)


def length_penalty(penalty, length):
    kind, alpha = penalty["kind"], penalty["alpha"]
    if kind == "none":
        return 1.0
    length += penalty.get("offset", 0)
    return (length if kind == "average" else (5 + length) / 6) ** alpha


def maximum_length(config, source_length):
    """Tokens of the longest hypothesis, end-of-sentence included."""
    limit = config["search"]["max_length"]
    wanted = math.floor(limit["factor"] * source_length) + limit["plus"]
    room = config["max_positions"] - len(config["target"]["start"]) + 1
    return max(1, min(wanted, limit.get("most") or wanted, room))


def never_produced(checkpoint):
    """What the configuration excludes, and padding and start tokens unless it allows them; but a
    model that starts from end-of-sentence must also end."""
    eos, config = checkpoint.special("eos", "target"), checkpoint.config
    rules = config["search"]
    specials = {checkpoint.special("pad", "target"), *config["target"]["start"]}
    if rules.get("specials") == "allowed":
        specials = set()
    return (specials | set(rules.get("excluded", []))) - {eos}


def ranked_continuations(live, rows, banned):
    """Every (total, beam, token), best first: ties to the lower beam, then the lower id."""
    every = [(hypothesis.total + logprob, beam, token)
             for beam, (hypothesis, row) in enumerate(zip(live, rows))
             for token, logprob in enumerate(row) if token not in banned]
    return sorted(every, key=lambda c: (-c[0], c[1], c[2]))


def advance(live, rows, banned, beam, eos, margins, ranks=None):
    """One step: (beams that live on, hypotheses that finished), both in rank order. `ranks` of the
    continuations count; by default 2 * beam."""
    ranks = ranks or 2 * beam
    ranked = ranked_continuations(live, rows, banned)
    margins.ordered([total for total, _, _ in ranked[: ranks + 1]])
    living, finished = [], []
    for rank, (_, parent, token) in enumerate(ranked[:ranks]):
        hypothesis = live[parent].extended(token, rows[parent][token])
        if token != eos:
            living.append(hypothesis)
        elif rank < beam:
            finished.append(hypothesis)
    return living[:beam], finished


def outranking(finished, live, rows, banned, beam, penalty, margins):
    """The finished hypotheses that are among the `beam` best of these, by score, and of all
    continuations, by sum."""
    totals = [total for total, _, _ in ranked_continuations(live, rows, banned)]
    kept = best(finished, beam, penalty, margins)
    while kept and sum(total > kept[-1].score for total in totals) + len(kept) - 1 >= beam:
        kept.pop()
    margins.ordered(sorted(totals[: beam + 1] + [h.score for h in kept], reverse=True))
    return kept


def ended(live, rows, eos, margins):
    """Every live hypothesis, ended, in rank order."""
    ends = [h.extended(eos, row[eos]) for h, row in zip(live, rows)]
    ends.sort(key=lambda h: -h.total)
    margins.ordered([h.total for h in ends])
    return ends


def search(model, source, beam=None, penalty=None):
    """(hypotheses, best first; the narrowest margin)."""
    settings = model.config["search"]
    beam, penalty = beam or settings["beam"], penalty or settings["length_penalty"]
    eos = model.checkpoint.special("eos", "target")
    banned, margins = never_produced(model.checkpoint), Margins()
    memory, start = model.encode(source, {}), model.config["target"]["start"]

    endings, least = settings.get("endings", "best"), settings.get("min_length", 0)
    limit = maximum_length(model.config, len(source.ids))

    def next_logprobs(hypothesis):
        logits = model.decode(memory, source, start + list(hypothesis.ids), {})[-1]
        if settings.get("renormalize") and len(hypothesis.ids) + 1 <= min(least, limit - 1):
            logits = logits.index_fill(0, torch.tensor([eos]), -math.inf)
        return torch.log_softmax(logits, dim=0).tolist()

    live, finished = [Hypothesis((), ())], []
    for length in range(1, limit + 1):
        rows = [next_logprobs(hypothesis) for hypothesis in live]
        if length == limit:
            finished += ended(live, rows, eos, margins)
            break
        barred = banned | ({eos} if length <= least else set())
        if endings == "ranked":
            finished = outranking(finished, live, rows, barred, beam, penalty, margins)
        left = beam - len(finished)
        ranks = {"narrow": left, "ranked": left, "top": beam}.get(endings)
        live, ends = advance(live, rows, barred, beam, eos, margins, ranks)
        finished += ends
        if not live:
            break
        if endings == "top":
            finished = best(finished, beam, penalty, margins)
            if ends and ends[0].total > live[0].total:
                break
        elif len(finished) >= beam:
            if endings != "attainable" or beam == 1:
                break
            finished = best(finished, beam, penalty, margins)
            attainable = live[0].total / length_penalty(penalty, length)
            margins.ordered(sorted([attainable, finished[-1].score], reverse=True))
            if attainable <= finished[-1].score:
                break
    if endings == "first":
        finished = finished[:beam]
    return best(finished, beam, penalty, margins), margins.least


def best(finished, beam, penalty, margins):
    """At most `beam`, by score. More may have finished when several did so in the last step; the
    sort is stable, so equal scores stay in the order in which they finished."""
    scored = [Hypothesis(h.ids, h.logprobs, h.total, h.total / length_penalty(penalty, len(h.ids)))
              for h in finished]
    scored.sort(key=lambda h: -h.score)
    margins.ordered([h.score for h in scored[: beam + 1]])
    return scored[:beam]
