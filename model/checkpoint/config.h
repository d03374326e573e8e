/* A model's configuration: the JSON text `attnscope.config` of a checkpoint, parsed.
 *
 * Plain data; config_parse allocates it and config_free frees it. config_parse checks everything
 * (ranges, numbers of heads, unknown keys) except ids against the vocabularies' sizes, which
 * config_check_ids does. Limits beyond the language's own ranges (1024 layers and heads, widths of
 * 65536, 2^20 positions, beam 1000) ensure that heads * head_dim and layers * d_model fit int and
 * every shape 64 bits.
 *
 * A complete example, with a fixed head (Raganato et al. 2020):
 *
 *   {"name": "en-de-fixed", "source_language": "en", "target_language": "de",
 *    "d_model": 128, "d_ff": 256, "activation": "relu", "norm": "pre", "norm_eps": 1e-5,
 *    "embedding_scale": 11.313708,
 *    "positions": {"encoder": {"kind": "sinusoidal", "layout": "interleaved", "offset": 0},
 *                  "decoder": {"kind": "sinusoidal", "layout": "interleaved", "offset": 0}},
 *    "encoder": {"layers": 4, "heads": 2, "head_dim": 64},
 *    "decoder": {"layers": 2, "heads": 2, "head_dim": 64},
 *    "attention": [{"stack": "encoder", "kind": "self", "layers": "all",
 *                   "heads": [{"energy": "fixed", "pattern": "previous", "unit": "word"},
 *                             {"energy": "learned", "mask": "global"}]}],
 *    "tied": {"target_embedding": "source_embedding", "output": "target_embedding"},
 *    "special": {"pad": 0, "eos": 2, "unk": 3},
 *    "source": {"prefix": [], "suffix": [2]}, "target": {"start": [1]},
 *    "tokenizer": {"kind": "sentencepiece"}, "max_positions": 1024,
 *    "search": {"beam": 5, "length_penalty": {"kind": "average", "alpha": 1},
 *               "max_length": {"factor": 2, "plus": 10}}}
 *
 * `attention` (may be absent) is a list of rules for modules: `stack` and `kind` are "encoder" and
 * "self", "decoder" and "self", or "decoder" and "cross". `layers`: "all" (also if absent) or a
 * list, counted from 0. Rules apply in order, each with the members that it has:
 *
 *   heads    one entry for each head: {"energy": "learned"}, with `mask` "global" (also if absent),
 *            {"local": WIDTH}, "forward" or "backward" (Cui et al. 2019), and `alpha` from 1 (also
 *            if absent) to 2 (Correia et al. 2019); or {"energy": "fixed"}, with `pattern`, one of
 *            pattern_names, `unit` "token" (also if absent) or "word" and, of "gaussian", `offset`
 *            and `deviation` (You et al. 2020)
 *   combine  {"kind": "concat"} or {"kind": "dhicm", "d_m": 128} (Goindani and Shrivastava 2021)
 *   context  null or {"vectors": ["deep_global", "deep"], "gate": "token", "sides": "qk"}, of
 *            self-attention (Yang et al. 2019): vectors of "global", "deep" and "deep_global"; gate
 *            "token" (also if absent), "head" or "none"; sides "q", "k" or "qk" (also if absent)
 *
 * `d_ff`, `norm`, `last_norm`, `embedding_norm` and `output_norm` are one value for both stacks, or
 * {"encoder": …, "decoder": …}. `last_norm` may be absent: a pre-norm stack then ends with its own
 * norm, a post-norm stack with that of its last layer. If true, a post-norm stack has another norm
 * after that one, like PyTorch's nn.Transformer. `embedding_norm` may be absent (false), as may
 * `output_norm`: if true, a layer adds the norm of each sublayer's output to the stream, as in
 * Gemma 2.
 *
 * `decoder.recurrence` may be absent ("none"); "ssru": the decoder's layers have a recurrence
 * instead of self-attention (recurrence_args in gpu/operations.h), like Marian's students. Its
 * `heads` and `head_dim` then apply only to cross-attention.
 *
 * `special.bos` (may be absent: none) is the token for the beginning of a text. Texts of
 * translations omit it, as they omit padding, end-of-sentence and start tokens.
 *
 * `target.prefix` (may be absent: []) is what the text of a given target begins with, after the
 * start tokens. These tokens are predicted and scored, as BART learns to begin its translations
 * with <s>; texts of translations omit only those that are special.
 *
 * `search.specials` (may be absent: "excluded") tells whether every search excludes padding and the
 * start tokens. "allowed": translations may contain them, as in transformers, CTranslate2 and
 * OpenNMT-py, which have no such rule. End-of-sentence is never excluded, even if it is also a
 * start token.
 *
 * `search.excluded` (may be absent: []) lists further ids that the search never produces. They keep
 * their share of probability: log-probabilities are over the whole vocabulary, also for forced
 * targets. Marian treats <unk> this way (allow-unk: false), and transformers bad_words_ids: both
 * omit such tokens when they rank a beam. CTranslate2 with disable_unk or suppress_sequences, which
 * are call options, gives that share to the other tokens; hypotheses then score higher, but forced
 * targets do not. transformers with renormalize_logits does the same: the reader of such a model
 * gives these tokens a bias of -100, which leaves them no probability, not even in forced targets.
 *
 * `search.min_length` (may be absent: 0) is the minimum number of tokens before end-of-sentence in
 * every translation that does not reach the maximum length. Until then end-of-sentence keeps its
 * share of probability, unless `search.renormalize` (may be absent: false) gives that share to the
 * other tokens, as in CTranslate2 (src/decoding.cc, apply_min_length before LogSoftMax) and
 * transformers with renormalize_logits. This applies to all of `search.ends`, and only to the
 * search: log-probabilities of forced targets are over the whole vocabulary.
 *
 * `search.endings` (may be absent: "best") defines when a search of B hypotheses ends, and which of
 * the ended translations it keeps:
 *
 *   "best": ends when B or more have ended, and keeps the best of all, as in CTranslate2.
 *
 *   "first": ends at the same time, and keeps the B that ended first (within a step those of higher
 *   rank), as in fairseq.
 *
 *   "narrow": keeps all. Each narrows the beam by one, and the search ends when no room is left, as
 *   in Marian.
 *
 *   "attainable": keeps the B best, and ends when B have ended and the best live hypothesis, with
 *   the length penalty of its current length, is no better than the worst of them, as in
 *   transformers without early_stopping.
 *
 *   "top": keeps the B best. It ranks only B continuations, and ends when the best of these ends a
 *   translation, as in OpenNMT-py.
 *
 *   "never": as "attainable", but assumes the maximum length for live hypotheses if the length
 *   penalty favours long translations, as in transformers with early_stopping "never".
 *
 *   "ranked": as "narrow", but ended translations compete with live hypotheses for places: scores
 *   with the length penalty against sums of log-probabilities without it. Those that B others
 *   surpass are lost, as in Sockeye.
 *
 * `search.limit` (may be absent: "forced") defines how translations of the maximum length end:
 *   "forced"  with end-of-sentence, whose log-probability counts, as in fairseq
 *   "free"    the same at no cost, as in transformers with forced_eos_token_id
 *   "open"    with the best token, as in transformers without it, CTranslate2, Marian, OpenNMT-py
 *             and JoeyNMT
 *
 * `search.ends` (may be absent: [special.eos]) lists up to ENDS_MOST tokens at which the search
 * ends a translation: transformers' eos_token_id may be a list, or differ from the token that ends
 * sentences in training.
 *
 * `search.length_penalty.offset` (may be absent: 0) is added to the length of a translation, which
 * excludes start tokens, before the penalty is computed: OpenNMT-py counts the start token;
 * transformers and CTranslate2 count what they force after it, such as a language token.
 *
 * `positions.STACK.bias` (may be absent) has `buckets`, `max_distance` and `layers`: "shared" (the
 * default) if all layers add the bias STACK.relative_bias.weight, "separate" if each has its own,
 * STACK.layers.L.relative_bias.weight.
 *
 * `positions.STACK.kind` "rotary" rotates queries and keys of self-attention (gpu/operations.h,
 * rotate_args) by angles p / base^(2k/head_dim); `layout` "halves" pairs column k of a head with
 * k + head_dim/2, as in Gemma, and "interleaved" columns 2k and 2k + 1, as in the paper. `base` may
 * be absent (10000).
 *
 * `attention_cap` c (may be absent: none) bounds the energies e of attention, with their scale and
 * bias: c tanh(e / c). `output_cap` bounds logits in the same way.
 *
 * `STACK.kv_heads` (may be absent: `heads`) is how many heads of keys and values a stack's modules
 * have in the file; adjacent heads share them, in groups of heads / kv_heads (Ainslie et al. 2023,
 * "GQA"). Then all heads are learned. On the device every head has its own copy.
 *
 * `tokenizer.kind` is one of tokenizer_names, or {"source": …, "target": …}. `tokenizer.marks`, in
 * the same form (may be absent: "none"), tells how the pieces of "whitespace" mark the beginnings
 * of words, and is "word_end" for "bpe" whose pieces mark the ends of words (otherwise "@@"
 * continues them). `tokenizer.blanks` (may be absent: "ascii") tells what separates the words of
 * "bpe", "whitespace" and "joiner" (model/text/text.h). Four more members may be absent:
 * `tokenizer.added` (config_parts.h), `tokenizer.language_codes` (false), `tokenizer.last_blank`
 * (false) and `tokenizer.punctuation` ("kept"; "normalized" before Moses, as in FSMTTokenizer).
 * `languages` may be absent (config_languages.h).
 *
 * Two objects may be absent: `alignment`, {"layer", "heads"}, counted from 0, names heads of
 * cross-attention that align words; `origin` describes what the model was converted from
 * (config_parts.h). `left_out` may be absent, too: a list of options of the original toolkit that
 * the search here does not support, such as "no_repeat_ngram_size 3".
 */
