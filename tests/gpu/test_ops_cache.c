/* Products whose rows go to a cache too, and reads that the host does not wait for at once. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

#define PUT(ops, array) ops_put(ops, array, sizeof(array))

enum { ROWS = 33, K = 17, N = 70, SLOTS = 40 };

static float x[ROWS][K], w[N][K], bias[N];

/* relu(x wᵀ + bias). */
static double expected(int m, int n, bool with_bias)
{
    double sum = with_bias ? bias[n] : 0;
    for (int k = 0; k < K; k++)
        sum += (double)x[m][k] * w[n][k];
    return sum > 0 ? sum : 0;
}

/* Every third row is left out; the others go to slots in another order. */
static int slot_of(int m)
{
    return m % 3 == 2 ? -1 : SLOTS - 1 - m;
}

static void check_rows(int rows, bool with_bias)
{
    struct ops ops;
    struct status status;
    int32_t slots[ROWS];
    float y[ROWS][N], cache[SLOTS][N];
    ops_open(&ops, NULL, 2);
    for (int m = 0; m < ROWS; m++)
        slots[m] = slot_of(m);
    struct weight_spec spec = {.data = w, .dtype = DTYPE_F32, .n = N, .k = K, .use = WEIGHT_LINEAR};
    struct weight *weight = ops.backend->weight(ops.device, &spec, &status);
    assert_non_null(weight);
    struct linear_args args = {.y = ops_floats(&ops, sizeof y / sizeof(float)),
                               .x = PUT(&ops, x),
                               .ldy = N,
                               .ldx = K,
                               .weight = weight,
                               .activation = ACTIVATION_RELU,
                               .cache = ops_floats(&ops, sizeof cache / sizeof(float)),
                               .slot = PUT(&ops, slots),
                               .rows = rows};
    if (with_bias)
        args.bias = PUT(&ops, bias);
    ops.backend->linear(ops.device, &args, 1);
    ops_get(&ops, y, args.y, sizeof y);
    ops_get(&ops, cache, args.cache, sizeof cache);
    bool written[SLOTS] = {false};
    for (int m = 0; m < rows; m++) {
        for (int n = 0; n < N; n++)
            assert_true(fabs(y[m][n] - expected(m, n, with_bias)) <= 1e-5);
        if (slot_of(m) < 0)
            continue;
        ops_assert_same("a row of the cache", cache[slot_of(m)], y[m], sizeof y[m]);
        written[slot_of(m)] = true;
    }
    for (int slot = 0; slot < SLOTS; slot++)
        for (int n = 0; n < N; n++)
            assert_true(written[slot] || isnan(cache[slot][n]));
    ops.backend->forget(ops.device, weight);
    ops_close(&ops);
}

/* Checks a product whose y is needed besides the cache, or is not. */
static void check_cached(int rows, enum activation activation)
{
    struct ops ops;
    struct status status;
    int32_t slots[ROWS];
    float caches[2][SLOTS][N];
    ops_open(&ops, NULL, 2);
    for (int m = 0; m < ROWS; m++)
        slots[m] = slot_of(m);
    struct weight_spec spec = {.data = w, .dtype = DTYPE_F32, .n = N, .k = K, .use = WEIGHT_LINEAR};
    struct weight *weight = ops.backend->weight(ops.device, &spec, &status);
    assert_non_null(weight);
    for (int cached = 0; cached < 2; cached++) {
        struct linear_args args = {.y = ops_floats(&ops, ROWS * (N + 70)),
                                   .x = PUT(&ops, x),
                                   .ldy = N + 70,
                                   .ldx = K,
                                   .weight = weight,
                                   .bias = PUT(&ops, bias),
                                   .activation = activation,
                                   .cache = ops_floats(&ops, SLOTS * N),
                                   .slot = PUT(&ops, slots),
                                   .cached = cached,
                                   .rows = rows};
        ops.backend->linear(ops.device, &args, 1);
        ops_get(&ops, caches[cached], args.cache, sizeof caches[cached]);
    }
    ops_assert_same("a cache without y", caches[1], caches[0], sizeof caches[0]);
    ops.backend->forget(ops.device, weight);
    ops_close(&ops);
}

static void rows_of_products_are_in_their_slots_too(void **state)
{
    static const int rows[] = {1, 3, 8, 9, 17, ROWS};
    ops_random_fill(x[0], ROWS * K, 1, 1);
    ops_random_fill(w[0], N * K, 1, 2);
    ops_random_fill(bias, N, 1, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_rows(rows[i], true);
        check_rows(rows[i], false);
        for (enum activation a = ACTIVATION_NONE; a < ACTIVATION_COUNT; a++)
            check_cached(rows[i], a);
    }
}

static void an_answer_is_what_was_there_when_it_was_asked_for(void **state)
{
    struct ops ops;
    const int32_t values[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    int32_t got[4];
    ops_open(&ops, NULL, 1);
    struct tensor tensor = PUT(&ops, values[0]);
    ops.backend->ask(ops.device, tensor, sizeof got);
    ops.backend->put(ops.device, tensor, values[1], sizeof values[1]);
    ops.backend->ask(ops.device, tensor, sizeof got);
    ops.backend->put(ops.device, tensor, values[2], sizeof values[2]);
    for (int i = 0; i < 3; i++) {
        assert_true(ops.backend->answer(ops.device, got, sizeof got));
        ops_assert_same("answer", got, values[i], sizeof got);
        if (i == 0)
            ops.backend->ask(ops.device, tensor, sizeof got);
    }
    ops_close(&ops);
}

static void no_answer_while_cancelled_and_none_to_too_many(void **state)
{
    struct ops ops;
    struct status status;
    const int32_t value = 7;
    int32_t got;
    ops_open(&ops, NULL, 1);
    struct tensor tensor = ops_put(&ops, &value, sizeof value);
    ops.backend->ask(ops.device, tensor, sizeof got);
    ops.backend->cancel(ops.device, true);
    assert_false(ops.backend->answer(ops.device, &got, sizeof got));
    ops.backend->cancel(ops.device, false);
    for (int i = 0; i <= ASKED_MOST; i++)
        ops.backend->ask(ops.device, tensor, sizeof got);
    assert_false(ops.backend->check(ops.device, &status));
    assert_non_null(strstr(status.message, "asked for"));
    for (int i = 0; i < ASKED_MOST; i++)
        assert_true(ops.backend->answer(ops.device, &got, sizeof got));
    assert_int_equal(got, value);
    ops_close(&ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_products_are_in_their_slots_too),
        cmocka_unit_test(an_answer_is_what_was_there_when_it_was_asked_for),
        cmocka_unit_test(no_answer_while_cancelled_and_none_to_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
