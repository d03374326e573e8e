/* Quantises eight values. Include after immintrin.h. */
#ifndef ATTNSCOPE_CPU_INTEGER_QUANTISE_H
#define ATTNSCOPE_CPU_INTEGER_QUANTISE_H

#include "gpu/cpu/kernel/integer.h"

/* Eight values in -127 … 127; NaN becomes -127. */
static inline __m256i quantise_8(const float *x, __m256 by)
{
    const __m256 value = _mm256_mul_ps(_mm256_loadu_ps(x), by);
    const __m256 least = _mm256_max_ps(value, _mm256_set1_ps(-INTEGER_MOST));
    return _mm256_cvtps_epi32(_mm256_min_ps(least, _mm256_set1_ps(INTEGER_MOST)));
}

#endif
