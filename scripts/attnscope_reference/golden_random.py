"""Random mixtures of all dials: models that no paper tried and no table lists.

What the engine makes of them is compared with the reference as with the golden data, which they
look like. A number gives the same model everywhere."""

import json
import os
import random

import torch
from safetensors import safe_open

from .attention import Dials
from .checkpoint import module, of_stack, read_checkpoint
from .golden import write_expected, write_model
from .golden_models import (PATTERNS, Case, Tiny, base, context, dhicm, fixed, learned, positions,
                            rule, search, size)
from .model import ACTIVATIONS, Model

SOURCE_ENDS = [{"prefix": [], "suffix": [2]}, {"prefix": [1], "suffix": [2]},
               {"prefix": [], "suffix": []}, {"prefix": [1, 0], "suffix": [2, 0]}]
STARTS = [[1], [2], [1, 0], [2, 1, 0]]
ABSENT = [(), ("*_attention.?.bias", "output.bias", "*.gate_?.bias"), ("*.k.bias",),
          ("*.o.bias", "*.gate_k.bias"), ("output.bias", "*.v.bias", "*.q.bias")]
CASES, ATTEMPTS = 3, 10
ALPHAS = [None, None, None, 1.0, 1.01, 1.3, 1.5, 2.0]  # of entmax; None: the file does not say, which is 1

# What rounding a model's weights may change: a fifth of the bounds for arithmetic in float32, which
# rounds more often than once.
UNIT, PROBABILITIES, OTHERS = 2.0**-24, 2e-6, 2e-5


def write_random(directory, first, count):
    """Of the models with these numbers, those that float32 can compute and for which sentences
    without close decisions are soon found."""
    os.makedirs(directory, exist_ok=True)
    for number in range(first, first + count):
        tiny = draw_model(number)
        paths = [os.path.join(directory, f"{tiny.name}.{end}") for end in ("bin", "expected")]
        write_model(paths[0], tiny)
        try:
            write_expected(paths[1], paths[0], tiny, ATTEMPTS)
            check_rounding(*paths, tiny)
        except ValueError as why:
            for path in filter(os.path.exists, paths):
                os.remove(path)
            print(f"{tiny.name}: left out: {why}")


def check_rounding(model_path, expected_path, tiny):
    checkpoint = read_checkpoint(model_path)
    generator = torch.Generator().manual_seed(0)
    for name, tensor in checkpoint.tensors.items():
        noise = torch.rand(tensor.shape, generator=generator, dtype=torch.float64) * 2 - 1
        checkpoint.tensors[name] = tensor * (1 + UNIT * noise)
    with safe_open(expected_path, "pt") as file:
        for k, record in enumerate(json.loads(file.metadata()["cases"])):
            case = tiny.cases[k]
            model = Model(checkpoint, Dials(case.gains, case.masks, case.patterns))
            rounded, _ = model.force(model.text.source(record["source"]), record["target_ids"])
            check_case({name: (t - file.get_tensor(f"case{k}.{name}")).abs().max().item()
                        for name, t in rounded.items() if name != "decoder.output"})


def check_case(changes):
    for name, change in changes.items():
        others = name in ("encoder.output", "logits", "logprobs")
        if change > (OTHERS if others else PROBABILITIES):
            raise ValueError(f"rounding weights changes {name} by {change:.2g}")


def draw_model(number):
    dice = random.Random(number)
    shared = dice.random() < 0.4
    subword = draw_subword(dice)
    config = draw_config(dice, shared, subword)
    draw_later(random.Random(-number - 1), config)
    return Tiny(f"random_{number}", config, [draw_case(dice, config) for _ in range(CASES)],
                subword=subword, shared=shared, absent=dice.choice(ABSENT),
                dtype=dice.choice(["float32", "float16", "bfloat16"]),
                end_share=dice.choice([0.0, 0.2, 0.3]), untidy=dice.random() < 0.2)


