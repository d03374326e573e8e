"""The models of the golden data, and what each one tests."""

from .golden_blocks import BLOCKS
from .golden_models import (PATTERNS, Case, Tiny, context, dhicm, fixed, learned, positions, rule,
                            search, size)

MMA = [learned(), learned({"local": 1}), learned("forward"), learned("backward")]
PAPER_7F1L = fixed(*PATTERNS[:7]) + [learned()]
NO_BIASES = ("*_attention.?.bias", "output.bias", "*.gate_?.bias")
SHARED_SPECIALS = {0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>"}

VANILLA = [
    Tiny("vanilla_post", {}, [Case(2), Case(7, "random", unknown=True), Case(16)]),
    # Everything optional is absent. Sentences end as in fairseq's models: translations start from
    # </s>.
    Tiny("vanilla_pre", {
        "norm": "pre", "activation": "gelu", "d_model": 18, "embedding_scale": 4.2426405,
        "positions": {"encoder": {"kind": "sinusoidal", "layout": "interleaved"},
                      "decoder": {"kind": "sinusoidal", "layout": "interleaved"}},
        "encoder": size(2, 3, 5), "decoder": size(2, 3, 5),
        "tied": {"output": "target_embedding"}, "target": {"start": [2]},
        "tokenizer": {"kind": "whitespace"}, "search": search(3, "wu", 0.6)},
        [Case(1, "random"), Case(7), Case(14, "random", beam=1)], absent=NO_BIASES, end_share=0.0,
        dtype="float16"),
    Tiny("learned_positions_tied", {
        "activation": "swish", "max_positions": 24,
        "positions": {"encoder": positions("learned", offset=2),
                      "decoder": positions("learned", offset=1)},
        "tied": {"target_embedding": "source_embedding", "output": "target_embedding"},
        "special": {"pad": 1, "eos": 2, "unk": 3}, "source": {"prefix": [4], "suffix": [2]},
        "target": {"start": [2, 5]}, "search": search(5, "average", 0.8, factor=2.0, plus=1)},
        [Case(2), Case(7, "random", unknown=True), Case(13)],
        specials=SHARED_SPECIALS | {4: "<2de>", 5: "<de>"}, shared=True,
        absent=("*.k.bias", "output.bias")),
    Tiny("asymmetric", {
        "d_model": 20, "d_ff": 24, "norm": "pre", "norm_eps": 1e-3, "embedding_scale": 1.0,
        "positions": {"encoder": positions("sinusoidal", "halves_fairseq", 2),
                      "decoder": positions("sinusoidal", "interleaved", 1)},
        "encoder": size(3, 3, 7), "decoder": size(1, 2, 9),
        "search": search(4, "wu", 1.0)},
        [Case(1), Case(7, "random", gains={("encoder", 2, 1): 0.0, ("cross", 0, 1): 0.0}),
         Case(15, "random", gains={("decoder", 0, 0): 0.25})], absent=("*.o.bias",)),
    Tiny("one_head_halves_fairseq", {
        "positions": {"encoder": positions("sinusoidal", "halves_fairseq", 1),
                      "decoder": positions("none")},
        "encoder": size(2, 1, 6), "decoder": size(2, 1, 5), "activation": "gelu",
        "search": search(3, "none", 0.0)},
        [Case(3), Case(7, "random", gains={("encoder", 0, 0): 0.0, ("decoder", 1, 0): 0.5})],
        absent=("*.q.bias", "*.v.bias"), dtype="bfloat16"),
    # A copy of the source's table gives the logits, while the decoder embeds with its own.
    Tiny("output_from_source_embedding", {
        "norm": "pre", "tied": {"target_embedding": None, "output": "source_embedding"},
        "special": {"pad": 1, "eos": 2, "unk": 3}, "target": {"start": [0]}},
        [Case(2, "random"), Case(8)], specials=SHARED_SPECIALS, shared=True),
    Tiny("target_from_source_embedding", {
        "d_model": 18, "embedding_scale": 2.5, "encoder": size(2, 2, 9), "decoder": size(2, 3, 6),
        "tied": {"target_embedding": "source_embedding"},
        "special": {"pad": 1, "eos": 2, "unk": 3}, "source": {"prefix": [], "suffix": []},
        "target": {"start": [2]}, "search": search(5, "none", 1.0)},
        [Case(1), Case(7, "random", unknown=True)], specials=SHARED_SPECIALS, shared=True,
        dtype="float16"),
    # One piece occurs twice in each vocabulary: looking it up gives the lower id; either may be
    # produced.
    Tiny("specials_differ", {
        "special": {"pad": {"source": 0, "target": 38}, "eos": {"source": 3, "target": 1},
                    "unk": {"source": 12, "target": 7}},
        "source": {"prefix": [5, 0], "suffix": [3]}, "target": {"start": [40, 39]},
        "search": search(3, "average", 0.5)},
        [Case(2, unknown=True), Case(7, "random", unknown=True), Case(12)],
        specials={0: "<blank>", 3: "<end>", 5: "<from_en>", 12: "<what>", 20: "dog"},
        target_specials={1: "</s>", 7: "<unk>", 38: "<pad>", 39: "<to_de>", 40: "<go>",
                         30: "Hund"}),
    # Too little room: every hypothesis ends at the maximum length.
    Tiny("forced_ends", {
        "max_positions": 9, "target": {"start": [2, 1]},
        "positions": {"encoder": positions("learned"), "decoder": positions("learned")},
        "search": search(4, "average", 1.0, factor=1.5, plus=0)},
        [Case(1, "random"), Case(2), Case(3), Case(8, beam=2)], end_share=0.0),
    # factor * n + plus below one still leaves end-of-sentence. The file is as untidy as the format
    # allows: numbers at odd offsets, and no line break at the end of the vocabularies.
    Tiny("ends_at_once", {
        "encoder": size(1, 2, 8), "decoder": size(1, 2, 8), "source": {"prefix": [], "suffix": []},
        "search": search(3, "wu", 1.0, factor=0.25, plus=0)},
        [Case(2, "random"), Case(9)], end_share=0.0, untidy=True,
        target_specials={0: "<pad>", 1: "<s>", 2: "</s>", 3: "<what>"}),
]

MASKS = [
    Tiny("mma_encoder", {
        "positions": {"encoder": positions("none"), "decoder": positions("learned")},
        "max_positions": 32, "attention": [rule("encoder", "self", heads=MMA)]},
        [Case(2), Case(7, "random", masks={("encoder", 0, 0): {"local": 2},
                                           ("encoder", 1, 3): "global"}), Case(16)],
        dtype="float16"),
    Tiny("mma_everywhere", {
        "norm": "pre", "source": {"prefix": [1], "suffix": [2]},
        "attention": [rule("encoder", "self", heads=MMA),
                      rule("encoder", "self", [1], heads=[learned({"local": 2}), *MMA[1:]]),
                      rule("decoder", "self", heads=MMA),
                      rule("decoder", "self", [0], heads=[*MMA[:3], learned({"local": 2})]),
                      rule("decoder", "cross", heads=[learned({"local": 2}), *MMA[1:]])]},
        [Case(3), Case(7, "random", unknown=True, masks={("cross", 0, 0): "backward",
                                                         ("decoder", 1, 1): "forward"}), Case(14)],
        dtype="float16"),
    # Targets are longer than their source: some rows of cross-attention see nothing.
    Tiny("mma_cross_empty_rows", {
        "source": {"prefix": [], "suffix": []}, "decoder": size(2, 3, 6),
        "attention": [rule("decoder", "cross",
                           heads=[learned({"local": 1}), learned("forward"), learned("backward")])],
        "search": search(3, "wu", 0.8, factor=2.0, plus=6)},
        [Case(1, "random"), Case(3), Case(6, "random", gains={("cross", 1, 2): 0.0})],
        absent=("*.v.bias",), end_share=0.0),
]

FIXED = [
    Tiny("fixed_7f1l", {
        "encoder": size(3, 8, 2), "decoder": size(1, 4, 4),
        "attention": [rule("encoder", "self", "all", heads=PAPER_7F1L)]},
        [Case(1), Case(7, "random", gains={("encoder", layer, 7): 0.0 for layer in range(3)}),
         Case(13, gains={("encoder", layer, 1): 0.0 for layer in range(3)})]),
    Tiny("fixed_8f", {
        "encoder": size(2, 8, 3), "activation": "swish",
        "attention": [rule("encoder", "self", heads=fixed(*PATTERNS))]},
        [Case(2), Case(7, "random", patterns={("encoder", 0, 7): ("current", "token")})],
        absent=("*.o.bias",), dtype="bfloat16"),
    Tiny("fixed_decoder", {
        "attention": [rule("decoder", "self", [0], heads=fixed(*PATTERNS[:4])),
                      rule("decoder", "self", [1], heads=fixed(*PATTERNS[4:]))]},
        [Case(2, "random"), Case(7, gains={("decoder", 0, 1): 0.5}), Case(12, "random")],
        dtype="bfloat16"),
    Tiny("fixed_cross", {
        "norm": "pre", "source": {"prefix": [], "suffix": []},
        "attention": [rule("decoder", "cross", [0], heads=fixed(*PATTERNS[:4])),
                      rule("decoder", "cross", [1], heads=fixed(*PATTERNS[4:]))],
        "search": search(3, "average", 1.0, factor=2.0, plus=3)},
        [Case(1), Case(4, "random"), Case(8)]),
    # A learned head may be given a pattern at run time and then does not need its q and k.
    Tiny("fixed_mixed_stacks", {
        "decoder": size(2, 3, 5),
        "attention": [rule("encoder", "self", [1], heads=[learned(), *fixed("next"), learned(),
                                                          *fixed("sentence_end")]),
                      rule("decoder", "self",
                           heads=[*fixed("previous"), learned({"local": 2}), learned()]),
                      rule("decoder", "cross",
                           heads=[learned(), *fixed("current"), learned("forward")])]},
        [Case(2), Case(7, patterns={("encoder", 0, 2): ("left_context", "token"),
                                    ("encoder", 1, 2): ("previous", "word"),
                                    ("cross", 1, 0): ("last", "token")}),
         Case(12, "random", masks={("decoder", 0, 2): {"local": 1}},
              patterns={("decoder", 0, 1): ("sentence_start", "token")})]),
]

# Patterns over words need subwords. Small vocabularies cut most words into pieces.
SENTENCEPIECE = {"kind": "sentencepiece", "size": 72}
BPE = {"kind": "bpe", "merges": 60, "size": 70}


def word(*patterns):
    return fixed(*patterns, unit="word")


WORDS = [
    Tiny("words_7f1l_sentencepiece", {
        "encoder": size(2, 8, 2), "norm": "pre",
        "special": {"pad": 1, "eos": 2, "unk": 3}, "target": {"start": [2]},
        "tied": {"target_embedding": "source_embedding", "output": "target_embedding"},
        "attention": [rule("encoder", "self", heads=word(*PATTERNS[:7]) + [learned()])],
        "search": search(3, "average", 1.0, factor=0.5, plus=4)},
        [Case(1), Case(3, "random", unknown=True), Case(4)],
        subword=SENTENCEPIECE, specials=SHARED_SPECIALS, shared=True, end_share=0.0),
    Tiny("words_everywhere_sentencepiece", {
        "source": {"prefix": [4], "suffix": [2]}, "target": {"start": [1, 5]},
        "attention": [rule("encoder", "self", [0], heads=word(*PATTERNS[:4])),
                      rule("encoder", "self", [1], heads=word(*PATTERNS[4:])),
                      rule("decoder", "self", [0], heads=word(*PATTERNS[:4])),
                      rule("decoder", "self", [1], heads=word(*PATTERNS[4:])),
                      rule("decoder", "cross", [0], heads=word(*PATTERNS[4:])),
                      rule("decoder", "cross", [1], heads=word(*PATTERNS[:4]))],
        "search": search(3, "wu", 0.6, factor=0.5, plus=5)},
        [Case(1, "random"), Case(3, "random", unknown=True), Case(4)],
        subword=SENTENCEPIECE, specials={0: "<pad>", 1: "<s>", 2: "</s>", 3: "<unk>", 4: "<2de>",
                                         5: "<de>"}, dtype="float16"),
    Tiny("words_everywhere_bpe", {
        "norm": "pre", "decoder": size(2, 5, 3),
        "attention": [rule("encoder", "self", [0], heads=word(*PATTERNS[2:6])),
                      rule("encoder", "self", [1], heads=[*fixed("left_context"),
                                                          *word("left_context"), *MMA[:2]]),
                      rule("decoder", "self",
                           heads=word("current", "previous", "left_context", "sentence_start",
                                      "last")),
                      rule("decoder", "cross",
                           heads=word("next", "left_context", "right_context", "current",
                                      "sentence_end"))],
        "search": search(4, "average", 0.7, factor=0.5, plus=5)},
        [Case(1), Case(3, "random", unknown=True), Case(5, "random")],
        subword=BPE, absent=("*.o.bias",)),
    # As in IWSLT's preparation: Moses, then lowercase, then subwords. Ids are shuffled, because
    # pieces are looked up by text, and some are missing.
    Tiny("moses_lowercase_sentencepiece", {
        "tokenizer": {"kind": "sentencepiece", "pretokenizer": "moses", "lowercase": True},
        "special": {"pad": 0, "eos": 2, "unk": 3}, "encoder": size(1, 4, 4),
        "attention": [rule("encoder", "self", heads=[*word("previous", "next"), *MMA[:2]])],
        "search": search(3, "average", 1.0, factor=0.5, plus=5)},
        [Case(2), Case(8, text=("The dog isn't (so) old, Mr.",
                                "Alt & \"rot\".")),
         Case(4, "random", patterns={("encoder", 0, 3): ("left_context", "word"),
                                     ("cross", 1, 0): ("current", "word"),
                                     ("decoder", 0, 3): ("previous", "word")})],
        subword=SENTENCEPIECE | {"shuffle": True, "model": "bpe"}, drop_pieces=3),
    Tiny("moses_bpe", {
        "tokenizer": {"kind": "bpe", "pretokenizer": "moses", "lowercase": False},
        "special": {"pad": 1, "eos": 2, "unk": 3}, "decoder": size(1, 4, 4),
        "tied": {"target_embedding": "source_embedding", "output": "source_embedding"},
        "attention": [rule("encoder", "self", [0], heads=word(*PATTERNS[1:5]))],
        "search": search(2, "wu", 1.0, factor=0.5, plus=5)},
        [Case(2), Case(4, text=("Is the river, today, not red?", "Der Fluss, heute nicht.")),
         Case(3, "random", unknown=True)],
        subword=BPE, specials=SHARED_SPECIALS, shared=True),
    # The library's own normalisation: full-width letters, ligatures, runs of blanks.
    Tiny("nfkc_sentencepiece", {
        "encoder": size(1, 2, 8), "decoder": size(1, 2, 8), "activation": "gelu",
        "tokenizer": {"kind": "sentencepiece", "lowercase": True},
        "special": {"pad": 1, "eos": 2, "unk": 3},
        "target": {"start": [2]}, "search": search(3, "none", 1.0, factor=0.5, plus=4)},
        [Case(2, text=("\uff34he \ufb02ower  sleeps.", "Das  Kind schl\u00e4ft.")),
         Case(3, "random")],
        subword=SENTENCEPIECE | {"normalization": "nmt_nfkc"}, specials=SHARED_SPECIALS,
        shared=True),
]

DHICM = [
    Tiny("dhicm_last_layers", {
        "attention": [rule("encoder", "self", [1], combine=dhicm(16)),
                      rule("decoder", "self", [1], combine=dhicm(16)),
                      rule("decoder", "cross", [1], combine=dhicm(16))]},
        [Case(2), Case(7, "random", gains={("encoder", 1, 0): 0.0, ("decoder", 1, 2): 0.25,
                                           ("cross", 1, 1): 0.0, ("cross", 0, 3): 0.0}),
         Case(12)]),
    Tiny("dhicm_encoder_fixed", {
        "norm": "pre", "encoder": size(2, 5, 3), "source": {"prefix": [], "suffix": []},
        "attention": [rule("encoder", "self", combine=dhicm(6),
                           heads=[*fixed("current", "previous", "next"), learned(),
                                  learned("backward")]),
                      rule("encoder", "self", [0], heads=fixed(*PATTERNS[3:]))]},
        [Case(1), Case(7, gains={("encoder", 0, h): 0.0 for h in range(5)}
                       | {("encoder", 1, 3): 2.5}), Case(9, "random")],
        absent=("*.v.bias",), dtype="bfloat16"),
    Tiny("dhicm_decoder", {
        "norm": "pre", "activation": "swish", "decoder": size(2, 3, 4),
        "attention": [rule("decoder", "self", combine=dhicm(10)),
                      rule("decoder", "self", [0], heads=[*fixed("previous"), learned(),
                                                          learned({"local": 1})])],
        "search": search(1, "none", 0.0)},
        [Case(2), Case(7, "random", gains={("decoder", 0, 0): 0.5}), Case(12, beam=3)]),
    Tiny("dhicm_cross_fixed", {
        "decoder": size(2, 3, 5),
        "attention": [rule("decoder", "cross", combine=dhicm(8),
                           heads=[*fixed("current"), learned({"local": 2}), *fixed("last")])],
        "search": search(3, "average", 1.0)},
        [Case(2, "random"), Case(7, patterns={("cross", 0, 1): ("sentence_start", "token")})]),
]

CONTEXT = [
    Tiny("context_global", {
        "attention": [rule("encoder", "self", context=context("global"))]},
        [Case(2), Case(7, "random"), Case(12)]),
    Tiny("context_deep_head_gates", {
        "norm": "pre", "encoder": size(3, 3, 5), "decoder": size(1, 4, 4),
        "attention": [rule("encoder", "self", context=context("deep", gate="head"))]},
        [Case(2), Case(7, "random", gains={("encoder", 2, 1): 0.0})],
        absent=("*.gate_?.bias",)),
    Tiny("context_deep_global_decoder", {
        "decoder": size(3, 2, 6), "encoder": size(1, 4, 4),
        "attention": [rule("decoder", "self", context=context("deep_global", gate="none"))]},
        [Case(2), Case(7), Case(11, "random")], dtype="float16"),
    Tiny("context_both_stacks", {
        "attention": [rule(stack, "self", context=context("deep_global", "deep"))
                      for stack in ("encoder", "decoder")]},
        [Case(2), Case(7, "random"), Case(11)], absent=("*.q.bias", "*.gate_q.bias"),
        dtype="float16"),
    Tiny("context_all_kinds_keys", {
        "norm": "pre",
        "attention": [rule("encoder", "self",
                           context=context("global", "deep", "deep_global", gate="head",
                                           sides="k")),
                      rule("decoder", "self",
                           context=context("deep_global", "global", "deep", sides="q"))]},
        [Case(2), Case(7, "random")], absent=("*.gate_k.bias",), dtype="float16"),
    # Only some layers have contexts; those read the inputs of the layers without.
    Tiny("context_some_layers", {
        "encoder": size(3, 3, 4), "decoder": size(3, 2, 7), "activation": "swish",
        "attention": [rule("encoder", "self", [2], context=context("deep", sides="k")),
                      rule("decoder", "self", [0], context=context("global", "deep", gate="head",
                                                                   sides="q")),
                      rule("decoder", "self", [2], context=context("deep", gate="none"))],
        "search": search(3, "wu", 0.6)},
        [Case(1), Case(7), Case(10, "random")],
        dtype="bfloat16"),
    Tiny("context_fixed_heads", {
        "norm": "pre",
        "attention": [rule("encoder", "self", context=context("global", "deep", gate="head"),
                           heads=[*fixed("previous"), learned(), *fixed("sentence_start"),
                                  learned({"local": 1})]),
                      rule("decoder", "self", [1], context=context("deep_global"),
                           heads=[learned(), *fixed("left_context"), learned("forward"),
                                  *fixed("current")])]},
        [Case(2), Case(7, "random", gains={("encoder", 1, 0): 0.0},
                       patterns={("encoder", 0, 1): ("next", "token")}), Case(11)]),
    # Every head of the first layer is fixed, so that nothing there has a context. The second
    # layer's deep context still reads its input.
    Tiny("context_above_fixed_layer", {
        "attention": [rule("encoder", "self",
                           context=context("deep", "global", gate="none", sides="q")),
                      rule("encoder", "self", [0], heads=fixed(*PATTERNS[:4]))]},
        [Case(2, "random"), Case(7, beam=1)], absent=("*.k.bias",)),
]

MIXTURES = [
    Tiny("mixture_encoder", {
        "norm": "pre", "activation": "gelu", "d_model": 20, "encoder": size(2, 5, 3),
        "positions": {"encoder": positions("none"),
                      "decoder": positions("sinusoidal", "interleaved", 1)},
        "attention": [rule("encoder", "self", combine=dhicm(7),
                           context=context("deep_global", gate="head", sides="k"),
                           heads=[*word("previous", "right_context"), learned(),
                                  learned({"local": 1}), *fixed("next")])],
        "search": search(3, "average", 1.0, factor=0.5, plus=4)},
        [Case(1), Case(3, "random", unknown=True, gains={("encoder", 1, 2): 0.0,
                                                         ("encoder", 0, 0): 0.5}), Case(4)],
        subword=BPE, dtype="float16"),
    Tiny("mixture_decoder", {
        "encoder": size(1, 3, 5), "decoder": size(2, 4, 5), "source": {"prefix": [2], "suffix": []},
        "attention": [rule("decoder", "self", combine=dhicm(9), context=context("global", "deep"),
                           heads=[*fixed("previous"), learned({"local": 2}), learned(),
                                  *fixed("sentence_end")]),
                      rule("decoder", "cross", [0], heads=[learned({"local": 1}),
                                                           *fixed("current", "right_context"),
                                                           learned("backward")]),
                      rule("decoder", "cross", [1], combine=dhicm(5),
                           heads=[*fixed("last"), learned(), learned("forward"), learned()])],
        "search": search(4, "wu", 0.9)},
        [Case(2), Case(7, "random", gains={("decoder", 0, 2): 0.0, ("cross", 1, 0): 0.0},
                       masks={("cross", 1, 1): {"local": 2}}), Case(10)],
        absent=("*.v.bias", "*.o.bias")),
    # Rules apply in order: each key of a later rule replaces that key.
    Tiny("mixture_rules", {
        "norm": "pre",
        "attention": [rule("encoder", "self", heads=MMA, combine=dhicm(4)),
                      rule("decoder", "self", [1, 0], heads=MMA, context=context("global")),
                      rule("encoder", "self", [0], combine={"kind": "concat"}),
                      rule("decoder", "self", [1], context=None,
                           heads=[{"energy": "learned"}, {"energy": "fixed", "pattern": "last"},
                                  *MMA[2:]]),
                      rule("encoder", "self", [1], heads=[*fixed("next"), *MMA[1:]],
                           context={"vectors": ["deep"]})],
        "tied": {"output": "target_embedding"}},
        [Case(2), Case(7, "random"), Case(11)], absent=NO_BIASES),
]

MODELS = VANILLA + MASKS + FIXED + WORDS + DHICM + CONTEXT + MIXTURES + BLOCKS
