#!/usr/bin/env python3
"""Small T5 models as the transformers package and CTranslate2 write them, with what these say of them.

    pip install torch transformers ctranslate2 sentencepiece protobuf
    scripts/golden/make_t5_golden.py tests/golden/formats

See make_formats_golden.py. Sources are long enough for every bucket of relative positions.
"""

import pathlib
import sys
import argparse
import json
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file
from sentencepiece import sentencepiece_model_pb2
from transformers.models.gpt2.tokenization_gpt2 import bytes_to_unicode

import make_formats_golden as formats
# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from attnscope_reference.toolkit_cases import CASES, Case, hypothesis, spell, words, write_expected

PIECES = ["<pad>", "</s>", "<unk>", "<2de>", "<2fr>"] + words(0, 19)
PLAIN = [piece.replace("<2", "▁<2") for piece in PIECES]  # of models that are not told of languages
LONGEST = 12
SIZES = dict(vocab_size=len(PIECES) + 2, d_model=16, d_kv=5, d_ff=20, num_layers=2, num_decoder_layers=1,
             num_heads=3, relative_attention_num_buckets=8, relative_attention_max_distance=10)


def randomise(model):
    """Energies are not divided by the root of the heads' size, so queries are smaller than
    elsewhere."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
            elif "relative" in name:
                parameter.normal_(0, 0.8)
            else:
                parameter.normal_(0, 0.2 if name.endswith(".q.weight") else 0.4)


def rewrite(folder, change):
    """Replaces the folder's tensors."""
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, metadata={"format": "pt"})


def configure(folder, **fields):
    path = folder / "config.json"
    config = json.loads(path.read_text()) | fields
    formats.write_json(folder, "config.json", {key: value for key, value in config.items() if value != "absent"})


def write_tokenizer(folder, pieces=PIECES):
    formats.write_json(folder, "tokenizer.json", {
        "model": {"type": "Unigram", "vocab": [[piece, -float(i)] for i, piece in enumerate(pieces)]}})


def save(model, folder):
    model.generation_config.max_length = LONGEST
    model.generation_config.forced_eos_token_id = 1
    model.save_pretrained(folder)


def model_of(folder, kind, config, **fields):
    randomise(model := kind(config).eval())
    save(model, folder)
    configure(folder, **fields)
    return model


def t5(folder):
    """Version 1.0, whose output is tied and scaled. Configurations of its time state neither."""
    config = transformers.T5Config(**SIZES, feed_forward_proj="relu", decoder_start_token_id=0, num_beams=4)
    model_of(folder, transformers.T5ForConditionalGeneration, config, scale_decoder_outputs="absent",
             tie_word_embeddings="absent")
    write_tokenizer(folder, PLAIN)


def t5_gated(folder, kind=transformers.T5ForConditionalGeneration, config=transformers.T5Config, proj="gated-gelu"):
    """Version 1.1, mT5, MADLAD: with a gate, and a separate output that is not scaled."""
    config = config(**SIZES, feed_forward_proj=proj, decoder_start_token_id=0, tie_word_embeddings=False)
    model_of(folder, kind, config, scale_decoder_outputs="absent", tie_word_embeddings=False)
    rewrite(folder, lambda tensors: tensors.update({"lm_head.weight": 0.4 * torch.randn(SIZES["vocab_size"], 16)}))


def madlad(folder):
    """Sources begin with the token of the language to translate into."""
    t5_gated(folder)
    write_tokenizer(folder)


def mt5(folder):
    """Its pieces are only in the SentencePiece model."""
    t5_gated(folder, transformers.MT5ForConditionalGeneration, transformers.MT5Config, "gated-silu")
    write_sentencepiece(folder)


def write_sentencepiece(folder):
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = 1
    proto.trainer_spec.pad_id, proto.trainer_spec.eos_id, proto.trainer_spec.unk_id = 0, 1, 2
    proto.trainer_spec.bos_id = -1
    proto.trainer_spec.pad_piece = "<pad>"
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = True
    types = {"<pad>": 3, "</s>": 3, "<unk>": 2}
    for i, piece in enumerate(PLAIN):
        proto.pieces.add(piece=piece, score=0.0 if i < 3 else -1.0 - 0.1 * i, type=types.get(piece, 1))
    (folder / "spiece.model").write_bytes(proto.SerializeToString(deterministic=True))


def umt5(folder):
    """Every layer has its own bias of relative positions. Weights are stored as float16."""
    torch.manual_seed(6)
    sizes = SIZES | dict(d_model=8, d_kv=3, d_ff=10, num_decoder_layers=2, num_heads=2)
    config = transformers.UMT5Config(**sizes, tie_word_embeddings=False, scalable_attention=True)
    randomise(model := transformers.UMT5ForConditionalGeneration(config).eval())
    with torch.no_grad():  # so that translations are words, and end
        others = [i for i in range(SIZES["vocab_size"]) if i != 1 and i not in usable_ids()]
        model.lm_head.weight[others] *= 0.1
        model.lm_head.weight[1] *= 3
    save(model.half(), folder)
    configure(folder, scale_decoder_outputs="absent", tie_word_embeddings=False)
    write_sentencepiece(folder)


BYTES = ["<pad>", "</s>", "<unk>"] + [bytes_to_unicode()[byte] for byte in range(256)]  # as GPT-2 spells them
LETTERS = "abcdefghijklmnop .ä€"


