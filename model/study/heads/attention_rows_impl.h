/* Row arithmetic in vectors of ROW_LANES floats, for attention_rows*.c, which define before it:
 *
 *     lanes_fma(a, b, c)       a * b + c, rounded once
 *     lanes_root(a)            square roots
 *     lanes_any(a)             whether a lane of integers is not 0
 */
#include "model/study/heads/attention_rows.h"

/* log2(1 + x) is x times this polynomial for 1 + x in [sqrt(1/2), sqrt(2)]: a fit by least squares, reweighted until
 * the greatest error is the least (5e-8). */
static inline __attribute__((always_inline)) lanes log2_factor(lanes x)
{
    const lanes square = x * x;
    lanes c01 = lanes_fma(x, lanes_all(-0x1.7155bap-1f), lanes_all(0x1.715472p+0f));
    lanes c23 = lanes_fma(x, lanes_all(-0x1.70bab4p-2f), lanes_all(0x1.ec7b64p-2f));
    lanes c45 = lanes_fma(x, lanes_all(-0x1.001220p-2f), lanes_all(0x1.2596a6p-2f));
    lanes c67 = lanes_fma(x, lanes_all(-0x1.2a7bbcp-3f), lanes_all(0x1.e526a6p-3f));
    return lanes_fma(lanes_fma(c67, square, c45), square * square, lanes_fma(c23, square, c01));
}

/* log2 x + shift for x > 0; some number for 0. The exponent is taken so that what is left is near 1. */
static inline __attribute__((always_inline)) lanes log2_shifted(lanes x, float shift)
{
    const int32_t root_half = 0x3f3504f3, exponent_bits = (int32_t)0xff800000;
    int_lanes bits = (int_lanes)x;
    int_lanes exponent = (bits - root_half) & exponent_bits;
    lanes rest = (lanes)(bits - exponent) - 1.0f;
    lanes whole =
        lanes_fma(__builtin_convertvector(exponent, lanes), lanes_all(0x1p-23f), lanes_all(shift));
    return lanes_fma(log2_factor(rest), rest, whole);
}

static void weigh(const float *weights, int columns, int heads, const float *factors, float *sums)
{
    for (int h = 0; h < heads; h += ROW_LANES) {
        lanes of[ROW_FACTORS] = {{0}};
        for (int j = 0; j < columns; j++) {
            const lanes weight = lanes_load(weights + (size_t)j * heads + h);
            const float *factor = factors + (size_t)j * ROW_FACTORS;
#pragma GCC unroll 13
            for (int k = 0; k < ROW_FACTORS; k++)
                of[k] = lanes_fma(weight, lanes_all(factor[k]), of[k]);
        }
        for (int k = 0; k < ROW_FACTORS; k++)
            lanes_store(sums + (size_t)k * heads + h,
                        lanes_load(sums + (size_t)k * heads + h) + of[k]);
    }
}

static void negate_entropy(const float *weights, int columns, int heads, float *sums)
{
    for (int h = 0; h < heads; h += ROW_LANES) {
        lanes sum = {0};
        for (int j = 0; j < columns; j++) {
            const lanes weight = lanes_load(weights + (size_t)j * heads + h);
            sum = lanes_fma(weight, log2_shifted(weight, 0), sum);
        }
        lanes_store(sums + h, sum);
    }
}

static void find_most(const float *weights, int columns, int heads, float *most, int32_t *place)
{
    for (int h = 0; h < heads; h += ROW_LANES) {
        lanes best = lanes_load(weights + h);
        int_lanes at = {0};
        for (int j = 1; j < columns; j++) {
            const lanes weight = lanes_load(weights + (size_t)j * heads + h);
            const int_lanes more = weight > best, here = at * 0 + j;
            at = (at & ~more) | (here & more);
            best = (lanes)(((int_lanes)best & ~more) | ((int_lanes)weight & more));
        }
        lanes_store(most + h, best);
        memcpy(place + h, &at, sizeof at);
    }
}

