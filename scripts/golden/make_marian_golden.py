#!/usr/bin/env python3
"""Small models in the formats of Marian, with what Marian says of them.

    pip install pymarian==1.12.42 torch safetensors sentencepiece pyyaml numpy subword-nmt
    scripts/golden/make_marian_golden.py tests/golden/formats

Every model is a folder NAME/ as Marian's users have it, of random weights; NAME.expected has Marian's own numbers of
twenty random sources: hypotheses, their scores and the log-probability of every token. Attention of every layer is that
of the float64 reference (attnscope_reference/marian.py), which has to agree with Marian's log-probabilities, and with
the weights of the one head of cross-attention that Marian gives.

The reference's search has to find Marian's hypotheses, wherever no decision is a close one.
"""

import pathlib
import argparse
import io
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import sentencepiece
import torch
import yaml

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.golden_text import raw, ENGLISH, GERMAN
from attnscope_reference.marian import checkpoint_of
from attnscope_reference.model import Model
from attnscope_reference.search import search
from attnscope_reference.toolkit_cases import CASES, Case, hypothesis, write_expected

SEARCHED = 6  # of the cases, with a beam of one, and with one of several
STEP = 4  # of the columns of logits that are kept
OPTIONS = {
    "type": "transformer", "dim-emb": 12, "enc-depth": 2, "dec-depth": 2, "transformer-heads": 3,
    "transformer-dim-ffn": 16, "transformer-ffn-depth": 2, "transformer-ffn-activation": "swish",
    "transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
    "transformer-decoder-autoreg": "self-attention", "transformer-tied-layers": [], "tied-embeddings-all": True,
    "tied-embeddings-src": False, "tied-embeddings": False, "layer-normalization": False, "max-length": 100,
    "transformer-guided-alignment-layer": "last", "guided-alignment": "none", "version": "v1.12.0"}


# Marian ---------------------------------------------------------------------------------------------------------------


def marian(command, *arguments, **inputs):
    """Runs one of Marian's commands in a separate process, and returns its output lines."""
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for name, lines in inputs.items():
            files.append(f"{scratch}/{name}")
            Path(files[-1]).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        out = f"{scratch}/out"
        option = {"decode": "-i", "score": "-t"}.get(command)
        given = [command, *map(str, arguments)] + ([option, *files, "-o", out] if option else [])
        subprocess.run([sys.executable, "-c", "import sys, _pymarian; _pymarian.main(sys.argv[1:])", *given],
                       check=True, stderr=subprocess.DEVNULL)
        return Path(out).read_text(encoding="utf-8").splitlines() if option else []


def numbers(text):
    return [float(number) for number in text.split()]


def soft(text):
    """[target][source]"""
    return torch.tensor([[float(weight) for weight in row.split(",")] for row in text.split()], dtype=torch.float64)


class Toolkit:
    """Marian with one model."""

    def __init__(self, model, vocabularies, text):
        self.model = ["-m", model, "-v", *vocabularies, "--cpu-threads", "1", "--quiet", "-w", "64", "--word-scores",
                      "--alignment", "soft"]
        self.pieces = ["--no-spm-decode"] if text else []

    def decode(self, sources, beam, decoder):
        """[source] of n-best lists: (pieces, log-probabilities, score, soft alignment)."""
        options = ["-b", beam, "-n", decoder["normalize"], "--max-length-factor", decoder["max-length-factor"]]
        lists = [[] for _ in sources]
        for line in marian("decode", *self.model, *self.pieces, *options, "--n-best", input=sources):
            number, pieces, alignment, scores, _, score = line.split(" ||| ")
            logprobs = numbers(scores.removeprefix("WordScores="))
            lists[int(number)].append((pieces.split(), logprobs, float(score), soft(alignment)))
        return lists

    def score(self, sources, targets):
        """[pair] of (log-probabilities, soft alignment)."""
        lines = marian("score", *self.model, source=sources, target=targets)
        fields = [line.split(" ||| ") for line in lines]
        return [(numbers(scores.removeprefix("WordScores=")), soft(alignment)) for _, alignment, scores in fields]


# Parameters -----------------------------------------------------------------------------------------------------------


