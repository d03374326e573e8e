/* Tiles with 256-bit registers. Included by the kernels of one instruction set, which define
 * panel_load(b, half), panel_multiply(sum, a, b), STEP, VALUE, the bytes of a quantised value, and
 * OFFSET(shift), how many times the sum of the column is missing from a sum. */
#ifndef ATTNSCOPE_CPU_INTEGER_256_H
#define ATTNSCOPE_CPU_INTEGER_256_H

#include <string.h>

static inline __attribute__((always_inline)) void row_finish(const struct integer_tile *tile, int r,
                                                             int column, __m256i sum)
{
    const __m256i columns = _mm256_loadu_si256((const __m256i *)(tile->column_sum + column));
    const __m256i offset = _mm256_set1_epi32(OFFSET(tile->shift));
    float *y = tile->y + (size_t)r * tile->ldy + column;
    __m256 shift = _mm256_mul_ps(_mm256_cvtepi32_ps(columns), _mm256_set1_ps(tile->row[r].unshift));
    if (tile->bias)
        shift = _mm256_add_ps(shift, _mm256_loadu_ps(tile->bias + column));
    sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(columns, offset));
    __m256 value = _mm256_add_ps(
        _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_set1_ps(tile->row[r].unquantise)), shift);
    if (tile->accumulate)
        value = _mm256_add_ps(_mm256_loadu_ps(y), value);
    // With this order of operands NaN stays NaN.
    _mm256_storeu_ps(y, tile->relu ? _mm256_max_ps(_mm256_setzero_ps(), value) : value);
}

static inline __attribute__((always_inline)) void tile_run(const struct integer_tile *tile,
                                                           const int rows)
{
    __m256i low[6], high[6];
    const unsigned char *a = tile->a;
    const int8_t *b = tile->b;
    UNROLL
    for (int r = 0; r < rows; r++)
        low[r] = high[r] = _mm256_setzero_si256();
    for (int k = 0; k < tile->k; k += STEP) {
        const __m256i b_low = panel_load(b, 0), b_high = panel_load(b, 1);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t values;
            memcpy(&values, a + (size_t)r * tile->lda, sizeof values);
            const __m256i all = _mm256_set1_epi32(values);
            low[r] = panel_multiply(low[r], all, b_low);
            high[r] = panel_multiply(high[r], all, b_high);
            // One row after another: compilers would multiply all first, and run out of registers.
            __asm__ volatile("" : "+x"(low[r]), "+x"(high[r]));
        }
        a += STEP * VALUE;
        b += STEP * GEMM_PART;
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        row_finish(tile, r, 0, low[r]);
        row_finish(tile, r, GEMM_PART / 2, high[r]);
    }
}

#endif
