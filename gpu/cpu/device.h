/* The CPU device as its operations see it: where tensors live, which kernels to use, who helps.
 *
 * Operations run on the thread that calls them, one at a time for a device, but those of a scope (window.h); `cancel`
 * may come from elsewhere. An operation that has many rows shares them out with pool_run, and asks
 * `cancelled` now and then (between rows or blocks) to return early.
 *
 * Operations cannot report. One that fails (no memory) calls device_fail and returns; what it should
 * have written is then undefined, and the backend's `check` tells.
 */
#ifndef ATTNSCOPE_CPU_DEVICE_H
#define ATTNSCOPE_CPU_DEVICE_H

#include <stdatomic.h>

#include "gpu/backend.h"
#include "gpu/cpu/isa.h"
#include "gpu/cpu/pool.h"

struct kernels;      // gpu/cpu/kernels.h: vector kernels of the operations
struct gemm_kernels; // gpu/cpu/gemm.h: those of `linear`
struct windows;      // gpu/cpu/window.h: how threads share a scope

struct buffer {
    void *bytes; // aligned to 64 bytes
    size_t size;
};

struct device {
    struct pool *pool;
    enum isa isa;
    const struct kernels *kernels;
    const struct gemm_kernels *gemm;

    atomic_bool *cancel; // one for the device and the threads' own
    struct windows *windows;
    size_t memory_used;  // by weights and tensors
    size_t weight_bytes; // by weights alone
    bool failed;
    struct status failure; // the first one, when failed
    void *scratch;
    size_t scratch_size;
    struct {
        unsigned char bytes[ASKED_MOST][ASKED_BYTES]; // what was asked for and not answered
        int first, count;
    } asked;
};

/* Where a tensor begins; NULL for an absent one. */
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

/* Whether the work should stop. Cheap enough to ask once per row or block. */
static inline bool cancelled(const struct device *device)
{
    return atomic_load_explicit(device->cancel, memory_order_relaxed);
}

/* Temporary memory of at least `bytes` bytes, aligned to 64, for one operation: it belongs to the
 * caller until the operation returns, and a second call may move it. Tasks of a pool_run take their
 * own parts of it. Not zeroed. NULL, and the failure remembered, when there is none. */
void *device_scratch(struct device *device, size_t bytes);

/* Remembers the first failure for `check`. Not for tasks on the device's pool. */
void device_fail(struct device *device, enum status_code code, const char *message);

/* Zeroed memory of `bytes` bytes, aligned to 64; NULL when there is none. Freed with
 * memory_aligned_free and the same size. */
void *memory_aligned(size_t bytes);
void memory_aligned_free(void *memory, size_t bytes);

#endif
