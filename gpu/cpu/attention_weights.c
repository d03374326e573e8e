#include "gpu/cpu/attention_weights.h"

#include <math.h>
#include <string.h>

#include "base/minmax.h"

int attention_key_count(const struct attention_args *args, int m)
{
    if (args->keys == KEYS_RANGE) {
        int n = tensor_ints(args->end)[m] - tensor_ints(args->begin)[m];
        return n > 0 ? n : 0;
    }
    return tensor_ints(args->rows.lane)[m] < 0 ? 0 : tensor_ints(args->rows.pos)[m] + 1;
}

size_t attention_key_total(const struct attention_args *args, int *longest)
{
    size_t total = 0;
    *longest = 0;
    for (int m = 0; m < args->rows.rows; m++) {
        int n = attention_key_count(args, m);
        total += (size_t)n;
        *longest = n > *longest ? n : *longest;
    }
    return total;
}

struct weighing weighing_of(const struct device *device, const struct attention_args *args,
                            int longest)
{
    const size_t line = 16; // floats in a cache line
    return (struct weighing){
        .args = args,
        .kernels = device->kernels,
        .scale = args->scale != 0 ? args->scale : (float)(1 / sqrt(args->head_dim)),
        .stride = ((size_t)longest + KERNEL_PADDING + line - 1) / line * line,
    };
}

struct attention_row attention_row_of(const struct weighing *weighing, int m)
{
    const struct attention_args *args = weighing->args;
    const size_t variant =
        tensor_present(args->variant) ? (size_t)tensor_ints(args->variant)[m] : 0;
    const size_t line = variant * (size_t)args->heads;
    struct attention_row row = {
        .m = m,
        .position = tensor_ints(args->position)[m],
        .n = attention_key_count(args, m),
        .head = (const struct head *)tensor_bytes(args->table) + line,
        .gain = tensor_present(args->gains) ? tensor_floats(args->gains) + line : NULL,
    };
    if (row.n == 0)
        return row;
    if (args->keys == KEYS_RANGE) {
        row.first = (size_t)tensor_ints(args->begin)[m];
        row.keys = weighing->count;
    } else {
        size_t lane = (size_t)tensor_ints(args->rows.lane)[m];
        row.keys = tensor_ints(args->rows.path) + lane * (size_t)args->rows.positions;
    }
    return row;
}

bool attention_continues(const struct attention_args *args, const struct attention_row *row, int h)
{
    const struct head *head = row->head + h;
    return head->energy == ENERGY_LEARNED && !memcmp(head, head - 1, sizeof *head) &&
           args->learned[h] == args->learned[h - 1] + 1;
}

struct row_set attention_head_rows(const struct attention_args *args, const float *matrix, int ld,
                                   int head, int heads, const struct attention_row *row,
                                   struct key_span span)
{
    size_t column = (size_t)head * (size_t)args->head_dim;
    return (struct row_set){
        .base = matrix + row->first * (size_t)ld + column,
        .ld = (size_t)ld,
        .rows = row->keys + span.begin,
        .count = span.end - span.begin,
        .size = args->head_dim,
        .heads = heads,
    };
}

/* All keys further away than `distance` share one bias on each side. */
static void add_bias(const struct attention_args *args, int head, int i, struct key_span span,
                     float *scores)
{
    const int distance = args->distance;
    const float *bias = tensor_floats(args->bias) + (size_t)head * (2 * (size_t)distance + 1);
    const int near = int_min(int_max(i - distance, span.begin), span.end);
    const int far = int_min(int_max(i + distance, near), span.end);
    for (int j = span.begin; j < near; j++)
        scores[j] += bias[0];
    for (int j = near; j < far; j++)
        scores[j] += bias[j - i + distance];
    for (int j = far; j < span.end; j++)
        scores[j] += bias[2 * distance];
}

static void cap_energies(const struct weighing *weighing, int heads, struct key_span span,
                         float *energies, float *uncapped)
{
    const size_t n = (size_t)(span.end - span.begin);
    for (int k = 0; k < heads; k++) {
        const size_t at = (size_t)k * weighing->stride + (size_t)span.begin;
        if (uncapped)
            memcpy(uncapped + at, energies + at, n * sizeof *uncapped);
        weighing->kernels->cap(energies + at, weighing->args->cap, n);
    }
}

static struct key_span learned_weights(const struct weighing *weighing,
                                       const struct attention_row *row, int h, int heads,
                                       float *weights, float *uncapped)
{
    const struct attention_args *args = weighing->args;
    const int place = args->learned[h];
    struct key_span span = mask_span(&row->head[h], row->position, row->n);
    if (span.begin >= span.end)
        return span;
    const float *query = tensor_floats(args->q) + (size_t)row->m * (size_t)args->ldq +
                         (size_t)place * (size_t)args->head_dim;
    struct row_set rows =
        attention_head_rows(args, tensor_floats(args->k), args->ldk, place, heads, row, span);
    weighing->kernels->scores(weights + span.begin, weighing->stride, query, &rows,
                              weighing->scale);
    for (int k = 0; tensor_present(args->bias) && k < heads; k++)
        add_bias(args, h + k, row->position, span, weights + (size_t)k * weighing->stride);
    if (args->cap > 0)
        cap_energies(weighing, heads, span, weights, uncapped);
    if (row->head[h].entmax > 0)
        weighing->kernels->entmax(weights + span.begin, weighing->stride, heads,
                                  row->head[h].entmax, rows.count);
    else
        weighing->kernels->softmax(weights + span.begin, weighing->stride, heads, rows.count);
    return span;
}

struct key_span attention_weights(const struct weighing *weighing, const struct attention_row *row,
                                  int h, int heads, float *weights, float *uncapped)
{
    const struct attention_args *args = weighing->args;
    const struct head *head = row->head + h;
    if (row->n == 0)
        return (struct key_span){0, 0};
    if (head->energy == ENERGY_LEARNED)
        return learned_weights(weighing, row, h, heads, weights, uncapped);
    if (head->unit == UNIT_WORD)
        return pattern_word_row(head, tensor_ints(args->row_word)[row->m], row->n,
                                tensor_ints(args->word) + row->first, row->keys, weights);
    return pattern_row(head, row->position, row->n, weights);
}
