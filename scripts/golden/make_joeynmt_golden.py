#!/usr/bin/env python3
"""Small models of JoeyNMT as the package saves them, with what it says of them.

    pip install torch safetensors sentencepiece subword-nmt pyyaml numpy importlib_metadata==6.8.0 zipp
    pip install --no-deps joeynmt==2.3.0
    scripts/golden/make_joeynmt_golden.py tests/golden/formats

Every model is a folder NAME/ of random weights; NAME.expected has the numbers of twenty random sources in the form of
the other golden data: greedy translations, log-probabilities and every attention weight, which is what the softmax of
each attention gives. Beams are not compared: those of the package hold finished hypotheses as well.
"""

import pathlib
import argparse
import copy
import shutil
import sys
import types
from pathlib import Path

import torch
import yaml

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from absent_packages import leave_out
from attnscope_reference.toolkit_cases import CASES, hypothesis, random_case, words, write_expected

PIECES = 28
POSITIONS = 24  # instead of 5000, so that files are small
MOST = 12  # tokens of a translation
SEARCHED = 6  # cases at least with a translation that ends


leave_out(["sacrebleu", "sacrebleu.metrics", "datasets", "matplotlib", "matplotlib.figure", "matplotlib.pyplot",
           "matplotlib.backends", "matplotlib.backends.backend_pdf", "subword_nmt", "torch.utils.tensorboard"])

from joeynmt.batch import Batch  # noqa: E402
from joeynmt.config import _check_special_symbols  # noqa: E402
from joeynmt.model import build_model  # noqa: E402
from joeynmt.search import search  # noqa: E402
from joeynmt.transformer_layers import MultiHeadedAttention, PositionalEncoding  # noqa: E402
from joeynmt.vocabulary import build_vocab  # noqa: E402

PositionalEncoding.__init__.__defaults__ = (0, POSITIONS)


def stack(**given):
    return {"type": "transformer", "num_layers": 2, "num_heads": 2, "hidden_size": 8, "ff_size": 12, "dropout": 0.1,
            "embeddings": {"embedding_dim": 8, "scale": given.pop("scale", True)}} | given


def config(folder, model, stacks=({}, {}), testing=None):
    """The configuration that training writes beside its checkpoints."""
    sides = [{"lang": lang, "level": "bpe", "lowercase": False, "tokenizer_type": "sentencepiece",
              "voc_file": f"data/{side}_vocab.txt"} for lang, side in (("en", "src"), ("de", "trg"))]
    return {"name": folder.name, "joeynmt_version": "2.3.0", "model_dir": f"models/{folder.name}",
            "data": {"train": "data/train", "dataset_type": "plain", "src": sides[0], "trg": sides[1]},
            "testing": testing or {"beam_size": 5, "beam_alpha": 1.0},
            "training": {"optimizer": "adam", "batch_size": 64, "learning_rate": 5.0e-4},
            "model": {"initializer": "xavier_uniform"} | model | {"encoder": stack(**stacks[0]),
                                                                  "decoder": stack(**stacks[1])}}


