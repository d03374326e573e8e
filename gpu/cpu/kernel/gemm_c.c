#include <math.h>
#include <string.h>

#include "gpu/cpu/kernel/gemm.h"
#include "gpu/cpu/kernel/gemm_tiles.h"

static inline float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float float_from_bf16(uint16_t half)
{
    return float_from_bits((uint32_t)half << 16);
}

static inline float float_from_f16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1F;
    uint32_t fraction = half & 0x3FF;
    if (exponent == 0) { // zero or subnormal: fraction * 2^-24, exact in float32
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    if (exponent == 0x1F && fraction)
        fraction |= 0x200; // a NaN becomes quiet, as the processors' conversion does
    // 127 - 15: the difference of the biases.
    uint32_t wide = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
    return float_from_bits(sign | wide << 23 | fraction << 13);
}

static inline __attribute__((always_inline)) float value_at(const void *b, size_t index,
                                                            enum dtype dtype)
{
    if (dtype == DTYPE_F32)
        return ((const float *)b)[index];
    uint16_t narrow = ((const uint16_t *)b)[index];
    return dtype == DTYPE_F16 ? float_from_f16(narrow) : float_from_bf16(narrow);
}

#if defined(__FP_FAST_FMAF)
/* sum = x * b + sum, rounded once. */
static inline void chains_advance(float *sum, float x, const float *b)
{
    for (int c = 0; c < GEMM_PANEL; c++)
        sum[c] = fmaf(x, b[c], sum[c]);
}
#else
/* For machines on which fmaf is a slow call. The product is exact in double, so the sum is rounded
 * to double and then to float. That equals rounding once unless the double lies midway between two
 * floats, or the float is subnormal; then fmaf computes the whole panel. */
static inline void chains_advance(float *sum, float x, const float *b)
{
    const int64_t least_normal = 0x3810000000000000; // FLT_MIN as a double
    double wide[GEMM_PANEL];
    int64_t bits[GEMM_PANEL], doubtful = 0; // negative: doubtful
    for (int c = 0; c < GEMM_PANEL; c++)
        wide[c] = (double)x * (double)b[c] + (double)sum[c];
    memcpy(bits, wide, sizeof bits);
    for (int c = 0; c < GEMM_PANEL; c++) {
        // Avoids comparisons: the oldest vector instructions have none for 64 bits.
        int64_t from_midway = (bits[c] & 0x1FFFFFFF) ^ 0x10000000;
        int64_t size = bits[c] & INT64_MAX;
        doubtful |= (from_midway - 1) | ((size - least_normal) & ~(size - 1));
    }
    for (int c = 0; c < GEMM_PANEL; c++)
        sum[c] = doubtful < 0 ? fmaf(x, b[c], sum[c]) : (float)wide[c];
}
#endif

static inline __attribute__((always_inline)) void tile_run(const struct gemm_tile *tile,
                                                           const int rows, const enum dtype dtype)
{
    float sum[GEMM_ROWS_MAX][GEMM_PANEL] = {{0}};
    for (int r = 0; r < rows && tile->accumulate; r++)
        memcpy(sum[r], tile->y + (size_t)r * tile->ldy, sizeof sum[r]);
    for (int k = 0; k < tile->k; k++) {
        float b[GEMM_PANEL];
        for (int c = 0; c < GEMM_PANEL; c++)
            b[c] = value_at(tile->b, (size_t)k * GEMM_PANEL + (size_t)c, dtype);
        for (int r = 0; r < rows; r++)
            chains_advance(sum[r], tile->a[(size_t)k * (size_t)rows + (size_t)r], b);
    }
    for (int r = 0; r < rows; r++) {
        float *y = tile->y + (size_t)r * tile->ldy;
        for (int c = 0; c < GEMM_PANEL; c++) {
            float value = tile->bias ? sum[r][c] + tile->bias[c] : sum[r][c];
            y[c] = tile->relu && 0 > value ? 0 : value; // NaN stays NaN
        }
    }
}

static inline __attribute__((always_inline)) void widen(const void *narrow, size_t step,
                                                        float *wide, size_t wide_step, size_t count,
                                                        const enum dtype dtype)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < GEMM_PART; c++)
            wide[i * wide_step + c] = value_at(narrow, i * step + c, dtype);
}

TILES_4(F32)
TILES_4(F16)
TILES_4(BF16)
WIDENINGS

const struct gemm_kernels gemm_c = {
    .panel_parts = 2,
    .slice = 256,
    .rows = 4,
    .tile = {[DTYPE_F32] = {NAMES_4(F32)},
             [DTYPE_F16] = {NAMES_4(F16)},
             [DTYPE_BF16] = {NAMES_4(BF16)}},
    .strip_rows = 4,
    .strip_parts = 2,
    .widen = WIDENING_NAMES,
};
