#!/usr/bin/env python3
"""Trains samples again, one after the other, as those in samples/ were trained.

    scripts/train_sample.py [--data FOLDER] [--data-ja FOLDER] NAME...       (`make samples`: all)

A name is languages, 20k for a model of 20,000 pairs, after the plain model's what scripts/samples/ has a
configuration of, post-norm for norms after the sums and a longer training that warms up for 4,000
steps to the greatest rate of Vaswani et al. 2017 (equation 3, for a width of 128), layers-E-D for
other numbers of encoder and decoder layers than 4 and 2, and seed-N for another seed than 1: en-de,
en-de-mma, ja-en-mma, de-en-20k-mma, en-de-20k-fixed-post-norm, en-de-20k-fixed-layers-6-1-seed-2.
scripts/samples/options.json has options of train.py for languages, for 20k, for post-norm, for numbers
of layers and for configurations, which also say where a training has another length; everything else is its
default. --data holds train, dev in .en and .de, --data-ja in .ja and .en; blanks within Japanese lines are
taken out, as nobody types them. English and German samples, in both directions, share the vocabulary and subword
model of samples/en-de.bin, so that they compare. The model is written when its training is over: one of `all`
replaces samples/NAME.bin, others, which sessions of samples/papers/trained load, are
samples/trained/NAME.bin. Ctrl-C stops; the same command goes on."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
CONFIGURATIONS = os.path.join(HERE, "samples")
STEPS, PROCESSES = 8277, 2
NAMES = ["en-de", "en-de-dhicm", "en-de-context", "en-de-mma", "en-de-fixed", "en-de-fixed8",
         "en-de-fixed-word", "en-de-context-both", "ja-en", "ja-en-mma"]
LOW_RESOURCE = "20k"
NAME = re.compile(rf"(?P<pair>en-de|de-en|ja-en|en-ja)(?P<low_resource>-{LOW_RESOURCE})?"
                  r"(?:-(?!seed-|layers-|post-norm)(?P<architecture>[a-z0-9-]+?))??(?P<post_norm>-post-norm)?"
                  r"(?:-layers-(?P<layers>[1-9][0-9]?-[1-9][0-9]?))?(?:-seed-(?P<seed>[1-9][0-9]{0,8}))?")


def configuration_path(architecture):
    return os.path.join(CONFIGURATIONS, f"{architecture}.json")


def is_name(name):
    """True if a sample can have that name: its configuration, if any, exists."""
    match = NAME.fullmatch(name)
    architecture = match and match["architecture"]
    return bool(match) and (not architecture or architecture != "options"  # not a configuration
                            and os.path.isfile(configuration_path(architecture)))


class Sample:
    """A sample's name, taken apart, and the places of its files."""

    def __init__(self, name, options):
        self.name = name
        parts = NAME.fullmatch(name)
        self.pair, self.architecture = parts["pair"], parts["architecture"]
        self.layers, self.seed = parts["layers"], parts["seed"]
        self.low_resource = parts["low_resource"] is not None
        self.post_norm = parts["post_norm"] is not None
        self.source, self.target = self.pair.split("-")
        self.folder = os.path.join(options.work, name)
        self.state = os.path.join(self.folder, "state.pt")
        self.model = os.path.join(self.folder, "model.bin")
        self.place = os.path.join(ROOT, "samples", "" if name in NAMES else "trained", f"{name}.bin")
        self.data = options.data_ja if "ja" in self.pair else options.data

    def files(self):
        """Returns (train, dev), each (source's, target's)."""
        return [tuple(os.path.join(self.data, f"{part}.{language}")
                      for language in (self.source, self.target)) for part in ("train", "dev")]

    def check(self):
        variable = "--data-ja (make: DATA_JA=FOLDER)" if "ja" in self.pair else \
            "--data (make: DATA=FOLDER)"
        if not self.data:
            raise ValueError(f"{self.name}: no data, expected {variable}")
        for path in sum(self.files(), ()):
            if not os.path.isfile(path):
                raise ValueError(f"{path}: no such file, expected text for {variable}")

    def configuration(self):
        return ["--config", configuration_path(self.architecture)] if self.architecture else []

    def own_options(self):
        """Returns the options of its languages, its configuration, 20k, both together, and the rest
        of its name; the last one counts."""
        with open(os.path.join(CONFIGURATIONS, "options.json"), encoding="utf-8") as file:
            options = json.load(file)
        names = [self.pair, self.architecture]
        if self.low_resource:
            names += [LOW_RESOURCE] + ([f"{LOW_RESOURCE}-{self.architecture}"] if self.architecture else [])
        return (sum((options.get(name, []) for name in names), [])
                + (["--norm", "post", *options["post-norm"]] if self.post_norm else [])
                + (["--layers", *self.layers.split("-"), *options.get(f"layers-{self.layers}", [])]
                   if self.layers else [])
                + (["--seed", self.seed] if self.seed else []))


