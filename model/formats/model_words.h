/* Code shared by several families' readers: our tensor names and the parts of our configuration.
 * Private to model/formats.
 */
#ifndef ATTNSCOPE_MODEL_WORDS_H
#define ATTNSCOPE_MODEL_WORDS_H

#include "model/formats/contents.h"

/* In lists of ids: the token of the chosen language among `languages`. */
enum { PLAIN_SOURCE_LANGUAGE = -1, PLAIN_TARGET_LANGUAGE = -2 };

/* The configuration of a plain Transformer (model/checkpoint/config.h). Texts are borrowed. */
struct plain_config {
    const char *name, *source_language, *target_language;
    int64_t d_model;
    const char *activation; // activation_names of model/checkpoint/config.h
    bool gated;             // feed-forward layers have a gate
    bool rms_norm;
    double norm_eps, embedding_scale;
    double attention_scale, output_scale; // 0: the usual ones
    double attention_cap, output_cap;     // 0: none
    struct {
        int64_t layers, heads, d_ff;
        int64_t head_dim;              // 0: d_model / heads
        int64_t buckets, max_distance; // of the bias of relative positions; 0: none
        bool separate_biases;          // of the layers
        bool pre_norm;
        bool no_last_norm, last_norm; // of pre-norm; of post-norm
        bool embedding_norm, output_norm;
        bool recurrent;        // for the decoder: SSRU instead of self-attention
        const char *positions; // "sinusoidal", "learned", "rotary", "none"
        const char *layout;    // of sinusoidal and rotary positions
        int64_t offset;
        double rotary_base;        // 0: 10000
        int64_t kv_heads;          // 0: heads
        const json_t *windowed;    // layers of self-attention that look `window` positions far;
        int64_t window;            // NULL: none
    } stacks[2];                   // encoder, decoder
    bool tied_target, tied_output; // to the source's embedding; to the target's
    int64_t pad, eos_source, eos_target, unk;
    bool has_bos;
    int64_t bos[2];      // of the source, of the target; if has_bos
    bool source_differs; // in the next fields; then pad and unk are the target's
    int64_t pad_source, unk_source;
    const json_t *languages;                // {NAME: ID} or NULL; includes the two above
    int64_t prefix[4], suffix[4], start[4]; // ids, or PLAIN_… for a language's token
    int64_t target_prefix[1];               // ids
    int prefix_count, suffix_count, start_count, target_prefix_count;
    const json_t *excluded;          // ids that the search never produces, or NULL
    bool specials_allowed;           // it may produce padding and start tokens not among these
    const char *tokenizer;           // tokenizer_names of model/text/text.h
    const char *blanks;              // blanks_names of model/text/text.h, or NULL: "ascii"
    bool moses, lowercase;           // steps before the text is cut
    bool normalized;                 // normalises punctuation, before Moses
    bool word_end;                   // bpe pieces mark the ends of words
    const json_t *added;             // tokenizer.added of the configuration, or NULL
    bool language_codes, last_blank; // as in struct tokenizer_spec
    int64_t max_positions;
    int64_t beam;
    double alpha;          // of the length penalty `average`; 0: none
    bool wu;               // the penalty of Wu et al. 2016 instead
    int64_t length_offset; // tokens that it counts besides the translation's
    double length_factor;
    int64_t length_plus;
    int64_t length_most; // 0: no such limit
    int64_t min_length;
    bool renormalize;    // until min_length ends have no probability
    const char *limit;   // limit_names of model/checkpoint/config.h, or NULL: "forced"
    const json_t *ends;  // ids at which the search ends a translation, or NULL: eos_target
    const char *endings; // endings_names of model/checkpoint/config.h, or NULL: "best"
    /* The heads of guided alignment: the first alignment_heads heads of a layer (from 0) of
     * cross-attention; 0: none. */
    int64_t alignment_layer, alignment_heads;
};

/* Names the first `heads` heads of a layer for alignment, numbered as in toolkits: 0 heads means
 * all, and negative layers count back from the last, -1. The stacks' layers and heads must be
 * known. False: no such layer, or not so many heads; names nothing then. */
bool plain_config_align(struct plain_config *config, int64_t layer, int64_t heads);

/* True if a norm follows the last layer of a stack. */
bool plain_last_norm(const struct plain_config *config, int stack);

/* As our JSON. NULL: out of memory. */
json_t *plain_config_json(const struct plain_config *config);

/* The vocabulary's pieces, one per line. Refuses a piece that is empty or has a line break or a
 * zero byte, because pieces are read as lines of text. */
struct piece_list {
    char *text; // (bytes)
    size_t bytes, capacity;
    int count;
};
bool piece_list_add(struct piece_list *list, const char *piece, size_t bytes,
                    struct status *status);
/* The same for a piece of any bytes; U+FFFD replaces invalid UTF-8. */
bool piece_list_add_bytes(struct piece_list *list, const char *piece, size_t bytes,
                          struct status *status);
/* Names a piece that has no text by its number: "<id 3>". */
bool piece_list_add_number(struct piece_list *list, struct status *status);
bool piece_list_equal(const struct piece_list *a, const struct piece_list *b);
/* The lowest id of a piece, or -1. */
int piece_list_find(const struct piece_list *list, const char *piece);
void piece_list_free(struct piece_list *list);

/* Adds the vocabularies of both sides: a single one if both lists are the same. */
bool contents_vocabularies(struct contents *contents, const struct piece_list *source,
                           const struct piece_list *target, struct status *status);
/* Adds the subword models of both sides, which are files of the contents: a single one if both are
 * the same file. */
bool contents_subwords(struct contents *contents, const struct mapped_file *source,
                       const struct mapped_file *target, struct status *status);

/* Sets an element of one of the three float types that we read. Each of them must represent the
 * value exactly, as -100. */
void stored_put(void *data, enum stored_dtype dtype, int64_t index, float value);
/* A copy of a matrix or vector with an additional row of zeros. */
const struct stored_tensor *with_zero_row(struct contents *contents,
                                          const struct stored_tensor *from,
                                          struct stored_tensor *grown, struct status *status);

#endif
