#!/usr/bin/env python3
"""Writes tests/golden/predictions.json.gz: what each prediction rests on by every method, in float64 and by automatic
differentiation (scripts/attnscope_reference/predictions.py), for tests/model/attribution/test_predictions.c.

    pip install torch sentencepiece subword-nmt networkx
    python scripts/golden/make_predictions_golden.py

Of golden models of every kind: a sentence of their golden data, with the gains, masks and patterns that are changed
there, its translation and a contrast, in which another token of the translation is the foil of every row. Of a matrix
a weighted sum over each row and its greatest size, and the middle row whole."""

import gzip
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from attnscope_reference.attribution import chosen_case, dials_of  # noqa: E402
from attnscope_reference.checkpoint import read_checkpoint  # noqa: E402
from attnscope_reference.predictions import Predictions, value_zeroing  # noqa: E402

OUT = ROOT / "tests" / "golden" / "predictions.json.gz"
MODELS = ("vanilla_post vanilla_pre context_both_stacks context_deep_head_gates dhicm_last_layers dhicm_cross_fixed "
          "mma_everywhere mma_cross_empty_rows fixed_8f fixed_cross recurrent_post recurrent_pre relative_bias "
          "rms_norm_pre gated_ffn embedding_norm_post embedding_norm_below_deep_context mixture_decoder "
          "learned_positions_tied specials_differ words_everywhere_bpe last_norm_post activation_gelu_tanh "
          "rotary_capped activation_sigmoid embedding_norm_pre").split()
BASELINES = {"vanilla_pre": "unk", "specials_differ": "pad", "context_both_stacks": "unk"}
# Whose first and last layers are zeroed: as attention, combinations and norms differ.
ZEROED = ("vanilla_post vanilla_pre dhicm_last_layers mma_cross_empty_rows fixed_cross recurrent_pre rms_norm_pre "
          "context_both_stacks last_norm_post embedding_norm_pre").split()
NAMES = {"unk": "unknown", "pad": "padding", "zero": "zero"}
METHODS = ("saliency", "gradient-input", "integrated-gradients", "gradient-attention", "lrp", "erasure")
CONTRASTED = ("saliency", "gradient-input", "gradient-attention", "lrp", "erasure")


def rounded(number):
    return float(f"{number:.7g}")


def described(matrix):
    weights = [((7 * c) % 16 + 1) / 16 for c in range(matrix.shape[1])]
    middle = len(matrix) // 2
    return {"rows": [[rounded((row * row.new_tensor(weights)).sum().item()), rounded(row.abs().max().item())]
                     for row in matrix],
            "row": [rounded(v) for v in matrix[middle].tolist()]}


def record_of(name):
    path = ROOT / "tests" / "golden" / f"{name}.bin"
    checkpoint = read_checkpoint(path)
    with open(path.with_suffix(".expected"), "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        cases = json.loads(json.loads(file.read(size))["__metadata__"]["cases"])
    k = chosen_case(cases)
    case, baseline = cases[k], BASELINES.get(name, "zero")
    ids = case["target_ids"]
    given = (checkpoint, dials_of(case), case["source"], ids)
    plain = Predictions(*given, baseline=baseline)
    contrast = Predictions(*given, foils=[ids[0]] * len(ids), baseline=baseline)
    zeroed = {f"{module}.{layer}": described(value_zeroing(*given, module, layer))
              for module, layer in layers_of(checkpoint) if name in ZEROED}
    return {"case": k, "value-zeroing": zeroed, "baseline": NAMES[baseline],
            "totals": [rounded(v) for v in plain.totals().tolist()],
            "plain": {method: described(plain.matrix(method)) for method in METHODS if has(checkpoint, method)},
            "contrast": {method: described(contrast.matrix(method))
                         for method in CONTRASTED if has(checkpoint, method)}}


def layers_of(checkpoint):
    """The first and the last layer of every module."""
    last = {module: layer for module, layer in checkpoint.modules}
    return [(module, layer) for module in last for layer in sorted({0, last[module]})]


def has(checkpoint, method):
    recurrent = checkpoint.config["decoder"].get("recurrence", "none") != "none"
    return not (recurrent and method == "gradient-attention")


def main():
    lines = [f"{json.dumps(name)}:{json.dumps(record_of(name), separators=(',', ':'))}" for name in MODELS]
    OUT.write_bytes(gzip.compress(("{" + ",\n".join(lines) + "}\n").encode(), mtime=0))
    print(len(MODELS), "models,", os.path.getsize(OUT), "bytes")


if __name__ == "__main__":
    main()
