#!/usr/bin/env python3
"""Small models of Sockeye 3 as the package saves them, with what it says of them in float64.

    pip install torch safetensors numpy pyyaml; pip install --no-deps sockeye==3.1.34
    scripts/golden/make_sockeye_golden.py tests/golden/formats

Every model is a folder NAME/ of random weights; NAME.expected has the numbers of ten random sources in the form of the
other golden data: greedy translations, log-probabilities and every attention weight. Beams are not compared: Sockeye
divides the scores of finished hypotheses by their length before they compete with the others.
"""

import argparse
import copy
import json
import pathlib
import shutil
import sys
from pathlib import Path

import torch

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from absent_packages import leave_out
from attnscope_reference.toolkit_cases import best_ids, hypothesis, random_case, words, write_expected

leave_out(["sacrebleu", "sacrebleu.metrics"])

from sockeye import constants, data_io, encoder, layers, model, transformer  # noqa: E402

WIDTH, HEADS, LAYERS, FFN, POSITIONS = 8, 2, 2, 12, 40
PIECES = [23, 22]
MOST, FACTOR = 9, 3  # tokens of a translation; for each token of its source (mean and two standard deviations)
CASES, SEARCHED, TRIED = 10, 8, 100  # cases; those at least with a translation that ends; of so many
SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]
START, END = 2, 3
constants.LARGE_VALUES[torch.float64] = 1e18


def stack(**given):
    return transformer.TransformerConfig(**{
        "model_size": WIDTH, "attention_heads": HEADS, "feed_forward_num_hidden": FFN, "act_type": "relu",
        "num_layers": LAYERS, "dropout_attention": 0.1, "dropout_act": 0.1, "dropout_prepost": 0.1,
        "positional_embedding_type": "fixed", "preprocess_sequence": "n", "postprocess_sequence": "dr",
        "max_seq_len_source": POSITIONS, "max_seq_len_target": POSITIONS, "depth_key_value": WIDTH} | given)


def build(pieces, tying, stacks):
    statistics = data_io.DataStatistics(
        num_sents=100, num_discarded=0, num_tokens_source=900, num_tokens_target=900, num_unks_source=0, num_unks_target=0,
        max_observed_len_source=20, max_observed_len_target=20, size_vocab_source=pieces[0], size_vocab_target=pieces[1],
        length_ratio_mean=1.5, length_ratio_std=0.75, buckets=[(20, 20)], num_sents_per_bucket=[100],
        average_len_target_per_bucket=[9.0], length_ratio_stats_per_bucket=[(1.5, 0.75)])
    data = data_io.DataConfig(data_statistics=statistics, max_seq_len_source=POSITIONS, max_seq_len_target=POSITIONS,
                              num_source_factors=1, num_target_factors=1)
    embeddings = [encoder.EmbeddingConfig(vocab_size=count, num_embed=WIDTH, dropout=0.0) for count in pieces]
    return model.SockeyeModel(model.ModelConfig(
        config_data=data, vocab_source_size=pieces[0], vocab_target_size=pieces[1], config_embed_source=embeddings[0],
        config_embed_target=embeddings[1], config_encoder=stack(**stacks[0]), config_decoder=stack(**stacks[1]),
        weight_tying_type=tying))


def randomise(built):
    with torch.no_grad():
        for name, parameter in built.named_parameters():
            if "layer_norm" in name:
                parameter.copy_(name.endswith("weight") + 0.1 * torch.randn_like(parameter))
            elif parameter.requires_grad:  # not fixed positions
                parameter.normal_(0, 0.5 if parameter.dim() > 1 else 0.2)


# What the package says ------------------------------------------------------------------------------------------------


class Attention:
    """Records the weights of every attention while the model runs, in the order of calls."""

    def __enter__(self):
        self.seen, self.own = [], layers.interleaved_matmul_encdec_valatt

        def noted(key_values, weights, heads):
            self.seen.append(weights.detach().clone())
            return self.own(key_values, weights, heads)
        layers.interleaved_matmul_encdec_valatt = noted
        return self.seen

    def __exit__(self, *_):
        layers.interleaved_matmul_encdec_valatt = self.own


