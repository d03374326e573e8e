/* Products by weights of 8 bits: what gpu/backend.h defines, and the same bits with every
 * instruction set, number of threads and batch. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

enum { MOST_PRODUCTS = 3, MOST_Y = 400 * 70 };

struct product_case {
    int rows, n, k;
    float activation; // 0: by the maximum of a row, or of a group
    bool shifted, biased, accumulate, factor;
    enum activation function;
    int group; // rows of a group; 0: none
    int products;
    bool damaged; // two rows have a value that is not finite
};

static const struct product_case cases[] = {
    {.rows = 1, .n = 16, .k = 32, .activation = 20, .products = 1},
    {.rows = 1, .n = 7, .k = 1, .activation = 3, .shifted = true, .biased = true, .products = 1},
    {.rows = 5, .n = 33, .k = 30, .shifted = true, .biased = true, .products = 3},
    {.rows = 13, .n = 70, .k = 65, .activation = 90, .shifted = true, .products = 2},
    {.rows = 13, .n = 70, .k = 65, .accumulate = true, .group = 5, .products = 1},
    {.rows = 14, .n = 17, .k = 259, .biased = true, .shifted = true, .group = 4, .products = 1},
    {.rows = 6, .n = 40, .k = 16, .biased = true, .function = ACTIVATION_RELU, .products = 1},
    {.rows = 7, .n = 24, .k = 18, .function = ACTIVATION_SWISH, .factor = true, .products = 1},
    {.rows = 5, .n = 33, .k = 30, .shifted = true, .products = 1, .damaged = true},
    {.rows = 5, .n = 9, .k = 70, .activation = 40, .products = 1, .damaged = true},
    {.rows = 400, .n = 48, .k = 20, .activation = 40, .shifted = true, .products = 1},
};

/* The operands of a case, of the host. */
struct operands {
    float *x, *bias, *before, *factor;
    int8_t *w; // (products, n, k)
    int32_t *group;
};

static size_t size_of(const struct product_case *of)
{
    return (size_t)of->rows * (size_t)of->n;
}

static float scale_of(int product)
{
    return 100.5F + 31 * (float)product;
}

/* Halves, values past 127, a row of zeros; weights of -127 … 127. */
static void operands_open(const struct product_case *of, struct operands *out)
{
    const size_t x = (size_t)of->rows * (size_t)of->k, w = (size_t)of->n * (size_t)of->k;
    uint64_t seed = 11;
    *out = (struct operands){.x = calloc(x, sizeof *out->x),
                             .bias = calloc((size_t)of->n, sizeof *out->bias),
                             .before = calloc(size_of(of), sizeof *out->before),
                             .factor = calloc(size_of(of), sizeof *out->factor),
                             .w = calloc(w, MOST_PRODUCTS),
                             .group = calloc((size_t)of->rows, sizeof *out->group)};
    ops_random_fill(out->x, x, 3, 5);
    ops_random_fill(out->bias, (size_t)of->n, 1, 6);
    ops_random_fill(out->before, size_of(of), 1, 7);
    ops_random_fill(out->factor, size_of(of), 1, 8);
    for (size_t i = 0; i < MOST_PRODUCTS * w; i++)
        out->w[i] = (int8_t)lrintf(ops_random(&seed, 127.4F));
    for (size_t i = 0; i < x && of->activation > 0; i += 3)
        out->x[i] = ((float)(i % 40) + 0.5F) / of->activation;
    for (int i = 0; i < of->k && of->rows > 3; i++)
        out->x[3 * of->k + i] = 0;
    if (of->damaged) {
        out->x[of->k + 3] = NAN;
        out->x[2 * of->k + of->k - 1] = -INFINITY;
    }
    for (int row = 0; row < of->rows && of->group; row++)
        out->group[row] = row / of->group;
}

static void operands_close(struct operands *operands)
{
    free(operands->x);
    free(operands->bias);
    free(operands->before);
    free(operands->factor);
    free(operands->w);
    free(operands->group);
}

/* The definition, with every operation of floats rounded by itself. -------------------------- */

static float by_of(const struct product_case *of, const struct operands *operands, int row)
{
    float most = 0;
    if (of->activation > 0)
        return of->activation;
    for (int r = 0; r < of->rows; r++)
        for (int i = 0; i < of->k; i++)
            if (of->group ? r / of->group == row / of->group : r == row)
                most = fmaxf(most, fabsf(operands->x[r * of->k + i]));
    return 127 / most;
}

