/* The linear operation of the CPU: every element is one chain of fused multiply-adds, to the bit,
 * for every shape, instruction set and number of threads. Expected values: the plainest loop's. */
#include <math.h>

#include "tests/gpu/activations.h"
#include "tests/gpu/cpu/linear_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

/* Solves the problem on every machine, or on every `step`-th from `first` on. */
static void expect_solved_on(struct problem problem, int first, int step)
{
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    problem_open(&problem);
    for (int i = first; i < count; i += step)
        expect_solved(&machines[i], &problem);
    problem_close(&problem);
    machines_close(machines, count);
}

static void expect_solved_everywhere(struct problem problem)
{
    expect_solved_on(problem, 0, 1);
}

static void every_small_shape_gives_the_bits_of_the_plain_loop(void **state)
{
    static const int sizes[] = {1, 2, 3, 5, 12, 13, 17, 33, 64, 65, 129};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    for (int i = 0; i < SIZES * SIZES * SIZES; i++) {
        struct problem problem = {.m = sizes[i % SIZES],
                                  .n = sizes[i / SIZES % SIZES],
                                  .k = sizes[i / SIZES / SIZES],
                                  .dtype = (enum dtype)(i / 2 % 3),
                                  .with_bias = i % 2,
                                  .accumulate = i % 3 == 0,
                                  .activation = i % 5 ? ACTIVATION_NONE : ACTIVATION_RELU};
        problem.ldx = problem.k + i % 4;
        problem.ldy = problem.n + i % 7;
        problem_open(&problem);
        expect_solved(&machines[i % count], &problem);
        expect_solved(&machines[(i + 1 + i / count % (count - 1)) % count], &problem);
        problem_close(&problem);
    }
    machines_close(machines, count);
}

/* Slices of K, chunks of rows, strips of all widths, tasks for several threads. Every shape is for
 * some machines, and every machine for some shapes, unless all are wanted. */
static void large_shapes_give_the_bits_of_the_plain_loop_on_every_machine(void **state)
{
    static const struct {
        int m, n, k;
        enum dtype dtype;
    } shapes[] = {
        {1, 3000, 400, DTYPE_F32},  {2, 1000, 600, DTYPE_F16},   {3, 32000, 33, DTYPE_BF16},
        {12, 300, 1025, DTYPE_F32}, {13, 257, 700, DTYPE_F16},   {25, 1000, 256, DTYPE_BF16},
        {97, 65, 2049, DTYPE_F32},  {145, 120, 1024, DTYPE_F16}, {320, 70, 513, DTYPE_BF16},
        {600, 31, 257, DTYPE_F32},  {1, 1, 5000, DTYPE_F16},     {1000, 1, 64, DTYPE_BF16},
        {13, 1620, 300, DTYPE_F32}, {161, 820, 300, DTYPE_F16},  {401, 850, 60, DTYPE_BF16},
        {25, 250, 300, DTYPE_F16},  {67, 250, 300, DTYPE_BF16},  {161, 250, 300, DTYPE_F16},
        {330, 130, 96, DTYPE_BF16}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct problem problem = {.m = shapes[i].m,
                                  .n = shapes[i].n,
                                  .k = shapes[i].k,
                                  .dtype = shapes[i].dtype,
                                  .with_bias = true,
                                  .accumulate = i % 2,
                                  .activation = i % 4 ? ACTIVATION_NONE : ACTIVATION_RELU};
        problem.ldx = problem.k + 5;
        problem.ldy = problem.n + 3;
        const int step = rounds_of(3, 1);
        expect_solved_on(problem, (int)i % step, step);
    }
}

static void narrow_weights_count_with_their_exact_values(void **state)
{
    static const enum dtype dtypes[] = {DTYPE_F16, DTYPE_BF16};
    static const int rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 30};
    for (size_t d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            expect_solved_everywhere((struct problem){
                .m = rows[i], .n = 45, .k = 300, .ldx = 300, .ldy = 45, .dtype = dtypes[d]});
}

static void a_row_alone_gives_the_bits_it_has_in_a_batch(void **state)
{
    struct problem problem = {.m = 61, .n = 77, .k = 520, .ldx = 520, .ldy = 80, .with_bias = true};
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    problem_open(&problem);
    for (int i = 0; i < count; i++) {
        float *y = copied_floats(problem.before, (size_t)problem.m * problem.ldy);
        for (int first = 0, rows = 1; first < problem.m; first += rows, rows = rows % 14 + 3) {
            rows = rows < problem.m - first ? rows : problem.m - first;
            problem_run(&machines[i], &problem, first, rows, y);
        }
        expect_same_bits(&machines[i], &problem, y, problem.y);
        test_free(y);
    }
    problem_close(&problem);
    machines_close(machines, count);
}

