#include "gpu/cpu/kernel/gemm.h"
#include "gpu/cpu/kernel/gemm_tiles.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Six rows by sixteen columns fill the sixteen registers, so panels have one part and what a tile
 * reads is contiguous. One part of a wider panel would fill every other line of the nearest cache
 * and leave the rest idle. */

static inline __attribute__((always_inline)) __m256 load_8(const void *b, size_t index,
                                                           enum dtype dtype)
{
    if (dtype == DTYPE_F32)
        return _mm256_load_ps((const float *)b + index);
    __m128i narrow = _mm_load_si128((const __m128i *)((const uint16_t *)b + index));
    if (dtype == DTYPE_F16)
        return _mm256_cvtph_ps(narrow);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(narrow), 16));
}

static inline __attribute__((always_inline)) __m256 finish(__m256 sum, const struct gemm_tile *tile,
                                                           int column)
{
    if (tile->bias)
        sum = _mm256_add_ps(sum, _mm256_loadu_ps(tile->bias + column));
    // In this order of operands NaN stays NaN.
    return tile->relu ? _mm256_max_ps(_mm256_setzero_ps(), sum) : sum;
}

static inline __attribute__((always_inline)) void
part_run(const struct gemm_tile *tile, const int rows, const enum dtype dtype, const bool fetch)
{
    __m256 low[6], high[6];
    UNROLL
    for (int r = 0; r < rows; r++) {
        const float *y = tile->y + (size_t)r * tile->ldy;
        low[r] = tile->accumulate ? _mm256_loadu_ps(y) : _mm256_setzero_ps();
        high[r] = tile->accumulate ? _mm256_loadu_ps(y + 8) : _mm256_setzero_ps();
    }
    const size_t step = GEMM_PART * (dtype == DTYPE_F32 ? sizeof(float) : sizeof(uint16_t));
    const float *a = tile->a;
    const char *b = tile->b, *ahead = tile->ahead;
    for (int k = 0; k < tile->k; k++) {
        if (fetch)
            _mm_prefetch(ahead, _MM_HINT_T0);
        __m256 b_low = load_8(b, 0, dtype);
        __m256 b_high = load_8(b, 8, dtype);
        UNROLL
        for (int r = 0; r < rows; r++) {
            __m256 x = _mm256_broadcast_ss(a + r);
            low[r] = _mm256_fmadd_ps(x, b_low, low[r]);
            high[r] = _mm256_fmadd_ps(x, b_high, high[r]);
        }
        a += rows;
        b += step;
        ahead += tile->ahead_step;
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        float *y = tile->y + (size_t)r * tile->ldy;
        _mm256_storeu_ps(y, finish(low[r], tile, 0));
        _mm256_storeu_ps(y + 8, finish(high[r], tile, 8));
    }
}

static inline __attribute__((always_inline)) void tile_run(const struct gemm_tile *tile,
                                                           const int rows, const enum dtype dtype)
{
    if (tile->ahead)
        part_run(tile, rows, dtype, true);
    else
        part_run(tile, rows, dtype, false);
}

static inline __attribute__((always_inline)) void widen(const void *narrow, size_t step,
                                                        float *wide, size_t wide_step, size_t count,
                                                        const enum dtype dtype)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < GEMM_PART; c += 8)
            _mm256_store_ps(wide + i * wide_step + c, load_8(narrow, i * step + c, dtype));
}

/* Stores four k of six rows. Each `pair` has two rows side by side: k 0 and 1 in the low lanes and
 * 4 and 5 in the high ones, or 2 and 3, and 6 and 7. */
static inline __attribute__((always_inline)) void store_sixes(float *out, const __m256 pair[3])
{
    enum { LANE = 4 * 6 };
    __m256d first = _mm256_castps_pd(pair[0]), second = _mm256_castps_pd(pair[1]);
    __m256d third = _mm256_castps_pd(pair[2]);
    __m256 parts[3] = {_mm256_castpd_ps(_mm256_unpacklo_pd(first, second)),
                       _mm256_castpd_ps(_mm256_shuffle_pd(third, first, 10)),
                       _mm256_castpd_ps(_mm256_unpackhi_pd(second, third))};
    UNROLL
    for (int i = 0; i < 3; i++) {
        _mm_storeu_ps(out + 4 * i, _mm256_castps256_ps128(parts[i]));
        _mm_storeu_ps(out + 4 * i + LANE, _mm256_extractf128_ps(parts[i], 1));
    }
}

static void pack_6(float *out, const float *x, size_t ldx, size_t width)
{
    for (size_t i = 0; i < width; i += 8, out += 8 * 6) {
        __m256 low[3], high[3];
        UNROLL
        for (size_t pair = 0; pair < 3; pair++) {
            const __m256 a = _mm256_loadu_ps(x + 2 * pair * ldx + i);
            const __m256 b = _mm256_loadu_ps(x + (2 * pair + 1) * ldx + i);
            low[pair] = _mm256_unpacklo_ps(a, b);
            high[pair] = _mm256_unpackhi_ps(a, b);
        }
        store_sixes(out, low);
        store_sixes(out + 2 * 6, high);
    }
}

/* Transposes eight rows by eight columns. Rows c and c + 4 are the halves of one register from the
 * start, so nothing has to cross them later. */
static inline __attribute__((always_inline)) void transpose_8x8(float *out, const float *x,
                                                                size_t ldx)
{
    for (int half = 0; half < 2; half++) { // columns 4 half … 4 half + 3 of x
        __m256 both[4];
        UNROLL
        for (size_t c = 0; c < 4; c++)
            both[c] =
                _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x + c * ldx + 4 * half)),
                                     _mm_loadu_ps(x + (c + 4) * ldx + 4 * half), 1);
        const __m256d low = _mm256_castps_pd(_mm256_unpacklo_ps(both[0], both[1]));
        const __m256d high = _mm256_castps_pd(_mm256_unpackhi_ps(both[0], both[1]));
        const __m256d later_low = _mm256_castps_pd(_mm256_unpacklo_ps(both[2], both[3]));
        const __m256d later_high = _mm256_castps_pd(_mm256_unpackhi_ps(both[2], both[3]));
        float *to = out + (size_t)(4 * half) * GEMM_PART;
        _mm256_storeu_pd((double *)to, _mm256_unpacklo_pd(low, later_low));
        _mm256_storeu_pd((double *)(to + GEMM_PART), _mm256_unpackhi_pd(low, later_low));
        _mm256_storeu_pd((double *)(to + 2 * GEMM_PART), _mm256_unpacklo_pd(high, later_high));
        _mm256_storeu_pd((double *)(to + 3 * GEMM_PART), _mm256_unpackhi_pd(high, later_high));
    }
}

static void transpose_16(float *out, const float *x, size_t ldx)
{
    for (size_t i = 0; i < GEMM_PART; i += 8)
        for (size_t c = 0; c < GEMM_PART; c += 8)
            transpose_8x8(out + i * GEMM_PART + c, x + c * ldx + i, ldx);
}

TILES_6(F32)
TILES_6(F16)
TILES_6(BF16)
WIDENINGS

const struct gemm_kernels gemm_avx2 = {
    .panel_parts = 1,
    .slice = 512,
    .rows = 6,
    .tile = {[DTYPE_F32] = {NAMES_6(F32)},
             [DTYPE_F16] = {NAMES_6(F16)},
             [DTYPE_BF16] = {NAMES_6(BF16)}},
    .strip_rows = 6,
    .strip_parts = 1,
    .widen = WIDENING_NAMES,
    .pack = pack_6,
    .transpose = transpose_16,
};

#endif
