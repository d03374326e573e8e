/* The kernels of attention for rows that share their keys; a part of kernels_impl.h, which includes it.
 *
 * Sixteen keys are transposed once for all rows. Then a row's scores of all sixteen advance together by one
 * multiply-add an element, and need not be joined across lanes. */

ALWAYS_INLINE void keys_load(v16 keys[V16_LANES], const float *const row[V16_LANES], size_t at,
                             size_t width)
{
    if (width == V16_LANES) {
        UNROLL
        for (int t = 0; t < V16_LANES; t++)
            keys[t] = v16_load(row[t] + at);
    } else {
        for (int t = 0; t < V16_LANES; t++)
            keys[t] = v16_load_part(row[t] + at, width);
    }
}

/* sum[r] += `width` elements of query r by those of sixteen keys. */
ALWAYS_INLINE void shared_advance(v16 sum[KERNEL_SHARING], const float *query, size_t ldq,
                                  const v16 keys[V16_LANES], size_t width, const int rows)
{
    if (width == V16_LANES) {
        UNROLL
        for (int c = 0; c < V16_LANES; c++) {
            UNROLL
            for (int r = 0; r < rows; r++)
                sum[r] = v16_fma(v16_set1(query[(size_t)r * ldq + (size_t)c]), keys[c], sum[r]);
        }
        return;
    }
    float element[V16_LANES][V16_LANES];
    for (int c = 0; c < V16_LANES; c++)
        v16_store(element[c], keys[c]);
    for (size_t c = 0; c < width; c++) {
        UNROLL
        for (int r = 0; r < rows; r++)
            sum[r] = v16_fma(v16_set1(query[(size_t)r * ldq + c]), v16_load(element[c]), sum[r]);
    }
}

/* One head of sixteen keys: out[r * row_stride …] */
ALWAYS_INLINE void shared_tile(float *out, size_t row_stride, const float *query, size_t ldq,
                               const float *const row[V16_LANES], size_t column, size_t size,
                               float scale, const int rows)
{
    v16 sum[KERNEL_SHARING];
    UNROLL
    for (int r = 0; r < rows; r++)
        sum[r] = v16_zero();
    for (size_t i = 0; i < size; i += V16_LANES) {
        const size_t width = size - i < V16_LANES ? size - i : V16_LANES;
        v16 keys[V16_LANES];
        keys_load(keys, row, column + i, width);
        v16_transpose(keys);
        shared_advance(sum, query + i, ldq, keys, width, rows);
    }
    UNROLL
    for (int r = 0; r < rows; r++)
        v16_store(out + (size_t)r * row_stride, v16_mul(sum[r], v16_set1(scale)));
}

/* Past the last key it stands in for those that are missing. */
ALWAYS_INLINE void shared_scores_of(float *out, size_t stride, const float *query, size_t ldq,
                                    const struct row_set *keys, float scale, const int rows)
{
    const int last = keys->count - 1;
    const size_t size = (size_t)keys->size;
    for (int j = 0; j < keys->count; j += V16_LANES) {
        const float *row[V16_LANES];
        for (int t = 0; t < V16_LANES; t++)
            row[t] = set_row(keys, j + t < last ? j + t : last);
        for (int h = 0; h < keys->heads; h++) {
            const size_t column = (size_t)h * size;
            STAY_IN_MEMORY(row);
            shared_tile(out + (size_t)h * stride + j, (size_t)keys->heads * stride, query + column,
                        ldq, row, column, size, scale, rows);
        }
    }
}

/* `vectors` vectors of every row's output from `column` on, `weights` of one for each of them. */
ALWAYS_INLINE void shared_columns(float *out, size_t ldo, const float *const weights[2],
                                  size_t row_stride, const struct row_set *values, size_t column,
                                  const int vectors, const int rows)
{
    v16 sum[2][KERNEL_SHARING];
    UNROLL
    for (int p = 0; p < vectors; p++) {
        UNROLL
        for (int r = 0; r < rows; r++)
            sum[p][r] = v16_zero();
    }
    for (int j = 0; j < values->count; j++) {
        const float *row = set_row(values, j) + column;
        UNROLL
        for (int p = 0; p < vectors; p++) {
            const v16 value = v16_load(row + p * V16_LANES);
            UNROLL
            for (int r = 0; r < rows; r++)
                sum[p][r] = v16_fma(v16_set1(weights[p][(size_t)r * row_stride + (size_t)j]), value,
                                    sum[p][r]);
        }
    }
    UNROLL
    for (int p = 0; p < vectors; p++) {
        UNROLL
        for (int r = 0; r < rows; r++)
            v16_store(out + (size_t)r * ldo + column + p * V16_LANES, sum[p][r]);
    }
}

ALWAYS_INLINE void shared_sum_of(float *out, size_t ldo, const float *weights, size_t stride,
                                 const struct row_set *values, const int rows)
{
    const size_t size = (size_t)values->size, end = (size_t)values->heads * size;
    const size_t row_stride = (size_t)values->heads * stride;
    size_t column = 0;
    for (; column + 2 * V16_LANES <= end; column += 2 * V16_LANES) {
        const float *two[2] = {weights + column / size * stride,
                               weights + (column + V16_LANES) / size * stride};
        shared_columns(out, ldo, two, row_stride, values, column, 2, rows);
    }
    const float *one[2] = {weights + column / size * stride, NULL};
    if (column < end)
        shared_columns(out, ldo, one, row_stride, values, column, 1, rows);
}

/* One function for every number of rows, so that their sums stay in registers. */
#define SHARED(rows)                                                                               \
    static void shared_scores_##rows(float *out, size_t stride, const float *query, size_t ldq,    \
                                     const struct row_set *keys, float scale)                      \
    {                                                                                              \
        shared_scores_of(out, stride, query, ldq, keys, scale, rows);                              \
    }                                                                                              \
    static void shared_sum_##rows(float *out, size_t ldo, const float *weights, size_t stride,     \
                                  const struct row_set *values)                                    \
    {                                                                                              \
        shared_sum_of(out, ldo, weights, stride, values, rows);                                    \
    }

SHARED(1)
SHARED(2) SHARED(3) SHARED(4) SHARED(5) SHARED(6) SHARED(7) SHARED(8)

    static void shared_scores(float *out, size_t stride, const float *query, size_t ldq, int rows,
                              const struct row_set *keys, float scale)
{
    static void (*const of[])(float *, size_t, const float *, size_t, const struct row_set *,
                              float) = {shared_scores_1, shared_scores_2, shared_scores_3,
                                        shared_scores_4, shared_scores_5, shared_scores_6,
                                        shared_scores_7, shared_scores_8};
    of[rows - 1](out, stride, query, ldq, keys, scale);
}

/* Heads of whole vectors; others row by row. */
static void shared_sum(float *out, size_t ldo, const float *weights, size_t stride, int rows,
                       const struct row_set *values)
{
    static void (*const of[])(float *, size_t, const float *, size_t, const struct row_set *) = {
        shared_sum_1, shared_sum_2, shared_sum_3, shared_sum_4,
        shared_sum_5, shared_sum_6, shared_sum_7, shared_sum_8};
    if (values->size % V16_LANES == 0) {
        of[rows - 1](out, ldo, weights, stride, values);
        return;
    }
    for (int r = 0; r < rows; r++)
        weighted_sum(out + (size_t)r * ldo, weights + (size_t)(r * values->heads) * stride, stride,
                     values);
}
