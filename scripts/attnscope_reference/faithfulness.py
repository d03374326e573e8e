"""How faithful a method's values are, in float64: comprehensiveness and sufficiency (DeYoung et al.
2020, "ERASER", section 4) for each prediction, over the paper's shares of tokens."""

import math

import torch

SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)
NEAR = 1e-3  # values closer together than this share of the greatest count as equal


def tokens_of_text(of):
    """The places of the source's tokens, without those that the model puts around its text."""
    around = of.config["source"]
    return list(range(len(around["prefix"]), len(of.words.ids) - len(around["suffix"])))


def without(of, erased):
    """The probability of every target token if these source tokens are erased."""
    given = {stack: x.clone() for stack, x in of.embeddings.items()}
    given["encoder"][sorted(erased)] = of.baseline["encoder"]
    return of.objectives(given).exp()


def faithfulness(of, method):
    """[comprehensiveness, sufficiency] of every row; None if its ranking is uncertain."""
    values, places = of.matrix(method), tokens_of_text(of)
    with torch.no_grad():
        return [row_of(of, row, values[row], places) for row in range(len(values))]


def row_of(of, row, values, places):
    ranking = sorted(places, key=lambda place: -values[place].item())
    sizes = [math.ceil(share * len(places) - 1e-9) for share in SHARES]
    greatest = max(abs(values[place].item()) for place in places)
    if any(size < len(places) and values[ranking[size - 1]] - values[ranking[size]] < NEAR * greatest
           for size in sizes):
        return None
    whole = without(of, [])[row].item()
    losses = [[whole - without(of, erased)[row].item() for erased in (ranking[:size], ranking[size:])]
              for size in sizes]
    return [sum(loss[i] for loss in losses) / len(losses) for i in range(2)]
