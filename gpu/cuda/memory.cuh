/* Memory of the device and copies to and from it. */
#ifndef ATTNSCOPE_CUDA_MEMORY_CUH
#define ATTNSCOPE_CUDA_MEMORY_CUH

#include "gpu/cuda/device.cuh"

/* Memory that is not zeroed; false, and the status says how much was asked for and how much is free. */
bool memory_take(struct device *device, struct buffer *buffer, size_t bytes, struct status *status);
void memory_give(struct device *device, struct buffer *buffer);

/* Pinned memory, through which copies go; opened before the first copy. NULL when there is none. */
struct staging *staging_open(struct status *status);
void staging_close(struct staging *staging); // NULL: nothing

/* Copies to the device what `fill` writes, part by part: elements begin … end-1, of `size` bytes each. */
typedef void staging_fill(void *context, void *out, size_t begin, size_t end);
void staging_write(struct device *device, void *to, size_t count, size_t size, staging_fill *fill,
                   void *context);

#endif
