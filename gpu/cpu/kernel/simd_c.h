/* v16 for any processor: four vectors of four floats, which gcc and clang map to what is available
 * (SSE2, NEON, or single floats). simd.h defines the functions. */
#ifndef ATTNSCOPE_CPU_SIMD_C_H
#define ATTNSCOPE_CPU_SIMD_C_H

typedef float v4 __attribute__((vector_size(16)));
typedef uint32_t v4_bits __attribute__((vector_size(16)));

typedef struct v16 {
    v4 a, b, c, d; // lanes 0-3, 4-7, 8-11, 12-15
} v16;

enum { V16_REGISTERS = 4 };

static inline v16 v16_set1(float s)
{
    const v4 four = {s, s, s, s};
    return (v16){four, four, four, four};
}

static inline v4 v4_load(const float *p)
{
    v4 four;
    memcpy(&four, p, sizeof four);
    return four;
}

static inline v16 v16_load(const float *p)
{
    return (v16){v4_load(p), v4_load(p + 4), v4_load(p + 8), v4_load(p + 12)};
}

static inline void v16_store(float *p, v16 x)
{
    memcpy(p, &x.a, sizeof x.a);
    memcpy(p + 4, &x.b, sizeof x.b);
    memcpy(p + 8, &x.c, sizeof x.c);
    memcpy(p + 12, &x.d, sizeof x.d);
}

static inline v16 v16_load_part(const float *p, size_t n)
{
    float whole[16] = {0};
    memcpy(whole, p, n * sizeof *p);
    return v16_load(whole);
}

static inline void v16_store_part(float *p, size_t n, v16 x)
{
    float whole[16];
    v16_store(whole, x);
    memcpy(p, whole, n * sizeof *p);
}

static inline v16 v16_first_of(size_t n, v16 a, v16 b)
{
    float first[16], rest[16];
    v16_store(first, a);
    v16_store(rest, b);
    memcpy(rest, first, n * sizeof *first);
    return v16_load(rest);
}

static inline v16 v16_add(v16 x, v16 y)
{
    return (v16){x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
}

static inline v16 v16_sub(v16 x, v16 y)
{
    return (v16){x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d};
}

static inline v16 v16_mul(v16 x, v16 y)
{
    return (v16){x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d};
}

static inline v16 v16_div(v16 x, v16 y)
{
    return (v16){x.a / y.a, x.b / y.b, x.c / y.c, x.d / y.d};
}

static inline v4 v4_fma(v4 x, v4 y, v4 z)
{
    return (v4){fmaf(x[0], y[0], z[0]), fmaf(x[1], y[1], z[1]), fmaf(x[2], y[2], z[2]),
                fmaf(x[3], y[3], z[3])};
}

static inline v16 v16_fma(v16 x, v16 y, v16 z)
{
    return (v16){v4_fma(x.a, y.a, z.a), v4_fma(x.b, y.b, z.b), v4_fma(x.c, y.c, z.c),
                 v4_fma(x.d, y.d, z.d)};
}

static inline v16 v16_fnma(v16 x, v16 y, v16 z)
{
    return (v16){v4_fma(-x.a, y.a, z.a), v4_fma(-x.b, y.b, z.b), v4_fma(-x.c, y.c, z.c),
                 v4_fma(-x.d, y.d, z.d)};
}

static inline v4 v4_select_above(v4 x, v4 y, v4 above, v4 otherwise)
{
    v4_bits mask = (v4_bits)(x > y);
    return (v4)((mask & (v4_bits)above) | (~mask & (v4_bits)otherwise));
}

static inline v16 v16_select_above(v16 x, v16 y, v16 above, v16 otherwise)
{
    return (v16){v4_select_above(x.a, y.a, above.a, otherwise.a),
                 v4_select_above(x.b, y.b, above.b, otherwise.b),
                 v4_select_above(x.c, y.c, above.c, otherwise.c),
                 v4_select_above(x.d, y.d, above.d, otherwise.d)};
}

static inline v16 v16_max(v16 x, v16 y)
{
    return v16_select_above(x, y, x, y);
}

static inline v4 v4_abs(v4 x)
{
    return (v4)((v4_bits)x & 0x7fffffffu);
}

static inline v16 v16_abs(v16 x)
{
    return (v16){v4_abs(x.a), v4_abs(x.b), v4_abs(x.c), v4_abs(x.d)};
}

static inline unsigned v4_above(v4 x, v4 y)
{
    v4_bits bits = (v4_bits)(x > y) & (v4_bits){1, 2, 4, 8};
    return bits[0] | bits[1] | bits[2] | bits[3];
}

static inline unsigned v16_above(v16 x, v16 y)
{
    return v4_above(x.a, y.a) | v4_above(x.b, y.b) << 4 | v4_above(x.c, y.c) << 8 |
           v4_above(x.d, y.d) << 12;
}

static inline v4 v4_raise(v4 x, v4 t)
{
    return (v4)((v4_bits)x + ((v4_bits)t << 23));
}

static inline v16 v16_raise(v16 x, v16 t)
{
    return (v16){v4_raise(x.a, t.a), v4_raise(x.b, t.b), v4_raise(x.c, t.c), v4_raise(x.d, t.d)};
}

static inline v4 v4_power(v4 t)
{
    return (v4)((v4_bits)t << 23);
}

static inline v16 v16_power(v16 t)
{
    return (v16){v4_power(t.a), v4_power(t.b), v4_power(t.c), v4_power(t.d)};
}

/* The low bits of 2^23 + n are n itself. */
static inline v4 v4_exponent(v4 x)
{
    const v4 bias = {8388735.0f, 8388735.0f, 8388735.0f, 8388735.0f}; // 2^23 + 127
    return (v4)(((v4_bits)x >> 23) | 0x4B000000u) - bias;
}

static inline v16 v16_exponent(v16 x)
{
    return (v16){v4_exponent(x.a), v4_exponent(x.b), v4_exponent(x.c), v4_exponent(x.d)};
}

static inline v4 v4_mantissa(v4 x)
{
    return (v4)(((v4_bits)x & 0x007FFFFFu) | 0x3F800000u);
}

static inline v16 v16_mantissa(v16 x)
{
    return (v16){v4_mantissa(x.a), v4_mantissa(x.b), v4_mantissa(x.c), v4_mantissa(x.d)};
}

static inline float v16_sum(v16 x)
{
    v4 four = (x.a + x.c) + (x.b + x.d);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

static inline float higher(float x, float y)
{
    return x > y ? x : y;
}

static inline float v16_highest(v16 x)
{
    v4 low = v4_select_above(x.a, x.c, x.a, x.c), high = v4_select_above(x.b, x.d, x.b, x.d);
    v4 four = v4_select_above(low, high, low, high);
    return higher(higher(four[0], four[2]), higher(four[1], four[3]));
}

static inline v4 v4_sums(const v16 x[4])
{
    return (v4){v16_sum(x[0]), v16_sum(x[1]), v16_sum(x[2]), v16_sum(x[3])};
}

static inline v16 v16_sums(const v16 x[16])
{
    return (v16){v4_sums(x), v4_sums(x + 4), v4_sums(x + 8), v4_sums(x + 12)};
}

#endif
