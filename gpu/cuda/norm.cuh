/* A norm of a row by one warp: for the kernel of norms, and for products that compute the norm of what they read. The
 * sums are trees of a fixed shape, which is the same in both: the same bits. */
#ifndef ATTNSCOPE_CUDA_NORM_CUH
#define ATTNSCOPE_CUDA_NORM_CUH

#include "gpu/cuda/lanes.cuh"

struct norm_params {
    float *y, *sum;
    const float *x, *residual, *gamma, *beta; // residual: NULL for absent; beta: not read with RMS
    const float *bias;                        // of x, which is still to be added; NULL for absent
    __nv_bfloat16 *twin;                      // (rows, columns) of y, too; NULL: none
    int ldx, ldy, ldresidual, columns;
    float eps;
    bool rms;
};

/* Longest rows that a warp keeps in its registers. */
enum { NORM_KEPT = 32, NORM_COLUMNS = NORM_KEPT * LANES };

static __device__ __forceinline__ float norm_input(const struct norm_params &p, int m, int c)
{
    float value = p.x[(size_t)m * p.ldx + c];
    if (p.bias)
        value += p.bias[c];
    return p.residual ? value + p.residual[(size_t)m * p.ldresidual + c] : value;
}

/* Element lane + i * LANES of the normed row becomes kept[i], for rows of up to KEPT * LANES; the others are
 * undefined. `sums` is the row's place in `sum`, or NULL where it is not to be stored. */
template <int KEPT>
static __device__ __forceinline__ void norm_by_warp(const struct norm_params &p, int m, float *sums,
                                                    float (&kept)[KEPT])
{
    const int lane = (int)threadIdx.x % LANES, d = p.columns;
    float total = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int c = lane + i * LANES;
        kept[i] = c < d ? norm_input(p, m, c) : 0;
        if (sums && c < d)
            sums[c] = kept[i];
        total += kept[i];
    }
    const float mean = p.rms ? 0 : warp_sum(total) / (float)d;
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const float difference = lane + i * LANES < d ? kept[i] - mean : 0;
        squares += difference * difference;
    }
    const float factor = 1.0f / sqrtf(warp_sum(squares) / (float)d + p.eps);
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int c = lane + i * LANES;
        if (c < d)
            kept[i] = (kept[i] - mean) * factor * p.gamma[c] + (p.rms ? 0 : p.beta[c]);
    }
}

static __device__ __forceinline__ float *norm_sums(const struct norm_params &p, int m)
{
    return p.sum ? p.sum + (size_t)m * p.columns : nullptr;
}

#endif
