"""Model files: the configuration, the tensors it calls for, reading and writing."""

import json
import struct
from dataclasses import dataclass, field

import torch
from safetensors import safe_open

LEARNED_GLOBAL = {"energy": "learned", "mask": "global"}
SIDES = ("q", "k")


@dataclass(frozen=True)
class Head:
    """One head's dials. `slot` counts the learned heads of the file: its rows of q and k."""

    slot: int | None
    energy: str
    mask: object = "global"
    pattern: str | None = None
    unit: str = "token"
    offset: int = 0         # of a Gaussian
    deviation: float = 1.0
    alpha: float = 1.0      # of a learned head: of entmax


@dataclass(frozen=True)
class Module:
    """One attention module of one layer."""

    name: str  # encoder, decoder, cross: as commands and captured tensors call it
    layer: int
    prefix: str  # of its tensors' names
    head_dim: int
    heads: tuple
    combine: dict
    context: dict | None
    scale: float | None = None  # of energies; None: 1 / sqrt(head_dim)
    bias: dict | None = None  # of relative positions
    rotary: dict | None = None  # rotary positions
    cap: float | None = None  # of energies
    kv_heads: int | None = None  # of keys and values in the file; None: as many as heads

    @property
    def learned(self):
        return sum(head.slot is not None for head in self.heads)

    def vectors(self):
        """Context kinds that exist here: deep is empty in the first layer, and without learned
        heads there is nothing to add a context to."""
        if self.context is None or self.learned == 0:
            return []
        return [kind for kind in self.context["vectors"] if self.context_size(kind, 1) > 0]

    def context_size(self, kind, d):
        return {"global": d, "deep": self.layer * d, "deep_global": (self.layer + 1) * d}[kind]

    def sides(self):
        return [side for side in SIDES if side in self.context.get("sides", "qk")]


MODULES = {"encoder": ("encoder", "self"), "decoder": ("decoder", "self"),
           "cross": ("decoder", "cross")}


def module(config, name, layer):
    """The module that the attention rules, applied in order, describe."""
    stack, kind = MODULES[name]
    size = config[stack]
    dials = {"heads": [LEARNED_GLOBAL] * size["heads"], "combine": {"kind": "concat"},
             "context": None}
    for rule in config.get("attention", []):
        layers = rule.get("layers", "all")
        if (rule["stack"], rule["kind"]) == (stack, kind) and (layers == "all" or layer in layers):
            dials.update({key: rule[key] for key in dials if key in rule})
    positions = config["positions"][stack] if kind == "self" else {}
    if kind == "cross" and dials["context"] is not None:
        raise ValueError("attention: context applies to self-attention only")
    return Module(name, layer, f"{stack}.layers.{layer}.{kind}_attention", size["head_dim"],
                  number_heads(dials["heads"], size["heads"]), dials["combine"],
                  dials["context"], config.get("attention_scale"),
                  positions.get("bias"), positions if positions.get("kind") == "rotary" else None,
                  config.get("attention_cap"), size.get("kv_heads"))


def number_heads(specs, count):
    if len(specs) != count:
        raise ValueError(f"attention: {len(specs)} heads, expected {count}")
    heads, slot = [], 0
    for spec in specs:
        learned = spec["energy"] == "learned"
        heads.append(Head(slot if learned else None, **spec))
        slot += learned
    return tuple(heads)


def modules(config):
    """Every attention module of the model."""
    for name, (stack, _) in MODULES.items():
        recurrent = name == "decoder" and config[stack].get("recurrence", "none") != "none"
        for layer in range(0 if recurrent else config[stack]["layers"]):
            yield module(config, name, layer)


# The tensors a configuration calls for --------------------------------------------------------


