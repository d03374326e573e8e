/* The device memory of passes: one arena, reallocated only when it has to grow and laid out anew
 * only for a run that does not fit the present layout. A backend's recordings are valid as long as
 * the layout. Internal to model/net and model/search.
 *
 * Call order: buffers_prepare before a run (a search, a forced pass). The tensors are valid until
 * the next buffers_prepare.
 */
#ifndef ATTNSCOPE_BUFFERS_H
#define ATTNSCOPE_BUFFERS_H

#include "model/net/weights.h"

/* The rows and lanes that a run needs room for. */
struct buffers_shape {
    int sources, source_positions; // sentences at once, and source rows reserved per sentence
    int lanes, positions;          // lanes and T
    int rows;                      // largest M of encoder and decoder passes
    int logit_rows;                // rows of logits at once
    int ranked_rows;               // rows whose best tokens, or targets, are kept at once
    int beam;                      // of a search; 0: none
    int variants;                  // G
    size_t captured;               // most floats in one module's captured matrices
};

/* Rows of an encoder pass, written by the host: (ENCODER_FIELDS, M) int32. */
enum {
    ENCODER_ID,
    ENCODER_INDEX, // position in the sentence
    ENCODER_BEGIN, // the sentence's rows in this pass
    ENCODER_END,
    ENCODER_VARIANT,
    ENCODER_WORD,     // 0-based word in the sentence
    ENCODER_SENTENCE, // which sentence of this pass
    ENCODER_PLACE,    // row of the source caches
    ENCODER_STEM,     // the row that it is copied from, or itself (stems.h)
    ENCODER_FIELDS
};

/* The sentences of an encoder pass: (SENTENCE_FIELDS, sentences) int32. */
enum {
    SENTENCE_BEGIN, // its rows
    SENTENCE_END,
    SENTENCE_STEM, // the sentence that it is copied from, or itself
    SENTENCE_FIELDS
};

/* Keys and values are in the device's cache type, the rest is float. */
struct layer_cache {
    struct tensor self_k, self_v;   // (slots, L*hd), (slots, H*hd)
    struct tensor cross_k, cross_v; // (source rows, ·)
    struct tensor sums;             // (slots, d), decoders with means
    struct tensor states;           // (slots, d), recurrent decoders
};

struct buffers {
    struct tensor arena;
    size_t capacity, used;
    struct buffers_shape shape; // capacity of the layout: at least the last request
    uint64_t recording;         // changes when recordings become invalid

    struct tensor stream;       // (M, d): the residual stream (pre-norm) or the sublayer's input
    struct tensor other_stream; // (M, d): the stream alternates between the two
    struct tensor normed;       // (M, d): what a sublayer reads
    struct tensor inputs;  // (M, layers*d): attention inputs of all layers, if context needs them
    struct tensor out;     // (M, d): what a sublayer outputs
    struct tensor q, k, v; // (M, L*hd), (M, L*hd), (M, H*hd), ld of all: H*hd
    struct tensor heads;   // (M, H*hd): head outputs
    struct tensor context; // (M, L*hd), ld H*hd: the context vectors' projection
    struct tensor means;   // (M, layers*d)
    struct tensor part;    // (sentences, L*hd)
    struct tensor lambda;  // (M, L)
    struct tensor hidden;  // (M, d_ff of the stack)
    struct tensor gated;   // (M, d_ff of the stack): the values that the gate
                           // multiplies
    struct tensor input, forget;          // (M, d): x and f of a recurrence
    struct tensor head_query, head_scale; // DHICM: U x (M, d_m), Wᵀ U x (M, hd)
    struct tensor head_mix, head_value;   // Σ G O (M, hd), V Σ G O (M, d_m)
    int d_m;                              // row stride of head_query and head_value: the largest
    struct tensor importance;             // (M, H)
    struct tensor captured;               // (heads, M, columns)

    struct tensor encoder_fields;           // (ENCODER_FIELDS, M) int32
    struct tensor sentence_fields;          // (SENTENCE_FIELDS, sentences) int32
    struct tensor source_word;              // (source rows) int32
    struct tensor row_lane, slot, row_word; // (M) int32
    struct tensor columns;                  // (LANE_FIELDS, M) int32
    struct tensor word;                     // (slots) int32
    struct layer_cache *caches;             // host (decoder layers)
    size_t cache_bytes;                     // per element of their keys and values on the device
    int cache_count;

    struct tensor logits;            // (logit rows, V)
    struct tensor top_id, top_lp;    // (ranked rows, 2*beam)
    struct tensor target, target_lp; // (ranked rows)
    struct tensor eos;               // (ranked rows) int32
    struct tensor entry; // written by search_enter.c for sentences that enter: 3 elements for each,
                         // and LANE_FIELDS + 2 + start tokens for each of its lanes
    struct search_state state;
    struct tensor
        finished; // of the state: count, finished_score and finished_length, read together
    size_t finished_bytes;

    struct tensor table[MODULE_COUNT]; // (layers, G, H) struct head
    struct tensor gains[MODULE_COUNT]; // (layers, G, H) float
    bool words[MODULE_COUNT];          // true if any head of the table has UNIT_WORD
    bool entmax[MODULE_COUNT];         // true if any head of the table has entmax
};

/* The model's backend and device must be set. */
struct buffers *buffers_new(const struct model *model, struct status *status);
void buffers_free(struct buffers *buffers, const struct backend *backend, struct device *device);

/* True if a run of several sentences may use this much memory. On a GPU the limit is a quarter of
 * its total memory, so that batches, and with them results, do not depend on other programs; on the
 * CPU it is a fixed size, as other programs need memory too. */
bool buffers_fit(const struct model *model, const struct buffers_shape *shape);
/* STATUS_BUSY: the model is reserved. */
bool buffers_prepare(struct model *model, const struct buffers_shape *shape, struct status *status);

/* Frees the arena; the next buffers_prepare allocates it again. */
void buffers_drop(struct model *model);

/* Invalidates recordings after a tensor outside the arena has moved. */
void buffers_renew(struct buffers *buffers);

/* Copies `variants` head settings to the device; NULL entries are the checkpoint's own. */
bool buffers_put_head_settings(struct model *model,
                               const struct head_settings *const *head_settings, int variants,
                               struct status *status);

#endif
