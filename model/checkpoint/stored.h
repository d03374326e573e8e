/* Converts stored tensors for the backend and the host. For model/net. */
#ifndef ATTNSCOPE_STORED_H
#define ATTNSCOPE_STORED_H

#include "gpu/backend.h"
#include "model/formats/safetensors.h"

/* The elements as float32; the caller frees them. NULL: out of memory. */
float *stored_floats(const struct stored_tensor *tensor, struct status *status);

/* The backend's name for a float dtype, and the bytes of an element. */
enum dtype stored_backend_dtype(const struct stored_tensor *tensor);
size_t stored_dtype_bytes(enum dtype dtype);

/* The (columns, rows) transpose of a matrix, in its own dtype; the caller frees it. */
void *stored_transpose(const struct stored_tensor *tensor, struct status *status);

/* `parts` parts of `bytes` bytes each, every one `times` times in a row; the caller frees them. */
void *stored_repeat(const void *data, size_t parts, size_t bytes, size_t times,
                    struct status *status);

#endif
