/* Erases one token after the other (method.h), with a forced pass for each. */
#include <stdlib.h>
#include <string.h>

#include "model/attribution/prediction_work.h"

/* Writes how much L of each row falls when one token is erased. */
static bool erase_token(const struct prediction_work *work, const struct prediction_inputs *inputs,
                        int stack, int token, const double *whole, double *left,
                        struct status *status)
{
    const size_t d = inputs->d, at = (size_t)token * d;
    const float *changed[STACK_COUNT] = {inputs->capture.inputs[STACK_ENCODER],
                                         inputs->capture.inputs[STACK_DECODER]};
    float *own = inputs->capture.inputs[stack] + at;
    float *kept = memory_new(d, sizeof *kept, status);
    if (!kept)
        return false;
    memcpy(kept, own, d * sizeof *kept);
    for (size_t k = 0; k < d; k++)
        own[k] += inputs->baseline[stack][k] - inputs->capture.embeddings[stack][at + k];
    const bool ok = prediction_objectives(work, changed, left, status);
    memcpy(own, kept, d * sizeof *kept);
    free(kept);
    for (int row = 0; ok && row < work->count; row++)
        if (token < prediction_read(work, row, stack))
            prediction_values(work, row, stack)[token] = (float)(whole[row] - left[row]);
    return ok;
}

bool predict_erasure(struct prediction_work *work, struct status *status)
{
    const int total = work->tokens[STACK_ENCODER] + work->tokens[STACK_DECODER];
    struct prediction_inputs inputs;
    double *whole = memory_new((size_t)work->count, sizeof *whole, status);
    double *left = memory_new((size_t)work->count, sizeof *left, status);
    bool ok = whole && left && prediction_inputs_open(work, &inputs, status);
    if (ok) {
        ok = prediction_objectives(work, NULL, whole, status);
        for (int stack = 0, done = 0; stack < STACK_COUNT; stack++)
            for (int j = 0; ok && j < work->tokens[stack]; j++)
                ok = erase_token(work, &inputs, stack, j, whole, left, status) &&
                     prediction_proceed(work, ++done, total, status);
        prediction_inputs_close(&inputs);
    }
    free(whole);
    free(left);
    return ok;
}
