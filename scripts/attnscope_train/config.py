"""The configuration in a checkpoint: defaults, checks, and what its rules mean for each attention
module."""

import json
import math

import numpy as np

from .entmax import LEARNED

MODULES = (("encoder", "self"), ("decoder", "self"), ("decoder", "cross"))
PATTERNS = ("current", "previous", "next", "left_context", "right_context", "sentence_end",
            "sentence_start", "last")
ACTIVATIONS = ("relu", "gelu", "swish", "gelu_tanh", "gelu_sigmoid", "tanh", "sigmoid")
VECTORS = ("global", "deep", "deep_global")

DEFAULTS = {
    "name": "model", "source_language": "", "target_language": "",
    "d_model": 128, "d_ff": 256, "activation": "relu", "norm": "pre", "norm_eps": 1e-5,
    "positions": {stack: {"kind": "sinusoidal", "layout": "interleaved", "offset": 0}
                  for stack in ("encoder", "decoder")},
    "encoder": {"layers": 4, "heads": 8}, "decoder": {"layers": 2, "heads": 8},
    "attention": [],
    "tied": {"target_embedding": "source_embedding", "output": "target_embedding"},
    "tokenizer": {"kind": "sentencepiece", "pretokenizer": "none", "lowercase": False},
    "max_positions": 1024,
    "search": {"beam": 5, "length_penalty": {"kind": "average", "alpha": 1.0},
               "max_length": {"factor": 2.0, "plus": 10}},
}


class ConfigError(ValueError):
    """Says what is wrong, in which field, and what was expected."""


def merge(base, over):
    """Merges objects key by key; anything else is replaced."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    merged = dict(base)
    for key, value in over.items():
        merged[key] = merge(base[key], value) if key in base else value
    return merged


def complete(config):
    """Fills in what follows from other fields: head sizes and the embedding's scale."""
    config = merge(DEFAULTS, config)
    for stack in ("encoder", "decoder"):
        if "head_dim" not in config[stack]:
            d, heads = config["d_model"], config[stack]["heads"]
            if d % heads:
                raise ConfigError(f"{stack}.heads: {heads} does not divide d_model {d}: "
                                  f"give {stack}.head_dim")
            config[stack]["head_dim"] = d // heads
    if "embedding_scale" not in config:
        # The nearest number in single precision, so that every reader multiplies by the same.
        config["embedding_scale"] = float(np.float32(math.sqrt(config["d_model"])))
    return config


def of_stack(config, key, stack):
    """Returns a setting: one value for both stacks, {"encoder": …, "decoder": …}, or absent."""
    value = config.get(key)
    return value[stack] if isinstance(value, dict) else value


def is_recurrent(config, stack):
    """True if its layers have a recurrence instead of self-attention."""
    return config[stack].get("recurrence", "none") != "none"


def last_norm(config, stack):
    """True if a norm follows the last layer: with pre-norm, unless the configuration says
    otherwise."""
    if "last_norm" in config:
        return of_stack(config, "last_norm", stack)
    return of_stack(config, "norm", stack) == "pre"


def read_config(path):
    with open(path, encoding="utf-8") as file:
        try:
            config = json.load(file)
        except json.JSONDecodeError as error:
            raise ConfigError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}")
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: expected a JSON object")
    return config


# Checks. A schema is a function (value, where) that raises ConfigError.


def fail(where, value, expected):
    raise ConfigError(f"{where}: {json.dumps(value)}, expected {expected}")


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def integer(least):
    def check(value, where):
        if not is_integer(value) or not least <= value < 2 ** 31:
            fail(where, value, f"an integer of at least {least}")
    return check


def number(value, where):
    if not (is_integer(value) or isinstance(value, float)) or not math.isfinite(value):
        fail(where, value, "a number")


def positive(value, where):
    number(value, where)
    if value <= 0:
        fail(where, value, "a number above 0")


def text(value, where):
    if not isinstance(value, str):
        fail(where, value, "a string")


def boolean(value, where):
    if not isinstance(value, bool):
        fail(where, value, "true or false")


