#include "model/checkpoint/stored.h"

#include <string.h>

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE half precision, subnormals, infinities and NaN included; exact. */
static float float_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = (half >> 10) & 31;
    uint32_t mantissa = half & 0x3FF;
    if (exponent == 31)
        return float_of_bits(sign | 0x7F800000 | mantissa << 13);
    if (exponent == 0) {
        float value = (float)mantissa * 0x1p-24f;
        return sign ? -value : value;
    }
    return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
}

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
    for (int64_t i = 0; i < tensor->elements; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)tensor->data + 2 * i, sizeof bits);
        values[i] =
            tensor->dtype == STORED_F16 ? float_of_half(bits) : float_of_bits((uint32_t)bits << 16);
    }
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
