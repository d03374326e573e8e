/* Entmax (Peters, Niculae and Martins 2019; Correia, Niculae and Martins 2019), and its derivative.
 * Part of kernels_impl.h, which includes it.
 *
 * With a = α - 1 from above 0 to 1, energies e and their greatest E, weights are
 *     p = max(0, 1 + a (e - E - s))^(1/a)
 * for the s >= 0 with which they sum to 1. As α approaches 1, s approaches log Σ exp(e - E), and p
 * approaches softmax, so nothing cancels in between. The sum S is convex in s, and dS/ds = -Σ
 * p^(1-a): from s = 0, where S >= 1, Newton's steps (S - 1) / Σ p^(1-a) never overshoot, and
 * converge. If S is far above 1, as near softmax, Newton's steps for S^a, which is also convex, are
 * longer. */

/* log x of normal numbers above 0, within 1e-7 of it. With x = 2^n (1 + f), |f| small, it is
 * n ln 2 + f - f²/2 + f³ q(f) with q of degree 7, fitted over sqrt(1/2) <= 1 + f <= sqrt(2) for the
 * least relative error (6e-9). */
static inline v16 log_lanes(v16 x)
{
    const v16 one = v16_set1(1.0f), half = v16_set1(0.5f), root = v16_set1(1.41421356f);
    v16 n = v16_exponent(x), m = v16_mantissa(x);
    n = v16_select_above(m, root, v16_add(n, one), n);
    v16 f = v16_sub(v16_select_above(m, root, v16_mul(m, half), m), one);
    v16 q = v16_fma(v16_set1(-0.0763449296f), f, v16_set1(0.12761575f));
    q = v16_fma(q, f, v16_set1(-0.131601825f));
    q = v16_fma(q, f, v16_set1(0.142017588f));
    q = v16_fma(q, f, v16_set1(-0.166233569f));
    q = v16_fma(q, f, v16_set1(0.200012267f));
    q = v16_fma(q, f, v16_set1(-0.250008196f));
    q = v16_fma(q, f, v16_set1(0.333333313f));
    v16 y = v16_fma(v16_mul(f, f), v16_fma(q, f, v16_set1(-0.5f)), f);
    return v16_fma(n, v16_set1(0.693145751953125f), v16_fma(n, v16_set1(1.42860677e-6f), y));
}

/* State shared by all keys of a row. */
struct entmax_row {
    float a, inverse; // 1 / a
    float shift;      // s
    float rest;       // remainder of s, too small to be added to it
};

/* Powers: shortcuts for sparsemax and α 1.5, and any other. */
enum entmax_power { POWER_ONE, POWER_TWO, POWER_ANY };

/* p of keys with e - E, and p^(1-a) in *slope. NaN stays NaN. The logarithm compensates for the
 * rounding of 1 + w: near softmax its argument is close to 1. */
ALWAYS_INLINE v16 entmax_lanes(const struct entmax_row *row, v16 below, v16 *slope,
                               const enum entmax_power power)
{
    const v16 zero = v16_zero(), one = v16_set1(1.0f);
    const v16 w = v16_mul(v16_set1(row->a), v16_sub(below, v16_set1(row->shift)));
    const v16 base = v16_max(zero, v16_add(one, w));
    if (power == POWER_ONE) {
        *slope = v16_select_above(base, zero, one, base);
        return base;
    }
    if (power == POWER_TWO) {
        *slope = base;
        return v16_mul(base, base);
    }
    const v16 rounded = v16_div(v16_sub(w, v16_sub(base, one)), base);
    const v16 log = v16_mul(v16_add(log_lanes(base), rounded), v16_set1(row->inverse));
    const v16 p = v16_select_above(base, zero, exp_lanes(log), base);
    *slope = v16_select_above(base, zero, v16_div(p, base), base);
    return p;
}

/* Σ p^(1-a) of a row in *slope; returns Σ p. */
ALWAYS_INLINE float entmax_sums(const float *x, int n, const struct entmax_row *row, float *slope,
                                const enum entmax_power power)
{
    v16 total = v16_zero(), slopes = v16_zero(), own;
    for (int i = 0; i < n; i += V16_LANES) {
        total = v16_add(total, entmax_lanes(row, load_scores(x, i, n), &own, power));
        slopes = v16_add(slopes, own);
    }
    *slope = v16_sum(slopes);
    return v16_sum(total);
}

