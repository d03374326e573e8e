"""Command-line options of train.py: one table per topic."""

import argparse
import os

from .config import ACTIVATIONS
from .workers import launched

CONFIG_OPTIONS = [
    ("--config", dict(metavar="FILE", help="JSON as in a checkpoint's attnscope.config; what it "
                      "leaves out takes its default, and the options below have the last word")),
    ("--name", dict(help="name of the model")),
    ("--languages", dict(nargs=2, metavar=("SOURCE", "TARGET"), help="codes such as en de")),
    ("--d-model", dict(type=int, help="default 128")),
    ("--d-ff", dict(type=int, help="default 256")),
    ("--layers", dict(nargs=2, type=int, metavar=("ENC", "DEC"), help="default 4 2")),
    ("--heads", dict(nargs=2, type=int, metavar=("ENC", "DEC"), help="default 8 8")),
    ("--activation", dict(choices=ACTIVATIONS, help="default relu")),
    ("--norm", dict(choices=["pre", "post"], help="default pre")),
    ("--recurrence", dict(choices=["none", "ssru"], help="of the decoder, in the place of its "
                          "self-attention; default none")),
    ("--positions", dict(choices=["sinusoidal", "learned", "rotary", "none"], help="default sinusoidal")),
    ("--tied", dict(choices=["all", "output", "none"], help="one embedding for source, target and "
                    "output (default); target and output; none shared")),
    ("--max-positions", dict(type=int, help="default 1024")),
    ("--beam", dict(type=int, help="default 5")),
]

TEXT_OPTIONS = [
    ("--train", dict(nargs=2, metavar=("SOURCE", "TARGET"), help="text files, a sentence a line")),
    ("--valid", dict(nargs=2, metavar=("SOURCE", "TARGET"), help="text files to choose by")),
    ("--sentences", dict(type=int, default=0, metavar="N", help="train on N pairs of --train, drawn "
                         "by --seed; 0: all (default)")),
    ("--tokenizer", dict(choices=["sentencepiece", "bpe", "whitespace"],
                         help="default sentencepiece")),
    ("--pretokenizer", dict(choices=["none", "moses"], help="default none")),
    ("--lowercase", dict(action="store_true", default=None, help="lower-case both sides")),
    ("--subwords", dict(nargs="+", metavar="FILE", help="given SentencePiece model or merge codes: "
                        "one of both sides, or source's and target's; else learned")),
    ("--vocab", dict(nargs="+", metavar="FILE", help="given vocabulary, a piece a line: one of "
                     "both sides, or source's and target's")),
    ("--vocabulary-size", dict(type=int, default=4000, metavar="N", help="pieces of a learned "
                               "SentencePiece model; longest BPE or whitespace vocabulary (0: no "
                               "limit); default %(default)s")),
    ("--merges", dict(type=int, default=4000, metavar="N",
                      help="merge operations of learned BPE; default %(default)s")),
    ("--subword-model", dict(choices=["unigram", "bpe"], default="unigram",
                             help="kind of a learned SentencePiece model; default %(default)s")),
    ("--character-coverage", dict(type=float, default=1.0, metavar="P",
                                  help="of a learned SentencePiece model; default %(default)s")),
    ("--subword-sentences", dict(type=int, default=0, metavar="N", help="learn subwords and "
                                 "vocabulary from N of the pairs, drawn by --seed; 0: all (default)")),
    ("--separate-vocabularies", dict(action="store_true",
                                     help="learn each side alone; needs --tied output or none")),
    ("--longest", dict(type=int, default=100, metavar="N",
                       help="pairs with a longer side are left out; default %(default)s")),
    ("--encoded", dict(metavar="FOLDER", help="where the text is kept as token ids, which batches are "
                       "read from; default: encoded in --out")),
]

