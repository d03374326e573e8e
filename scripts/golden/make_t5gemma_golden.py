#!/usr/bin/env python3
"""A small T5Gemma as the transformers package writes it, with what that says of it.

    pip install torch 'transformers<5' tokenizers
    scripts/golden/make_t5gemma_golden.py tests/golden/formats

See make_formats_golden.py. Sources are texts, which the model's own tokeniser cuts: Gemma's steps with pieces of our
own. Windows, caps and the scalar are so small that they matter to short sentences. Version 5 of the package differs in
one thing: windows of the encoder reach one token farther. The cache of version 4 cuts the keys of cross-attention to
the window, too, against the model's own mask; so it is not used.
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
from transformers import T5GemmaConfig, T5GemmaModuleConfig

from absent_packages import leave_out
leave_out(["ctranslate2", "ctranslate2.converters", "ctranslate2.converters.transformers"])
import make_formats_golden as formats  # noqa: E402
# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.toolkit_cases import Case, hypothesis, write_expected  # noqa: E402

SPECIALS = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>"]
MERGES = ["▁ ▁", "▁ a", "a b", "▁a b", "b c", "▁ c", "\n \n"]
PIECES = SPECIALS + ["\n", "<0xC3>", "<0xA4>", "<0x0A>", "▁", "a", "b", "c", "."] + \
    [merge.replace(" ", "") for merge in MERGES]
WORDS = ["ab", "abc", "cab", "a", "ä", "b.", "c", "<start_of_turn>", "bäx"]
STACK = dict(hidden_size=8, intermediate_size=10, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             head_dim=4, query_pre_attn_scalar=3, sliding_window=3, attn_logit_softcapping=2.0,
             final_logit_softcapping=4.0, max_position_embeddings=32)
CASES, BEAM = 3, 3


def tokenizer():
    added = [{"id": i, "content": piece, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": piece != "\n"} for i, piece in enumerate(PIECES) if piece in SPECIALS + ["\n", "\n\n"]]
    blank = {"String": " "}
    bos, text = {"SpecialToken": {"id": "<bos>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": {"type": "Replace", "pattern": blank, "content": "▁"},
            "pre_tokenizer": {"type": "Split", "pattern": blank, "behavior": "MergedWithPrevious", "invert": False},
            "post_processor": {"type": "TemplateProcessing", "single": [bos, text], "pair": [bos, text],
                               "special_tokens": {"<bos>": {"id": "<bos>", "ids": [2], "tokens": ["<bos>"]}}},
            "decoder": {"type": "Sequence", "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]},
            "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                      "vocab": {piece: i for i, piece in enumerate(PIECES)},
                      "merges": [merge.split(" ") for merge in MERGES]}}


def randomise(model):
    """Embeddings are small, so that a token does not predict itself."""
    torch.manual_seed(3)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0, 0.2 if "norm" in name or "bias" in name else 0.3 if "embed" in name else 0.5)
        model.get_decoder().norm.weight += 2
        model.get_decoder().embed_tokens.weight[1] *= 1.3  # so that translations end


def write(folder):
    shutil.rmtree(folder, ignore_errors=True)
    config = T5GemmaConfig(encoder=T5GemmaModuleConfig(**STACK, attention_bias=True),
                           decoder=T5GemmaModuleConfig(**STACK | {"rope_theta": 100.0, "num_key_value_heads": 1}),
                           vocab_size=len(PIECES))
    model = transformers.T5GemmaForConditionalGeneration(config).eval()
    randomise(model)
    model.generation_config.max_length, model.generation_config.num_beams = formats.LONGEST, BEAM
    model.generation_config.early_stopping, model.generation_config.suppress_tokens = True, [0]
    model.half().save_pretrained(folder)
    formats.write_json(folder, "tokenizer.json", tokenizer())
    formats.write_json(folder, "tokenizer_config.json", {
        "tokenizer_class": "GemmaTokenizer", "add_bos_token": True, "add_eos_token": False, "bos_token": "<bos>",
        "eos_token": "<eos>", "pad_token": "<pad>", "unk_token": "<unk>", "clean_up_tokenization_spaces": False})


def case_of(model, tokeniser, choose, beam):
    text = " ".join(choose.choice(WORDS) for _ in range(choose.randint(1, 3)))
    ids = tokeniser(text).input_ids
    case = Case(ids[1:], ids[:1], [], [choose.randrange(5, len(PIECES)) for _ in range(choose.randint(1, 4))] + [1], [2])
    case.text, case.step = text, 4
    if beam > 1:
        case.beam, case.hypotheses = beam, formats.beam_search(model, case, beam)
    else:
        ids = formats.greedy(model, case)
        case.hypotheses = [hypothesis(ids, formats.forced(model, Case(case.source, [2], [], ids, [2])))]
    if not case.hypotheses or len(set(case.hypotheses[0]["ids"])) < (3 if beam == 1 else 2):
        return None
    for one in case.hypotheses:
        one["text"] = tokeniser.decode([i for i in one["ids"] if i > 2])  # as attnscope shows it
        if "\n" in one["text"]:
            return None
    case.forced = formats.forced(model, case)
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    folder = parser.parse_args().out / "hf-t5gemma"
    torch.set_num_threads(1)
    write(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager",
                                                               dtype=torch.float32).eval()
    model.generation_config.use_cache = False
    tokeniser = transformers.AutoTokenizer.from_pretrained(folder)
    choose, cases = random.Random(1), []
    while len(cases) < CASES:
        case = case_of(model, tokeniser, choose, 1 if len(cases) % 2 else BEAM)
        cases += [case] if case else []
    shown = [piece.replace("\n", "<0x0A>") for piece in PIECES]
    write_expected(folder.with_suffix(".expected"), cases, shown, shown, 1)
    print(json.dumps([[case.text, case.hypotheses[0]["text"]] for case in cases], ensure_ascii=False))


if __name__ == "__main__":
    main()
