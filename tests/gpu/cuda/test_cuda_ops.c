/* Products on a GPU in every precision, against double. Its other operations pass the tests of the
 * CPU's, which run on it a second time. */
#include <math.h>

#include "tests/gpu/activations.h"
#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

#define PUT(ops, array) ops_put(ops, array, sizeof(array))

enum { LARGEST = 129, PARTS = 3 };

struct product_case {
    int rows, k, n[PARTS], parts;
    enum dtype dtype;
    enum activation activation;
    bool bias, accumulate;
    enum precision precision;
};

enum { WEIGHTS = LARGEST * LARGEST };

static float x[LARGEST * (LARGEST + 3)], wide[PARTS][WEIGHTS];
static uint16_t narrow[PARTS][WEIGHTS];
static float bias[PARTS][LARGEST], before[LARGEST * (LARGEST + 2)];

/* Numbers that float16 and bfloat16 have, so that all dtypes mean the same weight. */
static void fill(void)
{
    uint64_t seed = 9;
    ops_random_fill(x, sizeof x / sizeof *x, 1, 1);
    ops_random_fill(before, sizeof before / sizeof *before, 1, 2);
    for (int p = 0; p < PARTS; p++) {
        ops_random_fill(bias[p], LARGEST, 1, 3 + (uint64_t)p);
        for (int i = 0; i < WEIGHTS; i++)
            wide[p][i] = roundf(ops_random(&seed, 64)) / 64;
    }
}

static uint16_t bf16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16); // nothing is lost
}

/* Of zero and of 1/64 … 1, all of which are normal numbers. */
static uint16_t f16_of(float value)
{
    int exponent;
    const float fraction = frexpf(fabsf(value), &exponent);
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (value == 0)
        return sign;
    return (uint16_t)(sign | (exponent + 14) << 10 | ((int)(fraction * 2048) & 0x3FF));
}

static double expected(const struct product_case *product, int part, int m, int n)
{
    const int ldx = product->k + 3, ldy = product->n[part] + 2;
    double y = product->accumulate ? before[m * ldy + n] : 0;
    for (int k = 0; k < product->k; k++)
        y += (double)x[m * ldx + k] * wide[part][n * product->k + k];
    return activation_expected(product->activation, y + (product->bias ? bias[part][n] : 0));
}

static struct weight *upload(struct ops *ops, const struct product_case *product, int part)
{
    const int count = product->n[part] * product->k;
    struct status status;
    struct weight_spec spec = {.data = narrow[part],
                               .dtype = product->dtype,
                               .n = product->n[part],
                               .k = product->k,
                               .use = WEIGHT_LINEAR};
    if (product->dtype == DTYPE_F32)
        spec.data = wide[part];
    for (int i = 0; i < count; i++)
        narrow[part][i] =
            product->dtype == DTYPE_F16 ? f16_of(wide[part][i]) : bf16_of(wide[part][i]);
    struct weight *weight = ops->backend->weight(ops->device, &spec, &status);
    if (!weight)
        fail_msg("%s", status.message);
    return weight;
}

static void check_product(struct ops *ops, const struct product_case *product, double tolerance)
{
    static float y[LARGEST * (LARGEST + 2)];
    struct weight *weights[PARTS];
    struct linear_args args[PARTS];
    struct tensor shared = PUT(ops, x);
    for (int p = 0; p < product->parts; p++) {
        weights[p] = upload(ops, product, p);
        args[p] = (struct linear_args){.y = PUT(ops, before),
                                       .x = shared,
                                       .ldy = product->n[p] + 2,
                                       .ldx = product->k + 3,
                                       .weight = weights[p],
                                       .activation = product->activation,
                                       .accumulate = product->accumulate,
                                       .rows = product->rows};
        if (product->bias)
            args[p].bias = PUT(ops, bias[p]);
    }
    ops->backend->linear(ops->device, args, product->parts);
    for (int p = 0; p < product->parts; p++) {
        const int ldy = product->n[p] + 2;
        ops_get(ops, y, args[p].y, sizeof y);
        for (int i = 0; i < LARGEST * ldy; i++) {
            const int m = i / ldy, n = i % ldy;
            const bool written = m < product->rows && n < product->n[p];
            const double want = written ? expected(product, p, m, n) : before[i];
            if (!(fabs(y[i] - want) <= (written ? tolerance : 0)))
                fail_msg("%d rows, K %d, N %d, dtype %d, activation %d: y[%d][%d] is %.9g, "
                         "expected %.9g",
                         product->rows, product->k, product->n[p], (int)product->dtype,
                         (int)product->activation, m, n, (double)y[i], want);
        }
        ops->backend->forget(ops->device, weights[p]);
    }
}

static const int sizes[] = {1, 3, 4, 8, 9, 17, 33, 129};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct product_case product_of(int number, enum precision precision)
{
    return (struct product_case){
        .rows = sizes[number % SIZES],
        .k = sizes[number * 5 / 2 % SIZES],
        .n = {sizes[(number + 3) % SIZES], sizes[number * 3 % SIZES], sizes[(number + 1) % SIZES]},
        .parts = 1 + number % PARTS,
        .dtype = (enum dtype)(number / 2 % 3),
        .activation = (enum activation)(number / 3 % ACTIVATION_COUNT),
        .bias = number % 5 != 0,
        .accumulate = number % 7 < 3,
        .precision = precision};
}

