#!/usr/bin/env python3
"""Small models of OpenNMT-py as the package saves them, with what it says of them.

    pip install torch safetensors pyonmttok configargparse six tqdm pyyaml
    pip install --no-deps OpenNMT-py==3.5.1
    scripts/golden/make_opennmt_golden.py tests/golden/formats

Makes the models of the version that is installed; three versions are three environments. The older ones also need
torchtext, likewise with --no-deps: OpenNMT-py 2.3.0 that of version 0.5.0, OpenNMT-py 1.2.0 that of 0.4.0.

Every model is a folder NAME/ of random weights; NAME.expected has the numbers of twenty random sources in the form of
the other golden data: greedy translations, log-probabilities and every attention weight, which is what the softmax of
each attention gives. Beams are not compared: beams of the package end with the first finished one that is best.
"""

import pathlib
import argparse
import copy
import functools
import shutil
import sys
import types
from collections import Counter
from pathlib import Path

import torch
from safetensors.torch import save_file

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from absent_packages import OPENNMT, leave_out
from attnscope_reference.toolkit_cases import CASES, hypothesis, random_case, words, write_expected

PIECES = 28  # of every vocabulary
POSITIONS = 24  # instead of 5000, so that files are small
SIZES = dict(layers=2, heads=2, transformer_ff=12)
WIDTH = 8
MOST = 12  # tokens of a translation


leave_out(OPENNMT)

import onmt  # noqa: E402
import onmt.model_builder  # noqa: E402
import onmt.opts  # noqa: E402
from onmt.modules.embeddings import PositionalEncoding  # noqa: E402
from onmt.translate.beam_search import GNMTGlobalScorer  # noqa: E402
from onmt.translate.translator import Translator  # noqa: E402
from onmt.utils.parse import ArgumentParser  # noqa: E402

# The package's files are whole pickles; those here were made by this script.
torch.load = functools.partial(torch.load, weights_only=False)
PositionalEncoding.__init__.__defaults__ = (POSITIONS,)
VERSION = int(onmt.__version__.split(".")[0])


# Models ---------------------------------------------------------------------------------------------------------------


def options(**given):
    width = {"hidden_size": WIDTH} if VERSION == 3 else {"rnn_size": WIDTH}
    parser = ArgumentParser()
    onmt.opts.train_opts(parser)
    if VERSION == 1:
        onmt.opts.model_opts(parser)
    for option in parser._actions:
        option.required = False  # files of the training data
    opt = parser.parse_known_args([])[0]
    # What a Transformer's training sets.
    vars(opt).update(encoder_type="transformer", decoder_type="transformer", position_encoding=True,
                     word_vec_size=WIDTH, optim="sgd", learning_rate=1.0, **width, **SIZES)
    vars(opt).update(given)
    ArgumentParser.update_model_opts(opt)
    ArgumentParser.validate_model_opts(opt)
    return opt


def texts(shared):
    """Returns the words of both sides, the most frequent first."""
    return words(0, PIECES, "w"), words(0, PIECES - 4, "w" if shared else "z")


def plain_vocabularies(shared):
    import pyonmttok
    sides = [["<unk>", "<blank>", "<s>", "</s>"] + side[:PIECES - 4] for side in texts(shared)]
    source, target = (pyonmttok.build_vocab_from_tokens(side) for side in sides)
    return {"src": source, "tgt": source if shared else target, "data_task": "seq2seq", "decoder_start_token": "<s>"}


def torchtext_vocabularies(shared):
    from onmt.inputters.inputter import _build_fields_vocab, get_fields
    fields = get_fields("text", 0, 0) if VERSION == 1 else get_fields("text", None, None)
    counters = {side: Counter({word: 100 - i for i, word in enumerate(side_words)})
                for side, side_words in zip(("src", "tgt"), texts(shared))}
    counters["corpus_id"] = Counter(["train"])
    return _build_fields_vocab(fields, counters, "text", shared, 1, 1000, 0, 1000, 0)


def pieces_of(vocab):
    if VERSION == 3:
        return [vocab[side].ids_to_tokens for side in ("src", "tgt")]
    return [vocab[side].base_field.vocab.itos for side in ("src", "tgt")]


