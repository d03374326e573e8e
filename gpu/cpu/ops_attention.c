/* Attention: for every row and head the weights over its keys, and their sum of values.
 *
 * A head's weights are zero outside of one span of its keys (masks and patterns both are ranges);
 * nothing outside of the span is read. What a row gets depends on that row alone. */
#include <math.h>
#include <string.h>

#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernels.h"
#include "gpu/cpu/ops.h"
#include "gpu/cpu/patterns.h"

struct attention_job {
    const struct attention_args *args;
    const struct kernels *kernels;
    float scale;          // 1 / sqrt(hd)
    const int32_t *count; // (longest) 0, 1, 2, …: the rows of a range from its beginning
    float *weights;       // (tasks, stride)
    size_t stride;
};

/* The keys of one row: key j is row first + rows[j] of k, v and word. */
struct row_keys {
    size_t first;
    const int32_t *rows;
    int n;
};

static int key_count(const struct attention_args *args, int m)
{
    if (args->keys == KEYS_RANGE) {
        int n = tensor_ints(args->end)[m] - tensor_ints(args->begin)[m];
        return n > 0 ? n : 0;
    }
    return tensor_ints(args->rows.lane)[m] < 0 ? 0 : tensor_ints(args->rows.pos)[m] + 1;
}

static struct row_keys row_keys_of(const struct attention_job *job, int m)
{
    const struct attention_args *args = job->args;
    struct row_keys keys = {.n = key_count(args, m)};
    if (keys.n == 0)
        return keys;
    if (args->keys == KEYS_RANGE) {
        keys.first = (size_t)tensor_ints(args->begin)[m];
        keys.rows = job->count;
    } else {
        size_t lane = (size_t)tensor_ints(args->rows.lane)[m];
        keys.rows = tensor_ints(args->rows.path) + lane * (size_t)args->rows.positions;
    }
    return keys;
}

/* Head `head` (of those in `matrix`) of the keys in the span. */
static struct row_set head_rows(const struct attention_args *args, const float *matrix, int ld,
                                int head, const struct row_keys *keys, struct span span)
{
    size_t column = (size_t)head * (size_t)args->head_dim;
    return (struct row_set){
        .base = matrix + keys->first * (size_t)ld + column,
        .ld = (size_t)ld,
        .rows = keys->rows + span.begin,
        .count = span.end - span.begin,
        .size = args->head_dim,
    };
}

static struct span learned_weights(const struct attention_job *job, const struct head *head, int m,
                                   int place, const struct row_keys *keys, float *weights)
{
    const struct attention_args *args = job->args;
    struct span span = mask_span(head, tensor_ints(args->position)[m], keys->n);
    if (span.begin >= span.end)
        return span;
    const float *query = tensor_floats(args->q) + (size_t)m * (size_t)args->ldq +
                         (size_t)place * (size_t)args->head_dim;
    struct row_set rows = head_rows(args, tensor_floats(args->k), args->ldk, place, keys, span);
    job->kernels->scores(weights + span.begin, query, &rows, job->scale);
    job->kernels->softmax(weights + span.begin, rows.count);
    return span;
}

static struct span head_weights(const struct attention_job *job, const struct head *head, int m,
                                int h, const struct row_keys *keys, float *weights)
{
    const struct attention_args *args = job->args;
    if (keys->n == 0)
        return (struct span){0, 0};
    if (head->energy == ENERGY_LEARNED)
        return learned_weights(job, head, m, args->learned[h], keys, weights);
    if (head->unit == UNIT_WORD)
        return pattern_word_row(head->pattern, tensor_ints(args->row_word)[m], keys->n,
                                tensor_ints(args->word) + keys->first, keys->rows, weights);
    return pattern_row(head->pattern, tensor_ints(args->position)[m], keys->n, weights);
}

static void store_weights(const struct attention_args *args, int m, int h, const float *weights,
                          struct span span)
{
    const size_t ld = (size_t)args->ldweights, begin = (size_t)span.begin, end = (size_t)span.end;
    float *out = tensor_floats(args->weights) +
                 ((size_t)args->captured[h] * (size_t)args->rows.rows + (size_t)m) * ld;
    memset(out, 0, begin * sizeof *out);
    memcpy(out + begin, weights + begin, (end - begin) * sizeof *out);
    memset(out + end, 0, (ld - end) * sizeof *out);
}

