#!/usr/bin/env python3
"""Writes tests/golden/faithful.json: comprehensiveness and sufficiency (DeYoung et al. 2020) of each prediction, in
float64 (scripts/attnscope_reference/faithfulness.py), for tests/model/attribution/test_faithfulness.c.

    pip install torch sentencepiece subword-nmt
    python scripts/golden/make_faithful_golden.py

Of golden models that differ in architecture, end-of-sentence and baseline: the sentence that predictions.json.gz has. A
row whose ranking depends on values that float32 may not tell apart is null."""

import gzip
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "golden")]
# pylint: disable=wrong-import-position
from attnscope_reference.attribution import dials_of  # noqa: E402
from attnscope_reference.checkpoint import read_checkpoint  # noqa: E402
from attnscope_reference.faithfulness import faithfulness  # noqa: E402
from attnscope_reference.predictions import Predictions  # noqa: E402

OUT = ROOT / "tests" / "golden" / "faithful.json"
BASELINES = {"unknown": "unk", "padding": "pad", "zero": "zero"}
METHODS = ("saliency", "gradient-input", "erasure")
MODELS = ("vanilla_post vanilla_pre context_both_stacks dhicm_last_layers recurrent_post rms_norm_pre "
          "specials_differ words_everywhere_bpe").split()


def record_of(name, given):
    path = ROOT / "tests" / "golden" / f"{name}.bin"
    checkpoint = read_checkpoint(path)
    with open(path.with_suffix(".expected"), "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        cases = json.loads(json.loads(file.read(size))["__metadata__"]["cases"])
    case = cases[given["case"]]
    of = Predictions(checkpoint, dials_of(case), case["source"], case["target_ids"],
                     baseline=BASELINES[given["baseline"]])
    return {"case": given["case"], "baseline": given["baseline"],
            "methods": {method: [row and [round(x, 6) for x in row] for row in faithfulness(of, method)]
                        for method in METHODS}}


def main():
    predictions = json.loads(gzip.decompress((ROOT / "tests" / "golden" / "predictions.json.gz").read_bytes()))
    lines = [f"{json.dumps(name)}:{json.dumps(record_of(name, predictions[name]), separators=(',', ':'))}"
             for name in MODELS]
    OUT.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    print(len(MODELS), "models,", os.path.getsize(OUT), "bytes")


if __name__ == "__main__":
    main()
