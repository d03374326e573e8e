/* Layer-wise relevance propagation (method.h), with one backward pass for each prediction. */
#include <stdlib.h>

#include "model/attribution/prediction_work.h"

struct propagation {
    const struct prediction_work *work;
    struct prediction_inputs inputs;
};

/* Returns Σ e e' and adds the position's part to *position. */
static double relevance_of(const struct prediction_inputs *inputs, const float *slopes, int stack,
                           int token, double *position)
{
    const size_t at = (size_t)token * inputs->d;
    double sum = 0;
    for (size_t k = at; k < at + inputs->d; k++) {
        const double embedding = (double)inputs->capture.embeddings[stack][k];
        sum += embedding * (double)slopes[k];
        *position += ((double)inputs->capture.inputs[stack][k] - embedding) * (double)slopes[k];
    }
    return sum;
}

static void take_relevance(void *context, int row, const struct gradients *slopes)
{
    const struct propagation *of = context;
    struct predictions *out = of->work->out;
    out->absorbed[row] = slopes->absorbed;
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        float *values = prediction_values(of->work, row, stack);
        for (int j = 0; j < prediction_read(of->work, row, stack); j++)
            values[j] = (float)relevance_of(&of->inputs, slopes->embeddings[stack], stack, j,
                                            &out->absorbed[row]);
    }
    out->totals[row] = slopes->value - out->absorbed[row];
}

bool predict_lrp(struct prediction_work *work, struct status *status)
{
    const struct gradient_request request = {.embeddings = true, .relevance = true};
    struct propagation of = {.work = work};
    struct predictions *out = work->out;
    if (!prediction_inputs_open(work, &of.inputs, status))
        return false;
    out->totals = memory_new((size_t)work->count, sizeof *out->totals, status);
    out->absorbed = memory_new((size_t)work->count, sizeof *out->absorbed, status);
    const bool ok =
        out->totals && out->absorbed &&
        prediction_slopes(work, NULL, request, NULL, 0, work->count, take_relevance, &of, status);
    prediction_inputs_close(&of.inputs);
    return ok;
}
