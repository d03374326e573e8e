/* Copies between the host and the device, through pinned memory. ops.cuh declares the corresponding
 * functions of the backend's table. */
#ifndef ATTNSCOPE_CUDA_COPY_CUH
#define ATTNSCOPE_CUDA_COPY_CUH

#include "gpu/cuda/device.cuh"

/* The pinned memory; opened before the first copy. NULL on failure. */
struct staging *staging_open(struct status *status);
void staging_close(struct staging *staging); // NULL: nothing

/* Copies to the device what `fill` writes, part by part: elements begin … end-1, of `size` bytes
 * each. */
typedef void staging_fill(void *context, void *out, size_t begin, size_t end);
void staging_write(struct device *device, void *to, size_t count, size_t size, staging_fill *fill,
                   void *context);

/* Host memory to which an operation also writes which of `sentences` are done (host_store): reads
 * of the tensor `done` that are asked for afterwards need no copy. NULL: none. */
int32_t *staging_told(struct device *device, struct tensor done, int sentences);

#endif
