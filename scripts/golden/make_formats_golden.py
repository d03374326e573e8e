#!/usr/bin/env python3
"""Small models in the formats of other toolkits, with what those toolkits say of them.

    pip install torch transformers ctranslate2 safetensors
    scripts/golden/make_formats_golden.py tests/golden/formats

Every model is a folder NAME/ as its toolkit writes it, of random weights; NAME.expected has the toolkit's own numbers
of twenty random sources: greedy or beam hypotheses, log-probabilities and every attention weight, in the form of the
other golden data (scripts/reference.py golden). Attention and logits of CTranslate2 folders are those of the
transformers model that they were converted from, as CTranslate2 does not give them; its hypotheses, scores and
log-probabilities are its own.
"""

import pathlib
import sys
import argparse
import copy
import functools
import json
import math
import shutil
from pathlib import Path

import ctranslate2
import torch
import transformers
from ctranslate2.converters.transformers import TransformersConverter

# The reference is in a folder beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from ctranslate2_layouts import GLOBAL_SCALE, pack, split_vocabularies, write_first, write_json, write_old
from attnscope_reference.toolkit_cases import CASES, MARGIN, Case, hypothesis, random_case, words, write_expected

PIECES = 40  # of every vocabulary
SEARCHED = 4  # of them with hypotheses of CTranslate2, which end before the greatest length
LONGEST = 10  # tokens of a translation, start tokens too
SIZES = dict(d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
             encoder_ffn_dim=24, decoder_ffn_dim=24, max_position_embeddings=48)
SMALLER = dict(d_model=8, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
               encoder_ffn_dim=12, decoder_ffn_dim=20, max_position_embeddings=24)
EIGHT_HEADS = dict(encoder_attention_heads=8, decoder_attention_heads=8)
LANGUAGES = ["__en__", "__de__"]


