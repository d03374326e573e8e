#!/usr/bin/env python3
"""Small models that like to produce start tokens and padding, with what transformers and CTranslate2 say of them.

    pip install torch transformers==4.41.2 ctranslate2 safetensors sentencepiece protobuf
    scripts/golden/make_specials_golden.py tests/golden/formats

As make_formats_golden.py, with beams, too. Neither toolkit leaves these tokens out of its search: each of them is in a
translation of every model here, and the translations would be others without it.
"""

import argparse
import functools
import math
import pathlib
import shutil
import sys
from pathlib import Path

import ctranslate2
import torch
import transformers

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import make_bart_golden
import make_formats_golden as formats
import make_t5_golden
from attnscope_reference.toolkit_cases import Case, hypothesis, random_case, write_expected

CASES, BEAM = 6, 3


def finish(make, folder, change, **options):
    """The model that `make` builds, changed and saved again."""
    model, pieces, _ = make(folder, **options)
    with torch.no_grad():
        change(model)
    model.generation_config.early_stopping = True  # which all versions of transformers agree on
    formats.save(model, folder)
    return model, pieces, pieces


def bart(folder):
    """Fine-tuned with <s> before its targets and </s> after them: it begins with one <s> and
    produces another."""
    def change(model):
        model.final_logits_bias[0, :3] = torch.tensor([3.0, 2.5, 2.0])
        model.generation_config.decoder_start_token_id = model.config.decoder_start_token_id = 0
    return finish(make_bart_golden.bart, folder, change)


def marian(folder):
    def change(model):
        model.get_decoder().embed_tokens.weight[-1].normal_(0, 0.8)  # of padding, which is the start token
        model.final_logits_bias[0, -1] = 1
    return finish(formats.marian, folder, change, sizes=formats.SMALLER)


def m2m100(folder):
    """Padding is not produced here: transformers gives it no position inside a translation."""
    def change(model):
        model.model.shared.weight[0] *= 3
    return finish(formats.m2m100, folder, change, sizes=formats.SMALLER)


def t5(folder):
    """Begins with padding."""
    make_t5_golden.t5(folder)
    model = transformers.T5ForConditionalGeneration.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        model.shared.weight[:2] *= 3  # padding and end-of-sentence
    model.generation_config.early_stopping = True
    make_t5_golden.save(model, folder)
    make_t5_golden.configure(folder, scale_decoder_outputs="absent", tie_word_embeddings="absent")
    return model, make_t5_golden.PLAIN, make_t5_golden.PLAIN


# What the toolkits find ------------------------------------------------------------------------------------------------


def text_of(pieces, ids):
    return " ".join(pieces[i] for i in ids if pieces[i].startswith("▁"))


def transformers_search(model, case):
    """[(ids, score)] of a beam, or none if it reaches the maximum length, where ending costs
    nothing."""
    found = model.generate(torch.tensor([case.ids]), num_beams=case.beam, num_return_sequences=case.beam, do_sample=False,
                           early_stopping=True, output_scores=True, return_dict_in_generate=True)
    eos, begin = model.config.eos_token_id, len(case.start)
    if len(found.scores) + 1 >= model.generation_config.max_length:
        return []
    ids = [row[begin:row.index(eos, begin) + 1] for row in found.sequences.tolist()]
    return list(zip(ids, found.sequences_scores.tolist() if case.beam > 1 else [None]))


def ctranslate2_search(translator, pieces, eos, model, case):
    source = [pieces[i] for i in case.ids]
    found = translator.translate_batch([source], beam_size=case.beam, num_hypotheses=case.beam, return_scores=True,
                                       max_decoding_length=20)[0]
    longest = max(map(len, found.hypotheses))
    return [] if longest == 20 else [([pieces.index(piece) for piece in tokens] + [eos], score)
                                     for tokens, score in zip(found.hypotheses, found.scores)]


def search_case(model, pieces, search, case, converted):
    """Sets the hypotheses with transformers' log-probabilities, and CTranslate2's for a converted
    model; returns False if two are close."""
    counted = len(case.start) - 1
    found = search(model, case)
    if any(i >= len(pieces) for ids, _ in found for i in ids):
        return False  # the rows that T5 has without a piece
    for ids, score in found:
        scored = Case(case.source, [], case.ids[len(case.source):], ids, case.start)
        scored.ids = case.ids
        first, *later = formats.forced(model, scored)
        shift = formats.share_of_others(scored, model.config.eos_token_id) if converted else 0
        one = hypothesis(ids, [first - shift, *later], counted=counted)
        assert score is None or math.isclose(one["score"], score, abs_tol=1e-4), (one, score)
        case.hypotheses.append(one | {"text": text_of(pieces, ids)})
    scores = [one["score"] for one in case.hypotheses]
    return bool(found) and all(a - b > 1e-3 for a, b in zip(scores, scores[1:]))


def cases_of(made, search, specials, before, converted):
    """Returns CASES cases with special tokens in their translations; fewer if the model has not as
    many."""
    model, pieces, _ = made
    usable = [i for i, piece in enumerate(pieces) if piece.startswith("▁")]
    eos, language = model.config.eos_token_id, [pieces.index("__de__")] if "__de__" in pieces else []
    start = [model.config.decoder_start_token_id] + language
    generator, cases = torch.Generator().manual_seed(7), []
    for _ in range(40):
        case = random_case(generator, [pieces.index(piece) for piece in before], [eos], start, usable, eos)
        case.beam = [1, BEAM][len(cases) % 2]
        found = search_case(model, pieces, search, case, converted)
        tokens = {i for one in case.hypotheses for i in one["ids"]}
        if found and tokens & {*specials} and tokens <= {*usable, *specials, eos}:
            case.forced = formats.forced(model, case)
            cases.append(case)
    produced = {i for case in cases[:CASES] for one in case.hypotheses for i in one["ids"]}
    return cases[:CASES] if {*specials} < produced - {eos} else []


def folder(name, out, make, specials, before=(), convert=None):
    """Uses the first seed whose model produces everything special, and ends."""
    for seed in range(200):
        torch.manual_seed(seed)
        made = make(out / name)
        search = convert(made, out / name) if convert else transformers_search
        cases = cases_of(made, search, specials, before, convert is not None)
        if len(cases) == CASES:
            write_expected(out / f"{name}.expected", cases, made[1], made[1], 1)
            return
    raise SystemExit(f"{name}: no such model")


def to_ctranslate2(made, path):
    model, pieces, _ = made
    shutil.rmtree(path)
    formats.convert(model, pieces, path.parent / "scratch", path, None)
    translator = ctranslate2.Translator(str(path), compute_type="float32")
    return functools.partial(ctranslate2_search, translator, pieces, model.config.eos_token_id)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.set_num_threads(1)
    folder("hf-bart-specials", out, bart, [0, 1], ["<s>"])
    folder("hf-marian-specials", out, marian, [formats.PIECES - 1])
    folder("hf-m2m100-specials", out, m2m100, [0], ["__en__"])
    folder("hf-t5-specials", out, t5, [0])
    folder("ct2-bart-specials", out, bart, [0, 1], ["<s>"], convert=to_ctranslate2)


if __name__ == "__main__":
    main()