def attention_shapes(module, d):
    """name -> (shape, required?) of one attention module."""
    shapes = {}
    h, everything = module.head_dim, module.head_dim * len(module.heads)
    queries = h * module.learned
    keys, values = (h * (module.kv_heads or count) for count in (module.learned, len(module.heads)))
    parts = {"q": (queries, d), "k": (keys, d), "v": (values, d), "o": (d, everything)}
    if queries == 0:
        del parts["q"], parts["k"]
    if module.combine["kind"] == "dhicm":
        del parts["o"]
        m = module.combine["d_m"]
        for name, shape in {"w": (m, h), "u": (m, d), "v": (m, h), "out": (d, m)}.items():
            shapes[f"dhicm.{name}"] = (shape, True)
    for name, shape in parts.items():
        shapes[f"{name}.weight"] = (shape, True)
        shapes[f"{name}.bias"] = (shape[:1], False)
    shapes.update(context_shapes(module, d))
    return {f"{module.prefix}.{name}": value for name, value in shapes.items()}


def context_shapes(module, d):
    shapes = {}
    kinds = module.vectors()
    if not kinds:
        return shapes
    queries = module.head_dim * module.learned
    gate = module.context.get("gate", "token")
    for side in module.sides():
        for kind in kinds:
            shapes[f"context.{kind}.{side}"] = ((queries, module.context_size(kind, d)), True)
        if gate != "none":
            size = queries if gate == "token" else module.head_dim
            shapes[f"context.gate_{side}.state"] = ((size,), True)
            shapes[f"context.gate_{side}.context"] = ((size,), True)
            shapes[f"context.gate_{side}.bias"] = ((1,), False)
    return shapes


def of_stack(config, key, stack):
    """A setting: one value for both stacks, or {"encoder": …, "decoder": …}, or absent."""
    value = config.get(key)
    return value[stack] if isinstance(value, dict) else value


def pre_norm(config, stack):
    return of_stack(config, "norm", stack) == "pre"


def last_norm(config, stack):
    """Whether a norm follows the last layer: after pre-norm, unless the configuration says else."""
    if "last_norm" in config:
        return of_stack(config, "last_norm", stack)
    return pre_norm(config, stack)


def norm_shapes(config, name):
    parts = ["weight"] if config.get("norm_kind") == "rms" else ["weight", "bias"]
    return {f"{name}.{part}": ((config["d_model"],), True) for part in parts}


def stack_shapes(config, stack):
    """Norms, feed-forward blocks and learned positions of one stack."""
    d, f = config["d_model"], of_stack(config, "d_ff", stack)
    shapes = {}
    norms = 2 if stack == "encoder" else 3
    for layer in range(config[stack]["layers"]):
        at = f"{stack}.layers.{layer}"
        for i in range(1, norms + 1):
            shapes.update(norm_shapes(config, f"{at}.norm{i}"))
            if of_stack(config, "output_norm", stack):
                shapes.update(norm_shapes(config, f"{at}.output_norm{i}"))
        if config[stack].get("recurrence", "none") != "none":
            shapes[f"{at}.recurrence.input.weight"] = ((d, d), True)
            shapes[f"{at}.recurrence.forget.weight"] = ((d, d), True)
            shapes[f"{at}.recurrence.forget.bias"] = ((d,), True)
        inputs = {"in": f, "gate": f} if config.get("gated_ffn") else {"in": f}
        for name, rows in inputs.items():
            shapes[f"{at}.ffn.{name}.weight"] = ((rows, d), True)
            shapes[f"{at}.ffn.{name}.bias"] = ((rows,), False)
        shapes[f"{at}.ffn.out.weight"] = ((d, f), True)
        shapes[f"{at}.ffn.out.bias"] = ((d,), False)
    if of_stack(config, "embedding_norm", stack):
        shapes.update(norm_shapes(config, f"{stack}.embedding_norm"))
    if last_norm(config, stack):
        shapes.update(norm_shapes(config, f"{stack}.norm"))
    positions = config["positions"][stack]
    if positions["kind"] == "learned":
        rows = config["max_positions"] + positions.get("offset", 0)
        shapes[f"{stack}.positions.weight"] = ((rows, d), True)
    if "bias" in positions:
        separate = positions["bias"].get("layers") == "separate"
        for at in [f"{stack}.layers.{layer}" for layer in range(config[stack]["layers"])] if separate else [stack]:
            shapes[f"{at}.relative_bias.weight"] = ((positions["bias"]["buckets"], config[stack]["heads"]), True)
    return shapes


