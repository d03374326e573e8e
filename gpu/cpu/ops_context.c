/* Operations of the context and of the combination of heads: gate, mix_heads. */
#include <math.h>
#include <string.h>

#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/ops.h"

struct gate_job {
    const struct gate_args *args;
    const struct kernels *kernels;
};

/* Computes one gate of a row over `size` elements of q and cu; returns λ. */
static float gate_part(const struct gate_job *job, float *q, const float *cu, size_t size)
{
    const struct gate_args *args = job->args;
    float lambda = job->kernels->dot(q, tensor_floats(args->state), size) +
                   job->kernels->dot(cu, tensor_floats(args->context), size);
    if (tensor_present(args->bias))
        lambda += tensor_floats(args->bias)[0];
    job->kernels->sigmoid(&lambda, 1);
    job->kernels->blend(q, cu, lambda, size);
    return lambda;
}

static void gate_row(const struct gate_job *job, int m)
{
    const struct gate_args *args = job->args;
    const size_t heads = (size_t)args->heads, all = heads * (size_t)args->head_dim;
    float *q = tensor_floats(args->q) + (size_t)m * (size_t)args->ldq;
    const float *cu = tensor_floats(args->cu) + (size_t)m * (size_t)args->ldcu;
    if (args->scope == GATE_NONE) {
        for (size_t c = 0; c < all; c++)
            q[c] += cu[c];
        return;
    }
    /* One gate for all heads is computed as the gate of a single head that spans them. */
    const size_t parts = args->scope == GATE_HEAD ? heads : 1, size = all / parts;
    for (size_t p = 0; p < parts; p++) {
        float lambda = gate_part(job, q + p * size, cu + p * size, size);
        if (tensor_present(args->lambda))
            tensor_floats(args->lambda)[(size_t)m * parts + p] = lambda;
    }
}

static void gate_block(void *context, int task, int begin, int end)
{
    (void)task;
    for (int m = begin; m < end; m++)
        gate_row(context, m);
}

void cpu_gate(struct device *device, const struct gate_args *args)
{
    struct gate_job job = {args, device->kernels};
    struct row_blocks blocks =
        blocks_of(device, args->rows, 3 * (size_t)args->heads * (size_t)args->head_dim);
    blocks_run(device, &blocks, gate_block, &job);
}

struct mix_job {
    const struct mix_args *args;
    const struct kernels *kernels;
    int32_t *live;     // (tasks, H) the live heads of a row
    float *importance; // (tasks, H + KERNEL_PADDING) of these heads
};

/* importance = gains * exp(scores - max) / Σ over the live heads. */
static void share_out(const struct kernels *kernels, float *importance, const float *gains,
                      const struct row_set *live)
{
    const size_t count = (size_t)live->count;
    const float highest = kernels->max(importance, count);
    for (size_t i = 0; i < count; i++)
        importance[i] -= highest;
    kernels->exp(importance, count);
    for (size_t i = 0; i < count && gains; i++)
        importance[i] *= gains[live->rows[i]];
    const float total = kernels->sum(importance, count);
    for (size_t i = 0; i < count; i++)
        importance[i] /= total;
}

static void mix_row(const struct mix_job *job, int m, int32_t *live, float *importance)
{
    const struct mix_args *args = job->args;
    const size_t heads = (size_t)args->heads, size = (size_t)args->head_dim;
    const size_t variant =
        tensor_present(args->variant) ? (size_t)tensor_ints(args->variant)[m] : 0;
    const float *gains =
        tensor_present(args->gains) ? tensor_floats(args->gains) + variant * heads : NULL;
    struct row_set rows = {
        .base = tensor_floats(args->o) + (size_t)m * heads * size,
        .ld = size,
        .rows = live,
        .size = args->head_dim,
        .heads = 1,
    };
    for (int h = 0; h < args->heads; h++)
        if (!gains || gains[h] != 0)
            live[rows.count++] = h;
    if (rows.count > 0) {
        job->kernels->scores(importance, 0, tensor_floats(args->s) + (size_t)m * size, &rows,
                             args->scale);
        share_out(job->kernels, importance, gains, &rows);
    }
    job->kernels->weighted_sum(tensor_floats(args->y) + (size_t)m * size, importance, 0, &rows);
    if (!tensor_present(args->importance))
        return;
    float *stored = tensor_floats(args->importance) + (size_t)m * heads;
    memset(stored, 0, heads * sizeof *stored);
    for (int i = 0; i < rows.count; i++)
        stored[live[i]] = importance[i];
}

static void mix_block(void *context, int task, int begin, int end)
{
    const struct mix_job *job = context;
    const size_t heads = (size_t)job->args->heads;
    for (int m = begin; m < end; m++)
        mix_row(job, m, job->live + (size_t)task * heads,
                job->importance + (size_t)task * (heads + KERNEL_PADDING));
}

void cpu_mix_heads(struct device *device, const struct mix_args *args)
{
    const size_t heads = (size_t)args->heads;
    struct row_blocks blocks = blocks_of(device, args->rows, 2 * heads * (size_t)args->head_dim);
    const size_t tasks = (size_t)blocks.tasks, room = tasks * (heads + KERNEL_PADDING);
    float *scratch =
        device_scratch(device, room * sizeof *scratch + tasks * heads * sizeof(int32_t));
    if (!scratch)
        return;
    struct mix_job job = {args, device->kernels, (int32_t *)(scratch + room), scratch};
    blocks_run(device, &blocks, mix_block, &job);
}
