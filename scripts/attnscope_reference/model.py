"""Embedding, the two stacks, and the forced pass over a sentence pair."""

import functools
import math

import torch

from .attention import Dials, Grid, attend, linear
from .checkpoint import last_norm, of_stack, pre_norm
from .text import Text

ACTIVATIONS = {
    "relu": lambda x: x.clamp(min=0),
    "gelu": lambda x: x * 0.5 * (1 + torch.erf(x / 2**0.5)),
    "swish": lambda x: x * torch.sigmoid(x),
    "gelu_tanh": lambda x: x * 0.5 * (1 + torch.tanh((2 / math.pi)**0.5 * (x + 0.044715 * x**3))),
    "gelu_sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}


@functools.lru_cache(maxsize=4096)
def sinusoid(p, d, layout):
    """Position p's vector [d]. Vaswani et al. interleave; tensor2tensor and fairseq put all sines
    first, and fairseq spaces the frequencies over d/2 - 1 steps."""
    half = d // 2
    k = torch.arange(half, dtype=torch.float64)
    exponent = k / (half - 1) if layout == "halves_fairseq" else 2 * k / d
    angles = p / 10000.0**exponent
    if layout == "interleaved":
        return torch.stack([angles.sin(), angles.cos()], dim=1).flatten()
    return torch.cat([angles.sin(), angles.cos()])


class Model:
    """A checkpoint with its tokenisers, and with the dials of a session."""

    def __init__(self, checkpoint, dials=None):
        self.checkpoint = checkpoint
        self.config = checkpoint.config
        self.dials = dials or Dials()
        self.text = Text(checkpoint)

    def embedding(self, stack, ids):
        """The embeddings as layers read them, without the positions."""
        table = self.checkpoint.matrix("source_embedding" if stack == "encoder"
                                       else "target_embedding")
        return table[torch.tensor(ids)] * self.config["embedding_scale"]

    def embed(self, stack, ids):
        x = self.embedding(stack, ids)
        positions = self.config["positions"][stack]
        places = range(positions.get("offset", 0), positions.get("offset", 0) + len(ids))
        if positions["kind"] == "learned":
            x = x + self.checkpoint.tensors[f"{stack}.positions.weight"][list(places)]
        elif positions["kind"] == "sinusoidal":
            x = x + torch.stack([sinusoid(p, x.shape[1], positions["layout"]) for p in places])
        if of_stack(self.config, "embedding_norm", stack):
            x = self.norm(f"{stack}.embedding_norm", x)
        return x

    def norm(self, name, x):
        if self.config.get("norm_kind") == "rms":
            square = (x**2).mean(dim=1, keepdim=True)
            return x / self.dials.constant(torch.sqrt(square + self.config["norm_eps"])) \
                * self.checkpoint.tensors[f"{name}.weight"]
        mean = x.mean(dim=1, keepdim=True)
        variance = ((x - mean) ** 2).mean(dim=1, keepdim=True)
        scaled = (x - mean) / self.dials.constant(torch.sqrt(variance + self.config["norm_eps"]))
        return scaled * self.checkpoint.tensors[f"{name}.weight"] \
            + self.checkpoint.tensors[f"{name}.bias"]

    def sublayer(self, name, x, f):
        if pre_norm(self.config, name.split(".")[0]):
            return x + self.output_norm(name, f(self.norm(name, x)))
        return self.norm(name, x + self.output_norm(name, f(x)))

    def output_norm(self, name, x):
        """What a sublayer gives, before it is added; `name` is of the sublayer's other norm."""
        if not of_stack(self.config, "output_norm", name.split(".")[0]):
            return x
        return self.norm(name.replace(".norm", ".output_norm"), x)

    def final_norm(self, stack, x):
        return self.norm(f"{stack}.norm", x) if last_norm(self.config, stack) else x

    def activation(self, x):
        return ACTIVATIONS[self.config["activation"]](x)

    def feed_forward(self, at, x):
        hidden = linear(self.checkpoint, f"{at}.ffn.in", x)
        activation = self.activation
        if self.config.get("gated_ffn"):
            hidden = self.dials.halved(hidden * activation(linear(self.checkpoint, f"{at}.ffn.gate", x)))
        else:
            hidden = activation(hidden)
        return linear(self.checkpoint, f"{at}.ffn.out", hidden)

    def self_attention(self, name, layer, grid, inputs, captured):
        """A function of the module's input, which it appends to `inputs`: deep contexts of higher
        layers look at what the projections of lower ones saw."""
        def f(x):
            inputs.append(x)
            return attend(self.checkpoint, self.checkpoint.modules[name, layer], self.dials,
                          inputs, x, grid, captured)
        return f

    def recurrence(self, layer):
        """The simpler simple recurrent unit (Kim et al. 2019), in the place of self-attention."""
        def f(x):
            at = f"decoder.layers.{layer}.recurrence"
            inputs = linear(self.checkpoint, f"{at}.input", x)
            forget = self.dials.constant(torch.sigmoid(linear(self.checkpoint, f"{at}.forget", x)))
            state, states = torch.zeros_like(x[0]), []
            for i in range(len(x)):
                state = forget[i] * state + (1 - forget[i]) * inputs[i]
                states.append(state)
            return torch.stack(states).clamp(min=0)
        return f

    def cross_attention(self, layer, grid, memory, captured):
        def f(x):
            return attend(self.checkpoint, self.checkpoint.modules["cross", layer], self.dials,
                          [x], memory, grid, captured)
        return f

    def encode(self, source, captured):
        """Encoder states [n, d] of a source (ids and the word of each)."""
        if len(source.ids) > self.config["max_positions"]:
            raise ValueError(f"source: {len(source.ids)} tokens, more than max_positions")
        x = self.embed("encoder", source.ids)
        grid, inputs = Grid(source.words, source.words, causal=False), []
        for layer in range(self.config["encoder"]["layers"]):
            at = f"encoder.layers.{layer}"
            x = self.sublayer(f"{at}.norm1", x,
                              self.self_attention("encoder", layer, grid, inputs, captured))
            x = self.sublayer(f"{at}.norm2", x, lambda h, at=at: self.feed_forward(at, h))
        return self.final_norm("encoder", x)

    def decode(self, memory, source, ids, captured):
        """Logits [m, V] after each of the decoder's inputs `ids` (start tokens included)."""
        if len(ids) > self.config["max_positions"]:
            raise ValueError(f"target: {len(ids)} decoder inputs, more than max_positions")
        words = self.text.target_words(ids)
        own, cross = Grid(words, words, causal=True), Grid(words, source.words, causal=False)
        x, inputs = self.embed("decoder", ids), []
        for layer in range(self.config["decoder"]["layers"]):
            at = f"decoder.layers.{layer}"
            before = self.recurrence(layer) if self.config["decoder"].get("recurrence", "none") != "none" \
                else self.self_attention("decoder", layer, own, inputs, captured)
            x = self.sublayer(f"{at}.norm1", x, before)
            x = self.sublayer(f"{at}.norm2", x,
                              self.cross_attention(layer, cross, memory, captured))
            x = self.sublayer(f"{at}.norm3", x, lambda h, at=at: self.feed_forward(at, h))
        x = self.final_norm("decoder", x)
        captured["decoder.output"] = x
        logits = self.checkpoint.product("output", self.config.get("output_scale", 1.0) * x)
        bias = self.checkpoint.tensor("output.bias")
        return self.dials.capped(logits if bias is None else logits + bias, self.config.get("output_cap"))

    def force(self, source, target_ids):
        """Everything captured while the decoder is given target_ids (end-of-sentence last).

        Returns (captured, log-probability of each target id)."""
        captured = {}
        start = self.config["target"]["start"]
        memory = captured["encoder.output"] = self.encode(source, captured)
        logits = captured["logits"] = self.decode(memory, source, start + target_ids[:-1], captured)
        logprobs = captured["logprobs"] = torch.log_softmax(logits, dim=1)
        after = logprobs[len(start) - 1 :]
        return captured, [after[i, token].item() for i, token in enumerate(target_ids)]
