/* A pool of threads that share the tasks of one operation.
 *
 * pool_open; any number of pool_run, one at a time, from one thread at a time; pool_close.
 *
 * Between runs the workers spin for some hundred microseconds, because the next operation usually follows at
 * once, and then sleep. Nobody ever waits for a worker that has not begun: the caller works too, and
 * a worker that wakes late, because another process has its core, finds nothing left to do.
 * Workers block all signals.
 */
#ifndef ATTNSCOPE_CPU_POOL_H
#define ATTNSCOPE_CPU_POOL_H

#include "gpu/status.h"

struct pool;

/* A pool of `threads` >= 1 threads, the caller's included. NULL and a status when the threads cannot
 * be had. */
struct pool *pool_open(int threads, struct status *status);

/* Ends the threads and frees the pool; NULL: nothing. */
void pool_close(struct pool *pool);

/* What a run is worth. Handing tasks to workers that still spin, and waiting for the last of them, costs one or two
 * microseconds, more beside other processes; waking one that sleeps as much as many a small operation. */
enum pool_effort {
    POOL_LIGHT, // sleeping workers sleep on
    POOL_HEAVY, // from some 20 microseconds on: they are woken
};

/* Calls task(context, index) once for every index in 0 … tasks-1 and returns when all are done.
 * Every thread begins with a share of its own, the same in every run of as many tasks, so that what it
 * read in one run may still be in its cache in the next; who has done so takes tasks of others. What
 * tasks wrote is visible to the caller, and what the caller wrote before is visible to them. With one
 * thread or one task they run here, in order. A task may not call pool_run of
 * the same pool. */
void pool_run(struct pool *pool, int tasks, enum pool_effort effort,
              void (*task)(void *context, int index), void *context);

int pool_threads(const struct pool *pool);

/* In a task of this pool: the number of the thread that runs it, 0 … threads-1; 0 is the caller of pool_run. */
int pool_self(const struct pool *pool);

#endif
