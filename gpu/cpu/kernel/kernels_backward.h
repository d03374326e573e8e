/* The kernels of derivatives; a part of kernels_impl.h, which includes it. */

/* Norms ---------------------------------------------------------------------------------------- */

/* Loads n elements, at most a vector; the other lanes are zero. */
static inline v16 load_most(const float *x, size_t n)
{
    return n < V16_LANES ? v16_load_part(x, n) : v16_load(x);
}

/* moments: the mean, and 1 / sqrt(variance + eps). sums: Σ g and Σ g u. Lanes past the end have
 * g = 0. */
static void norm_sums(const struct norm_backward_row *row, const float moments[2], size_t n,
                      float sums[2])
{
    const v16 mean = v16_set1(moments[0]), factor = v16_set1(moments[1]);
    v16 plain = v16_zero(), mixed = v16_zero();
    for (size_t i = 0; i < n; i += V16_LANES) {
        const v16 g = v16_mul(load_most(row->dy + i, n - i), load_most(row->gamma + i, n - i));
        const v16 u = v16_mul(v16_sub(load_most(row->z + i, n - i), mean), factor);
        plain = v16_add(plain, g);
        mixed = v16_fma(g, u, mixed);
    }
    sums[0] = v16_sum(plain);
    sums[1] = v16_sum(mixed);
}

static void norm_backward(float *dx, const struct norm_backward_row *row, size_t n)
{
    float moments[2] = {0, 0}, sums[2];
    if (!row->rms)
        moments[0] = v16_sum(sum_lanes(row->z, n)) / (float)n;
    moments[1] = 1.0f / sqrtf(square_sum(row->z, moments[0], n) / (float)n + row->eps);
    norm_sums(row, moments, n, sums);
    const v16 mean = v16_set1(moments[0]), factor = v16_set1(moments[1]);
    const v16 plain = v16_set1(row->rms ? 0 : sums[0] / (float)n);
    const v16 mixed = v16_set1(row->relevance ? 0 : sums[1] / (float)n);
    for (size_t i = 0; i < n; i += V16_LANES) {
        const size_t rest = n - i;
        const v16 g = v16_mul(load_most(row->dy + i, rest), load_most(row->gamma + i, rest));
        const v16 u = v16_mul(v16_sub(load_most(row->z + i, rest), mean), factor);
        v16 d = v16_mul(v16_fnma(u, mixed, v16_sub(g, plain)), factor);
        if (row->residual)
            d = v16_add(d, load_most(row->residual + i, rest));
        if (rest < V16_LANES)
            v16_store_part(dx + i, rest, d);
        else
            v16_store(dx + i, d);
    }
}

/* Rows of weights ------------------------------------------------------------------------------ */

static void softmax_backward(float *da, const float *a, float scale, size_t n)
{
    const v16 mean = v16_set1(v16_sum(dot_lanes(da, a, n))), factor = v16_set1(scale);
    for (size_t i = 0; i < n; i += V16_LANES) {
        const v16 d = v16_mul(
            v16_mul(v16_sub(load_most(da + i, n - i), mean), load_most(a + i, n - i)), factor);
        if (n - i < V16_LANES)
            v16_store_part(da + i, n - i, d);
        else
            v16_store(da + i, d);
    }
}

static void add_scaled(float *y, const float *x, float a, size_t n)
{
    const v16 factor = v16_set1(a);
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(y + i, v16_fma(factor, v16_load(x + i), v16_load(y + i)));
    if (i < n)
        v16_store_part(y + i, n - i,
                       v16_fma(factor, v16_load_part(x + i, n - i), v16_load_part(y + i, n - i)));
}

