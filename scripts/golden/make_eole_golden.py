#!/usr/bin/env python3
"""Small models of Eole as the package saves them, with what it says of them in float64 (but for its softmax).

    pip install torch safetensors pyonmttok pydantic configargparse pyyaml huggingface_hub rich sentencepiece protobuf
    pip install --no-deps eole==0.6.4
    scripts/golden/make_eole_golden.py tests/golden/formats

Every model is a folder NAME/ of random weights in float16; NAME.expected has the numbers of random sources in the form of
the other golden data: translations greedy and with the package's beam search, log-probabilities and every attention
weight.
"""

import argparse
import copy
import json
import pathlib
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.toolkit_cases import (MARGIN, hypothesis, random_case, spell, words, write_expected,
                                              write_sentencepiece)

import eole.modules.embeddings  # noqa: E402
from eole.config import recursive_model_fields_set  # noqa: E402
from eole.config.models import TransformerModelConfig  # noqa: E402
from eole.inputters.inputter import dict_to_vocabs, vocabs_to_dict  # noqa: E402
from eole.models.model import EncoderDecoderModel  # noqa: E402
from eole.predict.beam_search import BeamSearch, GNMTGlobalScorer  # noqa: E402

WIDTH, HEADS, FFN, POSITIONS = 8, 2, 12, 24
MOST = 9  # tokens of a translation
CASES, SEARCHED = 4, 2  # cases; those with a beam
SPECIALS = ["<unk>", "<blank>", "<s>", "</s>"]
START, END = 2, 3
eole.modules.embeddings.PositionalEncoding.__init__.__defaults__ = (POSITIONS,)  # instead of 5000: files are small


def build(given, pieces):
    config = TransformerModelConfig(**{
        "hidden_size": WIDTH, "heads": HEADS, "transformer_ff": FFN, "layers": 2,
        "embeddings": {"word_vec_size": WIDTH, "position_encoding_type": "SinusoidalInterleaved"}} | given)
    vocabs = dict_to_vocabs({"src": pieces[0], "tgt": pieces[1], "decoder_start_token": "<s>", "specials": {
        "bos_token": "<s>", "pad_token": "<blank>", "eos_token": "</s>", "unk_token": "<unk>"}})
    model = EncoderDecoderModel.build_blocks(config, vocabs)
    model.build_generator(config, None, vocabs)
    return config, vocabs, model.eval()


def randomise(model):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "layernorm" in name or "layer_norm" in name:
                parameter.copy_(name.endswith("weight") + 0.1 * torch.randn_like(parameter))
            else:
                parameter.normal_(0, 0.5 if parameter.dim() > 1 else 0.2)
        model.generator.bias[:END] -= 4  # so that translations are words, and end
        model.generator.bias[END] += 2
        for tensor in [*model.parameters(), *model.buffers()]:
            tensor.copy_(tensor.half().float())


def save(folder, config, vocabs, model, transforms):
    """Saves a model like the package's saver, without the folder for the step."""
    state = {name: tensor.half() for name, tensor in model.state_dict().items()}
    if config.share_embeddings:
        state.pop("tgt_emb.embeddings.weight")
    if config.share_decoder_embeddings:
        state.pop("generator.weight")
    save_file(state, folder / "model.00.safetensors")
    (folder / "vocab.json").write_text(json.dumps(vocabs_to_dict(vocabs), indent=2, ensure_ascii=False), encoding="utf-8")
    saved = {"model": recursive_model_fields_set(config)} | transforms
    (folder / "config.json").write_text(json.dumps(saved, indent=2, sort_keys=True), encoding="utf-8")


# What the package says ------------------------------------------------------------------------------------------------


class Attention:
    """Records the weights of every attention while the model runs, in the order of calls."""

    def __enter__(self):
        self.seen, self.own = [], torch.nn.functional.softmax

        def noted(energies, **options):
            weights = self.own(energies, **options)
            self.seen.append(weights[0])
            return weights
        torch.nn.functional.softmax = noted
        return self.seen

    def __exit__(self, *_):
        torch.nn.functional.softmax = self.own


def run(model, case, target):
    """Returns logits, the encoder's output, and attention weights for the target, or for one token
    if it is empty."""
    source, inputs = torch.tensor([case.ids]), torch.tensor([case.start + (target or [END])])  # two at least, or it caches
    no_padding = [torch.zeros(1, 1, ids.shape[1], dtype=torch.bool) for ids in (source, inputs)]
    with torch.no_grad(), Attention() as seen:
        encoded, _ = model.encoder(model.src_emb(source), pad_mask=no_padding[0])
        model.decoder.init_state(enc_out=encoded)
        decoded, _ = model.decoder(model.tgt_emb(inputs), enc_out=encoded, src_pad_mask=no_padding[0],
                                   tgt_pad_mask=no_padding[1], return_attn=False)
        length = len(target) + 1
        return model.generator(decoded)[0, :length], encoded[0], seen


