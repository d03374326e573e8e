"""Entmax: Peters, Niculae and Martins 2019; Correia, Niculae and Martins 2019, section 3.

Weights max(0, (alpha - 1) e - tau)^(1 / (alpha - 1)) with the tau for which they sum to 1. By sorting where alpha
is 1.5 or 2, in closed form for each number of keys that have weight; otherwise by halving."""

import torch

HALVINGS = 200


def entmax(energies, alpha):
    """Applies entmax to the last dimension; derivatives are those of the implicit function tau."""
    if alpha == 1:
        return torch.softmax(energies, dim=-1)
    x = (alpha - 1) * (energies - energies.max(dim=-1, keepdim=True).values.detach())
    x = x.clamp(min=-2.0)  # keys 1 or more below the greatest have no weight; avoids differences with -inf
    with torch.no_grad():
        threshold = {1.5: sorted_root, 2.0: sorted_mean}.get(alpha, halved)(x, alpha)
        base = (x - threshold).clamp(min=0)
        slopes = base.clamp(min=1e-300) ** ((2 - alpha) / (alpha - 1)) * (base > 0)
    # One step from where the sum is 1: it changes nothing, but has the derivatives of tau.
    threshold = threshold + (slopes * (x - x.detach())).sum(dim=-1, keepdim=True) / slopes.sum(dim=-1, keepdim=True)
    base = x - threshold
    return base.clamp(min=1e-300) ** (1 / (alpha - 1)) * (base > 0)


def halved(x, alpha):
    low, high = x.amax(dim=-1, keepdim=True) - 1, x.amax(dim=-1, keepdim=True)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = ((x - middle).clamp(min=0) ** (1 / (alpha - 1))).sum(dim=-1, keepdim=True) >= 1
        low, high = torch.where(above, middle, low), torch.where(above, high, middle)
    return low


def largest_support(thresholds, ranked):
    """Returns the last of the thresholds for 1, 2, ... keys that is below the smallest of those
    keys."""
    count = (thresholds < ranked).sum(dim=-1, keepdim=True)
    return thresholds.gather(-1, count - 1)


def sorted_mean(x, _):
    """Sparsemax (Martins and Astudillo 2016, algorithm 1)."""
    ranked = x.sort(dim=-1, descending=True).values
    k = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    return largest_support((ranked.cumsum(dim=-1) - 1) / k, ranked)


def sorted_root(x, _):
    """Peters et al. 2019, algorithm 2: for k keys the sum of (x - tau)^2 is 1 if tau is their mean
    minus a root."""
    ranked = x.sort(dim=-1, descending=True).values
    k = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    mean, square = ranked.cumsum(dim=-1) / k, (ranked**2).cumsum(dim=-1) / k
    return largest_support(mean - ((1 / k - (square - mean**2)).clamp(min=0)) ** 0.5, ranked)
