#!/usr/bin/env python3
"""What Marian computes of a student in 8 bits: tests/golden/integers.json.

    pip install torch safetensors sentencepiece pyyaml numpy
    scripts/golden/make_integers_golden.py tests/golden/formats

The float64 reference, but for products: activations are rounded to 8 bits as browsermt's Marian rounds them
(src/tensors/cpu/intgemm_interface.h), by NAME_QuantMultA or else by their maximum, of a sentence in the encoder and of a
row in the decoder; sums are of integers. Sentences and targets are those of marian-student.expected. No value lies within
NEAR of a half, where the rounding of float32 would decide.
"""

import argparse
import json
import struct
import sys
from pathlib import Path

import numpy as np
import sentencepiece
import torch
import yaml
from safetensors import safe_open

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from attnscope_reference.checkpoint import Checkpoint
from attnscope_reference.marian import checkpoint_of
from attnscope_reference.model import Model
from attnscope_reference.search import search
from make_marian_golden import read_items

OUT = ROOT / "tests" / "golden" / "integers.json"
NEAR = 1e-5
FLOATS, INTEGERS, TEXT = 0x404, 0x4101, 0x101
DECODER = {"beam-size": 1, "normalize": 1, "max-length-factor": 2}


class Integers(Checkpoint):
    """A checkpoint with integer products; factors: (scale, activation) of each matrix."""

    nearest = 1.0

    def product(self, name, x):
        scale, activation = self.factors[name]
        of_sentence = name.startswith("encoder.") or name.endswith(("cross_attention.k", "cross_attention.v"))
        most = x.abs().max() if of_sentence else x.abs().max(dim=1, keepdim=True).values
        by = torch.tensor(activation) if activation else 127 / most
        values = (x * by.to(torch.float32).double()).clamp(-127, 127)
        self.nearest = min(self.nearest, (values - values.floor() - 0.5).abs().min().item())
        weights = (self.matrix(name) * scale).round()
        return values.round() @ weights.T / (by * scale)


def read_student(path):
    """Returns the parameters, the training's options, and (scale, activation) of each matrix, by
    Marian's names."""
    parameters, options, scales, activations = {}, None, {}, {}
    for name, kind, shape, raw in read_items(path.read_bytes()):
        elements = int(np.prod(shape))
        if kind == TEXT:
            options = yaml.safe_load(raw.split(b"\0")[0]) if name == "special:model.yml" else options
            continue
        values = np.frombuffer(raw, "int8" if kind == INTEGERS else "<f4", elements)
        if kind == INTEGERS:
            scale, = struct.unpack_from("<f", raw, elements)
            values = (values * (np.float32(1) / np.float32(scale))).astype("float32")
        if name.endswith("_QuantMultA"):
            activations[name.removesuffix("_QuantMultA")] = float(values[0])
            continue
        if kind == INTEGERS and "Wemb" not in name:  # transposed in the file, although their shapes are not
            values, scales[name] = values.reshape(shape[::-1]).T, scale
        elif "_W" in name:  # quantised again
            scales[name] = float(np.float32(127) / np.abs(values).max())
        parameters[name] = values.reshape(shape)
    return parameters, options, {name: (scale, activations.get(name)) for name, scale in scales.items()}


def factors_of(scales, layers):
    """Returns the factors by our names."""
    parts = {"self_attention": "self", "cross_attention": "context"}
    ours = {"output": scales.get("decoder_ff_logit_out_Wt") or scales["decoder_Wemb"]}
    for stack, count in layers.items():
        for layer in range(count):
            at, theirs = f"{stack}.layers.{layer}", f"{stack}_l{layer + 1}"
            names = {f"{at}.{part}.{which}": f"{theirs}_{word}_W{which}" for part, word in parts.items() for which in "qkvo"}
            names |= {f"{at}.ffn.in": f"{theirs}_ffn_W1", f"{at}.ffn.out": f"{theirs}_ffn_W2",
                      f"{at}.recurrence.input": f"{theirs}_rnn_W", f"{at}.recurrence.forget": f"{theirs}_rnn_Wf"}
            ours |= {name: scales[other] for name, other in names.items() if other in scales}
    return ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder of marian-student")
    out = parser.parse_args().out
    folder = out / "marian-student"
    parameters, options, scales = read_student(next(folder.glob("*.bin.alphas.bin"), next(folder.glob("model.*.bin"))))
    files = [folder / "srcvocab.ende.spm", folder / "trgvocab.ende.spm"]
    cuts = [sentencepiece.SentencePieceProcessor(model_file=str(file)) for file in files]
    pieces = [[cut.id_to_piece(i) for i in range(cut.get_piece_size())] for cut in cuts]
    checkpoint = checkpoint_of(parameters, options, DECODER, pieces, [file.read_bytes() for file in files])
    checkpoint.__class__ = Integers
    checkpoint.factors = factors_of(scales, {"encoder": options["enc-depth"], "decoder": options["dec-depth"]})
    model, cases = Model(checkpoint), []
    with safe_open(out / "marian-student.expected", "pt") as file:
        given = json.loads(file.metadata()["cases"])
    for text in sorted({case["source"] for case in given}):
        source = model.text.source(text)
        checkpoint.nearest = 1.0
        (best,), margin = search(model, source, 1)
        if checkpoint.nearest > NEAR and margin > 1e-3:
            cases.append({"source": text, "ids": list(best.ids), "logprobs": [round(one, 7) for one in best.logprobs]})
    assert len(cases) >= 3, len(cases)
    OUT.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(cases)} of {len({case['source'] for case in given})} sentences")


if __name__ == "__main__":
    main()
