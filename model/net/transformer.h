/* The Transformer: the one implementation, written against the backend interface. Inside model/net
 * alone.
 *
 * Call order of a run: buffers_prepare and buffers_put_dials; encode (any number of waves); then
 * decode and the logits_product for rows that the host has put (`put_rows`) or the device has selected.
 * Every function only enqueues work; backend->check tells whether it went well.
 */
#ifndef ATTNSCOPE_TRANSFORMER_H
#define ATTNSCOPE_TRANSFORMER_H

#include "model/net/buffers.h"
#include "model/net/force.h"

/* Keeps what a pass shows on its way; NULL in a search. One sentence a pass. */
struct observer {
    const struct capture_request *request;
    struct capture *capture;
    struct status *status;
    bool failed;
};

/* One sentence of an encoder pass. */
struct encoder_input {
    const struct sentence *sentence;
    int source;                // its place among the source caches
    int variant;               // its dials: their number on the device,
    const struct dials *dials; // and they; NULL: the checkpoint's own
};

/* Encodes `count` sentences of `rows` tokens in all (<= shape.rows) and fills their source caches. Where some of
 * them in a row are the same (at one address), layers below the first whose dials differ are computed once (stems.h).
 * The final encoder states of the first are in buffers->normed (M, d). Returns false when the host runs out of
 * memory. */
bool encode(struct model *model, const struct encoder_input *inputs, int count, int rows,
            struct observer *observer, struct status *status);

/* The rows of one decoder pass: buffers->columns (LANE_FIELDS, rows), row_lane and slot hold them. */
struct row_args decoder_rows(const struct model *model, int rows);

/* Decodes `rows` rows; the final states are in buffers->normed (M, d). */
void decode(struct model *model, int rows, struct observer *observer);

/* The logits of `rows` rows of x (M, d), which go to buffers->logits. */
struct linear_args logits_product(const struct model *model, struct tensor x, int rows);

/* For these (transformer.c, module.c). */

/* Field f of a (fields, rows) table of int32. */
static inline struct tensor row_field(struct tensor table, int f, int rows)
{
    return tensor_at(table, (size_t)f * rows * sizeof(int32_t));
}

/* One pass over a stack. */
struct pass {
    struct model *model;
    int rows;                          // M
    int sentences;                     // encoder: sentences in the pass
    const struct stage *stages;        // encoder: (layers) rows and sentences from each layer on
    struct tensor stem, sentence_stem; // encoder: (M), (sentences) whom they take over from
    struct tensor sentence;            // encoder: (M) the sentence of each row
    struct tensor first, last;         // encoder: (sentences) their rows first … last-1
    struct row_args decoder;           // decoder: its rows
    struct tensor begin, end;          // (M) source rows (cross) or rows of the sentence (encoder)
    struct tensor position;            // (M)
    struct tensor variant;             // (M)
    struct tensor word;                // KEYS_RANGE: word of each key row
    struct tensor row_word;            // (M)
    struct observer *observer;
};

/* What the first layer reads, from ids (M) and positions (M). */
void embed_rows(const struct pass *pass, enum stack stack, struct tensor ids, struct tensor pos);
/* All layers; the final states are in buffers->normed (M, d). */
void run_stack(struct pass *pass, enum stack stack);
/* Before an encoder layer reads its input: rows that take over from others there, have it (encoder.c). */
void fork_rows(struct pass *pass, int layer);

/* A matrix of rows, `ld` floats apart. */
struct matrix {
    struct tensor tensor;
    int ld;
};

/* y (M, columns) = activation(x wᵀ + bias). */
void run_projection(const struct pass *pass, struct tensor y, struct matrix x,
                    const struct projection *projection, int columns, enum activation activation);
/* Several projections of one x, without activation. */
struct output {
    struct tensor y; // (M, N)
    int ld;          // of y
    const struct projection *projection;
    struct tensor cache; // (·, N), or absent: where rows go too
    struct tensor slot;  // (M)
    bool cached;         // y is not read
};
void run_projections(const struct pass *pass, struct matrix x, const struct output *outputs,
                     int count);
/* Attention of one module over x into buffers->out. */
void run_module(const struct pass *pass, enum module module, int layer, struct matrix x);

/* What an observer is told (observer.c). observe_attention says where a module's weights go. */
void observe_attention(const struct pass *pass, enum module module, int layer,
                       struct attention_args *args, int *captured);
void observe_module(const struct pass *pass, enum module module, int layer,
                    const struct attention_args *args);
void observe_gate(const struct pass *pass, enum module module, int layer, int side, int columns);
bool observes_importance(const struct pass *pass);
bool observes_gates(const struct pass *pass);
void observe_importance(const struct pass *pass, enum module module, int layer);

#endif
