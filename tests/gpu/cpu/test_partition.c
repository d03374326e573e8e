/* Scopes on several threads: every row is computed once, and whole groups by one thread. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

enum { ROWS = 100, D = 5, THREADS = 3, WIDTH = 4 };

struct step {
    struct ops *ops;
    struct tensor x, y, sum;
    atomic_int bodies;
    bool cancels;
};

/* sum += x and y = x: a row that two threads computed, or none, shows. */
static void run_step(void *context)
{
    struct step *step = context;
    const struct backend *backend = step->ops->backend;
    const struct move_args move = {
        .y = step->y, .x = step->x, .ldy = D, .ldx = D, .rows = ROWS, .columns = D};
    const struct norm_args add = {.y = step->y,
                                  .sum = step->sum,
                                  .x = step->x,
                                  .residual = step->sum,
                                  .gamma = step->x,
                                  .beta = step->x,
                                  .ldy = D,
                                  .ldresidual = D,
                                  .eps = 1,
                                  .rows = ROWS,
                                  .columns = D};
    atomic_fetch_add(&step->bodies, 1);
    backend->norm(step->ops->device, &add);
    backend->cancel(step->ops->device, step->cancels);
    backend->gather(step->ops->device, &move);
}

static void run_scope(struct step *step, const int *groups, int count)
{
    const struct scope_args scope = {.rows = ROWS,
                                     .width = WIDTH,
                                     .groups = groups,
                                     .count = count,
                                     .body = run_step,
                                     .context = step};
    step->ops->backend->scope(step->ops->device, &scope);
}

static void open_step(struct step *step, struct ops *ops, int threads)
{
    static const float zeros[ROWS * D] = {0};
    float x[ROWS * D];
    for (int i = 0; i < ROWS * D; i++)
        x[i] = (float)i;
    ops_open(ops, NULL, threads);
    *step = (struct step){.ops = ops,
                          .x = ops_put(ops, x, sizeof x),
                          .y = ops_floats(ops, ROWS * D),
                          .sum = ops_put(ops, zeros, sizeof zeros)};
}

static void expect_every_row_once(const struct step *step)
{
    float sum[ROWS * D], y[ROWS * D];
    ops_get(step->ops, sum, step->sum, sizeof sum);
    ops_get(step->ops, y, step->y, sizeof y);
    for (int i = 0; i < ROWS * D; i++)
        assert_true(sum[i] == (float)i && y[i] == (float)i);
}

static void check_scope(int threads, const int *groups, int count, int bodies)
{
    struct ops ops;
    struct step step;
    open_step(&step, &ops, threads);
    run_scope(&step, groups, count);
    assert_int_equal(step.bodies, bodies);
    expect_every_row_once(&step);
    ops_close(&ops);
}

static void rows_are_computed_once_by_any_number_of_threads(void **state)
{
    for (int threads = 1; threads <= 6; threads++)
        check_scope(threads, NULL, 0, threads);
}

/* Ranges consist of whole groups: where one group has most of the rows, the scope is not
 * partitioned. */
static void groups_of_any_size_are_computed_once(void **state)
{
    static const int even[] = {0, 20, 40, 60, 80, 100}, uneven[] = {0, 1, 36, 37, 38, 70, 100};
    static const int first[] = {0, 97, 98, 99, 100}, last[] = {0, 1, 2, 3, 100};
    static const int few[] = {0, 50, 100}, one[] = {0, 100};
    check_scope(THREADS, even, 5, THREADS);
    check_scope(THREADS, uneven, 6, THREADS);
    check_scope(THREADS, first, 4, 1);
    check_scope(THREADS, last, 4, 1);
    check_scope(THREADS, few, 2, 1);
    check_scope(THREADS, one, 1, 1);
}

static void too_few_rows_are_not_partitioned(void **state)
{
    check_scope(25, NULL, 0, 25);
    check_scope(26, NULL, 0, 1);
}

static void check_bodies(struct step *step, int bodies)
{
    step->bodies = 0;
    run_scope(step, NULL, 0);
    assert_int_equal(step->bodies, bodies);
}

/* 33 MB: more than counts as cached. Ten threads of 10 rows each would read them ten times. */
static void workers_need_more_rows_with_large_weights(void **state)
{
    enum { N = 1024, K = 8448 };
    struct ops ops;
    struct step step;
    struct status status;
    float *zeros = test_calloc((size_t)N * K, sizeof *zeros);
    const struct weight_spec spec = {
        .data = zeros, .dtype = DTYPE_F32, .n = N, .k = K, .use = WEIGHT_LINEAR};
    open_step(&step, &ops, 10);
    check_bodies(&step, 10);
    struct weight *weight = ops.backend->weight(ops.device, &spec, &status);
    assert_non_null(weight);
    check_bodies(&step, 1);
    ops.backend->forget(ops.device, weight);
    check_bodies(&step, 10);
    ops_close(&ops);
    test_free(zeros);
}

