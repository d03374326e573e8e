/* The kernels of attention; a part of kernels_impl.h, which includes it.
 *
 * A row of attention has little work, one vector or a few per head, and each step waits for the
 * previous one. So heads that share their keys are interleaved: their chains are independent, and
 * each key is located once. A head's result has the same bits as when computed alone. */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    KEY_TILE = V16_LANES / 2, // keys whose addresses and partial sums are in registers at once
    HEAD_TILE = 4,            // heads, or vectors of one head, that are interleaved
};

/* Sixteen addresses do not fit into registers. Compilers would put them into vector registers, from
 * which an address is slower to read than from memory. */
#define STAY_IN_MEMORY(array) __asm__("" : "+m"(array))

static inline const float *set_row(const struct row_set *set, int j)
{
    return set->base + (size_t)set->rows[j] * set->ld;
}

/* parts[t] = dot_lanes(query, row[t] + column, size) except for the sign of a zero: the first
 * product is not added to 0. size >= 1 */
ALWAYS_INLINE void dots(v16 parts[KEY_TILE], const float *query, const float *const row[KEY_TILE],
                        size_t column, size_t size)
{
    const size_t first = size < V16_LANES ? size : V16_LANES;
    v16 q = first == V16_LANES ? v16_load(query) : v16_load_part(query, first);
    UNROLL
    for (int t = 0; t < KEY_TILE; t++) {
        const float *k = row[t] + column;
        parts[t] = v16_mul(q, first == V16_LANES ? v16_load(k) : v16_load_part(k, first));
    }
    size_t i = first;
    for (; i + V16_LANES <= size; i += V16_LANES) {
        q = v16_load(query + i);
        UNROLL
        for (int t = 0; t < KEY_TILE; t++)
            parts[t] = v16_fma(q, v16_load(row[t] + column + i), parts[t]);
    }
    if (i == size)
        return;
    q = v16_load_part(query + i, size - i);
    UNROLL
    for (int t = 0; t < KEY_TILE; t++)
        parts[t] = v16_fma(q, v16_load_part(row[t] + column + i, size - i), parts[t]);
}

/* The addresses of some keys from j on. The last key stands in for those past the end: that is
 * free, unlike a check for every key. */
ALWAYS_INLINE void find_rows(const float **row, const struct row_set *keys, int j, const int count)
{
    const int last = keys->count - 1;
    for (int t = 0; t < count; t++)
        row[t] = set_row(keys, j + t < last ? j + t : last);
}

/* Sixteen keys: their partial sums are joined by one transposing tree. */
ALWAYS_INLINE void scores_of_tile(float *out, size_t stride, const float *query,
                                  const struct row_set *keys, int j, float scale, size_t size)
{
    const float *row[V16_LANES];
    find_rows(row, keys, j, V16_LANES);
    for (int h = 0; h < keys->heads; h++) {
        const size_t column = (size_t)h * size;
        v16 parts[V16_LANES];
        STAY_IN_MEMORY(row);
        dots(parts, query + column, row, column, size);
        dots(parts + KEY_TILE, query + column, row + KEY_TILE, column, size);
        v16_store(out + (size_t)h * stride + j, v16_mul(v16_sums(parts), v16_set1(scale)));
    }
}

/* Eight keys or fewer: two heads share the tree. A head without a partner has its sums twice, which
 * halves the first step. */
ALWAYS_INLINE void scores_of_few(float *out, size_t stride, const float *query,
                                 const struct row_set *keys, int j, float scale, size_t size)
{
    const float *row[KEY_TILE];
    find_rows(row, keys, j, KEY_TILE);
    for (int h = 0; h < keys->heads; h += 2) {
        const size_t column = (size_t)h * size;
        const bool two = h + 1 < keys->heads;
        v16 parts[V16_LANES];
        float both[V16_LANES];
        dots(parts, query + column, row, column, size);
        if (two)
            dots(parts + KEY_TILE, query + column + size, row, column + size, size);
        else
            memcpy(parts + KEY_TILE, parts, sizeof parts / 2);
        v16_store(both, v16_mul(v16_sums(parts), v16_set1(scale)));
        memcpy(out + (size_t)h * stride + j, both, sizeof both / 2);
        if (two)
            memcpy(out + (size_t)(h + 1) * stride + j, both + KEY_TILE, sizeof both / 2);
    }
}

