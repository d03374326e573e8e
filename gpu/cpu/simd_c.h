/* v16 in plain C, for any processor. What the functions do stands in simd.h. */
#ifndef ATTNSCOPE_CPU_SIMD_C_H
#define ATTNSCOPE_CPU_SIMD_C_H

typedef struct v16 {
    float lane[16];
} v16;

#define V16_EACH(expression)                                                                       \
    v16 result;                                                                                    \
    for (int l = 0; l < 16; l++)                                                                   \
        result.lane[l] = (expression);                                                             \
    return result

static inline v16 v16_set1(float s)
{
    V16_EACH(s);
}

static inline v16 v16_load(const float *p)
{
    V16_EACH(p[l]);
}

static inline void v16_store(float *p, v16 a)
{
    memcpy(p, a.lane, sizeof a.lane);
}

static inline v16 v16_load_part(const float *p, size_t n)
{
    V16_EACH((size_t)l < n ? p[l] : 0.0f);
}

static inline void v16_store_part(float *p, size_t n, v16 a)
{
    memcpy(p, a.lane, n * sizeof *p);
}

static inline v16 v16_add(v16 a, v16 b)
{
    V16_EACH(a.lane[l] + b.lane[l]);
}

static inline v16 v16_sub(v16 a, v16 b)
{
    V16_EACH(a.lane[l] - b.lane[l]);
}

static inline v16 v16_mul(v16 a, v16 b)
{
    V16_EACH(a.lane[l] * b.lane[l]);
}

static inline v16 v16_div(v16 a, v16 b)
{
    V16_EACH(a.lane[l] / b.lane[l]);
}

static inline v16 v16_fma(v16 a, v16 b, v16 c)
{
    V16_EACH(fmaf(a.lane[l], b.lane[l], c.lane[l]));
}

static inline v16 v16_fnma(v16 a, v16 b, v16 c)
{
    V16_EACH(fmaf(-a.lane[l], b.lane[l], c.lane[l]));
}

static inline v16 v16_max(v16 a, v16 b)
{
    V16_EACH(a.lane[l] > b.lane[l] ? a.lane[l] : b.lane[l]);
}

static inline v16 v16_abs(v16 a)
{
    V16_EACH(fabsf(a.lane[l]));
}

static inline v16 v16_select_above(v16 a, v16 b, v16 x, v16 y)
{
    V16_EACH(a.lane[l] > b.lane[l] ? x.lane[l] : y.lane[l]);
}

static inline unsigned v16_above(v16 a, v16 b)
{
    unsigned bits = 0;
    for (int l = 0; l < 16; l++)
        bits |= (unsigned)(a.lane[l] > b.lane[l]) << l;
    return bits;
}

static inline v16 v16_raise(v16 a, v16 t)
{
    uint32_t number[16], exponent[16];
    memcpy(number, a.lane, sizeof number);
    memcpy(exponent, t.lane, sizeof exponent);
    for (int l = 0; l < 16; l++)
        number[l] += exponent[l] << 23;
    memcpy(a.lane, number, sizeof number);
    return a;
}

static inline float v16_sum(v16 a)
{
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            a.lane[l] = a.lane[l] + a.lane[l + half];
    return a.lane[0];
}

static inline float v16_highest(v16 a)
{
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            a.lane[l] = a.lane[l] > a.lane[l + half] ? a.lane[l] : a.lane[l + half];
    return a.lane[0];
}

static inline v16 v16_sums(const v16 a[16])
{
    V16_EACH(v16_sum(a[l]));
}

#undef V16_EACH

#endif