def tensor_shapes(config, source_size, target_size):
    """name -> (shape, required?) of every float tensor of a model."""
    d = config["d_model"]
    shapes = {"source_embedding.weight": ((source_size, d), True)}
    if not config["tied"].get("target_embedding"):
        shapes["target_embedding.weight"] = ((target_size, d), True)
    if not config["tied"].get("output"):
        shapes["output.weight"] = ((target_size, d), True)
    shapes["output.bias"] = ((target_size,), False)
    for stack in ("encoder", "decoder"):
        shapes.update(stack_shapes(config, stack))
    for each in modules(config):
        shapes.update(attention_shapes(each, d))
    return shapes


# Files ----------------------------------------------------------------------------------------


@dataclass
class Checkpoint:
    config: dict
    tensors: dict  # float64
    source_vocab: list
    target_vocab: list
    source_tokenizer: bytes | None = None
    target_tokenizer: bytes | None = None
    modules: dict = field(default_factory=dict)  # (name, layer) -> Module

    def special(self, name, side):
        value = self.config["special"][name]
        return value if isinstance(value, int) else value[side]

    def tensor(self, name):
        """The tensor, or None where an optional one is absent."""
        return self.tensors.get(name)

    def matrix(self, name):
        """source_embedding, target_embedding or output, wherever tying keeps it."""
        while f"{name}.weight" not in self.tensors:
            name = self.config["tied"][name]
        return self.tensors[f"{name}.weight"]

    def product(self, name, x):
        return x @ self.matrix(name).T


def read_checkpoint(path):
    with safe_open(path, "pt") as file:
        config = json.loads(file.metadata()["attnscope.config"])
        raw = {name: file.get_tensor(name) for name in file.keys()}
    texts = {name: bytes(raw.pop(name).tolist()) for name in list(raw)
             if name.startswith(("vocab.", "tokenizer."))}

    def text(kind, side):
        return texts.get(f"{kind}.{side}", texts.get(f"{kind}.shared"))

    checkpoint = Checkpoint(config, {name: t.double() for name, t in raw.items()},
                            read_vocab(text("vocab", "source")),
                            read_vocab(text("vocab", "target")), text("tokenizer", "source"),
                            text("tokenizer", "target"))
    checkpoint.modules = {(m.name, m.layer): m for m in modules(config)}
    check_shapes(checkpoint)
    return checkpoint


def read_vocab(data):
    """One piece a line; the last line's end is optional."""
    pieces = data.decode("utf-8").split("\n")
    return pieces[:-1] if pieces[-1] == "" else pieces


def check_shapes(checkpoint):
    expected = tensor_shapes(checkpoint.config, len(checkpoint.source_vocab),
                             len(checkpoint.target_vocab))
    for name, (shape, required) in expected.items():
        if name not in checkpoint.tensors:
            if required:
                raise ValueError(f"{name}: missing, expected {shape}")
        elif tuple(checkpoint.tensors[name].shape) != shape:
            raise ValueError(f"{name}: {tuple(checkpoint.tensors[name].shape)}, expected {shape}")
    unknown = set(checkpoint.tensors) - set(expected)
    if unknown:
        raise ValueError(f"unexpected tensors: {', '.join(sorted(unknown))}")


DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.uint8: "U8"}


def write_safetensors(path, tensors, metadata, reverse=False):
    """The package's own writer orders metadata at random, and golden files must not change from
    one run to the next. In order of names numbers come first and stay aligned; in reverse not."""
    header, chunks, offset = {"__metadata__": metadata}, [], 0
    for name in sorted(tensors, reverse=reverse):
        tensor = tensors[name].contiguous()
        data = tensor.view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def bytes_tensor(data):
    return torch.tensor(list(data), dtype=torch.uint8)
