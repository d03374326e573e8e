/* Norms and means against double, and their bits. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

enum { ROWS = 37, LARGEST = 1030, SIZES = 6 }; // more than a warp keeps

static const int sizes[SIZES] = {1, 3, 17, 33, 129, 512};

struct norm_case {
    int rows, columns;
    bool residual, sum, rms;
    const float *x, *r, *gamma, *beta; // (rows, columns), (rows, columns + 2), (columns)
};

static float x[ROWS * LARGEST], residual[ROWS * (LARGEST + 2)], gamma_[LARGEST], beta[LARGEST];

/* y (rows, columns + 1), the column beside it NaN; then sum, where wanted. */
static void run_norm(struct ops *ops, void *out, const void *context)
{
    const struct norm_case *norm = context;
    const size_t rows = (size_t)norm->rows, d = (size_t)norm->columns, floats = sizeof(float);
    struct norm_args args = {.y = ops_floats(ops, rows * (d + 1)),
                             .x = ops_put(ops, norm->x, rows * d * floats),
                             .gamma = ops_put(ops, norm->gamma, d * floats),
                             .rms = norm->rms,
                             .ldy = norm->columns + 1,
                             .ldresidual = norm->columns + 2,
                             .eps = 1e-5f,
                             .rows = norm->rows,
                             .columns = norm->columns};
    if (!norm->rms)
        args.beta = ops_put(ops, norm->beta, d * floats);
    if (norm->residual)
        args.residual = ops_put(ops, norm->r, rows * (d + 2) * floats);
    if (norm->sum)
        args.sum = ops_floats(ops, rows * d);
    ops->backend->norm(ops->device, &args);
    ops_get(ops, out, args.y, rows * (d + 1) * floats);
    if (norm->sum)
        ops_get(ops, (float *)out + rows * (d + 1), args.sum, rows * d * floats);
}

static void expect_norm(const struct norm_case *norm, int m, double *y, double *sum)
{
    const int d = norm->columns;
    double mean = 0, variance = 0;
    for (int c = 0; c < d; c++) {
        sum[c] = (double)norm->x[m * d + c] + (norm->residual ? norm->r[m * (d + 2) + c] : 0);
        mean += norm->rms ? 0 : sum[c] / d;
    }
    for (int c = 0; c < d; c++)
        variance += (sum[c] - mean) * (sum[c] - mean) / d;
    for (int c = 0; c < d; c++)
        y[c] = (sum[c] - mean) / sqrt(variance + 1e-5f) * norm->gamma[c] +
               (norm->rms ? 0 : norm->beta[c]);
}

static struct norm_case norm_case_of(int number)
{
    ops_random_fill(x, ROWS * LARGEST, 3, 1);
    ops_random_fill(residual, ROWS * (LARGEST + 2), 3, 2);
    ops_random_fill(gamma_, LARGEST, 2, 3);
    ops_random_fill(beta, LARGEST, 1, 4);
    return (struct norm_case){.rows = ROWS,
                              .columns = sizes[number / 8],
                              .residual = number & 1,
                              .sum = number & 2,
                              .rms = number & 4,
                              .x = x,
                              .r = residual,
                              .gamma = gamma_,
                              .beta = beta};
}

static void norm_agrees_with_the_formula(void **state)
{
    static float out[ROWS * (2 * LARGEST + 1)];
    double y[LARGEST], sum[LARGEST];
    for (int number = 0; number < 8 * SIZES; number++) {
        struct norm_case norm = norm_case_of(number);
        const int d = norm.columns;
        struct ops ops;
        ops_open(&ops, NULL, 2);
        run_norm(&ops, out, &norm);
        ops_close(&ops);
        for (int m = 0; m < norm.rows; m++) {
            expect_norm(&norm, m, y, sum);
            ops_assert_close("y", out + m * (d + 1), y, (size_t)d, 4e-6);
            assert_true(isnan(out[m * (d + 1) + d]));
            if (norm.sum)
                ops_assert_close("sum", out + norm.rows * (d + 1) + m * d, sum, (size_t)d, 5e-7);
        }
    }
}

static void norm_has_the_same_bits_everywhere(void **state)
{
    for (int number = 0; number < 8 * SIZES; number++) {
        struct norm_case norm = norm_case_of(number);
        size_t columns = 2 * (size_t)norm.columns + 1;
        ops_same_everywhere(run_norm, &norm, (size_t)norm.rows * columns * sizeof(float));
    }
}

