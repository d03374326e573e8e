#!/usr/bin/env python3
"""Small models of fairseq as it saves them, with what it says of them.

    pip install torch safetensors bitarray sacrebleu regex tqdm
    pip install --no-deps omegaconf==2.0.6 hydra-core==1.0.7 antlr4-python3-runtime==4.8   # by pip before 24.1
    PYTHONPATH=FAIRSEQ TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 scripts/golden/make_fairseq_golden.py tests/golden/formats

FAIRSEQ is the source of fairseq 0.12.2, of which nothing need be compiled. From version 2.6 on torch reads its
checkpoints with that variable alone.

Every model is a folder NAME/ of random weights; NAME.expected has the numbers of twenty random sources in the form of the
other golden data: hypotheses of greedy and of beam search, log-probabilities and every attention weight. fairseq reads the
checkpoint that is written, puts tokens around sources itself, and searches. Beams of multilingual models are left out,
which fairseq ranks by the probability of the language's token, too. The script says in how many searches fairseq's minimum
length of 1, or which of the translations that end at once it keeps, changes the result.
"""

import pathlib
import argparse
import collections
import copy
import dataclasses
import re
import shutil
import sys
from pathlib import Path

import torch

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from absent_packages import leave_out
from attnscope_reference.toolkit_cases import CASES, Case, hypothesis, words, write_expected

PIECES = 16  # of every dictionary, but for four
BEAM = 3
SEARCHED = 10  # cases of every model with a beam; half of them, if there are so many, are those that the rules change
STEP = 4  # of the columns of logits that are kept
SMALL = ["--encoder-embed-dim", "6", "--encoder-ffn-embed-dim", "8", "--encoder-attention-heads", "2",
         "--decoder-embed-dim", "6", "--decoder-attention-heads", "2"]


# fairseq, on a Python that is newer than it ---------------------------------------------------------------------------


def hashable(original):
    """Python 3.11 refuses unhashable defaults, and the configuration's classes are such
    defaults."""
    def dataclass(cls=None, /, **options):
        def wrap(each):
            theirs = each.__module__.startswith(("fairseq", "hydra", "omegaconf")) and not options.get("frozen")
            return original(each, **({"unsafe_hash": True} if theirs else {}), **options)
        return wrap if cls is None else wrap(cls)
    return dataclass


leave_out(["sklearn", "sklearn.metrics", "scipy", "scipy.stats", "torchaudio", "torchaudio.compliance",
           "torchaudio.compliance.kaldi", "soundfile"])
dataclasses.dataclass = hashable(dataclasses.dataclass)

from fairseq import checkpoint_utils, options, tasks  # noqa: E402
from fairseq.dataclass.utils import convert_namespace_to_omegaconf  # noqa: E402
from fairseq.modules import MultiheadAttention  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402


# Models ---------------------------------------------------------------------------------------------------------------


def write_dictionary(path, pieces):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{piece} {100 - i}\n" for i, piece in enumerate(pieces)), encoding="utf-8")


def layers(encoder, decoder):
    return ["--encoder-layers", str(encoder), "--decoder-layers", str(decoder)]


def build(data, arguments):
    """Returns the options of a command line, the task, and a model with random weights that spread
    the probabilities."""
    parser = options.get_training_parser()
    args = options.parse_args_and_arch(parser, [str(data)] + arguments)
    task = tasks.setup_task(args)
    model = task.build_model(args).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
            else:
                parameter.normal_(0, 0.4 if parameter.dim() > 1 else 0.2)
        end = getattr(task, "tgt_dict", None)
        eos = 2 if end is None or "pretrained_bart" not in args.task else end.index(f"[{args.target_lang}]")
        model.decoder.output_projection.weight[eos] *= 2  # so that translations end
        for stack in (model.encoder, model.decoder):
            stack.embed_tokens.weight[1] = 0
    return args, model


def weights_of(model, copies):
    """Tied tensors stay one tensor. copies: with those of the encoder's layers, which only version
    0.12.2 writes."""
    return collections.OrderedDict((name, tensor.clone() if "output_projection" not in name else tensor)
                                   for name, tensor in model.state_dict().items()
                                   if copies or not re.search(r"layers\.\d+\.(in_proj|out_proj|fc1|fc2)_", name))


