#!/usr/bin/env python3
"""Small models of torch.nn.Transformer, and of a tutorial's layout, with what PyTorch says of them in float64.

    pip install torch safetensors numpy; pip install --no-deps annalog==1.0.6
    scripts/golden/make_nn_transformer_golden.py tests/golden/formats

annalog has the classes of the tutorial "Attention is All You Need" of pytorch-seq2seq. Every model is a folder NAME/ of
random weights with its attnscope.json; NAME.expected has the numbers of ten random sources in the form of the other
golden data: greedy translations, log-probabilities and every attention weight.
"""

import argparse
import copy
import json
import math
import pathlib
import pickle
import shutil
import sys
from pathlib import Path

import torch
from torch import nn

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from absent_packages import leave_out
from attnscope_reference.toolkit_cases import best_ids, hypothesis, random_case, write_expected

leave_out(["partialsmiles", "rdkit", "rdkit.Chem"])

from annalog.model_files import seq2seq_attention as tutorial  # noqa: E402

WIDTH, HEADS, LAYERS, FFN, POSITIONS = 8, 2, 2, 12, 40
MOST = 12  # tokens of a translation
CASES, SEARCHED, TRIED = 10, 8, 100  # cases; those at least with a translation that ends; of so many
PAD, UNK, START, END = range(4)
SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]


class Positions(nn.Module):
    """As PyTorch's own tutorials compute them."""

    def __init__(self, batch_first):
        super().__init__()
        position = torch.arange(POSITIONS).unsqueeze(1)
        steps = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
        table = torch.zeros(POSITIONS, WIDTH)
        table[:, 0::2], table[:, 1::2] = torch.sin(position * steps), torch.cos(position * steps)
        self.register_buffer("pe", table.unsqueeze(0 if batch_first else 1))


class Translator(nn.Module):
    """The code that users write around nn.Transformer."""

    def __init__(self, sizes, norm_first, activation, learned):
        super().__init__()
        self.transformer = nn.Transformer(WIDTH, HEADS, LAYERS, LAYERS, FFN, 0.1, activation, batch_first=True,
                                          norm_first=norm_first)
        self.src_tok_emb = nn.Embedding(sizes[0], WIDTH)
        self.tgt_tok_emb = self.src_tok_emb if learned else nn.Embedding(sizes[1], WIDTH)
        self.generator = nn.Linear(WIDTH, sizes[1])
        if learned:
            self.pos_emb = nn.Embedding(POSITIONS, WIDTH)
        else:
            self.positional_encoding = Positions(batch_first=False)

    def embed(self, table, ids):
        if hasattr(self, "pos_emb"):
            return table(ids) + self.pos_emb(torch.arange(ids.size(1)))
        return table(ids) * math.sqrt(WIDTH) + self.positional_encoding.pe[:ids.size(1), 0]

    def forward(self, source, target):
        mask = self.transformer.generate_square_subsequent_mask(target.size(1)).to(torch.float64)
        out = self.transformer(self.embed(self.src_tok_emb, source), self.embed(self.tgt_tok_emb, target), tgt_mask=mask)
        return self.generator(out)


class Tutorial(tutorial.Seq2Seq):
    def __init__(self, sizes):
        device = torch.device("cpu")
        super().__init__(tutorial.Encoder(sizes[0], WIDTH, LAYERS, HEADS, FFN, 0.1, device, POSITIONS),
                         tutorial.Decoder(sizes[1], WIDTH, LAYERS, HEADS, FFN, 0.1, device, POSITIONS), PAD, PAD, device)

    def forward(self, source, target):
        mask, causal = torch.ones(1, 1, 1, source.size(1)), torch.ones(target.size(1), target.size(1)).tril()[None, None]
        return self.decoder(target, self.encoder(source, mask), causal, mask)[0]


# What PyTorch says ----------------------------------------------------------------------------------------------------


class Attention:
    """Records the weights of every attention while the model runs, in the order of calls."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.seen, self.hooks, self.own = [], [], nn.MultiheadAttention.forward

        def forward(module, *given, **options):
            out = self.own(module, *given, **options | {"need_weights": True, "average_attn_weights": False})
            self.seen.append(out[1][0].detach())
            return out
        nn.MultiheadAttention.forward = forward
        for module in self.model.modules():
            if isinstance(module, tutorial.MultiHeadAttentionLayer):
                hook = module.register_forward_hook(lambda _, __, out: self.seen.append(out[1][0].detach()))
                self.hooks.append(hook)
        return self.seen

    def __exit__(self, *_):
        nn.MultiheadAttention.forward = self.own
        for hook in self.hooks:
            hook.remove()


def forced(model, case):
    source, inputs = torch.tensor([case.ids]), torch.tensor([case.start + case.target[:-1]])
    encoder, encoded = model.encoder if isinstance(model, Tutorial) else model.transformer.encoder, []
    hook = encoder.register_forward_hook(lambda _, __, out: encoded.append(out[0].detach()))
    with Attention(model) as seen:  # with gradients: without them PyTorch takes a fast path for whole layers
        logits = model(source, inputs)[0].detach()
    hook.remove()
    assert len(seen) == 3 * LAYERS
    for i in range(LAYERS):
        case.tensors[f"encoder.{i}.weights"] = seen[i]
        case.tensors[f"decoder.{i}.weights"] = seen[LAYERS + 2 * i]
        case.tensors[f"cross.{i}.weights"] = seen[LAYERS + 2 * i + 1]
    logprobs = logits.log_softmax(-1)
    case.tensors |= {"encoder.output": encoded[0], "logits": logits, "logprobs": logprobs}
    return [logprobs[row, token].item() for row, token in enumerate(case.target)]


def greedy(model, case):
    """Sets the case's translation to the best tokens; returns False if they are unsuitable."""
    ids = best_ids(case, lambda case, ids: model(torch.tensor([case.ids]), torch.tensor([case.start + ids]))[0, -1],
                   END, MOST)
    if not ids:
        return False
    scored = copy.deepcopy(case)
    scored.target = ids
    case.hypotheses = [hypothesis(ids, forced(model, scored), 0.0)]
    return True


