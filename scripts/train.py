#!/usr/bin/env python3
"""Trains an encoder-decoder Transformer from two text files and writes model.bin.

Any configuration of a checkpoint can be trained: --config takes its JSON, the other options serve
the plain Transformer. The best model by validation is in --out/model.bin from the first validation
on. Ctrl-C stops after the current step; --resume with the same options goes on."""

import os
import signal
import socket
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing

from attnscope_train.checkpoint import read_checkpoint
from attnscope_train.config import check_config, uses_words
from attnscope_train.data import Corpus, read_pairs
from attnscope_train.fast import keep_freed_memory
from attnscope_train.loop import Trainer
from attnscope_train.model import BIASES, Transformer
from attnscope_train.options import parse_arguments
from attnscope_train.prepare import Setup, prepare
from attnscope_train.search import Translator, bleu


def read_state(options):
    """The saved training to go on with; None for a new one, which must not overwrite another."""
    path = os.path.join(options.out, "state.pt")
    if not options.resume:
        if os.path.exists(path):
            raise ValueError(f"{path}: of an earlier training; use --resume or another --out")
        return None
    return torch.load(path, map_location="cpu", weights_only=True)


def setup_of_state(state):
    tokenizers = tuple(b"" if t is None else bytes(t.numpy()) for t in state["tokenizers"])
    return Setup(state["config"], tuple(state["vocabularies"]), tokenizers)


def pick_device(name, rank, processes):
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return f"cuda:{rank}" if name == "cuda" and processes > 1 else name


def dropouts(options):
    return {"residual": options.dropout, "attention": options.attention_dropout,
            "activation": options.activation_dropout, "dhicm": options.dhicm_dropout}


def work(rank, port, options, setup, corpora, valid_lines):
    """One process of the training."""
    torch.set_num_threads(options.threads)
    keep_freed_memory()
    device = pick_device(options.device, rank, options.processes)
    if options.processes > 1:
        dist.init_process_group("nccl" if device.startswith("cuda") else "gloo", rank=rank,
                                init_method=f"tcp://127.0.0.1:{port}",
                                world_size=options.processes)
    torch.manual_seed(options.seed)
    model = Transformer(setup.config, setup.sizes(), dropouts(options), options.biases).to(device)
    trainer = Trainer(model, setup, corpora, valid_lines, options, rank, device)
    if options.resume:
        # Read by each process: tensors handed to several would be the same memory in all.
        trainer.resume(read_state(options))
    trainer.say(f"{len(trainer.flat.values):,} parameters, {len(trainer.kept):,} pairs, {device}")
    trainer.run()
    if options.processes > 1:
        dist.destroy_process_group()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def launch(options, *arguments):
    """Runs work() in as many processes as asked for; signals reach them all."""
    if options.processes == 1:
        return work(0, 0, options, *arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    context = torch.multiprocessing.spawn(work, (free_port(), options, *arguments),
                                          nprocs=options.processes, join=False)
    signal.signal(signal.SIGTERM, lambda *_: [os.kill(pid, signal.SIGTERM)
                                              for pid in context.pids()])
    while not context.join():
        pass


def train(options):
    state = read_state(options)
    os.makedirs(options.out, exist_ok=True)
    lines, valid_lines = read_pairs(*options.train), read_pairs(*options.valid)
    setup = prepare(options, lines) if state is None else setup_of_state(state)
    words = uses_words(setup.config)
    corpora = [Corpus(pair, setup.texts(), words) for pair in (lines, valid_lines)]
    launch(options, setup, corpora, valid_lines)


def load_weights(model, weights, path):
    """A bias that the file leaves out is zero; nothing else may be absent, nor unknown."""
    absent, unknown = model.load_state_dict(weights, strict=False)
    absent = [name for name in absent if not name.endswith(".bias")
              or ".norm" in name or ".ffn." in name]
    for kind, names in (("absent", absent), ("unknown", unknown)):
        if names:
            raise ValueError(f"{path}: {names[0]}: {kind}")


def evaluate(options):
    """BLEU of a checkpoint, with the weights as the file holds them."""
    path, source, target = options.evaluate
    torch.set_num_threads(options.threads)
    keep_freed_memory()
    config, weights, vocabularies, tokenizers = read_checkpoint(path)
    setup = Setup(config, vocabularies, tokenizers)
    check_config(config, setup.sizes())
    device = pick_device(options.device, 0, 1)
    model = Transformer(config, setup.sizes(), dict.fromkeys(dropouts(options), 0.0), BIASES)
    load_weights(model, weights, path)
    translator = Translator(model.to(device).eval(), setup.texts(), config, device, options.beam)
    lines, references = read_pairs(source, target)
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


def main():
    options = parse_arguments(__doc__)
    try:
        evaluate(options) if options.evaluate else train(options)
    except (OSError, ValueError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
