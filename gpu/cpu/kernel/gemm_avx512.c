#include "gpu/cpu/kernel/gemm.h"
#include "gpu/cpu/kernel/gemm_tiles.h"

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

/* The last step of a finished chain. */
struct ending {
    const float *bias; // (GEMM_PANEL), or NULL
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

static inline __attribute__((always_inline)) void row_fma(__m512 *sum, const float *x,
                                                          const __m512 *b, const int parts)
{
    const __m512 all = _mm512_set1_ps(*x);
    UNROLL
    for (int p = 0; p < parts; p++)
        sum[p] = _mm512_fmadd_ps(all, b[p], sum[p]);
}

/* Like row_fma, with the broadcasts inside the instructions, from where compilers would move them.
 * This saves one of the instructions that a core can begin per cycle, but costs loads. It is one
 * asm statement, because between several the compiler would move the sums around. */
static inline __attribute__((always_inline)) void row_fma_inside(__m512 *sum, const float *x,
                                                                 const __m512 *b, const int parts)
{
    _Static_assert(GEMM_PARTS_MAX == 3, "two parts or three");
    if (parts == 2)
        __asm__("vfmadd231ps %2%{1to16%}, %3, %0\n\t"
                "vfmadd231ps %2%{1to16%}, %4, %1"
                : "+&v"(sum[0]), "+&v"(sum[1])
                : "m"(*x), "v"(b[0]), "v"(b[1]));
    else
        __asm__("vfmadd231ps %3%{1to16%}, %4, %0\n\t"
                "vfmadd231ps %3%{1to16%}, %5, %1\n\t"
                "vfmadd231ps %3%{1to16%}, %6, %2"
                : "+&v"(sum[0]), "+&v"(sum[1]), "+&v"(sum[2])
                : "m"(*x), "v"(b[0]), "v"(b[1]), "v"(b[2]));
}

/* Advances the sums of all rows by one k. Every other row has its broadcasts inside, so that
 * neither instructions nor loads are the bottleneck, even if two threads share the core. In direct
 * tiles, row addresses have an index, which splits such an instruction in two. With two parts, the
 * address is therefore computed first; the empty asm keeps compilers from folding it back. With
 * three parts that gains nothing, and no row has its broadcasts inside. */
static inline __attribute__((always_inline)) void rows_advance(__m512 (*sum)[GEMM_PARTS_MAX],
                                                               const float *a, size_t lda,
                                                               const __m512 *b, const int rows,
                                                               const int parts, const bool direct)
{
    UNROLL
    for (int r = 0; r < rows; r++) {
        const float *x = &a[(size_t)r * lda];
        if (r % 2 == 0 || (direct && parts == 3)) {
            row_fma(sum[r], x, b, parts);
            continue;
        }
        if (direct)
            __asm__("" : "+r"(x));
        row_fma_inside(sum[r], x, b, parts);
    }
}

static inline __attribute__((always_inline)) void
chains_advance(__m512 (*sum)[GEMM_PARTS_MAX], const struct gemm_tile *tile, const int rows,
               const int parts, const enum dtype dtype, const bool fetch, const bool direct)
{
    const size_t step =
        (size_t)(parts * GEMM_PART) * (dtype == DTYPE_F32 ? sizeof(float) : sizeof(uint16_t));
    const size_t ahead_step = tile->ahead_step;
    const float *a = tile->a;
    const char *b = tile->b, *ahead = tile->ahead;
    const size_t lda = direct ? tile->lda : 1, next = direct ? 1 : (size_t)rows;
    for (const float *end = a + (size_t)tile->k * next; a != end; a += next) {
        __m512 parts_of_b[GEMM_PARTS_MAX];
        if (fetch)
            _mm_prefetch(ahead, _MM_HINT_T0);
        if (fetch && dtype == DTYPE_F32 && parts == 2)
            _mm_prefetch(ahead + GEMM_LINE, _MM_HINT_T0);
        UNROLL
        for (int p = 0; p < parts; p++)
            parts_of_b[p] = load_16(b, (size_t)(p * GEMM_PART), dtype);
        rows_advance(sum, a, lda, parts_of_b, rows, parts, direct);
        b += step;
        if (fetch)
            ahead += ahead_step;
    }
}

static inline __attribute__((always_inline)) void parts_run(const struct gemm_tile *tile,
                                                            const int rows, const int parts,
                                                            const enum dtype dtype,
                                                            const bool direct)
{
    __m512 sum[GEMM_ROWS_MAX][GEMM_PARTS_MAX];
    const size_t ldy = tile->ldy;
    const struct ending ending = {tile->bias, tile->relu};
    float *y = tile->y;
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int p = 0; p < parts; p++)
            sum[r][p] = tile->accumulate ? _mm512_loadu_ps(y + (size_t)r * ldy + p * GEMM_PART)
                                         : _mm512_setzero_ps();
    }
    if (tile->ahead)
        chains_advance(sum, tile, rows, parts, dtype, true, direct);
    else
        chains_advance(sum, tile, rows, parts, dtype, false, direct);
    UNROLL
    for (int r = 0; r < rows; r++, y += ldy) {
        UNROLL
        for (int p = 0; p < parts; p++)
            _mm512_storeu_ps(y + p * GEMM_PART, finish(sum[r][p], ending, p * GEMM_PART));
    }
}

static inline __attribute__((always_inline)) void tile_run(const struct gemm_tile *tile,
                                                           const int rows, const enum dtype dtype)
{
    parts_run(tile, rows, 2, dtype, false);
}

