#!/usr/bin/env python3
"""Small models of BART's kind, with what transformers and CTranslate2 say of them.

    pip install torch transformers ctranslate2 safetensors sentencepiece protobuf
    scripts/golden/make_bart_golden.py tests/golden/formats

As make_formats_golden.py. BART's translations begin with </s> and a given <s> (hf-bart), and some tokens are never
produced. mBART-25 has the source's language behind the sentence and begins translations with the target's
(hf-mbart-25); mBART-50 has the source's before it and begins with </s> and the target's (hf-mbart-50). The two stacks
differ in their number of layers and in the width of feed-forward layers; in ct2-stacks-differ in the place of norms, too. ct2-last-norm has a norm
behind the last layers, whose own norms are post-norm.
"""

import pathlib
import sys
import argparse
import collections
import functools
import itertools
import types
from pathlib import Path

import torch
import transformers
from sentencepiece import sentencepiece_model_pb2
from transformers.models.mbart.modeling_mbart import MBartEncoderLayer

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.toolkit_cases import CASES, random_case, spell, words, write_expected
from ctranslate2_layouts import read_variables, write_json, write_variables
from make_formats_golden import LONGEST, PIECES, SMALLER, cases_of, ctranslate2_folder, greedy, randomise, save

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
LANGUAGES = ["de_DE", "en_XX", "ja_XX"]
LEFT_OUT = 4  # tokens that are never produced


def finish(model):
    randomise(model)
    with torch.no_grad():
        for stack in (model.model.encoder, model.model.decoder):
            stack.embed_positions.weight.normal_(0, 0.4)
        model.model.shared.weight[1] = 0
        model.final_logits_bias.normal_(0, 0.3)
        model.final_logits_bias[0, 1] = -1000  # padding, which others may produce


def frequent(model, usable):
    """Returns the token that the model is most likely to produce."""
    counts, generator = collections.Counter(), torch.Generator().manual_seed(3)
    for _ in range(100):
        counts.update(greedy(model, random_case(generator, [0], [2], [2, 0], usable, 2))[:-1])
    return [token for token, _ in counts.most_common() if token in usable][:LEFT_OUT]


def bart(folder, forced=None):
    pieces = SPECIAL + words(0, PIECES - len(SPECIAL))
    config = transformers.BartConfig(
        vocab_size=PIECES, attn_implementation="eager", activation_function="gelu", normalize_before=False,
        forced_bos_token_id=forced, max_length=LONGEST, **SMALLER)
    model = transformers.BartForConditionalGeneration(config).eval()
    finish(model)
    model.generation_config.forced_bos_token_id = forced
    if forced is not None:
        usable = range(len(SPECIAL), PIECES)
        model.generation_config.bad_words_ids = [[token] for token in frequent(model, usable)] + [[2]]
    save(model, folder)
    write_json(folder, "vocab.json", {piece: i for i, piece in enumerate(pieces)})
    return model, pieces, pieces


def mbart(folder, kind=50):
    pieces = SPECIAL + words(0, PIECES - len(SPECIAL) - len(LANGUAGES) - 1) + LANGUAGES + ["<mask>"]
    start = {50: 2, 25: pieces.index("ja_XX")}[kind]
    config = transformers.MBartConfig(
        vocab_size=PIECES, attn_implementation="eager", activation_function={50: "gelu_new", 25: "relu"}[kind],
        scale_embedding=True, normalize_before=True, decoder_start_token_id=start, max_length=LONGEST,
        tokenizer_class={50: "MBart50Tokenizer", 25: "MBartTokenizer"}[kind], **SMALLER)
    model = transformers.MBartForConditionalGeneration(config).eval()
    finish(model)
    save(model, folder)
    if kind == 50:
        write_sentencepiece(folder, pieces)
    else:
        write_json(folder, "tokenizer.json", {
            "model": {"type": "Unigram", "vocab": [[piece, -float(i)] for i, piece in enumerate(pieces[:-1])]},
            "added_tokens": [{"id": PIECES - 1, "content": pieces[-1]}]})
    write_json(folder, "tokenizer_config.json", {"src_lang": "de_DE", "tgt_lang": "ja_XX"})
    return model, pieces, pieces


