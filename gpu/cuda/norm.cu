/* Norms: residual, mean, variance and the rest in one kernel, with a warp for each row, or a block
 * for long rows. RMS norm is layer norm with mean 0 and without beta. */
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/norm.cuh"
#include "gpu/cuda/ops.cuh"

enum { BLOCK_NORM = block_size(128) };

template <int BLOCK, int KEPT>
static __global__ void __launch_bounds__(BLOCK) norm_kernel(struct norm_params p, int rows)
{
    grid_wait();
    const int m = (int)blockIdx.x * (BLOCK / LANES) + (int)threadIdx.x / LANES;
    float kept[KEPT];
    if (m >= rows)
        return;
    norm_by_warp(p, m, norm_sums(p, m), kept);
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int c = (int)threadIdx.x % LANES + i * LANES;
        if (c < p.columns)
            p.y[(size_t)m * p.ldy + c] = kept[i];
        if (c < p.columns && p.twin)
            p.twin[(size_t)m * p.columns + c] = __float2bfloat16_rn(kept[i]);
    }
}

/* In a long row every element belongs to one thread, which stores it in the result's place
 * meanwhile. */
template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) long_norm_kernel(struct norm_params p)
{
    grid_wait();
    SHARED(float, shared, BLOCK / LANES);
    const int m = (int)blockIdx.x, d = p.columns;
    float *y = p.y + (size_t)m * p.ldy, *waits = p.sum ? norm_sums(p, m) : y;
    float total = 0, squares = 0;
    for (int c = (int)threadIdx.x; c < d; c += BLOCK) {
        waits[c] = norm_input(p, m, c);
        total += waits[c];
    }
    const float mean = p.rms ? 0 : block_sum<BLOCK>(total, shared) / (float)d;
    for (int c = (int)threadIdx.x; c < d; c += BLOCK) {
        const float difference = waits[c] - mean;
        squares += difference * difference;
    }
    const float variance = block_sum<BLOCK>(squares, shared) / (float)d;
    const float factor = 1.0f / sqrtf(variance + p.eps);
    for (int c = (int)threadIdx.x; c < d; c += BLOCK) {
        y[c] = (waits[c] - mean) * factor * p.gamma[c] + (p.rms ? 0 : p.beta[c]);
        if (p.twin)
            p.twin[(size_t)m * d + c] = __float2bfloat16_rn(y[c]);
    }
}

void norm_start(struct device *device, const struct norm_params &params, int rows)
{
    const int blocks = quotient_up(rows, BLOCK_NORM / LANES);
    if (params.columns <= NORM_COLUMNS / 4)
        START(device, (norm_kernel<BLOCK_NORM, NORM_KEPT / 4>), blocks, BLOCK_NORM, params, rows);
    else if (params.columns <= NORM_COLUMNS / 2)
        START(device, (norm_kernel<BLOCK_NORM, NORM_KEPT / 2>), blocks, BLOCK_NORM, params, rows);
    else if (params.columns <= NORM_COLUMNS)
        START(device, (norm_kernel<BLOCK_NORM, NORM_KEPT>), blocks, BLOCK_NORM, params, rows);
    else
        START(device, long_norm_kernel<BLOCK_NORM>, rows, BLOCK_NORM, params);
}

void cuda_norm(struct device *device, const struct norm_args *args)
{
    struct norm_params params = {tensor_floats(args->y),
                                 tensor_floats(args->sum),
                                 tensor_floats(args->x),
                                 tensor_floats(args->residual),
                                 tensor_floats(args->gamma),
                                 tensor_floats(args->beta),
                                 nullptr,
                                 nullptr,
                                 args->columns,
                                 args->ldy,
                                 args->ldresidual,
                                 args->columns,
                                 args->eps,
                                 args->rms};
    params.bias = late_bias_take(device, params.x, params.ldx, args->rows);
    if (!device_ready(device) || args->rows <= 0)
        return;
    if (late_norm_put(device, params, args->rows))
        return;
    params.twin = late_twin_make(device, params.y, params.ldy, args->rows, params.columns);
    norm_start(device, params, args->rows);
}
