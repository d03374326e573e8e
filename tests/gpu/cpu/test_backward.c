/* Derivatives of operations on the CPU: products against `linear` with the transposed weight, to
 * the bit; norms and activations against formulas in double; and the same bits everywhere. What a
 * whole model gives is in tests/model/net/test_gradient.c. */
#include <math.h>

#include "tests/gpu/activations.h"
#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

/* Products ------------------------------------------------------------------------------------- */

struct product {
    int m, n, k;
    enum dtype dtype;
    bool accumulate;
};

/* Numbers that 16 bits hold as they are. */
static uint16_t narrow_of(enum dtype dtype, uint64_t *seed)
{
    const uint16_t sign = ops_random(seed, 1) > 0 ? 0x8000 : 0;
    const uint16_t fraction = (uint16_t)(32 * (1 + ops_random(seed, 1)));
    return sign | (dtype == DTYPE_F16 ? (uint16_t)(0x3800 + 16 * fraction)
                                      : (uint16_t)(0x3F00 + fraction));
}

/* A weight (N, K), or its transpose. */
static struct weight *weight_of(struct ops *ops, const struct product *product, bool transposed)
{
    const size_t size = product->dtype == DTYPE_F32 ? 4 : 2;
    const int n = product->n, k = product->k;
    char *data = calloc((size_t)n * (size_t)k, size);
    uint64_t seed = 5;
    struct status status;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const size_t at =
                transposed ? (size_t)j * (size_t)n + (size_t)i : (size_t)i * (size_t)k + (size_t)j;
            if (product->dtype == DTYPE_F32)
                ((float *)(void *)data)[at] = ops_random(&seed, 1);
            else
                ((uint16_t *)(void *)data)[at] = narrow_of(product->dtype, &seed);
        }
    const struct weight_spec spec = {.data = data,
                                     .dtype = product->dtype,
                                     .n = transposed ? k : n,
                                     .k = transposed ? n : k,
                                     .use = WEIGHT_LINEAR};
    struct weight *weight = ops->backend->weight(ops->device, &spec, &status);
    free(data);
    assert_non_null(weight);
    return weight;
}

/* dx (M, K + 1), the column beside it NaN unless there is something to add to; dy (M, N + 3). */
static void run_product(struct ops *ops, const struct product *product, bool transposed, void *out)
{
    const size_t m = (size_t)product->m, lddx = (size_t)product->k + 1;
    const size_t lddy = (size_t)product->n + 3;
    float *dy = malloc(m * lddy * sizeof *dy), *dx = malloc(m * lddx * sizeof *dx);
    ops_random_fill(dy, m * lddy, 1, 7);
    ops_random_fill(dx, m * lddx, 1, 8);
    struct tensor x = ops_put(ops, dy, m * lddy * sizeof *dy);
    struct tensor y = ops_put(ops, dx, m * lddx * sizeof *dx);
    struct weight *weight = weight_of(ops, product, transposed);
    const struct linear_args plain = {.y = y,
                                      .x = x,
                                      .ldy = (int)lddx,
                                      .ldx = (int)lddy,
                                      .weight = weight,
                                      .accumulate = product->accumulate,
                                      .rows = product->m};
    const struct linear_backward_args back = {.dx = y,
                                              .dy = x,
                                              .lddx = (int)lddx,
                                              .lddy = (int)lddy,
                                              .weight = weight,
                                              .accumulate = product->accumulate,
                                              .rows = product->m};
    if (transposed)
        ops->backend->linear(ops->device, &plain, 1);
    else
        ops->backend->linear_backward(ops->device, &back);
    ops_get(ops, out, y, m * lddx * sizeof *dx);
    ops->backend->forget(ops->device, weight);
    free(dy);
    free(dx);
}

static void run_back(struct ops *ops, void *out, const void *context)
{
    run_product(ops, context, false, out);
}

static const struct product products[] = {
    {1, 1, 1, DTYPE_F32, false},      {3, 17, 5, DTYPE_F32, true},
    {7, 33, 40, DTYPE_F16, false},    {13, 300, 129, DTYPE_BF16, true},
    {26, 600, 64, DTYPE_F32, false},  {41, 512, 256, DTYPE_F16, true},
    {130, 4200, 48, DTYPE_F32, true}, {9, 4100, 200, DTYPE_BF16, false},
    {400, 70, 96, DTYPE_F16, false},
};

