"""Writes the golden data: tiny random models and what they must compute.

DIR/NAME.bin is a model; DIR/NAME.expected a safetensors file with the captured tensors of every
case under `case{k}.`, and a JSON list `cases` in its metadata."""

import json
import os
import random
import zlib

import torch

from .attention import Dials, pattern_fields
from .checkpoint import bytes_tensor, read_checkpoint, write_safetensors
from .golden_models import base
from .golden_table import MODELS
from .golden_text import (ENGLISH, ENGLISH_WORDS, GERMAN, GERMAN_WORDS, bpe_pieces, raw,
                          sentencepiece_pieces, train_bpe, train_sentencepiece, vocabulary)
from .golden_weights import encourage_end, random_tensors
from .model import Model
from .search import maximum_length, search

# Two arithmetics may differ by 1e-5 in a log-probability; no decision may hang on ten times that.
LEAST_MARGIN = 2e-4
ATTEMPTS, LIVELY_ATTEMPTS = 200, 3


def write_golden(directory, only=None):
    os.makedirs(directory, exist_ok=True)
    for tiny in MODELS:
        if not only or tiny.name in only:
            path = os.path.join(directory, f"{tiny.name}.bin")
            write_model(path, tiny)
            write_expected(os.path.join(directory, f"{tiny.name}.expected"), path, tiny)


def seed_of(*parts):
    return zlib.crc32(" ".join(map(str, parts)).encode())


# Models ----------------------------------------------------------------------------------------


def write_model(path, tiny):
    config = {"name": tiny.name} | base() | tiny.config
    config["tokenizer"] = config["tokenizer"] | {"kind": tiny.subword["kind"]}
    vocabs, tokenizers = texts(tiny, config)
    end = "" if tiny.untidy else "\n"
    strings = byte_tensors(tiny.shared, "vocab", {side: "\n".join(vocab) + end
                                                  for side, vocab in vocabs.items()})
    strings |= byte_tensors(tiny.shared, "tokenizer", tokenizers)
    sizes = len(vocabs["source"]), len(vocabs["target"])
    tensors = random_tensors(config, sizes, tiny.absent, seed_of(tiny.name))
    metadata = {"attnscope.version": "1", "attnscope.config": json.dumps(config)}
    write_safetensors(path, tensors | strings, metadata)
    if tiny.end_share:
        teach_to_end(path, config, tensors, tiny.end_share)
    tensors = {name: t.to(getattr(torch, tiny.dtype)) for name, t in tensors.items()}
    write_safetensors(path, tensors | strings, metadata, tiny.untidy)


def teach_to_end(path, config, tensors, share):
    """Sets the output row of end-of-sentence from what the model does with random targets."""
    model, dice = Model(read_checkpoint(path)), random.Random(0)
    vocab, captures = len(model.checkpoint.target_vocab), []
    for _ in range(16):
        source = model.text.source(draw_text(model, dice, "source", 6, False))
        target = [dice.randrange(vocab) for _ in range(9)]
        captures.append(model.force(source, target)[0])
    states, logits = (torch.stack([captured[name] for captured in captures])
                      for name in ("decoder.output", "logits"))
    cap = config.get("output_cap")
    logits = logits if cap is None else cap * torch.atanh(logits / cap)
    encourage_end(config, tensors, model.checkpoint.special("eos", "target"), states, logits, share)


def byte_tensors(shared, kind, texts):
    if shared and texts:
        texts = {"shared": texts["source"]}
    return {f"{kind}.{side}": bytes_tensor(text.encode() if isinstance(text, str) else text)
            for side, text in texts.items()}


def texts(tiny, config):
    """Vocabulary and tokeniser data of each side."""
    specials = {"source": tiny.specials, "target": tiny.target_specials or tiny.specials}
    corpora = corpus(config, tiny.shared)
    vocabs, tokenizers = {}, {}
    for side, (words, sentences) in corpora.items():
        pieces, data = words, None
        if tiny.subword["kind"] != "whitespace":
            pieces, data = train_subwords(tiny.subword, sentences)
            tokenizers[side] = data
        pieces = pieces[: len(pieces) - tiny.drop_pieces]
        vocabs[side] = vocabulary(pieces, specials[side])
    return vocabs, tokenizers


def corpus(config, shared):
    """side -> (words, sentences as the subword model sees them)."""
    english, german = ENGLISH, GERMAN
    if config["tokenizer"].get("pretokenizer", "none") == "none" \
            and config["tokenizer"]["kind"] == "sentencepiece":
        english, german = raw(ENGLISH), raw(GERMAN)
    if config["tokenizer"].get("lowercase"):
        english, german = ([s.lower() for s in side] for side in (english, german))
    sides = {"source": (ENGLISH_WORDS, english), "target": (GERMAN_WORDS, german)}
    if shared:
        both = list(dict.fromkeys(ENGLISH_WORDS[:24] + GERMAN_WORDS[:24]))
        sides = dict.fromkeys(sides, (both, english + german))
    return sides


def train_subwords(subword, sentences):
    if subword["kind"] == "bpe":
        data = train_bpe(sentences, subword["merges"])
        return bpe_pieces(data, sentences, subword["size"]), data
    data = train_sentencepiece(sentences, subword["size"],
                               subword.get("normalization", "identity"),
                               subword.get("model", "unigram"))
    pieces = sentencepiece_pieces(data)
    if subword.get("shuffle"):
        random.Random(0).shuffle(pieces)
    return pieces, data


