/* The kernels of single elements: exp, log and activations; a part of kernels_impl.h, which
 * includes it. */

/* e^x. With n = round(x / ln 2) and r = x - n ln 2 it is 2^n e^r, and e^r - 1 - r = r² q(r) with q
 * of degree 4, fitted over |r| <= ln(2)/2 for the least relative error (3e-9 before rounding).
 * Adding 1.5 * 2^23 rounds to an integer and leaves n in the low bits, where v16_raise reads it. */
static inline v16 exp_lanes(v16 x)
{
    const v16 magic = v16_set1(12582912.0f);
    v16 t = v16_fma(x, v16_set1(1.44269504f), magic);
    v16 n = v16_sub(t, magic);
    v16 r = v16_fnma(n, v16_set1(0.693145751953125f), x);
    r = v16_fnma(n, v16_set1(1.42860677e-6f), r);
    v16 q = v16_fma(v16_set1(0.00138144626f), r, v16_set1(0.00836878084f));
    q = v16_fma(q, r, v16_set1(0.0416683927f));
    q = v16_fma(q, r, v16_set1(0.166665196f));
    q = v16_fma(q, r, v16_set1(0.49999994f));
    v16 p = v16_add(v16_fma(v16_mul(r, r), q, r), v16_set1(1.0f));
    v16 y = v16_raise(p, t);
    /* If e^x is not a normal number, y is garbage; and NaN must stay NaN. */
    const float least = -87.33654f, most = 88.72283f; // the ends, and the number below `least`:
    const float below = -87.33655f;
    y = v16_select_above(x, v16_set1(below), y, x);
    y = v16_select_above(v16_set1(least), x, v16_zero(), y);
    return v16_select_above(x, v16_set1(most), v16_set1(INFINITY), y);
}

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

static inline v16 sigmoid_lanes(v16 x)
{
    const v16 one = v16_set1(1.0f);
    return v16_div(one, v16_add(one, exp_lanes(v16_sub(v16_zero(), x))));
}

static inline v16 swish_lanes(v16 x)
{
    return v16_div(x, v16_add(v16_set1(1.0f), exp_lanes(v16_sub(v16_zero(), x))));
}

/* x sigmoid(1.702 x), an approximation of x Φ(x) (Hendrycks and Gimpel 2016). */
static inline v16 gelu_sigmoid_lanes(v16 x)
{
    const v16 steep = v16_mul(x, v16_set1(-1.702f));
    return v16_div(x, v16_add(v16_set1(1.0f), exp_lanes(steep)));
}

/* x (1 + tanh(z)) / 2 with z = sqrt(2 / pi) (x + 0.044715 x³): that is x sigmoid(2 z). */
static inline v16 gelu_tanh_lanes(v16 x)
{
    v16 z = v16_fma(v16_mul(x, x), v16_set1(-0.0713548163f), v16_set1(-1.59576912f));
    return v16_div(x, v16_add(v16_set1(1.0f), exp_lanes(v16_mul(x, z))));
}

/* Near 0 it is x + x³ q(x²) with q of degree 4, fitted for the least relative error (4e-9). Farther
 * out it is 1 - 2 / (1 + e^(2|x|)) with the sign of x; near 0 that difference would cancel. */
static inline v16 tanh_lanes(v16 x)
{
    const v16 one = v16_set1(1.0f), edge = v16_set1(0.625f);
    v16 square = v16_mul(x, x), size = v16_abs(x);
    v16 q = v16_fma(v16_set1(-0.00571704468f), square, v16_set1(0.0206505870f));
    q = v16_fma(q, square, v16_set1(-0.0537434980f));
    q = v16_fma(q, square, v16_set1(0.133314913f));
    q = v16_fma(q, square, v16_set1(-0.333332839f));
    v16 near = v16_fma(v16_mul(x, square), q, x);
    v16 rest = v16_div(v16_set1(2.0f), v16_add(one, exp_lanes(v16_add(size, size))));
    v16 far = v16_select_above(x, v16_zero(), v16_sub(one, rest), v16_sub(rest, one));
    return v16_select_above(size, edge, far, near);
}

/* e^(-x²/2) */
static inline v16 gelu_bell(v16 x)
{
    return exp_lanes(v16_mul(v16_mul(x, x), v16_set1(-0.5f)));
}

/* Φ(-|x|) = erfc(z) / 2 with z = |x| / sqrt(2), and erfc(z) = e^(-z²) t P(t) with
 * t = 1 / (1 + 0.4 z) and P of degree 7, fitted for the least absolute error of erfc (5e-10). */
static inline v16 gelu_tail(v16 x)
{
    const v16 one = v16_set1(1.0f);
    v16 z = v16_mul(v16_abs(x), v16_set1(0.707106781f));
    v16 t = v16_div(one, v16_fma(z, v16_set1(0.4f), one));
    v16 p = v16_fma(v16_set1(0.0759458840f), t, v16_set1(-0.399299324f));
    p = v16_fma(p, t, v16_set1(0.685865402f));
    p = v16_fma(p, t, v16_set1(-0.364124417f));
    p = v16_fma(p, t, v16_set1(0.392726332f));
    p = v16_fma(p, t, v16_set1(0.150653422f));
    p = v16_fma(p, t, v16_set1(0.232807472f));
    p = v16_fma(p, t, v16_set1(0.225425199f));
    return v16_mul(v16_mul(gelu_bell(x), v16_set1(0.5f)), v16_mul(t, p));
}

/* x Φ(x) */
static inline v16 gelu_lanes(v16 x)
{
    const v16 tail = gelu_tail(x);
    return v16_select_above(x, v16_zero(), v16_fnma(x, tail, x), v16_mul(x, tail));
}

static inline void each(float *x, size_t n, v16 (*function)(v16))
{
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(x + i, function(v16_load(x + i)));
    if (i < n)
        v16_store_part(x + i, n - i, function(v16_load_part(x + i, n - i)));
}

static void gelu(float *x, size_t n)
{
    each(x, n, gelu_lanes);
}

static void swish(float *x, size_t n)
{
    each(x, n, swish_lanes);
}

static void gelu_sigmoid(float *x, size_t n)
{
    each(x, n, gelu_sigmoid_lanes);
}

static void gelu_tanh(float *x, size_t n)
{
    each(x, n, gelu_tanh_lanes);
}

static void tanh_all(float *x, size_t n)
{
    each(x, n, tanh_lanes);
}

static void cap(float *x, float most, size_t n)
{
    const v16 all = v16_set1(most);
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(x + i, v16_mul(all, tanh_lanes(v16_div(v16_load(x + i), all))));
    if (i < n)
        v16_store_part(x + i, n - i,
                       v16_mul(all, tanh_lanes(v16_div(v16_load_part(x + i, n - i), all))));
}

static void sigmoid(float *x, size_t n)
{
    each(x, n, sigmoid_lanes);
}

static void exp_all(float *x, size_t n)
{
    each(x, n, exp_lanes);
}