def expected(path, model, pieces, around, characters):
    """Writes the cases, those with a translation first; returns False if too few have one."""
    usable = list(range(len(SPECIALS), len(pieces[0])))
    generator = torch.Generator().manual_seed(len(path.name))
    ended, others = [], []
    for _ in range(TRIED):
        case = random_case(generator, around[0], around[1], [START], [i for i in usable if i < len(pieces[1])], END)
        (ended if greedy(model, case) else others).append(case)
        if len(ended) == CASES:
            break
    if len(ended) < SEARCHED:
        return False
    cases = (ended + others)[:CASES]
    for case in cases:
        case.forced = forced(model, case)
        if characters:
            case.text = "".join(pieces[0][i] for i in case.source)
            for one in case.hypotheses:
                one["text"] = "".join(pieces[1][i] for i in one["ids"][:-1])
    write_expected(path, cases, *pieces, 1)
    return True


# Models ---------------------------------------------------------------------------------------------------------------


def randomise(model):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.copy_(name.endswith("weight") + 0.1 * torch.randn_like(parameter))
            else:
                parameter.normal_(0, 0.5 if parameter.dim() > 1 else 0.2)


def build(kind, sizes):
    if kind == "tutorial":
        return Tutorial(sizes)
    return Translator(sizes, kind == "pre", "gelu" if kind == "pre" else "relu", kind == "pre")


def save(folder, model, kind, pieces):
    """Saves weights and vocabularies like training programs."""
    state, maps = model.state_dict(), [{piece: i for i, piece in enumerate(side)} for side in pieces]
    if kind == "post":
        torch.save(state, folder / "best_model.pth")
        for side, name in zip(maps, ("src", "tgt")):
            (folder / f"{name}.json").write_text(json.dumps(side), encoding="utf-8")
    elif kind == "pre":
        torch.save({"epoch": 3, "model_state_dict": state, "optimizer_state_dict": {"state": {}, "param_groups": []},
                    "char2idx": maps[0]}, folder / "checkpoint.pt")
    else:
        torch.save(state, folder / "tut6-model.pt")
        (folder / "src.pkl").write_bytes(pickle.dumps({"itos": pieces[0], "stoi": maps[0]}))
        (folder / "trg.txt").write_text("".join(f"{piece}\n" for piece in pieces[1]), encoding="utf-8")


DESCRIPTIONS = {
    "post": {"heads": HEADS, "embedding_scale": True,
             "embeddings": {"source": "src_tok_emb", "target": "tgt_tok_emb.weight"}, "output": "generator",
             "positions": "positional_encoding.pe", "vocabulary": {"source": "src.json", "target": "tgt.json"},
             "pad": "<pad>", "unk": "<unk>", "source": {"start": None, "end": "</s>"},
             "target": {"start": "<s>", "end": "</s>"}, "max_length": {"factor": 1, "plus": 10}},
    "pre": {"weights": "checkpoint.pt", "name": "letters", "heads": {"encoder": HEADS, "decoder": HEADS},
            "norm_first": True, "activation": "gelu", "embedding_scale": False,
            "embeddings": {"source": "src_tok_emb", "target": "tgt_tok_emb"}, "output": "generator", "positions": "pos_emb", "vocabulary": "char2idx", "tokenizer": "characters",
            "pad": "<pad>", "unk": "<unk>", "source": {"start": "<s>", "end": "</s>"},
            "target": {"start": "<s>", "end": "</s>"}, "max_length": 20},
    "tutorial": {"heads": HEADS, "embedding_scale": True, "vocabulary": {"source": "src.pkl", "target": "trg.txt"},
                 "pad": "<pad>", "unk": "<unk>", "source": {"start": "<s>", "end": "</s>"},
                 "target": {"start": "<s>", "end": "</s>"}, "max_length": 20},
}


def write(out, kind):
    folder = out / f"nn-transformer-{kind}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "attnscope.json").write_text(json.dumps(DESCRIPTIONS[kind], indent=1) + "\n", encoding="utf-8")
    characters = kind == "pre"
    pieces = [SPECIALS + [chr(97 + i) if characters else f"{mark}{i}" for i in range(count)]
              for mark, count in (("w", 19), ("z", 19 if characters else 18))]
    around = [[] if kind == "post" else [START], [END]]
    for seed in range(200):  # until enough translations end
        torch.manual_seed(seed)
        model = build(kind, [len(side) for side in pieces]).eval()
        randomise(model)
        save(folder, model, kind, pieces)
        if expected(out / f"{folder.name}.expected", model.double(), pieces, around, characters):
            return
    sys.exit(f"{folder.name}: too few translations end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.set_num_threads(1)
    for kind in DESCRIPTIONS:
        write(out, kind)


if __name__ == "__main__":
    main()
