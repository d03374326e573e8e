/* Attention: for every row and head the weights over its keys, and the sum of the values with these
 * weights. A row's results depend only on that row. */
#include <string.h>

#include "gpu/cpu/attention_weights.h"
#include "gpu/cpu/blocks.h"
#include "gpu/cpu/ops.h"

enum { LINE = 64 };

struct attention_job {
    struct weighing weighing;
    float *weights; // (tasks, sharing, group, stride)
    int group;      // heads that go together at most
    int sharing;    // and rows
};

static float *head_output(const struct attention_args *args, int m, int h)
{
    const size_t place = (size_t)m * (size_t)args->heads + (size_t)h;
    return tensor_floats(args->o) + place * (size_t)args->head_dim;
}

static bool head_stored(const struct attention_args *args, int h)
{
    return tensor_present(args->weights) && args->captured[h] >= 0;
}

static bool head_wanted(const struct attention_args *args, const struct attention_row *row, int h)
{
    return head_gain(row, h) != 0 || head_stored(args, h);
}

/* The first of the heads from `begin` on that does not go together with head `begin`. */
static int run_end(const struct attention_job *job, const struct attention_row *row, int begin,
                   int end)
{
    int h = begin + 1;
    if (end > begin + job->group)
        end = begin + job->group;
    while (h < end && attention_continues(job->weighing.args, row, h) &&
           head_wanted(job->weighing.args, row, h))
        h++;
    return h;
}

static void store_weights(const struct attention_args *args, int m, int h, const float *weights,
                          struct key_span span)
{
    const size_t ld = (size_t)args->ldweights, begin = (size_t)span.begin, end = (size_t)span.end;
    float *out = tensor_floats(args->weights) +
                 ((size_t)args->captured[h] * (size_t)args->rows.rows + (size_t)m) * ld;
    memset(out, 0, begin * sizeof *out);
    memcpy(out + begin, weights + begin, (end - begin) * sizeof *out);
    memset(out + end, 0, (ld - end) * sizeof *out);
}

static void scale_head(float *out, float gain, size_t size)
{
    if (gain == 0) // whatever the values are
        memset(out, 0, size * sizeof *out);
    for (size_t c = 0; c < size && gain != 0; c++)
        out[c] *= gain;
}

static void store_heads(const struct attention_job *job, int m, int begin, int end,
                        const float *weights, struct key_span span)
{
    for (int h = begin; h < end; h++)
        if (head_stored(job->weighing.args, h))
            store_weights(job->weighing.args, m, h,
                          weights + (size_t)(h - begin) * job->weighing.stride, span);
}

/* Rows from row.m on, of the same keys, heads and gains. */
struct bundle {
    struct attention_row row; // the first
    int rows;
};

static struct attention_row bundle_row(const struct attention_job *job, const struct bundle *bundle,
                                       int r)
{
    struct attention_row row = bundle->row;
    row.m += r;
    row.position = tensor_ints(job->weighing.args->position)[row.m];
    return row;
}

/* Heads begin … end-1, which are one run, of all rows: their weights, to (rows, heads, stride).
 * Whether all have the same span. */
static bool bundle_weights(const struct attention_job *job, const struct bundle *bundle, int begin,
                           int end, float *weights, struct key_span spans[KERNEL_SHARING])
{
    bool same = true;
    for (int r = 0; r < bundle->rows; r++) {
        const struct attention_row row = bundle_row(job, bundle, r);
        float *own = weights + (size_t)(r * (end - begin)) * job->weighing.stride;
        spans[r] = attention_weights(&job->weighing, &row, begin, end - begin, own, NULL);
        store_heads(job, row.m, begin, end, own, spans[r]);
        same = same && spans[r].begin == spans[0].begin && spans[r].end == spans[0].end;
    }
    return same;
}

/* The sums of some rows that have the same span. */
static void sum_values(const struct attention_job *job, const struct attention_row *row, int rows,
                       int begin, int end, const float *weights, struct key_span span)
{
    const struct attention_args *args = job->weighing.args;
    const int heads = end - begin;
    const size_t ldo = (size_t)args->heads * (size_t)args->head_dim;
    float *out = head_output(args, row->m, begin);
    if (span.begin >= span.end) {
        for (int r = 0; r < rows; r++)
            memset(out + (size_t)r * ldo, 0, (size_t)(heads * args->head_dim) * sizeof *out);
        return;
    }
    const struct row_set values =
        attention_head_rows(args, tensor_floats(args->v), args->ldv, begin, heads, row, span);
    if (rows > 1)
        job->weighing.kernels->shared_sum(out, ldo, weights + span.begin, job->weighing.stride,
                                          rows, &values);
    else
        job->weighing.kernels->weighted_sum(out, weights + span.begin, job->weighing.stride,
                                            &values);
}

static void scale_heads(const struct attention_args *args, const struct attention_row *row,
                        int begin, int end)
{
    for (int h = begin; h < end && row->gain; h++)
        if (row->gain[h] != 1)
            scale_head(head_output(args, row->m, h), row->gain[h], (size_t)args->head_dim);
}

/* Heads begin … end-1, which are one run. */
static void attend_run(const struct attention_job *job, const struct bundle *bundle, int begin,
                       int end, float *weights)
{
    struct key_span spans[KERNEL_SHARING];
    const bool together = bundle_weights(job, bundle, begin, end, weights, spans);
    if (together)
        sum_values(job, &bundle->row, bundle->rows, begin, end, weights, spans[0]);
    for (int r = 0; r < bundle->rows; r++) {
        const struct attention_row row = bundle_row(job, bundle, r);
        const float *own = weights + (size_t)(r * (end - begin)) * job->weighing.stride;
        if (!together)
            sum_values(job, &row, 1, begin, end, own, spans[r]);
        scale_heads(job->weighing.args, &row, begin, end);
    }
}

