#!/usr/bin/env python3
"""Trains an encoder-decoder Transformer from two text files and writes model.bin.

Any configuration of a checkpoint can be trained: --config takes its JSON, the other options serve
the plain Transformer. The best model by validation is in --out/model.bin from the first validation
on. Ctrl-C stops after the current step; --resume with the same options goes on.

It also runs under torchrun, on several machines: scripts/README.md has how, and the four papers'
trainings."""

import os
import sys

import torch

from attnscope_train.checkpoint import read_checkpoint
from attnscope_train.config import check_config
from attnscope_train.encoded import encode_pairs, open_corpus
from attnscope_train.fast import keep_freed_memory
from attnscope_train.loop import Trainer
from attnscope_train.model import BIASES, Transformer
from attnscope_train.options import parse_arguments
from attnscope_train.pairs import Pairs
from attnscope_train.prepare import Setup, prepare
from attnscope_train.search import Translator, bleu
from attnscope_train.states import newest_state, read_state, setup_of_state
from attnscope_train.workers import Workers, launch, restarts, under_torchrun

INTERRUPTED = 75    # EX_TEMPFAIL: tells torchrun that a training that stopped on the way has not succeeded


def state_to_resume(options):
    """Returns the path of the saved training to continue; None for a new one, which must not
    overwrite another. What torchrun restarts continues."""
    path = newest_state(options.out)
    if path is not None and not options.resume and not restarts():
        raise ValueError(f"{path}: of an earlier training; use --resume or another --out")
    return path


def dropouts(options):
    return {"residual": options.dropout, "attention": options.attention_dropout,
            "activation": options.activation_dropout, "dhicm": options.dhicm_dropout,
            "fixed": options.fixed_dropout == "on"}


def set_up(options, path, train_pairs, valid_pairs):
    """Makes vocabulary and configuration, and encodes the text, in the first process only."""
    os.makedirs(options.out, exist_ok=True)
    if path is None:
        setup = prepare(options, train_pairs.sample(options.subword_sentences, options.seed))
    else:
        setup = setup_of_state(read_state(path))
    for part, pairs in (("train", train_pairs), ("valid", valid_pairs)):
        encode_pairs(options.encoded, part, pairs, setup)
    return setup


def train(options, workers):
    """Runs one process of a training. Returns the exit status."""
    train_pairs = Pairs(options.train).sample(options.sentences, options.seed)
    valid_pairs = Pairs(options.valid)
    path = workers.told(lambda: state_to_resume(options))
    setup = workers.told(lambda: set_up(options, path, train_pairs, valid_pairs))
    corpora = [open_corpus(options.encoded, part, setup) for part in ("train", "valid")]
    torch.manual_seed(options.seed)
    model = Transformer(setup.config, setup.sizes(), dropouts(options), options.biases)
    trainer = Trainer(model.to(workers.device), setup, corpora, valid_pairs, options, workers)
    if path is not None:
        trainer.resume(path, read_state(path))
    trainer.say(f"{len(trainer.flat.values):,} parameters, {len(trainer.kept):,} pairs, "
                f"{workers.count} {'process' if workers.count == 1 else 'processes'} on "
                f"{workers.device.type}")
    if path is not None:
        trainer.say(f"going on from step {trainer.progress.step}")
    return 0 if trainer.run() or not under_torchrun() else INTERRUPTED


def work(options):
    """Runs one process and ends it with its exit status."""
    torch.set_num_threads(options.threads)
    keep_freed_memory()
    workers = Workers(options.device)
    status = guarded(lambda: train(options, workers))
    workers.close()
    sys.exit(status)


def load_weights(model, weights, path):
    """A bias that the file omits is zero; nothing else may be missing or unknown."""
    absent, unknown = model.load_state_dict(weights, strict=False)
    absent = [name for name in absent if not name.endswith(".bias")
              or ".norm" in name or ".ffn." in name]
    for kind, names in (("absent", absent), ("unknown", unknown)):
        if names:
            raise ValueError(f"{path}: {names[0]}: {kind}")


def evaluate(options):
    """Computes BLEU of a checkpoint, with the weights in the file."""
    path, source, target = options.evaluate
    torch.set_num_threads(options.threads)
    keep_freed_memory()
    config, weights, vocabularies, tokenizers = read_checkpoint(path)
    setup = Setup(config, vocabularies, tokenizers)
    check_config(config, setup.sizes())
    device = Workers(options.device).device
    model = Transformer(config, setup.sizes(), dict.fromkeys(dropouts(options), 0.0), BIASES)
    load_weights(model, weights, path)
    translator = Translator(model.to(device).eval(), setup.texts(), config, device, options.beam)
    pairs = Pairs((source, target))
    lines, references = (list(pairs.side(side)) for side in range(2))
    translations = translator.translate(lines, report=show_progress)
    if options.translations:
        with open(options.translations, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in translations)
    score, signature = bleu(translations, references, options.bleu_tokenize,
                            options.bleu_lowercase)
    print(f"{score}\n{signature}\nbeam {translator.beam}")


def show_progress(done, total):
    if sys.stderr.isatty():
        print(f"\r{done}/{total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def guarded(run):
    """Returns run()'s exit status, or that of an error in the user's files or options."""
    try:
        return run()
    except (OSError, ValueError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1


def main():
    options = parse_arguments(__doc__)
    if options.evaluate:
        return guarded(lambda: evaluate(options))
    if options.processes > 1:
        return launch(work, options)
    return work(options)


if __name__ == "__main__":
    sys.exit(main())