/* How y grows when the same step is taken again and again: the chain goes on where it stopped. */
static void accumulating_twice_is_one_chain_over_both(void **state)
{
    struct problem both = {.m = 19, .n = 40, .k = 600, .ldx = 600, .ldy = 40};
    problem_open(&both);
    struct problem left = both, right = both;
    left.k = right.k = 300;
    right.x += 300;
    right.accumulate = true;
    left.w = allocated((size_t)both.n * 300, sizeof(float));
    right.w = allocated((size_t)both.n * 300, sizeof(float));
    for (int n = 0; n < both.n; n++) {
        const float *row = (const float *)both.w + (size_t)n * 600;
        memcpy((float *)left.w + (size_t)n * 300, row, 300 * sizeof(float));
        memcpy((float *)right.w + (size_t)n * 300, row + 300, 300 * sizeof(float));
    }
    // problem_run uploads M * ldx floats from x: the last row of the right half ends early.
    right.ldx = left.ldx = 600;
    float *shifted = allocated((size_t)both.m * 600 + 300, sizeof(float));
    memcpy(shifted, both.x, (size_t)both.m * 600 * sizeof(float));
    right.x = shifted + 300;
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    for (int i = 0; i < count; i++) {
        float *y = copied_floats(both.before, (size_t)both.m * both.ldy);
        problem_run(&machines[i], &left, 0, both.m, y);
        problem_run(&machines[i], &right, 0, both.m, y);
        expect_same_bits(&machines[i], &both, y, both.y);
        test_free(y);
    }
    machines_close(machines, count);
    test_free(shifted);
    test_free(left.w);
    test_free(right.w);
    problem_close(&both);
}

static void products_at_once_give_the_bits_of_each(void **state)
{
    static const int rows[] = {1, 5, 31, 400};
    static const int columns[][3] = {{33, 1, 116}, {64, 64, 22}, {1, 148, 1}};
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    for (int i = 0; i < 24; i++) {
        const bool mixed = i >= 12;
        struct problem problem = {.m = rows[i % 12 / 3],
                                  .n = 150,
                                  .k = mixed ? 70 : 270,
                                  .ldx = 271,
                                  .dtype = mixed ? DTYPE_BF16 : DTYPE_F32,
                                  .mixed = mixed,
                                  .ldy = 151,
                                  .with_bias = i % 2,
                                  .accumulate = i % 5 == 0};
        problem_open(&problem);
        for (int j = 0; j < count; j++) {
            float *y = copied_floats(problem.before, (size_t)problem.m * problem.ldy);
            problem_run_parts(&machines[j], &problem, 0, problem.m, columns[i % 3], 3, y);
            expect_same_bits(&machines[j], &problem, y, problem.y);
            test_free(y);
        }
        problem_close(&problem);
    }
    machines_close(machines, count);
}

static void expect_activation(enum activation activation)
{
    struct problem problem = {.m = 21, .n = 70, .k = 300, .ldx = 300, .ldy = 71, .with_bias = true};
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    problem_open(&problem);
    problem.activation = activation;
    size_t size = (size_t)problem.m * problem.ldy;
    float *first = copied_floats(problem.before, size);
    problem_run(&machines[0], &problem, 0, problem.m, first);
    for (int m = 0; m < problem.m; m++)
        for (int n = 0; n < problem.n; n++) {
            size_t at = (size_t)m * problem.ldy + n;
            double wanted = activation_expected(activation, (double)problem.y[at]);
            if (!(fabs((double)first[at] - wanted) <= 1e-6 * fmax(1, fabs(wanted))))
                fail_msg("activation %d of %a: %a, expected %a", (int)activation,
                         (double)problem.y[at], (double)first[at], wanted);
        }
    for (int i = 1; i < count; i++) {
        float *y = copied_floats(problem.before, size);
        problem_run(&machines[i], &problem, 0, problem.m, y);
        expect_same_bits(&machines[i], &problem, y, first);
        test_free(y);
    }
    test_free(first);
    problem_close(&problem);
    machines_close(machines, count);
}

static void activations_are_right_and_have_the_same_bits_on_every_machine(void **state)
{
    for (enum activation activation = 0; activation < ACTIVATION_COUNT; activation++)
        expect_activation(activation);
}

/* A weight with a NaN must not look like a healthy one after relu. */
static void relu_keeps_nan(void **state)
{
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    struct problem problem = {
        .m = 14, .n = 33, .k = 4, .ldx = 4, .ldy = 33, .activation = ACTIVATION_RELU};
    problem_open(&problem);
    for (int i = 0; i < 4 * problem.m; i++)
        problem.x[i] = NAN;
    for (int i = 0; i < count; i++) {
        float *y = copied_floats(problem.before, (size_t)problem.m * problem.ldy);
        problem_run(&machines[i], &problem, 0, problem.m, y);
        for (int at = 0; at < problem.m * problem.n; at++)
            assert_true(isnan(y[at]));
        test_free(y);
    }
    problem_close(&problem);
    machines_close(machines, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_shape_gives_the_bits_of_the_plain_loop),
        cmocka_unit_test(large_shapes_give_the_bits_of_the_plain_loop_on_every_machine),
        cmocka_unit_test(narrow_weights_count_with_their_exact_values),
        cmocka_unit_test(a_row_alone_gives_the_bits_it_has_in_a_batch),
        cmocka_unit_test(accumulating_twice_is_one_chain_over_both),
        cmocka_unit_test(products_at_once_give_the_bits_of_each),
        cmocka_unit_test(activations_are_right_and_have_the_same_bits_on_every_machine),
        cmocka_unit_test(relu_keeps_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
