/* A pool of threads that share the tasks of one operation.
 *
 * pool_open; any number of pool_run, one at a time, from one thread at a time; pool_close.
 *
 * Between runs the workers spin for some microseconds, because the next operation usually follows at
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

/* Calls task(context, index) once for every index in 0 … tasks-1 and returns when all are done.
 * Tasks are handed out in order, one at a time, to whoever is free; what they wrote is visible to
 * the caller, and what the caller wrote before is visible to them. With one thread or one task they
 * run here, in order. A task may not call pool_run. */
void pool_run(struct pool *pool, int tasks, void (*task)(void *context, int index), void *context);

int pool_threads(const struct pool *pool);

#endif
