#!/usr/bin/env python3
"""Writes tests/golden/head_stats.json.gz: what every head of every sample does with its attention, computed with NumPy from
the weights that the program exports sentence by sentence, for tests/tui/command/test_stats.c; and head_relations.json.gz,
how often the encoder's heads look along the syntactic relations of tests/golden/relations.conllu, and means over the
rows of each part of speech of samples/pos-en.conllu, for tests/tui/command/test_stats_relations.c.

    pip install numpy
    make && python scripts/golden/make_head_stats_golden.py

The sentences are every ninth line of the test sets of samples/, from the first one on, in Japanese every second one. Some
golden models, which are built as no sample is, get sentences of random words, which are written, too.
"""

import gzip
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from attnscope_measure.patterns import pattern_row  # noqa: E402
from word_scripts import scripts_part  # noqa: E402

OUT = ROOT / "tests" / "golden" / "head_stats.json.gz"
TREES = ROOT / "tests" / "golden" / "relations.conllu"
RELATIONS = ROOT / "tests" / "golden" / "head_relations.json.gz"
TAGGED = ROOT / "samples" / "pos-en.conllu"
RELATED = ["en-de", "en-de-mma", "en-de-fixed", "en-de-fixed-word", "en-de-dhicm", "en-de-context"]
STEP, JAPANESE_STEP = 9, 2
TINY = ["relative_bias", "learned_positions_tied", "mma_cross_empty_rows", "activation_tanh"]
SAMPLES = {"en-de": "en de", "en-de-mma": "en de", "en-de-fixed": "en de", "en-de-fixed-word": "en de",
           "en-de-fixed8": "en de", "en-de-dhicm": "en de", "en-de-context": "en de", "ja-en-mma": "ja en"}
FILES = {"en": "sentences.en", "de": "sentences.de"}
JAPANESE = {"ja": "sentences-ja.ja", "en": "sentences-ja.en"}
MEASURES = ["entropy", "confidence", "confidence_no_eos", "distance", "eos", "self", "punctuation", "within_word", "rare"]
GROUPED = ["entropy", "confidence", "distance", "within_word"]
EOS = "</s>"
PATTERNS = ["current", "previous", "next", "left_context", "right_context", "sentence_end", "sentence_start", "last"]
# What heads are compared with; of equally near ones the first counts.
NEAR = [(pattern, unit) for pattern in PATTERNS for unit in ("token", "word")] + [
    (("gaussian", offset, 1.0), "token") for offset in (-1, 0, 1)]


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            kind = {"F32": "<f4", "U8": "u1"}.get(entry["dtype"])
            if kind:
                arrays[name] = numpy.frombuffer(data[8 + size + begin:8 + size + end], kind).reshape(entry["shape"])
    return header["__metadata__"], arrays


