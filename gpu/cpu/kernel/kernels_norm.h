/* The kernels of norms; a part of kernels_impl.h, which includes it. */

static inline float add_sum(float *z, const float *x, const float *y, size_t n)
{
    v16 total = v16_zero();
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES) {
        v16 both = v16_add(v16_load(x + i), v16_load(y + i));
        v16_store(z + i, both);
        total = v16_add(total, both);
    }
    if (i < n) {
        v16 both = v16_add(v16_load_part(x + i, n - i), v16_load_part(y + i, n - i));
        v16_store_part(z + i, n - i, both);
        total = v16_add(total, both);
    }
    return v16_sum(total);
}

static inline float square_sum(const float *x, float mean, size_t n)
{
    v16 total = v16_zero(), centre = v16_set1(mean);
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES) {
        v16 difference = v16_sub(v16_load(x + i), centre);
        total = v16_fma(difference, difference, total);
    }
    if (i < n) {
        float part[V16_LANES];
        v16_store(part, centre); // lanes past the end: mean - mean
        memcpy(part, x + i, (n - i) * sizeof *part);
        v16 difference = v16_sub(v16_load(part), centre);
        total = v16_fma(difference, difference, total);
    }
    return v16_sum(total);
}

static inline v16 standard_lanes(v16 x, const float moments[2], v16 gamma, v16 beta)
{
    v16 unit = v16_mul(v16_sub(x, v16_set1(moments[0])), v16_set1(moments[1]));
    return v16_fma(unit, gamma, beta);
}

static inline void standardise(float *y, const float *x, const float moments[2], const float *gamma,
                               const float *beta, size_t n)
{
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(y + i, standard_lanes(v16_load(x + i), moments, v16_load(gamma + i),
                                        v16_load(beta + i)));
    if (i < n)
        v16_store_part(y + i, n - i,
                       standard_lanes(v16_load_part(x + i, n - i), moments,
                                      v16_load_part(gamma + i, n - i),
                                      v16_load_part(beta + i, n - i)));
}

/* Writes z = x + residual, and returns its sum. */
static inline float row_sum(float *z, const struct norm_row *row, size_t n)
{
    if (row->residual)
        return add_sum(z, row->x, row->residual, n);
    if (z != row->x)
        memcpy(z, row->x, n * sizeof *z);
    return v16_sum(sum_lanes(z, n));
}

static void norm(float *y, float *z, const struct norm_row *row, size_t n)
{
    const float mean = row_sum(z, row, n) / (float)n;
    const float variance = square_sum(z, mean, n) / (float)n;
    const float moments[2] = {mean, 1.0f / sqrtf(variance + row->eps)};
    standardise(y, z, moments, row->gamma, row->beta, n);
}

static inline v16 scaled_lanes(v16 x, v16 factor, v16 gamma)
{
    return v16_mul(v16_mul(x, factor), gamma);
}

static void rms_norm(float *y, float *z, const struct norm_row *row, size_t n)
{
    row_sum(z, row, n); // only for z; a row is short, so its sum costs little
    const v16 factor = v16_set1(1.0f / sqrtf(square_sum(z, 0, n) / (float)n + row->eps));
    const float *gamma = row->gamma;
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(y + i, scaled_lanes(v16_load(z + i), factor, v16_load(gamma + i)));
    if (i < n)
        v16_store_part(
            y + i, n - i,
            scaled_lanes(v16_load_part(z + i, n - i), factor, v16_load_part(gamma + i, n - i)));
}
