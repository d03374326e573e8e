/* bfloat16 for storage only: it is converted explicitly and has no arithmetic. */
#ifndef CUDA_EMULATOR_CUDA_BF16_H
#define CUDA_EMULATOR_CUDA_BF16_H

#include "cuda_runtime.h"

struct alignas(2) __nv_bfloat16 {
    unsigned short bits;
};

struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

inline float __bfloat162float(__nv_bfloat16 value)
{
    return __uint_as_float((unsigned)value.bits << 16);
}

/* Rounds to the nearest, ties to even; NaN becomes CUDA's canonical NaN. */
inline __nv_bfloat16 __float2bfloat16_rn(float value)
{
    if (value != value)
        return {0x7fff};
    unsigned bits = __float_as_uint(value);
    return {(unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

inline __nv_bfloat16 __float2bfloat16(float value)
{
    return __float2bfloat16_rn(value);
}

inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}

inline float __low2float(__nv_bfloat162 pair)
{
    return __bfloat162float(pair.x);
}

inline float __high2float(__nv_bfloat162 pair)
{
    return __bfloat162float(pair.y);
}

inline float2 __bfloat1622float2(__nv_bfloat162 pair)
{
    return {__low2float(pair), __high2float(pair)};
}

inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value)
{
    return value.bits;
}

inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    return {bits};
}

#endif
