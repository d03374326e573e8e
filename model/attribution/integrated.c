/* Integrated gradients (method.h) along the path from the baselines to the embeddings, of both
 * sides at once.
 *
 * The adaptive rule is the trapezoid rule with separate points for each prediction. The path is
 * first divided evenly; then the piece with the greatest error is halved, again and again. The
 * error is known, because the derivatives along a piece integrate to the change of L on it. L often
 * changes within a short part of the path, which fixed points miss. Predictions that need the same
 * point share its forced pass. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/attribution/prediction_work.h"

/* A point of one prediction's path. */
struct point {
    double share;     // of the way from the baselines
    double objective; // L
    double sum;       // of the slopes
    float *slopes;    // (tokens of both sides): derivatives with respect to the share
};

/* All points of one prediction. */
struct trail {
    struct point *points; // sorted by share
    int count;
    float *slopes; // (steps, tokens of both sides), in the order of computation
};

struct path {
    const struct prediction_work *work;
    struct prediction_inputs inputs;
    float *at[STACK_COUNT]; // (rows, d): the inputs at one point
    int columns;            // tokens of both sides
    int steps;
    double share, weight; // of the point; a fixed one has a weight in the sums
    float *slopes;        // (columns) of a prediction at the point
    double *sums;         // (predictions, columns)
    struct trail *trails; // (predictions), or NULL: points are fixed
    bool *wanted;         // (predictions): true if needed at the point
};

static void path_close(struct path *path)
{
    prediction_inputs_close(&path->inputs);
    for (int i = 0; path->trails && i < path->work->count; i++) {
        free(path->trails[i].points);
        free(path->trails[i].slopes);
    }
    free(path->trails);
    free(path->wanted);
    free(path->at[STACK_ENCODER]);
    free(path->at[STACK_DECODER]);
    free(path->slopes);
    free(path->sums);
}

static bool open_trails(struct path *path, struct status *status)
{
    const size_t steps = (size_t)path->steps, columns = (size_t)path->columns;
    path->trails = memory_new((size_t)path->work->count, sizeof *path->trails, status);
    path->wanted = memory_new((size_t)path->work->count, sizeof *path->wanted, status);
    bool ok = path->trails && path->wanted;
    for (int i = 0; ok && i < path->work->count; i++) {
        struct trail *trail = &path->trails[i];
        trail->points = memory_new(steps, sizeof *trail->points, status);
        trail->slopes = memory_new(steps * columns, sizeof *trail->slopes, status);
        ok = trail->points && trail->slopes;
    }
    return ok;
}

/* On failure, nothing needs to be closed. */
static bool path_open(const struct prediction_work *work, struct path *path, struct status *status)
{
    const struct attribution_options *options = &work->question->options;
    const bool adaptive = options->quadrature == QUADRATURE_ADAPTIVE;
    *path = (struct path){.work = work,
                          .columns = work->tokens[STACK_ENCODER] + work->tokens[STACK_DECODER],
                          .steps = adaptive ? int_max(options->steps, 2) : options->steps};
    if (!prediction_inputs_open(work, &path->inputs, status))
        return false;
    path->slopes = memory_new((size_t)path->columns, sizeof *path->slopes, status);
    path->sums =
        memory_new((size_t)work->count * (size_t)path->columns, sizeof *path->sums, status);
    for (int stack = 0; stack < STACK_COUNT; stack++)
        path->at[stack] =
            memory_new((size_t)work->tokens[stack] * path->inputs.d, sizeof(float), status);
    if (path->slopes && path->sums && path->at[STACK_ENCODER] && path->at[STACK_DECODER] &&
        (!adaptive || open_trails(path, status)))
        return true;
    path_close(path);
    return false;
}

/* Moves to a share of the way from the baseline to the embeddings. */
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

/* Computes every token's derivative with respect to the share. Returns their sum. */
static double find_slopes(struct path *path, int row, const struct gradients *slopes)
{
    const struct prediction_work *work = path->work;
    const size_t d = path->inputs.d;
    double total = 0;
    memset(path->slopes, 0, (size_t)path->columns * sizeof *path->slopes);
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        const float *slope = slopes->embeddings[stack];
        const float *embedding = path->inputs.capture.embeddings[stack];
        for (int j = 0; j < prediction_read(work, row, stack); j++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++)
                sum += (double)slope[(size_t)j * d + k] * ((double)embedding[(size_t)j * d + k] -
                                                           (double)path->inputs.baseline[stack][k]);
            path->slopes[j + (stack == STACK_DECODER ? work->tokens[STACK_ENCODER] : 0)] =
                (float)sum;
            total += sum;
        }
    }
    return total;
}

static void add_slopes(struct path *path, int row, const float *slopes, double weight)
{
    double *sums = path->sums + (size_t)row * (size_t)path->columns;
    for (int j = 0; j < path->columns; j++)
        sums[j] += weight * (double)slopes[j];
}

