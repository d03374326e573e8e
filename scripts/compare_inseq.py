#!/usr/bin/env python3
"""Compares what predictions rest on with inseq (Sarti et al. 2023), and times both side by side: saliency, gradient
times input and integrated gradients of every token, and value zeroing of every layer, of a MarianMT folder.

    pip install inseq torch
    python scripts/compare_inseq.py build/attnscope FOLDER [SENTENCE...]

Fails where a value differs by more than 1e-3 of the greatest of its row. So that no rounding of float32 counts, inseq's
model is in float64 here, and value zeroing keeps scores below its threshold of 1e-5. It keeps the start token in
baselines, which is padding in these folders: so both take padding as the baseline of every token."""

import json
import os
import subprocess
import sys
import time

import inseq
import torch
from inseq.attr.feat.ops.value_zeroing import ValueZeroing

BOUND = 1e-3
STEPS = 64
SENTENCES = ("A man in a blue shirt is standing on a ladder.", "Two dogs are running through the snow.",
             "I have never seen so many stars in the sky.")
# Our name -> inseq's name and options.
METHODS = {"saliency": ("saliency", {}),
           "gradient-input": ("input_x_gradient", {}),
           "integrated-gradients": ("integrated_gradients", {"n_steps": STEPS, "include_eos_baseline": True})}
MODULES = {"enc": "encoder", "dec": "decoder", "cross": "cross"}


def load(folder, method):
    model = inseq.load_model(folder, method, device="cpu")
    model.model.double()
    model.tokenizer.unk_token = model.tokenizer.pad_token
    return model


def keep_small_scores():
    compute = ValueZeroing.compute_modules_post_zeroing_similarity
    ValueZeroing.compute_modules_post_zeroing_similarity = \
        lambda self, **options: compute(self, **{**options, "min_score_threshold": 0.0})
    ValueZeroing.SIMILARITY_METRICS["cosine"] = lambda x, y: torch.cosine_similarity(x.double(), y.double(), dim=-1)


def attnscope(program, folder, lines):
    """Returns the objects that answer the lines."""
    given = [word for line in lines for word in ("-e", line)]
    answer = subprocess.run([program, "--json", "--device", "cpu", folder, *given], capture_output=True, text=True,
                            check=False)
    objects = [json.loads(line) for line in answer.stdout.splitlines()]
    failed = [o for o in objects if not o["ok"]]
    if failed or answer.returncode:
        sys.exit(f"{failed or answer.stderr}")
    return objects


def joined(found, combine):
    """Returns [predictions, tokens of the source and of the target before them] from inseq's
    [tokens, predictions, d]."""
    both = torch.cat([found.source_attributions, found.target_attributions[:-1]])
    return combine(torch.nan_to_num(both).double()).T


def farthest(here, there):
    """Returns the greatest difference, as a share of the greatest value of the row."""
    return max(((a - b).abs().max() / b.abs().max()).item() for a, b in zip(here, there) if b.abs().max() > 0)


def derivative(model, method, sentence, target):
    name, options = METHODS[method]
    found = model.attribute(sentence, target, method=name, attribute_target=True, attributed_fn="probability",
                            logprob=True, show_progress=False, **options).sequence_attributions[0]
    return joined(found, (lambda x: x.norm(dim=2)) if method == "saliency" else lambda x: x.sum(dim=2))


def zeroed(model, sentence, target):
    """Returns (module, layer) -> [rows, columns]."""
    found = model.attribute(sentence, target, method="value_zeroing", attribute_target=True,
                            show_progress=False).sequence_attributions[0]
    parts = {"cross": found.source_attributions, "dec": found.target_attributions[:-1],
             "enc": found.sequence_scores["encoder_self_scores"]}
    return {(module, layer): torch.nan_to_num(x[:, :, layer]).double().T
            for module, x in parts.items() for layer in range(x.shape[2])}


def check(what, here, there, failed):
    off = farthest(here, there)
    print(f"{what:32} {off:.1e}")
    if not off <= BOUND:
        failed.append(what)


def compare(program, folder, models, sentence):
    failed = []
    (translated,) = attnscope(program, folder, [sentence])
    target = translated["hypotheses"][0]["text"]
    print(f"{sentence} -> {target}")
    settings = [":set attribute.baseline padding", f":set attribute.steps {STEPS}",
                ":set attribute.quadrature gauss-legendre"]
    lines = [sentence, f":force {target}", *settings, *(f":attribute {method}" for method in METHODS)]
    for method, answer in zip(METHODS, attnscope(program, folder, lines)[-len(METHODS):]):
        here = torch.tensor(answer["weights"]).double()
        check(method, here, derivative(models[method], method, sentence, target), failed)
    there = zeroed(models["value-zeroing"], sentence, target)
    lines = [sentence, f":force {target}", *(f":attn {m} layer {k + 1} as value-zeroing" for m, k in there)]
    for (module, layer), answer in zip(there, attnscope(program, folder, lines)[2:]):
        here = torch.tensor(answer["weights"]).double()[:len(there[module, layer])]
        check(f"value-zeroing {module} layer {layer + 1}", here, there[module, layer], failed)
    return failed


def seconds_of(call, least=3):
    """Returns the least of several times."""
    times = []
    for _ in range(least):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def bench(program, folder, model, sentence):
    """Times saliency of one sentence; for attnscope, a tenth of ten more of them, which leaves out
    its start."""
    (translated,) = attnscope(program, folder, [sentence])
    target = translated["hypotheses"][0]["text"]
    lines = [sentence, f":force {target}"]
    once = seconds_of(lambda: attnscope(program, folder, lines + [":attribute saliency"]))
    more = seconds_of(lambda: attnscope(program, folder, lines + [":attribute saliency"] * 11))
    here, there = (more - once) / 10, seconds_of(lambda: derivative(model, "saliency", sentence, target))
    print(f"saliency of {len(translated['hypotheses'][0]['ids'])} predictions: attnscope {1000 * here:.1f} ms, "
          f"inseq {1000 * there:.1f} ms, {there / here:.1f} times")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder, *sentences = sys.argv[1:]
    torch.set_num_threads(os.cpu_count())
    torch.set_default_dtype(torch.float64)
    keep_small_scores()
    models = {method: load(folder, name) for method, (name, _) in METHODS.items()}
    models["value-zeroing"] = load(folder, "value_zeroing")
    failed = []
    for sentence in sentences or SENTENCES:
        failed += compare(program, folder, models, sentence)
    torch.set_default_dtype(torch.float32)
    bench(program, folder, inseq.load_model(folder, "saliency", device="cpu"), (sentences or SENTENCES)[0])
    if failed:
        sys.exit(f"more than {BOUND} apart: {', '.join(failed)}")


if __name__ == "__main__":
    main()