/* Twice the divergence of row a and rows b …, where they may be close together: without differences of large numbers.
 * With t = (p - q) / (p + q) it is the sum of (p + q) / 2 times (1 + t) log2(1 + t) + (1 - t) log2(1 - t), which is
 * (t^2 + t^4 / 6 + t^6 / 15 + t^8 / 28 + …) / ln 2. */
static lanes twice_divergence(const float *weights, int columns, int heads, int a, int b)
{
    const float log2_e = 0x1.715476p+0f, series_most = 1.0f / 16;
    lanes sum = {0};
    for (int j = 0; j < columns; j++) {
        const float *row = weights + (size_t)j * heads;
        const lanes q = lanes_load(row + b), both = q + row[a], apart = row[a] - q;
        const lanes t = (lanes)((int_lanes)(apart / both) & (both > 0)), square = t * t;
        lanes series = lanes_fma(square, lanes_all(log2_e / 28), lanes_all(log2_e / 15));
        series = lanes_fma(square, series, lanes_all(log2_e / 6));
        series = lanes_fma(square, series, lanes_all(log2_e)) * square;
        const lanes above = 1.0f + t, below = 1.0f - t;
        const lanes logs = lanes_fma(above, log2_shifted(above, 0), below * log2_shifted(below, 0));
        const int_lanes small = square < series_most;
        sum = lanes_fma(both * 0.5f,
                        (lanes)(((int_lanes)series & small) | ((int_lanes)logs & ~small)), sum);
    }
    return sum;
}

/* Whether one of those lanes of rows b … has another row than a. */
static bool rows_differ(const float *weights, int columns, int heads, int a, int b, int_lanes of)
{
    int_lanes differ = {0};
    for (int j = 0; j < columns; j++) {
        const float *row = weights + (size_t)j * heads;
        differ |= lanes_load(row + b) != row[a];
    }
    return lanes_any(differ & of);
}

/* The sum of 2 m log2 m, where m is the mean of row a and of each of rows b …. */
static inline __attribute__((always_inline)) lanes sum_between(const float *weights, int columns,
                                                               int heads, int a, int b)
{
    lanes twice = {0};
    for (int j = 0; j < columns; j++) {
        const lanes both =
            lanes_load(weights + (size_t)j * heads + b) + weights[(size_t)j * heads + a];
        twice = lanes_fma(both, log2_shifted(both, -1), twice);
    }
    return twice;
}

/* Below this the error of some 1e-7 that rounding leaves in the difference matters. */
#define CLOSE_DIVERGENCE 1e-4f

static void add_distances(const float *weights, int columns, int heads, const float *negative,
                          const float *present, float *sums)
{
    for (int a = 0; a + 1 < heads; a++) {
        if (present[a] == 0)
            continue;
        for (int b = (a + 1) / ROW_LANES * ROW_LANES; b < heads; b += ROW_LANES) {
            const lanes there = lanes_load(present + b);
            lanes twice =
                lanes_load(negative + b) + negative[a] - sum_between(weights, columns, heads, a, b);
            const int_lanes close = (twice < 2 * CLOSE_DIVERGENCE) & (there != 0);
            if (lanes_any(close)) {
                if (rows_differ(weights, columns, heads, a, b, close))
                    twice = twice_divergence(weights, columns, heads, a, b);
                else
                    twice = (lanes)((int_lanes)twice & ~close);
            }
            const lanes distance = lanes_root((lanes)((int_lanes)(twice * 0.5f) & (twice > 0)));
            float *sum = sums + (size_t)a * heads + b;
            lanes_store(sum, lanes_load(sum) + distance * there);
        }
    }
}

#define ROW_ARITHMETIC                                                                             \
    {                                                                                              \
        weigh, negate_entropy, find_most, add_distances                                            \
    }
