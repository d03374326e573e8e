"""Whole models: equality with torch.nn.Transformer, parameter counts, positions."""

import math
import warnings

import torch

from .attention import Dials
from .checkpoint import Checkpoint, last_norm, modules, of_stack, pre_norm, tensor_shapes
from .golden_models import PATTERNS, base, context, fixed, learned, rule, size
from .golden_weights import random_tensors
from .model import Model, sinusoid
from .patterns import mask_matrix
from .selftest_numbers import close
from .text import Sentence

D = 16
MMA = ["global", {"local": 1}, "forward", "backward"]


def torch_transformer(config, tensors):
    """nn.Transformer with a checkpoint's weights. Its stacks have one width and one place of norms,
    and always end with a norm: so each stack is taken from a Transformer of its own."""
    heads, stacks = config["encoder"]["heads"], {}
    for stack in ("encoder", "decoder"):
        with warnings.catch_warnings(action="ignore"):  # that pre-norm has no fast path
            other = torch.nn.Transformer(
                D, heads, config["encoder"]["layers"], config["decoder"]["layers"],
                of_stack(config, "d_ff", stack), 0.0, config["activation"],
                layer_norm_eps=config["norm_eps"], batch_first=True,
                norm_first=pre_norm(config, stack), dtype=torch.float64)
        stacks[stack] = getattr(other, stack)
        if not last_norm(config, stack):
            stacks[stack].norm = None
    other.encoder = stacks["encoder"]
    other.load_state_dict({theirs: torch.cat([tensors[name] for name in ours])
                           for theirs, ours in torch_names(config).items()})
    return other.eval()


def torch_names(config):
    names = {}
    for stack in ("encoder", "decoder"):
        kinds = {"self_attn": "self_attention"}
        if stack == "decoder":
            kinds["multihead_attn"] = "cross_attention"
        for layer in range(config[stack]["layers"]):
            at = f"{stack}.layers.{layer}"
            for part in ("weight", "bias"):
                for theirs, ours in kinds.items():
                    names[f"{at}.{theirs}.in_proj_{part}"] = [f"{at}.{ours}.{x}.{part}"
                                                              for x in "qkv"]
                    names[f"{at}.{theirs}.out_proj.{part}"] = [f"{at}.{ours}.o.{part}"]
                names[f"{at}.linear1.{part}"] = [f"{at}.ffn.in.{part}"]
                names[f"{at}.linear2.{part}"] = [f"{at}.ffn.out.{part}"]
                for i in range(1, len(kinds) + 2):
                    names[f"{at}.norm{i}.{part}"] = [f"{at}.norm{i}.{part}"]
        if last_norm(config, stack):
            names |= {name: [name] for name in (f"{stack}.norm.weight", f"{stack}.norm.bias")}
    return names


def tiny_checkpoint(config, seed=1):
    """A random checkpoint whose output is the decoder's last states: logits are what they are."""
    vocab = [f"w{i}" for i in range(D)]
    tensors = {name: t.double() for name, t in
               random_tensors(config, (D, D), ("output.bias",), seed).items()}
    tensors["output.weight"] = torch.eye(D, dtype=torch.float64)
    return Checkpoint(config, tensors, vocab, vocab,
                      modules={(m.name, m.layer): m for m in modules(config)})


def additive(masks, rows, columns, causal):
    """[H, rows, columns] for nn.Transformer."""
    allowed = torch.stack([mask_matrix(mask, rows, columns, causal) for mask in masks])
    return torch.zeros(allowed.shape, dtype=torch.float64).masked_fill(~allowed, -math.inf)


def equals_torch(norm, activation, masks, **others):
    heads = [learned(mask) for mask in masks]
    rules = [rule(stack, kind, heads=heads) for stack, kind in
             (("encoder", "self"), ("decoder", "self"), ("decoder", "cross"))]
    config = base() | others | {"norm": norm, "activation": activation, "name": "test",
                                "attention": rules}
    checkpoint = tiny_checkpoint(config)
    model, other = Model(checkpoint), torch_transformer(config, checkpoint.tensors)
    source = Sentence("", [], [4, 9, 3, 7, 2], [0, 1, 2, 3, 4])
    target = [6, 4, 12, 2]
    captured, _ = model.force(source, target)
    x = model.embed("encoder", source.ids)
    y = model.embed("decoder", config["target"]["start"] + target[:-1])
    with torch.no_grad():
        memory = other.encoder(x[None], additive(masks, 5, 5, False))
        states = other.decoder(y[None], memory, additive(masks, 4, 4, True),
                               additive(masks, 4, 5, False))
    name = f"nn.Transformer {norm} {activation} {masks} {others}"
    close(f"{name}: encoder", captured["encoder.output"], memory[0])
    close(f"{name}: decoder", captured["logits"], states[0])