# Cases -----------------------------------------------------------------------------------------


def write_expected(path, model_path, tiny, attempts=ATTEMPTS):
    checkpoint = read_checkpoint(model_path)
    tensors, cases = {}, []
    for k, case in enumerate(tiny.cases):
        model = Model(checkpoint, Dials(case.gains, case.masks, case.patterns))
        record, captured = make_case(model, tiny, case, k, attempts)
        cases.append(record)
        tensors |= {f"case{k}.{name}": t.float() for name, t in captured.items()
                    if name != "decoder.output"}
    write_safetensors(path, tensors, {"cases": json.dumps(cases, ensure_ascii=False)})
    report(tiny, cases, checkpoint.config, [os.path.getsize(p) for p in (model_path, path)])


def make_case(model, tiny, case, k, attempts):
    dice, source, hypotheses = draw_source(model, tiny, case, k, attempts)
    text = model.text.target_text(hypotheses[0].ids)
    if case.text:
        text = case.text[1]
    elif case.target == "random" or not text.strip():
        text = draw_text(model, dice, "target", dice.randint(1, max(2, case.words)), case.unknown)
    target = model.text.target(text)
    captured, logprobs = model.force(source, target)
    return describe(model, case, source, hypotheses, text, target, logprobs), captured


def draw_source(model, tiny, case, k, attempts):
    """Draws sentences until no decision of the search is a close one; the first of them whose
    hypotheses differ in length, if there is one early on."""
    fallback = None
    for attempt in range(attempts if not case.text else 1):
        dice = random.Random(seed_of(tiny.name, k, attempt))
        source = model.text.source(case.text[0] if case.text else
                                   draw_text(model, dice, "source", case.words, case.unknown))
        hypotheses, margin = search(model, source, case.beam)
        if margin < LEAST_MARGIN or not presentable(model, hypotheses):
            continue
        fallback = fallback or (dice, source, hypotheses)
        if lively(model, source, hypotheses):
            return dice, source, hypotheses
        if attempt >= LIVELY_ATTEMPTS:
            break
    if fallback is None:
        raise ValueError(f"{tiny.name}: case {k}: every sentence has a close decision")
    return fallback


def lively(model, source, hypotheses):
    """True if the best hypothesis ended neither at once nor only at the maximum length, does not
    just repeat itself, and its rivals differ in length."""
    limit = maximum_length(model.config, len(source.ids))
    lengths = [len(hypothesis.ids) for hypothesis in hypotheses]
    return min(4, limit - 1) <= lengths[0] < limit \
        and 2 * len(set(hypotheses[0].ids)) >= lengths[0] \
        and (len(lengths) == 1 or len(set(lengths)) > 1)


def presentable(model, hypotheses):
    """SentencePiece itself would write an unknown piece in a way of its own."""
    unk = model.checkpoint.special("unk", "target")
    return model.text.kind != "sentencepiece" or all(unk not in h.ids for h in hypotheses)


def describe(model, case, source, hypotheses, text, target, logprobs):
    record = {
        "source": source.text, "source_tokens": source.tokens, "source_ids": source.ids,
        "target": text, "target_ids": target,
        "beam": case.beam or model.config["search"]["beam"],
        "hypotheses": [{"ids": h.ids, "text": model.text.target_text(h.ids),
                        "tokens": model.text.target_tokens(h.ids), "logprobs": h.logprobs,
                        "score": h.score} for h in hypotheses],
        "force": {"logprob": sum(logprobs), "logprobs": logprobs}}
    for key, dial, name in (("gains", case.gains, "gain"), ("masks", case.masks, "mask")):
        if dial:
            record[key] = [place(*at) | {name: value} for at, value in dial.items()]
    if case.patterns:
        record["patterns"] = [place(*at) | pattern_fields(pattern) | {"unit": unit}
                              for at, (pattern, unit) in case.patterns.items()]
    return record


def place(module, layer, head):
    return {"module": module, "layer": layer, "head": head}


def draw_text(model, dice, side, words, unknown):
    """A sentence of that many words; for subword models, words of the sentences that they were
    trained on, written as people write them."""
    english = side == "source"
    if model.text.kind == "whitespace":
        vocab = ENGLISH_WORDS if english else GERMAN_WORDS
    else:
        vocab = " ".join(ENGLISH if english else GERMAN).split()
    drawn = [dice.choice(vocab) for _ in range(words)]
    if unknown:
        drawn[dice.randrange(words)] = "Xylophon"
    text = " ".join(drawn)
    return raw([text])[0] if model.text.kind == "sentencepiece" or model.text.source_pieces.moses \
        else text


def report(tiny, cases, config, sizes):
    """Prints a line for each model: the lengths of its hypotheses, and how many ended before the
    maximum length."""
    lengths = [[len(h["ids"]) for h in case["hypotheses"]] for case in cases]
    limits = [maximum_length(config, len(case["source_ids"])) for case in cases]
    print(f"{tiny.name}: {' + '.join(map(str, sizes))} bytes,",
          f"sources {[len(case['source_ids']) for case in cases]}, limits {limits},",
          f"hypotheses {lengths}, targets {[len(case['target_ids']) for case in cases]}")
