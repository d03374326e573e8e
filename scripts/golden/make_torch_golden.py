#!/usr/bin/env python3
"""Small files of torch.save, in both layouts.

    pip install torch safetensors
    scripts/golden/make_torch_golden.py tests/golden

torch/ has files for the tests of their reader (tests/model/formats/archive), which say what is in them. Of two folders of
Hugging Face in formats/ there is another with the same weights as pytorch_model.bin, as transformers wrote it once; what is
expected of it is the same.
"""

import argparse
import collections
import json
import os
import pickle
import shutil
import struct
import sys
import types
from pathlib import Path

import torch
from safetensors.torch import load_file


class Vocab:
    """As torchtext pickled it: a class of a module that a reader does not have."""

    def __init__(self, words):
        self.freqs = collections.Counter(words)
        self.itos = list(words)
        self.stoi = collections.defaultdict(None, {word: i for i, word in enumerate(words)})


class Slotted:
    """An object without a dict, whose state is two."""

    __slots__ = ["width"]

    def __init__(self, width):
        self.width = width


class Command:
    """What torch.load would run."""

    def __reduce__(self):
        return os.system, ("touch attnscope-command-ran",)


def publish(module, *classes):
    for name in (module.partition(".")[0], module):
        sys.modules[name] = types.ModuleType(name)
    for each in classes:
        each.__module__ = module
        setattr(sys.modules[module], each.__name__, each)


def tensors():
    matrix = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    return collections.OrderedDict([
        ("matrix", matrix),
        ("tied", matrix),
        ("row", matrix[1]),
        ("transposed", matrix.t()),
        ("column", matrix[:, 1:2]),
        ("half", matrix.half()),
        ("bfloat", matrix.bfloat16()),
        ("double", matrix.double() / 4),
        ("long", torch.arange(3)),
        ("empty", torch.zeros(0, 4)),
        ("scalar", torch.tensor(7.0)),
        ("parameter", torch.nn.Parameter(matrix + 1)),
    ])


def values():
    cycle = ["itself"]
    cycle.append(cycle)
    options = argparse.Namespace(
        layers=2, rate=0.25, name="träge", share=True, nothing=None, words=["a", "b"], pair=(1, -2), great=1 << 80,
        wide=-(1 << 40), byte=200, short=60000)
    return {"args": options, "model": tensors(), "vocab": Vocab(["<unk>", "<pad>", "word"]), "slots": Slotted(12),
            "counts": collections.Counter("aab"), "letters": {"x"}, "cycle": cycle, 5: "five"}


def write_archives(folder):
    folder.mkdir(parents=True, exist_ok=True)
    publish("torchtext.vocab", Vocab)
    publish("somewhere.slots", Slotted)
    for protocol in (2, 3, 4, 5):
        torch.save(values(), folder / f"zip{protocol}.pt", pickle_protocol=protocol)
    torch.save(values(), folder / "stream2.pt", _use_new_zipfile_serialization=False)
    torch.save({"model": Command()}, folder / "command.pt")
    write_views(folder / "views.pt")


class Part:
    """Elements of a storage of 0, 1, 2 …, as files of PyTorch before 0.4 name them."""

    elements = 10

    def __init__(self, offset, count):
        self.persistent = ("storage", torch.FloatStorage, "root", "cpu", self.elements, ("view", offset, count))


class PartPickler(pickle._Pickler):
    """The one of Python itself: torch gives storages a reduction that would come before it."""

    def persistent_id(self, value):
        return value.persistent if isinstance(value, Part) else None


class PartTensor:
    def __init__(self, part, offset, size, stride):
        self.arguments = (part, offset, size, stride)

    def __reduce__(self):
        return torch._utils._rebuild_tensor, self.arguments


def write_views(path):
    part = Part(3, 6)
    with open(path, "wb") as file:
        for value in (0x1950A86A20F9469CFC6C, 1001, {"protocol_version": 1001, "little_endian": True}):
            pickle.dump(value, file, protocol=2)
        PartPickler(file, protocol=2).dump({"model": {"last": PartTensor(part, 4, (2,), (1,)),
                                                      "matrix": PartTensor(part, 0, (2, 3), (3, 1))}})
        pickle.dump(["root"], file, protocol=2)
        file.write(struct.pack(f"<q{Part.elements}f", Part.elements, *range(Part.elements)))
    read = torch.load(path, weights_only=False)["model"]
    assert read["matrix"].tolist() == [[3, 4, 5], [6, 7, 8]] and read["last"].tolist() == [7, 8]


def rewrite_weights(folder, name, rewritten):
    """Every second part as a stream, which transformers wrote before PyTorch 1.6."""
    to = folder / rewritten
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir()
    for file in sorted((folder / name).iterdir()):
        renamed = file.name.replace("model", "pytorch_model").replace(".safetensors", ".bin")
        if file.suffix == ".safetensors":
            torch.save(collections.OrderedDict(load_file(file)), to / renamed,
                       _use_new_zipfile_serialization="2" not in renamed.partition("-of-")[0])
        elif file.name == "model.safetensors.index.json":
            index = json.loads(file.read_text())
            index["weight_map"] = {key: value.replace("model", "pytorch_model").replace(".safetensors", ".bin")
                                   for key, value in index["weight_map"].items()}
            (to / renamed).write_text(json.dumps(index, indent=1) + "\n")
        else:
            shutil.copy(file, to)
    expected = folder / f"{rewritten}.expected"
    expected.unlink(missing_ok=True)
    expected.symlink_to(f"{name}.expected")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    write_archives(folder / "torch")
    rewrite_weights(folder / "formats", "hf-marian-multilingual", "hf-marian-pytorch")
    rewrite_weights(folder / "formats", "hf-m2m100", "hf-m2m100-pytorch")


if __name__ == "__main__":
    main()
