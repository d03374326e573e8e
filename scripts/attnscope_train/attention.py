"""One attention module, with the four choices that a configuration may make for it:

energy of a head (with softmax or entmax), mask of a head, combination of heads, context of queries and keys."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from .entmax import Alphas
from .fast import dropout, short_attention

HIDDEN = -1e30      # finite, so that a row that sees nothing has a gradient of 0 rather than NaN


class Context(nn.ModuleDict):
    """Context vectors mixed into queries and keys: Yang et al. 2019, equations 5 to 10.

    Empty if the layer has no context vector (deep in the first layer)."""

    def __init__(self, spec, layer, d_model, heads, head_dim, biases):
        super().__init__()
        self.gate, self.head_dim = spec.get("gate", "token"), head_dim
        self.sides = spec.get("sides", "qk")
        sizes = {"global": d_model, "deep": layer * d_model, "deep_global": (layer + 1) * d_model}
        self.vectors = [v for v in ("global", "deep", "deep_global")
                        if v in spec["vectors"] and sizes[v]]
        width = heads * head_dim
        for vector in self.vectors:
            self[vector] = nn.ParameterDict({side: torch.empty(width, sizes[vector])
                                             for side in self.sides})
        if not self.vectors or self.gate == "none":
            return
        size = width if self.gate == "token" else head_dim
        for side in self.sides:
            self[f"gate_{side}"] = nn.ParameterDict({name: torch.empty(size)
                                                     for name in ("state", "context")})
            if "gates" in biases:
                self[f"gate_{side}"]["bias"] = torch.zeros(1)

    def reset(self):
        for name, parameters in self.items():
            for key, p in parameters.items():
                if not name.startswith("gate_"):
                    nn.init.xavier_uniform_(p)
                elif key != "bias":
                    nn.init.normal_(p, std=p.numel() ** -0.5)

    def mix(self, side, projected, vectors):
        """projected: (B, T, width), Q or K; vectors: name -> (B, T or 1, size)."""
        if side not in self.sides or not self.vectors:
            return projected
        context = sum(F.linear(vectors[name], self[name][side]) for name in self.vectors)
        if self.gate == "none":
            return projected + context
        gate = self[f"gate_{side}"]
        if self.gate == "head":
            projected, context = (t.unflatten(-1, (-1, self.head_dim))
                                  for t in (projected, context))
        logit = ((projected * gate["state"]).sum(-1, keepdim=True)
                 + (context * gate["context"]).sum(-1, keepdim=True))
        if "bias" in gate:
            logit = logit + gate["bias"]
        mixed = torch.lerp(*torch.broadcast_tensors(projected, context, torch.sigmoid(logit)))
        return mixed.flatten(2) if self.gate == "head" else mixed


class History:
    """The inputs of the self-attention modules so far, and their means, from which contexts are
    made."""

    def __init__(self, geometry):
        self.geometry, self.inputs, self.means = geometry, [], []

    def add(self, x):
        """x: (B, T, d), the input of the next layer's module."""
        self.inputs.append(x)
        if self.geometry.causal:
            mean = x.cumsum(dim=1) / (self.geometry.i + 1)
        else:
            valid = self.geometry.query_valid()[:, :, None]
            mean = (x * valid).sum(dim=1, keepdim=True) / self.geometry.query_lengths[:, None, None]
        self.means.append(mean)

    def vectors(self, names):
        built = {"global": lambda: self.means[-1],
                 "deep": lambda: torch.cat(self.inputs[:-1], dim=-1),
                 "deep_global": lambda: torch.cat(self.means, dim=-1)}
        return {name: built[name]() for name in names}


