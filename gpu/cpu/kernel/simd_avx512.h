/* v16 as one AVX-512 register. simd.h defines the functions. */
#ifndef ATTNSCOPE_CPU_SIMD_AVX512_H
#define ATTNSCOPE_CPU_SIMD_AVX512_H

#include <immintrin.h>

typedef __m512 v16;

enum { V16_REGISTERS = 32 };

static inline v16 v16_set1(float s)
{
    return _mm512_set1_ps(s);
}

static inline v16 v16_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline void v16_store(float *p, v16 a)
{
    _mm512_storeu_ps(p, a);
}

static inline __mmask16 v16_first(size_t n)
{
    return (__mmask16)((1u << n) - 1u);
}

static inline v16 v16_load_part(const float *p, size_t n)
{
    return _mm512_maskz_loadu_ps(v16_first(n), p);
}

static inline void v16_store_part(float *p, size_t n, v16 a)
{
    _mm512_mask_storeu_ps(p, v16_first(n), a);
}

static inline v16 v16_first_of(size_t n, v16 a, v16 b)
{
    return _mm512_mask_blend_ps(v16_first(n), b, a);
}

static inline v16 v16_add(v16 a, v16 b)
{
    return _mm512_add_ps(a, b);
}

static inline v16 v16_sub(v16 a, v16 b)
{
    return _mm512_sub_ps(a, b);
}

static inline v16 v16_mul(v16 a, v16 b)
{
    return _mm512_mul_ps(a, b);
}

static inline v16 v16_div(v16 a, v16 b)
{
    return _mm512_div_ps(a, b);
}

static inline v16 v16_fma(v16 a, v16 b, v16 c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static inline v16 v16_fnma(v16 a, v16 b, v16 c)
{
    return _mm512_fnmadd_ps(a, b, c);
}

static inline v16 v16_max(v16 a, v16 b)
{
    return _mm512_max_ps(a, b);
}

static inline v16 v16_abs(v16 a)
{
    return _mm512_abs_ps(a);
}

static inline v16 v16_select_above(v16 a, v16 b, v16 x, v16 y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), y, x);
}

static inline unsigned v16_above(v16 a, v16 b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

#define V16_EXPANDS

static inline v16 v16_put(v16 a, unsigned lanes, float s)
{
    return _mm512_mask_broadcastss_ps(a, (__mmask16)lanes, _mm_set_ss(s));
}

static inline v16 v16_expand(v16 a, unsigned lanes, v16 b)
{
    return _mm512_mask_expand_ps(a, (__mmask16)lanes, b);
}

static inline v16 v16_raise(v16 a, v16 t)
{
    __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(t), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), exponent));
}

static inline v16 v16_power(v16 t)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(t), 23));
}

/* The low bits of 2^23 + n are n itself. */
static inline v16 v16_exponent(v16 a)
{
    __m512i n = _mm512_srli_epi32(_mm512_castps_si512(a), 23);
    __m512 above = _mm512_castsi512_ps(_mm512_or_si512(n, _mm512_set1_epi32(0x4B000000)));
    return _mm512_sub_ps(above, _mm512_set1_ps(8388735.0f)); // 2^23 + 127
}

static inline v16 v16_mantissa(v16 a)
{
    __m512i bits = _mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x007FFFFF));
    return _mm512_castsi512_ps(_mm512_or_si512(bits, _mm512_set1_epi32(0x3F800000)));
}

/* The last three steps of the tree, from eight sums. */
static inline float v16_sum8(__m256 a)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline float v16_sum(v16 a)
{
    __m256 high = _mm512_castps512_ps256(_mm512_shuffle_f32x4(a, a, 0xee));
    return v16_sum8(_mm256_add_ps(_mm512_castps512_ps256(a), high));
}

static inline float v16_highest(v16 a)
{
    __m256 high = _mm512_castps512_ps256(_mm512_shuffle_f32x4(a, a, 0xee));
    __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a), high);
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/* Two steps of the tree for four vectors: lanes 4i … 4i+3 belong to the i-th. */
static inline v16 v16_sums4(v16 a, v16 b, v16 c, v16 d)
{
    v16 ab = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
    v16 cd = _mm512_add_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xee));
    return _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xdd));
}

static inline v16 v16_sums(const v16 a[16])
{
    v16 s0 = v16_sums4(a[0], a[4], a[8], a[12]), s1 = v16_sums4(a[1], a[5], a[9], a[13]);
    v16 s2 = v16_sums4(a[2], a[6], a[10], a[14]), s3 = v16_sums4(a[3], a[7], a[11], a[15]);
    v16 s01 = _mm512_add_ps(_mm512_shuffle_ps(s0, s1, 0x44), _mm512_shuffle_ps(s0, s1, 0xee));
    v16 s23 = _mm512_add_ps(_mm512_shuffle_ps(s2, s3, 0x44), _mm512_shuffle_ps(s2, s3, 0xee));
    return _mm512_add_ps(_mm512_shuffle_ps(s01, s23, 0x88), _mm512_shuffle_ps(s01, s23, 0xdd));
}

#endif