#ifndef ATTNSCOPE_CONFIG_H
#define ATTNSCOPE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "gpu/backend.h"
#include "model/text/text.h"

/* Limits enforced by the loader, on which other code relies. */
enum { CONFIG_MAX_HEADS = 1024, CONFIG_MAX_BEAM = 1000, CONFIG_MAX_OFFSET = 1000 };

enum stack { STACK_ENCODER, STACK_DECODER, STACK_COUNT };

/* The three kinds of attention module. MODULE_ENCODER is encoder self-attention. */
enum module { MODULE_ENCODER, MODULE_DECODER, MODULE_CROSS, MODULE_COUNT };

enum positions_kind { POSITIONS_SINUSOIDAL, POSITIONS_LEARNED, POSITIONS_NONE, POSITIONS_ROTARY };
enum positions_layout { LAYOUT_HALVES, LAYOUT_HALVES_FAIRSEQ, LAYOUT_INTERLEAVED };
enum length_penalty { PENALTY_NONE, PENALTY_AVERAGE, PENALTY_WU };

/* Context vectors of queries and keys (Yang et al. 2019), as bits. */
enum { CONTEXT_GLOBAL = 1, CONTEXT_DEEP = 2, CONTEXT_DEEP_GLOBAL = 4 };
enum { SIDE_Q, SIDE_K, SIDE_COUNT };

