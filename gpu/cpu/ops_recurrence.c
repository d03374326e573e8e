/* The recurrence of a decoder without self-attention. */
#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/ops.h"

static void recurrence_row(const struct recurrence_args *args, int m, size_t begin, size_t end)
{
    const size_t d = (size_t)args->columns;
    const struct row_args *rows = &args->rows;
    const int lane = tensor_ints(rows->lane)[m], pos = tensor_ints(rows->pos)[m];
    if (lane < 0)
        return;
    const float *x = tensor_floats(args->x) + (size_t)m * d;
    const float *f = tensor_floats(args->f) + (size_t)m * d;
    float *y = tensor_floats(args->y) + (size_t)m * d, *states = tensor_floats(args->states);
    float *own = states + (size_t)tensor_ints(rows->slot)[m] * d;
    const int32_t *path = tensor_ints(rows->path) + (size_t)lane * (size_t)rows->positions;
    const float *before = pos > 0 ? states + (size_t)path[pos - 1] * d : NULL;
    for (size_t c = begin; c < end; c++) {
        float kept = before ? f[c] * before[c] : 0;
        own[c] = kept + (1 - f[c]) * x[c];
        y[c] = own[c] <= 0 ? 0 : own[c]; // NaN stays NaN
    }
}

/* Each row reads what the row before it wrote, so threads divide columns, not rows. */
static void recurrence_block(void *context, int task, int begin, int end)
{
    const struct recurrence_args *args = context;
    (void)task;
    for (int m = 0; m < args->rows.rows; m++)
        recurrence_row(args, m, (size_t)begin, (size_t)end);
}

void cpu_recurrence(struct device *device, const struct recurrence_args *args)
{
    struct row_blocks blocks = blocks_of(device, args->columns, 4 * (size_t)args->rows.rows);
    blocks_run(device, &blocks, recurrence_block, (void *)args);
}
