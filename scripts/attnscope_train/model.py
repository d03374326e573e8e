"""The Transformer that training differentiates.

Modules are named so that state_dict() has the tensor names of a checkpoint."""

import functools
import math

import torch
import torch.nn.functional as F
from torch import nn

from .attention import Attention, Context, Dhicm, History
from .config import is_recurrent, last_norm, of_stack, resolve
from .fast import dropout
from .geometry import Geometry
from .recurrence import Recurrence

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu,
               "gelu_tanh": functools.partial(F.gelu, approximate="tanh"),
               "gelu_sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
               "tanh": torch.tanh, "sigmoid": torch.sigmoid}

# Which linear maps have a bias; each may be omitted separately.
BIASES = ("q", "k", "v", "o", "gates", "output")


def norm_of(config):
    kind = nn.RMSNorm if config.get("norm_kind") == "rms" else nn.LayerNorm
    return kind(config["d_model"], config["norm_eps"])


class Layer(nn.Module):
    """Self-attention or a recurrence, cross-attention (decoder only) and feed-forward, each with
    its norm."""

    def __init__(self, config, stack, index, modules, dropouts, biases):
        super().__init__()
        d, head_dim = config["d_model"], config[stack]["head_dim"]
        self.pre_norm, self.dropouts = of_stack(config, "norm", stack) == "pre", dropouts
        self.cross_attention = None
        positions = config["positions"][stack]
        energies = {"scale": config.get("attention_scale"), "cap": config.get("attention_cap"),
                    "kv_heads": config[stack].get("kv_heads")}
        if is_recurrent(config, stack):
            self.recurrence = Recurrence(d)
        else:
            self.self_attention = Attention(modules[stack, "self"][index], index, d, head_dim,
                                            dropouts, biases, **energies,
                                            rotary=positions if positions["kind"] == "rotary" else None)
        if stack == "decoder":
            self.cross_attention = Attention(modules[stack, "cross"][index], index, d, head_dim,
                                             dropouts, biases, **energies)
        d_ff = of_stack(config, "d_ff", stack)
        self.ffn = nn.ModuleDict({"in": nn.Linear(d, d_ff), "out": nn.Linear(d_ff, d)})
        if config.get("gated_ffn"):
            self.ffn["gate"] = nn.Linear(d, d_ff)
        for i in range(2 if stack == "encoder" else 3):
            setattr(self, f"norm{i + 1}", norm_of(config))
            if of_stack(config, "output_norm", stack):
                setattr(self, f"output_norm{i + 1}", norm_of(config))
        self.activation = ACTIVATIONS[config["activation"]]

    def residual(self, x, number, sublayer):
        norm = getattr(self, f"norm{number}")
        y = sublayer(norm(x)) if self.pre_norm else sublayer(x)
        if hasattr(self, f"output_norm{number}"):
            y = getattr(self, f"output_norm{number}")(y)
        x = x + dropout(y, self.dropouts["residual"], self.training)
        return x if self.pre_norm else norm(x)

    def feed_forward(self, x):
        hidden = self.ffn["in"](x)
        hidden = (self.activation(self.ffn["gate"](x)) * hidden if "gate" in self.ffn
                  else self.activation(hidden))
        hidden = dropout(hidden, self.dropouts["activation"], self.training)
        return self.ffn["out"](hidden)

    def attend_self(self, x, geometry, history):
        if hasattr(self, "recurrence"):
            return self.recurrence(x)
        if history is not None:
            history.add(x)
        return self.self_attention(x, x, geometry, history)

    def forward(self, x, geometry, history, memory=None, cross_geometry=None):
        x = self.residual(x, 1, lambda h: self.attend_self(h, geometry, history))
        if self.cross_attention is None:
            return self.residual(x, 2, self.feed_forward)
        x = self.residual(x, 2, lambda h: self.cross_attention(h, memory, cross_geometry))
        return self.residual(x, 3, self.feed_forward)


class RelativeBias(nn.Embedding):
    """What relative positions add to the energies of all layers: Raffel et al. 2020, section 2.1.

    In the encoder, keys before and after the query have half of the buckets each."""

    def __init__(self, spec, heads, both_ways):
        super().__init__(spec["buckets"], heads)
        self.max_distance, self.both_ways = spec["max_distance"], both_ways

    def forward(self, geometry):
        """(H, T, S)"""
        distance = geometry.j - geometry.i
        count = self.num_embeddings // 2 if self.both_ways else self.num_embeddings
        first = count * (distance > 0) if self.both_ways else 0
        away = distance.abs() if self.both_ways else (-distance).clamp(min=0)
        exact = count // 2
        growth = (away.clamp(min=1) / exact).log() / math.log(self.max_distance / exact)
        far = (exact + (growth * (count - exact)).long()).clamp(max=count - 1)
        return super().forward(first + torch.where(away < exact, away, far)).permute(2, 0, 1)