ALWAYS_INLINE void scores_of_size(float *out, size_t stride, const float *query,
                                  const struct row_set *keys, float scale, size_t size)
{
    for (int j = 0; j < keys->count; j += V16_LANES) {
        if (keys->count - j <= KEY_TILE)
            scores_of_few(out, stride, query, keys, j, scale, size);
        else
            scores_of_tile(out, stride, query, keys, j, scale, size);
    }
}

static void scores(float *out, size_t stride, const float *query, const struct row_set *keys,
                   float scale)
{
    if (keys->size == V16_LANES) // avoids loops over one vector
        scores_of_size(out, stride, query, keys, scale, V16_LANES);
    else
        scores_of_size(out, stride, query, keys, scale, (size_t)keys->size);
}

/* x[i …] of a row of n, and -inf past the end. */
static inline v16 load_scores(const float *x, int i, int n)
{
    const int left = n - i;
    v16 all = v16_load(x + i);
    return left >= V16_LANES ? all : v16_first_of((size_t)left, all, v16_set1(-INFINITY));
}

ALWAYS_INLINE void softmax_heads(float *x, size_t stride, int n, const int heads)
{
    v16 top[HEAD_TILE], total[HEAD_TILE];
    UNROLL
    for (int h = 0; h < heads; h++) {
        top[h] = v16_set1(-INFINITY);
        total[h] = v16_zero();
    }
    for (int i = 0; i < n; i += V16_LANES) {
        UNROLL
        for (int h = 0; h < heads; h++)
            top[h] = v16_max(load_scores(x + (size_t)h * stride, i, n), top[h]);
    }
    UNROLL
    for (int h = 0; h < heads; h++)
        top[h] = v16_set1(v16_highest(top[h]));
    for (int i = 0; i < n; i += V16_LANES) {
        UNROLL
        for (int h = 0; h < heads; h++) {
            v16 e = exp_lanes(v16_sub(load_scores(x + (size_t)h * stride, i, n), top[h]));
            v16_store(x + (size_t)h * stride + i, e);
            total[h] = v16_add(total[h], e);
        }
    }
    UNROLL
    for (int h = 0; h < heads; h++)
        total[h] = v16_set1(1.0f / v16_sum(total[h]));
    for (int i = 0; i < n; i += V16_LANES) {
        UNROLL
        for (int h = 0; h < heads; h++) {
            float *e = x + (size_t)h * stride + i;
            v16_store(e, v16_mul(v16_load(e), total[h]));
        }
    }
}

static void softmax(float *x, size_t stride, int heads, int n)
{
    int h = 0;
    for (; h + HEAD_TILE <= heads; h += HEAD_TILE)
        softmax_heads(x + (size_t)h * stride, stride, n, HEAD_TILE);
    for (; h < heads; h++)
        softmax_heads(x + (size_t)h * stride, stride, n, 1);
}

/* Columns `column` … of the sums, `parts` vectors of them, `vectors` of which belong to one head;
 * both are constants. */
ALWAYS_INLINE void weighted_columns(float *out, const float *weights, size_t stride,
                                    const struct row_set *set, size_t column, const int parts,
                                    const int vectors)
{
    v16 total[HEAD_TILE];
    UNROLL
    for (int p = 0; p < parts; p++)
        total[p] = v16_zero();
    for (int j = 0; j < set->count; j++) {
        const float *row = set_row(set, j) + column;
        UNROLL
        for (int p = 0; p < parts; p++)
            total[p] = v16_fma(v16_set1(weights[(size_t)(p / vectors) * stride + (size_t)j]),
                               v16_load(row + p * V16_LANES), total[p]);
    }
    UNROLL
    for (int p = 0; p < parts; p++)
        v16_store(out + column + p * V16_LANES, total[p]);
}