def say_what_it_takes(samples):
    count = len(samples)
    print(f"{count} training{'s, one after the other' if count > 1 else ''}: {STEPS:,} steps in "
          f"{PROCESSES} processes of one thread, about 40 minutes{' each' if count > 1 else ''} "
          f"where {PROCESSES} cores are free, unless options say otherwise; 2.5 GB of memory")
    for sample in samples:
        text = ", ".join(path for pair in sample.files() for path in pair)
        going_on = f" (going on from {sample.state})" if os.path.exists(sample.state) else ""
        own = " ".join(sample.own_options())
        print(f"{sample.name}{going_on}{f' with {own}' if own else ''}\n  reads {text}\n"
              f"  writes {sample.folder} (30 MB), and {sample.place} at the end", flush=True)


def shared_text(sample):
    """Returns options for the vocabulary and the subword model of samples/en-de.bin."""
    from attnscope_train.checkpoint import read_checkpoint, vocabulary_bytes
    _, _, vocabularies, tokenizers = read_checkpoint(os.path.join(ROOT, "samples", "en-de.bin"))
    paths = [os.path.join(sample.folder, name) for name in ("subwords.model", "vocabulary.txt")]
    for path, content in zip(paths, (tokenizers[0], vocabulary_bytes(vocabularies[0]))):
        with open(path, "wb") as file:
            file.write(content)
    return ["--subwords", paths[0], "--vocab", paths[1]]


def without_blanks(path, folder):
    """Returns the path of a copy without blanks within lines."""
    copy = os.path.join(folder, os.path.basename(path))
    with open(path, encoding="utf-8", newline="\n") as file, \
            open(copy, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(line.replace(" ", "") for line in file)
    return copy


def command(sample):
    files = [[without_blanks(path, sample.folder) if path.endswith(".ja") else path
              for path in pair] for pair in sample.files()]
    words = [sys.executable, os.path.join(HERE, "train.py"), "--name", sample.name, "--languages",
             sample.source, sample.target, "--train", *files[0], "--valid", *files[1],
             "--out", sample.folder, "--processes", str(PROCESSES), "--steps", str(STEPS),
             *sample.configuration(), *sample.own_options()]
    if "ja" not in sample.pair and sample.name != "en-de":
        words += shared_text(sample)
    return words + (["--resume"] if os.path.exists(sample.state) else [])


def run(words):
    """Ends when the training does; signals are for the training to obey."""
    child = subprocess.Popen(words, env=dict(os.environ, OMP_NUM_THREADS="1"))
    signal.signal(signal.SIGINT, lambda *_: None)  # a terminal sends it to the child as well
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    return child.wait()


def finished(sample):
    import torch
    state = torch.load(sample.state, map_location="cpu", weights_only=True)
    return state["progress"]["done"] >= 1


def train(sample):
    """Returns True if the training reached its end."""
    os.makedirs(sample.folder, exist_ok=True)
    if run(command(sample)) != 0:
        raise ValueError(f"{sample.name}: the training failed, {sample.place} is as it was")
    if not finished(sample):
        print(f"{sample.name}: stopped, the same command goes on; {sample.place} is as it was")
        return False
    os.makedirs(os.path.dirname(sample.place), exist_ok=True)
    shutil.copyfile(sample.model, sample.place + ".partial")
    os.replace(sample.place + ".partial", sample.place)
    os.remove(sample.state)  # the next request trains it again
    print(f"wrote {sample.place}")
    return True


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help=", ".join(["all"] + NAMES))
    parser.add_argument("--data", metavar="FOLDER", help="English and German text")
    parser.add_argument("--data-ja", metavar="FOLDER", help="Japanese and English text")
    parser.add_argument("--work", metavar="FOLDER", default=os.path.join(ROOT, "build", "samples"),
                        help="where trainings keep their state; default: %(default)s")
    options = parser.parse_args()
    names = NAMES if options.names == ["all"] else options.names
    for name in names:
        if not is_name(name):
            parser.error(f"{name}: no sample, expected one of {', '.join(NAMES)}, or such a name with another "
                         "configuration of scripts/samples, with post-norm, layers-E-D, or seed-N")
    return [Sample(name, options) for name in names]


def main():
    samples = parse_arguments()
    try:
        for sample in samples:
            sample.check()
        say_what_it_takes(samples)
        for sample in samples:
            if not train(sample):
                return 1
    except ImportError as error:
        print(f"train_sample: {error}: pip install -r scripts/requirements.txt", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(f"train_sample: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
