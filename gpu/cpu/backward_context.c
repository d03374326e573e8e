/* Derivatives of a context's gate and of the combination of heads: gate, mix_heads. */
#include <math.h>
#include <string.h>

#include "gpu/cpu/backward.h"
#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/kernels.h"

/* Gates ---------------------------------------------------------------------------------------- */

struct gate_job {
    const struct gate_backward_args *args;
    const struct kernels *kernels;
};

/* Computes one gate of a row, over `size` elements. On entry, dcu holds y', like dq. */
static void gate_part(const struct gate_job *job, float *dq, float *dcu, const float *q,
                      const float *cu, size_t size)
{
    const struct gate_backward_args *args = job->args;
    const float *state = tensor_floats(args->state), *context = tensor_floats(args->context);
    float lambda = job->kernels->dot(q, state, size) + job->kernels->dot(cu, context, size);
    if (tensor_present(args->bias))
        lambda += tensor_floats(args->bias)[0];
    job->kernels->sigmoid(&lambda, 1);
    const float slope = (job->kernels->dot(dq, cu, size) - job->kernels->dot(dq, q, size)) *
                        (lambda * (1 - lambda));
    for (size_t c = 0; c < size; c++) {
        dq[c] *= 1 - lambda;
        dcu[c] *= lambda;
    }
    if (args->relevance)
        return;
    job->kernels->add_scaled(dq, state, slope, size);
    job->kernels->add_scaled(dcu, context, slope, size);
}

static void gate_block(void *context, int task, int begin, int end)
{
    const struct gate_job *job = context;
    const struct gate_backward_args *args = job->args;
    const size_t all = (size_t)args->heads * (size_t)args->head_dim;
    /* One gate for all heads is computed as the gate of a single head that spans them. */
    const size_t parts = args->scope == GATE_HEAD ? (size_t)args->heads : 1, size = all / parts;
    (void)task;
    for (int m = begin; m < end; m++) {
        const size_t at = (size_t)m * (size_t)args->ldq, to = (size_t)m * (size_t)args->lddq;
        float *dq = tensor_floats(args->dq) + to, *dcu = tensor_floats(args->dcu) + to;
        memcpy(dcu, dq, all * sizeof *dcu);
        for (size_t p = 0; args->scope != GATE_NONE && p < parts; p++)
            gate_part(job, dq + p * size, dcu + p * size, tensor_floats(args->q) + at + p * size,
                      tensor_floats(args->cu) + at + p * size, size);
    }
}

void cpu_gate_backward(struct device *device, const struct gate_backward_args *args)
{
    struct gate_job job = {args, device->kernels};
    struct row_blocks blocks =
        blocks_of(device, args->rows, 8 * (size_t)args->heads * (size_t)args->head_dim);
    blocks_run(device, &blocks, gate_block, &job);
}

/* Mixed heads ---------------------------------------------------------------------------------- */

struct mix_job {
    const struct mix_backward_args *args;
    const struct kernels *kernels;
    int32_t *numbers; // (H) 0, 1, 2, …
    float *scratch;   // (tasks, 2, stride)
    size_t stride;
};

/* Replaces s by exp(s_h) / Σ_k gain_k exp(s_k). Returns false if all gains are 0. Only heads that
 * are on count, for the sum and for its greatest term. */
static bool share_out(const struct mix_job *job, float *s, const float *gains)
{
    const int heads = job->args->heads;
    float highest = -INFINITY, total = 0;
    for (int h = 0; h < heads; h++)
        if ((!gains || gains[h] != 0) && s[h] > highest)
            highest = s[h];
    for (int h = 0; h < heads; h++)
        s[h] -= highest;
    job->kernels->exp(s, (size_t)heads);
    bool any = false;
    for (int h = 0; h < heads; h++) {
        if (gains && gains[h] == 0)
            continue;
        any = true;
        total += gains ? gains[h] * s[h] : s[h];
    }
    for (int h = 0; any && h < heads; h++)
        s[h] /= total;
    return any;
}