def forced(model, case):
    logits, encoded, seen = run(model, case, case.target[:-1])
    layers = [len(model.encoder.transformer_layers), len(model.decoder.transformer_layers)]
    assert len(seen) == layers[0] + 2 * layers[1], len(seen)
    case.tensors |= {f"encoder.{i}.weights": seen[i] for i in range(layers[0])}
    for i in range(layers[1]):
        rows, (own, cross) = len(case.target), seen[layers[0] + 2 * i:][:2]
        case.tensors |= {f"decoder.{i}.weights": own[:, :rows, :rows], f"cross.{i}.weights": cross[:, :rows]}
    logprobs = logits.log_softmax(-1)
    case.tensors |= {"encoder.output": encoded, "logits": logits, "logprobs": logprobs}
    return [logprobs[row, token].item() for row, token in enumerate(case.target)]


def search(model, case, beam):
    """The hypotheses that had ended when the best one ended; None if the order of two of them is a
    close decision, or if one is too long."""
    length = len(case.ids)
    strategy = BeamSearch(beam, 1, 1, START, [END], 0, START, 1, GNMTGlobalScorer(1.0, 0.0, "avg", "none"), 0,
                          2 * length + 5, False, 0, set(), False, 0, False)
    strategy.initialize(torch.zeros(1, length, WIDTH), torch.tensor([length]))
    while not strategy.done:
        rows = [run(model, case, ids[1:])[0][-1].log_softmax(-1) for ids in strategy.alive_seq.tolist()]
        strategy.advance(torch.stack(rows).float(), None)
        if strategy.alive_seq.shape[1] > min(MOST, 2 * length + 4):
            return None
        if any(map(any, strategy.is_finished_list)):
            strategy.update_finished()
    hypotheses = []
    for score, ids, _, _ in strategy.hypotheses[0][:beam]:
        scored = copy.deepcopy(case)
        scored.target = ids.tolist()
        made = hypothesis(scored.target, forced(model, scored), counted=1)
        assert abs(made["score"] - score) < 1e-5, (made, score)
        if hypotheses and hypotheses[-1]["score"] - made["score"] < MARGIN:
            return None
        hypotheses.append(made)
    return hypotheses


def expected(path, model, pieces, spelt):
    generator, cases, tried = torch.Generator().manual_seed(len(path.name)), [], 0
    while len(cases) < CASES:
        if (tried := tried + 1) > 60:
            return False
        case = random_case(generator, [], [], [START], list(range(4, min(map(len, pieces)))), END)
        case.beam = 1 if len(cases) < CASES - SEARCHED else 3
        case.hypotheses = search(model, case, case.beam)
        if case.hypotheses and len(case.hypotheses) >= min(2, case.beam) and len(case.hypotheses[0]["ids"]) > 2:
            case.forced, case.step = forced(model, case), 3
            if spelt:
                spell(case, *pieces)
            cases.append(case)
    write_expected(path, cases, *pieces, 1)
    return True


def write(out, name, given, counts, shared=False):
    """`shared`: a vocabulary, whose pieces a SentencePiece model cuts."""
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pieces = [SPECIALS + words(0, count - 4, mark) for count, mark in zip(counts, "ww" if shared else "wz")]
    transforms = {}
    if shared:
        write_sentencepiece(folder / "joint.spm.model", pieces[0])
        options = {f"{side}_subword_model": "${MODEL_PATH}/joint.spm.model" for side in ("src", "tgt")}
        transforms = {"transforms": ["sentencepiece", "filtertoolong"], "transforms_configs": {"sentencepiece": options},
                      "share_vocab": True}
    for seed in range(50):  # until enough translations end
        torch.manual_seed(seed)
        config, vocabs, model = build(given, pieces)
        randomise(model)
        if expected(out / f"{name}.expected", copy.deepcopy(model).double(), pieces, shared):
            save(folder, config, vocabs, model, transforms)
            return
    sys.exit(f"{name}: too few translations end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.set_num_threads(1)
    write(out, "eole", {"encoder": {"layers": 2}, "decoder": {"layers": 1}}, (16, 14))
    write(out, "eole-gated", {
        "layers": 1, "mlp_activation_fn": "gated-silu", "layer_norm": "rms", "norm_eps": 1e-6, "add_qkvbias": True,
        "add_ffnbias": True, "share_embeddings": True, "share_decoder_embeddings": True,
        "embeddings": {"word_vec_size": WIDTH, "position_encoding_type": None}}, (15, 15), shared=True)


if __name__ == "__main__":
    main()