def randomise(model):
    """Weights that spread the probabilities, so that no two of them are close."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "layer_norm" in name:
                parameter.copy_(name.endswith("weight") + 0.1 * torch.randn_like(parameter))
            else:
                parameter.normal_(0, 0.5 if parameter.dim() > 1 else 0.2)


def make(shared, opt, ending):
    vocab = plain_vocabularies(shared) if VERSION == 3 else torchtext_vocabularies(shared)
    model = onmt.model_builder.build_base_model(opt, vocab, *([] if VERSION == 3 else [False]))
    randomise(model)
    with torch.no_grad():  # so that translations end
        bias = model.generator.bias if VERSION == 3 else model.generator[0].bias
        bias[pieces_of(vocab)[1].index("</s>")] += ending
    return model.eval(), vocab


def save(folder, model, opt, vocab):
    """Saves the model like training, with the state of an optimiser."""
    from onmt.models.model_saver import ModelSaver
    optimiser = torch.optim.Adam(model.parameters()) if VERSION == 1 else torch.optim.SGD(model.parameters(), lr=1.0)
    state = types.SimpleNamespace(state_dict=lambda: {"training_step": 2, "decay_step": 2,
                                                      "optimizer": optimiser.state_dict()})
    saver = ModelSaver(str(folder / "model"), model, opt, vocab, state)
    saver._save(1, model)
    return folder / "model_step_1.pt"


def load(path):
    opt = types.SimpleNamespace(models=[str(path)], gpu=-1, world_size=1, parallel_mode="data_parallel", quant_type="",
                                precision="fp32", fp32=True, int8=False, data_type="text", gpu_ranks=[],
                                quant_layers=[])
    vocab, model, _ = onmt.model_builder.load_test_model(opt)
    return model.eval(), vocab


def change(path, edit, **how):
    """Saves a checkpoint again after `edit`."""
    checkpoint = torch.load(path)
    edit(checkpoint)
    torch.save(checkpoint, path, **how)


# What the package says of them ----------------------------------------------------------------------------------------


def batch_of(case):
    ids = torch.tensor(case.ids)
    if VERSION == 3:
        return {"src": ids.view(1, -1, 1), "srclen": torch.tensor([len(ids)])}
    return types.SimpleNamespace(src=(ids.view(-1, 1, 1), torch.tensor([len(ids)])), batch_size=1,
                                 indices=torch.tensor([0]))


class Attention:
    """Records the output of every attention's softmax while the model runs, in the order of
    calls."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.seen, self.hooks = [], []
        for module in self.model.modules():
            if type(module).__name__ == "MultiHeadedAttention":
                hook = module.softmax.register_forward_hook(lambda _, __, out: self.seen.append(out[0].clone()))
                self.hooks.append(hook)
        return self.seen

    def __exit__(self, *_):
        for hook in self.hooks:
            hook.remove()


def run(model, case, inputs):
    """Runs encoder and decoder over a whole target."""
    batch = batch_of(case)
    source, length = (batch["src"], batch["srclen"]) if VERSION == 3 else batch.src
    target = torch.tensor(inputs).view(*((1, -1, 1) if VERSION == 3 else (-1, 1, 1)))
    out = model.encoder(source, length)
    encoded = out[0] if VERSION == 3 else out[1]
    if VERSION == 3:
        model.decoder.init_state(source, encoded, None)
        decoded, _ = model.decoder(target, encoded, src_len=length)
        return encoded[0], model.generator(decoded)[0]
    model.decoder.init_state(source, encoded, out[0])
    decoded, _ = model.decoder(target, encoded, memory_lengths=length)
    return encoded[:, 0], model.generator[0](decoded)[:, 0]


def forced(model, case):
    with torch.no_grad(), Attention(model) as seen:
        encoded, logits = run(model, case, case.start + case.target[:-1])
    layers = len(model.decoder.transformer_layers)
    assert len(seen) == 3 * layers
    for i in range(layers):
        case.tensors[f"encoder.{i}.weights"] = seen[i]
        case.tensors[f"decoder.{i}.weights"] = seen[layers + 2 * i]
        case.tensors[f"cross.{i}.weights"] = seen[layers + 2 * i + 1]
    logprobs = logits.log_softmax(-1)
    case.tensors |= {"encoder.output": encoded, "logits": logits, "logprobs": logprobs}
    return [logprobs[row, token].item() for row, token in enumerate(case.target)]


def greedy(model, vocab, case):
    """Returns ids and the package's score; without end-of-sentence if the maximum length came
    first."""
    if VERSION == 3:
        scorer = GNMTGlobalScorer(1.0, 0.0, "avg", "none")
        translator = Translator(model, vocab, beam_size=1, max_length=250, max_length_ratio=1.25, global_scorer=scorer,
                                dump_beam="")
        found = translator.translate_batch(batch_of(case), False)
    else:
        scorer = GNMTGlobalScorer(0.0, 0.0, "none", "none")
        translator = Translator(model, vocab, None, None, beam_size=1, max_length=POSITIONS - 1, global_scorer=scorer,
                                dump_beam="")
        found = translator.translate_batch(batch_of(case), None, False)
    return found["predictions"][0][0].tolist(), float(found["scores"][0][0])


