#!/usr/bin/env python3
"""A small IndicTrans2 with what its own code says of it.

    pip install torch 'transformers==4.41.2' sentencepiece protobuf
    scripts/golden/make_indictrans_golden.py INTERFACE tests/golden/formats

INTERFACE is the folder huggingface_interface of github.com/AI4Bharat/IndicTrans2, whose modeling_indictrans.py is that of
the published models. Sources are cut as their tokenization_indictrans.py does: the tokens of both languages, the pieces of
the source's SentencePiece model, </s>. See make_formats_golden.py.
"""

import argparse
import importlib
import pathlib
import shutil
import sys
from pathlib import Path

import torch

import make_formats_golden as formats
# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.toolkit_cases import hypothesis, random_case, spell, words, write_expected, write_sentencepiece

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
SOURCE = SPECIALS + ["eng_Latn", "hin_Deva"] + words(0, 10)
TARGET = SPECIALS + words(0, 9, "z")
SIZES = dict(encoder_vocab_size=len(SOURCE), decoder_vocab_size=len(TARGET), encoder_embed_dim=8, decoder_embed_dim=8,
             max_source_positions=24, max_target_positions=24, encoder_layers=2, encoder_ffn_dim=12,
             encoder_attention_heads=2, decoder_layers=1, decoder_ffn_dim=10, decoder_attention_heads=2)
CASES, BEAM = 4, 3


def write(folder, code):
    config = code.IndicTransConfig(**SIZES, activation_function="gelu", encoder_normalize_before=True,
                                   decoder_normalize_before=True, layernorm_embedding=True,
                                   share_decoder_input_output_embed=False, attn_implementation="eager",
                                   max_length=formats.LONGEST, num_beams=BEAM, early_stopping=True,
                                   forced_eos_token_id=2)
    model = code.IndicTransForConditionalGeneration(config).eval()
    formats.randomise(model)
    with torch.no_grad():
        model.lm_head.weight[2] *= 1.5  # so that translations end
    shutil.rmtree(folder, ignore_errors=True)
    formats.save(model.half(), folder)
    for side, pieces in (("SRC", SOURCE), ("TGT", TARGET)):
        formats.write_json(folder, f"dict.{side}.json", {piece: i for i, piece in enumerate(pieces)})
        write_sentencepiece(folder / f"model.{side}", [piece for piece in pieces if "_" not in piece])
    return code.IndicTransForConditionalGeneration.from_pretrained(folder, torch_dtype=torch.float32,
                                                                   attn_implementation="eager").eval()


def case_of(model, generator, beam):
    case = random_case(generator, [4, 5], [2], [2], list(range(6, len(TARGET))), 2)
    case.target = [token - 2 for token in case.target[:-1]] + [2]
    if beam > 1:
        case.beam, case.hypotheses = beam, formats.beam_search(model, case, beam)
    else:
        ids = formats.greedy(model, case)
        made = formats.Case(case.source, [4, 5], [2], ids, [2])
        case.hypotheses = [hypothesis(ids, formats.forced(model, made))]
    if not case.hypotheses or len(case.hypotheses[0]["ids"]) < 3 or any(i < 4 for one in case.hypotheses for i in one["ids"][:-1]):
        return None
    case.forced, case.step = formats.forced(model, case), 3
    spell(case, SOURCE, TARGET)
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("interface", type=Path)
    parser.add_argument("out", type=Path, help="the folder that is written")
    given = parser.parse_args()
    sys.path.insert(0, str(given.interface.resolve().parent))
    code = importlib.import_module(f"{given.interface.name}.modeling_indictrans")
    torch.set_num_threads(1)
    for seed in range(50):  # until enough translations end
        torch.manual_seed(seed)
        model = write(given.out / "hf-indictrans", code)
        generator, cases = torch.Generator().manual_seed(1), []
        for _ in range(60):
            case = case_of(model, generator, BEAM if len(cases) % 2 else 1)
            cases += [case] if case else []
            if len(cases) == CASES:
                write_expected(given.out / "hf-indictrans.expected", cases, SOURCE, TARGET, 1)
                return
    sys.exit("too few translations end")


if __name__ == "__main__":
    main()