def equality_with_torch():
    for norm in ("post", "pre"):
        for activation in ("relu", "gelu"):
            equals_torch(norm, activation, ["global"] * 4)
        equals_torch(norm, "relu", MMA)
    equals_torch("pre", "relu", MMA, last_norm=False)
    for pre, post in (("encoder", "decoder"), ("decoder", "encoder")):
        equals_torch({pre: "pre", post: "post"}, "gelu", MMA, d_ff={pre: 12, post: 20},
                     last_norm={pre: pre == "encoder", post: False})
    equals_torch("post", "relu", ["global"] * 4, last_norm=True)  # nn.Transformer as it comes
    for stack in ("encoder", "decoder"):
        equals_torch("post", "gelu", MMA, last_norm={"encoder": False, "decoder": False} | {stack: True})


def switched_off_heads():
    """A head whose gain is 0 leaves what a model with zeros in its columns of W_O computes."""
    config = base() | {"name": "test"}
    checkpoint = tiny_checkpoint(config)
    source = Sentence("", [], [4, 9, 3, 7, 2], [0, 1, 2, 3, 4])
    gains = {("encoder", 1, 2): 0.0, ("cross", 0, 0): 0.0, ("decoder", 1, 3): 0.5}
    actual, _ = Model(checkpoint, Dials(gains)).force(source, [6, 4, 12, 2])
    for at, head, gain in (("encoder.layers.1.self", 2, 0.0), ("decoder.layers.0.cross", 0, 0.0),
                           ("decoder.layers.1.self", 3, 0.5)):
        checkpoint.tensors[f"{at}_attention.o.weight"][:, 4 * head : 4 * head + 4] *= gain
    expected, _ = Model(checkpoint).force(source, [6, 4, 12, 2])
    close("gains", actual["logits"], expected["logits"])


# The base model of the papers: d = 512, 6 + 6 layers, 8 heads of 64.


def parameters(*rules):
    config = base() | {"d_model": 512, "d_ff": 2048, "encoder": size(6, 8, 64),
                       "decoder": size(6, 8, 64), "attention": list(rules)}
    shapes = tensor_shapes(config, 1000, 1000)
    return sum(math.prod(shape) for name, (shape, _) in shapes.items()
               if not name.endswith(".bias"))


def parameter_counts():
    plain, one = parameters(), 512 * 512

    def difference(expected, millions, *rules):
        actual = parameters(*rules) - plain
        assert actual == expected, f"{rules}: {actual} parameters more, expected {expected}"
        # The papers print one or two decimals, the last count a difference of two such.
        assert abs(actual / 1e6 - millions) < 0.06, f"{rules}: the paper says {millions} M"

    # Each fixed head saves 64 rows of 512 in Q and in K, in each of 6 layers.
    seven = fixed(*PATTERNS[:7]) + [learned()]
    difference(-7 * 2 * 64 * 512 * 6, -2.75, rule("encoder", "self", heads=seven))
    difference(-8 * 2 * 64 * 512 * 6, -3.15, rule("encoder", "self", heads=fixed(*PATTERNS)))
    # U_Q and U_K: 512 x context size; sizes 512 l: sums over l are 6, 1+...+6 = 21, 0+...+5 = 15.
    for vectors, blocks, millions in ((["global"], 6, 3.1), (["deep_global"], 21, 11.0),
                                      (["deep"], 15, 7.9), (["deep_global", "deep"], 36, 18.9)):
        difference(2 * blocks * one, millions,
                   rule("encoder", "self", context=context(*vectors, gate="none")))
    # Table 1 of Yang et al.: contexts in both stacks, 125.8 M - 88.0 M.
    both = context("deep_global", "deep", gate="none")
    difference(2 * 72 * one, 37.8, rule("encoder", "self", context=both),
               rule("decoder", "self", context=both))
    # DHICM without W_O: W and V 512 x 64, U and W_s 512 x 512, minus 512 x 512.
    difference(2 * 512 * 64 + one, 0.33,
               rule("encoder", "self", [5], combine={"kind": "dhicm", "d_m": 512}))


def positions_by_hand():
    def sc(*angles):
        return [f(a) for f, a in angles]

    sin, cos = math.sin, math.cos
    # d = 4: 10000^(2k/4) = 1, 100; fairseq's 10000^(k/(2-1)) = 1, 10000.
    close("halves", sinusoid(3, 4, "halves"), sc((sin, 3), (sin, 0.03), (cos, 3), (cos, 0.03)))
    close("interleaved", sinusoid(3, 4, "interleaved"),
          sc((sin, 3), (cos, 3), (sin, 0.03), (cos, 0.03)))
    close("fairseq", sinusoid(3, 4, "halves_fairseq"),
          sc((sin, 3), (sin, 0.0003), (cos, 3), (cos, 0.0003)))
    config = base() | {"name": "test", "positions": {
        "encoder": {"kind": "sinusoidal", "layout": "halves", "offset": 2},
        "decoder": {"kind": "none", "layout": "halves"}}}
    model = Model(tiny_checkpoint(config))
    table = model.checkpoint.tensors["source_embedding.weight"]
    close("offset", model.embed("encoder", [5, 6])[1], 4 * table[6] + sinusoid(3, D, "halves"))
    close("none", model.embed("decoder", [5])[0],
          4 * model.checkpoint.tensors["target_embedding.weight"][5])