def one_of(*choices):
    def check(value, where):
        if not any(value is c or (isinstance(c, str) and value == c) for c in choices):
            fail(where, value, "one of " + ", ".join(json.dumps(c) for c in choices))
    return check


def list_of(item, where_nonempty=False):
    def check(value, where):
        if not isinstance(value, list) or (where_nonempty and not value):
            fail(where, value, "a list" + (" that is not empty" if where_nonempty else ""))
        for i, entry in enumerate(value):
            item(entry, f"{where}[{i}]")
    return check


def record(fields, optional=()):
    def check(value, where):
        if not isinstance(value, dict):
            fail(where or "configuration", value, "an object")
        prefix = f"{where}." if where else ""
        for key in value:
            if key not in fields:
                raise ConfigError(f"{prefix}{key}: unknown key, expected one of "
                                  + ", ".join(fields))
        for key, schema in fields.items():
            if key in value:
                schema(value[key], prefix + key)
            elif key not in optional:
                raise ConfigError(f"{prefix}{key}: absent")
    return check


def special(value, where):
    if isinstance(value, dict):
        record({"source": integer(0), "target": integer(0)})(value, where)
    else:
        integer(0)(value, where)


def each(schema):
    """Accepts one value for both stacks, or one for each."""
    def check(value, where):
        if isinstance(value, dict):
            record({"encoder": schema, "decoder": schema})(value, where)
        else:
            schema(value, where)
    return check


def mask(value, where):
    if isinstance(value, dict):
        record({"local": integer(0)})(value, where)
    else:
        one_of("global", "forward", "backward")(value, where)


def by_key(key, schemas):
    """Accepts an object whose other fields depend on the value of one."""
    def check(value, where):
        chosen = value.get(key) if isinstance(value, dict) else value
        if not isinstance(chosen, str) or chosen not in schemas:
            fail(f"{where}.{key}", chosen, "one of " + ", ".join(schemas))
        schemas[chosen](value, where)
    return check


def nullable(schema):
    def check(value, where):
        if value is not None:
            schema(value, where)
    return check


def layer_list(value, where):
    if value != "all":
        list_of(integer(0))(value, where)


def alpha(value, where):
    """Accepts an alpha of entmax; training may learn it."""
    if value != LEARNED:
        number(value, where)
    if value != LEARNED and not 1 <= value <= 2:
        fail(where, value, f'a number from 1 to 2, or "{LEARNED}"')


HEAD = by_key("energy", {
    "learned": record({"energy": text, "mask": mask, "alpha": alpha}, {"mask", "alpha"}),
    "fixed": by_key("pattern", {
        **{name: record({"energy": text, "pattern": text, "unit": one_of("token", "word")}, {"unit"})
           for name in PATTERNS},
        "gaussian": record({"energy": text, "pattern": text, "unit": one_of("token", "word"),
                            "offset": integer(-2 ** 20), "deviation": positive},
                           {"unit", "offset", "deviation"})})})
COMBINE = by_key("kind", {"concat": record({"kind": text}),
                          "dhicm": record({"kind": text, "d_m": integer(1)})})
CONTEXT = record({"vectors": list_of(one_of(*VECTORS), True),
                  "gate": one_of("token", "head", "none"), "sides": one_of("q", "k", "qk")},
                 {"gate", "sides"})
RULE = record({"stack": one_of("encoder", "decoder"), "kind": one_of("self", "cross"),
               "layers": layer_list, "heads": list_of(HEAD), "combine": COMBINE,
               "context": nullable(CONTEXT)}, {"layers", "heads", "combine", "context"})
STACK = record({"layers": integer(1), "heads": integer(1), "head_dim": integer(1),
                "kv_heads": integer(1), "recurrence": one_of("none", "ssru")}, {"kv_heads", "recurrence"})
POSITIONS = record({"kind": one_of("sinusoidal", "learned", "none", "rotary"),
                    "layout": one_of("halves", "halves_fairseq", "interleaved"),
                    "offset": integer(0), "base": positive,
                    "bias": record({"buckets": integer(4), "max_distance": integer(2),
                                    "layers": one_of("shared", "separate")}, {"layers"})},
                   {"layout", "offset", "base", "bias"})