def old_names(weights):
    """Renames weights as before version 0.8: stacked projections, numbered norms, a different name
    for the output."""
    numbers = {"encoder": {"self_attn_layer_norm": 0, "final_layer_norm": 1},
               "decoder": {"self_attn_layer_norm": 0, "encoder_attn_layer_norm": 1, "final_layer_norm": 2}}
    renamed = collections.OrderedDict()
    for name, tensor in weights.items():
        stack, _, rest = name.partition(".")
        if ".q_proj." in name:
            parts = [weights[name.replace("q_proj", part)] for part in ("q_proj", "k_proj", "v_proj")]
            renamed[name.replace("q_proj.", "in_proj_")] = torch.cat(parts)
        elif ".k_proj." in name or ".v_proj." in name:
            continue
        elif name == "decoder.output_projection.weight":
            renamed["decoder.embed_out"] = tensor
        elif rest.startswith("layers.") and rest.split(".")[2] in numbers[stack]:
            norm = rest.split(".")[2]
            renamed[name.replace(norm, f"layer_norms.{numbers[stack][norm]}")] = tensor
        else:
            renamed[name] = tensor
    return renamed


def without_last_norms(weights):
    """As before version 3, when pre-norm stacks had no last norm."""
    kept = {name: tensor for name, tensor in weights.items() if not name.split(".", 1)[1].startswith("layer_norm.")}
    return collections.OrderedDict((name, torch.ones(1) if name.endswith(".version") else tensor) for name, tensor in kept.items())


def common(args):
    return {"optimizer_history": [{"criterion_name": "CrossEntropyCriterion", "optimizer_name": "FairseqAdam", "lr_scheduler_state": {},
                                   "best_loss": 1.5, "num_updates": 3}],
            "extra_state": {"epoch": 1, "train_iterator": {"epoch": 1}}, "last_optimizer_state": None}


def plain_checkpoint(args, weights):
    args.max_len_b = 8
    return {"args": args, "model": weights} | common(args)


def grouped_checkpoint(args, weights, container=True):
    """As in versions since 0.11; container: as the trainer writes it, otherwise with omegaconf's
    own objects."""
    cfg = convert_namespace_to_omegaconf(args)
    cfg.generation.max_len_a, cfg.generation.max_len_b, cfg.generation.lenpen = 0.5, 8, 0.8
    if container:
        cfg = OmegaConf.to_container(cfg, resolve=True, enum_to_str=True)
    return {"args": None, "cfg": cfg, "model": weights} | common(args)


# What fairseq says ----------------------------------------------------------------------------------------------------


class Recorder:
    """Records the weights of every head, which layers do not ask for: each attention is computed a
    second time."""

    def __init__(self, model):
        self.weights, self.on = {}, False
        for name, module in model.named_modules():
            if isinstance(module, MultiheadAttention):
                module.forward = self.wrap(name, module, module.forward)

    def wrap(self, name, module, forward):
        def record(*args, **options):
            if self.on:
                again = dict(options, need_weights=True, need_head_weights=True, incremental_state=None)
                module.skip_embed_dim_check = True  # otherwise PyTorch computes it and returns only the mean of heads
                self.weights[name] = forward(*args, **again)[1][:, 0].detach()
                module.skip_embed_dim_check = False
            return forward(*args, **options)
        return record


def slow_paths(model):
    """Disables the encoder layers' fast path, which uses no attention module."""
    for module in model.modules():
        if hasattr(module, "can_use_fastpath"):
            module.can_use_fastpath = False