class Parameters(dict):
    def __init__(self, d, seed):
        super().__init__()
        self.d = d
        self.random = np.random.default_rng(seed)

    def add(self, name, *shape, spread=0.4, mean=0.0):
        self[name] = (mean + self.random.normal(0, spread, shape)).astype("float32")

    def norm(self, name, suffix=""):
        self.add(f"{name}_ln_scale{suffix}", 1, self.d, spread=0.1, mean=1)
        self.add(f"{name}_ln_bias{suffix}", 1, self.d, spread=0.1)

    def linear(self, prefix, which, inner, outer):
        self.add(f"{prefix}_W{which}", inner, outer)
        self.add(f"{prefix}_b{which}", 1, outer, spread=0.2)

    def attention(self, prefix, suffix):
        for which in "qkvo":
            self.linear(prefix, which, self.d, self.d)
        self.norm(f"{prefix}_Wo", suffix)

    def recurrence(self, prefix, suffix):
        self.add(f"{prefix}_W", self.d, self.d)
        self.linear(prefix, "f", self.d, self.d)
        self.norm(prefix if suffix else f"{prefix}_ffn", suffix)

    def feed_forward(self, prefix, suffix, width):
        self.linear(prefix, "1", self.d, width)
        self.linear(prefix, "2", width, self.d)
        self.norm(f"{prefix}_ffn", suffix)


def random_parameters(options, sizes, seed):
    d, width = options["dim-emb"], options["transformer-dim-ffn"]
    p, suffix = Parameters(d, seed), "_pre" if options["transformer-preprocess"] == "n" else ""
    for layer in range(1, options["enc-depth"] + 1):
        p.attention(f"encoder_l{layer}_self", suffix)
        p.feed_forward(f"encoder_l{layer}_ffn", suffix, width)
    for layer in sorted(set(options["transformer-tied-layers"] or range(1, options["dec-depth"] + 1))):
        if options["transformer-decoder-autoreg"] == "rnn":
            p.recurrence(f"decoder_l{layer}_rnn", suffix)
        else:
            p.attention(f"decoder_l{layer}_self", suffix)
        p.attention(f"decoder_l{layer}_context", suffix)
        p.feed_forward(f"decoder_l{layer}_ffn", suffix, options.get("transformer-decoder-dim-ffn") or width)
    for stack in ("encoder", "decoder") if options.get("transformer-postprocess-top") else ():
        p.norm(f"{stack}_top")
    for stack in ("encoder", "decoder") if "n" in options["transformer-postprocess-emb"] else ():
        p.norm(f"{stack}_emb", "_pre")
    if options["tied-embeddings-all"]:
        p.add("Wemb", sizes[0], d)
    else:
        p.add("encoder_Wemb", sizes[0], d)
        p.add("decoder_Wemb", sizes[1], d)
        p.add("decoder_ff_logit_out_Wt", sizes[1], d)
    p.add("decoder_ff_logit_out_b", 1, sizes[1], spread=0.3)
    output = p["decoder_ff_logit_out_Wt" if "decoder_ff_logit_out_Wt" in p else "Wemb"]
    output[0] *= 3  # so that translations end
    p["decoder_ff_logit_out_b"][0, :2] = 1.5, 4  # otherwise tokens that are never produced would often win
    return p


def save_npz(path, parameters, options):
    text = yaml.safe_dump(options).encode() + b"\0"
    np.savez(path, **parameters, **{"special:model.yml": np.frombuffer(text, dtype="int8")})
    return path


def on_grid(parameters):
    """Rounds weights to values that eight bits hold exactly, like marian-conv."""
    for name, array in parameters.items():
        if re.search("_W.?$|Wemb$", name):
            scale = np.float32(127) / np.abs(array).max()
            parameters[name] = (np.round(array * scale) / scale).astype("float32")


# Text -----------------------------------------------------------------------------------------------------------------


def train_subwords(path, sentences, size):
    """Trains with Marian's ids. Without normalisation, because the tables of the others take 240
    kB."""
    written = io.BytesIO()  # a file would hold its own path
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=written, vocab_size=size, bos_id=-1, eos_id=0, unk_id=1,
        normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1, character_coverage=1.0,
        minloglevel=2)
    path.write_bytes(written.getvalue())
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def pieces_of(model):
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]


def write_vocabulary(path, pieces):
    path.write_text(yaml.safe_dump({piece: i for i, piece in enumerate(pieces)}, allow_unicode=True,
                                   sort_keys=False), encoding="utf-8")


class Words:
    """Pieces with blanks between them."""

    text = False
    models = (None, None)

    def __init__(self, vocabularies):
        self.vocabularies = vocabularies

    def draw(self, dice, side):
        pieces = self.vocabularies[side][2:]
        return " ".join(dice.choice(pieces) for _ in range(dice.randint(1, 5)))


