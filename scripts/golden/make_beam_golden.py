#!/usr/bin/env python3
"""Writes tests/golden/beam_transformers.json: translations of the first lines of samples/sentences.en by samples/en-de.bin
as transformers finds them with beam search, for tests/model/net/test_beams.c.

    pip install torch transformers sentencepiece
    python scripts/golden/make_beam_golden.py

The model's weights become an M2M100, the pre-norm Transformer of transformers, with the positions of the sample.
"""

import json
import pathlib
import sys

import sentencepiece
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from attnscope_train.checkpoint import read_checkpoint  # noqa: E402

OUT = ROOT / "tests" / "golden" / "beam_transformers.json"
LINES = 100
CASES = [(5, 1.0, False), (5, 1.0, True), (4, 0.6, False), (3, 0.0, False), (2, 2.0, False), (1, 1.0, False)]
ATTENTION = {"self_attention": "self_attn", "cross_attention": "encoder_attn"}
PROJECTIONS = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
FEED_FORWARD = {"in": "fc1", "out": "fc2"}
NORMS = {"encoder": {"norm1": "self_attn_layer_norm", "norm2": "final_layer_norm"},
         "decoder": {"norm1": "self_attn_layer_norm", "norm2": "encoder_attn_layer_norm", "norm3": "final_layer_norm"}}
EMBEDDINGS = ["model.shared.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
              "lm_head.weight"]


def names_of(name):
    """What transformers calls a tensor."""
    parts = name.split(".")
    if parts[0] == "source_embedding":
        return EMBEDDINGS
    if parts[1] == "norm":
        return [f"model.{parts[0]}.layer_norm.{parts[2]}"]
    layer, part, rest = f"model.{parts[0]}.layers.{parts[2]}", parts[3], parts[4:]
    if part in ATTENTION:
        return [f"{layer}.{ATTENTION[part]}.{PROJECTIONS[rest[0]]}.{rest[1]}"]
    if part == "ffn":
        return [f"{layer}.{FEED_FORWARD[rest[0]]}.{rest[1]}"]
    return [f"{layer}.{NORMS[parts[0]][part]}.{rest[0]}"]


def put_positions(model, count, width):
    """Sine and cosine in turns, from position 0; M2M100 begins to read at row pad + 1."""
    rows = torch.zeros(count, width)
    angles = torch.arange(count - 1)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    rows[1:, 0::2], rows[1:, 1::2] = torch.sin(angles), torch.cos(angles)
    for stack in (model.model.encoder, model.model.decoder):
        stack.embed_positions.weights = rows.clone()


def open_sample():
    config, tensors, vocabularies, tokenizers = read_checkpoint(str(ROOT / "samples" / "en-de.bin"))
    special, width, count = config["special"], config["d_model"], 256
    settings = transformers.M2M100Config(
        vocab_size=len(vocabularies[0]), d_model=width, encoder_layers=config["encoder"]["layers"],
        decoder_layers=config["decoder"]["layers"], encoder_attention_heads=config["encoder"]["heads"],
        decoder_attention_heads=config["decoder"]["heads"], encoder_ffn_dim=config["d_ff"],
        decoder_ffn_dim=config["d_ff"], activation_function=config["activation"], max_position_embeddings=count,
        scale_embedding=True, pad_token_id=special["pad"], eos_token_id=special["eos"])
    model = transformers.M2M100ForConditionalGeneration(settings).eval()
    model.load_state_dict({theirs: torch.as_tensor(tensor).float()
                           for name, tensor in tensors.items() for theirs in names_of(name)})
    put_positions(model, count, width)
    return config, model, vocabularies[0], sentencepiece.SentencePieceProcessor(model_proto=tokenizers[0])


def translate(sample, line, case):
    config, model, pieces, subwords = sample
    beam, alpha, early = case
    special, start = config["special"], config["target"]["start"][0]
    ids = [pieces.index(piece) if piece in pieces else special["unk"]
           for piece in subwords.encode(line, out_type=str)] + [special["eos"]]
    rules = transformers.GenerationConfig(
        num_beams=beam, length_penalty=alpha, early_stopping=early, max_length=2 * len(ids) + 10 + 1, do_sample=False,
        pad_token_id=special["pad"], eos_token_id=special["eos"], decoder_start_token_id=start,
        bad_words_ids=[[special["pad"]], [start]])
    with torch.no_grad():
        out = model.generate(torch.tensor([ids]), generation_config=rules)[0].tolist()
    return subwords.decode([pieces[i] for i in out if i not in (special["pad"], start, special["eos"])])


def main():
    torch.set_num_threads(1)
    sample = open_sample()
    lines = (ROOT / "samples" / "sentences.en").read_text(encoding="utf-8").splitlines()[:LINES]
    cases = [{"beam": case[0], "alpha": case[1], "early_stopping": case[2],
              "translations": [translate(sample, line, case) for line in lines]} for case in CASES]
    OUT.write_text(json.dumps({"transformers": transformers.__version__, "cases": cases}, ensure_ascii=False, indent=1)
                   + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