class Oracle:
    def __init__(self, path, overrides):
        models, cfg, self.task = checkpoint_utils.load_model_ensemble_and_task([str(path)], arg_overrides=overrides)
        if not hasattr(self.task, "args"):
            self.task.args = cfg.task  # which mBART's task reads, and sets no more
        self.model = models[0].eval()
        slow_paths(self.model)
        self.recorder = Recorder(self.model)
        self.generators = {}
        for beam in (1, BEAM):
            for least in (0, cfg.generation.min_len):
                options = copy.deepcopy(cfg.generation)
                options.beam, options.min_len = beam, least
                generator = self.task.build_generator(models, options)
                generator.finalize_hypos = self.watch(generator.finalize_hypos)
                self.generators[beam, least] = generator
        self.penalty, self.least = cfg.generation.lenpen, cfg.generation.min_len

    def watch(self, finalize):
        """Records that more translations end at once than the beam has room for: fairseq drops
        those of lower rank, even if they are better than ones that ended before."""
        def watched(step, ended, scores, tokens, all_scores, finalized, finished, beam, *rest):
            self.surplus |= len(finalized[0]) + len(ended) > beam
            return finalize(step, ended, scores, tokens, all_scores, finalized, finished, beam, *rest)
        return watched

    def sample(self, source):
        """A batch of one source, with the tokens that the task puts around it."""
        line = torch.LongTensor(source + [self.task.source_dictionary.eos()])
        data = self.task.build_dataset_for_inference([line], [len(line)])
        return data.collater([data[0]])

    def set_beam(self, beam):
        """Sets the keys that BART's decoder keeps, as the last generator left them."""
        if hasattr(self.model, "set_beam_size"):
            self.model.set_beam_size(beam)

    def forced(self, case):
        self.recorder.on, self.recorder.weights = True, {}
        self.set_beam(1)
        source = torch.tensor([case.ids])
        before = torch.tensor([case.start + case.target[:-1]])
        with torch.no_grad():
            encoded = self.model.encoder(source, src_lengths=torch.tensor([len(case.ids)]))
            logits = self.model.decoder(before, encoder_out=encoded)[0]
        self.recorder.on = False
        logprobs = logits[0].float().log_softmax(-1)
        for i in range(len(self.model.encoder.layers)):
            case.tensors[f"encoder.{i}.weights"] = self.recorder.weights[f"encoder.layers.{i}.self_attn"]
        for i in range(len(self.model.decoder.layers)):
            case.tensors[f"decoder.{i}.weights"] = self.recorder.weights[f"decoder.layers.{i}.self_attn"]
            case.tensors[f"cross.{i}.weights"] = self.recorder.weights[f"decoder.layers.{i}.encoder_attn"]
        case.tensors |= {"encoder.output": encoded["encoder_out"][0][:, 0], "logits": logits[0], "logprobs": logprobs}
        rows = range(len(case.start) - 1, len(case.start) - 1 + len(case.target))
        return [logprobs[row, token].item() for row, token in zip(rows, case.target)]

    def search(self, case, beam, least=None):
        sample = self.sample(case.source)
        assert sample["net_input"]["src_tokens"][0].tolist() == case.ids, (sample["net_input"]["src_tokens"], case.ids)
        self.set_beam(beam)
        self.surplus = False
        with torch.no_grad():
            generator = self.generators[beam, self.least if least is None else least]
            return self.task.inference_step(generator, [self.model], sample)[0]


def found(oracle, case, one, drop):
    """Converts fairseq's hypothesis to our format; the first `drop` tokens are languages."""
    ids, logprobs = one["tokens"].tolist()[drop:], one["positional_scores"].tolist()[drop:]
    text = {"text": oracle.task.target_dictionary.string(ids[:-1])}  # without <s>
    if drop:
        return hypothesis(ids, logprobs) | text
    assert abs(hypothesis(ids, logprobs, oracle.penalty)["score"] - one["score"].item()) < 1e-5
    return hypothesis(ids, logprobs, oracle.penalty) | text


def cases_of(oracle, generator, before, after, start, eos, usable, languages):
    def some(most):
        count = int(torch.randint(1, most, (1,), generator=generator))
        return [usable[i] for i in torch.randint(0, len(usable), (count,), generator=generator).tolist()]
    drop = len(start) - 1
    cases, turned, plain, decided = [], 0, 0, [0, 0]
    for attempt in range(400):
        case = Case(some(6), before, after, some(5) + [eos], start)
        case.step = STEP
        case.beam = BEAM if not drop and turned < SEARCHED and attempt < 150 else 1
        hypotheses = oracle.search(case, case.beam)
        scores = [one["score"].item() for one in hypotheses]
        if any(a - b < 1e-3 for a, b in zip(scores, scores[1:])):
            continue
        if any(languages & set(one["tokens"].tolist()[drop:]) for one in hypotheses):
            continue  # which no text shows
        surplus = oracle.surplus
        changed = any(not torch.equal(one["tokens"], other["tokens"])
                      for one, other in zip(hypotheses, oracle.search(case, case.beam, least=0)))
        if case.beam > 1 and not (surplus or changed) and attempt < 100:
            if plain == SEARCHED / 2:
                continue
            plain += 1
        decided[0] += surplus
        decided[1] += changed
        case.hypotheses = [found(oracle, case, one, drop) for one in hypotheses]
        case.forced = oracle.forced(case)
        turned += case.beam > 1
        cases.append(case)
        if len(cases) == CASES:
            break
    print(f"{decided[0]} searches in which too many end at once, {decided[1]} that the minimum length changes")
    return cases, turned


def write_model(out, name, make, arguments, dictionaries, *, wrap=None, languages=None, stream=False, data="", overrides=None):
    for seed in range(20):
        cases, turned = attempt_model(out, name, make, arguments, dictionaries, seed, wrap, languages, stream, data, overrides)
        if cases == CASES and (languages or turned == SEARCHED):
            print(name, seed, cases, turned)
            return
    raise SystemExit(f"{name}: too few translations that end")