struct attention_config {
    struct head *heads; // (H)
    bool dhicm;         // else W_O
    int d_m;            // with dhicm
    unsigned context;   // CONTEXT_… bits with tensors in this layer; 0: none
    enum gate_scope gate;
    bool sides[SIDE_COUNT]; // which of queries and keys are mixed with context
};

struct stack_config {
    int layers, heads, head_dim, d_ff;
    int kv_heads;        // of keys and values in the file
    bool pre_norm;       // x + f(norm(x)) instead of norm(x + f(x))
    bool last_norm;      // a norm after the last layer
    bool embedding_norm; // a norm of the embeddings, including positions
    bool output_norm;    // norm(f(…)) instead of f(…): a norm of each sublayer's output
    enum positions_kind positions;
    enum positions_layout layout;
    int offset;
    double rotary_base;
    bool recurrent; // the decoder's layers have a recurrence (ssru) instead of self-attention
    int buckets;    // of the relative position bias of self-attention (Raffel et al. 2020); 0: none
    int max_distance;     // this and all larger distances are in the last bucket
    bool separate_biases; // each layer has its own bias; otherwise all share one
};

enum { SPECIAL_PAD, SPECIAL_EOS, SPECIAL_UNK, SPECIAL_BOS, SPECIAL_COUNT };
enum { SIDE_SOURCE, SIDE_TARGET };

struct id_list {
    int *ids; // (count); below 0: TOKEN_SOURCE_LANGUAGE, TOKEN_TARGET_LANGUAGE
    int count;
};

/* In lists of ids: the token of a language that is chosen at run time (config_languages.h). */
enum { TOKEN_SOURCE_LANGUAGE = -1, TOKEN_TARGET_LANGUAGE = -2 };

/* The languages with a token. */
struct languages {
    char **names;  // (count), NULL-terminated
    int (*ids)[2]; // (count) of the token in the source and target vocabularies
    int count;
};

/* A file that a model was converted from. */
struct model_file {
    char *name, *sha256;
};

struct model_origin {
    char *family;             // NULL: the model was not converted
    struct model_file *files; // (file_count)
    int file_count;
};

enum tied { TIED_NOT, TIED_SOURCE_EMBEDDING, TIED_TARGET_EMBEDDING };