/* Columns begin … end-1, which are one head's. */
static void weighted_head(float *out, const float *weights, const struct row_set *set, size_t begin,
                          size_t end)
{
    size_t column = begin;
    for (; column + HEAD_TILE * V16_LANES <= end; column += HEAD_TILE * V16_LANES)
        weighted_columns(out, weights, 0, set, column, HEAD_TILE, HEAD_TILE);
    for (; column + V16_LANES <= end; column += V16_LANES)
        weighted_columns(out, weights, 0, set, column, 1, 1);
    if (column == end)
        return;
    v16 total = v16_zero();
    for (int j = 0; j < set->count; j++)
        total = v16_fma(v16_set1(weights[j]), v16_load_part(set_row(set, j) + column, end - column),
                        total);
    v16_store_part(out + column, end - column, total);
}

static void weighted_sum(float *out, const float *weights, size_t stride, const struct row_set *set)
{
    const size_t size = (size_t)set->size;
    int h = 0;
    for (; size == V16_LANES && h + HEAD_TILE <= set->heads; h += HEAD_TILE)
        weighted_columns(out, weights + (size_t)h * stride, stride, set, (size_t)h * size,
                         HEAD_TILE, 1);
    for (; size == 2 * V16_LANES && h + HEAD_TILE / 2 <= set->heads; h += HEAD_TILE / 2)
        weighted_columns(out, weights + (size_t)h * stride, stride, set, (size_t)h * size,
                         HEAD_TILE, 2);
    for (; h < set->heads; h++)
        weighted_head(out, weights + (size_t)h * stride, set, (size_t)h * size,
                      (size_t)(h + 1) * size);
}

/* Rows that share their values: if the sums of all fit into registers, each value is loaded
 * once. */

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

/* One function per number of rows, so that their sums stay in registers. */
#define SHARED_SUM(rows)                                                                           \
    static void shared_sum_##rows(float *out, size_t ldo, const float *weights, size_t stride,     \
                                  const struct row_set *values)                                    \
    {                                                                                              \
        shared_sum_of(out, ldo, weights, stride, values, rows);                                    \
    }
#define SHARED_SUMS_4 SHARED_SUM(1) SHARED_SUM(2) SHARED_SUM(3) SHARED_SUM(4)
#define SHARED_SUMS_8 SHARED_SUMS_4 SHARED_SUM(5) SHARED_SUM(6) SHARED_SUM(7) SHARED_SUM(8)
SHARED_SUMS_8

typedef void shared_sum_run(float *out, size_t ldo, const float *weights, size_t stride,
                            const struct row_set *values);

static void shared_sum(float *out, size_t ldo, const float *weights, size_t stride, int rows,
                       const struct row_set *values)
{
    static shared_sum_run *const runs[KERNEL_SHARING] = {shared_sum_1, shared_sum_2, shared_sum_3,
                                                         shared_sum_4, shared_sum_5, shared_sum_6,
                                                         shared_sum_7, shared_sum_8};
    if (V16_REGISTERS >= 32 && values->size % V16_LANES == 0) {
        runs[rows - 1](out, ldo, weights, stride, values);
        return;
    }
    for (int r = 0; r < rows; r++)
        weighted_sum(out + (size_t)r * ldo, weights + (size_t)(r * values->heads) * stride, stride,
                     values);
}

/* Entmax (Peters, Niculae and Martins 2019; Correia, Niculae and Martins 2019).
 *
 * With a = α - 1 from above 0 to 1, energies e and their greatest E, weights are
 *     p = max(0, 1 + a (e - E - s))^(1/a)
 * for the s >= 0 with which they sum to 1. As α approaches 1, s approaches log Σ exp(e - E), and p
 * approaches softmax, so nothing cancels in between. The sum S is convex in s, and dS/ds = -Σ
 * p^(1-a): from s = 0, where S >= 1, Newton's steps (S - 1) / Σ p^(1-a) never overshoot, and
 * converge. If S is far above 1, as near softmax, Newton's steps for S^a, which is also convex, are
 * longer. */

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
