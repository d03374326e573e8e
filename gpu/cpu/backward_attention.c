/* Derivatives of attention. Each task is one head: no other head has a part in what it reads, and
 * it adds its rows in order. */
#include <string.h>

#include "gpu/cpu/attention_weights.h"
#include "gpu/cpu/backward.h"
#include "gpu/cpu/blocks.h"

struct backward_job {
    const struct attention_backward_args *args;
    struct weighing weighing;
    float *scratch; // (tasks, parts, RUN_MOST, stride)
    int parts;      // 2, or 3 with a cap
};

/* The most heads computed together. */
enum { RUN_MOST = 8 };

struct run {
    int head, heads;
};

static float *at_row(struct tensor tensor, size_t row, int ld, int head, int size)
{
    return tensor_floats(tensor) + row * (size_t)ld + (size_t)head * (size_t)size;
}

/* Stores a' of a row whose keys are in the span, if it is wanted. */
static void store_slopes(const struct attention_backward_args *args, int m, int h, const float *da,
                         struct key_span span)
{
    const struct attention_args *forward = &args->forward;
    if (!tensor_present(args->dweights) || forward->captured[h] < 0)
        return;
    const size_t ld = (size_t)forward->ldweights;
    const size_t row = (size_t)forward->captured[h] * (size_t)forward->rows.rows + (size_t)m;
    float *out = tensor_floats(args->dweights) + row * ld;
    memset(out, 0, ld * sizeof *out);
    if (span.begin < span.end)
        memcpy(out + span.begin, da + span.begin, (size_t)(span.end - span.begin) * sizeof *out);
}

/* Writes b for the heads of a run: o' times their values, (heads, stride). */
static void value_dots(const struct backward_job *job, const struct attention_row *row,
                       const struct run *run, struct key_span span, float *da)
{
    const struct attention_args *forward = &job->args->forward;
    const struct row_set values = attention_head_rows(
        forward, tensor_floats(forward->v), forward->ldv, run->head, run->heads, row, span);
    job->weighing.kernels->scores(da + span.begin, job->weighing.stride,
                                  at_row(job->args->dout, (size_t)row->m,
                                         forward->heads * forward->head_dim, run->head,
                                         forward->head_dim),
                                  &values, 1);
}

/* Returns the rows of the keys in the span, for head `place` of a matrix. */
static struct row_sums sums_of(const struct backward_job *job, const struct attention_row *row,
                               struct tensor tensor, int ld, int place, struct key_span span)
{
    const int size = job->args->forward.head_dim;
    return (struct row_sums){.base = at_row(tensor, row->first, ld, place, size),
                             .ld = (size_t)ld,
                             .rows = row->keys + span.begin,
                             .count = span.end - span.begin,
                             .size = size};
}

/* Returns the share of a product's relevance that each factor gets. */
static float half_of(const struct backward_job *job, const struct attention_row *row, int h)
{
    return job->args->relevance && row->head[h].energy == ENERGY_LEARNED ? 0.5f : 1;
}

static void add_values(const struct backward_job *job, const struct attention_row *row, int h,
                       const float *a, struct key_span span)
{
    const struct attention_args *forward = &job->args->forward;
    const struct row_sums sums = sums_of(job, row, job->args->dv, forward->ldv, h, span);
    const float gain = head_gain(row, h) * half_of(job, row, h);
    if (gain != 0)
        job->weighing.kernels->add_outer(&sums, a + span.begin, gain,
                                         at_row(job->args->dout, (size_t)row->m,
                                                forward->heads * forward->head_dim, h,
                                                forward->head_dim));
}

static void cap_back(const struct backward_job *job, float *uncapped, float *slopes, size_t n)
{
    const struct kernels *kernels = job->weighing.kernels;
    kernels->cap_slope(uncapped, job->args->forward.cap, job->args->relevance, n);
    kernels->multiply(slopes, uncapped, n);
}

/* Computes q' of the row, and adds its part of k', for a run of learned heads. `da` becomes scale
 * e', where e are the energies before their cap. */
static void add_energies(const struct backward_job *job, const struct attention_row *row,
                         const struct run *run, const float *a, struct key_span span, float *da,
                         float *uncapped)
{
    const struct attention_args *forward = &job->args->forward;
    const struct kernels *kernels = job->weighing.kernels;
    const int place = forward->learned[run->head], size = forward->head_dim;
    const size_t stride = job->weighing.stride, n = (size_t)(span.end - span.begin);
    const struct row_set keys = attention_head_rows(forward, tensor_floats(forward->k),
                                                    forward->ldk, place, run->heads, row, span);
    const float entmax = row->head[run->head].entmax,
                scale = job->weighing.scale * half_of(job, row, run->head);
    for (int i = 0; i < run->heads; i++) {
        float *const slopes = da + (size_t)i * stride + span.begin;
        const float *const weights = a + (size_t)i * stride + span.begin;
        if (entmax > 0)
            kernels->entmax_backward(slopes, weights, entmax, scale, n);
        else
            kernels->softmax_backward(slopes, weights, scale, n);
        if (uncapped)
            cap_back(job, uncapped + (size_t)i * stride + span.begin, slopes, n);
    }
    kernels->weighted_sum(at_row(job->args->dq, (size_t)row->m, forward->ldq, place, size),
                          da + span.begin, stride, &keys);
    for (int i = 0; i < run->heads; i++) {
        const struct row_sums sums =
            sums_of(job, row, job->args->dk, forward->ldk, place + i, span);
        kernels->add_outer(&sums, da + (size_t)i * stride + span.begin, 1,
                           at_row(forward->q, (size_t)row->m, forward->ldq, place + i, size));
    }
}

