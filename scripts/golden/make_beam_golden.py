#!/usr/bin/env python3
"""Writes translations of the first lines of samples/sentences.en by samples/en-de.bin, as two toolkits find them with
beam search, for tests/model/search/test_beams.c: tests/golden/beam_transformers.json.gz, beam_limits.json.gz (of
transformers, too) and beam_opennmt.json.gz.

    pip install torch transformers sentencepiece configargparse six tqdm pyyaml
    pip install --no-deps OpenNMT-py==3.5.1
    python scripts/golden/make_beam_golden.py [transformers] [limits] [opennmt]

The model's weights become an M2M100, the pre-norm Transformer of transformers, with the positions of the sample. Its
log-probabilities are what the search of OpenNMT-py chooses from.
"""

import gzip
import importlib.metadata
import json
import pathlib
import sys

import sentencepiece
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from absent_packages import OPENNMT, leave_out  # noqa: E402
from attnscope_train.checkpoint import read_checkpoint  # noqa: E402

LINES = 100
OF_TRANSFORMERS = [{"beam": beam, "alpha": alpha, "early_stopping": early} for beam, alpha, early in
                   [(5, 1.0, False), (5, 1.0, True), (4, 0.6, False), (3, 0.0, False), (2, 2.0, False),
                    (1, 1.0, False)]]
# At the maximum length, with and without forced_eos_token_id, and with early_stopping "never".
OF_LIMITS = [
    {"beam": 4, "alpha": 1.0, "early_stopping": False, "most": 7, "forced": False},
    {"beam": 4, "alpha": 1.0, "early_stopping": False, "most": 7, "forced": True},
    {"beam": 1, "alpha": 1.0, "early_stopping": False, "most": 5, "forced": False},
    {"beam": 3, "alpha": 0.5, "early_stopping": True, "most": 9, "forced": True},
    {"beam": 4, "alpha": 2.0, "early_stopping": "never", "most": 41, "forced": False},
    {"beam": 3, "alpha": -0.5, "early_stopping": "never", "most": 12, "forced": False}]
OF_OPENNMT = [{"beam": beam, "length_penalty": kind, "alpha": alpha} for beam, kind, alpha in
              [(5, "avg", 1.0), (5, "none", 0.0), (4, "wu", 0.6), (3, "avg", 0.5), (2, "wu", 2.0), (10, "avg", 1.0)]]
ATTENTION = {"self_attention": "self_attn", "cross_attention": "encoder_attn"}
PROJECTIONS = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
FEED_FORWARD = {"in": "fc1", "out": "fc2"}
NORMS = {"encoder": {"norm1": "self_attn_layer_norm", "norm2": "final_layer_norm"},
         "decoder": {"norm1": "self_attn_layer_norm", "norm2": "encoder_attn_layer_norm", "norm3": "final_layer_norm"}}
EMBEDDINGS = ["model.shared.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
              "lm_head.weight"]


def names_of(name):
    """Returns transformers' name for a tensor."""
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
    """Sines and cosines alternate, from position 0; M2M100 begins to read at row pad + 1."""
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


def search_of_transformers(sample, ids, case):
    config, model = sample[:2]
    special = config["special"]
    rules = transformers.GenerationConfig(
        num_beams=case["beam"], length_penalty=case["alpha"], early_stopping=case["early_stopping"],
        max_length=case.get("most", most_tokens(ids) + 1), do_sample=False, pad_token_id=special["pad"],
        eos_token_id=special["eos"], forced_eos_token_id=special["eos"] if case.get("forced") else None,
        decoder_start_token_id=start_of(config), bad_words_ids=[[special["pad"]], [start_of(config)]])
    return model.generate(torch.tensor([ids]), generation_config=rules)[0].tolist()


def search_of_opennmt(sample, ids, case):
    """The translator's loop for one sentence. The encoder's states are the same for all hypotheses,
    so none are moved."""
    from onmt.translate.beam_search import BeamSearch, GNMTGlobalScorer
    config, model = sample[:2]
    special, source = config["special"], torch.tensor([ids])
    scorer = GNMTGlobalScorer(case["alpha"], 0.0, case["length_penalty"], "none")
    search = BeamSearch(
        case["beam"], batch_size=1, pad=special["pad"], bos=start_of(config), eos=special["eos"], unk=special["unk"],
        start=start_of(config), n_best=1, global_scorer=scorer, min_length=0, max_length=most_tokens(ids),
        return_attention=False, block_ngram_repeat=0, exclusion_tokens=set(), stepwise_penalty=False, ratio=0.0,
        ban_unk_token=False)
    states = model.model.encoder(source).last_hidden_state
    search.initialize(states, torch.tensor([len(ids)]))
    while not search.done:
        copies = states.expand(len(search.alive_seq), -1, -1)
        logits = model(encoder_outputs=(copies,), decoder_input_ids=search.alive_seq).logits[:, -1]
        search.advance(logits.log_softmax(-1), None)
        if any(any(ended) for ended in search.is_finished_list):
            search.update_finished()
    return search.predictions[0][0].tolist()


def start_of(config):
    return config["target"]["start"][0]


def most_tokens(ids):
    return 2 * len(ids) + 10


def translate(search, sample, line, case):
    config, _, pieces, subwords = sample
    special = config["special"]
    ids = [pieces.index(piece) if piece in pieces else special["unk"]
           for piece in subwords.encode(line, out_type=str)] + [special["eos"]]
    with torch.no_grad():
        out = search(sample, ids, case)
    return subwords.decode([pieces[i] for i in out if i not in (special["pad"], start_of(config), special["eos"])])


def write(name, version, search, cases, sample):
    lines = (ROOT / "samples" / "sentences.en").read_text(encoding="utf-8").splitlines()[:LINES]
    found = [case | {"translations": [translate(search, sample, line, case) for line in lines]} for case in cases]
    text = json.dumps({name: version, "cases": found}, ensure_ascii=False, indent=1) + "\n"
    (ROOT / "tests" / "golden" / f"beam_{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def main():
    torch.set_num_threads(1)
    sample, chosen = open_sample(), sys.argv[1:] or ["transformers", "limits", "opennmt"]
    if "transformers" in chosen:
        write("transformers", transformers.__version__, search_of_transformers, OF_TRANSFORMERS, sample)
    if "limits" in chosen:
        write("limits", transformers.__version__, search_of_transformers, OF_LIMITS, sample)
    if "opennmt" in chosen:
        leave_out(OPENNMT)
        write("opennmt", importlib.metadata.version("OpenNMT-py"), search_of_opennmt, OF_OPENNMT, sample)


if __name__ == "__main__":
    main()
