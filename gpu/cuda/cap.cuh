/* Caps of logits and energies, which keep x between -most and most. */
#ifndef ATTNSCOPE_CUDA_CAP_CUH
#define ATTNSCOPE_CUDA_CAP_CUH

#include "gpu/cuda/device.cuh"

static __device__ __forceinline__ float capped(float x, float most)
{
    return most * tanhf(x / most);
}

/* Returns the derivative, or for relevance capped(x) / x (0 at 0). */
static __device__ __forceinline__ float cap_slope(float x, float most, bool relevance)
{
    const float share = x / most, t = tanhf(share);
    if (relevance)
        return share != 0 ? t / share : 0;
    return 1 - t * t;
}

#endif
