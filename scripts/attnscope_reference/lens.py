"""What remains of a model if a stack ends after fewer layers: golden data of lenses."""

import copy
import dataclasses
import gzip
import json
import os

import torch

from .attribution import chosen_case, dials_of
from .checkpoint import modules, read_checkpoint
from .model import Model


def first_layers(checkpoint, stack, layers):
    """Returns the checkpoint with that many layers in the stack. Norms after the last layer follow
    the last remaining one."""
    config = copy.deepcopy(checkpoint.config)
    config[stack]["layers"] = layers
    return dataclasses.replace(checkpoint, config=config,
                               modules={(m.name, m.layer): m for m in modules(config)})


def lens(checkpoint, dials, text, ids):
    """For each stack and number of layers: the log-probability of every target token, and the most
    probable tokens."""
    found = {}
    for stack in "encoder", "decoder":
        found[stack] = []
        for layers in range(1, checkpoint.config[stack]["layers"] + 1):
            model = Model(first_layers(checkpoint, stack, layers), dials)
            captured, logprobs = model.force(model.text.source(text), ids)
            after = captured["logprobs"][len(model.config["target"]["start"]) - 1:]
            best = after.max(dim=1)
            found[stack].append({"logprobs": [round(x, 6) for x in logprobs],
                                 "best": best.indices.tolist(),
                                 "best_logprobs": [round(x, 6) for x in best.values.tolist()]})
    return found


def golden_cases(directory):
    """Yields (name, checkpoint, dials, source, target ids) of one case of every golden model."""
    for name in sorted(os.listdir(directory)):
        if not name.endswith(".bin"):
            continue
        with open(os.path.join(directory, name.removesuffix(".bin") + ".expected"), "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            cases = json.loads(json.loads(file.read(size))["__metadata__"]["cases"])
        case = cases[chosen_case(cases)]
        checkpoint = read_checkpoint(os.path.join(directory, name))
        yield name.removesuffix(".bin"), checkpoint, dials_of(case), case["source"], case["target_ids"], \
            cases.index(case)


def write_lens(path, directory, samples, pair):
    """One case of every golden model of a directory, and a sentence pair in trained models."""
    torch.set_default_dtype(torch.float64)
    found = {}
    for name, checkpoint, dials, text, ids, k in golden_cases(directory):
        found[name] = {"case": k} | lens(checkpoint, dials, text, ids)
    trained = {}
    for file in samples:
        checkpoint = read_checkpoint(file)
        ids = Model(checkpoint).text.target(pair[1])
        trained[os.path.basename(file).removesuffix(".bin")] = lens(checkpoint, None, pair[0], ids)
    text = json.dumps({"golden": found, "pair": pair, "samples": trained}, ensure_ascii=False,
                      separators=(",", ":")) + "\n"
    with open(path, "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))
