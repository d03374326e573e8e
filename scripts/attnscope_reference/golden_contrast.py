"""Writes the scores of contrastive suites: for every item a list of the summed log-probabilities of
the reference and of its contrastive translations, end-of-sentence included."""

import json
import os

from .checkpoint import read_checkpoint
from .model import Model


def write_scores(path, model_path, suites):
    model = Model(read_checkpoint(model_path))
    scores = {"model": os.path.basename(model_path),
              "suites": {os.path.basename(suite): score_suite(model, suite) for suite in suites}}
    text = json.dumps(scores, ensure_ascii=False, indent=0, separators=(",", ":"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(",\n-", ",-").replace("[\n-", "[-").replace("\n]", "]") + "\n")


def score_suite(model, path):
    with open(path, encoding="utf-8") as file:
        items = json.load(file)
    return [score_item(model, item) for item in items]


def score_item(model, item):
    source = model.text.source(item["source"])
    texts = [item["reference"]] + [error["contrastive"] for error in item["errors"]]
    return [round(sum(model.force(source, model.text.target(text))[1]), 7) for text in texts]
