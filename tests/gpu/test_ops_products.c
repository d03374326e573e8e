/* Products that are processed at once, into log-probabilities or by a factor, give the bits of one
 * step after the other; on a GPU, whose library may sum up either in another order, numbers within
 * NEAR of them. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

enum { TOPS = 10, MOST_ROWS = 800 };

/* Relative to 1 + the number: sums of up to 300 products, which are rounded in another order. */
static const double NEAR = 2e-5;

struct shape {
    int rows, vocabulary, k;
    enum dtype dtype;
    bool biased, equal; // equal: all tokens are equally likely, and many more than have room
    bool barred;        // rows of a search that may not end at first
    float cap;
};

/* For every row. */
struct report {
    int32_t id[MOST_ROWS][TOPS];
    float lp[MOST_ROWS][TOPS];
    float target[MOST_ROWS];
};

struct inputs {
    struct linear_args product;
    struct logprob_args logprob;
    struct search_state search;
};

static struct weight *weight_of(struct ops *ops, const struct shape *shape)
{
    const size_t count = (size_t)shape->vocabulary * (size_t)shape->k;
    struct status status;
    float *wide = calloc(count, sizeof *wide);
    uint16_t *narrow = calloc(count, sizeof *narrow);
    if (!shape->equal)
        ops_random_fill(wide, count, 2.0f, 5);
    for (size_t i = 0; i < count; i++) { // in steps of 1/8, which bfloat16 has
        const float rounded = roundf(8 * wide[i]) / 8;
        uint32_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        narrow[i] = (uint16_t)(bits >> 16);
    }
    const struct weight_spec spec = {.data = shape->dtype == DTYPE_F32 ? (void *)wide : narrow,
                                     .dtype = shape->dtype,
                                     .n = shape->vocabulary,
                                     .k = shape->k,
                                     .use = WEIGHT_LINEAR};
    struct weight *weight = ops->backend->weight(ops->device, &spec, &status);
    assert_non_null(weight);
    free(wide);
    free(narrow);
    return weight;
}

static struct tensor random_tensor(struct ops *ops, size_t count, uint64_t seed)
{
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    ops_random_fill(values, count, 1.0f, seed);
    struct tensor tensor = ops_put(ops, values, count * sizeof *values);
    free(values);
    return tensor;
}

static struct tensor targets(struct ops *ops, const struct shape *shape)
{
    int32_t target[MOST_ROWS];
    for (int m = 0; m < shape->rows; m++)
        target[m] = m % 7 == 3 ? -1 : m * 131 % shape->vocabulary;
    return ops_put(ops, target, (size_t)shape->rows * sizeof *target);
}

/* Every third lane has read one token more than may be the last but one. Rows have the lanes in
 * falling order; every eleventh is idle. */
static void bar_ends(struct ops *ops, const struct shape *shape, struct inputs *inputs)
{
    int32_t lanes[MOST_ROWS][LANE_FIELDS] = {0}, limit[MOST_ROWS], row_lane[MOST_ROWS];
    for (int m = 0; m < shape->rows; m++) {
        lanes[m][LANE_POS] = m % 3;
        limit[m] = 9;
        row_lane[m] = m % 11 == 5 ? -1 : shape->rows - 1 - m;
    }
    inputs->search =
        (struct search_state){.sentences = shape->rows,
                              .beam = 1,
                              .starts = 1,
                              .ends = {1, shape->vocabulary - 1, shape->vocabulary / 2},
                              .end_count = 3,
                              .min_length = 2,
                              .lane = ops_put(ops, lanes, (size_t)shape->rows * sizeof *lanes),
                              .limit = ops_put(ops, limit, (size_t)shape->rows * sizeof *limit)};
    inputs->logprob.row_lane = ops_put(ops, row_lane, (size_t)shape->rows * sizeof *row_lane);
    inputs->logprob.search = &inputs->search;
}

