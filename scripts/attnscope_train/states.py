"""state.pt: all that a training needs to go on as if it had never stopped.

Weights, their average, Adam's moments, vocabularies, configuration, and how far the training is: the
step, the epoch and the step within it. No generator's state is among them, because none outlives a
step: dropout is seeded by the step and the batch's number within it, the order of the batches by the
epoch (loop.py)."""

import os
import re

import torch

from .checkpoint import bytes_tensor, replacing
from .prepare import Setup

NEWEST = "state.pt"
OLDER = re.compile(r"state-(\d+)\.pt$")


def older_states(folder):
    """Returns (step, path) of older states, oldest first."""
    found = filter(None, map(OLDER.match, os.listdir(folder)))
    return sorted((int(match[1]), os.path.join(folder, match[0])) for match in found)


def newest_state(folder):
    """Returns its path; None if there is none."""
    if not os.path.isdir(folder):
        return None
    path = os.path.join(folder, NEWEST)
    if os.path.exists(path):
        return path
    # A training may have ended after it set the old state aside and before the new one was in
    # place.
    older = older_states(folder)
    return older[-1][1] if older else None


def read_state(path):
    return torch.load(path, map_location="cpu", weights_only=True)


def write_state(folder, state, keep, previous):
    """keep: how many states the folder has afterwards, including this one; previous: the step of
    the present one, if any."""
    path = os.path.join(folder, NEWEST)

    def set_aside():
        if keep > 1 and os.path.exists(path):
            os.replace(path, os.path.join(folder, f"state-{previous:08d}.pt"))

    with replacing(path, set_aside) as file:
        torch.save(state, file)
    older = older_states(folder)
    for i, (step, old) in enumerate(older):
        # Steps ahead are left over from a training that was abandoned for an earlier state.
        if i < len(older) - (keep - 1) or step >= state["progress"]["step"]:
            os.remove(old)


def setup_of_state(state):
    tokenizers = tuple(b"" if t is None else bytes(t.numpy()) for t in state["tokenizers"])
    return Setup(state["config"], tuple(state["vocabularies"]), tokenizers)


def setup_in_state(setup):
    return {"config": setup.config, "vocabularies": list(setup.vocabularies),
            "tokenizers": [bytes_tensor(t) if t else None for t in setup.tokenizers]}


def check_plan(path, state, plan):
    """A place in the data means the same batches only if the same options made them.

    plan: what the batches depend on, by option."""
    for option, value in state.get("plan", plan).items():
        if plan[option] != value:
            raise ValueError(f"{path}: of a training with {option} {value}, expected {plan[option]}")
