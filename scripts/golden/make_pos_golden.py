#!/usr/bin/env python3
"""Writes tests/golden/pos.json: what `:gates FILE` and `:importance FILE` must say of the samples, by part of speech and by
all else, computed with NumPy from what `:export FILE.safetensors` writes, for tests/tui/command/test_by_pos.c.

    pip install numpy
    python scripts/golden/make_pos_golden.py [build/attnscope]

The pieces of the samples spell the text to the letter, so that here a token's characters are counted off one by one."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

from make_alignment_golden import ROOT, read_safetensors

OUT = ROOT / "tests" / "golden" / "pos.json"
FILE = "samples/pos-en.conllu"
MARK = "▁"


def read_conllu():
    """The (text, [(form, tag)]) of each sentence."""
    sentences = []
    for block in (ROOT / FILE).read_text().strip().split("\n\n"):
        text, words = None, []
        for line in block.split("\n"):
            if line.startswith("# text = "):
                text = line[len("# text = "):]
            elif not line.startswith("#"):
                columns = line.split("\t")
                words.append((columns[1], columns[3]))
        sentences.append((text, words))
    return sentences


def capture(program, model, sentences):
    with tempfile.TemporaryDirectory() as folder:
        arguments = [program, "--device", "cpu", "--quiet", "--json", f"samples/{model}.bin"]
        for number, (text, _) in enumerate(sentences):
            arguments += ["-e", text, "-e", f":export {folder}/{number}.safetensors"]
        subprocess.run(arguments, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        return [read_safetensors(pathlib.Path(folder) / f"{number}.safetensors")
                for number in range(len(sentences))]


def tags_of(tokens, words):
    """The tag of each token, None for end-of-sentence: that of the word with most of its
    characters, the first of equal ones."""
    owners = [(character, number) for number, (form, _) in enumerate(words) for character in form]
    tags, at = [], 0
    for token in tokens:
        if token == "</s>":
            tags.append(None)
            continue
        spelt = token.replace(MARK, "")
        assert "".join(character for character, _ in owners[at:at + len(spelt)]) == spelt, (token, words)
        if spelt:
            numbers = [number for _, number in owners[at:at + len(spelt)]]
            tags.append(words[max(sorted(set(numbers)), key=numbers.count)][1])
        else:  # a lone mark belongs to what follows
            tags.append(words[owners[at][1]][1])
        at += len(spelt)
    assert at == len(owners), words
    return tags


def groups(pairs):
    """{tag: [count, mean]} of (tag, number) pairs."""
    values = collections.defaultdict(list)
    for tag, number in pairs:
        values[tag].append(numpy.float64(number))
    return {tag: [len(of), float(numpy.mean(of))] for tag, of in sorted(values.items())}


def tagged(program, model, sentences):
    """Returns what was captured for each sentence, and its tokens' tags."""
    captured = capture(program, model, sentences)
    return [(tensors, tags_of(json.loads(metadata["source_tokens"]), words))
            for (tensors, metadata), (_, words) in zip(captured, sentences, strict=True)]


def values(of, names, column=0):
    """(tag, number) for every token with a tag, from the named tensors."""
    return [(tag, number) for tensors, tags in of for name in names
            for tag, number in zip(tags, tensors[name].reshape(len(tags), -1)[:, column], strict=True)
            if tag]


def numbered(name):
    """Splits a tensor's name into ("encoder", layer from 1, what)."""
    module, layer, what = (name.split(".") + ["", ""])[:3]
    return module, int(layer) + 1 if layer.isdigit() else 0, what


def gate_groups(of, by):
    """[module, side, name of the group, count, mean] for the gates of both stacks."""
    found = collections.defaultdict(list)
    for tensors, _ in of:
        for name, gates in tensors.items():
            module, layer, what = numbered(name)
            if not what.startswith("gate_"):
                continue
            tens = (len(gates) - 1) // 10
            for row, gate in enumerate(gates):
                group = {"layer": layer, "position": row + 1, "length": f"{10 * tens + 1}-{10 * tens + 10}"}[by]
                found[module, what[-1], str(group)] += list(numpy.ravel(gate).astype(float))
    return [[*key, len(gates), float(numpy.mean(gates))] for key, gates in found.items()]


def bits(shares):
    return float(-sum(share * numpy.log2(share) for share in shares if share > 0))


def importance_of(of):
    """Heads [module, layer, head, mean importance, share of tokens for which it comes first], and
    layers [module, layer, tokens, mean entropy, distance from uniform, from the average]."""
    layers = collections.defaultdict(list)
    for tensors, _ in of:
        for name, shares in tensors.items():
            module, layer, what = numbered(name)
            if what == "importance":
                layers[module, layer] += list(shares.astype(float))
    heads, entropies = [], []
    for (module, layer), rows in layers.items():
        rows = numpy.array(rows)
        firsts = numpy.bincount(rows.argmax(axis=1), minlength=rows.shape[1]) / len(rows)
        heads += [[module, layer, head + 1, float(mean), float(first)]
                  for head, (mean, first) in enumerate(zip(rows.mean(axis=0), firsts))]
        entropy = float(numpy.mean([bits(row) for row in rows]))
        entropies.append([module, layer, len(rows), entropy, float(numpy.log2(rows.shape[1])) - entropy,
                          bits(rows.mean(axis=0)) - entropy])
    return {"heads": heads, "layers": entropies}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/attnscope"
    sentences = read_conllu()
    out = {"file": FILE, "gates": {}, "importance": {}, "gate_groups": {}, "averages": {}}
    for model in ("en-de-context", "en-de-context-both"):
        of, found = tagged(program, model, sentences), out["gates"].setdefault(model, {})
        for side in "qk":
            gates = [name for name in of[0][0] if name.startswith("encoder.") and name.endswith(f".gate_{side}")]
            found[side] = groups(values(of, gates))
        out["gate_groups"][model] = {by: gate_groups(of, by) for by in ("layer", "position", "length")}
    for model in ("en-de-dhicm",):
        of, found = tagged(program, model, sentences), out["importance"].setdefault(model, {})
        for name, tensor in of[0][0].items():
            module, layer, what = numbered(name)
            for head in range(tensor.shape[-1] if module == "encoder" and what == "importance" else 0):
                found[f"{layer}.{head + 1}"] = groups(values(of, [name], head))
        out["averages"][model] = importance_of(of)
    OUT.write_text(json.dumps(out, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
