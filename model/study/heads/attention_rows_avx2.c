/* Row arithmetic for AVX2 with FMA; the Makefile sets this file's flags. */
#include "model/study/heads/attention_rows.h"

#if defined(__x86_64__)
#if !defined(__AVX2__) || !defined(__FMA__)
#error "this file needs the compiler flags that the Makefile gives it"
#endif

#include <immintrin.h>

#include "model/study/heads/attention_rows_lanes.h"

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline lanes lanes_root(lanes a)
{
    return (lanes)_mm256_sqrt_ps((__m256)a);
}

static inline bool lanes_any(int_lanes a)
{
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
}

#include "model/study/heads/attention_rows_impl.h"

const struct row_arithmetic *row_arithmetic_avx2(void)
{
    static const struct row_arithmetic with_avx2 = ROW_ARITHMETIC;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &with_avx2 : NULL;
}

#else
#include <stddef.h>

const struct row_arithmetic *row_arithmetic_avx2(void)
{
    return NULL;
}
#endif