def draw_subword(dice):
    return dice.choice([
        {"kind": "whitespace"}, {"kind": "whitespace"}, {"kind": "bpe", "merges": 60, "size": 60},
        {"kind": "sentencepiece", "size": 70, "model": dice.choice(["unigram", "bpe"]),
         "normalization": dice.choice(["identity", "nmt_nfkc"])}])


def draw_config(dice, shared, subword):
    d = dice.choice([4, 6, 10, 16, 18, 20, 30, 34])
    encoder, decoder = draw_stack(dice), draw_stack(dice)
    moses = subword["kind"] == "bpe" and dice.random() < 0.5
    norms = draw_norms(dice)
    return {
        "d_model": d, "d_ff": draw_each(dice, [1, 5, 16, 24, 33, 64]),
        "activation": dice.choice(sorted(ACTIVATIONS)), **norms,
        **draw_variants(dice, norms),
        "norm_eps": dice.choice([1e-5, 1e-6, 1e-3]),
        "embedding_scale": dice.choice([1.0, 4.0, d**0.5]),
        "positions": {stack: draw_positions(dice) | draw_bias(dice)
                      for stack in ("encoder", "decoder")},
        "encoder": encoder, "decoder": decoder,
        "attention": draw_rules(dice, "encoder", "self", encoder)
        + draw_rules(dice, "decoder", "self", decoder)
        + draw_rules(dice, "decoder", "cross", decoder),
        "tied": draw_tied(dice, shared), "source": dice.choice(SOURCE_ENDS),
        "target": {"start": dice.choice(STARTS)},
        "tokenizer": {"kind": subword["kind"], "pretokenizer": "moses" if moses else "none",
                      "lowercase": dice.random() < 0.2},
        "max_positions": 200,
        "search": search(dice.choice([1, 2, 3, 5, 8]), dice.choice(["none", "average", "wu"]),
                         dice.choice([0.0, 0.5, 1.0, 1.5]), factor=dice.choice([0.5, 1.2, 2.0]),
                         plus=dice.choice([0, 3, 6]))}


def draw_each(dice, choices):
    """One value for both stacks, or two."""
    if dice.random() < 0.5:
        return dice.choice(choices)
    return {stack: dice.choice(choices) for stack in ("encoder", "decoder")}


def draw_later(dice, config):
    """What has been added since: with dice of its own, so that a number's model has the rest that it had."""
    for stack, given in config["positions"].items():
        if dice.random() < 0.3 and config[stack]["head_dim"] % 2 == 0:
            given |= {"kind": "rotary", "layout": dice.choice(["halves", "interleaved"]), "offset": 0}
            given |= dice.choice([{}, {"base": 30.0}])
        if dice.random() < 0.3 and all_learned(config, stack):
            heads = config[stack]["heads"]
            config[stack]["kv_heads"] = dice.choice([n for n in range(1, heads + 1) if heads % n == 0])
    config |= dice.choice([{}, {}, {"attention_cap": 2.0}])
    config |= dice.choice([{}, {}, {"output_cap": 5.0}])


def all_learned(config, stack):
    return all(head["energy"] == "learned" for rule in config["attention"] if rule["stack"] == stack
               for head in rule.get("heads", []))


def draw_norms(dice):
    norm = draw_each(dice, ["pre", "post"])
    last = {stack: dice.random() < {"pre": 0.7, "post": 0.3}[of_stack({"norm": norm}, "norm", stack)]
            for stack in ("encoder", "decoder")}
    return {"norm": norm, "last_norm": last,
            "embedding_norm": draw_each(dice, [True, False, False]),
            "output_norm": draw_each(dice, [True, False, False])}


def draw_variants(dice, norms):
    """Variants that most models lack. The last norm scales the states, so it must be there."""
    variants = {"norm_kind": dice.choice(["layer", "layer", "rms"]),
                "gated_ffn": dice.choice([False, False, True])}
    if dice.random() < 0.3:
        variants["attention_scale"] = dice.choice([0.2, 0.4])
    if dice.random() < 0.3 and norms["last_norm"]["decoder"]:
        variants["output_scale"] = dice.choice([0.5, 0.8])
    return variants