static void norm_of_a_row_has_the_same_bits_alone(void **state)
{
    static float all[ROWS * (2 * LARGEST + 1)], one[2 * LARGEST + 1];
    struct norm_case norm = norm_case_of(8 * 4 + 1);
    const int d = norm.columns;
    struct ops ops;
    ops_open(&ops, NULL, 2);
    run_norm(&ops, all, &norm);
    ops_close(&ops);
    for (int m = 0; m < ROWS; m++) {
        struct norm_case alone = norm;
        alone.rows = 1;
        alone.x += m * d;
        alone.r += m * (d + 2);
        ops_open(&ops, NULL, 1);
        run_norm(&ops, one, &alone);
        ops_close(&ops);
        ops_assert_same("y", one, all + m * (d + 1), (size_t)d * sizeof *one);
    }
}

/* As a pre-norm block uses it: the residual stream is updated where it lies. */
static void the_sum_may_be_the_residual_itself(void **state)
{
    enum { D = 33 };
    static float apart[ROWS * (2 * D + 1)], y[ROWS * D], stream[ROWS * D], packed[ROWS * D];
    struct norm_case norm = norm_case_of(0);
    norm.columns = D;
    norm.residual = norm.sum = true;
    struct ops ops;
    for (int m = 0; m < ROWS; m++)
        memcpy(packed + m * D, residual + m * (D + 2), D * sizeof *packed);
    ops_open(&ops, NULL, 1);
    run_norm(&ops, apart, &norm);
    struct tensor shared = ops_put(&ops, packed, sizeof packed);
    struct norm_args args = {.y = ops_floats(&ops, ROWS * D),
                             .sum = shared,
                             .x = ops_put(&ops, x, ROWS * D * sizeof *x),
                             .residual = shared,
                             .gamma = ops_put(&ops, gamma_, sizeof gamma_),
                             .beta = ops_put(&ops, beta, sizeof beta),
                             .ldy = D,
                             .ldresidual = D,
                             .eps = 1e-5f,
                             .rows = ROWS,
                             .columns = D};
    ops.backend->norm(ops.device, &args);
    ops_get(&ops, y, args.y, sizeof y);
    ops_get(&ops, stream, shared, sizeof stream);
    ops_close(&ops);
    ops_assert_same("sum", stream, apart + ROWS * (D + 1), sizeof stream);
    for (int m = 0; m < ROWS; m++)
        ops_assert_same("y", y + m * D, apart + m * (D + 1), D * sizeof *y);
}

/* As a norm of outputs is used. */
static void the_result_may_be_the_input_itself(void **state)
{
    static const int widths[] = {17, 33, 512, LARGEST};
    static float apart[ROWS * (LARGEST + 1)], y[ROWS * LARGEST];
    for (int number = 0; number < 8; number++) {
        struct norm_case norm = norm_case_of(0);
        const int d = norm.columns = widths[number / 2];
        const size_t bytes = (size_t)(ROWS * d) * sizeof *y;
        norm.rms = number & 1;
        struct ops ops;
        ops_open(&ops, NULL, 1);
        run_norm(&ops, apart, &norm);
        const struct tensor shared = ops_put(&ops, x, bytes);
        const struct norm_args args = {.y = shared,
                                       .x = shared,
                                       .gamma = ops_put(&ops, gamma_, sizeof gamma_),
                                       .beta = ops_put(&ops, beta, sizeof beta),
                                       .rms = norm.rms,
                                       .ldy = d,
                                       .eps = 1e-5f,
                                       .rows = ROWS,
                                       .columns = d};
        ops.backend->norm(ops.device, &args);
        ops_get(&ops, y, shared, bytes);
        ops_close(&ops);
        for (int m = 0; m < ROWS; m++)
            ops_assert_same("y", y + m * d, apart + m * (d + 1), (size_t)d * sizeof *y);
    }
}

static void mean_is_over_each_range_and_zero_over_none(void **state)
{
    enum { S = 4, D = 601, LDX = 603, LDY = 602 };
    const int32_t begin[S] = {0, 5, 5, 6}, end[S] = {5, 5, 6, 30};
    static float rows[30 * LDX], y[S * LDY];
    struct ops ops;
    ops_random_fill(rows, 30 * LDX, 2, 1);
    ops_open(&ops, NULL, 2);
    struct mean_args args = {.y = ops_floats(&ops, S * LDY),
                             .x = ops_put(&ops, rows, sizeof rows),
                             .ldy = LDY,
                             .ldx = LDX,
                             .begin = ops_put(&ops, begin, sizeof begin),
                             .end = ops_put(&ops, end, sizeof end),
                             .sentences = S,
                             .columns = D};
    ops.backend->mean(ops.device, &args);
    ops_get(&ops, y, args.y, sizeof y);
    ops_close(&ops);
    for (int b = 0; b < S; b++) {
        for (int c = 0; c < D; c++) {
            double expected = 0;
            for (int m = begin[b]; m < end[b]; m++)
                expected += (double)rows[m * LDX + c] / (end[b] - begin[b]);
            assert_true(fabs(y[b * LDY + c] - expected) < 1e-6);
        }
        assert_true(isnan(y[b * LDY + D]));
    }
}

