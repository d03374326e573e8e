#include "gpu/cpu/kernel/integer.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "gpu/cpu/kernel/integer_vnni.h"

/* Does with one register what integer_256.h does with two. */
static inline __attribute__((always_inline)) void row_finish(const struct integer_tile *tile, int r,
                                                             __m512i sum)
{
    const __m512i columns = _mm512_loadu_si512(tile->column_sum);
    float *y = tile->y + (size_t)r * tile->ldy;
    __m512 shift = _mm512_mul_ps(_mm512_cvtepi32_ps(columns), _mm512_set1_ps(tile->row[r].unshift));
    if (tile->bias)
        shift = _mm512_add_ps(shift, _mm512_loadu_ps(tile->bias));
    sum =
        _mm512_add_epi32(sum, _mm512_mullo_epi32(columns, _mm512_set1_epi32(OFFSET(tile->shift))));
    __m512 value = _mm512_add_ps(
        _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_set1_ps(tile->row[r].unquantise)), shift);
    if (tile->accumulate)
        value = _mm512_add_ps(_mm512_loadu_ps(y), value);
    // In this order of operands NaN stays NaN.
    _mm512_storeu_ps(y, tile->relu ? _mm512_max_ps(_mm512_setzero_ps(), value) : value);
}

/* A step of a panel is one register, so a tile has twice as many rows as with two. */
static inline __attribute__((always_inline)) void tile_run(const struct integer_tile *tile,
                                                           const int rows)
{
    __m512i sum[INTEGER_ROWS_MAX];
    const unsigned char *a = tile->a;
    const int8_t *b = tile->b;
    UNROLL
    for (int r = 0; r < rows; r++)
        sum[r] = _mm512_setzero_si512();
    for (int k = 0; k < tile->k; k += STEP) {
        const __m512i panel = _mm512_load_si512(b);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t values;
            memcpy(&values, a + (size_t)r * tile->lda, sizeof values);
            sum[r] = _mm512_dpbusd_epi32(sum[r], _mm512_set1_epi32(values), panel);
        }
        a += STEP * VALUE;
        b += STEP * GEMM_PART;
    }
    UNROLL
    for (int r = 0; r < rows; r++)
        row_finish(tile, r, sum[r]);
}

INTEGER_TILES_12

const struct integer_kernels integer_avx512vnni = {
    .step = STEP, .bytes = VALUE, .rows = 12, .quantise = quantise, .tile = {INTEGER_NAMES_12}};

#endif