def draw_stack(dice):
    return size(dice.randint(1, 3), dice.choice([1, 2, 3, 4, 5, 8, 9, 17]),
                dice.choice([1, 2, 3, 4, 5, 7, 8, 9, 17]))


def draw_positions(dice):
    return positions(dice.choice(["sinusoidal", "sinusoidal", "learned", "none"]),
                     dice.choice(["halves", "interleaved", "halves_fairseq"]),
                     dice.choice([0, 0, 1, 2, 5]))


def draw_bias(dice):
    if dice.random() < 0.7:
        return {}
    buckets = dice.choice([4, 5, 8, 32])
    return {"bias": {"buckets": buckets, "max_distance": buckets // 2 + dice.choice([1, 4, 100]),
                     "layers": dice.choice(["shared", "separate"])}}


def draw_tied(dice, shared):
    if not shared:
        return {"output": dice.choice([None, "target_embedding"])}
    return {"target_embedding": dice.choice([None, "source_embedding"]),
            "output": dice.choice([None, "target_embedding", "source_embedding"])}


# Attention -------------------------------------------------------------------------------------


def draw_rules(dice, stack, kind, stack_size):
    return [draw_rule(dice, stack, kind, stack_size) for _ in range(dice.choice([0, 1, 1, 2, 3]))]


def draw_rule(dice, stack, kind, stack_size):
    dials = {}
    if dice.random() < 0.8:
        dials["heads"] = draw_heads(dice, stack_size["heads"])
    if dice.random() < 0.5:
        dials["combine"] = dice.choice([{"kind": "concat"}, dhicm(dice.randint(1, 20))])
    if kind == "self" and dice.random() < 0.7:
        dials["context"] = draw_context(dice)
    layers = range(stack_size["layers"])
    some = sorted(dice.sample(layers, dice.randint(1, len(layers))))
    return rule(stack, kind, dice.choice([None, some]), **dials)


def draw_heads(dice, count):
    share = dice.choice([0.0, 0.5, 0.5, 1.0])  # of fixed heads
    return [fixed(dice.choice(PATTERNS), unit=dice.choice(["token", "word"]))[0]
            if dice.random() < share else learned(draw_mask(dice), dice.choice(ALPHAS)) for _ in range(count)]


def draw_mask(dice):
    return dice.choice(["global", "forward", "backward", {"local": dice.choice([0, 1, 2, 3, 50])}])


def draw_context(dice):
    if dice.random() < 0.25:
        return None
    kinds = ["global", "deep", "deep_global"]
    return context(*dice.sample(kinds, dice.randint(1, 3)),
                   gate=dice.choice(["token", "head", "none"]), sides=dice.choice(["q", "k", "qk"]))


# What a session changes ------------------------------------------------------------------------


def draw_case(dice, config):
    def places(counts):
        return [draw_place(dice, config) for _ in range(dice.choice(counts))]

    gains = {at: dice.choice([0.0, 0.0, 0.3, 2.0]) for at in places([0, 0, 1, 3])}
    patterns = {at: (dice.choice(PATTERNS), dice.choice(["token", "word"]))
                for at in places([0, 0, 1, 2])}
    masks = {at: draw_mask(dice) for at in places([0, 0, 1, 2])
             if is_learned(config, *at) and at not in patterns}
    return Case(dice.choice([1, 2, 5, 9, 16]), dice.choice(["best", "random"]),
                dice.choice([None, None, 1, 4]), unknown=dice.random() < 0.3, gains=gains,
                masks=masks, patterns=patterns)


def draw_place(dice, config):
    name = dice.choice(["encoder", "decoder", "cross"])
    stack = config["encoder" if name == "encoder" else "decoder"]
    return name, dice.randrange(stack["layers"]), dice.randrange(stack["heads"])


def is_learned(config, name, layer, head):
    return module(base() | config, name, layer).heads[head].energy == "learned"
