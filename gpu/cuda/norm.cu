/* Norms: residual, mean, variance and the rest in one kernel, one block a row. RMS norm is layer norm with a mean of 0
 * and without beta. */
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/ops.cuh"

/* Elements of a row that a thread keeps in registers; those of longer rows wait in memory. */
enum { KEPT = 8 };

struct norm_params {
    float *y, *sum;
    const float *x, *residual, *gamma, *beta; // residual: NULL for absent; beta: not read with RMS
    int ldy, ldresidual, columns;
    float eps;
};

struct norm_row {
    const float *x, *residual; // residual: NULL
    float *y, *sum;            // sum: NULL
};

static __device__ __forceinline__ struct norm_row row_of(const struct norm_params &p, int m)
{
    const size_t row = (size_t)m;
    struct norm_row at;
    at.x = p.x + row * p.columns;
    at.residual = p.residual ? p.residual + row * p.ldresidual : nullptr;
    at.y = p.y + row * p.ldy;
    at.sum = p.sum ? p.sum + row * p.columns : nullptr;
    return at;
}

/* Every element belongs to one thread, so that y and sum may be where the residual is. */
static __device__ __forceinline__ float element_read(const struct norm_row &row, int c)
{
    const float value = row.residual ? row.x[c] + row.residual[c] : row.x[c];
    if (row.sum)
        row.sum[c] = value;
    return value;
}

/* The place where an element that is not kept waits. */
static __device__ __forceinline__ float *element_waits(const struct norm_row &row, int c)
{
    return (row.sum ? row.sum : row.y) + c;
}

template <int BLOCK, bool RMS>
static __global__ void __launch_bounds__(BLOCK) norm_kernel(struct norm_params p)
{
    SHARED(float, shared, BLOCK / LANES);
    const struct norm_row row = row_of(p, (int)blockIdx.x);
    const int first = (int)threadIdx.x, rest = first + KEPT * BLOCK, d = p.columns;
    float kept[KEPT], total = 0;
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        kept[i] = first + i * BLOCK < d ? element_read(row, first + i * BLOCK) : 0;
        total += kept[i];
    }
    for (int c = rest; c < d; c += BLOCK) {
        const float value = element_read(row, c);
        *element_waits(row, c) = value;
        total += value;
    }
    const float mean = RMS ? 0 : block_sum<BLOCK>(total, shared) / (float)d;
    float squares = 0;
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const float difference = first + i * BLOCK < d ? kept[i] - mean : 0;
        squares += difference * difference;
    }
    for (int c = rest; c < d; c += BLOCK) {
        const float difference = *element_waits(row, c) - mean;
        squares += difference * difference;
    }
    const float variance = block_sum<BLOCK>(squares, shared) / (float)d;
    const float factor = 1.0f / sqrtf(variance + p.eps);
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int c = first + i * BLOCK;
        if (c < d)
            row.y[c] = (kept[i] - mean) * factor * p.gamma[c] + (RMS ? 0 : p.beta[c]);
    }
    for (int c = rest; c < d; c += BLOCK)
        row.y[c] = (*element_waits(row, c) - mean) * factor * p.gamma[c] + (RMS ? 0 : p.beta[c]);
}

template <bool RMS>
static void start_norm(struct device *device, const struct norm_params &params, int rows)
{
    enum { BLOCK = block_size(128) };
    if (params.columns <= KEPT * LANES)
        START(device, (norm_kernel<LANES, RMS>), rows, LANES, params);
    else
        START(device, (norm_kernel<BLOCK, RMS>), rows, BLOCK, params);
}

void cuda_norm(struct device *device, const struct norm_args *args)
{
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct norm_params params = {tensor_floats(args->y),
                                       tensor_floats(args->sum),
                                       tensor_floats(args->x),
                                       tensor_floats(args->residual),
                                       tensor_floats(args->gamma),
                                       tensor_floats(args->beta),
                                       args->ldy,
                                       args->ldresidual,
                                       args->columns,
                                       args->eps};
    if (args->rms)
        start_norm<true>(device, params, args->rows);
    else
        start_norm<false>(device, params, args->rows);
}