static int quantised(float value)
{
    return isnan(value) || value < -127 ? -127 : value > 127 ? 127 : (int)nearbyint((double)value);
}

static float defined(const struct product_case *of, const struct operands *operands, int product,
                     int row, int column)
{
    const float by = by_of(of, operands, row), scale = scale_of(product);
    const int8_t *w = operands->w + ((size_t)product * (size_t)of->n + (size_t)column) * of->k;
    int64_t sum = 0, columns = 0;
    if (of->damaged && (row == 1 || row == 2))
        return NAN;
    for (int i = 0; i < of->k; i++) {
        const float value = operands->x[row * of->k + i] * by;
        sum += (int64_t)(quantised(value) + (of->shifted ? 127 : 0)) * w[i];
        columns += w[i];
    }
    const float bias = of->biased ? operands->bias[column] : 0;
    const float unshift = -((127 / by) * (127 / scale)) / 127,
                back = (float)sum * (1 / (by * scale));
    const float shift = (float)columns * unshift;
    float y = back + (of->shifted ? shift + bias : bias);
    if (of->accumulate)
        y = operands->before[row * of->n + column] + y;
    return of->function == ACTIVATION_RELU ? fmaxf(y, 0) : y;
}

/* The operation. ----------------------------------------------------------------------------- */

static struct weight *weight_of(struct ops *ops, const struct product_case *of,
                                const struct operands *operands, int product)
{
    struct status status;
    const struct weight_spec spec = {.data = operands->w +
                                             (size_t)product * (size_t)of->n * (size_t)of->k,
                                     .dtype = DTYPE_I8,
                                     .n = of->n,
                                     .k = of->k,
                                     .use = WEIGHT_LINEAR,
                                     .integers = {scale_of(product), of->activation, of->shifted}};
    struct weight *weight = ops->backend->weight(ops->device, &spec, &status);
    assert_non_null(weight);
    return weight;
}

/* Rows first … first + rows - 1. */
static void run_rows(struct ops *ops, float *out, const struct product_case *of, int first,
                     int rows)
{
    struct operands operands;
    struct linear_args args[MOST_PRODUCTS];
    const size_t bytes = size_of(of) * sizeof(float), y = (size_t)rows * (size_t)of->n;
    operands_open(of, &operands);
    for (int i = 0; i < of->products; i++) {
        args[i] = (struct linear_args){
            .y = ops_put(ops, operands.before + (size_t)first * (size_t)of->n, y * sizeof(float)),
            .ldy = of->n,
            .x = ops_put(ops, operands.x + (size_t)first * (size_t)of->k,
                         (size_t)rows * (size_t)of->k * sizeof(float)),
            .ldx = of->k,
            .weight = weight_of(ops, of, &operands, i),
            .activation = of->function,
            .accumulate = of->accumulate,
            .rows = rows};
        if (of->biased)
            args[i].bias = ops_put(ops, operands.bias, (size_t)of->n * sizeof(float));
        if (of->factor)
            args[i].factor = ops_put(ops, operands.factor, bytes);
        if (of->group)
            args[i].group = ops_put(ops, operands.group + first, (size_t)rows * sizeof(int32_t));
        args[i].x = args[0].x;
    }
    ops->backend->linear(ops->device, args, of->products);
    for (int i = 0; i < of->products; i++) {
        ops_get(ops, out + (size_t)i * y, args[i].y, y * sizeof(float));
        ops->backend->forget(ops->device, (struct weight *)args[i].weight);
    }
    operands_close(&operands);
}

static void run_case(struct ops *ops, void *out, const void *context)
{
    const struct product_case *of = context;
    run_rows(ops, out, of, 0, of->rows);
}