/* Heads begin … end-1 of all rows. */
static void attend(const struct attention_job *job, int task, const struct bundle *bundle,
                   int begin, int end)
{
    const struct attention_args *args = job->weighing.args;
    float *weights =
        job->weights + (size_t)(task * job->sharing * job->group) * job->weighing.stride;
    for (int h = begin, next; h < end; h = next) {
        next = h + 1;
        if (head_wanted(args, &bundle->row, h)) {
            next = run_end(job, &bundle->row, h, end);
            attend_run(job, bundle, h, next, weights);
            continue;
        }
        for (int r = 0; r < bundle->rows; r++)
            scale_head(head_output(args, bundle->row.m + r, h), 0, (size_t)args->head_dim);
    }
}

/* Asks for a row of k or v; it may be absent. */
static void fetch_row(struct tensor tensor, size_t row, int ld)
{
    const size_t bytes = (size_t)ld * sizeof(float);
    if (!tensor_present(tensor))
        return;
    const char *at = (const char *)tensor_bytes(tensor) + row * bytes;
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch(at + i, 0, 3);
}

/* Asks for the keys and values of a row that the row before it does not share: caches of many
 * sentences are larger than those near to the core. Hypotheses of one sentence share most of
 * theirs. */
static void fetch_keys(const struct attention_job *job, int m)
{
    const struct attention_args *args = job->weighing.args;
    const struct attention_row before = attention_row_of(&job->weighing, m - 1),
                               row = attention_row_of(&job->weighing, m);
    for (int j = 0; j < row.n; j++) {
        const size_t at = row.first + (size_t)row.keys[j];
        if (j < before.n && at == before.first + (size_t)before.keys[j])
            continue;
        fetch_row(args->k, at, args->ldk);
        fetch_row(args->v, at, args->ldv);
    }
}

/* Rows m … end-1 as far as they have row m's keys, heads and gains: hypotheses of one sentence, or
 * its tokens. Only ranges are looked at: of paths every row has its own. */
static struct bundle bundle_of(const struct attention_job *job, int m, int end)
{
    const struct attention_args *args = job->weighing.args;
    struct bundle bundle = {attention_row_of(&job->weighing, m), 1};
    if (job->sharing == 1)
        return bundle;
    const int32_t *first = tensor_ints(args->begin), *last = tensor_ints(args->end);
    const int32_t *variant = tensor_ints(args->variant);
    for (int next = m + 1; next < end && bundle.rows < job->sharing; next++, bundle.rows++)
        if (first[next] != first[m] || last[next] != last[m] ||
            (variant && variant[next] != variant[m]))
            break;
    return bundle;
}

/* Row by row, because the keys of all heads lie side by side. */
static void rows_block(void *context, int task, int begin, int end)
{
    const struct attention_job *job = context;
    for (int m = begin; m < end;) {
        const struct bundle bundle = bundle_of(job, m, end);
        m += bundle.rows;
        if (m < end)
            fetch_keys(job, m);
        attend(job, task, &bundle, 0, job->weighing.args->heads);
    }
}

static void heads_block(void *context, int task, int begin, int end)
{
    const struct attention_job *job = context;
    for (int m = 0; m < job->weighing.args->rows.rows;) {
        const struct bundle bundle = bundle_of(job, m, job->weighing.args->rows.rows);
        attend(job, task, &bundle, begin, end);
        m += bundle.rows;
    }
}

/* Few rows share out their heads, many rows themselves. */
static bool by_heads(const struct device *device, const struct attention_args *args)
{
    const int threads = pool_threads(device->pool);
    return threads > 1 && args->rows.rows < 4 * threads;
}

/* As many heads as fit into the nearest cache with one row's weights and their keys. */
static int group_size(const struct attention_args *args, size_t stride)
{
    const size_t weights = 1 << 11;
    const size_t group = weights / stride;
    return group < 1 ? 1 : group < (size_t)args->heads ? (int)group : args->heads;
}

void cpu_attention(struct device *device, const struct attention_args *args)
{
    int longest;
    // The operation that computes where a row's keys begin and end may not have run.
    if (cancelled(device))
        return;
    const size_t keys = attention_key_total(args, &longest);
    const bool heads = by_heads(device, args);
    const int count = heads ? args->heads : args->rows.rows;
    if (args->rows.rows <= 0)
        return;
    const size_t pair = 2 * (size_t)args->head_dim + 16; // scores and sum, exp and all the rest
    const struct row_blocks blocks =
        blocks_of(device, count, keys * (size_t)args->heads * pair / (size_t)count);

    struct weighing weighing = weighing_of(device, args, longest);
    const size_t stride = weighing.stride;
    const int group = group_size(args, stride);
    const int sharing = args->keys == KEYS_RANGE ? KERNEL_SHARING : 1;
    const size_t weights = (size_t)(blocks.tasks * sharing * group) * stride;
    float *scratch = device_scratch(device, (weights + stride) * sizeof *scratch);
    if (!scratch)
        return;
    int32_t *numbers = (int32_t *)(scratch + weights);
    for (int j = 0; j < longest; j++)
        numbers[j] = j;
    weighing.count = numbers;
    struct attention_job job = {
        .weighing = weighing, .weights = scratch, .group = group, .sharing = sharing};
    blocks_run(device, &blocks, heads ? heads_block : rows_block, &job);
}