/* The error of a product of K factors that are at most 1, of which each is off by up to `unit`. One
 * device for all. */
static void check_products(enum precision precision, double unit)
{
    struct ops ops;
    fill();
    ops_open_plugin(&ops, &(struct device_spec){.precision = precision});
    for (int number = 0; number < 48; number++) {
        struct product_case product = product_of(number, precision);
        check_product(&ops, &product, 4e-6 + 2 * unit * product.k);
        ops_forget(&ops);
    }
    ops_close(&ops);
}

static void products_agree_with_the_formula(void **state)
{
    check_products(PRECISION_FP32, 1e-7);
}

static void products_of_narrower_factors_are_as_near_as_those(void **state)
{
    check_products(PRECISION_TF32, 0x1p-10); // cut off instead of rounded
    check_products(PRECISION_BF16, 0x1p-9);
}

/* Rows of a product of `rows`, whose weights are bfloat16's and whose other factors are not. */
static void product_rows(struct ops *ops, int rows, float *y)
{
    enum { K = 128, N = 33 };
    struct product_case product = {.k = K, .n = {N}, .dtype = DTYPE_F32};
    struct weight *weight = upload(ops, &product, 0);
    struct linear_args args = {.y = ops_floats(ops, LARGEST * N),
                               .x = PUT(ops, x),
                               .ldy = N,
                               .ldx = K,
                               .weight = weight,
                               .rows = rows};
    ops->backend->linear(ops->device, &args, 1);
    ops_get(ops, y, args.y, (size_t)rows * N * sizeof *y);
    ops->backend->forget(ops->device, weight);
    ops_forget(ops);
}

/* Few rows are computed by our own kernel, many by cuBLAS. Both must use the same factors, so that
 * what is shown of a translation comes from the arithmetic that found it. Rounding one of them
 * would give 100 times the error. */
static void few_rows_have_the_factors_of_many(void **state)
{
    static const enum precision precisions[] = {PRECISION_FP32, PRECISION_BF16};
    static float few[8 * 33], many[9 * 33];
    fill();
    for (int p = 0; p < 2; p++) {
        struct ops ops;
        ops_open_plugin(&ops, &(struct device_spec){.precision = precisions[p]});
        product_rows(&ops, 9, many);
        for (int rows = 1; rows <= 8; rows++) {
            product_rows(&ops, rows, few);
            for (int i = 0; i < rows * 33; i++)
                if (!(fabsf(few[i] - many[i]) <= 2e-5f))
                    fail_msg("precision %d, %d rows: y[%d] is %.9g, of 9 rows %.9g", p, rows, i,
                             (double)few[i], (double)many[i]);
        }
        ops_close(&ops);
    }
}

/* What TF32 makes of 1 + 3/4 of its unit, which it has not: cut off 1, rounded 1 + 1 unit. Told, as
 * bounds depend on it (test_golden.c). */
static void tf32_cuts_off_or_rounds(void **state)
{
    enum { ROWS = 16, SIDE = 16 };
    static const float unit = 0x1p-10f;
    struct ops ops;
    struct status status;
    float one[SIDE * SIDE] = {0}, near[ROWS * SIDE], y[ROWS * SIDE];
    for (int i = 0; i < SIDE; i++)
        one[i * SIDE + i] = 1;
    for (int i = 0; i < ROWS * SIDE; i++)
        near[i] = 1 + 0.75f * unit;
    ops_open_plugin(&ops, &(struct device_spec){.precision = PRECISION_TF32});
    struct weight *weight = ops.backend->weight(
        ops.device,
        &(struct weight_spec){
            .data = one, .dtype = DTYPE_F32, .n = SIDE, .k = SIDE, .use = WEIGHT_LINEAR},
        &status);
    if (!weight)
        fail_msg("%s", status.message);
    struct linear_args args = {.y = ops_floats(&ops, ROWS * SIDE),
                               .x = PUT(&ops, near),
                               .ldy = SIDE,
                               .ldx = SIDE,
                               .weight = weight,
                               .rows = ROWS};
    ops.backend->linear(ops.device, &args, 1);
    ops_get(&ops, y, args.y, sizeof y);
    for (int i = 0; i < ROWS * SIDE; i++)
        if (y[i] != y[0] || (y[0] != 1 && y[0] != 1 + unit && y[0] != near[0]))
            fail_msg("y[%d] is %.9g, y[0] %.9g", i, (double)y[i], (double)y[0]);
    print_message("tf32 factors are %s\n", y[0] == 1         ? "cut off"
                                           : y[0] == near[0] ? "exact"
                                                             : "rounded");
    ops.backend->forget(ops.device, weight);
    ops_close(&ops);
}

/* A feed-forward layer over the norm of x. */
struct layer {
    struct ops ops;
    struct weight *in, *out;
    struct tensor x, normed, ones, zeros, bias, hidden, y;
};