static void products_are_what_is_defined(void **state)
{
    float *y = calloc(MOST_PRODUCTS * MOST_Y, sizeof *y);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct product_case *of = &cases[c];
        struct operands operands;
        struct ops ops;
        if (of->function == ACTIVATION_SWISH)
            continue;
        operands_open(of, &operands);
        ops_open(&ops, "c", 1);
        run_case(&ops, y, of);
        for (int p = 0; p < of->products; p++)
            for (int row = 0; row < of->rows; row++)
                for (int n = 0; n < of->n; n++) {
                    const float is = y[(size_t)p * size_of(of) + (size_t)(row * of->n + n)];
                    const float wanted = defined(of, &operands, p, row, n);
                    if (!(is == wanted || (isnan(is) && isnan(wanted))))
                        fail_msg("case %zu, product %d, row %d, column %d: %.9g, expected %.9g", c,
                                 p, row, n, (double)is, (double)wanted);
                }
        ops_close(&ops);
        operands_close(&operands);
    }
    free(y);
}

static void every_instruction_set_and_number_of_threads_has_the_same_bits(void **state)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ops_same_everywhere(run_case, &cases[c],
                            (size_t)cases[c].products * size_of(&cases[c]) * sizeof(float));
}

static void a_row_has_the_same_bits_alone(void **state)
{
    float *all = calloc(MOST_Y, sizeof *all), *one = calloc(MOST_Y, sizeof *one);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct product_case *of = &cases[c];
        struct ops ops;
        if (of->products > 1 || of->factor)
            continue;
        const int rows = of->group ? of->group : 1;
        ops_open(&ops, NULL, 2);
        run_rows(&ops, all, of, 0, of->rows);
        ops_forget(&ops);
        const int last = (of->rows - 1) / rows * rows;
        run_rows(&ops, one, of, last, of->rows - last);
        assert_memory_equal(one, all + last * of->n, (size_t)((of->rows - last) * of->n) * 4);
        ops_close(&ops);
    }
    free(all);
    free(one);
}

static void log_probabilities_are_of_the_same_product(void **state)
{
    const struct product_case of = {.rows = 9, .n = 1601, .k = 24, .shifted = true, .products = 1};
    struct operands operands;
    struct ops ops;
    float apart[9], streamed[9];
    int32_t target[9];
    operands_open(&of, &operands);
    ops_open(&ops, NULL, 2);
    for (int row = 0; row < of.rows; row++)
        target[row] = row * 173 % of.n;
    struct linear_args product = {.y = ops_floats(&ops, size_of(&of)),
                                  .ldy = of.n,
                                  .x = ops_put(&ops, operands.x, (size_t)(of.rows * of.k) * 4),
                                  .ldx = of.k,
                                  .weight = weight_of(&ops, &of, &operands, 0),
                                  .rows = of.rows};
    struct logprob_args args = {.logits = product.y,
                                .target = ops_put(&ops, target, sizeof target),
                                .target_lp = ops_floats(&ops, 9),
                                .rows = of.rows,
                                .vocabulary = of.n};
    ops.backend->linear(ops.device, &product, 1);
    ops.backend->logprob(ops.device, &args);
    ops_get(&ops, apart, args.target_lp, sizeof apart);
    args.product = product;
    args.logits = args.product.y = (struct tensor){0};
    ops.backend->logprob(ops.device, &args);
    ops_get(&ops, streamed, args.target_lp, sizeof streamed);
    assert_memory_equal(apart, streamed, sizeof apart);
    ops.backend->forget(ops.device, (struct weight *)product.weight);
    ops_close(&ops);
    operands_close(&operands);
}

static void integers_that_cannot_be_multiplied_are_refused(void **state)
{
    struct ops ops;
    struct status status;
    struct weight_spec spec = {.dtype = DTYPE_I8, .n = 1, .k = 65537, .use = WEIGHT_LINEAR};
    ops_open(&ops, NULL, 1);
    assert_null(ops.backend->weight(ops.device, &spec, &status));
    assert_string_equal(status.message,
                        "weight: integers in 65537 columns, expected at most 65536");
    spec.k = 1;
    spec.use = WEIGHT_LINEAR | WEIGHT_TABLE;
    assert_null(ops.backend->weight(ops.device, &spec, &status));
    assert_string_equal(status.message, "weight: integers read by rows, expected floats");
    ops_close(&ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_what_is_defined),
        cmocka_unit_test(every_instruction_set_and_number_of_threads_has_the_same_bits),
        cmocka_unit_test(a_row_has_the_same_bits_alone),
        cmocka_unit_test(log_probabilities_are_of_the_same_product),
        cmocka_unit_test(integers_that_cannot_be_multiplied_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
