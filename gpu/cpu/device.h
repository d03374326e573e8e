/* The CPU device as its operations see it: memory, kernels, threads.
 *
 * Operations of a device run one at a time, on the thread that calls them; within a scope every
 * worker runs them on a device of its own (gpu/cpu/partition.h). `cancel` may be called from any
 * thread. An operation with many rows distributes them with pool_run, and checks `cancelled`
 * between rows or blocks in order to return early.
 *
 * Operations have no status. One that runs out of memory calls device_fail and returns; its output
 * is then undefined, and the backend's `check` reports the failure.
 */
#ifndef ATTNSCOPE_CPU_DEVICE_H
#define ATTNSCOPE_CPU_DEVICE_H

#include <stdatomic.h>

#include "gpu/backend.h"
#include "gpu/cpu/kernel/isa.h"
#include "gpu/cpu/pool.h"

struct kernels;      // gpu/cpu/kernel/kernels.h: kernels of the other operations
struct gemm_kernels; // gpu/cpu/kernel/gemm.h: kernels of `linear`
struct partition;    // gpu/cpu/partition.h: which rows of a scope each thread computes

struct buffer {
    void *bytes; // aligned to 64 bytes
    size_t size;
};

struct device {
    struct pool *pool;
    enum isa isa;
    enum precision precision; // of float32 weights, as they are stored
    const struct kernels *kernels;
    const struct gemm_kernels *gemm;

    atomic_bool *cancel; // shared with the workers' devices
    struct partition *partition;
    size_t memory_used;  // by weights and tensors
    size_t weight_bytes; // by weights alone
    bool failed;
    struct status failure; // the first one, when failed
    void *scratch;
    size_t scratch_size;
    struct {
        unsigned char bytes[ASKED_MOST]
                           [ASKED_BYTES]; // values asked for and not yet answered: a ring
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
 * themselves. NULL after device_fail when there is no memory. */
void *device_scratch(struct device *device, size_t bytes);

/* Records a failure for `check`, which reports the first one. Must not be called from tasks of the
 * device's pool. */
void device_fail(struct device *device, enum status_code code, const char *message);

/* Zeroed memory of `bytes` bytes, aligned to 64; NULL when there is none. The caller frees it with
 * memory_aligned_free, giving the same size. */
void *memory_aligned(size_t bytes);
void memory_aligned_free(void *memory, size_t bytes);

#endif
