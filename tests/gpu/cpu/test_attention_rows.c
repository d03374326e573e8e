/* Attention of many rows that share their keys, with learned heads: each row must have the same
 * bits as by itself. */
#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

enum { ROWS = 40, HEADS = 4, KEYS = 37, HEAD_MOST = 48, WIDTH = HEADS * HEAD_MOST };

/* Rows begin … begin+rows-1 of a call in which the first OWN share a range, and the others
 * another. */
struct case_of {
    int head_dim, begin, rows;
    enum mask mask;
};

enum { OWN = 23 };

static struct tensor put_ints(struct ops *ops, const int32_t *values, int count)
{
    return ops_put(ops, values, (size_t)count * sizeof *values);
}

static struct tensor put_heads(struct ops *ops, enum mask mask)
{
    struct head heads[HEADS] = {{0}};
    for (int h = 0; h < HEADS; h++)
        heads[h] = (struct head){.energy = ENERGY_LEARNED, .mask = (uint8_t)mask, .window = 4};
    return ops_put(ops, heads, sizeof heads);
}

static struct tensor put_random(struct ops *ops, int rows, int begin, uint64_t seed)
{
    static float values[ROWS * WIDTH];
    ops_random_fill(values, ROWS * WIDTH, 1, seed);
    return ops_put(ops, values + (size_t)begin * WIDTH, (size_t)rows * WIDTH * sizeof *values);
}

/* Outputs of the rows, and all of their weights. */
static void run(struct ops *ops, const struct case_of *given, float *o, float *weights)
{
    static const int all[HEADS] = {0, 1, 2, 3};
    int32_t begin[ROWS], end[ROWS], position[ROWS];
    const int rows = given->rows, size = HEADS * given->head_dim;
    for (int m = 0; m < rows; m++) {
        position[m] = given->begin + m;
        begin[m] = given->begin + m < OWN ? 0 : 5;
        end[m] = given->begin + m < OWN ? KEYS - 6 : KEYS;
    }
    const struct attention_args args = {.o = ops_floats(ops, (size_t)(rows * size)),
                                        .q = put_random(ops, rows, given->begin, 1),
                                        .k = put_random(ops, KEYS, 0, 2),
                                        .v = put_random(ops, KEYS, 0, 3),
                                        .ldq = WIDTH,
                                        .ldk = WIDTH,
                                        .ldv = WIDTH,
                                        .heads = HEADS,
                                        .head_dim = given->head_dim,
                                        .learned = all,
                                        .keys = KEYS_RANGE,
                                        .rows = {.rows = rows},
                                        .begin = put_ints(ops, begin, rows),
                                        .end = put_ints(ops, end, rows),
                                        .position = put_ints(ops, position, rows),
                                        .table = put_heads(ops, given->mask),
                                        .weights = ops_floats(ops, (size_t)(HEADS * rows * KEYS)),
                                        .captured = all,
                                        .ldweights = KEYS};
    ops->backend->attention(ops->device, &args);
    ops_get(ops, o, args.o, (size_t)(rows * size) * sizeof *o);
    ops_get(ops, weights, args.weights, (size_t)(HEADS * rows * KEYS) * sizeof *weights);
}

static void run_alone(const struct case_of *given, int threads, float *o, float *weights)
{
    struct ops ops;
    ops_open(&ops, NULL, threads);
    run(&ops, given, o, weights);
    ops_close(&ops);
}

static void check(struct case_of given, int threads)
{
    static float all_o[ROWS * WIDTH], all_weights[HEADS * ROWS * KEYS];
    float o[WIDTH], weights[HEADS * KEYS];
    const size_t size = (size_t)(HEADS * given.head_dim);
    given.rows = ROWS;
    run_alone(&given, threads, all_o, all_weights);
    for (int m = 0; m < ROWS; m++) {
        const struct case_of one = {given.head_dim, m, 1, given.mask};
        run_alone(&one, 1, o, weights);
        assert_memory_equal(o, all_o + (size_t)m * size, size * sizeof *o);
        for (int h = 0; h < HEADS; h++)
            assert_memory_equal(weights + h * KEYS, all_weights + (h * ROWS + m) * KEYS,
                                KEYS * sizeof *weights);
    }
}

static void rows_that_share_their_keys_have_the_bits_that_they_have_alone(void **state)
{
    static const int sizes[] = {16, 20, 32, HEAD_MOST};
    static const enum mask masks[] = {MASK_GLOBAL, MASK_LOCAL};
    for (int s = 0; s < 4; s++)
        for (int m = 0; m < 2; m++)
            for (int threads = 1; threads <= 3; threads++)
                check((struct case_of){.head_dim = sizes[s], .mask = masks[m]}, threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_share_their_keys_have_the_bits_that_they_have_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
