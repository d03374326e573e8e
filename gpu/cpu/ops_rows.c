/* Operations that move rows to their places: embed, gather, scatter, select, words. */
#include <string.h>

#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/ops.h"
#include "gpu/cpu/weight.h"

static void embed_row(const struct embed_args *args, int m)
{
    const size_t d = (size_t)args->table->k;
    float *y = tensor_floats(args->y) + (size_t)m * d;
    const int id = tensor_ints(args->ids)[m];
    if (id < 0) {
        memset(y, 0, d * sizeof *y);
        return;
    }
    weight_row(args->table, id, y);
    for (size_t c = 0; c < d; c++)
        y[c] *= args->scale;
    if (!tensor_present(args->positions))
        return;
    const float *position = tensor_floats(args->positions) + (size_t)tensor_ints(args->pos)[m] * d;
    for (size_t c = 0; c < d; c++)
        y[c] += position[c];
}

static void embed_block(void *context, int task, int begin, int end)
{
    (void)task;
    for (int m = begin; m < end; m++)
        embed_row(context, m);
}

void cpu_embed(struct device *device, const struct embed_args *args)
{
    /* A row of a packed table touches as many cache lines as it has elements. */
    struct row_blocks blocks = blocks_of(device, args->rows, 16 * (size_t)args->table->k);
    blocks_run(device, &blocks, embed_block, (void *)args);
}

static int row_index(const struct move_args *args, int m)
{
    return tensor_present(args->index) ? tensor_ints(args->index)[m] : m;
}

static void gather_block(void *context, int task, int begin, int end)
{
    const struct move_args *args = context;
    (void)task;
    const size_t bytes = (size_t)args->columns * sizeof(float);
    for (int m = begin; m < end; m++) {
        float *y = tensor_floats(args->y) + (size_t)m * (size_t)args->ldy;
        int from = row_index(args, m);
        if (from < 0)
            memset(y, 0, bytes);
        else
            memmove(y, tensor_floats(args->x) + (size_t)from * (size_t)args->ldx, bytes);
    }
}

void cpu_gather(struct device *device, const struct move_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->rows, (size_t)args->columns);
    blocks_run(device, &blocks, gather_block, (void *)args);
}

static void scatter_block(void *context, int task, int begin, int end)
{
    const struct move_args *args = context;
    (void)task;
    const size_t bytes = (size_t)args->columns * sizeof(float);
    for (int m = begin; m < end; m++) {
        int to = row_index(args, m);
        if (to >= 0)
            memmove(tensor_floats(args->y) + (size_t)to * (size_t)args->ldy,
                    tensor_floats(args->x) + (size_t)m * (size_t)args->ldx, bytes);
    }
}

void cpu_scatter(struct device *device, const struct move_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->rows, (size_t)args->columns);
    blocks_run(device, &blocks, scatter_block, (void *)args);
}

void cpu_select_rows(struct device *device, const struct select_args *args, int begin, int end)
{
    if (cancelled(device))
        return;
    const int32_t *lanes = tensor_ints(args->state->lane), *path = tensor_ints(args->state->path);
    const int32_t *row_lane = tensor_ints(args->row_lane);
    int32_t *columns = tensor_ints(args->columns), *slot = tensor_ints(args->slot);
    for (int m = begin; m < end; m++) {
        const int lane = row_lane[m];
        const int32_t *record = lanes + (ptrdiff_t)lane * LANE_FIELDS;
        for (int field = 0; field < LANE_FIELDS; field++)
            columns[(size_t)field * (size_t)args->rows + (size_t)m] = lane >= 0 ? record[field]
                                                                      : field == LANE_TOKEN ? -1
                                                                                            : 0;
        slot[m] =
            lane >= 0
                ? path[(size_t)lane * (size_t)args->state->positions + (size_t)record[LANE_POS]]
                : -1;
    }
}

/* True if the token `id` at `pos` > 0 begins a word; the token before it is in slot `before`. A
 * lane without a live hypothesis may never have stored start tokens, so their slots are not
 * read. */
static bool word_begins(const struct word_args *args, int pos, int id, int before)
{
    const uint8_t *classes = tensor_bytes(args->classes);
    if (pos <= args->starts)
        return true;
    const uint8_t last = classes[tensor_ints(args->token)[before]];
    return !(last & CLASS_JOINS) &&
           (classes[id] & CLASS_BEGINS || last & CLASS_ENDS || scripts_part(last, classes[id]));
}

void cpu_words(struct device *device, const struct word_args *args)
{
    if (cancelled(device))
        return;
    const int32_t *ids = tensor_ints(args->ids), *path = tensor_ints(args->rows.path);
    int32_t *token = tensor_ints(args->token), *word = tensor_ints(args->word);
    int32_t *row_word = tensor_ints(args->row_word);
    for (int m = 0; m < args->rows.rows; m++) {
        const int lane = tensor_ints(args->rows.lane)[m], pos = tensor_ints(args->rows.pos)[m];
        row_word[m] = 0;
        if (lane < 0)
            continue;
        const int slot = tensor_ints(args->rows.slot)[m];
        token[slot] = ids[m];
        if (pos > 0) {
            const int before = path[(size_t)lane * (size_t)args->rows.positions + (size_t)pos - 1];
            row_word[m] = word[before] + word_begins(args, pos, ids[m], before);
        }
        word[slot] = row_word[m];
    }
}