CONFIG = record({
    "name": text, "source_language": text, "target_language": text,
    "d_model": integer(1), "d_ff": each(integer(1)), "activation": one_of(*ACTIVATIONS),
    "norm": each(one_of("post", "pre")), "last_norm": each(boolean),
    "embedding_norm": each(boolean),
    "output_norm": each(boolean),
    "norm_kind": one_of("layer", "rms"), "norm_eps": positive, "embedding_scale": positive,
    "gated_ffn": boolean, "attention_scale": positive, "output_scale": positive,
    "attention_cap": positive, "output_cap": positive,
    "positions": record({"encoder": POSITIONS, "decoder": POSITIONS}),
    "encoder": STACK, "decoder": STACK, "attention": list_of(RULE),
    "tied": record({"target_embedding": one_of(None, "source_embedding"),
                    "output": one_of(None, "target_embedding", "source_embedding")},
                   {"target_embedding", "output"}),
    "special": record({"pad": special, "eos": special, "unk": special, "bos": special}, {"bos"}),
    "source": record({"prefix": list_of(integer(0)), "suffix": list_of(integer(0))}),
    "target": record({"start": list_of(integer(0), True), "prefix": list_of(integer(0))}, {"prefix"}),
    "tokenizer": record({"kind": one_of("sentencepiece", "bpe", "whitespace"),
                         "pretokenizer": one_of("none", "moses"), "lowercase": boolean},
                        {"pretokenizer", "lowercase"}),
    "max_positions": integer(1),
    "search": record({"beam": integer(1), "excluded": list_of(integer(0)),
                      "endings": one_of("best", "first", "narrow", "attainable", "top"),
                      "min_length": integer(0), "renormalize": boolean,
                      "specials": one_of("excluded", "allowed"),
                      "length_penalty": record({"kind": one_of("none", "average", "wu"),
                                                "alpha": number, "offset": integer(0)}, {"offset"}),
                      "max_length": record({"factor": number, "plus": integer(0), "most": integer(0)}, {"most"})},
                     {"excluded", "endings", "min_length", "renormalize", "specials"}),
}, {"last_norm", "embedding_norm", "output_norm", "norm_kind", "gated_ffn", "attention_scale", "output_scale",
    "attention_cap", "output_cap", "attention", "tied"})


def check_config(config, vocabulary_sizes):
    """Raises ConfigError for anything that a reader of the checkpoint would refuse."""
    CONFIG(config, "")
    smallest = {"interleaved": 2, "halves": 2, "halves_fairseq": 4}
    for stack, positions in config["positions"].items():
        if positions["kind"] in ("sinusoidal", "rotary") and "layout" not in positions:
            raise ConfigError(f"positions.{stack}.layout: absent")
        if positions["kind"] == "rotary":
            check_rotary(config, stack, positions)
        elif "base" in positions:
            fail(f"positions.{stack}.base", positions["base"], "none (the positions are not rotary)")
        heads, kv_heads = config[stack]["heads"], config[stack].get("kv_heads", config[stack]["heads"])
        if heads % kv_heads:
            fail(f"{stack}.kv_heads", kv_heads, f"a divisor of {heads} ({stack}.heads)")
        if positions["kind"] == "sinusoidal" and (
                config["d_model"] % 2 or config["d_model"] < smallest[positions["layout"]]):
            fail("d_model", config["d_model"], f"an even number for positions.{stack}")
    for side, size in zip(("source", "target"), vocabulary_sizes):
        for name, value in config["special"].items():
            value = value[side] if isinstance(value, dict) else value
            if value >= size:
                fail(f"special.{name}", value, f"an id of the {side} vocabulary (below {size})")
    ids = config["source"]["prefix"] + config["source"]["suffix"]
    excluded = config["search"].get("excluded", [])
    for where, values, size in (("source", ids, vocabulary_sizes[0]),
                                ("target.start", config["target"]["start"], vocabulary_sizes[1]),
                                ("target.prefix", config["target"].get("prefix", []), vocabulary_sizes[1]),
                                ("search.excluded", excluded, vocabulary_sizes[1])):
        for value in values:
            if value >= size:
                fail(where, value, f"an id of the vocabulary (below {size})")
    if is_recurrent(config, "encoder"):
        fail("encoder.recurrence", "ssru", "none (only a decoder may have one)")
    if is_recurrent(config, "decoder") and "bias" in config["positions"]["decoder"]:
        fail("decoder.recurrence", "ssru", "none (positions.decoder.bias needs self-attention)")
    for stack, positions in config["positions"].items():
        buckets = positions.get("bias", {}).get("buckets", 0) // (2 if stack == "encoder" else 1)
        if buckets and positions["bias"]["max_distance"] <= buckets // 2:
            fail(f"positions.{stack}.bias.max_distance", positions["bias"]["max_distance"],
                 f"more than {buckets // 2}")
    for (stack, _), layers in resolve(config).items():
        fixed = any(head["energy"] == "fixed" for layer in layers for head in layer["heads"])
        if fixed and config[stack].get("kv_heads", config[stack]["heads"]) < config[stack]["heads"]:
            fail(f"{stack}.kv_heads", config[stack]["kv_heads"], "as many as heads, of which some are fixed")


