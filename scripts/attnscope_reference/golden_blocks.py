"""Golden models whose blocks differ from the first Transformer's: norms, feed-forward layers, energies."""

from .golden_models import (Case, Tiny, context, dhicm, fixed, learned, positions, rule, search,
                            size)

# Learned heads that are lent Gaussians, in every module, over tokens and over words.
GAUSSIANS = [Case(4, patterns={("encoder", 0, 0): (("gaussian", -1, 1.0), "token"),
                               ("encoder", 0, 1): (("gaussian", 2, 0.75), "token"),
                               ("decoder", 0, 1): (("gaussian", -1, 2.0), "word"),
                               ("cross", 0, 0): (("gaussian", 0, 0.5), "token")})]

# Rotary positions beside contexts, DHICM and a bias, under caps.
ROTARY = {"positions": {"encoder": {"kind": "rotary", "layout": "interleaved", "base": 50.0},
                        "decoder": {"kind": "rotary", "layout": "interleaved", "bias": {"buckets": 6, "max_distance": 5}}},
          "attention_cap": 1.5, "output_cap": 6.0, "encoder": size(1, 3, 2),
          "attention": [rule("encoder", "self", context=context("deep_global", gate="head"),
                             heads=[*fixed("next"), learned(), learned("backward")]),
                        rule("decoder", "self", combine=dhicm(5), context=context("global", sides="k"))]}

# Heads of entmax, beside one of softmax and one with a mask.
ENTMAX = [rule("encoder", "self", heads=[learned(alpha=1.5), learned({"local": 2}, 1.25)]),
          rule("decoder", "self", heads=[learned(alpha=2.0), learned(alpha=1.03)]),
          rule("decoder", "cross", heads=[learned(alpha=1.7), learned()])]

