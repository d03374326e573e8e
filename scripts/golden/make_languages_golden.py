#!/usr/bin/env python3
"""Small models for many languages, with what transformers says of translations between them.

    pip install torch transformers ctranslate2 safetensors
    scripts/golden/make_languages_golden.py tests/golden/formats

As make_formats_golden.py; every case says which languages it is between. The source's token stands before the sentence
(hf-nllb) or, in NLLB's older way, behind it (hf-nllb-legacy); the target's is the first token of the translation. A
Marian model for many target languages is told of the target before the sentence (hf-marian-multilingual).
"""

import pathlib
import sys
import argparse
import itertools
from pathlib import Path

import torch
import transformers

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.toolkit_cases import CASES, words, write_expected
from make_formats_golden import LONGEST, PIECES, SIZES, SMALLER, cases_of, randomise, save, write_json

NLLB = ["deu_Latn", "eng_Latn", "jpn_Jpan"]
MARIAN = [">>deu<<", ">>fra<<", ">>jpn<<"]


def nllb(folder, legacy):
    pieces = ["<s>", "<pad>", "</s>", "<unk>"] + words(0, PIECES - 4 - len(NLLB)) + NLLB
    config = transformers.M2M100Config(
        vocab_size=PIECES, attn_implementation="eager", activation_function="relu", scale_embedding=True, pad_token_id=1,
        bos_token_id=0, eos_token_id=2, decoder_start_token_id=2, max_length=LONGEST, forced_eos_token_id=2, **SIZES)
    model = transformers.M2M100ForConditionalGeneration(config).eval()
    randomise(model)
    with torch.no_grad():
        model.model.shared.weight[1] = 0
    save(model, folder)
    write_json(folder, "vocab.json", {piece: i for i, piece in enumerate(pieces)})
    write_json(folder, "tokenizer_config.json",
               {"legacy_behaviour": True} if legacy else {"src_lang": "deu_Latn", "tgt_lang": "eng_Latn"})
    return model, pieces


def nllb_folder(name, out, legacy):
    """The older folder names neither language: translates from English into the first other one."""
    model, pieces = nllb(out / name, legacy)

    def tokens(source, target):
        source, target = pieces.index(source), pieces.index(target)
        return ([], [2, source], [2, target]) if legacy else ([source], [2], [2, target])
    write(name, out, model, pieces, tokens, list(itertools.permutations(NLLB, 2)))


def marian_folder(name, out):
    pieces = ["</s>", "<unk>"] + words(0, PIECES - 3 - len(MARIAN)) + MARIAN + ["<pad>"]
    config = transformers.MarianConfig(
        vocab_size=PIECES, attn_implementation="eager", activation_function="swish", scale_embedding=True,
        pad_token_id=PIECES - 1, eos_token_id=0, decoder_start_token_id=PIECES - 1, forced_eos_token_id=0, bos_token_id=None,
        max_length=LONGEST, decoder_vocab_size=PIECES, **SMALLER)
    model = transformers.MarianMTModel(config).eval()
    randomise(model)
    with torch.no_grad():
        model.final_logits_bias[0, PIECES - 1] = -1000
        model.get_decoder().embed_tokens.weight[PIECES - 1] = 0
    save(model, out / name)
    write_json(out / name, "vocab.json", {piece: i for i, piece in enumerate(pieces)})
    write_json(out / name, "tokenizer_config.json", {"source_lang": "eng", "target_lang": "mul"})

    def tokens(_, target):
        return [pieces.index(f">>{target}<<")], [0], [PIECES - 1]
    write(name, out, model, pieces, tokens, [("eng", token[2:-2]) for token in MARIAN])


def write(name, out, model, pieces, tokens, directions):
    usable = [i for i, piece in enumerate(pieces) if piece.startswith("▁")]
    generator, cases = torch.Generator().manual_seed(len(name)), []
    for number in range(CASES):
        languages = directions[number % len(directions)]
        before, after, start = tokens(*languages)
        model.generation_config.forced_bos_token_id = start[1] if len(start) > 1 else None
        case = next(cases_of(model, generator, before, after, start, usable))
        case.languages = languages
        cases.append(case)
    write_expected(out / f"{name}.expected", cases, pieces, pieces, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.manual_seed(2)
    torch.set_num_threads(1)
    nllb_folder("hf-nllb", out, False)
    nllb_folder("hf-nllb-legacy", out, True)
    marian_folder("hf-marian-multilingual", out)


if __name__ == "__main__":
    main()
