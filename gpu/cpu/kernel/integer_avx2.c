#include "gpu/cpu/kernel/integer.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "gpu/cpu/kernel/integer_quantise.h"

/* Quantised values have 16 bits here and the panel's are widened: vpmaddwd adds two exact products
 * to an exact sum, whereas the 8-bit vpmaddubsw would saturate. */
enum { STEP = 2, VALUE = sizeof(int16_t) };

#define OFFSET(shift) ((shift) ? INTEGER_MOST : 0)

static inline __m256i panel_load(const int8_t *b, int half)
{
    return _mm256_cvtepi8_epi16(
        _mm_load_si128((const __m128i *)(b + half * STEP * (GEMM_PART / 2))));
}

static inline __m256i panel_multiply(__m256i sum, __m256i a, __m256i b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}

#include "gpu/cpu/kernel/integer_256.h"

static void quantise(void *out, const float *x, float by, int k)
{
    enum { AT_ONCE = 16 };
    const __m256 all = _mm256_set1_ps(by);
    int16_t *to = out;
    float rest[AT_ONCE] = {0};
    for (int i = 0; i < k; i += AT_ONCE) {
        const size_t left = (size_t)(k - i);
        const float *from = left < AT_ONCE ? memcpy(rest, x + i, left * sizeof *rest) : x + i;
        const __m256i both = _mm256_packs_epi32(quantise_8(from, all), quantise_8(from + 8, all));
        int16_t values[AT_ONCE];
        _mm256_storeu_si256((__m256i *)values, _mm256_permute4x64_epi64(both, 0xD8));
        memcpy(to + i, values, (left < AT_ONCE ? left : AT_ONCE) * sizeof *values);
    }
    if (k % STEP)
        to[k] = 0;
}

INTEGER_TILES_6

const struct integer_kernels integer_avx2 = {
    .step = STEP, .bytes = VALUE, .rows = 6, .quantise = quantise, .tile = {INTEGER_NAMES_6}};

#endif
