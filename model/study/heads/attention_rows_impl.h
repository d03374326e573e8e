/* Row arithmetic in vectors of ROW_LANES floats, included by attention_rows*.c, which first define:
 *
 *     lanes_fma(a, b, c)       a * b + c, rounded once
 *     lanes_root(a)            square roots
 *     lanes_any(a)             true if any lane of integers is not 0
 */
#include "model/study/heads/attention_rows.h"

/* log2(1 + x) is x times this polynomial for 1 + x in [sqrt(1/2), sqrt(2)]: a fit by least squares,
 * reweighted until the greatest error is the least (5e-8). */
static inline __attribute__((always_inline)) lanes log2_factor(lanes x)
{
    const lanes square = x * x;
    lanes c01 = lanes_fma(x, lanes_all(-0x1.7155bap-1f), lanes_all(0x1.715472p+0f));
    lanes c23 = lanes_fma(x, lanes_all(-0x1.70bab4p-2f), lanes_all(0x1.ec7b64p-2f));
    lanes c45 = lanes_fma(x, lanes_all(-0x1.001220p-2f), lanes_all(0x1.2596a6p-2f));
    lanes c67 = lanes_fma(x, lanes_all(-0x1.2a7bbcp-3f), lanes_all(0x1.e526a6p-3f));
    return lanes_fma(lanes_fma(c67, square, c45), square * square, lanes_fma(c23, square, c01));
}

/* log2 x + shift for x > 0; some number for 0. The exponent is chosen so that the mantissa is near
 * 1. */
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

static void add_nearness(const float *weights, int columns, int heads, const float *pattern,
                         const float *totals, float *sums)
{
    float sum = 0;
    for (int j = 0; j < columns; j++)
        sum += pattern[j];
    for (int h = 0; h < heads; h += ROW_LANES) {
        const lanes total = lanes_load(totals + h);
        lanes shared = {0};
        for (int j = 0; j < columns; j++) {
            const lanes weight = lanes_load(weights + (size_t)j * heads + h);
            const lanes of_pattern = lanes_all(pattern[j]);
            const int_lanes less = weight < of_pattern;
            shared += (lanes)(((int_lanes)weight & less) | ((int_lanes)of_pattern & ~less));
        }
        const lanes near = 2.0f * shared / (total + sum);
        lanes_store(sums + h, lanes_load(sums + h) + (lanes)((int_lanes)near & (total > 0)));
    }
}

/* Distances ------------------------------------------------------------------------------------ */

/* Arguments of add_distances. */
struct distances {
    const float *weights; // (columns, heads)
    int columns, heads;
    const float *negative, *present; // (heads)
    float *sums;                     // (heads, heads)
};

/* Pairs of heads, one per lane: head a and heads b …; or, if `turn` is not 0, heads a … and the
 * same heads rotated by `turn` lanes, so that lane l has a + l and a + (l + turn) % ROW_LANES. */
struct pairs {
    int a, b, turn;
};

static inline __attribute__((always_inline)) lanes turned(lanes x, int turn)
{
    switch (turn) {
    case 1:
        return __builtin_shufflevector(x, x, 1, 2, 3, 4, 5, 6, 7, 0);
    case 2:
        return __builtin_shufflevector(x, x, 2, 3, 4, 5, 6, 7, 0, 1);
    case 3:
        return __builtin_shufflevector(x, x, 3, 4, 5, 6, 7, 0, 1, 2);
    default:
        return __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    }
}

/* Returns the values (heads) of the pairs' first heads; the next function, those of their second
 * heads. */
static inline __attribute__((always_inline)) lanes first_of(const float *values, struct pairs of)
{
    if (of.turn)
        return lanes_load(values + of.a);
    const float first = values[of.a];
    return lanes_all(first);
}

static inline __attribute__((always_inline)) lanes second_of(const float *values, struct pairs of)
{
    if (of.turn)
        return turned(lanes_load(values + of.a), of.turn);
    return lanes_load(values + of.b);
}

/* Twice the divergence of pairs that may be close, avoiding differences of large numbers. With t =
 * (p - q) / (p + q) it is the sum of (p + q) / 2 times (1 + t) log2(1 + t) + (1 - t) log2(1 - t),
 * which is (t^2 + t^4 / 6 + t^6 / 15 + t^8 / 28 + …) / ln 2. */