static struct inputs inputs_of(struct ops *ops, const struct shape *shape)
{
    const size_t rows = (size_t)shape->rows, vocabulary = (size_t)shape->vocabulary;
    uint8_t *excluded = calloc(vocabulary, 1);
    for (size_t i = 0; i < vocabulary; i += 3)
        excluded[i] = i % 2 == 0;
    struct inputs inputs = {.product = {.y = ops_floats(ops, rows * vocabulary),
                                        .x = random_tensor(ops, rows * (size_t)(shape->k + 3), 7),
                                        .ldy = shape->vocabulary,
                                        .ldx = shape->k + 3,
                                        .weight = weight_of(ops, shape),
                                        .cap = shape->cap,
                                        .rows = shape->rows},
                            .logprob = {.top_id = ops_floats(ops, rows * TOPS),
                                        .top_lp = ops_floats(ops, rows * TOPS),
                                        .target = targets(ops, shape),
                                        .target_lp = ops_floats(ops, rows),
                                        .excluded = ops_put(ops, excluded, vocabulary),
                                        .rows = shape->rows,
                                        .vocabulary = shape->vocabulary,
                                        .tops = TOPS}};
    if (shape->biased)
        inputs.product.bias = random_tensor(ops, vocabulary, 9);
    inputs.logprob.logits = inputs.product.y;
    free(excluded);
    return inputs;
}

static void read_result(struct ops *ops, const struct inputs *inputs, struct report *result)
{
    const size_t rows = (size_t)inputs->logprob.rows;
    memset(result, 0, sizeof *result);
    ops_get(ops, result->id, inputs->logprob.top_id, rows * sizeof *result->id);
    ops_get(ops, result->lp, inputs->logprob.top_lp, rows * sizeof *result->lp);
    ops_get(ops, result->target, inputs->logprob.target_lp, rows * sizeof *result->target);
}

/* The product first, and then the log-probabilities of what lies in memory. */
static struct report *result_apart(const struct shape *shape)
{
    struct report *result = malloc(sizeof *result);
    struct ops ops;
    assert_non_null(result);
    ops_open(&ops, NULL, 1);
    struct inputs inputs = inputs_of(&ops, shape);
    if (shape->barred)
        bar_ends(&ops, shape, &inputs);
    ops.backend->linear(ops.device, &inputs.product, 1);
    ops.backend->logprob(ops.device, &inputs.logprob);
    read_result(&ops, &inputs, result);
    ops.backend->forget(ops.device, (struct weight *)inputs.product.weight);
    ops_close(&ops);
    return result;
}

static void run_together(struct ops *ops, void *out, const void *context)
{
    const struct shape *shape = context;
    struct inputs inputs = inputs_of(ops, shape);
    if (shape->barred)
        bar_ends(ops, shape, &inputs);
    inputs.logprob.product = inputs.product;
    if (ops->backend->streams) {
        inputs.logprob.logits = inputs.logprob.product.y = (struct tensor){0};
    }
    ops->backend->logprob(ops->device, &inputs.logprob);
    read_result(ops, &inputs, out);
    ops->backend->forget(ops->device, (struct weight *)inputs.product.weight);
}

/* Tokens may change places whose log-probabilities are near each other; the last one, with any. */
static void check_ranks(const char *what, const struct report *is, const struct report *wanted,
                        int rows)
{
    for (int m = 0; m < rows; m++)
        for (int i = 0; i + 1 < TOPS; i++) {
            const float *lp = wanted->lp[m];
            const double bound = NEAR * (1 + fabs((double)lp[i]));
            const bool tied =
                (i > 0 && !(lp[i - 1] - lp[i] > bound)) || !(lp[i] - lp[i + 1] > bound);
            if (is->id[m][i] != wanted->id[m][i] && !tied)
                fail_msg("%s, row %d: token %d at place %d, expected %d", what, m, is->id[m][i],
                         i + 1, wanted->id[m][i]);
        }
}

static void check_report(const char *what, const struct report *is, const struct report *wanted,
                         int rows)
{
    if (!ops_on_plugin()) {
        ops_assert_same(what, is, wanted, sizeof *wanted);
        return;
    }
    ops_assert_near(what, is->lp[0], wanted->lp[0], (size_t)rows * TOPS, NEAR);
    ops_assert_near(what, is->target, wanted->target, (size_t)rows, NEAR);
    check_ranks(what, is, wanted, rows);
}

static void check_shape(const struct shape *shape)
{
    struct report *apart = result_apart(shape), *together = malloc(sizeof *together);
    char what[80];
    assert_non_null(together);
    ops_same_everywhere(run_together, shape, sizeof *together);
    struct ops ops;
    ops_open(&ops, NULL, 2);
    run_together(&ops, together, shape);
    ops_close(&ops);
    snprintf(what, sizeof what, "M %d, V %d, K %d", shape->rows, shape->vocabulary, shape->k);
    check_report(what, together, apart, shape->rows);
    free(apart);
    free(together);
}

