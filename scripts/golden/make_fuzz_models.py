#!/usr/bin/env python3
"""Models for fuzz targets: those of tests/golden, as small as their formats allow.

    pip install torch safetensors numpy pyyaml
    scripts/golden/make_fuzz_models.py tests/fuzz/models

A target opens a model for every input, and most mutations of a large file change weights, which no reader looks at.
These models have one layer in each stack, narrow tensors, and of the options of their toolkits only those that some
reader asks for. The weights of a PyTorch file are views of one storage. What the models compute means nothing.
"""

import argparse
import io
import json
import pickle
import re
import struct
import sys
import types
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import torch
import yaml
from safetensors.numpy import load, save

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from attnscope_reference.checkpoint import bytes_tensor, write_safetensors  # noqa: E402
from attnscope_reference.golden_weights import random_tensors  # noqa: E402

FORMATS = ROOT / "tests/golden/formats"
WIDTH, INNER, POSITIONS, HEADS = 4, 3, 6, 2  # of narrow models: d_model, feed-forward, max_positions, heads
PIECES = 12  # of vocabularies in our own format
ASKED = set(re.findall(r'"([\w. :-]+)"', "".join(path.read_text() for path in (ROOT / "model/formats").rglob("*.c"))))
LAYER = re.compile(r"(?:^|[./_])(?:layers|block|transformer|transformer_layers|layer_|encoder_l|decoder_l)[./]?(\d+)[./_]")
COUNTS = {"encoder_layers", "decoder_layers", "enc_layers", "dec_layers", "layers", "num_layers", "num_decoder_layers",
          "num_hidden_layers", "enc-depth", "dec-depth"}


def stays(name, first=0):
    """True if a tensor belongs to the first layer, or to none."""
    found = LAYER.search(name)
    return not found or int(found[1]) == first


def asked(value, widths={}, key=""):
    """The options that readers ask for, with one layer in each stack. `widths`: what becomes of a size."""
    if key in COUNTS and isinstance(value, int):
        return 1
    if re.search("dim$|size$|_ff$", key) and isinstance(value, int):
        return widths.get(value, value)
    if isinstance(value, dict):
        return {name: asked(each, widths, name) for name, each in value.items() if str(name) in ASKED}
    for inside in ("_content", "_val"):  # of objects of omegaconf
        if inside in getattr(value, "__dict__", {}):
            made = type(value)()
            setattr(made, inside, asked(getattr(value, inside), widths, key))
            return made
    return argparse.Namespace(**asked(vars(value), widths)) if isinstance(value, argparse.Namespace) else value


# Narrow tensors -------------------------------------------------------------------------------------------------------


