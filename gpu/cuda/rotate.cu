/* Rotary positions: a thread for each pair of columns. */
#include "gpu/cuda/ops.cuh"

struct rotate_params {
    float *x;
    const int32_t *pos;
    const float *table;
    int ldx, half, pairs; // pairs of a head, and of a row
    bool interleaved, back;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) rotate_kernel(struct rotate_params p)
{
    grid_wait();
    const int blocks = quotient_up(p.pairs, BLOCK), m = (int)blockIdx.x / blocks;
    const int pair = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (pair >= p.pairs)
        return;
    const int k = pair % p.half, head = pair / p.half * 2 * p.half;
    const float *const angle = p.table + (size_t)p.pos[m] * 2 * p.half + k;
    float *const x = p.x + (size_t)m * p.ldx + head + (p.interleaved ? 2 * k : k);
    float *const other = x + (p.interleaved ? 1 : p.half);
    const float cosine = angle[0], sine = p.back ? -angle[p.half] : angle[p.half];
    const float first = *x, second = *other;
    *x = first * cosine - second * sine;
    *other = second * cosine + first * sine;
}

void cuda_rotate(struct device *device, const struct rotate_args *args)
{
    enum { BLOCK = block_size(128) };
    if (!device_ready(device) || args->rows <= 0)
        return;
    const int half = args->head_dim / 2, pairs = args->heads * half;
    const struct rotate_params params = {tensor_floats(args->x),
                                         tensor_ints(args->pos),
                                         tensor_floats(args->table),
                                         args->ldx,
                                         half,
                                         pairs,
                                         args->interleaved,
                                         args->back};
    START(device, rotate_kernel<BLOCK>, args->rows * quotient_up(pairs, BLOCK), BLOCK, params);
}
