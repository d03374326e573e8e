/* Converts stored tensors for the backend and the host. For model/net. */
#ifndef ATTNSCOPE_STORED_H
#define ATTNSCOPE_STORED_H

#include "gpu/backend.h"
#include "model/formats/safetensors.h"

/* The elements as float32; the caller frees them. NULL: out of memory. */
float *stored_floats(const struct stored_tensor *tensor, struct status *status);

/* The backend's name for a float dtype, and its bytes per element. */
enum dtype stored_backend_dtype(const struct stored_tensor *tensor);

/* The (columns, rows) transpose of a matrix, in its own dtype; the caller frees it. */
void *stored_transpose(const struct stored_tensor *tensor, struct status *status);

#endif