class Sentences:
    """Text that SentencePiece splits. subwords: of both sides; pieces by number."""

    def __init__(self, subwords, files, vocabularies, text):
        self.subwords, self.vocabularies, self.text = subwords, vocabularies, text
        self.models = [file.read_bytes() for file in files]
        self.words = [sorted({word for line in raw(lines) for word in line.split()}) for lines in (ENGLISH, GERMAN)]

    def draw(self, dice, side):
        return " ".join(dice.choice(self.words[side]) for _ in range(dice.randint(1, 2)))


# Cases ----------------------------------------------------------------------------------------------------------------


def marian_text(words, side, text):
    """The text for Marian itself: its users split the text first, unless the vocabulary does so."""
    if not words.models[0] or words.text:
        return text
    return " ".join(words.subwords[side].encode(text, out_type=str))


def check_alignment(model, captured, given):
    """Marian's own weights are those of the first head of the last layer."""
    last = model.config["decoder"]["layers"] - 1
    ours = captured[f"cross.{last}.weights"][0][:len(given)]
    assert (ours - given).abs().max() < 5e-6, (ours, given)


def describe(model, words, source, target, toolkit_says):
    encoded, ids = model.text.source(source), model.text.target(target)
    case = Case(encoded.ids[:-1], [], [0], ids, [])
    case.text, case.step = source, STEP
    captured, logprobs = model.force(encoded, ids)
    case.forced, alignment = toolkit_says
    assert len(case.forced) == len(ids) and max(abs(a - b) for a, b in zip(case.forced, logprobs)) < 5e-5
    check_alignment(model, captured, alignment)
    case.tensors = {name: t for name, t in captured.items() if name != "decoder.output"}
    return case


def found(model, nbest):
    """Marian's hypotheses, or None if one reaches the maximum length without end-of-sentence."""
    hypotheses = []
    for pieces, logprobs, score, alignment in nbest:
        ids = [model.text.target_ids[piece] for piece in pieces] + [0]
        if len(logprobs) != len(ids):
            return None
        one = hypothesis(ids, logprobs) | {"score": score}
        # As users of OPUS-MT join pieces, some of which are not in the target's own model.
        one["text"] = "".join(pieces).replace("▁", " ").strip() if model.text.kind == "sentencepiece" \
            else " ".join(pieces)
        hypotheses.append(one)
    return hypotheses


def same_search(model, source, beam, hypotheses):
    """True if the reference finds Marian's hypothesis; it may differ where rounding decides."""
    ours, margin = search(model, model.text.source(source), beam)
    same = [list(one.ids) for one in ours] == [one["ids"] for one in hypotheses]
    assert same or margin <= 2e-4, (source, beam, ours, hypotheses)
    return margin > 2e-4


def make_cases(name, model, words, toolkit, decoder):
    dice, beam = random.Random(name), decoder["beam-size"]
    pairs = [(words.draw(dice, 0), words.draw(dice, 1)) for _ in range(4 * CASES)]
    given = [[marian_text(words, side, pair[side]) for pair in pairs] for side in (0, 1)]
    scores = toolkit.score(*given)
    if model.config["norm"] == "pre":
        return [describe(model, words, *pair, said) for pair, said in zip(pairs, scores)][:CASES]
    lists = {size: toolkit.decode(given[0], size, decoder) for size in (1, beam)}
    cases, tried, searched, same = [], {1: 0, beam: 0}, {1: 0, beam: 0}, {1: 0, beam: 0}
    for k, (source, target) in enumerate(pairs):
        case = describe(model, words, source, target, scores[k])
        for size in (1, beam):
            hypotheses = found(model, lists[size][k])
            if hypotheses is None or (size == beam and k > 2 * CASES):
                continue
            tried[size] += 1
            agrees = same_search(model, source, size, hypotheses)
            same[size] += agrees
            if agrees and not case.hypotheses and searched[size] < SEARCHED:
                case.hypotheses, case.beam = hypotheses, size
                searched[size] += 1
        cases.append(case)
    cases.sort(key=lambda case: not case.hypotheses)
    print(f"{name}: " + ", ".join(f"beam {size}: {same[size]} of {tried[size]} searches that end have no close decision"
                                  for size in (1, beam)))
    assert searched[1] == SEARCHED, searched
    return cases[:CASES]


