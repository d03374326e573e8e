/* Operations on whole rows: norm, mean, prefix_mean. */
#include <string.h>

#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/ops.h"

struct norm_job {
    const struct norm_args *args;
    const struct kernels *kernels;
};

static float *row_at(struct tensor tensor, int m, int ld)
{
    return tensor_floats(tensor) + (size_t)m * (size_t)ld;
}

/* Returns where the row to be standardised goes: x, or the sum, which is kept in y, if it is not
 * wanted, until y is written. */
static float *norm_source(const struct norm_args *args, int m)
{
    if (tensor_present(args->sum))
        return row_at(args->sum, m, args->columns);
    return tensor_present(args->residual) ? row_at(args->y, m, args->ldy)
                                          : row_at(args->x, m, args->columns);
}

static void norm_block(void *context, int task, int begin, int end)
{
    const struct norm_job *job = context;
    const struct norm_args *args = job->args;
    void (*norm)(float *, float *, const struct norm_row *, size_t) =
        args->rms ? job->kernels->rms_norm : job->kernels->norm;
    (void)task;
    for (int m = begin; m < end; m++) {
        const struct norm_row row = {.x = row_at(args->x, m, args->columns),
                                     .residual = tensor_present(args->residual)
                                                     ? row_at(args->residual, m, args->ldresidual)
                                                     : NULL,
                                     .gamma = tensor_floats(args->gamma),
                                     .beta = tensor_floats(args->beta),
                                     .eps = args->eps};
        norm(row_at(args->y, m, args->ldy), norm_source(args, m), &row, (size_t)args->columns);
    }
}

void cpu_norm(struct device *device, const struct norm_args *args)
{
    struct norm_job job = {args, device->kernels};
    struct row_blocks blocks = blocks_of(device, args->rows, 4 * (size_t)args->columns);
    blocks_run(device, &blocks, norm_block, &job);
}

/* Rows are added in order, whatever else is in the batch. */
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
    struct row_blocks blocks = blocks_of(device, args->sentences, 32 * (size_t)args->columns);
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

/* Each row reads what the row before it wrote, so threads divide columns, not rows. */
static void prefix_mean_block(void *context, int task, int begin, int end)
{
    const struct prefix_mean_args *args = context;
    (void)task;
    for (int m = 0; m < args->rows.rows; m++)
        prefix_mean_row(args, m, (size_t)begin, (size_t)end);
}

void cpu_prefix_mean(struct device *device, const struct prefix_mean_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->columns, 2 * (size_t)args->rows.rows);
    blocks_run(device, &blocks, prefix_mean_block, (void *)args);
}
