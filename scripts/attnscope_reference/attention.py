"""One attention module: energies, contexts with gates, and the combination of heads.

Written for one sentence at a time, so nothing is padded. Rows are positions of the module's
queries, columns those of its keys.
"""

import math
from dataclasses import dataclass, field, replace

import torch

from .checkpoint import MODULES
from .entmax import entmax
from .patterns import mask_matrix, pattern_matrix


@dataclass(frozen=True)
class Grid:
    """What rows and columns are: the word each belongs to, and whether a row sees the future."""

    query_words: list
    key_words: list
    causal: bool

    def words(self, unit):
        """Word numbers of rows and columns; as tokens every position is a word."""
        if unit == "word":
            return tuple(self.query_words), tuple(self.key_words)
        return tuple(range(len(self.query_words))), tuple(range(len(self.key_words)))


@dataclass
class Dials:
    """What a session changes at run time, by (module, layer, head), all from 0."""

    gains: dict = field(default_factory=dict)
    masks: dict = field(default_factory=dict)
    patterns: dict = field(default_factory=dict)  # (pattern, unit)

    def head_outputs(self, module, outputs):
        """Outputs of a module's heads [rows, H, head_dim] as they go on."""
        return outputs

    def values(self, module, values):
        """A module's values [columns, H, head_dim] as its heads read them."""
        del module
        return values

    def constant(self, x):
        """What relevance takes as constant: gates, importances, roots of norms."""
        return x

    def halved(self, x):
        """A product of two sides, or one of them, of which relevance gives half to either."""
        return x

    def capped(self, x, cap):
        """Energies or logits within -cap … cap; no cap: as they are."""
        return x if cap is None else cap * torch.tanh(x / cap)

    def gain_row(self, module):
        """(H) gains of one module's heads."""
        return torch.tensor([self.gains.get((module.name, module.layer, h), 1.0)
                             for h in range(len(module.heads))], dtype=torch.float64)


def pattern_fields(pattern):
    """What a head or a case has of a pattern: its name, or ("gaussian", offset, deviation)."""
    if isinstance(pattern, tuple):
        return dict(zip(("pattern", "offset", "deviation"), pattern))
    return {"pattern": pattern}


def with_dials(module, dials):
    """The module with its heads' masks and patterns replaced as a session does at run time."""
    heads = list(module.heads)
    for i, head in enumerate(heads):
        key = (module.name, module.layer, i)
        if key in dials.masks:
            heads[i] = replace(head, mask=dials.masks[key])
        if key in dials.patterns:
            pattern, unit = dials.patterns[key]
            heads[i] = replace(head, energy="fixed", unit=unit, **pattern_fields(pattern))
    return replace(module, heads=tuple(heads))


def linear(checkpoint, name, x):
    y = checkpoint.product(name, x)
    bias = checkpoint.tensor(f"{name}.bias")
    return y if bias is None else y + bias


def attend(checkpoint, module, dials, inputs, memory, grid, captured):
    """The module's output [rows, d].

    inputs: [H^1 ... H^l], what this kind of module saw in the layers up to this one [rows, d]
    memory: where keys and values come from [columns, d] (self-attention: H^l itself)
    captured: receives weights, importance and gates under the names of :export"""
    x = inputs[-1]
    at = f"{module.name}.{module.layer}"
    queries, keys = projections(checkpoint, module, dials, inputs, memory, grid.causal, captured)
    weights = head_weights(with_dials(module, dials), queries, keys, grid,
                           relative_bias(checkpoint, module, len(x), grid.causal), dials)
    captured[f"{at}.weights"] = weights
    values = shared_heads(module, linear(checkpoint, f"{module.prefix}.v", memory))
    values = dials.values(module, split_heads(values, len(module.heads)))
    outputs = torch.einsum("hrc,chk->rhk", weights, values)
    learned = torch.tensor([head.energy == "learned" for head in with_dials(module, dials).heads])
    outputs = dials.head_outputs(module, torch.where(learned[:, None], dials.halved(outputs), outputs))
    gains = dials.gain_row(module)
    if module.combine["kind"] == "concat":
        return linear(checkpoint, f"{module.prefix}.o", (outputs * gains[:, None]).flatten(1))
    mixed, captured[f"{at}.importance"] = combine_dhicm(checkpoint, module, dials, outputs, x)
    return mixed