static void a_product_has_the_log_probabilities_of_its_logits(void **state)
{
    static const struct shape shapes[] = {{1, 40, 16, DTYPE_F32, true, false, false, 0},
                                          {5, 400, 20, DTYPE_BF16, true, false, false, 0},
                                          {9, 384, 16, DTYPE_BF16, false, false, true, 0},
                                          {13, 385, 33, DTYPE_BF16, true, false, false, 0},
                                          {30, 1200, 16, DTYPE_F32, false, false, true, 0},
                                          {200, 1537, 24, DTYPE_BF16, true, false, false, 0},
                                          {5, 4001, 24, DTYPE_F16, true, false, true, 0},
                                          {12, 2000, 20, DTYPE_BF16, true, false, false, 0},
                                          {400, 800, 16, DTYPE_F32, true, false, true, 0},
                                          {790, 700, 300, DTYPE_BF16, true, false, true, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!ops_on_plugin() || shapes[i].rows < 100)
            check_shape(&shapes[i]);
}

static void a_capped_product_has_the_log_probabilities_of_its_logits(void **state)
{
    static const struct shape shapes[] = {{1, 40, 16, DTYPE_F32, true, false, false, 3},
                                          {9, 1600, 20, DTYPE_BF16, true, false, true, 0.5f},
                                          {40, 900, 16, DTYPE_F32, false, true, false, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(&shapes[i]);
}

static void run_linear(struct ops *ops, void *out, const void *context)
{
    const struct shape *shape = context;
    struct inputs inputs = inputs_of(ops, shape);
    ops->backend->linear(ops->device, &inputs.product, 1);
    ops_get(ops, out, inputs.product.y, (size_t)(shape->rows * shape->vocabulary) * sizeof(float));
    ops->backend->forget(ops->device, (struct weight *)inputs.product.weight);
}

/* What it is near is the uncapped product of the same device. */
static void a_cap_bounds_a_product(void **state)
{
    static const struct shape shapes[] = {{1, 40, 16, DTYPE_F32, true, false, false, 3},
                                          {5, 130, 20, DTYPE_BF16, false, false, false, 0.5f},
                                          {30, 97, 33, DTYPE_F32, true, false, false, 40},
                                          {64, 800, 16, DTYPE_BF16, true, false, false, 2}};
    static float is[64 * 800], plain[64 * 800];
    static double expected[64 * 800];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const size_t count = (size_t)(shapes[i].rows * shapes[i].vocabulary);
        const double cap = (double)shapes[i].cap;
        struct shape uncapped = shapes[i];
        uncapped.cap = 0;
        struct ops ops;
        ops_open(&ops, NULL, 2);
        run_linear(&ops, is, &shapes[i]);
        run_linear(&ops, plain, &uncapped);
        ops_close(&ops);
        for (size_t c = 0; c < count; c++)
            expected[c] = cap * tanh((double)plain[c] / cap);
        ops_assert_close("capped", is, expected, count, 1e-6 * (1 + cap));
        ops_same_everywhere(run_linear, &shapes[i], count * sizeof *is);
    }
}

/* Which of the best are told takes another look at all logits. */
static void equals_of_a_product_are_ranked_by_their_ids(void **state)
{
    static const struct shape shapes[] = {{1, 500, 16, DTYPE_F32, false, true, false, 0},
                                          {40, 900, 16, DTYPE_BF16, false, true, false, 0},
                                          {40, 900, 16, DTYPE_BF16, false, true, true, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(&shapes[i]);
}

/* Kernels that a plug-in starts for it, with the shortcuts of `list`. */
static size_t launches_with(const struct shape *shape, const char *list)
{
    struct device_info before, after;
    struct report *result = malloc(sizeof *result);
    struct ops ops;
    assert_non_null(result);
    setenv("ATTNSCOPE_CUDA", list, 1);
    ops_open(&ops, NULL, 1);
    ops.backend->info(ops.device, &before);
    run_together(&ops, result, shape);
    ops.backend->info(ops.device, &after);
    ops_close(&ops);
    unsetenv("ATTNSCOPE_CUDA");
    free(result);
    return after.launches - before.launches;
}

/* More rows than a plug-in computes the logits of at a time, where it does so in parts. */
static void a_product_in_parts_has_them_too(void **state)
{
    static const struct shape shape = {530, 24, 12, DTYPE_F32, true, false, true, 0};
    setenv("ATTNSCOPE_CUDA", "all", 1);
    check_shape(&shape);
    unsetenv("ATTNSCOPE_CUDA");
    if (ops_on_plugin())
        assert_true(launches_with(&shape, "logit-parts") > launches_with(&shape, "-logit-parts"));
}

/* y is (rows, vocabulary), with a gap of one column. */
struct gated_case {
    struct shape shape;
    enum activation activation;
    bool apart; // multiplied by the test
};

static void run_gated(struct ops *ops, void *out, const void *context)
{
    const struct gated_case *gated = context;
    const struct shape *shape = &gated->shape;
    const size_t rows = (size_t)shape->rows, n = (size_t)shape->vocabulary;
    float *factor = malloc(rows * n * sizeof *factor), *y = out;
    assert_non_null(factor);
    ops_random_fill(factor, rows * n, 2, 21);
    struct linear_args args = {.y = random_tensor(ops, rows * (n + 1), 22),
                               .x = random_tensor(ops, rows * (size_t)(shape->k + 3), 7),
                               .ldy = shape->vocabulary + 1,
                               .ldx = shape->k + 3,
                               .weight = weight_of(ops, shape),
                               .activation = gated->activation,
                               .rows = shape->rows};
    if (shape->biased)
        args.bias = random_tensor(ops, n, 9);
    if (!gated->apart)
        args.factor = ops_put(ops, factor, rows * n * sizeof *factor);
    ops->backend->linear(ops->device, &args, 1);
    ops_get(ops, y, args.y, rows * (n + 1) * sizeof *y);
    for (size_t i = 0; i < rows * n && gated->apart; i++)
        y[i / n * (n + 1) + i % n] *= factor[i];
    ops->backend->forget(ops->device, (struct weight *)args.weight);
    free(factor);
}

static void check_gated(const struct gated_case *gated)
{
    const size_t bytes =
        (size_t)gated->shape.rows * (size_t)(gated->shape.vocabulary + 1) * sizeof(float);
    float *at_once = malloc(bytes), *apart = malloc(bytes);
    struct gated_case steps = *gated;
    struct ops ops;
    char what[80];
    assert_true(at_once && apart);
    steps.apart = true;
    ops_open(&ops, NULL, 2);
    run_gated(&ops, at_once, gated);
    run_gated(&ops, apart, &steps);
    ops_close(&ops);
    snprintf(what, sizeof what, "M %d, N %d, K %d", gated->shape.rows, gated->shape.vocabulary,
             gated->shape.k);
    if (ops_on_plugin())
        ops_assert_near(what, at_once, apart, bytes / sizeof *apart, NEAR);
    else
        ops_assert_same(what, at_once, apart, bytes);
    ops_same_everywhere(run_gated, gated, bytes);
    free(at_once);
    free(apart);
}

static void a_factor_multiplies_what_is_activated(void **state)
{
    static const struct shape shapes[] = {{1, 40, 16, DTYPE_F32, true, false, false, 0},
                                          {5, 130, 20, DTYPE_BF16, true, false, false, 0},
                                          {13, 97, 33, DTYPE_BF16, true, false, false, 0},
                                          {30, 120, 300, DTYPE_F32, false, false, false, 0},
                                          {3, 1, 1, DTYPE_F16, false, false, false, 0},
                                          {400, 70, 270, DTYPE_BF16, true, false, false, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (enum activation a = ACTIVATION_NONE; a <= ACTIVATION_SWISH; a++)
            if (!ops_on_plugin() || shapes[i].rows < 100)
                check_gated(&(struct gated_case){shapes[i], a, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_has_the_log_probabilities_of_its_logits),
        cmocka_unit_test(a_capped_product_has_the_log_probabilities_of_its_logits),
        cmocka_unit_test(a_cap_bounds_a_product),
        cmocka_unit_test(equals_of_a_product_are_ranked_by_their_ids),
        cmocka_unit_test(a_product_in_parts_has_them_too),
        cmocka_unit_test(a_factor_multiplies_what_is_activated),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
