#!/usr/bin/env python3
"""Measures a model as the program runs it: BLEU, and whether its attention is what it should be.

    scripts/measure_sample.py MODEL SOURCE REFERENCE [-e COMMAND]...

BLEU is the sacrebleu package's of the program's translations. The rest is of the first --sentences of
them: how far the importance of heads (DHICM) of a token is from uniform and from its average, how much
gates differ between tokens, how far fixed heads are from the formulas of their patterns. What falls
short of what a sample must reach is marked, and the exit status is 1."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

import sacrebleu
from safetensors import safe_open
from safetensors.numpy import load_file

from attnscope_measure.looks import Gates, Importance, Patterns

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Program:
    """The program, queried line by line."""

    def __init__(self, path, model):
        self.process = subprocess.Popen([path, "--device", "cpu", "--json", model],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        encoding="utf-8")

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # its answer to the line that follows
        answer = json.loads(self.process.stdout.readline() or '{"error": "the program ended"}')
        if not answer.get("ok"):
            raise ValueError(f"{line}: {answer['error']}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def captured_sentences(program, sentences):
    """Yields for each sentence what the model computed, under the names of :export, and its source
    tokens."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "captured.safetensors")
        for sentence in sentences:
            program.ask(" " + sentence)     # after a blank, a colon would be text
            program.ask(f":export {shlex.quote(path)}")
            with safe_open(path, framework="np") as file:
                tokens = json.loads(file.metadata()["source_tokens"])
            yield load_file(path), tokens


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def measure(arguments):
    """Returns lines to print, each with whether it is good enough."""
    sources, references = read_lines(arguments.source), read_lines(arguments.reference)
    if len(sources) != len(references):
        raise ValueError(f"{arguments.reference}: {len(references)} lines, expected {len(sources)} "
                         f"as in {arguments.source}")
    program = Program(arguments.program, arguments.model)
    info = program.ask(":info")
    for command in arguments.commands:
        program.ask(command)
    translations = program.ask(f":translate {shlex.quote(arguments.source)}")
    metric = sacrebleu.BLEU()
    score = metric.corpus_score(translations["translations"], [references])
    yield f"{info['name']}: {info['parameters']:,} parameters, " \
          f"{os.path.getsize(arguments.model):,} bytes", True
    yield f"{score} in {translations['seconds']:.1f} s ({metric.get_signature()})", True
    looks = [Importance(), Gates(), Patterns(info)] if not arguments.commands else []
    sentences = sources[:arguments.sentences] if looks else []
    for tensors, tokens in captured_sentences(program, sentences):
        for look in looks:
            look.see(tensors, tokens)
    program.close()
    for look in looks:
        yield from look.report()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "source", "reference"):
        parser.add_argument(name, metavar=name.upper())
    parser.add_argument("-e", dest="commands", action="append", default=[], metavar="COMMAND",
                        help="run first, such as ':mask enc head 3-4 global'; then BLEU alone is measured")
    parser.add_argument("--sentences", type=int, default=500, metavar="N",
                        help="whose attention is looked at; default: %(default)s")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "attnscope"))
    return parser.parse_args()


def main():
    good = True
    try:
        for line, enough in measure(parse_arguments()):
            print(f"{line}{'' if enough else '  FALLS SHORT'}", flush=True)
            good = good and enough
    except (OSError, ValueError) as error:
        print(f"measure_sample: {error}", file=sys.stderr)
        return 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