/* S - 1 or, if that is longer, the numerator of a step for S^a, S (1 - S^-a) / a. That is S l (1 -
 * a l / 2 + …) with l = log S, and at least the first two terms. */
static inline float entmax_excess(float total, float a)
{
    if (!(total > 2))
        return total - 1;
    const float l = v16_highest(log_lanes(v16_set1(total)));
    const float longer = total * l * (1 - a * l / 2);
    return longer > total - 1 ? longer : total - 1;
}

/* Maximum number of steps: each reduces the product of S - 1 and Σ p^(1-a) to a quarter. */
enum { ENTMAX_STEPS = 48 };

/* Finds the shift. The last step is so short that it can be taken along the tangents, which does
 * not need a finer s. */
ALWAYS_INLINE void entmax_solve(const float *x, int n, struct entmax_row *row,
                                const enum entmax_power power)
{
    const float near = 0x1p-20f; // of 1
    for (int i = 0; i <= ENTMAX_STEPS; i++) {
        float slope;
        const float total = entmax_sums(x, n, row, &slope, power);
        const float next = row->shift + entmax_excess(total, row->a) / slope;
        row->rest = (total - 1) / slope;
        if (!(total - 1 > near) || next == row->shift)
            return;
        row->shift = i < ENTMAX_STEPS ? next : row->shift;
    }
}

ALWAYS_INLINE void entmax_row_of(float *x, float a, int n, const enum entmax_power power)
{
    struct entmax_row row = {.a = a, .inverse = 1 / a};
    v16 top = v16_set1(-INFINITY), slope;
    for (int i = 0; i < n; i += V16_LANES)
        top = v16_max(load_scores(x, i, n), top);
    top = v16_set1(v16_highest(top));
    for (int i = 0; i < n; i += V16_LANES)
        v16_store(x + i, v16_sub(v16_load(x + i), top));
    entmax_solve(x, n, &row, power);
    for (int i = 0; i < n; i += V16_LANES) {
        const v16 p = entmax_lanes(&row, v16_load(x + i), &slope, power);
        v16_store(x + i, v16_max(v16_zero(), v16_fnma(slope, v16_set1(row.rest), p)));
    }
}

static void entmax_any(float *x, float a, int n)
{
    if (a == 1)
        entmax_row_of(x, a, n, POWER_ONE);
    else if (a == 0.5f)
        entmax_row_of(x, a, n, POWER_TWO);
    else
        entmax_row_of(x, a, n, POWER_ANY);
}

static void entmax(float *x, size_t stride, int heads, float a, int n)
{
    for (int h = 0; h < heads; h++)
        entmax_any(x + (size_t)h * stride, a, n);
}

/* p^(1-a), and 0 for 0. */
static inline v16 entmax_slope(v16 p, float a)
{
    const v16 power = exp_lanes(v16_mul(v16_set1(1 - a), log_lanes(p)));
    return v16_select_above(p, v16_zero(), power, p);
}

static void entmax_backward(float *da, const float *p, float a, float scale, size_t n)
{
    v16 slopes = v16_zero(), products = v16_zero();
    for (size_t i = 0; i < n; i += V16_LANES) {
        const v16 slope = entmax_slope(load_most(p + i, n - i), a);
        slopes = v16_add(slopes, slope);
        products = v16_fma(slope, load_most(da + i, n - i), products);
    }
    const v16 mean = v16_set1(v16_sum(products) / v16_sum(slopes)), factor = v16_set1(scale);
    for (size_t i = 0; i < n; i += V16_LANES) {
        const v16 slope = entmax_slope(load_most(p + i, n - i), a);
        const v16 d = v16_mul(v16_mul(v16_sub(load_most(da + i, n - i), mean), slope), factor);
        if (n - i < V16_LANES)
            v16_store_part(da + i, n - i, d);
        else
            v16_store(da + i, d);
    }
}