def split_heads(x, heads):
    """[rows, heads * head_dim] -> [rows, heads, head_dim]; rows of a weight are in head order."""
    return x.reshape(x.shape[0], heads, -1)


def shared_heads(module, x):
    """Keys or values [rows, heads * head_dim], of which the file may have one head for several."""
    if module.kv_heads is None:
        return x
    times = len(module.heads) // module.kv_heads
    return torch.stack([split_heads(x, module.kv_heads)] * times, dim=2).flatten(1)


def rotated(x, layout, base, **_):
    """Rotary positions (Su et al. 2021, section 3.2.2) of [positions, heads, head_dim]: pairs of elements as complex
    numbers, times e^(i p angle)."""
    half = x.shape[-1] // 2
    angles = torch.arange(len(x)).double()[:, None] * base ** -(torch.arange(half).double() / half)
    first, second = (x[..., :half], x[..., half:]) if layout == "halves" else (x[..., ::2], x[..., 1::2])
    turned = torch.complex(first, second) * torch.exp(1j * angles)[:, None]
    if layout == "halves":
        return torch.cat([turned.real, turned.imag], dim=-1)
    return torch.stack([turned.real, turned.imag], dim=-1).flatten(-2)


def projections(checkpoint, module, dials, inputs, memory, causal, captured):
    """Queries and keys [positions, learned heads, head_dim], contexts mixed in; None, None where
    every head of the file is fixed."""
    if module.learned == 0:
        return None, None
    mixed = []
    for side, x in (("q", inputs[-1]), ("k", memory)):
        state = linear(checkpoint, f"{module.prefix}.{side}", x)
        state = shared_heads(module, state) if side == "k" else state
        if module.vectors() and side in module.sides():
            state, gate = add_context(checkpoint, module, dials, side, state, inputs, causal)
            if gate is not None:
                captured[f"{module.name}.{module.layer}.gate_{side}"] = gate
        state = split_heads(state, module.learned)
        state = rotated(state, **{"base": 10000.0} | module.rotary) if module.rotary else state
        mixed.append(dials.halved(state))
    return mixed


def relative_bias(checkpoint, module, n, causal):
    """[H, n, n] that relative positions add to energies (Raffel et al. 2020); 0 without such a bias."""
    if module.bias is None:
        return torch.zeros(len(module.heads), 1, 1)
    stack, spec = MODULES[module.name][0], dict(module.bias)
    owner = f"{stack}.layers.{module.layer}" if spec.pop("layers", "shared") == "separate" else stack
    table = checkpoint.tensors[f"{owner}.relative_bias.weight"]
    buckets = [[bucket(j - i, causal=causal, **spec) for j in range(n)] for i in range(n)]
    return table[torch.tensor(buckets)].permute(2, 0, 1)


