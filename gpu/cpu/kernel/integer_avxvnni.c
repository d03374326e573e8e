#include "gpu/cpu/kernel/integer.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "gpu/cpu/kernel/integer_vnni.h"

static inline __m256i panel_load(const int8_t *b, int half)
{
    return _mm256_load_si256((const __m256i *)b + half);
}

static inline __m256i panel_multiply(__m256i sum, __m256i a, __m256i b)
{
    return _mm256_dpbusd_avx_epi32(sum, a, b);
}

#include "gpu/cpu/kernel/integer_256.h"

INTEGER_TILES_6

const struct integer_kernels integer_avxvnni = {
    .step = STEP, .bytes = VALUE, .rows = 6, .quantise = quantise, .tile = {INTEGER_NAMES_6}};

#endif
