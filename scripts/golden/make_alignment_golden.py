#!/usr/bin/env python3
"""Writes tests/golden/alignment.json: what `:align SRC TGT [GOLD]` must say of the samples, computed with NumPy from
the weights that `:export FILE.safetensors` writes, for tests/tui/command/study/test_align_files.c.

    pip install numpy
    python scripts/golden/make_alignment_golden.py [build/attnscope]

Words are told apart by the marks of the pieces here, and by the blanks of the text in the program. Where the text has
no blanks, each piece is a word; a mark alone belongs to the piece after it."""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "tests" / "golden" / "alignment.json"
GOLD = ROOT / "samples" / "aligned.pharaoh"
SENTENCES = 24
MARK = "▁"


def read_safetensors(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, about in header.items():
        first, last = (8 + length + offset for offset in about["data_offsets"])
        tensors[name] = numpy.frombuffer(data[first:last], "<f4").reshape(about["shape"])
    return tensors, metadata


def capture(program, model, files, folder):
    """Returns everything captured for each pair of lines."""
    commands = [f":open {files[0]} {files[1]}"]
    for number in range(1, SENTENCES + 1):
        commands += [f":goto {number}", ":force", f":export {folder}/{number}.safetensors"]
    arguments = [program, "--device", "cpu", "--quiet", "--json", f"samples/{model}.bin"]
    for command in commands:
        arguments += ["-e", command]
    subprocess.run(arguments, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return [read_safetensors(pathlib.Path(folder) / f"{n}.safetensors")
            for n in range(1, SENTENCES + 1)]


def words_of(tokens, unspaced):
    """Returns the word of each token, -1 for end-of-sentence, and the number of words."""
    words, word, begins = [], -1, True
    for token in tokens:
        if token == "</s>":
            words.append(-1)
            continue
        if token.startswith(MARK) or unspaced:
            begins = True
        word += begins
        begins = token == MARK and unspaced
        words.append(word)
        if begins:  # a lone mark belongs to the word that follows
            word -= 1
    return numpy.array(words), word + 1


def merged(weights, rows, columns):
    """Returns (target words, source words): rows and columns added up by word."""
    out = numpy.zeros((rows.max() + 1, columns.max() + 1))
    for t, row in enumerate(rows):
        for s, column in enumerate(columns):
            if row >= 0 and column >= 0:
                out[row, column] += weights[t, s]
    return out


def first_of_greatest(row):
    """The first of sums that are equal except for rounding."""
    return int(numpy.argmax(row >= row.max() * (1 - 1e-6)))


def links_of(weights, rows, columns, shift):
    """Row t of the weights reads input t and predicts target t; with shift, target t has row t + 1,
    which reads it."""
    moved = numpy.vstack([weights[1:], weights[-1:]]) if shift else weights
    sums = merged(moved.astype(numpy.float64), rows, columns)
    return {(first_of_greatest(row), t) for t, row in enumerate(sums) if row.max() > 0}


def read_gold():
    gold = []
    for line in GOLD.read_text().splitlines():
        links = [(link.replace("?", "-").split("-"), "-" in link) for link in line.split()]
        possible = {(int(pair[0]), int(pair[1])) for pair, _ in links}
        sure = {(int(pair[0]), int(pair[1])) for pair, is_sure in links if is_sure}
        gold.append((sure, possible))
    return gold


def scores(gold, alignments):
    sure_found = sum(len(a & sure) for (sure, _), a in zip(gold, alignments))
    found = sum(len(a & possible) for (_, possible), a in zip(gold, alignments))
    sure = sum(len(sure) for sure, _ in gold)
    links = sum(len(a) for a in alignments)
    return {"aer": 1 - (sure_found + found) / (sure + links), "precision": found / links,
            "recall": sure_found / sure}


def heads_of(tensors, metadata, layer):
    """The heads of a layer, and all of them together: weighted by importance with DHICM, else their
    mean."""
    weights = tensors[f"cross.{layer}.weights"].astype(numpy.float64)
    importance = tensors.get(f"cross.{layer}.importance")
    named = {str(h + 1): weights[h] for h in range(len(weights))}
    if importance is None:
        named["mean"] = weights.mean(axis=0)
    else:
        named["importance"] = numpy.einsum("rh,hrc->rc", importance.astype(numpy.float64), weights)
    return named


def align_all(captured, unspaced):
    """Returns the alignments of all sentences by (layer, head, shift)."""
    result = {}
    for tensors, metadata in captured:
        rows, _ = words_of(json.loads(metadata["target_tokens"]), unspaced[1])
        columns, _ = words_of(json.loads(metadata["source_tokens"]), unspaced[0])
        layers = sum(name.startswith("cross.") and name.endswith(".weights") for name in tensors)
        for layer in range(layers):
            for head, weights in heads_of(tensors, metadata, layer).items():
                for shift in (False, True):
                    result.setdefault((layer + 1, head, shift), []).append(
                        links_of(weights, rows, columns, shift))
    return result


def pharaoh(links):
    return " ".join(f"{s}-{t}" for s, t in sorted(links))


def entry_of(key, links, gold, with_links):
    layer, head, shift = key
    entry = {"layer": layer, "head": int(head) if head.isdigit() else head, "shift": shift}
    if gold:
        entry |= scores(gold, links)
    if with_links:
        entry["alignments"] = [pharaoh(one) for one in links]
    return entry


def expected(program, model):
    """For English all heads, the best one first and with its links; for Japanese the links of
    some."""
    japanese = model.startswith("ja-")
    names = ("sentences-ja.ja", "sentences-ja.en") if japanese else ("aligned.en", "aligned.de")
    with tempfile.TemporaryDirectory() as folder:
        captured = capture(program, model, [f"samples/{name}" for name in names], folder)
    alignments = align_all(captured, (japanese, False))
    if japanese:
        heads = [entry_of(key, alignments[key], None, True) for key in list(alignments)[-4:]]
    else:
        gold = read_gold()
        order = sorted(alignments, key=lambda key: scores(gold, alignments[key])["aer"])
        heads = [entry_of(key, alignments[key], gold, key == order[0]) for key in order]
    return {"model": model, "files": names, "heads": heads}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/attnscope"
    models = sorted(path.stem for path in (ROOT / "samples").glob("*.bin"))
    golden = [expected(str(pathlib.Path(program).resolve()), model) for model in models]
    lines = [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in golden]
    OUT.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    for entry in golden:
        print(entry["model"], {k: v for k, v in entry["heads"][0].items() if k != "alignments"})


if __name__ == "__main__":
    main()
