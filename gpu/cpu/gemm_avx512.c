#include "gpu/cpu/gemm.h"
#include "gpu/cpu/gemm_tiles.h"

#if defined(__x86_64__)

#include <immintrin.h>

static inline __attribute__((always_inline)) __m512 load_16(const void *b, size_t index,
                                                            enum dtype dtype)
{
    if (dtype == DTYPE_F32)
        return _mm512_load_ps((const float *)b + index);
    __m256i narrow = _mm256_load_si256((const __m256i *)((const uint16_t *)b + index));
    if (dtype == DTYPE_F16)
        return _mm512_cvtph_ps(narrow);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(narrow), 16));
}

/* What becomes of a finished chain. */
struct ending {
    const float *bias; // (WEIGHT_PANEL), or NULL
    bool relu;
};

static inline __attribute__((always_inline)) __m512 finish(__m512 sum, struct ending ending,
                                                           int column)
{
    if (ending.bias)
        sum = _mm512_add_ps(sum, _mm512_loadu_ps(ending.bias + column));
    // In this order of operands NaN stays NaN.
    return ending.relu ? _mm512_max_ps(_mm512_setzero_ps(), sum) : sum;
}

/* sum += *x * b with the broadcast inside of the instruction, which compilers would take out where x is
 * used twice. That saves one of the instructions that a core can begin in a cycle, at the price of a load.
 * A tile does so for every other row: then neither runs short, also where two threads share the core. */
static inline __attribute__((always_inline)) void fma_broadcast(__m512 *sum, const float *x,
                                                                __m512 b)
{
    __asm__("vfmadd231ps %1%{1to16%}, %2, %0" : "+v"(*sum) : "m"(*x), "v"(b));
}

/* The two vectors of a row, `low` and `high`, for every row. */
static inline __attribute__((always_inline)) void
chains_advance(__m512 *low, __m512 *high, const struct gemm_tile *tile, const int rows,
               const enum dtype dtype, const bool fetch)
{
    const size_t step = WEIGHT_PANEL * (dtype == DTYPE_F32 ? sizeof(float) : sizeof(uint16_t));
    const size_t ahead_step = tile->ahead_step;
    const float *a = tile->a;
    const char *b = tile->b, *ahead = tile->ahead;
    for (const float *end = a + (size_t)tile->k * (size_t)rows; a != end; a += rows) {
        if (fetch)
            _mm_prefetch(ahead, _MM_HINT_T0);
        if (fetch && dtype == DTYPE_F32)
            _mm_prefetch(ahead + GEMM_LINE, _MM_HINT_T0);
        __m512 b_low = load_16(b, 0, dtype);
        __m512 b_high = load_16(b, 16, dtype);
        UNROLL
        for (int r = 0; r < rows; r++) {
            if (r % 2) {
                fma_broadcast(&low[r], &a[r], b_low);
                fma_broadcast(&high[r], &a[r], b_high);
            } else {
                __m512 x = _mm512_set1_ps(a[r]);
                low[r] = _mm512_fmadd_ps(x, b_low, low[r]);
                high[r] = _mm512_fmadd_ps(x, b_high, high[r]);
            }
        }
        b += step;
        ahead += ahead_step;
    }
}

static inline __attribute__((always_inline)) void tile_run(const struct gemm_tile *tile,
                                                           const int rows, const enum dtype dtype)
{
    __m512 low[GEMM_ROWS_MAX], high[GEMM_ROWS_MAX];
    const size_t ldy = tile->ldy;
    const struct ending ending = {tile->bias, tile->relu};
    float *y = tile->y;
    UNROLL
    for (int r = 0; r < rows; r++) {
        low[r] = tile->accumulate ? _mm512_loadu_ps(y + (size_t)r * ldy) : _mm512_setzero_ps();
        high[r] =
            tile->accumulate ? _mm512_loadu_ps(y + (size_t)r * ldy + 16) : _mm512_setzero_ps();
    }
    if (tile->ahead)
        chains_advance(low, high, tile, rows, dtype, true);
    else
        chains_advance(low, high, tile, rows, dtype, false);
    UNROLL
    for (int r = 0; r < rows; r++, y += ldy) {
        _mm512_storeu_ps(y, finish(low[r], ending, 0));
        _mm512_storeu_ps(y + 16, finish(high[r], ending, 16));
    }
}

static void widen_f16(const void *narrow, float *wide, size_t count)
{
    for (size_t i = 0; i < count; i += 16)
        _mm512_storeu_ps(wide + i, load_16(narrow, i, DTYPE_F16));
}

static void widen_bf16(const void *narrow, float *wide, size_t count)
{
    for (size_t i = 0; i < count; i += 16)
        _mm512_storeu_ps(wide + i, load_16(narrow, i, DTYPE_BF16));
}

TILES_12(F32)
TILES_12(F16)
TILES_12(BF16)

const struct gemm_kernels gemm_avx512 = {
    .rows = 12,
    .tile = {[DTYPE_F32] = {NAMES_12(F32)},
             [DTYPE_F16] = {NAMES_12(F16)},
             [DTYPE_BF16] = {NAMES_12(BF16)}},
    .widen = {[DTYPE_F16] = widen_f16, [DTYPE_BF16] = widen_bf16},
};

#endif
