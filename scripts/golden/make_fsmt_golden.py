#!/usr/bin/env python3
"""A small FSMT as its converter of fairseq's models writes it, with what the transformers package says of it.

    pip install torch 'transformers<5' sacremoses
    scripts/golden/make_fsmt_golden.py tests/golden/formats

See make_formats_golden.py. Sources are texts, which the model's own tokeniser cuts. The configuration leaves out what
the converter leaves out, but for the greatest length, and stops early: version 4, which alone takes the other values of
the search from the model's class, thinks attainable what version 5 does not.
"""

import argparse
import json
import pathlib
import random
import shutil
import sys
from pathlib import Path

import torch
import transformers

import make_formats_golden as formats
# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.toolkit_cases import Case, hypothesis, write_expected

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
SOURCE = SPECIALS + ["a", "b", "c", "a</w>", "b</w>", "c</w>", "ab", "ab</w>", "abc</w>", "@-@</w>", "&quot;</w>", ".</w>"]
TARGET = SPECIALS + ["x", "y", "x</w>", "y</w>", "z</w>", "xy", "xyz</w>", "@-@</w>", ",</w>"]
MERGES = ["a b", "@ -", "@- @</w>", "a b</w>", "ab c</w>", "& q", "&q u", "&qu o", "&quo t", "&quot ;</w>"]
WORDS = ["abc", "ab", "a-b", "cab-ab", "“c”", "cb", "."]
CONFIG = dict(
    architectures=["FSMTForConditionalGeneration"], model_type="fsmt", activation_dropout=0.0, activation_function="relu",
    attention_dropout=0.1, d_model=8, dropout=0.2, init_std=0.02, max_position_embeddings=24, num_hidden_layers=2,
    src_vocab_size=len(SOURCE), tgt_vocab_size=len(TARGET), langs=["en", "de"], encoder_attention_heads=2, encoder_ffn_dim=12,
    encoder_layerdrop=0, encoder_layers=2, decoder_attention_heads=2, decoder_ffn_dim=10, decoder_layerdrop=0,
    decoder_layers=2, bos_token_id=0, pad_token_id=1, eos_token_id=2, is_encoder_decoder=True, scale_embedding=True,
    tie_word_embeddings=False, num_beams=3, early_stopping=True, length_penalty=1.1, max_length=formats.LONGEST)
CASES, BEAM = 4, 3


def write(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for side, pieces in (("src", SOURCE), ("tgt", TARGET)):
        formats.write_json(folder, f"vocab-{side}.json", {piece: i for i, piece in enumerate(pieces)})
    (folder / "merges.txt").write_text("".join(f"{merge}\n" for merge in MERGES), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=2))
    formats.write_json(folder, "tokenizer_config.json",
                       {"langs": ["en", "de"], "model_max_length": 1024, "do_lower_case": False})
    model = transformers.FSMTForConditionalGeneration(transformers.FSMTConfig(**CONFIG)).eval()
    formats.randomise(model)
    tensors = {name: tensor.half() for name, tensor in model.state_dict().items() if "embed_positions" not in name}
    torch.save(tensors, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)


def case_of(model, tokenizer, choose, beam):
    text = " ".join(choose.choice(WORDS) for _ in range(choose.randint(1, 4)))
    ids = tokenizer(text).input_ids
    target = [choose.randrange(len(SPECIALS), len(TARGET)) for _ in range(choose.randint(1, 5))]
    case = Case(ids[:-1], [], ids[-1:], target + [2], [2])
    case.text = text
    if beam > 1:
        case.beam, case.hypotheses = beam, formats.beam_search(model, case, beam)
    else:
        ids = formats.greedy(model, case)
        case.hypotheses = [hypothesis(ids, formats.forced(model, Case(case.source, [], case.ids[-1:], ids, [2])), 1.1)]
    if not case.hypotheses or len(set(case.hypotheses[0]["ids"])) < 3 or any(i < 4 for one in case.hypotheses for i in one["ids"][:-1]):
        return None
    for one in case.hypotheses:
        one["text"] = tokenizer.convert_tokens_to_string([TARGET[i] for i in one["ids"][:-1]])
    case.forced = formats.forced(model, case)
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.manual_seed(2)
    torch.set_num_threads(1)
    write(out / "hf-fsmt")
    model = transformers.FSMTForConditionalGeneration.from_pretrained(out / "hf-fsmt").eval()
    tokenizer = transformers.FSMTTokenizer.from_pretrained(out / "hf-fsmt")
    choose, cases = random.Random(1), []
    while len(cases) < CASES:
        case = case_of(model, tokenizer, choose, BEAM if len(cases) % 2 else 1)
        cases += [case] if case else []
    write_expected(out / "hf-fsmt.expected", cases, SOURCE, TARGET, 1)


if __name__ == "__main__":
    main()