enum { LAYER_ROWS = 12, LAYER_D = 16, LAYER_UNITS = 64 };

/* Weights and biases are multiples of 1/8, which bfloat16 has. */
static void fill_eighths(float *values, size_t count, uint64_t seed)
{
    ops_random_fill(values, count, 1, seed);
    for (size_t i = 0; i < count; i++)
        values[i] = roundf(8 * values[i]) / 8;
}

static struct weight *eighths_weight(struct ops *ops, int n, int k, uint64_t seed)
{
    float values[LAYER_UNITS * LAYER_D];
    struct status status;
    fill_eighths(values, (size_t)n * (size_t)k, seed);
    struct weight *weight = ops->backend->weight(
        ops->device,
        &(struct weight_spec){
            .data = values, .dtype = DTYPE_F32, .n = n, .k = k, .use = WEIGHT_LINEAR},
        &status);
    if (!weight)
        fail_msg("%s", status.message);
    return weight;
}

static void layer_open(struct layer *layer)
{
    float ones[LAYER_D], zeros[LAYER_D] = {0}, biases[LAYER_UNITS], values[LAYER_ROWS * LAYER_D];
    struct ops *ops = &layer->ops;
    for (int i = 0; i < LAYER_D; i++)
        ones[i] = 1;
    ops_open_plugin(ops, &(struct device_spec){.precision = PRECISION_BF16});
    fill_eighths(biases, LAYER_UNITS, 31);
    ops_random_fill(values, LAYER_ROWS * LAYER_D, 1, 32);
    layer->in = eighths_weight(ops, LAYER_UNITS, LAYER_D, 33);
    layer->out = eighths_weight(ops, LAYER_D, LAYER_UNITS, 34);
    layer->x = PUT(ops, values);
    layer->ones = PUT(ops, ones);
    layer->zeros = PUT(ops, zeros);
    layer->bias = PUT(ops, biases);
    layer->normed = ops_floats(ops, LAYER_ROWS * LAYER_D);
    layer->hidden = ops_floats(ops, LAYER_ROWS * LAYER_UNITS);
    layer->y = ops_floats(ops, LAYER_ROWS * LAYER_D);
}

static void layer_close(struct layer *layer)
{
    layer->ops.backend->forget(layer->ops.device, layer->in);
    layer->ops.backend->forget(layer->ops.device, layer->out);
    ops_close(&layer->ops);
}

static void run_layer(struct layer *layer, bool consumed)
{
    const struct norm_args norm = {.y = layer->normed,
                                   .x = layer->x,
                                   .gamma = layer->ones,
                                   .beta = layer->zeros,
                                   .ldy = LAYER_D,
                                   .eps = 1e-6f,
                                   .rows = LAYER_ROWS,
                                   .columns = LAYER_D};
    const struct linear_args in = {.y = layer->hidden,
                                   .x = layer->normed,
                                   .ldy = LAYER_UNITS,
                                   .ldx = LAYER_D,
                                   .weight = layer->in,
                                   .bias = layer->bias,
                                   .activation = ACTIVATION_RELU,
                                   .consumed = consumed,
                                   .rows = LAYER_ROWS},
                             out = {.y = layer->y,
                                    .x = layer->hidden,
                                    .ldy = LAYER_D,
                                    .ldx = LAYER_UNITS,
                                    .weight = layer->out,
                                    .rows = LAYER_ROWS};
    layer->ops.backend->norm(layer->ops.device, &norm);
    layer->ops.backend->linear(layer->ops.device, &in, 1);
    layer->ops.backend->linear(layer->ops.device, &out, 1);
}

/* In bfloat16 they take half of their memory, and the rest of it stays unchanged. The layer's
 * results are the same. */
static void hidden_units_that_a_product_alone_reads_are_written_once(void **state)
{
    static float hidden[LAYER_ROWS * LAYER_UNITS], y[2][LAYER_ROWS * LAYER_D];
    for (int consumed = 0; consumed < 2; consumed++) {
        struct layer layer;
        struct device_info info;
        layer_open(&layer);
        run_layer(&layer, consumed);
        ops_get(&layer.ops, y[consumed], layer.y, sizeof *y);
        ops_get(&layer.ops, hidden, layer.hidden, sizeof hidden);
        layer.ops.backend->info(layer.ops.device, &info);
        if (!*info.unfinished) // cuBLAS has such products
            for (int i = LAYER_ROWS * LAYER_UNITS / 2; i < LAYER_ROWS * LAYER_UNITS; i++)
                assert_int_equal(isnan(hidden[i]), consumed);
        layer_close(&layer);
    }
    ops_assert_near("a layer", y[1], y[0], LAYER_ROWS * LAYER_D, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_the_formula),
        cmocka_unit_test(products_of_narrower_factors_are_as_near_as_those),
        cmocka_unit_test(few_rows_have_the_factors_of_many),
        cmocka_unit_test(tf32_cuts_off_or_rounds),
        cmocka_unit_test(hidden_units_that_a_product_alone_reads_are_written_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