struct config {
    char *name, *source_language, *target_language;
    int d_model;
    enum activation activation;
    bool gated;    // feed-forward layers: out(activation(gate(x)) * in(x)), else
                   // out(activation(in(x)))
    bool rms_norm; // RMS norm, without bias; else layer norm
    float norm_eps;
    float embedding_scale;
    float attention_scale; // of attention energies; 0: 1 / sqrt(head_dim)
    float output_scale;    // of the decoder's output, from which logits are computed
    float attention_cap;   // of attention energies; 0: none
    float output_cap;      // of logits; 0: none
    struct stack_config stacks[STACK_COUNT];
    struct attention_config *attention[MODULE_COUNT]; // (layers of the module's stack)
    enum tied tied_target;                            // TIED_NOT or TIED_SOURCE_EMBEDDING
    enum tied tied_output;
    int special[SPECIAL_COUNT][2];    // [SIDE_SOURCE], [SIDE_TARGET]; SPECIAL_BOS -1: none
    struct id_list prefix, suffix;    // around the source's tokens
    struct id_list start;             // of every target
    struct id_list target_prefix;     // of given targets
    struct id_list excluded;          // search.excluded
    struct id_list ends;              // search.ends
    struct languages languages;       // empty: the lists only hold ids
    char **choices[2];                // names to choose from for a side, NULL-terminated
    enum tokenizer_kind tokenizer[2]; // of each side
    enum piece_marks marks[2];        // of whitespace, and of bpe if MARKS_WORD_END
    enum blanks blanks[2];            // of bpe, whitespace and joiner
    bool moses, lowercase;
    bool normalized;           // punctuation, before Moses
    struct added_token *added; // (added_count), of both sides
    int added_count;
    bool language_codes, last_blank; // of the tokenisers (tokenizer_spec)
    int max_positions;
    struct {
        int beam;
        enum length_penalty penalty;
        double alpha;
        int offset;    // tokens that the penalty counts in addition to those of a hypothesis
        double factor; // maximum length = factor * source length + plus
        int plus;
        int most;              // upper bound on the maximum length; 0: none
        int min_length;        // tokens before end-of-sentence
        bool renormalize;      // it has no probability until then
        bool specials_allowed; // else padding and start tokens are never produced
        enum endings endings;
        enum search_limit at_limit; // search.limit
    } search;
    struct {
        int layer;            // of cross-attention
        struct id_list heads; // empty: the model names no layer or heads
    } alignment;              // heads that align words, by training (guided alignment) or by choice
    struct model_origin origin;
    char **left_out; // NULL-terminated; or NULL: nothing
    char *json;      // the text it was parsed from, for `:info`
};

/* Parses and checks the JSON text. NULL on failure; messages name the field:
 * "attention[2].heads: 7 entries, expected 8 (encoder.heads)". */
struct config *config_parse(const char *json, size_t bytes, struct status *status);
void config_free(struct config *config); // NULL: nothing

/* True if every id is in its vocabulary, and tied embeddings have the same number of rows. */
bool config_check_ids(const struct config *config, int source_size, int target_size,
                      struct status *status);

/* Names in the configuration language, for messages, commands and JSON. */
extern const char *const stack_names[STACK_COUNT];         // encoder, decoder
extern const char *const module_names[MODULE_COUNT];       // encoder, decoder, cross
extern const char *const pattern_names[PATTERN_COUNT + 1]; // current, …; NULL-terminated
enum { PATTERN_OFFSET_MOST = 1 << 20 };                    // of a Gaussian pattern, to either side
/* True if a Gaussian pattern can have this deviation: its weights are bounded and do not vanish. */
#define DEVIATION_LEAST 0.1
#define DEVIATION_MOST 1e6
static inline bool deviation_valid(double deviation)
{
    return deviation >= DEVIATION_LEAST && deviation <= DEVIATION_MOST;
}
/* True if entmax supports this α: from softmax to sparsemax. */
static inline bool alpha_valid(double alpha)
{
    return alpha >= 1 && alpha <= 2;
}
/* The α of a learned head, a float; and the exact value of struct head's entmax for an α. */
static inline float head_alpha(const struct head *head)
{
    return 1 + head->entmax;
}
static inline float entmax_of(double alpha)
{
    return (float)alpha - 1;
}
extern const char *const mask_names[]; // global, local, forward, backward; NULL-terminated
extern const char *const activation_names[ACTIVATION_COUNT]; // none, relu, …
extern const char *const penalty_names[];                    // none, average, wu; NULL-terminated
extern const char *const endings_names[];             // best, first, narrow, …; NULL-terminated
extern const char *const limit_names[];               // forced, free, open; NULL-terminated
extern const char *const gate_side_names[SIDE_COUNT]; // q, k

/* The stack that a module belongs to, and the self-attention of a stack. */
enum stack module_stack(enum module module);
enum module stack_self(enum stack stack);
/* Layers and heads of a module. Decoder self-attention has no layers if the decoder is
 * recurrent. */
int module_layers(const struct config *config, enum module module);
int module_heads(const struct config *config, enum module module);
int module_head_dim(const struct config *config, enum module module);
/* The number of heads for which the checkpoint has queries and keys. */
int learned_heads(const struct config *config, enum module module, int layer);
/* Columns of the context tensor of one kind in a 0-based layer: d, layer*d, (layer+1)*d. */
int context_size(const struct config *config, unsigned kind, int layer);

#endif
