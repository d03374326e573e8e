/* A thread pool: the threads divide the tasks of one operation among themselves.
 *
 * Call order: pool_open; pool_run any number of times, one at a time, from one thread at a time;
 * pool_close.
 *
 * Between runs the workers spin for some hundred microseconds, because the next operation usually
 * follows at once, and then sleep. The caller takes tasks too, and never waits for a worker that
 * has not taken any: one that wakes late, because another process has its core, finds nothing left
 * to do. Workers block signals (base/thread.h).
 */
#ifndef ATTNSCOPE_CPU_POOL_H
#define ATTNSCOPE_CPU_POOL_H

#include "base/status.h"

struct pool;

/* A pool of `threads` >= 1 threads, the caller's included. NULL and a status when they cannot be
 * started. */
struct pool *pool_open(int threads, struct status *status);

/* Ends the threads and frees the pool; NULL: nothing. */
void pool_close(struct pool *pool);

/* The amount of work in a run. Handing tasks to spinning workers and waiting for the last of them
 * costs one or two microseconds, more when other processes run; waking a sleeping worker costs as
 * much as a small operation. */
enum pool_effort {
    POOL_LIGHT, // only workers that are awake take part
    POOL_HEAVY, // sleeping workers are woken; for work of about 20 microseconds and more
};

/* Calls task(context, index) once for every index in 0 … tasks-1 and returns when all are done.
 * Every thread starts with a share of its own, which is the same in every run of as many tasks, so
 * that what it read in one run may still be in its cache in the next; then it takes tasks from
 * other shares. What the caller wrote before is visible to the tasks, and what they wrote is
 * visible to the caller afterwards. With one thread or one task everything runs on the calling
 * thread, in order. A task must not call pool_run of the same pool. */
void pool_run(struct pool *pool, int tasks, enum pool_effort effort,
              void (*task)(void *context, int index), void *context);

int pool_threads(const struct pool *pool);

/* In a task of this pool: the number of its thread, 0 … threads-1; 0 is the caller of pool_run. */
int pool_self(const struct pool *pool);

#endif