static void store_gain(const struct backward_job *job, int m, int h, float slope)
{
    const size_t heads = (size_t)job->args->forward.heads;
    if (tensor_present(job->args->dgains))
        tensor_floats(job->args->dgains)[(size_t)m * heads + (size_t)h] = slope;
}

/* Computes the derivative of one head's gain, and a' from b, which it replaces in `da`. */
static void head_back(const struct backward_job *job, const struct attention_row *row, int h,
                      const float *a, struct key_span span, float *da)
{
    const float gain = head_gain(row, h);
    float slope = 0;
    if (span.begin < span.end)
        slope = job->weighing.kernels->dot(a + span.begin, da + span.begin,
                                           (size_t)(span.end - span.begin));
    for (int j = span.begin; j < span.end; j++)
        da[j] *= gain * half_of(job, row, h);
    store_gain(job, row->m, h, slope);
    store_slopes(job->args, row->m, h, da, span);
    if (span.begin < span.end)
        add_values(job, row, h, a, span);
}

/* scratch: (parts, RUN_MOST, stride) */
static void run_back(const struct backward_job *job, const struct attention_row *row,
                     const struct run *run, float *scratch)
{
    const size_t stride = job->weighing.stride;
    float *const a = scratch, *const da = a + RUN_MOST * stride;
    float *const uncapped = job->parts > 2 ? da + RUN_MOST * stride : NULL;
    const struct key_span span =
        attention_weights(&job->weighing, row, run->head, run->heads, a, uncapped);
    if (span.begin < span.end)
        value_dots(job, row, run, span, da);
    for (int i = 0; i < run->heads; i++)
        head_back(job, row, run->head + i, a + (size_t)i * stride, span, da + (size_t)i * stride);
    if (row->head[run->head].energy == ENERGY_LEARNED && head_gain(row, run->head) != 0 &&
        span.begin < span.end)
        add_energies(job, row, run, a, span, da, uncapped);
}

/* Returns the heads from `begin` on that are computed together; a head that is off is on its
 * own. */
static struct run run_of(const struct backward_job *job, const struct attention_row *row, int begin,
                         int end)
{
    struct run run = {begin, 1};
    for (int h = begin + 1; h < end && h < begin + RUN_MOST; h++, run.heads++)
        if (!attention_continues(&job->args->forward, row, h) || head_gain(row, h - 1) == 0 ||
            head_gain(row, h) == 0)
            break;
    return run;
}

/* Clears a head's columns in all rows of a matrix. */
static void clear_head(struct tensor tensor, int rows, int ld, int head, int size)
{
    for (int m = 0; tensor_present(tensor) && head >= 0 && m < rows; m++)
        memset(at_row(tensor, (size_t)m, ld, head, size), 0, (size_t)size * sizeof(float));
}

static void heads_block(void *context, int task, int begin, int end)
{
    const struct backward_job *job = context;
    const struct attention_backward_args *args = job->args;
    const struct attention_args *forward = &args->forward;
    float *scratch = job->scratch + (size_t)(task * job->parts * RUN_MOST) * job->weighing.stride;
    for (int h = begin; h < end; h++) {
        clear_head(args->dv, args->key_rows, forward->ldv, h, forward->head_dim);
        clear_head(args->dk, args->key_rows, forward->ldk, forward->learned[h], forward->head_dim);
        clear_head(args->dq, forward->rows.rows, forward->ldq, forward->learned[h],
                   forward->head_dim);
    }
    for (int m = 0; m < forward->rows.rows; m++) {
        const struct attention_row row = attention_row_of(&job->weighing, m);
        struct run run;
        for (int h = begin; h < end; h += run.heads) {
            run = run_of(job, &row, h, end);
            run_back(job, &row, &run, scratch);
        }
    }
}

void cpu_attention_backward(struct device *device, const struct attention_backward_args *args)
{
    int longest;
    if (cancelled(device) || args->forward.rows.rows <= 0)
        return;
    const size_t keys = attention_key_total(&args->forward, &longest);
    const struct row_blocks blocks =
        blocks_of(device, args->forward.heads, keys * (6 * (size_t)args->forward.head_dim + 32));
    struct backward_job job = {.args = args,
                               .weighing = weighing_of(device, &args->forward, longest),
                               .parts = args->forward.cap > 0 ? 3 : 2};
    const size_t stride = job.weighing.stride,
                 weights = (size_t)(blocks.tasks * job.parts * RUN_MOST) * stride;
    job.scratch = device_scratch(device, (weights + stride) * sizeof *job.scratch);
    if (!job.scratch)
        return;
    int32_t *numbers = (int32_t *)(job.scratch + weights);
    for (int j = 0; j < longest; j++)
        numbers[j] = j;
    job.weighing.count = numbers;
    blocks_run(device, &blocks, heads_block, &job);
}
