/* A model's configuration: the JSON text `attnscope.config` of a checkpoint, parsed.
 *
 * Plain data; config_parse allocates it and config_free frees it. config_parse has checked
 * everything in it (ranges, numbers of heads, unknown keys) except ids against the vocabularies'
 * sizes, which config_check_ids does. In addition to the language's own ranges there are limits
 * (1024 layers and heads, widths of 65536, 2^20 positions, beam 1000), so that heads * head_dim and
 * layers * d_model fit int and every shape 64 bits.
 *
 * `d_ff`, `norm`, `last_norm` and `embedding_norm` are one value for both stacks, or {"encoder": …,
 * "decoder": …}. `last_norm` may be absent: a pre-norm stack ends with a norm of its own then, a
 * post-norm stack with that of its last layer. With true a post-norm stack has a norm behind that
 * one, as nn.Transformer of PyTorch has it. `embedding_norm` may be absent (false).
 *
 * `decoder.recurrence` may be absent ("none"); "ssru": the decoder's layers have a recurrence in
 * the place of self-attention (recurrence_args in gpu/operations.h), as Marian's students do. Its
 * `heads` and `head_dim` are then of cross-attention alone.
 *
 * `special.bos` (may be absent: none) is the token that stands for the beginning of a text. Texts
 * of translations do not show it, as they do not show padding, end-of-sentence and start tokens.
 *
 * `search.specials` (may be absent: "excluded") says whether padding and the start tokens are left
 * out of every search. "allowed": translations may contain them, as in transformers, CTranslate2
 * and OpenNMT-py, which know no such rule. End-of-sentence is never left out, even where it is a
 * start token, too.
 *
 * `search.excluded` (may be absent: []) lists further ids that the search never produces.
 * They keep their share of probability: log-probabilities are those of the whole vocabulary, for
 * forced targets too. Marian treats <unk> so (allow-unk: false), and transformers bad_words_ids:
 * both leave such tokens out of the ranking of a beam. CTranslate2 with disable_unk or
 * suppress_sequences, which are options of a call, gives that share to the other tokens; hypotheses
 * score higher there, forced targets do not. So does transformers with renormalize_logits: the
 * reader of such a model gives these tokens a bias of -100, which leaves them no probability, in
 * forced targets either.
 *
 * `search.min_length` (may be absent: 0) is the number of tokens before end-of-sentence that every
 * translation has, unless it is as long as it may become. End-of-sentence keeps its share of
 * probability until then, unless `search.renormalize` (may be absent: false) gives that share to
 * the other tokens, as CTranslate2 does (src/decoding.cc, apply_min_length before LogSoftMax), and
 * transformers with renormalize_logits. What is said of it holds for all of `search.ends`, and for
 * the search alone: forced targets have the log-probabilities of the whole vocabulary.
 *
 * `search.endings` (may be absent: "best") says when a search of B hypotheses ends, and which of
 * the translations that end it keeps:
 *
 *   "best": it ends when B or more have ended, and keeps the best of all, as CTranslate2 does.
 *
 *   "first": it ends likewise, and keeps the B that ended first, of one step those of higher rank,
 *   as fairseq does.
 *
 *   "narrow": it keeps all. Its beam is narrower by one for each, and it ends when no room is left,
 *   as Marian does.
 *
 *   "attainable": it keeps the B best, and ends when B have ended and the best live hypothesis, with
 *   the length penalty of its length, is no better than the worst of them, as transformers does
 *   without early_stopping.
 *
 *   "top": it keeps the B best. It ranks only B continuations, and ends when the best of these ends
 *   a translation, as OpenNMT-py does.
 *
 *   "never": as "attainable", but what is attainable is taken at the maximum length where the length
 *   penalty favours long translations, as transformers does with early_stopping "never".
 *
 *   "ranked": as "narrow", but translations that have ended compete for their places with the live
 *   hypotheses: their scores, with the length penalty, with sums of log-probabilities without it.
 *   What B others are better than is lost, as in Sockeye.
 *
 * `search.limit` (may be absent: "forced") says how translations end that are as long as they may
 *   become: "forced"  with end-of-sentence, whose log-probability counts, as in fairseq
 *   "free"    likewise, at no cost, as in transformers with forced_eos_token_id
 *   "open"    with the token that is best there: transformers without it, CTranslate2, Marian,
 *   OpenNMT-py, JoeyNMT
 *
 * `search.ends` (may be absent: [special.eos]) lists the tokens at which the search ends a
 * translation, at most ENDS_MOST: transformers' eos_token_id may be a list, or another token than
 * the one that ends sentences for training.
 *
 * `search.length_penalty.offset` (may be absent: 0) is added to the length of a translation, which
 * has no start tokens, before the penalty is taken of it: OpenNMT-py counts the start token,
 * transformers and CTranslate2 what they force behind it, such as the token of a language.
 *
 * `positions.STACK.bias` (may be absent) has `buckets`, `max_distance` and `layers`: "shared" (which
 * may be absent) where all layers add the bias STACK.relative_bias.weight, "separate" where each has
 * its own, STACK.layers.L.relative_bias.weight.
 *
 * `tokenizer.kind` is one of tokenizer_names, or {"source": …, "target": …}. `tokenizer.marks`
 * likewise (may be absent: "none") says how the pieces of "whitespace" mark where words begin, and
 * is "word_end" for "bpe" whose pieces have the ends of words (without it "@@" continues them),
 * `tokenizer.blanks` (may be absent: "ascii") what separates the words of "bpe", "whitespace" and
 * "joiner" (model/text/text.h). Four more members may be absent: `tokenizer.added`
 * (config_parts.h), `tokenizer.language_codes` (false), `tokenizer.last_blank` (false) and
 * `tokenizer.punctuation` ("kept"; "normalized" before Moses, as FSMTTokenizer has it).
 * `languages` may be absent (config_languages.h).
 *
 * Two objects may be absent: `alignment`, {"layer", "heads"}, counted from 0, names heads of
 * cross-attention that align words; `origin` tells what the model was converted from
 * (config_parts.h). So may `left_out`, options of the toolkit that the model is from which the
 * search here does not have: a list of texts, such as "no_repeat_ngram_size 3".
 */