def export(model, pairs):
    """Forces every pair and returns its metadata and arrays."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lines = []
        for i, (source, target) in enumerate(pairs):
            lines += [source, ":force " + target, f":export {folder}/{i}.safetensors"]
        (folder / "session").write_text("\n".join(lines) + "\n")
        subprocess.run([ROOT / "build/attnscope", "--device", "cpu", ROOT / f"{model}.bin", "-f",
                        folder / "session"], check=True, stdout=subprocess.DEVNULL)
        return [read_safetensors(folder / f"{i}.safetensors") for i in range(len(pairs))]


class Tokens:
    def __init__(self, texts, ids, starts, marks=True, unspaced=False):
        body = [not (t.startswith("<") and t.endswith(">")) and i >= starts for i, t in enumerate(texts)]
        self.starts = starts
        plain = [t.replace("\u2581", "") if b else "" for t, b in zip(texts, body)]
        self.count = len(texts)
        self.eos = numpy.array([t == EOS for t in texts], float)
        self.punctuation = numpy.array([bool(p) and all(unicodedata.category(c)[0] == "P" for c in p) for p in plain],
                                       float)
        rarest = max((i for i, b in zip(ids, body) if b), default=None)
        self.rare = numpy.array([b and i == rarest for i, b in zip(ids, body)], float)
        words, number = [], -1
        for i, (text, is_body) in enumerate(zip(texts, body)):
            number += (not is_body or not marks or text.startswith("\u2581") or i == 0 or not body[i - 1]
                       or (unspaced and scripts_part("runs", plain[i - 1], plain[i])))
            words.append(number)
        self.words = numpy.array(words)


def near_name(pattern, unit):
    name = pattern if isinstance(pattern, str) else "gaussian" + (f" {pattern[1]}" if pattern[1] else "")
    return name + (" word" if unit == "word" else "")


def nearness(weights, i, words, row_word):
    """(heads, NEAR): how close a row, (heads, columns seen), comes to each pattern. words: of the
    columns, or None."""
    result = []
    for pattern, unit in NEAR:
        if unit == "word" and words is None:
            result.append(numpy.zeros(len(weights)))
            continue
        if unit == "word":
            over_words = pattern_row(pattern, row_word, words[-1] + 1)
            row = over_words[words] / numpy.bincount(words)[words]
        else:
            row = pattern_row(pattern, i, weights.shape[1])
        shared = numpy.minimum(weights, row).sum(1)
        result.append(2 * shared / numpy.maximum(weights.sum(1) + row.sum(), 1e-30))
    return numpy.array(result).T


def sum_rows(module, weights, rows, columns, out):
    """Adds the rows of one sentence, (heads, rows, columns), to the lists of `out`."""
    own = module != "cross"
    # In cross-attention the row of the last start token predicts the first token of the target.
    for r in range(rows.starts if own else max(rows.starts - 1, 0), rows.count):
        i = r if own else r + 1 - rows.starts
        w = weights[:, r].astype(float)
        j = numpy.arange(columns.count)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            logs = numpy.where(w > 0, w * numpy.log2(w), 0)
        word = (columns.words == rows.words[r]) & (j != r) if own else numpy.zeros(columns.count)
        out["present"].append(w.sum(1) > 0)
        out["entropy"].append(-logs.sum(1))
        out["confidence"].append(w.max(1))
        out["confidence_no_eos"].append((w * (1 - columns.eos)).max(1))
        out["distance"].append(w @ abs(i - j))
        out["offset"].append(w.argmax(1) - i)
        out["eos"].append(w @ columns.eos)
        out["self"].append(w[:, r] if own else w[:, 0] * numpy.nan)
        out["punctuation"].append(w @ columns.punctuation)
        out["within_word"].append(w @ word if own else w[:, 0] * numpy.nan)
        out["rare"].append(w @ columns.rare)
        seen = r + 1 if module == "decoder" else columns.count
        out.setdefault("near", []).append(nearness(w[:, :seen], i, columns.words[:seen] if own else None, rows.words[r]))
        mean = (w[:, None] + w[None]) / 2
        with numpy.errstate(divide="ignore", invalid="ignore"):
            own_part = numpy.where(w[:, None] > 0, w[:, None] * numpy.log2(w[:, None] / mean), 0).sum(2)
        divergence = (own_part + own_part.T) / 2
        out["apart"].append(numpy.sqrt(numpy.maximum(divergence, 0)))


def most_frequent(offsets):
    values, counts = numpy.unique(offsets, return_counts=True)
    best = max(zip(counts, -abs(values), -values))
    return int(-best[2]), best[0] / len(offsets)


def rounded(value):
    return None if numpy.isnan(value) else round(float(value), 7)


def summarise(module, heads_in_layer, out):
    present = numpy.array(out["present"])
    heads, apart = [], []
    distances, count = numpy.array(out["apart"]), present.shape[1]
    for k in range(count):
        rows = present[:, k]
        head = {"module": module, "layer": k // heads_in_layer + 1, "head": k % heads_in_layer + 1,
                "rows": int(rows.sum())}
        for measure in MEASURES:
            head[measure] = rounded(numpy.array(out[measure])[rows, k].mean())
        head["offset"], share = most_frequent(numpy.array(out["offset"])[rows, k])
        head["offset_share"] = rounded(share)
        near = numpy.array(out["near"])[rows, k].mean(0)
        head["nearest"], head["near"] = near_name(*NEAR[near.argmax()]), rounded(near.max())
        heads.append(head)
        for other in range(k + 1, count):
            both = rows & present[:, other]
            apart.append(round(float(distances[both, k, other].mean()), 5))
    return heads, apart


def summed(model, pairs, marks=True, unspaced=()):
    """Statistics of heads and their distances, over forced pairs."""
    sums = {}
    for metadata, arrays in export(model, pairs):
        inputs, targets = (json.loads(metadata[kind + "_ids"]) for kind in ("input", "target"))
        starts = len(inputs) + 1 - len(targets)
        sides = [Tokens(json.loads(metadata[kind + "_tokens"]), json.loads(metadata[kind + "_ids"]), first, marks,
                        kind in unspaced)
                 for kind, first in (("source", 0), ("input", starts))]
        for module in ("encoder", "decoder", "cross"):
            layers = [arrays[f"{module}.{i}.weights"] for i in range(sum(a.startswith(module + ".") and
                                                                        a.endswith(".weights") for a in arrays))]
            rows, columns = sides[module != "encoder"], sides[module == "decoder"]
            out = sums.setdefault(module, {"heads": layers[0].shape[0],
                                           **{m: [] for m in ["present", "offset", "apart", "near", *MEASURES]}})
            sum_rows(module, numpy.concatenate(layers), rows, columns, out)
    result = {"sentences": len(pairs), "heads": [], "distances": {}}
    for module, out in sums.items():
        heads, result["distances"][module] = summarise(module, out.pop("heads"), out)
        result["heads"] += heads
    return result


def measure(sample, sides):
    source, target = sides.split()
    japanese = "ja" in (source, target)
    files, step = (JAPANESE, JAPANESE_STEP) if japanese else (FILES, STEP)
    texts = [(ROOT / "samples" / files[side]).read_text("utf-8").splitlines()[::step] for side in (source, target)]
    pairs = [(s.strip(), t.strip()) for s, t in zip(*texts)]
    return {"sample": sample, "source": files[source], "target": files[target], "step": step,
            **summed(f"samples/{sample}", pairs, unspaced=["source"] if source == "ja" else [])}


def vocabulary_of(path, side):
    """Words that consist only of letters."""
    _, arrays = read_safetensors(path)
    name = f"vocab.{side}" if f"vocab.{side}" in arrays else "vocab.shared"
    return [word for word in arrays[name].tobytes().decode().split("\n") if word.isalpha()]


def measure_tiny(name):
    """Random sentences for a golden model without subwords."""
    path, dice = f"tests/golden/{name}", random.Random(name)
    words = [vocabulary_of(ROOT / f"{path}.bin", side) for side in ("source", "target")]
    pairs = [[" ".join(dice.choices(side, k=dice.randint(2, 8))) for side in words] for _ in range(20)]
    return {"model": path, "pairs": pairs, **summed(path, pairs, False)}


def read_trees(path):
    """Texts, and the words of each: form, head (0: none), relation and tag. The files have no multi-word tokens."""
    trees = []
    for block in path.read_text("utf-8").strip().split("\n\n"):
        lines = block.splitlines()
        text = next(line[len("# text = "):] for line in lines if line.startswith("# text = "))
        fields = [line.split("\t") for line in lines if not line.startswith("#")]
        trees.append((text, [(f[1], int(f[6].replace("_", "0")), f[7], f[3]) for f in fields]))
    return trees


def words_of_tokens(tokens, words):
    """The word (from 1) of each token: the one with most of its characters. 0: a special token."""
    owners = [number for number, (form, *_) in enumerate(words, 1) for _ in form]
    spelt = "".join(form for form, *_ in words)
    at, out = 0, []
    for token in tokens:
        piece = "" if token == EOS else token.replace("\u2581", "")
        assert spelt[at:at + len(piece)] == piece, (spelt, tokens)
        of = owners[at:at + len(piece)] or owners[at:at + 1]
        at += len(piece)
        out.append(0 if token == EOS else max(of, key=lambda word: (of.count(word), -word)))
    assert at == len(spelt)
    return out


def targets_of(words):
    """For each word, its relations with their directions, and the words at the other ends."""
    out = [{} for _ in range(len(words) + 1)]
    for number, (_, head, relation, _) in enumerate(words, 1):
        if head:
            out[number].setdefault((relation, "head"), set()).add(head)
            out[head].setdefault((relation, "dependent"), set()).add(number)
    return out


def relate(sample, trees):
    """For every relation and direction: the hits of each head, the hits of each offset, and the
    number of rows."""
    sums = {}
    for (metadata, arrays), (_, words) in zip(export(f"samples/{sample}", [(text, "Ja .") for text, _ in trees]), trees):
        tokens = json.loads(metadata["source_tokens"])
        numbers, targets = words_of_tokens(tokens, words), targets_of(words)
        layers = sum(name.startswith("encoder.") and name.endswith(".weights") for name in arrays)
        weights = numpy.concatenate([arrays[f"encoder.{i}.weights"] for i in range(layers)])
        weights = weights * numpy.array([token != EOS for token in tokens])
        for row, number in enumerate(numbers):
            for key, others in targets[number].items() if number else []:
                right = numpy.isin(numbers, list(others))
                if not right.any():
                    continue
                entry = sums.setdefault(key, {"rows": 0, "offsets": {}, "looks": 0, "hits": 0})
                entry["rows"] += 1
                for column in numpy.flatnonzero(right):
                    entry["offsets"][column - row] = entry["offsets"].get(column - row, 0) + 1
                looks = weights[:, row].max(1) > 0
                entry["looks"] = entry["looks"] + looks
                entry["hits"] = entry["hits"] + (looks & right[weights[:, row].argmax(1)])
    return [{"relation": relation, "direction": direction, "baseline": max(entry["offsets"].values()) / entry["rows"],
             "accuracies": [rounded(hits / looks) if looks else None
                            for hits, looks in zip(entry["hits"], entry["looks"])]}
            for (relation, direction), entry in sums.items()]


def group(sample, trees, measures):
    """For each part of speech the number of rows, and the means of measures over them, by head."""
    out, tags = {name: [] for name in ["present", "offset", "apart", *MEASURES]}, []
    for (metadata, arrays), (_, words) in zip(export(f"samples/{sample}", [(text, "Ja .") for text, _ in trees]), trees):
        texts = json.loads(metadata["source_tokens"])
        tokens = Tokens(texts, json.loads(metadata["source_ids"]), 0)
        layers = sum(name.startswith("encoder.") and name.endswith(".weights") for name in arrays)
        weights = numpy.concatenate([arrays[f"encoder.{i}.weights"] for i in range(layers)])
        sum_rows("encoder", weights, tokens, tokens, out)
        tags += [words[number - 1][3] if number else None for number in words_of_tokens(texts, words)]
    present, groups = numpy.array(out["present"]), []
    for tag in sorted({tag for tag in tags if tag}):
        rows = [present[:, k] & (numpy.array(tags) == tag) for k in range(present.shape[1])]
        groups.append({"name": tag, "counts": [int(of.sum()) for of in rows],
                       "means": {measure: [rounded(numpy.array(out[measure])[of, k].mean()) if of.any() else None
                                           for k, of in enumerate(rows)] for measure in measures}})
    return groups


def group_sums(sample, trees):
    """For each part of speech and measure one number: a weighted sum over the heads that have
    rows."""
    return {one["name"]: {measure: rounded(sum((7 * k % 32 + 1) / 32 * mean for k, mean in enumerate(means)
                                               if mean is not None)) for measure, means in one["means"].items()}
            for one in group(sample, trees, MEASURES)}


def write_packed(path, samples):
    text = "[\n" + ",\n".join(json.dumps(sample) for sample in samples) + "\n]\n"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def main():
    samples = [measure(sample, sides) for sample, sides in SAMPLES.items()] + [measure_tiny(name) for name in TINY]
    write_packed(OUT, samples)
    trees, tagged = read_trees(TREES), read_trees(TAGGED)
    related = [{"sample": sample, "sentences": len(trees), "relations": relate(sample, trees)} for sample in RELATED]
    for sample in related[::5]:
        sample["parts"] = group(sample["sample"], tagged, GROUPED)
    for sample in related:
        sample["part_sums"] = group_sums(sample["sample"], tagged)
    write_packed(RELATIONS, related)


if __name__ == "__main__":
    main()
