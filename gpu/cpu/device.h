/* The CPU device as its operations see it: memory, kernels, threads.
 *
 * Operations of a device run one at a time, on the calling thread; within a scope every worker runs
 * them on its own device (gpu/cpu/partition.h). `cancel` may be called from any thread. An
 * operation with many rows distributes them with pool_run, and checks `cancelled` between rows or
 * blocks to return early.
 *
 * Operations have no status. One that runs out of memory calls device_fail and returns; its output
 * is then undefined, and the backend's `check` reports the failure.
 */
#ifndef ATTNSCOPE_CPU_DEVICE_H
#define ATTNSCOPE_CPU_DEVICE_H

#include <stdatomic.h>

#include "base/status.h"
#include "gpu/backend.h"
#include "gpu/cpu/kernel/isa.h"

struct kernels;         // gpu/cpu/kernel/kernels.h: kernels of the other operations
struct gemm_kernels;    // gpu/cpu/kernel/gemm.h: kernels of `linear`
struct integer_kernels; // gpu/cpu/kernel/integer.h: for 8-bit weights
struct partition;       // gpu/cpu/partition.h: which rows of a scope each thread computes

struct buffer {
    void *bytes; // aligned to 64 bytes
    size_t size;
};

struct device {
    struct pool *pool;
    enum isa isa;
    enum precision precision; // in which float32 weights are stored
    const struct kernels *kernels;
    const struct gemm_kernels *gemm;
    const struct integer_kernels *integer;

    atomic_bool *cancel; // shared with the workers' devices
    struct partition *partition;
    size_t memory_used;  // by weights and tensors
    size_t weight_bytes; // by weights only
    bool failed;
    struct status failure; // the first one, when failed
    void *scratch;
    size_t scratch_size;
    struct {
        unsigned char bytes[ASKED_MOST]
                           [ASKED_BYTES]; // ring of values asked for but not yet answered
        int first, count;
    } asked;
};

/* The address of a tensor's first byte; NULL for an absent tensor. */
static inline void *tensor_bytes(struct tensor tensor)
{
    return tensor.buffer ? (unsigned char *)tensor.buffer->bytes + tensor.offset : NULL;
}

static inline float *tensor_floats(struct tensor tensor)
{
    return tensor_bytes(tensor);
}

static inline int32_t *tensor_ints(struct tensor tensor)
{
    return tensor_bytes(tensor);
}

/* True if the work is to stop. Cheap enough to check for every row or block. */
static inline bool cancelled(const struct device *device)
{
    return atomic_load_explicit(device->cancel, memory_order_relaxed);
}

/* Temporary memory of at least `bytes` bytes, aligned to 64, not zeroed. Owned by the device and
 * valid until the operation returns or calls this again. Tasks of one pool_run divide it among
 * themselves. If memory runs out, calls device_fail and returns NULL. */
void *device_scratch(struct device *device, size_t bytes);

/* Records a failure for `check`, which reports the first one. Must not be called from tasks of the
 * device's pool. */
void device_fail(struct device *device, enum status_code code, const char *message);

/* Zeroed memory of `bytes` bytes, aligned to 64; NULL if memory runs out. The caller frees it with
 * memory_aligned_free and the same size. */
void *memory_aligned(size_t bytes);
void memory_aligned_free(void *memory, size_t bytes);

/* A thread pool: the threads divide the tasks of one operation among themselves.
 *
 * Call order: pool_open; pool_run any number of times, one at a time, from one thread at a time;
 * pool_close.
 *
 * Between runs the workers spin for some hundred microseconds, because the next operation usually
 * follows at once, and then sleep. The caller takes tasks too, and never waits for a worker that
 * has not taken any: a worker that wakes late, because another process has its core, finds nothing
 * left to do. Workers block signals (base/thread.h).
 */

struct pool;

/* Opens a pool of `threads` >= 1 threads, including the caller's. NULL if they cannot be
 * started. */
struct pool *pool_open(int threads, struct status *status);

/* Ends the threads and frees the pool; NULL: nothing. */
void pool_close(struct pool *pool);

/* The amount of work in a run. Handing tasks to spinning workers and waiting for the last of them
 * costs one or two microseconds, more when other processes run; waking a sleeping worker costs as
 * much as a small operation. */
enum pool_effort {
    POOL_LIGHT, // only awake workers take part
    POOL_HEAVY, // wakes sleeping workers; for work of about 20 microseconds or more
};

/* Calls task(context, index) once for every index in 0 … tasks-1 and returns when all are done.
 * Every thread starts with its own share, which is the same in every run with the same number of
 * tasks, so that data may still be in its cache from the previous run; then it takes tasks from
 * other shares. Earlier writes of the caller are visible to the tasks, and their writes are visible
 * to the caller afterwards. With one thread or one task everything runs on the calling thread, in
 * order. A task must not call pool_run on the same pool. */
void pool_run(struct pool *pool, int tasks, enum pool_effort effort,
              void (*task)(void *context, int index), void *context);

int pool_threads(const struct pool *pool);

/* In a task of this pool: its thread's number, 0 … threads-1; 0 is the caller of pool_run. */
int pool_self(const struct pool *pool);

#endif
