/* v16 as two AVX2 registers. simd.h defines the functions. */
#ifndef ATTNSCOPE_CPU_SIMD_AVX2_H
#define ATTNSCOPE_CPU_SIMD_AVX2_H

#include <immintrin.h>

typedef struct v16 {
    __m256 low, high;
} v16;

enum { V16_REGISTERS = 8 };

static inline v16 v16_set1(float s)
{
    return (v16){_mm256_set1_ps(s), _mm256_set1_ps(s)};
}

static inline v16 v16_load(const float *p)
{
    return (v16){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}

static inline void v16_store(float *p, v16 a)
{
    _mm256_storeu_ps(p, a.low);
    _mm256_storeu_ps(p + 8, a.high);
}

/* All bits set in the lanes from `base` on that are below n. */
static inline __m256i v16_first(int base, size_t n)
{
    __m256i lane =
        _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(base));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}

static inline v16 v16_load_part(const float *p, size_t n)
{
    v16 a = {_mm256_maskload_ps(p, v16_first(0, n)), _mm256_setzero_ps()};
    if (n > 8)
        a.high = _mm256_maskload_ps(p + 8, v16_first(8, n));
    return a;
}

static inline void v16_store_part(float *p, size_t n, v16 a)
{
    _mm256_maskstore_ps(p, v16_first(0, n), a.low);
    if (n > 8)
        _mm256_maskstore_ps(p + 8, v16_first(8, n), a.high);
}

static inline v16 v16_first_of(size_t n, v16 a, v16 b)
{
    return (v16){_mm256_blendv_ps(b.low, a.low, _mm256_castsi256_ps(v16_first(0, n))),
                 _mm256_blendv_ps(b.high, a.high, _mm256_castsi256_ps(v16_first(8, n)))};
}

static inline v16 v16_add(v16 a, v16 b)
{
    return (v16){_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}

static inline v16 v16_sub(v16 a, v16 b)
{
    return (v16){_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}

static inline v16 v16_mul(v16 a, v16 b)
{
    return (v16){_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}

static inline v16 v16_div(v16 a, v16 b)
{
    return (v16){_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}

static inline v16 v16_fma(v16 a, v16 b, v16 c)
{
    return (v16){_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}

static inline v16 v16_fnma(v16 a, v16 b, v16 c)
{
    return (v16){_mm256_fnmadd_ps(a.low, b.low, c.low), _mm256_fnmadd_ps(a.high, b.high, c.high)};
}

static inline v16 v16_max(v16 a, v16 b)
{
    return (v16){_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}

static inline v16 v16_abs(v16 a)
{
    __m256 sign = _mm256_set1_ps(-0.0f);
    return (v16){_mm256_andnot_ps(sign, a.low), _mm256_andnot_ps(sign, a.high)};
}

static inline v16 v16_select_above(v16 a, v16 b, v16 x, v16 y)
{
    __m256 low = _mm256_cmp_ps(a.low, b.low, _CMP_GT_OQ);
    __m256 high = _mm256_cmp_ps(a.high, b.high, _CMP_GT_OQ);
    return (v16){_mm256_blendv_ps(y.low, x.low, low), _mm256_blendv_ps(y.high, x.high, high)};
}

static inline unsigned v16_above(v16 a, v16 b)
{
    int low = _mm256_movemask_ps(_mm256_cmp_ps(a.low, b.low, _CMP_GT_OQ));
    int high = _mm256_movemask_ps(_mm256_cmp_ps(a.high, b.high, _CMP_GT_OQ));
    return (unsigned)low | (unsigned)high << 8;
}

static inline __m256 v16_raise8(__m256 a, __m256 t)
{
    __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(t), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), exponent));
}

static inline v16 v16_raise(v16 a, v16 t)
{
    return (v16){v16_raise8(a.low, t.low), v16_raise8(a.high, t.high)};
}

static inline __m256 v16_power8(__m256 t)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(t), 23));
}

static inline v16 v16_power(v16 t)
{
    return (v16){v16_power8(t.low), v16_power8(t.high)};
}

/* The low bits of 2^23 + n are n itself. */
static inline __m256 v16_exponent8(__m256 a)
{
    __m256i n = _mm256_srli_epi32(_mm256_castps_si256(a), 23);
    __m256 above = _mm256_castsi256_ps(_mm256_or_si256(n, _mm256_set1_epi32(0x4B000000)));
    return _mm256_sub_ps(above, _mm256_set1_ps(8388735.0f)); // 2^23 + 127
}

static inline v16 v16_exponent(v16 a)
{
    return (v16){v16_exponent8(a.low), v16_exponent8(a.high)};
}

static inline __m256 v16_mantissa8(__m256 a)
{
    __m256i bits = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(0x007FFFFF));
    return _mm256_castsi256_ps(_mm256_or_si256(bits, _mm256_set1_epi32(0x3F800000)));
}

static inline v16 v16_mantissa(v16 a)
{
    return (v16){v16_mantissa8(a.low), v16_mantissa8(a.high)};
}

static inline float v16_sum(v16 a)
{
    __m256 eight = _mm256_add_ps(a.low, a.high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline float v16_highest(v16 a)
{
    __m256 eight = _mm256_max_ps(a.low, a.high);
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/* Two steps of the tree for two vectors: lanes 4i … 4i+3 belong to the i-th. */
static inline __m256 v16_sums2(v16 a, v16 b)
{
    __m256 a8 = _mm256_add_ps(a.low, a.high), b8 = _mm256_add_ps(b.low, b.high);
    return _mm256_add_ps(_mm256_permute2f128_ps(a8, b8, 0x20),
                         _mm256_permute2f128_ps(a8, b8, 0x31));
}

static inline __m256 v16_sums8(const v16 a[8])
{
    __m256 s0 = v16_sums2(a[0], a[4]), s1 = v16_sums2(a[1], a[5]);
    __m256 s2 = v16_sums2(a[2], a[6]), s3 = v16_sums2(a[3], a[7]);
    __m256 s01 = _mm256_add_ps(_mm256_shuffle_ps(s0, s1, 0x44), _mm256_shuffle_ps(s0, s1, 0xee));
    __m256 s23 = _mm256_add_ps(_mm256_shuffle_ps(s2, s3, 0x44), _mm256_shuffle_ps(s2, s3, 0xee));
    return _mm256_add_ps(_mm256_shuffle_ps(s01, s23, 0x88), _mm256_shuffle_ps(s01, s23, 0xdd));
}

static inline v16 v16_sums(const v16 a[16])
{
    return (v16){v16_sums8(a), v16_sums8(a + 8)};
}

#endif