def randomise(model):
    """Weights that spread the probabilities, so that no two of them are close."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name:
                continue  # a table of sines
            if "norm" in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
            else:
                parameter.normal_(0, 0.4 if parameter.dim() > 1 else 0.2)
        model.get_decoder().embed_tokens.weight[model.config.eos_token_id] *= 4  # so that translations end


def save(model, folder, **options):
    model.generation_config.max_length = LONGEST
    model.generation_config.forced_eos_token_id = model.config.eos_token_id
    model.save_pretrained(folder, **options)
    return folder


# The models -----------------------------------------------------------------------------------------------------------


def marian(folder, separate=False, sizes=SIZES):
    pieces = ["</s>", "<unk>"] + words(0, PIECES - 3) + ["<pad>"]
    config = transformers.MarianConfig(
        vocab_size=PIECES, attn_implementation="eager", activation_function="swish", scale_embedding=True, pad_token_id=PIECES - 1, eos_token_id=0,
        decoder_start_token_id=PIECES - 1, forced_eos_token_id=0, bos_token_id=None, num_beams=4, max_length=LONGEST,
        share_encoder_decoder_embeddings=not separate, decoder_vocab_size=PIECES, **sizes)
    model = transformers.MarianMTModel(config).eval()
    randomise(model)
    with torch.no_grad():
        model.final_logits_bias.normal_(0, 0.3)
        model.final_logits_bias[0, PIECES - 1] = -1000  # CTranslate2 leaves padding out
        model.get_decoder().embed_tokens.weight[PIECES - 1] = 0
    if separate:  # as newer models have it
        model.generation_config.bad_words_ids, model.generation_config.renormalize_logits = [[PIECES - 1], [5], [9]], True
    save(model, folder)
    write_json(folder, "vocab.json", {piece: i for i, piece in enumerate(pieces)})
    target = pieces
    if separate:
        target = ["</s>", "<unk>"] + words(0, PIECES - 3, "z") + ["<pad>"]
        write_json(folder, "target_vocab.json", {piece: i for i, piece in enumerate(target)})
    return model, pieces, target


def m2m100(folder, sizes=SIZES):
    pieces = ["<s>", "<pad>", "</s>", "<unk>"] + words(0, PIECES - 6) + LANGUAGES
    config = transformers.M2M100Config(
        vocab_size=PIECES, attn_implementation="eager", activation_function="relu", scale_embedding=True, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, decoder_start_token_id=2, num_beams=5, max_length=LONGEST, forced_eos_token_id=2, **sizes)
    model = transformers.M2M100ForConditionalGeneration(config).eval()
    randomise(model)
    with torch.no_grad():
        model.model.shared.weight[1] = 0
    model.generation_config.forced_bos_token_id = pieces.index("__de__")
    save(model, folder, max_shard_size="20KB")
    write_json(folder, "vocab.json", {piece: i for i, piece in enumerate(pieces[:-2])})
    write_json(folder, "special_tokens_map.json", {"additional_special_tokens": LANGUAGES})
    write_json(folder, "tokenizer_config.json", {"src_lang": "en", "tgt_lang": "de"})
    return model, pieces, pieces


def opennmt(folder, sizes=SMALLER, unknown_last=False):
    """OpenNMT's Transformer: translations begin with <s>, and sources have no end token. OpenNMT-tf
    has the unknown token last (`unknown_last`). Padding has id 1, which the converter assumes."""
    pieces = ["<unk>", "<blank>", "<s>", "</s>"] + words(0, PIECES - 4)
    if unknown_last:
        pieces = ["<s>", "<blank>", "</s>"] + words(0, PIECES - 4) + ["<unk>"]
    pad, begin, end = (pieces.index(piece) for piece in ("<blank>", "<s>", "</s>"))
    config = transformers.M2M100Config(
        vocab_size=PIECES, attn_implementation="eager", activation_function="relu", scale_embedding=True, pad_token_id=pad, bos_token_id=begin,
        eos_token_id=end, decoder_start_token_id=begin, max_length=LONGEST, forced_eos_token_id=end, **sizes)
    model = transformers.M2M100ForConditionalGeneration(config).eval()
    randomise(model)
    save(model, folder)
    return model, pieces, pieces


def pegasus(folder):
    pieces = ["<pad>", "</s>", "<unk>"] + words(0, PIECES - 3)
    config = transformers.PegasusConfig(
        vocab_size=PIECES, attn_implementation="eager", activation_function="relu", scale_embedding=True, pad_token_id=0, eos_token_id=1,
        decoder_start_token_id=0, bos_token_id=None, forced_eos_token_id=1, max_length=LONGEST, **SIZES)
    model = transformers.PegasusForConditionalGeneration(config).eval()
    randomise(model)
    positions = transformers.models.marian.modeling_marian.MarianSinusoidalPositionalEmbedding(48, 16)
    with torch.no_grad():
        for stack in (model.model.encoder, model.model.decoder):
            stack.embed_positions.weight.copy_(positions.create_weight())
    save(model, folder)
    write_json(folder, "tokenizer.json", {
        "model": {"type": "Unigram", "vocab": [[piece, -float(i)] for i, piece in enumerate(pieces[:-1])]},
        "added_tokens": [{"id": PIECES - 1, "content": pieces[-1]}]})
    return model, pieces, pieces


# What the transformers package says of them ---------------------------------------------------------------------------


def forced(model, case):
    """Returns attention, logits and log-probabilities of the target, every row from the model
    itself."""
    with torch.no_grad():
        out = model(input_ids=torch.tensor([case.ids]), output_attentions=True, use_cache=False,  # as FSMT asks for
                    decoder_input_ids=torch.tensor([case.start + case.target[:-1]]))
    for name, layers in (("encoder", out.encoder_attentions), ("decoder", out.decoder_attentions),
                         ("cross", out.cross_attentions)):
        for i, weights in enumerate(layers):
            case.tensors[f"{name}.{i}.weights"] = weights[0]
    if model.generation_config.renormalize_logits:  # as the search has them
        bad = sum(model.generation_config.bad_words_ids, [])
        out.logits[:, :, bad] -= 100 + model.final_logits_bias[0, bad]
    logprobs = out.logits[0].log_softmax(-1)
    case.tensors |= {"encoder.output": out.encoder_last_hidden_state[0], "logits": out.logits[0], "logprobs": logprobs}
    rows = range(len(case.start) - 1, len(case.start) - 1 + len(case.target))
    return [logprobs[row, token].item() for row, token in zip(rows, case.target)]


def greedy(model, case):
    """The ids that generate() finds; at the maximum length the last one is end-of-sentence."""
    found = model.generate(torch.tensor([case.ids]), num_beams=1, do_sample=False, output_scores=True,
                           return_dict_in_generate=True)
    ids = found.sequences[0].tolist()
    if model.generation_config.renormalize_logits:
        scored = Case(case.source, [], case.ids[len(case.source):], ids[1:], case.start)
        for mine, scores, token in zip(forced(model, scored)[:LONGEST - 2], found.scores, ids[1:]):
            assert math.isclose(mine, scores[0, token].item(), abs_tol=1e-5), (mine, scores[0, token].item())
    return ids[len(case.start):]


def beam_search(model, case, beam):
    """The hypotheses that generate() finds if all end before the maximum length and no two are
    equally good; else None."""
    found = model.generate(torch.tensor([case.ids]), num_beams=beam, num_return_sequences=beam, do_sample=False,
                           output_scores=True, return_dict_in_generate=True)
    eos, hypotheses = model.config.eos_token_id, []
    for sequence, score in zip(found.sequences.tolist(), found.sequences_scores.tolist()):
        ids = sequence[len(case.start):]
        if eos not in ids[:LONGEST - len(case.start) - 1]:
            return None
        scored = copy.deepcopy(case)
        scored.target = ids[:ids.index(eos) + 1]
        made = hypothesis(scored.target, forced(model, scored), model.generation_config.length_penalty, len(case.start) - 1)
        assert math.isclose(made["score"], score, abs_tol=1e-5), (made, score)
        if hypotheses and hypotheses[-1]["score"] - made["score"] < MARGIN:
            return None
        hypotheses.append(made)
    return hypotheses


def cases_of(model, generator, before, after, start, usable):
    eos = model.config.eos_token_id
    for _ in range(50 * CASES):
        case = random_case(generator, before, after, start, usable, eos)
        ids = greedy(model, case)
        if set(ids[:-1]) <= set(usable):
            scored = Case(case.source, before, after, ids, start)
            case.hypotheses = [hypothesis(ids, forced(model, scored), counted=len(start) - 1)]
            case.forced = forced(model, case)
            yield case


def hugging_face(name, out, make, **options):
    folder = out / name
    model, source, target = make(folder, **options)
    usable = [i for i, piece in enumerate(source) if piece.startswith("▁")]
    before = [source.index("__en__")] if "__en__" in source else []
    start = [model.config.decoder_start_token_id] + ([source.index("__de__")] if before else [])
    cases = cases_of(model, torch.Generator().manual_seed(len(name)), before, [model.config.eos_token_id], start, usable)
    cases = [next(cases) for _ in range(CASES)]
    write_expected(out / f"{name}.expected", cases, source, target, 1)
    return model, source


# CTranslate2 ----------------------------------------------------------------------------------------------------------


class Tokens:
    """The part of a tokeniser that the converter needs."""

    def __init__(self, pieces):
        self.pieces = pieces
        self.bos_token, self.eos_token, self.unk_token, self.pad_token = "<s>", "</s>", "<unk>", "<pad>"
        self.additional_special_tokens = [piece for piece in pieces if piece in LANGUAGES]
        self.special_tokens_map = {"additional_special_tokens": self.additional_special_tokens}
        self.unk_token_id = pieces.index("<unk>")

    def convert_ids_to_tokens(self, number):
        return self.pieces[number]

    def get_vocab(self):
        return {piece: i for i, piece in enumerate(self.pieces)}


def round_weights(model, kind):
    """Rounds weights so that the storage type holds them exactly."""
    with torch.no_grad():
        if kind == "float16":  # tables of positions, too, which are buffers
            for tensor in [*model.parameters(), *model.buffers()]:
                tensor.copy_(tensor.half().float() if tensor.is_floating_point() else tensor)
        for parameter in model.parameters():
            if kind == "int8" and parameter.dim() == 2:
                scale = 127 / parameter.abs().amax(1, keepdim=True)
                parameter.copy_(torch.where(torch.isfinite(scale), (parameter * scale).round() / scale, parameter))
            if kind == "int16" and parameter.dim() == 2:
                parameter.copy_((parameter * GLOBAL_SCALE).round() / GLOBAL_SCALE)


def logprobs_of(translator, source, targets):
    results = translator.score_batch([source] * len(targets), targets)
    return [result.log_probs for result in results]


def convert(model, pieces, scratch, folder, quantization):
    TransformersConverter.load_tokenizer = lambda self, loader, name, **options: Tokens(pieces)
    save(model, scratch)
    TransformersConverter(str(scratch)).convert(str(folder), quantization=quantization, force=True)
    shutil.rmtree(scratch)


class Around:
    """The tokens around sources and before targets: ids, and the pieces `given` with which
    CTranslate2 must begin.

    The source ends with `end`, as in the model's tokenizer, and may begin with `begin` (BART's
    <s>). Languages come after the sentence and first in the target (mBART-25), or before the
    sentence and after the start token. CTranslate2 gets all this with the source, unless the folder
    says that it adds the end (`adds_end`). `prefix` is given as well, without a language. `beam`
    and `penalty` are those of the search."""

    def __init__(self, model, pieces, languages=(), behind=False, begin=None, end=True, adds_end=False, prefix=None,
                 beam=2, penalty=1.0):
        eos, start = model.config.eos_token_id, model.config.decoder_start_token_id
        source, target = [[pieces.index(one)] for one in languages] or [[], [pieces.index(prefix)] if prefix else []]
        before = [pieces.index(begin)] if begin else source
        self.before, self.after, self.start = [] if behind else before, [eos] * end + source * behind, target if behind else [start] + target
        self.given, self.behind, self.languages = [pieces[i] for i in target], behind, languages
        self.pieces, self.adds_end, self.beam, self.penalty = pieces, adds_end, beam, penalty

    def sent(self, case):
        return [self.pieces[i] for i in (case.source if self.adds_end else case.ids)]

    def logprobs(self, translator, source, targets):
        """Log-probabilities of what follows the given pieces."""
        found = logprobs_of(translator, source, [self.given + target for target in targets])
        return [one[len(one) - len(target) - 1:] for one, target in zip(found, targets)]


def share_of_others(case, eos):
    """The log-probability that the first token is not end-of-sentence. CTranslate2 does not allow
    that and gives all its probability to the others."""
    first = case.tensors["logits"][len(case.start) - 1].double()
    return (torch.cat([first[:eos], first[eos + 1:]]).logsumexp(0) - first.logsumexp(0)).item()


def searched_case(translator, pieces, case, eos, around):
    """Sets CTranslate2's hypotheses if they end by themselves and no decision is close.

    A language after the start token counts as a token there. Directly after a given language a beam
    drops end-of-sentence unless it is the best continuation. mBART, whose small models hardly ever
    end otherwise, is searched greedily."""
    source, first = around.sent(case), case.tensors["logits"][len(case.start) - 1]
    case.beam = 1 if around.behind else around.beam
    if around.given and not around.behind and eos in first.topk(case.beam).indices:
        return False
    given = {"target_prefix": [around.given]} if around.given else {}
    found = translator.translate_batch([source], beam_size=case.beam, num_hypotheses=case.beam, return_scores=True,
                                       max_decoding_length=20, length_penalty=around.penalty, **given)[0]
    if max(map(len, found.hypotheses)) == 20:
        return False
    counted = len(around.given) * (not around.behind)
    targets = [tokens[counted:] for tokens in found.hypotheses]
    shift = 0 if counted else share_of_others(case, eos)
    hypotheses = [hypothesis([pieces.index(token) for token in tokens] + [eos], [first - shift, *later], around.penalty,
                             counted)
                  for tokens, (first, *later) in zip(targets, around.logprobs(translator, source, targets))]
    for one, score in zip(hypotheses, found.scores):
        assert math.isclose(one["score"], score, abs_tol=1e-5), (one, score)
    if len(hypotheses) > 1 and hypotheses[0]["score"] - hypotheses[1]["score"] < 1e-3:
        return False
    if any(pieces[i] in around.languages for one in hypotheses for i in one["ids"]):
        return False  # which no text shows
    if any(set(one["ids"]) & ({*case.start} - {eos}) for one in hypotheses):
        return False  # which attnscope never produces
    case.hypotheses = hypotheses
    return True


def renumber(cases, pieces, source):
    """Sets the ids of sources by the source's own vocabulary."""
    for case in cases:
        case.ids, case.source = ([source.index(pieces[i]) for i in ids] for ids in (case.ids, case.source))


