/* The forced pass: a given target is decoded in one go, teacher-forced, and what is asked for on the
 * way is captured. Gives the same bits as the search saw.
 */
#ifndef ATTNSCOPE_FORCE_H
#define ATTNSCOPE_FORCE_H

#include "model/net/model.h"

/* What to keep. Zero-initialised: token log-probabilities alone. */
struct capture_request {
    const bool *weights[MODULE_COUNT]; // (layers, H) matrices to keep; NULL: none of the module
    bool importance, gates;            // of every module that has them
    bool encoder_output, logits, logprobs;
};

/* What was kept; all float, row-major. m: decoder inputs (start tokens + target - 1), n: source tokens.
 * Rows and columns of the weights: encoder (n, n), decoder (m, m), cross (m, n). */
struct capture {
    int source_count, target_rows;           // n, m
    float **weights[MODULE_COUNT];           // (layers*H) matrices, NULL where not kept
    float **importance[MODULE_COUNT];        // (layers) of (rows, H), NULL where the layer has none
    float **gates[MODULE_COUNT][SIDE_COUNT]; // (layers) of (rows, 1) or (rows, L), NULL likewise
    float *encoder_output;                   // (n, d), NULL unless asked for
    float *logits, *logprobs;                // (m, V), likewise
    float *token_logprobs;                   // (target count): log p of each target token
    int layers[MODULE_COUNT], heads[MODULE_COUNT];
};
void capture_free(struct capture *capture); // leaves it empty

/* One sentence and its target (ids with end-of-sentence, count >= 1). `out` need not be initialised;
 * on failure it is empty. dials NULL: the checkpoint's own. */
bool force_run(struct model *model, const struct sentence *source, const int *target, int count,
               const struct dials *dials, const struct capture_request *request,
               struct capture *out, struct status *status);

/* Scoring of many pairs in batches, without capture. Jobs with the same source and dials, one after the other,
 * share the source's encoding and the decoding of what their targets begin with; under other dials, the layers of
 * the encoder below the first that differs. */
struct score_job {
    const struct sentence *source; // the same one where it has the same address
    const int *target;             // (count) ids with end-of-sentence
    int count;
    const struct dials *dials; // NULL: the checkpoint's own
    float *logprobs;           // (count), caller's, written
};
bool score_run(struct model *model, struct score_job *jobs, int count, int batch,
               struct status *status);

#endif
