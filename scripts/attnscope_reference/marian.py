"""Converts Marian's parameters to a checkpoint of the reference, which computes what Marian's
src/models/transformer.h does."""

import math

import torch

from .checkpoint import Checkpoint, modules

ZERO = "<zero>"  # the piece with the zero embedding with which the decoder begins
UNLIKELY = -1000.0


class Names:
    """Takes parameters by Marian's names and returns tensors by ours."""

    def __init__(self, parameters):
        self.parameters = {name: torch.from_numpy(array.copy()).double() for name, array in parameters.items()
                           if not name.startswith("special:")}
        self.tensors = {}

    def linear(self, weight, bias, ours):
        self.tensors[f"{ours}.weight"] = self.parameters[weight].T.contiguous()
        if bias:
            self.tensors[f"{ours}.bias"] = self.parameters[bias].flatten()

    def norm(self, theirs, suffix, ours):
        self.tensors[f"{ours}.weight"] = self.parameters[f"{theirs}_ln_scale{suffix}"].flatten()
        self.tensors[f"{ours}.bias"] = self.parameters[f"{theirs}_ln_bias{suffix}"].flatten()

    def attention(self, theirs, suffix, ours, norm):
        for which in "qkvo":
            self.linear(f"{theirs}_W{which}", f"{theirs}_b{which}", f"{ours}.{which}")
        self.norm(f"{theirs}_Wo", suffix, norm)

    def feed_forward(self, theirs, suffix, ours, norm):
        self.linear(f"{theirs}_W1", f"{theirs}_b1", f"{ours}.in")
        self.linear(f"{theirs}_W2", f"{theirs}_b2", f"{ours}.out")
        self.norm(f"{theirs}_ffn", suffix, norm)

    def stack(self, stack, layers, tied, pre):
        suffix = "_pre" if pre else ""
        for layer in range(layers):
            theirs = f"{stack}_l{tied[layer] if tied else layer + 1}"
            ours = f"{stack}.layers.{layer}"
            if f"{theirs}_rnn_W" in self.parameters:
                self.linear(f"{theirs}_rnn_W", None, f"{ours}.recurrence.input")
                self.linear(f"{theirs}_rnn_Wf", f"{theirs}_rnn_bf", f"{ours}.recurrence.forget")
                self.norm(f"{theirs}_rnn" if pre else f"{theirs}_rnn_ffn", suffix, f"{ours}.norm1")
            else:
                self.attention(f"{theirs}_self", suffix, f"{ours}.self_attention", f"{ours}.norm1")
            if stack == "decoder":
                self.attention(f"{theirs}_context", suffix, f"{ours}.cross_attention", f"{ours}.norm2")
            self.feed_forward(f"{theirs}_ffn", suffix, f"{ours}.ffn", f"{ours}.norm{2 if stack == 'encoder' else 3}")
        if f"{stack}_emb_ln_scale_pre" in self.parameters:
            self.norm(f"{stack}_emb", "_pre", f"{stack}.embedding_norm")
        if f"{stack}_top_ln_scale" in self.parameters:
            self.norm(f"{stack}_top", "", f"{stack}.norm")

    def embeddings(self, shared):
        """True if the source's embedding has the row of zeros, too."""
        def grown(matrix):
            return torch.cat([matrix, torch.zeros(1, matrix.shape[1], dtype=torch.float64)])

        p = self.parameters
        source, target = (p.get("Wemb", p.get(f"{stack}_Wemb")) for stack in ("encoder", "decoder"))
        grows = shared or "Wemb" in p
        self.tensors["source_embedding.weight"] = grown(source) if grows else source
        self.tensors["target_embedding.weight"] = grown(target)
        output = p.get("decoder_ff_logit_out_Wt", target)
        self.tensors["output.weight"] = grown(output)
        bias = p["decoder_ff_logit_out_b"].flatten()
        self.tensors["output.bias"] = torch.cat([bias, torch.full((1,), UNLIKELY, dtype=torch.float64)])
        return grows


def config_of(options, decoder, kind, target_size):
    d, heads = options["dim-emb"], options["transformer-heads"]
    pre = options["transformer-preprocess"] == "n"
    plain = options.get("transformer-disable-position-embeddings", False)
    positions = {"kind": "none"} if plain else {"kind": "sinusoidal", "layout": "halves_fairseq", "offset": 0}
    ffn = {"encoder": options["transformer-dim-ffn"],
           "decoder": options.get("transformer-decoder-dim-ffn", 0) or options["transformer-dim-ffn"]}
    stacks = {stack: {"layers": options[depth], "heads": heads, "head_dim": d // heads}
              for stack, depth in (("encoder", "enc-depth"), ("decoder", "dec-depth"))}
    if options["transformer-decoder-autoreg"] == "rnn":
        stacks["decoder"]["recurrence"] = "ssru"
    return stacks | {
        "source_language": "source", "target_language": "target", "d_model": d, "d_ff": ffn,
        "activation": options["transformer-ffn-activation"], "norm": "pre" if pre else "post", "norm_eps": 1e-6,
        "last_norm": options.get("transformer-postprocess-top") == "n",
        "embedding_scale": 1.0 if plain else math.sqrt(d),
        "positions": {"encoder": positions, "decoder": positions}, "attention": [],
        "tied": {"target_embedding": None, "output": None}, "special": {"pad": {"source": 1, "target": target_size},
                                                                      "eos": 0, "unk": 1},
        "source": {"prefix": [], "suffix": [0]}, "target": {"start": [target_size]},
        "embedding_norm": "n" in options["transformer-postprocess-emb"],
        "tokenizer": {"kind": kind}, "max_positions": 4096,
        "search": {"beam": decoder["beam-size"], "excluded": [1], "endings": "narrow",
                   "length_penalty": {"kind": "average", "alpha": decoder["normalize"]},
                   "max_length": {"factor": decoder.get("max-length-factor", 3), "plus": 1}}}


def checkpoint_of(parameters, options, decoder, vocabularies, tokenizers):
    """vocabularies: the pieces of both sides; tokenizers: SentencePiece models, or None."""
    source, target = vocabularies
    config = config_of(options, decoder, "sentencepiece" if tokenizers[0] else "whitespace", len(target))
    names = Names(parameters)
    pre = config["norm"] == "pre"
    names.stack("encoder", options["enc-depth"], None, pre)
    names.stack("decoder", options["dec-depth"], options.get("transformer-tied-layers"), pre)
    grows = names.embeddings(source == target)
    checkpoint = Checkpoint(config, names.tensors, source + [ZERO] * grows, target + [ZERO], *tokenizers)
    checkpoint.modules = {(module.name, module.layer): module for module in modules(config)}
    return checkpoint
