#include "gpu/cpu/device.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"

/* The time to spin before sleeping, as waking a sleeper costs tens of microseconds. The caller
 * computes small operations alone, and a step of one sentence has some hundred microseconds of them
 * before the logits, which all threads share. A shorter time would make every step wait; a longer
 * one only burns power. */
enum { SPIN_NANOSECONDS = 200000, SPINS_PER_LOOK = 32, CACHE_LINE = 64 };

/* A thread and the tasks that it begins with; the next of them is `end` - unclaimed. Each has its
 * own cache lines, so a claim is cheap until only other threads' tasks are left. */
struct member {
    _Alignas(CACHE_LINE) atomic_int unclaimed; // tasks not yet taken
    int end;
    int number;
    struct pool *pool;
    pthread_t thread; // of workers
};

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t begun;    // there is work, or the pool closes
    pthread_cond_t finished; // unfinished is 0

    // Written by the caller while nobody can hold a claim.
    void (*task)(void *context, int index);
    void *context;

    _Alignas(CACHE_LINE) atomic_uint begins; // of runs, so far; one more when the pool closes
    _Alignas(CACHE_LINE) atomic_int unfinished;
    _Alignas(CACHE_LINE) atomic_int sleepers;
    atomic_bool caller_sleeps;
    atomic_bool closing;

    int threads;            // the caller's included
    int workers;            // those that run: threads - 1 once the pool is open
    struct member member[]; // (threads), the caller first
};

static _Thread_local const struct member *worker; // NULL: this thread belongs to no pool

static inline void spin_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Spins for a bounded time until done(pool, seen); returns whether it is done. It yields to whoever
 * waits for this core, which may be another process or the very thread it waits for. */
static bool spin_until(struct pool *pool, bool (*done)(struct pool *pool, unsigned seen),
                       unsigned seen)
{
    int64_t end = nanoseconds() + SPIN_NANOSECONDS;
    do {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            if (done(pool, seen))
                return true;
            spin_pause();
        }
        sched_yield();
    } while (nanoseconds() < end);
    return false;
}

/* Takes the member's next task. A successful claim belongs to the present run: the run cannot end,
 * nor the next begin, before the claimed task is finished. So the run's fields are read only after
 * the claim. */
static bool task_claim(struct member *member, int *index)
{
    int left = atomic_load_explicit(&member->unclaimed, memory_order_acquire);
    while (left > 0) {
        if (atomic_compare_exchange_weak_explicit(&member->unclaimed, &left, left - 1,
                                                  memory_order_acquire, memory_order_acquire)) {
            *index = member->end - left;
            return true;
        }
    }
    return false;
}

/* The caller announces that it sleeps before its last look at `unfinished`; here the order is
 * reversed, so one of the two notices the other. */
static void tasks_finish(struct pool *pool, int count)
{
    if (count == 0 || atomic_fetch_sub(&pool->unfinished, count) != count ||
        !atomic_load(&pool->caller_sleeps))
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->finished);
    pthread_mutex_unlock(&pool->mutex);
}

/* Runs the thread's own tasks, then those that others have not begun. */
static void tasks_run(struct pool *pool, int number)
{
    int index, done = 0;
    for (int i = 0; i < pool->threads; i++) {
        int of = number + i < pool->threads ? number + i : number + i - pool->threads;
        for (; task_claim(&pool->member[of], &index); done++)
            pool->task(pool->context, index);
    }
    tasks_finish(pool, done);
}

static bool work_begun(struct pool *pool, unsigned seen)
{
    return atomic_load(&pool->begins) != seen;
}

static bool work_finished(struct pool *pool, unsigned seen)
{
    (void)seen;
    return atomic_load(&pool->unfinished) == 0;
}

static void worker_sleep(struct pool *pool, unsigned seen)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!work_begun(pool, seen))
        pthread_cond_wait(&pool->begun, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *worker_main(void *argument)
{
    const struct member *self = argument;
    struct pool *pool = self->pool;
    worker = self;
    unsigned seen = 0;
    while (!atomic_load(&pool->closing)) {
        if (!spin_until(pool, work_begun, seen))
            worker_sleep(pool, seen);
        seen = atomic_load(&pool->begins);
        tasks_run(pool, self->number);
    }
    return NULL;
}

static void workers_wake(struct pool *pool, int wanted)
{
    int sleeping = atomic_load(&pool->sleepers);
    if (sleeping == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    for (int i = 0; i < sleeping && i < wanted; i++)
        pthread_cond_signal(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
}

static void caller_wait(struct pool *pool)
{
    if (spin_until(pool, work_finished, 0))
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_sleeps, true);
    while (!work_finished(pool, 0))
        pthread_cond_wait(&pool->finished, &pool->mutex);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

/* Gives every member equally many tasks; the first few get one more. */
static void tasks_share_out(struct pool *pool, int tasks)
{
    int length = tasks / pool->threads, longer = tasks % pool->threads, end = 0;
    for (int i = 0; i < pool->threads && end < tasks; i++) {
        int count = length + (i < longer);
        pool->member[i].end = end += count;
        atomic_store_explicit(&pool->member[i].unclaimed, count, memory_order_release);
    }
}

void pool_run(struct pool *pool, int tasks, enum pool_effort effort,
              void (*task)(void *context, int index), void *context)
{
    if (pool->workers == 0 || tasks <= 1) {
        for (int i = 0; i < tasks; i++)
            task(context, i);
        return;
    }
    pool->task = task;
    pool->context = context;
    atomic_store(&pool->unfinished, tasks);
    tasks_share_out(pool, tasks);
    atomic_fetch_add(&pool->begins, 1);
    if (effort == POOL_HEAVY)
        workers_wake(pool, tasks - 1);
    tasks_run(pool, 0);
    caller_wait(pool);
}

int pool_threads(const struct pool *pool)
{
    return pool->threads;
}

int pool_self(const struct pool *pool)
{
    return worker && worker->pool == pool ? worker->number : 0;
}

static int workers_start(struct pool *pool)
{
    int error = 0;
    while (error == 0 && pool->workers < pool->threads - 1) {
        struct member *member = &pool->member[pool->workers + 1];
        error = thread_start(&member->thread, worker_main, member);
        if (error == 0)
            pool->workers++;
    }
    return error;
}

static struct pool *pool_new(int threads, struct status *status)
{
    size_t size = sizeof(struct pool) + (size_t)threads * sizeof(struct member);
    struct pool *pool = aligned_alloc(CACHE_LINE, size); // both are whole cache lines
    if (!pool) {
        status_fail(status, STATUS_MEMORY, "thread pool: no memory for %d threads", threads);
        return NULL;
    }
    memset(pool, 0, size);
    pool->threads = threads;
    for (int i = 0; i < threads; i++) {
        pool->member[i].pool = pool;
        pool->member[i].number = i;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begun, NULL);
    pthread_cond_init(&pool->finished, NULL);
    return pool;
}

struct pool *pool_open(int threads, struct status *status)
{
    if (threads < 1) {
        status_fail(status, STATUS_INVALID, "thread pool: %d threads, expected 1 or more", threads);
        return NULL;
    }
    struct pool *pool = pool_new(threads, status);
    if (!pool)
        return NULL;
    int error = workers_start(pool);
    if (error) {
        status_fail(status, STATUS_DEVICE, "thread pool: thread %d of %d: %s", pool->workers + 2,
                    threads, strerror(error));
        pool_close(pool);
        return NULL;
    }
    return pool;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->closing, true);
    atomic_fetch_add(&pool->begins, 1);
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->workers; i++)
        pthread_join(pool->member[i + 1].thread, NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->begun);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}
