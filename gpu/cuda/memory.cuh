/* Memory of the device: few pieces from the driver, which buffers share.
 *
 * A buffer is of its own piece, but for those that a piece was reserved for. A piece goes back to
 * the driver when the last of its buffers does; no place in it is given out twice. */
#ifndef ATTNSCOPE_CUDA_MEMORY_CUH
#define ATTNSCOPE_CUDA_MEMORY_CUH

#include "gpu/cuda/device.cuh"

/* Memory that is not zeroed; false, and the status says how much was asked for and how much is
 * free. */
bool memory_take(struct device *device, struct buffer *buffer, size_t bytes, struct status *status);
void memory_give(struct device *device, struct buffer *buffer);

/* Reserves one piece of so many bytes: buffers are taken from it as long as it has room; the rest
 * of the piece before is nobody's. `bytes` counts every buffer with memory_rounded. 0: nothing is
 * reserved. */
bool memory_reserve(struct device *device, size_t bytes, struct status *status);
size_t memory_rounded(size_t bytes);

#endif
