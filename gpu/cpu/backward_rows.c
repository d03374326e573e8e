/* Derivatives of operations on rows: norm, activation, sums, means, the recurrence,
 * log-probabilities. */
#include <string.h>

#include "gpu/cpu/backward.h"
#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/kernels.h"

static float *row_at(struct tensor tensor, int m, int ld)
{
    return tensor_floats(tensor) + (size_t)m * (size_t)ld;
}

/* Returns the slot of the position before row m's; -1: none. */
static int slot_before(const struct row_args *rows, int m)
{
    const int pos = tensor_ints(rows->pos)[m];
    const size_t lane = (size_t)tensor_ints(rows->lane)[m];
    return pos > 0 ? tensor_ints(rows->path)[lane * (size_t)rows->positions + (size_t)pos - 1] : -1;
}

/* Norms ---------------------------------------------------------------------------------------- */

struct norm_job {
    const struct norm_backward_args *args;
    const struct kernels *kernels;
};

static void norm_block(void *context, int task, int begin, int end)
{
    const struct norm_job *job = context;
    const struct norm_backward_args *args = job->args;
    (void)task;
    for (int m = begin; m < end; m++) {
        const struct norm_backward_row row = {
            .dy = row_at(args->dy, m, args->lddy),
            .z = row_at(args->z, m, args->columns),
            .gamma = tensor_floats(args->gamma),
            .residual =
                tensor_present(args->residual) ? row_at(args->residual, m, args->columns) : NULL,
            .eps = args->eps,
            .rms = args->rms,
            .relevance = args->relevance};
        job->kernels->norm_backward(row_at(args->dx, m, args->columns), &row,
                                    (size_t)args->columns);
    }
}

void cpu_norm_backward(struct device *device, const struct norm_backward_args *args)
{
    struct norm_job job = {args, device->kernels};
    struct row_blocks blocks = blocks_of(device, args->rows, 8 * (size_t)args->columns);
    blocks_run(device, &blocks, norm_block, &job);
}

/* Activations ---------------------------------------------------------------------------------- */

struct activation_job {
    const struct activation_backward_args *args;
    const struct kernels *kernels;
    float *scratch; // (tasks, columns)
};

static void activate(const struct kernels *kernels, enum activation activation, float *x, size_t n)
{
    void (*const all[ACTIVATION_COUNT])(float *, size_t) = {
        [ACTIVATION_GELU] = kernels->gelu,
        [ACTIVATION_SWISH] = kernels->swish,
        [ACTIVATION_GELU_TANH] = kernels->gelu_tanh,
        [ACTIVATION_GELU_SIGMOID] = kernels->gelu_sigmoid,
        [ACTIVATION_TANH] = kernels->tanh,
        [ACTIVATION_SIGMOID] = kernels->sigmoid};
    if (all[activation])
        all[activation](x, n);
    for (size_t c = 0; activation == ACTIVATION_RELU && c < n; c++)
        x[c] = x[c] > 0 ? x[c] : 0;
}

/* Writes into `part` the activation's slope at x or, for relevance, its value over x. */
static void slope_row(const struct activation_job *job, const float *x, float *part, size_t n)
{
    const enum activation activation = job->args->activation;
    memcpy(part, x, n * sizeof *part);
    if (job->args->cap > 0) {
        job->kernels->cap_slope(part, job->args->cap, job->args->relevance, n);
        return;
    }
    if (!job->args->relevance || activation == ACTIVATION_RELU) {
        job->kernels->slope[activation](part, n);
        return;
    }
    activate(job->kernels, activation, part, n);
    for (size_t c = 0; c < n; c++)
        part[c] = x[c] != 0 ? part[c] / x[c] : 0;
}

static void halve(float *x, size_t n)
{
    for (size_t c = 0; c < n; c++)
        x[c] *= 0.5f;
}

static void activation_row(const struct activation_job *job, int m, float *part)
{
    const struct activation_backward_args *args = job->args;
    const size_t n = (size_t)args->columns;
    float *dy = row_at(args->dy, m, args->columns);
    const float *x = row_at(args->x, m, args->columns);
    if (tensor_present(args->factor)) {
        float *factor = row_at(args->factor, m, args->columns);
        memcpy(part, x, n * sizeof *part);
        activate(job->kernels, args->activation, part, n);
        job->kernels->multiply(part, dy, n);
        job->kernels->multiply(dy, factor, n);
        memcpy(factor, part, n * sizeof *part);
        if (args->relevance) {
            halve(factor, n);
            halve(dy, n);
        }
    }
    if (!job->kernels->slope[args->activation] && !(args->cap > 0))
        return;
    slope_row(job, x, part, n);
    job->kernels->multiply(dy, part, n);
}

static void activation_block(void *context, int task, int begin, int end)
{
    const struct activation_job *job = context;
    for (int m = begin; m < end; m++)
        activation_row(job, m, job->scratch + (size_t)task * (size_t)job->args->columns);
}