def write_sentencepiece(folder, pieces):
    """Pieces are only in the SentencePiece model, with different ids; languages are in a list."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = 1
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = True
    for piece, kind in (("<unk>", 2), ("<s>", 3), ("</s>", 3)):
        proto.pieces.add(piece=piece, score=0.0, type=kind)
    for i, piece in enumerate(pieces[len(SPECIAL):-1 - len(LANGUAGES)]):
        proto.pieces.add(piece=piece, score=-1.0 - 0.1 * i, type=1)
    (folder / "sentencepiece.bpe.model").write_bytes(proto.SerializeToString(deterministic=True))
    write_json(folder, "special_tokens_map.json", {"additional_special_tokens": LANGUAGES})


def pre_norm_encoder(folder):
    """mBART's layers, without its last norm, in BART's encoder."""
    model, pieces, _ = bart(folder)
    model.config.activation_function = "quick_gelu"
    for layers in (model.model.encoder.layers, model.model.decoder.layers):
        for layer in layers:
            layer.activation_fn = transformers.activations.ACT2FN["quick_gelu"]
    for layer in model.model.encoder.layers:
        layer.forward = types.MethodType(MBartEncoderLayer.forward, layer)
    return model, pieces, pieces


def say_pre_norm(path):
    """The converter does not support models whose stacks differ, so the encoder's flag, a variable
    of one byte, is set here."""
    name = b"encoder/pre_norm\0"
    data = bytearray(path.read_bytes())
    value = data.index(name) + len(name) + 1 + 1 + 4  # after rank, type and size
    assert data[value - 6] == 0 and data[value] == 0
    data[value] = 1
    path.write_bytes(data)


def last_norms(folder):
    """BART with a norm behind the last layer of both stacks, which transformers does not have: as add_last_norms."""
    model, pieces, _ = bart(folder)
    generator = torch.Generator().manual_seed(8)
    for stack in (model.model.encoder, model.model.decoder):
        norm = torch.nn.LayerNorm(model.config.d_model)
        with torch.no_grad():
            for parameter in norm.parameters():
                parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))

        def behind(_, __, out, norm=norm):
            out["last_hidden_state"] = norm(out["last_hidden_state"])
            return out
        stack.register_forward_hook(behind)
        stack.behind = [norm.requires_grad_(False)]  # in a list, so that it is not saved
    last_norms.made = model
    return model, pieces, pieces


def add_last_norms(path):
    """No converter writes post-norm layers with a last norm, but CTranslate2 computes the norm if
    it is stored."""
    model = last_norms.made
    variables, aliases = read_variables(path.read_bytes())
    for stack, of in (("encoder", model.model.encoder), ("decoder", model.model.decoder)):
        for name, parameter in (("gamma", of.behind[0].weight), ("beta", of.behind[0].bias)):
            variables[f"{stack}/layer_norm/{name}\0".encode()] = ([len(parameter)], 0, parameter.numpy().tobytes())
    write_variables(path, 6, b"TransformerSpec\0", 7, variables, aliases)


def bart_folder(name, out):
    model, pieces, _ = bart(out / name, forced=0)
    bad = {token for [token] in model.generation_config.bad_words_ids}
    usable = [i for i, piece in enumerate(pieces) if piece.startswith("▁")]
    cases = cases_of(model, torch.Generator().manual_seed(len(name)), [0], [2], [2, 0], usable)
    cases = list(itertools.islice(cases, CASES))
    assert any(bad & set(case.target[:-1]) for case in cases), "no target has what is never produced"
    write_expected(out / f"{name}.expected", cases, pieces, pieces, 1)


def mbart_folder(name, out, kind):
    model, pieces, _ = mbart(out / name, kind)
    usable = [i for i, piece in enumerate(pieces) if piece.startswith("▁")]
    generator, cases = torch.Generator().manual_seed(len(name)), []
    for number, languages in zip(range(CASES), itertools.cycle(itertools.permutations(LANGUAGES, 2))):
        source, target = (pieces.index(language) for language in languages)
        if kind == 25:
            before, after, start = [], [2, source], [target]
            model.generation_config.decoder_start_token_id = target
        else:
            before, after, start = [source], [2], [2, target]
            model.generation_config.forced_bos_token_id = target
        case = next(cases_of(model, generator, before, after, start, usable))
        case.languages = languages
        if kind == 50:
            spell(case, pieces, pieces)
        cases.append(case)
    write_expected(out / f"{name}.expected", cases, pieces, pieces, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.manual_seed(4)
    torch.set_num_threads(1)
    bart_folder("hf-bart", out)
    mbart_folder("hf-mbart-25", out, 25)
    mbart_folder("hf-mbart-50", out, 50)
    ctranslate2_folder("ct2-bart", out, bart, begin="<s>")
    ctranslate2_folder("ct2-mbart", out, functools.partial(mbart, kind=25), languages=["en_XX", "de_DE"], behind=True)
    ctranslate2_folder("ct2-stacks-differ", out, pre_norm_encoder, change=say_pre_norm, begin="<s>")
    torch.manual_seed(7)
    ctranslate2_folder("ct2-last-norm", out, last_norms, change=add_last_norms, begin="<s>", number=6, least=3)


if __name__ == "__main__":
    main()