static void attend(const struct attention_job *job, int m, int h, float *weights)
{
    const struct attention_args *args = job->args;
    const size_t size = (size_t)args->head_dim, heads = (size_t)args->heads;
    const size_t variant =
        tensor_present(args->variant) ? (size_t)tensor_ints(args->variant)[m] : 0;
    const float gain =
        tensor_present(args->gains) ? tensor_floats(args->gains)[variant * heads + (size_t)h] : 1;
    const bool stored = tensor_present(args->weights) && args->captured[h] >= 0;
    float *out = tensor_floats(args->o) + ((size_t)m * heads + (size_t)h) * size;
    if (gain == 0 && !stored) {
        memset(out, 0, size * sizeof *out);
        return;
    }
    const struct head *head =
        (const struct head *)tensor_bytes(args->table) + variant * heads + (size_t)h;
    const struct row_keys keys = row_keys_of(job, m);
    const struct span span = head_weights(job, head, m, h, &keys, weights);
    if (stored)
        store_weights(args, m, h, weights, span);
    if (gain == 0 || span.begin >= span.end) {
        memset(out, 0, size * sizeof *out);
        return;
    }
    struct row_set rows = head_rows(args, tensor_floats(args->v), args->ldv, h, &keys, span);
    job->kernels->weighted_sum(out, weights + span.begin, &rows);
    for (size_t c = 0; c < size && gain != 1; c++)
        out[c] *= gain;
}

/* Row by row, because the keys of all heads lie side by side. */
static void rows_block(void *context, int task, int begin, int end)
{
    const struct attention_job *job = context;
    for (int m = begin; m < end; m++)
        for (int h = 0; h < job->args->heads; h++)
            attend(job, m, h, job->weights + (size_t)task * job->stride);
}

static void heads_block(void *context, int task, int begin, int end)
{
    const struct attention_job *job = context;
    for (int h = begin; h < end; h++)
        for (int m = 0; m < job->args->rows.rows; m++)
            attend(job, m, h, job->weights + (size_t)task * job->stride);
}

/* Lengths of the rows: their sum, and the longest. */
static size_t key_total(const struct attention_args *args, int *longest)
{
    size_t total = 0;
    *longest = 0;
    for (int m = 0; m < args->rows.rows; m++) {
        int n = key_count(args, m);
        total += (size_t)n;
        *longest = n > *longest ? n : *longest;
    }
    return total;
}

/* Few rows share out their heads, many rows themselves. */
static bool by_heads(const struct device *device, const struct attention_args *args)
{
    return args->rows.rows < 4 * pool_threads(device->pool);
}

void cpu_attention(struct device *device, const struct attention_args *args)
{
    int longest;
    const size_t keys = key_total(args, &longest);
    const bool heads = by_heads(device, args);
    const int count = heads ? args->heads : args->rows.rows;
    if (args->rows.rows <= 0)
        return;
    const size_t pair = 2 * (size_t)args->head_dim + 16; // scores and sum, exp and all the rest
    const struct blocks blocks =
        blocks_of(device, count, keys * (size_t)args->heads * pair / (size_t)count);

    const size_t line = 16; // floats in a cache line
    const size_t stride = ((size_t)longest + KERNEL_PADDING + line - 1) / line * line;
    float *scratch = device_scratch(device, ((size_t)blocks.tasks + 1) * stride * sizeof *scratch);
    if (!scratch)
        return;
    int32_t *numbers = (int32_t *)(scratch + (size_t)blocks.tasks * stride);
    for (int j = 0; j < longest; j++)
        numbers[j] = j;
    struct attention_job job = {
        .args = args,
        .kernels = device->kernels,
        .scale = (float)(1 / sqrt(args->head_dim)),
        .count = numbers,
        .weights = scratch,
        .stride = stride,
    };
    blocks_run(device, &blocks, heads ? heads_block : rows_block, &job);
}