/* Lane 0 reads four positions; lane 1 leaves it after two. */
enum { T = 4, M = 7, D = 4801 };
static const int32_t path[2][T] = {{0, 1, 2, 3}, {0, 1, 6, 7}};
static const int32_t lane[M] = {0, 0, 0, 1, 0, -1, 1}, pos[M] = {0, 1, 2, 2, 3, 0, 3};
static const int32_t slot[M] = {0, 1, 2, 6, 3, -1, 7};

static struct row_args path_rows(struct ops *ops)
{
    return (struct row_args){.rows = M,
                             .lane = ops_put(ops, lane, sizeof lane),
                             .pos = ops_put(ops, pos, sizeof pos),
                             .slot = ops_put(ops, slot, sizeof slot),
                             .path = ops_put(ops, path, sizeof path),
                             .positions = T};
}

/* x is 1, 2, 3, 4 and 10, 20. */
static void running_means_follow_the_path(void **state)
{
    const float values[M] = {1, 2, 3, 10, 4, 99, 20};
    const double expected[M] = {1, 1.5, 2, 13.0 / 3, 2.5, 0, 33.0 / 4};
    static float rows[M * D], y[M * D], sums[2 * T * D];
    struct ops ops;
    for (int i = 0; i < M * D; i++)
        rows[i] = values[i / D];
    for (int threads = 1; threads <= 3; threads++) {
        ops_open(&ops, NULL, threads);
        struct prefix_mean_args args = {.y = ops_floats(&ops, M * D),
                                        .sums = ops_floats(&ops, 2 * T * D),
                                        .x = ops_put(&ops, rows, sizeof rows),
                                        .ldy = D,
                                        .ldx = D,
                                        .rows = path_rows(&ops),
                                        .columns = D};
        ops.backend->prefix_mean(ops.device, &args);
        ops_get(&ops, y, args.y, sizeof y);
        ops_get(&ops, sums, args.sums, sizeof sums);
        ops_close(&ops);
        for (int i = 0; i < M * D; i++)
            if (lane[i / D] >= 0)
                assert_true(fabs(y[i] - expected[i / D]) < 1e-6);
        for (int c = 0; c < D; c++)
            assert_true(sums[3 * D + c] == 10 && sums[7 * D + c] == 33);
    }
}

/* The forget gate is 0.5, and 0 in the last column. */
static void recurrent_states_follow_the_path(void **state)
{
    const float values[M] = {8, -20, 4, 12, 4, 99, -40};
    const double states[M] = {4, -8, -2, 2, 1, 0, -19};
    static float rows[M * D], forget[M * D], y[M * D], stored[2 * T * D];
    struct ops ops;
    for (int i = 0; i < M * D; i++) {
        rows[i] = values[i / D];
        forget[i] = i % D == D - 1 ? 0 : 0.5f;
    }
    for (int threads = 1; threads <= 3; threads++) {
        ops_open(&ops, NULL, threads);
        struct recurrence_args args = {.y = ops_floats(&ops, M * D),
                                       .states = ops_floats(&ops, 2 * T * D),
                                       .x = ops_put(&ops, rows, sizeof rows),
                                       .f = ops_put(&ops, forget, sizeof forget),
                                       .rows = path_rows(&ops),
                                       .columns = D};
        ops.backend->recurrence(ops.device, &args);
        ops_get(&ops, y, args.y, sizeof y);
        ops_get(&ops, stored, args.states, sizeof stored);
        ops_close(&ops);
        for (int m = 0; m < M; m++)
            for (int c = 0; c < D && lane[m] >= 0; c++) {
                double expected = c == D - 1 ? values[m] : states[m];
                assert_true(fabs(stored[slot[m] * D + c] - expected) < 1e-6);
                assert_true(fabs(y[m * D + c] - fmax(expected, 0)) < 1e-6);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norm_agrees_with_the_formula),
        cmocka_unit_test(norm_has_the_same_bits_everywhere),
        cmocka_unit_test(norm_of_a_row_has_the_same_bits_alone),
        cmocka_unit_test(the_sum_may_be_the_residual_itself),
        cmocka_unit_test(the_result_may_be_the_input_itself),
        cmocka_unit_test(mean_is_over_each_range_and_zero_over_none),
        cmocka_unit_test(running_means_follow_the_path),
        cmocka_unit_test(recurrent_states_follow_the_path),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
