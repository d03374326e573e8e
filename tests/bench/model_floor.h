/* The least time that a machine needs for a model's passes, given what they must read and multiply.
 *
 * Only the matrices that every token passes through are counted, each read once a pass and
 * multiplied with every row. Attention, softmax, norms, context vectors and the search itself count
 * as nothing, so that no implementation can reach this floor.
 */
#ifndef ATTNSCOPE_MODEL_FLOOR_H
#define ATTNSCOPE_MODEL_FLOOR_H

#include "model/checkpoint/checkpoint.h"
#include "tests/bench/peak.h"

struct model_work {
    double source_bytes,
        source_products; // encoder, keys and values of cross-attention; a source token
    double target_bytes,
        target_products; // the rest of the decoder, output; a row of a decoding step
};

struct model_work model_work_of(const struct checkpoint *checkpoint);

/* The work of a search or a scoring, summed over its sentences. */
struct rows_done {
    double passes;       // over the encoder
    double source_rows;  // tokens encoded
    double target_steps; // passes over the decoder
    double target_rows;  // rows decoded: hypotheses alive, over all steps
};

/* Returns seconds: for the encoder and the decoder each the greater of the time to read at the
 * machine's bandwidth and the time to multiply at its rate. */
double floor_seconds(const struct model_work *work, const struct rows_done *done,
                     const struct peak *peak);

#endif