static void products_have_the_bits_of_linear_with_the_transpose(void **state)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct product *product = &products[i];
        const size_t bytes = (size_t)product->m * (size_t)(product->k + 1) * sizeof(float);
        float *expected = malloc(bytes), *is = malloc(bytes);
        struct ops ops;
        ops_open(&ops, NULL, 2);
        run_product(&ops, product, true, expected);
        run_product(&ops, product, false, is);
        ops_assert_same("product", is, expected, bytes);
        ops_close(&ops);
        ops_same_everywhere(run_back, product, bytes);
        free(expected);
        free(is);
    }
}

/* Norms ---------------------------------------------------------------------------------------- */

enum { ROWS = 19, LARGEST = 130 };

struct norm_case {
    int columns;
    bool rms, residual;
};

static float z[ROWS * LARGEST], dy[ROWS * LARGEST], residual[ROWS * LARGEST], gamma_[LARGEST];

static void run_norm(struct ops *ops, void *out, const void *context)
{
    const struct norm_case *norm = context;
    const size_t d = (size_t)norm->columns, bytes = ROWS * d * sizeof(float);
    struct norm_backward_args args = {.dx = ops_floats(ops, ROWS * d),
                                      .dy = ops_put(ops, dy, bytes),
                                      .z = ops_put(ops, z, bytes),
                                      .gamma = ops_put(ops, gamma_, d * sizeof(float)),
                                      .rms = norm->rms,
                                      .lddy = norm->columns,
                                      .eps = 1e-5f,
                                      .rows = ROWS,
                                      .columns = norm->columns};
    if (norm->residual)
        args.residual = ops_put(ops, residual, bytes);
    ops->backend->norm_backward(ops->device, &args);
    ops_get(ops, out, args.dx, bytes);
}

/* By the definition: Σ_c y_c' ∂y_c/∂z_e, with u standardised and r = 1 / root:
 * ∂u_c/∂z_e = r (δ_ce - (1/n, not with rms) - u_c u_e / n). */
static void expect_norm(const struct norm_case *norm, int m, double *out)
{
    const int n = norm->columns;
    const float *row = z + m * n, *slopes = dy + m * n;
    double mean = 0, square = 0;
    for (int c = 0; c < n && !norm->rms; c++)
        mean += (double)row[c] / n;
    for (int c = 0; c < n; c++)
        square += (row[c] - mean) * (row[c] - mean) / n;
    const double r = 1 / sqrt(square + 1e-5f);
    for (int e = 0; e < n; e++) {
        out[e] = norm->residual ? residual[m * n + e] : 0;
        for (int c = 0; c < n; c++)
            out[e] += (double)slopes[c] * gamma_[c] * r *
                      ((c == e) - (norm->rms ? 0 : 1.0 / n) -
                       (row[c] - mean) * r * (row[e] - mean) * r / n);
    }
}

static void norms_agree_with_their_definition(void **state)
{
    static const struct norm_case cases[] = {{1, false, false},  {5, true, true},
                                             {16, false, true},  {33, true, false},
                                             {130, false, true}, {130, true, true}};
    static float is[ROWS * LARGEST];
    ops_random_fill(z, ROWS * LARGEST, 2, 1);
    ops_random_fill(dy, ROWS * LARGEST, 1, 2);
    ops_random_fill(residual, ROWS * LARGEST, 1, 3);
    ops_random_fill(gamma_, LARGEST, 2, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ops ops;
        double expected[LARGEST];
        ops_open(&ops, NULL, 1);
        run_norm(&ops, is, &cases[i]);
        ops_close(&ops);
        for (int m = 0; m < ROWS; m++) {
            expect_norm(&cases[i], m, expected);
            ops_assert_close("norm", is + m * cases[i].columns, expected, (size_t)cases[i].columns,
                             2e-4);
        }
        ops_same_everywhere(run_norm, &cases[i], ROWS * (size_t)cases[i].columns * sizeof(float));
    }
}

/* Activations ---------------------------------------------------------------------------------- */

enum { POINTS = 301 };

struct activation_case {
    enum activation activation;
    bool gated;
    float cap;
    bool relevance;
};

static float points[POINTS], slopes[POINTS], factors[POINTS];

/* dy, and the factor's derivatives behind it. */
static void run_activation(struct ops *ops, void *out, const void *context)
{
    const struct activation_case *given = context;
    struct activation_backward_args args = {.dy = ops_put(ops, slopes, sizeof slopes),
                                            .x = ops_put(ops, points, sizeof points),
                                            .activation = given->activation,
                                            .cap = given->cap,
                                            .relevance = given->relevance,
                                            .rows = 7,
                                            .columns = POINTS / 7};
    if (given->gated)
        args.factor = ops_put(ops, factors, sizeof factors);
    ops->backend->activation_backward(ops->device, &args);
    ops_get(ops, out, args.dy, sizeof slopes);
    if (given->gated)
        ops_get(ops, (float *)out + POINTS, args.factor, sizeof factors);
}

