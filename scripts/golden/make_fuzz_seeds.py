#!/usr/bin/env python3
"""The smallest files that have everything their readers read: seeds of the fuzz targets, which run the faster the
smaller their inputs are. What tests/golden has is fifty times as large.

    pip install torch safetensors sentencepiece
    scripts/golden/make_fuzz_seeds.py tests/fuzz/seeds
"""

import argparse
import gzip
import io
import pickle
import struct
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import sentencepiece
import torch
from safetensors.numpy import save

FLOATS = np.arange(6, dtype=np.float32).reshape(2, 3)
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8, "i64": torch.int64}


# PyTorch --------------------------------------------------------------------------------------------------------------


def torch_file(value, **how):
    stream = io.BytesIO()
    torch.save(value, stream, **how)
    return stream.getvalue()


def torch_files():
    whole = torch.arange(6.0).reshape(2, 3)
    model = OrderedDict(a=whole, b=whole[1], c=whole.T)
    several = {"model": {name: torch.ones(2, dtype=kind) for name, kind in TYPES.items()}}
    return {"zip": torch_file(model), "old": torch_file(model, _use_new_zipfile_serialization=False),
            "types": torch_file(several), "types-old": torch_file(several, _use_new_zipfile_serialization=False)}


def pickles():
    shared = ["x"]
    plain = {"none": None, "flags": (True, False), "numbers": [1, -1, 300, 70000, 1 << 40, 0.5],
             "again": [shared, shared], "text": "ü", "bytes": b"ab", "set": {1}, "long": (1, 2, 3, 4)}
    options = argparse.Namespace(encoder_layers=2, arch="transformer", dropout=0.1)
    itself = []
    itself.append(itself)
    values = {"plain": plain, "options": {"args": options, "model": OrderedDict(a=1)}, "itself": itself}
    return {f"{name}-{protocol}": pickle.dumps(value, protocol) for name, value in values.items()
            for protocol in (0, 2, 4)}


# Others ---------------------------------------------------------------------------------------------------------------


def safetensors_files():
    return {"two": save({"a": FLOATS, "b": np.arange(4, dtype=np.uint8)}, {"format": "pt"}),
            "nothing": save({"none": np.zeros((0, 2), np.float16)})}


def string(text):
    return struct.pack("<H", len(text) + 1) + text.encode() + b"\0"


def ctranslate2_file(version):
    variables = [("w", FLOATS, 0), ("w_scale", np.ones(2, np.float32), 0), ("q", np.ones((2, 2), np.int8), 1),
                 ("heads", np.array(2, np.int16), 2)]
    out = struct.pack("<I", version)
    if version >= 2:
        out += string("TransformerSpec") + struct.pack("<I", 7)
    out += struct.pack("<I", len(variables))
    for name, array, kind in variables:
        out += string(name) + struct.pack(f"<B{array.ndim}I", array.ndim, *array.shape)
        out += (struct.pack("<BI", kind, array.nbytes) if version >= 4
                else struct.pack("<BI", array.itemsize, array.size)) + array.tobytes()
    if version >= 3:
        out += struct.pack("<I", 1) + string("v") + string("w")
    return out


def marian_npz(compression):
    stream = io.BytesIO()
    arrays = {"Wemb": FLOATS, "b": FLOATS[:1], "special:model.yml": np.frombuffer(b"dim-emb: 3\n\0", np.int8)}
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), compression)
    return stream.getvalue()


def marian_bin():
    items = [("Wemb", 0x404, (2, 3), FLOATS.tobytes()), ("h", 0x402, (1, 2), np.ones(2, np.float16).tobytes()),
             ("special:model.yml", 0x101, (12,), b"dim-emb: 3\n\0")]
    out = struct.pack("<QQ", 1, len(items))
    for name, kind, shape, data in items:
        out += struct.pack("<QQQQ", len(name) + 1, kind, len(shape), -(-len(data) // 256) * 256)
    out += b"".join(name.encode() + b"\0" for name, *_ in items)
    out += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    padding = -(len(out) + 8) % 256
    out += struct.pack("<Q", padding) + bytes(padding)
    return out + b"".join(data + bytes(-len(data) % 256) for *_, data in items)


def sentencepiece_model(kind):
    """Removes the normalisation table, which by itself takes 240 kB."""
    stream = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["ab abc b", "abc ab"]), model_writer=stream, model_type=kind, vocab_size=10,
        normalization_rule_name="identity", hard_vocab_limit=False, minloglevel=2)
    return b"sentencepiece\nab abc\n" + stream.getvalue()