static void add_outer(const struct row_sums *rows, const float *a, float factor, const float *x)
{
    const size_t size = (size_t)rows->size;
    for (size_t c = 0; c < size; c += V16_LANES) {
        const size_t rest = size - c;
        const v16 part = load_most(x + c, rest);
        for (int j = 0; j < rows->count; j++) {
            float *y = rows->base + (size_t)rows->rows[j] * rows->ld + c;
            const v16 share = v16_set1(factor * a[j]);
            if (rest < V16_LANES)
                v16_store_part(y, rest, v16_fma(share, part, v16_load_part(y, rest)));
            else
                v16_store(y, v16_fma(share, part, v16_load(y)));
        }
    }
}

/* Slopes of activations ------------------------------------------------------------------------ */

static inline v16 relu_slope_lanes(v16 x)
{
    return v16_select_above(x, v16_zero(), v16_set1(1.0f), v16_zero());
}

/* s (1 - s) */
static inline v16 sigmoid_slope_of(v16 s)
{
    return v16_fnma(s, s, s);
}

static inline v16 sigmoid_slope_lanes(v16 x)
{
    return sigmoid_slope_of(sigmoid_lanes(x));
}

static inline v16 tanh_slope_lanes(v16 x)
{
    const v16 t = tanh_lanes(x);
    return v16_fnma(t, t, v16_set1(1.0f));
}

/* The slope of x sigmoid(u) is s + x s (1 - s) u', with s = sigmoid(u). If s (1 - s) is 0, x may be
 * so large that the rest is NaN. */
static inline v16 product_slope(v16 x, v16 s, v16 inner)
{
    const v16 slope = sigmoid_slope_of(s);
    return v16_select_above(slope, v16_zero(), v16_fma(v16_mul(x, inner), slope, s), s);
}

static inline v16 swish_slope_lanes(v16 x)
{
    return product_slope(x, sigmoid_lanes(x), v16_set1(1.0f));
}

static inline v16 gelu_sigmoid_slope_lanes(v16 x)
{
    const v16 steep = v16_set1(1.702f);
    return product_slope(x, sigmoid_lanes(v16_mul(x, steep)), steep);
}

/* x sigmoid(u) with u = 2 sqrt(2 / pi) (x + 0.044715 x³), as in gelu_tanh_lanes. */
static inline v16 gelu_tanh_slope_lanes(v16 x)
{
    const v16 square = v16_mul(x, x), one = v16_set1(1.59576912f);
    const v16 u = v16_mul(x, v16_fma(square, v16_set1(0.0713548163f), one));
    const v16 inner = v16_fma(square, v16_set1(3 * 0.0713548163f), one);
    return product_slope(x, sigmoid_lanes(u), inner);
}

/* Φ(x) + x φ(x). */
static inline v16 gelu_slope_lanes(v16 x)
{
    const v16 density = v16_mul(gelu_bell(x), v16_set1(0.398942280f)), tail = gelu_tail(x);
    const v16 below = v16_select_above(x, v16_zero(), v16_sub(v16_set1(1.0f), tail), tail);
    return v16_fma(x, density, below);
}

#define SLOPE(name)                                                                                \
    static void name##_slope(float *x, size_t n)                                                   \
    {                                                                                              \
        each(x, n, name##_slope_lanes);                                                            \
    }
SLOPE(relu)
SLOPE(gelu)
SLOPE(swish)
SLOPE(gelu_tanh)
SLOPE(gelu_sigmoid)
SLOPE(tanh)
SLOPE(sigmoid)

static inline v16 cap_slope_lanes(v16 x, v16 most, bool relevance)
{
    const v16 share = v16_div(x, most);
    if (!relevance)
        return tanh_slope_lanes(share);
    const v16 ratio = v16_div(tanh_lanes(share), share);
    return v16_select_above(v16_abs(share), v16_zero(), ratio, v16_zero());
}

static void cap_slope(float *x, float most, bool relevance, size_t n)
{
    const v16 all = v16_set1(most);
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(x + i, cap_slope_lanes(v16_load(x + i), all, relevance));
    if (i < n)
        v16_store_part(x + i, n - i, cap_slope_lanes(v16_load_part(x + i, n - i), all, relevance));
}

/* Entmax. p^(1-a), and 0 for 0. */
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