def run(built, case, target):
    """Returns logits, the encoder's output, and attention weights."""
    source, inputs = torch.tensor([case.ids]).unsqueeze(2), torch.tensor([case.start + target]).unsqueeze(2)
    length = torch.tensor([[len(case.ids), 0]])
    with torch.no_grad(), Attention() as seen:
        encoded, encoded_length, mask = built.encoder(built.embedding_source(source), length)
        states = built.decoder.init_state_from_encoder(encoded, encoded_length, built.embedding_target(inputs))
        decoded = built.decoder.decode_seq(built.embedding_target(inputs), states=states)
        return built.output_layer(decoded)[0], encoded[0], seen


def forced(built, case):
    logits, encoded, seen = run(built, case, case.target[:-1])
    recurrent = built.config.config_decoder.decoder_type == constants.SSRU_TRANSFORMER
    each = 1 if recurrent else 2
    assert len(seen) == (1 + each) * LAYERS
    for i in range(LAYERS):
        case.tensors[f"encoder.{i}.weights"] = seen[i]
        case.tensors[f"cross.{i}.weights"] = seen[LAYERS + each * i + each - 1]
        if not recurrent:
            case.tensors[f"decoder.{i}.weights"] = seen[LAYERS + each * i]
    logprobs = logits.log_softmax(-1)
    case.tensors |= {"encoder.output": encoded, "logits": logits, "logprobs": logprobs}
    return [logprobs[row, token].item() for row, token in enumerate(case.target)]


def greedy(built, case):
    ids = best_ids(case, lambda case, ids: run(built, case, ids)[0][-1], END, min(MOST, FACTOR * len(case.ids)))
    if not ids:
        return False
    scored = copy.deepcopy(case)
    scored.target = ids
    case.hypotheses = [hypothesis(ids, forced(built, scored))]
    return True


def expected(path, built, pieces):
    """Writes the cases, those with a translation first; returns False if too few have one."""
    generator = torch.Generator().manual_seed(len(path.name))
    ended, others = [], []
    for _ in range(TRIED):
        case = random_case(generator, [], [END], [START], list(range(4, PIECES[1])), END)
        (ended if greedy(built, case) else others).append(case)
        if len(ended) == CASES:
            break
    if len(ended) < SEARCHED:
        return False
    cases = (ended + others)[:CASES]
    for case in cases:
        case.forced = forced(built, case)
    write_expected(path, cases, *pieces, 1)
    return True


def write(out, name, tying, stacks):
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shared = "src_trg" in tying
    pieces = [SPECIALS + words(0, count - 4, mark) for count, mark in zip(PIECES, ("w", "w" if shared else "z"))]
    if shared:
        pieces[1] = pieces[0]
    for side, listed in zip(("src", "trg"), pieces):
        text = json.dumps({piece: i for i, piece in enumerate(listed)}, indent=4, ensure_ascii=False)
        (folder / f"vocab.{side}.0.json").write_text(text, encoding="utf-8")
    (folder / "version").write_text("3.1.34", encoding="utf-8")
    for seed in range(300):  # until enough translations end
        torch.manual_seed(seed)
        built = build([len(side) for side in pieces], tying, stacks)
        randomise(built)
        built.save_config(str(folder))
        built.save_parameters(str(folder / "params.best"))
        if expected(out / f"{name}.expected", built.eval().double(), pieces):
            return
    sys.exit(f"{name}: too few translations end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    torch.set_num_threads(1)
    post = {"preprocess_sequence": "", "postprocess_sequence": "drn", "act_type": "swish1", "use_glu": True,
            "positional_embedding_type": "learned"}
    write(out, "sockeye-pre", "src_trg_softmax", ({}, {}))
    write(out, "sockeye-post", "none", (post, post))
    write(out, "sockeye-ssru", "trg_softmax", ({"act_type": "gelu"}, {"act_type": "gelu", "decoder_type": "ssru_transformer"}))


if __name__ == "__main__":
    main()