class Dhicm(nn.ParameterDict):
    """Attention over the heads' outputs in place of W_O: Goindani and Shrivastava 2021.

    The last importance is kept until the training has read its divergence from uniform."""

    def __init__(self, d_m, d_model, head_dim, dropout_after_u):
        super().__init__({"w": torch.empty(d_m, head_dim), "u": torch.empty(d_m, d_model),
                          "v": torch.empty(d_m, head_dim), "out": torch.empty(d_model, d_m)})
        self.d_m, self.dropout_after_u = d_m, dropout_after_u
        self.divergence = None

    def reset(self):
        for p in self.values():
            nn.init.xavier_uniform_(p)

    def combine(self, heads, x, valid):
        """heads: (B, H, T, head_dim); x: (B, T, d); valid: (B, T)."""
        query = dropout(F.linear(x, self["u"]), self.dropout_after_u, self.training)
        # W O^h . U x = O^h . W^T U x: one product per position instead of one per head.
        query = F.linear(query, self["w"].t())                          # (B, T, head_dim)
        scores = (heads * query[:, None]).sum(-1) / math.sqrt(self.d_m)
        importance = scores.softmax(dim=1)                              # (B, H, T)
        if self.training:
            divergence = (importance * scores.log_softmax(dim=1)).sum(1) + math.log(heads.shape[1])
            self.divergence = divergence[valid].mean()
        mixed = (importance[..., None] * heads).sum(dim=1)
        return F.linear(F.linear(mixed, self["v"]), self["out"])


SHORT = 48      # up to so many keys, the small kernel wins on CPUs


def pattern_of(head):
    """Returns what Geometry.pattern calls the pattern of a fixed head."""
    if head["pattern"] == "gaussian":
        return "gaussian", head.get("offset", 0), head.get("deviation", 1.0)
    return head["pattern"]


def plain_attention(q, k, v, geometry, probability):
    """All heads learned, all masks global. (B, H, T or S, head_dim) -> (B, H, T, head_dim)."""
    short = q.device.type == "cpu" and k.shape[2] <= SHORT and not probability
    if short and {q.dtype, k.dtype, v.dtype} == {torch.float32}:
        return short_attention(q, k, v, geometry.visible_floats())
    return F.scaled_dot_product_attention(q, k, v, attn_mask=geometry.key_mask(),
                                          is_causal=geometry.causal, dropout_p=probability)


