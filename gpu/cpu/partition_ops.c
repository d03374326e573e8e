#include "gpu/cpu/partition_ops.h"

#include "gpu/cpu/ops.h"
#include "gpu/cpu/partition.h"
#include "gpu/cpu/weight.h"

/* The part of a tensor that belongs to the range; its rows have `elements` of 4 bytes each. */
static struct tensor part_of(const struct range *range, struct tensor tensor, int elements)
{
    return tensor_present(tensor)
               ? tensor_at(tensor, (size_t)range->begin * (size_t)elements * sizeof(float))
               : tensor;
}

static struct row_args rows_of(const struct range *range, struct row_args rows)
{
    rows.rows = range->rows;
    rows.lane = part_of(range, rows.lane, 1);
    rows.pos = part_of(range, rows.pos, 1);
    rows.slot = part_of(range, rows.slot, 1);
    return rows;
}

void partition_embed(struct device *device, const struct embed_args *args)
{
    const struct range *range = partition_range(device);
    struct embed_args part = *args;
    if (!range) {
        cpu_embed(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->table->k);
    part.ids = part_of(range, args->ids, 1);
    part.pos = part_of(range, args->pos, 1);
    cpu_embed(range->worker, &part);
}

static struct linear_args product_of(const struct range *range, const struct linear_args *args)
{
    struct linear_args part = *args;
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->ldy);
    part.x = part_of(range, args->x, args->ldx);
    part.slot = part_of(range, args->slot, 1);
    part.factor = part_of(range, args->factor, args->weight->n);
    return part;
}

void partition_linear(struct device *device, const struct linear_args *args, int count)
{
    const struct range *range = partition_range(device);
    struct linear_args parts[LINEAR_MOST];
    if (!range) {
        cpu_linear(device, args, count);
        return;
    }
    for (int i = 0; i < count; i++)
        parts[i] = product_of(range, &args[i]);
    cpu_linear(range->worker, parts, count);
}

void partition_gather(struct device *device, const struct move_args *args)
{
    const struct range *range = partition_range(device);
    struct move_args part = *args;
    if (!range) {
        cpu_gather(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->ldy);
    part.x = tensor_present(args->index) ? args->x : part_of(range, args->x, args->ldx);
    part.index = part_of(range, args->index, 1);
    cpu_gather(range->worker, &part);
}

void partition_scatter(struct device *device, const struct move_args *args)
{
    const struct range *range = partition_range(device);
    struct move_args part = *args;
    if (!range) {
        cpu_scatter(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = tensor_present(args->index) ? args->y : part_of(range, args->y, args->ldy);
    part.x = part_of(range, args->x, args->ldx);
    part.index = part_of(range, args->index, 1);
    cpu_scatter(range->worker, &part);
}

void partition_norm(struct device *device, const struct norm_args *args)
{
    const struct range *range = partition_range(device);
    struct norm_args part = *args;
    if (!range) {
        cpu_norm(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->ldy);
    part.sum = part_of(range, args->sum, args->columns);
    part.x = part_of(range, args->x, args->columns);
    part.residual = part_of(range, args->residual, args->ldresidual);
    cpu_norm(range->worker, &part);
}

void partition_prefix_mean(struct device *device, const struct prefix_mean_args *args)
{
    const struct range *range = partition_range(device);
    struct prefix_mean_args part = *args;
    if (!range) {
        cpu_prefix_mean(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.y = part_of(range, args->y, args->ldy);
    part.x = part_of(range, args->x, args->ldx);
    cpu_prefix_mean(range->worker, &part);
}

void partition_recurrence(struct device *device, const struct recurrence_args *args)
{
    const struct range *range = partition_range(device);
    struct recurrence_args part = *args;
    if (!range) {
        cpu_recurrence(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.y = part_of(range, args->y, args->columns);
    part.x = part_of(range, args->x, args->columns);
    part.f = part_of(range, args->f, args->columns);
    cpu_recurrence(range->worker, &part);
}

void partition_gate(struct device *device, const struct gate_args *args)
{
    const struct range *range = partition_range(device);
    struct gate_args part = *args;
    if (!range) {
        cpu_gate(device, args);
        return;
    }
    part.rows = range->rows;
    part.q = part_of(range, args->q, args->ldq);
    part.cu = part_of(range, args->cu, args->ldcu);
    part.lambda = part_of(range, args->lambda, args->scope == GATE_HEAD ? args->heads : 1);
    cpu_gate(range->worker, &part);
}

void partition_words(struct device *device, const struct word_args *args)
{
    const struct range *range = partition_range(device);
    struct word_args part = *args;
    if (!range) {
        cpu_words(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.ids = part_of(range, args->ids, 1);
    part.row_word = part_of(range, args->row_word, 1);
    cpu_words(range->worker, &part);
}

void partition_attention(struct device *device, const struct attention_args *args)
{
    const struct range *range = partition_range(device);
    struct attention_args part = *args;
    if (!range) {
        cpu_attention(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.o = part_of(range, args->o, args->heads * args->head_dim);
    part.q = part_of(range, args->q, args->ldq);
    part.begin = part_of(range, args->begin, 1);
    part.end = part_of(range, args->end, 1);
    part.position = part_of(range, args->position, 1);
    part.variant = part_of(range, args->variant, 1);
    part.row_word = part_of(range, args->row_word, 1);
    cpu_attention(range->worker, &part);
}

void partition_mix_heads(struct device *device, const struct mix_args *args)
{
    const struct range *range = partition_range(device);
    struct mix_args part = *args;
    if (!range) {
        cpu_mix_heads(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->head_dim);
    part.o = part_of(range, args->o, args->heads * args->head_dim);
    part.s = part_of(range, args->s, args->head_dim);
    part.importance = part_of(range, args->importance, args->heads);
    part.variant = part_of(range, args->variant, 1);
    cpu_mix_heads(range->worker, &part);
}

void partition_logprob(struct device *device, const struct logprob_args *args)
{
    const struct range *range = partition_range(device);
    if (!range) {
        cpu_logprob(device, args);
        return;
    }
    const struct logprob_args part = logprob_rows(args, range->begin, range->rows);
    cpu_logprob(range->worker, &part);
}

void partition_select(struct device *device, const struct select_args *args)
{
    const struct range *range = partition_range(device);
    if (range)
        cpu_select_rows(range->worker, args, range->begin, range->begin + range->rows);
    else
        cpu_select_rows(device, args, 0, args->rows);
}

void partition_advance(struct device *device, const struct advance_args *args)
{
    const struct range *range = partition_range(device);
    struct advance_args part = *args;
    if (!range) {
        cpu_advance(device, args);
        return;
    }
    part.rows = range->rows;
    part.row_lane = part_of(range, args->row_lane, 1);
    part.top_id = part_of(range, args->top_id, args->tops);
    part.top_lp = part_of(range, args->top_lp, args->tops);
    part.eos_lp = part_of(range, args->eos_lp, 1);
    cpu_advance(range->worker, &part);
}