def vocabularies(cfg, folder, shared):
    special = types.SimpleNamespace(**_check_special_symbols({}))
    for side, mark in (("src", "w"), ("trg", "w" if shared else "z")):
        lines = ["<unk>", "<pad>", "<s>", "</s>"] + words(0, PIECES - (4 if shared or side == "src" else 8), mark)
        (folder / f"{side}_vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = {"src": {"lang": "en"}, "trg": {"lang": "de"}, "special_symbols": special}
    return build_vocab(data, model_dir=folder)


def randomise(model, ending):
    """Weights that spread the probabilities, so that no two of them are close. ending: how soon
    translations end."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "layer_norm" in name:
                parameter.copy_(name.endswith("weight") + 0.1 * torch.randn_like(parameter))
            else:
                parameter.normal_(0, 0.5 if parameter.dim() > 1 else 0.2)
        if model.decoder.layers[0]._layer_norm_position == "post":
            model.trg_embed.lut.weight.mul_(0.3)  # so that positions decide, not repeated tokens
        # Translations end where the last norm's bias points, so that most do.
        last = model.decoder.layer_norm or model.decoder.layers[-1].feed_forward.layer_norm
        last.bias.normal_(0, 0.5)
        model.decoder.output_layer.weight[model.eos_index] += ending * last.bias / last.bias.square().sum()


def save(folder, model):
    """Saves the model like training, with the state of its optimiser and schedule."""
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    torch.save({"model_state": model.state_dict(), "optimizer_state": optimiser.state_dict(), "scaler_state": None,
                "scheduler_state": {"step": 2, "hidden_size": 8}, "train_iter_state": torch.Generator().get_state(),
                "stats_state": {"steps": 2, "epochs": 1, "best_ckpt_score": float("inf")}}, folder / "best.ckpt")


# What the package says ------------------------------------------------------------------------------------------------


class Attention:
    """Records the output of every attention's softmax while the model runs, in the order of
    calls."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.seen, self.hooks = [], []
        for module in self.model.modules():
            if isinstance(module, MultiHeadedAttention):
                hook = module.softmax.register_forward_hook(lambda _, __, out: self.seen.append(out[0].clone()))
                self.hooks.append(hook)
        return self.seen

    def __exit__(self, *_):
        for hook in self.hooks:
            hook.remove()


def forced(model, case):
    source, inputs = torch.tensor([case.ids]), torch.tensor([case.start + case.target[:-1]])
    mask = torch.ones(1, 1, source.size(1), dtype=torch.bool)
    with torch.no_grad(), Attention(model) as seen:
        encoded = model(return_type="encode", src=source, src_length=torch.tensor([len(case.ids)]), src_mask=mask)[0]
        logits = model(return_type="decode", trg_input=inputs, encoder_output=encoded, encoder_hidden=None,
                       src_mask=mask, unroll_steps=None, decoder_hidden=None,
                       trg_mask=torch.ones(1, 1, 1, dtype=torch.bool))[0][0]
    layers = len(model.encoder.layers)
    assert len(seen) == 3 * layers
    for i in range(layers):
        case.tensors[f"encoder.{i}.weights"] = seen[i]
        case.tensors[f"decoder.{i}.weights"] = seen[layers + 2 * i]
        case.tensors[f"cross.{i}.weights"] = seen[layers + 2 * i + 1]
    logprobs = logits.log_softmax(-1)
    case.tensors |= {"encoder.output": encoded[0], "logits": logits, "logprobs": logprobs}
    return [logprobs[row, token].item() for row, token in enumerate(case.target)]


def greedy(model, case, testing):
    source = torch.tensor([case.ids])
    batch = Batch(src=source, src_length=torch.tensor([len(case.ids)]), src_prompt_mask=None, trg=None,
                  trg_prompt_mask=None, indices=torch.tensor([0]), device=torch.device("cpu"), pad_index=1, eos_index=3)
    ids, logprobs, _ = search(model, batch, testing.get("max_output_length", -1), 1, -1, return_prob="hyp")
    return ids[0].tolist(), logprobs[0].tolist()


def search_case(model, case, testing):
    """Sets the case's translation to the package's; returns False if it does not end."""
    ids, logprobs = greedy(model, case, testing)
    scored = copy.deepcopy(case)
    scored.target = ids
    # The package never begins with end-of-sentence.
    if ids[-1] != 3 or len(ids) > MOST or model_first(model, scored) == 3 or min(ids) < 3:
        return False
    case.hypotheses = [hypothesis(ids, forced(model, scored), 0.0)]
    assert all(abs(a - b) < 1e-4 for a, b in zip(case.hypotheses[0]["logprobs"], logprobs))
    if testing["beam_alpha"] > 0:
        case.hypotheses[0]["score"] /= ((5 + len(ids)) / 6) ** testing["beam_alpha"]
    return True


def expected(path, model, testing):
    """Writes the cases, those with a translation first; returns False if too few have one."""
    source, target = model.src_vocab._itos, model.trg_vocab._itos
    usable = [i for i, piece in enumerate(source) if piece.startswith("▁") and i < len(target)]
    generator = torch.Generator().manual_seed(len(path.name))
    ended, others = [], []
    for _ in range(5 * CASES):
        case = random_case(generator, [], [3], [2], usable, 3)
        (ended if search_case(model, case, testing) else others).append(case)
        if len(ended) == CASES:
            break
    if len(ended) < SEARCHED:
        return False
    cases = (ended + others)[:CASES]
    for case in cases:
        case.forced = forced(model, case)
    write_expected(path, cases, source, target, 1)
    return True


def model_first(model, case):
    """Returns the best first token, which the search may not choose if it ends the translation."""
    forced(model, case)
    return int(case.tensors["logprobs"][0].argmax())


def write(out, name, shared, model, stacks, testing):
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cfg = config(folder, model, stacks, testing)
    (folder / "config.yaml").write_text(yaml.safe_dump(cfg, sort_keys=False), encoding="utf-8")
    vocab = vocabularies(cfg, folder, shared)
    for seed in range(50):  # until enough translations end
        torch.manual_seed(seed)
        built = build_model(copy.deepcopy(cfg["model"]), *vocab).eval()
        randomise(built, 1 + seed % 4)
        save(folder, built)
        if expected(out / f"{name}.expected", built, testing):
            return
    sys.exit(f"{name}: too few translations end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.set_num_threads(1)
    pre, post = {"layer_norm": "pre"}, {"layer_norm": "post", "activation": "gelu", "scale": False}
    write(out, "joeynmt-pre", False, {}, (pre, pre), {"beam_size": 5, "beam_alpha": 1.0})
    write(out, "joeynmt-post", True, {"tied_embeddings": True, "tied_softmax": True, "initializer": "xavier_normal"},
          (post, post), {"beam_size": 1, "beam_alpha": -1, "max_output_length": 15})
    # Without layer_norm the package has pre-norm in the encoder, post-norm in the decoder, and no
    # last norm.
    write(out, "joeynmt-defaults", False, {}, ({}, {}), {"beam_size": 5, "beam_alpha": 1.0})


if __name__ == "__main__":
    main()
