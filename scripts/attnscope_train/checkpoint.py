"""model.bin: weights, vocabulary, subword model and configuration in one safetensors file."""

import contextlib
import json
import os

import safetensors
import torch

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
NAMES = {torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32", torch.uint8: "U8"}


def bytes_tensor(content):
    return torch.frombuffer(bytearray(content), dtype=torch.uint8)


def vocabulary_bytes(pieces):
    return "".join(piece + "\n" for piece in pieces).encode("utf-8")


def text_tensors(vocabularies, tokenizers):
    """Returns vocabularies and subword models of (source, target) as U8 tensors.

    If both sides agree there is one `shared` tensor. A tokeniser without a model has none."""
    tensors = {}
    for name, sides in (("vocab", tuple(vocabulary_bytes(v) for v in vocabularies)),
                        ("tokenizer", tokenizers)):
        named = dict(zip(("source", "target"), sides))
        if sides[0] == sides[1]:
            named = {"shared": sides[0]}
        tensors.update({f"{name}.{side}": bytes_tensor(content)
                        for side, content in named.items() if content})
    return tensors


@contextlib.contextmanager
def replacing(path, before=lambda: None):
    """A binary file to write, which replaces the old one at the end, complete or not at all.

    before: called when everything is written."""
    with open(f"{path}.partial", "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    before()
    os.replace(f"{path}.partial", path)


def write_checkpoint(path, setup, weights, dtype="fp16"):
    """weights: name -> tensor. The file appears complete or not at all."""
    tensors = {}
    for name, value in weights.items():
        tensors[name] = value.detach().to("cpu", DTYPES[dtype]).contiguous()
        if not torch.isfinite(tensors[name]).all():
            raise ValueError(f"{path}: {name}: not finite in {dtype}")
    tensors.update(text_tensors(setup.vocabularies, setup.tokenizers))
    metadata = {"attnscope.version": "1",
                "attnscope.config": json.dumps(setup.config, ensure_ascii=False)}
    with replacing(path) as file:
        write_safetensors(file, tensors, metadata)


def write_safetensors(file, tensors, metadata):
    """Writes like the safetensors library, but the same tensors always give the same bytes: the
    library's order of metadata is random."""
    header, begin = {"__metadata__": metadata}, 0
    for name, value in tensors.items():
        end = begin + value.numel() * value.element_size()
        header[name] = {"dtype": NAMES[value.dtype], "shape": list(value.shape),
                        "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)     # tensors begin aligned
    file.write(len(text).to_bytes(8, "little") + text)
    for value in tensors.values():
        file.write(value.flatten().view(torch.uint8).numpy().tobytes())


def read_checkpoint(path):
    """Returns (configuration, weights as float32, vocabularies, tokenisers' bytes); pairs are
    (source, target)."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            config = json.loads((file.metadata() or {}).get("attnscope.config", "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path}: {error}") from error
    if config is None:
        raise ValueError(f"{path}: no attnscope.config in its metadata")
    text = {name: bytes(value.numpy()) for name, value in tensors.items()
            if value.dtype == torch.uint8}
    weights = {name: value.float() for name, value in tensors.items()
               if value.dtype != torch.uint8}
    vocabularies = tuple(split_lines(either(text, "vocab", side, path))
                         for side in ("source", "target"))
    tokenizers = tuple(text.get(f"tokenizer.{side}", text.get("tokenizer.shared", b""))
                       for side in ("source", "target"))
    return config, weights, vocabularies, tokenizers


def either(text, name, side, path):
    content = text.get(f"{name}.{side}", text.get(f"{name}.shared"))
    if content is None:
        raise ValueError(f"{path}: neither {name}.{side} nor {name}.shared")
    return content


def split_lines(content):
    return content.decode("utf-8").removesuffix("\n").split("\n")