static void clear_row(const struct mix_backward_args *args, int m)
{
    const size_t size = (size_t)args->head_dim, heads = (size_t)args->heads, row = (size_t)m;
    memset(tensor_floats(args->dout) + row * heads * size, 0, heads * size * sizeof(float));
    memset(tensor_floats(args->ds) + row * size, 0, size * sizeof(float));
    if (tensor_present(args->dgains))
        memset(tensor_floats(args->dgains) + row * heads, 0, heads * sizeof(float));
}

/* shares: each head's without its gain; c: each head's y'·o. */
static void mix_slopes(const struct mix_job *job, int m, const float *gains, float *shares,
                       float *c)
{
    const struct mix_backward_args *args = job->args;
    const size_t size = (size_t)args->head_dim, heads = (size_t)args->heads;
    const size_t at = (size_t)m * heads;
    const float *dy = tensor_floats(args->dy) + (size_t)m * size;
    const float *s = tensor_floats(args->s) + (size_t)m * size;
    float *ds = tensor_floats(args->ds) + (size_t)m * size, mean = 0;
    for (size_t h = 0; h < heads; h++)
        mean += (gains ? gains[h] * shares[h] : shares[h]) * c[h];
    memset(ds, 0, size * sizeof *ds);
    for (size_t h = 0; h < heads; h++) {
        const float share = gains ? gains[h] * shares[h] : shares[h];
        const float slope = args->relevance ? 0 : share * (c[h] - mean) * args->scale;
        float *dout = tensor_floats(args->dout) + (at + h) * size;
        if (tensor_present(args->dgains))
            tensor_floats(args->dgains)[at + h] = shares[h] * (c[h] - mean);
        memset(dout, 0, size * sizeof *dout);
        if (gains && gains[h] == 0)
            continue;
        job->kernels->add_scaled(dout, dy, share, size);
        job->kernels->add_scaled(dout, s, slope, size);
        job->kernels->add_scaled(ds, tensor_floats(args->o) + (at + h) * size, slope, size);
    }
}

static void mix_row(const struct mix_job *job, int m, float *shares)
{
    const struct mix_backward_args *args = job->args;
    const size_t heads = (size_t)args->heads, size = (size_t)args->head_dim;
    const size_t variant =
        tensor_present(args->variant) ? (size_t)tensor_ints(args->variant)[m] : 0;
    const float *gains =
        tensor_present(args->gains) ? tensor_floats(args->gains) + variant * heads : NULL;
    const struct row_set rows = {.base = tensor_floats(args->o) + (size_t)m * heads * size,
                                 .ld = size,
                                 .rows = job->numbers,
                                 .count = args->heads,
                                 .size = args->head_dim,
                                 .heads = 1};
    float *c = shares + job->stride;
    job->kernels->scores(shares, 0, tensor_floats(args->s) + (size_t)m * size, &rows, args->scale);
    job->kernels->scores(c, 0, tensor_floats(args->dy) + (size_t)m * size, &rows, 1);
    if (share_out(job, shares, gains))
        mix_slopes(job, m, gains, shares, c);
    else
        clear_row(args, m);
}

static void mix_block(void *context, int task, int begin, int end)
{
    const struct mix_job *job = context;
    for (int m = begin; m < end; m++)
        mix_row(job, m, job->scratch + (size_t)task * 2 * job->stride);
}

void cpu_mix_backward(struct device *device, const struct mix_backward_args *args)
{
    const size_t heads = (size_t)args->heads;
    struct row_blocks blocks = blocks_of(device, args->rows, 8 * heads * (size_t)args->head_dim);
    const size_t stride = heads + KERNEL_PADDING, room = (size_t)blocks.tasks * 2 * stride;
    float *scratch = device_scratch(device, (room + heads) * sizeof *scratch);
    if (!scratch)
        return;
    struct mix_job job = {args, device->kernels, (int32_t *)(scratch + room), scratch, stride};
    for (int h = 0; h < args->heads; h++)
        job.numbers[h] = h;
    blocks_run(device, &blocks, mix_block, &job);
}
