/* Integrated gradients (method.h): the path from the baselines to the embeddings of both sides at
 * once, by Gauss-Legendre quadrature. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <stdlib.h>

#include "model/attribution/prediction_work.h"

/* The path, and the sums along it. */
struct path {
    const struct prediction_work *work;
    double weight; // of the point
    struct prediction_inputs inputs;
    float *at[STACK_COUNT]; // (rows, d): the inputs at one point
    double *sums;           // (predictions, tokens of both sides)
    int columns;
};

static void path_close(struct path *path)
{
    prediction_inputs_close(&path->inputs);
    free(path->at[STACK_ENCODER]);
    free(path->at[STACK_DECODER]);
    free(path->sums);
}

static bool path_open(const struct prediction_work *work, struct path *path, struct status *status)
{
    *path = (struct path){.work = work,
                          .columns = work->tokens[STACK_ENCODER] + work->tokens[STACK_DECODER]};
    if (!prediction_inputs_open(work, &path->inputs, status))
        return false;
    path->sums =
        memory_new((size_t)work->count * (size_t)path->columns, sizeof *path->sums, status);
    for (int stack = 0; stack < STACK_COUNT; stack++)
        path->at[stack] =
            memory_new((size_t)work->tokens[stack] * path->inputs.d, sizeof(float), status);
    if (path->sums && path->at[STACK_ENCODER] && path->at[STACK_DECODER])
        return true;
    path_close(path);
    return false;
}

/* Goes that share of the way from the baseline to the embeddings. */
static void go_to(const struct prediction_work *work, struct path *path, double share)
{
    const size_t d = path->inputs.d;
    for (int stack = 0; stack < STACK_COUNT; stack++)
        for (size_t i = 0; i < (size_t)work->tokens[stack] * d; i++) {
            const double away = (double)path->inputs.capture.embeddings[stack][i] -
                                (double)path->inputs.baseline[stack][i % d];
            path->at[stack][i] =
                (float)((double)path->inputs.capture.inputs[stack][i] - (1 - share) * away);
        }
}

static void add_row(void *context, int row, const struct gradients *slopes)
{
    const struct path *path = context;
    const struct prediction_work *work = path->work;
    const size_t d = path->inputs.d;
    double *sums = path->sums + (size_t)row * (size_t)path->columns;
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        const float *slope = slopes->embeddings[stack];
        const float *embedding = path->inputs.capture.embeddings[stack];
        for (int j = 0; j < prediction_read(work, row, stack); j++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++)
                sum += (double)slope[(size_t)j * d + k] * ((double)embedding[(size_t)j * d + k] -
                                                           (double)path->inputs.baseline[stack][k]);
            sums[j + (stack == STACK_DECODER ? work->tokens[STACK_ENCODER] : 0)] +=
                path->weight * sum;
        }
    }
}

static bool add_points(const struct prediction_work *work, struct path *path, struct status *status)
{
    const int steps = work->question->options.steps;
    const struct gradient_request request = {.embeddings = true};
    const float *const inputs[STACK_COUNT] = {path->at[STACK_ENCODER], path->at[STACK_DECODER]};
    gsl_set_error_handler_off(); // it would end the program
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc((size_t)steps);
    bool ok = table || status_no_memory(status);
    for (int step = 0; ok && step < steps; step++) {
        double share;
        gsl_integration_glfixed_point(0, 1, (size_t)step, &share, &path->weight, table);
        go_to(work, path, share);
        ok = prediction_slopes(work, inputs, request, step * work->count, steps * work->count,
                               add_row, path, status);
    }
    if (table)
        gsl_integration_glfixed_table_free(table);
    return ok;
}

/* The totals: what L loses on the whole path. */
static bool find_totals(const struct prediction_work *work, struct path *path,
                        struct status *status)
{
    const float *const inputs[STACK_COUNT] = {path->at[STACK_ENCODER], path->at[STACK_DECODER]};
    struct predictions *out = work->out;
    double *empty = memory_new((size_t)work->count, sizeof *empty, status);
    out->totals = memory_new((size_t)work->count, sizeof *out->totals, status);
    go_to(work, path, 0);
    const bool ok = empty && out->totals &&
                    prediction_objectives(work, NULL, out->totals, status) &&
                    prediction_objectives(work, inputs, empty, status);
    for (int i = 0; ok && i < work->count; i++)
        out->totals[i] -= empty[i];
    free(empty);
    return ok;
}

bool predict_integrated(struct prediction_work *work, struct status *status)
{
    struct path path;
    if (!path_open(work, &path, status))
        return false;
    const bool ok = add_points(work, &path, status) && find_totals(work, &path, status);
    for (size_t i = 0; ok && i < (size_t)work->count * (size_t)path.columns; i++)
        work->out->values[i] = (float)path.sums[i];
    path_close(&path);
    return ok;
}