static void add_fixed(void *context, int row, const struct gradients *slopes)
{
    struct path *path = context;
    find_slopes(path, row, slopes);
    add_slopes(path, row, path->slopes, path->weight);
}

/* Computes derivatives at a point for the wanted rows. done: rows computed before. */
static bool visit(struct path *path, double share, int done, slopes_taker *take,
                  struct status *status)
{
    const struct prediction_work *work = path->work;
    const struct gradient_request request = {.embeddings = true};
    const float *const inputs[STACK_COUNT] = {path->at[STACK_ENCODER], path->at[STACK_DECODER]};
    path->share = share;
    go_to(work, path, share);
    return prediction_slopes(work, inputs, request, path->wanted, done, path->steps * work->count,
                             take, path, status);
}

/* Fixed points --------------------------------------------------------------------------------- */

static bool sum_gauss_legendre(struct path *path, struct status *status)
{
    gsl_set_error_handler_off(); // the default handler would end the program
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc((size_t)path->steps);
    bool ok = table || status_no_memory(status);
    for (int step = 0; ok && step < path->steps; step++) {
        double share;
        gsl_integration_glfixed_point(0, 1, (size_t)step, &share, &path->weight, table);
        ok = visit(path, share, step * path->work->count, add_fixed, status);
    }
    if (table)
        gsl_integration_glfixed_table_free(table);
    return ok;
}

/* Adaptive points ------------------------------------------------------------------------------ */

/* Inserts the point in order. */
static void add_adaptive(void *context, int row, const struct gradients *slopes)
{
    struct path *path = context;
    struct trail *trail = &path->trails[row];
    int place = trail->count;
    const struct point point = {.share = path->share,
                                .objective = slopes->value,
                                .sum = find_slopes(path, row, slopes),
                                .slopes = trail->slopes + (size_t)place * (size_t)path->columns};
    memcpy(point.slopes, path->slopes, (size_t)path->columns * sizeof *point.slopes);
    for (; place > 0 && trail->points[place - 1].share > point.share; place--)
        trail->points[place] = trail->points[place - 1];
    trail->points[place] = point;
    trail->count++;
}

/* Returns the middle of the piece with the greatest error. */
static double wanted_share(const struct trail *trail)
{
    double most = -1, middle = 0;
    for (int i = 0; i + 1 < trail->count; i++) {
        const struct point *a = &trail->points[i], *b = a + 1;
        const double error =
            fabs((a->sum + b->sum) / 2 * (b->share - a->share) - (b->objective - a->objective));
        if (error > most) {
            most = error;
            middle = (a->share + b->share) / 2;
        }
    }
    return middle;
}

/* Adds one point for every prediction. shares: (predictions), scratch. */
static bool add_round(struct path *path, double *shares, int done, struct status *status)
{
    const int count = path->work->count;
    bool ok = true;
    for (int i = 0; i < count; i++)
        shares[i] = wanted_share(&path->trails[i]);
    for (int first = 0; ok && first < count; first++) {
        const double share = shares[first];
        if (isnan(share))
            continue; // done with an earlier one
        for (int i = 0; i < count; i++) {
            path->wanted[i] = shares[i] == share;
            if (path->wanted[i])
                shares[i] = NAN;
        }
        ok = visit(path, share, done, add_adaptive, status);
        for (int i = 0; i < count; i++)
            done += path->wanted[i];
    }
    return ok;
}

static void sum_trail(struct path *path, int row)
{
    const struct trail *trail = &path->trails[row];
    for (int i = 0; i < trail->count; i++) {
        const struct point *at = &trail->points[i];
        const double before = i > 0 ? at[-1].share : 0;
        const double behind = i + 1 < trail->count ? at[1].share : 1;
        add_slopes(path, row, at->slopes, (behind - before) / 2);
    }
}

static bool sum_adaptive(struct path *path, struct status *status)
{
    enum { EVENLY = 8 }; // points for each piece of the even division
    const int pieces = int_max(path->steps / EVENLY, 1), count = path->work->count;
    double *shares = memory_new((size_t)count, sizeof *shares, status);
    bool ok = shares != NULL;
    for (int i = 0; i < count; i++)
        path->wanted[i] = true;
    for (int i = 0; ok && i <= pieces; i++)
        ok = visit(path, (double)i / pieces, i * count, add_adaptive, status);
    for (int i = pieces + 1; ok && i < path->steps; i++)
        ok = add_round(path, shares, i * count, status);
    for (int row = 0; ok && row < count; row++)
        sum_trail(path, row);
    free(shares);
    return ok;
}

/* Computes the totals: what L loses along the whole path. */
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
    const bool ok =
        (path.trails ? sum_adaptive(&path, status) : sum_gauss_legendre(&path, status)) &&
        find_totals(work, &path, status);
    for (size_t i = 0; ok && i < (size_t)work->count * (size_t)path.columns; i++)
        work->out->values[i] = (float)path.sums[i];
    path_close(&path);
    return ok;
}