def bucket(distance, buckets, max_distance, causal):
    """The bucket of a key that is `distance` behind its query. Keys before the query and keys after it
    have one half of the buckets each; in the decoder, which sees none of the latter, the former have all.
    The first half of them are for one distance each, the others for ranges that grow by a factor."""
    away, first = (-min(distance, 0), 0) if causal else (abs(distance), buckets // 2 * (distance > 0))
    count = buckets if causal else buckets // 2
    exact = count // 2
    if away >= exact:
        growth = math.log(away / exact) / math.log(max_distance / exact)
        away = min(exact + math.floor(growth * (count - exact)), count - 1)
    return first + away


def head_weights(module, queries, keys, grid, bias, dials):
    """[H, rows, columns] of every head, as its energy says."""
    rows = []
    for number, head in enumerate(module.heads):
        if head.energy == "fixed":
            pattern = (head.pattern, head.offset, head.deviation) if head.pattern == "gaussian" else head.pattern
            rows.append(pattern_matrix(pattern, *grid.words(head.unit), grid.causal))
        else:
            allowed = mask_matrix(head.mask, len(grid.query_words), len(grid.key_words),
                                  grid.causal)
            rows.append(scaled_dot(queries[:, head.slot], keys[:, head.slot], allowed,
                                   module.scale, bias[number], head.alpha,
                                   lambda energies: dials.capped(energies, module.cap)))
    return torch.stack(rows)


def scaled_dot(queries, keys, allowed, scale, bias, alpha, capped):
    """Entmax, where alpha is 1 softmax, of scale * q.k + bias, capped, over the allowed columns; the default scale is
    1 / sqrt(head_dim). A row that may see nothing is all zeros (where softmax alone would be NaN)."""
    energies = capped(queries @ keys.T * (queries.shape[1] ** -0.5 if scale is None else scale) + bias)
    energies = energies.masked_fill(~allowed, float("-inf"))
    nothing = ~allowed.any(dim=1, keepdim=True)
    return entmax(energies.masked_fill(nothing, 0.0), alpha).masked_fill(nothing, 0.0)


# Context: Yang et al. 2019, eq. 5-10 -----------------------------------------------------------


def mean_so_far(x, causal):
    """The mean over all positions, for each; in the decoder over those up to each."""
    if not causal:
        return x.mean(dim=0, keepdim=True).expand_as(x)
    return x.cumsum(dim=0) / torch.arange(1, x.shape[0] + 1)[:, None]


def context_vector(kind, inputs, causal):
    """C_kind [rows, size] from the inputs of this and all lower layers."""
    if kind == "global":
        return mean_so_far(inputs[-1], causal)
    if kind == "deep":
        return torch.cat(inputs[:-1], dim=1)
    return torch.cat([mean_so_far(x, causal) for x in inputs], dim=1)


def add_context(checkpoint, module, dials, side, state, inputs, causal):
    """(1 - lambda) Q + lambda C U, and lambda [rows] or [rows, learned heads] (scope none: Q + C U
    and None)."""
    at = f"{module.prefix}.context"
    projected = sum(context_vector(kind, inputs, causal)
                    @ checkpoint.tensors[f"{at}.{kind}.{side}"].T for kind in module.vectors())
    scope = module.context.get("gate", "token")
    if scope == "none":
        return state + projected, None
    # One gate for all heads is the gate of a single head that spans them.
    heads = 1 if scope == "token" else module.learned
    state, projected = split_heads(state, heads), split_heads(projected, heads)
    v, v_context = (checkpoint.tensors[f"{at}.gate_{side}.{part}"] for part in ("state", "context"))
    bias = checkpoint.tensor(f"{at}.gate_{side}.bias")
    gate = dials.constant(torch.sigmoid(state @ v + projected @ v_context + (0.0 if bias is None else bias)))
    mixed = (1 - gate[:, :, None]) * state + gate[:, :, None] * projected
    return mixed.flatten(1), gate[:, 0] if scope == "token" else gate


# DHICM: Goindani and Shrivastava 2021, eq. 1-3 -------------------------------------------------


def combine_dhicm(checkpoint, module, dials, outputs, x):
    """W_s sum_h G_h V O^h [rows, d], and G [rows, H].

    A gain scales a head's share before the shares are normalised, so that a head that is off
    leaves and the rest make up for it; with all off there is nothing to share out."""
    w, u, v, out = (checkpoint.tensors[f"{module.prefix}.dhicm.{name}"]
                    for name in ("w", "u", "v", "out"))
    scores = torch.einsum("rhm,rm->rh", outputs @ w.T, x @ u.T) / w.shape[0] ** 0.5
    shares = dials.gain_row(module) * torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    total = shares.sum(dim=1, keepdim=True)
    importance = dials.constant((shares / total.clamp(min=torch.finfo(total.dtype).tiny)) * (total > 0))
    return torch.einsum("rh,rhm->rm", importance, outputs @ v.T) @ out.T, importance