TRAINING_OPTIONS = [
    ("--out", dict(metavar="FOLDER", help="where model.bin and state.pt go")),
    ("--resume", dict(action="store_true", help="go on from the state.pt of --out; begin where there "
                      "is none")),
    ("--save-every", dict(type=int, default=0, metavar="STEPS", help="write state.pt so often; 0: with "
                          "every validation (default)")),
    ("--keep-states", dict(type=int, default=1, metavar="N", help="states in --out: state.pt and the "
                           "last before it, as state-STEP.pt; default %(default)s")),
    ("--steps", dict(type=int, default=20000, help="default %(default)s")),
    ("--epochs", dict(type=float, default=0, help="train for so many instead of --steps")),
    ("--minutes", dict(type=float, default=0, help="train for so long instead of --steps")),
    ("--batch-tokens", dict(type=int, default=768, metavar="N",
                            help="target tokens of a batch; default %(default)s")),
    ("--step-batches", dict(type=int, default=0, metavar="N", help="batches of a step, shared out over "
                            "the processes, each of which adds up the gradients of its own; 0: one "
                            "for each process (default)")),
    ("--rate", dict(type=float, default=3e-3, help="peak learning rate; default %(default)s")),
    ("--warmup", dict(type=int, default=400, metavar="STEPS", help="default %(default)s")),
    ("--decay", dict(choices=["linear", "inverse-sqrt", "none"], default="linear",
                     help="after the warm-up; default %(default)s")),
    ("--floor", dict(type=float, default=0.02, metavar="F",
                     help="linear decay ends at F times the peak; default %(default)s")),
    ("--betas", dict(nargs=2, type=float, default=[0.9, 0.98], metavar=("B1", "B2"),
                     help="Adam's; default 0.9 0.98")),
    ("--adam-epsilon", dict(type=float, default=1e-9, metavar="E", help="default %(default)s")),
    ("--clip", dict(type=float, default=1.0, metavar="NORM",
                    help="longest gradient, 0: any; default %(default)s")),
    ("--ema", dict(type=float, default=0.998, metavar="DECAY", help="weights are averaged with "
                   "this decay per step, 0: not at all; default %(default)s")),
    ("--label-smoothing", dict(type=float, default=0.1, metavar="P", help="default %(default)s")),
    ("--dropout", dict(type=float, default=0.05, metavar="P",
                       help="of embeddings and residual branches; default %(default)s")),
    ("--attention-dropout", dict(type=float, default=0.0, metavar="P",
                                 help="of attention weights; default %(default)s")),
    ("--fixed-dropout", dict(choices=["off", "on"], default="off", help="whether --attention-dropout is "
                             "also of heads with fixed patterns; default %(default)s")),
    ("--activation-dropout", dict(type=float, default=0.0, metavar="P",
                                  help="inside the feed-forward layer; default %(default)s")),
    ("--dhicm-dropout", dict(type=float, default=0.2, metavar="P",
                             help="after U x; default %(default)s")),
    ("--dhicm-lambda", dict(type=float, default=0.1, metavar="L",
                            help="weight of the divergence term; default %(default)s")),
    ("--divergence-per", dict(choices=["batch", "label"], default="batch", help="what the divergence "
                              "counts once for (objective.py has why); default %(default)s")),
    ("--biases", dict(nargs="*", choices=["q", "k", "v", "o", "gates", "output"],
                      default=["q", "k", "v", "o", "gates"], metavar="NAME", help="projections "
                      "with a bias, of: q k v o gates output; default: all but output")),
    ("--best-by", dict(choices=["loss", "bleu"], default="loss",
                       help="what chooses the best model: validation cross-entropy, unsmoothed "
                       "and without the divergence term, or BLEU; default %(default)s")),
    ("--validate-every", dict(type=int, default=500, metavar="STEPS", help="0: after every epoch; "
                              "default %(default)s")),
    ("--patience", dict(type=int, default=0, metavar="N",
                        help="end after N validations without a better one; 0: never")),
    ("--log-every", dict(type=int, default=100, metavar="STEPS", help="default %(default)s")),
    ("--dtype", dict(choices=["fp16", "bf16", "fp32"], default="fp16",
                     help="of the weights in model.bin; default %(default)s")),
    ("--seed", dict(type=int, default=1, help="default %(default)s")),
]

MACHINE_OPTIONS = [
    ("--device", dict(default="auto", help="cpu, cuda, cuda:N; default: a GPU if there is one")),
    ("--processes", dict(type=int, metavar="N", help="of this machine, each with its share of a "
                         "step, on CPUs or one GPU each; default 1, or what torchrun says")),
    ("--threads", dict(type=int, default=1, metavar="N",
                       help="of each process; default %(default)s")),
    ("--precision", dict(choices=["fp32", "bf16"], default="fp32",
                         help="of the arithmetic; default %(default)s")),
]