#ifndef ATTNSCOPE_CONFIG_H
#define ATTNSCOPE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "gpu/backend.h"
#include "model/text/text.h"

/* Limits of the loader that others rely on. */
enum { CONFIG_MAX_HEADS = 1024, CONFIG_MAX_BEAM = 1000, CONFIG_MAX_OFFSET = 1000 };

enum stack { STACK_ENCODER, STACK_DECODER, STACK_COUNT };

/* The three kinds of attention module. MODULE_ENCODER is encoder self-attention. */
enum module { MODULE_ENCODER, MODULE_DECODER, MODULE_CROSS, MODULE_COUNT };

enum positions_kind { POSITIONS_SINUSOIDAL, POSITIONS_LEARNED, POSITIONS_NONE };
enum positions_layout { LAYOUT_HALVES, LAYOUT_HALVES_FAIRSEQ, LAYOUT_INTERLEAVED };
enum length_penalty { PENALTY_NONE, PENALTY_AVERAGE, PENALTY_WU };

/* Context vectors of queries and keys (Yang et al. 2019), as bits. */
enum { CONTEXT_GLOBAL = 1, CONTEXT_DEEP = 2, CONTEXT_DEEP_GLOBAL = 4 };
enum { SIDE_Q, SIDE_K, SIDE_COUNT };

struct attention_config {
    struct head *heads; // (H)
    bool dhicm;         // else W_O
    int d_m;            // of dhicm
    unsigned context;   // CONTEXT_… bits that have tensors in this layer; 0: none
    enum gate_scope gate;
    bool sides[SIDE_COUNT]; // which of queries and keys are mixed with context
};

struct stack_config {
    int layers, heads, head_dim, d_ff;
    bool pre_norm;       // x + f(norm(x)) instead of norm(x + f(x))
    bool last_norm;      // a norm behind the last layer
    bool embedding_norm; // a norm of what is embedded, positions included
    enum positions_kind positions;
    enum positions_layout layout;
    int offset;
    bool recurrent; // the decoder's layers have a recurrence (ssru) in the place of self-attention
    int buckets;    // of the relative position bias of self-attention (Raffel et al. 2020); 0: none
    int max_distance;     // all distances from this one on are in the last bucket
    bool separate_biases; // each layer has such a bias of its own; otherwise all share one
};

enum { SPECIAL_PAD, SPECIAL_EOS, SPECIAL_UNK, SPECIAL_BOS, SPECIAL_COUNT };
enum { SIDE_SOURCE, SIDE_TARGET };

struct id_list {
    int *ids; // (count); below 0: TOKEN_SOURCE_LANGUAGE, TOKEN_TARGET_LANGUAGE
    int count;
};

/* In lists of ids: the token of a language that is chosen at run time (config_languages.h). */
enum { TOKEN_SOURCE_LANGUAGE = -1, TOKEN_TARGET_LANGUAGE = -2 };

