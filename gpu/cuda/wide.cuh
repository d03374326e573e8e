/* Matrix elements of either storage type, and access to several at once. */
#ifndef ATTNSCOPE_CUDA_WIDE_CUH
#define ATTNSCOPE_CUDA_WIDE_CUH

#include "gpu/cuda/device.cuh"

/* Aligned to its size, up to 16 bytes, so that one instruction loads or stores it. */
template <class T, int N> struct __align__(sizeof(T) * N) vector
{
    T element[N];
};

static __device__ __forceinline__ float wide(float value)
{
    return value;
}

static __device__ __forceinline__ float wide(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}

/* Takes x by value, so that it is loaded in one access. */
template <class T, int N> static __device__ __forceinline__ vector<float, N> widened(vector<T, N> x)
{
    vector<float, N> y;
#pragma unroll
    for (int i = 0; i < N; i++)
        y.element[i] = wide(x.element[i]);
    return y;
}

/* to[at] = value; `to` is bfloat16 if `narrow`, otherwise float32. */
static __device__ __forceinline__ void store_wide(void *to, bool narrow, size_t at, float value)
{
    if (narrow)
        ((__nv_bfloat16 *)to)[at] = __float2bfloat16_rn(value);
    else
        ((float *)to)[at] = value;
}

#endif