def places(width, inner=(), positions=(), projection=None, heads=None, stacked=False):
    """For each size of a dimension, which of its places stay. stacked: projections of queries, keys and values may be one
    above the other."""
    projection = projection or width
    narrow = list(range(WIDTH)) if projection == width else [0, 1, projection // heads, projection // heads + 1]
    sizes = {size: list(range(POSITIONS + size - min(positions))) for size in positions}
    sizes |= {times * projection: [i * projection + place for i in range(times) for place in narrow]
              for times in ((3, 2, 1) if stacked else (1,))}
    sizes |= {size: list(range(INNER + i)) for i, size in enumerate(inner)}
    return sizes | {width: list(range(WIDTH))} | ({heads: list(range(HEADS))} if heads else {})


def cut(array, sizes):
    for axis, size in enumerate(array.shape):
        if size in sizes:
            array = array.take(sizes[size], axis)
    return np.ascontiguousarray(array)


# PyTorch --------------------------------------------------------------------------------------------------------------


class Unpickler(pickle.Unpickler):
    """Classes of toolkits that are not installed become empty ones of the same name."""

    def find_class(self, module, name):
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            made = type(name, (), {"__module__": module, "__init__": lambda self, *args, **kwargs: None})
            for end in [at.start() for at in re.finditer(r"\.", module)] + [len(module)]:  # packages above it, too
                sys.modules.setdefault(module[:end], types.ModuleType(module[:end]))
            setattr(sys.modules[module], name, made)
            return made


READER = types.SimpleNamespace(__name__="reader", Unpickler=Unpickler, load=pickle.load)


def one_storage(tensors):
    """The same tensors as views of one storage for each type."""
    views = OrderedDict(tensors)
    for kind in {tensor.dtype for tensor in tensors.values()}:
        names = [name for name, tensor in tensors.items() if tensor.dtype == kind]
        whole, at = torch.cat([tensors[name].flatten() for name in names]), 0
        for name in names:
            count = tensors[name].numel()
            views[name] = whole[at:at + count].view(tensors[name].shape)
            at += count
    return views


def small_torch(path, sizes, widths={}):
    def small(tensors):
        return one_storage({name: torch.from_numpy(cut(tensor.numpy(), sizes)) for name, tensor in tensors.items() if stays(name)})

    value = torch.load(path, pickle_module=READER, weights_only=False, map_location="cpu")
    if all(torch.is_tensor(each) for each in value.values()):
        value = small(value)
    else:
        value = {key: each for key, each in value.items() if key in ASKED}
    for key, each in value.items():
        if key in ("model", "model_state", "model_state_dict", "generator") and each:
            value[key] = small(each)
        elif key in ("args", "opt", "cfg"):
            value[key] = asked(each, widths)
    stream = io.BytesIO()
    torch.save(value, stream, _use_new_zipfile_serialization=path.read_bytes()[:2] == b"PK")
    return stream.getvalue()


# Other formats --------------------------------------------------------------------------------------------------------


def small_safetensors(path, sizes):
    tensors = {name: cut(array, sizes) for name, array in load(path.read_bytes()).items() if stays(name)}
    return save(tensors, {"format": "pt"})


def hugging_face(folder):
    config = json.loads((folder / "config.json").read_text())
    small = asked(config)
    if "hidden_size" in config.get("encoder", {}):  # T5Gemma's are narrow
        sizes = {}
        for stack in ("encoder", "decoder"):
            small[stack]["layer_types"] = small[stack]["layer_types"][:1]
    elif "d_kv" in config:
        sizes = places(config["d_model"], [config["d_ff"]], projection=config["d_kv"] * config["num_heads"],
                       heads=config["num_heads"])
        small |= {"d_model": WIDTH, "d_ff": INNER, "d_kv": 2, "num_heads": HEADS}
        buckets = config["relative_attention_num_buckets"]  # a size as any other
        small["relative_attention_num_buckets"] = len(sizes.get(buckets, range(buckets)))
    else:
        inner = sorted({config["encoder_ffn_dim"], config["decoder_ffn_dim"]})
        widths = [key for key in ("d_model", "encoder_embed_dim", "decoder_embed_dim") if key in config]
        most = config.get("max_position_embeddings", POSITIONS)
        sizes = places(config[widths[0]], inner, [most, most + 2])
        small |= {"max_position_embeddings": POSITIONS, "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS}
        small |= {key: WIDTH for key in widths}
        small |= {key: INNER + inner.index(config[key]) for key in ("encoder_ffn_dim", "decoder_ffn_dim")}
    files = {"config.json": json.dumps(small)}
    for path in folder.iterdir():
        if path.suffix == ".safetensors":
            files[path.name] = small_safetensors(path, sizes)
        elif path.suffix == ".bin":
            files[path.name] = small_torch(path, sizes)
        elif path.name.endswith("index.json"):
            names = json.loads(path.read_text())["weight_map"]
            files[path.name] = json.dumps({"weight_map": {name: file for name, file in names.items() if stays(name)}})
        elif path.name == "generation_config.json":
            files[path.name] = json.dumps(asked(json.loads(path.read_text())))
        elif path.name != "config.json":
            files[path.name] = path.read_bytes()
    return files


class Bytes:
    """Reads a file of CTranslate2."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def string(self):
        count, = self.take("H")
        text, = self.take(f"{count}s")
        return text


def string(text):
    return struct.pack("<H", len(text)) + text


CT2_TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16, 5: np.uint16}
CT2_SIZES = {1: np.int8, 2: np.int16, 4: np.float32}


def ctranslate2_places(by_name):
    """Models of old versions do not state their 8 heads, which need a width of as many: nothing of them is cut."""
    heads = next((int(array) for name, array in by_name.items() if name.endswith("num_heads")), None)
    if not heads:
        return {}
    inner = {by_name[name].shape[0] for name in by_name if re.search(r"ffn/linear_0(_noact)?/weight$", name)}
    embedding = next(array for name, array in by_name.items() if "embeddings" in name and name.endswith("/weight"))
    queries = next(array for name, array in by_name.items() if name.endswith("encoder/layer_0/self_attention/linear_0/weight"))
    tables = [array.shape[0] for name, array in by_name.items() if name.endswith("position_encodings/encodings")]
    return places(embedding.shape[1], sorted(inner), tables[:1], queries.shape[0] // 3, heads, stacked=True)


def ctranslate2(folder):
    file, out = Bytes((folder / "model.bin").read_bytes()), b""
    version, = file.take("I")
    about = string(file.string()) + struct.pack("<I", *file.take("I")) if version >= 2 else b""
    variables = []
    for _ in range(file.take("I")[0]):
        name, (rank,) = file.string(), file.take("B")
        shape, (kind, count) = file.take(f"{rank}I"), file.take("BI")
        dtype = CT2_TYPES[kind] if version >= 4 else CT2_SIZES[kind]
        data, = file.take(f"{count if version >= 4 else count * kind}s")
        variables.append((name, kind, np.frombuffer(data, dtype).reshape(shape)))
    aliases = [(file.string(), file.string()) for _ in range(file.take("I")[0])] if version >= 3 else []
    by_name = {name[:-1].decode(): array for name, _, array in variables}
    sizes = ctranslate2_places(by_name)
    kept = [(name, kind, cut(array, sizes) if array.ndim else array) for name, kind, array in variables if stays(name.decode())]
    for name, kind, array in kept:
        if name.endswith((b"num_heads\0", b"num_heads_kv\0")):
            array = np.full_like(array, HEADS)
        out += string(name) + struct.pack(f"<B{array.ndim}I", array.ndim, *array.shape)
        out += struct.pack("<BI", kind, array.nbytes if version >= 4 else array.size) + array.tobytes()
    head = struct.pack("<I", version) + about + struct.pack("<I", len(kept))
    if version >= 3:
        aliases = [pair for pair in aliases if all(stays(name.decode()) for name in pair)]
        out += struct.pack("<I", len(aliases)) + b"".join(string(alias) + string(name) for alias, name in aliases)
    return {"model.bin": head + out} | {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".bin"}


def marian_options(text, small):
    options = {key: value for key, value in yaml.safe_load(text.rstrip(b"\0")).items() if key in ASKED}
    return yaml.dump(options | {key: value for key, value in small.items() if key in options}).encode() + b"\0"


def marian_places(options):
    inner = [options.get(key) for key in ("transformer-dim-ffn", "transformer-decoder-dim-ffn")]
    small = {"dim-emb": WIDTH, "transformer-heads": HEADS, "enc-depth": 1, "dec-depth": 1, "transformer-dim-ffn": INNER,
             "transformer-decoder-dim-ffn": INNER + (inner[1] not in (None, 0, inner[0]))}
    return places(options["dim-emb"], list(dict.fromkeys(filter(None, inner)))), small


def marian_npz(data):
    with np.load(io.BytesIO(data)) as arrays:
        items = {name: arrays[name] for name in arrays.files if stays(name, 1)}
    text = items.pop("special:model.yml").tobytes()
    sizes, small = marian_places(yaml.safe_load(text.rstrip(b"\0")))
    items = {name: cut(array, sizes) for name, array in items.items()}
    items["special:model.yml"] = np.frombuffer(marian_options(text, small), np.int8)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, array in items.items():
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue())
    return stream.getvalue()


def marian_bin(data):
    """Data of a tensor need not fill 256 bytes, as Marian writes it."""
    count, = struct.unpack_from("<Q", data, 8)
    headers = [struct.unpack_from("<QQQQ", data, 16 + 32 * i) for i in range(count)]
    at, items = 16 + 32 * count, []
    names, shapes = [], []
    for size, _, _, _ in headers:
        names.append(data[at:at + size - 1].decode())
        at += size
    for _, _, rank, _ in headers:
        shapes.append(struct.unpack_from(f"<{rank}i", data, at))
        at += 4 * rank
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    kinds = {0x404: np.float32, 0x402: np.float16}
    for name, (_, kind, _, size), shape in zip(names, headers, shapes):
        array = np.frombuffer(data, kinds.get(kind, np.int8), int(np.prod(shape)), at).reshape(shape)
        scale = data[at + array.nbytes:at + array.nbytes + 4] if kind & 0x10000 else b""
        items.append((name, kind, array, scale))
        at += size
    text = next(array.tobytes() for name, _, array, _ in items if name == "special:model.yml")
    sizes, small = marian_places(yaml.safe_load(text.rstrip(b"\0")))
    text = np.frombuffer(marian_options(text, small), np.int8)
    kept = [(name, kind, text if name == "special:model.yml" else cut(array, sizes), scale)
            for name, kind, array, scale in items if stays(name, 1)]
    out = struct.pack("<QQ", 1, len(kept))
    for name, kind, array, scale in kept:
        out += struct.pack("<QQQQ", len(name) + 1, kind, array.ndim, array.nbytes + len(scale))
    out += b"".join(name.encode() + b"\0" for name, *_ in kept)
    out += b"".join(struct.pack(f"<{array.ndim}i", *array.shape) for _, _, array, _ in kept)
    return out + struct.pack("<Q", 0) + b"".join(array.tobytes() + scale for _, _, array, scale in kept)


def marian(folder):
    readers = {".npz": marian_npz, ".bin": marian_bin}
    return {path.name: readers.get(path.suffix, bytes)(path.read_bytes()) for path in folder.iterdir()
            if not path.name.startswith("lex.")}


def joeynmt(folder):
    config = yaml.safe_load((folder / "config.yaml").read_text())
    stack = config["model"]["encoder"]
    widths = {stack["hidden_size"]: WIDTH, stack["ff_size"]: INNER}
    config["model"] = {key: value | {"num_layers": 1} if key in ("encoder", "decoder") else value
                       for key, value in config["model"].items()}
    files = {path.name: path.read_bytes() for path in folder.glob("*.txt")}
    checkpoint = small_torch(folder / "best.ckpt", places(stack["hidden_size"], [stack["ff_size"]]))
    return files | {"config.yaml": yaml.dump(asked(config, widths)), "best.ckpt": checkpoint}


def one_file(folder, width, inner, positions=(), stacked=False):
    sizes, widths = places(width, [inner], positions, stacked=stacked), {width: WIDTH, inner: INNER}
    return {path.name: small_torch(path, sizes, widths) if path.suffix in (".pt", ".pth", ".best")
            else small_safetensors(path, sizes) if path.suffix == ".safetensors" else path.read_bytes()
            for path in folder.iterdir()}


def fairseq(folder):
    return one_file(folder, 6, 8, stacked=True)


def silent(spoken, folder):
    """A checkpoint that does not say its languages, which a file of its data says."""
    folder.mkdir(exist_ok=True)
    for path in spoken.iterdir():
        content = path.read_bytes()
        for option in (b"source_lang", b"target_lang") if path.suffix == ".pt" else ():
            content = content.replace(option, option[:-1] + b"x")
        (folder / path.name).write_bytes(content)
    (folder / "train.en-de.en.bin").write_bytes(b"")


def opennmt(folder):  # and those of Eole
    return one_file(folder, 8, 12)


def nn_transformer(folder):
    return one_file(folder, 8, 12, [40], stacked=True)


# Our own --------------------------------------------------------------------------------------------------------------


OWN = {"vanilla_pre": 1, "mixture_rules": 2, "fixed_8f": 1, "dhicm_cross_fixed": 1, "context_all_kinds_keys": 2,
       "moses_bpe": 1, "recurrent_pre": 1, "relative_bias": 1, "learned_positions_tied": 1, "words_everywhere_bpe": 1,
       "gated_ffn": 1, "excluded_tokens": 1, "mixture_decoder": 2, "one_head_halves_fairseq": 1,
       "rotary_capped": 1}


def own(name, layers):
    """The configuration of a golden model, with random weights of other sizes; without the optional ones."""
    data = (ROOT / f"tests/golden/{name}.bin").read_bytes()
    end = 8 + struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:end])
    metadata = header.pop("__metadata__")
    config = json.loads(metadata["attnscope.config"])
    config |= {"d_model": WIDTH, "d_ff": INNER, "max_positions": 4 * POSITIONS}
    config["search"]["excluded"] = [piece for piece in config["search"].get("excluded", []) if piece < PIECES]
    for stack in ("encoder", "decoder"):
        rotary = config["positions"][stack]["kind"] == "rotary"
        config[stack] |= {"layers": min(layers, config[stack]["layers"]), "head_dim": 2 if rotary else 1}
    config["attention"] = [one_layer(rule, layers) for rule in config.get("attention", [])
                           if rule.get("layers", "all") == "all" or min(rule["layers"]) < layers]
    texts = {}
    for key, tensor in header.items():
        if tensor["dtype"] == "U8":
            first, last = tensor["data_offsets"]
            texts[key] = data[end + first:end + last]
    texts = {key: b"\n".join(text.split(b"\n")[:PIECES]) + b"\n" if key.startswith("vocab") else text for key, text in texts.items()}
    sizes = [texts.get(f"vocab.{side}", texts.get("vocab.shared")).count(b"\n") for side in ("source", "target")]
    tensors = random_tensors(config, sizes, ["*.bias"], 1)
    tensors = {key: tensor.half() for key, tensor in tensors.items()} | {key: bytes_tensor(text) for key, text in texts.items()}
    return config, tensors


def one_layer(rule, layers):
    if rule.get("layers", "all") == "all":
        return rule
    return rule | {"layers": [layer for layer in rule["layers"] if layer < layers]}


FAMILIES = {"hf": hugging_face, "ct2": ctranslate2, "marian": marian, "joeynmt": joeynmt, "nn": nn_transformer, "sockeye": nn_transformer,
            "fairseq": fairseq, "opennmt": opennmt, "eole": opennmt}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written to")
    out = parser.parse_args().out
    # A package has its model in a folder of its own, which the fuzzers' models are not.
    for folder in sorted(path for path in FORMATS.iterdir() if path.is_dir() and not (path / "metadata.json").exists()):
        (out / folder.name).mkdir(parents=True, exist_ok=True)
        for name, content in FAMILIES[folder.name.split("-")[0]](folder).items():
            (out / folder.name / name).write_bytes(content.encode() if isinstance(content, str) else content)
    silent(out / "fairseq-args", out / "fairseq-silent")
    (out / "own").mkdir(exist_ok=True)
    for name, layers in OWN.items():
        config, tensors = own(name, layers)
        write_safetensors(out / f"own/{name}.bin", tensors,
                          {"attnscope.version": "1", "attnscope.config": json.dumps(config)})


if __name__ == "__main__":
    main()
