#include "model/checkpoint/stored.h"

#include <string.h>

size_t stored_dtype_bytes(enum dtype dtype)
{
    return dtype == DTYPE_F32 ? 4 : dtype == DTYPE_I8 ? 1 : 2;
}

enum dtype stored_backend_dtype(const struct stored_tensor *tensor)
{
    return tensor->dtype == STORED_F32   ? DTYPE_F32
           : tensor->dtype == STORED_F16 ? DTYPE_F16
                                         : DTYPE_BF16;
}

float *stored_floats(const struct stored_tensor *tensor, struct status *status)
{
    float *values = memory_new(tensor->elements, sizeof *values, status);
    if (!values)
        return NULL;
    if (tensor->dtype == STORED_F32) {
        memcpy(values, tensor->data, tensor->bytes);
        return values;
    }
    for (int64_t i = 0; i < tensor->elements; i++)
        values[i] = stored_value(tensor, i);
    return values;
}

void *stored_transpose(const struct stored_tensor *tensor, struct status *status)
{
    size_t size = stored_dtype_bytes(stored_backend_dtype(tensor));
    size_t rows = tensor->shape[0], columns = tensor->shape[1];
    char *transposed = memory_new(tensor->elements, size, status);
    for (size_t r = 0; transposed && r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            memcpy(transposed + (c * rows + r) * size,
                   (const char *)tensor->data + (r * columns + c) * size, size);
    return transposed;
}

void *stored_repeat(const void *data, size_t parts, size_t bytes, size_t times,
                    struct status *status)
{
    char *all = memory_new(parts * times, bytes, status);
    for (size_t i = 0; all && i < parts * times; i++)
        memcpy(all + i * bytes, (const char *)data + i / times * bytes, bytes);
    return all;
}