def write_model(out, name, options, decoder, words, files, save, seed=1):
    """files: the names of the model, its decoder.yml, and both vocabularies."""
    folder, (model_file, decoder_file, *vocabularies) = out / name, files
    sizes = [len(pieces) for pieces in words.vocabularies]
    options = OPTIONS | options | {"dim-vocabs": sizes}
    decoder = {"max-length-factor": 3} | decoder
    parameters = random_parameters(options, sizes, seed)
    saved = save(folder / model_file, parameters, options)
    given = {"models": [f"/train/{model_file}"], "vocabs": [f"/train/{one}" for one in vocabularies]} | decoder
    if decoder_file:
        (folder / decoder_file).write_text(yaml.safe_dump(given), encoding="utf-8")
    model = Model(checkpoint_of(parameters, options, decoder, words.vocabularies, words.models))
    # Marian recognises the kind of a vocabulary by its name.
    toolkit = Toolkit(saved, [folder / one for one in vocabularies], words.text)
    cases = make_cases(name, model, words, toolkit, decoder)
    if saved != folder / model_file:
        saved.unlink()
    write_expected(out / f"{name}.expected", cases, model.checkpoint.source_vocab, model.checkpoint.target_vocab, 1)


# The models -----------------------------------------------------------------------------------------------------------


def opus(out):
    """As OPUS-MT publishes them: subword models, and a vocabulary in a different order."""
    folder = out / "marian-opus"
    folder.mkdir(exist_ok=True)
    files = [folder / "source.spm", folder / "target.spm"]
    subwords = [train_subwords(file, raw(lines), 120) for file, lines in zip(files, (ENGLISH, GERMAN))]
    pieces = sorted(set(pieces_of(subwords[0]) + pieces_of(subwords[1])) - {"</s>", "<unk>"})
    random.Random(1).shuffle(pieces)
    pieces = ["</s>", "<unk>"] + pieces
    write_vocabulary(folder / "opus.spm32k-spm32k.vocab.yml", pieces)
    words = Sentences(subwords, files, [pieces, pieces], False)
    write_model(out, folder.name, {}, {"beam-size": 6, "normalize": 1}, words,
                ["opus.spm32k-spm32k.transformer.model1.npz", "decoder.yml"]
                + 2 * ["opus.spm32k-spm32k.vocab.yml"], save_npz, seed=5)


def two_vocabularies(out):
    """As training leaves them: vocabularies of two sizes, and a separate output."""
    folder = out / "marian-two-vocabularies"
    folder.mkdir(exist_ok=True)
    vocabularies = [["</s>", "<unk>"] + [f"{word}{i}" for i in range(count)] for word, count in (("a", 30), ("z", 36))]
    for file, pieces in zip(("vocab.en.yml", "vocab.de.yml"), vocabularies):
        write_vocabulary(folder / file, pieces)
    options = {"tied-embeddings-all": False, "transformer-ffn-activation": "gelu", "transformer-decoder-dim-ffn": 20,
               "transformer-postprocess-emb": "nd"}
    write_model(out, folder.name, options, {"beam-size": 2, "normalize": 0.6}, Words(vocabularies),
                ["model.npz", "model.npz.decoder.yml", "vocab.en.yml", "vocab.de.yml"], save_npz,
                seed=23)


def last_norm(out):
    """Norms after the parts of layers, and one more after every stack, as in PyTorch's
    nn.Transformer."""
    folder = out / "marian-last-norm"
    folder.mkdir(exist_ok=True)
    pieces = ["</s>", "<unk>"] + [f"w{i}" for i in range(24)]
    write_vocabulary(folder / "vocab.yml", pieces)
    options = {"transformer-ffn-activation": "relu", "transformer-postprocess-top": "n", "enc-depth": 1}
    write_model(out, folder.name, options, {"beam-size": 3, "normalize": 1}, Words([pieces, pieces]),
                ["model.npz", "decoder.yml", "vocab.yml", "vocab.yml"], save_npz, seed=3)


def read_items(data):
    """[(name, type, shape, bytes)] of a .bin."""
    count, at, items = struct.unpack_from("<Q", data, 8)[0], 16, []
    headers = [struct.unpack_from("<4Q", data, at + 32 * i) for i in range(count)]
    at += 32 * count
    for length, _, _, _ in headers:
        items.append([data[at:at + length - 1].decode()])
        at += length
    for item, (_, kind, rank, _) in zip(items, headers):
        item += [kind, struct.unpack_from(f"<{rank}i", data, at)]
        at += 4 * rank
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    for item, (_, _, _, size) in zip(items, headers):
        item.append(data[at:at + size])
        at += size
    return items