static lanes twice_divergence(const struct distances *all, struct pairs of)
{
    const float log2_e = 0x1.715476p+0f, series_most = 1.0f / 16;
    lanes sum = {0};
    for (int j = 0; j < all->columns; j++) {
        const float *row = all->weights + (size_t)j * all->heads;
        const lanes p = first_of(row, of), q = second_of(row, of), both = q + p, apart = p - q;
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

/* True if the rows of one of these pairs differ. */
static bool rows_differ(const struct distances *all, struct pairs of, int_lanes these)
{
    int_lanes differ = {0};
    for (int j = 0; j < all->columns; j++) {
        const float *row = all->weights + (size_t)j * all->heads;
        differ |= second_of(row, of) != first_of(row, of);
    }
    return lanes_any(differ & these);
}

/* The divergence of close pairs: the rounding error of a difference of entropies, up to 2e-6, would
 * be one of more than 1e-5 in a distance below 0.1. */
static __attribute__((noinline)) lanes
close_divergence(const struct distances *all, struct pairs of, int_lanes close, lanes twice)
{
    lanes better = {0};
    if (rows_differ(all, of, close))
        better = twice_divergence(all, of);
    return (lanes)(((int_lanes)twice & ~close) | ((int_lanes)better & close));
}

/* Adds the distances of pairs to the sums at `at`. between: the pairs' sums of 2 m log2 m. */
static inline __attribute__((always_inline)) void
add_distance(const struct distances *all, struct pairs of, lanes between, float *at)
{
    const float close_most = 1e-2f;
    const lanes there = first_of(all->present, of) * second_of(all->present, of);
    lanes twice = second_of(all->negative, of) + first_of(all->negative, of) - between;
    const int_lanes close = (twice < 2 * close_most) & (there != 0);
    if (lanes_any(close))
        twice = close_divergence(all, of, close, twice);
    const lanes distance = lanes_root((lanes)((int_lanes)(twice * 0.5f) & (twice > 0)));
    lanes_store(at, lanes_load(at) + distance * there);
}

/* Adds the distances of head a and `vectors` vectors of heads b …, several at once so that the
 * processor can overlap their logarithms. */
static inline __attribute__((always_inline)) void add_vectors(const struct distances *all, int a,
                                                              int b, int vectors)
{
    lanes twice[4] = {{0}}; // sums of 2 m log2 m, where m is the mean of two rows
    for (int j = 0; j < all->columns; j++) {
        const float *row = all->weights + (size_t)j * all->heads;
        const lanes of_a = lanes_all(row[a]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            const lanes both = lanes_load(row + b + v * ROW_LANES) + of_a;
            twice[v] = lanes_fma(both, log2_shifted(both, -1), twice[v]);
        }
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        add_distance(all, (struct pairs){a, b + v * ROW_LANES, 0}, twice[v],
                     all->sums + (size_t)a * all->heads + b + v * ROW_LANES);
}

/* Adds distances among the heads first …: each pair is in one of four rotations, in the last one
 * twice. */
static void add_among(const struct distances *all, int first)
{
    lanes twice[ROW_LANES / 2] = {{0}};
    for (int j = 0; j < all->columns; j++) {
        const lanes row = lanes_load(all->weights + (size_t)j * all->heads + first);
#pragma GCC unroll 4
        for (int turn = 1; turn <= ROW_LANES / 2; turn++) {
            const lanes both = turned(row, turn) + row;
            twice[turn - 1] = lanes_fma(both, log2_shifted(both, -1), twice[turn - 1]);
        }
    }
#pragma GCC unroll 4
    for (int turn = 1; turn <= ROW_LANES / 2; turn++)
        add_distance(all, (struct pairs){first, first, turn}, twice[turn - 1],
                     all->sums + (size_t)(first + turn - 1) * all->heads + first);
}

static void add_distances(const float *weights, int columns, int heads, const float *negative,
                          const float *present, float *sums)
{
    const struct distances all = {weights, columns, heads, negative, present, sums};
    for (int a = 0; a < heads; a++) {
        if (a % ROW_LANES == 0)
            add_among(&all, a);
        int b = (a / ROW_LANES + 1) * ROW_LANES;
        if (present[a] == 0)
            continue;
        for (; heads - b >= 4 * ROW_LANES; b += 4 * ROW_LANES)
            add_vectors(&all, a, b, 4);
        for (; heads - b >= 2 * ROW_LANES; b += 2 * ROW_LANES)
            add_vectors(&all, a, b, 2);
        if (heads - b >= ROW_LANES)
            add_vectors(&all, a, b, 1);
    }
}

#define ROW_ARITHMETIC                                                                             \
    {                                                                                              \
        weigh, negate_entropy, find_most, add_distances, add_nearness                              \
    }
