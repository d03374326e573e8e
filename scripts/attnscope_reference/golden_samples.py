"""Writes the golden data of trained models: what each must compute for a sentence pair.

DIR/NAME.expected has the format of the tiny models' (golden.py), but logits and log-probabilities
are given only for every VOCABULARY_STEPth entry of the vocabulary: all 4,000 would take most of the
file."""

import glob
import json
import os

from .checkpoint import read_checkpoint, write_safetensors
from .golden import LEAST_MARGIN, describe
from .golden_models import Case
from .model import Model
from .search import search

VOCABULARY_STEP = 32
# For each language pair the first sentences whose search has no close decision; all written for
# this purpose. They are short, to keep the files small, and have words of several pieces, for the
# patterns over words.
PAIRS = {
    ("en", "de"): [("My grandmother never understood computers.",
                    "Meine Großmutter hat Computer nie verstanden."),
                   ("The gardener hid the strawberries.",
                    "Der Gärtner hat die Erdbeeren versteckt."),
                   ("Why are the elephants so sleepy?", "Warum sind die Elefanten so müde?"),
                   ("Nobody photographs the kitchen.", "Niemand fotografiert die Küche.")],
    ("ja", "en"): [("祖母は庭でいちごを食べた。", "my grandmother ate strawberries in the garden ."),
                   ("弟は自転車を隠した。", "my brother hid his bicycle ."),
                   ("象は眠そうだ。", "the elephant seems sleepy ."),
                   ("誰が台所で写真を見つけたの。", "who found the photographs in the kitchen ?")],
}


def write_samples(directory, samples, only=None):
    os.makedirs(directory, exist_ok=True)
    for path in sorted(glob.glob(os.path.join(samples, "*.bin"))):
        name = os.path.basename(path).removesuffix(".bin")
        if not only or name in only:
            write_sample(os.path.join(directory, f"{name}.expected"), name, path)


def write_sample(expected, name, path):
    model = Model(read_checkpoint(path))
    languages = model.config["source_language"], model.config["target_language"]
    source, hypotheses, text = clear_pair(name, model, PAIRS[languages])
    target = model.text.target(text)
    captured, logprobs = model.force(source, target)
    record = describe(model, Case(0), source, hypotheses, text, target, logprobs)
    record["vocabulary_step"] = VOCABULARY_STEP
    write_safetensors(expected, kept(captured),
                      {"cases": json.dumps([record], ensure_ascii=False)})
    print(f"{name}: {os.path.getsize(expected):,} bytes, {source.text} -> {hypotheses[0].ids}: "
          f"{record['hypotheses'][0]['text']}")


def clear_pair(name, model, pairs):
    """(source, its hypotheses, the text to force)."""
    for source_text, text in pairs:
        source = model.text.source(source_text)
        hypotheses, margin = search(model, source)
        if margin >= LEAST_MARGIN:
            return source, hypotheses, text
    raise ValueError(f"{name}: every sentence has a close decision")


def kept(captured):
    tensors = {f"case0.{name}": t for name, t in captured.items() if name != "decoder.output"}
    for name in ("case0.logits", "case0.logprobs"):
        tensors[name] = tensors[name][:, ::VOCABULARY_STEP]
    return {name: t.float() for name, t in tensors.items()}