def write_items(items):
    names = b"".join(name.encode() + b"\0" for name, *_ in items)
    headers = b"".join(struct.pack("<4Q", len(name) + 1, kind, len(shape), len(data)) for name, kind, shape, data in items)
    begin = struct.pack("<QQ", 1, len(items)) + headers + names
    begin += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    gap = -(len(begin) + 8) % 256
    return begin + struct.pack("<Q", gap) + bytes(gap) + b"".join(data for *_, data in items)


def as_browsermt(path):
    """Rewrites what browsermt's Marian, which makes the students that Mozilla publishes, does
    differently: the number of the 8-bit type; and it quantises everything with Wemb in its name,
    without transposing it."""
    items = read_items(path.read_bytes())
    for item in items:
        name, kind, shape, data = item
        if "Wemb" in name:
            values = np.frombuffer(data, "<f4", np.prod(shape))
            scale = np.float32(127) / np.abs(values).max()
            data = np.round(values * scale).astype("int8").tobytes() + struct.pack("<f", scale)
            item[3] = data + bytes(-len(data) % 256)
        if "Wemb" in name or kind == 0x10001:
            item[1] = 0x4101
    path.write_bytes(write_items(items))


def convert(kind):
    def save(path, parameters, options):
        if kind == "intgemm8":
            on_grid(parameters)
            parameters |= {f"encoder_{name}_QuantMultA": np.full((1, 1), 7, "float32") for name in ("l1_self_Wq", "Wemb")}
        floats = path.with_suffix(".npz")
        save_npz(floats, parameters, options)
        marian("convert", "-f", floats, "-t", path, "-g", kind)
        if kind == "intgemm8":  # Marian computes this with rounded activations, too: request the same weights
            as_browsermt(path)
            return floats
        floats.unlink()
        return path
    return save


def binary(out):
    """A .bin of float32 with one SentencePiece model for both sides, and norms before the layers;
    the decoder has only one norm for them.

    Marian's translations by such models are not compared: while it translates, but neither in
    training nor in scoring, the decoder's self-attention skips the norm of all but the first
    position."""
    folder = out / "marian-bin"
    folder.mkdir(exist_ok=True)
    model = train_subwords(folder / "vocab.ende.spm", raw(ENGLISH) + raw(GERMAN), 120)
    words = Sentences([model, model], 2 * [folder / "vocab.ende.spm"], 2 * [pieces_of(model)], True)
    options = {"transformer-ffn-activation": "relu", "enc-depth": 1, "transformer-tied-layers": [1, 1],
               "transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
    write_model(out, folder.name, options, {"beam-size": 3, "normalize": 1}, words,
                ["model.bin", "decoder.yml"] + 2 * ["vocab.ende.spm"], convert("float32"))


def student(out):
    """As Mozilla publishes them: a recurrent decoder in eight bits, with scales of activations and
    a shortlist, and without decoder.yml. The length penalty and the maximum length are
    Firefox's."""
    folder = out / "marian-student"
    folder.mkdir(exist_ok=True)
    files = [folder / "srcvocab.ende.spm", folder / "trgvocab.ende.spm"]
    subwords = [train_subwords(file, raw(lines), 80) for file, lines in zip(files, (ENGLISH, GERMAN))]
    words = Sentences(subwords, files, [pieces_of(model) for model in subwords], True)
    (folder / "lex.50.50.ende.s2t.bin").write_bytes(struct.pack("<QQ", 0xF11A48D5013417F5, 0))
    options = {"tied-embeddings-all": False, "transformer-ffn-activation": "relu", "dim-emb": 16,
               "transformer-heads": 4, "transformer-dim-ffn": 32,  # sizes that Marian's 8-bit products require
               "transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"}
    decoder = {"beam-size": 12, "normalize": 1, "max-length-factor": 2}
    write_model(out, folder.name, options, decoder, words,
                ["model.ende.intgemm.alphas.bin", None] + [file.name for file in files], convert("intgemm8"), seed=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    parser.add_argument("only", nargs="*", help="names of models; default: all")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for make in (opus, two_vocabularies, last_norm, binary, student):
        if not arguments.only or make.__name__ in arguments.only:
            make(arguments.out)


if __name__ == "__main__":
    main()