def tokenizers():
    words = '{"<unk>": 0, "a": 1, "b": 2, "ab": 3, "\\u2581": 4}'
    bpe = f'{{"model": {{"type": "BPE", "unk_token": "<unk>", "vocab": {words}, "merges": ["a b"]}}}}'
    unigram = ('{"pre_tokenizer": {"type": "Metaspace", "replacement": "\\u2581", "add_prefix_space": true},'
               '"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["\\u2581a", -1.5], ["b", -2]]}}')
    added = bpe[:-1] + (', "added_tokens": [{"content": "<x>", "lstrip": true, "normalized": true}, {"content": "<y>", '
                       '"rstrip": true, "single_word": true}], "pre_tokenizer": {"type": "Metaspace", "replacement": "\\u2581", '
                       '"prepend_scheme": "first"}}')
    return {"small-added": f"json added\n<x> ab <y>a<x>  b <y> a\n{added}",
            "small-codes": "bpe pieces added codes\n>>fr<< ab\u2028a <x>  a\na b\n",
            "small-bpe": "bpe\nab a b.\n#version: 0.2\na b\nab c</w>\n",
            "small-fastbpe": "bpe\nab\na b 3\nab c</w> 2\n",
            "small-ended": "bpe moses normalized ended fr\na-b « c » ... .\" x\na b</w>\n",
            "small-byte": "byte_bpe\nab a\n#version: 0.2\na b\n\u0120 a\n", "small-json": f"json\nab a\n{bpe}",
            "small-unigram": f"json\nab a\n{unigram}", "small-moses": "bpe moses lower\nHe's (2.5), M. X.\na b\n",
            "small-sentencepiece": sentencepiece_model("unigram"), "small-merges": sentencepiece_model("bpe")}


def suites():
    pair = '{"source": "a b", "reference": "A b", "errors": [{"contrastive": "A c", "type": "t", "distance": 2}]}'
    sense = ('{"source": "a", "reference": "A", "ambig word": "a", "sense": "A|B", '
             '"frequency of sense/ambig word in the training data": "2/16", '
             '"errors": [{"contrastive": "B", "replacement": "B"}, {"contrastive": "C"}]}')
    return {"small": f"[{pair}]", "sense": f"[{sense}]"}


def texts():
    return {"small": "a b\nc ü\n\n d\r\n", "mark": "\ufeffa\n", "lfs": "version https://git-lfs.github.com/spec/v1\n",
            "html": "\n<!DOCTYPE html>", "error": '{ "error" : "not found"}', "gzip": gzip.compress(b"a\n", mtime=0),
            "utf16": "a b\n".encode("utf-16"), "utf32": "a b\n".encode("utf-32-be")}


def yamls():
    return {"small": "a: 1\nb: [x, 2.5, null, true]\nc:\n  d: \"q\\x41\"\n  ? e f\n  : 'g'\nh: |\n  i\n",
            "characters": "\u0085a: \u2028\n\"\x7f\": \u2029\n\"\x01\ufffe\": 1\n",
            "bytes": b"a: 0\n\"\xc1b\": 1\n\"\xe2\x82\": 2\n"}


TARGETS = {
    "torch": torch_files, "pickle": pickles, "safetensors": safetensors_files, "tokenizer": tokenizers, "suite": suites,
    "lines": texts, "yaml": yamls,
    "ctranslate2_file": lambda: {f"version-{version}": ctranslate2_file(version) for version in (1, 2, 3, 6)},
    "marian_items": lambda: {"stored": marian_npz(zipfile.ZIP_STORED), "deflated": marian_npz(zipfile.ZIP_DEFLATED),
                             "bin": marian_bin()},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written to")
    out = parser.parse_args().out
    for target, make in TARGETS.items():
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in make().items():
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    main()