void cpu_activation_backward(struct device *device, const struct activation_backward_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->rows, 16 * (size_t)args->columns);
    float *scratch =
        device_scratch(device, (size_t)blocks.tasks * (size_t)args->columns * sizeof *scratch);
    struct activation_job job = {args, device->kernels, scratch};
    if (scratch)
        blocks_run(device, &blocks, activation_block, &job);
}

/* Sums and means ------------------------------------------------------------------------------- */

static void add_block(void *context, int task, int begin, int end)
{
    const struct add_args *args = context;
    (void)task;
    for (int m = begin; m < end; m++) {
        const int from = tensor_present(args->index) ? tensor_ints(args->index)[m] : m;
        const float *x = row_at(args->x, from, args->ldx);
        float *y = row_at(args->y, m, args->ldy);
        for (int c = 0; c < args->columns; c++)
            y[c] += x[c];
    }
}

void cpu_add(struct device *device, const struct add_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->rows, (size_t)args->columns);
    blocks_run(device, &blocks, add_block, (void *)args);
}

static void prefix_mean_row(const struct prefix_mean_backward_args *args, int m, int begin, int end)
{
    const int lane = tensor_ints(args->rows.lane)[m], pos = tensor_ints(args->rows.pos)[m];
    if (lane < 0)
        return;
    const int before = slot_before(&args->rows, m);
    const float *dy = row_at(args->dy, m, args->lddy);
    float *dx = row_at(args->dx, m, args->lddx);
    float *own = row_at(args->dsums, tensor_ints(args->rows.slot)[m], args->columns);
    float *carried = before < 0 ? NULL : row_at(args->dsums, before, args->columns);
    for (int c = begin; c < end; c++) {
        own[c] += dy[c] / (float)(pos + 1);
        dx[c] += own[c];
        if (carried)
            carried[c] += own[c];
    }
}

/* Each row adds to the row before it, so threads divide columns, not rows. */
static void prefix_mean_block(void *context, int task, int begin, int end)
{
    const struct prefix_mean_backward_args *args = context;
    (void)task;
    for (int m = args->rows.rows - 1; m >= 0; m--)
        prefix_mean_row(args, m, begin, end);
}

void cpu_prefix_mean_backward(struct device *device, const struct prefix_mean_backward_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->columns, 3 * (size_t)args->rows.rows);
    blocks_run(device, &blocks, prefix_mean_block, (void *)args);
}

/* The recurrence ------------------------------------------------------------------------------- */

static void recurrence_row(const struct recurrence_backward_args *args, int m, int begin, int end)
{
    const int d = args->columns, slot = tensor_ints(args->rows.slot)[m];
    if (tensor_ints(args->rows.lane)[m] < 0)
        return;
    const int before = slot_before(&args->rows, m);
    const float *dy = row_at(args->dy, m, d), *x = row_at(args->x, m, d);
    const float *f = row_at(args->f, m, d), *state = row_at(args->states, slot, d);
    const float *last = before < 0 ? NULL : row_at(args->states, before, d);
    float *own = row_at(args->dstates, slot, d);
    float *carried = before < 0 ? NULL : row_at(args->dstates, before, d);
    float *dx = row_at(args->dx, m, d), *dz = row_at(args->dz, m, d);
    for (int c = begin; c < end; c++) {
        const float slope = own[c] + (state[c] > 0 ? dy[c] : 0);
        dx[c] = (1 - f[c]) * slope;
        dz[c] = args->relevance ? 0 : slope * ((last ? last[c] : 0) - x[c]) * (f[c] * (1 - f[c]));
        if (carried)
            carried[c] += f[c] * slope;
    }
}

static void recurrence_block(void *context, int task, int begin, int end)
{
    const struct recurrence_backward_args *args = context;
    (void)task;
    for (int m = args->rows.rows - 1; m >= 0; m--)
        recurrence_row(args, m, begin, end);
}

void cpu_recurrence_backward(struct device *device, const struct recurrence_backward_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->columns, 8 * (size_t)args->rows.rows);
    blocks_run(device, &blocks, recurrence_block, (void *)args);
}

/* Log-probabilities ---------------------------------------------------------------------------- */

struct logprob_job {
    const struct logprob_backward_args *args;
    const struct kernels *kernels;
};

static void logprob_block(void *context, int task, int begin, int end)
{
    const struct logprob_job *job = context;
    const struct logprob_backward_args *args = job->args;
    (void)task;
    for (int m = begin; m < end; m++) {
        float *y = row_at(args->logprobs, m, args->vocabulary);
        const float total = tensor_floats(args->total)[m];
        job->kernels->exp(y, (size_t)args->vocabulary);
        for (int v = 0; v < args->vocabulary; v++)
            y[v] *= -total;
        for (int t = 0; t < args->terms; t++)
            if (tensor_ints(args->row)[t] == m)
                y[tensor_ints(args->token)[t]] += tensor_floats(args->weight)[t];
    }
}

void cpu_logprob_backward(struct device *device, const struct logprob_backward_args *args)
{
    struct logprob_job job = {args, device->kernels};
    struct row_blocks blocks = blocks_of(device, args->rows, 8 * (size_t)args->vocabulary);
    blocks_run(device, &blocks, logprob_block, &job);
}