static inline __attribute__((always_inline)) void strip_run(const struct gemm_tile *tile,
                                                            const int rows)
{
    parts_run(tile, rows, 3, DTYPE_F32, false);
}

static inline __attribute__((always_inline)) void direct_run(const struct gemm_tile *tile,
                                                             const int rows, const int parts)
{
    parts_run(tile, rows, parts, DTYPE_F32, true);
}

static inline __attribute__((always_inline)) void widen(const void *narrow, size_t step,
                                                        float *wide, size_t wide_step, size_t count,
                                                        const enum dtype dtype)
{
    for (size_t i = 0; i < count; i++)
        _mm512_store_ps(wide + i * wide_step, load_16(narrow, i * step, dtype));
}

/* Transposes four rows: columns[c] has, in its lane of four k, k = c of that lane. */
static inline __attribute__((always_inline)) void transpose_lanes(__m512 columns[4], const float *x,
                                                                  size_t ldx)
{
    __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + ldx);
    __m512 c = _mm512_loadu_ps(x + 2 * ldx), d = _mm512_loadu_ps(x + 3 * ldx);
    __m512d ab_low = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
    __m512d ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    __m512d cd_low = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
    __m512d cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    columns[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_low, cd_low));
    columns[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_low, cd_low));
    columns[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_high, cd_high));
    columns[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_high, cd_high));
}

/* Stores two k of eight rows from every lane: `low` holds the first four rows of both, `high` the
 * last four. */
static inline __attribute__((always_inline)) void store_pairs(float *out, const __m512 low[2],
                                                              const __m512 high[2])
{
    enum { FIRST_TWO = 0x44, LAST_TWO = 0xEE, EVEN = 0x88, ODD = 0xDD, LANE = 4 * 8 };
    __m512 a = _mm512_shuffle_f32x4(low[0], high[0], FIRST_TWO);
    __m512 b = _mm512_shuffle_f32x4(low[1], high[1], FIRST_TWO);
    __m512 c = _mm512_shuffle_f32x4(low[0], high[0], LAST_TWO);
    __m512 d = _mm512_shuffle_f32x4(low[1], high[1], LAST_TWO);
    _mm512_storeu_ps(out, _mm512_shuffle_f32x4(a, b, EVEN));
    _mm512_storeu_ps(out + LANE, _mm512_shuffle_f32x4(a, b, ODD));
    _mm512_storeu_ps(out + 2 * LANE, _mm512_shuffle_f32x4(c, d, EVEN));
    _mm512_storeu_ps(out + 3 * LANE, _mm512_shuffle_f32x4(c, d, ODD));
}

static void pack_8(float *out, const float *x, size_t ldx, size_t width)
{
    for (size_t i = 0; i < width; i += GEMM_PART) {
        __m512 low[4], high[4];
        transpose_lanes(low, x + i, ldx);
        transpose_lanes(high, x + 4 * ldx + i, ldx);
        store_pairs(out + 8 * i, low, high);
        store_pairs(out + 8 * i + 16, low + 2, high + 2);
    }
}

/* Transposes sixteen columns of sixteen rows. After transpose_lanes, lanes of four rows are joined
 * like the pairs of store_pairs. */
static inline __attribute__((always_inline)) void transpose_16x16(float *out, const float *x,
                                                                  size_t ldx)
{
    enum { FIRST_TWO = 0x44, LAST_TWO = 0xEE, EVEN = 0x88, ODD = 0xDD, LANE = 4 * GEMM_PANEL };
    __m512 quads[4][4]; // [of rows][column of its lane]
    UNROLL
    for (size_t q = 0; q < 4; q++)
        transpose_lanes(quads[q], x + 4 * q * ldx, ldx);
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        __m512 a = _mm512_shuffle_f32x4(quads[0][i], quads[1][i], FIRST_TWO);
        __m512 b = _mm512_shuffle_f32x4(quads[2][i], quads[3][i], FIRST_TWO);
        __m512 c = _mm512_shuffle_f32x4(quads[0][i], quads[1][i], LAST_TWO);
        __m512 d = _mm512_shuffle_f32x4(quads[2][i], quads[3][i], LAST_TWO);
        float *to = out + i * GEMM_PANEL;
        _mm512_storeu_ps(to, _mm512_shuffle_f32x4(a, b, EVEN));
        _mm512_storeu_ps(to + LANE, _mm512_shuffle_f32x4(a, b, ODD));
        _mm512_storeu_ps(to + 2 * LANE, _mm512_shuffle_f32x4(c, d, EVEN));
        _mm512_storeu_ps(to + 3 * LANE, _mm512_shuffle_f32x4(c, d, ODD));
    }
}

static void transpose_32(float *out, const float *x, size_t ldx)
{
    transpose_16x16(out, x, ldx);
    transpose_16x16(out + GEMM_PART, x + GEMM_PART * ldx, ldx);
}

TILES_12(F32)
TILES_12(F16)
TILES_12(BF16)
STRIPS_8
DIRECTS_8
WIDENINGS

const struct gemm_kernels gemm_avx512 = {
    .panel_parts = 2,
    .slice = 256,
    .rows = 12,
    .tile = {[DTYPE_F32] = {NAMES_12(F32)},
             [DTYPE_F16] = {NAMES_12(F16)},
             [DTYPE_BF16] = {NAMES_12(BF16)}},
    .strip_rows = 8,
    .strip_parts = 3,
    .strip = {STRIP_NAMES_8},
    .direct = {{DIRECT_NAMES_8(pair)}, {DIRECT_NAMES_8(strip)}},
    .widen = WIDENING_NAMES,
    .pack = pack_8,
    .transpose = transpose_32,
};

#endif