def rotated(x, layout, base=10000.0, **_):
    """Rotary positions (Su et al. 2021). x: (B, H, T, head_dim), queries or keys."""
    half = x.shape[-1] // 2
    k = torch.arange(half, dtype=torch.float64, device=x.device)
    angles = torch.arange(x.shape[2], dtype=torch.float64, device=x.device)[:, None] * base ** (-k / half)
    cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1) if layout == "halves" else x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = first * cosine - second * sine, second * cosine + first * sine
    return torch.cat(turned, dim=-1) if layout == "halves" else torch.stack(turned, dim=-1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, spec, layer, d_model, head_dim, dropouts, biases, scale=None, cap=None, kv_heads=None,
                 rotary=None):
        """scale: replaces 1 / sqrt(head_dim) for energies; cap: of energies; kv_heads: of keys and values, which
        heads share; rotary: the configuration of rotary positions."""
        super().__init__()
        heads = spec["heads"]
        self.cap, self.rotary, self.shared = cap, rotary, len(heads) // (kv_heads or len(heads))
        # Queries are multiplied by this, so that energies can be divided by the root.
        self.rescale = 1.0 if scale is None else scale * math.sqrt(head_dim)
        self.head_dim, self.dropout = head_dim, dropouts["attention"]
        self.learned = [h for h, head in enumerate(heads) if head["energy"] == "learned"]
        self.fixed = [h for h, head in enumerate(heads) if head["energy"] == "fixed"]
        self.masks = [heads[h].get("mask", "global") for h in self.learned]
        self.patterns = [(pattern_of(heads[h]), heads[h].get("unit", "token")) for h in self.fixed]
        alphas = [heads[h].get("alpha", 1) for h in self.learned]
        self.alphas = None if all(alpha == 1 for alpha in alphas) else Alphas(alphas)
        self.plain = not self.fixed and self.alphas is None and cap is None \
            and all(mask == "global" for mask in self.masks)
        if self.fixed and not dropouts["fixed"]:
            spared = torch.tensor([head["energy"] == "fixed" for head in heads])[:, None, None]
            self.register_buffer("spared", spared, persistent=False)
        width = len(self.learned) * head_dim
        if self.learned:
            self.q = nn.Linear(d_model, width, bias="q" in biases)
            self.k = nn.Linear(d_model, width // self.shared, bias="k" in biases)
        self.v = nn.Linear(d_model, len(heads) * head_dim // self.shared, bias="v" in biases)
        if spec["combine"]["kind"] == "dhicm":
            self.dhicm = Dhicm(spec["combine"]["d_m"], d_model, head_dim, dropouts["dhicm"])
        else:
            self.o = nn.Linear(len(heads) * head_dim, d_model, bias="o" in biases)
        if spec["context"] is not None and self.learned:
            self.context = Context(spec["context"], layer, d_model, len(self.learned), head_dim,
                                   biases)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], -1, self.head_dim).transpose(1, 2)

    def for_every_head(self, x):
        """Keys or values (B, S, ·), of which several heads share each."""
        if self.shared == 1:
            return x
        return x.unflatten(-1, (-1, self.head_dim)).repeat_interleave(self.shared, dim=-2).flatten(-2)

    def queries_and_keys(self, x, memory, history):
        q, k = self.q(x), self.for_every_head(self.k(memory))
        if hasattr(self, "context"):
            vectors = history.vectors(self.context.vectors)
            q, k = self.context.mix("q", q, vectors), self.context.mix("k", k, vectors)
        if self.rescale != 1.0:
            q = q * self.rescale
        q, k = self.split(q), self.split(k)
        if self.rotary is not None:
            q, k = rotated(q, **self.rotary), rotated(k, **self.rotary)
        return q, k

    def weights(self, x, memory, geometry, history):
        """Returns (B, H, T, S) for modules whose heads differ."""
        rows = [None] * (len(self.learned) + len(self.fixed))
        if self.learned:
            q, k = self.queries_and_keys(x, memory, history)
            allowed = geometry.masks(self.masks)
            energies = (q @ k.transpose(2, 3)) / math.sqrt(self.head_dim)
            if geometry.bias is not None:
                energies = energies + geometry.bias[self.learned]
            if self.cap is not None:
                energies = self.cap * torch.tanh(energies / self.cap)
            energies = energies.masked_fill(~allowed, HIDDEN)
            learned = energies.softmax(-1) if self.alphas is None else self.alphas(energies)
            learned = learned * allowed.any(-1, keepdim=True)
            for h, row in zip(self.learned, learned.unbind(1)):
                rows[h] = row
        for h, (name, unit) in zip(self.fixed, self.patterns):
            rows[h] = geometry.pattern(name, unit).expand(x.shape[0], x.shape[1], -1)
        return torch.stack(rows, dim=1)

    def drop(self, weights):
        """Applies attention dropout; patterns are exempt unless --fixed-dropout is on."""
        dropped = dropout(weights, self.dropout, self.training)
        return torch.where(self.spared, weights, dropped) if hasattr(self, "spared") else dropped

    def forward(self, x, memory, geometry, history=None):
        """x: (B, T, d), the query side; memory: (B, S, d); history: for a stack with context."""
        v = self.split(self.for_every_head(self.v(memory)))
        if self.plain and geometry.bias is None:
            q, k = self.queries_and_keys(x, memory, history)
            heads = plain_attention(q, k, v, geometry, self.dropout if self.training else 0.0)
        else:
            weights = self.weights(x, memory, geometry, history)
            heads = self.drop(weights).to(v.dtype) @ v
        if hasattr(self, "dhicm"):
            return self.dhicm.combine(heads, x, geometry.query_valid())
        return self.o(heads.transpose(1, 2).flatten(2))