def ctranslate2_folder(name, out, make, kind="float32", change=None, number=CASES, least=SEARCHED, **around):
    """change: edits model.bin and the files beside it; number: of cases, `least` of them with
    hypotheses; around: arguments of Around."""
    scratch, folder = out / "scratch", out / name
    model, pieces, _ = make(scratch)
    round_weights(model, kind)
    convert(model, pieces, scratch, folder, kind if kind in ("float16", "int8") else None)
    if change:
        change(folder / "model.bin")
    packed = folder / "model" if (folder / "model").exists() else folder
    translator = ctranslate2.Translator(str(packed), compute_type="float32")
    own = folder / "source_vocabulary.json"
    source = json.loads(own.read_text(encoding="utf-8")) if own.exists() else None
    usable = [i for i, piece in enumerate(pieces) if piece.startswith("▁") and piece in (source or pieces)]
    eos, around = model.config.eos_token_id, Around(model, pieces, **around)
    generator, cases = torch.Generator().manual_seed(len(name)), []
    searched = 0
    for attempt in range(400):
        case = random_case(generator, around.before, around.after, around.start, usable, eos)
        forced(model, case)
        ended = searched_case(translator, pieces, case, eos, around)
        if not ended and len(cases) >= number - least + searched:
            continue
        target = [pieces[i] for i in case.target[:-1]]
        case.forced = around.logprobs(translator, around.sent(case), [target])[0]
        cases.append(case)
        searched += ended
        if len(cases) >= number and searched >= least:
            break
    assert searched >= least, f"{name}: too few translations end"
    from_zero = model.config.model_type == "marian"
    shown = [piece if piece != "<pad>" or not from_zero else "<zero>" for piece in pieces]
    if source:
        renumber(cases, pieces, source)
    write_expected(out / f"{name}.expected", cases, source or shown, shown, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder that is written")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    hugging_face("hf-marian", out, marian)
    hugging_face("hf-marian-two-vocabularies", out, marian, separate=True)
    hugging_face("hf-m2m100", out, m2m100)
    hugging_face("hf-pegasus", out, pegasus)
    few, smaller = dict(number=6, least=2), functools.partial(marian, sizes=SMALLER)
    ctranslate2_folder("ct2-marian", out, marian)
    ctranslate2_folder("ct2-marian-version5", out, smaller, adds_end=True,
                       change=functools.partial(write_old, version=5, flags=["with_source_eos", "with_target_bos"]), **few)
    small = functools.partial(m2m100, sizes=SMALLER)
    ctranslate2_folder("ct2-m2m100-float16", out, small, "float16", languages=LANGUAGES)
    ctranslate2_folder("ct2-m2m100-int8", out, small, "int8", languages=LANGUAGES)
    torch.manual_seed(3)  # with which enough translations end
    ctranslate2_folder("ct2-marian-two-vocabularies", out, smaller, "float16", change=split_vocabularies, adds_end=True, **few)
    ctranslate2_folder("ct2-version2", out, functools.partial(opennmt, sizes=SMALLER | EIGHT_HEADS), end=False,
                       change=functools.partial(write_old, version=2), **few)
    ctranslate2_folder("ct2-version4", out, opennmt, end=False, change=functools.partial(write_old, version=4), **few)
    torch.manual_seed(2)  # with which enough translations end
    ctranslate2_folder("ct2-version1", out, functools.partial(opennmt, sizes=SMALLER | EIGHT_HEADS, unknown_last=True), "int16",
                       end=False, change=write_first, **few)
    torch.manual_seed(2)
    ctranslate2_folder("ct2-package", out, opennmt, end=False, prefix="▁w3", beam=4, penalty=0.2,  # argostranslate's own
                       change=functools.partial(pack, prefix="▁w3"), **few)


if __name__ == "__main__":
    main()