/* Differences in double of the activation's formula; beside the switching point of relu its slope
 * is that of one side. */
static double slope_of(enum activation activation, double x)
{
    const double step = 1e-6;
    return (activation_expected(activation, x + step) - activation_expected(activation, x - step)) /
           (2 * step);
}

static void activations_agree_with_differences(void **state)
{
    static float is[2 * POINTS];
    double expected[POINTS], by_factor[POINTS];
    for (int i = 0; i < POINTS; i++)
        points[i] = (float)(i - POINTS / 2) / 15 + 0.01f;
    ops_random_fill(slopes, POINTS, 1, 2);
    ops_random_fill(factors, POINTS, 2, 3);
    for (int i = 0; i < 2 * ACTIVATION_COUNT; i++) {
        const struct activation_case given = {.activation = (enum activation)(i / 2),
                                              .gated = i % 2};
        struct ops ops;
        ops_open(&ops, NULL, 1);
        run_activation(&ops, is, &given);
        ops_close(&ops);
        for (int p = 0; p < POINTS; p++) {
            expected[p] =
                slopes[p] * slope_of(given.activation, points[p]) * (given.gated ? factors[p] : 1);
            by_factor[p] = slopes[p] * activation_expected(given.activation, points[p]);
        }
        ops_assert_close("activation", is, expected, POINTS, 3e-6);
        if (given.gated)
            ops_assert_close("factor", is + POINTS, by_factor, POINTS, 1e-5);
        ops_same_everywhere(run_activation, &given, (given.gated ? 2 : 1) * sizeof slopes);
    }
}

/* cap tanh(x / cap): its slope, and what relevance takes of it, which at 0 is 0. */
static void caps_agree_with_their_formula(void **state)
{
    static float is[POINTS];
    double expected[POINTS];
    for (int i = 0; i < POINTS; i++)
        points[i] = (float)(i - POINTS / 2) / 15;
    ops_random_fill(slopes, POINTS, 1, 2);
    for (int i = 0; i < 4; i++) {
        const struct activation_case given = {.cap = i < 2 ? 0.5f : 30, .relevance = i % 2};
        const double cap = (double)given.cap;
        struct ops ops;
        ops_open(&ops, NULL, 1);
        run_activation(&ops, is, &given);
        ops_close(&ops);
        for (int p = 0; p < POINTS; p++) {
            const double x = (double)points[p], bounded = cap * tanh(x / cap);
            expected[p] = (double)slopes[p] * (!given.relevance ? 1 - pow(bounded / cap, 2)
                                               : x == 0         ? 0
                                                                : bounded / x);
        }
        ops_assert_close("cap", is, expected, POINTS, 1e-6);
        ops_same_everywhere(run_activation, &given, sizeof slopes);
    }
}

/* Everywhere far from 0, too. */
static void slopes_far_out_are_those_of_the_asymptotes(void **state)
{
    static const float far[] = {-1e30f, -1000, -90, 90, 1000, 1e30f};
    for (int i = 0; i < POINTS; i++) {
        points[i] = far[i % 6];
        slopes[i] = 1;
    }
    for (enum activation a = ACTIVATION_NONE; a < ACTIVATION_COUNT; a++) {
        static float is[POINTS];
        const struct activation_case given = {.activation = a};
        const bool flat = a == ACTIVATION_TANH || a == ACTIVATION_SIGMOID;
        struct ops ops;
        ops_open(&ops, NULL, 1);
        run_activation(&ops, is, &given);
        ops_close(&ops);
        for (int i = 0; i < POINTS; i++) {
            const double expected = a == ACTIVATION_NONE ? 1 : flat ? 0 : points[i] > 0;
            if (!(fabs(is[i] - expected) < 1e-6))
                fail_msg("activation %d: %g at %g, expected %g", a, (double)is[i],
                         (double)points[i], expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_bits_of_linear_with_the_transpose),
        cmocka_unit_test(norms_agree_with_their_definition),
        cmocka_unit_test(activations_agree_with_differences),
        cmocka_unit_test(caps_agree_with_their_formula),
        cmocka_unit_test(slopes_far_out_are_those_of_the_asymptotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