def byt5(folder):
    """Its tokeniser has no file."""
    sizes = SIZES | {"vocab_size": len(BYTES) + 5}
    config = transformers.T5Config(**sizes, feed_forward_proj="gated-gelu", decoder_start_token_id=0,
                                   tie_word_embeddings=False)
    model_of(folder, transformers.T5ForConditionalGeneration, config, scale_decoder_outputs="absent",
             tie_word_embeddings=False)
    output = 0.1 * torch.randn(sizes["vocab_size"], 16)
    output[[1] + [3 + ord(letter) for letter in LETTERS if ord(letter) < 128]] *= 5  # so that translations are text
    rewrite(folder, lambda tensors: tensors.update({"lm_head.weight": output}))
    transformers.ByT5Tokenizer(extra_ids=5).save_pretrained(folder)


def bytes_case(generator):
    """Text of one, two and three bytes a letter."""
    def some(count):
        picked = torch.randint(0, len(LETTERS), (count,), generator=generator).tolist()
        text = "".join(LETTERS[i] for i in picked).strip() or "a"
        return text, [3 + byte for byte in text.encode()]
    text, source = some(int(torch.randint(1, 9, (1,), generator=generator)))
    case = Case(source, [], [1], some(int(torch.randint(1, 8, (1,), generator=generator)))[1] + [1], [0])
    case.text = text
    return case


def hugging_face_bytes(name, out):
    byt5(out / name)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(out / name, attn_implementation="eager").eval()
    generator, cases = torch.Generator().manual_seed(len(name)), []
    while len(cases) < CASES // 2:
        case = bytes_case(generator)
        ids = formats.greedy(model, case)
        if all(3 <= i < 131 for i in ids[:-1]):
            made = hypothesis(ids, formats.forced(model, Case(case.source, [], [1], ids, [0])))
            case.hypotheses = [made | {"text": bytes(i - 3 for i in ids[:-1]).decode()}]
            case.forced, case.step = formats.forced(model, case), 16
            cases.append(case)
    pieces = BYTES + [f"<extra_id_{i}>" for i in range(5)]
    write_expected(out / f"{name}.expected", cases, pieces, pieces, 1)


def tied_gated(folder):
    """For CTranslate2, whose converter assumes that every T5's output is tied and scaled."""
    config = transformers.T5Config(**SIZES, feed_forward_proj="gated-gelu", decoder_start_token_id=0,
                                   attn_implementation="eager")
    model = model_of(folder, transformers.T5ForConditionalGeneration, config)
    with torch.no_grad():
        model.shared.weight[1] *= 3  # so that translations end
    pieces = PLAIN + [f"<extra_id_{i}>" for i in range(SIZES["vocab_size"] - len(PLAIN))]
    return model, pieces, pieces


# Cases ----------------------------------------------------------------------------------------------------------------


def random_case(generator, usable, before):
    def some(least, most):
        count = int(torch.randint(least, most, (1,), generator=generator))
        return [usable[i] for i in torch.randint(0, len(usable), (count,), generator=generator).tolist()]
    return Case(some(1, 14), before, [1], some(1, 10) + [1], [0])


def cases_of(model, generator, usable, before):
    while True:
        case = random_case(generator, usable, before)
        ids = formats.greedy(model, case)
        if set(ids[:-1]) <= set(usable):
            case.hypotheses = [hypothesis(ids, formats.forced(model, Case(case.source, before, [1], ids, [0])))]
            case.forced = formats.forced(model, case)
            yield case


def usable_ids():
    return [i for i, piece in enumerate(PIECES) if piece.startswith("▁")]


def searched_cases(model, generator, usable, beam):
    """Cases with the hypotheses of a beam search."""
    while True:
        case = random_case(generator, usable, [])
        case.beam, case.hypotheses = beam, formats.beam_search(model, case, beam)
        if case.hypotheses and all(set(one["ids"][:-1]) <= set(usable) for one in case.hypotheses):
            case.forced = formats.forced(model, case)
            yield case


def hugging_face(name, out, make, pieces=PLAIN, spelt=False, number=8, beam=1):
    """spelt: the folder has a SentencePiece model, so that words have no marks when typed and
    shown. beam: for the second half of the cases, unless it is 1."""
    make(out / name)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(out / name, attn_implementation="eager",
                                                               torch_dtype=torch.float32).eval()
    usable = usable_ids()
    before = [pieces.index("<2de>")] if "<2de>" in pieces else []
    found = cases_of(model, torch.Generator().manual_seed(len(name)), usable, before)
    cases = [next(found) for _ in range(number)]
    if beam > 1:
        found = searched_cases(model, torch.Generator().manual_seed(beam), usable, beam)
        cases[number // 2:] = [next(found) for _ in range(number - number // 2)]
        for case in cases:
            case.step = 4
    target = pieces + [f"<id {i}>" for i in range(len(PIECES), SIZES["vocab_size"])]
    if spelt:
        for case in cases:
            spell(case, pieces, target)
    write_expected(out / f"{name}.expected", cases, pieces, target, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(5)
    torch.set_num_threads(1)
    hugging_face("hf-t5", out, t5)
    hugging_face("hf-madlad", out, madlad, PIECES)
    hugging_face("hf-mt5", out, mt5, spelt=True)
    hugging_face_bytes("hf-byt5", out)
    formats.random_case = lambda generator, before, after, start, usable, eos: random_case(generator, usable, [])
    formats.ctranslate2_folder("ct2-t5", out, tied_gated)
    hugging_face("hf-umt5", out, umt5, spelt=True, number=4, beam=3)


if __name__ == "__main__":
    main()