static void a_cancelled_scope_is_told_once_and_the_next_is_whole(void **state)
{
    struct status status;
    struct ops ops;
    struct step step;
    open_step(&step, &ops, THREADS);
    step.cancels = true;
    run_scope(&step, NULL, 0);
    assert_false(ops.backend->check(ops.device, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    step.cancels = false;
    ops.backend->cancel(ops.device, false);
    ops_close(&ops);
    open_step(&step, &ops, THREADS);
    run_scope(&step, NULL, 0);
    assert_true(ops.backend->check(ops.device, &status));
    expect_every_row_once(&step);
    ops_close(&ops);
}

struct race {
    struct ops *ops;
    struct tensor y, ones, twos; // rows of the calling thread are 1 in y, others 2
    pthread_t caller;
    int caller_us, other_us; // how long they take
};

static void run_race(void *context)
{
    const struct race *race = context;
    const bool caller = pthread_equal(pthread_self(), race->caller);
    const struct move_args move = {.y = race->y,
                                   .x = caller ? race->ones : race->twos,
                                   .ldy = 1,
                                   .ldx = 1,
                                   .rows = ROWS,
                                   .columns = 1};
    race->ops->backend->gather(race->ops->device, &move);
    usleep((useconds_t)(caller ? race->caller_us : race->other_us));
}

static void race_open(struct race *race, struct ops *ops)
{
    float ones[ROWS], twos[ROWS];
    for (int i = 0; i < ROWS; i++)
        twos[i] = 2 * (ones[i] = 1);
    ops_open(ops, NULL, 2);
    *race = (struct race){.ops = ops,
                          .y = ops_floats(ops, ROWS),
                          .ones = ops_put(ops, ones, sizeof ones),
                          .twos = ops_put(ops, twos, sizeof twos),
                          .caller = pthread_self()};
}

/* Rows that the calling thread computed in the last of `count` scopes. */
static int callers_rows(struct race *race, int count, int width, int caller_us, int other_us)
{
    const struct scope_args scope = {
        .rows = ROWS, .width = width, .body = run_race, .context = race};
    float y[ROWS];
    int rows = 0;
    race->caller_us = caller_us;
    race->other_us = other_us;
    for (int i = 0; i < count; i++)
        race->ops->backend->scope(race->ops->device, &scope);
    ops_get(race->ops, y, race->y, sizeof y);
    for (int i = 0; i < ROWS; i++)
        rows += y[i] == 1;
    return rows;
}

/* On a busy machine any thread may be kept waiting, but not every time. */
static void expect_rows(int caller_us, int other_us, int least, int most)
{
    int rows = -1;
    for (int attempt = 0; attempt < 8 && (rows < least || rows > most); attempt++) {
        struct ops ops;
        struct race race;
        race_open(&race, &ops);
        rows = callers_rows(&race, 12, WIDTH, caller_us, other_us);
        ops_close(&ops);
    }
    assert_in_range(rows, least, most);
}

static void the_faster_thread_gets_more_rows(void **state)
{
    expect_rows(2000, 50000, ROWS * 7 / 10, ROWS - WIDTH);
    expect_rows(50000, 2000, WIDTH, ROWS * 3 / 10);
}

/* Two groups: one for each thread, whatever is known of their speeds. */
static void a_thread_that_was_slow_gets_rows_again(void **state)
{
    struct ops ops;
    struct race race;
    int rows = 0;
    race_open(&race, &ops);
    callers_rows(&race, 12, WIDTH, 2000, 50000);
    for (int attempt = 0; attempt < 8 && rows != ROWS / 2; attempt++)
        rows = callers_rows(&race, 1, ROWS / 2, 20000, 20000);
    assert_int_equal(rows, ROWS / 2);
    ops_close(&ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_computed_once_by_any_number_of_threads),
        cmocka_unit_test(groups_of_any_size_are_computed_once),
        cmocka_unit_test(too_few_rows_are_not_partitioned),
        cmocka_unit_test(workers_need_more_rows_with_large_weights),
        cmocka_unit_test(the_faster_thread_gets_more_rows),
        cmocka_unit_test(a_thread_that_was_slow_gets_rows_again),
        cmocka_unit_test(a_cancelled_scope_is_told_once_and_the_next_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