def expected(path, model, vocab):
    source, target = pieces_of(vocab)
    eos, start = target.index("</s>"), target.index("<s>")
    usable = [i for i, piece in enumerate(source) if piece.startswith("▁") and i < len(target)]
    generator, cases = torch.Generator().manual_seed(len(path.name)), []
    for _ in range(100 * CASES):
        if len(cases) == CASES:
            break
        case = random_case(generator, [], [], [start], usable, eos)
        case.target = [token + 2 if 3 < token + 2 < len(target) else 4 for token in case.target[:-1]] + [eos]
        with torch.no_grad():
            ids, score = greedy(model, vocab, case)
        if ids[-1] != eos or len(ids) > MOST or not all(target[i].startswith("▁") for i in ids[:-1]):
            continue
        scored = copy.deepcopy(case)
        scored.target = ids
        case.hypotheses = [hypothesis(ids, forced(model, scored), 1.0 if VERSION == 3 else 0.0, counted=1)]
        logprob = sum(case.hypotheses[0]["logprobs"])
        # The search of version 1 returns the last token's.
        theirs = {1: score, 2: logprob, 3: case.hypotheses[0]["score"]}[VERSION]
        assert abs(theirs - score) < 1e-4, (case.hypotheses, score)
        case.forced = forced(model, case)
        cases.append(case)
    assert len(cases) == CASES, f"{path.name}: too few translations end"
    write_expected(path, cases, source, target, 1)


# The models of a version ------------------------------------------------------------------------------------------------


def write(out, name, shared=False, edit=None, legacy=False, ending=2, **given):
    """Saves a model, changes the file, and queries the package about what it then loads. ending:
    the advantage of end-of-sentence over other tokens."""
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    opt = options(**given)
    model, vocab = make(shared, opt, ending)
    path = save(folder, model, opt, vocab)
    if edit or legacy:
        change(path, edit or (lambda _: None), _use_new_zipfile_serialization=not legacy)
    expected(out / f"{name}.expected", *load(path))


def move_weights(folder):
    """Moves weights to files beside the checkpoint, like the converters of version 3."""
    def edit(checkpoint):
        tensors = {name: tensor.clone() for name, tensor in checkpoint.pop("model").items()}
        tensors |= {f"generator.{name}": tensor.clone() for name, tensor in checkpoint.pop("generator").items()}
        for shard in range(2):
            part = {name: tensor for name, tensor in tensors.items() if name.startswith("encoder") == (shard == 0)}
            save_file(part, folder / f"model_step_1.{shard:02}.safetensors")
    return edit


def make_old(checkpoint):
    """As before version 0.7: pairs of a name and a vocabulary, different names of norms, fewer
    options."""
    vocab, opt = checkpoint["vocab"], vars(checkpoint["opt"])
    checkpoint["vocab"] = [(side, vocab[side].base_field.vocab) for side in ("src", "tgt")]
    for old, new in (("a_2", "weight"), ("b_2", "bias")):
        checkpoint["model"] = {name.replace(f".{new}", f".{old}") if "layer_norm" in name else name: tensor
                               for name, tensor in checkpoint["model"].items()}
    checkpoint["epoch"] = 1
    kept = ("layers", "heads", "rnn_size", "transformer_ff", "encoder_type", "decoder_type", "position_encoding",
            "word_vec_size", "src_word_vec_size", "tgt_word_vec_size", "share_embeddings", "share_decoder_embeddings",
            "copy_attn", "model_type", "dropout", "enc_layers", "dec_layers", "optim", "model_dtype", "fix_word_vecs_enc",
            "fix_word_vecs_dec")
    for name in [name for name in opt if name not in kept]:
        del opt[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.manual_seed(1)
    torch.set_num_threads(1)
    if VERSION == 1:
        write(out, "opennmt-v1", layers=1, legacy=True)
        write(out, "opennmt-v0", layers=1, legacy=True, edit=make_old)
    elif VERSION == 2:
        write(out, "opennmt-v2", layers=1, ending=5, shared=True, pos_ffn_activation_fn="gelu",
              share_decoder_embeddings=True)
    else:
        write(out, "opennmt-v3", layers=1)
        write(out, "opennmt-v3-gated", shared=True, pos_ffn_activation_fn="silu", layer_norm="rms", norm_eps=1e-5,
              position_encoding=False)
        write(out, "opennmt-v3-safetensors", shared=True, edit=move_weights(out / "opennmt-v3-safetensors"),
              add_qkvbias=True, add_ffnbias=True, pos_ffn_activation_fn="gelu", share_embeddings=True,
              position_encoding_type="SinusoidalConcat", share_decoder_embeddings=True)


if __name__ == "__main__":
    main()