BLOCKS = [
    Tiny("rms_norm_pre", {
        "norm": "pre", "norm_kind": "rms", "norm_eps": 1e-6, "d_model": 18, "activation": "swish",
        "positions": {"encoder": positions("sinusoidal"), "decoder": positions("none")},
        "encoder": size(2, 3, 5), "decoder": size(2, 2, 9), "search": search(3, "wu", 0.6)},
        [Case(1), Case(7, "random", gains={("encoder", 0, 1): 0.0}), Case(12)]),
    Tiny("rms_norm_post", {
        "norm_kind": "rms",
        "attention": [rule("encoder", "self", context=context("deep"))]},
        [Case(2), Case(7, "random")], dtype="float16"),
    Tiny("stacks_differ", {
        "norm": {"encoder": "pre", "decoder": "post"}, "last_norm": False,
        "d_ff": {"encoder": 40, "decoder": 20}, "activation": "gelu", "encoder": size(3, 2, 8),
        "attention": [rule("encoder", "self", context=context("deep", "global"))]},
        [Case(2), Case(8, "random", gains={("encoder", 1, 0): 0.0, ("encoder", 2, 1): 0.0})],
        dtype="float16"),
    Tiny("decoder_without_last_norm", {
        "norm": {"encoder": "post", "decoder": "pre"}, "last_norm": False,
        "d_ff": {"encoder": 12, "decoder": 30}, "decoder": size(3, 4, 4),
        "tied": {"output": "target_embedding"}},
        [Case(3, "random"), Case(9, gains={("decoder", 2, 1): 0.0})], dtype="bfloat16"),
    # Behind the norm of the last layer another one, as nn.Transformer has it unless it is told else.
    Tiny("last_norm_post", {
        "last_norm": True, "d_model": 12, "d_ff": 20, "encoder": size(2, 2, 6), "decoder": size(2, 3, 4),
        "tied": {"output": "target_embedding"}, "search": search(3, "average", 1.0)},
        [Case(2), Case(7, "random", gains={("encoder", 1, 0): 0.0, ("cross", 1, 2): 0.0}), Case(5, beam=1)],
        dtype="float16"),
    # States that the logits are computed from are scaled by it; deep contexts read what lies before it.
    Tiny("last_norm_post_contexts", {
        "last_norm": {"encoder": True, "decoder": True}, "norm_kind": "rms", "output_scale": 0.5,
        "d_model": 8, "d_ff": 12, "encoder": size(3, 2, 4), "decoder": size(2, 2, 4),
        "attention": [rule("encoder", "self", context=context("deep", "global")),
                      rule("decoder", "self", context=context("deep"))]},
        [Case(2), Case(6, "random", gains={("encoder", 1, 1): 0.0, ("encoder", 2, 0): 0.0})], dtype="float16"),
    Tiny("last_norm_post_encoder", {
        "norm": {"encoder": "post", "decoder": "pre"},
        "last_norm": {"encoder": True, "decoder": False}, "d_model": 8, "d_ff": 12,
        "encoder": size(2, 2, 4), "decoder": size(2, 2, 4)},
        [Case(3), Case(6, "random")], dtype="float16"),
    Tiny("last_norm_post_recurrent", {
        "last_norm": {"encoder": False, "decoder": True}, "d_model": 8, "d_ff": 12,
        "encoder": size(1, 2, 4), "decoder": size(2, 2, 4) | {"recurrence": "ssru"}},
        [Case(3), Case(6, "random", gains={("cross", 0, 1): 0.0})], dtype="float16"),
    # Heads whose sizes do not add up to the width, and energies that are not divided by their root.
    Tiny("unscaled_attention", {
        "norm": "pre", "norm_kind": "rms", "d_model": 20, "attention_scale": 1.0,
        "encoder": size(2, 3, 9), "decoder": size(2, 4, 3),
        "attention": [rule("decoder", "cross", heads=[learned(), learned({"local": 1}),
                                                      learned("backward"), *fixed("current")])],
        "search": search(3, "average", 1.0)},
        [Case(2), Case(7, "random", gains={("encoder", 1, 0): 0.0}), Case(11)]),
    Tiny("gated_ffn", {
        "norm": "pre", "gated_ffn": True, "activation": "gelu", "d_ff": 37,
        "search": search(3, "none", 0.0)},
        [Case(2), Case(7, "random"), Case(10)], absent=("*.ffn.*.bias",), dtype="bfloat16"),
    Tiny("gated_ffn_post", {
        "gated_ffn": True, "activation": "relu", "norm_kind": "rms", "output_scale": 0.25,
        "tied": {"output": "target_embedding"}},
        [Case(1), Case(7, "random")], absent=("*.ffn.out.bias",)),
    # As BART has it, and as mBART: what is embedded is normalised before the first layer sees it. As Gemma 2 has it: what
    # a sublayer gives is normalised before it is added.
    Tiny("embedding_norm_post", {
        "embedding_norm": True, "activation": "gelu", "embedding_scale": 1.0, "max_positions": 24,
        "output_norm": {"encoder": True, "decoder": False}, "d_model": 8, "d_ff": 12, "decoder": size(2, 2, 4),
        "positions": {"encoder": positions("learned", offset=2),
                      "decoder": positions("learned", offset=2)},
        "encoder": size(2, 2, 4), "tied": {"output": "target_embedding"}},
        [Case(1), Case(5, "random", gains={("encoder", 1, 1): 0.0})], dtype="float16"),
    Tiny("embedding_norm_pre", {
        "embedding_norm": {"encoder": True, "decoder": False}, "norm": "pre",
        "output_norm": True, "last_norm": {"encoder": True, "decoder": False}, "d_model": 8, "d_ff": 12,
        "encoder": size(2, 3, 5), "decoder": size(2, 2, 4)},
        [Case(2, "random"), Case(5, gains={("encoder", 1, 0): 0.0})], dtype="bfloat16"),
    Tiny("embedding_norm_below_deep_context", {
        "embedding_norm": True, "norm": {"encoder": "post", "decoder": "pre"},
        "encoder": size(2, 2, 4), "decoder": size(2, 2, 4), "d_model": 8, "d_ff": 12,
        "embedding_scale": 2.0,
        "attention": [rule("encoder", "self", context=context("deep")),
                      rule("decoder", "self", context=context("deep_global"))]},
        [Case(2), Case(7, "random")], dtype="float16"),
    # Distances up to far beyond the last bucket, heads with masks and patterns beside plain ones.
    Tiny("relative_bias", {
        "norm": "pre", "norm_kind": "rms", "attention_scale": 1.0, "encoder": size(2, 4, 3),
        "output_scale": 0.5,
        "decoder": size(2, 3, 5),
        "positions": {"encoder": {"kind": "none", "bias": {"buckets": 10, "max_distance": 12}},
                      "decoder": {"kind": "none", "bias": {"buckets": 7, "max_distance": 9}}},
        "attention": [rule("encoder", "self", [1], heads=[learned({"local": 3}), *fixed("next"),
                                                          learned("forward"), learned()])],
        "search": search(3, "average", 1.0)},
        [Case(2), Case(7, "random", gains={("encoder", 0, 3): 0.0, ("decoder", 1, 0): 0.5},
                       masks={("encoder", 0, 1): "backward", ("decoder", 0, 2): {"local": 2}},
                       patterns={("encoder", 0, 2): ("previous", "token")}),
         Case(24, "random")]),
    # One stack alone, beside positions of the other kinds, under contexts and DHICM; fewer positions than distances.
    Tiny("relative_bias_mixture", {
        "max_positions": 20, "norm": {"encoder": "post", "decoder": "pre"},
        "positions": {"encoder": positions("learned") | {"bias": {"buckets": 32,
                                                                  "max_distance": 128}},
                      "decoder": positions("sinusoidal")},
        "attention": [rule("encoder", "self", context=context("global", gate="head")),
                      rule("encoder", "self", [1], combine=dhicm(6))]},
        [Case(3), Case(16, "random", gains={("encoder", 1, 0): 0.0})], dtype="float16"),
    # As Gemma 2 has them: rotary positions, caps, windows, heads that share keys and values.
    Tiny("rotary_capped", {
        "norm": "pre", "norm_kind": "rms", "gated_ffn": True, "activation": "gelu_tanh", "d_model": 8, "d_ff": 12,
        "positions": {"encoder": {"kind": "rotary", "layout": "halves"},
                      "decoder": {"kind": "rotary", "layout": "halves", "base": 100.0}},
        "encoder": size(1, 4, 4) | {"kv_heads": 2}, "decoder": size(1, 2, 6) | {"kv_heads": 1},
        "attention_scale": 0.5, "attention_cap": 2.0, "output_cap": 4.0,
        "attention": [rule("encoder", "self", heads=[*[learned({"local": 2})] * 2, learned(alpha=1.5), learned()])],
        "tied": {"output": "target_embedding"}, "search": search(4, "average", 1.0)},
        [Case(2), Case(6, "random", gains={("encoder", 0, 2): 0.0, ("cross", 0, 1): 0.5},
                       masks={("encoder", 0, 1): "global", ("decoder", 0, 1): {"local": 2}},
                       patterns={("decoder", 0, 0): ("previous", "token")})], dtype="float16", absent=("*.bias",)),
    # Decoders without self-attention, beneath both placements of norms; a beam whose states change places.
    Tiny("recurrent_post", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(2, 2, 4) | {"recurrence": "ssru"}, "search": search(4, "average", 1.0)},
        [Case(2), Case(6, "random", gains={("cross", 1, 1): 0.0}), Case(5, beam=1)]),
    Tiny("recurrent_pre", {
        "norm": "pre", "encoder": size(1, 2, 8),
        "decoder": size(2, 3, 4) | {"recurrence": "ssru"},
        "attention": [rule("decoder", "cross", [0], combine=dhicm(6))]},
        [Case(3), Case(9, "random")], dtype="float16"),
    # Of the likeliest tokens some are never produced, though they may be in a given target.
    Tiny("excluded_tokens", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(1, 2, 4),
        "search": search(4, "average", 1.0) | {"excluded": list(range(3, 40, 2))}},
        [Case(2), Case(6, "random"), Case(5, beam=1)], dtype="float16"),
    # Translations may contain padding and the start token, which excluded_tokens leaves out.
    Tiny("specials_allowed", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(1, 2, 4),
        "search": search(4, "average", 1.0) | {"specials": "allowed", "excluded": list(range(3, 46))}},
        [Case(2), Case(6, "random"), Case(5, beam=1), Case(7, beam=3)], dtype="float16"),
    # Translations that could end sooner, and of which more end at once than the beam has room for.
    Tiny("first_endings", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(1, 2, 4),
        "search": search(4, "average", 1.0) | {"endings": "first", "min_length": 2}},
        [Case(2), Case(6, "random"), Case(5, beam=1), Case(7, beam=3)], dtype="float16"),
    Tiny("narrow_endings", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(1, 2, 4),
        "search": search(5, "wu", 0.8) | {"endings": "narrow", "min_length": 1}},
        [Case(2), Case(6, "random"), Case(5, beam=1), Case(7, beam=3)], dtype="float16"),
    # End-of-sentence, which is likely, has no probability at first.
    Tiny("renormalized", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(1, 2, 4),
        "search": search(4, "average", 1.0) | {"min_length": 3, "renormalize": True}},
        [Case(2), Case(6, "random"), Case(5, beam=1), Case(7, beam=3)], dtype="float16"),
    Tiny("attainable_endings", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(1, 2, 4),
        "search": search(4, "average", 1.0) | {"endings": "attainable"}},
        [Case(2), Case(6, "random"), Case(5, beam=1), Case(7, beam=3), Case(9, beam=2)], dtype="float16"),
    Tiny("top_endings", {
        "d_model": 8, "d_ff": 12, "embedding_scale": 2.0, "encoder": size(1, 2, 4),
        "decoder": size(1, 2, 4),
        "search": search(4, "average", 1.0, offset=1) | {"endings": "top"}},
        [Case(2), Case(6, "random"), Case(5, beam=1), Case(7, beam=3), Case(9, beam=2)], dtype="float16"),
] + [
    Tiny(f"activation_{name}", {
        "activation": name, "d_model": 8, "d_ff": 12, "embedding_scale": 2.0,
        "encoder": size(1, 2, 4), "decoder": size(1, 2, 4), "tied": {"output": "target_embedding"}}
        | {"gelu_tanh": {"attention": ENTMAX}, "sigmoid": ROTARY}.get(name, {}),
        [Case(2, "random"), Case(5)] + (GAUSSIANS if name == "tanh" else []), dtype="float16")
    for name in ("gelu_tanh", "gelu_sigmoid", "tanh", "sigmoid")
]
