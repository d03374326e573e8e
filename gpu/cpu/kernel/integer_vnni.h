/* Quantised values for VNNI, whose instructions multiply unsigned by signed bytes: 127 is added to
 * each value. Include after immintrin.h. */
#ifndef ATTNSCOPE_CPU_INTEGER_VNNI_H
#define ATTNSCOPE_CPU_INTEGER_VNNI_H

#include <string.h>

#include "gpu/cpu/kernel/integer_quantise.h"

enum { STEP = 4, VALUE = sizeof(uint8_t) };

/* Sums are already over shifted values. */
#define OFFSET(shift) ((shift) ? 0 : -INTEGER_MOST)

static void quantise(void *out, const float *x, float by, int k)
{
    enum { AT_ONCE = 8 };
    const __m256 all = _mm256_set1_ps(by);
    const int padded = (k + STEP - 1) / STEP * STEP;
    uint8_t *to = out;
    float rest[AT_ONCE] = {0};
    for (int i = 0; i < k; i += AT_ONCE) {
        const size_t left = (size_t)(k - i);
        const float *from = left < AT_ONCE ? memcpy(rest, x + i, left * sizeof *rest) : x + i;
        const __m256i shifted =
            _mm256_add_epi32(quantise_8(from, all), _mm256_set1_epi32(INTEGER_MOST));
        const __m128i pairs =
            _mm_packs_epi32(_mm256_castsi256_si128(shifted), _mm256_extracti128_si256(shifted, 1));
        const int64_t values = _mm_cvtsi128_si64(_mm_packus_epi16(pairs, pairs));
        memcpy(to + i, &values, left < AT_ONCE ? left : AT_ONCE);
    }
    memset(to + k, 0, (size_t)(padded - k));
}

#endif
