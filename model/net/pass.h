/* Shared by the files that compute a pass: its rows, and matrices on the device. Internal to
 * model/net and model/search.
 *
 * A pass computes all layers of one stack for M rows, each a position of a sentence (encoder) or of
 * a hypothesis or target (decoder). d: model width. Device memory is owned by buffers.h, not by
 * anything here.
 */
#ifndef ATTNSCOPE_PASS_H
#define ATTNSCOPE_PASS_H

#include "model/net/buffers.h"
#include "model/net/force.h"

struct tape;

/* Captures intermediate results of a pass over one sentence. In a search it is NULL. */
struct observer {
    const struct capture_request *request;
    struct capture *capture; // owns the captured results
    struct status *status;   // written when `failed` becomes true
    bool failed;
    struct tape *tape; // if a backward pass follows (tape.h); else NULL
};

struct pass {
    struct model *model;
    int rows;                   // M
    int sentences;              // encoder: sentences in the pass
    const struct stage *stages; // encoder: (layers) rows and sentences from each layer on
    struct tensor stem,
        sentence_stem;         // encoder: (M), (sentences) the row, the sentence to copy from
    struct tensor sentence;    // encoder: (M) the sentence of each row
    struct tensor first, last; // encoder: (sentences) their rows first … last-1
    struct row_args decoder;   // decoder: its rows
    struct tensor begin, end;  // (M) source rows (cross) or rows of the sentence (encoder)
    struct tensor position;    // (M)
    struct tensor variant;     // (M)
    struct tensor word;        // KEYS_RANGE: word of each key row
    struct tensor row_word;    // (M)
    struct observer *observer; // or NULL
};

/* A matrix whose rows are `ld` floats apart. */
struct row_matrix {
    struct tensor tensor;
    int ld;
};

/* Field f of a (fields, rows) table of int32. */
static inline struct tensor row_field(struct tensor table, int f, int rows)
{
    return tensor_at(table, (size_t)f * rows * sizeof(int32_t));
}

#endif