def check_rotary(config, stack, positions):
    if positions["layout"] == "halves_fairseq":
        fail(f"positions.{stack}.layout", positions["layout"], "halves or interleaved (rotary)")
    if positions.get("offset", 0):
        fail(f"positions.{stack}.offset", positions["offset"], "0 (rotary)")
    if not positions.get("base", 10000.0) > 1:
        fail(f"positions.{stack}.base", positions["base"], "a number above 1")
    if config[stack]["head_dim"] % 2:
        fail(f"{stack}.head_dim", config[stack]["head_dim"], f"an even number (positions.{stack} is rotary)")
    if is_recurrent(config, stack):
        fail(f"{stack}.recurrence", "ssru", f"none (positions.{stack} is rotary, which needs self-attention)")


def resolve(config):
    """Applies the rules. Returns {(stack, kind): [for every layer {"heads", "combine",
    "context"}]}."""
    modules = {}
    for stack, kind in MODULES:
        heads = [{"energy": "learned", "mask": "global"}] * config[stack]["heads"]
        vanilla = {"heads": heads, "combine": {"kind": "concat"}, "context": None}
        modules[stack, kind] = [dict(vanilla) for _ in range(config[stack]["layers"])]
    for i, rule in enumerate(config.get("attention", [])):
        apply_rule(modules, rule, f"attention[{i}]", config)
    return modules


def apply_rule(modules, rule, where, config):
    layers = modules.get((rule["stack"], rule["kind"]))
    if layers is None:
        fail(f"{where}.kind", rule["kind"], "self (the encoder has no cross-attention)")
    if rule["kind"] == "self" and is_recurrent(config, rule["stack"]):
        fail(f"{where}.kind", "self", "cross (the decoder is recurrent)")
    heads = config[rule["stack"]]["heads"]
    if "heads" in rule and len(rule["heads"]) != heads:
        raise ConfigError(f"{where}.heads: {len(rule['heads'])} entries, expected {heads} "
                          f"({rule['stack']}.heads)")
    if rule["kind"] == "cross" and rule.get("context") is not None:
        fail(f"{where}.context", rule["context"], "null: context applies to self-attention")
    chosen = rule.get("layers", "all")
    for layer in range(len(layers)) if chosen == "all" else chosen:
        if layer >= len(layers):
            fail(f"{where}.layers", layer, f"a layer below {len(layers)}")
        for key in ("heads", "combine", "context"):
            if key in rule:
                layers[layer][key] = rule[key]


def uses_words(config):
    """True if any head has a pattern over words."""
    return any(head.get("unit") == "word" for layers in resolve(config).values()
               for layer in layers for head in layer["heads"])