/* The languages that have a token. */
struct languages {
    char **names;  // (count), NULL at the end
    int (*ids)[2]; // (count) of the token in the source's and in the target's vocabulary
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
    struct stack_config stacks[STACK_COUNT];
    struct attention_config *attention[MODULE_COUNT]; // (layers of the module's stack)
    enum tied tied_target;                            // TIED_NOT or TIED_SOURCE_EMBEDDING
    enum tied tied_output;
    int special[SPECIAL_COUNT][2];    // [SIDE_SOURCE], [SIDE_TARGET]; SPECIAL_BOS -1: none
    struct id_list prefix, suffix;    // around the source's tokens
    struct id_list start;             // of every target
    struct id_list excluded;          // search.excluded
    struct id_list ends;              // search.ends
    struct languages languages;       // empty: the lists hold ids alone
    char **choices[2];                // names to choose from for a side, NULL at the end
    enum tokenizer_kind tokenizer[2]; // of each side
    enum piece_marks marks[2];        // of whitespace, and of bpe where they are MARKS_WORD_END
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
        int offset;    // tokens that the penalty counts besides those of a hypothesis
        double factor; // maximum length = factor * source length + plus
        int plus;
        int most;              // and no more than that; 0: no such limit
        int min_length;        // tokens before end-of-sentence
        bool renormalize;      // until then it has no probability
        bool specials_allowed; // else padding and start tokens are never produced
        enum endings endings;
        enum search_limit at_limit; // search.limit
    } search;
    struct {
        int layer;            // of cross-attention
        struct id_list heads; // none: the model names no layer and no head
    } alignment;              // heads that align words, by training (guided alignment) or by choice
    struct model_origin origin;
    char **left_out; // NULL at the end; or NULL: nothing
    char *json;      // the text it was parsed from, for `:info`
};

/* Parses and checks the JSON text. NULL on failure; messages name the field:
 * "attention[2].heads: 7 entries, expected 8 (encoder.heads)". */
struct config *config_parse(const char *json, size_t bytes, struct status *status);
void config_free(struct config *config); // NULL: nothing

/* True if every id is one of its vocabulary's, and tied embeddings have equally many rows. */
bool config_check_ids(const struct config *config, int source_size, int target_size,
                      struct status *status);

/* Names in the configuration language, for messages, commands and JSON. */
extern const char *const stack_names[STACK_COUNT];         // encoder, decoder
extern const char *const module_names[MODULE_COUNT];       // encoder, decoder, cross
extern const char *const pattern_names[PATTERN_COUNT + 1]; // current, …; NULL at the end
enum { PATTERN_OFFSET_MOST = 1 << 20 };                    // of a Gaussian pattern, to either side
/* True if a Gaussian pattern can have it: neither a single weight beyond all bounds nor none at all. */
static inline bool deviation_valid(double deviation)
{
    return deviation >= 0.1 && deviation <= 1e6;
}
/* True if entmax can have that α: from softmax to sparsemax. */
static inline bool alpha_valid(double alpha)
{
    return alpha >= 1 && alpha <= 2;
}
/* The α of a learned head, which is a float; and what a head has of it (struct head, entmax), exactly. */
static inline float head_alpha(const struct head *head)
{
    return 1 + head->entmax;
}
static inline float entmax_of(double alpha)
{
    return (float)alpha - 1;
}
extern const char *const mask_names[]; // global, local, forward, backward; NULL at the end
extern const char *const activation_names[ACTIVATION_COUNT]; // none, relu, …
extern const char *const penalty_names[];                    // none, average, wu; NULL at the end
extern const char *const endings_names[];             // best, first, narrow, …; NULL at the end
extern const char *const limit_names[];               // forced, free, open; NULL at the end
extern const char *const gate_side_names[SIDE_COUNT]; // q, k

/* The stack that a module belongs to, and the self-attention of a stack. */
enum stack module_stack(enum module module);
enum module stack_self(enum stack stack);
/* Layers and heads of a module. Decoder self-attention has no layers where the decoder is
 * recurrent. */
int module_layers(const struct config *config, enum module module);
int module_heads(const struct config *config, enum module module);
int module_head_dim(const struct config *config, enum module module);
/* The number of heads for which the checkpoint has queries and keys. */
int learned_heads(const struct config *config, enum module module, int layer);
/* Columns of the context tensor of one kind in a 0-based layer: d, layer*d, (layer+1)*d. */
int context_size(const struct config *config, unsigned kind, int layer);

#endif
