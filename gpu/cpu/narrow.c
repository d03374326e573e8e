#include "gpu/cpu/narrow.h"

#include <math.h>
#include <string.h>

/* Drops the last `count` bits, rounding to nearest, ties to even. A carry into the exponent
 * correctly gives the next power of two and, after the last one, infinity. */
static uint32_t bits_round(uint32_t bits, int count)
{
    uint32_t half = (uint32_t)1 << (count - 1);
    return (bits + half - 1 + (bits >> count & 1)) >> count;
}

static uint16_t narrow_bf16(uint32_t magnitude)
{
    return (uint16_t)bits_round(magnitude, 16);
}

static uint16_t narrow_f16(uint32_t magnitude)
{
    enum { LEAST_NORMAL = 113, LEAST = 102, INFINITE = 143 }; // exponents of float32
    int exponent = (int)(magnitude >> 23);
    if (exponent >= INFINITE)
        return 0x7C00;
    if (exponent >= LEAST_NORMAL)
        return (uint16_t)bits_round(magnitude - ((uint32_t)(LEAST_NORMAL - 1) << 23), 13);
    if (exponent < LEAST)
        return 0;
    // Subnormal: multiples of 2^-24.
    uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
    return (uint16_t)bits_round(mantissa, 126 - exponent);
}

uint16_t narrow(float value, enum dtype dtype)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    if (isnan(value))
        return sign | (dtype == DTYPE_F16 ? 0x7E00 : 0x7FC0);
    return sign | (dtype == DTYPE_F16 ? narrow_f16(magnitude) : narrow_bf16(magnitude));
}

bool narrow_overflows(float value, uint16_t narrowed, enum dtype dtype)
{
    return isfinite(value) && (narrowed & 0x7FFF) == (dtype == DTYPE_F16 ? 0x7C00 : 0x7F80);
}
