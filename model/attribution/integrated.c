/* Integrated gradients (method.h): the path from the baselines to the embeddings of both sides at
 * once.
 *
 * The adaptive rule is the trapezoid rule over points that are placed where they are wanted: the
 * path is divided evenly at first, and then the piece that is furthest off, again and again. How far
 * it is off is known, as the derivatives along a piece of the path sum to what L gains on it. L
 * often changes within a short part of the path, which fixed points do not know. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/attribution/prediction_work.h"

/* A point of the path. */
struct point {
    double share;       // of the way from the baselines
    float *slopes;      // (predictions, tokens of both sides): derivatives by the share
    double *sums;       // (predictions) of the slopes
    double *objectives; // (predictions) L
};

/* The path, and the sums along it. */
struct path {
    const struct prediction_work *work;
    struct prediction_inputs inputs;
    float *at[STACK_COUNT]; // (rows, d): the inputs at one point
    struct point *points;   // by their shares
    int count;
    double *sums; // (predictions, tokens of both sides)
    int columns;
};

static void point_close(struct point *point)
{
    free(point->slopes);
    free(point->sums);
    free(point->objectives);
}

static void path_close(struct path *path)
{
    prediction_inputs_close(&path->inputs);
    for (int i = 0; i < path->count; i++)
        point_close(&path->points[i]);
    free(path->points);
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
    path->points =
        memory_new((size_t)int_max(work->question->options.steps, 2), sizeof *path->points, status);
    for (int stack = 0; stack < STACK_COUNT; stack++)
        path->at[stack] =
            memory_new((size_t)work->tokens[stack] * path->inputs.d, sizeof(float), status);
    if (path->sums && path->points && path->at[STACK_ENCODER] && path->at[STACK_DECODER])
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

/* The point that is computed. */
struct computed {
    const struct path *path;
    struct point *point;
};

static void take_row(void *context, int row, const struct gradients *slopes)
{
    const struct computed *computed = context;
    const struct path *path = computed->path;
    const struct prediction_work *work = path->work;
    const size_t d = path->inputs.d;
    float *out = computed->point->slopes + (size_t)row * (size_t)path->columns;
    double total = 0;
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        const float *slope = slopes->embeddings[stack];
        const float *embedding = path->inputs.capture.embeddings[stack];
        for (int j = 0; j < prediction_read(work, row, stack); j++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++)
                sum += (double)slope[(size_t)j * d + k] * ((double)embedding[(size_t)j * d + k] -
                                                           (double)path->inputs.baseline[stack][k]);
            out[j + (stack == STACK_DECODER ? work->tokens[STACK_ENCODER] : 0)] = (float)sum;
            total += sum;
        }
    }
    computed->point->sums[row] = total;
    computed->point->objectives[row] = slopes->value;
}

/* On failure nothing needs to be closed. done: points before it. */
static bool point_compute(const struct path *path, double share, int done, int steps,
                          struct point *point, struct status *status)
{
    const struct prediction_work *work = path->work;
    const size_t count = (size_t)work->count;
    const struct gradient_request request = {.embeddings = true};
    const float *const inputs[STACK_COUNT] = {path->at[STACK_ENCODER], path->at[STACK_DECODER]};
    struct computed computed = {path, point};
    *point = (struct point){
        .share = share,
        .slopes = memory_new(count * (size_t)path->columns, sizeof *point->slopes, status),
        .sums = memory_new(count, sizeof *point->sums, status),
        .objectives = memory_new(count, sizeof *point->objectives, status)};
    go_to(work, (struct path *)path, share);
    if (point->slopes && point->sums && point->objectives &&
        prediction_slopes(work, inputs, request, done * work->count, steps * work->count, take_row,
                          &computed, status))
        return true;
    point_close(point);
    return false;
}

static void add_point(struct path *path, const struct point *point, double weight)
{
    for (size_t i = 0; i < (size_t)path->work->count * (size_t)path->columns; i++)
        path->sums[i] += weight * (double)point->slopes[i];
}

/* Rules ---------------------------------------------------------------------------------------- */

static bool sum_gauss_legendre(struct path *path, int steps, struct status *status)
{
    gsl_set_error_handler_off(); // it would end the program
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc((size_t)steps);
    bool ok = table || status_no_memory(status);
    for (int step = 0; ok && step < steps; step++) {
        double share, weight;
        struct point point;
        gsl_integration_glfixed_point(0, 1, (size_t)step, &share, &weight, table);
        ok = point_compute(path, share, step, steps, &point, status);
        if (ok) {
            add_point(path, &point, weight);
            point_close(&point);
        }
    }
    if (table)
        gsl_integration_glfixed_table_free(table);
    return ok;
}

/* How far the piece of the path from a to b is off, in all predictions. */
static double piece_error(const struct path *path, const struct point *a, const struct point *b)
{
    double error = 0;
    for (int i = 0; i < path->work->count; i++)
        error += fabs((a->sums[i] + b->sums[i]) / 2 * (b->share - a->share) -
                      (b->objectives[i] - a->objectives[i]));
    return error;
}

/* The first point of the piece that is furthest off. */
static int worst_piece(const struct path *path)
{
    int worst = 0;
    double most = -1;
    for (int i = 0; i + 1 < path->count; i++) {
        const double error = piece_error(path, &path->points[i], &path->points[i + 1]);
        if (error > most) {
            most = error;
            worst = i;
        }
    }
    return worst;
}

/* Computes one more point, as points[place]. */
static bool insert_point(struct path *path, int place, double share, int steps,
                         struct status *status)
{
    struct point point;
    if (!point_compute(path, share, path->count, steps, &point, status))
        return false;
    memmove(path->points + place + 1, path->points + place,
            (size_t)(path->count - place) * sizeof *path->points);
    path->points[place] = point;
    path->count++;
    return true;
}

static bool sum_adaptive(struct path *path, int steps, struct status *status)
{
    enum { EVENLY = 8 }; // a piece of the even division for so many points
    const int pieces = int_max(steps / EVENLY, 1);
    bool ok = true;
    for (int i = 0; ok && i <= pieces; i++)
        ok = insert_point(path, path->count, (double)i / pieces, steps, status);
    while (ok && path->count < steps) {
        const int worst = worst_piece(path);
        const struct point *at = path->points + worst;
        ok = insert_point(path, worst + 1, (at[0].share + at[1].share) / 2, steps, status);
    }
    for (int i = 0; ok && i < path->count; i++) {
        const struct point *at = path->points + i;
        const double before = i > 0 ? at[-1].share : 0;
        add_point(path, at, ((i + 1 < path->count ? at[1].share : 1) - before) / 2);
    }
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
    const int steps = work->question->options.steps;
    const bool ok = (work->question->options.quadrature == QUADRATURE_GAUSS_LEGENDRE
                         ? sum_gauss_legendre(&path, steps, status)
                         : sum_adaptive(&path, int_max(steps, 2), status)) &&
                    find_totals(work, &path, status);
    for (size_t i = 0; ok && i < (size_t)work->count * (size_t)path.columns; i++)
        work->out->values[i] = (float)path.sums[i];
    path_close(&path);
    return ok;
}
