/* Device memory: a few pieces from the driver, shared by buffers.
 *
 * A buffer has its own piece, unless a piece was reserved for it. A piece returns to the driver
 * with its last buffer; no place in it is given out twice. */
#ifndef ATTNSCOPE_CUDA_MEMORY_CUH
#define ATTNSCOPE_CUDA_MEMORY_CUH

#include "gpu/cuda/device.cuh"

/* Allocates memory that is not zeroed. On failure the status tells how much was requested and how
 * much is free. */
bool memory_take(struct device *device, struct buffer *buffer, size_t bytes, struct status *status);
void memory_give(struct device *device, struct buffer *buffer);

/* Reserves one piece of `bytes` bytes: buffers are taken from it while it has room. The rest of the
 * previous piece stays unused. `bytes` counts every buffer with memory_rounded. 0: reserves
 * nothing. */
bool memory_reserve(struct device *device, size_t bytes, struct status *status);
size_t memory_rounded(size_t bytes);

#endif
