/* Rotary positions. */
#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/ops.h"

static void turn(float *a, float *b, float cosine, float sine)
{
    const float first = *a, second = *b;
    *a = first * cosine - second * sine;
    *b = second * cosine + first * sine;
}

static void rotate_head(const struct rotate_args *args, float *x, const float *cosine)
{
    const int half = args->head_dim / 2, step = args->interleaved ? 2 : 1;
    const float *const sine = cosine + half;
    float *const other = x + (args->interleaved ? 1 : half);
    for (int k = 0; k < half; k++)
        turn(x + k * step, other + k * step, cosine[k], args->back ? -sine[k] : sine[k]);
}

static void rotate_block(void *context, int task, int begin, int end)
{
    const struct rotate_args *args = context;
    const size_t size = (size_t)args->head_dim;
    (void)task;
    for (int m = begin; m < end; m++) {
        float *x = tensor_floats(args->x) + (size_t)m * (size_t)args->ldx;
        const size_t position = (size_t)tensor_ints(args->pos)[m];
        for (int h = 0; h < args->heads; h++, x += size)
            rotate_head(args, x, tensor_floats(args->table) + position * size);
    }
}

void cpu_rotate(struct device *device, const struct rotate_args *args)
{
    const struct row_blocks blocks =
        blocks_of(device, args->rows, 2 * (size_t)args->heads * (size_t)args->head_dim);
    blocks_run(device, &blocks, rotate_block, (void *)args);
}
