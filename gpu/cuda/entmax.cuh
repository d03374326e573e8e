/* The weights of one row of a head with entmax (Peters et al. 2019, Correia et al. 2019), computed
 * by a warp: with a = α - 1, energies e and their greatest E they are
 *     p = max(0, 1 + a (e - E - s))^(1/a)
 * for the s with which they sum to 1. Newton's steps from s = 0 find it
 * (gpu/cpu/kernel/kernels_entmax.h explains why). */
#ifndef ATTNSCOPE_CUDA_ENTMAX_CUH
#define ATTNSCOPE_CUDA_ENTMAX_CUH

#include "gpu/cuda/device.cuh"

struct entmax_row {
    float a, highest;
    float shift, rest; // s; and a remainder too small to be added to it
};

static __device__ __forceinline__ struct entmax_row entmax_row_of(float a, float highest)
{
    struct entmax_row row = {};
    row.a = a;
    row.highest = highest;
    return row;
}

/* Returns p; *slope receives p^(1-a), the size of its derivative with respect to s. NaN stays
 * NaN. */
static __device__ __forceinline__ float entmax_power(const struct entmax_row &row, float energy,
                                                     float *slope)
{
    const float w = row.a * (energy - row.highest - row.shift), base = 1 + w;
    *slope = 0;
    if (base <= 0)
        return 0;
    *slope = row.a == 1 ? 1 : base;
    if (row.a == 1 || row.a == 0.5f)
        return row.a == 1 ? base : base * base;
    const float p = expf(log1pf(w) / row.a);
    *slope = p / base;
    return p;
}

/* The weight of a key, with the rest of the shift along the tangent. */
static __device__ __forceinline__ float entmax_weight(const struct entmax_row &row, float energy)
{
    float slope;
    const float p = entmax_power(row, energy, &slope), weight = p - slope * row.rest;
    return weight < 0 ? 0 : weight;
}

/* S - 1 for a sum S or, if that is longer, the numerator of a step for S^a. */
static __device__ __forceinline__ float entmax_excess(float total, float a)
{
    if (!(total > 2))
        return total - 1;
    const float l = logf(total);
    return fmaxf(total * l * (1 - a * l / 2), total - 1);
}

/* Finds the shift. sums(row, &slope): all lanes get Σ p, and Σ p^(1-a) in `slope`. */
template <class Sums>
static __device__ __forceinline__ void entmax_solve(struct entmax_row *row, Sums sums)
{
    enum { STEPS_MOST = 48 };
    for (int i = 0; i <= STEPS_MOST; i++) {
        float slope;
        const float total = sums(*row, &slope);
        const float next = row->shift + entmax_excess(total, row->a) / slope;
        row->rest = (total - 1) / slope;
        if (!(total - 1 > 0x1p-20f) || next == row->shift)
            return;
        row->shift = i < STEPS_MOST ? next : row->shift;
    }
}

#endif
