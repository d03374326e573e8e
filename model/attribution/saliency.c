/* Saliency and gradient times input (method.h): one backward pass for each prediction. */
#include <math.h>
#include <stdlib.h>

#include "model/attribution/prediction_work.h"

/* Computes one token's value from its embedding and the derivative with respect to it. */
typedef double token_measure(const float *slope, const float *embedding, size_t d);

struct measuring {
    const struct prediction_work *work;
    token_measure *measure;
    struct prediction_inputs inputs;
};

static void measure_row(void *context, int row, const struct gradients *slopes)
{
    const struct measuring *of = context;
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        float *values = prediction_values(of->work, row, stack);
        for (int j = 0; j < prediction_read(of->work, row, stack); j++) {
            const size_t at = (size_t)j * of->inputs.d;
            values[j] = (float)of->measure(slopes->embeddings[stack] + at,
                                           of->inputs.capture.embeddings[stack] + at, of->inputs.d);
        }
    }
}

static bool predict(struct prediction_work *work, token_measure *measure, struct status *status)
{
    const struct gradient_request request = {.embeddings = true};
    struct measuring of = {.work = work, .measure = measure};
    if (!prediction_inputs_open(work, &of.inputs, status))
        return false;
    const bool ok =
        prediction_slopes(work, NULL, request, NULL, 0, work->count, measure_row, &of, status);
    prediction_inputs_close(&of.inputs);
    return ok;
}

static double measure_norm(const float *slope, const float *embedding, size_t d)
{
    double sum = 0;
    (void)embedding;
    for (size_t k = 0; k < d; k++)
        sum += (double)slope[k] * (double)slope[k];
    return sqrt(sum);
}

static double measure_product(const float *slope, const float *embedding, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (double)slope[k] * (double)embedding[k];
    return sum;
}

bool predict_saliency(struct prediction_work *work, struct status *status)
{
    return predict(work, measure_norm, status);
}

bool predict_gradient_input(struct prediction_work *work, struct status *status)
{
    return predict(work, measure_product, status);
}