EVALUATION_OPTIONS = [
    ("--evaluate", dict(nargs=3, metavar=("MODEL", "SOURCE", "TARGET"),
                        help="print the BLEU of a model.bin on two text files, train nothing")),
    ("--translations", dict(metavar="FILE", help="where --evaluate writes its translations")),
    ("--bleu-tokenize", dict(default="13a", help="sacreBLEU's tokeniser; default %(default)s")),
    ("--bleu-lowercase", dict(action="store_true", help="case does not count")),
]


def parse_arguments(description, arguments=None):
    parser = argparse.ArgumentParser(description=description)
    for title, table in (("model", CONFIG_OPTIONS), ("text", TEXT_OPTIONS),
                         ("training", TRAINING_OPTIONS), ("machine", MACHINE_OPTIONS),
                         ("evaluation", EVALUATION_OPTIONS)):
        group = parser.add_argument_group(title)
        for name, settings in table:
            group.add_argument(name, **settings)
    options = parser.parse_args(arguments)
    check_options(parser, options)
    return options


def check_options(parser, o):
    if o.evaluate:
        return
    for name in ("train", "valid", "out"):
        if getattr(o, name) is None:
            parser.error(f"--{name} is required")
    for name in ("dropout", "attention_dropout", "activation_dropout", "dhicm_dropout",
                 "label_smoothing", "ema"):
        if not 0 <= getattr(o, name) < 1:
            parser.error(f"--{name.replace('_', '-')}: {getattr(o, name)}, expected 0 <= P < 1")
    if o.processes is not None and launched():
        parser.error("--processes: torchrun says how many (--nproc-per-node)")
    o.processes = 1 if o.processes is None else o.processes
    o.encoded = o.encoded or os.path.join(o.out, "encoded")
    check_least(parser, o, 1, ("steps", "batch_tokens", "log_every", "processes", "threads", "longest",
                               "keep_states"))
    check_least(parser, o, 0, ("sentences", "subword_sentences", "save_every", "epochs", "minutes",
                               "step_batches", "validate_every", "adam_epsilon"))
    if o.epochs and o.minutes:
        parser.error("--epochs: --minutes is given too, expected one of them")
    for name in ("subwords", "vocab"):
        if getattr(o, name) and len(getattr(o, name)) > 2:
            parser.error(f"--{name}: {len(getattr(o, name))} files, expected 1 or 2")


def check_least(parser, o, least, names):
    for name in names:
        if getattr(o, name) < least:
            parser.error(f"--{name.replace('_', '-')}: {getattr(o, name)}, expected at least {least}")


def config_of_options(o):
    """Returns the part of the configuration that options determine."""
    ties = {"all": ("source_embedding", "target_embedding"), "output": (None, "target_embedding"),
            "none": (None, None)}
    asked = {
        "name": o.name, "d_model": o.d_model, "d_ff": o.d_ff, "activation": o.activation,
        "norm": o.norm, "max_positions": o.max_positions,
        "tokenizer": {"kind": o.tokenizer, "pretokenizer": o.pretokenizer,
                      "lowercase": o.lowercase},
        "search": {"beam": o.beam},
        "positions": {stack: {"kind": o.positions} for stack in ("encoder", "decoder")},
    }
    for i, (stack, side) in enumerate((("encoder", "source"), ("decoder", "target"))):
        asked[stack] = {"layers": o.layers and o.layers[i], "heads": o.heads and o.heads[i]}
        asked[f"{side}_language"] = o.languages and o.languages[i]
    asked["decoder"]["recurrence"] = o.recurrence
    asked = without_unset(asked)
    if o.tied:
        asked["tied"] = dict(zip(("target_embedding", "output"), ties[o.tied]))
    return asked


def without_unset(value):
    if not isinstance(value, dict):
        return value
    kept = {k: without_unset(v) for k, v in value.items() if v is not None}
    return {k: v for k, v in kept.items() if v != {}}
