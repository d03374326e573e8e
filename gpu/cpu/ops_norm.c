/* Operations on whole rows: norm, mean, prefix_mean. */
#include <math.h>
#include <string.h>

#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernels.h"
#include "gpu/cpu/ops.h"

enum { NORM_ROWS = 4 }; // few, so that they stay in the nearest cache

struct norm_job {
    const struct norm_args *args;
    const struct kernels *kernels;
};

static float *row_at(struct tensor tensor, int m, int ld)
{
    return tensor_floats(tensor) + (size_t)m * (size_t)ld;
}

/* What is standardised: a row of x, or of the sum, which stays in y where it is not wanted until y is
 * written. */
static float *norm_source(const struct norm_args *args, int m)
{
    if (tensor_present(args->sum))
        return row_at(args->sum, m, args->columns);
    return tensor_present(args->residual) ? row_at(args->y, m, args->ldy)
                                          : row_at(args->x, m, args->columns);
}

/* Brings a row to norm_source; gives the sum of its elements. */
static float norm_begin(const struct norm_job *job, int m)
{
    const struct norm_args *args = job->args;
    const size_t d = (size_t)args->columns;
    const float *x = row_at(args->x, m, args->columns);
    float *source = norm_source(args, m);
    if (tensor_present(args->residual))
        return job->kernels->add_sum(source, x, row_at(args->residual, m, args->ldresidual), d);
    if (source != x)
        memmove(source, x, d * sizeof *source);
    return job->kernels->sum(x, d);
}

/* Some rows at once: the sums of one take their time, in which those of the next can begin. */
static void norm_rows(const struct norm_job *job, int begin, int count)
{
    const struct norm_args *args = job->args;
    const size_t d = (size_t)args->columns;
    float moments[NORM_ROWS][2]; // mean, factor
    for (int r = 0; r < count; r++)
        moments[r][0] = norm_begin(job, begin + r) / (float)d;
    for (int r = 0; r < count; r++) {
        const float *source = norm_source(args, begin + r);
        const float variance = job->kernels->square_sum(source, moments[r][0], d) / (float)d;
        moments[r][1] = 1.0f / sqrtf(variance + args->eps);
    }
    for (int r = 0; r < count; r++)
        job->kernels->standardise(row_at(args->y, begin + r, args->ldy),
                                  norm_source(args, begin + r), moments[r],
                                  tensor_floats(args->gamma), tensor_floats(args->beta), d);
}

static void norm_block(void *context, int task, int begin, int end)
{
    (void)task;
    for (int m = begin; m < end; m += NORM_ROWS)
        norm_rows(context, m, end - m < NORM_ROWS ? end - m : NORM_ROWS);
}

void cpu_norm(struct device *device, const struct norm_args *args)
{
    struct norm_job job = {args, device->kernels};
    struct blocks blocks = blocks_of(device, args->rows, 4 * (size_t)args->columns);
    blocks_run(device, &blocks, norm_block, &job);
}

/* The rows are added one after the other, whatever else is in the batch. */
static void mean_block(void *context, int task, int begin, int end)
{
    const struct mean_args *args = context;
    (void)task;
    const size_t d = (size_t)args->columns;
    for (int b = begin; b < end; b++) {
        float *y = tensor_floats(args->y) + (size_t)b * (size_t)args->ldy;
        const int first = tensor_ints(args->begin)[b], last = tensor_ints(args->end)[b];
        memset(y, 0, d * sizeof *y);
        for (int m = first; m < last; m++) {
            const float *x = tensor_floats(args->x) + (size_t)m * (size_t)args->ldx;
            for (size_t c = 0; c < d; c++)
                y[c] += x[c];
        }
        for (size_t c = 0; c < d && first < last; c++)
            y[c] /= (float)(last - first);
    }
}

void cpu_mean(struct device *device, const struct mean_args *args)
{
    struct blocks blocks = blocks_of(device, args->sentences, 32 * (size_t)args->columns);
    blocks_run(device, &blocks, mean_block, (void *)args);
}

static void prefix_mean_row(const struct prefix_mean_args *args, int m, size_t begin, size_t end)
{
    const size_t d = (size_t)args->columns;
    const struct row_args *rows = &args->rows;
    const int lane = tensor_ints(rows->lane)[m], pos = tensor_ints(rows->pos)[m];
    if (lane < 0)
        return;
    const float *x = tensor_floats(args->x) + (size_t)m * (size_t)args->ldx;
    float *y = tensor_floats(args->y) + (size_t)m * (size_t)args->ldy;
    float *sums = tensor_floats(args->sums);
    float *own = sums + (size_t)tensor_ints(rows->slot)[m] * d;
    const int32_t *path = tensor_ints(rows->path) + (size_t)lane * (size_t)rows->positions;
    const float *before = pos > 0 ? sums + (size_t)path[pos - 1] * d : NULL;
    for (size_t c = begin; c < end; c++) {
        float sum = before ? before[c] + x[c] : x[c];
        own[c] = sum;
        y[c] = sum / (float)(pos + 1);
    }
}

/* A row reads what the row before it wrote, so that columns are shared out, not rows. */
static void prefix_mean_block(void *context, int task, int begin, int end)
{
    const struct prefix_mean_args *args = context;
    (void)task;
    for (int m = 0; m < args->rows.rows; m++)
        prefix_mean_row(args, m, (size_t)begin, (size_t)end);
}

void cpu_prefix_mean(struct device *device, const struct prefix_mean_args *args)
{
    struct blocks blocks = blocks_of(device, args->columns, 2 * (size_t)args->rows.rows);
    blocks_run(device, &blocks, prefix_mean_block, (void *)args);
}
