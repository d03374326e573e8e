/* The norm of a row by one warp, for the norm kernel and for products that norm their input. The
 * sums are trees with the same fixed shape in both, so the bits are the same. */
#ifndef ATTNSCOPE_CUDA_NORM_CUH
#define ATTNSCOPE_CUDA_NORM_CUH

#include "gpu/cuda/lanes.cuh"

struct norm_params {
    float *y, *sum;
    const float *x, *residual, *gamma, *beta; // residual: NULL for absent; beta: not read with RMS
    const float *bias;                        // to be added to x; NULL for absent
    __nv_bfloat16 *twin;                      // (rows, columns), copy of y; NULL: none
    int ldx, ldy, ldresidual, columns;
    float eps;
    bool rms;
};

/* The longest rows that a warp keeps in registers. */
enum { NORM_KEPT = 32, NORM_COLUMNS = NORM_KEPT * LANES };

static __device__ __forceinline__ float norm_input(const struct norm_params &p, int m, int c)
{
    float value = p.x[(size_t)m * p.ldx + c];
    if (p.bias)
        value += p.bias[c];
    return p.residual ? value + p.residual[(size_t)m * p.ldresidual + c] : value;
}

/* Elements of a row that a lane fetches before it uses the first: more would not fit into
 * registers. */
enum { NORM_FETCHED = 16 };

/* Elements first, first + LANES, … of `from` within `columns`; the others are zero. Has no
 * branches, so that memory receives all loads at once. */
template <int COUNT>
static __device__ __forceinline__ void norm_fetch(const float *from, int first, int columns,
                                                  float (&to)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        to[i] = first + i * LANES < columns ? from[first + i * LANES] : 0;
}

/* COUNT elements of the row's input, as in norm_input. */
template <int COUNT>
static __device__ __forceinline__ void norm_inputs(const struct norm_params &p, int m, int first,
                                                   float *kept)
{
    float x[COUNT], bias[COUNT], residual[COUNT];
    norm_fetch(p.x + (size_t)m * p.ldx, first, p.columns, x);
    if (p.bias)
        norm_fetch(p.bias, first, p.columns, bias);
    if (p.residual)
        norm_fetch(p.residual + (size_t)m * p.ldresidual, first, p.columns, residual);
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const float value = p.bias ? x[i] + bias[i] : x[i];
        kept[i] = p.residual ? value + residual[i] : value;
    }
}

/* COUNT elements of `kept`: minus the mean, times the factor, with gamma and beta applied. */
template <int COUNT>
static __device__ __forceinline__ void norm_outputs(const struct norm_params &p, int first,
                                                    float mean, float factor, float *kept)
{
    float gamma[COUNT], beta[COUNT] = {0};
    norm_fetch(p.gamma, first, p.columns, gamma);
    if (!p.rms)
        norm_fetch(p.beta, first, p.columns, beta);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        kept[i] = (kept[i] - mean) * factor * gamma[i] + beta[i];
}

/* Element lane + i * LANES of the normed row becomes kept[i], for rows of up to KEPT * LANES; the
 * others are undefined. `sums` is the row's place in `sum`, or NULL not to store it. */
template <int KEPT>
static __device__ __forceinline__ void norm_by_warp(const struct norm_params &p, int m, float *sums,
                                                    float (&kept)[KEPT])
{
    enum { FETCHED = KEPT < NORM_FETCHED ? KEPT : (int)NORM_FETCHED };
    const int lane = (int)threadIdx.x % LANES, d = p.columns;
    float total = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < KEPT; i += FETCHED)
        norm_inputs<FETCHED>(p, m, lane + i * LANES, kept + i);
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        if (sums && lane + i * LANES < d)
            sums[lane + i * LANES] = kept[i];
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
    for (int i = 0; i < KEPT; i += FETCHED)
        norm_outputs<FETCHED>(p, lane + i * LANES, mean, factor, kept + i);
}

static __device__ __forceinline__ float *norm_sums(const struct norm_params &p, int m)
{
    return p.sum ? p.sum + (size_t)m * p.columns : nullptr;
}

#endif