def attempt_model(out, name, make, arguments, dictionaries, seed, wrap, languages, stream, data, overrides):
    torch.manual_seed(seed)
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    for file, pieces in dictionaries.items():
        write_dictionary(folder / data / file, pieces)
    args, model = build(folder / data, arguments)
    if "--lang-pairs" not in arguments:  # as training leaves them
        args.source_lang, args.target_lang = args.source_lang or "en", args.target_lang or "de"
    weights = weights_of(model, copies=name == "fairseq-pre")
    args.data = "data-bin/corpus"  # what a checkpoint says of another machine
    path = folder / "checkpoint_best.pt"
    torch.save(make(args, wrap(weights) if wrap else weights), path, _use_new_zipfile_serialization=not stream)
    oracle = Oracle(path, {"data": str(folder / data)} | (overrides or {}))
    symbols = [oracle.task.source_dictionary.symbols, oracle.task.target_dictionary.symbols]
    before, after, start, eos = [], [2], [2], 2
    if "pretrained_bart" in args.task:
        after, start = [2, symbols[0].index("[en_XX]")], [symbols[1].index("[ro_RO]")]
        eos = start[0]
    elif languages:
        before, start = [symbols[0].index("__en__")], [2, symbols[1].index("__de__")]
    usable = [i for i, symbol in enumerate(symbols[0]) if symbol.startswith("▁")]
    tokens = {i for i, symbol in enumerate(symbols[1]) if symbol.startswith("__")}
    cases, turned = cases_of(oracle, torch.Generator().manual_seed(len(name)), before, after, start, eos, usable, tokens)
    write_expected(out / f"{name}.expected", cases, symbols[0], symbols[1], 1)
    return len(cases), turned


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out.resolve()
    torch.set_num_threads(1)
    two = {"dict.en.txt": words(0, PIECES), "dict.de.txt": words(0, PIECES, "z")}
    one = {"dict.en.txt": words(0, PIECES), "dict.de.txt": words(0, PIECES)}
    pair = ["-s", "en", "-t", "de"]
    write_model(out, "fairseq-args", plain_checkpoint, ["--arch", "transformer"] + SMALL + layers(1, 2) + pair, two,
                wrap=old_names, stream=True)
    write_model(out, "fairseq-pre", grouped_checkpoint, ["--arch", "transformer_iwslt_de_en", "--share-all-embeddings",
                "--encoder-normalize-before", "--decoder-normalize-before", "--encoder-learned-pos", "--max-source-positions", "40",
                "--decoder-ffn-embed-dim", "10", "--activation-fn", "gelu_accurate"]
                + SMALL + layers(2, 1) + pair, one, stream=True)
    write_model(out, "fairseq-old-pre", lambda args, weights: grouped_checkpoint(args, weights, container=False),
                ["--arch", "transformer", "--encoder-normalize-before", "--decoder-normalize-before", "--no-token-positional-embeddings",
                 "--share-decoder-input-output-embed", "--no-scale-embedding"] + SMALL + layers(1, 1) + pair, two,
                wrap=lambda weights: collections.OrderedDict((k, v.half() if v.dim() > 1 else v) for k, v in without_last_norms(weights).items()))
    write_model(out, "fairseq-bart", plain_checkpoint, ["--arch", "bart_base", "--max-source-positions", "30",
                "--max-target-positions", "36"] + SMALL + layers(2, 1) + pair, one, stream=True)
    write_model(out, "fairseq-mbart", plain_checkpoint, ["--arch", "mbart_base", "--task", "translation_from_pretrained_bart",
                "--langs", "en_XX,ro_RO", "--max-source-positions", "30", "--max-target-positions", "30",
                "-s", "en_XX", "-t", "ro_RO"] + SMALL + layers(1, 2),
                {f"dict{each}.txt": words(0, PIECES) for each in ("", ".en_XX", ".ro_RO")}, stream=True)
    write_model(out, "fairseq-multilingual", plain_checkpoint, ["--arch", "transformer", "--task", "translation_multi_simple_epoch",
                "--langs", "de,en,fr", "--lang-pairs", "en-de,en-fr", "--encoder-langtok", "src", "--decoder-langtok",
                "--share-all-embeddings"] + SMALL + layers(1, 1), {f"dict.{each}.txt": words(0, PIECES) for each in ("de", "en", "fr")},
                languages="tokens", stream=True, overrides={"source_lang": "en", "target_lang": "de"})


if __name__ == "__main__":
    main()
