/* The thread pool: every task once, results visible, signals left to the caller. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "gpu/cpu/device.h"
#include "tests/support/test.h"

enum { TASKS_MAX = 300 };

struct count {
    atomic_int runs[TASKS_MAX];
    int plain[TASKS_MAX]; // written without atomics: pool_run itself must make it visible
    int input;
    pthread_t caller;
    atomic_int elsewhere; // tasks that ran on another thread than the caller's
};

static void count_task(void *context, int index)
{
    struct count *count = context;
    atomic_fetch_add(&count->runs[index], 1);
    count->plain[index] = count->input + index;
    if (!pthread_equal(pthread_self(), count->caller))
        atomic_fetch_add(&count->elsewhere, 1);
}

static struct pool *opened(int threads)
{
    struct status status;
    struct pool *pool = pool_open(threads, &status);
    assert_non_null(pool);
    assert_int_equal(pool_threads(pool), threads);
    return pool;
}

/* Light runs and heavy ones in turn, as operations follow each other. */
static void expect_each_once(struct pool *pool, int tasks, int input)
{
    struct count count = {.input = input, .caller = pthread_self()};
    pool_run(pool, tasks, input % 2 ? POOL_HEAVY : POOL_LIGHT, count_task, &count);
    for (int i = 0; i < TASKS_MAX; i++) {
        int wanted = i < tasks;
        if (atomic_load(&count.runs[i]) != wanted || count.plain[i] != (wanted ? input + i : 0))
            fail_msg("%d threads, %d tasks: task %d ran %d times", pool_threads(pool), tasks, i,
                     atomic_load(&count.runs[i]));
    }
}

static void every_task_runs_exactly_once(void **state)
{
    static const int tasks[] = {0, 1, 2, 3, 7, 64, TASKS_MAX};
    for (int threads = 1; threads <= 8; threads++) {
        struct pool *pool = opened(threads);
        for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
            expect_each_once(pool, tasks[i], (int)i);
        pool_close(pool);
    }
}

/* Workers of one run may come late to it and meet the next. */
static void runs_that_follow_each_other_closely_do_not_mix(void **state)
{
    for (int threads = 2; threads <= 4; threads++) {
        struct pool *pool = opened(threads);
        for (int i = 0; i < 5000; i++)
            expect_each_once(pool, 2 + i % 9, i);
        pool_close(pool);
    }
}

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

static void workers_that_sleep_are_woken(void **state)
{
    struct pool *pool = opened(3);
    for (int i = 0; i < 100; i++) {
        pause_for(i % 4 * 50000L);
        expect_each_once(pool, 20, i);
    }
    pool_close(pool);
}

static void slow_task(void *context, int index)
{
    (void)index;
    pause_for(2000000);
    count_task(context, index);
}

/* True if there is a run, after a pause in which workers fall asleep, of which other threads than
 * the caller do some (or none, if `elsewhere` is false). A busy machine can spoil single runs. */
static bool some_run(struct pool *pool, enum pool_effort effort, bool elsewhere)
{
    enum { RUNS = 50 };
    for (int i = 0; i < RUNS; i++) {
        struct count count = {.caller = pthread_self()};
        pause_for(20000000); // much longer than workers spin
        pool_run(pool, 10, effort, slow_task, &count);
        if ((atomic_load(&count.elsewhere) > 0) == elsewhere)
            return true;
    }
    return false;
}

static void others_help_when_tasks_are_long(void **state)
{
    struct pool *pool = opened(3);
    assert_true(some_run(pool, POOL_HEAVY, true));
    pool_close(pool);
}

static void light_runs_leave_sleepers_alone(void **state)
{
    struct pool *pool = opened(3);
    assert_true(some_run(pool, POOL_LIGHT, false));
    pool_close(pool);
}

static void one_task_runs_on_the_caller(void **state)
{
    struct pool *pool = opened(3);
    struct count count = {.caller = pthread_self()};
    pool_run(pool, 1, POOL_HEAVY, slow_task, &count);
    assert_int_equal(atomic_load(&count.elsewhere), 0);
    pool_close(pool);
}

static double processor_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A pool that nobody uses must cost nothing: processor time, which a busy machine does not add
 * to. */
static void idle_workers_sleep(void **state)
{
    struct pool *pool = opened(4);
    expect_each_once(pool, 50, 1);
    pause_for(20000000);
    double before = processor_nanoseconds();
    pause_for(100000000);
    assert_true(processor_nanoseconds() - before < 20e6);
    pool_close(pool);
}

static atomic_int signals_elsewhere;
static pthread_t signal_home;

static void signal_note(int number)
{
    (void)number;
    if (!pthread_equal(pthread_self(), signal_home))
        atomic_fetch_add(&signals_elsewhere, 1);
}

static void interrupt_task(void *context, int index)
{
    (void)context;
    (void)index;
    kill(getpid(), SIGUSR1);
    pause_for(100000);
}

static void signals_reach_the_thread_that_opened_the_pool(void **state)
{
    signal_home = pthread_self();
    struct sigaction action = {.sa_handler = signal_note, .sa_flags = SA_RESTART}, before;
    sigaction(SIGUSR1, &action, &before);
    struct pool *pool = opened(4);
    pool_run(pool, 200, POOL_HEAVY, interrupt_task, NULL);
    assert_int_equal(atomic_load(&signals_elsewhere), 0);
    pool_close(pool);
    sigaction(SIGUSR1, &before, NULL);
}

static void no_threads_is_an_error(void **state)
{
    struct status status = {0};
    assert_null(pool_open(0, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    pool_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_exactly_once),
        cmocka_unit_test(runs_that_follow_each_other_closely_do_not_mix),
        cmocka_unit_test(workers_that_sleep_are_woken),
        cmocka_unit_test(others_help_when_tasks_are_long),
        cmocka_unit_test(light_runs_leave_sleepers_alone),
        cmocka_unit_test(one_task_runs_on_the_caller),
        cmocka_unit_test(idle_workers_sleep),
        cmocka_unit_test(signals_reach_the_thread_that_opened_the_pool),
        cmocka_unit_test(no_threads_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