class Stack(nn.Module):
    def __init__(self, config, stack, modules, dropouts, biases):
        super().__init__()
        self.layers = nn.ModuleList(Layer(config, stack, i, modules, dropouts, biases)
                                    for i in range(config[stack]["layers"]))
        self.norm = self.embedding_norm = None
        if of_stack(config, "embedding_norm", stack):
            self.embedding_norm = norm_of(config)
        if last_norm(config, stack):
            self.norm = norm_of(config)
        self.has_context = any(m["context"] is not None for m in modules[stack, "self"])

        bias = config["positions"][stack].get("bias")
        owners = [] if bias is None else self.layers if bias.get("layers") == "separate" else [self]
        for owner in owners:
            owner.relative_bias = RelativeBias(bias, config[stack]["heads"], stack == "encoder")

    def forward(self, x, geometry, *attended):
        if hasattr(self, "relative_bias"):
            geometry.bias = self.relative_bias(geometry)
        history = History(geometry) if self.has_context else None
        for layer in self.layers:
            if hasattr(layer, "relative_bias"):
                geometry.bias = layer.relative_bias(geometry)
            x = layer(x, geometry, history, *attended)
        return x if self.norm is None else self.norm(x)


def sinusoids(positions, d, layout):
    """(positions, d): sin and cos of p / 10000^(2k/d)."""
    half = d // 2
    divisor = half - 1 if layout == "halves_fairseq" else half
    k = torch.arange(half, dtype=torch.float64)
    frequency = torch.exp(-math.log(10000.0) * k / divisor)
    angles = torch.arange(positions, dtype=torch.float64)[:, None] * frequency
    if layout == "interleaved":
        table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    else:
        table = torch.cat([angles.sin(), angles.cos()], dim=1)
    return table.float()


class Transformer(nn.Module):
    def __init__(self, config, vocabulary_sizes, dropouts, biases=BIASES[:-1]):
        super().__init__()
        self.config, self.dropouts = config, dropouts
        d, tied, modules = config["d_model"], config.get("tied", {}), resolve(config)
        self.source_embedding = nn.Embedding(vocabulary_sizes[0], d)
        self.target_embedding = None
        if tied.get("target_embedding") is None:
            self.target_embedding = nn.Embedding(vocabulary_sizes[1], d)
        output = {}
        if tied.get("output") is None:
            output["weight"] = torch.empty(vocabulary_sizes[1], d)
        if "output" in biases:
            output["bias"] = torch.zeros(vocabulary_sizes[1])
        self.output = nn.ParameterDict(output)
        self.encoder = Stack(config, "encoder", modules, dropouts, biases)
        self.decoder = Stack(config, "decoder", modules, dropouts, biases)
        for stack in ("encoder", "decoder"):
            self.add_positions(stack)
        self.initialise()

    def add_positions(self, stack):
        positions, d = self.config["positions"][stack], self.config["d_model"]
        rows = self.config["max_positions"] + positions.get("offset", 0)
        if positions["kind"] == "learned":
            getattr(self, stack).positions = nn.Embedding(rows, d)
        elif positions["kind"] == "sinusoidal":
            self.register_buffer(f"{stack}_sinusoids", sinusoids(rows, d, positions["layout"]),
                                 persistent=False)

    def initialise(self):
        scale = self.config["d_model"] ** -0.5
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=scale)
            elif isinstance(module, (Context, Dhicm)):
                module.reset()
        if "weight" in self.output:
            nn.init.normal_(self.output["weight"], std=scale)

    def target_table(self):
        return (self.source_embedding if self.target_embedding is None
                else self.target_embedding).weight

    def output_table(self):
        if "weight" in self.output:
            return self.output["weight"]
        if self.config["tied"]["output"] == "target_embedding":
            return self.target_table()
        return self.source_embedding.weight

    def embed(self, ids, table, stack):
        x = F.embedding(ids, table) * self.config["embedding_scale"]
        positions = self.config["positions"][stack]
        first, n = positions.get("offset", 0), ids.shape[1]
        if positions["kind"] == "learned":
            x = x + getattr(self, stack).positions.weight[first:first + n]
        elif positions["kind"] == "sinusoidal":
            x = x + getattr(self, f"{stack}_sinusoids")[first:first + n]
        norm = getattr(self, stack).embedding_norm
        x = x if norm is None else norm(x)
        return dropout(x, self.dropouts["residual"], self.training)

    def encode(self, source):
        """source: data.Side of the batch. Returns states (B, S, d)."""
        width = source.ids.shape[1]
        geometry = Geometry((source.lengths, width), (source.lengths, width),
                            query_words=source.words, key_words=source.words)
        x = self.embed(source.ids, self.source_embedding.weight, "encoder")
        return self.encoder(x, geometry)

    def decode(self, inputs, source, memory):
        """inputs: Side of the decoder's inputs; memory: the states of `source`.
        Returns states (B, T, d), before the output's weights."""
        queries = inputs.lengths, inputs.ids.shape[1]
        keys = source.lengths, memory.shape[1]
        geometry = Geometry(queries, queries, causal=True, query_words=inputs.words,
                            key_words=inputs.words)
        cross = Geometry(queries, keys, query_words=inputs.words, key_words=source.words)
        x = self.embed(inputs.ids, self.target_table(), "decoder")
        return self.decoder(x, geometry, memory, cross)

    def logits(self, states):
        bias = self.output["bias"] if "bias" in self.output else None
        scale = self.config.get("output_scale", 1.0)
        logits = F.linear(states if scale == 1.0 else states * scale, self.output_table(), bias)
        cap = self.config.get("output_cap")
        return logits if cap is None else cap * torch.tanh(logits / cap)

    def divergence(self):
        """Sum over all DHICM modules of KL(importance || uniform), each a mean over positions."""
        return sum(m.divergence for m in self.modules() if isinstance(m, Dhicm))
